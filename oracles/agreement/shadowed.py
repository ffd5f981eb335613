"""Run two versions of a program at once, and write what each of them writes.

7.c  x = 5;     7-new.c  x = 6;      unified: x = change(5, 6);  one execution, on pairs of values
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from csg.errors import UnsupportedError
from csg.pipeline import program_of, unify_files
from csg.programs import Versions
from oracles.agreement.compare import both_told, versions
from symexec.exploration.concrete_run import engine_alone
from symexec.exploration.single_program import predicted
from symexec.exploration.start import command_line, fresh_state
from symexec.runtime import library
from symexec.state.endings import Unsupported
from symexec.state.state import Outcome, State


def run_shadowed(file: Path, flags: Sequence[str], seed: int) -> int:
    """Both outcomes of the only path; nothing is symbolic."""
    old, new = versions(file)
    program = program_of(unify_files(Versions(old, new, tuple(flags))), "main")
    library.complete(program)
    engine = engine_alone(program)
    state = fresh_state(engine)
    words = command_line(engine, state, [b"program"])
    engine.machine.enter(state, library.start(program), words, None)
    while state.frame is not None:
        (state,) = engine.advance(state, 200_000)
    for outcome in (state.old_outcome, state.new_outcome):
        _show(outcome)
    print(f"{len(state.divergences)} divergences, {_changed(state)}", file=sys.stderr)
    return 0


def _show(outcome: Outcome | None) -> None:
    assert outcome is not None
    match outcome.ending:
        case Unsupported(what=what):
            raise UnsupportedError(what, outcome.location)
    seen = predicted(outcome, {}, main=True)
    assert seen.exit is not None, outcome.ending
    sys.stdout.buffer.write(both_told(seen.stdout, seen.exit))
    sys.stdout.flush()


def _changed(state: State) -> str:
    return "values differed" if state.shadows else "nothing differed"
