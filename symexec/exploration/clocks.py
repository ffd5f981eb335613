"""Find where a change meets what the system says of itself: the time, and the user's number.

    if (time(0) > DEADLINE)         the search and its tests have one time each; at another time
        price *= 2;     // * 3      the changed line is run

Whatever the clock says, versions stay alike if they are at the time of the search, unless a change
depends on it, or something depends on both. Each such place is an omission.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from csg.analysis import DependenceGraph
from csg.analysis.constraints import Place
from csg.ir import Call, Program
from csg.language.syntax import FunctionDefinition, Member
from csg.language.traversal import walk
from symexec.exploration.depending import Influence, own_functions
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


def asking(program: Program) -> Iterator[tuple[str, Place, Call]]:
    """The calls of the program's own functions that ask the system: the name, and where."""
    for name in own_functions(program):
        for block in program.functions[name].blocks:
            for at, step in enumerate(block.instructions):
                callee = step.callee if isinstance(step, Call) else None
                if isinstance(step, Call) and isinstance(callee, str) and callee in _SAYING:
                    yield callee, (name, block.index, at), step


def beyond_now(influence: Influence, functions: Iterable[FunctionDefinition]) -> Iterator[Omission]:
    """The calls that ask for the time or the user, where a change depends on the answer or meets
    it. ``functions``: those of the program."""
    program, dependences = influence.program, influence.dependences
    calls = [*asking(program)]
    if any(name in _STATUS for name, _, _ in calls) and not _look_at_times(functions):
        calls = [each for each in calls if each[0] not in _STATUS]
    if not calls:
        return
    for name, place, call in calls:
        answer = {dependences.vertices.instruction(place), *_inside(program, dependences, name)}
        if not influence.of_changes().isdisjoint(influence.of(answer)):
            text = f"the search has one answer of {name}; {_SAYING[name]} may give another one"
            yield Omission(Reason.APPROXIMATED, text, program.nodes[call.node].location)


def _look_at_times(functions: Iterable[FunctionDefinition]) -> bool:
    """Does anyone look at the times of a file?"""
    return any(
        isinstance(each, Member) and each.field.name in ("st_atim", "st_ctim", "st_mtim")
        for function in functions
        for each in walk(function.body)
    )


def _inside(program: Program, dependences: DependenceGraph, name: str) -> Iterator[int]:
    """The vertices of a function of the library whose code is analysed."""
    if name in dependences.vertices.blocks:
        for block in program.functions[name].blocks:
            start = dependences.vertices.blocks[name][block.index]
            yield from range(start, start + len(block.instructions) + 1)
