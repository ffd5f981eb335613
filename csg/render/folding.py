"""Make a change sequence graph small enough to be read, without changing what leads to what.

    c1 -> c2 -> c3, c1 -> c3, c3 -> o1 (puts), c3 -> o2 (puts)       c1..c3 -> o1, o2

- Outputs of one kind in one place (calls of ``error`` in ``main``) become one node. The same nodes
  follow on all of them (none, as a rule), so no way is added between other nodes.
- Edges that others imply are left out: between strongly connected components by the transitive
  reduction of the condensation, inside one by that of the edges in source order, and of the others
  (back in a loop, or to a function further up) those that are needed to keep it connected.
- A straight chain of nodes of one style in one function becomes one node.

For any two nodes that stayed as they were one leads to the other after this if and only if it did
before. Edges and nodes of critical sequences are never left out or folded with what is on none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import networkx

if TYPE_CHECKING:
    NamedGraph = networkx.DiGraph[str]
else:
    NamedGraph = networkx.DiGraph

Edge = tuple[str, str]

_CAST = re.compile(r"\(\s*(?:void|int)\s*\)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_WORDS = frozenset(("if", "while", "for", "switch", "do", "else", "case"))
ELSEWHERE = "functions without changes"
FILE_SCOPE = "file scope"
SMALL = 12


@dataclass(frozen=True, slots=True)
class Highlights:
    """What a search knows of a graph: the nodes and edges that tests have visited, and the
    sequences of nodes that errors need. Where all are empty, nothing is marked."""

    nodes: frozenset[str] = frozenset()
    edges: frozenset[tuple[str, str]] = frozenset()
    critical: tuple[tuple[str, ...], ...] = ()

    @property
    def critical_nodes(self) -> frozenset[str]:
        return frozenset(name for sequence in self.critical for name in sequence)

    @property
    def critical_edges(self) -> frozenset[tuple[str, str]]:
        return frozenset(edge for sequence in self.critical for edge in steps(sequence))


def steps(sequence: Sequence[str]) -> list[Edge]:
    """The edges of a run that visits these nodes. A run goes on after an output, while the graph
    does not, so the node that comes next follows the node before the output."""
    found = []
    before = ""
    for name in sequence:
        if before:
            found.append((before, name))
        before = before if before and name.startswith("o") else name
    return found


NOTHING = Highlights()


@dataclass(frozen=True, slots=True)
class Folding:
    """A folded graph. ``graph`` holds the nodes that are drawn, each by the id of the first node
    that it stands for. ``members``: all nodes that it stands for, in the order of the source."""

    graph: NamedGraph
    members: dict[str, tuple[str, ...]]
    clusters: dict[str, str]  # node -> the title of the frame around it


def folded(graph: NamedGraph, highlights: Highlights = NOTHING) -> Folding:
    """The graph folded. Its nodes have the attributes kind, file, function, line, text, important.
    Of a graph of at most SMALL nodes each node is drawn, and only edges are left out."""
    clusters = clusters_of(graph)
    critical = highlights.critical_nodes
    place = {name: number for number, name in enumerate(source_order(graph, clusters))}

    def alike(name: str) -> tuple[object, ...]:
        return (clusters[name], style_of(graph, name), name in critical)

    small = len(graph) <= SMALL
    owner = {} if small else _outputs(graph, place, alike)
    merged = _merged(graph, owner, place)
    retained = {(owner.get(a, a), owner.get(b, b)) for a, b in highlights.critical_edges}
    reduced = essential(merged, place, clusters, retained)
    chains = {} if small else _chains(reduced, place, alike)
    result = _merged(reduced, chains, place)
    members: dict[str, list[str]] = {name: [] for name in result}
    for name in sorted(graph, key=place.__getitem__):
        drawn = owner.get(name, name)
        members[chains.get(drawn, drawn)].append(name)
    return Folding(result, {name: tuple(all_) for name, all_ in members.items()}, clusters)


def unfolded(graph: NamedGraph) -> Folding:
    """The graph with all its nodes and edges."""
    clusters = clusters_of(graph)
    ordered: NamedGraph = networkx.DiGraph()
    ordered.add_nodes_from(source_order(graph, clusters))
    ordered.add_edges_from(graph.edges)
    return Folding(ordered, {name: (name,) for name in ordered}, clusters)


def style_of(graph: NamedGraph, name: str) -> str:
    kind: str = graph.nodes[name]["kind"]
    return "important" if kind == "interaction" and graph.nodes[name]["important"] else kind


def clusters_of(graph: NamedGraph) -> dict[str, str]:
    """The function of each node. Outputs of functions that contain no other nodes share one
    frame."""
    own = {known["function"] for _, known in graph.nodes(data=True) if known["kind"] != "output"}
    return {
        name: (known["function"] or FILE_SCOPE) if known["function"] in own else ELSEWHERE
        for name, known in graph.nodes(data=True)
    }


def source_order(graph: NamedGraph, clusters: dict[str, str]) -> list[str]:
    """The nodes sorted by function, functions and their nodes as they stand in the files. Files are
    in the order in which the graph names them; a function has the place of its new version."""
    files: dict[str, int] = {}
    begins: dict[str, tuple[bool, bool, int, int]] = {}
    for name, known in graph.nodes(data=True):
        file = files.setdefault(known["file"], len(files))
        title = clusters[name]
        begin = (title == ELSEWHERE, known["kind"] == "deletion", file, known["line"])
        begins[title] = min(begins.get(title, begin), begin)
    number = {name: at for at, name in enumerate(graph)}

    def place(name: str) -> tuple[object, ...]:
        known = graph.nodes[name]
        return (begins[clusters[name]], clusters[name], known["line"], number[name])

    return sorted(graph, key=place)


def output_kind(text: str) -> str:
    """The function that an output statement calls, or the word that it begins with."""
    text = _CAST.sub("", text)
    calls = [each for each in re.findall(r"([A-Za-z_]\w*)\s*\(", text) if each not in _WORDS]
    if calls:
        return str(calls[0])
    word = _NAME.search(text)
    return word.group() if word else text


def essential(
    graph: NamedGraph,
    place: dict[str, int],
    clusters: dict[str, str],
    retained: Collection[Edge] = (),
) -> NamedGraph:
    """The same nodes with fewer edges and the same transitive closure. ``retained`` edges stay."""
    result: NamedGraph = networkx.DiGraph()
    result.add_nodes_from(graph)
    condensed = networkx.condensation(graph)
    part: dict[str, int] = condensed.graph["mapping"]
    between: dict[tuple[int, int], list[Edge]] = {}
    inside: dict[int, list[Edge]] = {}
    for a, b in graph.edges:
        if part[a] != part[b]:
            between.setdefault((part[a], part[b]), []).append((a, b))
        elif a != b or len(condensed.nodes[part[a]]["members"]) == 1:
            inside.setdefault(part[a], []).append((a, b))

    def near(edge: Edge) -> tuple[bool, bool, int, int]:
        a, b = edge
        return (
            edge not in retained,
            clusters[a] != clusters[b],
            abs(place[b] - place[a]),
            place[a],
        )

    for pair in networkx.transitive_reduction(condensed).edges:
        result.add_edge(*min(between[pair], key=near))
    for edges in inside.values():
        result.add_edges_from(_inside(edges, place))
    result.add_edges_from(edge for edge in graph.edges if edge in retained)
    return result


def _inside(edges: list[Edge], place: dict[str, int]) -> Iterable[Edge]:
    """The edges that keep one strongly connected component connected."""
    names: list[str] = sorted({name for edge in edges for name in edge}, key=place.__getitem__)
    onward: NamedGraph = networkx.DiGraph()
    onward.add_nodes_from(names)
    onward.add_edges_from((a, b) for a, b in edges if place[a] < place[b])
    reduced: NamedGraph = networkx.transitive_reduction(onward)
    back = [(a, b) for a, b in edges if place[a] >= place[b]]
    for a, b in sorted(back, key=lambda edge: (place[edge[1]], -place[edge[0]])):
        if a == b or not networkx.has_path(reduced, a, b):
            reduced.add_edge(a, b)
            if networkx.is_strongly_connected(reduced):
                break
    return list(reduced.edges)


def _outputs(
    graph: NamedGraph, place: dict[str, int], alike: Callable[[str], object]
) -> dict[str, str]:
    """Output -> the first output of its kind, for those that are not the first themselves."""
    first: dict[object, str] = {}
    owner = {}
    for name in sorted(graph, key=place.__getitem__):
        if graph.nodes[name]["kind"] == "output" and not graph.has_edge(name, name):
            following = frozenset(graph.successors(name))
            key = (alike(name), output_kind(graph.nodes[name]["text"]), following)
            if first.setdefault(key, name) != name:
                owner[name] = first[key]
    return owner


def _chains(
    graph: NamedGraph, place: dict[str, int], alike: Callable[[str], object]
) -> dict[str, str]:
    """Node -> head of the straight chain that it is on, for nodes that are not heads themselves."""
    after = {}
    for a in graph.nodes:
        following = list(graph.successors(a))
        b = following[0] if len(following) == 1 else a
        if a != b and graph.in_degree(b) == 1 and alike(a) == alike(b):
            after[a] = b
    targets = set(after.values())
    owner: dict[str, str] = {}
    # Where a whole loop is a chain it begins with what stands first in the source.
    for head in sorted(graph, key=lambda name: (name in targets, place[name])):
        name = after.get(head) if head not in owner else None
        while name is not None and name != head and name not in owner:
            owner[name] = head
            name = after.get(name)
    return owner


def _merged(graph: NamedGraph, owner: dict[str, str], place: dict[str, int]) -> NamedGraph:
    """The graph with each node in ``owner`` merged into its owner; a chain that leads back to its
    head keeps that edge."""
    result: NamedGraph = networkx.DiGraph()
    result.add_nodes_from(
        name for name in sorted(graph, key=place.__getitem__) if name not in owner
    )
    for a, b in graph.edges:
        source, target = owner.get(a, a), owner.get(b, b)
        if source != target or b in (a, target):
            result.add_edge(source, target)
    return result
