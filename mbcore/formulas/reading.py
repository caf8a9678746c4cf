"""Reads formulas in the notation of the library's docstrings, for `mathml`.

It is what one would write on a line of text. Greek letters, dots (``q̈``), powers (``v²``, ``Aᵀ``,
``x^(3/2)``, ``e^{A h}``), indices (``F_x``, ``r_{k+i}``) and roots (``√(x² + y²)``) stand as they
are. Letters side by side are a product. A slash divides what touches it, and where spaces stand
around it, all of the product before it: in ``a b/c`` only b is divided, in ``a b / c`` both are.
The name of a function acts on what touches its argument: ``sin 2θ cos φ`` is a product of two.
``[a b; c d]`` is a matrix, with commas between cells that have spaces. Words of three letters and
more are text, and so is what stands in double quotes; names in backticks are variables.
"""

from __future__ import annotations

from mbcore.formulas.tokens import SUBSCRIPTS, SUPERSCRIPTS, FormulaError, Token, is_word, tokens
from mbcore.formulas.tree import Accent, Fenced, Fraction, Leaf, Matrix, Part, Root, Row, Script

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_SHOWN = {
    "-": "−", "*": "·", "<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "Σ": "∑", "+=": "+=",
}  # fmt: skip
VULGAR = {"½": ("1", "2"), "⅓": ("1", "3"), "⅔": ("2", "3"), "¼": ("1", "4"), "¾": ("3", "4")}
_PRODUCT = frozenset("·×∘")


def read(formula: str) -> Row:
    """Return the parts of a formula.

    Raises
    ------
    FormulaError
        Where a bracket is not closed, an operand is missing or a sign has no meaning.
    """
    reader = _Reader(formula)
    row = reader.row("")
    if reader.there():
        raise reader.error(f"{reader.next().text!r} closes nothing")
    return row


class _Reader:
    """Reads the signs of one formula from left to right."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.tokens = tokens(formula)
        self.place = 0

    def there(self) -> bool:
        return self.place < len(self.tokens)

    def peek(self) -> Token | None:
        return self.tokens[self.place] if self.there() else None

    def next(self) -> Token:
        if not self.there():
            raise self.error("something is missing at its end")
        self.place += 1
        return self.tokens[self.place - 1]

    def error(self, what: str) -> FormulaError:
        return FormulaError(f"formula {self.formula!r}: {what}")

    def row(self, until: str) -> Row:
        """Read up to a closing bracket or bar, which is left, or up to the end."""
        found = _Terms()
        while (token := self.peek()) and token.text != until:
            if token.kind == "right":
                break
            if token.kind == "slash":
                self.next()
                found.divide(token.spaced, self._divisor())
            elif token.kind == "operator" and token.text != "√":
                self.next()
                found.operator(_operator(token.text), self._limits(token.text))
            else:
                found.factor(token.spaced, self.factor())
        return found.all()

    def factor(self) -> Part:
        """Read one factor: a symbol, brackets or a function's value, with what is set to it."""
        token = self.next()
        if token.kind == "word" and is_word(token.text):
            return Leaf("mtext", token.text)
        if token.kind == "word":
            return self._function(token)
        base: Part
        if token.kind == "symbol":
            base = _symbol(token.text)
        elif token.kind == "left":
            base = self._brackets(token.text)
        elif token.kind == "bar":
            base = Fenced("|", self.row("|"), "|")
            self._close("|")
        elif token.text == "√":
            base = Root(_bare(self.tight(scripts=True)))
        elif token.kind in ("number", "code", "quoted", "unit"):
            base = _given(token)
        else:
            raise self.error(f"nothing stands before {token.text!r}")
        return self.scripts(base)

    def tight(self, scripts: bool = False) -> Part:
        """Read factors without a space between them; with ``scripts`` only one."""
        parts = [self.factor()]
        while not scripts and (token := self.peek()) and not token.spaced:
            if token.kind in ("right", "slash", "bar") or token.text in ",;:=":
                break
            if token.kind == "operator" and token.text != "√":
                break
            parts.append(self.factor())
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def scripts(self, base: Part) -> Part:
        """Read the indices and exponents that follow without a space."""
        below: list[Part] = []
        above: list[Part] = []
        while (token := self.peek()) and not token.spaced:
            if token.kind == "script":
                self.next()
                (below if token.text == "_" else above).append(self._script(token.text))
            elif token.kind in ("superscript", "subscript", "prime"):
                self.next()
                (below if token.kind == "subscript" else above).append(_set(token))
            elif token.text == "*" and self._is_star():
                self.next()
                above.append(Leaf("mo", "*"))
            else:
                break
        if not below and not above:
            return base
        return Script(base, _together(below), _together(above))

    def _script(self, sign: str) -> Part:
        """Read an index or an exponent: in brackets, or what touches the sign."""
        token = self.next()
        if token.kind == "left":
            return _bare(self._brackets(token.text))
        if token.kind == "operator" and token.text in "-+":
            following = self.peek()
            if sign == "^" and following and following.kind in ("number", "symbol"):
                return Row((Leaf("mo", _SHOWN.get(token.text, token.text)), self._one()))
            return Leaf("mo", _SHOWN.get(token.text, token.text))
        self.place -= 1
        return self._one()

    def _one(self) -> Part:
        """Read one symbol, number or word as it stands."""
        token = self.next()
        if token.kind == "symbol":
            return _symbol(token.text)
        if token.kind == "word":
            if len(token.text) > 2:
                return Leaf("mtext", token.text)
            return Row(tuple(Leaf("mi" if x.isalpha() else "mn", x) for x in token.text))
        return _given(token)

    def _is_star(self) -> bool:
        """Whether the star at this place marks the symbol before it, and multiplies nothing."""
        following = self.tokens[self.place + 1 : self.place + 2]
        return not following or following[0].spaced or following[0].kind in ("right", "bar")

    def _function(self, token: Token) -> Part:
        """Read the name of a function and its argument."""
        name = self.scripts(Leaf("mi", token.text, upright=True))
        following = self.peek()
        if following is None or following.kind in ("right", "slash", "bar"):
            return name
        if following.kind == "word" and is_word(following.text):
            return name
        if following.kind == "operator" and following.text != "√":
            return name
        if following.kind == "left" and not following.spaced:
            return Row((name, self.factor()))
        return Row((name, Leaf("mspace", "0.17em"), self.tight()))

    def _divisor(self) -> Part:
        following = self.peek()
        if following is None:
            raise self.error("nothing stands behind a slash")
        return self.tight()

    def _limits(self, sign: str) -> tuple[Part | None, Part | None]:
        """Read what stands below and above a sum or an integral."""
        if sign not in "Σ∑∫∮∏":
            return None, None
        found = self.scripts(Leaf("mo", sign))
        return (found.below, found.above) if isinstance(found, Script) else (None, None)

    def _brackets(self, left: str) -> Part:
        """Read what stands in brackets; rows with semicolons in square ones are a matrix."""
        begin = self.place
        inside = self.row(_CLOSING[left])
        self._close(_CLOSING[left])
        matrix = left == "[" and any(part == Leaf("mo", ";") for part in inside.parts)
        if matrix:
            return self._matrix(begin)
        return Fenced(left, inside, _CLOSING[left])

    def _matrix(self, begin: int) -> Matrix:
        """Read the signs of a matrix again, cell by cell."""
        end, self.place = self.place, begin
        cells: list[list[Token]] = [[]]
        rows = [cells]
        commas = _at_depth(self.tokens[begin : end - 1], ",")
        depth = 0
        for token in self.tokens[begin : end - 1]:
            depth += {"left": 1, "right": -1}.get(token.kind, 0)
            if depth == 0 and token.text == ";":
                cells = [[]]
                rows.append(cells)
            elif depth == 0 and (token.text == "," if commas else token.spaced and cells[-1]):
                cells.append([] if commas else [token])
            else:
                cells[-1].append(token)
        self.place = end
        return Matrix(tuple(tuple(self._cell(cell) for cell in row) for row in rows))

    def _cell(self, cell: list[Token]) -> Row:
        reader = _Reader("")
        reader.formula, reader.tokens = self.formula, cell
        return reader.row("")

    def _close(self, right: str) -> None:
        token = self.peek()
        if token is None or token.text != right:
            raise self.error(f"a bracket is not closed by {right!r}")
        self.next()


class _Terms:
    """Collects factors and operators, and divides the right ones by what follows a slash."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.product = 0
        """Where the present product begins, which a slash with spaces divides."""
        self.touching = 0
        """Where the factors begin that touch the last one."""

    def factor(self, spaced: bool, part: Part) -> None:
        if spaced:
            self.touching = len(self.parts)
        self.parts.append(part)

    def operator(self, sign: str, limits: tuple[Part | None, Part | None]) -> None:
        leaf = Leaf("mo", sign)
        self.parts.append(Script(leaf, *limits) if any(limits) else leaf)
        self.touching = len(self.parts)
        if sign not in _PRODUCT:
            self.product = len(self.parts)

    def divide(self, spaced: bool, bottom: Part) -> None:
        begin = self.product if spaced else self.touching
        top = tuple(self.parts[begin:])
        if not top:
            raise FormulaError("nothing stands before a slash")
        del self.parts[begin:]
        self.touching = len(self.parts)
        self.parts.append(Fraction(top[0] if len(top) == 1 else Row(top), bottom))

    def all(self) -> Row:
        return Row(tuple(self.parts))


def _operator(sign: str) -> str:
    return _SHOWN.get(sign, sign)


def _at_depth(signs: list[Token], sign: str) -> bool:
    """Return whether a sign stands outside of all brackets."""
    depth = 0
    for token in signs:
        depth += {"left": 1, "right": -1}.get(token.kind, 0)
        if depth == 0 and token.text == sign:
            return True
    return False


def _symbol(text: str) -> Part:
    """Return a symbol; each mark above it is an accent."""
    part: Part = Leaf("mi", text[0], upright=text[0] in "∂∇∞⊥…°%")
    for mark in text[1:]:
        part = Accent(part, mark)
    return part


def _given(token: Token) -> Part:
    """Return a number, a word in quotes, or a variable's name."""
    if token.kind == "number" and "e" in token.text:
        digits, _, power = token.text.partition("e")
        exponent = Leaf("mn", str(int(power)).replace("-", "−"))
        return Row((Leaf("mn", digits), Leaf("mo", "·"), Script(Leaf("mn", "10"), None, exponent)))
    if token.text in VULGAR:
        top, bottom = VULGAR[token.text]
        return Fraction(Leaf("mn", top), Leaf("mn", bottom))
    if token.kind == "number":
        return Leaf("mn", token.text)
    if token.kind == "unit":
        return Leaf("mtext", "\u2009" + token.text.replace(".", " "))
    return Leaf("code" if token.kind == "code" else "mtext", token.text[1:-1])


def _set(token: Token) -> Part:
    """Return what raised or lowered signs are."""
    if token.kind == "prime":
        return Leaf("mo", "′" * len(token.text))
    letters = (SUPERSCRIPTS | SUBSCRIPTS | {"˙": "˙"}).get
    parts: list[Part] = []
    for sign in token.text:
        shown = letters(sign, sign)
        if shown.isdigit() and parts and isinstance(parts[-1], Leaf) and parts[-1].kind == "mn":
            parts[-1] = Leaf("mn", parts[-1].text + shown)
        else:
            kind = "mn" if shown.isdigit() else "mi" if shown.isalpha() else "mo"
            parts.append(Leaf(kind, shown, upright=shown == "T"))
    return _together(parts) or Row(())


def _together(parts: list[Part]) -> Part | None:
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else Row(tuple(parts))


def _bare(part: Part) -> Part:
    """Return what stands in brackets without them."""
    return part.inside if isinstance(part, Fenced) and part.left in "({" else part
