"""What pointers are compared with is found along the ways that their values go."""

from __future__ import annotations

import pytest

from csg.analysis.pointer_identity import Kind, pointer_identities
from csg.frontend import parse_text

HEAD = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
typedef int (*callback)(int);
struct pair { callback first, second; };
static int one(int n) { return n; }
int two(int n) { return 2 * n; }
static callback table[] = {one, two};
static int same(callback a, callback b) { return a == b; }
static callback kept = one;
static callback usual(int n) { if (n) return one; return two; }
int f(callback a, callback b, FILE *out, FILE *log, void *p, const char *text, int n)
{
    BODY
    return 0;
}
"""
FOUND = {
    "": {},
    "if (a == b) return 1;": {"a": "b", "b": "a"},
    "if (n || a != one) return 1;": {"a": "one"},
    "if (&two == a) return 1;": {"a": "two"},
    "if (*a == *b) return 1;": {"a": "b", "b": "a"},
    "return same(b, two);": {"b": "two"},
    "callback c = a; return c == one ? 3 : 4;": {"a": "one"},
    "return a == kept;": {"a": "one"},
    "return a == usual(n);": {"a": "one two"},
    "return a == table[n & 1];": {"a": "0 one two"},
    "struct pair w = {a, two}; return w.first == w.second;": {"a": "0 two"},
    "struct pair w; w.first = a; struct pair *v = &w; return v->first == one;": {"a": "one"},
    "int (*c)(int) = a, (**at)(int) = &c; return *at == b;": {"a": "b", "b": "0 a"},
    "return (void (*)(int)) a == SIG_IGN;": {"a": "1"},
    "return (void *) a == free;": {"a": "free"},
    "return p == MAP_FAILED;": {"p": "-1"},
    "return text == (char *) 8 || p == (void *) (1 << 4);": {"text": "8", "p": "16"},
    "return (unsigned long) p >= (unsigned long) -4095;": {"p": "-4095"},
    "return (unsigned long) p > (unsigned long) -4095;": {"p": "-4094"},
    "return (long) p < 0;": {"p": "-1"},
    "switch ((long) p) { case 3: return 1; case -2: return 2; }": {"p": "-2 3"},
    "return p == 0 || !a || out == NULL || text != 0;": {},
    "return mmap(p, n, 0, 0, 0, 0) == MAP_FAILED;": {},
    "return out == stdin;": {"out": "stdin"},
    "FILE *to = out ? out : stderr; return to != stderr;": {"out": "stderr"},
    "return fileno(out) == n;": {"out": "stdin stdout stderr"},
    'fputs("a", out);': {},
    'fputs("a", out); puts("b");': {"out": "stdout"},
    'fprintf(out, "a"); fprintf(stderr, "b"); printf("c");': {"out": "stdout stderr"},
    'return fgetc(out) + getchar();': {"out": "stdin"},
    'puts("b"); return fgetc(out);': {},
    'fputs("a", out); fputc(98, log);': {"out": "log", "log": "out"},
    "fputc(fgetc(out), log);": {},
    "return fileno(out) == fileno(log);": {
        "out": "log stdin stdout stderr", "log": "out stdin stdout stderr",
    },
    "return out == log;": {"out": "log", "log": "out"},
    'puts("b"); fclose(out);': {"out": "stdout"},
    "return a(1) + b(2) + (p == text) + n == 3;": {"p": "text", "text": "p"},
}  # fmt: skip


def found(body: str) -> dict[str, str]:
    units = [parse_text(HEAD.replace("BODY", body))]
    names = [each.name for each in units[0].functions[-1].parameters]
    return {
        names[each.at]: " ".join(
            str(one.value - (one.value >> 63 << 64)) if one.kind is Kind.CONSTANT else one.name
            for one in each.others
        )
        for each in pointer_identities([units], "f")
    }


@pytest.mark.parametrize("body", FOUND)
def test_what_is_compared_is_found(body: str) -> None:
    shown = {name: sorted(others.split()) for name, others in found(body).items()}
    assert shown == {name: sorted(others.split()) for name, others in FOUND[body].items()}


def test_both_versions_count() -> None:
    units = [[parse_text(HEAD.replace("BODY", text))] for text in ("return a == one;", "kept = b;")]
    assert [each.at for each in pointer_identities(units, "f")] == [0]
    assert [each.at for each in pointer_identities(units[::-1], "f")] == [0]
