"""Values that nobody wrote. To copy them is fine, to use them is an error.

    int a[4];  a[0] = 1;
    b = a[i];            i > 0: a symbol for "whatever is there"
    if (b > 0) ..        i > 0: MemoryFault("uninitialised"), with a test;  i == 0: goes on

A use is a decision, an address, a size, a divisor, output, a status or the entry function's result.
The solver says whether it matters: the value with zeros for what nobody wrote against the value
with anything there. Where it does not (the other bits of a bit-field's byte), or where the use is
only to be told, zeros are what the path goes on with.
"""

from __future__ import annotations

from typing import Final

from csg.records import record
from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    TermTable,
    compare,
    shadowed,
    substitute,
    symbols,
)
from symexec.memory import BOTH, UNDEFINED
from symexec.options import Uninitialised
from symexec.solver import Answer, PathCondition, SolverChain
from symexec.state.endings import MemoryFault

ROUNDS: Final = 6  # samples that tell inputs on which the value matters from the others
USED: Final = "uninitialised"  # of a use that is told and gone on with; the fault's kind as well


class Used(Exception):
    """A model used a value where it could not ask."""

    def __init__(self, term: Term) -> None:
        super().__init__()
        self.term = term


@record
class Verdict:
    """``value``: with zeros. ``wrong``: the paths on which it matters what was there; ``right``:
    those on which it does not. None: there are none."""

    value: Operand
    wrong: PathCondition | None
    right: PathCondition | None


class UndefinedValues:
    """The symbols of one engine; ``policy`` says what becomes of a use."""

    def __init__(self, table: TermTable, policy: Uninitialised) -> None:
        self._table = table
        self._symbols: set[Term] = set()
        self.policy = policy

    @property
    def tracked(self) -> bool:
        return self.policy is not Uninitialised.ZERO

    def symbol(self, name: str, width: int) -> Term:
        made = self._table.symbol(name, width)
        self._symbols.add(made)
        return made

    def register(self, function: str, variable: str | None, width: int) -> Term:
        """What a local scalar holds before anything is assigned to it."""
        called = "the result" if variable is None else variable
        return self.symbol(f"{UNDEFINED}{called} of {function}", width)

    def within(self, value: Data) -> bool:
        if isinstance(value, Shadowed):
            return self.within(value.old) or self.within(value.new)
        return isinstance(value, Term) and not symbols(value).isdisjoint(self._symbols)

    def of(self, term: Term) -> list[Term]:
        return sorted(symbols(term) & self._symbols, key=lambda symbol: symbol.id)

    def zeroed(self, value: Data) -> Data:
        match value:
            case Shadowed(old=old, new=new):
                return shadowed(self._plain(old), self._plain(new))
            case _:
                return self._plain(value)

    def _plain(self, value: Operand) -> Operand:
        if isinstance(value, int) or not self.within(value):
            return value
        return substitute(value, dict.fromkeys(self.of(value), 0))

    # ------------------------------------------------------------------ judging

    def judge(self, solver: SolverChain, path: PathCondition, term: Term) -> Verdict:
        """On which inputs of a path does it matter what was there?"""
        zero = self._plain(term)
        doubt = _differ(term, zero, term.width)
        if not doubt or solver.check(path, doubt) is not Answer.SAT:
            return Verdict(zero, None, path)
        wrong = path.assuming(doubt)
        right = path
        for _ in range(ROUNDS):
            model = solver.model(right, doubt)
            if model is None:
                break
            sample = {symbol: model.get(symbol, 0) for symbol in self.of(term)}
            alike = compare("eq", term.width, substitute(term, sample), zero)
            assert not isinstance(alike, Shadowed)
            if solver.check(right, alike) is Answer.UNSAT:
                return Verdict(zero, wrong, None)
            right = right.assuming(alike)
        return Verdict(zero, wrong, right)

    def only_reported(self, mode: int) -> bool:
        """A use by both versions alike is no difference between them."""
        return mode == BOTH and self.policy is Uninitialised.DIFFERENCES

    def fault(self, term: Term, what: str) -> MemoryFault:
        return MemoryFault(USED, f"{self.origin(term)}, {what}", "use")

    def origin(self, term: Term) -> str:
        """Where a value comes from: "buffer, offset 4"."""
        name = str(self.of(term)[0].name).removeprefix(UNDEFINED)
        thing, _, place = name.partition(" #")
        offset = place.partition("+")[2].partition(":")[0]
        return f"{thing}, offset {offset}" if offset else thing


def _differ(term: Operand, other: Operand, width: int) -> Operand:
    found = compare("ne", width, term, other)
    assert not isinstance(found, Shadowed)
    return found
