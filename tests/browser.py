"""A real browser without a window, for pages that must work where users open them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import which
from time import monotonic, sleep
from typing import Any

import pytest

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
DRIVER = which("chromedriver")
needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed"
)


DRAWN = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""Graphics in software, which pages that play need; for one that is read they are two thirds of
the processor time."""
READ = ("--disable-gpu", "--disable-software-rasterizer")
"""No graphics at all."""


def open_browser(
    *switches: str, size: tuple[int, int] = (1000, 700), graphics: Sequence[str] = DRAWN
) -> Any:
    """Start the browser without a window; the caller quits it."""
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for switch in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        *graphics,
        f"--window-size={size[0]},{size[1]}",
        *switches,
    ):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=DRIVER)
    return webdriver.Chrome(options=options, service=service)


def visit(browser: Any, page: Path) -> None:
    """Open a file; what earlier pages wrote to the console is forgotten."""
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(page.resolve().as_uri())


def complaints(browser: Any) -> list[str]:
    """Return what the page wrote to the console as warnings and errors.

    Notes of the driver of the graphics about its own speed are not complaints of the page.
    """
    entries = browser.get_log("browser")
    severe = [e["message"] for e in entries if e["level"] in ("WARNING", "SEVERE")]
    return [text for text in severe if "GL Driver Message" not in text]


def wait_for(condition: Callable[[], Any], seconds: float = 120.0) -> Any:
    """Return a condition's value once it is true; an error where that takes too long."""
    end = monotonic() + seconds
    while not (value := condition()):
        assert monotonic() < end, f"not true after {seconds} s"
        sleep(0.02)
    return value
