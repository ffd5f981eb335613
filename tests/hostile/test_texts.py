"""A C file may be deep, long or odd: csgtest ends with a verdict or a message, and in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.hostile.judging import is_clean
from tests.hostile.repositories import NAMES
from tests.hostile.texts import TEXTS, Pair
from tests.nightly import every

SECONDS = 120.0  # of which two are for the search, and three for the attack


def by_day(name: str, at: int) -> bool:
    """Each 23rd, but not the longest."""
    return at % 23 == 3 and not name.endswith("50000")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(pair, id=name, marks=[] if by_day(name, at) else pytest.mark.night)
        for at, (name, pair) in enumerate(TEXTS)
    ],
)
def test_a_file_does_no_harm(text: Pair, tmp_path: Path) -> None:
    write_versions(tmp_path, *text())
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "2")
    is_clean(csgtest(*words, folder=tmp_path, seconds=SECONDS))


@pytest.mark.parametrize("name", every(5, [*NAMES.values()]), ids=[*NAMES])
def test_a_name_does_no_harm(name: bytes, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, number in ((old, 1), (new, 2)):
        folder.mkdir()
        with open(bytes(folder) + b"/" + name, "w") as file:
            file.write(f"int f(int x) {{ return x / {number}; }}\n")
    is_clean(
        csgtest(
            "build", "old", "new", "--entry", "f", "--time", "2", folder=tmp_path, seconds=SECONDS
        )
    )
