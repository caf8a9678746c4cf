"""Systems of one degree of freedom with periodic motions, and their equations by hand."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from mbcore import Body, Model, PlanarHinge, RigidLink

GRAVITY = 9.81
NATURAL = np.sqrt(GRAVITY)
"""Of a pendulum of 1 m, rad/s."""


def excited_pendulum(ratio: float, damping: float = 0.01) -> Model:
    """Return the pendulum of [Schwab2002] 4.4.1, whose crank turns with ``ratio`` ω_0."""
    e, r, length = 0.5, 0.5, 1.0
    model = Model("excited_pendulum", gravity=(0, -GRAVITY))
    speed = model.parameter("crank.speed", ratio * NATURAL, unit="rad/s")
    turned = speed * model.time
    pivot, bob = (
        model.point("pivot", (0, -(1 + e) * r)),
        model.point("bob", (0, -(1 + e) * r - length)),
    )
    frame, arm = model.angle("frame", fixed=True), model.angle("arm")
    pivot.x.prescribe((1 - e) * r * ca.sin(turned))  # [Schwab2002] (4.17)
    pivot.y.prescribe(-(1 + e) * r * ca.cos(turned))
    hinge = model.add(PlanarHinge("hinge", frame, arm))
    hinge.angle.dof("angle", "rate")
    hinge.angle.law(2 * damping * NATURAL * length**2 * (hinge.angle.rate + speed))
    model.add(RigidLink("rod", pivot, arm, bob))
    model.add(Body("mass", bob, mass=1.0))
    model.output("bob.x", bob.position[0], unit="m")
    return model


def excited_pendulum_by_hand(ratio: float, damping: float = 0.01) -> Callable:
    """Return the rates of (rate, angle) by [Schwab2002] (4.18)."""
    w, e, rho = ratio * NATURAL, 0.5, 0.5

    def rates(t: float, y: np.ndarray) -> list[float]:
        moved = rho * w**2 * (np.sin(y[1] - w * t) + e * np.sin(y[1] + w * t))
        damped = 2 * damping * NATURAL * (y[0] + w)
        return [-damped - NATURAL**2 * np.sin(y[1]) - moved, y[0]]

    return rates


def slider(
    name: str,
    force: Callable[[Model, ca.SX, ca.SX], ca.SX],
    start: float = 0.0,
    nominal: float = 1.0,
) -> Model:
    """Return a mass of 1 kg on a line, pulled back by a force of place and speed."""
    model = Model(name)
    point = model.point("point", (0, 0))
    point.y.fix()
    point.x.dof("x", "v", start, nominal=nominal)
    point.x.law(force(model, point.x.value, point.x.rate))
    model.add(Body("mass", point, mass=1.0))
    model.output("power", point.x.value * point.x.rate)
    return model


FLASH_BAND = 1e-9


def flash() -> Model:
    """Return a slider, pushed back by 3 N while the time is within ``half`` of ``centre``."""

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        centre = model.parameter("centre", 0.5137, unit="s")
        half = model.parameter("half", 0.01, unit="s")
        return 3.0 * model.event("near", half**2 - (model.time - centre) ** 2, band=FLASH_BAND)

    return slider("flash", force)


def flashed(centre: np.ndarray, half: float, speed: float) -> tuple[np.ndarray, ...]:
    """Return when the push of `flash` begins and ends, s, and the place after a second, m."""
    begin = centre - np.sqrt(half**2 - FLASH_BAND)
    end = centre + np.sqrt(half**2 + FLASH_BAND)
    return begin, end, speed - 3.0 * (end - begin) * (1 - (begin + end) / 2)


def van_der_pol(mu: float = 1.0) -> Model:
    """Return x'' - μ (1 - x²) x' + x = 0."""

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return x - model.parameter("mu", mu) * (1 - x**2) * v

    return slider("van_der_pol", force, 1.9)


def duffing(strength: float = 0.3, speed: float = 1.2) -> Model:
    """Return x'' + 0.1 x' + x + x³ = F cos ωt."""

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        w = model.parameter("speed", speed, unit="rad/s")
        load = model.parameter("strength", strength, unit="N") * ca.cos(w * model.time)
        return 0.1 * v + x + x**3 - load

    return slider("duffing", force)


def duffing_by_hand(strength: float = 0.3, speed: float = 1.2) -> Callable:
    """Return the rates of (v, x)."""
    return lambda t, y: [-0.1 * y[0] - y[1] - y[1] ** 3 + strength * np.cos(speed * t), y[0]]
