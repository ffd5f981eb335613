"""Command lines of the attack: within the user's bounds, each once, all where there are few."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import islice, takewhile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symexec.attack.command_lines import (
    Bounds,
    bounds_of,
    command_lines,
    differ,
    size_of_domain,
)
from symexec.attack.words import Words
from symexec.options import InputOptions, SymbolicArguments, SymbolicFiles
from symexec.testcases import Observation, TestInput
from tests.symexec.attack.attacks import attacked

WORDS = Words((7, 300), (b"cfg", b"%d\n"))


def test_one_byte_is_tried_completely_and_before_anything_else() -> None:
    asked = InputOptions(arguments=SymbolicArguments(1, 1, 1))
    bounds = bounds_of(asked, True)
    found = list(command_lines(WORDS, bounds, 0))
    assert {each.args for each in found} == {(b"",), *((bytes([n]),) for n in range(1, 256))}
    assert size_of_domain(bounds) == len(found) == 256


@given(
    least=st.integers(0, 2),
    more=st.integers(0, 2),
    length=st.integers(0, 3),
    stdin=st.integers(0, 5),
    seed=st.integers(0, 9),
)
def test_inputs_stay_within_the_bounds_and_differ(
    least: int, more: int, length: int, stdin: int, seed: int
) -> None:
    bounds = Bounds(least, least + more, length, stdin, (("A", 3),) if stdin else (), True)
    found = list(islice(command_lines(WORDS, bounds, seed), 300))
    assert len(set(found)) == len(found)
    for each in found:
        assert least <= len(each.args) <= least + more
        assert all(len(word) <= length and b"\0" not in word for word in each.args)
        assert len(each.stdin) <= max(stdin, 1) and all(len(data) <= 3 for _, data in each.files)
    assert found == list(islice(command_lines(WORDS, bounds, seed), 300))


def test_words_of_the_text_become_arguments_lines_and_files() -> None:
    bounds = bounds_of(InputOptions(), True)
    found = list(islice(command_lines(WORDS, bounds, 1), 3000))
    assert TestInput(args=(b"cfg",)) in found and TestInput(args=(b"300",)) in found
    assert any(name == "cfg" for each in found for name, _ in each.files)
    assert any(len(each.args) == 4 for each in found) and any(each.stdin for each in found)


def test_a_program_that_takes_nothing_is_run_on_what_it_may_read() -> None:
    bounds = bounds_of(InputOptions(), False)
    assert all(not each.args for each in islice(command_lines(WORDS, bounds, 1), 500))


def test_files_are_those_that_the_user_names() -> None:
    bounds = bounds_of(InputOptions(files=SymbolicFiles(2, 4)), True)
    assert bounds.files == (("A", 4), ("B", 4)) and bounds.most == 0


@pytest.mark.parametrize(
    ("old", "new", "apart"),
    [
        (Observation(0, stdout=b"a"), Observation(0, stdout=b"b"), True),
        (Observation(0), Observation(0), False),
        (Observation(timed_out=True), Observation(0), False),  # one may be slow
        (
            Observation(timed_out=True, stdout=b"a"),
            Observation(timed_out=True, stdout=b"b"),
            True,
        ),
        (
            Observation(timed_out=True, stdout=b"a"),
            Observation(timed_out=True, stdout=b"ab"),
            False,
        ),
    ],
)
def test_runs_that_were_cut_off_differ_in_what_both_have_written_alone(
    old: Observation, new: Observation, apart: bool
) -> None:
    assert differ(old, new) is apart


@dataclass(frozen=True, slots=True)
class Tried:
    """Command lines in the order in which the attack tries them: first one word or text to read
    each, then mixed ones."""

    first: list[TestInput]
    mixed: list[TestInput]

    @property
    def args(self) -> set[tuple[bytes, ...]]:
        return {each.args for each in self.first}

    @property
    def read(self) -> set[bytes]:
        return {each.stdin for each in self.first}

    @property
    def words(self) -> list[bytes]:
        """The arguments of the mixed ones."""
        return [word for each in self.mixed for word in each.args]


@cache
def make_lines() -> Tried:
    bounds = Bounds(0, 4, 64, 256, (), False)
    lines = list(islice(command_lines(Words((7, 4711), (b"cfg", b"quux")), bounds, 1), 9000))
    first = [*takewhile(lambda each: len(each.args) + bool(each.stdin) < 2, lines)]
    return Tried(first, lines[len(first) :])


# Other kinds have digits as well.
_USUAL_BYTES = b"+.:/ aAbBzZ\t\n\x01\x7f\x80\xff"
KINDS: dict[str, Callable[[Tried], bool]] = {
    "no argument": lambda lines: lines.first[0] == TestInput(),
    "each byte": lambda lines: {(bytes([byte]),) for byte in range(1, 256)} <= lines.args,
    "each word": lambda lines: {(b"cfg",), (b"quux",)} <= lines.args,
    "each byte to read": lambda lines: {bytes([byte]) for byte in range(256)} <= lines.read,
    "the end of a line": lambda lines: {b"quux\n", b"\xff\n"} <= lines.read,
    "numbers of the text": lambda lines: (b"4711",) in lines.args,
    "boundaries": lambda lines: {(b"-2147483648",), (b"2147483648",), (b"65535",)} <= lines.args,
    "numbers as bytes": lambda lines: lines.words.count(b"\x07") > 8,
    "long options": lambda lines: (b"--quux",) in lines.args,
    "short options": lambda lines: (b"-q",) in lines.args,
    "several arguments": lambda lines: {len(each.args) for each in lines.mixed} == {0, 1, 2, 3, 4},
    "several lines to read": lambda lines: (
        sum(each.stdin.count(b"\n") > 1 for each in lines.mixed) > 500
    ),
    "any bytes": lambda lines: (
        sum(sum(128 < byte < 255 for byte in each) > 2 for each in lines.words) > 100
    ),
    "usual bytes": lambda lines: (
        sum(len(each) > 2 and set(each) <= set(_USUAL_BYTES) for each in lines.words) > 100
    ),
    "words with another byte": lambda lines: (
        sum(
            len(each) == 4 and sum(a == b for a, b in zip(each, b"quux", strict=True)) == 3
            for each in lines.words
        )
        > 5
    ),
    "words with a sign": lambda lines: {b"quux ", b"quux=", b"quux,", b"quux-"} <= {*lines.words},
    "small numbers": lambda lines: (
        sum(
            each.lstrip(b"-").isdigit() and abs(int(each)) <= 300 and len(each) > 2
            for each in lines.words
        )
        > 1200
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_line_is_tried(kind: str) -> None:
    assert KINDS[kind](make_lines())


def test_two_bytes_are_tried_completely() -> None:
    bounds = bounds_of(InputOptions(arguments=SymbolicArguments(1, 1, 2)), True)
    found = {each.args[0] for each in command_lines(WORDS, bounds, 0)}
    assert len(found) == size_of_domain(bounds) == 1 + 255 + 255 * 255


@pytest.mark.parametrize(
    ("build", "condition"),
    [("-O0", "!defined __OPTIMIZE__"), ("-O2", "defined __OPTIMIZE__")],
    ids=["-O0", "-O2"],
)
def test_each_build_is_tried(build: str, condition: str, tmp_path: Path) -> None:
    """What one build alone shows is found."""
    old = f"int main(int argc, char **argv)\n{{\n#if {condition} && !defined CSGTEST\n"
    old += "    if (argc > 1 && argv[1][0] == 3) return 1;\n#endif\n    return argc + 1;\n}\n"
    new = old.replace("return 1;", "return 9;").replace("argc + 1", "1 + argc + 0")
    found = attacked(tmp_path, old, new, "--sym-args", "1", "1", "1", seconds=15)
    assert found.tests or found.omissions
