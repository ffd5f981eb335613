"""When two versions wrote the same text: conditions over the printed numbers, tried with values."""

from __future__ import annotations

import pytest

from symexec.expr import (
    Operand,
    Term,
    TermTable,
    compare,
    convert_float,
    evaluate,
    extend,
    extract,
    float_binary,
    ite,
    negate,
)
from symexec.runtime.formats.comparing import difference
from symexec.shadow.outcomes import Unit, units
from symexec.state.state import Formatted, Output, OutputItem

TABLE = TermTable()
X, Y = TABLE.symbol("x", 32), TABLE.symbol("y", 32)
B = TABLE.symbol("b", 8)
NARROW = TABLE.symbol("n", 16)


def written(*items: OutputItem, stream: int = 1) -> Output | None:
    last: Output | None = None
    for item in items:
        last = Output(last, stream, item)
    return last


def text(*parts: str | Unit) -> list[Unit]:
    found: list[Unit] = []
    for part in parts:
        found += list(part.encode()) if isinstance(part, str) else [part]
    return found


def d(term: Term = X, specification: str = "%d") -> Formatted:
    return Formatted(specification, term)


def true_for(condition: object, **values: int) -> bool:
    """Does it hold for these values of x, y, b and n?"""
    if isinstance(condition, int):
        return bool(condition)
    assert isinstance(condition, Term)
    names = {"x": X, "y": Y, "b": B, "n": NARROW}
    given = {symbol: values.get(name, 0) for name, symbol in names.items()}
    return evaluate(condition, given, {}) == 1


def same_text(left: list[Unit], right: list[Unit]) -> Operand | None:
    """The condition under which both are the same text; None where they may differ besides."""
    found = difference(left, right)
    if found.perhaps != 0:
        return None
    same = negate(found.sure)
    assert isinstance(same, int | Term)
    return same


def test_a_stream_becomes_bytes_and_whole_numbers() -> None:
    last = written(b"n=", Formatted("%d", X), B)
    assert units(last, 1) == [110, 61, Formatted("%d", X), B]
    both = Output(Output(Output(None, 1, b"a"), 2, b"e"), 1, b"c")
    assert units(both, 1) == [97, 99] and units(both, 2) == [101]
    assert units(None, 1) == []


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("", "", 1),
        ("ab", "ab", 1),
        ("ab", "ac", 0),
        ("ab", "abc", 0),
        ("abc", "ab", 0),
        ("", "a", 0),
        ("b", "ab", 0),
    ],
)
def test_plain_texts(left: str, right: str, same: int) -> None:
    assert same_text(text(left), text(right)) == same


def test_a_symbolic_byte_is_a_condition() -> None:
    condition = same_text(text("a", B, "c"), text("abc"))
    assert true_for(condition, b=ord("b")) and not true_for(condition, b=ord("x"))
    assert same_text(text("x", B), text("abc")) == 0  # the first bytes differ already
    assert same_text(text(B), text("b")) is compare("eq", 8, B, ord("b"))
    both = same_text(text(B, B), text("ab"))
    assert not true_for(both, b=ord("a")) and not true_for(both, b=ord("b"))


def test_two_numbers_of_one_specification() -> None:
    condition = same_text(text("n=", d(X), "\n"), text("n=", d(Y), "\n"))
    assert true_for(condition, x=5, y=5) and not true_for(condition, x=5, y=6)
    assert same_text(text(d(X), "a"), text(d(Y), "b")) == 0
    assert same_text(text(d(X)), text(d(X))) == 1


FLOAT = TABLE.symbol("f", 64)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (text(d(FLOAT, "%f")), text(d(FLOAT, "%g"))),
        (text(d(FLOAT, "%.2f"), "\n"), text("1.00\n")),
        (text(d(X), d(Y, "%u")), text(d(Y), d(X))),  # too many ways to spell them
    ],
)
def test_what_may_differ_is_said(one: list[Unit], other: list[Unit]) -> None:
    for found in (difference(one, other), difference(other, one)):
        assert (found.sure, found.perhaps) == (0, 1)
        assert set(found.doubted) <= {*one, *other}
    assert same_text(text("a", *one), text("b", *other)) == 0  # a byte before it tells


def test_floating_numbers_of_other_bits_may_differ() -> None:
    other = TABLE.symbol("g", 64)
    found = difference(text(d(FLOAT, "%.1f"), "\n"), text(d(other, "%.1f"), "\n"))
    assert found.sure == 0 and found.perhaps is compare("ne", 64, FLOAT, other)
    assert difference(text(d(FLOAT, "%f")), text(d(FLOAT, "%f"))).perhaps == 0


def test_few_bits_are_all_tried() -> None:
    tenth = float_binary(
        "div",
        64,
        convert_float(extend(B, 8, 64, True), 64, 64, "signed", "float"),
        0x4024000000000000,
    )
    assert isinstance(tenth, Term)
    found = difference(text(d(tenth, "%.1f")), text(d(tenth, "%g")))
    assert found.perhaps == 0
    for value in range(256):
        number = (value - 256 if value > 127 else value) / 10
        assert true_for(found.sure, b=value) is (f"{number:.1f}" != f"{number:g}"), value


def test_the_text_of_a_nan_is_not_sure() -> None:
    flag = extract(B, 0, 1)
    number = ite(flag, 0x7FF8000000000000, 0, 64)
    assert isinstance(number, Term)
    found = difference(text(d(number, "%f")), text("0.000000"))
    assert not true_for(found.sure, b=0) and not true_for(found.sure, b=1)
    assert not true_for(found.perhaps, b=0) and true_for(found.perhaps, b=1)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("specification", "after", "other", "value"),
    [
        ("%d", "\n", "7\n", 7),
        ("%d", "\n", "-7\n", -7),
        ("%d", " x", "123 x", 123),
        ("%d", "", "42", 42),
        ("%u", ".", "4294967295.", 4294967295),
        ("%5d", "\n", "   42\n", 42),
        ("%05d", "\n", "00042\n", 42),
        ("%+d", "\n", "+3\n", 3),
        ("% d", "\n", " 3\n", 3),
        ("%x", "\n", "ff\n", 255),
        ("%X", "\n", "FF\n", 255),
        ("%o", "\n", "17\n", 15),
        ("%i", ",", "0,", 0),
        ("%.3d", "\n", "007\n", 7),
        ("%o", "8", "178", 15),  # no octal digit: behind the number
        ("%4x", "\n", " 2af\n", 0x2AF),
        ("%3o", "\n", " 17\n", 15),
        ("%d", "-", "7-", 7),  # the sign behind a digit is not the number's
    ],
)
def test_a_number_against_its_text(
    specification: str, after: str, other: str, value: int, swapped: bool
) -> None:
    number, plain = text("n=", d(X, specification), after), text("n=", other)
    condition = same_text(plain, number) if swapped else same_text(number, plain)
    for tried in {value, value + 1, value - 1, -value - 5, 0, 99}:
        assert true_for(condition, x=tried & 0xFFFFFFFF) is (tried == value), tried


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("specification", "after", "other"),
    [
        ("%d", "\n", "-\n"),  # no number
        ("%d", "\n", "x\n"),
        ("%d", "\n", ""),
        ("%d", "\n", "07\n"),  # nobody prints 7 so
        ("%d", "\n", "+7\n"),
        ("%5d", "\n", "42\n"),
        ("%d", "\n", "7-\n"),  # the sign is not part of it: behind it something else stands
        ("%d", "\n", "7 \n"),
        ("%x", "\n", "FF\n"),
        ("%X", "\n", "ff\n"),
        ("%d", "a", "7b"),
        ("%d", "", "7a"),
        ("%d", "ab", "7a"),
        ("%o", "\n", "9\n"),
        ("%d", "\n", "--1\n"),
        ("%d", "-\n", "-\n"),  # it prints one byte at least
    ],
)
def test_a_number_that_prints_no_such_text(
    specification: str, after: str, other: str, swapped: bool
) -> None:
    number, plain = text(d(X, specification), after), text(other)
    condition = same_text(plain, number) if swapped else same_text(number, plain)
    assert condition == 0


def test_numbers_one_after_the_other() -> None:
    condition = same_text(text(d(X), " ", d(Y), "\n"), text("12 -3\n"))
    assert true_for(condition, x=12, y=-3 & 0xFFFFFFFF)
    assert not true_for(condition, x=12, y=3) and not true_for(condition, x=1, y=-3 & 0xFFFFFFFF)


def test_a_narrow_number_wraps_as_its_term() -> None:
    condition = same_text(text(d(NARROW)), text("-1"))
    assert true_for(condition, n=0xFFFF) and not true_for(condition, n=1)
