"""Sizes, counts and offsets that an input decides: each of them has its path."""

from __future__ import annotations

import subprocess
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from tests.command_line import csgtest
from tests.nightly import nightly

# What each program does with the first byte of its input, n, and what follows it.
PROGRAMS = {
    "fread": "r = fread(b, 1, n, stdin);",
    "fread of one item": "r = fread(b, n, 1, stdin);",
    "fread of items": "r = 10 * fread(b, 2, n, stdin);",
    "fgets": "r = fgets(b, n, stdin) ? strlen(b) : 40;",
    "read": "setbuf(stdin, 0); r = read(0, b, n);",
    "fseek": "if (n > 3) return 0; r = fseek(stdin, n, SEEK_SET); r = 10 * r + getchar();",
    "fseek from here": "r = fseek(stdin, n - 3, SEEK_CUR); r = 10 * r + getchar();",
    "fseek from the end": "r = fseek(stdin, -n, SEEK_END); r = 10 * r + getchar();",
    "lseek": "if (n > 3) return 0; char c = 0; r = lseek(0, n, SEEK_SET); "
    "r = 10 * r + read(0, &c, 1) + c;",
}
ALIKE = ("fread of one item", "fread of items", "fseek", "fseek from here")
TEXT = """\
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    char b[300] = "";
    setbuf(stdin, 0);
    int n = getchar(), r = 0;
    if (n < 0 || n > 6)
        return 0;
    USE
    for (int i = 0; i < 6; i++)
        r = 3 * r + (b[i] == 'x');
    return VALUE;
}
"""


@pytest.mark.parametrize("name", nightly(PROGRAMS, ALIKE))
def test_a_path_for_each(name: str, tmp_path: Path) -> None:
    """Versions that differ where the program ends with the rarest of its codes, and nowhere."""
    text = TEXT.replace("USE", PROGRAMS[name])
    (tmp_path / "old.c").write_text(text.replace("VALUE", "r & 63"))
    endings = _endings(tmp_path)
    rarest = min(endings, key=lambda code: (endings[code], code))
    never = min(set(range(64)) - set(endings))
    for code in (rarest,) if "seek" in name else (rarest, never):
        (tmp_path / "new.c").write_text(text.replace("VALUE", f"(r & 63) == {code} ? 99 : r & 63"))
        words = ("build", "old.c", "new.c", "--sym-args", "0", "0", "0", "--sym-stdin", "3")
        done = csgtest(*words, "--no-native", "--time", "20", folder=tmp_path)
        counters = done.report["counters"]
        assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0)
        assert done.code == (code == rarest), done.out
        if "seek" not in name:  # beyond the file one place stands for all
            assert counters["concretised"] == 0 and counters["exhausted"], done.out


def _endings(folder: Path) -> Counter[int]:
    """How often each exit status occurs: all that the program tells apart."""
    subprocess.run(["cc", "-fwrapv", "-o", "old", "old.c"], cwd=folder, check=True)
    tails = [b"", *(bytes(each) for each in product(b"xa", repeat=1)), b"xa", b"xx", b"ax", b"aa"]
    inputs = [b"", *(bytes([n]) + tail for n in range(8) for tail in tails)]
    found: Counter[int] = Counter()
    for each in inputs:
        (folder / "input").write_bytes(each)
        with (folder / "input").open("rb") as given:
            done = subprocess.run(["./old"], cwd=folder, stdin=given, check=False)
        found[done.returncode] += 1
    return found


BUFFERS = (
    "",
    "setbuf(stdin, 0);",
    "setvbuf(stdin, 0, _IONBF, 0);",
    "static char own[4]; setvbuf(stdin, own, _IOFBF, 4);",
    "static char own[3]; setbuffer(stdin, own, 3);",
    "static char own[BUFSIZ]; setbuf(stdin, own);",
    "setvbuf(stdin, 0, _IOFBF, 4);",
    "setlinebuf(stdin);",
)


@pytest.mark.parametrize(
    "buffer", nightly(BUFFERS, [BUFFERS[1], BUFFERS[3], BUFFERS[5], BUFFERS[6]])
)
def test_what_a_stream_reads_ahead_is_gone_from_its_descriptor(buffer: str, tmp_path: Path) -> None:
    """And nothing else: a program may read from both."""
    source = tmp_path / "mixed.c"
    source.write_text(f"""\
#include <stdio.h>
#include <unistd.h>
int main(void)
{{
    char b[64] = "";
    {buffer}
    printf("%d ", getchar());
    printf("%d %s ", (int) read(0, b, 6), b);
    printf("%d %.5s ", (int) fread(b, 1, 5, stdin), b);
    printf("%d %s ", getchar(), fgets(b, 4, stdin));
    printf("%d %.9s %ld\\n", (int) read(0, b, 9), b, (long) lseek(0, 0, SEEK_CUR));
}}
""")
    program = tmp_path / "mixed"
    subprocess.run(["cc", "-o", program, source], check=True)
    given = bytes(range(ord("0"), ord("z"))) * 3
    for text in (given, given[:9], b"", given * 20):
        natively = subprocess.run([program], input=text, capture_output=True, check=False)
        followed = csgtest("run", source, folder=tmp_path, stdin=text)
        assert followed.out == natively.stdout.decode()
