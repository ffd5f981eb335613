"""Call a function of both versions with the same inputs, and compare what a caller sees.

    attack = FunctionAttack(replay, drivers, signature, seed)
    for shown in attack.shown(lambda: time is left):    run again, and in sanitized builds

A driver says a checksum for each input. Where the checksums differ both drivers run that input
again: with other bytes in uninitialised memory, and at other addresses. What stays is a difference
if both versions end without an error; where one of them has an error that the other does not have,
the input may be one that no caller gives.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag

from csg.errors import ToolchainError
from csg.records import record
from symexec.attack.drivers import Drivers
from symexec.attack.inputs import DriverInput, expressed, read_input
from symexec.replay import SANITIZED, NativeReplay
from symexec.replay.build import LITERAL, NATURAL, Program
from symexec.replay.harness import NAMELESS
from symexec.replay.native import OFTEN, in_turn
from symexec.replay.reports import sanitizer_kind
from symexec.replay.sandbox import signal_name
from symexec.testcases import EntrySignature, Observation, TestInput

BUILDS = ("attack-old", "attack-new")
FILLINGS = (0x00, 0xA5)  # of uninitialised memory
ANSWER = b"answer\n"  # how a driver begins (driver.c): it has come to its start
_RECORD = struct.Struct("<QII")
# Cut off, too much to say, not made; a pointer to the end of one object and the beginning of the
# next, which tells nothing. Builds with sanitizers leave room between them.
_UNCOMPARED = 1 << 16 | 1 << 17 | 1 << 18 | 1 << 19
LIMIT_MS, LEAST_MS = 100, 20  # milliseconds for one input; where many take longer
FIRST, MOST = 256, 1 << 16  # inputs of one run
SLICE_MS = 400  # of one run of a driver
COUNTED_MS = 60_000  # where the number of inputs is given
MARGIN_S = 3.0  # seconds beyond its own limit after which a driver is ended
MOST_REFUSED = 4  # inputs of one kind and style that are run once more
MOST_SHOWN = 32
Record = tuple[int, int, int]  # a checksum, how it ended, what is unusual


class Unusual(IntFlag):
    """What is unusual about an input (driver.c)."""

    NULLS = 1
    ALIASES = 2
    OVERLAPS = 4
    TAGS = 8
    BEHIND_IT = 16
    TWICE = 32
    GLOBALS = 64
    RECORDS = 128
    UNIONS = 256
    INNER_NULLS = 512
    HEAP_WORDS = 1024


WORDS: Mapping[Unusual, str] = {
    Unusual.ALIASES: "two pointers lead to one object",
    Unusual.OVERLAPS: "one pointer leads into the object of another",
    Unusual.TAGS: "the low bits of a pointer are set",
    Unusual.BEHIND_IT: "an object has more behind what its type says",
    Unusual.TWICE: "the function is called twice with the same arguments",
    Unusual.GLOBALS: "global objects hold other values than at the start",
    Unusual.UNIONS: "members of unions are set in turn",
}
# What no test can say.
UNSAYABLE = (
    Unusual.ALIASES
    | Unusual.OVERLAPS
    | Unusual.TAGS
    | Unusual.BEHIND_IT
    | Unusual.TWICE
    | Unusual.GLOBALS
)


@record
class Run:
    """What a driver says of one input. ``output`` is what a caller sees; ``failure`` the error of
    a sanitizer, or a signal."""

    input: tuple[str, ...]
    output: str
    stdout: bytes
    stderr: bytes
    ending: int
    unusual: Unusual
    failure: str = ""
    report: str = ""

    @property
    def is_compared(self) -> bool:
        return not self.ending & _UNCOMPARED

    @property
    def shown(self) -> tuple[object, ...]:
        failed = bool(self.failure)
        return self.output, self.stdout, self.failure, 0 if failed else self.ending

    def observation(self) -> Observation:
        by_signal = self.ending & 0x7F
        returned = [each for each in self.output.splitlines() if each.startswith("returned ")]
        parts = [each for each in self.output.splitlines() if each not in returned]
        sanitizer = self.failure if self.report else None
        return Observation(
            exit=None if by_signal else self.ending >> 8 & 0xFF,
            signal=signal_name(by_signal) if by_signal else None,
            stdout=self.stdout,
            stderr=b"" if self.failure else self.stderr,
            returned=", then ".join(each[9:] for each in returned) or None,
            sanitizer=sanitizer,
            memory=tuple(_as_memory(each) for each in parts),
            report=self.report,
        )


def _as_memory(line: str) -> tuple[str, bytes]:
    name, _, value = line.strip().partition(" ")
    if name in ("object", "callback"):
        number, _, value = value.partition(" ")
        name = f"{name} {number}"
    return name, value.encode()


@record
class Shown:
    """An input on which the versions differ. ``nearly`` is the test that comes nearest to it, and
    ``test`` the one that says all of it; None where there is none. ``one_fails``: only
    one of them ends without an error. ``style``: the builds that show it; ``optimised``: those
    without optimisation do not; ``overflows``: those in which signed numbers wrap around do not."""

    number: int
    nearly: TestInput | None
    made: DriverInput
    old: Run
    new: Run
    style: str
    optimised: bool = False
    overflows: bool = False

    @property
    def test(self) -> TestInput | None:
        return None if self.old.unusual & UNSAYABLE else self.nearly

    @property
    def one_fails(self) -> bool:
        return bool(self.old.failure) != bool(self.new.failure)

    @property
    def unusual(self) -> Unusual:
        return self.old.unusual | self.new.unusual


@dataclass(slots=True)
class FunctionAttack:
    """``count``: at most so many inputs of each style; None: as long as there is time. ``tried``:
    inputs that both versions were given; ``alike``: how often both showed the same; ``whole``: all
    that there are."""

    replay: NativeReplay
    drivers: Drivers
    signature: EntrySignature
    seed: int
    publics: frozenset[str] = frozenset()
    count: int | None = None
    tried: int = 0
    alike: int = 0
    whole: bool = False
    refused: int = 0
    cut_off: int = 0
    failure: str = ""
    _symbols: dict[tuple[str, str], str] = field(default_factory=dict)
    _common: frozenset[str] | None = None

    def begin(self) -> None:
        """Begin to compile."""
        plan = self.replay.plan
        for build, files in zip(BUILDS, (plan.old, plan.new), strict=True):
            self.replay.add(build, Program(files, driver=self.drivers.text))
        for style in (NATURAL[0], SANITIZED):
            for build in BUILDS:
                self.replay.prepare(build, style)

    def wait(self) -> None:
        """Wait for the builds that show most. Raises ToolchainError."""
        for style in (NATURAL[0], SANITIZED):
            for build in BUILDS:
                self.replay.wait(build, style)
        for build in BUILDS:
            self.replay.prepare(build, NATURAL[1])

    def shown(self, goes_on: Callable[[], bool]) -> Iterator[Shown]:
        """The inputs on which the versions differ."""
        total = 1 << self.drivers.whole if self.drivers.whole is not None else None
        if self.drivers.whole == 0:
            total = 2
        next_of = dict.fromkeys((NATURAL[0], SANITIZED, NATURAL[1]), 0)
        sizes = dict.fromkeys(next_of, FIRST)
        limit = LIMIT_MS
        seen: Counter[tuple[str, int]] = Counter()
        turns = (NATURAL[0], NATURAL[0], SANITIZED, NATURAL[1])
        turn = found = 0
        while goes_on() and found < MOST_SHOWN:
            style = turns[turn % len(turns)]
            turn += 1
            first = next_of[style]
            most = min(total or MOST << 16, self.count or MOST << 16)
            count = min(sizes[style], most - first)
            if count <= 0:
                if all(each >= most for each in next_of.values()):
                    self.whole = total is not None and most == total
                    return
                continue
            first_done = next_of[NATURAL[0]] >= most
            built = all(self.replay.ready(each, style) for each in BUILDS)
            if not (built or first_done or self.count):
                continue
            records = self._records(style, first, count, limit)
            done = min(map(len, records))
            if done == 0:
                if limit == LEAST_MS:
                    return
                limit = LEAST_MS
                continue
            self.alike += sum(map(_is_alike, records[0][:done], records[1][:done]))
            late = sum(bool(each[1] & 1 << 16) for each in records[0][:done])
            self.cut_off += late
            limit = LEAST_MS if late > 2 else limit
            for place in _turned(records[0][:done], records[1][:done], seen, style):
                if not goes_on() or found == MOST_SHOWN:
                    break
                self.tried = max(self.tried, first + place + 1)
                confirmed = self._confirmed(first + place, style)
                if confirmed is None:
                    self.refused += 1
                    continue
                found += 1
                yield confirmed
            self.tried = max(self.tried, first + done)
            next_of[style] = first + done
            sizes[style] = min(MOST, 2 * done if done == count else max(16, done))

    def _records(
        self, style: str, first: int, count: int, limit: int
    ) -> tuple[list[Record], list[Record]]:
        """For each input its checksum, how it ended, and what is unusual about it."""
        found = []
        for build in BUILDS:
            data = self._asked(build, style, first, count, limit, FILLINGS[0], False)[0]
            found.append(list(_RECORD.iter_unpack(data[: len(data) // 16 * 16])))
            count = max(1, len(found[-1]))
        return found[0], found[1]

    def _asked(
        self,
        build: str,
        style: str,
        first: int,
        count: int,
        limit: int,
        fill: int,
        verbose: bool,
        moved: bool = False,
    ) -> tuple[bytes, tuple[bytes, ...]]:
        slice_ms = SLICE_MS if self.count is None else COUNTED_MS
        words = (self.seed, first, count, slice_ms, limit, fill, int(moved), int(verbose))
        head = f"run {' '.join(map(str, words))}\n{self._known(build, style)}"
        seconds = slice_ms / 1000 + MARGIN_S
        result = self.replay.driven(build, style, head.encode(), seconds, moved)
        if result.exit != 0:
            text = (result.stderr.data or b"no answer").decode("utf-8", "replace")[:200]
            self.failure = (
                f"its driver ends with {result.exit or signal_name(result.signal)}: {text}"
            )
            return b"", ()
        if not result.control.data.startswith(ANSWER):
            self.failure = "its driver does not come to its start"
            return b"", ()
        return result.control.data.removeprefix(ANSWER), result.reports

    def _known(self, build: str, style: str) -> str:
        """Where functions and objects lie. A constant, or one that only this version has, in one
        file or function alone, has no name that others know."""
        key = build, style
        if key not in self._symbols:
            both = [self.replay.symbols(each, style).ranges for each in BUILDS]
            names = [{name for _, _, name in each} for each in both]
            lone = ((names[0] ^ names[1]) - self.publics) | self.signature.nameless
            own = both[BUILDS.index(build)]
            self._symbols[key] = "".join(
                f"symbol {start} {size} {'static' if name in lone else name}\n"
                for start, size, name in own
                if name not in NAMELESS
            )
        return self._symbols[key]

    # ------------------------------------------------------------------------------- once more

    def run(
        self, build: str, number: int, style: str, fill: int = 0, moved: bool = False
    ) -> Run | None:
        """One input alone; None where nothing can be said of it."""
        limit = 10 * LIMIT_MS
        data, reports = self._asked(build, style, number, 1, limit, fill, True, moved)
        if len(data) < _RECORD.size:
            return None
        _, ending, unusual = _RECORD.unpack_from(data)
        text, _, printed = data[_RECORD.size :].partition(b"\nprinted 1 ")
        digits, _, rest = printed.partition(b"\n")
        if not digits.isdigit():  # the program has written to the driver's descriptor
            return None
        size = int(digits)
        stdout, rest = rest[:size], rest[size:]
        stderr = rest.partition(b"\n")[2].partition(b"\n")[2]
        given, _, output = text.decode("utf-8", "backslashreplace").partition("output\n")
        kind, report = sanitizer_kind(reports)
        failure = kind or (signal_name(ending & 0x7F) if ending & 0x7F else "")
        return Run(
            tuple(given.splitlines()),
            output,
            stdout,
            stderr,
            ending,
            Unusual(unusual),
            failure,
            report if kind else "",
        )

    def _pair(
        self, number: int, style: str, fill: int = 0, moved: bool = False
    ) -> tuple[Run, Run] | None:
        old, new = (self.run(build, number, style, fill, moved) for build in BUILDS)
        if old is None or new is None or not (old.is_compared and new.is_compared):
            return None
        return (old, new) if old.input == new.input else None

    def _each_way(self, number: int, style: str) -> tuple[Run, Run] | None:
        """What both versions show, if that differs and is the same with other bytes in
        uninitialised memory, and with everything at other addresses."""
        first: tuple[Run, Run] | None = None
        for fill, moved in ((FILLINGS[0], False), (FILLINGS[1], False), (FILLINGS[0], True)):
            pair = self._pair(number, style, fill, moved)
            if pair is None or pair[0].shown == pair[1].shown:
                return None
            first = first or pair
            if any(one.shown != other.shown for one, other in zip(first, pair, strict=True)):
                return None
        return first

    def _varies(self, number: int, style: str, first: tuple[Run, Run]) -> bool:
        """Does a version differ from itself in one of several more runs?"""
        for which in in_turn(OFTEN):
            seen = self.run(BUILDS[which], number, style, FILLINGS[0])
            if seen is None or seen.shown != first[which].shown:
                return True
        return False

    def _is_of_sanitizers(self, number: int, shown: tuple[Run, Run]) -> bool:
        """Do sanitized builds alone show it, and report nothing?"""
        return not any(each.failure for each in shown) and self._is_alike_plainly(number)

    def _is_alike_plainly(self, number: int) -> bool:
        """Do builds without sanitizers and without optimisation show no difference?"""
        return self._is_alike(number, NATURAL[0])

    def _is_alike(self, number: int, style: str) -> bool:
        try:
            pair = self._pair(number, style)
        except ToolchainError:
            return False
        return pair is not None and pair[0].shown == pair[1].shown

    def _confirmed(self, number: int, style: str) -> Shown | None:
        """The input, where the versions differ each time, and each does the same each time."""
        try:
            checked = self._pair(number, SANITIZED)
        except ToolchainError:
            checked = None
        if checked is not None and checked[0].failure and checked[1].failure:
            return None
        pairs = self._each_way(number, style)
        if pairs is None or (style == SANITIZED and self._is_of_sanitizers(number, pairs)):
            return None
        seen_in = style
        if checked is not None and checked[0].shown != checked[1].shown and style != SANITIZED:
            seen_in = SANITIZED
            pairs = self._each_way(number, seen_in)
            if pairs is None:
                return None
        if self.replay.plan.may_vary and self._varies(number, seen_in, pairs):
            return None
        old, new = pairs
        made = read_input(old.input)
        nearly = expressed(made, self.signature)
        optimised = seen_in == NATURAL[1] and self._is_alike_plainly(number)
        overflows = seen_in in NATURAL and not optimised and self._is_alike(number, LITERAL)
        return Shown(number, nearly, made, old, new, style, optimised, overflows)


def _is_alike(old: Record, new: Record) -> bool:
    return old[0] == new[0] and not (old[1] | new[1]) & _UNCOMPARED


def _turned(
    old: Sequence[Record], new: Sequence[Record], seen: Counter[tuple[str, int]], style: str
) -> list[int]:
    """The inputs that differ: one of each kind, then the next of each; few of one kind in all."""
    found: list[tuple[int, int]] = []
    for place, (before, after) in enumerate(zip(old, new, strict=True)):
        if before[0] == after[0] or (before[1] | after[1]) & _UNCOMPARED:
            continue
        kind = style, before[2] | after[2]
        if seen[kind] < MOST_REFUSED:
            found.append((seen[kind], place))
            seen[kind] += 1
    return [place for _, place in sorted(found)]
