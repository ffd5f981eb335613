"""The measured kernels (`make bench`): what they explore and print; no gross loss of speed."""

from __future__ import annotations

import pytest

from benchmarks.run import TABLE, Kernel, measured

SLOWEST = "brake_controller.c"
SLACK = 4  # a loaded machine needs that much more


@pytest.mark.parametrize(
    "kernel",
    [
        pytest.param(each, id=each.file, marks=pytest.mark.night if each.file == SLOWEST else [])
        for each in TABLE
    ],
)
def test_a_kernel_has_its_paths_and_its_output(kernel: Kernel) -> None:
    result = measured(kernel, 1)
    assert not result.trouble
    assert kernel.target is None or result.median <= SLACK * kernel.target
