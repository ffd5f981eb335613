"""Statements on the objects in scope; every loop ends, every jump goes to a place that is set up.

for (i3 = 0; i3 < 4; i3++) {
    a[i3 & 3] ^= x;
    if (x > 7)
        break;
}
"""

from __future__ import annotations

from generators.random_c.expressions import Expressions, Object, Pure, Scope, parameters
from generators.random_c.printing import show
from generators.random_c.source import Source
from generators.random_c.types import (
    INT,
    INTEGERS,
    SCALARS,
    Floating,
    Integer,
    Scalar,
    declaration,
)
from generators.random_c.values import literal


class Statements:
    """``loops``: how many more may be nested; ``quiet``: nothing is printed."""

    def __init__(
        self, source: Source, scope: Scope, loops: int = 2, quiet: bool = False, depth: int = 2
    ) -> None:
        self.source = source
        self.scope = scope
        self.loops = loops
        self.quiet = quiet
        self.depth = depth
        self.expressions = Expressions(source, scope)

    def _inner(self, loops: int = 0) -> Statements:
        return Statements(
            self.source, self.scope.inner(), self.loops - loops, self.quiet, self.depth
        )

    # ------------------------------------------------------------------ sequences

    def several(self, low: int, high: int, nested: int = 2) -> None:
        for _ in range(self.source.between(low, high)):
            self.one(nested)

    def body(self, head: str, nested: int, loops: int = 0, tail: str = "") -> None:
        with self.source.braces(head, tail):
            self._inner(loops).several(1, 3, nested - 1)

    def one(self, nested: int) -> None:
        kind = self.source.below(20)
        if kind < 3:
            self.local()
        elif kind < 9 or nested <= 0:
            self.assignment()
        elif kind < 11 and not self.quiet:
            self.print_place()
        elif kind < 14:
            self.conditional(nested)
        elif kind < 17 and self.loops:
            self.loop(nested)
        elif kind == 17:
            self.switch(nested)
        elif kind == 18:
            self.skip(nested)
        else:
            self.step()

    # ------------------------------------------------------------------ simple statements

    def local(self, kind: Scalar | None = None) -> str:
        source = self.source
        chosen = kind or source.choose(SCALARS)
        name = source.name("v")
        qualifier = source.choose(("", "", "", "", "volatile ", "const "))
        value = self.expressions.scalar(chosen, self.depth)
        source.write(f"{qualifier}{declaration(chosen, name)} = {value};")
        self.scope.objects.append(Object(name, chosen, qualifier == "const "))
        return name

    def assignment(self) -> None:
        source, write = self.source, self.expressions
        place = write.place(source.choose((Integer, Integer, Floating)), write=True)
        if place is None:
            self.local()
            return
        if source.maybe(60) or (isinstance(place.type, Floating) and place.exact):
            source.write(f"{place.text} = {write.for_place(place, self.depth)};")
        elif isinstance(place.type, Floating):
            operator = source.choose(("+=", "-=", "*=", "/="))
            source.write(f"{place.text} {operator} {write.floating(1)};")
        else:
            self._compound(place.text)

    def _compound(self, place: str) -> None:
        source, write = self.source, self.expressions
        operator = source.choose(("+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%="))
        value = write.integer(self.depth)
        if operator in ("<<=", ">>="):
            value = f"({value} & 31)"
        elif operator in ("/=", "%="):
            value = f"(({value} & 63) + 1)"
        source.write(f"{place} {operator} {value};")

    def step(self) -> None:
        """``++`` and ``--``, alone or with their value kept."""
        source = self.source
        place = self.expressions.place(Integer, write=True)
        if place is None:
            return
        operator = source.choose(("++", "--"))
        text = f"{operator}{place.text}" if source.maybe(50) else f"{place.text}{operator}"
        if source.maybe(50):
            source.write(f"{text};")
            return
        name = source.name("v")
        source.write(f"{declaration(INT, name)} = {text};")
        self.scope.objects.append(Object(name, INT))

    def print_place(self) -> None:
        kind = self.source.choose((Integer, Integer, Floating))
        place = self.expressions.place(kind)
        if place is not None:
            self.source.write(show(self.source, place.type, place.text))

    # ------------------------------------------------------------------ control

    def conditional(self, nested: int) -> None:
        self.body(f"if ({self.expressions.condition(1)})", nested)
        if self.source.maybe(40):
            if self.source.maybe(30):
                self.body(f"else if ({self.expressions.condition(1)})", nested)
            self.body("else", nested)

    def loop(self, nested: int) -> None:
        source = self.source
        counter, count = source.name("i"), source.between(1, 5)
        kind = source.choose(INTEGERS)
        inner = self._inner(1)
        inner.scope.objects.append(Object(counter, kind, fixed=True))
        style = source.below(4)
        if style == 0:
            head, tail = f"for ({kind.name} {counter} = 0; {counter} < {count}; {counter}++)", ""
        elif style == 1:
            head, tail = f"for ({kind.name} {counter} = {count}; {counter}-- > 0;)", ""
        elif style == 2:
            source.write(f"{kind.name} {counter} = 0;")
            head, tail = f"while ({counter}++ < {count})", ""
        else:
            source.write(f"{kind.name} {counter} = {count};")
            head, tail = "do", f" while (--{counter} > 0);"
        with source.braces(head, tail):
            inner.several(1, 3, nested - 1)
            if source.maybe(30):
                leave = source.choose(("break", "continue"))
                source.write(f"if ({inner.expressions.condition(1)})", f"    {leave};")
                inner.several(0, 1, 0)

    def switch(self, nested: int) -> None:
        source = self.source
        labels = source.random.sample(range(-2, 9), source.between(1, 5))
        default = source.below(len(labels) + 2)
        value = source.choose(
            (f"({self.expressions.integer(1)}) & 7", f"(signed char) ({self.expressions.leaf()})")
        )
        with source.braces(f"switch ({value})"):
            for position, label in enumerate(labels):
                if position == default:
                    source.write("default:")
                if source.maybe(15):
                    source.write(f"case {100 + 10 * label} ... {104 + 10 * label}:")
                self.body(f"case {label}:", min(nested, 1))
                if source.maybe(70):
                    source.write("break;")
            if default == len(labels):
                self.body("default:", min(nested, 1))

    def skip(self, nested: int) -> None:
        """Forward over a block, or back a few times."""
        source = self.source
        label = source.name("L")
        if source.maybe(50):
            source.write(f"if ({self.expressions.condition(1)})", f"    goto {label};")
            self.body("", nested)
            source.write(f"{label}:;")
            return
        if not self.loops:
            return
        counter = source.name("i")
        source.write(f"int {counter} = {source.between(1, 3)};", f"{label}:")
        self.body("", nested, loops=1)
        source.write(f"if (--{counter} > 0)", f"    goto {label};")


def pure_function(source: Source, scope: Scope) -> Pure:
    """Define a function of scalars that reads its arguments only; ``scope`` may call it."""
    kinds = SCALARS
    given = tuple(source.choose(kinds) for _ in range(source.between(0, 4)))
    result = source.choose(kinds)
    names = [source.name("p") for _ in given]
    name = source.name("f")
    own = Scope([Object(each, kind) for each, kind in zip(names, given, strict=True)], scope.pure)
    head = f"static {result.name} {name}({parameters(given, names)})"
    with source.function(head):
        body = Statements(source, own, loops=1, quiet=True)
        body.several(1, 3, 1)
        value = own and body.expressions.scalar(result, 2)
        source.write(f"return {value};")
    made = Pure(name, given, result)
    scope.pure = [*scope.pure, made]
    return made


__all__ = ["Statements", "literal", "pure_function"]
