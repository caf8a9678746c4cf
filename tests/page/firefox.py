"""Firefox without a window, spoken to by WebDriver BiDi, which it has built in.

Only `tests.docs.readings` uses it. Selenium needs a driver for Firefox that Debian does not have.
"""

from __future__ import annotations

import json
import re
import subprocess
from itertools import count
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

FIREFOX = which("firefox-esr") or which("firefox")
PREFERENCES = {
    "layout.css.prefers-color-scheme.content-override": 1,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.update.auto": False,
}
"""The first is the colour scheme that pages see: 0 dark, 1 light."""
PASSING = "Incorrect number of children"
"""Told of a formula that is laid out before it has been read to its end; the page counts them."""
SECONDS = 60.0
"""Longest wait for an answer."""


class Firefox:
    """A Firefox that opens pages, in light or dark; the caller closes it."""

    def __init__(self, *, dark: bool) -> None:
        from websocket import create_connection

        assert FIREFOX, "firefox-esr is not installed"
        self._folder = TemporaryDirectory()
        wishes = PREFERENCES | {"layout.css.prefers-color-scheme.content-override": int(not dark)}
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in wishes.items()]
        (Path(self._folder.name) / "user.js").write_text("\n".join(lines), encoding="utf-8")
        self._process = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", self._folder.name,
             "--remote-debugging-port", "0"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self._process.stderr
        for line in self._process.stderr:
            if found := re.search(r"BiDi listening on (ws://\S+)", line):
                break
        else:
            raise RuntimeError("Firefox has ended before it listened")
        self._socket = create_connection(
            f"{found[1]}/session", timeout=SECONDS, suppress_origin=True
        )
        self._numbers, self._heard = count(1), list[str]()
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        self._context = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, page: Path) -> None:
        """Open a file; what earlier pages wrote to the console is forgotten."""
        self._heard.clear()
        self._ask(
            "browsingContext.navigate",
            context=self._context, url=page.resolve().as_uri(), wait="complete",
        )  # fmt: skip

    def resize(self, width: int, height: int) -> None:
        """Set the inner size of the window, pixels."""
        size = {"width": width, "height": height}
        self._ask("browsingContext.setViewport", context=self._context, viewport=size)

    def evaluate(self, expression: str) -> Any:
        """Return what an expression of JavaScript gives as JSON."""
        found = self._ask(
            "script.evaluate", expression=f"JSON.stringify({expression})",
            target={"context": self._context}, awaitPromise=True,
        )  # fmt: skip
        if found["type"] == "exception":
            raise RuntimeError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def complaints(self) -> list[str]:
        """Return the warnings and errors that the page has written to the console since opened."""
        return [text for text in self._heard if PASSING not in text]

    def close(self) -> None:
        """End the browser."""
        self._socket.close()
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()

    def _ask(self, method: str, **given: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": given}))
        while True:
            said = json.loads(self._socket.recv())
            if said.get("method") == "log.entryAdded":
                entry = said["params"]
                if entry["level"] in ("warn", "error"):
                    self._heard.append(str(entry.get("text")))
            elif said.get("id") == number:
                if said["type"] == "error":
                    raise RuntimeError(f"{method}: {said['message']}")
                return said["result"]
