"""The same examples in every run, more of them at night (``HYPOTHESIS_PROFILE=night``);
``HYPOTHESIS_PROFILE=search`` looks for new ones."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from symexec.options import ATTACK_VARIABLE, SAME_CODE_VARIABLE
from symexec.watchdog import collect_rarely
from tests.nightly import DAILY
from tests.repositories import Repository

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes need not compile modules anew

# A verdict without differences is attacked natively in the tests that are about that.
os.environ.setdefault(ATTACK_VARIABLE, "0")
# Tests of the search need no pairs of which the compiler makes different code.
os.environ.setdefault(SAME_CODE_VARIABLE, "1")

settings.register_profile(DAILY, derandomize=True, deadline=None)
settings.register_profile("night", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", DAILY))


def pytest_collection_finish() -> None:
    """Look for cycles as seldom as csgtest itself does, and never among what was collected: that
    took a tenth of the time of tests that only compute."""
    gc.collect()
    gc.freeze()
    collect_rarely()


@pytest.fixture(scope="session", autouse=True)
def quick_linker(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Let gcc link by gold where that is installed: links are a third of the time of a small run,
    and gold takes little more than half as long as GNU's other linker. At night, and in the tests
    of replay, programs are linked as the compiler does for everybody."""
    gold = shutil.which("ld.gold")
    if gold is None or pytestconfig.getoption("markexpr") != "not night":
        yield
        return
    folder = tmp_path_factory.mktemp("linker")
    (folder / "ld").symlink_to(gold)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPILER_PATH", str(folder))
        yield


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """The current folder is its work tree."""
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Repository(folder)
