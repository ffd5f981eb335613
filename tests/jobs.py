"""A whole job in this process, for what its records say beyond the report."""

from __future__ import annotations

from symexec.campaign.building import BuildJob
from symexec.progress import Silence


def finished(job: BuildJob) -> BuildJob:
    """The job after all its stages; what it found stays, its processes have gone."""
    try:
        job.prepare()
        list(job.cases(Silence()))
    finally:
        job.close()
    return job
