"""What varies between runs of one version is masked, so that what does not can be compared.

    old: "pid 4711, sum 5"  "pid 4713, sum 5"        "pid [varies], sum 5"
    new: "pid 4712, sum 6"  "pid 4714, sum 6"        "pid [varies], sum 6"       they differ

Runs are aligned line by line, and word by word in lines that vary. A word that varies stands for
words of its kind: digits, decimal fractions, hexadecimal digits, or letters and digits. Runs of the
versions take turns, so that a clock that moves on between two of them shows in one version at
least; what varies in one version alone is the same in the other where its runs look like those of
the first, unless that shows three things or more while the other one always shows the same.

What takes a few values again and again, none of which the other version ever takes, differs:

    old: 1  5  1  1  5        new: 2  6  6  2  6             1, 2           they differ
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from difflib import SequenceMatcher

from csg.records import record
from symexec.testcases.testcase import Observation

VARIES = b"[varies]"
MOST_LINES = 2000  # of a text that is aligned
MOST_PLACES = 4  # places that are named
_TEXTS = ("stdout", "stderr")
_TABLES = ("memory", "files")
_SINGLE = tuple(
    each.name
    for each in fields(Observation)
    if each.compare and each.name not in (*_TEXTS, *_TABLES, "report")
)
_DECIMAL = rb"[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"  # 7.9e-05, then 0.000102
_WORDS = re.compile(
    rb"[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?(?![0-9A-Za-z_.])|[0-9A-Za-z_]+|[^0-9A-Za-z_]"
)
_KINDS = (rb"[0-9]+", _DECIMAL, rb"[0-9a-fA-FxX]+", rb"[0-9A-Za-z_]+", rb"[^\n]*")
_LINES = rb"(?s:.*)"
# A pointer as it is printed, or a number that may be one.
_ADDRESS = re.compile(rb"0x[0-9a-f]{5,}|(?<![0-9a-fA-F])[0-9a-f]{8,16}(?![0-9a-fA-F])|[0-9]{9,}")


@record
class Template:
    """What several runs of one version show. ``shown``: the text with a mark for what varies;
    ``pattern`` matches all texts of this form. ``places``: where it varies, with two examples."""

    shown: bytes
    pattern: bytes
    places: tuple[str, ...] = ()

    def fits(self, text: bytes) -> bool:
        return re.fullmatch(self.pattern, text) is not None


@record
class Apart:
    """A part that takes some values in the old version, and other ones in the new version."""

    part: str
    old: tuple[object, ...]
    new: tuple[object, ...]

    def applied(self, seen: Observation) -> Observation:
        """An observation with the first of the values of the same version."""
        value = _value(seen, self.part)
        for values in (self.old, self.new):
            if value in values:
                return _with_value(seen, self.part, values[0])
        return seen


@record
class Masks:
    """What varies of two versions on one input. ``old`` and ``new`` are what they show each time,
    ``places`` says what was masked. ``dropped`` parts are not compared at all; ``names`` are
    entries of tables. ``apart`` varies, and differs all the same."""

    old: Observation
    new: Observation
    places: tuple[str, ...]
    dropped: frozenset[str]
    names: frozenset[tuple[str, str]]
    texts: tuple[tuple[str, Template, Template], ...]
    apart: tuple[Apart, ...] = ()

    def applied(self, seen: Observation) -> Observation:
        """Another run, with masks where it looks like one of the runs of a version."""
        changed = _reduced(seen, self.dropped, self.names)
        for part, old, new in self.texts:
            text = _text(changed, part)
            if text is None:
                continue
            for template in (old, new):
                if template.fits(text):
                    changed = _with_text(changed, part, template.shown)
                    break
        for each in self.apart:
            changed = each.applied(changed)
        return changed


def shows_addresses(old: Observation, new: Observation) -> bool:
    """Do the texts of the versions differ at places where addresses may be?"""
    pairs = [(getattr(old, part), getattr(new, part)) for part in _TEXTS]
    written = dict(new.files)
    pairs += [(content, written.get(name, content)) for name, content in old.files]
    for one, other in pairs:
        if one != other and (_ADDRESS.search(one) or _ADDRESS.search(other)):
            return True
    return False


def masks(old: Sequence[Observation], new: Sequence[Observation]) -> Masks | None:
    """The masks for some runs of each version; None where they cannot be aligned, or end in several
    ways."""
    runs = (old, new)
    if any(seen.timed_out for each in runs for seen in each):
        return None
    dropped = frozenset(part for part in _SINGLE if any(_varies(each, part) for each in runs))
    if {"signal", "sanitizer", "untold"} & dropped:
        return None  # it fails in some runs only: nothing else can be said of them
    names = frozenset(name for each in runs for name in _entries_that_vary(each))
    apart = _parts_apart(runs, dropped, names)
    held = {each.part for each in apart}
    dropped -= held
    names -= {name for name in names if " ".join(name) in held}
    texts: list[tuple[str, Template, Template]] = []
    places = [f"{part}: {getattr(old[0], part)}" for part in sorted(dropped)]
    places += [f"{part} of {name}" for part, name in sorted(names)]
    shown = [_reduced(each[0], dropped, names) for each in runs]
    for part in _parts_that_vary(runs, names):
        if part in held:
            continue
        templates = [_template([_text(seen, part) or b"" for seen in each]) for each in runs]
        if templates[0] is None or templates[1] is None:
            return None
        first, second = templates[0], templates[1]
        if _alike(first, second, part, runs):
            second = replace(second, shown=first.shown)
        texts.append((part, first, second))
        places += [f"{_named(part)}, {place}" for place in first.places or second.places]
        shown = [
            _with_text(seen, part, each.shown)
            for seen, each in zip(shown, (first, second), strict=True)
        ]
    for one in apart:
        shown = [one.applied(each) for each in shown]
    named = tuple(places[:MOST_PLACES])
    return Masks(shown[0], shown[1], named, dropped, names, tuple(texts), tuple(apart))


def _parts_apart(
    runs: tuple[Sequence[Observation], ...],
    dropped: frozenset[str],
    names: frozenset[tuple[str, str]],
) -> list[Apart]:
    """The parts that vary and differ: each version shows each of its values more than once, and
    none of the other version's."""
    values = [f"memory {name}" for part, name in sorted(names) if part == "memory"]
    parts = [*sorted(dropped), *values]
    parts += _parts_that_vary(runs, names)
    found = []
    for part in parts:
        counts = [Counter(_value(seen, part) for seen in each) for each in runs]
        often = all(count > 1 for each in counts for count in each.values())
        if often and counts[0].keys().isdisjoint(counts[1].keys()):
            found.append(Apart(part, tuple(counts[0]), tuple(counts[1])))
    return found


def _value(seen: Observation, part: str) -> object:
    if part in _SINGLE:
        return getattr(seen, part)
    if part.startswith("memory "):
        return dict(seen.memory).get(part.removeprefix("memory "))
    return _text(seen, part)


def _with_value(seen: Observation, part: str, value: object) -> Observation:
    if part in _SINGLE:
        return replace(seen, **{part: value})  # type: ignore[arg-type]
    if part.startswith("memory "):
        wanted = part.removeprefix("memory ")
        memory = tuple((name, value if name == wanted else old) for name, old in seen.memory)
        return replace(seen, memory=memory)  # type: ignore[arg-type]
    assert isinstance(value, bytes)
    return _with_text(seen, part, value)


def _alike(
    one: Template, other: Template, part: str, runs: tuple[Sequence[Observation], ...]
) -> bool:
    if one.shown == other.shown:
        return True
    texts = [[_text(seen, part) or b"" for seen in each] for each in runs]
    few, many = sorted(len(set(each)) for each in texts)
    if few == 1 and many > 2:  # it is no clock, which would have moved on in the other version too
        return False
    return all(map(one.fits, texts[1])) or all(map(other.fits, texts[0]))


def _varies(runs: Sequence[Observation], part: str) -> bool:
    return any(getattr(seen, part) != getattr(runs[0], part) for seen in runs)


def _entries_that_vary(runs: Sequence[Observation]) -> Iterator[tuple[str, str]]:
    """The names of values in memory that vary, and of files that are not there each time."""
    for part in _TABLES:
        tables = [dict(getattr(seen, part)) for seen in runs]
        for name in sorted({name for table in tables for name in table}):
            values = [table.get(name) for table in tables]
            varies = any(each != values[0] for each in values)
            if varies and (None in values or part == "memory"):
                yield part, name


def _parts_that_vary(
    runs: tuple[Sequence[Observation], ...], names: frozenset[tuple[str, str]]
) -> list[str]:
    """The parts that vary: ``stdout``, ``stderr``, and ``files NAME``."""
    found = [part for part in _TEXTS if any(_varies(each, part) for each in runs)]
    retained = {
        name
        for each in runs
        for seen in each
        for name, _ in seen.files
        if ("files", name) not in names
    }
    for name in sorted(retained):
        part = f"files {name}"
        if any(_text(seen, part) != _text(each[0], part) for each in runs for seen in each):
            found.append(part)
    return found


def _named(part: str) -> str:
    return {"stdout": "standard output", "stderr": "standard error"}.get(part, part[6:])


def _text(seen: Observation, part: str) -> bytes | None:
    if part in _TEXTS:
        text = getattr(seen, part)
        assert isinstance(text, bytes)
        return text
    return dict(seen.files).get(part.removeprefix("files "))


def _with_text(seen: Observation, part: str, text: bytes) -> Observation:
    match part:
        case "stdout":
            return replace(seen, stdout=text)
        case "stderr":
            return replace(seen, stderr=text)
        case _:
            files = dict(seen.files)
            if (name := part.removeprefix("files ")) in files:
                files[name] = text
            return replace(seen, files=tuple(sorted(files.items())))


def _reduced(
    seen: Observation, dropped: frozenset[str], names: frozenset[tuple[str, str]]
) -> Observation:
    """The observation without what is not compared."""
    retained = {
        part: tuple(each for each in getattr(seen, part) if (part, each[0]) not in names)
        for part in _TABLES
    }
    nothing: dict[str, object] = dict.fromkeys(dropped)
    return replace(seen, **retained, **nothing)  # type: ignore[arg-type]


# ------------------------------------------------------------------ what was masked, later


def comparable(stored: Observation, seen: Observation) -> tuple[Observation, Observation]:
    """Both observations in comparable form: one that was masked and stored, and one of the same
    input now, masked or not. They are equal where they differ only in what varies, then or now.

    stored "pid [varies], sum 5"       seen "pid 4713, sum 5"      equal
    stored "pid [varies], sum 5"       seen "pid 4713, sum 6"      not so
    """
    common = {
        part: frozenset(name for name, _ in getattr(stored, part))
        & frozenset(name for name, _ in getattr(seen, part))
        for part in _TABLES
    }
    one, other = (
        replace(
            each,
            memory=tuple(entry for entry in each.memory if entry[0] in common["memory"]),
            files=tuple(entry for entry in each.files if entry[0] in common["files"]),
        )
        for each in (stored, seen)
    )
    if not stored.failed and not seen.failed:
        known = None not in (stored.exit, seen.exit), None not in (stored.returned, seen.returned)
        one, other = (
            replace(
                each,
                exit=each.exit if known[0] else None,
                returned=each.returned if known[1] else None,
            )
            for each in (one, other)
        )
    for part in (*_TEXTS, *(f"files {name}" for name in sorted(common["files"]))):
        texts = _text(one, part) or b"", _text(other, part) or b""
        if _alike_around_marks(*texts) or _alike_around_marks(*reversed(texts)):
            other = _with_text(other, part, texts[0])
    return one, other


def _alike_around_marks(masked: bytes, text: bytes) -> bool:
    """Does ``text`` have exactly what is around the marks, in this order, from its start to its
    end?"""
    first, *rest = masked.split(VARIES)
    if not rest:
        return text == masked
    last = rest.pop()
    at, end = len(first), len(text) - len(last)
    if at > end or not text.startswith(first) or not text.endswith(last):
        return False
    for piece in rest:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


# ------------------------------------------------------------------ one text


def _template(texts: Sequence[bytes]) -> Template | None:
    """What all runs of one version have in common; None where there are too many lines."""
    lines = [text.splitlines(keepends=True) for text in texts]
    if any(len(each) > MOST_LINES for each in lines):
        return None
    first = lines[0]
    variants: list[list[bytes]] = [[] for _ in first]
    loose = [False] * (len(first) + 1)  # lines, and ends of the text, whose number may vary
    for other in lines[1:]:
        for what, i, j, k, n in SequenceMatcher(None, first, other, False).get_opcodes():
            if what == "equal":
                continue
            if j - i == n - k:
                for place in range(j - i):
                    variants[i + place].append(other[k + place])
            else:
                for place in range(i, max(j, i + 1)):
                    loose[place] = True
    shown: list[bytes] = []
    patterns: list[bytes] = []
    places: list[str] = []
    for number, line in enumerate(first):
        if loose[number]:
            masked, pattern = VARIES + b"\n", _LINES
            if patterns and patterns[-1] == _LINES:
                continue
        else:
            masked, pattern = _line(line, variants[number])
        if masked != line:
            other_line = (variants[number] or [b""])[0]
            places.append(f"line {number + 1}: {_shown(line)}, {_shown(other_line)}")
        shown.append(masked)
        patterns.append(pattern)
    if loose[-1]:
        shown.append(VARIES)
        patterns.append(_LINES)
        places.append("its end")
    return Template(b"".join(shown), b"".join(patterns), tuple(places))


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace").rstrip("\n")
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _line(line: bytes, variants: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The line with marks, and the pattern that matches its variants."""
    words = _WORDS.findall(line)
    kinds = [-1] * len(words)  # -1: as it is; else of _KINDS
    behind = [False] * (len(words) + 1)  # is there more before this word in a variant?
    for variant in variants:
        others = _WORDS.findall(variant)
        for what, i, j, k, n in _aligned(words, others):
            if what == "equal":
                continue
            for place in range(i, j):
                same = j - i == n - k
                kind = _kind(words[place], others[k + place - i]) if same else len(_KINDS) - 1
                kinds[place] = max(kinds[place], kind)
            behind[i] = behind[i] or i == j
    shown, pattern = [], []
    for place in range(len(words) + 1):
        if behind[place]:
            shown.append(VARIES)
            pattern.append(_KINDS[-1])
        if place < len(words):
            kind = kinds[place]
            shown.append(words[place] if kind < 0 else VARIES)
            pattern.append(re.escape(words[place]) if kind < 0 else _KINDS[kind])
    text = b"".join(shown)
    while VARIES + VARIES in text:
        text = text.replace(VARIES + VARIES, VARIES)
    return text, b"".join(pattern)


def _aligned(
    words: Sequence[bytes], others: Sequence[bytes]
) -> list[tuple[str, int, int, int, int]]:
    if len(words) == len(others):  # compared as if only numbers varied
        pairs = enumerate(zip(words, others, strict=True))
        return [("equal" if a == b else "replace", i, i + 1, i, i + 1) for i, (a, b) in pairs]
    return list(SequenceMatcher(None, words, others, False).get_opcodes())


def _kind(one: bytes, other: bytes) -> int:
    return next(
        number
        for number, kind in enumerate(_KINDS)
        if (re.fullmatch(kind, one) and re.fullmatch(kind, other)) or number == len(_KINDS) - 1
    )
