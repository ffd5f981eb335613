"""Which pointers of a caller matter to each other, by what code stores and compares."""

from __future__ import annotations

import pytest

from csg.analysis.aliasing import stores
from csg.frontend import parse_text
from csg.language.types import FLOAT, INT, SHORT, Integer, Pointer, Record

HEAD = """
void *memcpy(void *, const void *, unsigned long);
void free(void *);
struct node { struct node *next; int n; };
struct base { int kind; };
struct wide { struct base base; long more; };
struct top { struct node *a, *b; struct base *x, *y; char *name; double *d; };
struct pair { struct node *left; };
static void put(int *to) { *to = 1; }
static void get(struct node **to, struct top *t) { *to = t->a; }
static void all(int count, ...) { }
"""
# What a function of ``struct top *t`` does; what is stored, or compared, behind ``t``.
STORED = {
    "t->a->n = 1;": "node",
    "t->a->n++;": "node",
    "t->a->next->n += 1;": "node",
    "struct node *p = t->a; p->n = 1;": "node",
    "struct node *p; p = t->a; p->n = 1;": "node",
    "struct node *p = t->a, **q = &p; (*q)->n = 1;": "node",
    "struct node *p; get(&p, t); p->n = 1;": "node",
    "struct top copy; memcpy(&copy, t, sizeof copy); copy.a->n = 1;": "node",
    "struct top copy = *t; copy.a->n = 1;": "node",
    "struct pair p = {t->a}; p.left->n = 1;": "node",
    "struct pair *p = &(struct pair){t->a}; p->left->n = 1;": "node",
    "struct node *p = ({ int k = 0; t->a; }); p->n = 1;": "node",
    "struct node *p = __builtin_choose_expr(1, t->a, 0); p->n = 1;": "node",
    "put(&t->a->n);": "node, base",
    "memcpy(t->a, t->b, sizeof *t->a);": "node",
    "free(t->a);": "node",
    "free(t->a->next);": "node",
    "all(1, t->a);": "node, base, char, double",
    "((struct wide *) t->x)->more = 1;": "base",
    "struct wide *w = (struct wide *) t->x; w->more = 1;": "base",
    "t->x->kind = 1;": "base",
    "int *k = &t->x->kind; *k = 1;": "node, base",  # a node has an int, too
    "*t->name = 1;": "char",
    "*t->d = 1;": "double",
    "if (t->a == t->b) t->d = 0;": "node",
    "for (struct node *p = t->a; p != t->b; p = p->next);": "node",
    "int k = t->a->n; k = 2;": "",
    "if (t->a == 0 || !t->b) return;": "",
    "t->d = 0;": "",
}


@pytest.mark.parametrize("code", STORED)
def test_pointers_in_objects_meet_where_something_is_stored(code: str) -> None:
    unit = parse_text(f"{HEAD}void f(struct top *t) {{ {code} }}\n", "a.c")
    entry = next(each for each in unit.functions if each.symbol.name == "f")
    found = stores([unit], entry)
    (top,) = (each.type for each in entry.parameters)
    assert isinstance(top, Pointer) and isinstance(top.target, Record) and top.target.fields
    targets = {each.name: each.type.target for each in top.target.fields}  # type: ignore[union-attr]
    names = {"node": "a", "base": "x", "char": "name", "double": "d"}
    met = [name for name, member in names.items() if found.parts_meet("t", "t", targets[member])]
    assert ", ".join(met) == STORED[code]


@pytest.mark.parametrize(
    "code",
    ["t->u->l = 1;", "t->u->in.l = 1;", "*t->s = *t->r;", "memcpy(t->s, t->r, sizeof *t->s);"],
)
def test_a_store_to_an_object_is_one_to_its_parts(code: str) -> None:
    head = (
        "void *memcpy(void *, const void *, unsigned long);\n"
        "union u { short n; long l; union { long l; } in; }; struct s { long l; short n; };\n"
        "struct top { union u *u; struct s *s, *r; };\n"
    )
    unit = parse_text(f"{head}void f(struct top *t) {{ {code} }}\n", "a.c")
    found = stores([unit], unit.functions[0])
    assert found.parts_meet("t", "t", SHORT) and not found.parts_meet("t", "t", FLOAT)


def test_types_of_one_size_are_alike() -> None:
    unit = parse_text("void f(unsigned **a, int **b) { **a = 1; }", "a.c")
    found = stores([unit], unit.functions[0])
    assert found.parts_meet("a", "b", INT)
    assert not found.parts_meet("b", "b", INT)
    assert not found.parts_meet("a", "b", Integer("char", 1, True, 1))
