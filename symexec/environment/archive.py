"""The models in C, lowered once and kept: each function in a small program of its own.

    strdup  ->  Program(functions {strdup}, undefined {strlen, malloc, memcpy}, its nodes)
    stdin   ->  Program(globals {stdin, libc:standard_input})

Parsing all of them takes seconds, loading those that a program needs takes milliseconds; so they
are kept in the user's cache folder, under a name that changes with every source that makes them.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import csg
from csg.frontend import parse_file
from csg.ir import Call, FunctionAddress, FunctionCode, GlobalAddress, GlobalObject, Program
from csg.lower import lower
from symexec.environment.pickling import dumps

SOURCES = Path(__file__).with_name("libc")
MAKERS = ("frontend", "ir", "language", "lower")

Archive = dict[str, bytes]  # the name of a function or object to its pickled program


def load_archive() -> Archive:
    """From the cache, or made and put there."""
    folder = cache_folder()
    file = folder / f"libc-{csg.VERSION}-{_fingerprint()}.pickle"
    with suppress(OSError, pickle.UnpicklingError, EOFError):
        found: Archive = pickle.loads(file.read_bytes())
        return found
    archive = make_archive()
    with suppress(OSError):
        _write(folder, file, pickle.dumps(archive, pickle.HIGHEST_PROTOCOL))
    return archive


def cache_folder() -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    return Path(given or Path.home() / ".cache") / "csgtest"


def _write(folder: Path, file: Path, data: bytes) -> None:
    """Whole or not at all: another run may look at the same time. Older archives go."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
    Path(name).replace(file)
    for other in folder.glob("libc-*.pickle"):
        if other != file:
            other.unlink(missing_ok=True)


def _fingerprint() -> str:
    """Of the models' text, and of the code that lowers them (by its files' sizes and times)."""
    digest = hashlib.sha256(sys.version.encode())
    for source in sorted(SOURCES.glob("*.c")):
        digest.update(source.read_bytes())
    package = Path(csg.__file__).parent
    for part in MAKERS:
        for entry in sorted(os.scandir(package / part), key=lambda entry: entry.name):
            if entry.name.endswith(".py"):
                status = entry.stat()
                digest.update(f"{part} {entry.name} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()[:20]


# ---------------------------------------------------------------------- making


def make_archive() -> Archive:
    """Parse and lower all models."""
    units = [parse_file(source, ["-std=gnu17"]) for source in sorted(SOURCES.glob("*.c"))]
    whole = lower(units, library=True)
    parts = {name: _function_part(whole, code) for name, code in whole.functions.items()}
    for name, item in whole.globals.items():
        if not item.external:
            parts[name] = Program(globals=_objects(whole, [name]))
    return {name: dumps(part) for name, part in sorted(parts.items())}


def _function_part(whole: Program, code: FunctionCode) -> Program:
    """One function with the objects it names and its nodes, numbered from 0."""
    names = _references(code)
    part = Program(globals=_objects(whole, names))
    part.undefined = {name for name in names if name not in whole.globals} - {code.name}
    numbers: dict[int, int] = {}
    blocks = []
    for block in code.blocks:
        terminator = block.terminator
        assert terminator is not None
        for step in (*block.instructions, terminator):
            numbers.setdefault(step.node, len(numbers))
        blocks.append(
            replace(
                block,
                instructions=[
                    replace(step, node=numbers[step.node]) for step in block.instructions
                ],
                terminator=replace(terminator, node=numbers[terminator.node]),
            )
        )
    part.functions[code.name] = replace(code, blocks=blocks, type=None)
    part.nodes = [replace(whole.nodes[old], id=new) for old, new in numbers.items()]
    return part


def _references(code: FunctionCode) -> list[str]:
    found: dict[str, None] = {}
    for block in code.blocks:
        for step in block.instructions:
            match step:
                case Call(callee=str() as name) | GlobalAddress(name=name):
                    found[name] = None
                case FunctionAddress(name=name):
                    found[name] = None
                case _:
                    pass
    return list(found)


def _objects(whole: Program, names: Iterable[str]) -> dict[str, GlobalObject]:
    """The objects of these names, and those that their contents point to."""
    found: dict[str, GlobalObject] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in whole.globals and name not in found:
            found[name] = replace(whole.globals[name], type=None)
            waiting += [each.symbol for each in whole.globals[name].relocations]
    return found
