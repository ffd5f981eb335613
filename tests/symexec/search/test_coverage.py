"""Towards code that nobody has reached: how far it is, and who goes there in which order."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symexec.search import frontier as frontiers
from symexec.search.frontier import (
    STALE,
    WARM_UP,
    Covering,
    Frontier,
    Nearest,
    NearestNewCode,
    _Places,
)
from symexec.search.searchers import SLACK
from symexec.search.targets import FAR, Spot
from symexec.state.state import State
from tests.symexec.search.fakes import Blocks, Frame, Function, frontier, spots, state

# ------------------------------------------------------------------ how far


def test_distances_are_worked_out_when_the_search_has_begun_in_earnest() -> None:
    blocks = Blocks()
    made = frontier(spots(5), set(), blocks, warm=False)
    assert [made.refreshed() for _ in range(WARM_UP - 1)] == [False] * (WARM_UP - 1)
    assert not made.known and made.distance(state(1)) == FAR and not blocks.asked
    assert made.refreshed() and made.known
    assert made.distance(state(1)) == 5
    assert blocks.asked == [[("f", 5)]]


def test_they_lead_to_what_is_wanted_and_not_covered_in_the_order_of_the_program() -> None:
    blocks = Blocks()
    made = frontier(spots(9, 2, 7, 4), spots(2, 4, 50), blocks)
    assert blocks.asked == [[("f", 7), ("f", 9)]]
    assert [made.distance(state(1, block=block)) for block in (0, 7, 8, 9, 10)] == [7, 0, 1, 0, FAR]


def test_they_are_worked_out_anew_after_a_while_when_something_was_covered() -> None:
    blocks, covered = Blocks(), set[Spot]()
    made = frontier(spots(5, 8), covered, blocks)
    covered |= spots(5)
    assert [made.refreshed() for _ in range(STALE - 1)] == [True] * (STALE - 1)
    assert len(blocks.asked) == 1 and made.distance(state(1)) == 5
    assert made.refreshed()
    assert blocks.asked[1:] == [[("f", 8)]] and made.distance(state(1)) == 8
    assert all(made.refreshed() for _ in range(3 * STALE))
    assert len(blocks.asked) == 2, "nothing was covered since"
    covered |= spots(6)
    made.refreshed()
    assert len(blocks.asked) == 3, "they were old enough already"


def test_nothing_is_left_in_the_end() -> None:
    covered = set[Spot]()
    made = frontier(spots(5), covered)
    covered |= spots(5)
    assert [made.refreshed() for _ in range(STALE)] == [*(STALE - 1) * [True], False]
    made = frontier(spots(5), spots(5))
    assert not made.refreshed() and not made.known


def test_the_way_leads_back_to_callers_and_ends_with_the_program() -> None:
    made = frontier(spots(5), set(), Blocks({("g", 0): 2}))
    inside = state(1)
    inside.frame = Frame(0, Function("g"), Frame(3))  # type: ignore[assignment]
    assert made.distance(inside) == 2 + 1 + 2
    inside.frame = None
    assert made.distance(inside) == FAR


# ------------------------------------------------------------------ nearest to new code


def order(searcher: NearestNewCode | Covering, turns: int) -> list[int]:
    """The states of the next turns, none of which comes back."""
    return [searcher.select().id for _ in range(turns)]


def test_the_nearest_comes_first_once_distances_are_known() -> None:
    made = frontier(spots(50), set(), warm=False)
    searcher = NearestNewCode(made)
    searcher.update(None, [state(block, block=block) for block in (10, 30, 20, 60)], covers=False)
    for _ in range(WARM_UP - 2):
        made.refreshed()
    assert order(searcher, 1) == [60], "all are as far, and it is the newest"
    assert order(searcher, 3) == [30, 20, 10], "the way has become shorter for all"
    assert searcher.empty() and searcher.name == "nearest to new code"


def test_what_was_covered_since_counts() -> None:
    covered = set[Spot]()
    made = frontier(spots(20, 90), covered)
    searcher = NearestNewCode(made)
    searcher.update(None, [state(block, block=block) for block in (15, 70, 10)], covers=False)
    assert order(searcher, 1) == [15]
    covered |= spots(20)
    for _ in range(STALE):
        made.refreshed()
    assert order(searcher, 2) == [70, 10]


# ------------------------------------------------------------------ covering


def covering(made: Frontier, *waiting: State) -> Covering:
    searcher = Covering(0, made)
    searcher.update(None, waiting, covers=False)
    return searcher


def test_the_nearest_of_places_comes_less_often_the_more_it_was_tried() -> None:
    """Of two steps to block 5, and five; every try makes it four steps more."""
    searcher = Nearest(frontier(spots(5), set()))
    searcher.update(None, [state(0, block=3), state(1, block=0)], covers=False)
    taken = []
    for number in range(2, 6):
        chosen = searcher.select()
        taken.append(chosen.id)
        searcher.update(chosen, [chosen, state(number, block=3)], covers=False)
    assert taken == [0, 1, 0, 1]


def test_the_newest_comes_first_until_distances_are_known() -> None:
    searcher = Nearest(frontier(spots(5), set(), warm=False))
    searcher.update(None, [state(1, block=4), state(2, block=1)], covers=False)
    assert searcher.select().id == 2 and not searcher.empty()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), max_size=60), st.booleans())
def test_what_waits_is_selected_once(steps: list[tuple[int, int]], warm: bool) -> None:
    """0: what is selected ends; 1: another searcher runs the oldest; more: it forks."""
    searcher, alive, made = Nearest(frontier(spots(5), set(), warm=warm)), {0: state(0)}, 1
    searcher.update(None, list(alive.values()), covers=False)
    for step, block in steps:
        assert searcher.empty() == (not alive)
        assert {each.id for each in searcher.states()} == alive.keys()
        if not alive:
            break
        chosen = next(iter(alive.values())) if step == 1 else searcher.select()
        assert alive.pop(chosen.id) is chosen
        more = [state(made + each, block=block) for each in range(step)]
        made += step
        added = [chosen, *more] if step > 1 else more
        alive.update({each.id: each for each in added})
        searcher.update(chosen, added, covers=False)


def test_before_distances_are_known_the_newest_comes_first_now_and_then_any() -> None:
    searcher = covering(frontier(spots(5), set(), warm=False), *(state(n) for n in range(100)))
    found = order(searcher, 48)
    newest = list(range(99, -1, -1))
    for turn, number in enumerate(found, 1):
        if turn % 16:
            assert number == newest[0]
        newest.remove(number)
    assert [found[turn - 1] for turn in (16, 32, 48)] != [84, 68, 52], "any state"
    assert len(searcher.states()) == 52


def test_three_turns_of_four_are_for_the_nearest_the_fourth_for_the_newest() -> None:
    searcher = covering(frontier(spots(50), set()), *(state(n, block=49 - n) for n in range(40)))
    assert order(searcher, 8) == [0, 1, 2, 39, 3, 4, 5, 38]
    assert searcher.name == "coverage"


def test_of_those_at_one_place_the_newest_and_the_oldest_come_in_turn() -> None:
    waiting = [state(n, block=40) for n in range(8)] + [state(9, block=90)]
    searcher = covering(frontier(spots(50), set()), *waiting)
    assert order(searcher, 3) == [7, 0, 6]
    assert order(searcher, 1) == [5], "the fourth turn: the newest that can come to new code"
    assert order(searcher, 3) == [1, 4, 2]


def test_a_place_that_is_tried_often_comes_behind_others() -> None:
    """Each try counts as four instructions more of the way; of equals the newer comes first."""
    waiting = [state(n, block=46) for n in range(6)] + [state(10 + n, block=41) for n in range(6)]
    searcher = covering(frontier(spots(50), set()), *waiting)
    where = ["near" if number < 10 else "far" for number in order(searcher, 3)]
    assert where == ["near", "near", "far"]  # 4, 8, and 9 before 12
    assert order(searcher, 1) == [14]


def test_what_is_covered_makes_a_place_farther_before_it_is_taken() -> None:
    covered = set[Spot]()
    made = frontier(spots(20, 90), covered)
    near, other = state(1, block=19), state(2, block=60)
    searcher = covering(made, near, state(3, block=19), other)
    assert order(searcher, 1) == [3]
    covered |= spots(20)
    for _ in range(STALE):
        made.refreshed()
    assert order(searcher, 2) == [2, 1]


def test_no_way_leads_to_new_code_from_what_comes_last() -> None:
    """States 0 to 5 are behind the last new block; of the others the newest comes first."""
    behind = [state(n, block=60 + n) for n in range(6)]
    searcher = covering(frontier(spots(50), set()), *behind, state(7, block=10))
    assert order(searcher, 1) == [7]
    assert order(searcher, 6) == [5, 4, 3, 2, 1, 0]
    assert searcher.empty()


def test_a_state_that_was_passed_over_moves_on_by_itself() -> None:
    """What goes behind others there is a new state when it comes back."""
    behind, before = state(1, block=60), state(2, block=10)
    searcher = covering(frontier(spots(50), set()), before, behind)
    for _ in range(3):
        taken = searcher.select()
        assert taken is before
        searcher.update(taken, [taken], covers=False)
    assert searcher.select() is before, "in the fourth turn, too"
    assert order(searcher, 1) == [1]


def test_what_has_come_to_new_code_goes_on_at_once() -> None:
    searcher = covering(frontier(spots(50), set()), state(1, block=49), state(2, block=48))
    taken = searcher.select()
    searcher.update(taken, [state(3, block=60), state(4, block=1)], covers=True)
    assert order(searcher, 2) == [4, 3]
    assert order(searcher, 1) == [2]


def test_states_that_others_have_run_are_not_taken_again() -> None:
    """By each of the ways in which a state is found."""
    one, other, third = (state(n, block=10) for n in range(3))
    searcher = Covering(0, frontier(spots(50), set()))
    searcher.update(None, [one, other, third], covers=True)
    searcher.update(third, (), covers=False)
    searcher.update(other, (), covers=False)
    assert searcher.select() is one and searcher.empty()
    searcher.update(one, [other], covers=False)
    assert searcher.states() == [other] and order(searcher, 1) == [1]


def test_the_longer_nothing_is_new_the_more_turns_the_newest_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of four turns three are for the nearest at first, then one, then one of 8, of 12 .. of 64;
    when something is new it begins anew. Each sixteenth turn is for any state."""
    monkeypatch.setattr(frontiers, "PATIENCE", 100)
    searcher = covering(frontier(spots(50_000), set()))
    made = count()

    def chosen(turns: int) -> list[str]:
        """Who is taken; the nearest and the newest are the only states, and end with the turn."""
        found = []
        for _ in range(turns):
            near, new = state(next(made), block=49_999), state(next(made), block=1)
            searcher.update(None, [near, new], covers=False)
            found.append("nearest" if searcher.select() is near else "newest")
            searcher.update(near, (), covers=False)
            searcher.update(new, (), covers=False)
        return found

    def nearest(found: list[str], first: int) -> list[int]:
        """In which turns, those for any state left out."""
        return [turn for turn, kind in enumerate(found, first) if kind == "nearest" and turn % 16]

    monkeypatch.setattr(frontiers, "PATIENCE", 6)
    assert nearest(chosen(6), 1) == [1, 2, 3, 5]
    searcher = covering(frontier(spots(50_000), set()))
    monkeypatch.setattr(frontiers, "PATIENCE", 100)
    found = chosen(99)
    assert nearest(found, 1) == [turn for turn in range(1, 100) if turn % 4]
    found = chosen(101)
    assert nearest(found, 100) == [turn for turn in range(100, 200) if turn % 4 == 1]
    found = chosen(99)
    assert nearest(found, 201) == [turn for turn in range(201, 300) if turn % 8 == 1]
    chosen(1301)
    found = chosen(1000)
    assert nearest(found, 1601) == [turn for turn in range(1601, 2601) if turn % 64 == 1]
    searcher.update(None, (), covers=True)
    assert nearest(chosen(8), 2601) == [2601, 2602, 2603, 2605, 2606, 2607]


def test_what_has_come_to_new_code_goes_on_also_in_the_turn_of_any_state() -> None:
    searcher = covering(frontier(spots(50), set()), *(state(n, block=n % 40) for n in range(100)))
    order(searcher, 15)
    searcher.update(None, [state(200, block=1)], covers=True)
    assert order(searcher, 1) == [200]


def test_before_distances_are_known_no_state_is_taken_for_hopeless() -> None:
    made = frontier(spots(50), set(), warm=False)
    within, behind = state(1, block=10), state(2, block=60)
    searcher = covering(made, within, behind, state(3, block=10))
    assert order(searcher, 1) == [3]
    for _ in range(WARM_UP):
        made.refreshed()
    searcher._turn = 3  # the fourth turn: the newest that can come to new code
    assert order(searcher, 1) == [1]


def test_those_that_are_gone_hide_nobody() -> None:
    made = frontier(spots(50), set())
    within, behind, gone = state(1, block=10), state(2, block=60), state(3, block=10)
    searcher = covering(made, within, behind, gone)
    searcher.update(gone, (), covers=False)
    searcher._turn = 3
    assert order(searcher, 1) == [1]


def test_states_that_have_ended_are_not_held() -> None:
    """By no way in which a state is found; some may be, beside twice as many as wait."""
    searcher = covering(frontier(spots(50), set()), state(0, block=60))
    for number in range(1, 1000):
        taken = searcher.select() if number > 1 else None
        made = state(number, block=number % 70)
        searcher.update(taken, [made], covers=number % 5 == 0)
    lists = (searcher._newest, searcher._unplaced, searcher._beyond, searcher._eager)
    groups = searcher._places._groups.values()
    most = SLACK + 2 * len(searcher._pool) + 2
    assert len(searcher._pool) == 2
    assert all(len(each) <= most for each in (*lists, [one for each in groups for one in each]))


def test_places_forget_those_that_others_have_run() -> None:
    """All are at one place, and were put there for the first selection."""
    waiting = [state(n, block=10) for n in range(300)]
    searcher = covering(frontier(spots(50), set()), *waiting)
    searcher.update(searcher.select(), (), covers=False)
    for each in waiting[10:299]:
        searcher.update(each, (), covers=False)
    assert sum(map(len, searcher._places._groups.values())) == 299
    searcher.update(searcher.select(), (), covers=False)
    assert len(searcher._pool) == sum(map(len, searcher._places._groups.values())) == 9


def test_entries_go_when_they_are_sixty_four_more_than_twice_those_that_wait() -> None:
    """Each state is placed once."""
    searcher = covering(frontier(spots(50), set()), *(state(n, block=10) for n in range(11)))
    order(searcher, 1)
    assert len(searcher._newest) == 11 and not searcher._unplaced
    for number in range(64 + 20 - 11):
        made = state(100 + number, block=10)
        searcher.update(None, [made], covers=False)
        searcher.update(made, (), covers=False)
    searcher._forget_those_gone()
    assert len(searcher._newest) == 84 and len(searcher._unplaced) == 73
    last = state(300, block=10)
    searcher.update(None, [last], covers=False)
    searcher.update(last, (), covers=False)
    searcher._forget_those_gone()
    assert [each.id for each in searcher._newest] == list(range(10))


# ------------------------------------------------------------------ places


def places(*waiting: State) -> _Places:
    made = _Places(frontier(spots(50), set()))
    for each in waiting:
        made.add(each)
    return made


def asked_for(made: _Places, present: set[int]) -> tuple[list[int], list[int]]:
    """The numbers of the states that are taken, and of all that are looked at for that."""
    looked, taken = [], []

    def waiting(each: State) -> bool:
        looked.append(each.id)
        return each.id in present and each.id not in taken

    while (found := made.take(waiting)) is not None:
        taken.append(found.id)
    return taken, looked


def test_a_state_whose_way_has_grown_goes_to_its_new_place() -> None:
    covered = set[Spot]()
    known = frontier(spots(20, 90), covered)
    made = _Places(known)
    for each in (state(1, block=19), state(2, block=19), state(3, block=60)):
        made.add(each)
    covered |= spots(20)
    for _ in range(STALE):
        known.refreshed()
    assert asked_for(made, {1, 2, 3})[0] == [3, 1, 2]


def test_those_gone_are_forgotten_when_they_are_too_many() -> None:
    made = places(*(state(n, block=n % 2) for n in range(10)))
    some = {0, 3, 4, 7, 8, 9}
    made.forget_those_gone(lambda each: each.id in some, most=10)
    made.forget_those_gone(lambda each: each.id in some, most=9)
    made.forget_those_gone(lambda each: each.id in {3, 4}, most=6)
    taken, looked = asked_for(made, {3, 4})
    assert sorted(set(looked)) == sorted(some) and sorted(taken) == [3, 4]
    made = places(*(state(n, block=n % 2) for n in range(10)))
    made.forget_those_gone(lambda each: each.id in some, most=9)
    made.forget_those_gone(lambda each: each.id in {3, 4}, most=5)
    assert sorted(asked_for(made, some)[0]) == [3, 4], "six were left: more than five"


def test_what_is_taken_is_not_held() -> None:
    made = places(*(state(n, block=0) for n in range(10)))
    found = made.take(lambda each: True)
    assert found is not None and found.id == 9
    made.forget_those_gone(lambda each: False, most=9)
    assert asked_for(made, set(range(9)))[0] == [0, 8, 1, 7, 2, 6, 3, 5, 4]
    for number in range(3):
        made.add(state(20 + number, block=0))
    made.forget_those_gone(lambda each: each.id > 20, most=2)
    assert sorted(asked_for(made, set(range(30)))[0]) == [21, 22]


def test_a_state_that_came_to_a_place_twice_is_there_once_when_others_are_forgotten() -> None:
    twice = state(1)
    made = places(twice, state(2), twice, twice)
    made.forget_those_gone(lambda each: True, most=3)
    assert sorted(asked_for(made, {1, 2})[1]) == [1, 2]


def test_the_nearest_are_shown_first() -> None:
    made = frontier(spots(50), set(), warm=False)
    for _ in range(WARM_UP - 1):
        made.refreshed()
    searcher = covering(made, *(state(block, block=block) for block in (10, 70, 40, 20)))
    assert [each.id for each in searcher.states()] == [40, 20, 10, 70]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60), st.booleans()), max_size=60),
    st.booleans(),
)
def test_each_state_comes_once(steps: list[tuple[int, int, bool]], warm: bool) -> None:
    """0: select; else so many states join at a block, as what became of the one selected before."""
    covered = set[Spot]()
    searcher = Covering(0, frontier(spots(20, 40), covered, warm=warm))
    waiting, taken, made = dict[int, State](), None, 0
    for joining, block, covers in steps:
        if joining:
            added = [state(made + n, block=block) for n in range(joining)]
            made += joining
            covered |= spots(block) if covers else set()
            searcher.update(taken, added, covers)
            waiting |= {each.id: each for each in added}
            taken = None
        elif waiting:
            taken = searcher.select()
            assert waiting.pop(taken.id) is taken
        assert searcher.empty() == (not waiting)
        assert {each.id for each in searcher.states()} == waiting.keys()


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_takes_the_same_states(seed: int) -> None:
    def run() -> list[int]:
        searcher = Covering(seed, frontier(spots(50), set()))
        searcher.update(None, [state(n, block=n % 60) for n in range(200)], covers=False)
        return order(searcher, 200)

    assert run() == run() and sorted(run()) == list(range(200))
