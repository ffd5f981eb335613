"""What a driver says that it has made, and the same as a test, where a test can say it.

    argument 0 pointer object 0+0          TestInput(parameters=(("s", b"ab"),))
    made 0 4 3 3 616200

A test has an object of its own behind each pointer, of just the size that its content says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from csg.records import record
from symexec.testcases import EntrySignature, TestInput
from symexec.testcases.inputs import (
    Elements,
    LongDouble,
    Scalar,
    Value,
    floating_value,
    long_double_text,
)
from symexec.testcases.signature import ERRNO_NAME, Parameter, ParameterKind

_POINTER = re.compile(r"pointer (?:object (\d+)\+(\d+)|(\S+))")
_LINK = re.compile(r" (\d+)=(?:(\d+)\+(\d+)|(&\S+))")
WORD = 8


@record
class Argument:
    """``data`` of what is passed by value; else the object and the distance that a pointer leads
    to, or -1 where it leads to none, and ``word`` says to what."""

    data: bytes = b""
    object: int = -1
    offset: int = 0
    word: str = ""


@record
class Made:
    """An object that a driver has made. ``links``: where its pointers lead to, by their offset."""

    data: bytes
    links: Mapping[int, tuple[int, int]]
    foreign: frozenset[int]  # offsets of pointers to functions and global objects


@record
class DriverInput:
    arguments: tuple[Argument, ...]
    objects: tuple[Made, ...]


def read_input(lines: Sequence[str]) -> DriverInput:
    arguments, objects = [], []
    for line in lines:
        if line.startswith("argument "):
            arguments.append(_argument(line))
        elif line.startswith("made "):
            objects.append(_made(line))
    return DriverInput(tuple(arguments), tuple(objects))


def _argument(line: str) -> Argument:
    found = _POINTER.search(line)
    if found is None:
        return Argument(bytes.fromhex(line.split(" ")[3]))
    if found[1] is None:
        return Argument(word=found[3])
    return Argument(object=int(found[1]), offset=int(found[2]))


def _made(line: str) -> Made:
    words = line.split(" ")
    size = int(words[4])
    data = bytes.fromhex(words[5]) if size else b""
    found = list(_LINK.finditer(line))
    links = {int(each[1]): (int(each[2]), int(each[3])) for each in found if each[2]}
    return Made(data, links, frozenset(int(each[1]) for each in found if each[4]))


def expressed(made: DriverInput, signature: EntrySignature) -> TestInput | None:
    """The input as a test; None where no test can say it."""
    roots = [each for each in signature.parameters if not each.owner]
    set_before = [each for each in signature.globals if each.name != ERRNO_NAME]
    if set_before or len(roots) != len(made.arguments):
        return None
    found = _Expression(made, signature.parameters)
    for root, argument in zip(roots, made.arguments, strict=True):
        if not found.add_root(root, argument):
            return None
    if not found.is_whole():
        return None
    return TestInput(parameters=tuple(found.values.items()))


@dataclass(slots=True)
class _Expression:
    made: DriverInput
    parameters: Sequence[Parameter]
    values: dict[str, Value] = field(default_factory=dict)
    _at: dict[str, int] = field(default_factory=dict)  # the object behind a parameter
    _used: set[int] = field(default_factory=set)
    _linked: set[tuple[int, int]] = field(default_factory=set)

    def add_root(self, root: Parameter, argument: Argument) -> bool:
        if root.kind is ParameterKind.SCALAR:
            self.values[root.name] = _scalar(root, argument.data)
            return True
        if root.embedded or root.kind is ParameterKind.OPAQUE or (root.floating and root.size > 8):
            return False
        if argument.object < 0:
            self.values[root.name] = None
            return argument.word == "null"
        return argument.offset == 0 and self._object(root, argument.object)

    def _object(self, parameter: Parameter, number: int) -> bool:
        """An object behind a pointer; every object has one pointer to it."""
        if number in self._used:
            return False
        self._used.add(number)
        data = self.made.objects[number].data
        match parameter.kind:
            case ParameterKind.STRING:
                if not data.endswith(b"\0"):
                    return False
                self.values[parameter.name] = data[: -parameter.size or None]
            case ParameterKind.ARRAY | ParameterKind.POINTER:
                if not data or len(data) % parameter.size:
                    return False
                parts = range(0, len(data), parameter.size)
                self.values[parameter.name] = tuple(
                    _scalar(parameter, data[at : at + parameter.size]) for at in parts
                )
            case ParameterKind.STRUCTURE:
                if len(data) != parameter.size:
                    return False
                self.values[parameter.name] = () if parameter.elements == 1 else Elements(1)
                self._at[parameter.name] = number
                return all(self._part(each, number) for each in self._parts(parameter))
            case _:
                return False
        return True

    def _parts(self, owner: Parameter) -> Iterator[Parameter]:
        for each in self.parameters:
            if each.owner == owner.name and each.offset < owner.size:
                yield each

    def _part(self, part: Parameter, number: int) -> bool:
        made = self.made.objects[number]
        if part.bits is not None:
            unit = int.from_bytes(made.data[part.offset : part.offset + 16], "little")
            value = unit >> part.bits & (1 << part.width) - 1
            if part.signed and value >> part.width - 1:
                value -= 1 << part.width
            self.values[part.name] = value
            return True
        if part.kind is ParameterKind.SCALAR:
            self.values[part.name] = _scalar(part, made.data[part.offset :][: part.size])
            return True
        if part.embedded:
            data = made.data[part.offset :][: part.room]
            if part.kind is ParameterKind.STRING:
                text, _, rest = data.partition(b"\0")
                self.values[part.name] = text
                return len(text) < len(data) and not rest.strip(b"\0")
            starts = range(0, len(data), part.size)
            self.values[part.name] = tuple(_scalar(part, data[at:][: part.size]) for at in starts)
            return True
        self._linked.add((number, part.offset))
        if part.offset in made.links:
            to, offset = made.links[part.offset]
            return offset == 0 and self._object(part, to)
        if part.offset in made.foreign or any(made.data[part.offset :][:WORD]):
            return False
        if part.kind is not ParameterKind.OPAQUE:
            self.values[part.name] = None
        return True

    def is_whole(self) -> bool:
        """Are all objects named, and all pointers in them?"""
        every = range(len(self.made.objects))
        links = {(at, offset) for at in every for offset in self.made.objects[at].links}
        return self._used == set(every) and links <= self._linked


def _scalar(parameter: Parameter, data: bytes) -> Scalar:
    data = data[: parameter.size]
    if not parameter.floating:
        return int.from_bytes(data, "little", signed=parameter.signed)
    if len(data) > WORD:
        bits = int.from_bytes(data[:10], "little")
        return LongDouble(long_double_text(bits))
    return floating_value(int.from_bytes(data, "little"), 8 * len(data))
