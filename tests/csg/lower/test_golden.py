"""What each rule emits, as text. ``CSGTEST_REWRITE=1 pytest tests/csg/lower/test_golden.py`` writes
the expected texts anew; review the difference."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.ir.text import print_program
from csg.ir.verify import verify
from csg.lower import lower

SOURCES = sorted((Path(__file__).parent / "golden").glob("*.c"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_lowering_gives_the_recorded_text(path: Path) -> None:
    program = lower([parse_text(path.read_text(), path.name)])
    assert verify(program) == []
    printed = print_program(program, nodes=path.stem in ("changes", "loops"))
    expected = path.with_suffix(".ir")
    if os.environ.get("CSGTEST_REWRITE"):
        expected.write_text(printed)
    assert printed == expected.read_text()
