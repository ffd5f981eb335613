"""A store to what a caller may have as a constant is left out, and so is a constant that callers
may have written to; gcc's binaries say that both make a difference.

A pair is a way to a place that may be constant, a store that is undone, and when it happens:

    char *w = (char *) s;    x    memset(w, 0, 1);    x    if (x == 4242)
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Collection
from itertools import product
from pathlib import Path

import pytest

from symexec.exploration.preparation import analysed, lower, read_versions
from symexec.options import BuildOptions, InputOptions
from tests.command_line import csgtest, write_versions
from tests.nightly import daily

PARAMETERS = {  # what is passed, what is written to and restored, and a constant
    "text": ("const char *s", "char *w = (char *) s;", "*w", '"ab"'),
    "found text": ("const char *s", "char *w = strchr(s, 'b');", "*w", '"ab"'),
    "numbers": ("const int *s", "int *w = (int *) s + 1;", "*w", "numbers"),
    "structure": ("const struct p *s", "struct p *w = (struct p *) s;", "w->b", "&pair"),
    "member": ("struct q *s", "char *w = (char *) s->text;", "*w", "&holder"),
    "array of texts": ("const char **s", "char *w = (char *) s[0];", "*w", "texts"),
    "text in a text": ("const char *s", 'char *w = strstr(s, "b");', "*w", '"ab"'),
    "behind a number": ("const char *s", "char *w; strtol(s, &w, 10);", "*w", '"12ab"'),
    "as a number": ("const char *s", "char *w = (char *) (unsigned long) s;", "*w", '"ab"'),
    "union": (
        "const char *s", "union { const char *from; char *to; } u = {s}; char *w = u.to;",
        "*w", '"ab"',
    ),
    "copied pointer": ("const char *s", "char *w; memcpy(&w, &s, sizeof w);", "*w", '"ab"'),
    "no cast": ("const char *s", "char *w = s;", "*w", '"ab"'),
    "without a type": ("const void *s", "int *w = (int *) s;", "*w", "numbers"),
    "end of a text": ("const char *s", "char *w = (char *) s + strlen(s);", "*w", '"ab"'),
    "row": ("const struct g *s", "int *w = (int *) s->all;", "w[1]", "&row"),
    "array": ("const int s[2]", "int *w = (int *) s;", "w[1]", "numbers"),
    "constant texts": ("const char *const *s", "char *w = (char *) *s;", "*w", "texts"),
    "name for the type": ("words s", "char *w = (char *) s;", "*w", '"ab"'),
    "floating-point number": ("const double *s", "double *w = (double *) s;", "*w", "&half"),
    "helper": ("const int *s", "int *w = writable(s);", "*w", "numbers"),
    "moved": ("const char *s", "char *w = (char *) s; while (*w == 'a') w++;", "*w", '"ab"'),
    "member as a number": (
        "struct q *s", "char *w = (char *) (unsigned long) s->text;", "*w", "&holder",
    ),
    "member of a union": (
        "struct q *s", "union { const char *from; char *to; } u = {s->text}; char *w = u.to;",
        "*w", "&holder",
    ),
    "copied member": ("struct q *s", "char *w; memcpy(&w, &s->text, sizeof w);", "*w", "&holder"),
    "member without a cast": ("struct q *s", "char *w = s->text;", "*w", "&holder"),
    "found in a member": ("struct q *s", "char *w = strrchr(s->text, 'b');", "*w", "&holder"),
    "number in a member": ("struct q *s", "char *w; strtol(s->text, &w, 10);", "*w", "&holder"),
    "member of a list": ("struct r *s", "char *w = (char *) s->next->q.text;", "*w", "&first"),
    "numbers of a member": ("struct m *s", "int *w = (int *) s->all;", "w[1]", "&many"),
    "structure of a member": (
        "struct m *s", "struct p *w = (struct p *) s->pair;", "w->a", "&many",
    ),
    "texts at a third level": ("const char ***s", "char *w = (char *) **s;", "*w", "&to_texts"),
}  # fmt: skip
STORES = {  # P is the place, and the store is undone
    "assigned": "__typeof__(P) kept = P; P = 0; P = kept;",
    "counted": "(P)++; (P)--;",
    "filled": "__typeof__(P) kept = P; memset(&P, 0, sizeof P); P = kept;",
    "copied": "__typeof__(P) kept = P; memcpy(&P, &kept, sizeof P);",
    "the same value": "P = P;",
    "by a helper": "flip(&P); flip(&P);",
    "in a loop": "for (int i = 0; i < 2; i++) *(char *) &P ^= 1;",
    "by a table": "flips[0](&P); flips[0](&P);",
    "through a member": "struct cursor c = {(char *) &P}; *c.at ^= 1; *c.at ^= 1;",
    "a swap": "__typeof__(P) other = 1, kept = P; P = other; other = kept; P = other;",
    "by its bytes": "for (unsigned i = 0; i < sizeof P; i++) ((char *) &P)[i] |= 0;",
}
WHEN = {  # S is the store; the caller has 4242 as x
    "always": "{ S }",
    "for a number": "if (x == 4242) { S }",
    "for a product": "if (x * 2654435761u == 3007215346u) { S }",
    "in a range": "if (x > 4000 && x < 5000) { S }",
    "in a loop": "for (unsigned n = x; n > 4240; n--) if (n == 4241) { S }",
    "for what is read": "if (P != 99 && x) { S }",
}
HEAD = """\
#include <stdlib.h>
#include <string.h>
struct p { int a, b; };
struct q { int n; const char *text; };
struct r { struct q q; struct r *next; };
struct m { const int *all; const struct p *pair; };
struct g { int n, all[2]; };
struct cursor { char *at; };
typedef const char *words;
static int *writable(const int *p) { return (int *) p; }
static void flip(void *at) { *(char *) at ^= 1; }
static void (*const flips[])(void *) = {flip};
"""
CONSTANTS = """\
#include <stdio.h>
static const int numbers[2] = {1, 2};
static const double half = 0.5;
static const struct p pair = {1, 2};
static const struct g row = {1, {2, 3}};
static struct q holder = {1, "ab"};
static struct r last = {{1, "ab"}, 0}, first = {{1, "ab"}, &last};
static struct m many = {numbers, &pair};
static const char *texts[1] = {"ab"};
static const char **to_texts = texts;
"""
Member = tuple[str, str, str]  # names of PARAMETERS, STORES and WHEN


def members(stores: Collection[str], count: int) -> list[Member]:
    """So many members: first each parameter with the first store."""
    whole = [*product(PARAMETERS, stores, WHEN)]
    plain = [each for each in whole if each[1:] == (next(iter(stores)), "always")]
    others = [each for each in whole if each not in plain]
    return [*plain, *random.Random(7).sample(others, count - len(plain))]


def version(member: Member, store: str, result: str = "P != 0") -> str:
    """``run`` with a store, or with nothing in its place."""
    parameter, pointer, place, _ = PARAMETERS[member[0]]
    when = WHEN[member[2]].replace("S", store) if store else ""
    body = f"    {pointer}\n    {when}\n    return {result};\n".replace("P", place)
    return f"{HEAD}int run({parameter}, unsigned x)\n{{\n{body}}}\n"


def caller(member: Member) -> str:
    constant = PARAMETERS[member[0]][3]
    return f"{CONSTANTS}int main(void) {{ return run({constant}, 4242) < 0; }}\n"


def run(folder: Path, text: str, caller: str) -> int:
    """The exit status of a caller of one version."""
    file = folder / "whole.c"
    file.write_text(text + caller)
    subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", folder / "whole", file], check=True)
    return subprocess.run([folder / "whole"], check=False, capture_output=True).returncode


def left_out(folder: Path, old: str, new: str) -> list[str]:
    options = BuildOptions(
        *write_versions(folder, old, new), inputs=InputOptions("run"), replay=False
    )
    prepared = analysed(lower(read_versions(options), options), options)
    return [each.text for each in prepared.outliving.events]


@pytest.mark.parametrize("member", daily(members(STORES, 170), 6), ids=", ".join)
def test_a_store_to_what_may_be_constant_is_left_out(member: Member, tmp_path: Path) -> None:
    old, new = (version(member, store) for store in ("", STORES[member[1]]))
    assert run(tmp_path, old, caller(member)) == 0
    assert run(tmp_path, new, caller(member)) < 0
    assert any("a pointer to const" in each for each in left_out(tmp_path, old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the same store in both versions fails in both
        (
            "int run(const char *s) { *(char *) s = 0; return *s + 1; }",
            "int run(const char *s) { *(char *) s = 0; return 1 + *s; }",
        ),
        (
            "int run(const int *s, int *to) { *to = *s + 1; return 0; }",
            "int run(const int *s, int *to) { *to = 1 + *s; return 0; }",
        ),
        (
            "int run(const char *s, const char **to) { *to = s + 1; return 0; }",
            "int run(const char *s, const char **to) { *to = &s[1]; return 0; }",
        ),
        (
            "struct q { int n; const char *t; }; int run(struct q *s) { s->n = 1; return 1; }",
            "struct q { int n; const char *t; }; int run(struct q *s) { s->n = 2 - 1; return 1; }",
        ),
    ],
)
def test_other_stores_are_none_of_these(old: str, new: str, tmp_path: Path) -> None:
    assert not any("a pointer to const" in each for each in left_out(tmp_path, old, new))


# What both versions store, if anything, and how each has its result.
ALIKE = {
    "nothing": ("", "P > 0", "0 < P"),
    "the same": ("P = P;", "P > 0", "0 < P"),
}


@pytest.mark.parametrize("member", daily(members(ALIKE, 50), 0), ids=", ".join)
def test_what_does_not_depend_on_a_change_is_none_of_these(member: Member, tmp_path: Path) -> None:
    store, *results = ALIKE[member[1]]
    old, new = (version(member, store, result) for result in results)
    assert run(tmp_path, old, caller(member)) == run(tmp_path, new, caller(member))
    assert not any("a pointer to const" in each for each in left_out(tmp_path, old, new))


@pytest.mark.parametrize(
    "text",
    [
        "int *run(void)\n{\n    static $int t[2] = {1, 2};\n    return (int *) t;\n}\n",
        "$int t = 3;\nint *run(void)\n{\n    return (int *) &t;\n}\n",
        'char *run(void)\n{\n    static $char t[] = "ab";\n    return (char *) t;\n}\n',
    ],
    ids=["local", "global", "text"],
)
def test_an_object_that_becomes_constant_is_left_out(text: str, tmp_path: Path) -> None:
    old, new = (text.replace("$", each) for each in ("", "const "))
    caller = "int main(void) { run()[0] = 5; return 0; }\n"
    assert run(tmp_path, old, caller) == 0
    assert run(tmp_path, new, caller) < 0
    write_versions(tmp_path, old, new)
    words = ("build", "old.c", "new.c", "--entry", "run", "--time", "20", "--attack", "1")
    done = csgtest(*words, folder=tmp_path)
    assert done.report["verdict"] == "no-difference-found"
    assert not done.report["counters"]["mispredicted"]
    assert any("is constant in one version" in each["text"] for each in done.report["omissions"])
