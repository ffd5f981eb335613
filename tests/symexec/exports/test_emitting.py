"""Regression tests stand alone: compiled and run here without csgtest, on both versions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cli
from symexec.exports import emitted
from symexec.exports.emitted import Dropped, check_types, text_of_literal
from symexec.testcases import EntrySignature, Parameter, c_value
from symexec.testcases.signature import ParameterKind
from tests.command_line import Done, csgtest

FUNCTION = """\
#include <stdio.h>
#include <string.h>
struct point { int x; struct point *next; char name[4]; double weight; };
int scale = 1;
int helper(int);
int f(struct point *p, char *text, const unsigned char *bytes, double by, int n)
{
    int hidden = 0;
    if (n == 300)
        hidden = 1;
    if (p && p->next && p->next->x == 3)
        text[0] = 'N';
    if (p)
        p->x = helper(p->x) * scale;
    if (by > 1.5 && bytes && bytes[0] == 200)
        printf("large\\n");
    return n > 5 && strcmp(text, "ab") == 0 ? 1 : 0;
}
"""
HELPER = "int helper(int x) { return x + 1; }\nint main(void) { return 3; }\n"
PROGRAM = """\
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    char line[8] = "";
    FILE *conf = fopen("A", "r");
    int limit = conf ? fgetc(conf) : 'k';
    if (!fgets(line, sizeof line, stdin))
        return 2;
    if (argc > 1 && argv[1][0] == limit)
        printf("%s 100%%\\n", line);
    return argc;
}
"""


def finished(folder: Path, old: str, new: str, *words: str, helper: str = "") -> Done:
    for side, text in (("old", old), ("new", new)):
        (folder / side).mkdir()
        (folder / side / "a.c").write_text(text)
        if helper:
            (folder / side / "helper.c").write_text(helper)
    done = csgtest("build", "old", "new", "--no-native", *words, folder=folder)
    assert done.code == 1, done.err
    return done


def emit(folder: Path, *words: str) -> int:
    place = os.getcwd()
    os.chdir(folder)
    try:
        return cli.main(["emit", "csgtest-out", "-o", "own", *words])
    finally:
        os.chdir(place)


def passes(file: Path, side: str, *flags: str) -> bool:
    """A test in C or sh on a version, as a project would run it."""
    folder = file.parent.parent
    program = folder / f"program-{side}"
    sources = [str(each) for each in sorted((folder / side).glob("*.c"))]
    if file.suffix == ".c":
        first, *others = sources
        named = ["-Dmain=csgtest_user_main", f'-DCSGTEST_SOURCE="{first}"']
        subprocess.run(
            ["cc", "-w", *flags, *named, str(file), *others, "-lm", "-o", str(program)], check=True
        )
        command = [str(program)]
    else:
        subprocess.run(["cc", "-w", *sources, "-o", str(program)], check=True)
        command = ["sh", str(file), str(program)]
    done = subprocess.run(command, capture_output=True, check=False, cwd=folder)
    assert done.returncode in (0, 1) or done.returncode < 0, done.stderr
    return done.returncode == 0


@pytest.fixture(scope="module")
def function(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A function with structures, texts, arrays and printing; each is changed."""
    folder = tmp_path_factory.mktemp("function")
    new = (
        FUNCTION.replace("= 'N'", "= 'M'")
        .replace("> 1.5", "> 2.5")
        .replace("n > 5", "n > 6")
        .replace("300", "301")
    )
    words = ("--entry=f", "--time=4", "--without=bounds")
    finished(folder, FUNCTION, new, *words, helper=HELPER)
    assert emit(folder, "--as=c", "--equal=3") == 0
    return folder


def test_tests_in_c_tell_the_versions_apart(function: Path) -> None:
    report = json.loads((function / "csgtest-out" / "report.json").read_text())
    files = {file.stem: file for file in (function / "own").glob("*.c")}
    groups = {f"csgtest_{each['id']}" for each in report["groups"]}
    assert groups and groups <= set(files), "none of them was dropped"
    for name, file in files.items():
        assert passes(file, "new"), name
        assert passes(file, "old") == (name not in groups), name
    assert set(files) - groups, "and there are some of what stays equal"


def test_the_other_version_can_be_expected(function: Path) -> None:
    assert emit(function, "--as=c", "-o", "old-own", "--expect=old", "--equal=0") == 0
    files = sorted((function / "old-own").glob("*.c"))
    assert files and all(passes(file, "old") and not passes(file, "new") for file in files)


@given(st.binary(max_size=12).filter(lambda text: b"\0" not in text))
def test_a_text_in_a_report_is_read_back(text: bytes) -> None:
    assert text_of_literal(c_value(text)) == text


@pytest.mark.parametrize("literal", ["ab", '"', '"a', '"a" + "b"', '"\\0"', '"ä"', '"""', ""])
def test_a_text_that_is_no_literal_is_dropped(literal: str) -> None:
    with pytest.raises(Dropped):
        text_of_literal(literal)


RETURNS = r"""
const char *f(int n) {
    switch (n) {
    case 3: return 0;
    case 4: return "";
    case 5: return "\xff?\"\\" "7";
    default: return "0";
    }
}
"""


def test_a_text_that_is_returned_is_told_from_what_is_none(tmp_path: Path) -> None:
    """A null pointer is no text "null"; an empty text is shown; bytes are what they are."""
    new = RETURNS.replace("return 0;", 'return "null";').replace('""', '"\\\\xff"')
    done = finished(tmp_path, RETURNS, new, "--entry=f", "--time=4")
    assert "error of csgtest" not in done.out
    shown = {
        test["input"]["parameters"]["n"]: (test["old"]["returned"], test["new"]["returned"])
        for test in done.report["tests"]
        if test["observed"] == "different"
    }
    assert shown == {3: ("null", '"null"'), 4: ('""', '"\\\\xff"')}
    assert emit(tmp_path, "--as=c", "--equal=5") == 0
    files = sorted((tmp_path / "own").glob("*.c"))
    assert len(files) >= 2 and all(passes(each, "new", "-trigraphs") for each in files)


def test_arrays_of_structures_are_as_long_as_the_test_s(tmp_path: Path) -> None:
    """A byte further would be no memory, and a version that reads on would say so."""
    old = """\
struct item { int kind; const char *name; };
int f(struct item *i)
{
    int count = 0;
    for (; i->kind; i++)
        count += i->name && i->name[0] == 'x';
    return count > 1;
}
"""
    finished(tmp_path, old, old.replace("> 1", "> 2"), "--entry=f", "--time=8")
    assert emit(tmp_path, "--as=c") == 0
    report = json.loads((tmp_path / "csgtest-out" / "report.json").read_text())
    for each in report["groups"]:
        file = tmp_path / "own" / f"csgtest_{each['id']}.c"
        sanitized = "-fsanitize=address"
        assert (passes(file, "old", sanitized), passes(file, "new", sanitized)) == (False, True)


def test_programs_have_their_tests_in_sh(tmp_path: Path) -> None:
    new = PROGRAM.replace("100%%", "99%%").replace("return 2", "return 4")
    done = finished(tmp_path, PROGRAM, new, "--time=8", "--sym-args", "0", "1", "2",
                    "--sym-stdin", "3", "--sym-files", "1", "1")  # fmt: skip
    assert emit(tmp_path, "--as=sh") == 0
    groups = {f"csgtest_{each['id']}" for each in done.report["groups"]}
    files = {file.stem: file for file in (tmp_path / "own").glob("*.sh")}
    assert len(groups) >= 2 and groups <= set(files)
    for name, file in files.items():
        assert (passes(file, "old"), passes(file, "new")) == (name not in groups, True), name
    done_without = subprocess.run(["sh", files[min(files)]], check=False, capture_output=True)
    assert done_without.returncode == emitted.SKIP


def test_a_test_that_holds_for_neither_is_dropped_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = "int f(int x) { return x == 7; }\n"
    finished(tmp_path, old, old.replace("7", "8"), "--entry=f", "--time=3")
    source = tmp_path / "new" / "a.c"
    source.write_text(old)  # the programs have gone on since
    assert emit(tmp_path, "--as=c") == 0
    said = capsys.readouterr().out
    assert "0 tests of differences" in said and "dropped: csgtest_g1: it fails on the new" in said
    assert not list((tmp_path / "own").glob("csgtest_g*.c"))


def test_what_only_standard_error_tells_is_dropped_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = '#include <stdio.h>\nint main(void) { fputs("usage: a\\n", stderr); return 2; }\n'
    finished(tmp_path, old, old.replace("usage: a", "usage: b"), "--time=3")
    assert emit(tmp_path, "--as=sh") == 0
    assert "csgtest_g1: only standard error differs, which no test" in capsys.readouterr().out


def test_only_sanitizers_may_tell(tmp_path: Path) -> None:
    old = "#include <string.h>\nint f(const char *s) { char c = s[strlen(s)]; return c != c; }\n"
    new = old.replace("s[strlen(s)]", "s[strlen(s) + 1]")
    done = finished(tmp_path, old, new, "--entry=f", "--time=3")
    assert done.report["groups"][0]["class"] == "regression"
    assert emit(tmp_path, "--as=cmake", "--equal=0") == 0
    (file,) = (tmp_path / "own").glob("*.c")
    assert "-fsanitize=address" in file.read_text()
    assert passes(file, "old", "-fsanitize=address") and not passes(
        file, "new", "-fsanitize=address"
    )
    assert "-fsanitize=address" in (tmp_path / "own" / "CMakeLists.txt").read_text()


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
def test_cmake_builds_and_runs_them(function: Path) -> None:
    own = function / "listed"
    assert emit(function, "--as=cmake", "-o", "listed", "--equal=1") == 0
    build = function / "cmake-build"
    subprocess.run(["cmake", "-S", own, "-B", build], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
    done = subprocess.run(["ctest"], cwd=build, check=False, capture_output=True, text=True)
    assert done.returncode == 0 and "100% tests passed" in done.stdout, done.stdout


@pytest.mark.skipif(shutil.which("meson") is None, reason="there is no Meson")
def test_meson_builds_and_runs_them(function: Path) -> None:
    own = function / "listed-meson"
    assert emit(function, "--as=meson", "-o", "listed-meson", "--equal=1") == 0
    for words in (["setup", "../meson-build"], ["test", "-C", "../meson-build"]):
        done = subprocess.run(
            ["meson", *words], cwd=own, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout


def test_a_stranger_is_not_trusted_unasked(function: Path, monkeypatch: pytest.MonkeyPatch,
                                           capsys: pytest.CaptureFixture[str],
                                           tmp_path: Path) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert emit(function, "--as=c") == 2
    assert "--trust" in capsys.readouterr().err


@pytest.mark.parametrize(
    "element",
    ["int; int x", "int)", "__attribute__((constructor)) int", "int/**/", "int\n#pragma", ""],
)
def test_a_stranger_s_type_is_a_name_and_nothing_else(element: str) -> None:
    with pytest.raises(Exception, match="no type"):
        check_types(
            EntrySignature("f", None, (Parameter("x", ParameterKind.SCALAR, element, 4, 32),))
        )


def changed(place: str, value: object) -> Any:
    def change(report: Any) -> None:
        *way, last = place.split("/")
        for key in way:
            report = report[int(key) if isinstance(report, list) else key]
        report[int(last) if isinstance(report, list) else last] = value

    return change


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("replay/signature/parameters/1/owner", "nobody"),
        ("replay/signature/parameters/0/kind", "scalar"),
        ("replay/signature/parameters/0/size", 1 << 70),
        ("replay/signature/name", "f(0); g"),
        ("replay/signature", None),
        ("replay/new_files", []),
        ("tests/0/input/parameters", {"p": [], "text": 1 << 70, "n": "x", "*/": 1}),
        ("tests/0/input/globals", {"system(0)": 1}),
        ("tests/0/old", None),
        ("tests/0/new/memory", {"text": "a" * 99, "p": 7}),
        ("tests/0/new/returned", "1; system(0)"),
        ("tests/0/id", "../../x"),
        ("entry", "main"),
    ],
)
def test_a_stranger_s_report_gives_a_message_or_tests(
    place: str, value: object, function: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = function / "csgtest-out" / "report.json"
    before = file.read_bytes()
    report = json.loads(before)
    differing = [each for each in report["tests"] if each["observed"] == "different"]
    report["tests"] = differing[:1]
    changed(place, value)(report)
    try:
        file.write_text(json.dumps(report))
        form = "--as=sh" if place == "entry" else "--as=c"
        code = emit(function, form, "-o", "strange", "--trust", "--equal=0")
    finally:
        file.write_bytes(before)
    said = capsys.readouterr()
    assert code in (0, 2) and "internal error" not in said.err, said.err
    texts = [each.read_text() for each in (function / "strange").glob("*.c")]
    assert not any("system(0)" in line for text in texts for line in text.partition("*/")[2:])


@given(st.text())
@settings(max_examples=50)
def test_a_stranger_s_function_is_a_name(name: str) -> None:
    try:
        check_types(EntrySignature(name))
    except Exception:
        assert not (name.isidentifier() and name.isascii())
    else:
        assert name.isidentifier() and name.isascii()


@given(st.binary(max_size=40))
@settings(max_examples=40, deadline=None)
def test_bytes_come_through_sh_and_c(data: bytes) -> None:
    word, before = emitted._word(data.replace(b"\0", b""), "word")
    script = "\n".join([*before, f"printf '%s' {word}"])
    shown = subprocess.run(["sh", "-c", script], check=True, capture_output=True).stdout
    assert shown == data.replace(b"\0", b"")
    literal = emitted._c_string(data)
    assert eval(f"b{literal}") == data


@given(st.integers(-(1 << 63), (1 << 64) - 1) | st.floats())
@settings(max_examples=60)
def test_numbers_are_constants_of_c(value: Any) -> None:
    kind = Parameter("x", ParameterKind.SCALAR, "int", 8, 64, floating=isinstance(value, float))
    if value != value:  # noqa: PLR0124
        with pytest.raises(Dropped):
            emitted._number(value, kind)
        return
    text = emitted._number(value, kind).replace("ULL", "").replace("LL", "")
    shown = text.replace("__builtin_inf()", "float('inf')").replace(
        "(-9223372036854775807 - 1)", str(-(1 << 63))
    )
    assert (float.fromhex(shown) if "0x" in shown else eval(shown)) == value


SIGN = """
int f(int x)
{
    if (x > LIMIT)
        return 1;
    return x == 7 ? SEVEN : 0;
}
"""


def test_a_blessed_difference_has_a_test_of_the_other_version(tmp_path: Path) -> None:
    """Until it is blessed once more; the tests of the others stay as they were."""
    old = SIGN.replace("LIMIT", "20").replace("SEVEN", "3")
    new = SIGN.replace("LIMIT", "30").replace("SEVEN", "4")
    finished(tmp_path, old, new, "--entry", "f")
    assert emit(tmp_path, "--as", "c") == 0
    own = tmp_path / "own"
    files = sorted(own.glob("csgtest_g*.c"))
    assert len(files) == 2

    def expectations() -> list[tuple[bool, bool]]:
        return [(passes(file, "old"), passes(file, "new")) for file in files]

    before = expectations()
    assert before == [(False, True)] * 2
    first = files[0].stem.removeprefix("csgtest_")
    for flipped in (True, False):
        assert cli.main(["bless", first, "-o", str(own)]) == 0
        assert expectations() == [(flipped, not flipped), before[1]]
    assert cli.main(["bless", "g99", "-o", str(own)]) == 2
    assert expectations() == before
    assert cli.main(["bless", first, "-o", str(tmp_path)]) == 2
