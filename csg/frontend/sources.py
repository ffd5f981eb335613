"""The lines of the user's files as written: what messages quote and graphs show.

    lines = SourceLines()
    lines.admit(["cut.c", "cut.h", "/usr/include/stdio.h"])      what the compiler has read
    own, system = lines.of(preprocessed)      {"cut.c": [...], "cut.h": [...]}, {"/usr/include/..."}

Each file is read once, however many texts include it; none that the compiler has not read, for a
line marker may name anything: ``#line 1 "/dev/zero"``. Behind such a directive lines have other
names and numbers, and the text that stands there is shown for those:

    #line 70 "scan.l"
    return 7;                 {"scan.l": [.., "return 7;"]}, its 70th
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping

from csg.cache import key_of
from csg.frontend.markers import segments

LARGEST = 16 << 20  # bytes of a file that is quoted
FURTHEST = 1_000_000  # the last line with a text, where #line has numbered it
_DIRECTIVE = re.compile(r'[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)\b(?:[ \t]*"((?:[^"\\]|\\.)*)")?')
_ESCAPE = re.compile(r'\\([\\"])')


class SourceLines:
    """``known`` has the lines of texts that stand in no file."""

    def __init__(self, known: Mapping[str, list[str]] | None = None) -> None:
        self._written: dict[str, list[str]] = dict(known or {})
        self._given = frozenset(self._written)
        self._found: dict[str, tuple[dict[str, list[str]], frozenset[str]]] = {}
        self._admitted: dict[str, None] = {}  # real paths

    def admit(self, files: Iterable[str]) -> None:
        """These may be read, for the compiler has done so."""
        self._admitted.update(dict.fromkeys(map(os.path.realpath, files)))

    def of(self, text: str) -> tuple[dict[str, list[str]], frozenset[str]]:
        """The user's files that a preprocessed text comes from, and the system's."""
        if text not in self._found:
            self._found[text] = self._files(text)
        own, system = self._found[text]
        return dict(own), system

    def _files(self, text: str) -> tuple[dict[str, list[str]], frozenset[str]]:
        own: dict[str, None] = dict.fromkeys(self._given)
        system: set[str] = set()
        marked: set[tuple[int, str]] = set()
        for segment in segments(text):
            marked.add((segment.line, segment.file))
            if segment.system or segment.file.startswith("<"):
                system.add(segment.file)
            else:
                own[segment.file] = None
        return self._numbered(list(own), marked), frozenset(system - own.keys())

    def digest(self, text: str) -> str:
        """Changes with the names and lines of the user's files in a text."""
        parts: list[str] = []
        for file, lines in self.of(text)[0].items():
            parts += [file, "\n".join(lines)]
        return key_of(*parts)

    def _numbered(self, files: list[str], marked: set[tuple[int, str]]) -> dict[str, list[str]]:
        """The lines of each file where the text says that they are."""
        found: dict[str, list[str]] = {file: [] for file in files}
        renumbered: dict[str, dict[int, str]] = {}
        for file in files:
            written = self._lines(file)
            if any(map(_DIRECTIVE.match, written)):
                _number(file, written, marked, renumbered)
            else:
                found[file] = written
        for file, numbered in renumbered.items():
            if not found.get(file, [""]):
                last = max(numbered, default=0)
                found[file] = [numbered.get(line, "") for line in range(1, last + 1)]
        return found

    def _lines(self, file: str) -> list[str]:
        if file not in self._written:
            if os.path.realpath(file) not in self._admitted:
                return []
            self._written[file] = _lines(file)
        return self._written[file]


def _number(
    file: str,
    written: list[str],
    marked: set[tuple[int, str]],
    found: dict[str, dict[int, str]],
) -> None:
    """Put the lines of a file under the names and numbers that its directives give them, those that
    no ``#if`` leaves out. Of a line that stands for two nothing is known."""
    name, number = file, 1
    for line in written:
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            told = name if directive[2] is None else _ESCAPE.sub(r"\1", directive[2])
            where = int(directive[1][:10]), told
            if where in marked:
                number, name = where
                continue
        if number <= FURTHEST:
            known = found.setdefault(name, {})
            known[number] = line if known.get(number, line) == line else ""
        number += 1


def _lines(file: str) -> list[str]:
    """None of what is no regular file, or too large to be anybody's source."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, encoding="utf-8", errors="surrogateescape") as stream:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
                return []
            return stream.read(LARGEST).splitlines()
    except OSError:
        return []
