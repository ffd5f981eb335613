"""Pointers that are compared as bytes or as numbers: a caller may pass one object for both, and no
test does. And memory that may hold a pointer and holds numbers, which says nothing of addresses."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.nightly import every

HEAD = """\
#include <string.h>
#include <strings.h>
struct pair { long kind; const int *one, *other; };
union word { const int *p; unsigned long n; unsigned char b[8]; };
const int nil = 7;
"""
# Whether ``A`` and ``B`` are one pointer.
WAYS = {
    "memcmp": "const int *a = A, *b = B; int one = memcmp(&a, &b, sizeof a) == 0;",
    "bcmp": "const int *a = A, *b = B; int one = bcmp(&a, &b, sizeof a) == 0;",
    "numbers": "union word a = {A}, b = {B}; int one = a.n == b.n;",
    "bytes": "const int *a = A, *b = B; int one = 1; for (unsigned i = 0; i < sizeof a; i++)"
    " one &= ((unsigned char *) &a)[i] == ((unsigned char *) &b)[i];",
    "halves": "const int *a = A, *b = B; int one = ((int *) &a)[0] == ((int *) &b)[0]"
    " && ((int *) &a)[1] == ((int *) &b)[1];",
    "structures": "struct pair a = {1, A, A}, b = {1, B, B}; int one = !memcmp(&a, &b, sizeof a);",
}
PLACES = {
    "two parameters": ("const int *p, const int *q", "p", "q", "*p + *q"),
    "a public object": ("const int *p", "p", "&nil", "*p + nil"),
    "members": ("const struct pair *s", "s->one", "s->other", "*s->one + *s->other"),
}


@pytest.mark.parametrize("case", every(4, [*product(WAYS, PLACES)]), ids="-".join)
def test_one_object_for_both_is_not_left_out(case: tuple[str, str], tmp_path: Path) -> None:
    way, place = case
    parameters, one, other, value = PLACES[place]
    text = WAYS[way].replace("A", one).replace("B", other)
    text = f"{HEAD}int f({parameters}) {{ int sum = {value}; {text} return one ? RESULT : sum; }}\n"
    write_versions(tmp_path, text.replace("RESULT", "1001"), text.replace("RESULT", "1002"))
    words = ("--entry", "f", "--time", "10", "--attack", "0", "--no-replay")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.reasons & {"addresses", "unconfirmed"}, done


NUMBERS = {
    "a tagged union": "struct { int tag; union word w; } v = {x & 1, {.n = (unsigned) x}};"
    " return v.tag ? RESULT : (int) v.w.n;",
    "beside a pointer": "struct pair t[2] = {{x, 0, 0}, {2, 0, 0}}; t[x & 1].one = &nil;"
    " return t[x & 1].kind == 2 ? RESULT : 0;",
    "texts": 'struct { char name[8]; const int *p; } s = {"ab", &nil}; char *c = s.name;'
    " while (*c && *c != (char) x) c++; return *c == 'b' ? RESULT : 1;",
    "two small numbers": "struct { int a, b; } s = {x, 3}, t = {2, 3};"
    " return memcmp(&s, &t, sizeof s) ? 0 : RESULT;",
}


@pytest.mark.parametrize("body", every(2, NUMBERS))
def test_numbers_beside_pointers_are_numbers(body: str, tmp_path: Path) -> None:
    text = f"{HEAD}int f(int x) {{ {NUMBERS[body]} }}\n"
    write_versions(tmp_path, text.replace("RESULT", "x + 1"), text.replace("RESULT", "x - 5 + 6"))
    words = ("--entry", "f", "--time", "20", "--attack", "0")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.report["verdict"] == "equivalent-within-bounds", done
