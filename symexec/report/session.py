"""Run a job and keep its output folder true from the first test to the last.

    options  --build-->   BuildJob searches, LiveReport writes, finish() closes the report

Ctrl-C ends the search; what was found is written before the exception goes on.
"""

from __future__ import annotations

import os
from dataclasses import asdict

from csg.graph import graph_form, interactions_form
from symexec.campaign import BuildJob, ExploreJob
from symexec.counters import Counters
from symexec.options import BuildOptions, ExploreOptions, InputOptions, SearchOptions
from symexec.progress import Progress
from symexec.report.folder import LiveReport, finish
from symexec.report.model import Interaction, Report
from symexec.state.state import Event
from symexec.testcases import OutputFolder
from symexec.testcases.encoding import Json


def build(options: BuildOptions, progress: Progress) -> Report:
    """``csgtest build``: the finished report, written to ``options.out`` as well."""
    job = BuildJob(options)
    with OutputFolder(options.out) as folder:
        report = Report(
            str(options.old),
            str(options.new),
            old_flags=options.flags,
            new_flags=options.flags,
            directory=os.getcwd(),
            name=options.new.stem,
        )
        try:
            job.prepare()
            _describe(report, job)
            live = LiveReport(folder, report)
            live.touch()
            for case in job.cases(progress):
                live.add(case)
                _update(report, job)
        except KeyboardInterrupt:
            report.notes.append("interrupted: the search is not finished")
            raise
        finally:
            _conclude(report, job, folder)
            job.close()
    return report


def _describe(report: Report, job: BuildJob) -> None:
    """What is known before the search begins."""
    assert job.unified is not None
    report.changes = [change.info() for change in job.unified.changes]
    report.bounds = bounds(job.options.inputs, job.options.search)
    for fallback in job.unified.fallbacks:
        report.notes.append(f"{fallback.region} is run once for each version: {fallback.reason}")
    if job.prepared is None:
        return
    graph = job.prepared.graph
    report.entry = job.prepared.program.entry
    report.signature = job.signature
    report.csg = graph_form(graph)
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


def _update(report: Report, job: BuildJob) -> None:
    report.counters = counters_form(job.counters)
    report.verdict = job.verdict


def _conclude(report: Report, job: BuildJob, folder: OutputFolder) -> None:
    if job.unified is None:
        return
    _update(report, job)
    report.counters["mispredicted"] = len(job.mispredicted)
    report.notes += event_notes(job.events)
    if job.replay is not None:
        report.sandbox = job.replay.level
        report.sanitizers = job.replay.sanitizers
    svg = None
    if job.prepared is not None:
        from csg.render import picture_bytes, sequence_picture

        picture = sequence_picture(job.prepared.graph)
        for form in ("dot", "svg"):
            content = picture_bytes(picture, form, use_dot=False).decode()
            folder.write_text(f"csg.{form}", content)
            svg = content if form == "svg" else svg
        folder.write_json("csg.json", report.csg)
        folder.write_text("unified.c", job.unified_text)
    finish(folder, report, svg)


def explore(options: ExploreOptions, progress: Progress) -> Report:
    """``csgtest explore``: one program alone; a test for each path."""
    job = ExploreJob(options)
    with OutputFolder(options.out) as folder:
        report = Report(str(options.file), str(options.file), directory=os.getcwd())
        report.bounds = bounds(options.inputs, options.search)
        try:
            job.prepare()
            report.entry = job.program.entry
            folder.record_all(job.cases(progress))
        except KeyboardInterrupt:
            report.notes.append("interrupted: the exploration is not finished")
            raise
        finally:
            report.tests = job.errors
            report.counters = counters_form(job.counters)
            report.counters["tests"] = job.tests
            report.verdict = "all-paths-explored" if job.exhausted else "explored-in-part"
            report.notes += event_notes(job.events)
            report.finished = True
            from symexec.report.model import report_to_json

            folder.write_json("report.json", report_to_json(report))
    return report


# --------------------------------------------------------------------------- parts of both


def bounds(inputs: InputOptions, search: SearchOptions) -> dict[str, Json]:
    """The limits within which a verdict holds."""
    found: dict[str, Json] = {
        "time_s": search.time,
        "array_length": inputs.array_length,
        "mode": search.mode.value,
        "seed": search.seed,
        "solver": search.solver.value,
        "after": search.after.value,
    }
    if search.loop_bound is not None:
        found["loop_bound"] = search.loop_bound
    if inputs.ranges:
        found["ranges"] = [f"{each.name}={each.low}..{each.high}" for each in inputs.ranges]
    if inputs.assumptions:
        found["assumptions"] = list(inputs.assumptions)
    if inputs.arguments is not None:
        given = inputs.arguments
        found["sym_args"] = [given.minimum, given.maximum, given.length]
    if inputs.stdin is not None:
        found["sym_stdin"] = inputs.stdin
    return found


def counters_form(counters: Counters) -> dict[str, Json]:
    found: dict[str, Json] = asdict(counters)
    found["gaps"] = [f"{name} ({count})" for name, count in sorted(counters.gaps.items())]
    for name in ("solver_s", "wall_s"):
        found[name] = round(found[name], 3)
    return found


def event_notes(events: dict[Event, int]) -> list[str]:
    """One line for each thing that the reader has to know of, with place and count."""
    ordered = sorted(events.items(), key=lambda entry: (-entry[1], str(entry[0].location)))
    return [
        f"{event.location}: {event.kind}: {event.text} ({count})" for event, count in ordered[:50]
    ]


