"""The verdict knows in which order standard output and standard error get what a program writes.

Each pair of versions runs natively with both streams in one pipe, and on one terminal. Where either
shows something else, the verdict may not be that the versions are equal; where neither does, it is.

A member of the family is a way to write to each of them, and where that stands:

    write(1, "a\\n", 2);   x   perror("b")   x   int main(void) { .. }
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions
from tests.command_line import write_versions
from tests.jobs import finished
from tests.nightly import every

SAME, LEFT_OUT = "equivalent-within-bounds", "no-difference-found"
HEADS = "".join(
    f"#include <{name}.h>\n"
    for name in ("errno", "signal", "stdio", "stdlib", "string", "unistd", "wchar")
)
OUT: Mapping[str, str] = {
    "write": 'write(1, "a\\n", 2);',
    "dprintf": 'dprintf(1, "a%d\\n", x);',
    "printf": 'printf("a%d\\n", x);',
    "printf and fflush": 'printf("a%d", x); fflush(stdout);',
    "puts and fflush": 'puts("a"); fflush(0);',
    "putchar": "putchar('a'); putchar('\\n');",
    "a stream without buffer": "setvbuf(stdout, 0, _IONBF, 0); putchar('a');",
    "a stream of lines": 'setvbuf(stdout, 0, _IOLBF, 64); fputs("a\\n", stdout);',
    "a copy of the descriptor": 'int d = dup(1); write(d, "a", 1); close(d);',
}
ERR: Mapping[str, str] = {
    "write": 'write(2, "b\\n", 2);',
    "fprintf": 'fprintf(stderr, "b%d\\n", x + 1);',
    "fputs": 'fputs("b", stderr);',
    "putc": "putc('b', stderr);",
    "perror": 'errno = 0; perror("b");',
    "a function": "say();",
    "a sentence for a signal": 'psignal(2, "b");',
}
SAY = 'static void say(void) { fputs("b\\n", stderr); }\n'
# Where the statements stand, for $, and what calls that.
PLACES: Mapping[str, tuple[str, str]] = {
    "a function": ("int f(int x) { $ return x; }", "int main(void) { f(1); return 0; }"),
    "a rare case": (
        "int f(int x) { if (x == 4242) { $ } return x; }",
        "int main(void) { f(4242); return 0; }",
    ),
    "a loop": (
        "int f(int x) { for (int i = 0; i < 2; i++) { $ } return x; }",
        "int main(void) { f(1); return 0; }",
    ),
    "a program": ("int main(int x, char **v) { $ return x > 1; }", ""),
    "an exit": ("int main(int x, char **v) { if (x < 3) { $ exit(2); } return 1; }", ""),
}


@dataclass(frozen=True, slots=True)
class Member:
    out: str
    err: str
    place: str

    def versions(self, changed: bool) -> tuple[str, str]:
        """Two versions whose order differs, if it is ``changed``."""
        out, err = OUT[self.out], ERR[self.err]
        guarded = f"{out} if (x != 77) {{ {err} }} if (x == 77) {{ {err} }}"
        texts = (f"{out} {err}", f"{err} {out}" if changed else guarded)
        old, new = (f"{HEADS}{SAY}{PLACES[self.place][0].replace('$', each)}\n" for each in texts)
        return old, new

    @property
    def entry(self) -> str:
        return "f" if PLACES[self.place][1] else "main"


def named(member: Member) -> str:
    return f"{member.out}, {member.err}, {member.place}"


def shown(folder: Path, text: str) -> tuple[bytes, bytes]:
    """What a pipe for both streams shows, and a terminal."""
    file, program = folder / "whole.c", folder / "whole"
    file.write_text(text)
    subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", str(program), str(file)], check=True)
    piped = subprocess.run(
        [program], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ).stdout
    return piped, shown_on_terminal(program)


def shown_on_terminal(program: Path) -> bytes:
    ours, theirs = os.openpty()
    found = b""
    with open(ours, "rb", buffering=0) as terminal:
        with open(theirs, "wb", buffering=0) as given:
            subprocess.run([program], check=False, stdout=given, stderr=given)
        with suppress(OSError):  # behind the last byte
            while part := terminal.read(4096):
                found += part
    return found


def verdict(folder: Path, versions: tuple[str, str], entry: str) -> str:
    files = write_versions(folder, *versions)
    options = BuildOptions(*files, inputs=InputOptions(entry), replay=False)
    return str(finished(BuildJob(options)).verdict)


MEMBERS = [Member(*each) for each in product(OUT, ERR, PLACES)]


@pytest.mark.parametrize("member", every(71, MEMBERS), ids=named)
def test_another_order_of_both_streams_is_left_out(member: Member, tmp_path: Path) -> None:
    versions = member.versions(changed=True)
    old, new = (shown(tmp_path, f"{each}{PLACES[member.place][1]}") for each in versions)
    assert old != new
    assert verdict(tmp_path, versions, member.entry) == LEFT_OUT


@pytest.mark.parametrize("member", every(97, MEMBERS, 3), ids=named)
def test_versions_that_keep_the_order_are_equal(member: Member, tmp_path: Path) -> None:
    versions = member.versions(changed=False)
    old, new = (shown(tmp_path, f"{each}{PLACES[member.place][1]}") for each in versions)
    assert old == new
    assert verdict(tmp_path, versions, member.entry) == SAME


PIECES: Mapping[str, tuple[str, str, str]] = {
    "one text for several": (
        'fputs("ab", stderr); putchar(10);',
        'fputs("a", stderr); putc(\'b\', stderr); puts("");',
        SAME,
    ),
    "an empty text": ('write(2, "", 0); puts("a");', 'printf("a\\n"); fputs("", stderr);', SAME),
    "the same byte": (
        'write(1, "a", 1); write(2, "a", 1);',
        'write(2, "a", 1); write(1, "a", 1);',
        SAME,
    ),
    "one flush for another": (
        'puts("a"); fflush(stdout); fputs("b", stderr);',
        'puts("a"); fflush(0); fputs("b", stderr);',
        SAME,
    ),
    "a flush too late": (
        'printf("a"); fflush(stdout); fputs("b", stderr);',
        'printf("a"); fputs("b", stderr); fflush(stdout);',
        LEFT_OUT,
    ),
    "a flush less": (
        'printf("a"); fflush(stdout); fputs("b", stderr);',
        'printf("a"); fputs("b", stderr);',
        LEFT_OUT,
    ),
}


@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("place", ["a function", "a program"])
def test_pieces_do_not_count_and_flushes_do(name: str, place: str, tmp_path: Path) -> None:
    *edits, expected = PIECES[name]
    begin, end = PLACES[place]
    old, new = (f"{HEADS}{begin.replace('$', each)}\n" for each in edits)
    assert (shown(tmp_path, old + end) == shown(tmp_path, new + end)) is (expected == SAME)
    assert verdict(tmp_path, (old, new), "f" if end else "main") == expected
