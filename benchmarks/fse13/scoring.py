"""What a report of csgtest on one pair is worth: errors exposed, how soon, on which sequences.

    python -m benchmarks.fse13.scoring DIR/cut.v1v2 OUTFOLDER      a score as JSON

An input exposes an error of kind *output* when old and new differ, new and repaired differ, and so
do the repair and the commit before it: that keeps out what others changed since. Of kind *memory*:
of the three only new crashes, or has the known function blamed by AddressSanitizer. Exit status and
standard output count, standard error (reworded often) does not. Everything is run again.

The *critical sequence* of an error is what Definition 3 says, over the tests of the report, with
the repaired version as the oracle: at least two changed statements that every exposing test
exercises, in this order; so a test that skips one of them exposes nothing. A statement that no test
skips is left out: nothing was seen to depend on it. A test whose sequence is not known counts
nowhere.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from functools import cache, reduce
from pathlib import Path
from typing import Any

from benchmarks.fse13.facts import PAIRS, Error, Pair
from benchmarks.fse13.outcomes import faulty, limit, outcome
from symexec.experiments.comparison import exercises, longest_common

CRASHES = {-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGFPE, -signal.SIGILL}
NO_DIFFERENCE = ("same", "not-replayed")
CHANGED = ("change", "deletion")
NEAR = 2  # lines
_HEAD = re.compile(r"(?:\w[\w\s*]*?[\s*])?(\w+) ?\(")  # of a function: it begins a line
_MACRO = re.compile(r"\s*#\s*define\s+(\w+)")
AGAINST_GOLDEN = ("regression", "incomplete-fix", "progression")
Test = Mapping[str, Any]
Nodes = tuple[str, ...]


def score(folder: Path, pair: Pair, report: Mapping[str, Any]) -> dict[str, Any]:
    """``folder``: of the pair, with its builds."""
    tests = report["tests"]
    differing = sorted(
        (test for test in tests if test["observed"] not in NO_DIFFERENCE),
        key=lambda test: (test.get("found_s", 0), test["id"]),
    )
    changes = [each["id"] for each in report["csg"]["nodes"] if each["kind"] in CHANGED]
    visited = {test["id"]: statements(test, frozenset(changes)) for test in tests}
    exposing = {error.id: exposing_tests(folder, pair, error, differing) for error in pair.errors}
    critical = {name: critical_sequence(visited, found) for name, found in exposing.items()}
    return {
        "finished": report.get("finished"),
        "tests": len(tests),
        "differing": len(differing),
        "groups": len(report.get("groups", [])),
        "prepared_s": report["counters"].get("prepared_s"),
        "errors": [
            scored(folder, error, differing, exposing[error.id], critical[error.id], report)
            for error in pair.errors
        ],
        "sequences": shares(visited, list(critical.values()), set().union(*exposing.values())),
    }


def scored(
    folder: Path,
    error: Error,
    differing: Sequence[Test],
    exposing: Mapping[str, str],
    critical: Nodes,
    report: Mapping[str, Any],
) -> dict[str, Any]:
    found = [test for test in differing if test["id"] in exposing]
    first = found[0] if found else {}
    texts = {change["id"]: change for change in report["changes"]}
    blamed = [texts[each] for each in blame(found, report) if each in texts]
    return {
        "id": error.id,
        "exposing": len(found),
        "how": dict(sorted(Counter(exposing.values()).items())),
        "first_s": first.get("found_s"),
        "source": first.get("source"),
        "input": first.get("input"),
        "blamed": [f"{Path(each['file']).name}:{each['line']}" for each in blamed],
        "cause": cause(folder, error, blamed),
        "critical": list(critical),
    }


def blame(exposing: Sequence[Test], report: Mapping[str, Any]) -> Sequence[int]:
    """Of the first of these tests that was asked for its causes; else of the group in which the
    report shows the first of them."""
    for test in exposing:
        if test.get("blamed"):
            return list(test["blamed"])
    first = exposing[0]["id"] if exposing else None
    groups = (each for each in report.get("groups", ()) if first in each["tests"])
    return next((list(each["blamed"]) for each in groups), [])


def cause(folder: Path, error: Error, blamed: Sequence[Mapping[str, Any]]) -> str:
    """Is what is blamed what made the error? "known": it is one of the statements that causes.json
    names. Else how near it is to the repair. "statement": a blamed line is one that the repair
    takes away or changes, or stands within ``NEAR`` lines of that, or of a use of a macro that it
    changes; "function": it is in a function that the repair changes; "elsewhere"; "" where nothing
    is blamed."""
    best = "elsewhere" if blamed else ""
    texts = ["".join(f"{each.get('old')} {each.get('new')}".split()) for each in blamed]
    if any("".join(piece.split()) in text for piece in error.made_by for text in texts):
        return "known"
    for change in blamed:
        name = Path(change["file"]).name
        lines, functions = repaired(folder, error.id, name)
        own = (folder / "new" / name).read_text(errors="replace").splitlines()
        line = own[change["line"] - 1].strip() if change["line"] <= len(own) else ""
        if line in lines and len(line) > len("else"):
            return "statement"
        if change["function"] in functions:
            best = "function"
    return best


@cache
def repaired(folder: Path, error: str, name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Of a file: the lines that the repair touches, as they stood before, and its functions."""
    before, fixed = (
        (folder / f"{each}-{error}" / name).read_text(errors="replace").splitlines()
        for each in ("before", "fixed")
    )
    lines: set[str] = set()
    functions: set[str] = set()
    edits = SequenceMatcher(None, before, fixed, autojunk=False).get_opcodes()
    ranges = [(start, end) for what, start, end, _, _ in edits if what != "equal"]
    for start, end in [*ranges, *(use for edit in ranges for use in _uses(before, *edit))]:
        lines |= {each.strip() for each in before[max(0, start - NEAR) : end + NEAR]}
        heads = (_HEAD.match(each) for each in reversed(before[: max(end, start + 1)]))
        functions |= {head[1] for head in [next(filter(None, heads), None)] if head}
    return frozenset(lines), frozenset(functions)


def _uses(lines: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """Where a macro is used, as ranges of lines, if the edited range is in its definition."""
    while start > 0 and lines[start - 1].endswith("\\"):
        start -= 1
    named = _MACRO.match(lines[start]) if start < len(lines) else None
    if named is None:
        return []
    use = re.compile(rf"\b{named[1]}\b")
    found = (at for at, line in enumerate(lines) if use.search(line) and not start <= at < end)
    return [(at, at + 1) for at in found if not _MACRO.match(lines[at])]


# ------------------------------------------------------------------ exposing tests


def exposing_tests(folder: Path, pair: Pair, error: Error, tests: Sequence[Test]) -> dict[str, str]:
    """The names of the tests that expose it, and how each does."""
    with ThreadPoolExecutor(2) as pool:
        inputs = [json.dumps(test["input"]) for test in tests]
        kinds = pool.map(lambda text: exposure(folder, pair.tool, error, text), inputs)
        return {test["id"]: kind for test, kind in zip(tests, kinds, strict=True) if kind}


@cache
def _seen(folder: Path, tool: str, text: str) -> tuple[int, str]:
    return outcome(folder, tool, json.loads(text))


def exposure(folder: Path, tool: str, error: Error, text: str) -> str:
    """regression (old and repaired version agree), difference, crash, memory, or nothing."""
    kind = judged(folder, tool, error, text)
    if error.kind == "memory" or not kind:
        return kind
    before, fixed = (folder / f"{each}-{error.id}" for each in ("before", "fixed"))
    if _seen(before, tool, text) == _seen(fixed, tool, text):  # not the repair: another change
        return ""
    return kind


def judged(folder: Path, tool: str, error: Error, text: str) -> str:
    """Definitions 1 and 2 alone: is it an error, with the repaired version as the oracle?"""
    old, new, fixed = (folder / name for name in ("old", "new", f"fixed-{error.id}"))
    if error.kind == "memory":
        crashed = [_seen(each, tool, text)[0] in CRASHES for each in (old, new, fixed)]
        if crashed == [False, True, False]:
            return "crash"
        given = json.loads(text)
        if not faulty(new, tool, given, error.function):
            return ""
        return (
            ""
            if any(faulty(each, tool, given, error.function) for each in (old, fixed))
            else "memory"
        )
    wrong = _seen(new, tool, text)
    if wrong in (_seen(old, tool, text), _seen(fixed, tool, text)):
        return ""
    return "regression" if _seen(old, tool, text) == _seen(fixed, tool, text) else "difference"


def disagreements(
    folder: Path, pair: Pair, error: Error, report: Mapping[str, Any]
) -> tuple[int, list[str]]:
    """Of a run with the repaired version as ``--golden``: how many tests have a class that says
    whether they are errors, and those for which our classes and the outcomes do not agree."""
    judged_tests, wrong = 0, []
    for test in report["tests"]:
        if test["observed"] in NO_DIFFERENCE or test["class"] not in AGAINST_GOLDEN:
            continue
        judged_tests += 1
        text = json.dumps(test["input"])
        old, new, fixed = (
            _seen(folder / name, pair.tool, text) for name in ("old", "new", f"fixed-{error.id}")
        )
        expected = "progression" if new == fixed else "incomplete-fix"
        if new != fixed and old == fixed:
            expected = "regression"
        if old == new and error.kind == "memory":  # seen by the sanitizer alone
            expected = "regression" if judged(folder, pair.tool, error, text) else "progression"
        if test["class"] != expected:
            wrong.append(f"{test['id']} {test['input']['args']}: {test['class']}, not {expected}")
    return judged_tests, wrong


# ------------------------------------------------------------------ sequences


def statements(test: Test, changes: frozenset[str]) -> Nodes:
    """The changed statements that a test exercises, in the order of their first times."""
    return tuple(dict.fromkeys(name for name in test.get("sequence", ()) if name in changes))


def critical_sequence(visited: Mapping[str, Nodes], exposing: Mapping[str, str]) -> Nodes:
    """Definition 3 over these tests; () when there is none."""
    shown = sorted({visited[name] for name in exposing if visited[name]}, key=lambda s: (len(s), s))
    common = reduce(longest_common, shown) if shown else ()
    known = [frozenset(nodes) for nodes in visited.values() if nodes]
    found = tuple(name for name in common if any(name not in nodes for nodes in known))
    return found if len(found) > 1 else ()


def shares(
    visited: Mapping[str, Nodes], critical: Sequence[Nodes], exposing: set[str]
) -> dict[str, int]:
    """Tests on a critical sequence and on none, and how many of each expose an error."""
    kinds: Counter[str] = Counter()
    for name, nodes in visited.items():
        if not nodes:
            kinds["unknown"] += 1
            continue
        on_one = any(each and exercises(nodes, each) for each in critical)
        kind = "critical" if on_one else "other"
        kinds[kind] += 1
        kinds[f"{kind}_exposing"] += name in exposing
    return dict(kinds)


def main() -> int:
    parser = argparse.ArgumentParser(description="the score of one report, as JSON")
    parser.add_argument("pair", type=Path, metavar="DIR/PAIR")
    parser.add_argument("report", type=Path, metavar="OUTFOLDER")
    parser.add_argument("--golden", metavar="ERROR", help="the run had the repair of this error")
    options = parser.parse_args()
    folder, pair = options.pair.resolve(), PAIRS[options.pair.resolve().name]
    report = json.loads((options.report / "report.json").read_text())
    limit()
    found: dict[str, Any]
    if options.golden:
        error = next(each for each in pair.errors if each.id == options.golden)
        count, wrong = disagreements(folder, pair, error, report)
        found = {"judged": count, "disagreeing": wrong}
    else:
        found = score(folder, pair, report)
    json.dump(found, sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
