"""What callbacks could do and stubs do not is left out, wherever a program shows that they can.

Each pair of versions is compiled with a caller whose callback does it: where the two binaries
differ, the verdict may not be that the versions are equal, unless the stub does the same.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from symexec.exploration.preparation import analysed, lower, read_versions
from symexec.ledger import Omission
from symexec.options import BuildOptions, InputOptions
from tests.command_line import csgtest, write_versions


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
)  # fmt: skip
ORDERS = {
    "the read moves": ("f(G); int r = R; E return r;", "int r = R; f(G); E return r;"),
    "a read goes": ("int r = R; f(G); r += R; E return r;", "int r = R; f(G); r += r; E return r;"),
    "in a loop": (
        "int r = 0; for (int i = 0; i < 2; i++) { r += R; f(G); } E return r;",
        "int r = R; for (int i = 0; i < 2; i++) f(G); r += r; E return r;",
    ),
}


def version(place: Place, body: str) -> str:
    text = body.replace("G", place.given).replace("R", place.reads).replace("E", place.ends)
    return (
        f"#include <stdlib.h>\n{place.head}\n"
        f"int run({place.parameters}void (*f)({place.callback}))\n"
        f"{{\n    {place.begins}\n    {text}\n}}\n"
    )


def shown_by(folder: Path, place: Place, text: str) -> str:
    """What a program prints that calls a version with the callback."""
    caller = (
        f"static int own = 1;\nvoid change({place.callback}) {{ {place.changes} }}\n"
        f"int main(void)\n{{\n    {place.main}\n"
        f'    printf("%d\\n", run({place.arguments}change));\n}}\n'
    )
    file = folder / "whole.c"
    file.write_text(f"#include <stdio.h>\n{text}{caller}")
    subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", folder / "whole", file], check=True)
    return subprocess.run([folder / "whole"], check=True, capture_output=True, text=True).stdout


def left_out(folder: Path, old: str, new: str, entry: str = "run") -> list[Omission]:
    options = BuildOptions(
        *write_versions(folder, old, new), inputs=InputOptions(entry), replay=False
    )
    prepared = analysed(lower(read_versions(options), options), options)
    return [each for each in prepared.outliving.events if each.text.startswith("callback")]


@pytest.mark.parametrize(
    ("place", "order"),
    [
        pytest.param(place, order, marks=[] if at % 4 == 0 else [pytest.mark.night])
        for at, (place, order) in enumerate(product(PLACES, ORDERS))
    ],
    ids=lambda each: each.name if isinstance(each, Place) else each,
)
def test_what_a_callback_can_change_is_left_out(place: Place, order: str, tmp_path: Path) -> None:
    old, new = (version(place, body) for body in ORDERS[order])
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
