"""Dominators and post-dominators, held against their definition on random graphs."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from csg.analysis import dominators, postdominators
from csg.analysis.flow import successors
from csg.ir import Block, Branch, Constant, FunctionCode, Jump, Register, Return, Trap

CONDITION = Register(0, 1)


def function_of(shape: Sequence[tuple[int, ...]]) -> FunctionCode:
    """One block per entry; no successor returns (the last block) or ends the program."""
    blocks = []
    for number, ways in enumerate(shape):
        block = Block(number)
        if len(ways) == 2:
            block.terminator = Branch(CONDITION, ways[0], ways[1], node=0)
        elif len(ways) == 1:
            block.terminator = Jump(ways[0], node=0)
        elif number == len(shape) - 1:
            block.terminator = Return(Constant(0, 32), node=0)
        else:
            block.terminator = Trap("ends", node=0)
        blocks.append(block)
    return FunctionCode("f", (), blocks=blocks, exit=len(shape) - 1, registers=1)


@st.composite
def functions(draw: st.DrawFn) -> FunctionCode:
    count = draw(st.integers(2, 9))
    target = st.integers(0, count - 1)
    ways = st.one_of(
        st.tuples(target), st.tuples(target, target), st.tuples(target, target), st.just(())
    )
    return function_of([draw(ways) for _ in range(count - 1)] + [()])


def reachable(edges: list[tuple[int, ...]], root: int, without: int | None) -> set[int]:
    if root == without:
        return set()
    seen, work = {root}, [root]
    while work:
        for target in edges[work.pop()]:
            if target not in seen and target != without:
                seen.add(target)
                work.append(target)
    return seen


def nearest(edges: list[tuple[int, ...]], root: int) -> list[int | None]:
    """By definition: d dominates v when v is out of reach without d; the nearest of them is the
    one that all others dominate."""
    everywhere = reachable(edges, root, None)
    above = {
        v: {d for d in everywhere if d != v and v not in reachable(edges, root, d)}
        for v in everywhere
    }
    result: list[int | None] = [None] * len(edges)
    for vertex, all_above in above.items():
        for candidate in all_above:
            if all_above - {candidate} == above[candidate]:
                result[vertex] = candidate
    return result


@given(functions())
def test_dominators_are_those_of_the_definition(function: FunctionCode) -> None:
    edges = [successors(block) for block in function.blocks]
    assert dominators(function) == nearest(edges, 0)


@given(functions())
def test_postdominators_are_dominators_backwards(function: FunctionCode) -> None:
    """Restricted to graphs in which every block can end, so that the virtual exit has one place."""
    edges = [successors(block) for block in function.blocks]
    reached = reachable(edges, 0, None)
    ends = {number for number in reached if not edges[number]}
    backward: list[list[int]] = [[] for _ in range(len(edges) + 1)]
    for source in reached:
        for target in edges[source]:
            backward[target].append(source)
    backward[-1] = sorted(ends)
    whole = [tuple(sources) for sources in backward]
    if reached <= reachable(whole, len(edges), None):
        expected = [None if v == len(edges) else v for v in nearest(whole, len(edges))[:-1]]
        assert postdominators(function) == expected


@given(functions())
def test_every_run_that_ends_passes_the_postdominator(function: FunctionCode) -> None:
    edges = [successors(block) for block in function.blocks]
    ends = {number for number, following in enumerate(edges) if not following}
    for block, above in enumerate(postdominators(function)):
        if above is not None and block in reachable(edges, 0, None):
            assert not reachable(edges, block, above) & ends


def test_a_branch_in_an_endless_loop_joins_within_the_loop() -> None:
    endless = function_of([(1,), (2, 3), (4,), (4,), (1,), ()])
    assert postdominators(endless)[1] == 4


def test_a_way_that_ends_the_program_leaves_no_join() -> None:
    asserting = function_of([(1, 2), (), (3,), ()])
    assert postdominators(asserting)[0] is None
    assert postdominators(asserting, endings=False)[0] == 2
