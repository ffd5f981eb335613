"""The two ways to find what belongs together in two lists."""

from __future__ import annotations

from random import Random

import pytest

from csg.unify.matching.alignment import Match, Pairing, align, anchors


def matches(old: str, new: str) -> str:
    """The letters that are paired when equal ones may be and each costs 1 to leave out."""

    def at(i: int, j: int) -> list[Match]:
        return [Match(i, j, i + 1, j + 1, (), 0)] if old[i] == new[j] else []

    found = align(Pairing([1] * len(old), [1] * len(new), at))
    return "".join(old[match.old] for match in found)


@pytest.mark.parametrize(
    ("old", "new", "common"),
    [
        ("", "abc", ""),
        ("abc", "abc", "abc"),
        ("abcd", "acd", "acd"),
        ("xaybz", "ab", "ab"),
        ("abcabba", "cbabac", "baba"),
        ("ab", "ba", "b"),
    ],
)
def test_alignment(old: str, new: str, common: str) -> None:
    assert len(matches(old, new)) == len(common)


def longest(old: str, new: str) -> int:
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old):
        for j, other in enumerate(new):
            best = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else best
    return table[-1][-1]


def test_weights_without_a_price_for_regions_give_a_longest_common_subsequence() -> None:
    random = Random(7)
    for _ in range(50):
        old, new = ("".join(random.choices("abcde", k=random.randrange(9))) for _ in range(2))
        assert len(matches(old, new)) >= longest(old, new) - 1, (old, new)


def test_anchors_increase_and_are_equal() -> None:
    random = Random(3)
    old = [random.randrange(60) for _ in range(80)]
    new = [number for number in old if random.random() < 0.8]
    found = anchors(old, new)
    assert found
    assert all(old[i] == new[j] for i, j in found)
    assert found == sorted(found) and [j for _, j in found] == sorted(j for _, j in found)


def test_short_lists_need_no_anchors() -> None:
    assert anchors([1, 2, 3], [1, 2, 3]) == []
