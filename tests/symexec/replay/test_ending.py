"""When csgtest leaves, or is killed, no process of a program is left: not even for a moment."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from csg.errors import ToolchainError
from symexec.replay.sandbox import ALL_LAYERS, LANDLOCK, SECCOMP, Sandbox, wait_for_runners
from symexec.replay.wire import Job

NAME = "hostile-end"
TEXT = """
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words)
{
    prctl(PR_SET_NAME, "hostile-end");
    for (int i = 0; i < 30; i++) {
        if (fork() == 0) {
            setsid();
            if (!strcmp(words[1], "stray") && fork())
                _exit(0);
            for (;;)
                pause();
        }
    }
    for (;;)
        pause();
}
"""
LEVELS = {"all": ALL_LAYERS, "landlock": LANDLOCK | SECCOMP}


def left() -> list[str]:
    """The processes of the program."""
    found = []
    for each in Path("/proc").glob("[0-9]*/comm"):
        try:
            if each.read_text().strip() == NAME and "Z" not in state_of(each.parent):
                found.append(each.parent.name)
        except OSError:
            continue
    return found


def state_of(process: Path) -> str:
    return (process / "stat").read_text().rpartition(")")[2].split()[0]


def wait_until_it_runs() -> None:
    until = time.monotonic() + 20
    while len(left()) < 30 and time.monotonic() < until:
        time.sleep(0.02)
    assert left()


@pytest.fixture(scope="module")
def program(builds: Path) -> Path:
    path = builds / "strays"
    text = builds / "strays.c"
    text.write_text(TEXT)
    subprocess.run(["cc", "-o", path, text], check=True)
    return path


def runs(program: Path, layers: int, kind: str, private: Path | None = None) -> None:
    """Run for long."""
    words = (NAME.encode(), kind.encode())
    with Sandbox(program.parent, layers, private=private) as box:
        box.run(Job(str(program), words, (), wall_ms=60_000))


@pytest.mark.parametrize("kind", ["child", "stray"])
@pytest.mark.parametrize("level", LEVELS)
def test_who_stops_a_run_waits_for_its_end(level: str, kind: str, program: Path) -> None:
    with Sandbox(program.parent, LEVELS[level]) as box:
        job = Job(str(program), (NAME.encode(), kind.encode()), (), wall_ms=60_000)

        def run() -> None:
            with contextlib.suppress(ToolchainError):
                box.run(job)

        thread = threading.Thread(target=run)
        thread.start()
        wait_until_it_runs()
        box.stop()
        thread.join()
    assert left() == []


@pytest.mark.parametrize("kind", ["child", "stray"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_process_that_is_killed_takes_all_with_it(
    level: str, kind: str, program: Path, tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)
    process = os.fork()
    if not process:
        try:
            runs(program, LEVELS[level], kind, tmp_path)
        finally:
            os._exit(0)
    wait_until_it_runs()
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    wait_for_runners(tmp_path)
    assert left() == []
