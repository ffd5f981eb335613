"""A stream or folder that is used after it was closed: an error of memory of that version alone."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from itertools import product
from pathlib import Path

import pytest

import symexec.replay
from tests.command_line import Done, csgtest
from tests.nightly import every

CHECKED = Path(symexec.replay.__file__).with_name("checked_streams.c")
HEAD = """#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
"""
# A use of an open stream f, or folder d, and what opens and closes it.
STREAM = 'FILE *f = fopen("A", "r+"); if (!f) return 2;', "fclose(f);"
MEMORY = 'FILE *f = fmemopen("xyz", 3, "r"); if (!f) return 2;', "fclose(f);"
FOLDER = 'DIR *d = opendir("."); if (!d) return 2;', "closedir(d);"
USES = {
    "getc": "r = getc(f);",
    "fgetc": "r = fgetc(f);",
    "fgets": "r = fgets(b, 4, f) != NULL;",
    "fread": "r = fread(b, 1, 3, f);",
    "getline": "r = getline(&line, &size, f);",
    "fscanf": 'r = fscanf(f, "%3s", b);',
    "ungetc": "r = ungetc('a', f);",
    "ferror": "r = ferror(f);",
    "feof": "r = feof(f);",
    "fileno": "r = fileno(f);",
    "clearerr": "clearerr(f);",
    "fputs": 'r = fputs("ab", f);',
    "fputc": "r = fputc('a', f);",
    "fwrite": 'r = fwrite("ab", 1, 2, f);',
    "fprintf": 'r = fprintf(f, "%d", 12);',
    "fflush": "r = fflush(f);",
    "fseek": "r = fseek(f, 0, SEEK_SET);",
    "ftell": "r = ftell(f);",
    "rewind": "rewind(f);",
    "setvbuf": "r = setvbuf(f, NULL, _IONBF, 0);",
}
OBJECTS = {
    **{name: (*STREAM, use) for name, use in USES.items()},
    "memory": (*MEMORY, "r = getc(f);"),
    "readdir": (*FOLDER, "r = readdir(d) != NULL;"),
    "rewinddir": (*FOLDER, "rewinddir(d);"),
    "telldir": (*FOLDER, "r = telldir(d);"),
    "dirfd": (*FOLDER, "r = dirfd(d);"),
}
BODIES = {
    "before": "{opened}\n    {use}\n    {closed}",
    "after": "{opened}\n    {closed}\n    {use}",
    "unused": "{opened}\n    {closed}",
    "twice": "{opened}\n    {use}\n    {closed}\n    {closed}",
}


def text(name: str, body: str, result: str = "r != 0") -> str:
    opened, closed, use = OBJECTS[name]
    shown = BODIES[body].format(opened=opened, closed=closed, use=use)
    head = "    char b[8], *line = NULL; size_t size = 0; int r = 0;"
    return f"{HEAD}int main(void)\n{{\n{head}\n    {shown}\n    return {result};\n}}\n"


def compared(folder: Path, old: str, new: str) -> Done:
    (folder / "old.c").write_text(old)
    (folder / "new.c").write_text(new)
    return csgtest("build", "old.c", "new.c", "--time", "30", "--no-config", folder=folder)


def classes(done: Done) -> list[str]:
    return [each["class"] for each in done.report["groups"]]


MISTAKES = [*product(sorted(OBJECTS), ("before", "unused"), ("after",))]
MISTAKES += [(name, "before", "twice") for name in ("getc", "memory", "readdir")]


@pytest.mark.slow
@pytest.mark.parametrize("mistake", every(27, MISTAKES, first=5), ids="-".join)
def test_one_version_fails(mistake: tuple[str, str, str], tmp_path: Path) -> None:
    name, right, wrong = mistake
    done = compared(tmp_path, text(name, right), text(name, wrong))
    assert (classes(done), done.code) == (["regression"], 1), done.out
    assert "use-after-free" in done.out
    assert not done.report["counters"]["mispredicted"]


@pytest.mark.slow
@pytest.mark.parametrize("name", every(25, sorted(OBJECTS), first=2))
def test_the_other_version_fails(name: str, tmp_path: Path) -> None:
    done = compared(tmp_path, text(name, "after"), text(name, "before"))
    assert (classes(done), done.code) == (["fix"], 1), done.out


@pytest.mark.slow
@pytest.mark.parametrize("name", every(25, sorted(OBJECTS), first=5))
def test_both_versions_fail(name: str, tmp_path: Path) -> None:
    """The change lies behind the error, so nothing is known of it."""
    done = compared(tmp_path, text(name, "after"), text(name, "after", "r != 0 || b == NULL"))
    assert done.report["verdict"] in ("no-difference-found", "no-change"), done.out
    assert not done.report["counters"]["mispredicted"]


@pytest.mark.slow
@pytest.mark.parametrize("name", every(25, sorted(OBJECTS), first=9))
def test_no_version_fails(name: str, tmp_path: Path) -> None:
    done = compared(tmp_path, text(name, "before"), text(name, "before", "!(r == 0)"))
    assert not classes(done) and done.code == 0, done.out


def test_what_no_sanitizer_sees_is_an_omission(tmp_path: Path) -> None:
    """The program has a function of the library of its own, so its calls are not checked."""
    new = text("fileno", "after", "r == -9").replace("\nint main", "\nint putw(int a, FILE *f) "
                                                     "{ return 7; }\nint main")  # fmt: skip
    done = compared(tmp_path, new.replace(USES["fileno"], "r = 3;"), new)
    assert (classes(done), done.code) == ([], 0), (done.out, done.err)
    found = {(each["reason"], each["text"]) for each in done.report["omissions"]}
    assert ("undefined", "use-after-free is predicted, and no sanitizer sees it") in found
    assert not done.report["counters"]["mispredicted"]


def test_a_difference_by_freed_memory_is_undefined_behaviour(tmp_path: Path) -> None:
    """The library finds there what the program has left, and no sanitizer sees that."""
    new = """#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char *p = malloc(64);
    if (!p)
        return 2;
    strcpy(p + 32, "AB=1");
    putenv(p + 32);
    free(p);
    return getenv("AB") != NULL;
}
"""
    done = compared(tmp_path, new.replace('getenv("AB") != NULL', "0"), new)
    assert (classes(done), done.code) == (["undefined"], 1), done.out
    assert "use-after-free is predicted, and no sanitizer sees it" in done.out


# ------------------------------------------------------------------------------- the calls alone
# Each function that checked_streams.c defines does what the library's does, as long as the object
# is open; behind the end AddressSanitizer reports it.

ARGUMENTS = {
    "f, 0, 0": "fseek fseeko fseeko64 setbuffer",
    "f, place": "fgetpos fgetpos64 fsetpos fsetpos64",
    "f, 0": "setbuf fwide seekdir",
    "f, 0, 2, 0": "setvbuf",
    "A, R, f": "freopen freopen64",
    "&line, &size, f": "getline",
    "&line, &size, '\\n', f": "getdelim __getdelim",
    "f, entry, &line": "readdir_r readdir64_r",
    "b, 3, f": "fgets fgetws",
    "b, 1L, 2L, f": "fread fwrite",
    "b, f": "fputs fputws",
    "'a', f": "putc fputc putwc fputwc _IO_putc putw ungetc ungetwc",
    'f, "%5s", b': "fprintf fscanf __isoc99_fscanf",
    'f, "%5s", list': "vfprintf vfscanf __isoc99_vfscanf",
    'f, L"%5s", b': "fwprintf fwscanf __isoc99_fwscanf",
    'f, L"%5s", list': "vfwprintf vfwscanf __isoc99_vfwscanf",
}
OF_NAME = {name: given for given, names in ARGUMENTS.items() for name in names.split()}
FLAGS = ("-w", "-g", "-O0", "-fno-builtin", "-fsanitize=address")
CALLS = """#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern void *fopen(), *opendir(), *stdout;
extern int printf();
extern long fflush(), fclose(), closedir();
static char *A = "A", *R = "r", place[16], entry[512], b[16] = "a", *line;
static long size;
static int shown(void *list, long number)
{
    printf("%ld", number);
    return 0;
}
static void call(char *name, int closed, int folder, long (*each)(void *f, va_list list), int is, ...)
{
    va_list list;
    printf("%s ", name);
    fflush(stdout);
    if (!fork()) {
        void *f = folder ? opendir(".") : fopen("A", "r+");
        va_start(list, is);
        if (closed)
            folder ? closedir(f) : fclose(f);
        long number = each(f, list);
        printf("%ld %s ", is == 'v' ? 0 : is == 'p' ? number != 0 : (long) (int) number, b);
        exit(0);
    }
    int status;
    wait(&status);
    printf("%d\\n", WEXITSTATUS(status));
}
"""  # noqa: E501


# What of the result of a function is compared: nothing, that it is a pointer, or all of it.
NO_RESULT = re.compile(r"(clearerr|rewind|set[bl]\w+|seek|f(un)?lockfile|__fpurge|telldir).*")
POINTER = re.compile(r"fgetw?s.*|freopen.*|readdir(64)?")


def call_each(names: list[str]) -> str:
    """A program that calls each function in a process of its own, on an open or a closed object."""
    made, called = [], []
    for name in names:
        folder = int("dir" in name)
        kind = "v" if NO_RESULT.fullmatch(name) else "p" if POINTER.fullmatch(name) else "i"
        given = OF_NAME.get(name.removesuffix("_unlocked"), "f")
        made.append(
            f"extern long {name}();\n"
            f"static long {name}_(void *f, va_list list) {{ return {name}({given}); }}\n"
        )
        called.append(f"    call(\"{name}\", n > 1, {folder}, {name}_, '{kind}', b);\n")
    return f"{CALLS}{''.join(made)}int main(int n, char **words)\n{{\n{''.join(called)}}}\n"


def test_the_calls_do_what_the_library_does_until_the_end(tmp_path: Path) -> None:
    subprocess.run(["gcc", "-w", "-c", str(CHECKED), "-o", "checked.o"], cwd=tmp_path, check=True)
    listed = subprocess.run(["nm", "checked.o"], cwd=tmp_path, capture_output=True, check=True)
    library = ctypes.CDLL(None)
    names = [each for each in re.findall(r" T (\w+)", listed.stdout.decode())
             if hasattr(library, each)]  # fmt: skip
    assert len(names) > 90
    (tmp_path / "calls.c").write_text(call_each(names))
    shown = {}
    for more in ((), (str(CHECKED),)):
        words = ["gcc", *FLAGS, "-o", f"calls{len(more)}", "calls.c", *more]
        subprocess.run(words, cwd=tmp_path, check=True)
        for closed in ((), ("closed",))[: 1 + len(more)]:
            (tmp_path / "A").write_text("12 ab\ncd\n")
            done = subprocess.run(
                [f"./calls{len(more)}", *closed], cwd=tmp_path, capture_output=True, check=True,
                env={**os.environ, "ASAN_OPTIONS": "exitcode=99:detect_leaks=0:symbolize=0"},
            )  # fmt: skip
            shown[len(more), len(closed)] = done.stdout.decode().splitlines()
    assert shown[0, 0] == shown[1, 0]
    assert [each for each in shown[1, 0] if not each.endswith(" 0")] == []
    assert shown[1, 1] == [f"{name} 99" for name in names]
