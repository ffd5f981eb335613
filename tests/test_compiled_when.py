"""Two versions are never told apart by when they were compiled."""

from __future__ import annotations

import os
from pathlib import Path

from tests.command_line import csgtest

PROGRAM = r"""
#include <stdio.h>
int main(int argc, char **argv)
{
    printf("compiled %s %s, %s\n", __DATE__, __TIME__, __TIMESTAMP__);
    if (argc == 2 && argv[1][0] == 'x')
        puts("MARK");
    return 0;
}
"""
SHOWN = "compiled Sep 13 2020 12:26:40, Sun Sep 13 12:26:40 2020\n"


def test_the_clock_of_the_compiler_stands(tmp_path: Path) -> None:
    for name, mark, when in (("old.c", "one", 1e9), ("new.c", "two", 1.5e9)):
        (tmp_path / name).write_text(PROGRAM.replace("MARK", mark))
        os.utime(tmp_path / name, (when, when))
    words = "build old.c new.c --sym-args 0 1 1 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1, done
    assert [test["input"]["args"] for test in done.differing] == [["x"]]
    assert done.differing[0]["old"]["stdout"] == f"{SHOWN}one\n"
    assert len(done.report["changes"]) == 1
    assert done.report["counters"]["mispredicted"] == 0
    shown = csgtest("run", "old.c", folder=tmp_path)
    assert shown.out == SHOWN
