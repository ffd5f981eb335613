"""Where two ways through a function meet again.

    if (c) x = 1; else exit(1);
    y = x;                          # the join: ways that never return do not count

A version that leaves through ``exit`` ends; the other one goes on alone, so only blocks from which
the function can return take part. Immediate post-dominators after Cooper, Harvey and Kennedy, "A
simple, fast dominance algorithm", on the reversed graph.
"""

from __future__ import annotations

from csg.ir import FunctionCode
from csg.ir.flow import successors


def join_blocks(function: FunctionCode) -> list[int | None]:
    """For each block the first block that every way from it to the function's end passes."""
    count = len(function.blocks)
    after = [successors(block.terminator) if block.terminator else () for block in function.blocks]
    before: list[list[int]] = [[] for _ in range(count)]
    for block, targets in enumerate(after):
        for target in targets:
            before[target].append(block)
    order = _postorder(function.exit, before)
    rank = {block: place for place, block in enumerate(order)}
    join: dict[int, int] = {function.exit: function.exit}
    changed = True
    while changed:
        changed = False
        for block in reversed(order):
            if block == function.exit:
                continue
            found: int | None = None
            for target in after[block]:
                if target in join:
                    found = target if found is None else _meet(found, target, join, rank)
            if found is not None and join.get(block) != found:
                join[block] = found
                changed = True
    return [join.get(block) if block != function.exit else None for block in range(count)]


def _postorder(start: int, edges: list[list[int]]) -> list[int]:
    order: list[int] = []
    seen = {start}
    stack = [(start, iter(edges[start]))]
    while stack:
        block, rest = stack[-1]
        for following in rest:
            if following not in seen:
                seen.add(following)
                stack.append((following, iter(edges[following])))
                break
        else:
            order.append(block)
            stack.pop()
    return order


def _meet(left: int, right: int, join: dict[int, int], rank: dict[int, int]) -> int:
    while left != right:
        while rank[left] < rank[right]:
            left = join[left]
        while rank[right] < rank[left]:
            right = join[right]
    return left
