"""What callbacks could do and stubs do not is left out, wherever a program shows that they can.

Each pair of versions is compiled with a caller whose callback does it: where the two binaries
differ, the verdict may not be that the versions are equal, unless the stub does the same.

A member of the family is an object, an order of its read and the call, and a way to the callback:

    int *h = malloc(4)   x   int r = *h; f(h); return r;   x   hooks->f(h)
"""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from symexec.exploration.preparation import analysed, lower, read_versions
from symexec.ledger import Omission
from symexec.options import BuildOptions, InputOptions
from tests.command_line import csgtest, write_versions
from tests.nightly import every


@dataclass(frozen=True, slots=True)
class Place:
    """An object that a callback may reach. ``reads``: how the function reads it; ``changes``: what
    the callback does to it; ``begins`` and ``ends``: the function's first and last statements."""

    name: str
    reads: str
    changes: str
    head: str = ""
    parameters: str = ""
    callback: str = "void"  # the types of its parameters
    begins: str = ""
    given: str = ""  # to the callback
    main: str = ""
    arguments: str = ""
    ends: str = ""


PLACES = (
    Place("global", "level", "level++;", head="int level;"),
    Place("static", "armed", "fire();", head="static int armed; void fire(void) { armed++; }"),
    Place("errno", "errno", "errno = 7;", head="#include <errno.h>", begins="errno = 0;"),
    Place("parameter", "*p", "own++;", parameters="int *p, ", arguments="&own, "),
    Place("constant parameter", "*p", "own++;", parameters="const int *p, ", arguments="&own, "),
    Place("context", "*(int *) u", "*(int *) a = 9;", parameters="void *u, ", callback="void *a",
          given="u", arguments="&own, "),
    Place("heap", "*h", "*a = 9;", callback="int *a", given="h",
          begins="int *h = malloc(4); if (!h) return 0; *h = 1;", ends="free(h);"),
    Place("behind", "v[1]", "a[1] = 9;", callback="int *a", given="v",
          begins="int v[2] = {1, 2};"),
    Place("through", "v", "**a = 9;", callback="int **a", given="&q",
          begins="int v = 1, *q = &v;"),
    Place("kept", "v", "if (kept) *kept = 9;", head="int *kept;",
          begins="int v = 1; kept = &v;"),
    Place("member", "s->n", "a->n++;", head="struct s { int n; struct s *next; };",
          parameters="struct s *s, ", callback="struct s *a", given="s",
          main="struct s own_s = {1, 0};", arguments="&own_s, "),
    Place("element", "table[1]", "table[1]++;", head="int table[3] = {1, 2, 3};"),
    Place("global member", "whole.in.b", "whole.in.b++;",
          head="struct { int a; struct { int b; } in; } whole;"),
    Place("behind a global", "*where", "own++;", head="int *where;", begins="if (!where) return 7;",
          main="where = &own;"),
    Place("text", "text[0]", 'text[0] = 66;', head='char text[8] = "abc";'),
    Place("floating-point number", "(int) share", "share += 2;", head="double share;"),
    Place("bits", "flags.b", "flags.b++;", head="struct { unsigned a : 3, b : 5; } flags;"),
    Place("union", "either.n", "either.n = 9;", head="union { int n; float f; } either;"),
    Place("by a function", "level_of()", "level++;",
          head="int level; static int level_of(void) { return level; }"),
    Place("thread", "own_level", "own_level++;", head="__thread int own_level;"),
    Place("next member", "s->next->n", "a->next->n++;",
          head="struct s { int n; struct s *next; };", parameters="struct s *s, ",
          callback="struct s *a", given="s", begins="if (!s->next) return 7;",
          main="struct s last = {1, 0}, own_s = {1, &last};", arguments="&own_s, "),
    Place("context of a local", "v", "*((struct c *) a)->n = 9;", head="struct c { int *n; };",
          callback="void *a", given="&c", begins="int v = 1; struct c c = {&v};"),
    Place("structure by value", "v", "*a.n = 9;", head="struct c { int *n; };",
          callback="struct c a", given="c", begins="int v = 1; struct c c = {&v};"),
    Place("heap in a global", "*cell", "*cell = 9;", head="int *cell;",
          begins="cell = malloc(4); if (!cell) return 0; *cell = 1;", ends="free(cell);"),
    Place("member of an element", "rows[1].n", "rows[1].n = 9;", head="struct { int n; } rows[2];"),
    Place("numbers of a parameter", "p[1]", "two[1]++;", parameters="int *p, ",
          head="extern int two[2];", main="", arguments="two, "),
)  # fmt: skip
ORDERS = {
    "the read moves": ("f(G); int r = R; E return r;", "int r = R; f(G); E return r;"),
    "a read goes": ("int r = R; f(G); r += R; E return r;", "int r = R; f(G); r += r; E return r;"),
    "in a loop": (
        "int r = 0; for (int i = 0; i < 2; i++) { r += R; f(G); } E return r;",
        "int r = R; for (int i = 0; i < 2; i++) f(G); r += r; E return r;",
    ),
    "compared": ("int k = R; f(G); int r = R == k; E return r;",
                 "int k = R; f(G); int r = k == k; E return r;"),
    "decided": ("int k = R, r = 0; f(G); if (R != k) r = 5; E return r;",
                "int k = R, r = 0; f(G); E return r;"),
    "between two calls": ("f(G); int r = R; f(G); E return r;",
                          "int r = R; f(G); f(G); E return r;"),
    "stored": ("f(G); kept_here = R; E return kept_here;",
               "kept_here = R; f(G); E return kept_here;"),
}  # fmt: skip
# What stands before the function, what it begins with, and how it calls f. T is the callback's type
# of parameter, A what is given on, and N its name in a function that gives it on.
CALLS = {
    "as it is": ("", "", "f(G)"),
    "by a helper": ("static void call(void (*f)(T)T1) { f(N); }\n", "", "call(fG1)"),
    "by a member": (
        "struct hooks { int n; void (*f)(T); };\n", "struct hooks hooks = {1, f};", "hooks.f(G)",
    ),
    "by an object": ("static void (*known)(T);\n", "known = f;", "known(G)"),
    "by a table": ("", "void (*all[2])(T) = {0, f};", "all[1](G)"),
    "if there is one": ("", "", "(f ? f(G) : (void) 0)"),
    "by a macro": ("#define CALL(f) f(G)\n", "", "CALL(f)"),
    "by a local": ("", "void (*own)(T) = f;", "own(G)"),
}  # fmt: skip
MEMBERS = [
    (place, order, call) for place, order in product(PLACES[:11], [*ORDERS][:3])
    for call in [*CALLS][:1]
]  # fmt: skip
OTHERS = [each for each in product(PLACES, ORDERS, CALLS) if each not in MEMBERS]
MEMBERS += random.Random(13).sample(OTHERS, 172)


def version(place: Place, body: str, call: str = "as it is") -> str:
    head, begins, calls = CALLS[call]
    nothing = place.callback == "void"
    name = "" if nothing else "a"
    text = body.replace("f(G)", calls)
    head, begins, text = (
        each.replace("T1", "" if nothing else f", {place.callback}")
        .replace("G1", "" if nothing else f", {place.given}")
        .replace("(T)", f"({place.callback})")
        .replace("f(N)", f"f({name})")
        .replace("(G)", f"({place.given})")
        for each in (head, begins, text)
    )
    text = text.replace("R", place.reads).replace("E ", f"{place.ends} ")
    return (
        f"#include <stdio.h>\n#include <stdlib.h>\nstatic int kept_here;\n{place.head}\n{head}"
        f"int run({place.parameters}void (*f)({place.callback}))\n"
        f"{{\n    {place.begins} {begins}\n    {text}\n}}\n"
    )


def shown_by(folder: Path, place: Place, text: str) -> str:
    """What a program prints that calls a version with the callback."""
    caller = (
        f"static int own = 1;\nint two[2] = {{1, 2}};\n"
        f"void change({place.callback}) {{ {place.changes} }}\n"
        f"int main(void)\n{{\n    {place.main}\n"
        f'    printf("%d\\n", run({place.arguments}change));\n}}\n'
    )
    file = folder / "whole.c"
    file.write_text(text + caller)
    subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", folder / "whole", file], check=True)
    return subprocess.run([folder / "whole"], check=True, capture_output=True, text=True).stdout


def left_out(folder: Path, old: str, new: str, entry: str = "run") -> list[Omission]:
    options = BuildOptions(
        *write_versions(folder, old, new), inputs=InputOptions(entry), replay=False
    )
    prepared = analysed(lower(read_versions(options), options), options)
    return [each for each in prepared.outliving.events if each.text.startswith("callback")]


Member = tuple[Place, str, str]


def named(member: Member) -> str:
    place, order, call = member
    return f"{place.name}, {order}, {call}"


@pytest.mark.parametrize("member", every(23, MEMBERS), ids=named)
def test_what_a_callback_can_change_is_left_out(member: Member, tmp_path: Path) -> None:
    place, order, call = member
    old, new = (version(place, body, call) for body in ORDERS[order])
    assert shown_by(tmp_path, place, old) != shown_by(tmp_path, place, new)
    found = left_out(tmp_path, old, new)
    assert found and all(each.location.line for each in found)


LOOKED_AT = """\
int level;
int run(int x, void (*f)(int))
{
    $f(x);
    level = 2;
    return 0;
}
"""
BEHIND = """\
int run(int x, void (*f)(const int *))
{
    int v = $;
    f(&v);
    return 0;
}
"""
WHICH = """\
int run(int *p, void (*f)(const int *))
{
    f($);
    return 0;
}
"""
RETURNED = """\
int run(int x, const char *(*f)(int))
{
    const char *s = f(x);
    return s ? $ : 0;
}
"""

BY_VALUE = """\
struct c { int *n; };
int run(int x, void (*f)(struct c))
{
    int v = x;
    struct c c = {&v};
    f(c);
    return $;
}
"""
MOVED = """\
#define CALL(f) f()
int run(int *p, void (*f)(void))
{
    $ return r;
}
"""


@pytest.mark.parametrize(
    ("text", "edit", "says"),
    [
        (LOOKED_AT, ("", "level = 1; "), "look at"),
        (BEHIND, ("x", "x + 1"), "look at"),
        (WHICH, ("p", "p + 1"), "a pointer that depends"),
        (RETURNED, ("s[0]", "s[0] + 1"), "returns only null"),
        (BY_VALUE, ("v", "x"), "may change"),
        (MOVED, ("CALL(f); int r = p[1];", "int r = p[1]; CALL(f);"), "may change"),
    ],
)
def test_what_a_callback_can_look_at_or_return_is_left_out(
    text: str, edit: tuple[str, str], says: str, tmp_path: Path
) -> None:
    old, new = (text.replace("$", each) for each in edit)
    assert any(says in each.text for each in left_out(tmp_path, old, new))


HARMLESS = {
    "numbers": (
        "int run(int (*g)(int), int x) { return g(x) + g(3); }",
        "int run(int (*g)(int), int x) { int a = g(x); return g(3) + a; }",
    ),
    "text": (
        "int run(const char *s, int (*g)(const char *)) { return g(s) + 1; }",
        "int run(const char *s, int (*g)(const char *)) { return 1 + g(s); }",
    ),
    "a context that nobody looks at": (
        "int run(int (*g)(void *, int), void *u) { return g(u, 1) + g(u, 2); }",
        "int run(int (*g)(void *, int), void *u) { int a = g(u, 1); return g(u, 2) + a; }",
    ),
    "a comparator": (
        "#include <stdlib.h>\nint run(int *a, int (*c)(const void *, const void *))"
        "{ qsort(a, 2, sizeof *a, c); return a[0] + 1; }",
        "#include <stdlib.h>\nint run(int *a, int (*c)(const void *, const void *))"
        "{ qsort(a, 2, sizeof *a, c); return 1 + a[0]; }",
    ),
    "a place for a result, which stubs write to": (
        "int run(int (*g)(int *)) { int v = 0; g(&v); return v + 1; }",
        "int run(int (*g)(int *)) { int v = 0; g(&v); return 1 + v; }",
    ),
    "a member that is called": (
        "struct c { int (*g)(int); }; int run(struct c *c) { return c->g(1) == 1; }",
        "struct c { int (*g)(int); }; int run(struct c *c) { return !(c->g(1) != 1); }",
    ),
    "objects that nobody else has": (
        "int run(int (*g)(int), int x) { int t[2] = {x, 1}; return g(t[0]) + t[1]; }",
        "int run(int (*g)(int), int x) { int t[2] = {x, 1}; return t[1] + g(t[0]); }",
    ),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_callbacks_that_can_change_nothing_leave_the_versions_equal(
    what: str, tmp_path: Path
) -> None:
    assert not left_out(tmp_path, *HARMLESS[what])


WRITTEN = {
    "a number": (
        "int run(int (*get)(int *), int d) { int v = d; return get(&v) ? $ : v; }",
        ("d", "v"),
    ),
    "a structure": (
        "struct r { int n, error; }; int run(void (*get)(struct r *))"
        "{ struct r r = {0, 0}; get(&r); return $; }",
        ("r.error ? -1 : r.n", "r.n"),
    ),
    "a structure that is returned": (
        "struct r { int n, error; }; int run(struct r (*get)(int))"
        "{ struct r r = get(1); return $; }",
        ("r.error ? -1 : r.n", "r.n"),
    ),
    "a structure that is given": (
        "struct r { int n, m; }; int run(int x, void (*put)(struct r))"
        "{ struct r r = {x, $}; put(r); return 0; }",
        ("1", "x == 9"),
    ),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_what_stubs_write_and_print_shows_a_difference(what: str, tmp_path: Path) -> None:
    text, edit = WRITTEN[what]
    write_versions(tmp_path, *(text.replace("$", each) for each in edit))
    words = ("build", "old.c", "new.c", "--entry", "run", "--time", "20")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 1, done.err
    assert not done.report["counters"]["mispredicted"]
