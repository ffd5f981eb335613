"""What may differ is tried with inputs that are unlike each other."""

from __future__ import annotations

import pytest

from symexec.exploration.doubts import MOST_NATIVE, MOST_TRIED, Doubt, tried
from symexec.expr import Model, Operand, TermTable, compare, evaluate
from symexec.shadow.outcomes import Observable

TABLE = TermTable()
X = TABLE.symbol("x", 8)


def solve(condition: Operand) -> Model | None:
    """The first byte that fulfils a condition."""
    if isinstance(condition, int):
        return {X: 0} if condition else None
    return next(({X: value} for value in range(256) if evaluate(condition, {X: value})), None)


def doubt(condition: Operand, answers: dict[int, bool | None], seen: list[int]) -> Doubt:
    def differs(model: Model) -> bool | None:
        seen.append(model[X])
        return answers.get(model[X], False)

    return Doubt(Observable.OUTPUT, condition, (X,), differs, "whether they differ is not known")


def test_each_input_has_another_value_and_one_that_differs_is_the_last() -> None:
    seen: list[int] = []
    (trial,) = tried(doubt(1, dict.fromkeys(range(128, 256), True), seen), solve)
    assert trial.differs and trial.model[X] >= 128
    seen.clear()
    assert [*tried(doubt(1, {}, seen), solve)] == []
    assert len(seen) == len(set(seen)) == MOST_TRIED
    signs = {value >= 128 for value in seen if value}
    assert signs == {False, True} and any(9 < value < 128 for value in seen)


def test_native_runs_judge_some_inputs_and_nothing_is_predicted_for_them() -> None:
    trials = [*tried(doubt(1, dict.fromkeys(range(256)), []), solve)]
    assert len(trials) == MOST_NATIVE and not any(trial.differs for trial in trials)


@pytest.mark.parametrize("condition", [0, compare("ult", 8, X, 2)])
def test_no_more_inputs_than_there_are(condition: Operand) -> None:
    seen: list[int] = []
    assert [*tried(doubt(condition, {}, seen), solve)] == []
    assert sorted(seen) == ([] if condition == 0 else [0, 1])
