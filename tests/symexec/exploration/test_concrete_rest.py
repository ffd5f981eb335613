"""States whose rest is concrete: tests at once, last in the queue, and never forgotten."""

from __future__ import annotations

from pathlib import Path

from symexec.campaign.building import BuildJob
from symexec.exploration.undecided_paths import QUIET, SHARE, ConcreteRest
from symexec.expr import TermTable
from symexec.memory import AllocationKind, Memory
from symexec.options import BuildOptions, SearchOptions
from symexec.solver import EMPTY, PathCondition, build_solver
from symexec.state.state import State
from tests.command_line import write_versions
from tests.jobs import finished

LONG = 60_000  # iterations: far more than a turn
LOOPS = """\
int f(int x, int y)
{
    unsigned n = 0, sum = 0;
    if (x == 1) n = LONG; else if (x == 2) n = LONG + 1;
    else return y == 7 ? STEP + 4 : 0;
    for (unsigned i = 0; i < n; i++) sum = sum * 3 + (i & STEP);
    return sum;
}
"""


def searched(folder: Path, text: str, mode: str = "guided", seconds: float = 60) -> BuildJob:
    text = text.replace("LONG", str(LONG))
    files = write_versions(folder, text.replace("STEP", "1"), text.replace("STEP", "2"))
    search = SearchOptions(time=seconds, mode=mode)
    return finished(BuildJob(BuildOptions(*files, search=search, replay=False)))


def values(job: BuildJob, name: str) -> list[object]:
    return [dict(case.input.parameters)[name] for case in job.found]


def test_rest_is_a_test_before_the_short_paths_end_and_goes_on_afterwards(tmp_path: Path) -> None:
    """Both long paths are tests at once, the short one is not kept waiting, and the verdict counts
    all of them: they were followed to their end when nothing else was left."""
    job = searched(tmp_path, LOOPS)
    assert job.counters.rested == 2
    assert job.exhausted and job.counters.waiting == 0 and job.counters.paths == 4
    assert {1, 2} <= set(values(job, "x"))
    assert 7 in values(job, "y")
    # The inputs of the long paths came from states at rest: their paths had not ended.
    told = {dict(case.input.parameters)["x"]: case.divergence for case in job.found}
    assert told[1] is None and told[2] is None


def test_what_the_time_cuts_off_at_rest_was_still_waiting(tmp_path: Path) -> None:
    job = searched(tmp_path, LOOPS.replace("LONG", "4000000000u"), seconds=1.5)
    assert job.counters.rested == 2 and job.counters.waiting == 2
    assert not job.exhausted and job.verdict == "no-difference-found"
    assert {1, 2} <= set(values(job, "x")) and 7 in values(job, "y")


def test_a_value_that_an_input_decides_is_no_rest(tmp_path: Path) -> None:
    """The sum depends on y, so the state may decide on it behind the loop."""
    text = LOOPS.replace("sum = 0;", "sum = y;")
    assert searched(tmp_path, text).counters.rested == 0


def test_orders_that_the_user_named_are_kept(tmp_path: Path) -> None:
    assert searched(tmp_path, LOOPS, "depth-first").counters.rested == 0


def state_with(path: PathCondition) -> State:
    return State(Memory(), path)


def test_a_state_is_at_rest_once_it_has_asked_and_learns_no_more() -> None:
    table = TermTable()
    x = table.symbol("x", 32)
    is_five = table.compare("eq", 32, x, 5)
    path = EMPTY.assuming(is_five)
    rest = ConcreteRest(build_solver())
    assert rest.reached(state_with(path), path)
    assert not rest.reached(state_with(EMPTY), EMPTY), "no input has been looked at"
    assert not rest.reached(state_with(path), EMPTY), "it has just learned something"
    state = state_with(path)
    held = state.memory.allocate(8, AllocationKind.HEAP, "held")
    held.store(0, 4, table.binary("add", 32, x, 1), 0)
    assert rest.reached(state, path), "the path says what x is"
    held.store(4, 4, table.symbol("y", 32), 0)
    assert not rest.reached(state, path)
    held.store(4, 4, table.symbol("undefined a #3+0:4", 32), 0)
    assert rest.reached(state, path), "uninitialised memory is no input"


def test_states_at_rest_have_their_share_of_the_work_in_turn() -> None:
    rest = ConcreteRest(build_solver())
    one, two = state_with(EMPTY), state_with(EMPTY)
    rest.count(QUIET, False)
    assert not rest.due and rest.empty()
    rest.add(one)
    rest.add(two)
    assert rest.due and rest.select() is one
    rest.add(one)
    rest.count(QUIET, True)
    assert not rest.due, f"one chunk in {SHARE}"
    rest.count(SHARE * QUIET, False)
    assert rest.due and rest.states() == [two, one]
