"""Files are input and output: found, replayed and explained like arguments and what is printed."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import csgtest, write_versions

COPIES = """
#include <stdio.h>
int main(int argc, char **argv)
{
    FILE *in = argc > 1 ? fopen(argv[1], "r") : 0;
    if (!in)
        return 1;
    FILE *out = fopen("out", "w");
    int c;
    while ((c = getc(in)) != EOF)
        putc(c == ' ' ? BLANK : c, out);
    fclose(in);
    return fclose(out);
}
"""


def test_versions_that_differ_in_a_file_that_they_write(tmp_path: Path) -> None:
    write_versions(tmp_path, COPIES.replace("BLANK", "'_'"), COPIES.replace("BLANK", "'-'"))
    words = ("build", "old.c", "new.c", "--sym-args", "1", "1", "1", "--sym-files", "1", "2")
    done = csgtest(*words, "--time", "20", folder=tmp_path)
    assert done.code == 1, done.err
    assert done.report["counters"]["mispredicted"] == 0
    for test in done.differing:
        (name, data), *others = test["input"]["files"].items()
        assert name == "A" and " " in data and not others
        assert test["old"]["files"] == {"out": data.replace(" ", "_")}
        assert test["new"]["files"] == {"out": data.replace(" ", "-")}
    assert "printf ' ' > A; ./new A" in done.out
    again = csgtest("replay", "csgtest-out", folder=tmp_path)
    assert again.code == 1, again.err
