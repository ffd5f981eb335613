"""No test has signals from outside: versions that meet them in another way are not called equal.
The truth is what both versions do natively when a signal comes."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from symexec.ledger import Verdict
from tests.command_line import csgtest, write_versions
from tests.nightly import every

PROGRAM = """
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile sig_atomic_t seen;
static void note(int number) { seen = number; }
int main(int argc, char **argv)
{
    int n = 0;
    sigset_t set;
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    (void) argv, (void) argc, (void) action;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    FIRST
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        n++;
    THEN
    printf("%d %d\\n", COUNT, (int) seen);
    return 0;
}
"""
EQUAL = (Verdict.NO_CHANGE, Verdict.EQUIVALENT_WITHIN_BOUNDS)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP)
Version = tuple[str, str, str]  # FIRST, THEN, COUNT


def version(first: str, then: str = "", count: str = "n") -> Version:
    return first, then, count


NOTHING = version("")
IGNORES = version("signal(SIGINT, SIG_IGN);")
DIFFERENT = {
    "ignored": (IGNORES, NOTHING),
    "handled": (version("signal(SIGINT, note);"), NOTHING),
    "another signal": (IGNORES, version("signal(SIGTERM, SIG_IGN);")),
    "ignored, not handled": (IGNORES, version("signal(SIGINT, note);")),
    "by sigaction": (version("sigaction(SIGUSR1, &action, 0);"), NOTHING),
    "once": (
        version("sigaction(SIGHUP, &action, 0);"),
        version("action.sa_handler = SIG_IGN; sigaction(SIGHUP, &action, 0);"),
    ),
    "blocked": (version("sigprocmask(SIG_BLOCK, &set, 0);"), NOTHING),
    "blocked for a time": (
        version(
            "sigprocmask(SIG_BLOCK, &set, 0);",
            'puts("x"); fflush(stdout); sigprocmask(SIG_UNBLOCK, &set, 0);',
        ),
        version("", 'puts("x"); fflush(stdout);'),
    ),
    "ignored for a time": (
        version("signal(SIGINT, SIG_IGN);", "signal(SIGINT, SIG_DFL);"),
        NOTHING,
    ),
    "by another condition": (
        version("if (argc > 0) signal(SIGINT, SIG_IGN);"),
        version("if (argc > 1) signal(SIGINT, SIG_IGN);"),
    ),
    "by another value": (
        version("int one = argc > 0; signal(SIGINT, one ? SIG_IGN : SIG_DFL);"),
        version("int one = argc > 1; signal(SIGINT, one ? SIG_IGN : SIG_DFL);"),
    ),
    "inherited": (
        version("if (signal(SIGINT, SIG_IGN) != SIG_IGN) signal(SIGINT, note);"),
        version("signal(SIGINT, SIG_IGN);"),
    ),
}
ALIKE = {
    "ignored": (IGNORES, version("signal(SIGINT, SIG_IGN);", count="2 * n - n")),
    "handled": (
        version("signal(SIGINT, note);"),
        version("signal(SIGINT, note);", count="n < 0 ? 7 : n"),
    ),
    "blocked": (
        version("sigprocmask(SIG_BLOCK, &set, 0);", 'if (n > 2) puts("many");'),
        version("sigprocmask(SIG_BLOCK, &set, 0);", 'if (n >= 3) puts("many");'),
    ),
}


def write(folder: Path, pair: tuple[Version, Version]) -> None:
    texts = (
        PROGRAM.replace("FIRST", first).replace("THEN", then).replace("COUNT", count)
        for first, then, count in pair
    )
    write_versions(folder, *texts)


def when_signalled(executable: Path, number: signal.Signals) -> tuple[int, bytes]:
    """The end and the output of a run that gets a signal while it reads; a shell in the background
    ignores SIGINT, and what it starts inherits that."""
    pipe = subprocess.PIPE
    command = ["env", f"--default-signal={number.name.removeprefix('SIG')}", executable]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as run:
        assert run.stdin is not None and run.stdout is not None
        begun = run.stdout.readline()
        run.send_signal(number)
        run.stdin.close()
        return run.wait(), begun + run.stdout.read()


def differs(folder: Path) -> bool:
    seen = []
    for name in ("old", "new"):
        made = folder / name
        subprocess.run(["gcc", "-w", folder / f"{name}.c", "-o", made], check=True)
        seen.append([when_signalled(made, number) for number in SIGNALS])
    return seen[0] != seen[1]


def verdict_of(folder: Path) -> str:
    return str(csgtest("build", "old.c", "new.c", "--time", "8", folder=folder).report["verdict"])


@pytest.mark.parametrize("pair", every(5, DIFFERENT))
def test_a_signal_from_outside_is_left_out(pair: str, tmp_path: Path) -> None:
    write(tmp_path, DIFFERENT[pair])
    assert differs(tmp_path)
    assert verdict_of(tmp_path) == Verdict.NO_DIFFERENCE_FOUND


@pytest.mark.parametrize("pair", every(2, ALIKE))
def test_versions_that_handle_signals_alike_are_equivalent(pair: str, tmp_path: Path) -> None:
    write(tmp_path, ALIKE[pair])
    assert not differs(tmp_path)
    assert verdict_of(tmp_path) in EQUAL
