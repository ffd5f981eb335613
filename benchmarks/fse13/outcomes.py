"""What one build of a program does with one input, in an empty folder: exit status and output."""

from __future__ import annotations

import base64
import os
import resource
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SECONDS = 10
LARGEST_OUTPUT = 1 << 20  # a program that never stops writing ends there, always at the same byte
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C",
    # too large a request: malloc says no, as it does without a sanitizer
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
}
Given = Mapping[str, Any]  # an input as report.json has it


def outcome(folder: Path, tool: str, given: Given) -> tuple[int, str]:
    """Exit status (negative: a signal) and standard output of the plain build."""
    code, output, _ = _run(folder / "bin", tool, given)
    return code, output.decode("latin-1")


def faulty(folder: Path, tool: str, given: Given, function: str) -> bool:
    """Does AddressSanitizer report an access of this function?"""
    report = _run(folder / "san", tool, given)[2]
    return b"ERROR: AddressSanitizer" in report and function.encode() in report


def _run(program: Path, tool: str, given: Given) -> tuple[int, bytes, bytes]:
    """Exit status, stdout and stderr, in an otherwise empty folder with the files of the input."""
    files = tempfile.TemporaryFile
    with tempfile.TemporaryDirectory() as place, files() as out, files() as err:
        for name, data in given.get("files", {}).items():
            file = Path(place, name).resolve()
            if not file.is_relative_to(Path(place).resolve()):
                continue  # a report may come from anywhere: nothing is written outside
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(raw(data))
        process = subprocess.Popen(
            [os.fsencode(tool), *map(raw, given["args"])],
            executable=program,
            cwd=place,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
        )
        try:
            process.communicate(raw(given.get("stdin", "")), timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(), err.read()


def limit() -> None:
    """For this process and all that it starts: no endless output, no core files."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_OUTPUT, LARGEST_OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def raw(text: str | Mapping[str, str]) -> bytes:
    """The bytes of a report's text: a string, or {"base64": ...} for what is not UTF-8."""
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    return base64.b64decode(text["base64"])
