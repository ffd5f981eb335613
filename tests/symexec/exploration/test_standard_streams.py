"""What the standard streams are: versions are not called equal where a change meets the answer of
a call that a file, a terminal or a slower pipe answers otherwise, and they are where the call is
about a file of the program, or no change meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.ledger import Reason, Verdict
from symexec.options import BuildOptions, InputOptions, SearchOptions
from tests.command_line import write_versions
from tests.jobs import finished

HEAD = "#define _GNU_SOURCE\n" + "".join(
    f"#include <{name}.h>\n"
    for name in ("fcntl", "poll", "stdio", "string", "sys/select", "sys/stat", "sys/uio", "unistd")
)
TEXT = """
struct session {{ int number; FILE *from; }};
static FILE *chosen;
static int opened;
static int open_named(const char *name) {{ return name ? open(name, O_RDONLY) : STDIN_FILENO; }}
static FILE *take(FILE *from) {{ return from; }}
static long asked(void)
{{
    struct stat s = {{0}};
    fpos_t p = {{0}};
    char b[4] = {{0}};
    {asks}
}}
int main(int argc, char **argv)
{{
    return asked() == {} ? 3 : 4;
}}
"""
FILE_OF_ITS_OWN = 'FILE *f = fopen("data", "w+"); if (!f) return 0; '
NUMBER_OF_ITS_OWN = 'int d = open("data", O_RDWR | O_CREAT, 0600); if (d < 0) return 0; '
ASKED = {  # how a program asks: the name of the function
    "rewind(stdin); return getchar();": "rewind",
    "return fseek(stdin, 0, SEEK_END);": "fseek",
    "return fseeko(stdin, 0, SEEK_SET);": "fseeko",
    "return fseeko64(stdin, 0, SEEK_SET);": "fseeko64",
    "return ftell(stdin);": "ftell",
    "return ftello(stdin);": "ftello",
    "return ftello64(stdin);": "ftello64",
    "return fgetpos(stdin, &p);": "fgetpos",
    "return fsetpos(stdin, &p);": "fsetpos",
    "return ftell(stdout);": "ftell",
    "int c = getchar(); return fflush(stdin) ? c : 0;": "fflush",
    "FILE *f = stdin; return ftell(f);": "ftell",
    "return ftell(take(stdin));": "ftell",
    "chosen = stdin; return ftell(chosen);": "ftell",
    "struct session c = {0, stdin}; return ftell(c.from);": "ftell",
    'FILE *f = opened ? fopen("a", "r") : stdin; return f ? ftell(f) : 0;': "ftell",
    "long (*tell)(FILE *) = ftell; return tell(stdin);": "ftell",
    'FILE *f = fdopen(0, "r"); return ftell(f);': "ftell",
    'FILE *f = fdopen(dup(0), "r"); return ftell(f);': "ftell",
    'FILE *f = fdopen(fileno(fdopen(dup(0), "r")), "r"); return ftell(f);': "ftell",
    "return pread(0, b, 3, 0);": "pread",
    "return lseek(0, 0, SEEK_CUR);": "lseek",
    "return lseek(dup(0), 0, SEEK_CUR);": "lseek",
    "return lseek(fcntl(0, F_DUPFD, 5), 0, SEEK_CUR);": "lseek",
    "return lseek(fileno(stdin), 0, SEEK_CUR);": "lseek",
    "int d = open_named(0); return lseek(d, 0, SEEK_CUR);": "lseek",
    "struct session c = {0}; return lseek(c.number, 0, SEEK_CUR);": "lseek",
    "return lseek(opened, 0, SEEK_CUR);": "lseek",
    "fstat(dup(0), &s); return S_ISREG(s.st_mode);": "fstat",
    "fstat(1, &s); return S_ISREG(s.st_mode);": "fstat",
    'return stat("/dev/stdin", &s) || S_ISREG(s.st_mode);': "stat",
    'FILE *f = fopen("/dev/stdin", "r"); return f ? ftell(f) : 0;': "ftell",
    'int d = open("/dev/fd/0", O_RDONLY); return lseek(d, 0, SEEK_CUR);': "lseek",
    "return read(0, b, 3);": "read",
    "read(0, b, 3); return b[1];": "read",
    "int d = 0; return read(d, b, 3);": "read",
    "return read(fileno(stdin), b, 3);": "read",
    "struct iovec v = {b, 3}; return readv(0, &v, 1);": "readv",
    "struct pollfd q = {0, POLLIN, 0}; return poll(&q, 1, 0);": "poll",
    "fd_set q; FD_ZERO(&q); FD_SET(0, &q); struct timeval t = {0};"
    " return select(1, &q, 0, 0, &t);": "select",
    "getchar(); return ferror(stdin);": "ferror",
    "getchar(); return ferror_unlocked(stdin);": "ferror_unlocked",
}  # fmt: skip
ANSWERED = (  # what each run answers alike
    FILE_OF_ITS_OWN + "fputs(\"ab\", f); return ftell(f);",
    FILE_OF_ITS_OWN + "rewind(f); return ferror(f);",
    FILE_OF_ITS_OWN + "FILE *g = take(f); return fseek(g, 0, SEEK_END);",
    NUMBER_OF_ITS_OWN + "return lseek(d, 0, SEEK_END);",
    NUMBER_OF_ITS_OWN + "int e = dup(d); return read(e, b, 3);",
    NUMBER_OF_ITS_OWN + 'FILE *f = fdopen(d, "r"); return ftell(f);',
    "int d[2]; if (pipe(d)) return 0; write(d[1], \"a\", 1); return read(d[0], b, 3);",
    'int d = open_named("data"); close(d); return getchar();',
    "return fread(b, 1, 3, stdin);",
    "return fflush(stdout);",
    "setbuf(stdout, b); fflush(0); return fflush(stderr);",
    "fgets(b, 4, stdin); return b[0];",
)  # fmt: skip


OWN = """
static int times(int a, int b) {{ return a * b; }}
static int read(int a, int b) {{ return a + b; }}
static int (*const table[])(int, int) = {{times, read}};
int main(int argc, char **argv) {{ return table[argc & 1](argc, 3 {}) + read(0, argc); }}
"""
MIXED = {  # the verdict is equality where neither version uses a stream in both ways
    ('wprintf(L"n");', 'wprintf(L"n"); printf("m");', 'wprintf(L"n"); printf("n");'): False,
    ('puts("n");', 'puts("n"); putwchar(76);', 'puts("n"); putwchar(77);'): False,
    ('fwide(stdout, 1);', 'puts("n");', 'putchar(76);'): False,
    ('FILE *f = stderr; fputws(L"n", f);', 'fputs("n", stderr);', 'fputs("m", f);'): False,
    ('int (*p)(const char *, ...) = printf; p("n");', 'wprintf(L"n");', 'wprintf(L"m");'): False,
    ('wprintf(L"n");', 'fputs("n", stderr);', 'fwrite("n", 1, 1, stderr);'): True,
    ('perror("n");', 'fwprintf(stderr, L"n");', 'fputws(L"n", stderr);'): True,
    ('', 'wprintf(L"n");', 'printf("n");'): True,
}  # fmt: skip


def job_of(folder: Path, old: str, new: str) -> BuildJob:
    files = write_versions(folder, HEAD + old, HEAD + new)
    inputs = InputOptions(stdin=2)
    search = SearchOptions(time=20)
    return finished(BuildJob(BuildOptions(*files, inputs=inputs, search=search, replay=False)))


@pytest.mark.parametrize("asks", ASKED)
def test_another_kind_of_stream_may_show_a_difference(asks: str, tmp_path: Path) -> None:
    job = job_of(tmp_path, *(TEXT.format(number, asks=asks) for number in (777, 778)))
    texts = [each.text for each in job.ledger.entries if each.reason is Reason.APPROXIMATED]
    assert any(f"one answer of {ASKED[asks]};" in each for each in texts), texts
    assert job.verdict is Verdict.NO_DIFFERENCE_FOUND


@pytest.mark.parametrize("asks", ANSWERED)
def test_what_each_run_answers_alike_is_no_omission(asks: str, tmp_path: Path) -> None:
    job = job_of(tmp_path, *(TEXT.format(number, asks=asks) for number in (777, 778)))
    assert job.prepared is not None
    assert not any("one answer of" in each.text for each in job.ledger.entries)


def test_a_stream_that_no_change_meets_leaves_versions_equal(tmp_path: Path) -> None:
    text = (
        'int main(int argc, char **argv) {{ printf("%ld", ftell(stdin)); return argc * 2 {}; }}\n'
    )
    job = job_of(tmp_path, text.format(""), text.format("+ 0"))
    assert job.verdict is Verdict.EQUIVALENT_WITHIN_BOUNDS, [*job.ledger.entries]


def test_functions_of_the_program_itself_answer_alike(tmp_path: Path) -> None:
    files = write_versions(tmp_path, OWN.format(""), OWN.format("+ 0"))
    job = finished(BuildJob(BuildOptions(*files, replay=False)))
    assert not any("one answer of" in each.text for each in job.ledger.entries)


@pytest.mark.parametrize("uses", MIXED)
def test_a_stream_takes_wide_characters_or_bytes(
    uses: tuple[str, str, str], tmp_path: Path
) -> None:
    first, *versions = uses
    text = "#include <wchar.h>\nint main(int argc, char **argv) {{ {} if (argc == 77) {{ {} }} }}\n"
    job = job_of(tmp_path, *(text.format(first, each) for each in versions))
    told = [each for each in job.ledger.entries if each.reason is Reason.UNDEFINED]
    assert bool(told) is not MIXED[uses]
