"""What the linker takes for a name is part of a program, though no tree of a function shows it.

    a.c  int plug(int) __attribute__((weak)); ... plug ? plug(3) : 0     both versions
    b.c  static int plug(int x) ...                                     old: nobody's plug
         int plug(int x) ...                                            new: a.c calls it

Each pair differs natively. A rename is one only where nobody else knows either name.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from csg.programs import Versions
from csg.unify.pairs import read_pair, unify_pair
from tests.command_line import csgtest, version_of

PLUGGED = "extern int plug(int) __attribute__((weak)); int other(int);\n"
PLUGGED += "int main(int n, char **v) { if (n > 1 && plug) return plug(3); return other(0); }"
USES = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <assert.h>\n"


@dataclass(frozen=True, slots=True)
class Linked:
    """``differs`` is the file with an edit, ⟨old | new⟩; ``shared`` is the other one, if any."""

    differs: str
    shared: str = ""
    flags: tuple[str, ...] = ()


APART = {
    "a weak reference finds a definition": Linked(
        "int other(int x) { return x; }\n⟨ | int plug(int x) { return x + 1; }⟩", PLUGGED
    ),
    "a weak reference finds it by its new name": Linked(
        "int other(int x) { return x; }\nint ⟨plugin | plug⟩(int x) { return x + 1; }", PLUGGED
    ),
    "a weak reference finds what was static": Linked(
        "⟨static | ⟩ int plug(int x) { return x + 1; }\n"
        "int other(int x) { return x ? plug(x) : 0; }",
        PLUGGED,
    ),
    "a weak reference to an object": Linked(
        "int ⟨tbl | table⟩[2] = {0, 4}; int other(int x) { return ⟨tbl | table⟩[x]; }",
        "extern int table[] __attribute__((weak)); int other(int);\n"
        "int main(int n, char **v) { if (n > 1 && table) return table[1]; return other(0); }",
    ),
    "a weak definition yields to another file's": Linked(
        "__attribute__((weak)) int ⟨own | hook⟩(int x) { return x; }\n"
        "int main(int n, char **v) { return n > 1 ? ⟨own | hook⟩(3) : 0; }",
        "int hook(int x) { return x + 1; }",
    ),
    "an object goes before a weak one": Linked(
        "int num(void); int ⟨a_count | count⟩ = 1;\n"
        "int main(int n, char **v) { return n > 1 ? num() + ⟨a_count | count⟩ : 0; }",
        "__attribute__((weak)) int count = 5; int num(void) { return count; }",
    ),
    "what the compiler calls for printf": Linked(
        "int printf(const char *, ...);\n"
        'int ⟨say | puts⟩(const char *s) { return printf("<%s>", s); }\n'
        'int main(int n, char **v) { if (n > 1) printf("hello\\n"); ⟨say | puts⟩("a"); return 0; }'
    ),
    "what the compiler calls for bits": Linked(
        "int ⟨bits | __popcountdi2⟩(long x) { return 9; }\n"
        "int main(int n, char **v)"
        " { return n > 1 ? __builtin_popcountl(v[1][0]) : ⟨bits | __popcountdi2⟩(1) - 9; }"
    ),
    "what the library calls to register": Linked(
        USES + "static void bye(void) { }\n"
        "int ⟨own | __cxa_atexit⟩(void (*f)(void *), void *a, void *d) { return 7; }\n"
        "int main(int n, char **v) { return n > 1 ? atexit(bye) : 0; }"
    ),
    "what the library calls to allocate": Linked(
        USES + "static char pool[1 << 16]; static size_t used;\n"
        "void *⟨take | malloc⟩(size_t n) { used += (n + 15) / 16 * 16; return pool + used - n; }\n"
        "int main(int n, char **v)"
        " { size_t u = used; if (n > 1) strdup(v[1]); return used != u; }"
    ),
    "what an assertion calls": Linked(
        USES + "void ⟨own | __assert_fail⟩"
        "(const char *a, const char *f, unsigned l, const char *g) { exit(7); }\n"
        "int main(int n, char **v) { assert(n < 2); return 0; }"
    ),
    "what start files call": Linked(
        "int k = 3; void ⟨own | __gmon_start__⟩(void) { k = 5; }\n"
        "int main(int n, char **v) { return n > 1 ? k : 0; }"
    ),
    "what is looked up at run time": Linked(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\nint ⟨one | hook⟩(int x) { return x; }\n"
        "int main(int n, char **v)"
        ' { return n > 1 ? ⟨one | hook⟩(0) + (dlsym(RTLD_DEFAULT, "hook") != 0) : 0; }',
        flags=("-rdynamic",),
    ),
    "the line of a call": Linked(
        "⟨ | \n⟩int main(int n, char **v) { return n > 1 ? __builtin_LINE() : 0; }"
    ),
    "the line in an initial value": Linked(
        "⟨ | /* why */\n⟩static int t[] = {__builtin_LINE(), 2};\n"
        "int main(int n, char **v) { return n > 1 ? t[0] : 0; }"
    ),
}
ALIKE = {
    "a name that nobody else knows": Linked(
        "int ⟨own | mine⟩(int x) { return x + 1; }\n"
        "int main(int n, char **v) { return ⟨own | mine⟩(n); }",
        "int other(int x) { return x; }",
    ),
    "a static name": Linked(
        "static int ⟨own | puts⟩(int x) { return x + 1; }\n"
        "int main(int n, char **v) { return ⟨own | puts⟩(n); }"
    ),
    "a function that is static now": Linked(
        "⟨ | static⟩ int own(int x) { return x + 1; }\n"
        "int main(int n, char **v) { return own(n); }",
        "int other(int x) { return x; }",
    ),
}


def versions(folder: Path, pair: Linked) -> Versions:
    for which, name in enumerate(("old", "new")):
        place = folder / name
        place.mkdir()
        (place / "a.c").write_text(f"{version_of(pair.differs, which)}\n")
        if pair.shared:
            (place / "b.c").write_text(f"{pair.shared}\n")
    return Versions(folder / "old", folder / "new", flags=pair.flags)


def native(folder: Path, pair: Linked) -> tuple[int, bytes]:
    sources = sorted(folder.glob("*.c"))
    program = folder / "program"
    subprocess.run(["gcc", "-w", *sources, "-o", program, *pair.flags], check=True)
    done = subprocess.run([program, "a"], capture_output=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", [*APART, *ALIKE])
def test_another_definition_is_a_difference(name: str, tmp_path: Path) -> None:
    pair = {**APART, **ALIKE}[name]
    given = versions(tmp_path, pair)
    apart = native(tmp_path / "old", pair) != native(tmp_path / "new", pair)
    assert apart == (name in APART)
    found = unify_pair(read_pair(given.pairs()), "main")
    assert bool(found.dissents or (apart and found.changes)) == apart, found.dissents
    assert not (apart and found.same_code)


# A file whose function others may call by the linker's name.
OTHERWISE_LINKED = {
    "a label": '⟨ | int f(int x) __asm__("f_real");⟩ int f(int x) { return x + 1; }',
    "a label, and its name in assembly": '⟨ | int f(int x) __asm__("f_real");⟩ int f(int x) '
    '{ return x + 1; } ⟨ | __asm__(".globl f\\nf: lea 2(%rdi), %eax\\nret\\n");⟩',
    "a function in assembly": "int f(int x) { return x + 1; } "
    '⟨ | __asm__(".globl g\\ng: ret\\n");⟩',
}


@pytest.mark.parametrize("name", OTHERWISE_LINKED)
def test_what_others_may_link_to_is_no_same_program(name: str, tmp_path: Path) -> None:
    given = versions(tmp_path, Linked(OTHERWISE_LINKED[name]))
    found = unify_pair(read_pair(given.pairs()), "f")
    assert found.dissents and not found.same_code


@pytest.mark.parametrize("name", [*APART][::3])
def test_it_is_no_equality(name: str, tmp_path: Path) -> None:
    pair = APART[name]
    versions(tmp_path, pair)
    words = ["build", "old", "new", "--sym-args", "0", "1", "1", "--time", "6"]
    words += ["--", *pair.flags] if pair.flags else []
    done = csgtest(*words, folder=tmp_path)
    assert done.report["verdict"] in ("different", "no-difference-found"), done.out
    assert "error of csgtest" not in done.out
