"""A task may write so much; a disk that is full ends a run with a message, and it is resumed."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from csg.errors import UsageError
from fleet import tasks
from fleet.disk import ROOM, DiskWatch, tells_of_full_disk, written
from fleet.outcomes import Outcome, Planned, TaskState
from fleet.store import Store
from fleet.tasks import run
from tests.command_line import csgtest
from tests.disks import small_disk
from tests.fleet.outcomes import OUTCOME
from tests.fleet.test_fleet import write_pairs
from tests.fleet.test_tasks import TASK, TREE

MB = 1 << 20
CHILD = Path(tasks.__file__).with_name("child.py")
# Takes the place of csgtest: writes a finished report, then more and more.
WRITER = """import os, signal, shutil, sys, time
out = next(each for each in sys.argv if each.startswith("--out="))[6:]
shutil.copytree({found!r}, out)
signal.signal(signal.SIGTERM, {reaction})
with open(os.path.join(os.environ["TMPDIR"], "file"), "wb", buffering=0) as file:
    for _ in range(200):
        file.write(bytes(1 << 19))
        time.sleep(0.05)
    time.sleep(100)
"""
CONCLUDES, DEAF = "lambda *_: sys.exit(130)", "signal.SIG_IGN"


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte."""
    with small_disk(tmp_path) as disk:
        yield disk


def fill(disk: Path) -> Path:
    filling = disk / "filling"
    with suppress(OSError), filling.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    return filling


def test_what_is_written_is_counted_as_the_disk_does(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_bytes(bytes(range(256)) * 4096)
    before = written(tmp_path)
    assert MB <= before < 2 * MB
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(100 * MB)
    (tmp_path / "elsewhere").symlink_to("/usr")
    assert written(tmp_path) < before + MB
    assert written(tmp_path / "gone") == 0


def test_usual_bound_is_a_share_of_what_is_free_and_never_too_little(tmp_path: Path) -> None:
    assert DiskWatch(tmp_path, None).allowed >= ROOM


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"csgtest: error: /tmp/x: {os.strerror(28)}", True),
        ("error: there is no room in /tmp for compiled programs: 5 KB are free", True),
        ("error: there is no room for improvement", False),
        ("", False),
    ],
)
def test_messages_of_a_full_disk(text: str, expected: bool) -> None:
    assert tells_of_full_disk(text) is expected


@pytest.mark.parametrize("reaction", [CONCLUDES, DEAF])
def test_task_that_writes_too_much_is_cut_with_what_it_found(
    reaction: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where its process does not hear that it shall end."""
    whole = run(TASK.spec, TREE)
    for name, content in whole.files:
        (tmp_path / "found" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "found" / name).write_bytes(content)
    monkeypatch.setattr(tasks, "_HOME", tmp_path / "fleet")
    monkeypatch.setattr(tasks, "_CONCLUDING", 2.0)
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet/child.py").write_text(CHILD.read_text())
    script = WRITER.format(found=str(tmp_path / "found"), reaction=reaction)
    (tmp_path / "cli.py").write_text(script)
    outcome = run(TASK.spec, TREE, disk=4 * MB)
    assert (outcome.state, outcome.full) == (TaskState.CUT, False)
    assert outcome.code == (130 if reaction is CONCLUDES else None)
    assert "where it may write 4.0 MB, and was ended there with" in outcome.message
    assert (outcome.reports, outcome.findings) == (whole.reports, whole.findings)


def test_search_that_writes_too_much_is_cut(tmp_path: Path) -> None:
    """csgtest itself: its builds take more than that. Nothing is left in the temporary folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        outcome = run(replace(TASK, time=60.0).spec, TREE, disk=200 << 10)
    finally:
        tempfile.tempdir = before
    assert outcome.state is TaskState.CUT
    assert outcome.code in (1, 130, -signal.SIGTERM)  # it may be at its end, or at its beginning
    assert list(folder.iterdir()) == []


def test_task_on_a_full_disk_says_so(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(small))
    outcome = run(TASK.spec, TREE)
    assert (outcome.state, outcome.full) == (TaskState.FAILED, True)
    fill(small)
    outcome = run(TASK.spec, TREE)
    assert (outcome.state, outcome.full) == (TaskState.FAILED, True)
    assert tells_of_full_disk(outcome.message)


def test_store_on_a_full_disk_is_read_and_goes_on(small: Path) -> None:
    place = str(small / "store")
    whole = replace(OUTCOME, files=(("a", os.urandom(100_000)),))
    with Store.open(place) as store:
        number = store.begin("fleet", "LIST.toml", [Planned(each, "{}", each) for each in "abc"])
        store.complete("a", whole)
    filling = fill(small)
    with Store.open(place, new=False) as store:
        assert [each["state"] for each in store.tasks(number)] == ["done", "waiting", "waiting"]
        assert len(store.findings()) == 1
        other = replace(whole, files=(("a", os.urandom(100_000)),))
        with pytest.raises(UsageError, match="No space left on device") as refused:
            store.complete("b", other)
        assert "make room there, and give --resume" in refused.value.hint
        with pytest.raises(UsageError, match="full") as refused:
            store.add(number, [Planned(f"{each}", "{}" * 100, "l") for each in range(1000)])
        assert "make room there, and give --resume" in refused.value.hint
        assert store.artefacts.get(store.files("a")[0]["hash"]) == whole.files[0][1]
    filling.unlink()
    with Store.open(place) as store:
        assert store.complete("b", other)
        assert [each["state"] for each in store.tasks(number)] == ["done", "done", "waiting"]
    assert not list((small / "store/artefacts").rglob("*.*"))  # nothing half-written


def test_run_on_a_full_disk_ends_with_a_message_and_is_resumed(small: Path, tmp_path: Path) -> None:
    write_pairs(tmp_path, 1)
    full = {"TMPDIR": str(small)}
    done = csgtest("fleet", "LIST.toml", "--jobs", "1", folder=tmp_path, environment=full)
    assert (done.code, done.out) == (2, ""), done
    assert "Traceback" not in done.err and done.err.count("the disk is full where tasks run") == 1
    assert "make room there" in done.err and "--resume" in done.err
    done = csgtest("fleet", "LIST.toml", "--jobs", "1", "--resume", folder=tmp_path)
    assert done.code == 1, done
    assert "1 task (1 done), 1 difference" in done.out


def test_cut_task_is_shown_and_tried_again(tmp_path: Path) -> None:
    cut = Outcome(TaskState.CUT, 130, "it had written 5.0 MB", 1.0)
    with Store.open(str(tmp_path / "store")) as store:
        number = store.begin("fleet", "LIST.toml", [Planned("a", "{}", "a")])
        store.complete("a", cut)
        assert store.runs()[0]["tasks"] == {"cut": 1}
        assert store.retry(number) == 1
        assert [each["state"] for each in store.tasks(number)] == ["waiting"]


def test_run_with_too_little_disk_is_cut_and_tried_again_with_more(tmp_path: Path) -> None:
    write_pairs(tmp_path, 1)
    words = ("fleet", "LIST.toml", "--jobs", "1")
    done = csgtest(*words, "--disk", "1M", folder=tmp_path)
    assert "1 task (1 cut)" in done.out and "where it may write 1.0 MB" in done.out, done
    assert done.code == (1 if "f(10)" in done.out else 2)
    done = csgtest(*words, "--resume", "--retry", "--disk", "1G", folder=tmp_path)
    assert done.code == 1, done
    assert "1 task (1 done), 1 difference" in done.out
