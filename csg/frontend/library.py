"""Functions that are used without a declaration: the library's behind ``__builtin_X``, and C90's.

__builtin_strlen(s)    strlen of the type that the C standard gives it
f(1)                   int f(), with a warning
"""

from __future__ import annotations

from csg.frontend.context import Context
from csg.language.syntax import Declaration, Symbol
from csg.language.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LDOUBLE,
    LLONG,
    LONG,
    SIZE,
    VA_LIST,
    VOID,
    Function,
    Pointer,
    Type,
)
from csg.source import Location

_TEXT = Pointer(CHAR)
_CONST_TEXT = Pointer(CHAR, frozenset({"const"}))
_MEMORY = Pointer(VOID)
_CONST_MEMORY = Pointer(VOID, frozenset({"const"}))


def _prototype(result: Type, *parameters: Type, variadic: bool = False) -> Function:
    return Function(result, parameters, variadic)


LIBRARY: dict[str, Function] = {
    "abort": _prototype(VOID), "exit": _prototype(VOID, INT), "_exit": _prototype(VOID, INT),
    "abs": _prototype(INT, INT), "labs": _prototype(LONG, LONG), "llabs": _prototype(LLONG, LLONG),
    "malloc": _prototype(_MEMORY, SIZE), "calloc": _prototype(_MEMORY, SIZE, SIZE),
    "realloc": _prototype(_MEMORY, _MEMORY, SIZE), "free": _prototype(VOID, _MEMORY),
    "memcpy": _prototype(_MEMORY, _MEMORY, _CONST_MEMORY, SIZE),
    "memmove": _prototype(_MEMORY, _MEMORY, _CONST_MEMORY, SIZE),
    "memset": _prototype(_MEMORY, _MEMORY, INT, SIZE),
    "memcmp": _prototype(INT, _CONST_MEMORY, _CONST_MEMORY, SIZE),
    "memchr": _prototype(_MEMORY, _CONST_MEMORY, INT, SIZE),
    "strlen": _prototype(SIZE, _CONST_TEXT), "strcpy": _prototype(_TEXT, _TEXT, _CONST_TEXT),
    "strncpy": _prototype(_TEXT, _TEXT, _CONST_TEXT, SIZE),
    "strcat": _prototype(_TEXT, _TEXT, _CONST_TEXT),
    "strncat": _prototype(_TEXT, _TEXT, _CONST_TEXT, SIZE),
    "strcmp": _prototype(INT, _CONST_TEXT, _CONST_TEXT),
    "strncmp": _prototype(INT, _CONST_TEXT, _CONST_TEXT, SIZE),
    "strchr": _prototype(_TEXT, _CONST_TEXT, INT), "strrchr": _prototype(_TEXT, _CONST_TEXT, INT),
    "strstr": _prototype(_TEXT, _CONST_TEXT, _CONST_TEXT),
    "strdup": _prototype(_TEXT, _CONST_TEXT),
    "printf": _prototype(INT, _CONST_TEXT, variadic=True), "putchar": _prototype(INT, INT),
    "puts": _prototype(INT, _CONST_TEXT),
    "sprintf": _prototype(INT, _TEXT, _CONST_TEXT, variadic=True),
    "snprintf": _prototype(INT, _TEXT, SIZE, _CONST_TEXT, variadic=True),
    **{name: _prototype(INT, INT) for name in ("toupper", "tolower", "isalpha", "isdigit",
       "isalnum", "isspace", "isupper", "islower", "ispunct", "isprint", "iscntrl", "isxdigit",
       "isgraph", "isblank")},
    **{name: _prototype(DOUBLE, DOUBLE) for name in ("fabs", "sqrt", "floor", "ceil", "sin", "cos",
       "tan", "exp", "log", "log2", "log10", "round", "trunc", "rint", "nearbyint")},
    **{f"{name}f": _prototype(FLOAT, FLOAT) for name in ("fabs", "sqrt", "floor", "ceil", "round",
       "trunc")},
    **{f"{name}l": _prototype(LDOUBLE, LDOUBLE) for name in ("fabs", "sqrt", "floor", "ceil")},
    **{name: _prototype(DOUBLE, DOUBLE, DOUBLE) for name in ("pow", "fmod", "fmin", "fmax",
       "copysign", "atan2")},
    "copysignf": _prototype(FLOAT, FLOAT, FLOAT), "vprintf": _prototype(INT, _CONST_TEXT, VA_LIST),
}  # fmt: skip


def implicit_function(context: Context, name: str, place: Location) -> Symbol:
    """A function that nobody declared: it returns int, as C90 had it, with a warning."""
    context.warn(place, f"implicit declaration of function '{name}'")
    return _declare(context, name, Function(INT, (), False, False), place)


def library_function(context: Context, name: str, place: Location) -> Symbol | None:
    """The function of the C library behind ``__builtin_name``, as ``name``."""
    if not name.startswith("__builtin_"):
        return None
    plain = name.removeprefix("__builtin_")
    known = context.scopes.lookup(plain)
    if isinstance(known, Symbol) and known.kind == "function":
        return known
    prototype = LIBRARY.get(plain)
    return None if prototype is None else _declare(context, plain, prototype, place)


def _declare(context: Context, name: str, kind_: Function, place: Location) -> Symbol:
    symbol = Symbol(name, kind_, place, "function", "static", "external")
    context.scopes.file.names[name] = symbol
    context.unit.declarations.append(Declaration(symbol, None, location=place))
    return symbol
