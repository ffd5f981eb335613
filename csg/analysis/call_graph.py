"""Who calls whom, and the control flow between statements with calls and returns in it.

    f(x);  (*handler)(x);  qsort(a, n, 4, compare)       callees f, all that handler may be, compare

    1  x = f(a);                          1 (first part, up to the call) -> entry of f
    2  return x;     int f(..) {..}       return of f -> 1 (second part) -> 2

Calls through pointers and callbacks of library functions count; who never returns is known. A
*part* is a run of instructions of one statement in one block, cut after each call of a function
with code; a call's result is taken by a part of its own, be it empty. Jumps at the end of a
block belong to no statement, unless they are all that the statement is (``break``, ``goto``), or
its end (``return``). Code of the new version is always run; code of the old one may be run or
passed, as a run that has diverged passes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from csg.analysis.constraints import Place, PointsTo
from csg.analysis.flow import successors
from csg.ir import Block, Call, Enter, Instruction, Jump, Program, Terminator, Trap
from csg.ir.library_effects import effect_of
from csg.ir.program import StatementKind
from csg.language.syntax import Version

if TYPE_CHECKING:
    import networkx

    NameGraph = networkx.DiGraph[str]


# -------------------------------------------------------------------------------------------- calls


@dataclass(frozen=True, slots=True)
class CallGraph:
    """The call graph. Per call, ``callees`` are the functions whose code is analysed, and
    ``external`` those that are known by their declared effect only, or not at all."""

    callees: dict[Place, tuple[str, ...]]
    external: dict[Place, tuple[str, ...]]
    callers: dict[str, list[Place]]
    order: list[list[str]]  # groups of mutually recursive functions, callees first
    recursive: frozenset[str]
    functions: NameGraph  # an edge from each function to those it calls


def looked_into(program: Program, name: str) -> bool:
    """Is the code of this function analysed? Not that of a library function with a declared effect:
    how csgtest implements it does not matter to the program under test."""
    code = program.functions.get(name)
    return code is not None and not (code.library and effect_of(name) is not None)


def call_graph(program: Program, pointers: PointsTo) -> CallGraph:
    import networkx

    callees: dict[Place, tuple[str, ...]] = {}
    external: dict[Place, tuple[str, ...]] = {}
    callers: dict[str, list[Place]] = {name: [] for name in program.functions}
    functions: NameGraph = networkx.DiGraph()
    functions.add_nodes_from(program.functions)
    scattered = tuple(sorted(pointers.functions_at(pointers.scattered)))
    for name, function in program.functions.items():
        for block in function.blocks:
            for index, instruction in enumerate(block.instructions):
                if type(instruction) is Call:
                    place = (name, block.index, index)
                    put_together = () if function.library else scattered
                    found = _targets(instruction, place, pointers, put_together)
                    callees[place] = tuple(n for n in found if looked_into(program, n))
                    external[place] = tuple(n for n in found if not looked_into(program, n))
                    for callee in callees[place]:
                        callers[callee].append(place)
                        functions.add_edge(name, callee)
    number = {name: number for number, name in enumerate(program.functions)}
    parts = networkx.condensation(functions)
    order: list[list[str]] = [
        sorted(parts.nodes[part]["members"], key=number.__getitem__)
        for part in reversed(list(networkx.topological_sort(parts)))
    ]
    recursive = {name for group in order if len(group) > 1 for name in group}
    recursive.update(networkx.nodes_with_selfloops(functions))
    return CallGraph(callees, external, callers, order, frozenset(recursive), functions)


def named_calls(program: Program) -> NameGraph:
    """The functions with code, with an edge from each to those that it calls by name."""
    import networkx

    functions: NameGraph = networkx.DiGraph()
    functions.add_nodes_from(program.functions)
    for name, function in program.functions.items():
        for block in function.blocks:
            for instruction in block.instructions:
                callee = instruction.callee if isinstance(instruction, Call) else None
                if isinstance(callee, str) and callee in program.functions:
                    functions.add_edge(name, callee)
    return functions


def _targets(
    call: Call, place: Place, pointers: PointsTo, scattered: tuple[str, ...]
) -> tuple[str, ...]:
    """The functions that a call may run. ``scattered``: those whose address the program takes
    apart; a pointer that it puts together again may lead to any of them."""
    resolved = pointers.callees.get(place, ())
    if isinstance(call.callee, str):
        return tuple(dict.fromkeys((call.callee, *resolved)))
    return tuple(dict.fromkeys((*resolved, *scattered)))


# ---------------------------------------------------------------------- functions that never return
# Which functions never return, and the blocks that therefore lead nowhere.
#
#     static void fail(void) { puts("bad"); exit(2); }
#     if (x == 0) fail();            what follows depends on x == 0
#
# The compiler's ``noreturn`` is already in the code as a trap after the call; this finds functions
# that nobody has declared so. What a function *may* do, as ``xmalloc`` may end the program, decides
# nothing here: everything after it would depend on everything before it.


def ending_blocks(program: Program, calls: CallGraph) -> dict[str, frozenset[int]]:
    """Per function, the numbers of the blocks with a call from which no callee returns."""
    returning: set[str] = set()
    changed = True
    while changed:
        changed = False
        for group in calls.order:
            for name in group:
                if name not in returning and _returns(program, calls, name, returning):
                    returning.add(name)
                    changed = True
    return {name: _ending(program, calls, name, returning) for name in program.functions}


def _returns(program: Program, calls: CallGraph, name: str, returning: set[str]) -> bool:
    function = program.functions[name]
    ending = _ending(program, calls, name, returning)
    seen, work = {0}, [0]
    while work:
        number = work.pop()
        if number in ending:
            continue
        if number == function.exit:
            return True
        for target in successors(function.blocks[number]):
            if target not in seen:
                seen.add(target)
                work.append(target)
    return False


def _ending(program: Program, calls: CallGraph, name: str, returning: set[str]) -> frozenset[int]:
    ending = set()
    for block in program.functions[name].blocks:
        for index, instruction in enumerate(block.instructions):
            if type(instruction) is Call:
                place = (name, block.index, index)
                callees = calls.callees[place]
                if callees and not calls.external[place] and returning.isdisjoint(callees):
                    ending.add(block.index)
    return frozenset(ending)


NO_CALL: tuple[str, ...] = ()


@dataclass(slots=True)
class Part:
    """A run of instructions of one statement. Its ``callees`` are entered at its end; ``following``
    are the parts of the same function that control reaches next, after a call those that the
    callees return to."""

    node: int
    function: str
    callees: tuple[str, ...]
    following: tuple[int, ...] = ()
    vacant: bool = False  # it stands for a block without statements
    ends: bool = False  # the program ends here: a call that does not return


@dataclass(frozen=True, slots=True)
class StatementFlow:
    parts: list[Part]
    entries: dict[str, int]  # function -> its first part
    exits: frozenset[int]  # parts after which the function returns
    callers: dict[str, list[int]]  # function -> the parts that call it
    of_node: dict[int, list[int]]  # statement -> its parts, in order

    def statement_edges(self) -> list[tuple[int, int, str]]:
        """The edges as (statement, statement, "flow" or "call"), for pictures. Parts that hold no
        statement are passed over."""
        found: dict[tuple[int, int, str], None] = {}
        for number, part in enumerate(self.parts):
            if part.vacant:
                continue
            for callee in part.callees:
                for target in self.occupied([self.entries[callee]]):
                    found[part.node, self.parts[target].node, "call"] = None
            for target in self.occupied(list(part.following)):
                loops = target <= number
                if self.parts[target].node != part.node or loops:
                    found[part.node, self.parts[target].node, "flow"] = None
        return list(found)

    def occupied(self, parts: list[int]) -> list[int]:
        """The parts that hold a statement; one that holds none is replaced by those that follow
        it."""
        found: dict[int, None] = {}
        seen: set[int] = set()
        while parts:
            number = parts.pop(0)
            if number in seen:
                continue
            seen.add(number)
            if self.parts[number].vacant:
                parts += self.parts[number].following
            else:
                found[number] = None
        return list(found)


@dataclass(slots=True)
class _Builder:
    program: Program
    calls: CallGraph
    deletions: bool
    jumping: frozenset[int]  # statements whose jump is a part of them
    parts: list[Part] = field(default_factory=list)


def statement_flow(program: Program, calls: CallGraph, deletions: bool = True) -> StatementFlow:
    builder = _Builder(program, calls, deletions, _jumping(program))
    entries: dict[str, int] = {}
    entry_nodes = {
        node.function: node.id for node in program.nodes if node.kind is StatementKind.ENTRY
    }
    exits: set[int] = set()
    for name, function in program.functions.items():
        firsts, lasts = [], []
        for block in function.blocks:
            first, last = _add_block(builder, name, block)
            firsts.append(first)
            lasts.append(last)
        for block, last in zip(function.blocks, lasts, strict=True):
            following = _ways_out(block, deletions)
            builder.parts[last].following = tuple(firsts[target] for target in following)
        entries[name] = firsts[0]
        if name in entry_nodes:
            entries[name] = len(builder.parts)
            builder.parts.append(Part(entry_nodes[name], name, NO_CALL, (firsts[0],)))
        exits.add(lasts[function.exit])
    callers: dict[str, list[int]] = {name: [] for name in program.functions}
    of_node: dict[int, list[int]] = {}
    for number, part in enumerate(builder.parts):
        for callee in part.callees:
            callers[callee].append(number)
        if not part.vacant:
            of_node.setdefault(part.node, []).append(number)
    return StatementFlow(builder.parts, entries, frozenset(exits), callers, of_node)


def _ways_out(block: Block, deletions: bool) -> tuple[int, ...]:
    terminator = block.terminator
    if isinstance(terminator, Enter):
        if terminator.region is Version.NEW:
            return (terminator.body,)
        return (terminator.body, terminator.exit) if deletions else (terminator.exit,)
    return successors(block, None if deletions else Version.NEW)


def _jumping(program: Program) -> frozenset[int]:
    jumping: set[int] = set()
    working: set[int] = set()
    for function in program.functions.values():
        for block in function.blocks:
            working.update(instruction.node for instruction in block.instructions)
            terminator = block.terminator
            if isinstance(terminator, Jump | Enter):
                jumping.add(terminator.node)
            elif terminator is not None:
                working.add(terminator.node)
    returning = {node.id for node in program.nodes if node.kind is StatementKind.RETURN}
    return frozenset(jumping - working | returning)


def _add_block(builder: _Builder, name: str, block: Block) -> tuple[int, int]:
    """Add the parts of a block, one after the other; return the numbers of the first and the
    last."""
    parts = builder.parts
    first = len(parts)
    is_open = False  # may the next instruction join the last part?
    items: list[Instruction | Terminator] = [*block.instructions]
    terminator = block.terminator
    assert terminator is not None
    if not isinstance(terminator, Jump | Enter) or terminator.node in builder.jumping:
        items.append(terminator)
    for index, item in enumerate(items):
        if item.version is Version.OLD and not builder.deletions:
            continue
        if not is_open or parts[-1].node != item.node:
            parts.append(Part(item.node, name, NO_CALL))
        is_open = True
        parts[-1].ends = isinstance(item, Trap)
        callees = builder.calls.callees.get((name, block.index, index), NO_CALL)
        if callees:
            parts[-1].callees = callees
            is_open = isinstance(item, Call) and item.target is not None
            if is_open:
                parts.append(Part(item.node, name, NO_CALL))
    if len(parts) == first:
        parts.append(Part(terminator.node, name, NO_CALL, vacant=True))
    for number in range(first, len(parts) - 1):
        parts[number].following = (number + 1,)
    return first, len(parts) - 1
