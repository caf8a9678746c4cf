"""The nominal motion and the equations linearized along it, [Schwab2002] 2.2 and 2.3.

The degrees of freedom are held at their start values while the prescribed motions run for one
period. The forces f^d that hold them excite the small vibrations when they are removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.host.backend import Evaluator, evaluator
from mbcore.linear.nominal_matrices import NominalMatrices, force_names
from mbcore.model import checks, summary
from mbcore.model.errors import ModelError
from mbcore.results.periodic_solution import PeriodicSolution
from mbcore.results.result import Result
from mbcore.small_vibrations.applied_forces import AppliedForce, with_force
from mbcore.small_vibrations.hill import Choice
from mbcore.small_vibrations.linear_balance import balance, neutral_coordinates
from mbcore.small_vibrations.nonlinear_forces import balanced_with
from mbcore.small_vibrations.periodic_equations import PeriodicEquations
from mbcore.small_vibrations.small_equations import accelerations as solved_accelerations
from mbcore.small_vibrations.small_equations import normal_form
from mbcore.small_vibrations.small_motions import checked_start, resampled, result_of, signals_of
from mbcore.small_vibrations.stability import Method, exponents_of
from mbcore.small_vibrations.transient import averaged, integrated


@dataclass(frozen=True, repr=False)
class NominalMotion(summary.Summarized):
    """A gross motion over one period, at equally spaced times, and small motions about it.

    M Δq̈ + C Δq̇ + K Δq = -f, Δq̇^k = A Δq̇ + B Δq, [Schwab2002] (2.11), (2.43), with nd degrees of
    freedom, ng of them generalized speeds, which have no value, and nk kinematic coordinates.

    Attributes
    ----------
    equations : Equations
        The system.
    period : float
        s.
    time : ndarray, shape (n,)
        0, T/n, ..., (n - 1) T/n, s.
    states : ndarray, shape (n, ns)
        Of the nominal motion.
    advance, output_advance : ndarray, shapes (ns,), (ny,)
        Increase of the states and outputs in a period; kinematic coordinates may advance.
    parameters, inputs : mapping of str to float
        Values it was made for; inputs that are functions of time with their values at 0.
    matrices : NominalMatrices
        All derivatives along it, with those of applied forces.
    laws : tuple of AppliedForce
        Applied forces with nonlinear laws, which are not in the matrices.
    backend : {"python", "c"}
        Backend that evaluated the equations.
    """

    equations: Equations
    period: float
    time: np.ndarray
    states: np.ndarray
    advance: np.ndarray
    output_advance: np.ndarray
    matrices: NominalMatrices
    parameters: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)
    laws: tuple[AppliedForce, ...] = ()
    backend: Evaluator = field(default_factory=evaluator, compare=False)

    def _title(self) -> str:
        return f"nominal motion of {self.equations.name}"

    def _facts(self) -> list[str]:
        facts = f"period {self.period:g} s, {self.time.size} samples, {self.equations.dofs}"
        return [f"{facts} degrees of freedom"]

    def _tables(self) -> list[summary.Table]:
        rows = [
            (r.name, r.unit, values.min(), values.max())
            for r, values in zip(self.equations.states, self.states.T, strict=True)
        ]
        return [summary.Table("states", ("name", "unit", "least", "largest"), rows)]

    @property
    def M(self) -> np.ndarray:
        """Reduced mass matrix, shape (n, nd, nd)."""
        return self.matrices.M

    @property
    def C(self) -> np.ndarray:
        """Velocity sensitivity matrix, shape (n, nd, nd)."""
        return self.matrices.C

    @property
    def K(self) -> np.ndarray:
        """Stiffness by the values of the degrees of freedom and the kinematic coordinates.

        Shape (n, nd, nd - ng + nk).
        """
        return self.matrices.K

    @property
    def f(self) -> np.ndarray:
        """Forces f^d that hold the degrees of freedom, shape (n, nd)."""
        return self.matrices.f

    @property
    def A(self) -> np.ndarray:
        """Kinematic coordinates' rates by those of the degrees of freedom, shape (n, nk, nd)."""
        return self.matrices.A

    @property
    def B(self) -> np.ndarray:
        """Kinematic coordinates' rates by values, shape (n, nk, nd - ng + nk)."""
        return self.matrices.B

    @cached_property
    def forces(self) -> dict[str, np.ndarray]:
        """Generalized stresses that sustain the nominal motion, by deformation or slip, (n,) each.

        Those of rigid deformations and zero slips are constraint forces, those of prescribed
        motions drive; those of degrees of freedom are -f^d, [Schwab2002] (2.10), for a stress
        opposes the deformation on which f^d acts.
        """
        names = force_names(self.equations)
        return {name: self.matrices.forces[:, i] for i, name in enumerate(names)}

    @cached_property
    def held_outputs(self) -> dict[str, np.ndarray]:
        """Outputs of the nominal motion with f^d acting, (n,) each."""
        records = self.equations.outputs
        return {o.name: self.matrices.outputs[:, i] for i, o in enumerate(records)}

    @cached_property
    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations -M⁻¹ [C K] by the states, and -M⁻¹ f; shapes (n, nd, ns), (n, nd).

        Raises
        ------
        ConfigurationError
            If the mass matrix is singular somewhere; names the degrees of freedom.
        """
        return solved_accelerations(self.equations, self.matrices)

    @cached_property
    def output_matrix(self) -> np.ndarray:
        """Outputs by the states, accelerations following, shape (n, ny, ns)."""
        m = self.matrices
        return m.output_by_state + m.output_by_acceleration @ self.accelerations[0]

    @cached_property
    def free_outputs(self) -> np.ndarray:
        """Outputs at the instant when f^d is removed, shape (n, ny)."""
        m = self.matrices
        moved = np.einsum("nyd,nd->ny", m.output_by_acceleration, self.accelerations[1])
        return m.outputs + moved

    @cached_property
    def small_motions(self) -> PeriodicEquations:
        """The equations of the small motions in their normal form, [Schwab2002] (4.3), (4.4).

        Raises
        ------
        ConfigurationError
            If the mass matrix is singular somewhere; names the degrees of freedom.
        """
        return normal_form(self.equations, self.matrices, self.period, *self.accelerations)

    def with_forces(self, *forces: AppliedForce) -> NominalMotion:
        """Return this nominal motion with applied forces on the small ones, [Schwab2002] (2.14).

        Linear parts change M, C, K and f; nonlinear laws take part in ``periodic``.

        Raises
        ------
        ModelError
            If a name is unknown, a shape wrong, or an output is not a displacement.
        """
        matrices, laws = self.matrices, list(self.laws)
        for applied in forces:
            if not isinstance(applied, AppliedForce):
                raise ModelError(f"with_forces: {applied!r}; give an AppliedForce(...)")
            matrices = with_force(self.equations, matrices, self.time, self.period, applied)
            if applied.law is not None:
                laws.append(applied)
        return replace(self, matrices=matrices, laws=tuple(laws))

    def exponents(
        self,
        method: Method = "hill",
        harmonics: int = 8,
        *,
        choose: Choice = "weight",
        count: int | None = None,
    ) -> np.ndarray:
        """Return the characteristic exponents, 1/s, the largest real part first.

        They are known up to multiples of i ω. Hill's are those whose periodic factor is nearest to
        a constant, which shows the natural frequencies; those of the monodromy matrix have
        imaginary parts of at most ω/2.

        Parameters
        ----------
        method : {"hill", "monodromy", "averaged"}
            The truncated determinant of [Schwab2002] (4.15), multipliers by integration, or
            eigenvalues of the averaged equations, the first method of 4.3.
        harmonics : int
            m of Hill's determinant.
        choose : {"weight", "least_imaginary"}
            How Hill's exponents are selected among their images: by the weight of the middle
            harmonic in the eigenvector, which is more reliable, or by the least imaginary part as
            in 4.3.
        count : int, optional
            Number of exponents, the least damped ones; by default all.

        Returns
        -------
        ndarray of complex, shape (ns,) or (count,)

        Raises
        ------
        ModelError
            If there are too few samples, or an argument is impossible.
        ConfigurationError
            If the mass matrix is singular.

        Warns
        -----
        ``method="averaged"`` is not a stability analysis: the periodic part of A(t), which it
        leaves out, may destabilize by itself. It fails where two frequencies have a sum or
        difference that is a multiple of ω, so at all parametric resonances: the cardan drive shaft
        at 0.66 of its bending frequency has the largest real part -2.63 1/s by it, and +9.50 1/s in
        truth.
        """
        self._refuse_laws(
            "exponents belong to a periodic solution; use "
            "nominal.periodic(stability=True).exponents"
        )
        return exponents_of(self.small_motions, method, harmonics, choose=choose, count=count)

    def periodic(self, harmonics: int = 8, *, stability: bool = False) -> PeriodicSolution:
        """Return the periodic solution of [Schwab2002] (4.1) by harmonic balance.

        Parameters
        ----------
        harmonics : int
            m, the highest harmonic.
        stability : bool
            Whether to find its multipliers as well, from Hill's determinant.

        Returns
        -------
        PeriodicSolution
            All states and outputs: the small motion added to the nominal one. Where coordinates
            may be chosen freely (nothing depends on them), their means are those of the nominal
            motion, and kinematic ones advance as the small motion makes them.

        Raises
        ------
        ModelError
            If there are too few samples, or no periodic solution because something drifts.
        ConfigurationError
            If the mass matrix is singular.
        """
        equations, laws = self.equations, self.laws
        about, iterations = self, 0
        if laws:
            matrices, motion, iterations = balanced_with(
                equations, self.matrices, self.time, self.period, laws, harmonics
            )
            about = replace(self, matrices=matrices, laws=())
        else:
            motion = balance(self.small_motions, harmonics)
        found = signals_of(
            self.equations,
            motion,
            self.states,
            self.advance,
            about.free_outputs,
            about.output_matrix,
            self.output_advance,
        )
        multipliers, neutral = None, 0
        if stability:
            multipliers = np.exp(about.exponents("hill", harmonics) * self.period)
            neutral = neutral_coordinates(about.small_motions)
        return PeriodicSolution(
            name=self.equations.name,
            period=self.period,
            start={r.name: found[r.name].start for r in self.equations.states},
            signals=found,
            parameters=self.parameters,
            inputs=self.inputs,
            multipliers=multipliers,
            neutral=neutral,
            iterations=iterations,
            backend=self.backend,
        )

    def transient(
        self,
        until: float,
        start: Mapping[str, float] | None = None,
        *,
        method: Literal["averaging", "integration"] = "averaging",
        harmonics: int = 8,
        samples: int | None = None,
    ) -> Result:
        """Return the motion from a start: the periodic solution and a transient one, 4.2.

        Parameters
        ----------
        until : float
            End time, s; the motion begins at 0.
        start : mapping of str to float
            States at 0, others those of the nominal motion: undeformed and at rest.
        method : {"averaging", "integration"}
            Slowly varying amplitudes of the mean equations' modes, which takes modes that are
            separated, and warns where they are not; or integration of the linear equations.
        harmonics : int
            m of the periodic solution.
        samples : int, optional
            Results in each period; by default as many as the nominal motion has.

        Returns
        -------
        Result
            All states and outputs.

        Raises
        ------
        ModelError
            If an argument is impossible, or modes of the mean equations coincide.
        """
        owner = "transient"
        self._refuse_laws("transients are not sums; integrate superpose(model) by simulate()")
        checks.choice(owner, "method", method, ("averaging", "integration"))
        end = checks.real(owner, "until", until, above=0, unit="s")
        n = self.time.size if samples is None else samples
        if not isinstance(n, int | np.integer) or n < self.time.size:
            raise ModelError(
                f"{owner}: samples = {samples!r}; give at least those of the nominal motion, "
                f"{self.time.size} in each period"
            )
        steady = self.periodic(harmonics)
        begin = checked_start(self.equations, self.states[0], start)
        change = begin - np.array([steady.start[r.name] for r in self.equations.states])
        times = self.period / n * np.arange(int(np.floor(end / self.period * n + 1e-9)) + 1)
        if method == "averaging":
            small = averaged(self.small_motions, change, times)
        else:
            small = integrated(self.small_motions, change, int(n), times.size)
        shown = resampled(self.output_matrix, int(n))
        return result_of(self.equations, steady, times, small, shown)

    def _refuse_laws(self, remedy: str) -> None:
        if self.laws:
            raise ModelError(f"{self.equations.name}: with nonlinear applied forces {remedy}")
