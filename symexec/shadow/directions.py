"""The ways through a branch that two versions take at once.

    old \\ new      true            false
    true           same-true       diff-false
    false          diff-true       same-false

Same-version conditions leave two ways; where they differ up to four are feasible (Palikareva,
Kuchta, Cadar: Shadow of a Doubt, ICSE 2016, Fig. 2). A direction is named after what the new
version does.

Along a seed the versions go one common way, the seed's, and every way on which they diverge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from symexec.expr import Data, Shadowed, Term, binary, negate, new_half, old_half
from symexec.solver import Assignment, PathCondition
from symexec.state.inputs import FIRST_VALUE, Guided, Script
from symexec.state.state import State


class Directions(Enum):
    SAME_TRUE = ("same-true", True, True)
    SAME_FALSE = ("same-false", False, False)
    DIFF_TRUE = ("diff-true", False, True)
    DIFF_FALSE = ("diff-false", True, False)

    def __init__(self, label: str, old: bool, new: bool) -> None:
        self.label = label
        self.old = old
        self.new = new

    @property
    def diverges(self) -> bool:
        return self.old is not self.new


class Decider(Protocol):
    """What branching asks of the solver."""

    def directions(self, path: PathCondition, condition: int | Term) -> tuple[bool, bool]:
        """Whether the condition can be true, and whether it can be false, under the path condition;
        what is unknown counts as possible."""

    def learn(self, path: PathCondition, condition: Term, value: bool) -> None:
        """Note what ``directions`` has answered before: the condition has one value there."""


class Way(NamedTuple):
    """A way through a branch, with the path condition that leads there. ``answers``: what the
    solver was asked for it (``state.inputs``)."""

    taken: bool
    path: PathCondition
    answers: tuple[int, ...] = ()

    def chosen(self, number: int) -> Way:
        """The same way, one of several that have a number each."""
        return Way(self.taken, self.path, (FIRST_VALUE + number, *self.answers))


def taking(state: State, way: Way) -> State:
    """The state goes this way."""
    state.path = way.path
    for answer in way.answers:
        state.answered(answer)
    return state


def going(state: State, way: Way) -> State:
    """The state itself where the way assumes nothing, else a fork that goes it."""
    return taking(state.fork() if way.path is not state.path else state, way)


def is_open(found: Sequence[Way]) -> bool:
    """Was there more than one way? A script has one of them, with what was answered."""
    return len(found) > 1 or any(answer & 2 for way in found for answer in way.answers)


ANSWERS = tuple((answer,) for answer in range(4))  # 2 * (both were possible) + (it is true)


def ways(
    condition: int | Term,
    path: PathCondition,
    solver: Decider,
    seed: Assignment | Script | None = None,
) -> list[Way]:
    """Each way through a branch of one version; with a seed or a script, only its way."""
    if isinstance(condition, int):
        return [Way(bool(condition), path)]
    if seed is not None:
        if isinstance(seed, Script):
            return [_scripted(condition, path, solver, answer) for answer in seed.answers()]
        taken, extended = followed(condition, path, seed)
        return [Way(taken, extended, ANSWERS[2 + taken])]
    true, false = solver.directions(path, condition)
    if true and false:
        return [
            Way(True, path.assuming(condition), ANSWERS[3]),
            Way(False, _without(path, condition), ANSWERS[2]),
        ]
    return [Way(true, path, ANSWERS[true])] if true or false else []


def _scripted(condition: Term, path: PathCondition, solver: Decider, answer: int) -> Way:
    """The way of a script, under the condition under which it was taken before."""
    taken = bool(answer & 1)
    if answer & 2:
        extended = path.assuming(condition) if taken else _without(path, condition)
        return Way(taken, extended, ANSWERS[answer])
    solver.learn(path, condition, taken)
    return Way(taken, path, ANSWERS[answer])


def followed(condition: Term, path: PathCondition, seed: Assignment) -> tuple[bool, PathCondition]:
    """The seed's way through a branch. Since the other way may be possible as well, the condition
    becomes part of the path condition."""
    taken = seed.holds(condition)
    if isinstance(seed, Guided):
        return taken, seed.along(path, condition if taken else _negated(condition))
    extended = path.assuming(condition) if taken else _without(path, condition)
    extended.keep_model(seed)
    return taken, extended


def _without(path: PathCondition, condition: Term) -> PathCondition:
    return path.assuming(_negated(condition))


def _negated(condition: Term) -> Term:
    negated = negate(condition)
    assert isinstance(negated, Term)
    return negated


def joint_ways(
    condition: Data,
    path: PathCondition,
    solver: Decider,
    seed: Assignment | Script | None = None,
) -> Iterator[tuple[Directions, Way]]:
    """Each way through a branch of both versions, with its path condition. With a seed: the ways on
    which the versions diverge, and the seed's own unless it makes them diverge; with a guide, the
    guide's way."""
    old, new = old_half(condition), new_half(condition)
    if old is new or (isinstance(old, int) and old == new):
        for way in ways(old, path, solver, seed):
            yield (Directions.SAME_TRUE if way.taken else Directions.SAME_FALSE), way
        return
    differ = binary("xor", 1, old, new)
    assert not isinstance(differ, tuple)
    guide = seed if isinstance(seed, (Guided, Script)) else None
    for diverged, beyond, asked in ways(differ, path, solver, guide):  # type: ignore[arg-type]
        leading = guide if diverged else seed
        if isinstance(leading, Script):
            for answer in asked:
                leading = leading.after(answer)
        elif guide is None and leading is not None and _true(differ, leading):
            continue
        for taken, extended, further in ways(new, beyond, solver, leading):
            way = Way(taken, extended, asked + further)
            if diverged:
                yield (Directions.DIFF_TRUE if taken else Directions.DIFF_FALSE), way
            else:
                yield (Directions.SAME_TRUE if taken else Directions.SAME_FALSE), way


def _true(condition: Data, seed: Assignment) -> bool:
    assert not isinstance(condition, Shadowed)
    return bool(condition) if isinstance(condition, int) else seed.holds(condition)
