"""A suite runs as ever while its calls of the program are noted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csg.errors import UsageError
from csg.toolchain import compile_program
from symexec.replay import SuiteRun, run_suite
from symexec.testcases import TestInput

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char line[99];
    if (argc > 1 && !strcmp(argv[1], "abort")) abort();
    if (argc > 1 && !strcmp(argv[1], "read"))
        while (fgets(line, 99, stdin)) fputs(line, stdout);
    printf("%d words\n", argc - 1);
    return argc;
}
"""


@pytest.fixture(scope="module", name="executable")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("program")
    (folder / "prog.c").write_text(PROGRAM)
    compile_program([str(folder / "prog.c")], str(folder / "real"))
    return str(folder / "real")


def run(
    script: str, executable: str, folder: Path, program: Path | None = None, seconds: float = 20.0
) -> SuiteRun:
    (folder / "suite.sh").write_text(f"cd {folder}\n{script}")
    words = ["sh", str(folder / "suite.sh"), "{}"]
    return run_suite(words, executable, ["prog"], program, seconds, folder / "log")


def inputs(done: SuiteRun) -> list[TestInput | None]:
    return [call.input for call in done.calls]


def test_calls_are_noted_in_order_and_the_suite_sees_the_program(
    executable: str, tmp_path: Path
) -> None:
    done = run('"$1" a "b c"; echo $?\nprog; $1 abort; echo $?', executable, tmp_path)
    assert inputs(done) == [
        TestInput(args=(b"a", b"b c")), TestInput(), TestInput(args=(b"abort",))
    ]  # fmt: skip
    said = (tmp_path / "log").read_text().splitlines()
    assert said[:3] == ["2 words", "3", "0 words"] and said[-1] == "134"
    assert done.exit == 0 and [call.number for call in done.calls] == [1, 2, 3]


def test_standard_input_is_noted_and_still_there(executable: str, tmp_path: Path) -> None:
    script = "printf 'one\\n' | prog read; printf '1\\n2\\n' > in; prog read < in; prog read"
    done = run(script, executable, tmp_path)
    assert [test and test.stdin for test in inputs(done)] == [b"one\n", b"1\n2\n", b""]
    said = (tmp_path / "log").read_text().split("1 words\n")
    assert said == ["one\n", "1\n2\n", "", ""]


def test_a_loop_that_reads_a_file_is_not_robbed_of_it(executable: str, tmp_path: Path) -> None:
    script = "printf 'a\\nb\\nc\\n' > list; while read word; do prog $word; done < list"
    done = run(script, executable, tmp_path)
    assert [test and test.args for test in inputs(done)] == [(b"a",), (b"b",), (b"c",)]


def test_files_that_arguments_name_are_copied_as_they_were(executable: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    script = (
        f"printf 1 > x; printf 2 > {elsewhere}/x; printf 3 > elsewhere/deep/y\n"
        f"prog x {elsewhere}/x --in=elsewhere/deep/y -ix no; printf 4 > x; prog x"
    )
    first, second = inputs(run(script, executable, tmp_path))
    assert first is not None and second is not None
    assert first.args == (b"x", b"x_", b"--in=elsewhere/deep/y", b"-ix", b"no")
    assert first.files == (("elsewhere/deep/y", b"3"), ("x", b"1"), ("x_", b"2"))
    assert second.files == (("x", b"4"),)


def test_the_recorder_can_take_the_place_of_a_file(executable: str, tmp_path: Path) -> None:
    program = tmp_path / "tool"
    program.write_text("mine")
    done = run("./tool 1 2", executable, tmp_path, program)
    assert len(done.calls) == 1 and program.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["log", "suite.sh", "tool"]


def test_calls_at_the_same_time_get_records_of_their_own(executable: str, tmp_path: Path) -> None:
    done = run("for i in 1 2 3 4 5 6 7 8; do prog $i & done; wait", executable, tmp_path)
    words = {test.args[0] for test in inputs(done) if test is not None}
    assert words == {b"%d" % number for number in range(1, 9)}


def test_a_suite_that_does_not_end_is_ended(executable: str, tmp_path: Path) -> None:
    done = run("prog 1; sleep 60; prog 2", executable, tmp_path, seconds=0.5)
    assert done.exit is None and len(done.calls) == 1


def test_an_input_that_is_too_large_is_told(executable: str, tmp_path: Path) -> None:
    done = run("head -c 2000000 /dev/zero > big; prog < big", executable, tmp_path)
    assert done.calls[0].input is None and "too large" in done.calls[0].reason


def test_a_command_that_is_none_is_trouble(executable: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be run"):
        run_suite(["./no-such-thing", "{}"], executable, [], None, 1.0, tmp_path / "log")
