"""What a function leaves behind is all that outlives its call: generated functions write what they
compute to many places, and two versions that differ in what one of these receives differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.exploration.preparation import lower, read_versions
from symexec.options import BuildOptions, Globals, InputOptions, SearchOptions
from symexec.testcases import DifferenceKind, Observed
from tests.command_line import write_versions
from tests.jobs import finished
from tests.nightly import every

SAME, OTHER, OPEN = "equivalent-within-bounds", "different", "no-difference-found"

HEAD = """
struct inner { char a; int b; };
struct outer { int v; struct inner in; unsigned low : 3, high : 5; int row[3]; };
struct node { int v; struct node *next; };
typedef struct { int x; short y; } point;
int total;
static int hidden;
static struct outer state;
int table[4];
double ratio;
_Bool flag;
const char *label;
int *where;
struct node *head;
static struct node first;
static point corner;
static int one(int x) { return x; }
static int two(int x) { return -x; }
int (*handler)(int) = one;
static int counted(int x) { static long calls; calls = VALUE_counted; return x; }
"""
# A place, what is written there, and the same in other words.
PLACES = {
    "total": ("total = {};", "x + 1"),
    "hidden": ("hidden = {};", "x * 2"),
    "member": ("state.v = {};", "x ^ 3"),
    "nested": ("state.in.b = {};", "x + 4"),
    "narrow": ("state.in.a = {};", "(char) x"),
    "bits": ("state.high = {};", "x & 31"),
    "row": ("state.row[1] = {};", "x - 7"),
    "element": ("table[2] = {};", "x | 1"),
    "anywhere": ("table[x & 3] += {};", "x & 15"),
    "real": ("ratio = {};", "x * 0.5"),
    "truth": ("flag = {};", "x > 9"),
    "text": ("label = {};", '"abc"'),
    "pointer": ("where = {};", "&table[1]"),
    "function": ("handler = {};", "one"),
    "list": ("head = &first; first.v = {};", "x + 11"),
    "own": ("static int n; n = {};", "x + 12"),
    "record": ("corner.y = {};", "(short) (x + 13)"),
    "given": ("to->in.b = {};", "x + 14"),
    "array": ("out[1] = {};", "x + 15"),
    "counted": ("counted(x);", "x + 16"),
}
# What no caller can look at: a later call alone may.
HIDDEN = {"hidden", "member", "nested", "narrow", "bits", "row", "own", "counted"}
EDITS = {
    "text": '"abd"',
    "pointer": "&table[2]",
    "function": "two",
    "real": "x * 0.25",
    "truth": "x < 9",
    "bits": "x & 30",
    "narrow": "(char) (x + 1)",
}


def _program(differs: str = "", reworded: bool = False) -> str:
    """A function that writes to all places; one receives something else at one input."""
    head, lines = HEAD, []
    for name, (statement, known) in PLACES.items():
        value = known
        if name == differs:
            value = f"x == 5 ? {EDITS.get(name, f'({known}) + 1')} : {known}"
        elif reworded and name not in EDITS:
            value = f"(0 ? 0 : ({known}))"
        head = head.replace(f"VALUE_{name}", value)
        lines.append("    " + statement.replace("{}", value))
    declarations = [line for line in lines if "static" in line]
    rest = [line for line in lines if "static" not in line]
    body = "\n".join([*declarations, *rest])
    signature = "point f(int x, struct outer *to, int out[4])"
    return f"{head}\n{signature}\n{{\n{body}\n    return corner;\n}}\n"


def _job(
    old: str, new: str, folder: Path, entry: str = "f", kind: Globals = Globals.ANY
) -> BuildJob:
    files = write_versions(folder, old, new)
    inputs = InputOptions(entry, globals=kind)
    search = SearchOptions(time=30)
    options = BuildOptions(*files, inputs=inputs, search=search, unsandboxed=True)
    return finished(BuildJob(options))


@pytest.mark.parametrize("place", every(6, PLACES))
def test_a_difference_in_one_place_is_found_and_replayed(place: str, tmp_path: Path) -> None:
    job = _job(_program(), _program(place), tmp_path)
    assert job.verdict == (OPEN if place in HIDDEN else OTHER)
    assert job.mispredicted == []
    if place in HIDDEN:
        seen = {each.kind for each in job.found if each.observed is Observed.DIFFERENT}
        assert seen == {DifferenceKind.INTERNAL_STATE} and job.counters.ledger.events()


def test_versions_that_leave_the_same_everywhere_are_equivalent(tmp_path: Path) -> None:
    job = _job(_program(), _program(reworded=True), tmp_path)
    assert (job.verdict, job.mispredicted) == (OPEN, [])
    kept = "begins with its initial value; earlier calls may leave another one"
    assert all(each.text.endswith(kept) for each in job.counters.ledger.events())


def test_what_setjmp_fills_is_not_compared(tmp_path: Path) -> None:
    """It holds addresses that are other numbers in each process."""
    head = "#include <setjmp.h>\nstatic jmp_buf back; int f(int x) { return setjmp(back) ? 0 : "
    job = _job(f"{head}x > 7 ? x - 1 : x - 2; }}", f"{head}x - 2 + (x > 7); }}", tmp_path)
    assert job.verdict == OPEN and job.mispredicted == []
    assert not any(each.observed is Observed.DIFFERENT for each in job.found)


ROWS = [
    # What a caller may have set is an input; what only the call itself sets is not.
    ("int mode; int f(int x) { return x; }", "return x", "return x + (mode == 12345)", OTHER),
    ("static int mode; int f(int x) { return x; }", "return x", "return x + (mode == 12345)", SAME),
    (
        "static int mode; void set(int m) { mode = m; } int f(int x) { return x; }",
        "return x",
        "return x + (mode == 12345)",
        OPEN,  # until calls show it
    ),
    # What the call itself sets decides whether the next one comes to the change.
    (
        "static int was; int f(int x) { if (was) return x == 12345; was = 1; while (x & 7) x--;"
        " return 0; }",
        "== 12345",
        "== 12346",
        OPEN,
    ),
    *(
        (
            "char *strncpy(char *, const char *, unsigned long);"
            "void *memcpy(void *, const void *, unsigned long);"
            "static char key[8];"
            f"int f(int x) {{ if (key[0]) return x == 12345; {store} while (x & 7) x--;"
            " return 0; }",
            "== 12345",
            "== 12346",
            OPEN,
        )
        for store in (
            "key[0] = x;",
            "*(int *) key = x;",
            "memcpy(key, &x, sizeof x);",
            'strncpy(key, "a", sizeof key);',
            'strncpy(key, "" + 0, sizeof key - 1); key[0]++;',
        )
    ),
    ("const int k = 3; int f(int x) { return x; }", "return x", "return x + (k == 12345)", SAME),
    ("int mode = 3; int f(void) { return mode; }", "= 3", "= 4", OTHER),
    # Where the result lies counts, and what is there.
    ("static int a[] = {1, 1, 2}; int *f(void) { return a; }", "return a", "return a + 1", OTHER),
    ("static int a[] = {1, 1, 2}; int *f(void) { return a; }", "return a", "return a + 2", OTHER),
    # A text that both have freed is no text, and nobody reads what b holds at the start.
    (
        "void *malloc(unsigned long); void free(void *); static char *b;"
        "int f(unsigned char n) { b = malloc(n % 4 + 2); free(b); return n; }",
        "+ 2",
        "+ 3",
        SAME,
    ),
    # A part that cannot be told natively is no proof.
    (
        "static union { int whole; char parts[8]; } u; void f(int x) { u.whole = x; }",
        "= x",
        "= x + 1",
        OPEN,
    ),
    # A caller who gets the address can look at it.
    ("static int n; int *f(int x) { n = x; return &n; }", "= x", "= x + 1", OTHER),
    ("static int n; int *p; void f(int x) { n = x; p = &n; }", "= x", "= x + 1", OTHER),
    ("static int n; void f(int x, int **p) { n = x; *p = &n; }", "= x", "= x + 1", OTHER),
    ("static int n, *p = &n; void f(int x) { *p = x; }", "= x", "= x + 1", OPEN),
    (
        "int g(int x) { static int n; n = x; return x; } "
        "int f(int x) { static int n; n = x; return g(x); }",
        "n = x; return g",
        "n = x + 1; return g",
        OPEN,
    ),
    (
        "void *malloc(unsigned long); int *f(int x) "
        "{ int *p = malloc(8); if (p) { p[0] = 1; p[1] = x; } return p; }",
        "= x;",
        "= x + 1;",
        OPEN,
    ),
    (
        "struct s { int v; struct s *n; } a, b, c, d, e, g, *first; void f(int x) "
        "{ first = &a; a.n = &b; b.n = &c; c.n = &d; d.n = &e; e.n = &g; g.v = x; }",
        "= x",
        "= x + 1",
        OTHER,
    ),
    ("static int n; void f(int x) { n = x; }", "static int n; void f(int x) { n",
     "static int m; void f(int x) { m", OPEN),
]  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new", "verdict"), ROWS)
def test_what_counts_and_what_is_an_input(
    text: str, old: str, new: str, verdict: str, tmp_path: Path
) -> None:
    job = _job(text, text.replace(old, new), tmp_path)
    assert (job.verdict, job.mispredicted) == (verdict, [])
    if verdict != OTHER:
        assert bool(job.counters.ledger.events()) is (verdict == OPEN and "set(" not in text)


def test_scalars_hold_what_they_begin_with_when_asked(tmp_path: Path) -> None:
    text = "int mode = 3; int f(int x) { return x; }"
    other = text.replace("return x", "return x + (mode == 12345)")
    assert _job(text, other, tmp_path, kind=Globals.INITIAL).verdict == SAME


STRUCTURES = """
typedef struct {{ int x; struct {{ char a, b; }} in; double d; unsigned low : 3; }} point;
struct pair {{ int a; const char *name; }};
point f(point p, struct pair q, int n)
{{
    point r = p;
    r.x += {x};
    r.in.b = {b};
    r.low = {low};
    q.a++;
    return r;
}}
"""
PARTS = {"x": "q.a + n", "b": "(char) n", "low": "p.low + 1"}


@pytest.mark.parametrize("part", every(2, [*PARTS, "name", ""]))
def test_structures_by_value_are_inputs_and_results(part: str, tmp_path: Path) -> None:
    old = STRUCTURES.format(**PARTS)
    edited = {**PARTS, part: f"(n == 77 ? 1 : {PARTS.get(part)})"}
    if part == "name":
        edited = {**PARTS, "x": "q.a + n + (q.name[0] == 'k' && p.in.a == 9)"}
    new = STRUCTURES.format(**edited if part else PARTS).replace("q.a++", "++q.a")
    job = _job(old, new, tmp_path)
    assert (job.verdict, job.mispredicted) == (OTHER if part else SAME, [])


def test_what_the_c_library_may_call_is_part_of_the_program(tmp_path: Path) -> None:
    """Functions that the entry does not need are left out, but for those that have the name of a
    function of the C library: strdup calls the program's malloc."""
    text = (
        "#include <string.h>\n"
        "void *malloc(unsigned long size) { return size > 3 ? 0 : (void *) 16; }"
        "int unused(int x) { return x; }"
        'int f(int x) { return strdup("long") ? x : RESULT; }'
    )
    options = BuildOptions(
        *write_versions(tmp_path, text.replace("RESULT", "1"), text.replace("RESULT", "2")),
        inputs=InputOptions(entry="f"),
    )
    program = lower(read_versions(options), options).program
    assert "malloc" in program.functions and "unused" not in program.functions
