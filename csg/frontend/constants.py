"""Compute integer constant expressions: array sizes, enumerators, case labels.

    sizeof(int) * 2 + (3 > 2)                  9
    (size_t) &((struct s *) 0)->second         4, the old way to write offsetof

Constants as written get their values and types.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator

from csg.errors import Location, ParseError, UnsupportedError
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    CompoundAssign,
    Conditional,
    Dereference,
    EnumeratorName,
    Expression,
    FloatingConstant,
    Increment,
    Index,
    IntegerConstant,
    Logical,
    Member,
    Name,
    SizeOf,
    StringLiteral,
    Unary,
    VaArg,
    operand_type,
)
from csg.language.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    LDOUBLE,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    USHORT,
    WCHAR,
    Array,
    Enumeration,
    Floating,
    Integer,
    Pointer,
    Type,
    is_arithmetic,
    limits,
    size_of,
    usual_conversion,
)

# --------------------------------------------------------------------------------------- as written
# Constants as spelt become values with types.
#
# 0x80000000    unsigned int 2147483648      'ab'     int 24930
# 10L           long 10                      L"\u20ac"  4 bytes for each wchar_t


_SUFFIX = re.compile(r"(?i)[uli]*\Z")
_FLOAT_SUFFIX = re.compile(r"(?i)(f16|f32x|f64x|f128|f32|f64|df|dd|dl|[flqwij]*)\Z")
_SUFFIXES = frozenset({"", "u", "l", "ll", "ul", "lu", "ull", "llu"})
_LONGEST = 4000  # characters of a floating constant; Python reads numbers of 4300 digits
_PIECE = re.compile(r'(u8|[LuU])?"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]+)|u(?P<u4>[0-9a-fA-F]{4})"
    r"|U(?P<u8>[0-9a-fA-F]{8})|(?P<simple>.))",
    re.DOTALL,
)
_SIMPLE = {
    "n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27, "E": 27,
    "\\": 92, "'": 39, '"': 34, "?": 63,
}  # fmt: skip
_UNITS: dict[str, tuple[Integer, int]] = {
    "": (CHAR, 1), "u8": (CHAR, 1), "L": (WCHAR, 4), "u": (USHORT, 2), "U": (UINT, 4),
}  # fmt: skip
_RANGES: list[tuple[Integer, int]] = [
    (kind, (1 << (kind.bits - kind.signed)) - 1) for kind in (INT, UINT, LONG, ULONG, LLONG, ULLONG)
]


def integer(text: str, place: Location) -> IntegerConstant:
    """An integer constant, typed by the list of C17 6.4.4.1."""
    suffix = _SUFFIX.search(text)
    assert suffix is not None
    digits, ending = text[: suffix.start()].replace("'", ""), suffix[0].lower()
    if "i" in ending:
        raise UnsupportedError("an imaginary constant is not supported", place)
    try:
        octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
        value = int(digits, 8 if octal else 0)
    except ValueError:
        raise ParseError(f"invalid integer constant '{text}'", place) from None
    decimal = digits.isdigit() and not octal and digits != "0"
    if ending not in _SUFFIXES:
        raise ParseError(f"invalid suffix in the integer constant '{text}'", place)
    longs = 2 if "ll" in ending else 1 if "l" in ending else 0
    for kind, largest in _RANGES:
        fits_suffix = kind.rank >= INT.rank + longs and (not kind.signed) >= ("u" in ending)
        if value <= largest and fits_suffix and (kind.signed or not decimal or "u" in ending):
            return IntegerConstant(value, kind, text, place)
    if value < 1 << 127:
        return IntegerConstant(value, INT128, text, place)
    raise ParseError(f"integer constant '{text}' is too large", place)


def floating(text: str, place: Location) -> FloatingConstant:
    """A floating constant; its type is decided by the suffix."""
    if len(text) > _LONGEST:
        raise UnsupportedError(f"a constant of {len(text)} characters is not supported", place)
    hexadecimal = text[:2].lower() == "0x"
    found = _FLOAT_SUFFIX.search(text if not hexadecimal else re.split("[pP]", text)[1])
    assert found is not None
    suffix = found[0].lower()
    kinds: dict[str, Floating] = {
        "": DOUBLE, "f": FLOAT, "l": LDOUBLE, "f32": FLOAT, "f64": DOUBLE, "f32x": DOUBLE,
    }  # fmt: skip
    if suffix not in kinds:
        raise UnsupportedError(f"the floating constant '{text}' is not supported", place)
    return FloatingConstant(text[: len(text) - len(suffix)].replace("'", ""), kinds[suffix], place)


def character(text: str, place: Location) -> IntegerConstant:
    """A character constant; several characters make one int as gcc has it."""
    prefix, _, rest = text.partition("'")
    kind, unit = _UNITS[prefix]
    units = list(_units(rest[:-1], unit, place))
    if prefix:
        return IntegerConstant(_wrapped(units[-1], kind), kind, text, place)
    if len(units) == 1:
        return IntegerConstant(_wrapped(units[0], CHAR), INT, text, place)
    value = 0
    for one in units:
        value = (value << 8 | one) & 0xFFFFFFFF
    return IntegerConstant(_wrapped(value, INT), INT, text, place)


def string(text: str, place: Location) -> StringLiteral:
    """Adjacent literals as one; the first prefix holds for all (C17 6.4.5p5)."""
    pieces = [(found[1] or "", found[2]) for found in _PIECE.finditer(text)]
    prefix = next((p for p, _ in pieces if p), "")
    kind, unit = _UNITS[prefix]
    units = [one for _, body in pieces for one in _units(body, unit, place)]
    value = b"".join(one.to_bytes(unit, "little") for one in units)
    return StringLiteral(value, Array(kind, len(units) + 1), unit, prefix, place)


def _wrapped(value: int, kind: Integer) -> int:
    value &= (1 << kind.bits) - 1
    return value - (1 << kind.bits) if kind.signed and value >> (kind.bits - 1) else value


def _units(body: str, unit: int, place: Location) -> Iterator[int]:
    """The code units of a literal's body, escapes resolved."""
    position = 0
    for found in _ESCAPE.finditer(body):
        yield from _encoded(body[position : found.start()], unit)
        position = found.end()
        yield from _escaped(found, unit, place)
    yield from _encoded(body[position:], unit)


def _escaped(found: re.Match[str], unit: int, place: Location) -> Iterator[int]:
    mask = (1 << (8 * unit)) - 1
    if found["octal"]:
        yield int(found["octal"], 8) & mask
    elif found["hex"]:
        yield int(found["hex"], 16) & mask
    elif code := found["u4"] or found["u8"]:
        if int(code, 16) > 0x10FFFF:
            raise ParseError(f"'{found[0]}' is no character", place)
        yield from _encoded(chr(int(code, 16)), unit)
    else:
        yield _SIMPLE.get(found["simple"], ord(found["simple"]) & mask)


def _encoded(text: str, unit: int) -> bytes | list[int]:
    """Characters in the execution character set: UTF-8, UTF-16 or UTF-32."""
    if unit == 1:
        return text.encode("utf-8", "surrogateescape")
    if unit == 2:
        data = text.encode("utf-16-le", "surrogatepass")
        return [int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2)]
    return [ord(one) for one in text]


# ----------------------------------------------------------------------------- constant expressions


Number = int | float


def fold(expression: Expression) -> int | None:
    """The value of an integer (or pointer) constant expression, else None."""
    value = _number(expression)
    return value if isinstance(value, int) else None


def fold_number(expression: Expression) -> Number | None:
    """The value of an arithmetic constant expression, as far as a double can hold it, else None."""
    value = _number(expression)
    return wrapped(value, expression.type) if isinstance(value, float) else value


_READ = (Name, Member, Index, Dereference, Call, Assign, CompoundAssign, Increment, VaArg)


def is_known_to_gcc(expression: Expression) -> bool | None:
    """What __builtin_constant_p says without optimisation; None where that is hard to tell, since
    gcc simplifies first.

    3 + 4, 1.5, "text"    True
    x, f(), x + 1         False
    x ^ x, x * 0, !x      None
    """
    if isinstance(expression, StringLiteral) or fold_number(expression) is not None:
        return True
    while not isinstance(expression, _READ):
        match expression:
            case Cast(operand=operand) if is_arithmetic(operand.type):
                expression = operand
            case Unary(operator="-" | "~" | "+", operand=operand):
                expression = operand
            case Binary(operator="+" | "-" | "*", left=left, right=right):
                known = [fold_number(each) for each in (left, right)]
                if known.count(None) != 1 or 0 in known:
                    return None
                expression = left if known[0] is None else right
            case AddressOf(operand=Name()):
                return False
            case _:
                return None
    return False


def wrapped(value: Number, kind: Type) -> Number | None:
    """``value`` converted to ``kind`` (C17 6.3.1)."""
    match kind:
        case Floating():
            if kind == FLOAT:
                return _as_float(float(value))
            return float(value)
        case Enumeration(underlying=underlying):
            return wrapped(value, underlying)
        case Integer():
            if kind == BOOL:
                return int(value != 0)
            if isinstance(value, float):
                return _nearest_integer(value, kind)
            whole = value & ((1 << kind.bits) - 1)
            return whole - (1 << kind.bits) if kind.signed and whole >> (kind.bits - 1) else whole
        case Pointer():
            return int(value) & ((1 << 64) - 1)
        case _:
            return None


def _as_float(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _nearest_integer(value: float, kind: Integer) -> int:
    """The integer that gcc converts a floating constant to: the nearest one that the type has, and
    0 for a NaN. C17 6.3.1.4 leaves values out of range undefined."""
    least, most = limits(kind.bits, kind.signed)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return most if value > 0 else least
    return max(least, min(most, int(value)))


def _number(expression: Expression) -> Number | None:
    match expression:
        case IntegerConstant(value=value) | EnumeratorName(value=value):
            return value
        case FloatingConstant(text=text):
            return float.fromhex(text) if text[:2].lower() == "0x" else float(text)
        case SizeOf(value=size):
            return size
        case Cast(operand=operand):
            value_ = _number(operand)
            return None if value_ is None else wrapped(value_, expression.type)
        case Unary():
            return _unary(expression)
        case Binary():
            return _chain(expression)
        case Logical():
            return _logical(expression)
        case Conditional():
            return _conditional(expression)
        case AddressOf(operand=operand):
            return _address(operand)
        case Builtin(name="expect", arguments=(operand, _)):
            value_ = _number(operand)
            return None if value_ is None else wrapped(value_, LONG)
        case _:
            return None


def _unary(expression: Unary) -> Number | None:
    value = _number(expression.operand)
    match expression.operator, value:
        case _, None:
            return None
        case "!", _:
            return int(not value)
        case "~", int(whole):
            return wrapped(~whole, expression.type)
        case "-", _:
            assert value is not None
            return wrapped(-value, expression.type)
        case "+", _:
            assert value is not None
            return wrapped(value, expression.type)
        case _:
            return None


def _chain(expression: Binary) -> Number | None:
    """The value of a binary expression. A chain of operators is nested in its left operand and can
    be long, so the left operands are evaluated in a loop."""
    spine: list[Binary] = []
    node: Expression = expression
    while isinstance(node, Binary):
        spine.append(node)
        node = node.left
    left = _number(node)
    for operation in reversed(spine):
        right = _number(operation.right)
        if left is None or right is None:
            return None
        left = _binary(operation, left, right)
    return left


def _binary(operation: Binary, left: Number, right: Number) -> Number | None:
    kinds = operation.left.type, operation.right.type
    if isinstance(operation.type, Pointer) or isinstance(kinds[0], Pointer):
        return _on_pointers(operation, left, right)
    if not (is_arithmetic(kinds[0]) and is_arithmetic(kinds[1])):
        return None
    if operation.operator in ("<<", ">>"):
        return _shift(operation, left, right)
    common = usual_conversion(*kinds)
    a, b = wrapped(left, common), wrapped(right, common)
    assert a is not None and b is not None
    result = _arithmetic(operation.operator, a, b)
    if isinstance(result, float) and not math.isfinite(result):
        return None  # gcc leaves exceptions to the run
    return None if result is None else wrapped(result, operation.type)


def _arithmetic(operator: str, a: Number, b: Number) -> Number | None:
    if operator in ("/", "%") and b == 0:
        return None
    whole = isinstance(a, int) and isinstance(b, int)
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return _quotient(int(a), int(b)) if whole else a / b
        case "%":
            return int(a) - int(b) * _quotient(int(a), int(b))
        case "&":
            return int(a) & int(b)
        case "|":
            return int(a) | int(b)
        case "^":
            return int(a) ^ int(b)
        case _:
            return _COMPARISONS[operator](a, b)


def _quotient(a: int, b: int) -> int:
    """The quotient truncated towards zero (C17 6.5.5p6)."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_COMPARISONS = {
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}


def _shift(operation: Binary, left: Number, right: Number) -> Number | None:
    kind = operand_type(operation.left)
    value = wrapped(left, kind)
    assert isinstance(value, int) and isinstance(right, int)
    if not 0 <= right < 8 * size_of(kind):
        return None
    return wrapped(value << right if operation.operator == "<<" else value >> right, kind)


def _on_pointers(operation: Binary, left: Number, right: Number) -> Number | None:
    if operation.operator in _COMPARISONS:
        return _COMPARISONS[operation.operator](left, right)
    a, b = operation.left.type, operation.right.type
    match operation.operator:
        case "-" if isinstance(a, Pointer) and isinstance(b, Pointer):
            return _quotient(int(left) - int(right), size_of(a.target) or 1)
        case "+" | "-" if isinstance(a, Pointer):
            step = int(right) * size_of(a.target)
            return wrapped(left + step if operation.operator == "+" else left - step, a)
        case "+" if isinstance(b, Pointer):
            return wrapped(int(left) * size_of(b.target) + right, b)
        case _:
            return None


def _logical(expression: Logical) -> Number | None:
    stops = expression.operator == "||"
    for operand in expression.operands:
        value = _number(operand)
        if value is None:
            return None
        if bool(value) == stops:
            return int(stops)
    return int(not stops)


def _conditional(expression: Conditional) -> Number | None:
    condition = _number(expression.condition)
    if condition is None:
        return None
    if not condition:
        chosen = _number(expression.otherwise)
    else:
        chosen = condition if expression.then is None else _number(expression.then)
    return None if chosen is None else wrapped(chosen, expression.type)


def _address(operand: Expression) -> Number | None:
    """The address of an lvalue, where it is an offset from a constant pointer: ``((T *)
    0)->a[2]``."""
    match operand:
        case Dereference(operand=pointer):
            return _pointer(pointer)
        case Member(record=record, field=field, arrow=arrow):
            start = _pointer(record) if arrow else _address(record)
            return None if start is None else start + field.offset
        case Index(base=base, index=index):
            start, count = _pointer(base), _number(index)
            return None if start is None or count is None else start + count * _step(base)
        case _:
            return None


def _step(pointer: Expression) -> int:
    return size_of(pointer.type.target) if isinstance(pointer.type, Pointer) else 1


def _pointer(expression: Expression) -> Number | None:
    """The value of a pointer; a member or element of array type stands for its address."""
    match expression:
        case Member(field=field) if isinstance(field.type, Array):
            return _address(expression)
        case Index(base=pointer) | Dereference(operand=pointer) if _points_to_array(pointer):
            return _address(expression)
        case _:
            return _number(expression)


def _points_to_array(pointer: Expression) -> bool:
    return isinstance(pointer.type, Pointer) and isinstance(pointer.type.target, Array)
