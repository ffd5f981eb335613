"""An input of the program under test: which symbols stand for it.

int f(int x, char *s)      Input("parameter", "x", "int", 32, (x,), signed=True)
                           Input("string", "s", "char", 8, (s[0], s[1], 0))
"""

from __future__ import annotations

from csg.records import record
from symexec.expr import Operand


@record
class Input:
    """One input and its elements, each of ``width`` bits.

    ``kind``: parameter, string, array, global, argument (bytes, ended by the first 0), stdin
    (bytes; ``size`` says how many there are), object (klee_make_symbolic; bytes or one whole
    value), nondet; null and structure tell where a pointer leads, and have no terms. ``type`` is
    the C text of an element. ``order`` numbers objects and nondet values as the program asks for
    them. ``scalar``: the value is the element, not a list of one.
    """

    kind: str
    name: str
    type: str
    width: int
    terms: tuple[Operand, ...]
    signed: bool = False
    floating: bool = False
    size: Operand | None = None
    order: int = 0
    scalar: bool = False
