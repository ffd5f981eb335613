"""Constants that stand for "nothing there" in the version that lacks something.

    A           vs  A && B     ->   A && change(1, B)
    S           vs  if (c) S   ->   if (change(1, c)) S
    g(x)        vs  g(x, 1)    ->   g(x, change(0, 1))

They print as ordinary numbers. What tells them apart is their place, which no source has; a
projection takes them out again together with what they kept still.
"""

from __future__ import annotations

from csg.language.one_version import NEUTRAL
from csg.language.syntax import Change, Expression, IntegerConstant, Version
from csg.language.types import BOOL, INT, Type, promoted


def neutral(value: int, kind: Type = INT) -> IntegerConstant:
    return IntegerConstant(value, kind, "", NEUTRAL)


def is_neutral(node: Expression) -> bool:
    return isinstance(node, IntegerConstant) and node.location == NEUTRAL


def side(change: Change, version: Version) -> Expression:
    return change.old if version is Version.OLD else change.new


def only_in(version: Version, node: Expression, other: int, edit: int, kind: Type) -> Change:
    """``node`` in ``version``, the neutral ``other`` in the other one."""
    rest = neutral(other)
    if version is Version.OLD:
        return Change(node, rest, edit, kind, node.location)
    return Change(rest, node, edit, kind, node.location)


def condition_type(condition: Expression) -> Type:
    """The type of a change between a condition and 0 or 1."""
    return INT if promoted(condition.type) == INT else BOOL


def settled(condition: Expression | None, version: Version) -> bool | None:
    """True or False when ``version`` need not evaluate the condition: it guards nothing there."""
    if isinstance(condition, Change):
        chosen = side(condition, version)
        if is_neutral(chosen):
            assert isinstance(chosen, IntegerConstant)
            return chosen.value != 0
    return None


def reached_by(condition: Expression, value: bool) -> Version | None:
    """The one version that can find the condition to be ``value``, if the other cannot."""
    for version in Version:
        fixed = settled(condition, version)
        if fixed is not None and fixed is not value:
            return version.other
    return None
