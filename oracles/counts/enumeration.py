"""Count diff paths by brute force: both versions natively on every input, branches traced.

    enumerated(old.c, new.c, "foo", [("x", -100, 100)])
        -> Grid(points=201, diverging=2, diff_paths=2, differing=2)

The unified program is printed with probes (see ``probes``) and compiled as OLD and as NEW; outcomes
are compared with those of the two files as they stand, too.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from csg.frontend import parse_file
from csg.language.expression_text import Notation
from csg.language.printer import print_unit
from csg.unify import unify
from csg.unify.output.printing import prelude
from oracles.counts.probes import HEADER, probed

DRIVER = Path(__file__).parent / "grid.c"
COMPILE = ("gcc", "-O1", "-w", "-fwrapv", "-fPIC")


@dataclass(frozen=True, slots=True)
class Grid:
    """``diverging`` inputs make the versions diverge, on ``diff_paths`` different paths; on
    ``differing`` ones the result or the way of ending differs."""

    points: int
    diverging: int
    diff_paths: int
    differing: int


def enumerated(
    old: Path, new: Path, entry: str, ranges: Sequence[tuple[str, int, int]], folder: Path
) -> Grid:
    text = _unified(old, new, entry)
    driver = folder / "grid"
    _compiled([*COMPILE, "-O2", "-rdynamic", "-o", str(driver), str(DRIVER), "-ldl"])
    probes = [
        _shared(text, folder / version, [f"-DCSGTEST_{version.upper()}"], entry, len(ranges))
        for version in ("old", "new")
    ]
    plain = [
        _shared(f'#include "{path.resolve()}"\n', folder / f"plain_{name}", [], entry, len(ranges))
        for name, path in (("old", old), ("new", new))
    ]
    bounds = [str(bound) for _, low, high in ranges for bound in (low, high)]
    traced = _run([str(driver), *map(str, probes), *bounds])
    points, diverging, keys, differing, misaligned, endless = traced
    assert not misaligned, f"{misaligned} pairs of traces do not fit together"
    assert not endless, f"{endless} runs do not end"
    for version, probe in zip(plain, probes, strict=True):
        same = _run([str(driver), str(version), str(probe), *bounds])
        assert same[3] == 0, f"{probe.name} does not behave as its version does"
    return Grid(points, diverging, keys, differing)


def _unified(old: Path, new: Path, entry: str) -> str:
    unified = unify(parse_file(old), parse_file(new), entry)
    notation = Notation(ids=True)
    body = print_unit(probed(unified.unit), notation, frozenset({"__csgtest_assert_fail"}))
    return HEADER + prelude(notation, len(unified.changes)) + body


def _shared(text: str, stem: Path, flags: list[str], entry: str, parameters: int) -> Path:
    arguments = ", ".join(f"inputs[{at}]" for at in range(parameters))
    source = stem.with_suffix(".grid.c")
    source.write_text(
        f"{text}\nint csg_grid_entry(const int *inputs) {{ return {entry}({arguments}); }}\n"
    )
    target = stem.with_suffix(".so")
    _compiled([*COMPILE, *flags, "-shared", "-o", str(target), str(source)])
    return target


def _compiled(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def _run(command: list[str]) -> tuple[int, ...]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return tuple(map(int, done.stdout.splitlines()[0].split()))
