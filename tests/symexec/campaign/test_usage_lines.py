"""A search alone follows command lines that a user could have typed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions, SearchOptions, SymbolicArguments
from symexec.progress import Silence
from symexec.testcases import TestInput
from tests.command_line import write_versions

# All three numbers have digits behind a point, the first is smaller, and -w stands before them.
TEXT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const char *text)
{
    char *end;
    double found = strtod(text, &end);
    if (end == text || *end) {
        fprintf(stderr, "invalid number: %s\n", text);
        exit(1);
    }
    return found;
}

int main(int argc, char **argv)
{
    int equal = 0, at = 1;
    if (at < argc && strcmp(argv[at], "--help") == 0) {
        puts("Usage: pad [OPTION]... FIRST STEP LAST\n\n  -w  with leading zeros");
        return 0;
    }
    if (at < argc && strcmp(argv[at], "-w") == 0) {
        equal = 1;
        at++;
    }
    if (argc - at != 3) {
        fprintf(stderr, "missing operand\n");
        return 1;
    }
    double first = number(argv[at]), last = number(argv[at + 2]);
    int width = 4, points = number(argv[at + 1]) > 0;
    for (int i = 0; i < 3; i++) {
        const char *point = strchr(argv[at + i], '.');
        points += point && point[1];
    }
    if (equal && points == 4)
        width = WIDTH;
    if (first < last)
        printf("%0*.1f %0*.1f\n", width, first, width, last);
    return 0;
}
"""
STATES = 800
FREE = InputOptions()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pad")
    return write_versions(folder, TEXT.replace("WIDTH", "5"), TEXT.replace("WIDTH", "6"))


def differing(job: BuildJob) -> Iterator[tuple[bytes, ...]]:
    """The command lines on which a difference is predicted, while there are few states."""
    job.prepare()
    for case in job.cases(Silence()):
        if case in job.predicted:
            yield case.input.args
        if job.states > STATES:
            return


def searched(
    files: tuple[Path, Path], search: SearchOptions, inputs: InputOptions = FREE
) -> tuple[BuildJob, tuple[bytes, ...] | None]:
    job = BuildJob(BuildOptions(*files, inputs=inputs, search=search, replay=False))
    try:
        return job, next(differing(job), None)
    finally:
        job.close()


def test_an_option_and_three_valid_numbers_are_soon_together(files: tuple[Path, Path]) -> None:
    _, found = searched(files, SearchOptions(time=60))
    assert found is not None
    word, *numbers = found
    assert word == b"-w" and float(numbers[0]) < float(numbers[2])
    assert all(each.partition(b".")[2] for each in numbers)


def test_without_them_it_takes_longer(files: tuple[Path, Path]) -> None:
    job, found = searched(files, SearchOptions(time=3, without=("usage",)))
    assert found is None and job.usage_lines is None


def test_the_user_s_own_words_about_the_command_line_stand(files: tuple[Path, Path]) -> None:
    inputs = InputOptions(arguments=SymbolicArguments(0, 1, 1))
    job, found = searched(files, SearchOptions(time=60), inputs)
    assert found is None and job.exhausted and job.usage_lines is None


def test_work_instead_of_seconds_follows_the_same_ones(files: tuple[Path, Path]) -> None:
    def inputs() -> list[TestInput]:
        job = BuildJob(
            BuildOptions(*files, search=SearchOptions(time=1, deterministic=True), replay=False)
        )
        try:
            job.prepare()
            found = [case.input for case in islice(job.cases(Silence()), 2)]
            assert job.usage_lines is not None and job.usage_lines.following.followed
            return found
        finally:
            job.close()

    assert inputs() == inputs()
