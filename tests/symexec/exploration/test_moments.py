"""The verdict knows what code of the caller can look at while a call runs, and behind it.

Each pair of versions is compiled with a caller that looks: where the two binaries show something
else, the verdict may not be that the versions are equal.

A member of the family is a pair, a condition that hides the edit, a way to the callback, and a way
from the entry function to the code:

    if (x == 416041631) errno = 5;   x   hooks->cb(1)   x   int f(..) { return work(..); }
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions
from tests.command_line import write_versions
from tests.jobs import finished
from tests.nightly import daily, every

SAME = "equivalent-within-bounds"
HEADS = (
    "#define _GNU_SOURCE\n"
    + "".join(
        f"#include <{name}.h>\n"
        for name in (
            "errno",
            "fcntl",
            "fenv",
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

    def text(self, edit: str, entry: str = "") -> str:
        """``entry``: how the entry function has the work done by another one, if it does."""
        body = self.body.replace("$", edit)
        head = f"{HEADS}{self.head}"
        if not entry:
            return f"{head}int f({self.parameters}) {{ {body} }}\n"
        parameters = self.parameters.split(", ")
        given = ", ".join(re.findall(r"\w+", each.partition(")(")[0])[-1] for each in parameters)
        entry = entry.replace("$", f"work({given})")
        return (
            f"{head}static int work({self.parameters}) {{ {body} }}\n"
            f"int f({self.parameters}) {{ {entry} }}\n"
        )

    def shown(self, folder: Path, text: str) -> tuple[bytes, int]:
        """What a program shows that calls a version."""
        main = f"f({self.arguments}{WITNESS}u); {self.behind}"
        caller = (
            f"int look({self.callback}) {{ {self.looks} return 0; }}\n"
            f"int main(void) {{ {main} return 0; }}\n"
        )
        file = folder / "whole.c"
        file.write_text(text + caller)
        command = ["gcc", "-w", "-O0", "-fwrapv", "-o", str(folder / "whole"), str(file), "-lm"]
        subprocess.run(command, check=True)
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
    "the folder": looked(
        'int d = open(".", 0); $ int r = cb(1); fchdir(d); close(d); return r;',
        "",
        often('chdir("/");'),
        "puts(getcwd(0, 0));",
    ),
    "a blocked signal": looked(
        "sigset_t m; sigemptyset(&m); sigaddset(&m, SIGUSR1); $ int r = cb(1);"
        " sigprocmask(SIG_UNBLOCK, &m, 0); return r;",
        "",
        often("sigprocmask(SIG_BLOCK, &m, 0);"),
        'sigset_t m; sigprocmask(0, 0, &m); printf("%d\\n", sigismember(&m, SIGUSR1));',
    ),
    "an alarm": looked(
        "$ int r = cb(1); alarm(0); return r;",
        "",
        often("alarm(99);"),
        'printf("%d\\n", alarm(0) > 0);',
    ),
    "the next option": looked(
        "optind = 1; $ int r = cb(1); optind = 1; return r;",
        "",
        often("optind = 2;"),
        'printf("%d\\n", optind);',
    ),
    "the words of a text": looked(
        'static char t[8]; strcpy(t, "a,b,c"); strtok(t, ","); $ int r = cb(1); strtok("", ",");'
        " return r;",
        "",
        often('strtok(0, ",");'),
        'puts(strtok(0, ","));',
    ),
    "a descriptor": looked(
        "$ int r = cb(1); close(9); return r;",
        "",
        often("dup2(1, 9);"),
        'printf("%d\\n", fcntl(9, F_GETFD));',
    ),
    "a limit": looked(
        "struct rlimit l, m; getrlimit(RLIMIT_CORE, &l); m = l; m.rlim_cur = 0;"
        " setrlimit(RLIMIT_CORE, &m); $ int r = cb(1); setrlimit(RLIMIT_CORE, &l); return r;",
        "",
        often("m.rlim_cur = 4096; setrlimit(RLIMIT_CORE, &m);"),
        'struct rlimit l; getrlimit(RLIMIT_CORE, &l); printf("%d\\n", (int) l.rlim_cur);',
    ),
    "how numbers are rounded": looked(
        "$ int r = cb(1); fesetround(FE_TONEAREST); return r;",
        "",
        often("fesetround(FE_UPWARD);"),
        'volatile double three = 3; printf("%a\\n", 1 / three);',
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
    "a function for the end": left("atexit(bye);", "", 'static void bye(void) { puts("bye"); }'),
    "a descriptor that is left": left("dup2(1, 9);", 'printf("%d\\n", fcntl(9, F_GETFD));'),
    "a signal that stays blocked": left(
        "sigset_t m; sigemptyset(&m); sigaddset(&m, SIGUSR1); sigprocmask(SIG_BLOCK, &m, 0);",
        'raise(SIGUSR1); puts("here");',
    ),
    "an alarm that is left": left("alarm(99);", 'printf("%d\\n", alarm(0) > 0);'),
    "a rounding that is left": left(
        "fesetround(FE_UPWARD);", 'volatile double three = 3; printf("%a\\n", 1 / three);'
    ),
    "a lock": left("flockfile(stdout);", "if (ftrylockfile(stdout)) return 1;"),
}
UNSHOWN = ("a lock",)  # one thread may lock a stream twice: it takes another one to show


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


Rewrite = Callable[[Pair], Pair]
# The condition behind which the edit stands, and what it needs before the function.
CONDITIONS: Mapping[str, tuple[str, str]] = {
    "a product": (RARE, ""),
    "a number": (f"x == {WITNESS}", ""),
    "two halves": (f"x >> 16 == {WITNESS >> 16} && (x & 65535) == {WITNESS & 65535}", ""),
    "a helper": (
        "is_rare(x)",
        f"static int is_rare(unsigned x) {{ if (x < {WITNESS}) return 0; return x == {WITNESS}; }}",
    ),
    "a table": ("rare[x & 3] == x", f"static const unsigned rare[4] = {{1, 4, 6, {WITNESS}}};"),
}  # fmt: skip


def under(name: str) -> Rewrite:
    """The pair with its edit behind another condition."""
    condition, head = CONDITIONS[name]

    def rewrite(pair: Pair) -> Pair:
        if condition == RARE:
            return pair
        old, new = (each.replace(RARE, condition) for each in (pair.old, pair.new))
        return replace(pair, old=old, new=new, head=f"{pair.head}\n{head}\n")

    return rewrite


def by_a_helper(pair: Pair) -> Pair:
    own = pair.parameters.removesuffix(", unsigned x")
    helper = f"static int call({own}, {pair.callback}) {{ return cb(v); }}"
    body = pair.body.replace("cb(", "call(cb, ")
    old, new = (each.replace("cb(", "call(cb, ") for each in (pair.old, pair.new))
    return replace(pair, body=body, old=old, new=new, head=f"{pair.head}\n{helper}\n")


def called_as(pair: Pair, name: str) -> Pair:
    body, old, new = (each.replace("cb(", f"{name}(") for each in (pair.body, pair.old, pair.new))
    return replace(pair, body=body, old=old, new=new)


def by_a_local(pair: Pair) -> Pair:
    own = pair.parameters.removesuffix(", unsigned x").replace("*cb", "*own")
    made = called_as(pair, "own")
    return replace(made, body=f"{own} = cb; {made.body}")


def by_an_object(pair: Pair) -> Pair:
    own = pair.parameters.removesuffix(", unsigned x").replace("*cb", "*known")
    made = called_as(pair, "known")
    return replace(made, body=f"known = cb; {made.body}", head=f"{pair.head}\nstatic {own};\n")


def by_a_structure(pair: Pair) -> Pair:
    own = pair.parameters.removesuffix(", unsigned x")
    made = called_as(pair, "hooks->cb")
    head = f"{pair.head}\nstruct hooks {{ int n; {own}; }};\n"
    return replace(made, head=head, body=f"struct hooks h = {{1, cb}}, *hooks = &h; {made.body}")


CALLS: Mapping[str, Rewrite] = {
    "the callback itself": lambda pair: pair,
    "a helper": by_a_helper,
    "a local": by_a_local,
    "an object": by_an_object,
    "a structure": by_a_structure,
}
# How the entry function has the work done. $ stands for the call of the function that does it.
ENTRIES = {
    "by itself": "",
    "by a helper": "return $;",
    "in a loop": "int r = 0; for (int i = 0; i < 2; i++) if (i) r = $; return r;",
    "behind a check": "if (x == 12) return 3; return $;",
}


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    condition: str = "a product"
    call: str = "the callback itself"
    entry: str = "by itself"

    def made(self, known: Mapping[str, Pair]) -> Pair:
        pair = under(self.condition)(known[self.name])
        return CALLS[self.call](pair) if "cb(" in pair.body + pair.old else pair

    def text(self, pair: Pair, edit: str) -> str:
        return pair.text(edit, ENTRIES[self.entry])


def members(known: Mapping[str, Pair], count: int) -> list[Member]:
    """Each pair as it stands, and others until there are so many."""
    plain = [Member(name) for name in known]
    hidden, entries = [*CONDITIONS], [*ENTRIES]
    if known is ALIKE:  # nothing is hidden; in a loop a callback could come before what is read
        hidden, entries = ["a product"], [each for each in ENTRIES if each != "in a loop"]
    composed = [
        Member(*each)
        for each in product(known, hidden, CALLS, entries)
        if "cb(" in known[each[0]].body + known[each[0]].old or each[2] == "a local"
    ]
    others = [each for each in composed if each not in plain]
    return [*plain, *random.Random(3).sample(others, count - len(plain))]


def named(member: Member) -> str:
    return f"{member.name}, {member.condition}, {member.call}, {member.entry}"


def verdict(folder: Path, old: str, new: str) -> str:
    files = write_versions(folder, old, new)
    return str(
        finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False))).verdict
    )


@pytest.mark.parametrize("member", every(16, members(DIFFERENT, 160)), ids=named)
def test_what_a_caller_can_look_at_is_left_out(member: Member, tmp_path: Path) -> None:
    pair = member.made(DIFFERENT)
    old, new = (member.text(pair, edit) for edit in (pair.old, pair.new))
    if member.name not in UNSHOWN:
        assert pair.shown(tmp_path, old) != pair.shown(tmp_path, new)
    assert verdict(tmp_path, old, new) == "no-difference-found"


@pytest.mark.parametrize("member", daily(members(ALIKE, 60), len(ALIKE)), ids=named)
def test_versions_stay_equal_where_callers_see_the_same(member: Member, tmp_path: Path) -> None:
    pair = member.made(ALIKE)
    old, new = (member.text(pair, edit) for edit in (pair.old, pair.new))
    assert pair.shown(tmp_path, old) == pair.shown(tmp_path, new)
    assert verdict(tmp_path, old, new) == SAME


@pytest.mark.parametrize(
    ("kind", "other"), [("long double", "1 + 0x1p-62L"), ("__int128", "1 + ((__int128) 1 << 70)")]
)
def test_numbers_are_printed_to_their_last_bit(kind: str, other: str, tmp_path: Path) -> None:
    text = f"int f(int (*cb)({kind}), int x) {{ return cb(x == 4242 ? $ : 1); }}"
    files = write_versions(tmp_path, text.replace("$", "1"), text.replace("$", other))
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), unsandboxed=True)))
    assert job.verdict == "different" and job.mispredicted == []
