"""Names of everything with static duration, and the table of memory objects.

    static int count = 3;            ->  global count: 4 bytes = 03000000
    int f(void) { static int n; }    ->  global f.n: 4 bytes = zero
    puts("hi")                       ->  constant .str.0: 3 bytes = 686900

Names with external linkage stay as they are; two statics of one name become ``name``, ``name.1``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.ir import GlobalObject
from csg.language.syntax import StringLiteral, Symbol
from csg.language.types import Array, Type, alignment_of, size_of


@dataclass(slots=True)
class Objects:
    """``prefix`` keeps a library's own names apart from those of the program it is linked to."""

    prefix: str = ""
    globals: dict[str, GlobalObject] = field(default_factory=dict)
    names: dict[Symbol, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)  # external names of other things
    taken: set[str] = field(default_factory=set)
    strings: dict[tuple[bytes, int], str] = field(default_factory=dict)
    used_objects: dict[str, Symbol] = field(default_factory=dict)  # external ones, by name
    used_functions: set[str] = field(default_factory=set)
    counters: dict[str, int] = field(default_factory=dict)
    initialized: set[str] = field(default_factory=set)  # file-scope objects with an initialiser

    def name(self, symbol: Symbol, scope: str = "") -> str:
        """The name in the program; ``scope`` is the function of a block-scope static."""
        known = self.names.get(symbol)
        if known is not None:
            return known
        if symbol.linkage == "external":
            name = self.aliases.get(symbol.name, symbol.name)
            if symbol.kind != "function":
                self.used_objects.setdefault(name, symbol)
        else:
            stem = symbol.name or "literal"
            name = self._unused(self.prefix + (f"{scope}.{stem}" if scope else stem))
        self.names[symbol] = name
        self.taken.add(name)
        return name

    def function(self, symbol: Symbol) -> str:
        """The name of a function that is called or whose address is taken."""
        name = self.name(symbol)
        self.used_functions.add(name)
        return name

    def string(self, literal: StringLiteral) -> str:
        """The object of a string literal; equal ones are one object, as gcc has them."""
        key = (literal.value, literal.unit)
        if key not in self.strings:
            name = f"{self.prefix}.str.{len(self.strings)}"
            data = literal.value + bytes(literal.unit)
            self.strings[key] = name
            self.globals[name] = GlobalObject(
                name, len(data), literal.unit, data, readonly=True, location=literal.location
            )
        return self.strings[key]

    def _unused(self, stem: str) -> str:
        if stem not in self.taken:
            return stem
        number = self.counters.get(stem, 0) + 1
        while f"{stem}.{number}" in self.taken:
            number += 1
        self.counters[stem] = number
        return f"{stem}.{number}"

    def declare_missing(self) -> None:
        """Objects that are used and defined nowhere: the environment provides them."""
        for name, symbol in self.used_objects.items():
            if name not in self.globals:
                self.globals[name] = undefined_object(name, symbol)


def undefined_object(name: str, symbol: Symbol) -> GlobalObject:
    size = size_of(symbol.type)
    return GlobalObject(
        name,
        size,
        object_alignment(symbol.type, symbol.alignment),
        bytes(size),
        external=True,
        type=symbol.type,
        location=symbol.location,
    )


def object_alignment(kind: Type, asked: int = 0) -> int:
    """gcc aligns arrays of 16 bytes and more to 16 (System V ABI)."""
    natural = max(alignment_of(kind), asked, 1)
    return max(natural, 16) if isinstance(kind, Array) and size_of(kind) >= 16 else natural
