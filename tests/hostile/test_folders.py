"""A stranger's output folder is shown, or refused with a message; no command hangs or breaks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.command_line import csgtest, pair
from tests.hostile.folders import CHANGES, Change
from tests.hostile.judging import is_clean
from tests.nightly import every

COMMANDS = (
    "show there",
    "show there --json",
    "accept --from there",
    "accept --from there g1 --reason x --accepted accepted.json",
    "export there --as sarif",
    "export there --as junit",
    "export there --as markdown",
    "export there --as github",
    "export there --as testcomp -o inputs",
    "emit there --as c -o tests",
    "replay there",
)
SECONDS = 20.0  # for each of them, where reading takes a moment


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    done = csgtest("build", *pair("cut_ranges"), "--time", "6", folder=folder)
    assert done.code == 1, done.err
    return folder / "csgtest-out"


@pytest.mark.parametrize(
    "change", every(41, [change for _, change in CHANGES]), ids=[name for name, _ in CHANGES]
)
def test_a_changed_folder_does_no_harm(change: Change, finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "there")
    change(tmp_path / "there")
    for command in COMMANDS:
        is_clean(csgtest(*command.split(), folder=tmp_path, seconds=SECONDS))


@pytest.mark.parametrize("verdict", ["equivalent-within-bounds", "no-change", "different"])
def test_a_verdict_that_the_tests_deny_is_refused(
    verdict: str, finished: Path, tmp_path: Path
) -> None:
    shutil.copytree(finished, tmp_path / "there")
    place = tmp_path / "there" / "report.json"
    report = json.loads(place.read_text())
    report |= {"verdict": verdict, "groups": []}
    if verdict == "different":
        report["tests"] = [each for each in report["tests"] if each["observed"] != "different"]
    place.write_text(json.dumps(report))
    for command in ("show there", "export there --as markdown", "accept --from there"):
        done = csgtest(*command.split(), folder=tmp_path, seconds=SECONDS)
        assert done.code == 2 and "is no report of csgtest (it calls" in done.err, done.err
