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
from tests.nightly import daily

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
