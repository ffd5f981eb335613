"""A list says which tasks there are, and in which order."""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path

import pytest

from csg.errors import UsageError
from fleet.lists import Candidate, read_list
from fleet.tasks import Commits, Files
from symexec.options import FleetOptions
from tests.repositories import Repository


class Contents(dict[str, bytes]):
    """Artefacts in memory."""

    def put(self, content: bytes) -> str:
        name = hashlib.sha256(content).hexdigest()
        self[name] = content
        return name

    def tree(self, source: Commits | Files) -> dict[str, bytes]:
        assert isinstance(source, Files)
        listed = json.loads(self[source.tree])
        return {name: self[held] for name, held in listed.items()}


@pytest.fixture
def contents() -> Contents:
    return Contents()


def listed(folder: Path, text: str, contents: Contents, **asked: object) -> list[Candidate]:
    (folder / "LIST.toml").write_text(text)
    options = FleetOptions(folder / "LIST.toml", **asked)  # type: ignore[arg-type]
    return read_list(options, contents.put)


def pair_of(folder: Path, name: str, size: int = 0) -> str:
    (folder / name).mkdir()
    for side in ("old", "new"):
        (folder / name / f"{side}.c").write_text(f"int f(void) {{ return 1; }}\n{' ' * size}")
    return f'[[pair]]\nold = "{name}/old.c"\nnew = "{name}/new.c"\n'


def test_cheap_pairs_come_first(tmp_path: Path, contents: Contents) -> None:
    text = pair_of(tmp_path, "large", 5000) + pair_of(tmp_path, "small")
    assert [each.label for each in listed(tmp_path, text, contents)] == [
        "small/old.c small/new.c",
        "large/old.c large/new.c",
    ]


def test_options_stand_above_the_pairs_and_in_them(tmp_path: Path, contents: Contents) -> None:
    text = f"""
time = 3
range = ["x=0..9"]
flags = ["-DA=1"]
{pair_of(tmp_path, "a")}
entry = "f"
seed = 4
sym-args = [0, 1, 2]
no-preconditions = true
{pair_of(tmp_path, "b")}
range = ["y=1..2", "z=1..2"]
"""
    a, b = sorted(listed(tmp_path, text, contents), key=lambda each: each.label)
    assert set(a.task.options) == {
        "--range=x=0..9", "--entry=f", "--sym-args", "0", "1", "2", "--no-preconditions",
    }  # fmt: skip
    assert (a.task.time, a.task.seed, a.task.flags) == (3.0, 4, ("-DA=1",))
    assert b.task.options == ("--range=y=1..2", "--range=z=1..2")
    assert not b.task.deterministic


def test_command_line_wins(tmp_path: Path, contents: Contents) -> None:
    text = "time = 3\n" + pair_of(tmp_path, "a")
    (found,) = listed(tmp_path, text, contents, time=7.0, seed=2, deterministic=True)
    assert (found.task.time, found.task.seed, found.task.deterministic) == (7.0, 2, True)


def test_tree_of_a_pair_has_its_headers(tmp_path: Path, contents: Contents) -> None:
    """And nothing that both do not need."""
    text = pair_of(tmp_path, "a") + 'flags = ["-Iinclude"]\n'
    (tmp_path / "include").mkdir()
    (tmp_path / "include/size.h").write_text("enum { SIZE = 4 };\n")
    (tmp_path / "include/other.h").write_text("\n")
    (tmp_path / "a/new.c").write_text('#include "size.h"\nint f(void) { return SIZE; }\n')
    (before,) = listed(tmp_path, text, contents)
    assert sorted(contents.tree(before.task.source)) == ["a/new.c", "a/old.c", "include/size.h"]
    (tmp_path / "include/size.h").write_text("enum { SIZE = 5 };\n")
    (after,) = listed(tmp_path, text, contents)
    assert after.task.id != before.task.id


def test_pair_beside_the_list_keeps_its_names(tmp_path: Path, contents: Contents) -> None:
    pair_of(tmp_path, "a")
    (tmp_path / "lists").mkdir()
    text = '[[pair]]\nold = "../a/old.c"\nnew = "../a/new.c"\n'
    (found,) = listed(tmp_path / "lists", text, contents)
    assert sorted(contents.tree(found.task.source)) == ["a/new.c", "a/old.c"]
    assert isinstance(found.task.source, Files)
    assert (found.task.source.folder, found.task.source.old) == ("lists", "../a/old.c")


def test_history_is_each_commit_against_its_parent(
    repository: Repository, tmp_path: Path, contents: Contents
) -> None:
    for number in (2, 3, 4):
        repository.write("src/words.c", f"int main(void) {{ return {number}; }}\n")
        repository.commit(f"number {number}")
    ids = repository.git("log", "--reverse", "--format=%H").split()
    base = f'[[pair]]\nrepository = "{repository.folder.name}"\n'
    found = listed(tmp_path, f'{base}history = ["{ids[0]}..HEAD"]\n', contents)
    assert {each.task.source for each in found} == {
        Commits(str(repository.folder), old, new) for old, new in itertools.pairwise(ids)
    }
    assert {each.label.partition(" ")[2].partition(" ")[2] for each in found} == {
        "number 2", "number 3", "number 4",
    }  # fmt: skip
    (whole,) = listed(tmp_path, f'{base}revisions = "{ids[0]}..HEAD"\n', contents)
    assert whole.task.source == Commits(str(repository.folder), ids[0], ids[-1])
    assert whole.cost > 0


def test_repository_behind_a_url_is_cloned_once(
    repository: Repository, tmp_path: Path, contents: Contents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    repository.edit("src/words.c", "argc);", "argc + 0);")
    repository.commit("second")
    text = f'[[pair]]\nrepository = "file://{repository.folder}"\nhistory = "HEAD~1..HEAD"\n'
    (first,) = listed(tmp_path, text, contents)
    repository.edit("src/words.c", "argc + 0);", "argc + 1);")
    repository.commit("third")
    assert isinstance(first.task.source, Commits)
    newer = text.replace("HEAD~1..HEAD", f"{first.task.source.new}..origin/main")
    (then,) = listed(tmp_path, newer, contents)
    assert then.label.endswith("third")
    assert (
        len([each for each in (tmp_path / "cache/csgtest/clones").iterdir() if each.is_dir()]) == 1
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("time = 3", "names no pairs"),
        ("[[pair", "is no TOML"),
        ("tme = 3\n[[pair]]", "tme: is no key; near to it: time"),
        ('[[pair]]\nold = "a.c"', "pair 1: names neither a repository nor old and new"),
        ('[[pair]]\nold = "a.c"\nnew = "b.c"', "no such file or folder"),
        ('[[pair]]\nold = 1\nnew = "b.c"', "pair 1: old is a text"),
        ('[[pair]]\nrepository = "nowhere"', "there is no such repository"),
        ('[[pair]]\nrepository = "."\nold = "a.c"', "names a repository, and old or new"),
        ('[[pair]]\nold = "a"\nnew = "b"\nout = "x"', "out: is said on the command line alone"),
        ('[[pair]]\nold = "a"\nnew = "b"\ntime = "x"', "time: 'x' is no time"),
        ('[[pair]]\nold = "a"\nnew = "b"\nbuild = "make"', "name a repository"),
        ('[[pair]]\nold = "a"\nnew = "b"\nflags = ["-fplugin=x.so"]', "command line alone"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, contents: Contents, text: str, reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        listed(tmp_path, text, contents)
    assert reason in str(refused.value)
