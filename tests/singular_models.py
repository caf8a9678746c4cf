"""Mechanisms that reach singular configurations, or whose coordinates do."""

import math

import casadi as ca

from mbcore import Body, Model, PlanarHinge, RigidLink, Truss
from mbcore.model.nodes.nodes import Angle, Point

GRAVITY = 9.81


def pendulum(coordinate: str, or_else: str | None = None) -> Model:
    """Return a bob on a rod of 1 m that is released horizontally, with its own coordinate."""
    model = Model("pendulum", gravity=(0, -GRAVITY))
    top, bob = model.point("top", (0, 0), fixed=True), model.point("bob", (1, 0))
    model.add(Truss("rod", top, bob))
    model.add(Body("bob mass", bob, mass=1.0))
    other = () if or_else is None else getattr(bob, or_else)
    getattr(bob, coordinate).dof("q", "w", or_else=other)
    _show(model, bob)
    return model


def double_pendulum(by_angles: bool) -> Model:
    """Return two bobs of 1 kg on rods of 1 m, the second one upright on the horizontal first one.

    Coordinates are the height of the first and the horizontal place of the second one, or angles.
    """
    model = Model("double_pendulum", gravity=(0, -GRAVITY))
    top = model.point("top", (0, 0), fixed=True)
    bobs = model.point("one", (1, 0)), model.point("two", (1, 1))
    for name, bob in zip(("one", "two"), bobs, strict=True):
        model.add(Body(f"{name} mass", bob, mass=1.0))
    if by_angles:
        angles = model.angle("first", 0.0), model.angle("second", math.pi / 2)
        ends = (top, bobs[0]), bobs
        for i, (angle, (p, q)) in enumerate(zip(angles, ends, strict=True)):
            model.add(RigidLink(f"rod {i}", p, angle, q, offset=(1.0, 0.0)))
            angle.angle.dof(f"angle {i}")
    else:
        model.add(Truss("rod 0", top, bobs[0]))
        model.add(Truss("rod 1", *bobs))
        bobs[0].y.dof("height", "height_rate")
        bobs[1].x.dof("place", "place_rate")
    _show(model, *bobs)
    return model


def free_body() -> Model:
    """Return a body that turns about its mass centre, by the last three Euler parameters."""
    model = Model("top")
    centre, turned = model.point("centre", (0, 0, 0), fixed=True), model.rotation("turned")
    moments = ca.SX(ca.diag(ca.DM([2.0, 2.5, 3.0])))
    model.add(Body("body", centre, turned, mass=1.0, inertia=moments))
    for name, rate in zip(("e1", "e2", "e3"), (0.5, 0.3, 0.4), strict=True):
        getattr(turned, name).dof(name, f"{name}_rate", 0.0, rate)
    model.output("energy", model.kinetic_energy)
    for axis in range(3):
        spin = turned.matrix @ moments @ turned.body_angular_velocity
        model.output(f"momentum.{axis}", spin[axis])
    return model


def four_bar(lengths: tuple[float, float, float, float], by_rocker: bool, rate: float) -> Model:
    """Return a four-bar of crank, coupler, rocker and ground, the crank at 1 rad."""
    crank, coupler, rocker, ground = lengths
    model = Model("four_bar", gravity=(0, -GRAVITY))
    A, D = model.point("A", (0, 0), fixed=True), model.point("D", (ground, 0), fixed=True)
    b = complex(crank * math.cos(1.0), crank * math.sin(1.0))
    way = ground - b
    along = (coupler**2 - rocker**2 + abs(way) ** 2) / (2 * abs(way))
    c = b + way / abs(way) * complex(along, math.sqrt(coupler**2 - along**2))
    B, C = model.point("B", (b.real, b.imag)), model.point("C", (c.real, c.imag))
    angles = [
        model.angle(name, math.atan2(arm.imag, arm.real))
        for name, arm in (
            ("crank angle", b),
            ("coupler angle", c - b),
            ("rocker angle", c - ground),
        )
    ]
    still = model.angle("still", fixed=True)
    hinges = [
        model.add(PlanarHinge(f"hinge {i}", still, angle)) for i, angle in enumerate(angles[::2])
    ]
    bars = (("bar 0", A, B, crank), ("bar 1", B, C, coupler), ("bar 2", D, C, rocker))
    for (name, p, q, length), angle in zip(bars, angles, strict=True):
        _bar(model, name, p, angle, q, length)
    q = hinges[by_rocker].angle
    q.dof("angle", "rate", float(angles[2 * by_rocker].angle.start), rate)
    _show(model, C)
    return model


def slider_crank(by_slider: bool) -> Model:
    """Return a slider-crank whose rod is as long as its crank, 1 m, the crank at 1 rad."""
    model = Model("slider_crank", gravity=(0, -GRAVITY))
    origin = model.point("origin", (0, 0), fixed=True)
    A, B = model.point("A", (math.cos(1), math.sin(1))), model.point("B", (2 * math.cos(1), 0))
    B.y.fix()
    still, turned = model.angle("still", fixed=True), model.angle("turned", 1.0)
    crank = model.add(PlanarHinge("crank", still, turned))
    _bar(model, "bar 0", origin, turned, A, 1.0)
    _bar(model, "bar 1", A, model.angle("other", -1.0), B, 1.0)
    model.add(Body("slider", B, mass=1.0))
    if by_slider:
        B.x.dof("x", "x_rate", 2 * math.cos(1), -6.0)
    else:
        crank.angle.dof("angle", "rate", 1.0, 4.0)
    model.output("turned", turned.angle.value)
    model.output("place", B.x.value)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


def _bar(model: Model, name: str, p: Point, angle: Angle, q: Point, length: float) -> None:
    """Add a uniform rod of 1 kg."""
    model.add(RigidLink(name, p, angle, q, offset=(length, 0.0)))
    inertia, centre = length**2 / 12, (length / 2, 0.0)
    model.add(Body(f"{name} mass", p, angle, mass=1.0, inertia=inertia, offset=centre))


def _show(model: Model, *points: Point) -> None:
    model.output("energy", model.kinetic_energy + model.potential_energy)
    for point in points:
        model.output(f"{point.name}.X", point.x.value)
        model.output(f"{point.name}.Y", point.y.value)
