"""What the translation of one file shares: its scopes, what has been declared so far, and the
functions by which one part of the grammar calls another (an expression can hold statements, a type
an expression). Scopes and jumps come first."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise

from csg.errors import NOWHERE, CsgtestError, Location, ParseError, UnsupportedError
from csg.frontend.parser import Node
from csg.frontend.tokens import GnuAttribute, Token
from csg.language.syntax import (
    Compound,
    Dereference,
    Expression,
    Index,
    Initializer,
    Member,
    Name,
    Statement,
    Symbol,
    TranslationUnit,
)
from csg.language.type_text import declaration_text
from csg.language.types import (
    NONE,
    Array,
    Enumeration,
    Function,
    Pointer,
    Qualifiers,
    Record,
    RecordKind,
    Type,
    is_opaque,
)
from csg.records import record

# ------------------------------------------------------------------------------------------- scopes
# What a name means at a place: an object, a function, a type, an enumerator, or a tag.
#
# typedef int T;            ordinary name T: Typedef
# enum E { A };             tag E, ordinary name A: Enumerator
# { int T; struct E e; }    an inner scope hides both


@record
class Qualified:
    """A type with its outermost qualifiers, and an alignment that was asked for."""

    type: Type
    qualifiers: Qualifiers = NONE
    alignment: int = 0


@record
class Typedef:
    meaning: Qualified


@record
class Enumerator:
    name: str  # its own in the whole file
    value: int
    type: Type


Meaning = Symbol | Typedef | Enumerator


@dataclass(slots=True)
class Scope:
    """``names`` are C's ordinary identifiers, ``tags`` those after struct, union and enum."""

    names: dict[str, Meaning] = field(default_factory=dict)
    tags: dict[str, Record | Enumeration] = field(default_factory=dict)


class Scopes:
    """The scopes around the place that is being read, outermost first."""

    def __init__(self) -> None:
        self.stack = [Scope()]

    @property
    def file(self) -> Scope:
        return self.stack[0]

    @property
    def innermost(self) -> Scope:
        return self.stack[-1]

    @property
    def at_file_level(self) -> bool:
        return len(self.stack) == 1

    def enter(self) -> None:
        self.stack.append(Scope())

    def leave(self) -> None:
        self.stack.pop()

    def lookup(self, name: str) -> Meaning | None:
        for scope in reversed(self.stack):
            if (meaning := scope.names.get(name)) is not None:
                return meaning
        return None

    def lookup_tag(self, tag: str) -> Record | Enumeration | None:
        for scope in reversed(self.stack):
            if (found := scope.tags.get(tag)) is not None:
                return found
        return None


# -------------------------------------------------------------------------------------------- jumps
# Check that jumps have a place to go to: ``goto`` a label, ``break`` a loop or switch.
#
# void f(void) { goto end; }      label 'end' is not defined


@dataclass(slots=True)
class Jumps:
    """The labels, jumps and switches of the function that is being read."""

    labels: set[str] = field(default_factory=set)
    wanted: dict[str, Location] = field(default_factory=dict)
    loops: int = 0
    switches: list[set[tuple[int, int] | None]] = field(default_factory=list)  # their cases

    @contextmanager
    def loop(self) -> Iterator[None]:
        self.loops += 1
        yield
        self.loops -= 1

    @contextmanager
    def switch(self) -> Iterator[None]:
        self.switches.append(set())
        yield
        self.switches.pop()

    def label(self, name: str, location: Location) -> None:
        if name in self.labels:
            raise ParseError(f"duplicate label '{name}'", location)
        self.labels.add(name)

    def go(self, name: str, location: Location) -> None:
        self.wanted.setdefault(name, location)

    def case(self, values: tuple[int, int] | None, location: Location) -> None:
        """Add one label of the innermost switch; ``values`` is None for ``default``."""
        if not self.switches:
            raise ParseError("a case label outside of a switch", location)
        if values in self.switches[-1]:
            raise ParseError("duplicate case label in a switch", location)
        self.switches[-1].add(values)

    def leave(self, word: str, location: Location) -> None:
        """Check a ``break`` or ``continue``: it must be inside a loop (or, for ``break``, a
        switch)."""
        if not self.loops and not (word == "break" and self.switches):
            raise ParseError(f"'{word}' outside of a loop", location)

    def finish(self) -> None:
        """Check at the end of a function that every label that is jumped to is defined."""
        for name, location in self.wanted.items():
            if name not in self.labels:
                raise ParseError(f"label '{name}' is not defined", location)


# ------------------------------------------------------------------------------------------ context


@dataclass(slots=True)
class Numbers:
    """Counters for what the source leaves unnamed, in source order."""

    types: int = 0
    literals: int = 0
    enumerations: int = 0
    changes: int = 0
    local: dict[str, int] = field(default_factory=dict)  # tags and enumerators, by function


@dataclass(slots=True)
class Packing:
    """``#pragma pack``: the largest alignment of a member now (0: no limit), and those saved."""

    limit: int = 0
    saved: list[int] = field(default_factory=list)

    def follow(self, pragma: str) -> None:
        """``pack(push, 2)``, ``pack(2)``, ``pack(pop)``, ``pack()``."""
        words = pragma.removeprefix("pack").strip(" \t()").replace(",", " ").split()
        if "push" in words:
            self.saved.append(self.limit)
        if "pop" in words:
            self.limit = self.saved.pop() if self.saved else 0
        elif numbers := [int(word) for word in words if word.isdigit()]:
            self.limit = numbers[0]
        elif "push" not in words:
            self.limit = 0


@dataclass(slots=True)
class Lengths:
    """What the types that are met evaluate, in this order. ``every``: each length that is no
    constant becomes a variable (lengths.py)."""

    every: bool = False
    evaluated: list[Expression] = field(default_factory=list)


class Context(ABC):
    """The state of the translation of one file. Each method is implemented in the module that it is
    named after."""

    def __init__(self, unit: TranslationUnit, system_files: frozenset[str] = frozenset()) -> None:
        self.unit = unit
        self.system_files = system_files
        self.scopes = Scopes()
        self.numbers = Numbers()
        self.packing = Packing()
        self.gnu_inline = False  # are inline functions those of gnu89?
        self.function: Symbol | None = None
        self.jumps = Jumps()
        self.specified: dict[int, Type] = {}  # id of a Struct, Union, Enum node: its type
        self.declared: dict[Symbol, int] = {}  # its place in unit.declarations
        self.parameters: dict[int, tuple[Symbol, ...]] = {}  # id of a FuncDecl node: its names
        self.tokens: Sequence[Token] = ()  # what the spans of nodes count
        self.opaque: dict[str, Record] = {}  # by its spelling
        self.opaque_met = False  # in this function
        self.lengths: Lengths | None = None  # of the types that are met now; None: nobody asks
        self.length_variables: list[Symbol] = []  # the variables for lengths, in this function
        self.parameter_lengths: dict[int, list[Expression]] = {}  # id of a FuncDecl node
        self.evaluated_types: dict[int, Qualified] = {}  # id of a TypeOf node
        self.without_value: set[Symbol] = set()  # objects whose initialiser is not supported

    @abstractmethod
    def expression(self, node: Node) -> Expression:
        """``node`` typed, neither decayed nor promoted."""

    @abstractmethod
    def type_name(self, node: Node) -> Qualified:
        """The type that a declarator, a type name or specifiers stand for."""

    @abstractmethod
    def statements(self, node: Node) -> list[Statement]:
        """The statements of one item of a block: a label makes several of one node, a declaration
        may make none."""

    @abstractmethod
    def block(self, node: Node) -> Compound:
        """A statement as a Compound with a scope of its own."""

    @abstractmethod
    def function_body(self, node: Node) -> Compound:
        """As ``block``, in the scope that the parameters are in (C17 6.2.1p4)."""

    @abstractmethod
    def initializer(self, node: Node, target: Type) -> tuple[Initializer, Type]:
        """An initialiser for ``target``, and ``target`` with its length if it had none."""

    @abstractmethod
    def constant(self, node: Node, what: str) -> int:
        """The value of an integer constant expression; ``what`` names it in an error."""

    @abstractmethod
    def fold(self, expression: Expression) -> int | None:
        """The value of an integer expression if it is constant."""

    def value(self, node: Node) -> Expression:
        """``node`` as a value: arrays and functions are pointers (C17 6.3.2.1)."""
        return decay(self.expression(node))

    def opaque_type(self, spelling: str, size: int, alignment: int) -> Record:
        """The type without parts that ``spelling`` declares: it is stored and passed on, and no
        more."""
        if spelling not in self.opaque:
            tag = "csgtest_" + "_".join(re.findall(r"\w+", spelling))
            made = Record(RecordKind.STRUCT, tag, (), size, alignment, spelling=spelling)
            self.opaque[spelling] = made
        return self.opaque[spelling]

    def meets(self, kind: Type) -> None:
        """Note that a name or an expression has this type."""
        if is_opaque(kind):
            self.opaque_met = True

    def source(self, span: tuple[int, int]) -> str:
        """The text of a range of tokens, as the parser reads them; in place of the names that
        typedef declares, which no unified program has, stands what they mean."""
        return " ".join(map(self._word, self.tokens[slice(*span)]))

    def has_labels(self, span: tuple[int, int]) -> bool:
        """May a label or a case be among these tokens?"""
        kinds = [token.type for token in self.tokens[slice(*span)]]
        return "CASE" in kinds or "DEFAULT" in kinds or ("ID", "COLON") in pairwise(kinds)

    def _word(self, token: Token) -> str:
        if token.extra:
            listed = ", ".join(_attribute_text(each) for each in token.extra)
            return f"{token.value}(({listed}))"
        meaning = self.scopes.lookup(token.value) if token.type == "TYPEID" else None
        if not isinstance(meaning, Typedef):
            return token.value
        found = meaning.meaning
        text = declaration_text(found.type, qualifiers=found.qualifiers)
        derived = isinstance(found.type, Pointer | Array | Function)
        return f"__typeof__({text})" if derived else text

    def unsupported_reason(self, error: CsgtestError) -> str:
        """Why a statement or function is not supported; raises ``error`` again where it is wrong C.
        What an opaque type allows and a structure does not is not wrong."""
        if isinstance(error, UnsupportedError) or (
            self.opaque_met and isinstance(error, ParseError)
        ):
            return error.message
        raise error

    def is_system(self, location: Location) -> bool:
        return location.file in self.system_files

    def warn(self, location: Location, text: str) -> None:
        self.unit.warnings.append((location, text))


def decay(expression: Expression) -> Expression:
    """An array as the pointer to its first element, a function as the pointer to itself."""
    match expression.type:
        case Array(element=element):
            pointer = Pointer(element, qualifiers_of(expression))
            return replace(expression, type=pointer)
        case Function():
            if isinstance(expression, Dereference):  # *f is f again
                return expression.operand
            return replace(expression, type=Pointer(expression.type))
        case _:
            return expression


def qualifiers_of(expression: Expression) -> Qualifiers:
    """The qualifiers of the object that an lvalue designates."""
    match expression:
        case Name(symbol=symbol):
            return symbol.qualifiers
        case Member(record=record, field=member, arrow=arrow):
            outer = pointed_qualifiers(record.type) if arrow else qualifiers_of(record)
            return member.qualifiers | outer
        case Index(base=pointer) | Dereference(operand=pointer):
            return pointed_qualifiers(pointer.type)
        case _:
            return NONE


def pointed_qualifiers(kind: Type) -> Qualifiers:
    return kind.qualifiers if isinstance(kind, Pointer) else NONE


def place(node: Node | None) -> Location:
    """The location of a node; unknown for nodes that the grammar leaves empty."""
    location = getattr(node, "coord", None)
    return location if isinstance(location, Location) else NOWHERE


def refuse(node: Node | None, message: str, hint: str = "") -> ParseError:
    return ParseError(message, place(node), hint)


def mismatch(text: str, location: Location, *types: Type) -> CsgtestError:
    """An error for types that do not fit: wrong C, unless one of them is opaque."""
    if any(map(is_opaque, types)):
        return UnsupportedError(text, location)
    return ParseError(text, location)


def unsupported(node: Node | None, what: str) -> UnsupportedError:
    return UnsupportedError(f"{what} is not supported", place(node))


def _attribute_text(attribute: GnuAttribute) -> str:
    given = " ".join(token.value for token in attribute.arguments)
    return f"{attribute.name}({given})" if given else attribute.name
