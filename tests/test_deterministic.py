"""``--deterministic``: the same call leaves the same report.json and tests, to the byte, also on a
busy machine and whatever order Python's hashes have."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from symexec.counters import BYTE, LOOK, QUERY, Counters, WorkClock
from tests.command_line import SAMPLES, csgtest
from tests.nightly import daily

OUT = "csgtest-out"
RUNS = {
    "cut_ranges": ("cut_ranges/old.c", "cut_ranges/new.c", "--entry", "parse_ranges"),
    "commands": ("commands/old.c", "commands/new.c", "--sym-args", "0", "2", "3"),
    "foo": ("foo/old.c", "foo/new.c"),
    "shelf": ("shelf/old", "shelf/new"),
    "fields": ("fields/a_old.c", "fields/a_new.c", "--seed", "3", "--sym-args", "1", "2", "4"),
}


@pytest.fixture
def load() -> Iterator[None]:
    """Two processes that do nothing but to keep the machine busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    yield
    for each in busy:
        each.kill()
        each.wait()


@pytest.mark.parametrize("sample", daily(RUNS, 1))
def test_two_runs_are_one(sample: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    found = []
    for hashes in ("1", "2"):
        if hashes == "2":
            request.getfixturevalue("load")
        words = [str(SAMPLES / word) if "/" in word else word for word in RUNS[sample]]
        done = csgtest(
            "build",
            *words,
            "--deterministic",
            "--time",
            "1",
            folder=tmp_path,
            environment={"PYTHONHASHSEED": hashes},
            seconds=600.0,  # of a busy machine; what it does is counted
        )
        assert done.code in (0, 1), done.err
        assert done.report["tests"]
        found.append(contents(tmp_path / OUT))
    assert found[0].keys() == found[1].keys()
    assert {name for name, data in found[0].items() if found[1][name] != data} == set()
    assert any(name.startswith("tests/") for name in found[0]) and "report.json" in found[0]


def contents(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def test_its_budget_is_work(tmp_path: Path) -> None:
    """An endless loop ends when the work is done, and a larger budget allows more of it."""
    chunks = []
    for budget in ("0.5", "1"):
        words = ("build", SAMPLES / "endless/old.c", SAMPLES / "endless/new.c", "--time", budget)
        done = csgtest(*words, "--deterministic", "--no-replay", folder=tmp_path)
        counters = done.report["counters"]
        assert float(budget) <= counters["wall_s"] < float(budget) + 0.2
        assert "native" not in done.report  # nothing ran along with the search
        chunks.append(counters["chunks"])
    assert chunks[1] > chunks[0]


def test_the_clock_counts_work_and_looks() -> None:
    counters = Counters()
    clock = WorkClock(counters)
    assert clock() == pytest.approx(LOOK)
    counters.queries += 10
    counters.solver_s += 2.0
    assert clock() == pytest.approx(2 * LOOK + 10 * QUERY + 2.0)
    counters.moved += 1_000_000_000
    assert clock() == pytest.approx(3 * LOOK + 10 * QUERY + 2.0 + 1e9 * BYTE)
    assert WorkClock(Counters(), look=0.5)() == 0.5


@pytest.mark.parametrize(
    "use", daily(("memset(more, 1, MB)", "memcpy(more, buffer, MB)", "*more = 1"), 1)
)
def test_memory_is_work(tmp_path: Path, use: str) -> None:
    """What allocates and fills without end comes to the end of its budget, not of the memory."""
    text = f"""#include <stdlib.h>
    #include <string.h>
    enum {{ MB = 1 << 20 }};
    char buffer[MB];
    int f(int a) {{
        if (a == 1) for (char *more; (more = malloc(MB)) != 0;) {use};
        return VALUE;
    }}"""
    for name in ("old", "new"):
        (tmp_path / f"{name}.c").write_text(
            text.replace("VALUE", "a" if name == "old" else "a + 1")
        )
    words = ("build", tmp_path / "old.c", tmp_path / "new.c", "--entry", "f", "--time", "0.5")
    done = csgtest(*words, "--deterministic", "--no-replay", folder=tmp_path)
    assert done.report["counters"]["moved"] < 3e9
    assert done.report["counters"]["forgotten"] == 0
