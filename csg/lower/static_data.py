"""Contents of objects with static duration: bytes and relocations.

    int a[2] = {1, 2};            0100000002000000
    int *p = &a[1];               8 zero bytes, [0]=a+4
    double d = 1.0 / 4;           000000000000d03f
    void *t[] = {&&here};         8 zero bytes, and a LabelEntry until blocks have their numbers

An initialiser is lowered like any expression, into a function of its own, and the few straight
instructions that remain after folding are then computed: the rules of conversions and operators
exist once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from csg.errors import Location, UnsupportedError
from csg.ir import (
    Binary,
    Block,
    Branch,
    Compare,
    Constant,
    ConvertFloat,
    Extend,
    FloatBinary,
    FloatCompare,
    FloatUnary,
    FunctionAddress,
    GlobalAddress,
    GlobalObject,
    Instruction,
    Jump,
    Move,
    Relocation,
    Truncate,
    Unary,
    Value,
)
from csg.ir.program import StatementKind
from csg.language.syntax import (
    Builtin,
    Cast,
    CompoundLiteral,
    EnumeratorName,
    Expression,
    Initializer,
    InitializerEntry,
    InitializerList,
    IntegerConstant,
    StringLiteral,
    Symbol,
    Version,
)
from csg.language.types import VOID, Array, Pointer, Record, Type, is_integer, size_of, value_bits
from csg.lower import floats
from csg.lower.builder import fold_binary, fold_compare, signed
from csg.lower.context import LabelEntry, Lowering
from csg.lower.expressions import stored_value
from csg.lower.places import access_size
from csg.lower.tables import NodeTable, Objects, object_alignment
from csg.records import record

# --------------------------------------------------------------------------------------- evaluation
# Compute the straight-line code that a static initialiser was lowered to.
#
# &a[2].b + 1      %0 = global a;  %1 = add %0, 20;  %2 = add %1, 4     ->  Address("a", 24)
# 1.0 / 4          %0 = fdiv.64 ...                                     ->  the pattern of 0.25


@record
class Address:
    symbol: str
    addend: int = 0


Known = int | Address
_LONGEST = 10_000  # blocks on the way: initialisers have no loops


def evaluate(blocks: list[Block], last: int, result: Value) -> Known | None:
    """The value of ``result`` at the end of block ``last``; None where it is no constant."""
    registers: dict[int, Known] = {}
    at = 0
    for _ in range(_LONGEST):
        for instruction in blocks[at].instructions:
            value = _step(instruction, registers)
            target = getattr(instruction, "target", None)
            if value is None or target is None:
                return None
            registers[target.number] = value
        if at == last:
            return _read(result, registers)
        match blocks[at].terminator:
            case Jump(target=at):
                pass
            case Branch(condition=condition, then=then, otherwise=otherwise):
                truth = _read(condition, registers)
                if truth is None:
                    return None
                at = then if truth else otherwise
            case _:
                return None
    return None


def _read(value: Value, registers: dict[int, Known]) -> Known | None:
    return value.value if isinstance(value, Constant) else registers.get(value.number)


def _step(instruction: Instruction, registers: dict[int, Known]) -> Known | None:
    match instruction:
        case GlobalAddress(name=name) | FunctionAddress(name=name):
            return Address(name)
        case Move(value=value):
            return _read(value, registers)
        case Binary(operator=operator, target=target, left=left, right=right):
            return _binary(operator, target.width, _read(left, registers), _read(right, registers))
        case Compare(operator=operator, left=left, right=right):
            return _compare(operator, left.width, _read(left, registers), _read(right, registers))
        case Unary() | Extend() | Truncate() | FloatUnary() | ConvertFloat():
            number = _read(instruction.operand, registers)
            return _unary(instruction, number) if isinstance(number, int) else None
        case FloatBinary() | FloatCompare():
            a, b = _read(instruction.left, registers), _read(instruction.right, registers)
            if isinstance(a, int) and isinstance(b, int):
                return _floating(instruction, a, b)
            return None
        case _:
            return None


def _binary(operator: str, width: int, left: Known | None, right: Known | None) -> Known | None:
    if isinstance(left, int) and isinstance(right, int):
        return fold_binary(operator, width, left, right)
    if operator == "add" and isinstance(left, Address) and isinstance(right, int):
        return Address(left.symbol, left.addend + signed(right, width))
    if operator == "add" and isinstance(left, int) and isinstance(right, Address):
        return Address(right.symbol, right.addend + signed(left, width))
    if operator == "sub" and isinstance(left, Address):
        if isinstance(right, int):
            return Address(left.symbol, left.addend - signed(right, width))
        if isinstance(right, Address) and right.symbol == left.symbol:
            return left.addend - right.addend & ((1 << width) - 1)
    return None


def _compare(operator: str, width: int, left: Known | None, right: Known | None) -> int | None:
    if isinstance(left, int) and isinstance(right, int):
        return fold_compare(operator, width, left, right)
    if operator in ("eq", "ne") and 0 in (left, right) and None not in (left, right):
        return int(operator == "ne")  # no object stands at the null pointer
    return None


def _unary(
    instruction: Unary | Extend | Truncate | FloatUnary | ConvertFloat, number: int
) -> int | None:
    width, source = instruction.target.width, instruction.operand.width
    mask = (1 << width) - 1
    match instruction:
        case Unary(operator=operator):
            return (-number if operator == "neg" else ~number) & mask
        case Extend(signed=negative):
            return (signed(number, source) if negative else number) & mask
        case Truncate():
            return number & mask
        case FloatUnary():
            return number ^ 1 << (width - 1)
        case ConvertFloat(source="float", result="float"):
            return floats.resize(number, source, width)
        case ConvertFloat(source="float"):
            if not floats.is_finite(number, source):
                return None
            return int(floats.number(number, source)) & mask
        case ConvertFloat(source=kind):
            exact = signed(number, source) if kind == "signed" else number
            return floats.pattern(Fraction(exact), width)


def _floating(instruction: FloatBinary | FloatCompare, left: int, right: int) -> int | None:
    width = instruction.left.width
    if not floats.is_finite(right, width):
        return None
    if not floats.is_finite(left, width):
        infinite = left & (1 << (width - 1)) - 1 == floats.infinity(width)
        plain = infinite and instruction.operator in ("add", "sub")
        return left if plain else None
    a, b = floats.number(left, width), floats.number(right, width)
    match instruction.operator:
        case "add":
            return floats.pattern(a + b, width)
        case "sub":
            return floats.pattern(a - b, width)
        case "mul":
            return floats.pattern(a * b, width, negative=bool((left ^ right) >> (width - 1)))
        case "div":
            negative = bool((left ^ right) >> (width - 1))
            if b == 0:
                sign = int(negative) << (width - 1)
                return floats.quiet_nan(width) if a == 0 else floats.infinity(width) | sign
            return floats.pattern(a / b, width, negative)
        case "eq":
            return int(a == b)
        case "ne":
            return int(a != b)
        case "lt":
            return int(a < b)
        case "le":
            return int(a <= b)
        case _:
            raise AssertionError(instruction.operator)


# -------------------------------------------------------------------------------------- static data


NewLowering = Callable[[str, Type, Objects, NodeTable], Lowering]


@dataclass(slots=True)
class _Contents:
    data: bytearray
    relocations: dict[int, Relocation] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    changes: set[int] = field(default_factory=set)

    def put(self, offset: int, raw: bytes) -> None:
        self.data[offset : offset + len(raw)] = raw


_LARGEST = 1 << 30  # bytes of an object
_HINT = "objects of more than a gigabyte are not supported"


def define(
    new_lowering: NewLowering,
    objects: Objects,
    symbol: Symbol,
    initializer: Initializer | None,
    scope: str = "",
    labels: list[LabelEntry] | None = None,
) -> set[int]:
    """Enter an object of static duration in the table and return the ids of the changes in its
    initialiser. ``labels`` gets the addresses of the function's labels that the initialiser
    holds."""
    name = objects.name(symbol, scope)
    if name in objects.globals and initializer is None:
        return set()
    size = max(size_of(symbol.type), _flexible_size(initializer))
    if size > _LARGEST:
        raise UnsupportedError(f"'{symbol.name}' has {size:,} bytes", symbol.location, _HINT)
    new = _contents(new_lowering, objects, symbol.type, size, initializer, Version.NEW)
    old = None
    if new.changes:
        old = _contents(new_lowering, objects, symbol.type, size, initializer, Version.OLD)
    objects.globals[name] = GlobalObject(
        name,
        size,
        object_alignment(symbol.type, symbol.alignment),
        bytes(new.data),
        _sorted(new),
        readonly=_is_readonly(symbol),
        old_data=None if old is None else bytes(old.data),
        old_relocations=() if old is None else _sorted(old),
        type=symbol.type,
        location=symbol.location,
    )
    for contents, version in ((new, Version.NEW), (old, Version.OLD)):
        for offset, label in () if contents is None else sorted(contents.labels.items()):
            if labels is None:
                raise _not_constant(symbol.location)
            labels.append(LabelEntry(name, offset, label, version))
    return new.changes


def _is_readonly(symbol: Symbol) -> bool:
    """Does the compiler put the object where it cannot be written? What is volatile may change."""
    return "const" in symbol.qualifiers and "volatile" not in symbol.qualifiers


def _flexible_size(initializer: Initializer | None) -> int:
    """The size in bytes that the entries reach: a flexible array member makes the object larger."""
    if not isinstance(initializer, InitializerList):
        return 0
    return max((e.offset + size_of(e.type) for e in initializer.entries if not e.field), default=0)


def _sorted(contents: _Contents) -> tuple[Relocation, ...]:
    return tuple(contents.relocations[offset] for offset in sorted(contents.relocations))


def _contents(
    new_lowering: NewLowering,
    objects: Objects,
    kind: Type,
    size: int,
    initializer: Initializer | None,
    version: Version,
) -> _Contents:
    contents = _Contents(bytearray(size))
    for entry in _entries(kind, initializer):
        _put(new_lowering, objects, contents, entry, version)
    return contents


def _entries(kind: Type, initializer: Initializer | None) -> Iterator[InitializerEntry]:
    """The scalars and strings of an initialiser, with those of constant compound literals."""
    if initializer is None:
        return
    if isinstance(initializer, InitializerList):
        pending = list(reversed(initializer.entries))
    else:
        pending = [InitializerEntry((), 0, kind, initializer)]
    while pending:
        entry = pending.pop()
        value = entry.value
        if isinstance(value, CompoundLiteral) and isinstance(entry.type, Record | Array):
            inner = value.initializer
            if not isinstance(inner, InitializerList):
                inner = InitializerList((InitializerEntry((), 0, entry.type, inner),), entry.type)
            pending += [
                InitializerEntry((), entry.offset + each.offset, each.type, each.value, each.field)
                for each in reversed(inner.entries)
            ]
        else:
            yield entry


def _put(
    new_lowering: NewLowering,
    objects: Objects,
    contents: _Contents,
    entry: InitializerEntry,
    version: Version,
) -> None:
    value = entry.value
    if isinstance(value, StringLiteral) and isinstance(entry.type, Array):
        size = size_of(entry.type)
        contents.put(entry.offset, (value.value + bytes(size))[:size])
        return
    label = _label(value)
    if label is not None:
        contents.labels[entry.offset] = label
        return
    contents.labels.pop(entry.offset, None)
    number = _constant(new_lowering, objects, contents, entry, version)
    if isinstance(number, Address):
        if size_of(entry.type) != 8:
            raise _not_constant(_location(value))
        contents.relocations[entry.offset] = Relocation(entry.offset, number.symbol, number.addend)
    elif entry.field is not None and entry.field.bit_width is not None:
        _put_bits(contents, entry, number)
    else:
        contents.relocations.pop(entry.offset, None)
        contents.put(entry.offset, number.to_bytes(access_size(entry.type), "little"))


def _label(value: Expression) -> str | None:
    """The label whose address the expression is; None where it is no such address."""
    while isinstance(value, Cast) and isinstance(value.type, Pointer):
        value = value.operand
    match value:
        case Builtin(name="label_address", arguments=(StringLiteral(value=name),)):
            return name.decode()
        case _:
            return None


def _put_bits(contents: _Contents, entry: InitializerEntry, number: int) -> None:
    assert entry.field is not None and entry.field.bit_width is not None
    length = (entry.field.bit_offset + entry.field.bit_width + 7) // 8
    reach = slice(entry.offset, entry.offset + length)
    mask = ((1 << entry.field.bit_width) - 1) << entry.field.bit_offset
    unit = int.from_bytes(contents.data[reach], "little") & ~mask
    unit |= number << entry.field.bit_offset & mask
    contents.data[reach] = unit.to_bytes(length, "little")


def _constant(
    new_lowering: NewLowering,
    objects: Objects,
    contents: _Contents,
    entry: InitializerEntry,
    version: Version,
) -> int | Address:
    """The value of an entry: a bit pattern in the width of its type, or an address."""
    value, kind = entry.value, entry.type
    if isinstance(value, IntegerConstant | EnumeratorName) and is_integer(kind):
        width = value_bits(kind)
        return int(value.value != 0) if width == 1 else value.value & ((1 << width) - 1)
    nodes = NodeTable(numbered=False)
    lowering = new_lowering("", VOID, objects, nodes)
    lowering.builder.node = nodes.draft(StatementKind.DECLARATION, _location(value), "")
    lowering.builder.version = version
    lowering.checks = False
    result = stored_value(lowering, value, kind, entry.bit_width)
    last = lowering.builder.block
    computed = evaluate(lowering.builder.function.blocks, last.index, result)
    contents.changes |= nodes.drafts[0].changes
    if computed is None:
        raise _not_constant(_location(value))
    return computed


def _location(value: Expression) -> Location:
    return value.location


def _not_constant(location: Location) -> UnsupportedError:
    return UnsupportedError(
        "this initialiser is no constant that can be computed",
        location,
        "initialise the object in a function",
    )
