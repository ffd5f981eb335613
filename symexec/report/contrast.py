"""What two runs show, each on one line, so that a reader sees where they differ.

a long page, <b>x</b> in its midst     exit 0, prints ...<p>here <b>x</b> and there...
the same page, <i>x</i> there          exit 0, prints ...<p>here <i>x</i> and there...
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symexec.report.words import ending, text_of
from symexec.testcases import Observation, Value, c_value

_MOST = 40  # characters of a stream
_BEFORE = 12  # bytes that both have, shown in front of the first that differs
_WINDOW = 34
_FREED = b"[freed]"  # as replay notes it
Words = tuple[str, str]


def contrasted(old: Observation | None, new: Observation | None) -> Words:
    """An ending and a part that differs, for either; where only the endings do, the beginning of
    what was printed, or else the first file that the run left behind."""
    if old is None or new is None:
        return _brief(old), _brief(new)
    both = (old, new)
    if old.stdout != new.stdout:
        shown = _parted(old.stdout, new.stdout)
        return _paired(
            f"{ending(seen)}, prints {words}" if seen.stdout else _brief(seen)
            for seen, words in zip(both, shown, strict=True)
        )
    if ending(old) != ending(new):
        return _brief(old), _brief(new)
    if old.files != new.files:
        return _files(old, new)
    if old.memory != new.memory:
        return _memory(old, new)
    if old.stderr != new.stderr:
        shown = _parted(old.stderr, new.stderr)
        return _paired(
            f"{ending(seen)}, {f'says {words}' if seen.stderr else 'says nothing'}"
            for seen, words in zip(both, shown, strict=True)
        )
    return _brief(old), _brief(new)


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
    shown = _parted(contents[0] or b"", contents[1] or b"")
    return _paired(
        f"{ending(seen)}, leaves {f'no {name}' if data is None else _named(name, words)}"
        for seen, data, words in zip((old, new), contents, shown, strict=True)
    )


def _memory(old: Observation, new: Observation) -> Words:
    """The first of the caller's objects in which something else is left."""
    left = dict(old.memory), dict(new.memory)
    names = sorted((*left[0], *left[1]), key=lambda name: not _is_freed(name, *left))
    for name in names:
        if left[0].get(name, ()) != left[1].get(name, ()):
            shown = (_left(name, memory) for memory in left)
            told = zip((old, new), shown, strict=True)
            return _paired(f"{_brief(seen)}; {words}" for seen, words in told)
    return _brief(old), _brief(new)


def _is_freed(name: str, *left: Mapping[str, Value]) -> bool:
    return any(memory.get(name) == _FREED for memory in left)


def _left(name: str, memory: Mapping[str, Value]) -> str:
    match memory.get(name, ()):
        case value if value == _FREED:
            return f"{name} freed"
        case ():
            return f"{name} as it was"
        case value:
            return f"{name}: {c_value(value)}"


def _named(name: str, words: str) -> str:
    return f"{name}: {words}" if words else name


def _parted(old: bytes, new: bytes) -> Words:
    """The beginnings if they tell the two apart, or else what stands around the first byte that
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
    """Not the first byte of one, in UTF-8."""
    return data[place : place + 1] != b"" and data[place] & 0xC0 == 0x80


def _line(data: bytes) -> str:
    return text_of(data).strip().replace("\n", " | ")


def _cut(line: str) -> str:
    return line if len(line) <= _MOST else f"{line[: _MOST - 3]}..."
