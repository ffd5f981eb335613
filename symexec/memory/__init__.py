"""Memory of a state: numbered objects of bytes, copied only when written."""

from symexec.memory.objects import (
    BOTH,
    NEW,
    OLD,
    PADDING,
    UNDEFINED,
    AllocationKind,
    MemoryObject,
    Run,
    merged,
)
from symexec.memory.space import Fault, FaultKind, Memory, address_of, offset_of

__all__ = [
    "BOTH",
    "NEW",
    "OLD",
    "PADDING",
    "UNDEFINED",
    "AllocationKind",
    "Fault",
    "FaultKind",
    "Memory",
    "MemoryObject",
    "Run",
    "address_of",
    "merged",
    "offset_of",
]
