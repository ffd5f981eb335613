"""Changed statements are named by what they say, however they are written."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from csg.programs import Versions
from csg.unify.changes.identities import Identity, identities, normalised, statements
from csg.unify.pairs import read_pair, unify_pair
from tests.command_line import write_versions

SOURCE = """\
#define TWICE(x) \\
    { x; x; }
static const int primes[] = { 2, 3, 5 }; // { not all
int f(int n) /* f */ {
    n++;  g( n , -1 );
    if (n > 1 &&
        !n) { return (struct s){1}.a; } else if (p->q) n ++;
    else do { x = a[ 1 ] * *p; } while (n--);
    for (int i = 0; i < n; i++) y &= ~i;
    switch (n) { case 1: x = "a;b" /* ; */ "c"; default: h(); }
    q = ({ int z = 1; z; });
out: return ';';
}
"""
SAID = """\
static const int primes[] = { 2, 3, 5 }
int f(int n)
n++
g(n, -1)
if (n > 1 && !n)
return (struct s) { 1 }.a
if (p->q)
n++
x = a[1] * *p
while (n--)
for (int i = 0; i < n; i++)
y &= ~i
switch (n)
case 1:
x = "a;b" "c"
default:
h()
q = ({ int z = 1; z; })
out:
return ';'
"""


def said(text: str) -> list[str]:
    return [statement for _, statement in statements(text)]


def test_statements_are_found_by_their_tokens() -> None:
    assert said(SOURCE) == SAID.splitlines()


def test_places_are_those_of_the_first_tokens() -> None:
    lines = SOURCE.splitlines()
    for (line, column), statement in statements(SOURCE):
        assert lines[line - 1][column - 1] == statement[0]


@pytest.mark.parametrize("seed", range(50))
def test_blanks_comments_and_new_lines_say_nothing(seed: int) -> None:
    choose = random.Random(seed)
    body = SOURCE[SOURCE.index("static") :].replace("// { not all", "").replace("/* ; */", "")
    for each in (", ", "; ", ") ", "{ ", "( ", "= "):
        blank = choose.choice(["\n", " /*;{*/ ", "\t // }(\n", " \\\n", "   "])
        body = body.replace(each, each[0] + blank)
    assert said(body) == SAID.splitlines()


@pytest.mark.parametrize("seed", range(200))
def test_any_text_is_cut_somewhere(seed: int) -> None:
    choose = random.Random(seed)
    text = "".join(choose.choice("(){}[];:='\"/*\\\n#a1 if=>") for _ in range(60))
    assert all(said(text)) and isinstance(normalised(text), str)


def test_a_long_statement_is_named_by_its_sum() -> None:
    table = ", ".join(map(str, range(1000)))
    one, other = (normalised(f"int t[] = {{ {table}, {last} }}") for last in (1, 2))
    assert len(one) < 400 and one != other


OLD = "int g;\nint f(int n) { n++; g = n; n++; return n; }\nint k(int n) { n++; return f(n); }\n"


@pytest.mark.parametrize(
    ("new", "named"),
    [
        (OLD.replace("n; n++; r", "n; n += 2; r"), Identity("f", "n++", "n += 2", 1)),
        (OLD.replace("g = n; n++;", "g = n;"), Identity("f", "n++", "", 2)),
        (OLD.replace("return n;", "n++; return n;"), Identity("f", "", "n++", 3)),
        (OLD.replace("k(int n) { n++;", "k(int n) {"), Identity("k", "n++", "", 1)),
        (OLD.replace("int g;", "int g = 1;"), Identity("", "int g", "int g = 1", 1)),
    ],
)
def test_of_equal_ones_it_is_told_which(new: str, named: Identity, tmp_path: Path) -> None:
    versions = Versions(*write_versions(tmp_path, OLD, new))
    assert [*identities(unify_pair(read_pair(versions.pairs()), "k")).values()] == [named]


def test_a_definition_is_named_without_its_place(tmp_path: Path) -> None:
    found = []
    for number, above in enumerate(("", "\n\n/* */\n")):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, value in (("old", 3), ("new", 4)):
            text = f"{above}#define LIMIT {value}\nint f(int n) {{ return n > LIMIT; }}\n"
            (folder / f"{name}.c").write_text(text)
        versions = Versions(folder / "old.c", folder / "new.c")
        found.append(identities(unify_pair(read_pair(versions.pairs()), "f")))
    assert found[0] == found[1]
    assert found[0][1].cause == "macro LIMIT: '3' became '4'"
