"""The pages that csgtest writes, as a browser shows them: search, zoom, moves, keyboard; nothing of
the program under test is run. Skipped without a Chromium (CSGTEST_BROWSER may name one).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import cli
from csg import pipeline
from csg.errors import Location
from csg.programs import Versions
from csg.render import picture_bytes, sequence_picture
from csg.unify.changes.patch import FilePatch, Line, Patch
from symexec.report.model import Report
from symexec.report.page import page as report_page
from symexec.testcases import Blame, Observation
from tests.browser import Browser, Page, find_browser
from tests.command_line import write_versions
from tests.csg.render.generated import sequence_graph
from tests.nightly import daily
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


def watched(browser: Browser, file: Path) -> Iterator[Page]:
    """With nothing in red on its console afterwards, and nothing loaded but the file."""
    opened = browser.opened(file)
    opened.value(HELP)
    yield opened
    assert opened.errors == []
    assert opened.loads == [file.as_uri()]


@pytest.fixture
def page(browser: Browser, large: Path) -> Iterator[Page]:
    yield from watched(browser, large)


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
    page.press(*["Tab"] * 7)  # six buttons
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
    return pipeline.picture(Versions(*write_versions(tmp_path, OLD, NEW)), form=form)


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


# ------------------------------------------------------------------------------- the report's page


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a whole run."""
    out = tmp_path_factory.mktemp("run") / "out"
    words = ["build", *map(str, sample("cut_ranges")), "--entry", "parse_ranges"]
    assert cli.main([*words, "--time", "6", "--deterministic", "--quiet", "--out", str(out)]) == 1
    return out / "report.html"


@pytest.fixture
def run(browser: Browser, written: Path) -> Iterator[Page]:
    yield from watched(browser, written)


def sample(name: str) -> list[Path]:
    folder = Path(__file__).parent.parent / "samples" / name
    return [folder / "old.c", folder / "new.c"]


def shown(page: Page, name: str) -> bool:
    return bool(page.value(f"document.querySelector('{name}').checkVisibility()"))


def click_on(page: Page, name: str) -> None:
    page.value(f"document.querySelector(`{name}`).scrollIntoView({{ block: 'center' }})")
    page.click(*page.value(f"middle(document.querySelector(`{name}`))"))


def test_the_parts_stand_in_the_order_in_which_they_are_asked_for(run: Page) -> None:
    heads = run.value("[...document.querySelectorAll('h2')].map((each) => each.textContent)")
    assert heads == [
        "Differences",
        "Change sequence graph",
        "Coverage of the patch",
        "Expected of callers",
        "What was not looked at",
        "Details",
    ]
    text = run.value("document.querySelector('.verdict').innerText")
    assert text.splitlines()[0].startswith("The versions behave differently. 1 difference")
    assert "Looked for in strings of up to 4 bytes; all paths were followed." in text
    visible = run.value("document.body.innerText")
    assert "_" not in visible.replace("parse_ranges", "").replace("cut_ranges", "")
    assert "exit 0" not in visible and "None" not in visible


def test_an_input_is_copied(run: Page) -> None:
    run.browser.asked(
        "Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"]
    )
    wanted = run.value("document.querySelector('.input pre').textContent")
    click_on(run, ".input .copy")
    label = "document.querySelector('.copy').textContent"
    told = "new Promise((done) => setInterval(() => { if (LABEL === 'Copied') done(true); }, 20))"
    assert run.awaited(told.replace("LABEL", label))
    assert run.awaited("navigator.clipboard.readText()") == wanted == 'parse_ranges("0-")'
    run.value("navigator.clipboard.writeText = () => Promise.reject(), 0")  # where it may not
    run.value("document.querySelector('.copy').click()")
    assert run.value("document.querySelectorAll('textarea').length") == 0


def test_a_finding_marks_what_differs_and_shows_it_in_the_patch(run: Page) -> None:
    marks = run.value("[...document.querySelectorAll('#g1 mark')].map((each) => each.textContent)")
    assert marks == ["returns 1", "SIGABRT"]
    lines = run.value("[...document.querySelectorAll('#g1 .wanted code')].map((e) => e.innerText)")
    assert [each.strip() for each in lines] == [
        "bool lhs = false;",
        "lhs = true;",
        "c = v;",
        "c = lhs;",
    ]
    way = run.value("[...document.querySelectorAll('#g1 .steps a')].map((each) => each.innerText)")
    assert way[:4] == ["c1", "c2", "c3", "i1"]
    assert "the versions diverge" in run.value("document.querySelector('#g1 .steps').innerText")


def test_a_node_shows_its_source_its_dependences_and_its_tests(run: Page) -> None:
    assert not shown(run, ".chosen")
    click_on(run, ".node[data-id=c3] .shape")
    text = run.value("document.querySelector('.chosen').innerText")
    assert "c3 changed statement" in text and "on the way to a differing output" in text
    assert "bool c = false;" not in text and "c = lhs;" in text
    assert "lhs = true;" in text and "its value goes into" in text
    assert "Tests that come here: t00" in text
    run.press("n")
    assert run.value("focussed()") == "i1"
    run.press("Enter")
    assert "i1 interaction location" in run.value("document.querySelector('.chosen').innerText")
    click_on(run, ".chosen > button")
    assert not shown(run, ".chosen") and run.value("focussed()") == "i1"


def test_a_link_opens_what_it_leads_to(run: Page) -> None:
    assert not shown(run, "#node-c2")
    click_on(run, '#g1 .steps a[href="#node-c2"]')
    run.until(lambda: bool(run.value("location.hash === '#node-c2'")))
    assert run.value("document.querySelector('#node-c2').closest('details').open")
    assert shown(run, "#node-c2")


def test_a_changed_line_is_coloured_by_what_met_it(run: Page) -> None:
    rows = "[...document.querySelectorAll('#patch tr.differs code')].map((each) => each.innerText)"
    assert [each.strip() for each in run.value(rows)] == [
        "bool lhs = false;",
        "lhs = true;",
        "c = v;",
        "c = lhs;",
    ]
    colours = run.value(
        "[...document.querySelectorAll('#patch .key li')].map("
        "(each) => getComputedStyle(each).backgroundColor)"
    )
    assert len(set(colours)) == len(colours) == 6


def test_functions_are_folded_and_unfolded(page: Page) -> None:
    frame = page.value("node('c7').dataset.frame")
    inside = f"[...document.querySelectorAll('.node[data-frame=\"{frame}\"]')]"
    hidden = f"{inside}.map((each) => getComputedStyle(each).visibility)"
    search(page, "here (")
    page.value("node('c7').focus()")
    page.press("f")
    assert set(page.value(hidden)) == {"hidden"}
    assert page.value("document.activeElement.getAttribute('aria-label')") == f"{frame}: unfold"
    page.press("Enter")
    assert set(page.value(hidden)) == {"visible"}
    page.press("F")
    covers = "[...document.querySelectorAll('.cover')].every((c) => c.checkVisibility())"
    assert page.value(covers)
    search(page, "here (")  # a hit unfolds its function
    assert set(page.value(hidden)) == {"visible"} and centred(page, "c7")
    page.value("document.querySelector('button[data-do=fold]').click()")
    assert page.value(covers)
    page.value("document.querySelector('button[data-do=fold]').click()")
    assert page.value("document.querySelectorAll('.node.hidden').length") == 0


# The least contrast of a text to what is behind it (WCAG 2.2, 1.4.3), and where it is.
CONTRAST = """(() => {
  const colour = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((c, at) => c * a + below[at] * (1 - a));
  const light = (parts) => parts
    .map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let least = [99, ''];
  while (texts.nextNode()) {
    const own = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !own.checkVisibility() || own.closest('svg, .viewer'))
      continue;
    const around = [];
    for (let each = own; each; each = each.parentElement) around.unshift(each);
    let behind = dark ? [18, 18, 18] : [255, 255, 255], shown = 1;
    for (const each of around) {
      const style = getComputedStyle(each);
      behind = over(colour(style.backgroundColor), behind);
      shown *= Number(style.opacity);
    }
    const written = colour(getComputedStyle(own).color);
    const both = [over([...written.slice(0, 3), written[3] * shown], behind), behind].map(light);
    const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    if (contrast < least[0]) least = [contrast, own.className + ': ' + texts.currentNode.data];
  }
  return least;
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(run: Page, scheme: str) -> None:
    wanted = [{"name": "prefers-color-scheme", "value": scheme}]
    run.asked("Emulation.setEmulatedMedia", features=wanted)
    run.value("document.querySelectorAll('details').forEach((each) => each.open = true)")
    least, where = run.value(CONTRAST)
    assert least >= 4.5, where


@pytest.mark.parametrize("width", [320, 400, 800])
def test_a_narrow_page_is_read_downwards(browser: Browser, written: Path, width: int) -> None:
    """Nothing stands beside the window, and nothing is as narrow as a letter."""
    page = browser.opened(written, width=width)
    page.value("document.querySelectorAll('details').forEach((each) => each.open = true)")
    assert page.value("document.documentElement.scrollWidth") <= width
    narrow = (
        "[...document.querySelectorAll('main td')].filter((each) => each.textContent.length > 6"
    )
    assert page.value(f"{narrow} && each.clientWidth < 48).map((each) => each.textContent)") == []


def test_a_page_is_dark_where_that_is_wanted_and_prints_open(run: Page) -> None:
    background = "getComputedStyle(document.documentElement).colorScheme"
    assert run.value(background) == "light dark"
    red = "getComputedStyle(document.querySelector('#g1 .differs th')).color"
    light = run.value(red)
    wanted = [{"name": "prefers-color-scheme", "value": "dark"}]
    run.asked("Emulation.setEmulatedMedia", features=wanted)
    assert run.value(red) != light
    run.asked("Emulation.setEmulatedMedia", media="print")
    run.value("dispatchEvent(new Event('beforeprint'))")
    assert run.value("[...document.querySelectorAll('details')].every((each) => each.open)")
    assert not shown(run, "nav") and not shown(run, ".copy")


@pytest.mark.parametrize("count", daily((200, 1000), 1))
def test_a_thousand_changes_stay_below_five_megabytes(
    count: int, browser: Browser, tmp_path: Path
) -> None:
    """As many of each: changes, tests, and nodes of the graph."""
    graph = sequence_graph(count, count * 13 // 10, 40, False, 1)
    svg = picture_bytes(sequence_picture(graph), "svg", use_dot=False).decode()
    names = [name for name in graph if name.startswith("c")]
    changes = [
        replace(report().changes[0], id=at, old_text=f"x = {at} < y;" * 9, location=place)
        for at, place in enumerate((Location("new.c", line) for line in range(1, count + 1)), 1)
    ]
    lines = [
        Line(0, each.id, f"x = {each.id} <= y; /* {'<' * 60} */", (each.id,)) for each in changes
    ]
    tests = [
        case(
            f"t{at}",
            b"<&>" * 3000,
            sequence=tuple(names[at : at + 60]),
            new=Observation(exit=at, stdout=b"<&>" * 5000, stderr=b'"' * 5000),
            blame=Blame(((at, at % 7 + 1),)),
        )
        for at in range(1, count + 1)
    ]
    made = report(
        tests=tests,
        changes=changes,
        csg={"nodes": [{"id": name, **known} for name, known in graph.nodes(data=True)]},
        patch=Patch((FilePatch("old.c", "new.c", (tuple(lines),)),)),
        sources=({}, {"new.c": [line.text for line in lines]}),
    )
    file = tmp_path / "report.html"
    file.write_text(report_page(made, svg))
    assert 2_000 * count < file.stat().st_size < 5_000 * count
    page = browser.opened(file)
    assert page.errors == []
    least = count * 3 // 10
    assert page.value("document.querySelectorAll('.viewer.live .node').length") > least
    assert page.value("document.querySelectorAll('#patch tr').length") == count
    assert page.value("document.querySelectorAll('.finding').length") > 0
    assert page.value("document.querySelectorAll('.node-facts').length") > least
