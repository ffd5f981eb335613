"""Edits that keep a function's behaviour are equivalent within their bounds; near-misses of them
are not, and csgtest has an input that shows it natively.

The pairs are in oracles/equivalence, with their options and near-misses in pairs.toml. That a pair
which claims to be alike really is, is tried by random inputs beside csgtest (``alike.py`` there).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from oracles.equivalence.alike import tried
from oracles.equivalence.pairs import LIMIT, Pair, judged, pairs
from tests.nightly import nightly

ALL = pairs()
RANDOM_INPUTS = 20_000
# Each time: that every sixth pair is equivalent, and every fourth near-miss of the others.
# Floating point takes long.
EQUIVALENT = [pair for pair in ALL[::6] if pair.name != "mean"]
NEAR = [pair for pair in ALL if pair not in EQUIVALENT][::4]
SEARCHED = [
    *(
        pytest.param(
            replace(pair, options=pair.quick),
            id=pair.name,
            marks=[] if pair in EQUIVALENT else pytest.mark.night,
        )
        for pair in ALL
    ),
    *(
        pytest.param(pair, id=f"the whole {pair.name}", marks=pytest.mark.night)
        for pair in ALL
        if pair.quick != pair.options
    ),
]


def named(pair: Pair) -> str:
    return pair.name


def test_there_are_forty_pairs_of_many_kinds() -> None:
    assert len({pair.name for pair in ALL}) == len(ALL) >= 40
    assert len({pair.kind for pair in ALL}) >= 30


@pytest.mark.parametrize("pair", SEARCHED)
def test_an_edit_that_keeps_the_behaviour_is_equivalent_within_bounds(
    pair: Pair, tmp_path: Path
) -> None:
    count, different = tried(pair, pair.old, pair.new, tmp_path, RANDOM_INPUTS)
    assert different is None and count >= 100
    found = judged(pair, pair.old, pair.new, tmp_path / "out")
    assert found.verdict == "equivalent-within-bounds"
    assert found.exhausted and found.paths > 0
    assert found.open_ends == () and found.mispredicted == 0 and found.witness is None
    assert found.seconds < LIMIT


@pytest.mark.parametrize(
    "pair", nightly(ALL, [pair for pair in ALL if pair not in NEAR]), ids=named
)
def test_a_near_miss_is_different_with_a_witness_that_was_replayed(
    pair: Pair, tmp_path: Path
) -> None:
    near = pair.near_miss(tmp_path)
    found = judged(pair, pair.old, near, tmp_path / "out", until_different=True)
    assert found.verdict == "different" and found.mispredicted == 0
    seen = found.witness
    assert seen is not None and seen.observed == "different" and seen.old != seen.new
    assert found.seconds < LIMIT
