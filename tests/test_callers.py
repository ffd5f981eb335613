"""A caller that tells two versions apart is heard of: as a difference, or as what is left out.

Each pair comes with a caller. Compiled by gcc it shows that the versions differ, or does not; then
the verdict may not be that they are equal, and has to be that.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command_line import csgtest, version_of, write_versions
from tests.nightly import every

HEAD = "#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


@dataclass(frozen=True, slots=True)
class Pair:
    """``text`` has OLD | NEW in the brackets ⟨ ⟩. ``main``: the body of the caller's main, behind
    what stands before it in ``own``. ``says``: a part of what csgtest prints; "" where only the
    verdict counts. ``level``: of the builds that differ."""

    text: str
    main: str
    own: str = ""
    says: str = ""
    level: str = "-O0"

    def version(self, which: int) -> str:
        return HEAD + version_of(self.text, which)


def allocated(before: str, after: str) -> str:
    return (
        f"char *f(unsigned n) {{ if (n > 9) return 0; char *p = ⟨{before} | {after}⟩; return p; }}"
    )


USED = 'char *p = f(4); printf("%d\\n", (int) malloc_usable_size(p) < 40);'
SIZED = "the sizes of allocated objects may differ"
MEMBER = "struct base { int kind, n; }; struct whole { int id; struct base b, more[2]; };\n"
ASKS = "if (!p) return ⟨-1 | -2⟩;"
NULL = 'printf("%d\\n", f(NULL));'
PAIRS = {
    # objects that a caller gets
    "a smaller object": Pair(
        allocated("calloc(n + 40, 1)", "calloc(n + 8, 1)"), USED, "#include <malloc.h>", SIZED
    ),
    "in what the caller has": Pair(
        "void f(char **to) { *to = malloc(⟨60 | 20⟩); if (*to) **to = 0; }",
        'char *p; f(&p); printf("%d\\n", (int) malloc_usable_size(p) < 40);',
        "#include <malloc.h>",
        SIZED,
    ),
    "behind a member": Pair(
        "struct box { int *at; };\nstruct box *f(void) { struct box *b = malloc(sizeof *b);\n"
        "if (!b || !(b->at = calloc(⟨20 | 4⟩, 4))) exit(1); return b; }",
        'printf("%d\\n", (int) malloc_usable_size(f()->at) < 40);',
        "#include <malloc.h>",
        SIZED,
    ),
    "nobody wrote a member": Pair(
        "struct two { int a, b; };\nstruct two *f(int a) { struct two *p = "
        "⟨calloc(1, sizeof *p) | malloc(sizeof *p)⟩; if (p) p->a = a; return p; }",
        'struct two *used = malloc(8); used->b = 7; free(used); printf("%d\\n", f(1)->b);',
    ),
    "the same size in other words": Pair(
        "char *f(const char *s) { ⟨return strdup(s); | char *p = malloc(strlen(s) + 1);"
        " if (p) strcpy(p, s); return p;⟩ }",
        'puts(f("ab"));',
    ),
    # objects to which a function only writes
    "a number without its end": Pair(
        'void f(char *to, int v) { char t[16]; int n = snprintf(t, sizeof t, "%d", v);'
        " memcpy(to, t, ⟨n + 1 | n⟩); }",
        "char to[20]; memset(to, 'x', 19); to[19] = 0; f(to, 5); puts(to);",
        says='"0\\001',
    ),
    "one more zero": Pair(
        "void f(unsigned char *p, unsigned v) { *p++ = v >> 8; *p++ = v; ⟨ | *p = 0;⟩ }",
        'unsigned char to[4] = {9, 9, 9, 9}; f(to, 1); printf("%d\\n", to[2]);',
    ),
    "a static text without its end": Pair(
        "char *f(unsigned v) { static char b[16]; int n = 0;\n"
        "do b[n++] = '0' + v % 10; while ((v /= 10) && n < 12);\n⟨b[n] = 0; | ⟩ return b; }",
        "f(1234); puts(f(5));",
        says="as earlier calls wrote them",
    ),
    "a private text without its end": Pair(
        "static char name[32];\nvoid f(const char *s) { int i;\n"
        "for (i = 0; i < 31 && s[i]; i++) name[i] = s[i];\n⟨name[i] = 0; | ⟩ }\n"
        "const char *get(void) { return name; }",
        'f("abcd"); f("x"); puts(get());',
        says="as earlier calls wrote them",
    ),
    "padding": Pair(
        "struct s { char c; int n; };\nvoid f(struct s *to, const struct s *from) {"
        " ⟨memcpy(to, from, sizeof *to); | to->c = from->c; to->n = from->n;⟩ }",
        "struct s a, b; memset(&a, 1, sizeof a); memset(&b, 2, sizeof b); f(&a, &b); "
        'printf("%d\\n", ((char *) &a)[1]);',
        says="padding of objects",
    ),
    # callbacks and the order of calls
    "a store moves over a callback": Pair(
        "int total;\nvoid f(int a, void (*cb)(int)) { ⟨total += a; cb(a); | cb(a); total += a;⟩ }",
        "f(3, look);",
        'extern int total; static void look(int a) { printf("%d\\n", total); }',
        "may look at what is written here",
    ),
    "a load moves over a callback": Pair(
        "int total;\nint f(int a, void (*cb)(int)) {"
        " ⟨int r = total; cb(a); | cb(a); int r = total;⟩ return r; }",
        'printf("%d\\n", f(3, change));',
        "static void change(int a) { total = 9; }",
        "may change what is read here",
    ),
    "a member moves over a callback": Pair(
        "struct s { int n; };\nvoid f(struct s *p, int a, void (*cb)(int)) {"
        " ⟨p->n = a; cb(a); | cb(a); p->n = a;⟩ }",
        "f(&known, 3, look);",
        'static struct s known; static void look(int a) { printf("%d\\n", known.n); }',
    ),
    "a callback moves over a private number": Pair(
        "int f(int a, void (*cb)(int)) { int n = a; ⟨n += 2; cb(a); | cb(a); n += 2;⟩ return n; }",
        'printf("%d\\n", f(3, look));',
        'static void look(int a) { printf("%d\\n", a); }',
    ),
    # public objects
    "a public text": Pair(
        'const char version[] = "1.⟨0 | 1⟩";\nint f(int x) { return x + 1; }',
        "puts(version);",
        says="has other initial values",
    ),
    "a longer public table": Pair(
        'const char *const names[] = {"a"⟨ | , "b"⟩};\nint f(int x) { return x + 1; }',
        'printf("%zu\\n", sizeof names);',
        says="has other initial values",
    ),
    # parameters that lead into one object
    "a part of the other one": Pair(
        MEMBER + "int f(struct whole *w, struct base *b) {"
        " ⟨w->b.n = 4; return b->n; | int n = b->n; w->b.n = 4; return n;⟩ }",
        'struct whole w = {0}; printf("%d\\n", f(&w, &w.b));',
    ),
    "the last element of an array in it": Pair(
        MEMBER + "int f(struct whole *w, struct base *b) {"
        " ⟨w->more[1].n = 4; return b->n; | int n = b->n; w->more[1].n = 4; return n;⟩ }",
        'struct whole w = {0}; printf("%d\\n", f(&w, &w.more[1]));',
    ),
    "a part of a public object": Pair(
        MEMBER + "struct whole known;\nint f(struct base *b) {"
        " ⟨known.b.n = 4; return b->n; | int n = b->n; known.b.n = 4; return n;⟩ }",
        'printf("%d\\n", f(&known.b));',
    ),
    "a member of a public object": Pair(
        "struct s { int a, b; } s;\nint f(int *p) { s.b = 1; *p = 5; return ⟨s.b | 1⟩; }",
        'printf("%d\\n", f(&s.b));',
    ),
    "an element of a public array of structures": Pair(
        "struct s { int a, b; } s[2];\nint f(int *p) { s[0].b = 1; *p = 5; return ⟨s[0].b | 1⟩; }",
        'printf("%d\\n", f(&s[0].b));',
    ),
    "a member of a public union": Pair(
        "union u { int a; float g; } u;\nint f(int *p) { u.a = 1; *p = 5; return ⟨u.a | 1⟩; }",
        'printf("%d\\n", f(&u.a));',
    ),
    "a static object by its public name": Pair(
        'static int lim = 3; extern int limit __attribute__((alias("lim")));\n'
        "int f(int x) { return x > lim ⟨ | && x > 3⟩; }",
        'limit = 1; printf("%d\\n", f(2));',
    ),
    "a static array by its public name": Pair(
        'static int tab[2] = {1, 2}; extern int table[2] __attribute__((alias("tab")));\n'
        "int f(int i) { return ⟨tab[i & 1] | (i & 1) + 1⟩; }",
        'table[1] = 7; printf("%d\\n", f(1));',
    ),
    "a literal of the program": Pair(
        'const char *const usual = "x";\nint f(const char *s) { return s == usual ? ⟨1 | 2⟩ : 0; }',
        'printf("%d\\n", f(usual));',
    ),
    "a literal that a function returns": Pair(
        'const char *nothing(void) { return "none"; }\n'
        "int f(const char *s) { if (s == nothing()) return ⟨1 | 2⟩; return 0; }",
        'printf("%d\\n", f(nothing()));',
    ),
    # what is null
    "asked behind a pointer to a function": Pair(
        f"static int g(const char *p) {{ {ASKS} return *p; }}\n"
        "static int h(const char *p) { return *p + 1; }\n"
        "static int (*const all[])(const char *) = {h, g};\n"
        "int f(const char *p) { return all[1](p); }",
        NULL,
    ),
    "asked in an array": Pair(
        "int f(const char *p) { const char *v[2] = {p, p}; int r = 0;\n"
        "for (int i = 0; i < 2; i++) if (v[i]) r += *v[i]; else r += ⟨1 | 2⟩;\nreturn r; }",
        NULL,
    ),
    "asked of a static object": Pair(
        f"static const char *known;\nstatic int g(void) {{ const char *p = known; {ASKS}"
        " return *p; }\nint f(const char *p) { known = p; return g(); }",
        NULL,
    ),
    "asked behind the named arguments": Pair(
        "static int g(int n, ...) { va_list ap; va_start(ap, n);"
        f" const char *p = va_arg(ap, const char *); va_end(ap); {ASKS} return *p; }}\n"
        "int f(const char *p) { return g(1, p); }",
        NULL,
    ),
    "asked by its bytes": Pair(
        "int f(const char *p) { static const char *none;\n"
        "if (memcmp(&p, &none, sizeof p) == 0) return ⟨-1 | -2⟩; return *p; }",
        NULL,
    ),
    "asked of a member in a callback": Pair(
        "struct d { const char *p; int n; };\n"
        "static void each(void (*cb)(void *, int), void *with) { cb(with, 1); }\n"
        "static void found(void *with, int x)"
        " { struct d *d = with; if (d->p) d->n = *d->p; else d->n = x + ⟨1 | 2⟩; }\n"
        "int f(const char *p) { struct d d = {p, 0}; each(found, &d); return d.n; }",
        NULL,
    ),
    "asked of what a function returns": Pair(
        "static const char *same(const char *p) { return p; }\n"
        f"int f(const char *q) {{ const char *p = same(q); {ASKS} return *p; }}",
        NULL,
    ),
    "asked by the address of a member": Pair(
        "struct d { const char *p; int n; };\n"
        "static int none(const char *const *at) { return *at == NULL; }\n"
        "int f(const char *p) { struct d d = {p, 0}; if (none(&d.p)) return ⟨1 | 2⟩;"
        " return *p; }",
        NULL,
    ),
    "asked where qsort compares": Pair(
        "static int before(const void *a, const void *b)\n"
        "{ const char *const *c = a, *const *d = b; if (!*c || !*d) return ⟨1 | -1⟩;"
        " return **c - **d; }\n"
        'int f(const char *p) { const char *v[2] = {p, "m"};'
        " qsort(v, 2, sizeof *v, before); return v[0] == p; }",
        NULL,
    ),
    "null has a meaning for free": Pair(
        "struct d { char *p; int n; };\n"
        "int f(char *p) { struct d d = {p, 0}; ⟨ | p[0] = 0;⟩ free(d.p); return d.n; }",
        'printf("%d\\n", f(NULL));',
    ),
    # promises to the compiler
    "nonnull": Pair(
        "⟨ | __attribute__((nonnull))⟩ int f(const int *p) { if (p == NULL) return 1; return *p; }",
        'int *volatile p = NULL; printf("%d\\n", f(p));',
        says="relies on attributes",
        level="-O2",
    ),
    "restrict": Pair(
        "void f(int *⟨ | restrict⟩ a, const int *⟨ | restrict⟩ b) { a[0] += b[0]; a[1] += b[0]; }",
        'int a[2] = {1, 1}; f(a, a); printf("%d\\n", a[1]);',
        says="relies on attributes",
        level="-O2",
    ),
    "may_alias": Pair(
        "typedef int ⟨__attribute__((may_alias)) | ⟩ other;\n"
        "int f(other *a, float *b) { *a = 1; *b = 0; return *a; }",
        'int both; printf("%d\\n", f(&both, (float *) &both));',
        says="relies on attributes",
        level="-O2",
    ),
    "an attribute that says nothing": Pair(
        "⟨ | __attribute__((noinline))⟩ int f(const int *p) { return p ? *p : 0; }",
        'printf("%d\\n", f(NULL));',
    ),
    "unreachable": Pair(
        "int f(const char *s) { ⟨ | if (s[0] == 'q') __builtin_unreachable();⟩ return s[0]; }",
        'puts("undefined");',
        says="reached an unreachable program point",
    ),
}
# The verdict names the objects into which no pointer of an input leads.
READS = "{ ⟨int r = s[0]; OBJECT = 0; return r; | OBJECT = 0; return s[0];⟩ }"
GIVEN_OUT = {
    "a text in a public object": Pair(
        'struct cfg { int n; char name[4]; } cfg = {3, "abc"};\n'
        "int f(const char *s) " + READS.replace("OBJECT", "cfg.name[0]"),
        'printf("%d\\n", f(cfg.name));',
        says="do not lead into cfg",
    ),
    "a public text": Pair(
        'char known[8] = "q";\nint f(const char *s) ' + READS.replace("OBJECT", "known[0]"),
        'printf("%d\\n", f(known));',
        says="do not lead into known",
    ),
    "behind a member": Pair(
        "int known; struct s { int *p; };\nint f(struct s *o) { int *s = o->p; if (!s) return 0;"
        + READS.replace("OBJECT", "known").replace("= 0", "= 5")
        + " }",
        'struct s s = {&known}; printf("%d\\n", f(&s));',
        says="do not lead into known",
    ),
    "a static object that is returned": Pair(
        "struct c { int level; }; static struct c usual = {1};\n"
        "struct c *usual_c(void) { return &usual; }\n"
        "int f(struct c *c, int v) { c->level = v; return ⟨usual.level | 1⟩; }",
        'printf("%d\\n", f(usual_c(), 4));',
        says="do not lead into usual",
    ),
    "an element of a static array that is returned": Pair(
        "static int pool[4];\nint *slot(int i) { return &pool[i & 3]; }\n"
        "int f(int *p) { *p = 1; return ⟨pool[0] + pool[1] + pool[2] | 0⟩; }",
        'printf("%d\\n", f(slot(2)));',
        says="do not lead into pool",
    ),
    "a static object in a public pointer": Pair(
        "static int s = 3; int *const known = &s;\nint f(int *p) { *p = 8; return ⟨s | 3⟩; }",
        'printf("%d\\n", f(known));',
        says="do not lead into s",
    ),
    "a static object that a callback is given": Pair(
        "static int s; void each(void (*cb)(int *)) { cb(&s); }\n"
        "int f(int *p) { int t = *p; s = t + 1; return ⟨t | *p⟩; }",
        'each(keep); printf("%d\\n", f(it));',
        own="static int *it; static void keep(int *p) { it = p; }",
        says="do not lead into s",
    ),
    "a static object, stored to by the pointer that a function returns": Pair(
        'static char b[8] = "ab"; char *name(void) { return b; }\n'
        "int f(const char *p) { char *q = name(); char c = *p; q[0] = 'q'; return ⟨*p | c⟩; }",
        'printf("%d\\n", f(name()));',
        says="do not lead into b",
    ),
    "a static object, stored to by a public pointer": Pair(
        "static char b[4]; char *const known = b;\n"
        "int f(const char *p) { char c = *p; known[0] = 'q'; return ⟨*p | c⟩; }",
        'printf("%d\\n", f(known));',
        says="do not lead into known or b",
    ),
    "a static object whose address is a number": Pair(
        "static int hid; size_t give(void) { return (size_t) &hid ^ 0x55; }\n"
        "int f(int *p) { hid = 1; *p = 5; return ⟨hid | 1⟩; }",
        'printf("%d\\n", f((int *) (give() ^ 0x55)));',
        says="do not lead into hid",
    ),
    "a static object of another function": Pair(
        "int *counter(void) { static int c; return &c; }\n"
        "int f(int *p) { int *c = counter(); *c = 1; *p = 2; return ⟨*c | 1⟩; }",
        'printf("%d\\n", f(counter()));',
        says="do not lead into c",
    ),
}
UNDEFINED = frozenset({"unreachable"})  # what no run shows


def output(folder: Path, text: str, pair: Pair) -> bytes:
    """What the caller of one version prints."""
    file = folder / "whole.c"
    file.write_text(f"{text}\n{pair.own}\nint main(void) {{ {pair.main} }}\n")
    subprocess.run(["gcc", "-w", pair.level, "-o", folder / "whole", file], check=True)
    return subprocess.run([folder / "whole"], check=False, capture_output=True).stdout


@pytest.mark.parametrize("name", every(4, PAIRS))
def test_what_a_caller_sees_is_no_equality(name: str, tmp_path: Path) -> None:
    pair = PAIRS[name]
    old, new = pair.version(0), pair.version(1)
    apart = output(tmp_path, old, pair) != output(tmp_path, new, pair) or name in UNDEFINED
    write_versions(tmp_path, old, new)
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "8")
    done = csgtest(*words, folder=tmp_path)
    equal = done.report["verdict"] in ("no-change", "equivalent-within-bounds")
    assert equal != apart, done.out
    assert pair.says in done.out and "error of csgtest" not in done.out


@pytest.mark.parametrize("name", GIVEN_OUT)
def test_an_equality_names_the_objects_that_no_pointer_leads_into(
    name: str, tmp_path: Path
) -> None:
    pair = GIVEN_OUT[name]
    old, new = pair.version(0), pair.version(1)
    assert output(tmp_path, old, pair) != output(tmp_path, new, pair)
    write_versions(tmp_path, old, new)
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "8", folder=tmp_path)
    if done.report["verdict"] != "different":
        assert pair.says in done.out, done.out
