"""Wrap every branch condition of a united program in a probe that records site and direction.

    if (a && change(b, c))      ->   if (csg_probe(1, a) && csg_probe(2, change(b, c)))
    if (execute(OLD)) { f(); }  ->   if (execute(OLD)) { csg_alone_begin(); f(); csg_alone_end(); }

Compiled as OLD and as NEW both count the same sites: no lowering, no engine takes part. What one
version does by itself is marked (*alone*): it cannot be where the versions part.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from csg.language.syntax import (
    Call,
    Cast,
    Change,
    Comma,
    Conditional,
    Declaration,
    DoWhile,
    Execute,
    Expression,
    ExpressionStatement,
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
from csg.language.traversal import rebuilt, walk
from csg.language.types import INT

HEADER = """\
#define csg_probe(site, condition) csg_probed(site, (condition) != 0)
#define csg_alone(value) \\
    ({ csg_alone_begin(); __auto_type csg_value = (value); csg_alone_end(); csg_value; })
extern int csg_probed(int site, int taken);
extern void csg_alone_begin(void);
extern void csg_alone_end(void);
"""


def probed(unit: TranslationUnit) -> TranslationUnit:
    """The same program with probes; sites are numbered in the order of the text."""
    probes = _Probes()
    functions = [replace(function, body=probes.tree(function.body)) for function in unit.functions]
    return replace(unit, functions=functions)


class _Probes:
    def __init__(self) -> None:
        self._sites = count(1)

    def tree(self, node: Any) -> Any:
        """Anything whose truth no branch asks for."""
        match node:
            case If() | While() | DoWhile() | For() | Conditional() if node.condition is not None:
                inner = rebuilt(replace(node, condition=_HOLE), self._below)
                return replace(inner, condition=self.condition(node.condition))
            case Logical():
                return replace(node, operands=tuple(map(self.condition, node.operands)))
            case Unary(operator="!"):
                return replace(node, operand=self.condition_value(node.operand))
            case Change():
                return replace(node, old=self._operand(node.old), new=self._operand(node.new))
            case Execute():
                body = self.tree(node.body)
                items = (_call("csg_alone_begin"), *body.items, _call("csg_alone_end"))
                return replace(node, body=replace(body, items=items))
            case Declaration(version=version) if version is not None:
                return self._declared(node)
            case Switch():
                raise AssertionError("switches are not counted")
            case _:
                return rebuilt(node, self.tree)

    def _below(self, node: Any) -> Any:
        return node if node is _HOLE else self.tree(node)

    def condition_value(self, node: Expression) -> Any:
        """Below a ``!`` in a value: only ``&&`` and ``||`` branch."""
        return self.tree(node)

    def condition(self, node: Expression) -> Any:
        """An expression that a branch asks."""
        match node:
            case Logical():
                return replace(node, operands=tuple(map(self.condition, node.operands)))
            case Unary(operator="!"):
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
            case Cast():
                return replace(node, operand=self.condition(node.operand))
            case IntegerConstant():
                return node
            case _:
                site = IntegerConstant(next(self._sites), INT)
                return _applied("csg_probe", (site, self.tree(node)))

    def _operand(self, node: Expression) -> Any:
        """What one version evaluates of a change."""
        inner = self.tree(node)
        return _applied("csg_alone", (inner,)) if _branches(node) else inner

    def _declared(self, node: Declaration) -> Declaration:
        if node.initializer is None or not _branches(node.initializer):
            return node
        inner: Any = self.tree(node.initializer)
        return replace(node, initializer=_applied("csg_alone", (inner,)))


_HOLE = IntegerConstant(0, INT)


def _branches(node: Any) -> bool:
    return any(isinstance(each, Call | Logical | Conditional) for each in walk(node))


def _applied(name: str, arguments: tuple[Expression, ...]) -> Call:
    return Call(Name(Symbol(name, INT, kind="function"), INT), arguments, INT)


def _call(name: str) -> ExpressionStatement:
    return ExpressionStatement(_applied(name, ()))
