"""Entry functions whose parameters lead to structures, pointers and texts in them.

Each row is an old and a new version of one function, the inputs and what the versions show; every
test must come out natively as predicted, branch by branch.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.command_line import Done, csgtest, write_versions
from tests.nightly import daily, every, nightly

HEAD = """\
#include <stdlib.h>
#include <string.h>
typedef struct { int x, y; } point;
struct item {
    int type;
    unsigned low : 3, high : 7;
    signed char sign : 2;
    float weight;
    char tag[6];
    short rest[3];
    point at;
    char *text;
    struct item *next;
    int (*call)(int);
    union { double d; char c; } u;
};
"""
# name: (body, what is replaced in it, replacement, texts that the table must show)
ROWS = {
    "a number": (
        "int f(struct item *i) { return i->type > 5; }",
        ("> 5", "> 6"),
        ["f(&(struct item) {.type = 6})", "returns 1", "returns 0"],
    ),
    "a bit-field across bytes": (
        "int f(const struct item *i) { return i->high == 100; }",
        ("100", "101"),
        [".high = 100", "returns 1"],
    ),
    "a signed bit-field": (
        "int f(struct item *i) { return i->sign < 0; }",
        ("< 0", "< -1"),
        ["f(&(struct item) {.sign = -1})"],
    ),
    "a float": (
        "int f(struct item *i) { return i->weight > 1.5f; }",
        ("> 1.5f", ">= 1.5f"),
        ["f(&(struct item) {.weight = 1.5})"],
    ),
    "a text inside": (
        'int f(struct item *i) { return !strcmp(i->tag, "ab"); }',
        ('"ab"', '"ac"'),
        ['.tag = "a'],
    ),
    "an array inside": (
        "int f(struct item *i) { return i->rest[2] == -7; }",
        ("== -7", "== -8"),
        [".rest = {0, 0, -7}"],
    ),
    "a structure inside": (
        "int f(struct item *i) { return i->at.y == 3; }",
        ("== 3", "== 4"),
        [".at.y = 3"],
    ),
    "a union's widest member": (
        "int f(struct item *i) { return i->u.d == 2.5; }",
        ("2.5", "4.5"),
        [".u.d = "],
    ),
    "a text that is pointed to": (
        "int f(struct item *i) { return i->text && i->text[0] == 'x'; }",
        ("'x'", "'y'"),
        ['.text = "'],
    ),
    "a text that is missing": (
        "int f(struct item *i) { return i->text ? 1 : 2; }",
        ("1 : 2", "1 : 3"),
        ["f(&(struct item) {0})", "returns 2", "returns 3"],
    ),
    "the second of a list": (
        "int f(struct item *i) { return i->next && i->next->type == 9; }",
        ("== 9", "== 8"),
        [".next = &(struct item) {.type = "],
    ),
    "the third of a list": (
        "int f(struct item *i) { int n = 0; for (; i; i = i->next) n++; return n; }",
        ("return n;", "return n > 2 ? 2 : n;"),
        ["{.next = &(struct item) {.next = &(struct item) {0}}}", "returns 3", "returns 2"],
    ),
    "a check for null that is new": (
        "int f(struct item *i) { return i->type; }",
        ("{ return", "{ if (i == NULL) return -1; return"),
        ["fix", "f(NULL)", "returns -1"],
    ),
    "a text that may be null": (
        "int f(const char *s) { if (!s) return 0; return s[0] == 'a'; }",
        ("return 0;", "return 2;"),
        ["f(NULL)", "returns 0", "returns 2"],
    ),
    "a number that is left": (
        "void f(struct item *i, int n) { i->type = n > 3; }",
        ("> 3", "> 4"),
        ["f(&(struct item) {0}, 4)", "i->type: 1", "i->type: 0"],
    ),
    "a bit-field that is left": (
        "void f(struct item *i, int n) { i->low = n; }",
        ("= n;", "= n == 2 ? 3 : n;"),
        ["i->low: 2", "i->low: 3"],
    ),
    "a text that is left": (
        "void f(struct item *i) { free(i->text); i->text = malloc(2);"
        ' memcpy(i->text, "a", 2); i->text[0] += i->type == 4; }',
        ("== 4", "== 5"),
        ['i->text: "b"', 'i->text: "a"'],
    ),
    "a pointer that is left": (
        "void f(struct item *i) { if (i->next) i->next = i->type ? i->next : NULL; }",
        ("i->next : NULL", "i->next : i"),
        ["i->next: NULL", 'i->next: "&i"'],
    ),
    "an object that is freed": (
        "void f(struct item *i) { if (i->type == 1) free(i); }",
        ("== 1", "== 2"),
        ["i freed", "i as it was"],
    ),
    "a text that is freed": (
        "void f(char *s) { if (s[0] == 'a') free(s); }",
        ("'a'", "'b'"),
        ["s freed", 's: "a"'],
    ),
    "an object that is moved": (
        "int f(int *a) { if (a[0] == 1) { a = realloc(a, 99); free(a); } return 0; }",
        ("== 1", "== 2"),
        ["a freed"],
    ),
    "what a pointer is moved to": (
        "int f(const char **out) { while (**out == ' ') ++*out; return **out; }",
        ("++*out;", "{ ++*out; break; }"),
        ['f(&(const char *) {"  ', "out"],
    ),
    "what a pointer is set to": (
        'void f(char **out, int n) { *out = n ? "some" : NULL; }',
        ("NULL", '""'),
        ["*out: NULL", '*out: ""'],
    ),
    "a structure behind two pointers": (
        "int f(struct item **i) { return *i && (*i)->type == 2; }",
        ("== 2", "== 3"),
        ["f(&(struct item *) {&(struct item) {.type = 2}})"],
    ),
    "a member of what is returned": (
        "struct item *f(int n) { struct item *i = calloc(1, sizeof *i); if (i) i->at.y = n > 4;"
        " return i; }",
        ("> 4", "> 5"),
        ["f(5)", "result->at.y: 1", "result->at.y: 0"],
    ),
    "a member that alone is written": (
        "struct item *f(int n) { struct item *i = malloc(sizeof *i); if (i) i->type = n > 4;"
        " return i; }",
        ("> 4", "> 5"),
        ["f(5)", "result->type: 1", "result->type: 0"],
    ),
    "a text of what is returned": (
        "struct item *f(int n) { static struct item i, j; i.next = &j;"
        ' j.text = n == 3 ? "three" : "some"; return &i; }',
        ('"three"', '"3"'),
        ["f(3)", 'result->next->text: "three"', 'result->next->text: "3"'],
    ),
    "the length of what is returned": (
        "struct item *f(int n) { static struct item i, j; i.next = n > 7 ? &j : NULL; return &i; }",
        ("> 7", "> 8"),
        ["f(8)", "result->next", "NULL"],
    ),
    "a parameter that is returned": (
        "struct item *f(struct item *i) { i->type = 0; return i->type ? i : i->next; }",
        ("i->type = 0", "i->type = i->type & 64"),
        ["returns null", "returns pointer"],
    ),
    "a nameless type": (
        "int f(const point *p) { return p->x + p->y == 5; }",
        ("== 5", "== 6"),
        ["f(&(typeof(*p)) {"],
    ),
    "floats that are pointed to": (
        "int f(const float *w, double *v) { return w[1] > v[0]; }",
        ("w[1] >", "w[2] >"),
        ["(float[]) {", "(double[]) {"],
    ),
}

# Pointers that lead to several structures, or pointers: arrays of them.
SEVERAL = {
    "several, the last is zero": (
        "struct word { int kind; const char *text; };"
        "int f(struct word *i) { int n = 0; for (; i->kind; i++) n += i->text && *i->text == 'x';"
        " return n > 1; }",
        ("n > 1", "n > 2"),
        ["f((struct word[", '.text = "x"', "the last of i is zero"],
    ),
    "several, as many as a number says": (
        "int f(const point *p, int n) { int s = 0; for (int k = 0; k < n; k++) s += p[k].y == 3;"
        " return s; }",
        ("return s;", "return s == 3 ? 9 : s;"),
        ["f((typeof(*p)[", "returns 3", "returns 9", "n <= elements of p"],
    ),
    "several behind a member, with their number": (
        "struct box { point *at; unsigned n; };"
        "static int is(const point *p) { return p->x == 5 && p->y == 6; }"
        "int f(struct box *b) { for (unsigned i = 0; i < b->n; i++) if (is(b->at + i)) return i;"
        " return -1; }",
        ("== 6", "== 7"),
        [".at = (typeof(*b->at)[", "8 * b->n <= bytes of b->at"],
    ),
    "several behind a member, stepped by a callee": (
        "struct word { int kind, rank; };"
        "struct box { const struct word *all; int wanted; };"
        "static const struct word *find(const struct word *i, int kind)"
        "{ while (i->kind && i->kind != kind) i++; return i->kind ? i : NULL; }"
        "int f(struct box *b) { const struct word *i = find(b->all, b->wanted);"
        " return i && i != b->all ? i->rank == 4 : -1; }",
        ("== 4", "== 5"),
        [".all = (struct word[", "].rank = 4", "the last of b->all is zero"],
    ),
    "several behind each of several": (
        "struct group { point *at; int n; };"
        "int f(const struct group *g, int n) { int s = 0; for (int i = 0; i < n; i++)"
        " for (int k = 0; k < g[i].n; k++) s += i == 1 && k == 1 && g[i].at[k].x == 8; return s; }",
        ("== 8", "== 9"),
        ["(struct group[", "[1].at = (typeof(*g[1].at)["],
    ),
    "several texts": (
        'int f(const char **words) { int n = 0; while (*words) n += !strcmp(*words++, "ab");'
        " return n; }",
        ("return n;", "return n == 2 ? 5 : n;"),
        ["f((const char *[", '{[0] = "ab", [1] = "ab"}', "the last of words is null"],
    ),
    "several texts as main has them": (
        "int f(int argc, char **argv) { int n = 0; for (; argc > 1; argc--) n += **++argv == '-';"
        " return *++argv ? -1 : n; }",
        ("return *", "n += n == 2; return *"),
        ["f(3, (char *[", "returns 3", "argc < elements of argv", "the last of argv is null"],
    ),
    "several that are written to": (
        "void f(point *p, unsigned n, int x) { for (unsigned k = 0; k < n; k++) p[k].y = x > 3; }",
        ("= x > 3", "= x > 3 + (k == 1)"),
        ["p[1].y: 1", "p[1].y: 0"],
    ),
    "several that a pointer moves along": (
        "int f(const point **at) { int n = 0; while ((*at)->x) n += (*at)++->y == 2; return n; }",
        ("return n;", "return n > 1 ? 1 : n;"),
        ["f(&(typeof(*at)) {(typeof(**at)[", "returns 2", "the last of *at is zero"],
    ),
    "several in a global": (
        "struct word { int kind, rank; }; static struct word *table;"
        "static int count(void) { int n = 0; while (table[n].kind) n++; return n; }"
        "int f(struct word *i) { table = i; return count(); }",
        ("return n;", "return n > 2 ? 2 : n;"),
        ["f((struct word[", "returns 3", "returns 2"],
    ),
}
ROWS |= SEVERAL
# Each is like one that runs each time: another member of the list, another kind of what is left.
ALIKE = (
    "a signed bit-field",
    "a structure inside",
    "a text that is missing",
    "the third of a list",
    "a bit-field that is left",
    "a text that is left",
    "a text that is freed",
    "what a pointer is set to",
    "a member that alone is written",
    "a text of what is returned",
    "several behind a member, stepped by a callee",
    "several behind each of several",
    "an array inside",
    "a pointer that is left",
    "an object that is moved",
    "a parameter that is returned",
    "floats that are pointed to",
    "a number that is left",
    "a check for null that is new",
    "several texts as main has them",
    "the length of what is returned",
    "what a pointer is moved to",
    "several that a pointer moves along",
    "several behind a member, with their number",
    "a structure behind two pointers",
)


def write_pair(folder: Path, text: str, before: str, after: str) -> None:
    assert before in text
    write_versions(folder, text, text.replace(before, after))


def predicted(folder: Path, *words: str) -> Done:
    """The search alone finds a difference, and predicts nothing wrongly."""
    words = ("--entry", "f", "--time", "20", "--no-native", *words)
    done = csgtest("build", "old.c", "new.c", *words, folder=folder)
    assert done.code == 1, ((folder / "old.c").read_text(), done)
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0), done.out
    return done


@pytest.mark.parametrize("name", nightly(ROWS, ALIKE))
def test_the_difference_is_found_and_shown(name: str, tmp_path: Path) -> None:
    text, edit, shown = ROWS[name]
    write_pair(tmp_path, HEAD + text + "\n", *edit)
    done = predicted(tmp_path)
    assert [each for each in shown if each not in done.out] == [], done.out


ENDS = {  # the array, what is computed of it and its edit, the first such input
    "numbers": ("int at[];", "r->at[i] > 5 ? 1 : 0", ("> 5", "> 6"), ".at = {6"),
    "characters": ("char at[];", "r->at[i] == 'b'", ("'b'", "'c'"), '.at = "b"'),
    "none of them": ("short at[0];", "r->at[i] < -4", ("-4", "-5"), ".at = {-5"),
    "structures": ("struct { int x, y; } at[];", "r->at[i].y & 4", ("& 4", "& 6"), ".at[0].y ="),
    "texts": ("char *at[];", "r->at[i] ? *r->at[i] == 'b' : 2", (": 2", ": 3"), "returns 3"),
}


@pytest.mark.parametrize("name", ENDS)
def test_an_array_of_no_length_at_the_end_has_elements(name: str, tmp_path: Path) -> None:
    """As many as the bounds say, and no test reaches behind them where a number counts them."""
    array, told, edit, shown = ENDS[name]
    text = (
        f"struct row {{ unsigned char n; {array} }};\n"
        "int f(const struct row *r)\n"
        "{ int s = 0; for (int i = 0; i < r->n; i++) s += %s; return s; }\n"
    )
    write_pair(tmp_path, text % told, *edit)
    done = predicted(tmp_path, "--stop-after", "8")
    assert "of an array of no length in them" in done.out
    tests = (tmp_path / "csgtest-out" / "tests").glob("*.txt")
    assert shown in "\n".join([done.out, *(each.read_text() for each in tests)])
    assert {each["class"] for each in done.report["groups"]} == {"difference"}
    assert "both versions fail alike" not in done.out


KINDS = {  # of members: declaration, what is computed of one, what is written to it
    "int": ("int {0};", "{1}.{0} > {2}", "{1}.{0} ^= {2};"),
    "char": ("signed char {0};", "{1}.{0} * {2}", "{1}.{0} = -{1}.{0};"),
    "bits": ("unsigned {0} : 5;", "{1}.{0} == {2}", "{1}.{0} += {2};"),
    "array": ("short {0}[3];", "{1}.{0}[1] - {1}.{0}[2]", "{1}.{0}[2] = {2};"),
    "text": ("char *{0};", "({1}.{0} && *{1}.{0} == 'a' + {2})", "{1}.{0} = 0;"),
    "inner": ("struct {{ long low, high; }} {0};", "({1}.{0}.high > {2})", "{1}.{0}.low = {2};"),
    "one": ("struct pair *{0};", "({1}.{0} ? {1}.{0}->y : {2})", "{1}.{0} = 0;"),
    "several": (
        "struct pair *{0}; unsigned {0}_n;",
        "counted({1}.{0}, {1}.{0}_n)",
        "if ({1}.{0}_n > 1) {1}.{0}[1].x = {2};",
    ),
}


def random_program(chance: Random) -> str:
    """A function along random structures: by a number, to the one that is zero, or by a member of a
    structure that leads to them."""
    kinds = [chance.choice(sorted(KINDS)) for _ in range(chance.randint(1, 3))]
    members = [KINDS[kind][0].format(f"m{at}") for at, kind in enumerate(kinds)]
    walked = chance.choice(("counted", "ended", "behind", "within"))
    item = {"counted": "p[i]", "ended": "(*p)", "behind": "b->all[i]", "within": "r->all[i]"}[
        walked
    ]
    told = [KINDS[kind][1].format(f"m{at}", item, at + 2) for at, kind in enumerate(kinds)]
    at = chance.randrange(len(kinds))
    written = KINDS[kinds[at]][2].format(f"m{at}", item, chance.randint(1, 9))
    head, loop = {
        "counted": ("struct item *p, unsigned n", "for (unsigned i = 0; i < n; i++)"),
        "ended": ("struct item *p", "for (; p->kind; p++)"),
        "behind": ("struct box *b", "for (int i = 0; i < b->count; i++)"),
        "within": ("struct row *r", "for (int i = 0; i < r->count; i++)"),
    }[walked]
    return (
        "struct pair { int x, y; };"
        f"struct item {{ int kind; {' '.join(members)} }};"
        "struct box { int count; struct item *all; };"
        "struct row { unsigned char count; struct item all[]; };"
        "static int counted(const struct pair *p, unsigned n)"
        "{ int s = 0; for (unsigned k = 0; k < n; k++) s += p[k].x > 4; return s; }"
        f"long f({head}) {{ long s = 0; {loop} {{ s = 3 * s + {' + '.join(told)};"
        f" if ({item}.kind == 7) {{ {written} s++; }} }} return s; }}\n"
    )


@pytest.mark.parametrize("seed", daily(range(3), 2))
def test_random_structures_run_natively_as_predicted(seed: int, tmp_path: Path) -> None:
    write_pair(tmp_path, random_program(Random(seed)), "s++; }", "s += 2; }")
    predicted(tmp_path, "--stop-after", "8")


@pytest.mark.parametrize(
    "name", every(4, [*sorted(ROWS)[::4], "several, as many as a number says"])
)
def test_native_testing_makes_up_such_inputs(name: str, tmp_path: Path) -> None:
    """They are followed symbolically, replayed and read back from the report as others are."""
    text, edit, _ = ROWS[name]
    write_pair(tmp_path, HEAD + text + "\n", *edit)
    words = ("old.c", "new.c", "--entry", "f", "--time")
    native = ("--seeds", "1", "--modes", "native")
    done = csgtest("compare", *words, "1.5", *native, folder=tmp_path)
    assert done.code in (0, 1), done
    again = csgtest("build", *words, "20", "--stop-after", "1", folder=tmp_path)
    assert again.code == 1, again
    assert csgtest("replay", "csgtest-out", folder=tmp_path).code == 1


def test_a_type_that_another_file_defines(tmp_path: Path) -> None:
    """The entry function's file knows the name only."""
    head = "struct box;\nint size(struct box *);\n"
    (tmp_path / "box.c").write_text(
        "struct box { int n; struct box *in; };\nint size(struct box *b) { return b->n; }\n"
    )
    (tmp_path / "old.c").write_text(head + "int f(struct box *b) { return size(b) > 7; }\n")
    (tmp_path / "new.c").write_text(head + "int f(struct box *b) { return size(b) > 8; }\n")
    words = ("old.c", "new.c", "--with", "box.c", "--entry", "f", "--time", "10")
    done = csgtest("build", *words, folder=tmp_path)
    assert "f(&(struct box) {.n = 8})" in done.out, done


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("int f(struct box *b) { return b->n; }", "b->m"),
        ("struct box *f(int n) { one.n = n; return &one; }", "result->m"),
        ("struct box *f(int n) { struct box *b = malloc(sizeof *b); return b; }", "result->m"),
        ("struct box f(int n) { return (struct box){n}; }", "result.m"),
        ("struct in { struct box *b; } in; struct in *f(int n) { return &in; }", "result->b->m"),
    ],
    ids=["taken", "returned", "made", "returned by value", "behind what is returned"],
)
def test_a_structure_that_changed_is_named(text: str, part: str, tmp_path: Path) -> None:
    text = f"#include <stdlib.h>\nstruct box {{ int n; }};\nstruct box one;\n{text}\n"
    write_versions(tmp_path, text, text.replace("int n;", "int n, m;"))
    done = csgtest("build", "old.c", "new.c", "--time", "10", folder=tmp_path)
    said = f"of 'f' differ between the versions, in {part}"
    assert (done.code, said in done.err) == (2, True), done


BLOCK = "struct block { int id; struct block *next; };\n"
MEMBERS = {  # how the structure that the entry takes leads to one that its file only names
    "a pointer": "struct block *b; int depth;",
    "in an unnamed union": "union { struct block *b; long other; } u; int depth;",
    "in a nested structure": "struct { struct { struct block *b; } in; } n; int depth;",
    "behind another pointer": "struct scope *up; struct block *b; int depth;",
}
DEFINED = {  # the files that define it: a.c differs
    "in one file": {"b.c": "", "c.c": BLOCK},
    "in one file that comes first": {"b.c": BLOCK, "c.c": ""},
    "in two files": {"b.c": BLOCK, "c.c": BLOCK},
    "in a file that differs": {"b.c": "", "c.c": "", "a.c": BLOCK},
    "in two files of which one differs": {"b.c": BLOCK, "c.c": "", "a.c": BLOCK},
}


def write_scope(folder: Path, member: str, defined: dict[str, str]) -> None:
    """f in e.c changes. Of the other files a.c does, too; b.c and c.c are what they were."""
    head = (
        f"struct scope {{ {MEMBERS[member]} }};\nint f(struct scope *s, int n);\n"
        "int g(struct scope *s);\nint h(struct scope *s);\nint k(struct scope *s);\n"
    )
    for side, limit in (("old", 10), ("new", 20)):
        texts = {
            "s.h": head,
            "e.c": f"int f(struct scope *s, int n) {{ return n > {limit} ? s->depth : g(s); }}\n",
            "a.c": f"int k(struct scope *s) {{ return s->depth + {limit}; }}\n",
            "b.c": "int g(struct scope *s) { return s->depth > 0 ? h(s) : 3; }\n",
            "c.c": "int h(struct scope *s) { return s->depth < 9; }\n",
        }
        (folder / side).mkdir()
        for name, text in texts.items():
            start = '#include "s.h"\n' + defined.get(name, "") if name != "s.h" else ""
            (folder / side / name).write_text(start + text)


@pytest.mark.parametrize(
    ("member", "defined"),
    [*(("a pointer", each) for each in DEFINED), *((each, "in two files") for each in MEMBERS)],
)
def test_a_structure_that_files_only_name_is_the_same_in_both_versions(
    member: str, defined: str, tmp_path: Path
) -> None:
    write_scope(tmp_path, member, DEFINED[defined])
    words = ("--entry", "f", "--time", "10", "--stop-after", "1")
    done = csgtest("build", "old", "new", *words, folder=tmp_path)
    assert done.code == 1, done.err


@pytest.mark.parametrize("member", MEMBERS)
def test_a_structure_that_a_file_only_names_and_another_one_changes_is_refused(
    member: str, tmp_path: Path
) -> None:
    write_scope(tmp_path, member, {"a.c": BLOCK})
    file = tmp_path / "new/a.c"
    file.write_text(file.read_text().replace("int id;", "int id, more;"))
    done = csgtest("build", "old", "new", "--entry", "f", "--time", "4", folder=tmp_path)
    assert done.code == 2 and "of 'f' differ between the versions" in done.err, done


def test_the_user_may_say_how_deep_structures_are(tmp_path: Path) -> None:
    """On the command line and in csgtest.toml, for the search and for native fuzzing; there is
    nothing beyond, and a list of as many elements is found."""
    text = (
        "struct n {{ struct n *next; }};\nint f(struct n *p)\n"
        "{{ int n = 0; for (; p; p = p->next) n++; return n == 7 ? {} : 0; }}"
    )
    write_versions(tmp_path, text.format(3), text.format(4))
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "20")
    done = csgtest(*words, "--struct-depth", "5", folder=tmp_path)
    assert (done.code, done.report["verdict"]) == (0, "equivalent-within-bounds"), done
    assert done.report["bounds"]["structure_depth"] == 5
    assert "deeper" not in done.report["bounds"]
    (tmp_path / "csgtest.toml").write_text("[input]\nstruct-depth = 6\n")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 1, done
    (shown,) = done.report["groups"]
    witness = next(each for each in done.report["tests"] if each["id"] == shown["witness"])
    assert sum(value is not None for value in witness["input"]["parameters"].values()) == 7
    for wrong in ("0", "65", "deep"):
        assert csgtest(*words, "--struct-depth", wrong, folder=tmp_path).code == 2


COPIED = """\
#include <string.h>
struct node { unsigned key : 1, size : 31; unsigned high; };
int f(const struct node *n, int k)
{
    int *p;
    memcpy(&p, n, sizeof p);
    return *p + (k == 7);
}
"""


def test_an_address_made_of_inputs_leads_to_no_object(tmp_path: Path) -> None:
    """It may be one that we have given an object, which natively lies elsewhere."""
    write_versions(tmp_path, COPIED, COPIED.replace("7", "8"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "10", folder=tmp_path)
    assert done.code == 0 and not done.report["counters"]["mispredicted"]
    assert (
        "both versions fail alike, and end there: null at new.c:7:5, wild at new.c:7:5" in done.out
    )


COUNTED = """
int digits({}, int n)
{{
    int found = 0;
    for (int i = 0; i < n; i++)
        if ({}[i] >= '0' && {}[i] <= '9')
            found++;
    return found{};
}}
"""


@pytest.mark.parametrize(
    ("parameter", "text"),
    [("const char *s", "s"), ("const void *v", "((const char *) v)")],
)
def test_characters_that_a_number_counts_need_no_zero_behind_them(
    parameter: str, text: str, tmp_path: Path
) -> None:
    """What is read behind the last one is found, natively too; nothing is said of a 0."""
    old = COUNTED.format(parameter, text, text, "")
    beyond = f" + (n > 0 && {text}[n - 1] == '9' && {text}[n] == 5)"
    new = COUNTED.format(parameter, text, text, beyond)
    write_versions(tmp_path, old, new)
    words = ("build", "old.c", "new.c", "--entry", "digits", "--time", "20", "--no-native")
    done = csgtest(*words, folder=tmp_path)
    report = done.report
    found = [each for each in report["groups"] if each["class"] == "regression"]
    assert done.code == 1 and found, done
    witness = next(each for each in report["tests"] if each["id"] == found[0]["witness"])
    name = parameter.rpartition("*")[2]
    assert isinstance(witness["input"]["parameters"][name], list)
    assert "overflow" in witness["new"]["sanitizer"]
    assert not any("ends with a 0" in each["text"] for each in report["preconditions"])
    again = csgtest("replay", "csgtest-out", folder=tmp_path)
    assert "confirmed" in again.out and "different" not in again.out
    emitted = csgtest("emit", "--as", "c", "-o", "kept", folder=tmp_path)
    assert emitted.code == 0 and "0 dropped" in emitted.out, emitted
