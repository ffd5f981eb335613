"""Walk and rebuild syntax trees without naming every class.

    children(If(c, t, None))        ->  [c, t]
    rebuilt(Binary("+", a, b), f)   ->  Binary("+", f(a), f(b)); the node itself when both stay

Which fields of a class hold nodes is read off its annotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar, cast, get_args

from csg.language import syntax
from csg.language.syntax import Expression, InitializerEntry, InitializerList, Statement

Tree = Expression | Statement | InitializerList | InitializerEntry
T = TypeVar("T", bound=Tree)

NODE_CLASSES: tuple[type[Any], ...] = (
    *get_args(syntax.Expression),
    *get_args(syntax.Statement),
    InitializerList,
    InitializerEntry,
)
_NODE_WORDS = ("Expression", "Statement", "Compound", "Initializer")


_Names = dict[type[Any], tuple[str, ...]]


def _names(kind: type[Any], nodes_only: bool) -> tuple[str, ...]:
    return tuple(
        part.name
        for part in fields(kind)
        if not nodes_only or any(word in str(part.type) for word in _NODE_WORDS)
    )


FIELDS: _Names = {kind: _names(kind, False) for kind in NODE_CLASSES}
NODE_FIELDS: _Names = {kind: _names(kind, True) for kind in NODE_CLASSES}


def children(node: Tree) -> list[Tree]:
    """The nodes directly below, in source order."""
    found: list[Tree] = []
    for name in NODE_FIELDS[node.__class__]:
        value = getattr(node, name)
        if value.__class__ is tuple:
            found.extend(value)
        elif value is not None:
            found.append(value)
    return found


def walk(*roots: Tree) -> Iterator[Tree]:
    """Every node, parents before their children, left to right."""
    stack: list[Tree] = list(reversed(roots))
    while stack:
        node = stack.pop()
        yield node
        below = children(node)
        below.reverse()
        stack.extend(below)


def rebuilt(node: T, change: Callable[[Any], Any]) -> T:
    """``node`` with ``change`` applied to each node directly below."""
    kind: type[Any] = node.__class__
    inner = NODE_FIELDS[kind]
    values: list[Any] = []
    touched = False
    for name in FIELDS[kind]:
        value = getattr(node, name)
        if name in inner and value is not None:
            if value.__class__ is tuple:
                parts = [change(part) for part in value]
                for before, after in zip(value, parts, strict=True):
                    if before is not after:
                        value, touched = tuple(parts), True
                        break
            else:
                after = change(value)
                touched = touched or after is not value
                value = after
        values.append(value)
    return cast(T, kind(*values)) if touched else node


def duplicate(node: T) -> T:
    """The same tree of new nodes: what is known of a node by its identity tells both apart."""
    return cast(T, replace(cast(Any, rebuilt(node, duplicate))))
