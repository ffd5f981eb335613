"""Input that cannot be used ends with one clear message, exit code 2, and nothing overwritten."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import cli
from tests.command_line import CSGTEST, Done, csgtest, pair, write_versions

FILES = {
    "old.c": "int f(int x) { return x; }\n",
    "new.c": "int f(int x) { return x + 1; }\n",
    "empty.c": "",
    "comment.c": "/* nothing */\n",
    "syntax.c": "int f(int x)\n{\n    return x\n}\n",
    "undeclared.c": "int f(int x) { return y; }\n",
    "header.c": '#include "nowhere.h"\nint f(int x) { return x; }\n',
    "binary.c": "\x7f\x45\x4c\x46\x02\x01",
    "wider.c": "int f(long x) { return x; }\n",
    "more.c": "int f(int x, int y) { return x + y; }\n",
    "other.c": "int g(int x) { return x + 2; }\n",
    "main.c": "int main(void) { return 1; }\n",
    "two.c": "int f(int x) { return x; }\nint g(int x) { return x; }\n",
    "both.c": "int f(int x) { return x; }\nint g(int x) { return x + 1; }\n",
    "struct_old.c": "struct s;\nint f(struct s *p) { return p != 0; }\n",
    "struct_new.c": "struct s;\nint f(struct s *p) { return p == 0; }\n",
    "spaced.c": "int f(int x) {  return x; }\n",
    "by_hand.c": "int f(int x) { return change(x, x + 1); }\n",
    "by_hand_2.c": "int f(int x) { if (execute(NEW)) { x++; } return x; }\n",
    "asm_old.c": 'int f(void) { __asm__ ("nop"); return 0; }\n',
    "asm_new.c": 'int f(void) {\n    __asm__ ("nop");\n    return 0 * 1;\n}\n',
}
ROWS = [
    # (words after build, what the message begins with, what else it says)
    ("none.c new.c", "error: none.c: no such file", "hint: give the path"),
    ("old.c folder", "error: folder is no regular file", "hint: give two C files"),
    ("empty.c new.c", "error: empty.c is empty", "hint: give a C file"),
    (f"old.c {'x' * 300}.c", f"error: {'x' * 300}.c: File name too long", "hint"),
    ("old.c/f.c new.c", "error: old.c/f.c: ", "hint"),
    ("loop.c new.c", "error: loop.c: ", "hint"),
    ("old.c comment.c", "comment.c: error: 'comment.c' defines nothing", ""),
    ("old.c syntax.c", "syntax.c:4:1: error: syntax error", "'}'"),
    ("undeclared.c new.c", "undeclared.c:1:23: error: 'y' is not declared", "hint: declare it"),
    ("old.c header.c", "header.c:1:10: error: nowhere.h: No such file", "hint: name the folder"),
    ("old.c binary.c", "binary.c:1:1: error: stray", ""),
    ("asm_old.c asm_new.c", "asm_new.c:2:5: error: no path could be followed", "asm"),
    ("old.c new.c --entry g", "error: there is no function 'g'", "hint: there are: f"),
    ("old.c old.c --entry g", "error: there is no function 'g'", "hint: there are: f"),
    ("old.c other.c --entry f", "error: only the old version has a function 'f'", "hint"),
    ("old.c other.c", "error: no function of both versions", "hint"),
    ("old.c main.c", "error: only the new version has a function 'main'", "hint"),
    ("two.c both.c --range x=0..9", "error: there is no 'main', and several", "--entry: f, g"),
    ("old.c wider.c", "wider.c:1:5: error: the parameters or the result of 'f' differ", "hint"),
    ("old.c more.c", "more.c:1:5: error: the parameters or the result of 'f' differ", "hint"),
    ("struct_old.c struct_new.c", "struct_old.c:2:5: error: 'p' has a type", "wrapper"),
    ("old.c new.c --assume 'x > 3 && x < 2'", "error: the ranges and assumptions exclude", "hint"),
    ("old.c new.c --assume 'x > 3' --assume 'x < 2'", "error: the ranges and assumptions", "hint"),
    ("old.c new.c --paper --interactions important", "error: --paper has all", "hint: leave one"),
    ("old.c new.c --range x=1..5 --assume 'x > 5'", "error: the ranges and assumptions", "hint"),
    ("old.c new.c --assume 'x >'", "error: --assume 'x >', column 3: ", "over the inputs: x"),
    ("old.c new.c --assume 'y > 1'", "error: --assume 'y > 1'", "over the inputs: x"),
    ("old.c new.c --range y=1..2", "error: there is no symbolic input 'y'", "hint: inputs: x"),
    ("old.c spaced.c --assume 'y > 1'", "error: --assume 'y > 1'", "over the inputs: x"),
    ("old.c spaced.c --range y=1..2", "error: there is no symbolic input 'y'", "hint: inputs: x"),
    ("old.c spaced.c --symbolic-global g", "error: there is no global object 'g'", "hint: objects"),
    ("by_hand.c by_hand.c", "by_hand.c:1:23: error: this version has change() in it", "alone"),
    ("by_hand.c by_hand_2.c", "by_hand.c:1:23: error: this version has change() in it", "alone"),
    ("old.c by_hand_2.c", "by_hand_2.c:1:16: error: this version has execute() in it", "alone"),
    ("old.c new.c --symbolic-global g", "error: there is no global object 'g'", "hint: objects"),
    ("old.c new.c --out theirs", "error: output folder 'theirs' exists and is not ours", "--out"),
    ("old.c new.c --out old.c", "error: cannot use 'old.c' as output folder", "--out"),
    ("old.c new.c --out old.c/below", "error: cannot use 'old.c/below' as output folder", "--out"),
    ("old.c new.c -- --no-such-flag", "error: the compiler ", "'--no-such-flag'"),
    ("old.c new.c -- -m32", "error: the flag -m32 is not supported", ""),
]  # fmt: skip


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.c").symlink_to("loop.c")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "report.json").write_text("precious")
    return tmp_path


@pytest.fixture
def call(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], Done]:
    """The command line without a process of its own, which takes most of the time."""

    def called(words: str) -> Done:
        monkeypatch.chdir(workshop)
        try:
            code = cli.main(shlex.split(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
        shown = capsys.readouterr()
        return Done(code, shown.out, shown.err, workshop)

    return called


def listing(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "csgtest-out" not in path.parts
    }


def assert_refused(done: Done, begin: str, other: str) -> None:
    assert done.code == 2, done
    assert done.out == ""
    assert "Traceback" not in done.err
    told = [line for line in done.err.splitlines() if not line.startswith("paths ")]
    assert told[0].startswith(f"csgtest: {begin}"), done.err
    assert other in done.err
    assert len(told) <= 2


@pytest.mark.parametrize(("words", "begin", "other"), ROWS, ids=[row[0][:60] for row in ROWS])
def test_one_message_exit_code_2_nothing_overwritten(
    words: str, begin: str, other: str, workshop: Path, call: Callable[[str], Done]
) -> None:
    before = listing(workshop)
    assert_refused(call(f"build --quiet {words}"), begin, other)
    assert listing(workshop) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="everything can be read by root")
def test_a_file_that_may_not_be_read(workshop: Path) -> None:
    (workshop / "old.c").chmod(0)
    assert_refused(
        csgtest("build", "old.c", "new.c", folder=workshop), "error: old.c cannot be read", "ls -l"
    )


@pytest.mark.parametrize(
    ("command", "begin"),
    [
        ("csgtest-no-such-cc", "error: no C compiler found (looked for csgtest-no-such-cc)"),
        ("false", "error: the compiler 'false' fails"),
        ("'", "error: CC is no command"),
    ],
)
def test_a_compiler_that_is_missing_or_fails(command: str, begin: str, workshop: Path) -> None:
    done = csgtest("build", "old.c", "new.c", folder=workshop, environment={"CC": command})
    assert_refused(done, begin, "CC")


def test_a_wrong_call_keeps_the_report_of_the_last_one(workshop: Path) -> None:
    assert csgtest("build", "old.c", "new.c", folder=workshop).code == 1
    report = (workshop / "csgtest-out" / "report.json").read_bytes()
    assert csgtest("build", "old.c", "syntax.c", folder=workshop).code == 2
    assert (workshop / "csgtest-out" / "report.json").read_bytes() == report


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("old.c new.c --nonsense", "unrecognized arguments: --nonsense"),
        ("old.c new.c --time 0", "'0' is no time"),
        ("old.c new.c --time -1", "'-1' is no time"),
        ("old.c new.c --range x=1-2", "'x=1-2' is no range; write NAME=LO..HI"),
        ("old.c new.c --range x=2..1", "'x=2..1' is empty"),
    ],
)
def test_a_call_that_cannot_be_meant_shows_how_to_call(
    words: str, message: str, call: Callable[[str], Done]
) -> None:
    done = call(f"build {words}")
    assert done.code == 2
    assert done.err.startswith("usage: csgtest") and message in done.err


@pytest.mark.parametrize(
    ("words", "begin"),
    [
        ("replay theirs", "error: 'theirs' is no output folder of csgtest"),
        ("replay nowhere", "error: there is no folder 'nowhere'"),
        ("show nowhere", "error: 'nowhere' is none of findings, tasks, runs, and no folder"),
        ("explore none.c", "error: none.c: no such file"),
        ("explore asm_new.c", "asm_new.c:2:5: error: no path could be followed"),
        ("run old.c", "error: there is no function 'main'"),
        ("graph old.c syntax.c", "syntax.c:4:1: error: syntax error"),
        ("graph old.c new.c -o folder", "error: folder cannot be written"),
        ("unify old.c none.c", "error: none.c: no such file"),
    ],
)
def test_the_other_commands_refuse_as_clearly(
    words: str, begin: str, workshop: Path, call: Callable[[str], Done]
) -> None:
    before = listing(workshop)
    assert_refused(call(words), begin, "")
    assert listing(workshop) == before


# --------------------------------------------------------------------------- good, but unusual


def test_a_limit_under_which_nothing_runs_is_no_equality(workshop: Path) -> None:
    """Sanitized programs of both versions would end alike, before they begin."""
    limited = f"ulimit -v 4000000; exec {shlex.join(CSGTEST)} build old.c new.c"
    done = subprocess.run(
        ["/bin/sh", "-c", limited], cwd=workshop, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done
    assert "before it comes to its start" in done.stderr
    assert "hint: memory is limited (ulimit -v 4000000)" in done.stderr


def test_the_same_file_twice_is_no_change(workshop: Path) -> None:
    done = csgtest("build", "two.c", "two.c", folder=workshop)
    assert (done.code, done.report["verdict"]) == (0, "no-change")
    assert "nothing to test" in done.out and done.report["tests"] == []


def test_an_entry_without_inputs_is_run_once(workshop: Path) -> None:
    """There is one input, the empty one: it says which verdict."""
    (workshop / "two_to_three.c").write_text("int f(void) { return 3; }\n")
    (workshop / "sum.c").write_text("int f(void) { int a = 1; return a + 2; }\n")
    (workshop / "four.c").write_text("int f(void) { return 4; }\n")
    same = csgtest("build", "two_to_three.c", "sum.c", folder=workshop)
    assert (same.code, same.report["verdict"]) == (0, "equivalent-within-bounds")
    assert "'f' takes no input: it is run once" in same.out
    other = csgtest("build", "two_to_three.c", "four.c", folder=workshop)
    assert (other.code, other.report["verdict"]) == (1, "different")
    assert [test["input"]["parameters"] for test in other.differing] == [{}]


def test_json_on_standard_output_is_the_report_and_nothing_else(tmp_path: Path) -> None:
    done = csgtest("build", *pair("plus_two"), "--json", folder=tmp_path)
    assert done.code == 1
    assert done.out == (tmp_path / "csgtest-out" / "report.json").read_text()
    assert done.report["finished"] is True
    assert done.err == ""


def test_no_difference_within_bounds_is_exit_code_0(tmp_path: Path) -> None:
    done = csgtest("build", *pair("plus_two"), "--range", "x=0..1000", folder=tmp_path)
    assert (done.code, done.report["verdict"]) == (0, "equivalent-within-bounds")


def test_what_is_not_replayed_is_not_called_equal(tmp_path: Path) -> None:
    done = csgtest("build", *pair("foo"), "--no-replay", folder=tmp_path)
    assert done.code == 0
    assert done.out.startswith("No difference is confirmed: ")
    assert {test["observed"] for test in done.report["tests"]} == {"not-replayed"}


def test_what_no_path_can_be_followed_through_is_tested_natively(tmp_path: Path) -> None:
    """Where there are inputs to try, that is a result."""
    text = '#include <stdio.h>\nint main(void) {{ __asm__ ("nop"); return getchar() {} 7000; }}\n'
    write_versions(tmp_path, text.format(">"), text.format(">="))
    done = csgtest("build", "old.c", "new.c", "--time", "4", folder=tmp_path)
    assert done.code == 0, done.err
    assert "native runs; no path could be followed to its end." in done.out


def test_a_name_that_the_c_library_took_later_can_be_hidden(tmp_path: Path) -> None:
    text = "#include <stdio.h>\nstatic int getline(void) { return %d; }\n"
    text += "int main(int n, char **words) { return n > 1 ? getline() : 0; }\n"
    write_versions(tmp_path, text % 1, text % 2)
    words = ("build", "old.c", "new.c", "--time", "10", "--stop-after", "1")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 2 and "'getline' was declared with another result before" in done.err
    (flag,) = [word for word in done.err.split() if word.startswith("-D")]
    done = csgtest(*words, "--", flag, folder=tmp_path)
    assert done.code == 1 and done.differing[0]["old"]["exit"] == 1
