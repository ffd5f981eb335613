"""What is compared at the end is what a caller sees, by the model as well as natively."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions
from tests.command_line import write_versions
from tests.jobs import finished

SAME, OTHER = "equivalent-within-bounds", "different"

TEXTS = 'const char *f(int x) { return x > 3 ? "big" : "small"; }'
PLACES = "static int a[2]; int *f(int x) { return x > 3 ? 0 : a; }"
CUT = "void f(char *s) { s[0] = 0; }"
TOTAL = """
int f(int x)
{
    int total = 0, c;
    while ((c = getchar()) != EOF)
        total += c;
    return total + x;
}
"""
BY_LINES = """
int f(int x)
{
    char line[8];
    while (fgets(line, sizeof line, stdin))
        for (char *p = line; *p; p++)
            x += (unsigned char) *p;
    return x;
}
"""
BEHIND = """
char *f(int x)
{
    char *p = malloc(4);
    p[0] = 'a', p[1] = 0, p[2] = x;
    return p;
}
"""
KEPT = BEHIND.replace("return p", "kept.text = p").replace(
    "char *f", "struct { char *text; } kept; void f"
)


@pytest.mark.parametrize("text", [BEHIND, KEPT])
@pytest.mark.parametrize(
    ("change", "equal"),
    [
        ("p[2] = x, p[2] ^= 1", False),
        ("p[2] = 7", False),
        ("p[2] = 1 * x", True),
        ("p = realloc(p, 8), p[2] = x, p[7] = 1", False),  # a larger object
        ('free(p), p = malloc(4), strcpy(p, "a")', True),  # not initialised in one version
        ('free(p), p = strdup("a")', False),  # a smaller one
        ("free(p), p = calloc(1, 4), p[0] = 'a'", False),  # 0, not x
        ("free(p), p = calloc(1, 4), p[0] = 'a', p[2] = x", True),
    ],
)
def test_what_lies_behind_a_text_is_left_out(
    text: str, change: str, equal: bool, tmp_path: Path
) -> None:
    heads = "#include <stdlib.h>\n#include <string.h>\n"
    files = write_versions(tmp_path, heads + text, heads + text.replace("p[2] = x", change))
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False)))
    assert job.verdict == (SAME if equal else "no-difference-found")


ALL = 'char all[] = "small\\0big"; const char *f(int x) { return x > 3 ? all + 6 : all; }'


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (TEXTS, f"static const {ALL}", SAME),
        (TEXTS, ALL, "no-difference-found"),  # others can write to it
        (TEXTS, TEXTS.replace("big", "bigger"), OTHER),
        (TEXTS, TEXTS.replace('"big"', "0"), OTHER),
        (PLACES, PLACES.replace(": a", ": a + 1"), OTHER),
        (PLACES, PLACES.replace("x > 3", "x > 4"), OTHER),
        (CUT, CUT.replace("s[0] = 0", "*s = 0"), SAME),
        (CUT, CUT.replace("s[0] = 0", "s[0] = 0; s[1] = 7"), OTHER),
        (TOTAL, BY_LINES, OTHER),  # a line with a 0 in it
        (TOTAL, TOTAL.replace("getchar()", "fgetc(stdin)"), SAME),
        (TOTAL, TOTAL.replace("c = getchar()", "c = x ? fgetc(stdin) : getc(stdin)"), SAME),
    ],
)
def test_versions_differ_by_what_their_caller_sees(
    old: str, new: str, verdict: str, tmp_path: Path
) -> None:
    head = "#include <stdio.h>\n"
    files = write_versions(tmp_path, f"{head}{old}\n", f"{head}{new}\n")
    inputs = InputOptions("f", array_length=2, stdin=2 if "stdin" in new else None)
    job = finished(BuildJob(BuildOptions(*files, inputs=inputs, unsandboxed=True)))
    assert job.verdict == verdict
    assert job.mispredicted == []
