"""The cache survives damage, neighbours and its own size."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.cache import Cache, cache_error, key_of, source_digest


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


def test_what_stands_in_another_place_is_missing(cache: Cache) -> None:
    cache.keep({"a": b"one", "b": b"two"})
    os.replace(cache.folder / "a", cache.folder / "b")
    other = Cache("others")
    other.keep({"b": b"three"})
    assert cache.find("b") is None
    os.replace(other.folder / "b", cache.folder / "b")
    assert cache.find("b") is None


@given(data=st.data())
def test_whatever_happens_to_a_file_it_is_as_it_was_kept_or_missing(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        cache = Cache("things")
        kept = data.draw(st.binary(max_size=60))
        cache.keep({"a": kept})
        file = cache.folder / "a"
        content = bytearray(file.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(content)))
            match data.draw(st.sampled_from(["flip", "truncate", "empty", "insert"])):
                case "flip" if at < len(content):
                    content[at] ^= 1 << data.draw(st.integers(0, 7))
                case "truncate":
                    del content[at:]
                case "empty":
                    content.clear()
                case _:
                    content[at:at] = data.draw(st.binary(min_size=1, max_size=3))
        file.write_bytes(content)
        assert cache.find("a") in (kept, None)
        cache.keep({"a": kept})
        assert cache.find("a") == kept


def _is_a_link(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to("elsewhere")


def _is_a_file(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.write_text("")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_is_a_link, "is a symbolic link"),
        (_is_a_file, "is no folder"),
        (lambda folder: folder.chmod(0o777), "can be written by others"),
        pytest.param(
            lambda folder: os.chown(folder, 12345, 0),
            "belongs to another user",
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away"),
        ),
    ],
)
def test_a_folder_that_is_not_ours_alone_is_left_alone_and_that_is_told(
    spoil: Callable[[Path], None], told: str, cache: Cache
) -> None:
    cache.keep({"a": b"content"})
    assert cache_error() == ""
    spoil(cache.folder.parent)
    assert told in cache_error()
    assert cache.find("a") is None
    cache.keep({"b": b"content"})
    assert not (cache.folder / "b").exists()


def test_the_folder_is_for_the_user_alone(cache: Cache) -> None:
    cache.folder.parent.mkdir(mode=0o755)
    cache.keep({"a": b"content"})
    assert [each.stat().st_mode & 0o777 for each in (cache.folder.parent, cache.folder)] == [
        0o700,
        0o700,
    ]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_missing(make: Callable[[Path], None], cache: Cache) -> None:
    cache.keep({"b": b""})
    make(cache.folder / "a")
    assert cache.find("a") is None


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
    (tmp_path / "table.txt").write_text("f: reads 0\n")
    (tmp_path / "note.md").write_text("no source")
    before = source_digest([tmp_path])
    (tmp_path / "note.md").write_text("still none, but longer")
    assert source_digest([tmp_path]) == before
    for name, text in (("a.py", "x = 12\n"), ("table.txt", "f: nothing\n")):
        (tmp_path / name).write_text(text)
        assert source_digest([tmp_path]) != before
        before = source_digest([tmp_path])
