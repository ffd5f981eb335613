"""gcc's builtins: those that only the compiler knows, and those that stand for library functions.

__builtin_clz(x)            Builtin("clz", (x,)) of type int
__builtin_constant_p(3)     1
__builtin_memcpy(a, b, n)   a call of memcpy
"""

from __future__ import annotations

from collections.abc import Sequence

from csg.errors import ParseError, UnsupportedError
from csg.frontend.context import Context
from csg.frontend.library import LIBRARY, library_function
from csg.language.syntax import Builtin, Call, Expression, IntegerConstant, Name, StringLiteral
from csg.language.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LDOUBLE,
    LONG,
    SIZE,
    UINT,
    UINT128,
    ULONG,
    USHORT,
    VOID,
    Floating,
    Function,
    Pointer,
    Record,
    Type,
    Void,
)
from csg.source import Location

PREFIXES = ("__builtin_", "__sync_", "__atomic_")

# Calls that gcc makes other ones at -O0 already, where nobody uses the result: of what reads what
# the last argument points to, and does not print "(null)" for a null pointer.
_MADE_ANOTHER = {("printf", 0, b"%s\n"): "puts", ("fprintf", 1, b"%s"): "fputs"}

_MEMORY = Pointer(VOID)

_FLOAT_TESTS = (
    "isnan", "isinf", "isinf_sign", "isfinite", "isnormal", "signbit", "signbitf", "signbitl",
    "isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered",
    "fpclassify",
)  # fmt: skip

# Result types of builtins that are no library functions; the name without its prefix.
_RESULTS: dict[str, Type] = {
    "va_start": VOID, "va_end": VOID, "va_copy": VOID, "unreachable": VOID, "trap": VOID,
    "prefetch": VOID, "expect": LONG, "expect_with_probability": LONG, "alloca": _MEMORY,
    "alloca_with_align": _MEMORY, "assume_aligned": _MEMORY, "object_size": SIZE,
    "dynamic_object_size": SIZE, "frame_address": _MEMORY, "return_address": _MEMORY,
    "bswap16": USHORT, "bswap32": UINT, "bswap64": ULONG,
    "bswap128": UINT128,
    **{f"{name}{size}": INT for name in ("clz", "ctz", "ffs", "popcount", "parity", "clrsb")
       for size in ("", "l", "ll")},
    **{f"{name}_overflow": BOOL for name in ("add", "sub", "mul")},
    **{f"{sign}{name}{size}_overflow": BOOL for sign in "su" for name in ("add", "sub", "mul")
       for size in ("", "l", "ll")},
    **{f"{name}_overflow_p": BOOL for name in ("add", "sub", "mul")},
    **dict.fromkeys(_FLOAT_TESTS, INT),
    **dict.fromkeys(("inf", "huge_val", "nan", "nans"), DOUBLE),
    **{f"{name}f": FLOAT for name in ("inf", "huge_val", "nan", "nans")},
    **{f"{name}l": LDOUBLE for name in ("inf", "huge_val", "nan", "nans")},
}  # fmt: skip

_CHECKED = {  # __builtin___memcpy_chk(a, b, n, size) without its last argument
    f"__{name}_chk": name
    for name in ("memcpy", "memmove", "memset", "strcpy", "strncpy", "strcat", "strncat")
}


def call(
    context: Context, name: str, arguments: Sequence[Expression], place: Location
) -> Expression:
    """A call of the builtin ``name``, its arguments decayed."""
    plain = name.removeprefix("__builtin_")
    match plain, list(arguments):
        case "constant_p", [only]:
            known = context.fold(only) is not None or isinstance(only, StringLiteral)
            return IntegerConstant(int(known), INT, "", place)
        case "choose_expr", [test, then, otherwise]:
            return then if context.fold(test) else otherwise
        case "classify_type", [only]:
            return IntegerConstant(_type_class(only.type), INT, "", place)
        case "LINE" | "FILE" | "FUNCTION", _:
            raise UnsupportedError(f"'{name}' is not supported", place)
        case _:
            pass
    if plain in _RESULTS:
        return Builtin(plain, tuple(arguments), _RESULTS[plain], place)
    if plain in _CHECKED:
        return _library_call(context, f"__builtin_{_CHECKED[plain]}", arguments[:-1], place)
    if plain in LIBRARY:
        return _library_call(context, name, arguments, place)
    if name.startswith(("__sync_", "__atomic_")):
        return Builtin(name, tuple(arguments), _atomic_result(name, arguments), place)
    if plain == name:
        raise ParseError(f"'{name}' is not declared", place)
    raise UnsupportedError(f"'{name}' is not supported", place)


def _type_class(kind: Type) -> int:
    """gcc's typeclass.h, after the promotions of arguments."""
    match kind:
        case Void():
            return 0
        case Pointer():
            return 5
        case Floating():
            return 8
        case Record(kind="struct"):
            return 12
        case Record():
            return 13
        case _:
            return 1


def _library_call(
    context: Context, name: str, arguments: Sequence[Expression], place: Location
) -> Expression:
    symbol = library_function(context, name, place)
    assert symbol is not None and isinstance(symbol.type, Function)
    called = Name(symbol, Pointer(symbol.type), place)
    return Call(called, tuple(arguments), symbol.type.result, place)


def _atomic_result(name: str, arguments: Sequence[Expression]) -> Type:
    """What an atomic builtin returns: nothing, a truth value, or what its pointer points to."""
    if "compare_exchange" in name or "bool_compare" in name or name.endswith("test_and_set"):
        return BOOL
    first = arguments[0].type if arguments else VOID
    if name in _ATOMIC_VOID or not isinstance(first, Pointer):
        return VOID
    return first.target


_ATOMIC_VOID = frozenset(
    {"__sync_synchronize", "__atomic_store_n", "__atomic_store", "__atomic_clear",
     "__atomic_load", "__atomic_thread_fence", "__sync_lock_release"}
)  # fmt: skip


def called_instead(call: Call) -> str | None:
    """The function that gcc calls in place of the named one, if the result is not used.

    printf("%s\\n", p)      puts
    fprintf(f, "%s", p)     fputs
    """
    if not isinstance(call.function, Name):
        return None
    for (name, at, text), instead in _MADE_ANOTHER.items():
        if call.function.symbol.name == name and len(call.arguments) == at + 2:
            found = call.arguments[at]
            if isinstance(found, StringLiteral) and found.value == text:
                return instead
    return None
