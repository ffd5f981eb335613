"""Where programs are built that run in the sandbox."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module", autouse=True)
def linker_of_the_compiler() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COMPILER_PATH", raising=False)
        yield


@pytest.fixture(scope="module")
def builds() -> Iterator[Path]:
    """A folder that the sandbox's user can read, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
