"""Compare everything the engine says of a pair with what the pair natively does on its whole grid.

    complaints(old, new, folder)   ->   []   or   ["(3, 0): on 2 paths", "(1, 1): OLD is 7, not 8"]

Every input must lie on exactly one path (or on one that was dropped because nothing can differ),
and on it each version must end and print as it natively does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from csg.language.syntax import Version
from generators.pairs.tree import Source
from oracles.truth import Point, Ran, Truth, truth
from symexec.campaign.building import BuildJob
from symexec.exploration.paths import Exploration, Finding
from symexec.exploration.preparation import Prepared
from symexec.exploration.searching import Search
from symexec.options import After, BuildOptions, Globals, InputOptions, Range, SearchOptions
from symexec.progress import Silence
from symexec.shadow.outcomes import Observable
from symexec.state.state import State
from symexec.testcases import decode
from tests.symexec.generated.predicting import Given, lying, ran

LIMIT = 20.0


class Recording(BuildJob):
    """A job without native runs that keeps every path."""

    def __init__(self, options: BuildOptions) -> None:
        super().__init__(options)
        self.ended: list[State] = []
        self.dropped: list[State] = []
        self.findings: list[Finding] = []

    def explore(self) -> None:
        self.prepare()
        list(self.cases(Silence()))

    def _begun(self, prepared: Prepared, deadline: float, *rest: Any) -> Search:
        search = super()._begun(prepared, deadline, *rest)
        self._record(search.exploration)
        return search

    def _record(self, exploration: Exploration) -> None:
        ended, prunes = exploration._ended, exploration._prunes
        turns = exploration.turns
        assert prunes is not None

        def keep(state: State) -> Iterator[Finding]:
            self.ended.append(state)
            return ended(state)

        def see(initial: list[State], deadline: float) -> Iterator[Finding | None]:
            for finding in turns(initial, deadline):
                if finding is not None:
                    self.findings.append(finding)
                yield finding

        def drop(state: State) -> bool:
            hopeless = prunes(state)
            if hopeless:
                self.dropped.append(state)
            return hopeless

        exploration._ended = keep  # type: ignore[method-assign]
        exploration._prunes = drop
        exploration.turns = see  # type: ignore[method-assign]


def options_of(old: Source, new: Source, folder: Path, after: After = After.BOTH) -> BuildOptions:
    for name, source in (("old.c", old), ("new.c", new)):
        (folder / name).write_text(source.text)
    plain = [each for each in old.ranges if "[" not in each[0]]
    rest = [each for each in old.ranges if "[" in each[0]]
    inputs = InputOptions(
        entry="f",
        ranges=tuple(Range(*each) for each in plain),
        assumptions=tuple(f"{name} >= {low} && {name} <= {high}" for name, low, high in rest),
        array_length=old.buffer or 4,
        globals=Globals.INITIAL,  # what is held against them calls f in a fresh process
    )
    search = SearchOptions(time=LIMIT, after=after)
    files = folder / "old.c", folder / "new.c"
    return BuildOptions(*files, (), inputs, search, folder / "out", replay=False)


def complaints(old: Source, new: Source, folder: Path, after: After = After.BOTH) -> list[str]:
    points = truth(old, new, folder)
    if points is None:
        return []
    job = Recording(options_of(old, new, folder, after))
    job.explore()
    assert job.unified is not None
    differing = [p for p, (was, now) in points.items() if was != now]
    if job.prepared is None:
        return [f"no change, but {differing[0]} differs"] if differing else []
    if not job.exhausted:
        return ["not exhausted"]
    found = list(_events(job))
    found += list(_paths(job, points, after, old.entry.result))
    found += list(_findings(job, points, differing, after))
    return found


def _events(job: Recording) -> Iterator[str]:
    counters = job.counters
    for event in job.counters.ledger.events():
        # The truth of a pair begins with the initial values, and compares what f returns.
        if "initial value" not in event.text and "earlier calls" not in event.text:
            yield f"event {event}"
    for kind in ("cuts", "unsupported", "unknown", "concretised"):
        if getattr(counters, kind):
            yield f"{kind}: {getattr(counters, kind)}"


def _paths(job: Recording, points: Truth, after: After, result: str) -> Iterator[str]:
    dropped = {id(state) for state in job.dropped}
    empty = {id(state) for state in job.ended}
    said = 0
    for point, on, given in lying(job.ended + job.dropped, points):
        empty -= {id(state) for state in on}
        if len(on) != 1:
            found = [f"on {len(on)} paths"]
        elif id(on[0]) in dropped:
            was, now = points[point]
            found = [f"dropped, but {was} is not {now}"] if was != now else []
        else:
            found = list(_outcomes(on[0], points[point], given, after, result))
        yield from (f"{point}: {complaint}" for complaint in found)
        said += len(found)
        if said > 5:
            return
    if empty:
        yield f"{len(empty)} paths that no input takes"


def _outcomes(
    state: State, natively: tuple[Ran, Ran], given: Given, after: After, result: str
) -> Iterator[str]:
    outcomes = (state.old_outcome, state.new_outcome)
    for version, outcome, native in zip(Version, outcomes, natively, strict=True):
        if outcome is None:
            if not (after is After.NEW and version is Version.OLD and state.divergences):
                yield f"no outcome of {version.name}"
            continue
        said = ran(state, outcome, version, result, given)
        if said != native and not (said.crashed and native.crashed):
            yield f"{version.name} is {native}, not {said}"


def _point_of(finding: Finding) -> Point:
    point: list[int] = []
    for _, value in decode(finding.state.inputs, finding.model).parameters:
        point += value if isinstance(value, tuple) else [value]
    return tuple(point)


def _findings(job: Recording, points: Truth, differing: list[Point], after: After) -> Iterator[str]:
    differs_in = False
    for finding in job.findings:
        if not finding.differs_in:
            continue
        differs_in = True
        point = _point_of(finding)
        was, now = points[point]
        remembered = Observable.MEMORY in finding.differs_in and was.left != now.left
        if was == now and not was.crashed and not remembered:
            yield f"{point}: told to differ by {finding.differs_in}, but {was} twice"
    if differing and not differs_in and after is After.BOTH:
        was, now = points[differing[0]]
        yield f"{differing[0]}: {was} became {now}, and nobody said so"
    remembering = [p for p, (was, now) in points.items() if was == now and was.left != now.left]
    if remembering and not differs_in and not job.counters.ledger.events() and after is After.BOTH:
        was, now = points[remembering[0]]
        yield f"{remembering[0]}: left {was.left} and now {now.left}, and nobody said so"
