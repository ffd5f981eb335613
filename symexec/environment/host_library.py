"""Functions of this machine's C library on bit patterns, nothing but numbers goes in or out; and
its version.

    call("frexp", 64, "xI", [bits of 12.0])   ->   Answer(bits of 0.75, (4,), 0)

A shape has one letter for each parameter: ``x`` a number of the function's width, ``i`` an int,
``I`` a pointer to an int that is written.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from csg.records import record

LIBRARY = "libm.so.6"


class _Float(ctypes.c_float):
    """A subclass of a ctypes type is handed over as its bytes, not as a number of Python's."""


class _Double(ctypes.c_double):
    pass


class _LongDouble(ctypes.c_longdouble):
    pass


@record
class Answer:
    """``written`` are the ints behind pointers; ``errno`` 0: not set."""

    pattern: int
    written: tuple[int, ...]
    errno: int


def call(name: str, width: int, shape: str, values: Sequence[int]) -> Answer:
    kind = {32: _Float, 64: _Double, 80: _LongDouble}[width]
    function = getattr(ctypes.CDLL(LIBRARY, use_errno=True), name)
    function.restype = kind
    rest = iter(values)
    targets: list[ctypes.c_int] = []
    arguments: list[object] = []
    for letter in shape:
        match letter:
            case "x":
                data = next(rest).to_bytes(ctypes.sizeof(kind), "little")
                arguments.append(kind.from_buffer_copy(data))
            case "i":
                arguments.append(ctypes.c_int(next(rest)))
            case _:
                targets.append(ctypes.c_int())
                arguments.append(ctypes.byref(targets[-1]))
    ctypes.set_errno(0)
    result = function(*arguments)
    pattern = int.from_bytes(bytes(result)[: width // 8], "little")
    return Answer(pattern, tuple(target.value for target in targets), ctypes.get_errno())


def version(release: bool) -> bytes:
    """``b"2.36"``, or the word for its release, ``b"stable"``."""
    name = "gnu_get_libc_release" if release else "gnu_get_libc_version"
    function = getattr(ctypes.CDLL(None), name)
    function.restype = ctypes.c_char_p
    found = function()
    assert isinstance(found, bytes)
    return found
