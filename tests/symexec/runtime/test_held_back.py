"""What streams hold back at ``_exit``: random calls of a driver, run by the engine and natively.

F16 t20 w _exit     a buffer of 16 bytes, a text of 20, write(1, ..): which of it is there?
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.ir import Program
from symexec.exploration.concrete_run import run_program
from symexec.exploration.start import loaded_program
from symexec.runtime.filesystem.nodes import Contents, disk
from tests.nightly import examples

DRIVER = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char buffers[8][512], text[512], read_back[2048];
int main(int argc, char **argv)
{
    FILE *file = fopen("f", "w"), *to = stdout;
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i] + 1);
        memset(text, 'a' + i % 26, sizeof text);
        text[n < 511 ? n : 511] = 0;
        switch (argv[i][0]) {
        case 'O': to = stdout; break;
        case 'E': to = stderr; break;
        case 'K': to = file; break;
        case 'A': stdout = n ? stderr : file; break;
        case 't': fputs(text, to); break;
        case 'l': text[n / 2] = '\n'; fputs(text, to); break;
        case 'e': text[n - 1] = '\n'; fputs(text, to); break;
        case 'p': puts(text); break;
        case 'q': text[n / 2] = '\n'; puts(text); break;
        case 'v': putchar('v'); break;
        case 'b': fwrite(text, 1, n, to); break;
        case 'c': fputc('x', to); break;
        case 'n': fputc('\n', to); break;
        case 'f': fflush(to); break;
        case 'y': errno = ENOENT; perror(n ? "y" : ""); break;
        case 'w': write(to == stderr ? 2 : 1, "|", 1); break;
        case 's': fseek(file, 0, SEEK_END); break;
        case 'F': setvbuf(to, buffers[i % 8], _IOFBF, n); break;
        case 'L': setvbuf(to, buffers[i % 8], _IOLBF, n); break;
        case 'N': setvbuf(to, 0, _IONBF, 0); break;
        case 'G': setvbuf(to, 0, _IOFBF, 0); break;
        case 'M': setvbuf(to, 0, _IOLBF, 0); break;
        case 'u': setvbuf(stdin, 0, _IONBF, 0); break;
        case 'i': setvbuf(stdin, 0, _IOLBF, 0); break;
        case 'g': getchar(); break;
        case 'r': fread(read_back, 1, n, stdin); break;
        }
    }
    int again = open("f", O_RDONLY);
    long n = read(again, read_back, sizeof read_back);
    write(2, "\nfile:", 6);
    write(2, read_back, n);
    _exit(0);
}
"""
PUTS = [
    *[f"{how}{n}" for how in "tleb" for n in (2, 7, 16, 20, 127, 130, 256, 300)],
    *[f"{how}{n}" for how in "pq" for n in (2, 15, 16, 127, 130)],
    *"cncn",
]
MODES = [*[f"{how}{n}" for how in "FL" for n in (1, 2, 8, 16, 100, 127, 128, 200)], *"NGM"]
OTHERS = [*"ffwwOEEKAvsuiggr", "y0", "y1", "A1", "r1", "r3"]
INPUT = b"0123456789\n" * 3
CALLS = st.lists(
    st.one_of(st.sampled_from(PUTS), st.sampled_from(MODES), st.sampled_from(OTHERS)), max_size=9
)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, Path]:
    folder = tmp_path_factory.mktemp("driver")
    source, binary = folder / "driver.c", folder / "driver"
    source.write_text(DRIVER)
    command = ["gcc", "-w", "-O0", "-fno-builtin", "-o", str(binary), str(source)]
    subprocess.run(command, check=True)
    return loaded_program(source, (), "main"), binary


@examples(400)
@given(calls=CALLS)
def test_what_is_held_back(driver: tuple[Program, Path], calls: list[str]) -> None:
    program, binary = driver
    with (binary.parent / "out").open("wb") as out, (binary.parent / "err").open("wb") as err:
        subprocess.run(
            [str(binary), *calls], input=INPUT, stdout=out, stderr=err, cwd=binary.parent,
            timeout=20, check=True,
        )  # fmt: skip
    shown = {1: b"", 2: b""}

    def write(stream: int, data: bytes) -> None:
        shown[stream] += data

    words = [b"driver", *map(str.encode, calls)]
    run_program(program, words, Contents(tuple(INPUT), len(INPUT)), disk(()), write)
    assert shown[1] == (binary.parent / "out").read_bytes()
    assert shown[2] == (binary.parent / "err").read_bytes()
