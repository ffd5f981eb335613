"""What a function leaves in its caller's objects is compared when it comes back, and only then.

Both versions write something else and then end alike: natively the difference is seen exactly where
the caller gets to see it, and so it is predicted.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.nightly import daily, every

HEAD = "".join(f"#include <{name}.h>\n" for name in ("assert", "signal", "stdio", "stdlib"))
HEAD += "#include <string.h>\n#include <unistd.h>\nint left;\nstruct pair { int a, b; };\n"
HEAD += 'static void show(void) { printf("%d", left); }\n'
HEAD += "static void put(int *to, int value) { *to = value; }\n"
ENDS = {  # the last statements, and whether the caller sees what was left
    "return 0;": True,
    "return x;": True,
    "exit(3);": False,
    "abort();": False,
    "assert(x == 1000);": False,
    "return *(volatile int *)0;": False,
    "return 7 / (x - x);": False,
    "free(out); free(out); return 0;": False,
    "return out[9 + (x & 1)];": False,
    "_exit(4);": False,
    "raise(SIGKILL);": False,
    "__builtin_trap();": False,
    "if (x == 6) exit(2); return 1;": True,
    "if (x == 5 || x == 6) exit(2); return 1;": False,
    'puts("end"); return 0;': True,
    "fclose(stdout); exit(5);": False,
    "atexit(show); exit(3);": False,
}
BEYOND = "return out[9 + (x & 1)];"  # goes well natively, as the caller's array is in the heap
STORES = (  # V is the value
    "*out = V;",
    "out[1] = V;",
    "put(out, V);",
    "for (int i = 0; i < 3; i++) out[i] = V;",
    "int v = V; memcpy(out + 1, &v, sizeof v);",
    "left = V;",
    "put(&left, V);",
    "((struct pair *) out)->b = V;",
    "*(short *) out = V;",
    "left = V; *out = V;",
    "out[x & 1] = V;",
)
SHOWN = "atexit(show); exit(3);"  # the program itself shows what is left in an object
ROWS = [("*out = V;", end) for end in [*ENDS][:9]]
ROWS += random.Random(17).sample(
    [each for each in product(STORES, ENDS) if each not in ROWS], 60 - len(ROWS)
)
CALLER = """
int main(int argc, char **argv)
{
    int *out = calloc(4, sizeof *out);
    int result = f(out, 5 + (argc > 1));
    printf(" %d %d %d %d %d %d", result, left, out[0], out[1], out[2], out[3]);
    return 0;
}
"""


def caller_sees(folder: Path, texts: Sequence[str]) -> bool:
    """Do the versions, as gcc compiles them, show a caller different things?"""
    seen = []
    for text in texts:
        (folder / "whole.c").write_text(text + CALLER)
        subprocess.run(["gcc", "-w", "-fwrapv", "whole.c", "-o", "whole"], cwd=folder, check=True)
        runs = (
            subprocess.run(["./whole", *more], cwd=folder, check=False, capture_output=True)
            for more in ([], ["6"])
        )
        seen.append([(run.returncode, run.stdout) for run in runs])
    return seen[0] != seen[1]


@pytest.mark.parametrize("row", daily(ROWS, 9), ids=" ".join)
def test_seen_by_a_caller_that_is_still_there(tmp_path: Path, row: tuple[str, str]) -> None:
    store, end = row
    seen = ENDS[end] or (end == SHOWN and "left" in store)
    texts = [
        f"{HEAD}int f(int *out, int x)\n{{\n    {store.replace('V', value)}\n    {end}\n}}\n"
        for value in ("x + 1", "x + 2")
    ]
    write_versions(tmp_path, *texts)
    if end != BEYOND:
        assert caller_sees(tmp_path, texts) is seen
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
    "a text": '(void *) "ab"',
    "another text": '(void *) "cd"',
    "another function": "(void *) give",
    "a negative number": "(void *) (long) -x",
    "a computed number": "(void *) (x * 8l + 4096)",
    "a longer array": "(void *) b",
}
HOLDERS = {
    "a member": "struct s {{ void *p; int n; }}; void f(struct s *s, int x) {{ s->p = {}; }}",
    "a member for a text": "struct s {{ char *p; }}; void f(struct s *s, int x) {{ s->p = {}; }}",
    "a union": "union s {{ int *p; long n; }}; void f(union s *s, int x) {{ s->p = {}; }}",
    "a result": "void *f(int x) {{ return {}; }}",
    "an object": "void *p; void f(int x) {{ p = {}; }}",
    "an array": "void f(void *p[2], int x) {{ p[1] = {}; }}",
    "an array in a member": "struct s {{ int n; void *p[2]; }}; void f(struct s *s, int x)"
    " {{ s->p[1] = {}; }}",
    "a member in a member": "struct s {{ struct {{ int n; void *p; }} in; }}; void f(struct s *s,"
    " int x) {{ s->in.p = {}; }}",
    "a place for a result": "int f(void **p, int x) {{ *p = {}; return 0; }}",
    "a structure as a result": "struct s {{ int n; void *p; }}; struct s f(int x)"
    " {{ struct s s = {{1, 0}}; s.p = {}; return s; }}",
    "a member by a helper": "struct s {{ void *p; int n; }}; static void put(struct s *s, void *p)"
    " {{ s->p = p; }} void f(struct s *s, int x) {{ put(s, {}); }}",
    "an object with members": "struct {{ int n; void *p; }} kept; void f(int x) {{ kept.p = {}; }}",
    "a copied member": "struct s {{ long n; void *p; }}; void f(struct s *s, int x)"
    " {{ void *p = {}; memcpy(&s->p, &p, sizeof p); }}",
}
CYCLE = [*[*POINTERS][:8], next(iter(POINTERS))]
LEFT = [(*pair, holder) for holder in [*HOLDERS][:5] for pair in pairwise(CYCLE)]
# But two texts behind a void *, which the search compares, and of which a test shows "elsewhere".
COMPOSED = [
    (one, other, holder)
    for one, other, holder in product(POINTERS, POINTERS, HOLDERS)
    if one != other and (one, other, holder) not in LEFT and not ("text" in one and "text" in other)
]
LEFT += random.Random(19).sample(COMPOSED, 150 - len(LEFT))


HELD = "#include <string.h>\nstatic int a[2] = {1, 2}, b[3] = {4, 5, 6};\nint *give(int n);\n"


@pytest.mark.parametrize("left", every(30, LEFT), ids="-".join)
def test_pointers_are_told_apart_as_natively(tmp_path: Path, left: tuple[str, str, str]) -> None:
    """Numbers in place of pointers count as numbers, the rest by what they lead to."""
    one, other, holder = left
    both = POINTERS[one], f"(x == 42 ? {POINTERS[other]} : {POINTERS[one]})"
    for name, value in zip(("old", "new"), both, strict=True):
        text = f"{HELD}{HOLDERS[holder].format(value)}\n"
        (tmp_path / f"{name}.c").write_text(text + "int *give(int n) { return &a[n & 1]; }\n")
    words = ("--entry", "f", "--attack", "0", "--time", "10")
    report = csgtest("build", "old.c", "new.c", *words, folder=tmp_path).report
    assert report["counters"]["mispredicted"] == report["counters"]["branch_mismatches"] == 0
    assert report["verdict"] == "different"
