"""Memory of a state: numbered objects of bytes, copied only when written."""

from symexec.memory.objects import UNDEFINED, MemoryObject, merged
from symexec.memory.space import BOTH, NEW, OLD, Fault, Memory, address_of, offset_of

__all__ = [
    "BOTH",
    "NEW",
    "OLD",
    "UNDEFINED",
    "Fault",
    "Memory",
    "MemoryObject",
    "address_of",
    "merged",
    "offset_of",
]
