"""Verdicts rely on small models of library functions, and not on large ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.frontend.files import parse_text
from csg.lower import lower
from symexec.runtime import library, sampled

SOURCES = Path(library.__file__).parent / "libc"


def test_what_is_named_is_there() -> None:
    effects = library.declared_effects()
    assert effects.keys() >= sampled._FUNCTIONS | sampled._SMALL
    assert {each.name for each in SOURCES.iterdir()} >= sampled._SOURCES
    assert sampled._FUNCTIONS.isdisjoint(sampled._SMALL)


@pytest.mark.parametrize(
    ("name", "call", "expected"),
    [
        ("fnmatch", 'fnmatch("a", s, 0)', True),
        ("sscanf", 'sscanf(s, "%d", &n)', True),
        ("regexec", "regexec(p, s, 0, 0, 0)", True),
        ("strtod", "strtod(s, 0)", True),
        ("wcstol", "wcstol((wchar_t *) s, 0, 10)", True),
        ("wcslen", "wcslen((wchar_t *) s)", False),
        ("strtol", "strtol(s, 0, 10)", False),
        ("strchr", "strchr(s, 65) != 0", False),
    ],
)
def test_large_models_are_sampled(name: str, call: str, expected: bool) -> None:
    headers = ("fnmatch", "regex", "stdio", "stdlib", "string", "wchar")
    text = "".join(f"#include <{each}.h>\n" for each in headers)
    text += f"int f(const char *s, regex_t *p) {{ int n; (void) n; (void) p; return {call}; }}"
    program = lower([parse_text(text)], entry="f")
    library.complete(program)
    assert sampled.is_sampled(name, program) is expected


def test_a_function_of_the_program_is_none() -> None:
    program = lower(
        [parse_text("int getopt(int x) { return x; } int f(int x) { return getopt(x); }")],
        entry="f",
    )
    library.complete(program)
    assert not sampled.is_sampled("getopt", program)
