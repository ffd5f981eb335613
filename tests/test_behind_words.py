"""A read behind the end of a word of the command line goes on, as it does natively."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.command_line import csgtest

BLIND = r"""
#include <stdio.h>
static int begins(const char *name, const char *word)
{
    int same = 1;
    while (*name)
        if (*name++ != *word++)
            same = 0; /* and on it goes */
    return same;
}
int main(int argc, char **argv)
{
    if (argc != 2)
        return 0;
    if (begins("long-option-name", argv[1]))
        return 2;
    puts(begins("b", argv[1]) ? "MARK" : "one");
    return 0;
}
"""


def test_a_difference_behind_such_a_read_is_found(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text(BLIND.replace("MARK", "one"))
    (tmp_path / "new.c").write_text(BLIND.replace("MARK", "two"))
    words = "build old.c new.c --sym-args 0 1 2 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1, done
    assert {test["input"]["args"][0][0] for test in done.differing} == {"b"}
    assert done.report["counters"]["mispredicted"] == 0
    (note,) = done.report["notes"]
    assert note.startswith("new.c:7:9: approximated: read behind the end of argv[1]: zero here")


def test_versions_are_not_called_equivalent_behind_it(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text(BLIND.replace("MARK", "one"))
    (tmp_path / "new.c").write_text(
        BLIND.replace('"MARK" : "one"', '"o" "ne" : argv[1] ? "one" : ""')
    )
    words = "build old.c new.c --sym-args 0 1 2 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.report["verdict"] == "no-difference-found", done


def test_who_asks_for_errors_gets_one(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text(BLIND)
    words = "explore old.c --sym-args 0 1 2 --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert "out-of-bounds: read of 1 at argv[1], offset 3" in done.out, done


PEEK = r"""
#include <stdio.h>
int main(int argc, char **argv)
{
    if (argc == 3)
        printf("%s, %s\n", argv[1] + 2, argv[1] + 2 + sizeof "bc");
    return 0;
}
"""


def test_a_concrete_run_reads_the_next_word(tmp_path: Path) -> None:
    (tmp_path / "peek.c").write_text(PEEK)
    program = tmp_path / "peek"
    subprocess.run(["cc", "-w", "-o", program, tmp_path / "peek.c"], check=True)
    environment = {"LC_ALL": "C", "TZ": "UTC"}
    native = subprocess.run(
        [program, "a", "bc"], capture_output=True, text=True, env=environment, check=False
    )
    shown = csgtest("run", "peek.c", "--", "a", "bc", folder=tmp_path)
    assert (shown.code, shown.out) == (native.returncode, native.stdout) == (0, "bc, LC_ALL=C\n")
