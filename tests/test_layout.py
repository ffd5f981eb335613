"""The tree is as docs/architecture.md says: no circle of imports, small packages."""

from __future__ import annotations

from collections import Counter

import grimp
import networkx as nx
import pytest

MOST_FILES = 25  # of a package without those below it


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    """Also those inside functions and under TYPE_CHECKING."""
    return grimp.build_graph("csg", "symexec", cache_dir=None)


def test_no_modules_import_each_other(imports: grimp.ImportGraph) -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for module in imports.modules:
        graph.add_edges_from(
            (module, other) for other in imports.find_modules_directly_imported_by(module)
        )
    circles = [sorted(each) for each in nx.strongly_connected_components(graph) if len(each) > 1]
    assert graph.number_of_edges() > 1000
    assert circles == []


def test_no_packages_import_each_other(imports: grimp.ImportGraph) -> None:
    breakers = {
        package: sorted(imports.nominate_cycle_breakers(package))
        for package in sorted(imports.modules)
        if len(imports.find_children(package)) > 1
    }
    assert len(breakers) > 20
    assert {package: found for package, found in breakers.items() if found} == {}


def test_packages_are_small(imports: grimp.ImportGraph) -> None:
    files = Counter(module.rpartition(".")[0] for module in imports.modules)
    assert {package: count for package, count in files.items() if count > MOST_FILES} == {}
