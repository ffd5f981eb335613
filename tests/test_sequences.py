"""Several calls as one entry: an object is made as the users of a library make it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import networkx
import pytest

from csg.frontend import parse_text
from csg.programs import Versions
from csg.unify.pairs import Readings, read_pair
from symexec.projects.entries import entries_of
from symexec.testcases.sequences import (
    MOST_MAKERS,
    Making,
    Members,
    makers_of,
    making_of,
    parts_of,
    steps_of,
)
from tests.command_line import csgtest, write_versions
from tests.repositories import Repository

TABLE = """\
#include <stdlib.h>
#include "table.h"
struct table { int width, used, values[8]; };
struct table *table_new(int width)
{
    if (width < 1 || width > 8)
        return NULL;
    struct table *t = calloc(1, sizeof *t);
    if (t)
        t->width = width;
    return t;
}
int table_put(struct table *t, int value)
{
    if (t->used >= t->width)
        return -1;
    t->values[t->used++] = value;
    return t->used;
}
int table_drop(struct table *t)
{
    return t->used ? t->values[--t->used] : -1;
}
int table_last(const struct table *t)
{
    return t->used < LIMIT ? 0 : t->values[t->used - 1];
}
void table_clear(struct table *t)
{
    table_free(t);
}
void table_free(struct table *t)
{
    free(t);
}
"""
FILES = {
    "Makefile": "CFLAGS = -Iinclude\nlibtable.a: src/table.o\n\t$(AR) cr $@ $^\n",
    "include/table.h": """\
struct table;
struct table *table_new(int width);
int table_put(struct table *t, int value);
int table_drop(struct table *t);
int table_last(const struct table *t);
void table_clear(struct table *t);
void table_free(struct table *t);
""",
    "src/table.c": TABLE.replace("LIMIT", "1"),
}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    folder = tmp_path / "table"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Repository(folder, FILES)


def test_an_internal_difference_is_reached_by_calls_of_the_library(library: Repository) -> None:
    library.write("src/table.c", TABLE.replace("LIMIT", "2"))
    done = csgtest("build", "HEAD", "--time", "20", folder=library.folder)
    assert done.code == 1, done.err
    out = library.folder / "csgtest-out"
    made = json.loads((out / "table_new,table_last/report.json").read_text())
    (group,) = made["groups"]
    assert group["class"] == "difference" and not made["counters"]["mispredicted"]
    assert "up to 2 calls of table_put, table_drop in between" in done.out
    inner = json.loads((out / "table_last/report.json").read_text())
    assert "only the library makes a struct table" in done.out
    (reached,) = [each["internal"]["reached"] for each in inner["groups"]]
    assert reached["entry"] == "table_last" and reached["folder"] == "../table_new,table_last"
    calls = reached["call"].split("; ")
    assert calls[0].startswith("made = table_new(") and calls[-1] == "table_last(made)"
    assert any(each.startswith("table_put(made, ") for each in calls)
    kept = csgtest("replay", "csgtest-out/table_new,table_last", folder=library.folder)
    assert "confirmed" in kept.out and "not confirmed" not in kept.out


def test_what_changed_code_writes_is_asked_for_at_the_end(library: Repository) -> None:
    library.edit("src/table.c", "t->values[--t->used] : -1", "t->values[t->used - 1] : -1")
    done = csgtest("build", "HEAD", "--time", "20", folder=library.folder)
    assert "one of table_last, table_put" in done.out and " at the end" in done.out, done.out
    made = json.loads(Path("csgtest-out/table_new,table_drop/report.json").read_text())
    assert done.code == 1 and not made["counters"]["mispredicted"]
    assert any("table_last: " in json.dumps(each) for each in made["tests"])


GROWING = """\
#include <stdlib.h>
#include "stack.h"
struct stack { size_t size; int *at; };
struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }
int stack_push(struct stack *s, int value)
{
    s->at = realloc(s->at, (s->size + 1) * sizeof *s->at);
    s->at[s->size++] = value;
    return s->size;
}
int stack_pop(struct stack *s)
{
    if (!s->size)
        return -1;
    if (!--s->size) {
        free(s->at);
        s->at = NULL;
    }
    return s->size;
}
void stack_free(struct stack *s) { END }
"""


@pytest.mark.parametrize("end", ["free(s);", "free(s->at); free(s);"], ids=["goes on", "ends"])
def test_what_is_freed_twice_shows_when_the_object_is_used_again(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    head = "struct stack;\nstruct stack *stack_new(void);\nvoid stack_free(struct stack *);\n"
    push = "int stack_push(struct stack *, int);\n" if "at" not in end else ""
    files = {
        "Makefile": "libstack.a: stack.o\n\t$(AR) cr $@ $^\n",
        "stack.h": f"{head}{push}int stack_pop(struct stack *);\n",
        "stack.c": GROWING.replace("END", end),
    }
    if not push:  # users get one that holds a number
        files["stack.c"] = (
            files["stack.c"]
            .replace(
                "return calloc(1, sizeof(struct stack));",
                "struct stack *s = calloc(1, sizeof *s); s->at = malloc(4); s->size = 1; return s;",
            )
            .replace("int stack_push", "static int stack_push")
        )
    found = Repository(tmp_path, files)
    found.edit("stack.c", "        s->at = NULL;\n", "")
    done = csgtest("build", "HEAD", "--time", "20", folder=tmp_path)
    assert done.code == 1 and "double-free" in done.out, done.out
    assert ("stack_push(made, 0)\n" if push else "stack_free(made)\n") in done.out, done.out


def test_who_makes_and_who_changes_is_seen_in_types_and_names(tmp_path: Path) -> None:
    versions = _versions(tmp_path)
    (direct, made) = entries_of(versions, Readings())
    assert direct.name == "table_last" and not direct.sequence
    assert made.name == "table_new,table_last"
    between = "table_put|table_drop|"
    assert made.sequence == f"table_new,{between},{between},table_last"
    assert made.internal is not None and not made.internal.reason
    unit = read_pair(versions.pairs()).new[0]
    functions = {each.symbol.name: each for each in unit.functions}
    last, new = functions["table_last"], functions["table_new"]
    assert makers_of(last, functions.values()) == [new]
    calls = networkx.DiGraph([("table_clear", "table_free")])
    members = Members(functions, calls)
    assert members.of("table_put") == (
        {("table", "used"), ("table", "width"), ("table", "values")},
        {("table", "used"), ("table", "values")},
    )
    steps = steps_of(last, new, functions.values(), members)  # none that frees
    assert [each.symbol.name for each in steps] == ["table_put", "table_drop"]


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        ("node_free(n);", []),
        ("drop(n);", []),
        ("n->ops->free(n);", []),
        ("n->ops->close(0);", ["step"]),
        ("list_find_end(n);", ["step"]),  # with source, which says what it does
        ("library_find_end(n);", []),
    ],
)
def test_a_step_frees_nothing(body: str, steps: list[str], tmp_path: Path) -> None:
    text = (
        "struct node { int n; struct ops { void (*free)(struct node *), (*close)(int); } *ops; };\n"
    )
    text += "void node_free(struct node *), library_find_end(struct node *);\n"
    text += "static void drop(struct node *m) { node_free(m); }\n"
    text += "static int list_find_end(struct node *m) { return m->n; }\n"
    text += f"void step(struct node *n) {{ n->n++; {body} }}\n"
    text += "struct node *make(void) { static struct node n; return &n; }\n"
    text += "int last(const struct node *n) { return n->n; }\n"
    write_versions(tmp_path, text, text)
    versions = Versions(tmp_path / "old.c", tmp_path / "new.c")
    functions = {each.symbol.name: each for each in read_pair(versions.pairs()).new[0].functions}
    members = Members(functions, networkx.DiGraph())
    found = steps_of(functions["last"], functions["make"], functions.values(), members)
    assert [each.symbol.name for each in found] == steps


def _versions(folder: Path) -> Versions:
    for side, limit in (("old", "1"), ("new", "2")):
        for name, text in FILES.items():
            file = folder / side / Path(name).name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        (folder / side / "table.c").write_text(TABLE.replace("LIMIT", limit))
    return Versions(folder / "old", folder / "new")


BUFFER = """\
#include <string.h>
typedef struct { char text[8]; int n; int (*each)(int); } buffer;
int buffer_init(buffer *b, int (*each)(int))
{
    if (!each)
        return 0;
    memset(b, 0, sizeof *b);
    b->each = each;
    return 1;
}
void buffer_add(buffer *b, const char *s, unsigned long n)
{
    for (unsigned long i = 0; i < n && b->n < 7; i++)
        b->text[b->n++] = s[i];
}
int buffer_find(buffer *b, unsigned char c)
{
    for (int i = 0; i < b->n; i++)
        if ((unsigned char) b->text[i] == c)
            return FOUND(i);
    return -1;
}
"""
OPENED = """\
#include <stdlib.h>
struct file { int kind; };
int open_file(int kind, struct file **to)
{
    if (kind < 0 || kind > 3)
        return -1;
    *to = malloc(sizeof **to);
    if (*to)
        (*to)->kind = kind;
    return 0;
}
const char *named(struct file *f)
{
    return f->kind == 2 ? "set" : "none";
}
int kind_of(const struct file *f)
{
    return FOUND(f->kind);
}
"""


@pytest.mark.parametrize(
    ("text", "entry", "shown"),
    [
        (BUFFER, "buffer_init,buffer_add,buffer_find", "buffer_init(&made, stub_buffer_init_each)"),
        (BUFFER, "buffer_init,buffer_find|buffer_add,buffer_find", "; buffer_add(&made, "),
        (BUFFER, "buffer_init, buffer_add|, buffer_find", "; buffer_add(&made, "),
        (OPENED, "open_file,kind_of", "open_file(2, &made); kind_of(made)"),
        (OPENED, "open_file,kind_of,kind_of,named", "; kind_of(made); kind_of(made); named(made)"),
        (OPENED, "open_file, named, kind_of|", 'prints open_file: 0 | named: "set" | kind_of: 2'),
    ],
)
def test_a_user_names_the_calls(text: str, entry: str, shown: str, tmp_path: Path) -> None:
    old = text.replace("FOUND", "")
    new = text.replace("FOUND(i)", "i + (i == 2)").replace(
        "FOUND(f->kind)", "f->kind + (f->kind == 2)"
    )
    write_versions(tmp_path, old, new)
    words = ("build", "old.c", "new.c", "--entry", entry, "--time", "15")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 1, done.err
    assert shown in done.out
    assert not done.report["counters"]["mispredicted"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("int kind_of(const struct file *f)", "int kind_of(struct file *f)"),
        ("int open_file(int kind,", "int open_file(const int kind,"),
        ("const char *named(struct file *f)", "const char *named(const struct file *const f)"),
        ("const char *named(struct file *f)", "const char *named(volatile struct file *f)"),
    ],
)
def test_qualifiers_make_no_other_call(before: str, after: str, tmp_path: Path) -> None:
    old, new = OPENED.replace("FOUND", ""), OPENED.replace("FOUND", "5 + ")
    write_versions(tmp_path, old, new.replace(before, after))
    words = ("build", "old.c", "new.c", "--entry", "open_file, named, kind_of|", "--time", "15")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 1, done.err
    assert "kind_of: 2" in done.out or "kind_of: 0" in done.out
    assert not done.report["counters"]["mispredicted"]


NODES = """\
#include <stdlib.h>
struct error { int at; };
struct node { int kind, n; const char *text; };
struct node *number(int n)
{
    struct node *made = calloc(1, sizeof *made);
    if (made)
        made->n = n;
    return made;
}
struct node *parse(const char *text, struct error *error)
{
    struct node *made = calloc(1, sizeof *made);
    if (!*text || !made)
        return NULL;
    made->kind = 1;
    made->text = text;
    return made;
}
struct node *next(struct node *n) { return n; }
int first(const struct node *n)
{
    return n->kind ? n->text[0] == 'x' ? FOUND : 1 : n->n == 77 ? FOUND : 2;
}
"""


def test_one_of_several_makes_the_object(tmp_path: Path) -> None:
    write_versions(tmp_path, NODES.replace("FOUND", "3"), NODES.replace("FOUND", "4"))
    versions = Versions(tmp_path / "old.c", tmp_path / "new.c")
    functions = {each.symbol.name: each for each in read_pair(versions.pairs()).new[0].functions}
    makers = makers_of(functions["first"], functions.values())
    assert [each.symbol.name for each in makers] == ["number", "parse"]
    words = ("build", "old.c", "new.c", "--entry", "number|parse,first", "--time", "15")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 1 and not done.report["counters"]["mispredicted"]
    differing = [each["input"]["parameters"] for each in done.report["tests"] if each["class"]]
    ways = {(given["first_"], given["number_n"]) for given in map(dict, differing)}
    assert (1, 77) in ways and {first for first, _ in ways} == {1, 2}


VALUES = """\
#include <stdlib.h>
struct value { struct list *list; };
struct list { int used, items[4]; const char *name; };
struct value *value_new(void)
{
    struct value *made = calloc(1, sizeof *made);
    if (made)
        made->list = calloc(1, sizeof *made->list);
    return made;
}
GETTER
int list_add(struct list *l, int item)
{
    return l->used < 4 ? l->items[l->used++] = item : -1;
}
int list_last(const struct list *l)
{
    return l->used > 1 && l->items[l->used - 1] == 7 ? FOUND : 1;
}
"""
RETURNS = "struct list *value_list(struct value *v) { return v->list; }"
SETS = "int value_list(struct value *v, struct list **to) { *to = v->list; return 0; }"
BEHIND = """\
struct tree { struct value *root; };
struct value *tree_root(struct tree *t) { return t->root; }
struct tree *tree_new(int kind)
{
    static struct tree t;
    t.root = value_new();
    return kind == 2 ? &t : NULL;
}
"""


@pytest.mark.parametrize(
    ("getter", "maker", "shown"),
    [
        (RETURNS, "value_new", "made = value_new(); made_ = value_list(made); list_add(made_, "),
        (SETS, "value_new", "made = value_new(); value_list(made, &made_); list_add(made_, "),
        (
            BEHIND + RETURNS,
            "static value_new",
            "made = tree_new(2); made_ = tree_root(made); made__ = value_list(made_); list_add(",
        ),
    ],
)
def test_an_object_is_asked_of_one_that_can_be_made(
    getter: str, maker: str, shown: str, tmp_path: Path
) -> None:
    """A list is made by nobody: it is part of a value, which a tree may have."""
    text = VALUES.replace("GETTER", getter)
    if maker.startswith("static"):
        text = text.replace("struct value *value_new", "static struct value *value_new")
    write_versions(tmp_path, text.replace("FOUND", "3"), text.replace("FOUND", "4"))
    versions = Versions(tmp_path / "old.c", tmp_path / "new.c")
    (made,) = [each for each in entries_of(versions, Readings()) if each.sequence]
    words = (
        "build",
        "old.c",
        "new.c",
        "--entry",
        made.sequence,
        "--time",
        "15",
        "--stop-after",
        "1",
    )
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 1, done.err
    assert shown in done.out
    assert not done.report["counters"]["mispredicted"]


@pytest.mark.parametrize(
    "getter",
    [
        "const struct list *value_list(struct value *v) { return v->list; }",  # it stays as it is
        "struct list *list_next(struct list *l) { return l; }",  # it takes one
        "struct list *value_list(struct value *v, struct list *l) { return v ? v->list : l; }",
        "static struct list *value_list(struct value *v) { return v->list; }",
        RETURNS.replace("value_list", "value_list_free"),
        RETURNS.replace("struct value *v", "struct wish { void *p; } *v").replace("v->list", "0"),
    ],
)
def test_an_object_of_which_nobody_can_be_asked_is_not_made(getter: str, tmp_path: Path) -> None:
    text = VALUES.replace("GETTER", getter)
    write_versions(tmp_path, text.replace("FOUND", "3"), text.replace("FOUND", "4"))
    versions = Versions(tmp_path / "old.c", tmp_path / "new.c")
    known = read_pair(versions.pairs()).new[0].functions
    (last,) = [each for each in known if each.symbol.name == "list_last"]
    assert making_of(last, known) == Making([], [])


@pytest.mark.parametrize(
    ("function", "maker"),
    [
        ("zip_reader_get", "zip_reader_init"),
        ("zip_writer_put", "zip_writer_init"),
        ("zip_size", "zip_writer_init"),  # neither is meant: the one that sets most
        ("size", "zip_writer_init"),
    ],
)
def test_of_functions_that_fill_an_object_the_name_says_which(
    function: str, maker: str, tmp_path: Path
) -> None:
    text = "typedef struct { int a, b, c; char *p; } zip;\n"
    text += "void zip_reader_init(zip *z) { z->a = 1; }\n"
    text += "void zip_writer_init(zip *z) { z->a = 1; z->b = 2; z->c = 3; }\n"
    text += f"int {function}(zip *z) {{ return z->a; }}\n"
    write_versions(tmp_path, text, text.replace("z->a; }", "z->b; }"))
    versions = Versions(tmp_path / "old.c", tmp_path / "new.c")
    known = read_pair(versions.pairs()).new[0].functions
    assert [each.symbol.name for each in makers_of(known[-1], known)] == [maker]


@pytest.mark.parametrize(
    ("members", "own", "plain"),
    [
        ("int n; double x;", False, True),
        ("int n; struct { long a, b; } at;", False, True),
        ("int n;", True, False),  # what users do not see they do not set
        ("int n; struct { long a; char *p; } at;", False, False),
        ("int n; union { long a; struct error *p; } at;", False, False),
        ("int n; union { long a; struct { struct error *p; } b; } at;", False, False),
    ],
)
def test_a_maker_may_take_structures_of_numbers(
    members: str, own: bool, plain: bool, tmp_path: Path
) -> None:
    text = f"struct error {{ {members} }};\nstruct node {{ int kind; }};\n"
    text += "struct node *parse(struct error *e) { static struct node n; return &n; }\n"
    text += "int first(struct node *n) { return n->kind; }\n"
    write_versions(tmp_path, text, text.replace("n->kind", "1"))
    versions = Versions(tmp_path / "old.c", tmp_path / "new.c")
    parse, first = read_pair(versions.pairs()).new[0].functions
    made = makers_of(first, [parse, first], {"struct error"} if own else set())
    assert made == ([parse] if plain else [])


def test_a_structure_that_nothing_makes_is_an_input(tmp_path: Path) -> None:
    """Also where the function that takes it is not the last one."""
    text = OPENED + "struct wish { int n; };\nint ask(struct file *f, struct wish *w)\n{\n"
    text += "    return f->kind == 1 && w->n == 77 ? WISH : 0;\n}\n"
    text = text.replace("FOUND", "")
    write_versions(tmp_path, text.replace("WISH", "5"), text.replace("WISH", "6"))
    words = ("build", "old.c", "new.c", "--entry", "open_file,ask,kind_of|", "--time", "10")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 1 and "ask(made, &(struct wish) {.n = 77})" in done.out


def test_emitted_tests_hold_the_calls(tmp_path: Path) -> None:
    write_versions(tmp_path, OPENED.replace("FOUND", ""), OPENED.replace("FOUND", "1 +"))
    words = ("build", "old.c", "new.c", "--entry", "open_file,kind_of", "--time", "10")
    assert csgtest(*words, folder=tmp_path).code == 1
    done = csgtest("emit", "--as", "c", "-o", "kept", folder=tmp_path)
    (file,) = (tmp_path / "kept").glob("*.c")
    assert done.code == 0 and "drivers/" not in file.read_text()
    codes = []
    for version in ("old.c", "new.c"):
        source = f'-DCSGTEST_SOURCE="{tmp_path / version}"'
        subprocess.run(["gcc", source, file, "-o", tmp_path / "test"], check=True)
        codes.append(subprocess.run([tmp_path / "test"], check=False).returncode)
    assert codes == [1, 0]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("open_file,nobody", "no call of 'nobody' can be tested: there is none in one version"),
        ("open_file|,kind_of", "'open_file|,kind_of' is no sequence of calls"),
        ("open_file,,kind_of", "'open_file,,kind_of' is no sequence of calls"),
        ("open_file,tell", "no call of 'tell' can be tested: one of its types has no name"),
    ],
)
def test_what_is_no_sequence_is_refused(entry: str, said: str, tmp_path: Path) -> None:
    text = OPENED + "void tell(struct file *f, __builtin_va_list list) { f->kind = 0; }\n"
    write_versions(tmp_path, text.replace("FOUND", ""), text.replace("FOUND", "1 +"))
    done = csgtest("build", "old.c", "new.c", "--entry", entry, folder=tmp_path)
    assert done.code == 2 and said in done.err


def test_parts() -> None:
    assert parts_of("new, put|drop, get") == [
        (["new"], False),
        (["put", "drop"], True),
        (["get"], False),
    ]


KINDS = r"""
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum kind { NUL, ARRAY, OBJECT, LIST, SET, NUMBER, TEXT, DECLARATION };
struct value { enum kind kind; long number; char *text; int depth; };
static struct value *made(struct value *parent, enum kind kind, const char *text)
{
    struct value *v = calloc(1, sizeof *v);
    if (v) {
        v->kind = kind;
        v->text = text ? strdup(text) : NULL;
        if (parent)
            v->depth = parent->depth + 1;
    }
    return v;
}
static void format(char *to, size_t room, const char *format, va_list list)
{
    vsnprintf(to, room, format, list);
}
struct value *value_new_null(void) { return made(NULL, NUL, NULL); }
struct value *value_new_array(void) { return made(NULL, ARRAY, NULL); }
struct value *value_new_list(void) { return made(NULL, LIST, NULL); }
struct value *value_new_object(void) { return made(NULL, OBJECT, NULL); }
struct value *value_new_number(long number)
{
    struct value *v = made(NULL, NUMBER, NULL);
    if (v)
        v->number = number;
    return v;
}
struct value *value_new_declaration(struct value *parent, const char *text)
{
    return made(parent, DECLARATION, text);
}
struct value *value_new_textf(struct value *parent, const char *form, ...)
{
    char text[20];
    va_list list;
    va_start(list, form);
    format(text, sizeof text, form, list);
    va_end(list);
    return made(parent, TEXT, text);
}
struct value *value_new_below(struct value *parent)
{
    parent->depth--;
    return made(parent, SET, NULL);
}
struct value *value_new_items(int count, ...)
{
    va_list list;
    va_start(list, count);
    int first = va_arg(list, int);
    va_end(list);
    return made(NULL, first ? LIST : SET, NULL);
}
long value_number(const struct value *v)
{
    switch (v->kind) {
    case NUMBER:
        return v->number;
    case TEXT:
        return strlen(v->text) LIMIT;
    case DECLARATION:
        return strlen(v->text);
    default:
        return -1;
    }
}
int value_is_list(const struct value *v) { return v->kind == LIST; }
"""


@pytest.mark.parametrize(
    ("reader", "first", "absent"),
    [
        ("value_number", {"value_new_number", "value_new_declaration", "value_new_textf"}, set()),
        ("value_is_list", {"value_new_list"}, {"value_new_textf"}),
    ],
)
def test_makers_set_what_the_function_tells_apart(
    reader: str, first: set[str], absent: set[str]
) -> None:
    """Also those that take numbers and texts, a parent that may be null, and what printf takes."""
    unit = parse_text(KINDS.replace("LIMIT", ""))
    functions = {each.symbol.name: each for each in unit.functions}
    calls = networkx.DiGraph((name, "made") for name in functions if name.startswith("value_new"))
    members = Members(functions, calls)
    (makers, getters) = making_of(functions[reader], unit.functions, (), members)
    names = [each.symbol.name for each in makers]
    assert set(names[: len(first)]) == first and not getters
    assert len(names) == MOST_MAKERS
    assert absent.isdisjoint(names)
    assert {"value_new_below", "value_new_items"}.isdisjoint(names)  # null, or too few, would fail


def test_objects_are_made_of_texts_by_a_function_like_printf(tmp_path: Path) -> None:
    write_versions(tmp_path, KINDS.replace("LIMIT", ""), KINDS.replace("LIMIT", "> 2"))
    entry = "value_new_declaration|value_new_textf,value_number"
    done = csgtest("build", "old.c", "new.c", "--entry", entry, "--time", "20", folder=tmp_path)
    assert done.code == 1, done.out
    for each in done.differing:
        given = each["input"]["parameters"]
        assert given["first"] == 2 and given["value_new_textf_form"]
    assert 'value_new_textf(NULL, "%s", ' in done.out  # whichever of the equal witnesses it is


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("init,scale", "a value for '_Complex double', which has no members"),
        ("each", "'by' has a type that tests cannot set"),
    ],
)
def test_what_cannot_be_called_is_named_as_it_was_asked_for(
    entry: str, why: str, tmp_path: Path
) -> None:
    """The place of an error in what csgtest writes to call it would tell nobody anything."""
    text = (
        "typedef struct { _Complex double n; } box; int init(box *b) { return b != 0; }"
        "int scale(const box *a, _Complex double by) { return RESULT; }"
        "int each(int (*call)(int), _Complex double by) { return call(RESULT); }"
    )
    write_versions(tmp_path, text.replace("RESULT", "1"), text.replace("RESULT", "2"))
    done = csgtest("build", "old.c", "new.c", "--entry", entry, folder=tmp_path)
    assert done.code == 2
    assert done.err.startswith(f"csgtest: error: '{entry}' cannot be called by a test: {why}\n")
    assert "wrapper" in done.err and "drivers" not in done.err


TRIE = """\
typedef enum { NO, YES } flag;
typedef struct { int n; } trie;
MACRO
flag trie_init(trie *t) { t->n = 1; return YES; }
flag trie_has(const trie *t, int x) { return t->n + x > LIMIT; }
"""


@pytest.mark.parametrize(
    ("macro", "says"),
    [
        ("", ""),  # an enumeration without a tag, which what calls it declares as its integer type
        ("#define driven 5 5", "csgtest: error: 'trie_init,trie_has' cannot be called by a test: "),
    ],
)
def test_files_of_a_folder_say_why_they_cannot_be_called(
    macro: str, says: str, tmp_path: Path
) -> None:
    """Files that are not C may be left out of a folder: not the one that calls the functions."""
    for version, limit in (("old", "3"), ("new", "4")):
        (tmp_path / version).mkdir()
        text = TRIE.replace("MACRO", macro).replace("LIMIT", limit)
        (tmp_path / version / "a.c").write_text(text)
        (tmp_path / version / "b.c").write_text("int other(void) { return 1; }\n")
    entry = "trie_init,trie_has"
    done = csgtest("build", "old", "new", "--entry", entry, "--time", "4", folder=tmp_path)
    assert done.code == (2 if says else 1)
    assert done.err.startswith(says) and (not says or len(done.err.split("\n")[0]) > len(says))
