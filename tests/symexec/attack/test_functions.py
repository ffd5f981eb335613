"""The attack of functions: each shape of parameters shows what only it can show, and what is alike
stays alike. The truth is native: a caller that gcc compiles with either version."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from generators.shapes import NAMES, Shaped, made, shapes
from symexec.testcases import Observed
from tests.nightly import every
from tests.symexec.attack.attacks import attacked

DOUBTED = ("a second call",)  # only another call shows it: that both versions keep a state


def printed(pair: Shaped, version: str, folder: Path) -> tuple[str, int]:
    """What the caller shows with a version."""
    (folder / "version.c").write_text(version)
    (folder / "caller.c").write_text(pair.caller)
    command = ["gcc", "-w", '-DVERSION="version.c"', "caller.c", "-o", "caller", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    done = subprocess.run(["./caller"], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout, done.returncode


@pytest.mark.parametrize("shape", every(9, shapes()), ids=", ".join)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.night)])
def test_callers_tell_the_versions_apart_and_not_those_that_are_alike(
    seed: int, shape: tuple[str, str], tmp_path: Path
) -> None:
    name, form = shape
    pair = made(name, seed, form)
    old = printed(pair, pair.old, tmp_path)
    assert printed(pair, pair.new, tmp_path) != old
    assert printed(pair, pair.alike, tmp_path) == old


@pytest.mark.parametrize("name", every(5, NAMES))
def test_the_attack_shows_the_difference(name: str, tmp_path: Path) -> None:
    pair = made(name, 3)
    found = attacked(tmp_path, pair.old, pair.new, "--entry", pair.entry)
    assert found.tests, (found.omissions, found.facts)
    assert found.tests[0].observed is Observed.DIFFERENT


@pytest.mark.parametrize("name", every(5, NAMES, 2))
def test_the_attack_shows_nothing_of_versions_that_are_alike(name: str, tmp_path: Path) -> None:
    pair = made(name, 4)
    found = attacked(tmp_path, pair.old, pair.alike, "--entry", pair.entry, seconds=2)
    assert found.tests == [] and found.omissions == []
    assert found.facts["inputs"] > 100 or found.facts["all"]


ALLOCATED = {  # memory that the C library allocates, and the same from malloc
    "strdup": ("char *f(const char *s) { return strdup(s); }", "size_t n = strlen(s) + 1;"
               " char *p = malloc(n); return memcpy(p, s, n);"),
    "aligned": ("int *f(int v) { int *p = aligned_alloc(16, 16); *p = v; return p; }",
                "int *p = malloc(16); *p = v; return p;"),
    "printed": ('char *f(int v) { char *p; if (asprintf(&p, "%d", v) < 0) return 0; return p; }',
                'char *p = malloc(24); sprintf(p, "%d", v); return p;'),
}  # fmt: skip


@pytest.mark.parametrize("edit", ["", " + 1"])
@pytest.mark.parametrize("name", ALLOCATED)
def test_memory_is_new_whoever_allocates_it(name: str, edit: str, tmp_path: Path) -> None:
    old, body = ALLOCATED[name]
    head = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    other = body.replace("*p = v", f"*p = v{edit}").replace('"%d", v', f'"%d", v{edit}')
    other = other.replace("p, s, n", f"p, s{edit}, n")
    new = f"{old[: old.index('{')]}{{ {other} }}"
    found = attacked(tmp_path, head + old, head + new, "--entry", "f", seconds=2)
    assert bool(found.tests) is bool(edit), found


ADDRESSES = {  # a byte of an address, by a pointer whose type says nothing of it
    "void": "void *f(void) { char *h = malloc(100); struct file *p = malloc(SIZE + 100);",
    "char": "char *f(void) { char *h = malloc(100); struct file *p = malloc(SIZE + 100);",
    "short": "short *f(void) { char *h = malloc(100); struct file *p = malloc(SIZE + 100);",
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_part_of_an_address_is_no_value(name: str, tmp_path: Path) -> None:
    head = "#include <stdlib.h>\nstruct file { char *name; size_t size; };\n"
    body = f"{head}{ADDRESSES[name]} p->name = h; h[0] = 0; p->size = 7; return (void *) p; }}\n"
    both = [body.replace("SIZE", size) for size in ("216", "sizeof *p")]
    assert not attacked(tmp_path, *both, "--entry", "f", seconds=2).tests


NAMELESS = {  # objects that have a name in one version, for its file or a function
    "of a function": 'static const char t[] = "ab"; return t;',
    "of the file": "return text;",
    "none": 'return (x, "ab");',
}


@pytest.mark.parametrize("name", NAMELESS)
def test_a_name_that_one_version_has_is_nothing_to_callers(name: str, tmp_path: Path) -> None:
    old = 'const char *f(int x) { (void) x; return "ab"; }\n'
    new = (
        f'static const char text[] = "ab";\nconst char *f(int x) {{ (void) x; {NAMELESS[name]} }}\n'
    )
    assert not attacked(tmp_path, old, new, "--entry", "f", seconds=2).tests
