"""gcc's atomic builtins, for programs with one thread.

__sync_fetch_and_add(&n, 3)   %2 = load 4, [%1];  %3 = add %2, 3;  store 4, [%1], %3; gives %2
__sync_add_and_fetch(&n, 3)   the same, gives %3
"""

from __future__ import annotations

import re

from csg.ir import Constant, Value
from csg.language.syntax import Builtin
from csg.language.types import Pointer, Type, Void
from csg.lower.arithmetic import operate
from csg.lower.context import Lowering
from csg.lower.expressions import converted
from csg.lower.places import InMemory, by_address, read, write

_FETCH = re.compile(r"__(?:sync|atomic)_fetch_(?:and_)?(add|sub|or|and|xor)$")
_RESULT = re.compile(r"__(?:sync|atomic)_(add|sub|or|and|xor)_(?:and_)?fetch$")
_OPERATORS = {"add": "+", "sub": "-", "or": "|", "and": "&", "xor": "^"}
_EXCHANGES = frozenset({"__sync_lock_test_and_set", "__atomic_exchange_n"})
_FENCES = frozenset({"__sync_synchronize", "__atomic_thread_fence", "__atomic_signal_fence"})


def builtin(lowering: Lowering, expression: Builtin) -> Value | None:
    """The value of an atomic builtin, None for any other."""
    name = expression.name
    if name in _FENCES:
        return Constant(0, 32)
    kind = _target(expression)
    if kind is None or by_address(kind) or isinstance(kind, Void | Pointer):
        return None
    changing = _FETCH.match(name) or _RESULT.match(name)
    if changing is None and name not in _EXCHANGES | {"__atomic_load_n", "__atomic_store_n"}:
        return None
    builder = lowering.builder
    place = InMemory(lowering.value(expression.arguments[0]), kind)
    if name == "__atomic_load_n":
        return read(builder, place)
    operand = converted(lowering, expression.arguments[1], kind)
    if name == "__atomic_store_n":
        write(builder, place, operand)
        return Constant(0, 32)
    old = read(builder, place)
    if changing is None:
        write(builder, place, operand)
        return old
    new = operate(lowering, _OPERATORS[changing[1]], kind, old, operand)
    write(builder, place, new)
    return old if _FETCH.match(name) else new


def _target(expression: Builtin) -> Type | None:
    first = expression.arguments[0].type if expression.arguments else None
    return first.target if isinstance(first, Pointer) else None
