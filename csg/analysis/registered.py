"""Find functions that are handed to the library and that no analysed call leads to.

    timer_create(CLOCK_REALTIME, &event, &t);     event holds the address of tick: tick may run at
                                                  any time from now on, and nothing calls it

Handlers that a model keeps and calls (atexit, signal, qsort) are in the call graph. For all others
this is the conservative answer: whatever the library was given, it may run.
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.analysis.call_graph import CallGraph
from csg.analysis.constraints import PointsTo
from csg.analysis.objects import ObjectKind
from csg.ir import Call, Program
from csg.ir.library_effects import effect_of

AT_END = frozenset({"atexit", "on_exit"})  # run behind main, and behind no other entry function


def unfollowed(program: Program, calls: CallGraph, pointers: PointsTo) -> list[str]:
    """The functions of the program with a change, or that call one with a change, which only the
    library may run, in the order of the program."""
    changed = _changed(program)
    if not changed:
        return []
    reached = _reached(program, calls, _roots(program))
    given = _given(program, pointers)
    if program.entry == "main":
        given = {name: at_end for name, at_end in given.items() if name not in reached}
    else:
        given = {name: end for name, end in given.items() if end or name not in reached}
    return [
        name
        for name in program.functions
        if name in given and not changed.isdisjoint(_reached(program, calls, [name]))
    ]


def may_run(program: Program, calls: CallGraph, pointers: PointsTo) -> set[str]:
    """The functions that a run may come to: by calls, or by somebody who has their address."""
    taken = [each.name for each in pointers.objects.objects if each.kind is ObjectKind.FUNCTION]
    return _reached(program, calls, [*_roots(program), *taken])


def _changed(program: Program) -> frozenset[str]:
    return frozenset(node.function for node in program.nodes if node.changes)


def _roots(program: Program) -> list[str]:
    """Where a run begins: the entry function, and what the library runs around main."""
    hooks = [*program.before_main, *program.after_main] if program.entry == "main" else []
    return [program.entry, *hooks, *(n for n in program.functions if n.startswith("__csgtest_"))]


def _reached(program: Program, calls: CallGraph, names: list[str]) -> set[str]:
    import networkx

    found: set[str] = set()
    for name in names:
        if name in calls.functions and name not in found:
            found |= {name, *networkx.descendants(calls.functions, name)}
    return found


def _given(program: Program, pointers: PointsTo) -> dict[str, bool]:
    """The functions of the program whose addresses the library gets. True: one that runs at the end
    of the process."""
    found = dict.fromkeys(_functions(program, pointers, pointers.outside), False)
    for name, function in program.functions.items():
        if function.library:
            continue
        for block in function.blocks:
            for step in block.instructions:
                if isinstance(step, Call) and isinstance(step.callee, str):
                    for given in _passed(program, pointers, name, step):
                        found[given] = found.get(given, False) or step.callee in AT_END
    return found


def _passed(program: Program, pointers: PointsTo, caller: str, call: Call) -> Iterator[str]:
    """The functions whose addresses a call passes to the library: as arguments, and in the objects
    that these point to, unless an effect is declared that says that nothing is called."""
    assert isinstance(call.callee, str)
    code = program.functions.get(call.callee)
    if code is not None and not code.library:
        return
    effect = effect_of(call.callee)
    for argument in call.arguments:
        locations = pointers.locations(caller, argument)
        yield from _functions(program, pointers, locations)
        if effect is None:
            yield from _functions(program, pointers, pointers.contents(locations))


def functions_at(program: Program, pointers: PointsTo, locations: int) -> frozenset[str]:
    """The functions of the program that are among the locations."""
    return frozenset(_functions(program, pointers, locations))


def _functions(program: Program, pointers: PointsTo, locations: int) -> Iterator[str]:
    for name in pointers.functions_at(locations):
        code = program.functions.get(name)
        if code is not None and not code.library:
            yield name
