"""Which lines of a file the preprocessor leaves out.

    1 #if DEBUG                  ->   {2: Branch("#if DEBUG", line 1)}
    2     check(x);
    3 #endif

The preprocessor itself is asked: a word put behind each ``#if``, ``#elif`` and ``#else`` comes out
again where the branch is taken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from csg.records import record
from csg.source import Location
from csg.toolchain import preprocess_text

_COMMENT = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)
_DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")
_MARK = "csgtest_branch_"


@record
class Branch:
    """``text`` is the directive that opens it, whose place is ``location``."""

    text: str
    location: Location


def without_comments(text: str) -> str:
    """Comments become blanks; lines stay lines."""

    def blank(found: re.Match[str]) -> str:
        part = found[0]
        return "\n" * part.count("\n") + " " if part[0] == "/" else part

    return _COMMENT.sub(blank, text)


def lines_left_out(name: str, lines: Sequence[str], flags: Sequence[str] = ()) -> dict[int, Branch]:
    """The lines (counted from 1) of a branch that is not taken, with the outermost such branch."""
    plain = without_comments("\n".join(lines)).split("\n")
    marked: list[str] = []
    branches: list[tuple[int, int]] = []  # the line of a directive, and the branch around it
    around: list[int] = []
    of_line: dict[int, int] = {}
    for number, (line, shown) in enumerate(zip(plain, lines, strict=True), 1):
        marked.append(shown)
        word = found[1] if (found := _DIRECTIVE.match(line)) else ""
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
    for number, branch in of_line.items():
        outer = _outermost(branch, branches, taken)
        if outer is not None:
            opened = branches[outer][0]
            left_out[number] = Branch(plain[opened - 1].strip(), Location(name, opened))
    return left_out


def _taken(text: str, name: str, flags: Sequence[str]) -> frozenset[int]:
    folder = os.path.dirname(name) or "."
    shown = preprocess_text(text, name, [*flags, f"-I{folder}"])
    return frozenset(int(each) for each in re.findall(rf"{_MARK}(\d+)", shown))


def _outermost(
    branch: int, branches: Sequence[tuple[int, int]], taken: frozenset[int]
) -> int | None:
    """The outermost branch around, or this one, that is not taken."""
    found: int | None = None
    at = branch
    while at >= 0:
        if at not in taken:
            found = at
        at = branches[at][1]
    return found
