"""Writes formulas as MathML, which browsers draw themselves, without a script or a network."""

from __future__ import annotations

import re
import textwrap
from html import escape, unescape

from mbcore.formulas.reading import VULGAR, read
from mbcore.formulas.tree import Accent, Fenced, Fraction, Leaf, Matrix, Part, Root, Row, Script

MARKS = {"\u0302": "^", "\u0303": "~", "\u0304": "¯", "\u0307": "˙", "\u0308": "¨"}
_DIFFERENTIALS = frozenset("∂∇")
_SUMS = frozenset("∑∏")
_UPRIGHT = ' mathvariant="normal"'
_NUMBER = re.compile(r"\s{2,}((?:\[\w+\] )?\((?:[A-Z]\.)?\d[\d.]*[a-z]?\))([.,]?)\s*$")
_PIECES = re.compile(r"\s{2,}")
_THIN = '<mspace width="0.17em"/>'
_IN_HTML = re.compile(r"<math( display=\"block\")?>([^<]*)</math>")


def inline(formula: str) -> str:
    """Return a formula inside a sentence; fractions keep their slash, or are one sign, as ½ is.

    Raises
    ------
    FormulaError
        Where the formula cannot be read.
    """
    return f"<math>{_row(read(formula), False)}</math>"


def paragraph(lines: str) -> str:
    """Return the lines of a displayed formula.

    A line that is indented more than the first one goes on with the line before it. Two spaces
    and more stand between formulas of one line, which may be broken there; a number in
    parentheses at the end is that of the equation.

    Raises
    ------
    FormulaError
        Where a formula cannot be read.
    """
    return "".join(_line(goes_on, line) for goes_on, line in _whole(lines))


def in_html(page: str) -> str:
    """Typeset the formulas of a page: the text of its ``<math>`` elements.

    Raises
    ------
    FormulaError
        Where a formula cannot be read.
    """

    def typeset(found: re.Match[str]) -> str:
        text = unescape(found[2])
        if found[1]:
            return paragraph(textwrap.dedent(text.strip("\n")))
        return inline(" ".join(text.split()))

    return _IN_HTML.sub(typeset, page)


def _whole(lines: str) -> list[tuple[bool, str]]:
    """Return the lines, and of each whether it goes on with the one before it."""
    given = [line for line in lines.split("\n") if line.strip()]
    indent = len(given[0]) - len(given[0].lstrip()) if given else 0
    found: list[tuple[bool, str]] = []
    for line in given:
        goes_on = bool(found) and len(line) - len(line.lstrip()) > indent
        if goes_on and _is_open(found[-1][1]):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            found.append((goes_on, line.strip()))
    return found


def _is_open(line: str) -> bool:
    """Return whether brackets of a line are closed in the next one."""
    return sum(line.count(left) for left in "([{") > sum(line.count(right) for right in ")]}")


def _line(goes_on: bool, line: str) -> str:
    number = _NUMBER.search(line)
    shown = f'<span class="number">{number[1]}</span>' if number else ""
    pieces = _PIECES.split(line[: number.start()] + number[2] if number else line)
    formulas = " ".join(
        f'<math displaystyle="true">{_row(read(piece), True)}</math>' for piece in pieces
    )
    kind = "formula continued" if goes_on else "formula"
    return f'<div class="{kind}">{shown}{formulas}</div>\n'


def _row(row: Row, display: bool) -> str:
    """Return the parts of a row, with spaces beside words."""
    written: list[str] = []
    words: list[str] = []
    for i, part in enumerate(row.parts):
        following = row.parts[i + 1] if i + 1 < len(row.parts) else None
        if _is_word(part):
            words.append(escape(part.text, quote=False))  # type: ignore[union-attr]
            if following is None or not _is_word(following):
                before = "\u00a0" if i >= len(words) else ""
                after = "" if following is None or _is_sign(following) else "\u00a0"
                written.append(f"<mtext>{before}{' '.join(words)}{after}</mtext>")
                words = []
        elif part == Leaf("mo", "−") and (not i or _is_sign(row.parts[i - 1])):
            written.append('<mo form="prefix">−</mo>')
        else:
            apart = i and _is_function(part) and not _is_sign(row.parts[i - 1])
            written.append((_THIN if apart else "") + _written(part, display))
    return "".join(written)


def _is_function(part: Part) -> bool:
    """Return whether a part begins with the name of a function."""
    match part:
        case Row() if part.parts:
            return _is_function(part.parts[0])
        case Script():
            return _is_function(part.base)
    return isinstance(part, Leaf) and part.kind == "mi" and len(part.text) > 1


def _is_word(part: Part) -> bool:
    """Return whether a part is a word of a sentence; a unit is none."""
    return isinstance(part, Leaf) and part.kind == "mtext" and not part.text.startswith("\u2009")


def _is_sign(part: Part) -> bool:
    return isinstance(part, Leaf) and part.kind == "mo"


def _written(part: Part, display: bool) -> str:
    """Return a part as one element."""
    match part:
        case Leaf():
            return _leaf(part)
        case Row():
            return f"<mrow>{_row(part, display)}</mrow>"
        case Accent():
            base = _written(part.base, display)
            return (
                f'<mover accent="true">{base}<mo stretchy="false">{MARKS[part.mark]}</mo></mover>'
            )
        case Script():
            return _script(part, display)
        case Root():
            return f"<msqrt>{_written(part.inside, display)}</msqrt>"
        case Fenced() if display and _is_number(part):
            return _written(part.inside, display)
        case Fenced():
            tall = display and _is_tall(part.inside)
            return _fenced(part.left, _row(part.inside, display), part.right, tall)
        case Fraction() if display:
            top, bottom = (_written(_alone(p), display) for p in (part.top, part.bottom))
            return f"<mfrac>{top}{bottom}</mfrac>"
        case Fraction(top=Leaf() as top, bottom=Leaf() as bottom) if _sign_of(top, bottom):
            return f"<mn>{_sign_of(top, bottom)}</mn>"
        case Fraction():
            top, bottom = (_written(p, display) for p in (part.top, part.bottom))
            slash = '<mo lspace="0.05em" rspace="0.05em" stretchy="false">/</mo>'
            return f"<mrow>{top}{slash}{bottom}</mrow>"
        case Matrix():
            rows = "".join(
                "<mtr>" + "".join(f"<mtd>{_row(cell, False)}</mtd>" for cell in row) + "</mtr>"
                for row in part.rows
            )
            return _fenced("[", f"<mtable>{rows}</mtable>", "]", True)


def _leaf(leaf: Leaf) -> str:
    text = escape(leaf.text, quote=False)
    if leaf.kind == "code":
        return f'<mtext class="code">{text}</mtext>'
    if leaf.kind == "mspace":
        return f'<mspace width="{text}"/>'
    kind = "mo" if leaf.text in _DIFFERENTIALS else leaf.kind
    upright = _UPRIGHT if leaf.upright and len(leaf.text) == 1 else ""
    fence = ' stretchy="false"' if leaf.text in "|*" else ""
    return f"<{kind}{upright}{fence}>{text}</{kind}>"


def _script(script: Script, display: bool) -> str:
    base = _written(script.base, display)
    if isinstance(script.base, Accent) and script.above is not None:
        # Browsers would raise a superscript above the mark, where it floats.
        base = f'<mpadded height="0.6em">{base}</mpadded>'
    beside = not (display and script.base in [Leaf("mo", sign) for sign in _SUMS])
    below, above = (
        None if part is None else _written(part, False) for part in (script.below, script.above)
    )
    if below is not None and above is not None:
        name = "msubsup" if beside else "munderover"
        return f"<{name}>{base}{below}{above}</{name}>"
    if below is not None:
        name = "msub" if beside else "munder"
        return f"<{name}>{base}{below}</{name}>"
    name = "msup" if beside else "mover"
    return f"<{name}>{base}{above}</{name}>"


def _fenced(left: str, inside: str, right: str, tall: bool) -> str:
    kind = "" if tall else ' stretchy="false"'
    return (
        f'<mrow><mo fence="true" form="prefix"{kind}>{left}</mo>{inside}'
        f'<mo fence="true" form="postfix"{kind}>{right}</mo></mrow>'
    )


def _is_tall(part: Part | None) -> bool:
    """Return whether brackets around this must grow."""
    match part:
        case Fraction() | Matrix():
            return True
        case Row():
            return any(_is_tall(inside) for inside in part.parts)
        case Fenced() | Root():
            return _is_tall(part.inside)
        case Script():
            return _is_tall(part.base) or part.base in [Leaf("mo", sign) for sign in _SUMS]
    return False


def _is_number(part: Fenced) -> bool:
    """Return whether brackets hold a fraction of numbers, which a fraction bar replaces."""
    match part.inside.parts:
        case (Fraction(top=Leaf(kind="mn"), bottom=Leaf(kind="mn")),):
            return part.left == "("
    return False


def _sign_of(top: Leaf, bottom: Leaf) -> str:
    """Return the one sign for a fraction, whose slash would seem to divide what follows."""
    return next((s for s, pair in VULGAR.items() if pair == (top.text, bottom.text)), "")


def _alone(part: Part) -> Part:
    """Return what a fraction bar holds together without its brackets."""
    return part.inside if isinstance(part, Fenced) and part.left == "(" else part
