"""Words and texts in a project's tests, to build inputs from.

read_examples(places_of_tests(Path(".")))   ->  Examples(words=(b"section", ..),
                                                         texts=(b"section net { port = 80; }", ..))

A parser's tests contain what takes longest to generate. Of C files the string literals count,
adjacent ones as one; other files count as they are, and line by line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from csg.errors import NOWHERE, CsgtestError
from csg.frontend.constants import string
from csg.frontend.sources import without_comments
from csg.records import record
from symexec.testcases.store import is_ours

TEXTS, TEXT = 256, 1024  # how many words or texts, and the bytes of one
WORDS, WORD = 512, 64
FILES, FILE = 2000, 1 << 16  # files that are read, and bytes of one

_NAME = r"(?:tests?|testing|testsuite|t|specs?|checks?|examples?|fixtures?|corpus|corpora|seeds)"
_FOLDER = re.compile(rf"(?:.*[_.-])?{_NAME}(?:[_.-].*)?", re.IGNORECASE)
_SOURCE = re.compile(rf"(?:.*[_.-])?{_NAME}(?:[_.-].*)?\.(?:c|cc|cpp|h|hpp)", re.IGNORECASE)
_C = re.compile(r".*\.(?:c|cc|cpp|h|hpp|inc)", re.IGNORECASE)
_LITERALS = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*')


@record
class Examples:
    """The words and texts, each without duplicates; they are the same for the same files."""

    words: tuple[bytes, ...] = ()
    texts: tuple[bytes, ...] = ()


def places_of_tests(tree: Path) -> tuple[Path, ...]:
    """The folders and C files of a source tree whose names say that they hold tests, without hidden
    ones, what is in a folder of tests, and what csgtest itself has left."""
    found: list[Path] = []
    for folder, names, files in os.walk(tree):
        if is_ours(Path(folder)):
            names.clear()
            continue
        tests = sorted(each for each in names if _FOLDER.fullmatch(each))
        names[:] = sorted({each for each in names if each[0] != "."}.difference(tests))
        found += [Path(folder, each) for each in tests if each[0] != "."]
        found += [Path(folder, each) for each in sorted(files) if _SOURCE.fullmatch(each)]
    return tuple(found)


def read_examples(places: Iterable[Path]) -> Examples:
    """The words and texts of these files. Files that cannot be read are left out; of too many texts
    some of each length stay."""
    words: dict[bytes, None] = {}
    texts: dict[bytes, None] = {}
    for number, file in enumerate(_files(places)):
        if number == FILES:
            break
        data = _content(file)
        pieces = list(_literals(data)) if _C.fullmatch(file.name) else [data, *data.splitlines()]
        texts.update(dict.fromkeys(each for each in pieces if 0 < len(each) <= TEXT))
        words.update(dict.fromkeys(each.strip() for each in pieces if 0 < len(each) <= WORD))
    words.pop(b"", None)
    return Examples(_spread(words, WORDS), _spread(texts, TEXTS))


def _files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        if not place.is_dir():
            yield place
            continue
        for folder, names, files in os.walk(place):
            names[:] = sorted(each for each in names if each[0] != ".")
            yield from (Path(folder, each) for each in sorted(files) if each[0] != ".")


def _content(file: Path) -> bytes:
    """The content of a file; b"" where it is no regular file, or too long."""
    try:
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= FILE:
            return file.read_bytes()
    except OSError:
        pass
    return b""


def _literals(data: bytes) -> Iterator[bytes]:
    for found in _LITERALS.finditer(without_comments(data.decode("utf-8", "surrogateescape"))):
        try:
            literal = string(found[0], NOWHERE)
        except CsgtestError:
            continue
        yield literal.value


def _spread(found: Iterable[bytes], most: int) -> tuple[bytes, ...]:
    """``most`` of the texts, short and long ones alike."""
    ordered = sorted(found, key=lambda each: (len(each), each))
    number = min(len(ordered), most)
    return tuple(ordered[at * len(ordered) // number] for at in range(number))
