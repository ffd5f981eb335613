"""A folder of results is data from strangers: what it names is not compiled or run unasked, and
chooses nothing but C files and what their text means."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cli
from csg.cache import cache_folder
from csg.harmless_flags import first_doubtful_flag
from symexec.replay import sandbox
from tests.command_line import CSGTEST, csgtest, pair

HARMLESS = """-DX -DX=1 -UX -Iinc -I inc -std=gnu17 -O2 -g -g3 -Wall -Wno-error=format -include a.h
    -lm -Llib -pthread -fwrapv -fno-strict-aliasing -ffile-prefix-map=/a=. -march=x86-64-v2 -w
    -msse4.2 -mssse3 -maes -mpclmul -mavx512f -mavx512bw -mno-avx2 -mbmi2
    -isystem inc -fno-builtin-memcpy -fsanitize=address,undefined -D name"""
DOUBTFUL = """@file -D|@file --output=x --specs=x -specs=x -fplugin=x.so -B/x -Bx
    -wrapper|x,y -o|x -o
    -Wl,-x -Wa,-x -Wp,-MD,x -MD -MF -fdump-tree-all -save-temps -fprofile-dir=x -fprofile-use=x
    -fuse-ld=/x -x|c -E -S -c --sysroot=x --param=x -Xlinker -T|x -include|@x -fdiagnostics-format=x
    -dumpbase -aux-info|x -fstack-usage -ftest-coverage --coverage -flto -flto=x -no-pie -static
    -print-file-name=x -I|--specs=x x.c /etc/passwd -l/x -fdebug-prefix-map
    -Xassembler -gsplit=a/b"""


@pytest.mark.parametrize("flags", [HARMLESS.split()])
def test_flags_that_say_what_c_means_are_taken(flags: list[str]) -> None:
    assert first_doubtful_flag(flags) is None


@pytest.mark.parametrize("words", DOUBTFUL.split())
def test_others_are_not(words: str) -> None:
    assert first_doubtful_flag(["-O2", *words.split("|")]) is not None


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    done = csgtest("build", *pair("plus_two"), "--time", "2", "--no-native", folder=folder)
    assert done.code == 1
    return folder / "csgtest-out"


@pytest.fixture
def call(finished: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Replay with a report that somebody has changed."""
    report = finished / "report.json"
    before = report.read_bytes()

    def called(change: Callable[[Any], None], *words: str) -> tuple[int, str]:
        value = json.loads(before)
        change(value)
        report.write_text(json.dumps(value))
        try:
            code = cli.main(["replay", str(finished), *words])
        finally:
            report.write_bytes(before)
        return code, capsys.readouterr().err

    return called


def with_flags(*flags: str) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        value["replay"]["new_files"][0]["flags"] = list(flags)

    return change


def test_ours_is_replayed_unasked_and_a_changed_one_is_not(
    finished: Path, call: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    assert cli.main(["replay", str(finished)]) == 1
    code, told = call(lambda value: None)
    assert code == 2 and "written by another user or on another machine" in told
    assert "--trust" in told
    assert call(lambda value: None, "--trust") == (1, "")


@pytest.mark.parametrize("flag", ["@FILE", "--output=FILE", "--specs=FILE"])
def test_a_flag_that_a_stranger_chose_does_not_come_to_the_compiler(
    flag: str, call: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    flag = flag.replace("FILE", str(tmp_path / "made"))
    code, told = call(with_flags(flag), "--trust")
    assert code == 2 and flag in told
    assert not (tmp_path / "made").exists()


TOUCHES = """#!/bin/sh
case " $* " in
*new-sanitized*) touch {made} 2>/dev/null ;;
esac
exec cc "$@"
"""


def test_a_stranger_s_files_are_compiled_behind_walls(
    finished: Path,
    call: Callable[..., tuple[int, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever a compiler can be made to do, it writes nothing beside the builds."""
    made, compiler = tmp_path / "made", tmp_path / "compiler"
    compiler.write_text(TOUCHES.format(made=made))
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    assert cli.main(["replay", str(finished)]) == 1 and made.exists()
    made.unlink()
    assert call(lambda value: None, "--trust") == (1, "")
    assert not made.exists()


def test_without_walls_for_a_compiler_a_stranger_s_files_are_refused(
    call: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = tmp_path / "enclosure"
    without.write_text("#!/bin/sh\necho unshare: Operation not permitted >&2\nexit 125\n")
    without.chmod(0o755)
    monkeypatch.setattr(sandbox, "build_enclosure", lambda *given: without)
    code, told = call(lambda value: None, "--trust")
    assert code == 2 and "unprotected (unshare: Operation not permitted)" in told
    assert call(lambda value: None, "--trust", "--unprotected-replay") == (1, "")


@pytest.mark.parametrize("path", ["@FILE", "-fplugin=FILE", "/dev/zero", "."])
def test_nor_does_such_a_file(
    path: str, call: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    def change(value: Any) -> None:
        value["replay"]["new_files"][0]["path"] = path.replace("FILE", str(tmp_path / "x"))

    code, told = call(change, "--trust")
    assert code == 2 and "there is no file" in told


@pytest.mark.parametrize("side", ["old_files", "new_files"])
def test_a_report_without_files_is_refused(side: str, call: Callable[..., tuple[int, str]]) -> None:
    code, told = call(lambda value: value["replay"].update({side: []}), "--trust")
    assert code == 2 and "names no C files" in told


def test_another_user_s_folder_is_not_ours(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (cache_folder() / "secrets" / "seal").stat().st_mode & 0o077 == 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # where another secret is made
    assert cli.main(["replay", str(finished)]) == 2


@pytest.mark.parametrize(("answer", "code"), [("y\n", 1), ("\n", 2), ("no\n", 2)])
def test_on_a_terminal_it_is_asked(answer: str, code: int, finished: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*CSGTEST, "replay", str(finished)],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.DEVNULL,
    ) as process:
        os.close(theirs)
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(ours, 4096)
        os.write(ours, answer.encode())
        assert process.wait(60) == code
        os.close(ours)
