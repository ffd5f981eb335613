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
