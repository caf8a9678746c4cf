"""Flows by compiled equations: explicit and implicit steps in C, the same as in Python.

C passes events. Used by `mbcore.periodic.variational` alone, which examines the steps in which
something else may have happened, as it does all steps in Python.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.integrate import DOP853

from mbcore.evaluation.moving_point import MovingPoint
from mbcore.integrators.first_negative import SAMPLES
from mbcore.integrators.methods import dop853
from mbcore.integrators.tableau import floats
from mbcore.native.flow import Columns, CompiledFlow, EventRules, Outcome, Recorded
from mbcore.native.flow_methods import ExplicitMethod
from mbcore.native.point import CompiledPoint
from mbcore.native.signals import Signal, SignalArrays, polynomial_of
from mbcore.periodic import collocation
from mbcore.periodic.saltation import LARGEST, TOGETHER
from mbcore.periodic.step_polynomial import StepPolynomial
from mbcore.periodic.varied_point import SLOPE_SPAN

SAFETY, SHRINK, GROW, LEAST = 0.9, 0.2, 10.0, 10.0
"""Of the lengths of SciPy's explicit steps."""
RULES = EventRules(SAMPLES, SLOPE_SPAN, TOGETHER, LARGEST)
"""Of events, as in Python."""


@cache
def explicit_method() -> ExplicitMethod:
    """Return DOP853, as SciPy has it."""
    tableau = dop853.TABLEAU
    dense = tableau.dense
    assert dense is not None
    rows = [(), *tableau.a, tableau.b, *dense.a]
    matrix = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        matrix[i, : len(row)] = floats(row)
    return ExplicitMethod(
        tableau.stages,
        np.concatenate([floats(tableau.c), [1.0], floats(dense.c)]),
        matrix,
        floats(tableau.errors[0]),
        floats(tableau.errors[1]),
        np.array([floats(row) for row in dense.weights]),
        safety=SAFETY,
        shrink=SHRINK,
        grow=GROW,
        least=LEAST,
        exponent=1 / (tableau.error_order + 1),
    )


class CompiledSteps:
    """Integrates in C; has ``t``, ``y``, ``status`` and ``step`` as SciPy's solvers.

    One call of ``step`` may make many steps. It returns with the last one, and the point has been
    accepted at its beginning; who uses it accepts its end.

    Parameters
    ----------
    run : MovingPoint
        The point that moves, accepted at the beginning.
    compiled : CompiledPoint
        Its compiled functions.
    columns : Columns
        Derivatives that are wanted.
    implicit : bool
        Whether steps are implicit.
    record : bool or "all"
        Whether all of them are noted, the states or all values.

    Attributes
    ----------
    examined : bool
        Whether nothing happens in the last step.
    passed : bool
        Whether the last step has ended behind an event, where the point has been accepted.
    events : list of (float, str)
        Times, s, and names of the events that the last call has passed.
    before : float
        Its beginning, s.
    """

    def __init__(
        self,
        run: MovingPoint,
        compiled: CompiledPoint,
        columns: Columns,
        *,
        implicit: bool,
        record: Recorded,
    ) -> None:
        self._run, self.examined, self.passed = run, False, False
        self.events: list[tuple[float, str]] = []
        method = collocation.method() if implicit else explicit_method()
        give_inputs = run.give_inputs if run.signals else None
        signals = _polynomials(run)
        self._flow = CompiledFlow(compiled, method, columns, RULES, give_inputs, record, signals)
        self._basis = collocation.lagrange if implicit else _explicit_basis
        self._too_small = collocation.TOO_SMALL if implicit else DOP853.TOO_SMALL_STEP

    def begin(
        self,
        between: tuple[float, float],
        y: np.ndarray,
        rtol: float,
        atol: np.ndarray,
        max_step: float,
    ) -> bool:
        """Begin at values; return whether there are rates.

        Parameters
        ----------
        between : (float, float)
            Begin and end, s.
        y : ndarray
            States, remembered numbers, columns row by row, and the integral of the trace.
        rtol, atol : float, ndarray like ``y``
            Tolerances.
        max_step : float
            Longest step, s.
        """
        self.t, self.t_bound = self.before, _ = between
        self.status = "running"
        self._flow.y[:] = y
        self._flow.seek_from(self._run.evaluation.search())
        return self._flow.begin(*between, rtol, atol, max_step)

    @property
    def y(self) -> np.ndarray:
        """States, columns row by row, and the integral of the trace."""
        return self._flow.y

    def step(self) -> str | None:
        """Make steps up to one that is to be examined; return a message where none can be made."""
        e = self._run.evaluation
        self._flow.seek_from(e.search())
        outcome = self._flow.run()
        e.go_on_from(self._flow.search())
        evaluations, steps = self._flow.take_counts()
        self._run.calls += evaluations
        names = e.equations.events
        self.events = [(t, names[i].name) for t, i in self._flow.happened()]
        self._run.count_steps(steps)
        self.passed = outcome == Outcome.JUMPED
        if outcome == Outcome.STUCK:
            self.status = "failed"
            self._run.derivative(float(e.t[0]), e.s.copy())  # finds out why, in Python
            return self._too_small
        self.examined = outcome == Outcome.STEPPED
        self.t = self._flow.t
        self.before = e.accepted_time
        if self.t >= self.t_bound:
            self.status = "finished"
        return None

    def dense_output(self) -> StepPolynomial:
        """Return the polynomial of the last step."""
        polynomial = self._flow.polynomial()
        assert polynomial is not None, "the ends of an interpolant's further stages have rates"
        return StepPolynomial(self.before, self.t, polynomial, self._basis)

    def noted(self) -> list[tuple[float, float, StepPolynomial, np.ndarray]]:
        """Return the steps of the last call that need not be examined.

        Begin and end, s, the state between, and discrete variables, (nd,).
        """
        found = []
        for one in self._flow.noted():
            between = StepPolynomial(one.begin, one.end, one.polynomial, self._basis)
            found.append((one.begin, one.reached, between, one.modes))
        return found

    @property
    def jumps(self) -> float:
        """Product of the determinants of the saltation matrices of these events."""
        return self._flow.jumps


def _polynomials(run: MovingPoint) -> SignalArrays | None:
    """Return the inputs that are functions of time for C; None where one is no polynomial."""
    found = []
    for place, signal in run.signals.items():
        given = getattr(signal, "given", signal)
        if polynomial_of(given, np.inf) is None:
            return None
        found.append(Signal(place, run.evaluation.equations.inputs[place], [given], False))
    return SignalArrays(found, np.inf, ()) if found else None


def _explicit_basis(part: np.ndarray) -> np.ndarray:
    """Return the factors of the begin and of the terms of DOP853's interpolant at parts, (n,)."""
    factors = np.ones((part.size, 1 + explicit_method().terms))
    factors[:, 1::2], factors[:, 2::2] = part[:, None], 1 - part[:, None]
    return np.cumprod(factors, axis=1)
