"""Constants, casts, sizes and calls.

    'a'                  97            (no instruction)
    (unsigned char) i    %4 = trunc %2 to 8
    sizeof(int[n])       the register that the array's declaration computed

Conversions from one type to another come first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from csg.frontend.builtins import called_instead
from csg.frontend.constants import fold
from csg.ir import Constant, Conversion, Value
from csg.language.syntax import (
    AddressOf,
    Binary,
    Call,
    Cast,
    Change,
    Dereference,
    Expression,
    FloatingConstant,
    Name,
    SizeOf,
    Symbol,
    is_variable,
    operand_type,
    run_time_length,
)
from csg.language.traversal import has_effects, has_steady_lengths
from csg.language.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    LDOUBLE,
    SIZE,
    ULONG,
    VOID,
    Array,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    Type,
    VaList,
    Void,
    is_integer,
    is_signed,
    limits,
    of_width,
    size_of,
    value_bits,
)
from csg.lower import floats
from csg.lower.builder import ADDRESS, FunctionBuilder, signed
from csg.lower.context import Lowering
from csg.lower.conventions import convention_of, passed_as
from csg.lower.order import in_each_version, seen_by
from csg.lower.places import by_address

# -------------------------------------------------------------------------------------- conversions
# Convert values from one C type to another, C17 6.3.
#
# char c; (long) c        %4 = sext %2 to 64
# unsigned u; (_Bool) u   %4 = ne.32 %2, 0
# double d; (int) d       %4 = float64 %2 to signed32


def convert(builder: FunctionBuilder, value: Value, source: Type, result: Type) -> Value:
    """``value`` of scalar type ``source`` as a value of scalar type ``result``."""
    if source == result:
        return value
    if isinstance(result, Floating):
        if isinstance(source, Floating):
            return _float_to_float(builder, value, result.bits)
        return _integer_to_float(builder, value, is_signed(source), result.bits)
    if value_bits(result) == 1:
        return truth(builder, value, source)
    if isinstance(source, Floating):
        return _float_to_integer(builder, value, value_bits(result), is_signed(result))
    if is_address(source) and not is_address(result):
        value = builder.converted_address(value, Conversion.TO_INTEGER)
    resized = builder.resize(value, value_bits(result), is_signed(source))
    if is_address(result) and not is_address(source):
        return builder.converted_address(resized, Conversion.TO_POINTER)
    return resized


def is_address(kind: Type) -> bool:
    return isinstance(kind, Pointer | Array | Function)


def truth(builder: FunctionBuilder, value: Value, kind: Type) -> Value:
    """``value != 0`` as a value of width 1."""
    if value.width == 1:
        return value
    if isinstance(kind, Floating):
        if isinstance(value, Constant):
            return Constant(int(value.value & ~(1 << (value.width - 1)) != 0), 1)
        return builder.float_compare("ne", value, Constant(0, value.width))
    return builder.compare("ne", value, Constant(0, value.width))


def from_truth(builder: FunctionBuilder, value: Value, result: Type) -> Value:
    """A 0 or 1 of width 1 as a value of ``result``."""
    return convert(builder, value, BOOL, result)


def _float_to_float(builder: FunctionBuilder, value: Value, width: int) -> Value:
    if isinstance(value, Constant):
        return Constant(floats.resize(value.value, value.width, width), width)
    return builder.convert_float(value, width, "float", "float")


def _integer_to_float(builder: FunctionBuilder, value: Value, negative: bool, width: int) -> Value:
    if isinstance(value, Constant):
        number = signed(value.value, value.width) if negative else value.value
        return Constant(floats.pattern(Fraction(number), width), width)
    if value.width < 32:
        value, negative = builder.resize(value, 32, negative), True
    return builder.convert_float(value, width, "signed" if negative else "unsigned", "float")


def _float_to_integer(builder: FunctionBuilder, value: Value, width: int, negative: bool) -> Value:
    # A value that the type cannot hold is undefined (C17 6.3.1.4). gcc takes the nearest one of the
    # type for a constant. Else it converts to 8, 16, 32, 64 or 128 bits, as the processor or libgcc
    # does, and keeps the low part.
    if isinstance(value, Constant):
        return Constant(_nearest_integer(value, width, negative) & ((1 << width) - 1), width)
    whole = 1 << max(3, (width - 1).bit_length())
    result = "signed" if negative else "unsigned"
    return builder.resize(builder.convert_float(value, whole, "float", result), width, negative)


def _nearest_integer(value: Constant, width: int, negative: bool) -> int:
    """The integer next to a floating constant; 0 for a NaN."""
    least, most = limits(width, negative)
    bits = value.value
    if floats.is_finite(bits, value.width):
        return max(least, min(most, int(floats.number(bits, value.width))))
    if floats.is_nan(bits, value.width):
        return 0
    return least if bits >> (value.width - 1) else most


# -------------------------------------------------------------------------------------- expressions


def integer(value: int, kind: Type) -> Value:
    width = value_bits(kind)
    return Constant(value & ((1 << width) - 1), width)


def floating(constant: FloatingConstant) -> Value:
    width = value_bits(constant.type)
    return Constant(floats.pattern(floats.parse(constant.text), width), width)


def converted(lowering: Lowering, expression: Expression, kind: Type) -> Value:
    """The value of an operand, converted to the type that its context asks for."""
    if value_bits_or_none(kind) == 1 and not by_address(expression.type):
        return lowering.condition(expression)
    if isinstance(expression.type, Floating) and is_integer(kind):
        return _to_integer(lowering, expression, kind)
    value = lowering.value(expression)
    if is_address(expression.type) and not is_address(kind) and not by_address(kind):
        return convert(lowering.builder, value, expression.type, kind)
    if by_address(kind) or by_address(expression.type):
        return value
    return convert(lowering.builder, value, expression.type, kind)


def _to_integer(lowering: Lowering, expression: Expression, kind: Type) -> Value:
    """A floating-point number as a value of an integer type that is not _Bool."""
    known = fold(Cast(expression, kind)) if isinstance(expression, Binary) else None
    # (int) (1e10 * 2): gcc folds it. Of a long double `fold` knows no more than a double holds.
    if known is not None and (
        expression.type != LDOUBLE or known in limits(value_bits(kind), is_signed(kind))
    ):
        return integer(known, kind)
    value = lowering.value(expression)
    return _float_to_integer(lowering.builder, value, value_bits(kind), is_signed(kind))


def stored_value(lowering: Lowering, expression: Expression, kind: Type, bits: int | None) -> Value:
    """The value of an operand, converted for an object of type ``kind`` that takes it. gcc converts
    a floating-point number for a bit-field to an integer of just its ``bits``."""
    if bits is None or value_bits(kind) == 1:
        return converted(lowering, expression, kind)
    if isinstance(expression, Change):
        return _stored_change(lowering, expression, kind, bits)
    if not isinstance(expression.type, Floating):
        return converted(lowering, expression, kind)
    narrow = _to_integer(lowering, expression, of_width(kind, bits))
    return lowering.builder.resize(narrow, value_bits(kind), is_signed(kind))


def _stored_change(lowering: Lowering, expression: Change, kind: Type, bits: int) -> Value:
    def evaluate() -> tuple[Value]:
        assert lowering.builder.version is not None
        half = seen_by(expression, lowering.builder.version)
        return (stored_value(lowering, half, kind, bits),)

    if lowering.builder.version is not None:
        return evaluate()[0]
    return in_each_version(lowering, expression, (value_bits(kind),), evaluate)[0]


def convert_to_field(
    builder: FunctionBuilder, value: Value, source: Type, kind: Type, bits: int
) -> Value:
    """``convert``, for a bit-field of declared type ``kind``."""
    if not isinstance(source, Floating) or value_bits(kind) == 1:
        return convert(builder, value, source, kind)
    narrow = _float_to_integer(builder, value, bits, is_signed(kind))
    return builder.resize(narrow, value_bits(kind), is_signed(kind))


def promoted_value(lowering: Lowering, expression: Expression) -> tuple[Value, Type]:
    """The value of an operand after integer promotion, and its type."""
    kind = operand_type(expression)
    return converted(lowering, expression, kind), kind


def value_bits_or_none(kind: Type) -> int | None:
    return None if by_address(kind) or isinstance(kind, Void) else value_bits(kind)


def cast(lowering: Lowering, expression: Cast) -> Value:
    if isinstance(expression.type, Void):
        lowering.discard(expression.operand)
        return Constant(0, 32)
    return converted(lowering, expression.operand, expression.type)


def size(lowering: Lowering, expression: SizeOf) -> Value:
    """The value of a sizeof. For a variable-length array it is computed at run time, and the
    operand is evaluated too (C17 6.5.3.4p2)."""
    if expression.value is not None:
        return integer(expression.value, expression.type)
    if expression.operand is not None and has_effects(expression.operand):
        lowering.discard(expression.operand)
    return run_time_size(lowering, expression.of)


def run_time_size(lowering: Lowering, kind: Type) -> Value:
    """The size of a type in bytes, as a value of 64 bits; computed here unless the declaration
    did."""
    if not is_variable(kind):
        return Constant(size_of(kind), ADDRESS)
    assert isinstance(kind, Array)
    known = lowering.array_sizes.get(id(kind))
    if known is not None:
        return known[1]
    element = run_time_size(lowering, kind.element)
    variable = run_time_length(kind)
    if variable is None:
        return lowering.builder.scaled(element, kind.length if isinstance(kind.length, int) else 0)
    length = lowering.array_lengths.get(id(kind)) or converted(lowering, variable, ULONG)
    if isinstance(element, Constant):
        return lowering.builder.scaled(length, element.value)
    return lowering.builder.binary("mul", length, element)


def fix_size(lowering: Lowering, symbol: Symbol) -> None:
    """Compute the sizes of the variable-length arrays in a symbol's type at its declaration, and
    how many elements they have (C17 6.7.6.2p5)."""
    _fix_size(lowering, symbol.type, symbol)


def _fix_size(lowering: Lowering, kind: Type, symbol: Symbol) -> None:
    match kind:
        case Pointer(target=inner) | Function(result=inner):
            _fix_size(lowering, inner, symbol)
        case Array(element=inner):
            _fix_size(lowering, inner, symbol)
            if is_variable(kind):
                _fix_array_size(lowering, kind, symbol)
        case _:
            pass


def _fix_array_size(lowering: Lowering, kind: Array, symbol: Symbol) -> None:
    owner = lowering.array_owners.setdefault(id(kind), symbol)
    if owner is not symbol and not has_steady_lengths(kind, lowering.written):
        return  # typeof(a) b: what the declaration of a has computed
    lowering.array_sizes.pop(id(kind), None)
    lowering.array_lengths.pop(id(kind), None)
    variable = run_time_length(kind)
    if variable is not None:
        length = lowering.builder.variable(ADDRESS)
        lowering.builder.assign(length, converted(lowering, variable, ULONG))
        lowering.array_lengths[id(kind)] = length
    register = lowering.builder.variable(ADDRESS)
    lowering.builder.assign(register, run_time_size(lowering, kind))
    lowering.array_sizes[id(kind)] = (kind, register)


# -------------------------------------------------------------------------------------------- calls
# The callee first, then the arguments from right to left, as gcc evaluates them.
#
# f(a, 'x')           %5 = call f(%2, 120)
# printf("%d", c)     %5 = global .str.0;  %6 = sext %2 to 32;  %7 = call printf(%5, ..., %6)
# printf("%s\n", p);  load of a byte at p, where puts(p) of gcc fails for null; call printf
# s = g(t)            copy of t to a slot; call g(address of a result slot, address of the copy)

NEVER_RETURN = frozenset(
    {"exit", "_exit", "_Exit", "quick_exit", "abort", "__csgtest_assert_fail", "__assert_fail",
     "longjmp", "siglongjmp", "_longjmp", "err", "errx", "verr", "verrx", "pthread_exit"}
)  # fmt: skip


def call(
    lowering: Lowering,
    expression: Call,
    used: bool = True,
    between: Callable[[], None] | None = None,
) -> Value:
    """The value of the result; for a record its address; 0 for void. ``between``: what comes after
    the arguments and before the call."""
    builder = lowering.builder
    function = function_type(expression.function)
    name = direct_callee(expression.function)
    if name is not None and name.symbol.name == "alloca":
        return builder.allocate(converted(lowering, expression.arguments[0], SIZE))
    callee: str | Value
    if name is not None:
        callee = lowering.objects.function(name.symbol)
        lowering.nodes.note_call(builder.node, name.symbol.name)
    else:
        callee = lowering.value(expression.function)
    kinds = _passed_types(expression.arguments, function)
    arguments = values_of(lowering, expression.arguments, kinds)
    if not used and called_instead(expression):
        builder.load(arguments[-1], 8, 1)
    if between is not None:
        between()
    fixed = len(function.parameters) if function.variadic else len(arguments)
    passed = tuple(passed_as(each.type) for each in expression.arguments[fixed:])
    noreturn = name is not None and never_returns(name)
    kind = expression.type
    open_ended = function.variadic or not function.prototype
    convention = convention_of(kind, kinds, open_ended)
    if isinstance(kind, Record):
        result = lowering.temporary("result", kind)
        builder.call(callee, (result, *arguments), 0, fixed + 1, noreturn, passed, convention)
        return result
    # nobody uses what printf returns: a model need not know how long a text is
    unused = not used and function.variadic
    width = 0 if isinstance(kind, Void) or unused else value_bits(kind)
    target = builder.call(callee, arguments, width, fixed, noreturn, passed, convention)
    return target if target is not None else Constant(0, 32)


def never_returns(name: Name) -> bool:
    return name.symbol.noreturn or name.symbol.name in NEVER_RETURN


def direct_callee(expression: Expression) -> Name | None:
    """The function's name in ``f(...)``, ``(*f)(...)`` and ``(&f)(...)``."""
    while isinstance(expression, Dereference | AddressOf):
        expression = expression.operand
    if isinstance(expression, Name) and isinstance(expression.symbol.type, Function):
        return expression
    return None


def function_type(expression: Expression) -> Function:
    kind = expression.type
    while isinstance(kind, Pointer):
        kind = kind.target
    return kind if isinstance(kind, Function) else Function(VOID, (), prototype=False)


def _passed_types(arguments: tuple[Expression, ...], function: Function) -> list[Type]:
    """The types as which arguments are passed: those of the prototype, else promoted ones."""
    named = function.parameters if function.prototype else ()
    rest = (default_promoted(each) for each in arguments[len(named) :])
    return [*named[: len(arguments)], *rest]


def passed_values(
    lowering: Lowering, arguments: tuple[Expression, ...], function: Function
) -> tuple[Value, ...]:
    """The values of arguments, converted as by a call of ``function``."""
    return values_of(lowering, arguments, _passed_types(arguments, function))


def values_of(
    lowering: Lowering, arguments: tuple[Expression, ...], kinds: list[Type]
) -> tuple[Value, ...]:
    """The values of arguments, converted to these types; the last one is evaluated first."""
    values = [
        _argument(lowering, argument, kind)
        for argument, kind in reversed([*zip(arguments, kinds, strict=True)])
    ]
    return tuple(reversed(values))


def _argument(lowering: Lowering, argument: Expression, kind: Type) -> Value:
    if isinstance(kind, Record):
        source = lowering.value(argument)
        copy = lowering.temporary("argument", kind)
        lowering.builder.copy(copy, source, size_of(kind))
        return copy
    return converted(lowering, argument, kind)


def default_promoted(argument: Expression) -> Type:
    """Default argument promotions, C17 6.5.2.2p6."""
    kind = argument.type
    if by_address(kind):
        return kind if isinstance(kind, Record | VaList) else Pointer(VOID)
    if kind == FLOAT:
        return DOUBLE
    passed = operand_type(argument)
    return replace(passed, width=None) if isinstance(passed, Integer) else passed
