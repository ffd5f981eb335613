"""What is said of each change: its form, the reason, what it needs; and what is no change."""

from __future__ import annotations

import random

import pytest

from csg.frontend import parse_text
from csg.unify import Unified, unify
from csg.unify.changes.explaining import explanation
from csg.unify.changes.textual import MOVED, unseen_edits


def unification(old: str, new: str) -> Unified:
    return unify(parse_text(old, "old.c"), parse_text(new, "new.c"))


def said(old: str, new: str) -> list[str]:
    return [line.strip() for line in explanation(unification(old, new)).splitlines()]


WHY = {
    "an operator": (
        "int f(int x) { return x - 1; }",
        "int f(int x) { return x + 1; }",
        ["value  change(x - 1, x + 1)", "the operator - became +"],
    ),
    "types that ?: would convert": (
        "int f(int x) { if (x - 1 < 0) return 1; return 0; }",
        "int f(int x) { if (x - 1u < 0) return 1; return 0; }",
        [
            "value  change(x - 1 < 0, x - 1u < 0)",
            "the operands 'x - 1' (int) and 'x - 1u' (unsigned int): further inside, ?: would "
            "convert both",
        ],
    ),
    "a place that converts": (
        "int f(int x) { long y = x; return y > 3; }",
        "int f(int x) { long y = x * 2L; return y > 3; }",
        ["'x' became 'x * 2L'; int and long, which this place converts to long"],
    ),
    "a clause in front": (
        "int f(int a, int b) { if (b) return 1; return 0; }",
        "int f(int a, int b) { if (a || b) return 1; return 0; }",
        ["from the first clause that differs on, the versions diverge only where the whole does"],
    ),
    "a clause behind": (
        "int f(int a, int b) { if (a) return 1; return 0; }",
        "int f(int a, int b) { if (a && b) return 1; return 0; }",
        ["clause  change(1, b)", "only NEW has it; the constant leaves && as it is"],
    ),
    "an early return": (
        "int f(int n) { return n; }",
        "int f(int n) { if (n < 0) return -1; return n; }",
        [
            "guard  change(0, n < 0)   [leaves]",
            "only NEW gets here; control may leave it, so it is a branch and no region",
        ],
    ),
    "a condition put around": (
        "int g(int); int f(int n) { g(n); g(2); return n; }",
        "int g(int); int f(int n) { if (8 / n) { g(n); g(2); } return n; }",
        [
            "condition  change(1, 8 / n)   [may trap]",
            "what it holds is common; only NEW asks for a condition",
        ],
    ),
    "a statement": (
        "int g(int); int f(int n) { return n; }",
        "int g(int); int f(int n) { g(1); return n; }",
        ["region  if (execute(NEW)) { g(1); }"],
    ),
    "a parameter": (
        "static int h(int a) { return a; } int f(int n) { return h(n); }",
        "static int h(int a, int b) { return a + b; } int f(int n) { return h(n, 4); }",
        ["argument  change(0, 4)", "only NEW has this parameter"],
    ),
    "a label of a switch": (
        "int f(int n) { switch (n) { case 1: n++; } return n; }",
        "int f(int n) { switch (n) { case 2: case 1: n++; } return n; }",
        ["label  case 2", "a label of NEW; the other version's selector passes it by"],
    ),
    "a variable of another type": (
        "int f(int n) { int x = n; return x; }",
        "int f(int n) { long x = n; return x; }",
        [
            "declaration  long x__new; if (execute(NEW)) { x__new = n; }",
            "the type differs: each version has a variable of its own, and uses that",
        ],
    ),
    "what a use needs": (
        "int f(int n) { return n; }",
        "int f(int n) { int seen = n * 2; return n + seen; }",
        ["needs 1: it declares 'seen'"],
    ),
    "a renamed variable": (
        "int f(int n) { int a = n; return a * 2; }",
        "int f(int n) { int b = n; return b * 2; }",
        ["no change: both versions are one program", "renamed in f: a is b now, no change"],
    ),
}


@pytest.mark.parametrize("name", WHY)
def test_why(name: str) -> None:
    old, new, lines = WHY[name]
    assert [line for line in lines if line not in said(old, new)] == []


def test_a_fallback_says_its_reason() -> None:
    old = "int f(int x) { return x; } int main(void) { return f(1); }"
    unified = unify(
        parse_text(old), parse_text(old.replace("return x", "return -x")), whole=frozenset("f")
    )
    text = explanation(unified)
    assert "copies  f__old(...), f__new(...)" in text
    assert "kept twice: f, because its unified form did not hold both versions" in text


BY_MEANING = {
    "a macro": (
        "#define LIMIT 3\nint f(int x)\n{\n    return x > LIMIT;\n}\n",
        ("LIMIT 3", "LIMIT 4"),
        (4, "macro LIMIT (new.c:1): '3' became '4'"),
    ),
    "a macro behind another": (
        "#define HALF 3\n#define ALL (2 * HALF)\nint f(int x)\n{\n    return x > ALL;\n}\n",
        ("HALF 3", "HALF 4"),
        (5, "macro HALF (new.c:1): '3' became '4'"),
    ),
    "an enumerator": (
        "enum kind { A, B };\nint f(int x)\n{\n    return x == B;\n}\n",
        ("{ A,", "{ A, X,"),
        (4, "enumerator B (new.c:1): '1' became '2'"),
    ),
    "a typedef": (
        "typedef int number;\nint f(int x)\n{\n    number n = x;\n    return n > 2;\n}\n",
        ("typedef int", "typedef long"),
        (4, "typedef number (new.c:1): 'int' became 'long'"),
    ),
    "a layout": (
        "struct p { int x; };\nint f(int x)\n{\n    struct p p = {x};\n    return sizeof p;\n}\n",
        ("{ int x;", "{ char c; int x;"),
        (4, "struct p (new.c:1): 'int x;' became 'char c; int x;'"),
    ),
}


def test_a_change_of_nothing_but_its_line_says_so() -> None:
    old = """void *take(int, int);
    #define TAKE(n) take(n, __LINE__)
    void *f(int n) {
        return TAKE(n);
    }
    int g(int n) {
        return take(6, n) != 0;
    }
    """
    changes = unification(old, "\n" + old.replace("take(6", "take(8")).changes
    assert [(each.function, each.cause == MOVED) for each in changes] == [("f", True), ("g", False)]


LINED = (  # each has a number that is made of its line's
    "return -__LINE__;", "x = ~__LINE__;", "x -= (short) -__LINE__ * 2;", "take(x, -(__LINE__));",
    "static int t[2] = {__LINE__, -__LINE__};", "if (x == -__LINE__ || x > __LINE__) x++;",
    "MARK(x);",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_numbers_that_are_made_of_their_line_change_nothing_else(seed: int) -> None:
    """So says the cause of each such change, but not that of a number that was edited beside."""
    chance = random.Random(seed)
    lines = chance.sample(LINED, 4)
    edited = chance.randrange(4)
    head = "int take(int, int);\n#define MARK(n) ((n) = -__LINE__)\n"
    texts = {"old": head, "new": head + "\n" * chance.randint(1, 30)}
    for place, line in enumerate(lines):
        for version, number in (("old", 77), ("new", 79 if place == edited else 77)):
            texts[version] += f"int f{place}(int x)\n{{\n    {line}\n    return x + {number};\n}}\n"
    changes = unification(texts["old"], texts["new"]).changes
    moved = {each.function for each in changes if each.cause == MOVED}
    assert moved == {f"f{place}" for place in range(4)}
    assert [each.function for each in changes if each.cause != MOVED] == [f"f{edited}"]


@pytest.mark.parametrize("name", BY_MEANING)
def test_a_change_of_meaning_names_the_definition(name: str) -> None:
    old, (before, after), (line, cause) = BY_MEANING[name]
    changes = unification(old, old.replace(before, after)).changes
    assert changes
    assert (changes[0].location.line, changes[0].cause) == (line, cause)
    assert changes[0].old_text == changes[0].new_text


BASE = """\
#define UNUSED 1
#ifdef NO_SUCH_THING
int other(void) { return 1; }
#else
int other(void) { return 2; }
#endif
int f(int x)
{
    int n = x; /* here */
    return n;
}
"""
UNSEEN = {
    "a branch that is off": ("return 1;", "return 3;", "left out by '#ifdef NO_SUCH_THING'"),
    "a comment": ("/* here */", "// there", "comments and white space"),
    "white space": ("int n = x;", "int  n  =  x;", "comments and white space"),
    "a macro that nobody uses": ("UNUSED 1", "UNUSED 2", "macro UNUSED: nothing that is compiled"),
    "spelling": ("return n;", "return (n);", "it means the same"),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_an_edit_that_is_no_change(name: str) -> None:
    before, after, why = UNSEEN[name]
    unified = unification(BASE, BASE.replace(before, after))
    assert unified.changes == ()
    (edit,) = unseen_edits(unified)
    assert edit.why.startswith(why)


def test_a_branch_that_is_on_with_a_flag() -> None:
    old, new = BASE, BASE.replace("return 1;", "return 3;")
    flags = ["-DNO_SUCH_THING"]
    unified = unify(parse_text(old, "old.c", flags), parse_text(new, "new.c", flags))
    assert [change.location.line for change in unified.changes] == [3]
    assert unseen_edits(unified, flags) == ()


def test_a_file_has_flags_of_its_own_and_may_want_a_header_that_is_not_found() -> None:
    text = f"#ifdef HAVE_IT\n#include <nowhere.h>\n#endif\n{BASE}"
    old, new = text, text.replace("return 1;", "return 3;")
    flags = {"old.c": ["-DNO_SUCH_THING"], "new.c": ["-DNO_SUCH_THING"]}
    unified = unify(*(parse_text(each, name) for each, name in ((old, "old.c"), (new, "new.c"))))
    (edit,) = unseen_edits(unified)
    assert edit.why == "left out by '#ifdef NO_SUCH_THING' (new.c:5)"
    assert edit.macro == "NO_SUCH_THING"
    (edit,) = unseen_edits(unified, (), flags)
    assert edit.why == "it means the same: names, order or spelling"  # it is not left out
    (edit,) = unseen_edits(unified, ["-DHAVE_IT"])
    assert edit.why == "it means the same: names, order or spelling"  # nobody knows


def test_an_edit_that_a_change_accounts_for_is_not_listed() -> None:
    unified = unification(
        BASE, BASE.replace("return n;", "return n + 1;").replace("/* here */", "")
    )
    assert [edit.location.line for edit in unseen_edits(unified)] == []
    apart = unification(
        BASE, BASE.replace("return n;", "return n + 1;").replace("UNUSED 1", "UNUSED")
    )
    assert [edit.location.line for edit in unseen_edits(apart)] == [1]
