"""csgtest on programs of several files, as a user calls it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import SAMPLES, csgtest, write_versions

SHELF = SAMPLES / "shelf"


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    shutil.copytree(SHELF, tmp_path / "shelf")
    return tmp_path / "shelf"


@pytest.mark.slow
def test_changes_of_two_files_are_blamed_together(shelf: Path) -> None:
    """Folders; blame needs the mask build of all files; replay builds them again elsewhere."""
    done = csgtest("build", "old", "new", "--sym-args", "1", "1", "2", "--time", "30", folder=shelf)
    assert done.code == 1, done
    report = done.report
    assert {change["file"] for change in report["changes"]} == {"new/place.c", "new/slots.c"}
    assert {tuple(group["blamed"]) for group in report["groups"]} == {(1, 2)}
    assert {group["class"] for group in report["groups"]} == {"regression"}
    assert report["counters"]["mispredicted"] == 0
    files = [file["path"] for file in report["replay"]["old_files"]]
    assert files == ["old/main.c", "old/place.c", "old/slots.c"]
    unified = subprocess.run(
        ["gcc", "-w", "csgtest-out/unified.c", "new/main.c", "-o", "both"], cwd=shelf, check=False
    )
    assert unified.returncode == 0
    again = csgtest("replay", shelf / "csgtest-out", folder=shelf.parent)
    assert again.code == 1
    *lines, last = again.out.splitlines()
    assert {line.split()[1] for line in lines} == {"confirmed"}
    assert last == f"{len(lines)} tests: {len(lines)} confirmed"


@pytest.mark.slow
def test_the_entry_may_stand_in_a_file_that_is_shared(shelf: Path) -> None:
    (shelf / "entry.c").write_text(
        '#include "old/shelf.h"\n'
        "static int checked(int place) { return place < 0 ? 0 : place; }\n"
        "int entry(int place) { return put(checked(place)); }\n"
        "int main(void) { return entry(1); }\n"
    )
    words = "build old/slots.c new/slots.c --with old/place.c entry.c --entry entry --time 20"
    done = csgtest(*words.split(), "--range", "place=-3..9", folder=shelf)
    assert done.code == 1, done
    assert done.report["replay"]["old_files"][0]["path"] == "entry.c"
    assert done.report["replay"]["signature"]["name"] == "entry"
    assert {group["witness"] for group in done.report["groups"]} <= {
        test["id"] for test in done.differing
    }
    assert len(done.differing) > 0
    assert all(test["input"]["parameters"]["place"] > 8 for test in done.differing)


def test_a_graph_and_a_unified_text_of_folders(shelf: Path) -> None:
    drawn = csgtest("graph", "old", "new", folder=shelf)
    assert drawn.code == 0
    assert "new/place.c:4" in drawn.out and "new/slots.c:9" in drawn.out
    unified = csgtest("unify", "old", "new", folder=shelf)
    assert unified.code == 0
    assert "int checked__slots(int place)" in unified.out
    assert "main(" not in unified.out  # shared: not part of what differs


def test_the_same_folder_twice_is_no_change(shelf: Path) -> None:
    done = csgtest("build", "new", "new", folder=shelf)
    assert (done.code, done.report["verdict"]) == (0, "no-change")


ROWS = [
    # (words of the call, what the message begins with, what else it says)
    ("build old/slots.c new/slots.c --with old/nowhere.c", "error: old/nowhere.c: no such", ""),
    ("graph old/slots.c new/slots.c --with old", "error: old is no regular file", "hint"),
    ("graph old new/slots.c", "error: old is no regular file", "two C files, or two folders"),
    ("graph empty empty", "error: neither empty nor empty has a C file", "hint"),
    ("build old new --with twice.c", "twice.c:2:5: error: function 'put' is defined a second time",
     "hint: the first definition is at new/slots.c:12:5"),
    ("graph old new --with wrong.c", "wrong.c:1:26: error: 'y' is not declared", "hint"),
    ("graph old new -p old", "error: cannot read 'old/compile_commands.json': No such", ""),
    ("graph old new -p bad", "error: bad/compile_commands.json is no database", ""),
    ("graph old new -p build", "error: build/compile_commands.json does not say how", "hint"),
    ("graph old new -p folder", "old/main.c:3:10: error: no_such_header.h: No such file", "hint"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "begin", "other"), ROWS)
def test_trouble_is_told_where_it_is(shelf: Path, words: str, begin: str, other: str) -> None:
    (shelf / "empty").mkdir()
    (shelf / "twice.c").write_text("\nint put(int place) { return place; }\n")
    (shelf / "wrong.c").write_text("int wrong(void) { return y; }\n")
    for folder, content in (("bad", "{"), ("build", "[]")):
        (shelf / folder).mkdir()
        (shelf / folder / "compile_commands.json").write_text(content)
    (shelf / "folder").mkdir()
    main = (shelf / "old" / "main.c").read_text()
    entries = [
        {"directory": str(shelf), "file": f"{side}/{name}.c", "arguments": ["cc", "-DWANTS_MORE"]}
        for side in ("old", "new")
        for name in ("main", "place", "slots")
    ]
    (shelf / "folder" / "compile_commands.json").write_text(json.dumps(entries))
    guarded = '#ifdef WANTS_MORE\n#include "no_such_header.h"\n#endif\n'
    (shelf / "old" / "main.c").write_text(main.replace("#include", guarded + "#include", 1))
    done = csgtest(*words.split(), folder=shelf)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"csgtest: {begin}"), done.err
    assert other in done.err and "Traceback" not in done.err
    assert not (shelf / "csgtest-out").exists()


def test_inline_functions_of_a_header_are_in_every_file(tmp_path: Path) -> None:
    """One of the shared files gives them external linkage, as C asks of one; the program that is
    switched by a mask links all the same, so there is something to blame."""
    (tmp_path / "twice.h").write_text(
        "inline int twice(int x) { return 2 * x; }\n"
        "inline int unused(int x) { return x ? twice(x) : 0; }\n"
    )
    (tmp_path / "twice.c").write_text(
        '#include "twice.h"\nextern inline int twice(int x);\nextern inline int unused(int x);\n'
    )
    text = '#include "twice.h"\nint entry(int x) {{ return twice(x) + unused(x) + {}; }}\n'
    write_versions(tmp_path, text.format(1), text.format("(x > 9 ? 2 : 1)"))
    words = "build old.c new.c --with twice.c --entry entry --range x=0..20 --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1, done
    assert [group["blamed"] for group in done.report["groups"]] == [[1]]
    assert "blame unknown" not in done.out


@pytest.mark.parametrize("shared", [True, False])
def test_weak_definitions_yield(tmp_path: Path, shared: bool) -> None:
    """A header may define them in every file that includes it, and a file may have a better one."""
    for folder, edited in (("old", "x > 9"), ("new", "x > 8")):
        (tmp_path / folder).mkdir()
        header = tmp_path / folder / "all.h"
        header.write_text(
            "#define WEAK __attribute__((weak))\n"
            "WEAK int twice(int x) { return 2 * x; }\n"
            "WEAK int own(int x) { return x; }\n"
            "WEAK int step = 1;\n"
            "int other(int x);\n" + ("" if shared else f"extern int {folder};\n")
        )
        text = '#include "all.h"\nint other(int x) { return twice(x) + step; }\n'
        (tmp_path / folder / "better.c").write_text(
            "int own(int x) { return x + 100; }\nint step = 5;\n"
        )
        (tmp_path / folder / "other.c").write_text(text)
        text = (
            '#include "all.h"\nint entry(int x) { return twice(x) + other(x) + own(x) + (%s); }\n'
        )
        (tmp_path / folder / "main.c").write_text(text % edited)
    words = "build old new --entry entry --range x=0..20 --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1, done
    assert [each["input"]["parameters"] for each in done.differing] == [{"x": 9}]
    (outcome,) = {each["old"]["returned"] for each in done.differing}
    assert int(outcome) == 18 + 18 + 5 + 109
    assert not done.report["counters"]["mispredicted"]


@pytest.mark.parametrize("words", ["run count.c --with words.c none.c -- a bc", "explore count.c"])
def test_main_may_stand_in_any_file_and_a_file_may_define_nothing(
    words: str, tmp_path: Path
) -> None:
    (tmp_path / "none.c").write_text("#ifdef NOT_HERE\nint spare;\n#endif\n")
    (tmp_path / "count.c").write_text(
        "int count(char **words) { int n = 0; while (words[n]) n++; return n; }\n"
    )
    (tmp_path / "words.c").write_text(
        "int count(char **words);\nint main(int argc, char **argv) { return count(argv + 1); }\n"
    )
    if words.startswith("explore"):
        words += " --with words.c none.c --sym-args 0 2 1 --time 10"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == (2 if words.startswith("run") else 0), done
    assert "error" not in done.err


REPLACED = """\
#include <stdio.h>
#include <stdlib.h>
#define abs rpl_abs
#define fseeko rpl_fseeko
extern int rpl_abs(int value);
extern int rpl_fseeko(FILE *stream, off_t offset, int whence);
int f(int x)
{
    if (fseeko(stdin, 0, SEEK_SET) == 7)
        return -1;
    return abs(x) > 3;
}
"""


@pytest.mark.parametrize("defined", [False, True])
def test_a_replacement_that_nothing_defines_is_what_it_replaces(
    defined: bool, tmp_path: Path
) -> None:
    """As gnulib's headers name it, where its own file is not there; else it is called."""
    own = "#undef abs\nint rpl_abs(int value) { return abs(value) + 1; }\n" if defined else ""
    (tmp_path / "old.c").write_text(REPLACED + own)
    (tmp_path / "new.c").write_text(REPLACED.replace("> 3", "> 4") + own)
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "5", folder=tmp_path)
    assert done.code == 1, done.err
    assert {abs(each["input"]["parameters"]["x"]) for each in done.differing} == {4 - defined}
    said = [each for each in done.report["notes"] if "is defined nowhere" in each]
    names = ["fseeko"] if defined else ["abs", "fseeko"]
    assert said == [
        f"rpl_{name} is defined nowhere: calls of {name} are those of the C library"
        for name in names
    ]


def test_the_file_of_a_replacement_may_be_no_c_here(tmp_path: Path) -> None:
    """gnulib's fseeko.c knows the streams of some C libraries; it is left out for every entry."""
    for name, limit in (("old", "> 3"), ("new", "> 4")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f.c").write_text(REPLACED.replace("> 3", limit))
        (tmp_path / name / "fseeko.c").write_text(
            "#include <stdio.h>\n#undef fseeko\n"
            "int\nfseeko (FILE *stream, off_t offset, int whence)\n"
            '{\n#error "Please port gnulib fseeko.c to your platform!"\n}\n'
        )
    done = csgtest("build", "old", "new", "--entry", "f", "--time", "5", folder=tmp_path)
    assert done.code == 1, done.err
    notes = "\n".join(done.report["notes"])
    assert "rpl_fseeko is defined nowhere" in notes and "fseeko.c is left out" in notes


def test_an_inline_function_is_the_one_that_its_file_emits(tmp_path: Path) -> None:
    """C17 6.7.4p7: without ``extern`` a definition is none for other files, and the compiler may
    call theirs, in which no branch is recorded."""
    header = "inline int cut(int n)\n{\n    if (n > 5)\n        return 5;\n    return n;\n}\n"
    for version, add in (("old", "0"), ("new", "(x == 7)")):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "cut.h").write_text(header)
        (folder / "cut.c").write_text('#include "cut.h"\nextern inline int cut(int n);\n')
        text = f'#include "cut.h"\nint f(int x)\n{{\n    return cut(x) + cut(x + 1) + {add};\n}}\n'
        (folder / "f.c").write_text(text)
    done = csgtest("build", "old", "new", "--entry", "f", "--time", "10", folder=tmp_path)
    assert done.code == 1, done.err
    assert not done.report["counters"]["mispredicted"]
    assert not done.report["counters"].get("branch_mismatches"), done.out
    assert done.report["counters"]["branches_compared"]
