"""The numbers and texts that inputs are made of: those in the text of both versions.

if (x == 77 && !strcmp(s, "end"))      Words(numbers=(77,), texts=(b"end",))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from csg.language.syntax import (
    Case,
    Cast,
    EnumeratorName,
    FloatingConstant,
    IntegerConstant,
    StringLiteral,
    TranslationUnit,
)
from csg.language.traversal import Tree, walk
from csg.language.types import Enumeration, Integer, Pointer
from csg.records import record

MOST_NUMBERS, MOST_TEXTS = 256, 128
LONGEST = 64  # bytes of a text


@record
class Words:
    """``tags``: a pointer is taken as a number somewhere, whose low bits may mean something."""

    numbers: tuple[int, ...]
    texts: tuple[bytes, ...]
    tags: bool = False


def words_of(units: Iterable[TranslationUnit]) -> Words:
    """The words in the bodies and initialisers of the user's own files."""
    numbers: dict[int, None] = {}
    texts: dict[bytes, None] = {}
    tags = False
    every = list(units)
    for kind in (each for unit in every for each in unit.types):
        if isinstance(kind, Enumeration):
            numbers |= dict.fromkeys(value for _, value in kind.enumerators)
    for tree in walk(*_roots(every)):
        match tree:
            case IntegerConstant(value=value) | Case(low=int(value)) | EnumeratorName(value=value):
                numbers[value] = None
            case FloatingConstant(text=text):
                numbers |= dict.fromkeys(_whole(text))
            case StringLiteral(value=value, unit=1) if 0 < len(value) <= LONGEST:
                texts[value] = None
            case Cast(operand=operand, type=Integer(size=8)) if isinstance(operand.type, Pointer):
                tags = True
    return Words(tuple(numbers)[:MOST_NUMBERS], tuple(texts)[:MOST_TEXTS], tags)


def _roots(units: Iterable[TranslationUnit]) -> Iterator[Tree]:
    for unit in units:
        for function in unit.functions:
            if not function.symbol.from_header:
                yield function.body
        for declaration in unit.declarations:
            if declaration.initializer is not None:
                yield declaration.initializer


def _whole(text: str) -> Iterator[int]:
    """The whole numbers beside a floating one."""
    try:
        value = float.fromhex(text) if "x" in text.lower() else float(text)
    except ValueError:
        return
    if abs(value) < 1 << 62:
        yield int(value)
