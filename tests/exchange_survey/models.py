"""Models with impacts: families, of which each seed draws one with parameters and a start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import casadi as ca
import numpy as np

from mbcore import Body, Model
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.elements.friction.coulomb import CoulombFriction
from tests.exchange_survey.explicit_euler import Fall
from tests.exchange_survey.shaken_euler import Floor

G = 9.81


COLUMN = ("floor", "lower", "upper")
"""Contacts of a column of balls."""


def drop(name: str = "drop") -> Model:
    """Return a ball that falls on a floor."""
    model = Model(name, gravity=(0, -G))
    centre, e = model.point("centre", (0, 1)), model.parameter("e", 0.5)
    centre.x.fix()
    centre.y.dof("y", "y_rate", 1.0)
    model.add(Body("ball", centre, mass=0.5))
    unilateral_contact(model, "floor", centre.y.value, Impact(e))
    return with_energy(model)


def hung() -> Model:
    """Return a mass that a spring pulls to a floor, with a force that changes on the way."""
    model = Model("hung")
    centre, e = model.point("centre", (0, 1)), model.parameter("e", 0.5)
    centre.x.fix()
    centre.y.dof("y", "y_rate", 1.0).spring(40.0, rest=-0.4)
    model.add(Body("mass", centre, mass=0.5))
    unilateral_contact(model, "floor", centre.y.value, Impact(e))
    return with_energy(model)


def incline() -> Model:
    """Return a ball that bounces down an incline and slides on."""
    model = Model("incline", gravity=(0, -G))
    centre, e = model.point("centre", (0, 1)), model.parameter("e", 0.5)
    centre.x.dof("x", "x_rate")
    centre.y.dof("y", "y_rate", 1.0)
    model.add(Body("ball", centre, mass=0.5))
    gap = 0.96 * centre.y.value + 0.28 * centre.x.value
    unilateral_contact(model, "floor", gap, Impact(e))
    return with_energy(model)


def bowl() -> Model:
    """Return a ball that bounces in a parabola and slides on along it."""
    model = Model("bowl", gravity=(0, -G))
    centre, e = model.point("centre", (0.3, 1)), model.parameter("e", 0.5)
    centre.x.dof("x", "x_rate", 0.05)
    centre.y.dof("y", "y_rate", 0.5)
    model.add(Body("ball", centre, mass=0.5))
    unilateral_contact(model, "floor", centre.y.value - 0.2 * centre.x.value**2, Impact(e))
    return with_energy(model)


def disk() -> Model:
    """Return a disk with spin over a floor with friction."""
    model = Model("disk", gravity=(0, -G))
    centre, spin = model.point("centre", (0, 0.5)), model.angle("spin")
    e = model.parameter("e", 0.5)
    model.add(Body("disk", centre, spin, mass=1.0, inertia=0.005))
    centre.x.dof("x", "x_rate")
    centre.y.dof("y", "y_rate", 0.5)
    spin.angle.dof("turn", "turn_rate")
    unilateral_contact(
        model, "floor", centre.y.value - 0.1, Impact(e),
        sliding=centre.x.rate + 0.1 * spin.angle.rate, friction=CoulombFriction(0.2, speed=1e-2),
    )  # fmt: skip
    return with_energy(model)


def shaken() -> Model:
    """Return a ball over a floor that shakes with half the acceleration of gravity."""
    model = Model("shaken", gravity=(0, -G))
    centre, e = model.point("centre", (0, 1)), model.parameter("e", 0.5)
    frequency = model.parameter("frequency", 50.0, unit="rad/s")
    centre.x.fix()
    centre.y.dof("y", "y_rate", 0.5)
    model.add(Body("ball", centre, mass=0.5))
    floor = G / 2 / frequency**2 * ca.sin(frequency * model.time)
    unilateral_contact(model, "floor", centre.y.value - floor, Impact(e))
    return with_energy(model)


def thrown() -> Model:
    """Return a ball over a floor that shakes so much that it throws the ball off in each period."""
    model = Model("thrown", gravity=(0, -G))
    centre, e = model.point("centre", (0, 0)), model.parameter("e", 0.5)
    frequency = model.parameter("frequency", 100.0, unit="rad/s")
    strength = model.parameter("strength", 1.2)
    centre.x.fix()
    centre.y.dof("y", "y_rate", 0.01)
    model.add(Body("ball", centre, mass=0.5))
    floor = strength * G / frequency**2 * ca.sin(frequency * model.time)
    unilateral_contact(model, "floor", centre.y.value - floor, Impact(e))
    return with_energy(model)


def pulled() -> Model:
    """Return a ball in a fluid, on a spring whose other end moves so that it lifts the ball.

    The motion of that end is a state, for else nothing moves while the ball rests, and solvers
    pass over the times at which it is lifted.
    """
    model = Model("pulled", gravity=(0, -G))
    centre, e = model.point("centre", (0, 0)), model.parameter("e", 0.5)
    frequency = model.parameter("frequency", 50.0, unit="rad/s")
    strength = model.parameter("strength", 1.2)
    centre.x.fix()
    height = centre.y.dof("y", "y_rate", 0.01)
    mass, stiffness, drag = 0.5, 200.0, 0.1
    model.add(Body("ball", centre, mass=mass))
    rate = mass * G / stiffness * strength * frequency * ca.cos(frequency * model.time)
    end = model.states.add("end", rate, unit="m")
    height.law(stiffness * (height.value - end) + drag * height.rate * ca.fabs(height.rate))
    unilateral_contact(model, "floor", height.value, Impact(e))
    return with_energy(model)


def gate() -> Model:
    """Return a gate that a spring turns against a stop, whose gap is not a straight line."""
    model = Model("gate")
    pin, arm = model.point("pin", (0, 0)), model.angle("arm")
    e = model.parameter("e", 0.5)
    pin.fix()
    arm.angle.dof("turn", "turn_rate", 1.0).spring(30.0, rest=-0.3)
    model.add(Body("arm", pin, arm, mass=1.0, inertia=0.2))
    unilateral_contact(model, "floor", 0.7 * ca.sin(arm.angle.value), Impact(e))
    return with_energy(model)


def block() -> Model:
    """Return a block that stands on two corners: its impacts alternate."""
    model = Model("block", gravity=(0, -G))
    centre, tilt = model.point("centre", (0, 0.5)), model.angle("tilt")
    e = model.parameter("e", 0.5)
    model.add(Body("block", centre, tilt, mass=1.0, inertia=(0.04 + 1) / 12))
    centre.x.fix(0)
    centre.y.dof("y", "y_rate", 0.6)
    tilt.angle.dof("tilt", "tilt_rate", start=0.05)
    y, theta = centre.y.value, tilt.angle.value
    for name, side in (("left", -0.1), ("right", 0.1)):
        corner = y + side * ca.sin(theta) - 0.5 * ca.cos(theta)
        unilateral_contact(model, name, corner, Impact(e))
    return with_energy(model)


def column() -> Model:
    """Return three balls above each other: an impact is passed on by those above it."""
    model = Model("column", gravity=(0, -G))
    e, below = model.parameter("e", 0.5), ca.SX(0)
    for i, mass in enumerate((0.5, 0.2, 0.3)):
        centre = model.point(f"centre_{i}", (0, 0.6 * (i + 1)))
        centre.x.fix()
        centre.y.dof(f"y_{i}", f"y_{i}_rate", 0.6 * (i + 1))
        model.add(Body(f"ball_{i}", centre, mass=mass))
        unilateral_contact(model, COLUMN[i], centre.y.value - below - 0.1, Impact(e))
        below = centre.y.value
    return with_energy(model)


def with_energy(model: Model) -> Model:
    """Add the energy and the gaps as outputs."""
    for name, contact in model.contacts.items():
        model.output(f"{name}_gap", contact.gap, unit="m")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    return model


@dataclass(frozen=True)
class Family:
    """How a model is made, what its start is drawn from, and what it rests on.

    Attributes
    ----------
    ranges : dict
        Of start values and parameters.
    contacts : tuple of str
        Their names.
    determinate : bool
        Whether small errors leave the sequence of impacts as it is.
    ballistic : bool
        Whether forces are constant in flights.
    driven : bool
        Whether impacts may bring energy in, as those with a floor that moves.
    fall : callable, optional
        Returns the fall that parameters and start begin, where flights are of one coordinate.
    stop : float
        End of the run, s.
    lifted : bool
        Whether the parts are taken off each other again and again, so that none rests at the end.
    floor : callable, optional
        Returns the floor over which a ball comes to rest, where one shakes.
    """

    make: Callable[[], Model]
    ranges: dict[str, tuple[float, float]]
    contacts: tuple[str, ...] = ("floor",)
    determinate: bool = True
    ballistic: bool = False
    driven: bool = False
    fall: Callable[[dict[str, float]], Fall] | None = None
    stop: float = 4.0
    lifted: bool = False
    floor: Callable[[dict[str, float]], Floor] | None = None


def shaking(v: dict[str, float]) -> Floor:
    """Return the floor that shakes with half the acceleration of gravity."""
    return Floor(G / 2 / v["frequency"] ** 2, v["frequency"], v["e"])


def dropped(v: dict[str, float]) -> Fall:
    """Return the fall of a ball."""
    return Fall(v["y"], v.get("y_rate", 0.0), G)


def down_the_incline(v: dict[str, float]) -> Fall:
    """Return the fall onto the incline, across it."""
    return Fall(0.96 * v["y"], 0.28 * v["x_rate"], 0.96 * G)


def into_the_bowl(v: dict[str, float]) -> Fall:
    """Return the fall into the bowl: in a flight the gap's acceleration is constant."""
    x, rate = v["x"], v["x_rate"]
    return Fall(v["y"] - 0.2 * x**2, -0.4 * x * rate, G + 0.4 * rate**2)


def of_the_disk(v: dict[str, float]) -> Fall:
    """Return the fall of the disk, whose radius is 0.1 m."""
    return Fall(v["y"] - 0.1, 0.0, G)


def of_the_hung(v: dict[str, float]) -> Fall:
    """Return the fall of a mass of 0.5 kg on its spring."""
    return Fall(v["y"], v["y_rate"], 40.0 / 0.5 * 0.4, 40.0 / 0.5)


def of_the_gate(v: dict[str, float]) -> Fall:
    """Return the fall of the gate, as an angle."""
    return Fall(v["turn"], v["turn_rate"], 30.0 / 0.2 * 0.3, 30.0 / 0.2)


E = {"e": (0.1, 0.75)}
FAMILIES = {
    "drop": Family(
        drop, E | {"y": (0.05, 2.0), "y_rate": (-1.0, 1.0)}, ballistic=True, fall=dropped
    ),
    "hung": Family(hung, E | {"y": (0.05, 1.0), "y_rate": (-1.0, 1.0)}, fall=of_the_hung),
    "incline": Family(
        incline,
        E | {"y": (0.1, 1.0), "x_rate": (0.0, 1.0)},
        stop=3.0,
        ballistic=True,
        fall=down_the_incline,
    ),
    "bowl": Family(
        bowl, E | {"y": (0.2, 1.0), "x": (-0.3, 0.3), "x_rate": (-0.3, 0.3)}, fall=into_the_bowl
    ),
    "gate": Family(gate, E | {"turn": (0.1, 1.2), "turn_rate": (-1.0, 1.0)}, fall=of_the_gate),
    "disk": Family(
        disk,
        E | {"y": (0.15, 1.0), "x_rate": (-2.0, 2.0), "turn_rate": (-30.0, 30.0)},
        ballistic=True,
        fall=of_the_disk,
    ),
    "block": Family(
        block,
        {"e": (0.0, 0.5), "y": (0.52, 0.6), "tilt": (0.02, 0.1)},
        ("left", "right"),
        determinate=False,
    ),
    "shaken": Family(
        shaken,
        {"e": (0.1, 0.5), "y": (0.05, 0.5), "frequency": (20.0, 200.0)},
        driven=True,
        floor=shaking,
    ),
    "lively": Family(
        partial(drop, "lively"),
        {"e": (0.75, 0.95), "y": (0.01, 0.1)},
        stop=6.0,
        ballistic=True,
        fall=dropped,
    ),
    "column": Family(
        column,
        {"e": (0.1, 0.7), "y_0": (0.15, 0.4), "y_1": (0.55, 0.8), "y_2": (0.95, 1.2)},
        COLUMN,
        determinate=False,
    ),
    "thrown": Family(
        thrown,
        {"e": (0.1, 0.7), "y": (0.002, 0.02), "frequency": (30.0, 200.0), "strength": (1.05, 1.4)},
        driven=True,
        lifted=True,
        stop=0.5,
    ),
    "pulled": Family(
        pulled,
        {"e": (0.1, 0.7), "y": (0.002, 0.02), "frequency": (30.0, 200.0), "strength": (1.05, 1.4)},
        driven=True,
        lifted=True,
        stop=0.5,
    ),
}


def drawn(seed: int) -> tuple[str, dict[str, float]]:
    """Return the family of a seed, with its parameters and start."""
    random = np.random.default_rng(seed)
    name = list(FAMILIES)[seed % len(FAMILIES)]
    return name, {key: random.uniform(*range_) for key, range_ in FAMILIES[name].ranges.items()}
