"""Code that the library runs, and output that streams hold back: generated pairs whose truth is
what gcc's binaries show, with standard output in a file.

    atexit(h); ...             h prints "bye" or "bye!"
    printf("a"); abort();      with or without fflush
"""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import csgtest
from tests.nightly import every

HEAD = """#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
"""

# What registers and runs h(); its body ends the text.
REGISTERED = {
    "atexit": "static void r(void) { h(); } #int main atexit(r); return x == 65;",
    "on_exit": "static void r(int s, void *p) { h(); } #int main on_exit(r, 0); exit(x == 65);",
    "quick": "static void r(void) { h(); } #int main at_quick_exit(r); if (x == 65) quick_exit(3);",
    "signal": "static void r(int n) { h(); } #int main"
    " signal(SIGUSR1, r); if (x == 65) raise(SIGUSR1);",
    "abort": "static void r(int n) { h(); _exit(4); } #int main"
    " signal(SIGABRT, r); if (x == 65) abort();",
    "kill": "static void r(int n) { h(); } #int main"
    " signal(SIGTERM, r); if (x == 65) kill(getpid(), SIGTERM);",
    "sigaction": "static void r(int n, siginfo_t *i, void *c) { h(); } #int main"
    " struct sigaction a;"
    " memset(&a, 0, sizeof a); a.sa_sigaction = r; a.sa_flags = SA_SIGINFO;"
    " sigaction(SIGHUP, &a, 0); if (x == 65) raise(SIGHUP);",
    "key": "static void r(void *p) { h(); } #int main pthread_key_t k; pthread_key_create(&k, r);"
    ' pthread_setspecific(k, "a"); if (x == 65) pthread_exit(0);',
    "thread": "static void *r(void *p) { h(); return p; } #int main pthread_t t; if (x == 65) {"
    " pthread_create(&t, 0, r, 0); pthread_join(t, 0); }",
    "once": "static void r(void) { h(); } #int main pthread_once_t o = PTHREAD_ONCE_INIT;"
    " if (x == 65) pthread_once(&o, r);",
    "nested": "static void r(void) { h(); } static void n(void) { atexit(r); } #int main"
    " atexit(n);",
    "destructor": "__attribute__((destructor)) static void r(void) { h(); } #int main ;",
    "alarm": "static void r(int n) { h(); } #int main signal(SIGALRM, r); if (x == 65) {"
    " alarm(1); pause(); }",
    "sort": "static int r(const void *a, const void *b) { h(); return 0; } #int main"
    " int v[2] = {2, 1}; if (x == 65) qsort(v, 2, 4, r);",
}
# The body of h() in the old version and in the new one.
SAY = 'puts("h");'
BODIES = {
    "same": (SAY, SAY),
    "other words": (SAY, 'fputs("h\\n", stdout);'),
    "text": (SAY, 'puts("H");'),
    "direct": ('write(1, "h", 1);', 'write(1, "j", 1);'),
    "flushed": (SAY, 'puts("h"); fflush(stdout);'),
    "buffered or direct": ('printf("h");', 'write(1, "h", 1);'),
    "once": ('if (seen++ == 0) puts("h");', 'if (seen++ < 2) puts("h");'),
    "of a state": ('printf("%d", seen);', 'printf("%d", seen + (seen == 7));'),
    "ends at once": (SAY, 'puts("h"); _exit(6);'),
    "ends": ("_exit(5);", "_exit(7);"),
    "a number": ('printf("%d", 10);', 'printf("%x", 16);'),
    "nothing": ("", "seen = seen + 0;"),
    "more": (SAY, 'puts(seen == 7 ? "s" : "h");'),
    "one more handler": (SAY, 'puts("h"); atexit(last);'),
    "other handler": ("atexit(last);", "atexit(late);"),
    "order": ("atexit(last); atexit(late);", "atexit(late); atexit(last);"),
}
# What main does before it registers h().
PLACES = {"": "seen = 7;", "with another handler": "seen = 7; atexit(last);"}
OTHERS = """static int seen;
static void last(void) { puts("last"); }
static void late(void) { puts("late"); }
"""

WRITES = (
    'printf("a");',
    'puts("a");',
    'write(1, "b", 1);',
    "fflush(stdout);",
    "",
    'fputs("a", stdout);',
    "putchar(10);",
    'fwrite("ab", 1, 2, stdout);',
    "fflush(0);",
)
MODES = (
    "",
    "setvbuf(stdout, 0, _IONBF, 0);",
    "setvbuf(stdout, 0, _IOLBF, 0);",
    "setbuf(stdout, 0);",
)
ENDS = ("return 0;", "abort();", "_exit(3);", "exit(3);", "raise(SIGKILL);", "quick_exit(3);",
        "fclose(stdout); _exit(4);")  # fmt: skip


def handled(kind: str, body: str, place: str) -> str:
    before, _, after = REGISTERED[kind].partition(" #int main ")
    return (
        f"{HEAD}{OTHERS}static void h(void) {{ {body} }}\n{before}\n"
        f"int main(int argc, char **argv)\n"
        f"{{ if (argc < 2) return 9; int x = argv[1][0]; {place} {after}"
        f' puts("n"); return 0; }}\n'
    )


def buffered(mode: str, writes: tuple[str, str], end: str) -> str:
    return (
        f"{HEAD}int main(int argc, char **argv)\n{{ if (argc < 2) return 9; int x = argv[1][0]; "
        f"{mode} {' '.join(writes)} if (argv[1][0] == 65) {{ {end} }} return 0; }}\n"
    )


def buffers() -> Iterator[tuple[str, str]]:
    """Pairs that differ in a mode or in one of two writes."""
    writes = list(itertools.product(WRITES, WRITES))
    for at, (one, other) in enumerate(itertools.pairwise(writes)):
        mode, end = MODES[at % len(MODES)], ENDS[at % len(ENDS)]
        yield buffered(mode, one, end), buffered(mode, other, end)
        yield buffered(mode, one, end), buffered(MODES[(at + 1) % len(MODES)], one, end)
        yield buffered("", one, end), buffered("", (one[1], one[0]), end)


# Buffers of all kinds, reads that write what stdout holds back, another stdout.
_LINES = "setvbuf(stdout, 0, _IOLBF, 0);"
AREAS = (
    "static char b[16]; setvbuf(stdout, b, _IOFBF, 16);",
    "static char b[16]; setvbuf(stdout, b, _IOLBF, 16);",
    "static char b[200]; setvbuf(stdout, b, _IOFBF, 200);",
    'setbuf(stdout, 0); printf("-"); setvbuf(stdout, 0, _IOFBF, 0);',
    f"setvbuf(stdin, 0, _IONBF, 0); {_LINES}",
    f"setvbuf(stdin, 0, _IOLBF, 0); {_LINES}",
    _LINES,
    "stdout = stderr;",
    'stdout = fopen("f", "w+"); setbuf(stdout, 0);',
)
PUTS = (
    'fputs("ab", stdout);',
    'fputs("abcdefghijklmnopqrst", stdout);',
    'printf("%d a ", x);',
    'printf("abcdefghijklmnopqrst");',
    'puts("ab");',
    "putchar(97);",
    "getchar();",
    'fwrite("ab\\ncd", 1, 5, stdout);',
)


def areas() -> Iterator[tuple[str, str]]:
    """Pairs that differ in the text of one of two writes, or in the buffer."""
    writes = [*itertools.permutations(PUTS, 2)]
    for at, (area, (one, other)) in enumerate(itertools.product(AREAS, writes)):
        end = ENDS[1 + at % 2] if at % 5 else ENDS[0]
        changed = one.replace('"a', '"x').replace("97", "98").replace("a ", "x ")
        yield buffered(area, (one, other), end), buffered(area, (changed, other), end)
        swapped = AREAS[(at + 1) % len(AREAS)]
        yield buffered(area, (one, other), end), buffered(swapped, (one, other), end)


def native(text: str, folder: Path, name: str) -> list[tuple[int, bytes, bytes, bytes]]:
    source, binary = folder / f"{name}.c", folder / name
    source.write_text(text)
    subprocess.run(["gcc", "-w", "-O0", "-o", str(binary), str(source)], check=True)
    found = []
    for word in ("A", "B"):
        with (folder / "out").open("wb") as out:
            done = subprocess.run(
                [str(binary), word], input=b"", stdout=out, stderr=subprocess.PIPE, cwd=folder,
                timeout=20, check=False,
            )  # fmt: skip
        left = folder / "f"
        written = left.read_bytes() if left.exists() else b""
        left.unlink(missing_ok=True)
        found.append((done.returncode, (folder / "out").read_bytes(), done.stderr, written))
    return found


def verdict(old: str, new: str, folder: Path) -> tuple[bool, str]:
    """Do gcc's binaries differ, and csgtest's word."""
    differs = native(old, folder, "old") != native(new, folder, "new")
    done = csgtest(
        "build", str(folder / "old.c"), str(folder / "new.c"), "--sym-args", "1", "1", "1",
        "--time", "3", folder=folder,
    )  # fmt: skip
    if done.code == 0 and old == new:
        return differs, "no-change"
    counters = done.report["counters"]
    assert counters["mispredicted"] == counters["branch_mismatches"] == 0
    return differs, done.report["verdict"]


EQUAL = ("no-change", "equivalent", "equivalent-within-bounds")


WAITING = ("alarm",)  # a run waits longer than replay does
FOUND = ("same", "text", "direct")  # of these edits, an input is found that shows the difference


def handlers() -> Iterator[tuple[str, str, str]]:
    """Every way to register with every edit of what is registered; each third one once more, with
    another handler."""
    for at, (kind, body) in enumerate(itertools.product(REGISTERED, BODIES)):
        yield kind, body, ""
        if at % 3 == 0:
            yield kind, body, "with another handler"


@pytest.mark.parametrize("case", every(101, handlers()))
def test_handlers(case: tuple[str, str, str], tmp_path: Path) -> None:
    kind, body, place = case
    old, new = (handled(kind, each, PLACES[place]) for each in BODIES[body])
    differs, said = verdict(old, new, tmp_path)
    assert said not in EQUAL if differs else said != "different"
    assert said == "different" or not differs or kind in WAITING or body not in FOUND


@pytest.mark.parametrize("pair", every(500, areas()))
def test_areas(pair: tuple[str, str], tmp_path: Path) -> None:
    differs, said = verdict(*pair, tmp_path)
    assert said not in EQUAL if differs else said != "different"


@pytest.mark.parametrize("pair", every(80, buffers()))
def test_buffers(pair: tuple[str, str], tmp_path: Path) -> None:
    differs, said = verdict(*pair, tmp_path)
    assert said not in EQUAL if differs else said != "different"
