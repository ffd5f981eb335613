"""What of a function runs before what, and which conditions hold where, as far as its text says.

    p->n = 0; if (c) return; show(p);           p->n has always been evaluated before show(p)
    if (n > 0 && n < 16) f(n);                  n > 0 and n < 16 hold at f(n)
    if (!p) return -1; f(p);                    p is not null at f(p), up to a label

Nodes are the ranges of their numbers in the order of the text, parents before their children.
Control flow by ``goto``, ``switch`` and loops is taken into account; longjmp is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from csg.language.syntax import (
    Break,
    Call,
    Case,
    Compound,
    ComputedGoto,
    Conditional,
    Continue,
    DoWhile,
    Expression,
    ExpressionStatement,
    For,
    Goto,
    If,
    Label,
    Logical,
    Name,
    Return,
    Statement,
    Switch,
    Unary,
    While,
)
from csg.language.traversal import Tree, children, walk
from csg.records import record

_LOOPS = (For, While, DoWhile)


@record
class Held:
    """At these ``places`` the condition has just been true, or false if it does not ``hold``:
    whatever it depends on may have changed since."""

    condition: Expression
    holds: bool
    places: range


class Order:
    """The order of one function's nodes."""

    def __init__(self, body: Compound) -> None:
        self.nodes = list(walk(body))
        self._extents = extents(self.nodes)
        self._regions = self._conditional()
        self._loops = [self.extent(each) for each in self.nodes if isinstance(each, _LOOPS)]
        self._steps = [
            (self.extent(each.condition), self.extent(each.step), self.extent(each.body))
            for each in self.nodes
            if isinstance(each, For) and each.condition is not None and each.step is not None
        ]
        self._entrances = list(self._labels())
        self._loops += [
            range(label, origin + 1)
            for label, origins in self._entrances
            for origin in origins
            if origin > label
        ]

    def extent(self, node: Tree) -> range:
        return self._extents[id(node)]

    def part(self, place: int) -> range:
        """The innermost part of the function around a place that control may leave out."""
        return self._regions[place]

    def always_before(self, event: Tree | range, node: range) -> bool:
        """Has a node been evaluated whenever control comes to another one?"""
        extent = event if isinstance(event, range) else self.extent(event)
        region = self._regions[extent.start]
        if order(extent) > order(node) or node.start not in region:
            return False
        place = extent.start
        return all(
            origin > place and origin in region
            for label, origins in self._entrances
            if place < label < node.start
            for origin in origins
        )

    def is_between(self, start: range, events: Sequence[range], end: range) -> bool:
        """Can one of the events happen between two nodes?"""
        around = [each for each in self._loops if end.start in each and start.start not in each]
        # the step of ``for`` stands before the body, and runs before the condition
        earlier = [
            step
            for condition, step, body in self._steps
            if start.start in condition and end.start in body
        ]
        return any(
            any(each.start in loop for loop in around)
            or (
                order(start) < order(each) <= order(end)
                and not any(each.start in step for step in earlier)
            )
            for each in events
        )

    def conditions(self) -> Iterator[Held]:
        """What holds where: in the branches of a condition, in the body of a loop, behind a
        condition whose branch leaves the block, and in what ``&&`` and ``||`` evaluate last."""
        for node in self.nodes:
            for condition, holds, places in self._guarded(node):
                labels = (
                    label
                    for label, origins in self._entrances
                    if label in places and not all(origin in places for origin in origins)
                )
                stop = min(labels, default=places.stop)
                yield Held(condition, holds, range(places.start, stop))

    def _guarded(self, node: Tree) -> Iterator[tuple[Expression, bool, range]]:
        extent = self.extent
        match node:
            case Logical(operator=operator, operands=operands):
                end = extent(node).stop
                for each in operands[:-1]:
                    yield each, operator == "&&", range(extent(each).stop, end)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                if then is not None:
                    yield condition, True, extent(then)
                yield condition, False, extent(otherwise)
            case While(condition=condition, body=body):
                yield condition, True, extent(body)
            case For(condition=condition, body=body) if condition is not None:
                yield condition, True, extent(body)
            case If(condition=condition, then=then, otherwise=otherwise):
                yield condition, True, extent(then)
                if otherwise is not None:
                    yield condition, False, extent(otherwise)
            case Compound(items=items) if items:
                end = extent(items[-1]).stop
                for item in items:
                    behind = range(extent(item).stop, end)
                    match item:
                        case If(condition=condition, then=then, otherwise=otherwise):
                            if exit_of(then) is not None:
                                yield condition, False, behind
                            if otherwise is not None and exit_of(otherwise) is not None:
                                yield condition, True, behind
                        case ExpressionStatement(
                            expression=Conditional(condition=condition, otherwise=otherwise)
                        ) if never_returns(otherwise):  # an assertion
                            yield condition, True, behind
                        case _:
                            pass
            case _:
                pass

    def _conditional(self) -> list[range]:
        """For each node the innermost part of the function around it that control may leave out.
        Once control comes into that part and goes on to its end, it comes by the node."""
        found = [range(len(self.nodes))] * len(self.nodes)
        for at, node in enumerate(self.nodes):
            apart = {id(each) for each in _run_apart(node)}
            for each in children(node):
                extent = self.extent(each)
                found[extent.start] = extent if id(each) in apart else found[at]
        return found

    def _labels(self) -> Iterator[tuple[int, list[int]]]:
        """The places of labels, and from where control comes to each."""
        computed = [at for at, each in enumerate(self.nodes) if isinstance(each, ComputedGoto)]
        jumps: dict[str, list[int]] = {}
        for at, node in enumerate(self.nodes):
            if isinstance(node, Goto):
                jumps.setdefault(node.label, []).append(at)
        switches: list[range] = []
        for at, node in enumerate(self.nodes):
            match node:
                case Switch(body=body):
                    switches.append(self.extent(body))
                case Case():
                    around = [each.start for each in switches if at in each]
                    yield at, around[-1:]
                case Label(name=name):
                    yield at, [*jumps.get(name, ()), *computed]
                case _:
                    pass


def order(node: range) -> tuple[int, int]:
    """Nodes in the order in which they have been evaluated, children before their parents."""
    return node.stop, -node.start


def extents(nodes: Sequence[Tree]) -> dict[int, range]:
    """The places of each node and of all its descendants, by the identity of the node. ``nodes`` is
    in the order of the text."""
    found: dict[int, range] = {}
    for at in reversed(range(len(nodes))):
        stop = max((found[id(each)].stop for each in children(nodes[at])), default=at + 1)
        found[id(nodes[at])] = range(at, stop)
    return found


def atoms(condition: Expression, holds: bool) -> Iterator[tuple[Expression, bool]]:
    """What is sure to be true, or false, where a condition is: the parts of ``&&`` that are true,
    and those of ``||`` that are false."""
    waiting = [(condition, holds)]
    while waiting:
        node, holds = waiting.pop()
        match node:
            case Unary(operator="!", operand=operand):
                waiting.append((operand, not holds))
            case Logical(operator=operator, operands=operands):
                if holds is (operator == "&&"):
                    waiting += [(each, holds) for each in operands]
            case _:
                yield node, holds


def exit_of(body: Compound) -> Statement | None:
    """The last statement of the block, if it leaves the block (return, break, continue, goto, or a
    call that does not return); else None."""
    while body.items:
        match body.items[-1]:
            case Return() | Break() | Continue() | Goto() as found:
                return found
            case ExpressionStatement(expression=expression) as found:
                return found if never_returns(expression) else None
            case Compound() as inner:
                body = inner
            case _:
                return None
    return None


def never_returns(expression: Expression) -> bool:
    match expression:
        case Call(function=Name(symbol=called)):
            return called.noreturn or called.name in ("exit", "abort")
        case _:
            return False


def _run_apart(node: Tree) -> list[Tree | None]:
    """The parts of a node that control may leave out when it runs the node."""
    match node:
        case Logical(operands=operands):
            return [*operands[1:]]
        case Conditional(then=then, otherwise=otherwise):
            return [then, otherwise]
        case If(then=then, otherwise=otherwise):
            return [then, otherwise]
        case For(step=step, body=body):
            return [step, body]
        case While(body=body) | DoWhile(body=body) | Switch(body=body):
            return [body]
        case _:
            return []
