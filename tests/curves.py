"""Tables of all kinds beside curves of the same points, by SciPy and, of splines, by fractions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import (
    Akima1DInterpolator,
    PchipInterpolator,
    make_interp_spline,
)

from mbcore import Model, Table, Table2D
from tests.model.tables.exact_splines import exact_curve

_random = np.random.default_rng(3)
X = np.sort(_random.uniform(-2, 3, 37))
"""Abscissae at unequal distances."""
Y = np.cumsum(_random.standard_normal(37))
TURN = np.linspace(0, 2 * np.pi, 25)
"""Abscissae of periodic tables, rad."""
WAVE = np.append((np.cos(TURN) + 0.3 * np.sin(3 * TURN))[:-1], 1.0)
CLOSE = 1e-14
"""Differences of two orders of the same sums, in parts of the largest value."""


@dataclass(frozen=True)
class Curve:
    """A table and what gives its derivative of an order, with the largest size of each."""

    table: Table
    reference: Callable[[np.ndarray, int], np.ndarray]
    winds: bool = False

    def places(self, count: int) -> np.ndarray:
        """Return the knots, both ends included, and random places between them."""
        knots = self.table.x
        more = _random.uniform(knots[0], knots[-1], count - len(knots))
        turns = 2 * np.pi * _random.integers(-5, 5, count - len(knots)) if self.winds else 0
        return np.concatenate([knots, more + turns])

    def error(self, found: np.ndarray, at: np.ndarray, order: int) -> float:
        """Return the largest difference in parts of the largest value."""
        wanted = self.reference(at, order)
        return float(np.max(abs(found - wanted)) / max(np.max(abs(wanted)), 1e-300))


def _lines(x: np.ndarray, order: int) -> np.ndarray:
    """Return straight lines between the points, each with the knot at its left."""
    place = np.clip(np.searchsorted(X, x, side="right") - 1, 0, len(X) - 2)
    slope = (np.diff(Y) / np.diff(X))[place]
    return (Y[place] + slope * (x - X[place]), slope, 0 * x)[order]


def _by(curve: object) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda x, order: np.asarray(curve(x, nu=order))  # type: ignore[operator]


def curves() -> dict[str, Curve]:
    """Return all kinds by names."""
    # SciPy's own splines are off by 1e-14 of the largest second derivative
    smooth, wave = exact_curve(X, Y), exact_curve(TURN, WAVE, turns=True)
    wave.extrapolate = "periodic"
    spline = make_interp_spline(X, Y, 3)
    akima = Akima1DInterpolator(X, Y)
    periodic = Table(TURN, WAVE, interpolation="smooth", periodic=True, name="wave")
    return {
        "linear": Curve(Table(X, Y, beyond="hold"), _lines),
        "monotone": Curve(Table(X, Y, interpolation="monotone"), _by(PchipInterpolator(X, Y))),
        "smooth": Curve(Table(X, Y, interpolation="smooth", beyond="linear"), _by(smooth)),
        "wave": Curve(periodic, _by(wave), winds=True),
        "akima": Curve(Table.of(akima, beyond="hold"), _by(akima)),
        "spline": Curve(Table.of(spline), _by(spline)),
    }


GRID = np.linspace(-3, 3, 9), np.linspace(0, 2, 7)
HEIGHTS = np.sin(GRID[0])[:, None] * np.cos(GRID[1])
PARTIAL = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
"""Orders of derivatives of a surface."""


def surface() -> Table2D:
    """Return a smooth table over two variables."""
    return Table2D(*GRID, HEIGHTS, interpolation="smooth", beyond="hold", name="surface")


def observed(kinds: dict[str, Curve]) -> Model:
    """Return a model with arguments as inputs, and tables and their derivatives as outputs."""
    model = Model("curves")
    argument = model.input("argument", start=1.0)
    model.state("clock", 1.0, visibility="output")
    for name, curve in kinds.items():
        for order in range(3):
            model.output(f"{name}[{order}]", curve.table.derivative(argument, order))
    other = model.input("other", start=1.0)
    for dx, dy in PARTIAL:
        model.output(f"surface[{dx},{dy}]", surface().derivative(argument, other, dx, dy))
    return model
