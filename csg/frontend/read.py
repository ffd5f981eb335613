"""The stages of the front end in their order, on one screen."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from csg.errors import ParseError, UnsupportedError, UsageError
from csg.frontend.columns import restore
from csg.frontend.deep import deep_recursion
from csg.frontend.gnu import standard_tokens
from csg.frontend.markers import MARKER, segments
from csg.frontend.prune import prune
from csg.frontend.tokens import C23_WORDS, WORDS, tokenize
from csg.language.syntax import Expression, Symbol, TranslationUnit
from csg.language.types import Type
from csg.programs import SourceFile
from csg.records import record
from csg.source import Location
from csg.toolchain import preprocess, preprocess_text

_OTHER_LAYOUTS = frozenset(
    {"-m32", "-mx32", "-funsigned-char", "-fshort-enums", "-fshort-wchar", "-fpack-struct"}
)
HEADERS = Path(__file__).with_name("include")
WORKERS = 4  # compilers at a time


@record
class Preprocessed:
    """A C file after ``cc -E``."""

    file: str
    flags: tuple[str, ...]
    text: str

    def means_the_same(self, other: Preprocessed) -> bool:
        """Whether the texts differ in nothing but empty lines and where they come from."""
        if self is other:
            return True
        modern = _is_c23(self.flags) == _is_c23(other.flags)
        return modern and _lines_that_count(self.text) == _lines_that_count(other.text)


def parse_file(
    path: str | os.PathLike[str], flags: Sequence[str] = (), compiler: str | None = None
) -> TranslationUnit:
    """Read one C file. Raises a CsgtestError that says where and why when it cannot be read."""
    (text,) = preprocess_files([SourceFile(Path(path), tuple(flags))], compiler)
    return parse_preprocessed(text)


def parse_files(files: Sequence[SourceFile], compiler: str | None = None) -> list[TranslationUnit]:
    """Read several files; the first one's trouble is reported first."""
    return [parse_preprocessed(text) for text in preprocess_files(files, compiler)]


def preprocess_files(
    files: Sequence[SourceFile], compiler: str | None = None
) -> list[Preprocessed]:
    """The compiler preprocesses the files beside each other, and beside the import of our own
    parser. A file that is named twice is one."""
    from concurrent.futures import ThreadPoolExecutor

    for file in files:
        _check_flags(file.flags)
        _check_readable(os.fspath(file.path))
    with ThreadPoolExecutor(min(len(files), WORKERS)) as pool:
        waiting = {
            file: pool.submit(
                preprocess,
                os.fspath(file.path),
                (*file.flags, *file.name_flags),
                compiler,
                HEADERS,
            )
            for file in dict.fromkeys(files)
        }
        import csg.frontend.translate  # noqa: F401 - the threads wait for the compiler meanwhile

        found = {
            file: Preprocessed(os.fspath(file.path), file.flags, text.result())
            for file, text in waiting.items()
        }
    return [found[file] for file in files]


def parse_preprocessed(text: Preprocessed, may_be_empty: bool = False) -> TranslationUnit:
    """``may_be_empty``: a file of several may define nothing."""
    return _parse(text.text, text.file, text.flags, {}, may_be_empty)


def _lines_that_count(text: str) -> list[str]:
    found = [line.strip() for line in MARKER.sub("", text).splitlines()]
    return [line for line in found if line]


def parse_text(
    text: str, name: str = "<text>", flags: Sequence[str] = (), compiler: str | None = None
) -> TranslationUnit:
    """Read C text that stands in no file; locations say ``name``."""
    _check_flags(flags)
    preprocessed = preprocess_text(text, name, flags, compiler, HEADERS)
    return _parse(preprocessed, name, flags, {name: text.splitlines()})


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
            symbol = Symbol(known, kind, Location(name), "parameter", defined=True)
            translator.scopes.file.names[known] = symbol
        return translator.value(node)


def _check_flags(flags: Sequence[str]) -> None:
    """Types are laid out as on x86-64 Linux, whatever the flags say; so some may not be given."""
    for flag in flags:
        if flag in _OTHER_LAYOUTS:
            raise UnsupportedError(f"the flag {flag} is not supported: it changes types")


def _check_readable(file: str) -> None:
    if not os.path.exists(file):
        raise UsageError(f"there is no file '{file}'")
    if os.path.isdir(file):
        raise UsageError(f"'{file}' is a folder, not a C file", hint="name a .c file in it")
    try:
        with open(file, "rb") as stream:
            stream.read(1)
    except OSError as error:
        raise UsageError(f"cannot read '{file}': {error.strerror}") from error


def _parse(
    text: str,
    file: str,
    flags: Sequence[str],
    sources: dict[str, list[str]],
    may_be_empty: bool = False,
) -> TranslationUnit:
    from csg.frontend.parser import parse
    from csg.frontend.translate import translate

    unit = TranslationUnit(file)
    system_files = _read_sources(text, sources)
    unit.sources = sources
    words = {**WORDS, **C23_WORDS} if _is_c23(flags) else WORDS
    tokens = standard_tokens(tokenize(prune(text), file, words), unit.dropped)
    if not may_be_empty and not any(token.filename in sources for token in tokens):
        raise ParseError(f"'{file}' defines nothing", Location(file))
    restore(tokens, sources)
    with deep_recursion():
        translate(parse(tokens, file, unit.dropped), unit, system_files)
    unit.dropped = sorted({d for d in unit.dropped if d[0].file in sources})
    return unit


def _read_sources(text: str, sources: dict[str, list[str]]) -> frozenset[str]:
    """Read the user's files that a preprocessed text comes from; return the system's."""
    system: set[str] = set()
    for segment in segments(text):
        if segment.system or segment.file.startswith("<"):
            system.add(segment.file)
        elif segment.file not in sources:
            sources[segment.file] = _lines(segment.file)
    return frozenset(system - sources.keys())


def _lines(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read().splitlines()
    except OSError:
        return []


def _is_c23(flags: Sequence[str]) -> bool:
    return any(flag.endswith(("c2x", "c23", "gnu2x", "gnu23")) for flag in flags)
