"""The simulation of many workers does all that it is to do, and the page says what it measured."""

from __future__ import annotations

import re

from benchmarks.scaling import (
    DOCUMENT,
    WORKERS,
    Simulated,
    known,
    page,
    simulated_fleet,
    simulated_search,
)


def test_all_tasks_of_a_fleet_are_done() -> None:
    found = simulated_fleet(4, 1, share=0.02)
    assert (found.workers, found.done) == (4, 16)
    assert 0 < found.efficiency <= 1


def test_all_portions_of_a_search_are_done() -> None:
    found = simulated_search(4, 3, share=0.05)
    assert (found.workers, found.done) == (4, 12)
    assert 0 < found.efficiency <= 1


def test_efficiency_is_what_workers_slept_of_all_their_time() -> None:
    text = page([Simulated(4, 8, 32.0, 10.0)], [Simulated(2, 4, 2.0, 4.0)], 1.5)
    assert "| 4 | 8 | 10.0 | 80% |" in text and "| 2 | 4 | 4.0 | 25% |" in text
    assert f"{len(known().tasks)} tasks" in text and "simulated with 1.5" in text


def test_the_page_has_every_number_of_workers() -> None:
    _, fleet, search = DOCUMENT.read_text().split("\n## ")
    for part in (fleet, search):
        rows = re.findall(r"^\| (\d+) \| \d+ \| [\d.]+ \| (\d+)% \|$", part, re.MULTILINE)
        assert [int(workers) for workers, _ in rows] == list(WORKERS)
    found = dict(re.findall(r"^\| (\d+) \|.*?(\d+)% \|$", fleet, re.MULTILINE))
    assert int(found["64"]) >= 80
