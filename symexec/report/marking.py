"""Mark what differs between two texts, inside their lines.

    "total 12\\n", "total 13\\n"   ->   total [12]     total [13]

``marked`` gives pieces of either text in order: (text, does it differ?). A newline that differs is
shown as a sign of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

Pieces = list[tuple[str, bool]]

_MOST_WORDS = 600  # of a line that is compared word by word
_WORDS = re.compile(r"\w+|\s|[^\w\s]")


def marked(old: str, new: str) -> tuple[Pieces, Pieces]:
    """The pieces of both; joined they are the texts, but for the signs of differing newlines."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    found: tuple[Pieces, Pieces] = ([], [])
    for word, a, b, c, d in SequenceMatcher(None, before, after, False).get_opcodes():
        if word == "equal":
            _add(found, "".join(before[a:b]), "".join(after[c:d]), False)
            continue
        paired = min(b - a, d - c)
        for one, other in zip(before[a : a + paired], after[c : c + paired], strict=True):
            for first, second, differs in _within(one, other):
                _add(found, first, second, differs)
        _add(found, "".join(before[a + paired : b]), "".join(after[c + paired : d]), True)
    return found


def _add(found: tuple[Pieces, Pieces], old: str, new: str, differs: bool) -> None:
    for pieces, text in zip(found, (old, new), strict=True):
        if text:
            pieces.append((text.replace("\n", "\u21b5\n") if differs else text, differs))


def _within(old: str, new: str) -> Iterator[tuple[str, str, bool]]:
    """The pieces of two lines: both texts, and whether they differ there."""
    words = _WORDS.findall(old), _WORDS.findall(new)
    if max(map(len, words)) > _MOST_WORDS:
        yield from _ends(old, new)
        return
    for word, a, b, c, d in SequenceMatcher(None, *words, False).get_opcodes():
        yield "".join(words[0][a:b]), "".join(words[1][c:d]), word != "equal"


def _ends(old: str, new: str) -> Iterator[tuple[str, str, bool]]:
    """What both begin with, what stands between, what both end with."""
    begin = _common(old, new)
    end = _common(old[begin:][::-1], new[begin:][::-1])
    first, second = old[begin : len(old) - end], new[begin : len(new) - end]
    yield old[:begin], new[:begin], False
    yield first, second, True
    yield old[len(old) - end :], new[len(new) - end :], False


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
