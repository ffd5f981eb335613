"""What is predicted and not shown is looked at in every way in which a test can be run."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.programs import SourceFile
from symexec.classification import Refusal, looked_again, observe
from symexec.classification.refusal import HIDDEN, PLAIN_ALONE
from symexec.replay import PLAIN, SANITIZED, NativeReplay, ReplayPlan
from symexec.testcases import TestCase, TestInput

# A table of bits, one for each position up to the last one that a list names; "8-" names none. Its
# two bytes lie in a block of the heap that has room for 24.
TABLE = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int start = argc > 1 ? atoi(argv[1]) : 1, last = START;
    unsigned char *bits = calloc(last / 8 + 1, 1);
    bits[start / 8] |= 1 << start % 8;
    printf("%d\\n", bits[start / 8] != 0);
    return 0;
}
"""
OVERFLOW = (TABLE.replace("START", "start"), TABLE.replace("START", "8"))
NOTHING = "int main(void) { return 0; }"
PLAIN_ONE = "int main(void) {\n#ifndef __SANITIZE_ADDRESS__\nreturn 1;\n#endif\n}"
OVER = "#include <stdlib.h>\nint main(int c, char **v) { char *p = malloc(c); p[c] = 1; return 0; }"
# The one thing in which a forked run differs: there is room for the servers.
ROOM = """
#include <sys/resource.h>
int main(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur % 100 == 64;
}
"""
CLOCK = """
#include <stdio.h>
#include <time.h>
int main(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return printf("%ld\\n", now.tv_nsec) < 0;
}
"""
TEST = TestInput(args=(b"16",))


def replay_of(folder: Path, old: str, new: str) -> NativeReplay:
    for name, text in (("old", old), ("new", new)):
        (folder / f"{name}.c").write_text(text)
    files = ((SourceFile(folder / f"{name}.c"),) for name in ("old", "new"))
    return NativeReplay(ReplayPlan(*files, wall_s=0.3))


def test_an_overflow_in_the_slack_of_its_block_differs_in_sanitized_builds_alone(
    tmp_path: Path,
) -> None:
    with replay_of(tmp_path, *OVERFLOW) as replay:
        if not replay.sanitizers:
            pytest.skip("no sanitizers here")
        seen = [
            observe(TestCase("t1", TEST), replay, style=style)[0] for style in (PLAIN, SANITIZED)
        ]
    assert [each.observed for each in seen] == ["same", "different"]


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (NOTHING, PLAIN_ONE, PLAIN_ALONE),
        (NOTHING, ROOM, HIDDEN),
    ],
    ids=["plain builds", "execve"],
)
def test_what_another_way_of_running_shows_is_a_difference_and_says_so(
    old: str, new: str, note: str, tmp_path: Path
) -> None:
    with replay_of(tmp_path, old, new) as replay:
        seen, pair = observe(TestCase("t1", TEST), replay)
        assert seen.observed == "same"
        found, shown, style = looked_again(seen, pair, replay)
    assert (found.observed, found.notes, found.refused) == ("different", (note,), "")
    assert (shown.old.exit, shown.new.exit) == (0, 1)
    assert (style == PLAIN) == (note == PLAIN_ALONE)


@pytest.mark.parametrize(
    ("old", "new", "fault", "reason"),
    [
        (NOTHING, NOTHING, "", Refusal.ALIKE),
        (NOTHING, NOTHING, "out-of-bounds", Refusal.UNSEEN_FAULT),
        (OVER, OVER, "out-of-bounds", Refusal.BOTH_FAIL),
        (CLOCK, CLOCK, "", Refusal.UNSTABLE),
    ],
    ids=lambda each: each.name if isinstance(each, Refusal) else "",
)
def test_a_prediction_that_no_way_confirms_is_refused_for_a_reason(
    old: str, new: str, fault: str, reason: Refusal, tmp_path: Path
) -> None:
    with replay_of(tmp_path, old, new) as replay:
        seen, pair = observe(TestCase("t1", TEST, fault=fault), replay)
        found, _, _ = looked_again(seen, pair, replay)
    assert (found.observed, found.refused) == ("same", reason.value)
