"""Changes as a textual diff sees them: every statement on a line that differs is one.

    y = x + 1;         y = x + 1; // why    ->    y = change(x + 1, x + 1);

So counts the change sequence graph paper, with diff(1). What the trees say stays: the united
program is both programs still, and what only the text says gets a change of two equal sides. A
statement that computes nothing (``break``) gets none, nor does one that holds statements or an
unnamed object in its expression: those cannot stand twice.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from csg.language.syntax import (
    Assign,
    Change,
    CompoundLiteral,
    Declaration,
    DoWhile,
    Empty,
    Execute,
    Expression,
    ExpressionStatement,
    For,
    FunctionDefinition,
    If,
    InitializerList,
    Return,
    Statement,
    StatementExpression,
    Switch,
    TranslationUnit,
    While,
)
from csg.language.traversal import duplicate, rebuilt, walk
from csg.language.types import VOID, Type, is_scalar
from csg.source import NOWHERE, Location
from csg.versions.edits import Edits
from csg.versions.neutral import condition_type, reached_by

_CannotStandTwice = (Change, StatementExpression, CompoundLiteral)


def mark_lines(
    unit: TranslationUnit, edits: Edits, old: TranslationUnit, new: TranslationUnit
) -> None:
    """Give each statement of both versions whose lines differ a change, in place."""
    marker = _Marker(edits, _differing(old, new))
    for at, function in enumerate(unit.functions):
        if function.version is None and not function.change:
            unit.functions[at] = marker.function(function)


def _differing(old: TranslationUnit, new: TranslationUnit) -> dict[tuple[str, int], list[Location]]:
    """The lines of the new version that differ, with those of the old one in their place."""
    known = {os.path.basename(name): name for name in old.sources}
    lone = next(iter(old.sources)) if len(old.sources) == len(new.sources) == 1 else None
    found: dict[tuple[str, int], list[Location]] = {}
    for name, lines in new.sources.items():
        partner = lone or known.get(os.path.basename(name))
        before = old.sources[partner] if partner is not None else []
        for word, a, b, c, d in SequenceMatcher(None, before, lines, False).get_opcodes():
            if word in ("replace", "insert"):
                replaced = [Location(partner or name, line + 1) for line in range(a, b)]
                found.update({(name, line + 1): replaced for line in range(c, d)})
    return found


@dataclass(slots=True)
class _Marker:
    edits: Edits
    lines: dict[tuple[str, int], list[Location]]

    def function(self, function: FunctionDefinition) -> FunctionDefinition:
        self.edits.function = function.symbol.name
        return replace(function, body=self._node(function.body))

    def _node(self, node: Any) -> Any:
        match node:
            case Execute():
                return node
            case Declaration(version=owner) if owner is not None:
                return node
            case If(condition=Change() as tested):
                guarded = [reached_by(tested, value) is not None for value in (True, False)]
                then = node.then if guarded[0] else self._node(node.then)
                otherwise = node.otherwise
                if otherwise is not None and not guarded[1]:
                    otherwise = self._node(otherwise)
                return replace(node, then=then, otherwise=otherwise)
            case _:
                return self._marked(rebuilt(node, self._node))

    def _marked(self, node: Any) -> Any:
        match node:
            case ExpressionStatement(expression=expression):
                return replace(node, expression=self._evaluated(expression, node))
            case Return(value=value) if value is not None:
                return replace(node, value=self._value(value, node))
            case If() | While() | DoWhile():
                return replace(node, condition=self._condition(node.condition, node))
            case Switch():
                return replace(node, selector=self._value(node.selector, node))
            case For():
                condition, step = node.condition, node.step
                if condition is not None:
                    condition = self._condition(condition, node)
                if step is not None:
                    step = self._evaluated(step, node)
                return replace(node, condition=condition, step=step)
            case Declaration(initializer=value) if value is not None:
                return self._declaration(node)
            case _:
                return node

    def _declaration(self, node: Declaration) -> Declaration:
        value = node.initializer
        if node.symbol.storage == "static" or isinstance(value, InitializerList | None):
            return node
        if not is_scalar(node.symbol.type):
            return node
        return replace(node, initializer=self._value(value, node))

    # ------------------------------------------------------------------ expressions

    def _condition(self, value: Expression, statement: Statement) -> Expression:
        return self._twice(value, condition_type(value), statement)

    def _value(self, value: Expression, statement: Statement) -> Expression:
        return self._twice(value, value.type, statement)

    def _evaluated(self, value: Expression, statement: Statement) -> Expression:
        """For its effects."""
        if isinstance(value, Assign) and is_scalar(value.type):
            return replace(value, value=self._twice(value.value, value.value.type, statement))
        return self._twice(value, VOID, statement)

    def _twice(self, value: Expression, kind: Type, statement: Statement) -> Expression:
        place: Location = getattr(statement, "location", NOWHERE)
        parts = list(walk(value))
        if any(isinstance(part, _CannotStandTwice) for part in parts):
            return value
        seen = {place, *(getattr(part, "location", NOWHERE) for part in parts)}
        touched = sorted(each for each in seen if (each.file, each.line) in self.lines)
        if not touched:
            return value
        before = self.lines[touched[0].file, touched[0].line]
        old = [Empty(each) for each in (before[:1] + before[-1:])]
        edit = self.edits.record(old, (value, Empty(place)), place)
        return Change(duplicate(value), value, edit, kind, value.location)
