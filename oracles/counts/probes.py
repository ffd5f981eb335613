"""Wrap every branch condition of a unified program in a probe that records site and direction.

    if (a && change(b, c))      ->   if (csgtest_probe(1, a) && csgtest_probe(2, change(b, c)))
    if (execute(OLD)) { f(); }  ->   if (execute(OLD)) { csg_alone_begin(); f(); csg_alone_end(); }

Compiled as OLD and as NEW both count the same sites: no lowering, no engine takes part. What one
version does by itself is marked (*alone*): it cannot be where the versions diverge.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from csg.language.syntax import (
    Builtin,
    Call,
    Cast,
    Change,
    Comma,
    Conditional,
    Declaration,
    Execute,
    Expression,
    ExpressionStatement,
    IntegerConstant,
    Logical,
    Switch,
    TranslationUnit,
    Unary,
)
from csg.language.traversal import walk
from csg.unify.output.printing import Probes, applied

HEADER = """\
#define csgtest_probe(site, ...) csg_probed(site, (__VA_ARGS__) != 0)
#define csg_alone(value) \\
    ({ csg_alone_begin(); __auto_type csg_value = (value); csg_alone_end(); csg_value; })
extern int csg_probed(int site, int taken);
extern void csg_alone_begin(void);
extern void csg_alone_end(void);
"""


def probed(unit: TranslationUnit) -> TranslationUnit:
    """The same program with probes."""
    sites = count(1)

    def site(asked: Expression) -> int:
        return 0 if _is_made_of_conditions(asked) else next(sites)

    return _Alone(site).unit(unit)


def _is_made_of_conditions(asked: Expression) -> bool:
    """Or it is none at all."""
    if isinstance(asked, Unary):
        return asked.operator == "!"
    if isinstance(asked, Conditional):
        return asked.then is not None
    return isinstance(asked, Logical | Comma | Cast | Builtin | IntegerConstant)


class _Alone(Probes):
    def tree(self, node: Any) -> Any:
        match node:
            case Change():
                return replace(node, old=self._operand(node.old), new=self._operand(node.new))
            case Execute():
                body = super().tree(node.body)
                items = (_call("csg_alone_begin"), *body.items, _call("csg_alone_end"))
                return replace(node, body=replace(body, items=items))
            case Declaration(version=version) if version is not None:
                return self._declared(node)
            case Switch():
                raise AssertionError("switches are not counted")
            case _:
                return super().tree(node)

    def _operand(self, node: Expression) -> Any:
        """What one version evaluates of a change."""
        inner = self.tree(node)
        return applied("csg_alone", (inner,)) if _branches(node) else inner

    def _declared(self, node: Declaration) -> Declaration:
        if node.initializer is None or not _branches(node.initializer):
            return node
        inner: Any = self.tree(node.initializer)
        return replace(node, initializer=applied("csg_alone", (inner,)))


def _branches(node: Any) -> bool:
    return any(isinstance(each, Call | Logical | Conditional) for each in walk(node))


def _call(name: str) -> ExpressionStatement:
    return ExpressionStatement(applied(name, ()))
