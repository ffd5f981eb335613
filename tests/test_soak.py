"""What the soak does with its own figures; what it finds is for its hours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_what_failed_is_run_once_more_and_all_figures_stay(tmp_path: Path) -> None:
    """Here nothing has."""
    figures = tmp_path / "outcomes.jsonl"
    names = ("inputs", "checks", "missed", "seconds", "cpu", "session", "at")
    outcome = {"unit": "samples:none:7", "verdicts": ["different"], "left_out": "", "again": False}
    outcome |= {"complaints": [], **dict.fromkeys(names, 60.0)}
    figures.write_text(json.dumps(outcome) + "\n")
    words = [sys.executable, "-m", "benchmarks.soak", "--again", "--keep", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("1 minutes, 1 units"), done
    assert json.loads(figures.read_text()) == outcome
