"""Run a program whose constants are known to the solver only.

int g = 7; ... x = 5;        g is a symbol; x = k, another symbol
                             path condition: g == 7, k * 11 == 55 (or another way to say k == 5)

There is one path through such a program. The engine finds it by asking its solver at each branch,
and what the path prints are terms; the solver's model gives the text.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from csg.errors import Location
from csg.ir import (
    Binary,
    Compare,
    Constant,
    FunctionCode,
    GlobalAddress,
    GlobalObject,
    Instruction,
    Load,
    Move,
    Program,
    Register,
    Store,
)
from csg.language.types import BOOL, Array, Integer, Record, Type, size_of
from symexec.executor.engine import Engine
from symexec.exploration.concrete_run import engine_alone
from symexec.exploration.single_program import written
from symexec.exploration.start import command_line, fresh_state, loaded_program
from symexec.expr import (
    Data,
    Model,
    Operand,
    Shadowed,
    Term,
    binary,
    compare,
    evaluate,
)
from symexec.memory import BOTH
from symexec.runtime import library
from symexec.state.endings import Exit, Returned
from symexec.state.state import Outcome, State

MOST_GLOBALS = 40
MOST_CONSTANTS = 40
HIDDEN = "forced:"  # globals that hold what was a constant


def run_forced(file: Path, flags: Sequence[str], seed: int) -> int:
    """Write what the program's only path writes; the exit status."""
    program = loaded_program(file, tuple(flags), "main")
    hide_constants(program, file, random.Random(seed))
    engine = engine_alone(program)
    counters = engine.counters
    state = fresh_state(engine)
    forcing = Forcing(engine, state, random.Random(seed))
    forcing.globals(file)
    words = command_line(engine, state, [b"program"])
    engine.machine.enter(state, library.start(program), words, None)
    ended = list(_ended(engine, state))
    if len(ended) != 1:
        raise AssertionError(f"{len(ended)} paths, {counters.unknown} questions given up")
    (last,) = ended
    model = engine.solver.model(last.path)
    wrong = [
        symbol for symbol, value in forcing.values.items() if (model or {}).get(symbol, 0) != value
    ]
    if wrong:
        raise AssertionError(f"the model of the path is wrong about {wrong[:3]}")
    outcome = last.new_outcome
    assert outcome is not None
    sys.stdout.buffer.write(written(outcome, lambda term: _value(term, model or {}))[0])
    sys.stdout.flush()
    print(f"{counters.backend_queries} of {counters.queries} questions", file=sys.stderr)
    return _status(outcome, model or {})


def _ended(engine: Engine, state: State) -> Iterator[State]:
    waiting = [state]
    while waiting:
        for successor in engine.advance(waiting.pop(), 200_000):
            if successor.frame is None:
                yield successor
            else:
                waiting.append(successor)


def _value(term: Operand, model: Model) -> int:
    return term if isinstance(term, int) else evaluate(term, model)


def _status(outcome: Outcome, model: Model) -> int:
    match outcome.ending:
        case Exit(status=status) | Returned(value=status):
            assert not isinstance(status, Shadowed)
            return _value(status or 0, model) & 0xFF
        case ending:
            raise AssertionError(f"the path ends so: {ending} at {outcome.location}")


# --------------------------------------------------------------------------- what is forced


class Forcing:
    """Symbols for integers in memory, and conditions that leave each one value: ``values``."""

    def __init__(self, engine: Engine, state: State, chance: random.Random) -> None:
        self.engine = engine
        self.state = state
        self.chance = chance
        self.values: dict[Term, int] = {}

    def globals(self, file: Path) -> None:
        """Some of the file's own, and all that hold hidden constants."""
        found: list[tuple[str, int, int]] = []
        hidden: list[tuple[str, int, int]] = []
        for name, item in self.engine.program.globals.items():
            if name.startswith(HIDDEN):
                hidden.append((name, 0, item.size))
            elif item.type is not None and not item.readonly and within(item.location, file):
                found += [(name, offset, size) for offset, size in integers(item.type)]
        chosen = sorted(self.chance.sample(found, min(MOST_GLOBALS, len(found))))
        for place, (name, offset, size) in enumerate([*chosen, *hidden]):
            self._force(f"k{place}", name, offset, size)

    def _force(self, label: str, name: str, offset: int, size: int) -> None:
        state, width = self.state, 8 * size
        item = state.memory.find(self.engine.machine.addresses[name] >> 32)
        assert item is not None
        value = item.load(offset, size, BOTH)
        assert isinstance(value, int)
        symbol = self.engine.table.symbol(label, width)
        for condition in ways_to_say(self.chance, symbol, value, self.values):
            state.path = state.path.assuming(condition)
        state.memory.writable(item).store(offset, size, symbol, BOTH)
        self.values[symbol] = value


def ways_to_say(
    chance: random.Random, symbol: Term, value: int, known: Mapping[Term, int]
) -> list[Operand]:
    """Conditions that leave a symbol this one value; most are beyond simple reasoning. ``known``
    are symbols with their values that it may be joined with."""
    width = symbol.width
    ones = (1 << width) - 1
    style = chance.randrange(6)
    if style == 0:
        return [same(width, symbol, value)]
    if style < 4 and width <= 32:  # neither an odd factor nor x ^ x >> n loses anything
        factor = chance.getrandbits(width) | 1
        mixed: Data = symbol
        if style == 1:
            count = chance.randrange(1, width)
            mixed = binary("xor", width, symbol, binary("lshr", width, symbol, count))
            value ^= value >> count
        product = operand(binary("mul", width, mixed, factor))
        return [same(width, product, value * factor & ones)]
    mask = chance.getrandbits(width)
    pieces = [operand(binary("and", width, symbol, part)) for part in (mask, ones ^ mask)]
    parts = [same(width, pieces[0], value & mask), same(width, pieces[1], value & ~mask & ones)]
    alike = [each for each in known if each.width == width]
    if style == 4 or not alike:
        return parts
    other = chance.choice(alike)
    total = operand(binary("add", width, symbol, other))
    return [*parts, same(width, total, value + known[other] & ones)]


def operand(data: Data) -> Operand:
    assert not isinstance(data, Shadowed)
    return data


def same(width: int, left: Operand, right: Operand) -> Operand:
    return operand(compare("eq", width, left, right))


def integers(kind: Type, offset: int = 0) -> Iterator[tuple[int, int]]:
    """Offset and size of every integer in an object that is no bit-field."""
    match kind:
        case Integer(size=size):
            if kind != BOOL:
                yield offset, size
        case Array(element=element, length=int() as length):
            for index in range(min(length, 8)):
                yield from integers(element, offset + index * size_of(element))
        case Record(kind="struct", fields=fields):
            for field in fields or ():
                if field.bit_width is None:
                    yield from integers(field.type, offset + field.offset)
        case _:
            pass


# --------------------------------------------------------------------------- constants in the code


def within(location: Location, file: Path) -> bool:
    """Is it in the program, and not in a header or a model?"""
    return Path(location.file).name == file.name


def hide_constants(program: Program, file: Path, chance: random.Random) -> None:
    """Some constants of the file's functions become loads from globals of their own."""
    found = [
        (code, block.index, place)
        for code in program.functions.values()
        if within(code.location, file)
        for block in code.blocks
        for place, step in enumerate(block.instructions)
        if _constant(step) is not None
    ]
    chosen = chance.sample(found, min(MOST_CONSTANTS, len(found)))
    for code, block, place in sorted(chosen, key=lambda each: each[1:], reverse=True):
        _hide(program, code, block, place)


def _constant(step: Instruction) -> Constant | None:
    """The one that can be hidden: not a truth value, nor what may be a null pointer."""
    match step:
        case (
            Move(value=Constant() as found)
            | Store(value=Constant() as found)
            | Binary(right=Constant() as found)
            | Compare(right=Constant() as found)
        ) if found.width in (8, 16, 32, 64) and (found.value or found.width < 64):
            return found
        case _:
            return None


def _hide(program: Program, code: FunctionCode, block: int, place: int) -> None:
    steps = code.blocks[block].instructions
    step = steps[place]
    constant = _constant(step)
    assert constant is not None
    size = constant.width // 8
    name = f"{HIDDEN}{sum(each.startswith(HIDDEN) for each in program.globals)}"
    data = constant.value.to_bytes(size, "little")
    program.globals[name] = GlobalObject(name, size, size, data)
    address = Register(code.registers, 64)
    loaded = Register(code.registers + 1, constant.width)
    code.registers += 2
    steps[place : place + 1] = [
        GlobalAddress(address, name, node=step.node, version=step.version),
        Load(loaded, address, size, node=step.node, version=step.version),
        _with(step, loaded),
    ]
    lives = code.blocks[block].lifetimes
    lives[:] = [
        replace(each, place=each.place + 2) if each.place > place else each for each in lives
    ]


def _with(step: Instruction, value: Register) -> Instruction:
    match step:
        case Move() | Store():
            return replace(step, value=value)
        case Binary() | Compare():
            return replace(step, right=value)
        case _:
            raise AssertionError(step)
