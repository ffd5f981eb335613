"""Native runs of both versions behind walls: builds, harness, sandbox, observations."""

from symexec.replay.build import FILLED, ZEROED, Source, Text
from symexec.replay.native import (
    PLAIN,
    SANITIZED,
    NativeReplay,
    Pair,
    ReplayPlan,
    Request,
)
from symexec.replay.recording import Call, SuiteRun, run_suite
from symexec.replay.sandbox import Sandbox
from symexec.replay.touching import probed, probes, touched

__all__ = [
    "FILLED",
    "PLAIN",
    "SANITIZED",
    "ZEROED",
    "Call",
    "NativeReplay",
    "Pair",
    "ReplayPlan",
    "Request",
    "Sandbox",
    "Source",
    "SuiteRun",
    "Text",
    "probed",
    "probes",
    "run_suite",
    "touched",
]
