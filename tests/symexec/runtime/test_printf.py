"""printf's models write what the host's printf writes."""

from __future__ import annotations

import ctypes
import struct
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.reference.context import Ended, ReferenceContext
from oracles.reference.native_models import shared_library
from symexec.expr import Operand
from symexec.runtime.formats.directives import BadFormat, Conversion, parse
from symexec.state.endings import Unsupported
from symexec.state.state import Formatted
from tests.nightly import examples

MANY = examples(400)
ROOM = 8192

SHOW = r"""
#include <stdio.h>
#include <string.h>
int show_long(char *to, int n, const char *f, int stars, int a, int b, long v)
{ return stars == 0 ? snprintf(to, n, f, v) : stars == 1 ? snprintf(to, n, f, a, v)
                                             : snprintf(to, n, f, a, b, v); }
int show_double(char *to, int n, const char *f, int stars, int a, int b, const void *bits)
{ double v; memcpy(&v, bits, sizeof v);
  return stars == 0 ? snprintf(to, n, f, v) : stars == 1 ? snprintf(to, n, f, a, v)
                                             : snprintf(to, n, f, a, b, v); }
int show_extended(char *to, int n, const char *f, int stars, int a, int b, const void *bits)
{ long double v = 0; memcpy(&v, bits, 10);
  return stars == 0 ? snprintf(to, n, f, v) : stars == 1 ? snprintf(to, n, f, a, v)
                                             : snprintf(to, n, f, a, b, v); }
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return shared_library(SHOW, tmp_path_factory.mktemp("printf"))


FLAGS = st.lists(st.sampled_from("-+ #0"), max_size=3).map("".join)
WIDTH = st.sampled_from(["", "", "1", "7", "20", "*"])
PRECISION = st.sampled_from(["", "", ".", ".0", ".1", ".3", ".12", ".*"])
STAR = st.integers(-12, 12)


@st.composite
def directives(draw: st.DrawFn, lengths: list[str], letters: str) -> str:
    letter = draw(st.sampled_from(letters))
    flags = draw(FLAGS)
    if letter in "cs":
        flags = flags.replace("0", "").replace("#", "").replace("+", "").replace(" ", "")
    length = draw(st.sampled_from(lengths))
    return f"%{flags}{draw(WIDTH)}{draw(PRECISION)}{length}{letter}"


def expected(
    host: ctypes.CDLL, function: str, directive: str, stars: tuple[int, ...], value: object
) -> tuple[bytes, int]:
    buffer = ctypes.create_string_buffer(ROOM)
    padded = [*stars, 0, 0][:2]
    count = getattr(host, function)(
        buffer, ROOM, directive.encode(), len(stars), padded[0], padded[1], value
    )
    return buffer.raw[: max(count, 0)], count


def printed(directive: str, arguments: tuple[Operand, ...]) -> tuple[bytes, int]:
    world = ReferenceContext()
    buffer = world.allocate(ROOM, "static", "buffer")
    count = world.run("sprintf", buffer, world.text(directive.encode()), *arguments)
    return world.bytes_at(buffer, world.value(count)), world.value(count)


def star_values(directive: str, a: int, b: int) -> tuple[int, ...]:
    return (a, b)[: directive.count("*")]


def bits(values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(value & 0xFFFFFFFF for value in values)


INTEGER = st.one_of(st.integers(-20, 300), st.integers(-(2**63), 2**63 - 1))


@MANY
@given(
    directive=directives(["", "hh", "h", "l", "ll", "j", "z", "t", "q"], "diouxX"),
    a=STAR,
    b=STAR,
    value=INTEGER,
)
def test_integers(host: ctypes.CDLL, directive: str, a: int, b: int, value: int) -> None:
    stars = star_values(directive, a, b)
    wanted = expected(host, "show_long", directive, stars, ctypes.c_long(value))
    assert printed(directive, (*bits(stars), value & (2**64 - 1))) == wanted


@MANY
@given(directive=directives([""], "p"), a=STAR, b=STAR, value=st.sampled_from([0, 1, 2**40 + 5]))
def test_pointers(host: ctypes.CDLL, directive: str, a: int, b: int, value: int) -> None:
    stars = star_values(directive, a, b)
    wanted = expected(host, "show_long", directive, stars, ctypes.c_long(value))
    assert printed(directive, (*bits(stars), value)) == wanted


@MANY
@given(directive=directives([""], "s"), a=STAR, b=STAR, text=st.text("abc", max_size=9))
def test_strings(host: ctypes.CDLL, directive: str, a: int, b: int, text: str) -> None:
    stars = star_values(directive, a, b)
    kept = ctypes.create_string_buffer(text.encode())
    address = ctypes.c_long(ctypes.addressof(kept))
    wanted = expected(host, "show_long", directive, stars, address)
    world = ReferenceContext()
    buffer = world.allocate(ROOM, "static", "buffer")
    source = world.text(text.encode())
    form = world.text(directive.encode())
    count = world.value(world.run("sprintf", buffer, form, *bits(stars), source))
    assert (world.bytes_at(buffer, count), count) == wanted


@MANY
@given(directive=directives([""], "c"), a=STAR, value=st.integers(0, 255))
def test_characters(host: ctypes.CDLL, directive: str, a: int, value: int) -> None:
    directive = directive.partition(".")[0].rstrip("c") + "c"
    stars = star_values(directive, a, a)
    wanted = expected(host, "show_long", directive, stars, ctypes.c_long(value))
    assert printed(directive, (*bits(stars), value)) == wanted


DOUBLES = st.one_of(
    st.floats(), st.integers(-1000, 1000).map(lambda n: n / 8), st.floats(1e-6, 1e17)
)


@MANY
@given(directive=directives([""], "eEfFgGaA"), a=STAR, b=STAR, value=DOUBLES)
def test_doubles(host: ctypes.CDLL, directive: str, a: int, b: int, value: float) -> None:
    stars = star_values(directive, a, b)
    data = struct.pack("<d", value)
    wanted = expected(host, "show_double", directive, stars, data)
    assert printed(directive, (*bits(stars), int.from_bytes(data, "little"))) == wanted


@st.composite
def extended(draw: st.DrawFn) -> int:
    """The bits of an x87 number: normal ones near 1 and anywhere, denormal ones, the special."""
    exponent = draw(
        st.one_of(st.just(0), st.integers(16350, 16420), st.integers(1, 32766), st.just(32767))
    )
    fraction = draw(
        st.one_of(st.integers(0, 2**63 - 1), st.integers(0, 255).map(lambda n: n << 55))
    )
    whole = 0 if exponent == 0 else 1 << 63
    return draw(st.booleans()) << 79 | exponent << 64 | whole | fraction


@MANY
@given(directive=directives(["L"], "eEfFgGaA"), a=STAR, b=STAR, value=extended())
def test_long_doubles(host: ctypes.CDLL, directive: str, a: int, b: int, value: int) -> None:
    stars = star_values(directive, a, b)
    wanted = expected(host, "show_extended", directive, stars, value.to_bytes(10, "little"))
    assert printed(directive, (*bits(stars), value)) == wanted


# ---------------------------------------------------------------------- terms


@MANY
@given(
    directive=st.one_of(directives(["", "hh", "h", "l"], "diouxX"), directives([""], "p")),
    a=STAR,
    b=STAR,
    value=st.one_of(st.integers(-20, 300), st.integers(-(2**31), 2**31 - 1)),
)
def test_a_symbolic_integer_is_written_as_its_value_is(
    directive: str, a: int, b: int, value: int
) -> None:
    stars = bits(star_values(directive, a, b))
    width = 64 if "l" in directive or "p" in directive else 32
    known = value & ((1 << width) - 1)
    wanted = printed(directive, (*stars, known))
    world = ReferenceContext()
    x = world.table.symbol("x", width)
    world.assignment[x] = known
    buffer = world.allocate(ROOM, "static", "buffer")
    form = world.text(directive.encode())
    count = world.value(world.run("sprintf", buffer, form, *stars, x))
    assert (world.bytes_at(buffer, count), count) == wanted
    count = world.value(world.run("printf", form, *stars, x))
    assert count == wanted[1]
    assert {kind for kind, _ in world.events} == (
        {"addresses"} if directive.endswith("p") else set()
    )


def test_a_symbolic_number_on_a_stream_stays_whole_and_asks_nothing() -> None:
    world = ReferenceContext()
    x = world.table.symbol("x", 32)
    world.run("printf", world.text(b"n=%-5i|%hhx\n"), x, x)
    first, second = (item for item in world.output[1] if isinstance(item, Formatted))
    assert first == Formatted("%-5d", x)
    assert (second.spec, second.term.width) == ("%x", 8)
    assert world.asked == 0


def test_a_symbolic_string_asks_where_it_ends() -> None:
    world = ReferenceContext()
    text = world.place([*world.symbols("s", b"ab\0d"), 0])
    assert world.run("printf", world.text(b"<%s>"), text) == 4
    assert bytes(world.value(byte) for byte in world.output[1]) == b"<ab>"  # type: ignore[arg-type]
    assert world.asked == 3


def test_arguments_of_a_va_list_are_put_back_for_the_next_time() -> None:
    world = ReferenceContext()
    arguments = world.variadic([7, world.text(b"x"), 5])
    for _ in range(2):
        assert world.run("vprintf", world.text(b"%d%s%d\n"), arguments) == 4
    assert bytes(world.output[1]) == b"7x5\n7x5\n"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "arguments", "shown"),
    [
        (b"%2$d %1$d", (1, 2), b"2 1"),
        (b"%1$*2$d", (5, 3), b"  5"),
        (b"100%%", (), b"100%"),
        (b"%s", (0,), b"(null)"),
        (b"%.3s", (0,), b""),
        (b"%.2147483647s.%.00000000000000002d", (0, 7), b"(null).07"),
        (b"%lc", (65,), b"A"),
    ],
)
def test_special_directives(text: bytes, arguments: tuple[int, ...], shown: bytes) -> None:
    world = ReferenceContext()
    world.run("printf", world.text(text), *arguments)
    assert bytes(world.output[1]) == shown  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "directive",
    ["%2000000000d", "%-*d", "%.2000000000x", "%.99999999999999999999f", f"%{'9' * 9999}s",
     "%2000000000p", "%2000000000$d", "%1$2000000000c", f"%{'9' * 9999}$d"],
)  # fmt: skip
@pytest.mark.parametrize("function", ["printf", "sprintf"])
def test_a_text_that_is_too_long_ends_the_path_at_once(function: str, directive: str) -> None:
    world = ReferenceContext()
    buffer = (world.place(bytes(9)),) if function == "sprintf" else ()
    given = (2_000_000_000, 5) if "*" in directive else (5, 5)
    began = time.process_time()
    with pytest.raises(Ended) as ended:
        world.run(function, *buffer, world.text(directive.encode()), *given)
    assert isinstance(ended.value.ending, Unsupported)
    assert time.process_time() - began < 0.5


def test_counts_are_stored_behind_what_is_written() -> None:
    world = ReferenceContext()
    place = world.allocate(8, "static", "n")
    world.run("printf", world.text(b"abc%n%hhn"), place, place + 4)
    assert world.bytes_at(place, 8) == bytes([3, 0, 0, 0, 3, 0, 0, 0])


def test_snprintf_cuts_and_counts_all() -> None:
    world = ReferenceContext()
    buffer = world.allocate(4, "static", "b")
    assert world.run("snprintf", buffer, 4, world.text(b"%d"), 123456) == 6
    assert world.bytes_at(buffer, 4) == b"123\0"
    assert world.run("snprintf", 0, 0, world.text(b"%d"), 123456) == 6


def test_a_format_is_data() -> None:
    assert parse(b"n=%-5ld\n%%") == [
        b"n=",
        Conversion("-", 5, None, "l", "d", None, b"%-5ld"),
        b"\n",
        b"%",
    ]
    with pytest.raises(BadFormat):
        parse(b"50% ")


def test_a_null_pointer_for_a_text_is_told() -> None:
    """C17 7.21.6.1p8; what is written then is what glibc's printf writes."""
    world = ReferenceContext()
    buffer = world.place(bytes(9))
    assert world.run("sprintf", buffer, world.text(b"%s"), 0) == 6
    assert bytes(world.objects[buffer >> 32][:7]) == b"(null)\0"  # type: ignore[arg-type]
    assert [kind for kind, _ in world.events] == ["undefined"]
