"""Opens pages of the built site in three widths, light and dark, in Chromium or Firefox.

Told is what a reader would stumble over: a page that scrolls sideways, a formula or title that is
cut, text that hardly differs from what is behind it, a picture that does not load, an error in the
console::

    python -m tests.docs.readings build/docs
    python -m tests.docs.readings build/docs --browser firefox --only theory fmu

Chromium needs its driver and the package selenium, Firefox the package websocket-client.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from tests.browser import complaints, open_browser, visit
from tests.page.firefox import Firefox

WIDTHS = (390, 768, 1280)
HEIGHT = 900
"""Inner sizes of windows, pixels."""
LEAST_CONTRAST = 3.0
"""Of text of any size, [WCAG 2.1] 1.4.11."""
LOOK = """
(() => {
  const wide = document.documentElement.scrollWidth, found = [], view = window.innerWidth;
  if (wide > view) found.push(`${wide} pixels wide`);
  const PARTS = 'msub, msup, mfrac, mroot, munder, mover, msubsup, munderover';
  const told = (e) => (e.innerText || e.textContent).replace(/\\s+/g, ' ').slice(0, 50);
  const seen = (e) => e.getClientRects().length && getComputedStyle(e).visibility !== 'hidden';
  // A box that scrolls shows all of what is in it; one that hides does not.
  const hidden = (e) => {
    const box = e.getBoundingClientRect();
    for (let p = e.parentElement; p; p = p.parentElement) {
      const { overflowX } = getComputedStyle(p), { left, right } = p.getBoundingClientRect();
      if (['auto', 'scroll'].includes(overflowX)) return box.left < left - p.scrollLeft - 1;
      if (['hidden', 'clip'].includes(overflowX) && box.right > right + 1) return true;
    }
    return box.right > view + 1 || box.left < -1;
  };
  for (const e of document.querySelectorAll('main :is(math, h1, h2, h3, img, table)'))
    if (seen(e) && hidden(e)) found.push(`${e.tagName} is cut: ${told(e)}`);
  for (const e of document.querySelectorAll(PARTS))
    if (e.childElementCount !== (/subsup|underover/.test(e.localName) ? 3 : 2))
      found.push(`${e.localName} has ${e.childElementCount} parts: ${told(e)}`);
  for (const e of document.images)
    if (seen(e) && e.complete && !e.naturalWidth) found.push(`no picture: ${e.src}`);
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const part = (v) => (v / 255 <= 0.04045 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (e) => {
    for (let p = e; p; p = p.parentElement) {
      const colour = rgba(getComputedStyle(p).backgroundColor);
      if (colour[3] > 200) return colour;
    }
    return [255, 255, 255, 255];
  };
  const faint = new Set();
  for (const e of document.querySelectorAll('main *')) {
    const texts = [...e.childNodes].filter((n) => n.nodeType === 3 && n.data.trim());
    if (!texts.length || !seen(e)) continue;
    const style = getComputedStyle(e);
    if (Number(style.opacity) === 0) continue;
    const [a, b] = [light(rgba(style.color)), light(behind(e))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < LEAST) faint.add(`${style.color} on ${behind(e).slice(0, 3)}: ${told(e)}`);
  }
  return [...found, ...[...faint].slice(0, 3).map((one) => `faint: ${one}`)];
})()
""".replace("LEAST", str(LEAST_CONTRAST))
"""Gives what is wrong in the page that is open."""


class Reader(Protocol):
    """A browser that opens pages."""

    def open(self, page: Path) -> None: ...

    def resize(self, width: int, height: int) -> None: ...

    def evaluate(self, expression: str) -> Any: ...

    def complaints(self) -> list[str]: ...

    def close(self) -> None: ...


class Chromium:
    """A Chromium that opens pages, in light or dark; the caller closes it."""

    def __init__(self, *, dark: bool) -> None:
        self._browser = open_browser()
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def open(self, page: Path) -> None:
        """Open a file; what earlier pages wrote to the console is forgotten."""
        visit(self._browser, page)

    def resize(self, width: int, height: int) -> None:
        """Set the inner size of the window, pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def evaluate(self, expression: str) -> Any:
        """Return what an expression of JavaScript gives."""
        return self._browser.execute_script(f"return {expression.strip()}")

    def complaints(self) -> list[str]:
        """Return the warnings and errors that the page has written to the console since opened."""
        return complaints(self._browser)

    def close(self) -> None:
        """End the browser."""
        self._browser.quit()


BROWSERS = {"chromium": Chromium, "firefox": Firefox}


def pages(site: Path, only: list[str]) -> list[Path]:
    """Return the pages of a site, without those of source code; those in or of some names alone."""
    found = [p.relative_to(site) for p in sorted(site.rglob("*.html"))]
    found = [
        p for p in found if not {"_modules", "_static", "_sphinx_design_static"} & set(p.parts)
    ]
    return [p for p in found if not only or set(only) & {*p.parts, p.stem}]


def read(reader: Reader, site: Path, page: Path) -> Iterator[str]:
    """Give what is wrong in a page, with the width at which it is."""
    reader.open(site / page)
    for width in WIDTHS:
        reader.resize(width, HEIGHT)
        yield from (f"{width} px: {wrong}" for wrong in reader.evaluate(LOOK))
    yield from (f"console: {text}" for text in reader.complaints())


def main() -> int:
    """Read the pages of the site given; return 1 if something was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("site", type=Path)
    parser.add_argument("--browser", choices=BROWSERS, default="chromium")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="folders or pages")
    given = parser.parse_args()
    found, wrong = pages(given.site, given.only), 0
    for dark in (False, True):
        reader = BROWSERS[given.browser](dark=dark)
        try:
            for page in found:
                for said in read(reader, given.site, page):
                    wrong += 1
                    print(f"{page}, {'dark' if dark else 'light'}, {said}", flush=True)
        finally:
            reader.close()
    print(f"{given.browser}: {len(found)} pages, {6 * len(found)} readings, {wrong} findings")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
