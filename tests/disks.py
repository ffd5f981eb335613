"""Small disks, where the tests may mount them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of a megabyte in the folder. The test is skipped where nothing can be mounted."""
    disk = folder / "small"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)
