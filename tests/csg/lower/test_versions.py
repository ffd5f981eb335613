"""Running one version of a unified program does what gcc makes of that version's program."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.ir import Switch
from csg.ir.verify import verify
from csg.language.syntax import Version
from csg.lower import lower
from csg.unify import unify
from oracles.reference.comparing import lowered
from oracles.reference.interpreter import run

PROGRAMS = sorted((Path(__file__).parent / "versions").glob("*.c"))


def native(path: Path, version: Version, folder: Path) -> tuple[int, bytes]:
    chosen = "o" if version is Version.OLD else "n"
    binary = folder / version.value
    own = int(version is Version.OLD)
    macros = [f"-Dchange(o,n)=({chosen})", "-DOLD=1", "-DNEW=0", f"-Dexecute(v)=((v)=={own})"]
    command = ["gcc", "-w", "-fwrapv", *macros, str(path), "-o", str(binary)]
    subprocess.run(command, check=True)
    done = subprocess.run([str(binary)], capture_output=True, timeout=20, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("version", list(Version))
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_version_runs_as_its_own_program(path: Path, version: Version, tmp_path: Path) -> None:
    status, output = native(path, version, tmp_path)
    outcome = run(lowered(path), version=version)
    assert outcome.output.decode() == output.decode()
    assert (outcome.status, outcome.trap) == (status, "")


PRINT = "#include <stdio.h>\n"
CALLS = 'int main(void) { for (int i = -2; i < 9; i++) printf("%d ", f(i)); return f(3); }'
PAIRS = {
    "a case added": (
        "int f(int x) { switch (x) { case 1: return 5; default: return 7; } }",
        "int f(int x) { switch (x) { case 1: return 5; case 3: return 6; default: return 7; } }",
    ),
    "a case that falls through removed": (
        "int f(int x) { int r = 0; switch (x) { case 1: r = 1; case 2: case 3: r++; } return r; }",
        "int f(int x) { int r = 0; switch (x) { case 1: r = 1; case 3: r++; } return r; }",
    ),
    "a default added": (
        "int f(int x) { int r = 1; switch (x) { case 1: r = 3; break; } return r; }",
        "int f(int x) { int r = 1; switch (x) { case 1: r = 3; break; default: r = 8; } return r;}",
    ),
    "an early return": (
        "int f(int x) { return x * 3; }",
        "int f(int x) { if (x < 0) return -1; return x * 3; }",
    ),
    "a type": (
        "int f(int x) { unsigned char t = x * 100; return t + 1; }",
        "int f(int x) { int t = x * 100; return t + 1; }",
    ),
    "a table": (
        "int t[3] = {1, 2, 3}; int f(int x) { return t[(x + 9) % 3]; }",
        "int t[3] = {1, 5, 3}; int f(int x) { return t[(x + 9) % 3]; }",
    ),
    "a loop": (
        "int f(int x) { int s = 0; while (x > 0) { s += x; x--; } return s; }",
        "int f(int x) { int s = 0; for (int i = 1; i <= x; i++) { s += i; } return s; }",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_unified_program_runs_as_both_of_its_versions(name: str) -> None:
    old, new = (parse_text(PRINT + text + CALLS, "t.c") for text in PAIRS[name])
    program = lower([unify(old, new).unit])
    assert verify(program) == []
    for version, unit in ((Version.OLD, old), (Version.NEW, new)):
        assert run(program, version=version) == run(lower([unit]))


LENGTHS = ("[n][n]", "[n][n + 1]", "[n + 1][2]", "[2][n]")
USES = ("(char *) &a[1] - (char *) a", "sizeof a[0] + sizeof *a", "((char *) a)[n * 4 + 4]")


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "function",
    [
        "long g(int n, int a{}) {{ n += {}; return {}; }}",
        "long g(int n, void *b) {{ int (*a){} = b; n += {}; return {}; }}",
        "long g(int n, char *b) {{ int a{}; for (int i = 0; i < 16; i++) "
        "((char *) a)[i] = b[i + {}]; return {}; }}",
    ],
    ids=["parameter", "pointer", "array"],
)
def test_a_type_of_variable_length_has_the_size_of_its_declaration(function: str, use: str) -> None:
    begin, end = (
        "int printf(const char *, ...);\n",
        (
            "int main(void) { char b[99]; for (int i = 0; i < 99; i++) b[i] = i * 7; "
            'printf("%ld", g(2, (void *) b)); return 0; }'
        ),
    )
    for before, after in product(LENGTHS, repeat=2):
        texts = (function.format(before, 0, use), function.format(after, 1, use))
        old, new = (parse_text(begin + text + end, "t.c") for text in texts)
        program = lower([unify(old, new).unit])
        for version, unit in ((Version.OLD, old), (Version.NEW, new)):
            assert run(program, version=version) == run(lower([unit])), texts


def test_a_case_of_one_version_only_is_marked_in_the_switch() -> None:
    old, new = (parse_text(text, "t.c") for text in PAIRS["a case added"])
    program = lower([unify(old, new).unit], entry="f")
    (switch,) = [
        block.terminator
        for block in program.functions["f"].blocks
        if isinstance(block.terminator, Switch)
    ]
    assert [(low, version) for low, _, _, version in switch.cases] == [(1, None), (3, Version.NEW)]


def test_a_changed_initialiser_gives_both_contents_and_a_node() -> None:
    text = "int change(int, int); int t[2] = {1, change(2, 3)}; int main(void) { return t[1]; }"
    program = lower([parse_text(text, "t.c")])
    item = program.globals["t"]
    assert item.old_data == bytes([1, 0, 0, 0, 2, 0, 0, 0])
    assert item.data == bytes([1, 0, 0, 0, 3, 0, 0, 0])
    assert item.node is not None
    assert program.nodes[item.node].changes == {1}
