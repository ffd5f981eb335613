"""The models written in C do what the host's C library does."""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.reference.native_models import PREFIX
from tests.command_line import csgtest, write_versions
from tests.nightly import examples

HOST = ctypes.CDLL(None, use_errno=True)
MANY = examples(150)

TEXT = st.binary(max_size=9).map(lambda data: data.replace(b"\0", b"\x80"))
SMALL = st.text(alphabet="abAB c", max_size=7).map(str.encode)
NUMBERS = st.one_of(
    st.from_regex(rb"[ \t\n]{0,2}[-+]?(0[xX]?)?[0-9a-zA-Z]{0,22}", fullmatch=True),
    st.sampled_from(
        b"9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 "
        b"18446744073709551615 18446744073709551616 0x 0xg -0x1f 08 - + 0x7fffffffffffffff".split()
    ),
    st.sampled_from([b"", b"+ 1", b"1" * 70]),
)


class Pair:
    """The same function twice: the host's and ours."""

    def __init__(self, models: ctypes.CDLL, name: str, result: type | None = ctypes.c_int) -> None:
        self.host = getattr(HOST, name)
        self.ours = getattr(models, PREFIX + name)
        self.host.restype = self.ours.restype = result


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


CHARACTERS = [
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "ispunct",
    "isprint",
    "iscntrl",
    "isxdigit",
    "isgraph",
    "isblank",
    "tolower",
    "toupper",
    "isascii",
    "toascii",
]


@pytest.mark.parametrize("name", CHARACTERS)
def test_characters_are_classified_with_glibc_s_bits(models: ctypes.CDLL, name: str) -> None:
    pair = Pair(models, name)
    values = range(-128, 256)
    assert [pair.ours(value) for value in values] == [pair.host(value) for value in values]


@MANY
@given(a=st.one_of(TEXT, SMALL), b=st.one_of(TEXT, SMALL))
def test_strcoll_has_the_same_sign(models: ctypes.CDLL, a: bytes, b: bytes) -> None:
    pair = Pair(models, "strcoll")
    for x, y in ((a, b), (a, a), (b, a + b"z")):
        assert sign(pair.ours(x, y)) == sign(pair.host(x, y))


SEARCHES = ["strchr", "strrchr", "strchrnul"]
SETS = ["strstr", "strpbrk", "strcasestr"]
SPANS = ["strspn", "strcspn"]


@pytest.mark.parametrize("name", SEARCHES + SETS + SPANS)
@MANY
@given(text=SMALL, other=SMALL, c=st.sampled_from(b"abAB c\0z"))
def test_searches_find_the_same_place(
    models: ctypes.CDLL, name: str, text: bytes, other: bytes, c: int
) -> None:
    pair = Pair(models, name, ctypes.c_size_t)
    buffer = ctypes.create_string_buffer(text)
    wanted = c if name in SEARCHES else other[:3]
    assert pair.ours(buffer, wanted) == pair.host(buffer, wanted)


@pytest.mark.parametrize("name", ["memchr", "memrchr", "rawmemchr"])
@MANY
@given(data=st.binary(min_size=1, max_size=9), c=st.integers(0, 255))
def test_memory_searches_find_the_same_place(
    models: ctypes.CDLL, name: str, data: bytes, c: int
) -> None:
    pair = Pair(models, name, ctypes.c_size_t)
    buffer = ctypes.create_string_buffer(data, len(data))
    if name == "rawmemchr":
        c = data[-1]
    size = ctypes.c_size_t(len(data))
    assert pair.ours(buffer, c, size) == pair.host(buffer, c, size)


@MANY
@given(data=SMALL, wanted=SMALL)
def test_memmem_finds_the_same_place(models: ctypes.CDLL, data: bytes, wanted: bytes) -> None:
    pair = Pair(models, "memmem", ctypes.c_size_t)
    buffer = ctypes.create_string_buffer(data)
    sizes = ctypes.c_size_t(len(data)), ctypes.c_size_t(len(wanted[:2]))
    arguments = buffer, sizes[0], wanted[:2], sizes[1]
    assert pair.ours(*arguments) == pair.host(*arguments)


COPIES = ["strcpy", "stpcpy", "strcat"]
BOUNDED_COPIES = ["strncpy", "stpncpy", "strncat", "strxfrm"]


@pytest.mark.parametrize("name", [*COPIES, *BOUNDED_COPIES, "memccpy"])
@MANY
@given(before=SMALL, text=SMALL, n=st.integers(0, 9))
def test_copies_leave_the_same_bytes(
    models: ctypes.CDLL, name: str, before: bytes, text: bytes, n: int
) -> None:
    pair = Pair(models, name, ctypes.c_size_t)
    seen = []
    for function in (pair.host, pair.ours):
        target = ctypes.create_string_buffer(before.ljust(32, b"\0").replace(b" ", b"\0", 1), 32)
        size = ctypes.c_size_t(n)
        match name:
            case "memccpy":
                result = function(target, text, ord("b"), ctypes.c_size_t(min(n, len(text))))
            case _ if name in COPIES:
                result = function(target, text)
            case _:
                result = function(target, text, size)
        start = ctypes.addressof(target)
        place = result - start if start <= result < start + 33 else result
        contents = target.raw
        if name == "strxfrm" and result >= n:  # then the contents are indeterminate
            contents = b""
        seen.append((place, contents))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", ["strtok", "strsep"])
@MANY
@given(text=SMALL, separators=SMALL)
def test_words_are_cut_alike(
    models: ctypes.CDLL, name: str, text: bytes, separators: bytes
) -> None:
    pair = Pair(models, name, ctypes.c_char_p)
    assert cut(pair.ours, name, text, separators) == cut(pair.host, name, text, separators)


def cut(function: ctypes._FuncPointer, name: str, text: bytes, separators: bytes) -> list[bytes]:
    buffer = ctypes.create_string_buffer(text)
    rest = ctypes.c_void_p(ctypes.addressof(buffer))
    found: list[bytes] = []
    first: object = buffer
    while True:
        word = function(first if name == "strtok" else ctypes.byref(rest), separators)
        first = None
        if word is None:
            return found
        found.append(word)


@pytest.mark.parametrize("name", ["strtol", "strtoul", "strtoll", "strtoull", "strtoimax"])
@MANY
@given(text=NUMBERS, base=st.sampled_from([0, 0, 10, 16, 8, 2, 36, 7, 1, 37]))
def test_numbers_are_read_alike(models: ctypes.CDLL, name: str, text: bytes, base: int) -> None:
    pair = Pair(models, name, ctypes.c_int64)
    ours_errno = ctypes.c_int.in_dll(models, PREFIX + "__csgtest_errno")
    buffer = ctypes.create_string_buffer(text)
    end_ours, end_host = ctypes.c_size_t(7), ctypes.c_size_t(7)
    ours_errno.value = 0
    ctypes.set_errno(0)
    expected = pair.host(buffer, ctypes.byref(end_host), base)
    assert pair.ours(buffer, ctypes.byref(end_ours), base) == expected
    assert end_ours.value == end_host.value
    number = ours_errno.value
    if end_host.value != ctypes.addressof(buffer):  # glibc may set EINVAL when there is no number
        assert number == ctypes.get_errno()


@MANY
@given(text=NUMBERS)
def test_atoi_reads_alike(models: ctypes.CDLL, text: bytes) -> None:
    for name, result in (("atoi", ctypes.c_int), ("atol", ctypes.c_long)):
        pair = Pair(models, name, result)
        assert pair.ours(text) == pair.host(text)


@MANY
@given(n=st.integers(-(2**31), 2**31 - 1))
def test_absolute_values(models: ctypes.CDLL, n: int) -> None:
    assert Pair(models, "abs").ours(n) == Pair(models, "abs").host(n)
    wide = Pair(models, "labs", ctypes.c_long)
    assert wide.ours(ctypes.c_long(n * 2**31)) == wide.host(ctypes.c_long(n * 2**31))
    assert Pair(models, "ffs").ours(n) == Pair(models, "ffs").host(n)


@pytest.mark.parametrize("seed", [0, 1, 42, 0xFFFFFFFF])
def test_rand_is_glibc_s_sequence(models: ctypes.CDLL, seed: int) -> None:
    drawn = []
    for pair_function in ("host", "ours"):
        getattr(Pair(models, "srand", None), pair_function)(ctypes.c_uint(seed))
        rand = getattr(Pair(models, "rand"), pair_function)
        drawn.append([rand() for _ in range(100)])
    assert drawn[0] == drawn[1]


def test_rand_r_is_glibc_s_sequence(models: ctypes.CDLL) -> None:
    pair = Pair(models, "rand_r")
    a, b = ctypes.c_uint(7), ctypes.c_uint(7)
    ours = [pair.ours(ctypes.byref(a)) for _ in range(50)]
    assert ours == [pair.host(ctypes.byref(b)) for _ in range(50)]


Items = Sequence[int]  # a pointer, as ctypes hands it out

COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))


@MANY
@given(st.lists(st.integers(-9, 9), max_size=12))
def test_qsort_is_stable_and_compares_in_glibc_s_order(
    models: ctypes.CDLL, values: list[int]
) -> None:
    pair = Pair(models, "qsort", None)
    data = struct.pack(f"{len(values)}i", *values)
    seen = []
    for function in (pair.host, pair.ours):
        calls: list[tuple[int, int]] = []

        def compare(a: Items, b: Items, calls: list[tuple[int, int]] = calls) -> int:
            calls.append((a[0], b[0]))
            return int(a[0] // 3 - b[0] // 3)

        buffer = ctypes.create_string_buffer(data, len(data) or 1)
        function(buffer, ctypes.c_size_t(len(values)), ctypes.c_size_t(4), COMPARE(compare))
        seen.append((buffer.raw, calls))
    assert seen[0] == seen[1]


@MANY
@given(values=st.lists(st.integers(-9, 9), max_size=9).map(sorted), key=st.integers(-10, 10))
def test_bsearch_finds_the_same_element(models: ctypes.CDLL, values: list[int], key: int) -> None:
    pair = Pair(models, "bsearch", ctypes.c_size_t)
    buffer = ctypes.create_string_buffer(struct.pack(f"{len(values)}i", *values), 40)
    compare = COMPARE(lambda a, b: a[0] - b[0])
    arguments = (ctypes.byref(ctypes.c_int(key)), buffer, ctypes.c_size_t(len(values)))
    size = ctypes.c_size_t(4)
    assert pair.ours(*arguments, size, compare) == pair.host(*arguments, size, compare)


def test_messages_are_glibc_s(models: ctypes.CDLL) -> None:
    pair = Pair(models, "strerror", ctypes.c_char_p)
    for number in itertools.chain(range(135), (-1, 4000)):
        assert pair.ours(number) == pair.host(number)


def test_the_locale_is_c(models: ctypes.CDLL) -> None:
    pair = Pair(models, "setlocale", ctypes.c_char_p)
    for name in (None, b"C", b"POSIX", b"no_SUCH", b"POSI", b"POSIXX"):
        assert pair.ours(4, name) == pair.host(4, name)
    assert Pair(models, "gettext", ctypes.c_char_p).ours(b"text") == b"text"
    plural = Pair(models, "ngettext", ctypes.c_char_p).ours
    assert [plural(b"file", b"files", n) for n in (0, 1, 2)] == [b"files", b"file", b"files"]


def test_what_is_no_character_is_told_and_no_error_of_csgtest(tmp_path: Path) -> None:
    """glibc reads behind its table of classes there, so that the branches behind it are chance."""
    old = """#include <ctype.h>
int f(int c)
{
    int n = 0;
    for (int i = 250; i < 256; i++)
        if (isalnum(i))
            n++;
    return isdigit((unsigned char) c) ? n : n + 1;
}
"""
    write_versions(tmp_path, old, old.replace("256", "320"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "10", folder=tmp_path)
    counters = done.report["counters"]
    assert counters["branch_mismatches"] == counters["mispredicted"] == 0
    (note,) = [each for each in done.report["notes"] if "no character" in each]
    assert note.startswith("new.c:6:9: approximated: the class of a value that is no character")
