"""Number the changes in the source order of the new version.

    edits 7, 3, 12 (as they were met)   ->   changes 1, 2, 3

A deletion comes before the statement that follows it. Edits that left no trace in the tree (the
alignment found something cheaper) vanish. Changes that one edit of the text made share the number
of a hunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, get_args

from csg.errors import NOWHERE, Location
from csg.ir.program import ChangeKind, Granularity
from csg.language.expression_text import Notation
from csg.language.statement_text import StatementText
from csg.language.syntax import (
    Case,
    Change,
    Declaration,
    Empty,
    Execute,
    FunctionDefinition,
    If,
    InitializerEntry,
    InitializerList,
    Linkage,
    Name,
    Statement,
    Symbol,
    TranslationUnit,
    Version,
)
from csg.language.traversal import Tree, children, rebuilt, walk
from csg.unify.changes.identities import as_written
from csg.unify.matching.normal import reached_by
from csg.unify.merging.edits import Edit, Edits, Piece, Span, span_of
from csg.unify.unified import ChangeRecord

# ----------------------------------------------------------------------------------- text of a span
# The source lines of a span as one line of text.
#
# if (x > 0 &&
#     y > 0) {          ->    if (x > 0 && y > 0) {


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
    """Is a parenthesis still open at the end of these lines? (Literals hardly hold an odd one.)"""
    text = " ".join(lines)
    return len(lines) < 12 and text.count("(") > text.count(")")


# ------------------------------------------------------------------------------------------ numbers


def number_changes(
    unit: TranslationUnit,
    edits: Edits,
    old: TranslationUnit,
    new: TranslationUnit,
    owned: dict[Symbol, tuple[Version, int]],
) -> tuple[ChangeRecord, ...]:
    """Renumber the tree in place (its lists) and return its changes. ``owned``: symbols that one
    version knows without a declaration of its own, with their edits."""
    sites = Counter(_sites(unit))
    places = {number: _place(edits[number], sites_first) for number, sites_first in _first(unit)}
    files = {name: at for at, name in enumerate(new.sources)}
    order = sorted(sites, key=lambda number: _key(edits[number], places[number], files, number))
    final = {number: at for at, number in enumerate(order, 1)}
    _renumber(unit, final)
    owners = {
        symbol: (version, final[number])
        for symbol, (version, number) in owned.items()
        if number in final
    }
    retained = [
        (final[number], final[other])
        for number, others in edits.needs.items()
        for other in others
        if number in final and other in final
    ]
    required = _requirements(unit, owners | _owners(unit), retained)
    shared = _shared_lines([edits[number] for number in order])
    records = [
        _record(edits[number], at, places[number], old, new, shared, required, sites[number])
        for at, number in enumerate(order, 1)
    ]
    return _in_hunks(records, [edits.root(number) for number in order])


def _key(
    edit: Edit, place: Location, files: dict[str, int], number: int
) -> tuple[int, int, int, bool, int]:
    at = files.get(place.file, len(files))
    return (at, place.line, place.column, bool(edit.new), number)


def _place(edit: Edit, first: Location) -> Location:
    """Where the edit stands in the new version; for a deletion, where it would stand."""
    span = _span(edit, edit.new)
    if span is not None:
        return span.start
    return edit.anchor if edit.anchor != NOWHERE else first


def _span(edit: Edit, pieces: tuple[Piece, ...]) -> Span | None:
    """The span of the pieces of an edit. That of a function or a signature is where the function
    starts."""
    span = span_of(pieces)
    if span is not None and (
        edit.kind is ChangeKind.SIGNATURE or edit.granularity is Granularity.FUNCTION
    ):
        return Span(span.start, span.start)
    return span


Lines = Counter[tuple[Version, str, int]]


def _shared_lines(entries: list[Edit]) -> Lines:
    """How many changes start on each line of each version."""
    found: Lines = Counter()
    for edit in entries:
        for version, pieces in ((Version.OLD, edit.old), (Version.NEW, edit.new)):
            span = _span(edit, pieces)
            if span is not None:
                found[version, span.start.file, span.start.line] += 1
    return found


def _text(edit: Edit, version: Version, unit: TranslationUnit, shared: Lines) -> str:
    """The source lines of a change; where several changes start on a line, the statement alone."""
    pieces = edit.old if version is Version.OLD else edit.new
    span = _span(edit, pieces)
    if span is None:
        return ""
    alone = shared[version, span.start.file, span.start.line] == 1
    whole = (Empty, FunctionDefinition)
    if alone or all(isinstance(piece, whole) for piece in pieces):
        return one_line(span, unit.sources)
    style = StatementText(Notation())
    parts: list[str] = []
    for piece in pieces:
        match piece:
            case Empty() | FunctionDefinition():
                pass
            case InitializerList() | InitializerEntry():
                return one_line(span, unit.sources)
            case Case(text=text, low=low):
                parts.append("default:" if low is None else f"case {text or low}:")
            case _ if isinstance(piece, get_args(Statement)):
                parts.extend(style.lines(piece, None))
            case _:
                parts.append(style.expressions.of(piece))  # type: ignore[arg-type]
    text = " ".join(" ".join(parts).split())
    if edit.word:
        text = f"{edit.word} ({text})"
    last = span.end if span.end.file == span.start.file else span.start
    return shortened(as_written(text, span.start, last, unit.sources.get(span.start.file, [])))


def _in_hunks(records: list[ChangeRecord], roots: list[int]) -> tuple[ChangeRecord, ...]:
    """The records with numbers of hunks. A change is in the hunk of the one before it when both
    come from one edit of the trees, or when no line is between them."""
    found: list[ChangeRecord] = []
    hunk = 0
    for at, record in enumerate(records):
        if at == 0 or not (roots[at] == roots[at - 1] or _touch(records[at - 1], record)):
            hunk += 1
        found.append(replace(record, hunk=hunk))
    return tuple(found)


def _touch(one: ChangeRecord, other: ChangeRecord) -> bool:
    last = one.new_end or one.location
    same = (one.function, last.file) == (other.function, other.location.file)
    return same and other.location.line <= last.line + bool(one.new_location)


def _record(
    edit: Edit,
    number: int,
    place: Location,
    old: TranslationUnit,
    new: TranslationUnit,
    shared: Lines,
    required: dict[int, frozenset[int]],
    sites: int,
) -> ChangeRecord:
    before, after = _span(edit, edit.old), _span(edit, edit.new)
    kind = edit.kind or ChangeKind.of_texts(before, after)
    return ChangeRecord(
        id=number,
        kind=kind,
        function=edit.function,
        location=place,
        old_location=before.start if before else None,
        old_text=_text(edit, Version.OLD, old, shared),
        new_text=_text(edit, Version.NEW, new, shared),
        requires=required.get(number, frozenset()),
        new_location=after.start if after else None,
        granularity=edit.granularity,
        sites=sites,
        old_end=before.end if before else None,
        new_end=after.end if after else None,
    )


# ------------------------------------------------------------------ sites


def _numbered(unit: TranslationUnit) -> Iterator[tuple[int, Location]]:
    for declaration in unit.declarations:
        if declaration.change:
            yield declaration.change, declaration.location
        if declaration.initializer is not None:
            yield from _in_tree(declaration.initializer)
    for function in unit.functions:
        if function.change:
            yield function.change, function.location
        yield from _in_tree(function.body)


def _in_tree(root: Tree) -> Iterator[tuple[int, Location]]:
    for node in walk(root):
        number = number_of(node)
        if number:
            yield number, getattr(node, "location", NOWHERE)


def number_of(node: Tree) -> int:
    match node:
        case Change(id=number):
            return number
        case Execute(change=number) | Declaration(change=number) | Case(change=number):
            return number
        case _:
            return 0


def _sites(unit: TranslationUnit) -> Iterator[int]:
    return (number for number, _ in _numbered(unit))


def _first(unit: TranslationUnit) -> list[tuple[int, Location]]:
    found: dict[int, Location] = {}
    for number, place in _numbered(unit):
        found.setdefault(number, place)
    return list(found.items())


def _renumber(unit: TranslationUnit, final: dict[int, int]) -> None:
    def renamed(node: Any) -> Any:
        inner = rebuilt(node, renamed)
        match inner:
            case Change(id=number) if number:
                return replace(inner, id=final[number])
            case Execute(change=number) | Declaration(change=number) | Case(change=number) if (
                number
            ):
                return replace(inner, change=final[number])
            case _:
                return inner

    unit.declarations[:] = [renamed(declaration) for declaration in unit.declarations]
    unit.functions[:] = [
        replace(function, body=renamed(function.body), change=final.get(function.change, 0))
        for function in unit.functions
    ]


# ------------------------------------------------------------------ requires


def _requirements(
    unit: TranslationUnit,
    owners: dict[Symbol, tuple[Version, int]],
    retained: Iterable[tuple[int, int]],
) -> dict[int, frozenset[int]]:
    """For each change, the changes that it requires. One whose new side uses what another one adds
    requires that one; one that removes a declaration requires those that remove its uses.
    ``retained`` are the pairs that were found when the edits were taken apart."""
    direct: dict[int, set[int]] = {}
    for needing, needed in retained:
        direct.setdefault(needing, set()).add(needed)
    for needing, needed, _ in _needs(unit, owners):
        direct.setdefault(needing, set()).add(needed)
    return {number: _closure(number, direct) for number in direct}


def requirements(unit: TranslationUnit) -> dict[tuple[int, int], frozenset[str]]:
    """For each change and each other that it directly requires, the names that are the reason."""
    found: dict[tuple[int, int], set[str]] = {}
    for needing, needed, symbol in _needs(unit, _owners(unit)):
        found.setdefault((needing, needed), set()).add(symbol.name)
    return {pair: frozenset(names) for pair, names in found.items()}


def _needs(
    unit: TranslationUnit, owners: dict[Symbol, tuple[Version, int]]
) -> Iterator[tuple[int, int, Symbol]]:
    for number, version, symbol in _uses(unit):
        owner = owners.get(symbol)
        if owner is None or owner[0] is not version or owner[1] == number or not number:
            continue
        if version is Version.OLD:
            yield owner[1], number, symbol
        else:
            yield number, owner[1], symbol


def _closure(number: int, direct: dict[int, set[int]]) -> frozenset[int]:
    seen: set[int] = set()
    stack = list(direct.get(number, ()))
    while stack:
        at = stack.pop()
        if at not in seen and at != number:
            seen.add(at)
            stack.extend(direct.get(at, ()))
    return frozenset(seen)


def _owners(unit: TranslationUnit) -> dict[Symbol, tuple[Version, int]]:
    """The change that adds or removes the declaration of a symbol. Where the declaration computes
    nothing, the first change that mentions the symbol."""
    found: dict[Symbol, tuple[Version, int]] = {}
    bare: set[Symbol] = set()
    trees: list[Tree] = [*unit.declarations]
    for function in unit.functions:
        if function.version is not None and function.change:
            found[function.symbol] = (function.version, function.change)
        trees.append(function.body)
    for node in walk(*trees):
        if isinstance(node, Declaration):
            if node.version is not None and node.change:
                found[node.symbol] = (node.version, node.change)
            elif node.initializer is None and node.symbol.linkage is Linkage.NONE:
                bare.add(node.symbol)
    first: dict[Symbol, tuple[Version, int]] = {}
    shared: set[Symbol] = set()
    for number, version, symbol in _uses(unit):
        if symbol in bare:
            if version is None:
                shared.add(symbol)
            elif number and (symbol not in first or number < first[symbol][1]):
                first[symbol] = (version, number)
    found.update({symbol: owner for symbol, owner in first.items() if symbol not in shared})
    return found


def _uses(unit: TranslationUnit) -> Iterator[tuple[int, Version | None, Symbol]]:
    """The names that occur, each with the number of the change that it stands in and the version
    that runs it (None: both)."""
    Entry = tuple[Tree, Version | None, int]
    stack: list[Entry] = [(each, None, 0) for each in unit.declarations]
    stack.extend((each.body, each.version, each.change) for each in unit.functions)
    while stack:
        node, version, number = stack.pop()
        match node:
            case Name(symbol=symbol):
                yield number, version, symbol
            case Change(old=old, new=new, id=own):
                stack.append((old, Version.OLD, own))
                stack.append((new, Version.NEW, own))
            case Execute(version=own_version, body=body, change=own):
                stack.append((body, own_version, own or number))
            case Declaration(version=own_version, change=own) if own_version is not None:
                stack.extend((child, own_version, own) for child in children(node))
            case If(condition=Change(id=own) as tested, then=then, otherwise=otherwise):
                stack.append((tested, version, number))
                for part, value in ((then, True), (otherwise, False)):
                    only = reached_by(tested, value)
                    if part is not None:
                        stack.append((part, only, own) if only else (part, version, number))
            case _:
                stack.extend((child, version, number) for child in children(node))
