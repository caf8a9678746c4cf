"""Equilibria over a parameter: a family of solutions that `continuation` follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mbcore.continuation.branch_data import Record
from mbcore.continuation.branch_tracer import Beginning
from mbcore.continuation.modes import Modes
from mbcore.continuation.starts import Start, start_states
from mbcore.continuation.varied import ParameterRange, Varied, differenced, varied
from mbcore.equations.equations import Equations, checked_equations
from mbcore.equilibria.holding_forces import HoldingForces
from mbcore.equilibria.statics import Configuration, equilibrium
from mbcore.evaluation.evaluation import Evaluation, started_at_inputs
from mbcore.evaluation.reduced_mass import is_singular
from mbcore.linear.linearization import Linearization
from mbcore.linear.linearizer import linearizer_of
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import SimulationError
from mbcore.periodic.driving import refuse_driven
from mbcore.periodic.shot import Shootable


class EquilibriumFamily:
    """Values of the degrees of freedom at which the forces f^d that hold them vanish.

    Kinematic coordinates and auxiliary states keep their values, filters rest at their inputs,
    rates are zero. Exponents are the eigenvalues of the linearized equations. Where a structure has
    no mass they are those of q̇ = f̄, the same structure that creeps against dampings of one: these
    determine stability for forces that have a potential.

    Parameters
    ----------
    start : Configuration
        An equilibrium.
    varied : Varied
        Varied quantity.
    span : float
        Length of its range.
    """

    def __init__(
        self,
        equations: Equations,
        start: Configuration,
        parameters: Mapping[str, float],
        varied: Varied,
        span: float,
    ) -> None:
        self.equations, self.varied, self._span = equations, varied, span
        self.point = Evaluation(equations, parameters, start.inputs)
        self.point.start(start.states, at_rest=True)
        nd = equations.dofs
        self._values = slice(nd, 2 * nd)
        self.start = self.point.s[self._values].copy()
        self._held = HoldingForces(equations)
        self._linearizer = linearizer_of(equations)
        self._states = {record.name: i for i, record in enumerate(equations.states)}
        self._is_massless = is_singular(self.point.mass()[0])
        self._last: tuple[np.ndarray, Linearization] | None = None
        self._modes = Modes(self.point)
        self._refuse_neutral()
        if not self._is_massless:
            refuse_driven(self.point, "equilibrium")

    accuracy = 1e-13

    @property
    def scale(self) -> np.ndarray:
        """Nominal values of the degrees of freedom."""
        return np.array([record.nominal for record in self.equations.states[self._values]])

    def _move_to(self, unknowns: np.ndarray, value: float) -> None:
        self._modes.restore(self.point)
        self.point.s[self._values] = unknowns
        self.varied.set(self.point, value)
        for name, start in started_at_inputs(self.equations, self.point.u).items():
            self.point.s[self._states[name]] = start
        self.point.configure()
        self._modes.follow(self.point)
        self.point.check(at_rest=True)

    def _forces(self, unknowns: np.ndarray, value: float) -> np.ndarray:
        self._move_to(unknowns, value)
        return -self._held.at(self.point)

    def _linearized(self, unknowns: np.ndarray, value: float) -> Linearization:
        """Return the equations linearized with the degrees of freedom constrained, cached."""
        y = np.r_[unknowns, value]
        if self._last is None or not np.array_equal(self._last[0], y):
            self._move_to(unknowns, value)
            self._last = y, self._linearizer.at_point(self.point, "held")
        return self._last[1]

    def residual(
        self, unknowns: np.ndarray, value: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the holding forces, and their derivatives by the unknowns and the value."""
        about = self._linearized(unknowns, value)
        if self._is_exact:
            by_value = -about.M @ about.input_matrix[: about.M.shape[0], self.varied.place]
        else:
            by_value = differenced(lambda v: self._forces(unknowns, v), value, self._span)
        return about.f_d, about.K_d, by_value

    @property
    def _is_exact(self) -> bool:
        """Whether what varies is an input that no filter follows, and the mass gives its effect."""
        followed = [record.start_input for record in self.equations.states]
        own = self.varied.is_input and self.varied.name not in followed
        return own and not self._is_massless

    def exponents(self, unknowns: np.ndarray, value: float) -> np.ndarray:
        """Return eigenvalues, those that are zero by structure as exact zeros."""
        about = self._linearized(unknowns, value)
        if self._is_massless:
            return np.linalg.eigvals(-about.K_d).astype(complex)
        return about.eigenvalues(zeros=True)

    def kind(self, exponent: complex, unknowns: np.ndarray, value: float) -> str:
        """Return "hopf" for one of a pair."""
        return "hopf" if exponent.imag else ""

    def accept(self, unknowns: np.ndarray, value: float) -> None:
        """Seek the next configurations from here, with the modes that events have here."""
        self._move_to(unknowns, value)
        self._modes.remember(self.point)
        self.point.accept()
        self.point.warn()

    def record(self, unknowns: np.ndarray, value: float) -> Record:
        """Return the data recorded for a solution."""
        self._forces(unknowns, value)
        point = self.point
        return Record(point.s.copy(), self._held.outputs(), point.p.copy(), point.u.copy())

    def _refuse_neutral(self) -> None:
        self._held.at(self.point)
        open_ = np.abs(self._held.tangent().neutral()).max(axis=1, initial=0.0)
        records = self.equations.states[self._values]
        names = [r.name for r, part in zip(records, open_, strict=True) if part > 1e-6]
        if names:
            raise SimulationError(
                f"{self.equations.name}: the equilibrium leaves {', '.join(names)} open, so that "
                "there is a whole manifold of them; hold it with fix(), or give it a spring"
            )


@explains_construction
@dataclass(frozen=True)
class Equilibria:
    """The equilibria of a system, for `continuation` over a parameter or an input.

    Attributes
    ----------
    equations : Equations or driver
        The system; of an FMU what `mbcore.driver` returns, whose rates all vanish.
    start : mapping of str to float, Configuration or SteadyMotion, optional
        Where the first one is sought: states by name, or as in `mbcore.equilibrium`.
    parameters, inputs : mapping of str to float
        Values that differ from the model's.
    """

    equations: Equations | Shootable
    start: Start | None = None
    parameters: Mapping[str, float] | None = None
    inputs: Mapping[str, float] | None = None

    kind: ClassVar[str] = "equilibrium"

    def begin(self, over: ParameterRange) -> Beginning:
        """Return the first solution, where the range ``over`` begins.

        Raises
        ------
        ModelError
            If a name is unknown or a value impossible.
        SimulationError
            If there is none near the start.
        """
        if hasattr(self.equations, "steady_branch"):
            given = (start_states("equilibria", self.start), self.parameters, self.inputs)
            beginning: Beginning = self.equations.steady_branch(over, None, (), *given)
            return beginning
        equations = checked_equations("continuation", self.equations)
        parameters = checks.values("parameter", self.parameters, equations.parameters)
        inputs = checks.values("input", self.inputs, equations.inputs)
        what = varied(equations, over.name, (over.low, over.high), parameters, inputs)
        start = self.start
        if not isinstance(start, Configuration):
            start = start_states("equilibria", start)
        here, there = what.among(over.first, parameters, inputs)
        try:
            found = equilibrium(
                equations, start=start, parameters=here, inputs=there, unstable=True
            )
        except SimulationError as error:
            raise SimulationError(
                f"continuation: no equilibrium at {over.name} = {over.first:g} from this start; "
                f"{error}"
            ) from error
        family = EquilibriumFamily(equations, found, here, what, over.span)
        return Beginning(family, what.unit, family.start, over.first)
