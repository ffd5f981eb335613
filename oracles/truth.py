"""What two versions natively do on every input of a small grid.

    truth(old, new, folder)   ->   {(-3, 0): (Ran("7", b""), Ran("oob", b"")), ...}

Both versions are compiled into one program, every name of theirs with a prefix, with checks of our
own for indexes and divisions; global variables are set back before each run.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from generators.pairs.tree import Source

Point = tuple[int, ...]

CHECKS = r"""
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <stdarg.h>
#include <stdlib.h>
static sigjmp_buf back;
static char printed[4096];
static int filled;
static long at_(long index, unsigned long size)
{
    if ((unsigned long)index >= size)
        siglongjmp(back, 1);
    return index;
}
static int say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (filled < 3000)
        filled += vsnprintf(printed + filled, 1000, format, list);
    va_end(list);
    return 0;
}
static void dump(const void *data, unsigned long size)
{
    for (unsigned long i = 0; i < size; i++)
        fprintf(stdout, "%02x", ((const unsigned char *)data)[i]);
}
#define AT(index, size) at_((long)(index), size)
#define DIV(left, operator, right) ({ \
    __typeof__((left) / (right)) left_ = (left), right_ = (right); \
    if (right_ == 0) siglongjmp(back, 2); \
    if ((__typeof__(left_))-1 < 0 && right_ == (__typeof__(left_))-1 \
        && left_ == (__typeof__(left_))(1UL << (8 * sizeof left_ - 1))) siglongjmp(back, 2); \
    left_ operator right_; })
static int left;
#undef assert
#define assert(holds) ((holds) ? (void)0 : siglongjmp(back, 3))
#define abort() siglongjmp(back, 4)
#define exit(status) (left = (status), siglongjmp(back, 5))
#define printf say
#define putchar(byte) say("%c", byte)
"""


@dataclass(frozen=True)
class Ran:
    """``end`` is the returned number with the bytes left in memory, or how it ended else. ``left``
    is what the globals hold that are no pointers, after a return."""

    end: str
    output: bytes
    left: str = field(default="", compare=False)

    @property
    def crashed(self) -> bool:
        return self.end in ("oob", "division")


def names(source: Source) -> list[str]:
    """The file-scope names of a program."""
    own = (
        source.names
        + [each for _, each, _ in source.globals]
        + [each.name for each in source.functions]
    )
    return own + (["S"] if any("struct S" in line for line in source.head) else [])


def _part(source: Source, prefix: str) -> str:
    renamed = "".join(f"#define {each} {prefix}{each}\n" for each in names(source))
    undone = "".join(f"#undef {each}\n" for each in names(source))
    held = [each for _, each, _ in source.globals]
    numbers = [each for declarator, each, _ in source.globals if "*" not in declarator]
    dump = " ".join(f"dump(&{each}, sizeof {each});" for each in sorted(numbers))
    keep = "".join(f"static char {prefix}kept_{each}[sizeof {each}];\n" for each in held)
    save = " ".join(f"memcpy({prefix}kept_{each}, &{each}, sizeof {each});" for each in held)
    load = " ".join(f"memcpy(&{each}, {prefix}kept_{each}, sizeof {each});" for each in held)
    plain = len(source.ranges) - source.buffer
    arguments = ", ".join([f"x[{at}]" for at in range(plain)] + ["in"] * (source.buffer > 0))
    fill = " ".join(f"in[{at}] = x[{plain + at}];" for at in range(source.buffer))
    show = " ".join(f'fprintf(stdout, "=%d", in[{at}]);' for at in range(source.buffer))
    return f"""{renamed}{source.text}{keep}
static void {prefix}save(void) {{ {save} }}
static void {prefix}run(long *x)
{{
    static const char *const endings[] = {{"", "oob", "division", "assert", "abort", "exit"}};
    short *in = malloc({2 * source.buffer});
    long volatile result = 0;
    int ended;
    {load}
    {fill}
    filled = 0;
    printed[0] = 0;
    ended = sigsetjmp(back, 0);
    if (!ended) result = (long)f({arguments});
    fprintf(stdout, "%s%ld", endings[ended], ended == 5 ? left : result);
    if (!ended) {{ {show} }}
    fprintf(stdout, " ");
    for (int i = 0; i < filled; i++) fprintf(stdout, "%02x", printed[i] & 255);
    fprintf(stdout, " ");
    if (!ended) {{ {dump} }}
    fprintf(stdout, ";");
    free(in);
}}
{undone}"""


def harness(old: Source, new: Source) -> str:
    loops = "".join(
        f"    for (x[{at}] = {low}; x[{at}] <= {high}; x[{at}]++)\n"
        for at, (_, low, high) in enumerate(old.ranges)
    )
    both = re.sub(r"#include.*\n", "", _part(old, "old_") + _part(new, "new_"))
    return f"""{CHECKS}{both}
int main(void)
{{
    long x[8];
    old_save();
    new_save();
{loops}    {{ old_run(x); new_run(x); fprintf(stdout, "\\n"); }}
    return 0;
}}
"""


Truth = dict[Point, tuple[Ran, Ran]]


def truth(old: Source, new: Source, folder: Path) -> Truth | None:
    """None when a version never ends (a recursion that an edit has made endless)."""
    text = folder / "truth.c"
    text.write_text(harness(old, new))
    program = folder / "truth"
    flags = ["-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-std=gnu11"]
    subprocess.run(["gcc", *flags, "-o", str(program), str(text)], check=True)
    try:
        done = subprocess.run([str(program)], capture_output=True, timeout=10, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    grid = itertools.product(*(range(low, high + 1) for _, low, high in old.ranges))
    found = {}
    for point, line in zip(grid, done.stdout.decode().splitlines(), strict=True):
        first, second, _ = line.split(";")
        found[point] = (_ran(first), _ran(second))
    return found


def _ran(text: str) -> Ran:
    end, output, left = text.split(" ")
    for kind in ("oob", "division", "assert", "abort"):
        if end.startswith(kind):
            end = kind
    return Ran(end, bytes.fromhex(output), left)
