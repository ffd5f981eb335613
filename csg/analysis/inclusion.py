"""Solve inclusion constraints between sets of locations (Andersen 1994).

    p = &x;  q = p;  r = *q      {x} <= p,  p <= q,  contents of what q points to <= r

Variables are numbers; each has a set of locations, an int with one bit per location. Constraints
that look through a pointer wait on its variable and become plain inclusions for each location that
arrives there; only what is new is passed on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from csg.analysis.objects import ANYWHERE, Objects, bits

BLUR = 1 << 62  # as a distance: to an unknown place in the same object

Arrival = Callable[[int], None]  # told each new location of a variable


class Inclusions:
    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self.sets: list[int] = []
        self._passed: list[int] = []  # what of the set has been handed on
        self._edges: list[dict[tuple[int, int], None]] = []
        self._waiting: list[list[Arrival]] = []
        self._cells: dict[int, int] = {}  # location -> variable of its contents
        self._summaries: dict[int, int] = {}  # object -> variable of all its contents
        self._work: deque[int] = deque()
        self._queued: set[int] = set()

    def variables(self, count: int) -> int:
        """The first of ``count`` new variables."""
        first = len(self.sets)
        self.sets += [0] * count
        self._passed += [0] * count
        self._edges += [{} for _ in range(count)]
        self._waiting += [[] for _ in range(count)]
        return first

    def include(self, variable: int, locations: int) -> None:
        if locations & ~self.sets[variable]:
            self.sets[variable] |= locations
            if variable not in self._queued:
                self._queued.add(variable)
                self._work.append(variable)

    def copy(self, target: int, source: int, distance: int = 0) -> None:
        """``target`` includes ``source``, moved by ``distance`` bytes."""
        if target == source and distance == 0:
            return
        if (target, distance) not in self._edges[source]:
            self._edges[source][target, distance] = None
            self.include(target, self._moved(self._passed[source], distance))

    def load(self, target: int, pointer: int) -> None:
        """``target`` includes the contents of everything that ``pointer`` points to."""
        self.wait(pointer, lambda location: self._load_from(target, location))

    def store(self, pointer: int, source: int) -> None:
        self.wait(pointer, lambda location: self.copy(self.cell(location), source))

    def copy_contents(self, target: int, source: int) -> None:
        """Objects that ``target`` points to get all contents of those that ``source`` points to."""
        between = self.variables(1)
        self.wait(source, lambda location: self.copy(between, self.summary(location)))
        self.wait(target, lambda location: self._blur_into(location, between))

    def wait(self, variable: int, arrival: Arrival) -> None:
        self._waiting[variable].append(arrival)
        for location in bits(self._passed[variable]):
            arrival(location)

    def cell(self, location: int) -> int:
        """The variable that stands for the pointers stored at ``location``."""
        found = self._cells.get(location)
        if found is None:
            found = self._cells[location] = self.variables(1)
            self.copy(self.summary(location), found)
        return found

    def summary(self, location: int) -> int:
        """The variable that stands for all pointers stored in the location's object."""
        number = self.objects.locations[location][0]
        found = self._summaries.get(number)
        if found is None:
            found = self._summaries[number] = self.variables(1)
        return found

    def solve(self) -> None:
        while self._work:
            variable = self._work.popleft()
            self._queued.discard(variable)
            new = self.sets[variable] & ~self._passed[variable]
            self._passed[variable] |= new
            for target, distance in list(self._edges[variable]):
                self.include(target, self._moved(new, distance) if distance else new)
            if self._waiting[variable]:
                for location in bits(new):
                    for arrival in list(self._waiting[variable]):
                        arrival(location)

    def _moved(self, locations: int, distance: int) -> int:
        if distance == 0 or not locations:
            return locations
        result = 0
        for location in bits(locations):
            if distance == BLUR:
                result |= 1 << self.objects.anywhere(location)
            else:
                result |= 1 << self.objects.moved(location, distance)
        return result

    def _load_from(self, target: int, location: int) -> None:
        number, offset = self.objects.locations[location]
        if offset == ANYWHERE:
            self.copy(target, self.summary(location))
        else:
            self.copy(target, self.cell(location))
            self.copy(target, self.cell(self.objects.location(number, ANYWHERE)))

    def _blur_into(self, location: int, source: int) -> None:
        self.copy(self.cell(self.objects.anywhere(location)), source)
