"""Native runs of both versions behind walls: builds, harness, sandbox, observations."""

from symexec.replay.build import Source, Text
from symexec.replay.native import (
    PLAIN,
    SANITIZED,
    NativeReplay,
    Pair,
    ReplayPlan,
    Request,
)
from symexec.replay.sandbox import Sandbox

__all__ = [
    "PLAIN",
    "SANITIZED",
    "NativeReplay",
    "Pair",
    "ReplayPlan",
    "Request",
    "Sandbox",
    "Source",
    "Text",
]
