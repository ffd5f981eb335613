"""Findings in words, shared by the page, the table and the readable test files.

What two runs show is put on one line each, so that a reader sees where they differ.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from csg.errors import LINES, NOWHERE, Location, printable
from csg.ir import ChangeInfo
from csg.records import record
from symexec.ledger import NOT_BEGUN, Claim, Reason, Verdict, allows
from symexec.report.facts import inputs_within
from symexec.report.model import Expected, Findings, Report
from symexec.state.state import DivergenceKind
from symexec.testcases import (
    MASKED,
    UNTOLD,
    Observation,
    Observed,
    TestCase,
    Value,
    c_value,
    rendered,
)
from symexec.testcases.driver import PLACE_OF_DRIVERS
from symexec.testcases.inputs import Json
from symexec.testcases.testcase import OVERDRAWN, DifferenceKind

if TYPE_CHECKING:
    from symexec.triage import Group
    from symexec.triage.grouping import Symptom


AFTER = " after the call"
SHOWN = 2000  # characters of a stream
_LISTED, _NODES = 8, 8  # changes below a table, nodes of a sequence in it
_PLACES = 2  # where both versions fail alike
_ALONE, _PAIRED = 46, 25  # characters of a text below a table
_ALIKE = 8  # characters of it in front of what differs
_STEPS = 7  # changes at the beginning and at the end of a way
_MEETINGS, _OUTPUTS = 3, 2  # on a way
_KINDS = 2  # of structures that only a library makes
_RUN = 3  # changes that are named one by one where they follow each other
_TEXT = 160  # characters of a statement


def ending(seen: Observation) -> str:
    """How a run ended, in a few words."""
    if seen.timed_out and seen.report == OVERDRAWN:
        return "fills more memory than a run may have"
    if seen.timed_out:
        return "does not end" if seen.cpu_s is None else f"still runs after {seen.cpu_s:.1f} s"
    if seen.sanitizer is not None:
        return seen.sanitizer
    if seen.signal is not None:
        return seen.signal
    lost = f", {seen.leaks} object{_s(seen.leaks)} lost" if seen.leaks else ""
    if seen.returned is not None:
        return f"returns {seen.returned}{lost}" if seen.returned != "void" else f"returns{lost}"
    return f"exit {seen.exit}{lost}"


def text_of(data: bytes) -> str:
    """Bytes as readable text: UTF-8 where they are, escapes elsewhere; long ones are cut."""
    text = data.decode("utf-8", "backslashreplace")
    text = printable(text, LINES)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}\n... ({len(data)} bytes in all)"


def parts(seen: Observation) -> list[tuple[str, str]]:
    """Every part of an observation that is not empty: its name and text."""
    found = [("ends", ending(seen))]
    for name, data in (("stdout", seen.stdout), ("stderr", seen.stderr)):
        if data:
            found.append((name, text_of(data)))
    found += [(f"{name}{AFTER}", _value(value)) for name, value in seen.memory]
    found += [(f"file {printable(name)}", text_of(data)) for name, data in seen.files]
    if seen.report:
        found.append(("report", printable(seen.report.strip(), LINES)))
    return found


def _value(value: Value) -> str:
    match value:
        case bytes():
            return text_of(value)
        case ():
            return "as it was"
        case _:
            return c_value(value)


def finder(each: Group) -> str:
    """The phase that first found a difference, and when."""
    return f"{each.found_by or '-'}, {each.found_s:.1f} s"


def class_named(kind: str) -> str:
    """The class of a difference as it is shown: ``both fail differently``."""
    return kind.replace("-", " ")


@record
class Step:
    """A step on the way from a change to an output: what happens, where, in which statement."""

    words: str
    place: str
    text: str = ""
    node: str = ""


def way_to_output(report: Report, case: TestCase) -> tuple[Step, ...]:
    """What a test visits on its way from the changes to blame (all changes, where nothing is to
    blame) to an output: these changes, the divergence, the places where effects meet, the
    output."""
    nodes = {str(each["id"]): each for each in report.csg.get("nodes", ())}
    blamed = frozenset(case.blame.blamed if case.blame is not None else ())
    names = [each for each in case.sequence if each in nodes]
    if blamed:
        names = [each for each in names if not blamed.isdisjoint(nodes[each].get("changes", ()))]
    first = next((at for at, each in enumerate(names) if _is_change(nodes[each])), 0)
    names = names[first:]
    changes = [each for each in dict.fromkeys(names) if _is_change(nodes[each])]
    steps = [*_cut_steps([_step(nodes[each], blamed, report) for each in changes])]
    met = [each for each in dict.fromkeys(names) if nodes[each]["kind"] == "interaction"]
    last = [each for each in dict.fromkeys(names[::-1]) if nodes[each]["kind"] == "output"]
    meets = (*met[:_MEETINGS], *last[:_OUTPUTS][::-1])
    meeting = [_step(nodes[each], blamed, report) for each in meets]
    for step in _divergence_step(case, report):
        together = [*steps, *meeting]
        at = next((at for at, each in enumerate(together, 1) if each.place == step.place), None)
        if case.divergence is not None and case.divergence.kind is DivergenceKind.ENDING:
            at = len(together)
        together.insert(len(steps) if at is None else at, step)
        return tuple(together)
    return (*steps, *meeting)


def _is_change(node: Mapping[str, Json]) -> bool:
    return node["kind"] in ("change", "deletion")


def _cut_steps(steps: Sequence[Step]) -> Iterator[Step]:
    if len(steps) <= 2 * _STEPS:
        yield from steps
        return
    yield from steps[:_STEPS]
    yield Step(f"{len(steps) - 2 * _STEPS} more changed statements", "")
    yield from steps[-_STEPS:]


def _step(node: Mapping[str, Json], blamed: frozenset[int], report: Report) -> Step:
    changes = sorted(blamed.intersection(node.get("changes", ())) or node.get("changes", ()))
    numbers = f"change{_s(len(changes))} {changes_named(changes)}"
    words = {
        "change": f"{numbers}: the new version runs",
        "deletion": f"{numbers}: the old version alone runs",
        "interaction": f"the effects of {numbers} meet at",
        "output": f"an output depends on {numbers}:",
    }.get(str(node["kind"]), numbers)
    place = f"{file_named(str(node.get('file')), report)}:{node.get('line')}"
    return Step(words, place, str(node.get("text", ""))[:_TEXT], str(node["id"]))


def _divergence_step(case: TestCase, report: Report) -> Iterator[Step]:
    place = case.divergence
    if place is None:
        return
    where = f"{file_named(place.file, report)}:{place.line}"
    if place.kind is DivergenceKind.CONTROL:
        new = {"diff-true": "true", "diff-false": "false"}.get(place.directions)
        old = {"true": "false", "false": "true"}.get(new or "")
        how = f": it is {old} in the old version and {new} in the new one" if new else ""
        yield Step(f"the versions diverge at the decision{how}", where)
    elif place.kind is DivergenceKind.OUTPUT:
        yield Step("the versions write different output", where)
    else:
        yield Step("the versions end differently", where)


def changes_named(changes: Iterable[int], interaction: bool = False) -> str:
    """``2``, or ``1 + 3 + 5-9`` (together)."""
    return " + ".join(_in_runs(changes)) + (" together" if interaction else "")


def _in_runs(changes: Iterable[int]) -> Iterator[str]:
    """The numbers; those in a row by their ends: ``1``, ``5-9``."""
    runs: list[list[int]] = []
    for each in changes:
        if runs and each == runs[-1][-1] + 1:
            runs[-1].append(each)
        else:
            runs.append([each])
    for run in runs:
        yield from [f"{run[0]}-{run[-1]}"] if len(run) > _RUN else map(str, run)


def file_named(path: str, report: Report) -> str:
    """A file as its users know it: a copy of a revision's file without the folder of the copies, a
    driver by the file that it stands behind."""
    path = PLACE_OF_DRIVERS.sub("driver of ", path)
    for side, folder in (("old", report.old), ("new", report.new)):
        if folder.endswith(f"versions/{side}"):
            path = re.sub(rf"^{_anywhere(folder)}/", "", path)
    return path


def _anywhere(folder: str) -> str:
    """A pattern for the path of a folder, relative as it is known or absolute, as what a driver
    includes is named."""
    return rf"(?:(?<![\w./-])/\S*/)?{re.escape(folder)}"


def short_paths(text: str, report: Report) -> str:
    """``csgtest-out/versions/new/a.c:3`` as ``new a.c:3``: files of revisions are copies, whose
    folder does not matter. Other files are relative to the folder that both versions lie in; what
    csgtest wrote around an entry function (symexec/testcases/driver.py) is called its driver."""
    text = PLACE_OF_DRIVERS.sub("driver of ", text)
    for side, folder in (("old", report.old), ("new", report.new)):
        if folder.endswith(f"versions/{side}"):
            text = re.sub(rf"{_anywhere(folder)}/", f"{side} ", text)
    tops = [os.path.dirname(each) for each in (report.old, report.new)]
    if not all(tops) or tops[0].startswith("/") != tops[1].startswith("/"):
        return text
    top = os.path.commonpath(tops)
    return re.sub(rf"(?<![\w./-]){re.escape(top)}/(?=\w)", "", text) if top.strip("/") else text


def headline(report: Report) -> str:
    """The verdict in one sentence; when nothing was found, it says why not."""
    match report.verdict:
        case Verdict.DIFFERENT:
            return _differences(report.findings())
        case Verdict.NO_DIFFERENCE_FOUND:
            if report.unconfirmed and report.finished:
                runs = f"{report.unconfirmed:,} of {report.native['tests']:,} native runs differ"
                return f"No difference is confirmed, but {runs}: the time was over before."
            if untold := _untold(report):
                tests = f"{untold} test{_s(untold)} show{'' if untold > 1 else 's'}"
                return f"No difference is confirmed: {tests} nothing of the call natively."
            unseen = _unseen(report)
            if unseen and report.finished:
                over = "" if report.counters.get("exhausted") else " before the time was over"
                tests = f"{unseen} test{_s(unseen)}"
                return f"No difference is confirmed{over}: {tests} did not run natively."
            return _without_behaviour(report) or f"No difference was found {_end_of_search(report)}"
        case Verdict.EQUIVALENT_WITHIN_BOUNDS:
            return (
                f"Equivalent for {inputs_within(report)}: no such input distinguishes the versions."
            )
        case Verdict.NO_CHANGE:
            return "The programs are the same: there is nothing to test."
        case Verdict.ALL_PATHS_EXPLORED | Verdict.EXPLORED_IN_PART:
            return report.verdict
        case _:
            assert_never(report.verdict)


def _differences(found: Findings) -> str:
    groups, accepted = found.open, len(found.accepted)
    if groups:
        inner = sum(each.internal for each in groups)
        several = _shown_by(groups)
        last = f"; {accepted} accepted" if accepted else ""
        if inner == len(groups):
            return f"Inner code behaves differently. {inner} internal {several}{last}."
        last = f"; {inner} of them internal{last}" if inner else last
        return f"The versions behave differently. {len(groups)} {several}{last}."
    if accepted:
        return f"The versions differ as was accepted: {accepted} difference{_s(accepted)}."
    return "The versions behave differently."


def _without_behaviour(report: Report) -> str:
    """The verdict where versions differ, and no caller is known to meet another behaviour; "" where
    they do not differ."""
    groups = report.groups
    internal = [each for each in groups if each.internal]
    said = []
    if internal:
        shown = _shown_by(internal)
        said.append(f"Inner code behaves differently. {len(internal)} internal {shown}.")
        said.append("No caller is known to meet a difference.")
    for kind, words in _NO_BEHAVIOUR.items():
        alike = [each for each in groups if each.kind is kind and not each.internal]
        said += [f"{words}: {len(alike)} {_shown_by(alike)}."] if alike else []
    if said and not internal:
        said.insert(0, "No difference in behaviour was found.")
    return " ".join(said)


_NO_BEHAVIOUR = {
    DifferenceKind.INTERNAL_STATE: "Static objects differ after the call, and later calls may",
    DifferenceKind.UNDECIDED: "One version was cut off, and whether it ends is not known",
    DifferenceKind.SLOWER: "One version is slower",
}


def _shown_by(groups: Sequence[Group]) -> str:
    tests = sum(len(each.tests) for each in groups)
    return f"difference{_s(len(groups))} shown by {tests} test{_s(tests)}"


def looked_for(report: Report) -> str:
    """The bounds in force, for a verdict that does not name them; "" where it does, or where there
    is nothing to search."""
    if report.verdict not in (Verdict.DIFFERENT, Verdict.NO_DIFFERENCE_FOUND) or not report.bounds:
        return ""
    whole = allows(report.omissions, Claim.ALL_PATHS)
    how = "all paths were followed" if whole else "not all paths were followed"
    if (report.seeds or {}).get("used"):
        how = "near the paths of the seeds only"
    return f"Looked for in {inputs_within(report)}; {how}."


def explored(report: Report, errors: int) -> str:
    """The verdict on one program alone, in a sentence."""
    tests = report.counters.get("tests", 0)
    made = f"{tests} test{_s(tests)}, {errors or 'no'} error{_s(errors)}."
    if report.verdict is Verdict.ALL_PATHS_EXPLORED:
        return f"All paths were explored: {made}"
    if not report.finished:
        return f"The exploration was interrupted: {made}"
    return f"The time was over before all paths were explored: {made}"


def _end_of_search(report: Report) -> str:
    if not report.finished:
        return "before the search was interrupted."
    if report.counters.get("exhausted") and (report.seeds or {}).get("used"):
        return "near the paths of the seeds; other paths were not explored."
    followed = ("paths", "diff_paths", "dropped", "pruned")
    if isinstance(report.native, dict) and not any(map(report.counters.get, followed)):
        return f"by {report.native['tests']} native runs; no path could be followed to its end."
    if report.counters.get("exhausted"):
        failing = sum(count for _, count in _failing(report))
        if (
            failing
            and failing == report.counters.get("paths")
            and not report.counters.get("pruned")
        ):
            return (
                "on any path, but both versions fail alike on each: nothing is known behind that."
            )
        if allows(report.omissions, Claim.ALL_PATHS):
            return "on any path; what is not confirmed stands below."
        return "on the paths that were followed; what was left out stands below."
    return "before the time was over."


def _failing(report: Report) -> list[tuple[str, int]]:
    """Where both versions fail alike, and on how many paths; most of them first."""
    failing = report.counters.get("both_fail")
    if not isinstance(failing, list):
        return []
    counted = [str(each).rstrip(")").rpartition(" (") for each in failing]
    return sorted(((place, int(count)) for place, _, count in counted), key=lambda each: -each[1])


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def blamed_changes(report: Report) -> list[str]:
    """What the numbers of changes in the table mean: a line for each change, or one for all that
    have one cause."""
    wanted = {change for each in report.groups for change in each.blamed}
    found: dict[str, list[ChangeInfo]] = {}
    for change in report.changes:
        if change.id in wanted:
            found.setdefault(_cause(change) or str(change.id), []).append(change)
    chosen = [alike for _, alike in zip(range(_LISTED), found.values(), strict=False)]
    names = [
        f"change{_s(len(each))} {', '.join(_in_runs(one.id for one in each))}" for each in chosen
    ]
    places = [_place(each[0].location, report) for each in chosen]
    widths = [max(map(len, cells), default=0) for cells in (names, places)]
    lines = [
        f"{name:{widths[0]}}  {place:{widths[1]}}  "
        + (f"by {_cause(each[0])}" if len(each) > 1 else _edit(each[0]))
        for name, place, each in zip(names, places, chosen, strict=True)
    ]
    if len(found) > len(chosen):
        left = sum(map(len, found.values())) - sum(map(len, chosen))
        lines.append(f"{left} more change{_s(left)} to blame")
    return [short_paths(line, report) for line in lines]


_PATH = 24


def _place(location: Location, report: Report) -> str:
    """As other lines name it, without the version; the name alone where the folder is too long."""
    name = short_paths(file_named(location.file, report), report)
    if len(name) > _PATH or name.startswith("/"):
        name = Path(name).name
    return f"{on_one_line(name)}:{location.line}"


def _cause(change: ChangeInfo) -> str:
    """The definition behind a change whose own text is unchanged; "" for all others."""
    same = change.old_text.split() == change.new_text.split()
    return change.cause if same else ""


def accepted_lines(report: Report) -> list[str]:
    """What the file of accepted differences names and no longer exists."""
    return [
        f"stale in {report.accepted_in}: {each.id} ({printable(each.summary)}) is of statements "
        "that are no changes any more; csgtest accept --prune removes it"
        for each in report.stale()
    ]


def why_internal(report: Report) -> str:
    """Why no caller can meet an internal difference; "" where some can."""
    from symexec.triage import initial_values

    kinds = [*dict.fromkeys(report.hidden_parts.values())]
    reason = report.internal.reason if report.internal is not None else ""
    if not reason and not kinds:
        names = [*initial_values(report.signature)]
        more = ", .." if len(names) > _KINDS else ""
        return f"only calls set {', '.join(names[:_KINDS])}{more}" if names else ""
    more = ", .." if len(kinds) > _KINDS else ""
    return reason or f"only the library makes a {', '.join(kinds[:_KINDS])}{more}"


def reached_from(report: Report, each: Group) -> str:
    """The public entries from which an internal difference is reached, as far as they are known."""
    found = report.reached.get(each.witness)
    program = report.internal is not None and report.internal.program
    unconfirmed = f"not confirmed from {'main' if program else 'the API'} within the bounds"
    if found is None:
        return unconfirmed
    shown = f"{found.entry} with {found.call} (test {found.test} of it)"
    if found.confirms(each):
        return f"reachable from API {shown}"
    return f"{unconfirmed}; another class at API {shown}: {class_named(found.kind)}"


def internal_lines(report: Report) -> list[str]:
    """Why differences are internal, and what is known of each."""
    inner = [each for each in report.groups if each.internal]
    lines = [f"internal: {why_internal(report)}"] if inner else []
    for each in inner:
        blamed = changes_named(each.blamed)
        lines.append(f"  {f'change {blamed}' if blamed else each.id}: {reached_from(report, each)}")
    return list(dict.fromkeys(lines))


def perhaps_smaller(report: Report) -> list[str]:
    """The witnesses that may have parts which are not needed."""
    by_id = {case.id: case for case in report.tests}
    left = [each.witness for each in report.groups if not each.minimal]
    shown = (one.witness for each in report.groups for one in each.also)
    left += [name for name in shown if not by_id[name].minimal]
    if not left or not report.finished:
        return []
    few = ", ".join(left[:_LISTED]) + (", .." if len(left) > _LISTED else "")
    return [f"perhaps not minimal, as the time was over: {few}"]


def undefined_places(report: Report) -> list[str]:
    """For each group that has met undefined behaviour: where, in which version, and what gcc does
    without replay's flags."""
    by_id = {case.id: case for case in report.tests}
    return [
        f"undefined behaviour in {each.witness}: {text}"
        for each in report.groups
        for text in by_id[each.witness].undefined
    ]


def _edit(change: ChangeInfo) -> str:
    old, new = on_one_line(change.old_text, _ALONE), on_one_line(change.new_text, _ALONE)
    if not old:
        return f"added  {new}"
    if _cause(change):
        return f"{new}  by {_cause(change)}"
    if not new:
        return f"deleted  {old}"
    return "  ->  ".join(_around_difference(change.old_text, change.new_text))


def _around_difference(old: str, new: str) -> tuple[str, str]:
    """Two statements on one line each, cut to what one line of a table holds of both. Where they
    begin alike for longer than that, the beginning is left out."""
    lines = " ".join(old.split()), " ".join(new.split())
    most = max(_PAIRED, 2 * _PAIRED - min(map(len, lines)))
    alike = zip(*lines, strict=False)
    same = next((at for at, (a, b) in enumerate(alike) if a != b), min(map(len, lines)))
    start = 0
    if lines[0] != lines[1] and same > most - _ALIKE and max(map(len, lines)) > most:
        words = (found.start() for found in re.finditer(r"\b\w", lines[0][:same]))
        start = max((at for at in words if at <= same - _ALIKE), default=0)
    start = max(start, same - most // 2) if start else 0
    begin = "..." if start else ""
    shown = [on_one_line(begin + line[start:], most) for line in lines]
    return shown[0], shown[1]


def on_one_line(text: str, most: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def sequence_named(nodes: Sequence[str]) -> str:
    """``c1 c2 i1``; of a long sequence the beginning."""
    if len(nodes) > _NODES:
        return " ".join([*nodes[: _NODES - 1], "..."])
    return " ".join(nodes) or "-"


def sequences_covered(report: Report) -> list[str]:
    """A line on how much of the change sequence graph tests visit, and paths without a test, on
    which the versions do not part; none without a search. A line on the value of a verdict when
    neither a run nor a path has come by a change."""
    coverage = report.csg.get("coverage") if isinstance(report.csg, dict) else None
    if not isinstance(coverage, dict):
        return []
    parts = []
    met = pathwise = 0
    for what in ("nodes", "edges"):
        kinds = coverage[what]
        assert isinstance(kinds, dict)
        witnessed, infeasible = kinds["witnessed"], kinds["infeasible"]
        assert isinstance(witnessed, list) and isinstance(infeasible, list)
        never = f" ({len(infeasible)} infeasible)" if infeasible else ""
        reached = kinds.get("reached", [])
        assert isinstance(reached, list)
        met += len(witnessed) + len(reached)
        pathwise += len(reached)
        parts.append(f"{len(witnessed)} of {kinds['all']} {what}{never}")
    said = [f"change sequence graph: tests visit {', '.join(parts)}"]
    if pathwise:
        said[0] += f"; other paths visit {pathwise} more"
    if not met and report.verdict in (
        Verdict.EQUIVALENT_WITHIN_BOUNDS,
        Verdict.NO_DIFFERENCE_FOUND,
    ):
        said.append(
            "nothing that changed has run: no input or path that was tried executes a change"
        )
    return said


def reservations(report: Report) -> list[str]:
    """What the verdict does not cover, one sentence each; empty when nothing was left out."""
    counters = report.counters
    found = [
        _counted(count, one, many)
        for count, one, many in (
            (_unseen(report), *(_WAITING if report.sandbox else _UNSEEN)),
            (_untold(report), *_UNTOLD),
            (counters.get("mispredicted"), *_MISPREDICTED),
            (counters.get("branch_mismatches"), *_MISMATCHED),
            (counters.get("unknown"), *_UNKNOWN),
            (counters.get("concretised"), *_CONCRETISED),
        )
        if isinstance(count, int) and count
    ]
    refused = counters.get("refused")
    if isinstance(refused, dict):
        found += [f"Refused natively: {why}: {count}." for why, count in sorted(refused.items())]
    if not counters.get("mispredicted"):
        found += [
            f"{each.omission.text.capitalize()}: {each.omission.location}."
            for each in report.omissions
            if each.omission.reason is Reason.UNCONFIRMED and each.omission.location != NOWHERE
        ]
    found += _cut_paths(report)
    cut = [each for each in report.bounds.get("deeper", ()) if not each["exhausted"]]
    for level in cut[-1:]:
        found.append(f"Beyond the bounds, {level.get('within')}: not all paths were followed.")
    found += _masked(report)
    found += _not_attacked(report)
    found += _without_blame(report)
    if gaps := _gaps(report):
        found.append(f"Not modelled: {', '.join(gaps[:_LISTED])}.")
    return found


def _not_attacked(report: Report) -> Iterator[str]:
    """Why a verdict without differences was not attacked natively."""
    attack, equal = report.attack, (Verdict.EQUIVALENT_WITHIN_BOUNDS, Verdict.NO_CHANGE)
    if not isinstance(attack, dict) or report.verdict not in equal:
        return
    if attack.get("asked") is False:
        yield "The verdict was not attacked natively (--attack 0)."
    elif reason := attack.get("reason"):
        yield f"The verdict was not attacked natively: {reason}."


def _unseen(report: Report) -> int:
    unseen = sum(case.observed is Observed.NOT_REPLAYED for case in report.tests)
    return unseen - _untold(report)


def _untold(report: Report) -> int:
    """How many tests were run, and show nothing of the call."""
    ran = [case for case in report.tests if case.observed is Observed.NOT_REPLAYED]
    return sum(any(note.startswith(UNTOLD) for note in case.notes) for case in ran)


def _gaps(report: Report) -> list[str]:
    """Functions without a model that no other note names with the places of their calls."""
    gaps = report.counters.get("gaps")
    noted = {name for note in report.notes for name in _UNMODELLED.findall(note)}
    names = map(str, gaps) if isinstance(gaps, list) else ()
    return [each for each in names if each.partition(" (")[0] not in noted]


_UNMODELLED = re.compile(r"function '(\w+)' is not modelled")
_UNSEEN = ("test was not run natively.", "tests were not run natively.")
_WAITING = (
    "test was not run natively: the time was over.",
    "tests were not run natively: the time was over.",
)
_UNTOLD = (
    "test was run natively, and shows nothing of the call.",
    "tests were run natively, and show nothing of the call.",
)
_MISPREDICTED = (
    "test was predicted to differ and is alike natively: an error of csgtest.",
    "tests were predicted to differ and are alike natively: an error of csgtest.",
)
_MISMATCHED = (
    "test took other branches natively than predicted: an error of csgtest.",
    "tests took other branches natively than predicted: an error of csgtest.",
)
_UNKNOWN = (
    "query was not answered by the solver: what depends on it was not explored.",
    "queries were not answered by the solver: what depends on them was not explored.",
)
_CONCRETISED = (
    "value was fixed to one of its possible values.",
    "values were fixed to one of their possible values.",
)


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _cut_paths(report: Report) -> Iterator[str]:
    """Which paths have no end, and why."""
    counters = report.counters

    def count(name: str) -> int:
        known = counters.get(name)
        return known if isinstance(known, int) else 0

    if any(each.omission.text == NOT_BEGUN for each in report.omissions):
        yield f"The search did not begin: {NOT_BEGUN}."
    elif cuts := count("cuts"):
        reasons = []
        if waiting := count("waiting"):
            reasons.append(f"{waiting:,} of them still waiting when the time was over")
        if forgotten := count("forgotten"):
            reasons.append(f"{forgotten:,} of them dropped because memory was short")
        why = f": {', '.join(reasons)}" if reasons else ""
        yield f"{cuts:,} path{_s(cuts)} not followed to the end{why}."
    if met := count("unsupported"):
        yield f"{met:,} path{_s(met)} met something unsupported, and ended there."
    if failing := _failing(report):
        paths = sum(count for _, count in failing)
        places = ", ".join(short_paths(place, report) for place, _ in failing[:_PLACES])
        more = len(failing) - _PLACES
        last = f" and {more} place{_s(more)} more" if more > 0 else ""
        yield (
            f"On {paths:,} path{_s(paths)} both versions fail alike, and end there: {places}{last}."
        )
    if left := count("dropped"):
        yield f"{left:,} path{_s(left)} left at an output, as was published."
    alone = count("diff_paths")
    if alone and report.bounds.get("after") == "new":
        yield f"On {alone:,} path{_s(alone)} the new version was followed alone (--after new)."


def expectations(report: Report) -> list[str]:
    """What every input satisfies, and why."""
    return [f"expected of callers: {each}" for each in folded(report)]


_ONE, _AT_MOST = re.compile(r"(\S+) (is not null|leads to one .+|ends with a 0 byte)"), 4
_PLURAL = {"is": "are", "leads": "lead", "ends": "end"}


def folded(report: Report) -> list[Expected]:
    """What is expected of callers; what is the same of several inputs as one. A call sequence has
    the inputs of a function for each call of it (``put_n``, ``put_n_``): what holds of all of them
    is said of the first."""
    sequence = report.signature is not None and bool(report.signature.steps)

    def of_first_call(text: str) -> str:
        return re.sub(r"(?<=\w)_+\b", "", text) if sequence else text

    alike: dict[tuple[str, str, str, int], dict[str, tuple[str, Expected]]] = {}
    for each in report.preconditions:
        found = _ONE.fullmatch(each.text)
        subject, claim = (found[1], found[2]) if found else ("", each.text)
        key = (of_first_call(claim), of_first_call(each.reason), each.file, each.line)
        alike.setdefault(key, {}).setdefault(of_first_call(subject), (subject, each))
    return [_as_one(claim, [*same.values()]) for (claim, *_), same in alike.items()]


def _as_one(claim: str, same: Sequence[tuple[str, Expected]]) -> Expected:
    """The same claim about several inputs: ``s, t are not null``."""
    (_, first), names = same[0], [name for name, _ in same]
    if len(same) == 1:
        return first
    verb, _, rest = claim.partition(" ")
    left = len(names) - _AT_MOST
    listed = ", ".join(names[:_AT_MOST]) + (f" and {left} more" if left > 0 else "")
    reason = first.reason.replace("it is", "they are").replace("of it", "of each")
    return replace(first, text=f"{listed} {_PLURAL[verb]} {rest}", reason=reason)


def listed_expectations(report: Report, width: int) -> list[str]:
    """The same in lines of at most ``width`` columns, unless names are longer than that."""
    whole = [short_paths(each, report) for each in expectations(report)]
    if all(len(each) <= width for each in whole):
        return whole
    lines = ["expected of callers:"]
    for each in folded(report):
        line = f"  {short_paths(str(each), report)}"
        why = short_paths(f"    {each.file}:{each.line}: {each.reason}", report)
        lines += [line] if len(line) <= width else [f"  {each.text}", why]
    return lines


def _masked(report: Report) -> list[str]:
    """What varies between runs of one version: a line with an example."""
    notes = [[note for note in case.notes if note.startswith(MASKED)] for case in report.tests]
    masked = [each[0].removeprefix(f"{MASKED}: ") for each in notes if each]
    if not masked:
        return []
    return [f"Tests in which something is {MASKED}: {len(masked)}; for example {masked[0]}."]


NOT_BLAMED = "Which changes bring it about was not looked into: no time was left."
NOT_YET_BLAMED = "Which changes bring it about was not looked into so far."


def why_not_blamed(tests: Sequence[TestCase], finished: bool) -> str:
    """Why nothing is blamed for the tests of a group: what was found out with any of them; else the
    time was over before, since all that differs is explained while there is time."""
    notes = [case.blame.note for case in tests if case.blame is not None and case.blame.note]
    if notes:
        return f"Changes to blame unknown: {notes[0].splitlines()[0]}."
    return NOT_BLAMED if finished else NOT_YET_BLAMED


def _without_blame(report: Report) -> list[str]:
    """Why differences have nothing to blame, each reason once."""
    by_id = {case.id: case for case in report.tests}
    found = [
        why_not_blamed([by_id[name] for name in each.tests if name in by_id], report.finished)
        for each in report.groups
        if not each.blamed
    ]
    return list(dict.fromkeys(found))


def readable_test(case: TestCase, report: Report) -> str:
    """The content of tests/t0001.txt."""
    texts = {change.id: change for change in report.changes}
    kind = f"internal, {why_internal(report)}" if report.is_internal(case) else case.called
    lines = [
        f"{case.id}  {kind}",
        f"found by {case.source or '-'} after {case.found_s:.1f} s",
        "",
        rendered(case.input, f"./{report.name}", report.entry, report.signature),
        "",
    ]
    for name, seen in (("old", case.old), ("new", case.new), ("golden", case.golden)):
        if seen is not None:
            lines.append(f"{name}:")
            lines += [f"  {part}: {_indented(text)}" for part, text in parts(seen)]
    if case.divergence is not None:
        place = case.divergence
        where = short_paths(f"{place.file}:{place.line}", report)
        lines += ["", f"diverges at {where} ({place.kind} {place.directions})"]
    if case.notes:
        lines += ["", *map(printable, case.notes)]
    if case.blame is not None and case.blame.blamed:
        named = changes_named(case.blame.blamed, case.blame.interaction)
        unsure = ", perhaps fewer: runs or time were used up" if case.blame.ended else ""
        lines += ["", f"changes to blame: {named}{unsure}"]
        for change in case.blame.blamed:
            if change in texts:
                lines += _diff_lines(texts[change].old_text, texts[change].new_text)
    return printable("\n".join(lines) + "\n", LINES)


def _indented(text: str) -> str:
    return (
        text if "\n" not in text else "\n" + "\n".join("    " + line for line in text.split("\n"))
    )


def _diff_lines(old: str, new: str) -> list[str]:
    removed = [f"  - {line}" for line in old.splitlines()]
    return removed + [f"  + {line}" for line in new.splitlines()]


_MOST = 40  # characters of a stream
_BEFORE = 12  # bytes that both have, shown in front of the first that differs
_WINDOW = 34
_LONGEST_TAIL, _SHOWN_OF_TAIL = 16, 3  # equal bytes at the end of an object
_FREED = b"[freed]"  # as replay notes it
Words = tuple[str, str]


def contrasted(
    old: Observation | None, new: Observation | None, outputs: Collection[str] = ()
) -> Words:
    """What differs, for either version: an ending, and a part. Where only the endings differ, the
    beginning of what was printed, or else the first file that the run left behind. ``outputs``: the
    kinds of parts that are shown rather than others that differ as well."""
    if old is None or new is None:
        return _brief(old), _brief(new)
    ways = [
        (kind, way)
        for kind, differs, way in (
            ("stdout", old.stdout != new.stdout, _printed),
            ("ending", ending(old) != ending(new), _ends),
            ("files", old.files != new.files, _files),
            ("memory", old.memory != new.memory, _memory),
            ("stderr", old.stderr != new.stderr, _says),
        )
        if differs
    ]
    wanted = {_SHOWN_BY.get(each, "ending") for each in outputs}
    _, way = next((each for each in ways if each[0] in wanted), (*ways, ("", _ends))[0])
    return way(old, new)


# How a kind of output is shown; each other kind by the ending.
_SHOWN_BY = {
    "stdout": "stdout",
    "stderr": "stderr",
    "files": "files",
    "memory": "memory",
    "state": "memory",
}


def _printed(old: Observation, new: Observation) -> Words:
    return _paired(
        f"{ending(seen)}, prints {words or _newlines(seen.stdout)}" if seen.stdout else _brief(seen)
        for seen, words in zip((old, new), _contrasted(old.stdout, new.stdout), strict=True)
    )


def _ends(old: Observation, new: Observation) -> Words:
    return _brief(old), _brief(new)


def _says(old: Observation, new: Observation) -> Words:
    return _paired(
        f"{ending(seen)}, {f'says {words}' if seen.stderr else 'says nothing'}"
        for seen, words in zip((old, new), _contrasted(old.stderr, new.stderr), strict=True)
    )


@record
class Also:
    """A further symptom of a difference in words. ``tests``: how many need it."""

    word: str  # "also", in front of it
    case: TestCase
    input: str
    old: str
    new: str
    tests: int


def further_symptoms(
    report: Report, symptoms: Iterable[Symptom], cases: Mapping[str, TestCase]
) -> Iterator[Also]:
    """The symptoms that the witness of a difference does not show."""
    for each in symptoms:
        case = cases[each.witness]
        spelling = rendered(case.input, f"./{report.name}", report.entry, report.signature)
        old, new = contrasted(case.old, case.new, each.outputs)
        word = "also inside" if each.internal else "also"
        yield Also(word, case, spelling, old, new, each.count)


def _newlines(data: bytes) -> str:
    return _cut(text_of(data).replace("\n", "\\n"))


def _paired(words: Iterable[str]) -> Words:
    old, new = words
    return old, new


def _brief(seen: Observation | None) -> str:
    if seen is None:
        return "not replayed"
    if first := _cut(_line(seen.stdout)):
        return f"{ending(seen)}, prints {first}"
    for name, data in seen.files[:1]:
        return f"{ending(seen)}, leaves {_named(name, _cut(_line(data)))}"
    return ending(seen)


def _files(old: Observation, new: Observation) -> Words:
    """The first file that differs."""
    left = dict(old.files), dict(new.files)
    names = sorted({*left[0], *left[1]})
    name = next(name for name in names if left[0].get(name) != left[1].get(name))
    contents = [files.get(name) for files in left]
    shown = _contrasted(contents[0] or b"", contents[1] or b"")
    return _paired(
        f"{ending(seen)}, leaves {f'no {name}' if data is None else _named(name, words)}"
        for seen, data, words in zip((old, new), contents, shown, strict=True)
    )


def _memory(old: Observation, new: Observation) -> Words:
    """The first object of the caller whose content differs after the call."""
    left = dict(old.memory), dict(new.memory)
    names = sorted((*left[0], *left[1]), key=lambda name: not _is_freed(name, *left))
    for name in names:
        if left[0].get(name, ()) != left[1].get(name, ()):
            shown = (_left(name, memory) for memory in left)
            pairs = zip((old, new), shown, strict=True)
            return _paired(f"{_brief(seen)}; {words}" for seen, words in pairs)
    return _brief(old), _brief(new)


def _is_freed(name: str, *left: Mapping[str, Value]) -> bool:
    return any(memory.get(name) == _FREED for memory in left)


def _left(name: str, memory: Mapping[str, Value]) -> str:
    match memory.get(name, ()):
        case value if value == _FREED:
            return f"{name} freed"
        case ():
            return f"{name} as it was"
        case bytes(data):
            return f"{name}: {_without_tail(data)}"
        case value:
            return f"{name}: {c_value(value)}"


def _without_tail(data: bytes) -> str:
    """A text in C; of many equal bytes at its end the first few."""
    tail = len(data) - len(data.rstrip(data[-1:])) if data else 0
    if tail <= _LONGEST_TAIL:
        return c_value(data)
    begin = c_value(data[: len(data) - tail + _SHOWN_OF_TAIL])
    return f"{begin}... ({len(data):,} bytes)"


def _named(name: str, words: str) -> str:
    return f"{name}: {words}" if words else name


def _contrasted(old: bytes, new: bytes) -> Words:
    """The beginnings of two texts if they differ, or else what is around the first byte that
    differs."""
    lines = _line(old), _line(new)
    if _cut(lines[0]) != _cut(lines[1]):
        return _cut(lines[0]), _cut(lines[1])
    alike = zip(old, new, strict=False)
    same = next((place for place, (a, b) in enumerate(alike) if a != b), min(len(old), len(new)))
    start = max(0, same - _BEFORE)
    while start and _inside_character(old, start):
        start -= 1
    windows = [text_of(data[start : start + _WINDOW]) for data in (old, new)]
    for newline in (" | ", "\\n"):
        shown = [text.replace("\n", newline) for text in windows]
        if shown[0].strip(" |") != shown[1].strip(" |"):
            break
    ends = ["..." if len(data) > start + _WINDOW else "" for data in (old, new)]
    begin = "..." if start else ""
    return _paired(begin + text + end for text, end in zip(shown, ends, strict=True))


def _inside_character(data: bytes, place: int) -> bool:
    """Is it a byte inside a UTF-8 character, but not its first?"""
    return data[place : place + 1] != b"" and data[place] & 0xC0 == 0x80


def _line(data: bytes) -> str:
    return text_of(data).strip().replace("\n", " | ")


def _cut(line: str) -> str:
    return line if len(line) <= _MOST else f"{line[: _MOST - 3]}..."
