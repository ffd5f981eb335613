"""Which expressions a node of the tree asks whether they are null.

    if (p)    !p    p && q    p == NULL    while (p)    _Bool b = p;    free(p)

A question is any pointer that decides something by being null or not: as a controlling expression
(C17 6.8.4, 6.8.5), as an operand of ``!``, ``&&``, ``||`` and ``?:`` (6.5.3.3, 6.5.13 to 6.5.15),
of a comparison with a null pointer constant (6.5.8, 6.5.9), of a conversion to ``_Bool`` (6.3.1.2),
or as an argument for which a function of the library gives null a meaning (``free``: 7.22.3.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from csg.language.syntax import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Declaration,
    DoWhile,
    Expression,
    For,
    If,
    InitializerEntry,
    InitializerList,
    Logical,
    Return,
    Switch,
    Unary,
    While,
)
from csg.language.traversal import Tree, called_name, is_null
from csg.language.types import BOOL, Function, Pointer, Type

# The arguments of library functions that may be null (C17 7.21 to 7.29, POSIX), counted from 0.
_MAY_BE_NULL: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "free": (0,),
        "cfree": (0,),
        "realloc": (0,),
        "reallocarray": (0,),
        "fflush": (0,),
        "freopen": (0,),
        "setbuf": (1,),
        "setvbuf": (1,),
        "tmpnam": (0,),
        "perror": (0,),
        "system": (0,),
        "setlocale": (1,),
        "getcwd": (0,),
        "realpath": (1,),
        "strtok": (0,),
        "strtok_r": (0,),
        "strtol": (1,),
        "strtoul": (1,),
        "strtoll": (1,),
        "strtoull": (1,),
        "strtod": (1,),
        "strtof": (1,),
        "strtold": (1,),
        "mblen": (0,),
        "mbtowc": (0, 1),
        "wctomb": (0,),
        "mbrlen": (0, 2),
        "mbrtowc": (0, 1, 3),
        "wcrtomb": (0, 2),
        "mbsrtowcs": (0, 3),
        "wcsrtombs": (0, 3),
        "mbstowcs": (0,),
        "wcstombs": (0,),
        "time": (0,),
        "wait": (0,),
        "waitpid": (1,),
        "sigaction": (1, 2),
        "sigprocmask": (1, 2),
        "gettimeofday": (1,),
        "utimes": (1,),
        "nanosleep": (1,),
        "select": (1, 2, 3, 4),
    }
)

_COMPARES = ("==", "!=", "<", ">", "<=", ">=")


def asked_in(node: Tree, result: Type) -> Iterator[Expression]:
    """The expressions that a node compares with null. ``result``: what the function returns."""
    match node:
        case Unary(operator="!", operand=operand):
            yield operand
        case Logical(operands=operands):
            yield from operands
        case If(condition=condition) | Conditional(condition=condition):
            yield condition
        case While(condition=condition) | DoWhile(condition=condition):
            yield condition
        case For(condition=condition) if condition is not None:
            yield condition
        case Switch(selector=selector):
            yield selector
        case Binary(operator=operator, left=left, right=right) if operator in _COMPARES:
            yield from (left,) if is_null(right) else (right,) if is_null(left) else ()
        case Cast(type=kind, operand=operand) if _is_bool(kind):
            yield operand
        case Assign(type=kind, value=value) if _is_bool(kind):
            yield value
        case Declaration(symbol=symbol, initializer=initial) if _is_bool(symbol.type):
            if initial is not None and not isinstance(initial, InitializerList):
                yield initial
        case InitializerEntry(type=kind, value=value) if _is_bool(kind):
            yield value
        case Return(value=returned) if returned is not None and _is_bool(result):
            yield returned
        case Call(function=function, arguments=arguments):
            called = function.type.target if isinstance(function.type, Pointer) else function.type
            if isinstance(called, Function):
                pairs = zip(called.parameters, arguments, strict=False)
                yield from (each for kind, each in pairs if _is_bool(kind))
            for at in _MAY_BE_NULL.get(called_name(node), ()):
                yield from arguments[at : at + 1]
        case _:
            pass


def _is_bool(kind: Type) -> bool:
    return kind == BOOL
