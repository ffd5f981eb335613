"""Find where a program may look at a pointer in memory as at a number.

((char *) &p)[i]     a byte of where p lies        u.n     of a union that holds a pointer
memcmp(&p, &q, sizeof p)
"""

from __future__ import annotations

from csg.analysis.constraints import Place, PointsTo
from csg.analysis.objects import ObjectKind, bits
from csg.ir import Call, Instruction, Load, Program, Value

POINTER = 8  # bytes


def numbers_of_pointers(program: Program, pointers: PointsTo) -> set[Place]:
    """The loads of numbers from objects that may hold pointers, and the comparisons of such
    objects byte by byte. An object of a caller may hold some wherever it is large enough; reads of
    a part of a pointer there, as of each byte of a text, are left out."""
    holding = {number for number, locations in pointers.held.items() if locations}
    given = {
        number
        for number, each in enumerate(pointers.objects.objects)
        if each.kind is ObjectKind.OUTSIDE
    }
    own = holding - given
    found = set()
    for name, function in program.functions.items():
        if function.library:
            continue
        for block in function.blocks:
            for index, step in enumerate(block.instructions):
                part = isinstance(step, Load) and step.size < POINTER
                sought = own if part else holding
                for address in _looked_at(step):
                    led = bits(pointers.locations(name, address))
                    if any(pointers.objects.locations[each][0] in sought for each in led):
                        found.add((name, block.index, index))
    return found


def _looked_at(step: Instruction) -> tuple[Value, ...]:
    """The addresses of the bytes that an instruction takes for numbers."""
    match step:
        case Load(address=address, numeric=True):
            return (address,)
        case Call(callee="memcmp" | "bcmp", arguments=arguments):
            return arguments[:2]
        case _:
            return ()
