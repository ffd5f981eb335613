"""Where a compiled program keeps its global and static objects: its symbol table, read by name.

    int total;                            total      anchor + 64
    int f(void) { static int n; ... }     f.n        anchor + 80     (n.0, as gcc calls it)

Addresses count from the harness' own symbol ``csgtest_anchor``, so that they hold wherever the
program is loaded. A static object has an address only where its name is the only such one among the
files that were compiled: gcc numbers the static objects of functions in an order of its own.
"""

from __future__ import annotations

import os
import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ANCHOR = "csgtest_anchor"
_ELF64_LITTLE = b"\x7fELF\x02\x01"
_SECTION = struct.Struct("<IIQQQQIIQQ")  # name, type, flags, address, offset, size, link, ...
_SYMBOL = struct.Struct("<IBBHQQ")  # name, info, other, section, value, size
_SYMTAB, _OBJECT, _FUNCTION, _FILE = 2, 1, 2, 4
_NUMBER = re.compile(r"\.\d+$")


@dataclass(frozen=True, slots=True)
class Symbols:
    """The symbols of an executable. ``places`` are addresses by name, relative to the anchor; None:
    there are several with this name."""

    places: dict[str, int | None] = field(default_factory=dict)
    ranges: tuple[tuple[int, int, str], ...] = ()  # start, size, name; sorted

    def place(self, name: str) -> int | None:
        """The address of an object (``name``, or ``&name`` where that is a pointer); ``f.n`` is the
        static object n of the function f. None: it has none, or it is not known which one it is."""
        name = name.removeprefix("&")
        _, _, local = name.partition(".")
        if not local:
            return self.places.get(name)
        return self.places.get(name) or self.places.get(f".{local}")

    def at(self, place: int) -> tuple[str, int] | None:
        """The object at an address, and the distance from its start in bytes; None where there is
        none."""
        index = bisect_right(self.ranges, (place, 1 << 62, "")) - 1
        if index < 0:
            return None
        start, size, name = self.ranges[index]
        return (name, place - start) if place < start + max(size, 1) else None


def read_symbols(executable: str, files: Iterable[str]) -> Symbols:
    """Read the symbol table. ``files``: base names of the C files whose own (static) symbols count.
    Empty when the file is no 64 bit ELF file with a symbol table."""
    wanted = {os.path.basename(each) for each in files}
    data = Path(executable).read_bytes()
    if not data.startswith(_ELF64_LITTLE):
        return Symbols()
    places: dict[str, int | None] = {}
    ranges: list[tuple[int, int, str]] = []
    anchor = None
    file = ""
    for name, info, section, value, size in _symbols(data):
        kind, is_global = info & 15, info >> 4 != 0
        if kind == _FILE:
            file = name
        if kind not in (_OBJECT, _FUNCTION) or not section:
            continue
        if name == ANCHOR:
            anchor = value
        if not is_global and file not in wanted:
            continue
        known = name if is_global or not _NUMBER.search(name) else f".{_NUMBER.sub('', name)}"
        if known in places and not is_global:
            places[known] = None
        elif places.get(known, 0) is not None:
            places[known] = value
        ranges.append((value, size, known.removeprefix(".")))
    if anchor is None:
        return Symbols()
    return Symbols(
        {name: None if at is None else at - anchor for name, at in places.items()},
        tuple(sorted((at - anchor, size, name) for at, size, name in ranges)),
    )


def _symbols(data: bytes) -> Iterator[tuple[str, int, int, int, int]]:
    """The symbols: name, info, section, value, size. Those of a file follow the symbol of the file
    itself."""
    (start,) = struct.unpack_from("<Q", data, 0x28)
    length, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [_SECTION.unpack_from(data, start + length * i) for i in range(count)]
    for section in sections:
        if section[1] != _SYMTAB:
            continue
        names = sections[section[6]][4]
        table = data[section[4] : section[4] + section[5]]
        for name, info, _, where, value, size in _SYMBOL.iter_unpack(table):
            end = data.index(b"\0", names + name)
            yield data[names + name : end].decode("utf-8", "replace"), info, where, value, size
