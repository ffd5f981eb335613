"""An input of the program under test: which symbols stand for it.

int f(int x, char *s)      Input("parameter", "x", "int", 32, (x,), signed=True)
                           Input("string", "s", "char", 8, (s[0], s[1], 0))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum

from csg.records import record
from symexec.expr import Operand, Term
from symexec.memory import AllocationKind, Memory
from symexec.solver import Assignment, PathCondition


class InputKind(StrEnum):
    """Where an input of the program under test comes in."""

    PARAMETER = "parameter"
    STRING = "string"
    ARRAY = "array"
    GLOBAL = "global"
    ARGUMENT = "argument"  # bytes, ended by the first 0
    STDIN = "stdin"  # bytes; ``size`` says how many there are
    FILE = "file"  # likewise
    OBJECT = "object"  # of klee_make_symbolic; bytes or one whole value
    NONDET = "nondet"
    NULL = "null"  # says where a pointer leads, and has no terms
    STRUCTURE = "structure"  # likewise, but for the number of elements where there are several
    INSIDE = "inside"  # a pointer into another object; ``type`` names it, the term is the distance


@record
class Input:
    """One input and its elements, each of ``width`` bits.

    ``type`` is the C text of an element. ``order``
    numbers objects and nondet values as the program asks for them. ``scalar``: the value is the
    element, not a list of one. ``exists``: the condition that a file is there. ``tight``: the
    object of a text ends with its first 0.
    """

    kind: InputKind
    name: str
    type: str
    width: int
    terms: tuple[Operand, ...]
    signed: bool = False
    floating: bool = False
    size: Operand | None = None
    order: int = 0
    scalar: bool = False
    exists: Operand = 1
    tight: bool = False


# ------------------------------------------------------------------------------------------ seeds
# A seed: one concrete input that a state follows while its inputs stay symbolic.
#
#     seed = Seed(lambda inputs: {x: -1})
#     seed.under(state.inputs).holds(x < 0)      ->  True: this way, without asking a solver
#
# The path condition grows as if both ways had been open, so whoever leaves the seed's way starts
# from all inputs that come here, not from the one (concolic execution).


Values = Callable[[tuple[Input, ...]], dict[Term, int]]


class Guided(Assignment):
    """A model of a path that has been searched. A state that follows it takes the same ways, also
    where the versions diverge, under the same conditions. ``way``: from each condition to the next.
    A condition that is neither the next one nor a part of it is one that the search did not have to
    assume."""

    __slots__ = ("way",)

    def __init__(self, values: dict[Term, int], path: PathCondition, first: PathCondition) -> None:
        """Make a model of the conditions from ``first`` to ``path``."""
        super().__init__(values)
        self.way: dict[PathCondition, PathCondition] = {}
        node = path
        while node is not first:
            assert node.parent is not None
            self.way[node.parent] = node
            node = node.parent

    def along(self, path: PathCondition, condition: Operand) -> PathCondition:
        """The path extended by a condition that this model fulfils."""
        extended = path.assuming(condition)
        following = self.way.get(path)
        if following is None:
            return extended  # beyond what the search has assumed
        found: list[Term | None] = []
        while extended is not path:
            found.append(extended.term)
            assert extended.parent is not None
            extended = extended.parent
        for term in reversed(found):
            ahead: PathCondition | None = following
            while ahead is not None and ahead.term is not term and _other_value(ahead.term, term):
                ahead = self.way.get(ahead)
            if ahead is not None and ahead.term is term:
                path, following = ahead, self.way.get(ahead)
        return path


def _other_value(left_out: Term | None, chosen: Term | None) -> bool:
    """Is it ``not (x == 49)`` before ``x == 50``? A search that tries one value after the other has
    excluded the first ones; a state that knows the value takes it at once."""
    if left_out is None or chosen is None or left_out.op != "not" or chosen.op != "eq":
        return False
    other = left_out.args[0]
    return (
        other.op == "eq"
        and other.args[0] is chosen.args[0]
        and other.args[1].value is not None
        and chosen.args[1].value is not None
    )


class Seed:
    """One concrete input. ``values`` gives the symbols of each input their values; it is called
    again when the program has made more inputs."""

    stays = False  # does it divide the versions where they diverge?

    def __init__(self, number: int, values: Values) -> None:
        self.number = number
        self.values = values
        self._inputs: tuple[Input, ...] | None = None
        self._known = Assignment({})

    def under(self, inputs: tuple[Input, ...]) -> Assignment:
        if inputs is not self._inputs:
            self._inputs = inputs
            self._known = Assignment(self.values(inputs))
        return self._known


class Guide(Seed):
    """Follows one path of a search to its end, through every divergence."""

    stays = True

    def __init__(self, known: Guided) -> None:
        super().__init__(0, lambda inputs: known.values)
        self._known = known

    def under(self, inputs: tuple[Input, ...]) -> Assignment:
        return self._known


# --------------------------------------------------------------------------------------- decisions
# What the solver has answered about a state, in order: enough to get there again without a solver.
#
#     if (x < 5) ..         both ways are possible, and this state took "true"      3
#     if (x < 9) ..         always true there                                       1
#     p[x], x becomes 3     a value that a model had, or the way of a switch        FIRST_VALUE + 3
#
# A state has two bits for each answer, and forks share those that they have in common. Whoever
# follows a script takes the same ways under the same conditions.

FIRST_VALUE = 4  # smaller numbers are answers to yes or no: 2 * (both were possible) + (it is true)
FULL = 1 << 60  # ``State.recent`` holds answers behind a leading 1


@record
class Decisions:
    """Answers that forks share: ``word`` holds some to yes or no, two bits each behind a leading 1;
    ``value`` came after them, -1 for none."""

    before: Decisions | None
    word: int
    value: int


def answers_of(last: Decisions | None, recent: int) -> list[int]:
    """The answers, oldest first."""
    pieces = [(recent, -1)]
    while last is not None:
        pieces.append((last.word, last.value))
        last = last.before
    found: list[int] = []
    for word, value in reversed(pieces):
        found += (word >> shift & 3 for shift in range(word.bit_length() - 3, -1, -2))
        if value >= 0:
            found.append(value)
    return found


class Misfit(Exception):
    """The program asks something that the script does not answer."""


@record
class Prefix:
    """A state as its decisions. ``initial``: which initial state it comes from; ``steps`` and
    ``place`` say where behind the last decision it stands; ``deferred`` and ``forks`` are what the
    search goes by."""

    initial: int
    beyond: bool
    deferred: int
    forks: int
    steps: int
    place: int
    answers: tuple[int, ...]

    def encoded(self) -> bytes:
        """A few bytes: numbers of seven bits a byte, answers to yes or no four a byte."""
        out = bytearray()
        head = (self.initial, self.beyond, self.deferred, self.forks, self.steps, self.place)
        for number in (*head, len(self.answers)):
            _write(out, int(number))
        word = 1
        for answer in self.answers:
            if answer < FIRST_VALUE:
                word = word << 2 | answer
                continue
            _write_word(out, word)
            _write(out, answer)
            word = 1
        _write_word(out, word)
        return bytes(out)


def _write(out: bytearray, number: int) -> None:
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


def _write_word(out: bytearray, word: int) -> None:
    size = (word.bit_length() + 7) // 8
    _write(out, size)
    out += word.to_bytes(size, "little")


def decoded(data: bytes) -> Prefix:
    """The prefix in such bytes. Raises Misfit where they are none."""
    try:
        return _decoded(data)
    except IndexError:
        raise Misfit("the prefix is cut off") from None


def _decoded(data: bytes) -> Prefix:
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    initial, beyond, deferred, forks, steps, place, count = (number() for _ in range(7))
    answers: list[int] = []
    while True:
        size = number()
        word = int.from_bytes(data[at : at + size], "little")
        at += size
        if at > len(data) or not word:
            raise IndexError
        answers += (word >> shift & 3 for shift in range(word.bit_length() - 3, -1, -2))
        if at >= len(data):
            break
        answers.append(number())
    if len(answers) != count:
        raise IndexError
    return Prefix(initial, bool(beyond), deferred, forks, steps, place, tuple(answers))


class Script:
    """What to answer from here on, for one state or for several that part later: the next answers,
    each with the rest of the script. ``end``: no answer is left, the state is near."""

    __slots__ = ("end", "next")

    def __init__(self) -> None:
        self.next: dict[int, Script] = {}
        self.end: Prefix | None = None

    def add(self, prefix: Prefix) -> None:
        script = self
        for answer in prefix.answers:
            script = script.next.setdefault(answer, Script())
        script.end = prefix

    def comes_by_another(self, prefix: Prefix) -> bool:
        """Does a prefix of the script come by the end of another one?"""
        script = self
        for answer in prefix.answers:
            if script.end is not None:
                return True
            script = script.next[answer]
        return script.end != prefix

    def answers(self) -> list[int]:
        """The answers to a question with yes and no, yes first."""
        found = sorted((each for each in self.next if each < FIRST_VALUE), reverse=True)
        if len(found) != len(self.next) or not found:
            raise Misfit("a question that was not asked before")
        return found

    def value(self) -> int:
        """The value that came of a model."""
        if len(self.next) != 1:
            raise Misfit("a value that was not needed before")
        (answer,) = self.next
        if answer < FIRST_VALUE:
            raise Misfit("a value that was not needed before")
        return answer - FIRST_VALUE

    def chosen(self, value: int) -> Script | None:
        """The rest of the script where this one of several ways was taken."""
        return self.next.get(FIRST_VALUE + value)

    def after(self, answer: int) -> Script:
        found = self.next.get(answer)
        if found is None:
            raise Misfit("an answer that was not given before")
        return found


# ----------------------------------------------------------------------------------- initial states
# The beginnings of an exploration, as data: the executor allocates the objects of a start, writes
# their cells, and enters the function.
#
#     int f(int x, char *s)      Start(arguments=(x, Address(0)), objects=(s: 5 bytes,), ...)


@record
class Address:
    """An address ``offset`` bytes into the start's object number ``object``."""

    object: int
    offset: int = 0


@record
class OfGlobal:
    """An address ``offset`` bytes into a global object of the program."""

    name: str
    offset: int = 0


@record
class Environ:
    """What the program's own ``environ`` points to."""


@record
class Cell:
    """``size`` bytes at ``offset``. The value has ``width`` bits (8 * size, except for _Bool)."""

    offset: int
    size: int
    value: Operand | Address
    width: int


@record
class Word:
    """An argument: known bytes, then up to ``symbolic`` others."""

    text: bytes
    symbolic: int


Line = tuple[Word, ...]


@record
class StartObject:
    """An object that the caller of the entry function owns; bytes without a cell are 0.
    ``pointers`` are the offsets of the pointers in it, ``texts`` those of pointers to texts.
    ``seen``: the caller looks at it after the call (but not at a copy that was passed). ``extent``:
    its size in bytes, where an input decides it; it is at least ``least``. ``from_malloc``: the
    function may free it. ``padding``: its bytes that belong to no member are 1, or empty;
    ``padding_bits``: the bits of bytes that belong to no bit-field."""

    name: str
    size: int
    cells: tuple[Cell, ...]
    pointers: tuple[int, ...] = ()
    texts: tuple[int, ...] = ()
    seen: bool = True
    extent: Operand | None = None
    least: int = 0
    from_malloc: bool = False
    padding: bytes = b""
    padding_bits: tuple[tuple[int, int], ...] = ()


GIVEN = "given objects"  # in the environment store
_WITH_NAMES = (AllocationKind.GLOBAL, AllocationKind.CONSTANT)


@record
class Given:
    """The ``objects`` of a start, their names by their numbers, that lie where the caller of the
    entry function says: two of them may be one, or lie in a global object. ``tried``: pairs of
    names, the first of which leads so many bytes into the second in another start."""

    objects: Mapping[int, str]
    tried: frozenset[tuple[str, str, int]]

    def may_be_one(self, memory: Memory, one: int, other: int) -> bool:
        if one == other or not (one in self.objects or other in self.objects):
            return False
        return self._may_be(memory, one) and self._may_be(memory, other)

    def _may_be(self, memory: Memory, number: int) -> bool:
        if number in self.objects:
            return True
        item = memory.find(number)
        return item is not None and item.kind in _WITH_NAMES

    def name(self, memory: Memory, number: int) -> str:
        """The name of an object; one that was freed has none unless it was given."""
        item = memory.find(number)
        return self.objects.get(number, "freed memory" if item is None else item.name)

    def has_tried(self, one: str, other: str, distance: int) -> bool:
        """Is the first object ``distance`` bytes behind the second in another start?"""
        return not self.tried.isdisjoint(((one, other, distance), (other, one, -distance)))


def compared_text(name: str, other: int | str) -> str:
    """The omission for a pointer that is compared with a number, or with the function of a name."""
    if isinstance(other, int):
        what = f"({other - (other >> 63 << 64)})"
    else:
        what = f"'{other}'"
    return f"{name} is compared with {what}, and is something else in each test"


@record
class Start:
    """All that is fixed before the entry function runs. ``globals`` are cells by the object's name,
    ``conditions`` hold for every input, ``environment`` is put into the environment store.
    ``files`` are inputs only on paths that read them. ``tried``: as in ``Given``. ``left_out``:
    parts of objects that are zero although they could have any value. ``result``: the object in
    which a structure is returned."""

    arguments: tuple[Operand | Address | OfGlobal | Environ, ...] = ()
    objects: tuple[StartObject, ...] = ()
    globals: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    files: tuple[Input, ...] = ()
    conditions: tuple[Operand, ...] = ()
    environment: Mapping[str, object] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    tried: frozenset[tuple[str, str, int]] = frozenset()
    result: Address | None = None
