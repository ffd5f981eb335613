"""Native runs of both versions in a sandbox: builds, harness, sandbox, observations."""

from symexec.replay.build import (
    COVERED,
    FILLED,
    LITERAL,
    STANDARD,
    UNDEFINED,
    ZEROED,
    AwaitedBuilds,
    Built,
    Source,
    Text,
    reported_flags,
)
from symexec.replay.native import (
    PLAIN,
    SANITIZED,
    NativeReplay,
    Pair,
    ReplayPlan,
    Request,
)
from symexec.replay.recording import Call, SuiteRun, run_suite
from symexec.replay.reports import MOST, Decided, decision, hashed, probed, probes
from symexec.replay.sandbox import Sandbox

__all__ = [
    "COVERED",
    "FILLED",
    "LITERAL",
    "MOST",
    "PLAIN",
    "SANITIZED",
    "STANDARD",
    "UNDEFINED",
    "ZEROED",
    "AwaitedBuilds",
    "Built",
    "Call",
    "Decided",
    "NativeReplay",
    "Pair",
    "ReplayPlan",
    "Request",
    "Sandbox",
    "Source",
    "SuiteRun",
    "Text",
    "decision",
    "hashed",
    "probed",
    "probes",
    "reported_flags",
    "run_suite",
]
