"""The hinges: relative rotation of two orientations, in space [Schwab2002] 3.4 and in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes import node_checks, rotations
from mbcore.model.nodes.connection import Connection, Side
from mbcore.model.nodes.nodes import Angle, Rotation
from mbcore.model.quantities import Role
from mbcore.model.shapes.shape import THICKNESS, Shape
from mbcore.model.shapes.shapes import COLOURS, dot, tube
from mbcore.model.shapes.springs import spiral
from mbcore.model.statements import Placement, Strain
from mbcore.model.variables import Number

JOINT: dict[str, object] = {"joint": True}
"""Detail of a shape that belongs to a joint, not to a body."""


class Hinge(Element):
    """A hinge between two orientations in space, [Schwab2002] (3.34).

    It ties orientations only; points of both bodies are shared, or tied by rigid links.
    Deformations ``angle`` (rad, by which q is turned relative to p, right-handed about the axis)
    and ``bending_y``, ``bending_z`` (sines of the axis' bending). The bending is rigid, the angle
    is dependent unless it is given a role. As a degree of freedom, kinematic coordinate or
    prescribed motion, and in a `Coupling`, the angle may be of any number of turns; a dependent
    angle is known up to two turns, and a law on it is refused beyond one.

        φ = 2 arctan(s_1/s_0),   ε_y = 2 (s_0 s_2 - s_1 s_3),   ε_z = 2 (s_1 s_2 + s_0 s_3)

    with the Euler parameters s of q relative to p, on the hinge's axes. The stresses σ are moments,
    N.m: that of the joint on the body of q is -(σ_φ e_x + σ_y e_y + σ_z e_z) on the hinge's `axes`,
    which turn with p: (y, z, x) for ``axis=(0, 1, 0)`` and (z, x, y) for ``axis=(0, 0, 1)``.

    Parameters
    ----------
    p, q : Rotation
        The orientations; q turns relative to p.
    axis : sequence of three
        Direction of the hinge in p's frame; its length does not matter.
    frame : array (3, 3), optional
        Columns e_x, e_y, e_z of the hinge's own frame in p's, right-handed and orthonormal, where
        the bending directions matter; it replaces ``axis``.
    rest : sequence of four, optional
        Euler parameters of q relative to p where the angle is zero, numbers or expressions of
        parameters; both orientations are the same there by default.

    Raises
    ------
    ModelError
        If p or q is not a rotation, or both are the same; if the axis is zero, the frame is not
        right-handed and orthonormal, or the rest position is not four numbers of length one.
    """

    kind = "hinge"

    def __init__(
        self,
        name: str,
        p: Rotation,
        q: Rotation,
        *,
        axis: Sequence[float] = (1, 0, 0),
        frame: object = None,
        rest: Sequence[Number] | ca.SX = (1, 0, 0, 0),
    ) -> None:
        super().__init__(name)
        if isinstance(p, Angle) and isinstance(q, Angle):
            raise ModelError(
                f"{self.title}: {p.name} and {q.name} are angles, which are in the plane; take "
                "PlanarHinge, or give two rotations"
            )
        node_checks.rotations(self.title, p=p, q=q)
        if p is q:
            raise ModelError(f"{self.title}: p and q are both {p.name}; give two rotations")
        self.p, self.q = p, q
        if frame is None:
            self.frame = ca.DM(rotations.triad(checks.direction(self.title, "axis", axis).tolist()))
        else:
            self.frame = ca.DM(self._checked(frame))
        self.rest = self._checked_rest(rest)

    def _checked(self, frame: object) -> np.ndarray:
        given = checks.matrix(self.title, "frame", frame)
        # A frame must be constant: its axes are body-fixed.
        columns = np.array(ca.DM(given).full()) if given.is_constant() else np.zeros((0, 0))
        if columns.shape != (3, 3) or not (
            np.allclose(columns.T @ columns, np.eye(3), atol=1e-9) and np.linalg.det(columns) > 0
        ):
            raise ModelError(
                f"hinge {self.name}: its frame {given} is not right-handed and "
                "orthonormal; give three unit vectors as columns"
            )
        return columns

    def _checked_rest(self, rest: Sequence[Number] | ca.SX) -> ca.SX | None:
        """Return the rest position, None where both orientations are the same."""
        column = ca.densify(checks.matrix(self.title, "rest", rest))
        size = ca.norm_2(column)
        if column.shape != (4, 1) or (size.is_constant() and not abs(float(size) - 1) < 1e-9):
            raise ModelError(
                f"hinge {self.name}: its rest position {rest} is not four Euler parameters of "
                "length one; give the orientation of q relative to p where the angle is zero"
            )
        return None if column.is_constant() and ca.sparsify(column[1:]).nnz() == 0 else column

    def strains(self) -> dict[str, Strain]:
        """Return [Schwab2002] (3.34), the angle by atan2 and its residual relative to a target."""
        # [Schwab2002] (3.32)
        relative = rotations.product(rotations.adjoint(self.p.coordinates), self._q_at_rest())
        s0 = relative[0]  # [Schwab2002] (3.33)
        s1, s2, s3 = ca.vertsplit(self.frame.T @ relative[1:])

        def turned_beyond(target: ca.SX) -> ca.SX:
            # Smooth around the solution for any number of turns: no branch of the arc tangent.
            cosine, sine = ca.cos(target / 2), ca.sin(target / 2)
            return 2 * ca.atan2(s1 * cosine - s0 * sine, s0 * cosine + s1 * sine)

        turning = self.q.angular_velocity - self.p.angular_velocity
        # Shorter than the derivatives of the strains, and equal to them while the bending is zero.
        rates = [ca.dot(axis, turning) for axis in self.axes()]
        bent = ("bending_y", "bending_z")
        return {
            "angle": Strain(
                2 * ca.atan2(s1, s0), "rad", turned_beyond, False, rates[0], rate_if_zero=bent
            ),
            "bending_y": Strain(2 * (s0 * s2 - s1 * s3), "1", rate=rates[1], rate_if_zero=bent),
            "bending_z": Strain(2 * (s1 * s2 + s0 * s3), "1", rate=rates[2], rate_if_zero=bent),
        }

    def _q_at_rest(self) -> ca.SX:
        """Euler parameters of q without the rest position."""
        q = self.q.coordinates
        return q if self.rest is None else rotations.product(q, rotations.adjoint(self.rest))

    def axes(self) -> list[ca.SX]:
        """The hinge's axes in space, as they turn with p."""
        return [self.p.turned(self.frame[:, i]) for i in range(3)]

    def shapes(self) -> list[Shape]:
        """Return a pin along the axis where both orientations meet in a point, and its spring."""
        axis, across, up = self.axes()
        shape = tube([-3 * THICKNESS * axis, 3 * THICKNESS * axis], 1.6 * THICKNESS,
                     colour=COLOURS["joint"])  # fmt: skip
        pin = replace(shape, details={**shape.details, **JOINT})
        found = [pin, *_spirals(self, across, up)]
        return [replace(one, between=(self.p.name, self.q.name)) for one in found]

    def placements(self) -> list[Placement]:
        """Return each orientation by the other one, turned by the angle."""
        angle = self.deformations["angle"].value
        turn = ca.vertcat(ca.cos(angle / 2), self.frame[:, 0] * ca.sin(angle / 2))
        strains = ("angle", "bending_y", "bending_z")
        turning = ca.SX(3, 1)
        for name, axis in zip(strains, self.axes(), strict=True):
            turning += axis * self.deformations[name].rate
        there = rotations.product(self.p.coordinates, turn)
        if self.rest is not None:
            there = rotations.product(there, self.rest)
        back = rotations.product(self._q_at_rest(), rotations.adjoint(turn))
        p_speeds, q_speeds = self.q.speeds - turning, self.p.speeds + turning
        return [
            Placement(self.q, (self.p,), there, strains, strains[1:], q_speeds),
            Placement(self.p, (self.q,), back, strains, strains[1:], p_speeds),
        ]

    def connection(self) -> Connection:
        """Return both bodies, which meet in the point of the pin."""
        return hinged(self)

    def limits(self) -> dict[str, tuple[ca.SX, str]]:
        """Return the limits of an angle that is dependent and carries a law."""
        angle = self.deformations["angle"]
        if angle.role is not Role.DEPENDENT or not angle.laws:
            return {}
        # A little less than 2π, where the arc tangent jumps.
        within = 6.2 - ca.fabs(self.strains()["angle"].expression)
        remedy = "a law acts on an angle that would jump beyond a turn; make it a degree of freedom"
        return {"angle": (within, remedy)}


class PlanarHinge(Element):
    """Relative rotation ``angle`` (rad) of two planar orientations.

        φ = β_q - β_p - φ_0

    Parameters
    ----------
    p, q : Angle
        The orientations; q turns relative to p.
    rest : number or expression
        Angle of q relative to p where the deformation ``angle`` is zero, rad.

    Raises
    ------
    ModelError
        If p or q is not an angle, or both are the same.
    """

    kind = "hinge"

    def __init__(self, name: str, p: Angle, q: Angle, *, rest: Number = 0.0) -> None:
        super().__init__(name)
        node_checks.angles(self.title, p=p, q=q)
        if p is q:
            raise ModelError(f"{self.title}: p and q are both {p.name}; give two angles")
        self.p, self.q = p, q
        self.rest = ca.SX(self.number("rest", rest, unit="rad"))

    def strains(self) -> dict[str, Strain]:
        """Return the angle."""
        return {"angle": Strain(self.q.value - self.p.value - self.rest, "rad", rigid=False)}

    def shapes(self) -> list[Shape]:
        """Return a mark where both orientations meet in a point, and the angle's spring."""
        cosine, sine = ca.cos(self.p.value), ca.sin(self.p.value)
        across, up = ca.vertcat(cosine, sine, 0), ca.vertcat(-sine, cosine, 0)
        found = [dot((0, 0), mark="hinge"), *_spirals(self, across, up)]
        return [replace(one, between=(self.p.name, self.q.name)) for one in found]

    def placements(self) -> list[Placement]:
        """Return each orientation by the other one, turned by the angle."""
        turned = self.deformations["angle"].value + self.rest
        return [
            Placement(self.q, (self.p,), self.p.value + turned, ("angle",)),
            Placement(self.p, (self.q,), self.q.value - turned, ("angle",)),
        ]

    def connection(self) -> Connection:
        """Return both bodies, which meet in the point of the pin."""
        return hinged(self)


def _spirals(hinge: Hinge | PlanarHinge, across: ca.SX, up: ca.SX) -> list[Shape]:
    """Return the spiral of a hinge's spring, whose outer end p holds; none where there is none."""
    held = hinge.deformations.get("angle")  # none in a subclass that has other deformations
    springs = [spring for spring in (held.springs if held else ()) if spring.is_elastic]
    if not springs:
        return []
    return [spiral(across, up, hinge.strains()["angle"].expression - springs[0].rest)]


def hinged(first: Hinge | PlanarHinge, last: Hinge | PlanarHinge | None = None) -> Connection:
    """Return the two bodies that one hinge connects, or a chain of these from first to last."""
    end = first if last is None else last
    p, q = Side((first.p,), (first,)), Side((end.q,), (end,))
    return Connection(first.title, p, q, meets=True)
