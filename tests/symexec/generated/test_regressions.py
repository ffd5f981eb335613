"""Pairs that were once misjudged, as small as they get; checked on their whole grid as random ones.

The entry function is always ``int f(signed char a, unsigned char b)``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generators.pairs.tree import Function, Node, Source
from symexec.options import After
from tests.symexec.generated.checking import complaints

PAIRS = {
    "a constant on one side, a term on the other": (
        "int f(signed char a, unsigned char b) { return 0; }",
        "int f(signed char a, unsigned char b) { return a == b; }",
    ),
    "a constant condition and a switch on a constant": (
        "int f(signed char a, unsigned char b) { switch (1 + 1) { case 2: a++; } return a; }",
        "int f(signed char a, unsigned char b) { switch (1 + 1) { case 2: a--; } return a; }",
    ),
    "a number printed from a term, and from a constant": (
        'int f(signed char a, unsigned char b) { printf("%3d %d\\n", a, b); return 0; }',
        'int f(signed char a, unsigned char b) { printf("%3d %d\\n", 1, b); return 0; }',
    ),
    "a number that is part of a longer text": (
        'int f(signed char a, unsigned char b) { printf("%d%d", a, b); return 0; }',
        'int f(signed char a, unsigned char b) { printf("%d1", a); return 0; }',
    ),
    "a parameter of another type in a function with a copy for each version": (
        "void h(int *p, int n) { *p -= n; } "
        "int f(signed char a, unsigned char b) { int v = b; h(&v, a); return v; }",
        "void h(int *p, short n) { while (n-- > 0) if (*p > 3) *p -= 2; else *p = n ^ 5; } "
        "int f(signed char a, unsigned char b) { int v = b; h(&v, a); return v; }",
    ),
    "a divisor that is the target of its division too": (
        "int f(signed char a, unsigned char b) { int n = b; if (n > 2) n &= 1; n = DIV(9, %, n); "
        "return a; }",
        "int f(signed char a, unsigned char b) { int n = b; if (n > 3) n &= 1; n = DIV(9, %, n); "
        "return a; }",
    ),
    "one version ends the program, the other returns the same number": (
        "int f(signed char a, unsigned char b) { if (a == 2) exit(0); return 0; }",
        "int f(signed char a, unsigned char b) { return 0; }",
    ),
    "an index that goes to the library": (
        'int f(signed char a, unsigned char b) { return a < 0 || a > 2 ? 0 : atoi("-12" + a); }',
        'int f(signed char a, unsigned char b) { return a < 1 || a > 2 ? 0 : atoi("-12" + a); }',
    ),
    "a string compared from an index of its own in each version": (
        'int f(signed char a, unsigned char b) { return strcmp("abab" + (b & 3), "ab"); }',
        'int f(signed char a, unsigned char b) { return strcmp("abab" + (a & 2), "ab"); }',
    ),
}
HEADERS = ["#include <stdlib.h>", "#include <string.h>"]


def written(text: str) -> Source:
    names = re.findall(r"\b(\w+)\([^)]*\) \{", text)
    functions = [Function("int", "f", [], [], Node("block"))]
    ranges = [("a", -3, 5), ("b", 0, 12)]
    return Written([*HEADERS, text], [], functions, ranges, [n for n in names if len(n) == 1])


class Written(Source):
    """Its text is all in the head."""

    @property
    def text(self) -> str:
        whole = Source(self.head, [], [], [])
        return whole.text


@pytest.mark.parametrize("after", After)
@pytest.mark.parametrize("about", PAIRS)
def test_every_input_ends_as_it_does_natively(about: str, after: After, tmp_path: Path) -> None:
    old, new = (written(text) for text in PAIRS[about])
    assert not complaints(old, new, tmp_path, after)
