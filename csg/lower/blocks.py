"""Bring a function's blocks in their final order.

Blocks that cannot be reached go, empty ones that only jump are skipped, a block with one way in is
joined to the one before it, and the rest is numbered in reverse postorder, the entry 0:

    B0: jump B2                       B0: ...
    B1: (unreachable)           =>        branch %3, B1, B2
    B2: ... branch %3, B5, B4
"""

from __future__ import annotations

from dataclasses import replace

from csg.ir import (
    Block,
    Branch,
    Enter,
    FunctionCode,
    IndirectJump,
    Jump,
    LabelAddress,
    Switch,
    Terminator,
)
from csg.ir.flow import successors


def finish_blocks(
    function: FunctionCode, exit_block: int, pinned: set[int], takes_labels: bool
) -> None:
    """``pinned`` blocks end in a jump that the source spells and keep it; ``takes_labels`` when
    there are instructions that take the address of one."""
    blocks = function.blocks
    taken = {label for block in blocks for label in _labels(block)} if takes_labels else set()
    _skip_empty(blocks, exit_block, pinned | taken)
    _join_straight(blocks, exit_block, pinned, takes_labels)
    order = _reverse_postorder(blocks, takes_labels)
    if exit_block not in order:
        order.append(exit_block)
    numbers = {old: new for new, old in enumerate(order)}
    function.blocks = [blocks[old] for old in order]
    function.exit = numbers[exit_block]
    for block in function.blocks:
        block.index = numbers[block.index]
        assert block.terminator is not None
        block.terminator = _retargeted(block.terminator, numbers)
        if takes_labels:
            block.instructions = [
                replace(item, block=numbers[item.block]) if isinstance(item, LabelAddress) else item
                for item in block.instructions
            ]


def _skip_empty(blocks: list[Block], exit_block: int, pinned: set[int]) -> None:
    goals: dict[int, int] = {}
    for block in blocks:
        seen: list[int] = []
        at = block.index
        while at not in goals and at not in seen and _only_jumps(blocks, at, exit_block, pinned):
            seen.append(at)
            terminator = blocks[at].terminator
            assert isinstance(terminator, Jump)
            at = terminator.target
        goal = goals.get(at, at)
        goals |= dict.fromkeys(seen, goal)
    goals = {old: new for old, new in goals.items() if old != new}
    for block in blocks:
        if block.terminator is not None and not goals.keys().isdisjoint(
            successors(block.terminator)
        ):
            block.terminator = _retargeted(block.terminator, goals)


def _only_jumps(blocks: list[Block], index: int, exit_block: int, pinned: set[int]) -> bool:
    block = blocks[index]
    if index in (0, exit_block) or index in pinned or block.instructions or block.lifetimes:
        return False
    terminator = block.terminator
    # The end of a version's region stays: a body that does nothing must still be one.
    return isinstance(terminator, Jump) and blocks[terminator.target].region is block.region


def _join_straight(
    blocks: list[Block], exit_block: int, pinned: set[int], takes_labels: bool
) -> None:
    ways_in = [0] * len(blocks)
    reached = _reverse_postorder(blocks, takes_labels)
    for index in reached:
        terminator = blocks[index].terminator
        assert terminator is not None
        for successor in successors(terminator):
            ways_in[successor] += 1
        if takes_labels:
            for label in _labels(blocks[index]):
                ways_in[label] += 2
    joined: set[int] = set()
    for block in (blocks[index] for index in reached):
        if block.index in joined:
            continue
        while isinstance(block.terminator, Jump) and block.index not in pinned:
            following = blocks[block.terminator.target]
            if (
                following is block
                or ways_in[following.index] != 1
                or following.index in (0, exit_block)
                or following.region is not block.region
                or following.terminator is None
            ):
                break
            before = len(block.instructions)
            block.lifetimes += [replace(e, place=e.place + before) for e in following.lifetimes]
            block.instructions += following.instructions
            block.terminator = following.terminator
            if following.index in pinned:
                pinned.add(block.index)
            joined.add(following.index)


def _reverse_postorder(blocks: list[Block], takes_labels: bool) -> list[int]:
    """Depth first with an explicit stack; blocks whose address is taken count as reached."""
    order: list[int] = []
    seen = {0}
    stack = [(0, iter(_ways_out(blocks[0], takes_labels)))]
    while stack:
        index, following = stack[-1]
        for successor in following:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(_ways_out(blocks[successor], takes_labels))))
                break
        else:
            order.append(index)
            stack.pop()
    return order[::-1]


def _ways_out(block: Block, takes_labels: bool) -> list[int]:
    """Last successor first, so that in reverse postorder the first one comes first."""
    assert block.terminator is not None
    goals = list(reversed(successors(block.terminator)))
    return [*_labels(block), *goals] if takes_labels else goals


def _labels(block: Block) -> list[int]:
    return [item.block for item in block.instructions if isinstance(item, LabelAddress)]


def _retargeted(terminator: Terminator, numbers: dict[int, int]) -> Terminator:
    def goal(index: int) -> int:
        return numbers.get(index, index)

    match terminator:
        case Jump(target=target, node=node, version=version):
            return Jump(goal(target), node=node, version=version)
        case Branch(condition=condition, then=then, otherwise=otherwise, site=site):
            node, version = terminator.node, terminator.version
            return Branch(condition, goal(then), goal(otherwise), site, node=node, version=version)
        case Switch(cases=cases, default=default, default_other=other):
            moved = tuple((low, high, goal(block), mark) for low, high, block, mark in cases)
            other = None if other is None else goal(other)
            return replace(terminator, cases=moved, default=goal(default), default_other=other)
        case IndirectJump(targets=targets):
            return replace(terminator, targets=tuple(map(goal, targets)))
        case Enter(body=body, exit=leave):
            return replace(terminator, body=goal(body), exit=goal(leave))
        case _:
            return terminator
