"""The scanf family reads as the host's does."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.reference.native_models import PREFIX
from tests.nightly import examples

HOST = ctypes.CDLL(None, use_errno=True)
MANY = examples(400)
ROOM = 512

SIGNED = ["%d", "%i", "%ld", "%hhd", "%li", "%3d", "%*d", "%2i", "%5i", "%jd", "%td", "%lld"]
UNSIGNED = ["%u", "%x", "%o", "%hu", "%lx", "%p", "%1x", "%zu", "%X"]
FLOATS = ["%f", "%lf", "%Lf", "%3f", "%le", "%g", "%a", "%5lf", "%*f", "%F"]
CHARACTERS = ["%c", "%3c", "%s", "%2s", "%*s", "%*c", "%ls", "%lc", "%n", "%%"]
SETS = ["%[abc]", "%[^ ,]", "%2[a-z]", "%[]x]", "%[^]x]", "%[a-]", "%[0-9-]", "%[z-a]"]
DIRECTIVES = st.one_of(
    *map(st.sampled_from, (SIGNED, UNSIGNED, FLOATS, CHARACTERS, SETS)),
)
BETWEEN = st.sampled_from(["", " ", ",", ":", "x", "  ", "-"])
FORMATS = st.lists(st.tuples(DIRECTIVES, BETWEEN), max_size=4).map(
    lambda parts: "".join(a + b for a, b in parts).encode()
)
WORDS = st.sampled_from(
    b"0 1 12 -5 +7 0x1f 0X 0xg 017 09 a abc x, ]x a-b 1.5 .5 -.5e3 1e+2 0x1.8p1 inf nan -Infinity "
    b"infinit 1e 1e+ 1.2.3 99999999999999999999 -9223372036854775809 18446744073709551616 "
    b"4294967296 (nil) (ni 0x1p nano z-a % - + . 0x.8 1e400 \xff1 b\xe9".split()
)
TEXTS = st.lists(
    st.tuples(WORDS, st.sampled_from([b"", b" ", b",", b"\n ", b":", b"\t"])), max_size=4
).map(lambda parts: b"".join(a + b for a, b in parts))


@MANY
@given(text=TEXTS, format_=FORMATS)
def test_sscanf_converts_and_stores_alike(models: ctypes.CDLL, text: bytes, format_: bytes) -> None:
    assert scanned(getattr(models, PREFIX + "sscanf"), text, format_) == scanned(
        HOST.sscanf, text, format_
    )


def scanned(function: ctypes._FuncPointer, text: bytes, format_: bytes) -> list[object]:
    buffers = [ctypes.create_string_buffer(b"\x5a" * ROOM, ROOM) for _ in range(5)]
    count = function(text, format_, *buffers)
    return [count, *(buffer.raw for buffer in buffers)]


@MANY
@given(text=TEXTS, format_=FORMATS)
def test_fscanf_leaves_the_stream_at_the_same_byte(
    models: ctypes.CDLL, tmp_path_factory: pytest.TempPathFactory, text: bytes, format_: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "scanned.txt"
    file.write_bytes(text)
    seen = [
        read_from(file, function, format_)
        for function in (HOST.fscanf, getattr(models, PREFIX + "fscanf"))
    ]
    assert seen[0] == seen[1]


def read_from(file: Path, function: ctypes._FuncPointer, format_: bytes) -> list[object]:
    HOST.fopen.restype = ctypes.c_void_p
    stream = ctypes.c_void_p(HOST.fopen(str(file).encode(), b"r"))
    found = []
    for _ in range(2):
        buffers = [ctypes.create_string_buffer(b"\x5a" * ROOM, ROOM) for _ in range(5)]
        found += [function(stream, format_, *buffers), *(buffer.raw for buffer in buffers)]
    rest = [HOST.fgetc(stream) for _ in range(40)]
    HOST.fclose(stream)
    return [*found, rest]
