"""Which pointer parameters lead into one object: the start and the end of a range of its elements.

    while (p < end) sum += *p++;            (p, end): end is one past the last element at most
    size_t left = end - p;                  the same (C17 6.5.6p9): both lead into one object
    for (q = first; q <= last; q++) ..      (first, last): last leads to an element
    return length_of(p, end);               as length_of says

Such pairs are found in the conditions of loops that step one of them, in other comparisons of a
pointer that is stepped with one that is not (6.5.8p5), and in differences. Where what the end leads
to is used itself, it leads to an element, and a difference may be one of two objects that could
overlap (memmove), and says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from csg.analysis.lengths import Functions, called_from
from csg.errors import Location
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    CompoundAssign,
    Dereference,
    DoWhile,
    Expression,
    For,
    FunctionDefinition,
    Increment,
    Index,
    Member,
    Name,
    SizeOf,
    StorageDuration,
    Symbol,
    While,
)
from csg.language.traversal import (
    Tree,
    assigned_values,
    called_name,
    is_null,
    value_of,
    walk,
    without_casts,
)
from csg.language.types import Enumeration, Floating, Integer, Pointer, Record, Type, Void
from csg.records import record

_ANEW = re.compile("alloc|dup|copy|clone|new|create", re.IGNORECASE)
_ORDERS = ("<", ">", "<=", ">=")


@record
class PointerRange:
    """Parameter ``end`` leads as far as one past the last element of what ``start`` leads to; to an
    element where it is ``inclusive``. ``ordered``: the code does not ask whether ``end`` comes
    before ``start``; all that is known of a pair may be that it does, which makes it no range
    (``sure``). ``why``, at a ``location``, is the reason."""

    start: int
    end: int
    inclusive: bool
    ordered: bool
    why: str
    location: Location
    sure: bool = True


_Pairs = dict[tuple[int, int], PointerRange]


def pointer_ranges(
    versions: Sequence[Mapping[str, FunctionDefinition]], name: str
) -> tuple[PointerRange, ...]:
    """The ranges that a function of one of the versions shows, each parameter the end of one at
    most. Those of the last version are preferred. The end of a range is inclusive only where all
    versions that know the range say so, and the order is sure only where none asks for it."""
    found: _Pairs = {}
    for functions in versions:
        if name not in functions:
            continue
        for pair, each in _ranges(functions, functions[name]).items():
            known = found.get(pair)
            found[pair] = each if known is None else _merged(known, each)
    ends: set[int] = set()
    chosen: list[PointerRange] = []
    for (start, end), each in sorted(found.items()):
        if (
            each.sure
            and end not in ends
            and (end, start) not in {(one.start, one.end) for one in chosen}
        ):
            ends.add(end)
            chosen.append(each)
    return tuple(chosen)


def _merged(one: PointerRange, other: PointerRange) -> PointerRange:
    """A range as two versions show it, or one of them alone."""
    if one.sure and other.sure:
        other = replace(other, inclusive=one.inclusive and other.inclusive)
    return replace(other if other.sure else one, ordered=one.ordered and other.ordered)


def _ranges(functions: Functions, entry: FunctionDefinition) -> _Pairs:
    uses = {each.symbol.name: _Uses(each) for each in called_from(functions, entry)}
    found: dict[str, _Pairs] = {name: {} for name in uses}
    for _ in uses:  # each round brings them one call further up
        again = {name: each.ranges(found) for name, each in uses.items()}
        if again == found:
            break
        found = again
    return found[entry.symbol.name]


@record
class _Shown:
    """A place where a function shows that one pointer is no further than another one."""

    low: Symbol
    high: Symbol
    sure: bool  # also where what the end leads to is used
    inclusive: bool
    ordered: bool
    why: str
    location: Location


class _Uses:
    """How one function uses its pointer parameters, and local copies of them."""

    def __init__(self, definition: FunctionDefinition) -> None:
        self._numbers = {
            each: at
            for at, each in enumerate(definition.parameters)
            if isinstance(each.type, Pointer) and _is_counted(each.type.target)
        }
        nodes = list(walk(definition.body))
        self._bases = {each: each for each in self._numbers}
        self._mixed = self._copies(nodes)
        self._stepped = {each for node in nodes for each in self._steps(node)}
        self._opened = {each for node in nodes for each in self._opens(node)}
        self._calls = [each for each in nodes if isinstance(each, Call)]
        self._shown = list(self._comparisons(nodes)) if len(self._numbers) > 1 else []

    def ranges(self, of_others: Mapping[str, _Pairs]) -> _Pairs:
        found: _Pairs = {}
        shown = [*self._shown, *self._passed_on(of_others)]
        together: dict[frozenset[Symbol], list[_Shown]] = {}
        for each in shown:
            together.setdefault(frozenset((each.low, each.high)), []).append(each)
        starts = {each.low for each in shown if each.ordered}
        for symbols, places in together.items():
            low, high = sorted(symbols, key=lambda each: self._numbers[each])
            lows = {each.low for each in places if each.ordered}
            if lows == {high}:
                low, high = high, low
            evidence = [each for each in places if each.low is low and each.ordered]
            if high in self._opened:
                evidence = [each for each in evidence if each.sure]
            if self._mixed.get(high, low) is not low or self._mixed.get(low, low) is not low:
                continue
            first = (evidence or places)[0]
            pair = self._numbers[low], self._numbers[high]
            is_element = high in self._opened and high not in starts
            inclusive = is_element or all(each.inclusive for each in evidence)
            ordered = all(each.ordered for each in places)
            place = first.location
            found[pair] = PointerRange(*pair, inclusive, ordered, first.why, place, bool(evidence))
        return found

    # -------------------------------------------------------------- copies

    def _copies(self, nodes: Sequence[Tree]) -> dict[Symbol, Symbol | None]:
        """Learn which local pointers lead where a parameter leads. Returns the parameters that are
        assigned what another one leads to; None for one that is assigned anything else."""
        assigned = assigned_values(nodes)
        for _ in range(3):  # copies of copies
            for symbol, values in assigned.items():
                is_local = symbol.storage is StorageDuration.AUTOMATIC
                if symbol not in self._numbers and isinstance(symbol.type, Pointer) and is_local:
                    bases = {self._base(each) for each in values if not is_null(each)} - {symbol}
                    if len(bases) == 1 and (base := bases.pop()) is not None:
                        self._bases[symbol] = base
        mixed: dict[Symbol, Symbol | None] = {}
        for symbol in self._numbers:
            values = [each for each in assigned.get(symbol, ()) if not is_null(each)]
            bases = {self._base(each) for each in values} - {symbol}
            if bases:
                mixed[symbol] = bases.pop() if len(bases) == 1 else None
        return mixed

    def _base(self, expression: Expression) -> Symbol | None:
        """The parameter that an address is computed from by adding to it."""
        while True:
            match expression:
                case Cast(operand=inner) if isinstance(expression.type, Pointer):
                    expression = inner
                case Increment(operand=inner) | CompoundAssign(target=inner):
                    expression = inner
                case Assign(value=inner):
                    expression = inner
                case Binary(operator="+" | "-", left=left, right=right, type=Pointer()):
                    expression = left if isinstance(left.type, Pointer) else right
                case AddressOf(operand=Index(base=inner) | Dereference(operand=inner)):
                    expression = inner
                case Call(arguments=arguments, type=Pointer(target=target)):
                    # ``p = skip(p, end)``: what leads on from an argument, if it is no copy
                    into = [each for each in arguments if _leads_to(each.type, target)]
                    if not into or _ANEW.search(called_name(expression)):
                        return None
                    expression = into[0]
                case Name(symbol=symbol):
                    return self._bases.get(symbol)
                case _:
                    return None

    def _steps(self, node: Tree) -> Iterator[Symbol]:
        """The parameters that a node steps, themselves or a copy."""
        match node:
            case Increment(operand=target) | CompoundAssign(target=target):
                base = self._base(target)
                if isinstance(target.type, Pointer) and base is not None:
                    yield base
            case Assign(target=Name(symbol=symbol), value=value):
                inner = without_casts(value)
                base = self._bases.get(symbol)
                if base is not None and isinstance(inner, Binary) and self._base(inner) is base:
                    yield base
            case _:
                pass

    def _opens(self, node: Tree) -> Iterator[Symbol]:
        """The parameters of which a node uses an element that does not lie before them."""
        pointers: list[Expression] = []
        match node:
            case Dereference(operand=pointer):
                inner = without_casts(pointer)
                back = isinstance(inner, Increment) and inner.operator == "--" and inner.prefix
                back = back or (isinstance(inner, Binary) and inner.operator == "-")
                pointers = [] if back else [pointer]
            case Index(base=pointer, index=index):
                pointers = [] if (value_of(index) or 0) < 0 else [pointer]
            case Member(record=pointer, arrow=True):
                pointers = [pointer]
            case _:
                pass
        for each in pointers:
            base = self._base(each)
            if base is not None:
                yield base

    # -------------------------------------------------------------- what is shown

    def _comparisons(self, nodes: Sequence[Tree]) -> Iterator[_Shown]:
        looped: set[int] = set()
        skipped: set[int] = set()
        for node in nodes:
            match node:
                case While(condition=condition) | DoWhile(condition=condition):
                    looped.update(id(each) for each in walk(condition))
                case For(condition=condition) if condition is not None:
                    looped.update(id(each) for each in walk(condition))
                case SizeOf(operand=operand) if operand is not None:
                    skipped.update(id(each) for each in walk(operand))
                case _:
                    pass
        for node in nodes:
            if isinstance(node, Binary) and id(node) not in skipped:
                left, right = self._base(node.left), self._base(node.right)
                if left is None or right is None or left is right:
                    continue
                if _target(left) == _target(right):
                    yield from self._shows(node, left, right, id(node) in looped)

    def _shows(self, node: Binary, left: Symbol, right: Symbol, looped: bool) -> Iterator[_Shown]:
        one = {each for each in (left, right) if each in self._stepped}
        operator, place = node.operator, node.location
        if operator == "-" and not isinstance(node.type, Pointer):
            why = f"{left.name} - {right.name} is how much there is"
            yield _Shown(right, left, False, False, True, why, place)
        elif operator in ("==", "!=") and len(one) == 1:
            low = next(iter(one))
            high = right if low is left else left
            why = f"{low.name} goes on until it is {high.name}"
            yield _Shown(low, high, True, False, True, why, place)
        elif operator in _ORDERS:
            low, high = (left, right) if operator in ("<", "<=") else (right, left)
            if looped and one:
                inclusive = "=" in operator
                why = (
                    f"a loop goes on while {low.name} is {'not behind' if inclusive else 'before'} "
                )
                yield _Shown(low, high, True, inclusive, True, why + high.name, place)
            elif not looped:
                # ``p >= end`` is the end of ``p < end``, while ``p > end`` asks for more
                earlier = min(left, right, key=lambda each: self._numbers[each])
                first = next(iter(one)) if len(one) == 1 else earlier
                last = right if first is left else left
                is_strict = operator in (("<", ">=") if first is left else (">", "<="))
                why = f"{first.name} is held against {last.name}"
                if len(one) == 1 or not is_strict:
                    yield _Shown(first, last, True, False, is_strict, why, place)

    def _passed_on(self, of_others: Mapping[str, _Pairs]) -> Iterator[_Shown]:
        for call in self._calls:
            name, given = called_name(call), call.arguments
            for each in of_others.get(name, {}).values():
                if max(each.start, each.end) >= len(given):
                    continue
                low, high = self._base(given[each.start]), self._base(given[each.end])
                if low is None or high is None or low is high or _target(low) != _target(high):
                    continue
                why = f"{name} takes both: {each.why}"
                ordered = each.ordered and each.sure
                yield _Shown(low, high, True, each.inclusive, ordered, why, call.location)
                if each.sure and not each.ordered:
                    yield _Shown(low, high, True, each.inclusive, True, why, call.location)


def _leads_to(kind: Type, target: Type) -> bool:
    return isinstance(kind, Pointer) and kind.target == target


def _is_counted(kind: Type) -> bool:
    """Can there be several objects of this type in a row, one of which an input can hold?"""
    if isinstance(kind, Record):
        return kind.fields is not None
    return isinstance(kind, Void | Integer | Enumeration | Floating)


def _target(symbol: Symbol) -> Type:
    assert isinstance(symbol.type, Pointer)
    return symbol.type.target
