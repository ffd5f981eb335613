"""One unit of work: a pair, a fault, two runs of csgtest, and what is wrong with them.

    outcome = tried(UnitName("functions", "cache-flipped", 1234), cache, Path("failures"))
    outcome.verdicts        ("different", "different")
    outcome.complaints      ()

The first run stands under the fault, the second under none, with the other solver and some option
that changes no verdict; it takes the place of the first, so that it has to do with what that left.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random

from benchmarks.soak import tampering
from benchmarks.soak.faults import FAULTS, Expects, Unit
from benchmarks.soak.judging import Opinion, agree, judged
from benchmarks.soak.process import Conditions, Done, Endless, Place, adopt, run
from benchmarks.soak.subjects import GENERATORS, Subject, made
from csg.records import record

TIME = "20"
OTHERWISE = (
    (),
    ("--no-native",),
    ("--no-prune",),
    ("--mode", "undirected"),
    ("--mode", "isolated"),
    ("--mode", "published"),
    ("--deterministic", "--time", "3"),
    ("--diff", "lines"),
    ("--interactions", "all"),
    ("--without", "all"),
)


@record
class UnitName:
    generator: str
    fault: str
    seed: int

    def __str__(self) -> str:
        return f"{self.generator}:{self.fault}:{self.seed}"


def named(text: str) -> UnitName:
    """ValueError for what is no name of a unit."""
    generator, fault, seed = text.split(":")
    if generator not in GENERATORS or fault not in FAULTS:
        raise ValueError(text)
    return UnitName(generator, fault, int(seed))


@record
class Outcome:
    """``verdicts`` of both runs; ``left_out``: why there were none. ``inputs`` were tried natively,
    ``checks`` were made in all."""

    unit: str
    verdicts: tuple[str, ...] = ()
    inputs: int = 0
    checks: int = 0
    missed: int = 0
    complaints: tuple[str, ...] = ()
    left_out: str = ""
    seconds: float = 0.0
    cpu: float = 0.0


def tried(name: UnitName, cache: Path, failures: Path) -> Outcome:
    """``cache`` is nobody else's while this runs. A unit that fails leaves a folder of its name
    with the programs, what was said, and how to repeat it."""
    adopt()
    random = Random(str(name))
    with (
        tempfile.TemporaryDirectory(prefix="soak-") as scratch,
        tempfile.TemporaryDirectory(prefix="soak-native-") as natively,
    ):
        Path(scratch).chmod(0o755)
        place = Place(Path(scratch) / "unit", cache)
        place.folder.mkdir()
        subject = made(name.generator, random, Path(natively))
        session = _Session(name, place, subject, random)
        try:
            session.both()
        except Endless as trouble:
            session.complaints.append(str(trouble))
        if session.complaints:
            _kept(session, failures / str(name).replace(":", "-"))
        truth = subject.truth
        return Outcome(
            str(name),
            tuple(each.verdict for each in session.opinions),
            truth.tried,
            sum(each.checks for each in session.opinions),
            sum(each.missed for each in session.opinions),
            tuple(session.complaints),
            seconds=round(sum(each.seconds for each in session.runs), 1),
            cpu=round(sum(each.cpu for each in session.runs), 1),
        )


class _Session:
    """Both runs of a unit."""

    def __init__(self, name: UnitName, place: Place, subject: Subject, random: Random) -> None:
        self.name = name
        self.place = place
        self.subject = subject
        self.random = random
        self.runs: list[Done] = []
        self.calls: list[str] = []
        self.opinions: list[Opinion] = []
        self.complaints: list[str] = []

    def both(self) -> None:
        fault = FAULTS[self.name.fault]
        unit = Unit(self.place, self.subject, self.random)
        for folder in (self.place.temporary, self.place.folder / "home"):
            folder.mkdir()
        self._write()
        if not (self.place.cache / "csgtest").is_dir():  # faults of the cache need one
            run(self._words("--time", "2"), self.place, Conditions(), self.random)
        with fault.inject(unit):
            self._write()
            words = self._words(*unit.words)
            self._judge(words, unit, unit.conditions, fault.expects)
        self.complaints += unit.complaints
        again = Conditions()
        otherwise = self.random.choice(OTHERWISE)
        words = self._words("--solver", "z3", *otherwise)
        if "--time" in unit.words:  # a program that never ends, or a budget
            words += ["--time", "8"]
        self._forget()
        expects = Expects.HONEST if fault.expects is Expects.HONEST and _lasts(unit) else (
            Expects.RIGHT)  # fmt: skip
        self._judge(words, unit, again, expects)
        if len(self.opinions) == 2:
            self.complaints += agree(*self.opinions)
        if self.name.fault == "none":
            self.complaints += tampering.complaints(self.place, self.runs[-1], self.random)

    def _words(self, *more: str) -> list[str]:
        return ["build", "old.c", "new.c", *self.subject.words, "--time", TIME, *more]

    def _write(self) -> None:
        for name, text in self.subject.files.items():
            file = self.place.folder / name
            data = text.encode("utf-8", "surrogateescape")
            if not file.exists() or file.read_bytes() != data:
                file.write_bytes(data)

    def _forget(self) -> None:
        """What the fault has made for itself; what the run has left stays."""
        for each in self.place.folder.glob("tmp.*"):
            with suppress(OSError):
                each.unlink() if not each.is_dir() or each.is_symlink() else shutil.rmtree(each)

    def _judge(
        self, words: list[str], unit: Unit, conditions: Conditions, expects: Expects
    ) -> None:
        self.calls.append(shlex.join([*conditions.prefix, "csgtest", *words]))
        done = run(words, self.place, conditions, self.random)
        opinion = judged(done, self.subject.truth, expects, unit.unjudged, unit.must_not_appear)
        self.runs.append(done)
        self.opinions.append(opinion)
        number = len(self.runs)
        self.complaints += (f"run {number}: {each}" for each in opinion.complaints)
        if opinion.complaints and self.place.out.is_dir():
            copy = self.place.folder / f"given-{number}"
            shutil.copytree(self.place.out, copy, symlinks=True)


def _lasts(unit: Unit) -> bool:
    """The fault is in the programs: the second run has to do with it as well."""
    return unit.unjudged or "--time" in unit.words or bool(unit.subject.entered)


def _kept(session: _Session, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in session.subject.files.items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    for each in session.place.folder.glob("given-*"):
        shutil.copytree(each, folder / each.name.replace("given", "out"), symlinks=True)
    lines = [f"python -m benchmarks.soak --only {session.name}", *session.calls, ""]
    lines += session.complaints
    for done in session.runs:
        lines += ["", f"exit code {done.code}, {done.seconds:.1f} s", done.out, done.err]
    (folder / "README").write_text("\n".join(lines), errors="backslashreplace")
