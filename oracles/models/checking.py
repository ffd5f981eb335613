"""What the engine says of each case, held against what gcc's builds of it do.

check(case, symbolic, natives, chance)   ->   Verdict("strchr", "forced", "agrees", "")
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from oracles.models.cases import Case
from oracles.models.native import Natives, Seen
from oracles.models.symbolic import Paths, Shown, Symbolic, events, forced, free
from symexec.expr import Term, evaluate
from symexec.state.state import State

MOST_PATHS, CHUNKS, POINTS = 24, 20_000, 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """``kind``: agrees, differs, refused (the engine says that it cannot), admitted (it differs and
    says that it only approximates), cut (too many paths), optimised (gcc's builds differ), bounded
    (the model has had its time)."""

    case: Case
    way: str
    kind: str
    detail: str = ""


class Checker:
    def __init__(self, symbolic: Symbolic, natives: Natives) -> None:
        self.symbolic = symbolic
        self.natives = natives

    def forced(self, case: Case, chance: random.Random) -> Iterator[Verdict]:
        """Every input has one value, and the engine has to find that out: one path."""
        drawn = [made.values(chance) for made in case.inputs]
        cells, conditions, values = forced(self.symbolic, case, drawn, chance)
        given_up = self.symbolic.counters.unknown
        paths = self.symbolic.run(case, cells, conditions, 2, CHUNKS)
        if len(paths.ended) != 1:
            unknown = "cut" if not paths.ended and not paths.exhausted else "differs"
            if self.symbolic.counters.unknown > given_up:  # the solver had not the time
                unknown = "cut"
            yield Verdict(case, "forced", unknown, f"{len(paths.ended)} paths {told(case, drawn)}")
            return
        yield self._judge(case, "forced", paths.ended[0], values, drawn)

    def free(self, case: Case, chance: random.Random) -> Iterator[Verdict]:
        """Some inputs lie in ranges: a test for each path, and points that lie on one path each."""
        drawn = [made.values(chance) for made in case.inputs]
        cells, conditions, ranges = free(self.symbolic, case, drawn, chance)
        if not ranges:
            return
        paths = self.symbolic.run(case, cells, conditions, MOST_PATHS, CHUNKS)
        symbols = dict.fromkeys(ranges, chance)
        for state in paths.ended:
            model = self.symbolic.engine.solver.model(state.path)
            if model is None:
                yield Verdict(case, "free", "cut", "no model")
                continue
            values = {symbol: model.get(symbol, 0) for symbol in symbols}
            if not all(evaluate(term, values) for term in state.path.terms()):
                yield Verdict(case, "free", "differs", "a model that is none")
                continue
            yield self._judge(case, "free", state, values, filled(case, cells, values))
        if not paths.ended:
            yield Verdict(case, "free", "cut")
        for _ in range(POINTS):
            values = {
                symbol: chance.randint(low, high) & ((1 << symbol.width) - 1)
                for symbol, (low, high) in ranges.items()
            }
            if not all(evaluate(term, values) for term in conditions if isinstance(term, Term)):
                continue
            yield from self._point(case, paths, values, filled(case, cells, values))

    def _point(
        self, case: Case, paths: Paths, values: Mapping[Term, int], drawn: Sequence[Sequence[int]]
    ) -> Iterator[Verdict]:
        on = [
            state
            for state in paths.ended
            if all(evaluate(term, values) for term in state.path.terms())
        ]
        if len(on) == 1:
            yield self._judge(case, "point", on[0], values, drawn)
        elif on or paths.exhausted:
            yield Verdict(case, "point", "differs", f"on {len(on)} paths {told(case, drawn)}")

    def _judge(
        self,
        case: Case,
        way: str,
        state: State,
        values: Mapping[Term, int],
        drawn: Sequence[Sequence[int]],
    ) -> Verdict:
        ours = self.symbolic.shown(case, state, values)
        if ours.refused:
            return Verdict(case, way, "refused", ours.refused)
        given = b"".join(made.data(each) for made, each in zip(case.inputs, drawn, strict=True))
        theirs = self.natives.run(case, given)
        plain, checked = theirs["-O0"], theirs["sanitized"]
        if "fault" in (ours.ending, checked.ending):
            wrong = (
                "" if ours.ending == checked.ending else f"{checked.ending} became {ours.ending}"
            )
            if plain.ending.startswith("signal") and "fault" in (ours.ending, checked.ending):
                wrong = "" if ours.ending in ("fault", plain.ending) else wrong
        else:
            wrong = difference(plain, ours)
        where = told(case, drawn)
        if wrong:
            admitted = any(event.reason == "approximated" for event in events(state))
            return Verdict(case, way, "admitted" if admitted else "differs", f"{wrong} {where}")
        if checked.ending != "fault" and shape(plain) != shape(theirs["-O2"]):
            return Verdict(case, way, "optimised", f"{difference(plain, theirs['-O2'])} {where}")
        return Verdict(case, way, "agrees")


def filled(
    case: Case, cells: Mapping[str, Sequence[object]], values: Mapping[Term, int]
) -> list[list[int]]:
    """The values of all cells when the symbols have theirs."""
    return [
        [each if isinstance(each, int) else values[each] for each in cells[made.name]]  # type: ignore[index]
        for made in case.inputs
    ]


def shape(seen: Seen | Shown) -> tuple[object, ...]:
    return seen.ending, seen.seen, seen.inputs if seen.seen is not None else b"", seen.stdout


def difference(theirs: Seen, ours: Seen | Shown) -> str:
    """The first thing that is not the same; "" when all is."""
    if theirs.ending != ours.ending:
        return f"{theirs.ending} became {ours.ending}"
    for name in ("stdout", "stderr") if theirs.ending != "signal 6" else ():
        expected, got = getattr(theirs, name), getattr(ours, name)
        if expected != got:
            return f"{name} {expected[:60]!r} became {got[:60]!r}"
    if theirs.seen is None or ours.seen is None:
        return ""
    for name, size in (("seen", 8), ("inputs", 1)):
        expected, got = getattr(theirs, name), getattr(ours, name)
        if expected != got:
            at = next(
                (
                    at
                    for at in range(0, len(expected), size)
                    if expected[at : at + size] != got[at : at + size]
                ),
                len(expected),
            )
            return (
                f"{name} at {at}: {expected[at : at + 12].hex()} became {got[at : at + 12].hex()}"
            )
    return ""


def told(case: Case, drawn: Sequence[Sequence[int]]) -> str:
    found: list[str] = []
    for made, values in zip(case.inputs, drawn, strict=True):
        if made.cells and made.cells[0].size == 1 and len(made.cells) > 1:
            found.append(repr(bytes(values)))
        elif made.cells:
            found.append(
                ",".join(
                    hex(value) if cell.floating else str(cell.signed(value))
                    for cell, value in zip(made.cells, values, strict=True)
                )
            )
    return f"given {' '.join(found)}"
