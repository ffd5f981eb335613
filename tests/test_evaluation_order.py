"""Operands are evaluated in the order of gcc -O0, in one program and in two versions at once.

A statement of a generated program shows the order by what it prints; gcc's binaries have the truth.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from csg.pipeline import program_of, unify_files
from csg.programs import Versions
from generators.evaluation_order import program
from symexec.exploration.concrete_run import engine_alone
from symexec.exploration.single_program import predicted
from symexec.exploration.start import command_line, fresh_state
from symexec.runtime import library
from tests.nightly import daily, every

COUNT = 40  # statements of a program, each a case of its own


def printed_natively(source: Path) -> list[str]:
    binary = source.with_suffix("")
    command = ["gcc", "-w", "-O0", "-fwrapv", "-o", str(binary), str(source)]
    subprocess.run(command, check=True)
    return subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )


def printed_by_both(old: Path, new: Path) -> list[list[str]]:
    """What the versions print in one execution on pairs of values."""
    unified = program_of(unify_files(Versions(old, new)), "main")
    library.complete(unified)
    engine = engine_alone(unified)
    state = fresh_state(engine)
    words = command_line(engine, state, [b"program"])
    engine.machine.enter(state, library.start(unified), words, None)
    while state.frame is not None:
        (state,) = engine.advance(state, 200_000)
    found = []
    for outcome in (state.old_outcome, state.new_outcome):
        assert outcome is not None
        found.append(predicted(outcome, {}, main=True).stdout.decode().split("\n"))
    return found


@pytest.mark.parametrize("seed", daily(range(1, 51), 2))
def test_versions_evaluate_as_gcc_does(seed: int, tmp_path: Path) -> None:
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(program(seed, COUNT))
    new.write_text(program(seed, COUNT, mutation=seed))
    native = [printed_natively(old), printed_natively(new)]
    assert native[0] != native[1]
    for ours, truth in zip(printed_by_both(old, new), native, strict=True):
        assert [each for each in zip(ours, truth, strict=True) if each[0] != each[1]] == []


def test_a_seed_means_one_pair() -> None:
    assert program(3) == program(3) != program(4)
    assert program(3, mutation=1) == program(3, mutation=1) != program(3)


TYPES = (
    *("char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long"),
    *("unsigned long", "_Bool"),
)
CONSTANTS = (
    *("0", "1", "-1", "-129", "255", "256", "65535u", "0x7fffffff", "0xffffffffu", "-1L"),
    *("0x80000000", "-1UL", "0u", "-0x7fffffff - 1"),
)
FORMS = (
    *(f"{{call}} {operator} ({{constant}})" for operator in ("<", "<=", ">", ">=", "==", "!=")),
    *(f"({{constant}}) {operator} {{call}}" for operator in ("<", "<=", ">", ">=", "==", "!=")),
    *("{call} * ({constant}) + v", "({call} + ({constant})) - v", "v - (({constant}) - {call})"),
    *("({call} & ({constant})) + v", "(({constant}) | {call}) > v"),
)


@pytest.mark.parametrize("form", every(4, FORMS))
def test_calls_beside_constants_mean_what_they_do_natively(form: str, tmp_path: Path) -> None:
    """What gcc knows of an operation must not change its value: C17 6.3.1.8 converts both."""
    functions = "".join(
        f"static {kind} f{at}(void) {{ n++; return ({kind}) v; }}\n"
        for at, kind in enumerate(TYPES)
    )
    values = [
        form.format(call=f"f{at}()", constant=each)
        for at in range(len(TYPES))
        for each in CONSTANTS
    ]
    shown = "".join(
        f'    printf("%d %ld %d\\n", {at}, (long) ({each}), n);\n' for at, each in enumerate(values)
    )
    text = (
        f"#include <stdio.h>\nstatic int n; static long v;\n{functions}"
        f"static void all(void)\n{{\n{shown}}}\nint main(void)\n{{\n"
        "    static const long values[] = { 0, 1, -1, 255, -128, 0x7fffffff, -0x80000000L };\n"
        "    for (int i = 0; i < 7; i++) { v = values[i]; all(); }\n    return 0;\n}\n"
    )
    source = tmp_path / "beside.c"
    source.write_text(text)
    native = printed_natively(source)
    for ours in printed_by_both(source, source):
        assert [each for each in zip(ours, native, strict=True) if each[0] != each[1]] == []
