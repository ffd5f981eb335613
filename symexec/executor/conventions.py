"""Calls of a function as one of another type, as gcc makes them for x86-64.

    long strtol();  int strtol();      the call takes the low 32 bits of the result
    int g(int);     g(5L), implicit    g gets the low 32 bits of the argument
    long g(void);   int (*)(void)      definite; the other way round nobody knows the upper bits
    int g(double);  g(5), implicit     the argument is in another register: the path ends

C leaves all of these undefined (C17 6.5.2.2p6, p9).
"""

from __future__ import annotations

from functools import lru_cache

from csg.ir import Call, Constant, Convention, Kind, Passed
from csg.records import record
from symexec.expr import Data, compare, extend, truncate
from symexec.ledger import Reason
from symexec.runtime.contract import Context, ModelEntry, SharedModel

Pair = tuple[Kind, Kind]  # as it is given, as it is taken

RESULT = "is called as a function with another result"
ARGUMENT = "is called as a function with another argument"
_REGISTER = 64  # bits of an integer register
_EXTENDED = 32  # bits that gcc extends an argument or a result to


@record
class Difference:
    """How a call differs from what it calls. ``arguments`` has those that are taken; ``result`` is
    None where it is taken as it is given, or not at all. ``lost`` says of arguments that they are
    not where the function looks for them."""

    arguments: tuple[Pair, ...]
    result: Pair | None
    lost: str = ""

    def refusal(self, is_used: bool) -> str:
        """Why the call cannot be executed. ``is_used``: something reads the result."""
        elsewhere = is_used and self.result is not None and not _is_integer(self.result)
        return RESULT if elsewhere and not self.lost else self.lost

    def doubt(self, step: Call, is_used: bool) -> str:
        """What of the call nobody knows, because it depends on code around it."""
        if is_used and self.result is not None and _is_unknown(self.result):
            return RESULT
        for (given, taken), value in zip(self.arguments, step.arguments, strict=False):
            if not isinstance(value, Constant) and _is_other(given, taken):
                return ARGUMENT
        return ""

    def convert_arguments(self, arguments: tuple[Data, ...]) -> tuple[Data, ...]:
        """The arguments as the function takes them."""
        rest = arguments[len(self.arguments) :]
        pairs = zip(arguments, self.arguments, strict=False)
        return (*(_convert_argument(value, *pair) for value, pair in pairs), *rest)

    def convert_result(self, value: Data) -> Data:
        """The result as the call takes it."""
        return value if self.result is None else converted_result(value, *self.result)

    def adapt(self, entry: ModelEntry, doubt: str) -> ModelEntry:
        """The model of a function that is called so."""

        def run(context: Context, arguments: tuple[Data, ...]) -> SharedModel:
            result = yield from entry.function(context, self.convert_arguments(arguments))
            if doubt:
                context.event(Reason.UNDEFINED, f"'{entry.name}' {doubt}")
            return None if result is None else self.convert_result(result)

        return ModelEntry(entry.name, run, entry.effects, entry.aware, entry.needs)


@lru_cache(1 << 12)
def difference(call: Convention | None, function: Convention | None) -> Difference | None:
    """How a call differs from what it calls; None where the function gets and gives what the call
    says."""
    if call is None or function is None:
        return None
    given, wanted = call.parameters, function.parameters
    pairs = tuple(zip(given, wanted, strict=False))
    results = _results(call, function)
    if len(given) < len(wanted):
        return Difference(pairs, results, f"is called with {len(given)} arguments")
    if any(_lies_elsewhere(*pair) for pair in pairs) or _hides_fractions(call, function):
        return Difference(pairs, results, ARGUMENT)
    if results is None and all(_is_same(*pair) for pair in pairs):
        return None if len(given) == len(wanted) or function.variadic else Difference(pairs, None)
    return Difference(pairs, results)


def _results(call: Convention, function: Convention) -> Pair | None:
    if call.result is None:
        return None
    given = function.result or Kind(Passed.NUMBER, 0)
    return None if _is_same(given, call.result) else (given, call.result)


def _hides_fractions(call: Convention, function: Convention) -> bool:
    """Does the call not say how many fractions there are behind an ellipsis?"""
    rest = call.parameters[len(function.parameters) :]
    hidden = function.variadic and not call.variadic
    return hidden and any(each.passed is Passed.FRACTION for each in rest)


def _is_same(given: Kind, taken: Kind) -> bool:
    return (given.passed, given.bits, given.layout) == (taken.passed, taken.bits, taken.layout)


def _is_integer(pair: Pair) -> bool:
    """Are both in an integer register?"""
    whole = (Passed.NUMBER, Passed.ADDRESS)
    return all(each.passed in whole and each.bits <= _REGISTER for each in pair)


def _lies_elsewhere(given: Kind, taken: Kind) -> bool:
    return not (_is_same(given, taken) or _is_integer((given, taken)))


def _is_other(given: Kind, taken: Kind) -> bool:
    """Is it an address for one of them alone, or a truth value?"""
    return given.passed is not taken.passed or (taken.bits == 1) > (given.bits == 1)


def _is_unknown(result: Pair) -> bool:
    given, wanted = result
    return wanted.bits > given.bits or _is_other(given, wanted)


def _convert_argument(value: Data, given: Kind, wanted: Kind) -> Data:
    """An argument: gcc extends it to 32 bits, and writes zeros above."""
    if _is_same(given, wanted):
        return value
    return _fit(value, given, wanted)


def converted_result(value: Data, given: Kind, wanted: Kind) -> Data:
    """A result. Where nobody knows its upper bits, they are as of an argument."""
    return _fit(value, given, wanted) if given.bits and _is_integer((given, wanted)) else 0


def _fit(value: Data, given: Kind, wanted: Kind) -> Data:
    bits = given.bits
    if bits < min(wanted.bits, _EXTENDED):
        value, bits = extend(value, bits, _EXTENDED, given.signed), _EXTENDED
    if wanted.bits == 1:
        return compare("ne", 8, truncate(value, 8) if bits > 8 else value, 0)
    if wanted.bits < bits:
        return truncate(value, wanted.bits)
    return extend(value, bits, wanted.bits, False) if wanted.bits > bits else value
