"""Limits on resources are those of replay, or the report says that they are not."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import csgtest, write_versions

PROGRAM = r"""
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int kinds[] = {RLIMIT_FSIZE, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_MEMLOCK, 99, -1};
    struct rlimit limit = {0, 0};
    if (argc != 2)
        return 1;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int failed = getrlimit(kinds[i], &limit);
        printf("%d %ld %ld\n", failed, (long) limit.rlim_cur, (long) limit.rlim_max);
    }
    printf("%ld\n", sysconf(_SC_OPEN_MAX));
    if (argv[1][0] == 's') {
        struct rlimit lower = {16, 32}, wrong = {5, 4}, higher = {16, 64};
        printf("%d ", setrlimit(RLIMIT_NOFILE, &wrong));
        printf("%d ", setrlimit(RLIMIT_NOFILE, &lower));
        printf("%d ", setrlimit(RLIMIT_NOFILE, &higher));
        printf("%d ", getrlimit(RLIMIT_NOFILE, &limit));
        printf("%d %d ", (int) limit.rlim_cur, (int) limit.rlim_max);
    }
    if (argv[1][0] == 'p' && getrlimit(RLIMIT_CPU, &limit) == 0)
        if (sysconf(_SC_NPROCESSORS_ONLN) > 0)
            printf("%s", sysconf(_SC_PHYS_PAGES) > 0 ? "pages" : "none");
    puts(argv[1][0] == 'MARK' ? "yes" : "no");
    return 0;
}
"""


def test_limits_are_those_of_replay(tmp_path: Path) -> None:
    write_versions(tmp_path, PROGRAM.replace("MARK", "s"), PROGRAM.replace("MARK", "p"))
    words = "build old.c new.c --sym-args 0 1 1 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert {test["input"]["args"][0] for test in done.differing} == {"s", "p"}, done
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0)
    told = [
        note.partition("approximated: ")[2].rpartition(" (")[0] for note in done.report["notes"]
    ]
    assert sorted(told) == [
        "a limit that is set is not felt",
        "there is a gigabyte of memory, half of it free",
        "there is no limit on time and processes",
        "there is one processor",
    ]


def test_what_is_printed_of_them_is_what_replay_prints(tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text(PROGRAM.replace("MARK", "s"))
    (tmp_path / "two.c").write_text(PROGRAM.replace("MARK", "x"))
    shown = csgtest("run", "one.c", "--", "s", folder=tmp_path)
    words = "build one.c two.c --sym-args 1 1 1 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    natively = {test["old"]["stdout"] for test in done.differing if test["input"]["args"] == ["s"]}
    assert natively == {shown.out}


LARGE = r"""
#include <stdio.h>
#include <sys/resource.h>
int main(int argc, char **argv)
{
    struct rlimit limit;
    if (argc != 2)
        return 0;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur > 1 << 20)
        puts(argv[1][0] == 'MARK' ? "yes" : "no");
    return limit.rlim_cur < ~(rlim_t) 0 ? 0 : 0;
}
"""


def test_branches_on_the_limit_of_addresses_are_those_of_builds_without_sanitizers(
    tmp_path: Path,
) -> None:
    write_versions(tmp_path, LARGE.replace("MARK", "s"), LARGE.replace("MARK", "p"))
    words = "build old.c new.c --sym-args 0 1 1 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1, done
    counters = done.report["counters"]
    assert counters["branches_compared"] > 0
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0)
