"""Explore one program and write its output folder: a line for each path's test, errors in full."""

from __future__ import annotations

import os

from symexec.campaign.exploring import ExploreJob
from symexec.options import ExploreOptions
from symexec.progress import Progress
from symexec.report.facts import bounds, counters_form, event_notes
from symexec.report.model import Report, report_to_json
from symexec.testcases import OutputFolder


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
            folder.write_json("report.json", report_to_json(report))
    return report
