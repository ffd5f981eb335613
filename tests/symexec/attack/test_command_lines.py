"""Command lines of the attack: within the user's bounds, each once, all where there are few."""

from __future__ import annotations

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


ALL = Bounds(0, 4, 64, 256, (), False)
TRIED = list(islice(command_lines(Words((7, 4711), (b"cfg", b"quux")), ALL, 1), 9000))
FIRST = [*takewhile(lambda each: len(each.args) + bool(each.stdin) < 2, TRIED)]
MIXED = TRIED[len(FIRST) :]
ARGS = {each.args for each in FIRST}
MIXED_ARGS = [word for each in MIXED for word in each.args]
READ = {each.stdin for each in FIRST}
KINDS = {
    "no argument": lambda: TRIED[0] == TestInput(),
    "each byte": lambda: {(bytes([byte]),) for byte in range(1, 256)} <= ARGS,
    "each word": lambda: {(b"cfg",), (b"quux",)} <= ARGS,
    "each byte to read": lambda: {bytes([byte]) for byte in range(256)} <= READ,
    "the end of a line": lambda: {b"quux\n", b"\xff\n"} <= READ,
    "numbers of the text": lambda: (b"4711",) in ARGS,
    "boundaries": lambda: {(b"-2147483648",), (b"2147483648",), (b"65535",)} <= ARGS,
    "numbers as bytes": lambda: b"\x07" in MIXED_ARGS and MIXED_ARGS.count(b"\x07") > 8,
    "long options": lambda: (b"--quux",) in ARGS,
    "short options": lambda: (b"-q",) in ARGS,
    "several arguments": lambda: {len(each.args) for each in MIXED} == {0, 1, 2, 3, 4},
    "several lines to read": lambda: sum(each.stdin.count(b"\n") > 1 for each in MIXED) > 500,
    "any bytes": lambda: (
        sum(sum(128 < byte < 255 for byte in each) > 2 for each in MIXED_ARGS) > 100
    ),
    "usual bytes": lambda: (
        sum(len(each) > 2 and set(each) <= set(_USUAL_BYTES) for each in MIXED_ARGS) > 100
    ),
    "words with another byte": lambda: (
        sum(
            len(each) == 4 and sum(a == b for a, b in zip(each, b"quux", strict=True)) == 3
            for each in MIXED_ARGS
        )
        > 5
    ),
    "words with a sign": lambda: {b"quux ", b"quux=", b"quux,", b"quux-"} <= {*MIXED_ARGS},
    "small numbers": lambda: (
        sum(
            each.lstrip(b"-").isdigit() and abs(int(each)) <= 300 and len(each) > 2
            for each in MIXED_ARGS
        )
        > 1200
    ),
}
_USUAL_BYTES = b"+.:/ aAbBzZ\t\n\x01\x7f\x80\xff"  # and digits, which other kinds have as well


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_line_is_tried(kind: str) -> None:
    assert KINDS[kind]()


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
