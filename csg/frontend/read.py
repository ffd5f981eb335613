"""The stages of the front end in their order, on one screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from csg.errors import Location, ParseError, UnsupportedError, deep_recursion
from csg.frontend.prune import prune
from csg.frontend.sources import SourceLines
from csg.frontend.tokens import C23_WORDS, WORDS, restore, standard_tokens, tokenize
from csg.language.syntax import Expression, Symbol, TranslationUnit
from csg.language.types import Type
from csg.toolchain import preprocess_text

OTHER_LAYOUTS = frozenset(
    {"-m32", "-mx32", "-funsigned-char", "-fshort-enums", "-fshort-wchar", "-fpack-struct"}
)
HEADERS = Path(__file__).with_name("include")


def parse_preprocessed(
    text: str,
    file: str,
    flags: Sequence[str],
    lines: SourceLines,
    may_be_empty: bool = False,
) -> TranslationUnit:
    """What ``cc -E`` made of a file. ``may_be_empty``: one of several may define nothing."""
    from csg.frontend.parser import parse
    from csg.frontend.translate import translate

    unit = TranslationUnit(file)
    unit.sources, system_files = lines.of(text)
    words = {**WORDS, **C23_WORDS} if is_c23(flags) else WORDS
    tokens = standard_tokens(tokenize(prune(text), file, words), unit.dropped)
    if not may_be_empty and not any(token.filename in unit.sources for token in tokens):
        raise ParseError(f"'{file}' defines nothing", Location(file))
    restore(tokens, unit.sources)
    with deep_recursion():
        translate(parse(tokens, file, unit.dropped), unit, system_files)
    unit.dropped = sorted({d for d in unit.dropped if d[0].file in unit.sources})
    return unit


def parse_text(
    text: str, name: str = "<text>", flags: Sequence[str] = (), compiler: str | None = None
) -> TranslationUnit:
    """Read C text that stands in no file; locations say ``name``."""
    check_flags(flags)
    preprocessed = preprocess_text(text, name, flags, compiler, HEADERS)
    return parse_preprocessed(preprocessed, name, flags, SourceLines({name: text.splitlines()}))


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


def check_flags(flags: Sequence[str]) -> None:
    """Types are laid out as on x86-64 Linux, whatever the flags say; so some may not be given."""
    for flag in flags:
        if flag in OTHER_LAYOUTS:
            raise UnsupportedError(f"the flag {flag} is not supported: it changes types")


def is_c23(flags: Sequence[str]) -> bool:
    return any(flag.endswith(("c2x", "c23", "gnu2x", "gnu23")) for flag in flags)
