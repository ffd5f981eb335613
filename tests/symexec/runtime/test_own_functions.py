"""A library function that the program defines itself weakens a verdict where a run can come to it.

char *strdup(const char *s) { return 0; }     int f(int x) { .. }    f calls it, or nobody does
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.nightly import daily

OWN = {
    "strdup": ("char *strdup(const char *s) { return (char *) s; }", '*strdup("a")'),
    "toupper": ("int toupper(int c) { return c & 95; }", "toupper(x)"),
    "labs": ("long labs(long x) { return x < 0 ? -x : x; }", "(int) labs(x)"),
    "getpid": ("int getpid(void) { return 7; }", "getpid()"),
}
# How f comes to the function: by its name, through another one, by its address, from a table.
WAYS = {
    "by its name": ("", "{call}"),
    "through another function": ("static int g(int x) {{ return {call}; }}", "g(x)"),
    "from a table": (
        "static int g(int x) {{ return {call}; }} static int (*const t[])(int) = {{ g }};",
        "t[x & 0](x)",
    ),
}
UNUSED = "int other(int x) {{ return {call}; }} int (*shown)(int) = other;"
F = "int f(int x) {{ int r = {value}; return x == 3 ? r MORE : r; }}"
NAMES = daily(OWN, 1)


def said(texts: tuple[str, str], call: str, value: str, folder: Path) -> tuple[str, list[str]]:
    """The verdict of a rewording of f, and what withdraws it."""
    own, before = texts
    text = own + before.format(call=call) + F.format(value=value.format(call=call))
    write_versions(folder, text.replace("MORE", "+ 0"), text.replace("MORE", "- 0"))
    words = ("--entry", "f", "--time", "10", "--attack", "0", "--quiet")
    report = csgtest("build", "old.c", "new.c", *words, folder=folder).report
    return report["verdict"], [each["text"] for each in report["omissions"]]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_what_a_run_comes_to_is_an_omission(name: str, way: str, tmp_path: Path) -> None:
    own, call = OWN[name]
    before, value = WAYS[way]
    verdict, texts = said((own, before), call, value, tmp_path)
    assert verdict == "no-difference-found"
    assert any(f"'{name}' is the program's own" in each for each in texts), texts


@pytest.mark.parametrize("name", NAMES)
def test_what_no_run_comes_to_is_none(name: str, tmp_path: Path) -> None:
    own, call = OWN[name]
    assert said((own, UNUSED), call, "x", tmp_path) == ("equivalent-within-bounds", [])
