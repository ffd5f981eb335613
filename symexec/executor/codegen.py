"""Write a piece of IR as Python source: operations on ints inline, everything else as calls.

    %5 = add 32 %2, 1               def chunk(s, r):
    %6 = load 32 %5                     v2 = r[2]
    br %7 = slt %6, 10 ? 3 : 4          v5 = (v2 + 1) & 0xffffffff
                                        v6 = s.memory.load(v5, 4, s.mode) if ... else None
                                        if v6 is None: r[5] = v5; return stop(s, 0, 1)
                                        ...

    %5 = slt 32 %2, 10    v5 = (1 if (v2 ^ 0x80000000) < 0x8000000a else 0)
                               if v2.__class__ is int else compare('slt', 32, v2, 0xa)

A *chunk* begins anywhere in a block and runs to the next call or decision. It returns the chunk to
go on with, or None: then the engine looks at the instruction where it stopped. Terms and pairs take
part through their operators, so the source is the same for concrete and symbolic values.

A flavour says for whom a frame runs: both versions (0), the old or the new alone (1, 2), or one of
them on a frame that holds pairs (3, 4), where it reads and writes its own halves only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, assert_never

from csg.ir import (
    Allocate,
    Binary,
    Block,
    Branch,
    Call,
    CheckIndex,
    Compare,
    Constant,
    Conversion,
    ConvertFloat,
    Copy,
    Enter,
    Extend,
    Fill,
    FloatBinary,
    FloatCompare,
    FloatUnary,
    FunctionAddress,
    FunctionCode,
    GlobalAddress,
    IndirectJump,
    Instruction,
    Jump,
    LabelAddress,
    Load,
    Move,
    Refuse,
    Register,
    Return,
    SlotAddress,
    Store,
    Switch,
    Terminator,
    Trap,
    Truncate,
    Unary,
    VaArgument,
    VaCopy,
    Value,
    VaStart,
)
from csg.language.syntax import Version
from symexec.executor.registers import BOTH, NEW, OLD, ChunkRegisters, last_reads

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_WINDOW = hex(1 << 32)  # the addresses of one object, or of none
_COMPARISONS = {"eq": "==", "ne": "!=", "ult": "<", "ule": "<=", "slt": "<", "sle": "<="}


def mask(width: int) -> str:
    return hex((1 << width) - 1)


# The instructions that ``ChunkArithmetic`` leaves to ``ChunkWriter``.
RareInstruction = (
    SlotAddress | GlobalAddress | FunctionAddress | LabelAddress
    | FloatUnary | FloatBinary | FloatCompare | ConvertFloat
    | Allocate | VaStart | VaArgument | VaCopy | Refuse
)  # fmt: skip


class ChunkArithmetic(ChunkRegisters):
    """Writes the instructions that compute a value or access memory."""

    exposes: bool
    numbers_of_pointers: Collection[tuple[str, int, int]]

    def move(self, instruction: Move) -> None:
        target, version = instruction.target, instruction.version
        text = self.half(instruction.value, version)
        place = f"{self.block}, {self.index}"
        known = f"{text}.__class__ is int"
        match instruction.conversion if self.exposes else Conversion.NONE:
            case Conversion.TO_INTEGER:
                text = f"{text} if {known} and {text} < {_WINDOW} else exposed(s, {text}, {place})"
            case Conversion.TO_POINTER:
                text = f"{text} if {known} else concealed(s, {text}, {place})"
            case Conversion.NONE:
                pass
            case conversion:
                assert_never(conversion)
        self.define(target, text, version)

    def binary(self, instruction: Binary) -> None:
        operator, target, version = instruction.operator, instruction.target, instruction.version
        left = self.half(instruction.left, version)
        right = self.half(instruction.right, version)
        width = target.width
        if instruction.pointers and self.exposes:
            guard = self._same_object(instruction, left, right)
            slow = f"distance(s, {left}, {right}, {self.block}, {self.index})"
            text = f"({left} - {right}) & {mask(width)} if {guard} else {slow}"
            self.define(target, text, version)
        elif operator in _OPERATORS:
            sign = _OPERATORS[operator]
            text = f"{left} {sign} {right}"
            if sign in "+-*":
                text = f"({text}) & {mask(width)}"
            self.define(target, text, version)
        elif operator in ("shl", "lshr", "ashr"):
            count = instruction.right.value if isinstance(instruction.right, Constant) else width
            if count < width:
                text = _shifted(operator, left, count, width)
            else:
                text = f"shift_{operator}({left}, {right}, {width})"
            self.define(target, text, version)
        else:
            self.write(f"w = {operator}({left}, {right}, {width})")
            # nothing is assigned before the stop: the target may be an operand as well
            self.stop_if("w is None")
            self.define(target, "w", version)

    def comparison(self, instruction: Compare) -> str:
        left = self.half(instruction.left, instruction.version)
        right = self.half(instruction.right, instruction.version)
        guard, test = self._test(instruction, left, right)
        operator = repr(instruction.operator)
        if instruction.pointers and self.exposes and instruction.operator in ("eq", "ne"):
            null = f"not {left} or not {right}"
            guard = f"{guard} and ({left} ^ {right} < {_WINDOW} or {null})"
            slow = f"equal(s, {operator}, {left}, {right}, {self.block}, {self.index})"
        elif instruction.pointers and self.exposes:
            guard = self._same_object(instruction, left, right)
            slow = f"ordered(s, {operator}, {left}, {right}, {self.block}, {self.index})"
        else:
            slow = f"compare({operator}, {instruction.left.width}, {left}, {right})"
        return f"(1 if {test} else 0) if {guard} else {slow}"

    def _same_object(self, instruction: Binary | Compare, left: str, right: str) -> str:
        """The test that both operands are addresses in one object."""
        known = self._known(instruction, left, right)
        return f"{known} and {left} ^ {right} < {_WINDOW}"

    @staticmethod
    def _known(instruction: Binary | Compare, left: str, right: str) -> str:
        """The test that both operands are ints."""
        names = [
            text
            for text, value in ((left, instruction.left), (right, instruction.right))
            if not isinstance(value, Constant)
        ]
        return " and ".join(f"{name}.__class__ is int" for name in names) or "True"

    def _test(self, instruction: Compare, left: str, right: str) -> tuple[str, str]:
        """The test that both operands are ints, and the comparison of these."""
        guard = self._known(instruction, left, right)
        sign = _COMPARISONS[instruction.operator]
        if instruction.operator in ("slt", "sle"):
            flip = 1 << (instruction.left.width - 1)
            left = _flipped(left, instruction.left, flip)
            right = _flipped(right, instruction.right, flip)
        return guard, f"{left} {sign} {right}"

    def extend(self, instruction: Extend) -> None:
        target, operand, version = instruction.target, instruction.operand, instruction.version
        text = self.half(operand, version)
        slow = f"extend({text}, {operand.width}, {target.width}, {instruction.signed})"
        fast = text
        if instruction.signed:
            flip = 1 << (operand.width - 1)
            fast = f"(({text} ^ {hex(flip)}) - {hex(flip)}) & {mask(target.width)}"
        self.define(target, f"{fast} if {text}.__class__ is int else {slow}", version)

    def load(self, instruction: Load) -> None:
        target, size = instruction.target, instruction.size
        address = self.use(instruction.address)
        name = f"v{target.number}"
        self.write(
            f"w = s.memory.load({address}, {size}, s.mode) if {address}.__class__ is int else None"
        )
        self.stop_if("w is None")
        if (
            self.exposes
            and (self.function.name, self.block, self.index) in self.numbers_of_pointers
        ):
            self.write(f"w = as_number(s, {address}, {size}, w, {self.block}, {self.index})")
        if target.width == 1:
            self.write(f"{name} = w & 1 if w.__class__ is int else truncate(w, 1)")
        else:
            self.write(f"{name} = w")
        self.hold(target)

    def store(self, instruction: Store) -> None:
        address = self.use(instruction.address)
        value = self.use(instruction.value)
        if instruction.value.width == 1 and not isinstance(instruction.value, Constant):
            value = f"({value} if {value}.__class__ is int else extend({value}, 1, 8, False))"
        self.stop_if(
            f"{address}.__class__ is not int or "
            f"not s.memory.store({address}, {instruction.size}, {value}, s.write_mode)"
        )

    def check_index(self, check: CheckIndex) -> None:
        index, bound = self.use(check.index), self.use(check.bound)
        terms = [
            f"{text}.__class__ is not int or "
            for text, value in ((index, check.index), (bound, check.bound))
            if not isinstance(value, Constant)
        ]
        self.stop_if(f"{''.join(terms)}{index} >= {bound}")


def _flipped(text: str, value: Value, flip: int) -> str:
    if isinstance(value, Constant):
        return hex(value.value ^ flip)
    return f"({text} ^ {hex(flip)})"


def _shifted(operator: str, left: str, count: int, width: int) -> str:
    if operator == "shl":
        return f"({left} << {count}) & {mask(width)}"
    if operator == "lshr":
        return f"{left} >> {count}"
    flip = hex(1 << (width - 1))
    fast = f"((({left} ^ {flip}) - {flip}) >> {count}) & {mask(width)}"
    return f"{fast} if {left}.__class__ is int else binary('ashr', {width}, {left}, {count})"


LARGEST_TABLE: Final = 1024
LONGEST: Final = 60  # instructions that a chunk may hold when jumps are followed


class ChunkWriter(ChunkArithmetic):
    """Writes one chunk. ``watched`` maps (block, index) to the graph node that begins there;
    ``addresses`` are those of globals and functions. ``fits``: does a function take the arguments
    of a call as they are passed? ``reading`` caches analyses of blocks for the
    function's next chunks. ``logs``: decisions are reported to ``decided``; ``exposes``: the
    numbers of addresses are unknown (``addresses.py``)."""

    def __init__(
        self,
        function: FunctionCode,
        flavour: int,
        escaping: frozenset[int],
        watched: Mapping[tuple[int, int], int],
        addresses: Mapping[str, int],
        fits: Callable[[Call], bool],
        reading: dict[int, dict[int, int]],
        logs: bool = False,
        exposes: bool = False,
        numbers_of_pointers: Collection[tuple[str, int, int]] = (),
    ) -> None:
        super().__init__(function, flavour, escaping)
        self.logs = logs
        self.exposes = exposes
        self.numbers_of_pointers = numbers_of_pointers
        self.watched = watched
        self.addresses = addresses
        self.fits = fits
        self.reading = reading
        self.links: set[tuple[int, int]] = set()
        # switch -> name of a table from values to chunks
        self.tables: dict[str, dict[int, str]] = {}
        self.blocks: set[int] = set()  # those that the chunk holds, in whole or in part

    # ------------------------------------------------------------------ the chunk

    def chunk(self, name: str, block: int, index: int) -> str:
        """The source of the function ``name``, which runs from ``index`` of ``block``."""
        seen = self.blocks
        seen.add(block)
        current: Block = self.function.blocks[block]
        while True:
            self.block, self.index = current.index, index
            if current.index not in self.reading:
                self.reading[current.index] = last_reads(current)
            self.last_reads = self.reading[current.index]
            if not self._instructions(current, index):
                break
            terminator = current.terminator
            assert terminator is not None
            self.index = len(current.instructions)
            self._lifetimes(current, self.index)
            self._watch()
            if (
                isinstance(terminator, Jump)
                and not self.masked
                and terminator.target not in seen
                and len(self.lines) < LONGEST
            ):
                current = self.function.blocks[terminator.target]
                seen.add(current.index)
                index = 0
                continue
            self._terminate(terminator)
            break
        return f"def {name}(s, r):\n" + "\n".join(self.lines) + "\n"

    def _lifetimes(self, block: Block, place: int) -> None:
        for event in block.lifetimes:
            if event.place == place and not self._skipped(event.version):
                only = 0 if event.version is None else OLD if event.version is Version.OLD else NEW
                self.write(f"{event.event}(s, {event.slots!r}, {only})")

    def _watch(self) -> None:
        node = self.watched.get((self.block, self.index))
        if node is not None:
            self.write(f"visit(s, {node})")

    def _instructions(self, block: Block, index: int) -> bool:
        """Write the instructions up to the end of the block. Returns False when the chunk ends
        before it."""
        for place in range(index, len(block.instructions)):
            instruction = block.instructions[place]
            self._lifetimes(block, place)
            if self._skipped(instruction.version):
                continue
            self.index = place
            self._watch()
            if not self._instruction(instruction):
                return False
        return True

    def _skipped(self, version: Version | None) -> bool:
        if version is None or self.flavour == BOTH:
            return False
        return (version is Version.OLD) != (self.version == OLD)

    def _instruction(self, instruction: Instruction) -> bool:
        """Write one instruction. Returns False when the chunk cannot go on behind it."""
        version = instruction.version
        match instruction:
            case Move():
                self.move(instruction)
            case Binary():
                self.binary(instruction)
            case Compare(target=target):
                self.define(target, self.comparison(instruction), version)
            case Extend():
                self.extend(instruction)
            case Truncate(target=target, operand=operand):
                text = self.half(operand, version)
                width = target.width
                self.define(
                    target,
                    f"{text} & {mask(width)} if {text}.__class__ is int "
                    f"else truncate({text}, {width})",
                    version,
                )
            case Unary(operator=operator, target=target, operand=operand):
                text = self.half(operand, version)
                ones = mask(target.width)
                self.define(
                    target,
                    f"-{text} & {ones}" if operator == "neg" else f"{text} ^ {ones}",
                    version,
                )
            case Load():
                self.load(instruction)
            case Store():
                self.store(instruction)
            case Copy(address=address, source=source, size=size):
                where, what = self.use(address), self.use(source)
                self.stop_if(f"not copy(s, {where}, {what}, {size})")
            case Fill(address=address, byte=byte, size=size):
                where = self.use(address)
                self.stop_if(f"not fill(s, {where}, {byte}, {size})")
            case CheckIndex():
                self.check_index(instruction)
            case Call():
                return self._call(instruction)
            case _:
                return self._rare(instruction)
        return True

    def _rare(self, instruction: RareInstruction) -> bool:
        version = instruction.version
        match instruction:
            case SlotAddress(target=target, slot=slot):
                self.define(target, f"s.frame.slots[{slot}] << 32", version)
            case (
                GlobalAddress(target=target, name=name) | FunctionAddress(target=target, name=name)
            ):
                self.define(target, hex(self.addresses[name]), version)
            case LabelAddress(target=target, block=block):
                base = self.addresses[self.function.name]
                self.define(target, hex(base + block), version)
            case FloatUnary(operator=operator, target=target, operand=operand):
                text = self.half(operand, version)
                self.define(target, f"float_unary({operator!r}, {target.width}, {text})", version)
            case FloatBinary(operator=operator, target=target, left=left, right=right):
                pair = f"{self.half(left, version)}, {self.half(right, version)}"
                self.define(target, f"float_binary({operator!r}, {target.width}, {pair})", version)
            case FloatCompare(operator=operator, target=target, left=left, right=right):
                pair = f"{self.half(left, version)}, {self.half(right, version)}"
                self.define(target, f"float_compare({operator!r}, {left.width}, {pair})", version)
            case ConvertFloat(target=target, operand=operand, source=source, result=result):
                text = self.half(operand, version)
                widths = f"{operand.width}, {target.width}"
                self.define(
                    target, f"convert_float({text}, {widths}, {source!r}, {result!r})", version
                )
            case Allocate() | VaStart() | VaArgument() | VaCopy() | Refuse():
                self._leave_to_engine()
                return False
            case _:
                assert_never(instruction)
        return True

    def _leave_to_engine(self) -> None:
        for line in self.write_back(everything=True):
            self.write(line)
        self.write(self.stop_here())

    # ------------------------------------------------------------------ control

    def link(self, block: int, index: int = 0) -> str:
        """The expression that a chunk returns to go on at a place."""
        if self.masked:
            return f"transit(s, {block})"
        self.links.add((block, index))
        return f"c{block}_{index}"

    def _call(self, call: Call) -> bool:
        names = [self.use(argument) for argument in call.arguments]
        callee = call.callee
        for line in self.write_back(everything=True):
            self.write(line)
        called = isinstance(callee, str) and not self.masked and self.fits(call)
        if not called or call.variadic_from < len(names):
            self.write(self.stop_here())
            return False
        result = call.target.number if call.target is not None else None
        arguments = ", ".join(names) + ("," if len(names) == 1 else "")
        after = self.link(self.block, self.index + 1)
        self.write(
            f"return call(s, {callee!r}, ({arguments}), {result}, "
            f"{self.block}, {self.index}, {after})"
        )
        return False

    def _terminate(self, terminator: Terminator) -> None:
        match terminator:
            case Jump(target=target):
                self._leave_block()
                self.write(f"return {self.link(target)}")
            case Branch():
                self._branch(terminator)
            case Return(value=value):
                text = "None" if value is None else self.use(value)
                self._leave_block()
                self.write(f"return leave(s, {text})")
            case Switch() if self._has_table(terminator):
                self._switch(terminator)
            case Enter(region=region, body=body, exit=exit_block) if self.flavour != BOTH:
                self._leave_block()
                inside = (region is Version.OLD) == (self.version == OLD)
                self.write(f"return {self.link(body if inside else exit_block)}")
            case Switch() | Enter() | IndirectJump() | Trap():
                self._leave_to_engine()
            case _:
                assert_never(terminator)

    def _leave_block(self) -> None:
        for line in self.write_back(everything=False):
            self.write(line)

    def _branch(self, branch: Branch) -> None:
        condition = self.use(branch.condition)
        for line in self.write_back(everything=False):
            self.write(line)
        then, otherwise = self.link(branch.then), self.link(branch.otherwise)
        self.write(f"if {condition}.__class__ is int:")
        self._log(branch.site, condition)
        self.write(f"    return {then} if {condition} else {otherwise}")
        self._leave_decision(branch.condition)

    def _log(self, site: int, value: str) -> None:
        if self.logs and site:
            self.write(f"    decided(s, {site}, {value}, {value})")

    def _leave_decision(self, value: Value) -> None:
        """End the chunk before a decision: the engine decides, and reads the value from the
        frame."""
        if isinstance(value, Register) and value.number not in self.escaping:
            name = f"r[{value.number}] "
            for line in self.write_back(everything=True):
                if line.startswith(name):
                    self.write(line)
        self.write(self.stop_here())

    def _has_table(self, switch: Switch) -> bool:
        """Can a known value be looked up in a table? Not where versions have labels of their
        own."""
        if self.masked or switch.default_version is not None:
            return False
        span = sum(high - low + 1 for low, high, _, _ in switch.cases)
        return span <= LARGEST_TABLE and all(case[3] is None for case in switch.cases)

    def _switch(self, switch: Switch) -> None:
        value = self.use(switch.value)
        self._leave_block()
        table: dict[int, str] = {}
        for low, high, block, _ in switch.cases:
            for each in range(low, high + 1):
                table.setdefault(each, self.link(block))
        name = f"t{self.block}"
        self.tables[name] = table
        self.write(f"if {value}.__class__ is int:")
        self._log(switch.site, value)
        self.write(f"    return here[{name}.get({value}, {self.link(switch.default)!r})]")
        self._leave_decision(switch.value)
