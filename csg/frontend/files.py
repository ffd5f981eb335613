"""C files become syntax trees: preprocessed concurrently, parsed once, and remembered.

    texts = preprocess_files([SourceFile(Path("old.c")), SourceFile(Path("new.c"))])
    texts[0].means_the_same(texts[1])        nobody needs to parse both
    parse_texts(texts)                       their trees

Many are not parsed at all: they come from the cache.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import csg
from csg.cache import Cache, dumps, key_of, loads, source_digest
from csg.errors import (
    CsgtestError,
    Location,
    ParseError,
    UnsupportedError,
    UsageError,
    deep_recursion,
)
from csg.files import read_file
from csg.frontend.prune import prune
from csg.frontend.sources import MARKER, SourceLines, joined, lines_of
from csg.frontend.tokens import C23_WORDS, WORDS, restore, standard_tokens, tokenize
from csg.language.syntax import Expression, Symbol, SymbolKind, TranslationUnit
from csg.language.types import Type
from csg.programs import SourceFile
from csg.records import record
from csg.toolchain import CompilerPool, preprocess_noting, preprocess_text

OTHER_LAYOUTS = frozenset({"-m32", "-mx32"})
HEADERS = Path(__file__).with_name("include")


def parse_preprocessed(
    text: str,
    file: str,
    flags: Sequence[str],
    lines: SourceLines,
    may_be_empty: bool = False,
    offered: frozenset[str] = frozenset(),
) -> TranslationUnit:
    """The tree of preprocessed text: runs the stages of the front end in their order.
    ``may_be_empty``: the text is one of several and need not define anything. ``offered``: what it
    has from headers though nothing in it needs it."""
    from csg.frontend.parser import parse
    from csg.frontend.translate import translate

    unit = TranslationUnit(file)
    unit.sources, system_files = lines.of(text)
    words = {**WORDS, **C23_WORDS} if is_c23(flags) else WORDS
    tokens = standard_tokens(tokenize(prune(text, offered), file, words), unit.dropped)
    if not may_be_empty and not any(token.filename in unit.sources for token in tokens):
        raise ParseError(f"'{file}' defines nothing", Location(file))
    restore(tokens, unit.sources)
    with deep_recursion():
        nodes = parse(tokens, file, unit.dropped)
        translate(nodes, unit, system_files, tokens, has_gnu_inline(flags))
    unit.dropped = sorted({d for d in unit.dropped if d[0].file in unit.sources})
    return unit


def parse_text(
    text: str, name: str = "<text>", flags: Sequence[str] = (), compiler: str | None = None
) -> TranslationUnit:
    """Read C text that stands in no file; locations say ``name``."""
    check_flags(flags)
    preprocessed = preprocess_text(text, name, flags, compiler, HEADERS)
    return parse_preprocessed(preprocessed, name, flags, SourceLines({name: lines_of(text)}))


def parse_expression(
    text: str, scope: Mapping[str, Type], name: str = "<expression>"
) -> Expression:
    """Read an expression over the names of ``scope`` (``x >= -100 && x < y``)."""
    from csg.frontend.parser import parse_lone_expression
    from csg.frontend.translate import Translator

    tokens = standard_tokens(tokenize(text, name), [])
    if not tokens:
        raise ParseError("an expression is expected here", Location(name))
    with deep_recursion():
        node = parse_lone_expression(tokens, name)
        translator = Translator(TranslationUnit(name))
        for known, kind in scope.items():
            symbol = Symbol(known, kind, Location(name), SymbolKind.PARAMETER, defined=True)
            translator.scopes.file.names[known] = symbol
        return translator.value(node)


def check_flags(flags: Sequence[str]) -> None:
    """Raise an UnsupportedError for flags under which pointers are shorter. Others that lay types
    out otherwise are found by the compiler (csg.unify.meanings)."""
    for flag in flags:
        if flag in OTHER_LAYOUTS:
            raise UnsupportedError(f"the flag {flag} is not supported: it changes types")


_OF_C89 = re.compile(r"-ansi|-std=(?:c8[90]|c90|gnu8[90]|gnu90|iso9899:1990|iso9899:199409)")
_STANDARD = re.compile(r"-ansi|-std=.*")


def has_gnu_inline(flags: Sequence[str]) -> bool:
    """Does ``extern inline`` make a function that no other file sees, as before C99?"""
    asked = [flag for flag in flags if flag in ("-fgnu89-inline", "-fno-gnu89-inline")]
    if asked:
        return asked[-1] == "-fgnu89-inline"
    standards = [flag for flag in flags if _STANDARD.fullmatch(flag)]
    return bool(standards) and _OF_C89.fullmatch(standards[-1]) is not None


def is_c23(flags: Sequence[str]) -> bool:
    return any(flag.endswith(("c2x", "c23", "gnu2x", "gnu23")) for flag in flags)


# -------------------------------------------------------------------------------------------- files


WORKERS = 4  # compilers at a time
WORTH_KEEPING = 200_000  # characters after preprocessing, of all files; fewer are parsed at once


@record
class Preprocessed:
    """A C file after ``cc -E``."""

    file: str
    flags: tuple[str, ...]
    text: str
    read: tuple[str, ...] = ()  # the files that it was made of
    offered: frozenset[str] = frozenset()  # static ones of headers that count though unused

    def means_the_same(self, other: Preprocessed) -> bool:
        """Do the texts differ in nothing but empty lines, the files that they come from, and unused
        declarations of headers?"""
        if self is other:
            return True
        if is_c23(self.flags) != is_c23(other.flags):
            return False
        if self.is_text_of(other):
            return True
        pruned = (prune(each.text, each.offered) for each in (self, other))
        mine, theirs = (MARKER.sub("", each) for each in pruned)
        return _lines_that_count(mine) == _lines_that_count(theirs)

    def is_text_of(self, other: Preprocessed) -> bool:
        """Do the texts differ in nothing but empty lines and the files that they come from?"""
        mine, theirs = MARKER.sub("", self.text), MARKER.sub("", other.text)
        return mine == theirs or _lines_that_count(mine) == _lines_that_count(theirs)


def parse_file(
    path: str | os.PathLike[str], flags: Sequence[str] = (), compiler: str | None = None
) -> TranslationUnit:
    """Read one C file. Raises a CsgtestError that says where and why when it cannot be read."""
    return parse_files([SourceFile(Path(path), tuple(flags))], compiler)[0]


def parse_files(files: Sequence[SourceFile], compiler: str | None = None) -> list[TranslationUnit]:
    """Read several files; of several errors that of the first file is raised. One of several files
    may define nothing."""
    return parse_texts(preprocess_files(files, compiler), may_be_empty=len(files) > 1)


def preprocess_files(
    files: Sequence[SourceFile], compiler: str | None = None
) -> list[Preprocessed]:
    """Preprocess files, concurrently with each other and with the import of the parser. A file that
    is named twice is preprocessed once."""
    for file in files:
        check_flags(file.flags)
        _check_readable(os.fspath(file.path))
    with CompilerPool(min(len(files), WORKERS)) as pool:
        waiting = {
            file: pool.submit(
                preprocess_noting,
                os.fspath(file.path),
                (*file.flags, *file.name_flags),
                compiler,
                HEADERS,
                pool.cancelled,
            )
            for file in dict.fromkeys(files)
        }
        import csg.frontend.translate  # noqa: F401 - the threads wait for the compiler meanwhile

        found: dict[SourceFile, Preprocessed] = {}
        for file, made in waiting.items():
            text, read = made.result()
            found[file] = Preprocessed(os.fspath(file.path), file.flags, joined(text), read)
    return [found[file] for file in files]


def parse_texts(texts: Sequence[Preprocessed], may_be_empty: bool = False) -> list[TranslationUnit]:
    """A tree for each text; no two share nodes. Where there is much text, the cache is looked up
    first."""
    if sum(len(text.text) for text in texts) < WORTH_KEEPING:
        lines = SourceLines()
        return [parsed(text, lines, may_be_empty) for text in texts]

    return cached_units(texts, may_be_empty)


def parsed(text: Preprocessed, lines: SourceLines, may_be_empty: bool = False) -> TranslationUnit:
    """Parse one text. ``may_be_empty``: it is one of several and need not define anything."""
    lines.admit(text.read)
    return parse_preprocessed(text.text, text.file, text.flags, lines, may_be_empty, text.offered)


def _lines_that_count(text: str) -> list[str]:
    found = [line.strip() for line in text.splitlines()]
    return [line for line in found if line]


_C = (".c", ".h", ".i")
_CPLUSPLUS = (".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii", ".hpp", ".hh")


def _check_readable(file: str) -> None:
    if not os.path.exists(file):
        raise UsageError(f"there is no file '{file}'")
    if os.path.isdir(file):
        raise UsageError(f"'{file}' is a folder, not a C file", hint="name a .c file in it")
    suffix = os.path.splitext(file)[1]
    if suffix in _CPLUSPLUS:
        raise UsageError(f"'{file}' is C++", hint="csgtest reads C, not C++")
    if suffix not in _C:
        hint = "compilers take a file for C whose name ends in .c"
        raise UsageError(f"'{file}' does not have the name of a C file", hint=hint)
    read_file(file)


# ----------------------------------------------------------------------------------- from the cache
# Trees of files that were parsed before, by this run or another, come from the cache.
#
#     kept_units(texts)      [TranslationUnit, ...]
#
# A tree is found by the preprocessed text, the user's own lines in it, and our own source. What is
# not there is parsed by two processes where the machine has two processors; both leave pickles, so
# the result is the same as with one.


MAKERS = ("frontend", "language")
WORTH_A_PROCESS = 400_000  # characters that another process is started for


def cached_units(texts: Sequence[Preprocessed], may_be_empty: bool) -> list[TranslationUnit]:
    """The tree of each text, from the cache where it is there. Of several errors that of the first
    file is raised."""
    cache = Cache("units")
    package = Path(csg.__file__).parent
    own = source_digest([package, *(package / part for part in MAKERS)])
    lines = SourceLines()
    for text in texts:
        lines.admit(text.read)
    keys = [_key(text, own, lines, may_be_empty) for text in texts]
    found = {key: cache.find(key) for key in dict.fromkeys(keys)}
    missing = {key: text for key, text in zip(keys, texts, strict=True) if found[key] is None}
    if missing:
        made = _made(list(missing.values()), lines, may_be_empty)
        new = {key: data for key, data in zip(missing, made, strict=True) if data is not None}
        cache.keep(new)
        found.update(new)
    return [
        _unit(text, found[key], lines, may_be_empty) for key, text in zip(keys, texts, strict=True)
    ]


def _key(text: Preprocessed, own: str, lines: SourceLines, may_be_empty: bool) -> str:
    options = f"{text.file} {is_c23(text.flags)} {has_gnu_inline(text.flags)} {may_be_empty}"
    offered = " ".join(sorted(text.offered))
    return key_of(csg.VERSION, own, options, offered, text.text, lines.digest(text.text))


def _unit(
    text: Preprocessed, data: bytes | None, lines: SourceLines, may_be_empty: bool
) -> TranslationUnit:
    if data is None:
        return parsed(text, lines, may_be_empty)
    unit: TranslationUnit = loads(data)
    unit.sources, _ = lines.of(text.text)
    return unit


# ------------------------------------------------------------------ in two processes


def _made(
    texts: Sequence[Preprocessed], lines: SourceLines, may_be_empty: bool
) -> list[bytes | None]:
    """Pickled trees, made by two processes; None for a text that cannot be parsed or pickled."""
    total = sum(len(text.text) for text in texts)
    alone = (os.cpu_count() or 1) < 2 or threading.active_count() > 1
    if alone or total < WORTH_A_PROCESS or len(texts) < 2:
        return [_pickled(text, lines, may_be_empty) for text in texts]
    theirs = _half(texts)
    with tempfile.TemporaryFile() as stream:
        child = os.fork()
        if child == 0:
            _work(texts, theirs, lines, may_be_empty, stream)
        try:
            found: list[bytes | None] = [
                None if at in theirs else _pickled(text, lines, may_be_empty)
                for at, text in enumerate(texts)
            ]
        except BaseException:  # the user interrupts, or the time is over
            os.kill(child, signal.SIGKILL)
            raise
        finally:
            os.waitpid(child, 0)
        stream.seek(0)
        for at, data in _sent(stream):
            found[at] = data
    return found


def _half(texts: Sequence[Preprocessed]) -> frozenset[int]:
    """The indices of about half of the texts by number of characters; the longest are distributed
    first."""
    here, there = 0, 0
    chosen = set()
    for at in sorted(range(len(texts)), key=lambda at: -len(texts[at].text)):
        if there < here:
            there += len(texts[at].text)
            chosen.add(at)
        else:
            here += len(texts[at].text)
    return frozenset(chosen)


def _work(
    texts: Sequence[Preprocessed],
    chosen: frozenset[int],
    lines: SourceLines,
    may_be_empty: bool,
    stream: BinaryIO,
) -> None:
    """Parse the chosen texts in the second process, which ends here. What fails here the first
    process tries again."""
    try:
        for at in sorted(chosen):
            data = _pickled(texts[at], lines, may_be_empty)
            if data is not None:
                stream.write(at.to_bytes(4, "little") + len(data).to_bytes(8, "little") + data)
        stream.flush()
    finally:
        os._exit(0)


def _sent(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    while len(head := stream.read(12)) == 12:
        data = stream.read(size := int.from_bytes(head[4:], "little"))
        if len(data) == size:
            yield int.from_bytes(head[:4], "little"), data


def _pickled(text: Preprocessed, lines: SourceLines, may_be_empty: bool) -> bytes | None:
    """The pickled tree without the lines of source files: every text that includes a header would
    store them."""
    with suppress(CsgtestError, RecursionError):
        unit = parsed(text, lines, may_be_empty)
        unit.sources = {}
        return dumps(unit, (Location,))
    return None
