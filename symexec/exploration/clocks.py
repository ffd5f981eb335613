"""Find where a change meets what the system says of itself: the time, the user's number, what the
standard streams are (``standard_streams``); and where it meets signals from outside.

    if (time(0) > DEADLINE)         the search and its tests have one time each; at another time
        price *= 2;     // * 3      the changed line is run

Whatever the clock says, versions stay alike if they are at the time of the search, unless a change
depends on it, or something depends on both. Each such place is an omission.

    signal(SIGINT, SIG_IGN);        no test is interrupted: which signals end a program, and which
                                    are handled, is an omission where the call itself has changed
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from csg.ir import Program
from csg.language.syntax import FunctionDefinition, Member
from csg.language.traversal import walk
from symexec.exploration.depending import (
    Influence,
    changed_vertices,
    named_calls,
)
from symexec.exploration.standard_streams import StandardStreams, asks_of_streams
from symexec.ledger import Omission, Reason

_CLOCK = "another time"
_USER = "another user"
_STATUS = ("stat", "fstat", "lstat", "fstatat", "stat64", "fstat64", "lstat64", "fstatat64")
_SAYING: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                "time",
                "clock",
                "clock_gettime",
                "gettimeofday",
                "getrusage",
                "ftime",
                "times",
                "timespec_get",
            ),
            _CLOCK,
        ),
        **dict.fromkeys(
            (
                "clock_getres",
                "getdtablesize",
                "getrlimit",
                "getrlimit64",
                "sysconf",
                "timespec_getres",
            ),
            "another system",
        ),
        **dict.fromkeys(_STATUS, _CLOCK),
        **dict.fromkeys(
            ("getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid"), _USER
        ),
    }
)
_OF_TERMINALS = frozenset(
    (
        "ioctl",
        "isatty",
        "tcgetattr",
        "tcgetpgrp",
        "tcgetsid",
        "tcsetattr",
        "ttyname",
        "ttyname_r",
    )
)
_SETTING = frozenset(
    (
        "__sysv_signal",
        "bsd_signal",
        "pthread_sigmask",
        "sigaction",
        "sigblock",
        "sighold",
        "sigignore",
        "siginterrupt",
        "signal",
        "sigprocmask",
        "sigrelse",
        "sigset",
        "sigsetmask",
        "sysv_signal",
    )
)


def asking(program: Program) -> Iterator[str]:
    """The names of the functions that the program calls, and that answer otherwise in each run."""
    return (name for name, _, _ in named_calls(program) if name in _SAYING)


def _who_answers(name: str, times: bool) -> str | None:
    """Who or what may give another answer of this function, if anything may. ``times``: the program
    looks at the times of files."""
    if name in _OF_TERMINALS:
        return "a terminal"
    return None if name in _STATUS and not times else _SAYING.get(name)


def beyond_now(influence: Influence, functions: Iterable[FunctionDefinition]) -> Iterator[Omission]:
    """The calls that ask for the time, the user or a standard stream, where a change depends on the
    answer or meets it. ``functions``: those of the program."""
    program, dependences = influence.program, influence.dependences
    calls = influence.library_calls()
    times = any(name in _STATUS for name, _, _ in calls) and _look_at_times(functions)
    asks = any(asks_of_streams(name) for name, _, _ in calls)
    streams = StandardStreams(program, dependences) if asks else None
    for name, place, call in calls:
        other = streams.who_answers(name, place, call) if streams is not None else None
        other = other or _who_answers(name, times)
        if other is None:
            continue
        if influence.meets_answer(name, place):
            text = f"the search has one answer of {name}; {other} may give another one"
            yield Omission(Reason.APPROXIMATED, text, program.nodes[call.node].location)


def beyond_silence(influence: Influence) -> Iterator[Omission]:
    """The calls that say what a signal does, where they have changed themselves. Where they say
    something else because of a change elsewhere, paths show it."""
    program, dependences = influence.program, influence.dependences
    calls = [each for each in named_calls(program) if each[0] in _SETTING]
    changed = changed_vertices(program, dependences) if calls else set()
    for name, place, call in calls:
        changes = program.nodes[call.node].changes
        if changes or dependences.vertices.instruction(place) in changed:
            text = f"{name} has changed, and no test has signals from outside"
            yield Omission(Reason.APPROXIMATED, text, program.nodes[call.node].location)


def _look_at_times(functions: Iterable[FunctionDefinition]) -> bool:
    """Does anyone look at the times of a file?"""
    return any(
        isinstance(each, Member) and each.field.name in ("st_atim", "st_ctim", "st_mtim")
        for function in functions
        for each in walk(function.body)
    )
