"""What the parser hands over: nodes named after C's grammar, told apart by ``kind``.

The parser's library has no types; here it gets the little that the rest of the front end relies on.
"""

from __future__ import annotations

from typing import Any, Protocol

from csg.errors import NOWHERE, Location


class Node(Protocol):
    """A node of the syntax as parsed; its parts (``expr``, ``type``, ...) depend on its kind."""

    coord: Location

    def __getattr__(self, name: str, /) -> Any: ...


def kind(node: Node) -> str:
    """``"BinaryOp"``, ``"FuncDef"``, ... (pycparser's names, plus Attributes and Assembly)."""
    return type(node).__name__


def innermost(node: Node) -> Node:
    """The declarator that holds the name (or the specifiers, when there is none)."""
    while kind(node) in ("PtrDecl", "ArrayDecl", "FuncDecl"):
        node = node.type
    return node


def name_place(node: Node) -> Location:
    """Where the name that a declaration introduces is written."""
    found = innermost(node.type).coord or node.coord
    return found if isinstance(found, Location) else NOWHERE
