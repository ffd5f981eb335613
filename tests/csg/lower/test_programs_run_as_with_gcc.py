"""Every program beside this file does under the reference interpreter what gcc makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.reference.comparing import interpreted, native

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))
STDIN = b"two\nlines\n"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_output_and_status_are_those_of_gcc(path: Path, tmp_path: Path) -> None:
    expected = native(path, tmp_path, STDIN)
    outcome = interpreted(path, STDIN)
    assert outcome.output.decode() == expected.output.decode()
    assert (outcome.status, outcome.trap) == (expected.status, "")
