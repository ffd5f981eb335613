"""All models written in Python, by the name of the function they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from symexec.runtime import allocation, blocks, host_library, intrinsics, process
from symexec.runtime.contract import ModelEntry
from symexec.runtime.filesystem import descriptors, files, folders, paths, status
from symexec.runtime.formats import float_reading
from symexec.runtime.regex import matching
from symexec.runtime.stdio import opening, printing, reading

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
    matching,
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
