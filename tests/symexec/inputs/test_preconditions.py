"""What both versions expect of callers holds of every input, and hides nothing that a caller who
keeps to it can see."""

from __future__ import annotations

import random
from itertools import islice, product
from pathlib import Path

import pytest

from csg.analysis.preconditions import Precondition, preconditions
from csg.frontend import parse_text
from csg.unify import unify
from symexec.exploration.pinning import Pins
from symexec.exploration.start import definition
from symexec.expr import TermTable
from symexec.fuzzing.candidates import Candidates, FunctionDomain
from symexec.fuzzing.option_table import vocabulary
from symexec.options import InputOptions
from symexec.testcases import TestInput, signature_of
from tests.command_line import Done, csgtest

LOOPS = (  # all of them read the first n elements of a, and no further
    "for (i = 0; i < n; i++) s += a[i];",
    "for (i = n - 1; i + 1 > 0; i--) s = s * 3 + a[i];",
    "KIND *p = a, *end = a + n; while (p < end) s ^= *p++;",
    "KIND *p = a; for (i = 0; i != n; i++) s -= *p++;",
    "unsigned long left = n; KIND *p = a; while (left > 0) { s += *p++; left--; }",
    "s = memcmp(a, a, n * sizeof *a);",
)


def found(old: str, new: str) -> tuple[Precondition, ...]:
    unified = unify(parse_text(old, "old.c"), parse_text(new, "new.c"), "f")
    return preconditions(unified, definition(unified.units, "f"))


@pytest.mark.parametrize("seed", range(12))
def test_every_length_up_to_the_size_is_an_input_and_no_other(seed: int) -> None:
    chance = random.Random(seed)
    kind = chance.choice(("unsigned char", "short", "int", "long", "const char"))
    number = chance.choice(("int", "unsigned", "unsigned long", "short", "unsigned char"))
    before = f"int f({kind} *a, {number} n) {{ int i, s = 0; %s return s; }}"
    old, new = ((before % loop).replace("KIND", kind) for loop in chance.sample(LOOPS, 2))
    unified = unify(parse_text(old, "old.c"), parse_text(new, "new.c"), "f")
    entry = definition(unified.units, "f")
    (each,) = preconditions(unified, entry)
    text = "n <= bytes of a" if "char" in kind else "n <= elements of a"
    assert (each.text, each.location.file) == (text, "new.c")

    options = InputOptions(preconditions=(each,))
    pins = Pins(entry, [], options, TermTable())
    for size, count in product(range(5), range(8)):
        there = bytes(size) if "char" in kind else (0,) * size
        held = size + ("char" in kind)  # the byte that ends a string is there as well
        test = TestInput(parameters=(("a", there), ("n", count)))
        assert pins.admits(test) is (count <= held), test
        assert Pins(entry, [], InputOptions(), TermTable()).admits(test)
    if not number.startswith("unsigned"):
        assert pins.admits(TestInput(parameters=(("a", there), ("n", -1))))

    domain = FunctionDomain(signature_of(entry), vocabulary(*unified.units), options)
    tried = [dict(test.parameters)["n"] for test in islice(Candidates(domain, seed), 400)]
    assert set(range(5)) <= set(tried) and max(tried) <= 5


def test_one_version_alone_says_nothing() -> None:
    """What a change may have made is no precondition."""
    loop = "int f(int *a, int n) { int i, s = 0; for (i = 0; i < n; i++) s += a[i]; return s; }"
    fixed = loop.replace("for", "if (n > 8) return -1; for")
    other = "int f(int *a, int n) { return n; }"
    assert found(loop, loop.replace("+=", "-="))
    for old, new in product((loop, fixed, other), repeat=2):
        if not old == new == loop:
            assert found(old, new) == ()


FORWARDS = "for (i = 0; i < len; i++) if (buf[i] == 'x') { at = i; break; }"
BACKWARDS = "for (i = len; i-- > 0;) if (buf[i] == 'x') at = i;"
BLOCKS = """
    const KIND *p = buf, *end = buf + len;
    while (p < end) { if (*p == 'x' && at == len) at = p - buf; p++; }
"""
PROGRAM = """
#include <stddef.h>
long f(const KIND *buf, size_t len)
{
    size_t i, at = len;
    SEARCH
    return at;
}
"""


def run(folder: Path, kind: str, old: str, new: str, *words: str) -> Done:
    for name, search in (("old.c", old), ("new.c", new)):
        text = PROGRAM.replace("SEARCH", search).replace("KIND", kind)
        (folder / name).write_text(text)
    asked = ("build", "old.c", "new.c", "--entry", "f", "--time", "8", *words)
    return csgtest(*asked, folder=folder)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [("unsigned char", FORWARDS, BACKWARDS), ("int", FORWARDS, BLOCKS)],
)
def test_lengths_that_no_caller_may_pass(tmp_path: Path, kind: str, old: str, new: str) -> None:
    """One version stops at the first x, the other one reads all that it may."""
    done = run(tmp_path, kind, old, new)
    assert (done.code, done.differing) == (0, []), done.out
    (each,) = done.report["preconditions"]
    assert each["text"] == f"len <= {'bytes' if 'char' in kind else 'elements'} of buf"
    assert f"expected of callers: {each['text']} (new.c:" in done.out
    without = run(tmp_path, kind, old, new, "--no-preconditions")
    assert without.code == 1 and "preconditions" in without.report
    assert not without.report["preconditions"] and "expected of callers" not in without.out


@pytest.mark.parametrize("length", [0, 3, 4])
def test_differences_at_any_length_that_is_there(tmp_path: Path, length: int) -> None:
    broken = FORWARDS + f" if (len == {length}) return 77;"
    done = run(tmp_path, "int", FORWARDS, broken, "--no-native")
    assert done.code == 1 and len(done.report["preconditions"]) == 1
    assert {each["input"]["parameters"]["len"] for each in done.differing} == {length}


def test_reading_one_element_too_many_is_found(tmp_path: Path) -> None:
    """The length may be all that there is, so what lies behind it is not there."""
    done = run(tmp_path, "unsigned char", FORWARDS, FORWARDS.replace("i < len", "i <= len"))
    assert len(done.report["preconditions"]) == 1
    assert "regression" in {each["class"] for each in done.report["groups"]}
