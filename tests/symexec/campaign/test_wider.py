"""A search that takes long looks beyond the bounds, where the user has set none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Done, csgtest, differing, until

DEEP = r"""
#include <stdio.h>
int main(int argc, char **argv)
{
    int c, n = 0, marks = 0;
    for (int i = 1; i < argc; i++)
        for (char *p = argv[i]; *p; p++)
            marks += *p == 'x' ? 1 : *p == 'y' ? 2 : 3;
    FILE *in = OPENED;
    if (in == NULL)
        return 1;
    while ((c = getc(in)) == "<!--x>"[n])
        n++;
    if (n == 6)
        printf("%s %d\n", "MARK", marks);
    return 0;
}
"""
BROAD = r"""
#include <stdio.h>
int main(void)
{
    int c, sum = 0;
    while ((c = getchar()) != EOF) {
        switch (c) {
        case 'a': sum += 1; break;
        case 'b': sum += 5; break;
        case 'c': sum ^= 3; break;
        case 'd': sum *= 7; break;
        case 'e': sum -= 9; break;
        default: sum++;
        }
    }
    printf("%d\n", TWICE);
    return 0;
}
"""


def written(folder: Path, text: str, old: str, new: str) -> tuple[str, ...]:
    """What to ask for; the versions are there."""
    for name, value in (("old.c", old), ("new.c", new)):
        (folder / name).write_text(text.replace("MARK", value).replace("TWICE", value))
    return ("build", "old.c", "new.c", "--no-native", "--without", "usage")


def built(folder: Path, text: str, old: str, new: str, *words: str) -> Done:
    return csgtest(*written(folder, text, old, new), *words, folder=folder)


@pytest.mark.parametrize("opened", ["stdin", 'argc == 2 ? fopen(argv[1], "r") : NULL'])
def test_more_is_read_than_the_bounds_allow(opened: str, tmp_path: Path) -> None:
    words = written(tmp_path, DEEP.replace("OPENED", opened), "one", "two")
    done = until(differing, *words, "--time", "60", folder=tmp_path)
    assert done.report["verdict"] == "different", done
    for test in done.differing:
        given = test["input"]
        assert "<!--x>" in (given["stdin"][:6], *(data[:6] for data in given["files"].values()))
        assert max(len(given["stdin"]), *map(len, given["files"].values()), 0) <= 12
    assert done.report["counters"]["mispredicted"] == 0


def test_bounds_of_the_user_hold(tmp_path: Path) -> None:
    text = DEEP.replace("OPENED", "stdin")
    done = built(tmp_path, text, "one", "two", "--sym-args", "0", "4", "6", "--time", "4")
    assert done.code == 0, done


def test_what_lies_beyond_does_not_keep_the_bounds_from_being_exhausted(tmp_path: Path) -> None:
    """Which is known long before the time is over."""
    words = (*written(tmp_path, BROAD, "2 * sum", "sum + sum"), "--time", "60")
    done = until(lambda report: report["counters"].get("exhausted"), *words, folder=tmp_path)
    assert done.report["verdict"] == "equivalent-within-bounds", done
    assert done.report["counters"]["states"] > 1000
