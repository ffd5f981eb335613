"""The tables of a program: its statements, and its memory objects.

    if (x > limit)      ->   n4  condition  "if (x > limit)"
        return limit;   ->   n5  return     "return limit;"
    static int count;   ->   global count: 4 bytes = zero

A node is drafted when its statement is lowered; the rules that meet a change or an output call
inside note it in the draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from csg.errors import NOWHERE, Location
from csg.ir import Decision, GlobalObject, Node
from csg.ir.library_effects import is_output
from csg.ir.program import StatementKind
from csg.language.syntax import Expression, Linkage, StringLiteral, Symbol, SymbolKind, Version
from csg.language.types import Array, Type, alignment_of, size_of

# ----------------------------------------------------------------------------------------- excerpts
# The source text of a statement on one line.
#
#     if (a > b &&          ->   "if (a > b && c)"
#         c) {
#
# Locations say where a statement starts at most; where it ends is found by matching brackets up to
# its semicolon (or, for a condition, its closing parenthesis). Text that cannot be found is "".


_LONGEST = 40  # lines of a statement that are looked at
_SKIPPED = re.compile(
    r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//[^\n]*'  # text and comments
    r"|[()\[\]{};]|[^\"'/()\[\]{};]+|.",
    re.S,
)
_INVOLVED = re.compile(r"[\"'/{]")  # what could hide the end of a statement
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')|/\*.*?\*/|//[^\n]*', re.S)
_SPACE = re.compile(r"\s+")


class Excerpts:
    """Finds the text of statements. ``sources`` maps each user file to its lines."""

    def __init__(self, sources: Mapping[str, list[str]]) -> None:
        self.sources = sources

    def statement(self, location: Location) -> str:
        """The text up to the semicolon: ``x = f(a, b);``"""
        start = self._beginning(location)
        line = self._line(location)
        end = line.find(";", start) + 1
        if end and not _INVOLVED.search(line, start, end):
            return " ".join(line[start:end].split())  # most statements
        return _collapsed(_until(self._from(location, start), ";"))

    def condition(self, location: Location, keyword: str) -> str:
        """The keyword with its parentheses: ``while (x < 3)``"""
        line = self._line(location)
        start = max(0, location.column - 1)
        if not line.startswith(keyword, start):
            start = line.find(keyword)
        if start < 0:
            return _collapsed(line)
        return _collapsed(_until(self._from(location, start), ")"))

    def after_body(self, location: Location) -> str:
        """The condition of a do statement, by the location of its expression: ``while (x < 3)``"""
        line = self._line(location)
        start = line.rfind("while", 0, max(location.column - 1, 0))
        if start < 0:
            return _collapsed(line)
        return _collapsed(_until(self._from(location, start), ")"))

    def step(self, location: Location) -> str:
        """The third part of a for, up to the parenthesis that it does not open: ``i++``"""
        text = self._from(location, max(0, location.column - 1))
        return _collapsed(_until(text, "").removesuffix(")"))

    def head(self, location: Location) -> str:
        """The first line of a function: ``int main(int argc, char **argv)``"""
        line = self._line(location)
        return _collapsed(line.split("{")[0].rstrip(" ;"))

    def _line(self, location: Location) -> str:
        lines = self.sources.get(location.file)
        if not lines or not 0 < location.line <= len(lines):
            return ""
        return lines[location.line - 1]

    def _from(self, location: Location, start: int) -> str:
        lines = self.sources.get(location.file)
        if not lines or not 0 < location.line <= len(lines):
            return ""
        first = location.line - 1
        following = lines[first + 1 : first + _LONGEST]
        return "\n".join([lines[first][start:], *following])

    def _beginning(self, location: Location) -> int:
        """Where the text begins: before the first token that has a location there may be type
        names, stars and opening brackets."""
        line = self._line(location)
        start = min(max(0, location.column - 1), len(line))
        if not line[:start].strip():
            return 0
        while start and (line[start - 1].isalnum() or line[start - 1] in "_ \t*&!~-+("):
            start -= 1
        before = line[start : location.column - 1]
        for opener in ("for (", "for(", "else ", "case ", "default "):
            if opener in before:
                start += before.rfind(opener) + len(opener)
                before = line[start : location.column - 1]
        return start


def _until(text: str, final: str) -> str:
    """The text up to the first ``final`` outside brackets, or to a bracket that closes one before
    it."""
    depth = 0
    position = 0
    for piece in _pieces(text):
        position += len(piece)
        if piece in ("(", "[", "{"):
            depth += 1
        elif piece in (")", "]", "}"):
            depth -= 1
            if depth < 0 or (depth == 0 and piece == final):
                return text[:position]
        elif piece == final and depth == 0:
            return text[:position]
    return text.split("\n", maxsplit=1)[0]


def _pieces(text: str) -> Iterator[str]:
    for matched in _SKIPPED.finditer(text):
        yield matched.group()


def _collapsed(text: str) -> str:
    without = _COMMENTS.sub(lambda matched: matched.group(1) or " ", text)
    return _SPACE.sub(" ", without).strip()


# --------------------------------------------------------------------------------------- statements


@dataclass(slots=True)
class Draft:
    function: str
    location: Location
    text: str
    kind: StatementKind
    version: Version | None
    changes: set[int] = field(default_factory=set)
    output: bool = False


class NodeTable:
    """The statements of a program. ``enclosing`` has the Execute that is being lowered and the
    other regions of one version, innermost last: a statement belongs to the innermost one that has
    a number. ``numbered``: decisions get numbers; those of a library would collide with the
    program's."""

    def __init__(self, numbered: bool = True) -> None:
        self.numbered = numbered
        self.drafts: list[Draft] = []
        self.function = ""
        self.excerpts = Excerpts({})
        self.enclosing: list[tuple[Version, int]] = []
        self.decisions: list[Decision] = []
        self._stands_for: tuple[Expression, Expression, Version] | None = None

    def draft(self, kind: StatementKind, location: Location, text: str) -> int:
        version = self.enclosing[-1][0] if self.enclosing else None
        draft = Draft(self.function, location, text, kind, version)
        draft.changes.update([change for _, change in self.enclosing if change][-1:])
        self.drafts.append(draft)
        return len(self.drafts) - 1

    def alone(self, version: Version) -> bool:
        """Is code being lowered that only ``version`` gets to?"""
        return bool(self.enclosing) and self.enclosing[-1][0] is version

    def note_change(self, node: int, change: int) -> None:
        if change:
            self.drafts[node].changes.add(change)

    def decision(self, node: int, expression: Expression) -> int:
        """The number of the decision that a branch or a switch makes."""
        if not self.numbered:
            return 0
        version = None
        if self._stands_for is not None and self._stands_for[0] is expression:
            _, expression, version = self._stands_for
            self._stands_for = None
        place = expression.location
        if place == NOWHERE:
            place = self.drafts[node].location
        self.decisions.append(Decision(expression, place, node, version))
        return len(self.decisions)

    def stands_for(self, made: Expression, written: Expression, version: Version) -> None:
        """Note that the next branch decides ``made``, which the source writes as ``written``, in
        one version."""
        self._stands_for = made, written, version

    def note_call(self, node: int, function: str) -> None:
        if is_output(function):
            self.drafts[node].output = True

    def finished(self) -> list[Node]:
        return [
            Node(
                number,
                draft.function,
                draft.location,
                draft.text,
                draft.kind,
                frozenset(draft.changes),
                draft.version,
                draft.output,
            )
            for number, draft in enumerate(self.drafts)
        ]


# ----------------------------------------------------------------------------------- memory objects
# Names of everything with static duration, and the table of memory objects.
#
#     static int count = 3;            ->  global count: 4 bytes = 03000000
#     int f(void) { static int n; }    ->  global f.n: 4 bytes = zero
#     puts("hi")                       ->  constant .str.0: 3 bytes = 686900
#
# Names with external linkage stay as they are; two statics of one name become ``name``, ``name.1``.


@dataclass(slots=True)
class Objects:
    """The objects of a program. ``prefix`` makes a library's names distinct from those of the
    program it is linked to."""

    prefix: str = ""
    globals: dict[str, GlobalObject] = field(default_factory=dict)
    names: dict[Symbol, str] = field(default_factory=dict)
    # external names that other objects and functions have
    aliases: dict[str, str] = field(default_factory=dict)
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
        if symbol.linkage is Linkage.EXTERNAL:
            name = self.aliases.get(symbol.name, symbol.name)
            if symbol.kind is not SymbolKind.FUNCTION:
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

    def model(self, name: str) -> str:
        """The name of a model that no source names."""
        self.used_functions.add(name)
        return name

    def string(self, literal: StringLiteral) -> str:
        """The name of the object of a string literal; equal literals share one object, as in
        gcc."""
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
        """Declare the objects that are used and defined nowhere: the environment provides them."""
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
    """The alignment of an object in bytes: at least 16 for arrays of 16 bytes and more (System V
    ABI)."""
    natural = max(alignment_of(kind), asked, 1)
    return max(natural, 16) if isinstance(kind, Array) and size_of(kind) >= 16 else natural
