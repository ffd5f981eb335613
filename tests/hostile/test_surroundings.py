"""What is around a run may be gone, endless, or of another kind: one message, and exit code 2."""

from __future__ import annotations

import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli import main
from csg import confinement
from tests.command_line import CSGTEST, csgtest, read_report, write_versions
from tests.hostile.judging import is_clean
from tests.nightly import daily

OLD = "int f(int x) { return x / 3; }\n"
NEW = "int f(int x) { return x / 4; }\n"
BUILD = ("build", "old.c", "new.c", "--entry", "f", "--time", "3")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_versions(tmp_path, OLD, NEW)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "words.txt").write_text("int g(void) { return 1; }\n")
    (tmp_path / "more.cpp").write_text("int g(void) { return 1; }\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--seeds /dev/zero", ""),
        ("--seeds pipe", ""),
        ("--seeds /etc/shadow", ""),
        ("--with /dev/zero", "no regular file"),
        ("--with pipe", "no regular file"),
        ("--with /etc/passwd", "does not have the name of a C file"),
        ("--with words.txt", "does not have the name of a C file"),
        ("--with more.cpp", "csgtest reads C, not C++"),
        ("--accepted /dev/zero", "no such file"),
        ("--accepted pipe", "no such file"),
        ("-- -include /dev/zero", "error"),
        pytest.param("-- -include pipe", "did not end within", marks=pytest.mark.night),
        pytest.param("-- @pipe", "did not end within", marks=pytest.mark.night),
        ("--out /dev/null", "--out"),
        ("--out pipe", "--out"),
    ],
)
def test_an_odd_file_is_named(words: str, said: str, folder: Path) -> None:
    done = csgtest(*BUILD, *words.split(), folder=folder, seconds=90.0)
    is_clean(done)
    assert said in done.err and (done.code == 2 or not said)


def in_shell(folder: Path, before: str, *within: str) -> subprocess.CompletedProcess[str]:
    """Run csgtest behind a command of the shell, that may change the surroundings."""
    absolute = [str(folder / word) if word.endswith(".c") else word for word in BUILD]
    command = f"{before} {shlex.join([*CSGTEST, *absolute])}"
    return subprocess.run(
        [*within, "bash", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_working_folder_may_be_gone(folder: Path) -> None:
    done = in_shell(folder, "mkdir gone; cd gone; rmdir ../gone;")
    assert done.returncode == 2
    assert "csgtest: error: the working folder cannot be found" in done.stderr


def test_no_file_may_be_written(folder: Path) -> None:
    done = in_shell(folder, "ulimit -f 0;")
    assert done.returncode == 2
    assert "csgtest: error: " in done.stderr and "Traceback" not in done.stderr


def test_there_may_be_no_proc(folder: Path) -> None:
    within = ("unshare", "-rm")
    if subprocess.run([*within, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces")
    done = in_shell(folder, "mount -t tmpfs none /proc;", *within)
    assert done.returncode == 2
    assert "csgtest: error: there is no /proc here" in done.stderr


@pytest.mark.parametrize("number", daily([signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM], 1))
def test_a_signal_that_ends_a_run_is_an_interruption(number: signal.Signals, folder: Path) -> None:
    """The search has begun, and what it found is in the report."""
    text = (
        "int f(int x) { int s = 0; for (int i = 0; i < x; i++) s += x % (i + 2); return s + %d; }"
    )
    write_versions(folder, text.replace("%d", "1"), text.replace("%d", "(x == 977)"))
    heeded = ["env", "--default-signal=QUIT,HUP,TERM"]  # in the background shells ignore some
    words = [*heeded, *CSGTEST, *BUILD[:-1], "60"]
    with subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        report = folder / "csgtest-out" / "report.json"
        while run.poll() is None and not report.exists():
            time.sleep(0.1)
        run.send_signal(number)
        _, said = run.communicate(timeout=60)
    assert run.returncode == 130, said
    assert "interrupted" in said and "Traceback" not in said


def test_a_signal_that_is_ignored_stays_so(folder: Path) -> None:
    """As nohup has it."""
    text = "import os, signal, subprocess, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    text += "run = subprocess.Popen(sys.argv[1:]); "
    text += "os.kill(run.pid, signal.SIGHUP); sys.exit(run.wait())"
    words = [sys.executable, "-c", text, *CSGTEST, *BUILD]
    done = subprocess.run(words, cwd=folder, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr


def test_compilers_that_nothing_confines_are_told_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Once on the terminal, and in the report: on a kernel without Landlock."""
    calls = confinement._call

    def without_landlock(kernel: ctypes.CDLL, number: int, *values: int | bytes) -> int:
        return -1 if number == confinement._CREATE_RULESET else calls(kernel, number, *values)

    monkeypatch.setattr(confinement, "_call", without_landlock)
    monkeypatch.chdir(folder)
    confinement.confinement_error.cache_clear()
    try:
        assert main([*BUILD, "--no-replay"]) in (0, 1, 2)
    finally:
        confinement.confinement_error.cache_clear()
    assert capfd.readouterr().err.count("this kernel has no Landlock") == 1
    notes = read_report(folder / "csgtest-out")["notes"]
    assert any("this kernel has no Landlock" in each for each in notes)
