"""Stiff flows: Radau's collocation, with the columns of the derivative in every step.

The stages of the state follow by Newton's method. Those of the columns obey the same equations
linearized at these stages, so that they are the exact derivative of the step: no second derivative
is needed, which an implicit method for the variational equations would take.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.interpolate import BarycentricInterpolator
from scipy.linalg import lu_factor, lu_solve
from scipy.special import roots_jacobi

STAGES = 7
"""Their method has order 13."""
ITERATIONS = 10
SAFETY, SHRINK, GROW = 0.9, 0.2, 4.0
ACCURACY = 1e-2
"""Error of the stages, in parts of that of the step, at which iteration ends."""
DOUBTFUL = 0.3
"""The same, where it comes no further: that is rounding."""
ROUNDING = 4e-15
"""Of the states, below which no iteration goes."""


@dataclass(frozen=True)
class _Tableau:
    """Nodes, weights, matrix; and the embedded formula of [HairerWanner] IV.8."""

    c: np.ndarray
    A: np.ndarray
    gamma: float
    error: np.ndarray


@cache
def _tableau() -> _Tableau:
    s = STAGES
    # Radau's nodes: 1, and zeros of a Jacobi polynomial moved to (0, 1)
    c = np.append((1 + roots_jacobi(s - 1, 1.0, 0.0)[0]) / 2, 1.0)
    powers = np.vander(c, s, increasing=True)
    ends = c[:, None] ** np.arange(1, s + 1) / np.arange(1, s + 1)
    A = ends @ np.linalg.inv(powers)
    values = np.linalg.eigvals(A)
    gamma = float(values[np.argmin(np.abs(values.imag))].real)
    moments = 1 / np.arange(1, s + 1) - gamma * (np.arange(s) == 0)
    embedded = np.linalg.solve(powers.T, moments)
    return _Tableau(c, A, gamma, embedded - A[-1])


class Collocation:
    """Goes on in implicit steps, like SciPy's solvers: ``t``, ``y``, ``status``, ``step``.

    ``y`` holds the state, (ns,), then, if there are any, columns (ns, m) row by row, and the
    integral of the trace.

    Parameters
    ----------
    rates : callable
        ``rates(t, s)``: rates of the state, NaN where it has none.
    slopes : callable
        At the point of the last call of ``rates``: ∂f/∂s, shape (ns, ns), and what is added to the
        rates of the columns, (ns, m).
    t, end : float
        Begin and end, s.
    y : ndarray
        Values at the beginning.
    states : int
        Number of states ns.
    rtol, atol : float, ndarray of shape (ns,)
        Tolerances of the states.
    max_step : float
        Longest step, s.
    """

    def __init__(
        self,
        rates: Callable[[float, np.ndarray], np.ndarray],
        slopes: Callable[[], tuple[np.ndarray, np.ndarray]],
        t: float,
        y: np.ndarray,
        end: float,
        states: int,
        *,
        rtol: float,
        atol: np.ndarray,
        max_step: float = np.inf,
    ) -> None:
        self._rates, self._slopes = rates, slopes
        self.t, self.y, self.t_bound, self.n = t, y, end, states
        self.rtol, self.atol, self.max_step = rtol, atol, max_step
        self.status = "running"
        self._rate = rates(t, y[:states])
        self._jacobian = slopes()[0]
        self._h = self._first()
        self._nodes: np.ndarray = np.zeros(0)
        self._values: np.ndarray = np.zeros((0, 0))

    def _first(self) -> float:
        fast = float(np.linalg.norm(self._rate / np.maximum(np.abs(self.y[: self.n]), 1e-6)))
        rough = 1e-2 / max(fast, 1e-2 / max(self.t_bound - self.t, 1e-12))
        return min(rough, self.max_step, self.t_bound - self.t)

    def step(self) -> str | None:
        """Make a step; return a message where none can be made."""
        while True:
            left = self.t_bound - self.t
            h = min(self._h, self.max_step, left)
            if left < 1.05 * h:
                h = left
            if h <= 10 * np.spacing(abs(self.t)):
                self.status = "failed"
                return "the step of the implicit method became too small"
            stages = self._stages(h)
            if stages is None:
                self._h = h / 4
                continue
            error = self._error(h, stages)
            factor = SAFETY * error ** (-1 / (STAGES + 1)) if error > 0 else GROW
            self._h = h * min(GROW, max(SHRINK, factor))
            if error <= 1:
                self._accept(h, stages)
                return None

    def _stages(self, h: float) -> np.ndarray | None:
        """Return rates at the stages, (s, ns), by Newton's method; None where it fails."""
        T, s, n = _tableau(), STAGES, self.n
        matrix = lu_factor(np.eye(s * n) - h * np.kron(T.A, self._jacobian))
        start = self.y[:n]
        scale = self.atol + self.rtol * np.abs(start)
        least = ROUNDING * (np.abs(start) + h * np.abs(self._rate) + self.atol / self.rtol)
        moved, before = np.zeros((s, n)), np.inf
        for _ in range(ITERATIONS):
            k = np.array(
                [self._rates(self.t + c * h, start + z) for c, z in zip(T.c, moved, strict=True)]
            )
            if not np.all(np.isfinite(k)):
                return None
            change = lu_solve(matrix, (h * T.A @ k - moved).ravel()).reshape(s, n)
            moved += change
            size = float(np.abs(change / scale).max())
            settled = size <= ACCURACY or bool(np.all(np.abs(change) <= least))
            if settled or (size <= DOUBTFUL and size >= before):
                return k + change @ self._jacobian.T
            if size >= before:
                return None
            before = size
        return None

    def _error(self, h: float, k: np.ndarray) -> float:
        T, n = _tableau(), self.n
        raw = h * (T.gamma * self._rate + T.error @ k)
        found = np.linalg.solve(np.eye(n) - h * T.gamma * self._jacobian, raw)
        after = self.y[:n] + h * T.A[-1] @ k
        scale = self.atol + self.rtol * np.maximum(np.abs(self.y[:n]), np.abs(after))
        return float(np.sqrt(np.mean((found / scale) ** 2)))

    def _accept(self, h: float, k: np.ndarray) -> None:
        """Take the step, and the columns with it."""
        T, s, n = _tableau(), STAGES, self.n
        stages = self.y[:n] + h * T.A @ k
        values = np.empty((s + 1, self.y.size))
        values[0] = self.y
        values[1:, :n] = stages
        found = []
        for c, state in zip(T.c, stages, strict=True):
            self._rate = self._rates(self.t + c * h, state)
            found.append(self._slopes())
        self._jacobian = found[-1][0]
        if self.y.size > n:
            columns = self.y[n:-1].reshape(n, -1)
            matrix = np.eye(s * n)
            for j in range(s):
                matrix[:, j * n : (j + 1) * n] -= h * np.kron(T.A[:, j : j + 1], found[j][0])
            added = h * np.tensordot(T.A, np.array([f[1] for f in found]), 1)
            right = (columns + added).reshape(s * n, -1)
            values[1:, n:-1] = np.linalg.solve(matrix, right).reshape(s, -1)
            values[1:, -1] = self.y[-1] + h * T.A @ [np.trace(f[0]) for f in found]
        self._nodes = self.t + h * np.append(0.0, T.c)
        self._values = values
        self.t = self.t_bound if h == self.t_bound - self.t else self.t + h
        self.y = values[-1].copy()
        if self.t >= self.t_bound:
            self.status = "finished"

    def dense_output(self) -> Callable[[float], np.ndarray]:
        """Return the polynomial through the stages of the last step."""
        return BarycentricInterpolator(self._nodes, self._values)
