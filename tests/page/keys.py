"""Presses each key of live pages and tells which pages say that something is wrong.

Each key alone, from the start of the page's model, for half a second; the page is watched for ten.
Neither a message may appear, such as that of a step that fails, nor a remark, such as that more
friction is needed than there is::

    python -m tests.page.keys build/docs/live/*.html
    python -m tests.page.keys build/docs/live/vehicle.html --hold 10

A bicycle without a rider falls where a key is held for longer.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.browser import open_browser, visit, wait_for

SECONDS, FRAMES = 10, 60
"""How long a page is watched, s, and frames in a second."""
PRESSED = """
mbcore.pause();
mbcore.reset();
const [key, held, seconds, rate] = arguments, { page } = mbcore;
page.drive.press(key, 1);
const said = new Set(), message = document.getElementById('message');
for (let frame = 1; frame <= seconds * rate; frame++) {
  page.advance(1 / rate, performance.now());
  if (frame === Math.round(held * rate)) page.drive.release();
  if (frame % (rate / 4)) continue;
  page.flags.draw();
  for (const chip of document.querySelectorAll('#flags .remark'))
    if (!chip.hidden && chip.offsetParent) said.add(chip.innerText);
  if (!message.hidden) said.add(document.getElementById('words').textContent);
}
page.drive.release();
return [mbcore.time, [...said]];
"""
"""Gives the model's time at the end, and what the page said meanwhile."""


def told(browser: Any, page: Path, hold: float) -> Iterator[tuple[str, float, list[str]]]:
    """Give each key of a page, the model's time at the end, s, and what the page said."""
    visit(browser, page)
    wait_for(lambda: browser.execute_script("return window.mbcore?.time !== undefined"), 60)
    for key in browser.execute_script("return Object.keys(mbcore.model.keys)"):
        time, said = browser.execute_script(PRESSED, key, hold, SECONDS, FRAMES)
        yield key, time, said


def main() -> int:
    """Press all keys of the pages given; return 1 if a page said anything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--hold", type=float, default=0.5, help="s; %(default)s by default")
    given = parser.parse_args()
    found, pressed = 0, 0
    browser = open_browser()
    browser.set_script_timeout(600)
    try:
        for page in given.pages:
            for key, time, said in told(browser, page, given.hold):
                pressed += 1
                found += bool(said)
                print(f"{page.stem}, {key}: to {time:g} s, {'; '.join(said) or 'nothing said'}")
    finally:
        browser.quit()
    print(f"{pressed} keys pressed for {given.hold:g} s, {found} with a message or a remark")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
