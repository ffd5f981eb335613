"""Builds that link what no call of a compiler has made, or what was edited since: where that
differs, no call ends as if the versions were the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import Done, csgtest
from tests.hostile.judging import is_clean
from tests.nightly import every
from tests.repositories import Repository

MAIN = '#include <stdio.h>\nint h(void);\nint main(void) { printf("%d\\n", h()); return 0; }\n'
SAID = re.compile("not tested: cut(?:, libh.a)?: what was linked differs")
TWO = "int h1(void) { return 1; }\nint h2(void) { return 2; }\n"
ONE = "int h(void) { return 1; }\n"
DD = (
    "case `cat n` in 2) objcopy --dump-section .text=text h.o; at=$$(LC_ALL=C grep -obUaP"
    " '\\xb8\\x01' text | head -1 | cut -d: -f1); off=$$(objdump -h h.o | awk '$$2 == \".text\""
    " {print $$6}'); printf '\\2' | dd of=h.o bs=1 conv=notrunc seek=$$((0x$$off + at + 1));; esac"
)
SCRIPT = "echo 'h = h'`cat n`'; SECTIONS { .none : { *(.none) } } INSERT AFTER .data;' > x.ld"
LINK = "$(CC) -o cut main.o h.o"
MADE = "$(CC) -c main.c; $(CC) -c h.c"
HOW = {  # h.c, and the commands, each a line
    "standard input": (
        ONE,
        MADE,
        "echo 'int h(void) {return '`cat n`';}' | cc -xc -c -oh.o -",
        LINK,
    ),
    "edited by dd": (ONE, MADE, DD, LINK),
    "edited, then set back in time": (
        ONE,
        f"{MADE}; touch -r h.o t",
        f"{DD}; touch -r t h.o",
        LINK,
    ),
    "names by objcopy": (TWO, MADE, "objcopy --redefine-sym h`cat n`=h h.o", LINK),
    "in an archive": (
        TWO,
        MADE,
        "objcopy --redefine-sym h`cat n`=h h.o; $(AR) cr libh.a h.o",
        "$(CC) -o cut main.o libh.a",
    ),
    "an archive that is edited": (
        TWO,
        f"{MADE}; $(AR) cr libh.a h.o",
        "objcopy --redefine-sym h`cat n`=h libh.a; ranlib libh.a",
        "$(CC) -o cut main.o -L. -lh",
    ),
    "a symbol for the linker": (TWO, MADE, "$(CC) -o cut main.o h.o -Wl,--defsym=h=h`cat n`"),
    "a script of the linker": (TWO, MADE, "echo 'h = h'`cat n`';' > x.ld", f"{LINK} x.ld"),
    "a script by a flag": (TWO, MADE, SCRIPT, f"{LINK} -fuse-ld=bfd -Wl,-T,x.ld"),
    "an operand of the linker": (TWO, MADE, f"{LINK} -Xlinker --defsym -Xlinker h=h`cat n`"),
    "a response file": (TWO, MADE, "echo -Wl,--defsym=h=h`cat n` > r", f"{LINK} @r"),
    "another file of the same name": (
        "int h(void) { return 1; }\n",
        MADE,
        "sed s/1/`cat n`/ h.c > /tmp/h.c; $(CC) -c /tmp/h.c -o /tmp/h.o",
        "$(CC) -o cut main.o /tmp/h.o",
    ),
    "the compiler by its path": (
        ONE,
        MADE,
        "sed s/1/`cat n`/ h.c > /tmp/h.c; /usr/bin/cc -c /tmp/h.c -o h.o",
        LINK,
    ),
    "an object that is made again": (
        "int h(void) { return N; }\n",
        "$(CC) -c main.c; $(CC) -c h.c -DN=`cat n`",
        LINK,
        "$(CC) -c h.c -DN=1",
    ),
    "the program is edited": (
        TWO,
        f"{MADE}; {LINK} -Wl,--defsym=h=h1; cp cut first; {LINK} -Wl,--defsym=h=h2",
        "case `cat n` in 1) cat first > cut;; esac",
    ),
}
SAME = {  # commands under which nothing differs, whatever n is
    "moved": (f"{MADE}; mkdir o; mv h.o o/h.o", "$(CC) -o cut main.o o/h.o"),
    "copied": (f"{MADE}; cp h.o g.o", "$(CC) -o cut main.o g.o"),
    "stripped": (f"{MADE}; strip -g h.o", f"{LINK}; strip cut"),
    "objcopy": (f"{MADE}; objcopy h.o", f"{LINK}; chmod 755 cut"),
    "ranlib": (f"{MADE}; $(AR) cr libh.a h.o; ranlib libh.a", "$(CC) -o cut main.o -L. -lh"),
    "ar x": (f"{MADE}; $(AR) cr libh.a h.o; rm h.o; $(AR) x libh.a", LINK),
    "removed": (f"{MADE}; $(AR) cr libh.a h.o; rm h.o", "$(CC) -o cut main.o libh.a; rm main.o"),
    "a map": (MADE, f"{LINK} -Wl,-Map=map`cat n` -Wl,-soname -Wl,x`cat n`"),
    "one call": ("$(CC) -o cut main.c h.c", "cp cut other; mv other cut"),
}


def makefile(*commands: str) -> str:
    return "cut: main.c h.c\n" + "".join(f"\t{each}\n" for each in commands)


def native(folder: Path, revision: str, tmp_path: Path) -> str:
    """What the program says that make builds of a revision."""
    place = tmp_path / revision.replace("~", "-")
    subprocess.run(["git", "clone", "-q", str(folder), str(place)], check=True)
    subprocess.run(["git", "-C", str(place), "checkout", "-q", revision], check=True)
    subprocess.run(["make", "-s"], cwd=place, check=True, capture_output=True)
    return subprocess.run(["./cut"], cwd=place, check=True, capture_output=True, text=True).stdout


def two(folder: Path, files: dict[str, str], after: dict[str, str]) -> Repository:
    folder.mkdir()
    found = Repository(folder, {"main.c": MAIN, "n": "1\n", **files})
    for name, text in {"n": "2\n", **after}.items():
        found.write(name, text)
    found.commit("change")
    return found


def build(folder: Path) -> Done:
    done = csgtest("build", "HEAD~1..HEAD", "--time", "3", folder=folder, seconds=60.0)
    is_clean(done)
    return done


@pytest.mark.parametrize("case", every(4, HOW))
def test_a_part_that_nobody_has_compiled_is_named(case: str, tmp_path: Path) -> None:
    text, *commands = HOW[case]
    folder = tmp_path / "x"
    two(folder, {"Makefile": makefile(*commands), "h.c": text}, {})
    revisions = [
        subprocess.run(
            ["git", "-C", str(folder), "rev-parse", name],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for name in ("HEAD~1", "HEAD")
    ]
    assert [native(folder, each, tmp_path) for each in revisions] == ["1\n", "2\n"]
    for _ in range(2):  # what the cache has of the build says so, too
        done = build(folder)
        assert done.code == 2 and SAID.search(done.err), done.out + done.err
        assert "Nothing that is compiled differs" not in done.out


def committed(folder: Path, number: int) -> None:
    """Have an object in a repository that is made nowhere in it."""
    source = folder.parent / "helper.c"
    source.write_text(f"int h(void) {{ return {number}; }}\n")
    subprocess.run(["cc", "-c", "helper.c"], cwd=folder.parent, check=True)
    shutil.copy(folder.parent / "helper.o", folder / "helper.o")


@pytest.mark.parametrize("more", [False, True], ids=["alone", "and a comment"])
@pytest.mark.parametrize("numbers", [(1, 2), (1, 1)], ids=["differs", "same"])
def test_an_object_of_the_repository(numbers: tuple[int, int], more: bool, tmp_path: Path) -> None:
    """Also where the program is asked about, as a comment of it differs."""
    folder = tmp_path / "x"
    folder.mkdir()
    committed(folder, numbers[0])
    make = "cut: main.c helper.o\n\t$(CC) -g -o cut main.c helper.o\n"
    found = Repository(folder, {"main.c": MAIN, "n": "1\n", "Makefile": make})
    committed(folder, numbers[1])
    found.write("n", "2\n")
    if more:
        found.write("main.c", f"/* more\n*/\n{MAIN}")
    found.commit("change")
    done = build(folder)
    differs = numbers[0] != numbers[1]
    assert done.code == (2 if differs else 0), done.out + done.err
    assert bool(SAID.search(done.err)) == differs
    assert not differs or "the same" not in done.out + done.err


@pytest.mark.parametrize("case", every(3, SAME))
def test_what_stays_the_same_is_not_named(case: str, tmp_path: Path) -> None:
    """Nor where a function differs, which is tested."""
    folder = tmp_path / "x"
    found = two(folder, {"Makefile": makefile(*SAME[case]), "h.c": ONE}, {})
    done = build(folder)
    assert (done.code, done.out) == (0, "Nothing that is compiled differs.\n"), done.out + done.err
    if case == "objcopy":  # nobody knows what it did to another object
        return
    found.write("h.c", ONE.replace("1", "2"))
    found.commit("another")
    done = build(folder)
    assert done.code != 0 and "what was linked" not in done.err, done.out + done.err
