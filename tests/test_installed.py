"""The package as others get it: installed by the step of the action into an environment of its own,
from the tracked files alone, and used from another folder."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.command_line import Done, pair, read_report
from tests.test_ci import CLAMP, HARMFUL, MAKEFILE, ROOT, Action, executed, git

STEP = "Install csgtest"
UNREACHABLE = ("No matching distribution found", "Could not find a version", "connection")


def installed(place: Path) -> Action:
    """Skips the test where pip reaches no package index."""
    source = place / "source"
    for name in git(ROOT, "ls-files", "-z").split("\0"):
        if name and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    action = Action(place, place, {})
    for name in ("PYTHONPATH", "VIRTUAL_ENV"):
        action.variables.pop(name, None)
    made_with = Path(os.path.realpath(sys.executable)).parent  # and sees nothing of our own
    action.variables["PATH"] = f"{made_with}:{os.defpath}"
    action.variables["GITHUB_ACTION_PATH"] = str(source)
    steps = [each["name"] for each in action.read["runs"]["steps"] if each["name"] != STEP]
    (done,) = action.run({}, skipped=steps)
    if done.code and any(each in done.err for each in UNREACHABLE):
        pytest.skip("pip reaches no package index: what others install is not tested")
    assert done.code == 0, done.err
    return action


def ran(installed: Action, words: str, folder: Path) -> Done:
    path = installed.files["path"].read_text().strip()
    variables = {**installed.variables, "PATH": f"{path}:{installed.variables['PATH']}"}
    return executed(words, folder, variables)


def test_it_works_where_others_install_it(tmp_path: Path) -> None:
    """One test, for to install takes half of the time."""
    for name in ("place", "files", "repository"):
        (tmp_path / name).mkdir()
    package = installed(tmp_path / "place")
    everything_is_there(package)
    files_are_compared(package, tmp_path / "files")
    revisions_are_compared(package, tmp_path / "repository")


def everything_is_there(installed: Action) -> None:
    done = ran(installed, 'python -c "import csg; print(csg.__path__[0])"', installed.checkout)
    packages = Path(done.out.strip()).parent
    assert packages.is_relative_to(installed.checkout)
    for name in git(ROOT, "ls-files", "csg", "symexec", "fleet", "cli.py").splitlines():
        if (ROOT / name).is_file():
            assert (packages / name).read_bytes() == (ROOT / name).read_bytes(), name


def files_are_compared(installed: Action, folder: Path) -> None:
    for name, file in zip(("old.c", "new.c"), pair("plus_two"), strict=True):
        shutil.copy(file, folder / name)
    done = ran(installed, "csgtest build old.c new.c --time 30 --quiet", folder)
    assert done.code == 1, done.err
    assert read_report(folder / "csgtest-out")["verdict"] == "different"
    assert "<svg" in (folder / "csgtest-out" / "report.html").read_text()
    done = ran(installed, "csgtest emit --as c; csgtest graph old.c new.c", folder)
    assert done.code == 0 and " of differences" in done.out, done.err


def revisions_are_compared(installed: Action, folder: Path) -> None:
    """With the models of the C library, and the helpers that are compiled for a build."""
    git(folder, "init", "-q")
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "clamp.c").write_text(CLAMP)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    (folder / "clamp.c").write_text(HARMFUL)
    done = ran(installed, "csgtest build --time 30 --quiet", folder)
    assert done.code == 1 and "SIGABRT" in done.out, done.err
