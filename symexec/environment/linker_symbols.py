"""Places that only the linker knows: the end of the program's code, the start of a section.

    extern char end;                      p = &end;     ends the path: *unsupported*
    extern entry __start_table[];         the same: no objects stand side by side

Objects that a program declares and no file defines hold zeros otherwise (an event), which would
say of a table made of a section that it is empty.
"""

from __future__ import annotations

import re

from csg.ir import Constant, GlobalAddress, Instruction, Move, Program, Refuse

_NAMES = re.compile(
    r"__(?:start|stop)_\w+|_?_?(?:end|etext|edata)|__bss_start|__data_start|__executable_start"
    r"|__(?:preinit|init|fini)_array_(?:start|end)|__ehdr_start|_DYNAMIC|_GLOBAL_OFFSET_TABLE_"
)


def refuse_linker_symbols(program: Program) -> None:
    """Taking their addresses ends a path. A weak one may be missing: it has no address then."""
    names = {
        name
        for name, item in program.globals.items()
        if item.external and name not in program.absent and _NAMES.fullmatch(name)
    }
    if not names:
        return
    for function in program.functions.values():
        for block in function.blocks:
            block.instructions[:] = [
                step for each in block.instructions for step in _refused(each, names)
            ]
    pointed = {place.symbol for item in program.globals.values() for place in item.relocations}
    for name in sorted(names - pointed):
        del program.globals[name]


def _refused(instruction: Instruction, names: set[str]) -> tuple[Instruction, ...]:
    match instruction:
        case GlobalAddress(target=target, name=name, node=node, version=version) if name in names:
            reason = f"'{name}' is a place that the linker makes up"
            refuse = Refuse(reason, node=node, version=version)
            return refuse, Move(target, Constant(0, 64), node=node, version=version)
        case _:
            return (instruction,)
