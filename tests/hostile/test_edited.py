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
RECORD_LINKED = (
    "for i in /tmp/calls/*; do ln $$i /tmp/x; cat $$i > y; cat y > /tmp/x; rm /tmp/x; done"
)
BUILDS = {  # by what it does: before and behind the call of the compiler; flags
    "edits": ("", SAME, ""),
    "edits and sets the time back": ("", f"{SAME}; touch -d @1600000000 a.c", ""),
    "links to a record": ("", f"{SAME}; {RECORD_LINKED}", ""),
    "compiles once more": ("", f"{SAME}; cp a.o b.o; $(CC) -c a.c", ""),
    "puts another file there": ("", f"{SAME}; cp a.c b.c; mv b.c a.c", ""),
    "puts a link there": ("", f"{SAME}; mv a.c b.c; ln -s b.c a.c", ""),
    "links elsewhere": ("", "ln -sf /usr/include/stdio.h a.c", ""),
    "removes": ("", "rm a.c", ""),
    "leaves a pipe": ("", "rm a.c; mkfifo a.c", ""),
    "leaves a folder": ("", "rm a.c; mkdir a.c", ""),
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


def test_what_is_edited_before_is_what_was_compiled(tmp_path: Path) -> None:
    """As zlib's configure does with its zconf.h."""
    texts = [SOURCE.format(head="", number=number) for number in (1, 2)]
    for edit, code in ((SAME, 0), ("sed -i 's/argc)/argc + 1)/' a.c", 1)):
        folder = tmp_path / str(code)
        makefile = RULE.format(before=edit, after="", flags="")
        _two(folder, {"Makefile": makefile, "a.c": texts[0]}, {"a.c": texts[1]})
        done = csgtest("build", "HEAD~1..HEAD", "--time", "5", folder=folder, seconds=60.0)
        assert done.code == code, done.out + done.err


FORGED = [
    "touch $i",
    "cp $i x; mv x $i",
    "echo >> $i",
    "rm $i",
    "mv $i /tmp/x",
    "chmod 400 $i",
]


@pytest.mark.parametrize("forge", every(3, FORGED))
def test_records_are_not_forged(forge: str, tmp_path: Path) -> None:
    after = f"{SAME}; for i in /tmp/calls/*; do {forge}; done".replace("$", "$$")
    texts = [SOURCE.format(head="", number=number) for number in (1, 2)]
    makefile = RULE.format(before="", after=after, flags="")
    _two(tmp_path / "x", {"Makefile": makefile, "a.c": texts[0]}, {"a.c": texts[1]})
    done = csgtest("build", "HEAD~1..HEAD", "--time", "3", folder=tmp_path / "x", seconds=60.0)
    is_clean(done)
    assert done.code == 2 and "spoilt" in done.err, done.out + done.err


HIDING = {
    "before": ("mv number.h number.h.in; mkdir inc; cp number.h.in inc/number.h", "", 1),
    "behind": ("mkdir inc; echo '#define N 1' > inc/number.h", "rm number.h", 2),
}


@pytest.mark.parametrize("how", HIDING.values(), ids=HIDING)
def test_a_header_that_is_removed(how: tuple[str, str, int], tmp_path: Path) -> None:
    """As zlib's CMakeLists.txt does, and so that another header of its name is found."""
    before, after, code = how
    folder = tmp_path / "x"
    makefile = RULE.format(before=before, after=after, flags="-I. -Iinc")
    makefile = makefile.replace("-c a.c", "-o out/a.o -c src/a.c").replace(
        "prog a.o", "prog out/a.o"
    )
    makefile = makefile.replace("prog:\n", "prog:\n\tmkdir out\n").replace("-o prog", "-o out/prog")
    files = {"Makefile": makefile, "src/a.c": SOURCE.format(head=HEAD, number="N")}
    two = [f"#define N {number}\n" for number in (1, 2)]
    _two(folder, {**files, "number.h": two[0]}, {"number.h": two[1]})
    done = csgtest("build", "HEAD~1..HEAD", "--time", "5", folder=folder, seconds=60.0)
    assert done.code == code, done.out + done.err
