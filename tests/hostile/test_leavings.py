"""What the build of a stranger leaves in its folders ends, waits for nobody, and leads nowhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from csg.errors import CsgtestError
from symexec.projects.building import PLACE, Enclosure
from symexec.projects.leavings import clear_tree, content_in
from symexec.projects.programs import build_version
from tests.nightly import every

RECORD = "/tmp/calls/0000000001.000000001-1"
SPOILT = {
    "pipe": f"mkfifo {RECORD}",
    "endless device": f"ln -s /dev/zero {RECORD}",
    "holes": f"truncate -s 3G {RECORD}",
    "folder": f"mkdir {RECORD}",
    "empty": f": > {RECORD}",
    "cut off": f"printf '/tmp/src\\0cc\\0-c' > {RECORD}",
    "no words": f"printf '/tmp/src\\0' > {RECORD}",
    "no folder": f"printf 'src\\0cc\\0' > {RECORD}",
    "link to a record": f"printf '/\\0cc\\0' > /tmp/x; ln -s /tmp/x {RECORD}",
    "unreadable": f"mkdir -m 0 {RECORD}",
    "another name": "printf '/\\0cc\\0' > /tmp/calls/zz",
    "name that is no text": "printf '/\\0cc\\0' > /tmp/calls/`printf '\\377'`",
    "folder that is a link": "rm -r /tmp/calls; ln -s /usr /tmp/calls",
    "folder that is a pipe": "rm -r /tmp/calls; mkfifo /tmp/calls",
    "no folder at all": "rm -r /tmp/calls",
    "tree that is away": "mv /tmp/src /tmp/other",
    "tree that is a link": "mv /tmp/src /tmp/other; ln -s /usr /tmp/src",
    "tree that is a pipe": "mv /tmp/src /tmp/other; mkfifo /tmp/src",
}


@pytest.mark.parametrize("script", every(2, SPOILT.values()), ids=[*SPOILT])
def test_spoilt_records_are_refused(script: str, tmp_path: Path) -> None:
    with Enclosure() as enclosure:
        enclosure.tree.mkdir()
        with pytest.raises(CsgtestError) as failure:
            enclosure.build(script, tmp_path / "log")
        assert "spoilt" in str(failure.value) or "moved away" in str(failure.value)


def test_nothing_of_the_user_is_removed_or_written(tmp_path: Path) -> None:
    """A second command follows, for which the folders are made anew."""
    own = tmp_path / "own"
    own.mkdir()
    for name in ("cc", "gcc", "letter"):
        (own / name).write_text("mine")
    script = f"cd /tmp; rm -r calls bin home; for i in calls bin home; do ln -s {own} $i; done"
    with Enclosure() as enclosure:
        enclosure.tree.mkdir()
        with pytest.raises(CsgtestError):
            enclosure.build(script, tmp_path / "log")
        calls, code = enclosure.build("true", tmp_path / "log")
        assert (calls, code) == ([], 0)
    assert {each.name: each.read_text() for each in own.iterdir()} == dict.fromkeys(
        ("cc", "gcc", "letter"), "mine"
    )


def test_a_build_that_ends_with_the_number_of_a_refusal_is_enclosed(tmp_path: Path) -> None:
    with Enclosure() as enclosure:
        enclosure.tree.mkdir()
        assert enclosure.run("exit 125", tmp_path / "log") == 125


def test_a_build_writes_no_file_without_end(tmp_path: Path) -> None:
    with Enclosure() as enclosure:
        enclosure.tree.mkdir()
        assert (
            enclosure.run("truncate -s 100G x; truncate -s 3G y; test -e y", tmp_path / "log") == 0
        )
        assert [*enclosure.tree.glob("y")] == []
        assert all(each.stat().st_size == 0 for each in enclosure.tree.iterdir())
        assert enclosure.notes == ["removed, as larger than 1024 MB: y"]


def test_a_build_leaves_no_program_with_the_rights_of_the_user(tmp_path: Path) -> None:
    with Enclosure() as enclosure:
        enclosure.tree.mkdir()
        enclosure.run("cp /bin/true x; ln x y; chmod 6755 x; : > z; chmod 2600 z", tmp_path / "log")
        modes = {each.name: each.stat().st_mode & 0o7777 for each in enclosure.tree.iterdir()}
    assert modes == {"x": 0o755, "y": 0o755, "z": 0o600}


def test_a_tree_is_cleared(tmp_path: Path) -> None:
    tree = tmp_path / "src"
    (tree / "lib" / "locked").mkdir(parents=True)
    (tree / "a.h").write_text("a")
    for name in ("lib/pipe.c", "lib/locked/pipe.c"):
        os.mkfifo(tree / name)
    links = {
        "inner": "a.h",
        "lib/inner": "../a.h",
        "lib/built": f"{PLACE}/a.h",
        "lib/by another": f"{PLACE}/lib/built",
        "nowhere": "no-such-file",
        "installed": "/usr/include",
        "endless": "/dev/zero",
        "secret": "/etc/passwd",
        "above": "..",
        "aside": "../src-other/x",
        "lib/above": "../../x",
        "loop": "loop",
    }
    for name, target in links.items():
        (tree / name).symlink_to(target)
    (tree / "lib" / "locked").chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert clear_tree(tree, PLACE) == []
    left = {str(each.relative_to(tree)) for each in tree.rglob("*")}
    within = {"inner", "lib/inner", "lib/built", "lib/by another", "nowhere", "installed", "loop"}
    assert left == {"a.h", "lib", "lib/locked", *within}
    assert all((tree / each).read_text() == "a" for each in ("lib/built", "lib/by another"))


def test_a_file_beside_the_tree_is_read_where_it_is_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "turn").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert content_in(tmp_path, "file", 3) == b"tex"
    for folder, name in ((".", "link"), (".", "pipe"), (".", "no"), ("turn", "file"), ("no", "x")):
        assert content_in(tmp_path / folder, name, 3) == b""


def test_a_call_has_a_time_before_what_its_tool_writes(tmp_path: Path) -> None:
    with Enclosure() as enclosure:
        enclosure.tree.mkdir()
        script = "echo 'int x;' > a.c; cc -c a.c; echo 'int y;' > b.c"
        calls, code = enclosure.build(script, tmp_path / "log")
        assert code == 0
        first = min(each.time for each in calls)
        before, after = ((enclosure.tree / each).stat().st_ctime_ns for each in ("a.c", "b.c"))
        assert before < first < after


LONG = "x" * 300
WORDS = ["@" + LONG, f"{LONG}.c", f"-o{LONG}", "\udcff.c", "@\udcff", "", "-o", "@", ".c", "../.c"]


@pytest.mark.parametrize("word", WORDS)
def test_words_of_calls_are_anything(word: str, tmp_path: Path) -> None:
    """To ask for a file with a long name is an error of the system's."""
    with Enclosure() as enclosure:
        enclosure.tree.mkdir()
        (enclosure.tree / "record").write_bytes(b"/tmp/src\0cc\0-c\0" + os.fsencode(word) + b"\0")
        with pytest.raises(CsgtestError):
            build_version(enclosure, f"cp record {RECORD}", tmp_path / "log")
