"""Count what an analysis did: every report carries these numbers.

    counters.queries == 120, counters.answered["model"] == 75, counters.backend_queries == 9
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Counters:
    # The solver chain: questions asked, who answered how many of them (see solver/chain.py), and
    # what reached a backend.
    queries: int = 0
    answered: dict[str, int] = field(default_factory=dict)
    backend_queries: int = 0
    solver_s: float = 0.0
    unknown: int = 0
    rebuilds: int = 0
    models_checked: int = 0
    answers_checked: int = 0

    def answer(self, layer: str) -> None:
        """One question answered by this layer."""
        self.answered[layer] = self.answered.get(layer, 0) + 1
