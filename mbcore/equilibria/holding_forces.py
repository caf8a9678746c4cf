"""The forces that hold a system at rest; sparse, for any size of model, without any mass.

The rates and accelerations of the degrees of freedom are zero; only prescribed motions may move.
The equations are not reduced, so every linear system is sparse.
"""

from __future__ import annotations

import numpy as np

from mbcore.equations.elimination.velocity import balancing_stresses
from mbcore.equations.equations import Equations
from mbcore.equilibria.tangent import Tangent
from mbcore.evaluation.evaluation import Evaluation
from mbcore.linear.factors import SparseFactors
from mbcore.linear.linearizer import linearizer_of
from mbcore.linear.slips.constraints import refuse_closed
from mbcore.model.errors import ConfigurationError


class HoldingForces:
    """Forces on the degrees of freedom of a system that is held at rest.

    Attributes
    ----------
    scale : ndarray, shape (nx,)
        Natural sizes of the nodes' coordinates at the last point.

    Raises
    ------
    ModelError
        If the equations are superposed ones.
    """

    def __init__(self, equations: Equations) -> None:
        self._equations = equations
        self._linearizer = linearizer_of(equations)
        self._variation = self._linearizer.variation
        self.scale = np.ones(self._variation.values["x"].size)
        assembly = equations.assembly
        first = len(assembly.rigid) + len(assembly.prescribed)
        nd = equations.dofs
        self._dofs = slice(first, first + nd)
        self._nominal = np.array([record.nominal for record in equations.states[nd : 2 * nd]])

    def at(self, point: Evaluation) -> np.ndarray:
        """Evaluate at a point whose configuration is found; return the reduced forces, shape (nd,).

        They are f̄ of [Schwab2002] (A.107), against which the degrees of freedom are held.

        Raises
        ------
        ModelError
            If a unilateral contact is closed.
        ConfigurationError
            If the configuration is singular, or a force not finite.
        """
        refuse_closed(self._equations, point, "equilibrium")
        V, values = self._variation, self._variation.values
        self.scale = self._equations.nodal_coordinates(point.scale)
        V.t[:], V.d[:], V.p[:] = point.t, point.d, point.p
        for name in ("v", "a", "stress", "qdd", "excess", "multiplier"):
            values[name][:] = 0.0
        values["x"][:] = self._equations.nodal_coordinates(point.x)
        V.winding[:] = self._equations.winding_values(point.x)
        values["s"][:], values["u"][:] = point.s, point.u
        V.evaluate()
        self._velocity = self._factors("velocity", "v")
        for row, name in (("velocity", "v"), ("acceleration", "a")):
            if V.residual(row).any():  # some prescribed motion moves
                # [Schwab2002] (A.99), (A.104)
                values[name][:] = -self._velocity.solve(V.residual(row))
                V.evaluate()
        values["stress"][:] = balancing_stresses(self._velocity, -V.residual("motion"))
        force = values["stress"][self._dofs].copy()
        self._refuse_infinite(force)
        return force

    def _factors(self, row: str, column: str) -> SparseFactors:
        V = self._variation
        try:
            return SparseFactors(V.jacobian()[V.rows[row], V.columns[column]])
        except ZeroDivisionError:
            raise ConfigurationError(
                f"{self._equations.name}: the {row} problem is singular here; choose other degrees "
                "of freedom, or start elsewhere"
            ) from None

    def _refuse_infinite(self, force: np.ndarray) -> None:
        for record, value in zip(self._equations.states, force, strict=False):
            if not np.isfinite(value):
                raise ConfigurationError(
                    f"{self._equations.name}: the force on the degree of freedom with rate "
                    f"{record.name} is {value}; a law has no value here, start elsewhere"
                )

    def outputs(self) -> np.ndarray:
        """Return the outputs at the last point, shape (ny,); at rest accelerations are zero."""
        self._variation.evaluate()
        return self._variation.residual("output").copy()

    def stresses(self) -> np.ndarray:
        """Return the stresses of all laws at the last point, shape (nl,)."""
        return self._variation.residual("law").copy()

    def tangent(self, stresses: np.ndarray | None = None) -> Tangent:
        """Return how configuration and forces change about the last point.

        Parameters
        ----------
        stresses : ndarray, shape (nl,), optional
            Stresses of laws with which the tangent is made, in place of those at the point.
        """
        V = self._variation
        V.values["excess"][:] = 0.0 if stresses is None else stresses - self.stresses()
        V.evaluate()
        V.values["excess"][:] = 0.0  # reset: the variation is shared with the linearizer
        position = self._factors("position", "x")
        return Tangent(
            V.jacobian(),
            V.rows,
            V.columns,
            self._dofs,
            position,
            self._velocity,
            V.values["stress"].copy(),
            self.scale,
            self._nominal,
        )
