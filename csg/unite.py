"""Several files for each version become one program of both.

    main.c main.c    the same: shared, read once          Unified(unit, shared=(main.c,))
    list.c list.c    differ   \\
    --     hash.c    new       > joined, then united       Unified.unit

A pair of files is shared when the compiler sees the same text, wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from csg.errors import CsgtestError
from csg.frontend import Preprocessed, parse_texts, preprocess_files
from csg.language.syntax import TranslationUnit
from csg.programs import BY_TREES, Annotation, FilePair, files_of
from csg.versions import Unified, unify
from csg.versions.annotated import annotated, refuse_annotated
from csg.versions.joining import join
from csg.versions.published import published

TextPair = tuple[Preprocessed | None, Preprocessed | None]


_MAY_BE_ANNOTATED = re.compile(r"\b(?:change|execute)_?\s*\(")


@dataclass(slots=True)
class ProgramPair:
    """Both versions, read. The texts are those that the trees were made of."""

    differing_texts: list[TextPair]
    shared_texts: list[Preprocessed]
    differing: list[tuple[TranslationUnit | None, TranslationUnit | None]]
    shared: list[TranslationUnit]
    both: TranslationUnit | None = None  # what was united by hand
    left_out: dict[FilePair, CsgtestError] = field(default_factory=dict)  # no C, and not needed

    @property
    def old(self) -> list[TranslationUnit]:
        return [unit for unit, _ in self.differing if unit is not None] + self.shared

    @property
    def new(self) -> list[TranslationUnit]:
        return [unit for _, unit in self.differing if unit is not None] + self.shared


def read_pair(pairs: Sequence[FilePair]) -> ProgramPair:
    """Files of a folder that are no C are left out when they define nothing that others lack. The
    error of the first one that is needed is raised."""
    try:
        return _read_pair(pairs)
    except CsgtestError:
        broken = {pair: error for pair in pairs if pair.unnamed and (error := _error_of(pair))}
        kept = [pair for pair in pairs if pair not in broken]
        if not broken or not kept:
            raise
        read = _read_pair(kept)
        wanted = _wanted(read.old) | _wanted(read.new)
        for pair, error in broken.items():
            if wanted & _may_define(pair, wanted):
                raise error from None
        read.left_out = broken
        return read


def _error_of(pair: FilePair) -> CsgtestError | None:
    """Why one of its versions cannot be read."""
    try:
        for file in (pair.old, pair.new):
            if file is not None:
                parse_texts(preprocess_files([file]), may_be_empty=True)
    except CsgtestError as error:
        return error
    return None


def _wanted(units: Sequence[TranslationUnit]) -> frozenset[str]:
    """What is used and defined nowhere: also what the C library has."""
    symbols = [each.symbol for unit in units for each in unit.declarations]
    defined = {each.symbol.name for unit in units for each in unit.functions}
    defined |= {symbol.name for symbol in symbols if symbol.defined}
    found = {symbol.name for symbol in symbols if symbol.linkage == "external"} - defined
    return frozenset(found if "main" in defined else {*found, "main"})


def _may_define(pair: FilePair, names: frozenset[str]) -> frozenset[str]:
    """Those of the names that stand in its text as where something is defined."""
    files = [file.path for file in (pair.old, pair.new) if file is not None]
    texts = [path.read_bytes() for path in files if path.is_file()]
    text = b"\n".join(texts).decode("utf-8", "replace")
    words = set(re.findall(r"\b(\w+)\s*(?:\([^;{}]*\)[^{}()]*\{|[=;\[])", text))
    return names & words


def _read_pair(pairs: Sequence[FilePair]) -> ProgramPair:
    """Where no file differs in what the compiler sees, those whose text does count as differing; or
    else the first."""
    old, new = files_of(pairs)
    by_hand = [pair.both for pair in pairs if pair.both is not None]
    both = [*old, *new, *by_hand]
    texts = dict(zip(both, preprocess_files(both), strict=True))
    differing: list[TextPair] = []
    same: list[tuple[Preprocessed, Preprocessed]] = []
    for pair in pairs:
        before = texts[pair.old] if pair.old is not None else None
        after = texts[pair.new] if pair.new is not None else None
        if pair.both is not None or before is None or after is None:
            differing.append((before, after))
        elif before.means_the_same(after):
            same.append((before, after))
        else:
            differing.append((before, after))
    if not differing:
        differing += [each for each in same if _differ_on_disk(*each)] or same[:1]
    shared = [each[1] for each in same if each not in differing]
    read = _parsed(differing, shared, len(pairs) > 1)
    if not by_hand:
        for text, unit in _trees(read):
            if _MAY_BE_ANNOTATED.search(text.text):
                refuse_annotated(unit)
    for file in by_hand:
        (read.both,) = parse_texts([texts[file]])
    return read


def _trees(read: ProgramPair) -> Iterator[tuple[Preprocessed, TranslationUnit]]:
    for texts, units in zip(read.differing_texts, read.differing, strict=True):
        for text, unit in zip(texts, units, strict=True):
            if text is not None and unit is not None:
                yield text, unit
    yield from zip(read.shared_texts, read.shared, strict=True)


def _differ_on_disk(old: Preprocessed, new: Preprocessed) -> bool:
    return old is not new and Path(old.file).read_bytes() != Path(new.file).read_bytes()


def _parsed(
    differing: list[TextPair], shared: list[Preprocessed], may_be_empty: bool
) -> ProgramPair:
    both = [text for pair in differing for text in pair if text is not None]
    units = iter(parse_texts([*both, *shared], may_be_empty))

    def tree(text: Preprocessed | None) -> TranslationUnit | None:
        return None if text is None else next(units)

    return ProgramPair(
        differing,
        shared,
        [(tree(before), tree(after)) for before, after in differing],
        list(units),
    )


def unite(pair: ProgramPair, entry: str = "main", annotation: Annotation = BY_TREES) -> Unified:
    """A file that uses what became two in others belongs to them, though its text is the same."""
    if pair.both is not None:
        ((old, new),) = pair.differing
        assert old is not None and new is not None
        by_hand = annotated(pair.both, old, new)
        by_hand.shared = tuple(pair.shared)
        return by_hand
    while True:
        unified = unify(*join(pair.differing), entry, by_lines=annotation.by_lines)
        apart = _split_names(unified)
        concerned = {at for at, unit in enumerate(pair.shared) if apart & _used(unit)}
        if not concerned:
            unified.shared = tuple(pair.shared)
            return published(unified) if annotation.published else unified
        texts = list(enumerate(pair.shared_texts))
        differing = [
            *pair.differing_texts,
            *((each, each) for at, each in texts if at in concerned),
        ]
        pair = _parsed(differing, [each for at, each in texts if at not in concerned], True)


def _split_names(unified: Unified) -> set[str]:
    """External names that other files cannot use as they did."""
    return {*unified.splits, *(symbol.name for symbol in unified.names.signatures)}


def _used(unit: TranslationUnit) -> set[str]:
    return {each.symbol.name for each in unit.declarations if each.symbol.linkage == "external"}
