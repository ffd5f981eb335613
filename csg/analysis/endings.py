"""Which functions never return, and the blocks that therefore lead nowhere.

    static void fail(void) { puts("bad"); exit(2); }
    if (x == 0) fail();            what follows depends on x == 0

The compiler's ``noreturn`` is already in the code as a trap after the call; this finds functions
that nobody has declared so. What a function *may* do, as ``xmalloc`` may end the program, decides
nothing here: everything after it would depend on everything before it.
"""

from __future__ import annotations

from csg.analysis.call_graph import CallGraph
from csg.analysis.flow import successors
from csg.ir import Call, Program


def ending_blocks(program: Program, calls: CallGraph) -> dict[str, frozenset[int]]:
    """Per function the blocks with a call from which no callee returns."""
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
