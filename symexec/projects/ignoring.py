"""Ignored files: both versions get the new version's, so that nothing differs in them.

old  lib.c vendor.c    new  lib.c' vendor.c'    ignored: vendor.c   ->   old  lib.c vendor.c'
"""

from __future__ import annotations

from collections.abc import Sequence

from csg.errors import CsgtestError
from csg.files import read_file
from csg.frontend import parse_files
from csg.language.syntax import Linkage, SymbolKind, TranslationUnit
from csg.language.type_text import declaration_text
from csg.programs import (
    SourceFile,
    Versions,
    files_of,
    matches,
)
from symexec.testcases.store import replace_file


def share_ignored(versions: Versions, ignored: Sequence[str]) -> list[str]:
    """Give the old version the new text of each ignored C file that differs, where it defines the
    same for others and needs nothing that the old version does not have. Returns the other ones."""
    left = []
    for pair in versions.pairs() if ignored else ():
        if pair.old is None or pair.new is None or not matches(pair.below, ignored):
            continue
        before, after = read_file(pair.old.path), read_file(pair.new.path)
        if before != after and not _take_text(versions, pair.old, after):
            replace_file(pair.old.path, before)
            left.append(pair.below)
    return left


def _take_text(versions: Versions, file: SourceFile, text: bytes) -> bool:
    """Can the file have this text of the new version? It has it afterwards."""
    try:
        (before,) = parse_files([file])
        replace_file(file.path, text)
        (after,) = parse_files([file])
        more = _mentioned_names(after) - _mentioned_names(before)
        if _definitions(before) != _definitions(after):
            return False
        if not more:
            return True
        old, new = (parse_files(each) for each in files_of(versions.pairs()))
    except CsgtestError:
        return False
    known = {name for unit in old for name in _definitions(unit)}
    return more.isdisjoint({name for unit in new for name in _definitions(unit)} - known)


def _definitions(unit: TranslationUnit) -> dict[str, str]:
    """What the file defines for others, each as it is declared."""
    symbols = [each.symbol for each in unit.functions]
    symbols += [each.symbol for each in unit.declarations if each.symbol.kind is SymbolKind.OBJECT]
    return {
        each.name: declaration_text(each.type, each.name)
        for each in symbols
        if each.linkage is Linkage.EXTERNAL
    }


def _mentioned_names(unit: TranslationUnit) -> set[str]:
    return {
        each.symbol.name for each in unit.declarations if each.symbol.linkage is Linkage.EXTERNAL
    }
