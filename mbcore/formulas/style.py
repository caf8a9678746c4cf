"""How formulas look: a font for mathematics in the page itself, and displayed formulas.

Signs that grow, and the places of indices, come from a font with a table for mathematics, which
not every system has.
"""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

FONT = Path(__file__).parent / "assets" / "mathematics.woff"
"""A subset of STIX Two Math with the signs that formulas may have."""

_RULES = (
    'math{font-family:"mbcore mathematics",math;font-size:112%}'
    # Chromium sets dots and bars on the ink of the letter without a gap
    "mover>mo:last-child{padding-bottom:.1em}"
    "math .code{font-family:monospace;font-size:90%}"
    ".formula{margin:.6em 0 .6em 1.5em;padding:.2em 0;line-height:2.2;overflow:auto hidden}"
    ".formula.continued{margin-left:4em}"
    ".formula math{margin:.15em 1.6em .15em 0;white-space:nowrap}"
    ".formula .number{float:right}"
)


def rules(font: str) -> str:
    """Return the style of formulas for pages that find the font at an address."""
    source = f'url("{font}") format("woff")'
    return f'@font-face{{font-family:"mbcore mathematics";src:{source}}}{_RULES}'


@cache
def style() -> str:
    """Return the style of formulas with the font in it, for pages that stand alone."""
    return rules("data:font/woff;base64," + base64.b64encode(FONT.read_bytes()).decode())
