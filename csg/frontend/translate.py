"""Translate a parsed file into a typed translation unit.

Each module handles one part of the grammar and reaches the others through ``Context``, which this
``Translator`` fulfils.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from csg.errors import UnsupportedError, too_deep
from csg.frontend import (
    constants,
    declarations,
    declarators,
    expressions,
    initializers,
    statements,
)
from csg.frontend.context import Context, Qualified, place, refuse, unsupported
from csg.frontend.parser import Node, kind
from csg.frontend.tokens import Token
from csg.language.syntax import (
    Compound,
    Declaration,
    Expression,
    Initializer,
    Linkage,
    Statement,
    Symbol,
    TranslationUnit,
)
from csg.language.types import Type, is_integer


def translate(
    nodes: Iterable[Node],
    unit: TranslationUnit,
    system_files: frozenset[str],
    tokens: Sequence[Token] = (),
    gnu_inline: bool = False,
) -> None:
    """Fill ``unit`` with what the external declarations ``nodes``, parsed from ``tokens``, declare
    and define. ``gnu_inline``: inline functions are those of gnu89."""
    translator = Translator(unit, system_files)
    translator.gnu_inline = gnu_inline
    translator.tokens = tokens
    for node in nodes:
        rule = _EXTERNAL.get(kind(node))
        if rule is None:
            raise unsupported(node, f"{kind(node)} outside of functions")
        with _skipping_in_headers(translator, node):
            rule(translator, node)
    _weaken(unit, translator.scopes.file.names.get)
    defined = {function.symbol for function in unit.functions}
    unit.declarations = [d for d in unit.declarations if d.symbol not in defined]


_WEAK = re.compile(r"#\s*pragma\s+weak\s+([\w$]+)(?:\s*=\s*([\w$]+))?.*")


def _weaken(unit: TranslationUnit, known: Callable[[str], object]) -> None:
    """Make symbols weak that ``#pragma weak f`` names, and other names of functions and objects
    that ``#pragma weak f = g`` makes."""
    for location, text in unit.dropped:
        found = _WEAK.fullmatch(text)
        if found is None:
            continue
        symbol, target = known(found[1]), known(found[2] or "")
        if not isinstance(symbol, Symbol) and isinstance(target, Symbol):
            symbol = replace(target, name=found[1], location=location, linkage=Linkage.EXTERNAL)
            symbol.inline = symbol.defined = False
            unit.declarations.append(Declaration(symbol, None, location=location))
        if isinstance(symbol, Symbol):
            symbol.weak = True
            symbol.alias = symbol.alias or found[2] or ""


@contextmanager
def _skipping_in_headers(context: Context, node: Node) -> Iterator[None]:
    """Leave out declarations in system headers that are not supported: only using them is an
    error."""
    try:
        yield
    except RecursionError:
        raise too_deep(place(node)) from None
    except UnsupportedError as error:
        if not context.is_system(place(node)):
            raise
        context.warn(place(node), f"left out: {error.message}")
        del context.scopes.stack[1:]
        context.function = None


class Translator(Context):
    """The translation of one file."""

    def expression(self, node: Node) -> Expression:
        found = expressions.expression(self, node)
        self.meets(found.type)
        return found

    def type_name(self, node: Node) -> Qualified:
        return declarators.resolve(self, node)

    def statements(self, node: Node) -> list[Statement]:
        return statements.statements(self, node)

    def block(self, node: Node) -> Compound:
        return statements.block(self, node)

    def function_body(self, node: Node) -> Compound:
        return statements.items(self, node)

    def initializer(self, node: Node, target: Type) -> tuple[Initializer, Type]:
        return initializers.initializer(self, node, target)

    def constant(self, node: Node, what: str) -> int:
        value = self.value(node)
        known = constants.fold(value) if is_integer(value.type) else None
        if known is None:
            raise refuse(node, f"{what} has to be an integer constant")
        return known

    def fold(self, expression: Expression) -> int | None:
        return constants.fold(expression) if is_integer(expression.type) else None


# --------------------------------------------------------------------------- external declarations


def _ignored(context: Context, node: Node) -> None:
    context.warn(node.coord, "asm outside of functions is ignored")


_EXTERNAL: dict[str, Callable[[Context, Node], object]] = {
    "Decl": declarations.external,
    "Typedef": declarations.typedef,
    "FuncDef": declarations.definition,
    "StaticAssert": declarations.static_assertion,
    "Pragma": statements.statements,
    "Assembly": _ignored,
}
