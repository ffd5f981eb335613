"""C files become syntax trees: preprocessed beside each other, parsed once, and remembered.

texts = preprocess_files([SourceFile(Path("old.c")), SourceFile(Path("new.c"))])
texts[0].means_the_same(texts[1])        nobody needs to parse both
parse_texts(texts)                       their trees
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from csg.errors import UsageError
from csg.frontend.markers import MARKER
from csg.frontend.prune import prune
from csg.frontend.read import HEADERS, check_flags, is_c23, parse_preprocessed
from csg.frontend.sources import SourceLines
from csg.language.syntax import TranslationUnit
from csg.programs import SourceFile
from csg.records import record
from csg.toolchain import CompilerPool, preprocess_noting

WORKERS = 4  # compilers at a time
WORTH_KEEPING = 200_000  # characters after preprocessing, of all files; fewer are parsed at once


@record
class Preprocessed:
    """A C file after ``cc -E``."""

    file: str
    flags: tuple[str, ...]
    text: str
    read: tuple[str, ...] = ()  # the files that it was made of

    def means_the_same(self, other: Preprocessed) -> bool:
        """Whether the texts differ in nothing but empty lines, where they come from, and what
        headers declare for others."""
        if self is other:
            return True
        if is_c23(self.flags) != is_c23(other.flags):
            return False
        mine, theirs = MARKER.sub("", self.text), MARKER.sub("", other.text)
        if mine == theirs or _lines_that_count(mine) == _lines_that_count(theirs):
            return True
        mine, theirs = MARKER.sub("", prune(self.text)), MARKER.sub("", prune(other.text))
        return _lines_that_count(mine) == _lines_that_count(theirs)


def parse_file(
    path: str | os.PathLike[str], flags: Sequence[str] = (), compiler: str | None = None
) -> TranslationUnit:
    """Read one C file. Raises a CsgtestError that says where and why when it cannot be read."""
    return parse_files([SourceFile(Path(path), tuple(flags))], compiler)[0]


def parse_files(files: Sequence[SourceFile], compiler: str | None = None) -> list[TranslationUnit]:
    """Read several files; the first one's trouble is reported first. One of several may define
    nothing."""
    return parse_texts(preprocess_files(files, compiler), may_be_empty=len(files) > 1)


def preprocess_files(
    files: Sequence[SourceFile], compiler: str | None = None
) -> list[Preprocessed]:
    """The compiler preprocesses the files beside each other, and beside the import of our own
    parser. A file that is named twice is one."""
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

        found = {
            file: Preprocessed(os.fspath(file.path), file.flags, *made.result())
            for file, made in waiting.items()
        }
    return [found[file] for file in files]


def parse_texts(texts: Sequence[Preprocessed], may_be_empty: bool = False) -> list[TranslationUnit]:
    """A tree for each text, none of them shared. Much text is worth a look into the cache."""
    if sum(len(text.text) for text in texts) < WORTH_KEEPING:
        lines = SourceLines()
        return [parsed(text, lines, may_be_empty) for text in texts]
    from csg.frontend.kept import kept_units

    return kept_units(texts, may_be_empty)


def parsed(text: Preprocessed, lines: SourceLines, may_be_empty: bool = False) -> TranslationUnit:
    """``may_be_empty``: one of several files may define nothing."""
    lines.admit(text.read)
    return parse_preprocessed(text.text, text.file, text.flags, lines, may_be_empty)


def _lines_that_count(text: str) -> list[str]:
    found = [line.strip() for line in text.splitlines()]
    return [line for line in found if line]


def _check_readable(file: str) -> None:
    if not os.path.exists(file):
        raise UsageError(f"there is no file '{file}'")
    if os.path.isdir(file):
        raise UsageError(f"'{file}' is a folder, not a C file", hint="name a .c file in it")
    if not os.path.isfile(file):
        raise UsageError(f"'{file}' is no regular file")
    try:
        with open(file, "rb") as stream:
            stream.read(1)
    except OSError as error:
        raise UsageError(f"cannot read '{file}': {error.strerror}") from error
