"""Files of inputs that a user has, in any of three forms, as tests' inputs.

    read_seeds([Path("seeds")])

    seeds/a.json         {"parameters": {"x": -1}}; also a list of them, or a report.json
    seeds/b.ktest        what KLEE writes
    seeds/lines.txt      printf 'a\\n' | ./prog -f 1-      one a line

What cannot be used is told with its place; nothing is run, and no file but these is read, except
those that a command line names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from csg.errors import CsgtestError, UsageError
from csg.records import record
from symexec.testcases.encoding import Json
from symexec.testcases.inputs import TestInput, input_from_json

LARGEST = 16 << 20  # bytes of a file
IN_FOLDERS = (".json", ".jsonl", ".ktest", ".txt", ".sh", ".cmd", ".cmds")


@record
class SeedInput:
    """``place`` is a file, with the number of a line or of an entry where it has several."""

    place: str
    input: TestInput


@record
class Unusable:
    """A seed that is left out, and why."""

    place: str
    reason: str


Read = SeedInput | Unusable


def read_seeds(paths: Sequence[Path]) -> list[Read]:
    """In the order of the paths; of a folder in the order of names."""
    return [each for path in paths for file in _files(path) for each in _read(file)]


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if file.is_file())
        return [file for file in found if file.suffix in IN_FOLDERS]
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder", hint="give the path of some seeds")
    return [path]


def _read(file: Path) -> Iterator[Read]:
    try:
        if file.stat().st_size > LARGEST:
            yield Unusable(str(file), f"larger than {LARGEST >> 20} MB")
            return
        data = file.read_bytes()
    except OSError as trouble:
        yield Unusable(str(file), trouble.strerror or "cannot be read")
        return
    if data.startswith((b"KTEST", b"BOUT\n")):
        from symexec.testcases.ktest import read_ktest

        yield _checked(str(file), partial(read_ktest, data))
    elif file.suffix == ".jsonl":
        for number, line in enumerate(data.splitlines(), 1):
            if line.strip():
                yield from _json(f"{file}:{number}", line)
    elif file.suffix == ".json" or data.lstrip()[:1] in (b"{", b"["):
        yield from _json(str(file), data)
    else:
        yield from _lines(file, data)


def _json(place: str, data: bytes) -> Iterator[Read]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as trouble:
        yield Unusable(place, f"no JSON: {trouble}")
        return
    tests = value.get("tests") if isinstance(value, dict) else value
    if not isinstance(tests, list):
        yield _json_input(place, value)
        return
    for number, test in enumerate(tests, 1):
        name = test.get("id") if isinstance(test, dict) else None
        yield _json_input(f"{place}, {name or number}", test)


def _json_input(place: str, value: Json) -> Read:
    """An input, or a test that holds one."""
    if isinstance(value, dict) and isinstance(value.get("input"), dict):
        value = value["input"]
    return _checked(place, partial(input_from_json, value))


def _lines(file: Path, data: bytes) -> Iterator[Read]:
    """Comments and empty lines are skipped; a ``$`` before a command is a prompt."""
    from symexec.testcases.command_text import command_input

    for number, line in enumerate(data.decode("utf-8", "surrogateescape").splitlines(), 1):
        text = line.strip()
        if text and not text.startswith("#"):
            command = text.removeprefix("$ ")
            yield _checked(f"{file}:{number}", partial(command_input, command, file.parent))


def _checked(place: str, read: Callable[[], TestInput]) -> Read:
    try:
        return SeedInput(place, read())
    except CsgtestError as trouble:
        return Unusable(place, trouble.message)
    except (KeyError, TypeError, ValueError) as trouble:
        return Unusable(place, f"not of the expected form: {trouble}")
