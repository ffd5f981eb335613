"""Number everything that dependences run between.

    f:  entry, parameters, further arguments | block 0: itself, its instructions, its end | ...
        then for each call of a function with code one vertex per argument

Dependences are computed between instructions, where they are exact, and shown between statements:
``node`` leads from a vertex to the statement it is part of, -1 for those that stand for no code (a
block's vertex stands for "this block runs", a parameter's for "this value was passed").
"""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.analysis.call_graph import CallGraph
from csg.analysis.constraints import Place
from csg.ir import Call, Program


@dataclass(slots=True)
class Vertices:
    node: list[int] = field(default_factory=list)
    entry: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, int] = field(default_factory=dict)  # the first one's vertex
    variadic: dict[str, int] = field(default_factory=dict)
    blocks: dict[str, list[int]] = field(default_factory=dict)  # instructions follow their block
    arguments: dict[Place, int] = field(default_factory=dict)  # the first one's vertex
    returns: dict[str, int] = field(default_factory=dict)  # the terminator of the exit block

    def instruction(self, place: Place) -> int:
        return self.blocks[place[0]][place[1]] + 1 + place[2]


def number_vertices(program: Program, calls: CallGraph) -> Vertices:
    vertices = Vertices()
    node = vertices.node
    entries = {n.function: n.id for n in program.nodes if n.kind == "entry"}
    for name, function in program.functions.items():
        vertices.entry[name] = len(node)
        node.append(entries.get(name, -1))
        vertices.parameters[name] = len(node)
        node += [-1] * len(function.parameters)
        vertices.variadic[name] = len(node)
        node.append(-1)
        vertices.blocks[name] = starts = []
        for block in function.blocks:
            starts.append(len(node))
            node.append(-1)
            node += [instruction.node for instruction in block.instructions]
            assert block.terminator is not None
            node.append(block.terminator.node)
        last = function.blocks[function.exit]
        vertices.returns[name] = starts[function.exit] + 1 + len(last.instructions)
    for place, callees in calls.callees.items():
        if callees:
            call = program.functions[place[0]].blocks[place[1]].instructions[place[2]]
            assert isinstance(call, Call)
            vertices.arguments[place] = len(node)
            node += [call.node] * len(call.arguments)
    return vertices
