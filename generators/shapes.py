"""Pairs of functions that differ for one shape of their parameters alone, with a caller that shows
it.

    pair = made("two pointers to one int", seed=1)
    pair.old, pair.new     int both(int *a, int *b) { *a += 4; ..      the same, but for a == b
    pair.alike             the old version in other words
    pair.caller            a main that prints one thing with old, and another with new

A seed chooses the numbers and words, so that none of them can be known beforehand.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shaped:
    """``changed`` are the texts of ``old`` that the new version, and the one that is ``alike``,
    have otherwise."""

    name: str
    old: str
    new: str
    alike: str
    caller: str
    entry: str = "f"


@dataclass(frozen=True, slots=True)
class _Template:
    """Texts with ``K`` for a number, ``W`` for a word and ``L`` for a letter. ``mutation`` and
    ``rewording``: a part of the text, and what stands there then."""

    text: str
    mutation: tuple[str, str]
    rewording: tuple[str, str]
    call: str


_TEMPLATES = {
    "a char": _Template(
        "int f(char c) { int n = 0; if (c == 'L') n = 3; return n + 1; }",
        ("n = 3", "n = 4"),
        ("return n + 1", "return 1 + n"),
        "printf(\"%d\\n\", f('L'));",
    ),
    "a number of the text": _Template(
        "int f(int x) { return x == K ? 7 : x / 2; }",
        ("? 7", "? 9"),
        ("x / 2", "(x - x % 2) / 2"),
        'printf("%d\\n", f(K));',
    ),
    "the least number": _Template(
        "#include <limits.h>\nint f(long x) { return x == LONG_MIN ? K : 1; }",
        ("? K", "? K + 1"),
        ("? K : 1", "? 1 * K : 1"),
        'printf("%d\\n", f(LONG_MIN));',
    ),
    "NaN": _Template(
        "int f(double x) { if (x != x) return K; return x > 1; }",
        ("return K", "return K + 2"),
        ("x > 1", "1 < x"),
        'printf("%d\\n", f(__builtin_nan("")));',
    ),
    "minus zero": _Template(
        "int f(double x) { if (x == 0 && __builtin_signbit(x)) return K; return 0; }",
        ("return K", "return K - 2"),
        ("x == 0", "0 == x"),
        'printf("%d\\n", f(-0.0));',
    ),
    "infinity": _Template(
        "int f(float x) { return x - x != 0 && x == x ? K : 5; }",
        ("? K", "? 0"),
        (": 5", ": 4 + 1"),
        'printf("%d\\n", f(__builtin_inff()));',
    ),
    "a text": _Template(
        '#include <string.h>\nint f(const char *s) { return strcmp(s, "W") == 0 ? K : 2; }',
        ("? K", "? K + 1"),
        ("== 0 ? K : 2", "? 2 : K"),
        'printf("%d\\n", f("W"));',
    ),
    "an array of a length": _Template(
        "int f(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i];"
        " return n == 3 ? s : 0; }",
        ("? s", "? s + K"),
        ("s += a[i]", "s = a[i] + s"),
        'int a[] = {1, 2, 3}; printf("%d\\n", f(a, 3));',
    ),
    "null": _Template(
        "int f(const int *a) { if (!a) return K; return *a; }",
        ("return K", "return K + 1"),
        ("!a", "a == 0"),
        'printf("%d\\n", f(0));',
    ),
    "two pointers to one int": _Template(
        "int f(int *a, int *b) { *a += K; *b += 1; return *a; }",
        ("*a += K; *b += 1; return *a", "int k = *a + K; *b += 1; *a = k; return k"),
        ("*b += 1", "++*b"),
        'int x = 0; printf("%d\\n", f(&x, &x));',
    ),
    "a pointer into an array": _Template(
        "int f(int *a, int *b) { a[0] = K; b[0] = 1; a[1] += 2; return b[0]; }",
        ("a[1] += 2; return b[0]", "a[1] += 2; return 1"),
        ("a[0] = K", "*a = K"),
        'int x[3] = {0}; printf("%d\\n", f(x, x + 1));',
    ),
    "a tagged pointer": _Template(
        "#include <stdint.h>\nstruct leaf { int n; };\nint f(void *p) {"
        " uintptr_t u = (uintptr_t) p;"
        " if (u & 1) return ((struct leaf *) (u - 1))->n; return -1; }",
        ("->n;", "->n + K;"),
        ("u & 1", "u % 2"),
        'static struct leaf l = {7}; printf("%d\\n", f((void *) ((uintptr_t) &l | 1)));',
    ),
    "more behind a header": _Template(
        "struct head { unsigned char kind; };\nstruct wide { struct head h; int n; };\n"
        "int f(struct head *h) { if (h->kind == 1) return ((struct wide *) h)->n; return 0; }",
        ("->n;", "->n - K;"),
        ("h->kind == 1", "1 == h->kind"),
        'struct wide w = {{1}, 3}; printf("%d\\n", f(&w.h));',
    ),
    "a member of a union": _Template(
        "struct v { int kind; union { long n; const char *s; double d; } as; };\n"
        "int f(const struct v *v) { if (v->kind == 2) return v->as.s[0];"
        " return v->kind == 1 ? (int) v->as.n : 0; }",
        ("v->as.s[0]", "v->as.s[0] + K"),
        ("(int) v->as.n", "(int) (v->as.n + 0)"),
        'struct v v = {.kind = 2, .as.s = "A"}; printf("%d\\n", f(&v));',
    ),
    "memory of malloc": _Template(
        "#include <stdlib.h>\nstruct s { int *at; int room; };\nint f(struct s *s) {"
        " int *more = realloc(s->at, 64 * sizeof *more); if (!more) return -1;"
        " s->at = more; s->room = 64; return s->room; }",
        ("s->room = 64", "s->room = 64 + K"),
        ("return s->room", "return 0 + s->room"),
        'struct s s = {malloc(4), 1}; printf("%d\\n", f(&s));',
    ),
    "a second call": _Template(
        "static int calls;\nint f(int x) { calls++; return calls > 1 ? K : x; }",
        ("? K", "? K + 1"),
        ("calls++", "++calls"),
        'f(1); printf("%d\\n", f(1));',
    ),
    "a callback": _Template(
        "int f(int (*g)(int), int x) { return g(x) + g(K); }",
        ("g(K)", "g(K + 1)"),
        ("return g(x)", "int r = g(x); return r"),
        'int g(int); printf("%d\\n", f(g, 1));',
    ),
    "a structure by value": _Template(
        "struct p { short x; unsigned y : 3; long z; };\n"
        "long f(struct p p) { return p.y == 5 ? p.x : p.z; }",
        ("? p.x", "? p.x + K"),
        ("p.y == 5", "5 == p.y"),
        'struct p p = {1, 5, 2}; printf("%ld\\n", f(p));',
    ),
    "a returned structure": _Template(
        "struct r { int a; double b; };\nstruct r f(int x) {"
        " struct r r = {x, 0}; if (x == 1) r.b = K; return r; }",
        ("r.b = K", "r.b = K + 1"),
        ("x == 1", "!(x - 1)"),
        'printf("%g\\n", f(1).b);',
    ),
    "a returned object": _Template(
        "int table[] = {1, 2, 3, K};\nint *f(unsigned char x) { return table + x % 4; }",
        ("table + x % 4", "table + (x % 4 == 2 ? 1 : x % 4)"),
        ("table + x % 4", "&table[x & 3]"),
        'printf("%d\\n", (int) (f(2) - table));',
    ),
    "a returned function": _Template(
        "#include <stdlib.h>\n#include <ctype.h>\nint (*f(signed char x))(int) {"
        " return x > 5 ? abs : toupper; }",
        ("x > 5", "x > 6"),
        ("x > 5", "x >= 6"),
        'printf("%d\\n", f(6) == abs);',
    ),
    "a new object": _Template(
        "#include <stdlib.h>\nstruct n { int a, b; };\nstruct n *f(int x) {"
        " struct n *n = calloc(1, sizeof *n); if (n) n->a = x; return n; }",
        ("n->a = x", "n->a = x, n->b = K"),
        ("calloc(1, sizeof *n)", "calloc(sizeof *n, 1)"),
        'printf("%d\\n", f(0)->b);',
    ),
    "a global object": _Template(
        "int last;\nvoid f(int x) { last = x == 1 ? K : 0; }",
        ("? K", "? K + 1"),
        ("x == 1", "1 == x"),
        'f(1); printf("%d\\n", last);',
    ),
    "what is printed": _Template(
        '#include <stdio.h>\nvoid f(unsigned char x) { printf("%d", x > K ? 1 : 0); }',
        ("x > K", "x >= K"),
        ('printf("%d", x > K ? 1 : 0)', "putchar(x > K ? '1' : '0')"),
        'f(K); puts("");',
    ),
    "an exit": _Template(
        "#include <stdlib.h>\nint f(short x) { if (x == 1) exit(K); return x; }",
        ("exit(K)", "exit(K + 1)"),
        ("x == 1", "1 == x"),
        "f(1);",
    ),
    "a file": _Template(
        "#include <stdio.h>\nint f(FILE *in) { return fgetc(in) == EOF ? K : 0; }",
        ("? K", "? K + 1"),
        ("fgetc(in)", "getc(in)"),
        'printf("%d\\n", f(fopen("/dev/null", "r")));',
    ),
    "an array of texts": _Template(
        "int f(char **v) { int n = 0; while (v[n]) n++; return n == 2 ? K : n; }",
        ("? K", "? K + 1"),
        ("n++", "n += 1"),
        'char *v[] = {"a", "b", 0}; printf("%d\\n", f(v));',
    ),
    "a list": _Template(
        "struct l { int n; struct l *next; };\nint f(const struct l *l) { int n = 0;"
        " for (; l; l = l->next) n++; return n == 2 ? K : n; }",
        ("? K", "? K + 1"),
        ("n++", "n = n + 1"),
        'struct l b = {1, 0}, a = {2, &b}; printf("%d\\n", f(&a));',
    ),
}
NAMES = tuple(_TEMPLATES)
_CALLER = (
    "#include <limits.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include VERSION\nint g(int x) {{ return 2 * x; }}\nint main(void) {{ {call} return 0; }}\n"
)


# How callers come to what differs: f is that function itself, calls it, has one more parameter, or
# one more that decides whether it calls it.
FORMS = ("plain", "behind a function", "one more parameter", "behind a number")


def shapes() -> Iterator[tuple[str, str]]:
    """Each shape in each form that it can have."""
    for name in NAMES:
        for form in FORMS:
            if form == "plain" or _SIGNATURE.search(_TEMPLATES[name].text):
                yield name, form


def made(name: str, seed: int, form: str = "plain") -> Shaped:
    """The pair of a shape."""
    choose = random.Random(f"{name} {seed}")
    number = str(choose.randrange(20, 90))
    letter = choose.choice("bcdefghjkmpqrstvxyz")
    word = "".join(choose.choice("abcdefgh") for _ in range(choose.randint(2, 6)))
    template = _TEMPLATES[name]

    def filled(text: str) -> str:
        return _replaced(text, {"K": number, "L": letter, "W": word})

    old = filled(template.text)

    def edited(edit: tuple[str, str]) -> str:
        before, after = map(filled, edit)
        assert before in old, (name, before)
        return old.replace(before, after, 1)

    call = filled(template.call)
    if form not in ("plain", "behind a function"):
        call = re.sub(r"\bf\((?=.)", f"f({number}, ", call)
    versions = (old, edited(template.mutation), edited(template.rewording))
    old, new, alike = (_formed(each, form, number) for each in versions)
    return Shaped(name, old, new, alike, _caller(call))


def _caller(call: str) -> str:
    return _CALLER.format(call=call)


# The head of f, where the type of its result stands before its name.
_SIGNATURE = re.compile(r"(?P<result>(?:(?:struct )?\w+ )\**)f\((?P<parameters>[^{]*)\) \{")


def _formed(text: str, form: str, number: str) -> str:
    """The text with f in another form."""
    if form == "plain":
        return text
    head = _SIGNATURE.search(text)
    assert head is not None, text
    result, parameters = head["result"], head["parameters"]
    names = re.findall(r"(\w+)\)?(?:\(\w+\))?(?:, |$)", parameters)
    inner = f"{text[: head.start()]}static {result}inner({text[head.start('parameters') :]}"
    call = f"inner({', '.join(names)})"
    returned = f"{call};" if result == "void " else f"return {call};"
    more = "" if form == "behind a function" else "int more, "
    if form == "behind a number":
        kept = "if (more != NUMBER) exit(1);".replace("NUMBER", number)
        inner = f"extern void exit(int);\n{inner}"
        returned = f"{kept} {returned}"
    return f"{inner}\n{result}f({more}{parameters}) {{ {returned} }}"


def _replaced(text: str, words: dict[str, str]) -> str:
    """Letters that stand alone become words."""
    put: Callable[[str], str] = lambda each: words.get(each, each)  # noqa: E731
    found, at = [], 0
    while at < len(text):
        end = at + 1
        while end < len(text) and (text[end].isalnum() or text[end] == "_") and text[at].isalnum():
            end += 1
        found.append(put(text[at:end]))
        at = end
    return "".join(found)
