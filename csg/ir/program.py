"""Functions, memory objects and the table of statements that instructions point into."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from csg.errors import NOWHERE, Location
from csg.ir.conventions import Convention
from csg.ir.instructions import Instruction, Register, Terminator, Value
from csg.language.syntax import Expression, Version
from csg.language.types import Type
from csg.records import record

# prefix of the name of an entry function that calls the user's function as a caller would
DRIVEN = "driven_"


class StatementKind(StrEnum):
    """What a statement is to the graphs."""

    STATEMENT = "statement"
    CONDITION = "condition"
    DECLARATION = "declaration"
    CALL = "call"
    RETURN = "return"
    ENTRY = "entry"
    EXIT = "exit"


@record
class Node:
    """A statement as graphs show it: a simple statement, a declaration with initialiser, one
    condition (each operand of && and || counts to the same node), a for-step, a function's entry.

    ``changes`` are the changes that stand in it (not those that merely reach it); ``version`` is
    set when only one version has the whole statement (a deletion has OLD).
    """

    id: int
    function: str
    location: Location
    text: str  # one line of C, as written
    kind: StatementKind
    changes: frozenset[int] = frozenset()
    version: Version | None = None
    output: bool = False  # calls something that writes, ends the program, or returns from it


@record
class Decision:
    """What a branch or a switch decides, in the words of the source; ``Branch.site`` and
    ``Switch.site`` count decisions from 1. ``node`` is the statement; ``version``: only that
    version makes the decision."""

    expression: Expression
    location: Location
    node: int
    version: Version | None = None


@record
class Slot:
    """A local object in memory; each call of the function has a new one."""

    name: str
    size: int
    alignment: int
    type: Type | None = None
    location: Location = NOWHERE


@record
class Lifetime:
    """Slots whose objects ``begin`` to live before the instruction at ``place`` (at their
    declaration), ``end`` to (with their block), or ``resume`` (at a label: they live, whatever was
    before). These are no instructions, since they belong to no statement."""

    place: int
    event: str
    slots: tuple[int, ...]
    version: Version | None = None


@dataclass(slots=True)
class Block:
    index: int
    instructions: list[Instruction] = field(default_factory=list)
    terminator: Terminator | None = None  # set before lowering ends
    region: Version | None = None  # inside an Enter of that version
    lifetimes: list[Lifetime] = field(default_factory=list)  # by place


@dataclass(slots=True)
class FunctionCode:
    """``blocks[0]`` is the entry, ``blocks[exit]`` the only one that returns. ``parameters`` hold
    the arguments on entry (a by-value struct: the address of the caller's copy; a hidden result
    address comes first). Parameters in memory are stored to their slot by the first block."""

    name: str
    parameters: tuple[Register, ...]
    variadic: bool = False
    result_width: int = 0  # 0: void (or struct, through the hidden parameter)
    blocks: list[Block] = field(default_factory=list)
    exit: int = 0
    slots: list[Slot] = field(default_factory=list)
    registers: int = 0
    register_names: dict[int, str] = field(default_factory=dict)  # C variables in registers
    location: Location = NOWHERE
    type: Type | None = None
    convention: Convention | None = None  # None: it is made up, and takes what it gets
    library: bool = False  # a model of csgtest, not the user's code
    static: bool = False


@record
class Relocation:
    """The 8 bytes at ``offset`` are the address of ``symbol`` (an object or a function) plus
    ``addend``."""

    offset: int
    symbol: str
    addend: int = 0


@record
class GlobalObject:
    """An object of the whole program, of ``size`` bytes. ``old_data`` and ``old_relocations`` are
    set when the two versions initialise the same object differently."""

    name: str
    size: int
    alignment: int
    data: bytes
    relocations: tuple[Relocation, ...] = ()
    readonly: bool = False
    external: bool = False  # declared but defined nowhere: the environment provides it
    old_data: bytes | None = None
    old_relocations: tuple[Relocation, ...] = ()
    type: Type | None = None
    location: Location = NOWHERE
    node: int | None = None  # the file-scope declaration, when its initialiser holds changes


class ChangeKind(StrEnum):
    """What a patch does to a statement. The last four change what a name means, and all that uses
    it with it."""

    MODIFIED = "modified"
    ADDED = "added"
    DELETED = "deleted"
    TYPE = "type"  # of an object
    SIGNATURE = "signature"  # of a function
    VALUE = "value"  # of an enumerator
    LAYOUT = "layout"  # of a structure or union

    @staticmethod
    def of_texts(old: object, new: object) -> ChangeKind:
        """By what there is in each version: a text, a place, nodes."""
        if not old:
            return ChangeKind.ADDED
        return ChangeKind.MODIFIED if new else ChangeKind.DELETED

    @property
    def is_of_meaning(self) -> bool:
        return self not in (ChangeKind.MODIFIED, ChangeKind.ADDED, ChangeKind.DELETED)


class Granularity(StrEnum):
    """What of the program a change replaces as a whole."""

    EXPRESSION = "expression"
    STATEMENT = "statement"
    FUNCTION = "function"


@record
class ChangeInfo:
    """A change as graphs and reports present it (``report.json`` changes[])."""

    id: int
    kind: ChangeKind
    function: str
    location: Location  # in the new version; for a deletion where it would stand
    old_location: Location | None
    old_text: str
    new_text: str
    requires: frozenset[int] = frozenset()
    cause: str = ""  # the definition behind a change whose own line stayed as it was
    hunk: int = 0  # number of the edit of the text that it is a part of


@dataclass(slots=True)
class Program:
    functions: dict[str, FunctionCode] = field(default_factory=dict)
    globals: dict[str, GlobalObject] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    changes: list[ChangeInfo] = field(default_factory=list)
    entry: str = "main"
    undefined: set[str] = field(default_factory=set)  # functions called, defined nowhere
    conventions: dict[str, Convention] = field(default_factory=dict)  # of models in Python
    weak: set[str] = field(default_factory=set)  # names that may be defined nowhere
    absent: set[str] = field(default_factory=set)  # those that are: their address is null
    before_main: list[str] = field(default_factory=list)  # functions, in the order they run
    after_main: list[str] = field(default_factory=list)
    carried: set[str] = field(default_factory=set)  # objects that hold what earlier calls left
    nameless: set[str] = field(default_factory=set)  # what callers know by no name
    # loads of numbers that may meet a pointer: function, block, index
    numbers_of_pointers: set[tuple[str, int, int]] = field(default_factory=set)
    decisions: list[Decision] = field(default_factory=list)  # none of a library


__all__ = [
    "Block",
    "ChangeInfo",
    "Decision",
    "FunctionCode",
    "GlobalObject",
    "Lifetime",
    "Node",
    "Program",
    "Relocation",
    "Slot",
    "Value",
]
