"""Facts of the store in words, for tables and pages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from fleet.outcomes import TaskState


def counted_tasks(states: Mapping[str, int]) -> str:
    """``3 tasks (2 done, 1 failed)``"""
    number = sum(states.values())
    counted = ", ".join(f"{states[each]} {each}" for each in TaskState if states.get(each))
    return f"{number} task{'s'[: number != 1]}{f' ({counted})' if counted else ''}"


def when(seconds: float) -> str:
    """Seconds since 1970 as a date, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
