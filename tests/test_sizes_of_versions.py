"""An object that is larger in one version: each access, of the program itself or of a function of
the library, is judged by the size that its own version asked for.

old: malloc(8 * n + 16)    new: malloc(8 * n + 8)    p[8 * n .. 8 * n + 16) is too much for new only

All accesses stand in one program, which is told by a parameter which of them to make.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.command_line import Done, csgtest

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

int entry(unsigned access, unsigned n)
{{
    static char text[] = "fifteen_letters";
    unsigned i = 0, start = {start};
    char *p = malloc(start + 8 * n + {rest});

    if (p == 0)
        return 1;
    p += start;
    switch (access) {{
{accesses}
    }}
    free(p - start);
    return 0;
}}
"""


def built(folder: Path, accesses: Sequence[str], start: int, new_rest: int, n: str) -> Done:
    cases = "\n".join(
        f"    case {number}: {ACCESSES[name]} break;" for number, name in enumerate(accesses)
    )
    for side, rest in (("old", 16), ("new", new_rest)):
        text = _PROGRAM.format(accesses=cases, start=start, rest=rest)
        (folder / f"{side}.c").write_text(text)
    ranges = f"--range access=0..{len(accesses) - 1} --range n={n}"
    words = f"build old.c new.c --entry entry {ranges} --time 60"
    return csgtest(*words.split(), folder=folder)


@pytest.mark.parametrize("n", ["2..2", "0..5"], ids=["known", "symbolic"])
def test_too_much_for_the_new_version_alone(tmp_path: Path, n: str) -> None:
    accesses = [each for each in ACCESSES if each != "fstat"]
    done = built(tmp_path, accesses, 0, 8, n)
    assert done.code == 1, done
    assert done.report["counters"]["mispredicted"] == 0
    shown = {accesses[test["input"]["parameters"]["access"]] for test in done.differing}
    assert shown == set(accesses)
    assert {test["class"] for test in done.differing} == {"regression"}
    assert {test["new"]["sanitizer"] for test in done.differing} == {"heap-buffer-overflow"}


@pytest.mark.parametrize(
    ("accesses", "start"), [(["stores", "memset", "strcpy"], 0), (["fstat"], 128)]
)
def test_room_to_spare_is_no_difference(tmp_path: Path, accesses: list[str], start: int) -> None:
    done = built(tmp_path, accesses, start, 24, "0..5")
    # What the system says of a standard stream may be otherwise, and decide.
    verdict = "no-difference-found" if "fstat" in accesses else "equivalent-within-bounds"
    assert (done.code, done.report["verdict"]) == (0, verdict), done


def test_what_becomes_of_the_arguments_is_nobodys_to_see(tmp_path: Path) -> None:
    """Programs permute argv, and cut its words; both are gone with the process."""
    text = "int main(int argc, char **argv) {{ {} return argc > 2; }}\n"
    (tmp_path / "old.c").write_text(text.format(""))
    (tmp_path / "new.c").write_text(text.format("if (argc > 1) argv[1][0] = 0, argv[0] = argv[1];"))
    done = csgtest("build", "old.c", "new.c", "--sym-args", "0", "2", "2", folder=tmp_path)
    assert (done.code, done.report["verdict"]) == (0, "equivalent-within-bounds"), done
