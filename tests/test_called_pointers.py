"""Calls through pointers that an input decides: only what takes the arguments can be meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions

NAMES = {1: "sqrt", 2: "pow", 3: "fma"}  # by how many arguments they take

PROGRAM = r"""
#include <math.h>
#include <string.h>
static double twice(double x) { return 2 * x; }
double (*functions[])(double) = {twice, sqrt};
double (*two)(double, double) = pow;
double (*three)(double, double, double) = fma;

int f(unsigned long bits)
{
    double (*called)(PARAMETERS);
    memcpy(&called, &bits, sizeof called);
    if (bits < 4096)
        return STEP;
    return called(ARGUMENTS) > 1;
}
"""


@pytest.mark.parametrize("count", [1, 2, 3])
def test_no_function_is_called_with_arguments_that_it_does_not_take(
    count: int, tmp_path: Path
) -> None:
    text = PROGRAM.replace("PARAMETERS", ", ".join(["double"] * count))
    text = text.replace("ARGUMENTS", ", ".join(["4.0"] * count))
    write_versions(tmp_path, text.replace("STEP", "1"), text.replace("STEP", "2"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "10", folder=tmp_path)
    assert done.code == 1, done.err
    assert "internal error" not in done.err and "returns 1  returns 2" in done.out


@pytest.mark.parametrize("name", NAMES.values())
def test_a_model_is_not_called_with_too_few_arguments(name: str, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(
        "#include <math.h>\n"
        f"double f(double x) {{ double (*called)() = (double (*)()) {name}; return called(); }}\n"
    )
    done = csgtest("explore", "f.c", "--entry", "f", folder=tmp_path)
    assert f"'{name}' is called with 0 arguments" in done.out + done.err, done.err
