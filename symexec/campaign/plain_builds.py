"""Is there an input on which plain gcc shows a difference, and replay's builds do not?

    old  return x + 1 < x;     new  return x == INT_MAX;     x = INT_MAX: 1 and 1; gcc -O2: 0 and 1

Replay, as the search, lets signed arithmetic wrap (-fwrapv): a difference that a plain build shows
alone is one of undefined behaviour. It is looked for when no other was found, where a change has
arithmetic that can overflow: with the tests that there are, and with values near the limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from csg.language.syntax import (
    Binary,
    Change,
    CompoundAssign,
    Execute,
    Increment,
    IntegerConstant,
    TranslationUnit,
    Unary,
)
from csg.language.traversal import walk
from csg.language.types import Integer
from symexec.campaign.preparation import Prepared
from symexec.classification.undefined import shown_by_plain_builds
from symexec.fuzzing.candidates import Candidates, FunctionDomain
from symexec.fuzzing.vocabulary import vocabulary
from symexec.options import InputOptions
from symexec.replay import NativeReplay
from symexec.testcases import EntrySignature, TestCase, TestInput

MOST_TESTS, MOST_TRIED = 32, 96
_ARITHMETIC = frozenset(["+", "-", "*", "<<"])


def differing_plainly(
    prepared: Prepared,
    signature: EntrySignature | None,
    inputs: InputOptions,
    tests: Sequence[TestCase],
    replay: NativeReplay,
    seed: int,
) -> Iterator[tuple[TestInput, TestCase]]:
    """``tests`` are those on which the versions are alike. Nothing is compiled where no change can
    overflow. ``signature`` None: the program reads a command line, and no value is made up."""
    if not any(map(can_overflow, prepared.unified.units)):
        return
    cases = list(tests[:MOST_TESTS])
    if signature is not None and not inputs.assumptions:
        domain = FunctionDomain(signature, vocabulary(*prepared.telling_units), inputs)
        known = {case.input for case in cases}
        tried = islice(Candidates(domain, seed), MOST_TRIED)
        cases += [TestCase("", each) for each in tried if each not in known]
    for case in shown_by_plain_builds(cases, replay):
        yield case.input, case


def can_overflow(unit: TranslationUnit) -> bool:
    """Whether something that changed computes in a signed type."""
    return any(
        _computes(below)
        for function in unit.functions
        for node in walk(function.body)
        if isinstance(node, Change | Execute)
        for below in walk(node)
    )


def _computes(node: object) -> bool:
    match node:
        case Binary(operator=operator, left=left, right=right, type=kind):
            constant = isinstance(left, IntegerConstant) and isinstance(right, IntegerConstant)
            computed = operator in _ARITHMETIC and not constant
        case CompoundAssign(operator=operator, operation_type=kind):
            computed = operator.removesuffix("=") in _ARITHMETIC
        case Increment(type=kind):
            computed = True
        case Unary(operator="-", operand=operand, type=kind):
            computed = not isinstance(operand, IntegerConstant)
        case _:
            return False
    return computed and isinstance(kind, Integer) and kind.signed and kind.size >= 4
