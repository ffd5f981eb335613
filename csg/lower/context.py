"""What every lowering rule works with: one function in the making.

The rules are functions in files by theme (``expressions``, ``conditions``, ``calls``, ...) that
take a ``Lowering`` first and call each other through it; ``csg.lower.function`` is the table that
says which rule treats which construct.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from csg.errors import UnsupportedError
from csg.ir import Block, Register, Slot, Value
from csg.language.syntax import Expression, Initializer, Statement, Symbol, Version
from csg.language.types import Array, Type, alignment_of, size_of
from csg.lower.builder import FunctionBuilder
from csg.lower.lifetimes import Scope
from csg.lower.places import Place
from csg.lower.tables import NodeTable, Objects
from csg.records import record
from csg.source import Location


@dataclass(slots=True)
class LabelTarget:
    block: Block
    scope: Scope | None = None  # where it is defined
    defined: bool = False
    used: Location | None = None


@record
class LabelEntry:
    """The address of a label of the function around, in the object at ``offset``."""

    object: str
    offset: int
    label: str
    version: Version


@dataclass(slots=True)
class SwitchCases:
    """The cases of one switch, gathered while its body is lowered."""

    width: int
    signed: bool
    node: int
    region: Version | None
    scope: Scope
    cases: list[tuple[int, int, int, Version | None]] = field(default_factory=list)
    defaults: list[tuple[Block, Version | None]] = field(default_factory=list)


class Lowering(ABC):
    """One function. ``breaks`` and ``continues`` are the innermost targets last."""

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
        self.variable_arrays: dict[Symbol, Register] = {}
        self.array_sizes: dict[int, tuple[Array, Register]] = {}  # by identity of the type
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
        """Evaluate for the effects alone; the type may be void."""

    @abstractmethod
    def condition(self, expression: Expression) -> Value:
        """``expression != 0`` as a value of width 1."""

    @abstractmethod
    def branch(self, expression: Expression, then: Block, otherwise: Block) -> None:
        """Go to ``then`` or ``otherwise``; the present block is closed afterwards."""

    @abstractmethod
    def place(self, expression: Expression) -> Place:
        """Where the lvalue lives."""

    @abstractmethod
    def define_static(self, symbol: Symbol, initializer: Initializer | None) -> None:
        """A block-scope static or a compound literal of static duration."""

    @abstractmethod
    def statement(self, statement: Statement) -> None:
        """Lower one statement."""

    def temporary(self, name: str, kind: Type) -> Value:
        """The address of a fresh unnamed object."""
        slot = Slot(name, size_of(kind), alignment_of(kind), kind)
        return self.builder.slot_address(self.builder.slot(slot))

    def leave_to(self, block: Block, location: Location) -> None:
        """break, continue, goto, return."""
        if block.region is not self.builder.region:
            raise UnsupportedError(
                "control leaves code that only one version executes",
                location,
                "write the change as a condition: if (change(0, c)) ...",
            )
        self.builder.jump_away(block)
