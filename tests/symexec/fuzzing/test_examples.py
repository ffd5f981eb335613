"""What the texts of a project's tests are, and that inputs begin with them."""

from __future__ import annotations

import os
from pathlib import Path

from csg.frontend import parse_text
from symexec.fuzzing.candidates import FunctionDomain
from symexec.fuzzing.growing import FunctionInputs, LineInputs
from symexec.fuzzing.option_table import vocabulary
from symexec.options import InputOptions
from symexec.testcases import OutputFolder, TestInput, signature_of
from symexec.testcases.seeds import FILE, TEXT, TEXTS, Examples, places_of_tests, read_examples
from tests.command_line import csgtest, differing, until, write_versions
from tests.repositories import Repository

C_FILE = r"""
#include "parser.h"
// not "this"
int main(void) /* nor "that" */
{
    return check("a=1;" "b=\x32;\n", 0, L"wide") + check("\777z", 1) + check("\uD") + check("");
}
"""


def written(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f'int x; /* */ const char *name = "{name}";\n')


def test_which_names_say_that_there_are_tests(tmp_path: Path) -> None:
    tests = ("test/a.c", "t/a.t", "src/unit-tests/b.c", "json_test.c", "lib/test_x.h", "corpus/1",
             "run-tests.sh", "test.py")  # fmt: skip
    others = ("src/a.c", "latest/b.c", "attest.c", ".git/tests/x.c", "test.txt", "contest/c.c")
    written(tmp_path, *tests, *others)
    found = {str(each.relative_to(tmp_path)) for each in places_of_tests(tmp_path)}
    assert found == {
        "test", "t", "src/unit-tests", "json_test.c", "lib/test_x.h", "corpus", "run-tests.sh",
        "test.py",
    }  # fmt: skip


def test_what_we_have_left_is_no_test_of_the_project(tmp_path: Path) -> None:
    OutputFolder(tmp_path / "out").close()
    written(tmp_path, "out/tests/t0001.c", "tests/a.c")
    assert places_of_tests(tmp_path) == (tmp_path / "tests",)


def test_literals_of_c_files_and_other_files_as_they_are(tmp_path: Path) -> None:
    written(tmp_path, "tests/deep/b.c")
    (tmp_path / "tests" / "a.c").write_text(C_FILE)
    (tmp_path / "tests" / "x.conf").write_bytes(b"port = 80;\n  on = true;\n\n")
    found = read_examples([tmp_path / "tests"])
    assert b"a=1;b=2;\n" in found.texts and b"tests/deep/b.c" in found.texts
    assert b"port = 80;\n  on = true;\n\n" in found.texts and b"  on = true;" in found.texts
    assert b"on = true;" in found.words and b"a=1;b=2;" in found.words
    assert not {b"this", b"that", b""} & {*found.texts, *found.words}
    assert found == read_examples([tmp_path / "tests"])


def test_too_much_is_thinned_out_and_what_is_no_file_left_out(tmp_path: Path) -> None:
    for number in range(2 * TEXTS):
        (tmp_path / f"{number}").write_text("x" * (number % (TEXT + 100)) + f"{number}")
    (tmp_path / "long").write_bytes(b"y" * (FILE + 1))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/passwd")
    found = read_examples([tmp_path, tmp_path / "missing"])
    assert len(found.texts) == TEXTS and not any(b"y" in each for each in found.texts)
    assert len(found.texts[0]) < 3 and len(found.texts[-1]) > TEXTS
    assert read_examples([]) == Examples()


def test_a_text_is_put_in_each_place_that_has_room_for_it() -> None:
    unit = parse_text("int f(int x, const char *s, const unsigned char *p, unsigned long n) {}")
    options = InputOptions()
    domain = FunctionDomain(signature_of(unit.functions[0]), vocabulary(unit), options)
    inputs = FunctionInputs(domain, options)
    tests = [dict(inputs.test(each).parameters) for each in inputs.holding(b"a\0b")]
    assert [each["s"] for each in tests if each["s"]] == [b"a"]
    assert [each["p"] for each in tests if each["p"]] == [b"a"]
    assert not list(inputs.holding(b"x" * 5000))


def test_a_text_is_an_argument_standard_input_or_a_file() -> None:
    inputs = LineInputs(InputOptions(), True, [b"A"])
    tests = [inputs.test(each) for each in inputs.holding(b"a b")]
    assert TestInput(stdin=b"a b") in tests and TestInput(args=(b"a b",)) in tests
    assert any(dict(each.files) == {"A": b"a b"} and each.args == (b"A",) for each in tests)
    assert LineInputs(InputOptions(), False, []).fields and len(tests) == 3


# One word of 2**64, which nothing in the program says.
LOCKED = """
int f(const char *s)
{
    unsigned long long sum = 1469598103934665603ULL;
    for (int at = 0; s[at]; at++)
        sum = (sum ^ (unsigned char) s[at]) * 1099511628211ULL;
    return sum == LOCK ? RESULT : 0;
}
"""
WORD = b"open #17 sesame"


def hashed(word: bytes) -> int:
    total = 1469598103934665603
    for byte in word:
        total = (total ^ byte) * 1099511628211 % (1 << 64)
    return total


def locked(result: int) -> str:
    return LOCKED.replace("LOCK", f"{hashed(WORD)}ULL").replace("RESULT", str(result))


def test_what_a_projects_tests_hold_is_tried_in_a_checkout(tmp_path: Path) -> None:
    repository = Repository(
        tmp_path,
        {
            "lock.h": "int f(const char *s);\n",
            "lock.c": '#include "lock.h"\n' + locked(1),
            "tests/check.c": f'int f(); int main(void) {{ return f("{WORD.decode()}"); }}\n',
        },
    )
    repository.write("lock.c", '#include "lock.h"\n' + locked(2))
    repository.commit("change it")
    words = ("build", "HEAD~1..HEAD", "--time", "15", "--no-config")
    done = until(differing, *words, folder=tmp_path)
    assert any(test["input"]["parameters"]["s"] == WORD.decode() for test in done.differing)


KEYS = (b"-rogue@42", b"no/such^place")
PROGRAM = """
static int is(const char *s, unsigned long long lock)
{
    unsigned long long sum = 1469598103934665603ULL;
    for (; *s; s++)
        sum = (sum ^ (unsigned char) *s) * 1099511628211ULL;
    return sum == lock;
}
int main(int argc, char **argv)
{
    return argc == 3 && is(argv[1], FIRSTULL) && is(argv[2], SECONDULL) ? RESULT : 0;
}
"""


def test_how_a_projects_tests_call_its_program_is_tried_in_a_checkout(tmp_path: Path) -> None:
    text = PROGRAM.replace("FIRST", f"{hashed(KEYS[0])}").replace("SECOND", f"{hashed(KEYS[1])}")
    first, second = (key.decode() for key in KEYS)
    repository = Repository(
        tmp_path,
        {
            "Makefile": "gate: gate.c\n\t$(CC) -o gate gate.c\n",
            "gate.c": text.replace("RESULT", "1"),
            "check.sh": f"GATE=./gate\nif \"$GATE\" {first} '{second}'; then exit 1; fi\n",
        },
    )
    repository.write("gate.c", text.replace("RESULT", "2"))
    repository.commit("change it")
    words = ("build", "HEAD~1..HEAD", "--time", "15", "--no-config")
    done = until(differing, *words, folder=tmp_path)
    assert {tuple(test["input"]["args"]) for test in done.differing} == {(first, second)}
    assert "began with 1 call of the program in the project's tests" in done.out


def test_examples_that_are_not_there_are_told(tmp_path: Path) -> None:
    write_versions(tmp_path, locked(1), locked(2))
    done = csgtest("build", "old.c", "new.c", "--examples", "missing", folder=tmp_path)
    assert done.code == 2 and "there is no 'missing'" in done.err
