"""Builds that edit what they have compiled, so that both versions look alike afterwards: no call
ends as if they were the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest
from tests.hostile.judging import is_clean
from tests.nightly import every
from tests.repositories import Repository

SOURCE = """\
#include <stdio.h>
{head}int f(int x) {{ return x + {number}; }}
int main(int argc, char **argv) {{ printf("%d\\n", f(argc)); return 0; }}
"""
HEAD = '#include "number.h"\n'
RULE = "prog:\n\t{before}\n\t$(CC) -c a.c {flags}\n\t$(CC) -o prog a.o\n\t{after}\n"
SAME = "sed -i 's/x + [0-9]/x + 1/' a.c"
BUILDS = {  # by what it does: before and behind the call of the compiler; flags
    "edits": ("", SAME, ""),
    "edits and sets the time back": ("", f"{SAME}; touch -d @1600000000 a.c", ""),
    "edits before": (SAME, "", ""),
    "puts another file there": ("", f"{SAME}; cp a.c b.c; mv b.c a.c", ""),
    "puts a link there": ("", f"{SAME}; mv a.c b.c; ln -s b.c a.c", ""),
    "links elsewhere": ("", "ln -sf /usr/include/stdio.h a.c", ""),
    "removes": ("", "rm a.c", ""),
    "leaves a pipe": ("", "rm a.c; mkfifo a.c", ""),
    "leaves a folder": ("", "rm a.c; mkdir a.c", ""),
    "forgets calls": ("", f"{SAME}; touch /tmp/calls/*", ""),
    "edits the folder's link": (
        "mkdir d e; cp a.c d; ln -s d l",
        f"{SAME}; cp a.c e; ln -sfn e l",
        "",
    ),
}
MADE = {  # the number is in a file that the build makes of data
    "header": (
        "(echo '#define N'; cat data) | xargs > number.h",
        "echo '#define N 1' > number.h",
        "",
    ),
    "header by a link": (
        "(echo '#define N'; cat data) | xargs > 1.h; echo '#define N 1' > 2.h; ln -s 1.h number.h",
        "ln -sf 2.h number.h",
        "",
    ),
    "header in a linked folder": (
        "mkdir 1 2; (echo '#define N'; cat data) | xargs > 1/number.h; "
        "echo '#define N 1' > 2/number.h; ln -s 1 inc",
        "ln -sfn 2 inc",
        "-Iinc",
    ),
    "response file": ("echo -DN=`cat data` > flags", "echo -DN=1 > flags", "@flags"),
    "response file that is gone": ("echo -DN=`cat data` > flags", "rm flags", "@flags"),
    "source": ("sed s/N/`cat data`/ a.c > b.c", "sed s/N/1/ a.c > b.c", ""),
    "source that is gone": ("sed s/N/`cat data`/ a.c > b.c", "rm b.c", ""),
}


def _two(folder: Path, before: dict[str, str], after: dict[str, str]) -> None:
    folder.mkdir()
    repository = Repository(folder, before)
    for name, text in after.items():
        repository.write(name, text)
    repository.commit("x")


def _refused(folder: Path) -> None:
    done = csgtest("build", "HEAD~1..HEAD", "--time", "3", folder=folder, seconds=60.0)
    is_clean(done)
    assert done.code == 2 and " edits " in done.err, done.out + done.err


@pytest.mark.parametrize("how", every(3, BUILDS.values()), ids=[*BUILDS])
def test_a_committed_file_that_is_edited(how: tuple[str, str, str], tmp_path: Path) -> None:
    before, after, flags = how
    makefile = RULE.format(before=before, after=after, flags=flags)
    if "ln -s d l" in before:
        makefile = makefile.replace("-c a.c", "-c l/a.c")
    texts = [SOURCE.format(head="", number=number) for number in (1, 2)]
    _two(tmp_path / "x", {"Makefile": makefile, "a.c": texts[0]}, {"a.c": texts[1]})
    _refused(tmp_path / "x")
    _refused(tmp_path / "x")  # what the cache has of the build says so, too


@pytest.mark.parametrize("how", every(3, MADE.values()), ids=[*MADE])
def test_a_made_file_that_is_edited(how: tuple[str, str, str], tmp_path: Path) -> None:
    before, after, flags = how
    makefile = RULE.format(before=before, after=after, flags=flags)
    if "b.c" in before:
        makefile = makefile.replace("-c a.c", "-c b.c").replace("a.o", "b.o")
    head = HEAD if "number.h" in before else ""
    text = SOURCE.format(head=head, number="N")
    _two(tmp_path / "x", {"Makefile": makefile, "a.c": text, "data": "1\n"}, {"data": "2\n"})
    _refused(tmp_path / "x")


@pytest.mark.parametrize("made", every(2, ["header", "response file", "source"]))
def test_a_made_file_that_stays(made: str, tmp_path: Path) -> None:
    """The control: what the build makes before the compiler is called is what was compiled."""
    before, _, flags = MADE[made]
    makefile = RULE.format(before=before, after="touch end", flags=flags)
    if "b.c" in before:
        makefile = makefile.replace("-c a.c", "-c b.c").replace("a.o", "b.o")
    text = SOURCE.format(head=HEAD if "number.h" in before else "", number="N")
    _two(tmp_path / "x", {"Makefile": makefile, "a.c": text, "data": "1\n"}, {"data": "2\n"})
    done = csgtest("build", "HEAD~1..HEAD", "--time", "5", folder=tmp_path / "x", seconds=60.0)
    assert done.code == 1, done.out + done.err
