"""The program in docs/graphs.md prints what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_ten_lines_of_python_say_which_changes_reach_a_line() -> None:
    page = (ROOT / "docs" / "graphs.md").read_text(encoding="utf-8")
    blocks = re.search(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", page, re.DOTALL)
    assert blocks is not None
    done = subprocess.run(
        [sys.executable, "-c", blocks[1]], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == blocks[2]
