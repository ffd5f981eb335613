"""The table of what is predicted wrongly: figures of a report, and the document made of them."""

from __future__ import annotations

from benchmarks.predictions import COLUMNS, document, figures

REPORT = {
    "verdict": "different",
    "tests": [
        {"observed": "different", "class": "difference"},
        {"observed": "same", "class": "nondeterministic"},
        {"observed": "same", "class": "path-only"},
        {"observed": "not-replayed", "class": ""},
    ],
    "native": {"tests": 7},
    "counters": {
        "mispredicted": 2,
        "refused": {"alike in every way of running": 2},
        "branches_compared": 3,
        "branch_mismatches": 1,
        "branches_left_out": ["no time left (1)"],
    },
}


def test_what_a_report_says_of_its_predictions() -> None:
    found = {"name": "debian/par", "load": 2.4, "seconds": 30.0, **figures(REPORT)}
    refused = {"name": "debian/none", "load": 1.0, "seconds": 20.0, "said": ["csgtest: error: no"]}
    lines = document([found, refused]).splitlines()
    rows = [line for line in lines if line.startswith("| debian/")]
    assert rows[0] == (
        "| debian/par | different | 4 | 3 | 1 | 7 | alike in every way of running: 2 | "
        "nondeterministic: 1 | 3 | 1 | no time left (1) |"
    )
    assert "error: no" in rows[1]
    assert {row.count("|") for row in rows} == {len(COLUMNS) + 1}
    assert "**4 tests, 3 of them replayed: 2 not as predicted." in lines
    assert any("20 or 30 s each, on two cores with a load of" in line for line in lines)
