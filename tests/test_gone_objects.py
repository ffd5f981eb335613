"""An address that outlives its object and meets the address of a later one: the later object may
lie in the same place, as it does with gcc and glibc here. Objects of one time never do."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.nightly import every

HEAD = """\
#define _GNU_SOURCE
#include <alloca.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char table[2];
static jmp_buf out;
static char *local(void) { char c[16]; char *volatile p = c; return p; }
static char *far_local(char **to) { char c[16]; *to = c; longjmp(out, 1); }
static char *taken(int n) { char *volatile p = alloca(n); return p; }
static int same(char *s) { static const char *last; int is = s == last; last = s; return is; }
"""
# The address of an object that is gone is ``a``, and that of one in its place is ``b``.
LIVES = {
    "malloc": "char *a = malloc(20); free(a); char *b = malloc(20);",
    "calloc": "char *a = malloc(2000); free(a); char *b = calloc(2000, 1);",
    "realloc": "char *a = malloc(20), *b = realloc(a, 24);",
    "reallocarray": "char *a = malloc(20), *b = reallocarray(a, 3, 8);",
    "strdup": 'char *a = strdup("ab"); free(a); char *b = strdup("abcd");',
    "fopen": 'char *a = (char *) fopen("/dev/null", "r"); fclose((FILE *) a);'
    ' char *b = (char *) fopen("/dev/null", "r");',
    "opendir": 'char *a = (char *) opendir("/"); closedir((DIR *) a);'
    ' char *b = (char *) opendir("/");',
    "two calls": "char *a = local(), *b = local();",
    "longjmp": "char *volatile a = local(), *volatile b = 0; char *at;"
    " if (!setjmp(out)) far_local(&at); a = at; if (!setjmp(out)) far_local(&at); b = at;",
    "alloca": "char *a = taken(16), *b = taken(16);",
    "blocks": "char *a, *b; { char c[64]; a = c; *c = 1; } { char d[64]; b = d; *d = 1; }",
    "variable lengths": "char *a = 0, *b = 0; for (int i = 0; i < 2; i++)"
    " { char c[k - k + 16]; a = b; b = c; }",
}
# Whether ``a`` and ``b`` are the same.
WAYS = {
    "pointers": "int one = a == b;",
    "numbers": "int one = (uintptr_t) a == (uintptr_t) b;",
    "exclusive or": "int one = !((uintptr_t) a ^ (uintptr_t) b);",
    "difference": "int one = b - a == 0;",
    "hashes": "int one = ((uintptr_t) a >> 4) % 1024 - ((uintptr_t) b >> 4) % 1024 < 1;",
    "order": "int one = a <= b && b <= a;",
    "bytes": "char *c = (char *) a, *d = (char *) b; int one = !memcmp(&c, &d, sizeof c);",
    "a switch": "int one = 0; switch ((uintptr_t) b - (uintptr_t) a) { case 0: one = 1; }",
    "a place": "const char *c = table + ((uintptr_t) a == (uintptr_t) b); int one = c != table;",
    "a cache": "int one = (same(a), same(b));",
}


@pytest.mark.parametrize("case", every(29, [*product(LIVES, WAYS)]), ids="-".join)
def test_a_later_object_may_lie_in_the_place(case: tuple[str, str], tmp_path: Path) -> None:
    lives, way = case
    text = f"int g = k * 3 == 30045; {LIVES[lives]} {WAYS[way]} return RESULT;"
    text = f"{HEAD}int f(int k) {{ {text} }}\n"
    write_versions(
        tmp_path, text.replace("RESULT", "0 * (g & one)"), text.replace("RESULT", "g & one")
    )
    caller = tmp_path / "caller.c"
    caller.write_text('#include "new.c"\nint main(void) { return f(10015); }\n')
    subprocess.run(["gcc", "-w", caller, "-o", tmp_path / "caller"], check=True)
    assert subprocess.run([tmp_path / "caller"], check=False).returncode == 1  # the versions differ
    words = ("--entry", "f", "--time", "4", "--attack", "0", "--no-replay")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert "addresses" in done.reasons, done


# Expressions that are 0 wherever the objects lie.
APART = {
    "both there": "char *p = malloc(8), *q = malloc(8); uintptr_t a = (uintptr_t) p,"
    " b = (uintptr_t) q; free(p); free(q); int one = a == b;",
    "an older one": "char *q = malloc(8), *p = malloc(8); free(p);"
    " int one = p == q || (uintptr_t) p == (uintptr_t) q;",
    "one that was there": "char *p = malloc(8), *q = malloc(8); free(p); int one = p == q;",
    "no object": "char *p = malloc(8); free(p); int one = p == 0 || (uintptr_t) p == 0;",
    "another kind": "char c, *p = malloc(8); free(p); int one = p == &c || p == table;",
    "a local of the caller": "char c, *p = local(); int one = p == &c || (uintptr_t) &c"
    " == (uintptr_t) p;",
    "what was moved": "char *q = malloc(8), *p = realloc(malloc(8), 80); int one = p == q;",
    "two locals": "char c, d; int one = &c == &d || (uintptr_t) &c == (uintptr_t) &d;",
}


@pytest.mark.parametrize("name", every(4, APART, 1))
def test_objects_of_one_time_lie_apart(name: str, tmp_path: Path) -> None:
    text = f"{HEAD}int f(int k) {{ {APART[name]} return RESULT; }}\n"
    write_versions(tmp_path, text.replace("RESULT", "k"), text.replace("RESULT", "k + one"))
    words = ("--entry", "f", "--time", "20", "--attack", "0", "--no-replay")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.report["verdict"] == "equivalent-within-bounds", done
