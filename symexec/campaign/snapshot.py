"""A copy of the searching process that compares branches while the search goes on.

    snapshot = Snapshot(comparison, noted, *replay.lent())      a fork; takes milliseconds
    for judged in snapshot.judged(): ...                        what has come; never waits
    snapshot.over

It has the terms and paths of the search as they were, so nothing is sent there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import BinaryIO

from csg.errors import ToolchainError
from csg.records import record
from symexec.campaign.companion import Begun, forked, give_way
from symexec.campaign.comparing import Comparison, Judged, Noted
from symexec.campaign.framing import read_frame, send
from symexec.replay import NativeReplay, ReplayPlan
from symexec.replay.build import FinishedBuilds

NICE = 5  # the search goes first where there are too few cores


@record
class _Over:
    """``trouble``: why it has not come to the end."""

    trouble: str = ""


class Snapshot:
    """``over`` when it has come to its end; ``trouble``: why it is another one."""

    def __init__(
        self,
        comparison: Comparison,
        noted: Sequence[Noted],
        plan: ReplayPlan,
        builds: FinishedBuilds,
    ) -> None:
        self.noted = noted
        self.over = False
        self.trouble = ""
        self._companion = forked(partial(_serve, comparison, noted, plan, builds))

    def judged(self) -> Iterator[Judged]:
        """What has come since the last call."""
        for each in self._companion.heard():
            match each:
                case Judged():
                    yield each
                case _Over(trouble=trouble):
                    self.over, self.trouble = True, trouble
        if self._companion.left and not self.over:
            self.over, self.trouble = True, "its process has died"

    def wait(self, seconds: float) -> None:
        """Until something comes, or so long."""
        self._companion.wait(seconds)

    def close(self) -> None:
        self._companion.close()


def _serve(
    comparison: Comparison,
    noted: Sequence[Noted],
    plan: ReplayPlan,
    builds: FinishedBuilds,
    requests: BinaryIO,
    answers: BinaryIO,
) -> None:
    """In the fork: until all are judged, or the campaign closes the pipe."""
    give_way(NICE)
    over = threading.Event()
    trouble = ""
    with suppress(BrokenPipeError), NativeReplay(plan, builds) as replay:
        send(answers, Begun(str(replay.box)))
        threading.Thread(target=_listen, args=(requests, over, replay), daemon=True).start()
        try:
            for each in comparison.judged(noted, replay, lambda: not over.is_set()):
                send(answers, each)
        except ToolchainError as error:
            trouble = error.message
        except BrokenPipeError:
            raise
        except Exception as error:  # a defect of ours; the search is not to end for it
            trouble = f"internal error: {error!r}"
        send(answers, _Over(trouble))


def _listen(requests: BinaryIO, over: threading.Event, replay: NativeReplay) -> None:
    with suppress(EOFError):
        read_frame(requests)
    over.set()
    replay.stop()
