"""What builds with sanitizers alone show is no difference: AddressSanitizer brings functions of the
library of its own, and needs more stack.

    int r = strcmp(a, "b"); return r == -1;   |  return 0;      -1 there, 'a' - 'b' elsewhere

gcc's binaries have the truth.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.callers import shown_by_caller
from tests.command_line import csgtest, version_of, write_versions
from tests.nightly import every

HEAD = """\
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static int calls;
static int by_number(const void *a, const void *b)
{
    calls++;
    return (*(int *) a > *(int *) b) - (*(int *) a < *(int *) b);
}
"""
# Functions of a text, of which a caller passes each of one byte.
TEXTS = {
    "the value of strcmp": 'int f(const char *a) { int r = strcmp(a, "e");'
    " return ⟨r == -1 && *a != 'd' | 0⟩; }",
    "the value of strcmp, elsewhere too": 'int f(const char *a) { int r = strcmp(a, "e");'
    " return ⟨r == -4 | 0⟩; }",
    "the sign of strcmp": 'int f(const char *a) { return strcmp(a, "e") ⟨< | <=⟩ 0; }',
    "the value of strncmp": 'int f(const char *a) { int r = strncmp(a, "e", 1);'
    " return ⟨r == 1 && *a != 'f' | 0⟩; }",
    "the value of memcmp": 'int f(const char *a) { int r = memcmp(a, "e", 1);'
    " return ⟨r == -1 && *a != 'd' | 0⟩; }",
    "the value of strcasecmp": 'int f(const char *a) { int r = strcasecmp(a, "E");'
    " return ⟨r == -1 && *a != 'd' && *a != 'D' | 0⟩; }",
}
NUMBERS = {
    "calls of qsort": "int f(int x, int y) { int b[4] = {x, y, 3, 4}; calls = 0;"
    " qsort(b, 4, sizeof *b, by_number); return ⟨calls > 5 | 0⟩; }",
    "calls of qsort, elsewhere too": "int f(int x, int y) { int b[4] = {x, y, 3, 4}; calls = 0;"
    " qsort(b, 4, sizeof *b, by_number); return ⟨calls > 4 | 0⟩; }",
    "calls of qsort that a static object counts": "int f(int x, int y) { int b[4] = {x, y, 3, 4};"
    " calls = 0; ⟨qsort(b, 4, sizeof *b, by_number); | ⟩ int n = calls; return n > 5; }",
    "the size of a block": "int f(int x, int y) { void *p = malloc(10);"
    " int n = malloc_usable_size(p); free(p); return ⟨n == 10 | 0⟩; }",
    "what the library finds in freed memory": "int f(int x, int y) { char *p = malloc(16);"
    ' strcpy(p + 8, "AB=1"); putenv(p + 8); free(p); int n = getenv("AB") != 0;'
    ' unsetenv("AB"); return ⟨n | 0⟩; }',
    "a large array on the stack": "int f(int x, int y) { int n = 8300000 + (x & 7);"
    " ⟨static char b[8400000] | char b[n]⟩; b[n - 1] = 1; return b[n - 1]; }",
}
CALLERS = {
    **dict.fromkeys(
        TEXTS, 'for (int c = 0; c < 256; c++) { char s[2] = {c}; printf("%d ", f(s)); }'
    ),
    **dict.fromkeys(NUMBERS, 'printf("%d %d %d", f(1, 2), f(64, 4), f(9, 8))'),
}


@pytest.mark.parametrize("name", every(5, CALLERS))
def test_what_sanitizers_alone_show_is_no_difference(name: str, tmp_path: Path) -> None:
    text = HEAD + {**TEXTS, **NUMBERS}[name]
    old, new = (version_of(text, which) + "\n" for which in (0, 1))
    printed = [
        shown_by_caller(tmp_path, f"{text}\n#include <stdio.h>", CALLERS[name], "-fwrapv")
        for text in (old, new)
    ]
    apart = printed[0] != printed[1]
    write_versions(tmp_path, old, new)
    words = ("--entry", "f", "--time", "8", "--attack", "1")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert (done.report["verdict"] == "different") is apart, done.out
