"""The graphs of the samples around what their runs do: uses of values are data dependences, orders
of changes are paths; and the graphs are those of the definitions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from csg.pipeline import program_of, unify_files
from csg.programs import Versions
from tests.csg.graphs.naive import agree
from tests.csg.graphs.runs import (
    Given,
    command_line,
    orders_of_changes_are_paths,
    uses_stay_within_the_dependences,
)
from tests.nightly import every

SAMPLES = Path(__file__).parents[2] / "samples"


@dataclass(frozen=True, slots=True)
class Sample:
    """``uses`` and ``orders``: at least so many are seen in its runs (none where they begin with a
    table of <ctype.h>, which the tracing machine has not). One change follows no other;
    the two of ``shelf`` have outputs or nothing between them."""

    entry: str
    runs: tuple[Given, ...]
    uses: int
    orders: int
    old: str = "old.c"
    new: str = "new.c"


def calls(*arguments: int | bytes | tuple[int, ...]) -> tuple[Given, ...]:
    return tuple(Given(each if isinstance(each, tuple) else (each,)) for each in arguments)


FIELDS = tuple(
    command_line(words, b"a:b:c\nab:\xc3\xa4:x\n\nlast")
    for words in (
        "-b2- -o:", "-b1,2 -o:", "-b1-,3 -o:", "-b-1", "-b0", "-c1,3-4", "-d : -f 2", "-d: -f1,3",
        "-s -d: -f3-", "--complement -b2", "-f 1 -b 2", "--help", "-b", "-bx", "-b5-2", "",
    )
)  # fmt: skip

CASES = {
    "bar": Sample("bar", calls((105, -100), (-100, 105), (1, 2)), 4, 0),
    "commands": Sample("run", calls(b"s1:", b"b1:", b"c1AB", b"v1aeiou", b"x", b""), 40, 0),
    "cut_ranges": Sample("parse_ranges", calls(b"0-", b"5-10-", b"3-", b"-0", b"12"), 70, 10),
    "endless": Sample("settle", calls(0, 1, 2), 6, 0),
    "foo": Sample("foo", calls(-1, 0, -65536, 7), 16, 2),
    "marks": Sample(
        "main", tuple(map(command_line, ("-j -2 9", "-j 9", "-2 9", "-j -9 2", ""))), 180, 10
    ),
    "formula": Sample(
        "evaluate",
        tuple(
            Given((text, bytes(4)))
            for text in (
                b"1 + 2",
                b"let a=1;let b=2;a*b",
                b"let a=1;let b=1;let c=1;let d=1;d",
                b"(",
            )
        ),
        40,
        0,
    ),
    "plus_two": Sample("next", calls(1000, 1001), 0, 0),
    "request": Sample(
        "parse",
        calls(b"GET / HTTP/1.0\r\nTransfer-Encoding:a\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b""),
        120,
        0,
    ),
    "settings": Sample(
        "main",
        tuple(
            Given((), text)
            for text in (b"a=1;", b"section a{section b{section c{weight=1;}}}", b"section {", b"")
        ),
        0,
        0,
    ),
    "shelf": Sample("main", tuple(map(command_line, ("9", "0", "", "77"))), 40, 0, "old", "new"),
    "toy": Sample("foo", calls(7, 8, -(2**31), 2**31 - 1, 9), 20, 0),
    "fields/a": Sample("main", FIELDS, 3000, 10, "a_old.c", "a_new.c"),
    "fields/b": Sample("main", FIELDS, 3000, 0, "b_old.c", "b_new.c"),
    "fields/c": Sample("main", FIELDS, 3000, 3, "c_old.c", "c_new.c"),
}


@pytest.mark.parametrize("name", every(2, CASES))
def test_runs_of_a_sample_stay_within_its_graphs(name: str) -> None:
    sample, folder = CASES[name], SAMPLES / name.partition("/")[0]
    versions = Versions(folder / sample.old, folder / sample.new)
    program = program_of(unify_files(versions), sample.entry)
    uses = uses_stay_within_the_dependences(program, *sample.runs)
    orders = orders_of_changes_are_paths(program, *sample.runs)
    agree(program)
    assert uses >= sample.uses and orders >= sample.orders


def test_every_sample_is_here() -> None:
    there = {each.name for each in SAMPLES.iterdir() if each.is_dir()}
    assert there == {name.partition("/")[0] for name in CASES}
