"""Parameters of a bicycle: geometry, masses and inertia, by default those of the benchmark.

Lengths and inertia are those of the upright bicycle, x forward, y left, z up, with the origin at
the rear contact point. The defaults are Table 1 of Meijaard, Papadopoulos, Ruina and Schwab, Proc.
R. Soc. A 463 (2007) 1955, on these axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Units

VANISHING = 1e-300
"""Lets a product of inertia be zero together with the moments of inertia, (kg.m2)2."""


@dataclass(frozen=True)
class Inertia:
    """A rigid body of the upright bicycle.

    Attributes
    ----------
    place : SX
        Mass centre, shape (3, 1), m.
    mass : SX
        kg.
    matrix : SX
        Inertia about the mass centre, shape (3, 3), kg.m2.
    """

    place: ca.SX
    mass: ca.SX
    matrix: ca.SX


@dataclass(frozen=True)
class Bicycle:
    """All parameters of a bicycle; lengths in m, the tilt in rad."""

    wheelbase: ca.SX
    trail: ca.SX
    tilt: ca.SX
    rear_radius: ca.SX
    front_radius: ca.SX
    rear_wheel: Inertia
    front_wheel: Inertia
    rear_frame: Inertia
    front_frame: Inertia

    @property
    def axes(self) -> ca.SX:
        """Axes that are tilted as the steering axis, which is their z, as columns, (3, 3)."""
        sine, cosine = ca.sin(self.tilt), ca.cos(self.tilt)
        return ca.vertcat(
            ca.horzcat(cosine, 0, -sine), ca.horzcat(0, 1, 0), ca.horzcat(sine, 0, cosine)
        )

    @property
    def euler_parameters(self) -> tuple[ca.SX, ...]:
        """Euler parameters of the tilted axes."""
        return ca.cos(self.tilt / 2), ca.SX(0), -ca.sin(self.tilt / 2), ca.SX(0)

    @property
    def offsets(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Places of the wheels' centres relative to the steering axis, m.

        How far the rear centre is behind the axis, how far the front centre is before it, and how
        much lower along the axis the foot of the front centre is than that of the rear one.
        """
        sine, cosine = ca.sin(self.tilt), ca.cos(self.tilt)
        behind = cosine * (self.wheelbase + self.trail) - self.rear_radius * sine
        before = self.front_radius * sine - cosine * self.trail
        higher = self.rear_radius - self.front_radius + (behind + before) * sine
        return behind, before, higher / cosine


def bicycle_parameters(model: Model) -> Bicycle:
    """Add the parameters of a bicycle to a model.

    Returns
    -------
    Bicycle
        Expressions of the parameters' symbols.
    """
    wheelbase = model.parameter(
        "geometry.wheelbase",
        1.02,
        unit="m",
        positive=True,
        tunable=False,
        description="distance of the contact points",
    )
    trail = model.parameter(
        "geometry.trail",
        0.08,
        unit="m",
        tunable=False,
        description="distance of the front contact behind the steering axis, on the ground",
    )
    tilt = model.parameter(
        "geometry.tilt",
        ca.pi / 10,
        unit=Units("rad", "deg"),
        minimum=-1.5,
        maximum=1.5,
        tunable=False,
        description="of the steering axis out of the vertical, its upper end backwards",
    )
    rear_radius, rear_wheel = _wheel(model, "rear_wheel", 0.0, (0.3, 2.0, 0.0603, 0.12))
    front_radius, front_wheel = _wheel(model, "front_wheel", wheelbase, (0.35, 3.0, 0.1405, 0.28))
    rear_frame = _frame(model, "rear_frame", (0.3, 0.9), 85.0, (9.2, -2.4, 11.0, 2.8))
    front_frame = _frame(model, "front_frame", (0.9, 0.7), 4.0, (0.05892, 0.00756, 0.06, 0.00708))
    return Bicycle(
        wheelbase,
        trail,
        tilt,
        rear_radius,
        front_radius,
        rear_wheel,
        front_wheel,
        rear_frame,
        front_frame,
    )


def _wheel(
    model: Model, name: str, x: ca.SX | float, data: tuple[float, float, float, float]
) -> tuple[ca.SX, Inertia]:
    """Add radius, mass, inertia about a diameter and about the axle of a wheel that stands at x."""
    radius, mass, across, about = data
    r = model.parameter(
        f"{name}.radius", radius, unit="m", positive=True, tunable=False, description="radius"
    )
    m = model.parameter(f"{name}.mass", mass, unit="kg", minimum=0.0, description="mass")
    xx, yy = (
        model.parameter(
            f"{name}.inertia_{axes}",
            value,
            unit="kg.m2",
            minimum=0.0,
            description=f"moment of inertia about {which}",
        )
        for axes, value, which in (("xx", across, "a diameter"), ("yy", about, "the axle"))
    )
    return r, Inertia(ca.vertcat(x, 0, r), m, ca.diag(ca.vertcat(xx, yy, xx)))


def _frame(
    model: Model,
    name: str,
    place: tuple[float, float],
    mass: float,
    inertia: tuple[float, float, float, float],
) -> Inertia:
    """Add x and z of the mass centre, mass, and the elements xx, xz, yy, zz of the inertia."""
    x, z = (
        model.parameter(
            f"{name}.{axis}",
            value,
            unit="m",
            tunable=False,
            description=f"mass centre of the upright bicycle, {where}",
        )
        for axis, value, where in zip(
            "xz", place, ("before the rear contact", "above the ground"), strict=True
        )
    )
    m = model.parameter(f"{name}.mass", mass, unit="kg", minimum=0.0, description="mass")
    xx, xz, yy, zz = (
        model.parameter(
            f"{name}.inertia_{axes}",
            value,
            unit="kg.m2",
            minimum=None if axes == "xz" else 0.0,
            description="element of the inertia matrix about the mass centre, upright bicycle",
        )
        for axes, value in zip(("xx", "xz", "yy", "zz"), inertia, strict=True)
    )
    model.require(
        f"{name}.inertia_xz",
        xx * zz * (1 + 1e-9) - xz**2 + VANISHING,
        f"its square exceeds {name}.inertia_xx times {name}.inertia_zz, which no body has; make "
        "it smaller",
        shown=xz,
        initial=True,
    )
    matrix = ca.vertcat(ca.horzcat(xx, 0, xz), ca.horzcat(0, yy, 0), ca.horzcat(xz, 0, zz))
    return Inertia(ca.vertcat(x, 0, z), m, matrix)
