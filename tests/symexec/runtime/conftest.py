"""The models in C as functions that run natively, compiled once."""

from __future__ import annotations

import ctypes

import pytest

from oracles.reference.native_models import renamed_models


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return renamed_models(tmp_path_factory.mktemp("models"))
