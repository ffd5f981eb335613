"""Code that one version alone gets to, in a tree that holds both.

    if (execute(NEW)) { A }            A: NEW, by the region
    if (change(0, c)) { A }            A: NEW, by the guard
    if (change(1, c)) S else { A }     A: NEW
    int f__old(int x) { A }            A: OLD, by the function

There an ``Execute`` of that version does nothing but number a statement.
"""

from __future__ import annotations

from csg.language.syntax import (
    Case,
    Change,
    Compound,
    Declaration,
    Execute,
    Expression,
    If,
    IntegerConstant,
    Label,
    Switch,
    Version,
)
from csg.language.traversal import Tree, children
from csg.source import Location

NEUTRAL = Location("<neutral>")  # of constants that stand for "nothing there"


def parts_of_one(node: If) -> tuple[Version | None, Version | None]:
    """The versions that alone get to the ``then`` and to the ``else`` of ``node``; None where both
    may, if only by a label."""
    return _owner(node.condition, True, node.then), _owner(node.condition, False, node.otherwise)


def _owner(condition: Expression, value: bool, part: Compound | None) -> Version | None:
    if not isinstance(condition, Change):
        return None
    sides = ((condition.old, Version.NEW), (condition.new, Version.OLD))
    for fixed, owner in sides:
        if isinstance(fixed, IntegerConstant) and bool(fixed.value) is not value:
            made_here = fixed.location == NEUTRAL
            return owner if made_here or part is None or not _has_other_way_in(part) else None
    return None


def _has_other_way_in(part: Compound) -> bool:
    waiting: list[tuple[Tree, bool]] = [(part, False)]
    while waiting:
        node, in_switch = waiting.pop()
        if isinstance(node, Label) or (isinstance(node, Case) and not in_switch):
            return True
        in_switch = in_switch or isinstance(node, Switch)
        waiting.extend((child, in_switch) for child in children(node))
    return False


def numbers_in(body: Compound) -> list[int]:
    """The numbers of the statements of a region, without those inside of these."""
    found: list[int] = []
    for item in body.items:
        match item:
            case Execute(change=number) | Declaration(change=number) if number:
                found.append(number)
            case Execute(body=inner):
                found.extend(numbers_in(inner))
            case Compound():
                found.extend(numbers_in(item))
            case _:
                pass
    return found
