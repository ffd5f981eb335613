"""Pages in a real browser: Chromium without a window, spoken to over two pipes.

    with Browser(find_browser()) as browser:
        page = browser.opened(tmp_path / "graph.html")
        page.value("document.title"), page.press("+"), page.errors

The Chrome DevTools Protocol, one JSON text with a zero byte behind it for each message; no port and
no library. ``errors`` has what a console would show in red: exceptions, refused scripts, failed
loads.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fcntl import F_DUPFD_CLOEXEC, fcntl
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)
PATIENCE = 60.0  # seconds for one answer
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38}
KEYS |= {"ArrowRight": 39, "ArrowDown": 40}

Message = dict[str, Any]


def find_browser() -> str | None:
    """The program that CSGTEST_BROWSER names, or the first Chromium on the path."""
    named = os.environ.get("CSGTEST_BROWSER")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A process of its own, with a profile of its own that goes when it ends."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours = [os.pipe(), os.pipe()]  # to the browser, from it
        # Its ends become 3 and 4, so none of ours may stand there.
        to_it, from_it = (
            fcntl(ours[0][0], F_DUPFD_CLOEXEC, 10),
            fcntl(ours[1][1], F_DUPFD_CLOEXEC, 10),
        )

        def prepare() -> None:
            os.dup2(to_it, 3)
            os.dup2(from_it, 4)

        flags = [*FLAGS, *(["--no-sandbox"] if os.getuid() == 0 else [])]
        self._process = subprocess.Popen(
            [program, *flags, f"--user-data-dir={self._profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=prepare,  # noqa: PLW1509
        )
        for each in (ours[0][0], ours[1][1], to_it, from_it):
            os.close(each)
        self._writing, self._reading = ours[0][1], ours[1][0]
        self._left, self._number = b"", 0
        self._pages: dict[str, Page] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.asked("Browser.close")
            self._process.wait(PATIENCE)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._writing)
        os.close(self._reading)
        self._profile.cleanup()

    def opened(
        self, file: Path, width: int = 1200, height: int = 800, scripts: bool = True
    ) -> Page:
        """A page that has loaded. ``scripts``: may it run any?"""
        target = self.asked("Target.createTarget", url="about:blank")["targetId"]
        known = self.asked("Target.attachToTarget", targetId=target, flatten=True)
        page = self._pages[known["sessionId"]] = Page(self, known["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.asked(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        page.asked("Emulation.setDeviceMetricsOverride", **size)
        if not scripts:
            page.asked("Emulation.setScriptExecutionDisabled", value=True)
        page.asked("Page.navigate", url=file.as_uri())
        page.until(lambda: page.loaded)
        return page

    def asked(self, method: str, session: str = "", **parameters: object) -> Message:
        """The answer to a command; events that come before it go to their pages."""
        self._number += 1
        message: Message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer)
                found: Message = answer["result"]
                return found

    def message(self) -> Message:
        """The next one; an event has been told to its page already."""
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._reading], [], [], PATIENCE)
            read = os.read(self._reading, 1 << 20) if ready else b""
            if not read:
                raise OSError("the browser does not answer")
            self._left += read
        text, _, self._left = self._left.partition(b"\0")
        found: Message = json.loads(text)
        page = self._pages.get(found.get("sessionId", ""))
        if page is not None and "method" in found:
            page.told(found["method"], found["params"])
        return found


@dataclass(slots=True)
class Page:
    browser: Browser
    session: str
    loaded: bool = False
    errors: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)  # what was loaded, itself included

    def asked(self, method: str, **parameters: object) -> Message:
        return self.browser.asked(method, self.session, **parameters)

    def told(self, event: str, told: Message) -> None:
        match event:
            case "Page.loadEventFired":
                self.loaded = True
            case "Runtime.exceptionThrown":
                self.errors.append(str(told["exceptionDetails"]))
            case "Log.entryAdded" if told["entry"]["level"] == "error":
                self.errors.append(told["entry"]["text"])
            case "Runtime.consoleAPICalled" if told["type"] in ("error", "assert"):
                self.errors.append(str(told["args"]))
            case "Network.responseReceived":
                self.loads.append(told["response"]["url"])

    def until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end
            self.browser.message()

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives on the page, as JSON has it."""
        found = self.asked("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def awaited(self, expression: str) -> Any:
        """What a promise of JavaScript comes to."""
        found = self.asked(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, *keys: str) -> None:
        """Keys by name, or the characters that they write."""
        for key in keys:
            writes = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            known = {"key": key, "code": key, "text": writes}
            known |= {"windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
            self.asked(
                "Input.dispatchKeyEvent", type="keyDown" if writes else "rawKeyDown", **known
            )
            self.asked("Input.dispatchKeyEvent", type="keyUp", **known)

    def mouse(self, kind: str, x: float, y: float, **more: object) -> None:
        """``kind``: Pressed, Released, Moved or Wheel."""
        self.asked("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, **more)

    def click(self, x: float, y: float, times: int = 1) -> None:
        for count in range(1, times + 1):
            for kind in ("Pressed", "Released"):
                self.mouse(kind, x, y, button="left", clickCount=count)
