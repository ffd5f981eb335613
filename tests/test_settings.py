"""csgtest.toml and compile_commands.json of a repository: what they say holds, and it is said."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from csg.errors import UsageError
from csg.programs import matches
from symexec.options import BuildOptions, Range
from symexec.options.arguments import Call, parse
from symexec.options.definitions import FLAGS, Argument, Scope
from symexec.options.settings import keys, read_settings, template
from symexec.search.registry import described
from symexec.testcases.store import runs_of
from tests.command_line import csgtest, read_report
from tests.nightly import examples
from tests.repositories import Repository

KEYS = keys()
TEMPLATE = template(described(), ["How it would be built: make"])
OFFERED = [line[1:] for line in TEMPLATE.splitlines() if re.match(r"#[^ \[]", line)]


def call(text: str, *words: str) -> Call:
    """``csgtest build HEAD`` under a file of this text."""

    def settings(given: Namespace) -> Any:
        return read_settings(text, "csgtest.toml", Path())

    return parse(["build", "HEAD", *words], settings=settings)


def build(text: str, *words: str) -> BuildOptions:
    options = call(text, *words).options
    assert isinstance(options, BuildOptions)
    return options


def plain(options: BuildOptions) -> BuildOptions:
    return replace(options, files=replace(options.files, configured=None))


def test_the_written_file_has_every_key_once() -> None:
    assert [line.partition(" = ")[0] for line in OFFERED] == [*KEYS]
    for row in KEYS.values():
        assert row.default not in (None, []) or row.example is not None, row.key


@pytest.mark.parametrize("line", OFFERED)
def test_each_line_of_the_written_file_is_read_and_is_the_default(line: str) -> None:
    """An example is no default, but it is read as well, and changes something."""
    lines = TEMPLATE.splitlines()
    lines[lines.index(f"#{line}")] = line
    chosen = plain(build("\n".join(lines)))
    if line.endswith("# an example") and not line.startswith(("mode", "unini", "interactions")):
        assert chosen != build("")
    else:
        assert chosen == plain(build(TEMPLATE)) == plain(build(""))
    assert call("\n".join(lines)).note.startswith(f"csgtest.toml: {line.partition('  #')[0]}")
    such = line.partition("  # such as ")[2]
    if such:
        assert plain(build(f"{line.partition(' ')[0]} = {such}")) != plain(build(""))


def test_the_command_line_comes_before_the_file_and_that_before_the_default() -> None:
    text = 'time = 5\nrange = ["x=1..2"]\nflags = ["-DA=1"]\nleaks = true\ntargets = "cut"'
    found = build(text, "--range", "y=3..4", "--", "-DB")
    assert found.search.time == 5 and found.memory.leaks and found.search.seed == 0
    assert found.inputs.ranges == (Range("y", 3, 4),)
    assert found.flags == ("-DA=1", "-DB")
    assert found.files.revision is not None and found.files.revision.targets == ("cut",)
    assert build(text, "--time", "60").search.time == 60  # though that is the default
    assert "range" not in call(text, "--range", "y=3..4").note


def test_a_table_holds_for_its_target_alone() -> None:
    text = 'time = 5\nentry = "f"\n[target.cut]\nentry = "g"\n[target."a/b"]\ntime = 6'
    found = build(text)
    assert found.files.revision is not None
    cut, other = found.files.revision.own
    assert isinstance(cut.options, BuildOptions) and isinstance(other.options, BuildOptions)
    assert (cut.name, cut.keys, other.name, other.keys) == ("cut", ("entry",), "a/b", ("time",))
    assert cut.options.inputs.entry == "g" and cut.options.search.time == 5
    assert other.options.inputs.entry == "f" and other.options.search.time == 6
    assert '[target.cut] entry = "g"' in call(text).note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ntimes = 5", "csgtest.toml:2: times: is no key; near to it: time"),
        ("loop_bound = 5", "csgtest.toml:1: loop_bound: is no key; near to it: loop-bound"),
        ("time = '5'", ":1: time: is a number, without quotes"),
        ("time = true", ":1: time: is a number"),
        ("time = [5]", ":1: time: is one value, and no list"),
        ("time = 0", ":1: time: '0' is no time"),
        ("time = inf", ":1: time: 'inf' is no time"),
        ("seed = -1", ":1: seed: '-1' is no count"),
        ("seed = 1.5", ":1: seed: '1.5' is no count"),
        ("entry = 3", ":1: entry: is a text, in quotes"),
        ("entry = 2020-01-01", ":1: entry: is a text, in quotes"),
        ("leaks = 1", ":1: leaks: is true or false"),
        ("memory = '1M'", ":1: memory: '1M' is too little"),
        ("globals = 'some'", ":1: globals: invalid choice: 'some'"),
        ("sym-args = [1, 2]", ":1: sym-args: is a list of 3: MIN, MAX, LEN"),
        ("sym-args = [2, 1, 4]", ":1: sym-args: MIN 2 is greater than MAX 1"),
        ("range = ['x']", ":1: range: 'x' is no range"),
        ("out = 'x'", ":1: out: is said on the command line alone"),
        ("unprotected-replay = true", "unprotected-replay: is said on the command line alone"),
        ("flags = ['-fplugin=x.so']", "flags: '-fplugin=x.so' is taken from the command line"),
        ("[target.a]\ntime = 1\n[target.b]\ntime = 0", ":4: target.b.time: '0' is no time"),
        ("[target.a]\nbuild = 'make'", ":2: target.a.build: holds for all targets"),
        ("[targt.a]\ntime = 1", ":1: targt: is no key; near to it: target, targets"),
        ("target = ['a']", ":1: target: is a table for each"),
        ("time = ", "is no TOML: Invalid value (at end of document)"),
        ("a = " + "[" * 9000, "is no TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        call(text)
    assert message in str(refused.value) and "\x1b" not in str(refused.value)


SCALARS = st.one_of(
    st.integers(), st.floats(), st.booleans(), st.text(max_size=5), st.sampled_from(["x=0..1", "a"])
)


@given(
    key=st.sampled_from([*KEYS, "near", "out"]),
    value=st.one_of(SCALARS, st.lists(SCALARS, max_size=4)),
    table=st.booleans(),
)
@examples(150, suppress_health_check=[HealthCheck.too_slow])
def test_any_value_is_taken_or_refused_with_its_line(key: str, value: Any, table: bool) -> None:
    heading = "[target.a]\n" if table else ""
    try:
        text = f"{heading}{key} = {json.dumps(value)}".replace("NaN", "nan").replace("Inf", "inf")
        found = build(text)
    except UsageError as refused:
        assert re.match(rf"(error: )?csgtest.toml(:{1 + table})?[: ]", str(refused))
    else:
        assert found.files.revision is not None
        row = KEYS[key]
        assert not table or row.scope is Scope.TARGET
        if row.is_flag:
            assert isinstance(value, bool)


def test_a_new_option_is_a_key_at_once() -> None:
    """But what only the user of a call may decide."""
    rows: Iterator[Argument] = (row for row in KEYS.values() if row is not FLAGS)
    assert all(row.names[-1].startswith("--") for row in rows)
    assert not KEYS.keys() & {"out", "json", "unprotected-replay", "config", "old", "staged"}


@pytest.mark.parametrize(
    ("path", "pattern", "matched"),
    [
        ("vendor/a/b.c", "vendor", True),
        ("vendor/a/b.c", "vendor/", True),
        ("vendor/a/b.c", "vendor/*", True),
        ("vendor/a/b.c", "**/a", True),
        ("a/b.c", "**/a", True),
        ("x/y_generated.c", "*_generated.c", True),
        ("vendored/b.c", "vendor", False),
        ("a/vendor.c", "vendor", False),
    ],
)
def test_patterns_of_what_is_ignored(path: str, pattern: str, matched: bool) -> None:
    assert matches(path, [pattern]) is matched


def test_init_writes_a_file_that_changes_nothing(repository: Repository) -> None:
    """It is not overwritten; the file of the old version is read, or else the work tree's."""
    (repository.folder / "src").mkdir(exist_ok=True)
    assert csgtest("init", folder=repository.folder / "src").code == 0
    text = (repository.folder / "csgtest.toml").read_text()
    assert "# How it would be built: make" in text
    again = csgtest("init", folder=repository.folder)
    assert again.code == 2 and "is there already" in again.err
    assert csgtest("init", "--force", folder=repository.folder).code == 0
    repository.edit("src/words.c", "argc);", "argc + 1);")
    repository.write("csgtest.toml", text + "time = 0\n")
    wrong = csgtest("graph", folder=repository.folder)
    assert wrong.code == 2 and "csgtest.toml of the work tree:" in wrong.err
    assert "time: '0' is no time" in wrong.err
    repository.commit("all")
    old = repository.git("rev-parse", "HEAD~1")[:10]
    done = csgtest("graph", "HEAD~1..", folder=repository.folder)
    assert done.code == 0 and f"csgtest.toml of {old}, which has none" in done.err
    repository.write("csgtest.toml", "")
    repository.edit("src/words.c", "argc + 1", "argc + 2")
    repository.commit("more")
    wrong = csgtest("graph", "HEAD~1..", folder=repository.folder)
    old, new = (repository.git("rev-parse", each)[:10] for each in ("HEAD~1", "HEAD"))
    assert f"csgtest.toml of {old}, and not that of {new}:" in wrong.err and wrong.code == 2
    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.write("csgtest.toml", "")
    assert csgtest("graph", "HEAD~1..", "--no-config", folder=repository.folder).code == 0
    other = csgtest("graph", "HEAD~1..", "--config", "csgtest.toml", folder=repository.folder)
    assert other.code == 0 and "csgtest: csgtest.toml: says nothing" in other.err


def test_a_file_tells_how_a_repository_is_tested(repository: Repository) -> None:
    """The build, what is ignored, the bounds; a table for one program."""
    repository.write(
        "csgtest.toml",
        'build = "make sum words"\ntime = 4\nno-native = true\nignore = ["lib/number.*"]\n'
        "[target.words]\nsym-args = [2, 2, 1]\nflags = ['-DMORE=2']\n[target.wrds]\ntime = 1\n",
    )
    repository.edit("lib/number.c", "- '0'", "- '1'")
    repository.edit("src/words.c", "argc);", "argc);\n#ifdef MORE\n    puts(argv[1]);\n#endif\n")
    done = csgtest("build", "--time", "3", folder=repository.folder)
    assert done.code == 1 and "words:\n" in done.out and "sum:\n" not in done.out, done.err
    assert 'csgtest: csgtest.toml of the work tree: build = "make sum words", no-native' in done.err
    assert "[target.words] sym-args = [2, 2, 1]" in done.err
    assert "building both versions: make sum words" in done.err
    assert "ignored although they differ: lib/number.c" in done.err
    assert "[target.wrds] says how to test what no build makes; near to it: words" in done.err
    configured = done.report["configured"]
    assert configured["file"] == "csgtest.toml of the work tree"
    assert configured["settings"]["sym-args"] == [2, 2, 1]
    assert "time" not in configured["settings"]  # the command line says it
    assert done.report["bounds"]["sym_args"] == [2, 2, 1]
    repository.git("checkout", "-q", "src/words.c")
    done = csgtest("build", folder=repository.folder)
    assert done.code == 0 and "differs outside of ignored files." in done.out
    assert "ignored although they differ: lib/number.c" in done.err


def test_two_folders_have_a_file_beside_them(tmp_path: Path) -> None:
    """Their C files that are to be ignored do not belong to the program."""
    for side in ("old", "new"):
        folder = tmp_path / "v" / side
        (folder / "tools").mkdir(parents=True)
        (folder / "a.c").write_text(f"int f(int x) {{ return x > 3 ? X : {side == 'old':d}; }}\n")
        (folder / "tools" / "a.c").write_text("int f(int x) { return x; }\n")
    text = 'flags = ["-Iinclude", "-DX=1"]\nignore = ["tools"]\nentry = "f"\n[target.a]\n'
    (tmp_path / "v" / "csgtest.toml").write_text(text)
    done = csgtest("build", "v/old", "v/new", "--time", "3", folder=tmp_path)
    assert done.code == 1, done.err
    assert 'csgtest: v/csgtest.toml: flags = ["-Iinclude", "-DX=1"], ignore = ["tools"]' in done.err
    assert "its tables for targets are left out: OLD and NEW are no revisions" in done.err
    flags = [each["flags"] for each in done.report["replay"]["new_files"]]
    assert flags == [[f"-I{tmp_path}/v/include", "-DX=1"]]
    done = csgtest("build", "v/old", "v/new", "--no-config", folder=tmp_path)
    assert done.code == 2 and "v/old/a.c:1:31: error: 'X' is not declared" in done.err


def write_database(file: Path, *sources: Path, flags: tuple[str, ...] = ()) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    entries = [
        {"directory": str(file.parent), "file": str(each), "arguments": ["cc", *flags, str(each)]}
        for each in sources
    ]
    file.write_text(json.dumps(entries))


@pytest.mark.parametrize(
    "place",
    [
        "v/new/compile_commands.json",
        "v/new/build/compile_commands.json",
        "builddir/compile_commands.json",
        "v/_build/compile_commands.json",
    ],
)
def test_a_database_is_found_near_the_versions(tmp_path: Path, place: str) -> None:
    """In a repository also above them; it says which files belong, and with which flags."""
    (tmp_path / "top" / ".git").mkdir(parents=True)
    for side in ("old", "new"):
        folder = tmp_path / "top" / "v" / side
        folder.mkdir(parents=True)
        (folder / "a.c").write_text(
            f"int f(int x) {{ return x > LIMIT ? 1 : {side == 'old':d}; }}\n"
        )
        (folder / "other.c").write_text("int main(void) { return MISSING; }\n")
    write_database(tmp_path / "compile_commands.json", tmp_path / "above.c")  # of no interest
    new = tmp_path / "top" / "v" / "new"
    database = tmp_path / "top" / place
    write_database(database, new / "a.c", new / "gone.c", flags=("-DLIMIT=3",))
    done = csgtest("build", "new/../old", "new", "--time", "3", folder=new.parent)
    assert done.code == 1, done.err
    (said,) = [line for line in done.err.splitlines() if "flags for each file" in line]
    assert "compile_commands.json (1 of its files are gone: new/gone.c)" in said
    assert [each["flags"] for each in done.report["replay"]["new_files"]] == [["-DLIMIT=3"]]
    done = csgtest("unify", "old/a.c", "new/a.c", folder=new.parent)
    assert done.code == 0 and "x > 3" in done.out, done.err
    (new.parent / "more.c").write_text("int more;\n")
    done = csgtest("unify", "old/a.c", "new/a.c", "--with", "more.c", folder=new.parent)
    assert done.code == 2 and "does not name the files: it is not used" in done.err
    assert "LIMIT" in done.err


def test_a_database_of_the_checkout_says_how_both_revisions_are_compiled(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is ignored by git. Where how it is built differs, it is for where no build works."""
    repository.write(".gitignore", "build\n")
    sources = [repository.folder / each for each in ("src/words.c", "lib/number.c")]
    flags = ("-DEXTRA=1", f"-I{repository.folder}/lib")
    write_database(repository.folder / "build" / "compile_commands.json", *sources, flags=flags)
    repository.edit("src/words.c", "argc);", "argc + EXTRA);")
    repository.edit("Makefile", "all: sum words tests/check", "all:\n\tfalse\nnone:")
    repository.commit("no build")
    repository.edit("src/words.c", "argc + EXTRA);", "argc + EXTRA + 1);")
    words = ("unify", "HEAD", "-o", "both.c")
    done = csgtest(*words, folder=repository.folder)
    assert done.code == 0, done.err
    assert "files are compiled as build/compile_commands.json says" in done.err
    assert "change(argc, argc + 1) + 1" in (repository.folder / "both.c").read_text()
    done = csgtest(*words, "--build", "false", folder=repository.folder)
    assert done.code == 2 and "'false' ends with 1" in done.err  # who names a build means it
    repository.git("rm", "-q", "-f", "--cached", "Makefile")
    (repository.folder / "Makefile").unlink()
    done = csgtest(*words, folder=repository.folder)
    assert done.code == 0, done.err
    assert "is not used but where no build works: Makefile differs" in done.err
    assert "files are compiled as build/compile_commands.json says" in done.err


def commands(top: Path, *calls: tuple[str, str, str]) -> str:
    """A database about a source, its flags and its object each, of a build in ``top``/build."""
    return json.dumps(
        [
            {
                "directory": f"{top}/build",
                "file": f"../{file}",
                "command": f"cc -I../lib -I. {flags} -o {output} -c ../{file}",
            }
            for file, flags, output in calls
        ]
    )


CALLS = (
    ("lib/number.c", "-DOFFSET=2", "CMakeFiles/util.dir/lib/number.c.o"),
    ("src/sum.c", "-DLIMIT=4", "CMakeFiles/sum.dir/src/sum.c.o"),
    ("src/words.c", "-DLIMIT=7", "words.p/src_words.c.o"),
    ("tests/check.c", "", "tests/CMakeFiles/check.dir/check.c.o"),
)


def test_a_database_says_which_files_are_one_program(repository: Repository) -> None:
    """Generated headers are those of the user's build; what is new is compiled as its
    neighbours."""
    number = "#include <made.h>\n#include <number.h>\nint number(const char *t)\n{\n"
    repository.write("lib/number.c", number + "    return *t - MADE - OFFSET;\n}\n")
    repository.write(".gitignore", "build\nversion.h\n")
    repository.git("rm", "-q", "Makefile")
    repository.commit("another build")
    repository.write("version.h", '#define VERSION "mine"\n')
    repository.write("build/made.h", "#define MADE '0'\n")
    repository.write("build/compile_commands.json", commands(repository.folder, *CALLS))
    repository.edit("lib/number.c", "- OFFSET", "- more()")
    repository.edit("lib/number.c", "int number(", "int more(void);\nint number(")
    repository.write("lib/more.c", "int more(void) { return OFFSET + 1; }\n")
    repository.commit("another file")
    words = ("build", "HEAD~1..HEAD", "--sym-args", "0", "1", "1", "--time", "5")
    done = csgtest(*words, folder=repository.folder)
    assert done.code == 1, done
    assert "files are compiled as build/compile_commands.json says" in done.err
    assert done.out.startswith("csgtest-build/sum:"), (
        done.out
    )  # linked with libutil, not the others
    assert "linked with" not in done.err  # words does not call it
    replay = done.report["replay"]
    files = {each["shown"]: each["flags"] for each in replay["new_files"]}
    assert {Path(each).name for each in files} == {"number.c", "sum.c", "more.c"}
    assert all("LIMIT" not in str(each) for name, each in files.items() if "lib/" in name)
    assert not [each for each in files.values() if str(repository.folder / "build") in each]


def test_each_revision_may_have_a_database(repository: Repository) -> None:
    """As they are written elsewhere; and where one has none, that of the other one counts."""
    repository.git("rm", "-q", "Makefile")
    repository.write("version.h", '#define VERSION "1"\n')
    repository.write("compile_commands.json", commands(Path("/home/other/x"), *CALLS))
    repository.commit("a database")
    changed = [(file, flags.replace("=4", "=5"), output) for file, flags, output in CALLS]
    repository.write("compile_commands.json", commands(Path("/srv/y"), *changed))
    repository.commit("another limit")
    words = ("build", "--sym-args", "0", "1", "1", "--time", "5")
    done = csgtest(*words, "HEAD~1..HEAD", folder=repository.folder)
    assert done.code == 1, done
    assert "files are compiled as the compile_commands.json of each version says" in done.err
    assert done.out.startswith("csgtest-build/sum:"), done.out
    repository.git("rm", "-q", "compile_commands.json")
    repository.edit("src/sum.c", "large", "larger")
    repository.commit("no database")
    done = csgtest(*words, "HEAD~1..HEAD", folder=repository.folder)
    assert done.code == 1, done
    assert "files are compiled as compile_commands.json of " in done.err


def test_a_database_without_what_differs_is_not_used(repository: Repository) -> None:
    repository.write(".gitignore", "build\n")
    repository.commit("ignore")
    repository.write("build/compile_commands.json", commands(repository.folder, *CALLS[:2]))
    repository.edit("src/words.c", "argc);", "argc + 1);")
    done = csgtest("build", "--time", "2", folder=repository.folder)
    why = "is not used but where no build works: it does not name src/words.c"
    assert why in done.err and "building both versions: make" in done.err, done
    assert done.code == 1


def test_tests_and_examples_of_two_folders_do_not_stop_a_run(tmp_path: Path) -> None:
    """One has no header of its own, one a main of its own; what the program needs stays."""
    for side in ("old", "new"):
        folder = tmp_path / side
        for name, text in {
            "main.c": "int f(int);\nint main(int argc, char **argv) "
            f"{{ return f(argc) + (argc > 2) * {side == 'new':d}; }}\n",
            "examples/f.c": "int f(int x) { return x + 1; }\n",
            "tests/check.c": "#include <check_missing.h>\nint main(void) { check(1); }\n",
            "fuzz/drive.c": "int f(int);\nint main(void) { return f(2); }\n",
        }.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    words = ("build", "old", "new", "--sym-args", "0", "3", "1", "--time", "3")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 1, done.err
    notes = "\n".join(done.report["notes"])
    assert "new/tests/check.c is left out, for nothing of it is needed: " in notes
    assert "new/fuzz/drive.c is left out" in notes and "a main of its own" in notes
    files = [Path(each["path"]).name for each in done.report["replay"]["new_files"]]
    assert sorted(files) == ["f.c", "main.c"]
    (tmp_path / "new" / "second.c").write_text("int main(void) { return 0; }\n")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 2 and "'main' is defined a second time" in done.err


@pytest.mark.parametrize(
    ("changed", "code"), [("tool.c", 2), ("tool.h", 2), ("spare.c", 2), ("", 0), ("tests/u.c", 0)]
)
def test_what_differs_and_cannot_be_read_is_never_called_the_same(
    changed: str, code: int, tmp_path: Path
) -> None:
    """Nothing of it is needed by what can be read, which does not differ."""
    files = {
        "tool.c": '#include "tool.h"\n#include "made.h"\nint main(void) { return 1; }\n',
        "tool.h": "#define TOOL 1\n",
        "lib/copy.c": "int copy(int x) { return x; }\n",
        "tests/t.c": "int main(void) { return 0; }\n",
        "tests/u.c": '#include "made.h"\nint t = 1;\n',
    }
    for side in ("old", "new"):
        for name, text in files.items():
            file = tmp_path / side / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("1", "3") if (side, name) == ("new", changed) else text)
    if changed not in files and changed:
        (tmp_path / "new" / changed).write_text('#include "made.h"\nint spare;\n')
    done = csgtest("build", "old", "new", folder=tmp_path)
    assert done.code == code, done
    assert "made.h: No such file" in (done.err if code else done.out)


VENDOR = "int vendored(int x) { return x + 1; }\n"


@pytest.mark.parametrize(
    ("vendor", "lib", "alike"),
    [
        (VENDOR.replace("+ 1", "+ 2"), "vendored(x)", True),
        ("#include <stdlib.h>\nint vendored(int x) { return abs(x); }\n", "vendored(x)", True),
        (VENDOR + "int two(void) { return 2; }\n", "vendored(x) - two()", False),
        ("int api(int);\nint vendored(int x) { return x > 9 ? 1 : api(9); }\n", "x + 0", True),
        ("int fresh(int);\nint vendored(int x) { return fresh(x); }\n", "x", False),
    ],
)
def test_ignored_files_bring_no_changes_and_no_entries(
    vendor: str, lib: str, alike: bool, tmp_path: Path
) -> None:
    """Both versions have the new one, where that one goes with the rest of the old version."""
    text = "{}int vendored(int);\nint api(int x) {{ return {}; }}\n{}"
    fresh = "int fresh(int x) { return x; }\n" if "fresh" in vendor else ""
    two = "int two(void);\n" if "two" in lib else ""
    files = {
        "Makefile": "lib.a: lib.o vendor.o\n\tar rc $@ $^\n",
        "lib.h": "int api(int x);\n",
        "lib.c": text.format("", "vendored(x) + 1", ""),
        "vendor.c": VENDOR,
    }
    (tmp_path / "r").mkdir()
    repository = Repository(tmp_path / "r", files)
    repository.write("lib.c", text.format(two, lib, fresh))
    repository.write("vendor.c", vendor)
    words = ("--ignore", "vendor.c", "--no-replay", "--time", "3")
    done = csgtest("build", *words, folder=repository.folder)
    assert "ignored although they differ: vendor.c" in done.err
    assert ("since the versions cannot have one of them for both: vendor.c" in done.err) != alike
    versions = repository.folder / "csgtest-out/versions"
    texts = [(versions / side / "vendor.c").read_text() for side in ("old", "new")]
    assert texts == [vendor if alike else VENDOR, vendor]
    found = sorted((repository.folder / "csgtest-out").rglob("report.json"))
    reports = [read_report(each.parent) for each in found]
    runs = runs_of(repository.folder / "csgtest-out")
    assert sorted(runs.values()) == [each.parent for each in found]
    changed = {change["file"] for each in reports for change in each["changes"]}
    assert reports and any("vendor.c" in each for each in changed) != alike
    assert not alike or "vendored" not in {each["entry"] for each in reports}
