"""One program alone: predictions, tests of paths that are left, and the search for new code."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.exploration.single_program import ExploreJob
from symexec.options import ExploreOptions, InputOptions, SearchOptions, SymbolicArguments
from symexec.progress import Silence
from symexec.state.endings import EndingKind
from symexec.testcases import TestCase

ECHO = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : -1;
    printf("<%+d>\n", n);
    fputs("told\n", stderr);
    if (n == 12) abort();
    return n + 300;
}
"""
DEEP = r"""
#include <string.h>
int main(int argc, char **argv)
{
    int sum = 0;
    if (argc < 2) return 0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) sum += argv[1][i] > 'a' + k;
    if (argc > 2 && argv[2][0] == 'k' && argv[2][1] == 'e') {
        if (argv[2][2] == 'y') return 77;
    }
    return sum & 1;
}
"""
COMPLAINING = r"""
#include <stdio.h>
#include <stdlib.h>
static void complain(const char *word)
{
    for (; *word; word++)
        switch (*word) {
        case '\n': fputs("\\n", stderr); break;
        case '\'': fputs("\\'", stderr); break;
        case '\\': fputs("\\\\", stderr); break;
        default: fputc(*word, stderr);
        }
    exit(2);
}
int main(int argc, char **argv)
{
    int options = 0;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            options++;
        else
            complain(argv[i]);
    if (options == 3 && argv[3][1] == 'x' && argv[2][1] == 'y' && argv[1][1] == 'z')
        abort();
    return options;
}
"""
OPTIONS = r"""
#include <getopt.h>
static const struct option table[] = {
    {"only-delimited", no_argument, 0, 's'}, {"output-delimiter", required_argument, 0, 1},
    {"complement", no_argument, 0, 2}, {"fields", required_argument, 0, 'f'}, {0, 0, 0, 0},
};
int main(int argc, char **argv) { return getopt_long(argc, argv, "b:sf:nz", table, 0) & 127; }
"""
CHAIN = r"""
#include <string.h>
int main(int argc, char **argv)
{
    int found = 0;
    const char *words[] = {"match", "substr", "index", "length", "+", "("};
    for (int i = 0; i < 6; i++) {
        int same = strcmp(argv[1], words[i]) == 0;
        argv += same;
        found += same * (i + 1);
        argv -= same;
    }
    return found;
}
"""
DIGITS = r"""
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
static int by_division(const char *s, unsigned long *out)
{
    unsigned long n = 0;
    for (; (unsigned) *s - '0' < 10; s++) {
        unsigned digit = *s - '0';
        if (n > ULONG_MAX / 10 || n * 10 > ULONG_MAX - digit)
            return 1;
        n = n * 10 + digit;
    }
    *out = n;
    return 0;
}
static int by_builtin(const char *s, long *out)
{
    long n = 0;
    for (; (unsigned) *s - '0' < 10; s++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *s - '0', &n))
            return 1;
    *out = n;
    return 0;
}
#define DECIMAL_DIGIT_ACCUMULATE(Accum, Digit_val) \
    (((uintmax_t) -1 / 10 < (Accum) || (uintmax_t) ((Accum) * 10 + (Digit_val)) < (Accum)) ? 0 \
     : (((Accum) = (Accum) * 10 + (Digit_val)), 1))
static int by_macro(const char *s, uintmax_t *out)
{
    uintmax_t n = 0;
    for (; (unsigned) *s - '0' < 10; s++)
        if (!DECIMAL_DIGIT_ACCUMULATE(n, *s - '0'))
            return 1;
    *out = n;
    return 0;
}
static int by_int(const char *s, int *out)
{
    int n = 0;
    for (; (unsigned) *s - '0' < 10; s++) {
        if (n > (INT_MAX - (*s - '0')) / 10)
            return 1;
        n = n * 10 + (*s - '0');
    }
    *out = n;
    return 0;
}

static union { unsigned long u; long l; uintmax_t m; int i; } read;
int main(int argc, char **argv) { return HOW(argv[1], (void *) &read); }
"""


def explored(tmp_path: Path, text: str, words: tuple[int, int, int], time: float) -> list[TestCase]:
    file = tmp_path / "program.c"
    file.write_text(text)
    inputs = InputOptions(arguments=SymbolicArguments(*words))
    job = ExploreJob(ExploreOptions(file, inputs=inputs, search=SearchOptions(time=time)))
    job.prepare()
    return list(job.cases(Silence()))


def test_what_a_path_shows_is_predicted(tmp_path: Path) -> None:
    cases = explored(tmp_path, ECHO, (0, 1, 2), 10)
    assert len(cases) > 10
    for case in cases:
        seen = case.predicted
        assert seen is not None and seen.stderr == b"told\n"
        if seen.signal == "SIGABRT":  # what standard output held back is lost
            assert seen.stdout == b"" and seen.exit is None
            continue
        number = int(seen.stdout.strip(b"<>\n"))
        assert number != 12 and seen.exit == (number + 300) & 0xFF
    assert {case.predicted.signal for case in cases if case.predicted} == {None, "SIGABRT"}


def test_paths_that_the_time_leaves_are_tests_as_well(tmp_path: Path) -> None:
    loop = "unsigned long n = 0; while (argv[1][0] < 'x') n++; return 1;"
    text = f"int main(int argc, char **argv) {{ {loop} }}"
    cases = explored(tmp_path, text, (1, 1, 2), 2)
    left = [case for case in cases if case.ending is EndingKind.UNFINISHED]
    assert left and all(case.predicted is None for case in left)
    assert all(case.input.args[0] < b"x" or case.input.args[0] >= b"\x80" for case in left)


def test_code_that_nobody_reached_is_looked_for_first(tmp_path: Path) -> None:
    cases = explored(tmp_path, DEEP, (2, 2, 6), 8)
    found = [case.predicted.exit for case in cases if case.predicted]
    assert 77 in found


def test_the_ways_to_print_a_message_do_not_come_before_new_code(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(COMPLAINING)
    inputs = InputOptions(arguments=SymbolicArguments(3, 3, 6))
    job = ExploreJob(ExploreOptions(file, inputs=inputs, search=SearchOptions(time=60)))
    job.prepare()
    for _ in job.cases(Silence()):
        if job.errors:
            break
    assert job.errors and job.tests < 100


def test_an_object_that_no_file_defines_is_told_of(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text("extern int setting;\nint main(void) { return setting; }\n")
    job = ExploreJob(ExploreOptions(program))
    job.prepare()
    list(job.cases(Silence()))
    (event,) = job.counters.ledger.events()
    assert (event.reason, event.location.line) == ("approximated", 1) and "setting" in event.text


def test_getopt_has_one_path_for_each_option(tmp_path: Path) -> None:
    """No word, an operand, "-", "--", the five letters, and any other one."""
    assert len(explored(tmp_path, OPTIONS, (1, 1, 2), 60)) == 10


def test_a_chain_of_comparisons_has_one_path_for_each_word(tmp_path: Path) -> None:
    cases = explored(tmp_path, CHAIN, (1, 1, 6), 60)
    assert sorted(case.predicted.exit or 0 for case in cases if case.predicted) == list(range(7))


@pytest.mark.parametrize("how", ["by_division", "by_builtin", "by_macro", "by_int"])
def test_checks_for_overflow_that_digits_cannot_reach_need_no_solver(
    tmp_path: Path, how: str
) -> None:
    """One path for each number of digits up to 8: all of them fit."""
    file = tmp_path / "program.c"
    file.write_text(DIGITS.replace("HOW", how))
    inputs = InputOptions(arguments=SymbolicArguments(1, 1, 8))
    job = ExploreJob(ExploreOptions(file, inputs=inputs))
    job.prepare()
    assert len(list(job.cases(Silence()))) == 9 and job.exhausted
    assert job.counters.forks == 8 and job.counters.backend_queries == 0


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ('fopen("/etc/passwd", "r");', "a file of the host: /etc/passwd"),
        ('system("ls");', "a command given to system"),
        ('printf("%ls", L"\\x20ac");', "a wide character beyond ASCII in print"),
        (
            'regex_t r; regcomp(&r, "\\\\(a\\\\)\\\\1", 0);',
            "a back reference in a regular expression",
        ),
    ],
)
def test_it_is_told_once_why_a_model_ends_a_path(tmp_path: Path, statement: str, why: str) -> None:
    program = tmp_path / "p.c"
    headers = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "wchar", "regex"))
    program.write_text(f"{headers}int main(void) {{ {statement} return 0; }}\n")
    job = ExploreJob(ExploreOptions(program))
    job.prepare()
    list(job.cases(Silence()))
    (event,) = job.counters.ledger.events()
    assert (event.reason, event.text, event.location.line) == ("unsupported", why, 5)
    assert list(job.counters.ledger.events().values()) == [1]
