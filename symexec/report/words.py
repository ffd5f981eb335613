"""Findings in words, shared by the page, the table and the readable test files."""

from __future__ import annotations

from collections.abc import Iterable

from symexec.report.model import VERDICTS, Report
from symexec.testcases import Observation, TestCase, spelled

SHOWN = 2000  # characters of a stream


def ending(seen: Observation) -> str:
    """How a run ended, in a few words."""
    if seen.timed_out:
        return "does not end"
    if seen.sanitizer is not None:
        return seen.sanitizer
    if seen.signal is not None:
        return seen.signal
    if seen.returned is not None:
        return f"returns {seen.returned}" if seen.returned != "void" else "returns"
    return f"exit {seen.exit}"


def brief(seen: Observation | None) -> str:
    """An ending and the beginning of what was printed, on one line."""
    if seen is None:
        return "not replayed"
    first = text_of(seen.stdout).strip().replace("\n", " | ")
    if len(first) > 40:
        first = first[:37] + "..."
    return f"{ending(seen)}, prints {first}" if first else ending(seen)


def text_of(data: bytes) -> str:
    """Bytes for reading: UTF-8 where they are, escapes elsewhere; long ones are cut."""
    text = data.decode("utf-8", "backslashreplace")
    text = "".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}\n... ({len(data)} bytes in all)"


def parts(seen: Observation) -> list[tuple[str, str]]:
    """Every part that has something to show: its name and text."""
    found = [("ends", ending(seen))]
    if seen.exit is not None:
        found.append(("exit", str(seen.exit)))
    for name, data in (("stdout", seen.stdout), ("stderr", seen.stderr)):
        if data:
            found.append((name, text_of(data)))
    found += [(f"{name} after", _value(value)) for name, value in seen.memory]
    found += [(f"file {name}", text_of(data)) for name, data in seen.files]
    if seen.report:
        found.append(("report", seen.report.strip()))
    return found


def _value(value: object) -> str:
    return text_of(value) if isinstance(value, bytes) else str(value)


def changes_named(changes: Iterable[int], interaction: bool = False) -> str:
    """``2`` or ``1 + 3`` (together)."""
    return " + ".join(map(str, changes)) + (" together" if interaction else "")


def headline(report: Report) -> str:
    """One sentence that says which nothing it is when nothing was found."""
    groups = report.groups
    if report.verdict == "different" and groups:
        tests = len(report.differing)
        return (
            f"{VERDICTS['different']} {len(groups)} difference{_s(len(groups))} "
            f"shown by {tests} test{_s(tests)}."
        )
    return VERDICTS.get(report.verdict, report.verdict)


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def reservations(report: Report) -> list[str]:
    """What the verdict does not cover, from the counters; empty when nothing was left out."""
    words = {
        "unknown": "solver gave no answer",
        "concretised": "values fixed to one",
        "cuts": "paths cut by a bound",
    }
    found = [
        f"{words[name]}: {report.counters[name]}" for name in words if report.counters.get(name)
    ]
    gaps = report.counters.get("gaps")
    if gaps:
        found.append("not modelled: " + ", ".join(map(str, gaps[:5])))
    return found


def readable_test(case: TestCase, report: Report) -> str:
    """tests/t0001.txt"""
    texts = {change.id: change for change in report.changes}
    lines = [
        f"{case.id}  {case.kind}",
        "",
        spelled(case.input, f"./{report.name}", report.entry),
        "",
    ]
    for name, seen in (("old", case.old), ("new", case.new), ("golden", case.golden)):
        if seen is not None:
            lines.append(f"{name}:")
            lines += [f"  {part}: {_indented(text)}" for part, text in parts(seen)]
    if case.divergence is not None:
        place = case.divergence
        lines += ["", f"diverges at {place.file}:{place.line} ({place.kind} {place.directions})"]
    if case.blame is not None and case.blame.blamed:
        named = changes_named(case.blame.blamed, case.blame.interaction)
        lines += ["", f"changes to blame: {named}"]
        for change in case.blame.blamed:
            if change in texts:
                lines += _diff_lines(texts[change].old_text, texts[change].new_text)
    return "\n".join(lines) + "\n"


def _indented(text: str) -> str:
    return (
        text if "\n" not in text else "\n" + "\n".join("    " + line for line in text.split("\n"))
    )


def _diff_lines(old: str, new: str) -> list[str]:
    removed = [f"  - {line}" for line in old.splitlines()]
    return removed + [f"  + {line}" for line in new.splitlines()]
