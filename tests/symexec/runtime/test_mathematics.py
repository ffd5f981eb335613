"""Functions of numbers with a point: ours in C beside the host's, bit by bit, errno included; and
the host's as a model in Python calls them, beside the same calls compiled."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles.reference.context import ReferenceContext
from oracles.reference.native_models import PREFIX, shared_library
from symexec.expr import Term
from tests.nightly import daily, examples

MATH = ctypes.CDLL("libm.so.6", use_errno=True)
FEW = examples(60)
SIZES = {"": 8, "f": 4, "l": 10}
QUIET = {"": 51, "f": 22, "l": 62}  # the bit that tells a quiet NaN from a signalling one
ERRNO = PREFIX + "__csgtest_errno"


class Float(ctypes.c_float):
    """As bytes, not as a number of Python's."""


class Double(ctypes.c_double):
    pass


class LongDouble(ctypes.c_longdouble):
    pass


KINDS: dict[str, type[Number]] = {"": Double, "f": Float, "l": LongDouble}
Number = Float | Double | LongDouble

# The letters of a shape: x a number, L a long double, i an int, l a long; I and X pointers to
# what is written; the result is behind the colon.
SHAPES = {
    "x:x": "floor ceil trunc round rint nearbyint fabs logb",
    "xx:x": "copysign fmin fmax fdim nextafter",
    "xL:x": "nexttoward",
    "xi:x": "ldexp scalbn",
    "xl:x": "scalbln",
    "xI:x": "frexp",
    "xX:x": "modf",
    "x:i": "ilogb",
    "x:l": "lround lrint llround llrint",
}
FUNCTIONS = [
    (name, suffix, shape)
    for shape, names in SHAPES.items()
    for name in names.split()
    for suffix in SIZES
]


def number(exponent: int, mantissa: int, negative: bool) -> bytes:
    """A long double as its bytes, canonical; the other widths are made of it."""
    leading = 1 << 63 if exponent else 0
    if exponent == 32767 and mantissa >> 1 & ~leading:
        leading |= 1 << 62  # a quiet NaN
    head = exponent | negative << 15
    return (mantissa >> 1 | leading).to_bytes(8, "little") + head.to_bytes(2, "little")


NUMBERS = st.one_of(
    st.builds(
        number,
        st.one_of(
            st.integers(16383 - 60, 16383 + 70),
            st.sampled_from([0, 1, 2, 32766, 32767, 16383 - 1075, 16383 - 1022, 16383 + 1023]),
            st.sampled_from([16383 - 149, 16383 - 126, 16383 + 127, 16383 + 128]),
        ),
        st.one_of(
            st.sampled_from([0, (1 << 64) - 1, 1 << 63, 1 << 62, 2, 1 << 11 | 1 << 12]),
            st.integers(0, (1 << 64) - 1),
        ),
        st.booleans(),
    )
)


def of_kind(data: bytes, suffix: str) -> Number:
    """The number with the width of a suffix, or zero when it has none there."""
    long_double = LongDouble.from_buffer_copy(data.ljust(16, b"\0"))
    if suffix == "l":
        return long_double
    kind = KINDS[suffix]
    return kind.from_buffer_copy(kind(long_double.value))


def shown(value: object, suffix: str) -> object:
    if not isinstance(value, Number):
        return getattr(value, "value", value)
    data = bytes(value)[: SIZES[suffix]]
    if not math.isnan(value.value):
        return data
    quiet = int.from_bytes(data, "little") >> QUIET[suffix] & 1
    return "a quiet NaN" if quiet else "a signalling NaN"


def outcome(
    library: ctypes.CDLL, prefix: str, function: tuple[str, str, str], given_: list[object]
) -> list[object]:
    """Result, what was written, errno."""
    name, suffix, shape = function
    called = getattr(library, prefix + name + suffix)
    results = {"x": KINDS[suffix], "i": ctypes.c_int, "l": ctypes.c_long}
    called.restype = results[shape[-1]]
    target = ctypes.c_int(-1) if "I" in shape else KINDS[suffix]()
    pointer = [ctypes.byref(target)] if "I" in shape or "X" in shape else []
    errno = ctypes.c_int.in_dll(library, ERRNO) if prefix else None
    ctypes.set_errno(0)
    if errno is not None:
        errno.value = 0
    result = called(*given_, *pointer)
    problem = ctypes.get_errno() if errno is None else errno.value
    return [shown(result, suffix), shown(target, suffix), problem]


@pytest.mark.parametrize(
    "function", FUNCTIONS, ids=[name + suffix for name, suffix, _ in FUNCTIONS]
)
@FEW
@given(x=NUMBERS, y=NUMBERS, n=st.one_of(st.integers(-80, 80), st.integers(-40000, 40000)))
@example(number(0, 0, True), number(0, 0, False), 0)
@example(number(16383 + 52, 3, True), number(32767, 1 << 63, False), -1074)
def test_ours_are_the_host_s(
    models: ctypes.CDLL, function: tuple[str, str, str], x: bytes, y: bytes, n: int
) -> None:
    _, suffix, shape = function
    first = of_kind(x, suffix)
    if shape.endswith(":l") and not abs(first.value) < 2**62:
        return  # no integer has this value (C17 7.12.9.5p2)
    second = of_kind(y, "l" if "L" in shape else suffix)
    for other in (second, of_kind(x, "l" if "L" in shape else suffix)):
        given_: list[object] = [first]
        if "xx" in shape or "L" in shape:
            given_.append(other)
        elif shape[1] in "il":
            given_.append((ctypes.c_int if shape[1] == "i" else ctypes.c_long)(n))
        ours = outcome(models, PREFIX, function, given_)
        assert ours == outcome(MATH, "", function, given_)


# Exponents of long doubles at which one of the widths begins, ends, or loses bits.
LIMITS = (0, 1, 2, 64, 16383 - 1075, 16383 - 1022, 16383 - 150, 16383 - 126, 16383, 32766, 32767)
HALVES = (0, 2, 1 << 63, 1 << 62, 1 << 12, 3 << 12, (1 << 64) - 2)  # with the hidden bit: 1, 1.5 ..
EDGES = [number(e, m, sign) for e in LIMITS for m in HALVES for sign in (False, True)]


@pytest.mark.parametrize("step", daily((5, 1), 1))
@pytest.mark.parametrize(
    "function",
    [each for each in FUNCTIONS if each[2] in ("xi:x", "xl:x", "xI:x", "xX:x", "xx:x", "xL:x")],
    ids=lambda function: "".join(function[:2]),
)
def test_ours_are_the_host_s_at_each_limit(
    models: ctypes.CDLL, function: tuple[str, str, str], step: int
) -> None:
    """Subnormal numbers, infinities, no numbers and zeros of both signs, and each exponent that
    takes a number across the least and the greatest one. Each time every fifth number, in which
    each exponent, mantissa and sign occurs."""
    _, suffix, shape = function
    across = {limit - e + near for e in LIMITS for limit in LIMITS for near in (-1, 0, 1)}
    across |= {e - 64 - limit for e in LIMITS for limit in LIMITS} | {-(2**31), 2**31 - 1}
    for x in EDGES[::step]:
        rest: list[list[object]] = [[]]
        if shape[1] in "il":
            rest = [[(ctypes.c_int if shape[1] == "i" else ctypes.c_long)(n)] for n in across]
        elif "xx" in shape or "L" in shape:
            rest = [[of_kind(y, "l" if "L" in shape else suffix)] for y in EDGES]
        for others in rest:
            given_ = [of_kind(x, suffix), *others]
            ours = outcome(models, PREFIX, function, given_)
            assert ours == outcome(MATH, "", function, given_), (x.hex(), others)


# Each class of numbers: zero, the least, one and a half, infinity, a quiet NaN, signalling NaNs.
CLASSES = {
    "": (0, 1, 0x3FF8 << 48, 0x7FF0 << 48, 0x7FF8 << 48 | 5, 0x7FF4 << 48, 0x7FF0 << 48 | 1),
    "f": (0, 1, 0x3FC00000, 0x7F800000, 0x7FC00005, 0x7FA00000, 0x7F800001),
    "l": (
        *(0, 1, 0x3FFF << 64 | 3 << 62, 0x7FFF << 64 | 2 << 62, 0x7FFF << 64 | 3 << 62 | 5),
        *(0x7FFF << 64 | 5 << 61, 0x7FFF << 64 | 2 << 62 | 1),
    ),
}


def of_each_class(suffix: str) -> list[Number]:
    signs = 0, 1 << (8 * SIZES[suffix] - 1)
    return [of_bits(sign | bits, suffix) for sign in signs for bits in CLASSES[suffix]]


@pytest.mark.parametrize(
    "function", FUNCTIONS, ids=[name + suffix for name, suffix, _ in FUNCTIONS]
)
def test_ours_are_the_host_s_for_each_class_of_numbers(
    models: ctypes.CDLL, function: tuple[str, str, str]
) -> None:
    """Signalling NaNs among them, of which fmin and fmax make NaNs; a NaN has to stay quiet or
    signalling, which the next function may tell apart."""
    _, suffix, shape = function
    rest: list[object] = []
    if shape[1] in "il":
        rest = [(ctypes.c_int if shape[1] == "i" else ctypes.c_long)(n) for n in (0, 1, -2, 20000)]
    elif "xx" in shape or "L" in shape:
        rest = [*of_each_class("l" if "L" in shape else suffix)]
    for x in of_each_class(suffix):
        if shape.endswith(":l") and not abs(x.value) < 2**62:
            continue
        for given_ in [[x, each] for each in rest] or [[x]]:
            ours = outcome(models, PREFIX, function, given_)
            assert ours == outcome(MATH, "", function, given_), [bytes(x).hex(), given_[1:]]


@pytest.mark.parametrize("suffix", list(SIZES))
@FEW
@given(x=NUMBERS)
def test_kinds_of_numbers_are_told_apart(models: ctypes.CDLL, suffix: str, x: bytes) -> None:
    for name in ("__fpclassify", "__isnan", "__isinf", "__finite", "__signbit"):
        ours, host = getattr(models, PREFIX + name + suffix), getattr(MATH, name + suffix)
        value = of_kind(x, suffix)
        if name in ("__isinf", "__fpclassify"):
            assert ours(value) == host(value)
        else:
            assert bool(ours(value)) == bool(host(value))
    for pattern in (0x7FA00000, 0xFFC00001, 0x7F800000):  # a signalling NaN, a quiet one, infinity
        single = Float.from_buffer_copy(pattern.to_bytes(4, "little"))
        assert bool(models.csgtest___issignalingf(single)) == bool(MATH.__issignalingf(single))


@pytest.mark.parametrize("suffix", list(SIZES))
@pytest.mark.parametrize(
    "tag", ["", "0x1f", "071", "12", "0_1f", "08", "0x", "-1", "8 ", "_", "0x" + 20 * "f"]
)
def test_a_tag_is_the_payload_of_a_nan(models: ctypes.CDLL, suffix: str, tag: str) -> None:
    found = []
    for function in (getattr(models, f"{PREFIX}nan{suffix}"), getattr(MATH, f"nan{suffix}")):
        function.restype = KINDS[suffix]
        found.append(bytes(function(tag.encode()))[: SIZES[suffix]])
    assert found[0] == found[1]


# ---------------------------------------------------------------------- the host's


CALLS = """
#include <errno.h>
#include <math.h>
#define PARAMETERS(kind) (const kind *x, const kind *y, kind *to)
#define CALL(kind, name) int at_##name PARAMETERS(kind) \\
    { (void) y; errno = 0; *to = name(*x); return errno; }
#define CALL_TWO(kind, name) int at_##name PARAMETERS(kind) \\
    { errno = 0; *to = name(*x, *y); return errno; }
"""
ONE, TWO = ["sin", "exp", "log", "tgamma", "sqrt", "lgamma"], ["pow", "fmod", "remainder"]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    kinds = {"": "double", "f": "float", "l": "long double"}
    text = CALLS
    for suffix, kind in kinds.items():
        text += "".join(f"CALL({kind}, {name}{suffix})\n" for name in ONE)
        text += "".join(f"CALL_TWO({kind}, {name}{suffix})\n" for name in TWO)
    folder: Path = tmp_path_factory.mktemp("calls")
    return shared_library(text, folder, ["-lm"])


@pytest.mark.parametrize("name", ONE + TWO)
@FEW
@given(x=NUMBERS, y=NUMBERS)
def test_the_host_s_are_called_as_compiled(
    compiled: ctypes.CDLL, name: str, x: bytes, y: bytes
) -> None:
    for suffix, size in SIZES.items():
        first, second, result = of_kind(x, suffix), of_kind(y, suffix), KINDS[suffix]()
        problem = getattr(compiled, f"at_{name}{suffix}")(
            ctypes.byref(first), ctypes.byref(second), ctypes.byref(result)
        )
        world = ReferenceContext()
        arguments = [
            int.from_bytes(bytes(each)[:size], "little")
            for each in (first, second)[: 1 + (name in TWO)]
        ]
        pattern = world.value(world.run(name + suffix, *arguments))
        found = of_bits(pattern, suffix)
        assert shown(found, suffix) == shown(result, suffix)
        address = world.globals.get("__csgtest_errno")
        assert (world.value(world.load(address, 4)) if address else 0) == problem


def of_bits(pattern: int, suffix: str) -> Number:
    kind = KINDS[suffix]
    return kind.from_buffer_copy(pattern.to_bytes(ctypes.sizeof(kind), "little"))


def test_a_symbolic_argument_is_pinned_and_told() -> None:
    world = ReferenceContext()
    x = world.table.symbol("x", 64)
    world.assignment[x] = 0
    assert world.run("cos", x) == 0x3FF0000000000000
    assert world.events == [("concretised", "an argument of cos")]


def test_a_root_stays_a_term_and_errno_depends_on_it() -> None:
    world = ReferenceContext()
    x = world.table.symbol("x", 64)
    assert isinstance(world.run("sqrt", x), Term)
    errno = world.load(world.globals["__csgtest_errno"], 4)
    for bits, expected in ((0x4010000000000000, 0), (0xC010000000000000, 33)):
        world.assignment[x] = bits
        assert world.value(errno) == expected
    assert world.events == []
