"""Where nobody says how much a program reads, it is more and more while there is time."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import csgtest, differing, until, write_versions

CHUNKS = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    unsigned char magic[8], name[5] = "", *data;
    int depth = 0, size;
    if (fread(magic, 1, 8, stdin) != 8 || memcmp(magic, "\\x89PIC\\r\\n\\x1a\\n", 8))
        return puts("no picture");
    while ((size = getchar()) != EOF) {
        if (fread(name, 1, 4, stdin) != 4 || !(data = malloc(size + 1)))
            return puts("broken");
        if (fread(data, 1, size, stdin) != size)
            return puts("short");
        if (!strcmp((char *) name, "HEAD"))
            depth = size ? data[0] : 0;
        else if (!strcmp((char *) name, "PALT") && GUARD)
            return puts("bad palette");
        free(data);
    }
    return puts("good");
}
"""


def write(folder: Path, old: str, new: str) -> None:
    write_versions(folder, CHUNKS.replace("GUARD", old), CHUNKS.replace("GUARD", new))


def test_a_chunk_behind_another_is_found_without_a_word_about_sizes(tmp_path: Path) -> None:
    """It takes 20 bytes that fit each other: a header that says 4, and a palette of one byte."""
    write(tmp_path, "depth == 4 && size == 1", "depth == 4 && size == 1 && data[0] != 'q'")
    words = ("build", "old.c", "new.c", "--no-native", "--time", "120")
    done = until(differing, *words, folder=tmp_path)
    assert done.report["verdict"] == "different", done
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0)


def test_the_verdict_is_that_of_the_bounds(tmp_path: Path) -> None:
    """What is left open beyond them is told, and takes nothing from it."""
    write(tmp_path, "depth == 4 && size > 2", "depth == 4 && size >= 3")
    done = csgtest("build", "old.c", "new.c", "--no-native", "--time", "4", folder=tmp_path)
    assert done.code == 0, done.out
    assert done.report["verdict"] == "equivalent-within-bounds"
    assert done.report["bounds"]["sym_stdin"] == 4
    deeper = done.report["bounds"]["deeper"]
    assert deeper[0]["sym_stdin"] == 12
    cut = [level for level in deeper if not level["exhausted"]]
    assert f"Beyond the bounds, {cut[-1]['within']}: not all paths were followed" in done.out
    again = csgtest(
        *("build", "old.c", "new.c", "--no-native", "--time", "4", "--without", "bounds"),
        folder=tmp_path,
    )
    assert again.report["verdict"] == "equivalent-within-bounds"
    assert "deeper" not in again.report["bounds"]
