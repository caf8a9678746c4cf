"""Checks the built site: no formula stands in a box of code or as plain text.

::

    python -m docs.site.check build/docs
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

_BOX = re.compile(r'<div class="highlight-(\w+) notranslate">(.*?)</pre></div>', re.DOTALL)
_QUOTE = re.compile(r"<blockquote>(.*?)</blockquote>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_CODE = frozenset(("python", "console", "sh", "bash", "c", "xml", "toml", "yaml", "json", "html"))
_PRINTED = '<section id="what-it-prints">'
_SIGNS = re.compile("[α-ωΑ-Ω²³⁴⁻¹ᵀ\u0302-\u0308ẋẏżẍÿ]")
_NO_PROSE = frozenset(
    ("math", "code", "pre", "script", "style", "head", "nav", "svg", "button")
    + ("h1", "h2", "h3", "h4", "h5", "h6", "dt")
)
"""Elements whose text is code, a name or a heading, or mathematics already."""
_UNIT = re.compile(r"(?<![^\W\d_])(?:[kMmcμµ]?[mNsWJ]|kg|rad|Pa|mm)(?:⁻?[²³ⁿ]|⁻¹)|[μµ](?:m|s)\b")
_IN_PROSE = re.compile(
    "[\u0370-\u03ff∂∫∑√²³⁴⁺⁻ᵀᵈᵏⁿ₀-₉ᵢⱼₖ]|[^\\W\\d_][\u0302\u0304\u0307]"
    "|(?<![^\\W_])[A-Za-z]_[A-Za-z\\d]{1,3}(?![\\w.])"
)
"""Signs that no word has: Greek, dots, raised and lowered letters, an index."""


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


class _Prose(HTMLParser):
    """Collects the text of a page that is prose: of its article, without code and mathematics."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._within = 0
        """Number of open elements that are not prose."""
        self._article = 0

    def handle_starttag(self, tag: str, attributes: object) -> None:
        """Enter an element."""
        self._article += tag == "article"
        self._within += tag in _NO_PROSE

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._article -= tag == "article"
        self._within -= tag in _NO_PROSE

    def handle_data(self, data: str) -> None:
        """Take a text."""
        if self._article and not self._within:
            self.found.append(" ".join(data.split()))


def formulas_in_prose(page: str) -> Iterator[str]:
    """Give the texts of a page's sentences with signs of formulas outside of MathML."""
    prose = _Prose()
    prose.feed(page)
    yield from filter(signs_of_formulas, prose.found)


def signs_of_formulas(text: str) -> bool:
    """Return whether a text has a sign that no word and no unit has."""
    return bool(_IN_PROSE.search(_UNIT.sub("", unicodedata.normalize("NFD", text))))


def problems(site: Path) -> list[str]:
    """Return the formulas of a site that are not MathML, with their pages."""
    found = []
    for page in sorted(site.rglob("*.html")):
        if not {"_modules", "live", "genindex.html"} & set(page.parts):
            text = page.read_text(encoding="utf-8")
            lines = (*formulas_as_text(text), *formulas_in_prose(text))
            found += [f"{page.relative_to(site)}: {line}" for line in lines]
    return found


def main() -> int:
    """Print the problems of the site given; return 1 if there are some."""
    found = problems(Path(sys.argv[1]))
    print("\n".join(found + [f"formulas that are plain text: {len(found)}"]))
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
