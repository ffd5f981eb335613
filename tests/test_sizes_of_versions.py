"""An object that is larger in one version: each access, of the program itself or of a function of
the library, is judged by the size that its own version asked for.

old: malloc(8 * n + 16)    new: malloc(8 * n + 8)    p[8 * n .. 8 * n + 16) is too much for new only
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest

ACCESSES = {
    "stores": "for (i = 0; i < 16; i++) p[8 * n + i] = text[i];",
    "a word": "*(long long *)(p + 8 * n + 8) = 1;",
    "memset": "memset(p + 8 * n, 1, 16);",
    "memcpy": "memcpy(p + 8 * n, text, 16);",
    "memcpy from it": "memset(p, 0, 8 * n + 8); memcpy(text, p + 8 * n, 16);",
    "strcpy": "strcpy(p + 8 * n, text);",
    "snprintf": 'snprintf(p + 8 * n, 16, "%s", text);',
    "sscanf": 'sscanf(text, "%15s", p + 8 * n);',
    "fstat": "if (n > 1) fstat(0, (struct stat *)(p + 8 * n + 16 - sizeof(struct stat)));",
}  # fmt: skip

_PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int entry(unsigned n)
{{
    static char text[] = "fifteen_letters";
    unsigned i = 0, start = {start};
    char *p = malloc(start + 8 * n + {rest});

    if (p == 0)
        return 1;
    p += start;
    {access}
    free(p - start);
    return 0;
}}
"""


def versions(folder: Path, access: str, start: int, new_rest: int) -> None:
    for side, rest in (("old", 16), ("new", new_rest)):
        (folder / f"{side}.c").write_text(
            _PROGRAM.format(access=ACCESSES[access], start=start, rest=rest)
        )


@pytest.mark.parametrize("known", [True, False], ids=["known", "symbolic"])
@pytest.mark.parametrize("access", [each for each in ACCESSES if each != "fstat"])
def test_too_much_for_the_new_version_alone(tmp_path: Path, access: str, known: bool) -> None:
    versions(tmp_path, access, 0, 8)
    bound = "2..2" if known else "0..5"
    words = f"build old.c new.c --entry entry --range n={bound} --time 30"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1, done
    assert done.report["counters"]["mispredicted"] == 0
    assert {test["class"] for test in done.differing} == {"regression"}
    assert {test["new"]["sanitizer"] for test in done.differing} == {"heap-buffer-overflow"}


@pytest.mark.parametrize("access", ["stores", "memset", "strcpy", "fstat"])
def test_room_to_spare_is_no_difference(tmp_path: Path, access: str) -> None:
    versions(tmp_path, access, 128 if access == "fstat" else 0, 24)
    words = "build old.c new.c --entry entry --range n=0..5 --time 30"
    done = csgtest(*words.split(), folder=tmp_path)
    assert (done.code, done.report["verdict"]) == (0, "equivalent-within-bounds"), done


def test_what_becomes_of_the_arguments_is_nobodys_to_see(tmp_path: Path) -> None:
    """Programs permute argv, and cut its words; both are gone with the process."""
    text = "int main(int argc, char **argv) {{ {} return argc > 2; }}\n"
    (tmp_path / "old.c").write_text(text.format(""))
    (tmp_path / "new.c").write_text(text.format("if (argc > 1) argv[1][0] = 0, argv[0] = argv[1];"))
    done = csgtest("build", "old.c", "new.c", "--sym-args", "0", "2", "2", folder=tmp_path)
    assert (done.code, done.report["verdict"]) == (0, "equivalent-within-bounds"), done
