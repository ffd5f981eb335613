"""Link models written in C to a program that calls what nobody defines.

    program.undefined {"strdup", "puts"}   ->   {"puts"}: a model in Python
                                                strdup and malloc's errno are part of the program

A function of the user's own is never replaced.
"""

from __future__ import annotations

from csg.ir import Block, Call, FunctionCode, Instruction, Node, Program, Return
from csg.lower import link
from csg.pickling import loads
from csg.source import NOWHERE
from symexec.environment.archive import Archive, load_archive
from symexec.environment.linker_symbols import refuse_linker_symbols
from symexec.environment.registry import registry

START = "__csgtest_start"
NAMED_START = "__csgtest_named_start"
HOOKED_START = "__csgtest_hooked_start"
ENDINGS = frozenset({"atexit", "on_exit"})  # what makes returning from main more than returning
NAMED = frozenset({"program_invocation_name", "__progname"})  # told before main by NAMED_START


def complete(program: Program, archive: Archive | None = None) -> None:
    """Add every function and object of the models in C that the program needs."""
    kept = load_archive() if archive is None else archive
    if program.entry == "main" and program.undefined & ENDINGS:
        program.undefined.add(START)
    if program.entry == "main" and (program.before_main or program.after_main):
        program.undefined.add(HOOKED_START)
        _call_all(program, "__csgtest_before_main", program.before_main)
        _call_all(program, "__csgtest_after_main", program.after_main)
    seen: set[str] = set()
    _complete(program, kept, seen)
    named = program.entry == "main" and not NAMED.isdisjoint(program.globals)
    if named and NAMED_START not in program.functions:
        program.undefined.add(NAMED_START)
        _complete(program, kept, seen)
    _provide_objects(program, kept)
    known = program.functions.keys() | registry().keys()
    program.absent = {
        name
        for name in program.weak
        if (name in program.undefined - known)
        or (name in program.globals and program.globals[name].external)
    }
    refuse_linker_symbols(program)


def _call_all(program: Program, name: str, called: list[str]) -> None:
    """A function that calls others, one after the other."""
    node = len(program.nodes)
    program.nodes.append(Node(node, name, NOWHERE, name, "call"))
    code = FunctionCode(name, (), library=True)
    calls: list[Instruction] = [
        Call(None, each, (), 0, node=node)
        for each in called
        if not program.functions[each].parameters
    ]
    code.blocks = [Block(0, calls, Return(None, node=node))]
    program.functions[name] = code


def _complete(program: Program, kept: Archive, seen: set[str]) -> None:
    while waiting := sorted((program.undefined | _external(program)) & kept.keys() - seen):
        for name in waiting:
            seen.add(name)
            link(program, loads(kept[name]))


def start(program: Program) -> str:
    """The function that an execution of a completed program begins with."""
    for name in (HOOKED_START, NAMED_START, START):
        if name in program.functions:
            return name
    return program.entry


def unmodelled(program: Program) -> list[str]:
    """Functions of a completed program that can be called and do nothing we know."""
    return sorted(program.undefined - registry().keys())


def _external(program: Program) -> set[str]:
    return {name for name, item in program.globals.items() if item.external}


def _provide_objects(program: Program, archive: Archive) -> None:
    """What models in Python store to (errno)."""
    models = registry()
    for name in sorted(program.undefined & models.keys()):
        for wanted in models[name].needs:
            for key, item in loads(archive[wanted]).globals.items():
                program.globals.setdefault(key, item)
