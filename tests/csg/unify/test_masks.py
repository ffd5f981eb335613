"""The unified program under gcc and clang, and with every set of changes that can be chosen."""

from __future__ import annotations

import shutil
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from csg.frontend import parse_file, parse_text
from csg.unify import printed, unify
from csg.unify.compiled import BUILDS, Confirmation
from csg.unify.output.printing import mask_text
from tests.csg.unify.building import COMPILE, run
from tests.csg.unify.test_patterns import HEAD, PATTERNS, TAIL

SAMPLES = Path(__file__).parents[3] / "samples"
CLANG = next(
    (name for name in ("clang", *(f"clang-{n}" for n in range(22, 12, -1))) if shutil.which(name)),
    None,
)
# Each time clang where it is there: gcc, as it is the usual compiler, has the tests beside.
COMPILERS = [
    pytest.param(
        "gcc",
        marks=[
            pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc"),
            *([pytest.mark.night] if CLANG else []),
        ],
    ),
    pytest.param(CLANG, marks=pytest.mark.skipif(CLANG is None, reason="clang is not installed")),
]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_both_compilers_take_the_patterns(compiler: str) -> None:
    asked = []
    for name, (old, new, _) in PATTERNS.items():
        unified = unify(parse_text(HEAD + old + TAIL), parse_text(HEAD + new + TAIL))
        asked.append((name, Confirmation(printed(unified, ids=True), BUILDS, compiler)))
    assert [(name, found) for name, each in asked if (found := each.error())] == []


@pytest.mark.parametrize("compiler", COMPILERS)
def test_both_compilers_take_the_samples(compiler: str) -> None:
    for new in sorted(SAMPLES.glob("*/*new.c")):
        old = new.with_name(new.name.replace("new", "old"))
        unified = unify(parse_file(str(old)), parse_file(str(new)))
        assert Confirmation(printed(unified, ids=True), BUILDS, compiler).error() is None, new


def test_a_program_of_an_old_standard(tmp_path: Path) -> None:
    old = "int main() { int n; n = 3; return n; }"
    unified = unify(parse_text(old), parse_text(old.replace("3", "4")))
    confirmation = Confirmation(printed(unified, ids=True), flags=["-O2", "-std=c90", "-DX"])
    assert confirmation.error() is None


PROGRAM = """\
#include <stdio.h>
static int limit = {0};
static int half(int x)
{{
    return {1};
}}
{2}
static int kept(int x)
{{
    if (x > limit)
        return {3};
    {4}
    return half(x) + 1;
}}
int main(void)
{{
    for (int i = -3; i < 9; i++)
        printf("%d ", kept(i));
    return 0;
}}
"""
EDITS = (
    ("3", "5"),
    ("x / 2", "x / 2 + x % 2"),
    ("", "static int seen;"),
    ("limit", "limit + seen++"),
    ("", "if (x == 2) return -1;"),
)


def text(chosen: frozenset[int]) -> str:
    return PROGRAM.format(*(edit[at in chosen] for at, edit in enumerate(EDITS)))


def test_a_mask_is_the_program_with_these_edits(tmp_path: Path) -> None:
    """Every set of edits that compiles is a closed set of changes, and the other way round."""
    unified = unify(parse_text(text(frozenset())), parse_text(text(frozenset(range(5)))))
    assert [change.location.line for change in unified.changes] == [2, 5, 7, 11, 12, 12]
    edit = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4}  # of each change: the last edit is two statements
    required: dict[int, set[int]] = {at: set() for at in range(5)}
    for change in unified.changes:
        needed = {edit[each] for each in change.requires}
        required[edit[change.id]] |= needed - {edit[change.id]}
    masked = build(printed(unified, ids=True), tmp_path, "masked")
    assert masked is not None
    for size in range(6):
        for chosen in map(frozenset, combinations(range(5), size)):
            closed = all(required[at] <= chosen for at in chosen)
            expected = build(text(chosen), tmp_path, "edited")
            assert (expected is not None) is closed
            if expected is not None:
                mask = mask_text(number for number, at in edit.items() if at in chosen)
                assert run(masked, [], b"", mask) == run(expected, [])


def build(source: str, folder: Path, name: str) -> Path | None:
    path, binary = folder / f"{name}.c", folder / name
    path.write_text(source)
    done = subprocess.run(
        [*COMPILE, str(path), "-o", str(binary)], capture_output=True, check=False
    )
    return binary if done.returncode == 0 else None
