"""A networkx graph as GraphML, which Gephi, yEd, Cytoscape and networkx itself read.

<node id="c1"><data key="d0">change</data>...</node>   <edge source="c1" target="i1"/>
"""

from __future__ import annotations

from typing import Any

import networkx


def graphml(graph: networkx.Graph[Any]) -> bytes:
    """Numbers, truth values and texts stay what they are; change ids are listed with commas, and
    what is no plain value (records, the program) is left out. Start nodes are marked ``start``."""
    plain: networkx.Graph[Any] = (
        networkx.MultiDiGraph() if graph.is_multigraph() else networkx.DiGraph()
    )
    start = graph.graph.get("start", ())
    for node, attributes in graph.nodes(data=True):
        plain.add_node(node, **_plain(attributes))
        if start:
            plain.nodes[node]["start"] = node in start
    for source, target, attributes in graph.edges(data=True):
        if graph.is_multigraph():  # keys become ids of edges
            key = f"{source}-{target}-{attributes['kind']}"
            plain.add_edge(source, target, key=key, **_plain(attributes))
        else:
            plain.add_edge(source, target, **_plain(attributes))
    text = "\n".join(networkx.generate_graphml(plain, named_key_ids=True))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode(errors="xmlcharrefreplace")


def _plain(attributes: dict[str, Any]) -> dict[str, bool | int | str]:
    found: dict[str, bool | int | str] = {}
    for name, value in attributes.items():
        if isinstance(value, bool | int):
            found[name] = value
        elif isinstance(value, str):
            found[name] = "".join(
                sign if _in_xml(sign) else "\N{REPLACEMENT CHARACTER}" for sign in value
            )
        elif isinstance(value, tuple):
            found[name] = ",".join(map(str, value))
    return found


def _in_xml(sign: str) -> bool:
    """XML 1.0 section 2.2: control characters and lone surrogates have no spelling."""
    code = ord(sign)
    return (
        code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF
    )
