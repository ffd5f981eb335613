"""Calls that nobody would write end with a message (``python -m benchmarks.fuzz`` has 2,000)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.fuzz import cases, tried


def test_mutated_pairs_and_words_that_are_no_options_end_with_a_message(tmp_path: Path) -> None:
    codes: Counter[int] = Counter()
    for case in cases(seed=7, number=25):
        code, wrong = tried(case, tmp_path)
        assert not wrong, (case.words, case.new)
        codes[code] += 1
    assert codes[0] > 3 and codes[2] > 3 and codes.keys() <= {0, 1, 2}
