"""One test: an input, where the versions diverge on it, what both showed, and who is to blame."""

from __future__ import annotations

import hashlib
from dataclasses import field
from enum import StrEnum

from csg.errors import UsageError
from csg.records import record
from symexec.state.endings import EndingKind
from symexec.state.state import DivergenceKind
from symexec.testcases.inputs import (
    Json,
    TestInput,
    Value,
    bytes_from_json,
    bytes_to_json,
    input_from_json,
    input_to_json,
    member_from_json,
    value_from_json,
    value_to_json,
)

# ------------------------------------------------------------------------------------ observation
# All that a native run shows, as a record and as report.json has it.
#
#     {"exit": 0, "signal": null, "stdout": "1\n", "stderr": "", "returned": "1", "sanitizer": null}
#
# ``memory`` (arrays and globals after the call), ``files`` (what the run wrote), ``timed_out``,
# ``untold`` and ``leaks`` (with ``--leaks``) stand there only when there is something to say.


MOST_STORED = 64 * 1024  # bytes of one stream
OVERDRAWN = "stopped: its processes fill more memory than a run may have"  # an observation's report
NOT_CALLED = "the process ended before the function was called"
NOT_HEARD = "the program closed or overwrote the descriptor that tells how the call ended"


@record
class Observation:
    """What a native run shows. ``exit`` is None when a signal ended the run. ``signal`` is a name
    (``SIGSEGV``), ``sanitizer`` a kind (``heap-buffer-overflow``) with ``report`` its full text,
    ``returned`` the entry function's value as C would print it, a text as its literal (``void``
    when it has none, ``null``, ``pointer`` or ``structure``).
    ``private``: the names in ``memory`` of objects that no caller can look at. ``untold``: why the
    run says nothing of the call of the entry function (NOT_CALLED, NOT_HEARD); "" where it does.
    """

    exit: int | None = None
    signal: str | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    returned: str | None = None
    sanitizer: str | None = None
    timed_out: bool = False
    memory: tuple[tuple[str, Value], ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    report: str = ""
    leaks: int | None = None  # objects lost at the end; None: nobody looked
    untold: str = ""
    private: frozenset[str] = field(default=frozenset(), compare=False)
    cpu_s: float | None = field(
        default=None, compare=False
    )  # processor time; at least the limit, when cut off

    @property
    def seen_memory(self) -> tuple[tuple[str, Value], ...]:
        """What is left in objects that a caller can look at."""
        return tuple(each for each in self.memory if each[0] not in self.private)

    @property
    def state(self) -> tuple[tuple[str, Value], ...]:
        """What is left in objects that only later calls can look at."""
        return tuple(each for each in self.memory if each[0] in self.private)

    @property
    def failed(self) -> bool:
        """Did the run end as no program should: by a signal, by a sanitizer, or not at all?"""
        return self.signal is not None or self.sanitizer is not None or self.timed_out


def clipped(data: bytes, total: int, rest: int = 0, allocated: int | None = None) -> bytes:
    """``data`` when it is short; else its beginning, and a mark that differs when the rest does
    (``rest`` is a checksum of it) or when the file takes another number of bytes on its disk."""
    if total <= MOST_STORED and len(data) == total:
        return data
    digest = hashlib.sha256(data + rest.to_bytes(8, "little")).hexdigest()[:16]
    holes = f", {allocated} of them allocated" if allocated not in (None, total) else ""
    text = f"\n[csgtest: {total} bytes in all{holes}, {digest}]\n"
    return data[:MOST_STORED] + text.encode()


def observation_to_json(seen: Observation) -> Json:
    result: dict[str, Json] = {
        "exit": seen.exit,
        "signal": seen.signal,
        "stdout": bytes_to_json(seen.stdout),
        "stderr": bytes_to_json(seen.stderr),
        "returned": seen.returned,
        "sanitizer": seen.sanitizer,
    }
    if seen.timed_out:
        result["timed_out"] = True
        if seen.cpu_s is not None:
            result["cpu_s"] = round(seen.cpu_s, 1)
    if seen.memory:
        result["memory"] = {name: value_to_json(value) for name, value in seen.memory}
    if seen.files:
        result["files"] = {name: bytes_to_json(data) for name, data in seen.files}
    if seen.report:
        result["report"] = seen.report
    if seen.leaks is not None:
        result["leaks"] = seen.leaks
    if seen.untold:
        result["untold"] = seen.untold
    if seen.private:
        result["private"] = sorted(seen.private)
    return result


def observation_from_json(value: Json) -> Observation:
    memory = value.get("memory", {})
    files = value.get("files", {})
    return Observation(
        exit=value.get("exit"),
        signal=value.get("signal"),
        stdout=bytes_from_json(value.get("stdout", "")),
        stderr=bytes_from_json(value.get("stderr", "")),
        returned=value.get("returned"),
        sanitizer=value.get("sanitizer"),
        timed_out=bool(value.get("timed_out", False)),
        memory=tuple((name, value_from_json(part)) for name, part in memory.items()),
        files=tuple((name, bytes_from_json(data)) for name, data in files.items()),
        report=str(value.get("report", "")),
        leaks=value.get("leaks"),
        untold=str(value.get("untold", "")),
        private=frozenset(map(str, value.get("private", ()))),
        cpu_s=value.get("cpu_s"),
    )


# --------------------------------------------------------------------------------------- testcase
# One test: an input, where the versions diverge on it, what both showed, and who is to blame.
#
# It is an element of report.json's ``tests``; ``to_json`` and ``from_json`` are inverse.


# How notes begin.
MASKED = "not compared, as it varies between runs of one version"
ALL_OF_IT = "how it ends"
APART = "varies between runs, and no run of a version shows what one of the other shows"
UNTOLD = "not compared, as native runs show nothing of the call"

Changes = tuple[int, ...]  # ids, ascending


@record
class Divergence:
    """Where the search saw the versions diverge. ``directions`` is
    diff-true or diff-false (the way of the new version) for control."""

    kind: DivergenceKind
    file: str
    line: int
    directions: str = ""


@record
class Blame:
    """Which changes bring a difference about (``symexec.triage.blame`` finds out).

    ``minimal``: every smallest set of changes that makes it appear, best first. ``blamed`` is the
    first of them. ``reproducing``: the smallest set seen to give exactly what the new version
    showed. ``complete``: no set was left out for want of time. ``note``: why there is no answer.
    ``generators``: of each minimal set those that no other member requires; empty where these are
    all. ``ended``: runs or time were used up before ``blamed`` was known to be smallest.
    """

    minimal: tuple[Changes, ...] = ()
    reproducing: Changes = ()
    complete: bool = True
    runs: int = 0
    note: str = ""
    generators: tuple[Changes, ...] = ()
    ended: bool = False

    @property
    def blamed(self) -> Changes:
        return self.minimal[0] if self.minimal else ()

    @property
    def interaction(self) -> bool:
        """Does no single change, with the changes that it requires, bring the difference about, so
        that several have to come together?"""
        sets = self.generators or self.minimal
        return bool(sets) and all(len(changes) > 1 for changes in sets)


class DifferenceKind(StrEnum):
    """What a replayed input shows of two versions; report.json's ``class``."""

    HANG = "hang"  # new does not end (Course.REPEATS, FAR), old did and did not fail
    HANG_FIX = "hang-fix"  # the other way round
    REGRESSION = "regression"  # new fails (crash, sanitizer, assertion), old did not
    FIX = "fix"  # the other way round
    DIFFERENCE = "difference"  # both end, and show something else
    SLOWER = "slower"  # they do the same, but one takes far longer
    UNDECIDED = "undecided"  # one was cut off, and nobody had the time to see whether it ends
    LEAK = "leak"  # both end alike, but new loses more of the heap (--leaks)
    LEAK_FIX = "leak-fix"  # the other way round
    UNDEFINED = "undefined"  # plain gcc shows it not: undefined behaviour (undefined.py)
    STDERR_ONLY = "stderr-only"
    INTERNAL_STATE = "internal-state"  # only static objects differ that later calls alone may read
    HELP_TEXT = "help-text"  # only the wording of help, version or usage text (wording.py)
    PATH_ONLY = "path-only"  # the search saw a divergence, nobody outside can
    NONDETERMINISTIC = "nondeterministic"  # a version differs from itself, and not from the other
    BOTH_FAIL = "both-fail-differently"
    TIMEOUT = "timeout"  # neither ends in time: nothing can be said
    INCOMPLETE_FIX = "incomplete-fix"  # with a golden version: both are wrong, each in its way
    PROGRESSION = "progression"  # with a golden version: old is wrong, new does what is intended

    @property
    def is_behaviour(self) -> bool:
        """Does a difference of this class show that the versions behave differently? Not where one
        is slower, or was cut off and may end, or where only what is hidden in the program
        differs."""
        return self.is_difference and self not in (
            DifferenceKind.SLOWER,
            DifferenceKind.UNDECIDED,
            DifferenceKind.INTERNAL_STATE,
        )

    @property
    def is_difference(self) -> bool:
        return self not in (
            DifferenceKind.PATH_ONLY,
            DifferenceKind.NONDETERMINISTIC,
            DifferenceKind.TIMEOUT,
        )


class Observed(StrEnum):
    """Whether two native runs of one input showed the same; report.json's ``observed``."""

    DIFFERENT = "different"
    SAME = "same"
    NOT_REPLAYED = "not-replayed"


@record
class TestCase:
    """One test. ``kind``, or ``ending`` where there is but one program, is report.json's
    ``class``."""

    id: str
    input: TestInput
    sequence: tuple[str, ...] = ()
    divergence: Divergence | None = None
    old: Observation | None = None
    new: Observation | None = None
    golden: Observation | None = None
    predicted: Observation | None = None  # what the engine says of one program alone
    observed: Observed = Observed.NOT_REPLAYED
    kind: DifferenceKind | None = None
    ending: EndingKind | None = None  # of one program alone: how the path ends
    error: str = ""  # with a golden version: regression, differential or empty
    blame: Blame | None = None
    found_s: float = 0.0
    source: str = ""  # its source: search, seed, native, ...
    notes: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()  # places of undefined behaviour, and what plain builds show
    uninitialised: bool = False  # a version is predicted to use uninitialised memory
    endless: bool = False  # it is proved that a version repeats itself for ever
    fault: str = ""  # the error of memory that one version alone is predicted to end with
    refused: str = ""  # why it does not differ natively, although that is predicted
    accounted: bool = False  # changes that were accepted before show all that it does
    minimal: bool | None = None  # no smaller input shows the same; None: nobody has tried
    witness: str = ""  # a C program with an input that ``input`` cannot say

    @property
    def tells(self) -> bool:
        """Do the versions behave differently on this input, as native runs show?"""
        differs = self.observed is Observed.DIFFERENT
        return differs and (self.kind is None or self.kind.is_behaviour)

    @property
    def varies_wholly(self) -> bool:
        """Does the result itself vary between runs of one version, so that nothing else tells?"""
        whole = tuple(f"{MASKED}: {part}" for part in ("returned: ", "exit: ", ALL_OF_IT))
        varies = self.kind is DifferenceKind.NONDETERMINISTIC
        return varies and any(note.startswith(whole) for note in self.notes)

    @property
    def what_varies(self) -> str:
        """The first part that varies between runs of one version; "" where none does."""
        masked = (note for note in self.notes if note.startswith(MASKED))
        return next(masked, "").removeprefix(f"{MASKED}: ").partition(":")[0]

    @property
    def called(self) -> str:
        """What reports call it; nothing before it was replayed."""
        return self.kind or self.ending or ""


def to_json(case: TestCase) -> Json:
    return {
        "id": case.id,
        "input": input_to_json(case.input),
        "sequence": [],
        "divergence": None,
        "old": None,
        "new": None,
        "observed": Observed.NOT_REPLAYED,
        "class": "",
        "blamed": [],
        **_details(case),
    }


def to_line(case: TestCase) -> Json:
    """As ``to_json``, without what is empty: searches write a line for each of thousands of
    tests."""
    given = {key: part for key, part in input_to_json(case.input).items() if part}
    return {"id": case.id, "input": given, **_details(case)}


def _details(case: TestCase) -> dict[str, Json]:
    result: dict[str, Json] = {"class": case.called, "found_s": round(case.found_s, 3)}
    if case.sequence:
        result["sequence"] = list(case.sequence)
    if case.divergence:
        result["divergence"] = _divergence_to_json(case.divergence)
    if case.old:
        result["old"] = observation_to_json(case.old)
    if case.new:
        result["new"] = observation_to_json(case.new)
    if case.observed is not Observed.NOT_REPLAYED:
        result["observed"] = case.observed
    if case.golden:
        result["golden"] = observation_to_json(case.golden)
    if case.predicted:
        result["predicted"] = observation_to_json(case.predicted)
    if case.error:
        result["error"] = case.error
    if case.blame:
        result["blamed"] = list(case.blame.blamed)
        result["interaction"] = case.blame.interaction
        result["blame"] = _blame_to_json(case.blame)
    if case.source:
        result["source"] = case.source
    if case.notes:
        result["notes"] = list(case.notes)
    if case.refused:
        result["refused"] = case.refused
    if case.undefined:
        result["undefined"] = list(case.undefined)
    if case.minimal is not None:
        result["minimal"] = case.minimal
    if case.witness:
        result["witness"] = case.witness
    return result


def from_json(value: Json) -> TestCase:
    """The test in JSON. Unknown keys are ignored: a later version may have written them."""
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise UsageError("a test must be an object with an id")

    def seen(key: str) -> Observation | None:
        return observation_from_json(value[key]) if value.get(key) else None

    kind, ending = _class_from_json(value.get("class", ""))
    return TestCase(
        id=value["id"],
        input=input_from_json(value.get("input", {})),
        sequence=tuple(value.get("sequence", ())),
        divergence=_divergence_from_json(value.get("divergence")),
        old=seen("old"),
        new=seen("new"),
        golden=seen("golden"),
        predicted=seen("predicted"),
        observed=member_from_json(Observed, value.get("observed", Observed.NOT_REPLAYED)),
        kind=kind,
        ending=ending,
        error=value.get("error", ""),
        blame=_blame_from_json(value.get("blame")),
        found_s=value.get("found_s", 0.0),
        source=value.get("source", ""),
        notes=tuple(value.get("notes", ())),
        refused=value.get("refused", ""),
        undefined=tuple(map(str, value.get("undefined", ()))),
        minimal=value.get("minimal"),
        witness=str(value.get("witness", "")),
    )


def _class_from_json(word: Json) -> tuple[DifferenceKind | None, EndingKind | None]:
    if word == "":
        return None, None
    if word in (*EndingKind,) and word not in (*DifferenceKind,):
        return None, EndingKind(word)
    return member_from_json(DifferenceKind, word), None


def _divergence_to_json(place: Divergence | None) -> Json:
    if place is None:
        return None
    result: dict[str, Json] = {"kind": place.kind, "file": place.file, "line": place.line}
    if place.directions:
        result["directions"] = place.directions
    return result


def _divergence_from_json(value: Json) -> Divergence | None:
    if not value:
        return None
    kind = member_from_json(DivergenceKind, value["kind"])
    return Divergence(kind, value["file"], value["line"], value.get("directions", ""))


def _blame_to_json(blame: Blame) -> Json:
    result: dict[str, Json] = {
        "minimal": [list(changes) for changes in blame.minimal],
        "reproducing": list(blame.reproducing),
        "complete": blame.complete,
        "runs": blame.runs,
    }
    if blame.note:
        result["note"] = blame.note
    if blame.generators:
        result["generators"] = [list(changes) for changes in blame.generators]
    if blame.ended:
        result["ended"] = True
    return result


def _blame_from_json(value: Json) -> Blame | None:
    if not value:
        return None
    return Blame(
        minimal=tuple(tuple(changes) for changes in value.get("minimal", ())),
        reproducing=tuple(value.get("reproducing", ())),
        complete=value.get("complete", True),
        runs=value.get("runs", 0),
        note=value.get("note", ""),
        generators=tuple(tuple(changes) for changes in value.get("generators", ())),
        ended=value.get("ended", False),
    )
