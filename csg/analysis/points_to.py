"""Where pointers may point, for the whole program at once.

    char *p = c ? a : b;  *p = 0;      p points to {a, b}, the store writes one of them

Flow- and context-insensitive inclusion constraints (``csg.analysis.inclusion``) over registers and
the contents of memory. Only 8-byte loads and stores move pointers: a program that copies pointers
byte by byte by itself is not followed (``memcpy`` is). Calls through pointers are resolved while
solving; one that nothing resolves may go to any function whose address is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from csg.analysis.constraints import Builder, Place
from csg.analysis.objects import ANYWHERE, MemoryObject, Objects, bits
from csg.ir import Program, Register, Value


@dataclass(frozen=True, slots=True)
class PointsTo:
    objects: Objects
    sets: list[int]
    first_register: dict[str, int]
    callees: dict[Place, tuple[str, ...]]  # of calls through pointers, sorted
    outside: int  # all locations that unknown functions can reach

    def locations(self, function: str, value: Value) -> int:
        """The set of locations that a value may point to."""
        if type(value) is not Register:
            return 0
        return self.sets[self.first_register[function] + value.number]

    def names(self, function: str, value: Value) -> list[str]:
        """The same for people: ``["buffer", "options+8"]``."""
        return [self._name(location) for location in bits(self.locations(function, value))]

    def object_at(self, location: int) -> MemoryObject:
        return self.objects.objects[self.objects.locations[location][0]]

    def _name(self, location: int) -> str:
        number, offset = self.objects.locations[location]
        name = self.objects.objects[number].name
        return name if offset in (0, ANYWHERE) else f"{name}+{offset}"


def points_to(program: Program) -> PointsTo:
    builder = Builder(program)
    builder.build()
    builder.inclusions.solve()
    while builder.guess_unresolved():
        builder.inclusions.solve()
    return PointsTo(
        objects=builder.objects,
        sets=builder.inclusions.sets,
        first_register=builder.first_register,
        callees={place: tuple(sorted(names)) for place, names in builder.callees.items()},
        outside=builder.inclusions.sets[builder.outside],
    )
