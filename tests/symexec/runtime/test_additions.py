"""What POSIX and glibc add to strings, numbers and characters: the host's beside ours."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles.reference.native_models import PREFIX
from tests.command_line import csgtest, write_versions
from tests.nightly import examples

HOST = ctypes.CDLL(None, use_errno=True)
FEW = examples(100)
VERSIONS = st.text(alphabet="a0019.", max_size=6).map(str.encode)
PATHS = st.text(alphabet="//a.", max_size=6).map(str.encode)
State = ctypes.c_ushort * 3


def both(
    models: ctypes.CDLL, name: str, result: type | None = ctypes.c_int
) -> list[ctypes._FuncPointer]:
    functions = [getattr(HOST, name), getattr(models, PREFIX + name)]
    for function in functions:
        function.restype = result
    return functions


@FEW
@given(a=VERSIONS, b=VERSIONS, start=VERSIONS)
def test_versions_are_ordered_alike(models: ctypes.CDLL, a: bytes, b: bytes, start: bytes) -> None:
    host, ours = both(models, "strverscmp")
    for x, y in ((a, b), (start + a, start + b), (a, a)):
        assert (ours(x, y) > 0, ours(x, y) < 0) == (host(x, y) > 0, host(x, y) < 0)


@pytest.mark.parametrize("name", ["basename", "__xpg_basename", "dirname"])
@FEW
@given(path=PATHS)
def test_paths_are_cut_alike(models: ctypes.CDLL, name: str, path: bytes) -> None:
    host, ours = both(models, name, ctypes.c_char_p)
    assert ours(ctypes.create_string_buffer(path)) == host(ctypes.create_string_buffer(path))
    assert ours(ctypes.create_string_buffer(b"//")) == host(ctypes.create_string_buffer(b"//"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("htons", ctypes.c_uint16),
        ("ntohs", ctypes.c_uint16),
        ("htonl", ctypes.c_uint32),
        ("ntohl", ctypes.c_uint32),
    ],
)
@FEW
@given(n=st.integers(0, 2**32 - 1))
def test_bytes_are_put_in_the_network_s_order(
    models: ctypes.CDLL, name: str, kind: type[ctypes.c_uint16] | type[ctypes.c_uint32], n: int
) -> None:
    host, ours = both(models, name, kind)
    assert ours(kind(n)) == host(kind(n))


def test_signals_have_glibc_s_names(models: ctypes.CDLL) -> None:
    for name in ("strsignal", "sigabbrev_np", "sigdescr_np"):
        host, ours = both(models, name, ctypes.c_char_p)
        for number in (*range(-1, 32), 34, 40, 64, 65, 1000):
            assert ours(number) == host(number), (name, number)


def test_errors_are_described_into_a_buffer(models: ctypes.CDLL) -> None:
    host, ours = both(models, "strerror_r", ctypes.c_char_p)
    for number in (0, 2, 41, 200, -1):
        for room in (0, 4, 60):
            buffers = [ctypes.create_string_buffer(64) for _ in range(2)]
            size = ctypes.c_size_t(room)
            assert ours(number, buffers[0], size) == host(number, buffers[1], size)


def test_the_tables_behind_the_macros_are_glibc_s(models: ctypes.CDLL) -> None:
    for name, kind in (
        ("b", ctypes.c_ushort),
        ("tolower", ctypes.c_int),
        ("toupper", ctypes.c_int),
    ):
        pointer = ctypes.POINTER(ctypes.POINTER(kind))
        host, ours = both(models, f"__ctype_{name}_loc", pointer)
        assert [ours()[0][c] for c in range(128)] == [host()[0][c] for c in range(128)]
        assert ours()[0][-1] == host()[0][-1]


@FEW
@given(n=st.integers(-(2**40), 2**40), text=st.text(alphabet="./09AZaz-", max_size=7))
def test_digits_of_base_64(models: ctypes.CDLL, n: int, text: str) -> None:
    host, ours = both(models, "l64a", ctypes.c_char_p)
    assert ours(ctypes.c_long(n)) == host(ctypes.c_long(n))
    host, ours = both(models, "a64l", ctypes.c_long)
    assert ours(text.encode()) == host(text.encode())


@FEW
@given(seed=st.integers(-(2**40), 2**40), words=st.tuples(*[st.integers(0, 65535)] * 7))
def test_48_bits_of_chance_come_in_the_same_order(
    models: ctypes.CDLL, seed: int, words: tuple[int, ...]
) -> None:
    seen = []
    for library, prefix in ((HOST, ""), (models, PREFIX)):
        found: list[object] = []

        def call(
            name: str,
            result: type | None,
            *given_: object,
            library: ctypes.CDLL = library,
            prefix: str = prefix,
        ) -> object:
            function = getattr(library, prefix + name)
            function.restype = result
            return function(*given_)

        call("srand48", None, ctypes.c_long(seed))
        for name in ("lrand48", "mrand48"):
            found += [call(name, ctypes.c_long) for _ in range(3)]
        found.append(call("drand48", ctypes.c_double))
        own = State(*words[:3])
        found += [call("nrand48", ctypes.c_long, own), call("erand48", ctypes.c_double, own)]
        found += [call("jrand48", ctypes.c_long, own), list(own)]
        call("lcong48", None, (ctypes.c_ushort * 7)(*words))
        found.append(call("lrand48", ctypes.c_long))
        call("seed48", ctypes.c_void_p, own)
        found.append(call("mrand48", ctypes.c_long))
        seen.append(found)
    assert seen[0] == seen[1]


@FEW
@given(text=st.text(alphabet="ab,=r", max_size=9))
def test_suboptions_are_found_alike(models: ctypes.CDLL, text: str) -> None:
    tokens = (ctypes.c_char_p * 4)(b"a", b"ab", b"r", None)
    seen = []
    for function in both(models, "getsubopt"):
        buffer = ctypes.create_string_buffer(text.encode())
        option = ctypes.c_void_p(ctypes.addressof(buffer))
        value = ctypes.c_char_p()
        found: list[object] = []
        for _ in range(6):
            found.append(function(ctypes.byref(option), tokens, ctypes.byref(value)))
            found += [value.value, (option.value or 0) - ctypes.addressof(buffer)]
        seen.append((found, buffer.raw))
    assert seen[0] == seen[1]


@FEW
@given(names=st.lists(st.sampled_from(["A", "B", "AB", "A=B", ""]), max_size=6), data=st.data())
def test_variables_are_set_and_unset_alike(
    models: ctypes.CDLL, names: list[str], data: st.DataObject
) -> None:
    steps = [(name, data.draw(st.sampled_from(["set", "keep", "unset"]))) for name in names]
    seen = []
    for library, prefix in ((HOST, ""), (models, PREFIX)):
        found: list[object] = []
        get = getattr(library, prefix + "getenv")
        get.restype = ctypes.c_char_p
        for count, (name, step) in enumerate(steps):
            value = f"{count}".encode()
            if step == "unset":
                found.append(getattr(library, prefix + "unsetenv")(name.encode()))
            else:
                set_ = getattr(library, prefix + "setenv")
                found.append(set_(name.encode(), value, int(step == "set")))
            found += [get(each) for each in (b"A", b"B", b"AB", b"LC")]
        for each in (b"A", b"B", b"AB"):
            getattr(library, prefix + "unsetenv")(each)
        seen.append(found)
    assert seen[0] == seen[1]


@FEW
@given(values=st.lists(st.integers(0, 6), max_size=9), n=st.integers(-(2**62), 2**62))
def test_small_things(models: ctypes.CDLL, values: list[int], n: int) -> None:
    host, ours = both(models, "ffsl")
    assert ours(ctypes.c_long(n)) == host(ctypes.c_long(n))
    buffers = [ctypes.create_string_buffer(bytes(values), 10) for _ in range(2)]
    for function, buffer in zip(both(models, "memfrob", None), buffers, strict=True):
        function(buffer, ctypes.c_size_t(len(values)))
    assert buffers[0].raw == buffers[1].raw
    for answer in (b"y", b"No", b"", b"x"):
        host, ours = both(models, "rpmatch")
        assert ours(answer) == host(answer)


PARTS = [
    "a", "b", "*", "?", "[ab]", "[!a]", "[a-c]", "[[:alpha:]]", "/", ".", "\\*", "[", "]", "A",
    "[/]", "[!/]", "[a/b]", "[[.a.]", "[[=b=]", "[.A.]", "[.", "[=a=]", "-", "!", "\\",
    "[:upper:]", ":",
]  # fmt: skip


@pytest.mark.parametrize("flags", [0, 1, 2, 4, 5, 8, 9, 16, 17, 21, 63])
@FEW
@given(
    pattern=st.lists(st.sampled_from(PARTS), max_size=5).map("".join),
    name=st.text(alphabet="abcA/.*[]\\-", max_size=6),
)
@example(pattern="key=[a-f/]", name="key=b").via("a list with a slash, under FNM_PATHNAME")
@example(pattern="[[.a.]]", name="A").via("a symbol, under FNM_CASEFOLD")
def test_file_names_match_alike(models: ctypes.CDLL, flags: int, pattern: str, name: str) -> None:
    host, ours = both(models, "fnmatch")
    for each in (name, pattern):
        expected = host(pattern.encode(), each.encode(), flags)
        assert ours(pattern.encode(), each.encode(), flags) == expected


def test_what_the_kernel_draws_is_made_up(tmp_path: Path) -> None:
    text = """\
#include <stdlib.h>
#include <sys/random.h>
int f(int x)
{
    unsigned char salt[8];
    arc4random_buf(salt, 4);
    if (getrandom(salt + 4, 4, 0) != 4 || getentropy(salt, 2) || arc4random_uniform(3) > 2)
        return -1;
    return x > 7 + 0 ? salt[0] != salt[0] : 2;
}
"""
    write_versions(tmp_path, text, text.replace("7 + 0", "7 + 1"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "10", folder=tmp_path)
    assert done.code == 1 and "f(8)" in done.out
    assert "approximated: random bytes of the system are made up" in done.out
    assert not done.report["counters"]["mispredicted"]
