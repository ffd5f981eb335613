"""States for which memory has no room wait as their decisions, and nothing is lost."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from fleet.portions import Searching, Shared
from symexec.campaign.building import BuildJob
from symexec.campaign.generation import Portion, Seen
from symexec.exploration.start import prefix_of
from symexec.ledger import Reason
from symexec.options import BuildOptions, SearchOptions
from symexec.options.arguments import parse
from symexec.watchdog import Watchdog
from tests.jobs import finished

# as many paths as x has values; from the fourth bit on, nothing is left to decide on half of them
OLD = """
int f(unsigned x)
{
    int n = 1;
    for (int i = 0; i < 9; i++) {
        if (x >> i & 1)
            n = n * 3 + i;
        if (i == 3 && n > 40)
            for (int k = 0; k < 3000; k++)
                n ^= k;
    }
    return n;
}
"""
NEW = OLD.replace("+ i;", "+ i + (i == 7);")
PATHS = 1 << 9
LONG = 2.0  # seconds; a hundred turns take a twentieth of a second


class Tight(Watchdog):
    """Memory is short at these calls, and from ``for_ever`` on; call ``late`` takes long."""

    asked = relieved_times = 0
    at: tuple[int, ...] = (60, 90, 130, 200, 201, 202)
    for_ever = late = 1 << 30

    @property
    def tight(self) -> bool:
        self.asked += 1
        if self.asked == self.late:
            time.sleep(LONG)
        return self.asked in self.at or self.asked >= self.for_ever

    def relieved(self) -> None:
        self.relieved_times += 1


def asked(folder: Path) -> BuildOptions:
    for name, text in (("old.c", OLD), ("new.c", NEW)):
        (folder / name).write_text(text)
    words = [str(folder / name) for name in ("old.c", "new.c")]
    options = parse(["build", *words, "--entry", "f", "--range", f"x=0..{PATHS - 1}"]).options
    assert isinstance(options, BuildOptions)
    return replace(options, replay=False, search=SearchOptions(100.0, memory=1 << 30))


def searched(folder: Path, watchdog: Watchdog | None = None) -> BuildJob:
    job = BuildJob(asked(folder))
    if watchdog is not None:
        job.watchdog = watchdog
    return finished(job)


def test_what_memory_has_no_room_for_is_found_again(tmp_path: Path) -> None:
    watchdog = Tight()
    plenty, short = searched(tmp_path), searched(tmp_path, watchdog)
    assert watchdog.relieved_times > 2
    assert short.counters.parked > 20 and not plenty.counters.parked
    for job in (plenty, short):
        assert job.exhausted and not job.counters.cuts and not job.counters.forgotten
        assert job.counters.paths == PATHS
    assert plenty.counters.diff_paths == short.counters.diff_paths


def test_what_is_parked_at_the_end_was_dropped(tmp_path: Path) -> None:
    watchdog = Tight()
    watchdog.for_ever = 150
    counters = searched(tmp_path, watchdog).counters
    assert counters.parked and counters.forgotten > 1 and counters.cuts >= counters.forgotten
    assert 0 < counters.paths < PATHS


def test_what_is_parked_goes_back_with_a_portion(tmp_path: Path) -> None:
    options = asked(tmp_path)
    job = BuildJob(options)
    job.prepare()
    assert job.prepared is not None
    search = job._begun(job.prepared, 100.0, job.options, job.counters)
    prefixes = tuple(prefix_of(state).encoded() for state in search.initial)
    searching = Searching(Shared(job.prepared, job.options))
    watchdog = searching._watchdog = Tight()
    watchdog.at, watchdog.late = (60, 90), 120
    first = searching.found(Portion(1, prefixes, (), LONG, 100.0, Seen()))
    assert first.counters.parked and first.left
    assert not first.counters.forgotten and not first.counters.cuts
    rest = searching.found(Portion(2, first.left, first.resting, 100.0, 100.0, Seen()))
    assert not rest.left and not rest.unfit
    assert first.counters.paths + rest.counters.paths == PATHS


def test_what_a_portion_forgets_is_an_omission(tmp_path: Path) -> None:
    """Of the states that memory has no room for, those that are written down go back."""
    options = asked(tmp_path)
    job = BuildJob(options)
    job.prepare()
    assert job.prepared is not None
    search = job._begun(job.prepared, 100.0, job.options, job.counters)
    prefixes = tuple(prefix_of(state).encoded() for state in search.initial)
    searching = Searching(Shared(job.prepared, job.options))
    portion = Portion(1, prefixes, (), LONG, 100.0, Seen())
    exploration = searching._opened(portion).exploration
    watchdog = exploration._watchdog = Tight()
    watchdog.at, watchdog.late = (60, 90), 120
    exploration._forgotten(3)
    found = searching.found(portion)
    assert found.counters.parked and found.counters.forgotten == 3
    reasons = {each.reason: count for each, count in found.counters.ledger.entries.items()}
    assert reasons[Reason.MEMORY] == 3
