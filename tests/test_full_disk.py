"""A disk that is full is one message and exit code 2, and the next run works."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from symexec.testcases.store import MARKER, OutputFolder, is_ours
from tests.command_line import csgtest, pair
from tests.disks import small_disk

WORDS = (
    "build",
    *map(str, pair("plus_two")),
    "--time",
    "20",
    "--stop-after",
    "1",
    "--no-native",
    "--quiet",
)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte, full."""
    with small_disk(tmp_path) as disk:
        with (disk / "filling").open("wb", buffering=0) as filling:
            for _ in range(256):
                filling.write(bytes(4096))
        yield disk


@pytest.mark.parametrize("what", ["out", "TMPDIR"])
def test_a_full_disk_is_one_message_and_the_next_run_works(
    what: str, small: Path, tmp_path: Path
) -> None:
    out = small / "out" if what == "out" else tmp_path / "out"
    environment = {what: str(small)} if what == "TMPDIR" else {}
    done = csgtest(*WORDS, "--out", str(out), folder=tmp_path, environment=environment)
    if what == "TMPDIR" and done.code == 1:  # Python takes the system's folder in its place
        assert json.loads((out / "report.json").read_text())["verdict"] == "different"
        assert done.err == ""
        return
    assert done.code == 2, done
    assert "Traceback" not in done.err and done.err.count("error: ") == 1
    assert "No space left on device" in done.err or "no room in" in done.err
    (small / "filling").unlink()
    environment = {}
    done = csgtest(*WORDS, "--out", str(out), folder=tmp_path, environment=environment)
    assert done.code == 1, done


def test_temporary_files_that_fill_a_disk_are_one_message_and_the_next_run_works(
    small: Path, tmp_path: Path
) -> None:
    """There is room for a beginning, so that the folder is taken, and not for the builds."""
    with (small / "filling").open("r+b") as filling:
        filling.truncate(900 << 10)
    done = csgtest(*WORDS, folder=tmp_path, environment={"TMPDIR": str(small)})
    assert done.code == 2, done
    assert "Traceback" not in done.err and done.err.count("error: ") == 1
    assert [each.name for each in small.iterdir()] == ["filling"]
    assert csgtest(*WORDS, folder=tmp_path, environment={}).code == 1


def test_a_full_cache_is_no_trouble(small: Path, tmp_path: Path) -> None:
    done = csgtest(*WORDS, folder=tmp_path, environment={"XDG_CACHE_HOME": str(small)})
    assert (done.code, done.err) == (1, "")


@pytest.mark.night  # each part of the cache is damaged each time by its own tests
def test_a_cache_that_is_damaged_is_made_anew(tmp_path: Path) -> None:
    """Every file in one of three ways: a bit is flipped, the end is cut off, nothing is left."""
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    first = csgtest(*WORDS, folder=tmp_path, environment=environment)
    files = sorted(each for each in (tmp_path / "cache").rglob("*") if each.is_file())
    assert first.code == 1 and len(files) > 4
    for number, file in enumerate(files):
        content = file.read_bytes()
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        file.write_bytes((flipped, content[:middle], b"")[number % 3])
    again = csgtest(*WORDS, folder=tmp_path, environment=environment)
    assert (again.code, again.err) == (1, "")
    inputs = [{test["id"]: test["input"] for test in each.differing} for each in (first, again)]
    assert inputs[0] == inputs[1]


def test_a_disk_that_becomes_full_keeps_what_was_there(small: Path) -> None:
    (small / "filling").write_bytes(bytes(900 << 10))
    with OutputFolder(small / "out") as folder:
        folder.write_text("report.json", "{}")
        with pytest.raises(Exception, match="No space left"):
            folder.write_text("report.json", " " * (1 << 20))
        assert (small / "out" / "report.json").read_text() == "{}"


@pytest.mark.parametrize("length", [0, 1, 20])
def test_a_marker_that_was_begun_is_ours(length: int, tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out"):
        pass
    marker = tmp_path / "out" / MARKER
    whole = marker.read_bytes()
    marker.write_bytes(whole[:length])
    with OutputFolder(tmp_path / "out"):
        assert marker.read_bytes() == whole
    marker.write_bytes(whole[:length] + b"?")
    assert not is_ours(tmp_path / "out")
