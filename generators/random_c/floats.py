"""Floating numbers: conversions among all arithmetic types, rounding functions, formats.

float x = 0.1f; long double y = x * 3; printf("%.17Lg", y); (unsigned char) y
"""

from __future__ import annotations

from generators.random_c.expressions import TO_INTEGER, Object, Scope
from generators.random_c.printing import show
from generators.random_c.source import Source
from generators.random_c.statements import Statements
from generators.random_c.types import DOUBLE, FLOATINGS, INT, Array, Floating, declaration
from generators.random_c.values import initialiser

_ONE = ("fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "sqrt")
_TWO = ("fmax", "fmin", "copysign")
_SPECIAL = ("INFINITY", "-INFINITY", "0.0", "-0.0", "5e-324", "1.7976931348623157e308", "1e-310")


def floats(source: Source, scope: Scope) -> None:
    inner = scope.inner()
    for _ in range(2):
        kind = Array(source.choose(FLOATINGS), 4)
        name = source.name("a")
        source.write(f"static {declaration(kind, name)} = {initialiser(source, kind)};")
        inner.objects.append(Object(name, kind))
    source.write("")
    with source.unit("floats"):
        write = Statements(source, inner, loops=2, depth=2)
        for _ in range(3):
            write.local(source.choose(FLOATINGS))
        for _ in range(source.between(6, 10)):
            match source.below(7):
                case 0:
                    _function(source, write)
                case 1:
                    _converted(source, write)
                case 2:
                    _special(source, write)
                case 3:
                    _sum(source, write)
                case 4:
                    _tested(source, write)
                case _:
                    write.several(1, 3, 2)


def _suffix(kind: Floating) -> str:
    return {"f": "f", "L": "l"}.get(kind.suffix, "")


def _function(source: Source, write: Statements) -> None:
    kind = source.choose(FLOATINGS)
    name = source.name("y")
    if source.maybe(60):
        call = f"{source.choose(_ONE)}{_suffix(kind)}({write.expressions.floating(1)})"
    else:
        first, second = (write.expressions.floating(1) for _ in range(2))
        function = source.choose(_TWO)
        if function == "copysign":  # the sign of a NaN is the compiler's
            second = write.expressions.finite(kind)
        call = f"{function}{_suffix(kind)}({first}, {second})"
    source.write(f"{declaration(kind, name)} = {call};", show(source, kind, name))
    write.scope.objects.append(Object(name, kind))


def _converted(source: Source, write: Statements) -> None:
    value, kind = write.expressions.floating(1), source.choose(FLOATINGS)
    name = source.name("y")
    source.write(f"{declaration(kind, name)} = {value};")
    for function, integer, *_ in source.random.sample(TO_INTEGER, 2):
        letter = "u" if integer.startswith("unsigned") else "d"
        source.write(f'printf("%{"l" if "long" in integer else ""}{letter} ", {function}({name}));')
    back = write.expressions.integer(1)
    source.write(show(source, kind, f"({kind.name}) ({back})"))


def _special(source: Source, write: Statements) -> None:
    name, kind = source.name("z"), source.choose(FLOATINGS)
    source.write(f"volatile {declaration(kind, name)} = {source.choose(_SPECIAL)};")
    source.write(show(source, kind, name), show(source, kind, f"-{name}"))
    source.write(show(source, kind, f"{name} * {write.expressions.floating(0)}"))
    source.write(show(source, kind, f"1 / {name}"))


def _sum(source: Source, write: Statements) -> None:
    kind, total = source.choose(FLOATINGS), source.name("sum")
    step = write.expressions.finite(source.choose(FLOATINGS))
    source.write(f"{declaration(kind, total)} = 0;")
    source.write(
        f"for (int i = 1; i < {source.between(3, 30)}; i++)",
        f"    {total} += {step} {source.choose(('/', '*'))} i;",
    )
    source.write(show(source, kind, total))
    write.scope.objects.append(Object(total, kind))


def _tested(source: Source, write: Statements) -> None:
    left, right = (write.expressions.floating(1) for _ in range(2))
    whole = source.name("h")
    source.write(f"double {whole} = {left};")
    source.write(
        f'printf("%d%d%d%d\\n", {whole} < {right}, {whole} == {whole}, !{whole}, {whole} && 1);'
    )
    source.write(f'printf("%d%d%d\\n", !!isnan({whole}), !!isinf({whole}), !!isfinite({whole}));')
    rest = source.name("h")
    source.write(
        f"double {rest}; double whole{rest} = modf({write.expressions.finite(DOUBLE)}, &{rest});"
    )
    source.write(f'printf("%g %g\\n", {rest}, whole{rest});')
    write.scope.objects.append(Object(whole, DOUBLE))


__all__ = ["INT", "floats"]
