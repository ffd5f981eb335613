"""Walk through docs/first-hour.md: time each call of csgtest, and take the pictures of its page.

python -m tests.first_hour           writes docs/images/first-hour-*.png and the table of times
"""

from __future__ import annotations

import base64
import resource
import shlex
import tempfile
import time
from pathlib import Path

from tests.browser import Browser, find_browser
from tests.test_docs import NAMED, ROOT, performed

DOCUMENT = ROOT / "docs" / "first-hour.md"
HEAD = "|---|---:|---:|\n"
# The name of a picture, and the heading of the page that it begins at.
PICTURES = {"findings": None, "patch": "Coverage of the patch"}
WIDTH, HEIGHT = 1000, 720
# What Python reads as it begins, so that each call is a process of its own (tests/command_line.py),
# which imports everything and can be waited for.
ALONE = {**NAMED, "PYTHONNOUSERSITE": "1"}


def main() -> None:
    text = DOCUMENT.read_text()
    rows = []
    with tempfile.TemporaryDirectory() as place:
        walk = performed(text, Path(place), ALONE)
        before = time.monotonic(), computed()
        for command, _ in walk:
            now = time.monotonic(), computed()
            if command.words[0] == "csgtest":
                seconds, used = (after - first for after, first in zip(now, before, strict=True))
                assert used > 0, "nobody has waited for it"
                called = shlex.join(command.words).split(" --deterministic")[0]
                rows.append(f"| `{called}` | {seconds:.0f} | {used:.0f} |\n")
                if len(rows) == 1:
                    take_pictures(Path(place) / "csgtest-out" / "report.html")
            before = time.monotonic(), computed()
    start = text.index(HEAD) + len(HEAD)
    DOCUMENT.write_text(text[:start] + "".join(rows))


def computed() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def take_pictures(page_file: Path) -> None:
    program = find_browser()
    if program is None:
        print("There is no Chromium: the pictures stay as they were.")
        return
    with Browser(program) as browser:
        page = browser.opened(page_file, WIDTH, HEIGHT)
        for name, heading in PICTURES.items():
            top = page.value(position(heading))
            clip = {"x": 0, "y": top, "width": WIDTH, "height": HEIGHT, "scale": 1}
            taken = page.asked("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
            picture = ROOT / "docs" / "images" / f"first-hour-{name}.png"
            picture.write_bytes(base64.b64decode(taken["data"]))


def position(heading: str | None) -> str:
    """JavaScript for where a heading stands; of none the top of the page."""
    if heading is None:
        return "0"
    return (
        "[...document.querySelectorAll('h1,h2,h3')]"
        f".find(each => each.textContent.includes({heading!r})).getBoundingClientRect().top"
        " + window.scrollY"
    )


if __name__ == "__main__":
    main()
