"""Objects as callers make them: what gcc and a caller say of a pair is what csgtest says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from generators.objects import ObjectPair, pair, shapes
from tests.command_line import csgtest, write_versions
from tests.nightly import every

SEEDS = range(11)
# One shape after the other each time; all seeds at night: 220 pairs.
PAIRS = [(shape, seed, twist) for seed in SEEDS for shape in shapes() for twist in (True, False)]
EQUAL = "equivalent-within-bounds"


def shown(pair: ObjectPair, text: str, folder: Path) -> str:
    """What a caller of this version prints."""
    source, program = folder / "caller.c", folder / "caller"
    source.write_text(text + pair.caller)
    words = ["gcc", "-w", "-O0", "-fwrapv", "-o", str(program), str(source)]
    subprocess.run(words, check=True, timeout=60)
    return subprocess.run([program], check=True, capture_output=True, text=True, timeout=10).stdout


@pytest.mark.parametrize("case", every(31, PAIRS))
def test_a_difference_that_a_caller_sees_is_found(
    case: tuple[str, int, bool], tmp_path: Path
) -> None:
    made = pair(*case)
    twist = made.differs
    old, new = shown(made, made.old, tmp_path), shown(made, made.new, tmp_path)
    assert (old != new) is twist
    write_versions(tmp_path, made.old, made.new)
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "8", folder=tmp_path)
    verdict = done.report["verdict"]
    assert done.report["counters"]["mispredicted"] == 0
    assert verdict != EQUAL if twist else verdict != "different", done.out
