"""Command lines as a user writes them, from the options and words that the program knows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from random import Random

from csg.ir import ChangeInfo
from csg.language.syntax import TranslationUnit
from symexec.fuzzing.option_table import (
    FAR,
    NONE,
    OPTIONAL,
    REQUIRED,
    Option,
    Vocabulary,
    option_table,
    vocabulary,
)
from symexec.fuzzing.usage import Kind, Usage, usage_of
from symexec.fuzzing.values import growing, grown, mutated_bytes
from symexec.inputs.plan import DEFAULT_ARGUMENTS, DEFAULT_STDIN, shapes_lines, with_defaults
from symexec.options import InputOptions, SymbolicArguments
from symexec.state.inputs import Line, Word
from symexec.testcases import TestInput

# ------------------------------------------------------------------------------------------ lines
# Command lines as the program's options shape them, small before large.
#
#     options -f VALUE, -w       ()   -w   -fVALUE   OPERAND   -w OPERAND   -w -fVALUE   ...
#     and a table of names, [ ]  -w [name]   -w OPERAND [name]   ...
#
# The name of an option is known, its value and the operands are symbolic. Lines of symbolic words
# alone come among them, so that together all command lines within the bounds are there.


MOST_OPTIONS = 3  # of one line
MOST_LINES = 400
SHORT = 3  # extra cost of a value, where a line has several and the long ones come later
LATE = 2.0  # extra cost of a line whose values are long
FIRST = 24  # options that are combined, the nearest to a change
FRAMED = 8  # words between brackets and marks that are operands of their own
# values, of one option and of all, that are longer than arguments of any bytes
MOST_LONG, ALL_LONG = 4, 8


def shaped(
    units: Sequence[TranslationUnit],
    changes: Sequence[ChangeInfo],
    inputs: InputOptions,
    guarding: frozenset[str] = frozenset(),
) -> tuple[Line, ...]:
    """The forms of command lines to try; () when the user says what the arguments are, or when the
    program has no options. ``guarding``: names of variables that guard the changes."""
    options = option_table(units, changes, guarding) if shapes_lines(inputs) else ()
    if not options:
        return ()
    usage = usage_of(units, options, changes)
    asked = with_defaults(inputs).arguments or DEFAULT_ARGUMENTS
    return lines(options, asked, usage, vocabulary(*units).framed[:FRAMED])


def lines(
    options: Sequence[Option],
    bounds: SymbolicArguments,
    usage: Usage | None = None,
    framed: Sequence[bytes] = (),
) -> tuple[Line, ...]:
    """All lines within the bounds, up to ``MOST_LINES`` with options. With ``usage``, as many
    operands as it names come first, and values of several words are short before they are long.
    ``framed``: words that the first operand, or the second, may be."""
    found: list[tuple[tuple[float, int], Line]] = []
    candidates = _with_framed(_candidates(options[:FIRST], bounds, usage), framed)
    for number, (cost, line) in enumerate(candidates):
        found.append(((cost, number), line))
        if usage is not None and sum(word.symbolic > 0 for word in line) > 1:
            found[-1] = ((cost + LATE, number), line)
            found.append(((cost, number), tuple(map(_shortened, line))))
    found.sort(key=lambda each: each[0])
    plain, shaped, with_framed = found[:0], found[:0], found[:0]
    for each in found:
        texts = {word.text for word in each[1]} - {b""}
        kind = plain if not texts else shaped if texts.isdisjoint(framed) else with_framed
        kind.append(each)
    retained = [*plain, *shaped[:MOST_LINES], *with_framed[: MOST_LINES // 4]]
    retained.sort(key=lambda each: each[0])
    return tuple(dict.fromkeys(line for _, line in retained))


def _candidates(
    options: Sequence[Option], bounds: SymbolicArguments, usage: Usage | None
) -> Iterator[tuple[float, Line]]:
    """Lines with their costs: an option far from a change costs two words. An option that ends the
    program stands alone: other words have no effect then."""
    operand = Word(b"", bounds.length)
    known: list[tuple[Option, Line]] = [
        (option, (word(option, bounds.length),)) for option in options
    ]
    long = ((option, each) for option in options for each in _with_long(option, bounds.length))
    known += islice(long, ALL_LONG)
    for count in range(min(MOST_OPTIONS, bounds.maximum) + 1):
        for given in combinations(known, count):
            chosen = [option for option, _ in given]
            words = tuple(each for _, written in given for each in written)
            if len({*chosen}) < count or len(words) > bounds.maximum:
                continue
            far = sum(option.near == FAR for option in chosen)
            keywords = sum(not option.name.startswith(b"-") for option in chosen)
            ends = any(option.ends for option in chosen)
            if far > 1 or (far and count == MOST_OPTIONS) or keywords > 1 or (ends and count > 1):
                continue
            for operands in range(1 if ends else bounds.maximum - len(words) + 1):
                if len(words) + operands >= bounds.minimum:
                    cost = count + far + _cost(operands, keywords, usage)
                    yield cost, (*words, *(operand,) * operands)


def _with_framed(
    candidates: Iterable[tuple[float, Line]], framed: Sequence[bytes]
) -> Iterator[tuple[float, Line]]:
    """The candidates, and those with one of these words in the place of one of the first two
    operands."""
    for cost, line in candidates:
        yield cost, line
        operands = [at for at, each in enumerate(line) if not each.text]
        for at in operands[:2]:
            for text in framed:
                yield cost + 1, (*line[:at], Word(text, 0), *line[at + 1 :])


def _cost(operands: int, keywords: int, usage: Usage | None) -> float:
    """The cost of so many operands; keywords count as operands. Those that the usage text names are
    cheap, unless they are files, which are alike."""
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


def _with_long(option: Option, length: int) -> Iterator[Line]:
    """The option with each value that the program knows for it and that is longer than ``length``,
    as ``--to=commonmark``; where the program compares by itself the value stands apart."""
    for value in [each for each in option.values if len(each) > length][:MOST_LONG]:
        if option.value in (REQUIRED, OPTIONAL):
            yield (Word(word(option, 0).text + value, 0),)
        else:
            yield Word(option.name, 0), Word(value, 0)


# ---------------------------------------------------------------------------------- command lines
# Command lines as a user writes them, from the words that the program knows.
#
# options -b -n --help, letters and digits of the source
#
# enumerated      (none)   -b   -n   -b1   -b -n   -b1 -n   -b 1  ...  with stdin "" "a" "1\n" ...
# random          1 to 4 of these words, values like 2-, 1,3 or 10 attached or apart


WORD = 12  # bytes of a word that is made up, when the user sets no bound
MOST_INPUT = 4 * DEFAULT_STDIN  # bytes of standard input then
MOST_PIECES = 6  # words and characters of a text that is put together
PIECE = 8  # bytes of a word that is put into a text
VALUES = (b"1", b"2", b"0", b"-", b"1-", b"-1", b"1-2", b"10", b"a")


class CommandLines:
    """Command lines within the number and length of arguments that the user gave. A word of the
    program's own text may be longer, as a user would type it; but not if it is ``strict`` and the
    user gave a length."""

    finite = False
    enumerates, mutates = 0.5, 0.375

    def __init__(
        self,
        words: Vocabulary,
        options: InputOptions,
        takes_arguments: bool,
        strict: bool = False,
        options_known: Sequence[Option] = (),
    ) -> None:
        asked, stdin = options.arguments, options.stdin
        self._strict = strict and not shapes_lines(options)
        if shapes_lines(options):
            asked, stdin = replace(DEFAULT_ARGUMENTS, length=WORD), MOST_INPUT
        if asked is None or not takes_arguments:
            asked = SymbolicArguments(0, 0, 0)
        self._bounds = asked
        self._most_input = stdin or 0
        self._alphabet = words.alphabet
        self._options = words.options
        self._short = [option for option in words.options if len(option) == 2]
        self._values = _values(words)
        first, others = words.framed[:FRAMED], words.framed[FRAMED:]
        own = [*words.words[:FRAMED], *first, *words.words[FRAMED:]]
        self._words = _unique([*self._values, *own, *map(_number, words.numbers), *others])
        self._lines = _unique([*self._attached(), b"-", b"--", *self._words])
        self._pieces = [word for word in words.words if len(word) <= min(PIECE, self._most_input)]
        self._texts = self._inputs(words)
        self._shapes = [
            line for line in lines(options_known or _guessed(words), asked) if line and line[0].text
        ]

    def _attached(self) -> list[bytes]:
        """Options without values first, then each with each value attached."""
        long = [option for option in self._options if option not in self._short]
        joined = [option + value for value in self._values for option in self._short]
        return [*self._short, *joined, *long, *(option + b"=1" for option in long)]

    def _inputs(self, words: Vocabulary) -> list[bytes]:
        marks = words.separators[:6]
        texts = [b"ab\n", b"", b"a", b"ab", b"1", b"\n", b"a\n", b"1\n2\n", b"ab\ncd\n"]
        texts += [bytes(text) for mark in marks for text in ([97, mark, 98], [mark], [97, mark])]
        return _unique([text[: self._most_input] for text in texts])

    # ------------------------------------------------------------------ the domain

    def enumerated(self) -> Iterator[TestInput]:
        """Lines of any words, and lines of the options that the program knows, in turn."""
        waiting = deque([self._any_words(), self._known_options()])
        while waiting:
            for test in waiting[0]:
                yield test
                waiting.rotate(-1)
                break
            else:
                waiting.popleft()

    def _known_options(self) -> Iterator[TestInput]:
        """Lines in their order, those near a change first, with one value for each option; then
        with two, four and so on. Every other line has a full standard input."""
        size, before, number = 1, 0, 0
        pools = [self._pools(line) for line in self._shapes]
        while any(before < len(pool) for each in pools for pool in each):
            for line, each in zip(self._shapes, pools, strict=True):
                for row in grown(each, before, size):
                    args = tuple(word.text + end for word, end in zip(line, row, strict=True))
                    if all(map(self._is_known, line, args)):
                        number += 1
                        place = number // 2 % len(self._texts) if number % 2 == 0 else 0
                        yield TestInput(args=args, stdin=self._texts[place])
            size, before = 2 * size, size

    def _pools(self, line: Line) -> list[list[bytes]]:
        """What each word of a line can end with."""
        operands = _unique([*self._values, *self._words])
        values = [*self._values[:1], b"", *self._values[1:]]  # with "" the value stands apart
        return [[b""] if not word.symbolic else values if word.text else operands for word in line]

    def _any_words(self) -> Iterator[TestInput]:
        """Lines of few and of many words in turn. A line of at most one word gets every standard
        input; of the others each gets another one."""
        words = [word for word in self._lines if self._fits(word)]
        counts = range(self._bounds.minimum, self._bounds.maximum + 1)
        waiting = [self._with_input(growing([words] * count), count) for count in counts]
        while waiting:
            for tests in list(waiting):
                test = next(tests, None)
                if test is None:
                    waiting.remove(tests)
                else:
                    yield test

    def _with_input(self, lines: Iterator[tuple[bytes, ...]], count: int) -> Iterator[TestInput]:
        for number, line in enumerate(lines):
            if count < 2:
                yield from (TestInput(args=line, stdin=text) for text in self._texts)
            else:
                yield TestInput(args=line, stdin=self._texts[number % len(self._texts)])

    def drawn(self, chance: Random) -> TestInput:
        count = chance.randint(self._bounds.minimum, self._bounds.maximum)
        args = tuple(self._word(chance) for _ in range(count))
        return TestInput(args=args, stdin=self._text(chance))

    def mutated(self, test: TestInput, other: TestInput, chance: Random) -> TestInput:
        args = list(test.args)
        place = chance.randint(0, max(0, len(args) - 1))
        match chance.randrange(7):
            case 0 if len(args) < self._bounds.maximum:
                args.insert(chance.randint(0, len(args)), self._word(chance))
            case 1 if len(args) > self._bounds.minimum:
                del args[place]
            case 2 if args:
                args[place] = self._word(chance)
            case 3 if args and other.args:
                args[place] = chance.choice(other.args)
            case 4 if args:
                args[place] = self._edited(args[place], chance)
            case _ if test.stdin and chance.random() < 0.75:
                return replace(test, stdin=self.edited_text(test.stdin, other.stdin, chance))
            case _:
                return replace(test, stdin=self._text(chance))
        return replace(test, args=tuple(args))

    def learn(self, test: TestInput, differs: bool) -> None:
        """Do nothing: what is drawn does not depend on results."""

    def signature(self, test: TestInput) -> tuple[bytes, ...]:
        """The options at the beginnings of words, and the number of words."""
        used = {each[:2] for each in test.args if each.startswith(b"-")}
        return (*sorted(used), b"%d" % len(test.args))

    def neighbours(self, test: TestInput) -> Iterator[TestInput]:
        """The line with another word in each place, with an option in front, or with another
        standard input."""
        args = test.args
        for option in filter(self._fits, self._options):
            if len(args) < self._bounds.maximum:
                yield replace(test, args=(option, *args))
        for text in self._texts:
            yield replace(test, stdin=text)
        for word in filter(self._fits, self._lines):
            for place in range(len(args)):
                yield replace(test, args=(*args[:place], word, *args[place + 1 :]))

    # ------------------------------------------------------------------ parts

    def _fits(self, word: bytes) -> bool:
        known = not self._strict and (word in self._options or word in self._words)
        return known or len(word) <= self._bounds.length

    def _is_known(self, word: Word, argument: bytes) -> bool:
        return self._fits(argument) or not (word.symbolic or self._strict)

    def _word(self, chance: Random) -> bytes:
        """A word: mostly an option, with a value that looks like one."""
        match chance.randrange(6):
            case 0 if self._words:
                word = chance.choice(self._words)
            case 1 if self._options:
                word = chance.choice(self._options)
            case 2 | 3 | 4 if self._short:
                word = chance.choice(self._short)
                word += self._value(chance) if chance.random() < 0.7 else b""
            case _:
                word = self._value(chance)
        return word if self._fits(word) else word[: self._bounds.length]

    def _value(self, chance: Random) -> bytes:
        match chance.randrange(4):
            case 0 | 1:
                return chance.choice(self._values)
            case 2 if self._words:
                return chance.choice(self._words)
            case _:
                return bytes(chance.choice(self._alphabet) for _ in range(chance.randint(1, 4)))

    def _edited(self, word: bytes, chance: Random) -> bytes:
        """A mutated word; what is no word of the program any more stays within the bound."""
        found = mutated_bytes(word, self._alphabet, max(len(word), self._bounds.length), chance)
        found = found.replace(b"\0", b"")
        return found if self._fits(found) else self._word(chance)

    def _text(self, chance: Random) -> bytes:
        """A text: one that is often useful, random bytes, or a sequence of words and characters."""
        match chance.randrange(4):
            case 0 | 1:
                return chance.choice(self._texts)
            case 2:
                length = chance.randint(0, self._most_input)
                return bytes(chance.choice(self._alphabet) for _ in range(length))
            case _:
                count = chance.randint(1, MOST_PIECES)
                text = b"".join(self._piece(chance) for _ in range(count))
                return text[: self._most_input]

    def edited_text(self, text: bytes, other: bytes, chance: Random) -> bytes:
        """A text with a piece inserted, a part removed or repeated, a byte replaced, or the end of
        another text."""
        start, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        match chance.randrange(5):
            case 0 | 1:
                text = text[:start] + self._piece(chance) + text[start:]
            case 2:
                text = text[:start] + text[end:]
            case 3:
                text = text[:end] + text[start:]
            case _ if other and chance.random() < 0.5:
                text = text[:start] + other[chance.randint(0, len(other) - 1) :]
            case _:
                text = mutated_bytes(text, self._alphabet, self._most_input, chance)
        return text[: self._most_input]

    def _piece(self, chance: Random) -> bytes:
        if self._pieces and chance.random() < 0.4:
            return chance.choice(self._pieces)
        return bytes([chance.choice(self._alphabet)])


def _values(words: Vocabulary) -> list[bytes]:
    """Values for options: numbers, the program's separators, and both together."""
    marks = [bytes([mark]) for mark in words.separators[:6]]
    joined = [b"1" + mark + b"2" for mark in marks]
    return _unique([*VALUES[:1], *joined[:2], *VALUES[1:], *marks, *joined])


def _guessed(words: Vocabulary) -> list[Option]:
    """Options of a program that reads them in its own way: whether they take values is not
    known."""
    return [Option(name, OPTIONAL if len(name) == 2 else NONE, near=0) for name in words.options]


def _number(number: int) -> bytes:
    return str(number).encode()


def _unique(words: Sequence[bytes]) -> list[bytes]:
    return [word for word in dict.fromkeys(words) if b"\0" not in word]
