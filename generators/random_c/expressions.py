"""Expressions without side effects that are defined whatever their operands are.

scope: int a[4]; unsigned char b;
integer(2)      ->  ((a[b & 3] << (b & 31)) - -7L)
floating(1)     ->  (b * 0.5f)

A shift count is masked, a divisor is never 0 nor -1, an index is masked or reduced, and a floating
number becomes an integer through a function that looks at its range first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.records import record
from generators.random_c.source import Source
from generators.random_c.types import (
    FLOATINGS,
    INT,
    INTEGERS,
    SCALARS,
    Array,
    Floating,
    Integer,
    Pointer,
    Record,
    Scalar,
    Type,
    declaration,
)
from generators.random_c.values import fraction, literal

# name, C type, exclusive bounds of what is converted
TO_INTEGER = (
    ("to_char", "signed char", "-129.0", "128.0"),
    ("to_int", "int", "-2147483649.0", "2147483648.0"),
    ("to_unsigned", "unsigned", "-1.0", "4294967296.0"),
    ("to_long", "long", "-9223372036854774000.0", "9223372036854774000.0"),
    ("to_unsigned_long", "unsigned long", "-1.0", "18446744073709551616.0"),
)


@record
class Object:
    """Something with a name in scope. ``fixed``: not to be written."""

    text: str
    type: Type
    fixed: bool = False


@record
class Place:
    """An lvalue of scalar type. ``exact``: a floating value that must not become NaN, since
    something else can see its bits."""

    text: str
    type: Scalar
    bit_field: bool = False
    exact: bool = False


@record
class Pure:
    """A function that reads its arguments only."""

    name: str
    parameters: tuple[Scalar, ...]
    result: Scalar


@dataclass
class Scope:
    objects: list[Object] = field(default_factory=list)
    pure: list[Pure] = field(default_factory=list)

    def inner(self) -> Scope:
        return Scope(self.objects.copy(), self.pure)


class Expressions:
    def __init__(self, source: Source, scope: Scope) -> None:
        self.source = source
        self.scope = scope

    # ------------------------------------------------------------------ places

    def place(self, wanted: type[Integer] | type[Floating], write: bool = False) -> Place | None:
        """A random lvalue of an integer or floating type, if one turns up."""
        for _ in range(6):
            if not self.scope.objects:
                return None
            item = self.source.choose(self.scope.objects)
            if write and item.fixed:
                continue
            found = self.inside(item.text, item.type)
            if isinstance(found.type, wanted):
                return found
        return None

    def inside(self, text: str, kind: Type) -> Place:
        """Go down from an object to a scalar."""
        exact = bit_field = False
        while True:
            match kind:
                case Array(element=element, length=length):
                    text, kind = f"{text}[{self.index(length)}]", element
                case Pointer(target=target):
                    text, kind = self._pointed(text, target)
                case Record(members=members):
                    exact = exact or kind.is_union
                    member = self.source.choose([each for each in members if each.name])
                    bit_field = member.width is not None
                    text, kind = self._member(text, member.name), member.type
                case _:
                    return Place(text, kind, bit_field, exact)

    def _pointed(self, text: str, target: Type) -> tuple[str, Type]:
        return (f"(*{text})", target)

    def _member(self, text: str, name: str) -> str:
        if text.startswith("(*") and text.endswith(")") and self.source.maybe(80):
            return f"{text[2:-1]}->{name}"
        return f"{text}.{name}"

    def index(self, length: int) -> str:
        if self.source.maybe(50):
            return str(self.source.below(length))
        chosen = self.leaf()
        if length & (length - 1) == 0:
            return f"{chosen} & {length - 1}"
        return f"(unsigned) {chosen} % {length}u"

    # ------------------------------------------------------------------ integers

    def leaf(self) -> str:
        """A variable without anything to compute in it, or a literal."""
        simple = [each for each in self.scope.objects if isinstance(each.type, Integer)]
        if simple and self.source.maybe(75):
            return self.source.choose(simple).text
        return literal(self.source, self.source.choose(INTEGERS))

    def integer(self, depth: int) -> str:
        source = self.source
        if depth <= 0:
            found = self.place(Integer) if source.maybe(75) else None
            return found.text if found else literal(source, source.choose(INTEGERS))
        kind = source.below(20)
        below = depth - 1
        if kind < 6:
            operator = source.choose(("+", "-", "*", "&", "|", "^"))
            return f"({self.integer(below)} {operator} {self.integer(below)})"
        if kind < 8:
            return self._shift(below)
        if kind < 10:
            return self._division(below)
        if kind < 12:
            return f"({self.integer(below)} {self._comparison()} {self.integer(below)})"
        if kind == 12:
            operator = source.choose(("&&", "||"))
            return f"({self.integer(below)} {operator} {self.integer(below)})"
        if kind == 13:
            return f"({self.integer(below)} ? {self.integer(below)} : {self.integer(below)})"
        if kind == 14:
            return f"({source.choose(INTEGERS).name}) {self.integer(below)}"
        if kind == 15:
            return f"{source.choose(('-', '~', '!', '+'))}({self.integer(below)})"
        if kind == 16:
            return self._from_floating(below)
        if kind == 17:
            return f"(({self.integer(0)}), {self.integer(below)})"
        if kind == 18:
            return self._call(Integer, below) or self.integer(below)
        kinds = SCALARS
        return source.choose(
            (f"sizeof({source.choose(kinds).name})", f"sizeof({self.integer(below)} + 0)")
        )

    def _comparison(self) -> str:
        return self.source.choose(("<", "<=", ">", ">=", "==", "!="))

    def _shift(self, depth: int) -> str:
        operator = self.source.choose(("<<", ">>"))
        left, count = self.integer(depth), self.integer(0)
        if self.source.maybe(40):
            wide = self.source.choose(("long", "unsigned long", "long long"))
            return f"(({wide}) {left} {operator} ({count} & 63))"
        return f"({left} {operator} ({count} & 31))"

    def _division(self, depth: int) -> str:
        operator = self.source.choose(("/", "%"))
        left, right = self.integer(depth), self.integer(depth)
        divisor = self.source.choose(
            (
                f"(({right} & 127) + 1)",
                f"(-2 - (signed char) ({right} & 63))",
                f"((unsigned long) {right} | 1)",
                str(self.source.between(2, 1000)),
            )
        )
        if "unsigned" in divisor:
            left = f"(unsigned long) {left}"
        return f"({left} {operator} {divisor})"

    def _from_floating(self, depth: int) -> str:
        if self.source.maybe(50):
            return f"({self.floating(depth)} {self._comparison()} {self.floating(depth)})"
        return f"{self.source.choose(TO_INTEGER)[0]}({self.floating(depth)})"

    def condition(self, depth: int) -> str:
        return f"{self.integer(depth)} {self._comparison()} {self.integer(depth)}"

    # ------------------------------------------------------------------ floating numbers

    def floating(self, depth: int) -> str:
        source = self.source
        if depth <= 0:
            found = self.place(Floating) if source.maybe(75) else None
            return found.text if found else fraction(source, source.choose(FLOATINGS))
        kind = source.below(12)
        below = depth - 1
        if kind < 6:
            operator = source.choose(("+", "-", "*", "/"))
            right = self.floating(below) if source.maybe(70) else self.integer(below)
            return f"({self.floating(below)} {operator} {right})"
        if kind < 8:
            return f"({source.choose(FLOATINGS).name}) {self.integer(below)}"
        if kind == 8:
            return f"-({self.floating(below)})"
        if kind == 9:
            return f"({self.integer(below)} ? {self.floating(below)} : {self.floating(below)})"
        if kind == 10:
            return self._call(Floating, below) or self.floating(below)
        return f"({source.choose(FLOATINGS).name}) {self.floating(below)}"

    def finite(self, kind: Floating) -> str:
        """Never NaN nor infinite."""
        if self.source.maybe(50):
            return fraction(self.source, kind)
        return f"({kind.name}) {self.integer(1)}"

    # ------------------------------------------------------------------ by type

    def scalar(self, kind: Scalar, depth: int) -> str:
        if isinstance(kind, Integer):
            return self.integer(depth)
        return self.floating(depth)

    def for_place(self, place: Place, depth: int) -> str:
        if isinstance(place.type, Floating) and place.exact:
            return self.finite(place.type)
        return self.scalar(place.type, depth)

    def _call(self, wanted: type[Integer] | type[Floating], depth: int) -> str | None:
        callable_here = [each for each in self.scope.pure if isinstance(each.result, wanted)]
        if not callable_here:
            return None
        chosen = self.source.choose(callable_here)
        arguments = [self.scalar(kind, min(depth, 1)) for kind in chosen.parameters]
        return f"{chosen.name}({', '.join(arguments)})"


def conversions(source: Source) -> None:
    """The functions that turn floating numbers into integers where that is defined."""
    for name, kind, low, high in TO_INTEGER:
        with source.function(f"static {kind} {name}(long double x)"):
            source.write(f"return x > {low}L && x < {high}L ? ({kind}) x : 7;")


def parameters(kinds: tuple[Scalar, ...], names: list[str]) -> str:
    return ", ".join(declaration(kind, name) for kind, name in zip(kinds, names, strict=True)) or (
        "void"
    )


__all__ = ["INT", "Expressions", "Object", "Place", "Pure", "Scope", "conversions", "parameters"]
