"""Inputs for native testing, and what following them through the engine says."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.frontend import parse_text
from symexec.campaign.building import BuildJob
from symexec.exploration.pinning import Tracer
from symexec.fuzzing.candidates import Candidates, FunctionDomain, Offspring
from symexec.fuzzing.command_lines import CommandLines
from symexec.fuzzing.option_table import REQUIRED, Option, Vocabulary, vocabulary
from symexec.fuzzing.testing import NativeTesting, explaining
from symexec.fuzzing.values import growing
from symexec.options import BuildOptions, InputOptions, Range, SymbolicArguments
from symexec.replay import PLAIN, Request
from symexec.testcases import Observation, Observed, TestInput, signature_of
from tests.command_line import csgtest

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


@pytest.fixture(scope="module")
def reads_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuildJob]:
    folder = tmp_path_factory.mktemp("reads_all")
    files = folder / "old.c", folder / "new.c"
    for file, changed in zip(files, "01", strict=True):
        file.write_text(READS_ALL.replace("CHANGED", changed))
    job = BuildJob(BuildOptions(*files, replay=False))
    job.prepare()
    yield job
    job.close()


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


def test_formats_stand_for_what_they_are_read_from() -> None:
    words = vocabulary(
        parse_text(
            """
            int sscanf(const char *, const char *, ...);
            int f(const char *s) {
                char name[8]; int n;
                return sscanf(s, "key %7[a-z]=%d;", name, &n) + (s == "two words") + (s == "5%%");
            }
            """
        )
    )
    assert set(words.phrases) == {b"key a=1;", b"key ", b"=", b";", b"two words", b"5%", b"5"}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("strtol(s, 0, 10)", b"9223372036854775808"),
        ("strtoumax(s, 0, 0)", b"18446744073709551616"),
        ("xstrtoul(s, 0, 10)", b"4294967296"),
        ("atoi(s)", b"-2147483649"),
        ('sscanf(s, "%d", 0)', b"2147483648"),
        ("strtod(s, 0)", b"1e999"),
    ],
)
def test_numbers_that_a_conversion_cannot_hold_are_texts(call: str, text: bytes) -> None:
    code = parse_text(f"#include <stdlib.h>\nint f(const char *s) {{ return {call}; }}")
    assert text in vocabulary(code).out_of_range
    assert not vocabulary(parse_text("int f(const char *s) { return s[0]; }")).out_of_range


def test_options_near_a_change_lead_the_vocabulary() -> None:
    words = Vocabulary((), b"bn", b",", (b"-b", b"-n", b"--all"), (b"list", b"show"))
    led = words.led_by([b"-n", b"--new", b"show"])
    assert led.options == (b"-n", b"--new", b"-b", b"--all")
    assert led.words == (b"show", b"list")


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


def test_near_an_input_its_parts_become_words_and_numbers_of_the_program() -> None:
    source = """
        const char *const names[] = {"quiet"};
        int f(int x, const char *s) { return x == 4711 && *s; }
    """
    one = TestInput(parameters=(("x", -5), ("s", b"b")))
    near = Offspring(domain(source, array_length=5), one, 0)
    first = list(islice(near, 24))
    assert TestInput(parameters=(("x", 4711), ("s", b"b"))) in first
    named = TestInput(parameters=(("x", -5), ("s", b"quiet")))
    assert named in first and one not in first
    near.keep(named)  # it brought something: what is near to it comes as well
    assert TestInput(parameters=(("x", 4711), ("s", b"quiet"))) in list(islice(near, 48))


def test_near_a_command_line_there_is_another_option() -> None:
    words = Vocabulary((), b"bn", b",", (b"-b", b"-n", b"--complement"), ())
    bounds = InputOptions(arguments=SymbolicArguments(1, 2, 3), stdin=2)
    lines = CommandLines(words, bounds, takes_arguments=True, strict=True)
    found = list(lines.neighbours(TestInput(args=(b"x",))))
    assert TestInput(args=(b"-n", b"x")) in found and TestInput(args=(b"-b1",)) in found
    assert TestInput(args=(b"x",), stdin=b"a\n") in found
    assert all(len(word) <= 3 for test in found for word in test.args)  # as the user says


class Fake:
    """In place of native runs."""

    def observe_all(self, requests: Iterable[Request]) -> Iterator[Observation]:
        raise NotImplementedError

    def both(self, test: TestInput) -> tuple[Observation, Observation]:
        old, new = self.observe_all([Request("old", test), Request("new", test)])
        return old, new


class Remainders(Fake):
    """Both versions return x % 7. ``tried``: what ran on fast builds."""

    def __init__(self) -> None:
        self.tried: list[object] = []

    def observe_all(self, requests: Iterable[Request]) -> Iterator[Observation]:
        for each in requests:
            x = dict(each.test.parameters)["x"]
            assert isinstance(x, int)
            if each.style == PLAIN and each.build == "old":
                self.tried.append(x)
            yield Observation(exit=0, returned=str(x % 7))


@pytest.mark.parametrize("step", [0.001, 0.03])
def test_what_is_tried_does_not_depend_on_the_time(step: float) -> None:
    """A clock on which a slice has time for a hundred runs, and one for three."""
    numbers = domain("int f(int x) { return x % 7; }")

    def tried(tick: float) -> list[object]:
        replay, ticks = Remainders(), count(0.0, tick)
        testing = NativeTesting(
            replay,  # type: ignore[arg-type]
            Candidates(numbers, 0),
            lambda case, until: case,
            clock=lambda: next(ticks),
        )
        while len(replay.tried) < 300:
            list(testing.turn(0.0, float("inf")))
        return replay.tried[:300]

    assert tried(step) == tried(0.0001)


class Doubles(Fake):
    """One version returns x, the other one 2 * x, always."""

    def observe_all(self, requests: Iterable[Request]) -> Iterator[Observation]:
        for each in requests:
            x = dict(each.test.parameters)["x"]
            assert isinstance(x, int)
            yield Observation(exit=0, returned=str(x if each.build == "old" else 2 * x))


def test_of_one_kind_few_are_confirmed_and_a_way_by_other_changes_is_another_kind() -> None:
    numbers = domain("int f(int x) { return x % 7; }")
    seldom = 23  # one in so many comes by one more change

    def confirmed(touches: bool) -> tuple[list[int], int]:
        def touched(tests: list[TestInput]) -> list[object]:
            values = [dict(test.parameters)["x"] for test in tests]
            return [touches and isinstance(x, int) and x % seldom == 0 for x in values]

        testing = NativeTesting(
            Doubles(),  # type: ignore[arg-type]
            Candidates(numbers, 0),
            lambda case, until: replace(case, observed=Observed.DIFFERENT),
            touched=touched,
        )
        found: list[int] = []
        while testing.tests < 1000:
            for case in testing.turn(0.0, float("inf")):
                x = dict(case.input.parameters)["x"]
                assert isinstance(x, int)
                found.append(x)
        return found, testing.differing

    alike, differing = confirmed(touches=False)
    assert differing >= 900 and 5 <= len(alike) <= 14  # 4, then 8, 16, 32, ..
    apart, _ = confirmed(touches=True)
    assert sum(x % seldom == 0 for x in apart) >= 5 > sum(x % seldom == 0 for x in alike)


class Hidden(Doubles):
    """The same, in sanitized builds alone."""

    def observe_all(self, requests: Iterable[Request]) -> Iterator[Observation]:
        for each in requests:
            plain = each.style == PLAIN
            yield from super().observe_all([replace(each, build="old") if plain else each])


def test_of_one_kind_that_only_sanitized_builds_show_few_are_confirmed() -> None:
    testing = NativeTesting(
        Hidden(),  # type: ignore[arg-type]
        Candidates(domain("int f(int x) { return x % 7; }"), 0),
        lambda case, until: replace(case, observed=Observed.DIFFERENT),
    )
    found: list[object] = []
    while testing.differing < 200:
        found += testing.turn(0.0, float("inf"))
    assert 4 <= len(found) <= 14
    assert len(found) + testing.alike == testing.differing


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


CONVERTED = """#include <errno.h>
#include <stdlib.h>
struct option { int kind; long *value; const char *text; };
int f(struct option *option)
{
    errno = 0;
    if (option->kind == 3)
        *option->value = strtol(option->text, 0, 10);
    return CHANGED;
}
"""


@pytest.mark.parametrize("bounds", [(), ("--array-len", "4")])
def test_texts_longer_than_others_are_tried_where_nobody_bounds_them(
    bounds: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "old.c").write_text(CONVERTED.replace("CHANGED", "0"))
    changed = "errno != 0 && *option->value < 0"  # the number below all longs, and no other
    (tmp_path / "new.c").write_text(CONVERTED.replace("CHANGED", changed))
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "20", "--stop-after", "1")
    done = csgtest(*words, *bounds, folder=tmp_path)
    assert done.code == (not bounds), done.out
    lengths = [len(each["input"]["parameters"]["option->text"]) for each in done.differing]
    assert bounds or max(lengths) >= len("-9223372036854775809")


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


def test_lines_of_known_options_come_early_and_those_near_a_change_first() -> None:
    words = Vocabulary((), b"bno", b",", (b"-b", b"-n", b"-o"), ())
    asked = InputOptions(arguments=SymbolicArguments(0, 3, 5), stdin=2)
    known = [Option(b"-o", REQUIRED, near=0), Option(b"-b", REQUIRED, near=0), Option(b"-n")]
    lines = CommandLines(words, asked, takes_arguments=True, strict=True, options_known=known)
    tests = list(islice(Candidates(lines, 0), 1000))
    options = [test.args for test in tests if test.args and test.args[0].startswith(b"-")]
    assert options.index((b"-o1", b"-b1")) < options.index((b"-o1", b"-n"))
    assert (b"-o1", b"-b1,2") in options and len(set(tests)) == len(tests)
    assert all(len(word) <= 5 for test in tests for word in test.args)


def test_a_program_that_reads_options_in_its_own_way_has_them_with_and_without_values() -> None:
    words = Vocabulary((), b"xy", b":", (b"-x", b"-y", b"--long"), ())
    asked = InputOptions(arguments=SymbolicArguments(0, 2, 6), stdin=0)
    lines = CommandLines(words, asked, takes_arguments=True, strict=True)
    args = {test.args for test in islice(Candidates(lines, 0), 1000)}
    assert {(b"-x1", b"-y"), (b"-x", b"-y"), (b"-x1:2", b"-y1"), (b"-x1", b"--long")} <= args


def test_a_main_without_parameters_gets_standard_input_alone() -> None:
    lines = CommandLines(NO_WORDS, InputOptions(), takes_arguments=False)
    tests = list(islice(Candidates(lines, 0), 100))
    assert len(tests) == 100 and not any(test.args for test in tests)


def test_standard_input_is_edited_and_put_together_of_what_the_program_knows() -> None:
    words = Vocabulary((), b"k", b"/*", (), (b"begin", b"end", b"far_too_long_for_a_text"))
    lines = CommandLines(words, InputOptions(), takes_arguments=False)
    chance = Random(0)
    drawn = {lines.drawn(chance).stdin for _ in range(3000)}
    assert any(b"begin" in text and b"end" in text for text in drawn)
    assert all(len(text) <= 16 and b"far_too_long" not in text for text in drawn)
    one, other = TestInput(stdin=b"begin 12"), TestInput(stdin=b"/*k*/")
    near = {lines.mutated(one, other, chance).stdin for _ in range(6000)}
    assert {b"begin 1", b"begin12", b"begink 12", b"begin end12", b"begink*/", b"egin 12"} <= near
    assert any(text.count(b"begin") == 2 for text in near)  # a part is repeated
    asked = InputOptions(arguments=SymbolicArguments(0, 0, 0), stdin=3)
    lines = CommandLines(words, asked, takes_arguments=False)
    one = TestInput(stdin=b"abc")
    assert all(len(lines.drawn(chance).stdin) <= 3 for _ in range(500))
    assert all(len(lines.mutated(one, other, chance).stdin) <= 3 for _ in range(500))


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


READS_ALL = """
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int sum = CHANGED, c;
    for (int i = 1; i < argc; i++)
        for (char *at = argv[i] + (argv[i][0] == '-'); at[0] && at[1]; at++)
            sum += at[1] - *at;
    while ((c = getchar()) != EOF)
        sum += c;
    return sum & 63;
}
"""


@given(
    args=st.lists(st.binary(max_size=9).map(lambda word: word.replace(b"\0", b"0")), max_size=4),
    stdin=st.binary(max_size=6),
)
def test_each_command_line_is_followed_to_its_end(
    reads_all: BuildJob, args: list[bytes], stdin: bytes
) -> None:
    """Nothing of it is open: how long its words are is known, too."""
    assert reads_all.prepared is not None
    tracer = Tracer(reads_all.prepared, InputOptions())
    found = tracer.trace(TestInput(args=tuple(args), stdin=stdin))
    assert found is not None and found.divergence is not None


def test_what_the_user_excludes_is_neither_followed_nor_admitted(toy: BuildJob) -> None:
    assert toy.prepared is not None
    asked = InputOptions(ranges=(Range("x", 0, 9),), assumptions=("x != 7",))
    tracer = Tracer(toy.prepared, asked)
    admitted = [x for x in range(-2, 12) if tracer.pins.admits(TestInput(parameters=(("x", x),)))]
    assert admitted == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    assert tracer.trace(TestInput(parameters=(("x", 7),))) is None
    assert tracer.trace(TestInput(parameters=(("x", 8),))) is not None


def test_an_assumption_may_speak_of_bytes_that_an_input_lacks(tmp_path: Path) -> None:
    for name, limit in (("old", 1), ("new", 2)):
        text = f"#include <stdio.h>\nint main(void) {{ return getchar() > {limit}; }}"
        (tmp_path / f"{name}.c").write_text(text)
    asked = InputOptions(stdin=3, assumptions=("stdin[0] == 97",))
    job = BuildJob(BuildOptions(tmp_path / "old.c", tmp_path / "new.c", inputs=asked))
    job.prepare()
    assert job.prepared is not None
    pins = Tracer(job.prepared, asked).pins
    texts = (b"", b"a", b"b", b"ab")
    assert [pins.admits(TestInput(stdin=text)) for text in texts] == [False, True, False, True]
    job.close()


# ------------------------------------------------------------------ native testing


def test_native_testing_finds_and_explains_what_only_a_sanitizer_sees(toy: BuildJob) -> None:
    """x == 7 writes before the array."""
    assert toy.replay is not None and toy.unified is not None and toy.signature is not None
    words = vocabulary(toy.unified.unit)
    candidates = Candidates(FunctionDomain(toy.signature, words, InputOptions()), 0)
    ids = [change.id for change in toy.unified.changes]
    testing = NativeTesting(toy.replay, candidates, explaining(toy.replay, ids, {}))
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
