"""setjmp and longjmp, C17 7.13: a place is noted in the engine, its number in the jmp_buf.

    setjmp(b)        ->  0, and b holds the number of this call
    longjmp(b, 3)    ->  the calls above that one are left, and it returns again: 3

Masks of signals are not kept: nothing is ever blocked by a signal.
"""

from __future__ import annotations

from symexec.environment.contract import (
    Context,
    JumpBack,
    Place,
    Registry,
    SharedModel,
)
from symexec.environment.operands import place, plain
from symexec.expr import Data, compare, ite

models = Registry()

SETTERS = ("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp")


@models.aware(*SETTERS)
def set_jump(context: Context, arguments: tuple[Data, ...]) -> SharedModel:
    address = yield from place(plain(arguments[0]))
    number = yield Place()
    assert isinstance(number, int)
    context.store(address, 8, number)
    return 0


@models.aware("longjmp", "_longjmp", "siglongjmp", "__longjmp_chk")
def jump(context: Context, arguments: tuple[Data, ...]) -> SharedModel:
    """The value may differ between the versions; 0 is turned into 1."""
    address = yield from place(plain(arguments[0]))
    value = arguments[1]
    returned = ite(compare("eq", 32, value, 0), 1, value, 32)
    yield JumpBack(context.load(address, 8), returned)
    return None
