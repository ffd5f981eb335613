"""gcc's builtins: those that only the compiler knows, and those that stand for library functions.

    __builtin_clz(x)            Builtin("clz", (x,)) of type int
    __builtin_constant_p(3)     1
    __builtin_memcpy(a, b, n)   a call of memcpy

Library functions that are used without a declaration get theirs here.
"""

from __future__ import annotations

from collections.abc import Sequence

from csg.errors import Location, ParseError, UnsupportedError
from csg.frontend.constants import is_known_to_gcc
from csg.frontend.context import Context
from csg.language.syntax import (
    Builtin,
    Call,
    Declaration,
    Expression,
    IntegerConstant,
    Linkage,
    Name,
    StorageDuration,
    StringLiteral,
    Symbol,
    SymbolKind,
)
from csg.language.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LDOUBLE,
    LLONG,
    LONG,
    SIZE,
    UINT,
    UINT128,
    ULLONG,
    ULONG,
    USHORT,
    VA_LIST,
    VOID,
    Floating,
    Function,
    Pointer,
    Record,
    RecordKind,
    Type,
    Void,
)

# -------------------------------------------------------------------------------- library functions
# Functions that are used without a declaration: the library's behind ``__builtin_X``, and C90's.
#
# __builtin_strlen(s)    strlen of the type that the C standard gives it
# strlen(s)              the same, with a warning
# f(1)                   int f(), with a warning


_TEXT = Pointer(CHAR)
_CONST_TEXT = Pointer(CHAR, frozenset({"const"}))
_MEMORY = Pointer(VOID)
_CONST_MEMORY = Pointer(VOID, frozenset({"const"}))


def _prototype(result: Type, *parameters: Type, variadic: bool = False) -> Function:
    return Function(result, parameters, variadic)


_FRACTIONS: dict[str, Type] = {"": DOUBLE, "f": FLOAT, "l": LDOUBLE}
_OF_ONE = """acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fabs
    floor gamma j0 j1 lgamma log log10 log1p log2 logb nearbyint rint round significand sin sinh
    sqrt tan tanh tgamma trunc y0 y1"""
_OF_TWO = "atan2 copysign drem fdim fmax fmin fmod hypot nextafter pow remainder"

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
    "strdup": _prototype(_TEXT, _CONST_TEXT), "strndup": _prototype(_TEXT, _CONST_TEXT, SIZE),
    "strpbrk": _prototype(_TEXT, _CONST_TEXT, _CONST_TEXT),
    "strspn": _prototype(SIZE, _CONST_TEXT, _CONST_TEXT),
    "strcspn": _prototype(SIZE, _CONST_TEXT, _CONST_TEXT),
    "index": _prototype(_TEXT, _CONST_TEXT, INT), "rindex": _prototype(_TEXT, _CONST_TEXT, INT),
    "stpcpy": _prototype(_TEXT, _TEXT, _CONST_TEXT),
    "stpncpy": _prototype(_TEXT, _TEXT, _CONST_TEXT, SIZE),
    "mempcpy": _prototype(_MEMORY, _MEMORY, _CONST_MEMORY, SIZE),
    "bzero": _prototype(VOID, _MEMORY, SIZE),
    "bcopy": _prototype(VOID, _CONST_MEMORY, _MEMORY, SIZE),
    "aligned_alloc": _prototype(_MEMORY, SIZE, SIZE),
    "fwrite": _prototype(SIZE, _CONST_MEMORY, SIZE, SIZE, _MEMORY),
    "printf": _prototype(INT, _CONST_TEXT, variadic=True), "putchar": _prototype(INT, INT),
    "puts": _prototype(INT, _CONST_TEXT),
    "sprintf": _prototype(INT, _TEXT, _CONST_TEXT, variadic=True),
    "snprintf": _prototype(INT, _TEXT, SIZE, _CONST_TEXT, variadic=True),
    **{name: _prototype(INT, INT) for name in ("toupper", "tolower", "isalpha", "isdigit",
       "isalnum", "isspace", "isupper", "islower", "ispunct", "isprint", "iscntrl", "isxdigit",
       "isgraph", "isblank")},
    **{f"{name}{suffix}": _prototype(kind, kind) for name in _OF_ONE.split()
       for suffix, kind in _FRACTIONS.items()},
    **{f"{name}{suffix}": _prototype(kind, kind, kind) for name in _OF_TWO.split()
       for suffix, kind in _FRACTIONS.items()},
    "vprintf": _prototype(INT, _CONST_TEXT, VA_LIST),
}  # fmt: skip


def implicit_function(context: Context, name: str, place: Location) -> Symbol:
    """A function that nobody declared: it returns int, as C90 had it, with a warning. gcc gives one
    of the library that it knows its own type, as long as the file declares no other."""
    context.warn(place, f"implicit declaration of function '{name}'")
    if name in LIBRARY:
        return _of_library(context, name, place)
    symbol = _declare(context, name, Function(INT, (), False, False), place)
    context.scopes.file.names[name] = symbol
    return symbol


def library_function(context: Context, name: str, place: Location) -> Symbol | None:
    """The function of the C library behind ``__builtin_name``, as ``name``."""
    if not name.startswith("__builtin_"):
        return None
    plain = name.removeprefix("__builtin_")
    known = context.scopes.lookup(plain)
    if isinstance(known, Symbol) and known.kind is SymbolKind.FUNCTION:
        return known
    return _of_library(context, plain, place) if plain in LIBRARY else None


def _of_library(context: Context, name: str, place: Location) -> Symbol:
    """The compiler's own declaration. The file may declare another one under the plain name."""
    names = context.scopes.file.names
    known = names.get(f"__builtin_{name}")
    if not isinstance(known, Symbol):
        known = names[f"__builtin_{name}"] = _declare(context, name, LIBRARY[name], place)
    return known


def _declare(context: Context, name: str, kind_: Function, place: Location) -> Symbol:
    symbol = Symbol(
        name, kind_, place, SymbolKind.FUNCTION, StorageDuration.STATIC, Linkage.EXTERNAL
    )
    context.unit.declarations.append(Declaration(symbol, None, location=place))
    return symbol


# ----------------------------------------------------------------------------------------- builtins


PREFIXES = ("__builtin_", "__sync_", "__atomic_")

# Calls that gcc makes other ones at -O0 already, where nobody uses the result: of what reads what
# the last argument points to, and does not print "(null)" for a null pointer.
_MADE_ANOTHER = {("printf", 0, b"%s\n"): "puts", ("fprintf", 1, b"%s"): "fputs"}


# gcc -O0 computes calls of these itself, and not always as the library does: comparisons of
# constant texts, with the number of their arguments, and functions whose result for a constant it
# rounds correctly.
COMPARED = {"strcmp": 2, "memcmp": 3, "bcmp": 3}
ROUNDED = frozenset(
    {"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf",
     "erfc", "exp", "exp10", "exp2", "expm1", "gamma", "hypot", "j0", "j1", "jn", "lgamma", "log",
     "log10", "log1p", "log2", "pow", "pow10", "sin", "sinh", "tan", "tanh", "tgamma", "y0", "y1",
     "yn"}
)  # fmt: skip


def rounded_function(name: str) -> tuple[str, str] | None:
    """The function and the suffix of its type, if gcc rounds its result: sinf is sin and f."""
    for suffix in ("", "f", "l"):
        base = name.removesuffix(suffix) if suffix else name
        if base in ROUNDED and base + suffix == name:
            return base, suffix
    return None


def may_be_computed(name: str) -> bool:
    """Does gcc -O0 compute some calls of this library function?"""
    return name == "isdigit" or name in COMPARED or rounded_function(name) is not None


_SIZES: dict[str, tuple[Type, Type]] = {"": (INT, UINT), "l": (LONG, ULONG), "ll": (LLONG, ULLONG)}
_UNSIGNED: dict[int, Type] = {16: USHORT, 32: UINT, 64: ULONG, 128: UINT128}

# Builtins that are no library functions, by their names without the prefix. Arguments are converted
# to the types of these parameters (C17 6.5.2.2p7).
PROTOTYPES: dict[str, Function] = {
    "unreachable": _prototype(VOID), "trap": _prototype(VOID),
    "prefetch": _prototype(VOID, _CONST_MEMORY, variadic=True),
    "expect": _prototype(LONG, LONG, LONG),
    "expect_with_probability": _prototype(LONG, LONG, LONG, DOUBLE),
    "alloca": _prototype(_MEMORY, SIZE), "alloca_with_align": _prototype(_MEMORY, SIZE, SIZE),
    "assume_aligned": _prototype(_MEMORY, _CONST_MEMORY, SIZE, variadic=True),
    "object_size": _prototype(SIZE, _CONST_MEMORY, INT),
    "dynamic_object_size": _prototype(SIZE, _CONST_MEMORY, INT),
    "frame_address": _prototype(_MEMORY, UINT), "return_address": _prototype(_MEMORY, UINT),
    **{f"bswap{bits}": _prototype(kind, kind) for bits, kind in _UNSIGNED.items()},
    **{f"{name}{size}": _prototype(INT, kind) for name in ("clz", "ctz", "popcount", "parity")
       for size, (_, kind) in _SIZES.items()},
    **{f"{name}{size}": _prototype(INT, kind) for name in ("ffs", "clrsb")
       for size, (kind, _) in _SIZES.items()},
    **{f"{sign}{name}{size}_overflow": _prototype(BOOL, kind, kind, Pointer(kind))
       for name in ("add", "sub", "mul") for size, kinds in _SIZES.items()
       for sign, kind in zip("su", kinds, strict=True)},
    "signbitf": _prototype(INT, FLOAT), "signbitl": _prototype(INT, LDOUBLE),
    **{f"{name}{suffix}": _prototype(kind) for name in ("inf", "huge_val")
       for suffix, kind in _FRACTIONS.items()},
    **{f"{name}{suffix}": _prototype(kind, _CONST_TEXT) for name in ("nan", "nans")
       for suffix, kind in _FRACTIONS.items()},
}  # fmt: skip

# Those whose arguments keep the types that they have.
_RESULTS: dict[str, Type] = {
    "va_start": VOID, "va_end": VOID, "va_copy": VOID,
    **{f"{name}_overflow{suffix}": BOOL for name in ("add", "sub", "mul") for suffix in ("", "_p")},
    **dict.fromkeys(
        ("isnan", "isinf", "isinf_sign", "isfinite", "isnormal", "signbit", "isgreater",
         "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered", "fpclassify"),
        INT),
}  # fmt: skip


def prototype(name: str) -> Function | None:
    """The compiler's own declaration of ``name``; None where arguments keep their types."""
    plain = name.removeprefix("__builtin_")
    return None if plain == name else PROTOTYPES.get(plain) or LIBRARY.get(plain)


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
            known = is_known_to_gcc(only)
            if known is None:
                raise UnsupportedError(f"what gcc knows in '{name}' is not supported", place)
            return IntegerConstant(int(known), INT, "", place)
        case "choose_expr", [test, then, otherwise]:
            return then if context.fold(test) else otherwise
        case "classify_type", [only]:
            return IntegerConstant(_type_class(only.type), INT, "", place)
        case "LINE" | "FILE" | "FUNCTION", _:
            raise UnsupportedError(f"'{name}' is not supported", place)
        case _:
            pass
    if plain in PROTOTYPES or plain in _RESULTS:
        declared = PROTOTYPES.get(plain)
        result = declared.result if declared is not None else _RESULTS[plain]
        return Builtin(plain, tuple(arguments), result, place)
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
    """The number that __builtin_classify_type gives, by gcc's typeclass.h, after argument
    promotions."""
    match kind:
        case Void():
            return 0
        case Pointer():
            return 5
        case Floating():
            return 8
        case Record(kind=RecordKind.STRUCT):
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
    if "compare_exchange" in name or "bool_compare" in name or name == "__atomic_test_and_set":
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
