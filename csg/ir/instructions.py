"""Instructions and terminators.

    x = a[i] + 1;          # node 7
      %5 = ext s64 %2           # i
      %6 = shl 64 %5, 2
      %7 = add 64 %4, %6
      %8 = load 32 %7
      %3 = add 32 %8, 1

Every instruction knows its ``node`` (a statement of the source, see ``Program.nodes``) and its
``version``: None runs in both; OLD or NEW belongs to that version alone. While both versions run,
an OLD instruction reads the old halves of its operands and writes the old half of its result, so

    t = change(x, x + 1)
      OLD: %9 = mov %2
      NEW: %9 = add 32 %2, 1

leaves the pair (x, x + 1) in %9. Only instructions that cannot trap or transfer control stand in
line like this; everything else of one version stands in blocks between an ``Enter`` and its exit.
"""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from csg.ir.conventions import Convention, Passed
from csg.language.syntax import Version
from csg.records import record


@record
class Register:
    number: int
    width: int  # bits: 1, 8, 16, 32, 64, 80 (long double), 128; others for exact results and for
    # bit-fields that are wider than int

    def __str__(self) -> str:
        return f"%{self.number}"


@record
class Constant:
    value: int  # 0 <= value < 2**width; a floating constant's bit pattern
    width: int

    def __str__(self) -> str:
        return str(self.value)


Value = Register | Constant


@record(kw_only=True)
class _Placed:
    node: int
    version: Version | None = None


@record(kw_only=True)
class Computation(_Placed):
    """An instruction whose result depends on its operands alone: it touches no memory, cannot trap,
    and makes no pointer, so that analyses need not distinguish it further."""


class Conversion(Enum):
    """What a move makes of an address. The value is the same natively; whoever executes the program
    may have numbers of its own for addresses."""

    NONE = "none"
    TO_INTEGER = "integer"  # (uintptr_t) p
    TO_POINTER = "pointer"  # (char *) n


@record
class Move(_Placed):
    target: Register
    value: Value
    conversion: Conversion = Conversion.NONE


@record
class Unary(Computation):
    """``neg``, ``not`` (bitwise; on width 1 the logical not)"""

    operator: str
    target: Register
    operand: Value


@record
class Binary(_Placed):
    """``add sub mul and or xor shl lshr ashr`` wrap at the width of ``target``; ``udiv sdiv urem
    srem`` trap on zero (and on the most negative value divided by -1). Both operands have the
    width of the target, shift counts too; a count >= width is an event of the program under test:
    taken modulo 32 or 64 as x86-64 does. ``pointers``: the distance of two pointers (C17
    6.5.6p9)."""

    operator: str
    target: Register
    left: Value
    right: Value
    pointers: bool = False


@record
class Compare(Computation):
    """``eq ne ult ule slt sle``; the target has width 1. Greater-than is written with the operands
    exchanged. ``pointers``: which pointer comes first (C17 6.5.8p5), or whether two are equal."""

    operator: str
    target: Register
    left: Value
    right: Value
    pointers: bool = False


@record
class Extend(Computation):
    target: Register
    operand: Value
    signed: bool


@record
class Truncate(Computation):
    target: Register
    operand: Value


@record
class FloatUnary(Computation):
    operator: str  # "neg"
    target: Register
    operand: Value


@record
class FloatBinary(Computation):
    """``add sub mul div`` in the format that the target's width names (32, 64, 80)."""

    operator: str
    target: Register
    left: Value
    right: Value


@record
class FloatCompare(Computation):
    """``eq ne lt le``: IEEE ordering, false on NaN but for ``ne``."""

    operator: str
    target: Register
    left: Value
    right: Value


@record
class ConvertFloat(Computation):
    """``source`` and ``result`` are "float", "signed", "unsigned"; one of them is "float"; widths
    are those of the operand and the target."""

    target: Register
    operand: Value
    source: str
    result: str


@record
class Load(_Placed):
    """``size`` bytes, little-endian, into a register of exactly 8 * size bits (10 bytes for long
    double, 1 byte for width 1 of _Bool). ``numeric``: the program reads no pointer there."""

    target: Register
    address: Value
    size: int
    numeric: bool = False


@record
class Store(_Placed):
    address: Value
    value: Value
    size: int


@record
class SlotAddress(_Placed):
    target: Register
    slot: int


@record
class GlobalAddress(_Placed):
    target: Register
    name: str


@record
class FunctionAddress(_Placed):
    target: Register
    name: str


@record
class LabelAddress(_Placed):
    target: Register
    block: int


@record
class Copy(_Placed):
    """Copy ``size`` bytes from ``source`` to ``address``, as an assignment of structures does."""

    address: Value
    source: Value
    size: int


@record
class Fill(_Placed):
    """Set ``size`` bytes at ``address`` to ``byte``."""

    address: Value
    byte: int
    size: int


@record
class CheckIndex(_Placed):
    """The program does wrong unless ``index < bound``, two numbers of 64 bits without sign: it
    indexes ``array`` ("frames[3]") beyond its end (C17 6.5.6p8)."""

    index: Value
    bound: Value
    array: str


@record
class Allocate(_Placed):
    """A new stack object of run-time size (VLA, alloca), freed when the function returns."""

    target: Register
    size: Value


@record
class Call(_Placed):
    """``callee`` is a name or an address. Structs are passed as the address of a copy that the
    caller made; a struct result goes through a hidden first argument. ``variadic_from`` is the
    index of the first argument that matches an ellipsis (len(arguments) when none does).
    ``convention`` is None where no source has the call."""

    target: Register | None
    callee: str | Value
    arguments: tuple[Value, ...]
    variadic_from: int
    noreturn: bool = False
    passed: tuple[Passed, ...] = ()  # as what, of the arguments that match an ellipsis
    convention: Convention | None = None


@record
class VaStart(_Placed):
    list: Value  # address of the va_list


@record
class VaArgument(_Placed):
    target: Register
    list: Value
    floating: bool
    size: int  # of the argument; structs: the target receives the address
    passed: Passed = Passed.NUMBER


@record
class VaCopy(_Placed):
    list: Value
    source: Value


@record
class Refuse(_Placed):
    """A construct that cannot be executed (asm, vector arithmetic, ...): it ends the path with an
    event."""

    reason: str


Instruction = (
    Move
    | Unary
    | Binary
    | Compare
    | Extend
    | Truncate
    | FloatUnary
    | FloatBinary
    | FloatCompare
    | ConvertFloat
    | Load
    | Store
    | SlotAddress
    | GlobalAddress
    | FunctionAddress
    | LabelAddress
    | Copy
    | Fill
    | CheckIndex
    | Allocate
    | Call
    | VaStart
    | VaArgument
    | VaCopy
    | Refuse
)

# --------------------------------------------------------------------------- terminators


@record
class Jump(_Placed):
    target: int


@record
class Branch(_Placed):
    """Go to one of two blocks. ``condition`` has width 1. ``site`` is the number of the
    ``Decision`` that the source makes here."""

    condition: Value
    then: int
    otherwise: int
    site: int = 0


@record
class Switch(_Placed):
    """The first case with low <= value <= high (unsigned order at the value's width, ranges already
    split so that they do not wrap) wins. A case of one version only is skipped by the other."""

    value: Value
    cases: tuple[tuple[int, int, int, Version | None], ...]  # low, high, block, version
    default: int
    default_other: int | None = None  # where the version without ``default`` goes
    default_version: Version | None = None
    site: int = 0


@record
class IndirectJump(_Placed):
    address: Value
    targets: tuple[int, ...]


@record
class Enter(_Placed):
    """The version ``region`` runs ``body`` and comes back at ``exit``; the other version goes to
    ``exit`` at once, where both meet. (``version`` is never None for blocks in the region.)"""

    region: Version
    body: int
    exit: int


@record
class Return(_Placed):
    """Only the exit block returns, so every branch has a post-dominator."""

    value: Value | None


@record
class Trap(_Placed):
    """The end of a block that control cannot leave: after a call that does not return, or
    ``__builtin_unreachable``."""

    reason: str


Terminator = Jump | Branch | Switch | IndirectJump | Enter | Return | Trap


# ------------------------------------------------------------------------------ reads, writes, flow
# What an instruction reads and writes, and where control goes after a block. Each function has a
# case for every instruction (terminator); the type checker names those that are forgotten.
#
# branch %4, B1, B2       reads %4; its successors are B1 and B2


def target(instruction: Instruction) -> Register | None:
    """The register an instruction writes."""
    return getattr(instruction, "target", None)


def reads(instruction: Instruction) -> tuple[Value, ...]:
    """The values an instruction needs before it can run."""
    match instruction:
        case Move(value=value):
            return (value,)
        case Binary() | Compare() | FloatBinary() | FloatCompare():
            return (instruction.left, instruction.right)
        case Load(address=address) | Fill(address=address):
            return (address,)
        case Store(address=address, value=value):
            return (address, value)
        case Extend() | Truncate() | Unary() | FloatUnary() | ConvertFloat():
            return (instruction.operand,)
        case Call(callee=callee, arguments=arguments):
            return arguments if isinstance(callee, str) else (callee, *arguments)
        case Copy(address=address, source=source):
            return (address, source)
        case CheckIndex(index=index, bound=bound):
            return (index, bound)
        case Allocate(size=size):
            return (size,)
        case VaStart() | VaArgument():
            return (instruction.list,)
        case VaCopy():
            return (instruction.list, instruction.source)
        case SlotAddress() | GlobalAddress() | FunctionAddress() | LabelAddress() | Refuse():
            return ()
        case _:
            assert_never(instruction)


def decides(terminator: Terminator) -> tuple[Value, ...]:
    """The values a terminator reads."""
    match terminator:
        case Branch(condition=condition):
            return (condition,)
        case Switch(value=value):
            return (value,)
        case IndirectJump(address=address):
            return (address,)
        case Return(value=result):
            return () if result is None else (result,)
        case Jump() | Enter() | Trap():
            return ()
        case _:
            assert_never(terminator)


def successors(terminator: Terminator) -> tuple[int, ...]:
    """Block indices where control can go, without repetition, in order of mention."""
    match terminator:
        case Jump(target=goal):
            return (goal,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise) if then != otherwise else (then,)
        case Switch(cases=cases, default=default, default_other=other):
            goals = [block for _, _, block, _ in cases] + [default]
            return tuple(dict.fromkeys(goals if other is None else [*goals, other]))
        case IndirectJump(targets=targets):
            return tuple(dict.fromkeys(targets))
        case Enter(body=body, exit=leave):
            return (body, leave) if body != leave else (body,)
        case Return() | Trap():
            return ()
        case _:
            assert_never(terminator)
