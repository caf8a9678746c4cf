"""Random mechanisms: bodies on joints of all kinds, in space and in the plane, closed by loops.

All orientations start parallel, so that loops of any joints close at the start.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from mbcore import (
    Body,
    Hinge,
    Model,
    PlanarHinge,
    PlanarWheel,
    RigidLink,
    Truss,
    Wheel,
)
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.quantities import Deformation

GRAVITY = 9.81


@dataclass
class Part:
    """A body: its nodes, its place at the start, and the velocity of its centre of mass."""

    point: Point
    orientation: Angle | Rotation
    place: np.ndarray
    mass: float = 0.0
    offset: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def centre_velocity(self) -> ca.SX:
        """Velocity of the centre of mass, m/s."""
        if isinstance(self.orientation, Rotation):
            arm = self.orientation.matrix @ self.offset
            return self.point.velocity + ca.cross(self.orientation.angular_velocity, arm)
        arm = self.orientation.matrix @ self.offset
        return self.point.velocity + self.orientation.rate * ca.vertcat(-arm[1], arm[0])


class Mechanism:
    """A random mechanism of ``bodies`` bodies, ``loops`` loops and ``wheels`` that roll.

    One more body flies freely where it is ``floating``; others may be joined to it.

    Attributes
    ----------
    model : Model
        With the outputs ``energy``, ``power`` (of dampers, loads and prescribed motions),
        ``momentum.i`` and ``support.i``, all that its supports do.
    power : SX
        The second of these.
    load : ndarray
        Sum of the forces that act, N.
    """

    def __init__(
        self, seed: int, bodies: int, loops: int, wheels: int = 0, floating: bool = False
    ) -> None:
        self.random = np.random.default_rng(seed)
        self.axes = int(self.random.integers(2, 4))
        gravity = np.zeros(self.axes)
        gravity[-1] = -GRAVITY
        self.model = Model(f"mechanism {seed}", gravity=tuple(gravity))
        origin = self.model.point("o", (0,) * self.axes, fixed=True)
        ground = self.model.angle("base", fixed=True) if self.planar else self.model.ground
        self.parts = [Part(origin, ground, np.zeros(self.axes))]
        if floating:
            self._float()
        self.load = np.zeros(self.axes)
        self.power = ca.SX(0)
        self._free: list[Deformation] = []
        for _ in range(bodies):
            self._join()
        for _ in range(loops):
            self._close()
        for _ in range(wheels):
            self._roll()
        for q in self._free:
            self._act_on(q)
        self._push()
        self._show()

    @property
    def planar(self) -> bool:
        """Whether it lives in the plane."""
        return self.axes == 2

    def _name(self, kind: str) -> str:
        return f"{kind} {len(self.model.nodes) + len(self.model.elements)}"

    def _fix_point(self, part: Part, place: np.ndarray) -> tuple[Point, RigidLink]:
        point = self.model.point(self._name("joint"), tuple(place))
        return point, self._link(part, point)

    def _link(self, part: Part, point: Point) -> RigidLink:
        name = self._name("link")
        return self.model.add(RigidLink(name, part.point, part.orientation, point))

    def _float(self) -> None:
        """Add a body that nothing holds."""
        place = self.random.uniform(-1, 1, self.axes)
        point = self.model.point("free", tuple(place))
        turned = self.model.angle("turning") if self.planar else self.model.rotation("turning")
        inertia = 0.3 if self.planar else (0.2, 0.3, 0.4)
        self.model.add(Body("free body", point, turned, mass=1.5, inertia=inertia))
        self.parts.append(Part(point, turned, place, 1.5, np.zeros(self.axes)))

    def _turn(self, part: Part) -> Angle | Rotation:
        """Add an orientation that turns with a part about one axis, two or none."""
        if self.planar:
            angle = self.model.angle(self._name("angle"))
            ends = [part.orientation, angle]
            hinge = self.model.add(PlanarHinge(self._name("hinge"), *self._shuffled(ends)))
            self._free.append(hinge.angle)
            return angle
        here = part.orientation
        for _ in range(int(self.random.choice([1, 1, 1, 2]))):
            there = self.model.rotation(self._name("rotation"))
            axis = tuple(self.random.standard_normal(3))
            ends = self._shuffled([here, there])
            hinge = self.model.add(Hinge(self._name("hinge"), *ends, axis=axis))
            self._free.append(hinge.angle)
            here = there
        return here

    def _shuffled(self, ends: list) -> list:
        return ends[:: int(self.random.choice([1, -1]))]

    def _join(self) -> None:
        r = self.random
        parent = self.parts[int(r.integers(len(self.parts)))]
        where = parent.place + r.uniform(-1, 1, self.axes)
        joint, link = self._fix_point(parent, where)
        if r.random() < 0.25:
            self._free.append(link.deformations["xyz"[int(r.integers(self.axes))]].release())
        turned = self._turn(parent)
        place = where + r.uniform(-0.6, 0.6, self.axes)
        point = self.model.point(self._name("centre"), tuple(place))
        offset = r.uniform(-0.3, 0.3, self.axes)
        part = Part(point, turned, place, float(r.uniform(0.5, 2)), offset)
        self._link(part, joint)
        inertia = 0.2
        if not self.planar:
            root = 0.3 * r.standard_normal((3, 3))
            second = root @ root.T + 0.05 * np.eye(3)  # moments of mass, ∫ r rᵀ dm
            inertia = ca.SX(ca.DM(np.trace(second) * np.eye(3) - second))
        body = Body(
            self._name("body"), point, turned, mass=part.mass, inertia=inertia, offset=tuple(offset)
        )
        self.model.add(body)
        self.parts.append(part)

    def _close(self) -> None:
        """Close a loop by a bar, or by a point that two parts have in common."""
        r = self.random
        one, two = (self.parts[i] for i in r.choice(len(self.parts), 2, replace=False))
        p, _ = self._fix_point(one, one.place + r.uniform(-1, 1, self.axes))
        if r.random() < 0.6:
            q, _ = self._fix_point(two, two.place + r.uniform(-1, 1, self.axes))
            self.model.add(Truss(self._name("bar"), p, q))
        else:
            link = self._link(two, p)
            self._free.append(link.deformations["xyz"[int(r.integers(self.axes))]].release())

    def _roll(self) -> None:
        """Let a part run on a wheel, in space on a plane of its own height."""
        r = self.random
        part = self.parts[int(r.integers(1, len(self.parts)))]
        place = part.place + r.uniform(-0.6, 0.6, self.axes)
        centre, _ = self._fix_point(part, place)
        radius = float(r.uniform(0.2, 0.6))
        if self.planar:
            spin = self.model.angle(self._name("spin"))
            heading, towards = part.orientation, float(r.uniform(0, 2 * np.pi))
            assert isinstance(heading, Angle)
            name = self._name("wheel")
            wheel = PlanarWheel(name, centre, heading, spin, radius=radius, direction=towards)
            self.model.add(wheel)
            return
        turned = self.model.rotation(self._name("rotation"))
        axle = r.standard_normal(3)
        axle /= np.linalg.norm(axle)
        hinge = Hinge(self._name("axle"), part.orientation, turned, axis=tuple(axle))
        self._free.append(self.model.add(hinge).angle)
        down = -np.array([0.0, 0.0, 1.0]) + axle[2] * axle
        foot = place + radius * down / np.linalg.norm(down)
        contact = self.model.point(self._name("contact"), tuple(foot))
        name = self._name("wheel")
        height = float(foot[2])
        self.model.add(
            Wheel(
                name,
                centre,
                turned,
                contact,
                radius=radius,
                axle=tuple(axle),
                surface=lambda c: c[2] - height,
            )
        )
        body = Body(self._name("rim"), centre, turned, mass=0.3, inertia=(0.02, 0.02, 0.02))
        self.model.add(body)
        self.parts.append(Part(centre, turned, place, 0.3, np.zeros(3)))

    def _act_on(self, q: Deformation) -> None:
        kind = self.random.choice(["spring", "damper", "none"])
        if kind == "spring":
            q.spring(float(self.random.uniform(1, 20)))
        elif kind == "damper":
            c = float(self.random.uniform(0.1, 1))
            q.law(c * q.rate)
            self.power -= c * q.rate**2

    def _push(self) -> None:
        part = self.parts[int(self.random.integers(1, len(self.parts)))]
        self.load = self.random.uniform(-3, 3, self.axes)
        self.model.force(part.point, tuple(self.load))
        self.power += ca.dot(ca.DM(self.load), part.point.velocity)

    def _show(self) -> None:
        model = self.model
        model.output("energy", model.kinetic_energy + model.potential_energy)
        model.output("power", self.power)
        model.output("kinetic", model.kinetic_energy)
        for i in range(self.axes):
            momentum = sum(part.mass * part.centre_velocity()[i] for part in self.parts[1:])
            model.output(f"momentum.{i}", momentum)
            model.output(f"support.{i}", self.parts[0].point.quantities[i].reaction)

    @property
    def weight(self) -> np.ndarray:
        """Weight of all bodies, N."""
        found = np.zeros(self.axes)
        found[-1] = -GRAVITY * sum(part.mass for part in self.parts)
        return found
