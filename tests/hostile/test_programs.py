"""A hostile program harms nobody, leaves nothing, and is never called harmless unseen."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.hostile.judging import is_clean
from tests.hostile.programs import KEY, PROGRAMS
from tests.nightly import every

SECONDS = 100.0


@pytest.fixture
def neighbour() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the same user, that must live on."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process
        process.kill()


def left_by(name: str) -> list[str]:
    """The processes of this name, when they had a second to end."""
    for _ in range(20):
        found = []
        for each in Path("/proc").glob("[0-9]*/comm"):
            try:
                if each.read_text().strip() == name:
                    found.append(each.parent.name)
            except OSError:
                continue
        if not found:
            break
        time.sleep(0.05)
    return found


def ipc_objects() -> list[str]:
    lines = [
        line
        for kind in ("shm", "sem")
        for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
    ]
    return [line for line in lines if line.split()[0] == str(KEY)]


@pytest.mark.parametrize(
    "number", every(37, range(len(PROGRAMS))), ids=[name for name, _ in PROGRAMS]
)
def test_a_program_does_no_harm(
    number: int, neighbour: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    _, text = PROGRAMS[number]
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "canary").write_text("alive")
    name = f"hostile{number}"
    write_versions(own, text % (name, 1), text % (name, 2))
    begun = time.monotonic()
    done = csgtest("build", "old.c", "new.c", "--time", "5", folder=own, seconds=SECONDS)
    is_clean(done)
    assert time.monotonic() - begun < SECONDS
    assert neighbour.poll() is None
    assert left_by(name) == [] and ipc_objects() == []
    assert (tmp_path / "canary").read_text() == "alive"
    assert {each.name for each in own.iterdir()} <= {"old.c", "new.c", "csgtest-out"}
    if done.code == 0:  # the versions differ: who sees nothing of it says what was compared
        report = done.report
        compared = [each for each in report["tests"] if each["observed"] != "not-replayed"]
        native = (report.get("native") or {}).get("tests", 0)
        assert (compared or native) and report["verdict"] == "no-difference-found"
