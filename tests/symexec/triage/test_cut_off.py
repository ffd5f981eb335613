"""A version that is cut off where the other one ends is given more time before it is called
endless; limits are of processor time, whoever else uses the machine."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import pytest

from csg.programs import SourceFile
from symexec.replay import NativeReplay, ReplayPlan
from symexec.testcases import TestCase, TestInput
from symexec.triage import decided, observe

# What the old version does the first letter of the argument says, and of the new one the second.
PROGRAM = """
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void work(clock_t until)
{
    while (clock() < until)
        ;
}
int main(int argc, char **argv)
{
    volatile unsigned long n = 0;
    switch (argv[1][PLACE]) {
    case 's': /* slow: about as long again as the limit of these tests */
        work(CLOCKS_PER_SEC * 3 / 10);
        return 3;
    case 'd': /* the same, to another end */
        work(CLOCKS_PER_SEC * 3 / 10);
        return 4;
    case 'c': /* its state never repeats */
        for (;;)
            n += 1;
    case 'w':
        for (;;)
            pause();
    case 'x':
        puts("another text");
        fflush(stdout);
        for (;;)
            n += 1;
    case 'o':
        for (;;)
            puts("and so on");
    case 'f': /* others use the machine */
        for (int i = 0; i < 8; i++)
            if (fork() == 0)
                for (;;)
                    ;
        work(CLOCKS_PER_SEC / 16);
    }
    return 3;
}
"""


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NativeReplay]:
    folder = tmp_path_factory.mktemp("cut_off")
    files = folder / "old.c", folder / "new.c"
    for place, file in enumerate(files):
        file.write_text(PROGRAM.replace("PLACE", str(place)))
    plan = ReplayPlan(*((SourceFile(file),) for file in files), wall_s=0.15, unsandboxed=True)
    with NativeReplay(plan) as found:
        yield found


def _judged(
    replay: NativeReplay, both: bytes, until: float = math.inf, endless: bool = False
) -> TestCase:
    seen, pair = observe(TestCase("t1", TestInput(args=(both,)), endless=endless), replay)
    return decided(seen, pair, replay, until)[0]


@pytest.mark.parametrize(
    ("both", "kind"),
    [
        (b"qs", "slower"),
        (b"sq", "slower"),
        (b"qd", "difference"),
        (b"qc", "hang"),
        (b"wq", "hang-fix"),
        pytest.param(b"cq", "hang-fix", marks=pytest.mark.night),
        (b"qw", "hang"),
        (b"qo", "hang"),
        (b"qf", "path-only"),
        (b"cw", "timeout"),
    ],
)
def test_what_was_cut_off_gets_more_time(replay: NativeReplay, both: bytes, kind: str) -> None:
    found = _judged(replay, both)
    assert found.kind == kind
    assert len(found.notes) == (2 if kind in ("slower", "difference", "hang", "hang-fix") else 0)


def test_without_time_nothing_is_decided_and_the_test_stays_a_difference(
    replay: NativeReplay,
) -> None:
    found = _judged(replay, b"qc", until=time.monotonic())
    assert (found.kind, found.observed) == ("undecided", "different")


def test_without_time_what_is_printed_and_never_by_the_other_version_counts(
    replay: NativeReplay,
) -> None:
    found = _judged(replay, b"qx", until=time.monotonic())
    assert (found.kind, found.observed) == ("difference", "different")


def test_a_proof_that_the_state_repeats_needs_no_time(replay: NativeReplay) -> None:
    found = _judged(replay, b"qc", until=time.monotonic(), endless=True)
    assert (found.kind, found.notes) == ("hang", ())
