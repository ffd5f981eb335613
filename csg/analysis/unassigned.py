"""Registers that may be read although nothing was assigned to them on some way from the entry.

    int x;                  x is read at the end: one of the two ways there assigns nothing
    if (c)
        x = 1;
    return x;

What one version has to itself is no way for the other, so each is looked at alone.
"""

from __future__ import annotations

from csg.ir import Block, Enter, FunctionCode, Instruction, Register, Value
from csg.ir.flow import decides, reads, successors, target
from csg.language.syntax import Version


def unassigned(function: FunctionCode) -> dict[int, int]:
    """Register number -> width, in ascending order; of either version."""
    found: dict[int, int] = {}
    for version in Version:
        found.update(_of_version(function, version))
    return dict(sorted(found.items()))


def _of_version(function: FunctionCode, version: Version) -> dict[int, int]:
    everything = (1 << function.registers) - 1
    entry = sum(1 << register.number for register in function.parameters)
    assigned = {block.index: everything for block in function.blocks}
    assigned[0] = entry
    waiting = [0]
    reached: set[int] = set()
    writes = [_written(block, version) for block in function.blocks]
    while waiting:
        place = waiting.pop()
        reached.add(place)
        behind = assigned[place] | writes[place]
        for follower in _following(function.blocks[place], version):
            met = assigned[follower] & behind
            if met != assigned[follower] or follower not in reached:
                assigned[follower] = met
                waiting.append(follower)
    found: dict[int, int] = {}
    for place in reached:
        found.update(_read_too_early(function.blocks[place], assigned[place], version))
    return found


def _runs(instruction: Instruction, version: Version) -> bool:
    return instruction.version is None or instruction.version is version


def _written(block: Block, version: Version) -> int:
    written = 0
    for instruction in block.instructions:
        result = target(instruction)
        if result is not None and _runs(instruction, version):
            written |= 1 << result.number
    return written


def _following(block: Block, version: Version) -> tuple[int, ...]:
    terminator = block.terminator
    assert terminator is not None
    if isinstance(terminator, Enter):
        return (terminator.body if terminator.region is version else terminator.exit,)
    return successors(terminator)


def _read_too_early(block: Block, assigned: int, version: Version) -> dict[int, int]:
    found: dict[int, int] = {}

    def look(values: tuple[Value, ...]) -> None:
        for value in values:
            if isinstance(value, Register) and not assigned >> value.number & 1:
                found[value.number] = value.width

    for instruction in block.instructions:
        if not _runs(instruction, version):
            continue
        look(reads(instruction))
        result = target(instruction)
        if result is not None:
            assigned |= 1 << result.number
    assert block.terminator is not None
    look(decides(block.terminator))
    return found
