"""Models for tests of small vibrations: pendulum on an ellipse, Mathieu's equation, skate."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore import Body, Model, PlanarBeam, PlanarHinge, PlanarKnifeEdge, RigidLink

RADIUS, ECCENTRICITY, DAMPING = 0.5, 0.5, 0.01
NATURAL = np.sqrt(9.81)
"""ω_0 of a pendulum of 1 m, rad/s."""


def excited_pendulum() -> Model:
    """Return the pendulum of [Schwab2002] 4.4.1, whose support moves on an ellipse."""
    model = Model("excited_pendulum", gravity=(0, -9.81))
    speed = model.parameter("omega", 1.0, unit="rad/s")
    turn = speed * model.time
    top, rod = model.point("top", (0, -(1 + ECCENTRICITY) * RADIUS)), model.angle("rod")
    top.x.prescribe((1 - ECCENTRICITY) * RADIUS * ca.sin(turn))
    top.y.prescribe(-(1 + ECCENTRICITY) * RADIUS * ca.cos(turn))
    pivot = model.add(PlanarHinge("pivot", model.angle("frame", fixed=True), rod)).angle
    pivot.dof("phi", "phi_rate").law(2 * DAMPING * NATURAL * (pivot.rate + speed))
    bob = model.point("bob", (0, -(1 + ECCENTRICITY) * RADIUS - 1))
    model.add(RigidLink("rod", top, rod, bob))
    model.add(Body("bob", bob, rod, mass=1.0))
    model.output("height", bob.position[1], unit="m")
    model.output("angular_acceleration", pivot.acceleration, unit="rad/s2")
    return model


def mathieu() -> Model:
    """Return y'' + c y' + (a - 2 q cos 2t) y = 0, a mass on a spring that changes with time."""
    model = Model("mathieu")
    a, q = model.parameter("a", 1.0), model.parameter("q", 0.5)
    c = model.parameter("c", 0.0)
    mass = model.point("mass", (0, 0))
    mass.y.fix()
    y = mass.x.dof("y", "y_rate")
    y.law((a - 2 * q * ca.cos(2 * model.time)) * y.value + c * y.rate)
    model.add(Body("mass", mass, mass=1.0))
    return model


def skate(swing: float = 0.4, speed: float = 2.0) -> Model:
    """Return a skate whose heading is swing times sin 3t, with drag about a nominal speed.

    A force drives it along: ``push`` constantly, ``pull`` as cos 6t.
    """
    model = Model("skate")
    tip, heading = model.point("tip", (0, 0)), model.angle("heading")
    push, pull = model.parameter("push", 0.0, unit="N"), model.parameter("pull", 0.0, unit="N")
    heading.angle.prescribe(swing * ca.sin(3 * model.time))
    blade = model.add(PlanarKnifeEdge("blade", tip, heading))
    model.add(Body("skate", tip, heading, mass=2.0))
    forward = blade.longitudinal
    forward.dof("v", start=speed)
    forward.law(0.5 * (forward.velocity - speed) - push - pull * ca.cos(6 * model.time))
    tip.x.kinematic("x")
    tip.y.kinematic("y")
    model.output("side", blade.lateral.force, unit="N")
    return model


def swivel_wheel() -> Model:
    """Return a wheel that trails a pin on a lateral spring, drawn along by v t + s sin 2t.

    The wheel's heading is a kinematic coordinate; a force acts sideways on the pin.
    """
    model = Model("swivel_wheel")
    speed, surge = model.parameter("speed", 3.0), model.parameter("surge", 0.0)
    pin, contact = model.point("pin", (0, 0)), model.point("contact", (-0.4, 0))
    wheel = model.angle("wheel")
    pin.x.prescribe(speed * model.time + surge * ca.sin(2 * model.time))
    pin.y.dof("y", "y_rate").spring(300.0, 0.5)
    pin.y.law(-model.input("side", unit="N"))
    wheel.angle.kinematic("heading")
    model.add(RigidLink("trail", pin, wheel, contact))
    blade = model.add(PlanarKnifeEdge("tread", contact, wheel))
    blade.longitudinal.release()
    model.add(Body("pin", pin, mass=2.0))
    model.add(Body("wheel", contact, wheel, mass=1.5, inertia=0.05))
    model.output("lateral_force", blade.lateral.force, unit="N")
    model.output("contact.y", contact.position[1], unit="m")
    return model


def swung_chain(elements: int) -> Model:
    """Return a beam of 2 m, of elements with two deformations each, whose root swings."""
    model = Model("chain", gravity=(0, -9.81))
    speed = model.parameter("omega", 5.0, unit="rad/s")
    point, angle = model.point("root", (0, 0), fixed=True), model.angle("root angle")
    angle.angle.prescribe(0.5 * ca.sin(speed * model.time))
    for i in range(elements):
        end, turned = model.point(f"point {i}", (2 * (i + 1) / elements, 0)), model.angle(f"a {i}")
        beam = PlanarBeam(
            f"beam {i}",
            point,
            angle,
            end,
            turned,
            bending_stiffness=200.0,
            damping=1e-3,
            mass_per_length=0.5,
        )
        model.add(beam)
        for side in "pq":
            beam.deformations[f"bending_{side}"].dof(f"beam {i}.bending_{side}")
        point, angle = end, turned
    model.output("tip", point.position[1], unit="m")
    return model
