"""The tangent stiffness K̄^d of a held system, and its inverse.

``K̄^d q = force`` is solved as one sparse system for the variations of configuration, velocities,
accelerations, stresses and degrees of freedom, whose factors have little fill-in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from mbcore.equilibria.arnoldi import extreme_eigenvalues
from mbcore.equilibria.dense_stiffness import DenseStiffness
from mbcore.linear.factors import SparseFactors

CONDITIONS = ("position", "velocity", "acceleration", "motion")
UNDONE = 1e-3
"""Error of a displacement recovered from its forces, above which K̄^d counts as singular."""
TRIED = 60
"""Dimension of the Krylov space for the softest and the unstable displacements."""
MIXED = 1e-2
"""Fraction of all forces assumed on every degree of freedom, because rounding spreads."""
NEGATIVE = 1e-6
"""Compliance, relative to the largest, whose sign may be rounding."""


@dataclass(frozen=True)
class Step:
    """A change that balances a force to first order.

    Attributes
    ----------
    q, x, stresses : ndarray, shapes (nd,), (nx,), (nl,)
        Changes of the degrees of freedom, of the configuration and of the stresses of laws.
    loose : ndarray, shape (nd,)
        Displacement along the part of the force that nothing resists, of size one; else zero.
    """

    q: np.ndarray
    x: np.ndarray
    stresses: np.ndarray
    loose: np.ndarray


@dataclass(frozen=True)
class Tangent:
    """Derivatives of the unreduced equations at a point, with the solutions of their systems.

    Attributes
    ----------
    jacobian : csc_matrix
        All derivatives, those of `mbcore.linear.variation.Variation`.
    rows, columns : dict of str to slice
        Where their blocks are.
    dofs : slice
        Where the degrees of freedom are among the stresses.
    position, velocity : SparseFactors
        Of the Jacobians of both problems.
    stress : ndarray, shape (nv,)
        Stresses of all given rates at the point.
    scale, nominal : ndarray, shapes (nx,), (nd,)
        Natural sizes of the coordinates and of the degrees of freedom.
    """

    jacobian: sparse.csc_matrix
    rows: dict[str, slice]
    columns: dict[str, slice]
    dofs: slice
    position: SparseFactors
    velocity: SparseFactors
    stress: np.ndarray
    scale: np.ndarray
    nominal: np.ndarray

    @property
    def _nd(self) -> int:
        return self.nominal.size

    @property
    def _still(self) -> np.ndarray:
        return np.zeros(self.columns["u"].stop - self.columns["u"].start)

    def _block(self, row: str, column: str) -> sparse.csc_matrix:
        return self.jacobian[self.rows[row], self.columns[column]]

    def _given(self, row: str, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        values = self._block(row, "s")[:, self._nd : 2 * self._nd]
        return values @ q + self._block(row, "u") @ u

    def vary(self, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the changes of configuration, velocities and of the forces that hold it.

        Parameters
        ----------
        q, u : ndarray, shapes (nd,), (nu,) or (nd, k), (nu, k)
            Changes of the degrees of freedom and of the inputs.

        Returns
        -------
        x, v, holding : ndarray, shapes (nx,), (nv,), (nd,) or of k columns
            ``holding`` is K̄^d q and the part of the inputs.
        """
        x = -self.position.solve(self._given("position", q, u))  # [Schwab2002] (A.113)
        v = -self.velocity.solve(self._block("velocity", "x") @ x + self._given("velocity", q, u))
        a = -self.velocity.solve(
            self._block("acceleration", "x") @ x
            + self._block("acceleration", "v") @ v
            + self._given("acceleration", q, u)
        )
        unbalanced = (
            self._block("motion", "x") @ x
            + self._block("motion", "v") @ v
            + self._block("motion", "a") @ a
            + self._given("motion", q, u)
        )
        return x, v, self.velocity.solve_transposed(unbalanced)[self.dofs]

    def solve(self, force: np.ndarray, u: np.ndarray) -> Step:
        """Return the change that balances ``force``, (nd,), while inputs change by ``u``, (nu,).

        Where K̄^d is singular it is the smallest one.
        """
        loose = np.zeros(self._nd)
        if self._factors is None:
            q, loose = self._dense.solve(force, -self.vary(np.zeros(self._nd), u)[2])
            x, v, _ = self.vary(q, u)
        else:
            x, v, q = self._solve_whole(self._factors, force, u)
        law = self._block("law", "x") @ x + self._block("law", "v") @ v + self._given("law", q, u)
        return Step(q, x, law, loose)

    @cached_property
    def _factors(self) -> SparseFactors | None:
        """Factors of the unreduced system; None where K̄^d is singular."""
        c, nd = self.columns, self._nd
        stress, values = c["stress"], c["s"].start + nd
        unknown = np.r_[
            c["x"],
            c["v"],
            c["a"],
            stress.start : stress.start + self.dofs.start,
            stress.start + self.dofs.stop : stress.stop,
            values : values + nd,
        ]
        conditions = slice(self.rows["position"].start, self.rows["motion"].stop)
        try:
            factors = SparseFactors(self.jacobian[conditions][:, unknown])
        except ZeroDivisionError:
            return None
        # Rounding may hide a singular K̄^d from the factors, so a random displacement is recovered.
        q = np.random.default_rng(0).choice([-1.0, 1.0], nd)
        _, _, again = self._solve_whole(factors, self.vary(q, self._still)[2], self._still)
        return factors if np.abs(again - q).max(initial=0.0) <= UNDONE else None

    @cached_property
    def _driving(self) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        """Contributions of inputs, and of forces on the degrees of freedom, to the conditions."""
        conditions = self.jacobian[self.rows["position"].start : self.rows["motion"].stop]
        by_stresses = conditions[:, self.columns["stress"]][:, self.dofs]
        return conditions[:, self.columns["u"]].tocsr(), by_stresses.tocsr()

    def _solve_whole(
        self, factors: SparseFactors, force: np.ndarray, u: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return x, v and q; stresses of the degrees of freedom become smaller by the force."""
        # The stresses of the degrees of freedom are known, namely reduced by the force; so the
        # values of the degrees of freedom take their place among the unknowns.
        by_inputs, by_forces = self._driving
        found = factors.solve(by_forces @ force - by_inputs @ u)
        return found[self.columns["x"]], found[self.columns["v"]], found[found.size - self._nd :]

    @cached_property
    def _dense(self) -> DenseStiffness:
        """K̄^d where it is singular."""
        none = np.zeros((self._still.size, self._nd))
        x, _, stiffness = self.vary(np.eye(self._nd), none)
        moved = np.abs(x / self.scale[:, None]).max(axis=0, initial=0.0)
        unit = np.zeros((self.stress.size, self._nd))
        unit[self.dofs] = np.eye(self._nd)
        H = self.velocity.solve(unit)  # [Schwab2002] (A.102)
        applied = np.abs(self._block("motion", "stress") @ self.stress)
        # Forces that cancel elsewhere reach a degree of freedom as rounding of the elimination.
        passed_on = MIXED * np.abs(H).max(axis=0, initial=0.0) * applied.sum()
        return DenseStiffness(stiffness, moved, np.abs(H).T @ applied + passed_on)

    def neutral(self) -> np.ndarray:
        """Return displacements that change no force, columns of shape (nd, k), k = 0 if none."""
        return np.zeros((self._nd, 0)) if self._factors is not None else self._dense.neutral()

    def unstable(self) -> np.ndarray | None:
        """Return a displacement that its forces drive on, shape (nd,); None if there is none."""
        values, vectors = self._compliances
        if not values.size:
            return None
        worst = int(np.argmin(values.real))
        bound = -NEGATIVE * np.abs(values).max()
        return vectors[:, worst].real if values[worst].real < bound else None

    def softest(self) -> tuple[float, np.ndarray]:
        """Return the smallest stiffness and the displacement that meets it, shape (nd,).

        The stiffness is that against all degrees of freedom in parts of their nominal values.
        """
        if self._factors is None:
            return 0.0, self._dense.neutral()[:, 0]
        values, vectors = self._compliances
        largest = int(np.argmax(np.abs(values)))
        return 1.0 / float(np.abs(values[largest])), vectors[:, largest].real

    @cached_property
    def _compliances(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and eigenvectors of the inverse of K̄^d, without neutral displacements."""
        factors = self._factors
        if factors is None:
            return self._dense.compliances()

        def displacement(force: np.ndarray) -> np.ndarray:
            force = force / self.nominal
            return self._solve_whole(factors, force, self._still)[2] / self.nominal

        values, vectors = extreme_eigenvalues(displacement, self._nd, TRIED)
        return values, self.nominal[:, None] * vectors
