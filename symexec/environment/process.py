"""How a program ends itself: exit, abort, a failed assertion; and what it runs on. C17 7.22.4, 7.2.

exit(3)      handlers run first (libc/exit.c), then the path ends with Exit(3)
assert(0)    AssertionFailed("0", where it stands)
"""

from __future__ import annotations

from csg.source import Location
from symexec.environment import host_library
from symexec.environment.contract import Arguments, Context, End, Model, Registry
from symexec.environment.operands import Asking, pin, place
from symexec.environment.streams import discard_pending
from symexec.environment.strings import read_string, write_bytes
from symexec.expr import Operand
from symexec.state.endings import Aborted, AssertionFailed, Exit, Killed, Trapped

models = Registry()


@models("__csgtest_exit")
def leave(context: Context, arguments: Arguments) -> Model:
    yield End(Exit(arguments[0]))
    return None


@models("_exit", "_Exit")
def leave_at_once(context: Context, arguments: Arguments) -> Model:
    """What streams have not written yet is lost."""
    discard_pending(context)
    yield End(Exit(arguments[0], at_once=True))
    return None


@models("abort", "__csgtest_abort")
def give_up(context: Context, arguments: Arguments) -> Model:
    yield End(Aborted())
    return None


@models("__csgtest_killed")
def be_killed(context: Context, arguments: Arguments) -> Model:
    """By a signal that the process sends to itself. What streams have not written yet is lost."""
    number = yield from pin(arguments[0], "a signal")
    discard_pending(context)
    yield End(Killed(number))
    return None


@models("__builtin_trap", "__csgtest_trap")
def trap(context: Context, arguments: Arguments) -> Model:
    yield End(Trapped("__builtin_trap"))
    return None


@models("__csgtest_assert_fail", "__assert_fail")
def fail_assertion(context: Context, arguments: Arguments) -> Model:
    text = yield from known_text(context, arguments[0])
    file = yield from known_text(context, arguments[1])
    line = yield from pin(arguments[2], "the line of an assertion")
    yield End(AssertionFailed(text, Location(file, line)))
    return None


@models("__csgtest_library_version")
def library_version(context: Context, arguments: Arguments) -> Model:
    """Into a buffer of so many bytes: what gnu_get_libc_version says, or, of a third argument that
    is not 0, gnu_get_libc_release."""
    release = yield from pin(arguments[2], "which version of the library")
    room = yield from pin(arguments[1], "the room for a version")
    address = yield from place(arguments[0])
    write_bytes(context, address, [*host_library.version(bool(release))[: room - 1], 0])
    return 0


def known_text(context: Context, pointer: Operand) -> Asking[str]:
    """A message: symbolic bytes in it are shown as question marks."""
    address = yield from place(pointer)
    if address == 0:
        return ""
    found = yield from read_string(context, address)
    known = bytes(byte if isinstance(byte, int) else ord("?") for byte in found)
    return known.decode("utf-8", "replace")
