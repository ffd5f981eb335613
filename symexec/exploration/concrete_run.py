"""Run one program concretely in the engine, as its native build would run.

csgtest run hello.c -- a b     stdin, stdout, stderr and exit status are the program's
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO, assert_never

from csg.errors import UnsupportedError, printable
from csg.ir import Program
from symexec.counters import Counters
from symexec.executor.engine import Engine
from symexec.exploration.start import command_line, fresh_state, loaded_program
from symexec.expr import TermTable
from symexec.options import MemoryOptions, Uninitialised
from symexec.runtime import library
from symexec.runtime.filesystem.nodes import FILE, FOLDER, Contents, Node, disk, standard_input
from symexec.runtime.library import registry
from symexec.runtime.stdio import streams
from symexec.solver import build_solver
from symexec.state.buffers import Buffers, flushes
from symexec.state.endings import (
    Aborted,
    AssertionFailed,
    AssumptionFailed,
    Cut,
    DivisionByZero,
    Endless,
    Exit,
    Killed,
    MemoryFault,
    Returned,
    Trapped,
    Unsupported,
    row,
)
from symexec.state.state import Outcome, Output, State

LARGEST_FILE = 1 << 20
MOST_FILES = 1000  # of one folder

Write = Callable[[int, bytes], None]


def run_concrete(
    file: Path,
    arguments: Sequence[str],
    flags: Sequence[str],
    stdin: BinaryIO,
    others: Sequence[Path] = (),
) -> int:
    """Run a file and return its exit status as a shell shows it (128 + the signal's number after a
    crash)."""
    program = loaded_program(file, tuple(flags), "main", others)
    words = [os.fsencode(word) for word in (file.stem, *arguments)]
    contents = _Lazily(stdin).contents(program.undefined)
    return run_program(program, words, contents, named_files(arguments), _write)


def run_program(
    program: Program,
    words: Sequence[bytes],
    stdin: Contents,
    files: Mapping[str, object],
    write: Write,
) -> int:
    """As ``run_concrete``, for a loaded program and the files that it sees. ``write`` gets what it
    writes to descriptors 1 and 2."""
    engine = engine_alone(
        program, MemoryOptions(Uninitialised.ZERO, indexes=False, addresses=False)
    )
    state = fresh_state(engine)
    state.environment.update({**standard_input(stdin), **files})
    engine.machine.enter(state, library.start(program), command_line(engine, state, words), None)
    shown, buffers = None, Buffers()
    while state.frame is not None:
        (state,) = engine.advance(state, 200_000)
        shown = _show(state.new_output, shown, buffers, write)
    outcome = state.new_outcome
    assert outcome is not None
    _show(outcome.output, shown, buffers, write)
    for stream, data in buffers.rest(flushes(outcome.ending)):
        assert isinstance(data, bytes)
        write(stream, data)
    return _status(outcome)


def _write(stream: int, data: bytes) -> None:
    target = sys.stdout if stream == 1 else sys.stderr
    target.buffer.write(data)
    target.flush()


def named_files(words: Sequence[str]) -> dict[str, object]:
    """The files and folders that the arguments name: the program sees copies of them, and starts in
    the folder where csgtest was started."""
    found = [made for word in dict.fromkeys(words) if word for made in _copies(Path(word))]
    return disk(found, os.fsencode(os.getcwd()))


def _copies(file: Path) -> Iterator[tuple[bytes, Node]]:
    """The file, and what lies below a folder, at most a thousand entries."""
    with contextlib.suppress(OSError):
        below = islice(file.rglob("*"), MOST_FILES) if file.is_dir() else ()
        for each in (file, *below):
            name, mode = os.fsencode(each), each.stat().st_mode & 0o7777
            if each.is_dir():
                yield name, Node(FOLDER, mode)
            elif each.is_file() and each.stat().st_size <= LARGEST_FILE:
                data = each.read_bytes()
                yield name, Node(FILE, mode, Contents(tuple(data), len(data)))


class _Lazily:
    """Standard input that is read from the system only when the program reads."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def contents(self, undefined: set[str]) -> Contents:
        if not undefined & _READERS:
            return Contents()
        data = self._stream.read()
        return Contents(tuple(data), len(data))


_ASKERS = frozenset(
    name + suffix for name in ("feof", "ferror", "clearerr") for suffix in ("", "_unlocked")
)
_READERS = streams.models.entries.keys() - _ASKERS | {"read", "__read_chk"}


def engine_alone(
    program: Program,
    memory: MemoryOptions = MemoryOptions(),  # noqa: B008 - it is frozen
) -> Engine:
    """An engine for a program without a search: nobody hears which nodes a path visits."""
    counters = Counters()
    solver = build_solver(counters=counters)
    return Engine(program, registry(), solver, TermTable(), counters, {}, _ignore, memory=memory)


def _ignore(state: State, node: int) -> None:
    return


def _show(
    last: Output | None, shown: Output | None, buffers: Buffers, write: Write
) -> Output | None:
    """Write what has left the streams since ``shown``, and return the last output."""
    found: list[Output] = []
    item = last
    while item is not None and item is not shown:
        found.append(item)
        item = item.before
    for stream, data in buffers.written(reversed(found)):
        assert isinstance(data, bytes)
        write(stream, data)
    return last


def _status(outcome: Outcome) -> int:
    match outcome.ending:
        case Exit(status=status) | Returned(value=status):
            return (status or 0) & 0xFF if isinstance(status, int) or status is None else 0
        case Aborted() | AssertionFailed():
            return 128 + signal.SIGABRT
        case Killed(signal=number):
            return 128 + number
        case DivisionByZero():
            return 128 + signal.SIGFPE
        case MemoryFault(kind=kind, what=what, access=access, size=size):
            message = f"csgtest: {outcome.location}: {kind} {access} of {size}: {what}"
            print(printable(message), file=sys.stderr)
            return 128 + signal.SIGSEGV
        case Unsupported(what=what):
            raise UnsupportedError(what, outcome.location)
        case Trapped() | Endless() | AssumptionFailed() | Cut():
            message = f"csgtest: {outcome.location}: {row(outcome.ending).kind}"
            print(printable(message), file=sys.stderr)
            return 128 + signal.SIGILL
        case _:
            assert_never(outcome.ending)
