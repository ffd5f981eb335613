"""What a program writes, makes and removes outside of its working folder counts as what it does
inside. The truth is what both versions leave natively, below a folder that stands for /tmp."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from symexec.ledger import Verdict
from tests.command_line import csgtest, write_versions
from tests.nightly import every, paired

HEAD = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef TMP
#define TMP "/tmp"
#endif
static const char *at(char *name, const char *last)
{
    snprintf(name, 200, "%s/%s", PLACE, last);
    return name;
}
static void put(const char *name, const char *mode, const char *text)
{
    FILE *out = fopen(name, mode);
    if (!out)
        exit(9);
    fputs(text, out);
    fclose(out);
}
int main(int argc, char **argv)
{
    char a[200], b[200];
    at(a, "a"), at(b, "b");
    (void) argv;
    BODY
    return 0;
}
"""
PLACES = {
    "absolute": "TMP",
    "above": '".."',
    "home": 'getenv("HOME")',
    "temporary": 'getenv("TMPDIR")',
    "inside": 'TMP "/work"',
}
# What both versions do; the second one may do otherwise.
DIFFERENT = {
    "text": ('put(a, "w", "1");', 'put(a, "w", "2");'),
    "size": ('put(a, "w", "11");', 'put(a, "w", "1");'),
    "seldom": ('put(a, "w", "1");', 'put(a, "w", argc > 2 ? "2" : "1");'),
    "name": ('put(a, "w", "1");', 'put(b, "w", "1");'),
    "mode": ('put(a, "w", "1"); put(a, "a", "2");', 'put(a, "w", "1"); put(a, "w", "2");'),
    "removed": ('put(a, "w", "1"); unlink(a);', 'put(a, "w", "1");'),
    "renamed": ('put(a, "w", "1"); rename(a, b);', 'put(a, "w", "1");'),
    "folder": ("mkdir(a, 0700);", "mkdir(b, 0700);"),
    "in a folder": (
        'mkdir(a, 0700); chdir(a); put("c", "w", "1");',
        'mkdir(a, 0700); chdir(a); put("d", "w", "1");',
    ),
    "link": ('symlink("c", a);', 'symlink("d", a);'),
    "name of one file": ('put(a, "w", "1"); link(a, b);', 'put(a, "w", "1");'),
    "cut": ('put(a, "w", "123"); truncate(a, 2);', 'put(a, "w", "123"); truncate(a, 1);'),
    "descriptor": (
        "int d = creat(a, 0600); write(d, a, 1); close(d);",
        "int d = creat(a, 0600); write(d, a, 2); close(d);",
    ),
    "the folder itself": ('unlink("A"); rmdir(PLACE);', 'unlink("A");'),
    "permissions": ('put(a, "w", "1"); chmod(a, 0600);', 'put(a, "w", "1"); chmod(a, 0640);'),
}
ALIKE = {
    "text": ('put(a, "w", "12");', 'put(a, "w", "1"); put(a, "a", "2");'),
    "renamed": ('put(a, "w", "1");', 'put(b, "w", "1"); rename(b, a);'),
    "cut": ('put(a, "w", "12");', 'put(a, "w", "123"); truncate(a, 2);'),
    "removed": ('put(a, "w", "1");', 'put(a, "w", "1"); put(b, "w", "1"); unlink(b);'),
}


def left(executable: Path, folder: Path, arguments: int) -> dict[str, object]:
    """What a version leaves below the folder, which begins as in a replay."""
    for name in ("work", "home", "tmp"):
        (folder / name).mkdir(parents=True)
    places = {"HOME": f"{folder}/home", "TMPDIR": f"{folder}/tmp"}
    words = [executable, *["x"] * arguments]
    subprocess.run(words, cwd=folder / "work", env={**os.environ, **places}, check=False)
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        kind = os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes()
        found[str(path.relative_to(folder))] = path.lstat().st_mode, kind
    return found


def differs(folder: Path, place: str) -> bool:
    """Do the versions leave other files on some number of arguments?"""
    seen = []
    for version in ("old", "new"):
        shown = []
        for count in range(4):
            base = folder / f"{version}{count}"
            executable = folder / f"{version}{count}.exe"
            defined = (f'-DTMP="{base}"', f"-DPLACE={place}")
            subprocess.run(
                ["gcc", "-w", *defined, folder / f"{version}.c", "-o", executable], check=True
            )
            shown.append(left(executable, base, count))
        seen.append(shown)
    return seen[0] != seen[1]


def verdict_of(folder: Path, place: str) -> str:
    words = ("build", "old.c", "new.c", "--time", "6", "--", f"-DPLACE={place}")
    return str(csgtest(*words, folder=folder).report["verdict"])


@pytest.mark.parametrize(
    "case", every(7, [(deed, place) for deed in DIFFERENT for place in PLACES]), ids="-".join
)
def test_a_difference_outside_of_the_working_folder(case: tuple[str, str], tmp_path: Path) -> None:
    deed, place = case
    old, new = DIFFERENT[deed]
    write_versions(tmp_path, HEAD.replace("BODY", old), HEAD.replace("BODY", new))
    if not differs(tmp_path, PLACES[place]):
        return  # /tmp is not empty, so that nobody removes it
    seen = verdict_of(tmp_path, PLACES[place])
    assert seen == (Verdict.NO_DIFFERENCE_FOUND if deed == "permissions" else Verdict.DIFFERENT)


@pytest.mark.parametrize(("deed", "place"), paired(ALIKE, PLACES))
def test_the_same_files_in_other_words_are_equivalent(
    deed: str, place: str, tmp_path: Path
) -> None:
    old, new = ALIKE[deed]
    write_versions(tmp_path, HEAD.replace("BODY", old), HEAD.replace("BODY", new))
    assert not differs(tmp_path, PLACES[place])
    assert verdict_of(tmp_path, PLACES[place]) == Verdict.EQUIVALENT_WITHIN_BOUNDS


UNKNOWN_BEFORE = {
    "a file is removed": ('unlink("x");', "(void) b;"),
    "a folder is removed": ('rmdir("x");', "(void) b;"),
    "a file is renamed": ('rename("x", "y");', "(void) b;"),
    "a folder is there already": (
        'return mkdir("x", 0700) ? 2 : 0;',
        'return mkdir("x", 0700) ? 3 : 0;',
    ),
    "a link is there already": (
        'return symlink("y", "x") ? 2 : 0;',
        'return symlink("y", "x") ? 3 : 0;',
    ),
    "a folder is missing": (
        'return creat("x/y", 0600) < 0 ? 1 : 2;',
        'return creat("x/y", 0600) < 0 ? 1 : 3;',
    ),
    "a folder of others": ('creat("/var/x", 0600);', "(void) b;"),
    "a folder in memory": ('creat("/dev/shm/x", 0600);', "(void) b;"),
    "a folder of others is removed": ('rmdir("/var/csgtest-x");', "(void) b;"),
}


@pytest.mark.parametrize("deed", every(3, UNKNOWN_BEFORE))
def test_files_that_no_test_has_are_left_out(deed: str, tmp_path: Path) -> None:
    old, new = UNKNOWN_BEFORE[deed]
    write_versions(tmp_path, HEAD.replace("BODY", old), HEAD.replace("BODY", new))
    assert verdict_of(tmp_path, "TMP") == Verdict.NO_DIFFERENCE_FOUND
