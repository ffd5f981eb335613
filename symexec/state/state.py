"""One symbolic execution of both versions at once, and its frames: activations of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Generic, TypeVar

from csg.errors import Location
from csg.ir import Kind, Passed
from csg.records import record
from symexec.expr import Data, Operand, Term, new_half, old_half
from symexec.ledger import Omission, Reason
from symexec.memory import BOTH, NEW, OLD, Memory, merged
from symexec.state.inputs import FIRST_VALUE, FULL, Decisions, Input, Script, Seed
from symexec.state.put_area import Put, PutArea

if TYPE_CHECKING:
    from csg.ir import FunctionCode
    from symexec.solver import Assignment, PathCondition
    from symexec.state.endings import PathEnding

Item = TypeVar("Item")

# ----------------------------------------------------------------------------------------- frames
# Frames: one activation of a function.

Variadic = tuple[Data, int, Passed]  # a value behind an ellipsis, its width, and as what it comes
Chunk = Callable[["State", list[Data]], "Chunk | None"]  # compiled code, up to what stops it


class Frame:
    """Where a call stands. A frame is written only by the state that owns it; a fork shares it.

    ``block`` and ``index`` are the place to go on from. ``result`` is the caller's register for the
    value (None: not wanted), and ``taken`` says as what it gives the value and the caller takes it,
    where these differ. ``slots`` are the object numbers of the locals in memory; ``stack``
    counts the bytes of its locals and of those of its callers. ``version`` is 0 when
    the frame serves both versions, 1 or 2 when it was entered by one of them alone.
    """

    __slots__ = (
        "block",
        "caller",
        "depth",
        "function",
        "index",
        "loops",
        "owner",
        "registers",
        "result",
        "resume",
        "slots",
        "stack",
        "taken",
        "variadic",
        "version",
    )

    def __init__(self, function: FunctionCode, caller: Frame | None, owner: object) -> None:
        self.function = function
        self.caller = caller
        self.depth: int = 0 if caller is None else caller.depth + 1
        self.owner = owner
        self.registers: list[Data] = [0] * function.registers
        self.block = 0
        self.index = 0
        self.result: int | None = None
        self.taken: tuple[Kind, Kind] | None = None
        self.slots: tuple[int, ...] = ()
        self.stack: int = 0 if caller is None else caller.stack
        self.version = 0
        self.resume: Chunk | None = None  # the chunk to go on with, when it is known
        self.variadic: tuple[Variadic, ...] = ()  # behind the ellipsis
        self.loops: dict[int, int] | None = None  # symbolic decisions taken at a block

    def copy(self, owner: object) -> Frame:
        twin = Frame.__new__(Frame)
        twin.function = self.function
        twin.caller = self.caller
        twin.depth = self.depth
        twin.owner = owner
        twin.registers = self.registers.copy()
        twin.block = self.block
        twin.index = self.index
        twin.result = self.result
        twin.taken = self.taken
        twin.slots = self.slots
        twin.stack = self.stack
        twin.version = self.version
        twin.resume = self.resume
        twin.variadic = self.variadic
        twin.loops = None if self.loops is None else self.loops.copy()
        return twin


# ------------------------------------------------------------------------------------------ state
# One symbolic execution of both versions at once.
#
# While ``mode`` is BOTH every value may be a pair. A region (an ``execute(OLD)`` block, or the
# stretch between a divergence and the place where the paths meet again) is run by one version
# alone: it reads and writes its own halves only. When a version has ended, or is not followed any
# further, the other goes on *alone*.


@record
class Region:
    """One version runs until the frame at ``depth`` reaches ``join`` (block, index); then, if
    ``then_version`` is set, the other runs from ``then_place`` to the same join. A join at an index
    other than 0 ends a single instruction."""

    depth: int
    join: tuple[int, int]
    then_version: int = BOTH
    then_place: tuple[int, int] = (-1, 0)


class DivergenceKind(StrEnum):
    CONTROL = "control"  # a branch
    ENDING = "ending"  # one version ends
    OUTPUT = "output"  # what is put out differs


@record
class Divergence:
    """A place where the versions diverge: a branch (``directions`` says what the new version does),
    the end of one of them, or an output that differs."""

    kind: DivergenceKind
    location: Location
    node: int
    directions: str


@record
class Formatted:
    """A number as a printf conversion prints it, without its digits, so that printing never forks.

    ``printf("%5d", x)`` writes ``Formatted("%5d", x)``. ``spec`` is normalised: flags, width and
    precision, the letter, no length; the term's width says which type. Equal specs and equal terms
    print equal text.
    """

    spec: str
    term: Term


@record
class Settled:
    """What a stream holds back is written now, or ``lost``."""

    number: int
    lost: bool = False


@record
class Holder:
    """The stream that an item is put into. ``area``: its buffer when the ``turn`` began, which a
    new buffer or a seek ends; ``how``: the way it is put, None before the last item of a text."""

    number: int
    turn: int
    area: PutArea
    how: Put | None


@record
class Moment:
    """Code of the caller runs here: a callback that gets the ``arguments``, or that behind the call
    (``name`` is empty). It can look at the memory and the environment store of the version."""

    name: str
    location: Location
    memory: Memory
    environment: Mapping[str, object]
    arguments: tuple[Data, ...]


OutputItem = bytes | Term | Formatted | Settled | Moment


@record
class Output:
    """What a version wrote, newest first: ``item``, and what was written ``before`` it. ``holder``:
    the stream that holds it back; None: it was written to a descriptor."""

    before: Output | None
    stream: int
    item: OutputItem
    holder: Holder | None = None

    @staticmethod
    def all(last: Output | None) -> list[Output]:
        """All of it, oldest first."""
        found: list[Output] = []
        while last is not None:
            found.append(last)
            last = last.before
        found.reverse()
        return found


@record
class Lost:
    """A heap object that nothing points to at the end, and where it was allocated."""

    name: str
    location: Location


@record
class Outcome:
    """How one version ended, with all that it wrote, and its part of the environment store.
    ``leaks``: None when they were not looked for."""

    ending: PathEnding
    output: Output | None
    location: Location
    environment: Mapping[str, object]
    leaks: tuple[Lost, ...] | None = None


@record
class Chain(Generic[Item]):
    """A list that forks share: its newest element, and the list before it."""

    before: Chain[Item] | None
    item: Item
    length: int

    @staticmethod
    def items(last: Chain[Item] | None) -> list[Item]:
        """The items, oldest first."""
        found: list[Item] = []
        while last is not None:
            found.append(last.item)
            last = last.before
        found.reverse()
        return found


class State:
    """See the module. Everything here is either immutable or owned through ``owner``."""

    __slots__ = (
        "alone",
        "beyond",
        "decisions",
        "deferred",
        "divergences",
        "environment",
        "events",
        "folded",
        "forks",
        "frame",
        "id",
        "inputs",
        "lane",
        "largest",
        "memory",
        "mode",
        "new_outcome",
        "new_output",
        "old_outcome",
        "old_output",
        "origin",
        "owner",
        "path",
        "recent",
        "region",
        "script",
        "seed",
        "sequence",
        "shadows",
        "steps",
        "targets",
        "trace",
        "write_mode",
    )

    def __init__(self, memory: Memory, path: PathCondition) -> None:
        self.id = 0
        self.deferred = 0  # steps behind others: rests of guesses, what is seldom written
        self.lane = 0  # which beginning it comes from
        self.beyond = False  # that beginning is larger than the bounds, which say nothing of it
        self.origin: object = None  # that beginning (campaign.start)
        self.owner: object = object()
        self.memory = memory
        self.path = path
        self.frame: Frame | None = None
        self.mode = BOTH
        self.write_mode = BOTH  # the halves that a store touches: both once a version is alone
        self.alone = False
        self.region: Region | None = None
        self.environment: dict[str, object] = {}
        self.inputs: tuple[Input, ...] = ()
        # for sizes of objects: the largest that is followed
        self.largest: tuple[tuple[Operand, int], ...] = ()
        self.old_output: Output | None = None
        self.new_output: Output | None = None
        self.old_outcome: Outcome | None = None
        self.new_outcome: Outcome | None = None
        self.divergences: tuple[Divergence, ...] = ()
        self.events: Chain[Omission] | None = None
        self.sequence: Chain[int] | None = None
        self.targets: frozenset[int] = frozenset()
        self.trace = 0
        self.steps = 0
        self.forks = 0
        self.folded = 0  # its sequence, each node once: a number (search.targets.Sequences)
        self.seed: Seed | None = None  # the input that is followed; None: all ways are
        self.decisions: Decisions | None = None  # what the solver has answered on the way here
        self.recent = 1  # the last answers (state.inputs)
        self.script: Script | None = None  # the decisions that are followed; None: all ways are
        self.shadows = False  # has any value ever differed on this path?

    def fork(self) -> State:
        """A second state at the same place; from now on both copy what they write."""
        twin = State.__new__(State)
        twin.alone = self.alone
        twin.beyond = self.beyond
        twin.decisions = self.decisions
        twin.deferred = self.deferred
        twin.divergences = self.divergences
        twin.events = self.events
        twin.folded = self.folded
        twin.forks = self.forks
        twin.id = self.id
        twin.inputs = self.inputs
        twin.lane = self.lane
        twin.largest = self.largest
        twin.mode = self.mode
        twin.new_outcome = self.new_outcome
        twin.new_output = self.new_output
        twin.old_outcome = self.old_outcome
        twin.old_output = self.old_output
        twin.origin = self.origin
        twin.path = self.path
        twin.recent = self.recent
        twin.region = self.region
        twin.script = self.script
        twin.seed = self.seed
        twin.sequence = self.sequence
        twin.shadows = self.shadows
        twin.steps = self.steps
        twin.targets = self.targets
        twin.trace = self.trace
        twin.write_mode = self.write_mode
        twin.memory = self.memory.fork()
        self.owner = object()
        twin.owner = object()
        twin.environment = self.environment.copy()
        if self.frame is not None:
            twin.frame = self.frame.copy(twin.owner)
            self.frame = self.frame.copy(self.owner)
        return twin

    @property
    def leading(self) -> Assignment | Script | None:
        """The values of the inputs that are followed, or the decisions, if any are."""
        if self.script is not None:
            return self.script
        return None if self.seed is None else self.seed.under(self.inputs)

    def answered(self, answer: int) -> None:
        """Note what the solver has answered to a question about this state (``state.inputs``)."""
        if answer >= FIRST_VALUE:
            self.decisions = Decisions(self.decisions, self.recent, answer)
            self.recent = 1
        elif self.recent < FULL:
            self.recent = self.recent << 2 | answer
        else:
            self.decisions = Decisions(self.decisions, self.recent << 2 | answer, -1)
            self.recent = 1
        if self.script is not None:
            self.script = self.script.after(answer)

    def goes_on_from(self, other: State) -> None:
        """Take over what was decided, and assumed, for a copy of this state."""
        self.path = other.path
        self.decisions, self.recent, self.script = other.decisions, other.recent, other.script

    @property
    def top(self) -> Frame:
        assert self.frame is not None
        return self.frame

    def owned_frame(self) -> Frame:
        """The innermost frame, made writable."""
        frame = self.top
        if frame.owner is not self.owner:
            frame = frame.copy(self.owner)
            self.frame = frame
        return frame

    @property
    def masked(self) -> bool:
        """Does the innermost frame hold pairs of which only one half may be accessed?"""
        return self.region is not None and self.top.depth == self.region.depth

    def note(self, reason: Reason, text: str, location: Location) -> None:
        """Note what this path leaves out, for the ledger."""
        length = 0 if self.events is None else self.events.length
        self.events = Chain(self.events, Omission(reason, text, location), length + 1)

    def note_again(self, other: State) -> None:
        """Note the last event of another state in this one as well."""
        if other.events is not None:
            event = other.events.item
            self.note(event.reason, event.text, event.location)

    def visit(self, node: int) -> None:
        """Note that a node of the change sequence graph is executed."""
        length = 0 if self.sequence is None else self.sequence.length
        self.sequence = Chain(self.sequence, node, length + 1)

    def put_out(self, item: OutputItem, stream: int = 0, holder: Holder | None = None) -> None:
        """Add to what the running versions have written."""
        if self.mode != NEW:
            self.old_output = Output(self.old_output, stream, item, holder)
        if self.mode != OLD:
            self.new_output = Output(self.new_output, stream, item, holder)

    def project_frames(self, mode: int) -> None:
        """Reduce every register to one version's half: the other version is gone for good."""
        half = old_half if mode == OLD else new_half
        stack: list[Frame] = []
        frame = self.frame
        while frame is not None:
            stack.append(frame)
            frame = frame.caller
        caller: Frame | None = None
        for frame in reversed(stack):
            twin = frame.copy(self.owner)
            twin.caller = caller
            twin.resume = None
            twin.registers = [
                value if value.__class__ is int else half(value) for value in frame.registers
            ]
            if twin.variadic:
                twin.variadic = tuple((half(v), width, kind) for v, width, kind in twin.variadic)
            twin.version = mode
            caller = twin
        self.frame = caller

    def set_register(self, number: int, value: Data) -> None:
        """Set a register; in a masked frame one half of it."""
        registers = self.owned_frame().registers
        if self.mode != BOTH and self.masked:
            value = merged(registers[number], value, self.mode)
        registers[number] = value


# ------------------------------------------------------------------------------------ environment
# The environment store: what models of the library keep from one call to the next.


class Absent(Enum):
    """The missing half of an entry that only one version has made so far."""

    ABSENT = "absent"


@record
class Versioned:
    """An entry of the environment store that differs between the versions."""

    old: object
    new: object


def environment_of(state: State, mode: int) -> dict[str, object]:
    """The environment store as one version sees it."""
    found = state.environment.copy()
    for key, item in state.environment.items():
        if isinstance(item, Versioned):
            half = item.old if mode == OLD else item.new
            if half is Absent.ABSENT:
                del found[key]
            else:
                found[key] = half
    return found


__all__ = ["BOTH", "NEW", "OLD", "Divergence", "Outcome", "Output", "Region", "State"]
