"""Find objects that a pointer may lead to, and that must outlive a block put around them.

    char t[12], *p = f(t + 11);     t: the call may keep its address
    q = (int[]){1, 2};              the literal lives to the end of the block that encloses it
    n = t[3] + s.n + sizeof t;      nothing: the objects are used by name only

A block that a unified program adds must end no object that the version has alive behind it
(C17 6.2.4). One that holds nothing but expressions is written as an expression:

    if (execute_(3, OLD)) { q = (int[]){1}; }   ->   change_(3, (void) (q = (int[]){1}), (void) 0);
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.language.syntax import (
    AddressOf,
    Compound,
    CompoundLiteral,
    Declaration,
    Dereference,
    Execute,
    ExpressionStatement,
    Index,
    Member,
    Name,
    SizeOf,
    Statement,
    StatementExpression,
    StorageDuration,
    Symbol,
)
from csg.language.traversal import Tree, children, designated_type
from csg.language.types import Array


def opens_block(node: Execute) -> bool:
    """Do objects end where the region ends? Not if it holds nothing but expressions."""
    return not all(isinstance(item, ExpressionStatement) for item in node.body.items)


def exposed_variables(*roots: Tree) -> frozenset[Symbol]:
    """The variables whose address is handed on, so that it may be used behind the code."""
    return frozenset(
        node.symbol for node in _escaping_objects(roots, True) if isinstance(node, Name)
    )


def exposes_literal(statement: Statement) -> bool:
    """May a compound literal of the statement's own block be used behind the statement?"""
    match statement:
        case ExpressionStatement(expression=root):
            pass
        case Declaration(initializer=root, symbol=symbol) if root is not None:
            if symbol.storage is StorageDuration.STATIC:
                return False
        case _:
            return False
    return any(isinstance(node, CompoundLiteral) for node in _escaping_objects((root,), False))


def _escaping_objects(roots: tuple[Tree, ...], inner: bool) -> Iterator[Name | CompoundLiteral]:
    """The objects whose address the code hands on. ``inner``: also in blocks inside it."""
    waiting: list[tuple[Tree, bool]] = [(root, False) for root in roots]
    while waiting:
        node, addressed = waiting.pop()
        decays = isinstance(designated_type(node), Array)
        match node:
            case Name() | CompoundLiteral() if addressed or decays:
                yield node
            case SizeOf(value=int()) | Name():
                continue
            case AddressOf(operand=operand):
                waiting.append((operand, True))
                continue
            case Member(record=base, arrow=True) | Index(base=base) | Dereference(operand=base) if (
                isinstance(designated_type(base), Array)
            ):
                waiting.extend((each, False) for each in children(node) if each is not base)
                waiting.extend(_within(base, addressed or decays))
                continue
            case Member(record=base, arrow=False):
                waiting.extend(_within(base, addressed or decays))
                continue
            case StatementExpression() | Compound() if not inner:
                continue
            case _:
                pass
        waiting.extend((each, False) for each in children(node))


def _within(base: Tree, addressed: bool) -> Iterator[tuple[Tree, bool]]:
    """The parts of an expression to look at next, where only a part of the object ``base`` is used:
    read, written or ``addressed``."""
    while not addressed:
        match base:
            case Name():
                return
            case CompoundLiteral(initializer=initializer):
                yield initializer, False
                return
            case Member(record=inner, arrow=False):
                base = inner
            case Index(base=inner, index=index) if isinstance(designated_type(inner), Array):
                yield index, False
                base = inner
            case Dereference(operand=inner) | Member(record=inner, arrow=True) if isinstance(
                designated_type(inner), Array
            ):
                base = inner
            case _:
                break
    yield base, addressed
