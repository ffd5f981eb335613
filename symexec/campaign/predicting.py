"""What a native run of a path's input has to show: the engine's word, for replay to judge.

    outcome    returned 1, wrote "n=" and x as "%d"
    x = 7      Observation(exit=1, stdout=b"n=7")

A fault in memory is told by its kind alone, as a sanitizer would: what the program had written by
then, and whether a build without sanitizer crashes, is not the engine's to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symexec.environment.contract import Formatted
from symexec.environment.float_text import float_text
from symexec.environment.format_strings import FLOATS, Conversion, parse
from symexec.environment.number_text import integer_text
from symexec.expr import Data, Model, Operand, Term, evaluate
from symexec.replay.sandbox import signal_name
from symexec.state.endings import Endless, Exit, Killed, MemoryFault, Returned, row
from symexec.state.state import Outcome, Output
from symexec.testcases import Observation

_LENGTHS = {8: "hh", 16: "h", 32: "", 64: "l", 80: "L"}

Evaluate = Callable[[Operand], int]


def predicted(outcome: Outcome, model: Model, main: bool) -> Observation:
    """Of one version. Values that differ between the versions have no place in its outcome."""

    def value(term: Operand) -> int:
        return term if isinstance(term, int) else evaluate(term, model)

    stdout, stderr = written(outcome.output, 1, value), written(outcome.output, 2, value)
    leaks = None if outcome.leaks is None else len(outcome.leaks)
    match outcome.ending:
        case Exit(status=status):
            code = value(_plain(status)) & 0xFF
            return Observation(exit=code, stdout=stdout, stderr=stderr, leaks=leaks)
        case Returned(value=status) if main:
            code = value(_plain(status or 0)) & 0xFF
            return Observation(exit=code, stdout=stdout, stderr=stderr, leaks=leaks)
        case MemoryFault(kind=kind):
            return Observation(sanitizer=kind, stdout=stdout, stderr=stderr)
        case Killed(signal=number):
            return Observation(signal=signal_name(number), stdout=stdout, stderr=stderr)
        case Endless():
            return Observation(timed_out=True)
        case _:
            native = row(outcome.ending).native
            signal = native if native.startswith("SIG") else None
            return Observation(signal=signal, stdout=stdout, stderr=stderr)


def written(last: Output | None, stream: int, value: Evaluate) -> bytes:
    """What went to a stream."""
    if last is None:
        return b""
    found = bytearray()
    for where, item in Output.items(last):
        if where != stream:
            continue
        match item:
            case bytes():
                found += item
            case int() | Term():
                found.append(value(item))
            case Formatted(spec=spec, term=term):
                found += _number(spec, term.width, value(term))
            case _:
                raise AssertionError(f"a program cannot write {item}")
    return bytes(found)


def _number(spec: str, width: int, value: int) -> bytes:
    """A number as printf writes it."""
    (conversion,) = parse(spec.encode())
    assert isinstance(conversion, Conversion)
    floating = conversion.letter in FLOATS
    length = "" if floating and width == 64 else _LENGTHS[width]
    shown = replace(conversion, length=length)
    text = float_text(shown, value) if floating else integer_text(shown, value)
    return bytes(unit for unit in text if isinstance(unit, int))


def _plain(value: Data) -> Operand:
    assert isinstance(value, int | Term)
    return value
