"""Programs that look at the numbers of addresses: what depends on them is never called equivalent,
and what C defines wherever objects lie stays so. gcc's binaries say which pair is which.

A pair is one expression or statement in two forms; ``f`` is called with texts at many alignments.
"""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import pytest

from csg.records import record
from tests.command_line import Done, csgtest
from tests.nightly import daily

HEAD = """
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""
CALLER = """
#include <stdio.h>
int f(char *s, int k);
int main(void)
{
    static char room[64] __attribute__((aligned(32)));
    for (int at = 0; at < 16; at++)
        for (int k = -2147483647 - 1; k <= 8; k = k < 0 ? 0 : k + 1) {
            for (int i = 0; i < 63; i++)
                room[i] = "abcdefgh"[i % 8];
            int result = f(room + at, k);
            printf("%d %c ", result, room[at] ? room[at] : '0');
        }
}
"""
BUILDS = (("-O0",), ("-O2",), ("-O0", "-no-pie", "-fno-pie"))


@record
class Pair:
    """Two bodies of ``int f(char *s, int k)``, with what stands before them."""

    name: str
    old: str
    new: str
    before: str = ""

    def text(self, body: str) -> str:
        return f"{HEAD}{self.before}\nint f(char *s, int k)\n{{\n    {body}\n}}\n"


def returning(name: str, old: str, new: str, before: str = "") -> Pair:
    return Pair(name, f"return {old};", f"return {new};", before)


AT = "(uintptr_t) s"
SAVE = """
static int save(const char *dest, const char *source) {{ return {} ? source[0] : 0; }}
static int outer(const char *text) {{ char local[64]; local[0] = 1; return save(local, text); }}
"""
ORDER = 'char text[32] = "12"; return outer(text) + (k & 1);'
LOOP = "int n = 0; while (n < 16 && ({} & {}) != 0) n++; return n;"
MASKS = [
    Pair(f"to a boundary of {old + 1} or {new + 1}",
         LOOP.format(cast, old), LOOP.format(cast, new))
    for old, new in ((7, 3), (1, 7), (3, 15))
    for cast in ("(uintptr_t) (s + n)", "((size_t) s + n)")
]  # fmt: skip
DEPENDENT = [
    *MASKS,
    returning("low bits", f"({AT} & 1) == 0", f"({AT} & 3) == 0"),
    returning("low bits of a difference", f"(int) ({AT} - 1 & 3)", f"(int) ({AT} & 3)"),
    returning("remainder", f"{AT} % 3 == 1", f"{AT} % 5 == 1"),
    returning("a bucket", f"(int) ({AT} >> 1) % 7 == k", f"(int) ({AT} >> 2) % 7 == k"),
    Pair("a table of buckets",
         f"char t[8] = \"abcdefg\"; return t[{AT} & 7];",
         f"char t[8] = \"abcdefg\"; return t[{AT} & 3];"),
    Pair("an integer that is kept", "keep = (size_t) s; return (keep & 2) == 2;",
         "keep = (size_t) s; return (keep & 4) == 4;", "static size_t keep;"),
    Pair("a switch", f"switch ({AT} & 3) {{ case 0: return k; case 1: return 1; }} return 5;",
         f"switch ({AT} & 3) {{ case 0: return k; case 2: return 1; }} return 5;"),
    Pair("what is left in memory", f"s[0] = {AT} & 1; return 0;",
         f"s[0] = {AT} >> 1 & 1; return 0;"),
    Pair("aligned up", f"char *p = (char *) ({AT} + 7 & ~(uintptr_t) 7); return *p;",
         f"char *p = (char *) ({AT} + 3 & ~(uintptr_t) 3); return *p;"),
    Pair("a sum that wraps", "char *e = s + k; return e < s ? -1 : 0;", "return -(k < 0);"),
    Pair("a sum that wraps, behind", "char *e = s + k; return s > e ? -1 : 0;",
         "return -(k < 0);"),
    Pair("%p", "char t[40]; sprintf(t, \"%p\", (void *) s); return t[strlen(t) - 1] == '1';",
         "char t[40]; sprintf(t, \"%p\", (void *) s); return t[strlen(t) - 1] == '2';"),
    Pair("%lx", "char t[40]; sprintf(t, \"%lx\", (long) s); return t[strlen(t) - 1] == '1';",
         "char t[40]; sprintf(t, \"%lx\", (long) s); return t[strlen(t) - 1] == '2';"),
]  # fmt: skip


def ordered(relation: str, outcome: int) -> tuple[str, str]:
    """Two versions of a program in which locals of two functions are compared."""
    comparing = Pair("comparing", ORDER, "", SAVE.format(f"dest {relation} source"))
    fixed = Pair("fixed", ORDER, "", SAVE.format(outcome))
    return comparing.text(ORDER), fixed.text(ORDER)


INDEPENDENT = [
    returning("null", f"{AT} != 0", "s != NULL"),
    Pair("up to an end", "int n = 0; for (char *p = s, *e = s + 4; p < e; p++) n += *p; return n;",
         "int n = 0; for (char *p = s, *e = s + 4; p != e; p++) n += *p; return n;"),
    returning("a length", "(int) ((size_t) (strchr(s, 0) - s))", "(int) strlen(s)"),
    returning("a distance of numbers", f"(int) ((uintptr_t) (s + (k & 3)) - {AT})", "k & 3"),
    returning("there and back", f"*(char *) ({AT} + 1)", "s[1]"),
    Pair("the structure around", "struct pair p = { 3, k }; int *q = &p.b;"
         " return ((struct pair *) ((uintptr_t) q - offsetof(struct pair, b)))->b;",
         "return k;", "struct pair { int a, b; };"),
    Pair("equal numbers", f"int here; return {AT} == (uintptr_t) &here;", "return 0;"),
    Pair("equal pointers", "int here; return (void *) s == (void *) &here;", "return 0;"),
    Pair("aligned by its type", "long here = k; return ((uintptr_t) &here & 3) == 0;", "return 1;"),
    Pair("aligned by malloc", "char *p = malloc(3); int ok = ((uintptr_t) p & 7) == 0;"
         " free(p); return ok;", "return 1;"),
    Pair("a tag", "int *p = malloc(4); if (!p) return 1; uintptr_t t = (uintptr_t) p | 1;"
         " int r = t & 1; *(int *) (t & ~(uintptr_t) 1) = r; r = *p; free(p); return r;",
         "return 1;"),
    Pair("as long as user data", "long data = (long) &k; return *(int *) data;", "return k;"),
    Pair("a number as a pointer", "void *p = (void *) (long) k; return (int) (long) p;",
         "return k;"),
    Pair("a chosen step", "int a[4] = { 1, 2, 3, 4 }, *p = a + (k & 1 ? 2 : 0); p += k & 1;"
         " return *p;", "return k & 1 ? 4 : 1;"),
    Pair("a chosen step back", "int a[4] = { 1, 2, 3, 4 }, *p = a + 3; p -= k > 3 ? 2 : k & 1;"
         " return *p;", "return k > 3 ? 2 : 4 - (k & 1);"),
    Pair("moved", "memmove(s + 1, s, 2); return s[2];", "char c = s[1]; s[2] = c;"
         " s[1] = s[0]; return c;"),
    Pair("a short sum", "char *e = s + (k & 7); return e < s;", "return 0;"),
    Pair("a maximum", "int a[3] = { 1, k, 2 }, *m = a;"
         " for (int *p = a; p <= &a[2]; ++p) if (*p > *m) m = p; return (int) (m - a);",
         "return k > 2 ? 1 : k == 2 ? 1 : 2;"),
]  # fmt: skip


TWO = "struct two { int *a, *b; char *text, room[8]; };"
TWO += "struct one { int *a; }; int kept;"
# An expression, and what it is where no two pointers are equal. A test may have them equal where
# they are compared as pointers, but for a part of an object and an object of the program.
EQUAL_PARTS = [
    ("struct two *s", "s->a == &kept", "0"),
    ("struct two *s", "s->b && (uintptr_t) s->a == (uintptr_t) s->b", "0"),
    ("struct two *s, struct two *t", "s->a != t->b", "s->a || t->b"),  # in too many ways
]
EQUAL_IN_TESTS = [
    ("const int *restrict a, const int *restrict b", "a == b ? 3 : *a", "*a"),
    ("const int *a, const int *b", "a != b && *a == *b", "*a == *b"),
    ("const int *a, struct one *s", "s->a && a == s->a ? 7 : 1", "1"),
    ("struct two *s", "s->a && s->a == s->b", "0"),
    ("struct two *s", "s->text == s->room", "0"),
]


@pytest.mark.parametrize(
    "case", daily(EQUAL_PARTS, 2) + daily(EQUAL_IN_TESTS, 2), ids=lambda case: case[1]
)
def test_pointers_that_a_caller_may_have_equal(case: tuple[str, str, str], tmp_path: Path) -> None:
    """Two versions that differ where they are equal are not called equivalent. Those that compare
    them alike are, if a test has them equal."""
    parameters, some, other = case
    one, two = (f"{HEAD}{TWO}\nint f({parameters})\n{{\n    return {each};\n}}\n"
                for each in (some, other))  # fmt: skip
    again = one.replace(some, f"0 + ({some})")
    tried = case in EQUAL_IN_TESTS
    for text, verdicts in (
        (two, ["different", "no-difference-found"]),
        (again, ["equivalent-within-bounds" if tried else "no-difference-found"]),
    ):
        (tmp_path / "old.c").write_text(one)
        (tmp_path / "new.c").write_text(text)
        done = compared(tmp_path, "--no-replay")
        assert done.report["verdict"] in verdicts, done


def shown(folder: Path, old: str, new: str) -> list[tuple[str, str]]:
    """What both versions print natively, for each build."""
    (folder / "caller.c").write_text(CALLER)
    found: dict[str, list[str]] = {}
    for name, text in (("old", old), ("new", new)):
        (folder / f"{name}.c").write_text(text)
        for flags in BUILDS:
            program = folder / f"{name}.bin"
            files = [folder / "caller.c", folder / f"{name}.c"]
            subprocess.run(["gcc", "-w", *flags, *files, "-o", program], check=True)
            ran = subprocess.run([program], check=True, capture_output=True, text=True)
            found.setdefault(name, []).append(ran.stdout)
    return list(zip(found["old"], found["new"], strict=True))


def compared(folder: Path, *more: str) -> Done:
    return csgtest(
        *("build", "old.c", "new.c", "--entry", "f", "--time", "5", *more),
        folder=folder,
    )


def looks_at_addresses(done: Done) -> bool:
    return any(each["reason"] == "addresses" for each in done.report["omissions"])


def is_without_accusation(done: Done) -> bool:
    counters = done.report["counters"]
    return counters["mispredicted"] == 0 == counters["branch_mismatches"]


@pytest.mark.parametrize("pair", daily(DEPENDENT, 3), ids=lambda pair: pair.name)
def test_what_depends_on_addresses_is_not_called_equivalent(pair: Pair, tmp_path: Path) -> None:
    old, new = pair.text(pair.old), pair.text(pair.new)
    assert any(one != other for one, other in shown(tmp_path, old, new))
    done = compared(tmp_path)
    assert done.report["verdict"] in ("different", "no-difference-found"), done
    assert looks_at_addresses(done) and is_without_accusation(done), done


@pytest.mark.parametrize(
    ("relation", "outcome"),
    [
        pytest.param(*each, marks=[] if each == ("<=", 1) else pytest.mark.night)
        for each in product(("<", "<=", ">", ">="), (0, 1))
    ],
)
def test_neither_order_of_locals_is_called_equivalent(
    relation: str, outcome: int, tmp_path: Path
) -> None:
    old, new = ordered(relation, outcome)
    plainly = any(one != other for one, other in shown(tmp_path, old, new))
    done = compared(tmp_path)
    assert done.report["verdict"] in ("different", "no-difference-found"), done
    kinds = {each["class"] for each in done.differing}
    assert kinds <= ({"difference", "undefined"} if plainly else {"undefined"}), done
    assert looks_at_addresses(done) and is_without_accusation(done), done


@pytest.mark.parametrize("pair", daily(INDEPENDENT, 3), ids=lambda pair: pair.name)
def test_what_holds_wherever_objects_lie_stays_equivalent(pair: Pair, tmp_path: Path) -> None:
    old, new = pair.text(pair.old), pair.text(pair.new)
    assert all(one == other for one, other in shown(tmp_path, old, new))
    done = compared(tmp_path)
    assert done.report["verdict"] == "equivalent-within-bounds", done
    assert not looks_at_addresses(done) and is_without_accusation(done), done
