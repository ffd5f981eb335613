"""Terms without shadows, and requests about them in one word.

    small = yield from decide(holds("ult", 32, x, 10))
    address = yield from place(pointer)

The functions of ``symexec.expr`` work on pairs too; a model sees one version, so these narrow their
results to an int or a term.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    binary,
    compare,
    concat,
    disjunction,
    extend,
    extract,
    ite,
    negate,
    unary,
)
from symexec.runtime.contract import Concretize, Context, Decide, Paired, Request, Suggest
from symexec.state.state import Holder

T = TypeVar("T")
Asking = Generator[Request, object, T]

MOST_LEAVES = 16  # of a pointer that is a choice between addresses
BEFORE, WINDOW = 8, 64  # the addresses around an object's start that a pointer forks over


def plain(value: Data) -> Operand:
    assert not isinstance(value, Shadowed)
    return value


def agreed(value: Data) -> Operand:
    """The value of an argument of an ``aware`` model. Where it differs between the versions, the
    model runs for each."""
    if isinstance(value, Shadowed):
        raise Paired
    return value


def holds(op: str, width: int, a: Operand, b: Operand) -> Operand:
    """eq ne ult ule slt sle"""
    return plain(compare(op, width, a, b))


def calculated(op: str, width: int, a: Operand, b: Operand) -> Operand:
    """add sub mul udiv urem ..."""
    return plain(binary(op, width, a, b))


def negated(width: int, a: Operand) -> Operand:
    return plain(unary("neg", width, a))


def choice(condition: Operand, a: Operand, b: Operand, width: int) -> Operand:
    return plain(ite(condition, a, b, width))


def fitted(value: Operand, width: int) -> Operand:
    """A value at another width: the low bits, or zeros above."""
    if isinstance(value, int):
        return value & ((1 << width) - 1)
    if value.width > width:
        return plain(extract(value, 0, width))
    return plain(extend(value, value.width, width, False))


def widened(value: Operand, source: int, width: int, signed: bool = False) -> Operand:
    return plain(extend(value, source, width, signed))


def joined(elements: list[Operand]) -> Operand:
    """Bytes, lowest first, as one value."""
    value = elements[0]
    for count, element in enumerate(elements[1:], 1):
        value = plain(concat(element, 8, value, 8 * count))
    return value


def signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


# ---------------------------------------------------------------------- requests


def decide(condition: Operand, behind: int = 0, presumed: bool = False) -> Asking[bool]:
    """Is the condition true? Makes a request only when the term is no constant."""
    if isinstance(condition, int):
        return bool(condition)
    answer = yield Decide(condition, behind, presumed)
    return bool(answer)


def pin(value: Operand, why: str) -> Asking[int]:
    """One value for a term, where the model cannot work with all values."""
    if isinstance(value, int):
        return value
    answer = yield Concretize(value, why)
    assert isinstance(answer, int)
    return answer


def place(pointer: Operand) -> Asking[int]:
    """The address that a pointer holds. A choice between known addresses forks over them, an index
    over the places near the start of each object."""
    if isinstance(pointer, int):
        return pointer
    for address in _leaves(pointer):
        if (yield from decide(holds("eq", 64, pointer, address))):
            return address
    guess = yield Suggest(pointer)
    assert isinstance(guess, int)
    near = (guess + (1 << 31) >> 32 << 32) - BEFORE  # the same for every guess at an object
    distance = calculated("sub", 64, pointer, near)
    if (
        0 <= guess - near < WINDOW
        and (yield from decide(holds("ult", 64, distance, WINDOW)))
        and (yield from decide(holds("eq", 64, pointer, guess)))
    ):
        return guess
    return (yield from pin(pointer, "a symbolic pointer passed to the library"))


def _leaves(pointer: Term) -> list[int]:
    """The constants at the leaves of nested choices, in order."""
    found: dict[int, None] = {}
    stack = [pointer]
    while stack and len(found) < MOST_LEAVES:
        term = stack.pop()
        if term.value is not None:
            found[term.value] = None
        elif term.op == "ite":
            stack += [term.args[2], term.args[1]]
    return list(found)


def counted(size: Operand, most: int, why: str) -> Asking[int | None]:
    """The value of a size that may be symbolic: forks over 0 .. ``most`` while these are few. None
    when it is larger than ``most``."""
    if isinstance(size, int):
        return size if size <= most else None
    if not (yield from decide(holds("ule", size.width, size, most))):
        return None
    for value in range(min(most, MOST_SIZES)):
        if (yield from decide(holds("eq", size.width, size, value))):
            return value
    return most if most <= MOST_SIZES else (yield from pin(size, why))


def exceeds(size: Operand, done: int, why: str) -> Asking[bool]:
    """Is an unsigned size larger than ``done``? For models that go on byte by byte: a symbolic size
    has a path for each value, and beyond many it is pinned to one."""
    if isinstance(size, int):
        return size > done
    if done >= MOST_STEPS:
        return (yield from pin(size, why)) > done
    return not done >> size.width and (yield from decide(holds("ult", size.width, done, size)))


MOST_SIZES = 64  # values for which a symbolic size is tried, one path each
MOST_STEPS = 256  # the same where each is a step of the model


def among(byte: Operand, kind: bytes) -> Operand:
    """The condition that a byte is one of these."""
    if len(kind) > 128:
        return plain(negate(among(byte, bytes(each for each in range(256) if each not in kind))))
    return plain(disjunction([compare("eq", 8, byte, each) for each in kind]))


def each_value(value: Operand, width: int) -> Asking[int]:
    """A path for each value, the others later than the first."""
    while not isinstance(value, int):
        suggested = yield Suggest(value)
        assert isinstance(suggested, int)
        if (yield from decide(holds("eq", width, value, suggested))):
            return suggested
    return value


# ---------------------------------------------------------------------------------------- strings
# Bytes of the program's memory: read a string, write text.
#
#     "ab"                  ->  [97, 98]
#     buffer of symbols     ->  one request a byte: is this the end?
#
# Known bytes are read and written in blocks.


BLOCK = 64


def read_bytes(context: Context, address: int, size: int) -> list[Operand]:
    """``size`` bytes that are all accessed."""
    return list(_bytes(context, address, size))


def read_string(context: Context, address: int, most: int | None = None) -> Asking[list[Operand]]:
    """The bytes before the NUL, at most ``most``. Reading beyond the object is an error of the
    program."""
    found: list[Operand] = []
    for block in _blocks(context, address, most):
        if isinstance(block, bytes):
            end = block.find(0)
            if end >= 0:
                found += block[:end]
                return found
            found += block
        elif (yield from decide(holds("eq", 8, block, 0))):
            return found
        else:
            found.append(block)
    return found


def _bytes(context: Context, address: int, most: int) -> Iterator[Operand]:
    for block in _blocks(context, address, most):
        if isinstance(block, bytes):
            yield from block
        else:
            yield block


def _blocks(context: Context, address: int, most: int | None) -> Iterator[bytes | Operand]:
    """``most`` bytes, or all without an end, known ones in blocks; reading the one behind the
    object is a fault. Blocks grow while bytes are known, so that symbolic bytes are not joined in
    vain."""
    block, end = 1, None if most is None else address + most
    while end is None or address < end:
        count = min(block, context.room(address)) or 1
        if end is not None:
            count = min(count, end - address)
        value = context.load(address, count)
        if isinstance(value, int):
            yield value.to_bytes(count, "little")
            block = min(2 * block, BLOCK)
        else:
            for index in range(count):
                byte = value if count == 1 else context.load(address + index, 1)
                yield byte.to_bytes(1, "little") if isinstance(byte, int) else byte
            block = 1
        address += count


def known_bytes(text: Sequence[Operand]) -> bytes | None:
    """The text when all of it is known."""
    try:
        return bytes(text)  # type: ignore[arg-type]
    except TypeError:
        return None


def write_bytes(context: Context, address: int, text: Sequence[Operand]) -> None:
    """Write a text; known bytes that follow each other are one store."""
    whole = known_bytes(text)
    if whole:
        context.store(address, len(whole), int.from_bytes(whole, "little"))
        return
    for known, group in groupby(text, lambda byte: isinstance(byte, int)):
        part = list(group)
        if known:
            block = bytes(byte for byte in part if isinstance(byte, int))
            context.store(address, len(block), int.from_bytes(block, "little"))
        else:
            for offset, byte in enumerate(part):
                context.store(address + offset, 1, byte)
        address += len(part)


def emit_bytes(
    context: Context, stream: int, text: Sequence[Operand], holder: Holder | None = None
) -> None:
    """Emit a text; known bytes that follow each other are one item of output."""
    whole = known_bytes(text)
    if whole:
        context.emit(stream, whole, holder)
        return
    for _, group in groupby(text, lambda byte: isinstance(byte, int)):
        part = list(group)
        known = bytes(byte for byte in part if isinstance(byte, int))
        if known:
            context.emit(stream, known, holder)
            continue
        for byte in part:
            assert not isinstance(byte, int)
            context.emit(stream, byte, holder)
