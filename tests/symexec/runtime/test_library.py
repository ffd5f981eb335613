"""Models in C reach the program that needs them, and no other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csg.cache import loads
from csg.frontend import parse_text
from csg.ir import Program, Refuse
from csg.lower import lower
from symexec.runtime import library


def completed(text: str) -> Program:
    program = lower([parse_text(text)])
    library.complete(program)
    return program


def test_a_model_brings_what_it_calls() -> None:
    program = completed('char *strdup(const char *); int main(void) { return *strdup("a"); }')
    assert program.functions["strdup"].library
    assert program.undefined == {"malloc", "memcpy", "strlen"}
    assert program.globals["__csgtest_errno"].size == 4  # malloc stores there
    assert library.unmodelled(program) == []


def test_the_user_s_own_function_stays() -> None:
    program = completed(
        "int strcmp(const char *a, const char *b) { return 7; }"
        "int main(void) { return strcmp(0, 0); }"
    )
    assert not program.functions["strcmp"].library
    assert program.undefined == set()


def test_streams_are_objects() -> None:
    program = completed("#include <stdio.h>\nint main(void) { return getc(stdin); }")
    assert not program.globals["stdin"].external
    assert program.globals["stdin"].relocations[0].symbol == "libc:standard_input"


def test_what_nobody_models_is_named() -> None:
    program = completed("int fork(void); int main(void) { return fork(); }")
    assert library.unmodelled(program) == ["fork"]


def test_objects_that_are_declared_alone_are_no_part_of_the_program() -> None:
    program = completed(
        "extern char *unused, *used, *pointed; char **p = &pointed;"
        "int main(void) { return used != 0; }"
    )
    assert program.globals.keys() == {"used", "pointed", "p"}


def test_handlers_run_after_main() -> None:
    text = "int atexit(void (*)(void)); void f(void) {} int main(void) { return atexit(f); }"
    program = completed(text)
    assert library.start(program) == "__csgtest_start"
    assert "__csgtest_end" in program.functions
    assert library.start(completed("int main(void) { return 0; }")) == "main"


def test_places_that_the_linker_makes_up_are_refused_where_they_are_used() -> None:
    program = completed(
        "extern char end, ending, __start_table[] __attribute__((weak));"
        "extern char __stop_table[];"
        "int main(void) { return &end == &ending || __start_table != __stop_table; }"
    )
    steps = [step for block in program.functions["main"].blocks for step in block.instructions]
    refused = [step.reason.split()[0] for step in steps if isinstance(step, Refuse)]
    assert refused == ["'end'", "'__stop_table'"]
    assert program.globals.keys() >= {"ending", "__start_table"}
    assert program.globals.keys().isdisjoint({"end", "__stop_table"})
    assert "__start_table" in program.absent


def test_nodes_of_models_exist() -> None:
    program = completed("#include <stdlib.h>\nint main(int n, char **v) { return atoi(v[1]); }")
    for function in program.functions.values():
        for block in function.blocks:
            assert block.terminator is not None
            for step in (*block.instructions, block.terminator):
                assert program.nodes[step.node].id == step.node
                assert program.nodes[step.node].function == function.name


def test_every_model_is_known_to_somebody() -> None:
    """Whatever a model in C calls is a model too, or what each program has of its own."""
    kept = library.load_archive()
    names = (name for name in kept if ":" not in name)
    program = Program(undefined={name for name in names if loads(kept[name]).functions})
    program.undefined.add("main")
    library.complete(program, kept)
    own = ["__csgtest_after_main", "__csgtest_before_main", "main"]
    assert library.unmodelled(program) == own


def test_the_archive_is_made_once_and_survives_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = library.load_archive()
    (file,) = (tmp_path / "csgtest" / "models").iterdir()
    monkeypatch.setattr(library, "make_archive", dict)  # would make an empty one
    assert library.load_archive() == made
    file.write_bytes(b"\x80")
    assert library.load_archive() == {}


def test_a_folder_that_cannot_be_written_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "csgtest").write_text("a file in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(library, "make_archive", lambda: {"x": b""})
    assert library.load_archive() == {"x": b""}
    assert os.listdir(tmp_path) == ["csgtest"]


def test_what_objects_of_models_point_to_comes_with_them() -> None:
    """A table of functions brings the functions."""
    program = completed("unsigned long wctype(const char *); int main(void) { return wctype(0); }")
    named = {each.symbol for item in program.globals.values() for each in item.relocations}
    assert "iswalpha" in named
    assert named <= program.functions.keys() | program.globals.keys()
