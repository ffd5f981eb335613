"""Native runs of both versions behind walls: builds, harness, sandbox, observations."""

from symexec.replay.native import (
    PLAIN,
    SANITIZED,
    NativeReplay,
    Pair,
    ReplayPlan,
    Request,
    mask_text,
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
    "mask_text",
]
