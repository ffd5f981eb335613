"""Ask the compiler whether what is one in both versions is compiled alike.

    static char b[] = "a,b";     static const char b[] = "a,b";     ->   Dissent("b", ".data ...")

Trees say what we know of C; the compiler says what it is. Each file is compiled in both versions,
concurrently with the work on the trees, and their functions and objects are compared one by one
(``assembly``). Where the code of a function differs without optimisation and is equal with it, only
the order of its variables differs, or how an expression is written; where it is equal once nothing
is const, only the value of a constant differs, which is compared by itself. A file that does not
compile is not compared.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property

from csg.errors import NOWHERE, Location, ToolchainError
from csg.frontend import Preprocessed
from csg.language.syntax import (
    INLINE,
    Declaration,
    FunctionDefinition,
    Linkage,
    Name,
    StorageDuration,
    Symbol,
    SymbolKind,
    TranslationUnit,
    Version,
)
from csg.language.traversal import walk
from csg.language.types import Function
from csg.records import record
from csg.toolchain import (
    CompilerPool,
    assemble,
    flags_after_preprocessing,
    relevant_flags,
)
from csg.unify.assembly import Assembly, Reader, read_assembly, without_const
from csg.unify.changes.numbering import number_of
from csg.unify.meanings import Datum, data_of, taken_out, text_of, wrong_claims
from csg.unify.unified import Apart, ChangeRecord, Dissent, Unified

TextPair = tuple[Preprocessed | None, Preprocessed | None]
UnitPair = tuple[TranslationUnit | None, TranslationUnit | None]
Spellings = Mapping[str, Symbol]  # what the compiler calls symbols of a file
COMPILED = "compiled differently"  # the cause of a change
SAME_CODE = "the compiler makes the same code of both versions"
PLAIN, CONSTLESS, TRUSTING, CHECKED = "-O0", "without const", "as guaranteed", "checked"
# What C leaves undefined is trapped, and each access to an object is checked.
_CHECKS = ("-fsanitize=address,undefined", "-fsanitize-undefined-trap-on-error")
_CHECKS_OF_OBJECTS = "--param=asan-globals=0"  # would name objects and files
OTHER_WAYS = (CONSTLESS, "-O1", "-O2")  # to compile: a function that is alike in one is alike

_LOOKING_UP = frozenset({"dlsym", "dlvsym", "dladdr", "dladdr1", "backtrace_symbols"})
# What a local variable holds behind the second return of such a call depends on where it lies.
_RETURNING_TWICE = re.compile(
    r"(?:__builtin_|__x|_{0,2})(?:(?:sig)?setjmp|savectx|vfork|getcontext)(?:_syscall)?"
)
_SAID_TO_RETURN_TWICE = "returns_twice"
# Where functions and objects come to lie that are in no section by name.
_UNNAMED = re.compile(r"\.text\b.*|\.(?:t?data|t?bss|rodata)(?:\.rel[\w.]*)?(?:\.\*)?(?:,.*)?")
# How a program guarantees its compiler something that code without optimisation does not show.
_GUARANTEE = re.compile(
    r"\b__attribute(?:__)?\s*\(\(|\[\[|\b(?:__)?restrict(?:__)?\b|\b_Noreturn\b"
)
_VOLATILE = re.compile(r"\b(?:__)?volatile(?:__)?\b")
# The qualifier; not the attribute, which says that a function has no effect.
_CONST = re.compile(r"(?!(?<=[(,:])(?:const|__const__)\s*[,)\]])\b(?:const|__const|__const__)\b")
_SPACED = re.compile(r"(?<=[(,:])\s+(?=(?:const|__const__)\s*[,)\]])")
_PLACES = re.compile(  # also in raw string literals
    r'\b__builtin_(?:LINE|FILE|COLUMN)\b|\b(?:u8|[uUL])?R"'
)
_MARKER = re.compile(r"^# \d+ .*$", re.MULTILINE)
# Where an assertion stands is no meaning of it.
_ASSERTED = re.compile(r'"[^"\n]*"\s*,\s*\d+,\s*__func__\)')


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a file as it is compiled."""

    text: str
    flags: tuple[str, ...]
    file: str = field(compare=False)


def source_of(text: Preprocessed) -> Source:
    """Without the places of lines and white space around them, unless the text asks for these."""
    if _PLACES.search(text.text):
        return Source(text.text, text.flags, text.file)
    lines = (line.strip() for line in _MARKER.sub("", text.text).splitlines())
    retained = "\n".join(line for line in lines if line)
    return Source(_ASSERTED.sub('"", 0, "")', retained) + "\n", text.flags, text.file)


class Compilation:
    """The assembly of the files that differ, made in the background."""

    def __init__(
        self, texts: Sequence[TextPair], units: Sequence[UnitPair], compiler: str | None = None
    ) -> None:
        self._compiler = compiler
        self._pairs = [_sources(pair) for pair in texts]
        self._uses: dict[Source, str] = {}
        self._pool = CompilerPool(2)
        self._data: dict[Source, list[Datum]] = {}
        self._linked: dict[Source, list[Symbol]] = {}
        self._volatile: dict[Source, list[Symbol]] = {}
        self._wrong: dict[str, Location] = {}
        flags: dict[tuple[str, ...], Location] = {}
        for given, sources, trees in zip(texts, self._pairs, units, strict=True):
            for text, source, tree in zip(given, sources, trees, strict=True):
                if text is not None and source is not None and tree is not None:
                    self._uses[source] = _uses_of(text, tree)
                    self._data[source] = data_of(tree)
                    self._linked[source] = [replace(each) for each in _linked(tree)]
                    self._volatile[source] = list(_volatile(source, tree))
                    flags.setdefault(source.flags, Location(tree.file))
        self._claims = [
            (self._pool.submit(wrong_claims, said, compiler), place)
            for said, place in flags.items()
        ]
        self._made: dict[tuple[Source, str], Future[Assembly | None]] = {}
        for source in self._sources():
            self._start(source, PLAIN)

    def __enter__(self) -> Compilation:
        return self

    def __exit__(self, *reason: object) -> None:
        self._pool.close()

    def pairs(self, level: str = PLAIN) -> list[tuple[Assembly | None, Assembly | None]]:
        """For each pair of files the assembly of both versions. None where there is no file, where
        it is not C for the compiler, or where the versions have one text."""
        for source in self._sources():
            self._start(source, level)

        def made(source: Source | None) -> Assembly | None:
            return None if source is None else self._made[source, level].result()

        return [(made(old), made(new)) for old, new in self._pairs]

    def has_both(self, level: str) -> bool:
        """Is there assembly of both versions for each file that differs, made with the same
        flags?"""
        differing = [(at, pair) for at, pair in enumerate(self._pairs) if pair != (None, None)]
        for _, (old, new) in differing:
            if old is None or new is None or _flags(old.flags) != _flags(new.flags):
                return False
        pairs = self.pairs(level)
        return all(None not in pairs[at] for at, _ in differing)

    def says(self, word: str) -> bool:
        """Does a file that differs have this word?"""
        return any(word in source.text for source in self._sources())

    def guarantees_differ(self, words: re.Pattern[str] = _GUARANTEE) -> bool:
        """Does a file guarantee the compiler something else in each version, as by an attribute?"""
        return any(
            old is not None
            and new is not None
            and _guarantees(old.text, words) != _guarantees(new.text, words)
            for old, new in self._pairs
        )

    def volatile(self) -> tuple[list[Symbol], list[Symbol]]:
        """What the versions of the files that differ declare as volatile."""
        old, new = (
            [symbol for source in sources if source for symbol in self._volatile.get(source, [])]
            for sources in zip(*self._pairs, strict=True)
        )
        return old, new

    def unmodelled(self) -> tuple[Dissent, ...]:
        """What the flags or types of a file mean, and do not mean here."""
        wrong = dict(self._wrong)
        for (source, level), made in self._made.items():
            if level == PLAIN and made.result() is None:
                text = "the compiler refuses this file, which is compared by its tree alone"
                wrong[text] = Location(source.file)
        for claims, place in self._claims:
            wrong.update({f"with these flags it does not hold that {claim}": place
                          for claim in claims.result()})  # fmt: skip
        return tuple(Dissent("", place, text) for text, place in wrong.items())

    def _sources(self) -> list[Source]:
        return [source for pair in self._pairs for source in pair if source is not None]

    def _start(self, source: Source, level: str) -> None:
        if (source, level) not in self._made:
            self._made[source, level] = self._pool.submit(self._compile, source, level)

    def _compile(self, source: Source, level: str) -> Assembly | None:
        data = self._data.get(source, []) if level == PLAIN else []
        found = self._assembled(source, source.text + text_of(data), level)
        if found is None and data:
            return self._assembled(source, source.text, level)
        if found is not None and level == PLAIN:
            for text in taken_out(found, data):
                self._wrong.setdefault(text, Location(source.file))
            for each in self._linked.get(source, ()):
                if not _is_linked_so(each, found):
                    text = f"the linker sees '{each.name}' otherwise than the search does"
                    self._wrong.setdefault(text, each.location)
        return found

    def _assembled(self, source: Source, text: str, level: str) -> Assembly | None:
        cancelled = self._pool.cancelled
        text += self._uses.get(source, "")
        flags, trusting = source.flags, level in (TRUSTING, CHECKED)
        if level == CONSTLESS:
            text, level = _CONST.sub("", _SPACED.sub("", text)), PLAIN
        elif level == TRUSTING:
            level = "-O2"
        elif level == CHECKED:
            text, level, flags = _in_one_line(text), PLAIN, (*flags, *_CHECKS, _CHECKS_OF_OBJECTS)
        try:
            made = assemble(text, flags, level, self._compiler, cancelled, trusting=trusting)
        except ToolchainError:
            return None
        return _without_uses(read_assembly(made))


_USE = "csgtest_use_"


def _uses_of(text: Preprocessed, unit: TranslationUnit) -> str:
    """Uses of the static functions that nothing uses in this file and others can, as they include
    the header: the compiler leaves them out otherwise."""
    names = sorted(text.offered & {each.symbol.name for each in unit.functions})
    return "".join(
        f"\nstatic __typeof__(&{name}) const {_USE}{number} __attribute__((__used__)) = &{name};"
        for number, name in enumerate(names)
    )


def _without_uses(assembly: Assembly) -> Assembly:
    for label in [each for each in assembly.pieces if each.startswith(_USE)]:
        del assembly.pieces[label]
        assembly.marks.pop(label, None)
    return assembly


def _in_one_line(text: str) -> str:
    """The lines that are no pragmas, joined: checked code has the lines of variables in it."""
    return re.sub(r"(?m)(^[^#].*)\n(?=[^#])", r"\1 ", text)


def _guarantees(text: str, words: re.Pattern[str]) -> list[str]:
    """What stands in the brackets of attributes, and the other words of guarantees, in their
    order."""
    found = []
    for each in words.finditer(text):
        end = text.find("]]" if each[0] == "[[" else "))", each.end())
        found.append(each[0] + (text[each.end() : end] if each[0][-1] in "[(" else ""))
    return found


def _linked(unit: TranslationUnit) -> Iterator[Symbol]:
    """The functions of a file that have a body, but those of the system's headers."""
    return (each.symbol for each in unit.functions if not each.symbol.from_header)


def _volatile(source: Source, unit: TranslationUnit) -> Iterator[Symbol]:
    """What is declared as volatile, also by a name of a type."""
    if "volatile" not in source.text:
        return
    declared = [each.symbol for each in unit.declarations]
    for function in unit.functions:
        declared += function.parameters
        inner = walk(function.body)
        declared += (node.symbol for node in inner if isinstance(node, Declaration))
    yield from (each for each in declared if "volatile" in each.qualifiers)


def _is_linked_so(symbol: Symbol, made: Assembly) -> bool:
    """Does gcc make of a function what its symbol says: one for other files as well, a weak one,
    one of this file alone, or none at all?"""
    label = symbol.linked_as or symbol.name
    if symbol.linkage is not Linkage.EXTERNAL:
        own = label in made.pieces or label in made.aliases or label not in made.words
        return own and label not in made.exported
    if symbol.strength == INLINE:
        return label not in made.exported
    return label in made.exported and symbol.weak == (".weak" in made.linking(label))


def compiled_alike(old: Sequence[str], new: Sequence[str]) -> bool:
    """Do the flags say the same of a text that is preprocessed? Where headers are is no part of
    that."""
    one, other = (flags_after_preprocessing(relevant_flags(flags)) for flags in (old, new))
    return _flags(one) == _flags(other)


def _flags(flags: Sequence[str]) -> list[str]:
    """All but those that say where files are."""
    return [
        flag for flag in flags if flag.startswith("-") and not flag.startswith(("-I", "-i", "-L"))
    ]


def _sources(pair: TextPair) -> tuple[Source | None, Source | None]:
    old, new = (None if text is None else source_of(text) for text in pair)
    return (None, None) if old == new else (old, new)


def spellings(pairs: Sequence[UnitPair]) -> list[tuple[Spellings, Spellings]]:
    """What the compiler calls the symbols of each file, before anything is renamed. A name in
    assembly of what is defined nowhere here stays one: another name is another symbol."""
    units = [unit for pair in pairs for unit in pair if unit is not None]
    defined = {each.linked_as or each.name for unit in units for each in _defining(unit)}

    def of(unit: TranslationUnit | None) -> Spellings:
        if unit is None:
            return {}
        symbols = [each.symbol for each in unit.declarations]
        symbols += [each.symbol for each in unit.functions]
        return {
            each.linked_as or each.name: each
            for each in symbols
            if not each.linked_as or each.linked_as in defined
        }

    return [(of(old), of(new)) for old, new in pairs]


def is_of_library(name: str) -> bool:
    """Does this process have a symbol of this name from a library? So would the program. Names with
    an underscore in front are reserved for compilers and libraries (C17 7.1.3)."""
    return name.startswith("_") or is_in_library(name)


def is_in_library(name: str) -> bool:
    """Does this process have a symbol of this name from a library?"""
    return hasattr(ctypes.CDLL(None), name)


# ------------------------------------------------------------------ comparing


@record
class _Place:
    """Where a symbol of the unified program is compiled in one version."""

    reader: Reader
    label: str

    @property
    def is_code(self) -> bool:
        piece = self.reader.assembly.pieces.get(self.label)
        return piece is not None and piece.code

    @property
    def linking(self) -> tuple[str, ...]:
        return self.reader.assembly.linking(self.label)

    @property
    def storage(self) -> tuple[str, ...]:
        return self.reader.storage(self.label)


@dataclass(slots=True)
class _Version:
    """The compiled files of one version."""

    readers: list[Reader] = field(default_factory=list)
    places: dict[str, _Place] = field(default_factory=dict)

    def add(self, reader: Reader) -> None:
        self.readers.append(reader)
        assembly = reader.assembly
        commons = (name for name, said in assembly.marks.items() if _is_common(said))
        in_c = {*reader.names.values()}
        for label in (*assembly.pieces, *assembly.aliases, *commons):
            if label in reader.names or "." not in label:
                place, name = _Place(reader, label), reader.called(label)
                if label not in reader.names and name in in_c:  # C calls another symbol so
                    name = f"{label} of assembly"
                known = self.places.setdefault(name, place)
                if ".weak" in known.linking and ".globl" in place.linking:
                    self.places[name] = place

    @property
    def exported(self) -> set[str]:
        return {each.called(name) for each in self.readers for name in each.assembly.exported}

    @property
    def used(self) -> set[str]:
        return {each.called(word) for each in self.readers for word in each.assembly.words}

    def loose(self) -> list[tuple[str, str]]:
        """What no symbol names, by section."""
        lines = [
            (section, reader.of_line(line))
            for reader in self.readers
            for section, line in reader.assembly.loose
        ]
        return sorted(lines, key=lambda line: line[0])

    def sections(self) -> dict[str, list[str]]:
        """The symbols in each section that the source names, and what stands there under no symbol,
        in their order. A static object of a function is told from others by its content."""
        found: dict[str, list[str]] = {}
        for reader in self.readers:
            for head, label, line in reader.assembly.placed:
                gone = label and label not in reader.assembly.pieces
                if gone or label.startswith(".L") or _UNNAMED.fullmatch(head):
                    continue
                name = reader.called(label) if label else reader.of_line(line)
                plain = _without_number(name) if label else name
                if plain != name:
                    plain = f"{plain} {reader.text(label)}"
                section = head.partition(",")[0].strip('"')
                found.setdefault(section, []).append(plain)
        return found

    def marks(self) -> dict[str, tuple[str, ...]]:
        """What is said of the symbols that this version does not define."""
        return {
            each.called(name): said
            for each in self.readers
            for name, said in each.assembly.marks.items()
            if each.called(name) not in self.places
        }

    def users(self, name: str) -> set[str]:
        found: set[str] = set()
        for reader in self.readers:
            own = {word for word in reader.assembly.words if reader.called(word) == name}
            found |= {reader.called(user) for word in own for user in reader.assembly.users(word)}
        return found


def _without_number(name: str) -> str:
    """The name of a static object of a function, which the compiler numbers."""
    return re.sub(r"\.\d+$", "", name)


def _is_common(said: tuple[str, ...]) -> bool:
    return any(each.startswith((".comm", ".lcomm")) for each in said)


def dissents(
    unified: Unified,
    compilation: Compilation,
    spelt: Sequence[tuple[Spellings, Spellings]],
    shared: Sequence[TranslationUnit] = (),
) -> tuple[Dissent, ...]:
    """Where both versions have one tree, and the compiler makes different things of it."""
    return tuple(_Comparison(unified, compilation, spelt, shared).dissents())


def is_same_code(
    unified: Unified,
    compilation: Compilation,
    spelt: Sequence[tuple[Spellings, Spellings]],
    shared: Sequence[TranslationUnit] = (),
) -> bool:
    """Does the compiler make the same code and objects of both versions, however the source
    differs: without optimisation, where it relies on what C leaves undefined, and where that is
    checked?"""
    comparison = _Comparison(unified, compilation, spelt, shared)
    return all(comparison.is_same(level) for level in (PLAIN, TRUSTING, CHECKED))


class _Comparison:
    def __init__(
        self,
        unified: Unified,
        compilation: Compilation,
        spelt: Sequence[tuple[Spellings, Spellings]],
        shared: Sequence[TranslationUnit],
    ) -> None:
        self._unified = unified
        self._compilation = compilation
        self._spelt = spelt
        # What the linker calls otherwise than C does.
        self._labelled = {
            label
            for pair in spelt
            for own in pair
            for label, symbol in own.items()
            if symbol.linked_as
        }
        # What the files that are not compared name, and what they define and is not weak.
        self._named_elsewhere = frozenset(_external(shared))
        self._strong_elsewhere = frozenset(_defined(shared))
        self._changed = {change.function for change in unified.changes}
        self._one = {each.name for each in unified.names.versions}
        self._objects = {
            each.symbol.name: each
            for each in unified.unit.declarations
            if each.symbol.kind is SymbolKind.OBJECT and each.symbol.defined
        }
        self._functions = {each.symbol.name: each for each in unified.unit.functions}

    def dissents(self) -> Iterator[Dissent]:
        old, new = self._versions(PLAIN)
        if old.readers and new.readers:
            yield from self._of_symbols(old, new)
            yield from self._of_definitions(old, new)
            yield from self._of_sections(old, new)
            yield from self._of_the_rest(old, new)
            yield from self._of_guarantees(old, new)
            yield from self._of_volatile()

    def is_same(self, level: str) -> bool:
        if not self._compilation.has_both(level):
            return False
        old, new = self._versions(level)
        return (
            bool(old.readers)
            and old.places.keys() == new.places.keys()
            and all(_is_same(place, new.places[name]) for name, place in old.places.items())
            and old.exported == new.exported
            and old.marks() == new.marks()
            and old.sections() == new.sections()
            and old.loose() == new.loose()
        )

    def _versions(self, level: str) -> tuple[_Version, _Version]:
        found = tuple(_Version() for _ in Version)
        pairs = self._compilation.pairs(level)
        for pair, spelt in zip(pairs, self._spelt, strict=True):
            for version, one, assembly, own in zip(Version, found, pair, spelt, strict=True):
                if assembly is not None:
                    one.add(Reader(assembly, self._names(own, version)))
        return found[0], found[1]

    def _names(self, own: Spellings, version: Version) -> dict[str, str]:
        known = self._unified.names
        return {name: known.unified(symbol, version).name for name, symbol in own.items()}

    # ------------------------------------------------------------------ symbols

    def _of_symbols(self, old: _Version, new: _Version) -> Iterator[Dissent]:
        doubtful: list[str] = []
        objects: dict[str, Dissent] = {}
        for name, before in old.places.items():
            after = new.places.get(name)
            if after is None or name in self._one or _is_alike(before, after):
                continue
            if self._is_changed(name):
                yield from self._of_heads(name, before, after)
            elif name not in self._functions and name not in self._objects:
                if name in self._strong_elsewhere:  # as both are weak
                    continue
                yield self._of_name(name, _described(before, after), old, new)
            elif before.is_code and after.is_code and before.storage == after.storage:
                doubtful.append(name)
            else:
                users = self._users(name, old, new)
                objects[name] = replace(self._of_symbol(name, before, after), users=users)
        yield from objects.values()
        for name in self._still_different(doubtful, old, new):
            if not any(name in each.users for each in objects.values()):  # it is changed by these
                yield self._of_symbol(name, old.places[name], new.places[name])
        yield from self._of_linking(old, new)

    def _is_changed(self, name: str) -> bool:
        """Do the trees differ?"""
        function, declaration = self._functions.get(name), self._objects.get(name)
        if function is not None:
            if function.change or name in self._changed:
                return True
            return any(number_of(node) for node in walk(function.body))
        return declaration is not None and is_changed(declaration)

    def _still_different(
        self, names: Collection[str], before: _Version, after: _Version
    ) -> list[str]:
        """The functions whose code differs in whatever way they are compiled."""
        left = [name for name in names if _statics(before, name) == _statics(after, name)]
        others = [name for name in names if name not in left]
        for level in OTHER_WAYS:
            tried = [name for name in left if level == CONSTLESS or not self._returns_twice(name)]
            if tried:
                old, new = self._versions(level)
                alike = {name for name in tried if _are_alike(old, new, name)}
                left = [name for name in left if name not in alike]
        return [*others, *left]

    def _returns_twice(self, name: str) -> bool:
        """May a call in this function return a second time, as setjmp does? Then variables that lie
        in memory hold something else than those in registers."""
        if self._compilation.says(_SAID_TO_RETURN_TWICE):
            return True
        return any(map(_RETURNING_TWICE.fullmatch, self._named_in(name)))

    def _of_guarantees(self, old: _Version, new: _Version) -> Iterator[Dissent]:
        """Functions whose code differs only where the compiler relies on what it is guaranteed, as
        that a variable has no other value behind a second return (C17 7.13.2.1p3)."""
        differ, volatile = self._compilation.guarantees_differ(), self._volatile_differs()
        for name in self._functions if differ or volatile else ():
            if name in self._one or not (differ or self._returns_twice(name)):
                continue
            changed = self._is_changed(name)
            if changed and not (volatile and self._returns_twice(name)):
                continue
            if name not in old.places or not (changed or _are_alike(old, new, name)):
                continue
            if not _are_alike(*self._versions(TRUSTING), name):
                text = "its code differs where the compiler relies on attributes, or on qualifiers"
                yield Dissent(name, self._location(name), text)

    def _of_volatile(self) -> Iterator[Dissent]:
        """Functions that use an object that is volatile in one version alone, and that others may
        write to, as a handler of a signal does."""
        shared = {name for name, shared in self._volatile_alone if shared}
        for name in self._functions if shared else ():
            if not shared.isdisjoint(self._named_in(name)):
                text = "it uses an object that is volatile in one version alone"
                yield Dissent(name, self._location(name), text)

    def _volatile_differs(self) -> bool:
        return bool(self._volatile_alone) or self._compilation.guarantees_differ(_VOLATILE)

    @cached_property
    def _volatile_alone(self) -> set[tuple[str, bool]]:
        """What is volatile in one version alone: its name in the unified program, and whether
        others than the function that declares it know where it is."""
        names = self._unified.names
        old, new = (
            {
                (
                    known[each.name].name if each.name in known else each.name,
                    each.storage is StorageDuration.STATIC or each.address_taken,
                )
                for each in symbols
            }
            for known, symbols in zip(
                (names.old, names.new), self._compilation.volatile(), strict=True
            )
        )
        return old ^ new

    def _named_in(self, name: str) -> Iterator[str]:
        nodes = walk(self._functions[name].body)
        return (node.symbol.name for node in nodes if isinstance(node, Name))

    def _of_symbol(self, name: str, before: _Place, after: _Place) -> Dissent:
        blind = (each.reader.text(each.label, without_const) for each in (before, after))
        old, new = blind
        return Dissent(name, self._location(name), _described(before, after), old == new)

    def _of_heads(self, name: str, before: _Place, after: _Place) -> Iterator[Dissent]:
        """How something is stored that holds something else as well."""
        if before.is_code and after.is_code:
            one, other = (dict(each.reader.statics(each.label)) for each in (before, after))
            inner = next((key for key in one if one[key] != other.get(key, one[key])), None)
            if inner is not None:
                text = f"static object '{inner.split()[0]}': {_between(one[inner], other[inner])}"
                yield Dissent(name, self._location(name), text)
        if before.storage != after.storage:
            yield Dissent(name, self._location(name), _described(before, after))

    # ------------------------------------------------------------------ names, and the rest

    def _of_linking(self, old: _Version, new: _Version) -> Iterator[Dissent]:
        """Symbols that others see in one version alone, or by another name, where there may be
        others."""
        named = self._named_by_others(old, new)
        looked_up = not _LOOKING_UP.isdisjoint(named)
        for name, before in old.places.items():
            after = new.places.get(name)
            if after is None or _seen_as(before) == _seen_as(after):
                continue
            labels = {seen[0] for seen in map(_seen_as, (before, after)) if seen}
            others = not labels.isdisjoint(named) or any(map(is_of_library, labels))
            relabelled = len(labels) == 2 and not labels.isdisjoint(self._labelled)
            if looked_up or others or relabelled:
                text = f"others see {_between(_seen_as(before), _seen_as(after))}"
                yield self._of_name(name, text, old, new)

    def _named_by_others(self, old: _Version, new: _Version) -> frozenset[str]:
        """The symbols, as the linker calls them, that a file names and does not define."""
        named = {
            word
            for version in (old, new)
            for reader in version.readers
            for word in reader.assembly.words.difference(
                reader.assembly.pieces, reader.assembly.aliases
            )
        }
        return self._named_elsewhere.union(named)

    def _of_definitions(self, old: _Version, new: _Version) -> Iterator[Dissent]:
        """Symbols that one version defines and the other has from elsewhere."""
        for name in sorted(old.places.keys() ^ new.places.keys()):
            one, another, other = (new, old, "new") if name in old.places else (old, new, "old")
            exported = name in another.exported
            if exported and name in self._strong_elsewhere:
                continue
            known = exported and (name in self._named_elsewhere or is_of_library(name))
            in_c = name in self._functions or name in self._objects
            if name in one.used or known:
                text = f"the {other} version takes '{name}' from elsewhere"
                yield self._of_name(name, text, old, new)
            elif exported and not in_c:
                yield self._of_name(name, f"the {other} version has no '{name}'", old, new)
        before, after = old.marks(), new.marks()
        for name in sorted(before.keys() | after.keys()):
            said = before.get(name, ()), after.get(name, ())
            if said[0] != said[1] and name in old.used and name in new.used:
                undefined = name not in old.places and name not in new.places
                if undefined:
                    text = f"'{name}': {_between(*said)}"
                    yield self._of_name(name, text, old, new)

    def _of_sections(self, old: _Version, new: _Version) -> Iterator[Dissent]:
        """What lies in another order in a section that is read as an array."""
        before, after = old.sections(), new.sections()
        for section in sorted(before.keys() & after.keys()):
            both = set(before[section]) & set(after[section])
            one, other = (
                [name for name in version[section] if name in both] for version in (before, after)
            )
            if one != other:
                names = (f"__start_{section}", f"__stop_{section}", *sorted(both))
                users = {user for name in names for user in self._users(name, old, new)}
                place = self._location(next(a for a, b in zip(one, other, strict=False) if a != b))
                text = f"the order in section '{section}'"
                yield Dissent(section, place, text, users=tuple(sorted(users)))

    def _of_the_rest(self, old: _Version, new: _Version) -> Iterator[Dissent]:
        one, other = old.loose(), new.loose()
        if one != other:
            lines = [f"{section} {line}" for section, line in set(one) ^ set(other)]
            text = f"outside of all symbols: {min(lines, default='another order')}"
            yield Dissent("", self._location(""), text)

    def _of_name(self, name: str, text: str, old: _Version, new: _Version) -> Dissent:
        """A difference in what has no tree, by the functions that use it."""
        users = self._users(name, old, new)
        return Dissent(name, self._location(users[0] if users else name), text, users=users)

    def _users(self, name: str, old: _Version, new: _Version) -> tuple[str, ...]:
        return tuple(sorted(self._functions.keys() & (old.users(name) | new.users(name))))

    def _location(self, name: str) -> Location:
        known = self._functions.get(name) or self._objects.get(name)
        if known is not None:
            return known.location
        first = next(iter(self._unified.unit.functions), None)
        return first.location if first is not None else NOWHERE


def is_changed(declaration: Declaration) -> bool:
    """Does the declaration of an object, or its initial value, differ?"""
    initializer = declaration.initializer
    nodes = walk(initializer) if initializer is not None else ()
    return bool(declaration.change) or any(number_of(node) for node in nodes)


def _defined(units: Sequence[TranslationUnit]) -> Iterator[str]:
    for unit in units:
        yield from (each.name for each in _defining(unit) if not each.weak)


def _external(units: Sequence[TranslationUnit]) -> Iterator[str]:
    """The symbols of other files, and for other files, that a file names."""
    for unit in units:
        things: list[FunctionDefinition | Declaration] = [*unit.functions, *unit.declarations]
        for symbol in (each.symbol for each in things):
            if symbol.linkage is Linkage.EXTERNAL:
                yield symbol.linked_as or symbol.name


def _defining(unit: TranslationUnit) -> Iterator[Symbol]:
    """The symbols that a file defines."""
    yield from (each.symbol for each in unit.functions)
    yield from (each.symbol for each in unit.declarations if each.symbol.defined)


def _seen_as(place: _Place) -> tuple[str, ...]:
    """The name of a symbol for other files and how it is linked; nothing where they do not see
    it."""
    return (place.label, *place.linking) if place.linking else ()


def _statics(version: _Version, name: str) -> list[tuple[str, tuple[str, ...]]]:
    place = version.places[name]
    return sorted(place.reader.statics(place.label))


def _are_alike(old: _Version, new: _Version, name: str) -> bool:
    before, after = old.places.get(name), new.places.get(name)
    return before is not None and after is not None and _is_alike(before, after)


def _is_alike(before: _Place, after: _Place) -> bool:
    return before.reader.text(before.label) == after.reader.text(after.label)


def _is_same(before: _Place, after: _Place) -> bool:
    """Is it the same, also for the linker?"""
    facts = [
        (each.linking, each.linking and each.label, each.storage, each.reader.text(each.label))
        for each in (before, after)
    ]
    return facts[0] == facts[1]


def _described(before: _Place, after: _Place) -> str:
    if before.storage != after.storage:
        return _between(before.storage, after.storage)
    return "its code differs" if before.is_code else "its content or storage differs"


def _between(old: Sequence[str], new: Sequence[str]) -> str:
    """The words of assembly that only one version has."""
    retained = [
        " ".join(each for each in one if each not in two) for one, two in ((old, new), (new, old))
    ]
    return " became ".join(" ".join(each.split()) or "nothing" for each in retained)


# ------------------------------------------------------------------ consequences


def apart(found: Sequence[Dissent], unified: Unified, entry: str) -> Apart:
    """What the versions cannot share, so that each difference lies behind a change. One that no
    function is known to see lies behind the entry function."""
    functions = {each.symbol.name for each in unified.unit.functions if each.version is None}
    variadic = {each.symbol.name for each in unified.unit.functions if _is_variadic(each.symbol)}
    objects = {each.symbol.name for each in unified.unit.declarations if _is_own(each.symbol)}
    changed = {change.function for change in unified.changes}
    whole: set[str] = set()
    split: set[str] = set()
    for each in found:
        if each.name in objects:
            split.add(each.name)
            continue
        seeing = {each.name} if each.name in functions else functions & {*each.users}
        whole |= seeing - changed
        if not seeing and not (whole or split or changed):
            whole |= functions & {entry or "main"} or {
                symbol.name
                for symbol in (each.symbol for each in unified.unit.functions)
                if symbol.linkage is Linkage.EXTERNAL
            }
    return Apart(frozenset(whole - variadic), frozenset(split | whole & variadic))


def _is_variadic(symbol: Symbol) -> bool:
    return isinstance(symbol.type, Function) and symbol.type.variadic


def _is_own(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.OBJECT and symbol.defined


def with_dissents(unified: Unified, found: Sequence[Dissent], parts: Apart) -> Unified:
    """``unified`` with the compiler's differences as the causes of changes that show no other."""
    texts = {each.name: each.text for each in found}
    for each in found:
        texts.update(dict.fromkeys(each.users, f"{each.name}: {each.text}"))
    rest = next((each.text for each in found if not each.name), "")
    unified.changes = tuple(_caused(each, texts, rest, parts) for each in unified.changes)
    unified.dissents = tuple(found)
    unified.apart = parts
    copies = [each for each in unified.fallbacks if each.region not in parts.functions]
    unified.fallbacks[:] = copies
    return unified


def _caused(
    change: ChangeRecord, texts: Mapping[str, str], rest: str, parts: Apart
) -> ChangeRecord:
    same = "".join(change.old_text.split()) == "".join(change.new_text.split())
    if change.cause or not (same or change.kind.is_of_meaning):
        return change
    words = re.findall(r"\w+", change.new_text)
    named = next((word for word in words if word in parts.objects), "")
    text = texts.get(named or change.function, rest)
    return replace(change, cause=f"{COMPILED}: {text}") if text else change
