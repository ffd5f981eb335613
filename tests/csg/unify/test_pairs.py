"""Programs of several files: what the unified one does is what both versions do natively.

Each case is files by name, for the old and for the new version; None stands for a missing file.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from csg.errors import CsgtestError, UnsupportedError
from csg.ir.verify import verify
from csg.pipeline import program_of
from csg.programs import Versions
from csg.unify import Unified, check, printed
from csg.unify.output.printing import mask_text
from csg.unify.pairs import read_pair, unify_pair

GCC = ["gcc", "-std=gnu17", "-w", "-fwrapv"]
Files = dict[str, str]
MAIN = """\
#include <stdio.h>
#include <stdlib.h>
int f(int);
int main(int argc, char **argv) { printf("%d\\n", f(atoi(argv[1]))); return 0; }
"""


def written(folder: Path, files: Files) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def unification(folder: Path, old: Files, new: Files) -> Unified:
    versions = Versions(written(folder / "old", old), written(folder / "new", new))
    unified = unify_pair(read_pair(versions.pairs()))
    assert check(unified, thorough=True) == []
    return unified


def compiled(folder: Path, name: str, files: list[Path], *flags: str) -> Path:
    program = folder / name
    subprocess.run([*GCC, *flags, *map(str, files), "-o", str(program)], check=True)
    return program


def outputs(program: Path, mask: str = "") -> list[str]:
    return [
        subprocess.run(
            [str(program), str(value)],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
            env={"CSGTEST_MASK": mask},
        ).stdout
        for value in (-3, 0, 1, 7)
    ]


def assert_holds_both(folder: Path, unified: Unified) -> None:
    """Compiled in three ways with the shared files, the unified program does as each version."""
    text = folder / "unified.c"
    text.write_text(printed(unified, ids=True))
    files = [text, *(Path(unit.file) for unit in unified.shared)]
    masked = compiled(folder, "masked", files)
    every = mask_text([change.id for change in unified.changes])
    for version, flag, mask in (("old", "OLD", ""), ("new", "NEW", every)):
        original = compiled(folder, version + "-own", sorted((folder / version).glob("*.c")))
        expected = outputs(original)
        assert outputs(compiled(folder, flag, files, f"-DCSGTEST_{flag}")) == expected
        assert outputs(masked, mask.ljust(len(every), "0") or "0") == expected


STATICS_OLD = {
    "main.c": MAIN,
    "f.c": "static int n = 1; static int g(int x) { return x + n++; }\n"
    "int h(int); int f(int x) { return g(x) * h(x) + g(1); }\n",
    "h.c": "static int n = 5; static int g(int x) { return x - n--; }\n"
    "int h(int x) { return g(x) + g(x); }\n",
}
HEADER = """\
typedef struct { int x, y; } point;
enum { SMALL = 2, LARGE = 9 };
enum color { RED, GREEN };
typedef union { int i; char c[4]; } word;
struct list { struct list *next; point p; };
static inline int sum(point p) { static int calls; return p.x + p.y + calls++; }
inline int twice(int x) { return x * SMALL; }
static const int table[] = {3, 1, 4};
"""
USED = """\
#include "h.h"
extern inline int twice(int);
int g(struct list *l, enum color c) { word w = {c}; return sum(l->next->p) + w.i; }
"""
USES = """\
#include "h.h"
int g(struct list *, enum color);
int f(int x)
{
    struct list l = {&l, {x, table[x & 1]}};
    return g(&l, GREEN) + sum(l.p) + twice(x) @ LARGE;
}
"""
CASES: dict[str, tuple[Files, Files, set[str], int]] = {
    # name: (old, new, files that are shared, changes)
    "statics of one name in files that differ": (
        STATICS_OLD,
        {
            **STATICS_OLD,
            "f.c": STATICS_OLD["f.c"].replace("g(1)", "g(2)"),
            "h.c": STATICS_OLD["h.c"].replace("n = 5", "n = 6"),
        },
        {"main.c"},
        2,
    ),
    "a file is new, and a static of that name is known": (
        STATICS_OLD,
        {
            **STATICS_OLD,
            "f.c": STATICS_OLD["f.c"].replace("h(x)", "k(x)").replace("int h", "int k(int); int h"),
            "k.c": "static int n; int h(int); int k(int x) { n++; return h(x) + n; }\n",
        },
        {"main.c", "h.c"},
        5,
    ),
    "a function moves to another file": (
        {"main.c": MAIN, "a.c": "int g(int x) { return x * 3; }\n",
         "b.c": "int g(int); int f(int x) { return g(x); }\n"},
        {"main.c": MAIN, "a.c": "int unused;\n",
         "b.c": "int g(int x) { return x * 3; }\nint f(int x) { return g(x); }\n"},
        {"main.c"},
        1,  # the object
    ),
    "a parameter is added that another file passes": (
        {"main.c": MAIN, "g.c": "int g(int x) { return x * 3; }\n",
         "f.c": "int g(int); int f(int x) { return g(x) + g(2); }\n"},
        {"main.c": MAIN, "g.c": "int g(int x, int y) { return x * y; }\n",
         "f.c": "int g(int, int); int f(int x) { return g(x, 3) + g(2, 4); }\n"},
        {"main.c"},
        -1,
    ),
    "a file that does not change calls what has another type now": (
        {"main.c": MAIN, "g.c": "int g(int x) { return x / 3; }\n",
         "f.c": "int g(); int f(int x) { return g(x); }\n"},
        {"main.c": MAIN, "g.c": "int g(unsigned x) { return x / 3; }\n",
         "f.c": "int g(); int f(int x) { return g(x); }\n"},
        {"main.c"},
        -1,
    ),
    "a record of a header grows": (
        {"main.c": MAIN, "p.h": "struct p { int x; };\n",
         "g.c": '#include "p.h"\nvoid g(struct p *q, int x) { q->x = x; }\n',
         "f.c": '#include "p.h"\nvoid g(struct p *, int);\n'
                "int f(int x) { struct p q; g(&q, x); return q.x; }\n"},
        {"main.c": MAIN, "p.h": "struct p { char c; int x; int y; };\n",
         "g.c": '#include "p.h"\nvoid g(struct p *q, int x) { q->x = x; q->y = 2 * x; }\n',
         "f.c": '#include "p.h"\nvoid g(struct p *, int);\n'
                "int f(int x) { struct p q; g(&q, x); return q.x + q.y; }\n"},
        {"main.c"},
        -1,
    ),
    "tags and enumerators that each file has for itself": (
        {"main.c": MAIN,
         "f.c": "struct s { int a; }; enum { N = 3 };\nint g(int);\n"
                "int f(int x) { struct s s = {x}; return g(s.a) + N; }\n",
         "g.c": "struct s { long b, c; }; enum { N = 40, M };\n"
                "int g(int x) { struct s s = {x, N}; return s.b + s.c + M; }\n"},
        {"main.c": MAIN,
         "f.c": "struct s { int a; }; enum { N = 3 };\nint g(int);\n"
                "int f(int x) { struct s s = {x}; return g(s.a) - N; }\n",
         "g.c": "struct s { long b, c; }; enum { N = 40, M };\n"
                "int g(int x) { struct s s = {x, N}; return s.b - s.c + M; }\n"},
        {"main.c"},
        2,
    ),
    "a record that one file only declares": (
        {"main.c": MAIN,
         "f.c": "struct s; struct s *make(int); int get(struct s *);\n"
                "int f(int x) { return get(make(x)); }\n",
         "s.c": "struct s { int v; struct s *next; }; static struct s one;\n"
                "struct s *make(int x) { one.v = x; one.next = &one; return &one; }\n"
                "int get(struct s *s) { return s->next->v; }\n"},
        {"main.c": MAIN,
         "f.c": "struct s; struct s *make(int); int get(struct s *);\n"
                "int f(int x) { return get(make(x)) + 1; }\n",
         "s.c": "struct s { int v; struct s *next; }; static struct s one;\n"
                "struct s *make(int x) { one.v = 2 * x; one.next = &one; return &one; }\n"
                "int get(struct s *s) { return s->next->v; }\n"},
        {"main.c"},
        2,
    ),
    "objects that one file declares and another defines": (
        {"main.c": MAIN, "f.c": "extern int t[]; int n; int f(int x) { return t[2] + n + x; }\n",
         "t.c": "int t[3] = {1, 2, 3}; extern int n;\n"},
        {"main.c": MAIN, "f.c": "extern int t[]; int n; int f(int x) { return t[1] + n - x; }\n",
         "t.c": "int t[3] = {1, 7, 3}; extern int n;\n"},
        {"main.c"},
        2,
    ),
    "what a header gives to each file": (
        {"main.c": MAIN, "h.h": HEADER, "f.c": USES.replace("@", "+"), "g.c": USED},
        {"main.c": MAIN, "h.h": HEADER.replace("SMALL = 2", "SMALL = 3").replace("+ p.y", "- p.y"),
         "f.c": USES.replace("@", "-"), "g.c": USED},
        {"main.c"},
        -1,
    ),
    "a header declares more, which one file does not use": (
        {"main.c": MAIN, "h.h": "int g(int);\n",
         "g.c": '#include "h.h"\nint g(int x) { return x; }\n',
         "f.c": '#include "h.h"\nint f(int x) { return g(x); }\n'},
        {"main.c": MAIN, "h.h": "struct s { int x; };\nint g(int);\nint k(struct s *);\n",
         "g.c": '#include "h.h"\nint g(int x) { return x; }\n',
         "f.c": '#include "h.h"\nint k(struct s *s) { return s->x + 1; }\n'
                "int f(int x) { struct s s = {x}; return g(k(&s)); }\n"},
        {"main.c", "g.c"},
        -1,
    ),
    "a file declares what another one defines otherwise": (
        {"main.c": MAIN, "g.c": "int g(void) { return 4; }\nint h(int x) { return x; }\n",
         "f.c": "int g(char *), h(); int f(int x) { return g(\"no\") + h(x, 2); }\n"},
        {"main.c": MAIN, "g.c": "int g(void) { return 5; }\nint h(int x) { return x; }\n",
         "f.c": "int g(char *), h(); int f(int x) { return g(\"no\") - h(x, 2); }\n"},
        {"main.c"},
        2,
    ),
    "comments and lines": (
        {"main.c": MAIN, "f.c": "int f(int x) { return x; }\n"},
        {"main.c": "/* news */\n\n" + MAIN, "f.c": "\nint f(int x) { return x; } /* same */\n"},
        set(),  # where nothing differs, what reads otherwise counts
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_unified_program_holds_both_versions(name: str, tmp_path: Path) -> None:
    old, new, shared, changes = CASES[name]
    unified = unification(tmp_path, old, new)
    assert verify(program_of(unified)) == []
    assert {Path(unit.file).name for unit in unified.shared} == shared
    if changes >= 0:
        assert len(unified.changes) == changes, unified.changes
    assert_holds_both(tmp_path, unified)


def test_without_a_prototype_a_call_may_pass_too_much(tmp_path: Path) -> None:
    old = {"main.c": MAIN, "g.c": "int g(int x) { return x * 3; }\n",
           "f.c": "int g(); int f(int x) { return g(x, 2); }\n"}  # fmt: skip
    new = {**old, "g.c": "int g(int x, int y) { return x * y; }\n"}
    assert unification(tmp_path, old, new).splits == {"g": ("g__old", "g__new")}


def test_statics_are_named_after_their_file(tmp_path: Path) -> None:
    old, new, _, _ = CASES["statics of one name in files that differ"]
    unified = unification(tmp_path, old, new)
    names = {each.symbol.name for each in unified.unit.functions}
    assert names == {"f", "g", "h", "g__h"}
    assert {change.location.file for change in unified.changes} == {
        str(tmp_path / "new" / "f.c"),
        str(tmp_path / "new" / "h.c"),
    }


def test_static_functions_of_shared_files_have_names_of_their_own(tmp_path: Path) -> None:
    """Not those of a header, which are one for all files."""
    twin = '#include "one.h"\nstatic int g(int x) { return one(x) + %d; }\n'
    old = {"main.c": MAIN, "one.h": "static int one(int x) { return -x; }\n",
           "f.c": twin % 0 + "int h(int); int f(int x) { return g(x) + h(x); }\n",
           "h.c": twin % 1 + "int k(int); int h(int x) { return g(x) * k(x); }\n",
           "k.c": twin % 2 + "int k(int x) { return g(x) - 5; }\n"}  # fmt: skip
    new = {**old, "f.c": old["f.c"].replace("g(x) +", "g(x) ^")}
    unified = unification(tmp_path, old, new)
    names = [sorted(each.symbol.name for each in unit.functions) for unit in unified.units]
    assert names == [["f", "g", "one"], ["g__h", "h", "one"], ["g__k", "k", "one"], ["main"]]
    assert_holds_both(tmp_path, unified)
    assert verify(program_of(unified)) == []


@pytest.mark.parametrize(
    ("a", "b", "what"),
    [
        ("int g(int x) { return 1; }", "int g(int x) { return 2; }", "function 'g'"),
        ("int n = 1;", "int n = 2;", "object 'n'"),
    ],
)
@pytest.mark.parametrize("differing", [("a.c", "b.c"), ("a.c",), ()])
def test_what_is_defined_twice_is_told_with_both_places(
    tmp_path: Path, a: str, b: str, what: str, differing: tuple[str, ...]
) -> None:
    old = {"main.c": MAIN + "int f(int x) { return 0; }\n", "a.c": a, "b.c": b}
    new = {
        name: text + f"\nint more_{name[0]};" * (name in differing) for name, text in old.items()
    }
    with pytest.raises(UnsupportedError) as caught:
        program_of(unification(tmp_path, old, new))
    told = str(caught.value)
    assert what.split()[1] in told and "is defined a second time" in told
    assert "b.c:1:" in told and "a.c:1:" in told


# ------------------------------------------------------------------ programs by chance

BODIES = ("return x + n;", "n += x; return n;", "return own(x) - n;", "return own(n) * 2 + x;")


def program(places: list[int], bodies: list[int], start: int) -> Files:
    """Functions f, f1, f2, f3 in files 0 to 2, each calling the next; every file has a static
    object n and a static function own."""
    names = ["f", "f1", "f2", "f3"]
    files = {"main.c": MAIN}
    for file in range(3):
        text = f"static int n = {start + file};\n"
        text += f"static int own(int x) {{ return x ^ (n << {file}); }}\n"
        for at, name in enumerate(names):
            if places[at] == file:
                call = f"x += {names[at + 1]}(x); " if at < 3 else ""
                text += "".join(f"int {other}(int);\n" for other in names[at + 1 : at + 2])
                text += f"int {name}(int x) {{ {call}{BODIES[bodies[at]]} }}\n"
        files[f"u{file}.c"] = text + f"int last_{file};\n"
    return files


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_functions_that_move_and_change(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    place = st.lists(st.integers(0, 2), min_size=4, max_size=4)
    body = st.lists(st.integers(0, len(BODIES) - 1), min_size=4, max_size=4)
    old = program(data.draw(place), data.draw(body), data.draw(st.integers(0, 2)))
    new = program(data.draw(place), data.draw(body), data.draw(st.integers(0, 2)))
    folder = tmp_path_factory.mktemp("moving")
    assert_holds_both(folder, unification(folder, old, new))


def member(folder: Path, kind: str) -> None:
    """A file that is no C of ours, in both versions."""
    for version in ("old", "new"):
        place = folder / version / "member.c"
        match kind:
            case "fifo":
                os.mkfifo(place)
            case "dangling":
                place.symlink_to("nowhere")
            case _:
                place.write_text(kind)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("this is no C {", "syntax error"),
        ('#include "nowhere.h"\nint unused(void) { return 1; }', "No such file"),
        ("int unused(void) { return unknown; }", "not declared"),
        ("void g(int); int unused(void) { g(1) }", "syntax error"),
        ("\0\1\2", "stray"),
        ("fifo", "no regular file"),
        ("dangling", "no file"),
    ],
)
def test_a_member_that_nothing_needs_is_left_out(kind: str, why: str, tmp_path: Path) -> None:
    old = written(tmp_path / "old", {"main.c": MAIN, "f.c": "int f(int x) { return x; }"})
    new = written(tmp_path / "new", {"main.c": MAIN, "f.c": "int f(int x) { return x + 1; }"})
    member(tmp_path, kind)
    pair = read_pair(Versions(old, new).pairs())
    (left_out,) = pair.left_out.items()
    assert left_out[0].new is not None and left_out[0].new.path.name == "member.c"
    assert why in left_out[1].message
    assert len(unify_pair(pair).changes) == 1


@pytest.mark.parametrize(
    "text", ["int f(int x) { return unknown; }", "int f (x) int x; { return nothing; }"]
)
def test_a_member_that_others_need_is_not(text: str, tmp_path: Path) -> None:
    old = written(tmp_path / "old", {"main.c": MAIN, "g.c": "int g;"})
    new = written(tmp_path / "new", {"main.c": MAIN, "g.c": "long g;"})
    member(tmp_path, text)
    with pytest.raises(CsgtestError, match="not declared"):
        read_pair(Versions(old, new).pairs())


def test_a_file_that_was_named_is_not_left_out(tmp_path: Path) -> None:
    old = written(tmp_path / "old", {"main.c": MAIN, "f.c": "int f(int x) { return x; }"})
    broken = tmp_path / "broken.c"
    broken.write_text("this is no C")
    with pytest.raises(CsgtestError, match="this"):
        read_pair(Versions(old, old, others=(broken,)).pairs())
