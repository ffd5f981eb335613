"""Pages that a measurement writes row by row are as it would write them, and have every row."""

from __future__ import annotations

from benchmarks import counts, equivalence
from oracles.counts.subjects import subjects
from oracles.equivalence.pairs import pairs


def test_the_page_of_counts_tells_of_every_mutant() -> None:
    rows = counts.known_rows()
    assert counts.DOCUMENT.read_text() == counts.document(rows)
    assert rows.keys() == {each.name for mutants in subjects().values() for each in mutants}
    for row in rows.values():
        *_, grid, new, both, _states, _verdict, seconds = row.strip("| ").split(" | ")
        assert grid == new == both and float(seconds) < 60, row


def test_the_page_of_equivalence_tells_of_every_pair() -> None:
    rows = equivalence.known_rows()
    assert equivalence.DOCUMENT.read_text() == equivalence.document(rows)
    assert list(rows) == [pair.name for pair in pairs()]
    assert not [row for row in rows.values() if "WRONG" in row]
