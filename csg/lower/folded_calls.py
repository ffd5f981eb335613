"""Compute calls of library functions as gcc does at -O0, where the library has another answer.

(isdigit)(c)         (unsigned) c - 48 <= 9       glibc's function gives 2048
strcmp("a", "c")     -1                           glibc's gives the difference, -2
j0(2.5)              what gcc says                correctly rounded; glibc's may not be
"""

from __future__ import annotations

from csg.cache import Cache, key_of
from csg.errors import ToolchainError
from csg.frontend.builtins import COMPARED, LIBRARY, may_be_computed, rounded_function
from csg.frontend.constants import fold, fold_number, wrapped
from csg.ir import Constant, Value
from csg.language.syntax import (
    AddressOf,
    Binary,
    Call,
    Cast,
    Expression,
    FloatingConstant,
    Index,
    IntegerConstant,
    Name,
    StringLiteral,
    SymbolKind,
    Version,
)
from csg.language.traversal import walk
from csg.language.types import (
    DOUBLE,
    FLOAT,
    INT,
    LDOUBLE,
    UINT,
    Pointer,
    Type,
    is_integer,
    size_of,
)
from csg.lower.context import Lowering
from csg.lower.expressions import default_promoted, direct_callee, function_type
from csg.lower.order import by_version, in_versions
from csg.toolchain import assemble, compiler_identity, find_compiler
from csg.unify.assembly import read_assembly
from csg.unify.meanings import bytes_of

_TYPES = {
    "": (DOUBLE, "double", ""),
    "f": (FLOAT, "float", "f"),
    "l": (LDOUBLE, "long double", "L"),
}
_UNKNOWN = "what gcc makes of {} of constants"
_NOT_FOLDED = b"-"


def folded_call(lowering: Lowering, expression: Call) -> Value | None:
    """The value of a call that gcc computes in one version at least; None for any other."""
    if _library_name(expression) is None:
        return None
    halves = in_versions(lowering, expression)
    known: dict[Version | None, Expression | Constant | None] = {
        version: _result_of(half) for version, half in halves.items() if isinstance(half, Call)
    }
    unknown = (half for version, half in halves.items() if known.get(version) is None)
    if any(isinstance(half, Call) and _is_doubtful(half) for half in unknown):
        lowering.admit(_UNKNOWN.format(_library_name(expression)))
    if not any(known.values()):
        return None

    def evaluate(version: Version | None) -> Value:
        value = known.get(version)
        return value if isinstance(value, Constant) else lowering.value(value or halves[version])

    return by_version(lowering, expression, halves, evaluate)


def _library_name(expression: Call) -> str | None:
    """The library function that is called, if it is one of these, and not the program's own."""
    name = direct_callee(expression.function)
    if name is None or name.symbol.defined:
        return None
    text = name.symbol.name
    return text if may_be_computed(text) and _is_as_known(expression, text) else None


def _is_as_known(expression: Call, name: str) -> bool:
    """Does the call have the type that gcc knows the function by? gcc computes no other ones."""
    known, called = LIBRARY.get(name), function_type(expression.function)
    if known is None or called.prototype:
        return known in (None, called)
    passed = tuple(default_promoted(each) for each in expression.arguments)
    return (called.result, passed) == (known.result, known.parameters)


def _result_of(expression: Call) -> Expression | Constant | None:
    name, arguments = _library_name(expression), expression.arguments
    if name == "isdigit" and len(arguments) == 1:
        return _is_digit(arguments[0])
    if name in COMPARED and len(arguments) == COMPARED[name]:
        return _order_of(arguments)
    return None if name is None else _number_of(name, arguments)


def _is_digit(character: Expression) -> Expression:
    place = character.location
    distance = Binary("-", Cast(character, UINT, place), IntegerConstant(48, UINT), UINT, place)
    return Binary("<=", distance, IntegerConstant(9, UINT), INT, place)


# ------------------------------------------------------------------------------------------ texts


def _order_of(arguments: tuple[Expression, ...]) -> Expression | None:
    """Which of two literals is the smaller one: -1, 0 or 1."""
    one, other = (_literal(each) for each in arguments[:2])
    if one is None or other is None:
        return None
    if len(arguments) == 2:
        one, other = one.partition(b"\0")[0], other.partition(b"\0")[0]
    else:
        size = fold(arguments[2])
        if size is None or not 0 <= size <= min(len(one), len(other)):
            return None
        one, other = one[:size], other[:size]
    return IntegerConstant((one > other) - (one < other), INT)


def _literal(text: Expression) -> bytes | None:
    """The bytes of a literal from the place on that the expression points to."""
    start = 0
    while True:
        match text:
            case StringLiteral(value=value, unit=1):
                return (value + b"\0")[start:] if 0 <= start <= len(value) else None
            case Cast(operand=operand) if isinstance(text.type, Pointer):
                text = operand
            case Binary(operator="+", left=left, right=right) if _is_bytes(left.type):
                count = fold(right)
                if count is None:
                    return None
                text, start = left, start + count
            case AddressOf(operand=Index(base=base, index=index)) if _is_bytes(base.type):
                count = fold(index)
                if count is None:
                    return None
                text, start = base, start + count
            case _:
                return None


def _is_bytes(kind: Type) -> bool:
    return isinstance(kind, Pointer) and is_integer(kind.target) and size_of(kind.target) == 1


def _is_doubtful(expression: Call) -> bool:
    """May the arguments of a call whose result is not known here be constants? Then gcc may know
    it."""
    name = _library_name(expression)
    if name is None or name == "isdigit":
        return False
    if name in COMPARED:
        return all(map(_may_be_constant, expression.arguments[:2]))
    numbers = [fold_number(each) for each in expression.arguments]
    return None not in numbers and _texts(name, expression.arguments) is None


def _may_be_constant(argument: Expression) -> bool:
    """Is it made of literals and of constant objects?"""
    names = [each.symbol for each in walk(argument) if isinstance(each, Name)]
    made = any(isinstance(each, Call) for each in walk(argument))
    literal = any(isinstance(each, StringLiteral) for each in walk(argument))
    constant = all(each.kind is SymbolKind.OBJECT and "const" in each.qualifiers for each in names)
    return not made and constant and (literal or bool(names))


# ---------------------------------------------------------------------------------------- numbers


def _number_of(name: str, arguments: tuple[Expression, ...]) -> Constant | None:
    """The result of a mathematical function, from the compiler; None where it makes a call."""
    texts = _texts(name, arguments)
    rounded = rounded_function(name)
    if texts is None or rounded is None:
        return None
    kind, spelt, _ = _TYPES[rounded[1]]
    text = f"{spelt} csgtest_value = __builtin_{name}({', '.join(texts)});\n"
    known = _remembered_answer(text)
    if known == _NOT_FOLDED:
        return None
    width = 80 if kind == LDOUBLE else 8 * size_of(kind)
    return Constant(int.from_bytes(known[: width // 8], "little"), width)


def _texts(name: str, arguments: tuple[Expression, ...]) -> list[str] | None:
    """The arguments as C; None where one is no constant, or more exact than a double is."""
    found = []
    rounded = rounded_function(name)
    for number, argument in enumerate(arguments):
        value = fold_number(argument)
        if value is None or rounded is None or not _is_exact(argument):
            return None
        if number == 0 and rounded[0] in ("jn", "yn"):
            found.append(str(wrapped(value, INT)))
            continue
        kind, _, suffix = _TYPES[rounded[1]]
        held = wrapped(value, kind)
        assert held is not None
        found.append(f"{float(held).hex()}{suffix}")
    return found if all("n" not in each for each in found) else None  # neither inf nor nan


def _is_exact(argument: Expression) -> bool:
    """A long double may be more exact than what holds it here."""
    kinds = [each.type for each in walk(argument) if isinstance(each, FloatingConstant)]
    return LDOUBLE not in kinds


def _remembered_answer(text: str) -> bytes:
    cache = Cache("folds")
    key = key_of(compiler_identity(find_compiler()), text)
    known = cache.find(key)
    if known is None:
        known = _ask_compiler(text)
        cache.keep({key: known})
    return known


def _ask_compiler(text: str) -> bytes:
    """The bytes of an object with this initializer; ``_NOT_FOLDED`` where it is no constant."""
    try:
        piece = read_assembly(assemble(text, language="c")).pieces.get("csgtest_value")
    except ToolchainError:
        return _NOT_FOLDED
    return (None if piece is None else bytes_of(piece)) or _NOT_FOLDED
