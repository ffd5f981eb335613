"""A seed: one concrete input that a state follows while its inputs stay symbolic.

    seed = Seed(lambda inputs: {x: -1})
    seed.under(state.inputs).holds(x < 0)      ->  True: this way, without asking a solver

The path condition grows as if both ways had been open, so whoever leaves the seed's way starts from
all inputs that come here, not from the one (concolic execution).
"""

from __future__ import annotations

from collections.abc import Callable

from symexec.expr import Term
from symexec.solver import Assignment
from symexec.state.inputs import Input

Values = Callable[[tuple[Input, ...]], dict[Term, int]]


class Seed:
    """``values`` gives each input's symbols their values; it is asked again when the program has
    asked for more input on its way."""

    def __init__(self, number: int, values: Values) -> None:
        self.number = number
        self._values = values
        self._inputs: tuple[Input, ...] | None = None
        self._known = Assignment({})

    def under(self, inputs: tuple[Input, ...]) -> Assignment:
        if inputs is not self._inputs:
            self._inputs = inputs
            self._known = Assignment(self._values(inputs))
        return self._known
