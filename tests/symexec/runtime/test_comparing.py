"""strcmp and its kin do what the host's C library does, and ask once."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.reference.context import Ended, ReferenceContext
from symexec.runtime.operands import holds
from symexec.state.endings import MemoryFault
from tests.nightly import examples

HOST = ctypes.CDLL(None)
MANY = examples(150)

TEXT = st.binary(max_size=9).map(lambda data: data.replace(b"\0", b"\x80"))
SMALL = st.text(alphabet="abAB c", max_size=7).map(str.encode)

STRINGS = ["strcmp", "strcasecmp"]
BOUNDED = ["strncmp", "strncasecmp", "memcmp"]


def sign(value: int) -> int:
    value = (value & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)
    return (value > 0) - (value < 0)


def placed(world: ReferenceContext, name: str, text: bytes, known: Sequence[int]) -> int:
    """The text with its NUL; bytes at ``known`` places are numbers, the others symbols."""
    terms = world.symbols(name, text)
    bytes_ = [text[i] if i in known else term for i, term in enumerate(terms)]
    return world.place([*bytes_, 0])


@pytest.mark.parametrize("name", STRINGS + BOUNDED)
@MANY
@given(
    a=st.one_of(TEXT, SMALL),
    b=st.one_of(TEXT, SMALL),
    n=st.integers(0, 9),
    known=st.tuples(*[st.sets(st.integers(0, 9))] * 2),
    symbolic=st.booleans(),
)
def test_comparisons_have_the_same_sign(
    name: str, a: bytes, b: bytes, n: int, known: tuple[set[int], set[int]], symbolic: bool
) -> None:
    most = min(n, len(a), len(b)) if name == "memcmp" else n
    for x, y in ((a, b), (a, a), (b, a + b"z")):
        world = ReferenceContext()
        bound = world.table.symbol("n", 64) if symbolic else most
        if symbolic:
            world.assignment[bound] = most  # type: ignore[index]
        one, other = placed(world, "a", x, [*known[0]]), placed(world, "b", y, [*known[1]])
        limits = ((bound,), (ctypes.c_size_t(most),)) if name in BOUNDED else ((), ())
        ours = world.value(world.run(name, one, other, *limits[0]))
        assert sign(ours) == sign(getattr(HOST, name)(x, y, *limits[1]))


@pytest.mark.parametrize("text", [b"index", b"inder", b"i", b"", b"indexes"])
def test_an_unknown_word_and_a_known_one_are_one_decision(text: bytes) -> None:
    world = ReferenceContext()
    word = placed(world, "s", text.ljust(8, b"."), [])
    world.run("strcmp", word, world.text(b"index"))
    assert world.asked == 1


def test_what_is_not_equal_compares_with_0_as_what_was_asked() -> None:
    world = ReferenceContext()
    word, known = placed(world, "s", b"abc", []), world.text(b"-n")
    result = world.run("strcmp", word, known)
    assert not isinstance(result, int)
    first, second, end = world.symbols("s", b"abc")
    equal = holds("eq", 8, first, ord("-")), holds("eq", 8, second, ord("n"))
    both = equal[0] & (equal[1] & holds("eq", 8, end, 0))  # type: ignore[operator]
    assert holds("eq", 32, result, 0) is both  # type: ignore[arg-type]


def test_bytes_behind_the_end_are_not_looked_at() -> None:
    world = ReferenceContext()
    short = world.place(world.symbols("s", b"-x"))  # no NUL
    assert sign(world.value(world.run("strcmp", short, world.text(b"-n")))) > 0
    short = world.place(world.symbols("s", b"-n"))
    with pytest.raises(Ended) as caught:
        world.run("strcmp", short, world.text(b"-n"))
    assert isinstance(caught.value.ending, MemoryFault)
