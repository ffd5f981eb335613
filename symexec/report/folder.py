"""Keep the output folder true while a search runs: after a ``kill -9`` it says what was found so
far, with ``"finished": false``.

    live = LiveReport(folder, report)
    live.add(case)          at once in tests/tests.jsonl, within a second in report.json
    finish(folder, report)  report.json, report.html, a readable file for each difference
"""

from __future__ import annotations

import time
from collections.abc import Callable

from symexec.report.model import Report, report_to_json
from symexec.report.page import page
from symexec.report.words import readable_test
from symexec.testcases import OutputFolder, TestCase

_SHARE = 20  # writing takes one part in so many of the time


class LiveReport:
    """``touch`` is cheap: call it as often as you like."""

    def __init__(
        self,
        folder: OutputFolder,
        report: Report,
        period: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._report = report
        self._period = period
        self._clock = clock
        self._next = 0.0
        self._places = {case.id: place for place, case in enumerate(report.tests)}

    def add(self, case: TestCase) -> None:
        """A new test, or more about one that is there already (same id)."""
        self._folder.record(case)
        if case.id in self._places:
            self._report.tests[self._places[case.id]] = case
        else:
            self._places[case.id] = len(self._report.tests)
            self._report.tests.append(case)
        if case.observed == "different":
            self._report.verdict = "different"
            self._folder.write_test(case, readable_test(case, self._report))
        self.touch()

    def due(self) -> bool:
        """Is report.json a second old? More when it is so large that writing takes long."""
        return self._clock() >= self._next

    def touch(self) -> None:
        """Rewrite report.json when it is due."""
        if not self.due():
            return
        start = self._clock()
        self._folder.write_json("report.json", report_to_json(self._report))
        end = self._clock()
        self._next = end + max(self._period, _SHARE * (end - start))


def finish(
    folder: OutputFolder, report: Report, svg: str | None = None, finished: bool = True
) -> None:
    """Write everything for good. ``svg`` is the picture of the change sequence graph; not
    ``finished``: the search was broken off."""
    report.finished = finished
    for case in report.differing:
        folder.write_test(case, readable_test(case, report))
    folder.write_text("report.html", page(report, svg))
    folder.write_json("report.json", report_to_json(report))
