"""Switches whose cases belong to one version, as C text.

    switch (e) {                switch (({ int s = e; s == 1 && execute(OLD) ? 6000000LL : s; })) {
    case 1 (OLD): f();    ->    case 6000000LL: f();
    default: g();               default: g();
    }                           }

C has no label that is there for some executions only. So such a label gets a number of its own that
the selector cannot have by itself, and the selector is sent there when the version is right. In the
other version the value finds no label and goes to ``default``, or past the switch, as it should.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from csg.language.expression_text import Notation
from csg.language.syntax import Case, Statement, Switch
from csg.language.traversal import children
from csg.language.types import Type

SELECTOR = "csgtest_selector"


@dataclass(frozen=True, slots=True)
class SwitchText:
    notation: Notation
    type_text: str
    numbers: dict[int, int]  # id(case) -> the label it is written with
    cases: tuple[Case, ...]

    def label(self, case: Case) -> str:
        if id(case) in self.numbers:
            return f"case {self.numbers[id(case)]}LL:"
        return _plain_label(case)

    def selector(self, text: str) -> str:
        if not self.numbers:
            return text
        chain = "".join(
            f"{self._applies(case)} ? {self.numbers[id(case)]}LL : "
            for case in sorted(self.cases, key=_default_last)
            if id(case) in self.numbers
        )
        return f"({{ {self.type_text} {SELECTOR} = {text}; {chain}(long long) {SELECTOR}; }})"

    def _applies(self, case: Case) -> str:
        assert case.version is not None
        executes = self.notation.executes(case.change, case.version)
        if case.low is not None:
            return f"{_holds(case)} && {executes}"
        taken = [
            _holds(other)
            for other in self.cases
            if other.low is not None and other.version in (None, case.version)
        ]
        return f"{executes} && !({' || '.join(taken)})" if taken else executes


def switch_text(node: Switch, notation: Notation, type_text: Callable[[Type], str]) -> SwitchText:
    cases = tuple(own_cases(node.body.items))
    versioned = [case for case in cases if case.version is not None]
    kind = node.selector_type
    free = _free_numbers(cases)
    numbers = {id(case): next(free) for case in versioned}
    return SwitchText(notation, type_text(kind), numbers, cases)


def own_cases(items: tuple[Statement, ...]) -> Iterator[Case]:
    """The labels of this switch, not of one inside it."""
    stack: list[object] = list(reversed(items))
    while stack:
        item = stack.pop()
        if isinstance(item, Case):
            yield item
        elif isinstance(item, Statement) and not isinstance(item, Switch):
            stack.extend(reversed(children(item)))


def _free_numbers(cases: tuple[Case, ...]) -> Iterator[int]:
    """Values beyond int that no case has. (A 64-bit selector with exactly such a value is taken
    for the versioned label: the odds are those of guessing a random number.)"""
    taken = {value for case in cases for value in (case.low, case.high)}
    number = 0x5C5_0000_0000
    while True:
        if number not in taken:
            yield number
        number += 1


def _default_last(case: Case) -> bool:
    return case.low is None


def _holds(case: Case) -> str:
    if case.high is not None and case.high != case.low:
        return f"({SELECTOR} >= {case.low} && {SELECTOR} <= {case.high})"
    return f"{SELECTOR} == {case.low}"


def _plain_label(case: Case) -> str:
    if case.low is None:
        return "default:"
    if case.high is not None and case.high != case.low:
        return f"case {case.low} ... {case.high}:"
    simple = re.fullmatch(r"[A-Za-z_]\w*|'(\\?.|\\[0-7]{1,3})'", case.text)
    return f"case {case.text if simple else case.low}:"
