"""Run one program concretely in the engine, as its native build would run.

csgtest run hello.c -- a b     stdin, stdout, stderr and exit status are the program's
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from csg.errors import UnsupportedError
from csg.ir import Program
from symexec.campaign.start import command_line, fresh_state, loaded_program
from symexec.counters import Counters
from symexec.environment import library
from symexec.environment.files import DISK, Disk
from symexec.environment.registry import registry
from symexec.environment.streams import Contents
from symexec.executor.engine import Engine
from symexec.expr import TermTable
from symexec.solver import build_solver
from symexec.state.endings import (
    ENDINGS,
    Aborted,
    AssertionFailed,
    DivisionByZero,
    Exit,
    MemoryFault,
    Returned,
    Unsupported,
)
from symexec.state.state import Outcome, Output, State

LARGEST_FILE = 1 << 20

Write = Callable[[int, bytes], None]


def run_concrete(
    file: Path,
    arguments: Sequence[str],
    flags: Sequence[str],
    stdin: BinaryIO,
    others: Sequence[Path] = (),
) -> int:
    """The exit status as a shell shows it (128 + the signal's number after a crash)."""
    program = loaded_program(file, tuple(flags), "main", others)
    words = [os.fsencode(word) for word in (file.stem, *arguments)]
    contents = _Lazily(stdin).contents(program.undefined)
    return run_program(program, words, contents, _disk(arguments), _write)


def run_program(
    program: Program, words: Sequence[bytes], stdin: Contents, disk: Disk, write: Write
) -> int:
    """The same of a program that is loaded, with the files that it sees; ``write`` gets what it
    writes to descriptor 1 or 2."""
    counters = Counters()
    engine = Engine(
        program, registry(), build_solver(counters=counters), TermTable(), counters, {}, _ignore
    )
    state = fresh_state(engine)
    state.environment["file0"] = stdin
    state.environment[DISK] = disk
    engine.machine.enter(state, library.start(program), command_line(engine, state, words), None)
    shown: Output | None = None
    while state.frame is not None:
        (state,) = engine.advance(state, 200_000)
        shown = _show(state.new_output, shown, write)
    outcome = state.new_outcome
    assert outcome is not None
    _show(outcome.output, shown, write)
    return _status(outcome)


def _write(stream: int, data: bytes) -> None:
    target = sys.stdout if stream == 1 else sys.stderr
    target.buffer.write(data)
    target.flush()


def _disk(arguments: Sequence[str]) -> Disk:
    """The files that the arguments name: the program sees copies of them."""
    found = []
    for word in dict.fromkeys(arguments):
        file = Path(word)
        if word and file.is_file() and file.stat().st_size <= LARGEST_FILE:
            data = file.read_bytes()
            found.append((os.fsencode(word), Contents(tuple(data), len(data))))
    return tuple(found)


class _Lazily:
    """Standard input is read only for programs that read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def contents(self, undefined: set[str]) -> Contents:
        if not undefined & _READERS:
            return Contents()
        data = self._stream.read()
        return Contents(tuple(data), len(data))


_READERS = frozenset(
    [
        "getchar",
        "getchar_unlocked",
        "getc",
        "fgetc",
        "getc_unlocked",
        "fgetc_unlocked",
        "fgets",
        "gets",
        "fread",
        "fread_unlocked",
        "getline",
        "getdelim",
        "__getdelim",
        "read",
        "scanf",
        "fscanf",
        "ungetc",
        "feof",
    ]
)


def _ignore(state: State, node: int) -> None:
    return


def _show(last: Output | None, shown: Output | None, write: Write) -> Output | None:
    """Write what is new since ``shown``."""
    found: list[tuple[int, bytes]] = []
    item = last
    while item is not None and item is not shown:
        assert isinstance(item.item, bytes)
        found.append((item.stream, item.item))
        item = item.before
    for stream, data in reversed(found):
        write(stream, data)
    return last


def _status(outcome: Outcome) -> int:
    match outcome.ending:
        case Exit(status=status) | Returned(value=status):
            return (status or 0) & 0xFF if isinstance(status, int) or status is None else 0
        case Aborted() | AssertionFailed():
            return 128 + signal.SIGABRT
        case DivisionByZero():
            return 128 + signal.SIGFPE
        case MemoryFault(kind=kind, what=what, access=access, size=size):
            print(
                f"csgtest: {outcome.location}: {kind} {access} of {size}: {what}", file=sys.stderr
            )
            return 128 + signal.SIGSEGV
        case Unsupported(what=what):
            raise UnsupportedError(what, outcome.location)
        case ending:
            print(f"csgtest: {outcome.location}: {ENDINGS[type(ending)].kind}", file=sys.stderr)
            return 128 + signal.SIGILL
