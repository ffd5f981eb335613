"""Number syntax trees so that two have the same number exactly when they mean the same.

    x += 1;    x++;    x = x + 1;        one number
    case B:    (B is 1)                  not that of  case B:  (B is 2)
    int i;     (local, of old and new)   one number once both locals have the same key

Numbers are handed out per shape: the class, what it says, and the numbers of its parts. A name
counts as what it refers to, an enumerator as its value, a type as its layout; places, spellings
and the line number inside an assertion do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import fields
from typing import Any

from csg.language.syntax import (
    Binary,
    Call,
    Case,
    CompoundLiteral,
    EnumeratorName,
    Expression,
    ExpressionStatement,
    For,
    IntegerConstant,
    Name,
    SizeOf,
    Statement,
    Symbol,
)
from csg.language.traversal import NODE_CLASSES, NODE_FIELDS, Tree, children, walk
from csg.language.types import Array, Field, Pointer, Type
from csg.unify.matching.normal import is_neutral, plain_assignment

ASSERTION = "__csgtest_assert_fail"

# The type of these follows from their parts.
_DERIVED = {"Name", "Unary", "AddressOf", "Dereference", "Index", "Member", "Binary", "Logical"} | {
    "Conditional",
    "Assign",
    "CompoundAssign",
    "Increment",
    "Call",
    "Comma",
    "StatementExpression",
    "Change",
}
_SILENT = {
    ("Change", "id"),
    ("Execute", "change"),
    ("Declaration", "change"),
    ("Case", "change"),
    ("InitializerEntry", "path"),
    ("InitializerList", "type"),
    ("CompoundAssign", "operation_type"),
    ("CompoundLiteral", "symbol"),
}


def _explicit_fields(kind: type[Any]) -> tuple[tuple[str, str], ...]:
    """The fields that count, each with what it holds."""
    explicit: list[tuple[str, str]] = []
    for part in fields(kind):
        silent = not part.compare or (kind.__name__, part.name) in _SILENT
        if silent or (part.name == "type" and kind.__name__ in _DERIVED):
            continue
        annotation = str(part.type)
        if part.name in NODE_FIELDS[kind]:
            role = "nodes" if annotation.startswith("tuple") else "node"
        elif annotation in ("Symbol", "Type"):
            role = annotation.lower()
        elif annotation in ("Field", "Field | None"):
            role = "field"
        else:
            role = "plain"
        explicit.append((part.name, role))
    return tuple(explicit)


_EXPLICIT = {kind: _explicit_fields(kind) for kind in NODE_CLASSES}


def _itself(thing: Hashable) -> Hashable:
    return thing


class Fingerprints:
    """Numbers syntax trees by meaning. ``symbol_key`` and ``type_key`` say what a name and a type
    mean; ``table`` may be shared, so that trees of different origin can be compared."""

    def __init__(
        self,
        symbol_key: Callable[[Symbol], Hashable] = _itself,
        type_key: Callable[[Type], Hashable] = _itself,
        table: dict[tuple[Hashable, ...], int] | None = None,
        case_text: bool = False,
    ) -> None:
        self.table = {} if table is None else table
        # distinguish labels with equal values by the enumerators that they name
        self._case_text = case_text
        self._symbol_key = symbol_key
        self._type_key = type_key
        self._known: dict[int, tuple[int, int, Tree]] = {}
        self._bags: dict[int, Counter[Hashable]] = {}

    def of(self, node: Tree) -> int:
        return self._summary(node)[0]

    def size(self, node: Tree) -> int:
        """The number of nodes of a tree."""
        return self._summary(node)[1]

    def all(self, nodes: tuple[Tree, ...]) -> tuple[int, ...]:
        return tuple([self.of(node) for node in nodes])

    def sizes(self, nodes: tuple[Tree, ...]) -> int:
        return sum([self.size(node) for node in nodes])

    def _summary(self, node: Tree) -> tuple[int, int, Tree]:
        known = self._known.get(id(node))
        if known is None:
            key = self._key(node)
            number = self.table.setdefault(key, len(self.table))
            size = 1
            for child in children(node):
                size += self._summary(child)[1]
            # the node is referenced here, so that its id is not used again
            known = self._known[id(node)] = (number, size, node)
        return known

    def _key(self, node: Tree) -> tuple[Hashable, ...]:
        match node:
            case EnumeratorName(value=value, type=kind):
                return ("IntegerConstant", value, self.type_print(kind))
            case IntegerConstant() if is_neutral(node):
                return ("nothing", node.value)
            case ExpressionStatement(expression=expression):
                return ("ExpressionStatement", self.of(plain_assignment(expression)))
            case SizeOf(value=int(value), type=kind):
                return ("SizeOf", value, self.type_print(kind))
            case Case(text=text) if self._case_text and text.isidentifier():
                return (*self._explicit_key(node), text)
            case CompoundLiteral(symbol=symbol):
                return (*self._explicit_key(node), self.type_print(symbol.type))
            case Call(function=Name(symbol=symbol), arguments=arguments) if (
                symbol.name == ASSERTION and arguments
            ):
                return ("Call", ASSERTION, self.of(arguments[0]))
            case For(step=step) if step is not None:
                return (*self._explicit_key(node), self.of(plain_assignment(step)))
            case _:
                return self._explicit_key(node)

    def _explicit_key(self, node: Tree) -> tuple[Hashable, ...]:
        parts: list[Hashable] = [node.__class__.__name__]
        for name, role in _EXPLICIT[node.__class__]:
            value = getattr(node, name)
            if role == "node":
                skipped = value is None or (name == "step" and isinstance(node, For))
                parts.append(-1 if skipped else self.of(value))
            elif role == "nodes":
                parts.append(tuple([self.of(part) for part in value]))
            elif role == "symbol":
                parts.append(self._symbol_key(value))
            elif role == "type":
                parts.append(self.type_print(value))
            elif role == "field":
                parts.append(_field_key(value))
            else:
                parts.append(value)
        return tuple(parts)

    def type_print(self, kind: Type) -> Hashable:
        """A key for the meaning of a type; the length of a variable-length array counts as an
        expression."""
        return self._type_key(by_length(kind, self))

    # ------------------------------------------------------------------ likeness

    def likeness(self, old: Statement, new: Statement) -> float:
        """The Dice coefficient of the words in two statements: 0 where they have none in common, 1
        where all."""
        mine, other = self.bag(old), self.bag(new)
        total = mine.total() + other.total()
        return 2 * (mine & other).total() / total if total else 1.0

    def bag(self, node: Tree) -> Counter[Hashable]:
        known = self._bags.get(id(node))
        if known is None:
            known = self._bags[id(node)] = Counter(self._word(part) for part in walk(node))
        return known

    def _word(self, node: Tree) -> Hashable:
        if not NODE_FIELDS[node.__class__]:
            return self.of(node)
        if isinstance(node, Binary):
            return node.operator
        return node.__class__.__name__


def by_length(kind: Type, prints: Fingerprints) -> Type:
    """The type with computed lengths replaced by their fingerprints, as negative numbers."""
    match kind:
        case Pointer(target=target):
            inner = by_length(target, prints)
            return kind if inner is target else Pointer(inner)
        case Array(element=element, length=length):
            size = -1 - prints.of(length) if isinstance(length, Expression) else length
            inner = by_length(element, prints)
            return kind if inner is element and size is length else Array(inner, size)
        case _:
            return kind


def _field_key(field: Field | None) -> Hashable:
    if field is None:
        return None
    return (field.name, field.offset, field.bit_offset, field.bit_width)
