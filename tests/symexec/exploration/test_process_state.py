"""The state of the library, the process and the program's objects around a call of the entry
function: no verdict passes over what a caller sets before the call or finds after it.

    int f(int x) { umask(18); return x; }      the caller prints umask(0) behind the call
    int f(int x) { umask(63); return x; }      not equal: no test looks at it

gcc decides whether a caller can tell two versions apart. A member is two bodies for one kind of
state, and a way from the entry function to them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.ledger import Verdict
from symexec.options import BuildOptions, InputOptions, SearchOptions
from tests.command_line import csgtest, write_versions
from tests.jobs import finished
from tests.nightly import daily, every
from tests.test_executed import natively

HEADERS = "#define _GNU_SOURCE\n" + "".join(
    f"#include <{name}.h>\n"
    for name in (
        "errno",
        "fcntl",
        "signal",
        "stdio",
        "stdlib",
        "string",
        "sys/resource",
        "sys/stat",
        "unistd",
    )
)


@dataclass(frozen=True, slots=True)
class Kind:
    """``bodies`` of the function ``int f(int x)``, behind which stands ``return x``; the caller has
    ``before`` and ``after`` around its call. ``plain``: bodies alike are equal, for nothing is read
    that the caller may have set."""

    bodies: tuple[str, ...]
    before: str = ""
    after: str = ""
    head: str = ""
    plain: bool = True


SHOW = 'printf("%d\\n", {});'
OPEN = 'int n = open("/dev/null", O_RDONLY); if (n < 0) return 1;'
KINDS = {
    # left behind
    "umask": Kind(("umask(18);", "umask(63);", ";"), "", SHOW.format("umask(0)")),
    "descriptor": Kind((";", "close(0);", "dup2(1, 0);"), "", SHOW.format("fcntl(0, F_GETFL)")),
    "leak": Kind((f"{OPEN} close(n);", OPEN, ";"), "", SHOW.format("dup(1)")),
    "stream": Kind(
        (
            'FILE *g = fopen("/dev/null", "w"); if (g) fclose(g);',
            'FILE *g = fopen("/dev/null", "w");',
        ),
        "",
        SHOW.format("dup(1)"),
    ),
    "folder": Kind((";", 'if (chdir("/")) return 1;'), "", 'puts(getcwd(0, 0));'),
    "input": Kind((";", "getchar();", "ungetc(65, stdin);"), "", SHOW.format("getchar()")),
    "seed": Kind(("srand(7);", "srand(8);"), "", SHOW.format("rand()")),
    "errno": Kind(("errno = 7;", "errno = 8;", ";"), "errno = 9;", SHOW.format("errno")),
    # found there
    "errno before": Kind(
        ("errno = 0; if (errno == 9) return 5;", "if (errno == 9) return 5;", "errno = 0;"),
        "errno = 9;",
        "",
    ),
    "random": Kind(
        ("return rand();", "return (rand(), 1804289383);"), "srand(5);", "", plain=False
    ),
    "signal": Kind(
        ("return signal(SIGUSR1, SIG_DFL) == SIG_IGN;", "return signal(SIGUSR1, SIG_DFL), 0;"),
        "signal(SIGUSR1, SIG_IGN);",
        plain=False,
    ),
    "umask before": Kind(
        ("mode_t m = umask(0); umask(m); return m == 63;",
         "mode_t m = umask(0); umask(m); return 0;"),
        "umask(63);",
        plain=False,
    ),
    "optind": Kind(("return optind == 77;", "return 0;"), "optind = 77;", plain=False),
    "words": Kind(
        ('return strtok(0, ",") != 0;', "return 0;"),
        'char s[] = "a,b"; strtok(s, ",");',
        plain=False,
    ),
    # objects that other files see
    "array": Kind(
        ("return t[1];", "t[1] = 2; return t[1];", "return 2;"),
        "t[1] = 9;",
        head="int t[4] = {1, 2, 3, 4};",
        plain=False,
    ),
    "structure": Kind(
        ("return s.b;", "return 2;"), "s.b = 9;", head="struct { int a, b; } s = {1, 2};",
        plain=False,
    ),
    "union": Kind(
        ("return u.a;", "return 1;"), "u.a = 9;", head="union { int a; float b; } u = {1};",
        plain=False,
    ),
    "pointer": Kind(
        ("return *p;", "return 1;"), "static int o = 9; p = &o;",
        head="static int a = 1; int *p = &a;", plain=False,
    ),
    "function": Kind(
        ("return h(x);", "return x + 1;"), "h = abs;",
        head="static int up(int x) { return x + 1; } int (*h)(int) = up;", plain=False,
    ),
    "text": Kind(("return m[0];", "return 104;"), "m[0] = 66;", head='char m[] = "hello";',
                 plain=False),
    "written first": Kind(
        ("t[1] = x; t[2] = x; return t[1];", "t[2] = x; t[1] = x; return t[1];"),
        "t[1] = 9;",
        SHOW.format("t[1] + t[2]"),
        head="int t[4] = {1, 2, 3, 4};",
    ),
    # one for each thread
    "thread": Kind(("t = 4;", "t = 5;", "if (t == 9) return 8;"), "t = 9;", SHOW.format("t"),
                   head="__thread int t = 3;"),
}  # fmt: skip
FIRST = (*KINDS,)
HAS_SIGNAL = "sigset_t m; sigprocmask(0, 0, &m);" + SHOW.format("sigismember(&m, SIGUSR1)")
BLOCKS = "sigset_t m; sigemptyset(&m); sigaddset(&m, SIGUSR1);"
KINDS |= {
    "variable": Kind(('setenv("A", "1", 1);', 'setenv("A", "2", 1);', ";"), 'setenv("A", "0", 1);',
                     'puts(getenv("A"));'),
    "priority": Kind((";", "nice(1);"), "", SHOW.format("nice(0)"), plain=False),
    "mask": Kind((";", f"{BLOCKS} sigprocmask(SIG_BLOCK, &m, 0);"), "", HAS_SIGNAL, plain=False),
    "alarm": Kind(("alarm(0);", "alarm(99);"), "", SHOW.format("alarm(0) > 0"), plain=False),
    "handler": Kind(("signal(SIGUSR1, SIG_IGN);", "signal(SIGUSR1, SIG_DFL);"), "",
                    'raise(SIGUSR1); puts("on");', plain=False),
    "end": Kind((";", "atexit(bye);"), "", "", head='static void bye(void) { puts("bye"); }',
                plain=False),
    "option": Kind(("optind = 5;", "optind = 6;"), "", SHOW.format("optind")),
    "words left": Kind(
        ('static char s[8]; strcpy(s, "a,b,c"); strtok(s, ",");',
         'static char s[8]; strcpy(s, "a,b,c"); strtok(s, ","); strtok(0, ",");'),
        "", 'puts(strtok(0, ","));',
    ),
    "buffer": Kind((";", "setvbuf(stdout, 0, _IONBF, 0);"), "", "putchar(65); _exit(0);",
                   plain=False),
    "numbers": Kind(("return drand48() > 0.5;", "return 0;"), "srand48(9);", plain=False),
    "limit": Kind(
        (";", "struct rlimit l = {0, 0}; setrlimit(RLIMIT_CORE, &l);"), "",
        "struct rlimit l; getrlimit(RLIMIT_CORE, &l);" + SHOW.format("l.rlim_max > 0"),
        plain=False,
    ),
    "bits": Kind(("return w.b;", "return 2;"), "w.b = 9;",
                 head="struct { unsigned a : 3, b : 5; } w = {1, 2};", plain=False),
    "number": Kind(("return d > 3;", "return 0;"), "d = 9;", head="double d = 2;", plain=False),
    "setter": Kind(("return n;", "return 1;"), "set(9);",
                   head="static int n = 1; void set(int v) { n = v; }", plain=False),
    "heap": Kind(("return kept ? *kept : 5;", "return 5;"), "kept = calloc(1, 4);",
                 head="int *kept;", plain=False),
    "length": Kind(("return (int) strlen(m);", "return 5;"), "m[2] = 0;",
                   head='char m[] = "hello";', plain=False),
    "member of a structure": Kind(
        ("return o.in.t[1];", "o.in.t[1] = 2; return o.in.t[1];", "return 2;"), "o.in.t[1] = 9;",
        head="struct { int a; struct { int t[2]; } in; } o = {1, {{1, 2}}};", plain=False,
    ),
    "name": Kind(("return *s == 97;", "return 1;"), 's = "b";', head='const char *s = "a";',
                 plain=False),
}  # fmt: skip
RESULTS = ("x", "0 + x")
WORK = "static int work(int x) { BODY return RESULT; }"
WAYS = {  # BODY is the body, and RESULT what stands behind it
    "directly": "int f(int x) { BODY return RESULT; }",
    "by a helper": f"{WORK} int f(int x) {{ return work(x); }}",
    "for a number": "int f(int x) { if (x == 3) { BODY } return RESULT; }",
    "in a loop": "int f(int x) { for (int i = 0; i < 3; i++) if (i == x - 2) { BODY }"
    " return RESULT; }",
    "by a table": "static int none(int x) { return x; } "
    f"{WORK} static int (*const all[])(int) = {{none, work}};"
    " int f(int x) { return all[x > 2](x); }",
    "by a switch": "int f(int x) { switch (x & 3) { case 0: break; case 3: { BODY } }"
    " return RESULT; }",
}  # fmt: skip


Member = tuple[str, int, int, str]


def members(kinds: Iterable[str], ways: Iterable[str]) -> Iterator[Member]:
    for name, way in product(kinds, ways):
        count = len(KINDS[name].bodies)
        for one in range(count):
            for other in range(one, count):
                yield name, one, other, way


PLAIN = [*members(FIRST, ["directly"])]
COMPOSED = [each for each in members(KINDS, WAYS) if each not in PLAIN]
MEMBERS = [*every(4, PLAIN), *daily(random.Random(31).sample(COMPOSED, 125), 0)]


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_no_state_is_passed_over(member: Member, tmp_path: Path) -> None:
    name, one, other, way = member
    kind = KINDS[name]
    old, new = (
        f"{HEADERS}{kind.head}\n"
        f"{WAYS[way].replace('BODY', kind.bodies[body]).replace('RESULT', result)}\n"
        for body, result in zip((one, other), RESULTS, strict=True)
    )
    call = f"{kind.before} {SHOW.format('f(3)')} {kind.after}"
    caller = f"int main(void) {{ {call} return 0; }}\n"
    alike = natively(old + caller, tmp_path) == natively(new + caller, tmp_path)
    files = write_versions(tmp_path, old, new)
    inputs, search = InputOptions("f"), SearchOptions(time=20)
    job = finished(BuildJob(BuildOptions(*files, inputs=inputs, search=search, replay=False)))
    equal = job.verdict in (Verdict.EQUIVALENT_WITHIN_BOUNDS, Verdict.NO_CHANGE)
    assert alike or not equal
    if kind.plain and one == other:
        assert equal, job.ledger.events()


# Weak definitions, of which another file of the program may have a strong one.
WEAK = {
    "function": "__attribute__((weak)) int h(int x) { return 3; } int f(int x) { return h(x); }\n",
    "alias": 'int g(int x) { return 3; } int h(int x) __attribute__((weak, alias("g")));\n'
    "int f(int x) { return h(x); }\n",
    "constant": "__attribute__((weak)) const int h = 3; int f(int x) { return h; }\n",
}


@pytest.mark.parametrize("name", WEAK)
def test_a_weak_definition_may_be_another_one(name: str, tmp_path: Path) -> None:
    old = WEAK[name]
    new = old.replace("return h(x)", "return 3").replace("return h", "return 3")
    files = write_versions(tmp_path, old, new)
    options = BuildOptions(*files, inputs=InputOptions("f"), replay=False)
    job = finished(BuildJob(options))
    assert job.verdict is Verdict.NO_DIFFERENCE_FOUND
    assert "'h' is weak" in "".join(each.text for each in job.ledger.events())


REPLAYED = {
    "errno": ("int f(int x) { ERRNO return errno == 34; }", "ERRNO", "errno = 0;"),
    "thread": ("__thread int t = 3; int f(int x) { return READ; }", "READ", "t"),
    "left to a thread": ("__thread int t; int f(int x) { t = x LEFT; return 0; }", "LEFT", "+ 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", REPLAYED)
def test_a_difference_is_shown_natively(name: str, tmp_path: Path) -> None:
    text, place, old = REPLAYED[name]
    new = {"errno": "", "thread": "3", "left to a thread": "+ 2"}[name]
    write_versions(tmp_path, HEADERS + text.replace(place, old), HEADERS + text.replace(place, new))
    done = csgtest(
        "build", "old.c", "new.c", "--entry", "f", "--time", "12", "--quiet", folder=tmp_path
    )
    assert (done.code, done.report["verdict"]) == (1, "different")
    assert done.report["counters"].get("mispredicted", 0) == 0
