"""Regular expressions mean what the host's regcomp and regexec make of them."""

from __future__ import annotations

import ctypes
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles.reference.context import Ended, ReferenceContext
from tests.nightly import daily, examples

HOST = ctypes.CDLL(None)
MANY = examples(60)
EXTENDED, ICASE, NEWLINE = 1, 2, 4
ROOM = 4
INNER_ANCHOR = "anchors within a regular expression"


class Match(ctypes.Structure):
    _fields_ = (("start", ctypes.c_int), ("end", ctypes.c_int))


def on_host(pattern: bytes, text: bytes, flags: int, at: int) -> tuple[int, object]:
    compiled = ctypes.create_string_buffer(64)
    number = HOST.regcomp(compiled, pattern, flags)
    if number:
        return number, None
    matches = (Match * ROOM)()
    result = HOST.regexec(compiled, text, ctypes.c_size_t(ROOM), matches, at)
    HOST.regfree(compiled)
    return 0, None if result else [(each.start, each.end) for each in matches]


def in_model(
    world: ReferenceContext, pattern: bytes, text: int, flags: int, at: int
) -> tuple[int, object]:
    compiled = world.place([0] * 64)
    number = world.value(world.run("regcomp", compiled, world.text(pattern), flags))
    if number:
        return number, None
    matches = world.place([0] * 8 * ROOM)
    result = world.value(world.run("regexec", compiled, text, ROOM, matches, at))
    data = world.bytes_at(matches, 8 * ROOM)
    numbers = [
        int.from_bytes(data[place : place + 4], "little", signed=True)
        for place in range(0, 8 * ROOM, 4)
    ]
    world.run("regfree", compiled)
    return 0, None if result else list(zip(numbers[::2], numbers[1::2], strict=True))


IN_BRACKETS = [
    "a", "b", "-", "[:alpha:]", "[:x:]", "[.a.]", "[=b=]", "[.-.]", "[.ab.]", "]", "^", "z", "[",
    "[.",
]  # fmt: skip
ATOMS = ["a", "b", "A", ".", "[ab]", "[^a]", "[[:alpha:]]", "[b-]", "c", "\\w", "\\.", "[]x]"]
REPEATS = ["", "", "", "*"]
TEXTS = st.text(alphabet="abcA-\n x", max_size=7).map(str.encode)


def patterns(extended: bool, groups: bool) -> st.SearchStrategy[str]:
    more = ["+", "?", "{2}", "{1,2}", "{0,1}", "{,2}"] if extended else ["\\+", "\\?", "\\{2\\}"]
    left, right, bar = ("(", ")", "|") if extended else ("\\(", "\\)", "\\|")
    atom = st.builds(str.__add__, st.sampled_from(ATOMS), st.sampled_from(REPEATS + more))

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        ways = [
            st.lists(inner, min_size=1, max_size=3).map("".join),
            st.tuples(inner, inner).map(bar.join),
        ]
        if groups:
            rounds = st.sampled_from(["", "", "*", *more])
            ways.append(
                st.builds("{0}{2}{1}{3}".format, st.just(left), st.just(right), inner, rounds)
            )
        return st.one_of(*ways)

    anchored = st.tuples(
        st.sampled_from(["", "", "^"]),
        st.recursive(atom, grown, max_leaves=5),
        st.sampled_from(["", "", "$", "\\b"]),
    )
    return anchored.map("".join)


@pytest.mark.parametrize("flags", [0, EXTENDED, EXTENDED | ICASE, NEWLINE])
@MANY
@given(text=TEXTS, data=st.data(), at=st.sampled_from([0, 0, 1, 2]))
def test_a_match_is_where_the_host_finds_it(
    flags: int, text: bytes, data: st.DataObject, at: int
) -> None:
    pattern = data.draw(patterns(bool(flags & EXTENDED), True)).encode()
    match_alike(pattern, text, flags, at)


def match_alike(pattern: bytes, text: bytes, flags: int, at: int) -> None:
    world = ReferenceContext()
    try:
        found = in_model(world, pattern, world.text(text), flags, at)
    except Ended:  # glibc would never end
        return
    if found != on_host(pattern, text, flags, at):
        assert ("approximated", INNER_ANCHOR) in world.events


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (b"(a|ab)(c|bcd)(d*)", b"abcd"),
        (b"(a*)(ab|b)*", b"aab"),
        (b"(a|b?)*c", b"abc"),
        (b"((a)|b)*", b"ab"),
        (b"(a?){2}", b"a"),
        (b"((a|)b?){0,2}", b"abab"),
        (b"((a*)+){2}", b"aa"),
        (b"((a))*", b"aa"),
        (b"(|a)b", b"ab"),
        (b"(a$|.)", b"a"),
        (b"(^|x)(a|ab)(y|$)", b"xaby"),
    ],
)
def test_groups_are_told_as_the_host_does(pattern: bytes, text: bytes) -> None:
    world = ReferenceContext()
    found = in_model(world, pattern, world.text(text), EXTENDED, 0)
    assert found == on_host(pattern, text, EXTENDED, 0)
    assert not world.events


def alternatives(depth: int, draw: random.Random) -> str:
    """An expression in which groups may match in several ways."""
    if not depth:
        return draw.choice(["a", "b", ".", "[ab]", "c", "a", "b"])
    first, second = (alternatives(depth - 1, draw) for _ in range(2))
    ways = [first + second, f"({first}|{second})", f"({first}|)", f"{first}|{second}", f"({first})"]
    rounds = [
        f"({first}){each}" for each in ("*", "?", "+", "{1,2}", "{2}", "{0,3}", "{2,}", "{0}")
    ]
    anchors = [f"^{first}", f"{first}$", f"{first}\\b"]
    return draw.choice([*ways, *ways, *rounds, *anchors])


@pytest.mark.parametrize("seed", daily(range(40), 2))
def test_random_groups_are_told_as_the_host_does(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(100):
        pattern = alternatives(draw.randint(1, 4), draw)
        text = "".join(draw.choice("aabbc\n") for _ in range(draw.randint(0, 7)))
        if len(pattern) < 25 and pattern.count("{") < 2:  # glibc takes long for the others
            match_alike(pattern.encode(), text.encode(), EXTENDED | draw.choice([0, NEWLINE]), 0)


@pytest.mark.parametrize(("pattern", "found"), [(b"^b", 1), (b"\\bb", 1), (b"b$", 0)])
def test_a_text_that_starts_later_has_something_before_it(pattern: bytes, found: int) -> None:
    """With REG_STARTEND."""
    compiled = ctypes.create_string_buffer(64)
    HOST.regcomp(compiled, pattern, EXTENDED)
    bounds = (Match * 1)(Match(1, 2))
    assert HOST.regexec(compiled, b"abb", ctypes.c_size_t(1), bounds, 4) == found
    HOST.regfree(compiled)
    world = ReferenceContext()
    place, matches = world.place([0] * 64), world.place([1, 0, 0, 0, 2, 0, 0, 0])
    world.run("regcomp", place, world.text(pattern), EXTENDED)
    assert world.value(world.run("regexec", place, world.text(b"abb"), 1, matches, 4)) == found
    assert world.value(world.run("regexec", place, world.text(b"abb"), 1, matches, 8)) == 2


@MANY
@given(
    pattern=st.one_of(
        st.text(alphabet="a*()[]{}|\\^$1,-.:?+", max_size=7),
        st.text(alphabet="[]-^ab:=.*", max_size=8),
        st.lists(st.sampled_from(IN_BRACKETS), max_size=6).map(lambda parts: "[" + "".join(parts)),
    ),
    extended=st.booleans(),
)
@example(pattern="[*^-^-", extended=False).via("two things are wrong")
@example(pattern="[[.ab.]", extended=False).via("two things are wrong")
@example(pattern="[--[:x:]", extended=True).via("two things are wrong")
@example(pattern="a{\\,2}", extended=True).via("a comma with a backslash")
@example(pattern="^\\{", extended=False).via("a number without anything before it")
def test_odd_expressions_are_understood_or_refused_alike(pattern: str, extended: bool) -> None:
    flags = EXTENDED if extended else 0
    if any(f"\\{digit}" in pattern for digit in range(1, 10)):
        return
    world = ReferenceContext()
    found = in_model(world, pattern.encode(), world.text(b"aa*"), flags, 0)
    expected = on_host(pattern.encode(), b"aa*", flags, 0)
    assert found[0] == expected[0]
    assert bool(found[1]) == bool(expected[1])


@MANY
@given(text=TEXTS.filter(bool), data=st.data())
def test_a_symbolic_text_matches_as_its_values_do(text: bytes, data: st.DataObject) -> None:
    pattern = data.draw(patterns(True, True)).encode()
    known, world = ReferenceContext(), ReferenceContext()
    symbols = world.symbols("t", text)
    expected = in_model(known, pattern, known.text(text), EXTENDED, 0)
    assert in_model(world, pattern, world.place([*symbols, 0]), EXTENDED, 0) == expected
    assert world.events == []


def test_errors_have_glibc_s_words() -> None:
    for number in range(17):
        buffer = ctypes.create_string_buffer(80)
        size = HOST.regerror(number, None, buffer, ctypes.c_size_t(80))
        world = ReferenceContext()
        target = world.place([0] * 80)
        assert world.run("regerror", number, 0, target, 80) == size
        assert world.bytes_at(target) == buffer.value
