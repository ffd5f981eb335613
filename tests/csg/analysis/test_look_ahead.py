"""How many elements code reads that looks ahead: as many as it reads natively.

for (i = 0; i < n; i++) if (buf[i] == '\\r' && i + 1 < n && buf[i + 1] == '\\n') ..    n
for (i = 0; i < n; i++) if (i + 1 < n) s += buf[i];                                  n - 1
"""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from csg.analysis.lengths import counted
from csg.frontend import parse_text
from tests.nightly import daily

LOOPS = {
    "for": "for (i = 0; i < n; i++) { USE }",
    "while": "i = 0; while (i < n) { USE i++; }",
    "for ever": "i = 0; for (;;) { if (i >= n) break; USE i++; }",
    "unequal": "for (i = 0; i != n; i++) { USE }",
    "down": "for (i = n; i-- > 0;) { USE }",
    "do": "i = 0; if (n > 0) do { USE } while (++i < n);",
    "assigned": "for (i = 0; i < n; i = i + 1) { USE }",
}
AHEAD = (  # there is a further element
    "i + 1 < n", "i < n - 1", "n - i > 1", "i != n - 1", "n > i + 1", "!(i + 1 >= n)",
    "i + 1 != n", "n - 1 > i", "i + 2 <= n", "n - i >= 2", "!(i == n - 1)",
)  # fmt: skip
USES = (
    "if (buf[i] == 13 && AHEAD && buf[i + 1] == 10) return 1;",
    "if (AHEAD && buf[i] == 13 && buf[i + 1] == 10) s++;",
    "if (AHEAD && buf[i] == 13 && buf[i + 1] == 10) return 3;",
    "if (buf[i] == 13) { if (AHEAD && buf[i + 1] == 10) return 1; }",
    "if (buf[i] == 13) { if (!(AHEAD)) return -1; if (buf[i + 1] == 10) s += 2; }",
    "if (buf[i] == 92 && AHEAD) { i++; s += buf[i]; }",
    "if (buf[i] == 92 && AHEAD) i++; else if (buf[i] == 34) return s;",
    "if (buf[i] == 92) { if (++i >= n) return -1; s ^= buf[i]; }",
    "s += buf[i]; if (!(AHEAD)) break; s ^= buf[i + 1];",
    "if (buf[i] == 92 && !(AHEAD)) return -1; s += buf[i];",
    "s += AHEAD ? buf[i + 1] : buf[i];",
    "if (buf[i] == 13 || (buf[i] == 10 && !(AHEAD))) return i;",
    "if (buf[i] == 13 && (i == 0 || !(AHEAD))) return i;",
    "if (buf[i] == 13) { if (AHEAD) { s = buf[i + 1]; } return s; }",
    "if (buf[i] == 10) { if (n > 2) return 1; }",
    "if (buf[i] == 10 && n > 2) return 1;",
    # no look-ahead: the last element is not read
    "if (AHEAD) s += buf[i];",
    "if (!(AHEAD)) { s++; } else { s += buf[i]; }",
    "if (AHEAD) { if (buf[i] == 92) { s++; continue; } s += buf[i]; }",
    # too much is read
    "if (AHEAD) s += buf[i + 1];",
    "s += buf[i + 1];",
    "s += buf[i]; if (AHEAD) s += buf[i + 2];",
)
ONCE = ("i++", "++i", "break", "continue")  # not in each loop
TYPES = (("const char", "size_t"), ("const int", "int"), ("unsigned char", "unsigned"))
FORMS = {  # the parameters, and what the pair is called
    "parameters": ("TYPE *buf, NUMBER n", "0", "1"),
    "a position": ("TYPE *buf, NUMBER n, NUMBER i", "0", "1"),
    "members": ("struct box *b", "0->buf", "0->n"),
}
HARNESS = r"""
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
static sigjmp_buf out;
static void on(int signal) { siglongjmp(out, signal); }
"""
READ = r"""
/* how many elements have to be there for calls with this number, whatever they hold */
static int readN(int n, char *end)
{
    static const char letters[] = {13, 10, 92, 34};
    volatile int word;
    for (int size = n + 3; size-- > 0;)
        for (word = 0; word < 1 << 2 * n; word++) {
            KIND *buf = (KIND *)end - size;
            for (int at = 0; at < size; at++) buf[at] = letters[word >> 2 * at & 3];
            if (sigsetjmp(out, 1)) return size + 1;
            CALL;
        }
    return 0;
}
"""
MAIN = r"""
int main(void)
{
    char *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page + 4096, 4096, PROT_NONE);
    signal(SIGSEGV, on); signal(SIGBUS, on);
    CALLS
}
"""
NUMBER = 5  # of elements in each call


@dataclass(frozen=True)
class Case:
    """A function that reads a buffer."""

    form: str
    kind: str
    number: str
    body: str

    @property
    def text(self) -> str:
        parameters = FORMS[self.form][0]
        body = self.body if self.form == "a position" else f"NUMBER i; {self.body}"
        if self.form == "members":
            body = re.sub(r"\b(buf|n)\b", r"b->\1", body)
        text = f"int f({parameters}) {{ int s = 0; {body} return s; }}"
        return text.replace("TYPE", self.kind).replace("NUMBER", self.number)

    @property
    def box(self) -> str:
        return f"struct box {{ {self.kind} *buf; {self.number} n; }};"


def cases() -> list[Case]:
    found = []
    names = product(FORMS, TYPES, LOOPS, AHEAD, USES)
    for form, (kind, number), loop, ahead, use in names:
        if loop in ("unequal", "down", "while", "for ever", "do") and any(w in use for w in ONCE):
            continue
        if form == "a position" and loop == "down":
            continue
        body = LOOPS[loop].replace("USE", use).replace("AHEAD", ahead)
        found.append(Case(form, kind, number, body))
    return found


def read_natively(folder: Path, chosen: list[Case]) -> list[int]:
    """How many elements each of the functions reads at most."""
    text, calls = HARNESS, ""
    for at, case in enumerate(chosen):
        call = {"parameters": "(buf, n)", "a position": "(buf, n, 0)", "members": "(&b)"}[case.form]
        kind = case.kind.removeprefix("const ")
        own = case.box.replace("box", f"box{at}") if case.form == "members" else ""
        text += own + case.text.replace("int f(", f"static int f{at}(").replace("box", f"box{at}")
        made = f"struct box{at} b = {{buf, n}}; " if own else ""
        whole = f"{{ {made}f{at}{call}; }}"
        text += READ.replace("N(", f"{at}(").replace("KIND", kind).replace("CALL", whole)
        calls += f'printf("%d\\n", read{at}({NUMBER}, page + 4096));\n'
    (folder / "read.c").write_text(text + MAIN.replace("CALLS", calls))
    subprocess.run(["gcc", "-w", "-O0", "-o", "read", "read.c"], cwd=folder, check=True)
    done = subprocess.run([folder / "read"], capture_output=True, text=True, check=True)
    return [int(each) for each in done.stdout.split()]


@pytest.mark.parametrize("seed", daily(range(40), 2))
def test_a_length_is_as_large_as_what_is_read(seed: int, tmp_path: Path) -> None:
    """No larger, which would hide callers, and no smaller, which would call a function that must
    not be called so."""
    chosen = random.Random(seed).sample(cases(), 60)
    for case, read in zip(chosen, read_natively(tmp_path, chosen), strict=True):
        text = f"typedef unsigned long size_t; {case.box} {case.text}"
        functions = {each.symbol.name: each for each in parse_text(text).functions}
        _, pointer, number = FORMS[case.form]
        found = counted(functions, functions["f"])
        assert (pointer, number) in found, case.text
        assert found[pointer, number].less == max(0, NUMBER - read), case.text
