"""The lines of the user's files as written: what messages quote and graphs show.

    lines = SourceLines()
    own, system = lines.of(preprocessed)      {"cut.c": [...], "cut.h": [...]}, {"/usr/include/..."}

Each file is read once, however many texts include it.
"""

from __future__ import annotations

from collections.abc import Mapping

from csg.cache import key_of
from csg.frontend.markers import segments


class SourceLines:
    """``known`` has the lines of texts that stand in no file."""

    def __init__(self, known: Mapping[str, list[str]] | None = None) -> None:
        self._lines: dict[str, list[str]] = dict(known or {})
        self._given = frozenset(self._lines)
        self._digests: dict[str, str] = {}
        self._found: dict[str, tuple[list[str], frozenset[str]]] = {}

    def of(self, text: str) -> tuple[dict[str, list[str]], frozenset[str]]:
        """The user's files that a preprocessed text comes from, and the system's."""
        if text not in self._found:
            self._found[text] = self._files(text)
        own, system = self._found[text]
        return {file: self._read(file) for file in own}, system

    def _files(self, text: str) -> tuple[list[str], frozenset[str]]:
        own: dict[str, None] = dict.fromkeys(self._given)
        system: set[str] = set()
        for segment in segments(text):
            if segment.system or segment.file.startswith("<"):
                system.add(segment.file)
            else:
                own[segment.file] = None
        return list(own), frozenset(system - own.keys())

    def digest(self, file: str) -> str:
        """Changes with the file's name and lines."""
        if file not in self._digests:
            self._digests[file] = key_of(file, "\n".join(self._read(file)))
        return self._digests[file]

    def _read(self, file: str) -> list[str]:
        if file not in self._lines:
            self._lines[file] = _lines(file)
        return self._lines[file]


def _lines(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read().splitlines()
    except OSError:
        return []
