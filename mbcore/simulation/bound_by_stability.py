"""A warning where steps of the explicit method that a user chose were bound by stability.

It is judged once, at the end of a run of many steps, at the cost of two or three of them: a run
of few steps is never worth a warning, and results stay what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.equations.tolerances import PRODUCTS, STABLE
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.stepper import StepControl, Stepper
from mbcore.integrators.method import Method
from mbcore.integrators.table import method_named
from mbcore.integrators.tableau import Tableau
from mbcore.integrators.work import work_of_jacobian
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

MANY = 2000
"""Steps below which a run is short by any method."""
CLEARLY = 4.0
"""Factor by which implicit steps must be quicker for a warning."""
SHARE = 0.5
"""Part of the longest stable step that the steps must have on average to be bound by it."""
PERTURBATION = 1e-7
"""Change of states, in parts of their sizes, by which products with the Jacobian are estimated."""
MOST = 400.0
"""Evaluations in which implicit steps have to show it."""
_TOLD: WeakKeyDictionary[Equations, set[str]] = WeakKeyDictionary()


@dataclass
class LatePace:
    """Length of the steps in the later half of a run, up to three quarters of it."""

    _since: tuple[float, int] = (0.0, 0)
    _next: tuple[float, int] = (0.0, 0)

    def note(self, time: float, steps: int) -> None:
        """Note the time that a run has reached, s, and its steps so far."""
        if steps >= 2 * self._next[1]:
            self._since, self._next = self._next, (time, steps)

    def length(self, time: float, steps: int) -> float:
        """Return the mean length of the last steps of a run that has come to an end, s."""
        return (time - self._since[0]) / max(steps - self._since[1], 1)


def warn_if_bound(
    run: MovingPoint, method: Method, control: StepControl, steps: int, pace: LatePace
) -> None:
    """Warn where an explicit method was clearly a bad choice, once for equations and a method.

    Parameters
    ----------
    run : MovingPoint
        At the end of the run; it stays there.
    method : Method
        The user's.
    control : StepControl
        Its tolerances.
    steps : int
        Those that were made.
    pace : LatePace
        Of the run.
    """
    e = run.evaluation
    told = _TOLD.setdefault(e.equations, set())
    if steps < MANY or not _has_errors(method) or not e.equations.states or method.name in told:
        return
    calls, tell, saved = run.calls, e.on_warning, e.save()
    e.on_warning = _ignore  # of inputs behind the end
    try:
        length = pace.length(float(e.t[0]), steps)
        rate = _fastest_rate(run)
        bound = length * rate >= SHARE * _longest_stable(method.tableau)
        if not bound or not _pays(run, control, length, calls / steps):
            return
    except (ConfigurationError, ModelError, SimulationError):
        return
    finally:
        run.calls, run.failure, e.on_warning = calls, None, tell
        e.restore(saved)
    told.add(method.name)
    e.on_warning(
        f"{e.equations.name}: steps of {method.name} are bound by stability, not by accuracy: "
        f"{steps} of them, {length:.2g} s long in the end, where the fastest part has the rate "
        f"{rate:.2g} 1/s. Implicit steps go on there at least {CLEARLY:g} times as fast: leave "
        'method out, or give "Radau" in Python, "Rodas5P" in C'
    )


def _ignore(_: str) -> None:
    pass


def _has_errors(method: Method) -> bool:
    """Return whether a method is explicit and chooses its steps by their errors."""
    return method.automatic is None and not (
        method.implicit or method.many_steps or method.equal_steps or method.c_arrays
    )


def _longest_stable(tableau: Tableau | None) -> float:
    """Return up to which product of a step and a rate of decay a method is stable."""
    if tableau is None:
        return STABLE
    stages = len(tableau.b)
    A = np.zeros((stages, stages))
    for i, row in enumerate(tableau.a):
        A[i + 1, : len(row)] = row
    ones, b = np.ones(stages), np.array(tableau.b)
    for x in np.arange(1.0, 4.0 * stages, 0.1):
        if abs(1 - x * (b @ np.linalg.solve(np.eye(stages) + x * A, ones))) > 1:
            return float(x)
    return STABLE


def _fastest_rate(run: MovingPoint) -> float:
    """Return the Jacobian's largest eigenvalue, 1/s, by products with it that are differences.

    The nonlinear power method of B.P. Sommeijer, L.F. Shampine, J.G. Verwer: RKC, an explicit
    solver for parabolic PDEs, J. Comput. Appl. Math. 88 (1998). Zero where it is not known.
    """
    e = run.evaluation
    t, s = float(e.t[0]), e.s.copy()
    size = np.maximum(np.abs(s), [state.nominal for state in e.equations.states])
    at_rest = run.derivative(t, s)
    v, growth = 1 / (1 + np.arange(s.size) % 3), 0.0
    v /= np.linalg.norm(v)
    for k in range(PRODUCTS):
        changed = run.derivative(t, s + PERTURBATION * size * v)
        v = (changed - at_rest) / (PERTURBATION * size)
        if not (norm := float(np.linalg.norm(v))) > 0:
            return 0.0
        v /= norm
        if k >= PRODUCTS // 2:
            growth += float(np.log(norm)) / (PRODUCTS - PRODUCTS // 2)
    return float(np.exp(growth))


def _pays(run: MovingPoint, control: StepControl, length: float, calls: float) -> bool:
    """Return whether implicit steps from here are clearly quicker than the explicit ones.

    The fast parts of an explicit state are errors as large as the tolerance; the first implicit
    steps let them decay.

    Parameters
    ----------
    length, calls : float
        Length of the explicit steps, s, and the evaluations that one took.
    """
    e, aim = run.evaluation, CLEARLY * length / calls
    t, s, column = float(e.t[0]), e.s.copy(), work_of_jacobian(e.s.size)
    trial = Stepper(run, method_named("Radau"), control)
    solver = trial.solver_from(t, s, t + MOST * aim, length)
    work = 0.0
    while solver.status == "running" and work < MOST:
        solver.step()
        work = solver.nfev + solver.njev * column
        if solver.t - t >= work * aim:
            return True
    return False
