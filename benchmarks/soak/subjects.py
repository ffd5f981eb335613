"""Random pairs of versions, and what they natively do, found out without csgtest.

subject = made("functions", Random(7), folder)
subject.words                      ("--entry", "f", "--range", "a=-3..4", ...)
subject.truth.differing            3: so many inputs within the bounds tell the versions apart
subject.truth.differs(test)        True, False, or None where C leaves it open
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Protocol

from benchmarks import fuzz
from csg.records import record
from generators import random_c
from generators.pairs.edits import edited
from generators.pairs.mains import main_program
from generators.pairs.programs import program
from generators.pairs.tree import Source
from oracles.equivalence import alike
from oracles.equivalence.pairs import Pair, pairs
from oracles.truth import Point, Ran, truth
from symexec.testcases import TestInput

FLAGS = ("-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-std=gnu11")
CHECKED = ("-fsanitize=address,bounds,null,integer-divide-by-zero", "-fno-sanitize-recover=all")
MOST = 2500  # command lines that are tried natively
MOST_OPEN = 3  # runs without an end, after which the others are left out
SECONDS = 5.0  # for a run
RANDOM_INPUTS = 20_000


class OutOfBounds(Exception):
    """A test that its own options exclude."""


class Truth(Protocol):
    """``complete``: every input within the bounds was tried; ``tried`` of them were, and
    ``differing`` tell the versions apart. None of those that C leaves open counts."""

    @property
    def complete(self) -> bool: ...

    @property
    def tried(self) -> int: ...

    @property
    def differing(self) -> int: ...

    def differs(self, test: TestInput) -> bool | None:
        """By a run of our own; None where that says nothing. OutOfBounds for a test that is not
        within the bounds."""

    def shown(self, test: TestInput) -> tuple[str, str] | None:
        """What either version returns on it, where that is known."""


@dataclass
class Subject:
    """``files`` by their names, old.c and new.c among them; ``words`` are options of ``build``;
    ``entered``: where a statement can be put that runs first, before whatever the entry does."""

    files: dict[str, str]
    words: tuple[str, ...]
    truth: Truth
    entry: str = "main"
    entered: str = ""


# ---------------------------------------------------------------------- functions of small numbers


@dataclass
class Grid:
    """Every point of the ranges. ``names``: what csgtest calls the numbers of a point."""

    points: Mapping[Point, tuple[Ran, Ran]]
    names: Sequence[str]
    returns: bool = True  # the result is that of the function itself
    complete: bool = True
    starts: bool = False  # globals start with other values: a call that writes none leaves others

    @property
    def tried(self) -> int:
        return len(self.points)

    @property
    def differing(self) -> int:
        return sum(self._differ(*each) is True for each in self.points.values())

    def differs(self, test: TestInput) -> bool | None:
        return self._differ(*self._ran(test))

    def _differ(self, was: Ran, now: Ran) -> bool | None:
        return None if self.starts and was == now else _differ(was, now)

    def shown(self, test: TestInput) -> tuple[str, str] | None:
        was, now = self._ran(test)
        if not self.returns or not all(re.fullmatch(r"-?\d.*", each.end) for each in (was, now)):
            return None
        return was.end.partition("=")[0], now.end.partition("=")[0]

    def without(self, first: int) -> Grid:
        """The same, but nobody knows what happens where the first number is this one."""
        left_open = Ran("oob", b"")
        points = {
            point: (left_open, left_open) if point[0] == first else both
            for point, both in self.points.items()
        }
        return replace(self, points=points)

    def _ran(self, test: TestInput) -> tuple[Ran, Ran]:
        values: dict[str, object] = {}
        for name, value in (*test.parameters, *test.globals):
            if isinstance(value, tuple):
                values |= {f"{name}[{at}]": each for at, each in enumerate(value)}
            values[name] = value
        try:
            return self.points[tuple(int(str(values[name])) for name in self.names)]
        except (KeyError, ValueError):
            raise OutOfBounds(f"{test} is no point of the grid") from None


def _differ(was: Ran, now: Ran) -> bool | None:
    """None: both do what C leaves undefined, or what they say of it may be worded otherwise, or
    what they leave in memory has another layout."""
    if was.crashed and now.crashed:
        return None
    if was != now:
        return True
    comparable = was.end != "assert" and len(was.left) == len(now.left)
    return was.left != now.left if comparable else None


@dataclass
class Nothing:
    """No word on any input: the versions may run for ever."""

    complete: bool = False
    tried: int = 0
    differing: int = 0

    def differs(self, test: TestInput) -> bool | None:
        return None

    def shown(self, test: TestInput) -> tuple[str, str] | None:
        return None


def functions(random: Random, folder: Path) -> Subject:
    """A function of two or three small integers, or of an array: generators/pairs."""
    return _bounded(program(random), random, folder)


def _bounded(old: Source, random: Random, folder: Path) -> Subject:
    """With an edit of it that is C: no case twice."""
    while True:
        new = edited(old, random)
        try:
            points = truth(old, new, folder)
            break
        except subprocess.CalledProcessError:
            continue
    words = ["--entry", "f", "--globals", "initial", "--array-len", str(old.buffer or 4)]
    for name, low, high in old.ranges:
        limit = f"{name} >= {low} && {name} <= {high}"
        words += ["--assume", limit] if "[" in name else ["--range", f"{name}={low}..{high}"]
    found: Truth = (
        Nothing()
        if points is None
        else Grid(points, [each for each, _, _ in old.ranges], starts=old.globals != new.globals)
    )
    return Subject(_pair(old.text, new.text), tuple(words), found, "f", "int v0")


def _pair(old: str, new: str) -> dict[str, str]:
    return {"old.c": old, "new.c": new}


@record
class Shape:
    """``text`` calls f; ``{call}`` is that call, ``{members}`` and ``{parameters}`` declare its
    parameters. ``input`` makes csgtest's name of an input of a parameter's name."""

    name: str
    text: str
    call: str = "{}"
    input: str = "{}"


SHAPES = (
    Shape(
        "a structure by value",
        "struct In {{ {members} }};\nlong top(struct In p)\n{{\n    return {call};\n}}\n",
        "p.{}",
        "p.{}",
    ),
    Shape(
        "a pointer to a structure",
        "struct In {{ {members} }};\nlong top(struct In *p)\n{{\n    return {call};\n}}\n",
        "p->{}",
        "p->{}",
    ),
    Shape(
        "the result in a global",
        "long total;\nvoid top({parameters})\n{{\n    total = {call};\n}}\n",
    ),
    Shape(
        "the result in a static object",
        "static struct {{ int calls; long last; }} kept;\nvoid top({parameters})\n{{\n"
        "    kept.calls++;\n    kept.last = {call};\n}}\n",
    ),
    Shape(
        "the result behind a pointer",
        "void top({parameters}, long *out)\n{{\n    *out = {call};\n}}\n",
    ),
    Shape(
        "the result in a structure",
        "struct Out {{ signed char low; long all; }};\nstruct Out top({parameters})\n{{\n"
        "    struct Out out = {{0, {call}}};\n    out.low = out.all;\n    return out;\n}}\n",
    ),
    Shape(
        "printed",
        'int top({parameters})\n{{\n    printf("%ld", (long) {call});\n    return 0;\n}}\n',
    ),
    Shape(
        "inputs in globals",
        "{globals}\nlong top(void)\n{{\n    return {call};\n}}\n",
        "in_{}",
        "in_{}",
    ),
    Shape(
        "by a pointer to the function",
        "long top({parameters})\n{{\n    {result} (*called)({parameters}) = f;\n"
        "    return (*called)({arguments});\n}}\n",
    ),
)


def shapes(random: Random, folder: Path) -> Subject:
    """The same behind structures, globals and pointers: what goes in and comes out has a shape."""
    old = program(random)
    while old.buffer:
        old = program(random)
    shape = random.choice(SHAPES)
    subject = _bounded(old, random, folder)
    given = old.entry.parameters
    words = ["--entry", "top", "--globals", "initial"]
    for name, low, high in old.ranges:
        known = shape.input.format(name)
        words += ["--range", f"{known}={low}..{high}"]
        words += ["--symbolic-global", known] if "in_" in shape.input else []
    arguments = ", ".join(shape.call.format(name) for _, name in given)
    text = shape.text.format(
        members=" ".join(f"{kind} {name};" for kind, name in given),
        globals="\n".join(f"{kind} in_{name};" for kind, name in given),
        parameters=", ".join(f"{kind} {name}" for kind, name in given),
        arguments=arguments,
        result=old.entry.result,
        call=f"f({arguments})",
    )
    if isinstance(subject.truth, Grid):
        names = [shape.input.format(name) for name in subject.truth.names]
        subject.truth = replace(subject.truth, names=names, returns=False)
    files = {name: content + text for name, content in subject.files.items()}
    return Subject(files, tuple(words), subject.truth, "top", "int v0")


# ---------------------------------------------------------------------- programs


@record
class Line:
    """A command line."""

    arguments: tuple[bytes, ...] = ()
    stdin: bytes = b""


Shown = tuple[int, bytes, bytes]  # exit status or minus the signal, standard output and error
# Memory that a program has not freed at its end is no difference unless it is asked for.
_ENVIRONMENT = {"LC_ALL": "C", "ASAN_OPTIONS": "detect_leaks=0"}
_PLACE = re.compile(rb"[^\s:'\"]+\.[ch]\w*:\d+(:\d+)?(?=:)")
_ERROR = re.compile(rb"(AddressSanitizer: [\w-]+|runtime error: [^\n]*)")


def compiled(text: str, folder: Path, name: str, checked: bool) -> Path | None:
    """None where gcc refuses it."""
    (folder / f"{name}.c").write_text(text, errors="surrogateescape")
    target = folder / f"{name}{'-checked' if checked else ''}"
    flags = (*FLAGS, *(CHECKED if checked else ("-static",)))
    command = ["gcc", *flags, "-o", str(target), f"{name}.c", "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    return target if done.returncode == 0 else None


def ran(binary: Path, line: Line) -> Shown | None:
    """In an empty folder; None where it does not end in time."""
    before = Path.cwd()
    files = [open(os.memfd_create(name), "r+b") for name in ("in", "out", "err")]  # noqa: SIM115
    try:
        files[0].write(line.stdin)
        files[0].seek(0)
        with tempfile.TemporaryDirectory() as empty:
            os.chdir(empty)
            actions = [(os.POSIX_SPAWN_DUP2, each.fileno(), at) for at, each in enumerate(files)]
            words = [b"program", *line.arguments]
            child = os.posix_spawn(binary, words, _ENVIRONMENT, file_actions=actions)
            code = _ended(child)
        out, err = (os.pread(each.fileno(), 1 << 20, 0) for each in files[1:])
    finally:
        os.chdir(before)
        for each in files:
            each.close()
    errors = _ERROR.findall(err)
    if code is None:
        return None
    return code, out, errors[0] if errors else _PLACE.sub(b"PLACE", err)


def _ended(child: int) -> int | None:
    """It is killed after ``SECONDS``."""

    def late(number: int, frame: object) -> None:
        os.kill(child, signal.SIGKILL)

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        _, status = os.waitpid(child, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    code = os.waitstatus_to_exitcode(status)
    return None if code == -signal.SIGKILL else code


@dataclass
class Lines:
    """Both programs natively on all of a list of command lines, and on those that are asked for."""

    texts: tuple[str, str]
    folder: Path
    within: Callable[[Line], bool] = lambda line: True
    complete: bool = False
    tried: int = 0
    differing: int = 0
    _built: dict[tuple[str, bool], Path | None] = field(default_factory=dict)

    def try_all(self, lines: Iterable[Line], complete: bool) -> None:
        open_ends = 0
        for line in lines:
            found = self._differ(line, checked=False)
            open_ends += found is None
            self.tried += 1
            self.differing += found is True
            if open_ends > MOST_OPEN:
                return
        self.complete = complete

    def differs(self, test: TestInput) -> bool | None:
        """Builds without checks are asked first, then those with sanitizers."""
        if test.files or test.parameters:
            return None
        line = Line(tuple(test.args), test.stdin)
        if not self.within(line):
            raise OutOfBounds(f"{line} is not within the bounds")
        return self._differ(line, checked=False) or self._differ(line, checked=True)

    def shown(self, test: TestInput) -> tuple[str, str] | None:
        return None

    def _differ(self, line: Line, checked: bool) -> bool | None:
        """None where a version never ends or, as one that prints uninitialised memory, differs
        from itself."""
        found = self._run(line, checked)
        if found is None or found[0] == found[1]:
            return None if found is None else False
        return True if self._run(line, checked) == found else None

    def _run(self, line: Line, checked: bool) -> list[Shown] | None:
        found: list[Shown] = []
        for name, text in zip(("old", "new"), self.texts, strict=True):
            if (name, checked) not in self._built:
                self._built[name, checked] = compiled(text, self.folder, name, checked)
            binary = self._built[name, checked]
            shown = ran(binary, line) if binary else None
            if shown is None:
                return None
            found.append(shown)
        return found


def _bytes() -> list[bytes]:
    return [bytes([each]) for each in range(1, 256)]


@record
class Bounds:
    """``--sym-args least most length --sym-stdin stdin``."""

    least: int
    most: int
    length: int
    stdin: int

    @property
    def words(self) -> tuple[str, ...]:
        counts = map(str, (self.least, self.most, self.length))
        return ("--sym-args", *counts, "--sym-stdin", str(self.stdin))

    def within(self, line: Line) -> bool:
        sizes = [len(each) for each in line.arguments]
        fits = self.least <= len(sizes) <= self.most and max(sizes, default=0) <= self.length
        return fits and len(line.stdin) <= self.stdin

    def all(self) -> list[Line] | None:
        """None when there are too many."""
        if self.length * self.most > 1 or self.stdin > 1 or (self.most and self.stdin):
            return None
        arguments = [b"", *_bytes()] if self.length else [b""]
        found = [Line()] if self.least == 0 else []
        found += [Line((each,)) for each in arguments] if self.most else []
        return found + [Line((), bytes([each])) for each in range(256) if self.stdin]

    def some(self, random: Random) -> list[Line]:
        """Ordinary bytes are drawn more often."""

        def text(most: int, ending: bytes) -> bytes:
            usual = b"-n0179 az\n"
            drawn = (random.choice(usual) if random.random() < 0.7 else random.randrange(256)
                     for _ in range(random.randint(0, most)))  # fmt: skip
            return bytes(drawn).split(ending)[0] if ending else bytes(drawn)

        def line() -> Line:
            count = random.randint(self.least, self.most)
            words = tuple(text(self.length, b"\0") for _ in range(count))
            return Line(words, text(self.stdin, b""))

        return [line() for _ in range(MOST)]


BOUNDS = (
    Bounds(0, 1, 1, 0),
    Bounds(0, 1, 1, 0),
    Bounds(1, 1, 1, 0),
    Bounds(0, 0, 0, 1),
    Bounds(0, 1, 1, 1),
    Bounds(0, 1, 2, 1),
    Bounds(0, 2, 1, 0),
)


def programs(random: Random, folder: Path) -> Subject:
    """``main`` with words and standard input: generators/pairs/mains."""
    old = main_program(random)
    new = edited(old, random)
    return _lines(old.text, new.text, random.choice(BOUNDS), random, folder, "int a")


def _lines(
    old: str, new: str, bounds: Bounds, random: Random, folder: Path, entered: str
) -> Subject:
    found = Lines((old, new), folder, bounds.within)
    every = bounds.all()
    found.try_all(every or bounds.some(random), every is not None)
    return Subject(_pair(old, new), bounds.words, found, "main", entered)


def language(random: Random, folder: Path) -> Subject:
    """Whole programs without input, about every part of the language: generators/random_c."""
    seed = random.randrange(1 << 30)
    mutation = random.choice((seed, seed + 1, None))
    old, new = random_c.program(seed), random_c.program(seed, mutation)
    found = Lines((old, new), folder, Bounds(0, 0, 0, 0).within)
    found.try_all([Line()], True)
    return Subject(_pair(old, new), Bounds(0, 0, 0, 0).words, found)


# ---------------------------------------------------------------------- written by hand, edited


@dataclass
class Drawn:
    """Random inputs of oracles/equivalence/alike.py: they can tell versions apart, and prove
    nothing, but for ``known`` pairs, of which it is known that no input does."""

    tried: int
    differing: int
    known: bool = False

    @property
    def complete(self) -> bool:
        return self.known

    def differs(self, test: TestInput) -> bool | None:
        return False if self.known else None

    def shown(self, test: TestInput) -> tuple[str, str] | None:
        return None


def edits(random: Random, folder: Path) -> Subject:
    """The pairs of oracles/equivalence: as they are, their near-misses, and edited at random."""
    pair = random.choice(pairs())
    old, new = pair.old.read_text(), pair.new.read_text()
    kind = random.choice(("alike", "near", "edited", "edited"))
    if kind == "near":
        new = new.replace(*pair.near)
    if kind == "edited":
        new = _edited(new, random, folder)
    words = ("--entry", pair.entry, *pair.options)
    return Subject(_pair(old, new), words, _drawn(pair, old, new, kind == "alike", folder))


def _edited(text: str, random: Random, folder: Path) -> str:
    """Something that gcc takes: the text itself, if nothing else is found soon."""
    for _ in range(10):
        new = text
        for _ in range(random.choice((1, 1, 2))):
            new = fuzz.edited(new, random)
        file = folder / "edited.c"
        file.write_text(new, errors="surrogateescape")
        command = ["gcc", *FLAGS, "-fsyntax-only", str(file)]
        whole = re.search(r"\bmain\s*\(", new) is not None
        if whole and subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return new
    return text


def _drawn(pair: Pair, old: str, new: str, known: bool, folder: Path) -> Truth:
    files = []
    for name, text in (("old", old), ("new", new)):
        files.append(folder / f"drawn-{name}.c")
        files[-1].write_text(text)
    try:
        count, seen = alike.tried(pair, files[0], files[1], folder, RANDOM_INPUTS)
    except (AssertionError, subprocess.TimeoutExpired):  # it fails or runs for ever somewhere
        return Drawn(0, 0, known)
    return Drawn(count, int(seen is not None), known)


def samples(random: Random, folder: Path) -> Subject:
    """Programs of the samples and tests, edited at random: mostly C still."""
    # Files of several, and what cannot be told apart: a constructor that one version alone has.
    odd = ('#include "', "constructor", "destructor")
    whole = [text for text in fuzz.programs() if not any(word in text for word in odd)]
    texts = [text for text in whole if re.search(r"\bmain\s*\(", text)]
    old = random.choice(texts)
    new = _edited(old, random, folder)
    bounds = random.choice(BOUNDS)
    takes_none = re.search(r"\bmain\s*\(\s*(void)?\s*\)", old) is not None
    within = Bounds(0, 0, 0, bounds.stdin).within if takes_none else bounds.within
    found = Lines((old, new), folder, within)
    found.try_all(bounds.some(random)[:200], False)
    return Subject(_pair(old, new), bounds.words, found)


GENERATORS: Mapping[str, Callable[[Random, Path], Subject]] = {
    "functions": functions,
    "shapes": shapes,
    "programs": programs,
    "language": language,
    "edits": edits,
    "samples": samples,
}


def made(generator: str, random: Random, folder: Path) -> Subject:
    """The pair and its truth; ``folder`` is for what finding that out takes."""
    return GENERATORS[generator](random, folder)


def command(subject: Subject) -> str:
    return shlex.join(["csgtest", "build", "old.c", "new.c", *subject.words])


__all__ = ["GENERATORS", "Bounds", "Grid", "Line", "Lines", "OutOfBounds", "Subject", "Truth",
           "command", "made"]  # fmt: skip
