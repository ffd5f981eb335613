"""Programs whose output shows the order in which operands are evaluated, and pairs of them.

    reset(); show(k + f());          f sets k: 1 + 3 or 2 + 3?
    reset(); t[k] = change(f(), 5);  in the other version the same statement, or one like it

C leaves these orders open (C17 6.5p3), so the truth is what gcc's binary prints at -O0.
"""

from __future__ import annotations

import random
from collections.abc import Callable

PRELUDE = """#include <stdio.h>
struct S { int a, b; short h; unsigned f : 5; signed g : 7; int m[3]; };
static int k, l, t[4]; static long w; static unsigned u; static char c; static short sh;
static struct S s, s2, *q; static int *p;
static void reset(void)
{
    k = 1; l = 2; t[0] = 10; t[1] = 20; t[2] = 30; t[3] = 40; w = 3; u = 2; c = 1; sh = 2;
    s.a = 1; s.b = 2; s.h = 3; s.f = 4; s.g = 5; s.m[0] = 6; s.m[1] = 7; s.m[2] = 8;
    s2 = s; s2.a = 2; s2.b = 9; q = &s; p = t;
}
static int f(void) { k = 2; t[1] = 99; s.a = 2; p = t + 1; q = &s2; return 1; }
static int g(void) { k = 3; l = 0; t[2] = 77; s.f = 9; s.m[1] = 70; u = 3; c = 2; w = 5; return 2; }
static int h(int x) { k = k + x; t[0] = k; l = 1; return x & 1; }
static long fl(void) { k = 0; w = 9; t[0] = 5; return 1; }
static short fs(void) { k = 2; sh = 3; s.h = 9; return 2; }
static int *fp(void) { k = 2; p = t + 2; return t; }
static struct S fst(void)
{
    struct S x = s; k = 2; x.a = 50; s.b = 60; t[1] = 88; return x;
}
static struct S *fsp(void) { k = 2; q = &s2; return &s; }
static int two(int a, int b) { return a * 100 + b; }
static void show(long r)
{
    printf("%ld: %d %d %d %d %d %d %ld %u %d %d", r, k, l, t[0], t[1], t[2], t[3], w, u, c, sh);
    printf(" %d %d %d %d %d %d %d %d", s.a, s.b, s.h, s.f, s.g, s.m[0], s.m[1], s2.a);
    printf(" %d %d\\n", (int) (p - t), q == &s);
}
"""

CHANGED = 0.7  # of the statements of a mutated program
_VALUES = """k|l|t[k]|t[1]|s.a|s.f|s.m[k & 1]|q->a|*p|p[1]|(int) w|c|sh|u|w|(unsigned) k|7
    |*(p + k % 2)|+k|-k|(k + l)|k / 2|!k|x|*&k|(k ? l : 3)
    |k + 1|(l - 1)|(1 - k)|u + 2|w - 1|(sh + 1)|0 - k|k * -1|1 - (k + l)""".replace(
    "\n    ", ""
).split("|")
_EFFECTS = """f()|g()|h(k)|h(l)|(int) fl()|fs()|*fp()|fsp()->a|fst().a|(k = 3)|(l = k + 1)
    |(t[1] = 5)|(f(), k)|(k ? f() : g())|(k && g())|k++|++l|t[k & 1]++|(s.f = 7)|(s.a += 3)
    |({ k = 2; l; })|two(k, f())|two(f(), k)|(f() & 0)|(g() * 0)|(0 * f())|(f() * 1)|(g() % 1)
    |(f(), 0)|(0 & g())|(f() && 0)|(f() ? 1 : 1)|(k ? f() : 0)|(1 ? f() : k)|((f() ^ k) * 0)
    |(g() + 0)|(f() << 0)|(g() / 1)|(1 * k)|(t[1] ^ 0)
    |(l - 0)|(0 + *p)|(fs() > 40000)|(fs() + 0)|(f() + 2)|(2 - g())|(fs() - 1)|(h(k) + k + 1)
    |-f()|g() * -1|(k + 1 + f())|(f() - (k - 1))""".replace("\n    ", "").split("|")
_TARGETS = """k|t[k & 3]|t[l & 3]|s.a|s.f|s.m[k % 3]|q->a|q->f|*p|p[k & 1]|*(p + (k & 1))|t[h(k)]
    |fp()[k & 1]|*fp()|fsp()->a|w|u|c|sh|x""".replace("\n    ", "").split("|")
_OPERATORS = ["+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!="]
_ASSIGNMENTS = ["=", "=", "=", "+=", "-=", "*=", "&=", "|=", "^="]


def _drawn(chance: random.Random) -> str:
    return chance.choice(chance.choice((_VALUES, _EFFECTS)))


class _Statements:
    """``other`` draws one operand of a statement, if it is there; all the rest stays as it is."""

    def __init__(self, chance: random.Random, other: random.Random | None = None) -> None:
        self._chance = chance
        self._other = other
        self._left = other.randrange(3) if other is not None else -1

    def operand(self) -> str:
        known = _drawn(self._chance)
        self._left -= 1
        return _drawn(self._other) if self._other is not None and self._left == -1 else known

    def operation(self) -> str:
        left, right = self.operand(), self.operand()
        return f"{left} {self._chance.choice(_OPERATORS)} {right}"

    def value(self) -> str:
        return self._chance.choice((self.operand, self.operand, self.operation))()

    def assignment(self) -> str:
        target, operator = self._chance.choice(_TARGETS), self._chance.choice(_ASSIGNMENTS)
        return f"{target} {operator} {self.value()}; show(x);"

    def shown(self) -> str:
        return f"show({self.operation()});"

    def call(self) -> str:
        return f"show(two({self.value()}, {self.value()}));"

    def element(self) -> str:
        return f"show(t[({self.value()}) & 3]);"

    def copy(self) -> str:
        to = self._chance.choice(("*q", "*fsp()", "s"))
        source = self._chance.choice(("fst()", "s2", "*fsp()", "(k ? fst() : s2)"))
        return f"{to} = {source}; show(x);"

    def list(self) -> str:
        return f"int z[] = {{ {self.value()}, {self.value()} }}; show(z[0] * 100 + z[1]);"

    def statement(self) -> str:
        forms: list[Callable[[], str]] = [self.assignment] * 3 + [self.shown] * 3
        return self._chance.choice([*forms, self.call, self.element, self.copy, self.list])()


def program(seed: int, count: int = 40, mutation: int | None = None) -> str:
    """A program of ``count`` statements. ``mutation``: of most statements an operand is another
    one, and so may be its place in the order."""
    statements = [_statement(f"order {seed} {at}", mutation) for at in range(count)]
    functions = [
        f"static void case{at}(void) {{ int x = 1; (void) x; {each} }}\n"
        for at, each in enumerate(statements)
    ]
    calls = [f'    reset(); printf("{at} "); case{at}();\n' for at in range(count)]
    return "".join([PRELUDE, *functions, "int main(void)\n{\n", *calls, "    return 0;\n}\n"])


def _statement(seed: str, mutation: int | None) -> str:
    other = None if mutation is None else random.Random(f"{mutation} {seed}")
    changes = other is not None and other.random() < CHANGED
    return _Statements(random.Random(seed), other if changes else None).statement()
