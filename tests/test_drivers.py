"""Entry functions with parameters that lead to functions, or are streams: a driver calls them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest

PARSER = r"""
#include <stdio.h>
#include <string.h>
typedef int (*handler)(void *user, const char *name, int line);
static int parse(FILE *file, handler h, void *user)
{
    char line[16];
    int n = 0, error = 0;
    while (fgets(line, sizeof line, file)) {
        n++;
        line[strcspn(line, "\n")] = 0;
        if (!h(user, line, n) && !error)
            error = n;
    }
    return error;
}
int (*const used)(FILE *, handler, void *) = parse;
"""
WRITER = r"""
#include <stdio.h>
enum kind { SMALL, LARGE };
void write_number(FILE *out, int n, double (*scale)(enum kind, double))
{
    fprintf(out, "%d\n", scale(n > 9 ? LARGE : SMALL, n) > 1);
    fclose(out);
}
"""


def built(folder: Path, old: str, new: str, entry: str, *words: str) -> str:
    (folder / "old.c").write_text(old)
    (folder / "new.c").write_text(new)
    asked = ("build", "old.c", "new.c", "--entry", entry, "--time", "10", *words)
    done = csgtest(*asked, folder=folder)
    assert done.code == 1, done.err
    assert not done.report["counters"]["mispredicted"]
    return done.out


def test_a_callback_and_a_stream_are_inputs_and_calls_are_output(tmp_path: Path) -> None:
    out = built(tmp_path, PARSER, PARSER.replace(" && !error", ""), "parse")
    assert 'driven_parse("\\n' in out
    assert "returns 1, prints h(" in out and "returns 2, prints h(" in out


@pytest.mark.parametrize(
    ("edit", "shown"),
    [
        (('"%d\\n"', '"%d \\n"'), "stream-out"),  # what the stream has been given differs
        (("n > 9", "n > 10"), "scale(1, 10)"),  # what the callback is called with does
    ],
)
def test_a_stream_that_is_written_is_a_file(
    edit: tuple[str, str], shown: str, tmp_path: Path
) -> None:
    assert shown in built(tmp_path, WRITER, WRITER.replace(*edit), "write_number")


def test_what_has_no_name_in_c_is_refused_as_before(tmp_path: Path) -> None:
    text = "int f(int (*x)(struct { int a; } *)) { return 1 + (x != 0); }\n"
    (tmp_path / "old.c").write_text(text)
    (tmp_path / "new.c").write_text(text.replace("1 +", "2 +"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", folder=tmp_path)
    assert done.code == 2 and "has a type that tests cannot set" in done.err
