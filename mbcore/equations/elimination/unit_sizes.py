"""Natural sizes of a model's unknowns and conditions, so that regularity depends on no unit.

Rows of a Jacobian mix lengths with angles: those of a rigid link hold 1 beside the arm by which its
angle turns its end. In units of a typical arm both are about 1, be it one of a watch or of a crane.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-9
"""Part of the largest arm below which a row has none, and what a row says of lengths at least."""


def length_power(unit: str) -> int:
    """Return the power of a length in a unit: 1 in ``m/s``, 2 in ``m2/s``, 0 in ``rad``.

    >>> [length_power(unit) for unit in ("m", "rad/s", "m2/s", "1/m", "")]
    [1, 0, 2, -1, 0]
    """
    above, _, below = unit.partition("/")
    return _metres(above) - _metres(below)


def _metres(product: str) -> int:
    found = (re.fullmatch(r"m(\d*)", factor) for factor in re.split(r"[./]", product))
    return sum(int(match[1] or 1) for match in found if match)


def natural_length(J: np.ndarray, lengths: Sequence[bool], places: np.ndarray) -> float:
    """Return a typical arm of a mechanism, m: it is the same wherever the mechanism is.

    Parameters
    ----------
    J : ndarray
        Conditions on lengths over coordinates or speeds, shape (m, n).
    lengths : sequence of bool
        Which of the columns belong to lengths, n of them.
    places : ndarray
        Coordinates that are lengths, shape (k,), m: the largest counts where no row has an arm.

    Returns
    -------
    float
        The median of the rows' arms, by which angles count beside lengths; 1 where there is none.
    """
    chosen = np.asarray(lengths, bool)
    by_length = np.linalg.norm(J[:, chosen], axis=1)
    by_angle = np.linalg.norm(J[:, ~chosen], axis=1)
    mixed = (by_length > ROUNDING) & np.isfinite(by_length) & np.isfinite(by_angle)
    arms = np.sort(by_angle[mixed] / by_length[mixed])
    arms = arms[arms > ROUNDING * arms.max(initial=0.0)]
    if arms.size:
        return float(arms[arms.size // 2])
    reach = np.abs(places[np.isfinite(places)]).max(initial=0.0)
    return float(reach) if reach > 0 else 1.0


@dataclass(frozen=True)
class Sizes:
    """Natural sizes of a matrix's rows and columns, in SI units."""

    rows: Sequence[float]
    columns: Sequence[float]

    def part(self, rows: Sequence[int], columns: Sequence[int]) -> Sizes:
        """Return those of some rows and columns, in their order."""
        return Sizes([self.rows[i] for i in rows], [self.columns[j] for j in columns])


def sizes_of(units: Iterable[str], natural: float) -> list[float]:
    """Return natural sizes of quantities by their units, in SI units.

    Parameters
    ----------
    natural : float
        The mechanism's natural length, m.
    """
    return [natural ** length_power(unit) for unit in units]
