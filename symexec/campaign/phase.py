"""The native phase as its campaign sees it: a process that is started, asked, and ended.

    phase = NativePhase()                    a fork of this process, best while that is small
    phase.begin(commission)
    phase.keep(test)                         mutate this one as well
    for sighting in phase.sightings(): ...   what has come since the last call; never waits
    phase.close()

It outlives its campaign by no more than a run.
"""

from __future__ import annotations

from collections.abc import Iterator

from symexec.campaign.companion import forked
from symexec.campaign.phase_process import serve
from symexec.campaign.phase_records import Commission, Keep, Sighting, Tally, Trouble
from symexec.testcases import TestInput

_MOST_UNSENT = 1 << 20  # bytes that wait for the pipe; what comes then is left out


class NativePhase:
    def __init__(self) -> None:
        self.tally = Tally(0, 0, 0, False)
        self.trouble = ""
        self._companion = forked(serve)

    def begin(self, commission: Commission) -> None:
        self._companion.say(commission)

    def keep(self, test: TestInput) -> None:
        if self._companion.unsent < _MOST_UNSENT:
            self._companion.say(Keep(test))

    def sightings(self) -> Iterator[Sighting]:
        """Those that have come; the rest of what the process says is kept here."""
        for answer in self._companion.heard():
            match answer:
                case Sighting():
                    yield answer
                case Tally():
                    self.tally = answer
                case Trouble(text=text):
                    self.trouble = text
        if self._companion.left and not self.trouble:
            self.trouble = "its process has died"

    def end(self) -> None:
        """Begin to end it; what it has said can still be asked for."""
        self._companion.end()

    def close(self) -> None:
        """End it for good, with all that it has made. May be called twice."""
        self.end()
        for _ in self.sightings():  # the last tally
            pass
        self._companion.close()
