"""What the system says of the time and the user: the versions are not called equal where another
answer shows a difference, and they are where no change meets the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.ledger import Verdict
from symexec.options import BuildOptions, InputOptions
from tests.command_line import Done, csgtest, write_versions
from tests.jobs import finished
from tests.nightly import daily

HEAD = "#include <stdio.h>\n#include <sys/stat.h>\n#include <sys/time.h>\n#include <time.h>\n"
HEAD += "#include <unistd.h>\n"
# What asks, as an expression, and a number beyond what the search has.
ASKED = (
    ("time(0)", "1700000000"),
    ("(gettimeofday(&v, 0), v.tv_sec)", "1700000000"),
    ("(clock_gettime(CLOCK_REALTIME, &t), t.tv_sec)", "1700000000"),
    ("(stat(\".\", &s), s.st_mtime)", "1700000000"),
    ("getuid()", "0x7fffffff"),
    ("sysconf(_SC_OPEN_MAX)", "5000"),
)  # fmt: skip
FUNCTION = """{head}
static long asked(void)
{{
    struct timeval v; struct timespec t; struct stat s;
    return {asked};
}}
int f(int x)
{{
    long now = asked();
    {body}
}}
"""
DIFFERENT = (
    ("if (now > {n}) return x; return 2;", "if (now > {n}) return x ^ 1; return 2;"),
    ("if (x == 77) return now > {n}; return 2;", "if (x == 77) return 0; return 2;"),
    ("if (now > {n}) x ^= 1; return x;", "if (now > {n} + 5) x ^= 1; return x;"),
)
EQUAL = (
    ("printf(\"%ld\", now); return x * 2;", "printf(\"%ld\", now); return x + x;"),
    ("if (x < 5) return 1; return 2;", "if (5 > x) return 1; return 2;"),
)  # fmt: skip


def compare(folder: Path, asked: str, number: str, bodies: tuple[str, str]) -> Done:
    versions = (
        FUNCTION.format(head=HEAD, asked=asked, body=body.format(n=number)) for body in bodies
    )
    write_versions(folder, *versions)
    words = ("--entry", "f", "--time", "4", "--attack", "0", "--no-config")
    return csgtest("build", "old.c", "new.c", *words, folder=folder)


@pytest.mark.parametrize("bodies", DIFFERENT)
@pytest.mark.parametrize("asking", daily(ASKED, 2), ids=lambda asking: asking[0])
def test_another_answer_may_show_a_difference(
    asking: tuple[str, str], bodies: tuple[str, str], tmp_path: Path
) -> None:
    done = compare(tmp_path, *asking, bodies)
    assert done.report["verdict"] in ("different", "no-difference-found"), done
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0), done


@pytest.mark.parametrize("bodies", EQUAL)
@pytest.mark.parametrize("asking", daily(ASKED, 2), ids=lambda asking: asking[0])
def test_an_answer_that_no_change_meets_leaves_versions_equal(
    asking: tuple[str, str], bodies: tuple[str, str], tmp_path: Path
) -> None:
    done = compare(tmp_path, *asking, bodies)
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
    ],
)
def test_less_usual_questions_have_another_answer_as_well(asked: str, tmp_path: Path) -> None:
    text = f"#define _GNU_SOURCE\n{HEAD}#include <sys/resource.h>\nint f(int x) {{ {asked} "
    text += "if (n > 5000) return $; return 2; }\n"
    files = write_versions(tmp_path, text.replace("$", "x"), text.replace("$", "x + 1"))
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False)))
    assert job.verdict is Verdict.NO_DIFFERENCE_FOUND
