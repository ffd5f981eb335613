"""The sign and the payload of a NaN are the processor's: decisions by them are predicted.

    double c = a + b;  u = bits of c;  u & 0xfff == 0xabc       a = nan("0xabc")

The first operand's NaN stays, as a quiet one; a new NaN has its sign set; conversions keep the high
bits of the payload.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest
from tests.nightly import every

COMPUTED = {
    "given": "c = a;",
    "a sum": "c = a + b;",
    "a product with a constant": "c = 3.0 * b;",
    "a quotient": "c = b / a;",
    "negated": "c = -b;",
    "a long double between": "long double l = a; c = l;",
    "a long double computed": "long double l = a; c = l * 3;",
    "a float between": "float s = a; c = s;",
    "a root": "c = __builtin_sqrt(b);",
    "rounded": "c = floor(a);",
}
ASKED = {
    "payload": "(u >> 32 & 0xfff) == 0xabc && c != c",
    "sign": "u >> 63 && c != c",
    "new": "u == 0xfff8000000000000 && a - a == 0 && b - b == 0",
    "signalling": "c != c && !(u >> 51 & 1)",
}
FAMILY = [(computed, asked) for asked in ASKED for computed in COMPUTED]


@pytest.mark.parametrize("member", every(13, FAMILY), ids="-".join)
def test_decisions_by_the_bits_of_a_nan(tmp_path: Path, member: tuple[str, str]) -> None:
    computed, asked = member
    for name, result in (("old", 1), ("new", 2)):
        (tmp_path / f"{name}.c").write_text(
            "#include <math.h>\n#include <string.h>\nint f(double a, double b)\n{\n"
            f"    double c;\n    {COMPUTED[computed]}\n    unsigned long u;\n"
            f"    memcpy(&u, &c, 8);\n    return {ASKED[asked]} ? {result} : 0;\n}}\n"
        )
    words = ("--entry", "f", "--attack", "0", "--time", "8")
    counters = csgtest("build", "old.c", "new.c", *words, folder=tmp_path).report["counters"]
    assert counters["mispredicted"] == counters["branch_mismatches"] == 0
