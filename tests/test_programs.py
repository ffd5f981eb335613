"""Every program of tests/programs/ behaves in the engine as gcc's binary does.

A program may say what it is run with, in comments on its first lines:

    // args: -n 3 word
    // stdin: two\nlines\n
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import given_to

ROOT = Path(__file__).parent.parent
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("*.c"))


def observed(command: list[str], stdin: bytes) -> tuple[str, int]:
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return done.stdout.decode("latin-1"), code


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 70


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.stem for program in PROGRAMS])
def test_program_runs_as_compiled(program: Path, tmp_path: Path) -> None:
    source = program.read_text()
    arguments, stdin = given_to(source)
    binary = tmp_path / program.stem
    subprocess.run(["gcc", "-fwrapv", "-w", "-o", str(binary), str(program)], check=True)
    native = observed([str(binary), *arguments], stdin)
    csgtest = [sys.executable, str(ROOT / "cli.py"), "run", str(program), "--", *arguments]
    assert observed(csgtest, stdin) == native
