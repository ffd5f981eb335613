"""Smallest sets of changes, checked against brute force."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symexec.triage.blame import (
    Ids,
    Patience,
    Requirements,
    Smallest,
    closed,
    ddmin,
    generating,
    smallest_sets,
)

causes = st.lists(st.frozensets(st.integers(1, 6), min_size=1, max_size=3), min_size=1, max_size=3)
needs = st.dictionaries(st.integers(2, 6), st.integers(1, 5).map(lambda i: frozenset({i})))


def subsets(ids: range) -> list[Ids]:
    return [frozenset(s) for s in chain.from_iterable(combinations(ids, n) for n in range(7))]


@given(causes)
def test_all_minimal_sets_are_found(sets: list[Ids]) -> None:
    def has(ids: Ids) -> bool:
        return any(cause <= ids for cause in sets)

    minimal = {cause for cause in sets if not any(other < cause for other in sets)}
    found = smallest_sets(range(1, 7), has)
    assert set(found.sets) == minimal
    assert found.complete
    assert [len(ids) for ids in found.sets] == sorted(map(len, found.sets))


@given(st.frozensets(st.frozensets(st.integers(1, 6), min_size=1), max_size=12), needs)
def test_any_property_even_one_that_comes_and_goes(
    sets: frozenset[Ids], requires: dict[int, Ids]
) -> None:
    candidates = {closed(ids, requires) for ids in subsets(range(1, 7)) if ids}
    having = {ids for ids in candidates if ids in sets}
    expected = {ids for ids in having if not any(other < ids for other in having)}
    assert set(smallest_sets(range(1, 7), sets.__contains__, requires).sets) == expected


@given(st.frozensets(st.integers(1, 40), min_size=1, max_size=5), needs)
def test_ddmin_gives_a_set_that_loses_the_property_with_any_member(
    cause: Ids, requires: dict[int, Ids]
) -> None:
    whole = closed(cause, requires)

    def has(ids: Ids) -> bool:
        return whole <= ids

    found = ddmin(frozenset(range(1, 41)), has, requires)
    assert has(found) and found == closed(found, requires)
    for member in found:
        without = frozenset(i for i in found if member not in closed(frozenset({i}), requires))
        assert not has(without)


@given(st.frozensets(st.integers(1, 60), min_size=1, max_size=4))
def test_many_changes_are_reduced_with_few_questions(cause: Ids) -> None:
    asked = []

    def has(ids: Ids) -> bool:
        asked.append(ids)
        return cause <= ids

    found = smallest_sets(range(1, 61), has)
    assert found.sets[0] == cause
    assert len(asked) <= 256


def test_another_cause_is_found_beside_the_first() -> None:
    def has(ids: Ids) -> bool:
        return {1, 2, 3} <= ids or {20, 21, 22} <= ids

    found = smallest_sets(range(1, 31), has)
    assert set(found.sets) == {frozenset({1, 2, 3}), frozenset({20, 21, 22})}
    assert not found.complete


def test_patience_ends() -> None:
    found = smallest_sets(range(1, 9), lambda ids: len(ids) == 8, patience=Patience(queries=20))
    assert found.sets == () and not found.complete
    late = Patience(deadline=1.0, clock=lambda: 2.0)
    assert smallest_sets((1, 2), lambda ids: True, patience=late).sets == ()


def test_sets_are_closed_under_what_changes_need() -> None:
    assert closed(frozenset({3}), {3: frozenset({2}), 2: frozenset({1})}) == {1, 2, 3}
    found = smallest_sets((1, 2, 3), lambda ids: 3 in ids, {3: frozenset({1})})
    assert found.sets == (frozenset({1, 3}),)


# ------------------------------------------------------------------ many statements, in hunks

HUNKS = {number: (number - 1) // 5 + 1 for number in range(1, 201)}  # 40 hunks of five statements
HEADS = {
    number: frozenset({number - (number - 1) % 5}) for number in range(1, 201) if number % 5 != 1
}


def asked_for(cause: Ids, requires: dict[int, Ids], queries: int = 256) -> tuple[Smallest, int]:
    asked: list[Ids] = []

    def has(ids: Ids) -> bool:
        asked.append(ids)
        assert ids == closed(ids, requires)
        return cause <= ids

    needs = Requirements(requires, HUNKS)
    return smallest_sets(range(1, 201), has, needs, Patience(queries)), len(asked)


@pytest.mark.parametrize(
    ("cause", "most"), [({7}, 70), ({2, 3}, 70), ({2, 183}, 130), ({2, 90, 183}, 170)]
)
@pytest.mark.parametrize("requires", [{}, HEADS])
def test_two_hundred_statements(cause: set[int], most: int, requires: dict[int, Ids]) -> None:
    found, asked = asked_for(frozenset(cause), requires)
    assert found.sets == (closed(frozenset(cause), requires),)
    assert not found.ended
    assert asked <= most


@given(st.frozensets(st.integers(1, 200), min_size=1, max_size=3), st.booleans())
def test_what_is_found_among_two_hundred_is_minimal(cause: Ids, heads: bool) -> None:
    requires = HEADS if heads else {}
    found, asked = asked_for(cause, requires)
    assert found.sets == (closed(cause, requires),)
    assert asked <= 200


@settings(max_examples=settings.default.max_examples // 4)
@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_a_property_that_comes_and_goes_among_many(random: Random, odd: int) -> None:
    """Each set has it or not by chance, the whole always: no smaller step of a result has it."""
    requires = {n: HEADS.get(n, frozenset()) for n in range(1, 61)}
    needs = Requirements(requires, HUNKS)
    known: dict[Ids, bool] = {frozenset(range(1, 61)): True}

    def has(ids: Ids) -> bool:
        return known.setdefault(ids, random.random() < odd / 40)

    found = smallest_sets(range(1, 61), has, needs, Patience(10_000))
    assert found.sets and not found.ended
    for each in found.sets:
        assert has(each) and each == closed(each, requires)
        for member in each:
            less = frozenset(i for i in each if member not in closed(frozenset({i}), requires))
            assert not less or known[less] is False


def test_questions_that_end_are_told_and_what_is_known_is_kept() -> None:
    found, asked = asked_for(frozenset({2, 90, 183}), {}, queries=20)
    assert asked == 20 and found.ended and not found.complete
    (known,) = found.sets
    assert {2, 90, 183} <= known < frozenset(range(1, 201))


def test_what_generates_a_closed_set() -> None:
    requires = {2: frozenset({1}), 4: frozenset({5}), 5: frozenset({4})}
    assert generating(frozenset({1, 2}), requires) == {2}
    assert generating(frozenset({1, 2, 3}), requires) == {2, 3}
    assert generating(frozenset({3, 4, 5}), requires) == {3, 4}
