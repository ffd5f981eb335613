"""The ways through a branch of two versions, against all inputs of four bits tried one by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from symexec.expr import Data, Shadowed, Term, TermTable, binary, compare, evaluate
from symexec.memory import Memory
from symexec.shadow.directions import (
    Directions,
    Way,
    followed,
    going,
    is_open,
    joint_ways,
    taking,
    ways,
)
from symexec.solver import EMPTY, Answer, Assignment, PathCondition, build_solver
from symexec.state.inputs import FIRST_VALUE, Guided, Prefix, Script, answers_of
from symexec.state.state import State

TABLE = TermTable()
X = TABLE.symbol("x", 4)
VALUES = range(16)


def below(bound: int) -> Term:
    found = compare("ult", 4, X, bound)
    assert isinstance(found, Term)
    return found


def equal(value: int) -> Term:
    found = compare("eq", 4, X, value)
    assert isinstance(found, Term)
    return found


LOW_BIT = compare("eq", 4, binary("and", 4, X, 1), 1)
EVEN = compare("eq", 4, binary("and", 4, X, 1), 0)


def inputs(path: PathCondition) -> set[int]:
    """All x on which the path condition holds."""
    if path.contradictory:
        return set()
    return {x for x in VALUES if all(evaluate(term, {X: x}, {}) == 1 for term in path.terms())}


def truth(condition: object, x: int) -> bool:
    return bool(condition) if isinstance(condition, int) else evaluate(condition, {X: x}, {}) == 1  # type: ignore[arg-type]


def assuming(*conditions: Term) -> PathCondition:
    path = EMPTY
    for each in conditions:
        path = path.assuming(each)
    return path


@pytest.mark.parametrize(
    ("label", "old", "new", "diverges"),
    [
        ("same-true", True, True, False),
        ("same-false", False, False, False),
        ("diff-true", False, True, True),
        ("diff-false", True, False, True),
    ],
)
def test_a_direction_is_named_after_the_new_version(
    label: str, old: bool, new: bool, diverges: bool
) -> None:
    (found,) = [each for each in Directions if each.label == label]
    assert (found.old, found.new, found.diverges) == (old, new, diverges)


PATHS = [EMPTY, assuming(below(8)), assuming(below(3)), assuming(equal(5))]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("condition", [below(4), equal(5), LOW_BIT, below(1), 0, 1])
def test_each_way_has_its_inputs(condition: int | Term, path: PathCondition) -> None:
    found = ways(condition, path, build_solver())
    expected = {
        taken: {x for x in inputs(path) if truth(condition, x) is taken} for taken in (True, False)
    }
    assert {taken: inputs(extended) for taken, extended, _ in found} == {
        taken: those for taken, those in expected.items() if those
    }
    if len(found) == 1:  # nothing was learnt, so the path is the same
        assert found[0][1] is path


class Refusing:
    """A solver that finds nothing possible, or must not be asked."""

    def __init__(self, answer: tuple[bool, bool] | None) -> None:
        self.answer = answer

    def directions(self, path: PathCondition, condition: int | Term) -> tuple[bool, bool]:
        assert self.answer is not None, "nobody needs to be asked"
        return self.answer


class Conditions:
    """A solver that is told what it is asked."""

    def __init__(self) -> None:
        self.asked: list[int | Term] = []

    def directions(self, path: PathCondition, condition: int | Term) -> tuple[bool, bool]:
        self.asked.append(condition)
        return True, True


def test_whether_they_part_is_a_condition_of_one_bit() -> None:
    solver = Conditions()
    assert len(list(joint_ways(Shadowed(below(4), below(9)), EMPTY, solver))) == 4
    assert [isinstance(each, Term) and each.width for each in solver.asked] == [1, 1, 1]


def test_no_way_leads_on_where_nothing_is_possible() -> None:
    assert ways(below(4), EMPTY, Refusing((False, False))) == []
    assert [way.taken for way in ways(below(4), EMPTY, Refusing((False, True)))] == [False]
    assert [way.taken for way in ways(below(4), EMPTY, Refusing((True, False)))] == [True]


def test_constants_ask_nobody() -> None:
    for value in (0, 1):
        assert ways(value, EMPTY, Refusing(None)) == [(bool(value), EMPTY, ())]


# ------------------------------------------------------------------ along a seed


@pytest.mark.parametrize("value", [3, 4])
def test_a_seed_goes_its_own_way_and_the_condition_is_kept(value: int) -> None:
    seed = Assignment({X: value})
    ((taken, path, _),) = ways(below(4), assuming(below(9)), Refusing(None), seed)
    assert taken is (value < 4)
    assert inputs(path) == {x for x in range(9) if (x < 4) is taken}
    assert path.models[0] is seed  # known to satisfy it


def test_a_guide_assumes_what_its_path_assumed() -> None:
    whole = assuming(below(9), below(4), equal(2))
    guide = Guided({X: 2}, whole, EMPTY)
    taken, path = followed(below(9), EMPTY, guide)
    assert taken and path is whole.parent.parent  # type: ignore[union-attr]
    taken, same = followed(below(7), path, guide)
    assert taken and same is path  # nothing that the search had to assume
    other = assuming(below(9), compare("ule", 4, 4, X))  # type: ignore[arg-type]
    guide = Guided({X: 5}, other, EMPTY)
    taken, path = followed(below(4), other.parent, guide)  # type: ignore[arg-type]
    assert not taken and path is other


# ------------------------------------------------------------------ two versions


PAIRS = [
    Shadowed(below(4), below(9)),
    Shadowed(below(9), below(4)),
    Shadowed(below(4), equal(7)),
    Shadowed(LOW_BIT, EVEN),  # they diverge on every input
    Shadowed(1, below(9)),
    Shadowed(below(9), 1),
    Shadowed(0, below(9)),
    Shadowed(below(9), 0),
    Shadowed(0, 1),
    Shadowed(1, 0),
    below(4),
    1,
    0,
]
NAMED: dict[tuple[bool, bool], str] = {(each.old, each.new): each.label for each in Directions}


def by_hand(condition: Data, chosen: Callable[[int], bool]) -> dict[str, set[int]]:
    old, new = (
        (condition.old, condition.new) if isinstance(condition, Shadowed) else (condition,) * 2
    )
    found: dict[str, set[int]] = {}
    for x in filter(chosen, VALUES):
        found.setdefault(NAMED[truth(old, x), truth(new, x)], set()).add(x)
    return found


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("condition", PAIRS)
def test_up_to_four_ways_part_all_inputs(condition: Data, path: PathCondition) -> None:
    found = list(joint_ways(condition, path, build_solver()))
    allowed = inputs(path)
    expected = by_hand(condition, lambda x: x in allowed)
    assert {ways.label: inputs(way.path) for ways, way in found} == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize("seed", VALUES)
@pytest.mark.parametrize("condition", PAIRS)
def test_beside_a_seed_only_the_ways_that_part(condition: Data, seed: int) -> None:
    """And the seed's own, unless it is one of them: then that is a way that parts."""
    followed_seed = Assignment({X: seed})
    found = list(joint_ways(condition, EMPTY, build_solver(), followed_seed))
    every = by_hand(condition, lambda x: True)
    own = next(label for label, those in every.items() if seed in those)
    expected = {label for label in every if label.startswith("diff")} | {own}
    assert {ways.label for ways, _ in found} == expected
    for ways_taken, (_, extended, _) in found:
        # Where the versions agree the seed's way keeps the new version's condition
        assert inputs(extended) == every[ways_taken.label]
        assert build_solver().check(extended) is Answer.SAT


@pytest.mark.parametrize("seed", VALUES)
@pytest.mark.parametrize("condition", PAIRS)
def test_a_guide_goes_one_way_also_where_the_versions_part(condition: Data, seed: int) -> None:
    guide = Guided({X: seed}, EMPTY, EMPTY)
    ((taken, way),) = joint_ways(condition, EMPTY, Refusing(None), guide)
    every = by_hand(condition, lambda x: True)
    assert seed in every[taken.label]
    assert inputs(way.path) == every[taken.label]


def test_equal_halves_are_one_condition() -> None:
    """Also constants: no question is asked, and no version diverges."""
    for value, label in ((0, "same-false"), (1, "same-true")):
        ((found, way),) = joint_ways(value, EMPTY, Refusing(None))
        assert found.label == label and way.path is EMPTY
    labels = [found.label for found, _ in joint_ways(below(4), EMPTY, Refusing((True, True)))]
    assert labels == ["same-true", "same-false"]


# ------------------------------------------------------------------ along a script


class Learning(Refusing):
    """A solver that must not be asked, and what it is told."""

    def __init__(self) -> None:
        super().__init__(None)
        self.learned: list[tuple[PathCondition, Term, bool]] = []

    def learn(self, path: PathCondition, condition: Term, value: bool) -> None:
        self.learned.append((path, condition, value))


def script(*prefixes: tuple[int, ...]) -> Script:
    found = Script()
    for answers in prefixes:
        found.add(Prefix(0, False, 0, 0, 0, 0, answers))
    return found


def test_answers_say_what_was_possible_and_what_is_taken() -> None:
    def answers(solver: Refusing, seed: Assignment | None = None) -> list[tuple[int, ...]]:
        return [way.answers for way in ways(below(4), EMPTY, solver, seed)]

    assert answers(Refusing((True, True))) == [(3,), (2,)]
    assert answers(Refusing((True, False))) == [(1,)]
    assert answers(Refusing((False, True))) == [(0,)]
    assert answers(Refusing(None), Assignment({X: 3})) == [(3,)]
    assert answers(Refusing(None), Assignment({X: 4})) == [(2,)]


@pytest.mark.parametrize("answer", range(4))
def test_a_script_asks_no_solver(answer: int) -> None:
    solver, path, condition = Learning(), assuming(below(9)), below(4)
    (way,) = ways(condition, path, solver, script((answer,)))
    taken = answer in (1, 3)
    assert (way.taken, way.answers) == (taken, (answer,))
    if answer in (2, 3):  # both were possible
        assert inputs(way.path) == {x for x in range(9) if (x < 4) is taken}
        assert solver.learned == []
    else:
        assert way.path is path and solver.learned == [(path, condition, taken)]


def test_a_script_for_several_takes_the_ways_of_all() -> None:
    found = ways(below(4), EMPTY, Learning(), script((2,), (3, 1)))
    assert [(way.taken, way.answers) for way in found] == [(True, (3,)), (False, (2,))]


def test_a_script_takes_each_of_four_ways_again() -> None:
    condition = Shadowed(below(4), below(9))
    found = list(joint_ways(condition, EMPTY, Conditions()))
    for directions, way in found:
        ((again, same),) = joint_ways(condition, EMPTY, Learning(), script(way.answers))
        assert again is directions and inputs(same.path) == inputs(way.path)
        assert same.answers == way.answers
    whole = script(*(way.answers for _, way in found))
    together = dict(joint_ways(condition, EMPTY, Learning(), whole))
    assert {each: way.answers for each, way in together.items()} == {
        each: way.answers for each, way in found
    }


def test_a_way_of_several_has_its_number_before_what_was_asked() -> None:
    assert Way(True, EMPTY, (3,)).chosen(7) == (True, EMPTY, (FIRST_VALUE + 7, 3))


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([], False),
        ([()], False),
        ([(0,)], False),
        ([(1,)], False),
        ([(2,)], True),
        ([(3,)], True),
        ([(1, 3)], True),
        ([(), ()], True),
        ([(1,), (0,)], True),
    ],
)
def test_a_branch_is_open_where_there_was_more_than_one_way(
    answers: list[tuple[int, ...]], expected: bool
) -> None:
    assert is_open([Way(True, EMPTY, each) for each in answers]) is expected


def test_a_state_goes_a_way_and_keeps_what_was_answered() -> None:
    state, path = State(Memory(), EMPTY), assuming(below(4))
    assert taking(state, Way(True, path, (3, 0))) is state
    assert state.path is path and answers_of(state.decisions, state.recent) == [3, 0]


def test_only_a_way_that_assumes_something_is_a_fork() -> None:
    state = State(Memory(), EMPTY)
    assert going(state, Way(True, EMPTY, (1,))) is state
    assert answers_of(state.decisions, state.recent) == [1]
    fork = going(state, Way(True, assuming(below(4)), (3,)))
    assert fork is not state and inputs(fork.path) == {0, 1, 2, 3}
    assert answers_of(fork.decisions, fork.recent) == [1, 3] and state.path is EMPTY
