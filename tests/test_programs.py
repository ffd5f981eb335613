"""Every program of tests/programs/ behaves in the engine as gcc's binary does.

A program may say what it is run with, in comments on its first lines:

    // args: -n 3 word
    // stdin: two\nlines\n
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import csgtest, given_to
from tests.nightly import every

ROOT = Path(__file__).parent.parent
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("*.c"))


def compiled(program: Path, arguments: list[str], stdin: bytes) -> tuple[bytes, int]:
    """What gcc's program writes, and its exit status as a shell tells it."""
    binary = program.parent / "binary"
    subprocess.run(["gcc", "-fwrapv", "-w", "-o", binary, program], check=True)
    command = [str(binary), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return done.stdout, code


def followed(program: Path, arguments: list[str], stdin: bytes) -> tuple[bytes, int]:
    """The same of the engine."""
    words = ("run", program.name, "--", *arguments)
    done = csgtest(*words, folder=program.parent, stdin=stdin)
    return done.out.encode("utf-8", "surrogateescape"), done.code


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 70


@pytest.mark.parametrize("program", every(2, PROGRAMS), ids=[program.stem for program in PROGRAMS])
def test_program_runs_as_compiled(program: Path, tmp_path: Path) -> None:
    given = given_to(program.read_text())
    copy = Path(shutil.copy(program, tmp_path))
    assert followed(copy, *given) == compiled(copy, *given)


# gcc makes some of these calls puts or fputs, which do not print "(null)", at -O0 already.
OF_A_NULL_POINTER = (
    r'printf("%s\n", p);',
    r'printf("%s.\n", p);',
    r'printf("%s", p);',
    r'printf("%d %s\n", 7, p);',
    r'fprintf(stdout, "%s\n", p);',
    r'fprintf(stdout, "%s", p);',
    r"fputs(p, stdout);",
    r"puts(p);",
    r'sprintf(b, "%s", p); puts(b);',
    r'int n = printf("%s\n", p); n++;',
    r'(void) printf("%s\n", p);',
    r'printf("%s\n", p), puts("more");',
    r'int n = (printf("%s\n", p), 3);',
    r'p || printf("%s\n", p);',
    r'p ? 0 : printf("%s\n", p);',
    r'p ? (void) 0 : (void) printf("%s\n", p);',
    r'for (; !b[0]; b[0] = 1, printf("%s\n", p));',
    r'({ printf("%s\n", p); });',
    r'int (*f)(const char *, ...) = printf; f("%s\n", p);',
    r'const char *f = "%s\n"; printf(f, p);',
    r'printf("%s" "\n", p);',
    r'printf("%s\n", p, 3);',
)


@pytest.mark.parametrize("statements", OF_A_NULL_POINTER)
def test_a_null_pointer_is_printed_as_compiled(statements: str, tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(
        "#include <stdio.h>\nint main(int c, char **v)\n"
        f'{{ char b[9] = {{0}}, *p = c > 5 ? b : NULL; {statements} puts("end"); return 0; }}\n'
    )
    assert followed(program, [], b"") == compiled(program, [], b"")
