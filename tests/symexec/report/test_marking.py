"""What differs between two texts, inside their lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symexec.report.page import marked


def told(old: str, new: str) -> tuple[str, str]:
    def one(pieces: list[tuple[str, bool]]) -> str:
        return "".join(f"[{text}]" if differs else text for text, differs in pieces)

    first, second = marked(old, new)
    return one(first), one(second)


def test_words_are_marked_within_their_lines() -> None:
    assert told("total 12\nend\n", "total 13\nend\n") == ("total [12]\nend\n", "total [13]\nend\n")
    assert told("a b", "a b c") == ("a b", "a b[ c]")


def test_a_newline_that_differs_is_seen() -> None:
    assert told("a", "a\n") == ("a", "a[\u21b5\n]")
    assert told("x\ny\n", "x\n") == ("x\n[y\u21b5\n]", "x\n")


def test_of_a_very_long_line_the_middle_is_marked() -> None:
    old = "x " * 1000 + "1" + " y" * 1000
    assert told(old, old.replace("1", "2"))[1] == "x " * 1000 + "[2]" + " y" * 1000


@given(st.text("ab \n"), st.text("ab \n"))
def test_no_piece_is_lost(old: str, new: str) -> None:
    for text, pieces in zip((old, new), marked(old, new), strict=True):
        assert "".join(piece for piece, _ in pieces).replace("\u21b5", "") == text
