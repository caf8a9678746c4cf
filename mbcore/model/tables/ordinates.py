"""Ordinates of a table as parameters of the models that call it.

An interpolation that is linear in the ordinates has in each piece a polynomial whose coefficients
are sums of ordinates times numbers. These numbers are looked up, as a table's polynomials are, so
that derivatives by the argument and by the ordinates are exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.tables.pieces import Beyond, Interpolation, Pieces, interpolated, with_ends
from mbcore.model.variables import Array, Parameter

MOST = 100
"""Ordinates that are parameters: each takes part in each call."""


class Shape(NamedTuple):
    """The other properties of a table with such ordinates."""

    x: np.ndarray
    kind: Interpolation
    beyond: Beyond
    periodic: bool
    unit: str = ""


class Ordinates:
    """Parameters ``name[1]``, ``name[2]``, ... and what a table's pieces are by them.

    Parameters
    ----------
    owner, name : str
        Title of the table in messages, and its name.
    values : ndarray, shape (n,)
        The ordinates at the start, in SI units; of a periodic table the last one is the first.
    unit : str
        Their SI unit, empty where it is unknown.
    shape : Shape
        The table.

    Raises
    ------
    ModelError
        If the table has no name of its own, too many points, or an interpolation that is not linear
        in the ordinates.
    """

    _by_symbol: dict[int, Ordinates] = {}  # noqa: RUF012  # of all tables; models look theirs up

    def __init__(self, owner: str, name: str, values: np.ndarray, unit: str, shape: Shape) -> None:
        own = values[:-1] if shape.periodic else values
        if name == "table":
            raise ModelError(
                f"{owner}: its ordinates are parameters, which need a name; give one, as in "
                "name='spring.force' for spring.force[1], spring.force[2], ..."
            )
        if shape.kind == "monotone":
            raise ModelError(
                f"{owner}: interpolation = 'monotone' follows from signs of differences, so that "
                "its ordinates cannot be parameters; give 'smooth' or 'linear'"
            )
        if len(own) > MOST:
            raise ModelError(
                f"{owner}: {len(own)} ordinates are too many for parameters, because each call "
                f"evaluates all of them; give {MOST} at most, or parameter=False"
            )
        self.name, self._shape = name, shape
        self.array = Array(name, (len(own),), "parameter", f"ordinates of the table {name}")
        self.records = tuple(
            Parameter(
                f"{name}[{i}]",
                ca.SX.sym(f"{name}[{i}]"),
                float(value),
                unit or "1",
                f"ordinate {i} of the table {name}, at {float(at):.9g}",
                tunable=shape.kind == "smooth",
            )
            for i, (at, value) in enumerate(zip(shape.x, own, strict=False), start=1)
        )
        Ordinates._by_symbol |= {r.symbol.element_hash(): self for r in self.records}

    @classmethod
    def found_in(cls, expression: ca.SX) -> list[Ordinates]:
        """Return those whose symbols are in an expression, each once."""
        if not cls._by_symbol:
            return []
        hashes = (symbol.element_hash() for symbol in ca.symvar(expression))
        found = (cls._by_symbol[h] for h in hashes if h in cls._by_symbol)
        return list({id(one): one for one in found}.values())

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Be found by the symbols that a copy or another process has."""
        self.__dict__.update(state)
        Ordinates._by_symbol |= {r.symbol.element_hash(): self for r in self.records}

    @property
    def abscissae(self) -> np.ndarray:
        """Where the ordinates are, in SI units."""
        return self._shape.x[: len(self.records)]

    @property
    def across(self) -> str:
        """The SI unit of the abscissae, 1 where it is unknown."""
        return self._shape.unit or "1"

    def rows(self, whole: bool) -> np.ndarray:
        """Return the origin of each piece, then for each power the numbers of all ordinates.

        Of the integral where it is the ``whole``.
        """
        pieces = [self._of_one(i) for i in range(len(self.records))]
        used = [piece.integral() for piece in pieces] if whole else pieces
        numbers = np.stack([piece.coefficients for piece in used], axis=-1)
        return np.column_stack([used[0].origins, numbers.reshape(len(numbers), -1)])

    def _of_one(self, i: int) -> Pieces:
        """Return the pieces where one ordinate is 1 and all others are 0."""
        of = self._shape
        y = np.zeros(len(of.x))
        y[i] = 1.0
        if of.periodic and i == 0:
            y[-1] = 1.0
        return with_ends(of.x, interpolated(of.x, y, of.kind, of.periodic), of.beyond)

    def coefficients(self, entries: list[ca.SX]) -> list[ca.SX]:
        """Return the coefficients of a piece, given the numbers of its row but the origin."""
        n = len(self.records)
        y = ca.vertcat(*(record.symbol for record in self.records))
        return [ca.dot(ca.vertcat(*entries[j : j + n]), y) for j in range(0, len(entries), n)]

    @property
    def turn(self) -> ca.SX:
        """The integral over the whole table."""
        last = [piece.integral() for piece in (self._of_one(i) for i in range(len(self.records)))]
        parts = [
            sum(
                c * (self._shape.x[-1] - p.origins[-1]) ** j
                for j, c in enumerate(p.coefficients[-1])
            )
            for p in last
        ]
        return ca.dot(ca.DM(parts), ca.vertcat(*(record.symbol for record in self.records)))
