"""Ask through a probe wherever the program decides.

    if (a && change(b, c))     ->   if (probe(1, a) && probe(2, change(b, c)))
    x ?: y;  switch (x)        ->   either(3, x) ?: y;  switch (kept(4, x))

Which expressions have a probe is the caller's to say: ``site`` gives the number, or 0. A probe
hands its value on, as 0 or 1 where only the truth is asked for; what it records is the truth, of a
switch the value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from csg.language.expression_text import Notation
from csg.language.printer import print_unit
from csg.language.syntax import (
    Builtin,
    Call,
    Cast,
    Comma,
    Compound,
    Conditional,
    Declaration,
    DoWhile,
    Execute,
    Expression,
    For,
    If,
    IntegerConstant,
    Logical,
    Name,
    Switch,
    Symbol,
    TranslationUnit,
    Unary,
    While,
)
from csg.language.traversal import rebuilt
from csg.language.types import INT, Void
from csg.versions.printing import free_words, prelude
from csg.versions.unified import Unified

PROBE, EITHER, KEPT = "csgtest_probe", "csgtest_either", "csgtest_kept"
QUIET = "csgtest_quiet"
HEADER = f"""\
extern int csgtest_decided(unsigned site, unsigned long long value);
extern void {QUIET}(int more);
#define {PROBE}(site, ...) csgtest_decided(site, (__VA_ARGS__) != 0)
#define {EITHER}(site, ...) \\
    ({{ __typeof__((__VA_ARGS__) + 0) csgtest_value = (__VA_ARGS__); \\
        csgtest_decided(site, csgtest_value != 0); csgtest_value; }})
#define {KEPT}(site, ...) \\
    ({{ __typeof__((__VA_ARGS__) + 0) csgtest_value = (__VA_ARGS__); \\
        csgtest_decided(site, (unsigned long long)csgtest_value); csgtest_value; }})
#define {QUIET}_value(...) \
    ({{ {QUIET}(1); __typeof__(__VA_ARGS__) csgtest_value = (__VA_ARGS__); {QUIET}(-1); \
        csgtest_value; }})
"""

Site = Callable[[Expression], int]


def probed_text(unified: Unified, site: Site, quiet: Collection[str] = ()) -> tuple[str, set[int]]:
    """The united part of a program as C text with probes, and the sites that have one. What runs
    inside a call of a function in ``quiet`` is not to be recorded."""
    probes = Probes(site, quiet)
    unit = probes.unit(unified.unit)
    notation = Notation(*free_words(unified.unit), ids=True)
    body = print_unit(unit, notation, frozenset({"__csgtest_assert_fail"}))
    return HEADER + prelude(notation, len(unified.changes)) + body, probes.placed


class Probes:
    """``placed`` are the sites that have been written so far."""

    def __init__(self, site: Site, quiet: Collection[str] = ()) -> None:
        self.placed: set[int] = set()
        self._site = site
        self._quiet = quiet

    def unit(self, unit: TranslationUnit) -> TranslationUnit:
        functions = [replace(each, body=self.tree(each.body)) for each in unit.functions]
        return replace(unit, functions=functions)

    def tree(self, node: Any) -> Any:
        """Anything whose truth no branch asks for."""
        match node:
            case If():
                return self._choosing(node)
            case While() | DoWhile() | For() if node.condition is not None:
                return self._asking(node, self.condition(node.condition))
            case Conditional():
                asked = node.condition
                inner = (
                    self.condition(asked) if node.then is not None else self._kept(asked, EITHER)
                )
                return self._asking(node, inner)
            case Switch():
                inner = rebuilt(replace(node, selector=_HOLE), self._below)
                return replace(inner, selector=self._kept(node.selector, KEPT))
            case Logical():
                return replace(node, operands=tuple(map(self.condition, node.operands)))
            case Declaration(symbol=Symbol(storage="static")):
                return node  # its initialiser is a constant
            case Call(function=Name(symbol=Symbol(name=name))) if name in self._quiet:
                return self._hushed(rebuilt(node, self.tree))
            case _:
                return rebuilt(node, self.tree)

    def _choosing(self, node: If) -> If:
        """A chain of else-ifs may be long: no recursion along it. An arm may stand in an Execute
        that gives it a number."""
        chain = [node]
        between: list[tuple[Compound, Execute | None]] = []
        while (rest := chain[-1].otherwise) is not None and len(rest.items) == 1:
            inner = rest.items[0]
            numbered = inner if isinstance(inner, Execute) else None
            if numbered is not None and len(numbered.body.items) == 1:
                inner = numbered.body.items[0]
            if not isinstance(inner, If):
                break
            chain.append(inner)
            between.append((rest, numbered))
        parts = [(each, self.condition(each.condition), self.tree(each.then)) for each in chain]
        found: Any = None if rest is None else self.tree(rest)
        for at, (each, asked, then) in reversed([*enumerate(parts)]):
            if at < len(between):
                around, numbered = between[at]
                if numbered is not None:
                    found = replace(numbered, body=replace(numbered.body, items=(found,)))
                found = replace(around, items=(found,))
            found = replace(each, condition=asked, then=then, otherwise=found)
        assert isinstance(found, If)
        return found

    def _asking(self, node: Any, condition: Expression) -> Any:
        return replace(rebuilt(replace(node, condition=_HOLE), self._below), condition=condition)

    def _below(self, node: Any) -> Any:
        return node if node is _HOLE else self.tree(node)

    def condition(self, node: Expression) -> Any:
        """An expression of which only the truth is asked."""
        return self._wrapped(node, self._asked(node), PROBE)

    def _asked(self, node: Expression) -> Any:
        match node:
            case Logical():
                return replace(node, operands=tuple(map(self.condition, node.operands)))
            case Unary(operator="!") | Cast():
                return replace(node, operand=self.condition(node.operand))
            case Comma():
                return replace(node, left=self.tree(node.left), right=self.condition(node.right))
            case Conditional(then=then) if then is not None:
                return replace(
                    node,
                    condition=self.condition(node.condition),
                    then=self.condition(then),
                    otherwise=self.condition(node.otherwise),
                )
            case Builtin(name="expect" | "expect_with_probability"):
                first, *others = node.arguments
                return replace(node, arguments=(self.condition(first), *map(self.tree, others)))
            case _:
                return self.tree(node)

    def _kept(self, node: Expression, probe: str) -> Any:
        return self._wrapped(node, self.tree(node), probe)

    def _wrapped(self, asked: Expression, inner: Any, probe: str) -> Any:
        site = self._site(asked)
        if not site:
            return inner
        self.placed.add(site)
        return applied(probe, (IntegerConstant(site, INT), inner))

    def _hushed(self, call: Call) -> Any:
        """``(quiet(1), f(), quiet(-1))``, with the value of the call if it has one."""
        begin, end = (applied(QUIET, (IntegerConstant(step, INT),)) for step in (1, -1))
        if isinstance(call.type, Void):
            return Comma(Comma(begin, call, call.type), end, call.type)
        return applied(f"{QUIET}_value", (call,), call.type)


_HOLE = IntegerConstant(0, INT)


def applied(name: str, arguments: tuple[Expression, ...], kind: Any = INT) -> Call:
    """``name(arguments)``, of a function or macro that the program does not know."""
    return Call(Name(Symbol(name, INT, kind="function"), INT), arguments, kind)


__all__ = ["HEADER", "Probes", "applied", "probed_text"]
