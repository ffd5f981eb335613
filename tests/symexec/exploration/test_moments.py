"""The verdict knows what code of the caller can look at while a call runs, and behind it.

Each pair of versions is compiled with a caller that looks: where the two binaries show something
else, the verdict may not be that the versions are equal.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions
from tests.command_line import write_versions
from tests.jobs import finished

SAME = "equivalent-within-bounds"
HEADS = (
    "#define _GNU_SOURCE\n"
    + "".join(
        f"#include <{name}.h>\n"
        for name in (
            "errno",
            "fcntl",
            "locale",
            "signal",
            "stdio",
            "stdlib",
            "string",
            "unistd",
            "wchar",
        )
    )
    + "#include <sys/mman.h>\n#include <sys/resource.h>\n#include <sys/stat.h>\n"
)
RARE = "x * 2654435761u == 3735928559u"  # x is 416041631
WITNESS = 416041631


@dataclass(frozen=True, slots=True)
class Pair:
    """``$`` in ``body``, of a function with ``parameters``, is ``old`` or ``new``. ``looks``: what
    the callback does; ``behind``: what the caller does behind the call."""

    body: str
    old: str
    new: str
    looks: str = ""
    behind: str = ""
    parameters: str = "int (*cb)(int), unsigned x"
    callback: str = "int v"
    arguments: str = "look, "
    head: str = ""

    def text(self, edit: str) -> str:
        body = self.body.replace("$", edit)
        return f"{HEADS}{self.head}int f({self.parameters}) {{ {body} }}\n"

    def shown(self, folder: Path, edit: str) -> tuple[bytes, int]:
        """What a program shows that calls a version."""
        main = f"f({self.arguments}{WITNESS}u); {self.behind}"
        caller = (
            f"int look({self.callback}) {{ {self.looks} return 0; }}\n"
            f"int main(void) {{ {main} return 0; }}\n"
        )
        file = folder / "whole.c"
        file.write_text(self.text(edit) + caller)
        subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", folder / "whole", file], check=True)
        done = subprocess.run([folder / "whole"], cwd=folder, check=False, stdout=subprocess.PIPE)
        return done.stdout, done.returncode


def looked(body: str, old: str, new: str, looks: str) -> Pair:
    return Pair(body, old, new, looks)


def left(statement: str, behind: str, head: str = "", before: str = "") -> Pair:
    """A version that leaves something, in a rare case."""
    body = f"{before} $ return (int) x;"
    return Pair(
        body,
        "",
        f"if ({RARE}) {{ {statement} }}",
        "",
        behind,
        "unsigned x",
        arguments="",
        head=head,
    )


def often(statement: str) -> str:
    return f"if ({RARE}) {{ {statement} }}"


ERRNO = 'printf("%d\n", errno);'.replace("\n", "\\n")
PRINTED = "putchar('A'); $ int r = cb(1); fflush(stdout); return r;"
TEXT = 'char b[8] = "ab"; $ return cb(b);'
OF_TEXT = {"parameters": "int (*cb)(const char *), unsigned x", "callback": "const char *v"}
OUT = {"parameters": "FILE *out, unsigned x", "arguments": 'fopen("written", "w"), '}
SIZE = 'char b[9]; int d = open("written", 0); printf("%zd\\n", read(d, b, 9));'

DIFFERENT = {
    "errno": looked(
        "errno = $; int r = cb(1); errno = 0; return r;", "0", f"{RARE} ? 5 : 0", ERRNO
    ),
    "errno, each version by itself": looked(
        "$ errno = 0; return 0;",
        "errno = 0; cb(1);",
        f"if ({RARE}) {{ errno = 5; cb(1); }} else {{ errno = 0; cb(1); }}",
        ERRNO,
    ),
    "the numbers of rand": looked(
        "srand(5); $ int r = cb(1); srand(7); return r;",
        "",
        often("srand(6);"),
        'printf("%d\\n", rand());',
    ),
    "a variable of the environment": looked(
        'setenv("A", "1", 1); $ int r = cb(1); unsetenv("A"); return r;',
        "",
        often('setenv("A", "2", 1);'),
        'puts(getenv("A"));',
    ),
    "the umask": looked(
        "$ int r = cb(1); umask(022); return r;",
        "umask(022);",
        f"umask({RARE} ? 077 : 022);",
        'printf("%o\\n", umask(0));',
    ),
    "a handler": looked(
        "$ int r = cb(1); signal(SIGUSR1, SIG_DFL); return r;",
        "signal(SIGUSR1, SIG_DFL);",
        f"signal(SIGUSR1, {RARE} ? SIG_IGN : SIG_DFL);",
        "raise(SIGUSR1);",
    ),
    "pending output at a callback": looked(PRINTED, "", often("fflush(stdout);"), "_exit(0);"),
    "bytes behind a text": Pair(
        TEXT,
        "",
        often("b[5] = 1;"),
        'printf("%d\\n", v[5]);',
        **OF_TEXT,
    ),
    "a union": Pair(
        "union u v; v.i = 1; $ return cb(v);",
        "",
        often("v.i = 2;"),
        'printf("%d\\n", v.i);',
        head="union u { int i; float f; };",
        parameters="int (*cb)(union u), unsigned x",
        callback="union u v",
    ),
    "what a structure points to": Pair(
        "int n = 1; struct s v = {&n}; $ return cb(v);",
        "",
        often("n = 2;"),
        'printf("%d\\n", *v.p);',
        head="struct s { int *p; };",
        parameters="int (*cb)(struct s), unsigned x",
        callback="struct s v",
    ),
    "wide characters": Pair(
        f"if ({RARE}) $; return (int) x;",
        "putchar('A')",
        "putwchar(L'A')",
        "",
        'puts("B");',
        "unsigned x",
        arguments="",
    ),
    "a pending file": Pair(
        'fputs("ab", out); $ return (int) x;',
        "",
        often("fflush(out);"),
        "",
        SIZE,
        **OUT,
    ),
    "pending output": left("fflush(stdout);", "_exit(0);", before="putchar('A');"),
    "a stream without buffer": left("setvbuf(stdout, 0, _IONBF, 0);", "putchar('A'); _exit(0);"),
    "setbuf": left("setbuf(stdout, 0);", "putchar('A'); _exit(0);"),
    "whole lines": left("setlinebuf(stdout);", 'puts("A"); _exit(0);'),
    "a stack for signals": left(
        "stack_t s = {.ss_sp = place, .ss_size = sizeof place}; sigaltstack(&s, 0);",
        'stack_t s; sigaltstack(0, &s); printf("%d\\n", s.ss_flags);',
        "static char place[65536];",
    ),
    "what interrupts": left(
        "siginterrupt(SIGUSR1, 1);",
        "struct sigaction a; signal(SIGUSR1, SIG_IGN); sigaction(SIGUSR1, 0, &a);"
        'printf("%d\\n", a.sa_flags);',
    ),
    "a group": left(
        "int e = errno; setpgid(0, 0); errno = e;", 'printf("%d\\n", getpgrp() == getpid());'
    ),
    "a lock": left("flockfile(stdout);", "if (ftrylockfile(stdout)) return 1;"),
}
UNSHOWN = ("a lock",)  # one thread may lock a stream twice: it takes another one to show


def verdict(folder: Path, pair: Pair) -> str:
    files = write_versions(folder, pair.text(pair.old), pair.text(pair.new))
    return str(
        finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False))).verdict
    )


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if at % 2 == 0 else [pytest.mark.night])
        for at, name in enumerate(DIFFERENT)
    ],
)
def test_what_a_caller_can_look_at_is_left_out(name: str, tmp_path: Path) -> None:
    pair = DIFFERENT[name]
    if name not in UNSHOWN:
        assert pair.shown(tmp_path, pair.old) != pair.shown(tmp_path, pair.new)
    assert verdict(tmp_path, pair) == "no-difference-found"


ALIKE = {
    "other ways to one text": looked(PRINTED, 'printf("b\\n");', 'puts("b");', ""),
    "flushed before": looked("putchar('A'); $ return cb(1);", "fflush(stdout);", "fflush(0);", ""),
    "errno set twice": looked(
        "$ int r = cb(1); errno = 0; return r;", "errno = 5;", "errno = 0; errno = 5;", ""
    ),
    "each version by itself": looked(
        "errno = 0; $ return 0;", "cb(1);", "if (x == 4242) cb(1); else cb(1);", ""
    ),
    "another buffer": Pair(
        "char b[8]; $ return cb(b);",
        "b[0] = 'a', b[1] = 0;",
        'strcpy(b, "a");',
        "",
        **OF_TEXT,
    ),
    "a longer buffer": Pair(
        "$ return cb(b);",
        'char b[8] = "ab";',
        'char b[9] = "ab";',
        "",
        **OF_TEXT,
    ),
    "memory of its own": looked(
        "int *p = malloc(4); if (!p) return 0; *p = $; int r = cb(*p); free(p); return r;",
        "1 + 1",
        "2",
        "",
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_versions_stay_equal_where_callers_see_the_same(name: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, ALIKE[name]) == SAME


@pytest.mark.parametrize(
    ("kind", "other"), [("long double", "1 + 0x1p-62L"), ("__int128", "1 + ((__int128) 1 << 70)")]
)
def test_numbers_are_printed_to_their_last_bit(kind: str, other: str, tmp_path: Path) -> None:
    text = f"int f(int (*cb)({kind}), int x) {{ return cb(x == 4242 ? $ : 1); }}"
    files = write_versions(tmp_path, text.replace("$", "1"), text.replace("$", other))
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), unsandboxed=True)))
    assert job.verdict == "different" and job.mispredicted == []
