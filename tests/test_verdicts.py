"""The second implementation of the verdict complains where a report claims more than
docs/verdicts.md allows, and agrees with the first one.

The reports are made by hand here. What tests/command_line.py runs is checked as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.errors import Location
from oracles.verdicts import DOCUMENT, Run, complaints, read_document
from symexec.ledger import REASONS, Ledger, Omission, Reason, Verdict, verdict_of
from symexec.report.facts import omission_entries
from symexec.report.model import Report, report_to_json
from symexec.report.words import explored, headline, looked_for
from tests.command_line import Done, keeps_to_document

DIFFERS = {"id": "t1", "observed": "different"}
GROUP = {"id": "g1", "class": "fix", "witness": "t1", "interaction": False}
CHANGE = {"id": 1}


def entry(reason: str, **more: Any) -> dict[str, Any]:
    return {"reason": reason, "text": "left out", "count": 1, "changes": [], **more}


def report(verdict: str, *reasons: str, **more: Any) -> dict[str, Any]:
    return {
        "finished": True,
        "verdict": verdict,
        "changes": [CHANGE],
        "tests": [{"id": "t1", "observed": "same"}],
        "groups": [],
        "omissions": [entry(each) for each in reasons],
        **more,
    }


EQUAL, NOTHING = report("equivalent-within-bounds"), report("no-difference-found", "time")
SAME = report("no-change", changes=[], tests=[])
DIFFERENT = report("different", "time", tests=[DIFFERS], groups=[GROUP])
FOUND = report("different", tests=[DIFFERS], groups=[GROUP])
NO_RUN = report("no-difference-found", "unconfirmed", tests=[])
LATE = report("no-difference-found", "time", native={"unconfirmed": 2})
BEGUN = report("no-difference-found", "unfinished", finished=False)


def grouped(**more: Any) -> dict[str, Any]:
    return report("different", "time", tests=[DIFFERS], groups=[{**GROUP, **more}])


@pytest.mark.parametrize(
    ("run", "code", "text"),
    [
        (Run(EQUAL), 0, "Equivalent for every input: no such input distinguishes the versions.\n"),
        (Run(SAME), 0, "The programs are the same: there is nothing to test.\n"),
        (Run(NOTHING), 0, "Looked for in every input; not all paths were followed.\n"),
        (Run(DIFFERENT), 1, "The versions behave differently.\n"),
        (Run(DIFFERENT), 1, "...\n  change 1  puts(\"; all paths were followed\");\n"),
        (Run(FOUND), 1, "Looked for in every input; all paths were followed.\n"),
        (Run(NO_RUN), 2, ""),
        (Run(NO_RUN), 0, ""),
        (Run(LATE), 1, ""),
        (Run(LATE, words=["build", "--fail-on", "never"]), 0, ""),
        (Run(BEGUN), 130, ""),
        (Run(DIFFERENT, words=["build", "--fail-on=never"]), 0, ""),
        (Run(DIFFERENT, words=["build", "--fail-on", "regression"]), 0, ""),
        (Run(grouped(**{"class": "hang"}), words=["build", "--fail-on", "regression"]), 1, ""),
        (Run(grouped(interaction=True), words=["build", "--fail-on", "interaction"]), 1, ""),
        (Run(grouped(accepted="a7")), 0, "The versions differ as was accepted: 1 difference."),
        (Run(report("explored-in-part", "seeds"), words=["explore"]), 0, "The time was over before"
         " all paths were explored: 1 test, no errors."),
        (Run(report("all-paths-explored", "endless")), 0, "All paths were explored: 1 test."),
    ],
)  # fmt: skip
def test_what_the_document_allows_is_no_complaint(run: Run, code: int, text: str) -> None:
    assert complaints(Run(run.report, code, text, run.words)) == []


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (Run(report("equivalent-within-bounds", "unknown")), "only no-difference-found"),
        (Run(report("no-change", "compiled", changes=[])), "only no-difference-found"),
        (Run({**SAME, "verdict": "equivalent-within-bounds"}), "only no-change"),
        (Run({**EQUAL, "verdict": "no-change"}), "only equivalent-within-bounds"),
        (Run(report("no-difference-found")), "only equivalent-within-bounds (left out: nothing)"),
        (Run(report("different", tests=[DIFFERS])), "only equivalent-within-bounds"),
        (Run({**DIFFERENT, "verdict": "no-difference-found"}), "only different"),
        (Run(grouped(internal={"unmade": True})), "only no-difference-found"),
        (Run(grouped(**{"class": "slower"})), "only no-difference-found"),
        (Run(grouped(**{"class": "undecided"})), "only no-difference-found"),
        (Run(grouped(**{"class": "internal-state"})), "only no-difference-found"),
        (Run(grouped(witness="t2")), "no native run of t2"),
        (Run({**DIFFERENT, "tests": [{**DIFFERS, "observed": "not-replayed"}]}), "no native run"),
        (Run({**EQUAL, "finished": False}), "an unfinished report has the verdict equivalent"),
        (Run({**SAME, "finished": False}), "an unfinished report has the verdict no-change"),
        (Run(report("all-paths-explored", "cut")), "only explored-in-part"),
        (Run(report("explored-in-part")), "only all-paths-explored"),
        (Run(report("explored-in-part", "time"), words=["build"]), "only no-difference-found"),
        (Run(report("equivalent-within-bounds"), words=["explore"]), "only all-paths-explored"),
        (Run(report("different", "laziness")), "'laziness', which the document does not list"),
        (Run(report("different", omissions=[entry("time", text="")])), "says nothing"),
        (Run(report("different", omissions=[entry("time", count=0)])), "has the count 0"),
        (Run(report("different", omissions=[entry("time", changes=[2])])), "unknown changes: {2}"),
        (Run(report("different", "time", "time")), "stands 2 times"),
        (Run({"verdict": "no-change"}), "no list of omissions"),
        (Run(EQUAL, 1), "the exit code is 1; after equivalent-within-bounds it has to be 0 or 130"),
        (Run(EQUAL, 2), "exit code is 2"),
        (Run(SAME, 2), "exit code is 2"),
        (Run(NOTHING, 1), "exit code is 1"),
        (Run(NOTHING, 2), "exit code is 2"),
        (Run(LATE, 0), "exit code is 0"),
        (Run(DIFFERENT, 0), "exit code is 0"),
        (Run(DIFFERENT, 2), "exit code is 2"),
        (Run(BEGUN, 0), "exit code is 0"),
        (Run(DIFFERENT, 1, words=["build", "--fail-on", "never"]), "exit code is 1"),
        (Run(DIFFERENT, 1, words=["build", "--fail-on", "interaction"]), "exit code is 1"),
        (Run(grouped(accepted="a7"), 1), "exit code is 1"),
        (Run(report("all-paths-explored"), 1), "exit code is 1"),
        (Run(NOTHING, 0, "Equivalent for every input: no such"), "without equivalent-within"),
        (Run(EQUAL, 0, "The programs are the same: there"), "without no-change"),
        (Run(NOTHING, 0, "The versions behave differently."), "without different"),
        (Run(NOTHING, 0, "The versions differ as was accepted: 1"), "without different"),
        (Run(NOTHING, 0, "Looked for in every input; all paths were followed."), "all paths"),
        (Run(DIFFERENT, 1, "Looked for in every input; all paths were followed."), "all paths"),
        (Run(NOTHING, 0, "No difference was found on any path; what"), "without all paths"),
        (Run(report("explored-in-part", "time"), 0, "All paths were explored: 1"), "without all-"),
    ],
)  # fmt: skip
def test_what_it_does_not_allow_is_one(run: Run, said: str) -> None:
    found = complaints(run)
    assert len(found) == 1 and said in found[0], found


def test_several_reports_of_one_call_share_its_code_and_its_text() -> None:
    text = "No difference was found.\nThe versions behave differently.\n"
    both = [Run(each, 1, text) for each in (NOTHING, DIFFERENT)]
    assert complaints(*both) == []
    assert len(complaints(both[0])) == 2  # the code and the sentence
    (found,) = complaints(*(Run(each.report, 0) for each in both))
    assert "after no-difference-found, different it has to be 1 or 130" in found
    (found,) = complaints(Run(NOTHING, 0), Run({**EQUAL, "verdict": "no-change"}, 0))
    assert "only equivalent-within-bounds" in found


@pytest.mark.parametrize("table", ["verdict", "reason", "sentence"])
def test_a_document_without_one_of_its_tables_is_no_source(table: str, tmp_path: Path) -> None:
    lines = DOCUMENT.read_text().replace(f"| {table} |", "| no table |")
    file = tmp_path / "verdicts.md"
    file.write_text(lines)
    with pytest.raises(ValueError, match="lacks the table"):
        read_document(file)


def test_a_claim_that_nobody_knows_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.md"
    file.write_text(DOCUMENT.read_text().replace("| equality, all paths |", "| peace |"))
    with pytest.raises(ValueError, match="peace"):
        read_document(file)


def test_the_document_knows_the_verdicts_and_reasons() -> None:
    document = read_document()
    alone = {Verdict.ALL_PATHS_EXPLORED, Verdict.EXPLORED_IN_PART}
    assert set(document.codes) == set(Verdict) - alone
    assert document.withdraws == {reason: set(row.withdraws) for reason, row in REASONS.items()}


def test_the_sentences_are_those_that_are_printed() -> None:
    """A sentence that is printed in other words would need nothing."""
    said = []
    for verdict in Verdict:
        for counters in ({"exhausted": True, "paths": 1}, {}):
            made = Report("old.c", "new.c", verdict=verdict, counters=counters, omissions=[])
            made.finished, made.entry, made.bounds = True, "f", {"array_length": 4}
            said += [headline(made), looked_for(made), explored(made, 0)]
    kept = [each for each in read_document().needs if "accepted" not in each]
    assert [each for each in kept if not any(each in text for text in said)] == []


PLACES = st.builds(Location, st.sampled_from(["x.c", "y.c"]), st.integers(1, 2), st.integers(0, 2))
OMISSIONS = st.builds(Omission, st.sampled_from(Reason), st.sampled_from(["a", "b"]), PLACES)


@given(st.dictionaries(OMISSIONS, st.integers(1, 3), max_size=5), st.booleans(), st.booleans())
def test_both_implementations_agree(
    omissions: dict[Omission, int], changed: bool, differing: bool
) -> None:
    """And they disagree with each other verdict."""
    ledger = Ledger(dict(omissions))
    right = verdict_of(ledger, changed, differing)
    for verdict in (Verdict.DIFFERENT, Verdict.NO_DIFFERENCE_FOUND, Verdict.NO_CHANGE,
                    Verdict.EQUIVALENT_WITHIN_BOUNDS):  # fmt: skip
        entries = omission_entries(ledger, lambda _: ())
        made = report_to_json(Report("old.c", "new.c", verdict=verdict, omissions=entries))
        made |= {"finished": True, "changes": [CHANGE] if changed else []}
        if differing:
            made |= {"tests": [DIFFERS], "groups": [GROUP]}
        found = complaints(Run(json.loads(json.dumps(made))))
        assert (found == []) is (verdict is right), found


@pytest.mark.parametrize("words", [["--out", "there"], ["--out=there"]])
def test_the_common_helper_looks_at_each_report_of_its_run(
    words: list[str], tmp_path: Path
) -> None:
    later = tmp_path / "there" / "later"
    later.mkdir(parents=True)
    done, spoken = Done(0, "", "", tmp_path), ["build", "old.c", "new.c", *words]
    (later.parent / "report.json").write_text(json.dumps(EQUAL))
    (later / "report.json").write_text(json.dumps(EQUAL))
    assert keeps_to_document(done, spoken, 0) is done
    (later / "report.json").write_text(json.dumps({**EQUAL, "verdict": "no-change"}))
    with pytest.raises(
        AssertionError,
        match=r"there and docs/verdicts.md disagree:\n.*only equivalent-within-bounds",
    ):
        keeps_to_document(done, spoken, 0)
    begun = (later / "report.json").stat().st_mtime_ns + 1
    assert keeps_to_document(done, spoken, begun) is done  # of another run
