"""Each strategy around a simple searcher: who gets how many turns, and every state once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symexec.memory import BOTH, NEW
from symexec.search.frontier import STALE
from symexec.search.modes import BreadthFirst, DepthFirst, directed
from symexec.search.registry import Context, build_searcher, chosen, modes, strategies
from symexec.search.searchers import RandomState, Searcher
from symexec.search.strategies import (
    WEARY,
    Bounds,
    Groups,
    Reachable,
    Speculations,
    Turns,
    Uncovered,
    in_turns,
    pruner,
)
from symexec.search.targets import FAR, Spot
from symexec.state.state import State
from tests.symexec.search.fakes import (
    Frame,
    Function,
    Told,
    context,
    drained,
    frontier,
    spots,
    state,
    states,
)

WRAPPED = [name for name, each in strategies().items() if each.wrap is not None]
NEAR = frozenset({1})


def key(each: State) -> object:
    return each.forks


def surroundings(seed: int = 0) -> Context:
    """States differ by lane, speculations, distance and group."""
    return context(
        lambda each: FAR if each.steps % 3 == 0 else float(each.steps),
        seed,
        witnessed=NEAR,
        guards=key,
        masks=lambda each: each.steps % 2,
    )


@pytest.mark.parametrize("name", WRAPPED)
@settings(max_examples=settings.default.max_examples // 3)
@given(steps=st.lists(st.one_of(st.none(), st.integers(0, 11)), max_size=80))
def test_each_state_comes_once_whatever_the_strategy(name: str, steps: list[int | None]) -> None:
    """None: select, and tell of it or not; a number: a state joins. ``bounds`` is over before that,
    when nothing within is left."""
    wrap = strategies()[name].wrap
    assert wrap is not None
    searcher, waiting = wrap(DepthFirst, surroundings()), dict[int, State]()
    for number, step in enumerate(steps):
        if step is not None:
            made = state(number, lane=step % 3, deferred=step % 4, steps=step, forks=step % 2)
            made.targets = frozenset({step % 2})
            waiting[number] = made
            searcher.update(None, [made], covers=False)
        elif waiting:
            taken = searcher.select()
            del waiting[taken.id]
            if number % 2:
                searcher.update(taken, (), covers=False)
        assert searcher.empty() == (not waiting)
        assert {each.id for each in searcher.states()} == waiting.keys()


VARIANTS = [f"{mode}{more}" for mode in modes() for more in ("", *(f"+{each}" for each in WRAPPED))]


@pytest.mark.parametrize("name", VARIANTS)
@settings(max_examples=settings.default.max_examples // 5)
@given(steps=st.lists(st.integers(0, 3), max_size=50), seed=st.integers(0, 2))
def test_each_search_runs_what_it_is_given_and_the_same_seed_runs_the_same(
    name: str, steps: list[int], seed: int
) -> None:
    def run() -> list[int]:
        class NoFrontier:
            known = False

            def refreshed(self) -> bool:
                return False

            def distance(self, each: State) -> float:
                return FAR

        surrounded = context(
            lambda each: float(each.steps),
            seed,
            witnessed=NEAR,
            guards=key,
            masks=lambda each: each.steps % 2,
            frontier=NoFrontier,
            unmet=frontier(spots(50), set()),
        )
        searcher, made, order = build_searcher(chosen(name), surrounded), 3, []
        begun = [state(n, lane=n, targets=[n % 2]) for n in range(3)]
        searcher.update(None, begun, covers=False)
        alive = {each.id for each in begun}
        for step in steps:
            if searcher.empty():
                break
            taken = searcher.select()
            assert taken.id in alive
            order.append(taken.id)
            more = [
                state(made + each, lane=taken.lane, steps=each, forks=made % 3, targets=[each])
                for each in range(step)
            ]
            made += step
            alive.update(each.id for each in more)
            alive -= set() if step else {taken.id}
            searcher.update(taken, [taken, *more] if step else (), covers=step > 2)
        return order + drained(searcher)

    order = run()
    assert order == run() and set(order) == set(range(max(order) + 1))


# ------------------------------------------------------------------ bounds


def test_what_lies_beyond_the_bounds_gets_one_turn_of_eight() -> None:
    searcher = Bounds(DepthFirst, context())
    searcher.update(None, states(32), covers=False)
    assert not any(searcher.select().beyond for _ in range(8))
    searcher.update(None, [state(100 + n, beyond=True) for n in range(4)], covers=False)
    assert len(searcher.states()) == 28
    assert [searcher.select().beyond for _ in range(16)] == 2 * [*7 * [False], True]


def test_what_lies_beyond_gets_more_turns_the_longer_nothing_is_new_within() -> None:
    def shares(searcher: Bounds, turns: int, news: bool) -> float:
        beyond = 0
        for _ in range(turns):
            taken = searcher.select()
            beyond += taken.beyond
            searcher.update(taken, [taken], covers=news and not taken.beyond)
        return beyond / turns

    searcher = Bounds(DepthFirst, context())
    searcher.update(None, [*states(3), state(100, beyond=True)], covers=False)
    assert shares(searcher, 8 * WEARY, True) == 1 / 8
    assert 1 / 8 < shares(searcher, 4 * WEARY, False) < 1 / 3
    shares(searcher, 8 * WEARY, False)
    assert shares(searcher, 100, False) == 1 / 2
    shares(searcher, 2, True)
    assert shares(searcher, 80, False) == 1 / 8


def test_what_lies_beyond_may_be_exhausted_first() -> None:
    searcher = Bounds(BreadthFirst, context())
    searcher.update(None, [*states(20), state(100, beyond=True)], covers=False)
    assert drained(searcher) == [*range(7), 100, *range(7, 20)]


def test_it_is_over_when_the_bounds_are_exhausted() -> None:
    searcher = Bounds(DepthFirst, context())
    searcher.update(None, [state(1), state(2), state(3, beyond=True)], covers=False)
    drained(searcher)
    assert all(each.beyond for each in searcher.states())


def test_a_fork_stays_beyond() -> None:
    made = state(1, beyond=True)
    made.frame = None
    assert made.fork().beyond


# ------------------------------------------------------------------ reachable


def test_states_without_a_target_get_one_turn_of_sixteen() -> None:
    searcher = Reachable(DepthFirst, context(lambda each: FAR if each.id % 2 else 1.0))
    searcher.update(None, states(64), covers=False)
    assert [searcher.select().id % 2 for _ in range(32)] == 2 * [*15 * [0], 1]
    assert [number % 2 for number in drained(searcher)] == [0, 0, *30 * [1]]


def test_a_state_that_has_lost_its_targets_goes_behind_the_others() -> None:
    distance = {0: 1.0, 1: 2.0}
    searcher = Reachable(DepthFirst, context(lambda each: distance[each.id]))
    searcher.update(None, states(2), covers=False)
    newest = searcher.select()
    distance[newest.id] = FAR
    searcher.update(newest, [newest], covers=False)
    assert drained(searcher) == [0, 1]


# ------------------------------------------------------------------ turns, speculations


def turns_of(searcher: Turns, count: int, news: Callable[[State], bool]) -> Counter[int]:
    """By lane, of states that go on for ever."""
    turns: Counter[int] = Counter()
    for _ in range(count):
        taken = searcher.select()
        turns[taken.lane] += 1
        searcher.update(taken, [taken], covers=news(taken))
    return turns


def test_the_first_initial_states_keep_a_share_however_many_there_are() -> None:
    """As 1 : 1/2 : 1/3 ..; nobody waits for ever."""
    searcher = Turns(DepthFirst)
    searcher.update(None, [state(lane, lane=lane) for lane in range(100)], covers=False)
    turns = turns_of(searcher, 2000, lambda taken: True)
    assert len(turns) == 100
    assert abs(turns[0] - 2 * turns[1]) <= 2 and abs(turns[0] - 10 * turns[9]) <= 10


def lanes_of(searcher: Turns, count: int, news: bool) -> list[int]:
    """Of states that go on for ever."""
    found = []
    for _ in range(count):
        taken = searcher.select()
        found.append(taken.lane)
        searcher.update(taken, [taken], covers=news)
    return found


def test_the_order_of_turns() -> None:
    """The first has one at 1, 2, 3 .., the second at 2, 4 .., the third at 3, 6 .."""
    searcher = Turns(DepthFirst)
    searcher.update(None, [state(lane, lane=lane) for lane in range(3)], covers=False)
    assert lanes_of(searcher, 11, news=True) == [0, 0, 1, 0, 2, 0, 1, 0, 0, 1, 2]


def test_the_first_of_two_has_the_turns_of_the_second_after_sixteen_without_news() -> None:
    searcher = Turns(DepthFirst)
    searcher.update(None, [state(lane, lane=lane) for lane in range(2)], covers=False)
    found = lanes_of(searcher, 39, news=False)
    assert found[:24] == 8 * [0, 0, 1] and found[24:] == [*7 * [0, 1], 0]
    searcher.update(None, (), covers=True)  # nobody's news, and not those of the last turn's
    assert lanes_of(searcher, 9, news=False) == [*4 * [1, 0], 1]
    taken = searcher.select()  # something new: it is as it was, for sixteen turns
    searcher.update(taken, [taken], covers=True)
    assert lanes_of(searcher, 30, news=False) == [1, 0, 1, *7 * [0, 0, 1], *3 * [0, 1]]


def test_a_lane_that_had_nothing_for_a_while_is_due_again_when_it_gets_a_state() -> None:
    searcher = Turns(DepthFirst)
    one, two = state(1, lane=1), state(2, lane=2)
    searcher.update(None, [one, two], covers=False)
    assert searcher.select() is one
    searcher.update(one, (), covers=False)
    assert lanes_of(searcher, 3, news=True) == [2, 2, 2]
    back = state(3, lane=1)
    searcher.update(None, [back], covers=False)
    searcher.update(None, [state(4, lane=1)], covers=False)  # it is due once for all that
    assert lanes_of(searcher, 6, news=True) == [1, 1, 2, 1, 1, 2]
    assert searcher.name == "depth-first" and not searcher.empty()


def test_an_initial_state_that_brings_nothing_new_loses_what_it_has_before_others() -> None:
    searcher = Turns(DepthFirst)
    searcher.update(None, [state(lane, lane=lane) for lane in range(20)], covers=False)
    turns_of(searcher, 20 * 20 * 16, lambda taken: False)
    turns = turns_of(searcher, 2000, lambda taken: False)
    assert max(turns.values()) - min(turns.values()) <= 2
    turns_of(searcher, 20 * 20, lambda taken: taken.lane == 3)
    turns = turns_of(searcher, 2000, lambda taken: taken.lane == 3)
    assert all(turns[3] > 4 * turns[other] for other in turns if other != 3)


def test_a_test_of_a_new_node_is_something_new() -> None:
    witnessed: set[int] = set()
    searcher = Turns(DepthFirst, context(witnessed=witnessed))
    searcher.update(None, [state(lane, lane=lane) for lane in range(20)], covers=False)
    turns_of(searcher, 20 * 20 * 16, lambda taken: False)

    def news(taken: State) -> bool:
        if taken.lane == 0:
            witnessed.add(len(witnessed))
        return False

    turns = turns_of(searcher, 2000, news)
    assert all(turns[0] > 4 * turns[other] for other in turns if other != 0)


def test_the_rest_of_fewer_speculations_has_twice_the_turns_of_the_next() -> None:
    searcher = Speculations(BreadthFirst)
    searcher.update(None, [state(n, deferred=d) for n, d in enumerate([5, 0, 2])], covers=False)
    turns: Counter[int] = Counter()
    for _ in range(64):
        taken = searcher.select()
        turns[taken.deferred] += 1
        searcher.update(taken, [taken], covers=False)
    assert turns == {0: 32, 2: 16, 5: 16}
    order = []
    for _ in range(8):
        taken = searcher.select()
        order.append(taken.deferred)
        searcher.update(taken, [taken], covers=False)
    assert order == [0, 2, 0, 5, 0, 2, 0, 5]
    searcher.update(None, [state(9, deferred=1)], covers=False)
    assert drained(searcher) == [1, 2, 9, 0]


# ------------------------------------------------------------------ groups, uncovered


def test_few_states_are_not_lost_among_many() -> None:
    searcher = Groups(BreadthFirst, lambda each: each.lane)
    searcher.update(None, states(1000), covers=False)
    searcher.update(None, [state(2000, lane=1)], covers=False)
    assert 2000 in [searcher.select().id for _ in range(9)]


def test_groups_have_eight_turns_each_while_they_last() -> None:
    """a has 3 states, b 10, c 9; those that end give the rest of their turns to nobody."""
    searcher = Groups(BreadthFirst, lambda each: "abc"[each.lane])
    made = [state(100 * lane + n, lane=lane) for lane, many in ((0, 3), (1, 10), (2, 9))
            for n in range(many)]  # fmt: skip
    searcher.update(None, made, covers=False)
    assert [each.lane for each in searcher.states()] == [0] * 3 + [1] * 10 + [2] * 9
    taken = [searcher.select() for _ in range(3)]
    searcher.update(taken[2], [state(50)], covers=False)  # a again, before its turn is over
    assert searcher.select().id == 50
    assert [number // 100 for number in drained(searcher)] == [
        *8 * [1], *8 * [2], *2 * [1], 2,
    ]  # fmt: skip
    searcher.update(None, [state(1), state(200, lane=2)], covers=False)
    assert drained(searcher) == [200, 1], "c had not lost its place yet"
    assert searcher.states() == []


def test_groups_come_in_the_order_in_which_they_got_states() -> None:
    searcher = Groups(BreadthFirst, lambda each: each.lane)
    made = [state(10 * lane + n, lane=lane) for lane in range(3) for n in range(9)]
    searcher.update(None, made, covers=False)
    assert [number // 10 for number in drained(searcher)] == [
        *8 * [0], *8 * [1], *8 * [2], 0, 1, 2,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["guards", "masks"])
def test_without_guards_there_are_no_groups(name: str) -> None:
    wrap = strategies()[name].wrap
    assert wrap is not None
    assert isinstance(wrap(DepthFirst, context()), DepthFirst)
    assert isinstance(wrap(DepthFirst, context(**{name: key})), Groups)


def test_where_nothing_has_a_test_all_come_in_their_order() -> None:
    searcher = Uncovered(BreadthFirst, context(witnessed={1}))
    searcher.update(None, states(9, targets=(1, 2)), covers=False)
    assert drained(searcher) == list(range(9))


def test_a_state_whose_targets_have_got_tests_moves_and_covers_nothing_by_that() -> None:
    witnessed, made = set[int](), list[Told]()

    def make() -> Told:
        made.append(Told())
        return made[-1]

    searcher = Uncovered(make, context(witnessed=witnessed))
    searcher.update(None, [state(1, targets=(1,)), state(2, targets=(2,))], covers=False)
    witnessed.add(1)
    assert searcher.select().id == 2
    assert made[1].updates[1:] == [(1, [], False)] and made[2].updates == [(1, [1], False)]


def test_any_state_comes_in_every_second_turn() -> None:
    wrap = strategies()["uniform"].wrap
    assert wrap is not None
    searcher, alone = wrap(DepthFirst, context(seed=7)), RandomState(7)
    assert searcher.name == "round robin of depth-first, random state"
    made = states(20)
    for each in (searcher, alone):
        each.update(None, made, covers=False)
    newest = list(range(20))
    for turn in range(20):
        chosen = searcher.select()
        if turn % 2:
            assert chosen is alone.select()
        else:
            assert chosen.id == newest[-1]
        newest.remove(chosen.id)
        alone.update(chosen, (), covers=False)
        searcher.update(chosen, (), covers=False)


def test_the_nearest_to_an_unmet_change_comes_in_every_second_turn() -> None:
    covered: set[Spot] = set()
    surrounded = context(unmet=frontier(spots(8), covered))
    wrap = strategies()["unmet"].wrap
    assert wrap is not None
    searcher = wrap(BreadthFirst, surrounded)
    assert searcher.name == "round robin of breadth-first, nearest"
    searcher.update(None, [state(n, block=n) for n in range(8)], covers=False)
    assert [searcher.select().id for _ in range(4)] == [0, 7, 1, 6]
    covered |= spots(8)
    for _ in range(STALE):
        assert surrounded.unmet is not None
        surrounded.unmet.refreshed()
    assert drained(searcher) == [2, 3, 4, 5]  # there is none any more


def test_a_search_without_changes_has_no_unmet_ones() -> None:
    wrap = strategies()["unmet"].wrap
    assert wrap is not None and isinstance(wrap(DepthFirst, context()), DepthFirst)


def test_for_one_program_lanes_come_first_and_then_speculations() -> None:
    searcher = in_turns(DepthFirst)
    made = [state(2 * lane + d, lane=lane, deferred=d) for lane in range(2) for d in range(2)]
    searcher.update(None, made, covers=False)
    assert isinstance(searcher, Turns)
    assert drained(searcher) == [0, 1, 2, 3]


def test_states_whose_targets_all_have_tests_get_one_turn_of_four() -> None:
    witnessed = {1}
    searcher = Uncovered(BreadthFirst, context(witnessed=witnessed))
    known, new = states(8, targets=(1,)), [state(10 + n, targets=(1, 2)) for n in range(8)]
    searcher.update(None, [*known, *new], covers=False)
    assert [searcher.select().id for _ in range(8)] == [10, 11, 12, 0, 13, 14, 15, 1]
    witnessed.add(2)  # by a test that has been made since
    assert drained(searcher) == [2, 3, 4, 5, 6, 7, 16, 17]


# ------------------------------------------------------------------ the whole stack


def test_guided_search_without_its_strategies_is_published_search() -> None:
    def order(name: str, *without: str) -> list[int]:
        searcher = build_searcher(chosen(name, without), surroundings(3))
        made = [
            state(n, lane=n % 4, steps=n * 7 % 11, forks=n % 3, deferred=n % 2) for n in range(60)
        ]
        searcher.update(None, made, covers=False)
        return drained(searcher)

    assert order("guided", "all") == order("published") != order("guided")
    assert chosen("published").strategies == ()


@pytest.mark.parametrize("name", WRAPPED)
def test_a_strategy_that_is_left_out_is_not_there(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from symexec.search import registry

    made: list[str] = []

    def noting(wrap: Callable[..., Searcher], name: str) -> Callable[..., Searcher]:
        def wrapped(make: Callable[[], Searcher], surroundings: Context) -> Searcher:
            made.append(name)
            return wrap(make, surroundings)

        return wrapped

    for each in strategies().values():
        if each.wrap is not None:
            monkeypatch.setitem(
                registry._STRATEGIES,
                each.name,
                replace(each, wrap=noting(each.wrap, each.name)),
            )
    has = [each for each in WRAPPED if chosen("guided").has(each)]
    for without in ((), (name,)):
        made.clear()
        searcher = build_searcher(chosen("guided", without), surroundings())
        searcher.update(None, [state(1)], covers=False)
        assert set(made) == {each for each in has if each not in without}


def test_isolated_search_is_guided_search_towards_other_targets() -> None:
    assert chosen("isolated").strategies == chosen("guided").strategies
    assert modes()["isolated"].make is modes()["guided"].make is directed
    assert chosen("isolated").mode.aim is not chosen("guided").mode.aim


@pytest.mark.parametrize(
    ("frame", "dropped"),
    [
        (Frame(1), True),
        (Frame(2), False),  # a change can be reached from its block
        (Frame(1, caller=Frame(2)), False),  # or from where it returns to
        (Frame(1, Function("g"), Frame(1)), True),
        (Frame(2, Function("g"), Frame(1)), True),  # the same block of another function
        (Frame(1, Function("g"), Frame(1, Function("set"))), False),  # longjmp leads back there
    ],
)
def test_a_state_is_dropped_that_neither_reaches_a_change_nor_carries_one(
    frame: Frame, dropped: bool
) -> None:
    hopeless = pruner({("f", 2)}, {"set"})
    each = state(1)
    each.frame = frame  # type: ignore[assignment]
    assert hopeless(each) == dropped
    each.mode = NEW
    assert not hopeless(each)
    each.mode = BOTH
    assert hopeless(each) == dropped
    each.shadows = True
    assert not hopeless(each)
