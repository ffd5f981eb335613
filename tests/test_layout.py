"""The tree is as docs/architecture.md says: no circle of imports, small packages."""

from __future__ import annotations

import ast
import re
import tokenize
from collections import Counter
from pathlib import Path

import grimp
import networkx as nx
import pytest

ROOT = Path(__file__).parents[1]
MOST_FILES = 27  # of a package without those below it
PLACE = re.compile(r"`((?:csg|symexec|fleet)/[\w/]+(?:\.\w+)?)`(?: \(`(\w+)`\))?")
# What these were called before docs/glossary.md: in names of their own, or as a part.
OLD_WORDS = re.compile(
    r"companion|retrac|unwritten|(?<![a-z])(?:united?|walls|promises?|mended|dear|spelled)(?![a-z])"
    r"|(?<![a-z])(?:told|telling|parted|troubled?|questions?|spoken|kept|besides?)(?![a-z])"
)


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    """Also those inside functions and under TYPE_CHECKING."""
    return grimp.build_graph("csg", "symexec", cache_dir=None)


@pytest.fixture(scope="module")
def all_imports() -> grimp.ImportGraph:
    """Those of tests, benchmarks and what they share as well."""
    around = ("generators", "oracles", "tests", "benchmarks")
    return grimp.build_graph("csg", "symexec", "fleet", *around, cache_dir=None)


def test_no_modules_import_each_other(all_imports: grimp.ImportGraph) -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for module in all_imports.modules:
        graph.add_edges_from(
            (module, other) for other in all_imports.find_modules_directly_imported_by(module)
        )
    circles = [sorted(each) for each in nx.strongly_connected_components(graph) if len(each) > 1]
    assert graph.number_of_edges() > 1000
    assert circles == []


def test_no_packages_import_each_other(all_imports: grimp.ImportGraph) -> None:
    breakers = {
        package: sorted(all_imports.nominate_cycle_breakers(package))
        for package in sorted(all_imports.modules)
        if len(all_imports.find_children(package)) > 1
    }
    assert len(breakers) > 20
    assert {package: found for package, found in breakers.items() if found} == {}


def test_packages_are_small(imports: grimp.ImportGraph) -> None:
    """A folder with files and folders counts its files."""
    modules = [each for each in imports.modules if not imports.find_children(each)]
    files = Counter(module.rpartition(".")[0] for module in modules)
    assert {package: count for package, count in files.items() if count > MOST_FILES} == {}


@pytest.mark.parametrize("page", ["architecture.md", "glossary.md"])
def test_what_the_pages_name_is_there(page: str) -> None:
    """Each file, and the class or function behind it."""
    places = PLACE.findall((ROOT / "docs" / page).read_text())
    assert len(places) > 60
    missing = [path for path, _ in places if not (ROOT / path).exists()]
    missing += [
        f"{path}: {name}"
        for path, name in places
        if name and not re.search(rf"(?:class|def) {name}\b", (ROOT / path).read_text())
    ]
    assert missing == []


def test_ways_of_a_newcomer_are_short() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    section = text.partition("## Ten questions of a newcomer")[2].partition("\n## ")[0]
    ways = [line for line in section.splitlines() if line.startswith("| W")]
    assert len(ways) == 10
    assert all(1 <= len(PLACE.findall(way)) <= 3 for way in ways)


def test_names_are_the_words_of_the_glossary() -> None:
    found = set()
    for package in ("csg", "symexec", "fleet"):
        for file in (ROOT / package).rglob("*.py"):
            with file.open("rb") as source:
                names = (t.string for t in tokenize.tokenize(source.readline) if t.type == 1)
                found |= {
                    f"{file.relative_to(ROOT)}: {name}"
                    for name in names
                    if OLD_WORDS.search(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower())
                }
    assert found == set()


CLOSED = {"ending", "kind", "linkage", "observed", "storage", "verdict"}
# Kinds of changes grow in the unifier, a view of the page holds texts, and an anchor is written so
# in a regular expression.
OPEN = {"ChangeInfo", "ChangeRecord", "Edit", "NodeView", "Row", "Anchor"}


def test_closed_families_are_enums() -> None:
    """A record says which words can stand in it: a StrEnum has them, and the type checker knows."""
    found = [
        f"{path.relative_to(ROOT)}: {record.name}.{slot.target.id}"
        for package in ("csg", "symexec", "fleet")
        for path in sorted((ROOT / package).rglob("*.py"))
        for record in ast.walk(ast.parse(path.read_text()))
        if isinstance(record, ast.ClassDef) and record.name not in OPEN
        for slot in record.body
        if isinstance(slot, ast.AnnAssign)
        and isinstance(slot.target, ast.Name)
        and slot.target.id in CLOSED
        and "str" in ast.unparse(slot.annotation).split(" | ")
    ]
    assert found == []


def test_temporary_folders_have_an_owner() -> None:
    """Else what is killed leaves them for good: csg/leftovers.py makes and sweeps them."""
    allowed = {"csg/leftovers.py", "symexec/replay/sandbox.py", "fleet/tasks.py"}
    files = [
        ROOT / "cli.py",
        *(each for name in ("csg", "symexec", "fleet") for each in (ROOT / name).rglob("*.py")),
    ]
    found = {
        each.relative_to(ROOT).as_posix()
        for each in files
        if re.search(r"mkdtemp|TemporaryDirectory", each.read_text())
    }
    assert found <= allowed


# Modules that read files which csgtest or the system has written, or that come with csgtest.
READS_ITS_OWN = {
    "csg": {"files", "leftovers", "retained", "cache", "ir/library_effects", "render/files"},
    "symexec": {
        "exports/finished", "projects/building", "projects/programs", "projects/pull_request",
        "replay/build", "replay/harness", "replay/recording", "replay/sandbox", "report/page",
        "report/session", "runtime/library", "testcases/driver", "testcases/store", "watchdog",
        "attack/drivers", "exploration/concrete_run",
    },
    "fleet": set(),
}  # fmt: skip
READING = re.compile(r"\.(?:read_text|read_bytes)\((?!context|self)|json\.load\(")


@pytest.mark.parametrize("package", READS_ITS_OWN)
def test_files_of_others_are_read_within_bounds(package: str) -> None:
    """By csg/files.py: a stranger's file may be a pipe, a device, or a terabyte of holes."""
    found = {
        file.relative_to(ROOT / package).with_suffix("").as_posix()
        for file in (ROOT / package).rglob("*.py")
        if "tests" not in file.parts and READING.search(file.read_text())
    }
    assert found - READS_ITS_OWN[package] == set()
