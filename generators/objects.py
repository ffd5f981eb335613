"""Pairs of versions that differ only for objects which no declaration shows, each with a caller.

    both(int *a, int *b)                 differs where a and b are one
    value_of(struct node *n)             differs where n is the head of a larger structure
    of_leaf(void *at)                    differs where the lowest bit of at is set

The caller makes the object and prints what the call shows, so that gcc says what is true of a pair.
A pair without a ``twist`` is a refactoring, and the same for all callers.

``pairs(seed)`` gives one pair of each shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

HEAD = "#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n"
TYPES = ("int", "long", "short", "unsigned", "unsigned char")
NAMES = ("value", "weight", "level", "total", "rank")


@dataclass(frozen=True, slots=True)
class ObjectPair:
    """Two texts with one function ``entry``; ``caller``: C behind either of them, with a main."""

    shape: str
    old: str
    new: str
    entry: str
    caller: str
    differs: bool


Shape = Callable[[Random, bool], tuple[str, str, str, str]]  # declarations, old, new, caller
_SHAPES: dict[str, Shape] = {}


def _shape(make: Shape) -> Shape:
    _SHAPES[make.__name__] = make
    return make


def shapes() -> tuple[str, ...]:
    return tuple(_SHAPES)


def pair(shape: str, seed: int, twist: bool = True) -> ObjectPair:
    """The pair of a shape and a seed."""
    chance = Random(f"{shape} {seed}")
    common, old, new, calls = _SHAPES[shape](chance, twist)
    caller = f"#include <stdio.h>\nint main(void) {{ {calls} return 0; }}\n"
    return ObjectPair(shape, f"{HEAD}{common}{old}", f"{HEAD}{common}{new}", "f", caller, twist)


def pairs(seed: int, twist: bool = True) -> Iterator[ObjectPair]:
    return (pair(shape, seed, twist) for shape in _SHAPES)


def _printed(call: str) -> str:
    return f'printf("%ld\\n", (long) {call});'


@_shape
def one_number(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """Two pointers to one number."""
    kind, step = chance.choice(TYPES), chance.randint(1, 9)
    old = f"{kind} f({kind} *a, {kind} *b) {{ *a += {step}; *b += {step}; return *a; }}\n"
    new = (
        f"{kind} f({kind} *a, {kind} *b) "
        f"{{ {kind} k = *a + {step}; *b += {step}; *a = k; return k; }}\n"
    )
    if not twist:
        new = (
            f"{kind} f({kind} *a, {kind} *b) {{ *a = *a + {step}; *b = *b + {step}; return *a; }}\n"
        )
    return "", old, new, f"{kind} x = 3; {_printed('f(&x, &x)')}"


@_shape
def overlapping_rows(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """Two rows, one an element further than the other."""
    kind, count = chance.choice(("int", "short", "long")), chance.randint(2, 3)
    head = f"void f({kind} *to, const {kind} *from)"
    forwards = f"{head} {{ for (int i = 0; i < {count}; i++) to[i] = from[i]; }}\n"
    backwards = f"{head} {{ for (int i = {count - 1}; i >= 0; i--) to[i] = from[i]; }}\n"
    counted = f"{head} {{ int i = 0; while (i < {count}) {{ to[i] = from[i]; i += 1; }} }}\n"
    calls = f"{kind} x[] = {{1, 2, 3, 4, 5}}; f(x + 1, x); {_printed('x[2]')}"
    return "", forwards, backwards if twist else counted, calls


@_shape
def member_and_parameter(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """A parameter that leads to a member of what another one leads to, or to what a pointer in it
    leads to."""
    # a byte to which is only written is apart from other objects: a bound of the verdict
    kind, name = chance.choice(TYPES[:-1]), chance.choice(NAMES)
    common = f"struct box {{ char tag; {kind} {name}; {kind} *more; }};\n"
    through = chance.random() < 0.5
    place = "*box->more" if through else f"box->{name}"
    old = f"long f(struct box *box, {kind} *out) {{ *out = 5; return {place}; }}\n"
    new = f"long f(struct box *box, {kind} *out) {{ {kind} k = {place}; *out = 5; return k; }}\n"
    if not twist:
        new = f"long f(struct box *box, {kind} *out) {{ *out = 2 + 3; return (long) {place}; }}\n"
    calls = f"{kind} m = 1; struct box b = {{0, 2, &m}}; "
    return common, old, new, calls + _printed(f"f(&b, {'&m' if through else f'&b.{name}'})")


@_shape
def global_and_parameter(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """A parameter that leads to a global object."""
    kind, name = chance.choice(TYPES), chance.choice(NAMES)
    old = f"long f({kind} *to) {{ {name} = 1; *to = 2; return {name}; }}\n"
    new = f"long f({kind} *to) {{ {name} = 1; *to = 2; return 1; }}\n"
    if not twist:
        new = f"long f({kind} *to) {{ {name} = 2 - 1; *to = 2; return (long) {name}; }}\n"
    return f"{kind} {name};\n", old, new, _printed(f"f(&{name})")


@_shape
def downcast(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """A header that larger structures begin with, told apart by a number."""
    kind, name, tag = chance.choice(TYPES), chance.choice(NAMES), chance.randint(1, 200)
    pad = "".join(f" long pad{at};" for at in range(chance.randint(0, 3)))
    common = (
        f"struct head {{ unsigned char kind; }};\n"
        f"struct wide {{ struct head head;{pad} {kind} {name}; }};\n"
        f"static long look(const struct head *h) {{ return ((const struct wide *) h)->{name}; }}\n"
    )
    direct = f"((struct wide *) h)->{name}" if chance.random() < 0.5 else "look(h)"
    old = f"long f(struct head *h) {{ if (h->kind != {tag}) return 0; return {direct}; }}\n"
    change = old.replace("return 0; return", "return 0; return 1 +")
    same = old.replace(
        f"if (h->kind != {tag}) return 0; return {direct};",
        f"return h->kind == {tag} ? {direct} : 0;",
    )
    calls = f"struct wide w = {{.head = {{{tag}}}, .{name} = 7}}; {_printed('f(&w.head)')}"
    return common, old, change if twist else same, calls


@_shape
def container(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """A link that lies inside of a structure."""
    kind, name = chance.choice(TYPES), chance.choice(NAMES)
    common = (
        "struct link { struct link *next; };\n"
        f"struct item {{ {kind} {name}; struct link link; }};\n"
        "#define item_of(l) ((struct item *) ((char *) (l) - offsetof(struct item, link)))\n"
    )
    old = f"long f(struct link *l) {{ return item_of(l)->{name}; }}\n"
    new = f"long f(struct link *l) {{ return item_of(l)->{name} ^ 1; }}\n"
    same = f"long f(struct link *l) {{ struct item *i = item_of(l); return i->{name}; }}\n"
    calls = f"struct item i = {{6, {{0}}}}; {_printed('f(&i.link)')}"
    return common, old, new if twist else same, calls


@_shape
def tag(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """A pointer whose low bits say what it leads to."""
    bit, kind = chance.choice((1, 2, 3)), chance.choice(("int", "long"))
    mask = 3 if bit == 3 or chance.random() < 0.5 else bit
    common = f"struct leaf {{ {kind} value; }};\n"
    plain = f"((struct leaf *) ((uintptr_t) at & ~(uintptr_t) {mask}))->value"
    test = f"((uintptr_t) at & {mask}) == {bit}"
    old = f"long f(void *at) {{ if ({test}) return {plain}; return -1; }}\n"
    new = f"long f(void *at) {{ if ({test}) return {plain} + 1; return -1; }}\n"
    same = (
        "long f(void *at) { uintptr_t bits = (uintptr_t) at; "
        f"return (bits & {mask}) == {bit} ? {plain} : -1; }}\n"
    )
    calls = f"struct leaf *l = calloc(1, 16); {_printed(f'f((char *) l + {bit})')}"
    return common, old, new if twist else same, calls


@_shape
def union_pointer(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """A pointer in a union, which is told by a number beside it."""
    row = chance.random() < 0.5
    place = "as[1]" if row else "as"
    common = (
        "struct value { int kind; union "
        "{ long number; const char *text; int *row; struct value *list; }"
        f" {'as[2]' if row else 'as'}; }};\n"
    )
    member = chance.choice(("text[0]", "row[0]", "list->kind"))
    own = member.split("[")[0].split("-")[0]
    old = f"long f(const struct value *v) {{ return v->kind == 4 ? v->{place}.{member} : 0; }}\n"
    new = (
        f"long f(const struct value *v) {{ return v->kind == 4 ? v->{place}.{member} + 1L : 0; }}\n"
    )
    same = (
        "long f(const struct value *v) "
        f"{{ if (v->kind != 4) return 0; return v->{place}.{member}; }}\n"
    )
    target = {"text": '"a"', "row": "(int[]) {1}", "list": "&(struct value) {.kind = 1}"}[own]
    calls = f"struct value v = {{.kind = 4, .{place}.{own} = {target}}}; {_printed('f(&v)')}"
    return common, old, new if twist else same, calls


@_shape
def reallocated(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """A member that is reallocated where it is full."""
    kind, more = chance.choice(("int", "long", "char")), chance.randint(1, 3)
    common = f"struct stack {{ {kind} *slots; int used, room; }};\n"
    body = (
        "if (s->used == s->room && s->room >= 0 && s->room < 3) {{ {kind} *m = "
        "realloc(s->slots, (s->room + {more}) * sizeof *m); if (!m) return -1; s->slots = m; "
        "s->room += {told}; }} return s->room;"
    )
    old = f"int f(struct stack *s) {{ {body.format(kind=kind, more=more, told=more)} }}\n"
    new = f"int f(struct stack *s) {{ {body.format(kind=kind, more=more, told=more + 1)} }}\n"
    calls = f"struct stack s = {{calloc(1, 8), 1, 1}}; {_printed('f(&s)')}"
    return common, old, new if twist else old.replace("!m", "m == NULL"), calls


@_shape
def freed(chance: Random, twist: bool) -> tuple[str, str, str, str]:
    """A member of a member that is freed, and used behind that."""
    name = chance.choice(NAMES)
    common = f"struct inner {{ char *text; int {name}; }};\nstruct outer {{ struct inner *in; }};\n"
    old = (
        "int f(struct outer *o) { if (!o->in) return 0; free(o->in->text); o->in->text = NULL; "
        f"return o->in->{name}; }}\n"
    )
    new = old.replace(f"return o->in->{name}", f"return o->in->{name} | 1")
    same = old.replace("if (!o->in)", "if (o->in == NULL)")
    calls = f"struct inner i = {{malloc(3), 4}}; struct outer o = {{&i}}; {_printed('f(&o)')}"
    return common, old, new if twist else same, calls
