"""A symbolic size: one path while it is small, one for each of few large ones, else a cut.

char *p = malloc(n * 4096);   n is 1..4      4096, 8192, 12288 and 16384: a path each
char *p = malloc(n);          n is 0..1000   0..64: one path; 65..1000: cut
"""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.counters import Counters
from symexec.exploration.single_program import ExploreJob
from symexec.options import ExploreOptions, InputOptions, Range
from symexec.progress import Silence
from tests.command_line import csgtest, write_versions

INCLUDE = "#include <stdlib.h>\n#include <string.h>\n"
HEAP = "char *p = malloc({});"
STACK = "char p[{}];"


def explored(folder: Path, body: str, low: int, high: int) -> tuple[Counters, list[str]]:
    """What it took to explore ``int f(unsigned n)``, and the errors."""
    program = folder / "program.c"
    program.write_text(f"{INCLUDE}int f(unsigned n)\n{{\n{body}\n}}\n")
    inputs = InputOptions(entry="f", ranges=(Range("n", low, high),))
    job = ExploreJob(ExploreOptions(program, inputs=inputs))
    job.prepare()
    return job.counters, [note for case in job.cases(Silence()) for note in case.notes]


@pytest.mark.parametrize("kind", [HEAP, STACK], ids=["heap", "stack"])
@pytest.mark.parametrize(
    ("size", "low", "high", "paths", "cuts"),
    [
        ("n", 0, 64, 1, 0),  # however few or many: one object for all
        ("n / 8 + 1", 0, 31, 1, 0),
        ("n", 0, 1000, 1, 1),  # and not an object for each 64 of them
        ("n * 4096", 1, 4, 4, 0),
        ("n * 4096", 1, 8, 8, 0),
        ("n * 4096", 1, 9, 1, 1),
        ("n * 512", 0, 3, 4, 0),
        ("n", 60, 130, 7, 0),  # 60..124 are one path, and the six above one each
        ("(n > 7) * 300 + 8", 0, 1000, 2, 0),
        ("n * 4096", 3, 3, 1, 0),
    ],
)
def test_paths_of_an_allocation(
    kind: str, size: str, low: int, high: int, paths: int, cuts: int, tmp_path: Path
) -> None:
    body = f"    {kind.format(size)}\n    return p != 0;"
    counters, errors = explored(tmp_path, body, low, high)
    assert (counters.paths, counters.cuts, errors) == (paths, cuts, [])


def test_bytes_that_every_size_has_need_no_question(tmp_path: Path) -> None:
    """The object begins with its least size; the byte behind that is asked about."""
    body = "char *p = malloc(n + 3); p[0] = 1; {} return p[0];"
    counted = [
        explored(tmp_path, body.format(more), 0, 9)[0].queries
        for more in ("", "p[1] = 1; p[2] = 1;", "p[3] = 1;")
    ]
    assert counted[0] == counted[1] < counted[2]


def test_the_index_that_is_outside_is_found_at_each_size(tmp_path: Path) -> None:
    """allocated n * 4096, indexed at 5000: wrong for the smallest alone."""
    body = "char *p = malloc(n * 4096); memset(p, 0, n * 4096); return p[5000];"
    counters, errors = explored(tmp_path, body, 1, 4)
    assert (counters.paths, counters.cuts, len(errors)) == (4, 0, 1)
    assert "out-of-bounds" in errors[0]


VERSION = """\
#include <stdlib.h>
int entry(unsigned n)
{{
    char *p = malloc(n * 4096 + {});
    p[n * 4096 + 8] = 1;
    return p != 0;
}}
"""


@pytest.mark.parametrize(("new", "found"), [(8, True), (12, False)])
def test_the_versions_ask_for_different_large_sizes(tmp_path: Path, new: int, found: bool) -> None:
    """One object for both, a path for each n: what is too small for the new version is seen."""
    write_versions(tmp_path, VERSION.format(16), VERSION.format(new))
    words = "build old.c new.c --entry entry --range n=1..4 --time 30"
    done = csgtest(*words.split(), folder=tmp_path)
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["cuts"]) == (0, 0)
    verdict = "different" if found else "equivalent-within-bounds"
    assert done.report["verdict"] == verdict
    kinds = {test["new"]["sanitizer"] for test in done.differing}
    assert kinds == ({"heap-buffer-overflow"} if found else set())


HEADER = """\
#include <stdlib.h>
struct head { char fixed[120]; size_t n; char *data; };
int make(size_t n, size_t at)
{
    struct head *h = malloc(sizeof *h + 2 * (n + 8) - 8);
    if (!h)
        return -1;
    h->n = n;
    h->data = (char *) (h + 1);
    if (at < n) {
        h->data[at] = 1;
        h->data[n + at + 7] = 2;
        n = h->data[at];
    }
    free(h);
    return (int) n;
}
"""


def test_a_size_is_followed_beyond_the_header_that_is_added_to_it(tmp_path: Path) -> None:
    """The sum may wrap around, so the least size is 0."""
    write_versions(tmp_path, HEADER, HEADER.replace("- 8)", "- 10)"))
    done = csgtest("build", "old.c", "new.c", "--entry", "make", "--time", "10", folder=tmp_path)
    assert done.code == 1 and not done.report["counters"]["mispredicted"]
    given = [dict(each["input"]["parameters"]) for each in done.report["tests"] if each["class"]]
    assert any(each["n"] < 64 for each in given)
