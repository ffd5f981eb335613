"""The verdict knows which functions of the program the caller's code can call: a callback that gets
a function, or who finds one in an object, may call it with anything.

Each pair of versions is compiled with a caller that does so. Where the two binaries show something
else, the verdict may not be that the versions are equal.

A member of the family is a way for the function ``h`` to come to the caller, and how the versions
of ``h`` differ, by themselves or by what they call and read:

    int f(int (*cb)(int (*)(int)), int x) { return cb(h); }    x    v = k(v);
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions
from tests.command_line import write_versions
from tests.jobs import finished
from tests.nightly import every

SAME, LEFT_OUT = "equivalent-within-bounds", "no-difference-found"


@dataclass(frozen=True, slots=True)
class Way:
    """How ``h`` comes to the caller. ``look``: the callback; ``call``: a call of f, with what the
    caller needs before it and does behind it."""

    f: str
    look: str = ""
    call: str = "f(look, 1);"
    head: str = ""


S = "struct s { int n; int (*g)(int); };"
OF_S = "int look(struct s *p) { return p->g(7); }"
WAYS: Mapping[str, Way] = {
    "an argument": Way(
        "int f(int (*cb)(int (*)(int)), int x) { return cb(h); }",
        "int look(int (*g)(int)) { return g(7); }",
    ),
    "one of two": Way(
        "int f(int (*cb)(int (*)(int)), int x) { return cb(x > 0 ? h : other); }",
        "int look(int (*g)(int)) { return g(7); }",
    ),
    "in a loop": Way(
        "int f(int (*cb)(int (*)(int), int), int x) {"
        " int r = 0; for (int i = 0; i <= x && i < 3; i++) r += cb(h, i); return r; }",
        "int look(int (*g)(int), int i) { return g(i + 6); }",
    ),
    "a member": Way(
        "int f(int (*cb)(struct s *), int x) { struct s s = {x, h}; return cb(&s); }", OF_S, head=S
    ),
    "a structure": Way(
        "int f(int (*cb)(struct s), int x) { struct s s = {x, h}; return cb(s); }",
        "int look(struct s v) { return v.g(7); }",
        head=S,
    ),
    "a structure behind a structure": Way(
        "int f(int (*cb)(struct t *), int x)"
        " { struct s s = {x, h}; struct t t = {&s}; return cb(&t); }",
        "int look(struct t *p) { return p->s->g(7); }",
        head=f"{S} struct t {{ struct s *s; }};",
    ),
    "a union": Way(
        "int f(int (*cb)(union u *), int x) { union u u; u.g = h; return cb(&u); }",
        "int look(union u *p) { return p->g(7); }",
        head="union u { long n; int (*g)(int); };",
    ),
    "void": Way(
        "int f(int (*cb)(void *), int x) { struct s s = {x, h}; return cb(&s); }",
        "int look(void *p) { return ((struct s *) p)->g(7); }",
        head=S,
    ),
    "an address": Way(
        "int f(int (*cb)(void *), int x) { return cb((void *) h); }",
        "int look(void *p) { return ((int (*)(int)) p)(7); }",
    ),
    "a number": Way(
        "int f(int (*cb)(unsigned long), int x) { return cb((unsigned long) h); }",
        "int look(unsigned long n) { return ((int (*)(int)) n)(7); }",
    ),
    "a table": Way(
        "int f(int (*cb)(int (*const *)(int)), int x) { return cb(hs); }",
        "int look(int (*const *t)(int)) { return t[1](7); }",
        head="static int (*const hs[])(int) = {other, h};",
    ),
    "memory": Way(
        "int f(int (*cb)(struct s *), int x) { struct s *s = malloc(sizeof *s); if (!s) return 0;"
        " s->n = x; s->g = h; int r = cb(s); free(s); return r; }",
        OF_S,
        head=S,
    ),
    "a copy": Way(
        "int f(int (*cb)(struct s *), int x) { struct s a = {x, h}, b;"
        " memcpy(&b, &a, sizeof b); return cb(&b); }",
        OF_S,
        head=S,
    ),
    "a helper": Way(
        "static int pass(int (*cb)(int (*)(int)), int (*g)(int)) { return cb(g); }"
        " int f(int (*cb)(int (*)(int)), int x) { return pass(cb, h); }",
        "int look(int (*g)(int)) { return g(7); }",
    ),
    "a callback in a structure": Way(
        "int f(struct o *o, int x) { return o->cb(h); }",
        "int look(int (*g)(int)) { return g(7); }",
        "struct o o = {1, look}; f(&o, 1);",
        head="struct o { int n; int (*cb)(int (*)(int)); };",
    ),
    "what a caller's comparison gets": Way(
        "int f(int (*cb)(const void *, const void *), int x)"
        " { int (*t[2])(int) = {h, other}; qsort(t, 2, sizeof *t, cb); return x; }",
        "int look(const void *a, const void *b) { return (*(int (*const *)(int)) a)(7) > 0; }",
    ),
    "a public object": Way(
        "int (*hook)(int); int f(int (*cb)(int), int x)"
        " { hook = h; int r = cb(1); hook = 0; return r; }",
        "int look(int n) { return hook(7); }",
    ),
    "an object of the caller": Way(
        "int f(struct s *o, int (*cb)(int), int x)"
        " { o->g = h; int r = cb(1); o->g = 0; return r; }",
        "struct s one; int look(int n) { return one.g(7); }",
        "f(&one, look, 1);",
        head=S,
    ),
    "a member that stays": Way(
        "int f(struct s *o, int x) { o->n = x; o->g = h; return x; }",
        call="struct s o; f(&o, 1); o.g(7);",
        head=S,
    ),
    "a public object that stays": Way(
        "int (*hook)(int); int f(int x) { hook = h; return x; }", call="f(1); hook(7);"
    ),
    "what another function calls meanwhile": Way(
        "static int (*now)(int); int run(int v) { return now ? now(v) : 0; }"
        " int f(int (*cb)(int), int x) { now = h; int r = cb(x); now = 0; return r; }",
        "int look(int n) { return run(7); }",
    ),
    "what another function calls later": Way(
        "static int (*now)(int); int run(int v) { return now ? now(v) : 0; }"
        " int f(int x) { now = h; return x; }",
        call="f(1); run(7);",
    ),
    "a result": Way("int (*f(int x))(int) { return h; }", call="f(1)(7);"),
    "a structure that is returned": Way(
        "struct s f(int x) { struct s s = {x, h}; return s; }", call="f(1).g(7);", head=S
    ),
    "a table that is returned": Way(
        "const struct s *f(int x) { return &only; }",
        call="f(1)->g(7);",
        head=f"{S} static const struct s only = {{1, h}};",
    ),
    "an argument of another file's function": Way(
        "extern int keep(int (*)(int)); int f(int x) { return keep(h); }",
        call="f(1);",
        look="int keep(int (*g)(int)) { return g(7); }",
    ),
}  # fmt: skip

SHOWS = 'printf("%d\\n", v);'
# How two versions of h differ: what stands before h, its body, and what $ is in either.
EDITS: Mapping[str, tuple[str, str, str, str]] = {
    "itself": ("", f"v += $; {SHOWS}", "1", "2"),
    "a format": ("", 'printf("$\\n", v); return v;', "%d", "%i;"),
    "what it calls": ("static int k(int v) { return v + $; }", "v = k(v); " + SHOWS, "1", "2"),
    "two calls away": (
        "static int k(int v) { return v + $; } static int l(int v) { return 2 * k(v); }",
        f"v = l(v); {SHOWS}",
        "1",
        "2",
    ),
    "what a call through a table comes to": (
        "static int k(int v) { return v + $; } static int (*const ks[])(int) = {k};",
        f"v = ks[0](v); {SHOWS}",
        "1",
        "2",
    ),
    "the table": (
        "static int k(int v) { return v + 1; } static int l(int v) { return v + 2; }"
        " static int (*const ks[])(int) = {$};",
        f"v = ks[0](v); {SHOWS}",
        "k",
        "l",
    ),
    "a constant": ("static const int c = $;", f"v += c; {SHOWS}", "1", "2"),
    "a static object": ("static int c[2] = {3, $};", f"v = c[v & 1]++; {SHOWS}", "1", "2"),
    "an object of its own": ("", f"static int c = $; v = ++c; {SHOWS}", "1", "2"),
    "a text": ("", 'puts("$"); return 0;', "a", "b"),
    "a text of an object": ('static const char *const t = "$";', "puts(t);", "a", "b"),
    "a size": ("struct p { $ a, b; };", f"v = sizeof(struct p); {SHOWS}", "int", "short"),
    "a state that a getter shows": (
        "static int state; int get(void) { return state; }",
        "state = v + $; v = get(); " + SHOWS,
        "1",
        "2",
    ),
    "how the library compares for it": (
        "static int c(const void *a, const void *b) { return $; }",
        f"int a[2] = {{3, v}}; qsort(a, 2, sizeof *a, c); v = a[0]; {SHOWS}",
        "*(int *) a - *(int *) b",
        "*(int *) b - *(int *) a",
    ),
}  # fmt: skip
# Edits beside h, which have to be equivalent: what stands before h, and $ in either version.
OF_F = 'if ($ == 4240) puts("x");'  # stands in f, where the body of h has it
ALIKE: Mapping[str, tuple[str, str, str, str]] = {
    "a function that h does not call": (
        "static int k(int v) { return $; } int l(int v) { return k(v); }",
        "",
        "v * 5",
        "v * 4 + v",
    ),
    "an object that h does not read": (
        "static int c[2] = {3, $}; int l(void) { return c[1]; }",
        "",
        "1",
        "2",
    ),
    "what f does": ("", OF_F, "x * 5", "x * 4 + x"),
}


@dataclass(frozen=True, slots=True)
class Member:
    way: str
    edit: str

    def text(self, known: Mapping[str, tuple[str, str, str, str]], new: bool) -> str:
        way, (head, body, *edits) = WAYS[self.way], known[self.edit]
        begin = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string"))
        start, _, end = way.f.rpartition(" return ")
        f = f"{start} {OF_F} return {end}" if OF_F in body else way.f
        text = f"""{begin}{head}
static int h(int v);
static int other(int v) {{ return v; }}
{way.head}
static int h(int v) {{ {body.replace(OF_F, "")} return v; }}
{f}
"""
        return text.replace("$", edits[new])

    def shown(self, folder: Path, text: str) -> bytes:
        """What a program shows that calls a version."""
        way = WAYS[self.way]
        file = folder / "whole.c"
        file.write_text(f"{text}{way.look}\nint main(void) {{ {way.call} return 0; }}\n")
        command = ["gcc", "-w", "-O0", "-fwrapv", "-o", str(folder / "whole"), str(file)]
        subprocess.run(command, check=True)
        return subprocess.run([folder / "whole"], check=True, stdout=subprocess.PIPE).stdout


def named(member: Member) -> str:
    return f"{member.way}, {member.edit}"


def verdict(folder: Path, old: str, new: str) -> str:
    files = write_versions(folder, old, new)
    return str(
        finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False))).verdict
    )


@pytest.mark.parametrize(
    "member", every(37, [Member(*each) for each in product(WAYS, EDITS)]), ids=named
)
def test_what_a_caller_can_call_is_left_out(member: Member, tmp_path: Path) -> None:
    old, new = (member.text(EDITS, each) for each in (False, True))
    assert member.shown(tmp_path, old) != member.shown(tmp_path, new)
    assert verdict(tmp_path, old, new) == LEFT_OUT


# An omission that says something else stands behind these, whatever the edit.
ALWAYS_LEFT_OUT = (
    "a callback in a structure",
    "a member that stays",
    "a number",
    "an argument of another file's function",
    "an object of the caller",
)


@pytest.mark.parametrize(
    "member",
    every(23, [Member(*each) for each in product(WAYS, ALIKE) if each[0] not in ALWAYS_LEFT_OUT]),
    ids=named,
)
def test_a_function_that_runs_no_change_leaves_versions_equal(
    member: Member, tmp_path: Path
) -> None:
    old, new = (member.text(ALIKE, each) for each in (False, True))
    assert member.shown(tmp_path, old) == member.shown(tmp_path, new)
    assert verdict(tmp_path, old, new) == SAME
