"""What ``python -m benchmarks.models`` keeps and writes; tests/symexec/runtime tries the models."""

from __future__ import annotations

from pathlib import Path

from benchmarks.models import Record, Results, page


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    results = Results(tmp_path / "models.jsonl", "seed 1, 3 rounds")
    good = Record("strlen", results.asked, {"forced agrees": 3})
    bad = Record("strchr", results.asked, {"forced differs": 1}, ["forced: 1 became 2"])
    other = Record("strspn", "seed 2, 3 rounds", {"forced agrees": 3})
    for record in (good, bad, other):
        results.keep(record)
    assert results.known() == {"strlen": good}
    results.keep(Record("strchr", results.asked, {"forced agrees": 1}))
    assert results.known().keys() == {"strlen", "strchr"}


def test_the_page_names_each_model_that_is_not_tried() -> None:
    left = {f"__VERIFIER_{number}": "of verifiers" for number in range(20)}
    bounded = Record("qsort", "", {"forced agrees": 2}, bounded="after 1 of 3 rounds")
    wrong = Record("abs", "", {"point differs": 1}, ["point: 1 became 2"])
    written = page({"qsort": bounded, "abs": wrong}, left, "seed 1, 3 rounds")
    assert all(f"`{name}`" in written for name in left)
    assert "Models that differ: `abs`." in written
    assert "| after 1 of 3 rounds | `qsort` |" in written
    assert "| point | 0 | 0 | 0 | 0 | 0 | 1 |" in written
