"""Differences and the sequences that are critical to them, estimated from tests.

tests that show a difference, blamed on changes 1, 2 and 3 together    in common, and critical
    c1 c2 c3 i1 o2        c1 c2 c2 c3 i1 o2                            c1 c2 c3

FSE 2013, definition 3: changed statements C, two or more, are critical to a change interaction
error when (1) an input exercises all of C in order and shows it, and (2) no input that skips one of
C does. Of a difference that changes bring about only together, C is what all tests that show it
have in common, of any strategy: a common subsequence of their sequences, of those changed
statements alone that hold a blamed change, each at its first place only. So (2) holds of all tests
that are known; where none of them skips a statement of C it says nothing, and nothing is critical.
Neither is anything to a difference of wording (help, version, stderr alone), or one that a single
change brings about. A test is *on* a critical sequence when it visits its statements in this order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from csg.graphs import SequenceGraph
from symexec.classification import Kind, likeness
from symexec.classification.wording import informs
from symexec.testcases import TestCase

Nodes = tuple[str, ...]
_HARMLESS = {
    kind.value for kind in (Kind.STDERR_ONLY, Kind.HELP_TEXT, Kind.PATH_ONLY, Kind.PROGRESSION)
}
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
    """Changes bring it about only together, and it is more than a matter of wording."""
    if difference.kind in _HARMLESS:
        return False
    blames = [case.blame for case in cases if case.blame is not None and not informs(case)]
    return any(blame.interaction and blame.blamed == difference.blamed for blame in blames)


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
