"""The ledger of omissions decides what a verdict may claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.errors import Location
from symexec.ledger import (
    REASONS,
    SEARCH_UNFINISHED,
    Claim,
    Ledger,
    Omission,
    Reason,
    Verdict,
    merge,
    verdict_of,
)
from tests.verdicts import DOCUMENT, renewed

EQUAL = (Verdict.NO_CHANGE, Verdict.EQUIVALENT_WITHIN_BOUNDS)
OMISSIONS = st.builds(
    Omission,
    st.sampled_from(Reason),
    st.sampled_from(["a", "b"]),
    st.builds(Location, st.sampled_from(["x.c", "y.c"]), st.integers(1, 3)),
)


def test_every_reason_has_a_row() -> None:
    assert set(REASONS) == set(Reason)


def test_the_document_has_the_table_of_the_type() -> None:
    text = DOCUMENT.read_text()
    assert renewed(text) == text


@pytest.mark.parametrize("reason", list(Reason))
@pytest.mark.parametrize("changed", [False, True])
def test_an_omission_withdraws_what_its_row_says(reason: Reason, changed: bool) -> None:
    ledger = Ledger()
    equal = Verdict.EQUIVALENT_WITHIN_BOUNDS if changed else Verdict.NO_CHANGE
    assert verdict_of(ledger, changed, differing=False) is equal
    ledger.record(Omission(reason, "left out"))
    for claim in Claim:
        assert ledger.allows(claim) is (claim not in REASONS[reason].withdraws)
    verdict = verdict_of(ledger, changed, differing=False)
    assert (verdict in EQUAL) is ledger.allows(Claim.EQUALITY)
    assert verdict_of(ledger, changed, differing=True) is Verdict.DIFFERENT


def test_a_search_that_never_ended_claims_nothing() -> None:
    ledger = Ledger()
    ledger.record(SEARCH_UNFINISHED)
    assert not ledger.allows(Claim.ALL_PATHS)
    ledger.strike(SEARCH_UNFINISHED)
    assert ledger.allows(Claim.ALL_PATHS)


@given(st.lists(st.lists(OMISSIONS, max_size=4), max_size=4))
def test_merged_ledgers_have_all_omissions_with_their_counts(parts: list[list[Omission]]) -> None:
    ledgers = []
    for part in parts:
        ledgers.append(Ledger())
        for omission in part:
            ledgers[-1].record(omission)
    every = [omission for part in parts for omission in part]
    assert merge(ledgers).entries == {each: every.count(each) for each in every}


@given(st.lists(OMISSIONS, max_size=6), OMISSIONS)
def test_no_omission_makes_a_verdict_stronger(known: list[Omission], more: Omission) -> None:
    ledger = Ledger()
    for omission in known:
        ledger.record(omission)
    before = {claim for claim in Claim if ledger.allows(claim)}
    ledger.record(more)
    assert {claim for claim in Claim if ledger.allows(claim)} <= before


def test_paths_that_go_on_elsewhere_are_taken_back() -> None:
    ledger = Ledger()
    ledger.record(Omission(Reason.TIME, "waiting", Location("x.c", 1)), 3)
    ledger.record(Omission(Reason.TIME, "running", Location("x.c", 1)))
    ledger.take_back(Reason.TIME, "waiting")
    assert [each.text for each in ledger.entries] == ["running"]
