"""getopt, exact mathematics, wide characters and numbers with a point, beside the host's."""

from __future__ import annotations

import ctypes
import math
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles.reference.context import ReferenceContext
from oracles.reference.native_models import PREFIX
from symexec.runtime.formats.float_reading import number_in
from tests.nightly import examples

HOST = ctypes.CDLL(None, use_errno=True)
MATH = ctypes.CDLL("libm.so.6")
MANY = examples(200)


class Option(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("has_arg", ctypes.c_int),
        ("flag", ctypes.c_void_p),
        ("val", ctypes.c_int),
    )


TABLE = (Option * 6)(
    Option(b"width", 1, None, 300),
    Option(b"wide", 0, None, 301),
    Option(b"color", 2, None, 302),
    Option(b"a", 0, None, 303),
    Option(b"colour", 2, None, 302),
    Option(None, 0, None, 0),
)
SPELLINGS = (
    "-a -b -bx -ab -c -cx - -- x y --width --width=3 --wid 4 --wi --w --wide --wide=1 --color "
    "--color=r --col --no -abc -z -width -wide -co --a -: -; -W -Wall -Wwid=3 -WW --W --=x"
)
WORDS = st.lists(st.sampled_from(SPELLINGS.split(" ")), max_size=6)


def options_found(
    library: ctypes.CDLL, prefix: str, name: str, letters: bytes, words: list[str]
) -> list[object]:
    """What each call returns and leaves, and the order of the words in the end."""
    function = getattr(library, prefix + name)

    def number(variable: str) -> ctypes.c_int:
        return ctypes.c_int.in_dll(library, prefix + variable)

    argument = ctypes.c_char_p.in_dll(library, prefix + "optarg")
    number("opterr").value = 0
    number("optind").value = 0
    held = [ctypes.create_string_buffer(word.encode()) for word in ["program", *words]]
    pointers = [ctypes.cast(each, ctypes.c_char_p) for each in held]
    argv = (ctypes.c_char_p * (len(held) + 1))(*pointers, None)
    index = ctypes.c_int(-1)
    rest = (TABLE, ctypes.byref(index)) if name != "getopt" else ()
    found: list[object] = []
    for _ in range(20):
        code = function(len(held), argv, letters, *rest)
        left = [number(name).value for name in ("optind", "optopt")]
        found.append((code, argument.value, index.value, *left))
        if code == -1:
            break
    return [*found, list(argv)]


@pytest.mark.parametrize("name", ["getopt", "getopt_long", "getopt_long_only"])
@pytest.mark.parametrize(
    "letters", [b"ab:c::", b"+ab:c::", b"-ab:c::", b":ab:c::", b"ab:W;c", b":W;a"]
)
@MANY
@given(words=WORDS)
def test_options_are_found_alike(
    models: ctypes.CDLL, name: str, letters: bytes, words: list[str]
) -> None:
    ours = options_found(models, PREFIX, name, letters, words)
    assert ours == options_found(HOST, "", name, letters, words)


ROUNDINGS = ["floor", "ceil", "trunc", "round", "rint", "fabs"]


@pytest.mark.parametrize("name", ROUNDINGS)
@MANY
@given(x=st.floats(allow_nan=False))
@example(-0.0)
@example(-0.25)
@example(0.5)
@example(2.5)
@example(2.0**52 + 1)
def test_roundings_are_exact(models: ctypes.CDLL, name: str, x: float) -> None:
    ours, host = getattr(models, PREFIX + name), getattr(MATH, name)
    for kind in (ctypes.c_double, ctypes.c_longdouble):
        if kind is ctypes.c_longdouble:
            ours, host = getattr(models, PREFIX + name + "l"), getattr(MATH, name + "l")
        ours.restype = host.restype = kind
        ours.argtypes = host.argtypes = [kind]
        assert struct.pack("d", ours(x)) == struct.pack("d", host(x))


FLOATS = st.one_of(
    st.from_regex(rb"[ \t]?[-+]?[0-9]{0,20}\.?[0-9]{0,20}([eE][-+]?[0-9]{0,3})?x?", fullmatch=True),
    st.from_regex(rb"[-+]?0[xX][0-9a-f]{0,18}\.?[0-9a-f]{0,6}(p[-+]?[0-9]{0,4})?", fullmatch=True),
    st.sampled_from(
        b"inf -INFINITY nan nan(12) nan( infi 1e 1e+ . .e1 0x 0x. 0x.p1 1e400 1e-400 4.9e-324 "
        b"2.2250738585072011e-308 1.7976931348623159e308 0x1p-1074 0x1p-1075 1e99999999999".split()
    ),
)


@MANY
@given(text=FLOATS)
def test_numbers_with_a_point_are_read_alike(text: bytes) -> None:
    for name, width, kind, code in (
        ("strtod", 64, ctypes.c_double, "d"),
        ("strtof", 32, ctypes.c_float, "f"),
    ):
        host = getattr(HOST, name)
        host.restype = kind
        end = ctypes.c_size_t()
        buffer = ctypes.create_string_buffer(text)
        ctypes.set_errno(0)
        expected = host(buffer, ctypes.byref(end))
        found = number_in(text, width)
        assert found.length == end.value - ctypes.addressof(buffer)
        if not math.isnan(expected):
            assert found.pattern.to_bytes(width // 8, "little") == struct.pack(code, expected)
        assert found.out_of_range == (ctypes.get_errno() == 34)


@MANY
@given(text=FLOATS, off=st.integers(0, 2))
def test_a_symbolic_text_is_read_as_its_bytes(text: bytes, off: int) -> None:
    world = ReferenceContext(off=off)
    start = world.place([*world.symbols("text", text), 0])
    end = world.place([0] * 8)
    found = world.value(world.run("strtod", start, end))
    expected = number_in(text, 64)
    assert found == expected.pattern
    assert world.load(end, 8) == start + expected.length
    assert not world.events


@pytest.mark.parametrize("name", ["wcwidth", "iswprint", "iswalpha", "iswspace", "iswpunct"])
def test_wide_characters_of_the_c_locale(models: ctypes.CDLL, name: str) -> None:
    ours, host = getattr(models, PREFIX + name), getattr(HOST, name)
    values = range(128)
    assert [bool(ours(c)) for c in values] == [bool(host(c)) for c in values]
