"""What is predicted and not shown is looked at in every way in which a test can be run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from csg.programs import SourceFile
from symexec.replay import LITERAL, PLAIN, SANITIZED, NativeReplay, ReplayPlan
from symexec.testcases import TestCase, TestInput
from symexec.triage import Refusal, looked_again, observe
from symexec.triage.examine import HIDDEN, PLAIN_ALONE

# t: a table of bits, one for each position up to the last one that a list names; "8-" names none.
# Its two bytes lie in a block of the heap that has room for 24.
# r: the one thing in which a forked run differs: there is room for the servers.
PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
int main(int argc, char **argv)
{
    int start = 16, last = NEW ? 8 : start;
    unsigned char *bits;
    struct rlimit limit;
    struct timespec now;
    switch (argv[1][0]) {
    case 't':
        bits = calloc(last / 8 + 1, 1);
        bits[start / 8] |= 1 << start % 8;
        printf("%d\\n", bits[start / 8] != 0);
        return 0;
    case 'p':
#ifndef __SANITIZE_ADDRESS__
        return NEW;
#endif
        return 0;
    case 'r':
        return NEW && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur % 100 == 64;
    case 'o':
        bits = malloc(argc);
        bits[argc] = 1;
        return 0;
    case 'c':
        clock_gettime(CLOCK_REALTIME, &now);
        return printf("%ld\\n", now.tv_nsec) < 0;
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NativeReplay]:
    folder = tmp_path_factory.mktemp("refusal")
    files = folder / "old.c", folder / "new.c"
    for number, file in enumerate(files):
        file.write_text(f"#define NEW {number}\n{PROGRAM}")
    plan = ReplayPlan(*((SourceFile(file),) for file in files), wall_s=0.3)
    with NativeReplay(plan) as found:
        yield found


def case_of(argument: bytes, fault: str = "") -> TestCase:
    return TestCase("t1", TestInput(args=(argument,)), fault=fault)


def test_an_overflow_in_the_slack_of_its_block_differs_in_sanitized_builds_alone(
    replay: NativeReplay,
) -> None:
    if not replay.sanitizers:
        pytest.skip("no sanitizers here")
    seen = [observe(case_of(b"t"), replay, style=style)[0] for style in (PLAIN, SANITIZED)]
    assert [each.observed for each in seen] == ["same", "different"]


@pytest.mark.parametrize(
    ("argument", "note"), [(b"p", PLAIN_ALONE), (b"r", HIDDEN)], ids=["plain builds", "execve"]
)
def test_what_another_way_of_running_shows_is_a_difference_and_says_so(
    argument: bytes, note: str, replay: NativeReplay
) -> None:
    seen, pair = observe(case_of(argument), replay)
    assert seen.observed == "same"
    found, shown, style = looked_again(seen, pair, replay)
    assert (found.observed, found.notes, found.refused) == ("different", (note,), "")
    assert (shown.old.exit, shown.new.exit) == (0, 1)
    assert (style in (LITERAL, PLAIN)) == (note == PLAIN_ALONE)


@pytest.mark.parametrize(
    ("argument", "fault", "reason"),
    [
        (b"n", "", Refusal.ALIKE),
        (b"n", "out-of-bounds", Refusal.UNSEEN_FAULT),
        (b"o", "out-of-bounds", Refusal.BOTH_FAIL),
        (b"c", "", Refusal.UNSTABLE),
    ],
    ids=lambda each: each.name if isinstance(each, Refusal) else "",
)
def test_a_prediction_that_no_way_confirms_is_refused_for_a_reason(
    argument: bytes, fault: str, reason: Refusal, replay: NativeReplay
) -> None:
    seen, pair = observe(case_of(argument, fault), replay)
    found, _, _ = looked_again(seen, pair, replay)
    assert (found.observed, found.refused) == ("same", reason.value)
