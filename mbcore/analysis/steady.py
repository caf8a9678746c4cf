"""Steady motions: relative equilibria, in which the shape rests while rates stay constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from mbcore.analysis.linearize import linearizer_of
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
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
    """

    state: dict[str, float]
    outputs: dict[str, float]
    ignorable: tuple[str, ...]
    residual: float


def steady_motion(
    equations: Equations,
    conditions: Mapping[str, float] | None = None,
    *,
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
        motions has dimensions.
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
        If a condition names neither a state nor an output.
    SimulationError
        If there is none near the guess, or the conditions leave it open; says what is still free.
    """
    return _Search(equations, conditions or {}, guess or {}, parameters, inputs).solve()


class _Search:
    def __init__(
        self,
        equations: Equations,
        conditions: Mapping[str, float],
        guess: Mapping[str, float],
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, float] | None,
    ) -> None:
        self.equations = equations
        self.names = [s.name for s in equations.states]
        self.outputs = [o.name for o in equations.outputs]
        for name, value in conditions.items():
            if name not in (*self.names, *self.outputs):
                raise ModelError(
                    f"{name!r} is neither a state nor an output; there is "
                    f"{', '.join((*self.names, *self.outputs))}"
                )
            if not np.isfinite(value):
                raise ModelError(f"condition {name} = {value} is not a finite number")
        fixed = {k: float(v) for k, v in conditions.items() if k in self.names}
        self.wanted = {k: float(v) for k, v in conditions.items() if k not in self.names}
        self.evaluation = Evaluation(equations, parameters, inputs)
        self.evaluation.start({**guess, **fixed})
        self.linearizer = linearizer_of(equations)
        self.nominal = np.array([s.nominal for s in equations.states])
        self.nd = equations.dofs
        self.ignorable = self._ignorable()
        values = len(equations._assembly.dofs)  # generalized speeds have none
        at_rest = {i for i in range(values) if i + self.nd not in self.ignorable}
        for i in at_rest:
            if self.names[i] not in fixed:
                self.evaluation.s[i] = 0.0
        self.unknown = [
            i
            for i, name in enumerate(self.names)
            if name not in fixed and i not in self.ignorable and i not in at_rest
        ]

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

    def _residual(self, values: np.ndarray) -> np.ndarray:
        e = self.evaluation
        e.s[self.unknown] = values * self.nominal[self.unknown]
        try:
            e.configure()
        except ConfigurationError:
            return np.full(len(self._essential) + len(self.wanted), 1e6)
        rates = e.derivative() / self.nominal
        shown = dict(zip(self.outputs, e.output(), strict=True)) if self.wanted else {}
        return np.concatenate(
            [rates[self._essential], [shown[k] - v for k, v in self.wanted.items()]]
        )

    def _jacobian(self, values: np.ndarray) -> np.ndarray:
        self._residual(values)
        about = self.linearizer.at_point(self.evaluation)
        rows = about.state_matrix[self._essential] / self.nominal[self._essential, None]
        shown = about.output_matrix[[self.outputs.index(k) for k in self.wanted]]
        return np.vstack([rows, shown])[:, self.unknown] * self.nominal[self.unknown]

    def solve(self) -> SteadyMotion:
        """Search, and refuse what is not unique."""
        e, q = self.evaluation, self.equations
        left = np.zeros(0)
        if self.unknown:
            begin = e.s[self.unknown] / self.nominal[self.unknown]
            found = least_squares(
                self._residual, begin, jac=self._jacobian, xtol=1e-15, ftol=1e-15, gtol=1e-15
            )
            left = self._residual(found.x)
            self._refuse_open(self._jacobian(found.x), left)
        else:
            left = self._residual(np.zeros(0))
        worst = float(np.abs(left).max(initial=0.0))
        if not worst <= ACCURACY:
            raise SimulationError(
                f"{q.name}: no steady motion near the guess; {worst:.3g} of a nominal acceleration "
                "or rate is left; guess nearer, or choose other conditions"
            )
        return SteadyMotion(
            {n: float(v) for n, v in zip(self.names, e.s, strict=True)},
            {n: float(v) for n, v in zip(self.outputs, e.output(), strict=True)},
            tuple(self.names[i] for i in sorted(self.ignorable)),
            worst,
        )

    def _refuse_open(self, jacobian: np.ndarray, left: np.ndarray) -> None:
        if np.abs(left).max(initial=0.0) > ACCURACY:
            return
        _, singular, rows = np.linalg.svd(jacobian)
        rank = int(np.sum(singular > 1e-7 * max(1.0, float(singular.max(initial=0.0)))))
        if rank < len(self.unknown):
            open_ = np.abs(rows[rank:]).max(axis=0)
            names = [self.names[i] for i, w in zip(self.unknown, open_, strict=True) if w > 1e-4]
            raise SimulationError(
                f"{self.equations.name}: the conditions leave {len(self.unknown) - rank} of these "
                f"open: {', '.join(names)}; give so many more conditions"
            )
