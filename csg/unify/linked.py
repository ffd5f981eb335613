"""Leave out the inline definitions that no call reaches.

    a.c    inline int level(int x) {..}    int level(int x);        gcc -O0 makes nothing of it
           level(3)                    ->  level(3)                 and calls what b.c defines
    b.c    int level(int x) {..}           int level(int x) {..}

An inline definition is one of its own file alone (C17 6.7.4p7), and C leaves it open whether a call
there uses it. A version is what gcc makes without optimisation: it calls the definition that other
files see, unless the function is to be inlined always.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from csg.errors import Location
from csg.language.syntax import (
    INLINE,
    Declaration,
    FunctionDefinition,
    Linkage,
    TranslationUnit,
)
from csg.unify.object_code import is_of_library
from csg.unify.unified import Dissent

Unit = TranslationUnit


def bypass_inline(
    differing: Sequence[tuple[Unit | None, Unit | None]], shared: Sequence[Unit]
) -> None:
    """Change the trees in place: inline definitions that are none for other files become
    declarations where something else defines the function; those that are always inlined become
    static functions. A shared file is changed where both versions have such a definition."""
    versions = [[unit for pair in differing if (unit := pair[at])] for at in range(2)]
    public = [{name for unit in (*units, *shared) for name in _public(unit)} for units in versions]
    for units, names in zip(versions, public, strict=True):
        for unit in units:
            _bypass(unit, names)
    for unit in shared:
        _bypass(unit, public[0] & public[1])


def _public(unit: Unit) -> Iterator[str]:
    """The functions that a file defines for others as well."""
    declared = [each.symbol for each in unit.declarations]
    for symbol in (*declared, *(each.symbol for each in unit.functions)):
        stronger = symbol.defined and symbol.strength > INLINE
        if symbol.linkage is Linkage.EXTERNAL and (stronger or symbol.alias):
            yield symbol.name


def _bypass(unit: Unit, public: set[str]) -> None:
    retained: list[FunctionDefinition] = []
    for function in unit.functions:
        symbol = function.symbol
        own = symbol.linkage is not Linkage.EXTERNAL or symbol.strength != INLINE
        if own or symbol.from_header or not (symbol.name in public or is_of_library(symbol.name)):
            retained.append(function)
        elif symbol.always_inline:
            symbol.linkage = Linkage.INTERNAL
            retained.append(function)
        else:
            symbol.defined = symbol.inline = False
            unit.declarations.append(Declaration(symbol, None, location=symbol.location))
    unit.functions = retained


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
    names = {name for unit, _ in known for name in _external(unit)}
    first = {flags: unit.file for unit, flags in reversed(known)}
    asked = {flag: file for flags, file in first.items() for flag in asking_linker(flags)}
    for flag, file in asked.items():
        about = _OF_NAMES.fullmatch(flag)
        if about is None or not names.isdisjoint(_spellings(about[1], about[2], about[3])):
            text = f"the linker is asked for '{flag}', which the search does not follow"
            yield Dissent("", Location(file), text)


def _external(unit: Unit) -> Iterator[str]:
    declared = [each.symbol for each in unit.declarations]
    for symbol in (*declared, *(each.symbol for each in unit.functions)):
        if symbol.linkage is Linkage.EXTERNAL:
            yield symbol.linked_as or symbol.name


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
