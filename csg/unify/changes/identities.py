"""What stays of a changed statement when the text around it moves.

    int f(int n)            /* f, of 1.2 */
    {                       int f(int n) {
        n++;                    n++; // both
        g(n);        and        g( n
        n++;                         );
    }                           n++; }         the last statement: "n++", the 2nd of its kind in f

Source text is cut into statements by its tokens alone, so neither lines, blanks, comments nor
braces around a single statement count, and what a macro stands for does not either.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from csg.errors import Location
from csg.language.syntax import TranslationUnit
from csg.unify.unified import ChangeRecord, Unified

LONGEST = 400  # characters of a statement; a longer one is cut and gets a checksum
_TOKEN = re.compile(
    r"""(?P<blank>/\*.*?(?:\*/|\Z) | //(?:\\\n|[^\n])* | ^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*
    | \s+ | \\\n)
    | (?:u8|[LuU])?"(?:[^"\\\n]|\\.)*" | [LuU]?'(?:[^'\\\n]|\\.)*'
    | \.?\d(?:[eEpP][+-]|[\w.])* | [A-Za-z_$][\w$]*
    | -> | \+\+ | -- | <<= | >>= | << | >> | [-+*/%&|^!=<>]= | && | \|\| | \.\.\. | .""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_WORD = re.compile(r"[\w$\"'.]")
_HEADS = frozenset(("if", "while", "for", "switch"))
_OPEN = re.compile(r":$|^(?:if|while|for|switch)\b")  # a label or a head: no semicolon behind it
_FURTHER = 12  # lines that the last statement of a change may go on
_BEFORE = frozenset(("else", "do"))  # keywords that begin a statement and are none by themselves
_KEYWORDS = _HEADS | {"return", "case", "sizeof"}
_PREFIXES = frozenset(("-", "+", "*", "&", "!", "~", "++", "--"))
_CLOSES = {")": "(", "]": "[", "}": "{"}
_PLACE = re.compile(r" \([^()]*:\d+(?::\d+)?\)")  # of a definition, in ``ChangeRecord.cause``


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """How a changed statement is recognised in another text: the ``nth`` of the equal statements of
    ``function`` in its version (the new one, or the old one if it was deleted), and which ``part``
    of the changes inside it. ``cause`` is the definition that changed where the statement reads as
    before."""

    function: str
    old: str  # "" where it was added
    new: str  # "" where it was deleted
    nth: int = 1
    part: int = 1
    cause: str = ""


Position = tuple[int, int]  # line and column


@dataclass(slots=True)
class _Text:
    """The statements of one file in order: where they start, and their normalised texts."""

    starts: list[Position] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def within(self, first: Location, last: Location) -> range:
        """The numbers of the statements from the one around ``first`` to the one around
        ``last``."""
        begin = self._statement_around(first)
        return (
            range(begin, max(begin, self._statement_around(last)) + 1) if self.starts else range(0)
        )

    def _statement_around(self, place: Location) -> int:
        if not place.column:  # the first statement that begins on the line, if any
            found = bisect_left(self.starts, (place.line, 0))
            if found < len(self.starts) and self.starts[found][0] == place.line:
                return found
        return max(0, bisect_right(self.starts, (place.line, place.column)) - 1)


def identities(unified: Unified) -> dict[int, Identity]:
    """The identity of each change, by its number; no two are equal."""
    old, new = _Version(unified.old), _Version(unified.new)
    seen: Counter[Identity] = Counter()
    found: dict[int, Identity] = {}
    for change in unified.changes:
        identity = _identity(change, old, new)
        seen[identity] += 1
        found[change.id] = replace(identity, part=seen[identity])
    return found


def _identity(change: ChangeRecord, old: _Version, new: _Version) -> Identity:
    before, after, nth = "", "", 1
    if change.old_text.strip():
        place = change.old_location or change.location
        before, nth = old.said(place, change.old_end, change.old_text)
    if change.new_text.strip():
        place = change.new_location or change.location
        after, nth = new.said(place, change.new_end, change.new_text)
    cause = normalised(_PLACE.sub("", change.cause)) if change.cause else ""
    return Identity(change.function, before, after, nth, cause=cause)


class _Version:
    def __init__(self, unit: TranslationUnit) -> None:
        self._sources = unit.sources
        self._functions: dict[str, list[tuple[Position, Position]]] = {}
        for each in unit.functions:
            extent = _position(each.location), _position(each.end)
            self._functions.setdefault(each.location.file, []).append(extent)
        self._texts: dict[str, _Text] = {}

    def said(self, first: Location, last: Location | None, otherwise: str) -> tuple[str, int]:
        """The text of the statements at a place, and the position of the first one among equal
        statements of its function, from 1; ``otherwise`` and 1 where the source is not
        available."""
        if first.file not in self._sources:
            return normalised(otherwise), 1
        text = self._text(first.file)
        if last is None or last.file != first.file:
            last = first
        there = text.within(first, last)
        if not there:
            return normalised(otherwise), 1
        whole = _shortened("; ".join(text.texts[at] for at in there))
        lowest = self._begin(first)
        same = (text.texts[at] == text.texts[there[0]] for at in range(lowest, there[0] + 1))
        return whole, max(1, sum(same))

    def _begin(self, place: Location) -> int:
        """The number of the first statement of the function around a place; 0 outside functions."""
        at = _position(place)
        around = (start for start, end in self._functions.get(place.file, []) if start <= at <= end)
        start = max(around, default=(0, 0))
        return bisect_left(self._text(place.file).starts, start)

    def _text(self, file: str) -> _Text:
        if file not in self._texts:
            found = self._texts[file] = _Text()
            for start, text in statements("\n".join(self._sources[file])):
                found.starts.append(start)
                found.texts.append(text)
        return self._texts[file]


def _position(place: Location) -> Position:
    return place.line, place.column


def normalised(text: str) -> str:
    """The text without comments, with one way of spacing between its tokens."""
    return _shortened(_joined([token for _, token in _tokens(text)]))


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{text[: LONGEST // 2]} ... {digest}"


def as_written(printed: str, first: Location, last: Location, lines: Sequence[str]) -> str:
    """A change from ``first`` to ``last`` in the words of the source ``lines``: ``printed`` where
    its tokens stand there one behind the other; else, as a macro stands for some of them, the
    statements around these places."""
    source = "\n".join(lines[first.line - 1 : last.line + _FURTHER])
    words = [token for _, token in _tokens(source)]
    wanted = [token for _, token in _tokens(printed)]
    found = range(len(words) - len(wanted) + 1)
    if any(words[at : at + len(wanted)] == wanted for at in found):
        return printed
    text = _Text()
    for (line, column), statement in statements(source):
        text.starts.append((line + first.line - 1, column))
        text.texts.append(statement)
    shown = [text.texts[at] for at in text.within(first, last)]
    return " ".join(each if _OPEN.search(each) else f"{each};" for each in shown) or printed


def statements(text: str) -> Iterator[tuple[Position, str]]:
    """Where each statement starts, and its text, in order. Heads of loops and conditions count as
    statements, as do labels and what precedes the braces of a definition. Text that is not C is cut
    somewhere."""
    unit: list[str] = []
    start: Position = (0, 0)
    opened: list[str] = []
    for place, token in _tokens(text):
        ends = keeps = False
        if not unit and not opened and (token in _BEFORE or token in ";{}"):
            continue
        if token in "([" or (token == "{" and (opened or _initialises(unit))):
            opened.append(token)
            keeps = True
        elif token in _CLOSES and opened:
            while opened and opened.pop() != _CLOSES[token]:
                pass
            keeps = True
            ends = token == ")" and not opened and unit[0] in _HEADS
        elif not opened:
            labels = (
                token == ":" and bool(unit) and (unit[0] in ("case", "default") or len(unit) == 1)
            )
            ends = labels or token in ";{}"
            keeps = labels or not ends
        else:
            keeps = True
        if keeps:
            start = start if unit else place
            unit.append(token)
        if ends and unit:
            yield start, _joined(unit)
            unit = []
    if unit:
        yield start, _joined(unit)


def _initialises(unit: Sequence[str]) -> bool:
    """Does a brace after these tokens begin a list of values?"""
    if not unit:
        return False
    return unit[-1] == "=" or (unit[-1] == ")" and ("=" in unit or "return" in unit))


def _tokens(text: str) -> Iterator[tuple[Position, str]]:
    """The tokens with their positions, without blanks, comments and directives."""
    line, begin = 1, 0  # where the line begins
    for found in _TOKEN.finditer(text):
        token = found[0]
        if found.lastgroup != "blank":
            yield (line, found.start() - begin + 1), token
        if "\n" in token:
            line += token.count("\n")
            begin = found.start() + token.rindex("\n") + 1


def _joined(tokens: Sequence[str]) -> str:
    """The tokens as one text, nearly as one would write it, and equal for equal tokens."""
    parts: list[str] = []
    tight = True  # nothing stands behind what is there so far
    operand = False  # it ends with one
    for token in tokens:
        sign = token in ("++", "--")
        if not (
            tight
            or token in (",", ";", ")", "]", ".", "->", ":")
            or (operand and (sign or token in ("(", "[")))
        ):
            parts.append(" ")
        parts.append(token)
        tight = token in ("(", "[", ".", "->") or (not operand and token in _PREFIXES)
        word = _WORD.match(token) is not None and token not in _KEYWORDS
        operand = word or token in (")", "]") or (sign and operand)
    return "".join(parts)
