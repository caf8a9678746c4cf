"""The model that mbcore makes of a description in maximal coordinates, with what is measured.

Outputs are positions, velocities and accelerations of all bodies, and nothing else.
"""

from __future__ import annotations

from functools import singledispatchmethod

import casadi as ca
import numpy as np

from mbcore import (
    Ball,
    Bearing,
    Body,
    Coupling,
    GearPair,
    Hinge,
    KnifeEdge,
    Model,
    PlanarBeam,
    PlanarHinge,
    PlanarKnifeEdge,
    PlanarWheel,
    RigidLink,
    RollingCoupling,
    Slide,
    SpatialBeam,
    Truss,
    Wheel,
)
from mbcore.model.element import Element
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.quantities import Deformation
from tests.mechanism_survey.forces import ElasticBeam, Load, Spring
from tests.mechanism_survey.joints import (
    Axle,
    Bar,
    Blade,
    Disk,
    Drive,
    Gearing,
    Involutes,
    Journal,
    Motion,
    Rolling,
    Shift,
    Sphere,
    Tie,
    Turn,
    UprightWheel,
)
from tests.mechanism_survey.maximal import Mechanism, Spot, State, rotation


class Described:
    """mbcore's model of a description, roles not chosen yet.

    Attributes
    ----------
    model : Model
        With the outputs ``i.name`` of body i.
    parts : dict
        The hinge, slide, bearing, coupling, gears or wheel that each constraint has become.
    places : dict
        The point at which the bodies of each tie meet.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.planar = mechanism, mechanism.planar
        self.axes = 2 if self.planar else 3
        gravity = tuple(mechanism.gravity[: self.axes])
        self.model = Model(mechanism.name, gravity=gravity)
        origin = self.model.point("o", (0,) * self.axes, fixed=True)
        ground = self.model.angle("base", fixed=True) if self.planar else self.model.ground
        self.points: list[Point | None] = [origin]
        self.turned: list[Angle | Rotation] = [ground]
        self.handles: dict[object, Deformation] = {}
        self.parts: dict[object, Element] = {}
        self.places: dict[object, Point] = {}
        self._count = 0
        self._start = mechanism.start()
        for i in range(1, len(mechanism.bodies)):
            self._add_body(i)
        for joint in mechanism.joints:
            self._add(joint)
        for force in mechanism.forces:
            self._add(force)
        self._measure()

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind} {self._count}"

    def _add_body(self, i: int) -> None:
        body = self.mechanism.bodies[i]
        point = self.model.point(body.name, body.place[: self.axes]) if body.placed else None
        name = f"turned {body.name}"
        if self.planar:
            turned: Angle | Rotation = self.model.angle(name, body.angle)
            inertia: object = float(body.inertia[2, 2])
        else:
            turned = self.model.rotation(name, body.parameters)
            inertia = ca.SX(ca.DM(body.inertia))
        self.points.append(point)
        self.turned.append(turned)
        if body.mass or body.inertia.any():
            offset = tuple(body.offset[: self.axes]) if body.placed else None
            mass = f"mass of {body.name}"
            self.model.add(
                Body(mass, point, turned, mass=body.mass, inertia=inertia, offset=offset)
            )

    def _spot(self, spot: Spot) -> Point:
        """Return a point that is fixed to a body."""
        point = self.points[spot.body]
        assert point is not None
        if not spot.arm.any():
            return point
        made = self.model.point(self._name("spot"), self._start.point(spot)[: self.axes])
        self._link(spot, made)
        return made

    def _link(self, spot: Spot, point: Point) -> RigidLink:
        body, turned = self.points[spot.body], self.turned[spot.body]
        assert body is not None
        arm = tuple(spot.arm[: self.axes])
        return self.model.add(RigidLink(self._name("link"), body, turned, point, offset=arm))

    @singledispatchmethod
    def _add(self, what: object) -> None:
        raise NotImplementedError(type(what).__name__)

    @_add.register
    def _(self, tie: Tie) -> None:
        point = self.model.point(self._name("joint"), self._start.point(tie.q)[: self.axes])
        self.places[tie] = point
        self._link(tie.q, point)
        free = [i for i in range(self.axes) if i not in tie.kept]
        if tie.frame is None:
            link = self._link(tie.p, point)
            for i in free:
                self.handles[tie, i] = link.deformations["xyz"[i]].release()
            return
        body, turned = self.points[tie.p.body], self.turned[tie.p.body]
        axis, arm = (v[: self.axes] for v in (tie.frame[:, 0], tie.p.arm))
        slide = Slide(self._name("slide"), body, turned, point, axis=axis, offset=arm)  # type: ignore[arg-type]
        self.parts[tie] = self.model.add(slide)
        self.handles[tie, 0] = slide.deformations["displacement"]

    @_add.register
    def _(self, journal: Journal) -> None:
        ends = self._spot(journal.p), self._spot(journal.q)
        turned = [self.turned[spot.body] for spot in (journal.p, journal.q)]
        assert isinstance(turned[0], Angle) and isinstance(turned[1], Angle)
        made = Bearing(self._name("bearing"), ends[0], turned[0], ends[1], turned[1])
        self.parts[journal] = self.model.add(made)

    @_add.register
    def _(self, axle: Axle) -> None:
        p, q, name = self.turned[axle.p], self.turned[axle.q], self._name("hinge")
        if isinstance(p, Angle) and isinstance(q, Angle):
            one, other = (self.mechanism.bodies[i].angle for i in (axle.p, axle.q))
            rest = other - one - axle.start
            hinge: Hinge | PlanarHinge = PlanarHinge(name, p, q, rest=rest)
        else:
            assert isinstance(p, Rotation) and isinstance(q, Rotation)
            hinge = Hinge(name, p, q, axis=tuple(axle.axis), rest=tuple(axle.rest))
        self.parts[axle] = self.model.add(hinge)
        self.handles[axle] = hinge.deformations["angle"]

    def _handle(self, measure: Turn | Shift) -> Deformation:
        if isinstance(measure, Turn):
            return self.handles[measure.axle]
        return self.handles[measure.tie, measure.axis]

    def _motion(self, motion: Motion) -> ca.SX | float:
        if not motion.slope and not motion.amplitude:
            return motion.offset
        return motion.value(self.model.time, ca.sin)  # type: ignore[arg-type, return-value]

    @_add.register
    def _(self, drive: Drive) -> None:
        handle, motion = self._handle(drive.measure), self._motion(drive.motion)
        if isinstance(motion, float):
            handle.rigid(motion)
        else:
            handle.prescribe(motion)

    @_add.register
    def _(self, gearing: Gearing) -> None:
        values = [self._handle(m).value for m in gearing.measures]
        relation = gearing.wave * ca.sin(values[-1]) - self._motion(gearing.motion)
        for factor, value in zip(gearing.factors, values, strict=True):
            relation += factor * value
        made = Coupling(self._name("coupling"), relation, unit="rad")
        self.parts[gearing] = self.model.add(made)

    @_add.register
    def _(self, rolling: Rolling) -> None:
        first, second = self._handle(rolling.first), self._handle(rolling.second)
        factor = rolling.ratio + rolling.wave * ca.sin(first.value)
        relation = first.rate + factor * second.rate
        self.model.add(RollingCoupling(self._name("rolling"), relation, unit="rad/s"))

    @_add.register
    def _(self, bar: Bar) -> None:
        ends = self._spot(bar.p), self._spot(bar.q)
        self.model.add(Truss(self._name("bar"), *ends, rest_length=bar.length))

    def _surface(self, normal: np.ndarray, height: float) -> object:
        return lambda c: ca.dot(ca.DM(normal), c) - height

    @_add.register
    def _(self, disk: Disk) -> None:
        centre, turned = self._spot(disk.centre), self.turned[disk.centre.body]
        foot = self._start.point(disk.centre) + disk.foot(self._start)
        contact = self.model.point(self._name("contact"), foot)
        self.parts[disk] = self.model.add(
            Wheel(
                self._name("wheel"),
                centre,
                turned,  # type: ignore[arg-type]
                contact,
                radius=disk.radius,
                axle=tuple(disk.axle),
                surface=self._surface(disk.normal, disk.height),  # type: ignore[arg-type]
            )
        )

    @_add.register
    def _(self, ball: Sphere) -> None:
        centre, turned = self._spot(ball.centre), self.turned[ball.centre.body]
        foot = self._start.point(ball.centre) - ball.radius * ball.normal
        contact = self.model.point(self._name("contact"), foot)
        self.parts[ball] = self.model.add(
            Ball(
                self._name("ball"),
                centre,
                turned,  # type: ignore[arg-type]
                contact,
                radius=ball.radius,
                surface=self._surface(ball.normal, ball.height),  # type: ignore[arg-type]
            )
        )

    @_add.register
    def _(self, blade: Blade) -> None:
        tip, turned, name = self._spot(blade.tip), self.turned[blade.tip.body], self._name("blade")
        if isinstance(turned, Angle):
            towards = float(np.arctan2(blade.direction[1], blade.direction[0]))
            made: PlanarKnifeEdge | KnifeEdge = PlanarKnifeEdge(
                name, tip, turned, direction=towards
            )
            self.parts[blade] = self.model.add(made)
            return
        assert blade.height is not None
        surface = self._surface(blade.normal, blade.height)
        along = tuple(blade.direction)
        made = KnifeEdge(name, tip, turned, blade=along, surface=surface)  # type: ignore[arg-type]
        self.parts[blade] = self.model.add(made)

    @_add.register
    def _(self, wheel: UprightWheel) -> None:
        centre, heading = self._spot(wheel.centre), self.turned[wheel.centre.body]
        towards = float(np.arctan2(wheel.direction[1], wheel.direction[0]))
        name, spin = self._name("wheel"), self.turned[wheel.spin]
        assert isinstance(heading, Angle) and isinstance(spin, Angle)
        made = PlanarWheel(name, centre, heading, spin, radius=wheel.radius, direction=towards)
        self.parts[wheel] = self.model.add(made)

    @_add.register
    def _(self, gears: Involutes) -> None:
        ends = [(self._spot(s), self.turned[s.body]) for s in (gears.p, gears.q)]
        (p, p_angle), (q, q_angle) = ends
        assert isinstance(p_angle, Angle) and isinstance(q_angle, Angle)
        name = self._name("gears")
        self.parts[gears] = self.model.add(
            GearPair(name, p, p_angle, q, q_angle, ratio=gears.ratio, pressure_angle=gears.angle)
        )

    @_add.register
    def _(self, spring: Spring) -> None:
        self._handle(spring.measure).spring(spring.stiffness, spring.damping, spring.rest)

    @_add.register
    def _(self, load: Load) -> None:
        self.model.force(self._spot(load.spot), tuple(load.force[: self.axes]))

    @_add.register
    def _(self, beam: ElasticBeam) -> None:
        p, q, name = self._spot(beam.p), self._spot(beam.q), self._name("beam")
        p_turned, q_turned = self.turned[beam.p.body], self.turned[beam.q.body]
        if isinstance(p_turned, Angle) and isinstance(q_turned, Angle):
            made: PlanarBeam | SpatialBeam = PlanarBeam(
                name,
                p,
                p_turned,
                q,
                q_turned,
                axial_stiffness=beam.axial,
                bending_stiffness=beam.bending,
                mass_per_length=beam.density,
                elongation="chord",
            )
        else:
            assert isinstance(p_turned, Rotation) and isinstance(q_turned, Rotation)
            made = SpatialBeam(
                name,
                p,
                p_turned,
                q,
                q_turned,
                y_axis=tuple(self._start.axis(beam.p.body, beam.axes_p[:, 1])),
                axial_stiffness=beam.axial,
                torsional_stiffness=beam.torsional,
                bending_stiffness_y=beam.bending,
                bending_stiffness_z=beam.bending,
                mass_per_length=beam.density,
                polar_inertia=beam.polar,
                elongation="chord",
            )
        self.model.add(made)

    def _measure(self) -> None:
        for i, (point, turned) in enumerate(zip(self.points, self.turned, strict=True)):
            if i == 0:
                continue
            found: dict[str, ca.SX] = {}
            if point is not None:
                found |= {"x": point.position, "v": point.velocity, "a": point.acceleration}
            if isinstance(turned, Angle):
                found |= {"e": turned.value, "w": turned.rate, "b": turned.acceleration}
            else:
                found["e"], found["w"] = turned.coordinates, turned.angular_velocity
                found["b"] = turned.angular_acceleration
            for name, column in found.items():
                for k in range(column.numel()):
                    self.model.output(f"{i}.{name}{k}", column[k])


def measured(mechanism: Mechanism, columns: object, row: int, time: float) -> tuple:
    """Return state, twist and accelerations of a mechanism from a row of a result's columns."""
    n, planar = len(mechanism.bodies), mechanism.planar
    place, turned = np.zeros((n, 3)), np.zeros((n, 3, 3))
    twist, change = np.zeros((n, 6)), np.zeros((n, 6))
    turned[0] = np.eye(3)
    axes = 2 if planar else 3
    for i, body in enumerate(mechanism.bodies[1:], 1):

        def read(name: str, count: int, i: int = i) -> np.ndarray:
            return np.array([columns[f"{i}.{name}{k}"][row] for k in range(count)])  # type: ignore[index]

        if body.placed:
            place[i, :axes], twist[i, :axes] = read("x", axes), read("v", axes)
            change[i, :axes] = read("a", axes)
        if planar:
            c, s = np.cos(read("e", 1)[0]), np.sin(read("e", 1)[0])
            turned[i] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
            twist[i, 5], change[i, 5] = read("w", 1)[0], read("b", 1)[0]
        else:
            turned[i] = rotation(read("e", 4))
            twist[i, 3:], change[i, 3:] = read("w", 3), read("b", 3)
    return State(time, place, turned), twist, change
