"""Ordinary command lines: options with values that read like values, as many operands as the usage
text says, a few lines on standard input that hold the characters the command line speaks of.

    Usage: cut OPTION... [FILE]...   -d: -f2,4-      a:b:c
    Usage: seq FIRST STEP LAST       -w 1 .5 10

Most of them a user could have typed; one value in twenty is of a kind that nobody expects there.
Options that explain a difference by themselves (nearly every line with one differs) become rare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from csg.records import record
from symexec.fuzzing.candidates import Domain
from symexec.fuzzing.command_lines import CommandLines
from symexec.fuzzing.option_table import FAR, INFORMING, OPTIONAL, REQUIRED, Option, Vocabulary
from symexec.fuzzing.usage import Kind, Slot, Usage
from symexec.fuzzing.values import Texts
from symexec.inputs.plan import shapes_lines
from symexec.options import InputOptions
from symexec.testcases import TestInput

MOST_WORDS = 9
FILES = (b"A", b"B")  # how file operands are called
NEAR = {0: 6.0, 1: 4.0, FAR: 1.5}  # how likely an option is, by how near it is to a change
RARE = 0.08  # of one that only asks for information
EXPLAINED = 0.05  # what is left of the weight of an option that explains differences
TRIED, DIFFERING = 12, 0.9  # so many lines with it, and this share of them differs
FIELDS = (b"a", b"b", b"c", b"1", b"2", b"12", b"ab", b"", b"x1", b"abc", b"10", b"-3", b"B")


@record
class Item:
    """An operand (``option`` None), or an option with its value; ``apart``: the value is the next
    word."""

    option: Option | None
    value: bytes | None = None
    apart: bool = False

    @property
    def name(self) -> bytes:
        return self.option.name if self.option is not None else b""

    @property
    def words(self) -> tuple[bytes, ...]:
        if self.option is None:
            return (self.value or b"",)
        name = self.option.name
        if self.value is None:
            return (name,)
        if self.apart:
            return name, self.value
        return (name + (b"" if self.option.short else b"=") + self.value,)


def command_lines(
    usage: Usage,
    words: Vocabulary,
    inputs: InputOptions,
    takes_arguments: bool = True,
    strict: bool = False,
) -> Domain:
    """The command lines of a program: ordinary ones where the user leaves their form open; else all
    within the bounds."""
    plain = CommandLines(words, inputs, takes_arguments, strict, usage.options)
    if takes_arguments and shapes_lines(inputs):
        return OrdinaryLines(usage, words, plain)
    return plain


class OrdinaryLines:
    """Ordinary command lines. ``plain``: all other command lines, which are mixed in."""

    finite = False
    enumerates = 0.12  # share of the tests that are enumerated, and that mutate others
    mutates = 0.38

    def __init__(self, usage: Usage, words: Vocabulary, plain: CommandLines) -> None:
        self._usage = usage
        self._plain = plain
        self._texts = Texts(words, usage.numbers)
        self._separators = bytes(dict.fromkeys(words.separators))
        self._options = list(usage.options)
        self._by_name = {each.name: each for each in usage.options}
        self._tried: Counter[bytes] = Counter()
        self._differing: Counter[bytes] = Counter()

    # ------------------------------------------------------------------ the domain

    def enumerated(self) -> Iterator[TestInput]:
        """The enumerated lines, with few of those that options explain."""
        for number, test in enumerate(self._plain.enumerated(), 1):
            used = self._used(test)
            rare = any(map(self._explained, used)) or (len(test.args) > 1 and used & INFORMING)
            if number % 16 == 0 or not rare:
                yield test

    def drawn(self, chance: Random) -> TestInput:
        if chance.random() < 0.08:
            return self._plain.drawn(chance)
        items = [self._option(option, chance) for option in self._chosen(chance)]
        operands = [Item(None, self._operand(chance)) for _ in range(self._count(chance))]
        if self._usage.operand.keywords and chance.random() < 0.7:
            operands = self._expression(len(operands), chance)
        items += _ascending(operands) if chance.random() < 0.4 else operands
        if chance.random() < 0.1:
            chance.shuffle(items)
        return self._test(items, chance)

    def mutated(self, test: TestInput, other: TestInput, chance: Random) -> TestInput:
        if chance.random() < 0.15:
            return self._plain.mutated(test, other, chance)
        if test.stdin and self._usage.reads and chance.random() < 0.2:
            return replace(test, stdin=self._plain.edited_text(test.stdin, other.stdin, chance))
        items, donor = self.items(test.args), self.items(other.args)
        changed = self._changed(items, donor, chance)
        if chance.random() < 0.9:  # all other words would have no effect
            changed = [item for item in changed if item.name not in INFORMING]
        if chance.random() < 0.25:
            return self._test(changed, chance)
        return self._with_files(replace(test, args=_words(changed)), chance)

    def neighbours(self, test: TestInput) -> Iterator[TestInput]:
        return self._plain.neighbours(test)

    def learn(self, test: TestInput, differs: bool) -> None:
        """Count the differences that come with each option."""
        for name in self._used(test):
            self._tried[name] += 1
            self._differing[name] += differs

    def signature(self, test: TestInput) -> tuple[bytes, ...]:
        """The options of a command line, without their values, and the number of operands."""
        items = self.items(test.args)
        count = sum(item.option is None for item in items)
        return (*sorted({item.option.name for item in items if item.option}), b"%d" % count)

    # ------------------------------------------------------------------ explained options

    def _used(self, test: TestInput) -> set[bytes]:
        return {item.option.name for item in self.items(test.args) if item.option is not None}

    def _explained(self, name: bytes) -> bool:
        tried = self._tried[name]
        return tried >= TRIED and self._differing[name] >= DIFFERING * tried

    def _weight(self, option: Option) -> float:
        weight = NEAR[option.near] * (RARE if option.name in INFORMING else 1.0)
        return weight * (EXPLAINED if self._explained(option.name) else 1.0)

    # ------------------------------------------------------------------ lines

    def _chosen(self, chance: Random) -> list[Option]:
        if not self._options:
            return []
        count = chance.choices((0, 1, 2, 3, 4), (2, 6, 6, 3, 1))[0]
        weights = [self._weight(each) for each in self._options]
        found = chance.choices(self._options, weights, k=count)
        return found if chance.random() < 0.05 else list(dict.fromkeys(found))

    def _option(self, option: Option, chance: Random) -> Item:
        if option.value == REQUIRED or (option.value == OPTIONAL and chance.random() < 0.7):
            value = self._texts.drawn(self._slot(option), chance)
            return Item(option, value, chance.random() < (0.2 if value else 1.0))
        return Item(option)

    def _slot(self, option: Option | None) -> Slot:
        if option is None:
            return self._usage.operand
        return self._usage.values.get(option.name, Slot())

    def _operand(self, chance: Random) -> bytes:
        return self._texts.drawn(self._usage.operand, chance)

    def _count(self, chance: Random) -> int:
        """The number of operands: mostly as the usage text says, with many rather than few; of
        files mostly none."""
        counts = self._usage.counts
        if chance.random() < 0.06:
            return chance.randint(0, 4)
        if 0 in counts and Kind.FILE in self._usage.operand.kinds and chance.random() < 0.75:
            return 0
        return chance.choices(counts, [1 + count for count in counts])[0]

    def _expression(self, count: int, chance: Random) -> list[Item]:
        """Operands with words of the program between them, or in front."""
        slot = self._usage.operand
        others = tuple(kind for kind in slot.kinds if kind is not Kind.KEYWORD) or (Kind.TEXT,)
        plain = replace(slot, kinds=others)
        first = chance.random() < 0.2
        return [
            Item(
                None,
                chance.choice(slot.keywords)
                if (place % 2 == 1 and not first) or (place == 0 and first)
                else self._texts.drawn(plain, chance),
            )
            for place in range(count)
        ]

    def _test(self, items: Sequence[Item], chance: Random) -> TestInput:
        test = TestInput(args=_words(items), stdin=self._input(items, chance))
        return self._with_files(test, chance)

    def _with_files(self, test: TestInput, chance: Random) -> TestInput:
        """The test with the files that its operands name."""
        given = dict(test.files)
        items = self.items(test.args)
        files = tuple(
            (name.decode(), given.get(name.decode()) or self._input(items, chance))
            for name in FILES
            if name in test.args
        )
        return test if files == test.files else replace(test, files=files)

    def _input(self, items: Sequence[Item], chance: Random) -> bytes:
        """A few lines of a few fields."""
        marks = self._marks(items)
        between = bytes([chance.choice(marks)]) if marks and chance.random() < 0.8 else b"\t"
        if chance.random() < (0.05 if self._usage.reads else 0.95):
            return b""
        lines = [self._line(between, chance) for _ in range(chance.choice((1, 1, 2, 2, 3, 4)))]
        if chance.random() < 0.2:
            lines.append(chance.choice(lines))
        text = b"\n".join(lines)
        return text if chance.random() < 0.15 else text + b"\n"

    def _marks(self, items: Sequence[Item]) -> bytes:
        """The characters that the command line names, several times, and those of the program."""
        named = b"".join(
            item.value
            for item in items
            if item.value and item.option is not None and len(item.value) <= 2
        )
        punctuation = bytes(each for each in named if not chr(each).isalnum() and each < 128)
        return punctuation * 16 + b" \t" + self._separators[:8]

    @staticmethod
    def _line(between: bytes, chance: Random) -> bytes:
        if chance.random() < 0.2:
            return chance.choice(
                (b"123456789", b"abcdefgh", b"ab", b"a", b"", b"1", b"0123456789ab")
            )
        fields = [chance.choice(FIELDS) for _ in range(chance.choice((1, 2, 3, 3, 4, 5)))]
        return between.join(fields)

    # ------------------------------------------------------------------ changes

    def items(self, args: Sequence[bytes]) -> list[Item]:
        """The items of a command line by the option table; unknown words are operands."""
        found: list[Item] = []
        waiting = list(reversed(args))
        while waiting:
            word = waiting.pop()
            option = self._by_name.get(word)
            if option is not None:
                apart = option.value == REQUIRED and bool(waiting)
                found.append(Item(option, waiting.pop() if apart else None, apart))
                continue
            name, equals, value = word.partition(b"=")
            if equals and name.startswith(b"--") and name in self._by_name:
                found.append(Item(self._by_name[name], value))
                continue
            short = self._by_name.get(word[:2])
            if short is not None and short.short and short.value in (REQUIRED, OPTIONAL):
                found.append(Item(short, word[2:]))
            else:
                found.append(Item(None, word))
        return found

    def _changed(self, items: list[Item], donor: Sequence[Item], chance: Random) -> list[Item]:
        place = chance.randrange(len(items)) if items else 0
        valued = [at for at, item in enumerate(items) if item.value is not None]
        match chance.randrange(16):
            case 0 | 1 if self._options:
                new = self._option(
                    chance.choices(self._options, list(map(self._weight, self._options)))[0], chance
                )
                return [*items[:place], new, *items[place:]]
            case 2 if items:
                return [*items[:place], *items[place + 1 :]]
            case 3:
                new = Item(None, self._operand(chance))
                return [*items, new]
            case 4 if len(items) > 1:
                return chance.sample(items, len(items))
            case 5 if items:
                return [*items, items[place]]
            case 6 if donor:
                return [*items[:place], chance.choice(donor), *items[place + 1 :]]
            case 7 if donor and items:
                return [*items[: place + 1], *donor[chance.randrange(len(donor)) :]]
            case 8 if items and items[place].value and items[place].option:
                items[place] = replace(items[place], apart=not items[place].apart)
                return items
            case 9 | 10 if valued:
                place = chance.choice(valued)
                slot = self._slot(items[place].option)
                items[place] = replace(items[place], value=self._texts.drawn(slot, chance))
                return items
            case _ if valued:
                place = chance.choice(valued)
                slot, value = self._slot(items[place].option), items[place].value or b""
                items[place] = replace(items[place], value=self._texts.near(value, slot, chance))
                return items
            case _:
                return [*items, *(self._option(each, chance) for each in self._chosen(chance))]


def _ascending(operands: list[Item]) -> list[Item]:
    """The operands with the smallest number first and the largest last, where all are numbers, so
    that a range between two of them is mostly not empty."""
    if len(operands) < 2:
        return operands
    try:
        ends = sorted((operands[0], operands[-1]), key=lambda item: float(item.value or b""))
    except ValueError:
        return operands
    return [ends[0], *operands[1:-1], ends[1]]


def _words(items: Sequence[Item]) -> tuple[bytes, ...]:
    words = (word.replace(b"\0", b"") for item in items for word in item.words)
    return tuple(words)[:MOST_WORDS]
