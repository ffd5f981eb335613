"""Library functions of the reference interpreter: the few that test programs call."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from csg.ir import Value
from csg.lower import floats


class Memory(Protocol):
    output: bytearray
    stdin: bytes
    lists: list[list[Value]]

    def allocate(self, size: int) -> int: ...
    def free(self, address: int) -> None: ...
    def size(self, address: int) -> int: ...
    def read(self, address: int, size: int) -> bytes: ...
    def write(self, address: int, data: bytes) -> None: ...
    def text(self, address: int) -> bytes: ...
    def load(self, address: int, size: int) -> int: ...


class Ended(Exception):
    def __init__(self, status: int, reason: str = "") -> None:
        super().__init__(status)
        self.status = status & 0xFF
        self.reason = reason


Host = Callable[[Memory, list[int]], int | None]


def signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


_SPECIFICATION = re.compile(
    rb"%([-+ 0#]*)(\d+|\*)?(?:\.(\d+))?(hh|h|ll|l|z|j|t|L)?([diuxXocsfgeap%])"
)
_WIDTHS = {b"hh": 8, b"h": 16, b"l": 64, b"ll": 64, b"z": 64, b"j": 64, b"t": 64}


def formatted(memory: Memory, template: bytes, arguments: list[int]) -> bytes:
    left = list(arguments)

    def one(matched: re.Match[bytes]) -> bytes:
        flags, width, precision, length, letter = matched.groups()
        if letter == b"%":
            return b"%"
        if width == b"*":
            width = str(signed(left.pop(0), 32)).encode()
        value = left.pop(0)
        bits = _WIDTHS.get(length, 32)
        shape = "%" + flags.decode() + (width or b"").decode()
        shape += f".{precision.decode()}" if precision is not None else ""
        if letter in b"di":
            return (shape + "d").encode() % signed(value, bits)
        if letter in b"uxXo":
            kind = "d" if letter == b"u" else letter.decode()
            return (shape + kind).encode() % (value & ((1 << bits) - 1))
        if letter == b"c":
            return (shape + "c").encode() % bytes([value & 255])
        if letter == b"s":
            return (shape + "s").encode() % memory.text(value)
        if letter in b"fge":
            return (shape + letter.decode()).encode() % _number(value, 80 if length == b"L" else 64)
        return hex(value).encode()

    return _SPECIFICATION.sub(one, template)


def _number(bits: int, width: int) -> float:
    if floats.is_finite(bits, width):
        value = float(floats.number(bits, width))
        return -value if value == 0 and bits >> (width - 1) else value
    sign = -1.0 if bits >> (width - 1) else 1.0
    infinite = bits & ((1 << (width - 1)) - 1) == floats.infinity(width)
    return sign * float("inf") if infinite else float("nan")


def _printf(memory: Memory, a: list[int]) -> int:
    data = formatted(memory, memory.text(a[0]), a[1:])
    memory.output += data
    return len(data)


def _print_to(memory: Memory, a: list[int]) -> int:
    """The text is read; streams have no content here."""
    return len(formatted(memory, memory.text(a[1]), a[2:]))


def _sprintf(memory: Memory, a: list[int]) -> int:
    data = formatted(memory, memory.text(a[1]), a[2:])
    memory.write(a[0], data + b"\0")
    return len(data)


def _snprintf(memory: Memory, a: list[int]) -> int:
    data = formatted(memory, memory.text(a[2]), a[3:])
    if a[1]:
        memory.write(a[0], data[: a[1] - 1] + b"\0")
    return len(data)


def _putchar(memory: Memory, a: list[int]) -> int:
    memory.output.append(a[0] & 255)
    return a[0] & 255


def _puts(memory: Memory, a: list[int]) -> int:
    memory.output += memory.text(a[0]) + b"\n"
    return 1


def _getchar(memory: Memory, a: list[int]) -> int:
    if not memory.stdin:
        return -1
    first, memory.stdin = memory.stdin[0], memory.stdin[1:]
    return first


def _calloc(memory: Memory, a: list[int]) -> int:
    address = memory.allocate(a[0] * a[1])
    memory.write(address, bytes(a[0] * a[1]))
    return address


def _free(memory: Memory, a: list[int]) -> None:
    memory.free(a[0])


def _reallocate(memory: Memory, a: list[int]) -> int:
    """Always somewhere else."""
    address = memory.allocate(a[1])
    if a[0]:
        memory.write(address, memory.read(a[0], min(memory.size(a[0]), a[1])))
        memory.free(a[0])
    return address


def _copy(memory: Memory, a: list[int]) -> int:
    memory.write(a[0], memory.read(a[1], a[2]))
    return a[0]


def _set(memory: Memory, a: list[int]) -> int:
    memory.write(a[0], bytes([a[1] & 255]) * a[2])
    return a[0]


def _order(left: bytes, right: bytes) -> int:
    return (left > right) - (left < right)


def _copy_text(memory: Memory, a: list[int]) -> int:
    memory.write(a[0], memory.text(a[1]) + b"\0")
    return a[0]


def _append_text(memory: Memory, a: list[int]) -> int:
    memory.write(a[0] + len(memory.text(a[0])), memory.text(a[1]) + b"\0")
    return a[0]


def _find(memory: Memory, a: list[int]) -> int:
    at = (memory.text(a[0]) + b"\0").find(bytes([a[1] & 255]))
    return 0 if at < 0 else a[0] + at


def _find_in(memory: Memory, a: list[int]) -> int:
    at = memory.read(a[0], a[2]).find(bytes([a[1] & 255]))
    return 0 if at < 0 else a[0] + at


def _number_of(memory: Memory, a: list[int]) -> int:
    found = re.match(rb"\s*[-+]?\d+", memory.text(a[0]))
    return int(found[0]) if found else 0


def _exit(memory: Memory, a: list[int]) -> int:
    raise Ended(a[0])


def _abort(memory: Memory, a: list[int]) -> int:
    raise Ended(134, "abort")


def _assert(memory: Memory, a: list[int]) -> int:
    raise Ended(134, "assertion " + memory.text(a[0]).decode())


HOST: dict[str, Host] = {
    "printf": _printf,
    "sprintf": _sprintf,
    "snprintf": _snprintf,
    "putchar": _putchar,
    "puts": _puts,
    "fputs": lambda memory, a: len(memory.text(a[0])),
    "fprintf": _print_to,
    "getchar": _getchar,
    "malloc": lambda memory, a: memory.allocate(a[0]),
    "calloc": _calloc,
    "realloc": _reallocate,
    "free": _free,
    "memcpy": _copy,
    "memmove": _copy,
    "memset": _set,
    "memcmp": lambda memory, a: _order(memory.read(a[0], a[2]), memory.read(a[1], a[2])),
    "strlen": lambda memory, a: len(memory.text(a[0])),
    "strcmp": lambda memory, a: _order(memory.text(a[0]), memory.text(a[1])),
    "strncmp": lambda memory, a: _order(memory.text(a[0])[: a[2]], memory.text(a[1])[: a[2]]),
    "strcpy": _copy_text,
    "strcat": _append_text,
    "strchr": _find,
    "memchr": _find_in,
    "abs": lambda memory, a: abs(signed(a[0], 32)),
    "__csgtest_isdigit": lambda memory, a: 2048 * (48 <= a[0] <= 57),  # the macro's table
    "__csgtest_has_bit": lambda memory, a: 0,
    "__csgtest_approximated": lambda memory, a: 0,  # a note, and no more
    "atoi": _number_of,
    "exit": _exit,
    "abort": _abort,
    "__csgtest_assert_fail": _assert,
}
