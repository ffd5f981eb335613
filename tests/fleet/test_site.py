"""The pages of a store: every link leads somewhere, no text becomes markup, nothing is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

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
    links = {
        (page, link) for page in pages for link in re.findall(r'href="([^"#]+)"', page.read_text())
    }
    assert len(links) > 10
    assert [(page, link) for page, link in links if not (page.parent / link).exists()] == []


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
