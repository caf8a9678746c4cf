"""Finds the formulas inside sentences, which stand there without a mark.

Docstrings, pages and descriptions of variables write such a formula as it is read in a terminal,
``m δ̈ = -K δⁿ (1 + κ u)``. It is one where a letter has a sign that no word has: Greek, a dot or a
bar above, an index, a power. The letters, numbers, operators and brackets around it belong to it,
up to the next word or comma. Units alone (``kg m²/s²``) and code stay what they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from mbcore.formulas.mathml import inline
from mbcore.formulas.tokens import FUNCTIONS, SUBSCRIPTS, SUPERSCRIPTS, FormulaError

_MARKS = "\u0302-\u0304\u0307\u0308"
_RAISED = "".join(SUPERSCRIPTS) + "˙"
_LOWERED = "".join(SUBSCRIPTS)
_UNITS = (
    r"(?:(?:[kM]?N|[mck]?m|[kM]?Pa|[kM]?J|[kM]?W|kg|rad|s|μm|µm|μs|µs)"
    r"(?:⁻?[²³ⁿ]|\^\d(?:\.\d+)?)?|deg|Hz|min|h|g|K|V|A|°|%)"
)
_LETTER = r"A-Za-z\u00c0-\u024f\u0370-\u03ff"
_PIECE = re.compile(
    rf"""(?P<unit>(?<![^\W\d_]){_UNITS}(?:[./·\ ]{_UNITS}|/\({_UNITS}(?:[. ]{_UNITS})*\))*
            (?![\w{_MARKS}{_RAISED}'’]))
    | (?P<word>[A-Za-z]{{2,}}\d*_\w+ | [A-Za-z]{{2,}}\d+ | [A-Za-z]_[A-Za-z]{{4}}\w*
        | (?:[A-Za-z](?:[A-Za-z]|[-'’](?=[A-Za-z]{{2}}))*[A-Za-z]|(?:[A-Za-z]|[aou]\u0308){{3,}})
            (?:['’](?:s\b)?)?(?![{_LETTER}{_MARKS}{_RAISED}{_LOWERED}_^]))
    | (?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?|[½⅓⅔¼¾])
    | (?P<script>[{_RAISED}{_LOWERED}]+
        | (?<=[^\s\d]) [_^] (?:\{{[^{{}}]*\}} | \([^()]*\) | -?\d+(?:\.\d+)? | [-+](?![\w])
            | -?[{_LETTER}][{_MARKS}]*\w{{0,3}})
        | (?<=[\w{_MARKS})]) (?: ['’]+ (?![A-Za-z]) | \* (?=[\s,.;:)|]|$)))
    | (?P<letter>[^\W\d_][{_MARKS}]*|[∂∇∞ℓ⟨⟩]|\.\.\.|…)
    | (?P<sign>[±∓√∫∮Σ∑∏])
    | (?P<operator><=|>=|!=|->|-\+|[-+±∓×·=<>≤≥≈≠→∝≡/*∘−])
    | (?P<left>[(\[]) | (?P<right>[)\]]) | (?P<bar>\|)
    | (?P<comma>[,;]) | (?P<space>\s+) | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_STRONG = re.compile(
    rf"""[\u0370-\u03ff∂∇∫∮∑∏√{_MARKS}{_RAISED}{_LOWERED}] | [^\W\d][_^] | \|[^|]*[^\W\d][^|]*\|
    | (?<!['’\w]) [^\W\d_] (?:['’]+ | \([a-z](?:,\ [a-z])*\))""",
    re.VERBOSE,
)
_EQUALS = re.compile(r"(?<![^\W\d])[^\W\d]['’]* [=<>≤≥≈≠] ")
_NO_NOUNS = frozenset(("and", "or", "is", "are", "of", "from", "to", "at", "in", "on", "by"))
"""Words that follow the symbol a, but no article."""


@dataclass(frozen=True)
class Piece:
    """A sign, number, letter, word or space of a sentence."""

    kind: str
    text: str


def in_sentence(sentence: str) -> str:
    """Return a sentence as HTML with its formulas as MathML; one that cannot be read stays text."""
    return "".join(
        _typeset(text) if formula else escape(text) for text, formula in pieces(sentence)
    )


def _typeset(formula: str) -> str:
    try:
        return inline(formula)
    except FormulaError:
        return escape(formula)


def pieces(sentence: str) -> Iterator[tuple[str, bool]]:
    """Cut a sentence into its text and its formulas; True stands beside a formula."""
    text = "".join(x if x == "≠" else unicodedata.normalize("NFD", x) for x in sentence)
    given = [Piece(str(match.lastgroup), match[0]) for match in _PIECE.finditer(text)]
    found, place = "", 0
    while place < len(given):
        end = _end(given, place)
        begin, end = _trimmed(given, place, end)
        formula = _text(given[begin:end])
        if end > begin and _is_formula(formula, given[begin:end]):
            found += "".join(piece.text for piece in given[place:begin])
            if found:
                yield unicodedata.normalize("NFC", found), False
            yield unicodedata.normalize("NFC", formula), True
            found, place = "", end
        else:
            end = max(end, place + 1)
            found += "".join(piece.text for piece in given[place:end])
            place = end
    if found:
        yield unicodedata.normalize("NFC", found), False


def _text(parts: list[Piece]) -> str:
    """Return a formula's text, its units in quotes, which keep them upright."""
    found = ""
    for i, part in enumerate(parts):
        unit = part.kind == "unit" and len(part.text) > 1 and " " not in part.text
        unit = unit and _is_of_number(parts, i)
        found += f'"{part.text}"' if unit else part.text
    return found


def _end(given: list[Piece], begin: int) -> int:
    """Return where what may be a formula ends that begins at a piece."""
    place = begin
    while place < len(given):
        piece = given[place]
        if piece.kind == "left":
            after = _closed(given, place)
            if not after:
                break
            place = after
        elif piece.kind == "bar":
            after = _between_bars(given, place)
            if not after:
                break
            place = after
        elif _is_mathematics(piece) or (piece.kind == "space" and place > begin):
            place += 1
        else:
            break
    return place


def _is_mathematics(piece: Piece) -> bool:
    if piece.kind == "word":
        text = piece.text
        pair = len(text) == 2 and text != "SX" and (text.isupper() or text[0] == "d")
        return text in FUNCTIONS or pair
    return piece.kind in ("unit", "number", "letter", "script", "sign", "operator")


def _closed(given: list[Piece], left: int) -> int:
    """Return the place behind a bracket that holds mathematics alone; 0 where it does not."""
    place = left + 1
    while place < len(given):
        piece = given[place]
        if piece.kind == "right":
            return 0 if given[place - 1].kind in ("left", "comma") else place + 1
        if piece.kind == "left":
            place = _closed(given, place)
            if not place:
                return 0
        elif piece.kind in ("comma", "space", "bar") or _is_mathematics(piece):
            place += 1
        else:
            return 0
    return 0


def _between_bars(given: list[Piece], left: int) -> int:
    """Return the place behind the second of two bars; 0 where there is none."""
    for place in range(left + 1, len(given)):
        if given[place].kind == "bar":
            return place + 1
        if not (_is_mathematics(given[place]) or given[place].kind in ("space", "left", "right")):
            return 0
    return 0


def _trimmed(given: list[Piece], begin: int, end: int) -> tuple[int, int]:
    """Leave out what is not part of a formula at its edges.

    That are spaces and operators, articles, units of numbers, and the number of an equation.
    """
    while end > begin and (count := _behind(given, end)):
        end -= count
    while begin < end and _is_left_out(given, begin, end):
        begin += 1
    return begin, end


def _behind(given: list[Piece], end: int) -> int:
    """Return how many of the last pieces are not part of the formula that would end there."""
    last, following = given[end - 1], given[end : end + 2]
    if last.kind in ("space", "operator", "sign") or last.text in FUNCTIONS:
        return 1
    if last.kind == "unit" and _is_of_number(given, end - 1):
        return 1
    if [piece.kind for piece in given[end - 4 : end]] == ["space", "left", "number", "right"]:
        return 4
    noun = [piece.kind for piece in following] == ["space", "word"] and following[1].text
    factor = noun in _NO_NOUNS or _last(given, end - 1) in ("=", "+", "-", "/", "·")
    return int(last.text == "a" and bool(noun) and not factor)


def _is_left_out(given: list[Piece], begin: int, end: int) -> bool:
    """Return whether a piece is not part of the formula that would begin with it."""
    first, following = given[begin], given[begin + 1 : begin + 3]
    spaced = bool(following) and following[0].kind == "space"
    if first.kind in ("space", "script"):
        return True
    if first.kind == "operator":
        return spaced or first.text not in "-−±∓"
    if not spaced or following[-1].kind == "operator":
        return False
    if first.kind == "number":
        return following[-1].kind == "unit" and _is_unit(given, begin + 2)
    if first.kind == "unit":
        return _is_unit(given, begin)
    is_sum = any(p.kind == "operator" and p.text in "=+-" for p in given[begin:end])
    return not is_sum and (first.text == "a" or (first.text == "A" and _last(given, begin) == "."))


def _is_unit(given: list[Piece], place: int) -> bool:
    """Return whether letters before a formula, as in ``10 m (λ = 2)``, are no factor of it."""
    text = given[place].text
    brackets = [piece.kind for piece in given[place + 1 : place + 3]] == ["space", "left"]
    return (len(text) > 1 and " " not in text) or (brackets and _is_of_number(given, place))


def _is_of_number(given: list[Piece], unit: int) -> bool:
    """Return whether a number, or a power of ten, stands before a unit."""
    kinds = [piece.kind for piece in given[:unit] if piece.kind != "space"]
    return kinds[-1:] == ["number"] or kinds[-2:] == ["number", "script"]


def _last(given: list[Piece], place: int) -> str:
    """Return what stands before a place, but for spaces; a full stop at the beginning."""
    return next((p.text for p in reversed(given[:place]) if p.kind != "space"), ".")


def _is_formula(text: str, parts: list[Piece]) -> bool:
    if _EQUALS.search(text):
        return True
    kinds = {part.kind for part in parts}
    return bool(_STRONG.search(text)) and not kinds <= {"unit", "number", "space", "operator"}
