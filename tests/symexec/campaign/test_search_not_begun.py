"""Where making the inputs takes all the time, what native runs find is shown all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.exploration.searching import Search
from symexec.ledger import NOT_BEGUN
from symexec.options import BuildOptions, InputOptions, SearchOptions
from symexec.progress import Silence
from symexec.report import words
from symexec.report.session import build
from symexec.watchdog import Spent, What
from tests.command_line import write_versions
from tests.jobs import finished

OLD = "int f(int x) { return x == 3 ? 1 : 2; }\n"


@pytest.fixture
def nothing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    def spent(*_: object) -> None:
        raise Spent(What.TIME)

    monkeypatch.setattr(Search, "__init__", spent)


def options(folder: Path, new: str) -> BuildOptions:
    files = write_versions(folder, OLD, new)
    search = SearchOptions(time=6)
    return BuildOptions(*files, inputs=InputOptions("f"), search=search, out=folder / "out")


@pytest.mark.usefixtures("nothing_begins")
def test_what_native_runs_find_is_shown(tmp_path: Path) -> None:
    job = finished(BuildJob(options(tmp_path, OLD.replace("1 : 2", "5 : 2"))))
    assert job.verdict == "different"
    assert [dict(case.input.parameters)["x"] for case in job.found if case.tells] == [3]


@pytest.mark.usefixtures("nothing_begins")
def test_the_report_says_that_the_search_did_not_begin(tmp_path: Path) -> None:
    report = build(options(tmp_path, OLD.replace("? 1 : 2", "? 2 - 1 : 2 + 0 * x")), Silence())
    assert report.verdict == "no-difference-found"
    assert f"The search did not begin: {NOT_BEGUN}." in words.reservations(report)
