"""The cache survives damage, neighbours and its own size."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.cache import Cache, key_of, source_digest


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return Cache("things", 10_000)


def test_what_is_kept_is_found(cache: Cache) -> None:
    assert cache.find("a") is None
    cache.keep({"a": b"one", "b": b""})
    assert (cache.find("a"), cache.find("b")) == (b"one", b"")
    cache.keep({"a": b"two"})
    assert cache.find("a") == b"two"
    assert sorted(os.listdir(cache.folder)) == ["a", "b"]


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: data[:-1], lambda data: data + b"x", lambda data: data[::-1]],
)
def test_what_is_damaged_is_missing(cache: Cache, damage: object) -> None:
    assert callable(damage)
    cache.keep({"a": b"some content"})
    file = cache.folder / "a"
    file.write_bytes(damage(file.read_bytes()))
    assert cache.find("a") is None
    cache.keep({"a": b"again"})
    assert cache.find("a") == b"again"


def test_a_file_that_others_may_write_is_not_trusted(cache: Cache) -> None:
    cache.keep({"a": b"content"})
    (cache.folder / "a").chmod(0o666)
    assert cache.find("a") is None


def test_the_longest_unused_goes_first(cache: Cache) -> None:
    for at in range(9):
        cache.keep({f"k{at}": bytes(1000)})
        os.utime(cache.folder / f"k{at}", (at, at))
    assert cache.find("k0") is not None  # used now
    cache.keep({"last": bytes(1000)})
    assert cache.find("k0") is not None and cache.find("last") is not None
    assert [at for at in range(1, 9) if cache.find(f"k{at}") is None] == [1, 2, 3]
    assert sum(file.stat().st_size for file in cache.folder.iterdir()) <= 10_000


def test_what_a_killed_run_began_is_removed_later(cache: Cache) -> None:
    cache.keep({"a": b"content"})
    old, new = cache.folder / ".begun-old", cache.folder / ".begun-new"
    for file in (old, new):
        file.write_bytes(b"half")
    os.utime(old, (0, 0))
    cache.keep({"b": b"content"})
    assert (old.exists(), new.exists()) == (False, True)


def test_a_folder_that_cannot_be_made_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "csgtest").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache = Cache("things")
    cache.keep({"a": b"content"})
    assert cache.find("a") is None


def _hammer(seed: int) -> int:
    """Write and read the same few keys; what is found must be whole."""
    cache = Cache("things", 40_000)
    for at in range(60):
        key = f"k{(seed + at) % 7}"
        cache.keep({key: key.encode() * 2000})
        found = cache.find(f"k{at % 7}")
        assert found in (None, f"k{at % 7}".encode() * 2000)
    return seed


def test_several_runs_at_a_time(cache: Cache) -> None:
    with ProcessPoolExecutor(4) as pool:
        assert list(pool.map(_hammer, range(4))) == [0, 1, 2, 3]
    assert not [name for name in os.listdir(cache.folder) if name.startswith(".")]


@given(st.lists(st.binary(max_size=3), max_size=4), st.lists(st.binary(max_size=3), max_size=4))
def test_keys_are_equal_for_equal_parts_only(one: list[bytes], other: list[bytes]) -> None:
    assert (key_of(*one) == key_of(*other)) == (one == other)


def test_an_edit_of_our_own_source_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "note.txt").write_text("no source")
    before = source_digest([tmp_path])
    (tmp_path / "note.txt").write_text("still none, but longer")
    assert source_digest([tmp_path]) == before
    (tmp_path / "a.py").write_text("x = 12\n")
    assert source_digest([tmp_path]) != before
