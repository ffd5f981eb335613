"""The pages that csgtest writes, as a browser shows them: search, zoom, moves, keyboard; nothing of
the program under test is run. Skipped without a Chromium (CSGTEST_BROWSER may name one).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from csg import pipeline
from csg.programs import Versions
from csg.render import picture_bytes, sequence_picture
from symexec.report.model import Report
from symexec.report.page import page as report_page
from symexec.testcases import Observation
from tests.browser import Browser, Page, find_browser
from tests.csg.render.generated import sequence_graph
from tests.symexec.report.test_report import case, report

FOUND = find_browser()
pytestmark = pytest.mark.skipif(FOUND is None, reason="no Chromium is installed")

EVIL = "</script><script>window.ran = 1</script><img src='x' onerror='window.ran = 1'>"
OLD = 'int puts(const char *);\nint main(int n, char **v) {\n    puts("fine");\n    return n;\n}\n'
NEW = OLD.replace("fine", EVIL)

# Where things are on the screen, in px.
HELP = """
const paper = document.querySelector(".paper"), svg = paper.querySelector("svg");
const node = (id) => document.querySelector(`.node[data-id="${id}"]`);
const middle = (each) => {
  const box = each.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
};
const at = (id) => middle(node(id).querySelector(".shape"));
const within = (id) => {
  const [x, y] = at(id), box = paper.getBoundingClientRect();
  return x > box.left && x < box.right && y > box.top && y < box.bottom;
};
const scale = () => paper.getBoundingClientRect().width / svg.viewBox.baseVal.width;
const focussed = () => document.activeElement.dataset.id ?? document.activeElement.className;
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert FOUND is not None
    with Browser(FOUND) as known:
        yield known


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of 300 nodes; c7 stands for no other, and nothing else says ``here``."""
    graph = sequence_graph(300, 700, 12, True, 4)
    graph.nodes["c7"]["text"] = "here (c70);"
    file = tmp_path_factory.mktemp("pages") / "graph.html"
    file.write_bytes(picture_bytes(sequence_picture(graph, full=True), "html", use_dot=False))
    return file


@pytest.fixture
def page(browser: Browser, large: Path) -> Iterator[Page]:
    opened = browser.opened(large)
    opened.value(HELP)
    yield opened
    assert opened.errors == []
    assert opened.loads == [large.as_uri()]


def search(page: Page, words: str) -> str:
    """What the page says of the hits."""
    page.value("document.querySelector('input').select(), document.querySelector('input').focus()")
    page.asked("Input.insertText", text=words)
    return str(page.value("document.querySelector('.hits').textContent"))


def centred(page: Page, name: str) -> bool:
    x, y = page.value(f"at('{name}')")
    wanted = page.value("middle(paper)")
    return bool(abs(x - wanted[0]) < 1 and abs(y - wanted[1]) < 1)


def test_search_finds_a_node_and_goes_there(page: Page) -> None:
    assert not page.value("within('c7')")
    assert search(page, "HERE (") == "1 of 1"
    assert centred(page, "c7")
    assert page.value("[...document.querySelectorAll('.found')].map(n => n.dataset.id)") == ["c7"]
    assert search(page, "not in any of them") == "nothing found"
    assert page.value("document.querySelectorAll('.found').length") == 0
    assert search(page, "") == ""


def test_search_goes_from_hit_to_hit_and_begins_with_the_name(page: Page) -> None:
    hits = search(page, "c7")
    assert hits.startswith("1 of ") and hits != "1 of 1"  # c70 as well, which says its own name
    assert centred(page, "c7")
    page.press("Enter")
    assert str(page.value("document.querySelector('.hits').textContent")).startswith("2 of ")
    assert not centred(page, "c7")
    for _ in range(int(hits.split()[-1]) - 1):
        x, y = page.value("middle(document.querySelector('button[data-do=next]'))")
        page.click(x, y)
    assert centred(page, "c7")


def test_what_is_folded_is_found(browser: Browser, tmp_path: Path) -> None:
    picture = sequence_picture(graph := sequence_graph(60, 200, 4, True, 2))
    fold, members = next(
        (node.id, node.full) for node in picture.nodes if node.id != "c1" and "\no" in node.full
    )
    hidden = next(n for n in graph if f"\n{n} " in members and n != fold)
    (tmp_path / "graph.html").write_bytes(picture_bytes(picture, "html", use_dot=False))
    page = browser.opened(tmp_path / "graph.html")
    page.value(HELP)
    assert search(page, hidden).startswith("1 of ")
    assert centred(page, fold)


def test_zoom_keeps_what_is_under_the_pointer(page: Page) -> None:
    search(page, "here (")
    x, y = page.value("at('c7')")
    for turn, grows in ((-100, True), (100, False)):
        before = page.value("scale()")
        page.mouse("Wheel", x, y, deltaX=0, deltaY=turn)
        assert (page.value("scale()") > before) == grows
        assert centred(page, "c7")
    for name, larger in (("in", True), ("out", False)):
        before = page.value("scale()")
        page.click(*page.value(f"middle(document.querySelector('button[data-do={name}]'))"))
        assert (page.value("scale()") > before) == larger
        assert centred(page, "c7")
    page.click(*page.value("middle(document.querySelector('button[data-do=fit]'))"))
    assert page.value("[...document.querySelectorAll('.node')].every(n => within(n.dataset.id))")
    page.click(*page.value("middle(document.querySelector('button[data-do=full]'))"))
    assert page.value("scale()") == pytest.approx(1.0)


def test_the_picture_is_dragged(page: Page) -> None:
    search(page, "here (")
    x, y = page.value("at('c7')")
    page.mouse("Pressed", x, y, button="left", buttons=1)
    page.mouse("Moved", x + 30, y + 10, button="left", buttons=1)
    page.mouse("Moved", x + 120, y - 70, button="left", buttons=1)
    page.mouse("Released", x + 120, y - 70, button="left")
    assert page.value("at('c7')") == pytest.approx([x + 120, y - 70])
    page.mouse("Moved", x, y)
    assert page.value("at('c7')") == pytest.approx([x + 120, y - 70]), "it was let go"


def test_a_double_click_goes_to_a_node(page: Page) -> None:
    search(page, "here (")
    x, y = page.value("at('c7')")
    page.mouse("Pressed", x + 200, y + 100, button="left", buttons=1)
    page.mouse("Moved", x, y, button="left", buttons=1)
    page.mouse("Released", x, y, button="left")
    assert not centred(page, "c7")
    page.click(*page.value("at('c7')"), times=2)
    assert centred(page, "c7") and page.value("focussed()") == "c7"


def test_the_keyboard_does_all_of_it(page: Page) -> None:
    search(page, "here (")
    page.press(*["Tab"] * 6)  # five buttons
    assert page.value("focussed()") == "paper"
    x, y = page.value("at('c7')")
    page.press("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft")
    assert page.value("at('c7')") == pytest.approx([x - 80, y])
    for key, larger in (("+", True), ("-", False)):
        before = page.value("scale()")
        page.press(key)
        assert (page.value("scale()") > before) == larger
    page.press(*["ArrowDown"] * 20)
    assert not page.value("within('c7')")
    page.press("Tab")  # to the node that was found last, wherever the picture is
    assert page.value("focussed()") == "c7" and page.value("within('c7')")
    beside = page.value(
        "[...new Set([...document.querySelectorAll('.edge')].flatMap((e) => "
        "[e.dataset.from, e.dataset.to].includes('c7') ? [e.dataset.from, e.dataset.to] : []))]"
    )
    clear = page.value(
        "[...document.querySelectorAll('.node:not(.faint)')].map((n) => n.dataset.id)"
    )
    assert set(clear) == {"c7", *beside}
    page.press("n")
    other = page.value("focussed()")
    assert other != "c7" and centred(page, other)
    page.press("p")
    assert page.value("focussed()") == "c7" and centred(page, "c7")
    page.press("Escape")
    assert page.value("focussed()") == "paper"
    assert page.value("document.querySelectorAll('.faint').length") == 0
    page.press("n")
    assert page.value("focussed()") == "c7", "where it was left"
    page.press("0")
    assert page.value("[...document.querySelectorAll('.node')].every(n => within(n.dataset.id))")
    page.press("1")
    assert page.value("scale()") == pytest.approx(1.0)


def test_from_the_last_node_it_goes_on_to_the_first(page: Page) -> None:
    page.value("paper.focus()")
    page.press("n", "p")
    ids = "[...document.querySelectorAll('.node')].map((n) => n.dataset.id)"
    assert page.value("focussed()") == page.value(ids)[-1]
    page.press("n")
    assert page.value("focussed()") == page.value(ids)[0]


def test_without_scripts_the_picture_just_stands_there(browser: Browser, large: Path) -> None:
    page = browser.opened(large, scripts=False)
    size = page.asked("Page.getLayoutMetrics")["cssContentSize"]
    whole = page.asked("DOM.getDocument")["root"]["nodeId"]
    svg = page.asked("DOM.querySelector", nodeId=whole, selector="svg")["nodeId"]
    box = page.asked("DOM.getBoxModel", nodeId=svg)["model"]
    assert box["height"] > 2000 and size["height"] >= box["height"]
    controls = page.asked("DOM.querySelector", nodeId=whole, selector=".controls")["nodeId"]
    shown = page.asked("CSS.enable") or page.asked("CSS.getComputedStyleForNode", nodeId=controls)
    assert {"name": "display", "value": "none"} in shown["computedStyle"]


# ------------------------------------------------------------------ nothing of the program is run


def drawn(tmp_path: Path, form: str) -> bytes:
    (tmp_path / "old.c").write_text(OLD)
    (tmp_path / "new.c").write_text(NEW)
    return pipeline.picture(Versions(tmp_path / "old.c", tmp_path / "new.c"), form=form)


def evil_report() -> Report:
    shown = Observation(exit=0, stdout=EVIL.encode(), stderr=EVIL.encode())
    tests = [case("t1", EVIL.encode(), new=shown)]
    changes = [replace(each, new_text=EVIL, old_text=EVIL) for each in report().changes]
    return report(tests=tests, changes=tuple(changes), name=EVIL, notes=[EVIL])


def test_no_text_of_the_program_is_run(browser: Browser, tmp_path: Path) -> None:
    pages = {
        "graph.html": drawn(tmp_path, "html").decode(),
        "report.html": report_page(evil_report(), drawn(tmp_path, "svg").decode()),
    }
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
        page = browser.opened(tmp_path / name)
        assert EVIL in page.value("document.body.textContent")
        assert page.value("document.scripts.length") == 1
        assert page.value("document.images.length") == 0
        assert page.value("typeof window.ran") == "undefined"
        assert page.loads == [(tmp_path / name).as_uri()] and page.errors == []
        assert page.value("document.querySelectorAll('.viewer.live').length") == 1


def test_nor_would_it_be_if_it_were_markup(browser: Browser, tmp_path: Path) -> None:
    """The policy of the page refuses scripts that are not ours; nothing is loaded either."""
    text = report_page(report(), drawn(tmp_path, "svg").decode())
    file = tmp_path / "report.html"
    file.write_text(text.replace("<h2>Details</h2>", EVIL.removeprefix("</script>")))
    page = browser.opened(file)
    page.value("document.images[0].onerror?.()")
    assert page.value("document.scripts.length") == 2 and page.value("document.images.length") == 1
    assert page.value("typeof window.ran") == "undefined"
    assert [error for error in page.errors if "Content Security Policy" in error]
    assert not [each for each in page.loads if each.endswith("/x")]


def test_the_wheel_scrolls_a_report_and_zooms_with_ctrl(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(report_page(report(), drawn(tmp_path, "svg").decode()))
    page = browser.opened(file)
    page.value(HELP)
    page.value("paper.scrollIntoView({ block: 'center' })")
    x, y = page.value("middle(paper)")
    before = page.value("scale()")
    page.mouse("Wheel", x, y, deltaX=0, deltaY=-100)
    assert page.value("scale()") == before
    page.mouse("Wheel", *page.value("middle(paper)"), deltaX=0, deltaY=-100, modifiers=2)
    assert page.value("scale()") > before
    assert page.errors == []
