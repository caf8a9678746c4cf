"""Cuts the text of a formula into signs, symbols, numbers and words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵀᵈᵖⁿⁱᵏ", "0123456789+−()Tdpnik", strict=True))
SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖ", "0123456789+−ijk", strict=True))
FUNCTIONS = frozenset(
    {"sin", "cos", "tan", "sec", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh"}
    | {"exp", "ln", "log", "det", "diag", "trace", "rank", "min", "max", "sign", "mean", "std"}
    | {"doStep", "RK4", "Re", "Im"}
)
WORDS = frozenset(
    {"an", "as", "at", "be", "by", "if", "in", "is", "it", "no", "of", "on", "or", "so", "to", "we"}
)
"""Words of two letters; longer ones that name no function are always words."""

_MARKS = "\u0302\u0303\u0304\u0307\u0308"
_UNIT = r"(?:kg|kN|MN|mm|rad|deg|Pa|Hz|N|m|s|J|W)[²³⁴2-4]?"
_SIGN = re.compile(
    rf"""(?P<code>`[^`]+`) | (?P<quoted>"[^"]+")
    | (?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])|\d+(?:\.\d+)?|[½⅓⅔¼¾])
    | (?P<unit>(?<=\d\ ){_UNIT}(?:[./]{_UNIT})+(?![\w(/]))
    | (?P<word>[A-Za-z][A-Za-z0-9]+(?![{_MARKS}])(?=[^A-Za-z]|$))
    | (?P<superscript>[{"".join(SUPERSCRIPTS)}˙]+) | (?P<subscript>[{"".join(SUBSCRIPTS)}]+)
    | (?P<symbol>[^\W\d_Σ∑][{_MARKS}]*|[∂∇∞⊥∅…ℓ°%])
    | (?P<prime>'+) | (?P<script>[_^]) | (?P<slash>/)
    | (?P<left>[(\[{{]) | (?P<right>[)\]}}]) | (?P<bar>\|)
    | (?P<operator><=|>=|!=|\+=|->|[-+±∓×·∘=<>≤≥≈≠→∈∫∮Σ∑∏√,;:.!*−⟨⟩≡∝])""",
    re.VERBOSE,
)


class FormulaError(ValueError):
    """A formula that cannot be read; the message has the formula and the place."""


@dataclass(frozen=True)
class Token:
    """A sign of a formula."""

    kind: str
    text: str
    spaced: bool
    """Whether a space stands before it."""


def tokens(formula: str) -> list[Token]:
    """Cut a formula into its signs.

    Raises
    ------
    FormulaError
        Where a sign has no meaning in a formula.
    """
    text = "".join(
        letter if letter in "≠" else unicodedata.normalize("NFD", letter) for letter in formula
    )
    found: list[Token] = []
    place = 0
    while place < len(text):
        begin = place
        while place < len(text) and text[place].isspace():
            place += 1
        if place == len(text):
            break
        match = _SIGN.match(text, place)
        if match is None or match.lastgroup is None:
            raise FormulaError(
                f"{formula!r}: {text[place]!r} (U+{ord(text[place]):04X}) has no meaning in a "
                "formula; write words in double quotes and names of variables in backticks"
            )
        token = Token(match.lastgroup, match[0], place > begin)
        # an index keeps its letters together, a product of symbols does not
        index = bool(found) and found[-1].text == "_" and not token.spaced
        found += [token] if index else _letters(token)
        place = match.end()
    return found


def _letters(token: Token) -> list[Token]:
    """Cut letters that are no word and no function into symbols; digits become an index."""
    if token.kind != "word" or is_word(token.text) or token.text in FUNCTIONS:
        return [token]
    found: list[Token] = []
    for piece in re.findall(r"[A-Za-z]|\d+", token.text):
        if piece.isdigit():
            found += [Token("script", "_", False), Token("number", piece, False)]
        else:
            found.append(Token("symbol", piece, token.spaced and not found))
    return found


def is_word(text: str) -> bool:
    """Return whether letters are a word of a sentence."""
    return text not in FUNCTIONS and (text in WORDS or (len(text) > 2 and text.isalpha()))
