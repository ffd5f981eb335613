"""The program in docs/graphs.md prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_ten_lines_of_python_say_which_changes_reach_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "graphs.md").read_text(encoding="utf-8")
    blocks = re.search(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", page, re.DOTALL)
    assert blocks is not None
    monkeypatch.chdir(ROOT)
    exec(blocks[1], {"__name__": "__main__"})
    assert capsys.readouterr().out == blocks[2]
