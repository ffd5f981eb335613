"""Which number says how much is behind a pointer: certain pairs, and those that only look so."""

from __future__ import annotations

import random
import subprocess
from itertools import product
from pathlib import Path

import pytest

from csg.analysis.lengths import MOST_PAIRS, _Uses, counted
from csg.frontend import parse_text

BUFFER = (
    "struct buffer { char *data; unsigned len, used; }; void other(struct buffer *);"
    "typedef struct { int start, end; } token; struct parser { unsigned pos, next; int super; };"
)
SUM = """
static int sum(const int *a, int n) { int s = 0; while (n--) s += *a++; return s; }
static void fill(char *p, int k) { for (int i = 0; i < k; i++) p[i] = ' '; }
static int is_end(char c) { return c == '\\n' || !c; }
static int is_zero(char c) { return c == '\\0'; }
static int is_comma(char c) { return c == ','; }
void *memchr(const void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);
unsigned long strlen(const char *); int say(const char *, ...);
"""
ROWS = [  # (parameters, body, pairs with the size of an element)
    ("int *a, int n", "for (i = 0; i < n; i++) s += a[i];", {("a", "n"): 4}),
    ("int *a, int n", "for (i = 0; i != n; ++i) if (a[i] == 3) break;", {("a", "n"): 4}),
    ("int *a, int n", "for (i = n - 1; i >= 0; i--) s += a[i];", {("a", "n"): 4}),
    ("char *p, int n", "while (n--) s += *p++;", {("p", "n"): 1}),
    ("char *p, int n", "char *q = p; for (i = 0; i < n; i++) s += *q++;", {("p", "n"): 1}),
    ("char *p, int n", "char *end = p + n; while (p < end) s += *p++;", {("p", "n"): 1}),
    ("int *p, int n", "for (int *q = p; q != &p[n]; q++) s += *q;", {("p", "n"): 4}),
    ("char *d, char *from, int n", "memcpy(d, from, n);", {("d", "n"): 1, ("from", "n"): 1}),
    ("short *a, int n", "memset(a, 0, n * sizeof *a);", {("a", "n"): 2}),
    ("int *a, int b, int count", "s = sum(a, count) + b;", {("a", "count"): 4}),
    ("struct buffer *b", "for (i = 0; i < b->len; i++) s += b->data[i];", {"*": 1}),
    (
        "unsigned char *buf, int len, int at",
        "if (at + 2 > len) return -1; s = buf[at] + buf[at + 1];",
        {("buf", "len"): 1},
    ),
    (
        "char *to, int to_len, char *from, int from_len",
        "if (from_len > to_len) return -1; memcpy(to, from, from_len);",
        {("to", "to_len"): 1, ("from", "from_len"): 1},
    ),
    (
        "char *a, int na, char *b, int nb",
        "for (i = 0; i < na && i < nb; i++) if (a[i] != b[i]) return i;",
        {("a", "na"): 1, ("b", "nb"): 1},
    ),
    ("unsigned char *p, int len", "s = elsewhere(p, len);", {("p", "len"): 1}),
    ("int *a, int n", "if (n == 3) s = 9; for (i = 0; i < n; i++) s += a[i];", {("a", "n"): 4}),
    # names say it: of the pointer before, or of a buffer
    (
        "const void *fdt, unsigned long bufsize",
        "const unsigned *u = fdt; if (bufsize < 8 || bufsize < u[1]) return -1; s = u[0];",
        {("fdt", "bufsize"): 1},
    ),
    (
        "char *data, int data_len",
        "if (data_len < 2) return 0; s = data[0];",
        {("data", "data_len"): 1},
    ),
    ("void *data, int data_len", "if (data_len > 64) return 0; s = *(char *) data;", {}),
    ("void *pool, unsigned long size", "if (size < 8) return 0; s = *(char *) pool;", {}),
    ("char *to, char *from, int to_size", "if (to_size < 2) return 0; s = *from;", {}),
    # a guard beside the index says it, whatever the number is called
    (
        "char *out, int room, char *t",
        "i = 0; while (*t) { if (i >= room) return -1; out[i++] = *t++; }",
        {("out", "room"): 1},
    ),
    (
        "struct parser *p, token *tokens, unsigned most",
        "if (p->next >= most) return -1; token *t = &tokens[p->next++]; s = t->start = p->pos;",
        {("tokens", "most"): 8},
    ),
    (
        "token *tokens, int num_tokens",
        "s = elsewhere(tokens, num_tokens);",
        {("tokens", "num_tokens"): 8},
    ),
    (
        "token *tokens, unsigned qty",
        "s = elsewhere(tokens, qty);",
        {("tokens", "qty"): 8},
    ),
    ("char *out, int k", "for (i = 0; i < 99; i++) if (i < k) out[i] = 1;", {}),
    ("char *p, int depth", "for (i = 0; i < depth; i++) p[i] = ' ';", {("p", "depth"): 1}),
    ("int *a, int most", "for (i = 0; i < most; i++) if (a[i] == 7) return i;", {}),
    ("int *a, int k", "s = sum(a, k);", {}),
    ("char *p, int k", "fill(p, k);", {("p", "k"): 1}),
    ("char *p, int k", "fill(p, k + 3);", {}),
    # what else bounds a number that is counted
    (
        "char *d, char *t, unsigned size",
        "unsigned m = strlen(t); if (m >= size) m = size - 1; memcpy(d, t, m); d[m] = 0;",
        {("d", "size"): 1},
    ),
    (
        "char *line, char *to, int cap",
        "i = 0; while (line[i] != ' ') i++; if (i > cap) return -1; memcpy(to, line, i);",
        {("to", "cap"): 1},
    ),
    (
        "unsigned char *p, int n",
        "int m = p[0]; if (m > n) m = n; for (i = 0; i < m; i++) s += p[i];",
        {("p", "n"): 1},
    ),
    (
        "int *a, int n",
        "for (i = 0; i < n; i++) for (j = 0; j < i; j++) s += a[j];",
        {("a", "n"): 4},
    ),
    ("int *a, int n", "int m = n; if (m > 8) m = 8; for (i = 0; i < m; i++) s += a[i];", {}),
    ("int *a, int n", "int m = n; m &= 7; for (i = 0; i < m; i++) s += a[i];", {}),
    # what is used is asked for
    ("char *buf, int len", 's = len > 2 && memcmp(buf, "abc", 3) == 0;', {("buf", "len"): 1}),
    ("int *a, int n", "if (n > 1 && a[1]) s = 1;", {("a", "n"): 4}),
    ("int *a, int len", "if (len >= 8) s = memcmp(a, table, 8);", {("a", "len"): 1}),
    ("struct buffer *b", "if (b->len >= 2) s = b->data[1];", {"*": 1}),
    ("const void *p, int size", "if (size >= 8) s = ((int *) p)[1];", {("p", "size"): 1}),
    ("char *out, int outlen", 'if (outlen >= 4) memcpy(out, "abc", 4);', {("out", "outlen"): 1}),
    ("int *a, int mode", "if (mode > 1 && a[1]) s = 1;", {}),
    ("int *a, int n, int x", "if (n > 1 && a[1]) s = a[x];", {}),
    ("char *p, int x, int len", "if (len > 9) s = p[2];", {}),  # a number of its own, perhaps
    ("char *buf, int len", "if (len > 2 && buf[2]) s = alone(buf);", {}),
    ("char *buf, int len", "if (len > 2 && buf[2]) s = 1; kept = buf;", {}),
    ("int *a, int n", "if (n > 1) s = a[1]; n = 3; s += a[0];", {}),
    ("int *a, int n", "if (n > 1) goto in; if (n < 2) return 0; in: s = a[1];", {}),
    ("char *s1, int count", "s = count > 1 && s1[0] == 'a' && s1[1] == 'b';", {}),
    # another branch takes the number for something else
    ("int c, int *a, int n", "if (c) for (i = 0; i < n; i++) s += a[i]; else s = n / 9;", {}),
    ("int c, int *a, int n", "if (c == 3) return n * 7; for (i = 0; i < n; i++) s += a[i];", {}),
    ("int *a, int n", "if (n <= 8) { while (n-- > 0) s += *a++; return s; } s = n / 9;", {}),
    ("int c, char *a, int n", "return c ? fill(a, n), 1 : n / 9;", {}),
    (
        "const char *src, int len, int *out",
        "if (out) for (i = 0; i < len; i++) s += src[i]; else if (len) s = 3 * len / 4;",
        {("src", "len"): 1},
    ),
    ("char *a, int c, int len", "return c ? fill(a, len), 1 : len / 9;", {}),
    (
        "int c, int *a, int n",
        "switch (c) { case 1: while (n-- > 0) s += *a++; break; default: s = n / 9; }",
        {},
    ),
    (
        "int c, int *a, int n",
        'if (c) { say("%d", n); return n; } for (i = 0; i < n; i++) s += a[i];',
        {("a", "n"): 4},
    ),
    ("int *a, int n", "if (!a) return n * 2; while (n-- > 0) s += *a++;", {("a", "n"): 4}),
    ("int *a, int n", "if (n < 8) return n * 3; while (n-- > 0) s += *a++;", {("a", "n"): 4}),
    # a caller may pass more than there is
    ("int *a, int n", "if (n > 8) return -1; for (i = 0; i < n; i++) s += a[i];", {}),
    ("int *a, int n", "if (n <= 8) for (i = 0; i < n; i++) s += a[i];", {}),
    ("int *a, int n", "if (n > 8) n = 8; for (i = 0; i < n; i++) s += a[i];", {}),
    ("int *a, int n", "int m = n < 8 ? n : 8; for (i = 0; i < m; i++) s += a[i];", {}),
    ("int *a, int n", "for (i = 0; i < n && i < 4; i++) s += a[i];", {}),
    ("int *a, int n", "for (i = 0; i < n; i++) { if (i == 4) break; s += a[i]; }", {}),
    ("int *a, int n", "if (n == 4) for (i = 0; i < n; i++) s += a[i];", {}),
    ("int *a, int n", "switch (n) { case 2: for (i = 0; i < n; i++) s += a[i]; }", {}),
    ("int *a, int n", "n = 2; for (i = 0; i < n; i++) s += a[i];", {}),
    ("int *a, int n", "other2(&n); for (i = 0; i < n; i++) s += a[i];", {}),
    ("int *a, int n", "a = table; for (i = 0; i < n; i++) s += a[i];", {}),
    # texts end by themselves
    ("char *p, int n", "for (i = 0; i < n && p[i]; i++) s++;", {}),
    ("char *p, int n", 's = strncmp(p, "abc", n);', {}),
    ("char *p, int n", "for (i = 0; i < n; i++) if (p[i] == '\\0') break;", {}),
    ("char *p, int n", "for (i = 0; i < n; i++) if (is_end(p[i])) break;", {}),
    ("char *p, int n", "for (i = 0; i < n; i++) if (is_zero(p[i])) break;", {}),
    ("char *p, int n", "for (i = 0; i < n; i++) if (is_comma(p[i])) s++;", {("p", "n"): 1}),
    ("unsigned char *p, int n", "for (i = 0; i < n && p[i]; i++) s++;", {}),
    ("unsigned char *p, int n", "while (n-- && *p) p++;", {}),
    ("int *a, int n", "for (i = 0; i < n && a[i] != -1; i++) s++;", {}),
    ("unsigned char *p, int n", "unsigned char *q = memchr(p, 0, n); s = q ? q - p : n;", {}),
    ("unsigned char *p, int n", "s = memchr(p, 'x', n) != 0;", {("p", "n"): 1}),
    # two numbers could be meant, or none is
    ("int *a, int w, int h", "for (i = 0; i < w; i++) for (j = 0; j < h; j++) s += *a++;", {}),
    ("int *a, int i2", "s = a[i2];", {}),
    ("int *a, int k", "for (i = 0; i < k; i++) s += a[3];", {}),
    ("struct buffer *b", "other(b); for (i = 0; i < b->len; i++) s += b->data[i];", {}),
    ("struct buffer *b", "b->len++; for (i = 0; i < b->len; i++) s += b->data[i];", {}),
]


@pytest.mark.parametrize(("parameters", "body", "expected"), ROWS, ids=[row[1] for row in ROWS])
def test_pairs(parameters: str, body: str, expected: dict[object, int]) -> None:
    text = (
        f"{BUFFER} {SUM} int table[9]; char *kept; "
        f"int f({parameters}) {{ int s = 0, i, j; {body} return s; }}"
    )
    functions = {each.symbol.name: each for each in parse_text(text).functions}
    entry = functions["f"]
    names = [each.name for each in entry.parameters]
    found = {}
    for pair, each in counted(functions, entry).items():
        pointer, number = (names[int(name[0])] + name[1:] for name in pair)
        found[pointer, number] = each.unit
    if "*" in expected:
        expected = {("b->data", "b->len"): expected["*"]}
    assert found == expected


@pytest.mark.parametrize("helpers", [2, 10, 60])
@pytest.mark.parametrize("links", ["next", "l, *r", "l, *r, *u, *v"])
def test_pairs_of_a_recursive_structure_are_few(
    links: str, helpers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each round of calls adds a member to the places of a recursive function's pairs. The pairs
    that are made for all functions grow no faster than the number of functions and rounds."""
    made: list[int] = []
    plain = _Uses.pairs

    def pairs(self: _Uses, *of_others: object) -> object:
        found = plain(self, *of_others)  # type: ignore[arg-type]
        made.append(len(found))
        return found

    monkeypatch.setattr(_Uses, "pairs", pairs)
    names = links.replace("*", "").split(", ")
    text = f"struct e {{ struct e *{links}; unsigned char *p; int n; }};"
    text += "int walk(struct e *e) { int s = 0; for (int i = 0; i < e->n; i++) s += e->p[i];"
    text += f" return s + {' + '.join(f'walk(e->{name})' for name in names)}; }}\n"
    for at in range(helpers):
        text += f"int g{at}(int k) {{ return {f'g{at - 1}(k)' if at else 'k'}; }}\n"
    text += f"int f(struct e *e, int n) {{ return g{helpers - 1}(n) + walk(e); }}\n"
    functions = {each.symbol.name: each for each in parse_text(text).functions}
    counted(functions, functions["f"])
    assert 0 < max(made) <= len(names) * (MOST_PAIRS + 1)
    assert sum(made) <= 4 * 2 * (helpers + 2) * MOST_PAIRS


def test_a_constant_bound_anywhere_leaves_no_pair() -> None:
    """However the function refuses or cuts a number, what is refused is tried."""
    chance = random.Random(1)
    uses = ("for (i = 0; i < n; i++) s += a[i];", "while (n-- > 0) s += *a++;", "memset(a, 0, n);")
    guards = (
        "if (n {above} {k}) return -1;",
        "if ({k} {below} n) return -1;",
        "if (!(n {below} {k})) goto out;",
        "if (a == 0 || n {above} {k}) exit(2);",
        "if (n {above} {k}) n = {k};",
    )
    for _ in range(60):
        guard = chance.choice(guards).format(
            above=chance.choice((">", ">=")),
            below=chance.choice(("<", "<=")),
            k=chance.randint(2, 99),
        )
        kind = chance.choice(("char", "int", "unsigned short", "long"))
        number = chance.choice(("int", "unsigned", "long", "unsigned char"))
        text = (
            f"void exit(int) __attribute__((noreturn)); int f({kind} *a, {number} n) "
            f"{{ int s = 0, i; {guard} {chance.choice(uses)} out: return s; }}"
        )
        functions = {each.symbol.name: each for each in parse_text(text).functions}
        assert counted(functions, functions["f"]) == {}, text


LESS = [  # how many elements fewer than the number says
    ("for (i = 0; i < n; i++) d[i] = 1;", 0),
    ("for (i = 0; i < n - 1; i++) d[i] = 1;", 1),
    ("for (i = 0; i <= n - 1; i++) d[i] = 1;", 0),
    ("for (i = 0; i <= n - 3; i++) d[i] = 1;", 2),
    ("for (i = 0; i + 1 < n; i++) d[i] = 1;", 1),
    ("for (i = 0; i + 1 < n; i++) d[i + 1] = 1;", 0),
    ("for (i = 1; i < n; i++) d[i - 1] = 1;", 1),
    ("for (i = 0; i <= n; i++) d[i] = 1;", 0),
    ("for (i = 0; i < n; i++) if (i < n - 1) d[i] = 1;", 1),
    ("for (i = 0; i < n; i++) s += i; for (i = 0; i < n - 1; i++) d[i] = 1;", 1),
    ("for (i = 0; i < n - 1; i++) d[i] = 1; d[n - 1] = 0;", 0),
    ("for (i = 0; i < n - 2; i++) d[i] = 1; d[n - 2] = 0;", 1),
    ("for (i = 0; i < n - 1; i++) d[i] = 1; d[i] = 0;", 0),
    ("for (i = 0; i < n - 3; i++) d[i] = 1; d[i] = 0;", 2),
    ("for (i = 0; i < n; i++) d[i] = 1; d[i] = 0;", 0),
    ("for (i = 0; i < n - 1; i++) d[i] = 1; i = 0; d[i] = 0;", 1),
    ("i = 0; while (i < n - 1 && s) { d[i] = 1; i++; } d[i] = 0;", 0),
    ("while (--n > 0) *d++ = 1;", 1),
    ("while (--n > 0) *++d = 1;", 0),
    ("while (--n > 0) { d++; *d = 1; }", 0),
    ("while (--n > 0) { *d = 1; d++; }", 1),
    ("s = *d++; while (--n > 0) *d++ = s;", 0),
    ("int *p = d + 1; while (--n > 0) *p++ = 1;", 0),
    ("int *p = &d[1]; while (--n > 1) *p++ = 1;", 1),
    ("while (n-- > 1) *d++ = 1;", 1),
    ("while (n-- > 0) *d++ = 1;", 0),
    ("int *end = d + n - 1; while (d <= end) *d++ = 1;", 0),
    ("memcpy(d, &i, (n - 1) * sizeof *d);", 1),
    ("last(d, n + 1);", 0),
    ("last(d, n);", 1),
    ("last(d, n - 1);", 2),
]


@pytest.mark.parametrize(("body", "less"), LESS, ids=[row[0] for row in LESS])
def test_fewer_elements_than_the_number_says(body: str, less: int) -> None:
    """What writes to n - 1 elements asks for no more."""
    inner = "static void last(int *d, int n) { int i; for (i = 0; i < n - 1; i++) d[i] = 1; }"
    text = f"{SUM} {inner} int f(int *d, int n) {{ int s = 0, i; {body} return s; }}"
    functions = {each.symbol.name: each for each in parse_text(text).functions}
    ((pair, each),) = counted(functions, functions["f"]).items()
    assert (pair, each.less) == (("0", "1"), less)


GUARDS = {  # how a function asks for three bytes, or for another number
    "len > 2": 3,
    "len >= 3": 3,
    "2 < len": 3,
    "len == 3": 3,
    "!(len < 3)": 3,
    "len >= (int) sizeof magic - 1": 3,
    "len > 1": 2,
    "len": 1,
    "len != 3": 0,
    "len > 5": 6,
}
USES = [
    'memcmp(buf, "abc", 3) == 0',
    'memcmp(buf, "abc", sizeof "abc" - 1) == 0',
    'memcmp(buf + 1, "bc", 2) == 0',
    "memchr(buf, 'x', 3) != 0",
    "memcpy(copy, buf, 3) && copy[2] == 'c'",
    "buf[2] == 'c'",
    "(buf[0] | buf[1] | buf[2]) == 'x'",
    "buf[0] == 'a' && buf[1] == 'b' && buf[2] == 'c'",  # a text ends before it is read too far
    'strncmp(buf, "abc", 3) == 0',
    "*buf == 'a'",
]
SHAPES = [
    "return GUARD && USE;",
    "if (GUARD && USE) return 1; return 0;",
    "if (!(GUARD)) return 0; return USE;",
    "if (GUARD) { if (USE) return 1; } return 0;",
    "return GUARD ? USE : -1;",
    "return !(GUARD) || USE;",
    "int r = -1; if (!(GUARD)) goto out; r = USE; out: return r;",
    "{ if (!(GUARD)) return 3; } return 0;",
    "return USE;",
    "if (GUARD) return 2; return USE;",
    "const char *p = buf; int n = len; if (n < 3) return 7; return p[2] == 'c';",
    "if (len > 9) return -1; return GUARD && USE;",
]
WHOLE = [
    'for (int i = 0; i + 3 <= len; i++) if (memcmp(buf + i, "abc", 3) == 0) return i; return -1;',
    'for (int i = 0; i + 3 <= len; i++) if (!strncmp(&buf[i], "abc", 3)) return i; return -1;',
    "for (int i = 0; i < len - 2; i++) if (buf[i] == 'a' && buf[i + 2] == 'c') return i; return 0;",
    'while (len > 2) { if (!memcmp(buf, "abc", 3)) return 1; buf++; len--; } return 0;',
    'while (len >= 3 && strncmp(buf, "abc", 3)) { buf++; len--; } return len;',
    "while (len > 2) { if (buf[0] == 'a' && buf[2] == 'c') return 1; buf++; len--; } return 0;",
    "const char *at = memchr(buf, 'x', len); return at != 0;",
    "int n = strlen(word); return len >= n && memcmp(buf, word, n) == 0;",
    "int n = strlen(word); if (len < n) return 0; return memcmp(buf, word, n) == 0;",
    "int n = strlen(word); return memcmp(buf, word, n) == 0;",
    'int at = 0; return at + 3 <= len && memcmp(buf + at, "abc", 3) == 0;',
]
JUDGE = r"""
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
static sigjmp_buf back;
static void fault(int signal) { (void) signal; siglongjmp(back, 1); }
static volatile int sink;
/* Every byte that C says is looked at. */
static void touch(const char *p, int n) { for (int i = 0; i < n; i++) sink += p[i]; }
static int memcmp_(const char *a, const char *b, int n)
{ touch(a, n); touch(b, n); return __builtin_memcmp(a, b, n); }
static const void *memchr_(const char *a, int c, int n)
{ touch(a, n); return __builtin_memchr(a, c, n); }
static void *memcpy_(char *a, const char *b, int n)
{ touch(b, n); return __builtin_memcpy(a, b, n); }
static int strncmp_(const char *a, const char *b, int n)
{ for (int i = 0; i < n; i++) { if (a[i] != b[i]) return 1; if (!a[i]) break; } return 0; }
#define memcmp memcmp_
#define memchr memchr_
#define memcpy memcpy_
#define strncmp strncmp_
#define strlen __builtin_strlen
static const char magic[] = "abc", *word = "abcd";
static char copy[16];
FUNCTIONS
static int (*const all[])(const char *, int) = {NAMES};
static const char *contents[] = {"", "a", "ab", "abc", "abcabcabcabc", "xxxxxxxxxxxx", "abxabxabx"};
int main(void)
{
    char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    signal(SIGSEGV, fault);
    for (unsigned f = 0; f < sizeof all / sizeof *all; f++) {
        volatile int holds = 1, needed = 0;
        for (unsigned c = 0; c < sizeof contents / sizeof *contents; c++)
            for (volatile int size = 1; size <= 9; size++)
                for (volatile int len = 0; len <= 12; len++) {
                    char *buf = pages + 4096 - size;
                    snprintf(buf, size, "%s", contents[c]);
                    if (sigsetjmp(back, 1) == 0)
                        sink += all[f](buf, len);
                    else if (len <= size)
                        holds = 0;
                    else
                        needed = 1;
                }
        printf("%d", holds && needed);
    }
}
"""
DECLARED = """
typedef unsigned long size_t;
int memcmp(const void *, const void *, size_t); void *memchr(const void *, int, size_t);
void *memcpy(void *, const void *, size_t); int strncmp(const char *, const char *, size_t);
size_t strlen(const char *);
static const char magic[] = "abc", *word = "abcd"; static char copy[16];
"""


def test_guarded_uses_show_a_length_where_callers_must_keep_to_it(tmp_path: Path) -> None:
    """Natively: with the last byte of the text at the end of a page, no call with ``len`` up to the
    size reads behind it, and some call with a larger one does. Nothing is inferred of a number that
    the code refuses if it is large (``len > 9``)."""
    bodies = [
        shape.replace("GUARD", guard).replace("USE", f"({use})")
        for guard, use, shape in product(GUARDS, USES, SHAPES)
    ]
    bodies = [*dict.fromkeys((*bodies, *WHOLE))]
    text = "\n".join(
        f"static int f{at}(const char *buf, int len) {{ {body} }}" for at, body in enumerate(bodies)
    )
    names = ", ".join(f"f{at}" for at in range(len(bodies)))
    judge = tmp_path / "judge.c"
    judge.write_text(JUDGE.replace("FUNCTIONS", text).replace("NAMES", names))
    command = ["gcc", "-O0", "-w", "-fno-builtin", "-fsigned-char", "-o", tmp_path / "judge", judge]
    subprocess.run(command, check=True)
    verdicts = subprocess.run([tmp_path / "judge"], check=True, capture_output=True, text=True)
    assert len(verdicts.stdout) == len(bodies)

    functions = {each.symbol.name: each for each in parse_text(DECLARED + text).functions}
    wrong = []
    for at, (body, verdict) in enumerate(zip(bodies, verdicts.stdout, strict=True)):
        found = ("0", "1") in counted(functions, functions[f"f{at}"])
        if found and verdict == "0":
            wrong.append(f"hides: {body}")
        elif not found and verdict == "1" and "len > 9" not in body:
            wrong.append(f"missed: {body}")
    assert not wrong, "\n".join([f"{len(wrong)} of {len(bodies)}", *wrong])
