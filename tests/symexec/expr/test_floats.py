"""Concrete floating point equals gcc's on this machine, bit for bit."""

from __future__ import annotations

import math
import platform
import random
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from symexec.expr import (
    Term,
    TermTable,
    convert_float,
    evaluate,
    float_binary,
    float_compare,
    float_unary,
)

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
        *("s8", "s16", "s32", "s64", "s128", "u8", "u16", "u32", "u64", "u128"),
        *("from_s32", "from_s64", "from_s128", "from_u32", "from_u64", "from_u128"),
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
            a = rng.getrandbits(rng.choice([8, 25, 32, 54, 65, width]))
            a = (a << rng.randrange(width) & ((1 << width) - 1)) + rng.choice([-1, 0, 1])
            a &= (1 << width) - 1
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


@pytest.mark.parametrize("bits", [32, 64, 80])
def test_scaling_by_a_power_of_two_is_written_one_way(
    bits: int, interesting: Callable[[random.Random, int], int]
) -> None:
    """Every operand, NaNs and subnormal numbers too, gives the bits of the operation asked for."""
    table, rng = TermTable(), random.Random(bits)
    x = table.symbol("x", bits)
    kept = 0
    for exponent in (*range(-140, 140), 1022, 1023, -1022, -1023, 16382, 16383, -16382):
        power = math.ldexp(1.0, exponent) if -1022 <= exponent <= 1023 else 1.0
        k = convert_float(
            struct.unpack("<Q", struct.pack("<d", power))[0], 64, bits, "float", "float"
        )
        assert isinstance(k, int)
        for op in ("div", "mul"):
            for sign in (0, 1 << (bits - 1)):
                made = float_binary(op, bits, x, k ^ sign)
                assert isinstance(made, Term)
                kept += made.op == "fdiv"
                for value in (*(interesting(rng, bits) for _ in range(6)), k, k ^ sign):
                    assert evaluate(made, {x: value}) == float_binary(op, bits, value, k ^ sign)
    assert kept < 100
    four, quarter = (convert_float(v, 32, bits, "signed", "float") for v in (4, 1))
    quarter = float_binary("div", bits, quarter, four)
    assert float_binary("div", bits, x, four) is float_binary("mul", bits, x, quarter)
    two = convert_float(2, 32, bits, "signed", "float")
    assert float_binary("mul", bits, two, x) is float_binary("add", bits, x, x)
