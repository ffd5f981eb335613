"""Keep a backend's assertion stack equal to a path condition, one level for each literal.

asserted  x < 5, y == 2          next query under  x < 5, z != 0
->  pop 1, push, assert z != 0
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symexec.solver.path import PathCondition


@dataclass(slots=True)
class Alignment:
    stack: list[PathCondition] = field(default_factory=list)

    def moves(self, path: PathCondition) -> tuple[int, list[PathCondition]]:
        """(levels to pop, paths whose last literals to push), and takes them as done."""
        stack = self.stack
        fresh: list[PathCondition] = []
        node: PathCondition | None = path
        while node is not None and node.length:
            if node.length <= len(stack) and stack[node.length - 1] is node:
                break
            fresh.append(node)
            node = node.parent
        common = node.length if node is not None else 0
        popped = len(stack) - common
        del stack[common:]
        fresh.reverse()
        stack.extend(fresh)
        return popped, fresh
