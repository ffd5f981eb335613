"""Each kind of defect is named, with its place."""

from __future__ import annotations

import pytest

from csg.frontend import parse_text
from csg.ir import (
    Binary,
    Branch,
    CheckIndex,
    Compare,
    Constant,
    Enter,
    Extend,
    Instruction,
    Jump,
    Load,
    Move,
    Program,
    Register,
    Return,
    SlotAddress,
    Terminator,
)
from csg.ir.verify import verify
from csg.language.syntax import Version
from csg.lower import lower


def program() -> Program:
    return lower([parse_text("int main(void) { int x = 1; return x + 2; }", "t.c")])


def test_a_lowered_program_is_well_formed() -> None:
    assert verify(program()) == []


WORD, BYTE, BIT = Register(0, 32), Register(0, 8), Register(0, 1)
ONE = Constant(1, 32)


@pytest.mark.parametrize(
    ("instruction", "words"),
    [
        (Move(WORD, Constant(1, 8), node=0), "widths [32, 8]"),
        (Binary("add", WORD, ONE, Constant(1, 64), node=0), "widths [32, 32, 64]"),
        (Compare("eq", WORD, ONE, ONE, node=0), "%0 has 32 bits, not 1"),
        (Extend(BYTE, ONE, True, node=0), "from 32 to 8 bits"),
        (Load(WORD, Constant(0, 64), 8, node=0), "8 bytes for 32 bits"),
        (Load(WORD, ONE, 4, node=0), "1 has 32 bits, not 64"),
        (CheckIndex(ONE, Constant(3, 64), "a[3]", node=0), "1 has 32 bits, not 64"),
        (Move(Register(99, 32), ONE, node=0), "%99 is no register of the function"),
        (Move(WORD, Constant(-1, 32), node=0), "-1 does not fit 32 bits"),
        (SlotAddress(Register(0, 64), 7, node=0), "slot 7 does not exist"),
        (Move(WORD, ONE, node=1234), "node 1234 does not exist"),
    ],
)
def test_a_wrong_instruction_is_found(instruction: Instruction, words: str) -> None:
    broken = program()
    broken.functions["main"].blocks[0].instructions.append(instruction)
    assert any(words in defect for defect in verify(broken))


@pytest.mark.parametrize(
    ("terminator", "words"),
    [
        (Jump(17, node=0), "B17 does not exist"),
        (Branch(ONE, 0, 1, node=0), "1 has 32 bits, not 1"),
        (Return(ONE, node=0), "returns from [0, 1], its exit is B1"),
        (Enter(Version.NEW, 1, 1, node=0), "B1 is no block of NEW"),
        (Jump(1, node=0, version=Version.OLD), "Jump of one version outside of its region"),
        (None, "the block does not end"),
    ],
)
def test_a_wrong_terminator_is_found(terminator: Terminator | None, words: str) -> None:
    broken = program()
    broken.functions["main"].blocks[0].terminator = terminator
    assert any(words in defect for defect in verify(broken))
