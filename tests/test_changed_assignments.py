"""A changed value that is stored where another side effect says: ``b[n++] = x``.

    if (c * 3 == 30045) b[n++] = x;     |     if (c * 3 == 30045) b[n++] = x + 1;

No random input passes the guard, so that the search has to know that something changed.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.command_line import build_edited
from tests.nightly import every

TARGETS = ("b[n++]", "*p++", "*at(b)", "b[count()]", "(p++)[1]", "b[n += 2]", "*(n++, p)")
VALUES = (
    "⟨x | x + 1⟩",
    "⟨x | -x - 1⟩",
    "⟨b[3] + x | x + 2⟩",
    "⟨x | x == 77 ? 1 : x⟩",
    "⟨count() + x | x⟩",
    "(n++, ⟨x | x ^ 4⟩)",
)
_TEXT = """
static int counted;
static int count(void) { return ++counted & 3; }
static int *at(int *b) { return b + count(); }
int f(int c, int x)
{
    int b[4] = { 0 }, n = 0, *p = b;
    counted = 0;
    if (c * 3 == 30045)
        TARGET = VALUE;
    return b[0] + 3 * b[1] + 9 * b[2] + 27 * b[3] + n + (int) (p - b);
}
"""


@pytest.mark.parametrize("case", every(5, [" = ".join(e) for e in product(TARGETS, VALUES)]))
def test_a_changed_value_is_a_difference(case: str, tmp_path: Path) -> None:
    target, _, value = case.partition(" = ")
    text = _TEXT.replace("TARGET", target).replace("VALUE", value)
    done = build_edited(tmp_path, text)
    assert (done.code, done.report["verdict"]) == (1, "different"), done.out
    assert "10015" in done.out, done.out
