"""From files to a state that stands before the first statement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from csg.ir import Program
from symexec.environment import library
from symexec.executor.engine import Engine
from symexec.expr import Data
from symexec.memory import address_of
from symexec.solver import EMPTY
from symexec.state.state import State


def loaded_program(file: Path, flags: Sequence[str], entry: str | None) -> Program:
    """One file, lowered and completed with the models that it needs."""
    from csg.frontend import parse_file
    from csg.lower import lower
    from csg.pipeline import entry_of

    unit = parse_file(file, tuple(flags))
    program = lower([unit], (), entry_of(unit, entry))
    library.complete(program)
    return program


def fresh_state(engine: Engine) -> State:
    """Globals are initialised, nothing has run."""
    return State(engine.machine.memory.fork(), EMPTY)


def command_line(engine: Engine, state: State, words: Sequence[bytes]) -> tuple[Data, ...]:
    """argc, argv and an empty environ for ``main``."""
    memory = state.memory
    addresses = []
    for place, word in enumerate(words):
        item = memory.allocate(len(word) + 1, "input", f"argv[{place}]")
        item.data[: len(word)] = word
        addresses.append(address_of(item.number))
    argv = memory.allocate(8 * (len(words) + 1), "input", "argv")
    for place, address in enumerate(addresses):
        argv.store(8 * place, 8, address, state.mode)
    environ = memory.allocate(8, "input", "environ")
    return (len(words), address_of(argv.number), address_of(environ.number))
