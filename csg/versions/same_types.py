"""Which records and enumerations of a file are those of the files before it?

    a.c: struct p {int x;};  enum {A}     b.c: struct p {int x;};  enum {A}        the same
    a.c: struct q {int x;};               b.c: struct q {long x;}                  q and q__b
    a.c: struct r;                        b.c: struct r {int x;};                  r is completed

``Translation`` asks for the type, and for the name of an enumerator, that stand for the file's own.
"""

from __future__ import annotations

from dataclasses import replace

from csg.language.printer import mentioned_types
from csg.language.syntax import TranslationUnit
from csg.language.types import Enumeration, Record, Type
from csg.versions.layouts import mapped, match_records

Enumerators = tuple[tuple[str, int], ...]


class SameTypes:
    """``stem`` makes the names of what is not the same."""

    def __init__(self, whole: TranslationUnit, unit: TranslationUnit, stem: str) -> None:
        before, own = mentioned_types(whole), mentioned_types(unit)
        self._layouts = match_records(own, before)
        self._stem = stem
        self._enumerations: dict[Enumeration, Enumeration] = {}
        self._renamed: dict[tuple[str, int], str] = {}
        self._settled: set[Record] = set()
        self._tags = {kind.tag for kind in before}
        names = {name for kind in before if isinstance(kind, Enumeration)
                 for name, _ in kind.enumerators}  # fmt: skip
        names |= {declaration.symbol.name for declaration in whole.declarations}
        names |= {function.symbol.name for function in whole.functions}
        for kind in own:
            if isinstance(kind, Enumeration):
                self._enumerations[kind] = self._enumeration(kind, before, names)

    def enumerator(self, name: str, value: int) -> str:
        return self._renamed.get((name, value), name)

    def unified(self, kind: Type) -> Type:
        return mapped(kind, self._named)

    def _named(self, kind: Record | Enumeration) -> Record | Enumeration:
        if isinstance(kind, Enumeration):
            return self._enumerations.get(kind, kind)
        partner = self._layouts.pairs.get(kind)
        same = isinstance(partner, Record) and kind not in self._layouts.different
        if kind not in self._settled:
            self._settled.add(kind)
            self._settle(kind, partner if same and isinstance(partner, Record) else None)
        return partner if same and partner is not None else kind

    def _settle(self, kind: Record, same: Record | None) -> None:
        """Give members their types here; complete the record of the files before, or rename."""
        if same is None:
            kind.tag = self._free_tag(kind)
        if kind.fields is None or (same is not None and same.fields is not None):
            return
        fields = tuple([replace(each, type=self.unified(each.type)) for each in kind.fields])
        target = kind if same is None else same
        target.fields, target.size = fields, kind.size
        target.alignment, target.packed = kind.alignment, kind.packed

    def _enumeration(
        self, kind: Enumeration, before: list[Record | Enumeration], names: set[str]
    ) -> Enumeration:
        for other in before:
            if (
                isinstance(other, Enumeration)
                and other.enumerators == kind.enumerators
                and (other.tag == kind.tag or not kind.tag.isidentifier())
            ):
                return other
        return replace(
            kind, tag=self._free_tag(kind), enumerators=self._free(kind.enumerators, names)
        )

    def _free(self, enumerators: Enumerators, names: set[str]) -> Enumerators:
        found = []
        for name, value in enumerators:
            if name in names:
                self._renamed[name, value] = f"{name}__{self._stem}"
            found.append((self.enumerator(name, value), value))
        return tuple(found)

    def _free_tag(self, kind: Record | Enumeration) -> str:
        tag = kind.tag
        while tag in self._tags:
            tag += f"__{self._stem}"
        self._tags.add(tag)
        return tag
