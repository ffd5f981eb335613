"""All models written in Python, by the name of the function they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from symexec.environment import (
    allocation,
    blocks,
    descriptors,
    files,
    float_reading,
    folders,
    host_library,
    intrinsics,
    opening,
    paths,
    printing,
    process,
    reading,
    regular,
    status,
)
from symexec.environment.contract import ModelEntry

FAMILIES = (
    allocation,
    blocks,
    descriptors,
    files,
    float_reading,
    folders,
    host_library,
    intrinsics,
    opening,
    paths,
    printing,
    process,
    reading,
    regular,
    status,
)


def registry() -> Mapping[str, ModelEntry]:
    """The name of each function to its model; no name has two."""
    found: dict[str, ModelEntry] = {}
    for family in FAMILIES:
        for name, entry in family.models.entries.items():
            assert name not in found, f"{name} is modelled twice"
            found[name] = entry
    return MappingProxyType(found)
