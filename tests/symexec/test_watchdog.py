"""Time and memory hold whatever the search is doing: nothing of it looks at a clock by itself."""

from __future__ import annotations

import gc
import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any

import pytest
import z3

from csg.errors import UsageError
from oracles.reference.context import ReferenceContext
from symexec.campaign.building import BuildJob
from symexec.exploration.following import Following
from symexec.exploration.single_program import ExploreJob
from symexec.expr import TermTable
from symexec.options import BuildOptions, ExploreOptions, InputOptions, SearchOptions
from symexec.progress import Silence
from symexec.report.session import build
from symexec.runtime.library import registry
from symexec.solver import PathCondition, build_solver
from symexec.solver.chain import SolverOptions
from symexec.state.state import State
from symexec.testcases import TestInput
from symexec.watchdog import (
    ATTENTIVE,
    LATE,
    TICK,
    Spent,
    Watchdog,
    What,
    taken_memory,
    usable_processors,
    usual_memory,
)
from tests.nightly import every

SLACK = 1.5  # seconds: of a machine that is busy with other tests
MEGABYTE = 1 << 20


def for_ever() -> None:
    while True:
        pass


def inside_of_a_library() -> None:
    max(repeat(1), key=lambda each: each)


def hard_question(name: str, seconds: float = 0.2) -> None:
    """x * y * z is a large prime; both backends are at it for minutes, and ask now and then whether
    to give up. The chain's own limits are lifted."""
    table = TermTable()
    x, y = (table.symbol(each, 64) for each in "xy")
    solver = build_solver(name, SolverOptions(limit_s=seconds))
    product = table.binary("mul", 64, x, y)
    assert not isinstance(product, int)
    path = PathCondition()
    for term in (x, y):
        path = path.assuming(table.compare("ult", 64, 1, term))
        path = path.assuming(table.compare("ult", 64, term, 1 << 32))
    solver.deadline = time.monotonic() + seconds
    solver.check(path, table.compare("eq", 64, product, 18446744030759878681))
    for_ever()


def test_tick_as_a_guard_begins_or_ends_leaves_none_behind() -> None:
    """A guard that stays would end whatever comes behind it."""
    watchdog, ended = Watchdog(), 0
    with watchdog.until(time.monotonic() - 2 * LATE):
        signal.setitimer(signal.ITIMER_REAL, 5e-4, 5e-4)
        for _ in range(100_000):
            try:
                with watchdog.guard():
                    sum(range(3))
            except Spent:
                ended += 1
            assert not watchdog._guards
    assert ended


@pytest.mark.parametrize(
    "work",
    [
        for_ever,
        inside_of_a_library,
        lambda: hard_question("bitwuzla"),
        lambda: hard_question("z3"),
    ],
    ids=["a loop", "a library", "bitwuzla", "z3"],
)
def test_what_goes_on_for_ever_ends_with_the_time(work: Callable[[], None]) -> None:
    watchdog = Watchdog()
    began = time.monotonic()
    with watchdog.until(began + 0.2), pytest.raises(Spent) as spent, watchdog.guard():
        work()
    assert spent.value.what is What.TIME
    assert time.monotonic() - began < 0.2 + LATE + TICK + SLACK


@pytest.mark.parametrize(
    "work",
    [
        for_ever,
        lambda: hard_question("bitwuzla", 60.0),
        lambda: hard_question("z3", 60.0),
    ],
    ids=["a loop", "bitwuzla", "z3"],
)
def test_others_are_looked_at_while_work_lasts_and_may_end_it(work: Callable[[], None]) -> None:
    watchdog, looks = Watchdog(), list[float]()
    began = time.monotonic()

    def look() -> bool:
        looks.append(time.monotonic() - began)
        return len(looks) == 5

    with (
        watchdog.until(began + 60),
        watchdog.attending(look),
        pytest.raises(Spent),
        watchdog.guard(attends=True),
    ):
        work()
    assert looks[0] >= ATTENTIVE
    assert time.monotonic() - began < ATTENTIVE + 5 * TICK + SLACK


def test_nobody_looks_where_a_guard_does_not_attend_nor_while_somebody_looks() -> None:
    """A look takes what nobody else may have in hands, and may take longer than a tick."""
    watchdog, looks = Watchdog(), list[str]()

    def look() -> bool:
        looks.append("begun")
        begun = time.monotonic()
        while time.monotonic() < begun + 3 * TICK:
            pass
        looks.append("ended")
        return False

    began = time.monotonic()
    with watchdog.until(began + 60), watchdog.attending(look):
        for kind in ({}, {"attends": True}):
            with watchdog.guard(**kind):
                begun = time.monotonic()
                while time.monotonic() < begun + ATTENTIVE + 7 * TICK:
                    pass
            assert bool(looks) is bool(kind)
            while time.monotonic() < began + ATTENTIVE + 3 * TICK:  # no guard
                pass
    assert looks == ["begun", "ended"] * (len(looks) // 2)


def test_nothing_is_ended_outside_of_a_guard_and_an_inner_one_ends_alone() -> None:
    watchdog = Watchdog()
    with watchdog.until(time.monotonic()):
        time.sleep(LATE + 3 * TICK)  # no guard
        with pytest.raises(Spent), watchdog.guard():
            for_ever()
    began = time.monotonic()
    with watchdog.until(began + 60), watchdog.guard():
        with pytest.raises(Spent), watchdog.guard(began + 0.1):
            for_ever()
        while time.monotonic() < began + 0.1 + LATE + 3 * TICK:  # the outer one has time
            pass


def test_what_takes_more_and_more_ends_with_the_memory() -> None:
    watchdog = Watchdog(taken_memory() + 64 * MEGABYTE)
    held = []
    with watchdog.until(time.monotonic() + 30), pytest.raises(Spent) as spent, watchdog.guard():
        while True:
            held.append(bytearray(b"x" * MEGABYTE))
            time.sleep(0.0005)
    assert spent.value.what is What.MEMORY
    assert 64 <= len(held) < 1500
    assert watchdog.tight
    watchdog.relieved()
    assert not watchdog.tight


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, 8),
        ({"cpu.max": "max 100000\n"}, 8),
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"a/cpu.max": "50000 100000\n", "cpu.max": "400000 100000\n"}, 1),
        ({"cpu.max": "400000 100000\n"}, 4),
        ({"cpu.max": "what is this"}, 8),
    ],
)
def test_processors_are_those_that_control_groups_give_the_time_of(
    limits: dict[str, str], expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    for name, text in limits.items():
        (tmp_path / name).write_text(text)
    places = [("", tmp_path / "a"), ("", tmp_path)]
    monkeypatch.setattr("symexec.watchdog._groups", lambda wanted: iter(places))
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)))
    assert usable_processors() == expected


def test_processors_of_a_group_of_the_first_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpu.cfs_quota_us").write_text("300000")
    (tmp_path / "cpu.cfs_period_us").write_text("100000")
    monkeypatch.setattr("symexec.watchdog._groups", lambda wanted: iter([("cpu", tmp_path)]))
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)))
    assert usable_processors() == 3
    (tmp_path / "cpu.cfs_quota_us").write_text("-1")
    assert usable_processors() == 8


def test_the_usual_memory_is_a_part_of_what_is_free() -> None:
    free = int(
        next(
            line.split()[1]
            for line in Path("/proc/meminfo").read_text().splitlines()
            if line.startswith("MemAvailable")
        )
    )
    assert 0 < usual_memory() <= max(free << 10, 256 * MEGABYTE)


def test_preparing_may_take_long_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symexec.watchdog.PREPARATION", 0.1)
    with pytest.raises(UsageError, match="takes longer than"), Watchdog().preparing(0.001):
        for_ever()


def test_time_in_which_others_run_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symexec.watchdog.PREPARATION", 0.1)
    began = time.monotonic()
    monkeypatch.setattr("symexec.watchdog.waited", lambda: min(1.5, time.monotonic() - began))
    with pytest.raises(UsageError), Watchdog().preparing(0.001):
        for_ever()
    assert time.monotonic() > began + 1.5


def test_a_process_on_a_busy_processor_waits() -> None:
    """Two that never rest share the processor of one."""
    code = "import os, time\nfrom symexec.watchdog import waited\n"
    code += "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    code += "child = os.fork()\nend = time.monotonic() + 1\n"
    code += "while time.monotonic() < end: pass\n"
    code += "print(waited()) if child else None"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    if Path("/proc/self/schedstat").exists():
        assert 0.2 < float(done.stdout) < 1.5


STRETCHES = ["read_versions", "lower", "files_to_build", "golden_files", "analysed", "with_lasting"]


@pytest.mark.parametrize("stretch", every(2, STRETCHES))
def test_no_stretch_of_preparation_goes_on_for_ever(
    stretch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PREPARATION", "PREPARATION_FACTOR"):
        monkeypatch.setattr(f"symexec.watchdog.{name}", 1.0)
    monkeypatch.setattr(f"symexec.campaign.building.{stretch}", lambda *given: for_ever())
    with pytest.raises(UsageError, match="takes longer than 1 s"):
        build(small_build(tmp_path), Silence())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("stretch", ["csg.render.sequence_picture", "symexec.report.session.page"])
def test_the_report_is_written_whatever_a_part_of_it_takes(
    stretch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symexec.report.session.PAGE", 0.2)
    monkeypatch.setattr("symexec.report.session.DRAWING", 0.2)
    monkeypatch.setattr(stretch, lambda *given, **named: for_ever())
    report = build(small_build(tmp_path), Silence())
    assert report.finished and any("in time" in n or "takes longer" in n for n in report.notes)
    assert json.loads((tmp_path / "out" / "report.json").read_text())["finished"]
    assert (tmp_path / "out" / "report.html").read_text().startswith("<!DOCTYPE html>")


def small_build(folder: Path) -> BuildOptions:
    for name, result in (("old", "x"), ("new", "x + 1")):
        (folder / f"{name}.c").write_text(f"int f(int x) {{ return {result}; }}\n")
    files = folder / "old.c", folder / "new.c"
    search = SearchOptions(time=0.2)
    return BuildOptions(*files, search=search, out=folder / "out", replay=False)


NUMBERS = (0, 1, 4096, 1 << 20, 2_000_000_000, (1 << 31) - 1, 1 << 31, 1 << 40, 1 << 63)
INTERNAL = {"__csgtest_stream_room"}  # which models in C give the size of an object


@contextmanager
def addresses_for(size: int) -> Iterator[None]:
    """No more than that is allocated from here on."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_no_model_takes_much_for_huge_numbers() -> None:
    """What a model in Python does in one step, nobody can end: it has to be little. What it makes
    of arguments that are of other types than its own is not looked at."""
    chance = Random(1)
    for name in sorted(registry().keys() - INTERNAL):
        for _ in range(5):
            world = ReferenceContext()
            places = world.text(b"%*d%s.5"), world.place(bytes(64))
            drawn = [chance.choice((*NUMBERS, *places * 5)) for _ in range(6)]
            watchdog, began = Watchdog(1 << 50), time.process_time()
            with addresses_for(512 * MEGABYTE), watchdog.until(time.monotonic() + 5):
                try:
                    with watchdog.guard():
                        world.run(name, *drawn[: chance.randint(1, 6)])
                except MemoryError:
                    raise AssertionError(f"{name}{drawn} takes more memory") from None
                except Exception:
                    pass
            assert time.process_time() - began < 0.5, (name, drawn)


# ---------------------------------------------------------------------- searches

LONG = {
    "writes that grow": """
        #include <stdlib.h>
        #include <string.h>
        int f(int n) {
            int s = 0;
            for (int i = 0; i < n; i++) {
                char *p = malloc(1 << 20);
                memset(p, i, 1 << 20);
                s += p[i % 1000];
            }
            return s;
        }""",
    "bytes one by one": """
        #include <string.h>
        char a[1 << 22];
        int f(int n) { for (;;) { memset(a, n, sizeof a); memmove(a + 1, a, sizeof a - 1); } }""",
    "text": """
        #include <stdio.h>
        #include <string.h>
        char a[1 << 22], b[1 << 23];
        int f(int n) {
            memset(a, 'x', sizeof a - 1);
            a[7] = n;
            for (;;) sprintf(b, "%s%d", a, (int) strlen(a));
        }""",
    "comparisons": """
        #include <string.h>
        char a[1 << 22], b[1 << 22];
        int f(int n) {
            memset(a, 'x', sizeof a - 1);
            memset(b, 'x', sizeof b - 1);
            a[1 << 21] = n;
            return strcmp(a, b) + strspn(a, "xyz") + (strstr(a, b) != 0) + (memchr(a, 0, 4) != 0);
        }""",
}


def explored(
    text: str,
    folder: Path,
    search: SearchOptions,
    watchdog: Watchdog | None = None,
    array_length: int = 4,
) -> ExploreJob:
    (folder / "one.c").write_text(text)
    options = InputOptions(entry="f", array_length=array_length)
    job = ExploreJob(ExploreOptions(folder / "one.c", inputs=options, search=search))
    job.watchdog = watchdog or job.watchdog
    job.prepare()
    job.started = time.monotonic()
    for _ in job.cases(Silence()):
        pass
    return job


@pytest.mark.parametrize("kind", LONG)
def test_the_time_holds_within_one_step(kind: str, tmp_path: Path) -> None:
    began = time.monotonic()
    job = explored(LONG[kind], tmp_path, SearchOptions(time=0.5))
    assert job.counters.wall_s < 0.5 + 2.0, time.monotonic() - began
    assert job.counters.cuts and not job.exhausted


def test_a_native_input_is_followed_for_a_moment_whatever_it_says(tmp_path: Path) -> None:
    """It gives the size of what is written byte by byte, four million times."""
    for name, result in (("old", 1), ("new", 2)):
        (tmp_path / f"{name}.c").write_text(
            "#include <string.h>\nchar a[1 << 22];\nint f(unsigned n, int x) {\n"
            "    for (unsigned i = 0; i < n; i++) { memset(a, x, n); a[i] = 0; }\n"
            f"    return a[x & 9] + {result};\n}}\n"
        )
    options = BuildOptions(tmp_path / "old.c", tmp_path / "new.c", replay=False)
    job = BuildJob(options)
    job.prepare()
    assert job.prepared is not None
    began = time.monotonic()
    following = Following(job.prepared, options, began + 60, job.watchdog)
    following.give(TestInput(parameters=(("n", 1 << 22), ("x", 5))), (0,))
    with job.watchdog.until(began + 60):
        list(following.slice(0.2))
    assert following.followed == 1 and time.monotonic() - began < 1.0 + LATE + TICK + 2 * SLACK


def test_the_time_holds_for_inputs_without_an_end(tmp_path: Path) -> None:
    job = explored(
        "int f(char *s) { return s[0]; }", tmp_path, SearchOptions(0.5), array_length=10**6
    )
    assert job.counters.wall_s < 0.5 + 2.0
    assert not job.exhausted


MANY = "int f({}) {{ int t = 0; {} return t; }}".format(
    ", ".join(f"int a{each}" for each in range(9)),
    " ".join(f"if (a{each} > 5) t += a{each};" for each in range(9)),
)


class Tight(Watchdog):
    """Memory is short whenever it is asked for the 40th time."""

    asked = relieved_times = 0

    @property
    def tight(self) -> bool:
        self.asked += 1
        return self.asked % 40 == 0

    def relieved(self) -> None:
        self.relieved_times += 1


def test_states_of_the_lowest_priority_go_when_memory_is_short(tmp_path: Path) -> None:
    watchdog = Tight()
    job = explored(MANY, tmp_path, SearchOptions(time=30), watchdog)
    counters = job.counters
    assert watchdog.relieved_times > 1
    assert counters.forgotten > 1 and counters.cuts >= counters.forgotten
    assert 0 < counters.paths < 1 << 9
    assert not job.exhausted
    assert explored(MANY, tmp_path, SearchOptions(time=30)).counters.paths == 1 << 9


def test_the_search_ends_when_no_state_takes_the_memory(tmp_path: Path) -> None:
    """Its limit is below what csgtest takes by itself."""
    job = explored(MANY, tmp_path, SearchOptions(time=30, memory=1 << 20))
    assert job.counters.forgotten and not job.exhausted
    assert job.counters.wall_s < 5


def test_ended_states_are_let_go(tmp_path: Path) -> None:
    """All that is left of a path that has ended is its test, and terms."""
    states: set[int] = set()

    class Counting(Watchdog):
        asked = 0

        @property
        def tight(self) -> bool:
            self.asked += 1
            if self.asked % 100 == 0:
                states.add(held_states())
            return False

    gc.collect()
    before = held_states()  # by fixtures of other tests in this process
    job = explored(MANY, tmp_path, SearchOptions(time=30), Counting())
    assert job.counters.paths == 1 << 9
    assert max(states) - before < 200


def held_states() -> int:
    return sum(isinstance(each, State) for each in gc.get_objects())


class _Slow:
    def __del__(self) -> None:
        end = time.monotonic() + LATE + 5 * TICK
        while time.monotonic() < end:
            pass


def test_what_python_drops_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time may be over while an object is taken apart; nobody is told of that."""
    heard: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", heard.append)
    watchdog = Watchdog()
    with pytest.raises(Spent), watchdog.until(time.monotonic()), watchdog.guard():
        _Slow()
        for_ever()
    assert heard == []


def test_objects_of_z3_are_made_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has not taken its reference yet gives back that of another one, and one day the
    process dies where nobody would look."""
    monkeypatch.setattr("symexec.watchdog.TICK", 0.0005)
    monkeypatch.setattr("symexec.watchdog.LATE", 0.0)
    heard: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", heard.append)
    watchdog = Watchdog()
    for _ in range(100):
        with watchdog.until(time.monotonic()), pytest.raises(Spent) as found, watchdog.guard():
            while True:
                _numbers_of_z3()
        modules = [each.frame.f_globals["__name__"] for each in found.traceback]
        assert not any(each.startswith("z3.") for each in modules), modules
    assert heard == []


def _numbers_of_z3() -> None:
    term = z3.BitVec("x", 32)
    for _ in range(3):
        term = term * 3 + 1
    sum(range(200))


def test_a_tick_that_comes_late_is_ignored() -> None:
    """By another thread, say, when nothing is limited any more; Python would complain of it."""
    program = """
import os, signal
from symexec.watchdog import Watchdog
with Watchdog().until(float("inf")):
    pass
os.kill(os.getpid(), signal.SIGALRM)
print("goes on")
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")
