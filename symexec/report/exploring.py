"""Explore one program and write its output folder: a line for each path's test, errors in full."""

from __future__ import annotations

import os

from symexec.exploration.single_program import ExploreJob
from symexec.options import ExploreOptions
from symexec.progress import Progress
from symexec.report.facts import bounds, counters_form, event_notes, nothing_followed
from symexec.report.model import Report, report_to_json
from symexec.testcases import OutputFolder
from symexec.testcases.store import refuse_foreign


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
            report.verdict = "all-paths-explored" if job.exhausted else "explored-in-part"
            report.notes += event_notes(job.events)
            if job.errors_left_out:
                note = f"{job.errors_left_out} more tests with errors are in tests/tests.jsonl"
                report.notes.append(note)
            folder.write_json("report.json", report_to_json(report))
    obstacle = nothing_followed(job.counters, job.events)
    if obstacle is not None and report.finished:
        raise obstacle
    return report
