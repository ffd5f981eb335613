"""Move tokens to the columns that they have in the user's file.

The preprocessor replaces comments, runs of blanks and macros, so that

    x =   MAX(a, b);      is preprocessed to      x = ((a) > (b) ? (a) : (b));

A token that stands in the source line gets its column there; what a macro made gets the column of
the macro's name, or of the argument that it repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from csg.frontend.tokens import Token

_WORDS = re.compile(r"""/\*.*?(?:\*/|$)|//.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\w+|[^\w\s]""")


def restore(tokens: Iterable[Token], sources: Mapping[str, Sequence[str]]) -> None:
    """Correct ``column`` of the tokens whose file is in ``sources`` (a file's lines)."""
    for (file, number), line in groupby(tokens, key=lambda t: (t.filename, t.lineno)):
        lines = sources.get(file)
        if lines is not None and 0 < number <= len(lines):
            _restore_line(list(line), lines[number - 1])


def _restore_line(tokens: list[Token], source: str) -> None:
    if all(source.startswith(token.value, token.column - 1) for token in tokens):
        return
    words = [
        (found.start() + 1, found[0])
        for found in _WORDS.finditer(source)
        if not found[0].startswith(("/*", "//"))
    ]
    position = 0  # in words: nothing before it is looked at again
    macro = -1  # the word that the tokens before came from, if they are not in the line
    for token in tokens:
        found = _find(words, position, token.value, macro)
        if found is not None:
            position = found + 1
            token.column = words[found][0]
        elif words:
            macro = min(position, len(words) - 1)
            token.column = words[macro][0]


def _find(words: list[tuple[int, str]], start: int, value: str, macro: int) -> int | None:
    """The next place of a token in the source line; punctuation may be cut into pieces there, and
    is not looked for behind a name that may be the macro that made it."""
    is_word = value[0].isalnum() or value[0] in "_\"'"
    for index in range(start, len(words)):
        word = words[index][1]
        if word == value:
            return index
        if not is_word and len(value) > 1 and value.startswith(word):
            joined = "".join(part for _, part in words[index : index + len(value)])
            if joined == value:
                return index
        if not is_word and word.isidentifier() and index != macro:
            return None
    return None
