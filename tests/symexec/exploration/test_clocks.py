"""What the system says of the time, the user and its limits: the versions are not called equal
where another answer shows a difference, and they are where no change meets the answer.

A pair is a question, a way by which its answer comes to the entry function, and an edit:

    now = time(0);     x  through a structure member  x  if (now > N) return x;  // x ^ 1

A caller that has the system's functions itself gives several answers, and so says what is true.
"""

from __future__ import annotations

import random
import subprocess
from itertools import product
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.ledger import Verdict
from symexec.options import BuildOptions, InputOptions
from tests.command_line import Done, csgtest, write_versions
from tests.jobs import finished
from tests.nightly import daily

HEAD = "#define _GNU_SOURCE\n" + "".join(
    f"#include <{name}.h>\n"
    for name in (
        "stdio",
        "stdlib",
        "sys/resource",
        "sys/stat",
        "sys/time",
        "sys/times",
        "sys/wait",
        "time",
        "unistd",
    )
)
SECOND = "1700000000"
# How a program asks, a number beyond the answer of the search, and how a caller answers instead.
ASKED = {
    "time": (
        "now = time(0);", SECOND,
        "time_t time(time_t *at) { if (at) *at = answer; return answer; }",
    ),
    "gettimeofday": (
        "struct timeval v; gettimeofday(&v, 0); now = v.tv_sec;", SECOND,
        "int gettimeofday(struct timeval *at, void *zone)"
        " { at->tv_sec = answer; at->tv_usec = 0; return 0; }",
    ),
    "clock_gettime": (
        "struct timespec t; clock_gettime(CLOCK_REALTIME, &t); now = t.tv_sec;", SECOND,
        "int clock_gettime(clockid_t which, struct timespec *at)"
        " { at->tv_sec = answer; at->tv_nsec = 0; return 0; }",
    ),
    "stat": (
        'struct stat s; stat(".", &s); now = s.st_mtime;', SECOND,
        "int stat(const char *name, struct stat *at) { at->st_mtime = answer; return 0; }",
    ),
    "getuid": ("now = getuid();", "2000000000", "uid_t getuid(void) { return answer; }"),
    "sysconf": (
        "now = sysconf(_SC_OPEN_MAX);", "5000", "long sysconf(int name) { return answer; }",
    ),
    "time by a pointer": (
        "time_t t; time(&t); now = t;", SECOND,
        "time_t time(time_t *at) { if (at) *at = answer; return answer; }",
    ),
    "a steady clock": (
        "struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); now = t.tv_sec;", SECOND,
        "int clock_gettime(clockid_t which, struct timespec *at)"
        " { at->tv_sec = answer; at->tv_nsec = 0; return 0; }",
    ),
    "clock": ("now = clock();", "800000000", "clock_t clock(void) { return answer; }"),
    "times": (
        "struct tms t; times(&t); now = t.tms_utime;", "800000000",
        "clock_t times(struct tms *at) { at->tms_utime = answer; return answer; }",
    ),
    "getegid": ("now = getegid();", "2000000000", "gid_t getegid(void) { return answer; }"),
    "getresuid": (
        "uid_t a, b, c; getresuid(&a, &b, &c); now = b;", "2000000000",
        "int getresuid(uid_t *a, uid_t *b, uid_t *c) { *a = *b = *c = answer; return 0; }",
    ),
    "getrlimit": (
        "struct rlimit l; getrlimit(RLIMIT_NOFILE, &l); now = l.rlim_cur;", "90000000000",
        "int getrlimit(__rlimit_resource_t which, struct rlimit *at)"
        " { at->rlim_cur = answer; return 0; }",
    ),
    "getrusage": (
        "struct rusage r; getrusage(RUSAGE_SELF, &r); now = r.ru_utime.tv_sec;", "5000",
        "int getrusage(__rusage_who_t who, struct rusage *at)"
        " { at->ru_utime.tv_sec = answer; return 0; }",
    ),
    "isatty": ("now = isatty(1);", "0", "int isatty(int d) { return answer; }"),
    "fstat of a stream": (
        "struct stat s; int d = fileno(stdin); fstat(d, &s); now = s.st_mode;", "65000",
        "int fstat(int d, struct stat *at) { at->st_mode = answer; return 0; }",
    ),
    "fstat": (
        "struct stat s; fstat(0, &s); now = s.st_mode;", "65000",
        "int fstat(int d, struct stat *at) { at->st_mode = answer; return 0; }",
    ),
}  # fmt: skip
# What stands before the entry function, and how this has the answer as ``now``.
WAYS = {
    "by a helper": (
        "static long asked(void) {{ long now; {asks} return now; }}", "long now = asked();",
    ),
    "in the function": ("", "long now; {asks}"),
    "by a macro": ("#define ASK(now) do {{ {asks} }} while (0)", "long now; ASK(now);"),
    "through a pointer": (
        "static void ask(long *to) {{ long now; {asks} *to = now; }}", "long now; ask(&now);",
    ),
    "in a member": (
        "struct session {{ int open; long since; }};"
        " static struct session begin(void) {{ struct session made = {{1, 0}}; long now; {asks}"
        " made.since = now; return made; }}",
        "struct session session = begin(); long now = session.since;",
    ),
    "in an object": (
        "static long kept; static void begin(void) {{ long now; {asks} kept = now; }}",
        "begin(); long now = kept;",
    ),
    "in a loop": ("", "long now = -1; for (int i = 0; i < 2 && now < 0; i++) {{ {asks} }}"),
    "by a table": (
        "static long none(void) {{ return -1; }}"
        " static long asked(void) {{ long now; {asks} return now; }}"
        " static long (*const table[])(void) = {{none, asked}};",
        "long now = table[1]();",
    ),
    "the later of two": (
        "static long asked(void) {{ long now; {asks} return now; }}",
        "long begun = asked(), now = asked(); if (begun > now) now = begun;",
    ),
}  # fmt: skip
DIFFERENT = (
    ("if (now > {n}) return x; return 2;", "if (now > {n}) return x ^ 1; return 2;"),
    ("if (x == 77) return now > {n}; return 2;", "if (x == 77) return 0; return 2;"),
    ("if (now > {n}) x ^= 1; return x;", "if (now > {n} + 5) x ^= 1; return x;"),
    ("switch (now / {n}) {{ case 0: return 2; }} return x;",
     "switch (now / {n}) {{ case 0: return 2; }} return x + 1;"),
    ("int r = 0; for (long m = {n}; m < now && r < 3; m++) r++; return r + x;",
     "int r = 0; for (long m = {n}; m < now && r < 4; m++) r++; return r + x;"),
    ("return now > {n} && x > 3;", "return now > {n} && x > 4;"),
    ("seen = now > {n}; return x;", "seen = 0; return x;"),
    ('if (now > {n}) puts("late"); return x;', 'if (now > {n}) puts("Late"); return x;'),
    ("if (now > {n}) exit(3); return x;", "if (now > {n}) exit(4); return x;"),
    ("return now == {n} + 7 ? 1 : x;", "return now == {n} + 7 ? 4 : x;"),
    ("static const int all[] = {{1, 2}}; return all[now > {n}];",
     "static const int all[] = {{1, 3}}; return all[now > {n}];"),
    ("long left = {n} - now; return left < 0 ? 0 : 1;", "return {n} == now ? 0 : 1;"),
)  # fmt: skip
EQUAL = (
    ('printf("%ld", now); return x * 2;', 'printf("%ld", now); return x + x;'),
    ("if (x < 5) return 1; return 2;", "if (5 > x) return 1; return 2;"),
    ("seen = now > {n}; return x * 2;", "seen = now > {n}; return x + x;"),
    ('if (now > {n}) puts("late"); return x * 2;', 'if (now > {n}) puts("late"); return x + x;'),
    ("for (int i = 0; now > {n} && i < 3; i++) seen++; return x < 5;",
     "for (int i = 0; now > {n} && i < 3; i++) seen++; return 5 > x;"),
    ("seen = x < 5; return now > {n};", "seen = 5 > x; return now > {n};"),
)  # fmt: skip
ENTRY = "{head}int seen;\n{before}\nint f(int x)\n{{\n    {begins}\n    {body}\n}}\n"
# Each answer is tried with each x, in a process of its own.
CALLER = """
static long answer;
{answers}
int main(void)
{{
    long answers[] = {{0, {n} - 1, {n}, {n} + 1, {n} + 3, {n} + 7, {n} + 1000}};
    int given[] = {{-1, 0, 1, 4, 5, 77}}, status;
    for (unsigned at = 0; at < sizeof answers / sizeof *answers; at++)
        for (unsigned i = 0; i < sizeof given / sizeof *given; i++) {{
            if (fork() == 0) {{
                answer = answers[at];
                int result = f(given[i]);
                printf(" returns %d %d", result, seen);
                exit(0);
            }}
            wait(&status);
            printf(" ends %d\\n", status);
            fflush(stdout);
        }}
    return 0;
}}
"""
BEGINS_UNKNOWN = "getrlimit"  # an earlier call may have set the limit, so it is always an omission
Member = tuple[str, str, tuple[str, str]]  # a name of ASKED, one of WAYS, and both bodies


def members(bodies: tuple[tuple[str, str], ...], count: int, but: str = "") -> list[Member]:
    """So many members: first each of the first two questions by the first way, in three edits.
    ``but``: a question that is left out."""
    whole = [each for each in product(ASKED, WAYS, bodies) if each[0] != but]
    first = [each for each in whole if each[1] == "by a helper" and each[2] in bodies[:3]]
    rest = [each for each in whole if each not in first[:6]]
    return [*first[:6], *random.Random(5).sample(rest, count - 6)]


def named(member: Member) -> str:
    asked, way, (_, new) = member
    return f"{asked} {way}: {new}"


def text(member: Member, version: int) -> str:
    asked, way, bodies = member
    asks, number, _ = ASKED[asked]
    before, begins = (part.format(asks=f"{{ {asks} }}") for part in WAYS[way])
    body = bodies[version].format(n=number)
    return ENTRY.format(head=HEAD, before=before, begins=begins, body=body)


def shown(folder: Path, member: Member, version: int) -> bytes:
    """What a caller sees of a version that gives the system's answers itself."""
    _, number, answers = ASKED[member[0]]
    file = folder / "whole.c"
    file.write_text(text(member, version) + CALLER.format(answers=answers, n=f"{number}L"))
    subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", folder / "whole", file], check=True)
    return subprocess.run([folder / "whole"], check=True, capture_output=True).stdout


def compare(folder: Path, member: Member) -> Done:
    write_versions(folder, text(member, 0), text(member, 1))
    words = ("--entry", "f", "--time", "4", "--attack", "0", "--no-config")
    return csgtest("build", "old.c", "new.c", *words, folder=folder)


@pytest.mark.parametrize("member", daily(members(DIFFERENT, 130), 6), ids=named)
def test_another_answer_may_show_a_difference(member: Member, tmp_path: Path) -> None:
    assert shown(tmp_path, member, 0) != shown(tmp_path, member, 1)
    done = compare(tmp_path, member)
    assert done.report["verdict"] in ("different", "no-difference-found"), done
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0), done


@pytest.mark.parametrize("member", daily(members(EQUAL, 80, BEGINS_UNKNOWN), 4), ids=named)
def test_an_answer_that_no_change_meets_leaves_versions_equal(
    member: Member, tmp_path: Path
) -> None:
    assert shown(tmp_path, member, 0) == shown(tmp_path, member, 1)
    done = compare(tmp_path, member)
    assert done.report["verdict"] == "equivalent-within-bounds", done


STATICS = """
#include <time.h>
int f(void)
{
    static const int all[] = {1, 2};
    return all[time(0) > 1700000000];
}
"""


def test_a_changed_initialiser_in_a_function_is_a_change(tmp_path: Path) -> None:
    files = write_versions(tmp_path, STATICS, STATICS.replace("{1, 2}", "{1, 3}"))
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False)))
    assert job.verdict is Verdict.NO_DIFFERENCE_FOUND


@pytest.mark.parametrize(
    "asked",
    [
        "struct rusage r; getrusage(RUSAGE_SELF, &r); long n = r.ru_utime.tv_sec;",
        "uid_t a, n, c; getresuid(&a, &n, &c);",
        "struct timespec t; clock_getres(CLOCK_REALTIME, &t); long n = t.tv_nsec;",
        "struct rlimit64 l; getrlimit64(RLIMIT_NOFILE, &l); long n = l.rlim_cur;",
    ],
)
def test_less_usual_questions_have_another_answer_as_well(asked: str, tmp_path: Path) -> None:
    text = f"{HEAD}#include <sys/resource.h>\nint f(int x) {{ {asked} "
    text += "if (n > 5000) return $; return 2; }\n"
    files = write_versions(tmp_path, text.replace("$", "x"), text.replace("$", "x + 1"))
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False)))
    assert job.verdict is Verdict.NO_DIFFERENCE_FOUND
