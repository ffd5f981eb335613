"""Which definitions of a register reach which uses, in one function and one version.

    %2 = mov 1;  if (..) %2 = mov %9;  return %2        the return depends on both moves

Temporaries are used in the block that sets them and never enter the bit sets; only registers that
are read in a block before it sets them do. The instructions of the other version are not there, so
after ``OLD: %2 = ..``, ``NEW: %2 = ..`` a use sees both: one in each version's run.
"""

from __future__ import annotations

from collections.abc import Callable

from csg.analysis.flow import FlowGraph
from csg.analysis.objects import bits
from csg.ir import Call, FunctionCode, Register, Value
from csg.ir.flow import decides, reads, target
from csg.language.syntax import Version

Link = Callable[[int, int], None]  # told (use, definition)


def link_registers(
    function: FunctionCode,
    graph: FlowGraph,
    version: Version | None,
    starts: list[int],
    parameters: int,
    arguments: dict[int, int],
    link: Link,
) -> None:
    """``starts``, ``parameters`` and ``arguments`` (call -> its first argument's vertex) number the
    vertices, see ``csg.analysis.vertices``."""
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
    """Arguments are uses of their own: the result depends on them only as the callee does."""
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
    """The bit set at the start of each block: what leaves its predecessors, joined."""
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
