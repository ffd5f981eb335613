"""Findings for those who review a change: one text each about all finished folders.

    Finding(g1, regression, blamed: 1 2 3)

    sarif      a result at change 1 of the new version; 2, 3 and where they diverge are related
    junit      a testcase that fails; tests on which both versions agree are testcases that pass
    markdown   a row of a table, and the input to copy below it; as long as a comment may be
    github     ::error file=..,line=.. for change 1: an annotation of what the change touches

All that a program printed, or that stands in its text, is escaped as the form wants it.
"""

from __future__ import annotations

import hashlib
import json
import re
import xml.etree.ElementTree as xml
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from csg import VERSION
from csg.errors import LINES, printable
from csg.ir import ChangeInfo
from csg.ir.program import ChangeKind
from symexec.exports.finished import Finding, Finished, Place
from symexec.report.model import Report, kind_of
from symexec.report.words import (
    changes_named,
    contrasted,
    expectations,
    headline,
    looked_for,
    reached_from,
    readable_test,
    reservations,
    short_paths,
    why_internal,
)
from symexec.testcases import DifferenceKind, Observed, TestCase
from symexec.testcases.inputs import Json

# ------------------------------------------------------------------------------------------ SARIF
# Version 2.1.0, with what code scanning asks for: a path relative to the root of the repository, a
# line that the change touched, a rule with its help, fingerprints that do not depend on lines.


_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "%SRCROOT%"


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    name: str
    short: str
    full: str
    level: str


_RULES: Final = (
    Rule(
        "CSG001",
        "ChangeInteractionError",
        "Changes do harm only together",
        "The new version fails on an input on which the old one does not, and none of the changes "
        "brings that about alone.",
        "error",
    ),
    Rule(
        "CSG002",
        "Regression",
        "A change does harm",
        "The old version does what is intended on an input and the new one does not.",
        "error",
    ),
    Rule(
        "CSG003",
        "IncompleteFix",
        "A fix is incomplete",
        "Neither version does what is intended, and they differ.",
        "error",
    ),
    Rule(
        "CSG004",
        "BehaviourChange",
        "The behaviour changes",
        "The versions behave differently on an input, and neither is known to be right.",
        "warning",
    ),
    Rule(
        "CSG005",
        "NewCrash",
        "The new version crashes",
        "The new version is ended by a signal or a sanitizer on an input, and the old one is not.",
        "error",
    ),
    Rule(
        "CSG006",
        "InternalDifference",
        "The behaviour inside changes",
        "An inner function, or one that is given what only the library can make, behaves "
        "differently; whether a caller can meet that is for the message to say.",
        "note",
    ),
)
_HELP = (
    "The input of the result shows it: run both versions on it, or call csgtest replay on the "
    "folder of results. The related locations are the other changes that are to blame, and where "
    "the versions diverge."
)


def sarif(all_finished: Sequence[Finished]) -> str:
    """One run for each folder; a result for each group of differences."""
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(each) for each in all_finished]}
    return json.dumps(log, indent=1, ensure_ascii=True) + "\n"


def _run(finished: Finished) -> Json:
    report = finished.report
    lines = [*_stated(report), *_uncovered(report)]
    seen: Counter[str] = Counter()
    results = []
    for finding in finished.findings:
        mark = _fingerprint(finding)
        seen[mark] += 1
        results.append(_result(finding, finished, f"{mark}:{seen[mark]}"))
    return {
        "tool": {"driver": _driver()},
        "automationDetails": {"id": _message(f"csgtest/{report.name}/{report.entry}/")},
        "invocations": [
            {
                "executionSuccessful": report.finished,
                "toolExecutionNotifications": [
                    {"level": "note", "message": _sarif_message(line)} for line in lines
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }


def _driver() -> Json:
    return {
        "name": "csgtest",
        "version": VERSION,
        "rules": [
            {
                "id": rule.id,
                "name": rule.name,
                "shortDescription": {"text": rule.short},
                "fullDescription": {"text": rule.full},
                "help": {"text": _HELP},
                "defaultConfiguration": {"level": rule.level},
            }
            for rule in _RULES
        ],
    }


def _rule(finding: Finding) -> int:
    """The index of a finding's rule in the table."""
    if finding.group.internal:
        return 5
    if finding.kind is DifferenceKind.INCOMPLETE_FIX:
        return 2
    if not finding.is_error:
        return 3
    if finding.group.interaction:
        return 0
    return 4 if finding.new.signal or finding.new.sanitizer else 1


def _result(finding: Finding, finished: Finished, fingerprint: str) -> Json:
    rule = _rule(finding)
    report, call = finished.report, finished.call(finding.witness)
    old, new = contrasted(finding.old, finding.new)
    blamed = changes_named(finding.group.blamed, finding.group.interaction)
    words = f"{finding.group.called}: {call}: {old} before, {new} now{_also(finding, finished)}"
    anchor = finished.anchor(finding)
    related = list(_related(finding, finished, anchor))
    flow = [_located(place, text) for place, text in _way(finding, finished)]
    result: dict[str, Json] = {
        "ruleId": _RULES[rule].id,
        "ruleIndex": rule,
        "level": finding.level,
        "kind": "fail",
        "message": _sarif_message(_with_blame(words, blamed) + _internal(finding, report)),
        "locations": [{"physicalLocation": _physical(anchor)}],
        "relatedLocations": [
            {"id": number, **_located(place, text)} for number, (place, text) in enumerate(related)
        ],
        "partialFingerprints": {"csgtest/v1": fingerprint},
        "properties": {
            "class": finding.group.called,
            "group": _message(finding.group.id),
            "test": _message(finding.witness.id),
            "blamed": list(finding.group.blamed),
            "input": _message(call),
            "old": _message(old),
            "new": _message(new),
            **({"also": _further(finding, finished)} if finding.group.also else {}),
        },
    }
    if flow:
        locations = [{"location": each} for each in flow]
        result["codeFlows"] = [{"threadFlows": [{"locations": locations}]}]
    return result


def _also(finding: Finding, finished: Finished) -> str:
    """The further symptoms of a finding; "" where its witness shows all."""
    return "".join(
        f"; {each.word} {each.input}: {each.old} before, {each.new} now"
        for each in finished.further_symptoms(finding)
    )


def _further(finding: Finding, finished: Finished) -> Json:
    return [
        {
            "test": _message(each.case.id),
            "input": _message(each.input),
            "old": _message(each.old),
            "new": _message(each.new),
        }
        for each in finished.further_symptoms(finding)
    ]


def _with_blame(words: str, blamed: str) -> str:
    return f"{words}; changes to blame: {blamed}" if blamed else words


def _internal(finding: Finding, report: Report) -> str:
    """What is known of how callers meet an internal difference; "" for others."""
    if not finding.group.internal:
        return ""
    return f"; internal, {why_internal(report)}: {reached_from(report, finding.group)}"


def _related(finding: Finding, finished: Finished, anchor: Place) -> Iterator[tuple[Place, str]]:
    """The other changes to blame (all of them where that is not known), and the divergence."""
    for change in finding.blamed or finished.report.changes:
        place = finished.place_of(change)
        if place != anchor:
            yield place, f"change {change.id}: {_edit(change)}"
    part = finding.witness.divergence
    if part is not None:
        yield finished.place(part.file, part.line), f"the versions diverge here: {part.kind}"


def _way(finding: Finding, finished: Finished) -> Iterator[tuple[Place, str]]:
    """The nodes of the change sequence graph that the witness visits."""
    graph = finished.report.csg
    nodes = graph.get("nodes") if isinstance(graph, dict) else None
    known = {each.get("id"): each for each in nodes or () if isinstance(each, dict)}
    for name in finding.witness.sequence:
        node = known.get(name, {})
        file, line, text = node.get("file"), node.get("line"), node.get("text")
        if isinstance(file, str) and isinstance(line, int) and isinstance(text, str):
            yield finished.place(file, line), f"{name}: {text}"


def _located(place: Place, text: str) -> Json:
    return {"physicalLocation": _physical(place), "message": _sarif_message(text)}


def _physical(place: Place) -> Json:
    file = {"uri": place.uri}
    if not place.path.startswith("/"):
        file["uriBaseId"] = _ROOT
    return {
        "artifactLocation": file,
        **({"region": {"startLine": place.line}} if place.line > 0 else {}),
    }


def _message(text: str) -> str:
    return printable(text, LINES)


def _sarif_message(text: str) -> Json:
    """A message of SARIF, in which braces are placeholders (3.11.5) and ``[a](0)`` is a link."""
    text = printable(text, LINES).replace("](", "] (")
    return {"text": text.replace("{", "{{").replace("}", "}}")}


def _fingerprint(finding: Finding) -> str:
    """A hash of what makes it the same difference in another run, where lines and inputs may
    differ."""
    parts = [finding.kind, *finding.parts, finding.old.signal, finding.new.signal]
    parts += [finding.old.sanitizer, finding.new.sanitizer]
    parts += sorted(output for each in finding.group.also for output in each.outputs)
    for change in finding.blamed:
        parts += [change.function, change.old_text, change.new_text]
    text = json.dumps(parts, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _edit(change: ChangeInfo) -> str:
    match kind_of(change):
        case ChangeKind.ADDED:
            return f"added {change.new_text}"
        case ChangeKind.DELETED:
            return f"deleted {change.old_text}"
        case _:
            return f"{change.old_text} became {change.new_text}"


# ------------------------------------------------------------------------------------------ JUnit
# failure: the versions differ; error: a test that did not run; skipped: one that says nothing, or a
# difference that is internal.


_SAYS_NOTHING = {DifferenceKind.NONDETERMINISTIC, DifferenceKind.TIMEOUT}


def junit(all_finished: Sequence[Finished]) -> str:
    """A testsuite for each folder; a testcase for each group of differences, and for each test on
    which no difference was seen."""
    root = xml.Element("testsuites", name="csgtest")
    for finished in all_finished:
        _suite(root, finished)
    totals = [suite.attrib for suite in root]
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(each[name]) for each in totals)))
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=False).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _suite(root: xml.Element, finished: Finished) -> None:
    report = finished.report
    suite = xml.SubElement(root, "testsuite", name=_message(f"{report.name}.{report.entry}"))
    for finding in finished.findings:
        case = _testcase(suite, finished, finding.witness, finding.group.id)
        place = finished.anchor(finding)
        case.set("file", _message(place.path))
        case.set("line", str(place.line))
        old, new = contrasted(finding.old, finding.new)
        called = finding.group.called
        shown = f"{old} before, {new} now{_also(finding, finished)}"
        summary = f"{called}: {shown}{_internal(finding, report)}"
        if finding.group.internal:
            xml.SubElement(case, "skipped", message=_message(summary))
            continue
        failure = xml.SubElement(case, "failure", type=called)
        failure.set("message", _message(summary))
        failure.text = readable_test(finding.witness, report)
    for test in finished.others():
        case = _testcase(suite, finished, test, test.id)
        if test.observed is Observed.NOT_REPLAYED:
            what = test.refused or "it did not run natively"
            xml.SubElement(case, "error", type="not-replayed", message=_message(what))
        elif test.kind in _SAYS_NOTHING:
            xml.SubElement(case, "skipped", message=_message(test.kind))
    counts = Counter(part.tag for case in suite for part in case)
    spent = report.counters.get("wall_s")
    suite.set("tests", str(len(suite)))
    properties = xml.Element("properties")
    for name, text in zip(("verdict", "bounds"), _stated(report), strict=False):
        xml.SubElement(properties, "property", name=name, value=_message(text))
    suite.insert(0, properties)
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("skipped", str(counts["skipped"]))
    suite.set("time", f"{spent:.3f}" if isinstance(spent, int | float) else "0")


def _testcase(suite: xml.Element, finished: Finished, test: TestCase, name: str) -> xml.Element:
    report = finished.report
    called = _message(f"{name}: {finished.call(test)}")
    case = xml.SubElement(suite, "testcase", name=called)
    case.set("classname", _message(f"{report.name}.{report.entry}"))
    case.set("time", "0")
    return case


# --------------------------------------------------------------------------------------- Markdown
# Text of others stands in <code> with all its punctuation as entities, or in a fence that is longer
# than any within: so no text is markup, mentions anybody, or ends a cell.


LONGEST = 60_000  # characters; a comment on GitHub has 65,536 at most
_ROWS, _CELL, _BLOCK = 25, 160, 2000
_PUNCTUATION = re.compile(r"[^\w\s]|_", re.ASCII)


def markdown(all_finished: Sequence[Finished]) -> str:
    """A section for each folder. A text longer than a comment may be is cut at its end, and says
    so."""
    parts = [part for finished in all_finished for part in _section(finished)]
    found = ""
    for number, part in enumerate(parts):
        if len(found) + len(part) > LONGEST:
            return f"{found}\n{len(parts) - number} more parts stand in the folder of results.\n"
        found += part
    return found or "csgtest: no program and no library was compared; its output says why.\n"


def _section(finished: Finished) -> Iterator[str]:
    report = finished.report
    yield f"### csgtest: {code(report.name)}, {code(report.entry)}\n\n{_verdict(report)}\n\n"
    rows = finished.findings[:_ROWS]
    if rows:
        yield _table(finished, rows)
    for finding in rows:
        yield _details(finding, finished)
    left = len(finished.findings) - len(rows)
    if left:
        yield f"{left} more differences stand in the folder of results.\n\n"
    notes = _uncovered(report)
    if notes:
        yield "<details><summary>What the verdict does not cover</summary>\n\n"
        yield "".join(f"- {code(_cut(each))}\n" for each in notes[:_ROWS])
        if len(notes) > _ROWS:
            yield f"- and {len(notes) - _ROWS} more\n"
        yield "\n</details>\n\n"


def _uncovered(report: Report) -> list[str]:
    """What the verdict does not cover, with files by the names that users know."""
    found = [*expectations(report), *reservations(report), *report.notes]
    return [printable(short_paths(each, report)) for each in found]


def _verdict(report: Report) -> str:
    verdict, *bounds = map(_plain, _stated(report))
    return "\n\n".join([f"**{verdict}**", *bounds])


def _stated(report: Report) -> list[str]:
    """The verdict, and the bounds that it holds within where it does not name them itself."""
    return [headline(report), *filter(None, [looked_for(report)])]


def _table(finished: Finished, findings: Iterable[Finding]) -> str:
    lines = ["| | class | blamed | input | old | new | tests |", "|---|---|---|---|---|---|---:|"]
    for each in findings:
        old, new = contrasted(each.old, each.new)
        blamed = changes_named(each.group.blamed, each.group.interaction) or "-"
        cells = (finished.call(each.witness), old, new)
        shown = " | ".join(code(_cut(text)) for text in cells)
        number = len(each.group.tests)
        lines.append(
            f"| {_plain(each.group.id)} | {each.group.called} | {blamed} | {shown} | {number} |"
        )
        for other in finished.further_symptoms(each):
            cells = (other.input, other.old, other.new)
            shown = " | ".join(code(_cut(text)) for text in cells)
            lines.append(f"| | {other.word} | | {shown} | {other.tests} |")
    return "\n".join(lines) + "\n\n"


def _details(finding: Finding, finished: Finished) -> str:
    """The input to copy, and the changes to blame."""
    language = "sh" if finished.report.entry == "main" else "c"
    lines = [
        f"<details><summary>{_plain(finding.group.id)}: input and changes to blame</summary>",
        "",
        _fenced(_message(finished.call(finding.witness)), language),
    ]
    if finding.group.internal:
        lines += [code(_internal(finding, finished.report)[2:]), ""]
    for change in finding.blamed:
        place = finished.place_of(change)
        old, new = change.old_text, change.new_text
        edit = [f"-{line}" for line in old.splitlines()]
        edit += [f"+{line}" for line in new.splitlines()]
        where = code(f"{place.path}:{place.line}")
        lines += [f"Change {change.id}, {where}:", "", _fenced(_message("\n".join(edit)), "diff")]
    if not finding.blamed:
        lines += ["It is not known which changes are to blame.", ""]
    return "\n".join([*lines, "</details>", "", ""])


def _fenced(text: str, language: str) -> str:
    if len(text) > _BLOCK:
        text, language = f"{text[:_BLOCK]}\n... ({len(text)} characters in all)", "text"
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n"


def code(text: str) -> str:
    """A text from outside as a piece of a line."""
    return f"<code>{_plain(text)}</code>"


def _plain(text: str) -> str:
    return _PUNCTUATION.sub(lambda sign: f"&#{ord(sign[0])};", printable(text))


def _cut(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[: _CELL - 3]}..."


# ----------------------------------------------------------------------------------------- GitHub
# https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def github(all_finished: Sequence[Finished]) -> str:
    """A line for each group of differences, at the first changed statement to blame."""
    return "".join(
        f"::{_COMMANDS[finding.level]} {_annotated(finding, finished)}\n"
        for finished in all_finished
        for finding in finished.findings
    )


def _annotated(finding: Finding, finished: Finished) -> str:
    place = finished.anchor(finding)
    old, new = contrasted(finding.old, finding.new)
    call = finished.call(finding.witness)
    blamed = changes_named(finding.group.blamed, finding.group.interaction)
    shown = f"{call}: {old} before, {new} now{_also(finding, finished)}"
    words = _with_blame(shown, blamed)
    words += _internal(finding, finished.report)
    title = f"csgtest: {finding.group.called}"
    named = {"file": place.path, "line": str(place.line), "title": title}
    properties = [
        f"{name}={_data(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in named.items()
    ]
    return f"{','.join(properties)}::{_data(words)}"


def _data(text: str) -> str:
    """The text in one line, nothing of which is read as a command."""
    return _message(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
