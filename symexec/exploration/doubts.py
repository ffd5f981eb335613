"""What may differ, and no condition says when, becomes inputs that differ, or an event.

    %.1f of x / 8  |  %.1f of x / 8 + 0.001       x = 5    "0.6" and "0.6"
                                                  x = 127  "15.9" and "15.9"
                                                  x = 2    "0.2" and "0.3": this test will differ

The solver makes inputs that are unlike each other (signs, boundaries, numbers of digits), each one
without the values of those before. The engine works out what both versions show with each of them:
where that is different, it is a prediction like any other. Where the engine does not know either,
native runs look at some of the inputs and nothing is predicted. If all of them are alike, an event
says so, which withdraws "equivalent".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from csg.records import record
from symexec.expr import Data, Model, Operand, Term, compare, conjunction, disjunction, evaluate
from symexec.runtime.operands import plain
from symexec.shadow.outcomes import Observable

MOST_TRIED: Final = 8  # inputs for one doubt
MOST_NATIVE: Final = 3  # of these, inputs that only native runs can judge
MOST_ALIKE: Final = 4  # doubts of one kind that came to nothing, before others are not tried

Solve = Callable[[Operand], Model | None]


@record
class Doubt:
    """A part of the result that may differ under a ``condition``. ``terms``: on their values the
    difference depends. ``differs``: does it, for this input? None: native runs have to say.
    ``text``: for the report."""

    observable: Observable
    condition: Operand
    terms: tuple[Term, ...]
    differs: Callable[[Model], bool | None]
    text: str


@record
class Trial:
    """An input that was tried for a doubt. ``differs``: is a difference predicted?"""

    model: Model
    differs: bool


def tried(doubt: Doubt, solve: Solve) -> Iterator[Trial]:
    """The inputs to run for a doubt: one that differs is the last. Nothing where no input makes the
    doubt."""
    left: Operand = doubt.condition
    native = 0
    wishes = _wishes(doubt.terms)
    for _ in range(MOST_TRIED):
        model = _unlike(left, wishes, solve)
        if model is None:
            return
        verdict = doubt.differs(model)
        if verdict or verdict is None:
            native += 1
            yield Trial(model, bool(verdict))
        if verdict or native == MOST_NATIVE or not doubt.terms:
            return
        left = plain(conjunction([left, _other_values(doubt.terms, model)]))


def _unlike(condition: Operand, wishes: Iterator[Operand], solve: Solve) -> Model | None:
    """An input that fulfils the next wish, or else any."""
    for wish in wishes:
        both = plain(conjunction([condition, wish]))
        found = solve(both)
        if found is not None:
            return found
        break
    return solve(condition)


def _wishes(terms: tuple[Term, ...]) -> Iterator[Operand]:
    """Conditions that make inputs unlike each other: none, then signs, boundaries and numbers of
    digits of the terms in turn."""
    yield 1
    for kind in range(5):
        for term in terms:
            yield plain(_wish(kind, term))


def _wish(kind: int, term: Term) -> Data:
    width = term.width
    match kind:
        case 0:
            return compare("slt", width, term, 0)
        case 1:
            return compare("slt", width, 0, term)
        case 2:
            return compare("eq", width, term, 0)
        case 3:
            return compare("ult", width, 9 % (1 << width), term)
        case _:
            return compare("ult", width, term, 10 % (1 << width))


def _other_values(terms: tuple[Term, ...], model: Model) -> Data:
    return disjunction(compare("ne", term.width, term, evaluate(term, model)) for term in terms)
