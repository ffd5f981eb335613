"""The sign and the payload of a NaN are the processor's: decisions by them are predicted.

    double c = a + b;  u = bits of c;  u & 0xfff == 0xabc       a = nan("0xabc")

The first operand's NaN stays, as a quiet one; a new NaN has its sign set; conversions keep the high
bits of the payload. A member is a computation, a question, and a way to the bits.
"""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from tests.command_line import csgtest
from tests.nightly import daily, every

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
    "a difference": "c = a - b;",
    "a sum the other way": "c = b + a;",
    "both products": "c = a * b + b * a;",
    "an absolute value": "c = fabs(a);",
    "the sign of another": "c = copysign(a, b);",
    "the smaller": "c = fmin(a, b);",
    "chosen": "c = a < b ? a : b;",
    "by a helper": "c = same(a);",
    "in a loop": "c = 0; for (int i = 0; i < 3; i++) c += a;",
    "an element": "double t[2] = {a, b}; c = t[a == a];",
    "a member": "struct { float f; double d; } s = {b, a}; c = s.d * s.f;",
    "a float computed": "float s = a; c = s * 2;",
    "a float quotient": "float s = a, t = b; c = s / t;",
    "a long double sum": "long double l = a, m = b; c = l + m;",
    "infinity minus infinity": "double i = a * 1e308 * 1e308; c = i - i + b;",
    "nothing by nothing": "c = (a - a) / (b - b);",
    "an integer between": "long n = a > 1e9 || a != a ? 7 : a; c = n / b;",
    "of a text": 'c = b < 2 ? strtod("-nan", 0) : a;',
    "assigned twice": "c = a; c *= b; c -= a;",
    "a conversion there and back": "long double l = b; float f = l; c = f + a;",
}
ASKED = {
    "payload": "(u >> 32 & 0xfff) == 0xabc && c != c",
    "sign": "u >> 63 && c != c",
    "new": "u == 0xfff8000000000000 && a - a == 0 && b - b == 0",
    "signalling": "c != c && !(u >> 51 & 1)",
    "quiet and negative": "c != c && u >> 63 && (u >> 51 & 1)",
    "low payload": "(u & 0xfff) == 0xdef && c != c",
    "by signbit": "signbit(c) && c != c",
    "the same bits as given": "!memcmp(&c, &a, 8) && c != c",
    "as a float": "bits_of_float(c) >> 10 == 0x1ff955 >> 2 && c != c",
    "some of a hash": "(u * 31 >> 60) == 5 && c != c",
    "in order": "c != c && u > 0xfff8000000000000",
    "as a text": "c != c && text(c)[0] == '-'",
}
READ = {  # how the bits of c come to u
    "copied": "memcpy(&u, &c, 8);",
    "a union": "union { double d; unsigned long u; } both = {c}; u = both.u;",
    "a pointer": "u = *(unsigned long *) &c;",
    "a helper": "u = bits(c);",
    "by bytes": "u = 0; for (int i = 7; i >= 0; i--) u = u << 8 | ((unsigned char *) &c)[i];",
}
HEAD = """\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double same(double d) { return d; }
static unsigned long bits(double d) { unsigned long u; memcpy(&u, &d, sizeof u); return u; }
static unsigned bits_of_float(float f) { unsigned u; memcpy(&u, &f, sizeof u); return u; }
static char *text(double d) { static char t[400]; sprintf(t, "%f", d); return t; }
"""
PLAIN = [(computed, asked, "copied") for asked in [*ASKED][:4] for computed in [*COMPUTED][:10]]
COMPOSED = [each for each in product(COMPUTED, ASKED, READ) if each not in PLAIN]
FAMILY = [*every(13, PLAIN), *daily(random.Random(23).sample(COMPOSED, 160), 0)]


@pytest.mark.parametrize("member", FAMILY, ids="-".join)
def test_decisions_by_the_bits_of_a_nan(tmp_path: Path, member: tuple[str, str, str]) -> None:
    computed, asked, read = member
    for name, result in (("old", 1), ("new", 2)):
        (tmp_path / f"{name}.c").write_text(
            f"{HEAD}int f(double a, double b)\n{{\n"
            f"    double c;\n    {COMPUTED[computed]}\n    unsigned long u;\n"
            f"    {READ[read]}\n    return {ASKED[asked]} ? {result} : 0;\n}}\n"
        )
    words = ("--entry", "f", "--attack", "0", "--time", "8")
    counters = csgtest("build", "old.c", "new.c", *words, folder=tmp_path).report["counters"]
    assert counters["mispredicted"] == counters["branch_mismatches"] == 0


# What fmin and fmax make of a signalling NaN and a number is a NaN, of a quiet one the number.
KINDS = {"double": ("", 51), "float": ("f", 22)}
BETTER = [
    (name, kind, first) for name in ("fmin", "fmax") for kind in KINDS for first in ("1, b", "b, 1")
]
NUMBERS = """\
#include <math.h>
#include <string.h>
int f(KIND b)
{
    unsigned long u = 0;
    memcpy(&u, &b, sizeof b);
    return RESULT;
}
"""


@pytest.mark.parametrize("exact", [False, True], ids=["as of quiet ones", "exact"])
@pytest.mark.parametrize("member", daily(BETTER, 4), ids="-".join)
def test_the_better_of_a_number_and_a_signalling_nan(
    tmp_path: Path, member: tuple[str, str, str], exact: bool
) -> None:
    name, kind, arguments = member
    suffix, quiet = KINDS[kind]
    written = f"b != b && !(u >> {quiet} & 1)" if exact else "0"
    for version, result in (("old", f"isnan({name}{suffix}({arguments}))"), ("new", written)):
        text = NUMBERS.replace("KIND", kind).replace("RESULT", result)
        (tmp_path / f"{version}.c").write_text(text)
    words = ("--entry", "f", "--attack", "0", "--time", "8")
    report = csgtest("build", "old.c", "new.c", *words, folder=tmp_path).report
    assert report["verdict"] == ("equivalent-within-bounds" if exact else "different")
