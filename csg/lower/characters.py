"""Lower what glibc's <ctype.h> makes of its macros: lookups in tables become calls of models.

    isdigit(c)    (*__ctype_b_loc())[(int) c] & 2048     %3 = call __csgtest_isdigit(%2)
    tolower(c)    (*__ctype_tolower_loc())[(int) c]      %3 = call __csgtest_tolower(%2)

A model is a comparison or two, where a table is a load from 384 places.
"""

from __future__ import annotations

from types import MappingProxyType

from csg.frontend.constants import fold
from csg.ir import Value
from csg.language.syntax import Binary, Call, Cast, Dereference, Expression, Index, Name
from csg.language.types import INT, is_integer, value_bits
from csg.lower.context import Lowering
from csg.lower.expressions import converted
from csg.lower.order import by_version, in_versions

_TABLES = MappingProxyType(
    {
        "__ctype_b_loc": "__csgtest_classes",
        "__ctype_tolower_loc": "__csgtest_tolower",
        "__ctype_toupper_loc": "__csgtest_toupper",
    }
)
# The bits of glibc's table, as its enumerators are on a machine that stores the lowest byte first.
_CLASSES = MappingProxyType(
    {
        1: "isblank", 2: "iscntrl", 4: "ispunct", 8: "isalnum", 256: "isupper", 512: "islower",
        1024: "isalpha", 2048: "isdigit", 4096: "isxdigit", 8192: "isspace", 16384: "isprint",
        32768: "isgraph",
    }
)  # fmt: skip


def looked_up(lowering: Lowering, expression: Expression) -> Value | None:
    """The entry of a table of characters; None for an element of anything else."""
    if not isinstance(expression, Index) or (table := _table(expression)) is None:
        return None
    entry = _call(lowering, _TABLES[table], expression)
    return lowering.builder.resize(entry, value_bits(expression.type), False)


def class_of(lowering: Lowering, expression: Binary) -> Value | None:
    """The value of ``entry & mask`` if the mask is one class of characters in each version; None
    for any other expression."""
    entry = _without_widening(expression.left)
    if expression.operator != "&" or not isinstance(entry, Index):
        return None
    if _table(entry) != "__ctype_b_loc":
        return None
    halves = in_versions(lowering, expression.right)
    classes = {version: _CLASSES.get(fold(mask) or 0) for version, mask in halves.items()}
    if None in classes.values():
        return None
    return by_version(
        lowering,
        expression,
        halves,
        lambda version: _call(lowering, f"__csgtest_{classes[version]}", entry),
    )


def _without_widening(expression: Expression) -> Expression:
    while isinstance(expression, Cast) and is_integer(expression.type):
        expression = expression.operand
    return expression


def _table(element: Index) -> str | None:
    """The function that returns the table which this is an entry of."""
    base = element.base
    if not isinstance(base, Dereference) or not isinstance(base.operand, Call):
        return None
    called = base.operand.function
    name = called.symbol.name if isinstance(called, Name) else ""
    return name if name in _TABLES else None


def _call(lowering: Lowering, model: str, element: Index) -> Value:
    index = converted(lowering, element.index, INT)
    result = lowering.builder.call(lowering.objects.model(model), (index,), value_bits(INT))
    assert result is not None
    return result
