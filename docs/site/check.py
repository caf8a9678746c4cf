"""Checks the built site: no formula stands in a box of code or as plain text set apart.

::

    python -m docs.site.check build/docs
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path

_BOX = re.compile(r'<div class="highlight-(\w+) notranslate">(.*?)</pre></div>', re.DOTALL)
_QUOTE = re.compile(r"<blockquote>(.*?)</blockquote>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_CODE = frozenset(("python", "console", "sh", "bash", "c", "xml", "toml", "yaml", "json", "html"))
_PRINTED = '<section id="what-it-prints">'
_SIGNS = re.compile("[α-ωΑ-Ω²³⁴⁻¹ᵀ\u0302-\u0308ẋẏżẍÿ]")


def formulas_as_text(page: str) -> Iterator[str]:
    """Give the lines of a page that are formulas in boxes of code, or set apart without MathML.

    What a program prints is none: its table may well say ``ψ = 0.1``.
    """
    written, _, printed = page.partition(_PRINTED)
    _, _, behind = printed.partition("</section>")
    for part in (written, behind):
        boxes = [text for language, text in _BOX.findall(part) if language not in _CODE]
        for text in (*boxes, *_QUOTE.findall(part)):
            if "<math" not in text:
                for line in unescape(_TAG.sub("", text)).splitlines():
                    if "=" in line and _SIGNS.search(line):
                        yield line.strip()


def problems(site: Path) -> list[str]:
    """Return the formulas of a site that are no MathML, with their pages."""
    return [
        f"{page.relative_to(site)}: {line}"
        for page in sorted(site.rglob("*.html"))
        if not {"_modules", "live"} & set(page.parts)
        for line in formulas_as_text(page.read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Print the problems of the site given; return 1 if there are some."""
    found = problems(Path(sys.argv[1]))
    print("\n".join(found + [f"formulas that are plain text: {len(found)}"]))
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
