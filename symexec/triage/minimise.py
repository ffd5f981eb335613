"""A smaller input that shows the same: fewer arguments, shorter strings, numbers near zero.

-v -n 1000 file        becomes        -n 10
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from symexec.testcases import LongDouble, Scalar, TestInput, Value
from symexec.testcases.inputs import Elements, Inside, is_part, odd_bytes, shown_text

_PLAIN = (b"a", b"0", b",", b" ")  # what takes the place of a byte that cannot be printed
_PRINTABLE = (*(bytes([code]) for code in range(0x21, 0x7F)), b"\n")  # or else one of these
Item = TypeVar("Item")
Keeps = Callable[[TestInput], bool]


def minimise(
    test: TestInput,
    keeps: Keeps,
    seconds: float = 2.0,
    clock: Callable[[], float] = time.monotonic,
    most: int | None = None,
) -> tuple[TestInput, bool]:
    """Take the first smaller candidate for which ``keeps`` holds, again and again. ``keeps`` checks
    that class and blame stay the same, and that the user's ranges and assumptions hold. Returns the
    smallest input at the end of the time, or when ``most`` candidates were tried, and whether it is
    minimal: that no candidate of it satisfies ``keeps``.

    After one that holds it goes on at that place among the candidates of the new input, since those
    before it are much like what was refused; they have their turn again at the end.
    """
    deadline = clock() + seconds
    start = tried = 0
    while True:
        for place, candidate in enumerate(smaller(test)):
            if place < start:
                continue
            if tried == most or clock() > deadline:
                return test, False
            tried += 1
            if keeps(candidate):
                test, start = candidate, place
                break
        else:
            if start == 0:
                return test, True
            start = 0


def smaller(test: TestInput) -> Iterator[TestInput]:
    """Inputs with less in them, those with the largest reductions first; each has a smaller
    ``size``. At the end those with any other character in place of a byte that cannot be
    printed."""
    yield from _without_parts(test)
    yield from _simpler_parts(test)
    readable = _readable(test)
    if readable != test:
        yield readable
    for args in _smaller_list(test.args):
        yield replace(test, args=args)
    for stdin in _smaller_bytes(test.stdin):
        yield replace(test, stdin=stdin)
    for i, (name, data) in enumerate(test.files):
        for content in _smaller_bytes(data):
            yield replace(test, files=_put(test.files, i, (name, content)))
    for name, value in test.parameters:
        if is_part(name) and _is_pointer(value):
            yield replace(test, parameters=_without(test.parameters, (name,)))
        if isinstance(value, Elements):
            for count, retained in _fewer(value.count):
                yield replace(test, parameters=_of_so_many(test.parameters, name, count, retained))
    counted = test.counted
    for i, (name, value) in enumerate(test.parameters):
        for less in _smaller_value(value, counted):
            yield replace(test, parameters=_put(test.parameters, i, (name, less)))
    for i, (name, value) in enumerate(test.globals):
        for less in _smaller_value(value, counted):
            yield replace(test, globals=_put(test.globals, i, (name, less)))
    for i, number in enumerate(test.nondet):
        for fewer in _smaller_number(number):
            yield replace(test, nondet=_put(test.nondet, i, fewer))
    for i, (name, data) in enumerate(test.objects):
        for j, byte in enumerate(data):
            for less_byte in _smaller_integer(byte):
                content = data[:j] + bytes([less_byte]) + data[j + 1 :]
                yield replace(test, objects=_put(test.objects, i, (name, content)))
    for i, argument in enumerate(test.args):
        for text in _other_characters(argument):
            yield replace(test, args=_put(test.args, i, text))
    for text in _other_characters(test.stdin):
        yield replace(test, stdin=text)
    for i, (name, data) in enumerate(test.files):
        for text in _other_characters(data):
            yield replace(test, files=_put(test.files, i, (name, text)))
    for i, (name, value) in enumerate(test.parameters):
        if isinstance(value, bytes):
            for text in _other_characters(value, counted):
                yield replace(test, parameters=_put(test.parameters, i, (name, text)))
    for i, (name, value) in enumerate(test.globals):
        if isinstance(value, bytes):
            for text in _other_characters(value, counted):
                yield replace(test, globals=_put(test.globals, i, (name, text)))


def _without_parts(test: TestInput) -> Iterator[TestInput]:
    """Inputs without standard input, or without a file."""
    if test.stdin:
        yield replace(test, stdin=b"")
    for i in range(len(test.files)):
        yield replace(test, files=test.files[:i] + test.files[i + 1 :])


def _simpler_parts(test: TestInput) -> Iterator[TestInput]:
    """Inputs with simpler structures, which have many members: all pointers in them, halves,
    quarters ... become null, with what is behind them; then texts and numbers zero."""
    pointers = [name for name, value in test.parameters if is_part(name) and _is_pointer(value)]
    for chosen in _portions(pointers):
        yield replace(test, parameters=_without(test.parameters, chosen))
    others = [name for name, value in test.parameters if is_part(name) and _zero(value) != value]
    for chosen in _portions(others):
        named = (
            (name, _zero(value) if name in chosen else value) for name, value in test.parameters
        )
        yield replace(test, parameters=tuple(named))


def _portions(names: Sequence[str]) -> Iterator[frozenset[str]]:
    """All of them, halves, quarters ..; none of one alone."""
    count = len(names)
    while count > 1:
        for start in range(0, len(names), count):
            yield frozenset(names[start : start + count])
        count //= 2


def _is_pointer(value: Value) -> bool:
    """Can null take its place?"""
    return isinstance(value, bytes | tuple | Elements)


def _fewer(count: int) -> Iterator[tuple[int, int]]:
    """Numbers of elements, each with the number of those that are not zero: the last one may have
    to be zero."""
    for fewer in dict.fromkeys((1, count // 2, count - 1)):
        if 0 < fewer < count:
            yield from ((fewer, fewer), (fewer, fewer - 1))


def _of_so_many(
    named: tuple[tuple[str, Value], ...], array: str, count: int, retained: int
) -> tuple[tuple[str, Value], ...]:
    """The values with an array of so many structures, of which the first ``retained`` are
    unchanged."""
    found = ((name, value, _element_of(name, array)) for name, value in named)
    return tuple(
        (name, Elements(count) if name == array else value)
        for name, value, element in found
        if element is None or element < retained
    )


def _element_of(name: str, array: str) -> int | None:
    """The element of an array that a part is in: 1 for p[1].x, 0 for p->x; None for parts of other
    objects."""
    stem, inner = array.lstrip("(*"), name.lstrip("(*")
    rest = inner.removeprefix(stem)
    if name == array or rest == inner:
        return None
    if rest.startswith(")") != array.startswith("*"):
        return 0 if rest.startswith(")") else None
    rest = rest.removeprefix(")")
    numbered = re.match(r"\[(\d+)\]", rest)
    if numbered is not None:
        return int(numbered[1])
    return 0 if rest.startswith("->") or not rest else None


def _zero(value: Value) -> Value:
    match value:
        case None | () | Elements() | Inside():
            return value
        case bytes():
            return b""
        case tuple():
            return tuple(0 if isinstance(each, int) else 0.0 for each in value)
        case int():
            return 0
        case _:
            return 0.0


def _without(
    named: tuple[tuple[str, Value], ...], gone: Collection[str]
) -> tuple[tuple[str, Value], ...]:
    """The values with null pointers in place of these parts, and without what is behind them."""
    behind = tuple(
        start
        for each in gone
        for start in (f"{each}->", f"*{each}", f"({each})->", f"{each}[", f"({each})[")
    )
    left = [each for each in named if not each[0].startswith(behind)]
    return tuple((name, None if name in gone else value) for name, value in left)


def _readable(test: TestInput) -> TestInput:
    """The test with every byte of text that cannot be printed replaced by a letter."""
    counted = test.counted

    def read(named: tuple[tuple[str, Value], ...]) -> tuple[tuple[str, Value], ...]:
        return tuple(
            (name, _lettered(value, counted=counted) if isinstance(value, bytes) else value)
            for name, value in named
        )

    return replace(
        test,
        args=tuple(map(_lettered, test.args)),
        stdin=_lettered(test.stdin),
        files=tuple((name, _lettered(data)) for name, data in test.files),
        parameters=read(test.parameters),
        globals=read(test.globals),
    )


def _lettered(data: bytes, plain: bytes = _PLAIN[0], counted: int | None = None) -> bytes:
    shown = shown_text(data, counted)
    each = (shown[i : i + 1] for i in range(len(shown)))
    return b"".join(plain if odd_bytes(byte) else byte for byte in each) + data[len(shown) :]


def _put(items: tuple[Item, ...], index: int, item: Item) -> tuple[Item, ...]:
    return (*items[:index], item, *items[index + 1 :])


def _smaller_list(items: tuple[bytes, ...]) -> Iterator[tuple[bytes, ...]]:
    if len(items) > 2:
        yield items[len(items) // 2 :]
        yield items[: len(items) // 2]
    for i in range(len(items)):
        yield items[:i] + items[i + 1 :]
    for i in range(len(items) - 1):  # an option with its value
        yield items[:i] + items[i + 2 :]
    for i, item in enumerate(items):
        for shorter in _smaller_bytes(item):
            yield _put(items, i, shorter)


def _smaller_bytes(data: bytes, counted: int | None = None) -> Iterator[bytes]:
    """Halves of the text, then the text without one byte, then with one byte replaced by one that
    can be printed."""
    if len(data) > 3:
        yield data[: len(data) // 2]
        yield data[len(data) // 2 :]
    for i in range(len(data)):
        yield data[:i] + data[i + 1 :]
    shown = shown_text(data, counted)
    if odd_bytes(shown) > 1:
        for plain in _PLAIN:
            yield _lettered(data, plain, counted)
    for i in range(len(shown)):
        if odd_bytes(data[i : i + 1]):
            for plain in _PLAIN:
                yield data[:i] + plain + data[i + 1 :]


def _other_characters(data: bytes, counted: int | None = None) -> Iterator[bytes]:
    """The text with one byte that cannot be printed replaced by each character that can."""
    for i in range(len(shown_text(data, counted))):
        if odd_bytes(data[i : i + 1]):
            for character in _PRINTABLE:
                if character not in _PLAIN:
                    yield data[:i] + character + data[i + 1 :]


def _smaller_value(value: Value, counted: int) -> Iterator[Value]:
    match value:
        case None | Elements() | Inside():
            return
        case bytes():
            yield from _smaller_bytes(value, counted)
        case tuple():
            yield from _smaller_tuple(value)
        case _:
            yield from _smaller_number(value)


def _smaller_tuple(values: tuple[Scalar, ...]) -> Iterator[tuple[Scalar, ...]]:
    for i, value in enumerate(values):
        for less in _smaller_number(value):
            yield _put(values, i, less)


def _smaller_number(value: Scalar) -> Iterator[Scalar]:
    """Numbers nearer to zero, and whole numbers."""
    match value:
        case LongDouble():
            if value.is_nan and value != LongDouble("nan"):
                yield LongDouble("nan")
            yield 0.0
        case float():
            if value != 0.0:
                yield 0.0
                if not value.is_integer() and abs(value) < 2**53:
                    yield float(int(value))
        case _:
            yield from _smaller_integer(value)


def _smaller_integer(value: int) -> Iterator[int]:
    """For -100: 100, 0, -1, -6, -50, -75, -88, -94, -97, -99 in turn; so a boundary is found in few
    steps."""
    sign = -1 if value < 0 else 1
    size = abs(value)
    if sign < 0:
        yield size
    candidates = {0, 1, size // 16, *(size - (size >> shift) for shift in range(1, 64))}
    for candidate in sorted(candidates):
        if candidate < size:
            yield sign * candidate
