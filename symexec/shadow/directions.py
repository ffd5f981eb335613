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

from collections.abc import Iterator
from enum import Enum
from typing import Protocol

from symexec.expr import Data, Shadowed, Term, binary, negate, new_half, old_half
from symexec.solver import Assignment, PathCondition
from symexec.state.inputs import Guided


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


def ways(
    condition: int | Term, path: PathCondition, solver: Decider, seed: Assignment | None = None
) -> list[tuple[bool, PathCondition]]:
    """Each way through a branch of one version, with the path condition that leads there; with a
    seed, only the seed's way."""
    if isinstance(condition, int):
        return [(bool(condition), path)]
    if seed is not None:
        return [followed(condition, path, seed)]
    true, false = solver.directions(path, condition)
    if true and false:
        return [(True, path.assuming(condition)), (False, _without(path, condition))]
    return [(true, path)] if true or false else []


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
    condition: Data, path: PathCondition, solver: Decider, seed: Assignment | None = None
) -> Iterator[tuple[Directions, PathCondition]]:
    """Each way through a branch of both versions, with its path condition. With a seed: the ways on
    which the versions diverge, and the seed's own unless it makes them diverge; with a guide, the
    guide's way."""
    old, new = old_half(condition), new_half(condition)
    if old is new or (isinstance(old, int) and old == new):
        for taken, extended in ways(old, path, solver, seed):
            yield (Directions.SAME_TRUE if taken else Directions.SAME_FALSE), extended
        return
    differ = binary("xor", 1, old, new)
    assert not isinstance(differ, tuple)
    guide = seed if isinstance(seed, Guided) else None
    for diverged, beyond in ways(differ, path, solver, guide):  # type: ignore[arg-type]
        leading = guide if diverged else seed
        if guide is None and leading is not None and _true(differ, leading):
            continue
        for taken, extended in ways(new, beyond, solver, leading):
            if diverged:
                yield (Directions.DIFF_TRUE if taken else Directions.DIFF_FALSE), extended
            else:
                yield (Directions.SAME_TRUE if taken else Directions.SAME_FALSE), extended


def _true(condition: Data, seed: Assignment) -> bool:
    assert not isinstance(condition, Shadowed)
    return bool(condition) if isinstance(condition, int) else seed.holds(condition)
