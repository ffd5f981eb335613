"""Run csgtest as a user does: a process of its own, with what it said and left behind.

done = csgtest("build", "old.c", "new.c", folder=tmp_path)
done.code, done.out, done.err, done.report

done = until(shown, "build", "old.c", "new.c", "--time", "60", folder=tmp_path)
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"
CSGTEST = [sys.executable, str(ROOT / "cli.py")]


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
        return differing(self.report)


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
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr, folder)


def until(shown: Callable[[Any], object], *words: str | Path, folder: Path) -> Done:
    """A run that is interrupted as soon as what its report says is ``shown``; one that nobody had
    to interrupt has another code than 130."""
    with subprocess.Popen(
        [*CSGTEST, *map(str, words), "--quiet"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as process:
        try:
            report = folder / "csgtest-out" / "report.json"
            while process.poll() is None:
                if report.exists() and shown(json.loads(report.read_text())):
                    process.send_signal(signal.SIGINT)
                    break
                time.sleep(0.1)
            out, err = process.communicate(timeout=60.0)
        finally:
            process.kill()
    return Done(process.returncode, out, err, folder)


def differing(report: Any) -> list[dict[str, Any]]:
    return [test for test in report["tests"] if test["observed"] == "different"]


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
