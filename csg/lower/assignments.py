"""Assignments, also compound ones, ``++`` and ``--``; local declarations and their initialisers.

    x = a + b        %3 = add %1, %2
    *p = c           store 1, [%4], %2
    s += 1           %5 = sext %3 to 32;  %6 = add %5, 1;  %3 = trunc %6 to 16     (short s)
    y = x++          %5 = %3;  %3 = add %3, 1;  %4 = %5

The order of evaluation is gcc's (order.py).
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from csg.ir import Constant, Value
from csg.ir.program import StatementKind
from csg.language.syntax import (
    Assign,
    Binary,
    Call,
    Cast,
    Change,
    Comma,
    CompoundAssign,
    Declaration,
    Expression,
    Increment,
    Initializer,
    InitializerEntry,
    InitializerList,
    Linkage,
    Name,
    StringLiteral,
    Symbol,
    SymbolKind,
    Version,
    bit_field_width,
    is_variable,
    is_variably_modified,
    operand_type,
)
from csg.language.traversal import has_effects
from csg.language.types import (
    INT,
    Array,
    Floating,
    Pointer,
    Record,
    Type,
    is_signed,
    promoted,
    size_of,
    value_bits,
)
from csg.lower import context
from csg.lower.arithmetic import moved, operate
from csg.lower.builder import ADDRESS
from csg.lower.context import Lowering
from csg.lower.expressions import (
    call,
    convert,
    convert_to_field,
    converted,
    fix_size,
    integer,
    run_time_size,
    stored_value,
)
from csg.lower.floats import pattern
from csg.lower.folding import folded, is_pure, may_fold
from csg.lower.lvalues import declare_slot, is_local, symbol_place
from csg.lower.order import (
    Moment,
    by_version,
    in_each_version,
    in_versions,
    is_settled,
    moment,
    orders,
    same_value,
    seen_by,
    without_neutral,
)
from csg.lower.places import BitField, InMemory, InRegister, Place, by_address, member, read, write
from csg.lower.versions import assign_variable, in_region


def assign(lowering: Lowering, expression: Assign) -> Value:
    target, value = expression.target, expression.value
    settled = is_settled(lowering, target)
    while True:
        match value:
            case Comma(left=left, right=right):
                lowering.discard(left)
                value = right
            case (
                Assign(target=Name() as name)
                | CompoundAssign(target=Name() as name)
                | Increment(operand=Name() as name, prefix=True)
            ) if not settled:
                lowering.discard(value)  # its value is read behind the target
                value = name
            case _:
                break
    if settled:
        moments = (_settled_moment(target, value),) * 2
    elif has_effects(target, value):
        moments = orders(lowering, (target, value), moment)
    else:
        moments = (Moment.LAST, Moment.LAST)
    if moments[0] is moments[1] and (not isinstance(value, Change) or moments[0] is Moment.LAST):
        return _assign(lowering, target, value, moments[0])
    width = ADDRESS if by_address(target.type) else value_bits(target.type)

    def evaluate() -> tuple[Value]:
        at = moments[lowering.builder.version is Version.NEW]
        assert lowering.builder.version is not None
        return (_assign(lowering, target, seen_by(value, lowering.builder.version), at),)

    return in_each_version(lowering, expression, (width,), evaluate)[0]


def _settled_moment(target: Expression, value: Expression) -> Moment:
    """The target is the same at any time. A result of a call goes there as it is."""
    if isinstance(target, Name) or isinstance(value, Change):
        return Moment.LAST
    found = moment(target, value)
    return Moment.FIRST if found is Moment.BEFORE_CALL else found


def _assign(lowering: Lowering, target: Expression, value: Expression, at: Moment) -> Value:
    builder = lowering.builder
    match at:
        case Moment.FIRST:
            place = lowering.place(target)
            return write(builder, place, _value_for_place(lowering, place, value))
        case Moment.BEFORE_CALL:
            value = without_neutral(value)
            assert isinstance(value, Call)
            found: list[Place] = []
            result = call(lowering, value, between=lambda: found.append(lowering.place(target)))
            return write(builder, found[0], result)
        case Moment.BEFORE_LOAD:
            value = same_value(value)
            source, place = lowering.place(value), lowering.place(target)
            loaded = convert(builder, read(builder, source), value.type, target.type)
            return write(builder, place, loaded)
        case Moment.LAST:
            if isinstance(value, Change) and isinstance(target, Name):
                place = lowering.place(target)
                if isinstance(place, InRegister):
                    assign_variable(lowering, place.register, value, place.type)
                    return place.register
            result = stored_value(lowering, value, target.type, bit_field_width(target))
            return write(builder, lowering.place(target), result)
        case _:
            assert_never(at)


def _value_for_place(lowering: Lowering, place: Place, value: Expression) -> Value:
    bits = place.width if isinstance(place, BitField) else None
    return stored_value(lowering, value, place.type, bits)


def compound_assign(lowering: Lowering, expression: CompoundAssign) -> Value:
    """``target = (type of target) ((operation type) target operator value)``, target once. A value
    with side effects is evaluated first, any other one last."""

    def value_first(target: Expression, value: Expression) -> bool:
        return has_effects(value) or not has_effects(target)

    value = _folded_assign(lowering, expression)
    if value is not None:
        return value
    old, new = orders(lowering, (expression.target, expression.value), value_first)
    if old is new:
        return _compound_assign(lowering, expression, old)
    width = value_bits(expression.target.type)

    def evaluate() -> tuple[Value]:
        first = old if lowering.builder.version is Version.OLD else new
        return (_compound_assign(lowering, expression, first),)

    return in_each_version(lowering, expression, (width,), evaluate)[0]


def _folded_assign(lowering: Lowering, expression: CompoundAssign) -> Value | None:
    """``x /= x`` and the like, as gcc folds ``x / x``; None for any other."""
    if isinstance(expression.target.type, Pointer) or not may_fold(_operation(expression)):
        return None
    halves = {
        version: half
        for version, half in in_versions(lowering, expression).items()
        if isinstance(half, CompoundAssign)
    }
    known = {
        version: folded(_operation(half))
        for version, half in halves.items()
        if is_pure(half.target)
    }
    if not any(known.values()):
        return None

    def evaluate(version: Version | None) -> Value:
        half = halves[version]
        value = known.get(version)
        if value is None:
            return lowering.value(half)
        if not isinstance(value.type, Floating):  # a bit-field takes such a number as it is
            value = Cast(value, half.type, half.location)
        return assign(lowering, Assign(half.target, value, half.type, half.location))

    return by_version(lowering, expression, halves, evaluate)


def _operation(expression: CompoundAssign) -> Binary:
    """The operation of ``x += y``."""
    kind, operator = expression.operation_type, expression.operator.removesuffix("=")
    target = Cast(expression.target, kind, expression.location)
    return Binary(operator, target, expression.value, kind, expression.location)


def _compound_assign(lowering: Lowering, expression: CompoundAssign, value_first: bool) -> Value:
    builder = lowering.builder
    kind = expression.operation_type
    operator = expression.operator.removesuffix("=") or expression.operator
    value, target = expression.value, expression.target
    place = None if value_first else lowering.place(target)
    if isinstance(target.type, Pointer):
        distance = lowering.value(value)
        place = place or lowering.place(target)
        step = "add" if operator == "+" else "sub"
        address = read(builder, place)
        result = moved(lowering, address, target.type, distance, value.type, step)
        return write(builder, place, result)
    if operator in ("<<", ">>"):
        count_kind = operand_type(value)
        count = converted(lowering, value, count_kind)
        right = builder.resize(count, value_bits(kind), is_signed(count_kind))
    else:
        right = converted(lowering, value, kind)
    place = place or lowering.place(target)
    left = convert(builder, read(builder, place), place.type, kind)
    result = operate(lowering, operator, kind, left, right)
    if isinstance(place, BitField):
        result = convert_to_field(builder, result, kind, place.type, place.width)
    else:
        result = convert(builder, result, kind, place.type)
    return write(builder, place, result)


def increment(lowering: Lowering, expression: Increment, used: bool) -> Value:
    """The new value before (``++x``), the old one after (``x++``)."""
    builder = lowering.builder
    place = lowering.place(expression.operand)
    before = read(builder, place)
    old = builder.copied(before) if used and not expression.prefix else before
    new = _stepped(lowering, before, place, expression.operator)
    result = write(builder, place, new)
    return result if expression.prefix else old


def _stepped(lowering: Lowering, value: Value, place: Place, operator: str) -> Value:
    builder = lowering.builder
    kind = place.type
    step = "add" if operator == "++" else "sub"
    match kind:
        case Pointer():
            return moved(lowering, value, kind, Constant(1, 64), INT, step)
        case Floating(bits=bits):
            return builder.float_binary(step, value, Constant(pattern(Fraction(1), bits), bits))
        case _ if value_bits(kind) == 1:
            # ++ makes it 1; -- turns it over, since 0 - 1 is not 0 either.
            return Constant(1, 1) if step == "add" else builder.unary("not", value)
        case _:
            # Wrapping makes it equal to the operation in the promoted type.
            wide = promoted(kind) if isinstance(place, BitField) else kind
            left = convert(builder, value, kind, wide)
            result = builder.binary(step, left, Constant(1, value_bits(wide)))
            return convert(builder, result, wide, kind)


# ------------------------------------------------------------------------------------- initialisers
# Declarations inside functions.
#
# int x = f();              %3 = call f()
# int x;                    nothing: the register stays as it is
# int a[4] = {1, [3] = y};  fill 16, [%5], 0;  store 4, [%5], 1;  store 4, [%6], %2
# char s[8] = "ab";         copy 3, [%5], [.str.0];  fill 5, [%6], 0
# int a[2] = {[0 ... 1] = f()};    %3 = call f();  store 4, [%5], %3;  store 4, [%6], %3
# int v[n];                 %5 = allocate %4


def declaration(lowering: Lowering, statement: Declaration) -> None:
    symbol = statement.symbol
    if symbol.kind is SymbolKind.FUNCTION:
        return
    if not is_local(symbol):
        if symbol.linkage is Linkage.NONE:
            lowering.define_static(symbol, statement.initializer)
        if not is_variably_modified(symbol.type):
            return
    if statement.version is None:
        _automatic(lowering, statement)
        return
    within = lowering.nodes.alone(statement.version)
    lowering.nodes.enclosing.append((statement.version, statement.change))
    if within:
        _automatic(lowering, statement)
    else:
        in_region(lowering, statement.version, lambda: _automatic(lowering, statement))
    lowering.nodes.enclosing.pop()


def _automatic(lowering: Lowering, statement: Declaration) -> None:
    symbol = statement.symbol
    varying = is_variably_modified(symbol.type)
    executed = varying or statement.initializer is not None
    if executed and not lowering.inside_expression:
        text = lowering.nodes.excerpts.statement(statement.location)
        lowering.builder.node = lowering.nodes.draft(
            StatementKind.DECLARATION, statement.location, text
        )
    if varying:
        fix_size(lowering, symbol)
    if not is_local(symbol):
        return
    if is_variable(symbol.type):
        _variable_array(lowering, symbol)
        return
    if lowering.scope.outer is not None and context.needs_slot(symbol):
        known = lowering.slots.get(symbol)
        context.begin(lowering, declare_slot(lowering, symbol) if known is None else known)
    if statement.initializer is not None:
        place = symbol_place(lowering, symbol)
        initialize(lowering, place, symbol.type, statement.initializer)


def _variable_array(lowering: Lowering, symbol: Symbol) -> None:
    builder = lowering.builder
    register = lowering.registers.get(symbol) or builder.variable(ADDRESS, symbol.name)
    lowering.registers[symbol] = register
    builder.assign(register, builder.allocate(run_time_size(lowering, symbol.type)))


def initialize(lowering: Lowering, place: Place, kind: Type, initializer: Initializer) -> None:
    """Write the initial contents to an object that was just made."""
    match initializer:
        case InitializerList() if isinstance(place, InMemory):
            _aggregate(lowering, place, kind, initializer)
        case InitializerList():
            _scalar_in_braces(lowering, place, initializer)
        case StringLiteral() if isinstance(kind, Array):
            assert isinstance(place, InMemory)
            _string(lowering, place, size_of(kind), initializer)
        case _ if isinstance(place, InRegister):
            assign_variable(lowering, place.register, initializer, kind)
        case _:
            write(lowering.builder, place, converted(lowering, initializer, kind))


def _scalar_in_braces(lowering: Lowering, place: Place, initializer: InitializerList) -> None:
    """``int x = {3};``: the scalar in braces is the value."""
    if initializer.entries:
        value = converted(lowering, initializer.entries[0].value, place.type)
    else:
        value = integer(0, place.type)
    write(lowering.builder, place, value)


def _aggregate(
    lowering: Lowering, place: InMemory, kind: Type, initializer: InitializerList
) -> None:
    builder = lowering.builder
    if not _covers(initializer, kind):
        builder.fill(place.address, 0, size_of(kind))
    shared: dict[int, Value] = {}
    for entry in _in_order(initializer):
        _entry(lowering, place, entry, shared)


def _in_order(initializer: InitializerList) -> list[InitializerEntry]:
    """The entries in the order of the object's bytes, in which gcc evaluates them, not in that of
    the designators."""
    return sorted(initializer.entries, key=lambda entry: entry.offset)


def _covers(initializer: InitializerList, kind: Type) -> bool:
    """Do the entries cover every byte of an array or scalar? (Records may have padding.)"""
    if isinstance(kind, Record):
        return False
    covered = 0
    for entry in _in_order(initializer):
        if entry.offset != covered or isinstance(entry.type, Array | Record) or entry.field:
            return False
        covered += size_of(entry.type)
    return covered == size_of(kind)


def _entry(
    lowering: Lowering, place: InMemory, entry: InitializerEntry, shared: dict[int, Value]
) -> None:
    builder = lowering.builder
    if isinstance(entry.value, StringLiteral) and isinstance(entry.type, Array):
        where = InMemory(builder.offset(place.address, entry.offset), entry.type)
        _string(lowering, where, size_of(entry.type), entry.value)
        return
    value = shared.get(entry.shared)
    if value is None:
        value = stored_value(lowering, entry.value, entry.type, entry.bit_width)
    if entry.shared:
        value = shared[entry.shared] = builder.copied(value)
    write(builder, entry_place(lowering, place, entry), value)


def entry_place(lowering: Lowering, place: InMemory, entry: InitializerEntry) -> Place:
    builder = lowering.builder
    if entry.field is not None and entry.field.bit_width is not None:
        base = builder.offset(place.address, entry.offset - entry.field.offset)
        room = size_of(place.type) - (entry.offset - entry.field.offset)
        return member(builder, base, room, entry.field)
    return InMemory(builder.offset(place.address, entry.offset), entry.type)


def _string(lowering: Lowering, place: InMemory, size: int, literal: StringLiteral) -> None:
    """Initialise an array by a string: its characters, then zeros (C17 6.7.9p21)."""
    builder = lowering.builder
    used = min(size, len(literal.value) + literal.unit)
    if literal.value:
        builder.copy(place.address, builder.global_address(lowering.objects.string(literal)), used)
        builder.fill(builder.offset(place.address, used), 0, size - used)
    else:
        builder.fill(place.address, 0, size)
