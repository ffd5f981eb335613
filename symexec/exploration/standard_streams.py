"""Find which calls ask what the standard streams are, or how their input arrives.

    rewind(stdin)               works for ./program < file, and fails for a pipe
    fstat(dup(0), &s)           says which of them there is
    read(0, b, 9)               a pipe may give less than there will be
    poll(&p, 1, 0)              the input may come later
    ferror(stdin)               a device may fail

The search and its tests have one kind of each: standard input is a pipe that holds all of its bytes
and never fails. A stream that ``fopen`` returned is a file, and answers as the search says.

The objects that a pointer leads to say whether it may be a standard stream. A number may be that of
one unless all values that come to the argument come from calls that open something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from csg.analysis import DependenceGraph
from csg.analysis.constraints import Place, PointsTo
from csg.analysis.objects import ANYWHERE, ObjectKind, bits
from csg.ir import (
    Call,
    Computation,
    Constant,
    Fill,
    Instruction,
    Load,
    Move,
    Program,
    Register,
    Return,
    Store,
    Value,
)
from csg.ir.instructions import target
from csg.ir.library_effects import LINKED
from symexec.exploration.depending import own_functions

_KIND = "another kind of standard stream"
_LATER = "another moment"
_LAST = 2  # the number of standard error
# The objects of the standard streams, by their names.
STDIN, STDOUT, STDERR = (LINKED["*stdin"], "libc:standard_output", "libc:standard_error")
_PATHS = (b"/dev/std", b"/dev/fd", b"/proc/self/fd")


def _rows(other: str, at: int, names: str) -> dict[str, tuple[str, int]]:
    return dict.fromkeys(names.split(), (other, at))


# What may give another answer of a call, and which argument is the stream, its number or its path.
_OF_STREAMS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        **_rows(_KIND, 0, "fgetpos fgetpos64 fseek fseeko fseeko64 fsetpos"),
        **_rows(_KIND, 0, "fsetpos64 ftell ftello ftello64 rewind"),
        **_rows("a device that fails", 0, "ferror ferror_unlocked"),
    }
)
# These say nothing of output; of input they give back, or drop, what was read ahead.
_OF_INPUT: Mapping[str, tuple[str, int]] = MappingProxyType(
    _rows(_KIND, 0, "__fpurge fflush fflush_unlocked fpurge")
)
_OF_NUMBERS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        **_rows(_KIND, 0, "copy_file_range fchmod fdatasync flock fpathconf fstat fstat64 fstatfs"),
        **_rows(_KIND, 0, "fstatvfs fsync ftruncate ftruncate64 lockf lseek lseek64 posix_fadvise"),
        **_rows(_KIND, 0, "posix_fallocate pread pread64 preadv preadv2 preadv64 pwrite pwrite64"),
        **_rows(_KIND, 0, "pwritev splice tee"),
        **_rows(_KIND, 1, "sendfile sendfile64"),
        **_rows(_KIND, 4, "mmap mmap64"),
        **_rows("a pipe that gives less", 0, "read __read_chk readv recv recvfrom recvmsg"),
    }
)
_OF_PATHS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        **_rows(_KIND, 0, "access creat fopen fopen64 freopen freopen64 lstat lstat64 open open64"),
        **_rows(_KIND, 0, "pathconf readlink realpath stat stat64 statfs statvfs truncate"),
        **_rows(_KIND, 1, "faccessat fstatat fstatat64 openat openat64 readlinkat statx"),
    }
)
_WAITING = frozenset(
    ("epoll_pwait", "epoll_wait", "poll", "ppoll", "pselect", "select", "__poll_chk")
)
_DUPLICATING = frozenset(("dup", "fcntl", "fcntl64"))  # the number of what argument 0 names
_NUMBERING = frozenset(("fileno", "fileno_unlocked"))
_STREAM_OPENING = frozenset(("fdopen", "fopen", "fopen64"))
_OPENING = frozenset(  # what else makes numbers: none is that of a standard stream
    (
        "accept",
        "accept4",
        "creat",
        "dirfd",
        "epoll_create",
        "epoll_create1",
        "eventfd",
        "inotify_init",
        "memfd_create",
        "mkostemp",
        "mkstemp",
        "open",
        "open64",
        "openat",
        "openat64",
        "pipe",
        "pipe2",
        "shm_open",
        "signalfd",
        "socket",
        "socketpair",
        "timerfd_create",
    )
)


@dataclass(slots=True)
class StandardStreams:
    """Judges the calls of one program. ``_objects``: of the standard streams, and of others that
    are made of their numbers."""

    program: Program
    dependences: DependenceGraph
    _objects: set[int] = field(default_factory=set)
    _steps: dict[int, tuple[Place, Instruction]] = field(default_factory=dict)
    _given: dict[int, Value | None] = field(default_factory=dict)  # arguments and results
    _formals: dict[int, Register | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._learn_vertices()
        numbers = self.dependences.pointers.objects.numbers
        known = (numbers.get((ObjectKind.GLOBAL, name, "")) for name in (STDIN, STDOUT, STDERR))
        self._objects |= {number for number in known if number is not None}
        opened = [*self._opening_calls()]
        while True:  # a stream may have its number from another one
            before = len(self._objects)
            for place, step in opened:
                if step.target is not None and self._opens(place, step):
                    self._objects |= objects_at(self.dependences.pointers, place[0], step.target)
            if len(self._objects) == before:
                break

    def who_answers(self, name: str, place: Place, call: Call) -> str | None:
        """Who or what may give another answer of this call, if anything may."""
        if name in _WAITING:
            return _LATER
        for table, is_one in (
            (_OF_STREAMS, self._is_stream),
            (_OF_INPUT, self._is_input),
            (_OF_NUMBERS, self._is_number),
            (_OF_PATHS, self._is_path),
        ):
            other, at = table.get(name, ("", 0))
            if other and at < len(call.arguments) and is_one(place, call.arguments[at]):
                return other
        return None

    # ------------------------------------------------------------------ streams and paths

    def _opening_calls(self) -> Iterator[tuple[Place, Call]]:
        """The calls that make a stream."""
        own = {*own_functions(self.program)}
        for place, step in self._steps.values():
            if isinstance(step, Call) and step.callee in _STREAM_OPENING and place[0] in own:
                yield place, step

    def _opens(self, place: Place, call: Call) -> bool:
        is_one = self._is_number if call.callee == "fdopen" else self._is_path
        return bool(call.arguments) and is_one(place, call.arguments[0])

    def _is_stream(self, place: Place, value: Value) -> bool:
        return not self._objects.isdisjoint(objects_at(self.dependences.pointers, place[0], value))

    def _is_input(self, place: Place, value: Value) -> bool:
        numbers = self.dependences.pointers.objects.numbers
        known = numbers.get((ObjectKind.GLOBAL, STDIN, ""))
        return known in objects_at(self.dependences.pointers, place[0], value)

    def _is_path(self, place: Place, value: Value) -> bool:
        objects = self.dependences.pointers.objects.objects
        for number in objects_at(self.dependences.pointers, place[0], value):
            known = self.program.globals.get(objects[number].name)
            if known is not None and objects[number].kind is ObjectKind.GLOBAL:
                texts = known.data + (known.old_data or b"")
                if any(each in texts for each in _PATHS):
                    return True
        return False

    # ------------------------------------------------------------------ numbers

    def _is_number(self, place: Place, value: Value) -> bool:
        """May an argument of the call at ``place`` be the number of a standard stream?"""
        if isinstance(value, Constant):
            return value.value <= _LAST
        vertices = self.dependences.vertices
        use = vertices.instruction(place)
        step = self._steps[use][1]
        assert isinstance(step, Call)
        if place in vertices.arguments:
            use = vertices.arguments[place] + step.arguments.index(value)
        waiting = [*self._definitions(use, value)]
        seen = {*waiting}
        while waiting:
            more = self._led_from(waiting.pop())
            if more is None:
                return True
            waiting += [each for each in more if each not in seen]
            seen |= more
        return False

    def _definitions(self, use: int, value: Value) -> set[int]:
        """The vertices that define a register for one that uses it."""
        found = set()
        for source in self.dependences.data[use]:
            at = self._steps.get(source)
            defined = self._formals.get(source) if at is None else target(at[1])
            if defined == value:
                found.add(source)
        return found

    def _led_from(self, vertex: int) -> set[int] | None:
        """Where the value that comes from a vertex comes from; None: it may be such a number."""
        if vertex in self._formals:
            return self.dependences.data[vertex] or None
        if vertex in self._given:
            return self._from(vertex, self._given[vertex])
        place, step = self._steps.get(vertex, (None, None))
        match step:
            case Call() if place is not None:
                return self._from_call(vertex, place, step)
            case Load(address=address) if place is not None:
                if self._begins_so(place[0], step):
                    return None
                return self.dependences.data[vertex] - self._definitions(vertex, address)
            case Move(value=value) | Store(value=value):
                return self._from(vertex, value)
            case Fill(byte=byte):
                return None if byte <= _LAST else set()
            case Computation():
                return self.dependences.data[vertex]
            case _:
                return self.dependences.data[vertex] or None

    def _from(self, vertex: int, value: Value | None) -> set[int] | None:
        if isinstance(value, Constant):
            return None if value.value <= _LAST else set()
        if vertex in self._steps:
            return self._definitions(vertex, value) if value is not None else set()
        return self.dependences.data[vertex]

    def _from_call(self, vertex: int, place: Place, call: Call) -> set[int] | None:
        found: set[int] = set()
        for name in self.dependences.calls.callees.get(place, ()):
            if self.program.functions[name].library and name not in _OPENING:
                return None
            found.add(self.dependences.vertices.returns[name])
        for name in self.dependences.calls.external.get(place, ()):
            given = call.arguments[0] if call.arguments else Constant(0, 32)
            if name in _DUPLICATING:
                if self._is_number(place, given):
                    return None
            elif name in _NUMBERING:
                if self._is_stream(place, given):
                    return None
            elif name not in _OPENING or (
                name in _OF_PATHS and self._is_path(place, call.arguments[_OF_PATHS[name][1]])
            ):
                return None
        return found

    def _begins_so(self, function: str, load: Load) -> bool:
        """May what is loaded still be what the program begins with, and be such a number?"""
        pointers = self.dependences.pointers
        for location in bits(pointers.locations(function, load.address)):
            number, offset = pointers.objects.locations[location]
            thing = pointers.objects.objects[number]
            known = self.program.globals.get(thing.name)
            if thing.kind is ObjectKind.OUTSIDE:
                return True
            if thing.kind is ObjectKind.GLOBAL and known is not None:
                part = known.data[offset : offset + load.size]
                if offset == ANYWHERE or int.from_bytes(part, "little") <= _LAST:
                    return True
        return False

    def _learn_vertices(self) -> None:
        """Learn which vertex is which instruction, argument, parameter and result."""
        vertices = self.dependences.vertices
        for name, code in self.program.functions.items():
            first = vertices.parameters[name]
            self._formals |= dict(enumerate(code.parameters, first))
            self._formals[vertices.variadic[name]] = None
            for block in code.blocks:
                start = vertices.blocks[name][block.index]
                for at, step in enumerate(block.instructions):
                    self._steps[start + 1 + at] = (name, block.index, at), step
            last = code.blocks[code.exit].terminator
            if isinstance(last, Return):
                self._given[vertices.returns[name]] = last.value
        for place, first in vertices.arguments.items():
            call = self._steps[vertices.instruction(place)][1]
            assert isinstance(call, Call)
            self._given |= dict(enumerate(call.arguments, first))


def asks_of_streams(name: str) -> bool:
    """May the answer of this function depend on what a standard stream is?"""
    return name in _WAITING or any(
        name in table for table in (_OF_STREAMS, _OF_INPUT, _OF_NUMBERS, _OF_PATHS)
    )


def objects_at(pointers: PointsTo, function: str, value: Value) -> set[int]:
    """The numbers of the objects that a value of a function may point to."""
    found = bits(pointers.locations(function, value))
    return {pointers.objects.locations[location][0] for location in found}
