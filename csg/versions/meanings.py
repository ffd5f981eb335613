"""Say which definition is behind a change whose own line stayed as it was.

    #define LIMIT 3        #define LIMIT 4
    if (x > LIMIT)         if (x > LIMIT)      ->   cause: macro LIMIT (new.c:1): 3 became 4

Also for enumerators, typedefs and records: all that changes only what names mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from csg.frontend.conditionals import without_comments
from csg.language.syntax import TranslationUnit
from csg.language.types import Enumeration
from csg.records import record
from csg.source import Location
from csg.versions.unified import ChangeRecord

_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)\n]*\))?((?:\\\n|[^\n])*)", re.MULTILINE)
_TYPEDEF = re.compile(r"\btypedef\b([^;{}]*(?:\{[^{}]*\})?[^;{}]*?)\b(\w+)\s*((?:\[[^]]*\])*)\s*;")
_ENUM = re.compile(r"\benum\b\s*\w*\s*\{([^{}]*)\}")
_RECORD = re.compile(r"\b(struct|union)\s+(\w+)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_BY_MEANING = ("value", "layout", "type", "signature")


@record
class Definition:
    word: str  # macro, typedef, enumerator, struct, union
    name: str
    text: str
    location: Location


def with_causes(
    changes: Sequence[ChangeRecord], old: TranslationUnit, new: TranslationUnit
) -> tuple[ChangeRecord, ...]:
    """Each change whose line says the same in both versions, with what is behind it."""
    silent = [change for change in changes if _is_silent(change)]
    if not silent:
        return tuple(changes)
    causes = _Causes(definitions(old), definitions(new))
    return tuple(
        replace(change, cause=causes.of(change)) if _is_silent(change) else change
        for change in changes
    )


def _is_silent(change: ChangeRecord) -> bool:
    same = "".join(change.old_text.split()) == "".join(change.new_text.split())
    return same or change.kind in _BY_MEANING


class _Causes:
    def __init__(self, old: Mapping[str, Definition], new: Mapping[str, Definition]) -> None:
        self._old, self._new = old, new

    def of(self, change: ChangeRecord) -> str:
        words = [*_WORD.findall(change.new_text), *_WORD.findall(change.old_text)]
        return "; ".join(self._told(name) for name in self._changed(words))

    def _changed(self, words: Iterable[str]) -> list[str]:
        """The names behind ``words``, through other definitions, whose definitions differ."""
        found: list[str] = []
        waiting, seen = list(dict.fromkeys(words)), set()
        while waiting:
            name = waiting.pop(0)
            if name in seen:
                continue
            seen.add(name)
            one, other = self._old.get(name), self._new.get(name)
            if one is None and other is None:
                continue
            if one is None or other is None or one.text != other.text:
                found.append(name)
            else:
                waiting.extend(_WORD.findall(other.text))
        return found

    def _told(self, name: str) -> str:
        one, other = self._old.get(name), self._new.get(name)
        present = other or one
        assert present is not None
        texts = [f"'{each.text}'" if each is not None else "nothing" for each in (one, other)]
        return f"{present.word} {name} ({present.location}): {texts[0]} became {texts[1]}"


def definitions(unit: TranslationUnit) -> dict[str, Definition]:
    """What the user's files define besides objects and functions; a name that is defined several
    times has all its definitions in one text."""
    values = {
        name: value
        for kind in unit.types
        if isinstance(kind, Enumeration)
        for name, value in kind.enumerators
    }
    found: dict[str, Definition] = {}
    for file, lines in unit.sources.items():
        for each in _in_text(file, without_comments("\n".join(lines)), values):
            known = found.setdefault(each.name, each)
            if known.text != each.text:
                found[each.name] = replace(known, text=f"{known.text} | {each.text}")
    return found


def _in_text(file: str, text: str, values: Mapping[str, int]) -> Iterable[Definition]:
    def place(at: int) -> Location:
        return Location(file, text.count("\n", 0, at) + 1)

    for found in _MACRO.finditer(text):
        body = " ".join(f"{found[2] or ''}{found[3]}".replace("\\\n", " ").split())
        yield Definition("macro", found[1], body, place(found.start(1)))
    for found in _TYPEDEF.finditer(text):
        body = " ".join(f"{found[1]}{found[3]}".split())
        yield Definition("typedef", found[2], body, place(found.start(2)))
    for found in _RECORD.finditer(text):
        yield Definition(found[1], found[2], " ".join(found[3].split()), place(found.start(2)))
    for found in _ENUM.finditer(text):
        for each in re.finditer(r"(?:^|,)\s*(\w+)", found[1]):
            if each[1] in values:
                at = found.start(1) + each.start(1)
                yield Definition("enumerator", each[1], str(values[each[1]]), place(at))
