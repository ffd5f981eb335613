"""A version that is cut off where the other one ends is given more time before it is called
endless; limits are of processor time, whoever else uses the machine."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from csg.programs import SourceFile
from symexec.classification import decided, observe
from symexec.replay import NativeReplay, ReplayPlan
from symexec.testcases import TestCase, TestInput

QUICK = "int main(int argc, char **argv) { return 3; }"
# For a time: about as long again as the limit of these tests.
SLOW = """
#include <time.h>
int main(int argc, char **argv)
{
    while (clock() < CLOCKS_PER_SEC * 3 / 10)
        ;
    return RESULT;
}
"""
# Its state never repeats.
COUNTS = """
int main(int argc, char **argv)
{
    volatile unsigned long n = 0;
    for (;;)
        n += 1;
}
"""
WAITS = "#include <unistd.h>\nint main(int argc, char **argv) { for (;;) pause(); }"
WRITES = '#include <stdio.h>\nint main(int argc, char **argv) { for (;;) puts("and so on"); }'
CROWD = """
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0)
            for (;;)
                ;
    while (clock() < CLOCKS_PER_SEC / 16)
        ;
    return 3;
}
"""


def _judged(
    folder: Path, old: str, new: str, until: float = math.inf, endless: bool = False
) -> TestCase:
    files = folder / "old.c", folder / "new.c"
    for file, text in zip(files, (old, new), strict=True):
        file.write_text(text)
    plan = ReplayPlan(*((SourceFile(file),) for file in files), wall_s=0.15, without_walls=True)
    with NativeReplay(plan) as replay:
        seen, pair = observe(TestCase("t1", TestInput(), endless=endless), replay)
        return decided(seen, pair, replay, until)[0]


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (QUICK, SLOW.replace("RESULT", "3"), "slower"),
        (SLOW.replace("RESULT", "3"), QUICK, "slower"),
        (QUICK, SLOW.replace("RESULT", "4"), "difference"),
        (QUICK, COUNTS, "hang"),
        (COUNTS, QUICK, "hang-fix"),
        (QUICK, WAITS, "hang"),
        (QUICK, WRITES, "hang"),
        (QUICK, CROWD, "path-only"),
        (COUNTS, WAITS, "timeout"),
    ],
)
def test_what_was_cut_off_gets_more_time(tmp_path: Path, old: str, new: str, kind: str) -> None:
    found = _judged(tmp_path, old, new)
    assert found.kind == kind
    assert len(found.notes) == (2 if kind in ("slower", "difference", "hang", "hang-fix") else 0)


def test_without_time_nothing_is_decided_and_the_test_stays_a_difference(tmp_path: Path) -> None:
    found = _judged(tmp_path, QUICK, COUNTS, until=time.monotonic())
    assert (found.kind, found.observed) == ("undecided", "different")


def test_a_proof_that_the_state_repeats_needs_no_time(tmp_path: Path) -> None:
    found = _judged(tmp_path, QUICK, COUNTS, until=time.monotonic(), endless=True)
    assert (found.kind, found.notes) == ("hang", ())
