"""The same examples in every run; ``HYPOTHESIS_PROFILE=search`` looks for new ones."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

from cli import COLLECT
from tests.repositories import Repository

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes need not compile modules anew

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_collection_finish() -> None:
    """Look for cycles as seldom as csgtest itself does, and never among what was collected: that
    took a tenth of the time of tests that only compute."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT, 20, 50)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """The current folder is its work tree."""
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Repository(folder)
