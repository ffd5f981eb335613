"""Inputs that a user gives are the first that native fuzzing tries, where they fit the entry."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.campaign.fuzzing_worker import Fuzzing, FuzzingProcess
from symexec.exploration.paths import Finding
from symexec.options import BuildOptions, InputOptions
from symexec.testcases import TestInput
from symexec.watchdog import Watchdog
from tests.command_line import csgtest

# A hash that no solver turns around in seconds; f has a value, g a text, main words.
HASH = """static unsigned hash(const unsigned char *s, unsigned n)
{
    unsigned h = 2166136261u;
    for (unsigned i = 0; i < n; i++)
        h = ((h ^ s[i]) * 16777619u) ^ (h >> 13) ^ (h * h);
    return h;
}
"""
F = HASH + "int f(unsigned x) { return hash((void *)&x, 4) == 0x%xu ? CHANGED : 0; }\n"
SEED = 123456789


def fnv(data: bytes) -> int:
    h = 2166136261
    for byte in data:
        h = (((h ^ byte) * 16777619) ^ (h >> 13) ^ (h * h)) & 0xFFFFFFFF
    return h


def versions() -> tuple[str, str]:
    text = F % fnv(SEED.to_bytes(4, "little"))
    return text.replace("CHANGED", "1"), text.replace("CHANGED", "2")


def write(folder: Path, seeds: list[object]) -> tuple[str, ...]:
    for name, text in zip(("old.c", "new.c"), versions(), strict=True):
        (folder / name).write_text(text)
    (folder / "seeds.jsonl").write_text("".join(json.dumps(each) + "\n" for each in seeds))
    return ("build", "old.c", "new.c", "--entry", "f", "--quiet", "--seeds", "seeds.jsonl")


OTHERS: list[object] = [
    {"args": ["x"]},  # a command line
    {"parameters": {"y": 1}},  # of another function
    {"parameters": {"x": [1, 2]}},  # of another type
    {"parameters": {"x": 1 << 40}},
    {},
]


def test_difference_that_a_seed_shows(tmp_path: Path) -> None:
    """The hash needs a seed, or luck; seeds of other entries are no trouble."""
    words = write(tmp_path, [*OTHERS, {"input": {"parameters": {"x": SEED}}}])
    done = csgtest(*words, "--time", "6", folder=tmp_path)  # a prediction may come before fuzzing
    assert done.code == 1, done
    assert [each["input"]["parameters"]["x"] for each in done.differing] == [SEED]
    assert done.report["native"]["seeds"] == 1
    assert "native fuzzing began with 1 seed of 6 that were given" in done.report["notes"]


@pytest.mark.parametrize("word", ["--deterministic", "--no-native"])
def test_seeds_that_are_not_tried_are_told(word: str, tmp_path: Path) -> None:
    words = write(tmp_path, [{"parameters": {"x": SEED}}])
    done = csgtest(*words, "--time", "1", word, folder=tmp_path)
    assert "native fuzzing has not begun: none of 1 seed was tried" in done.report["notes"]


def test_seeds_are_followed_before_the_builds_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A prediction is found while nothing runs natively."""
    write(tmp_path, [])
    monkeypatch.setattr(Fuzzing, "_once_built", lambda self, groups: None)
    inputs = InputOptions(entry="f")
    options = BuildOptions(tmp_path / "old.c", tmp_path / "new.c", inputs=inputs)
    job = BuildJob(options)
    deadline = time.monotonic() + 60.0
    try:
        job.prepare()
        assert job.prepared is not None and job.replay is not None
        seeds = [TestInput(parameters=(("x", x),)) for x in (1, SEED)]
        process = FuzzingProcess()
        fuzzing = Fuzzing(
            job.prepared, job.replay, process, options, job.signature, deadline, Watchdog(), seeds
        )
        found = False
        while not found and time.monotonic() < deadline:
            found = any(isinstance(each, Finding) and each.differs_in for each in fuzzing.step())
        fuzzing.close()
        assert found
    finally:
        job.close()
