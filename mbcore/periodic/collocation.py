"""Stiff flows: Radau collocation, with the derivative by the start in every step.

The stages of the state are found by Newton's method. Those of the columns of the derivative obey
the same equations, linearized at these stages, so that they are the exact derivative of the step.
An implicit method for the variational equations would need second derivatives instead.

Used by `mbcore.periodic.variational` alone; it stands apart because it is one integrator, chosen
where the motion is stiff.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.special import roots_jacobi

from mbcore.native.flow_methods import CollocationMethod
from mbcore.periodic.step_polynomial import StepPolynomial

STAGES = 7
"""Number of stages; the method has order 13."""
ITERATIONS = 10
SAFETY, SHRINK, GROW = 0.9, 0.2, 4.0
FARTHEST = 2.0
"""Factor of the step length above which the last step's polynomial is not a guess."""
ACCURACY = 1e-2
"""Error of the stages, relative to that of the step, at which iteration ends."""
DOUBTFUL = 0.3
"""The same, accepted where rounding stops the iteration."""
ROUNDING = 4e-15
"""Relative rounding error of the states, below which no iteration converges."""
JUST_OVER = 1.05
"""A rest of the way up to this, in steps, is made in one step."""
DIVIDED = 4.0
"""A step that is not possible is divided by this."""
FIRST = 1e-2
"""Largest change of a state in the first step, in parts of its size."""
SMALL = 1e-6
"""Smallest size of a state that counts there."""
LEAST = 10.0
"""Shortest step, in spacings of the time."""
TOO_SMALL = "the step of the implicit method became too small"


@cache
def method() -> CollocationMethod:
    """Return Radau's method with the embedded formula of [HairerWanner] IV.8."""
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
    return CollocationMethod(
        c,
        A,
        embedded - A[-1],
        gamma,
        iterations=ITERATIONS,
        safety=SAFETY,
        shrink=SHRINK,
        grow=GROW,
        farthest=FARTHEST,
        accuracy=ACCURACY,
        doubtful=DOUBTFUL,
        rounding=ROUNDING,
        just_over=JUST_OVER,
        divided=DIVIDED,
        first=FIRST,
        small=SMALL,
        least=LEAST,
    )


@cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes of a step's values, and the products of their distances, (s + 1,) each."""
    nodes = np.append(0.0, method().node)
    return nodes, np.diag(_products(nodes[:, None] - nodes))


def lagrange(at: np.ndarray) -> np.ndarray:
    """Return the weights of a step's values, (s + 1,), at parts of it, shape (n, s + 1).

    At a node they are 1 and 0 to the last bit, because both products are made in the same order: a
    step begins at the point where events have been settled.
    """
    nodes, products = _nodes()
    return np.asarray(_products(at[:, None] - nodes) / products)


def _products(off: np.ndarray) -> np.ndarray:
    """Return the product of all in a row but each one, shape like ``off``, (n, s + 1)."""
    before, after = np.ones(off.shape), np.ones(off.shape)
    np.cumprod(off[:, :-1], axis=1, out=before[:, 1:])
    np.cumprod(off[:, :0:-1], axis=1, out=after[:, -2::-1])
    return before * after


class Collocation:
    """Integrates by implicit steps; has ``t``, ``y``, ``status`` and ``step`` as SciPy's solvers.

    ``y`` holds the state, (ns,), then, if there are any, columns (ns, m) row by row, and the
    integral of the trace.

    Parameters
    ----------
    rates : callable
        ``rates(t, s)``: rates of the state, NaN where it has none.
    slopes : callable
        At the point of the last call of ``rates``: ∂f/∂s, shape (ns, ns), and what is added to the
        rates of the columns, (ns, m).
    between : (float, float)
        Begin and end, s.
    y : ndarray
        Values at the beginning.
    states : int
        Number of states ns.
    rtol, atol : float, ndarray like ``y``
        Tolerances; that of the integral is ignored.
    max_step : float
        Longest step, s.
    """

    def __init__(
        self,
        rates: Callable[[float, np.ndarray], np.ndarray],
        slopes: Callable[[], tuple[np.ndarray, np.ndarray]],
        between: tuple[float, float],
        y: np.ndarray,
        states: int,
        *,
        rtol: float,
        atol: np.ndarray,
        max_step: float = np.inf,
    ) -> None:
        self._rates, self._slopes = rates, slopes
        (self.t, self.t_bound), self.y, self.n = between, y, states
        self.rtol, self.atol, self.max_step = rtol, atol, max_step
        self.status = "running"
        self._rate = rates(self.t, y[:states])
        self._jacobian, self._added = slopes()
        self._h = self._first()
        self._last, self._before = 0.0, self.t
        self._values: np.ndarray = np.zeros((0, 0))

    def _first(self) -> float:
        fast = float(np.linalg.norm(self._rate / np.maximum(np.abs(self.y[: self.n]), SMALL)))
        left = self.t_bound - self.t
        return min(FIRST / max(fast, FIRST / left), self.max_step)

    def step(self) -> str | None:
        """Make a step; return a message where none can be made."""
        while True:
            left = self.t_bound - self.t
            h = min(self._h, self.max_step, left)
            if left < JUST_OVER * h:
                h = left
            if h <= LEAST * np.spacing(abs(self.t)):
                self.status = "failed"
                return TOO_SMALL
            stages = self._stages(h)
            if stages is None:
                self._h = h / DIVIDED
                continue
            error = self._try(h, stages)
            if np.isnan(error):
                self._h = h / DIVIDED
                continue
            factor = SAFETY * error ** (-1 / (STAGES + 1)) if error > 0 else GROW
            self._h = h * min(GROW, max(SHRINK, factor))
            if error <= 1:
                self._accept(h)
                return None

    def _stages(self, h: float) -> np.ndarray | None:
        """Return rates at the stages, (s, ns), by Newton's method; None where it fails."""
        T, s, n = method(), STAGES, self.n
        if not np.isfinite(self._jacobian).all():
            return None
        # One factorization a step: the Jacobian of its beginning serves all iterations.
        matrix = lu_factor(np.eye(s * n) - h * np.kron(T.matrix, self._jacobian))
        start = self.y[:n]
        scale = self.atol[:n] + self.rtol * np.abs(start)
        least = ROUNDING * (np.abs(start) + h * np.abs(self._rate) + self.atol[:n] / self.rtol)
        moved, before = self._ahead(h), np.inf
        for _ in range(ITERATIONS):
            k = np.array(
                [self._rates(self.t + c * h, start + z) for c, z in zip(T.node, moved, strict=True)]
            )
            if not np.all(np.isfinite(k)):
                return None
            change = lu_solve(matrix, (h * T.matrix @ k - moved).ravel()).reshape(s, n)
            moved += change
            size = float(np.abs(change / scale).max())
            settled = size <= ACCURACY or bool(np.all(np.abs(change) <= least))
            if settled or (size <= DOUBTFUL and size >= before):
                # The last change is small, so its effect on the rates is linear: no further
                # evaluation.
                return k + change @ self._jacobian.T
            if size >= before:
                return None
            before = size
        return None

    def _ahead(self, h: float) -> np.ndarray:
        """Return a guess of the stages less the start, (s, ns), by the last step's polynomial."""
        if not 0 < h <= FARTHEST * self._last:
            return np.zeros((STAGES, self.n))
        ahead = lagrange(1 + h / self._last * method().node) @ self._values[:, : self.n]
        return np.asarray(ahead - self.y[: self.n])

    def _error(self, h: float, raw: np.ndarray, part: slice) -> float:
        """Return the error of a part of ``y``, in parts of its tolerance, from the unfiltered one.

        The filter removes what stiff components would add, [HairerWanner] (8.19).
        """
        matrix = np.eye(self.n) - h * method().gamma * self._jacobian
        found = np.linalg.solve(matrix, raw).ravel()
        largest = np.maximum(np.abs(self.y[part]), np.abs(self._trial[-1, part]))
        return float(np.sqrt(np.mean((found / (self.atol[part] + self.rtol * largest)) ** 2)))

    def _try(self, h: float, k: np.ndarray) -> float:
        """Make the step on trial from rates at the stages, (s, ns); return its error."""
        T, n = method(), self.n
        self._trial = np.empty((STAGES + 1, self.y.size))
        self._trial[0] = self.y
        self._trial[1:, :n] = self.y[:n] + h * T.matrix @ k
        error = self._error(h, h * (T.gamma * self._rate + T.error @ k), slice(n))
        if error > 1:
            return error
        self._slopes_there = []
        with_columns = self.y.size > n
        # Without columns only the end is needed, for the Jacobian of the next step.
        for j in range(0 if with_columns else STAGES - 1, STAGES):
            self._rate_there = self._rates(self.t + T.node[j] * h, self._trial[j + 1, :n])
            self._slopes_there.append(self._slopes())
        # Not Python's max, which drops NaN.
        return float(np.maximum(error, self._try_columns(h))) if with_columns else error

    def _try_columns(self, h: float) -> float:
        """Take the columns and the integral through the trial step; return their error."""
        T, s, n = method(), STAGES, self.n
        columns = self.y[n:-1].reshape(n, -1)
        matrix = np.eye(s * n)
        for j, (jacobian, _) in enumerate(self._slopes_there):
            matrix[:, j * n : (j + 1) * n] -= h * np.kron(T.matrix[:, j : j + 1], jacobian)
        added = np.array([slopes[1] for slopes in self._slopes_there])
        right = (columns + h * np.tensordot(T.matrix, added, 1)).reshape(s * n, -1)
        there = np.linalg.solve(matrix, right).reshape(s, n, -1)
        self._trial[1:, n:-1] = there.reshape(s, -1)
        traces = [np.trace(jacobian) for jacobian, _ in self._slopes_there]
        self._trial[1:, -1] = self.y[-1] + h * T.matrix @ traces
        rates = [J @ Y + more for (J, more), Y in zip(self._slopes_there, there, strict=True)]
        first = self._jacobian @ columns + self._added
        raw = h * (T.gamma * first + np.tensordot(T.error, np.array(rates), 1))
        return self._error(h, raw, slice(n, -1)) if columns.size else 0.0

    def _accept(self, h: float) -> None:
        """Take the trial step."""
        self._values, self._last, self._rate = self._trial, h, self._rate_there
        self._jacobian, self._added = self._slopes_there[-1]
        self._before = self.t
        # Exactly the end: t + h may miss it by rounding.
        self.t = self.t_bound if h == self.t_bound - self.t else self.t + h
        self.y = self._values[-1].copy()
        if self.t >= self.t_bound:
            self.status = "finished"

    def dense_output(self) -> StepPolynomial:
        """Return the polynomial through the stages of the last step."""
        return StepPolynomial(self._before, self.t, self._values, lagrange)
