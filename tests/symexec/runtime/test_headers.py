"""Every function that a header of C17 declares has a model, or docs/environment.md says why not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from symexec.runtime.library import load_archive, registry

HEADERS = [
    "stdio",
    "stdlib",
    "string",
    "ctype",
    "math",
    "wchar",
    "wctype",
    "inttypes",
    "setjmp",
    "signal",
    "time",
    "errno",
    "locale",
]
DOCUMENT = Path(__file__).parents[3] / "docs" / "environment.md"
DECLARED = re.compile(r"^/\* \S+:\d+:N\w \*/ .*?[\s*(](\w+) \(", re.MULTILINE)


def declared(header: str, folder: Path) -> set[str]:
    """As the compiler lists them."""
    source, listing = folder / "only.c", folder / "only.txt"
    source.write_text(f"#include <{header}.h>\n")
    command = ["gcc", "-std=c17", "-fsyntax-only", "-aux-info", str(listing), str(source)]
    subprocess.run(command, check=True)
    return set(DECLARED.findall(listing.read_text()))


def is_alias(name: str, names: set[str]) -> bool:
    """``__sin`` beside ``sin``: glibc's own name, which no macro uses."""
    return name.startswith("__") and name[2:] in names


def reasoned() -> set[str]:
    """The names in the table of what has no model."""
    text = DOCUMENT.read_text().split("## What C17 declares and has no model")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_what_has_no_model_is_told_with_its_reason(tmp_path: Path) -> None:
    known = set(load_archive()) | set(registry())
    missing: set[str] = set()
    for header in HEADERS:
        names = declared(header, tmp_path)
        missing |= {name for name in names - known if not is_alias(name, names)}
    assert missing == reasoned()


@pytest.mark.parametrize(
    ("header", "name"), [("stdio", "fscanf"), ("math", "fmal"), ("time", "mktime")]
)
def test_the_compiler_lists_what_a_header_declares(header: str, name: str, tmp_path: Path) -> None:
    assert name in declared(header, tmp_path)
