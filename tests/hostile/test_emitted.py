"""A stranger's flags and names of files are data in the build files that csgtest emits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from csg.errors import UsageError
from csg.harmless_flags import is_harmless
from csg.programs import SourceFile
from symexec.exports.emitted import Test
from symexec.exports.emitting import cmake_text, meson_text
from symexec.replay import ReplayPlan
from symexec.testcases import Observation, TestCase, TestInput

# All of them are flags that csgtest takes from compile_commands.json.
WORDS = (
    *("$(touch CANARY)", "`touch CANARY`", "|touch CANARY", "&touch CANARY&", "'`touch CANARY`'"),
    *('"`touch CANARY`"', '\\"$(touch CANARY)', "$$(touch CANARY)", "${CANARY}", "$ENV{HOME}"),
    *(
        "$(shell touch CANARY)",
        "]=]) file(WRITE CANARY x) #[[",
        "][",
        "a]=[",
        "a#b",
        "a\\b",
        "%PATH%",
    ),
    *(") execute_process(COMMAND touch CANARY)", "@CANARY@", "a b", "* ? ~ !x", "<x >CANARY"),
)
REFUSED = ("a;touch CANARY", "a[", "]]", "a\\", "$<1:x>", "a\ntouch CANARY", "\x1b[2J")
NAMES = ("a b.c", "a+=,~@.c", "\u00e4.c")
REFUSED_NAMES = ("$(touch CANARY)", "`touch CANARY`", "a'b", 'a"b', "a)#b", "a]=]", "a\\b", "a|b")


TEST = Test(
    "csgtest_g1", "difference", TestCase("t0001", TestInput()), "new", Observation(0), False
)


def plan(folder: Path, flags: tuple[str, ...], *names: str) -> ReplayPlan:
    files = tuple(SourceFile(folder / name, flags, name) for name in ("first.c", *names))
    return ReplayPlan(files, files)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja"])
def test_cmake_hands_each_flag_to_the_compiler_and_runs_none(
    tmp_path: Path, generator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiler notes the words that it is called with."""
    if generator == "Ninja" and shutil.which("ninja") is None:
        pytest.skip("there is no Ninja")
    flags = tuple(f"-DW{number}={word}" for number, word in enumerate(WORDS))
    assert all(map(is_harmless, flags))
    compiler, project = tmp_path / "compiler", tmp_path / "project"
    noted = f'for each; do printf "%s\\0" "$each" >> {tmp_path}/noted; done'
    compiler.write_text(f'#!/bin/sh\n{noted}\nexec cc -w "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    project.mkdir()
    (project / "csgtest_g1.c").write_text("#undef main\nint main(void) { return 0; }\n")
    for name in NAMES:
        (tmp_path / name).write_text("")
    text = cmake_text([TEST], plan(tmp_path, flags, *NAMES), project, True)
    (project / "CMakeLists.txt").write_text(text)
    for words in (["-G", generator, "-S", "project", "-B", "built"], ["--build", "built"]):
        done = subprocess.run(
            ["cmake", *words], cwd=tmp_path, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    said = (tmp_path / "noted").read_bytes().decode().split("\0")
    assert {each: said.count(each) for each in flags} == dict.fromkeys(flags, 2 * len(NAMES) + 1)
    assert not [*tmp_path.rglob("CANARY")]


@pytest.mark.parametrize("word", REFUSED)
def test_what_a_build_file_cannot_hold_is_refused(tmp_path: Path, word: str) -> None:
    with pytest.raises(UsageError, match="no build file can hold"):
        cmake_text([TEST], plan(tmp_path, (f"-DX={word}",), "b.c"), tmp_path, True)
    with pytest.raises(UsageError, match="no build file can hold"):
        meson_text([TEST], plan(tmp_path, (f"-DX={word}\n",)), tmp_path, True)


@pytest.mark.parametrize("name", (*REFUSED, *REFUSED_NAMES))
def test_a_name_that_cmake_would_read_as_more_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no build file can hold"):
        cmake_text([TEST], plan(tmp_path, (), f"{name}.c"), tmp_path, True)
