"""What a function leaves in its caller's objects is compared when it comes back, and only then.

Both versions write something else and then end alike: natively the difference is seen exactly where
the caller gets to see it, and so it is predicted.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest

HEAD = "#include <stdlib.h>\n#include <assert.h>\n"
ROWS = [
    ("return 0;", True),
    ("return x;", True),
    ("exit(3);", False),
    ("abort();", False),
    ("assert(x == 1000);", False),
    ("return *(volatile int *)0;", False),
    ("return 7 / (x - x);", False),
    ("free(out); free(out); return 0;", False),
    ("return out[9 + (x & 1)];", False),
]


@pytest.mark.parametrize(("end", "seen"), ROWS, ids=[end for end, _ in ROWS])
def test_seen_by_a_caller_that_is_still_there(tmp_path: Path, end: str, seen: bool) -> None:
    for name, value in (("old", "x + 1"), ("new", "x + 2")):
        text = f"{HEAD}int f(int *out, int x)\n{{\n    *out = {value};\n    {end}\n}}\n"
        (tmp_path / f"{name}.c").write_text(text)
    words = ("--entry", "f", "--range", "x=5..6", "--array-len", "4", "--time", "10")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    report = done.report
    assert report["counters"]["mispredicted"] == 0
    assert (report["verdict"] == "different") is seen
