"""Texts of a project's tests: words, and what inputs begin with.

read_examples(places_of_tests(Path(".")))   ->  Examples(words=(b"section", ..),
                                                         texts=(b"section net { port = 80; }", ..))

Whoever wrote a parser wrote tests of it, and what they hold is what takes longest to make up. Of C
files the string literals count, neighbours as one; other files as they are, and line by line.
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

TEXTS, TEXT = 256, 1024  # so many, each of so many bytes
WORDS, WORD = 512, 64
FILES, FILE = 2000, 1 << 16  # that are read, and bytes of one

_NAME = r"(?:tests?|testing|testsuite|t|specs?|checks?|examples?|fixtures?|corpus|corpora|seeds)"
_FOLDER = re.compile(rf"(?:.*[_.-])?{_NAME}(?:[_.-].*)?", re.IGNORECASE)
_SOURCE = re.compile(rf"(?:.*[_.-])?{_NAME}(?:[_.-].*)?\.(?:c|cc|cpp|h|hpp)", re.IGNORECASE)
_C = re.compile(r".*\.(?:c|cc|cpp|h|hpp|inc)", re.IGNORECASE)
_LITERALS = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*')


@record
class Examples:
    """Both without doubles, the same for the same files."""

    words: tuple[bytes, ...] = ()
    texts: tuple[bytes, ...] = ()


def places_of_tests(tree: Path) -> tuple[Path, ...]:
    """Folders and C files of a source tree whose names say that they hold tests; not hidden ones,
    what stands in a folder of tests, and what csgtest itself has left."""
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
    """What cannot be read is left out, and of too much so much that all lengths are there."""
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
    """b"" of what is no regular file, or too long."""
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
    """So many of them, short and long ones alike."""
    ordered = sorted(found, key=lambda each: (len(each), each))
    number = min(len(ordered), most)
    return tuple(ordered[at * len(ordered) // number] for at in range(number))
