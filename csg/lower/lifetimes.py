"""When local objects of inner blocks begin and end to live (C17 6.2.4p6).

    while (c) {
        int x;                begin x: nobody has written it, each time round
        p = &x;
        if (d) break;         the break ends x
    }                         so does the end of the block
    *p                        an error

As far as gcc's AddressSanitizer follows it: an object begins at its declaration and not with its
block; at a label every object in scope is alive, since who jumps there may have come by no
declaration; a computed goto ends nothing; arrays of variable length live until the function
returns, and so does what the outermost block declares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from csg.ir import Block, Lifetime
from csg.language.syntax import Symbol
from csg.lower.places import by_address

if TYPE_CHECKING:
    from csg.lower.context import Lowering


@dataclass(slots=True, eq=False)
class Scope:
    """A block of the source: the slots that it has declared so far. The outermost one has no
    ``outer`` and keeps none."""

    outer: Scope | None = None
    slots: list[int] = field(default_factory=list)


def enter(lowering: Lowering) -> None:
    lowering.scope = Scope(lowering.scope)


def leave(lowering: Lowering) -> None:
    """The end of a block, if control comes to it."""
    scope = lowering.scope
    assert scope.outer is not None
    if lowering.builder.block.terminator is None:
        _put(lowering, "end", scope.slots)
    lowering.scope = scope.outer


def begin(lowering: Lowering, slot: int) -> None:
    """At a declaration, or where a compound literal is evaluated."""
    scope = lowering.scope
    if scope.outer is None:
        return
    if slot not in scope.slots:
        scope.slots.append(slot)
    _put(lowering, "begin", [slot])


def needs_slot(symbol: Symbol) -> bool:
    """Is an object in memory that pointers may outlive?"""
    return symbol.address_taken or by_address(symbol.type)


def leave_down_to(lowering: Lowering, goal: Scope) -> None:
    """A break or continue ends what lies between here and the statement it leaves."""
    _put(lowering, "end", _between(lowering.scope, goal))


def resume(lowering: Lowering, goal: Scope | None = None) -> None:
    """At a label: what is in scope lives, down to ``goal`` (None: all of it)."""
    _put(lowering, "resume", _between(lowering.scope, goal))


def note_goto(lowering: Lowering, label: str) -> None:
    """What it ends is known when its label is."""
    lowering.open_gotos.append((lowering.builder.block, label, lowering.scope))


def settle_gotos(lowering: Lowering) -> None:
    for block, label, scope in lowering.open_gotos:
        goal: Scope | None = lowering.labels[label].scope
        around = _chain(scope)
        while goal is not None and goal not in around:
            goal = goal.outer
        _put_in(lowering, block, "end", _between(scope, goal))


def _chain(scope: Scope | None) -> list[Scope]:
    found = []
    while scope is not None:
        found.append(scope)
        scope = scope.outer
    return found


def _between(scope: Scope, goal: Scope | None) -> list[int]:
    found: list[int] = []
    for each in _chain(scope):
        if each is goal:
            break
        found += each.slots
    return found


def _put(lowering: Lowering, event: str, slots: list[int]) -> None:
    _put_in(lowering, lowering.builder.block, event, slots)


def _put_in(lowering: Lowering, block: Block, event: str, slots: list[int]) -> None:
    if slots:
        version = lowering.builder.version
        place = len(block.instructions)
        block.lifetimes.append(Lifetime(place, event, tuple(slots), version))
