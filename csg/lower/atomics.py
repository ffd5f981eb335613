"""gcc's atomic builtins, for programs with one thread.

__sync_fetch_and_add(&n, 3)   %2 = load 4, [%1];  %3 = add %2, 3;  store 4, [%1], %3; gives %2
__sync_add_and_fetch(&n, 3)   the same, gives %3
__atomic_compare_exchange_n(&n, &e, 3, ..)    n == e: store 3 to n; else what n is to e
"""

from __future__ import annotations

import re

from csg.ir import Constant, Value
from csg.language.syntax import Builtin, Expression
from csg.language.types import UCHAR, Floating, Pointer, Type, Void, value_bits
from csg.lower.arithmetic import operate
from csg.lower.context import Lowering
from csg.lower.expressions import converted
from csg.lower.places import InMemory, by_address, read, write

_FETCH = re.compile(r"__(?:sync|atomic)_fetch_(?:and_)?(add|sub|or|and|xor|nand)$")
_RESULT = re.compile(r"__(?:sync|atomic)_(add|sub|or|and|xor|nand)_(?:and_)?fetch$")
_OPERATORS = {"add": "+", "sub": "-", "or": "|", "and": "&", "xor": "^", "nand": "&"}
_BYTES = frozenset({"__atomic_test_and_set", "__atomic_clear"})  # whatever the pointer's type
_FENCES = frozenset({"__sync_synchronize", "__atomic_thread_fence", "__atomic_signal_fence"})


def builtin(lowering: Lowering, expression: Builtin) -> Value | None:
    """The value of an atomic builtin, None for any other."""
    name = expression.name
    if name in _FENCES:
        return Constant(0, 32)
    kind = UCHAR if name in _BYTES else _target(expression)
    if kind is None or by_address(kind) or isinstance(kind, Void):
        return None
    place = InMemory(lowering.value(expression.arguments[0]), kind)
    if changing := _FETCH.match(name) or _RESULT.match(name):
        if isinstance(kind, Pointer):
            return None
        return _changed(lowering, expression, place, changing[1])
    if "compare" in name:
        return _compared(lowering, expression, place)
    return _moved(lowering, expression, place)


def _changed(lowering: Lowering, expression: Builtin, place: InMemory, operation: str) -> Value:
    kind, builder = place.type, lowering.builder
    operand = converted(lowering, expression.arguments[1], kind)
    old = read(builder, place)
    new = operate(lowering, _OPERATORS[operation], kind, old, operand)
    if operation == "nand":
        new = builder.unary("not", new)
    write(builder, place, new)
    return old if _FETCH.match(expression.name) else new


def _moved(lowering: Lowering, expression: Builtin, place: InMemory) -> Value | None:
    """Loads, stores and exchanges; the generic ones take addresses of their operands."""
    kind, builder, arguments = place.type, lowering.builder, expression.arguments
    match expression.name:
        case "__atomic_load_n":
            return read(builder, place)
        case "__atomic_load":
            write(builder, _behind(lowering, arguments[1], kind), read(builder, place))
        case "__atomic_store_n":
            write(builder, place, converted(lowering, arguments[1], kind))
        case "__atomic_store":
            write(builder, place, read(builder, _behind(lowering, arguments[1], kind)))
        case "__sync_lock_release" | "__atomic_clear":
            write(builder, place, Constant(0, value_bits(kind)))
        case "__sync_lock_test_and_set" | "__atomic_exchange_n":
            operand = converted(lowering, arguments[1], kind)
            old = read(builder, place)
            write(builder, place, operand)
            return old
        case "__atomic_test_and_set":
            old = read(builder, place)
            write(builder, place, Constant(1, value_bits(kind)))
            return builder.compare("ne", old, Constant(0, value_bits(kind)))
        case "__atomic_exchange":
            operand = read(builder, _behind(lowering, arguments[1], kind))
            write(builder, _behind(lowering, arguments[2], kind), read(builder, place))
            write(builder, place, operand)
        case _:
            return None
    return Constant(0, 32)


def _compared(lowering: Lowering, expression: Builtin, place: InMemory) -> Value | None:
    """Store where the old value is the expected one."""
    kind, builder, name = place.type, lowering.builder, expression.name
    if isinstance(kind, Floating):
        return None
    _, expected, wanted, *_ = expression.arguments
    told = None if name.startswith("__sync") else _behind(lowering, expected, kind)
    known = converted(lowering, expected, kind) if told is None else read(builder, told)
    generic = name == "__atomic_compare_exchange"
    desired = (
        read(builder, _behind(lowering, wanted, kind))
        if generic
        else converted(lowering, wanted, kind)
    )
    old = read(builder, place)
    equal = builder.compare("eq", old, known)
    then, otherwise, end = builder.new_block(), builder.new_block(), builder.new_block()
    builder.branch(equal, then, otherwise)
    builder.block = then
    write(builder, place, desired)
    builder.jump(end)
    builder.block = otherwise
    if told is not None:
        write(builder, told, old)
    builder.jump(end)
    builder.block = end
    return old if name == "__sync_val_compare_and_swap" else equal


def _behind(lowering: Lowering, pointer: Expression, kind: Type) -> InMemory:
    return InMemory(lowering.value(pointer), kind)


def _target(expression: Builtin) -> Type | None:
    first = expression.arguments[0].type if expression.arguments else None
    return first.target if isinstance(first, Pointer) else None
