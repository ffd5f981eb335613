"""What gcc computes at -O0 is computed as gcc does, in one program and in two versions at once.

An expression of a generated program has constants where another version has variables that hold the
same; gcc's binaries have the truth.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from generators.folding import expressions, program
from tests.command_line import csgtest
from tests.nightly import daily
from tests.test_evaluation_order import printed_by_both

COUNT = 60  # expressions of a program, each a case of its own


def printed_natively(text: str, folder: Path) -> list[str]:
    source, binary = folder / "native.c", folder / "native"
    source.write_text(text)
    command = ["gcc", "-w", "-O0", "-fwrapv", "-o", str(binary), str(source), "-lm"]
    subprocess.run(command, check=True)
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


@pytest.mark.parametrize("seed", daily(range(1, 41), 2))
def test_versions_compute_as_gcc_does(seed: int, tmp_path: Path) -> None:
    old, new = expressions(seed, COUNT), expressions(seed, COUNT, mutation=seed)
    truth = [printed_natively(program(each, trapping=True), tmp_path) for each in (old, new)]
    assert "trap" in truth[0] + truth[1]
    ends = [number for number in range(COUNT) if "trap" not in (truth[0][number], truth[1][number])]
    texts = []
    for version, shown in (("old", old), ("new", new)):
        source = tmp_path / f"{version}.c"
        source.write_text(program([shown[number] for number in ends]))
        texts.append(source)
    for shown, ours, native in zip((old, new), printed_by_both(*texts), truth, strict=True):
        wrong = [
            (shown[number], here, native[number])
            for number, here in zip(ends, ours, strict=False)
            if here != native[number]
        ]
        assert wrong == []


def test_a_seed_means_one_pair() -> None:
    assert expressions(3, 9) == expressions(3, 9) != expressions(4, 9)
    assert expressions(3, 9, mutation=1) == expressions(3, 9, mutation=1) != expressions(3, 9)


# ---------------------------------------------------------------------- verdicts

HEAD = "#include <string.h>\n#include <limits.h>\n#include <stdio.h>\n"
EQUAL = ("no-change", "equivalent-within-bounds")
# What holds in the body of a function that gets the first byte of an argument as ``c``, which is
# known to be '!' behind a comparison that no fuzzer guesses: old, new, and whether runs differ.
PAIRS = {
    "rest": ("int x = INT_MIN, m = -1; r = x % -1;", "int x = INT_MIN, m = -1; r = x % m;", True),
    "text": ('char *p = "a"; r = strcmp("a", "c");', 'char *p = "a"; r = strcmp(p, "c");', True),
    "zeros": ("unsigned z = 0; r = __builtin_clz(0);",
              "unsigned z = 0; r = __builtin_clz(z);", True),
    "constant-text": ('static const char p[] = "a"; r = strcmp(p, "c") + 2;',
                      'static const char p[] = "a"; r = strcmp("a", "c") + 2;', False),
    "by-seven": ("int x = c; r = x % 7;", "int x = c; r = x - x / 7 * 7;", False),
    "macro": ("r = (c ^ 1) + 1;", "r = 1 + (c ^ 1);", False),
    "unused": ("5 / (c - 33); r = 1;", "5 / (c - 33); r = 2;", True),
    "unneeded": ("r = (5 / (c - 33) && 0) + 1;", "r = (5 / (c - 33) && 0) + 2;", True),
    "sanitizer": ("\n#if !defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__\nr = 1;\n#endif\n",
                  "\n#if !defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__\nr = 2;\n#endif\n",
                  True),
}  # fmt: skip
# Those which the search cannot decide: what a processor gives for 0, what gcc knows of an object.
ADMITTED = ("zeros", "constant-text", "unneeded")


def main_with(statements: str) -> str:
    return (
        f"{HEAD}int main(int n, char **v)\n{{\n    unsigned char c = v[1][0];\n    int r = 0;\n"
        f"    if (c * 37 % 251 != 217) return 3;\n    {statements}\n"
        '    printf("%d\\n", r);\n    return 0;\n}\n'
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", daily(sorted(PAIRS, key=lambda name: name != "sanitizer"), 2))
def test_a_verdict_knows_what_gcc_computes(name: str, tmp_path: Path) -> None:
    old, new, differs = PAIRS[name]
    (tmp_path / "old.c").write_text(main_with(old))
    (tmp_path / "new.c").write_text(main_with(new))
    words = ("old.c", "new.c", "--sym-args", "1", "1", "1", "--time", "25", "--no-config")
    done = csgtest("build", *words, folder=tmp_path)
    verdict = done.report["verdict"]
    if name in ADMITTED:
        assert verdict not in EQUAL
    else:
        assert verdict == ("different" if differs else "equivalent-within-bounds")
    assert "an error of csgtest" not in done.out
