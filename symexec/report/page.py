"""report.html: one file that loads nothing from outside, made of a report and the graph's picture.

page(report, svg)     verdict, findings, graph, coverage of the patch, what was accepted, what was
                      not examined, details; page.html has the layout
highlights(report)    what of the graph the tests have witnessed, for whoever draws it

Texts of strangers come into the page through the template alone, which escapes all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from csg import VERSION
from csg.errors import LINES, printable
from csg.records import record
from csg.unify.changes.patch import CONTEXT, Line
from symexec.report.coverage import STATUSES, FileView, functions_of, line_views, patch_files
from symexec.report.facts import named
from symexec.report.model import Findings, Reached, Report
from symexec.report.words import (
    AFTER,
    Also,
    Step,
    accepted_lines,
    changes_named,
    class_named,
    contrasted,
    file_named,
    finder,
    folded,
    further_symptoms,
    headline,
    looked_for,
    parts,
    reached_from,
    reservations,
    short_paths,
    way_to_output,
    why_internal,
    why_not_blamed,
)
from symexec.testcases import TestCase, rendered
from symexec.testcases.inputs import Json
from symexec.triage import Group, differing_parts

if TYPE_CHECKING:
    from jinja2.environment import Environment, TemplateModule

    from csg.render import Highlights


_HERE = Path(__file__).parent
_CRITICAL = 3  # sequences marked in the picture
_LISTED = 100  # groups; there are about twenty at most where nothing was accepted
_TESTS = 20  # of a group, with their inputs
_HUNKS = 4  # of the patch, for one finding
_WIDEST = 4000  # characters of an input; the files of the tests have the whole
_NODE_LINK = re.compile(r'<a href="#node-([^"]*)">([^<]*)</a>')
_NARROW = 160  # of one in a table
# Characters of the parts of a page: together less than 5 MB, whatever the report holds.
_PICTURE, _FINDINGS, _ACCEPTED, _NODES, _PATCH = 2_300_000, 1_000_000, 200_000, 700_000, 500_000


def page(report: Report, svg: str | None = None, stored: Collection[str] | None = None) -> str:
    """The page. ``svg`` is inserted without escaping: it must be made by csgtest. ``stored``: the
    tests that have a file of their own; None: all that differ."""
    from markupsafe import Markup

    from csg.render import script_hash, viewer, viewer_script, viewer_style

    graph = svg if svg is not None and "<svg" in svg and len(svg) <= _PICTURE else None
    script = _asset("page.js") + (viewer_script() if graph is not None else "")
    environment = templates(_HERE)
    template = environment.get_template("page.html")
    found = report.findings()
    blocks = _Blocks(environment.get_template("page_blocks.html").make_module({"stored": stored}))
    findings = blocks.many("finding", _findings(report, found), _FINDINGS)
    accepted = blocks.many("finding", _accepted(report, found), _ACCEPTED)
    functions = [*_functions(report, blocks)]
    text = template.render(
        report=report,
        title=_title(report),
        style=Markup(_asset("page.css") + (viewer_style() if graph is not None else "")),
        allowed=Markup(script_hash(script)),
        script=Markup(script),
        headline=headline(report),
        bounds=looked_for(report),
        rows=_rows(report, found.open, found.cases)[:_LISTED],
        findings=findings,
        found=found,
        accepted=accepted,
        gone=accepted_lines(report),
        graph=Markup(viewer(graph[graph.index("<svg") :])) if graph is not None else "",
        functions=functions,
        patch=blocks.many("file", patch_files(report), _PATCH),
        expectations=folded(report),
        not_looked_at=[
            printable(short_paths(each, report)) for each in (*reservations(report), *report.notes)
        ],
        statuses=STATUSES,
        details=_details(report),
        version=VERSION,
    )
    return printable(_linked(text), LINES)


def _linked(text: str) -> str:
    """The page without links to nodes for which there was no room."""
    known = set(re.findall(r'id="node-([^"]*)"', text))
    return _NODE_LINK.sub(lambda found: found[0 if found[1] in known else 2], text)


@cache
def templates(folder: Path) -> Environment:
    """The templates of a folder, which escape all that is put into them; each is compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page_style() -> str:
    """The style of all pages."""
    return _asset("page.css")


def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _title(report: Report) -> str:
    """The program, where both versions are revisions of it; else both files or folders."""
    if file_named(f"{report.new}/", report) == "":
        return report.name
    old, new = Path(report.old).name, Path(report.new).name
    return old if old == new else f"{old} and {new}"


@record
class Pieced:
    """The parts of a page that are written in full, as many as there is room for."""

    shown: Sequence[str]
    left_out: int


class _Blocks:
    """The macros of page_blocks.html, each called for one thing after the other."""

    def __init__(self, module: TemplateModule) -> None:
        self._module = module

    def many(self, name: str, things: Sequence[object], room: int) -> Pieced:
        macro: Callable[[object], str] = getattr(self._module, name)
        shown: list[str] = []
        for each in things:
            text = macro(each)
            room -= len(text)
            if room < 0:
                break
            shown.append(text)
        return Pieced(shown, len(things) - len(shown))


def _functions(report: Report, blocks: _Blocks) -> Iterator[tuple[str, int, Pieced]]:
    """The functions with the numbers of their nodes, and the nodes written in full."""
    room = _NODES
    for name, nodes in functions_of(report):
        pieced = blocks.many("node", nodes, room)
        room -= sum(map(len, pieced.shown))
        yield name, len(nodes), pieced


# --------------------------------------------------------------------------------------- findings


@record
class Row:
    """A group in the table."""

    id: str
    kind: str
    kind_named: str
    input: str
    old: str
    new: str
    blamed: str
    tests: int
    finder: str
    also: tuple[Also, ...]


@record
class Side:
    """A part of what the versions show: pieces with marks; None where one version does not show
    it."""

    name: str
    differs: bool
    cells: tuple[Pieces | None, ...]


@record
class Finding:
    """A finding. ``hunks``: files of the patch with the lines around the changes to blame, or these
    changes where the patch does not show them."""

    row: Row
    case: TestCase
    input: str
    whole: bool  # is the input shown as a whole?
    versions: tuple[str, ...]
    sides: tuple[Side, ...]
    interaction: bool
    blame: tuple[str, ...]
    hunks: tuple[FileView, ...]
    steps: tuple[Step, ...]
    tests: tuple[tuple[str, str], ...]
    more: int
    accepted: str
    internal: str
    reached: Reached | None


def _rows(report: Report, groups: Iterable[Group], cases: Mapping[str, TestCase]) -> list[Row]:
    return [_row(report, each, cases) for each in groups]


def _row(report: Report, group: Group, cases: Mapping[str, TestCase]) -> Row:
    case = cases[group.witness]
    old, new = contrasted(case.old, case.new)
    return Row(
        group.id,
        group.called,
        class_named(group.called),
        _cut(_rendered(case, report), _NARROW),
        printable(old),
        printable(new),
        changes_named(group.blamed, group.interaction) or "-",
        len(group.tests),
        finder(group),
        tuple(_also_in_a_line(each) for each in further_symptoms(report, group.also, cases)),
    )


def _also_in_a_line(each: Also) -> Also:
    return replace(
        each,
        input=_cut(each.input, _NARROW),
        old=printable(each.old),
        new=printable(each.new),
    )


def _findings(report: Report, found: Findings) -> list[Finding]:
    return [_finding(report, each, found.cases) for each in found.open[:_LISTED]]


def _accepted(report: Report, found: Findings) -> list[Finding]:
    return [
        _finding(report, each, found.cases, f"{entry.id}: {entry.reason or 'no reason is given'}")
        for each, entry in found.accepted[:_LISTED]
    ]


def _finding(
    report: Report, group: Group, cases: Mapping[str, TestCase], accepted: str = ""
) -> Finding:
    case = cases[group.witness]
    text = _rendered(case, report)
    others = [cases[name] for name in group.tests if name != case.id]
    versions = ["old", "new", *(["golden"] if case.golden is not None else [])]
    return Finding(
        row=_row(report, group, cases),
        case=case,
        input=text[:_WIDEST],
        whole=len(text) <= _WIDEST,
        versions=tuple(versions),
        sides=tuple(_sides(case)),
        interaction=group.interaction,
        blame=tuple(_blame(report, case, [case, *others])),
        hunks=tuple(_context(report, group.blamed)),
        steps=way_to_output(report, case),
        tests=tuple((each.id, _cut(_rendered(each, report), _NARROW)) for each in others[:_TESTS]),
        more=max(0, len(others) - _TESTS),
        accepted=accepted,
        internal=f"{why_internal(report)}; {reached_from(report, group)}" if group.internal else "",
        reached=report.reached.get(group.witness),
    )


def _rendered(case: TestCase, report: Report) -> str:
    return rendered(case.input, f"./{report.name}", report.entry, report.signature)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _sides(case: TestCase) -> Iterator[Side]:
    if case.old is None or case.new is None:
        return
    seen = [case.old, case.new, *([case.golden] if case.golden is not None else [])]
    differing = set(differing_parts(case.old, case.new))
    texts = [dict(parts(each)) for each in seen]
    for name in dict.fromkeys(name for text in texts for name in text):
        old, new = texts[0].get(name), texts[1].get(name)
        if name.endswith(AFTER) and (old == new or case.old.failed or case.new.failed):
            continue  # it is as it was, or nobody returned to look at it
        differs = name in differing or (name not in ("report", "stderr") and old != new)
        cells = [_plain(text.get(name)) for text in texts]
        if old is not None and new is not None and old != new:
            cells[:2] = map(_visible, marked(old, new))
        yield Side("sanitizer" if name == "report" else name, differs, tuple(cells))


def _visible(pieces: Pieces) -> Pieces:
    """The pieces, with those that consist of newlines made visible."""
    if any(text.strip("\n") for text, _ in pieces):
        return pieces
    return [(text.replace("\n", "\u21b5\n"), differs) for text, differs in pieces]


def _plain(text: str | None) -> Pieces | None:
    return None if text is None else _visible([(text, False)])


def _blame(report: Report, case: TestCase, tests: Sequence[TestCase]) -> Iterator[str]:
    """The sentences on the changes to blame, next to which they stand."""
    for each in case.undefined:
        yield f"Undefined behaviour: {each}."
    if case.blame is None or not case.blame.blamed:
        yield why_not_blamed(tests, report.finished)
        return
    others = [changes_named(changes) for changes in case.blame.minimal[1:]]
    if others:
        yield f"These bring it about as well: {'; '.join(others)}."
    if case.blame.ended:
        yield "Perhaps fewer changes do: runs or time were used up."


def _context(report: Report, blamed: Iterable[int]) -> Iterator[FileView]:
    wanted = frozenset(blamed)
    hunks = [*report.patch.around(wanted)]
    for file, hunk in hunks[:_HUNKS]:
        near = tuple(line_views(each, {}, wanted) for each in _near(hunk, wanted))
        yield FileView(file_named(file.new or file.old, report), near, "", "")
    shown = {change for _, hunk in hunks for line in hunk for change in line.changes}
    for change in report.changes:
        if change.id in wanted - shown:
            lines = [Line(1, 0, each, (change.id,)) for each in change.old_text.splitlines()]
            lines += [Line(0, 1, each, (change.id,)) for each in change.new_text.splitlines()]
            hunk_of_it = line_views(lines, {}, wanted, numbered=False)
            yield FileView(file_named(str(change.location), report), (hunk_of_it,), "", "")


def _near(hunk: Sequence[Line], wanted: frozenset[int]) -> list[list[Line]]:
    """The lines of a long hunk around those that are wanted, in one list for each uninterrupted
    part."""
    found: list[list[Line]] = []
    end = 0
    for at, line in enumerate(hunk):
        if wanted.isdisjoint(line.changes):
            continue
        if not found or at - CONTEXT > end:
            found.append([])
        found[-1] += hunk[max(end, at - CONTEXT) : at + CONTEXT + 1]
        end = max(end, at + CONTEXT + 1)
    return found


def highlights(report: Report) -> Highlights:
    """What is marked in the picture: nodes and edges that ``csg.coverage`` says tests have
    witnessed (without it: those in the tests' own sequences), and the sequences of the first
    differences that several changes bring about together."""
    from csg.render import Highlights, steps

    by_id = {case.id: case for case in report.tests}
    together = [each for each in report.groups if each.interaction][:_CRITICAL]
    critical = tuple(by_id[each.witness].sequence for each in together)
    coverage = report.csg.get("coverage") if isinstance(report.csg, dict) else None
    if isinstance(coverage, dict):
        nodes, edges = _witnessed(coverage.get("nodes")), _witnessed(coverage.get("edges"))
        return Highlights(
            frozenset(str(each) for each in nodes),
            frozenset((str(each[0]), str(each[1])) for each in edges if isinstance(each, list)),
            critical,
        )
    ways = [case.sequence for case in report.tests if case.new is not None]
    return Highlights(
        frozenset(name for way in ways for name in way),
        frozenset(edge for way in ways for edge in steps(way)),
        critical,
    )


def _witnessed(known: Json) -> list[Json]:
    found = known.get("witnessed") if isinstance(known, dict) else None
    return found if isinstance(found, list) else []


# ---------------------------------------------------------------------------------------- details


def _folder(path: str, side: str) -> str:
    """A version as it is named; of revisions their copy in the output folder."""
    return f"versions/{side}" if path.endswith(f"versions/{side}") else path


def _details(report: Report) -> list[tuple[str, list[tuple[str, str]]]]:
    """Tables of details: each a heading, and names with their values."""
    run = [
        ("Old version", _folder(report.old, "old")),
        ("New version", _folder(report.new, "new")),
        ("Entry", report.entry),
        ("Tests", f"{len(report.tests):,}"),
        ("Tests that differ", f"{len(report.differing):,}"),
        ("Compiled with", report.compiled or "-"),
        ("Sanitizers", report.sanitizers or "none"),
        ("Sandbox of native runs", report.sandbox or "-"),
    ]
    found = [
        ("The run", run),
        ("Bounds", named(report.bounds)),
        ("Counters", named(report.counters)),
    ]
    if report.native:
        found.append(("Native fuzzing while the search ran", named(report.native)))
    return found


# ---------------------------------------------------------------------------------------- marking
# Mark what differs between two texts, inside their lines.
#
# "total 12\n", "total 13\n"   ->   total [12]     total [13]
#
# ``marked`` gives pieces of either text in order: (text, does it differ?). A newline that differs
# is shown as a sign of its own.

Pieces = list[tuple[str, bool]]

_MOST_WORDS = 600  # words of a line, up to which it is compared word by word
_WORDS = re.compile(r"\w+|\s|[^\w\s]")


def marked(old: str, new: str) -> tuple[Pieces, Pieces]:
    """The pieces of both texts; joined, they are the texts, except for the signs of differing
    newlines."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    found: tuple[Pieces, Pieces] = ([], [])
    for word, a, b, c, d in SequenceMatcher(None, before, after, False).get_opcodes():
        if word == "equal":
            _add(found, "".join(before[a:b]), "".join(after[c:d]), False)
            continue
        paired = min(b - a, d - c)
        for one, other in zip(before[a : a + paired], after[c : c + paired], strict=True):
            for first, second, differs in _within(one, other):
                _add(found, first, second, differs)
        _add(found, "".join(before[a + paired : b]), "".join(after[c + paired : d]), True)
    return found


def _add(found: tuple[Pieces, Pieces], old: str, new: str, differs: bool) -> None:
    for pieces, text in zip(found, (old, new), strict=True):
        if text:
            pieces.append((text.replace("\n", "\u21b5\n") if differs else text, differs))


def _within(old: str, new: str) -> Iterator[tuple[str, str, bool]]:
    """The pieces of two lines: both texts, and whether they differ there."""
    words = _WORDS.findall(old), _WORDS.findall(new)
    if max(map(len, words)) > _MOST_WORDS:
        yield from _ends(old, new)
        return
    for word, a, b, c, d in SequenceMatcher(None, *words, False).get_opcodes():
        yield "".join(words[0][a:b]), "".join(words[1][c:d]), word != "equal"


def _ends(old: str, new: str) -> Iterator[tuple[str, str, bool]]:
    """What both texts begin with, what stands between, and what both end with."""
    begin = _common(old, new)
    end = _common(old[begin:][::-1], new[begin:][::-1])
    first, second = old[begin : len(old) - end], new[begin : len(new) - end]
    yield old[:begin], new[:begin], False
    yield first, second, True
    yield old[len(old) - end :], new[len(new) - end :], False


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
