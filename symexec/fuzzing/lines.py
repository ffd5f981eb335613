"""Command lines as the program's options shape them, small before large.

    options -f VALUE, -w       ()   -w   -fVALUE   OPERAND   -w OPERAND   -w -fVALUE   ...

The name of an option is known, its value and the operands are symbolic. Lines of symbolic words
alone come among them, so that together all command lines within the bounds are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from csg.ir import ChangeInfo
from csg.language.syntax import TranslationUnit
from symexec.environment.plan import DEFAULT_ARGUMENTS, shapes_lines
from symexec.environment.starts import Line, Word
from symexec.fuzzing.option_table import FAR, OPTIONAL, REQUIRED, Option, option_table
from symexec.fuzzing.usage import Kind, Usage, usage_of
from symexec.options import InputOptions, SymbolicArguments

MOST_OPTIONS = 3  # of one line
MOST_LINES = 400
SHORT = 3  # bytes of a value, where a line has several and the long ones come later
LATE = 2.0  # what a line of long ones costs beside
FIRST = 24  # options that are combined, the nearest to a change


def shaped(
    units: Sequence[TranslationUnit],
    changes: Sequence[ChangeInfo],
    inputs: InputOptions,
    guarding: frozenset[str] = frozenset(),
) -> tuple[Line, ...]:
    """What to try of a program with main; () when the user says what its arguments are, or when it
    knows no options. ``guarding``: names of what guards the changes."""
    options = option_table(units, changes, guarding) if shapes_lines(inputs) else ()
    if not options:
        return ()
    return lines(options, DEFAULT_ARGUMENTS, usage_of(units, options, changes))


def lines(
    options: Sequence[Option], bounds: SymbolicArguments, usage: Usage | None = None
) -> tuple[Line, ...]:
    """All lines within the bounds, up to ``MOST_LINES`` of those with options. With ``usage``, as
    many operands as it names come first, and several words of values are short before they are
    long."""
    found: list[tuple[tuple[float, int], Line]] = []
    for number, (cost, line) in enumerate(_candidates(options[:FIRST], bounds, usage)):
        found.append(((cost, number), line))
        if usage is not None and sum(word.symbolic > 0 for word in line) > 1:
            found[-1] = ((cost + LATE, number), line)
            found.append(((cost, number), tuple(map(_shortened, line))))
    found.sort(key=lambda each: each[0])
    plain = [each for each in found if not any(word.text for word in each[1])]
    shaped = [each for each in found if any(word.text for word in each[1])]
    kept = sorted([*plain, *shaped[:MOST_LINES]], key=lambda each: each[0])
    return tuple(dict.fromkeys(line for _, line in kept))


def _candidates(
    options: Sequence[Option], bounds: SymbolicArguments, usage: Usage | None
) -> Iterator[tuple[float, Line]]:
    """With what each costs: a far option is worth two words. An option that ends the program stands
    alone: what is beside it counts for nothing."""
    operand = Word(b"", bounds.length)
    for count in range(min(MOST_OPTIONS, bounds.maximum) + 1):
        for chosen in combinations(options, count):
            far = sum(option.near == FAR for option in chosen)
            keywords = sum(not option.name.startswith(b"-") for option in chosen)
            ends = any(option.ends for option in chosen)
            if far > 1 or (far and count == MOST_OPTIONS) or keywords > 1 or (ends and count > 1):
                continue
            words = tuple(word(option, bounds.length) for option in chosen)
            for operands in range(1 if ends else bounds.maximum - count + 1):
                if count + operands >= bounds.minimum:
                    cost = count + far + _cost(operands, keywords, usage)
                    yield cost, (*words, *(operand,) * operands)


def _cost(operands: int, keywords: int, usage: Usage | None) -> float:
    """Of so many operands; a keyword is one, too. Those that the usage text names are cheap, unless
    they are files, of which one is like the other."""
    if usage is None or Kind.FILE in usage.operand.kinds:
        return operands + (0.5 if operands > 1 else 0.0)
    return 0.5 * operands + (0.0 if operands + keywords in usage.counts else 1.0)


def _shortened(given: Word) -> Word:
    return replace(given, symbolic=min(given.symbolic, SHORT))


def word(option: Option, length: int) -> Word:
    """An option as one word, with its value."""
    if option.value not in (REQUIRED, OPTIONAL):
        return Word(option.name, 0)
    return Word(option.name if option.short else option.name + b"=", length)
