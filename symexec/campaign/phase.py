"""The native phase as its campaign sees it: a process that is started, asked, and ended.

    phase = NativePhase(commission)          returns at once
    phase.keep(test)                         mutate this one as well
    for sighting in phase.sightings(): ...   what has come since the last call; never waits
    phase.close()

It ends when its standard input is closed, so it outlives its campaign by no more than a run.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import symexec
from symexec.campaign.phase_records import (
    Begun,
    Commission,
    Frames,
    Keep,
    Sighting,
    Tally,
    Trouble,
    framed,
)
from symexec.testcases import TestInput

PATIENCE = 0.5  # seconds that it may take to end before it is killed
_PIECE = 1 << 16
_MOST_UNSENT = 1 << 20  # bytes that wait for the pipe; what comes then is left out
# It must be the same program as ours, also where another copy is installed.
_PROGRAM = (
    "import sys; sys.argv[1] in sys.path or sys.path.insert(0, sys.argv[1]); "
    "from symexec.campaign.phase_process import main; main()"
)


class NativePhase:
    def __init__(self, commission: Commission) -> None:
        self.tally = Tally(0, 0, False)
        self.trouble = ""
        self._frames = Frames()
        self._unsent = bytearray(framed(commission))
        self._folder = ""
        self._ended = False
        home = str(Path(symexec.__file__).parent.parent)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, home],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is the campaign's
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests = self._process.stdin.fileno()
        self._answers = self._process.stdout.fileno()
        os.set_blocking(self._requests, False)
        os.set_blocking(self._answers, False)
        self._push()

    def keep(self, test: TestInput) -> None:
        if len(self._unsent) < _MOST_UNSENT:
            self._unsent += framed(Keep(test))
        self._push()

    def sightings(self) -> Iterator[Sighting]:
        """Those that have come; the rest of what the process says is kept here."""
        self._push()
        for piece in self._pieces():
            for answer in self._frames.whole(piece):
                match answer:
                    case Sighting():
                        yield answer
                    case Tally():
                        self.tally = answer
                    case Trouble(text=text):
                        self.trouble = text
                    case Begun(folder=folder):
                        self._folder = folder

    def _pieces(self) -> Iterator[bytes]:
        while True:
            try:
                piece = os.read(self._answers, _PIECE)
            except BlockingIOError:
                return
            if not piece:
                if not self._ended and not self.trouble:
                    self.trouble = "its process has died"
                return
            yield piece

    def _push(self) -> None:
        """As much as the pipe takes."""
        while self._unsent and not self._ended:
            try:
                sent = os.write(self._requests, self._unsent)
            except BlockingIOError:
                return
            except BrokenPipeError:
                self._unsent.clear()
                return
            del self._unsent[:sent]

    def end(self) -> None:
        """Begin to end it; what it has said can still be asked for."""
        if not self._ended:
            self._ended = True
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def close(self) -> None:
        """End it for good, with all that it has made. May be called twice."""
        if self._process.stdout is None or self._process.stdout.closed:
            return
        self.end()
        for _ in self.sightings():  # where its folder is
            pass
        self._process.stdout.close()
        try:
            self._process.wait(timeout=PATIENCE if self._folder else 0.0)  # it has made nothing yet
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
