"""Points of a surface, and what its values and messages need besides.

A record of its own, because `mbcore.model.tables.bilinear` and `mbcore.model.tables.spline2d` make
surfaces of the same points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbcore.model.tables.pieces import Beyond


class Axis(NamedTuple):
    """Title of an axis in messages, its lines, its unit, and whether steps end at the lines."""

    label: str
    lines: np.ndarray
    unit: str
    ends_steps: bool


class Grid(NamedTuple):
    """Points over two axes.

    Attributes
    ----------
    axes : (Axis, Axis)
        The axes.
    z : ndarray, shape (n, m)
        Ordinates in SI units.
    beyond : str
        Values beyond the first and the last lines.
    name, unit : str
        Title of the surface in messages, and the SI unit of the ordinates.
    """

    axes: tuple[Axis, Axis]
    z: np.ndarray
    beyond: Beyond
    name: str
    unit: str
