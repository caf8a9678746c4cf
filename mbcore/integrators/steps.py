"""Explicit methods with the interface of SciPy's solvers, by equal steps and by its control."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np
import scipy.integrate
from scipy.integrate import DenseOutput, OdeSolver

from mbcore.integrators.explicit_step import ExplicitStep, Function
from mbcore.integrators.states import NOTHING_KNOWN, States
from mbcore.integrators.tableau import Tableau, floats

StagesAtOnce = Callable[
    [float, float, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray] | None
]
SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0
"""Of the next step's length, and its least and most in parts of the last one, as SciPy has them."""


class EqualSteps(OdeSolver):
    """A solver with equal steps of at most ``max_step``.

    Parameters
    ----------
    fun, t0, y0, t_bound
        As for SciPy's solvers; forwards in time.
    max_step : float
        The step, s; shortened so that all steps are equal.
    states : States
        What they are.
    """

    t: float
    y: np.ndarray

    def __init__(
        self,
        fun: Function,
        t0: float,
        y0: np.ndarray,
        t_bound: float,
        *,
        max_step: float,
        states: States = NOTHING_KNOWN,
        **options: object,
    ) -> None:
        super().__init__(fun, t0, y0, t_bound, vectorized=False)
        self._states = states
        self._begin, self._count = t0, max(1, int(np.ceil((t_bound - t0) / max_step - 1e-9)))
        self._done = 0

    @property
    def step_ahead(self) -> float:
        """Length of each step, s."""
        return (self.t_bound - self._begin) / self._count

    def _step_impl(self) -> tuple[bool, str | None]:
        self._before, before = self.y, self.t
        self._done += 1
        share = self._done / self._count
        end = self._begin + share * (self.t_bound - self._begin)
        self.t = self.t_bound if self._done == self._count else end
        after = self._after(before, self.y, self.t - before)
        if not np.all(np.isfinite(after)):
            return False, "the derivative is not finite"
        self.y = after
        return True, None

    def disagreement(self) -> float:
        """Return the difference of two half steps from the last step, relative to its change.

        Rates count by what they change in a step. Infinite where a half step has no derivative.
        """
        kept = dict(self.__dict__)
        h, weight = self.t - self.t_old, np.ones(self.y.size)
        weight[: self._states.rates] = abs(h)
        self._begin_anew()
        halves = self._after(self.t_old, self._before, h / 2)
        if np.all(np.isfinite(halves)):
            halves = self._after(self.t_old + h / 2, halves, h / 2)
        self.__dict__.update(kept)
        if not np.all(np.isfinite(halves)):
            return float("inf")
        change = np.linalg.norm(weight * (self.y - self._before))
        return float(np.linalg.norm(weight * (halves - self.y)) / max(float(change), 1e-300))

    def _begin_anew(self) -> None:
        """Drop the data that the last step has left for the next one."""
        return

    @abstractmethod
    def _after(self, t: float, s: np.ndarray, h: float) -> np.ndarray:
        """Return the state after a step; not finite where a derivative is not."""


class TableauSteps(EqualSteps):
    """Equal steps of an explicit Runge-Kutta method.

    Parameters
    ----------
    fun, t0, y0, t_bound, options
        As for `EqualSteps`.
    tableau : Tableau
        Its coefficients.
    """

    def __init__(
        self,
        fun: Function,
        t0: float,
        y0: np.ndarray,
        t_bound: float,
        *,
        tableau: Tableau,
        **options: object,
    ) -> None:
        super().__init__(fun, t0, y0, t_bound, **options)  # type: ignore[arg-type]
        self._step = ExplicitStep(tableau)

    def _after(self, t: float, s: np.ndarray, h: float) -> np.ndarray:
        after, self._rate = self._step(self.fun, t, s, h)
        return after

    def _dense_output_impl(self) -> DenseOutput:
        rates = self._rate, self.fun(self.t, self.y)
        return Interpolant(self.t_old, self.t, self._before, self.y, rates, slice(None))


class Interpolant(DenseOutput):
    """Some states by cubic polynomials, [Schwab2002] (5.23), the others linear in between."""

    def __init__(
        self,
        before: float,
        after: float,
        s0: np.ndarray,
        s1: np.ndarray,
        rates: tuple[np.ndarray, np.ndarray],
        values: slice,
    ) -> None:
        super().__init__(before, after)
        self._s0, self._s1, self._rates, self._values = s0, s1, rates, values

    def _call_impl(self, t: np.ndarray) -> np.ndarray:
        h = self.t - self.t_old
        x = (t - self.t_old) / h
        s = self._s0 + (self._s1 - self._s0) * x
        a, b, c = x**2 * (3 - 2 * x), x * (1 - x) ** 2 * h, x**2 * (x - 1) * h
        s0, s1 = self._s0[self._values], self._s1[self._values]
        s[self._values] = (1 - a) * s0 + b * self._rates[0] + a * s1 + c * self._rates[1]
        return s


class OneStage(EqualSteps):
    r"""Meijaard's explicit method of one stage, [Schwab2002] (5.28), for s = (q̇, q, others).

        k = q̈(t + h/2, q + h/2 q̇, q̇),    q += h q̇ + h²/2 k,    q̇ += h k

    The order is 2 where accelerations do not depend on rates, else 1; kinematic coordinates and
    auxiliary states change with their rates at the same point. Undamped systems are stable for
    steps below 2 over the highest angular frequency.
    """

    def __init__(
        self, fun: Function, t0: float, y0: np.ndarray, t_bound: float, **options: object
    ) -> None:
        super().__init__(fun, t0, y0, t_bound, **options)  # type: ignore[arg-type]
        n = self._states.rates + self._states.values
        self._others = self.fun(t0, self.y)[n:] if y0.size > n else np.zeros(0)
        self._others_before = self._others

    def _begin_anew(self) -> None:
        self._others = self._others_before

    def _after(self, t: float, s: np.ndarray, h: float) -> np.ndarray:
        n, m = self._states.rates, self._states.values  # generalized speeds have no values
        rates, values, others = s[:n], s[n : n + m], s[n + m :]
        middle = np.concatenate([rates, values + h / 2 * rates[:m], others + h / 2 * self._others])
        stage = self.fun(t + h / 2, middle)
        k = stage[:n]
        self._others_before, self._others = self._others, stage[n + m :]
        moved = values + h * rates[:m] + h**2 / 2 * k[:m]
        return np.concatenate([rates + h * k, moved, others + h * self._others])

    def _dense_output_impl(self) -> DenseOutput:
        n, m = self._states.rates, self._states.values
        values = slice(n, n + m)
        rates = self._before[:m], self.y[:m]
        return Interpolant(self.t_old, self.t, self._before, self.y, rates, values)


class AtOnce(OdeSolver):
    """For SciPy's explicit methods: all stages of a step by one call, where there is one.

    Attributes
    ----------
    at_once : callable or None
        Takes the times of both ends of a step, state and rate at its begin; returns the state at
        its end, and the rates of all further stages and there. None where the step is to be made
        stage by stage.
    """

    at_once: StagesAtOnce | None = None
    t: float
    y: np.ndarray
    f: np.ndarray
    K: np.ndarray
    h_abs: float

    def _step_impl(self) -> tuple[bool, str | None]:
        shortest, most = 10 * np.spacing(self.t), GROW
        h = min(max(self.h_abs, shortest), self.max_step)
        while self.at_once is not None and h >= shortest:
            end = min(self.t + h, self.t_bound)
            h = end - self.t
            found = self.at_once(self.t, end, self.y, self.f)
            if found is None:
                break
            after, rates = found
            self.K[0], self.K[1:] = self.f, rates
            scale = self.atol + self.rtol * np.maximum(np.abs(self.y), np.abs(after))
            error = self._estimate_error_norm(self.K, h, scale)
            wanted = SAFETY * error**self.error_exponent if error else GROW
            if error < 1:
                self.h_previous, self.h_abs = h, h * min(wanted, most)
                self.y_old, self.t, self.y, self.f = self.y, end, after, rates[-1].copy()
                return True, None
            h, most = h * max(SHRINK, wanted), 1.0
        self.h_abs = h
        return super()._step_impl()


class DOP853AtOnce(AtOnce, scipy.integrate.DOP853):
    """SciPy's DOP853."""


class RK45AtOnce(AtOnce, scipy.integrate.RK45):
    """SciPy's RK45."""


def error_steps(name: str, tableau: Tableau, order: int) -> type[OdeSolver]:
    """Return a class like SciPy's RK45 with other coefficients.

    Between the ends of steps it is of third order, from values and rates at both.
    """
    n, b = tableau.stages, floats(tableau.b)
    # powers of x in 3 x² - 2 x³ of the whole step, x - 2 x² + x³ and x³ - x² of rates at the ends
    terms = np.zeros((n + 1, 3))
    terms[:n] = np.outer(b, (0, 3, -2))
    terms[0] += 1, -2, 1
    terms[n] += 0, -1, 1
    members = {
        "order": order,
        "error_estimator_order": tableau.error_order,
        "n_stages": n,
        "A": tableau.array(),
        "B": b,
        "C": floats(tableau.c),
        "E": floats(tableau.errors[0]),
        "P": terms,
    }
    return type(name, (RK45AtOnce,), members)
