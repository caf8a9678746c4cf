"""Models of many contacts with impacts: apart from each other, in a row, and all of one chain."""

from __future__ import annotations

import math

from mbcore import Bearing, Body, Model, RigidLink
from mbcore.contact.clearance import clearance
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.model.nodes.nodes import Angle, Point

GRAVITY = 9.81
"""m/s²."""
LOWEST, HIGHEST, RESTITUTION = 0.10, 0.15, 0.7
"""Of the balls: heights from which they are dropped, m, evenly spaced."""
CLEARANCE = 1e-4
"""Of the joints, m."""
LINK = 0.1
"""Length of a link, m."""


def heights(count: int) -> list[float]:
    """Return the heights, m, from which the balls are dropped."""
    step = (HIGHEST - LOWEST) / max(count - 1, 1)
    return [LOWEST + i * step for i in range(count)]


def dropped_balls(count: int) -> Model:
    """Return balls over a floor, each free to move along its own vertical line."""
    model = Model(f"{count} balls", gravity=(0, -GRAVITY))
    for i, height in enumerate(heights(count)):
        centre = model.point(f"ball_{i}", (float(i), height))
        model.add(Body(f"mass_{i}", centre, mass=0.3))
        centre.x.fix(float(i))
        gap = centre.y.dof(f"y_{i}", f"y_rate_{i}", start=height).value
        unilateral_contact(model, f"floor_{i}", gap, Impact(RESTITUTION))
    return model


def loose_pendulums(count: int) -> Model:
    """Return pendulums, each in a joint with clearance of its own."""
    model = Model(f"{count} loose pendulums", gravity=(0, -GRAVITY))
    still = model.angle("still", fixed=True)
    for i in range(count):
        place, angle = (3.0 * i, 0.0), -0.6 - 0.2 * i / count
        support = model.point(f"support_{i}", place, fixed=True)
        _loose_link(model, i, support, still, place, angle, angle)
    return model


def loose_chain(count: int) -> Model:
    """Return a chain that hangs, all of its joints with clearance."""
    model = Model(f"chain of {count} loose joints", gravity=(0, -GRAVITY))
    node, turn = model.point("support", fixed=True), model.angle("still", fixed=True)
    place, before = (0.0, 0.0), 0.0
    for i in range(count):
        angle = -math.pi / 2 + 0.1 * (-1) ** i
        node, turn, place = _loose_link(model, i, node, turn, place, angle, angle - before)
        before = angle
    return model


def _loose_link(
    model: Model,
    i: int,
    support: Point,
    turn: Angle,
    place: tuple[float, float],
    angle: float,
    relative: float,
) -> tuple[Point, Angle, tuple[float, float]]:
    """Add a link whose journal is in a sleeve at a place; return its end, and where that is."""
    eye = model.point(f"eye_{i}", (place[0], place[1] - CLEARANCE / 2))
    arm = model.angle(f"arm_{i}", angle)
    end = (place[0] + LINK * math.cos(angle), place[1] - CLEARANCE / 2 + LINK * math.sin(angle))
    bob = model.point(f"bob_{i}", end)
    model.add(RigidLink(f"rod_{i}", eye, arm, bob))
    joint = model.add(Bearing(f"joint_{i}", support, turn, eye, arm))
    joint.x.dof(f"x_{i}", f"x_rate_{i}", nominal=CLEARANCE)
    joint.y.dof(f"y_{i}", f"y_rate_{i}", start=-CLEARANCE / 2, nominal=CLEARANCE)
    joint.rotation.dof(f"angle_{i}", f"rate_{i}", start=relative)
    model.add(Body(f"mass_{i}", eye, arm, mass=0.02, inertia=1e-5))
    model.add(Body(f"weight_{i}", bob, mass=0.1))
    clearance(model, joint, CLEARANCE, Impact(0.5))
    return bob, arm, end


def falling_chain(count: int) -> Model:
    """Return a chain that falls on a floor, which each of its joints and ends may hit."""
    model = Model(f"falling chain of {count}", gravity=(0, -GRAVITY))
    height = 0.05
    node = model.point("end", (0, height))
    node.x.dof("x", "x_rate")
    y = node.y.dof("y", "y_rate", start=height)
    model.add(Body("first", node, mass=0.1))
    unilateral_contact(model, "floor_0", y.value, Impact(0.5), size=LINK)
    place = (0.0, height)
    for i in range(count):
        angle = 0.3 * math.sin(0.7 * i) + 0.05
        place = (place[0] + LINK * math.cos(angle), place[1] + LINK * math.sin(angle))
        turn, end = model.angle(f"turn_{i}", angle), model.point(f"joint_{i}", place)
        model.add(RigidLink(f"link_{i}", node, turn, end))
        turn.angle.dof(f"angle_{i}", f"rate_{i}", start=angle)
        model.add(Body(f"mass_{i}", end, mass=0.1))
        unilateral_contact(model, f"floor_{i + 1}", end.y.value, Impact(0.5), size=LINK)
        node = end
    return model
