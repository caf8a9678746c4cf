"""The parts of a formula, once it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Leaf:
    """A symbol, number, operator, or word."""

    kind: str
    """The element of MathML: ``mi``, ``mn``, ``mo`` or ``mtext``; ``code`` for a name in code."""
    text: str
    upright: bool = False
    """Whether a symbol of one letter is upright, as the name of a function is."""


@dataclass(frozen=True)
class Row:
    """Several parts, one after another."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Accent:
    """A symbol with a mark above it: a derivative by time, a mean, an estimate."""

    base: Part
    mark: str


@dataclass(frozen=True)
class Script:
    """Something with an index, an exponent, or both."""

    base: Part
    below: Part | None = None
    above: Part | None = None


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: Part


@dataclass(frozen=True)
class Fenced:
    """Something in brackets or between bars."""

    left: str
    inside: Row
    right: str


@dataclass(frozen=True)
class Fraction:
    """A quotient; brackets that only the slash needs are still there."""

    top: Part
    bottom: Part


@dataclass(frozen=True)
class Matrix:
    """Rows of cells in brackets."""

    rows: tuple[tuple[Row, ...], ...]


Part: TypeAlias = Leaf | Row | Accent | Script | Root | Fenced | Fraction | Matrix
