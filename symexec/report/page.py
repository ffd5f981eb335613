"""report.html: one file without anything from outside, made of a report and the graph's picture.

page(report, svg)     the page; the picture in it can be moved, zoomed and searched
highlights(report)    what of the graph the tests have witnessed, for whoever draws it
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from csg import VERSION
from csg.errors import LINES, printable
from csg.ir import ChangeInfo
from symexec.report.model import Findings, Report
from symexec.report.words import (
    changes_named,
    contrasted,
    finder,
    headline,
    parts,
    reservations,
    told_of_accepted,
)
from symexec.testcases import Observation, TestCase, spelled
from symexec.testcases.inputs import Json
from symexec.triage import Group, differing_parts

if TYPE_CHECKING:
    from csg.render import Highlights

_DETAILED = 200  # groups shown in full
_CRITICAL = 3  # sequences marked in the picture


def page(report: Report, svg: str | None = None) -> str:
    """The whole page. ``svg`` is put in as it is: it must be our own."""
    from csg.render import script_hash, viewer_script, viewer_style

    here = Path(__file__).parent
    found = report.told_apart()
    groups, by_id = found.open, found.cases
    template = Template((here / "page.html").read_text(encoding="utf-8"))
    graph = svg if svg is not None and "<svg" in svg else None
    text = template.substitute(
        style=(here / "page.css").read_text(encoding="utf-8")
        + (viewer_style() if graph is not None else ""),
        allowed=script_hash() if graph is not None else "'none'",
        script=f"<script>{viewer_script()}</script>" if graph is not None else "",
        title=escape(f"{Path(report.old).name} and {Path(report.new).name}"),
        verdict=escape(report.verdict),
        headline=escape(headline(report)),
        unfinished="" if report.finished else "<p class=warning>The search is not finished.</p>",
        facts=_facts(report),
        groups=_group_table(report, groups, by_id),
        findings="".join(_finding(report, each, by_id) for each in groups[:_DETAILED]),
        accepted=_accepted(report, found),
        changes="".join(_change(change) for change in report.changes) or "<p>None.</p>",
        graph=_picture(graph),
        counters=_counters(report),
        version=escape(VERSION),
    )
    return printable(text, LINES)


def _facts(report: Report) -> str:
    facts = [
        ("old", report.old),
        ("new", report.new),
        ("entry", report.entry),
        ("tests", str(len(report.tests))),
        ("differing", str(len(report.differing))),
        ("replay walls", report.sandbox or "-"),
        ("sanitizers", report.sanitizers or "none"),
        ("compiled with", report.compiled or "-"),
    ]
    facts += [(name, _text(value)) for name, value in report.bounds.items()]
    facts += [(f"native {name}", _text(value)) for name, value in (report.native or {}).items()]
    rows = _definitions(facts)
    notes = [*reservations(report), *report.notes]
    return rows + "".join(f"<p class=warning>{escape(note)}</p>" for note in notes)


def _definitions(facts: Iterable[tuple[str, str]]) -> str:
    rows = (f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in facts)
    return f"<dl>{''.join(rows)}</dl>"


def _group_table(report: Report, groups: list[Group], by_id: Mapping[str, TestCase]) -> str:
    if not groups:
        return "<p>No difference.</p>"
    heads = "".join(
        f"<th>{head}</th>"
        for head in ("", "class", "blamed", "tests", "input", "old", "new", "first found by")
    )
    rows = "".join(_group_row(report, each, by_id[each.witness]) for each in groups)
    return f"<table class=groups><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _accepted(report: Report, found: Findings) -> str:
    """What somebody accepted, with the reasons; nothing where there is nothing to tell."""
    gone = [f"<p class=warning>{escape(each)}</p>" for each in told_of_accepted(report)]
    if not found.accepted:
        return "".join(["<h2>Accepted</h2>", *gone]) if gone else ""
    groups = [each for each, _ in found.accepted]
    reasons = "".join(
        f"<li><a href='#{each.id}'>{each.id}</a> {escape(entry.id)}: "
        f"{escape(entry.reason or 'no reason is given')}</li>"
        for each, entry in found.accepted
    )
    details = "".join(_finding(report, each, found.cases) for each in groups[:_DETAILED])
    return (
        f"<h2>Accepted</h2><p>As {escape(report.accepted_in)} says:</p><ul>{reasons}</ul>"
        f"{''.join(gone)}{_group_table(report, groups, found.cases)}{details}"
    )


def _group_row(report: Report, each: Group, witness: TestCase) -> str:
    cells = [
        f"<a href='#{each.id}'>{each.id}</a>",
        _badge(each.kind),
        escape(changes_named(each.blamed, each.interaction) or "-"),
        str(len(each.tests)),
        f"<code>{escape(_spelled(witness, report))}</code>",
        *map(escape, contrasted(witness.old, witness.new)),
        escape(finder(each)),
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _spelled(case: TestCase, report: Report) -> str:
    return spelled(case.input, f"./{report.name}", report.entry, report.signature)


def _badge(kind: str) -> str:
    return f"<span class='badge {escape(kind)}'>{escape(kind)}</span>"


def _finding(report: Report, each: Group, by_id: Mapping[str, TestCase]) -> str:
    case = by_id[each.witness]
    interaction = "<p><b>A change interaction:</b> no single change does it.</p>"
    others = ", ".join(each.tests[1:13]) + (" ..." if len(each.tests) > 13 else "")
    return (
        f"<section class=finding id='{each.id}'>"
        f"<h3>{each.id} {_badge(each.kind)} <small>{escape(case.id)}</small></h3>"
        f"<pre class=input>{escape(_spelled(case, report))}</pre>"
        f"{_side_by_side(case)}"
        f"{interaction if each.interaction else ''}"
        f"{_where(case)}{_blame(report, case)}"
        f"{f'<p>Shown as well by {escape(others)}.</p>' if others else ''}"
        "</section>"
    )


def _where(case: TestCase) -> str:
    place = case.divergence
    sequence = " &rarr; ".join(map(escape, case.sequence))
    where = ""
    if place is not None:
        directions = f", {place.directions}" if place.directions else ""
        where = f"The versions part at {place.file}:{place.line} ({place.kind}{directions})."
    through = f" Sequence: {sequence}." if sequence else ""
    return f"<p>{escape(where)}{through}</p>" if where or through else ""


def _side_by_side(case: TestCase) -> str:
    if case.old is None or case.new is None:
        return "<p>Not replayed.</p>"
    differing = set(differing_parts(case.old, case.new))
    shown: list[tuple[str, Observation]] = [("old", case.old), ("new", case.new)]
    if case.golden is not None:
        shown.append(("golden", case.golden))
    texts = [dict(parts(seen)) for _, seen in shown]
    names = list(dict.fromkeys(name for text in texts for name in text))
    heads = "".join(f"<th>{name}</th>" for name, _ in shown)
    rows = []
    for name in names:
        mark = " class=differs" if name in differing or _differ(texts, name) else ""
        cells = "".join(f"<td><pre>{escape(text.get(name, ''))}</pre></td>" for text in texts)
        rows.append(f"<tr{mark}><th>{escape(name)}</th>{cells}</tr>")
    return f"<table class=sides><thead><tr><th></th>{heads}</tr></thead>{''.join(rows)}</table>"


def _differ(texts: list[dict[str, str]], name: str) -> bool:
    return name not in ("report", "stderr") and texts[0].get(name) != texts[1].get(name)


def _blame(report: Report, case: TestCase) -> str:
    places = "".join(
        f"<p class=warning>Undefined behaviour: {escape(each)}.</p>" for each in case.undefined
    )
    return places + _blamed(report, case)


def _blamed(report: Report, case: TestCase) -> str:
    if case.blame is None:
        return ""
    if not case.blame.blamed:
        return f"<p class=warning>Changes to blame unknown: {escape(case.blame.note)}.</p>"
    known = {change.id: change for change in report.changes}
    blamed = [known[change] for change in case.blame.blamed if change in known]
    others = [changes_named(changes) for changes in case.blame.minimal[1:]]
    also = f"<p>Or: {escape('; '.join(others))}.</p>" if others else ""
    return f"<h4>Changes to blame</h4>{''.join(map(_change, blamed))}{also}"


def _change(change: ChangeInfo) -> str:
    removed = "".join(f"<del>{escape(line)}</del>" for line in change.old_text.splitlines())
    added = "".join(f"<ins>{escape(line)}</ins>" for line in change.new_text.splitlines())
    inside = f" in {escape(change.function)}" if change.function else ""
    return (
        f"<div class=change><p><b>{change.id}</b> {escape(str(change.location))}{inside}</p>"
        f"<pre>{removed}{added}</pre></div>"
    )


def _picture(svg: str | None) -> str:
    from csg.render import viewer

    if svg is None:
        return ""
    return f"<h2>Change sequence graph</h2>{viewer(svg[svg.index('<svg') :])}"


def highlights(report: Report) -> Highlights:
    """What stands out in the picture: nodes and edges that ``csg.coverage`` says tests have
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


def _counters(report: Report) -> str:
    return _definitions((name, _text(value)) for name, value in report.counters.items())


def _text(value: Json) -> str:
    """As a reader wants it: neither brackets nor quotes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "none"
    return str(value)
