"""The number of diff paths, against a count by the reference interpreter over the whole grid.

A path's identity: what both versions decide up to where they first part, each decision of one alone
included, and what the new version decides from there on.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from csg import ir
from csg.ir import Program
from csg.language.syntax import Version
from generators.pairs.edits import edited
from generators.pairs.programs import program
from generators.pairs.tree import Source, walk
from oracles.reference.interpreter import Frame, Machine
from oracles.truth import Point, truth
from symexec.options import After
from tests.symexec.generated.checking import Recording, options_of

Decision = tuple[str, int, int]  # function, block, and the way taken

PAIRS = 8


class Tracing(Machine):
    """Keeps the decisions, and which of them were made in what the version has to itself."""

    def __init__(self, program: Program, version: Version) -> None:
        super().__init__(program, version, b"", 100_000)
        self.decisions: list[tuple[Decision, bool]] = []
        self.region: tuple[int, int] | None = None

    def transfer(self, frame: Frame, terminator: ir.Terminator) -> None:
        before, goes = frame.block, -1
        if isinstance(terminator, ir.Branch):  # both ways may lead to one block
            goes = self.value(frame, terminator.condition)
        super().transfer(frame, terminator)
        depth = len(self.frames)
        match terminator:
            case ir.Enter(exit=leave) if self.region is None and frame.block != leave:
                self.region = (depth, leave)
            case ir.Branch() | ir.Switch():
                way = goes if goes >= 0 else frame.block
                made = (frame.function.name, before, way)
                self.decisions.append((made, self.region is not None))
        if self.region == (depth, frame.block) and not isinstance(terminator, ir.Return):
            self.region = None


def trace(program: Program, version: Version, point: Point) -> list[tuple[Decision, bool]]:
    machine = Tracing(program, version)
    parameters = program.functions[program.entry].parameters
    values = [
        ir.Constant(value & (1 << register.width) - 1, register.width)
        for value, register in zip(point, parameters, strict=True)
    ]
    machine.run(program.entry, [*values])
    return machine.decisions


def identity(program: Program, point: Point) -> tuple[object, ...] | None:
    """None where the versions never part."""
    old, new = (trace(program, version, point) for version in (Version.OLD, Version.NEW))
    here = there = 0
    while True:
        while here < len(old) and old[here][1]:
            here += 1
        while there < len(new) and new[there][1]:
            there += 1
        if here == len(old) and there == len(new):
            return None
        if here == len(old) or there == len(new) or old[here] != new[there]:
            return (tuple(old[: here + 1]), tuple(new))
        here, there = here + 1, there + 1


def simple(source: Source) -> bool:
    """Does every fork of a path come from a branch or switch?"""
    nodes = [n for function in source.functions for n in walk(function.body)]
    nodes += [n for function in source.functions for _, _, v in function.locals for n in walk(v)]
    return not source.names and not any(n.form in ("aim", "target", "walk") for n in nodes)


def simple_pairs(first: int, count: int) -> list[tuple[int, Source, Source]]:
    found: list[tuple[int, Source, Source]] = []
    seed = first
    while len(found) < count:
        random = Random(seed)
        old = program(random)
        new = edited(old, random)
        if simple(old) and simple(new):
            found.append((seed, old, new))
        seed += 1
    return found


def counted(old: Source, new: Source, folder: Path, after: After) -> tuple[int, int] | None:
    """The engine's number and ours; None where runs crash, which ends paths on its own."""
    points = truth(old, new, folder)
    if points is None or any(each.crashed for pair in points.values() for each in pair):
        return None
    job = Recording(options_of(old, new, folder, after))
    job.explore()
    if job.prepared is None or not job.exhausted:
        return None
    found = {identity(job.prepared.program, point) for point in points} - {None}
    return job.counters.diff_paths, len(found)


@pytest.mark.parametrize("after", After)
def test_diff_paths_are_as_many_as_on_the_grid(after: After, tmp_path: Path) -> None:
    for seed, old, new in simple_pairs(5000, PAIRS):
        both = counted(old, new, tmp_path, after)
        if both is not None:
            assert both[0] == both[1], f"seed {seed}"
