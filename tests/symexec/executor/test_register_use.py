"""Live registers against a naive search along the flow of control, on lowered C."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from csg.ir import FunctionCode, Register, Value
from csg.ir.instructions import decides, reads, successors, target
from symexec.executor.registers import LiveRegisters
from symexec.exploration.start import loaded_program

ROOT = Path(__file__).parents[3]
LOOP = """\
int f(int x, int y, int z)
{
    int sum = 0, kept = z * 3;
    for (int i = 0; i < x; i++) sum += kept ? i : y;
    return sum + kept;
}
"""


def naive(function: FunctionCode, block: int, index: int, number: int) -> bool:
    """Is there a way from the place to a read of the register, with no write before it?"""
    seen, waiting = set(), deque([(block, index)])
    while waiting:
        at, start = waiting.popleft()
        code = function.blocks[at]
        for instruction in code.instructions[start:]:
            if number in numbers(reads(instruction)):
                return True
            result = target(instruction)
            if result is not None and result.number == number and instruction.version is None:
                break
        else:
            assert code.terminator is not None
            if number in numbers(decides(code.terminator)):
                return True
            for successor in successors(code.terminator):
                if successor not in seen:
                    seen.add(successor)
                    waiting.append((successor, 0))
    return False


def numbers(values: tuple[Value, ...]) -> set[int]:
    return {value.number for value in values if isinstance(value, Register)}


def functions(folder: Path) -> list[FunctionCode]:
    file = folder / "loop.c"
    file.write_text(LOOP)
    programs = [loaded_program(file, (), "f")]
    programs += [
        loaded_program(each, (), None) for each in sorted(ROOT.glob("samples/*/old.c"))[:4]
    ]
    return [code for each in programs for code in each.functions.values() if len(code.blocks) < 40]


def test_live_registers_are_those_that_a_way_reads(tmp_path: Path) -> None:
    places = live = 0
    for function in functions(tmp_path):
        found = LiveRegisters(function.blocks)
        for block, code in enumerate(function.blocks):
            for index in {0, len(code.instructions) // 2, len(code.instructions)}:
                expected = {
                    number
                    for number in range(function.registers)
                    if naive(function, block, index, number)
                }
                assert found.at(block, index) == expected, (function.name, block, index)
                places += 1
                live += len(expected)
    assert places > 100 and live > 100
