"""Pieces of C that the grower drops in as they stand: library calls, pointers, records, endings.

``{x}`` and ``{y}`` become variables that may be written, ``{e}`` and ``{d}`` expressions, ``{k}`` a
number of its own for names.
"""

from __future__ import annotations

PLAIN = (
    "{{ int *q{k} = malloc(8); q{k}[0] = {x}; q{k}[1] = {e}; {y} += q{k}[{d} & 1]; free(q{k}); }}",
    "{{ int z{k}[3] = {{{x}, 1}}, *q{k}; for (q{k} = z{k}; q{k} < z{k} + 3; q{k}++)"
    " {y} ^= *q{k}; }}",
    "{{ unsigned char z{k}[4]; memset(z{k}, {e}, 4); z{k}[1] = {d}; {x} = *(short *)(z{k} + 1); }}",
    "{{ int z{k}; memcpy(&z{k}, &{x}, 1); memset((char *)&z{k} + 1, 0, 3); {y} -= z{k}; }}",
    '{{ const char *q{k} = "-12" + ({e} & 1); {x} = strlen(q{k}) + atoi(q{k}); }}',
    '{{ char z{k}[4] = "ab"; z{k}[{e} & 1] = {d}; {x} += strlen(z{k}); }}',
    '{{ char z{k}[3] = "ab"; z{k}[1] = {e}; {x} += strcmp(z{k}, "ac") < 0; }}',
    "{{ union {{ int i; unsigned char c[4]; }} z{k} = {{{e}}}; z{k}.c[{d} & 3] ^= 1;"
    " {x} = z{k}.i; }}",
    "{{ struct {{ int i : 5; unsigned u : 3; }} z{k} = {{{e}, {d}}}; z{k}.i++;"
    " {x} = z{k}.i - z{k}.u; }}",
    "{{ struct {{ short i; int j[2]; }} z{k} = {{1, {{2, {e}}}}}, y{k} = z{k};"
    " y{k}.j[{d} & 1] += 3;"
    " {x} += y{k}.i + z{k}.j[1] + y{k}.j[1]; }}",
    "{x} = ({y} = {e}, {d});",
    "{x} = {e} ?: {d};",
    "if (({x} = {e}) > 2) {y}++;",
    "{{ int *q{k} = {e} > {d} ? &{x} : &{y}, *r{k} = &{x}; *q{k} += 2; {y} ^= q{k} == r{k}; }}",
    "{{ int **q{k}, *r{k} = &{x}; q{k} = &r{k}; if ({e} > 1) *q{k} = &{y}; **q{k} = {d}; }}",
    "{{ int z{k} = 0; again{k}: z{k}++; if (z{k} < ({e} & 3)) goto again{k}; {x} -= z{k}; }}",
    "{{ int z{k}[2][2] = {{{{1, {e}}}, {{3}}}}; z{k}[{d} & 1][1] += 5;"
    " {x} = z{k}[1][1] * z{k}[0][1]; }}",
    "{{ static const int z{k}[] = {{5, -3, 7, 0}}; {x} += z{k}[{e} & 3]; }}",
    "{{ unsigned long z{k} = {e}; z{k} <<= 33; z{k} |= {d}; {x} = z{k} >> 31; }}",
    "{{ int z{k} = {e} & 3; while (z{k}) {{ {x} += z{k} & 1; z{k} >>= 1; }} }}",
)
FLOATING = (
    "{x} = (int) (({e} & 15) * 0.5);",
    "{{ double z{k} = {e} & 7; if (z{k} / 2 > 1.5) {x}++; }}",
)
ENDINGS = (
    "if ({e} == 5 && {d} > 2) abort();",
    "if ({e} == 4) exit({d} & 15);",
    "assert({e} != 7 || {d} < 4);",
)
CALLS = (
    "{{ int (*q{k})(int, int) = {e} > 1 ? o0 : o1; {x} = q{k}({d}, 2); }}",
    "{{ int (*q{k}[2])(int, int) = {{o0, o1}}; {x} = q{k}[{e} & 1]({d}, {y}); }}",
    "{{ struct V z{k} = o2({e}, {d}); {x} = z{k}.a; {y} ^= z{k}.b; }}",
    "{{ struct V z{k} = {{{e}, {d}}}; {x} += o3(z{k}); }}",
    "{x} = o4({e} & 3);",
    "{{ o5(&{x}, &{y}); }}",
)
HEAD = (
    "#include <assert.h>",
    "#include <stdlib.h>",
    "#include <string.h>",
)
OTHERS = (
    "struct V { signed char a; int b; };",
    "static int o0(int i, int j) { return i > j ? i - j : j; }",
    "static int o1(int i, int j) { return i & 1 ? i * 3 : o0(j, i); }",
    "static struct V o2(int i, int j) { struct V v = {i, 7}; if (j > 1) v.b = j; return v; }",
    "static int o3(struct V v) { v.a++; return v.a > v.b ? v.a : -v.b; }",
    "static int o4(int n) { static int calls = 1; return n ? n + o4(n - 1) : 1; }",
    "static void o5(int *i, int *j) { int t = *i; *i = *j; *j = t; }",
)
NAMES = ("V", "o0", "o1", "o2", "o3", "o4", "o5")
