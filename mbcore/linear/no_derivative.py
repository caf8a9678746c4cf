"""Outputs that have no derivative at a point, such as a distance where it is zero.

The chain rule then multiplies a NaN also by the changes on which the output does not depend. Only
an entry whose value stands in the output's formula has no derivative.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.model import wording

REMEDY = (
    "smooth it there, as sqrt(x**2 + y**2 + (1e-9)**2) does for a distance, or take its parts as "
    "outputs"
)


def cleared(equations: Equations, changes: np.ndarray) -> np.ndarray:
    """Return changes of outputs by states and inputs, zero where an output holds neither.

    ``changes`` has the shape (..., ny, ns + nu).
    """
    if np.isfinite(changes).all():
        return changes
    return np.where(np.isnan(changes) & ~_pattern(equations, "change", 1), 0.0, changes)


def cleared_held(equations: Equations, changes: np.ndarray) -> np.ndarray:
    """Return changes of outputs by states, inputs and accelerations, those held; as `cleared`."""
    if np.isfinite(changes).all():
        return changes
    ny = len(equations.outputs)
    if equations.held_motion is None:
        by_state = cleared(equations, changes[..., : -equations.dofs or None])
        return np.concatenate([by_state, changes[..., by_state.shape[-1] :]], axis=-1)
    pattern = _pattern(equations, "held_change", 0)
    first = len(equations.states)
    return np.where(np.isnan(changes) & ~pattern[first : first + ny], 0.0, changes)


def without_derivative(equations: Equations, changes: Sequence[np.ndarray]) -> list[str]:
    """Return the names of outputs with a NaN in any of several arrays of changes, (..., ny, k)."""
    found = np.zeros(len(equations.outputs), bool)
    for array in changes:
        if array.size:
            found |= np.isnan(array).any(axis=(*range(array.ndim - 2), array.ndim - 1))
    return [record.name for record, no in zip(equations.outputs, found, strict=True) if no]


def told(names: Sequence[str], where: str) -> str:
    """Return the sentence that outputs have no derivative ``where``, with the remedy."""
    what = f"output {names[0]} has" if len(names) == 1 else f"outputs {wording.listed(names)} have"
    return f"the {what} no derivative {where}, and NaN stands in its place; {REMEDY}"


def _pattern(equations: Equations, name: str, result: int) -> np.ndarray:
    """Return which results of a function hold which states and inputs, and what is behind them.

    Each result is linear in the variation, the function's last argument.
    """
    function = equations.functions[name]
    sparsity = function.jac_sparsity(result, function.n_in() - 1)
    pattern = np.zeros(sparsity.shape, bool)
    pattern[sparsity.get_triplet()] = True
    if name == "held_change":
        return pattern
    ns, nu = len(equations.states), len(equations.inputs)
    # variations are of (s, t, u, p)
    return pattern[:, [*range(ns), *range(ns + 1, ns + 1 + nu)]]
