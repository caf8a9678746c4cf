"""Walks the built site as a reader does, in a browser with real clicks, and counts them.

Each question of ``docs/site/index.md`` is answered twice: by the menu and by the search. A page
must also fit a telephone: at 390 pixels nothing may have to be scrolled sideways::

    python -m tests.docs.walks build/docs

Chromium, its driver and the package selenium must be installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from tests.browser import READ, open_browser

MOST_CLICKS = 4
NARROW, WIDE = (390, 844), (1500, 1000)
"""Windows of a telephone and of a desk, pixels."""
SETTLED = 3.0
"""Time in which a page is laid out on a loaded machine, s."""


@dataclass(frozen=True)
class Walk:
    """A question, and how it is answered.

    Attributes
    ----------
    clicks : tuple of str
        Texts of what is clicked, from the first page.
    heading : str
        Heading, or name in the interface, at which both ways end, in view.
    query, result : str
        What is typed in the search field, and a part of the result that is clicked.
    """

    question: str
    clicks: tuple[str, ...]
    heading: str
    query: str
    result: str


WALKS = (
    Walk("How do I write a hinge?", ("Atlas", "Hinge"), "Hinge", "hinge", "Hinge"),
    Walk("What is a slip?", ("Background", "Words"), "Words", "slip", "Words"),
    Walk(
        "How do I import into Simulink?",
        ("Guides", "Bringing an FMU into your tool", "Simulink"),
        "Simulink",
        "simulink",
        "Simulink",
    ),
    Walk("Which tyre laws are there?", ("Atlas", "Tyres"), "Tyres", "tyre law", "Tyres"),
    Walk(
        "Why was a step refused?",
        ("Guides", "Bringing an FMU into your tool", "Refused steps"),
        "Refused steps",
        "refused",
        "Refused steps",
    ),
    Walk(
        "How do I save a video?",
        ("Guides", "Pictures and motion", "Videos"),
        "Videos",
        "video",
        "Videos",
    ),
    Walk(
        "How do I make an input?",
        ("Interface", "Models", "Model.input()"),
        "input",
        "Model.input",
        "mbcore.Model.input",
    ),
)


class Reader:
    """A reader at a browser, who counts the clicks."""

    def __init__(self, browser: Any, site: Path) -> None:
        self.browser, self.site, self.clicks = browser, site.resolve(), 0

    def begin(self, size: tuple[int, int] = WIDE) -> None:
        """Open the first page."""
        self.browser.set_window_size(*size)
        self.browser.get((self.site / "index.html").as_uri())
        self.clicks = 0

    def click(self, text: str) -> None:
        """Click the first link or card in view, from the page's top, that reads so."""
        quoted = f"normalize-space()={text!r}"
        title = f".//div[contains(@class, 'sd-card-title') and {quoted}]"
        ways = (f"//div[contains(@class, 'sd-card ') and {title}]", f"//a[{quoted}]")
        self._click_first(lambda: [e for way in ways for e in self._found(way)], text)

    def search(self, query: str, result: str) -> None:
        """Type a query into the search field and click the first result that has these words."""
        button = "//button[contains(@class, 'search-button')]"
        self._click_first(lambda: self._found(button), "the search button")
        field = self._wait(
            lambda: [e for e in self._found("//input[@name='q']") if e.is_displayed()], "a field"
        )[0]
        field.send_keys(query + "\n")
        found = f"//ul[contains(@class, 'search')]/li/a[contains(normalize-space(), '{result}')]"
        self._click_first(lambda: self._found(found), f"{result} among the results of {query}")

    def sees(self, heading: str) -> bool:
        """Say whether a heading or a name that begins so is in view."""
        script = """
            const shown = [...document.querySelectorAll('h1, h2, h3, dt.sig')].filter((e) => {
              const { top, bottom } = e.getBoundingClientRect();
              return bottom > 0 && top < window.innerHeight;
            });
            return shown.some((e) => {
              const name = e.querySelector('.sig-name');
              return (name || e).innerText.replace('#', '').trim().startsWith(arguments[0]);
            });
        """
        return bool(self.browser.execute_script(script, heading))

    def comes_to(self, heading: str) -> bool:
        """Say whether a heading comes into view, on a loaded machine after a while."""
        end = monotonic() + SETTLED
        while not (seen := self.sees(heading)) and monotonic() < end:
            sleep(0.1)
        return seen

    def _found(self, way: str) -> list[Any]:
        return list(self.browser.find_elements("xpath", way))

    def _click_first(self, found: Callable[[], list[Any]], what: str) -> None:
        shown = self._wait(
            lambda: [e for e in found() if e.is_displayed() and e.size["width"]], what
        )[0]
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", shown)
        shown.click()
        self.clicks += 1
        sleep(0.3)

    def _wait(self, condition: Callable[[], list[Any]], what: str) -> list[Any]:
        end = monotonic() + 30
        while not (value := condition()):
            if monotonic() > end:
                raise LookupError(f"{self.browser.current_url}: {what} is not in view")
            sleep(0.1)
        return value


def walked(reader: Reader, walk: Walk) -> Iterator[tuple[str, int, str]]:
    """Walk by the menu and by the search; give the way, its clicks, and what was wrong."""
    for way in ("menu", "search"):
        reader.begin()
        wrong = ""
        try:
            if way == "menu":
                for text in walk.clicks:
                    reader.click(text)
            else:
                reader.search(walk.query, walk.result)
            if not reader.comes_to(walk.heading):
                wrong = f"{walk.heading} is not in view at {reader.browser.current_url}"
        except LookupError as error:
            wrong = str(error)
        if reader.clicks > MOST_CLICKS:
            wrong = f"{reader.clicks} clicks, at most {MOST_CLICKS}"
        yield way, reader.clicks, wrong


def too_wide(reader: Reader) -> Iterator[str]:
    """Give the pages that a telephone scrolls sideways, with their width.

    Scripts are the same on all pages and run on the first one only: a page takes half the time
    without them. Live pages are fitted into the frames that show them, so that none is loaded.
    """
    reader.begin(NARROW)
    browser = reader.browser
    # A window of a browser without a screen may be wider than asked; its emulation is not.
    metrics = {"width": NARROW[0], "height": NARROW[1], "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/live/*"]})
    yield from _if_too_wide(reader, reader.site / "index.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    for page in sorted(reader.site.rglob("*.html")):
        if not {"_modules", "live", "_static"} & set(page.parts):
            yield from _if_too_wide(reader, page)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def _if_too_wide(reader: Reader, page: Path) -> Iterator[str]:
    reader.browser.get(page.as_uri())
    width, end = _width(reader), monotonic() + SETTLED
    while width > NARROW[0] and monotonic() < end:  # a page that is not yet laid out
        sleep(0.1)
        width = _width(reader)
    if width > NARROW[0]:
        yield f"{page.relative_to(reader.site)}: {width} pixels wide"


def _width(reader: Reader) -> float:
    """Return the width of the content, measured without a script."""
    layout = reader.browser.execute_cdp_cmd("Page.getLayoutMetrics", {})
    return float(layout["cssContentSize"]["width"])


def main() -> int:
    """Walk the site given; return 1 if something was wrong."""
    browser = open_browser(size=WIDE, graphics=READ)
    reader, failed = Reader(browser, Path(sys.argv[1])), 0
    try:
        for walk in WALKS:
            for way, clicks, wrong in walked(reader, walk):
                failed += bool(wrong)
                print(f"{walk.question:32}{way:8}{clicks} clicks  {wrong or 'found'}")
        wide = list(too_wide(reader))
    finally:
        browser.quit()
    print("\n".join([*wide, f"pages wider than {NARROW[0]} pixels: {len(wide)}"]))
    return bool(failed or wide)


if __name__ == "__main__":
    raise SystemExit(main())
