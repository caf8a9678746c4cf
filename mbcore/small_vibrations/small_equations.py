"""The equations of small motions in their normal form, [Schwab2002] (4.3), (4.4)."""

from __future__ import annotations

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.reduced_mass import refuse_singular
from mbcore.host.threads import single_threaded
from mbcore.linear.nominal_matrices import NominalMatrices
from mbcore.small_vibrations.periodic_equations import PeriodicEquations

CLEAR = 1e-9
"""Least eigenvalue of a scaled mass matrix above which it is clearly regular."""


@single_threaded
def accelerations(equations: Equations, matrices: NominalMatrices) -> tuple[np.ndarray, np.ndarray]:
    """Return accelerations -M⁻¹ [C K] by the states, and -M⁻¹ f; shapes (n, nd, ns), (n, nd).

    Raises
    ------
    ConfigurationError
        If the mass matrix is singular somewhere; names the degrees of freedom.
    """
    m = matrices
    for M in m.M[doubtful(m.M)]:
        refuse_singular(M, equations)
    both = np.concatenate([m.C, m.K, m.f[..., None]], axis=2)
    solved = -np.linalg.solve(m.M, both)
    return solved[..., :-1], solved[..., -1]


def doubtful(M: np.ndarray) -> np.ndarray:
    """Return which mass matrices are not clearly regular, shape (n,)."""
    size = np.sqrt(np.abs(np.einsum("nii->ni", M)))
    size = np.where(size > 0, size, 1.0)
    least = np.linalg.eigvalsh(M / size[:, None, :] / size[:, :, None])
    return np.asarray(least.min(axis=1, initial=1.0) < CLEAR)


def normal_form(
    equations: Equations,
    matrices: NominalMatrices,
    period: float,
    by_state: np.ndarray,
    forcing: np.ndarray,
) -> PeriodicEquations:
    """Return the small motions' equations from what `accelerations` returns."""
    nd, speeds = equations.dofs, equations.speeds
    n2 = nd - speeds
    rates = np.concatenate([by_state, np.concatenate([matrices.A, matrices.B], axis=2)], axis=1)
    kinematic = np.zeros((forcing.shape[0], matrices.A.shape[1]))
    places = np.r_[np.arange(nd, nd + n2), np.arange(n2, nd), np.arange(nd + n2, rates.shape[2])]
    return PeriodicEquations(
        name=equations.name,
        period=period,
        P=-rates[..., :n2],
        Q=-rates[..., places],
        r=np.concatenate([forcing, kinematic], axis=1),
        speeds=speeds,
        names=tuple(equations.states[i].name for i in places),
    )
