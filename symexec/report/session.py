"""Run a job, with an output folder that is up to date from the first test to the last.

    options  --build-->   BuildJob searches, LiveReport writes, finish() closes the report

Ctrl-C ends the search; what was found is written all the same.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from csg.confinement import confinement_error
from csg.errors import CsgtestError, Location, some_of
from csg.graphs import chains, chains_form, graph_form, interactions_form
from csg.unify import Unified
from csg.unify.changes.identities import identities
from csg.unify.changes.patch import patch
from csg.unify.object_code import SAME_CODE
from csg.unify.pairs import Readings
from symexec.campaign.building import BuildJob
from symexec.campaign.generation import Workers
from symexec.campaign.suite import LOG, SuiteFacts, SuiteJob
from symexec.exploration.pinning import Seeding
from symexec.exploration.single_program import ExploreJob
from symexec.interruption import interruptions_wait
from symexec.ledger import RUN_UNFINISHED, SEARCH_UNFINISHED, Claim, Entry, Reason, Verdict
from symexec.options import (
    BuildOptions,
    ExploreOptions,
    InputOptions,
    SuiteOptions,
    program_name,
    versions_of,
)
from symexec.progress import Progress, Standing
from symexec.replay import reported_flags
from symexec.report.accepting import accepted_file, read_accepted
from symexec.report.executed import NO_ADDRESS_SANITIZER, not_executed, without_sanitizer
from symexec.report.facts import (
    NOT_ALWAYS,
    World,
    beyond,
    bounds,
    counters_form,
    event_notes,
    nothing_followed,
    omission_entries,
    sizes,
    world_of,
)
from symexec.report.model import Expected, Interaction, Report, report_to_json
from symexec.report.page import highlights, page
from symexec.report.words import readable_test, short_paths
from symexec.testcases import Observed, OutputFolder, TestCase
from symexec.testcases.driver import read_driver
from symexec.testcases.store import refuse_foreign
from symexec.triage.accepted import switched
from symexec.watchdog import DRAWING, PAGE, Spent, Watchdog

MOST_NAMED = 10  # seeds that could not be used


def build(
    options: BuildOptions,
    progress: Progress,
    readings: Readings | None = None,
    workers: Workers | None = None,
) -> Report:
    """``csgtest build``: the finished report, which is also written to ``options.out``. After
    Ctrl-C it says ``"finished": false``. An earlier report stays until both versions are read.
    ``readings``: of the same versions, for other entries; ``workers`` search along."""
    refuse_foreign(options.out)
    return _reported(BuildJob(options, readings, workers), progress, accepted_file(options))


def suite(options: SuiteOptions, progress: Progress) -> Report:
    """``csgtest suite``: as ``build``, after the user's own tests."""
    out = options.build.out
    refuse_foreign(out)
    return _reported(SuiteJob(options, out / LOG), progress)


def explore(options: ExploreOptions, progress: Progress) -> Report:
    """``csgtest explore``: one program alone; a test for each path."""
    refuse_foreign(options.out)
    job = ExploreJob(options)
    report = Report(
        str(options.file), str(options.file), directory=os.getcwd(), name=options.file.stem
    )
    with job.watchdog.preparing(options.search.time):
        job.prepare()
    report.entry = job.program.entry
    report.bounds = bounds(report.entry, options.inputs, options.search, options.memory)
    with OutputFolder(options.out) as folder:
        folder.write_json("report.json", report_to_json(report))  # not finished
        try:
            folder.record_all(job.cases(progress))
            report.finished = True
        except KeyboardInterrupt:
            report.notes.append("interrupted: the exploration is not finished")
        finally:
            report.tests = job.errors
            report.counters = counters_form(job.counters)
            report.counters["tests"] = job.tests
            ledger = job.counters.ledger
            if not job.exhausted:
                ledger.record(SEARCH_UNFINISHED)
            report.verdict = (
                Verdict.ALL_PATHS_EXPLORED
                if ledger.allows(Claim.ALL_PATHS)
                else Verdict.EXPLORED_IN_PART
            )
            report.omissions = omission_entries(ledger, behind=lambda _: ())
            report.notes += event_notes(ledger)
            if job.errors_left_out:
                note = f"{job.errors_left_out} more tests with errors are in tests/tests.jsonl"
                report.notes.append(note)
            folder.write_json("report.json", report_to_json(report))
    obstacle = nothing_followed(job.counters)
    if obstacle is not None and report.finished:
        raise obstacle
    return report


def _reported(job: BuildJob, progress: Progress, accepted: Path | None = None) -> Report:
    options = job.options
    report = Report(
        str(options.old),
        str(options.new),
        directory=os.getcwd(),
        name=program_name(options),
        internal=options.internal,
    )
    if accepted is not None:
        report.accepted, report.accepted_in = read_accepted(accepted), str(accepted)
        job.accepted_in = partial(_accepted_changes, report)
    late: list[int] = []  # interruptions
    configured = options.files.configured
    if configured is not None:
        settings = dict(configured.settings)
        report.configured = {"file": configured.source, "settings": settings}
    try:
        began = time.monotonic()
        job.doing = progress.doing
        with job.watchdog.preparing(options.search.time):
            job.prepare()
        progress.prepared(time.monotonic() - began)
        report.old_files, report.new_files = job.builds.old, job.builds.new
        report.golden = job.builds.golden
        with OutputFolder(options.out) as folder:
            _search(job, report, folder, progress, late)
        obstacle = nothing_followed(job.counters)
        tested = job.fuzzing is not None and job.fuzzing.tested
        if obstacle is not None and report.finished and not report.differing and not tested:
            raise obstacle
        failure = not_executed(job) if report.finished else None
        if failure is not None:
            raise failure
    finally:
        with interruptions_wait(late):
            job.close()
            if late and report.finished:
                report.notes.append("interrupted while the report was written")
                report.finished = False
                _claim_nothing(report)
                rewrite_report(report, options.out, options.every_test)
    return report


def _accepted_changes(report: Report, unified: Unified) -> frozenset[int]:
    requires = {change.id: change.requires for change in unified.changes}
    ours = [each for each in report.accepted if each.entry == report.entry]
    return switched(ours, report.identities, requires)


def _search(
    job: BuildJob, report: Report, folder: OutputFolder, progress: Progress, late: list[int]
) -> None:
    """Run the search, and write what came of it. ``late`` gets the interruptions after its end."""
    _describe(report, job)
    live = LiveReport(folder, report, job.options.every_test)
    live.touch()

    def beat() -> None:
        if live.due():
            _update(report, job)
            live.touch()

    finished = False
    try:
        for case in job.cases(_Heartbeat(progress, beat)):
            live.add(case)
        finished = True
    except KeyboardInterrupt:
        report.notes.append("interrupted: the search is not finished")
    finally:
        with interruptions_wait(late):
            _conclude(report, job, folder, finished)


@dataclass(frozen=True, slots=True)
class _Heartbeat:
    """Progress that also updates the report while nothing new is found."""

    shown: Progress
    beat: Callable[[], None]

    def doing(self, what: str) -> None:
        self.shown.doing(what)

    def update(self, now: Standing) -> None:
        self.beat()
        self.shown.update(now)

    def prepared(self, seconds: float) -> None:
        self.shown.prepared(seconds)

    def close(self) -> None:
        self.shown.close()


def _describe(report: Report, job: BuildJob) -> None:
    """Fill in what is known before the search begins."""
    assert job.unified is not None
    report.changes = [change.info() for change in job.unified.changes]
    report.identities = identities(job.unified)
    report.patch = patch(job.unified)
    report.sources = (job.unified.old.sources, job.unified.new.sources)
    named = None
    if job.prepared is not None and job.signature is not None:
        named = [each.name for each in job.prepared.outliving.objects]
    options = job.options
    report.bounds = bounds(
        job.entry,
        options.inputs,
        options.search,
        options.memory,
        options.shadow,
        named,
        _world_of(job, options.inputs) if job.prepared is not None else None,
    )
    report.preconditions = [
        Expected(each.text, each.reason, _as_given(each.location.file, report), each.location.line)
        for each in options.inputs.preconditions
    ]
    report.notes += job.notes
    if job.prepared is not None and job.prepared.guaranteed:
        said = "; ".join(each.text for each in job.prepared.guaranteed)
        place = job.prepared.guaranteed[0].location
        report.notes.append(f"not expected, for others may call '{job.entry}': {said} ({place})")
    for fallback in job.unified.fallbacks:
        report.notes.append(f"{fallback.region} is run once for each version: {fallback.reason}")
    if not job.unified.changes:
        report.notes += _unseen(job)
        report.entry = job.entry
    if job.prepared is None:
        return
    if _has_no_input(job):
        report.notes.append(f"'{job.prepared.program.entry}' takes no input: it is run once")
    graph = job.prepared.graph
    report.entry = job.prepared.program.entry
    report.signature = job.signature
    dependences = job.prepared.dependences
    report.csg = {**graph_form(graph), "chains": chains_form(graph, chains(graph, dependences))}
    report.interactions = [
        Interaction(
            place["file"],
            place["function"],
            place["line"],
            tuple(place["changes"]),
            place["important"],
        )
        for place in interactions_form(graph)
    ]


def _as_given(file: str, report: Report) -> str:
    """A file as the user's words have it; a driver includes files by their absolute paths."""
    given = os.path.isabs(report.new) or not os.path.isabs(file) or read_driver(Path(file))[1]
    return file if given or not Path(file).is_relative_to(Path.cwd()) else os.path.relpath(file)


def _unseen(job: BuildJob) -> list[str]:
    """Where the text differs though the programs do not, and why."""
    from csg.unify.changes.textual import unseen_edits

    assert job.unified is not None
    own = versions_of(job.options).flags_of_files()
    edits = unseen_edits(job.unified, job.options.flags, own)
    reasons = {_line(each.location): each.why for each in edits}
    for change in job.unified.without_effect:
        reasons[_line(change.location)] = SAME_CODE
    places = [f"{place} differs: {why}" for place, why in reasons.items()]
    found = places[:MOST_NAMED]
    if len(places) > MOST_NAMED:
        found.append(f"and {len(places) - MOST_NAMED} more places")
    return found


def _line(place: Location) -> str:
    return f"{place.file}:{place.line}"


def _has_no_input(job: BuildJob) -> bool:
    assert job.prepared is not None
    signature, asked = job.signature, job.options.inputs
    if signature is None or signature.parameters or signature.globals:
        return False
    if asked.stdin or asked.files or asked.named_files:
        return False
    return not job.prepared.asks_for_inputs


def _seed_notes(job: BuildJob) -> list[str]:
    """Notes on the seeds: what was used, and what could not be used."""
    if isinstance(job, SuiteJob) and job.suite.calls:
        whole = [] if job.seeding is not None else ["without seeds: every path was searched"]
        return [_suite_note(job.suite), *whole, *_seed_notes_of(job)]
    return [*_seed_notes_of(job), *_refused_notes(job.calls.refused)]


def _refused_notes(refused: Sequence[str]) -> list[str]:
    listed = some_of(refused, MOST_NAMED)
    return [f"not read, outside of the tests' folder or hidden: {listed}"] if refused else []


def _branch_notes(job: BuildJob) -> list[str]:
    found = [] if job.validation is None else job.validation.mismatches
    return [each.text for each in found[:MOST_NAMED]]


def _suite_note(facts: SuiteFacts) -> str:
    ended = "did not end in time" if facts.exit is None else f"ended with {facts.exit}"
    return (
        f"the suite {ended}: {facts.calls} calls of the program, {facts.different} different, "
        f"{facts.touching} by a change, {facts.differing} of them differ"
    )


def _seed_notes_of(job: BuildJob) -> list[str]:
    if job.beginnings is not None:
        return _notes_of_beginnings(job, job.beginnings)
    if job.seeding is None:
        return [f"began with {_calls(len(job.calls.seeds))}"] if job.calls.seeds else []
    count, points = len(job.seeding.used), job.counters.divergence_points
    found = [
        f"searched near the paths of {count} seed{'s'[: count != 1]} only, "
        f"from {points} divergence{'s'[: points != 1]}"
    ]
    unusable = job.seeding.unusable
    found += [f"seed not used: {each.place}: {each.reason}" for each in unusable[:MOST_NAMED]]
    if len(unusable) > MOST_NAMED:
        found.append(f"seeds not used: {len(unusable)} in all; report.json names them")
    return found


def _notes_of_beginnings(job: BuildJob, seeds: Seeding) -> list[str]:
    """What native fuzzing began with; it does not run in every search."""
    given = len(seeds.given)
    fitting = job.fuzzing.seeds if job.fuzzing is not None else None
    if job.fuzzing is None:
        found = [f"native fuzzing has not begun: none of {_seeds(given)} was tried"]
    elif fitting is None:
        followed = job.fuzzing.followed
        found = [f"native fuzzing has not begun: {followed} of {_seeds(given)} followed"]
    else:
        found = [f"native fuzzing began with {_seeds(fitting)} of {given} that were given"]
        if job.calls.seeds:
            found[0] += f" and {_calls(len(job.calls.seeds))}"
    if seeds.unusable:
        first = seeds.unusable[0]
        number = len(seeds.unusable)
        found.append(f"{_seeds(number)} could not be read: {first.place}: {first.reason}")
    return found


def _calls(number: int) -> str:
    return f"{number} call{'s'[: number != 1]} of the program in the project's tests"


def _seeds(number: int) -> str:
    return f"{number} seed{'s'[: number != 1]}"


def _world_of(job: BuildJob, inputs: InputOptions) -> World:
    assert job.prepared is not None
    return world_of(job.prepared, inputs, job.search.has("aliases"))


def _update(report: Report, job: BuildJob, finished: bool = False) -> None:
    report.counters = {**counters_form(job.counters), "exhausted": job.exhausted}
    for each in job.deeper[len(report.bounds.get("deeper", ())) :]:
        larger = sizes(job.entry, each.inputs, _world_of(job, each.inputs))
        level = {
            **{name: None for name in NOT_ALWAYS if name in report.bounds.keys() - larger},
            **{name: value for name, value in larger.items() if report.bounds.get(name) != value},
            "within": beyond(report, larger),
            "exhausted": each.exhausted,
            "complete": each.complete,
            "states": each.states,
        }
        report.bounds["deeper"] = [*report.bounds.get("deeper", ()), level]
    if job.usage_lines is not None:
        report.counters["examples"] = job.usage_lines.following.followed
    if job.workers is not None:
        report.counters.update(job.workers.form())
    report.verdict = job.verdict
    report.omissions = omission_entries(job.ledger, job.behind)
    if not finished:
        _claim_nothing(report)
    coverage = job.graph_coverage()
    if coverage is not None and isinstance(report.csg, dict):
        report.csg = {**report.csg, "coverage": coverage}
    if job.fuzzing is not None:
        report.native = job.fuzzing.form()
    report.attack = job.attack_facts


def _claim_nothing(report: Report) -> None:
    """Keep the verdict open while the run goes on: the attack may still show a difference."""
    if any(each.omission.reason is Reason.UNFINISHED for each in report.omissions):
        return
    report.omissions = [Entry(RUN_UNFINISHED, 1), *report.omissions]
    if report.verdict is not Verdict.DIFFERENT:
        report.verdict = Verdict.NO_DIFFERENCE_FOUND


def _drawn(job: BuildJob, report: Report) -> dict[str, str]:
    """The pictures of the graph, as far as they are drawn in time."""
    from csg.render import picture_bytes, sequence_picture

    assert job.prepared is not None
    found: dict[str, str] = {}
    try:
        with job.watchdog.until(time.monotonic() + DRAWING), job.watchdog.guard():
            picture = sequence_picture(job.prepared.graph, highlights=highlights(report))
            for form in ("dot", "svg"):
                text = picture_bytes(picture, form, use_dot=False).decode()
                found[form] = short_paths(text, report)
    except Spent:
        report.notes.append("the graph is too large to be drawn in time: csgtest graph draws it")
    return found


def _conclude(report: Report, job: BuildJob, folder: OutputFolder, finished: bool) -> None:
    _update(report, job, finished)
    report.counters["mispredicted"] = len(job.mispredicted)
    report.counters["refused"] = job.tests.refused
    report.notes += filter(None, [confinement_error()])
    report.notes += [*_seed_notes(job), *_branch_notes(job), *event_notes(job.ledger)]
    if job.workers is not None:
        report.notes += job.workers.notes()
    if job.tests.left_out:
        left = job.tests.left_out
        several = (
            "1 test that is like many others was"
            if left == 1
            else (f"{left:,} tests that are like many others were")
        )
        report.notes.append(f"{several} left out")
    if not job.plainly_asked:
        note = (
            "not asked, as the time was over: what gcc makes of undefined behaviour without -fwrapv"
        )
        report.notes.append(note)
    if job.stopped:
        count = job.options.search.stop_after
        report.notes.append(f"the search was ended early, as asked: --stop-after {count}")
    if job.fuzzing is not None and job.fuzzing.failure:
        report.notes.append(f"the native phase ended early: {job.fuzzing.failure}")
    if job.validation is not None and job.validation.failure:
        note = f"branches were compared after the search only: {job.validation.failure}"
        report.notes.append(note)
    if job.seeding is not None:
        report.seeds = job.seeding.form()
    if isinstance(job, SuiteJob):
        report.seeds = {**(report.seeds or {}), "suite": job.suite.form()}
    if job.replay is not None:
        with suppress(CsgtestError):  # the one that ended the search
            report.sandbox = job.replay.level
            report.sanitizers = job.replay.sanitizers
            report.compiled = reported_flags(report.sanitizers)
            if not report.sanitizers:
                report.notes.append(without_sanitizer())
            elif "address" not in report.sanitizers.split(","):
                report.notes.append(NO_ADDRESS_SANITIZER)
    svg = None
    if job.prepared is not None:
        drawn = _drawn(job, report)
        svg = drawn.get("svg")
        for form, content in drawn.items():
            folder.write_text(f"csg.{form}", content)
        folder.write_json("csg.json", report.csg)
        folder.write_text("unified.c", job.unified_text)
    finish(folder, report, svg, finished, job.options.every_test)


def rewrite_report(report: Report, out: Path, every_test: bool = False) -> None:
    """Write a finished report again, with what has become known since."""
    picture = out / "csg.svg"
    svg = picture.read_text() if picture.is_file() else None
    with OutputFolder(out, anew=False) as folder:
        finish(folder, report, svg, report.finished, every_test)


# ----------------------------------------------------------------------------------------- folder
# Keep the output folder true while a search runs: after a ``kill -9`` it says what was found so
# far, with ``"finished": false``.
#
#     live = LiveReport(folder, report)
#     live.add(case)          at once in tests/tests.jsonl, within a second in report.json
#     finish(folder, report)  report.json, report.html, a readable file for each difference


FIRST = 100  # differing tests that get files of their own while the search runs
FEW = 5  # tests of a difference that have them at the end, beside its witness
_SHARE = 20  # at most this part of the time is used for writing


class LiveReport:
    """The report on disk. ``touch`` is cheap and may be called often."""

    def __init__(
        self,
        folder: OutputFolder,
        report: Report,
        every_test: bool = False,
        period: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._report = report
        self._period = period
        self._clock = clock
        self._left = math.inf if every_test else FIRST  # differing tests that get their files now
        self._next = 0.0
        self._places = {case.id: place for place, case in enumerate(report.tests)}

    def add(self, case: TestCase) -> None:
        """Add a new test, or new results of one that is there (with the same id)."""
        self._folder.record(case)
        if case.id in self._places:
            self._report.tests[self._places[case.id]] = case
        else:
            self._places[case.id] = len(self._report.tests)
            self._report.tests.append(case)
        if case.observed is Observed.DIFFERENT:
            if case.tells and not self._report.is_unmade(case):
                self._report.verdict = Verdict.DIFFERENT
            if self._left > 0:
                self._left -= 1
                self._folder.write_test(case, readable_test(case, self._report))
        self.touch()

    def due(self) -> bool:
        """Is report.json a second old? Or older, when it is so large that writing it takes long."""
        return self._clock() >= self._next

    def touch(self) -> None:
        """Rewrite report.json when it is due."""
        if not self.due():
            return
        start = self._clock()
        self._folder.write_json("report.json", report_to_json(self._report))
        end = self._clock()
        self._next = end + max(self._period, _SHARE * (end - start))


def finish(
    folder: OutputFolder,
    report: Report,
    svg: str | None = None,
    finished: bool = True,
    every_test: bool = False,
) -> None:
    """Write the final files. ``svg`` is the picture of the change sequence graph; ``finished``
    False: the search was interrupted. A few tests of each difference get files of their own, or
    every test that differs."""
    report.finished = finished
    chosen = {each.witness for each in report.groups}
    chosen.update(one.witness for each in report.groups for one in each.also)
    chosen.update(name for each in report.groups for name in each.tests[:FEW])
    if every_test:
        chosen = {each.id for each in report.differing}
    for case in report.differing:
        if case.id in chosen:
            folder.write_test(case, readable_test(case, report))
        else:
            folder.remove_test(case)
    folder.write_text("report.html", page_in_time(report, svg, chosen))
    folder.write_json("report.json", report_to_json(report))


def page_in_time(report: Report, svg: str | None, stored: Collection[str]) -> str:
    """The page of a report, or one that says that the page takes too long."""
    watchdog = Watchdog()
    try:
        with watchdog.until(time.monotonic() + PAGE), watchdog.guard(memory=False):
            return page(report, svg, stored)
    except Spent:
        note = f"the page takes longer than {PAGE:.0f} s: report.json has everything"
        report.notes.append(note)
        return f"<!DOCTYPE html>\n<title>csgtest</title>\n<p>{note}</p>\n"
