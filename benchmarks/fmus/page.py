"""Cost of a live page: size, time to its first frame, script in each frame, real time.

Pages are written, opened as files in Chromium without a window, and driven by held keys. A frame's
script is simulation, scene and plots without drawing, as the page measures it itself. Drawing runs
in software here, on the processor that simulates, too: how much of real time is held is less than
on a machine with graphics.

    python benchmarks/fmus/page.py            # the vehicle's, with the figures asked for
    python benchmarks/fmus/page.py --all      # every FMU's
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import fmus
from mbcore.page import write_page
from tests.browser import complaints, open_browser, visit, wait_for

MOST_BYTES, FIRST_FRAME, SCRIPT = 3e6, 2.0, 3.3e-3
OPENED = 5
"""Times that a page is opened."""
DRIVEN = 10.0
"""Seconds that it is driven."""
MARK = "return performance.getEntriesByName('first frame')[0]?.startTime"
LISTEN = """
const { page } = mbcore, frame = page.frame.bind(page);
window.worked = [];
page.frame = (now) => { frame(now); window.worked.push(page.work / 1000); };
const [first] = Object.keys(mbcore.model.keys);
if (first) page.drive.press(first, 1);
window.begun = [mbcore.time, performance.now()];
"""
HEARD = """
const [from, since] = window.begun, passed = (performance.now() - since) / 1000;
return [window.worked, (mbcore.time - from) / mbcore.model.timeScale / passed];
"""


def first_frame(browser: Any, page: Path) -> float:
    """Open a page; return the seconds from there to its first frame."""
    visit(browser, page)
    return float(wait_for(lambda: browser.execute_script(MARK), 60)) / 1000


def driven(browser: Any) -> tuple[np.ndarray, float]:
    """Drive the page that is open; return each frame's script, s, and the share of real time."""
    browser.execute_script(LISTEN)
    time.sleep(DRIVEN)
    worked, share = browser.execute_script(HEARD)
    return np.array(worked), float(share)


def measure(name: str, folder: Path, asked: bool) -> None:
    """Write a page, open and drive it, and print."""
    began = time.perf_counter()
    page = write_page(
        importlib.import_module(f"mbcore.fmus.{name}").component(), folder / f"{name}.html"
    )
    written = time.perf_counter() - began
    browser = open_browser(size=(1280, 720))
    try:
        opened = [first_frame(browser, page) for _ in range(OPENED)]
        worked, share = driven(browser)
        said = complaints(browser)
    finally:
        browser.quit()
    results = common.Table(f"Page of {name}, in Chromium")
    results.number("written in (s)", written)
    size = page.stat().st_size / 1e6
    results.number("size (MB)", size, at_most=MOST_BYTES / 1e6 if asked else None)
    results.time("first frame after opening", opened, "s", FIRST_FRAME if asked else None)
    results.number("frames in a second", len(worked) / DRIVEN)
    most = 1e3 * SCRIPT if asked else None
    results.number("script in a frame, mean (ms)", 1e3 * mean(worked), at_most=most)
    results.number("99 of 100 (ms)", 1e3 * float(np.quantile(worked, 0.99)))
    results.number("share of real time", share, at_least=0.98 if asked else None)
    results.number("complaints in the console", len(said), at_most=0)
    results.print()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true", help="of every FMU")
    options = parser.parse_args()
    modules = [m.name for m in pkgutil.iter_modules(fmus.__path__)]
    shipped = [
        n for n in modules if hasattr(importlib.import_module(f"mbcore.fmus.{n}"), "component")
    ]
    with common.folder() as folder:
        for name in shipped if options.all else ["vehicle"]:
            measure(name, folder, name == "vehicle")


if __name__ == "__main__":
    main()
