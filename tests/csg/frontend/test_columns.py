"""Tokens stand where the user wrote them, whatever the preprocessor made of the line."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from csg.frontend.tokens import _common, restore, tokenize


def columns(preprocessed: str, source: str) -> list[int]:
    tokens = list(tokenize(preprocessed, "a.c"))
    restore(tokens, {"a.c": [source]})
    return [token.column for token in tokens]


@pytest.mark.parametrize(
    ("preprocessed", "source", "wanted"),
    [
        ("int x = 1;", "int x = 1;", [1, 5, 7, 9, 10]),
        ("int x = 1;", "int   x =  1;", [1, 7, 9, 12, 13]),
        ("int x = 1;", "int /* x */ x = /* = */ 1;", [1, 13, 15, 25, 26]),
        ("x = ((a)+1) + b;", "x = NEXT(a) + b;", [1, 3, 5, 9, 10, 11, 11, 11, 11, 13, 15, 16]),
        ('f("a  b");', 'f( "a  b" );', [1, 2, 4, 11, 12]),
        ("a >>= b;", "a   >>=   b;", [1, 5, 11, 12]),
        ("x = 0;", "x = ZERO;", [1, 3, 5, 9]),
        # What a macro made may be written further behind, too.
        (
            "a = 1; f(1, 1 > 2);",
            "a = true; f(1, 1 > 2);",
            [1, 3, 5, 9, 11, 12, 13, 14, 16, 18, 20, 21, 22],
        ),
        ("(*e()) = 0; x = 1;", "errno = 0; x = 1;", [1, 1, 1, 1, 1, 1, 7, 9, 10, 12, 14, 16, 17]),
    ],
)
def test_columns(preprocessed: str, source: str, wanted: list[int]) -> None:
    assert columns(preprocessed, source) == wanted


def test_other_files_are_left_alone() -> None:
    tokens = list(tokenize("int x;", "header.h"))
    restore(tokens, {"a.c": ["int    x;"]})
    assert [token.column for token in tokens] == [1, 5, 6]


def _alignments(tokens: str, words: str, size: int) -> list[list[tuple[int, int]]]:
    """All ways to take ``size`` tokens that stand among the words in the same order."""
    return [
        list(zip(mine, theirs, strict=True))
        for mine in combinations(range(len(tokens)), size)
        for theirs in combinations(range(len(words)), size)
        if [tokens[at] for at in mine] == [words[at] for at in theirs]
    ]


@pytest.mark.parametrize("seed", range(60))
def test_an_alignment_is_a_longest_one(seed: int) -> None:
    random = Random(seed)
    tokens, words = (
        "".join(random.choice("ab1") for _ in range(random.randrange(7))) for _ in range(2)
    )
    found = _common(tokens, words)
    pairs = [(token, word) for token, word in enumerate(found) if word is not None]
    assert pairs in _alignments(tokens, words, len(pairs)) or not pairs
    assert not _alignments(tokens, words, len(pairs) + 1)
