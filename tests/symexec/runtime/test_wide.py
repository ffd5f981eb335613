"""Wide characters and their streams: the host's functions beside ours, in the C locale."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.reference.native_models import PREFIX
from tests.nightly import examples

HOST = ctypes.CDLL(None, use_errno=True)
FEW = examples(80)
Wide = ctypes.Array[ctypes.c_wchar]

SMALL = st.text(alphabet="abAB c\u00e9", max_size=7)
ASCII = st.text(alphabet="abAB c", max_size=7)
NUMBERS = st.from_regex(
    r"[ \t]{0,2}[-+]?(0[xX]?)?[0-9a-z]{0,20}\.?[0-9]{0,3}\u00e9?", fullmatch=True
)


LC_CTYPE = 0


@pytest.fixture(autouse=True, scope="module")
def _in_the_c_locale() -> Iterator[None]:
    HOST.setlocale.restype = ctypes.c_char_p
    before = HOST.setlocale(LC_CTYPE, None)
    HOST.setlocale(LC_CTYPE, b"C")
    yield
    HOST.setlocale(LC_CTYPE, before)


def both(models: ctypes.CDLL, name: str, result: type) -> list[ctypes._FuncPointer]:
    functions = [getattr(HOST, name), getattr(models, PREFIX + name)]
    for function in functions:
        function.restype = result
    return functions


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


@pytest.mark.parametrize("name", ["wcscmp", "wcsncmp", "wmemcmp", "wcscasecmp", "wcscoll"])
@FEW
@given(a=SMALL, b=SMALL, n=st.integers(0, 9))
def test_comparisons_have_the_same_sign(
    models: ctypes.CDLL, name: str, a: str, b: str, n: int
) -> None:
    for x, y in ((a, b), (a, a), (b, a + b)):
        most = min(n, len(x), len(y)) if name == "wmemcmp" else n
        bound = (ctypes.c_size_t(most),) if "n" in name or "mem" in name else ()
        host, ours = both(models, name, ctypes.c_int)
        assert sign(ours(x, y, *bound)) == sign(host(x, y, *bound))


@pytest.mark.parametrize("name", ["wcschr", "wcsrchr", "wcschrnul", "wmemchr"])
@FEW
@given(text=SMALL, c=st.sampled_from("abAB c\0z"))
def test_characters_are_found_at_the_same_place(
    models: ctypes.CDLL, name: str, text: str, c: str
) -> None:
    buffer = ctypes.create_unicode_buffer(text)
    bound = (ctypes.c_size_t(len(text)),) if name == "wmemchr" else ()
    host, ours = both(models, name, ctypes.c_size_t)
    assert ours(buffer, ord(c), *bound) == host(buffer, ord(c), *bound)


@pytest.mark.parametrize("name", ["wcsstr", "wcspbrk", "wcsspn", "wcscspn"])
@FEW
@given(text=SMALL, other=SMALL)
def test_texts_are_found_at_the_same_place(
    models: ctypes.CDLL, name: str, text: str, other: str
) -> None:
    buffer = ctypes.create_unicode_buffer(text)
    host, ours = both(models, name, ctypes.c_size_t)
    assert ours(buffer, other[:2]) == host(buffer, other[:2])


COPIES = ["wcscpy", "wcpcpy", "wcscat", "wcsncpy", "wcpncpy", "wcsncat", "wmemcpy", "wmempcpy"]


@pytest.mark.parametrize("name", COPIES)
@FEW
@given(before=ASCII, text=SMALL, n=st.integers(0, 9))
def test_copies_leave_the_same_characters(
    models: ctypes.CDLL, name: str, before: str, text: str, n: int
) -> None:
    seen = []
    most = min(n, len(text)) if "mem" in name else n
    bound = (ctypes.c_size_t(most),) if "n" in name or "mem" in name else ()
    for function in both(models, name, ctypes.c_size_t):
        target = ctypes.create_unicode_buffer(before.replace(" ", "\0", 1), 32)
        result = function(target, text, *bound)
        seen.append((result - ctypes.addressof(target), target[:32]))
    assert seen[0] == seen[1]


@FEW
@given(text=SMALL, separators=SMALL)
def test_words_are_cut_alike(models: ctypes.CDLL, text: str, separators: str) -> None:
    seen = []
    for function in both(models, "wcstok", ctypes.c_wchar_p):
        buffer = ctypes.create_unicode_buffer(text)
        rest = ctypes.c_void_p()
        words = [function(buffer, separators, ctypes.byref(rest))]
        while words[-1] is not None:
            words.append(function(None, separators, ctypes.byref(rest)))
        seen.append(words)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", ["wcstol", "wcstoul", "wcstoimax", "wcstod", "wcstof"])
@FEW
@given(text=NUMBERS, base=st.sampled_from([0, 10, 16, 36, 1]))
def test_numbers_are_read_alike(models: ctypes.CDLL, name: str, text: str, base: int) -> None:
    kinds = {"wcstod": ctypes.c_double, "wcstof": ctypes.c_float}
    buffer, seen = ctypes.create_unicode_buffer(text), []
    for function in both(models, name, kinds.get(name, ctypes.c_int64)):
        end = ctypes.c_size_t(ctypes.addressof(buffer))
        bases = () if name in kinds else (base,)
        seen.append((function(buffer, ctypes.byref(end), *bases), end.value))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", ["mbstowcs", "mbsrtowcs", "mbsnrtowcs"])
@FEW
@given(text=SMALL, room=st.integers(0, 9), most=st.integers(0, 9), nowhere=st.booleans())
def test_bytes_become_characters_alike(
    models: ctypes.CDLL, name: str, text: str, room: int, most: int, nowhere: bool
) -> None:
    data = ctypes.create_string_buffer(text.encode("latin-1"))
    seen = []
    for function in both(models, name, ctypes.c_size_t):
        target = ctypes.create_unicode_buffer(16)
        start = ctypes.c_size_t(ctypes.addressof(data))
        bound = [ctypes.c_size_t(most)] if name == "mbsnrtowcs" else []
        source = data if name == "mbstowcs" else ctypes.byref(start)
        state = [] if name == "mbstowcs" else [None]
        to = None if nowhere else target
        n = function(to, source, *bound, ctypes.c_size_t(room), *state)
        seen.append((n, start.value, target[:16]))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", ["wcstombs", "wcsrtombs", "wcsnrtombs"])
@FEW
@given(text=SMALL, room=st.integers(0, 9), most=st.integers(0, 9), nowhere=st.booleans())
def test_characters_become_bytes_alike(
    models: ctypes.CDLL, name: str, text: str, room: int, most: int, nowhere: bool
) -> None:
    data = ctypes.create_unicode_buffer(text)
    seen = []
    for function in both(models, name, ctypes.c_size_t):
        target = ctypes.create_string_buffer(16)
        start = ctypes.c_size_t(ctypes.addressof(data))
        bound = [ctypes.c_size_t(most)] if name == "wcsnrtombs" else []
        source = data if name == "wcstombs" else ctypes.byref(start)
        state = [] if name == "wcstombs" else [None]
        to = None if nowhere else target
        n = function(to, source, *bound, ctypes.c_size_t(room), *state)
        seen.append((n, start.value, target.raw))
    assert seen[0] == seen[1]


CLASSES = ("alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
           "upper", "xdigit")  # fmt: skip


@pytest.mark.parametrize("name", [f"is{wide}{each}" for each in CLASSES for wide in ("", "w")])
def test_predicates_give_the_same_number(models: ctypes.CDLL, name: str) -> None:
    """A bit of a table, or 1: programs print it, and take it for an index."""
    ours, host = getattr(models, PREFIX + name), getattr(HOST, name)
    assert [ours(c) for c in range(128)] == [host(c) for c in range(128)]


def test_classes_have_names(models: ctypes.CDLL) -> None:
    for class_ in (b"alpha", b"digit", b"punct", b"xdigit", b"blank", b"no"):
        seen = []
        for library, prefix in ((HOST, ""), (models, PREFIX)):
            kind, test = getattr(library, prefix + "wctype"), getattr(library, prefix + "iswctype")
            kind.restype = ctypes.c_ulong
            known = ctypes.c_ulong(kind(class_))
            seen.append([test(c, known) for c in range(128)])
        assert seen[0] == seen[1]
    for mapping in (b"tolower", b"toupper"):
        seen_ = []
        for library, prefix in ((HOST, ""), (models, PREFIX)):
            find, turn = (
                getattr(library, prefix + "wctrans"),
                getattr(library, prefix + "towctrans"),
            )
            find.restype = ctypes.c_void_p
            seen_.append([turn(c, ctypes.c_void_p(find(mapping))) for c in range(128)])
        assert seen_[0] == seen_[1]


# ---------------------------------------------------------------------- streams


@FEW
@given(text=ASCII, number=st.integers(-99, 99), room=st.integers(1, 20))
def test_text_is_formatted_alike(models: ctypes.CDLL, text: str, number: int, room: int) -> None:
    for format_ in ("%d|%ls|%c", "%3d%5.2ls %%%x"):
        seen = []
        for function in both(models, "swprintf", ctypes.c_int):
            target = ctypes.create_unicode_buffer(64)
            n = function(target, ctypes.c_size_t(room), format_, number, text, 65)
            seen.append((n, target.value if n >= 0 else ""))
        assert seen[0] == seen[1]


@FEW
@given(text=st.from_regex(r"[0-9a ]{0,8}", fullmatch=True))
def test_text_is_scanned_alike(models: ctypes.CDLL, text: str) -> None:
    for format_ in ("%d%ls", "%2d %lc%n", "%*d%l[a ]%x"):
        seen = []
        for function in both(models, "swscanf", ctypes.c_int):
            first, second = ctypes.c_int(-1), ctypes.create_unicode_buffer(40)
            pointers = [ctypes.byref(first), second, ctypes.create_string_buffer(9)]
            if "*" in format_:
                pointers = [second, *pointers]
            seen.append((function(text, format_, *pointers), first.value, second[:9]))
        assert seen[0] == seen[1]


@FEW
@given(data=st.binary(max_size=12).map(lambda data: data.replace(b"\0", b"\n")))
def test_lines_are_read_and_written_alike(
    models: ctypes.CDLL, tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    HOST.fopen.restype = ctypes.c_void_p
    source, target = (tmp_path_factory.getbasetemp() / name for name in ("read", "written"))
    source.write_bytes(data)
    seen = [
        copied(library, prefix, source, target)
        for library, prefix in ((HOST, ""), (models, PREFIX))
    ]
    assert seen[0] == seen[1]


def copied(library: ctypes.CDLL, prefix: str, source: Path, target: Path) -> list[object]:
    read, write = getattr(library, prefix + "fgetws"), getattr(library, prefix + "fputws")
    read.restype = ctypes.c_wchar_p
    input_ = ctypes.c_void_p(HOST.fopen(str(source).encode(), b"r"))
    output = ctypes.c_void_p(HOST.fopen(str(target).encode(), b"w"))
    found: list[object] = []
    line = ctypes.create_unicode_buffer(8)
    while read(line, 5, input_) is not None and len(found) < 40:
        found += [line.value, write(line.value, output)]
    HOST.fclose(input_)
    HOST.fclose(output)
    return [*found, target.read_bytes()]
