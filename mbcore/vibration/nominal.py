"""The nominal motion and the equations linearized along it, [Schwab2002] 2.2 and 2.3.

Degrees of freedom are held where they start, prescribed motions run for one period. Forces f^d hold
the degrees of freedom there; taken away, they excite the small vibrations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mbcore.analysis.held_samples import HeldMatrices
from mbcore.equations.equations import Equations
from mbcore.model.errors import ModelError
from mbcore.vibration.applied_forces import AppliedForce, with_force
from mbcore.vibration.hill import Choice
from mbcore.vibration.nominal_path import Path, follow
from mbcore.vibration.nonlinear_forces import balanced_with
from mbcore.vibration.periodic_equations import PeriodicEquations
from mbcore.vibration.small_equations import accelerations, normal_form
from mbcore.vibration.small_motions import signals_of
from mbcore.vibration.solution import PeriodicSolution
from mbcore.vibration.stability import Method, exponents_of


@dataclass(frozen=True)
class NominalMotion:
    """A gross motion over one period, at equally spaced times, and small motions about it.

    M Δq̈ + C Δq̇ + K Δq = -f, Δq̇^k = A Δq̇ + B Δq, [Schwab2002] (2.11), (2.43), with nd degrees of
    freedom, ng of them generalized speeds, which have no value, and nk kinematic coordinates.

    Attributes
    ----------
    equations : Equations
        What moves.
    period : float
        s.
    time : ndarray, shape (n,)
        0, T/n, ..., (n - 1) T/n.
    states : ndarray, shape (n, ns)
        Of the nominal motion.
    advance, output_advance : ndarray, shapes (ns,), (ny,)
        What a period adds to the states and outputs: kinematic coordinates may go on.
    parameters, inputs : mapping of str to float
        Values it was made for; inputs that are functions of time with their values at 0.
    matrices : HeldMatrices
        All derivatives along it, with those of applied forces.
    laws : tuple of AppliedForce
        Applied forces with nonlinear laws, which are not in the matrices.
    """

    equations: Equations
    period: float
    time: np.ndarray
    states: np.ndarray
    advance: np.ndarray
    output_advance: np.ndarray
    matrices: HeldMatrices
    parameters: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)
    laws: tuple[AppliedForce, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<nominal motion of {self.equations.name}: period {self.period:g} s, "
            f"{self.time.size} samples, {self.equations.dofs} degrees of freedom>"
        )

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
        """Generalized stresses that keep the nominal motion, by deformation or slip, (n,) each.

        Those of rigid deformations and zero slips are constraint forces, those of prescribed
        motions drive, those of degrees of freedom are f^d, [Schwab2002] (2.10).
        """
        rows = self.equations.assembly.velocity_rows
        return {q.name: self.matrices.forces[:, i] for i, q in enumerate(rows)}

    @cached_property
    def held_outputs(self) -> dict[str, np.ndarray]:
        """Outputs of the nominal motion with f^d acting, (n,) each."""
        records = self.equations.outputs
        return {o.name: self.matrices.outputs[:, i] for i, o in enumerate(records)}

    @cached_property
    def _solved(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations -M⁻¹ [C K] by the states, and -M⁻¹ f; shapes (n, nd, ns), (n, nd).

        Raises
        ------
        ConfigurationError
            If the mass matrix is singular somewhere; names the degrees of freedom.
        """
        return accelerations(self.equations, self.matrices)

    @cached_property
    def output_matrix(self) -> np.ndarray:
        """Outputs by the states, accelerations following, shape (n, ny, ns)."""
        m = self.matrices
        return m.output_by_state + m.output_by_acceleration @ self._solved[0]

    @cached_property
    def free_outputs(self) -> np.ndarray:
        """Outputs where f^d is taken away and nothing has moved yet, shape (n, ny)."""
        m = self.matrices
        moved = np.einsum("nyd,nd->ny", m.output_by_acceleration, self._solved[1])
        return m.outputs + moved

    @cached_property
    def small_motions(self) -> PeriodicEquations:
        """The equations of the small motions in their normal form, (4.3), (4.4).

        Raises
        ------
        ConfigurationError
            If the mass matrix is singular somewhere; names the degrees of freedom.
        """
        return normal_form(self.equations, self.matrices, self.period, *self._solved)

    def with_forces(self, *forces: AppliedForce) -> NominalMotion:
        """Return the same nominal motion with applied forces on the small motions, (2.14).

        Linear parts change M, C, K and f; nonlinear laws take part in ``periodic``.

        Raises
        ------
        ModelError
            If a name is unknown, a shape wrong, or an output is no displacement.
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
        method : {"hill", "monodromy"}
            The truncated determinant of [Schwab2002] (4.15), or multipliers by integration.
        harmonics : int
            m of Hill's determinant.
        choose : {"weight", "least_imaginary"}
            How Hill's exponents are told from their images: by the weight of the middle harmonic
            in the eigenvector, which is more reliable, or by the least imaginary part as in 4.3.
        count : int, optional
            How many, where the least damped ones of many are enough; by default all.

        Returns
        -------
        ndarray of complex, shape (ns,) or (count,)

        Raises
        ------
        ModelError
            If there are too few samples, or an argument is impossible.
        ConfigurationError
            If the mass matrix is singular.
        """
        if self.laws:
            raise ModelError(
                f"{self.equations.name}: with nonlinear applied forces exponents belong to a "
                "periodic solution; use nominal.periodic(stability=True).exponents"
            )
        return exponents_of(self.small_motions, method, harmonics, choose=choose, count=count)

    def periodic(self, harmonics: int = 8, *, stability: bool = False) -> PeriodicSolution:
        """Return the periodic solution of the linear equations by harmonic balance, (4.1)-(4.7).

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
        q, laws = self.equations, self.laws
        matrices, motion, iterations = balanced_with(
            q, self.matrices, self.time, self.period, laws, harmonics
        )
        about = replace(self, matrices=matrices, laws=())
        found = signals_of(
            self.equations,
            motion,
            self.states,
            self.advance,
            about.free_outputs,
            about.output_matrix,
            self.output_advance,
        )
        multipliers = None
        if stability:
            multipliers = np.exp(about.exponents("hill", harmonics) * self.period)
        return PeriodicSolution(
            name=self.equations.name,
            period=self.period,
            start={r.name: float(found[r.name](0.0)) for r in self.equations.states},
            signals=found,
            parameters=self.parameters,
            inputs=self.inputs,
            multipliers=multipliers,
            iterations=iterations,
        )


def nominal_motion(
    equations: Equations,
    period: float,
    samples: int = 64,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, object] | None = None,
    start: Mapping[str, float] | None = None,
) -> NominalMotion:
    """Return the gross motion over one period, and the equations linearized along it.

    The degrees of freedom are held at their start values: rates of values are zero, whatever the
    model's start rates are; generalized speeds keep their start values. Prescribed motions run.

    Parameters
    ----------
    equations : Equations
        What moves; without auxiliary states.
    period : float
        T, s. The equations' coefficients must have it; the configuration need not come back.
    samples : int
        Number of equally spaced times.
    parameters : mapping of str to float
        Values that differ from the model's.
    inputs : mapping of str to float or callable
        Values, or functions of the time in s.
    start : mapping of str to float
        Start values of degrees of freedom, generalized speeds and kinematic coordinates.

    Returns
    -------
    NominalMotion

    Raises
    ------
    ModelError
        If a name is unknown, a value impossible, a unilateral contact closed, there are auxiliary
        states, or the coefficients do not have the period: names the largest difference.
    ConfigurationError
        If a state cannot be assembled or a configuration is singular.
    """
    path: Path = follow(equations, period, samples, parameters, inputs, start)
    return NominalMotion(
        equations=equations,
        period=path.period,
        time=path.time,
        states=path.states,
        advance=path.advance,
        output_advance=path.output_advance,
        matrices=path.matrices,
        parameters=path.parameters,
        inputs=path.inputs,
    )
