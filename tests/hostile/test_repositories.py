"""A stranger's repository runs no program, writes nothing outside of the output folder, and ends
with a verdict or one message that a terminal can show."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command_line import csgtest
from tests.hostile.judging import is_clean
from tests.hostile.repositories import HARM, REPOSITORIES, Make
from tests.nightly import every

SECONDS = 60.0  # a run has three seconds for its search; the rest is for builds


NAMES = [name for name, _ in REPOSITORIES]


@pytest.mark.parametrize("make", every(13, [make for _, make in REPOSITORIES]), ids=NAMES)
def test_a_repository_does_no_harm(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "stranger"
    make(folder)
    done = csgtest(
        "build", "main~1..main", "--time", "3", folder=folder, seconds=SECONDS,
        environment={"GIT_CONFIG_NOSYSTEM": "1"},
    )  # fmt: skip
    harmed = [str(each) for each in tmp_path.rglob(HARM)]
    assert not harmed and not Path("/tmp", HARM).exists()
    is_clean(done)


def test_a_repository_with_a_filter_is_read_as_it_is(tmp_path: Path) -> None:
    """The control: with git's own checkout the program runs."""
    folder = tmp_path / "stranger"
    dict(REPOSITORIES)["config: smudge"](folder)
    subprocess.run(["git", "-C", str(folder), "checkout", "-q", "--force", "main"], check=True)
    assert (folder / HARM).exists()
