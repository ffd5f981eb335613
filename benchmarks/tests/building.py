"""``csgtest build`` as a test of a measurement runs it: its report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def built(folder: Path, *words: str | Path) -> dict[str, Any]:
    """The report of a run in ``folder``, whose output is left in csgtest-out there."""
    command = [sys.executable, ROOT / "cli.py", "build", *words, "--quiet"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return dict(json.loads((folder / "csgtest-out" / "report.json").read_text()))
