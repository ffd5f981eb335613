"""What callers of a function have to see to, as far as both versions of it say so.

    int sum(const int *a, int n)            n <= elements of a: a[i] stands below n (sum.c:5)
    {                                       a is not null: it is used before anything is asked
        assert(n >= 0);                     n >= 0: it is asserted first
        for (i = 0; i < n; i++) s += a[i];

A precondition is inferred only where the code of both versions has it, each by itself, so that no
change can have made it; and where it is certain, for inputs that break it are not tried. Each has
its place in the new version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from csg.analysis.callers import Passed, calls_of, common_to, passed_by, range_of_type
from csg.analysis.guarded_lengths import Counted, Pair
from csg.analysis.lengths import counted
from csg.analysis.nullness import NullTests, asked_for_null, functions_of, used_first
from csg.analysis.output_buffers import BUFFER, ROOM
from csg.analysis.pointer_ranges import pointer_ranges
from csg.analysis.several import ALONE, Several
from csg.errors import Location
from csg.ir import DRIVEN
from csg.language.expression_text import ExpressionText, Notation
from csg.language.syntax import (
    Binary,
    Call,
    Case,
    Cast,
    Conditional,
    Declaration,
    EnumeratorName,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    Index,
    IntegerConstant,
    Linkage,
    Logical,
    Member,
    Name,
    Return,
    SizeOf,
    Switch,
    Symbol,
    TranslationUnit,
    Unary,
)
from csg.language.traversal import (
    MIRROR,
    Tree,
    called_name,
    children,
    is_failed_assertion,
    place_of,
    root_of,
    value_of,
    walk,
    without_casts,
)
from csg.language.type_text import declaration_text
from csg.language.types import (
    INT,
    Enumeration,
    Integer,
    Pointer,
    Record,
    Void,
    is_integer,
    size_of,
)
from csg.records import record
from csg.unify import Unified
from csg.unify.changes.explaining import is_pure

MOST_VALUES = 16  # constants that callers pass for one parameter
MOST_NAMED = 4  # enumerators that a text names


@record
class Length:
    """Behind ``pointer``, if it is not null, there are ``number`` times ``unit`` bytes, or enough
    for ``number`` minus ``less`` elements (-1: one element more). The code distinguishes numbers
    below ``least`` from others. ``passed``: it is so in all calls that are there, whatever the code
    does with the number: what is passed may be a text. ``room``: what is called ``pointer`` is an
    array in a structure, of so many bytes. ``null``: where ``pointer`` is null, there are no bytes
    behind it; else any number may stand beside a null."""

    pointer: str
    number: str
    unit: int
    least: int = 0
    less: int = 0
    passed: bool = False
    room: int = 0
    null: bool = False

    def most(self, size: int) -> int:
        """The largest number that ``size`` bytes allow."""
        return size // self.unit + self.less


@record
class NonNull:
    pointer: str


@record
class OneOf:
    name: str
    values: tuple[int, ...]


@record
class Bounded:
    """A number is one of ``low`` to ``high``."""

    name: str
    low: int
    high: int


@record
class Asserted:
    """An expression over parameters, and members of what they point to, is not 0."""

    expression: Expression


@record
class Ended:
    """The last of the structures behind each of ``pointers`` is zero; nothing says how many there
    are."""

    pointers: tuple[str, ...]


@record
class Single:
    """Behind ``pointer``, if it is not null, there is one number: nothing uses more."""

    pointer: str


@record
class Terminated:
    """Behind ``pointer``, if it is not null, there is a text that ends with a 0 byte, whatever the
    code does with it: tests are made so."""

    pointer: str


@record
class Roomy:
    """There is room behind ``pointer`` for whatever is written, and a driver provides it."""

    pointer: str


@record
class TruthValue:
    """The byte of a _Bool in memory is 0 or 1: others are no values of the type (C17 6.2.6.1p5)."""

    name: str


Claim = (
    Length | NonNull | OneOf | Bounded | Asserted | Ended | Single | Terminated | Roomy | TruthValue
)


@record
class Precondition:
    """What callers have to guarantee: ``text`` states the claim for a reader, ``reason`` says why,
    at ``location`` of the new version."""

    claim: Claim
    text: str
    reason: str
    location: Location

    @property
    def excludes(self) -> bool:
        """Can an input break it? Not where tests are made so: without null, and with a 0 at the end
        of a text, or with room, and with 0 or 1 in a _Bool."""
        return not isinstance(self.claim, NonNull | Terminated | Roomy | TruthValue)

    def __str__(self) -> str:
        return f"{self.text} ({self.location}: {self.reason})"


def preconditions(
    unified: Unified,
    entry: FunctionDefinition,
    stepped: Several = ALONE,
    known_callers: bool = False,
) -> tuple[Precondition, ...]:
    """The preconditions of ``entry``, a function of the unified program, in its names.
    ``stepped``: the pointers that lead to several structures, and to single numbers.
    ``known_callers``: all its callers are in these files, although others could call it."""
    old, new = _versions(unified, entry)
    if {len(each.parameters) for each in (old, new)} != {len(entry.parameters)}:
        return ()
    asserted = list(_asserted(entry))
    asked = asked_for_null(unified, entry)
    ranges = tuple(_in_one_object(unified, entry))
    offsets = {each.claim.number for each in ranges if isinstance(each.claim, Length)}
    lengths = _lengths(old, new, entry.parameters, asked)
    every = (
        *ranges,
        *_with_room(entry),
        *(each for each in lengths if _number_of(each) not in offsets),
        *_command_line(old, new, stepped),
        *_single(entry.parameters, new, stepped),
        *_not_null(old, new, entry, asked, asserted),
        *_enumerators(old, new, entry.parameters),
        *(each for each in asserted if isinstance(each.claim, Asserted)),
        *(
            ()
            if entry.is_for_others and not known_callers
            else _from_callers(old, new, entry, asked)
        ),
    )
    once = {each.text: each for each in reversed(every)}  # the first of those that say the same
    first = [each for each in every if once[each.text] is each]
    said = [known for each in asserted if (known := _asserted_range(each.claim)) is not None]
    return tuple(each for each in first if not _is_said(each.claim, said))


def _asserted_range(claim: Claim) -> Bounded | None:
    """The values of a parameter that an assertion allows: 1 and more for ``n > 0u``, ``n != 0``."""
    match claim:
        case Asserted(expression=Binary(operator=operator, left=left, right=right)):
            pass
        case _:
            return None
    if value_of(left) is not None:
        left, operator, right = right, MIRROR.get(operator, operator), left
    value, number = value_of(right), without_casts(left)
    if value is None or not isinstance(number, Name) or not is_integer(number.type):
        return None
    low, high = range_of_type(number.type)
    match operator:
        case ">" | ">=":
            low = max(low, value + (operator == ">"))
        case "<" | "<=":
            high = min(high, value - (operator == "<"))
        case "!=" if value == low:
            low += 1
        case _:
            return None
    return Bounded(number.symbol.name, low, high)


def _is_said(claim: Claim, said: Sequence[Bounded]) -> bool:
    """Does an assertion say as much of the number, or more?"""
    return isinstance(claim, Bounded) and any(
        each.name == claim.name and claim.low <= each.low and each.high <= claim.high
        for each in said
    )


def guarantees(unified: Unified, entry: FunctionDefinition) -> tuple[Precondition, ...]:
    """What all calls of the entry function that are there guarantee. It is no precondition where
    others may call the function as well."""
    asked = asked_for_null(unified, entry)
    return tuple(_from_callers(*_versions(unified, entry), entry, asked))


def _versions(unified: Unified, entry: FunctionDefinition) -> tuple[_Version, _Version]:
    name, shared = entry.symbol.name, unified.shared
    return _Version((unified.old, *shared), name), _Version((unified.new, *shared), name)


class _Version:
    """The functions of one version, and its entry function."""

    def __init__(self, units: Sequence[TranslationUnit], entry: str) -> None:
        self.functions = functions_of(units)
        self.entry = self.functions.get(entry)
        self._units = units

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        return self.entry.parameters if self.entry is not None else ()

    def lengths(self) -> dict[Pair, Counted]:
        """The pairs of pointer and number, by the code and by ``__attribute__((access))``."""
        if self.entry is None:
            return {}
        found = dict(counted(self.functions, self.entry))
        for pointer, number in self.entry.symbol.access:
            if not 0 < min(pointer, number) <= max(pointer, number) <= len(self.parameters):
                continue
            kind = self.parameters[pointer - 1].type
            if isinstance(kind, Pointer) and is_integer(self.parameters[number - 1].type):
                why, place = "__attribute__((access))", self.entry.location
                pair = str(pointer - 1), str(number - 1)
                found[pair] = Counted(max(1, _size(kind)), why, place)
        return found

    def never_null(self, place: int) -> tuple[str, Location] | None:
        """Why this parameter must not be null, and where the code says so; None where it may be
        null."""
        if self.entry is None:
            return None
        if not self.entry.symbol.nonnull.isdisjoint((0, place + 1)):
            return "__attribute__((nonnull))", self.entry.location
        used = used_first(self.entry).get(self.parameters[place])
        return None if used is None else ("it is used before anything is asked", used)

    def calls(self) -> list[tuple[FunctionDefinition, Call]]:
        """All calls of the entry function; none where it may be called in other ways too."""
        return calls_of(self._units, self.entry) if self.entry is not None else []


# ------------------------------------------------------------------ lengths


def _lengths(
    old: _Version, new: _Version, parameters: Sequence[Symbol], asked: NullTests
) -> Iterator[Precondition]:
    """The lengths that both versions expect. Of a member that is null the number says the same,
    unless a version asks whether it is."""
    before, after = old.lengths(), new.lengths()
    for pair in sorted(before.keys() & after.keys()):
        each = after[pair]
        unit = min(each.unit, before[pair].unit)
        pointer, number = (_named(name, parameters) for name in pair)
        less = max(each.less, before[pair].less)
        shown = f"{number} - {less}" if less else number
        text = f"{shown} <= bytes of {pointer}"
        if unit != 1:
            text = f"{unit} * ({shown}) <= bytes of {pointer}" if less else f"{unit} * {text}"
            kind = parameters[int(root_of(pair[0]))].type
            if pair[0].isdigit() and isinstance(kind, Pointer) and _size(kind) == unit:
                text = f"{shown} <= elements of {pointer}"
        way = pair[0].removeprefix(root_of(pair[0]))
        null = way.count("->") == 1 and (int(root_of(pair[0])), way) not in asked.ways
        least = max(each.least, before[pair].least)
        claim = Length(pointer, number, unit, least, less, null=null)
        yield Precondition(claim, text, each.why, each.location)


def _number_of(expected: Precondition) -> str:
    return expected.claim.number if isinstance(expected.claim, Length) else ""


def _in_one_object(unified: Unified, driver: FunctionDefinition) -> Iterator[Precondition]:
    """What a driver has to see to that passes pointers into one object."""
    if not driver.symbol.name.startswith(DRIVEN):
        return
    versions = [functions_of((each, *unified.shared)) for each in (unified.old, unified.new)]
    numbers = {each: each.name for each in driver.parameters}
    for call in walk(driver.body):
        called = versions[1].get(called_name(call)) if isinstance(call, Call) else None
        if not isinstance(call, Call) or called is None:
            continue
        names = [each.name for each in called.parameters]
        given = [_offset_in(each, numbers) for each in call.arguments]
        for each in pointer_ranges(versions, called.symbol.name):
            if max(each.start, each.end) >= len(given):
                continue
            end, own = given[each.end], given[each.start]
            pointer = called.parameters[each.end].type
            if end is None or not isinstance(pointer, Pointer):
                continue
            less, unit = -each.inclusive, max(1, _size(pointer))
            start, behind = names[each.start], names[each.end]
            text = f"{behind} leads into what {start} leads to, or to its end"
            if each.inclusive:
                text = f"{behind} leads to an element of what {start} leads to"
            claim = Length(end[0].name, end[1].name, unit, less=less)
            yield Precondition(claim, text, each.why, each.location)
            if own is None:
                continue
            if each.ordered:
                order = Binary("<=", Name(own[1], own[1].type), Name(end[1], end[1].type), INT)
                text = f"{start} is not behind {behind}"
                yield Precondition(Asserted(order), text, each.why, each.location)
            else:
                claim = Length(own[0].name, own[1].name, unit)
                text = f"{start} leads into the same object as {behind}, in any order"
                why = "a version asks which of them comes first"
                yield Precondition(claim, text, why, each.location)


def _with_room(driver: FunctionDefinition) -> Iterator[Precondition]:
    """What is only written to, so that a driver passes an object of its own."""
    if not driver.symbol.name.startswith(DRIVEN):
        return
    for node in walk(driver.body):
        if isinstance(node, Name) and node.symbol.name.startswith(BUFFER):
            name = node.symbol.name.removeprefix(BUFFER)
            text = f"{name} has room for all that is written, up to {ROOM:,} bytes"
            why = "it is not read, and nothing says how much there is"
            yield Precondition(Roomy(name), text, why, node.location)


def _offset_in(
    argument: Expression, parameters: Mapping[Symbol, str]
) -> tuple[Symbol, Symbol] | None:
    """The pointer and the number that an address is made of; null aside."""
    inner = without_casts(argument)
    while isinstance(inner, Conditional):
        then = without_casts(inner.then if inner.then is not None else inner.condition)
        inner = without_casts(inner.otherwise) if isinstance(then, IntegerConstant) else then
    match inner:
        case Binary(operator="+", left=left, right=right):
            match without_casts(left), without_casts(right):
                case Name(symbol=pointer), Name(symbol=number):
                    return (pointer, number) if {pointer, number} <= {*parameters} else None
                case _:
                    return None
        case _:
            return None


def _command_line(old: _Version, new: _Version, stepped: Several) -> Iterator[Precondition]:
    """Parameters that have the names of main's hold what main's hold (C17 5.1.2.2.1p2)."""
    names = [_as_in_main(each.parameters) for each in (old, new)]
    if names[0] and names[0] == names[1] and names[0][1] in stepped.parameters:
        count, words = names[0]
        place = new.parameters[0].location
        why = "they are called as in main"
        claim = Length(words, count, 8, less=-1)
        yield Precondition(claim, f"{count} < elements of {words}", why, place)
        yield Precondition(Ended((words,)), f"the last of {words} is null", why, place)


def _single(
    parameters: Sequence[Symbol], new: _Version, stepped: Several
) -> Iterator[Precondition]:
    """The parameters that lead to one number: a result is stored there, or one is passed so."""
    for symbol, other in zip(parameters, new.parameters, strict=True):
        if symbol.name in stepped.single and isinstance(symbol.type, Pointer):
            text = f"{symbol.name} leads to one {declaration_text(symbol.type.target)}"
            why = "neither version uses more of it"
            yield Precondition(Single(symbol.name), text, why, other.location)


def _as_in_main(parameters: Sequence[Symbol]) -> tuple[str, str] | None:
    known = {each.name: each.type for each in parameters}
    match known.get("argc"), known.get("argv"):
        case Integer(), Pointer(target=Pointer(target=Integer(size=1))):
            return "argc", "argv"
        case _:
            return None


def _size(kind: Pointer) -> int:
    """The size in bytes of what a pointer points to; 0 where it is not known."""
    target = kind.target
    if isinstance(target, Void) or (isinstance(target, Record) and target.fields is None):
        return 0
    return size_of(target)


def _named(name: str, parameters: Sequence[Symbol]) -> str:
    """``1->count`` with the parameter's name instead of its number."""
    root = root_of(name)
    return parameters[int(root)].name + name.removeprefix(root)


# ------------------------------------------------------------------ pointers that are never null


def _not_null(
    old: _Version,
    new: _Version,
    entry: FunctionDefinition,
    asked: NullTests,
    asserted: Sequence[Precondition],
) -> Iterator[Precondition]:
    """The pointers that are never null. Where a version compares one with null it may be null,
    unless both versions say otherwise."""
    sure = {each.claim.pointer: each for each in asserted if isinstance(each.claim, NonNull)}
    for place, symbol in enumerate(entry.parameters):
        if not isinstance(symbol.type, Pointer):
            continue
        text, both = f"{symbol.name} is not null", (old.never_null(place), new.never_null(place))
        if symbol.name in sure:
            yield sure[symbol.name]
        elif both[0] is not None and both[1] is not None:
            yield Precondition(NonNull(symbol.name), text, *both[1])
        elif place in asked.late:
            why = "where a version asks whether it is, it has used it before"
            yield Precondition(NonNull(symbol.name), text, why, new.parameters[place].location)
        elif place not in asked.asked:
            why, where = "neither version asks whether it is", new.parameters[place].location
            yield Precondition(NonNull(symbol.name), text, why, where)


# ------------------------------------------------------------------ enumerations


def _enumerators(
    old: _Version, new: _Version, parameters: Sequence[Symbol]
) -> Iterator[Precondition]:
    for place, symbol in enumerate(parameters):
        kinds = [each.parameters[place].type for each in (old, new)]
        if not all(isinstance(kind, Enumeration) for kind in kinds):
            continue
        names: dict[int, str] = {}
        for kind in kinds:
            assert isinstance(kind, Enumeration)
            for name, value in kind.enumerators:
                names.setdefault(value, name)
        if (
            not names
            or _are_flags(names)
            or not all(
                _only_distinguished(each.functions, each.entry, place, names)
                for each in (old, new)
                if each.entry is not None
            )
        ):
            continue
        listed = [names[value] for value in sorted(names)]
        text = f"{symbol.name} is {', '.join(listed)}"
        if len(listed) > MOST_NAMED:
            text = f"{symbol.name} is an enumerator of {kinds[1]}"
        claim = OneOf(symbol.name, tuple(sorted(names)))
        why = "of its type, and nothing asks for other values"
        yield Precondition(claim, text, why, new.parameters[place].location)


def _are_flags(values: Mapping[int, str]) -> bool:
    """Are these values meant to be combined by ``|``?"""
    return max(values) >= 4 and all(value & (value - 1) == 0 for value in values if value)


def _only_distinguished(
    functions: Mapping[str, FunctionDefinition],
    entry: FunctionDefinition,
    place: int,
    values: Mapping[int, str],
) -> bool:
    """Is the parameter only compared with enumerators, in ``entry`` and where it is passed on?
    Orders, sums, and a ``default`` after all of them, treat values that are no enumerator."""
    waiting, seen = [(entry, place)], {(entry.symbol, place)}
    for definition, at in waiting:
        own = definition.parameters[at]
        uses = 0
        for node in walk(definition.body):
            match node:
                case Name(symbol=symbol) if symbol is own:
                    uses += 1
                case Switch(selector=selector) if _is(selector, own):
                    if _has_spare_default(node, values):
                        return False
                    uses -= 1
                case Binary(operator="==" | "!=", left=left, right=right):
                    uses -= _is(left, own) + _is(right, own)
                case Index(index=index) | Return(value=index) if index is not None:
                    uses -= _is(index, own)
                case Call(arguments=arguments):
                    for number, argument in enumerate(arguments):
                        if not _is(argument, own):
                            continue
                        uses -= 1
                        callee = functions.get(called_name(node))
                        if callee is None or number >= len(callee.parameters):
                            continue
                        if (callee.symbol, number) not in seen:
                            seen.add((callee.symbol, number))
                            waiting.append((callee, number))
                case _:
                    pass
        if uses:
            return False
    return True


def _is(expression: Expression, symbol: Symbol) -> bool:
    inner = without_casts(expression)
    return isinstance(inner, Name) and inner.symbol is symbol


def _has_spare_default(switch: Switch, values: Mapping[int, str]) -> bool:
    cases = [node for node in walk(switch.body) if isinstance(node, Case)]
    covered: set[int] = set()
    for each in cases:
        if each.low is not None and each.high is not None:
            covered |= {value for value in values if each.low <= value <= each.high}
        elif each.low is not None:
            covered.add(each.low)
    default = any(each.low is None and each.high is None for each in cases)
    return default and covered.issuperset(values)


# ------------------------------------------------------------------ assertions


def _asserted(entry: FunctionDefinition) -> Iterator[Precondition]:
    """What the function asserts before it does anything, in both versions alike: what is not alike
    is a change in the unified program."""
    parameters = {each: each.name for each in entry.parameters}
    for item in entry.body.items:
        match item:
            case Declaration() if is_pure(item):
                continue
            case ExpressionStatement(
                expression=Conditional(condition=condition, otherwise=otherwise)
            ) if is_failed_assertion(otherwise):
                yield from _claims(condition, otherwise, parameters)
            case _:
                return


def _claims(
    condition: Expression, failure: Expression, parameters: Mapping[Symbol, str]
) -> Iterator[Precondition]:
    """The parts of a condition, each as a claim of its own; parts about anything but parameters are
    left out."""
    parts = [condition]
    if isinstance(condition, Logical) and condition.operator == "&&":
        parts = list(condition.operands)
    why, place = "it is asserted before anything else", without_casts(failure).location
    spelling = ExpressionText(Notation(), lambda node: "({ ... })")
    for part in parts:
        pointer = _compared_with_null(part, parameters)
        if pointer:
            yield Precondition(NonNull(pointer), f"{pointer} is not null", why, place)
        elif _is_checkable(part, parameters):
            yield Precondition(Asserted(part), spelling.of(part), why, place)


def _compared_with_null(part: Expression, parameters: Mapping[Symbol, str]) -> str:
    match part:
        case Binary(operator="!=", left=left, right=right):
            inner = without_casts(right)
            is_null = isinstance(inner, IntegerConstant) and inner.value == 0
            part = left if is_null else part
        case _:
            pass
    match without_casts(part):
        case Name(symbol=symbol) if isinstance(symbol.type, Pointer) and symbol in parameters:
            return parameters[symbol]
        case _:
            return ""


def _is_checkable(part: Expression, parameters: Mapping[Symbol, str]) -> bool:
    """Is the expression computed from integer inputs and constants alone, so that inputs can be
    checked against it?"""
    waiting: list[Tree] = [part]
    while waiting:
        node = waiting.pop()
        match node:
            case IntegerConstant() | EnumeratorName() | SizeOf(value=int()):
                continue
            case Name() | Member():
                if not (is_integer(node.type) and place_of(node, parameters)):
                    return False
                continue
            case Cast(type=kind) | Unary(type=kind) | Binary(type=kind) | Conditional(type=kind):
                if not is_integer(kind):
                    return False
            case Logical():
                pass
            case _:
                return False
        waiting += children(node)
    return True


# ------------------------------------------------------------------ what all callers pass


def _from_callers(
    old: _Version, new: _Version, entry: FunctionDefinition, asked: NullTests
) -> Iterator[Precondition]:
    """What all callers pass in both versions."""
    before, after = old.calls(), new.calls()
    calls, count = [*before, *after], len(entry.parameters)
    if not before or not after:
        return
    if any(len(call.arguments) != count for _, call in calls):
        return
    passed = [
        each
        for version, found in ((old, before), (new, after))
        for each in passed_by(found, [symbol.type for symbol in version.parameters])
    ]
    shared, place, parameters = common_to(passed), after[0][1].location, entry.parameters
    kind = "static function" if entry.symbol.linkage is Linkage.INTERNAL else "function"
    why = f"all callers of this {kind} pass such a one"
    for at, symbol in enumerate(parameters):
        if at in asked.asked and at in shared.there:
            yield Precondition(NonNull(symbol.name), f"{symbol.name} is not null", why, place)
        yield from _numbers_from(passed, shared, at, symbol, why, place)
        for number, size in enumerate(parameters):
            if isinstance(symbol.type, Pointer) and is_integer(size.type):
                claim = _length_from(passed, at, number, parameters)
                if claim is not None:
                    text = f"{size.name} <= bytes of {symbol.name}"
                    yield Precondition(claim, text, why, place)
    for one, other in sorted(shared.not_above):
        operator = "<" if (one, other) in shared.below else "<="
        left, right = (Name(parameters[each], parameters[each].type) for each in (one, other))
        text = f"{left.symbol.name} {operator} {right.symbol.name}"
        yield Precondition(Asserted(Binary(operator, left, right, INT)), text, why, place)


def _numbers_from(
    passed: Sequence[Passed], shared: Passed, at: int, symbol: Symbol, why: str, place: Location
) -> Iterator[Precondition]:
    """The values that all callers pass for one number, or between which these are."""
    found = shared.bounds[at]
    if found is None:
        return
    name, (low, high) = symbol.name, found
    values = {each.bounds[at] for each in passed}
    known = sorted(each[0] for each in values if each is not None and each[0] == each[1])
    if len(known) == len(values) <= MOST_VALUES:
        text = f"{name} is {', '.join(map(str, known))}"
        yield Precondition(OneOf(name, tuple(known)), text, why, place)
        return
    least, most = range_of_type(symbol.type)
    if (low, high) == (least, most):
        return
    text = f"{name} <= {high}" if low == least else f"{low} <= {name} <= {high}"
    text = f"{name} >= {low}" if high == most else text
    yield Precondition(Bounded(name, low, high), text, why, place)


def _length_from(
    passed: Sequence[Passed], pointer: int, number: int, parameters: Sequence[Symbol]
) -> Length | None:
    """The claim that a number is no more than the size of what each caller passes; None where it
    may be more."""
    least: list[int] = []
    for each in passed:
        low, high = each.bounds[number] or (0, 0)
        if (pointer, number) in each.sizes:
            least.append(high if low == high else 0)
        elif each.bounds[number] is not None and 0 < high <= each.bytes[pointer]:
            least.append(max(0, low))
        else:
            return None
    return Length(parameters[pointer].name, parameters[number].name, 1, max(least), passed=True)
