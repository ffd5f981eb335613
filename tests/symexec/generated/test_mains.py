"""Random programs with ``main``: predicted exits and output, against the native program's.

The inputs are drawn at random from short words over a small alphabet.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from csg.language.syntax import Version
from generators.pairs.edits import edited
from generators.pairs.mains import main_program
from generators.pairs.tree import Source
from oracles.truth import Ran
from symexec.expr import Term, new_half, old_half
from symexec.options import BuildOptions, InputOptions, SearchOptions, SymbolicArguments
from symexec.shadow.outcomes import Observable, units
from symexec.state.endings import Exit, MemoryFault, Returned, row
from symexec.state.state import Outcome, State
from symexec.testcases import TestInput, decode
from tests.symexec.generated.checking import Recording
from tests.symexec.generated.predicting import Given, printed

PAIRS, STEP = 8, 4
CASES = 60
ALPHABET = b"-n0179 az\n\x80\xff"


@dataclass(frozen=True)
class Case:
    arguments: tuple[bytes, ...]
    stdin: bytes


def build(source: Source, folder: Path, name: str) -> Path:
    program = folder / name
    text = folder / f"{name}.c"
    text.write_text(source.text)
    flags = ["-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-std=gnu11"]
    subprocess.run(["gcc", *flags, "-o", str(program), str(text)], check=True)
    return program


def natively(program: Path, case: Case) -> Ran:
    done = subprocess.run(
        [bytes(program), *case.arguments],
        input=case.stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=10,
        check=False,
    )
    if done.returncode < 0:  # stdout's buffer is lost: not compared
        return Ran({-6: "abort", -8: "division"}.get(done.returncode, "oob"), b"")
    return Ran(f"exit{done.returncode}", done.stdout)


def cases(random: Random) -> Iterator[Case]:
    def word(most: int) -> bytes:
        return bytes(random.choices(ALPHABET, k=random.randint(0, most)))

    for _ in range(CASES):
        yield Case(tuple(word(2) for _ in range(random.randint(0, 1))), word(1))


def given(state: State, case: Case) -> Given | None:
    """The values of a path's symbols; None when it has another number of arguments."""
    model: dict[Term, int] = {}
    words = list(case.arguments)
    for each in state.inputs:
        data = case.stdin if each.kind == "stdin" else words.pop(0) if words else None
        if data is None:
            return None
        for term, byte in zip(each.terms, data.ljust(len(each.terms), b"\0"), strict=True):
            if isinstance(term, Term):
                model[term] = byte
        if isinstance(each.size, Term):
            model[each.size] = len(data)
    return None if words else Given(model)


def ended(outcome: Outcome, version: Version, values: Given) -> Ran:
    half = old_half if version is Version.OLD else new_half
    match outcome.ending:
        case Exit(status=status) | Returned(value=status) if status is not None:
            end = f"exit{values.value(half(status)) & 255}"
        case MemoryFault():
            return Ran("oob", b"")
        case other:
            return Ran(row(other).kind, b"")
    return Ran(end, b"".join(printed(unit, values) for unit in units(outcome.output, 1)))


def complaints(old: Source, new: Source, folder: Path, random: Random) -> list[str]:
    programs = [build(old, folder, "old"), build(new, folder, "new")]
    files = folder / "old.c", folder / "new.c"
    inputs = InputOptions(arguments=SymbolicArguments(0, 1, 2), stdin=1)
    job = Recording(BuildOptions(*files, (), inputs, SearchOptions(time=20), replay=False))
    job.explore()
    if job.prepared is None:
        return []
    found = [] if job.exhausted else ["not exhausted"]
    differs = False
    for case in cases(random):
        runs = [natively(program, case) for program in programs]
        differs |= runs[0] != runs[1]
        found += _case(job, case, runs)
    differing = [
        finding for finding in job.findings if set(finding.differs_in) - {Observable.ERRORS}
    ]
    if differs and not differing:
        found.append("a difference, and nobody said so")
    for finding in differing[:10]:
        test = decode(finding.state.inputs, finding.model)
        runs = [natively(program, _as_case(test)) for program in programs]
        if runs[0] == runs[1] and runs[0].end.startswith("exit"):
            found.append(f"{test}: told to differ by {finding.differs_in}, but {runs[0]} twice")
    return found


def _case(job: Recording, case: Case, runs: list[Ran]) -> Iterator[str]:
    dropped = {id(state) for state in job.dropped}
    on = []
    for state in job.ended + job.dropped:
        values = given(state, case)
        if values is not None and all(values.value(term) for term in state.path.terms()):
            on.append((state, values))
    if len(on) != 1:
        yield f"{case}: on {len(on)} paths"
        return
    ((state, values),) = on
    if id(state) in dropped:
        if runs[0] != runs[1]:
            yield f"{case}: dropped, but {runs[0]} is not {runs[1]}"
        return
    outcomes = (state.old_outcome, state.new_outcome)
    for version, outcome, native in zip(Version, outcomes, runs, strict=True):
        assert outcome is not None
        said = ended(outcome, version, values)
        if said != native and not (said.crashed and native.crashed):
            yield f"{case}: {version.name} is {native}, not {said}"


def _as_case(test: TestInput) -> Case:
    return Case(tuple(test.args), test.stdin)


@pytest.mark.parametrize("first", range(0, PAIRS, STEP))
def test_predictions_come_true(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + STEP):
        random = Random(seed)
        old = main_program(random)
        new = edited(old, random)
        assert not complaints(old, new, tmp_path, random), f"seed {seed}"
