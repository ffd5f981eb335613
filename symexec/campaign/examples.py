"""Symbolic execution along ordinary command lines, in turns with the search from all of them.

    examples = Examples(prepared, options, deadline, watchdog)
    for finding in examples.step(elapsed): ...       seq -w 1 .5 10, cut -f2- with -d:, ...

A line that a user could have typed combines an option with several valid values, to which a search
that decides byte for byte comes late. Whoever follows it symbolically sees what the versions do on
all inputs that go the same way, and goes on by itself from where they part (following.py). Lines
that brought something new are drawn from again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from symexec.campaign.exploration import Finding
from symexec.campaign.following import Following
from symexec.campaign.preparation import Prepared
from symexec.environment.plan import shapes_lines
from symexec.fuzzing.candidates import Candidates
from symexec.fuzzing.ordinary import command_lines
from symexec.options import BuildOptions
from symexec.state.state import Chain
from symexec.testcases import decode
from symexec.watchdog import Watchdog

ALONG = "example"  # found along one
SHARE, SLICE = 0.6, 0.1  # of the time, in slices of so many seconds
BRIEF, LONG, OFTEN = 0.05, 0.4, 8  # seconds for a line; for one of so many
FEW = 2  # findings of one kind after which a line that brings another is not drawn from


def are_drawn(prepared: Prepared, options: BuildOptions) -> bool:
    """Does the program take a command line, and is it left to us what that looks like?"""
    entry = prepared.entry
    takes = entry.symbol.name == "main" and bool(entry.parameters)
    return takes and shapes_lines(options.inputs)


class Examples:
    """``following`` says how many lines were followed."""

    def __init__(
        self,
        prepared: Prepared,
        options: BuildOptions,
        deadline: float,
        watchdog: Watchdog,
    ) -> None:
        vocabulary, usage = prepared.spoken()
        lines = command_lines(usage, vocabulary, options.inputs, strict=True)
        self.following = Following(prepared, options, deadline, watchdog, most=math.inf)
        self._candidates = Candidates(lines, options.search.seed)
        self._spent = 0.0  # on the clock of what follows, also to make lines up
        self._brought: dict[object, int] = {}

    def step(self, elapsed: float) -> Iterator[Finding]:
        """A moment for it, unless it has had its share of so many seconds."""
        clock = self.following.clock
        began = clock()
        while self._spent + clock() - began < min(SHARE * elapsed, self._spent + SLICE):
            if not self.following.busy:
                test = next(self._candidates, None)
                if test is None:
                    break
                often = self.following.followed % OFTEN
                self.following.give(test, (), BRIEF if often else LONG)
            for finding in self.following.slice(BRIEF):
                self._learn(finding)
                yield finding
        self._spent += clock() - began

    def _learn(self, finding: Finding) -> None:
        """A line is worth another look when few have come by the same changes."""
        state = finding.state
        kind = (finding.told, tuple(Chain.items(state.sequence)))
        self._brought[kind] = self._brought.get(kind, 0) + 1
        if self._brought[kind] <= FEW:
            self._candidates.keep(decode(state.inputs, finding.model), telling=bool(finding.told))
