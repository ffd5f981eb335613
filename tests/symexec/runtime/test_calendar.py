"""Dates and their text are those of the host's library where TZ is UTC."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles.reference.native_models import PREFIX, refuses

HOST = ctypes.CDLL(None, use_errno=True)
MANY = settings(max_examples=200, deadline=None)


PARTS = ["sec", "min", "hour", "mday", "mon", "year", "wday", "yday", "isdst"]


class Tm(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int) for name in PARTS),
        ("gmtoff", ctypes.c_long),
        ("zone", ctypes.c_char_p),
    )

    def fields(self) -> list[object]:
        return [getattr(self, name) for name in (*PARTS, "gmtoff", "zone")]


SECONDS = st.one_of(
    st.integers(-(2**36), 2**36),
    st.sampled_from([0, -1, 951782400, 4107542400, 67768036191676799, 67768036191676800, 2**62]),
)
FIELDS = st.one_of(st.integers(-70, 70), st.integers(-5000, 5000))


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    HOST.setenv(b"TZ", b"UTC", 1)
    HOST.tzset()
    yield
    HOST.unsetenv(b"TZ")
    HOST.tzset()


@pytest.mark.parametrize("name", ["gmtime", "localtime"])
@MANY
@given(seconds=SECONDS)
def test_a_time_has_the_same_parts(models: ctypes.CDLL, name: str, seconds: int) -> None:
    """Also where the year is too large: then some parts are written."""
    seen = []
    for function in (getattr(HOST, name + "_r"), getattr(models, PREFIX + name + "_r")):
        function.restype = ctypes.c_void_p
        tm = Tm(*[7] * 9)
        found = function(ctypes.byref(ctypes.c_long(seconds)), ctypes.byref(tm))
        seen.append((bool(found), tm.fields()))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", ["mktime", "timegm"])
@MANY
@given(parts=st.tuples(*[FIELDS] * 6), dst=st.integers(-1, 0))
def test_parts_are_brought_into_range_alike(
    models: ctypes.CDLL, name: str, parts: tuple[int, ...], dst: int
) -> None:
    seen = []
    for function in (getattr(HOST, name), getattr(models, PREFIX + name)):
        function.restype = ctypes.c_long
        tm = Tm(*parts, isdst=dst)
        seen.append((function(ctypes.byref(tm)), tm.fields()))
    assert seen[0] == seen[1]


LETTERS = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%"
DIRECTIVES = st.builds(
    "%{}{}{}{}".format,
    st.sampled_from(["", "", "", "_", "-", "0", "^", "#"]),
    st.sampled_from(["", "", "", "1", "5", "12"]),
    st.sampled_from(["", "", "", "E", "O"]),
    st.sampled_from(list(LETTERS)),
)


def written_by(
    function: ctypes._FuncPointer, form: bytes, tm: Tm, room: int = 190
) -> tuple[int, bytes]:
    function.restype = ctypes.c_size_t
    text = ctypes.create_string_buffer(200)
    n = function(text, ctypes.c_size_t(room), form, ctypes.byref(tm))
    return n, text.value if n else b""


FORMATS = st.lists(st.one_of(DIRECTIVES, st.sampled_from(["x", " ", "%", "%Q"])), max_size=4)


@MANY
@given(seconds=st.integers(-(2**38), 2**38), parts=FORMATS, room=st.sampled_from([90, 90, 9]))
def test_a_time_is_written_alike(
    models: ctypes.CDLL, seconds: int, parts: list[str], room: int
) -> None:
    tm = Tm()
    HOST.gmtime_r(ctypes.byref(ctypes.c_long(seconds)), ctypes.byref(tm))
    form = "".join(parts).encode()
    expected = written_by(HOST.strftime, form, tm, room)
    assert written_by(models[PREFIX + "strftime"], form, tm, room) == expected


MEMBERS = st.one_of(
    st.integers(-9, 400),
    st.integers(-3000, 3000),
    st.sampled_from([-1900, -1901, 2**31 - 1, -(2**31), 2**31 - 1900]),
)
OFFSETS = st.one_of(
    st.integers(-50000, 50000), st.sampled_from([0, 59, -59, 60, -60, 2**31, -(2**31), 2**33 + 5])
)


@MANY
@given(
    members=st.tuples(*[MEMBERS] * 8), dst=st.integers(-2, 3), offset=OFFSETS,
    zone=st.sampled_from([None, b"", b"UTC", b"cet"]), parts=FORMATS,
)  # fmt: skip
@example((0, 0, 0, 1, 0, 100, 6, 0), 0, 3600, None, ["%z"]).via("an offset to the east")
@example((0, 0, 0, 1, 0, 100, 6, 0), 0, 0, None, ["%Z"]).via("no zone")
@example((0, 0, 0, 1, 0, 100, 9, 400), 0, 0, None, ["%U%W%V"]).via("no day of a week")
def test_members_outside_of_their_ranges_are_written_alike(
    models: ctypes.CDLL, members: tuple[int, ...], dst: int, offset: int, zone: bytes | None,
    parts: list[str],
) -> None:  # fmt: skip
    tm = Tm(*members, dst, offset, zone)
    form = "".join(parts).replace("s", "S").encode()  # mktime is tried by itself
    assert written_by(models[PREFIX + "strftime"], form, tm) == written_by(HOST.strftime, form, tm)


@MANY
@given(seconds=st.integers(-(2**38), 2**38))
def test_a_time_has_one_traditional_text(models: ctypes.CDLL, seconds: int) -> None:
    for name in ("ctime", "asctime"):
        seen = []
        for function in (getattr(HOST, name), getattr(models, PREFIX + name)):
            function.restype = ctypes.c_char_p
            tm = Tm()
            HOST.gmtime_r(ctypes.byref(ctypes.c_long(seconds)), ctypes.byref(tm))
            given_ = ctypes.c_long(seconds) if name == "ctime" else tm
            seen.append(function(ctypes.byref(given_)))
        assert seen[0] == seen[1]


READ = [
    *(f"%{letter}" for letter in "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%+"),
    "%Ey", "%EY", "%EC", "%Ec", "%EB", "%OH", "%OC", "%Oy", "%Od",
    "%_d", "%-m", "%0S", "%^a", "%5d", "%5_d", " ", ":", "/", "T",
]  # fmt: skip
TEXT = [
    "Mon", "monday", "SUN", "Feb", "february", "mayo", "1", "07", "12", "31", "53", "60", "99",
    "366", "2021", "1969", "1600000000", "AM", "pm", " ", "  ", ":", "/", "T", "+01:30", "-0930",
    "+1", "Z", "%", "UTC", "Tue Feb  3 14:15:16 2004", "02/29/20", "10:20:30", "2000-02-29",
]  # fmt: skip


def read_by(function: ctypes._FuncPointer, text: bytes, form: bytes) -> list[object]:
    function.restype = ctypes.c_void_p
    tm = Tm(1, 2, 3, 4, 5, 70, 6, 7, -1, gmtoff=9)
    start = ctypes.create_string_buffer(text)
    end = function(start, form, ctypes.byref(tm))
    return [end and end - ctypes.addressof(start), *tm.fields()]


@settings(max_examples=400, deadline=None)
@given(data=st.data(), seconds=st.integers(-(2**35), 2**37))
def test_a_time_is_read_alike(models: ctypes.CDLL, data: st.DataObject, seconds: int) -> None:
    """Of texts that strftime wrote by the format, and of others."""
    form = "".join(data.draw(st.lists(st.sampled_from(READ), max_size=5))).encode()
    tm, buffer = Tm(), ctypes.create_string_buffer(200)
    HOST.gmtime_r(ctypes.byref(ctypes.c_long(seconds)), ctypes.byref(tm))
    HOST.strftime(buffer, ctypes.c_size_t(200), form, ctypes.byref(tm))
    other = "".join(data.draw(st.lists(st.sampled_from(TEXT), max_size=4))).encode()
    for text in (buffer.value, buffer.value[:-1], other, buffer.value + other):
        read_alike(models, text, form)


def read_alike(models: ctypes.CDLL, text: bytes, form: bytes) -> None:
    found = read_by(models[PREFIX + "strptime"], text, form)
    if not refuses(models):
        assert found == read_by(HOST.strptime, text, form)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (b"12:x", b"%R"),  # a composition that fails half-way
        (b"1:02:03 x", b"%r"),
        (b"2021-02", b"%F"),
        (b"2021 366", b"%Y %j"),  # the year has no such day
        (b"2020 366", b"%Y %j"),
        (b"366 5", b"%j %d"),
        (b"2021 1 00", b"%Y %w %U"),
        (b"2020 0 53", b"%Y %w %W"),
        (b"MonTue", b"%a"),
        (b"7\n12", b"%d%m"),
        (b"99999999999999999", b"%s"),
        (b"19 90", b"%C%Oy"),
        (b"1990 Mon", b"%EY %a"),
    ],
)
def test_odd_texts_are_read_alike(models: ctypes.CDLL, text: bytes, form: bytes) -> None:
    read_alike(models, text, form)


@pytest.mark.parametrize("text", [b"70366", b"7", b"7036", b"12345", b" 5", b"a", b"99999"])
def test_a_year_of_an_era_is_read_alike(models: ctypes.CDLL, text: bytes) -> None:
    """glibc reads two numbers where the locale has no eras."""
    read_alike(models, text, b"%Ey")
