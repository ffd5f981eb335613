"""A change is a changed statement: take the edits of a unified program apart.

    if (execute(NEW)) {          edit 7       if (execute(NEW)) {
        x = x * 2;                     ->         x = x * 2;        change 8
        if (c) {                                  if (c) {          change 9, the head
            y = y * 3;                                y = y * 3;    change 10, needs 9
        }                                         }
    }                                         }

The alignment gives one edit to all that a version has alone in one place. Here each statement of
it gets a number of its own: a declaration with a value, an expression statement, a jump, and the
head of an ``if``, a loop or a ``switch``, apart from what it holds. In code that one version alone
runs (``csg.language.traversal``), ``Execute`` around a statement carries nothing but its number.

Two statements, one of each version, that stand in each other's place are one change, modified. What
cannot run alone needs what it cannot run without (``Edits.need``): a statement its enclosing head,
a loop what ends it, a function its ``return``, what follows a ``case`` that label and the label its
``break``. A statement that an edit moves needs its deletion, and this needs that. Names that are
two things keep the one number of their edit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any

from csg.errors import NOWHERE, Location
from csg.ir.program import ChangeKind
from csg.language.syntax import (
    AddressOf,
    Assembly,
    Assign,
    Break,
    Call,
    Case,
    Change,
    Compound,
    CompoundAssign,
    ComputedGoto,
    Continue,
    Declaration,
    DoWhile,
    Empty,
    Execute,
    Expression,
    ExpressionStatement,
    For,
    FunctionDefinition,
    Goto,
    If,
    Increment,
    Label,
    Name,
    Return,
    Statement,
    StorageDuration,
    Switch,
    Symbol,
    TranslationUnit,
    Unsupported,
    Version,
    While,
)
from csg.language.traversal import Tree, half_of, rebuilt, walk
from csg.language.types import Array, Function, Void
from csg.unify.matching.normal import is_neutral, reached_by
from csg.unify.merging.edits import Edits, Piece

Clones = dict[Symbol, tuple[FunctionDefinition, FunctionDefinition]]
Items = tuple[Statement, ...]


def take_apart(unit: TranslationUnit, edits: Edits, clones: Clones) -> None:
    """Give each changed statement of ``unit`` a number of its own, in place."""
    apart = _Apart(edits)
    pairs = [*clones.values(), *_split(unit, edits)]
    copies = {copy.symbol: pair for pair in pairs for copy in pair}
    for at, function in enumerate(unit.functions):
        edits.function = function.symbol.name
        if function.symbol in copies:
            before, after = copies[function.symbol]
            edits.function = edits[function.change].function
            other = after if function.version is Version.OLD else before
            unit.functions[at] = apart.copy(function, other)
        elif function.version is not None and function.change:
            unit.functions[at] = apart.lone(function)
        elif function.version is None:
            unit.functions[at] = replace(function, body=apart.shared(function.body))


def _split(
    unit: TranslationUnit, edits: Edits
) -> Iterator[tuple[FunctionDefinition, FunctionDefinition]]:
    """Pairs of an old and a new function that carry one name but have different types."""
    sides: dict[tuple[int, Version], list[FunctionDefinition]] = {}
    for each in unit.functions:
        if each.version is not None and each.change and edits.is_split(each.change):
            sides.setdefault((each.change, each.version), []).append(each)
    for (change, version), found in sides.items():
        others = sides.get((change, Version.NEW), [])
        if version is Version.OLD and len(found) == len(others) == 1:
            yield found[0], others[0]


# ------------------------------------------------------------------ statements


def head_of(item: Statement) -> tuple[Piece, ...]:
    """The parts of a statement that are not its body: all of it, or what stands in front of the
    body."""
    match item:
        case If() | While() | Switch():
            tested = item.selector if isinstance(item, Switch) else item.condition
            return (Empty(item.location), tested)
        case DoWhile(condition=condition):
            return (condition,)
        case For(start=start, condition=condition, step=step):
            parts: list[Piece] = [Empty(item.location), *start]
            return (*parts, *(each for each in (condition, step) if each is not None))
        case _:
            return (item,)


def word_of(item: Statement) -> str:
    match item:
        case If():
            return "if"
        case While() | DoWhile():
            return "while"
        case For():
            return "for"
        case Switch():
            return "switch"
        case _:
            return ""


def runs_nothing(item: Statement) -> bool:
    """Is it a declaration that does not compute anything?"""
    if not isinstance(item, Declaration):
        return isinstance(item, Empty | Label)
    if item.initializer is not None or item.symbol.storage is StorageDuration.STATIC:
        return False
    kind = item.symbol.type
    while isinstance(kind, Array):
        if not isinstance(kind.length, int | None):
            return False
        kind = kind.element
    return True


@dataclass(frozen=True, slots=True)
class _Run:
    """Code that ``version`` alone runs. ``edit`` is the edit that it comes from, ``head`` the
    number of the statement around it (0: none). ``chosen``: the identities of the statements that
    are changed; None: all of them."""

    version: Version
    edit: int
    head: int = 0
    chosen: frozenset[int] | None = None

    def below(self, head: int) -> _Run:
        return replace(self, head=head or self.head)


@dataclass(frozen=True, slots=True)
class _Lone:
    """A statement of one version in a list of statements that both versions have."""

    version: Version
    edit: int
    item: Statement


_Number = tuple[int, Statement]


@dataclass(frozen=True, slots=True)
class _Part:
    """A statement of one version in a list, with its number, and the numbered statements in it,
    itself the first."""

    version: Version
    inside: tuple[_Number, ...]

    @property
    def number(self) -> int:
        return self.inside[0][0]

    @property
    def item(self) -> Statement:
        return self.inside[0][1]


@dataclass(slots=True)
class _Apart:
    edits: Edits
    _pairs: dict[int, int] = field(default_factory=dict)  # id of a lone statement -> its number
    _alive: list[Statement] = field(default_factory=list)  # so that these ids stay theirs

    # -------------------------------------------------------------- functions

    def lone(self, function: FunctionDefinition) -> FunctionDefinition:
        assert function.version is not None
        run = _Run(function.version, function.change, function.change)
        body = self._block(function.body, run)
        kind = function.symbol.type
        if isinstance(kind, Function) and not isinstance(kind.result, Void):
            found: list[int] = []
            for part in reversed(body.items):  # a function needs the returns at its end
                found = [at for at, item in _numbered(part) if isinstance(item, Return)]
                if found:
                    break
            for number in found:
                self._need(run, function.change, number)
        return replace(function, body=body)

    def copy(self, function: FunctionDefinition, other: FunctionDefinition) -> FunctionDefinition:
        """The copy of a function for one version, with numbers for the statements that the other
        copy does not have. All of them are switched together with the call that chooses the
        copy."""
        assert function.version is not None
        mine, theirs = ([*_statements(each.body)] for each in (function, other))
        keys = [[_key(item) for item in side] for side in (mine, theirs)]
        known = {
            place
            for a, _, size in SequenceMatcher(None, keys[0], keys[1], False).get_matching_blocks()
            for place in range(a, a + size)
        }
        chosen = frozenset(id(item) for at, item in enumerate(mine) if at not in known)
        run = _Run(function.version, function.change, function.change, chosen)
        body = self._block(function.body, run)
        for number, _ in _numbered(body):
            self.edits.need(number, function.change)
            self.edits.need(function.change, number)
        return replace(function, body=body)

    # -------------------------------------------------------------- code of both versions

    def shared(self, node: Any, outer: _Run | None = None) -> Any:
        """``node``, which both versions run, with its changed statements numbered. ``outer``: the
        guard in whose other part ``node`` stands."""
        match node:
            case Compound(items=items):
                return replace(node, items=self._list(items, outer))
            case If(condition=Change(id=edit)) if self._may_split(edit) and _is_guard(node):
                return self._guard(node, outer)
            case Execute() | Change():
                return node
            case Declaration(version=owner) if owner is not None:
                return node
            case _:
                return rebuilt(node, lambda part: self.shared(part, outer))

    def _list(self, items: Items, outer: _Run | None) -> Items:
        lone = [each for item in items for each in self._lone_in(item)]
        self._match(lone)
        found: list[Statement] = []
        labels: list[int] = []
        for item in items:
            made = self._item(item, outer)
            found.append(made)
            self._behind_labels(made, labels)
        self._needs_of_moved([each for made in found for each in _parts_of(made)])
        return tuple(found)

    def _needs_of_moved(self, parts: Sequence[_Part]) -> None:
        """Note that a statement which stands elsewhere in the new version goes and comes at once:
        in two statements that stand in each other's place, any statement; in the rest of an edit,
        an expression statement. A program that has it twice, or not at all, is neither version."""
        edits: dict[int, tuple[list[_Part], list[_Part]]] = {}
        for part in parts:
            if self.edits.is_split(part.number):
                continue
            sides = edits.setdefault(self.edits.root(part.number), ([], []))
            sides[part.version is Version.NEW].append(part)
        for old, new in edits.values():
            before = {part.number: part for part in old}
            for part in new:
                if part.number in before:
                    self._tie(before[part.number].inside, part.inside)
                    self._needs_of_macro(before[part.number], part)
            self._tie(_expressions(old), _expressions(new))

    def _tie(self, old: Sequence[_Number], new: Sequence[_Number]) -> None:
        """Let equal statements need each other, in the order of both versions."""
        if not old or not new:
            return
        keys = [[_key(item) for _, item in side] for side in (old, new)]
        for a, b, size in SequenceMatcher(None, keys[0], keys[1], False).get_matching_blocks():
            for (number, _), (other, _) in zip(old[a : a + size], new[b : b + size], strict=True):
                self.edits.need(number, other)
                self.edits.need(other, number)

    def _needs_of_macro(self, old: _Part, new: _Part) -> None:
        """Note that a statement goes with what sets the same variables in a block in its place:
        ``s++;`` with ``s += 1;`` of ``do { s += 1; if (!*s) return; } while (0);``."""
        if not isinstance(old.item, ExpressionStatement) or not isinstance(new.item, DoWhile):
            return
        written = set(_written(head_of(old.item)))
        for part in (each for item in new.item.body.items for each in _parts_of(item)):
            if not written.isdisjoint(_written(head_of(part.item))):
                self.edits.need(new.number, part.number)

    def _lone_in(self, item: Statement) -> Iterator[_Lone]:
        match item:
            case Execute(version=version, body=body, change=edit) if self._may_split(edit):
                for inner in body.items:
                    if not runs_nothing(inner):
                        yield _Lone(version, edit, inner)
            case Declaration(version=Version() as version, change=edit) if self._may_split(edit):
                if not runs_nothing(item):
                    yield _Lone(version, edit, item)
            case Case(version=Version() as version, change=edit) if self._may_split(edit):
                yield _Lone(version, edit, item)
            case If(condition=Change(id=edit)) if self._may_split(edit) and _is_guard(item):
                owner = reached_by(item.condition, True)
                if owner is not None:
                    yield _Lone(owner, edit, _guarded(item))
            case _:
                pass

    def _may_split(self, edit: int) -> bool:
        return edit > 0 and not self.edits.is_split(edit)

    def _match(self, lone: Sequence[_Lone]) -> None:
        """Give one number to the two statements, one of each version, that stand in each other's
        place."""
        for edit in sorted({each.edit for each in lone}):
            sides = [
                [each for each in lone if each.edit == edit and each.version is version]
                for version in Version
            ]
            for old, new in _in_place(sides[0], sides[1]):
                number = self.edits.part(edit, head_of(old), head_of(new), word=word_of(new))
                for item in (old, new):
                    self._pairs[id(item)] = number
                    self._alive.append(item)

    def _item(self, item: Statement, outer: _Run | None) -> Statement:
        match item:
            case Execute(version=version, body=body, change=edit) if self._may_split(edit):
                return self._region(item, body, _within(outer, version, edit))
            case Declaration(version=Version() as version, change=edit) if self._may_split(edit):
                if runs_nothing(item):
                    return replace(item, change=0)
                return replace(item, change=self._number(item, _within(outer, version, edit)))
            case Case(version=Version() as version, change=edit) if self._may_split(edit):
                return replace(item, change=self._number(item, _within(outer, version, edit)))
            case _:
                made: Statement = self.shared(item, outer)
                return made

    def _region(self, item: Execute, body: Compound, run: _Run) -> Execute:
        """The region with numbers: a single statement gives it its own; of several each has one
        inside."""
        inner = self._block(body, run)
        match inner.items:
            case (Execute(body=only, change=number),):
                return replace(item, body=replace(body, items=only.items), change=number)
            case _:
                return replace(item, body=inner, change=0)

    def _guard(self, node: If, outer: _Run | None) -> If:
        """``if (change(0, c)) S``, ``if (change(0, 1)) return x;``, ``if (change(1, c)) .. else S``
        and their like: the condition is a change, and so is each statement of a part that one
        version alone reaches."""
        condition = node.condition
        assert isinstance(condition, Change)
        owners = [reached_by(condition, value) for value in (True, False)]
        version = owners[0] or owners[1]
        assert version is not None
        run = _within(outer, version, condition.id)
        if owners[0] is not None and _guarded(node) is not node:
            return self._unconditional(node, run)
        number = self._number(node, run)
        parts: list[Any] = []
        for part, owner in ((node.then, owners[0]), (node.otherwise, owners[1])):
            if part is None:
                parts.append(None)
            elif owner is not None:
                parts.append(self._block(part, replace(run, version=owner, head=number)))
            else:
                chain = len(part.items) == 1 and isinstance(part.items[0], If)
                parts.append(self.shared(part, outer if chain else replace(run, head=number)))
        return If(replace(condition, id=number), parts[0], parts[1], node.location)

    def _unconditional(self, node: If, run: _Run) -> If:
        """``if (change(0, 1)) S``: the guard gets the number of S. If S is a block it gets that of
        the guarded statement, which the other statements need."""
        condition, first = node.condition, _guarded(node)
        assert isinstance(condition, Change)
        items: list[Statement] = []
        for item in node.then.items:
            if item is first:
                (made,) = self._own(item, run)
                if isinstance(made, Execute):
                    number = made.change
                    items.extend(made.body.items)
                else:
                    number, *others = [at for at, _ in _numbered(made)] or [self._number(item, run)]
                    for each in others:
                        self._need(run, each, number)
                    items.append(made)
                condition = replace(condition, id=number)
            else:
                items.extend(self._own(item, run))
        return replace(node, condition=condition, then=replace(node.then, items=tuple(items)))

    def _behind_labels(self, item: Statement, labels: list[int]) -> None:
        """Note what labels need. What one version has behind a label of its own needs the label;
        the label needs the jump that ends the code behind it."""
        match item:
            case Case(version=Version(), change=number):
                labels.append(number)
            case Case():
                labels.clear()
            case _:
                for number, inner in _numbered(item) if labels else ():
                    version = _version_of(item)
                    if version is None or self.edits.is_split(number):
                        continue
                    run = _Run(version, 0)
                    for label in labels:
                        if self.edits.root(label) == self.edits.root(number):
                            self._need(run, number, label)
                            if isinstance(inner, Break | Return | Goto | Continue):
                                self._need(run, label, number)

    # -------------------------------------------------------------- code of one version

    def _block(self, body: Compound, run: _Run) -> Compound:
        items = [each for item in body.items for each in self._own(item, run)]
        return replace(body, items=tuple(items))

    def _own(self, item: Statement, run: _Run) -> list[Statement]:
        """``item`` with a number, if it is a statement that does anything."""
        match item:
            case Compound():
                return [self._block(item, run)]
            case Case():
                return [item]
            case _ if runs_nothing(item):
                return [replace(item, change=0) if isinstance(item, Declaration) else item]
            case Execute(body=body):
                return [self._region(item, body, run)]
            case _:
                pass
        counts = run.chosen is None or id(item) in run.chosen
        number = self._number(item, run) if counts else 0
        inner = self._inside(item, run.below(number))
        if not counts:
            return [inner]
        if isinstance(inner, Declaration):
            return [replace(inner, version=run.version, change=number)]
        self._needs_of_loop(inner, number, run)
        place: Location = getattr(item, "location", NOWHERE)
        return [Execute(run.version, Compound((inner,), place, place), number, place)]

    def _inside(self, item: Statement, run: _Run) -> Any:
        match item:
            case If(then=then, otherwise=otherwise):
                rest = self._block(otherwise, run) if otherwise is not None else None
                return replace(item, then=self._block(then, run), otherwise=rest)
            case While(body=body) | DoWhile(body=body) | For(body=body) | Switch(body=body):
                return replace(item, body=self._block(body, run))
            case _:
                return item

    def _number(self, item: Statement, run: _Run) -> int:
        number = self._pairs.get(id(item), 0)
        if not number:
            pieces: tuple[Piece, ...] = head_of(item)
            kind: ChangeKind | None = None
            # the condition of a guard
            if isinstance(item, If) and isinstance(item.condition, Change):
                pieces = (Empty(item.location), half_of(item.condition, run.version))
                kind = self.edits[run.edit].kind
            old, new = (pieces, ()) if run.version is Version.OLD else ((), pieces)
            number = self.edits.part(run.edit, old, new, kind, word_of(item))
        if run.head:
            self._need(run, number, run.head)
        return number

    def _need(self, run: _Run, inner: int, outer: int) -> None:
        """Note that ``inner`` cannot be there without ``outer``: whoever takes ``outer`` away takes
        ``inner``."""
        if run.version is Version.NEW:
            self.edits.need(inner, outer)
        else:
            self.edits.need(outer, inner)

    def _needs_of_loop(self, loop: Statement, number: int, run: _Run) -> None:
        """Note that a loop needs what ends it: the statements that set what its condition reads, or
        else the jumps out of it."""
        if not isinstance(loop, While | DoWhile | For):
            return
        parts: list[Tree] = [] if loop.condition is None else [loop.condition]
        if isinstance(loop, For) and loop.step is not None:
            parts.append(loop.step)
        if any(True for _ in _written(parts)) or any(isinstance(n, Call) for n in walk(*parts)):
            return
        read = {node.symbol for node in walk(*parts) if isinstance(node, Name)}
        inside = list(_numbered(loop.body))
        ends = [at for at, item in inside if read & set(_written(head_of(item)))]
        if not ends:
            jumps = (Break, Return, Goto, ComputedGoto)
            ends = [at for at, item in inside if isinstance(item, jumps)]
        for each in ends:
            self._need(run, number, each)


# ------------------------------------------------------------------ trees


def _within(outer: _Run | None, version: Version, edit: int) -> _Run:
    same = outer is not None and (outer.version, outer.edit) == (version, edit)
    return _Run(version, edit, outer.head if outer is not None and same else 0)


def _in_place(old: Sequence[_Lone], new: Sequence[_Lone]) -> Iterator[tuple[Statement, Statement]]:
    """Pairs of statements in each other's place: two that are alone, whatever they are; else those
    of one class, in the order of both lists."""
    if len(old) == len(new) == 1:
        yield old[0].item, new[0].item
        return
    places: dict[type[Any], list[int]] = {}
    for at, each in enumerate(new):
        places.setdefault(each.item.__class__, []).append(at)
    last = -1
    for each in old:
        waiting = places.get(each.item.__class__, [])
        found = bisect_right(waiting, last)
        if found < len(waiting):
            last = waiting[found]
            yield each.item, new[last].item


def _is_guard(node: If) -> bool:
    """Is there a part of the ``if`` that one version alone reaches, while the other part is not the
    other version's (as in ``if (change(1, 0)) goto out__old; else goto out__new;``)?"""
    condition = node.condition
    assert isinstance(condition, Change)
    if is_neutral(condition.old) and is_neutral(condition.new) and node.otherwise is not None:
        return False
    return any(reached_by(condition, value) is not None for value in (True, False))


def _guarded(node: If) -> Statement:
    """The statement behind a guard: ``if (c) ..``, or the first that is unconditional."""
    condition = node.condition
    assert isinstance(condition, Change)
    if is_neutral(condition.old) and is_neutral(condition.new):
        return next((item for item in node.then.items if not runs_nothing(item)), node)
    return node


def _version_of(item: Statement) -> Version | None:
    match item:
        case Execute(version=version) | Declaration(version=version):
            return version
        case If(condition=condition):
            return reached_by(condition, True)
        case _:
            return None


def _numbered(root: Tree) -> Iterator[tuple[int, Statement]]:
    """The numbered statements in code of one version, each with its number, in order."""
    for node in walk(root):
        match node:
            case Execute(body=body, change=number) if number:
                yield number, body.items[0] if body.items else body
            case Declaration(change=number) if number:
                yield number, node
            case If(condition=Change(id=number)) if reached_by(node.condition, True):
                yield number, _guarded(node)
            case _:
                pass


def _expressions(parts: Iterable[_Part]) -> list[_Number]:
    """The expression statements in them, in order."""
    inside = (each for part in parts for each in part.inside)
    return [each for each in inside if isinstance(each[1], ExpressionStatement)]


def _parts_of(made: Statement) -> Iterator[_Part]:
    """The statements that one version alone runs, of an item of a list with its numbers."""
    version = _version_of(made)
    if version is None:
        return
    if isinstance(made, Execute) and not made.change:
        for inner in made.body.items:
            yield from _parts_of(inner)
        return
    inside = tuple(_numbered(made))
    if inside:
        yield _Part(version, inside)


def _statements(body: Compound) -> Iterator[Statement]:
    """All statements that may have a number."""
    simple = (
        ExpressionStatement, Return, Break, Continue, Goto, ComputedGoto, Assembly, Unsupported,
        Declaration,
    )  # fmt: skip
    heads = If, While, DoWhile, For, Switch
    for node in walk(body):
        if isinstance(node, (*simple, *heads)) and not runs_nothing(node):
            yield node


def _key(item: Statement) -> tuple[object, ...]:
    """A key that is equal for statements whose own parts have the same meaning; variables count by
    name."""
    words: list[object] = [item.__class__.__name__]
    for node in walk(*_trees(head_of(item))):
        match node:
            case Name(symbol=symbol) | Declaration(symbol=symbol):
                words.append((node.__class__.__name__, symbol.name))
            case _:
                sign = getattr(node, "operator", getattr(node, "value", None))
                plain = isinstance(sign, str | int | float | bytes)
                words.append((node.__class__.__name__, sign if plain else ""))
    return tuple(words)


def _written(pieces: Iterable[Piece]) -> Iterator[Symbol]:
    """The variables that are assigned, or whose address is taken."""
    for node in walk(*_trees(pieces)):
        match node:
            case Assign(target=target) | CompoundAssign(target=target):
                yield from _names(target)
            case Increment(operand=target) | AddressOf(operand=target):
                yield from _names(target)
            case _:
                pass


def _trees(pieces: Iterable[Piece]) -> list[Tree]:
    return [piece for piece in pieces if not isinstance(piece, FunctionDefinition)]


def _names(target: Expression) -> Iterator[Symbol]:
    return (node.symbol for node in walk(target) if isinstance(node, Name))


__all__ = ["head_of", "runs_nothing", "take_apart"]
