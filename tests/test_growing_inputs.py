"""Differences that need about 40 bytes which belong together, from defaults: the samples, and what
is generated of their kind."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from generators.parsers import HANDWRITTEN, Pair, generated, handwritten, written
from tests.command_line import csgtest, differing, pair, size_in_report, until


@pytest.mark.night
def test_a_generated_parser_shows_a_difference_behind_twenty_bytes(tmp_path: Path) -> None:
    made = generated(3)
    written(made, tmp_path)
    words = ("--entry", made.entry or "", "--time", "240", "--stop-after", "1")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path, seconds=300.0)
    assert done.report["verdict"] == "different", done
    assert done.report["counters"]["mispredicted"] == 0
    sizes = [size_of_text(test) for test in done.differing]
    assert sizes and min(sizes) > 20, done.differing


@pytest.mark.night
@pytest.mark.parametrize(
    ("sample", "words"), [("request", ("--entry", "parse")), ("formula", ("--entry", "evaluate"))]
)
def test_a_parser_shows_a_difference_that_needs_forty_bytes(
    sample: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    call = ("build", *map(str, pair(sample)), *words, "--time", "240")
    done = until(differing, *call, folder=tmp_path)
    assert done.report["verdict"] == "different", done
    assert done.report["counters"]["mispredicted"] == 0
    assert min(map(size_of_text, done.differing)) > 30


def size_of_text(test: dict[str, Any]) -> int:
    return size_in_report(test["input"]["parameters"]["text"])


def test_the_grammars_differ_and_are_the_same_for_a_number() -> None:
    assert generated(3) == generated(3) != generated(4)
    forms = {generated(seed).entry for seed in range(1, 12)}
    assert forms == {None, "parse"}


@pytest.mark.parametrize("seed", [1, 3, 9, 17])
def test_a_generated_parser_differs_on_its_witness_alone(seed: int, tmp_path: Path) -> None:
    made = generated(seed)
    written(made, tmp_path)
    outputs = [_shown(made, tmp_path / f"{version}.c", made.witness) for version in ("old", "new")]
    assert outputs[0] != outputs[1] and "-1" not in outputs
    shorter = made.witness[:-1]
    assert {_shown(made, tmp_path / f"{each}.c", shorter) for each in ("old", "new")} == {"-1\n"}


@pytest.mark.parametrize("name", HANDWRITTEN)
def test_one_written_by_hand_differs_on_its_witness(name: str, tmp_path: Path) -> None:
    made = handwritten(name)
    written(made, tmp_path)
    old, new = (_shown(made, tmp_path / f"{each}.c", made.witness) for each in ("old", "new"))
    assert old != new and not old.startswith("-")


def _shown(made: Pair, source: Path, text: str) -> str:
    program = source.with_suffix("")
    main = source
    if made.entry is not None:
        main = source.with_suffix(".main.c")
        given = "text, size" if made.entry == "decode" else "text"
        main.write_text(
            f'#include "{source}"\n#include <stdio.h>\n'
            "int main(void)\n{\n    static char text[4096];\n"
            "    size_t size = fread(text, 1, sizeof text - 1, stdin);\n"
            f'    printf("%ld\\n", (long) {made.entry}({given}));\n}}\n'
        )
    subprocess.run(["gcc", "-w", "-o", str(program), str(main)], check=True)
    done = subprocess.run([program], input=text.encode("latin-1"), capture_output=True, check=True)
    return done.stdout.decode()
