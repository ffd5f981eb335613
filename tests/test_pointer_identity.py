"""Functions that look at which pointer they are given: what a driver passes has to show what gcc's
binaries show, and a comparison in other words stays equivalent.

A version of a pair asks, behind a rare number, whether a callback, a stream or another pointer is
one of the things that a caller may pass for it.
"""

from __future__ import annotations

import random
import re
import subprocess
from itertools import product
from pathlib import Path

import pytest

from csg.records import record
from tests.command_line import Done, csgtest, write_versions
from tests.nightly import daily

HEAD = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
struct node { struct node *next; };
int twice(int n) { return 2 * n; }
static int negated(int n) { return -n; }
"""
X = 3735928559 * pow(2654435761, -1, 1 << 32) % (1 << 32)
RARE = "x * 2654435761u == 3735928559u"


@record
class Look:
    """``p`` of type ``kind`` is compared with ``other``; a caller shows it by these arguments.
    ``more``: parameters behind p."""

    kind: str
    other: str
    given: str
    more: str = ""

    @property
    def parameters(self) -> str:
        return f"T p{self.more}, unsigned x"


@record
class Way:
    """How the value of p, and of what it is compared with, comes to the comparison."""

    name: str
    before: str
    steps: str
    asks: str


CALLBACK = "int (*T)(int)"
LOOKS = {
    "another callback": Look(CALLBACK, "q", "twice, twice", ", T q"),
    "a function": Look(CALLBACK, "twice", "twice"),
    "a static function": Look(CALLBACK, "negated", "negated"),
    "a function of the library": Look("void (*T)(void *)", "free", "free"),
    "SIG_IGN": Look("void (*T)(int)", "SIG_IGN", "SIG_IGN"),
    "no callback": Look(CALLBACK, "0", "0"),
    "stderr": Look("FILE *T", "stderr", "stderr"),
    "stdin": Look("FILE *T", "stdin", "stdin"),
    "another stream": Look("FILE *T", "q", "stdout, stdout", ", T q"),
    "no stream": Look("FILE *T", "0", "0"),
    "MAP_FAILED": Look("void *T", "MAP_FAILED", "MAP_FAILED"),
    "a number": Look("const char *T", "(char *) 8", "(char *) 8"),
    "an end of a list": Look("struct node *T", "(struct node *) -1", "(struct node *) -1"),
}
WAYS = [
    Way("plainly", "", "", "p == {0}"),
    Way("by a call", "static int same(T a, T b) {{ return !(b != a); }}", "", "same(p, {0})"),
    Way("by a local", "", "T first = p, second; second = {0};", "second == first"),
    Way("by members", "struct both {{ T first, second; }};", "struct both w = {{p, {0}}};",
        "w.first == w.second"),
    Way("by an object", "static T kept; static int is(T a) {{ return a == kept; }}", "kept = {0};",
        "is(p)"),
    Way("as numbers", "", "unsigned long n = (unsigned long) p;", "n == (unsigned long) {0}"),
]  # fmt: skip
MORE_LOOKS = {
    "stdout": Look("FILE *T", "stdout", "stdout"),
    "a function on numbers": Look(CALLBACK, "abs", "abs"),
    "SIG_DFL": Look("void (*T)(int)", "SIG_DFL", "SIG_DFL"),
    "a negative number": Look("void *T", "(void *) -2", "(void *) -2"),
}
MORE_WAYS = [
    Way("by a macro", "#define SAME(a, b) ((a) == (b))", "", "SAME(p, {0})"),
    Way("in a loop", "", "int met = 0; for (int i = 0; i < 2; i++) if (p == {0}) met++;",
        "met == 2"),
    Way("by a pointer to it", "", "T first = p, *at = &first;", "*at == {0}"),
    Way("by an array", "", "T all[2] = {{p, {0}}};", "all[0] == all[1]"),
    Way("as no unlike one", "", "", "!(p != {0})"),
    Way("by a conditional", "", "int met = p == {0} ? 1 : 0;", "met"),
    Way("by a structure",
        "struct one {{ int n; T kept; }};"
        " static int is(const struct one *o, T a) {{ return o->kept == a; }}",
        "struct one o = {{1, p}};", "is(&o, {0})"),
    Way("by a table of functions",
        "static int none(T a, T b) {{ return 0; }} static int same(T a, T b) {{ return a == b; }}"
        " static int (*const all[])(T, T) = {{none, same}};", "", "all[1](p, {0})"),
]  # fmt: skip
# what is no comparison of pointers: the type, the question, and the arguments
OTHERS = {
    "an error": ("void *T", "(unsigned long) p >= (unsigned long) -4095", "(void *) -22"),
    "a negative one": ("struct node *T", "(long) p < 0", "(struct node *) -5"),
    "a small one": ("const char *T", "(unsigned long) p <= 15", "(char *) 15"),
    "a number of a stream": ("FILE *T", "fileno(p) == 2", "stderr"),
    "one of a table": (CALLBACK, "p == table[1]", "negated"),
}


def body(look: Look, way: Way, text: str) -> str:
    parts = [each.format(look.other) for each in (way.before, way.steps, way.asks)]
    before, steps, asks = parts
    text = text.format(asks=asks, rare=RARE)
    kind = f"typedef {look.kind};"
    return f"{HEAD}{kind}\n{before}\nint f({look.parameters})\n{{\n    {steps}\n    {text}\n}}\n"


PLAIN = "return 1;"
CHANGED = "if ({rare} && {asks}) return 9; return 1;"
SAME = "if ({asks}) if ({rare}) return 9; return 1;"


def shown(folder: Path, given: str) -> list[str]:
    """What gcc's binaries of both versions print for these arguments."""
    found = []
    for version in ("old", "new"):
        caller = f'#include "{version}.c"\nint main(void) {{ int r = f({given}); '
        (folder / f"{version}-caller.c").write_text(f'{caller} printf("%d", r); return 0; }}\n')
        build = ["gcc", "-w", f"{version}-caller.c", "-o", f"{version}-caller"]
        subprocess.run(build, cwd=folder, check=True)
        ran = subprocess.run(
            [f"./{version}-caller"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        found.append(ran.stdout)
    return found


def built(folder: Path, old: str, new: str, *words: str) -> Done:
    write_versions(folder, old, new)
    asked = ("build", "old.c", "new.c", "--entry", "f", "--time", "20", "--attack", "0", *words)
    return csgtest(*asked, folder=folder)


MEMBERS = [
    (name, way)
    for way, name in product(WAYS, LOOKS)
    if not (way.name == "as numbers" and LOOKS[name].other in ("0", "q"))
]
# where the address of an object is a number, what decides by it is left open
OBJECTS = ("MAP_FAILED", "a number", "an end of a list")
ALIKE = [each for each in MEMBERS if not (each[1].name == "as numbers" and each[0] in OBJECTS)]
LOOKS |= MORE_LOOKS
COMPOSED = [
    (name, way)
    for way, name in product([*WAYS[:5], *MORE_WAYS], LOOKS)
    if (name, way) not in MEMBERS
]
STEP = 11  # from one member to the next, so that the first ones are unlike


def in_turn(members: list[tuple[str, Way]], first: int = 0) -> list[tuple[str, Way]]:
    """All members, beginning with this one."""
    return [members[(first + at * STEP) % len(members)] for at in range(len(members))]


def composed(count: int, seed: int) -> list[tuple[str, Way]]:
    """So many others, of more things and more ways."""
    return random.Random(seed).sample(COMPOSED, count)


def named(member: tuple[str, Way]) -> str:
    return f"{member[0]} {member[1].name}"


@pytest.mark.parametrize("member", daily(in_turn(MEMBERS) + composed(40, 37), 5), ids=named)
def test_what_a_caller_can_pass_is_passed(member: tuple[str, Way], tmp_path: Path) -> None:
    look, way = LOOKS[member[0]], member[1]
    old, new = body(look, way, PLAIN), body(look, way, CHANGED)
    done = built(tmp_path, old, new, "--stop-after", "1")
    assert len({*shown(tmp_path, f"{look.given}, {X}u")}) == 2
    assert done.report["verdict"] == "different", done.out


@pytest.mark.parametrize("member", daily(in_turn(ALIKE, 5) + composed(40, 41), 2), ids=named)
def test_the_same_question_is_equivalent(member: tuple[str, Way], tmp_path: Path) -> None:
    look, way = LOOKS[member[0]], member[1]
    done = built(tmp_path, body(look, way, CHANGED), body(look, way, SAME), "--no-native")
    assert len({*shown(tmp_path, f"{look.given}, {X}u")}) == 1
    assert done.report["verdict"] == "equivalent-within-bounds", done.out


@pytest.mark.parametrize("name", daily(OTHERS, 1))
def test_other_questions_are_answered_as_well(name: str, tmp_path: Path) -> None:
    kind, asks, given = OTHERS[name]
    way = Way("", "static const T table[] = {{twice, negated}};" if "table" in asks else "", "", "")
    old, new = (
        body(Look(kind, "", ""), way, text.replace("{asks}", asks)) for text in (PLAIN, CHANGED)
    )
    done = built(tmp_path, old, new, "--stop-after", "1")
    assert len({*shown(tmp_path, f"{given}, {X}u")}) == 2
    assert done.report["verdict"] == "different", done.out


# Outputs of which the order is seen only if the stream is one of the program's own.
ORDERS = {
    "another parameter": ('fputs("b", p);', 'fputs("a", q);', "stdout, stdout"),
    "printf": ('fprintf(p, "b");', 'printf("a");', "stdout, 0"),
    "a stream that is named": ("fputc(98, p);", 'fputs("a", stdout);', "stdout, 0"),
    "standard error": ('fputs("b", p);', 'perror("a");', "stderr, 0"),
}


@pytest.mark.parametrize("name", daily(ORDERS, 1))
def test_the_order_of_outputs_is_seen(name: str, tmp_path: Path) -> None:
    first, second, given = ORDERS[name]
    old, new = (
        f"{HEAD}int f(FILE *p, FILE *q)\n{{\n    {steps}\n    return 0;\n}}\n"
        for steps in (first + second, second + first)
    )
    done = built(tmp_path, old, new, "--stop-after", "1")
    assert len({*shown(tmp_path, given)}) == 2
    assert done.report["verdict"] == "different", done.out
    assert re.search(r"f\(std(out|err), \S+\)|, stream_p\)", done.out)


def test_standard_input_has_the_text_of_the_stream(tmp_path: Path) -> None:
    text = "#include <stdio.h>\nint f(FILE *p) {{ int c = fgetc(p); return {}; }}\n"
    done = built(tmp_path, text.format("c"), text.format("p == stdin && c == 113 ? 9 : c"))
    assert 'f(stdin from "q' in done.out


def test_alternatives_beyond_the_most_are_left_out(tmp_path: Path) -> None:
    ends = "".join(f" || p == (char *) {number}" for number in range(-4, 2) if number)
    text = f"int f(const char *p, int x) {{{{ if (p == 0{ends}) return {{}}; return 1; }}}}\n"
    done = built(tmp_path, text.format("2 * x"), text.format("x + x"), "--no-native")
    assert done.report["verdict"] == "no-difference-found"
    assert "no test passes the address 1 as 'p'" in done.out


def test_what_another_file_hides_is_left_out(tmp_path: Path) -> None:
    for version, value in (("old", "2 * x"), ("new", "x + x")):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "a.c").write_text(
            "int is_usual(int (*)(int));\nint f(int (*p)(int), int x)\n"
            f"{{ return is_usual(p) ? {value} : p(x); }}\n"
        )
        (folder / "b.c").write_text(
            "static int usual(int n) { return n; }\n"
            "int is_usual(int (*p)(int)) { return p == usual; }\n"
        )
    words = ("build", "old", "new", "--entry", "f", "--time", "20", "--attack", "0", "--no-native")
    done = csgtest(*words, folder=tmp_path)
    assert done.report["verdict"] == "no-difference-found", done.out
    assert "no test passes usual as 'p'" in done.out


def test_nothing_is_added_where_nothing_is_asked(tmp_path: Path) -> None:
    text = "int f(const char *p, int (*q)(int)) {{ return p ? q(p[0]) + {} : 0; }}\n"
    done = built(tmp_path, text.format("1"), text.format("2"), "--stop-after", "1")
    assert re.search(r'driven_f\("[^"]*", -?\d+, -?\d+\)', done.out), done.out


def test_functions_of_a_call_sequence_are_given_alternatives_too(tmp_path: Path) -> None:
    text = """
#include <stdlib.h>
struct table { int size; };
struct table *table_new(int size)
{
    struct table *made = malloc(sizeof *made);
    if (made)
        made->size = size;
    return made;
}
int table_get(struct table *t, int (*a)(int), int (*b)(int))
{
    return a == b ? RESULT : t->size;
}
"""
    write_versions(tmp_path, text.replace("RESULT", "1"), text.replace("RESULT", "2"))
    entry = ("--entry", "table_new,table_get", "--stop-after", "1")
    done = csgtest("build", "old.c", "new.c", *entry, "--time", "20", folder=tmp_path)
    assert "table_get(made, stub_a, stub_a)" in done.out
