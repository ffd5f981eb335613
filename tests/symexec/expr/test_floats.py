"""Concrete floating point equals gcc's on this machine, bit for bit."""

from __future__ import annotations

import platform
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from symexec.expr import TermTable, convert_float, float_binary, float_compare, float_unary

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or shutil.which("gcc") is None,
    reason="needs gcc on x86-64 to compare with",
)


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("oracle") / "oracle"
    source = Path(__file__).with_name("float_oracle.c")
    subprocess.run(["gcc", "-O0", "-o", program, source], check=True)
    return program


def ask(oracle: Path, questions: list[tuple[str, int, int, int]]) -> list[int]:
    text = "".join(f"{op} {bits} {a:x} {b:x}\n" for op, bits, a, b in questions)
    done = subprocess.run([oracle], input=text, capture_output=True, text=True, check=True)
    return [int(line, 16) for line in done.stdout.split()]


def ours(op: str, bits: int, a: int, b: int) -> object:
    if op in ("add", "sub", "mul", "div"):
        return float_binary(op, bits, a, b)
    if op in ("eq", "ne", "lt", "le"):
        return float_compare(op, bits, a, b)
    if op == "sqrt":
        return float_unary(op, bits, a)
    if op.startswith("from_"):
        kind, width = op[5], int(op[6:])
        return convert_float(a, width, bits, "signed" if kind == "s" else "unsigned", "float")
    result = {"f": "float", "s": "signed", "u": "unsigned"}[op[0]]
    return convert_float(a, bits, int(op[1:]), "float", result)


@pytest.mark.parametrize("bits", [32, 64, 80])
@pytest.mark.parametrize(
    "op",
    [
        *("add", "sub", "mul", "div", "sqrt", "eq", "ne", "lt", "le", "f32", "f64", "f80"),
        *("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"),
        *("from_s32", "from_s64", "from_u32", "from_u64"),
    ],
)
def test_the_same_bits_as_gcc(
    oracle: Path, interesting: Callable[[random.Random, int], int], op: str, bits: int
) -> None:
    if op == f"f{bits}":
        pytest.skip("no conversion")
    rng = random.Random(f"{op}{bits}")
    questions = []
    for _ in range(1500):
        a, b = interesting(rng, bits), interesting(rng, bits)
        if op.startswith("from_"):
            width = int(op[6:])
            a = rng.getrandbits(rng.choice([8, 25, 32, width])) & ((1 << width) - 1)
            if rng.random() < 0.5:
                a = -a & ((1 << width) - 1)
        elif rng.random() < 0.2:
            b = a ^ rng.choice([0, 1, 1 << (bits - 1)])
        questions.append((op, bits, a, b))
    for question, expected in zip(questions, ask(oracle, questions), strict=True):
        assert ours(*question) == expected, [hex(part) for part in question[2:]]


def test_the_sign_is_a_bit() -> None:
    table = TermTable()
    x = table.symbol("x", 64)
    flipped = float_unary("neg", 64, x)
    assert float_unary("neg", 64, flipped) is x
