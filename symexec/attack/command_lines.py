"""Run programs of both versions with command lines, standard input and files, and compare.

    x; -1; "end"          (), (b"a",), (b"b",) ..., (b"end",), (b"-1", b"x") ...

Where the user bounds the inputs, these bounds hold, and if few are within them all are tried.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, product

from csg.errors import ToolchainError
from csg.records import record
from symexec.attack.words import Words
from symexec.options import InputOptions
from symexec.replay import NativeReplay, Request
from symexec.replay.build import NATURAL
from symexec.testcases import Observation, TestInput
from symexec.triage.classification import differing_parts

MOST_WHOLE = 1 << 16  # inputs within the user's bounds, where all are tried
_MOST_IDLE = 2_000  # inputs in a row that are known: then no other ones are expected
TOGETHER = 64  # inputs of one turn
OPTIMISED_EVERY = 4  # turns of which one is of optimised builds
MOST_CUT_OFF = 3  # runs that do not end, then their like are left out
MOST_SHOWN, MOST_REFUSED = 3, 40
_BOUNDARIES = tuple(
    sign * (1 << bits) + step
    for bits in (0, 3, 7, 8, 15, 16, 31, 32, 63)
    for step in (-1, 0, 1)
    for sign in (1, -1)
)
_FILE = re.compile(rb"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)*")
_USUAL = b"0123456789-+.,:/ aAbBzZ\t\n\x01\x7f\x80\xff"


@record
class Bounds:
    """``least`` to ``most`` arguments of ``length`` bytes; ``stdin`` bytes; ``files`` of a length;
    ``given``: the user says so."""

    least: int
    most: int
    length: int
    stdin: int
    files: tuple[tuple[str, int], ...]
    given: bool


def bounds_of(options: InputOptions, takes_arguments: bool) -> Bounds:
    named = tuple((each.name, each.length) for each in options.named_files)
    if (options.arguments, options.stdin, options.files) == (None, None, None):
        return Bounds(0, 4 if takes_arguments else 0, 64, 256, named, bool(named))
    asked = options.arguments
    files = named
    if options.files is not None:
        own = options.files
        files += tuple((chr(ord("A") + at), own.length) for at in range(own.count))
    least, most, length = (asked.minimum, asked.maximum, asked.length) if asked else (0, 0, 0)
    if not takes_arguments:
        least = most = 0
    return Bounds(least, most, length, options.stdin or 0, files, True)


def size_of_domain(bounds: Bounds) -> int | None:
    """The number of inputs; None where they are many."""
    if bounds.stdin or bounds.files or bounds.most * bounds.length > 3:
        return None if bounds.given or bounds.most or bounds.stdin else 1
    words = sum(255**size for size in range(bounds.length + 1))
    total = sum(words**count for count in range(bounds.least, bounds.most + 1))
    return total if total <= MOST_WHOLE else None


def command_lines(words: Words, bounds: Bounds, seed: int) -> Iterator[TestInput]:
    """Inputs, each once, the most telling first; all of them where they are few."""
    known: set[TestInput] = set()
    makers: Iterator[TestInput] = chain(_first(words, bounds), _mixed(words, bounds, seed))
    if size_of_domain(bounds) is not None:
        makers = chain(_first(words, bounds), _whole(bounds))
    idle = 0
    for each in makers:
        if each in known:
            idle += 1
            if idle > _MOST_IDLE:
                return
            continue
        idle = 0
        known.add(each)
        yield each


def _whole(bounds: Bounds) -> Iterator[TestInput]:
    ordered = [*_USUAL, *(each for each in range(1, 256) if each not in _USUAL)]
    sizes = range(bounds.length + 1) if bounds.most else ()
    texts = [bytes(each) for size in sizes for each in product(ordered, repeat=size)]
    for count in range(bounds.least, bounds.most + 1):
        for args in product(texts, repeat=count):
            yield TestInput(args=args)


def _first(words: Words, bounds: Bounds) -> Iterator[TestInput]:
    """One argument, or one text to read, after the other."""
    if bounds.least == 0:
        yield TestInput()
    if bounds.least <= 1 <= bounds.most:
        for each in (b"", *(bytes([byte]) for byte in range(1, 256))):
            if len(each) <= bounds.length:
                yield TestInput(args=(each,))
        for each in _texts(words):
            if len(each) <= bounds.length:
                yield TestInput(args=(each,))
    if bounds.least == 0 and bounds.stdin:
        for each in (*(bytes([byte]) for byte in range(256)), *_texts(words)):
            if len(each) < bounds.stdin:
                yield TestInput(stdin=each)
                yield TestInput(stdin=each + b"\n")


def _texts(words: Words) -> Iterator[bytes]:
    yield from words.texts
    for number in dict.fromkeys((*words.numbers, *_BOUNDARIES)):
        yield str(number).encode()
        if 0 < number < 256:
            yield bytes([number])
    for each in words.texts:
        if each.isalnum():
            yield b"--" + each
            yield b"-" + each[:1]


def _mixed(words: Words, bounds: Bounds, seed: int) -> Iterator[TestInput]:
    choose = random.Random(seed)
    pool = [each for each in dict.fromkeys(_texts(words)) if b"\0" not in each] or [b"a"]
    names = [each.decode() for each in words.texts if _FILE.fullmatch(each) and len(each) < 40]
    while True:
        args = tuple(
            _text(choose, pool)[: bounds.length].replace(b"\0", b"")
            for _ in range(choose.randint(bounds.least, bounds.most))
        )
        stdin = b""
        if bounds.stdin and choose.random() < 0.6:
            lines = (_text(choose, pool) for _ in range(choose.randint(1, 4)))
            stdin = b"\n".join(lines)[: bounds.stdin - 1] + choose.choice((b"", b"\n"))
        yield TestInput(args=args, stdin=stdin, files=_files(choose, pool, bounds, names))


def _files(
    choose: random.Random, pool: Sequence[bytes], bounds: Bounds, names: Sequence[str]
) -> tuple[tuple[str, bytes], ...]:
    named = dict(bounds.files)
    if not bounds.given and names and choose.random() < 0.5:
        named[choose.choice(names)] = 64
    return tuple(
        (name, (_text(choose, pool) + choose.choice((b"", b"\n")))[:length])
        for name, length in sorted(named.items())
    )


def _text(choose: random.Random, pool: Sequence[bytes]) -> bytes:
    """A word, a few bytes, a word with another byte, or two of them."""
    match choose.randrange(6):
        case 0:
            return bytes(choose.randrange(256) for _ in range(choose.randint(0, 4)))
        case 1:
            return bytes(choose.choice(_USUAL) for _ in range(choose.randint(0, 6)))
        case 2:
            word = bytearray(choose.choice(pool) or b"a")
            word[choose.randrange(len(word))] = choose.randrange(1, 256)
            return bytes(word)
        case 3:
            return choose.choice(pool) + choose.choice((b"", b" ", b"=", b",", b"-"))
        case 4:
            return str(choose.randint(-300, 300)).encode()
        case _:
            return choose.choice(pool)


def differ(old: Observation, new: Observation) -> bool:
    """Can somebody tell the runs apart? Of two that were cut off only what both have written."""
    if old.timed_out and new.timed_out:
        return _contradict(old.stdout, new.stdout)
    if old.timed_out or new.timed_out:
        return False  # one may be slow
    return bool(differing_parts(old, new))


def _contradict(one: bytes, other: bytes) -> bool:
    least = min(len(one), len(other))
    return one[:least] != other[:least]


@record
class ShownLine:
    """A command line on which builds of a style differ."""

    test: TestInput
    old: Observation
    new: Observation
    style: str


@dataclass(slots=True)
class LineAttack:
    """As ``FunctionAttack``, for programs with main."""

    replay: NativeReplay
    words: Words
    bounds: Bounds
    seed: int
    count: int | None = None
    tried: int = 0
    alike: int = 0
    whole: bool = False
    refused: int = 0
    cut_off: int = 0
    failure: str = ""
    _again: list[TestInput] = field(default_factory=list)  # for optimised builds

    def begin(self) -> None:
        """Begin to compile."""
        for style in NATURAL:
            for build in ("old", "new"):
                self.replay.prepare(build, style)

    def wait(self) -> None:
        """Wait for the builds that show most. Raises ToolchainError."""
        for build in ("old", "new"):
            self.replay.wait(build, NATURAL[0])

    def shown(self, goes_on: Callable[[], bool]) -> Iterator[ShownLine]:
        """The inputs on which the versions differ."""
        lines = islice(command_lines(self.words, self.bounds, self.seed), self.count)
        found = turn = 0
        ended = False
        while goes_on() and found < MOST_SHOWN and self.refused < MOST_REFUSED:
            turn += 1
            optimised = (turn % OPTIMISED_EVERY == 0 or ended) and bool(self._again)
            if optimised:
                tests, self._again = self._again[:TOGETHER], self._again[TOGETHER:]
            else:
                tests = list(islice(lines, TOGETHER))
                self._again += tests
                ended = not tests
            if not tests:
                self.whole = size_of_domain(self.bounds) is not None and self.count is None
                return
            style = NATURAL[optimised]
            for test, old, new in self._observed(tests, style, goes_on):
                self.tried += not optimised
                self.cut_off += old.timed_out or new.timed_out
                self.alike += not differ(old, new)
                if differ(old, new):
                    pair = self.replay.pair(test, style, explain=False)
                    if not pair.stable or pair.masks is not None or not differ(pair.old, pair.new):
                        self.refused += 1
                        continue
                    found += 1
                    yield ShownLine(test, pair.old, pair.new, style)
                    if found == MOST_SHOWN:
                        return

    def _observed(
        self, tests: Sequence[TestInput], style: str, goes_on: Callable[[], bool]
    ) -> list[tuple[TestInput, Observation, Observation]]:
        """What both versions show. All of it is read before anything else is run: the sandbox
        forgets the rest then."""
        patience = 1.0 if self.cut_off <= MOST_CUT_OFF else 0.1
        asked = (
            Request(build, test, None, style, patience)
            for test in tests
            for build in ("old", "new")
        )
        found: list[tuple[TestInput, Observation, Observation]] = []
        try:
            seen = self.replay.observe_all(asked)
            for test in tests:
                if not goes_on():
                    break
                old = next(seen)
                found.append((test, old, next(seen)))
        except ToolchainError as error:
            self.failure = error.message
        return found
