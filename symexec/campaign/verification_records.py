"""What a campaign and the process that verifies its tests say to each other.

campaign -> process   Task       once: what to run, and until when
                      Built      an executable, when it is compiled
                      Runner     the program behind the sandbox, when it is
                      Check      a test
process -> campaign   Begun      once: where its temporary files are
                      Walls      once: what holds the programs
                      Wanted     an executable to compile
                      Checked    a test, examined
                      Failure    why it cannot go on
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from csg.errors import ToolchainError
from csg.records import record
from symexec.replay import Built, ReplayPlan
from symexec.testcases import TestCase

Rank = tuple[int, int]  # smaller is sooner; the second part is 1 where no difference is predicted


@record
class Task:
    """``changes`` can be switched on, each together with those that it ``requires``. ``deadline``
    is on the monotonic clock, which processes share: what is waiting then is given up. ``folder``
    holds, or will hold, the executables; ``names`` are those of the programs. ``deterministic``:
    no clock decides what is asked of a test, and tests come back in the order of their ranks."""

    plan: ReplayPlan
    folder: Path
    names: frozenset[str]
    changes: tuple[int, ...]
    requires: Mapping[int, frozenset[int]]
    deadline: float
    deterministic: bool = False


@record
class Runner:
    outcome: Path | ToolchainError


@record
class Check:
    case: TestCase
    rank: Rank


@record
class Walls:
    level: str


@record
class Wanted:
    build: str
    style: str


@record
class Seen:
    case: TestCase


@record
class Checked:
    case: TestCase


@record
class Failure:
    """``trouble``, for a defect of ours in words, with the lines that it comes from."""

    trouble: Exception
    lines: str


Request = Built | Runner | Check
