"""Time limits hold, and whatever ends a run, its folder says what was found so far."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from symexec.progress import LiveLine, PlainLines, Silence
from tests.command_line import (
    CSGTEST,
    ROOT,
    SAMPLES,
    csgtest,
    hear_interrupts,
    living,
    pair,
    read_report,
    write_versions,
)

OUT = "csgtest-out"


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that would take a minute, with temporary files in a folder of its own."""
    (tmp_path / "tmp").mkdir()
    words = [*CSGTEST, "build", *map(str, pair("endless")), "--time", "60", "--quiet"]
    process = subprocess.Popen(
        words,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,  # noqa: PLW1509
    )
    yield process
    process.kill()
    process.communicate()


def wait_for_a_difference(folder: Path) -> None:
    """Until the native runs of the first test are known."""
    until = time.monotonic() + 40
    log = folder / OUT / "tests" / "tests.jsonl"
    while time.monotonic() < until:
        if log.exists() and '"observed":"different"' in log.read_text():
            return
        time.sleep(0.05)
    raise AssertionError("no difference was found in 40 s")


def test_an_endless_loop_ends_with_its_time(tmp_path: Path) -> None:
    """5 s for --time 3 behind the preparation, 2 s to begin and to write the report; a machine that
    is busy with other tests gets three tries."""
    for _ in range(3):
        started = time.monotonic()
        done = csgtest("build", *pair("endless"), "--time", "3", folder=tmp_path)
        seconds = time.monotonic() - started
        assert (done.code, done.report["verdict"]) == (1, "different")
        assert done.report["finished"] is True
        assert done.report["counters"]["cuts"] > 0
        assert " not followed to the end: " in done.out
        assert done.report["counters"]["waiting"] > 0
        assert "still waiting when the time was over" in done.out
        counters = done.report["counters"]
        searched = counters["wall_s"] - counters["prepared_s"]
        if searched < 5.0 and seconds - counters["wall_s"] < 2.0:
            return
    raise AssertionError(f"--time 3 took {seconds:.1f} s")


def test_a_first_run_has_all_of_its_time(tmp_path: Path) -> None:
    """With an empty cache the models of the C library are made first: no time of the search."""
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    words = ("build", *pair("endless"), "--time", "1", "--no-replay", "--json")
    prepared = []
    for _ in ("cold", "warm"):
        done = csgtest(*words, folder=tmp_path, environment=cache)
        counters = done.report["counters"]
        prepared.append(counters["prepared_s"])
        assert counters["waiting"] and counters["wall_s"] - counters["prepared_s"] >= 1.0
    assert prepared[1] < prepared[0]


def test_what_prepares_for_long_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    for shown in (PlainLines(sys.stderr), LiveLine(), Silence()):
        shown.prepared(1.0)
        shown.prepared(2.5)
    said = "prepared in 2.5 s, which --time does not count; the search begins\n"
    assert capsys.readouterr().err == 2 * said


def test_killed_in_mid_run_the_folder_says_what_was_found(
    endless: subprocess.Popen[str], tmp_path: Path
) -> None:
    wait_for_a_difference(tmp_path)
    time.sleep(1.5)  # report.json is rewritten every second
    endless.send_signal(signal.SIGKILL)
    endless.wait()
    report = read_report(tmp_path / OUT)
    assert report["finished"] is False
    assert report["verdict"] == "different"
    assert [test["input"]["parameters"] for test in report["tests"] if test["blamed"]]
    lines = (tmp_path / OUT / "tests" / "tests.jsonl").read_text().splitlines()
    assert {json.loads(line)["id"] for line in lines} >= {test["id"] for test in report["tests"]}


def test_the_next_run_removes_what_a_killed_one_left(
    endless: subprocess.Popen[str], tmp_path: Path
) -> None:
    wait_for_a_difference(tmp_path)
    endless.send_signal(signal.SIGKILL)
    endless.wait()
    temporary = tmp_path / "tmp"
    assert list(temporary.glob("csgtest-*"))
    environment = {"TMPDIR": str(temporary)}
    assert csgtest("build", *pair("foo"), folder=tmp_path, environment=environment).code == 1
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_a_run_reports_what_was_found(
    number: signal.Signals, endless: subprocess.Popen[str], tmp_path: Path
) -> None:
    wait_for_a_difference(tmp_path)
    endless.send_signal(number)
    out, err = endless.communicate(timeout=20)
    assert endless.returncode == 130
    assert "The versions behave differently." in out and "settle(" in out
    assert err == f"csgtest: interrupted; what was found is in {OUT}\n"
    report = read_report(tmp_path / OUT)
    assert report["finished"] is False
    assert "interrupted: the search is not finished" in report["notes"]
    assert list((tmp_path / "tmp").iterdir()) == []


# What a call of the compiler has among its words, and the command that waits for it or goes on.
HANGING = {
    "preprocessing": ("build", "-E"),
    "confirming": ("build", "-fsyntax-only"),
    "the runner": ("build", "runner.c"),
    "what is linked to builds": ("build", "harness_support.c"),
    "the old version": ("build", "old-sanitized"),
    "builds for blame": ("build", "mask-sanitized"),
    "of several files": ("build", "shared.c"),
    "the recorder": ("suite", "recorder.c"),
    "a comparison": ("compare", "new-plain"),
    "no native runs": ("explore", "-E"),
}
# At night: of each of them another stage is tried each time, of the same command or of one that
# begins in the same way.
ALIKE = (
    "confirming",
    "what is linked to builds",
    "the old version",
    "the recorder",
    "no native runs",
)
HANGS = """#!/bin/sh
case " $* " in
*{what}*)
    trap '' INT TERM HUP
    sleep 300 & echo $! >> {log}; echo $$ >> {log}
    sleep 300; sleep 300 ;;
esac
exec cc "$@"
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of all these runs: the models are made once, and each compiler's builds are its
    own."""
    return tmp_path_factory.mktemp("models")


@pytest.mark.parametrize(
    ("stage", "number"),
    [
        *(
            pytest.param(stage, signal.SIGINT, marks=pytest.mark.night if stage in ALIKE else [])
            for stage in HANGING
        ),
        ("the runner", signal.SIGTERM),
        pytest.param("the old version", signal.SIGTERM, marks=pytest.mark.night),
    ],
)
def test_a_compiler_that_never_ends_does_not_hold_an_interrupted_run_up(
    stage: str, number: signal.Signals, models: Path, tmp_path: Path
) -> None:
    command, what = HANGING[stage]
    log, compiler = tmp_path / "hanging", tmp_path / "compiler"
    compiler.write_text(HANGS.format(what=what, log=log))
    compiler.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    old, new = pair("endless")
    words = [str(new)] if command == "explore" else [str(old), str(new), "--time", "60"]
    if command == "suite":
        fields = SAMPLES / "fields"
        words = [str(fields / "a_old.c"), str(fields / "a_new.c")]
        words += ["--tests", str(fields / "tests.sh")]
    if what == "shared.c":
        (tmp_path / what).write_text("int shared;")
        words += ["--with", str(tmp_path / what)]
    environment = {"CC": str(compiler), "TMPDIR": str(tmp_path / "tmp")}
    with subprocess.Popen(
        [*CSGTEST, command, *words, "--quiet"],
        cwd=tmp_path,
        env={**os.environ, **environment, "XDG_CACHE_HOME": str(models)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,  # noqa: PLW1509
    ) as process:
        try:
            until = time.monotonic() + 60
            while len(log.read_text().split() if log.exists() else ()) < 2:
                assert process.poll() is None and time.monotonic() < until
                time.sleep(0.05)
            process.send_signal(number)
            started = time.monotonic()
            _, err = process.communicate(timeout=60)
            seconds = time.monotonic() - started
        finally:
            process.kill()
    assert process.returncode == 130
    assert err.splitlines()[-1].startswith("csgtest: interrupted")
    assert seconds < 20  # mostly half a second, of a busy machine several; the compiler has no end
    assert living(log.read_text().split()) == []
    assert list((tmp_path / "tmp").iterdir()) == []


LOST = """
import sys, time
from pathlib import Path
import cli
from symexec.replay.native import NativeReplay

def interrupted(replay):
    while len(Path(sys.argv[0]).read_text().split()) < 2:
        time.sleep(0.02)
    raise KeyboardInterrupt

NativeReplay._new_sandbox = interrupted
cli.main()
"""


def test_nothing_is_left_where_an_interruption_comes_before_there_is_an_owner(
    models: Path, tmp_path: Path
) -> None:
    log, compiler = tmp_path / "hanging", tmp_path / "compiler"
    log.touch()
    compiler.write_text(HANGS.format(what="runner.c", log=log))
    compiler.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    words = [str(log), "build", *map(str, pair("endless")), "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = {words!r}\n{LOST}"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "CC": str(compiler),
            "TMPDIR": str(tmp_path / "tmp"),
            "XDG_CACHE_HOME": str(models),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 130 and done.stderr == "csgtest: interrupted\n"
    assert living(log.read_text().split()) == []
    assert list((tmp_path / "tmp").iterdir()) == []


def run_program(
    program: str, sample: str, folder: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    """A build of a sample by a Python program that prepares something before it calls ``main``."""
    own = ["csgtest", "build", *map(str, pair(sample)), "--quiet", *words]
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = {own!r}\n{program}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=hear_interrupts,
        check=False,
    )


IN_A_HOOK = """
import os, signal, sys
import cli

waiting = [signal.SIGTERM]

def interrupted():
    while waiting:
        os.kill(os.getpid(), waiting.pop())

os.register_at_fork(before=interrupted)
cli.main()
"""


def test_an_interruption_that_python_drops_is_sent_again(tmp_path: Path) -> None:
    started = time.monotonic()
    done = run_program(IN_A_HOOK, "endless", tmp_path, "--time", "40")
    assert done.returncode == 130 and time.monotonic() - started < 35
    assert done.stderr.startswith("csgtest: interrupted") and "Exception" not in done.stderr


LATE = """
import os, signal, sys
import cli
from symexec.campaign.building import BuildJob
from symexec.report import session

def interrupted(function, times):
    waiting = [signal.SIGINT] * times
    def called(*given):
        while waiting:
            os.kill(os.getpid(), waiting.pop())
        return function(*given)
    return called

{place} = interrupted({place}, {times})
cli.main()
"""


@pytest.mark.parametrize(
    ("place", "times", "kept"),
    [
        ("session._conclude", 1, True),
        ("session.finish", 1, True),
        ("BuildJob.close", 1, True),
        ("BuildJob.close", 2, False),
    ],
)
def test_an_interruption_behind_the_search_loses_nothing_that_was_found(
    place: str, times: int, kept: bool, tmp_path: Path
) -> None:
    done = run_program(LATE.format(place=place, times=times), "plus_two", tmp_path)
    assert done.returncode == 130
    assert ("behave differently" in done.stdout) == kept
    written = json.loads((tmp_path / "csgtest-out" / "report.json").read_text())
    assert written["finished"] != kept and written["verdict"] == "different"
    note = "interrupted while the report was written"
    assert (note in written["notes"]) == kept and (note in done.stdout) == kept


def test_a_reader_that_leaves_is_no_error_of_ours(tmp_path: Path) -> None:
    words = [*CSGTEST, "build", *map(str, pair("plus_two")), "--json"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert told == ""
    assert read_report(tmp_path / OUT)["finished"] is True


def test_two_runs_do_not_write_to_one_folder(
    endless: subprocess.Popen[str], tmp_path: Path
) -> None:
    wait_for_a_difference(tmp_path)
    done = csgtest("build", *pair("foo"), folder=tmp_path)
    assert done.code == 2
    assert "another run of csgtest is writing to 'csgtest-out'" in done.err


def test_when_the_process_that_replays_dies_it_is_told_and_what_was_found_is_kept(
    endless: subprocess.Popen[str], tmp_path: Path
) -> None:
    wait_for_a_difference(tmp_path)
    own = Path(f"/proc/{endless.pid}/cmdline").read_bytes()
    children = Path(f"/proc/{endless.pid}/task/{endless.pid}/children").read_text().split()
    forks = [each for each in children if Path(f"/proc/{each}/cmdline").read_bytes() == own]
    assert forks
    for each in forks:
        os.kill(int(each), signal.SIGKILL)
    out, err = endless.communicate(timeout=20)
    assert endless.returncode == 2, out
    assert "the process that replays tests has died" in err
    report = read_report(tmp_path / OUT)
    assert (report["finished"], report["verdict"]) == (False, "different")


def test_a_search_ends_once_enough_inputs_differ(tmp_path: Path) -> None:
    """``endless`` alone takes all the time there is."""
    old, new = (file.read_text() for file in pair("endless"))
    write_versions(tmp_path, old, new)
    words = ("build", "old.c", "new.c", "--stop-after", "1")
    done = csgtest(*words, "--time", "60", folder=tmp_path)
    assert done.code == 1 and len(done.differing) >= 1
    assert done.report["counters"]["wall_s"] < 30 and not done.report["counters"]["exhausted"]
    assert done.report["bounds"]["stop_after"] == 1
    assert "the search was ended early, as asked: --stop-after 1" in done.report["notes"]
    for other in ("--deterministic", "--no-replay"):
        refused = csgtest(*words, other, folder=tmp_path)
        assert refused.code == 2 and "leave one of the two out" in refused.err
