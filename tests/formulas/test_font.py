"""The font in pages: it has all signs of formulas, and the table for mathematics."""

from __future__ import annotations

import unicodedata

from fontTools.ttLib import TTFont

from mbcore.formulas import style
from mbcore.formulas.mathml import MARKS
from mbcore.formulas.style import FONT
from mbcore.formulas.tokens import SUBSCRIPTS, SUPERSCRIPTS


def italic(letter: str) -> str:
    """Return the sign that browsers draw for a symbol of one letter, by its name in Unicode."""
    if letter == "h":
        return "ℎ"  # in Unicode Planck's constant, since before there were italics
    words = unicodedata.name(letter).split()
    size = "CAPITAL" if "CAPITAL" in words else "SMALL"
    name = " ".join(words[words.index("LETTER") + 1 :])
    return unicodedata.lookup(f"MATHEMATICAL ITALIC {size} {name}")


def test_every_sign_of_formulas_has_a_glyph() -> None:
    letters = [chr(i) for i in (*range(65, 91), *range(97, 123), *range(945, 970))]
    font = TTFont(FONT)
    there = {chr(code) for code in font.getBestCmap()}
    signs = "0123456789.,;:!()[]{}|/=<>+−±∓×·∘≤≥≈≠→∈∫∮∑∏∂∇∞⊥∅…ℓ°′½⅓⅔¼¾ "
    wanted = {*map(italic, letters), *letters, *signs, *MARKS.values()}
    wanted |= {*SUPERSCRIPTS.values(), *SUBSCRIPTS.values()}
    assert sorted(wanted - there) == []
    assert "MATH" in font


def test_a_page_grows_by_less_than_a_hundred_kilobytes() -> None:
    assert 30_000 < len(style()) < 70_000
    assert "http" not in style()
