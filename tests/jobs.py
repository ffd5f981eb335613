"""A whole job in this process, for what its records say beyond the report. Its verdict is one that
docs/verdicts.md allows."""

from __future__ import annotations

from typing import Any

from oracles.verdicts import Run, complaints
from symexec.campaign.building import BuildJob
from symexec.progress import Silence
from symexec.report.facts import omission_entries
from symexec.report.model import Report, report_to_json
from symexec.testcases import Observed, TestCase
from symexec.triage import never_made


def finished(job: BuildJob) -> BuildJob:
    """The job after all its stages; what it found stays, its processes have gone."""
    try:
        job.prepare()
        list(job.cases(Silence()))
    finally:
        job.close()
    assert not (found := complaints(Run(reported(job)))), found
    return job


def reported(job: BuildJob) -> dict[str, Any]:
    """What a report of the job would say of its verdict: each differing test is a group."""
    assert job.unified is not None
    omissions = omission_entries(job.ledger, behind=lambda _: ())
    made = Report("old.c", "new.c", verdict=job.verdict, omissions=omissions, finished=True)
    differing = [case for case in job.found if case.observed is Observed.DIFFERENT]
    unmade = never_made(job.options.internal, job.signature)

    def hidden(case: TestCase) -> bool:
        return not case.tells or (unmade is not None and unmade(case))

    return report_to_json(made) | {
        "changes": [{"id": change.id} for change in job.unified.changes],
        "tests": [{"id": case.id, "observed": case.observed} for case in job.found],
        "groups": [
            {
                "id": case.id,
                "class": case.kind,
                "witness": case.id,
                "internal": {"unmade": hidden(case)},
            }
            for case in differing
        ],
    }
