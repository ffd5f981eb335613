"""What runs around main, though nothing in the program leads to it, withdraws "equivalent".

Each way to have code run that way comes with each change of it; the truth is what the programs
return natively.
"""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path
from typing import Any

import pytest

from csg import retained as module
from csg.programs import Versions
from csg.retained import Retained, retained, symbols_of
from csg.unify.pairs import read_pair, unify_pair
from tests.command_line import csgtest

# How f comes to run: what stands behind its definition, and flags of the linker.
WAYS = {
    "init-array": ('__attribute__((section(".init_array"), used)) static F p = f;', ()),
    "numbered": ('__attribute__((section(".init_array.200"), used)) static F p = f;', ()),
    "preinit-array": ('__attribute__((section(".preinit_array"), used)) static F p = f;', ()),
    "in-a-structure": (
        'static struct { F p; } s __attribute__((section(".init_array"), used)) = {f};',
        (),
    ),
    "initialiser": ("", ("-Wl,-init,f",)),
    "alias": ('void g(void) __attribute__((alias("f")));', ("-Wl,-init,g",)),
    "profiling-by-alias": ('void __gmon_start__(void) __attribute__((alias("f")));', ()),
    "profiling": ("void __gmon_start__(void) { f(); }", ()),
    "of-the-library": (
        "int __cxa_atexit(void (*a)(void *), void *b, void *c) { f(); return 0; }\n"
        "static void end(void) { }\n#define BEFORE atexit(end)",
        (),
    ),
    "never": ("", ()),
    "table": ('__attribute__((section("table"), used)) static F p = f;', ()),
    "unused-caller": ("void g(void) { f(); }", ()),
}
# What f does in both versions; h is one that main calls as well.
EFFECTS = {
    "itself": ("k = 1", "k = 2"),
    "behind": ("h(1)", "h(2)"),
    "of-an-object": ("k = a", "k = b"),
}
PAIRS = list(itertools.product(WAYS, EFFECTS))


def program(way: str, effect: str) -> str:
    return f"""\
#include <stdlib.h>
typedef void (*F)(void);
static int k, a = 3, b = 4;
static void h(int n) {{ k = n; }}
void f(void) {{ {effect}; }}
{WAYS[way][0]}
#ifndef BEFORE
#define BEFORE
#endif
int main(int argc, char **argv)
{{
    BEFORE;
    if (argc > 5) h(7);
    return argv[1][0] == 'k' ? k : 0;
}}
"""


def native(text: str, flags: tuple[str, ...], folder: Path) -> int:
    folder.mkdir()
    (folder / "p.c").write_text(text)
    subprocess.run(["gcc", "-w", "p.c", "-o", "p", *flags], cwd=folder, check=True)
    return subprocess.run([folder / "p", "k"], check=False).returncode


def found(old: str, new: str, flags: tuple[str, ...], folder: Path) -> tuple[Retained, ...]:
    for name, text in (("old.c", old), ("new.c", new)):
        (folder / name).write_text(text)
    files = Versions(folder / "old.c", folder / "new.c", flags=flags).pairs()
    return retained(unify_pair(read_pair(files)), "main", files)


@pytest.mark.parametrize(("way", "effect"), PAIRS)
def test_the_linker_says_what_runs_around_main(way: str, effect: str, tmp_path: Path) -> None:
    old, new = (program(way, each) for each in EFFECTS[effect])
    flags = WAYS[way][1]
    truth = native(old, flags, tmp_path / "old") != native(new, flags, tmp_path / "new")
    assert truth == (way not in ("never", "table", "unused-caller"))
    names = {each.name for each in found(old, new, flags, tmp_path)}
    assert bool(names) == truth
    assert not truth or "f" in names


@pytest.mark.parametrize("way", WAYS)
def test_what_runs_around_main_matters_where_only_main_changed(way: str, tmp_path: Path) -> None:
    old = program(way, "k = 1")
    new = old.replace("? k :", "? k * 2 :")
    flags = WAYS[way][1]
    truth = native(old, flags, tmp_path / "old") != native(new, flags, tmp_path / "new")
    assert bool(found(old, new, flags, tmp_path)) == truth


def test_a_pointer_that_leads_elsewhere_is_told_with_its_place(tmp_path: Path) -> None:
    old = program("init-array", "k = 1").replace("F p = f", "F p = one")
    old = old.replace("void f(", "static void one(void) { k = 3; }\nvoid f(")
    (told,) = found(old, old.replace("F p = one", "F p = f"), (), tmp_path)
    assert (told.name, told.is_function) == ("p", False)
    assert told.text == "the linker keeps 'p', and nothing is known to use it"
    assert "p = f" in (tmp_path / "new.c").read_text().splitlines()[told.location.line - 1]


@pytest.mark.parametrize(("way", "call"), [("never", "f();"), ("alias", "g();")])
def test_what_main_leads_to_needs_no_linker(
    way: str, call: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(module, "compile_program", None)
    old = program(way, "k = 1").replace("BEFORE;", f"{call} BEFORE;")
    assert found(old, old.replace("k = 1", "k = 2"), (), tmp_path) == ()


def test_a_program_that_cannot_be_linked_may_have_it_all(tmp_path: Path) -> None:
    old = program("never", "k = 1")
    flags = ("-Wl,--no-such-flag",)
    (told,) = found(old, old.replace("k = 1", "k = 2"), flags, tmp_path)
    assert told.text == "the linker does not say whether 'f' is part of the program"


def test_symbols_are_those_of_nm(tmp_path: Path) -> None:
    native(program("init-array", "k = 1"), (), tmp_path / "made")
    said = subprocess.run(["nm", "p"], cwd=tmp_path / "made", check=True, text=True, stdout=-1)
    words = [line.split() for line in said.stdout.splitlines()]
    defined = {word[-1] for word in words if word[-2] not in "Uw"}
    known = symbols_of((tmp_path / "made" / "p").read_bytes())
    assert {"main", "f", "k"} <= defined <= known
    with pytest.raises(ValueError, match="ELF"):
        symbols_of(b"#!/bin/sh\n" * 10)


@pytest.mark.parametrize("way", ["init-array", "initialiser", "of-the-library"])
def test_the_verdict_is_no_false_one(way: str, tmp_path: Path) -> None:
    for name, effect in zip(("old.c", "new.c"), EFFECTS["itself"], strict=True):
        (tmp_path / name).write_text(program(way, effect))
    words = ("old.c", "new.c", "--sym-args", "1", "1", "1", "--time", "10", "--no-config")
    flags = WAYS[way][1]
    done = csgtest("build", *words, *(("--", *flags) if flags else ()), folder=tmp_path)
    assert done.report["verdict"] not in ("no-change", "equivalent-within-bounds")
