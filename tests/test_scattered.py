"""A function runs whose address the program has taken apart, and put together again: no path to a
change in it is pruned. A run of the versions says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.analysis import call_graph, points_to
from csg.frontend.files import parse_text
from csg.lower import lower
from symexec.runtime import library
from tests.command_line import csgtest, write_versions
from tests.nightly import every

HEAD = """\
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
typedef int (*fn)(int);
struct ops { long size; fn call; };
static int a(int x) { return x; }
static int b(int x) { return x * CHANGED; }
"""
# How the address of ``b`` comes to ``p``.
WAYS = {
    "byte by byte": "fn q = b; for (unsigned i = 0; i < sizeof p; i++)"
    " ((char *) &p)[i] = ((char *) &q)[i];",
    "by integers of half the size": "fn q = b; for (unsigned i = 0; i < 2; i++)"
    " ((int *) &p)[i] = ((int *) &q)[i];",
    "in a structure": "struct ops s = {1, b}, t = {1, a}; char *to = (char *) &t,"
    " *from = (char *) &s; unsigned n = sizeof s; while (n--) to[n] = from[n]; p = t.call;",
    "of a static table": "static const struct ops s = {1, b}; struct ops t; unsigned n = sizeof s;"
    " while (n--) ((char *) &t)[n] = ((const char *) &s)[n]; p = t.call;",
    "in two halves": "uintptr_t q = (uintptr_t) b; uint32_t high = q >> 32, low = q;"
    " p = (fn) ((uintptr_t) high << 32 | low);",
    "as a distance": "int off = (int) ((char *) b - (char *) a); p = (fn) ((char *) a + off);",
    "as a product": "uintptr_t q = (uintptr_t) b; q *= 3; p = (fn) (q / 3);",
    "as a negative distance": "char *q = (char *) b; p = (fn) (q - (q - (char *) b));",
    "through a pipe": "int d[2]; fn q = b; if (pipe(d)) return 0;"
    " if (write(d[1], &q, sizeof q) != sizeof q || read(d[0], &p, sizeof p) != sizeof p) return 0;",
    "through a pipe to its structure": "static struct ops s = {1, b}; struct ops *q = &s; int d[2];"
    " if (pipe(d)) return 0; if (write(d[1], &q, sizeof q) != sizeof q"
    " || read(d[0], &q, sizeof q) != sizeof q) return 0; p = q->call;",
    "through a file": "FILE *t = tmpfile(); fn q = b; if (!t) return 0; fwrite(&q, sizeof q, 1, t);"
    " rewind(t); if (fread(&p, sizeof p, 1, t) != 1) return 0;",
}


def of(way: str, result: str) -> str:
    guarded = f"int f(int k, int x) {{ fn p = a; if (k * 3 == 30045) {{ {WAYS[way]} }}"
    return HEAD.replace("CHANGED", result) + guarded + " return p(x & 7); }\n"


@pytest.mark.parametrize("way", WAYS)
def test_a_call_may_run_it(way: str) -> None:
    program = lower([parse_text(of(way, "5"))], entry="f")
    library.complete(program)
    calls = call_graph(program, points_to(program))
    called = {name for place, found in calls.callees.items() if place[0] == "f" for name in found}
    assert {"a", "b"} <= called


@pytest.mark.parametrize("way", every(2, WAYS))
def test_a_change_in_it_is_found(way: str, tmp_path: Path) -> None:
    write_versions(tmp_path, of(way, "5"), of(way, "6"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "20", folder=tmp_path)
    if way == "as a distance":  # of two functions, which the search has no number for
        assert done.reasons, done
    else:
        assert done.code == 1 and done.differing, done
