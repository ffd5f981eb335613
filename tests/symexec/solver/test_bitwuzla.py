"""What is particular to the library behind a back end."""

from __future__ import annotations

import gc

import pytest

from symexec.solver import bitwuzla_backend
from symexec.solver.bitwuzla_backend import BitwuzlaBackend


def test_one_that_is_half_made_goes_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an interruption leaves it."""
    monkeypatch.setattr(bitwuzla_backend, "Lowering", None)
    unraised: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", unraised.append)
    with pytest.raises(TypeError):
        BitwuzlaBackend()
    gc.collect()
    assert unraised == []
