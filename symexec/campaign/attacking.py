"""Attack a verdict before it is printed: what a native run shows beyond the search is a test.

    attacking = Attacking(unified, entry, signature, replay, options, ...)
    for case in attacking.cases(deadline):      a0001: the versions differ, found by the attack
        ...
    attacking.omissions, attacking.facts()

A test is replayed, classified and explained as all others are. What no test can say comes with a C
program (``TestCase.witness``). A difference that may need an object which no caller can make is no
test: it is an omission, and withdraws "equivalent".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from csg.analysis.several import record_key
from csg.errors import CsgtestError, ToolchainError
from csg.language.syntax import (
    Assign,
    CompoundAssign,
    FunctionDefinition,
    Increment,
    Member,
)
from csg.language.traversal import walk
from csg.language.types import Function, Pointer, Record
from csg.unify import Unified
from symexec.attack import SOURCE
from symexec.attack.command_lines import LineAttack, ShownLine, bounds_of
from symexec.attack.drivers import drivers, has_restrict, visible_objects
from symexec.attack.functions import WORDS, FunctionAttack, Shown, Unusual
from symexec.attack.shapes import Unsupported, records_in
from symexec.attack.witness import call_text, witness
from symexec.attack.words import words_of
from symexec.exploration.nameless import public_names
from symexec.ledger import Omission, Reason
from symexec.options import BuildOptions
from symexec.replay import NativeReplay, Pair
from symexec.testcases import (
    Blame,
    DifferenceKind,
    EntrySignature,
    Observation,
    Observed,
    TestCase,
    TestInput,
)
from symexec.testcases.inputs import Json, LongDouble, Value
from symexec.triage import Patience, by_chance, examine
from symexec.triage.classification import classify, differing_parts
from symexec.triage.undefined import shown_by_plain_builds

SERIES = "a"
COUNTED = 2000  # inputs of a function in a deterministic run, for each build
COUNTED_LINES = 320  # command lines
RUNS, EXPLAINING_S = 128, 3.0  # runs and seconds to explain what it has shown
NO_BLAME = "the program with all changes is not run on such an input"
BEYOND = "the search called the versions alike on this input"


@dataclass(slots=True)
class Attacking:
    """``admits``: do the ranges, assumptions and preconditions of the report hold for a test?
    ``clock`` None: a deterministic run, of a fixed number of inputs."""

    unified: Unified
    entry: FunctionDefinition
    signature: EntrySignature | None
    replay: NativeReplay
    options: BuildOptions
    changes: list[int]
    requires: Mapping[int, frozenset[int]]
    may_be_null: frozenset[str] = frozenset()
    admits: Callable[[TestInput], bool] = lambda test: True
    omissions: dict[Omission, None] = field(default_factory=dict)
    _attack: FunctionAttack | LineAttack | None = None
    _numbers: int = 0
    _took: float = 0.0
    _varies: bool = False  # did what was replayed last differ from itself?
    _reason: str = ""  # why nothing was tried

    def begin(self) -> None:
        """Begin to compile, once."""
        if self._attack is not None or self._reason:
            return
        units = (self.unified.old, self.unified.new, *self.unified.shared)
        words = words_of(units)
        seed = self.options.search.seed
        counted = self.options.search.deterministic
        if self.signature is None:
            bounds = bounds_of(self.options.inputs, bool(self.entry.parameters))
            count = COUNTED_LINES if counted else None
            self._attack = LineAttack(self.replay, words, bounds, seed, count)
        else:
            try:
                made = drivers(
                    self.entry,
                    visible_objects(self.unified),
                    words,
                    self.options.inputs,
                    self.may_be_null,
                    has_restrict(self.unified, self.entry),
                )
            except Unsupported as error:
                self._reason = str(error)
                return
            self._attack = FunctionAttack(
                self.replay,
                made,
                self.signature,
                seed,
                public_names((self.unified.old, self.unified.new, *self.unified.shared)),
                COUNTED if counted else None,
            )
        self._attack.begin()

    def wait(self) -> None:
        """Wait until it can begin."""
        self.begin()
        try:
            if self._attack is not None:
                self._attack.wait()
        except ToolchainError as error:
            self._reason, self._attack = error.message, None

    def cases(self, goes_on: Callable[[], bool]) -> Iterator[TestCase]:
        """What it finds while ``goes_on``; at most one test for each way in which it differs."""
        self.wait()
        if self._attack is None:
            return
        began = time.monotonic()
        try:
            for shown in self._attack.shown(goes_on):
                case = self._line(shown) if isinstance(shown, ShownLine) else self._call(shown)
                if case is not None:
                    yield case
                    return
        except CsgtestError as error:
            self._reason = error.message
        finally:
            self._took += time.monotonic() - began

    def facts(self) -> dict[str, Json]:
        """For the report: inputs tried, seconds, whether these were all."""
        attack = self._attack
        if attack is None:
            return {"inputs": 0, "seconds": 0.0, "all": False, "reason": self._reason}
        found: dict[str, Json] = {
            "inputs": attack.tried,
            "alike": attack.alike,
            "seconds": round(self._took, 2),
            "all": attack.whole,
        }
        if attack.refused:
            found["varying"] = attack.refused
        if attack.cut_off:
            found["cut_off"] = attack.cut_off
        if self._reason or attack.failure:
            found["reason"] = self._reason or attack.failure
        return found

    # ------------------------------------------------------------------------ of a program

    def _line(self, shown: ShownLine) -> TestCase | None:
        case = self._replayed(shown.test)
        if case is not None or self._varies:
            return case
        alike = TestCase(self._name(), shown.test, source=SOURCE)
        seen = Pair(shown.old, shown.new)
        return self._plainly(alike) or self._naturally(alike, seen, shown.style)

    def _replayed(self, test: TestInput) -> TestCase | None:
        """The test as all others; None where the builds of replay show no difference."""
        case = TestCase(self._name(), test, source=SOURCE)
        patience = Patience(RUNS, time.monotonic() + EXPLAINING_S)
        found = examine(case, self.replay, self.changes, self.requires, patience)
        self._varies = found.kind is DifferenceKind.NONDETERMINISTIC
        if found.observed is not Observed.DIFFERENT:
            return None
        self._note(f"{BEYOND}: {_shown(test)}")
        return by_chance(found, self.replay)

    def _plainly(self, case: TestCase) -> TestCase | None:
        """What plain builds show of undefined behaviour."""
        for found in shown_by_plain_builds([case], self.replay):
            self._note(f"{BEYOND}: {_shown(case.input)}")
            return found
        return None

    def _naturally(self, case: TestCase, pair: Pair, style: str) -> TestCase | None:
        """What builds without anything of csgtest's show, at whatever level of optimisation."""
        verdict = classify(pair)
        note = (
            f"shown by {style.replace('natural', 'gcc ')}, as everybody builds: "
            "output waits in a buffer, and overflow is undefined"
        )
        observed, kind = verdict.observed, verdict.kind
        if observed is not Observed.DIFFERENT:  # both were cut off, and have written other things
            observed, kind = Observed.DIFFERENT, DifferenceKind.DIFFERENCE
        found = replace(
            case, old=pair.old, new=pair.new, observed=observed, kind=kind, notes=(note,)
        )
        found = by_chance(found, self.replay)
        if style.endswith("O2"):
            undefined = found.kind is DifferenceKind.UNDEFINED
            self._note(f"gcc -O2 alone shows a difference: {_shown(case.input)}")
            return found if undefined else None
        self._note(f"{BEYOND}: {_shown(case.input)}")
        return found

    # ----------------------------------------------------------------------- of a function

    def _call(self, shown: Shown) -> TestCase | None:
        test, nearly = shown.test, shown.nearly
        if Unusual.NULLS in shown.unusual:
            return None  # the report says that callers do not pass it
        if nearly is not None and self._excludes(nearly):
            return None
        if test is not None:
            case = self._replayed(test)
            if case is not None:
                return case
            if self._varies:
                return None
        if shown.optimised:
            return self._judge_optimised(shown)
        if shown.one_fails or not self._anybody_can_make(shown):
            self._doubt(shown)
            return None
        return self._witnessed(shown)

    def _excludes(self, test: TestInput) -> bool:
        return self.options.inputs.restricted and not self.admits(without_nan(test))

    def _judge_optimised(self, shown: Shown) -> TestCase | None:
        """What gcc makes of undefined behaviour where it optimises."""
        found = None
        if shown.test is not None:
            found = self._plainly(TestCase(self._name(), shown.test, source=SOURCE))
        if found is not None:
            return found
        self._note(f"gcc -O2 alone shows a difference where {unusual_words(shown.unusual)}")
        return None

    def _anybody_can_make(self, shown: Shown) -> bool:
        """Are the objects such that any caller can have them? The program's own functions may keep
        something true of structures that they fill, and of global objects."""
        if shown.unusual & (Unusual.GLOBALS | Unusual.NULLS):
            return False
        kinds = [each.type for each in self.entry.parameters]
        return made_here(self.unified, self.entry).isdisjoint(map(record_key, records_in(kinds)))

    def _doubt(self, shown: Shown) -> None:
        how = "one version ends with an error" if shown.one_fails else "the versions differ"
        self._note(
            f"natively {how} where {unusual_words(shown.unusual)}; "
            "whether a caller can bring that about is not known"
        )

    def _witnessed(self, shown: Shown) -> TestCase | None:
        old, new = shown.old.observation(), shown.new.observation()
        parts = differing_parts(old, new)
        if not parts:
            return None
        name = self._name()
        why = unusual_words(shown.unusual)
        case = TestCase(
            name,
            TestInput(shape=call_text(self.entry, shown.made, shown.unusual)),
            source=SOURCE,
            notes=(f"the C program with this input: tests/{name}.c ({why})",),
            witness=witness(self.entry, shown.made, shown.unusual, name, why),
        )
        verdict = classify(Pair(old, new))
        kind = DifferenceKind.UNDEFINED if shown.overflows else verdict.kind
        if shown.overflows:
            case = replace(case, notes=(*case.notes, "with -fwrapv the versions are alike"))
        self._note(f"{BEYOND}: {self.entry.symbol.name} where {why} (tests/{name}.c)")
        return replace(
            case,
            old=_short(old),
            new=_short(new),
            observed=verdict.observed,
            kind=kind,
            blame=Blame(complete=False, note=NO_BLAME),
        )

    def _name(self) -> str:
        self._numbers += 1
        return f"{SERIES}{self._numbers:04d}"

    def _note(self, text: str) -> None:
        self.omissions[Omission(Reason.ATTACKED, text, self.entry.location)] = None


def without_nan(test: TestInput) -> TestInput:
    """The input with 1 for NaN, which no condition on an input is about."""

    def known(value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(1.0 if _is_nan(each) else each for each in value)
        return 1.0 if _is_nan(value) else value

    return replace(test, parameters=tuple((name, known(value)) for name, value in test.parameters))


def _is_nan(value: Value) -> bool:
    return isinstance(value, LongDouble) and value.is_nan


def unusual_words(unusual: Unusual) -> str:
    found = [text for flag, text in WORDS.items() if flag in unusual]
    return " and ".join(found) or "objects hold values that the search did not try"


def made_here(unified: Unified, entry: FunctionDefinition) -> set[object]:
    """The structures whose members another function of the program sets, or that one returns."""
    found: set[object] = set()
    for unit in unified.units:
        for function in unit.functions:
            if function.symbol.name == entry.symbol.name or function.symbol.from_header:
                continue
            kind = function.symbol.type
            if isinstance(kind, Function):
                found |= {record_key(each) for each in records_in([kind.result])}
            for node in walk(function.body):
                match node:
                    case Assign(target=target) | CompoundAssign(target=target):
                        found |= _record_of(target)
                    case Increment(operand=target):
                        found |= _record_of(target)
    return found


def _record_of(target: object) -> set[object]:
    if not isinstance(target, Member):
        return set()
    kind = target.record.type
    while isinstance(kind, Pointer):
        kind = kind.target
    return {record_key(kind)} if isinstance(kind, Record) else set()


def _shown(test: TestInput) -> str:
    """An input in a few words."""
    parts = [f"{name}={value!r}" for name, value in test.parameters]
    parts += [repr(each) for each in test.args]
    parts += [f"stdin {test.stdin!r}"] if test.stdin else []
    parts += [f"file {name}" for name, _ in test.files]
    text = ", ".join(parts) or "no input"
    return text if len(text) < 200 else text[:197] + "..."


def _short(seen: Observation) -> Observation:
    memory = tuple(
        (name, value[:400] if isinstance(value, bytes) else value) for name, value in seen.memory
    )
    return replace(seen, memory=memory)
