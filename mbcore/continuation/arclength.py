"""One curve of solutions of F(x, λ) = 0: scaled coordinates, tangents and Newton's corrector.

n equations in n unknowns x and one parameter λ have curves of solutions. They are followed in
y = (x, λ), so that a fold, where λ turns back, is a point like others: Keller, Numerical solution
of bifurcation and nonlinear eigenvalue problems, in Applications of Bifurcation Theory, Academic
Press 1977, 359-384.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

ITERATIONS = 10
"""Newton steps of one correction."""
CLOSE = 1e-7
"""Size of Newton's last step, scaled; what is left after it is of the order of its square."""
EXTENT = (1e-4, 0.3)
"""Least extents of a curve that coordinates are scaled with, in natural sizes: that of the start
within these ends, the larger one for a start at zero."""

ROUNDED = 1e-9
"""Size below which steps that shrink no more are rounding errors."""


class LostError(Exception):
    """No solution was found near a predicted point; says why."""


class Family(Protocol):
    """Solutions that depend on one parameter.

    Attributes
    ----------
    scale : ndarray, shape (n,)
        Natural sizes of the unknowns.
    accuracy : float
        Size of a residual that is nothing but error of evaluation.
    """

    @property
    def scale(self) -> np.ndarray:
        """Natural sizes of the unknowns, shape (n,)."""

    @property
    def accuracy(self) -> float:
        """Size of a residual that is nothing but error of evaluation."""

    def residual(
        self, unknowns: np.ndarray, value: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return F, shape (n,), its derivatives by the unknowns, (n, n), and by the value, (n,).

        Raises ConfigurationError or SimulationError where it has no value.
        """

    def exponents(self, unknowns: np.ndarray, value: float) -> np.ndarray:
        """Return the exponents that decide on stability at a solution, complex, shape (ne,)."""

    def kind(self, exponent: complex, unknowns: np.ndarray, value: float) -> str:
        """Return what happens where an exponent crosses the imaginary axis; "" for no event."""

    def accept(self, unknowns: np.ndarray, value: float) -> None:
        """Take note of a solution that was found; the next ones will be near."""


class Curve:
    """Solutions in scaled coordinates z, in which the curve's extent so far is about one.

    Parameters
    ----------
    family : Family
        The equations.
    span : float
        Length of the range of the parameter.

    Attributes
    ----------
    n : int
        Number of unknowns.
    """

    def __init__(self, family: Family, span: float) -> None:
        self.family = family
        self.n = family.scale.size
        self._span, self._extent = span, EXTENT[1]
        self._rows = np.ones(self.n)

    @property
    def sizes(self) -> np.ndarray:
        """Sizes by which coordinates are scaled, shape (n + 1,)."""
        return np.r_[self.family.scale * self._extent * np.sqrt(self.n), self._span]

    def begin(self, unknowns: np.ndarray) -> None:
        """Take the size of the unknowns at the start as a first guess of the curve's extent."""
        size = self._size(unknowns)
        self._extent = min(max(size, EXTENT[0]), EXTENT[1]) if size else EXTENT[1]

    def stretch(self, change: np.ndarray) -> None:
        """Let scaled coordinates be at most about one for a change of (x, λ) along the curve."""
        self._extent = max(self._extent, self._size(change[: self.n]))

    def _size(self, unknowns: np.ndarray) -> float:
        return float(np.sqrt(np.mean((unknowns / self.family.scale) ** 2)))

    def evaluate(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return F, shape (n,), and its derivatives by scaled coordinates, (n, n + 1).

        Raises
        ------
        LostError
            If F has no value there.
        """
        try:
            with np.errstate(all="ignore"):  # what is not finite is refused
                residual, by_unknowns, by_value = self.family.residual(y[:-1], float(y[-1]))
                D = np.column_stack([by_unknowns, by_value]) * self.sizes
        except (ConfigurationError, SimulationError, ModelError) as error:
            raise LostError(str(error)) from error
        if not (np.all(np.isfinite(residual)) and np.all(np.isfinite(D))):
            raise LostError("the residual is not finite there")
        return residual * self._rows, D * self._rows[:, None]

    def balance(self, y: np.ndarray) -> None:
        """Let all equations weigh the same about a point."""
        self._rows = np.ones(self.n)
        size = np.abs(self.evaluate(y)[1]).max(axis=1, initial=0.0)
        self._rows = 1.0 / np.where(size > 0, size, 1.0)

    def direction(self, D: np.ndarray, along: np.ndarray) -> np.ndarray:
        """Return the unit tangent, scaled, that points along a scaled direction, (n + 1,)."""
        tangent = _solve(np.vstack([D, along]), np.r_[np.zeros(self.n), 1.0])
        return tangent / np.linalg.norm(tangent)

    def correct(
        self, y: np.ndarray, normal: np.ndarray, close: float = CLOSE
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the solution in the plane through ``y``, its derivatives and the Newton steps.

        Parameters
        ----------
        y : ndarray, shape (n + 1,)
            Predicted (x, λ).
        normal : ndarray, shape (n + 1,)
            Normal of the plane, scaled.
        close : float
            Size of the last step.

        Raises
        ------
        LostError
            If there is none near.
        """
        y, before, sizes = y.copy(), np.inf, self.sizes
        for count in range(1, ITERATIONS + 1):
            F, D = self.evaluate(y)
            if np.abs(F).max(initial=0.0) <= self.family.accuracy:
                return y, D, count
            step = -_solve(np.vstack([D, normal]), np.r_[F, 0.0])
            size = float(np.linalg.norm(step))
            if count > 2 and size > 0.5 * before and size > 1e2 * CLOSE:
                break
            y = y + step * sizes
            if size <= close or (size <= ROUNDED and size > 0.1 * before):
                return y, D, count
            before = size
        raise LostError("Newton's method does not converge")


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        raise LostError("the equations are singular there") from None
