"""Compare everything the engine says of a pair with what the pair natively does on its whole grid.

    complaints(old, new, folder)   ->   []   or   ["(3, 0): on 2 paths", "(1, 1): OLD is 7, not 8"]

Every input must lie on exactly one path (or on one that was dropped because nothing can differ),
and on it each version must end and print as it natively does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from csg.language.syntax import Version
from symexec.campaign.building import BuildJob
from symexec.campaign.exploration import Exploration, Finding
from symexec.campaign.preparation import Prepared
from symexec.campaign.start import WATCHED
from symexec.environment.inputs import decode
from symexec.expr import Data, Term, evaluate, new_half, old_half
from symexec.memory import BOTH
from symexec.options import After, BuildOptions, InputOptions, Range, SearchOptions
from symexec.progress import Silence
from symexec.shadow.printed import Printed, units
from symexec.state.endings import DivisionByZero, Exit, MemoryFault, Returned, row
from symexec.state.state import Outcome, State
from tests.symexec.generated.tree import Source
from tests.symexec.generated.truth import Point, Ran, Truth, truth

LIMIT = 20.0
RESULTS = {"int": (32, True), "unsigned char": (8, False), "long": (64, True), "short": (16, True)}


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

    def _exploration(self, prepared: Prepared) -> tuple[Exploration, list[State]]:
        exploration, initial = super()._exploration(prepared)
        self._record(exploration)
        return exploration, initial

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
    for event in job.events:
        yield f"event {event}"
    for kind in ("cuts", "unknown", "concretised"):
        if getattr(counters, kind):
            yield f"{kind}: {getattr(counters, kind)}"


def _model(job: Recording, state: State, point: Point) -> dict[Term, int]:
    model = {}
    terms = [term for each in state.inputs for term in each.terms]
    for term, value in zip(terms, point, strict=True):
        if isinstance(term, Term):
            model[term] = value & ((1 << term.width) - 1)
    return model


def _paths(job: Recording, points: Truth, after: After, result: str) -> Iterator[str]:
    states = [(state, state.path.terms()) for state in job.ended + job.dropped]
    dropped = {id(state) for state in job.dropped}
    said = 0
    for point, (was, now) in points.items():
        model = _model(job, states[0][0], point)
        cache: dict[Term, object] = {}
        on = [
            state
            for state, terms in states
            if all(evaluate(term, model, cache) for term in terms)  # type: ignore[arg-type]
        ]
        for complaint in _point(on, dropped, was, now, model, cache, after, result):
            yield f"{point}: {complaint}"
            said += 1
        if said > 5:
            return


def _point(
    on: list[State],
    dropped: set[int],
    was: Ran,
    now: Ran,
    model: dict[Term, int],
    cache: dict[Term, object],
    after: After,
    result: str,
) -> Iterator[str]:
    if len(on) != 1:
        yield f"on {len(on)} paths"
        return
    (state,) = on
    if id(state) in dropped:
        if was != now:
            yield f"dropped, but {was} is not {now}"
        return
    for outcome, version, native in (
        (state.old_outcome, Version.OLD, was),
        (state.new_outcome, Version.NEW, now),
    ):
        if outcome is None:
            if not (after is After.NEW and version is Version.OLD and state.divergences):
                yield f"no outcome of {version.name}"
            continue
        said = ran(state, outcome, version, result, model, cache)
        if said != native and not (said.crashed and native.crashed):
            yield f"{version.name} is {native}, not {said}"


def ran(
    state: State,
    outcome: Outcome,
    version: Version,
    result: str,
    model: dict[Term, int],
    cache: dict[Term, object],
) -> Ran:
    """An outcome under a model, as a native run shows it."""
    half = old_half if version is Version.OLD else new_half

    def value(data: Data) -> int:
        plain = half(data)
        return plain if isinstance(plain, int) else evaluate(plain, model, cache)  # type: ignore[arg-type]

    match outcome.ending:
        case Returned(value=data):
            end = str(_signed(value(0 if data is None else data), result))
            end += "".join(f"={_signed(value(each), 'short')}" for each in _left_behind(state))
        case Exit(status=status):
            end = f"exit{_signed(value(status), 'int')}"
        case MemoryFault():
            end = "oob"
        case DivisionByZero():
            end = "division"
        case other:
            end = row(other).kind
    output = b"".join(_bytes(unit, value) for unit in units(outcome.output, 1))
    return Ran(end, output)


def _left_behind(state: State) -> list[Data]:
    """What is in the array that the caller gave."""
    numbers = state.environment[WATCHED]
    assert isinstance(numbers, tuple)
    found: list[Data] = []
    for number in numbers:
        item = state.memory.find(number)
        assert item is not None
        found += [item.load(at, 2, BOTH) for at in range(0, item.size, 2)]
    return found


def _signed(number: int, kind: str) -> int:
    width, signed = RESULTS[kind]
    number &= (1 << width) - 1
    return number - (1 << width) if signed and number >> (width - 1) else number


def _bytes(unit: object, value: object) -> bytes:
    if isinstance(unit, Printed):
        number = value(unit.term)  # type: ignore[operator]
        specification = unit.specification
        if specification[-1] == "d" and number >> 31:
            number -= 1 << 32
        return (specification % number).encode()
    return bytes((value(unit),))  # type: ignore[operator]


def _point_of(finding: Finding) -> Point:
    found = decode(finding.state.inputs, finding.model)["parameters"]
    point: list[int] = []
    for value in found.values():
        point += value if isinstance(value, list) else [value]
    return tuple(point)


def _findings(job: Recording, points: Truth, differing: list[Point], after: After) -> Iterator[str]:
    told = False
    for finding in job.findings:
        if not finding.told:
            continue
        told = True
        point = _point_of(finding)
        was, now = points[point]
        if was == now and not was.crashed:
            yield f"{point}: told to differ by {finding.told}, but {was} twice"
    if differing and not told and after is After.BOTH:
        was, now = points[differing[0]]
        yield f"{differing[0]}: {was} became {now}, and nobody said so"
