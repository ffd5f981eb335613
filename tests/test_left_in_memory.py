"""What a function leaves in its caller's objects is compared when it comes back, and only then.

Both versions write something else and then end alike: natively the difference is seen exactly where
the caller gets to see it, and so it is predicted.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.command_line import csgtest
from tests.nightly import every

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


MOVED = """\
struct text {{ int size; char *data; }};
{0}static struct text all[2] = {{ {{ -__LINE__, "a" }}, {{ 1, "b" }} }};
int f(int x, int y)
{{{1}
    static int last = __LINE__;
    struct text *p = &all[x & 1];
    if (x == 7)
        p->size = y;
    if (x == 9)
        last = y;
    return p->data[0] + (x > {2}) + (last == y);
}}
"""


@pytest.mark.parametrize(("file", "function"), [("\n\n", ""), ("", "\n"), ("\n", "\n")])
def test_an_object_that_begins_with_its_line_is_not_compared(
    tmp_path: Path, file: str, function: str
) -> None:
    """Else no call would do the same in both versions, and its real difference would be lost."""
    (tmp_path / "old.c").write_text(MOVED.format("", "", 70))
    (tmp_path / "new.c").write_text(MOVED.format(file, function, 71))
    words = ("--entry", "f", "--range", "y=1000..1001", "--time", "10")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    report = done.report
    assert report["counters"]["mispredicted"] == 0
    assert {each["input"]["parameters"]["x"] for each in done.differing} == {71}
    assert len(report["groups"]) == 1 and "it begins with the number of its line" in done.out


POINTERS = {
    "a number of the input": "(void *) (long) (x | 1)",
    "a small number": "(void *) 2",
    "a large number": "(void *) 0x7654321",
    "no address": "(void *) -1",
    "an object": "(void *) &a[0]",
    "another object": "(void *) &a[1]",
    "a function": "(void *) f",
    "null": "(void *) 0",
}
HOLDERS = {
    "a member": "struct s {{ void *p; int n; }}; void f(struct s *s, int x) {{ s->p = {}; }}",
    "a member for a text": "struct s {{ char *p; }}; void f(struct s *s, int x) {{ s->p = {}; }}",
    "a union": "union s {{ int *p; long n; }}; void f(union s *s, int x) {{ s->p = {}; }}",
    "a result": "void *f(int x) {{ return {}; }}",
    "an object": "void *p; void f(int x) {{ p = {}; }}",
}
CYCLE = [*POINTERS, next(iter(POINTERS))]
LEFT = [(*pair, holder) for holder in HOLDERS for pair in pairwise(CYCLE)]


@pytest.mark.parametrize("left", every(9, LEFT), ids="-".join)
def test_pointers_are_told_apart_as_natively(tmp_path: Path, left: tuple[str, str, str]) -> None:
    """Numbers in place of pointers count as numbers, the rest by what they lead to."""
    one, other, holder = left
    both = POINTERS[one], f"(x == 42 ? {POINTERS[other]} : {POINTERS[one]})"
    for name, value in zip(("old", "new"), both, strict=True):
        text = f"static int a[2] = {{{{1, 2}}}};\n{HOLDERS[holder].format(value)}\n"
        (tmp_path / f"{name}.c").write_text(text + "int *give(int n) { return &a[n & 1]; }\n")
    words = ("--entry", "f", "--attack", "0", "--time", "10")
    report = csgtest("build", "old.c", "new.c", *words, folder=tmp_path).report
    assert report["counters"]["mispredicted"] == report["counters"]["branch_mismatches"] == 0
    assert report["verdict"] == "different"
