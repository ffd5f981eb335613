"""The chain and both backends against enumeration of all inputs."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from symexec.expr import Term, evaluate, negate
from symexec.solver import Answer, PathCondition, SolverOptions, build_solver
from tests.nightly import paired

Model = dict[Term, int]


def preference(width: int, value: int) -> int:
    """Canonical models prefer 0, 1, 2, ... and then -1, -2, ..."""
    half = 1 << (width - 1)
    return value if value < half or width == 1 else (1 << width) - value + half


def all_models(symbols: list[Term]) -> list[Model]:
    ranges = [range(1 << symbol.width) for symbol in symbols]
    return [dict(zip(symbols, values, strict=True)) for values in itertools.product(*ranges)]


def is_model(path: PathCondition, model: Model | None) -> bool:
    return model is not None and all(evaluate(term, model) for term in path.terms())


def is_smallest(model: Model, models: list[Model]) -> bool:
    for name in sorted(model, key=lambda symbol: symbol.name or ""):
        best = min(preference(name.width, other[name]) for other in models)
        if preference(name.width, model[name]) != best:
            return False
        models = [other for other in models if other[name] == model[name]]
    return True


@pytest.mark.parametrize(
    ("widths", "name"), paired([(3, 4), (2, 5), (4,), (2, 3)], ["bitwuzla", "z3"])
)
def test_every_answer_is_right(random_terms: Any, name: str, widths: tuple[int, ...]) -> None:
    for seed in range(12):
        source = random_terms(seed, widths)
        rng = source.random
        solver = build_solver(name, SolverOptions(self_check=3))
        path, models = PathCondition(), all_models(source.symbols())
        for _ in range(8):
            condition = source.build(1, rng.randint(1, 3)).folded
            if isinstance(condition, int):
                continue
            holding = [model for model in models if evaluate(condition, model)]
            failing = [model for model in models if not evaluate(condition, model)]
            expected = (bool(holding), bool(failing))
            assert solver.directions(path, condition) == expected, (seed, path.terms())
            taken = rng.random() < 0.5 if holding and failing else bool(holding)
            path = path.assuming(condition if taken else negate(condition))
            models = holding if taken else failing
            assert solver.directions(path, condition) == (taken, not taken)
        assert is_model(path, solver.model(path))
        canonical = solver.canonical_model(path)
        assert canonical is not None and is_model(path, canonical)
        assert is_smallest(canonical, models), seed
        assert solver.counters.unknown == 0


@pytest.mark.parametrize("widths", [(3, 4), (2, 5)])
def test_a_path_that_was_built_without_queries(random_terms: Any, widths: tuple[int, ...]) -> None:
    """Literals of which none was asked for, possible together or not, and a query about them."""
    for seed in range(40):
        source = random_terms(seed, widths)
        rng = source.random
        solver = build_solver()
        path, models = PathCondition(), all_models(source.symbols())
        for _ in range(rng.randint(2, 6)):
            condition = source.build(1, rng.randint(1, 3)).folded
            if isinstance(condition, int):
                continue
            if rng.random() < 0.3:
                condition = negate(condition)
            longer = path.assuming(condition)
            held = [model for model in models if evaluate(condition, model)]
            if held or rng.random() < 0.1:
                path, models = longer, held
        asked = source.build(1, 2).folded
        if isinstance(asked, int):
            continue
        expected = any(evaluate(asked, model) for model in models)
        assert (solver.check(path, asked) is Answer.SAT) == expected, (seed, path.terms())
        assert (solver.check(path) is Answer.SAT) == bool(models), (seed, path.terms())
        if models:
            assert is_model(path, solver.model(path))


def test_models_do_not_depend_on_history(random_terms: Any) -> None:
    for seed in range(10):
        found = []
        for history in (0, 1):
            source = random_terms(seed, (8, 16))
            solver = build_solver()
            path = PathCondition()
            rng = random.Random(seed)
            for _ in range(5):
                condition = source.build(1, 3).folded
                can_be_true, _ = solver.directions(path, condition)
                path = path.assuming(condition if can_be_true else negate(condition))
                if history and rng.random() < 0.7:
                    bit = source.table.symbol("x8", 8) & 1
                    solver.model(path, source.table.compare("eq", 8, bit, 1))
                    solver.check(
                        path,
                        source.table.compare(
                            "ult", 16, source.table.symbol("x16", 16), rng.randrange(1, 99)
                        ),
                    )
            model = solver.canonical_model(path)
            assert model is not None
            found.append({symbol.name: value for symbol, value in model.items()})
        assert found[0] == found[1]
