"""Make programs that show which expressions gcc computes at -O0 otherwise than a processor would.

    program(["least % -1", "(int) 1e10"])      prints each as a number
    expressions(3, 40)                         of a seed; ``mutation``: some operands are others

An operand is a constant or a variable that holds the same: gcc knows the one and not the other.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

_HEAD = """\
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static struct { int m; } s;
static int a[3];
static unsigned long bits(double d) { unsigned long u; memcpy(&u, &d, 8); return u; }
"""
_VARIABLES = """\
    int z = 0, one = 1, minus = -1, least = INT_MIN, x = 7, many = 33, *p = &z;
    unsigned u = 0, v = 3;
    long l = LONG_MIN, w = -1;
    char c = 0;
    double d = 1.0, e = -1.0, f = 0.0, g = -0.0, h = 2.5, big = 1e10, n = z, q;
    unsigned long pattern = 0x7ff0000000000001;
    char text[] = "ab", digit = '5';
    n /= n;
    memcpy(&q, &pattern, 8);
"""
_TRAPPING = """\
static sigjmp_buf back;
static void caught(int number) { siglongjmp(back, number); }
"""
_INTEGERS = (
    "z", "one", "minus", "least", "x", "u", "v", "l", "w", "c", "*p", "s.m", "a[1]", "a[z]",
    "(z + 1)", "-x", "0", "1", "-1", "5", "(1 - 2)", "0u", "INT_MIN", "1l",
)  # fmt: skip
_NANS = ("n", "q", "-n", "-q")
_NUMBERS = ("d", "e", "f", "g", "h", "1.0", "-1.0", "0.0", "-0.0", "2.5", "1", "-1", "-h", "-d")
_TYPES = ("int", "unsigned", "long", "unsigned long", "short", "unsigned char", "signed char")
_LARGE = ("1e10", "big", "-1.0", "e", "300.75", "-1000.5", "1e10 * 2", "-1e30", "1e10f", "2.5",
          "h", "1e10 - big", "4294967295.5")  # fmt: skip
_TEXTS = ('"ab"', '"cd"', '""', "text", '"xab" + 1')
_CLASSES = ("isdigit", "isalpha", "isspace", "isxdigit", "ispunct", "tolower", "toupper", "isascii")


def expressions(seed: int, count: int, mutation: int = 0) -> list[str]:
    """Expressions of numbers; with a ``mutation`` some have other operands."""
    return [_expression(seed, number, mutation) for number in range(count)]


def _expression(seed: int, number: int, mutation: int) -> str:
    shape = random.Random(f"{seed} {number}")
    kind = shape.choice((_integer, _integer, _integer, _float, _float, _conversion, _shift, _call))
    operator = shape.random()
    operands = random.Random(f"{seed} {number}")
    if mutation and shape.random() < 0.5:
        operands = random.Random(f"{seed} {number} {mutation}")
    return kind(operator, operands)


def _integer(operator: float, operands: random.Random) -> str:
    one, other = (operands.choice(_INTEGERS) for _ in range(2))
    match int(operator * 12):
        case 0 | 1 | 2 | 3:
            return f"{one} % {other}"
        case 4 | 5 | 6:
            return f"{one} / {other}"
        case 7:
            return f"{one} / {one}" if operator < 0.625 else f"{one} % {one}"
        case 8:
            return f"({{ int y = x; y %= {other}; y; }})"
        case 9:
            return f"({{ int y = z; y /= {other if operator < 0.8 else 'y'}; y; }})"
        case 10:
            return f"0 * ({one} / {other})"
        case _:
            return f"({one} % {other}) & 0"


def _float(operator: float, operands: random.Random) -> str:
    one, other = operands.choice(_NANS), operands.choice(_NUMBERS)
    if operands.random() < 0.3:
        one, other = other, one
    return f"bits({one} {'+-*/'[int(operator * 4)]} {other})"


def _conversion(operator: float, operands: random.Random) -> str:
    return f"({_TYPES[int(operator * len(_TYPES))]}) ({operands.choice(_LARGE)})"


def _shift(operator: float, operands: random.Random) -> str:
    word = "<<" if operator < 0.5 else ">>"
    return (
        f"{operands.choice(('1', 'one', '-1', 'v', '1l'))} {word} {operands.choice(('33', 'many'))}"
    )


def _call(operator: float, operands: random.Random) -> str:
    one, other = (operands.choice(_TEXTS) for _ in range(2))
    match int(operator * 5):
        case 0:
            return f"strcmp({one}, {other})"
        case 1:
            return f"memcmp({one}, {other}, {operands.choice(('1', 'one'))})"
        case 2 | 3:
            name = _CLASSES[int(operator * 1000) % len(_CLASSES)]
            called = name if operands.random() < 0.5 else f"({name})"
            return f"{called}({operands.choice(('digit', 'x', '65', 'digit + one'))})"
        case _:
            name = operands.choice(("j0", "sin", "exp", "tgamma"))
            return f"bits({name}({operands.choice(('2.5', 'h'))}))"


def program(shown: Sequence[str], trapping: bool = False) -> str:
    """A program that prints the expressions. ``trapping``: it prints "trap" for one that raises
    SIGFPE, and goes on."""
    lines = [f'    printf("%ld\\n", (long) ({each}));' for each in shown]
    if trapping:
        lines = [
            f'    if (sigsetjmp(back, 1)) puts("trap"); else {{{line.strip()}}}' for line in lines
        ]
    main = "int main(void)\n{\n" + ("    signal(SIGFPE, caught);\n" if trapping else "")
    return "\n".join(
        [_HEAD + (_TRAPPING if trapping else "") + main + _VARIABLES, *lines, "    return 0;\n}\n"]
    )
