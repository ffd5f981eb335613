"""A call that records an omission is missed when it is deleted: three of them by day, all of them
at night."""

from __future__ import annotations

import pytest

from benchmarks import omissions


@pytest.mark.parametrize(
    "words",
    [["--sample", "3"], pytest.param([], marks=pytest.mark.night)],
    ids=["three", "all"],
)
def test_each_call_is_missed(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    code = omissions.in_copy(words)
    assert code == 0, capfd.readouterr().out


def test_a_call_that_no_test_meets_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that does not meet its call is told from one that does."""
    names = {site.name: site for site in omissions.SITES.sites()}
    site = names["symexec/runtime/process.py:tell:approximated"]
    other = names["symexec/runtime/process.py:admit_giving_up:unsupported"]
    assert "context.event" in site.file.read_text() and "context.event" not in site.removed()
    monkeypatch.setattr(omissions, "tests_of", lambda each: TESTS)
    assert (omissions.is_missed(site), omissions.is_missed(other)) == (True, False)


TESTS = [f"{omissions.REPORT}[symexec/runtime/process.py:tell:approximated]"]
