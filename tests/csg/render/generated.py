"""Change sequence graphs by chance: of a given size, cyclic or not, with texts that are hard to
draw."""

from __future__ import annotations

from random import Random

import networkx
from hypothesis import strategies as st

KINDS = ("change", "deletion", "interaction", "output")
LETTERS = {"change": "c", "deletion": "d", "interaction": "i", "output": "o"}
TEXTS = (
    "x = y;",
    'printf ("%d < \\"%d\\" & more\\n", a, y);',
    "if (a < b && c > d)",
    "error (0, 0, message);",
    "fputs (\x1b[1m\x00\ud800\ufffe, stdout);",
    "s = L'字字字字字字字字字字字字字字字字字字字字字字字字字字字';",
    "a_long_name_of_a_function_with_many_parameters (first, second, third, fourth, fifth, sixth);",
    "",
)


def sequence_graph(
    nodes: int, edges: int, functions: int, cyclic: bool, seed: int
) -> networkx.DiGraph[str]:
    """``edges`` are tried, and those from outputs left out, as Algorithm 1 has none of them."""
    random = Random(seed)
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    kinds = sorted((random.choice(KINDS) for _ in range(nodes)), key=KINDS.index)
    numbers = dict.fromkeys(KINDS, 0)
    for kind in kinds:
        numbers[kind] += 1
        function = random.randrange(functions)
        graph.add_node(
            f"{LETTERS[kind]}{numbers[kind]}",
            kind=kind,
            file=f"f{function % 3}.c",
            function=f"function_{function}" if function else "",
            line=random.randrange(1, 2000),
            text=random.choice(TEXTS),
            changes=tuple(sorted(random.sample(range(1, 40), random.randrange(1, 5)))),
            important=random.random() < 0.7,
            output=kind == "output",
        )
    names = list(graph)
    for _ in range(edges):
        a, b = random.randrange(nodes), random.randrange(nodes)
        if not cyclic:
            a, b = min(a, b), max(a, b)
        if kinds[a] != "output" and (cyclic or a != b):
            graph.add_edge(names[a], names[b])
    graph.graph["start"] = tuple(names[:1])
    return graph


@st.composite
def sequence_graphs(draw: st.DrawFn, most: int = 150) -> networkx.DiGraph[str]:
    nodes = draw(st.integers(1, most))
    return sequence_graph(
        nodes,
        draw(st.integers(0, 6 * nodes)),
        draw(st.integers(1, 25)),
        draw(st.booleans()),
        draw(st.integers(0, 10**6)),
    )
