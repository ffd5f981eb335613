"""Generated expressions over all integer types have gcc's values.

One C file holds many expressions; gcc runs it once, the reference interpreter once.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from oracles.reference.comparing import interpreted
from tests.nightly import examples

TYPES = [
    "_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned",
    "long", "unsigned long", "long long", "unsigned long long",
]  # fmt: skip
VALUES = [0, 1, 2, 7, -1, 100, 127, 128, 255, 32767, 65535, 2**31 - 1, -(2**31), 2**32 - 1, 2**62]
NAMES = [f"v{number}" for number in range(len(TYPES))]

leaves = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.sampled_from(["3", "5u", "7L", "9UL", "'x'", "-1", "0x80000000", "2147483647"]),
)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Divisors and counts are made harmless: no trap, no undefined shift."""
    pairs = st.tuples(inner, inner)
    plain = st.sampled_from(
        ["+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||"]
    )
    return st.one_of(
        st.tuples(inner, plain, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from("-~!+"), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(inner, st.sampled_from("/%"), inner).map(
            lambda t: f"({t[0]} {t[1]} (({t[2]}) & 15 | 1))"
        ),
        st.tuples(inner, st.sampled_from(["<<", ">>"]), inner).map(
            lambda t: f"({t[0]} {t[1]} (({t[2]}) & 31))"
        ),
        st.tuples(st.sampled_from(TYPES), inner).map(lambda t: f"({t[0]})({t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})"),
        pairs.map(lambda t: f"({t[0]}, {t[1]})"),
        st.tuples(
            st.sampled_from(NAMES), st.sampled_from(["=", "+=", "-=", "*=", "^="]), inner
        ).map(lambda t: f"(w_{t[0]} {t[1]} {t[2]})"),
    )


expressions = st.recursive(leaves, grown, max_leaves=12)


def program(texts: list[str], values: list[int]) -> str:
    """Each expression in a function of its own: operands as registers, as memory, as fields."""
    lines = ["#include <stdio.h>"]
    parameters = ", ".join(f"{kind} {name}" for kind, name in zip(TYPES, NAMES, strict=True))
    copies = " ".join(f"{kind} w_{name} = {name};" for kind, name in zip(TYPES, NAMES, strict=True))
    shown = " ^ ".join(f"(long)w_{name} * {at + 3}" for at, name in enumerate(NAMES))
    for number, text in enumerate(texts):
        memory = "" if number % 2 else " ".join(f"(void)&w_{name};" for name in NAMES)
        lines.append(
            f"long e{number}({parameters}) {{ {copies} {memory} long r = ({text}); "
            f'printf("%lx %lx\\n", r, {shown}); return r; }}'
        )
    arguments = ", ".join(f"({kind}){value}" for kind, value in zip(TYPES, values, strict=True))
    calls = " ".join(f"e{number}({arguments});" for number in range(len(texts)))
    lines.append(f"int main(void) {{ {calls} return 0; }}")
    return "\n".join(lines)


@examples(
    12,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture,
                           HealthCheck.data_too_large],
)  # fmt: skip
@given(
    texts=st.lists(expressions, min_size=30, max_size=40),
    values=st.lists(st.sampled_from(VALUES), min_size=len(TYPES), max_size=len(TYPES)),
)
def test_generated_expressions(texts: list[str], values: list[int], tmp_path: Path) -> None:
    source = tmp_path / "generated.c"
    source.write_text(program(texts, values))
    binary = tmp_path / "generated"
    subprocess.run(["gcc", "-w", "-fwrapv", "-O0", str(source), "-o", str(binary)], check=True)
    expected = subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout
    actual = interpreted(source).output.decode()
    differing = [
        (text, ours, theirs)
        for text, ours, theirs in zip(
            texts, actual.splitlines(), expected.splitlines(), strict=True
        )
        if ours != theirs
    ]
    assert differing == []


def test_shifts_of_constants_by_any_count_have_gccs_values(tmp_path: Path) -> None:
    """By the width of the operand or more C leaves it undefined, and gcc folds it."""
    shifts = [
        f"{value} {operator} {count}"
        for value in ("1", "-8", "5u", "0x80000000", "7LL", "-1L", "0xFFull", "'x'")
        for operator in ("<<", ">>")
        for count in ("0", "1", "31", "32", "33", "63", "64", "65", "232", "(1 << 3)")
    ]
    lines = [f'printf("%llx\\n", (unsigned long long) ({each}));' for each in shifts]
    text = "#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n"
    (tmp_path / "shifts.c").write_text(text)
    subprocess.run(["gcc", "-w", "-O0", "shifts.c", "-o", "shifts"], cwd=tmp_path, check=True)
    native = subprocess.run([tmp_path / "shifts"], capture_output=True, check=True).stdout
    assert interpreted(tmp_path / "shifts.c").output == native
