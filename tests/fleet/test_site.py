"""The pages of a store: every link leads somewhere, no text becomes markup, nothing is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from csg.errors import UsageError
from fleet.outcomes import Outcome, Planned
from fleet.site import write_site
from fleet.store import Store
from fleet.tasks import Commits, Task
from symexec.options import SiteOptions, StoreOptions
from tests.browser import Browser, find_browser
from tests.fleet.outcomes import FINDING, OUTCOME, REPORT

HOSTILE = "<script>alert(1)</script>\"'&"


def task(old: str, new: str, **values: object) -> Planned:
    found = replace(Task(Commits("r", old, new), (), (), 2.0, 0, True), **values)  # type: ignore[arg-type]
    return Planned(found.id, found.spec, f"{new} {HOSTILE}")


def outcome(*fingerprints: str) -> Outcome:
    findings = tuple(
        replace(FINDING, fingerprint=each, summary=HOSTILE, witness=HOSTILE)
        for each in fingerprints
    )
    files = (("report.html", b"<!DOCTYPE html><title>of csgtest build</title>"),)
    return replace(OUTCOME, reports=(REPORT,), findings=findings, files=files)


def outcome_with_files(*files: tuple[str, bytes]) -> Outcome:
    """A difference in each folder that has a report.html."""
    folders = [name.rpartition("/")[0] for name, _ in files if name.endswith("report.html")]
    return replace(
        OUTCOME,
        reports=tuple(replace(REPORT, name=each) for each in folders),
        findings=tuple(replace(FINDING, report=each) for each in folders),
        files=files,
    )


def dangling(site: Path) -> list[tuple[Path, str]]:
    """The links of all pages that lead nowhere."""
    return [
        (page.relative_to(site), link)
        for page in site.rglob("*.html")
        for link in re.findall(r'href="([^"#]+)"', page.read_text())
        if not (page.parent / unquote(link)).exists()
    ]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    place = str(tmp_path / "store")
    with Store.open(place) as store:
        once, again, shorter = (task("a", "b", seed=1), task("a", "b", seed=2),
                                task("a", "b", seed=3, time=1.0))  # fmt: skip
        store.begin("fleet", "LIST.toml", [once, again, shorter])
        store.complete(once.id, outcome("1" * 12, "2" * 12))
        store.complete(again.id, outcome("2" * 12))
        store.complete(shorter.id, outcome())
        chain = [task("a", "b"), task("b", "c"), task("a", "c")]
        store.begin("history", f"/repository {HOSTILE}", chain)
        store.complete(chain[0].id, outcome("3" * 12))
        for each in chain[1:]:
            store.complete(each.id, outcome())
    options = SiteOptions(tmp_path / "site", StoreOptions(place))
    assert write_site(options) == 1 + 2 + 3
    write_site(options)  # again, in its place
    yield tmp_path / "site"


def text(page: Path) -> str:
    return re.sub(r"<[^>]+>|\s+", " ", page.read_text()).replace("&lt;", "<")


def test_links_lead_somewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) == 6 + 3
    assert sum(len(re.findall(r'href="[^"#]+"', page.read_text())) for page in pages) > 10
    assert dangling(site) == []


def test_what_a_report_links_to_is_there_as_well(tmp_path: Path) -> None:
    """Tests of both reports of a task, which have the same names, and a picture; no other file."""
    link = b'<a href="tests/t0001.txt">t0001</a> <a href="#g1">g1</a> <a href="csg.svg"></a>'
    files = [
        (f"{folder}/{name}", content + folder.encode())
        for folder in ("cut/main", "cut/a b?#")
        for name, content in (
            ("report.html", link),
            ("report.json", b"{}"),
            ("tests/t0001.txt", b""),
            ("csg.svg", b""),
        )
    ]
    outside = b'<a href="../../../../../outside"></a><a href="/outside"></a>'
    hostile = (("../escaped/report.html", b""), ("report.html", outside), ("../../outside", b""))
    with Store.open(str(tmp_path / "store")) as store:
        planned = [task("a", "b"), task("b", "c")]
        store.begin("fleet", "LIST.toml", planned)
        for each, held in zip(planned, (files, hostile), strict=True):
            store.complete(each.id, outcome_with_files(*held))
    site = tmp_path / "deep" / "site"
    write_site(SiteOptions(site, StoreOptions(str(tmp_path / "store"))))
    assert [where for where in dangling(site) if "outside" not in where[1]] == []
    for folder in ("cut/main", "cut/a b?#"):
        below = site / "reports" / planned[0].id / folder
        assert (below / "tests/t0001.txt").read_text() == folder
        assert sorted(each.name for each in below.iterdir()) == ["csg.svg", "report.html", "tests"]
    everywhere = {each.name for each in tmp_path.rglob("*")}
    assert everywhere.isdisjoint({"escaped", "outside"})


def test_texts_are_escaped_and_nothing_is_loaded(site: Path) -> None:
    for page in site.glob("*.html"):
        content = page.read_text()
        assert "<script" not in content
        assert "src=" not in content
        assert "default-src 'none'" in content
    assert "&lt;script&gt;" in (site / "index.html").read_text()


def test_flaky_differences_are_named(site: Path) -> None:
    """What a search with less time did not find is not flaky for that."""
    flaky = (site / "index.html").read_text().partition('id="flaky"')[2]
    assert "1" * 12 in flaky
    assert "2" * 12 in flaky  # the search for the history has the same pair, and another seed
    assert "<td>2 s</td>" in (site / f"difference-{'1' * 12}.html").read_text()
    assert "<td>1 s</td>" not in (site / f"difference-{'2' * 12}.html").read_text()


def test_history_has_who_took_it_away(site: Path) -> None:
    assert re.search(r"b <script.* taken away by c ", text(site / "run-2.html"))
    index = (site / "index.html").read_text()
    assert "not ended" in index  # nobody has said that the runs are over


def test_folder_with_other_files_is_left_alone(site: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("")
    with pytest.raises(UsageError, match="holds other files"):
        write_site(SiteOptions(tmp_path / "full", StoreOptions(str(tmp_path / "store"))))


def test_pages_in_a_browser(site: Path) -> None:
    program = find_browser()
    if program is None:
        pytest.skip("there is no Chromium")
    with Browser(program) as browser:
        for name in ("index.html", "run-2.html", f"difference-{'1' * 12}.html"):
            page = browser.opened(site / name)
            assert page.value("document.querySelectorAll('script').length") == 0
            assert page.value("document.documentElement.scrollWidth <= window.innerWidth")
            assert page.errors == []
