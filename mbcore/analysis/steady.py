"""Steady motions: relative equilibria, in which the shape rests while rates stay constant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from mbcore.analysis.linearize import linearizer_of
from mbcore.analysis.steady_conditions import Conditions
from mbcore.equations.equations import Equations, checked_equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model import checks
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

ACCURACY = 1e-9
"""Largest acceleration or rate that is left in a steady motion, relative to its nominal value."""


@dataclass(frozen=True)
class SteadyMotion:
    """A motion in which nothing changes but coordinates that have no influence.

    Attributes
    ----------
    state : mapping of str to float
        All states; feed it to ``linearize`` or ``simulate``.
    outputs : mapping of str to float
        Outputs there.
    ignorable : tuple of str
        Coordinates that may go on changing, because no acceleration depends on them.
    residual : float
        Largest acceleration that is left.
    inputs : mapping of str to float
        All inputs, those that were found among them.
    dimensions : int
        Conditions that the family of steady motions takes, found inputs counted as free.
    """

    state: dict[str, float]
    outputs: dict[str, float]
    ignorable: tuple[str, ...]
    residual: float
    inputs: dict[str, float]
    dimensions: int


def steady_motion(
    equations: Equations,
    conditions: Mapping[str, float] | None = None,
    *,
    find: Sequence[str] = (),
    guess: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
) -> SteadyMotion:
    """Find a relative equilibrium, such as a disk in steady turning or a vehicle on a circle.

    Accelerations vanish, and so do the rates of all coordinates on which accelerations depend;
    the others (a heading, a place) may go on.

    Parameters
    ----------
    equations : Equations
        The system.
    conditions : mapping of str to float
        States or outputs with the values that they shall have: as many as the family of steady
        motions has dimensions. More are taken if they agree.
    find : sequence of str
        Inputs that are found too (trim), such as the torque that a given turn needs; each adds a
        dimension to the family. The search begins at their values in ``inputs``.
    guess : mapping of str to float
        Where the search begins, where that is not the model's start.
    parameters, inputs : mapping of str to float
        Values that differ from the model's.

    Returns
    -------
    SteadyMotion

    Raises
    ------
    ModelError
        If a condition names neither a state nor an output, what shall be found is no input, or
        a force depends on how a free rotation is turned.
    SimulationError
        If there is none near the guess, or the conditions are too few or too many; says how many
        the family takes, what is still free, and which conditions are superfluous.
    """
    checked_equations("steady_motion", equations)
    wanted, begin = checks.values("condition", conditions), checks.values("guess", guess)
    search = _Search(equations, wanted, find, begin, parameters, inputs)
    return search.solve()


def _refuse_turning(equations: Equations, ignorable: set[int]) -> None:
    """Refuse free rotations that are felt: their parameters change whenever they turn."""
    for spin in equations.spins:
        if not ignorable.issuperset(spin.parameters):
            raise ModelError(
                f"steady_motion, model {equations.name!r}: {spin.name} is a free rotation, whose "
                "Euler parameters change in every motion in which it turns, and forces depend on "
                "them; make angles of hinges degrees of freedom in their place"
            )


class _Search:
    def __init__(
        self,
        equations: Equations,
        conditions: Mapping[str, float],
        find: Sequence[str],
        guess: Mapping[str, float],
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, float] | None,
    ) -> None:
        self.equations = equations
        self.names = [s.name for s in equations.states]
        self.outputs = [o.name for o in equations.outputs]
        self.inputs = [i.name for i in equations.inputs]
        _refuse_unknown(conditions, find, self.names, self.outputs, self.inputs)
        fixed = {k: float(v) for k, v in conditions.items() if k in self.names}
        self.fixed = [i for i, name in enumerate(self.names) if name in fixed]
        self.wanted = {k: float(v) for k, v in conditions.items() if k not in self.names}
        self.found = [self.inputs.index(name) for name in find]
        self.evaluation = Evaluation(equations, parameters, inputs)
        self.evaluation.start({**guess, **fixed})
        self.linearizer = linearizer_of(equations)
        self.nominal = np.array([s.nominal for s in equations.states])
        self.nd = equations.dofs
        self.ignorable = self._ignorable()
        _refuse_turning(equations, self.ignorable)
        values = len(equations.assembly.dofs)  # generalized speeds have none
        at_rest = {i for i in range(values) if i + self.nd not in self.ignorable}
        for i in at_rest.difference(self.fixed):
            self.evaluation.s[i] = 0.0
        self.free = [
            i for i in range(len(self.names)) if i not in self.ignorable and i not in at_rest
        ]
        self.unknown = [i for i in self.free if i not in self.fixed]
        self.size = self._sizes()

    def _sizes(self) -> np.ndarray:
        """Sizes of the inputs that are found, such that each makes an acceleration of its size."""
        if not self.found:
            return np.zeros(0)
        rows = self.linearizer.at_point(self.evaluation).input_matrix[self._essential]
        effect = np.abs(rows / self.nominal[self._essential, None]).max(axis=0, initial=0.0)
        return 1.0 / np.maximum(effect[self.found], 1e-9)

    def _ignorable(self) -> set[int]:
        """Coordinates on which neither accelerations nor rates of other ones depend.

        Nor does their own rate: what settles by itself has to be at rest. An auxiliary state that
        only integrates, such as a distance, counts among them.

        Seen in the Jacobian at states around the start, with rates that are all different.
        """
        e = self.evaluation
        kept = e.keep()
        influence = np.zeros((len(self.names),) * 2)
        for k in range(3):
            wave = np.sin(1.0 + np.arange(len(self.names)) * (k + 1.7))
            e.s[:] = kept[0][1] + 0.1 * wave * self.nominal
            e.u[self.found] = kept[0][3][self.found] + wave[: len(self.found)]
            try:
                e.configure()
            except ConfigurationError:
                continue
            influence += np.abs(e.jacobian())
        e.restore(kept)
        scale = 1e-10 * max(1.0, float(influence.max(initial=0.0)))
        candidates = {i for i in range(self.nd, len(self.names)) if influence[i, i] <= scale}
        while True:
            essential = [i for i in range(len(self.names)) if i not in candidates]
            found = {j for j in candidates if influence[essential, j].max(initial=0.0) > scale}
            if not found:
                return candidates
            candidates -= found

    @property
    def _essential(self) -> list[int]:
        return [i for i in range(len(self.names)) if i not in self.ignorable]

    def _set(self, unknown: list[int], values: np.ndarray) -> None:
        e, n = self.evaluation, len(unknown)
        e.s[unknown] = values[:n] * self.nominal[unknown]
        e.u[self.found] = values[n:] * self.size

    def _values(self, unknown: list[int]) -> np.ndarray:
        e = self.evaluation
        return np.concatenate([e.s[unknown] / self.nominal[unknown], e.u[self.found] / self.size])

    def _accelerations(self) -> np.ndarray:
        rates = self.evaluation.derivative() / self.nominal
        return rates[self._essential]

    def _residual(self, unknown: list[int], values: np.ndarray) -> np.ndarray:
        """Accelerations and rates at a point; and, unless all states are unknown, the outputs."""
        self._set(unknown, values)
        whole = unknown is self.free
        try:
            self.evaluation.configure()
        except ConfigurationError:
            return np.full(len(self._essential) + (0 if whole else len(self.wanted)), 1e6)
        if whole or not self.wanted:
            return self._accelerations()
        shown = dict(zip(self.outputs, self.evaluation.output(), strict=True))
        return np.r_[self._accelerations(), [shown[k] - v for k, v in self.wanted.items()]]

    def _jacobian(self, unknown: list[int], values: np.ndarray) -> np.ndarray:
        self._residual(unknown, values)
        rows, shown = self._rows(unknown)
        return rows if unknown is self.free else np.vstack([rows, shown])

    def _rows(self, unknown: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of accelerations and of wanted outputs by unknown states and inputs."""
        about = self.linearizer.at_point(self.evaluation)
        wanted = [self.outputs.index(k) for k in self.wanted]
        by_state = self.nominal[unknown]

        def part(by_states: np.ndarray, by_inputs: np.ndarray) -> np.ndarray:
            return np.hstack(
                [by_states[:, unknown] * by_state, by_inputs[:, self.found] * self.size]
            )

        essential = self._essential
        rows = part(about.state_matrix[essential], about.input_matrix[essential])
        shown = part(about.output_matrix[wanted], about.feedthrough[wanted])
        return rows / self.nominal[essential, None], shown

    def _go(self, unknown: list[int]) -> float:
        """Search with these states unknown; return the largest residual that is left."""
        begin = self._values(unknown)
        if not begin.size:
            return float(np.abs(self._residual(unknown, begin)).max(initial=0.0))
        found = least_squares(
            lambda values: self._residual(unknown, values),
            begin,
            jac=lambda values: self._jacobian(unknown, values),
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
        )
        return float(np.abs(self._residual(unknown, found.x)).max(initial=0.0))

    def solve(self) -> SteadyMotion:
        """Search, and refuse what is not unique."""
        e, q = self.evaluation, self.equations
        kept = e.keep()
        worst = self._go(self.unknown)
        if not worst <= ACCURACY:
            e.restore(kept)
            if self._go(self.free) <= ACCURACY:
                self._conditions().refuse_too_many()
            raise SimulationError(
                f"{q.name}: no steady motion near the guess; {worst:.3g} of a nominal acceleration "
                "or rate is left; guess nearer, or choose other conditions"
            )
        conditions = self._conditions()
        conditions.refuse_too_few()
        e.warn()
        return SteadyMotion(
            {n: float(v) for n, v in zip(self.names, e.s, strict=True)},
            {n: float(v) for n, v in zip(self.outputs, e.output(), strict=True)},
            tuple(self.names[i] for i in sorted(self.ignorable)),
            worst,
            {n: float(v) for n, v in zip(self.inputs, e.u, strict=True)},
            conditions.dimensions,
        )

    def _conditions(self) -> Conditions:
        """What the family at the present point takes, and what is given."""
        rows, shown = self._rows(self.free)
        unit = np.eye(rows.shape[1])
        given = {self.names[i]: unit[self.free.index(i)] for i in self.fixed if i in self.free}
        given |= dict(zip(self.wanted, shown, strict=True))
        names = [self.names[i] for i in self.free] + [self.inputs[i] for i in self.found]
        others = [i for i in range(len(self.inputs)) if i not in self.found]
        about = self.linearizer.at_point(self.evaluation)
        effect = about.input_matrix[np.ix_(self._essential, others)]
        felt = [self.inputs[i] for k, i in enumerate(others) if np.abs(effect[:, k]).max() > 0]
        return Conditions(self.equations.name, rows, given, names, felt)


def _refuse_unknown(
    conditions: Mapping[str, float],
    find: Sequence[str],
    states: list[str],
    outputs: list[str],
    inputs: list[str],
) -> None:
    for name, value in conditions.items():
        if name not in (*states, *outputs):
            raise ModelError(
                f"{name!r} is neither a state nor an output; there is "
                f"{', '.join((*states, *outputs))}"
            )
        if not np.isfinite(value):
            raise ModelError(f"condition {name} = {value} is not a finite number")
    if isinstance(find, str):
        raise ModelError(f"find = {find!r}: give a list of inputs, [{find!r}]")
    for name in find:
        if name not in inputs:
            raise ModelError(
                f"{name!r} cannot be found, it is no input; there is {', '.join(inputs) or 'none'}"
            )
    repeated = {name for name in find if list(find).count(name) > 1}
    if repeated:
        raise ModelError(f"find names {', '.join(sorted(repeated))} more than once")
