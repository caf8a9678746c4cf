"""The search for a steady motion: residuals, unknowns and Jacobian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import least_squares

from mbcore.equations.equations import Equations
from mbcore.equilibria.steady_conditions import Conditions
from mbcore.evaluation.evaluation import Evaluation
from mbcore.linear.linearizer import linearizer_of
from mbcore.linear.slips.constraints import held_at, refuse_closed
from mbcore.model import checks
from mbcore.model.errors import ConfigurationError, ModelError
from mbcore.model.near_names import unknown
from mbcore.model.variables import Value


def _refuse_turning(equations: Equations, ignorable: set[int]) -> None:
    """Refuse free rotations that forces depend on: their parameters change whenever they turn."""
    for spin in equations.spins:
        if not ignorable.issuperset(spin.parameters):
            raise ModelError(
                f"steady_motion, model {equations.name!r}: {spin.name} is a free rotation, whose "
                "Euler parameters change in every motion in which it turns, and forces depend on "
                "them; make angles of hinges degrees of freedom in their place"
            )


class SteadySearch:
    """The equations of a steady motion.

    Parameters
    ----------
    equations : Equations
        The system.
    conditions, find, guess, parameters, inputs
        As in `mbcore.equilibria.steady_motion.steady_motion`.

    Attributes
    ----------
    evaluation : Evaluation
        The point.
    ignorable : set of int
        Coordinates that may go on changing.
    fixed : list of int
        States that are given.
    wanted : dict of str to float
        Outputs that are given.
    found : list of int
        Inputs that are found too.
    free, unknown : list of int
        States that are not rates of resting coordinates; those of them that are not given.
    held : int
        Number of held slips, which must vanish besides.

    Raises
    ------
    ModelError
        If a name is unknown, or a force depends on how a free rotation is turned.
    """

    def __init__(
        self,
        equations: Equations,
        conditions: Mapping[str, Value],
        find: Sequence[str],
        guess: Mapping[str, Value],
        parameters: Mapping[str, Value] | None,
        inputs: Mapping[str, Value] | None,
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
        for i in self.fixed:  # which held slips may have changed
            self.evaluation.s[i] = fixed[self.names[i]]
        self._slips = equations.slips_function() if equations.held else None
        self.held = len(held_at(equations, self.evaluation))
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
        """Natural sizes of the inputs to be found, such that each causes a nominal acceleration."""
        if not self.found:
            return np.zeros(0)
        rows = self.linearizer.at_point(self.evaluation).input_matrix[self.essential]
        effect = np.abs(rows / self.nominal[self.essential, None]).max(axis=0, initial=0.0)
        return 1.0 / np.maximum(effect[self.found], 1e-9)

    def _ignorable(self) -> set[int]:
        """Coordinates on which neither accelerations nor rates of other ones depend.

        Nor does their own rate: what settles by itself has to be at rest. An auxiliary state that
        only integrates, such as a distance, counts among them.

        Seen in the Jacobian at states around the start, with rates that are all different.
        """
        e = self.evaluation
        saved = e.save()
        influence = np.zeros((len(self.names),) * 2)
        for k in range(3):
            # At the start itself influences may vanish by symmetry.
            wave = np.sin(1.0 + np.arange(len(self.names)) * (k + 1.7))
            e.s[:] = saved[0][1] + 0.1 * wave * self.nominal
            e.u[self.found] = saved[0][3][self.found] + wave[: len(self.found)]
            try:
                e.configure()
            except ConfigurationError:
                continue
            influence += np.abs(e.jacobian())
        e.restore(saved)
        scale = 1e-10 * max(1.0, float(influence.max(initial=0.0)))
        # A state that only candidates feel stays one, so the set shrinks until nothing essential
        # feels it.
        candidates = {i for i in range(self.nd, len(self.names)) if influence[i, i] <= scale}
        while True:
            essential = [i for i in range(len(self.names)) if i not in candidates]
            found = {j for j in candidates if influence[essential, j].max(initial=0.0) > scale}
            if not found:
                return candidates
            candidates -= found

    @property
    def essential(self) -> list[int]:
        """States whose rates must vanish."""
        return [i for i in range(len(self.names)) if i not in self.ignorable]

    def set(self, unknown: list[int], values: np.ndarray) -> None:
        """Give unknown states, and inputs that are found, values in parts of their sizes."""
        e, n = self.evaluation, len(unknown)
        e.s[unknown] = values[:n] * self.nominal[unknown]
        e.u[self.found] = values[n:] * self.size

    def values(self, unknown: list[int]) -> np.ndarray:
        """Return unknown states, and inputs that are found, in parts of their sizes."""
        e = self.evaluation
        return np.concatenate([e.s[unknown] / self.nominal[unknown], e.u[self.found] / self.size])

    def accelerations(self) -> np.ndarray:
        """Return the rates that must vanish, in parts of nominal values, and held slips."""
        e = self.evaluation
        rates = (e.derivative() / self.nominal)[self.essential]
        if self._slips is None:
            return rates
        slips = self._slips(e.t, e.s, e.d, e.u, e.p, e.x).full()[:, 0]
        return np.r_[rates, slips[held_at(self.equations, e)]]

    def _residual(self, unknown: list[int], values: np.ndarray) -> np.ndarray:
        """Accelerations and rates at a point; and, unless all states are unknown, the outputs."""
        self.set(unknown, values)
        whole = unknown is self.free
        try:
            self.evaluation.configure()
        except ConfigurationError:
            count = len(self.essential) + self.held
            return np.full(count + (0 if whole else len(self.wanted)), 1e6)
        if whole or not self.wanted:
            return self.accelerations()
        outputs = dict(zip(self.outputs, self.evaluation.output(), strict=True))
        return np.r_[self.accelerations(), [outputs[k] - v for k, v in self.wanted.items()]]

    def _jacobian(self, unknown: list[int], values: np.ndarray) -> np.ndarray:
        self._residual(unknown, values)
        rows, output_rows = self.rows(unknown)
        return rows if unknown is self.free else np.vstack([rows, output_rows])

    def rows(self, unknown: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of accelerations and of wanted outputs by unknown states and inputs."""
        refuse_closed(self.equations, self.evaluation, "steady_motion")
        about = self.linearizer.at_point(self.evaluation)
        wanted = [self.outputs.index(k) for k in self.wanted]
        by_state = self.nominal[unknown]

        def part(by_states: np.ndarray, by_inputs: np.ndarray) -> np.ndarray:
            return np.hstack(
                [by_states[:, unknown] * by_state, by_inputs[:, self.found] * self.size]
            )

        essential = self.essential
        rows = part(about.state_matrix[essential], about.input_matrix[essential])
        output_rows = part(about.output_matrix[wanted], about.feedthrough[wanted])
        rows = rows / self.nominal[essential, None]
        if about.held_slips is not None and about.held_slips.size:
            none = np.zeros((len(about.held_slips), len(self.inputs)))
            rows = np.vstack([rows, part(about.held_slips, none)])
        return rows, output_rows

    def go(self, unknown: list[int]) -> float:
        """Search with these states unknown; return the largest residual that is left."""
        begin = self.values(unknown)
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

    def conditions(self) -> Conditions:
        """Return what the family at the present point takes, and what is given."""
        rows, output_rows = self.rows(self.free)
        unit = np.eye(rows.shape[1])
        given = {self.names[i]: unit[self.free.index(i)] for i in self.fixed if i in self.free}
        given |= dict(zip(self.wanted, output_rows, strict=True))
        names = [self.names[i] for i in self.free] + [self.inputs[i] for i in self.found]
        others = [i for i in range(len(self.inputs)) if i not in self.found]
        about = self.linearizer.at_point(self.evaluation)
        effect = about.input_matrix[np.ix_(self.essential, others)]
        felt = [self.inputs[i] for k, i in enumerate(others) if np.abs(effect[:, k]).max() > 0]
        return Conditions(self.equations.name, rows, given, names, felt)


def _refuse_unknown(
    conditions: Mapping[str, Value],
    find: Sequence[str],
    states: list[str],
    outputs: list[str],
    inputs: list[str],
) -> None:
    for name, value in conditions.items():
        if name not in (*states, *outputs):
            raise ModelError(unknown("state or output", name, (*states, *outputs)))
        if not np.isfinite(value):
            raise ModelError(f"condition {name} = {value} is not a finite number")
    for name in checks.names("", "find", find, "u"):
        if name not in inputs:
            raise ModelError(f"find: {unknown('input', name, inputs)}")
    repeated = {name for name in find if list(find).count(name) > 1}
    if repeated:
        raise ModelError(f"find names {', '.join(sorted(repeated))} more than once; name each once")
