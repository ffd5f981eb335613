"""Command lines as the program's options shape them, small before large.

    options -f VALUE, -w       ()   -w   -fVALUE   OPERAND   -w OPERAND   -w -fVALUE   ...

The name of an option is known, its value and the operands are symbolic. Lines of symbolic words
alone come among them, so that together all command lines within the bounds are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from csg.ir import ChangeInfo
from csg.language.syntax import TranslationUnit
from symexec.environment.plan import DEFAULT_ARGUMENTS, shapes_lines
from symexec.environment.starts import Line, Word
from symexec.fuzzing.option_table import FAR, OPTIONAL, REQUIRED, Option, option_table
from symexec.options import InputOptions, SymbolicArguments

MOST_OPTIONS = 3  # of one line
MOST_LINES = 400
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
    return lines(options, DEFAULT_ARGUMENTS) if options else ()


def lines(options: Sequence[Option], bounds: SymbolicArguments) -> tuple[Line, ...]:
    """All lines within the bounds, up to ``MOST_LINES`` of those with options."""
    found: list[tuple[tuple[float, int], Line]] = []
    for number, (cost, line) in enumerate(_candidates(options[:FIRST], bounds)):
        found.append(((cost, number), line))
    found.sort(key=lambda each: each[0])
    plain = [each for each in found if not any(word.text for word in each[1])]
    shaped = [each for each in found if any(word.text for word in each[1])]
    kept = sorted([*plain, *shaped[:MOST_LINES]], key=lambda each: each[0])
    return tuple(dict.fromkeys(line for _, line in kept))


def _candidates(
    options: Sequence[Option], bounds: SymbolicArguments
) -> Iterator[tuple[float, Line]]:
    """With what each costs: a far option is worth two words."""
    operand = Word(b"", bounds.length)
    for count in range(min(MOST_OPTIONS, bounds.maximum) + 1):
        for chosen in combinations(options, count):
            far = sum(option.near == FAR for option in chosen)
            keywords = sum(not option.name.startswith(b"-") for option in chosen)
            if far > 1 or (far and count == MOST_OPTIONS) or keywords > 1:
                continue
            words = tuple(word(option, bounds.length) for option in chosen)
            for operands in range(bounds.maximum - count + 1):
                size = count + operands
                if size >= bounds.minimum:
                    cost = count + 1.0 * operands + far + (0.5 if operands > 1 else 0.0)
                    yield cost, (*words, *(operand,) * operands)


def word(option: Option, length: int) -> Word:
    """An option as one word, with its value."""
    if option.value not in (REQUIRED, OPTIONAL):
        return Word(option.name, 0)
    return Word(option.name if option.short else option.name + b"=", length)
