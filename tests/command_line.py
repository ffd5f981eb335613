"""Run csgtest as a user does: a process of its own, with what it said and left behind.

done = csgtest("build", "old.c", "new.c", folder=tmp_path)
done.code, done.out, done.err, done.report
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"
CSGTEST = [sys.executable, str(ROOT / "cli.py")]
AS_INSTALLED = {"PYTHONDONTWRITEBYTECODE": ""}  # modules are compiled once, not for each run


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str
    folder: Path  # where it ran

    @property
    def report(self) -> Any:
        return read_report(self.folder / "csgtest-out")

    @property
    def differing(self) -> list[dict[str, Any]]:
        return [test for test in self.report["tests"] if test["observed"] == "different"]


def read_report(folder: Path) -> Any:
    return json.loads((folder / "report.json").read_text())


def csgtest(
    *words: str | Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    seconds: float = 120.0,
) -> Done:
    done = subprocess.run(
        [*CSGTEST, *map(str, words)],
        cwd=folder,
        env={**os.environ, **AS_INSTALLED, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr, folder)


def pair(sample: str) -> tuple[Path, Path]:
    return SAMPLES / sample / "old.c", SAMPLES / sample / "new.c"


def note(source: str, key: str) -> str:
    """What stands behind ``// key:`` in the first lines of a program."""
    for line in source.splitlines()[:5]:
        if line.startswith(f"// {key}:"):
            return line.removeprefix(f"// {key}:").strip()
    return ""


def given_to(source: str) -> tuple[list[str], bytes]:
    """The arguments and the standard input that a program of ``tests/programs`` is to run with."""
    stdin = note(source, "stdin").encode().decode("unicode_escape").encode("latin-1")
    return shlex.split(note(source, "args")), stdin
