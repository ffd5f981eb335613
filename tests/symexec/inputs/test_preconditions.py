"""What both versions expect of callers holds of every input, and hides nothing that a caller who
keeps to it can see."""

from __future__ import annotations

import random
import re
import tempfile
from itertools import islice, product
from pathlib import Path

import pytest

from csg.analysis.preconditions import (
    Length,
    Precondition,
    Single,
    Terminated,
    TruthValue,
    preconditions,
)
from csg.errors import Location
from csg.frontend import parse_text
from csg.programs import Versions
from csg.unify import unify
from csg.unify.pairs import read_pair, unify_pair
from symexec.exploration.pinning import Pins
from symexec.exploration.preparation import analysed, lower, read_versions
from symexec.exploration.start import definition
from symexec.expr import TermTable
from symexec.fuzzing.candidates import Candidates, FunctionDomain
from symexec.fuzzing.growing import FunctionInputs, Kind
from symexec.fuzzing.option_table import vocabulary
from symexec.inputs.assumptions import counted_elements, within_bounds
from symexec.inputs.plan import plan
from symexec.inputs.structures import AT_THE_END
from symexec.options import BuildOptions, InputOptions
from symexec.testcases import TestInput, signature_of
from tests.command_line import Done, csgtest, size_in_report, write_versions

LOOPS = (  # all of them read the first n elements of a, and no further
    "for (i = 0; i < n; i++) s += a[i];",
    "for (i = n - 1; i + 1 > 0; i--) s = s * 3 + a[i];",
    "KIND *p = a, *end = a + n; while (p < end) s ^= *p++;",
    "KIND *p = a; for (i = 0; i != n; i++) s -= *p++;",
    "unsigned long left = n; KIND *p = a; while (left > 0) { s += *p++; left--; }",
    "s = memcmp(a, a, n * sizeof *a);",
)


def lengths(old: str, new: str) -> tuple[Precondition, ...]:
    unified = unify(parse_text(old, "old.c"), parse_text(new, "new.c"), "f")
    every = preconditions(unified, definition(unified.units, "f"))
    return tuple(each for each in every if isinstance(each.claim, Length))


@pytest.mark.parametrize("seed", range(12))
def test_every_length_up_to_the_size_is_an_input_and_no_other(seed: int) -> None:
    chance = random.Random(seed)
    kind = chance.choice(("unsigned char", "short", "int", "long", "const char"))
    number = chance.choice(("int", "unsigned", "unsigned long", "short", "unsigned char"))
    before = f"int f({kind} *a, {number} n) {{ int i, s = 0; %s return s; }}"
    old, new = ((before % loop).replace("KIND", kind) for loop in chance.sample(LOOPS, 2))
    unified = unify(parse_text(old, "old.c"), parse_text(new, "new.c"), "f")
    entry = definition(unified.units, "f")
    (each,) = (each for each in preconditions(unified, entry) if isinstance(each.claim, Length))
    text = "n <= bytes of a" if "char" in kind else "n <= elements of a"
    assert (each.text, each.location.file) == (text, "new.c")

    options = InputOptions(preconditions=(each,))
    pins = Pins(entry, [], options, TermTable())
    for size, count in product(range(5), range(8)):
        there = bytes(size) if "char" in kind else (0,) * size
        held = size + ("char" in kind)  # the byte that ends a string is there as well
        test = TestInput(parameters=(("a", there), ("n", count)))
        assert pins.admits(test) is (count <= held), test
        assert Pins(entry, [], InputOptions(), TermTable()).admits(test)
    if not number.startswith("unsigned"):
        assert pins.admits(TestInput(parameters=(("a", there), ("n", -1))))

    domain = FunctionDomain(signature_of(entry), vocabulary(*unified.units), options)
    tried = [dict(test.parameters)["n"] for test in islice(Candidates(domain, seed), 400)]
    assert set(range(5)) <= set(tried) and max(tried) <= 5


INSIDE = ("for (i = 0; i < b->n; i++) s += b->a[i];", "i = b->n; while (i-- > 0) s ^= b->a[i] * 3;")


@pytest.mark.parametrize("seed", range(12))
def test_every_length_up_to_the_end_of_an_array_in_a_structure_is_an_input(seed: int) -> None:
    """So it is where the array has no length of its own; then a test has room for some elements."""
    chance = random.Random(seed)
    kind = chance.choice(("unsigned char", "short", "int", "long", "char"))
    number = chance.choice(("int", "unsigned", "short", "unsigned char"))
    size = chance.choice((1, 3, 6, None, 0))
    length = "" if size is None else str(size)
    members = [f"{number} n;", "long more;"][: chance.randint(1, 2)]
    before = f"struct box {{ {' '.join(members)} {kind} a[{length}]; {'int last;' * bool(size)} }};"
    text = f"{before} int f(struct box *b) {{ int i, s = 0; %s return s; }}"
    first, second = chance.choices(INSIDE, k=2)
    unified = unify(parse_text(text % first, "old.c"), parse_text(text % second, "new.c"), "f")
    entry = definition(unified.units, "f")
    found = preconditions(unified, entry)
    if not any(isinstance(each.claim, Length) for each in found):
        assert "while" in first + second  # this is not certain in both
        return
    options = within_bounds(found, entry.parameters, InputOptions())
    (claim,) = (e.claim for e in options.preconditions if isinstance(e.claim, Length))
    own = AT_THE_END["char" not in kind]
    most = size or own
    assert claim.most(claim.room) == most

    pins = Pins(entry, [], options, TermTable())
    for count in range(most + 3):
        test = TestInput(parameters=(("b", ()), ("b->n", count)))
        assert pins.admits(test) is (count <= most), (count, most)
    domain = FunctionDomain(signature_of(entry), vocabulary(*unified.units), options)
    tried = {dict(test.parameters).get("b->n") for test in islice(Candidates(domain, seed), 600)}
    tried -= {None}
    assert {0, 1, most} <= tried and max(tried) == most


STEPS = {  # loops that read K numbers a time, and leave i (or p) behind the last of them
    "an end": "const KIND *end = p + n / K * K; while (p != end) { s ^= p[K - 1]; p += K; }",
    "counted": "unsigned long m = n / K; const KIND *e = p + m * K; for (; p < e; p += K) s += *p;",
    "of bytes": "const unsigned char *d = (const void *)p, *e = d + (n / K) * (K * sizeof *p);"
    " for (; d != e; d += K * sizeof *p) s ^= *(const KIND *)d; p += n / K * K;",
    "downward": "unsigned long left = n; while (left >= K) { s += p[K - 1]; p += K; left -= K; }",
}
RESTS = (  # the others, or none of them
    "switch (n % K) { case 1: s += p[0]; }",
    "for (unsigned long j = 0; j < n % K; j++) s ^= p[j];",
    "",
)


@pytest.mark.parametrize("seed", range(16))
def test_numbers_that_are_read_several_at_a_time(seed: int) -> None:
    """No length is excluded that reads no more than there is; where the rest is read as well, none
    is an input that reads more."""
    chance = random.Random(seed)
    kind, by = chance.choice(("unsigned char", "int", "short")), chance.choice((2, 4, 8))
    number, rest = chance.choice(("unsigned", "unsigned long", "int")), chance.choice(RESTS)
    names = chance.sample(sorted(STEPS), 2)
    text = f"int f(const {kind} *p, {number} n) {{ int s = 0; LOOP {rest} return s; }}"
    texts = (text.replace("LOOP", STEPS[each]).replace("KIND", kind) for each in names)
    old, new = (re.sub(r"\bK\b", str(by), each) for each in texts)
    found = lengths(old, new)
    size = {"unsigned char": 1, "int": 4, "short": 2}[kind]
    if not rest and "downward" in names:  # that one loop asks for no rest is no reason
        assert len(found) <= 1
    else:
        assert len(found) == 1, (old, new)
    for each in found:
        assert isinstance(each.claim, Length)
        for there in range(40):
            read = [n for n in range(60) if (n if rest else n // by * by) * size <= there]
            most = each.claim.most(there)
            assert max(read) <= most, (old, each.text, there)
            assert not rest or max(read) == most, (old, each.text, there)


SOUGHT = (  # conditions under which m bytes at s + i lie within n
    "i <= n - m", "i + m <= n", "n - m >= i", "i < n - m", "n > m + i", "i < n - m + 1",
    "i < n && n - m >= i", "n >= i + m",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_the_text_that_another_one_is_looked_for_in(seed: int) -> None:
    """So many bytes are read of it as its own number says, and not as that of the other one."""
    chance = random.Random(seed)
    number = chance.choice(("int", "long", "unsigned", "size_t"))
    text = (
        "#include <string.h>\nint f(const char *s, NUMBER n, const unsigned char *t, NUMBER m)"
        "{ NUMBER i = 0; LOOP return -1; }"
    ).replace("NUMBER", number)
    loops = (
        "for (i = 0; HOLDS; i++) if (!memcmp(s + i, t, m)) return i;",
        "while (HOLDS) { if (memcmp(&s[i], t, m) == 0) return i; i++; }",
    )
    chosen = [chance.choice(SOUGHT) for _ in range(2)]
    versions = [
        text.replace("LOOP", chance.choice(loops)).replace("HOLDS", holds) for holds in chosen
    ]
    unified = unify(*(parse_text(each) for each in versions), "f")
    every = preconditions(unified, definition(unified.units, "f"))
    found = {e.claim.pointer: e.claim for e in every if isinstance(e.claim, Length)}
    assert (found["s"].number, found["s"].unit, found["s"].less) == ("n", 1, 0), chosen
    assert (found["t"].number, found["t"].unit, found["t"].less) == ("m", 1, 0), chosen


TWINS = (  # what a static function f(a, n) may do with its parameters
    *(f"int i, s = 0; {loop.replace('KIND', 'int')} return s;" for loop in LOOPS),
    "return a ? *a + n : n;",
    "return n > 7 ? a[7] : a[0];",
    "assert(n > 2); return a[n];",
    "return n == 3 ? -1 : 1;",
)


@pytest.mark.parametrize("seed", range(8))
def test_a_static_function_of_another_file_says_nothing(seed: int, tmp_path: Path) -> None:
    """Though it has the same name, and whichever file differs."""
    chance = random.Random(seed)
    own, other = chance.sample(TWINS, 2)
    text = "#include <assert.h>\n#include <string.h>\nstatic int f(int *a, int n) {{ {} }}\n"
    files = {"a.c": text.format(own) + "int g(int *a, int n) { return f(a, n); }\n"}

    def found() -> set[str]:
        for version in ("old", "new"):
            (tmp_path / version).mkdir(exist_ok=True)
            for name, content in files.items():
                (tmp_path / version / name).write_text(content)
        (tmp_path / "new" / "a.c").write_text(files["a.c"] + "int more;\n")
        unified = unify_pair(read_pair(Versions(tmp_path / "old", tmp_path / "new").pairs()))
        return {each.text for each in preconditions(unified, definition(unified.units, "f"))}

    alone = found()
    files["b.c"] = text.format(other) + "int h(int *a) { return f(a, 4); }\n"
    files["c.c"] = text.format(chance.choice(TWINS)) + "int k(int *a) { return f(a, 0); }\n"
    assert found() == alone


def test_one_version_alone_says_nothing() -> None:
    """What a change may have made is no precondition."""
    loop = "int f(int *a, int n) { int i, s = 0; for (i = 0; i < n; i++) s += a[i]; return s; }"
    fixed = loop.replace("for", "if (n > 8) return -1; for")
    other = "int f(int *a, int n) { return n; }"
    assert lengths(loop, loop.replace("+=", "-="))
    for old, new in product((loop, fixed, other), repeat=2):
        if not old == new == loop:
            assert lengths(old, new) == ()


FORWARDS = "for (i = 0; i < len; i++) if (buf[i] == 'x') { at = i; break; }"
BACKWARDS = "for (i = len; i-- > 0;) if (buf[i] == 'x') at = i;"
BLOCKS = """
    const KIND *p = buf, *end = buf + len;
    while (p < end) { if (*p == 'x' && at == len) at = p - buf; p++; }
"""
PROGRAM = """
#include <stddef.h>
long f(const KIND *buf, size_t len)
{
    size_t i, at = len;
    SEARCH
    return at;
}
"""


def run(folder: Path, kind: str, old: str, new: str, *words: str) -> Done:
    for name, search in (("old.c", old), ("new.c", new)):
        text = PROGRAM.replace("SEARCH", search).replace("KIND", kind)
        (folder / name).write_text(text)
    asked = ("build", "old.c", "new.c", "--entry", "f", "--time", "20", *words)
    return csgtest(*asked, folder=folder)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [("unsigned char", FORWARDS, BACKWARDS), ("int", FORWARDS, BLOCKS)],
)
def test_lengths_that_no_caller_may_pass(tmp_path: Path, kind: str, old: str, new: str) -> None:
    """One version stops at the first x, the other one reads all that it may. Native testing tries
    lengths for all of its time."""
    done = run(tmp_path, kind, old, new, "--time", "2")
    assert (done.code, done.differing) == (0, []), done.out
    each, *others = done.report["preconditions"]
    assert [other["text"] for other in others] == ["buf is not null"]  # of characters too
    assert each["text"] == f"len <= {'bytes' if 'char' in kind else 'elements'} of buf"
    assert f"expected of callers:\n    {each['text']} (new.c:" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines() if "new.c:" in line)
    without = run(tmp_path, kind, old, new, "--no-preconditions", "--stop-after", "1")
    assert without.code == 1 and "preconditions" in without.report
    assert not without.report["preconditions"] and "expected of callers" not in without.out


@pytest.mark.parametrize("length", [0, 3, 4])
def test_differences_at_any_length_that_is_there(tmp_path: Path, length: int) -> None:
    broken = FORWARDS + f" if (len == {length}) return 77;"
    done = run(tmp_path, "int", FORWARDS, broken, "--no-native")
    assert done.code == 1 and len(done.report["preconditions"]) == 2
    assert {each["input"]["parameters"]["len"] for each in done.differing} == {length}


def test_reading_one_element_too_many_is_found(tmp_path: Path) -> None:
    """The length may be all that there is, so what lies behind it is not there."""
    done = run(tmp_path, "unsigned char", FORWARDS, FORWARDS.replace("i < len", "i <= len"))
    assert len(done.report["preconditions"]) == 2
    assert "regression" in {each["class"] for each in done.report["groups"]}


def test_a_length_that_guards_what_is_compared_is_that_of_the_buffer(tmp_path: Path) -> None:
    text = "#include <string.h>\nint k(const char *buf, int len)\n{ return GUARD ? 7 : 0; }"
    short, long = 'len > 2 && memcmp(buf, "abc", 3) == 0', 'len > 4 && memcmp(buf, "abcde", 5) == 0'
    write_versions(tmp_path, text.replace("GUARD", short), text.replace("GUARD", long))
    done = csgtest("build", "old.c", "new.c", "--entry", "k", "--time", "10", folder=tmp_path)
    assert "len <= bytes of buf" in {each["text"] for each in done.report["preconditions"]}
    assert {each["class"] for each in done.report["groups"]} == {"difference"}, done.out
    for each in done.differing:
        given = each["input"]["parameters"]
        buf, room = given["buf"], len(given["buf"])
        if isinstance(buf, str):
            buf, room = [*buf.encode()], room + 1
        assert buf[:3] == [*b"abc"] and 2 < given["len"] <= room


HEADER = """
enum colour { RED, GREEN, BLUE }; enum flag { A = 1, B = 2, C = 4 };
struct point { int x, y; };
void __csgtest_assert_fail(const char *, const char *, unsigned, const char *)
    __attribute__((noreturn));
#define assert(e) ((e) ? (void)0 : __csgtest_assert_fail(#e, "", 0, ""))
int other(int);
"""
ROWS = [  # (parameters, what both versions begin with, what is expected)
    ("int *p", "s = *p;", {"p is not null": "it is used before anything is asked"}),
    ("int *p", "s = p[1]; if (p) s++;", {"p is not null": "it is used before anything is asked"}),
    ("struct point *p", "if (p->x && p) s = 1;", {"p is not null": "it is used before"}),
    ("int *p", "s = other(3);", {"p is not null": "neither version asks whether it is"}),
    ("int *p", "if (other(1) && *p) s = 1; if (!p) s = 2;", {}),  # it may not come to *p
    ("int *p", "if (p) s = *p;", {}),
    ("struct point *p", "int *q = &p->y; if (p) s = *q;", {}),  # nothing is read there
    ("int *p", "s = sizeof *p; if (p) s++;", {}),
    ("int *p, int n", "assert(p && n > 2); if (p) s++;", {"p is not null": "", "n > 2": ""}),
    ("int n, int m", "assert(n < m * 2); assert(n != 7);", {"n < m * 2": "", "n != 7": ""}),
    ("int n", "s = n; assert(n < 3);", {}),
    ("int n", "assert(other(n) < 3);", {}),
    ("struct point *p", "assert(p->x < 3);", {"p->x < 3": "", "p is not null": ""}),
    ("enum colour c", "if (c == RED) s = 1;", {"c is RED, GREEN, BLUE": "of its type"}),
    ("enum colour c", "switch (c) { case RED: s = 1; break; default: s = 2; }", {"c is RED": ""}),
    (
        "enum colour c",
        "switch (c) { case RED: case GREEN: case BLUE: s = 1; break; default: s = 2; }",
        {},
    ),
    ("enum colour c", "if (c > BLUE) s = 1;", {}),
    ("enum colour c", "s = c + 1;", {}),
    ("enum flag c", "if (c == A) s = 1;", {}),
]


@pytest.mark.parametrize(("parameters", "body", "expected"), ROWS, ids=[row[1] for row in ROWS])
def test_what_is_expected(parameters: str, body: str, expected: dict[str, str]) -> None:
    text = HEADER + f"int f({parameters}) {{ int s = 0; {body} return s + KEPT; }}"
    told = {each.text: each.reason for each in expectations(text.replace("KEPT", "1"), text)}
    assert len(told) == len(expected), told
    for claim, why in expected.items():
        assert [reason for text, reason in told.items() if text.startswith(claim) and why in reason]


def expectations(old: str, new: str) -> tuple[Precondition, ...]:
    """Without those of pointers to one number, which have rows of their own in test_several.py, and
    of texts."""
    found = expected_of_callers(old, new)
    return tuple(each for each in found if not isinstance(each.claim, Single | Terminated))


def expected_of_callers(old: str, new: str) -> tuple[Precondition, ...]:
    with tempfile.TemporaryDirectory() as folder:
        files = write_versions(Path(folder), old, new.replace("KEPT", "2"))
        options = BuildOptions(*files, inputs=InputOptions(entry="f"), replay=False)
        return analysed(lower(read_versions(options), options), options).expected or ()


def test_what_one_version_says_is_not_expected() -> None:
    """Null, values beyond an enumeration, and what one version asserts are inputs still."""
    asserted = "int f(int *p, int n) { assert(p && n < 4); return n; }"
    careful = "int f(int *p, int n) { if (!p || n >= 4) return -1; return n; }"
    rude = "int f(int *p, int n) { return n + *p; }"
    for old, new in ((asserted, careful), (careful, asserted), (rude, careful), (careful, rude)):
        assert expectations(HEADER + old, HEADER + new) == ()
    both = {each.text for each in expectations(HEADER + asserted, HEADER + asserted + "int x;")}
    assert both == {"p is not null", "n < 4"}
    by_order = "int f(enum colour c) { return c > BLUE ? -1 : c == RED; }"
    plain = "int f(enum colour c) { return c == RED; }"
    assert expectations(HEADER + by_order, HEADER + plain) == ()


def test_attributes_of_both_versions_count() -> None:
    said = "int f(char *p, char *q, int b) __attribute__((nonnull(2), access(read_only, 2, 3)));"
    text = "int f(char *p, char *q, int b) { if (!p || !q || b > 9) return KEPT; return 1; }"
    told = {each.text for each in expectations(said + text.replace("KEPT", "1"), said + text)}
    assert told == {"b <= bytes of q", "q is not null"}
    assert expectations(text.replace("KEPT", "1"), said + text) == ()


def test_enumerators_and_assertions_hold_of_all_inputs(tmp_path: Path) -> None:
    program = """
        #include <assert.h>
        enum colour { RED, GREEN, BLUE };
        int f(enum colour c, int n)
        {
            assert(n > 2 && n < 40);
            return c == RED ? n : c == GREEN ? 1000 / (40 - n) : LAST;
        }
    """
    for name, last in (("old.c", "100 / n"), ("new.c", "c == BLUE ? 100 / n : 77")):
        (tmp_path / name).write_text(program.replace("LAST", last))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "8", folder=tmp_path)
    assert (done.code, done.differing) == (0, []), done.out
    told = [each["text"] for each in done.report["preconditions"]]
    assert told == ["c is RED, GREEN, BLUE", "n > 2", "n < 40"]
    words = ("--entry", "f", "--time", "8", "--no-preconditions")
    assert csgtest("build", "old.c", "new.c", *words, folder=tmp_path).code == 1
    for name, last in (("old.c", "100 / n"), ("new.c", "n == 39 ? 5 : 100 / n")):
        (tmp_path / name).write_text(program.replace("LAST", last))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "8", folder=tmp_path)
    assert {each["input"]["parameters"]["n"] for each in done.differing} == {39}


def test_a_new_test_for_null_is_tried_with_null(tmp_path: Path) -> None:
    text = "int f(int *p) { TEST return *p; }"
    write_versions(tmp_path, text.replace("TEST", ""), text.replace("TEST", "if (!p) return -1;"))
    for old, new, kind in (("old.c", "new.c", "fix"), ("new.c", "old.c", "regression")):
        words = ("--entry", "f", "--time", "5", "--no-native")
        done = csgtest("build", old, new, *words, folder=tmp_path)
        assert [each["class"] for each in done.report["groups"]] == [kind]
        assert done.differing[0]["input"]["parameters"]["p"] is None


CALLERS = [  # (parameters, calls of both versions, what is expected)
    ("int n", ("f(3); f(-1)", "f(3)"), {"n is -1, 3"}),
    ("int n", ("f(3)", "f(4)"), {"n is 3, 4"}),
    ("int n", ("f(3)", "f(x)"), set()),
    ("int n", ("f(3)", "x = 0"), set()),  # nothing is known of callers
    ("unsigned char n", ("f(300)", "f(3)"), set()),  # another value arrives
    ("int n", ("f(3)", "f(3); keep = f"), set()),  # whoever has its address calls it
    ("int *p", ("f(&x)", "f(table)"), {"p is not null"}),
    ("int *p", ("f(&x)", "f(0)"), set()),
    (
        "int *p, int b",
        ("f(table, sizeof table)",) * 2,
        {"b is 36", "b <= bytes of p", "p is not null"},
    ),
    ("int *p, int b", ("f(&x, sizeof table)", "f(&x, x)"), {"p is not null"}),
]


@pytest.mark.parametrize(("parameters", "calls", "expected"), CALLERS)
def test_what_all_callers_pass(parameters: str, calls: tuple[str, str], expected: set[str]) -> None:
    asks = "!p" if "p" in parameters else "n & 1"
    old, new = (
        f"int f({parameters}); void *keep; int table[9]; int g(int x) {{ {call}; return x; }}"
        f"int f({parameters}) {{ return {asks} ? KEPT : 1; }}"
        for call in calls
    )
    main = "int main(void) { return g(1); }"
    elsewhere = "int other(int); int main(void) { return other(g(1)); }"
    for text, more in (("static int f", ""), ("int f", ""), ("int f", main), ("int f", elsewhere)):
        made = [each.replace("int f", text) + more for each in (old, new)]
        told = {each.text for each in expectations(made[0].replace("KEPT", "3"), made[1])}
        assert told == (expected if text != "int f" or more == main else set()), (text, more)


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("p, strlen(p)", {"n <= bytes of p"}),
        ("q, strlen(p)", set()),
        ("p++, strlen(p)", set()),
        ("&b->at, 3", {"n is 3", "p is not null"}),
        ("&q[n], n", {"p is not null"}),
    ],
)
def test_what_a_call_says_of_its_arguments(argument: str, expected: set[str]) -> None:
    text = (
        "#include <string.h>\nstruct b { char at; }; "
        "static int f(const char *p, int n) { return p ? n + KEPT : 1; }"
        f"int g(const char *p, const char *q, struct b *b, int n) {{ return f({argument}); }}"
    )
    told = {each.text for each in expectations(text.replace("KEPT", "1"), text)}
    assert told == expected


FILES = {
    "use.c": '#include "f.h"\nint use(void) { return f(2) + f(3); }',
    "f.h": "int f(int n);\nint use(void);\n",
    "f.c": '#include "f.h"\nint f(int n) { return n > 5 ? KEPT : n; }',
    "main.c": '#include "f.h"\nint main(void) { return use() + f(4); }',
}


@pytest.mark.parametrize("program", [True, False])
def test_callers_in_other_files_count_where_there_are_no_others(
    program: bool, tmp_path: Path
) -> None:
    """A program is all that there is; of a library what its own calls say is told."""
    for version, value in (("old", "1"), ("new", "2")):
        (tmp_path / version).mkdir()
        for name, text in FILES.items():
            if name != "main.c" or program:
                (tmp_path / version / name).write_text(text.replace("KEPT", value))
    done = csgtest("build", "old", "new", "--entry", "f", "--time", "5", folder=tmp_path)
    told = {each["text"] for each in done.report["preconditions"]}
    if program:
        assert done.code == 0 and told == {"n is 2, 3, 4"}, done
        words = ("--entry", "f", "--range", "n=0..9", "--time", "5")
        described = csgtest("build", "old", "new", *words, folder=tmp_path)
        assert described.code == 1 and not described.report["preconditions"]
    else:
        assert done.code == 1 and not told
        assert "not expected, for others may call 'f': n is 2, 3 (" in done.out


@pytest.mark.parametrize("asks", ["if (len < 20) return -1;", "assert(len >= 20);"])
def test_a_length_that_the_code_asks_for_is_there(tmp_path: Path, asks: str) -> None:
    """What lies behind a test of a length is for buffers that are long enough."""
    program = """
        #include <assert.h>
        int f(const unsigned char *buf, unsigned len)
        {
            ASKS
            return buf[0] == KEPT ? buf[len - 1] : 4;
        }
    """.replace("ASKS", asks)
    write_versions(tmp_path, program.replace("KEPT", "1"), program.replace("KEPT", "2"))
    words = ("--entry", "f", "--time", "8", "--no-native")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.code == 1
    assert "len <= bytes of buf" in {each["text"] for each in done.report["preconditions"]}
    assert all(each["input"]["parameters"]["len"] >= 20 for each in done.differing)


def test_where_arrays_cannot_be_long_enough_nothing_is_hidden(tmp_path: Path) -> None:
    text = "int f(const unsigned char *b, int n) { if (n < 5000) return b[n - 1]; return KEPT; }"
    write_versions(tmp_path, text.replace("KEPT", "1"), text.replace("KEPT", "2"))
    words = ("--entry", "f", "--time", "8", "--no-native")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.code == 1 and "bytes of" not in done.out


def test_a_number_that_one_branch_alone_counts_by_hides_nothing(tmp_path: Path) -> None:
    """A caller who does not ask for the sum may pass any number."""
    program = """
        int f(int code, const int *a, int n)
        {
            int i, s = 0;
            if (code != 7)
                return n / 1000 * KEPT;
            for (i = 0; i < n; i++)
                s += a[i];
            return s;
        }
    """
    write_versions(tmp_path, program.replace("KEPT", "1"), program.replace("KEPT", "2"))
    words = ("--entry", "f", "--time", "8", "--no-native")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.code == 1 and "elements of" not in done.out
    assert all(abs(each["input"]["parameters"]["n"]) >= 1000 for each in done.differing)


def test_writing_to_one_element_more_than_there_has_to_be_is_found(tmp_path: Path) -> None:
    """n - 1 differences of n numbers: a caller has room for no more."""
    program = """
        void f(const int *a, int n, int *d)
        {
            int i;
            for (i = 0; i < n - 1; i++)
                d[i] = a[i + 1] - a[i];
            ADDED
        }
    """
    for name, added in (("old.c", ""), ("new.c", "if (n > 0) d[n - 1] = 0;")):
        (tmp_path / name).write_text(program.replace("ADDED", added))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "8", folder=tmp_path)
    told = {each["text"] for each in done.report["preconditions"]}
    assert {"n <= elements of a", "n - 1 <= elements of d"} <= told
    assert "regression" in {each["class"] for each in done.report["groups"]}, done.out


def test_what_is_expected_for_two_reasons_is_told_once() -> None:
    text = "static int f(int *p) { assert(p); if (p) return *p + KEPT; return 0; }"
    text += "int x; int g(void) { return f(&x); }"
    old, new = (HEADER + text.replace("KEPT", each) for each in "12")
    (each,) = expectations(old, new)
    assert (each.text, each.reason) == ("p is not null", "it is asserted before anything else")


@pytest.mark.parametrize(
    ("asserted", "calls", "told"),
    [
        ("n > 0u", "if (n > 0) return f(n);", ["n > 0u"]),
        ("0 != n", "if (n > 0) return f(n);", ["0 != n"]),
        ("n > 0", "if (n > 2) return f(n);", ["n > 0", "n >= 3"]),
        ("n < 9", "return f(n & 7);", ["n < 9", "n <= 7"]),
        ("n < 8", "return f(n & 7);", ["n < 8"]),
    ],
)
def test_a_bound_that_is_asserted_is_told_once(asserted: str, calls: str, told: list[str]) -> None:
    text = f"static int f(unsigned n) {{ assert({asserted}); return n + KEPT; }}"
    text += f"int g(unsigned n) {{ {calls} return 0; }}"
    found = expectations(*(HEADER + text.replace("KEPT", each) for each in "12"))
    assert [each.text for each in found] == told


def test_what_leads_to_one_number_has_one(tmp_path: Path) -> None:
    """Neither none, which would be read or written behind its end, nor several."""
    text = "int f(const char *s, int *err, int *all) { *err = *s; return all[1] + KEPT; }"
    found = expected_of_callers(text.replace("KEPT", "1"), text.replace("KEPT", "*s"))
    assert [each.text for each in found if isinstance(each.claim, Single)] == [
        "err leads to one int"
    ]
    unit = parse_text(text.replace("KEPT", "0"))
    entry, options = definition([unit], "f"), InputOptions(preconditions=found)
    domain = FunctionDomain(signature_of(entry), vocabulary(unit), options)
    for test in islice(Candidates(domain, 1), 200):
        values = dict(test.parameters)
        assert (len(values["err"]), len(values["all"])) == (1, options.elements)
    fields = {each.prefix: each for each in FunctionInputs(domain, options).fields}
    one, several = fields[b"p err i "], fields[b"p all i "]
    assert (one.kind, one.most, one.step) == (Kind.NUMBER, 1, 4)
    assert several.kind is Kind.ELEMENTS and several.most > 1
    (start,) = plan(entry, [], options).starts(TermTable())
    assert {each.name: each.size for each in start.objects} == {"s": 5, "err": 4, "all": 16}
    pins = Pins(entry, [], options, TermTable())
    for given in ((), (1,), (1, 2)):
        test = TestInput(parameters=(("s", b"a"), ("err", given), ("all", (1, 2, 3, 4))))
        assert pins.admits(test) is (len(given) == 1)


def test_who_speaks_of_further_elements_means_an_array(tmp_path: Path) -> None:
    write_versions(tmp_path, "int f(int *p) { return *p > 5; }", "int f(int *p) { return *p > 6; }")
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "5", "--stop-after", "1")
    alone = csgtest(*words, folder=tmp_path)
    assert alone.code == 1 and "p leads to one int" in alone.out
    done = csgtest(*words, "--assume", "p[1] > p[0]", folder=tmp_path)
    assert done.code == 1 and "p leads to one int" not in done.out, done


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("const char *s, void *p, int *a, wchar_t *w", ["s", "p"]),
        ("unsigned char *buf, int n", ["buf"]),
        ("struct list *l", ["l->name"]),
        ("struct list *l, const char *name", ["l->name", "name"]),
        ("int n", []),
    ],
)
def test_that_texts_end_is_told(parameters: str, expected: list[str]) -> None:
    members = "char *name, tag[8], one[1]; int *n; struct list *next;"
    head = f"typedef int wchar_t; struct list {{ {members} }};"
    text = f"{head} int f({parameters}) {{ return KEPT; }}"
    found = expected_of_callers(text.replace("KEPT", "1"), text)
    told = [each.text for each in found if isinstance(each.claim, Terminated)]
    assert [each.removesuffix(" ends with a 0 byte") for each in told] == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("_Bool *on, _Bool b, int *n", ["*on"]),
        ("struct flags *f, struct flags *g", ["f->on", "f->several"]),
        ("struct flags f", ["f.on", "f.several"]),
    ],
)
def test_that_a_bool_is_0_or_1_is_told(parameters: str, expected: list[str]) -> None:
    text = "struct flags { _Bool on, several[3], bit : 1; char c; };"
    text += f"int f({parameters}) {{ return KEPT; }}"
    found = expected_of_callers(text.replace("KEPT", "1"), text)
    told = [each.text for each in found if isinstance(each.claim, TruthValue)]
    assert told == [f"{each} is 0 or 1" for each in expected]


def test_null_is_tried_where_a_loop_asks_for_it(tmp_path: Path) -> None:
    text = """
        struct list { int n; struct list *next; };
        static int sum(const struct list *l) { int s = 0; LOOP return s; }
        int f(struct list *head) { const struct list *cur = head; return sum(cur); }
    """
    loops = (
        "for (; l; l = l->next) s += l->n;",
        "do { s += l->n; l = l->next; } while (l);",
    )
    write_versions(tmp_path, *(text.replace("LOOP", each) for each in loops))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "10", folder=tmp_path)
    assert [each["input"]["parameters"] for each in done.differing] == [{"head": None}], done.out
    assert done.report["preconditions"] == []


WITHIN = """
#include <stddef.h>
static const char *skip(const char *p, const char *stop)
{ while (p != stop && *p == ' ') p++; return p; }
int f(const char *s, const char *e)
{ int n = 0; s = skip(s, e); while (s LIMIT e) if (*s++ == LETTER) n++; return n; }
"""


@pytest.mark.parametrize(
    ("limits", "letters", "classes"),
    [
        (("<", "!="), ("'x'", "'x'"), set()),
        (("<", "<"), ("'x'", "'y'"), {"difference"}),
        (("<", "<="), ("'x'", "'x'"), {"difference", "regression"}),
    ],
)
def test_pointers_into_one_object(
    tmp_path: Path, limits: tuple[str, str], letters: tuple[str, str], classes: set[str]
) -> None:
    """Every end is tried up to one past the last element, and none elsewhere; without
    preconditions both are objects of their own."""
    texts = [
        WITHIN.replace("LIMIT", limit).replace("LETTER", letter)
        for limit, letter in zip(limits, letters, strict=True)
    ]
    write_versions(tmp_path, *texts)
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "10")
    done = csgtest(*words, folder=tmp_path)
    assert {each["class"] for each in done.report["groups"]} == classes, done.out
    within, *_ = done.report["preconditions"]
    assert within["text"] == "e leads into what s leads to, or to its end"
    assert (within["file"], within["line"]) == ("new.c", 6)
    for each in done.differing:
        given = each["input"]["parameters"]
        assert given["e_offset"] <= size_in_report(given["s"]) + 1
    without = csgtest(*words, "--no-preconditions", "--stop-after", "1", folder=tmp_path)
    assert without.report["preconditions"] == []
    named = {name for each in without.differing for name in each["input"]["parameters"]}
    assert named <= {"s", "e"}


GUARDED = """
#include <string.h>
static int f(const char *p, int n, int m)
{
    return p[n - 1] + 60 / n + (m > 200 ? LAST : m);
}
int main(int argc, char **argv)
{
    char line[16] = "some text";
    int n = argc > 1 ? strlen(argv[1]) : 0;
    if (n > 0 && n < (int) sizeof line)
        return f(line, n, (unsigned char) argv[1][0]);
    if (n < 20)
        return 2;
    return f(line, sizeof line, MORE);
}
"""


def test_guards_of_all_callers_are_guarantees(tmp_path: Path) -> None:
    """No input is tried that no caller passes, and the ends of the range are."""
    text = GUARDED.replace("MORE", "argc & 63")
    write_versions(tmp_path, text.replace("LAST", "1"), text.replace("LAST", "n > 15"))
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "10")
    done = csgtest(*words, folder=tmp_path)
    told = {each["text"] for each in done.report["preconditions"]}
    assert {"1 <= n <= 16", "0 <= m <= 255", "n <= bytes of p"} <= told, done.out
    given = [each["input"]["parameters"] for each in done.differing]
    assert given and {each["class"] for each in done.report["groups"]} == {"difference"}
    assert all(1 <= each["n"] <= 15 and 200 < each["m"] < 256 for each in given)

    free = GUARDED.replace("MORE", "argc")  # one call that may pass any m
    write_versions(tmp_path, free.replace("LAST", "1"), free.replace("LAST", "m - 255"))
    done = csgtest(*words, folder=tmp_path)
    told = {each["text"] for each in done.report["preconditions"]}
    assert "1 <= n <= 16" in told and not any(" m " in f" {each} " for each in told)


def test_what_all_callers_pass_may_be_a_text() -> None:
    """So a 0 stands behind it, also where a number counts its characters."""

    def given(*claims: Length) -> list[Precondition]:
        return [Precondition(each, "", "", Location("a.c", 1)) for each in claims]

    counted, passed = Length("s", "n", 1), Length("s", "n", 1, passed=True)
    assert counted_elements(given(counted, Length("t", "m", 1))) == {"s", "t"}
    assert counted_elements(given(passed)) == frozenset()
    assert counted_elements(given(counted, passed)) == frozenset()
