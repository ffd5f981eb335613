"""A path whose queries take long lets others go first: a turn has a share of the solver, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.executor.engine import Engine
from symexec.options import BuildOptions, InputOptions, SearchOptions
from symexec.progress import Silence
from symexec.solver.chain import SolverChain
from symexec.state.state import State

# The product of two neighbours is even, which only the solver knows: it is asked forty times.
TEXT = """
int f(unsigned x, unsigned y)
{{
    for (int i = 0; i < 40; i++) {{
        x = x * x + 4 * y;
        if (x * (x + 1) % 4 == 1)
            return {result};
    }}
    return y > 7 ? {result} : 4;
}}
"""


def test_one_turn_ends_with_a_slow_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    consult, advance, asked = SolverChain._consult, Engine.advance, []

    def slow(chain: SolverChain, *words: object) -> object:
        chain.counters.solver_s += 1.0
        return consult(chain, *words)  # type: ignore[arg-type]

    def turn(engine: Engine, state: State, quantum: int) -> list[State]:
        before = engine.counters.backend_queries
        found = advance(engine, state, quantum)
        asked.append(engine.counters.backend_queries - before)
        return found

    monkeypatch.setattr(SolverChain, "_consult", slow)
    monkeypatch.setattr(Engine, "advance", turn)
    files = tmp_path / "old.c", tmp_path / "new.c"
    for file, result in zip(files, "23", strict=True):
        file.write_text(TEXT.format(result=result))
    search = SearchOptions(time=60)
    job = BuildJob(BuildOptions(*files, inputs=InputOptions("f"), search=search, replay=False))
    try:
        job.prepare()
        assert any(case.divergence is not None for case in job.cases(Silence()))
    finally:
        job.close()
    assert sum(asked) >= 20 and max(asked) <= 2
