"""Linearizes the equations of one model many times: [Schwab2002] 2.4.2, (A.112) to (A.118).

There are no finite differences. Where the equations are compiled, C evaluates the derivatives of
rates and outputs. In Python, and where motions or slips are held, the unreduced equations are
varied with all their unknowns; by the implicit-function theorem the variations of configuration,
velocities, accelerations and stresses follow from the solved Jacobians.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from math import isfinite
from typing import Literal

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations, checked_equations
from mbcore.equations.meanings import forces_in_auxiliary
from mbcore.equations.unilateral.switched_constraints import switched_slips
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.reduced_mass import is_singular
from mbcore.host.backend import Backend, Evaluator, checked_backend, evaluating
from mbcore.host.threads import one_thread
from mbcore.integrators.explicit_step import ExplicitStep
from mbcore.integrators.methods.classical import TABLEAU
from mbcore.linear.directional import (
    closed_gaps_by_changes,
    held_slips_by_changes,
    independent,
    linearize_by_changes,
    pushed_by_changes,
)
from mbcore.linear.linear_map import LinearMap, linear_map
from mbcore.linear.linearization import Linearization
from mbcore.linear.no_derivative import cleared, told, without_derivative
from mbcore.linear.slips.closing import close_touching, refuse_unpressed
from mbcore.linear.slips.constraints import closed_at, held_at
from mbcore.linear.structural_zeros import ROUNDING
from mbcore.linear.term_sizes import is_felt
from mbcore.linear.turning import RESTING, SHARES, STEP, rate_of_matrix
from mbcore.linear.variation import Variation
from mbcore.linear.varied_motion import Place, SolvedMotion, solve_motion, variation_of, vary
from mbcore.model import checks
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.variables import Value
from mbcore.native.point import CompiledLinearization

ALGEBRA = 3e5
"""Operations of functions that take as long as the linear algebra of one point in Python."""

State = Mapping[str, Value] | np.ndarray
"""States by name (others at their start values), or all of them in order."""


class Linearizer:
    """Linearizes one model many times; `linearize` makes one.

    Parameters
    ----------
    equations : Equations
        Result of ``Model.equations``.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Raises
    ------
    ModelError
        If the equations are superposed, which are linear already.
    """

    def __init__(self, equations: Equations, *, backend: Backend = "auto") -> None:
        if checked_equations("a linearizer", equations).superposed:
            raise ModelError(
                f"{equations.name}: superposed equations are linear but for their loads and laws; "
                "linearize model.equations(), with motion='held' for the matrices of (2.11)"
            )
        self.equations = equations
        self._backend = checked_backend(backend)
        self._evaluation: Evaluation | None = None
        A = equations.assembly
        self._nd, self._nk = len(A.independent), len(A.kinematic)
        self._nv = len(A.dofs)
        self._spins = equations.spins
        self._nominal = np.array([state.nominal for state in equations.states])

    def __repr__(self) -> str:
        return f"<linearizer of {self.equations.name}>"

    @cached_property
    def variation(self) -> Variation:
        """The unreduced equations varied, made when they are first needed."""
        return variation_of(self.equations)

    def at(
        self,
        state: State | None = None,
        *,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
        time: float = 0.0,
        motion: Literal["actual", "held"] = "actual",
        unsteady: bool = False,
    ) -> Linearization:
        """Linearize at a point; parameters and errors as those of `linearize`.

        Raises
        ------
        ModelError
            If ``motion`` is another word, the state has another size, or a name is unknown.
        """
        self.equations.refuse_stale()
        return self.at_unchanged(
            state,
            parameters=parameters,
            inputs=inputs,
            time=time,
            motion=motion,
            unsteady=unsteady,
        )

    def at_unchanged(
        self,
        state: State | None = None,
        *,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
        time: float = 0.0,
        motion: Literal["actual", "held"] = "actual",
        unsteady: bool = False,
    ) -> Linearization:
        """Linearize as `at`, without the check that the model is unchanged.

        Parameters as those of `linearize`.

        Raises
        ------
        ModelError
            If ``motion`` is another word, the state has another size, or a name is unknown.
        """
        if motion not in ("actual", "held"):
            raise ModelError(f"motion is 'actual' or 'held', got {motion!r}")
        evaluation = self._renewed(parameters, inputs)
        plain = isinstance(time, float) and isfinite(time)
        evaluation.t[0] = time if plain else checks.real("linearize", "time", time, unit="s")
        if isinstance(state, np.ndarray):
            if state.shape != evaluation.s.shape:
                raise ModelError(
                    f"the state has {evaluation.s.size} values, got shape {state.shape}"
                )
            state = {r.name: float(v) for r, v in zip(self.equations.states, state, strict=True)}
        # Compiled functions call no BLAS, and limiting its threads takes as long as linearizing.
        with one_thread() if evaluation.compiled is None else nullcontext():
            evaluation.start(state, at_rest=motion == "held")
            self._stir(evaluation)
            if self.equations.contacts and motion == "actual":
                close_touching(evaluation, self._gaps)
            evaluation.warn()
            found = self.at_point(evaluation, motion)
        without = without_derivative(self.equations, [found.output])
        if without:
            warn_user(f"linearize: {self.equations.name}: {told(without, 'at this state')}")
        changing = None if unsteady or motion == "held" else found.changing()
        if changing is not None:
            warn_user(
                f"linearize: {self.equations.name} is not at rest or in a steady motion there, "
                f"{changing}; eigenvalues then say nothing about stability. Find a state by "
                "equilibrium() or steady_motion(), or pass unsteady=True (--unsteady) if this one "
                "is meant"
            )
        return found

    def at_many(
        self,
        swept: Mapping[str, np.ndarray],
        state: Mapping[str, Value] | None = None,
        *,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
        unsteady: bool = False,
    ) -> LinearMap | None:
        """Linearize at many points in C; None where that is not possible, see `linear_map`.

        Parameters
        ----------
        swept : mapping of str to ndarray, shape (n,)
            Values of states, inputs and parameters by name.
        state, parameters, inputs, unsteady
            Arguments that all points share, as for `linearize`.

        Raises
        ------
        ModelError
            If a name is unknown or a value impossible.
        """
        start = self._renewed(parameters, inputs)
        start.go_to_start(state)
        speeds = self._nd - self._nv
        return linear_map(start, swept, (self._nd, speeds, self._nk), unsteady)

    def _renewed(
        self, parameters: Mapping[str, Value] | None, inputs: Mapping[str, Value] | None
    ) -> Evaluation:
        with evaluating(self._backend):
            if self._evaluation is None:
                self._evaluation = Evaluation(self.equations, parameters, inputs)
            else:
                self._evaluation.renew(parameters, inputs)
        return self._evaluation

    def at_point(self, point: Evaluation, motion: str = "actual") -> Linearization:
        """Linearize at the point of an evaluation whose configuration is found.

        ``motion`` is that of `linearize`.
        """
        found = self._at_point(point, motion)
        if not self._spins or motion != "actual" or is_singular(found.M):
            return found
        if not np.abs(found.rates).max(initial=0.0) > RESTING:
            return found
        return replace(found, change=self._change(point))

    def _change(self, point: Evaluation) -> np.ndarray:
        """Return the rate of the matrix in small turns along the motion, of fourth order."""
        saved, (t, s) = point.save(), (point.t[0], point.s.copy())
        h = STEP / max(1.0, *(abs(s[i]) for spin in self.equations.spins for i in spin.speeds))
        near = []
        # Only the rate of the matrix is differenced, and only to recognize steady axes.
        for share in SHARES:
            point.s[:], point.t[0] = _along(point, t, s, share * h), t + share * h
            point.configure()
            near.append(self._at_point(point, "actual").turned.matrix)
            point.restore(saved)
        return rate_of_matrix(np.array(near), h)

    def _stir(self, point: Evaluation) -> None:
        """Let what rests move: about rest, a contact vibrates by its law."""
        resting = {c.name for _, c in switched_slips(self.equations.assembly) if c.at_rest}
        for i, event in enumerate(self.equations.events):
            if event.name in resting:
                point.d[i] = 0.0

    @cached_property
    def _by_changes(self) -> bool:
        """Whether the reduced equations are varied: forces are unknowns, or drive other states."""
        A = self.equations.assembly
        return bool(A.implicit.names) or forces_in_auxiliary(A)

    def _at_point(self, point: Evaluation, motion: str) -> Linearization:
        if motion == "actual":
            refuse_unpressed(point)
        if point.compiled is not None and motion == "actual":
            made = point.compiled.linearize()
            if made is not None:
                return self._from_compiled(point, made)
        if self._by_changes and motion == "actual":
            return self._from_compiled(point, linearize_by_changes(point, self._nominal), "python")
        with one_thread():  # threads slow small matrices
            found = self._varied(point, motion)
        point.count(ALGEBRA + self.variation.function.n_instructions())
        return found

    def _from_compiled(
        self,
        point: Evaluation,
        made: CompiledLinearization,
        backend: Evaluator = "c",
    ) -> Linearization:
        nd = self._nd
        held, gaps = self._constraints(point)
        # M̄ times the accelerations are the forces that [Schwab2002] (2.43) has on its left side,
        # with the constraint forces given.
        qdd = made.rate[:nd]
        if len(held) or len(gaps):
            qdd = qdd - pushed_by_changes(point, self._pushes_change)
        reduced = -made.mass @ qdd
        return self._assembled(
            point,
            M=made.mass,
            reduced=reduced,
            rate=made.rate,
            output=cleared(self.equations, made.output),
            rates=made.rates,
            depends=made.depends,
            f_d=np.zeros(nd),
            held_slips=held,
            closed_gaps=gaps,
            backend=backend,
        )

    def _constraints(self, point: Evaluation) -> tuple[np.ndarray, np.ndarray]:
        """Return changes of held slips and closed gaps by the states."""
        held = gaps = np.zeros((0, point.s.size))
        if held_at(self.equations, point):
            held = held_slips_by_changes(point, self._slips_change)
        if closed_at(self.equations, point):
            gaps, rates = closed_gaps_by_changes(point, self._gaps_change)
            held = independent(np.vstack([rates, held]))
        return held, gaps

    @cached_property
    def _gaps(self) -> ca.Function:
        return self.equations.gaps_function()

    @cached_property
    def _gaps_change(self) -> ca.Function:
        return self.equations.gaps_change_function()

    @cached_property
    def _pushes_change(self) -> ca.Function:
        return self.equations.pushes_change_function()

    @cached_property
    def _slips_change(self) -> ca.Function:
        return self.equations.slips_change_function()

    def _varied(self, point: Evaluation, motion: str) -> Linearization:
        """Linearize the unreduced equations."""
        solved = solve_motion(self.variation, Place.of(point, motion))
        return self._linearization(point, solved, motion)

    def _linearization(self, point: Evaluation, solved: SolvedMotion, motion: str) -> Linearization:
        V = self.variation
        varied = vary(V, solved, self._nv, self._nk)
        ns = point.s.size
        values = np.eye(self._nv, ns + point.u.size)
        rate = np.vstack([varied.qdd, values, varied.kinematic, varied.auxiliary])
        matrix = rate[:, :ns]
        large = np.abs(matrix) > ROUNDING * varied.sizes[:ns, :ns]
        slip = np.where(np.abs(varied.slip) > ROUNDING * varied.sizes[ns:], varied.slip, 0.0)
        rates = [V.values["qdd"], point.s[: self._nv], V.residual("kinematic")]
        return self._assembled(
            point,
            M=solved.M,
            reduced=varied.reduced,
            rate=rate,
            output=cleared(self.equations, varied.output),
            rates=np.concatenate([*rates, V.residual("auxiliary")]),
            depends=large & is_felt(matrix, self._nominal),
            f_d=solved.f_d,
            held_slips=slip[solved.slips.held, :ns],
            closed_gaps=varied.gap[closed_at(self.equations, point), :ns],
            motion=motion,
        )

    def _assembled(
        self,
        point: Evaluation,
        *,
        backend: Evaluator = "python",
        motion: str = "actual",
        **others: np.ndarray,
    ) -> Linearization:
        """Return a linearization from matrices with columns of states, then of inputs."""
        return Linearization(
            name=self.equations.name,
            equations=self.equations,
            time=float(point.t[0]),
            state=point.s.copy(),
            parameters=point.p.copy(),
            inputs=point.u.copy(),
            degrees_of_freedom=self._nd,
            kinematic_coordinates=self._nk,
            generalized_speeds=self._nd - self._nv,
            backend=backend,
            place=Place.of(point, motion),
            **others,
        )


def _along(point: Evaluation, t: float, s: np.ndarray, h: float) -> np.ndarray:
    """Return the state after a step of the classical Runge-Kutta method, shape (ns,)."""

    def rates(time: float, state: np.ndarray) -> np.ndarray:
        point.t[0] = time
        point.s[:] = state
        point.configure()
        return point.derivative().copy()

    return ExplicitStep(TABLEAU)(rates, t, s, h)[0]


def linearizer_of(equations: Equations) -> Linearizer:
    """Return the linearizer of the equations, made when it is first asked for."""
    checked = checked_equations("linearize", equations)
    made: Linearizer = checked.kept("linearizer", lambda: Linearizer(equations))
    return made
