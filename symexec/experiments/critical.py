"""Differences and the sequences that are critical to them, estimated from tests.

tests that show a difference, blamed on changes 1, 2 and 3        in common
    c1 c2 c3 i1 o2        c1 c2 c2 c3 i1 o2                       c1 c2 c3: its critical sequence

The *critical sequence* of a difference (after FSE 2013, section 3.4) is what all tests that show
it, of any strategy, have in common: a common subsequence of their sequences, of those changed
statements alone that hold a blamed change (of all changed statements where nothing is blamed),
each statement at its first place only. A test is *on* it when it visits these statements in this
order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from csg.graphs import SequenceGraph
from symexec.classification import Kind, likeness
from symexec.testcases import TestCase

Nodes = tuple[str, ...]
LONGEST = 2000  # statements of one test that are looked at


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """Tests that differ alike: of the same class and blame, parting at the same place."""

    kind: str
    blamed: tuple[int, ...]
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.file else "-"


def differences_of(cases: Sequence[TestCase]) -> dict[int, Difference]:
    """By the case's position. A case that nobody explained counts with the first explained one that
    looks alike (class, place, endings), else with the only explained difference of its class and
    place, if there is one."""
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
    return Difference(case.kind, blamed, place.file if place else "", place.line if place else 0)


def importance(difference: Difference) -> tuple[object, ...]:
    """Failures first, several changes before one, then by place."""
    order = [kind.value for kind in Kind]
    rank = order.index(difference.kind) if difference.kind in order else len(order)
    return rank, -len(difference.blamed), difference.blamed, difference.file, difference.line


# ------------------------------------------------------------------ critical sequences


def critical_sequences(
    graph: SequenceGraph, shown: Mapping[Difference, Iterable[Nodes]]
) -> dict[Difference, Nodes]:
    """One for each difference; empty when its tests have no changed statement in common."""
    return {
        difference: critical_sequence(graph, frozenset(difference.blamed), sequences)
        for difference, sequences in shown.items()
    }


def critical_sequence(
    graph: SequenceGraph, blamed: frozenset[int], sequences: Iterable[Nodes]
) -> Nodes:
    relevant = {node.id for node in graph.changes if not blamed or node.changes & blamed}
    kept = {tuple(name for name in nodes if name in relevant)[:LONGEST] for nodes in sequences}
    ordered = sorted(kept, key=lambda nodes: (len(nodes), nodes))
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
