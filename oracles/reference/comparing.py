"""Run a C program with gcc and with the reference interpreter."""

from __future__ import annotations

import subprocess
from pathlib import Path

from csg.frontend import parse_file
from csg.ir import Program
from csg.ir.verify import verify
from csg.language.syntax import Version
from csg.lower import lower
from oracles.reference.interpreter import Outcome, run


def lowered(path: Path) -> Program:
    program = lower([parse_file(path)])
    assert verify(program) == []
    return program


def interpreted(path: Path, stdin: bytes = b"") -> Outcome:
    return run(lowered(path), version=Version.NEW, stdin=stdin)


def native(path: Path, folder: Path, stdin: bytes = b"") -> Outcome:
    """What gcc's program prints and returns."""
    binary = folder / path.stem
    subprocess.run(
        ["gcc", "-w", "-std=gnu17", "-fwrapv", "-O0", str(path), "-o", str(binary), "-lm"],
        check=True,
    )
    done = subprocess.run([str(binary)], input=stdin, capture_output=True, timeout=20, check=False)
    return Outcome(done.returncode, done.stdout)
