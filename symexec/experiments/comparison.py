"""Runs of all strategies -> what each brought, and which differences only one of them found."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median, median_low

from csg.graphs import SequenceGraph
from symexec.experiments.runs import Exercise, Run
from symexec.testcases import DifferenceKind, TestCase
from symexec.triage import likeness
from symexec.triage.grouping import informs

# --------------------------------------------------------------------------------------- critical
# Differences and the sequences that are critical to them, estimated from tests.
#
# tests that show a difference, blamed on changes 1, 2 and 3 together    in common, and critical
#     c1 c2 c3 i1 o2        c1 c2 c2 c3 i1 o2                            c1 c2 c3
#
# FSE 2013, definition 3: changed statements C, two or more, are critical to a change interaction
# error when (1) an input exercises all of C in order and shows it, and (2) no input that skips
# one of C does. Of a difference that changes bring about only together, C is what all tests that
# show it have in common, of any strategy: a common subsequence of their sequences, of those
# changed statements alone that hold a blamed change, each at its first place only. So (2) holds
# of all tests that are known; where none of them skips a statement of C it says nothing, and
# nothing is critical. Neither is anything to a difference of wording (help, version, stderr
# alone), or one that a single change brings about. A test is *on* a critical sequence when it
# visits its statements in this order.


Nodes = tuple[str, ...]
_HARMLESS = (
    DifferenceKind.STDERR_ONLY,
    DifferenceKind.HELP_TEXT,
    DifferenceKind.PATH_ONLY,
    DifferenceKind.PROGRESSION,
)
LONGEST = 2000  # statements of one test that count


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """Tests that differ alike: with the same class and blame, diverging at the same place."""

    kind: DifferenceKind
    blamed: tuple[int, ...]
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.file else "-"


def differences_of(cases: Sequence[TestCase]) -> dict[int, Difference]:
    """The difference of each case, by the case's position. A case without an explanation counts
    with the first explained one that is alike (class, place, endings), else with the only explained
    difference of its class and place, if there is one."""
    found = {number: _difference(case) for number, case in enumerate(cases)}
    alike: dict[object, Difference] = {}
    explained: dict[object, set[Difference]] = {}
    for number, each in found.items():
        if each.blamed:
            alike.setdefault(_looks(cases[number]), each)
            explained.setdefault(replace(each, blamed=()), set()).add(each)
    for number, each in found.items():
        if not each.blamed:
            only = explained.get(each, set())
            found[number] = alike.get(
                _looks(cases[number]), next(iter(only)) if len(only) == 1 else each
            )
    return found


def _looks(case: TestCase) -> object:
    return likeness(case) if case.old is not None and case.new is not None else case.id


def _difference(case: TestCase) -> Difference:
    place = case.divergence
    blamed = case.blame.blamed if case.blame else ()
    assert case.kind is not None
    return Difference(case.kind, blamed, place.file if place else "", place.line if place else 0)


def importance(difference: Difference) -> tuple[object, ...]:
    """A sort key: failures first, several changes before one, then by place."""
    rank = list(DifferenceKind).index(difference.kind)
    return rank, -len(difference.blamed), difference.blamed, difference.file, difference.line


# ------------------------------------------------------------------ critical sequences


def critical_sequences(
    graph: SequenceGraph, shown: Mapping[Difference, Sequence[TestCase]], known: Collection[Nodes]
) -> dict[Difference, Nodes]:
    """One for each difference; empty when none is critical. ``shown``: the tests that show it;
    ``known``: the sequences of all tests, whatever they show."""
    found: dict[Difference, Nodes] = {}
    for difference, cases in shown.items():
        nodes: Nodes = ()
        if can_be_critical(difference, cases):
            sequences = [case.sequence for case in cases]
            nodes = critical_sequence(graph, frozenset(difference.blamed), sequences)
        skipped = any(not exercises(sequence, nodes) for sequence in known)
        found[difference] = nodes if len(nodes) > 1 and skipped else ()
    return found


def can_be_critical(difference: Difference, cases: Iterable[TestCase]) -> bool:
    """Do changes bring it about only together, and is it more than a matter of wording?"""
    if difference.kind in _HARMLESS:
        return False
    blames = [case.blame for case in cases if case.blame is not None and not informs(case)]
    return any(blame.interaction and blame.blamed == difference.blamed for blame in blames)


def critical_sequence(
    graph: SequenceGraph, blamed: frozenset[int], sequences: Iterable[Nodes]
) -> Nodes:
    relevant = {node.id for node in graph.changes if not blamed or node.changes & blamed}
    retained = {tuple(name for name in nodes if name in relevant)[:LONGEST] for nodes in sequences}
    ordered = sorted(retained, key=lambda nodes: (len(nodes), nodes))
    if not ordered:
        return ()
    common = ordered[0]
    for nodes in ordered[1:]:
        if not exercises(nodes, common):
            common = longest_common(common, nodes)
    return tuple(dict.fromkeys(common))


def exercises(nodes: Iterable[str], sequence: Sequence[str]) -> bool:
    """Does a test that visits ``nodes`` go through ``sequence``, in order?"""
    wanted = iter(sequence)
    missing = next(wanted, None)
    for name in nodes:
        if missing is None:
            break
        if name == missing:
            missing = next(wanted, None)
    return missing is None


def longest_common(one: Sequence[str], other: Sequence[str]) -> Nodes:
    """A longest common subsequence; of equally long ones the one that leaves ``one`` last."""
    rows = [[0] * (len(other) + 1)]
    for name in one:
        above, row = rows[-1], [0]
        for place, candidate in enumerate(other):
            best = above[place] + 1 if name == candidate else max(above[place + 1], row[place])
            row.append(best)
        rows.append(row)
    found: list[str] = []
    i, j = len(one), len(other)
    while i and j:
        if one[i - 1] == other[j - 1]:
            found.append(one[i - 1])
            i, j = i - 1, j - 1
        elif rows[i - 1][j] >= rows[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return tuple(reversed(found))


# ------------------------------------------------------------------------------------- comparison
# Runs of all strategies -> what each brought, and which differences only one of them found.
#
#     strategy    tests  differing  critical   of them differ  sequences  first difference
#     guided         41         12   12 of 41              12          9            0.10 s
#     native       5120         31    9 of 400              9         37            0.08 s
#
# Numbers of a strategy are medians over the seeds; a difference counts as found when any seed
# found it.


NEVER = math.inf


@dataclass(frozen=True, slots=True)
class Measures:
    """The numbers of one run. ``known`` tests have a known sequence; ``critical`` of them are on a
    critical one, ``critical_differing`` of these differ, and ``other_differing`` of the rest."""

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
    """One difference. ``times``: by strategy and seed, the second in which it was found;
    ``efforts``: how many states the search had made by then."""

    id: str
    difference: Difference
    critical: Nodes
    witness: TestCase
    times: dict[str, dict[int, float]]
    efforts: dict[str, dict[int, int]]

    @property
    def fewest(self) -> str | None:
        """The only search that found it in the fewest states (medians); None where several did."""
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
        """The only strategy that found it; None where several did."""
        found = [strategy for strategy, times in self.times.items() if times]
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison; ``runs`` are in the order in which they were made."""

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
    def compared_nothing(self) -> bool:
        """Did no run make a test, although something was left to try?"""
        unspent = [run for run in self.runs if not run.exhausted]
        return bool(unspent) and not any(run.tests for run in self.runs)

    @property
    def strategies(self) -> list[str]:
        return list(self.measures)

    def median(self, strategy: str) -> Measures:
        """The median of each number; of two in the middle the lower one."""
        rows = self.measures[strategy]
        names = Measures.__dataclass_fields__
        return Measures(
            **{name: median_low([getattr(row, name) for row in rows]) for name in names}
        )


def compared(
    title: str,
    graph: SequenceGraph,
    budget_s: float,
    seeds: Sequence[int],
    runs: Sequence[Run],
    finished: bool,
) -> Comparison:
    """The differences of all runs, their critical sequences, and each run measured by them."""
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
    """A key for the witness: the smallest test that is explained."""
    return case.blame is None or not case.blame.blamed, case.input.size, str(case.input)


def unchanged(title: str, budget_s: float, seeds: Sequence[int]) -> Comparison:
    """A comparison of two versions that are the same program: there is nothing to search for."""
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
