"""Friction on what cannot move: its force would be zero, and no event of it would ever occur.

The rate of a joint is a sum of the rates of all conditions of the velocity problem. If no degree of
freedom and no prescribed motion has a share in it, at several configurations near the start, so
that none is a dead centre, constraints hold the joint: those that have a share. Nonlinear relations
among these may let it go elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.equations.elimination.samples import ClosedSamples
from mbcore.equations.elimination.unit_sizes import sizes_of
from mbcore.equations.elimination.velocity import VelocityProblem
from mbcore.model import wording
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, replace
from mbcore.model.quantities import Quantity
from mbcore.model.tables import derivatives

NOTHING = 1e-9
"""Share in a rate, in parts of the largest and in natural sizes, that is a rounding error."""


@dataclass(frozen=True)
class Shares:
    """Shares in the rates of friction, at one configuration.

    Attributes
    ----------
    conditions : ndarray
        Shares of the conditions of the velocity problem, shape (n, k).
    motions : ndarray
        Shares of the degrees of freedom and prescribed motions, shape (m, k).
    sizes : tuple of ndarray
        Natural sizes of both.
    """

    conditions: np.ndarray
    motions: np.ndarray
    sizes: tuple[np.ndarray, np.ndarray]

    @property
    def least(self) -> np.ndarray:
        """Shares that are not rounding errors, shape (k,)."""
        return NOTHING * np.abs(self.sizes[0][:, None] * self.conditions).max(axis=0)

    @property
    def moves(self) -> bool:
        """Whether a motion has a share in any rate; what is not finite counts as one."""
        moved = np.abs(self.sizes[1][:, None] * self.motions) <= self.least
        return not bool(moved.all())


def refuse_locked_friction(
    velocity: VelocityProblem, samples: ClosedSamples, natural: float
) -> None:
    """Refuse friction on rates that no degree of freedom and no prescribed motion changes.

    Parameters
    ----------
    samples : ClosedSamples
        Configurations; where none is found, only what is fixed is refused.
    natural : float
        The mechanism's length, m.

    Raises
    ------
    ModelError
        Naming the friction and what holds its joint.
    """
    A = velocity.assembly
    for element in A.model.elements.values():
        if not element.rubbing_slips:
            continue
        rates = column(A.resolve(slip.velocity) for slip in element.rubbing_slips)
        rows = ca.sparsify(derivatives.jacobian(rates, A.v))
        driven = replace(rates, A.v, ca.SX.zeros(A.v.numel()))
        if not ca.simplify(driven).is_zero():
            continue  # the surface moves
        if not rows.nnz():
            raise _refusal(element, "all parts that it joins are fixed")
        found = _shares(velocity, samples, rows, natural)
        if not found or any(shares.moves for shares in found):
            continue
        holding = _holding(velocity, samples, found[0], natural)
        if not any(map(_may_let_go, holding)):
            hold = "holds" if len(holding) == 1 else "hold"
            names = [f"{q.name} ({q.role.value})" for q in holding if q.role]
            raise _refusal(element, f"{wording.listed(names)} {hold} it")


def _shares(
    velocity: VelocityProblem, samples: ClosedSamples, rows: ca.SX, natural: float
) -> list[Shares]:
    """Return the shares at all configurations in what has ``rows`` over the speeds."""
    A = velocity.assembly
    motions = ca.horzcat(velocity.by_dofs, velocity.by_motions)
    units = [q.unit for q in (*A.independent, *A.prescribed)] + [""] * len(A.signals)
    of_rows = velocity.relations.sizes(False, natural).rows
    sizes = np.asarray(of_rows), np.asarray(sizes_of(units, natural))
    found = []
    for J, right, by in samples.values([velocity.J, velocity.padded(rows.T), motions]):
        try:
            conditions = np.linalg.solve(J.T, right)
        except np.linalg.LinAlgError:
            return []
        found.append(Shares(conditions, by.T @ conditions, sizes))
    return found


def _holding(
    velocity: VelocityProblem, samples: ClosedSamples, shares: Shares, natural: float
) -> list[Quantity]:
    """Return the rigid deformations and zero slips with a share."""
    A = velocity.assembly
    stresses = velocity.stresses(ca.SX(ca.DM(shares.conditions)))
    values = samples.values([stresses])[0][0]
    sizes = np.asarray(sizes_of((q.unit for q in A.velocity_rows), natural))
    felt = (np.abs(sizes[:, None] * values) > shares.least).any(axis=1)
    held = {q.name for q in (*A.rigid, *A.zero)}
    return [
        q for q, f in zip(A.velocity_rows, felt, strict=True) if f and q.name in held and q.role
    ]


def _may_let_go(q: Quantity) -> bool:
    """Return whether a relation moves what it holds elsewhere or later, or with other parameters.

    A cam has a dwell, a gearbox a neutral gear. So what holds by a relation has to be linear in it
    with numbers as factors.
    """
    if q.relation is None:
        return False
    relation = ca.SX(q.relation)
    slopes = derivatives.jacobian(relation, ca.vertcat(*ca.symvar(relation)))
    return not ca.simplify(slopes).is_constant()


def _refusal(element: Element, why: str) -> ModelError:
    return ModelError(
        f"{element.description} acts where nothing can move: {why}; allow a motion, or leave the "
        "friction out"
    )
