"""A comparison as text and as JSON.

difference  class       blamed     place      guided       isolated  undirected  native  only
d1          regression  1 + 2 + 3  new.c:31   0.1 s (3/3)  -         -           -       guided
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import PurePath
from statistics import median

from symexec.experiments.comparison import Comparison, Finding, Measures
from symexec.experiments.runs import Run
from symexec.testcases import rendered
from symexec.testcases.inputs import Json
from symexec.testcases.testcase import to_json

Row = tuple[str, ...]
WIDEST = 60


def table(comparison: Comparison) -> str:
    """The comparison as a table that fits on a screen."""
    if not comparison.runs:
        return f"{comparison.title}: nothing to compare, the versions are the same program."
    lines = [_headline(comparison), "", *aligned(_strategy_rows(comparison))]
    if comparison.findings:
        lines += ["", *aligned(_finding_rows(comparison)), "", *_witnesses(comparison)]
    lines += ["", *_remarks(comparison)]
    return "\n".join(lines).rstrip()


def _headline(comparison: Comparison) -> str:
    found = len(comparison.findings)
    seeds = ", ".join(map(str, comparison.seeds))
    return (
        f"{comparison.title}, from {comparison.entry}: {found} difference{_s(found)} found; "
        f"{comparison.budget_s:g} s a run, seed{_s(len(comparison.seeds))} {seeds}"
    )


# ------------------------------------------------------------------ strategies


def _strategy_rows(comparison: Comparison) -> list[Row]:
    heads = (
        "strategy",
        "tests",
        "differing",
        "on critical sequence",
        "of them differ",
        "of the others",
        "sequences",
        "first difference",
        "after states",
        "differences",
        "only here",
    )
    rows: list[Row] = [heads]
    for strategy in comparison.strategies:
        middle = comparison.median(strategy)
        found = [each for each in comparison.findings if each.times[strategy]]
        only = [each.id for each in comparison.findings if each.only == strategy]
        rows.append(
            (
                strategy,
                _number(middle.tests),
                _number(middle.differing),
                _share(middle.critical, middle.known),
                _share(middle.critical_differing, middle.critical),
                _share(middle.other_differing, middle.known - middle.critical),
                _number(middle.sequences),
                _seconds(middle.first_s),
                "-" if math.isinf(middle.first_effort) else _number(middle.first_effort),
                str(len(found)),
                " ".join(only) or "-",
            )
        )
    return rows


def _share(part: float, whole: float) -> str:
    if whole <= 0:
        return "-"
    return f"{_number(part)} of {_number(whole)} ({100 * part / whole:.0f} %)"


def _number(number: float) -> str:
    return f"{number:g}" if number < 1e5 else f"{number:.0f}"


def _seconds(seconds: float) -> str:
    return "-" if math.isinf(seconds) else f"{seconds:.2f} s"


# ------------------------------------------------------------------ differences


def _finding_rows(comparison: Comparison) -> list[Row]:
    strategies = comparison.strategies
    heads = (
        "difference",
        "class",
        "blamed",
        "place",
        "critical sequence",
        *strategies,
        "fewest states",
        "only",
    )
    rows: list[Row] = [heads]
    for each in comparison.findings:
        place = each.difference
        where = f"{PurePath(place.file).name}:{place.line}" if place.file else "-"
        rows.append(
            (
                each.id,
                place.kind,
                " + ".join(map(str, place.blamed)) or "-",
                where,
                _cut(" ".join(each.critical)) or "-",
                *(_times(comparison, each, strategy) for strategy in strategies),
                each.fewest or "-",
                each.only or "-",
            )
        )
    return rows


def _times(comparison: Comparison, finding: Finding, strategy: str) -> str:
    """Seconds and states, medians of the runs that found it, and how many runs did."""
    times = finding.times[strategy]
    if not times:
        return "-"
    runs = len(comparison.measures[strategy])
    efforts = finding.efforts[strategy]
    after = f", {median(efforts.values()):.0f}" if efforts else ""
    return f"{median(times.values()):.2f} s{after} ({len(times)}/{runs})"


def _witnesses(comparison: Comparison) -> list[str]:
    return [
        f"{each.id}: {_cut(rendered(each.witness.input, './program', comparison.entry))}"
        for each in comparison.findings
    ]


def _remarks(comparison: Comparison) -> list[str]:
    found = ["Behind the seconds: the states that the search had made by then."]
    if len(comparison.seeds) > 1:
        found.append("Numbers are medians over the seeds; (2/3): found with two seeds of three.")
    native = [run for run in comparison.runs if run.strategy == "native"]
    if any(run.tests > len(run.known) for run in native):
        found.append("Sequences of native tests are those of a random sample, run in the engine.")
    ended = sorted({run.strategy for run in comparison.runs if run.exhausted})
    if ended:
        found.append(f"Had nothing left to try before the time was over: {', '.join(ended)}.")
    if not comparison.finished:
        found.append("Interrupted: the runs that are missing were not made.")
    return found


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def aligned(rows: Sequence[Row]) -> list[str]:
    """The rows with columns two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


# ------------------------------------------------------------------ JSON


def json_text(comparison: Comparison) -> str:
    """The contents of compare.json, without a newline at the end."""
    return json.dumps(form(comparison), indent=1, ensure_ascii=True)


def form(comparison: Comparison) -> Json:
    """compare.json; times in seconds, null where nothing was found."""
    return {
        "pair": comparison.title,
        "entry": comparison.entry,
        "time_s": comparison.budget_s,
        "seeds": list(comparison.seeds),
        "finished": comparison.finished,
        "strategies": {
            strategy: {
                "median": _measures_form(comparison.median(strategy)),
                "runs": [
                    {
                        "seed": run.seed,
                        "seconds": round(run.seconds, 3),
                        "exhausted": run.exhausted,
                        "finished": run.finished,
                        **_measures_form(measures),
                    }
                    for run, measures in zip(
                        _runs_of(comparison, strategy),
                        comparison.measures[strategy],
                        strict=True,
                    )
                ],
                "only": [each.id for each in comparison.findings if each.only == strategy],
            }
            for strategy in comparison.strategies
        },
        "differences": [_finding_form(each) for each in comparison.findings],
    }


def _runs_of(comparison: Comparison, strategy: str) -> list[Run]:
    return [run for run in comparison.runs if run.strategy == strategy]


def _measures_form(measures: Measures) -> Json:
    return {
        "tests": measures.tests,
        "differing": measures.differing,
        "known_sequence": measures.known,
        "on_critical": measures.critical,
        "on_critical_differing": measures.critical_differing,
        "others_differing": measures.other_differing,
        "sequences": measures.sequences,
        "first_s": None if math.isinf(measures.first_s) else round(measures.first_s, 3),
        "first_effort": None if math.isinf(measures.first_effort) else measures.first_effort,
    }


def _finding_form(finding: Finding) -> Json:
    place = finding.difference
    return {
        "id": finding.id,
        "class": place.kind,
        "blamed": list(place.blamed),
        "file": place.file,
        "line": place.line,
        "critical_sequence": list(finding.critical),
        "only": finding.only,
        "fewest_states": finding.fewest,
        "efforts": {
            strategy: {str(seed): effort for seed, effort in sorted(efforts.items())}
            for strategy, efforts in finding.efforts.items()
        },
        "found_s": {
            strategy: {str(seed): round(second, 3) for seed, second in sorted(times.items())}
            for strategy, times in finding.times.items()
        },
        "witness": to_json(finding.witness),
    }
