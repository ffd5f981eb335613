"""Leave out the definitions that no call reaches, as the linker takes others.

    a.c    inline int level(int x) {..}    int level(int x);        gcc -O0 makes nothing of it
           level(3)                    ->  level(3)                 and calls what b.c defines
    b.c    int level(int x) {..}           int level(int x) {..}

An inline definition is one of its own file alone (C17 6.7.4p7), and C leaves it open whether a call
there uses it. A version is what gcc makes without optimisation: it calls the definition that other
files see, unless the function is to be inlined always. A weak definition yields to a strong one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from csg.errors import Location
from csg.language.printer import READABLE
from csg.language.statement_text import StatementText
from csg.language.syntax import (
    INLINE,
    WEAK,
    Declaration,
    FunctionDefinition,
    Linkage,
    Symbol,
    SymbolKind,
    TranslationUnit,
)
from csg.records import record
from csg.unify.object_code import is_in_library
from csg.unify.unified import Dissent

Unit = TranslationUnit
UnitPair = tuple[Unit | None, Unit | None]


@record
class Bypassed:
    """``uneven``: the shared files of which a definition yields in one version alone; ``doubtful``:
    inline definitions that differ between the versions: gcc may call them when it optimises."""

    uneven: frozenset[int]
    doubtful: tuple[Dissent, ...]


def bypass_definitions(
    differing: Sequence[UnitPair], shared: Sequence[Unit], places: Mapping[str, int]
) -> Bypassed:
    """Change the trees in place: inline and weak functions become declarations where a stronger
    one is linked, or one as weak from a file before; functions that are always inlined become
    static. ``places``: of the files among those that are linked."""
    versions = [[unit for pair in differing if (unit := pair[at])] for at in range(2)]
    strongest = [_Linked([*units, *shared], places) for units in versions]
    uneven = {
        at
        for at, unit in enumerate(shared)
        if len({_yielding(unit, each) for each in strongest}) > 1
    }
    left = [
        [_bypass(unit, names) if unit else {} for unit, names in zip(pair, strongest, strict=True)]
        for pair in differing
    ]
    for unit in shared:
        _bypass(unit, strongest[0])
    linked = [_functions([*units, *shared]) for units in versions]
    doubtful = [each for before, after in left for each in _differing(before, after, *linked)]
    return Bypassed(frozenset(uneven), tuple(doubtful))


def _yielding(unit: Unit, linked: _Linked) -> frozenset[str]:
    symbols = (each for each in _external(unit) if not each.from_header)
    return frozenset(
        each.name
        for each in symbols
        if (each.defined or each.alias) and linked.takes_another(unit, each)
    )


Functions = Mapping[str, FunctionDefinition]


def _functions(units: Iterable[Unit]) -> Functions:
    """The functions that other files see."""
    found = [each for unit in units for each in unit.functions]
    return {each.symbol.name: each for each in found if each.symbol.linkage is Linkage.EXTERNAL}


def _differing(
    before: Functions, after: Functions, old: Functions, new: Functions
) -> Iterator[Dissent]:
    """The inline definitions that both versions leave out and that differ, unless each is the one
    that is linked."""
    for name in before.keys() & after.keys():
        texts = [_text(before[name]), _text(after[name])]
        others = [_text(each[name]) if name in each else "" for each in (old, new)]
        if texts[0] != texts[1] and texts != others:
            text = (
                f"gcc may call the inline definition of '{name}' as well as the one of other files"
            )
            yield Dissent(name, after[name].location, text)


def _text(function: FunctionDefinition) -> str:
    parameters = [each.name for each in function.parameters]
    return "\n".join([*parameters, *StatementText(READABLE).block("", function.body)])


class _Linked:
    """Which definition of each name the linker takes, of those that other files see."""

    def __init__(self, units: Sequence[Unit], places: Mapping[str, int]) -> None:
        self._places = places
        self._ranks: dict[str, tuple[int, int]] = {}
        for unit in units:
            for symbol in _external(unit):
                if symbol.defined or symbol.alias:
                    rank = self._rank(unit, symbol)
                    self._ranks[symbol.name] = max(rank, self._ranks.get(symbol.name, rank))

    def _rank(self, unit: Unit, symbol: Symbol) -> tuple[int, int]:
        return symbol.strength, -self._places.get(unit.file, 0)

    def takes_another(self, unit: Unit, symbol: Symbol) -> bool:
        """Does this definition of a file yield to one of another file, or of the library?"""
        yields = symbol.linkage is Linkage.EXTERNAL and symbol.strength <= WEAK
        if not yields or symbol.kind is not SymbolKind.FUNCTION or symbol.hooks:
            return False
        own = self._rank(unit, symbol)
        first = self._ranks.get(symbol.name, own)
        if symbol.strength == INLINE:
            return first[0] > INLINE or is_in_library(symbol.name)
        return first > own


def _external(unit: Unit) -> Iterator[Symbol]:
    """The functions and objects that other files see."""
    symbols = [each.symbol for each in unit.declarations]
    symbols += [each.symbol for each in unit.functions]
    return (each for each in symbols if each.linkage is Linkage.EXTERNAL)


def _bypass(unit: Unit, linked: _Linked) -> dict[str, FunctionDefinition]:
    """Returns the inline functions that are left out."""
    left: dict[str, FunctionDefinition] = {}
    retained: list[FunctionDefinition] = []
    for function in unit.functions:
        symbol = function.symbol
        if symbol.from_header or not linked.takes_another(unit, symbol):
            retained.append(function)
        elif symbol.always_inline and symbol.strength == INLINE:
            symbol.linkage = Linkage.INTERNAL
            retained.append(function)
        else:
            if symbol.strength == INLINE:
                left[symbol.name] = function
            _declare_only(symbol)
            unit.declarations.append(Declaration(symbol, None, location=symbol.location))
    unit.functions = retained
    for symbol in (each.symbol for each in unit.declarations):
        if symbol.alias and linked.takes_another(unit, symbol):
            _declare_only(symbol)
    return left


def _declare_only(symbol: Symbol) -> None:
    symbol.defined = symbol.inline = symbol.weak = False
    symbol.alias = ""


# ------------------------------------------------------------------ what linkers are asked for
# Flags of the linker by which a name may mean another definition than in C. Those that say where
# libraries are, what is checked, and how the program is stored or loaded mean nothing here;
# ``csg.retained`` knows -init and -fini.
#
#     -Wl,--wrap=measure    measure is __wrap_measure, __real_measure is measure
#     -Wl,-z,relro          (nothing)


_WITHOUT_MEANING = re.compile(
    r"-O\d?|-[EgnqsStvVxX()]|-[lLRhyYm].+|-B(?:static|dynamic)|-(?:d[ny]|static|non_shared)"
    r"|--?(?:rpath|rpath-link|soname|Map|build-id|hash-style|init|fini|undefined|require-defined"
    r"|dynamic-linker|compress-debug-sections|exclude-libs|unresolved-symbols|library|library-path"
    r"|threads|thread-count|color-diagnostics|dependency-file|package-metadata)(?:=.*)?"
    r"|--(?:no-)?(?:as-needed|gc-sections|print-gc-sections|export-dynamic|undefined|eh-frame-hdr"
    r"|ld-generated-unwind-info|keep-memory|relax|fatal-warnings|warn-[\w-]+|demangle|check-sections"
    r"|copy-dt-needed-entries|add-needed|allow-shlib-undefined|whole-archive|print-map|rosegment)"
    r"|--(?:start|end)-group|--(?:en|dis)able-new-dtags|--strip-(?:all|debug)|--discard-\w+"
    r"|--stats|--trace|--verbose|--version|--cref|--reduce-memory-overheads|--sort-common.*|-u.+"
)
_WITH_OPERAND = frozenset(
    {"-rpath", "--rpath", "-rpath-link", "--rpath-link", "-soname", "--soname", "-h", "-Map", "-m"}
    | {"--Map", "-u", "--undefined", "-init", "-fini", "-dynamic-linker", "--dynamic-linker", "-R"}
    | {"-l", "-L", "--library", "--library-path", "--exclude-libs", "-I", "-Y", "-y"}
)
_KEYWORD = re.compile(
    r"(?:no)?(?:relro|now|lazy|execstack|defs|delete|dlopen|dump|separate-code|origin|combreloc"
    r"|common|interpose|initfirst|text|textwarn|pack-relative-relocs)"
    r"|(?:max-page-size|common-page-size|stack-size|cet-report)=.*|ibt|shstk"
)
_OF_NAMES = re.compile(r"--?(wrap|defsym)[=,](\w+)(?:=(\w+))?")


def linked_otherwise(files: Iterable[tuple[Unit, Sequence[str]]]) -> Iterator[Dissent]:
    """The flags that ask the linker for more than C says; those about names only where a file has
    one of the names. ``files``: each with its flags."""
    known = [(unit, tuple(flags)) for unit, flags in files]
    names = {each.linked_as or each.name for unit, _ in known for each in _external(unit)}
    first = {flags: unit.file for unit, flags in reversed(known)}
    asked = {flag: file for flags, file in first.items() for flag in asking_linker(flags)}
    for flag, file in asked.items():
        about = _OF_NAMES.fullmatch(flag)
        if about is None or not names.isdisjoint(_spellings(about[1], about[2], about[3])):
            text = f"the linker is asked for '{flag}', which the search does not follow"
            yield Dissent("", Location(file), text)


def _spellings(word: str, name: str, other: str | None) -> Collection[str]:
    if word == "wrap":
        return {name, f"__wrap_{name}", f"__real_{name}"}
    return {name, other or name}


def asking_linker(flags: Sequence[str]) -> Iterator[str]:
    """The words among the flags of a compiler that ask the linker for other definitions, or another
    order of them."""
    words = iter(_words_for_linkers(flags))
    for word in words:
        if word == "-z":
            keyword = next(words, "")
            if not _KEYWORD.fullmatch(keyword):
                yield f"-z {keyword}"
        elif word.startswith("-z"):
            if not _KEYWORD.fullmatch(word[2:]):
                yield word
        elif word in ("--wrap", "-wrap", "--defsym", "-defsym"):
            yield f"{word}={next(words, '')}"
        elif word in _WITH_OPERAND:
            next(words, "")
        elif word.startswith(("-", "@")) and not _WITHOUT_MEANING.fullmatch(word):
            yield word


def _words_for_linkers(flags: Sequence[str]) -> Iterator[str]:
    rest = iter(flags)
    for flag in rest:
        if flag.startswith("-Wl,"):
            yield from flag.split(",")[1:]
        elif flag == "-Xlinker":
            yield next(rest, "")
        elif flag == "-T":
            yield f"-T{next(rest, '')}"
        elif flag.startswith("-T"):
            yield flag
        elif flag == "-z":
            yield from (flag, next(rest, ""))
        elif flag.startswith("-z") or flag == "-symbolic":
            yield flag
