"""What a killed run leaves behind is removed by the next one, and nothing else is."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from csg import leftovers
from csg.leftovers import OwnFolder, sweep
from symexec.worker import forked
from tests.command_line import living

ROOT = Path(__file__).parents[2]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_of_a_killed_process_is_swept(temporary: Path) -> None:
    program = "from csg.leftovers import OwnFolder as F; import time\n"
    program += "folder = F('builds'); print(folder.path, flush=True); time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    path = Path(process.stdout.readline().strip())
    (path / "something").write_text("left behind")
    assert sweep() == []  # it lives
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert sweep() == [path]
    assert not path.exists()


def test_what_is_in_use_or_not_ours_stays(temporary: Path) -> None:
    used = OwnFolder("box")
    (temporary / "csgtest-out-mine").mkdir()
    (temporary / "csgtest-out-mine" / "report.json").write_text("{}")
    (temporary / "csgtest-builds-file").touch()
    (temporary / "csgtest-builds-link").symlink_to(temporary / "csgtest-out-mine")
    assert sweep() == []
    assert len(list(temporary.iterdir())) == 4
    used.remove()
    used.remove()
    assert not used.path.exists()


def test_what_could_not_be_removed_is_swept_later(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where processes that were killed still write to it."""
    folder = OwnFolder("sandbox")
    (folder.path / "work").mkdir()
    with monkeypatch.context() as stubborn:
        stubborn.setattr(leftovers, "_PATIENCE", 0.0)
        stubborn.setattr(shutil, "rmtree", lambda path, ignore_errors: None)
        folder.remove()
        assert folder.path.exists()
        assert sweep() == []
    assert sweep() == [folder.path]
    assert not folder.path.exists()


def test_what_an_interruption_left_without_an_owner_goes(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the time is over between the folder of a process and its start."""

    def interrupted() -> tuple[int, int]:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "pipe", interrupted)
    with suppress(KeyboardInterrupt):
        forked(lambda requests, answers, folder: None)
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_at_the_end_of_a_process_its_folders_go(temporary: Path) -> None:
    """But at that of a fork, which has a copy of their owner, they stay."""
    program = """
import os, sys
from csg.leftovers import OwnFolder
folder = OwnFolder("builds")
process = os.fork()
if process:
    os.waitpid(process, 0)
    print(folder.path.is_dir())
"""
    shown = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == "True\n"
    assert list(temporary.iterdir()) == []


RETRIES = """
import os, signal, subprocess, sys, threading, time
from csg.leftovers import leave_nothing

def compile_again_and_again():
    while True:
        leader = subprocess.Popen(["sleep", "300"], process_group=0)
        print(leader.pid, flush=True)
        leader.wait()

threading.Thread(target=compile_again_and_again, daemon=True).start()
time.sleep(0.2)
leave_nothing()
time.sleep(0.2)  # as folders are removed
os._exit(0)
"""


def test_nobody_begins_a_process_that_outlives_the_last_look() -> None:
    done = subprocess.run(
        [sys.executable, "-c", RETRIES], capture_output=True, text=True, timeout=60, check=False
    )
    began = done.stdout.split()
    assert done.returncode == 0 and done.stderr == "" and began
    assert living(began) == []


def test_a_folder_of_a_killed_check_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it was for, and although it holds next to nothing."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    program = (
        "import os, signal\nfrom csg.leftovers import own_folder\n"
        "with own_folder('check') as folder:\n"
        "    (folder / 'unified.c').write_text('int x;')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert sweep(tmp_path) == [left] and [*tmp_path.iterdir()] == []
