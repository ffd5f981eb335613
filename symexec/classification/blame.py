"""Which changes bring a difference about, found by switching them on one set at a time.

int limit = change(10, 9);            change 1          input x = 10:   mask {}      prints 10
if (change(x > limit, x >= limit))    change 2                          mask {1}     prints 9
                                                                        blamed (1)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from csg.errors import ToolchainError
from symexec.classification.compare import differing_parts
from symexec.classification.subsets import (
    DEFAULT_PATIENCE,
    Ids,
    Patience,
    Requires,
    generating,
    smallest_sets,
)
from symexec.replay import SANITIZED, NativeReplay, Pair, Request
from symexec.testcases import Blame, Observation, TestInput

Run = Callable[[Ids], Observation]


@dataclass(slots=True)
class MaskRuns:
    """Observations of one input under masks, each made once."""

    run: Run
    seen: dict[Ids, Observation] = field(default_factory=dict)

    def __call__(self, changes: Ids) -> Observation:
        if changes not in self.seen:
            self.seen[changes] = self.run(changes)
        return self.seen[changes]


def blame(
    pair: Pair,
    run: Run,
    changes: Sequence[int],
    requires: Mapping[int, Ids] | None = None,
    patience: Patience = DEFAULT_PATIENCE,
) -> Blame:
    """The smallest sets of changes that make the difference appear.

    A set counts when the program with exactly these changes differs from the old one. Where the new
    version *fails* in another way than the old one (a signal, a sanitizer, no end), that is the
    difference to explain: a set counts when it fails as the new version does; that a change alone
    makes a harmless difference does not clear the others of the crash. A set that fails as neither
    version does cannot run alone, and explains nothing.

    Ties: the blamed set has the fewest members; among equally small ones first those that show
    exactly what the new version shows, then the one with the lowest ids. All minimal sets are
    reported. ``reproducing`` is the smallest set *seen* to show exactly what the new version does;
    the set of all changes at worst.

    No answer (a note says why) when the mask program with no change does not behave as the old
    version, or with all changes not as the new one.
    """
    everything = frozenset(changes)
    runs = MaskRuns(run)
    note = _unfaithful(pair, runs, everything)
    if note:
        return Blame(complete=False, runs=len(runs.seen), note=note)
    by_failure = pair.new.failed and _failure(pair.new) != _failure(pair.old)

    def appears(ids: Ids) -> bool:
        seen = runs(ids)
        if by_failure:
            return _failure(seen) == _failure(pair.new)
        runs_alone = _failure(seen) in (_failure(pair.old), _failure(pair.new))
        return runs_alone and bool(_differing(runs(frozenset()), seen, pair))

    def exact(ids: Ids) -> bool:
        return not _differing(runs(ids), pair.new, pair)

    smallest = smallest_sets(changes, appears, requires, patience)
    if not smallest.sets:
        return Blame(
            complete=False, runs=len(runs.seen), note="no set of changes was found in time"
        )
    order = sorted(smallest.sets, key=lambda ids: (len(ids), not exact(ids), sorted(ids)))
    reproducing = _reproducing(order, runs, exact, changes, requires or {}, patience)
    minimal = tuple(tuple(sorted(ids)) for ids in order)
    generators = tuple(tuple(sorted(generating(ids, requires or {}))) for ids in order)
    return Blame(
        minimal=minimal,
        reproducing=tuple(sorted(reproducing)),
        complete=smallest.complete,
        runs=len(runs.seen),
        generators=() if generators == minimal else generators,
        ended=smallest.ended,
    )


def _unfaithful(pair: Pair, runs: MaskRuns, everything: Ids) -> str:
    parts = _differing(runs(frozenset()), pair.old, pair)
    if parts:
        return f"the unified program without changes is not the old one ({', '.join(parts)})"
    parts = _differing(runs(everything), pair.new, pair)
    if parts:
        return f"the unified program with all changes is not the new one ({', '.join(parts)})"
    return ""


def _differing(one: Observation, other: Observation, pair: Pair) -> tuple[str, ...]:
    return differing_parts(one, other, with_stderr=pair.stderr_stable)


def _failure(seen: Observation) -> tuple[str | None, str | None, bool]:
    return seen.signal, seen.sanitizer, seen.timed_out


def _reproducing(
    minimal: Sequence[Ids],
    runs: MaskRuns,
    exact: Callable[[Ids], bool],
    changes: Sequence[int],
    requires: Requires,
    patience: Patience,
) -> Ids:
    """The smallest minimal set that is exact; else a smallest exact set above the blamed one."""
    for ids in minimal:
        if exact(ids):
            return ids
    fewer = replace(patience, questions=patience.questions // 4)
    rest = [change for change in changes if change not in minimal[0]]
    above = smallest_sets(rest, lambda ids: exact(ids | minimal[0]), requires, fewer)
    return above.sets[0] | minimal[0] if above.sets else frozenset(changes)


def native_blame(
    replay: NativeReplay,
    test: TestInput,
    pair: Pair,
    changes: Sequence[int],
    requires: Mapping[int, Ids] | None = None,
    patience: Patience = DEFAULT_PATIENCE,
    style: str = SANITIZED,
) -> Blame:
    """``blame`` with the mask build of a replay; with no mask build, a note says so."""
    if not replay.has_mask:
        return Blame(complete=False, note="there is no unified program to run")

    def run(ids: Ids) -> Observation:
        seen = next(replay.observe_all([Request("mask", test, ids, style)]))
        return seen if pair.masks is None else pair.masks.applied(seen)

    try:
        return blame(pair, run, changes, requires, patience)
    except ToolchainError as trouble:  # of our own text: what both versions do is known
        note = f"the unified program cannot be built: {trouble.message}"
        return Blame(complete=False, note=note)
