"""No edit of declarations, attributes, pragmas or assembly that changes what a program does is
taken for none, nor flags that change what its text means.

The pairs and what they natively do on every byte come from generators/declarations.py and
oracles/every_byte.py.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.programs import Versions
from csg.toolchain import assemble
from csg.unify import Unified
from csg.unify.assembly import Reader, read_assembly
from csg.unify.meanings import data_of, taken_out, text_of, wrong_claims
from csg.unify.pairs import read_pair, unify_pair
from generators.declarations import Pair, pairs
from oracles.equivalence.pairs import Pair as Refactoring
from oracles.equivalence.pairs import pairs as equivalent_pairs
from oracles.every_byte import differing
from tests.command_line import csgtest
from tests.nightly import daily, every

EQUAL = ("no-change", "equivalent-within-bounds")
ALL = pairs(members=5)
# Edits after which the program is the same for every user, and must stay so here.
HARMLESS = ("volatile", "visibility", "inline", "static", "weak", "noinline", "flexible")
KINDS = {pair.name.rpartition("-")[0] for pair in ALL}
# Each time some members, of other kinds each; all of them at night.
UNIFIED = every(17, ALL, first=3)
SEARCHED = daily(sorted(ALL, key=lambda pair: pair.name not in ("alias-0", "const-array-0")), 2)


@functools.cache
def truth(pair: Pair) -> int:
    """The number of bytes for which the versions natively differ."""
    with tempfile.TemporaryDirectory() as folder:
        return len(differing(pair.old, pair.new, pair.flags, Path(folder)))


def unified(old: str, new: str, folder: Path, *flags: str) -> Unified:
    before, after = folder / "old.c", folder / "new.c"
    before.write_text(old)
    after.write_text(new)
    return unify_pair(read_pair(Versions(before, after, flags=flags).pairs()))


def named(pair: Pair) -> str:
    return pair.name


def test_there_are_many_pairs_of_many_kinds() -> None:
    assert len(ALL) == len({pair.name for pair in ALL}) >= 200
    assert len(KINDS) >= 45
    assert set(HARMLESS) < KINDS


@pytest.mark.parametrize("pair", UNIFIED, ids=named)
def test_what_runs_can_tell_apart_is_changed(pair: Pair, tmp_path: Path) -> None:
    found = unified(pair.old, pair.new, tmp_path, *pair.flags)
    if truth(pair):
        assert found.changes
    elif pair.name.startswith(HARMLESS):
        assert found.changes == () and found.dissents == ()


# What once was taken for a way of writing, each time in two members.
ONCE_HIDDEN = ("section-order", "overflow", "jump-back", "alias-")


@pytest.mark.parametrize(
    "pair",
    [pair for pair in ALL if pair.name.startswith(ONCE_HIDDEN) and pair.name[-1] in "03"],
    ids=named,
)
def test_what_only_the_compiler_sees_is_changed(pair: Pair, tmp_path: Path) -> None:
    assert truth(pair)
    found = unified(pair.old, pair.new, tmp_path)
    assert found.changes


@pytest.mark.slow
@pytest.mark.parametrize("pair", SEARCHED, ids=named)
def test_a_verdict_is_no_false_one(pair: Pair, tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text(pair.old)
    (tmp_path / "new.c").write_text(pair.new)
    words = ("old.c", "new.c", "--sym-args", "1", "1", "1", "--time", "8", "--no-config")
    flags = ("--", *pair.flags) if pair.flags else ()
    done = csgtest("build", *words, *flags, folder=tmp_path)
    assert done.code in (0, 1), done
    verdict = done.report["verdict"]
    if truth(pair):
        assert verdict not in EQUAL
    else:
        assert verdict != "different"


# ---------------------------------------------------------------------- no false change


@pytest.mark.parametrize("pair", every(6, equivalent_pairs(), first=1), ids=lambda pair: pair.name)
def test_the_compiler_dissents_from_no_refactoring(pair: Refactoring, tmp_path: Path) -> None:
    found = unified(pair.old.read_text(), pair.new.read_text(), tmp_path)
    assert found.dissents == () and found.unmodelled == ()


HEAD = "#include <assert.h>\n#include <stdio.h>\n"
OLD = (
    HEAD
    + """
static int count, limit = 3;
static int helper(int a) { static int calls; calls++; assert(a > 0); return a + calls; }
static int other(const char *s) { return s[0] == 'a' ? helper(2) : limit; }
int main(int argc, char **argv) { int first = argc, second = 2; count += first;
    return other(argv[0]) + second + count; }
"""
)


def edited(*edits: tuple[str, str]) -> str:
    text = OLD
    for before, after in edits:
        assert before in text
        text = text.replace(before, after)
    return text


@pytest.mark.parametrize(
    "new",
    [
        edited(("helper", "worker")),
        edited(("first = argc, second = 2;", "one = argc; int second = 2;"), ("first", "one")),
        edited(("first = argc, second = 2;", "second = 2, first = argc;")),
        edited((HEAD, HEAD + "/* more\nlines\n */\n\n#define LIMIT 3\n"), ("= 3", "= LIMIT")),
        edited(("static int count, limit = 3;", "static int limit = 3;\nstatic int count;")),
        edited(
            (HEAD, HEAD + "typedef int no;\n"), ("static int helper(int", "static no helper(no")
        ),
        edited(("calls++", "calls += 1")),
        edited(("static int count", "static int helper(int), count")),
    ],
)
def test_what_is_written_otherwise_is_compiled_alike(new: str, tmp_path: Path) -> None:
    assert new != OLD
    found = unified(OLD, new, tmp_path)
    assert found.changes == () and found.dissents == ()


def test_a_constant_is_the_cause_of_what_is_computed_of_it(tmp_path: Path) -> None:
    old = "static const int last = 8;\nint main(int n, char **v) { return n > last ? last : n; }\n"
    found = unified(old, old.replace("8", "9"), tmp_path)
    assert len(found.changes) == 1 and found.dissents == ()


def test_a_change_that_no_text_shows_names_its_cause(tmp_path: Path) -> None:
    old = "static int b\n= 1;\nint main(void)\n{\n    *(int *)&b = 1;\n    return 0;\n}\n"
    found = unified(old, old.replace("static int", "static const int"), tmp_path)
    (change,) = found.changes
    assert change.cause.startswith("compiled differently: .data") and found.dissents[0].modelled


# ---------------------------------------------------------------------- what the compiler says


@pytest.mark.parametrize(
    ("flag", "claim"),
    [
        ("-funsigned-char", "char is signed"),
        ("-fno-signed-char", "char is signed"),
        ("-fpack-struct=2", "structures are padded"),
        ("-fshort-enums", "an enumeration is of the size of int"),
        ("-funsigned-bitfields", "a bit-field of int is signed"),
        ("-fshort-wchar", "wchar_t is signed"),
        ("-fsingle-precision-constant", "constants are double"),
    ],
)
def test_flags_are_known_by_what_they_do(flag: str, claim: str) -> None:
    assert claim in wrong_claims((flag,))


@pytest.mark.parametrize("flags", [(), ("-std=c99",), ("-O3", "-g", "-Wall"), ("-fwrapv",)])
def test_ordinary_flags_change_no_meaning(flags: tuple[str, ...]) -> None:
    assert wrong_claims(flags) == ()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("struct s {char c; int i : 5, j : 9; long l;};", False),
        ("enum e {A = -1, B}; struct s {enum e e; short h[3]; union {int i; char c;} u;};", False),
        ("#pragma pack(2)\nstruct s {char c; int i; struct {short x; long y;} z;};", False),
        ('struct __attribute__((scalar_storage_order("big-endian"))) s {int i;};', True),
    ],
)
def test_types_are_where_they_are_for_the_compiler(text: str, wrong: bool) -> None:
    unit = parse_text(text + "\nstruct s x;\n", "t.c")
    data = data_of(unit)
    assert data
    found = read_assembly(assemble(text + text_of(data)))
    assert bool(taken_out(found, data)) == wrong
    assert not any("csgtest" in label for label in found.pieces)


INNER = """\
static int n;
int f(int a)
{
    static int k = 2;
    switch (a) { case 1: return 5; }
    return k + n + "text"[a];
}
"""


def test_inner_names_count_by_their_content() -> None:
    renamed = INNER.replace("k", "count").replace("n;", "m;", 1).replace("+ n", "+ m")
    one, other = (read_assembly(assemble(text)) for text in (INNER, 'char *x = "other";' + renamed))
    text = Reader(one, {}).text("f")
    assert Reader(other, {"m": "n"}).text("f") == text != Reader(other, {}).text("f")
    changed = read_assembly(assemble(INNER.replace("text", "tent")))
    assert Reader(changed, {}).text("f") != text


def test_a_section_has_the_flags_that_it_was_declared_with() -> None:
    text = "double f(double a) { return a * 0.5 + 0.25; }\n"
    before = "double before(double a) { return a * 3.5; }\n"
    one, other = (read_assembly(assemble(each)) for each in (text, before + text))
    assert ".rodata" in Reader(one, {}).text("f")
    assert Reader(one, {}).text("f") == Reader(other, {}).text("f")
    pushed = '.section .x,"aw"\n.text\na: .long b\n.section .x\n.globl b\nb: .long 1\n'
    assert read_assembly(pushed).pieces["b"].head == ('.x,"aw"',)
