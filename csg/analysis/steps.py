"""By how much a variable has been stepped since a condition on it was true.

    if (i + 1 < n) { i++; s += a[i]; }          by 1 at a[i]
    while (i < n) { s += a[i++]; t = i; }       by 0 at a[i++], by 1 behind it
    if (i < n) { i = next(i); s += a[i]; }      by what nobody knows

Where a step is left out on the way, it counts nevertheless: the answer is the most that it can be.
"""

from __future__ import annotations

from csg.analysis.order import Order, exit_of
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Break,
    Compound,
    CompoundAssign,
    DoWhile,
    Expression,
    For,
    Increment,
    Index,
    Name,
    Switch,
    Symbol,
    While,
)
from csg.language.traversal import Tree, value_of, without_casts
from csg.records import record


@record
class _Step:
    """A variable is stepped by ``by`` (None: it is set to something else) from this place on, or up
    to the end of the block at ``within``, which control leaves there."""

    place: int
    by: int | None
    within: range | None


class Steps:
    """What one function adds to its variables."""

    def __init__(self, order: Order) -> None:
        self._steps: dict[Symbol, list[_Step]] = {}
        nodes = order.nodes
        loops = (each for each in nodes if isinstance(each, For | While | DoWhile))
        self._loops = [order.extent(each) for each in loops]
        switches = [order.extent(each) for each in nodes if isinstance(each, Switch)]
        blocks = [
            order.extent(each)
            for each in nodes
            if isinstance(each, Compound)
            and (left_by := exit_of(each)) is not None
            and not (
                isinstance(left_by, Break)
                and any(order.extent(each).start in switch for switch in switches)
            )
        ]
        elements = [
            (at, order.extent(each.index))
            for at, each in enumerate(nodes)
            if isinstance(each, Index)
        ]
        for at, node in enumerate(nodes):
            symbol, by = _variable_set_by(node)
            if symbol is None:
                continue
            place = at
            if not (isinstance(node, Increment) and not node.prefix):  # a[++i] is behind the step
                place = min((start for start, index in elements if at in index), default=at)
            around = [each for each in blocks if at in each]
            within = max(around, key=lambda each: each.start, default=None)
            self._steps.setdefault(symbol, []).append(_Step(place, by, within))

    def counts(self, symbol: Symbol) -> bool:
        """Is the variable stepped up anywhere?"""
        return any(each.by for each in self._steps.get(symbol, ()))

    def since(self, symbol: Symbol, start: int, place: int) -> int | None:
        """How much may have been added to the variable from ``start`` to ``place``, both places of
        the function; None where that is not known."""
        total = 0
        for each in self._steps.get(symbol, ()):
            repeated = (loop for loop in self._loops if each.place in loop and start < loop.start)
            if any(loop.start <= place for loop in repeated):
                return None
            if not start <= each.place <= place:
                continue
            if each.within is not None and place not in each.within:
                continue
            if each.by is None:
                return None
            total += each.by
        return total


def _variable_set_by(node: Tree) -> tuple[Symbol | None, int | None]:
    """The variable that a node sets, and how much the node adds to it, if that is known."""
    match node:
        case Increment(operator=operator, operand=Name(symbol=symbol)):
            return symbol, int(operator == "++")
        case CompoundAssign(operator=operator, target=Name(symbol=symbol), value=value):
            return symbol, _added_by(operator[0], value)
        case Assign(target=Name(symbol=symbol), value=value):
            match without_casts(value):
                case Binary(operator="+" | "-" as operator, left=left, right=right):
                    inner = without_casts(left)
                    if isinstance(inner, Name) and inner.symbol is symbol:
                        return symbol, _added_by(operator, right)
                case _:
                    pass
            return symbol, None
        case AddressOf(operand=Name(symbol=symbol)):
            return symbol, None
        case _:
            return None, None


def _added_by(operator: str, value: Expression) -> int | None:
    number = value_of(value)
    if number is None or operator not in "+-":
        return None
    return max(0, number if operator == "+" else -number)
