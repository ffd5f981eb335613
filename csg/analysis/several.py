"""Which pointers lead to several structures, one behind the other.

    for (; o->type; o++) ..                the parameter o, and whatever is passed to it as o
    skip(self->options)                    the member options of struct parser, if skip steps
    tokens[parser->next++].size = 0;       tokens
    (char *) text + sizeof *text           text: its bytes stand behind the structure
    while (*(*words)++ != NULL) ..         *words: what the pointer leads to that is pointed to

A pointer leads to several where code steps it, adds to it, or takes an element that is not the
first, and so do all pointers whose values come there: by assignments, arguments and results.
Members count once for a structure, whichever object they lie in, and nothing is said of the order
of statements (field-based and flow-insensitive, as Heintze and Tardieu, PLDI 2001).

    *err = BAD_DIGIT;                      err leads to a single int, as long as no code steps it,
                                           takes it for another type, or gives it to a function
                                           whose code is not there

Of arrays of characters, only some are texts:

    strlen(s->name)                        name is one: a library function looks for its end
    while (*p) p++;      p = s->name       name is one: nothing else ends the loop
    memcmp(s->tag, "RIFF", 4)              tag is none, and its last byte need not be 0
    for (i = 0; i < 6; i++) n += s->id[i]  id is none
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from csg.analysis.views import tag_bits
from csg.ir.library_effects import TAKES, argument_indices, effect_of
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Change,
    Comma,
    CompoundAssign,
    Conditional,
    Declaration,
    Dereference,
    DoWhile,
    Expression,
    For,
    FunctionDefinition,
    Increment,
    Index,
    InitializerEntry,
    InitializerList,
    Linkage,
    Member,
    Name,
    Return,
    Symbol,
    TranslationUnit,
    While,
)
from csg.language.traversal import Tree, called_name, constant_of, walk, without_casts
from csg.language.types import (
    Array,
    Enumeration,
    Floating,
    Integer,
    Pointer,
    Record,
    Type,
    size_of,
)
from csg.records import record

_Root = Symbol | tuple[str, str]  # an object of its own, a member, or the result of a function
# the value of a pointer, or of one behind it, with the number of dereferences to it
_Node = tuple[_Root, int]
_DEEPEST = 2
_ANY = -1
# Functions that read texts only as far as a number says: (texts, number) by position.
_READ_AT_MOST = {
    **dict.fromkeys(("strncmp", "strncasecmp"), ((0, 1), 2)),
    **dict.fromkeys(("strncpy", "stpncpy", "strncat"), ((1,), 2)),
    **dict.fromkeys(("strnlen", "strndup"), ((0,), 1)),
    **dict.fromkeys(("memchr", "memrchr"), ((0,), 2)),
    "memccpy": ((1,), 3),
}


@record
class Several:
    """What leads to several structures: ``parameters`` of a function by name, ``members`` by
    ``record_key`` and name. A ``*`` before the name means the pointer that it points to.
    ``single``: the parameters that lead to numbers, and of these to one alone. ``tagged``: members
    that are pointers and whose low bits code looks at. ``texts``: members that are arrays of
    characters in which code looks for a 0; None: each such array is taken for one. ``rows``: the
    parameters that lead to arrays of characters (``char (*words)[8]``) in which code does."""

    parameters: frozenset[str] = frozenset()
    members: frozenset[tuple[str, str]] = frozenset()
    single: frozenset[str] = frozenset()
    tagged: frozenset[tuple[str, str]] = frozenset()
    texts: frozenset[tuple[str, str]] | None = None
    rows: frozenset[str] = frozenset()

    def is_text(self, owner: str, member: str) -> bool:
        """Is a member that is an array of characters a text? ``owner`` is a ``record_key``."""
        return self.texts is None or (owner, member) in self.texts


ALONE = Several()


def record_key(kind: Record) -> str:
    """A key that is equal for one structure in all files: its tag, or its members where it has
    none."""
    if kind.tag.isidentifier():
        return kind.tag
    return "{" + ",".join(each.name for each in kind.fields or ()) + "}"


def several(units: Sequence[TranslationUnit], entry: FunctionDefinition) -> Several:
    """The parameters of ``entry``, and the members of all structures, that lead to several.
    ``units`` are those of the program, or of both versions: a pointer that one version steps leads
    to several in both."""
    if not any(isinstance(each.type, Pointer | Record) for each in entry.parameters):
        return ALONE
    flow = _Flow(units)
    found, rows, texts = flow.stepped(), flow.rows_of_numbers(), flow.texts()
    return Several(
        frozenset(
            "*" * depth + each.name
            for each in entry.parameters
            for depth in range(_DEEPEST)
            if (each, depth) in found
        ),
        frozenset(
            (root[0], "*" * depth + root[1])
            for root, depth in found
            if not isinstance(root, Symbol) and root[1]
        ),
        frozenset(
            each.name
            for each in entry.parameters
            if _leads_to_numbers(each.type) and (each, 0) not in rows
        ),
        frozenset(
            root
            for root, depth in flow.tagged()
            if not isinstance(root, Symbol) and root[1] and not depth
        ),
        frozenset(
            root for root, depth in texts if not isinstance(root, Symbol) and root[1] and not depth
        ),
        frozenset(root.name for root, depth in texts if root in entry.parameters and depth > 1),
    )


class _Flow:
    """Where the values of pointers come from, and which pointers are stepped."""

    def __init__(self, units: Sequence[TranslationUnit]) -> None:
        # by name, those that one file alone can call by the number of this file as well
        self._definitions: dict[tuple[int, str], list[FunctionDefinition]] = {}
        self._unit = _ANY
        self._from: dict[_Node, set[_Node]] = {}
        self._stepped: set[_Node] = set()
        self._rows: set[_Node] = set()  # pointers that may lead to several numbers
        self._tagged: set[_Node] = set()
        self._texts: set[_Node] = set()  # characters that are read until one is 0
        for number, unit in enumerate(units):
            for each in unit.functions:
                own = each.symbol.linkage is not Linkage.EXTERNAL
                key = (number if own else _ANY, each.symbol.name)
                self._definitions.setdefault(key, []).append(each)
        for number, unit in enumerate(units):
            self._unit = number
            for declaration in unit.declarations:
                for node in walk(declaration):
                    self._look_at(node)
            for function in unit.functions:
                for node in walk(function.body):
                    if isinstance(node, Return) and node.value is not None:
                        self._flows(node.value, ((function.symbol.name, ""), 0))
                    self._look_at(node)

    def stepped(self) -> set[_Node]:
        """All pointers that lead to several structures."""
        return self._sources(self._stepped)

    def rows_of_numbers(self) -> set[_Node]:
        """All pointers that may lead to more than one number."""
        return self._sources(self._rows)

    def tagged(self) -> set[_Node]:
        """All pointers, and numbers, of which code looks at the low bits."""
        return self._sources(self._tagged)

    def texts(self) -> set[_Node]:
        """All characters that belong to texts."""
        return self._sources(self._texts)

    def _sources(self, pointers: set[_Node]) -> set[_Node]:
        """The pointers, and all whose values come there."""
        waiting = list(pointers)
        found = set(waiting)
        while waiting:
            for each in self._from.get(waiting.pop(), ()):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return found

    def _look_at(self, node: Tree) -> None:
        match node:
            case Declaration(symbol=symbol, initializer=value) if value is not None:
                if not isinstance(value, InitializerList):
                    self._flows(value, (symbol, 0))
            case InitializerList(entries=entries, type=kind):
                for entry in entries:
                    self._initialises(entry, kind)
            case Assign(target=target, value=value):
                for name in _origins(target):
                    self._flows(value, name)
            case Call(arguments=arguments):
                self._call(called_name(node), arguments)
            case Increment(operand=operand):
                self._steps(operand)
            case CompoundAssign(operator="+" | "-" | "+=" | "-=", target=target):
                self._steps(target)
            case Binary(operator="+" | "-", left=left, right=right, type=Pointer()):
                pointer, other = (left, right) if _is_pointer(left) else (right, left)
                number = constant_of(other)
                if number != 0:
                    self._steps(pointer)
                    self._steps_over(pointer, number)
            case Index(base=base, index=index) if constant_of(index) != 0:
                self._steps(base)
            case Cast(operand=operand, type=kind):
                self._converts(operand, kind)
            case Binary(operator="&", left=left, right=right) if tag_bits(right):
                self._tagged.update(each for each in _origins(left) if each[1] >= 0)
            case While(condition=condition) | DoWhile(condition=condition):
                self._loops(condition)
            case For(condition=condition) if condition is not None:
                self._loops(condition)
            case _:
                pass

    def _loops(self, condition: Expression) -> None:
        """Characters in the condition of a loop are a text if nothing else in it ends the loop."""
        parts = [each for each in walk(condition) if isinstance(each, Expression)]
        if not any(map(_bounds, parts)):
            for each in parts:
                if isinstance(each, Dereference | Index) and _is_character(each.type):
                    self._texts.update(each for each in _origins(each) if each[1] >= 0)

    def _reads_texts(self, name: str, arguments: Sequence[Expression]) -> None:
        """The arguments that a function without code reads until a 0 comes."""
        effect, sized = effect_of(name), {pointer for pointer, _, _ in TAKES.get(name, ())}
        read = list(range(len(arguments)))
        if effect is not None:
            read = argument_indices(effect.reads, effect.reads_rest, len(arguments))
        texts, number = _READ_AT_MOST.get(name, ((), 0))
        for at in read:
            if at in sized or (at in texts and _is_within(arguments, at, number)):
                continue
            for root, depth in _origins(arguments[at]):
                if depth + 1 >= 0:
                    self._texts.add((root, depth + 1))

    def _initialises(self, entry: InitializerEntry, kind: Type) -> None:
        member: _Root | None = None
        for step in entry.path:
            if isinstance(kind, Array):
                kind = kind.element
            elif isinstance(kind, Record):
                found = [each for each in kind.fields or () if each.name == step]
                if not found:
                    return
                member, kind = (record_key(kind), found[0].name), found[0].type
        if member is not None:
            self._flows(entry.value, (member, 0))

    def _call(self, name: str, arguments: Sequence[Expression]) -> None:
        known = self._definitions
        definitions = known.get((self._unit, name), []) or known.get((_ANY, name), [])
        for definition in definitions:
            for symbol, value in zip(definition.parameters, arguments, strict=False):
                self._flows(value, (symbol, 0))
        if not definitions:
            self._reads_texts(name, arguments)
            for value in arguments:
                self._as_rows(value)
            for pointer, number, _ in TAKES.get(name, ()):
                if number < len(arguments) and constant_of(arguments[number]) is None:
                    self._steps(arguments[pointer])

    def _flows(self, value: Expression, to: _Node) -> None:
        """Note that ``value`` is assigned to ``to``. What both point to is the same memory, so that
        pointers written there through one are read through the other."""
        if to[1] == 0:
            self._converts(value, _type_of(to[0]))
        for root, depth in _origins(value):
            for further in range(_DEEPEST):
                one, other = (root, depth + further), (to[0], to[1] + further)
                if one[1] >= 0:
                    self._from.setdefault(other, set()).add(one)
                if one[1] >= 0 and further:
                    self._from.setdefault(one, set()).add(other)

    def _steps(self, pointer: Expression) -> None:
        if _leads_on(pointer.type):
            self._stepped.update(each for each in _origins(pointer) if each[1] >= 0)
        self._as_rows(pointer)

    def _steps_over(self, pointer: Expression, number: int | None) -> None:
        """Note ``(char *) s + sizeof *s``: a step over whole structures, byte by byte."""
        inner = pointer
        while isinstance(inner, Cast):
            inner = inner.operand
        if inner is pointer or number is None or not isinstance(inner.type, Pointer):
            return
        size = size_of(inner.type.target) if isinstance(inner.type.target, Record) else None
        wide = size_of(pointer.type.target) if isinstance(pointer.type, Pointer) else None
        if size and wide and number * wide % size == 0:
            self._steps(inner)

    def _as_rows(self, pointer: Expression) -> None:
        if _is_pointer(pointer) and not _leads_on(pointer.type):
            self._rows.update(each for each in _origins(pointer) if each[1] >= 0)

    def _converts(self, value: Expression, kind: Type | None) -> None:
        """A pointer to a number that becomes a pointer to anything else, or a number, may be used
        for more than that number."""
        if kind is not None and isinstance(value.type, Pointer):
            target = kind.target if isinstance(kind, Pointer) else kind
            if not _leads_to_numbers(kind) or size_of(target) != size_of(value.type.target):
                self._as_rows(value)


def _bounds(part: Expression) -> bool:
    """Can a part of a condition end a loop whatever characters come? A comparison of numbers or
    pointers can, and something that is counted."""
    match part:
        case Binary(operator="<" | "<=" | ">" | ">=" | "==" | "!=", left=left, right=right):
            numbers = [constant_of(left), constant_of(right)]
            if any(_is_character(without_casts(each).type) for each in (left, right)):
                return False
            return part.operator in ("<", "<=", ">", ">=") or numbers == [None, None]
        case Increment(type=kind) | CompoundAssign(type=kind):
            return isinstance(kind, Integer) and not _is_character(kind)
        case _:
            return False


def _is_character(kind: Type) -> bool:
    return isinstance(kind, Integer) and kind.size == 1


def _is_within(arguments: Sequence[Expression], at: int, number: int) -> bool:
    """Is the number a constant, and no larger than the array that is passed?"""
    if number >= len(arguments) or (most := constant_of(arguments[number])) is None:
        return False
    match without_casts(arguments[at]):
        case Member(field=field) if isinstance(field.type, Array):
            return most <= size_of(field.type)
        case _:
            return True


def _is_pointer(expression: Expression) -> bool:
    return isinstance(expression.type, Pointer)


def _leads_to_numbers(kind: Type) -> bool:
    """Is it a pointer to a number that is no character?"""
    match kind:
        case Pointer(target=Integer(name=name, size=size)):
            return size > 1 or not name.endswith("char")
        case Pointer(target=Enumeration() | Floating()):
            return True
        case _:
            return False


def _type_of(root: _Root) -> Type | None:
    return root.type if isinstance(root, Symbol) else None


def _leads_on(kind: Type) -> bool:
    """Is it a pointer to a structure, an array or another pointer?"""
    return isinstance(kind, Pointer) and isinstance(kind.target, Record | Pointer | Array)


def _origins(expression: Expression) -> Iterator[_Node]:
    """The objects that hold the value of a pointer, each with the number of dereferences to it: one
    more for ``*p``, one less for ``&p``. An array is named as its elements are."""
    waiting: list[tuple[Expression, int]] = [(expression, 0)]
    while waiting:
        node, depth = waiting.pop()
        match node:
            case Name(symbol=symbol):
                yield symbol, depth - isinstance(symbol.type, Array)
            case Member(record=base, field=field) if field.name:
                kind = base.type.target if isinstance(base.type, Pointer) else base.type
                if isinstance(kind, Record):
                    yield (record_key(kind), field.name), depth - isinstance(field.type, Array)
            case Call():
                yield (called_name(node), ""), depth
            case Cast(operand=inner) | Increment(operand=inner) | CompoundAssign(target=inner):
                waiting.append((inner, depth))
            case Dereference(operand=inner) | Index(base=inner):
                waiting.append((inner, depth + 1))
            case AddressOf(operand=inner):
                waiting.append((inner, depth - 1))
            case Binary(operator="+" | "-", left=left, right=right):
                waiting += [(each, depth) for each in (left, right) if _is_pointer(each)]
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                waiting += [(condition if then is None else then, depth), (otherwise, depth)]
            case Assign(target=one, value=other) | Change(old=one, new=other):
                waiting += [(one, depth), (other, depth)]
            case Comma(right=inner):
                waiting.append((inner, depth))
            case _:
                pass
