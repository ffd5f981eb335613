"""A store to what a caller may have as a constant is left out, and so is a constant that callers
may have written to; gcc's binaries say that both make a difference."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from symexec.exploration.preparation import analysed, lower, read_versions
from symexec.options import BuildOptions, InputOptions
from tests.command_line import csgtest, write_versions

PARAMETERS = {  # what is passed, what is written to and restored, and a constant
    "text": ("const char *s", "char *w = (char *) s;", "*w", '"ab"'),
    "found text": ("const char *s", "char *w = strchr(s, 'b');", "*w", '"ab"'),
    "numbers": ("const int *s", "int *w = (int *) s + 1;", "*w", "numbers"),
    "structure": ("const struct p *s", "struct p *w = (struct p *) s;", "w->b", "&pair"),
    "member": ("struct q *s", "char *w = (char *) s->text;", "*w", "&holder"),
    "array of texts": ("const char **s", "char *w = (char *) s[0];", "*w", "texts"),
}
HEAD = """\
#include <string.h>
struct p { int a, b; };
struct q { int n; const char *text; };
"""
CONSTANTS = """\
#include <stdio.h>
static const int numbers[2] = {1, 2};
static const struct p pair = {1, 2};
static struct q holder = {1, "ab"};
static const char *texts[1] = {"ab"};
"""


def run(folder: Path, text: str, caller: str) -> int:
    """The exit status of a caller of one version."""
    file = folder / "whole.c"
    file.write_text(text + caller)
    subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", folder / "whole", file], check=True)
    return subprocess.run([folder / "whole"], check=False, capture_output=True).returncode


def left_out(folder: Path, old: str, new: str) -> list[str]:
    options = BuildOptions(
        *write_versions(folder, old, new), inputs=InputOptions("run"), replay=False
    )
    prepared = analysed(lower(read_versions(options), options), options)
    return [each.text for each in prepared.outliving.events]


@pytest.mark.parametrize("what", PARAMETERS)
def test_a_store_to_what_may_be_constant_is_left_out(what: str, tmp_path: Path) -> None:
    parameter, pointer, place, constant = PARAMETERS[what]
    start = f"{HEAD}int run({parameter})\n{{\n    {pointer}\n"
    old = f"{start}    return {place};\n}}\n"
    new = f"{start}    int kept = {place};\n    {place} = 0;\n    {place} = kept;\n"
    new += f"    return {place};\n}}\n"
    caller = f"{CONSTANTS}int main(void) {{ return run({constant}) < 0; }}\n"
    assert run(tmp_path, old, caller) == 0
    assert run(tmp_path, new, caller) < 0
    assert any("a pointer to const" in each for each in left_out(tmp_path, old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the same store in both versions fails in both
        (
            "int run(const char *s) { *(char *) s = 0; return *s + 1; }",
            "int run(const char *s) { *(char *) s = 0; return 1 + *s; }",
        ),
        (
            "int run(const int *s, int *to) { *to = *s + 1; return 0; }",
            "int run(const int *s, int *to) { *to = 1 + *s; return 0; }",
        ),
        (
            "struct q { int n; const char *t; }; int run(struct q *s) { s->n = 1; return 1; }",
            "struct q { int n; const char *t; }; int run(struct q *s) { s->n = 2 - 1; return 1; }",
        ),
    ],
)
def test_other_stores_are_none_of_these(old: str, new: str, tmp_path: Path) -> None:
    assert not any("a pointer to const" in each for each in left_out(tmp_path, old, new))


@pytest.mark.parametrize(
    "text",
    [
        "int *run(void)\n{\n    static $int t[2] = {1, 2};\n    return (int *) t;\n}\n",
        "$int t = 3;\nint *run(void)\n{\n    return (int *) &t;\n}\n",
        'char *run(void)\n{\n    static $char t[] = "ab";\n    return (char *) t;\n}\n',
    ],
    ids=["local", "global", "text"],
)
def test_an_object_that_becomes_constant_is_left_out(text: str, tmp_path: Path) -> None:
    old, new = (text.replace("$", each) for each in ("", "const "))
    caller = "int main(void) { run()[0] = 5; return 0; }\n"
    assert run(tmp_path, old, caller) == 0
    assert run(tmp_path, new, caller) < 0
    write_versions(tmp_path, old, new)
    words = ("build", "old.c", "new.c", "--entry", "run", "--time", "20", "--attack", "1")
    done = csgtest(*words, folder=tmp_path)
    assert done.report["verdict"] == "no-difference-found"
    assert not done.report["counters"]["mispredicted"]
    assert any("is constant in one version" in each["text"] for each in done.report["omissions"])
