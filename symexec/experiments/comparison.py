"""Runs of all strategies -> what each brought, and which differences only one of them found.

    strategy    tests  differing  critical   of them differ  sequences  first difference
    guided         41         12   12 of 41              12          9            0.10 s
    native       5120         31    9 of 400              9         37            0.08 s

Numbers of a strategy are medians over the seeds; a difference counts as found when any seed
found it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, median_low

from csg.graphs import SequenceGraph
from symexec.experiments.critical import (
    Difference,
    Nodes,
    critical_sequences,
    differences_of,
    exercises,
    importance,
)
from symexec.experiments.runs import Exercise, Run
from symexec.testcases import TestCase

NEVER = math.inf


@dataclass(frozen=True, slots=True)
class Measures:
    """One run. ``known`` tests have a known sequence; ``critical`` of them are on a critical one,
    ``critical_differing`` of these differ, and ``other_differing`` of the rest."""

    tests: float
    differing: float
    known: float
    critical: float
    critical_differing: float
    other_differing: float
    sequences: float
    first_s: float  # NEVER when no difference was found
    first_effort: float  # states made by then


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference. ``times``: by strategy and seed the second in which it was found;
    ``efforts``: how many states the search had made by then."""

    id: str
    difference: Difference
    critical: Nodes
    witness: TestCase
    times: dict[str, dict[int, float]]
    efforts: dict[str, dict[int, int]]

    @property
    def fewest(self) -> str | None:
        """The one search that found it in the fewest states (medians)."""
        found = sorted(
            (median(efforts.values()), strategy)
            for strategy, efforts in self.efforts.items()
            if efforts
        )
        if not found or (len(found) > 1 and found[0][0] == found[1][0]):
            return None
        return found[0][1]

    @property
    def only(self) -> str | None:
        """The one strategy that found it, if it is one."""
        found = [strategy for strategy, times in self.times.items() if times]
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """``runs`` in the order in which they were made."""

    title: str
    entry: str
    budget_s: float
    seeds: tuple[int, ...]
    runs: tuple[Run, ...]
    findings: tuple[Finding, ...]
    measures: dict[str, list[Measures]]
    finished: bool = True

    @property
    def differs(self) -> bool:
        return bool(self.findings)

    @property
    def strategies(self) -> list[str]:
        return list(self.measures)

    def median(self, strategy: str) -> Measures:
        """Each number by itself; the lower of the two in the middle."""
        rows = self.measures[strategy]
        names = Measures.__dataclass_fields__
        return Measures(
            **{name: median_low([getattr(row, name) for row in rows]) for name in names}
        )

    def table(self) -> str:
        from symexec.experiments.wording import table

        return table(self)

    def json_text(self) -> str:
        from symexec.experiments.wording import form

        return json.dumps(form(self), indent=1, ensure_ascii=True)


def compared(
    title: str,
    graph: SequenceGraph,
    budget_s: float,
    seeds: Sequence[int],
    runs: Sequence[Run],
    finished: bool,
) -> Comparison:
    """Differences of all runs, their critical sequences, and each run measured against them."""
    sightings = [(run, case) for run in runs for case in run.shown]
    differences = differences_of([case for _, case in sightings])
    cases: dict[Difference, list[TestCase]] = {}
    times: dict[Difference, dict[str, dict[int, float]]] = {}
    efforts: dict[Difference, dict[str, dict[int, int]]] = {}
    strategies = list(dict.fromkeys(run.strategy for run in runs))
    for number, (run, case) in enumerate(sightings):
        difference = differences[number]
        cases.setdefault(difference, []).append(case)
        found = times.setdefault(difference, {name: {} for name in strategies})[run.strategy]
        found[run.seed] = min(case.found_s, found.get(run.seed, NEVER))
        spent = efforts.setdefault(difference, {name: {} for name in strategies})[run.strategy]
        if case.id in run.efforts:
            effort = run.efforts[case.id]
            spent[run.seed] = min(effort, spent.get(run.seed, effort))
    critical = critical_sequences(
        graph, cases, {each.sequence for run in runs for each in run.known}
    )
    findings = tuple(
        Finding(
            f"d{number}",
            difference,
            critical[difference],
            min(cases[difference], key=_plainness),
            times[difference],
            efforts[difference],
        )
        for number, difference in enumerate(sorted(cases, key=importance), 1)
    )
    sought = {nodes for nodes in critical.values() if nodes}
    measures: dict[str, list[Measures]] = {}
    for run in runs:
        measures.setdefault(run.strategy, []).append(_measured(run, sought))
    entry = graph.program.entry
    return Comparison(
        title, entry, budget_s, tuple(seeds), tuple(runs), findings, measures, finished
    )


def _plainness(case: TestCase) -> tuple[object, ...]:
    """The witness is the smallest test that is explained."""
    return case.blame is None or not case.blame.blamed, case.input.size, str(case.input)


def unchanged(title: str, budget_s: float, seeds: Sequence[int]) -> Comparison:
    """For two versions that are the same program: there is nothing to search for."""
    return Comparison(title, "", budget_s, tuple(seeds), (), (), {})


def _measured(run: Run, sought: set[Nodes]) -> Measures:
    on = [each for each in run.known if _on_any(each, sought)]
    differing = sum(each.differs for each in on)
    return Measures(
        tests=run.tests,
        differing=run.differing,
        known=len(run.known),
        critical=len(on),
        critical_differing=differing,
        other_differing=sum(each.differs for each in run.known) - differing,
        sequences=len({each.sequence for each in run.known}),
        first_s=min((case.found_s for case in run.shown), default=NEVER),
        first_effort=min(
            (run.efforts[case.id] for case in run.shown if case.id in run.efforts), default=NEVER
        ),
    )


def _on_any(test: Exercise, sought: set[Nodes]) -> bool:
    return any(exercises(test.sequence, nodes) for nodes in sought)
