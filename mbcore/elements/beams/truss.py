"""The truss, planar and spatial: a bar between two points."""

from __future__ import annotations

import casadi as ca

from mbcore.elements.beams.coil import coil
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes.node_checks import points
from mbcore.model.nodes.nodes import Angle, Point, Rotation, at_start
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, tube
from mbcore.model.statements import Inertia, Spin, Strain, length
from mbcore.model.variables import Number


class Truss(Element):
    """A straight bar with one deformation, its ``elongation``, m.

        ε = |x_q - x_p| - l_0


    Parameters
    ----------
    p, q : Point
        End points, both planar or both spatial.
    rest_length : number or expression, optional
        l_0, m; by default the distance of the start configuration.
    mass : number or expression
        Uniformly distributed mass, kg.

    Raises
    ------
    ModelError
        If one point is planar and the other spatial, both start in one place, or a number is out
        of its range.
    """

    kind = "truss"

    def __init__(
        self, name: str, p: Point, q: Point, *, rest_length: Number | None = None, mass: Number = 0
    ) -> None:
        super().__init__(name)
        points(self.title, p=p, q=q)
        self.p, self.q = p, q
        self.mass = self.number("mass", mass, least=0, unit="kg")
        distance = length(q.position - p.position)
        self._refuse_coinciding(at_start(distance, p, q))
        if rest_length is None:
            self.rest_length = at_start(distance, p, q)
        else:
            self.rest_length = ca.SX(self.number("rest_length", rest_length, above=0, unit="m"))

    def _refuse_coinciding(self, distance: ca.SX) -> None:
        if distance.is_constant() and float(distance) == 0.0:
            raise ModelError(
                f"truss {self.name}: {self.p.name} and {self.q.name} start in one place, where "
                "the direction is not defined; start one of them elsewhere"
            )

    def strains(self) -> dict[str, Strain]:
        """Return the elongation."""
        return {"elongation": Strain(length(self.q.position - self.p.position) - self.rest_length)}

    def shapes(self) -> list[Shape]:
        """Return the bar; without mass and with a spring or damper, these."""
        springs = self.deformations["elongation"].springs
        if springs and ca.SX(self.mass).is_zero():
            elastic, damped = any(s.is_elastic for s in springs), any(s.damped for s in springs)
            return coil(self.p, self.q, elastic, damped, self.name)
        return [tube([self.p, self.q], colour=COLOURS["bar"])]

    def ends(self) -> list[tuple[Point, Angle | Rotation | None]]:
        """Return both points; the bar turns on them."""
        return [(self.p, None), (self.q, None)]

    def inertias(self) -> list[Inertia | Spin]:
        """Return that of a linearly interpolated velocity."""
        shares = ca.DM([[2, 1], [1, 2]]) / 6
        ends = ca.vertcat(self.p.velocity, self.q.velocity)
        space = ca.DM.eye(self.p.velocity.numel())
        return [Inertia(ends, self.mass * ca.kron(shares, space))]

    def first_moment(self) -> ca.SX:
        """Return the mass times the midpoint."""
        return self.mass * (self.p.position + self.q.position) / 2
