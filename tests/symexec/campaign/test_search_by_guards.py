"""Search by what guards a change, on a program that chooses one of many formats."""

from __future__ import annotations

from pathlib import Path

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions, SearchOptions, SymbolicArguments
from symexec.progress import progress_for
from tests.command_line import write_versions

# Twelve formats, chosen by a word; each goes through its input, and only one has changed.
_PROGRAM = """\
#include <stdio.h>
#include <string.h>

static int format, strict;

static void choose(const char *name)
{{
    static const char *const names[] = {{
        "a", "b", "cc", "dd", "eee", "fff", "g", "h", "ii", "jj", "kkk", "lll"
    }};
    for (int i = 0; i < 12; i++)
        if (strcmp(name, names[i]) == 0)
            format = i + 1;
}}

int main(int argc, char **argv)
{{
    int c, n = 0;

    if (argc != 3)
        return 2;
    choose(argv[1]);
    strict = argv[2][0] == 's';
    while ((c = getchar()) != EOF) {{
        if (c >= '0' && c <= '9')
            n = n * 10 + c - '0';
        else if (c == ' ' || c == ',' || c == ';')
            n++;
        else if (c == '-')
            n = 0;
        if (format == 10 && strict && c == '%')
            n {operator} 7;
    }}
    printf("%d\\n", n);
    return 0;
}}
"""


def test_a_change_behind_selectors_is_met_early(tmp_path: Path) -> None:
    """Of all words that choose one of twelve formats one leads to the change; counted in states,
    which is the same on every machine."""
    old, new = (_PROGRAM.format(operator=operator) for operator in ("+=", "-="))
    files = write_versions(tmp_path, old, new)
    job = BuildJob(
        BuildOptions(
            *files,
            inputs=InputOptions(arguments=SymbolicArguments(2, 2, 3), stdin=4),
            search=SearchOptions(time=60.0),
            replay=False,
        )
    )
    job.prepare()
    first = next(iter(job.cases(progress_for(quiet=True))))
    assert first.input.args[0] == b"jj" and first.input.args[1][:1] == b"s"
    assert b"%" in first.input.stdin
    assert job.counters.states < 2_000
