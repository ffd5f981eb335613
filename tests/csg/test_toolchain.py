"""The compiler is found, run, and its refusals are located errors."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from csg import toolchain
from csg.errors import ToolchainError, failure_text
from csg.toolchain import (
    CompilerPool,
    compile_program,
    find_compiler,
    preprocess,
    preprocess_text,
    relevant_flags,
)
from tests.command_line import living


def test_a_named_compiler_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc -m64")
    assert find_compiler() == "gcc -m64"


def test_a_missing_compiler_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(ToolchainError) as caught:
        find_compiler()
    assert "no-such-compiler" in caught.value.message
    assert "apt install gcc" in caught.value.hint
    with pytest.raises(ToolchainError) as caught:
        preprocess("x.c", compiler="no-such-compiler")
    assert "cannot run" in caught.value.message


def test_a_compiler_that_does_not_end_is_given_up_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\nsleep 60 &\necho $! > {tmp_path / 'child'}\nwait\n")
    compiler.chmod(0o755)
    monkeypatch.setattr(toolchain, "TIME_LIMIT", 0.3)
    with pytest.raises(ToolchainError, match="did not end within"):
        preprocess("x.c", compiler=str(compiler))
    assert living((tmp_path / "child").read_text().split()) == []


def test_preprocessing_keeps_line_markers(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("#define N 3\nint a[N];\n")
    text = preprocess(str(source), ["-DUNUSED"])
    assert f'# 1 "{source}"' in text
    assert "int a[3];" in text


def test_text_has_the_name_that_it_is_given() -> None:
    text = preprocess_text("int x = __LINE__; char *f = __FILE__;", "given.c")
    assert 'int x = 1; char *f = "given.c";' in text


def test_own_headers_take_the_place_of_the_systems(tmp_path: Path) -> None:
    (tmp_path / "assert.h").write_text("#define assert(e) mine(e)\n")
    assert "mine(" in preprocess_text("#include <assert.h>\nassert(1)", "a.c", headers=tmp_path)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ('#include "none.h"\n', "none.h: No such file or directory", 1, 10),
        ("\n#error stop here\n", "#error stop here", 2, 2),
        ("\n#if 1\n", "unterminated #if", 2, 0),
    ],
)
def test_errors_are_the_compilers_first(
    text: str, message: str, line: int, column: int, tmp_path: Path
) -> None:
    source = tmp_path / "a.c"
    source.write_text(text)
    with pytest.raises(ToolchainError) as caught:
        preprocess(str(source))
    location = caught.value.location
    assert location is not None
    assert caught.value.message == message
    assert (location.file, location.line) == (str(source), line)
    assert column in (0, location.column)


def test_compiling(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("#include <math.h>\nint main(int c, char **v) { return (int) sqrt(c + 48); }")
    compile_program([str(source)], str(tmp_path / "a"), ["-O0", "-lm"])
    assert subprocess.run([tmp_path / "a"], check=False).returncode == 7


@pytest.mark.parametrize(
    ("text", "part"),
    [("int main(void) { return x; }", "'x' undeclared"), ("int f(void);", "undefined reference")],
)
def test_refusals_of_the_compiler_and_the_linker(text: str, part: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(text)
    with pytest.raises(ToolchainError) as caught:
        compile_program([str(source)], str(tmp_path / "a"))
    assert part in caught.value.message


def test_only_flags_that_decide_the_meaning_reach_the_preprocessor() -> None:
    given = [
        "-O2", "-c", "-Iinc", "-o", "x.o", "-DX=1", "-MD", "-MF", "d", "-std=c99", "-Wall", "-g3",
        "-include", "c.h", "-fplugin=evil.so", "-m32", "-funsigned-char", "-lm",
    ]  # fmt: skip
    assert relevant_flags(given) == [
        "-Iinc", "-DX=1", "-std=c99", "-include", "c.h", "-m32", "-funsigned-char",
        "-D__OPTIMIZE__", "-U_FORTIFY_SOURCE",
    ]  # fmt: skip


def test_odd_bytes_survive(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_bytes(b'char *s = "\xe9\xff";')
    assert preprocess(str(source)).encode("utf-8", "surrogateescape").endswith(b'"\xe9\xff";\n')


def test_a_pool_that_closes_leaves_no_compiler_and_no_file_of_it(tmp_path: Path) -> None:
    """One that ends when it is asked to, as gcc does, removes what it has made; one that ignores
    that, with children that do so too, is killed. None begins any more."""
    log = tmp_path / "pids"
    obedient, stubborn = tmp_path / "obedient", tmp_path / "stubborn"
    tidy = f"trap 'rm {tmp_path}/made; exit 1' TERM; touch {tmp_path}/made"
    for script, trap in ((obedient, tidy), (stubborn, "trap '' TERM INT")):
        script.write_text(f"#!/bin/sh\n{trap}\nsleep 60 & echo $$ $! >> {log}\nwait; sleep 60\n")
        script.chmod(0o755)
    with CompilerPool(2) as pool:
        asked = [
            pool.submit(compile_program, ["a.c"], "a", (), str(script), pool.cancelled)
            for script in (obedient, stubborn)
        ]
        while not log.exists() or len(log.read_text().split()) < 4:
            time.sleep(0.01)
        started = time.monotonic()
    assert time.monotonic() - started < 5
    for each in asked:
        with pytest.raises(ToolchainError, match="nobody waits for"):
            each.result()
    assert not (tmp_path / "made").exists()
    with pytest.raises(ToolchainError, match="nobody waits for"):
        compile_program(["a.c"], "a", (), str(stubborn), pool.cancelled)
    assert living(log.read_text().split()) == []


def test_a_script_that_calls_the_compiler_leaves_no_file_of_it(tmp_path: Path) -> None:
    """The script ends at once, and what it has called a moment later."""
    compiler, script = tmp_path / "cc1", tmp_path / "cc"
    tidy = f"trap 'sleep 0.3; rm {tmp_path}/made; exit 1' TERM; touch {tmp_path}/made"
    compiler.write_text(f"#!/bin/sh\n{tidy}\nsleep 60 &\nwait\n")
    script.write_text(f"#!/bin/sh\n{compiler} &\nwait\n")
    for each in (compiler, script):
        each.chmod(0o755)
    with CompilerPool(1) as pool:
        pool.submit(compile_program, ["a.c"], "a", (), str(script), pool.cancelled)
        while not (tmp_path / "made").exists():
            time.sleep(0.01)
    assert not (tmp_path / "made").exists()


def test_a_killed_compiler_leaves_its_files_where_the_output_goes(tmp_path: Path) -> None:
    """Whoever makes the output removes that folder; the machine's folder for such files stays."""
    compiler, folder = tmp_path / "cc", tmp_path / "objects"
    folder.mkdir()
    compiler.write_text('#!/bin/sh\ntouch "$TMPDIR/half.s"\nkill -9 $$\n')
    compiler.chmod(0o755)
    with pytest.raises(ToolchainError):
        compile_program(["a.c"], str(folder / "a"), (), str(compiler))
    assert (folder / "half.s").exists()


def test_headers_see_what_they_see_in_an_optimised_build(tmp_path: Path) -> None:
    """<libintl.h> includes <locale.h> where one is built, and only there."""
    source = tmp_path / "a.c"
    source.write_text("#include <libintl.h>\nint category = LC_ALL;\n")
    assert "LC_ALL" not in preprocess(str(source), ["-O2", "-D_FORTIFY_SOURCE=2"])
    for flags in ([], ["-O0"], ["-O2", "-O0"]):
        assert "category = LC_ALL" in preprocess(str(source), flags)


def test_what_is_asked_of_a_closed_pool_never_runs() -> None:
    """Nor is it an error: a listener may ask for the next program as its campaign ends."""
    pool = CompilerPool(1)
    pool.close()
    ran: list[int] = []
    assert pool.submit(ran.append, 1).cancelled() and not ran


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (OSError(24, "Too many open files"), "Too many open files; look at ulimit -a"),
        (ToolchainError("no compiler", hint="install one"), "no compiler"),
        (KeyError("x"), "internal error: KeyError('x')"),
    ],
)
def test_what_the_system_refuses_is_no_internal_error(failure: Exception, text: str) -> None:
    assert failure_text(failure) == text
