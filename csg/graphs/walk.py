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

# a part; is it in a call made by this walk; the statement that the step comes from (-1: it begins)
_Step = tuple[int, bool, int]


@dataclass(slots=True)
class StopWalk:
    """``stops`` are the statements at which a walk ends. Changes count where they begin. Those in
    ``late`` count where they take effect: where they end the program if they can (a passed
    ``assert`` is no stop), else after the calls in them (``printf`` of a call's result)."""

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
        """The stops that may come next after the statement ``node`` counts."""
        starts: list[_Step] = []
        numbers = self.flow.of_node.get(node, [])
        first = min(self._effective(node), default=0)  # its parts are numbered as they are run
        for number in [each for each in numbers if each >= first]:
            starts += self._after(number, False, node)
        return self._walk(starts, node)

    def from_entry(self, function: str, passing: frozenset[int] = frozenset()) -> set[int]:
        """The stops that a run may meet first; those in ``passing`` do not end the walk."""
        if function not in self.flow.entries:
            return set()
        return self._walk([(self.flow.entries[function], False, -1)], -1, passing)

    def _walk(
        self, work: list[_Step], source: int, passing: frozenset[int] = frozenset()
    ) -> set[int]:
        found: set[int] = set()
        seen: set[_Step] = set()
        while work:
            number, inside, before = work.pop()
            part = self.flow.parts[number]
            continues = part.node == before and not part.vacant
            if continues and part.node == source:
                continue  # the walk began after each part of the source
            if self._stopping[number] and not (continues and part.node not in self.late):
                found.add(part.node)
                if part.node not in passing:
                    continue
            step = (number, inside, before if part.vacant else part.node)
            if step not in seen:
                seen.add(step)
                work += self._after(*step)
        return found

    def _after(self, number: int, inside: bool, node: int) -> list[_Step]:
        """What follows a part; ``node`` is the statement that is being left."""
        part = self.flow.parts[number]
        found: list[_Step] = [(self.flow.entries[callee], True, -1) for callee in part.callees]
        if not part.callees or any(self._transparent[callee] for callee in part.callees):
            # Blocks are numbered so that a step back is a loop: the statement begins again.
            found += [(t, inside, node if t > number else -1) for t in part.following]
            if number in self.flow.exits and not inside:
                for caller in self.flow.callers[part.function]:
                    calling = self.flow.parts[caller]
                    found += [(t, False, calling.node) for t in calling.following]
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
