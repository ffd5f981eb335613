"""Flags of a stranger make the compiler write no file, load none, and run no program, by whichever
way they come."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from csg.errors import UsageError
from csg.harmless_flags import first_doubtful_flag
from csg.programs import recorded_flags
from symexec.options.settings import read_settings
from tests.command_line import csgtest
from tests.hostile.flags import FLAGS, placed
from tests.hostile.judging import is_clean
from tests.nightly import every

NAMES = [name for name, _ in FLAGS]
WORDS = [words for _, words in FLAGS]


@pytest.mark.parametrize("words", WORDS, ids=NAMES)
@pytest.mark.parametrize("folder", ["/place", "", "@", "-"])
def test_no_such_flag_is_taken_from_a_build(words: tuple[str, ...], folder: str) -> None:
    called = ["cc", "-DX", *placed(words, "/place"), "-fwrapv", "-c", "a.c"]
    taken = [*recorded_flags(called, folder)]
    assert first_doubtful_flag(taken) is None
    assert not any(word.startswith(("@", "-o")) for word in taken)


@pytest.mark.parametrize("words", WORDS, ids=NAMES)
def test_no_such_flag_is_taken_from_the_settings(words: tuple[str, ...], tmp_path: Path) -> None:
    text = f"flags = {json.dumps(placed(words, '/place'))}\n"
    try:
        read = read_settings(text, "csgtest.toml", tmp_path)
    except UsageError:
        return
    assert all(first_doubtful_flag(each.value) is None for each in read.top)


@pytest.mark.parametrize("way", ["arguments", "command"])
@pytest.mark.parametrize("words", every(13, WORDS), ids=NAMES)
def test_a_database_writes_nothing(words: tuple[str, ...], way: str, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "response").write_text(f"-MD -MF {place}/harm\n")
    (place / "ld").write_text(f"#!/bin/sh\ntouch {place}/harm\n")
    (place / "ld").chmod(0o755)
    before = {*tmp_path.rglob("*")}
    for version, number in (("old", 1), ("new", 2)):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "a.c").write_text(f"int f(int x) {{ return x + {number}; }}\n")
        called = ["cc", *placed(words, str(place)), "-c", "a.c"]
        said = called if way == "arguments" else " ".join(called)
        entry = {"directory": str(folder), "file": "a.c", way: said}
        (folder / "compile_commands.json").write_text(json.dumps([entry]))
        before |= {folder, folder / "a.c", folder / "compile_commands.json"}
    done = csgtest(
        "build", "old/a.c", "new/a.c", "--entry", "f", "--time", "2", folder=tmp_path, seconds=60.0
    )
    is_clean(done)
    made = {each for each in tmp_path.rglob("*") if "csgtest-out" not in each.parts} - before
    assert not made


@pytest.mark.parametrize("text", ["-DX=\\u0000", "-DX=\\ud800", "-I\\u0000", "-include\\ud800"])
@pytest.mark.parametrize("field", ["directory", "file", "arguments"])
def test_a_text_that_is_no_word_is_refused(text: str, field: str, tmp_path: Path) -> None:
    for version in ("old", "new"):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "a.c").write_text("int f(int x) { return x; }\n")
        entry = {"directory": str(folder), "file": "a.c", "arguments": ["cc", "-c", "a.c"]}
        entry[field] = ["cc", "ODD", "-c", "a.c"] if field == "arguments" else "ODD"
        made = json.dumps([entry]).replace("ODD", text)
        (folder / "compile_commands.json").write_text(made)
    done = csgtest("build", "old/a.c", "new/a.c", "--entry", "f", folder=tmp_path, seconds=60.0)
    is_clean(done)
    assert done.code == 2 and "is no database of compile commands" in done.err
