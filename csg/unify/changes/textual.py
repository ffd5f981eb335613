"""What the text says beyond the trees: changes as a textual diff sees them, causes, edits unseen.

    y = x + 1;         y = x + 1; // why    ->    y = change(x + 1, x + 1);

So counts the change sequence graph paper, with diff(1). What the trees say stays: the unified
program is both programs still, and what only the text says gets a change of two equal sides. A
statement that computes nothing (``break``) gets none, nor does one that holds statements or an
unnamed object in its expression: those cannot stand twice. Then follow which definition is behind a
change whose own line stayed as it was, and which edits of the text are no change.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

from csg.errors import NOWHERE, Location
from csg.frontend.sources import (
    Branch,
    lines_left_out,
    lines_without_comments,
    without_comments,
)
from csg.language.syntax import (
    HEADERS,
    Assign,
    Change,
    CompoundLiteral,
    Declaration,
    DoWhile,
    Empty,
    Execute,
    Expression,
    ExpressionStatement,
    For,
    FunctionDefinition,
    If,
    InitializerList,
    IntegerConstant,
    Return,
    Statement,
    StatementExpression,
    StorageDuration,
    Switch,
    TranslationUnit,
    While,
    operand_type,
)
from csg.language.traversal import Tree, duplicate, rebuilt, walk
from csg.language.types import VOID, Enumeration, Type, is_scalar
from csg.records import record
from csg.unify.changes.patch import paired_files
from csg.unify.matching.normal import condition_type, reached_by
from csg.unify.merging.edits import Edits
from csg.unify.unified import ChangeRecord, Unified

# -------------------------------------------------------------------------------- lines that differ


_CannotStandTwice = (Change, StatementExpression, CompoundLiteral)


def mark_lines(
    unit: TranslationUnit, edits: Edits, old: TranslationUnit, new: TranslationUnit
) -> None:
    """Give each statement of both versions whose lines differ a change, in place."""
    marker = _Marker(edits, _differing(old, new))
    for at, function in enumerate(unit.functions):
        if function.version is None and not function.change:
            unit.functions[at] = marker.function(function)


def _differing(old: TranslationUnit, new: TranslationUnit) -> dict[tuple[str, int], list[Location]]:
    """The lines of the new version that differ, each with the lines of the old version in their
    place."""
    known = {os.path.basename(name): name for name in old.sources}
    lone = next(iter(old.sources)) if len(old.sources) == len(new.sources) == 1 else None
    found: dict[tuple[str, int], list[Location]] = {}
    for name, lines in new.sources.items():
        partner = lone or known.get(os.path.basename(name))
        before = old.sources[partner] if partner is not None else []
        for word, a, b, c, d in SequenceMatcher(None, before, lines, False).get_opcodes():
            if word in ("replace", "insert"):
                replaced = [Location(partner or name, line + 1) for line in range(a, b)]
                found.update({(name, line + 1): replaced for line in range(c, d)})
    return found


@dataclass(slots=True)
class _Marker:
    edits: Edits
    lines: dict[tuple[str, int], list[Location]]

    def function(self, function: FunctionDefinition) -> FunctionDefinition:
        self.edits.function = function.symbol.name
        return replace(function, body=self._node(function.body))

    def _node(self, node: Any) -> Any:
        match node:
            case Execute():
                return node
            case Declaration(version=owner) if owner is not None:
                return node
            case If(condition=Change() as tested):
                guarded = [reached_by(tested, value) is not None for value in (True, False)]
                then = node.then if guarded[0] else self._node(node.then)
                otherwise = node.otherwise
                if otherwise is not None and not guarded[1]:
                    otherwise = self._node(otherwise)
                return replace(node, then=then, otherwise=otherwise)
            case _:
                return self._marked(rebuilt(node, self._node))

    def _marked(self, node: Any) -> Any:
        match node:
            case ExpressionStatement(expression=expression):
                return replace(node, expression=self._evaluated(expression, node))
            case Return(value=value) if value is not None:
                return replace(node, value=self._value(value, node))
            case If() | While() | DoWhile():
                return replace(node, condition=self._condition(node.condition, node))
            case Switch():
                return replace(node, selector=self._value(node.selector, node))
            case For():
                condition, step = node.condition, node.step
                if condition is not None:
                    condition = self._condition(condition, node)
                if step is not None:
                    step = self._evaluated(step, node)
                return replace(node, condition=condition, step=step)
            case Declaration(initializer=value) if value is not None:
                return self._declaration(node)
            case _:
                return node

    def _declaration(self, node: Declaration) -> Declaration:
        value = node.initializer
        if node.symbol.storage is StorageDuration.STATIC or isinstance(
            value, InitializerList | None
        ):
            return node
        if not is_scalar(node.symbol.type):
            return node
        return replace(node, initializer=self._value(value, node))

    # ------------------------------------------------------------------ expressions

    def _condition(self, value: Expression, statement: Statement) -> Expression:
        return self._twice(value, condition_type(value), statement)

    def _value(self, value: Expression, statement: Statement) -> Expression:
        return self._twice(value, value.type, statement)

    def _evaluated(self, value: Expression, statement: Statement) -> Expression:
        """The expression with a change in it, as one that is evaluated for its effects."""
        if isinstance(value, Assign) and is_scalar(value.type):
            return replace(
                value, value=self._twice(value.value, operand_type(value.value), statement)
            )
        return self._twice(value, VOID, statement)

    def _twice(self, value: Expression, kind: Type, statement: Statement) -> Expression:
        place: Location = getattr(statement, "location", NOWHERE)
        parts = list(walk(value))
        if any(isinstance(part, _CannotStandTwice) for part in parts):
            return value
        seen = {place, *(getattr(part, "location", NOWHERE) for part in parts)}
        touched = sorted(each for each in seen if (each.file, each.line) in self.lines)
        if not touched:
            return value
        before = self.lines[touched[0].file, touched[0].line]
        old = [Empty(each) for each in (before[:1] + before[-1:])]
        edit = self.edits.record(old, (value, Empty(place)), place)
        return Change(duplicate(value), value, edit, kind, value.location)


# ----------------------------------------------------------------------------------------- meanings
# Say which definition is behind a change whose own line stayed as it was.
#
#     #define LIMIT 3        #define LIMIT 4
#     if (x > LIMIT)         if (x > LIMIT)      ->   cause: macro LIMIT (new.c:1): 3 became 4
#
# Also for enumerators, typedefs and records: all that changes only what names mean.


_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)\n]*\))?((?:\\\n|[^\n])*)", re.MULTILINE)
_TYPEDEF = re.compile(r"\btypedef\b([^;{}]*(?:\{[^{}]*\})?[^;{}]*?)\b(\w+)\s*((?:\[[^]]*\])*)\s*;")
_ENUM = re.compile(r"\benum\b\s*\w*\s*\{([^{}]*)\}")
_RECORD = re.compile(r"\b(struct|union)\s+(\w+)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")


@record
class Definition:
    word: str  # macro, typedef, enumerator, struct, union
    name: str
    text: str
    location: Location


MOVED = "__LINE__: it stands on another line"  # the cause of a change


def with_causes(
    changes: Sequence[ChangeRecord],
    unit: TranslationUnit,
    old: TranslationUnit,
    new: TranslationUnit,
) -> tuple[ChangeRecord, ...]:
    """The changes of ``unit``, with the cause of each whose line says the same in both versions."""
    silent = [change for change in changes if _is_silent(change)]
    if not silent:
        return tuple(changes)
    causes = _Causes(definitions(old), definitions(new))
    moved = _moved(unit, silent)
    return tuple(
        replace(change, cause=MOVED if change.id in moved else causes.of(change))
        if _is_silent(change)
        else change
        for change in changes
    )


def _moved(unit: TranslationUnit, silent: Sequence[ChangeRecord]) -> set[int]:
    """The changes of nothing but numbers, each of which is that of its line in both versions, or
    what is made of it: ``-__LINE__``."""
    spans = {change.id: (_lines_of(change, True), _lines_of(change, False)) for change in silent}
    sites: Counter[int] = Counter()
    trees: list[Tree] = [each.body for each in unit.functions]
    for node in walk(*trees, *unit.declarations):
        match node:
            case Change(id=number, old=before, new=after) if number in spans:
                sites[number] += _is_moved(before, after, *spans[number])
            case _:
                pass
    return {change.id for change in silent if sites[change.id] == change.sites}


def _is_moved(old: Tree, new: Tree, before: range, after: range) -> bool:
    """Are these the same but for numbers, each of which is one of its version's lines?"""
    pairs = list(zip_longest(walk(old), walk(new)))
    if any(type(one) is not type(other) for one, other in pairs):
        return False
    numbers = [
        (one.value, other.value)
        for one, other in pairs
        if isinstance(one, IntegerConstant)
        and isinstance(other, IntegerConstant)
        and one.value != other.value
    ]
    return bool(numbers) and all(abs(a) in before and abs(b) in after for a, b in numbers)


def moved_objects(unit: TranslationUnit, changes: Sequence[ChangeRecord]) -> Iterator[str]:
    """The objects (``f.n`` is the static object n of the function f) that begin with another value
    in either version for nothing but that they stand on another line."""
    moved = {change.id for change in changes if change.cause == MOVED}
    found = [("", each) for each in unit.declarations]
    for function in unit.functions if moved else ():
        declared = (node for node in walk(function.body) if isinstance(node, Declaration))
        found += [(f"{function.symbol.name}.", each) for each in declared]
    for prefix, each in found if moved else ():
        if each.initializer is not None:
            ids = {node.id for node in walk(each.initializer) if isinstance(node, Change)}
            if ids and ids <= moved:
                yield prefix + each.symbol.name


def _lines_of(change: ChangeRecord, old: bool) -> range:
    start = change.old_location if old else change.new_location
    end = (change.old_end if old else change.new_end) or start
    return range(start.line, end.line + 1) if start is not None and end is not None else range(0)


def _is_silent(change: ChangeRecord) -> bool:
    same = "".join(change.old_text.split()) == "".join(change.new_text.split())
    return same or change.kind.is_of_meaning


class _Causes:
    def __init__(self, old: Mapping[str, Definition], new: Mapping[str, Definition]) -> None:
        self._old, self._new = old, new

    def of(self, change: ChangeRecord) -> str:
        words = [*_WORD.findall(change.new_text), *_WORD.findall(change.old_text)]
        return "; ".join(self._described(name) for name in self._changed(words))

    def _changed(self, words: Iterable[str]) -> list[str]:
        """The names among ``words``, or in their definitions, whose definitions differ."""
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

    def _described(self, name: str) -> str:
        one, other = self._old.get(name), self._new.get(name)
        present = other or one
        assert present is not None
        texts = [f"'{each.text}'" if each is not None else "nothing" for each in (one, other)]
        return f"{present.word} {name} ({present.location}): {texts[0]} became {texts[1]}"


def definitions(unit: TranslationUnit) -> dict[str, Definition]:
    """What the user's files define other than objects and functions. A name that is defined several
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


# ------------------------------------------------------------------------ edits that change nothing
# Edits of the text that are no change of the program, and why they are none.
#
#     #if 0                      #if 0
#     x = 1;                     x = 2;         ->   new.c:2: left out by '#if 0' (new.c:1)
#     #endif                     #endif
#
#     /* one */ return x;        return x;      ->   comments and white space
#
# An edit that the changes account for is not among them.


_DEFINE = re.compile(r"\s*#\s*(?:define|undef)\s+(\w+)")
_INCLUDE = re.compile(r"\s*#\s*include\b")
_ASKED = re.compile(r"\s*#\s*(?:if|ifdef|elif)\b(.*)")
_NAME = re.compile(r"(?!defined\b|__has_)\b[A-Za-z_]\w*")


NO_FLAGS: Mapping[str, Sequence[str]] = MappingProxyType({})


@record
class Unseen:
    """An edit of the text that no tree shows. ``location`` is in the new version; for a deletion,
    where it would stand. ``macro``: what the branch that leaves it out asks for, if any does."""

    location: Location
    why: str
    macro: str = ""


@record
class _File:
    name: str
    lines: list[str]
    plain: list[str]  # without comments


def unseen_edits(
    unified: Unified, flags: Sequence[str] = (), own: Mapping[str, Sequence[str]] = NO_FLAGS
) -> tuple[Unseen, ...]:
    """The edits that are no change of the program. ``flags``: those that the files are compiled
    with, ``own`` by their names; those of a header are of a file that may include it."""
    touched, compiled = _touched(unified), _compiled_lines(unified)
    of_headers = next(iter(own.values()), flags)
    found: list[Unseen] = []
    for old, new in _files(unified.old, unified.new):
        both = (own.get(old.name, of_headers), own.get(new.name, of_headers))
        found += _between(old, new, touched, compiled, both)
    return tuple(found)


def _files(old: TranslationUnit, new: TranslationUnit) -> Iterator[tuple[_File, _File]]:
    for before, after in paired_files(old.sources, new.sources):
        if before and after:
            yield _file(before, old.sources[before]), _file(after, new.sources[after])


def _file(name: str, lines: list[str]) -> _File:
    return _File(name, lines, lines_without_comments(lines))


def _touched(unified: Unified) -> set[tuple[str, int]]:
    """The lines of either version that a change covers, or that are the cause of one."""
    found: set[tuple[str, int]] = set()
    for change in unified.changes:
        for first, last in (
            (change.old_location, change.old_end),
            (change.new_location, change.new_end),
        ):
            if first is not None:
                until = last.line if last is not None else first.line
                found.update((first.file, line) for line in range(first.line, until + 1))
    causes = " ".join(change.cause for change in unified.changes)
    if causes:
        for unit in (unified.old, unified.new):
            for each in definitions(unit).values():
                if f"{each.word} {each.name} (" in causes:
                    found.add((each.location.file, each.location.line))
    return found


def _compiled_lines(unified: Unified) -> set[tuple[str, int]]:
    """The lines of functions and objects that a file has from headers."""
    units = (unified.old, unified.new)
    places = [(each.location, each.end) for unit in units for each in unit.functions]
    declared = (each.symbol for unit in units for each in unit.declarations)
    places += [(each.location, each.location) for each in declared]
    return {
        (first.file, line)
        for first, last in places
        if first.file.endswith(HEADERS)
        for line in range(first.line, max(first.line, last.line) + 1)
    }


def _between(
    old: _File,
    new: _File,
    touched: set[tuple[str, int]],
    compiled: set[tuple[str, int]],
    flags: Sequence[Sequence[str]],
) -> Iterator[Unseen]:
    hunks = [
        (a, b, c, d)
        for word, a, b, c, d in SequenceMatcher(None, old.lines, new.lines, False).get_opcodes()
        if word != "equal"
    ]
    if not hunks:
        return
    left_out = [
        lines_left_out(file.name, file.lines, each)
        for file, each in zip((old, new), flags, strict=True)
    ]
    for a, b, c, d in hunks:
        seen = {(old.name, line) for line in range(a + 1, b + 1)}
        seen |= {(new.name, line) for line in range(c + 1, d + 1)}
        if not seen & touched:
            place = Location(new.name, min(c + 1, max(len(new.lines), 1)))
            why = _why(old, new, (a, b), (c, d), left_out)
            if why is None:
                why = _same_meaning(seen <= compiled, new.name)
            yield Unseen(place, why) if isinstance(why, str) else _off(place, why)


def _off(place: Location, branch: Branch) -> Unseen:
    asked = _ASKED.match(branch.text)
    name = _NAME.search(asked[1]) if asked else None
    why = f"left out by '{branch.text}' ({branch.location})"
    return Unseen(place, why, name[0] if name else "")


def _why(
    old: _File,
    new: _File,
    before: tuple[int, int],
    after: tuple[int, int],
    left_out: Sequence[dict[int, Branch]],
) -> str | Branch | None:
    """Why the edit changes nothing, or the branch that leaves it out. None where the text does not
    show why."""
    one, other = old.plain[slice(*before)], new.plain[slice(*after)]
    if "".join("".join(one).split()) == "".join("".join(other).split()):
        return "comments and white space"
    branches = [
        left_out[side].get(line + 1)
        for side, (file, span) in enumerate(((old, before), (new, after)))
        for line in range(*span)
        if file.plain[line].strip()
    ]
    off = [branch for branch in branches if branch is not None]
    if off and len(off) == len(branches):
        return off[-1]
    lines = [*_logical_lines(old, before), *_logical_lines(new, after)]
    macros = [found[1] for line in lines if (found := _DEFINE.match(line))]
    if len(macros) == len(lines):
        names = ", ".join(dict.fromkeys(macros))
        return f"macro {names}: nothing that is compiled became different by it"
    if all(_INCLUDE.match(line) for line in lines):
        return "an include that changes nothing that is used"
    return None


def _logical_lines(file: _File, span: tuple[int, int]) -> Iterator[str]:
    """For each line that is not blank where the line begins that it continues, as a macro's."""
    for at in range(*span):
        if file.plain[at].strip():
            begin = at
            while begin and file.plain[begin - 1].rstrip().endswith("\\"):
                begin -= 1
            yield file.plain[begin]


def _same_meaning(is_compiled: bool, file: str) -> str:
    """Why an edit outside of directives changes nothing. A file may not need all of a header."""
    same = "it means the same: names, order or spelling"
    if is_compiled or not file.endswith(HEADERS):
        return same
    return f"nothing that is compiled uses it, or {same}"
