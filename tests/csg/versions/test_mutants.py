"""Random mutants of real programs: both projections hold, three builds run as the originals do."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from csg.frontend import parse_file
from csg.language.printer import print_unit
from csg.language.syntax import TranslationUnit
from csg.versions import check, unify
from tests.csg.versions.building import COMPILE, SANITIZE, Builds
from tests.csg.versions.mutations import mutant

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.c"))
QUICK = (
    "linked_list",
    "loops",
    "switches",
    "calculator",
    "gotos",
    "structs",
    "sorting",
    "bit_fields",
)


def source(unit: TranslationUnit) -> str:
    """A text that both gcc and the front end read; its assertions are glibc's again."""
    text = print_unit(unit)
    define = "#define __csgtest_assert_fail __assert_fail\n"
    return define + text


def well_defined(text: str, folder: Path) -> bool:
    """It compiles, ends, and the sanitizers have nothing to say."""
    path = folder / "mutant.c"
    path.write_text(text)
    binary = folder / "mutant"
    compiled = subprocess.run(
        [*COMPILE, *SANITIZE, str(path), "-o", str(binary), "-lm"], capture_output=True, check=False
    )
    if compiled.returncode:
        return False
    try:
        done = subprocess.run([str(binary)], capture_output=True, timeout=5, check=False, input=b"")
    except subprocess.TimeoutExpired:
        return False
    return b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr


def try_mutant(path: Path, seed: int, folder: Path) -> None:
    random = Random(f"{path.stem} {seed}")
    base = parse_file(str(path))
    changed = mutant(base, random, random.choice((1, 1, 2, 3, 5)))
    old, new = source(base), source(changed)
    if well_defined(new, folder):
        Builds(folder, old, new).check()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", QUICK)
def test_mutant(name: str, seed: int, tmp_path: Path) -> None:
    path = next(each for each in PROGRAMS if each.stem == name)
    try_mutant(path, seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_more_mutants(path: Path, seed: int, tmp_path: Path) -> None:
    try_mutant(path, seed, tmp_path)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_against_itself(path: Path) -> None:
    unified = unify(parse_file(str(path)), parse_file(str(path)))
    assert unified.changes == ()
    assert check(unified, thorough=True) == []


@pytest.mark.parametrize("at", range(0, len(PROGRAMS), 6))
def test_programs_that_have_nothing_to_do_with_each_other(at: int) -> None:
    """Each is a bad patch of the other: much falls back to copies, the projections hold."""
    old = parse_file(str(PROGRAMS[at]))
    new = parse_file(str(PROGRAMS[(at + 1) % len(PROGRAMS)]))
    assert check(unify(old, new), thorough=True) == []
