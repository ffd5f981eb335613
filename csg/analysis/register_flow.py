"""Which definitions of a register reach which uses, in one function and one version.

    %2 = mov 1;  if (..) %2 = mov %9;  return %2        the return depends on both moves

Temporaries are used in the block that sets them and never enter the bit sets; only registers that
are read in a block before it sets them do. The instructions of the other version are not there, so
after ``OLD: %2 = ..``, ``NEW: %2 = ..`` a use sees both: one in each version's run. Registers that
may be read before anything is assigned to them come last.
"""

from __future__ import annotations

from collections.abc import Callable

from csg.analysis.flow import FlowGraph
from csg.analysis.objects import bits
from csg.ir import Block, Call, Enter, FunctionCode, Instruction, Register, Value
from csg.ir.instructions import decides, reads, successors, target
from csg.language.syntax import Version

# ----------------------------------------------------------------------------- definitions and uses


Link = Callable[[int, int], None]  # called with (use, definition)


def link_registers(
    function: FunctionCode,
    graph: FlowGraph,
    version: Version | None,
    starts: list[int],
    parameters: int,
    arguments: dict[int, int],
    link: Link,
) -> None:
    """Call ``link`` for each use of a register and each definition that reaches it. ``starts``,
    ``parameters`` and ``arguments`` (call -> vertex of its first argument) number the vertices, see
    ``csg.analysis.memory_flow``."""
    exposed: list[tuple[int, int, int]] = []  # block, use, register
    # per block the last definition of each register that it sets
    leaving: list[dict[int, int]] = [{} for _ in function.blocks]
    for number in graph.order:
        _link_block(
            function, number, version, starts[number], leaving[number], arguments, exposed, link
        )
    if exposed:
        wanted = {register for _, _, register in exposed}
        entry = {p.number: parameters + index for index, p in enumerate(function.parameters)}
        _link_across(graph, leaving, entry, wanted, exposed, link)


def _link_block(
    function: FunctionCode,
    number: int,
    version: Version | None,
    start: int,
    last: dict[int, int],
    arguments: dict[int, int],
    exposed: list[tuple[int, int, int]],
    link: Link,
) -> None:
    block = function.blocks[number]
    vertex = start
    for instruction in block.instructions:
        vertex += 1
        if instruction.version is not None and instruction.version is not version:
            continue
        if vertex in arguments:
            assert isinstance(instruction, Call)
            uses = _call_uses(instruction, vertex, arguments[vertex])
        else:
            uses = [(vertex, register) for register in _registers(reads(instruction))]
        for use, register in uses:
            if register in last:
                link(use, last[register])
            else:
                exposed.append((number, use, register))
        written = target(instruction)
        if written is not None:
            last[written.number] = vertex
    assert block.terminator is not None
    for register in _registers(decides(block.terminator)):
        if register in last:
            link(vertex + 1, last[register])
        else:
            exposed.append((number, vertex + 1, register))


def _registers(values: tuple[Value, ...]) -> list[int]:
    return [value.number for value in values if isinstance(value, Register)]


def _call_uses(call: Call, vertex: int, first: int) -> list[tuple[int, int]]:
    """The registers that a call uses as arguments, each with the vertex of the argument: the result
    of the call depends on an argument only where the callee does."""
    uses = [
        (first + index, argument.number)
        for index, argument in enumerate(call.arguments)
        if isinstance(argument, Register)
    ]
    if isinstance(call.callee, Register):
        uses.append((vertex, call.callee.number))
    return uses


def _link_across(
    graph: FlowGraph,
    leaving: list[dict[int, int]],
    entry: dict[int, int],
    wanted: set[int],
    exposed: list[tuple[int, int, int]],
    link: Link,
) -> None:
    definitions: list[int] = []  # bit -> vertex
    of_register: dict[int, int] = dict.fromkeys(wanted, 0)

    def define(register: int, vertex: int) -> int:
        bit = 1 << len(definitions)
        definitions.append(vertex)
        of_register[register] |= bit
        return bit

    arriving = sum(define(r, vertex) for r, vertex in entry.items() if r in wanted)
    made: list[list[tuple[int, int]]] = [
        [(r, define(r, vertex)) for r, vertex in last.items() if r in wanted] for last in leaving
    ]
    gen = [sum(bit for _, bit in block) for block in made]
    keep = []
    for block in made:
        killed = 0
        for register, _ in block:
            killed |= of_register[register]
        keep.append(~killed)
    reaching = solve_forward(graph, gen, keep, arriving)
    for number, use, register in exposed:
        for bit in bits(reaching[number] & of_register[register]):
            link(use, definitions[bit])


def solve_forward(graph: FlowGraph, gen: list[int], keep: list[int], entry: int) -> list[int]:
    """The bit set at the start of each block: the union of what leaves its predecessors."""
    reaching = [0] * len(gen)
    leaving = [0] * len(gen)
    reaching[0] = entry
    changed = True
    while changed:
        changed = False
        for number in graph.order:
            before = entry if number == 0 else 0
            for source in graph.predecessors[number]:
                before |= leaving[source]
            after = (before & keep[number]) | gen[number]
            reaching[number] = before
            if after != leaving[number]:
                leaving[number] = after
                changed = True
    return reaching


# --------------------------------------------------------------------------------- nothing assigned
# Registers that may be read although nothing was assigned to them on some way from the entry.
#
#     int x;                  x is read at the end: one of the two ways there assigns nothing
#     if (c)
#         x = 1;
#     return x;
#
# What one version has to itself is no way for the other, so each is looked at alone.


def unassigned(function: FunctionCode) -> dict[int, int]:
    """The registers that may be read before anything is assigned to them, in either version: number
    -> width in bits, in ascending order."""
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
