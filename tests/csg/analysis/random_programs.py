"""Random programs in the intermediate representation that can be run.

Functions with two-way branches and loops, pointers to slots and globals kept in registers and in
memory, calls (recursion as well), instructions and regions of one version; every instruction is a
statement of its own, some of them changed. Wild accesses end a run, as they would for real.
"""

from __future__ import annotations

from random import Random

from csg.errors import Location
from csg.ir import (
    Binary,
    Block,
    Branch,
    Call,
    Compare,
    Constant,
    Enter,
    FunctionCode,
    GlobalAddress,
    GlobalObject,
    Instruction,
    Jump,
    Load,
    Move,
    Node,
    Program,
    Register,
    Return,
    Slot,
    SlotAddress,
    Store,
    Terminator,
)
from csg.ir.program import StatementKind
from csg.language.syntax import Version

NUMBERS = [Register(n, 32) for n in range(1, 5)]
POINTERS = [Register(0, 64), Register(5, 64), Register(6, 64)]  # the first is the parameter
HOLDER = Register(7, 64)  # points to where a pointer is kept
CONDITION = Register(8, 1)
NAMES = ("f0", "f1", "f2")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.nodes: list[Node] = []
        self.function = ""

    def node(self, kind: StatementKind = StatementKind.STATEMENT) -> int:
        number = len(self.nodes)
        changed = kind is StatementKind.STATEMENT and self.random.random() < 0.08
        changes = frozenset((number,)) if changed else frozenset[int]()
        output = kind is StatementKind.STATEMENT and self.random.random() < 0.04
        place = Location("random.c", number + 1)
        self.nodes.append(
            Node(number, self.function, place, f"s{number}", kind, changes, None, output)
        )
        return number

    def instruction(self) -> list[Instruction]:
        choose, node = self.random.choice, self.node()
        number, other, pointer = choose(NUMBERS), choose(NUMBERS), choose(POINTERS)
        match self.random.randrange(10):
            case 0:
                return [Move(number, Constant(self.random.randrange(4), 32), node=node)]
            case 1:
                return [Binary("add", number, other, choose(NUMBERS), node=node)]
            case 2:
                old = Move(number, other, node=node, version=Version.OLD)
                new = Move(number, choose(NUMBERS), node=node, version=Version.NEW)
                return [old, new]
            case 3:
                return [Load(number, pointer, 4, node=node)]
            case 4 | 5:
                return [Store(pointer, number, 4, node=node)]
            case 6:
                return [self.address(pointer, node)]
            case 7:
                return [Binary("add", pointer, choose(POINTERS), Constant(4, 64), node=node)]
            case 8:
                keep = Store(HOLDER, pointer, 8, node=node)
                return [choose((keep, Load(pointer, HOLDER, 8, node=node)))]
            case _:
                return [Call(number, choose(NAMES), (pointer,), 1, node=node)]

    def address(self, target: Register, node: int) -> Instruction:
        if self.random.random() < 0.5:
            return SlotAddress(target, self.random.randrange(2), node=node)
        return GlobalAddress(target, self.random.choice("gh"), node=node)

    def code(self, name: str) -> FunctionCode:
        self.function = name
        entry = self.node(StatementKind.ENTRY)
        count = self.random.randrange(3, 8)
        blocks = [Block(number) for number in range(count)]
        for pointer in POINTERS[1:]:
            blocks[0].instructions.append(self.address(pointer, entry))
        holder: Instruction = SlotAddress(HOLDER, 2, node=entry)
        if self.random.random() < 0.5:
            holder = GlobalAddress(HOLDER, "p", node=entry)
        blocks[0].instructions.append(holder)
        blocks[0].instructions.append(Store(HOLDER, POINTERS[0], 8, node=entry))
        for block in blocks[:-1]:
            for _ in range(self.random.randrange(4)):
                block.instructions += self.instruction()
            if block.terminator is None:
                block.terminator = self.end(blocks, block)
        blocks[-1].terminator = Return(
            self.random.choice(NUMBERS), node=self.node(StatementKind.EXIT)
        )
        slots = [Slot("a", 4, 4), Slot("b", 8, 4), Slot("kept", 8, 8)]
        return FunctionCode(name, (POINTERS[0],), False, 32, blocks, count - 1, slots, registers=9)

    def end(self, blocks: list[Block], block: Block) -> Terminator:
        last, node = len(blocks) - 1, self.node()
        after = block.index + 2
        if self.random.random() < 0.25 and after <= last and blocks[after - 1].terminator is None:
            region = self.random.choice((Version.OLD, Version.NEW))
            body = blocks[block.index + 1]
            body.region = region
            body.terminator = Jump(after, node=node)
            return Enter(region, body.index, after, node=node)
        compared = Compare("eq", CONDITION, self.random.choice(NUMBERS), Constant(1, 32), node=node)
        block.instructions.append(compared)
        # Into a region there is no way but through its Enter.
        free = [b.index for b in blocks if b.index and b.region is None]
        ways = [min(block.index + 1, last), self.random.choice(free)]
        self.random.shuffle(ways)
        return Branch(CONDITION, ways[0], ways[1], node=node)


def random_program(seed: int) -> Program:
    writer = _Writer(seed)
    program = Program(entry="f0")
    for name in ("g", "h", "p"):
        program.globals[name] = GlobalObject(name, 8, 8, bytes(8))
    for name in NAMES:
        program.functions[name] = writer.code(name)
    program.nodes = writer.nodes
    return program
