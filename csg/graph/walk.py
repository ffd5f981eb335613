"""From a statement, the stops that a run may come to next.

    1  a = change(x, 1);      stops: 1, 4, 6      1 leads to 4 and, around it, to 6
    2  if (a)
    3      log(a);            passed if some way through log has no stop
    4      b = change(y, 2);
    6  return b;

Calls are followed as runs follow them: into a callee, and past the call when the callee can be run
from entry to return without a stop. A walk that begins inside a function leaves it to all callers;
one that entered a function from a call does not come out at another call.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.analysis import StatementFlow

# a part; is it in a call made by this walk; has the source statement not been left yet
_Step = tuple[int, bool, bool]


@dataclass(slots=True)
class StopWalk:
    """``stops`` are the statements at which a walk ends. Those in ``late`` (not the changes) count
    where they take effect: where they end the program if they can (a passed ``assert`` is no stop),
    else after the calls in them (``printf`` of a call's result)."""

    flow: StatementFlow
    stops: frozenset[int]
    late: frozenset[int]
    _stopping: bytearray = field(init=False)
    _transparent: dict[str, bool] = field(init=False)

    def __post_init__(self) -> None:
        self._stopping = bytearray(len(self.flow.parts))
        for node in self.stops:
            for part in self._effective(node):
                self._stopping[part] = 1
        self._transparent = dict.fromkeys(self.flow.entries, False)
        changed = True
        while changed:
            changed = False
            for name, entry in self.flow.entries.items():
                if not self._transparent[name] and self._can_be_crossed(entry):
                    self._transparent[name] = changed = True

    def _effective(self, node: int) -> list[int]:
        numbers, parts = self.flow.of_node.get(node, []), self.flow.parts
        if node not in self.late:
            return numbers
        ending = [n for n in numbers if parts[n].ends]
        return ending or [n for n in numbers if not parts[n].callees] or numbers

    def is_stop(self, part: int) -> bool:
        return bool(self._stopping[part])

    def from_statement(self, node: int) -> set[int]:
        """The stops that may come next after the statement ``node``."""
        starts: list[_Step] = []
        for number in self.flow.of_node.get(node, []):
            starts += self._after(number, False, True)
        return self._walk(starts, node)

    def from_entry(self, function: str, passing: frozenset[int] = frozenset()) -> set[int]:
        """The stops that a run may meet first; those in ``passing`` do not end the walk."""
        if function not in self.flow.entries:
            return set()
        return self._walk([(self.flow.entries[function], False, False)], -1, passing)

    def _walk(
        self, work: list[_Step], source: int, passing: frozenset[int] = frozenset()
    ) -> set[int]:
        found: set[int] = set()
        seen: set[_Step] = set()
        while work:
            number, inside, continued = step = work.pop()
            part = self.flow.parts[number]
            if not part.vacant:
                if continued and part.node == source:
                    continue  # the source itself: the walk began after each of its parts
                continued = False
            if self._stopping[number]:
                found.add(part.node)
                if part.node not in passing:
                    continue
            if step not in seen:
                seen.add(step)
                work += self._after(number, inside, continued)
        return found

    def _after(self, number: int, inside: bool, continued: bool) -> list[_Step]:
        part = self.flow.parts[number]
        found: list[_Step] = [(self.flow.entries[callee], True, False) for callee in part.callees]
        if not part.callees or any(self._transparent[callee] for callee in part.callees):
            # Blocks are numbered so that a step back is a loop: a new run of the statement.
            found += [(t, inside, continued and t > number) for t in part.following]
            if number in self.flow.exits and not inside:
                for caller in self.flow.callers[part.function]:
                    found += [(t, False, False) for t in self.flow.parts[caller].following]
        return found

    def _can_be_crossed(self, entry: int) -> bool:
        seen, work = {entry}, [entry]
        while work:
            number = work.pop()
            part = self.flow.parts[number]
            if self._stopping[number]:
                continue
            if part.callees and not any(self._transparent[callee] for callee in part.callees):
                continue
            if number in self.flow.exits:
                return True
            for target in part.following:
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return False
