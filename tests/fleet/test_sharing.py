"""One search on several processes finds what one finds, also when processes die."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from fleet.portions import Died, EndedPortion, PortionProcess, Searching, Shared
from fleet.rounds import Rounds
from fleet.sharing import SHED, Sharing
from symexec.campaign.building import BuildJob
from symexec.campaign.generation import Portion, Seen, Workers
from symexec.exploration.start import prefix_of
from symexec.ledger import Reason
from symexec.options import BuildOptions, SearchOptions
from symexec.options.arguments import parse
from symexec.state.inputs import Prefix
from tests.command_line import SAMPLES, csgtest
from tests.jobs import finished
from tests.nightly import daily

# as many paths as x has values, on half of which the versions differ
OLD = """
int f(unsigned x)
{
    int n = 1;
    for (int i = 0; i < 12; i++)
        if (x >> i & 1)
            n = n * 3 + i;
    return n;
}
"""
NEW = OLD.replace("+ i;", "+ i + (i == 7);")
FEW, MANY = 512, 1024  # values of x: what is counted work, and what takes seconds anywhere
PATIENCE = 100.0  # seconds of a search that ends by itself
MEMORY = 8 << 30  # bytes: a process that has run many other tests may have taken one already
NOWHERE = Prefix(0, False, 0, 0, 10**6, 7, (3, 99, 99)).encoded()
Spoil = Callable[[Portion], str | None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pair")
    for name, text in (("old.c", OLD), ("new.c", NEW)):
        (made / name).write_text(text)
    return made


def asked(folder: Path, deterministic: bool = False, values: int = MANY) -> BuildOptions:
    words = [str(folder / name) for name in ("old.c", "new.c")]
    options = parse(["build", *words, "--entry", "f", "--range", f"x=0..{values - 1}"]).options
    assert isinstance(options, BuildOptions)
    search = SearchOptions(PATIENCE, deterministic=deterministic, memory=MEMORY)
    return replace(options, replay=False, search=search)


class FakePool:
    """Does portions in this process; ``spoil`` says what goes wrong with one."""

    workers: ClassVar[list[str]] = ["one", "two"]

    def __init__(self, shared: bytes, spoil: Spoil) -> None:
        self._searching = Searching(pickle.loads(shared))
        self._spoil = spoil
        self.failure = ""
        self._waiting: list[tuple[str, Portion]] = []

    def share(self, shared: bytes) -> None:
        self._searching = Searching(pickle.loads(shared))

    def submit(self, portion: Portion, worker: str | None = None) -> None:
        self._waiting.append((worker or "", portion))

    def ended(self, seconds: float = 0.0) -> Iterator[EndedPortion]:
        waiting, self._waiting = self._waiting, []
        for worker, portion in waiting:
            match self._spoil(portion):
                case None:
                    found = self._searching.found(portion)
                    yield EndedPortion(portion, found, where=worker)
                case "unfit":
                    found = self._searching.found(portion)
                    spoilt = replace(found, unfit=(*found.unfit, NOWHERE))
                    yield EndedPortion(portion, spoilt, where=worker)
                case failure:
                    yield EndedPortion(portion, None, failure)

    def close(self) -> None:
        return


def sharing(spoil: Spoil = lambda portion: None) -> Sharing:
    def opened(workers: int, shared: bytes) -> FakePool:
        return FakePool(shared, spoil)

    return Sharing(3, opened, patience=0.0, enough=4)


def searched(
    folder: Path, workers: Workers | None, deterministic: bool = False, values: int = MANY
) -> BuildJob:
    return finished(BuildJob(asked(folder, deterministic, values), workers=workers))


@pytest.fixture(scope="module")
def alone(folder: Path) -> BuildJob:
    return searched(folder, None)


def paths(job: BuildJob) -> tuple[object, ...]:
    """What does not depend on who has searched."""
    coverage = job.graph_coverage()
    assert coverage is not None
    nodes = coverage["nodes"]
    assert isinstance(nodes, dict)
    seen = {name: sorted(each) for name, each in nodes.items() if isinstance(each, list)}
    return job.counters.paths, job.counters.diff_paths, job.exhausted, job.counters.cuts, seen


def reasons(job: BuildJob) -> Counter[Reason]:
    """How often something was left out, by its reason."""
    found: Counter[Reason] = Counter()
    for omission, count in job.counters.ledger.entries.items():
        found[omission.reason] += count
    return found


def test_all_paths_are_followed_once(alone: BuildJob, folder: Path) -> None:
    workers = sharing()
    job = searched(folder, workers)
    assert alone.exhausted
    assert paths(job) == paths(alone)
    form = workers.form()
    assert form["portions"] and form["prefixes_sent"]
    assert not workers.busy and not workers.lost and not workers.notes()


def test_who_does_all_before_the_time_is_over_gets_more(folder: Path) -> None:
    sizes: list[int] = []

    def noted(portion: Portion) -> None:
        sizes.append(len(portion.prefixes))

    job = searched(folder, sharing(noted))
    assert job.exhausted
    assert max(sizes) > SHED, sizes


@pytest.mark.night
def test_levels_beyond_the_bounds_are_shared(tmp_path: Path) -> None:
    """Strings of 4 bytes have 16 paths, and those of 12 bytes or more 4,096, all alike."""
    old = """
int f(const char *s)
{
    int n = 1;
    for (int i = 0; i < 12 && s[i]; i++)
        if (s[i] > 'k')
            n = n * 3 + 1;
    return n;
}
"""
    for name, text in (("old.c", old), ("new.c", old.replace("n * 3 + 1", "1 + 3 * n"))):
        (tmp_path / name).write_text(text)
    words = ["build", str(tmp_path / "old.c"), str(tmp_path / "new.c"), "--entry", "f"]
    options = parse(words).options
    assert isinstance(options, BuildOptions)
    options = replace(options, replay=False, search=SearchOptions(PATIENCE, memory=MEMORY))
    workers = sharing()
    levels: list[tuple[bool, bool, int]] = []
    for helped in (None, workers):
        job = finished(BuildJob(options, workers=helped))
        levels.append((job.deeper[0].exhausted, job.deeper[0].complete, job._counted[1].paths))
    assert levels[0] == levels[1]
    assert levels[0] > (True, True, 256)
    assert workers.form()["portions"]


def test_rounds_follow_all_paths_once(folder: Path) -> None:
    workers = Rounds(1, patience=0.0, enough=4)
    job = searched(folder, workers, deterministic=True, values=FEW)
    assert paths(job) == paths(searched(folder, None, values=FEW))
    assert workers.form()["portions"]


def test_rounds_that_are_not_begun_are_an_omission(folder: Path) -> None:
    job = BuildJob(asked(folder, deterministic=True, values=FEW))
    job.prepare()
    assert job.prepared is not None
    workers = Rounds(1, patience=0.0, enough=4)
    workers.begin(
        job._begun(job.prepared, PATIENCE, job.options, job.counters), job.prepared, job.options
    )
    workers._queue.extend([NOWHERE, NOWHERE])  # type: ignore[list-item]
    list(workers.end())
    workers.close()
    assert reasons(job)[Reason.TIME] == 2


def test_what_paths_of_portions_leave_out_is_told(tmp_path: Path) -> None:
    """One process alone follows nothing: others meet the call."""
    text = "int getppid(void); int f(unsigned x) { return x > 3 && getppid() ? $ : $; }"
    for name, result in (("old.c", "x + 1"), ("new.c", "1 + x")):
        (tmp_path / name).write_text(text.replace("$", result))
    job = BuildJob(asked(tmp_path))
    job.prepare()
    assert job.prepared is not None
    search = job._begun(job.prepared, PATIENCE, job.options, job.counters)
    prefixes = tuple(prefix_of(state).encoded() for state in search.initial)
    searching = Searching(Shared(job.prepared, job.options))
    found = searching.found(Portion(1, prefixes, (), 10.0, 10.0, Seen()))
    assert Reason.APPROXIMATED in {each.reason for each in found.counters.ledger.entries}


def test_what_dies_is_done_again(alone: BuildJob, folder: Path) -> None:
    workers = sharing(lambda portion: "killed" if portion.number in (1, 3, 4) else None)
    assert paths(searched(folder, workers)) == paths(alone)
    assert workers.form()["deaths"] == 3 and not workers.lost


def test_what_always_dies_is_given_up_and_named(alone: BuildJob, folder: Path) -> None:
    workers = sharing(lambda portion: "killed")
    job = searched(folder, workers)
    lost = workers.form()["prefixes_poisoned"]
    assert isinstance(lost, list) and lost and workers.lost == len(lost)
    assert not job.exhausted and job.counters.cuts == workers.lost
    assert reasons(job)[Reason.WORKER] == workers.lost
    assert any("cut off" in note for note in workers.notes())


class LatePool(FakePool):
    """Says nothing while the search runs, and dies when it is over."""

    def ended(self, seconds: float = 0.0) -> Iterator[EndedPortion]:
        if seconds:
            self.failure = "killed at the end"
            yield from [EndedPortion(each, None, self.failure) for _, each in self._waiting]


def test_workers_that_die_at_the_end_are_told(folder: Path) -> None:
    options = asked(folder)
    options = replace(options, search=replace(options.search, time=3.0))
    workers = Sharing(3, lambda _, shared: LatePool(shared, str), patience=0.0, enough=4)
    job = finished(BuildJob(options, workers=workers))
    assert not job.exhausted and job.counters.waiting
    assert reasons(job)[Reason.TIME] == job.counters.waiting
    assert "searched by one process: killed at the end" in workers.notes()


def test_what_does_not_fit_is_searched_from_its_beginning(alone: BuildJob, folder: Path) -> None:
    workers = sharing(lambda portion: "unfit" if portion.number == 1 else None)
    job = searched(folder, workers)
    assert job.exhausted and job.counters.paths > alone.counters.paths
    assert workers.form()["prefixes_unfit"] == 1 and workers.notes()


def test_a_portion_comes_to_the_same_again(folder: Path) -> None:
    job = BuildJob(asked(folder, deterministic=True, values=FEW))
    job.prepare()
    assert job.prepared is not None
    search = job._begun(job.prepared, PATIENCE, job.options, job.counters)
    prefixes = tuple(prefix_of(state).encoded() for state in search.initial)
    shared = pickle.dumps(Shared(job.prepared, job.options))
    portion = Portion(1, prefixes, (), 0.05, 10.0, Seen())
    searching = Searching(pickle.loads(shared))
    first, second = searching.found(portion), searching.found(portion)
    assert first.left and first == second
    process = PortionProcess(shared)
    try:
        assert process.found(portion) == first
    finally:
        process.close()
    left = searching.found(replace(portion, prefixes=first.left, seconds=100.0))
    assert not left.left and not left.unfit


def test_a_process_that_dies_is_noticed() -> None:
    process = PortionProcess(b"no pair")
    try:
        process._process._process.kill()
        with pytest.raises(Died):
            process.found(Portion(1, (), (), 1.0, 1.0, Seen()))
    finally:
        process.close()


@pytest.mark.parametrize("deterministic", daily([True, False], 1))
def test_workers_of_the_command_line(deterministic: bool, tmp_path: Path) -> None:
    words = ["fields/b_old.c", "fields/b_new.c", "--sym-args", "1", "2", "5", "--sym-stdin", "2"]
    words = [str(SAMPLES / word) if "/" in word else word for word in words]
    reports = []
    for jobs in ("1", "2") if deterministic else ("2",):
        more = ["--deterministic", "--time", "4"] if deterministic else ["--time", "6"]
        done = csgtest(
            "build", *words, *more, "--no-native", "--jobs", jobs, folder=tmp_path, seconds=600.0
        )
        assert done.code in (0, 1), done.err
        report = done.report
        assert report["counters"].pop("jobs") == int(jobs)
        if not deterministic and not report["counters"]["portions"]:
            pytest.skip("the machine is too busy to begin workers in time")
        assert report["counters"]["portions"] and not report["counters"]["prefixes_unfit"]
        reports.append(report)
    assert all(each["counters"] == reports[0]["counters"] for each in reports)
    assert all(each["tests"] == reports[0]["tests"] for each in reports)


def test_one_process_needs_no_dask(tmp_path: Path) -> None:
    words = [str(SAMPLES / name) for name in ("foo/old.c", "foo/new.c")]
    done = csgtest("build", *words, "--jobs", "1", "--time", "2", folder=tmp_path)
    assert done.code == 1 and "jobs" not in done.report["counters"]
