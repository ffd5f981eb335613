"""A change beside a bit-field computes what both versions do: by its width a bit-field of an
unsigned type promotes to int (C17 6.3.1.1p2), and what replaces it need not."""

from __future__ import annotations

import subprocess
from itertools import permutations
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.language.syntax import Version
from csg.lower import lower
from csg.unify import unify
from oracles.reference.interpreter import run
from tests.nightly import every

OPERANDS = (
    *("s.u1", "s.u5", "s.u31", "s.u32", "s.i5", "s.w40", "s.v40", "s.b", "x"),
    *("(unsigned) s.u5", "(int) s.u32", "(s.u5 = x)", "++s.u5", "(x, s.u31)", "(x ? s.u5 : s.i5)"),
    *("({ s.u5; })", "({ int t = x; s.w40 = t; })"),
)
CONTEXTS = (
    *("x < {}", "{} > x", "{} - 6 < 0", "-{} < 0", "~{} < 1", "({} >> 1) - 3 < 0", "{} << 27"),
    *("x == {}", "{} * -1 < 1", "({} ^ -1) / 2", "x % ({} + 40)", "(x > 2 ? {} : x) < 0"),
    *("x += {}", "x -= {} > -1", "!{}", "t[{} & 3]", "(long long) {} - 1", "g({}, -1 < {})"),
)
HEAD = """\
int printf(const char *, ...);
struct s {
    unsigned u1 : 1, u5 : 5, u31 : 31, u32 : 32; int i5 : 5; _Bool b : 1;
    unsigned long w40 : 40; long v40 : 40;
};
static const int t[4] = {3, 1, 4, 1};
static long long g(long a, int b) { return a * 2 + b; }
"""
MAIN = """\
int main(void)
{{
    for (int x = -3; x < 9; x += 2) {{
        struct s s = {{x, x, x, x, x, x, x, x}};
        {calls}
    }}
    return 0;
}}
"""


def program(context: str, operands: list[str]) -> str:
    """One function for each operand."""
    functions = [
        f"long long f{number}(int x, struct s s) {{ return {context.replace('{}', each)}; }}\n"
        for number, each in enumerate(operands)
    ]
    calls = [f'printf("%lld\\n", f{number}(x, s));' for number in range(len(operands))]
    return HEAD + "".join(functions) + MAIN.format(calls="\n        ".join(calls))


def native(text: str, binary: Path) -> str:
    command = ["gcc", "-w", "-fwrapv", "-x", "c", "-", "-o", str(binary)]
    subprocess.run(command, input=text, text=True, check=True)
    return subprocess.run([binary], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("context", every(3, CONTEXTS))
def test_each_version_computes_its_own(context: str, tmp_path: Path) -> None:
    before, after = (list(each) for each in zip(*permutations(OPERANDS, 2), strict=True))
    texts = [program(context, each) for each in (before, after)]
    unified = lower([unify(*(parse_text(each, "t.c") for each in texts)).unit])
    for version, text in zip(Version, texts, strict=True):
        outcome = run(unified, version=version).output.decode()
        assert outcome == native(text, tmp_path / version.value), context
