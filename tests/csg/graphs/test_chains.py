"""The way of a change's effect to a statement, step by step."""

from __future__ import annotations

from csg import pipeline
from csg.analysis import dependence_graph
from csg.frontend import parse_text
from csg.graphs import build_csg, chains, chains_form
from csg.unify import unify

OLD = """
int f(int x) {
    int a = x;
    int b = a + 1;
    if (b > 3)
        return 1;
    return 0;
}
"""


def test_a_chain_leads_from_the_change_to_the_output() -> None:
    unified = unify(parse_text(OLD, "old.c"), parse_text(OLD.replace("a = x", "a = -x"), "new.c"))
    program = pipeline.program_of(unified, "f")
    dependences = dependence_graph(program)
    graph = build_csg(program, dependences=dependences)
    form = chains_form(graph, chains(graph, dependences))
    told = {
        name: [
            [(how, form["statements"][str(number)]["line"]) for number, how in way] for way in ways
        ]
        for name, ways in form["of"].items()
    }
    returning = next(name for name in graph if graph.nodes[name]["text"] == "return 1;")
    assert told[returning] == [[("", 3), ("data", 4), ("data", 5), ("control", 6)]]
    assert form["complete"] and "c1" not in told
    assert form["statements"][str(graph.nodes["c1"]["statement"])]["node"] == "c1"
