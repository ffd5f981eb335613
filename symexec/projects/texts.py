r"""Texts for readers, which no build reads.

    only_texts(["README.md"], trees, ())       True: nothing has to be built

    main.c      #include "README.md"           each of these is a reason to build, and so is
    Makefile    xxd -i README.md               whatever hides a name: #include NAME, .incbin
    docs.mk     $(wildcard *.md)

A text is read by no build if no other file names it. A text that another text names may be read by
way of that one.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from csg.files import read_file
from csg.records import record

_FOR_READERS = re.compile(
    r"(?:.*/)?(?:[^/]+\.(?:md|rst|adoc|png|jpe?g|gif)|\.git(?:ignore|attributes)|\.editorconfig"
    r"|(?:README|NEWS|AUTHORS|THANKS|TODO|COPYING|LICEN[CS]E|CONTRIBUTING|CHANGELOG|CHANGES|ChangeLog)"
    r"(?:\.txt)?)|\.github/.+|\.gitlab-ci\.yml|\.travis\.yml"
)
_PLAIN = re.compile(r"[\w.+-]+", re.A)  # a base name that each file spells alike
_SPLICE = re.compile(rb"(?:\\|\?\?/)[ \t\f\v]*\r?\n")  # C17 5.1.1.2p2, with the trigraph
# C has comments and strings, so a mention counts only behind a quote. In other files each counts.
_IN_C = re.compile(r".*\.(?:c|h|cc|cpp|cxx|hh|hpp|hxx|inl)")
_DIRECTIVE = rb"(?:#|%:|\?\?=)[ \t\f\v]*(?:/\*|(?:include|include_next|import|embed)\b[ \t\f\v]*"
_COMPUTED_IN_C = re.compile(_DIRECTIVE + rb'[^\s"<])')
# In scripts and build files "# include the headers" is a comment.
_COMPUTED = re.compile(_DIRECTIVE + rb"(?:/\*|\w+[ \t\r]*(?:\(|$|/[/*])))", re.M)
_HIDES = re.compile(rb"incbin|\.\s*include\b[ \t]*\\?\"|input-charset")
_LISTS = re.compile(rb"\b(?:wildcard|GLOB\w*|cat|for[ \t]+\w+[ \t]+in)\b")
_EVERYTHING = re.compile(rb"[ \t/]\*(?=[\s);]|$)")  # a lone star
_WORD = rb"[\w.*?\[\]+-]"
_PATTERN = re.compile(rb"(?<!%b)%b*[*?\[]%b*" % (_WORD, _WORD, _WORD))
_LONGEST_NAME = 255  # bytes of a name in a folder, and of a pattern for one


def only_texts(names: Iterable[str], trees: Sequence[Path], said: Iterable[str]) -> bool:
    """Are these files of two trees all texts for readers, of which a build asks no more than
    whether they are there? ``said``: words from elsewhere that may name files, as flags."""
    names = list(names)
    if not all(
        _FOR_READERS.fullmatch(name) and all((tree / name).is_file() for tree in trees)
        for name in names
    ):
        return False
    wanted = {PurePosixPath(name).name for name in names}
    words = [*said]
    if not all(map(_PLAIN.fullmatch, wanted)) or any(
        name in word for name in wanted for word in words
    ):
        return False
    return not _may_be_read(wanted, trees)


def _may_be_read(wanted: set[str], trees: Sequence[Path]) -> bool:
    """Does a file that is no text for readers name one of these, or a text that leads to it?"""
    known: set[str] = set()
    while wanted - known:
        sought = _Sought.of(wanted - known)
        known |= wanted
        for name, content in _files(trees):
            if _FOR_READERS.fullmatch(name):
                if sought.plain.search(content) or _COMPUTED.search(content):
                    wanted.add(PurePosixPath(name).name)
            elif sought.is_named(name, content):
                return True
    return False


def _files(trees: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """The files of trees by their paths, with their lines as C joins them. A link has no content of
    its own."""
    for tree in trees:
        for folder, _, names in os.walk(tree):
            for name in names:
                file = Path(folder, name)
                if file.is_file() and not file.is_symlink():
                    below = file.relative_to(tree).as_posix()
                    yield below, _SPLICE.sub(b"", read_file(file))


@record
class _Sought:
    """What names one of some texts: ``plain`` wherever it stands, ``quoted`` in C, ``suffixes`` as
    in ``%.md`` and ``"%s.md"``."""

    names: tuple[str, ...]
    plain: re.Pattern[bytes]
    quoted: re.Pattern[bytes]
    suffixes: re.Pattern[bytes]

    @staticmethod
    def of(names: Iterable[str]) -> _Sought:
        chosen = tuple(sorted(names))
        ends = sorted({PurePosixPath(f"x{name}").suffix for name in chosen} - {""})
        either = b"(?:%b)(?![\\w-]|\\.\\w)" % _any_of(chosen)
        return _Sought(
            chosen,
            re.compile(either),
            re.compile(rb'["<][^"<>\n]*' + either),
            re.compile(
                rb"(?:(?<![\w-])|%%[\w.*-]*)(?:%b)(?!\w)" % _any_of(ends) if ends else rb"(?!)"
            ),
        )

    def is_named(self, name: str, content: bytes) -> bool:
        """May this file, which is no text for readers, name one of them?"""
        if _HIDES.search(content) or self.suffixes.search(content):
            return True
        if _IN_C.fullmatch(name):
            return bool(self.quoted.search(content) or _COMPUTED_IN_C.search(content))
        if self.plain.search(content) or _COMPUTED.search(content):
            return True
        return _takes_everything(content) or self._fit(content)

    def _fit(self, content: bytes) -> bool:
        """Does a pattern for names, as of a shell, match one of them?"""
        for pattern in {os.fsdecode(each) for each in _PATTERN.findall(content)}:
            if len(pattern) > _LONGEST_NAME:
                return True
            if pattern.strip("*") and any(
                fnmatch.fnmatchcase(each, pattern) for each in self.names
            ):
                return True
        return False


def _takes_everything(content: bytes) -> bool:
    """Is there a list of all files of a folder, as ``$(wildcard doc/*)``?"""
    for line in content.split(b"\n") if b"*" in content else ():
        lists = _LISTS.search(line) if b"*" in line else None
        if lists and _EVERYTHING.search(line, lists.end()):
            return True
    return False


def _any_of(names: Iterable[str]) -> bytes:
    return b"|".join(re.escape(name).encode() for name in names)
