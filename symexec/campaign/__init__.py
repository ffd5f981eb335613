"""Campaigns: from C files and options to tests.

BuildJob        two versions: inputs on which they differ, each proved natively
ExploreJob      one program: a test for each path
run_concrete    one program, one run
"""

from symexec.campaign.building import BuildJob
from symexec.campaign.exploring import ExploreJob
from symexec.campaign.running import run_concrete

__all__ = ["BuildJob", "ExploreJob", "run_concrete"]
