"""Matrices of equations linearized about a held motion, [Schwab2002] (2.11), (2.43)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.model import summary, wording


@dataclass(frozen=True, repr=False)
class NominalMatrices(summary.Summarized):
    """M̄ Δq̈ + C̄ Δq̇ + K̄ Δq = -f^d + F Δu, Δq̇^k = A Δq̇ + B Δq + B^u Δu, at n points.

    Columns of K and B are the values of the degrees of freedom, then the kinematic coordinates,
    then the auxiliary states.

    Attributes
    ----------
    M, C, K, f, F : ndarray, shapes (n, nd, nd), (n, nd, nd), (n, nd, ns - nd), (n, nd), (n, nd, nu)
    A, B, B_u : ndarray, shapes (n, nk, nd), (n, nk, ns - nd), (n, nk, nu)
    rates : ndarray, shape (n, nk)
        Rates of the kinematic coordinates.
    outputs : ndarray, shape (n, ny)
        Outputs of the nominal motion.
    output_by_state, output_by_acceleration, output_by_input : ndarray
        Their derivatives with q̈ held, shape (n, ny, ns); by q̈, (n, ny, nd); by inputs.
    forces : ndarray, shape (n, nv)
        Generalized stresses of all given rates: of rigid and prescribed deformations, zero slips
        and degrees of freedom, [Schwab2002] (A.108), in the order of `force_names`.
    """

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    f: np.ndarray
    F: np.ndarray
    A: np.ndarray
    B: np.ndarray
    B_u: np.ndarray
    rates: np.ndarray
    outputs: np.ndarray
    output_by_state: np.ndarray
    output_by_acceleration: np.ndarray
    output_by_input: np.ndarray
    forces: np.ndarray

    def _title(self) -> str:
        return "matrices of a held motion"

    def _facts(self) -> list[str]:
        points, free = self.M.shape[:2]
        return [f"{wording.count(points, 'point')}, {free} degrees of freedom"]

    def part(self, points: slice) -> NominalMatrices:
        """Return the matrices at some of the points."""
        names = NominalMatrices.__dataclass_fields__
        return NominalMatrices(**{name: getattr(self, name)[points] for name in names})


def force_names(equations: Equations) -> list[str]:
    """Return the deformations and slips whose stresses are the columns of ``forces``.

    Norms of Euler parameters are not among them: no force keeps these.
    """
    names = {q.name for q in equations.form.velocity_rows}
    return [q.name for q in equations.assembly.velocity_rows if q.name in names]
