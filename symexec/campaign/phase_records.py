"""What a campaign and its native phase, a process of its own, say to each other.

    campaign -> phase   Commission   once: what to run, and on which inputs
                        Keep         a test that the search has made: mutate it
    phase -> campaign   Sighting     an input on which the versions differ, or that is new in kind
                        Tally        how far it is, a few times a second
                        Trouble      why it ends early

The pipe is ``companion``'s.
"""

from __future__ import annotations

from csg.language.syntax import FunctionDefinition, Symbol
from csg.records import record
from symexec.fuzzing.usage import Usage
from symexec.fuzzing.vocabulary import Vocabulary
from symexec.options import InputOptions
from symexec.replay import ReplayPlan
from symexec.replay.build import FinishedBuilds
from symexec.testcases import TestCase, TestInput
from symexec.testcases.signature import EntrySignature


@record
class Commission:
    """``signature`` None means main. ``entry`` without its body; ``symbols`` are the globals that
    are inputs. ``share``: the part of its time that the phase may use. ``changes``: what a run can
    be seen to come by; none when that program does not compile."""

    plan: ReplayPlan
    builds: FinishedBuilds
    entry: FunctionDefinition
    symbols: tuple[Symbol, ...]
    signature: EntrySignature | None
    words: Vocabulary
    usage: Usage
    inputs: InputOptions
    seed: int = 0
    share: float = 1.0
    changes: frozenset[int] = frozenset()


@record
class Keep:
    input: TestInput


@record
class Sighting:
    """``found_at`` is a time on the monotonic clock, which processes share."""

    name: str
    input: TestInput
    found_at: float
    seen: TestCase | None = None  # what the versions did, where that differs


@record
class Tally:
    tests: int
    differing: int
    alike: int  # those of them that were left out
    exhausted: bool  # of what it makes up itself
    executed: int = 0  # runs that no server began (fork_server.c)


@record
class Trouble:
    text: str


Answer = Sighting | Tally | Trouble
