"""The rows of table.txt, which says how it is to be read.

row_of("strsep").calls     ("char *p = $buffer; see_text(@(&p, $text(2))); see_pointer(p);",)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("table.txt")
_INDENT = 4


@dataclass(slots=True)
class Row:
    """``names`` is a regular expression; ``declared`` stands before the ``calls``; ``why`` there
    are none."""

    names: str
    calls: list[str] = field(default_factory=list)
    declared: str = ""
    why: str = ""


def row_of(name: str) -> Row | None:
    """The row of a function; None where types alone say how it is called."""
    return next((row for row in rows() if re.fullmatch(row.names, name)), None)


@cache
def rows() -> tuple[Row, ...]:
    found: list[Row] = []
    for line in _lines(FILE.read_text()):
        word, _, rest = line.strip().partition(" ")
        if not line.startswith(" "):
            found.append(Row(line))
        elif word == "call":
            found[-1].calls.append(rest)
        elif word == "declare":
            found[-1].declared = rest
        else:
            assert word == "without", line
            found[-1].why = rest
    return tuple(found)


def _lines(text: str) -> list[str]:
    """Without comments, continued ones put together."""
    found: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if len(line) - len(line.lstrip()) > _INDENT:
            found[-1] += " " + line.strip()
        else:
            found.append(line)
    return found
