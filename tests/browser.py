"""A page in headless Chromium, driven by the WebDriver protocol; only what the tests of a page ask for."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def programs() -> tuple[str, str] | None:
    """Chromium and its driver, or None where one of them is absent."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


@dataclass(frozen=True)
class Browser:
    """One session of a browser."""

    session: str

    def show(self, page: Path, *, width: int, dark: bool, medium: str = "") -> None:
        """Loads ``page`` in a window ``width`` wide, in one of the two themes; ``medium`` is ``print`` for paper."""
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", {"media": medium, "features": [theme]})
        self.open(page.as_uri())

    def open(self, address: str) -> None:
        """Loads what stands at an address."""
        self._post("url", {"url": address})

    def run(self, script: str) -> Any:
        """What a script gives that runs in the page."""
        return self._post("execute/sync", {"script": script, "args": []})

    def press_tab(self) -> None:
        """Moves the focus on, as the keyboard does."""
        for kind in ("rawKeyDown", "keyUp"):
            self.devtools(
                "Input.dispatchKeyEvent", {"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
            )

    def picture(self) -> bytes:
        """The whole page as PNG."""
        shot = self.devtools("Page.captureScreenshot", {"captureBeyondViewport": True})
        return base64.b64decode(shot["data"])

    def console(self) -> list[str]:
        """What was told on the console since it was last asked for."""
        return [entry["message"] for entry in self._post("se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """Every address that was asked for since it was last asked for."""
        messages = [json.loads(entry["message"])["message"] for entry in self._post("se/log", {"type": "performance"})]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        """One command of the browser's own protocol."""
        return self._post("goog/cdp/execute", {"cmd": command, "params": parameters})

    def _post(self, path: str, content: dict[str, Any]) -> Any:
        return _call(f"{self.session}/{path}", content)


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser with a profile of its own, ended afterwards."""
    found = programs()
    assert found
    chromium, driver = found
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [driver, "--port=0"]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ | {"HOME": profile}
        )
        assert process.stdout
        try:
            port = next(
                int(started[1])
                for line in process.stdout
                if (started := re.search(rb"started successfully on port (\d+)", line))
            )
            options = {"binary": chromium, "args": [*ARGUMENTS, f"--user-data-dir={profile}/profile"]}
            wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            address = f"http://127.0.0.1:{port}/session"
            session = _call(address, {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            try:
                opened = Browser(f"{address}/{session}")
                opened.open("about:blank")  # away from the page that a new window shows
                opened.requests()
                yield opened
            finally:
                urllib.request.urlopen(urllib.request.Request(f"{address}/{session}", method="DELETE"), timeout=60)
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def _call(address: str, content: dict[str, Any]) -> Any:
    request = urllib.request.Request(address, json.dumps(content).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]
