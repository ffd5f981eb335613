"""Inputs for native testing, and what following them through the engine says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from csg.frontend import parse_text
from symexec.campaign.building import BuildJob
from symexec.campaign.candidates import Candidates, FunctionDomain
from symexec.campaign.command_lines import CommandLines
from symexec.campaign.native import NativeTesting
from symexec.campaign.tracing import Tracer
from symexec.campaign.values import growing
from symexec.campaign.vocabulary import Vocabulary, vocabulary
from symexec.options import BuildOptions, InputOptions, Range, SymbolicArguments
from symexec.testcases import TestInput, signature_of

SAMPLES = Path(__file__).parents[3] / "samples"
NO_WORDS = Vocabulary((), b"", b"", (), ())


def domain(text: str, **inputs: object) -> FunctionDomain:
    unit = parse_text(text)
    options = InputOptions(**inputs)  # type: ignore[arg-type]
    return FunctionDomain(signature_of(unit.functions[0]), vocabulary(unit), options)


def prepared(name: str, inputs: InputOptions) -> Iterator[BuildJob]:
    pair = SAMPLES / name
    job = BuildJob(BuildOptions(pair / "old.c", pair / "new.c", inputs=inputs))
    job.prepare()
    yield job
    job.close()


@pytest.fixture
def cut_ranges() -> Iterator[BuildJob]:
    yield from prepared("cut_ranges", InputOptions())


@pytest.fixture
def toy() -> Iterator[BuildJob]:
    yield from prepared("toy", InputOptions())


# ------------------------------------------------------------------ words and values


def test_the_vocabulary_is_what_the_program_compares_with() -> None:
    words = vocabulary(
        parse_text(
            """
            #include <string.h>
            static const char *names[] = {"quiet", "two words"};
            int f(int c, const char *s) {
                switch (c) { case 'q': return 1; case ',': return 2; }
                return strcmp(s, "--all") == 0 || strcmp(s, names[0]) == 0 || c > 1000;
            }
            """
        )
    )
    assert {999, 1000, 1001} <= set(words.numbers)
    assert words.letters == b"q" and words.separators == b","
    assert words.options == (b"-q", b"--all", b"--quiet")
    assert b"quiet" in words.words and b"two words" not in words.words


def test_rows_grow_from_small_to_large_and_come_once() -> None:
    rows = list(growing([[0, 1, 2, 3], [0, 1]]))
    assert rows[:4] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert sorted(rows) == [(a, b) for a in range(4) for b in range(2)]
    assert list(growing([])) == [()]


def test_a_small_range_is_enumerated_and_then_nothing_is_left() -> None:
    candidates = Candidates(domain("int f(int x) { return x; }", ranges=(Range("x", -3, 4),)), 0)
    values = [dict(test.parameters)["x"] for test in candidates]
    assert sorted(values) == list(range(-3, 5))  # type: ignore[type-var]
    assert values[0] == 0 and candidates.exhausted


def test_boundaries_and_neighbours_of_constants_come_early() -> None:
    candidates = Candidates(domain("int f(int x) { return x > 123456; }"), 0)
    early = {dict(test.parameters)["x"] for test in islice(candidates, 400)}
    assert {0, -1, 123455, 123456, 123457, -(2**31), 2**31 - 1} <= early


def test_inputs_are_the_same_for_a_seed_and_never_come_twice() -> None:
    source = "int f(const char *s, unsigned char n) { return s[0] == 'x' && n; }"
    one, other, third = (list(islice(Candidates(domain(source), s), 500)) for s in (1, 1, 2))
    assert one == other != third
    assert len(set(one)) == 500


def test_strings_and_arrays_keep_to_their_length() -> None:
    tests = list(
        islice(
            Candidates(domain("int f(char *s, int *a) { return *s + *a; }", array_length=2), 0), 500
        )
    )
    for test in tests:
        named = dict(test.parameters)
        text, numbers = named["s"], named["a"]
        assert isinstance(text, bytes) and len(text) <= 2
        assert isinstance(numbers, tuple) and len(numbers) == 2


def test_command_lines_keep_to_the_bounds_but_for_words_of_the_program() -> None:
    words = Vocabulary((), b"b", b",", (b"-b", b"--complement"), (b"complement",))
    asked = InputOptions(arguments=SymbolicArguments(1, 2, 3), stdin=2)
    lines = CommandLines(words, asked, takes_arguments=True)
    candidates, chance = Candidates(lines, 0), Random(0)
    tests = list(islice(candidates, 2000))
    tests += [lines.mutated(a, b, chance) for a, b in zip(tests, reversed(tests), strict=True)]
    for test in tests:
        assert 1 <= len(test.args) <= 2 and len(test.stdin) <= 2
        assert all(len(w) <= 3 or w in (b"--complement", b"complement") for w in test.args)
    assert any(b"--complement" in test.args for test in tests)


def test_a_main_without_parameters_gets_standard_input_alone() -> None:
    lines = CommandLines(NO_WORDS, InputOptions(), takes_arguments=False)
    tests = list(islice(Candidates(lines, 0), 100))
    assert len(tests) == 100 and not any(test.args for test in tests)


# ------------------------------------------------------------------ following an input


def test_an_input_followed_through_the_engine_has_its_sequence(cut_ranges: BuildJob) -> None:
    assert cut_ranges.prepared is not None
    tracer = Tracer(cut_ranges.prepared, InputOptions())
    witness = tracer.trace(TestInput(parameters=(("fs", b"0-"),)))
    assert witness is not None and witness.divergence is not None
    assert witness.sequence[:4] == ("c1", "c2", "c3", "i1")
    harmless = tracer.trace(TestInput(parameters=(("fs", b"-0"),)))
    assert harmless is not None and harmless.divergence is None
    assert harmless.sequence[:4] == ("c1", "c3", "i1", "c2")


def test_what_the_user_excludes_is_neither_followed_nor_admitted(toy: BuildJob) -> None:
    assert toy.prepared is not None
    asked = InputOptions(ranges=(Range("x", 0, 9),), assumptions=("x != 7",))
    tracer = Tracer(toy.prepared, asked)
    admitted = [x for x in range(-2, 12) if tracer.pins.admits(TestInput(parameters=(("x", x),)))]
    assert admitted == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    assert tracer.trace(TestInput(parameters=(("x", 7),))) is None
    assert tracer.trace(TestInput(parameters=(("x", 8),))) is not None


# ------------------------------------------------------------------ native testing


def test_native_testing_finds_and_explains_what_only_a_sanitizer_sees(toy: BuildJob) -> None:
    """x == 7 writes before the array."""
    assert toy.replay is not None and toy.unified is not None and toy.signature is not None
    words = vocabulary(toy.unified.unit)
    candidates = Candidates(FunctionDomain(toy.signature, words, InputOptions()), 0)
    testing = NativeTesting(toy.replay, candidates, toy.unified.changes)
    started = time.monotonic()
    found = {}
    for case in testing.cases(started, started + 20.0):
        found[dict(case.input.parameters)["x"]] = case
        if {7, 8} <= set(found):
            break
    assert found[7].kind == "regression" and found[8].kind == "difference"
    assert all(case.blame and case.blame.blamed for case in found.values())
    assert testing.tests >= testing.differing >= len(found)
    assert all(each.input.parameters for each in testing.sample)
