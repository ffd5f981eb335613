"""Match the records and enumerations of two versions, and of the files of one version.

    struct point {int x, y;}      the same           ->   one record
    struct node {int v;}          {int v; int w;}    ->   struct node__old, struct node
    enum {A, B}                   enum {A, X, B}     ->   enum {A = 0, X = 1, B = 2, B__old = 1}

Records are equal when their members have the same names, places and types, where types may again
be records: all pairs of one tag are taken for equal at first, and pairs found different are taken
out until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from csg.language.printer import mentioned_types, types_of, types_within
from csg.language.syntax import Expression, TranslationUnit
from csg.language.type_text import tag_text
from csg.language.types import (
    Array,
    Enumeration,
    Field,
    Function,
    Integer,
    Pointer,
    Record,
    Type,
)

# ---------------------------------------------------------------------------------- of two versions


Named = Record | Enumeration


@dataclass(slots=True)
class Layouts:
    """Which types of the two versions are one. ``unified(kind)`` is the unified program's type for
    a type of the old version; types of the new version stay as they are, except that enumerations
    gain the old version's enumerators."""

    pairs: dict[Named, Named] = field(default_factory=dict)
    different: set[Record] = field(
        default_factory=set
    )  # old records that differ from their partner
    values: dict[tuple[str, int], str] = field(default_factory=dict)  # old enumerators renamed
    shifted: dict[str, str] = field(default_factory=dict)  # enumerators whose value changed
    enumerations: dict[tuple[str, int], Enumeration] = field(default_factory=dict)
    # replacements for records that only the old version has
    _old: dict[Record, Record] = field(default_factory=dict)
    _unified: set[Record] = field(default_factory=set)  # of the unified program already
    _partners: dict[Record, Record] = field(default_factory=dict)
    _alone: dict[Enumeration, Enumeration] = field(default_factory=dict)  # the same for these
    _taken: set[str] = field(default_factory=set)  # tags, of which C has one kind

    def unified(self, kind: Type) -> Type:
        """The type in the unified program of a type of the old version."""
        return mapped(kind, self._named)

    def _named(self, kind: Named) -> Named:
        if isinstance(kind, Record):
            return self._record(kind)
        return self.enumeration(kind) or self._alone.get(kind, kind)

    def enumeration(self, kind: Enumeration) -> Enumeration | None:
        """The new version's enumeration that has the values of an old one as well, if there is one.
        One with a negative enumerator is another type than one without."""
        partner = self.pairs.get(kind)
        if isinstance(partner, Enumeration) and partner.underlying == kind.underlying:
            return partner
        return None

    def _record(self, kind: Record) -> Record:
        partner = self.pairs.get(kind)
        if isinstance(partner, Record) and kind not in self.different:
            return partner
        if kind in self._unified:
            return kind
        if kind not in self._old:
            copy = Record(kind.kind, self._free_tag(kind), None, kind.size, kind.alignment)
            copy.packed, copy.spelling, copy.typedef = kind.packed, kind.spelling, kind.typedef
            copy.place = kind.place
            self._old[kind] = copy
            self._unified.add(copy)
            if isinstance(partner, Record):
                self._partners[copy] = partner
            if kind.own_fields is not None:
                copy.fields = tuple([self.field(member) for member in kind.own_fields])
        return self._old[kind]

    def _free_tag(self, kind: Named) -> str:
        tag = kind.tag
        while tag in self._taken:
            tag += "__old"
        return tag

    def stand_alone(self, kind: Enumeration, own: tuple[tuple[str, int], ...]) -> None:
        """Make an enumeration for one that only the old version has, with the enumerators that it
        alone has."""
        tag = self._free_tag(kind)
        retained = own
        if not own or _underlying(own) != (kind.underlying.size, kind.underlying.signed):
            retained += ((f"{tag_text(tag)}__none", _typical(kind.underlying)),)
        self._alone[kind] = replace(kind, tag=tag, enumerators=retained)

    def complete_new(self) -> None:
        """Give the new version's records that are incomplete the members of the old version's: code
        of the old version asks for them."""
        for old, new in self.pairs.items():
            if not (isinstance(old, Record) and isinstance(new, Record)):
                continue
            if old.own_fields is not None and new.own_fields is None:
                new.fields = tuple([self.field(member) for member in old.own_fields])
                new.size, new.alignment, new.packed = old.size, old.alignment, old.packed
                new.borrowed = False

    def renamed(self) -> dict[str, str]:
        """The types that have another tag in the new version, as C writes them."""
        return {
            f"{_word(old)} {old.tag}": f"{_word(new)} {new.tag}"
            for old, new in self.pairs.items()
            if old.tag != new.tag and old not in self.different
        }

    def split_record(self, kind: Type) -> Record | None:
        """The new version's record, when ``kind`` is a record that is split, of either version;
        else None."""
        if not isinstance(kind, Record):
            return None
        if kind in self._partners:
            return self._partners[kind]
        return kind if kind in self._partners.values() else None

    def partner(self, kind: Type) -> Type:
        """``kind`` with each split record replaced by the new version's."""
        match kind:
            case Pointer(target=target):
                return Pointer(self.partner(target))
            case Array(element=element, length=length):
                return Array(self.partner(element), length)
            case Function(result=result, parameters=parameters):
                taken = tuple([self.partner(each) for each in parameters])
                return replace(kind, result=self.partner(result), parameters=taken)
            case Record():
                return self._partners.get(kind, kind)
            case _:
                return kind

    def field(self, member: Field) -> Field:
        kind = self.unified(member.type)
        return member if kind is member.type else replace(member, type=kind)

    def enumerator(self, name: str, value: int) -> str:
        """The name in the unified program of an enumerator of the old version."""
        return self.values.get((name, value), name)


def match_layouts(old: TranslationUnit, new: TranslationUnit) -> Layouts:
    before, after = mentioned_types(old), mentioned_types(new)
    layouts = match_records(before, after)
    layouts._taken = {kind.tag for kind in after}
    layouts._unified.update(kind for kind in after if isinstance(kind, Record))
    layouts.complete_new()
    _name_enumerators(layouts, before, after)
    return layouts


def match_records(old: Iterable[Named], new: Iterable[Named]) -> Layouts:
    """Match the records and enumerations of both versions: which pairs are one type, and which of
    one tag are two. Nothing is renamed."""
    layouts = Layouts(pairs=_pairs(old, new))
    _find_different(layouts)
    return layouts


def mapped(kind: Type, named: Callable[[Named], Named]) -> Type:
    """``kind`` with each record and enumeration in it replaced as ``named`` says; ``kind`` itself
    when that changes nothing."""
    match kind:
        case Pointer(target=target, qualifiers=qualifiers):
            inner = mapped(target, named)
            return kind if inner is target else Pointer(inner, qualifiers)
        case Array(element=element, length=length):
            inner = mapped(element, named)
            return kind if inner is element else Array(inner, length)
        case Function(result=result, parameters=parameters):
            returned = mapped(result, named)
            taken = tuple([mapped(each, named) for each in parameters])
            same = returned is result and all(
                one is other for one, other in zip(taken, parameters, strict=True)
            )
            return kind if same else replace(kind, result=returned, parameters=taken)
        case Record() | Enumeration():
            return named(kind)
        case _:
            return kind


def _pairs(old: Iterable[Named], new: Iterable[Named]) -> dict[Named, Named]:
    """Pairs of types: by tag, several of one tag in order; types without a tag by the names of
    their members."""
    waiting: dict[tuple[object, ...], list[Named]] = {}
    for kind in new:
        waiting.setdefault(_key(kind), []).append(kind)
    found: dict[Named, Named] = {}
    left: list[Named] = []
    for kind in old:
        candidates = waiting.get(_key(kind))
        if candidates:
            found[kind] = candidates.pop(0)
        else:
            left.append(kind)
    rest = [kind for kinds in waiting.values() for kind in kinds]
    for kind in left:
        renamed = [other for other in rest if _is_renamed(kind, other)]
        if len(renamed) == 1:
            found[kind] = renamed[0]
            rest.remove(renamed[0])
            continue
        best = max(rest, key=lambda other: _common_names(kind, other), default=None)
        if best is not None and _nameless(kind) and _common_names(kind, best) >= 0.5:
            found[kind] = best
            rest.remove(best)
    return found


def _is_renamed(one: Named, other: Named) -> bool:
    """Do the types differ in nothing but their tags, as far as their members say?"""
    if _nameless(one) or _nameless(other) or not _member_names(one):
        return False
    if isinstance(one, Enumeration) and isinstance(other, Enumeration):
        return one.underlying == other.underlying and one.enumerators == other.enumerators
    if isinstance(one, Record) and isinstance(other, Record):
        return one.kind is other.kind and _outline(one) == _outline(other)
    return False


def _outline(kind: Record) -> tuple[object, ...]:
    """The size of a record, and where its members lie."""
    fields = kind.fields or ()
    places = tuple((each.name, each.offset, each.bit_offset, each.bit_width) for each in fields)
    return kind.size, kind.alignment, kind.packed, places


def _nameless(kind: Named) -> bool:
    return not kind.tag.isidentifier()


def _key(kind: Named) -> tuple[object, ...]:
    word = _word(kind)
    return (word, _member_names(kind)) if _nameless(kind) else (word, kind.tag)


def _word(kind: Named) -> str:
    return kind.kind if isinstance(kind, Record) else "enum"


def _member_names(kind: Named) -> tuple[str, ...]:
    if isinstance(kind, Enumeration):
        return tuple(name for name, _ in kind.enumerators)
    return tuple(member.name for member in kind.fields or ())


def _common_names(one: Named, other: Named) -> float:
    if one.__class__ is not other.__class__ or not (_nameless(one) and _nameless(other)):
        return 0.0
    mine, theirs = set(_member_names(one)), set(_member_names(other))
    return 2 * len(mine & theirs) / (len(mine) + len(theirs)) if mine or theirs else 0.0


def _find_different(layouts: Layouts) -> None:
    changed = True
    while changed:
        changed = False
        for old, new in layouts.pairs.items():
            if isinstance(old, Record) and old not in layouts.different:
                assert isinstance(new, Record)
                if not _same_fields(layouts, old, new):
                    layouts.different.add(old)
                    changed = True


def _same_fields(layouts: Layouts, old: Record, new: Record) -> bool:
    before, after = old.own_fields, new.own_fields
    if before is None or after is None:
        return True  # an incomplete type
    if (old.size, old.alignment, len(before)) != (new.size, new.alignment, len(after)):
        return False
    return all(
        replace(one, type=other.type) == other and same_type(layouts, one.type, other.type)
        for one, other in zip(before, after, strict=True)
    )


def same_type(layouts: Layouts, old: Type, new: Type) -> bool:
    """Are two types equal? No unified type is built, since records on both sides may still be
    compared."""
    match old, new:
        case (Pointer(target=one), Pointer(target=other)):
            return same_type(layouts, one, other)
        case (Array(element=one, length=before), Array(element=other, length=after)):
            if isinstance(before, Expression) or isinstance(after, Expression):
                return before is after
            return before == after and same_type(layouts, one, other)
        case (Function(), Function()):
            heads = (old.variadic, old.prototype, len(old.parameters))
            if heads != (new.variadic, new.prototype, len(new.parameters)):
                return False
            return same_type(layouts, old.result, new.result) and all(
                same_type(layouts, one, other)
                for one, other in zip(old.parameters, new.parameters, strict=True)
            )
        case (Record(), Record()):
            return layouts.pairs.get(old) is new and old not in layouts.different
        case (Enumeration(), Enumeration()):
            return layouts.pairs.get(old) == new and old.underlying == new.underlying
        case _:
            return old == new


def _underlying(enumerators: tuple[tuple[str, int], ...]) -> tuple[int, bool]:
    """The size and signedness of the type that gcc computes with for such an enumeration."""
    values = [value for _, value in enumerators]
    signed = min(values) < 0
    fits = all(-(1 << 31) <= value < 1 << (31 if signed else 32) for value in values)
    return 4 if fits else 8, signed


def _typical(kind: Integer) -> int:
    """A value that only an enumeration of this type has."""
    lowest = 8 * (kind.size - 4) if kind.size > 4 else 0  # 1 << 32 is no value of 4 bytes
    return -(1 << lowest) if kind.signed else (1 << lowest) * (kind.size > 4)


def _name_enumerators(layouts: Layouts, old: Iterable[Named], new: Iterable[Named]) -> None:
    """Name the enumerators of the old version. Those that the new version lacks are added to the
    matching enumeration, if there is one; those with another value get a name of their own."""
    kinds = [kind for kind in new if isinstance(kind, Enumeration)]
    values = {name: value for kind in kinds for name, value in kind.enumerators}
    added: dict[Enumeration, list[tuple[str, int]]] = {}
    for kind in old:
        if not isinstance(kind, Enumeration):
            continue
        partner = layouts.enumeration(kind)
        own: list[tuple[str, int]] = []
        for name, value in kind.enumerators:
            if values.get(name) == value:
                continue
            free = f"{name}__old" if name in values else name
            layouts.values[name, value] = free
            if name in values:
                layouts.shifted[free] = layouts.shifted[name] = name
            own.append((free, value))
        if partner is not None:
            added.setdefault(partner, []).extend(own)
        else:
            layouts.stand_alone(kind, tuple(own))
    for partner, extra in added.items():
        whole = replace(partner, enumerators=partner.enumerators + tuple(extra))
        layouts.enumerations[partner.tag, partner.key] = whole


# ---------------------------------------------------------------------- of the files of one version
# Which records and enumerations of a file are those of the files before it?
#
#     a.c: struct p {int x;};  enum {A}     b.c: struct p {int x;};  enum {A}        the same
#     a.c: struct q {int x;};               b.c: struct q {long x;}                  q and q__b
#     a.c: struct r;                        b.c: struct r {int x;};                  r is completed
#
# ``Translation`` asks for the type, and for the name of an enumerator, that stand for the file's
# own.


Enumerators = tuple[tuple[str, int], ...]


class SameTypes:
    """Finds types of a file in the files before it. ``stem`` makes the names of those that are not
    the same."""

    def __init__(self, whole: TranslationUnit, unit: TranslationUnit, stem: str) -> None:
        before, own = mentioned_types(whole), mentioned_types(unit)
        self._layouts = match_records(own, before)
        self._stem = stem
        self._enumerations: dict[Enumeration, Enumeration] = {}
        self._renamed: dict[tuple[str, int], str] = {}
        self._decided: set[Record] = set()
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
        if kind not in self._decided:
            self._decided.add(kind)
            self._decide(kind, partner if same and isinstance(partner, Record) else None)
        return partner if same and partner is not None else kind

    def _decide(self, kind: Record, same: Record | None) -> None:
        """Give the members their types here; then complete the record of the files before, or
        rename this one."""
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


# --------------------------------------------------------------------------------------- completing
# Structures of which a file knows only the name, completed from the files that define them.
#
#     a.c: struct box; int f(struct box *);     b.c: struct box { int n; };
#     a.c's struct box gets the members of b.c's
#
# No code of the file can tell: it may not look inside. Whoever makes up the file's inputs can then.


def complete_records(units: Iterable[TranslationUnit]) -> None:
    """Complete structures that a file only names, where all definitions in these files are alike.
    Files that both versions have may be completed again, by those of the other version: members
    that they have borrowed before do not count."""
    roots = [types_of(unit) for unit in units]
    for kind in _records(roots):
        if kind.borrowed:
            kind.fields, kind.size, kind.alignment = None, 0, 1
            kind.packed = kind.borrowed = False
    known: dict[tuple[str, str], list[Record]] = {}
    incomplete: list[Record] = []
    for kind in _records(roots):
        if kind.fields is None:
            incomplete.append(kind)
        else:
            known.setdefault((kind.kind, kind.tag), []).append(kind)
    wanted = dict.fromkeys((kind.kind, kind.tag) for kind in incomplete)
    whole = {name: _one_of(known[name]) for name in wanted if name in known}
    for kind in incomplete:
        found = whole.get((kind.kind, kind.tag))
        if found is not None:
            kind.fields, kind.size = found.fields, found.size
            kind.alignment, kind.packed = found.alignment, found.packed
            kind.borrowed = True


def _records(roots: Iterable[Iterable[Type]]) -> list[Record]:
    """The records of several files, each once."""
    found = dict.fromkeys(kind for each in roots for kind in types_within(each))
    return [kind for kind in found if isinstance(kind, Record)]


def _one_of(kinds: Sequence[Record]) -> Record | None:
    """The first of these definitions of one tag, if they are alike."""
    first, *others = kinds
    alike = (match_records(types_within([each]), types_within([first])) for each in others)
    same = all(
        found.pairs.get(each) is first and each not in found.different
        for each, found in zip(others, alike, strict=True)
    )
    return first if same else None
