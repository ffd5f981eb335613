"""What every lowering rule works with: one function in the making, and the lives of its objects.

The rules are functions in files by theme (``expressions``, ``conditions``, ``lvalues``, ...) that
take a ``Lowering`` first and call each other through it; ``csg.lower.function`` is the table that
says which rule treats which construct.

Local objects of inner blocks begin and end to live (C17 6.2.4p6):

    while (c) {
        int x;                begin x: uninitialised, each time round
        p = &x;
        if (d) break;         the break ends x
    }                         so does the end of the block
    *p                        an error

As far as gcc's AddressSanitizer follows it: an object begins at its declaration and not with its
block; at a label every object in scope is alive, since who jumps there may have come by no
declaration; a computed goto ends nothing; arrays of variable length live until the function
returns, and so does what the outermost block declares.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from csg.errors import Location, UnsupportedError
from csg.ir import Block, Lifetime, Register, Slot, Value
from csg.language.syntax import (
    Expression,
    Initializer,
    Statement,
    StringLiteral,
    Symbol,
    Version,
)
from csg.language.types import CHAR, Array, Pointer, Type, alignment_of, size_of
from csg.lower.builder import FunctionBuilder
from csg.lower.places import Place, Use, by_address
from csg.lower.tables import NodeTable, Objects
from csg.records import record


@dataclass(slots=True)
class LabelTarget:
    block: Block
    scope: Scope | None = None  # where it is defined
    defined: bool = False
    used: Location | None = None


@record
class LabelEntry:
    """The address of a label, stored in a static object at ``offset``."""

    object: str
    offset: int
    label: str
    version: Version


@dataclass(slots=True)
class SwitchCases:
    """The cases of one switch, collected while its body is lowered."""

    width: int
    signed: bool
    node: int
    region: Version | None
    scope: Scope
    cases: list[tuple[int, int, int, Version | None]] = field(default_factory=list)
    defaults: list[tuple[Block, Version | None]] = field(default_factory=list)


class Lowering(ABC):
    """The state of lowering one function. In ``breaks`` and ``continues`` the innermost target is
    last."""

    def __init__(self, name: str, result: Type, objects: Objects, nodes: NodeTable) -> None:
        self.name = name
        self.is_entry = False
        self.result = result
        self.objects = objects
        self.nodes = nodes
        self.builder = FunctionBuilder(name)
        self.exit = self.builder.new_block()
        self.result_register: Register | None = None
        self.result_address: Register | None = None
        self.registers: dict[Symbol, Register] = {}
        self.slots: dict[Symbol, int] = {}
        self.array_sizes: dict[int, tuple[Array, Register]] = {}  # by identity of the type
        self.array_lengths: dict[int, Register] = {}  # of the same types
        self.written: frozenset[Symbol] = frozenset()  # variables, after their declarations
        self.array_owners: dict[int, Symbol] = {}  # whose declarations compute both
        self.checks = nodes.numbered  # indexes; models and static initialisers have no checks
        self.breaks: list[Block] = []
        self.continues: list[Block] = []
        self.scope = Scope()
        self.jump_scopes: dict[int, Scope] = {}  # of the blocks that break and continue go to
        self.open_gotos: list[tuple[Block, str, Scope]] = []
        self.switches: list[SwitchCases] = []
        self.labels: dict[str, LabelTarget] = {}
        self.addressed_labels: list[str] = []
        self.label_entries: list[LabelEntry] = []
        self.inside_expression = 0  # depth of statement expressions: they share one node

    @abstractmethod
    def value(self, expression: Expression) -> Value:
        """A scalar's value in its own type's width; the address of anything that has no register
        form (arrays, records, functions)."""

    @abstractmethod
    def discard(self, expression: Expression) -> None:
        """Evaluate an expression for its side effects only; its type may be void."""

    @abstractmethod
    def condition(self, expression: Expression) -> Value:
        """``expression != 0`` as a value of width 1."""

    @abstractmethod
    def branch(self, expression: Expression, then: Block, otherwise: Block) -> None:
        """Go to ``then`` or ``otherwise``; the present block is closed afterwards."""

    @abstractmethod
    def place(self, expression: Expression, use: Use = Use.ACCESSED) -> Place:
        """Where the object that an lvalue designates is stored."""

    @abstractmethod
    def initialize(self, place: Place, kind: Type, initializer: Initializer) -> None:
        """Write the initial contents to an object that was just made."""

    @abstractmethod
    def define_static(self, symbol: Symbol, initializer: Initializer | None) -> None:
        """Define an object of static duration inside a function: a block-scope static, or a
        compound literal."""

    @abstractmethod
    def statement(self, statement: Statement) -> None:
        """Lower one statement."""

    @abstractmethod
    def in_region(self, version: Version, body: Callable[[], None]) -> None:
        """Lower ``body`` for one version only."""

    def temporary(self, name: str, kind: Type) -> Value:
        """The address of a fresh unnamed object."""
        slot = Slot(name, size_of(kind), alignment_of(kind), kind)
        return self.builder.slot_address(self.builder.slot(slot))

    def admit(self, text: str) -> None:
        """Let every path through here record that something is not exact."""
        literal = StringLiteral(text.encode(), Pointer(CHAR), 1, "")
        place = self.builder.global_address(self.objects.string(literal))
        self.builder.call(self.objects.model("__csgtest_approximated"), (place,), 0)

    def leave_to(self, block: Block, location: Location) -> None:
        """Jump to ``block`` for a break, continue, goto or return."""
        if block.region is not self.builder.region:
            raise UnsupportedError(
                "control leaves code that only one version executes",
                location,
                "write the change as a condition: if (change(0, c)) ...",
            )
        self.builder.jump_away(block)


@dataclass(slots=True, eq=False)
class Scope:
    """A block of the source, with the slots that it has declared so far. The outermost block has no
    ``outer`` and lists no slots."""

    outer: Scope | None = None
    slots: list[int] = field(default_factory=list)


def enter(lowering: Lowering) -> None:
    lowering.scope = Scope(lowering.scope)


def leave(lowering: Lowering) -> None:
    """End the objects of the block, if control comes to its end."""
    scope = lowering.scope
    assert scope.outer is not None
    if lowering.builder.block.terminator is None:
        _put(lowering, "end", scope.slots)
    lowering.scope = scope.outer


def begin(lowering: Lowering, slot: int) -> None:
    """Begin the life of an object: at its declaration, or where its compound literal is
    evaluated."""
    scope = lowering.scope
    if scope.outer is None:
        return
    if slot not in scope.slots:
        scope.slots.append(slot)
    _put(lowering, "begin", [slot])


def needs_slot(symbol: Symbol) -> bool:
    """Is it an object in memory that pointers may outlive?"""
    return symbol.address_taken or by_address(symbol.type)


def leave_down_to(lowering: Lowering, goal: Scope) -> None:
    """End the objects of the scopes inside ``goal``, for a break or continue."""
    _put(lowering, "end", _between(lowering.scope, goal))


def resume(lowering: Lowering, goal: Scope | None = None) -> None:
    """At a label: objects in scope are alive, down to ``goal`` (None: in all scopes)."""
    _put(lowering, "resume", _between(lowering.scope, goal))


def note_goto(lowering: Lowering, label: str) -> None:
    """Note a goto: which objects it ends is known when the place of its label is."""
    lowering.open_gotos.append((lowering.builder.block, label, lowering.scope))


def resolve_gotos(lowering: Lowering) -> None:
    for block, label, scope in lowering.open_gotos:
        goal: Scope | None = lowering.labels[label].scope
        around = _chain(scope)
        while goal is not None and goal not in around:
            goal = goal.outer
        _put_in(lowering, block, "end", _between(scope, goal))


def _chain(scope: Scope | None) -> list[Scope]:
    found = []
    while scope is not None:
        found.append(scope)
        scope = scope.outer
    return found


def _between(scope: Scope, goal: Scope | None) -> list[int]:
    found: list[int] = []
    for each in _chain(scope):
        if each is goal:
            break
        found += each.slots
    return found


def _put(lowering: Lowering, event: str, slots: list[int]) -> None:
    _put_in(lowering, lowering.builder.block, event, slots)


def _put_in(lowering: Lowering, block: Block, event: str, slots: list[int]) -> None:
    if slots:
        version = lowering.builder.version
        place = len(block.instructions)
        block.lifetimes.append(Lifetime(place, event, tuple(slots), version))
