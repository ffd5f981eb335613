"""Join blocks: where ways through a function meet, ways that never return left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.analysis.flow import join_blocks
from csg.ir import Block, Branch, Constant, FunctionCode, Jump, Return, Trap
from csg.ir.instructions import successors
from tests.nightly import examples


def function(*edges: tuple[int, ...]) -> FunctionCode:
    """Block i goes to edges[i]; () is a dead end, the last block returns."""
    blocks = []
    for index, targets in enumerate(edges):
        if index == len(edges) - 1:
            terminator = Return(None, node=0)
        elif not targets:
            terminator = Trap("dead", node=0)
        elif len(targets) == 1:
            terminator = Jump(targets[0], node=0)
        else:
            terminator = Branch(Constant(1, 1), targets[0], targets[1], node=0)
        blocks.append(Block(index, [], terminator))
    return FunctionCode("f", (), blocks=blocks, exit=len(edges) - 1)


@pytest.mark.parametrize(
    ("edges", "joins"),
    [
        pytest.param([(1, 2), (3,), (3,), ()], [3, 3, 3, None], id="if-else"),
        pytest.param([(1, 2), (), (3,), ()], [2, None, 3, None], id="one side never returns"),
        pytest.param([(1,), (2, 3), (1,), ()], [1, 3, 1, None], id="loop"),
        pytest.param([(1, 2), (1,), (3,), ()], [2, None, 3, None], id="one side loops for ever"),
    ],
)
def test_joins(edges: list[tuple[int, ...]], joins: list[int | None]) -> None:
    assert join_blocks(function(*edges)) == joins


@given(
    st.integers(2, 9).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, n), min_size=0, max_size=2).map(tuple), min_size=n, max_size=n
        )
    )
)
@examples(300)
def test_joins_agree_with_the_definition(edges: list[tuple[int, ...]]) -> None:
    code = function(*edges, ())
    last = len(edges)
    after = [successors(block.terminator) for block in code.blocks]

    def reaches(start: int, without: int | None) -> bool:
        seen, stack = set(), [start]
        while stack:
            block = stack.pop()
            if block == without or block in seen:
                continue
            if block == last:
                return True
            seen.add(block)
            stack.extend(after[block])
        return False

    for block in range(last):
        if not reaches(block, None):
            assert join_blocks(code)[block] is None
            continue
        every = [b for b in range(last + 1) if b != block and not reaches(block, b)]
        # The immediate one is the post-dominator that all others post-dominate in turn.
        nearest = [b for b in every if all(o == b or not reaches(b, o) for o in every)]
        assert join_blocks(code)[block] == nearest[0]
