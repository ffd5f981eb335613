"""Memory of a state: numbered objects of bytes, copied only when written."""

from symexec.memory.objects import UNDEFINED, AllocationKind, MemoryObject, Run
from symexec.memory.space import Fault, FaultKind, Memory, address_of, offset_of
from symexec.memory.updates import BOTH, NEW, OLD, merged

__all__ = [
    "BOTH",
    "NEW",
    "OLD",
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
