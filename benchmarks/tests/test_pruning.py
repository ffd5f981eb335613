"""What can neither reach a change nor carry one is dropped, and nothing is lost by it."""

from __future__ import annotations

import pytest

from benchmarks.pruning import PAIRS, measured

NAMED = {pair.name: pair for pair in PAIRS}


@pytest.mark.parametrize("name", ["foo", "bar", "cut_ranges, 3 bytes", "commands, 4 bytes"])
def test_pruning_drops_states_and_no_diff_path(name: str) -> None:
    pruned, whole = measured(NAMED[name], prune=True), measured(NAMED[name], prune=False)
    assert pruned.exhausted and whole.exhausted and not whole.counters.pruned
    assert pruned.counters.diff_paths == whole.counters.diff_paths
    assert pruned.counters.states <= whole.counters.states
    if name.startswith("commands"):
        assert pruned.counters.pruned and 2 * pruned.counters.states < whole.counters.states
