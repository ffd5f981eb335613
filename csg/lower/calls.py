r"""Calls: the callee first, then the arguments from right to left, as gcc evaluates them.

f(a, 'x')            %5 = call f(%2, 120)
printf("%d", c)      %5 = global .str.0;  %6 = sext %2 to 32;  %7 = call printf(%5, ..., %6)
printf("%s\n", p);   load of a byte at p, where puts(p) of gcc fails for a null pointer; call printf
s = g(t)             copy of t to a slot; call g(address of a result slot, address of the copy)
"""

from __future__ import annotations

from dataclasses import replace

from csg.frontend.builtins import called_instead
from csg.ir import Constant, Value
from csg.language.syntax import AddressOf, Call, Dereference, Expression, Name
from csg.language.types import (
    DOUBLE,
    FLOAT,
    SIZE,
    VOID,
    Function,
    Integer,
    Pointer,
    Record,
    Type,
    VaList,
    Void,
    size_of,
    value_bits,
)
from csg.lower.context import Lowering
from csg.lower.expressions import converted, operand_type
from csg.lower.places import by_address

NEVER_RETURN = frozenset(
    {"exit", "_exit", "_Exit", "quick_exit", "abort", "__csgtest_assert_fail", "__assert_fail",
     "longjmp", "siglongjmp", "_longjmp", "err", "errx", "verr", "verrx", "pthread_exit"}
)  # fmt: skip


def call(lowering: Lowering, expression: Call, used: bool = True) -> Value:
    """The result's value; the address of the result for a record; 0 for void."""
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
    arguments = _arguments(lowering, expression.arguments, function)
    if not used and called_instead(expression):
        builder.load(arguments[-1], 8, 1)
    fixed = len(function.parameters) if function.variadic else len(arguments)
    noreturn = name is not None and never_returns(name)
    kind = expression.type
    if isinstance(kind, Record):
        result = lowering.temporary("result", kind)
        builder.call(callee, (result, *arguments), 0, fixed + 1, noreturn)
        return result
    width = 0 if isinstance(kind, Void) else value_bits(kind)
    target = builder.call(callee, arguments, width, fixed, noreturn)
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


def _arguments(
    lowering: Lowering, arguments: tuple[Expression, ...], function: Function
) -> tuple[Value, ...]:
    values: list[Value] = []
    for number in range(len(arguments) - 1, -1, -1):
        argument = arguments[number]
        fixed = number < len(function.parameters) and function.prototype
        kind = function.parameters[number] if fixed else default_promoted(argument)
        values.append(_argument(lowering, argument, kind))
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
