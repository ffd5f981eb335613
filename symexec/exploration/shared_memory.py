"""Find where changed statements access objects that others may change as well.

    return *p ^ *p;  // int a = *p; return a ^ a;      a device may change *p, or another thread

The search and its tests have one thread and no device, so a volatile object keeps its value from
one access to the next. An automatic object whose address nobody takes belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from csg.language.syntax import (
    Builtin,
    Change,
    Dereference,
    Execute,
    FunctionDefinition,
    Index,
    Member,
    Name,
    StorageDuration,
)
from csg.language.traversal import Tree, walk
from csg.language.types import Pointer, Qualifiers
from symexec.ledger import Omission, Reason

_TEXT = "changed code accesses a volatile or atomic object: no other thread or device changes it"
_SHARED = frozenset({"volatile", "_Atomic"})
_BUILTINS = ("__atomic_", "__sync_")


def accesses_of_shared(functions: Iterable[FunctionDefinition]) -> Iterator[Omission]:
    """The accesses in changed statements of functions of the program."""
    places = dict.fromkeys(
        node.location  # type: ignore[union-attr]
        for function in functions
        for part in _changed_parts(function)
        for node in walk(part)
        if _is_shared(node)
    )
    for location in places:
        yield Omission(Reason.APPROXIMATED, _TEXT, location)


def _changed_parts(function: FunctionDefinition) -> Iterator[Tree]:
    """The parts of a function that differ: expressions, and code of one version."""
    if function.version is not None or function.change:
        yield function.body
        return
    for node in walk(function.body):
        if isinstance(node, Change | Execute) or getattr(node, "change", False):
            yield node


def _is_shared(node: object) -> bool:
    match node:
        case Name(symbol=symbol):
            is_own = symbol.storage is StorageDuration.AUTOMATIC and not symbol.address_taken
            return not is_own and _says_so(symbol.qualifiers)
        case Member(field=field, record=record, arrow=arrow):
            return _says_so(field.qualifiers) or (arrow and _points_to_shared(record.type))
        case Dereference(operand=operand) | Index(base=operand):
            return _points_to_shared(operand.type)
        case Builtin(name=name):
            return name.startswith(_BUILTINS)
        case _:
            return False


def _points_to_shared(kind: object) -> bool:
    return isinstance(kind, Pointer) and _says_so(kind.qualifiers)


def _says_so(qualifiers: Qualifiers) -> bool:
    return not _SHARED.isdisjoint(qualifiers)
