"""All models written in Python, by the name of the function they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from symexec.environment import (
    admitting,
    allocation,
    blocks,
    comparing,
    descriptors,
    far_jumps,
    files,
    float_reading,
    folders,
    host_math,
    klee,
    listings,
    opening,
    output,
    places,
    printing,
    process,
    reading,
    regular,
    status,
    verifier,
)
from symexec.environment.contract import ModelEntry

FAMILIES = (
    admitting,
    allocation,
    blocks,
    comparing,
    far_jumps,
    descriptors,
    files,
    float_reading,
    folders,
    host_math,
    klee,
    listings,
    opening,
    output,
    places,
    printing,
    process,
    reading,
    regular,
    status,
    verifier,
)


def registry() -> Mapping[str, ModelEntry]:
    """The name of each function to its model; no name has two."""
    found: dict[str, ModelEntry] = {}
    for family in FAMILIES:
        for name, entry in family.models.entries.items():
            assert name not in found, f"{name} is modelled twice"
            found[name] = entry
    return MappingProxyType(found)
