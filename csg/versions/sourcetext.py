"""The source lines of a span as one line of text.

if (x > 0 &&
    y > 0) {          ->    if (x > 0 && y > 0) {
"""

from __future__ import annotations

from csg.versions.edits import Span

LONGEST = 400


def one_line(span: Span | None, sources: dict[str, list[str]]) -> str:
    if span is None:
        return ""
    lines = sources.get(span.start.file, [])
    last = span.end.line if span.end.file == span.start.file else span.start.line
    shown = lines[span.start.line - 1 : last]
    while shown and last < len(lines) and _goes_on(shown):
        shown.append(lines[last])
        last += 1
    return shortened(" ".join(" ".join(shown).split()))


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."


def _goes_on(lines: list[str]) -> bool:
    """A parenthesis is still open (texts in quotes hardly hold an odd one)."""
    text = " ".join(lines)
    return len(lines) < 12 and text.count("(") > text.count(")")
