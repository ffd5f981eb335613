"""The clock of a program goes on by what it sleeps; neither the model nor a native run waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions

PROGRAM = """
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct timespec before, after, asked = {3, 999999999};
    clock_gettime(CLOCK_MONOTONIC, &before);
    time_t end = before.tv_sec + 40;
    if (argc == 2) {
        WAIT;
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    printf("%d\\n", after.tv_sec >= end);
    return 0;
}
"""
WAITS = [
    "sleep(41)",
    "usleep(41000000)",
    "for (int i = 0; i < 12; i++) nanosleep(&asked, 0)",
    "clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec) {41, 0}, 0)",
    "asked.tv_sec = end + 1; clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &asked, 0)",
    "do { sleep(1); clock_gettime(CLOCK_MONOTONIC, &asked); } while (asked.tv_sec <= end)",
    "time_t now = time(0); while (time(0) < now + 42) usleep(500000)",
    "struct timeval t, u; gettimeofday(&t, 0); do sleep(5), gettimeofday(&u, 0); "
    "while (u.tv_sec < t.tv_sec + 42)",
]


@pytest.mark.parametrize("wait", WAITS)
def test_what_a_program_sleeps_passes_at_once(wait: str, tmp_path: Path) -> None:
    write_versions(tmp_path, PROGRAM.replace("WAIT", ""), PROGRAM.replace("WAIT", wait))
    words = ("--sym-args", "0", "1", "1", "--time", "20", "--stop-after", "1")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert not done.report["counters"]["mispredicted"]
    test = done.differing[0]
    shown = test["class"], test["old"]["stdout"], test["new"]["stdout"]
    assert shown == ("difference", "0\n", "1\n")


def test_who_waits_for_the_clock_does_not_run_for_ever(tmp_path: Path) -> None:
    wait = "time_t now = time(0); while (time(0) < now + 42) ;"
    write_versions(tmp_path, PROGRAM.replace("WAIT", ""), PROGRAM.replace("WAIT", wait))
    words = ("--sym-args", "0", "1", "1", "--time", "5")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert "runs for ever" not in done.out


@pytest.mark.parametrize("name", ["sleep", "time", "usleep"])
def test_a_program_may_have_such_a_function_itself(name: str, tmp_path: Path) -> None:
    main = f"int {name}(int); int main(int n, char **words) {{ return {name}(n) + CHANGED; }}\n"
    for side, value in (("old", "1"), ("new", "2")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "main.c").write_text(main.replace("CHANGED", value))
        (tmp_path / side / "other.c").write_text(f"int {name}(int x) {{ return x + 5; }}\n")
    done = csgtest("build", "old", "new", "--stop-after", "1", "--time", "20", folder=tmp_path)
    test = done.differing[0]
    assert (test["old"]["exit"], test["new"]["exit"]) == (7, 8)
