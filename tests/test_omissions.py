"""Each call that records an omission is met by a small pair of equal programs, whose report has the
omission with its place, and whose verdict is not that they are equal.

    Row("symexec/runtime/libc/processes.c:get_nprocs:approximated", "get_nprocs();")

Deleting the call, or adding one without a row, fails a test here. benchmarks/omissions.py deletes
each of them in turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from csg.errors import Location, UnsupportedError
from symexec.campaign import attacking
from symexec.campaign.attacking import Attacking
from symexec.campaign.building import BuildJob
from symexec.exploration.doubts import MOST_ALIKE
from symexec.exploration.paths import Exploration
from symexec.exploration.searching import Search
from symexec.exploration.single_program import ExploreJob
from symexec.exploration.start import Parked
from symexec.ledger import REASONS, Claim, Omission, Reason, Verdict
from symexec.options import (
    BuildOptions,
    ExploreOptions,
    InputOptions,
    SearchOptions,
    Shadow,
    ShadowOptions,
)
from symexec.progress import Silence
from symexec.replay import Pair
from symexec.report.model import Report, report_from_json
from symexec.report.session import build, explore
from symexec.report.words import headline, looked_for
from symexec.state.state import DivergenceKind
from symexec.testcases import MASKED, DifferenceKind, Divergence, Observation, Observed, TestCase
from symexec.testcases.inputs import TestInput
from symexec.validation import TraceValidation
from symexec.watchdog import Spent, Watchdog, What
from tests.command_line import read_report, write_versions
from tests.jobs import finished
from tests.omission_cases import EQUAL, ROWS, TESTED_ELSEWHERE, Row, name_rows, program
from tests.omission_sites import ROOT, Site, makers, sites
from tests.omission_stages import stages

SITES = sites()
FILES = sorted({site.file for site in SITES if site.file.suffix == ".py"})
# to ledger, _prepare and _ended
HANDED_ON = {"_unconfirmed", "note"}


@pytest.mark.parametrize("row", ROWS, ids=name_rows(ROWS))
def test_the_report_has_what_is_left_out(row: Row, tmp_path: Path) -> None:
    old, new = program(row)
    paths = write_versions(tmp_path, old, new)
    asked = {"inputs": InputOptions("f"), "search": SearchOptions(time=20), **row.options}
    options = BuildOptions(*paths, out=tmp_path / "out", replay=False, **asked)
    with suppress(UnsupportedError):  # no path at all could be followed; the report is there
        build(options, Silence())
    report = report_from_json(read_report(tmp_path / "out"))
    lines = (at for at, text in enumerate(new.splitlines(), 1) if "// here" in text)
    line = next(lines, 0)
    found = [each.omission for each in report.omissions]
    told = [each for each in found if row.says in each.text]
    assert (row.reason, line) in [(each.reason, each.location.line) for each in told], found
    if not row.others:  # a call that looks at what the library keeps says that as well
        kept = "begins as in a new process"
        assert len([each for each in found if kept not in each.text]) == 1, found
    claims_nothing(report, row.reason)


def claims_nothing(report: Report, reason: Reason) -> None:
    """Neither the verdict nor a sentence says what the reason withdraws."""
    assert report.verdict not in EQUAL
    assert "quivalent" not in headline(report)
    if Claim.ALL_PATHS in REASONS[reason].withdraws:
        assert "all paths were followed" not in looked_for(report).replace("not all paths", "")
        assert "on any path; " not in headline(report)


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_each_recording_call_has_a_row(site: Site) -> None:
    known = {row.site for row in ROWS} | {*TESTED_ELSEWHERE}
    shown = f"{site.file.name}:{site.line}"
    assert site.name in known, (
        f"{shown} records an omission. Add to tests/omission_cases.py a row of this name with a "
        f"program that meets it: {site.name}"
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_each_omission_that_is_made_is_recorded(file: Path) -> None:
    """A function that makes one records it, or hands it to one that does."""
    recording = {site.name.split(":")[1] for site in SITES if site.file == file}
    for function in makers(file):
        assert function in recording | HANDED_ON, f"{file.name}: {function} keeps an omission"


def test_an_exploration_that_is_interrupted_claims_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else was left out when Ctrl-C came."""

    def interrupted(job: ExploreJob, progress: Silence) -> Iterator[TestCase]:
        raise KeyboardInterrupt
        yield

    file = tmp_path / "f.c"
    file.write_text("int f(int x) { return x > 3; }\n")
    options = ExploreOptions(file, out=tmp_path / "out", inputs=InputOptions("f"))
    assert explore(options, Silence()).verdict is Verdict.ALL_PATHS_EXPLORED
    monkeypatch.setattr(ExploreJob, "cases", interrupted)
    assert explore(options, Silence()).verdict is Verdict.EXPLORED_IN_PART


def test_each_row_has_its_recording_call() -> None:
    names = {site.name for site in SITES}
    for known in (*(row.site for row in ROWS), *TESTED_ELSEWHERE):
        assert known in names, f"no call of this name is left; remove its row: {known}"


def test_each_stage_stands_once_in_its_file() -> None:
    """A text that is there no more switches nothing off."""
    found = stages()
    assert len({each.name for each in found}) == len(found) > 150
    for each in found:
        assert each.file.read_text().count(each.before) == 1 and each.after != each.before, (
            each.name
        )
        assert each.tests
    names = [*TESTED_ELSEWHERE.values(), *(name for each in found for name in each.tests)]
    for name in names:
        file, _, function = name.partition("[")[0].partition("::")
        assert not function or f"def {function}(" in (ROOT / file).read_text(), name


# ------------------------------------------------------------------ searches that end before


PATHS = """
int f(unsigned x)
{
    int n = 1;
    for (int i = 0; i < 4; i++)
        if (x >> i & 1)
            n = n * 3 + i;
    return %s;
}
"""


def job_of(folder: Path, text: str = PATHS, **more: Any) -> BuildJob:
    files = write_versions(folder, text % "n + 1", text % "1 + n")
    asked = {"inputs": InputOptions("f"), "search": SearchOptions(time=20), "replay": False}
    return BuildJob(BuildOptions(*files, **{**asked, **more}))


def left_out(job: BuildJob, reason: Reason) -> list[Omission]:
    """What the ledger has for a reason; the verdict says no more than it may."""
    assert job.verdict is Verdict.NO_DIFFERENCE_FOUND
    return [each for each in job.ledger.entries if each.reason is reason]


class Interrupted(Watchdog):
    """A watchdog whose turn number ``at`` of a state is Spent."""

    at, what = 3, What.TIME
    turns = 0

    def guard(self, until: float = math.inf, memory: bool = True, attends: bool = False) -> Any:
        self.turns += attends
        if attends and self.turns == self.at:
            raise Spent(self.what)
        return super().guard(until, memory, attends)


class Tight(Watchdog):
    """Memory is short when it is asked for the time ``at``."""

    asked, at = 0, 5

    @property
    def tight(self) -> bool:
        self.asked += 1
        return self.asked == self.at

    def relieved(self) -> None:
        return


def searched(job: BuildJob, changed: Callable[[Exploration], None]) -> BuildJob:
    """The job after all its stages; ``changed`` gets its exploration before it runs."""
    begun = job._begun

    def begun_and_changed(*arguments: Any) -> Search:
        search = begun(*arguments)
        changed(search.exploration)
        return search

    job._begun = begun_and_changed  # type: ignore[method-assign]
    return finished(job)


def test_what_was_never_searched_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path)
    try:
        job.prepare()
    finally:
        job.close()
    assert left_out(job, Reason.UNFINISHED)


def test_a_file_that_cannot_be_read_is_an_omission(tmp_path: Path) -> None:
    for version, result in (("old", "x + 1"), ("new", "1 + x")):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "a.c").write_text(f"int f(int x) {{ return {result}; }}\n")
        (folder / "b.c").write_text(f"int g(int x) {{ return {result}; }} }} @ wrong\n")
    options = BuildOptions(
        tmp_path / "old", tmp_path / "new", inputs=InputOptions("f"), replay=False
    )
    job = finished(BuildJob(options))
    (omission,) = left_out(job, Reason.UNREAD)
    assert Path(omission.location.file).name == "b.c"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ({"v.S": "movl $1"}, {"v.S": "movl $2"}, "'v.S' differs, and is no C"),
        ({}, {"v.s": "movl $2"}, "'v.s' differs, and is no C"),
        (
            {"v.S": '#include "v.h"\n', "v.h": "1"},
            {"v.S": '#include "v.h"\n', "v.h": "2"},
            "'v.S' reads other files, and is no C",
        ),
    ],
)
def test_a_file_for_the_assembler_is_an_omission(
    old: dict[str, str], new: dict[str, str], says: str, tmp_path: Path
) -> None:
    """Also where the C files are the same."""
    for version, files in (("old", old), ("new", new)):
        (tmp_path / version).mkdir()
        for name, text in {"a.c": "int f(int x) { return x; }\n", **files}.items():
            (tmp_path / version / name).write_text(text)
    inputs = InputOptions("f")
    job = finished(BuildJob(BuildOptions(tmp_path / "old", tmp_path / "new", inputs=inputs)))
    assert [each.text for each in left_out(job, Reason.UNREAD)] == [says]
    assert job.verdict == "no-difference-found"


def test_a_part_that_nobody_compiled_is_an_omission(tmp_path: Path) -> None:
    files = write_versions(tmp_path, "int f(int x) { return x; }\n", "int f(int x) { return x; }\n")
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), linked="cut")))
    (omission,) = left_out(job, Reason.UNREAD)
    assert omission.location.file == "cut"
    assert job.verdict == "no-difference-found"


def test_what_the_assembler_reads_is_an_omission(tmp_path: Path) -> None:
    text = '__asm__(".incbin \\"data.bin\\"");\nint f(int x) { return x; }\n'
    files = write_versions(tmp_path, text, text)
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False)))
    texts = {each.text for each in left_out(job, Reason.COMPILED)}
    assert texts == {"its assembly reads a file that is not compared"}


def test_inputs_that_take_all_the_time_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path)

    def spent(*arguments: Any) -> Search:
        raise Spent(What.TIME)

    job._begun = spent  # type: ignore[method-assign]
    finished(job)
    assert left_out(job, Reason.TIME)


def test_what_no_filling_shows_is_an_omission(tmp_path: Path) -> None:
    job = finished(job_of(tmp_path))
    place = Divergence(DivergenceKind.ENDING, "new.c", 4)
    case = TestCase("t1", TestInput(), divergence=place)
    list(job._verified(iter([replace(case, uninitialised=True, observed=Observed.SAME)])))
    (omission,) = left_out(job, Reason.UNINITIALISED)
    assert omission.location == Location("new.c", 4)


HIDDEN = "static int g;\nint f(int x)\n{\n    g = %s;\n    return 1;\n}\n"
INNER = TestCase("t1", TestInput(), observed=Observed.DIFFERENT, kind=DifferenceKind.INTERNAL_STATE)


def test_what_no_caller_meets_is_an_omission(tmp_path: Path) -> None:
    job = finished(job_of(tmp_path))
    job.tests.keep(INNER)
    assert left_out(job, Reason.UNCONFIRMED)


def test_what_varies_natively_is_an_omission(tmp_path: Path) -> None:
    job = finished(job_of(tmp_path))
    varies = DifferenceKind.NONDETERMINISTIC
    note = f"{MASKED}: returned: 7"
    job.tests.keep(replace(INNER, observed=Observed.SAME, kind=varies, notes=(note,)))
    (omission,) = left_out(job, Reason.ATTACKED)
    assert "returned" in omission.text and omission.location.line


def test_what_later_calls_may_show_is_an_omission(tmp_path: Path) -> None:
    files = write_versions(tmp_path, HIDDEN % "x + 1", HIDDEN % "1 + x")
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False)))
    assert job.prepared is not None
    ((name, *_),) = ([part.name for part in each.parts] for each in job.prepared.outliving.objects)
    ran = Observation(private=frozenset((name,)))
    old, new = (replace(ran, memory=((name, value),)) for value in ("1", "2"))
    list(job._verified(iter([replace(INNER, old=old, new=new)])))
    (omission,) = left_out(job, Reason.APPROXIMATED)
    assert omission.location.line == 1


def test_a_doubt_on_many_paths_is_an_omission(tmp_path: Path) -> None:
    """Each path counts, also those on which no more inputs are tried."""
    text = "#include <stdio.h>\n" + PATHS.replace("unsigned x", "unsigned x, double d")
    text = text.replace("return %s;", "printf(%s, d, n); return n;")
    files = write_versions(tmp_path, text % '"%f %d"', text % '"%.6f %d"')
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False)))
    (omission,) = left_out(job, Reason.APPROXIMATED)
    assert job.ledger.entries[omission] == job.counters.paths > MOST_ALIKE


def test_a_search_near_seeds_is_an_omission(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    (seeds / "one.json").write_text('{"args": ["3"]}')
    job = job_of(tmp_path, shadow=ShadowOptions(Shadow.JPF, (seeds,)))
    try:
        job.prepare()
    finally:
        job.close()
    assert left_out(job, Reason.SEEDS)


def test_other_branches_is_an_omission(tmp_path: Path) -> None:
    job = finished(job_of(tmp_path))
    job.counters.branch_mismatches = 1
    assert left_out(job, Reason.MISMATCHED)


def test_other_branches_of_a_validation_is_an_omission(tmp_path: Path) -> None:
    job = finished(job_of(tmp_path))
    validation = TraceValidation.__new__(TraceValidation)
    validation._noted = {"t1": None}  # type: ignore[dict-item]
    validation._judged = {"t1": SimpleNamespace(mismatch=object(), left_out="")}  # type: ignore[dict-item]
    validation.count(job.counters)
    assert left_out(job, Reason.MISMATCHED)


def test_a_turn_that_the_time_ends_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path)
    job.watchdog = Interrupted(None)
    texts = [each.text for each in left_out(finished(job), Reason.TIME)]
    assert "a path was running when the time was over" in texts


def test_a_turn_that_takes_too_much_memory_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path)
    job.watchdog = Interrupted(None)
    job.watchdog.what = What.MEMORY  # type: ignore[attr-defined]
    assert left_out(finished(job), Reason.MEMORY)


def test_a_query_without_an_answer_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path)

    def changed(exploration: Exploration) -> None:
        advance = exploration.engine.advance

        def given_up(*arguments: Any) -> Any:
            job.counters.unknown += 1
            return advance(*arguments)

        exploration.engine.advance = given_up  # type: ignore[method-assign]

    omission, *_ = left_out(searched(job, changed), Reason.UNKNOWN)
    assert Path(omission.location.file).name in ("old.c", "new.c")


def test_memory_that_other_things_take_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path)
    job.watchdog = Tight(None)
    job.watchdog.at = 1  # type: ignore[attr-defined]
    assert left_out(finished(job), Reason.MEMORY)


def test_states_that_nobody_can_park_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path)
    job.watchdog = Tight(None)

    def changed(exploration: Exploration) -> None:
        exploration.parked = None

    job = searched(job, changed)
    assert left_out(job, Reason.MEMORY) and job.exhausted is False


class LostParking(Parked):
    """Finds none of its states again. ``failure``: what is raised instead."""

    failure: BaseException | None = None

    def revived(self, most: int) -> Any:
        found = super().revived(most)
        if self.failure is not None:
            raise self.failure
        return replace(found, states=[], resting=[], lost=len(found.states) + len(found.resting))


def without_parked(folder: Path, failure: BaseException | None) -> BuildJob:
    job = job_of(folder)
    job.watchdog = Tight(None)

    def changed(exploration: Exploration) -> None:
        assert exploration.parked is not None
        exploration.parked.__class__ = LostParking
        exploration.parked.failure = failure  # type: ignore[attr-defined]

    return searched(job, changed)


def test_parked_states_without_time_is_an_omission(tmp_path: Path) -> None:
    assert left_out(without_parked(tmp_path, MemoryError()), Reason.MEMORY)


def test_parked_states_that_are_lost_is_an_omission(tmp_path: Path) -> None:
    assert left_out(without_parked(tmp_path, None), Reason.MEMORY)


def test_states_that_stay_parked_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path)
    job.watchdog = Tight(None)

    def changed(exploration: Exploration) -> None:
        has_room = exploration._has_room
        exploration._has_room = lambda: has_room() and not exploration.parked  # type: ignore[method-assign]

    assert left_out(searched(job, changed), Reason.MEMORY)


def test_paths_that_wait_at_the_end_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path)

    def changed(exploration: Exploration) -> None:
        exploration._has_room = lambda: exploration.waiting < 2  # type: ignore[method-assign]

    omission, *_ = left_out(searched(job, changed), Reason.TIME)
    assert Path(omission.location.file).name in ("old.c", "new.c")


# ------------------------------------------------------------------ the attack


class FakeAttack:
    """Has ended, and shown something that is no test."""

    omissions: ClassVar = {Omission(Reason.ATTACKED, "natively the versions differ"): None}

    def wait(self) -> None:
        return

    def cases(self, goes_on: Callable[[], bool]) -> list[TestCase]:
        return []


def test_what_an_attack_has_shown_is_an_omission(tmp_path: Path) -> None:
    job = job_of(tmp_path, replay=True, attack=1.0)
    job._attacking = FakeAttack()  # type: ignore[assignment]
    assert list(job._attacked(job.clock() + 1)) == []
    assert left_out(job, Reason.ATTACKED)


def test_an_equal_verdict_is_attacked_though_the_time_is_over(tmp_path: Path) -> None:
    job = finished(job_of(tmp_path, attack=1.0))
    assert job.verdict is Verdict.EQUIVALENT_WITHIN_BOUNDS
    job.options = replace(job.options, replay=True)
    job._attacking = FakeAttack()  # type: ignore[assignment]
    list(job._attacked(job.clock() - 1))
    assert left_out(job, Reason.ATTACKED)


DIFFERENT = replace(INNER, kind=DifferenceKind.DIFFERENCE)
WAYS: dict[str, Callable[[Attacking], object]] = {
    "replayed": lambda attack: attack._replayed(TestInput()),
    "plainly": lambda attack: attack._plainly(DIFFERENT),
    "optimised": lambda attack: attack._naturally(DIFFERENT, PAIR, "naturalO2"),
    "naturally": lambda attack: attack._naturally(DIFFERENT, PAIR, "naturalO0"),
}
PAIR = Pair(Observation(exit=1), Observation(exit=2))


@pytest.mark.parametrize("way", WAYS)
def test_a_difference_of_the_attack_is_an_omission(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search has called the versions alike; whatever builds show otherwise, it is noted."""
    attack = Attacking.__new__(Attacking)
    attack.omissions = {}
    attack.entry = SimpleNamespace(location=Location("new.c", 3))  # type: ignore[assignment]
    attack._numbers = 0
    attack.replay = attack.changes = attack.requires = None  # type: ignore[assignment]
    for name, answer in (
        ("examine", DIFFERENT),
        ("shown_by_plain_builds", [DIFFERENT]),
        ("by_chance", DIFFERENT),
    ):
        monkeypatch.setattr(attacking, name, lambda *given, answer=answer: answer)
    WAYS[way](attack)
    ((omission, _),) = attack.omissions.items()
    assert (omission.reason, omission.location.line) == (Reason.ATTACKED, 3)


# ------------------------------------------------------------------ one program alone


def alone(folder: Path, text: str) -> ExploreJob:
    (folder / "one.c").write_text(text)
    job = ExploreJob(ExploreOptions(folder / "one.c", inputs=InputOptions("f")))
    job.prepare()
    return job


def test_one_program_alone_is_an_omission(tmp_path: Path) -> None:
    job = alone(
        tmp_path, "#include <unistd.h>\nint f(int x)\n{\n    getppid();\n    return x;\n}\n"
    )
    list(job.cases(Silence()))
    (omission,) = job.counters.ledger.entries
    assert (omission.reason, omission.location.line) == (Reason.APPROXIMATED, 4)


def test_one_program_whose_inputs_take_all_the_time_is_an_omission(tmp_path: Path) -> None:
    job = alone(tmp_path, "int f(int x) { return x; }\n")

    def spent(*arguments: Any) -> Any:
        raise Spent(What.TIME)

    job._exploration = spent  # type: ignore[method-assign]
    list(job.cases(Silence()))
    assert [each.reason for each in job.counters.ledger.entries] == [Reason.TIME]
