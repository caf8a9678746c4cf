"""Equations of one model in different coordinates, and conversion of a motion between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.equations.alternatives import Alternatives, Choice, changed_roles
from mbcore.equations.equations import Equations
from mbcore.equations.functions import FUNCTIONS
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.model.expressions import column
from mbcore.model.quantities import Deformation
from mbcore.native.compiled import evaluate_by

STILL_GOOD = 0.1
"""Fraction of the conditioning measure at their making above which equations are used again."""
MOST_MADE = 30
"""Largest number of sets of coordinates that one run makes."""
UNUSED = ("mass", "held", *(name for name in FUNCTIONS if name.endswith("change")))
"""Functions that no run calls: they are not made for other coordinates."""


@dataclass(frozen=True)
class Described:
    """Equations in a choice of coordinates, with functions that give all other coordinates.

    Attributes
    ----------
    monitor : casadi.Function
        Values and rates of all deformations that may be chosen.
    tears : casadi.Function
        Values of tears in the configuration.
    measures : ndarray
        Regularity where the equations were made.
    """

    equations: Equations
    choice: Choice
    monitor: ca.Function
    tears: ca.Function
    measures: list[np.ndarray]


class Coordinates:
    """The sets of coordinates of a run; each is made when first needed.

    The roles of the model are changed while equations are made, and restored at once.

    Parameters
    ----------
    run : MovingPoint
        The run in the equations' own coordinates.
    alternatives : Alternatives
        Coordinates that may be chosen.
    jacobian : bool
        Whether the method needs exact Jacobians.
    """

    def __init__(self, run: MovingPoint, alternatives: Alternatives, jacobian: bool) -> None:
        self.original = run.evaluation.equations
        self.alternatives = alternatives
        self._unused = UNUSED if jacobian else ("tangent", *UNUSED)
        A = self.original.assembly
        own = Choice(tuple(A.dofs), tuple(A.kinematic), 1.0)
        self._choosable = tuple(alternatives.free)
        self.current = self._described(self.original, own)
        self.current.measures.append(run.evaluation.conditioning_measures())
        self._made: list[Described] = [self.current]
        self._tried = 1
        self._turns = Turns([i for i, q in enumerate(self._choosable) if q.winds])

    def _described(self, equations: Equations, choice: Choice) -> Described:
        symbols = column([*(q.value for q in self._choosable), *(q.rate for q in self._choosable)])
        monitor = equations.function("monitor", [equations.settled(symbols)])
        return Described(equations, choice, monitor, equations.tears_function(), [])

    def choosable_values(self, run: MovingPoint) -> tuple[np.ndarray, np.ndarray]:
        """Return values and rates of all deformations that may be chosen, angles unwrapped."""
        e = run.evaluation
        found = np.array(self.current.monitor(e.t, e.s, e.d, e.u, e.p, e.x).full())[:, 0]
        # The monitor gives angles up to whole turns, because nodal coordinates do not count them.
        values, rates = np.split(found, 2)
        return self._turns.continued(float(e.t[0]), values, rates), rates

    def states(self, run: MovingPoint) -> np.ndarray:
        """Return the states of the original equations at the present point, shape (ns,)."""
        e = run.evaluation
        if e.equations is self.original:
            self.choosable_values(run)
            return e.s.copy()
        values, rates = self.choosable_values(run)
        known = {r.name: v for r, v in zip(e.equations.states, e.s, strict=True)}
        for q, value, rate in zip(self._choosable, values, rates, strict=True):
            if q.states is not None:
                known |= {q.states.value: value, q.states.rate: rate}
        return np.array([known[record.name] for record in self.original.states])

    def configuration(self, run: MovingPoint) -> np.ndarray:
        """Return the configuration x of the original equations at the present point, (nx,)."""
        e, q = run.evaluation, self.original
        if e.equations is q:
            return e.x.copy()
        here = dict(zip(e.equations.coordinate_names, e.x, strict=True))
        values, _ = self.choosable_values(run)
        known = {w.name: value for w, value in zip(self._choosable, values, strict=True)} | here
        x = np.array([known.get(name, 0.0) for name in q.coordinate_names])
        tears = self._made[0].tears
        found = np.array(tears(e.t, self.states(run), e.d, e.u, e.p, x).full())[:, 0]
        x[q.iterated - found.size : q.iterated] = found
        return x

    def rows(self, run: MovingPoint) -> np.ndarray:
        """Return the rows of all conditions and coordinates here, as `Alternatives` orders them."""
        return self.rows_at(nodal_point(run))

    def rows_at(self, point: list[np.ndarray]) -> np.ndarray:
        """Return the rows of all conditions and coordinates at a `nodal_point`."""
        return self.alternatives.rows(point, len(self.original.states))

    def strength(self, point: list[np.ndarray]) -> float:
        """Return how independent the constraints are at a `nodal_point`, in [0, 1]."""
        return self.alternatives.constraints(self.rows_at(point))

    def quality(self, rows: np.ndarray) -> float:
        """Return how well the present coordinates describe the motion, in [0, 1]."""
        dofs, kinematic = self.current.choice.dofs, self.current.choice.kinematic
        return self.alternatives.quality(rows, [q.name for q in dofs], [q.name for q in kinematic])

    def over(self, run: MovingPoint, choice: Choice, regular: float = 0.0) -> MovingPoint | None:
        """Return the run in other coordinates; None where they cannot describe it.

        Parameters
        ----------
        run : MovingPoint
            At an accepted point.
        choice : Choice
            The coordinates.
        regular : float
            Least `regularity` that their equations may have here.
        """
        values, rates = self.choosable_values(run)
        now = {q.name: (v, r) for q, v, r in zip(self._choosable, values, rates, strict=True)}
        starts = {q.name: (float(now[q.name][0]), float(now[q.name][1])) for q in self._choosable}
        for made in self._made:
            if made is not self.current and made.choice.key == choice.key:
                there = self._moved(run, made, starts)
                if there is None or not _is_still_good(made, there):
                    continue
                if regularity(there) >= regular:
                    self.current = made
                    return there
        if self._tried > MOST_MADE:
            return None
        self._tried += 1
        made = self._make(run, choice, starts)
        there = self._moved(run, made, starts)
        if there is None or not regularity(there) >= regular:
            return None
        made.measures.append(there.evaluation.conditioning_measures())
        self._made.append(made)
        self.current = made
        return there

    def _make(
        self, run: MovingPoint, choice: Choice, starts: dict[str, tuple[float, float]]
    ) -> Described:
        e = run.evaluation
        nodal = e.equations.nodal_coordinates(e.x)
        names = [c.name for c in self.original.assembly.coordinates]
        places = {name: float(x) for name, x in zip(names, nodal, strict=True)}
        with changed_roles(self.original.model, choice, starts):
            equations = Equations(self.original.model, at=places)
            for name in FUNCTIONS:  # now, while the model has these roles
                if name not in self._unused:
                    _ = equations.functions[name]
            made = self._described(equations, choice)
        evaluate_by(equations, "python")  # compiling would make functions without these roles
        equations.belong_with(self.original)
        return made

    def _moved(
        self, run: MovingPoint, made: Described, starts: dict[str, tuple[float, float]]
    ) -> MovingPoint | None:
        """The run at the present point in the coordinates of ``made``."""
        old, equations = run.evaluation, made.equations
        new = Evaluation(equations)
        for array, value in ((new.t, old.t), (new.d, old.d), (new.u, old.u), (new.p, old.p)):
            array[:] = value
        known = {r.name: float(v) for r, v in zip(old.equations.states, old.s, strict=True)}
        for deformation, (value_name, rate_name) in state_names(made).items():
            if deformation not in starts:
                continue
            known |= {value_name: starts[deformation][0], rate_name: starts[deformation][1]}
        new.s[:] = [known[record.name] for record in equations.states]
        here = dict(zip(old.equations.coordinate_names, old.x, strict=True))
        sizes = dict(zip(old.equations.coordinate_names, old.scale, strict=True))
        # An angle in a coupling that was a state becomes an unknown, and keeps its turns.
        first_guess = {name: value for name, (value, _) in starts.items()} | here
        x = np.array([first_guess.get(name, 0.0) for name in equations.coordinate_names])
        scale = np.array([sizes.get(name, 1.0) for name in equations.coordinate_names])
        tears = np.array(made.tears(new.t, new.s, new.d, new.u, new.p, x).full())[:, 0]
        first = equations.iterated - tears.size
        x[first : equations.iterated] = tears
        if not new.begin_at(x, scale):
            return None
        there = MovingPoint(new, run.signals, run.events, run.calls, run.steps)
        return there


def _is_still_good(made: Described, there: MovingPoint) -> bool:
    now = np.abs(there.evaluation.conditioning_measures())
    return bool(np.all(now >= STILL_GOOD * np.abs(made.measures[0])))


def regularity(run: MovingPoint) -> float:
    """Return the product of the measures of blocks, without those of limits.

    Blocks are solved one after another, and each makes an error larger by at most one over its
    measure. Some are small by nature, so that the smallest alone tells less.
    """
    e = run.evaluation
    return float(np.abs(e.conditioning_measures()[e.conditioning.limits :]).prod())


def nodal_point(run: MovingPoint) -> list[np.ndarray]:
    """Return (t, d, u, p) and the nodes' coordinates, which no choice of states changes."""
    e = run.evaluation
    x = e.equations.nodal_coordinates(e.x).copy()
    return [e.t.copy(), e.d.copy(), e.u.copy(), e.p.copy(), x]


def state_names(made: Described) -> dict[str, tuple[str, str]]:
    """Return the names of the states of value and rate by the deformations' names."""
    records = [record.name for record in made.equations.states]
    nd, n = len(made.choice.dofs), len(made.equations.assembly.speed_slips)
    A = made.equations.assembly
    found: dict[str, tuple[str, str]] = {}
    for i, q in enumerate(A.dofs):
        found[q.name] = records[nd + n + i], records[i]
    for i, q in enumerate(A.kinematic):
        found[q.name] = records[2 * nd + n + i], ""
    return found


class Turns:
    """Unwraps angles that are known up to whole turns."""

    def __init__(self, which: Sequence[int]) -> None:
        self._which = np.array(which, int)
        self._last: tuple[float, np.ndarray, np.ndarray] | None = None

    def continued(self, t: float, values: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Return the values nearest to those extrapolated; times may go back a little."""
        if self._last is not None and self._which.size:
            before, there, speed = self._last
            i = self._which
            expected = there[i] + (t - before) * (speed[i] + rates[i]) / 2
            values = values.copy()
            values[i] += 2 * np.pi * np.round((expected - values[i]) / (2 * np.pi))
        self._last = t, values.copy(), rates.copy()
        return values


def listed(quantities: Sequence[Deformation]) -> str:
    """Return names for a message."""
    return ", ".join(q.name for q in quantities)
