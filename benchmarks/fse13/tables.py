"""Scores become docs/fse13.md: the paper's Tables 2 and 3, with the paper's figures beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.fse13.facts import PAIRS, Error, Figures, Pair
from benchmarks.interactions import command_line

Run = Mapping[str, Any]  # what a run left: pair, mode, seed, time, golden or score
MODES = {
    "build": "all that `csgtest build` does, native inputs while the search runs included",
    "guided": "the search alone (`--no-native`); *example*: along an ordinary command line",
    "published": "Algorithm 2 of the paper alone (`--mode published --no-native`)",
    "isolated": "changes in isolation, by the same engine (`--mode isolated --no-native`)",
    "undirected": "towards nothing (`--mode undirected --no-native`)",
}


def document(runs: Sequence[Run], machine: str) -> str:
    """``runs``: what is there, in any order. What is missing is shown as such."""
    scored = [run for run in runs if run.get("score")]
    modes = [mode for mode in MODES if any(run["mode"] == mode for run in scored)]
    parts = [_head(scored, modes, machine), _reached(scored, modes)]
    parts += [_errors(scored, mode) for mode in modes]
    parts.append(_sequences(scored, modes))
    golden = [run for run in runs if run.get("golden")]
    if golden:
        parts.append(_golden(golden))
    return "\n\n".join(parts) + "\n"


def _head(runs: Sequence[Run], modes: Sequence[str], machine: str) -> str:
    seconds = " or ".join(f"{each:g}" for each in sorted({run["time"] for run in runs}))
    listed = "\n".join(f"- *{mode}*: {MODES[mode]}" for mode in modes)
    return f"""# The paper's evaluation, anew

Written by `python -m benchmarks.fse13`: the six version pairs of `seq`, `cut` and `expr`, with
eleven known errors, of Böhme, Oliveira and Roychoudhury, *Regression Tests to Expose Change
Interaction Errors* (ESEC/FSE 2013, Tables 2 and 3). `csgtest build` gets the programs
of the time with the files of the library that they link and no word about their inputs, and
{seconds} seconds for each run (the paper: 300). {machine}

{listed}

An input exposes an error when both versions differ on it, and the version that repairs the error
does something else than the new one there, and than the commit before it does
(`benchmarks/fse13/scoring.py`). Only exit status and standard output count."""


def _reached(runs: Sequence[Run], modes: Sequence[str]) -> str:
    rows = []
    seeds = sorted({run["seed"] for run in runs})
    for mode in modes:
        for seed in seeds:
            chosen = [run for run in runs if (run["mode"], run["seed"]) == (mode, seed)]
            if not chosen:
                continue
            firsts = [first for run in chosen for first in _firsts(run)]
            scored = sum(len(PAIRS[run["pair"]].errors) for run in chosen)
            load = median(run["load"] for run in chosen)
            said = f"{median(firsts):.1f}" if firsts else "-"
            causes = [each.get("cause") for run in chosen for each in run["score"]["errors"]]
            exposed = f"{len(firsts)} of {scored} | {said} | {causes.count('known')}"
            rows.append(f"| {mode} | {seed} | {len(chosen)} of 6 | {exposed} | {load:.1f} |")
    return (
        "## How many of the eleven\n\n"
        "| mode | seed | pairs run | errors exposed | median of the first seconds "
        "| known causes blamed | load |\n|---|---:|---:|---:|---:|---:|---:|\n"
        + "\n".join(rows)
        + "\n\n"
        "In the paper: 11 with change sequences, 7 with changes in isolation."
    )


def _firsts(run: Run) -> list[float]:
    return [each["first_s"] for each in run["score"]["errors"] if each["exposing"]]


def _errors(runs: Sequence[Run], mode: str) -> str:
    """Table 3 of one mode."""
    rows = []
    for pair in PAIRS.values():
        chosen = [run for run in runs if (run["pair"], run["mode"]) == (pair.name, mode)]
        for at, error in enumerate(pair.errors):
            rows += [_error_row(pair, error, run, run["score"]["errors"][at]) for run in chosen]
    return (
        f"## Table 3: {mode}\n\n"
        "Tests / that differ / that expose the error. *CIE*: a change interaction error by\n"
        "Definition 3 over the tests of this run (in parentheses: in the paper); *-* where none\n"
        "exposes it. By the letter, statements that always run with the faulty one belong to the\n"
        "sequence, too, so a run with few tests says yes too often. *Blamed*: the statements that\n"
        "switched off take the difference away, of the first exposing test that was asked for\n"
        "them, or of the group in which the report shows it. *Cause*: *known* if\n"
        "`benchmarks/fse13/causes.json` names one of them, which says of each error what of the\n"
        "patch makes it; else *statement* within two lines of one that the repair touches,\n"
        "*function* in the same one.\n\n"
        "| pair | repaired in | seed | of s | tests | first s | by | CIE | critical sequence "
        "| blamed | cause | groups | first input | paper, CSG | paper, isolated |\n"
        "|---|---|---:|---:|---:|---:|---|---|---|---|---|---:|---|---:|---:|\n" + "\n".join(rows)
    )


def _error_row(pair: Pair, error: Error, run: Run, seen: Mapping[str, Any]) -> str:
    score = run["score"]
    figures = Figures(score["tests"], score["differing"], seen["exposing"])
    claimed = "yes" if error.interaction else "no"
    found = ("yes" if seen["critical"] else "no") if seen["exposing"] else "-"
    first = f"{seen['first_s']:.1f}" if seen["exposing"] else "-"
    witness = _code(f"{pair.tool} {command_line(seen['input'])}") if seen["exposing"] else "-"
    cells = (
        pair.versions.replace("->", " → "),
        error.fix.version,
        run["seed"],
        f"{run['time']:g}",
        figures,
        first,
        seen["source"] or "-",
        f"{found} ({claimed})",
        _shortened(seen["critical"]),
        _shortened(seen["blamed"]),
        seen.get("cause") or "-",
        score["groups"],
        witness,
        error.guided,
        error.isolated,
    )
    return f"| {' | '.join(map(str, cells))} |"


def _shortened(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) + more) or "-"


def _code(text: str, most: int = 60) -> str:
    shown = text if len(text) <= most else text[:most] + ".."
    return "`" + shown.replace("|", "\\|").replace("`", "'") + "`"


def _sequences(runs: Sequence[Run], modes: Sequence[str]) -> str:
    """Table 2, each pair's runs together."""
    rows = []
    for pair in PAIRS.values():
        for kind in ("other", "critical"):
            cells = [
                _share([run for run in runs if run["pair"] == pair.name], mode, kind)
                for mode in modes
            ]
            paper = pair.other if kind == "other" else pair.critical
            name = "non-critical" if kind == "other" else kind
            versions = pair.versions.replace("->", " → ")
            rows.append(
                f"| {versions} | {name} | {' | '.join(cells)} "
                f"| {paper.tests:g} % / {paper.exposing:g} % |"
            )
    return (
        "## Table 2: critical sequences\n\n"
        "Tests that exercise the critical sequence of an error, and tests that exercise none, in\n"
        "per cent of those whose sequence is known; behind the stroke, how many of these expose\n"
        "an error.\n\n"
        f"| pair | sequence | {' | '.join(modes)} | paper |\n"
        f"|---|---|{'---:|' * (len(modes) + 1)}\n" + "\n".join(rows)
    )


def _share(runs: Sequence[Run], mode: str, kind: str) -> str:
    counted = [run["score"]["sequences"] for run in runs if run["mode"] == mode]
    known = sum(each.get("critical", 0) + each.get("other", 0) for each in counted)
    tests = sum(each.get(kind, 0) for each in counted)
    exposing = sum(each.get(f"{kind}_exposing", 0) for each in counted)
    if not known:
        return "-"
    worth = f"{100 * exposing / tests:.1f} %" if tests else "-"
    return f"{100 * tests / known:.1f} % / {worth}"


def _golden(runs: Sequence[Run]) -> str:
    rows = [
        f"| {run['error']} | {run['golden']['judged']} | {len(run['golden']['disagreeing'])} "
        f"| {'; '.join(_code(each) for each in run['golden']['disagreeing'][:3]) or '-'} |"
        for run in sorted(runs, key=lambda run: str(run["error"]))
    ]
    return (
        "## With the repaired version as `--golden`\n\n"
        "Differing tests that csgtest calls a regression, an incomplete fix or a progression, and\n"
        "those of them for which the outcomes of the three programs say something else.\n\n"
        "| error | tests | disagreeing | which |\n|---|---:|---:|---|\n" + "\n".join(rows)
    )
