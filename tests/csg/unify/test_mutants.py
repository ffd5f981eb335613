"""Random patches of real programs: both projections hold, three builds run as the originals do.

CSGTEST_PAIRS=300 python -m pytest tests/csg/unify/test_mutants.py -k generated_pairs
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from csg.frontend import parse_file
from csg.language.types import Pointer
from csg.unify import check, unify
from tests.csg.unify.mutating.pairs import Pair
from tests.csg.unify.mutating.trying import try_pair, try_texts
from tests.nightly import daily, every

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("*.c"))
SAMPLES = ROOT / "samples"
QUICK = (
    "linked_list", "loops", "switches", "calculator", "gotos", "structs", "sorting", "bit_fields",
    "statics", "enums", "state_machine", "objects_in_c", "unions", "virtual_machine", "roman",
    "tokenizer", "duff", "initialisers", "option_parsing", "word_count",
)  # fmt: skip
COUNT = int(os.environ.get("CSGTEST_PAIRS", "0"))
MAIN = """
extern int printf(const char *, ...);
extern int atoi(const char *);
int main(int argc, char **argv) {{ if (argc > {count}) printf("%d\\n", (int) {call}); return 0; }}
"""


def pair(name: str, seed: int) -> Pair:
    text = (ROOT / "tests" / "programs" / f"{name}.c").read_text(errors="surrogateescape")
    return Pair(text, f"{name} {seed}")


@pytest.mark.parametrize("seed", range(1 + (COUNT > 0)))
@pytest.mark.parametrize("name", daily(QUICK, 3))
def test_mutant(name: str, seed: int, tmp_path: Path) -> None:
    assert try_pair(pair(name, seed), tmp_path) in {"held", "no C", "undefined"}


@pytest.mark.slow
@pytest.mark.skipif(not COUNT, reason="CSGTEST_PAIRS says how many")
@pytest.mark.parametrize("start", range(0, COUNT, 20))
def test_generated_pairs(start: int, tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(start, min(start + 20, COUNT)):
        name = Random(seed).choice(PROGRAMS).stem
        outcomes[try_pair(pair(name, 1000 + seed), tmp_path)] += 1
    assert outcomes["held"] >= 0.7 * outcomes.total(), outcomes


def with_main(path: Path) -> str:
    """A sample that can be run: its entry function is called with the words of the command line."""
    text = path.read_text()
    functions = [
        each
        for each in parse_file(str(path)).functions
        if each.symbol.linkage == "external" and not each.symbol.from_header
    ]
    if any(each.symbol.name == "main" for each in functions):
        return text
    entry = functions[-1]
    given = [
        f"argv[{at}]" if isinstance(each.type, Pointer) else f"atoi(argv[{at}])"
        for at, each in enumerate(entry.parameters, 1)
    ]
    call = f"{entry.symbol.name}({', '.join(given)})"
    return text + MAIN.format(call=call, count=len(given))


FILES = sorted(SAMPLES.glob("*/*.c"))
PAIRS = [path for path in FILES if path.stem.endswith("new")]


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("path", every(4, PAIRS), ids=name_of)
def test_sample(path: Path, tmp_path: Path) -> None:
    old = path.with_name(path.name.replace("new", "old"))
    outcome = try_texts(with_main(old), with_main(path), name_of(path), tmp_path)
    endless = path.parent.name == "endless"
    assert outcome == ("undefined" if endless else "held")


@pytest.mark.parametrize("path", FILES if COUNT else every(4, FILES[::4]), ids=name_of)
def test_mutant_of_a_sample(path: Path, tmp_path: Path) -> None:
    text, name = with_main(path), name_of(path)
    seeds = range(max(1, COUNT // 20))
    outcomes = [try_pair(Pair(text, f"{name} {seed}"), tmp_path) for seed in seeds]
    assert set(outcomes) <= {"held", "no C", "undefined"}


@pytest.mark.parametrize("path", every(6, PROGRAMS, 1), ids=lambda path: path.stem)
def test_a_program_against_itself(path: Path) -> None:
    unified = unify(parse_file(str(path)), parse_file(str(path)))
    assert unified.changes == ()
    assert check(unified, thorough=True) == []


@pytest.mark.parametrize("at", every(4, range(0, len(PROGRAMS), 6 if COUNT else 12)))
def test_programs_that_have_nothing_to_do_with_each_other(at: int, tmp_path: Path) -> None:
    """Each is a bad patch of the other: much falls back to copies, the whole still runs."""
    texts = [
        PROGRAMS[each % len(PROGRAMS)].read_text(errors="surrogateescape") for each in (at, at + 1)
    ]
    assert try_texts(*texts, str(at), tmp_path) == "held"
