"""Ask the linker which changed functions and objects run though nothing in the program leads to
them.

    static void (*p)(void) __attribute__((section(".init_array"), used)) = b;   ->   [p, b]

Start files, the library and flags such as ``-Wl,-init,f`` name symbols of a program. Which ones no
list knows, but the linker does: it keeps what something names when it collects garbage. What it
keeps, and what main and the constructors do not name, may run all the same. Only programs are
linked in which something like that has changed, or has a sign of being named from outside: it leads
to functions as an array of them does, has a name of the system's, or is a word of a linker's flag.
"""

from __future__ import annotations

import re
import struct
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from csg.errors import Location, ToolchainError
from csg.language.syntax import Declaration, FunctionDefinition, Linkage, Name, Symbol, SymbolKind
from csg.language.traversal import walk
from csg.leftovers import own_folder
from csg.programs import FilePair, SourceFile
from csg.records import record
from csg.toolchain import CompilerPool, compile_program
from csg.unify.changes.numbering import number_of
from csg.unify.object_code import is_of_library
from csg.unify.unified import Unified, without_version

_SECTIONS = ("-ffunction-sections", "-fdata-sections", "-fno-lto", "-O0", "-w")
# Files that are not there, and names that two files define, are no matter of this link.
_COLLECTING = ("-Wl,--gc-sections,--unresolved-symbols=ignore-all,--allow-multiple-definition",)
_COMPILING = ("-D", "-I", "-f", "-m", "-O", "-g", "-std", "-L", "-l")
_OUTSIDE = -1  # the unit of external names

Key = tuple[int, str]
Thing = FunctionDefinition | Declaration


@record
class Retained:
    """A function or object of which the linker says that something names it. ``asked`` is False
    where the program could not be linked."""

    name: str
    location: Location
    is_function: bool
    asked: bool = True

    @property
    def text(self) -> str:
        if not self.asked:
            return f"the linker does not say whether '{self.name}' is part of the program"
        known = "call" if self.is_function else "use"
        return f"the linker keeps '{self.name}', and nothing is known to {known} it"


def retained(unified: Unified, entry: str, files: Sequence[FilePair]) -> tuple[Retained, ...]:
    """The changed functions and objects, those that lead to some, and those that something outside
    may run, that the program has though ``entry`` does not lead to them."""
    if entry != "main":
        return ()
    suspects = list(_Names(unified).unreached(entry, _linker_words(files)))
    if not suspects:
        return ()
    versions = [[each.old for each in files], [each.new for each in files]]
    with CompilerPool(len(versions)) as pool:
        linking = [pool.submit(_symbols, version, pool.cancelled) for version in versions]
        defined = [each.result() for each in linking]
    if None in defined:
        return tuple(_of(each, asked=False) for each in suspects)
    names = frozenset[str]().union(*(each for each in defined if each is not None))
    return tuple(_of(each) for each in suspects if not names.isdisjoint(_spellings(each.symbol)))


def _linker_words(files: Sequence[FilePair]) -> frozenset[str]:
    """The words of the flags that the linker gets, among them names of symbols."""
    both = {file for each in files for file in (each.old, each.new) if file is not None}
    flags = {flag for file in both for flag in file.flags if not flag.startswith(_COMPILING)}
    return frozenset(word for flag in flags for word in re.findall(r"\w+", flag))


def _of(thing: Thing, asked: bool = True) -> Retained:
    function = isinstance(thing, FunctionDefinition)
    return Retained(without_version(thing.symbol.name), thing.location, function, asked)


def _spellings(symbol: Symbol) -> set[str]:
    return {symbol.name, without_version(symbol.name), symbol.linked_as} - {""}


# ------------------------------------------------------------------ what leads where


class _Names:
    """Which functions and objects of file scope name which others."""

    def __init__(self, unified: Unified) -> None:
        self._named: dict[Key, set[Key]] = {}
        self._things: dict[Key, Thing] = {}
        self._changed: set[Key] = set()
        self._aliases: dict[str, set[str]] = {}
        changed = {change.function for change in unified.changes} - {""}
        for number, unit in enumerate(unified.units):
            things: list[Thing] = [*unit.functions, *unit.declarations]
            for thing in things:
                self._add(number, thing, changed)

    def _add(self, number: int, thing: Thing, changed: Collection[str]) -> None:
        symbol = thing.symbol
        key = _key(number, symbol)
        named = self._named.setdefault(key, set())
        if symbol.alias:
            self._aliases.setdefault(symbol.alias, set()).add(symbol.name)
            named |= {(number, symbol.alias), (_OUTSIDE, symbol.alias)}
        if isinstance(thing, Declaration) and not (
            symbol.kind is SymbolKind.OBJECT and (symbol.defined or thing.initializer is not None)
        ):
            return
        self._things[key] = thing
        root = thing.body if isinstance(thing, FunctionDefinition) else thing.initializer
        edited = bool(thing.change) or thing.version is not None or symbol.name in changed
        for node in walk(root) if root is not None else ():
            edited |= bool(number_of(node))
            if isinstance(node, Name) and node.symbol.linkage is not Linkage.NONE:
                named.add(_key(number, node.symbol))
        if edited:
            self._changed.add(key)

    def unreached(self, entry: str, words: Collection[str]) -> Iterator[Thing]:
        """What is changed, leads to what is changed or may be named from outside, as by one of
        these ``words``, and is not led to by the entry function or by what runs around it."""
        hooks = (key for key, thing in self._things.items() if thing.symbol.hooks)
        reached = _closure(self._named, [(_OUTSIDE, entry), *hooks])
        naming: dict[Key, set[Key]] = {}
        for key, named in self._named.items():
            for each in named:
                naming.setdefault(each, set()).add(key)
        wanted = _closure(naming, self._changed) - reached
        return (
            thing
            for key, thing in self._things.items()
            if key in wanted or (key not in reached and self._is_offered(key, words))
        )

    def _is_offered(self, key: Key, words: Collection[str]) -> bool:
        """Is there a sign that something outside of the program runs this?"""
        thing = self._things[key]
        if isinstance(thing, FunctionDefinition):
            names = {*_spellings(thing.symbol), *self._aliases.get(thing.symbol.name, ())}
            seen = {each for each in names if each.startswith("__") or is_of_library(each)}
            return not names.isdisjoint(words) or bool(seen and not thing.symbol.inline)
        named = (self._things.get(each) for each in self._named[key])
        return any(isinstance(each, FunctionDefinition) for each in named)


def _key(number: int, symbol: Symbol) -> Key:
    return (_OUTSIDE if symbol.linkage is Linkage.EXTERNAL else number), symbol.name


def _closure(edges: dict[Key, set[Key]], begin: Iterable[Key]) -> set[Key]:
    found: set[Key] = set()
    waiting = list(begin)
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += edges.get(each, ())
    return found


# ------------------------------------------------------------------ what the linker keeps


def _symbols(
    files: Sequence[SourceFile | None], cancelled: threading.Event
) -> frozenset[str] | None:
    """The names of the symbols in the program of these files; None where it cannot be linked."""
    present = [file for file in files if file is not None]
    try:
        with own_folder("link") as folder:
            return symbols_of(_linked(present, folder, cancelled).read_bytes())
    except (ToolchainError, OSError, ValueError, struct.error):
        return None


def _linked(files: Sequence[SourceFile], folder: Path, cancelled: threading.Event) -> Path:
    objects: list[str] = []
    for number, file in enumerate(files):
        objects.append(str(folder / f"{number}.o"))
        flags = ["-c", *_flags(file), *_SECTIONS]
        compile_program([str(file.path)], objects[-1], flags, cancelled=cancelled)
    program = folder / "program"
    flags = [*_flags(files[0]), *_SECTIONS, *_COLLECTING, "-lm"]
    compile_program(objects, str(program), flags, cancelled=cancelled)
    return program


def _flags(file: SourceFile) -> list[str]:
    return [flag for flag in file.flags if flag != "-s"]


_HEADER = struct.Struct("<40xQ10xHH2x")  # of an ELF file: where its sections are, and how many
_SECTION = struct.Struct("<4xI16xQQI12xQ")  # kind, offset, size, section of the names, entry size
_SYMBOL = struct.Struct("<IBxH16x")  # name, kind, section
_SYMBOLS, _UNDEFINED = 2, 0


def symbols_of(content: bytes) -> frozenset[str]:
    """The names of the functions and objects that an ELF file of 64 bits defines, without the
    numbers that the compiler appends. Raises ValueError where there is no table of them."""
    if content[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no ELF file of 64 bits, little-endian")
    begin, size, count = _HEADER.unpack_from(content)
    sections = [_SECTION.unpack_from(content, begin + size * at) for at in range(count)]
    table = next((each for each in sections if each[0] == _SYMBOLS), None)
    if table is None:
        raise ValueError("no table of symbols")
    _, offset, length, names, step = table
    texts = sections[names][1]
    found: set[str] = set()
    for at in range(offset, offset + length, step):
        name, _, section = _SYMBOL.unpack_from(content, at)
        if section != _UNDEFINED:
            whole = content[texts + name : content.index(b"\0", texts + name)].decode("latin-1")
            found |= {whole, whole.partition(".")[0]}
    return frozenset(found)
