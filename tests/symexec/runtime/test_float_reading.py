"""The order in which the texts of numbers are explored: what is easy to write comes first."""

from __future__ import annotations

import random

import pytest

from symexec.expr import Term, TermTable, evaluate
from symexec.runtime.contract import Decide, Suggest
from symexec.runtime.formats.float_reading import known_text, number_in

LETTERS = b"0123456789.-+eE xXpPinfatyINF(),abk"


class Memory:
    """What the model reads: a symbol for each byte."""

    def __init__(self) -> None:
        self.table = TermTable()

    def load(self, address: int, size: int) -> Term:
        assert size == 1
        return self.table.symbol(f"s{address}", 8)


def explored(text: bytes) -> tuple[bytes, int]:
    """What is read of a text, and how many steps its path goes behind the first one."""
    memory = Memory()
    padded = text.ljust(len(text) + 20, b"\0")
    values = {memory.load(place, 1): byte for place, byte in enumerate(padded)}
    model = known_text(memory, 0)  # type: ignore[arg-type]
    behind, answer = 0, None
    try:
        while True:
            match model.send(answer):
                case Decide(condition=Term() as condition, behind=more):
                    answer = bool(evaluate(condition, values))
                    behind += 0 if answer else more
                case Suggest(term=term):
                    answer = evaluate(term, values)  # type: ignore[arg-type]
                case other:
                    raise AssertionError(other)
    except StopIteration as done:
        return done.value, behind


@pytest.mark.parametrize(
    ("behind", "texts"),
    [
        (0, "1 9 0"),
        (1, "10 .5 -1 5. 1.0 0.5 x 1,"),
        (2, "100 +2 -10 -.1 10.5 1e5 0.25 1., -"),
        (3, "-10.5 1e10 -0.25 1e-5"),
    ],
)
def test_what_is_easy_to_write_comes_first(behind: int, texts: str) -> None:
    found = {text: explored(text.encode())[1] for text in texts.split(" ")}
    assert found == dict.fromkeys(found, behind)


def test_what_is_seldom_written_comes_last() -> None:
    assert all(explored(text)[1] >= 3 for text in (b"inf", b"nan", b"0x1", b"-nan(1)", b" 1e+9"))


def test_all_of_a_number_is_read_whatever_it_is() -> None:
    rng = random.Random(3)
    for _ in range(3_000):
        text = bytes(rng.choice(LETTERS) for _ in range(rng.randrange(7)))
        read, _ = explored(text)
        assert text.startswith(read)
        assert number_in(read, 64) == number_in(text, 64), text
