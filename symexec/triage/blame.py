"""Which changes bring a difference about, found by switching them on one set at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from csg.errors import ToolchainError
from symexec.replay import SANITIZED, NativeReplay, Pair, Request
from symexec.testcases import Blame, Observation, TestInput
from symexec.triage.classification import differing_parts

# ---------------------------------------------------------------------------------------- subsets
# Smallest sets of changes with a property, found with few queries.
#
# smallest_sets((1, 2, 3), lambda s: {1, 3} <= s)       [(1, 3)]
#
# Changes are statements, and a patch may have hundreds: so hunks are tried first, and statements
# inside of the hunks that matter.


Ids = frozenset[int]
Requires = Mapping[int, Ids]

EXHAUSTIVE = 8  # changes, up to which all subsets are tried
SMALL = 4  # members at most of a set inside of which all subsets are asked


class OutOfQueries(Exception):
    """The queries or the time allowed are used up. It never leaves this module."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of a search: the number of queries, and ``deadline`` by ``clock``."""

    queries: int = 256
    deadline: float = math.inf
    clock: Callable[[], float] = time.monotonic

    def ends(self, asked: int) -> bool:
        return asked >= self.queries or self.clock() > self.deadline


DEFAULT_PATIENCE = Patience()


@dataclass(slots=True)
class Oracle:
    """Says whether a set has the property; each set is tried once."""

    ask: Callable[[Ids], bool]
    patience: Patience
    answers: dict[Ids, bool] = field(default_factory=dict)

    def holds(self, ids: Ids) -> bool:
        if ids not in self.answers:
            if self.patience.ends(len(self.answers)):
                raise OutOfQueries
            self.answers[ids] = self.ask(ids)
        return self.answers[ids]


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest sets. ``sets`` are in order of size, then of ids; ``complete``: there are no
    others; ``ended``: queries or time were used up before each was known to be minimal."""

    sets: tuple[Ids, ...]
    complete: bool
    ended: bool = False

    @property
    def why_empty(self) -> str:
        """Why there are no sets."""
        if self.ended:
            return "runs or time were used up before a set of changes was found"
        return "no set of changes alone shows the difference"


def closed(ids: Ids, requires: Requires) -> Ids:
    """``ids`` and all changes that they require."""
    result, open_ids = set(ids), list(ids)
    while open_ids:
        for needed in requires.get(open_ids.pop(), frozenset()):
            if needed not in result:
                result.add(needed)
                open_ids.append(needed)
    return frozenset(result)


def generating(ids: Ids, requires: Requires) -> Ids:
    """The members of a closed set that no other member requires (of those that require each other,
    the first): they have to come together, and bring the rest with them."""
    around = {each: closed(frozenset({each}), requires) for each in ids}
    return frozenset(
        each
        for each in ids
        if not any(
            each in around[other] and (other not in around[each] or other < each)
            for other in ids
            if other != each
        )
    )


class Requirements(dict[int, Ids]):
    """What each change requires, with the number of the hunk that it stands in."""

    def __init__(self, requires: Requires, hunks: Mapping[int, int]) -> None:
        super().__init__(requires)
        self.hunks = dict(hunks)


def smallest_sets(
    changes: Sequence[int],
    has: Callable[[Ids], bool],
    requires: Requires | None = None,
    patience: Patience = DEFAULT_PATIENCE,
) -> Smallest:
    """Minimal closed sets for which ``has`` holds.

    Up to EXHAUSTIVE changes every closed set is asked in order of size, except above one that was
    found: no closed proper subset of a result has the property, and there are no other results.

    Beyond, groups are asked first: the hunks of ``Requirements``, or else single changes. One group
    alone, pairs while there are few, then ddmin over the groups; then the same inside of the groups
    that matter. No closed set one step smaller than a result has the property, unless ``patience``
    came to its end (``Smallest.ended``).
    """
    needs: Requires = requires or {}
    ids = sorted(changes)
    search = _Search(_groups(ids, needs), needs, Oracle(has, patience))
    try:
        if len(ids) <= EXHAUSTIVE:
            search.found.extend(search.exhaust(_singles(ids), len(ids)))
            return _sorted(search.found, complete=True)
        search.by_groups()
        search.others()
    except OutOfQueries:
        return _sorted(search.found or search.coarse[:1], complete=False, ended=True)
    return _sorted(search.found, complete=False)


def _sorted(found: list[Ids], complete: bool, ended: bool = False) -> Smallest:
    remaining = {ids for ids in found if not any(other < ids for other in found)}
    order = sorted(remaining, key=lambda ids: (len(ids), sorted(ids)))
    return Smallest(tuple(order), complete, ended)


def _singles(ids: Iterable[int]) -> list[Ids]:
    return [frozenset({each}) for each in sorted(ids)]


def _groups(ids: Sequence[int], requires: Requires) -> list[Ids]:
    """The hunks, in order; each change by itself where hunks are not known."""
    if not isinstance(requires, Requirements):
        return _singles(ids)
    hunks: dict[int, set[int]] = {}
    for each in ids:
        hunks.setdefault(requires.hunks.get(each, -each), set()).add(each)
    return [frozenset(hunk) for hunk in hunks.values()]


@dataclass(slots=True)
class _Search:
    """A search for small sets. ``found``: minimal sets so far. ``coarse``: the last set that was
    known to have the property before it was reduced."""

    groups: list[Ids]
    requires: Requires
    oracle: Oracle
    found: list[Ids] = field(default_factory=list)
    coarse: list[Ids] = field(default_factory=list)

    def by_groups(self) -> None:
        """The groups that have the property alone or in pairs; or else those that ddmin leaves."""
        budget, count = self.oracle.patience.queries, len(self.groups)
        alone: list[Ids] = []
        if count <= budget // 4:
            pairs = count * (count - 1) // 2 <= budget // 2
            alone = self.exhaust(self.groups, 2 if pairs else 1)
        everything = closed(frozenset().union(*self.groups), self.requires)
        if alone:
            for each in alone:
                self.refine(each)
        elif self.oracle.holds(everything):
            self.reduce(everything)

    def reduce(self, ids: Ids) -> None:
        """Reduce a set that has the property: first by groups, then by changes."""
        self.refine(ddmin(ids, self.oracle.holds, self.requires, self.groups, self.note))

    def refine(self, ids: Ids) -> None:
        """Reduce a set that has the property: to all smallest sets in it where it is small, or else
        to one."""
        self.note(ids)
        if len(ids) <= SMALL:
            self.found.extend(self.exhaust(_singles(ids), len(ids)) or [ids])
        else:
            self.found.append(ddmin(ids, self.oracle.holds, self.requires, None, self.note))

    def note(self, ids: Ids) -> None:
        self.coarse.insert(0, ids)

    def exhaust(self, groups: Sequence[Ids], most: int) -> list[Ids]:
        """The smallest sets that up to ``most`` of ``groups`` generate."""
        found: list[Ids] = []
        try:
            for candidate in candidates(groups, most, self.requires):
                if not any(other <= candidate for other in found) and self.oracle.holds(candidate):
                    found.append(candidate)
        except OutOfQueries:
            self.found.extend(found)
            raise
        return found

    def others(self) -> None:
        """All changes without one member of a set that was found, while these have the property."""
        rest = closed(frozenset().union(*self.groups), self.requires)
        tried = 0
        while tried < len(self.found):
            for member in sorted(self.found[tried]):
                without = _without(rest, frozenset({member}), self.requires)
                known = any(other <= without for other in self.found)
                if without and not known and self.oracle.holds(without):
                    self.reduce(without)
            tried += 1


def candidates(groups: Sequence[Ids], most: int, requires: Requires) -> Iterator[Ids]:
    """The closed sets that up to ``most`` groups generate, smallest first."""
    seen: set[Ids] = set()
    for size in range(1, most + 1):
        for chosen in combinations(groups, size):
            seen.add(closed(frozenset().union(*chosen), requires))
    return iter(sorted(seen, key=lambda each: (len(each), sorted(each))))


def ddmin(
    ids: Ids,
    has: Callable[[Ids], bool],
    requires: Requires,
    groups: Sequence[Ids] | None = None,
    note: Callable[[Ids], None] = lambda ids: None,
) -> Ids:
    """Zeller and Hildebrandt's minimisation (TSE 2002): ``ids`` has the property; the result has it
    too, and loses it with any one of ``groups`` (and what needs that one), or of its members when
    there are none. ``note`` is told of each smaller set that has the property."""
    parts = 2
    while True:
        atoms = [part for part in map(ids.__and__, groups or _singles(ids)) if part]
        if len(atoms) <= 1:
            return ids
        smaller = _smaller(ids, atoms, has, requires, min(parts, len(atoms)))
        if smaller is not None:
            ids, parts = smaller, max(parts - 1, 2)
            note(ids)
        elif parts < len(atoms):
            parts = min(2 * parts, len(atoms))
        else:
            return ids


def _smaller(
    ids: Ids, atoms: Sequence[Ids], has: Callable[[Ids], bool], requires: Requires, parts: int
) -> Ids | None:
    size = -(-len(atoms) // parts)
    chunks = [frozenset().union(*atoms[i : i + size]) for i in range(0, len(atoms), size)]
    alone = [closed(chunk, requires) for chunk in chunks]
    without = [_without(ids, chunk, requires) for chunk in chunks]
    for candidate in [*alone, *without]:
        if candidate and candidate < ids and has(candidate):
            return candidate
    return None


def _without(ids: Ids, removed: Ids, requires: Requires) -> Ids:
    """``ids`` without ``removed`` and without changes that require one of these."""
    gone, remaining = removed, ids - removed
    while True:
        needing = frozenset(i for i in remaining if requires.get(i, frozenset()) & gone)
        if not needing:
            return remaining
        gone, remaining = gone | needing, remaining - needing


# ------------------------------------------------------------------------------------------ blame
# Which changes bring a difference about, found by switching them on one set at a time.
#
# int limit = change(10, 9);            change 1          input x = 10:   mask {}      prints 10
# if (change(x > limit, x >= limit))    change 2                          mask {1}     prints 9
#                                                                         blamed (1)


Run = Callable[[Ids], Observation]

# Why there is no answer: beside these, what ``unfaithful`` and ``Smallest.why_empty`` say.
NO_UNIFIED_PROGRAM = "there is no unified program to run"
NOT_BUILT = "the unified program cannot be built"


@dataclass(slots=True)
class MaskRuns:
    """Observations of one input under masks; each is made once."""

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
    met: Ids | None = None,
) -> Blame:
    """The smallest sets of changes that make the difference appear; of those that the new version
    comes by, where these are known (``met``).

    A set counts when the program with exactly these changes differs from the old one. Where the new
    version *fails* in another way than the old one (a signal, a sanitizer, no end), that is the
    difference to explain: a set counts when it fails as the new version does; that a change alone
    makes a harmless difference does not clear the others of the crash. A set that fails as neither
    version does cannot run alone, and explains nothing.

    Of several minimal sets one is blamed that shows exactly what the new version shows, where there
    is one: others show something else as well. Then the one with the fewest members, then the one
    with the lowest ids. All minimal sets are reported.
    ``reproducing`` is the smallest set *seen* to show exactly what the new version does; the set of
    all changes at worst.

    A change that the new version does not come by is no cause of what it does, though switched on
    alone in the old version it may show something else: a statement, say, that is deleted from a
    function that nothing calls any more.

    No answer (a note says why) when the mask program with no change does not behave as the old
    version, or with all changes not as the new one.
    """
    everything = frozenset(changes)
    runs = MaskRuns(run)
    note = _unfaithful(pair, runs, everything)
    if note:
        return Blame(complete=False, runs=len(runs.seen), note=note)
    needs: Requires = requires or {}
    if met is None or _differing(runs(closed(met, needs)), pair.new, pair):
        met = everything
    by_failure = pair.new.failed and _failure(pair.new) != _failure(pair.old)

    def explaining(ids: Ids) -> Ids:
        return closed(ids & met, needs)

    def appears(ids: Ids) -> bool:
        seen = runs(explaining(ids))
        if by_failure:
            return _failure(seen) == _failure(pair.new)
        runs_alone = _failure(seen) in (_failure(pair.old), _failure(pair.new))
        return runs_alone and bool(_differing(runs(frozenset()), seen, pair))

    def exact(ids: Ids) -> bool:
        return not _differing(runs(ids), pair.new, pair)

    smallest = smallest_sets(sorted(met), appears, requires, patience)
    if not smallest.sets:
        return Blame(complete=False, runs=len(runs.seen), note=smallest.why_empty)
    found = set(map(explaining, smallest.sets))
    order = sorted(found, key=lambda ids: (not exact(ids), len(ids), sorted(ids)))
    reproducing = _reproducing(order, runs, exact, changes, needs, patience)
    minimal = tuple(tuple(sorted(ids)) for ids in order)
    generators = tuple(tuple(sorted(generating(ids, needs))) for ids in order)
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
        return unfaithful(False, parts)
    parts = _differing(runs(everything), pair.new, pair)
    if parts:
        return unfaithful(True, parts)
    return ""


def unfaithful(changed: bool, parts: Sequence[str]) -> str:
    """Why nothing can be blamed: the unified program shows other ``parts`` than a version does."""
    which = ("without changes is not the old one", "with all changes is not the new one")[changed]
    return f"the unified program {which} ({', '.join(parts)})"


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
    """The smallest minimal set that is exact; else a smallest exact set that contains the blamed
    one."""
    for ids in minimal:
        if exact(ids):
            return ids
    fewer = replace(patience, queries=patience.queries // 4)
    rest = [change for change in changes if change not in minimal[0]]
    above = smallest_sets(rest, lambda ids: exact(ids | minimal[0]), requires, fewer)
    return above.sets[0] | minimal[0] if above.sets else frozenset(changes)


def shows_as_new(
    replay: NativeReplay, test: TestInput, pair: Pair, changes: Ids, style: str = SANITIZED
) -> bool:
    """Does the program with exactly these changes show what the new version shows?"""
    if not replay.has_mask:
        return False
    try:
        seen = next(replay.observe_all([Request("mask", test, changes, style)]))
    except ToolchainError:
        return False
    return not _differing(seen if pair.masks is None else pair.masks.applied(seen), pair.new, pair)


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
        return Blame(complete=False, note=NO_UNIFIED_PROGRAM)

    def run(ids: Ids) -> Observation:
        seen = next(replay.observe_all([Request("mask", test, ids, style)]))
        return seen if pair.masks is None else pair.masks.applied(seen)

    try:
        met = _met(replay, test, frozenset(changes))
        return blame(pair, run, changes, requires, patience, met)
    except ToolchainError as error:  # its own text is wrong: what both versions do is known
        note = f"{NOT_BUILT}: {error.message}"
        return Blame(complete=False, note=note)


def _met(replay: NativeReplay, test: TestInput, changes: Ids) -> Ids | None:
    """The changes that the new version executes. None: all changes count, because they are few, or
    because it cannot be seen which ones are executed."""
    if len(changes) <= SMALL or not replay.has_probes:
        return None
    try:
        (touched,) = replay.touched([test], changes)
    except ToolchainError:
        return None
    return None if touched is None else (touched | replay.plan.unseen) & changes
