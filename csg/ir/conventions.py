"""As what a call passes its arguments and takes its result (System V ABI for x86-64).

    long f(int, double)     Convention((number 32, fraction 64), number 64)
    f(1, 2.5), implicit     Convention((number 32, fraction 64), number 32, open-ended)

A call and the function that it runs may disagree: where a header is missing, where a file declares
a function of another type, and where a pointer to a function is cast.
"""

from __future__ import annotations

from enum import Enum

from csg.records import record


class Passed(Enum):
    """As which kind of value an argument is passed and taken."""

    NUMBER = "number"
    FRACTION = "fraction"
    ADDRESS = "address"
    RECORD = "record"


RETURNED = "returned: "  # before the layout of a struct whose place a call passes


@record
class Kind:
    """The kind of one argument or result. ``layout`` tells one struct from another."""

    passed: Passed
    bits: int
    signed: bool = False
    layout: str = ""


@record
class Convention:
    """``parameters``: of a call all of its arguments, of a function those that have names. A struct
    that is returned comes first, as the address of its place. ``result`` is None without a value.
    ``variadic``: the function takes more arguments; the call may pass more."""

    parameters: tuple[Kind, ...]
    result: Kind | None
    variadic: bool = False

    @property
    def returns_record(self) -> bool:
        return bool(self.parameters) and self.parameters[0].layout.startswith(RETURNED)
