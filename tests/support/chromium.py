"""A real Chromium without a window, driven through a pipe by its devtools protocol. Needs only the browser.

Every page keeps its requests and console messages, so that a test can refuse both.
"""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.deadline import DEADLINE_S

PROGRAM = "chromium"
SCREENSHOTS = Path(__file__).resolve().parents[2] / "screenshots"
"""The folder of the pictures that tests keep for people to look at; git ignores it."""

_FLAGS = (
    *("--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--no-default-browser-check"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--disable-dev-shm-usage", "--remote-debugging-pipe"),
)

_WITH_PIPES = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execvp(sys.argv[3], sys.argv[3:])"
)
"""The browser reads from descriptor 3 and writes to 4."""

_KEYS = {
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "PageUp": 33,
    "PageDown": 34,
    "Home": 36,
    "End": 35,
    "Tab": 9,
    "Enter": 13,
    "f": 70,
}


class Browser:
    """One browser process; `page` opens pages in it."""

    def __init__(self, process: subprocess.Popen[bytes], reading: int, writing: int) -> None:
        self._process = process
        self._reading = reading
        self._writing = writing
        self._number = 0
        self._rest = b""
        self.pages: dict[str, Page] = {}

    def command(self, method: str, session: str = "", **parameters: object) -> dict[str, Any]:
        """Send a command and return its answer. Events that arrive in the meantime go to their pages."""
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self._send(message)
        number = self._number
        while True:
            answer = self.message()
            if answer.get("id") == number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def close(self) -> None:
        """Tell the browser to end, and read until it has. It may be gone before it answers."""
        self._number += 1
        self._send({"id": self._number, "method": "Browser.close"})
        while self._read():
            pass
        self._process.wait(DEADLINE_S)

    def _send(self, message: dict[str, object]) -> None:
        os.write(self._writing, json.dumps(message).encode() + b"\0")

    def _read(self) -> bytes:
        """Return what the browser writes next; nothing if it has ended or says nothing within `DEADLINE_S`."""
        ready, _, _ = select.select([self._reading], [], [], DEADLINE_S)
        return os.read(self._reading, 1 << 20) if ready else b""

    def message(self) -> dict[str, Any]:
        """Return the next message of the browser. Pass an event to its page first."""
        while b"\0" not in self._rest:
            sent = self._read()
            if not sent:
                raise AssertionError(f"the browser said nothing more (exit code {self._process.poll()})")
            self._rest += sent
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        page = self.pages.get(message.get("sessionId", ""))
        if page is not None and "method" in message:
            page.heard(message["method"], message["params"])
        return message

    def page(self, width: int, height: int, *, dark: bool = False) -> Page:
        """Return a new page of this size in CSS pixels. A page as narrow as a phone emulates a phone."""
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.command(f"{domain}.enable")
        page.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = "dark" if dark else "light"
        page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return page

    def close_pages(self) -> None:
        """Close all pages. One that shows a game goes on drawing, and takes a sixth of a processor."""
        for page in self.pages.values():
            self.command("Target.closeTarget", targetId=page.target)
        self.pages.clear()


class Page:
    """One page of the browser: opens files, presses keys, evaluates JavaScript."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser = browser
        self._session = session
        self.target = target
        self._loaded = False
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def command(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command of the devtools protocol for this page; return its answer."""
        return self._browser.command(method, self._session, **parameters)

    def heard(self, method: str, event: dict[str, Any]) -> None:
        """Remember what the page requested and what went wrong in it."""
        if method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(event["exceptionDetails"].get("exception", event)))
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(event["args"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            self.complaints.append(event["entry"]["text"])

    def open(self, file: Path, place: str = "") -> None:
        """Open a file and wait until it has loaded."""
        self.visit(f"{file.absolute().as_uri()}{place}")

    def visit(self, url: str) -> None:
        """Open an address and wait until it has loaded."""
        self._loaded = False
        self.command("Page.navigate", url=url)
        while not self._loaded:
            self._browser.message()

    def ask(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        answer = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        for key in keys:
            text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
            for kind in ("keyDown", "keyUp"):
                self.command(
                    "Input.dispatchKeyEvent",
                    type=kind,
                    key=key,
                    code=key if len(key) > 1 else f"Key{key.upper()}",
                    windowsVirtualKeyCode=_KEYS[key],
                    **(text if kind == "keyDown" else {}),
                )

    def download(self, expression: str, folder: Path) -> bytes:
        """Evaluate an expression that starts a download, and return the downloaded bytes. `folder` must be empty."""
        self._browser.command(
            "Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True
        )
        self.ask(expression)
        while True:
            message = self._browser.message()
            if message.get("method") == "Browser.downloadProgress" and message["params"]["state"] == "completed":
                (file,) = folder.iterdir()
                return file.read_bytes()

    def picture(self, name: str) -> None:
        """Keep a picture of the page as it looks now."""
        SCREENSHOTS.mkdir(exist_ok=True)
        (SCREENSHOTS / f"{name}.png").write_bytes(self.screenshot("png"))

    def screenshot(self, form: str) -> bytes:
        """Return a picture of the page as it looks now, `png`, or `webp`, which is smaller."""
        quality = {} if form == "png" else {"quality": 80}
        self.command("Page.bringToFront")  # a page behind another may draw nothing and never answer
        return base64.b64decode(self.command("Page.captureScreenshot", format=form, **quality)["data"])


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser with a profile of its own; end it and remove the profile on leaving."""
    ours_in, theirs_out = os.pipe()
    theirs_in, ours_out = os.pipe()
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's own sandbox refuses to run as root
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [
                *(sys.executable, "-c", _WITH_PIPES, str(theirs_in), str(theirs_out), PROGRAM),
                *(*_FLAGS, *sandbox, f"--user-data-dir={profile}", "about:blank"),
            ],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            browser = Browser(process, ours_in, ours_out)
            yield browser
            browser.close()
        finally:
            process.kill()
            process.wait(DEADLINE_S)
            os.close(ours_in)
            os.close(ours_out)
