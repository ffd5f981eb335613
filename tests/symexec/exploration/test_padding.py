"""Padding of the caller's objects: what depends on it is never called equivalent, and what depends
on members alone stays so. gcc's binaries say which pair is which.

    return !memcmp(a, b, 8);  |  return a->c == b->c && a->n == b->n;      differ by padding
    *a = *b; return a->n;     |  int n = b->n; *a = *b; return n;          do not
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.ledger import Verdict
from symexec.options import BuildOptions, InputOptions
from tests.command_line import write_versions
from tests.jobs import finished
from tests.nightly import daily

HEAD = """
#include <stdio.h>
#include <string.h>
#include <unistd.h>
struct two { char c; int n; };
struct bits { unsigned a : 3, b : 4; };
struct both { short s; struct two t; struct bits u; };
static inline unsigned sum(const void *from, size_t size)
{
    const unsigned char *p = from;
    unsigned n = 0;
    while (size--)
        n = n * 31 + *p++;
    return n;
}
int f(struct TAG *a, struct TAG *b)
{
    BODY
}
"""
CALLER = """
int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct TAG a, b;
        memset(&a, i * 85, sizeof a);
        memset(&b, i * 51, sizeof b);
        MEMBERS
        int result = f(&a, &b);
        fflush(stdout);
        printf(" %d %u %u|", result, sum(&a, sizeof a), sum(&b, sizeof b));
    }
}
"""
MEMBERS = {
    "two": "a.c = b.c = 1; a.n = b.n = 2;",
    "bits": "a.a = b.a = 1; a.b = b.b = 2;",
    "both": "a.s = b.s = 7; a.t.c = b.t.c = a.u.a = b.u.a = 1; a.t.n = b.t.n = a.u.b = b.u.b = 2;",
}
DIFFER = [
    ("two", "return !memcmp(a, b, sizeof *a);", "return a->c == b->c && a->n == b->n;"),
    ("two", "*a = *b; return 0;", "a->c = b->c; a->n = b->n; return 0;"),
    ("bits", "return *(char *) a == *(char *) b;", "return a->a == b->a && a->b == b->b;"),
    ("two", "return sum(a, sizeof *a) & 1;", "return (a->c + a->n) & 1;"),
    ("two", "fwrite(a, 2, 1, stdout); return 0;", "putchar(a->c); putchar(0); return 0;"),
    ("both", "return !memcmp(&a->t, &b->t, 8);", "return a->t.c == b->t.c && a->t.n == b->t.n;"),
    ("two", "struct two t = *a; return ((char *) &t)[3];", "return 0;"),
    ("both", "struct both t; memcpy(&t, a, sizeof t); return *(unsigned char *) &t.u >> 7;",
     "return 0;"),
    ("two", "memset(a, 0, sizeof *a); return 0;", "a->c = 0; a->n = 0; return 0;"),
    ("two", "memcpy(a, b, sizeof *a); return 0;", "a->c = b->c; a->n = b->n; return 0;"),
]  # fmt: skip
ALIKE = [
    ("two", "*a = *b; return a->n;", "int n = b->n; *a = *b; return n;"),
    ("bits", "return a->a == b->a && a->b == b->b;", "return !(a->b != b->b || a->a != b->a);"),
    ("two", "*a = *b; return 0;", "memcpy(a, b, sizeof *a); return 0;"),
    ("two", "struct two t = *a; *a = *b; *b = t; return t.c;",
     "struct two t = *b; *b = *a; *a = t; return b->c;"),
    ("bits", "a->a = b->b; return a->a;", "unsigned n = b->b; a->a = n & 7; return n & 7;"),
    ("both", "a->t = b->t; a->u.a++; return a->s;", "a->u.a += 1; a->t = b->t; return a->s;"),
    ("both", "return a->u.b << 4 | a->t.c;", "int n = a->t.c; return n | a->u.b * 16;"),
]  # fmt: skip


def texts(case: tuple[str, str, str]) -> tuple[str, str]:
    tag, old, new = case
    whole = HEAD.replace("TAG", tag)
    return whole.replace("BODY", old), whole.replace("BODY", new)


def shown(folder: Path, tag: str, text: str) -> bytes:
    """What a caller sees natively whose objects have padding that is zero and that is not."""
    file = folder / "caller.c"
    file.write_text(text + CALLER.replace("TAG", tag).replace("MEMBERS", MEMBERS[tag]))
    subprocess.run(["gcc", "-w", "-fwrapv", file, "-o", folder / "caller"], check=True)
    return subprocess.run([folder / "caller"], check=True, capture_output=True).stdout


def verdict(folder: Path, old: str, new: str) -> Verdict:
    files = write_versions(folder, old, new)
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False)))
    assert job.mispredicted == []
    return job.verdict


@pytest.mark.parametrize("case", daily(DIFFER, 3), ids=lambda case: case[1])
def test_what_depends_on_padding_is_left_out(case: tuple[str, str, str], tmp_path: Path) -> None:
    old, new = texts(case)
    assert shown(tmp_path, case[0], old) != shown(tmp_path, case[0], new)
    assert verdict(tmp_path, old, new) is Verdict.NO_DIFFERENCE_FOUND


@pytest.mark.parametrize("case", daily(ALIKE, 3), ids=lambda case: case[1])
def test_copies_of_padding_are_no_difference(case: tuple[str, str, str], tmp_path: Path) -> None:
    old, new = texts(case)
    assert shown(tmp_path, case[0], old) == shown(tmp_path, case[0], new)
    assert verdict(tmp_path, old, new) is Verdict.EQUIVALENT_WITHIN_BOUNDS
