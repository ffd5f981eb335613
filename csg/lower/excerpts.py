"""The source text of a statement on one line.

    if (a > b &&          ->   "if (a > b && c)"
        c) {

Locations say where a statement starts at most; where it ends is found by matching brackets up to
its semicolon (or, for a condition, its closing parenthesis). Text that cannot be found is "".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from csg.source import Location

_LONGEST = 40  # lines of a statement that are looked at
_SKIPPED = re.compile(
    r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//[^\n]*'  # text and comments
    r"|[()\[\]{};]|[^\"'/()\[\]{};]+|.",
    re.S,
)
_INVOLVED = re.compile(r"[\"'/{]")  # what could hide the end of a statement
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')|/\*.*?\*/|//[^\n]*', re.S)
_SPACE = re.compile(r"\s+")


class Excerpts:
    """``sources`` maps a user file to its lines."""

    def __init__(self, sources: Mapping[str, list[str]]) -> None:
        self.sources = sources

    def statement(self, location: Location) -> str:
        """Up to the semicolon: ``x = f(a, b);``"""
        start = self._beginning(location)
        line = self._line(location)
        end = line.find(";", start) + 1
        if end and not _INVOLVED.search(line, start, end):
            return " ".join(line[start:end].split())  # most statements
        return _collapsed(_until(self._from(location, start), ";"))

    def condition(self, location: Location, keyword: str) -> str:
        """The keyword and what its parentheses hold: ``while (x < 3)``"""
        line = self._line(location)
        start = max(0, location.column - 1)
        if not line.startswith(keyword, start):
            start = line.find(keyword)
        if start < 0:
            return _collapsed(line)
        return _collapsed(_until(self._from(location, start), ")"))

    def after_body(self, location: Location) -> str:
        """The condition of a do statement, from its expression: ``while (x < 3)``"""
        line = self._line(location)
        start = line.rfind("while", 0, max(location.column - 1, 0))
        if start < 0:
            return _collapsed(line)
        return _collapsed(_until(self._from(location, start), ")"))

    def step(self, location: Location) -> str:
        """The third part of a for, up to the parenthesis that it does not open: ``i++``"""
        text = self._from(location, max(0, location.column - 1))
        return _collapsed(_until(text, "").removesuffix(")"))

    def head(self, location: Location) -> str:
        """A function's first line: ``int main(int argc, char **argv)``"""
        line = self._line(location)
        return _collapsed(line.split("{")[0].rstrip(" ;"))

    def _line(self, location: Location) -> str:
        lines = self.sources.get(location.file)
        if not lines or not 0 < location.line <= len(lines):
            return ""
        return lines[location.line - 1]

    def _from(self, location: Location, start: int) -> str:
        lines = self.sources.get(location.file)
        if not lines or not 0 < location.line <= len(lines):
            return ""
        first = location.line - 1
        following = lines[first + 1 : first + _LONGEST]
        return "\n".join([lines[first][start:], *following])

    def _beginning(self, location: Location) -> int:
        """Back from the first token with a location over type names, stars and opening brackets."""
        line = self._line(location)
        start = min(max(0, location.column - 1), len(line))
        if not line[:start].strip():
            return 0
        while start and (line[start - 1].isalnum() or line[start - 1] in "_ \t*&!~-+("):
            start -= 1
        before = line[start : location.column - 1]
        for opener in ("for (", "for(", "else ", "case ", "default "):
            if opener in before:
                start += before.rfind(opener) + len(opener)
                before = line[start : location.column - 1]
        return start


def _until(text: str, final: str) -> str:
    """Up to the first ``final`` outside brackets; or to a bracket that closes what is not open."""
    depth = 0
    position = 0
    for piece in _pieces(text):
        position += len(piece)
        if piece in ("(", "[", "{"):
            depth += 1
        elif piece in (")", "]", "}"):
            depth -= 1
            if depth < 0 or (depth == 0 and piece == final):
                return text[:position]
        elif piece == final and depth == 0:
            return text[:position]
    return text.split("\n", maxsplit=1)[0]


def _pieces(text: str) -> Iterator[str]:
    for matched in _SKIPPED.finditer(text):
        yield matched.group()


def _collapsed(text: str) -> str:
    without = _COMMENTS.sub(lambda matched: matched.group(1) or " ", text)
    return _SPACE.sub(" ", without).strip()
