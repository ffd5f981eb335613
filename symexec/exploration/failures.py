"""Say what an input lacked where both versions fail alike.

    int value_of(struct node *n) { return ((struct wide *) n)->value; }

A test that gives ``n`` the bytes of a ``struct node`` ends both versions here: out-of-bounds. A
caller's object may be larger, and what comes behind was not compared.
"""

from __future__ import annotations

from symexec.memory import FaultKind
from symexec.state.endings import MemoryFault


def lacking(fault: MemoryFault) -> str:
    """The error, and what tests lack if it is about an object that they make."""
    text = f"both versions fail: {fault.kind}"
    if not fault.given:
        return text
    match fault.kind:
        case FaultKind.OUT_OF_BOUNDS:
            needed = "a larger object"
        case FaultKind.BAD_FREE:
            needed = "an object from malloc"
        case _:
            return text
    return f"{text} ({fault.what}): tests lack {needed} behind '{fault.given}'"
