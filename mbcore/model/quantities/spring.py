"""Springs on deformations: their force, and the energy that they store, if there is a potential.

A stiffness k(ε) has the potential ∫ k(s) (s - r) ds from the rest value r to ε. It is integrated by
Gauss-Legendre quadrature, exact for polynomials; a constant stiffness gives k (ε - r)²/2. A table
of the force has an integral of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.model.expressions import depends, replace, symbolic, total
from mbcore.model.tables.table import Table

NODES = 20
"""Nodes of the quadrature: exact where the force is a polynomial of degree 39 in the value."""
PANELS = 4
"""Panels of a second quadrature that the first one is compared with."""


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring on one deformation: N/m, m, or N.m/rad, rad.

    Attributes
    ----------
    value : SX
        Symbol of the deformation's value.
    stiffness, rest : SX
        Expressions that may depend on the value; with a curve the stiffness is its slope.
    curve : Table, optional
        Force over the deflection, in the place of a stiffness.
    damped : bool
        Whether a damper acts beside it.
    """

    value: ca.SX
    stiffness: ca.SX
    rest: ca.SX
    curve: Table | None = None
    damped: bool = False

    @property
    def is_elastic(self) -> bool:
        """Whether there is a spring, not a damper alone."""
        return self.curve is not None or not self.stiffness.is_zero()

    @property
    def force(self) -> ca.SX:
        """Elastic part of the stress, positive against growth."""
        if self.curve is not None:
            return symbolic(self.curve(self.value - self.rest))
        return self.stiffness * (self.value - self.rest)

    def energy(self, panels: int = 1) -> ca.SX:
        """Return the work of the force from rest to the value, J, all else constant.

        The quadrature is made on so many ``panels``, each with its own nodes.
        """
        if self.curve is not None:
            from_rest = self.curve.integral(self.value - self.rest)
            return symbolic(from_rest - self.curve.integral(0.0))
        if not depends(ca.vertcat(self.stiffness, self.rest), self.value):
            return self.stiffness * (self.value - self.rest) ** 2 / 2
        # A rest value that itself depends on the value is not a fixed place to integrate from.
        first = ca.SX(0) if depends(self.rest, self.value) else self.rest
        way = (self.value - first) / panels
        places, weights = np.polynomial.legendre.leggauss(NODES)
        return total(
            way * w / 2 * replace(self.force, self.value, first + (panel + (1 + place) / 2) * way)
            for panel in range(panels)
            for place, w in zip(places.tolist(), weights.tolist(), strict=True)
        )
