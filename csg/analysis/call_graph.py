"""Who calls whom, calls through pointers and callbacks of library functions included.

f(x);  (*handler)(x);  qsort(a, n, 4, compare)       callees f, all that handler may be, compare
"""

from __future__ import annotations

from dataclasses import dataclass

from csg.analysis.components import components
from csg.analysis.constraints import Place
from csg.analysis.library_effects import effect_of
from csg.analysis.points_to import PointsTo
from csg.ir import Call, Program


@dataclass(frozen=True, slots=True)
class CallGraph:
    """Per call ``callees`` are the functions with code that is looked into, ``external`` those that
    are known by their effect only, or not at all."""

    callees: dict[Place, tuple[str, ...]]
    external: dict[Place, tuple[str, ...]]
    callers: dict[str, list[Place]]
    order: list[list[str]]  # groups of mutually recursive functions, callees first
    recursive: frozenset[str]


def looked_into(program: Program, name: str) -> bool:
    """A library function whose effect is known is not: its code is a detail of ours."""
    code = program.functions.get(name)
    return code is not None and not (code.library and effect_of(name) is not None)


def call_graph(program: Program, pointers: PointsTo) -> CallGraph:
    callees: dict[Place, tuple[str, ...]] = {}
    external: dict[Place, tuple[str, ...]] = {}
    callers: dict[str, list[Place]] = {name: [] for name in program.functions}
    names = list(program.functions)
    numbers = {name: number for number, name in enumerate(names)}
    calls: list[set[int]] = [set() for _ in names]
    for name, function in program.functions.items():
        for block in function.blocks:
            for index, instruction in enumerate(block.instructions):
                if type(instruction) is Call:
                    place = (name, block.index, index)
                    found = _targets(instruction, place, pointers)
                    callees[place] = tuple(n for n in found if looked_into(program, n))
                    external[place] = tuple(n for n in found if not looked_into(program, n))
                    for callee in callees[place]:
                        callers[callee].append(place)
                        calls[numbers[name]].add(numbers[callee])
    order, recursive = [], set()
    for members in components([sorted(targets) for targets in calls]):
        order.append(sorted((names[m] for m in members), key=numbers.__getitem__))
        if len(members) > 1 or members[0] in calls[members[0]]:
            recursive.update(order[-1])
    return CallGraph(callees, external, callers, order, frozenset(recursive))


def _targets(call: Call, place: Place, pointers: PointsTo) -> tuple[str, ...]:
    resolved = pointers.callees.get(place, ())
    if isinstance(call.callee, str):
        return tuple(dict.fromkeys((call.callee, *resolved)))
    return resolved
