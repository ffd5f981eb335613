"""Random programs of Csmith run in the engine as gcc's binary does.

Skipped where csmith is not installed; benchmarks/csmith.py runs more of them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOUND = shutil.which("csmith") is not None and Path("/usr/include/csmith/csmith.h").exists()
SMALL = ("--max-funcs", "4")


@pytest.mark.slow
@pytest.mark.skipif(not FOUND, reason="needs Debian's packages csmith and libcsmith-dev")
@pytest.mark.parametrize(
    ("seeds", "options"),
    [("1-10", SMALL), ("1001-1010", (*SMALL, "--float")), ("30,35", ("--no-float",))],
    ids=["integers", "floats", "packed bit-fields"],
)
def test_random_programs_agree_with_gcc(seeds: str, options: tuple[str, ...]) -> None:
    script = str(ROOT / "benchmarks" / "csmith.py")
    command = [sys.executable, script, "--jobs", "1", "--seeds", seeds, "--", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " agrees" in done.stdout
