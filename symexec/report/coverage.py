"""How far tests come: with each line of the patch, and to each node of the graph.

    functions_of(report)    by function its nodes: source, dependence chains, tests that visit them
    patch_files(report)     the patch, each line with how far a test came with it

What becomes of a changed line, best first: it is on the way to a differing output (``differs``), a
test met it on a path on which the versions diverge (``diverges``), a test or a path met it
(``met``), no input within the bounds does (``nowhere``), nothing did (``never``). A line of no
change that runs is ``text``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from csg.records import record
from csg.unify.changes.patch import Line
from symexec.report.model import Report
from symexec.report.words import file_named
from symexec.testcases import Observed, TestCase
from symexec.testcases.inputs import Json

STATUSES = {
    "differs": "on the way to a differing output",
    "diverges": "met with different state: the versions diverge",
    "met": "met",
    "nowhere": "no input within the bounds comes there",
    "never": "never met",
    "text": "nothing of its own that runs",
}
KINDS = {
    "change": "changed statement",
    "deletion": "deleted statement",
    "interaction": "interaction location",
    "output": "output",
}
_BEFORE, _BEHIND = 3, 3  # lines around a node
_TESTS = 8  # of a node
_WIDEST = 200  # characters of a line of source


@record
class LineView:
    """A line of the patch. ``sign`` is -, + or a space; ``wanted``: a change that is asked for is
    on it."""

    old: str
    new: str
    sign: str
    text: str
    changes: tuple[int, ...]
    status: str
    wanted: bool = False


@record
class FileView:
    """The hunks of one file; ``summary``: how its changed lines are covered."""

    name: str
    hunks: tuple[tuple[LineView, ...], ...]
    before: str  # the name of the old file where it is another
    summary: str


@record
class Link:
    """A statement on a dependence chain. ``how``: its dependence on the one before; ``node``: its
    id, or ""."""

    how: str
    place: str
    text: str
    node: str


@record
class NodeView:
    id: str
    kind: str
    kind_named: str
    place: str
    function: str
    text: str
    changes: tuple[int, ...]
    status: str
    source: tuple[tuple[int, str, bool], ...]  # line, text, is it the node's?
    chains: tuple[tuple[Link, ...], ...]
    tests: tuple[tuple[str, bool], ...]  # id, does it differ?
    more: int


# --------------------------------------------------------------------------------------- coverage


def statuses(report: Report) -> dict[int, str]:
    """For each change, how far tests came with it."""
    nodes = _nodes(report)
    own = {
        str(node["id"]): [int(each) for each in node.get("changes", ())]
        for node in nodes
        if node["kind"] in ("change", "deletion")
    }
    found: dict[int, str] = {change.id: "text" for change in report.changes}
    coverage = report.csg.get("coverage", {}) if isinstance(report.csg, dict) else {}
    kinds = coverage.get("nodes", {}) if isinstance(coverage, dict) else {}
    for names, status in (
        (own, "never"),
        (kinds.get("infeasible", ()), "nowhere"),
        ((*kinds.get("reached", ()), *kinds.get("witnessed", ())), "met"),
        (_visited(case for case in report.tests if case.divergence is not None), "diverges"),
        (_visited(report.differing), "differs"),
    ):
        found.update({change: status for name in names for change in own.get(name, ())})
    for case in report.differing:
        blamed = case.blame.blamed if case.blame is not None else ()
        found.update(dict.fromkeys(blamed, "differs"))
    return found


def _visited(cases: Iterable[TestCase]) -> set[str]:
    return {name for case in cases for name in case.sequence}


def patch_files(report: Report) -> list[FileView]:
    """The patch with the status of each line; empty where there is none to show."""
    known = statuses(report)
    found = []
    for file in report.patch.files:
        old, new = file_named(file.old, report), file_named(file.new, report)
        views = tuple(line_views(hunk, known) for hunk in file.hunks)
        summary = _summary([line for hunk in file.hunks for line in hunk], known)
        found.append(FileView(new or old, views, old if old != new else "", summary))
    return found


def line_views(
    lines: Iterable[Line],
    known: Mapping[int, str],
    wanted: frozenset[int] = frozenset(),
    numbered: bool = True,
) -> tuple[LineView, ...]:
    return tuple(
        LineView(
            str(line.old or "") if numbered else "",
            str(line.new or "") if numbered else "",
            "-" if not line.new else " " if line.old else "+",
            line.text,
            line.changes,
            _status(line, known) if known else "",
            not wanted.isdisjoint(line.changes),
        )
        for line in lines
    )


def _status(line: Line, known: Mapping[int, str]) -> str:
    if not line.changes:
        return "" if line.old and line.new else "text"
    order = list(STATUSES)
    return min((known.get(change, "text") for change in line.changes), key=order.index)


def _summary(lines: Iterable[Line], known: Mapping[int, str]) -> str:
    counts = dict.fromkeys(STATUSES, 0)
    for line in lines:
        if status := _status(line, known):
            counts[status] += 1
    counted = [f"{count} {STATUSES[status]}" for status, count in counts.items() if count]
    return f"Lines: {'; '.join(counted)}."


# ------------------------------------------------------------------------------------------ nodes


def functions_of(report: Report) -> list[tuple[str, list[NodeView]]]:
    """The nodes by function, in the order of the source; functions with a change come first."""
    nodes = sorted(_nodes(report), key=lambda node: (str(node.get("file")), node.get("line", 0)))
    visits = _visits(report)
    known = statuses(report)
    found: dict[str, list[NodeView]] = {}
    for node in nodes:
        name = str(node.get("function") or "file scope")
        found.setdefault(name, []).append(_node(report, node, visits, known))
    return sorted(found.items(), key=lambda named: not any(map(_is_change, named[1])))


def _is_change(node: NodeView) -> bool:
    return node.kind in ("change", "deletion")


def _nodes(report: Report) -> list[dict[str, Json]]:
    nodes = report.csg.get("nodes") if isinstance(report.csg, dict) else None
    return [each for each in nodes if isinstance(each, dict)] if isinstance(nodes, list) else []


def _visits(report: Report) -> dict[str, list[TestCase]]:
    """For each node the tests that visit it, those that differ first."""
    found: dict[str, list[TestCase]] = {}
    for case in sorted(report.tests, key=lambda case: case.observed is not Observed.DIFFERENT):
        for name in dict.fromkeys(case.sequence):
            found.setdefault(name, []).append(case)
    return found


def _node(
    report: Report,
    node: Mapping[str, Json],
    visits: Mapping[str, Sequence[TestCase]],
    known: Mapping[int, str],
) -> NodeView:
    name, kind = str(node["id"]), str(node["kind"])
    changes = tuple(int(each) for each in node.get("changes", ()))
    tests = visits.get(name, [])
    order = list(STATUSES)
    status = ""
    if kind in ("change", "deletion"):
        status = min((known.get(each, "text") for each in changes), key=order.index, default="")
    return NodeView(
        name,
        kind,
        KINDS.get(kind, kind),
        f"{file_named(str(node.get('file')), report)}:{node.get('line')}",
        str(node.get("function") or "file scope"),
        str(node.get("text", ""))[:_WIDEST],
        changes,
        STATUSES.get(status, ""),
        tuple(_source(report, node)),
        tuple(_chains(report, name)),
        tuple((case.id, case.observed is Observed.DIFFERENT) for case in tests[:_TESTS]),
        max(0, len(tests) - _TESTS),
    )


def _source(report: Report, node: Mapping[str, Json]) -> Iterator[tuple[int, str, bool]]:
    sources = report.sources[0 if node["kind"] == "deletion" else 1]
    lines = sources.get(str(node.get("file")), ())
    here = int(node.get("line", 0))
    for number in range(max(1, here - _BEFORE), min(len(lines), here + _BEHIND) + 1):
        yield number, lines[number - 1][:_WIDEST], number == here


def _chains(report: Report, name: str) -> Iterator[tuple[Link, ...]]:
    known = report.csg.get("chains") if isinstance(report.csg, dict) else None
    if not isinstance(known, dict):
        return
    statements = known["statements"]
    for chain in known["of"].get(name, ()):
        links = []
        for number, how in chain:
            each = statements[str(number)]
            place = f"{file_named(str(each['file']), report)}:{each['line']}"
            links.append(Link(str(how), place, str(each["text"]), str(each.get("node", ""))))
        yield tuple(links)
