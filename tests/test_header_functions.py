"""Static functions of a header: whoever includes it calls them, whatever the library does.

    lib.h    static inline int twice(int a) { return a + a; }       return a * 3;
    lib.c    twice(0), or no call at all

A user of the library, compiled by gcc, includes the header of each version and is the truth.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.callers import shown_by_caller
from tests.command_line import Done, csgtest
from tests.nightly import every
from tests.repositories import Repository

HEAD = "int half(int a);\n"
MAIN = 'for (int a = -70000; a < 70000; a++) printf("%d ", f(a))'
# What the header has in the versions; f is a static function of one int.
HEADERS = {
    "another value": ("static inline int f(int a) { return a > 8 ? 1 : a; }", "> 8", "> 7"),
    "a rounded value": (
        "static inline int f(int a) { return (a + 32768) / 65536; }",
        "(a + 32768) / 65536",
        "a / 65536 + (a % 65536 >= 32768)",
    ),
    "no inline": ("static int f(int a) { return a & 7; }", "& 7", "& 6"),
    "another function": (
        "static inline int g(int a) { return a < 5; }\n"
        "static inline int f(int a) { return g(a) ? 2 : 1; }",
        "a < 5",
        "a < 6",
    ),
    "a table": (
        "static const int table[] = {1, 2, 3, 4};\n"
        "static inline int f(int a) { return table[a & 3]; }",
        "3, 4",
        "3, 5",
    ),
    "a macro": (
        "#define LIMIT 10\nstatic inline int f(int a) { return a > LIMIT; }",
        "LIMIT 10",
        "LIMIT 11",
    ),
    "a structure": (
        "struct pair { signed char low; int high; };\n"
        "static inline int f(int a) { struct pair p; p.low = a; return p.low; }",
        "signed char",
        "short",
    ),
    "two lines": (
        "static inline int\nf(int a)\n{\n    return a < 0 ? 0 : a;\n}",
        "a < 0",
        "a <= 1",
    ),
    "the same, in other words": ("static inline int f(int a) { return a & 1; }", "a & 1", "1 & a"),
    "the same, by another operator": (
        "static inline unsigned f(unsigned a) { return a * 4; }",
        "a * 4",
        "a << 2",
    ),
}
# What the library does with it.
USES = {
    "none": "int half(int a) { return a / 2; }",
    "for 0": "int half(int a) { return a / 2 + f(0) - f(0); }",
    "in a test": "int half(int a) { return a / 2; }",
    "for all": "int half(int a) { return a / 2 + f(a); }",
}
WAYS = ("folders", "files", "revisions")
CASES = [(header, use, way) for way in WAYS for use in USES for header in HEADERS]


def versions(header: str) -> tuple[str, str]:
    text, before, after = HEADERS[header]
    return tuple(f"{each}\n{HEAD}" for each in (text, text.replace(before, after)))  # type: ignore[return-value]


def built(folder: Path, header: str, use: str, way: str) -> Done:
    """What csgtest says of both versions of the library."""
    rest = {"lib.c": f'#include "lib.h"\n{USES[use]}\n'}
    if use == "in a test":
        rest["tests/check.c"] = '#include "../lib.h"\nint main(void) { return f(1) != f(1); }\n'
    old, new = versions(header)
    if way == "revisions":
        repository = Repository(folder, {"lib.h": old, **rest})
        repository.write("lib.h", new)
        repository.commit("change")
        return csgtest("build", "HEAD~1..HEAD", "--time", "40", folder=folder)
    for side, text in (("old", old), ("new", new)):
        for name, content in {"lib.h": text, **rest}.items():
            file = folder / side / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
    places = ("old", "new") if way == "folders" else ("old/lib.c", "new/lib.c", "--entry", "auto")
    return csgtest("build", *places, "--time", "40", folder=folder)


@pytest.mark.parametrize("case", every(40, CASES, 1), ids=", ".join)
def test_users_of_a_header_see_what_differs(case: tuple[str, str, str], tmp_path: Path) -> None:
    """No answer says that the versions are equal where a user of the header can tell them apart."""
    header, use, way = case
    before, after = (
        shown_by_caller(tmp_path, f"#include <stdio.h>\n{text}", MAIN) for text in versions(header)
    )
    folder = tmp_path / "library"
    folder.mkdir()
    done = built(folder, header, use, way)
    if before == after:
        assert done.code == 0 and "not tested" not in done.out + done.err, done.out
    else:
        assert done.code == 1, done.out + done.err
    assert "all callers of this static function" not in done.out


FILES = {
    "lib.h": "static inline int f(int a) { return a + a; }\nint half(int a);\n",
    "lib.c": '#include "lib.h"\nint half(int a) { return a / 2 + f(0); }\n',
}


def written(folder: Path, files: dict[str, str], before: str, after: str) -> None:
    for side in ("old", "new"):
        for name, text in files.items():
            file = folder / side / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace(before, after) if side == "new" else text)


@pytest.mark.parametrize(("name", "known"), [("main.c", True), ("tests/main.c", False)])
def test_callers_are_known_in_a_whole_program_alone(name: str, known: bool, tmp_path: Path) -> None:
    """The main of a test is not all that calls a library."""
    main = '#include "lib.h"\nint main(void) { return half(f(0)); }\n'
    main = main.replace("lib.h", "../lib.h") if "/" in name else main
    written(tmp_path, {**FILES, name: main}, "a + a", "a * 3")
    done = csgtest("build", "old", "new", "--entry", "f", "--time", "40", folder=tmp_path)
    assert ("all callers of this static function" in done.out) is known
    assert done.code == (0 if known else 1), done.out


def test_what_no_file_uses_of_a_header_is_named(tmp_path: Path) -> None:
    """No function uses a table; a function is gone."""
    header = "static const int table[] = {1, 2};\n" + FILES["lib.h"]
    gone = "static inline int gone(long a, long b) { return a < b ? 7 : 5; }\n"
    written(tmp_path, {**FILES, "lib.h": header + gone}, "{1, 2}", "{1, 3}")
    file = tmp_path / "new" / "lib.h"
    file.write_text(file.read_text().replace(gone, ""))
    done = csgtest("build", "old", "new", "--entry", "auto", "--time", "40", folder=tmp_path)
    said = done.out + done.err
    assert done.code == 2, said
    assert "not tested: table: no function uses it" in said
    assert "not tested: gone: only the old version has it" in said


def test_a_program_says_what_it_does_not_use_of_a_header(tmp_path: Path) -> None:
    """It is no change of the program, but does not mean the same."""
    main = '#include "lib.h"\nint main(void) { return 0; }\n'
    macro = "#define TWO_LINES(a) \\\n    ((a) + 1)\nint half(int a);\n"
    files = {"lib.h": macro + FILES["lib.h"], "main.c": main}
    written(tmp_path, files, "+ ", "- ")
    done = csgtest("build", "old", "new", folder=tmp_path)
    assert done.code == 0, done.err
    assert "lib.h:2 differs: macro TWO_LINES: nothing that is compiled became diff" in done.out
    assert "differs: it means the same" not in done.out
