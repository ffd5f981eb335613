"""The lines of the user's files: whose are those of preprocessed text, and what do they say?

    lines = SourceLines()
    lines.admit(["cut.c", "cut.h", "/usr/include/stdio.h"])      what the compiler has read
    own, system = lines.of(preprocessed)      {"cut.c": [...], "cut.h": [...]}, {"/usr/include/..."}

Line markers say where text comes from; ``SourceLines`` has the lines as written, which messages
quote and graphs show; and the preprocessor is asked which lines it leaves out.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence

from csg.cache import key_of
from csg.errors import Location, ToolchainError
from csg.language.syntax import HEADERS
from csg.records import record
from csg.toolchain import preprocess_text

# ------------------------------------------------------------------------------------- line markers
# Read the line markers of preprocessed text: whose lines are these?
#
#     # 1 "range.c"                    the user's own file
#     # 1 "/usr/include/stdio.h" 1 3   a system header starts
#     # 2 "range.c" 2                  back in the user's file
#
# A file is the user's *own* when it is the one named on the command line or is included by such a
# file and is no header (``#include "real.c"``, tables in a ``.def``).


MARKER = re.compile(r'^#(?:line)? (\d+) "((?:[^"\\\n]|\\.)*)"((?: \d)*)[ \t\r]*$', re.MULTILINE)
_ESCAPE = re.compile(r'\\([\\"])')


@record
class Segment:
    """The text from ``start`` to ``end``, whose first line is ``line`` of ``file``."""

    start: int
    end: int
    file: str
    line: int
    own: bool
    system: bool


def segments(text: str) -> Iterator[Segment]:
    """Cut preprocessed text at its line markers; text without any is one segment without a name."""
    stack: list[tuple[str, bool, bool]] = []  # file, own, system
    here: tuple[int, int] | None = None  # start, line
    for marker in MARKER.finditer(text):
        if here is not None:
            yield _segment(here, marker.start(), stack[-1])
        _enter(stack, marker)
        here = (marker.end() + 1, int(marker[1]))
    if here is not None:
        yield _segment(here, len(text), stack[-1])
    elif text:
        yield Segment(0, len(text), "<text>", 1, True, False)


def _segment(here: tuple[int, int], end: int, place: tuple[str, bool, bool]) -> Segment:
    return Segment(min(here[0], end), end, place[0], here[1], place[1], place[2])


def _enter(stack: list[tuple[str, bool, bool]], marker: re.Match[str]) -> None:
    """Follow one marker: 1 enters a file, 2 returns to one, 3 says that it is the system's."""
    file = marker[2]
    if "\\" in file:
        file = _ESCAPE.sub(r"\1", file)
    flags = marker[3]  # single digits
    if "1" in flags and stack:
        system = "3" in flags
        stack.append((file, stack[-1][1] and not system and not file.endswith(HEADERS), system))
        return
    if "2" in flags and len(stack) > 1:
        stack.pop()
    if not stack:
        stack.append((file, True, False))
    else:  # a marker of a macro that a system header defines has a 3 too: not the file's
        stack[-1] = (file, stack[-1][1], stack[-1][2])


_BLANKS = re.compile(r"[ \t]*")


def joined(text: str) -> str:
    """Preprocessed text without the markers around what a macro of a system header stands for,
    which tell nothing where they stand within one line of one file. Tables with many such macros
    are several times as large with them.

        x = y ==                        becomes      x = y == 1 ? a : b;
        # 5 "t.c" 3 4
                 1
        # 5 "t.c"
                  ? a : b;
    """
    parts: list[str] = []
    copied = 0  # the text before this place is in ``parts``
    file, line, since = "", 0, 0  # where the text that begins at ``since`` stands
    inside = False  # is it what such a macro stands for, on the line before it?
    for marker in MARKER.finditer(text):
        start, end = marker.span()
        number = int(marker[1])
        lines = text.count("\n", since, start)
        expected = not marker[3] if inside else marker[3] in (" 3", " 3 4")
        if expected and lines and (marker[2], number) == (file, line + lines - 1):
            last = max(since, text.rfind("\n", since, start - 1) + 1)
            begin = _BLANKS.match(text, end + 1)
            after = begin.end() if begin is not None else len(text)
            if not text.startswith("#", last) and not text.startswith("#", after):
                parts += (text[copied : start - 1], " ")
                copied = since = after
                line, inside = number, not inside
                continue
        file, line, since, inside = marker[2], number, end + 1, False
    parts.append(text[copied:])
    return "".join(parts)


# --------------------------------------------------------------------------------- lines as written


LARGEST = 16 << 20  # bytes of a file that is quoted
FURTHEST = 1_000_000  # the last line with a text, where #line has numbered it
_DIRECTIVE = re.compile(r'[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)\b(?:[ \t]*"((?:[^"\\]|\\.)*)")?')


class SourceLines:
    """The lines of source files. ``known`` has those of texts that are in no file."""

    def __init__(self, known: Mapping[str, list[str]] | None = None) -> None:
        self._written: dict[str, list[str]] = dict(known or {})
        self._given = frozenset(self._written)
        self._found: dict[str, tuple[dict[str, list[str]], frozenset[str]]] = {}
        self._admitted: dict[str, None] = {}  # real paths

    def admit(self, files: Iterable[str]) -> None:
        """Allow these files to be read: the compiler has read them."""
        self._admitted.update(dict.fromkeys(map(os.path.realpath, files)))

    def of(self, text: str) -> tuple[dict[str, list[str]], frozenset[str]]:
        """The lines of the user's files that a preprocessed text comes from, and the names of the
        system's files."""
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
            # gcc's own "<built-in>" has no text; a user's lines of that name count
            empty = not text[segment.start : segment.end].strip()
            if segment.system or (empty and segment.file.startswith("<")):
                system.add(segment.file)
            else:
                own[segment.file] = None
        return self._numbered(list(own), marked), frozenset(system - own.keys())

    def digest(self, text: str) -> str:
        """A digest that changes with the names and lines of the user's files in a text."""
        parts: list[str] = []
        for file, lines in self.of(text)[0].items():
            parts += [file, "\n".join(lines)]
        return key_of(*parts)

    def _numbered(self, files: list[str], marked: set[tuple[int, str]]) -> dict[str, list[str]]:
        """The lines of each file, under the numbers that the text gives them."""
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
    """Enter the lines of a file under the names and numbers that its #line directives give them,
    without those that an ``#if`` leaves out. A number that two lines have is left out."""
    name, number = file, 1
    for line in written:
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            named = name if directive[2] is None else _ESCAPE.sub(r"\1", directive[2])
            where = int(directive[1][:10]), named
            if where in marked:
                number, name = where
                continue
        if number <= FURTHEST:
            known = found.setdefault(name, {})
            known[number] = line if known.get(number, line) == line else ""
        number += 1


def lines_of(text: str) -> list[str]:
    """The lines of a C file as compilers count them: a form feed ends none (C17 5.1.1.2)."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


def _lines(file: str) -> list[str]:
    """The lines of a file; none where it is no regular file, or larger than source files are."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, encoding="utf-8", errors="surrogateescape") as stream:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
                return []
            return lines_of(stream.read(LARGEST))
    except OSError:
        return []


# ----------------------------------------------------------------------------------- lines left out
# Which lines of a file the preprocessor leaves out.
#
#     1 #if DEBUG                  ->   {2: Branch("#if DEBUG", line 1)}
#     2     check(x);
#     3 #endif
#
# The preprocessor itself is asked: a word put behind each ``#if``, ``#elif`` and ``#else`` comes
# out again where the branch is taken.


_COMMENT = re.compile(
    r"""//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)
_CONDITIONAL = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")
_MARK = "csgtest_branch_"


@record
class Branch:
    """A conditional branch of the preprocessor. ``text`` is the directive that opens it, at
    ``location``."""

    text: str
    location: Location


def without_comments(text: str) -> str:
    """The text with comments replaced by blanks; line breaks stay."""

    def blank(found: re.Match[str]) -> str:
        part = found[0]
        return "\n" * part.count("\n") + " " if part[0] == "/" else part

    return _COMMENT.sub(blank, text)


def lines_without_comments(lines: Sequence[str]) -> list[str]:
    """The lines with comments replaced by blanks: as many as there are."""
    if not lines:
        return []
    return without_comments("\n".join(line.replace("\n", " ") for line in lines)).split("\n")


def lines_left_out(name: str, lines: Sequence[str], flags: Sequence[str] = ()) -> dict[int, Branch]:
    """The lines (counted from 1) of a branch that is not taken, with the outermost such branch."""
    plain = lines_without_comments(lines)
    marked: list[str] = []
    branches: list[tuple[int, int]] = []  # the line of a directive, and the branch around it
    around: list[int] = []
    of_line: dict[int, int] = {}
    for number, (line, shown) in enumerate(zip(plain, lines, strict=True), 1):
        marked.append(shown)
        word = found[1] if (found := _CONDITIONAL.match(line)) else ""
        if word in ("elif", "else", "endif") and around:
            around.pop()
        if word and word != "endif":
            branches.append((number, around[-1] if around else -1))
            around.append(len(branches) - 1)
            marked.append(f"{_MARK}{len(branches) - 1} ")
        elif around:
            of_line[number] = around[-1]
    if not branches:
        return {}
    taken = _taken("\n".join(marked) + "\n", name, flags)
    left_out: dict[int, Branch] = {}
    if taken is None:
        return left_out
    for number, branch in of_line.items():
        outer = _outermost(branch, branches, taken)
        if outer is not None:
            opened = branches[outer][0]
            left_out[number] = Branch(plain[opened - 1].strip(), Location(name, opened))
    return left_out


def _taken(text: str, name: str, flags: Sequence[str]) -> frozenset[int] | None:
    """None where the preprocessor cannot say: a header may have to be included behind others."""
    folder = os.path.dirname(name) or "."
    try:
        shown = preprocess_text(text, name, [*flags, f"-I{folder}"])
    except ToolchainError:
        return None
    return frozenset(int(each) for each in re.findall(rf"{_MARK}(\d+)", shown))


def _outermost(
    branch: int, branches: Sequence[tuple[int, int]], taken: frozenset[int]
) -> int | None:
    """The outermost branch that is not taken, among ``branch`` and those around it; None where all
    are taken."""
    found: int | None = None
    at = branch
    while at >= 0:
        if at not in taken:
            found = at
        at = branches[at][1]
    return found
