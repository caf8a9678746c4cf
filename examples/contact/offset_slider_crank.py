"""The offset slider-crank of Rogers and Andrews, [Schwab2002] 4.4.5: what is simulated of it.

The crank turns anticlockwise at constant speed from a horizontal position and drives a plunger
whose line runs above the crank's axis. The journal is the rod's; the sleeve turns with the crank.
"""

from __future__ import annotations

from typing import Literal

import casadi as ca
import numpy as np

from mbcore import Bearing, Body, Equations, Model, PlanarBeam, Result, linearize, simulate
from mbcore.contact.clearance import clearance
from mbcore.contact.hertz import KelvinVoigt

CRANK, ROD, OFFSET, SPEED = 0.0508, 0.1524, 0.0508, 150.0
"""Lengths, m; rad/s."""
CRANK_MASS, ROD_MASS, PLUNGER_MASS = 0.1366, 0.3406, 0.3406
CLEARANCE, STIFFNESS, DAMPING = 51e-6, 1.09e8, 100.0
REVOLUTION = 2 * np.pi / SPEED
"""s."""
SHOWN = 1.5
"""Revolutions that are drawn."""


def mechanism(joint: Literal["ideal", "compliant", "clearance"], damping: float = DAMPING) -> Model:
    """Return the slider-crank with one of three joints between crank and rod."""
    slope = np.arcsin(OFFSET / ROD)
    model = Model("slider_crank")
    axis = model.point("crank axis", (0, 0), fixed=True)
    crank, rod = model.angle("crank"), model.angle("rod", slope)
    sleeve, journal = model.point("sleeve", (CRANK, 0)), model.point("journal", (CRANK, 0))
    plunger = model.point("plunger", (CRANK + ROD * np.cos(slope), OFFSET))
    plunger.y.fix()
    crank.angle.prescribe(SPEED * model.time)
    for name, ends, angle, length, mass in (
        ("crank", (axis, sleeve), crank, CRANK, CRANK_MASS),
        ("rod", (journal, plunger), rod, ROD, ROD_MASS),
    ):
        link = model.add(
            PlanarBeam(
                name,
                ends[0],
                angle,
                ends[1],
                angle,
                rest_length=length,
                mass_per_length=mass / length,
            )
        )
        link.bending_q.release()  # follows: both ends turn with the beam
    model.add(Body("plunger", plunger, mass=PLUNGER_MASS))
    bearing = model.add(Bearing("joint", sleeve, crank, journal, rod))
    if joint == "ideal":
        model.output("force.x", -bearing.x.stress, unit="N", description="on the journal")
        model.output("force.y", -bearing.y.stress, unit="N", description="on the journal")
        return model
    for q, name in ((bearing.x, "x"), (bearing.y, "y")):
        q.dof(name, f"{name}_rate", nominal=1e-5, rate_nominal=0.1)
        if joint == "compliant":
            q.spring(STIFFNESS, damping)
    if joint == "clearance":
        clearance(model, bearing, CLEARANCE, KelvinVoigt(STIFFNESS, damping))
    model.output("r", ca.hypot(bearing.x.value, bearing.y.value), unit="m")
    return model


def frequencies() -> dict[str, float]:
    """Return the frequencies of M̄ and K̄ about the rigid motion at θ = 0."""
    about = linearize(mechanism("compliant", damping=0.0).equations(), motion="held")
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(about.M, about.K_d)).real)
    lower, higher = np.sqrt(squares)
    return {
        "lower frequency at 0 deg (rad/s)": float(lower),
        "higher frequency at 0 deg (rad/s)": float(higher),
    }


def rattle(equations: Equations, x: float, y: float) -> Result:
    """Simulate from (x, y), m, at rest on the sleeve's axes."""
    start = {"x": x, "y": y}
    return simulate(equations, SHOWN * REVOLUTION, start=start, rtol=1e-11, samples=times(SHOWN))


def times(until: float, since: float = 0.0) -> np.ndarray:
    """Return sample times a tenth of a degree apart, starting at a whole one."""
    return REVOLUTION * np.linspace(since, until, round(3600 * (until - since)) + 1)


def radius_at(result: Result, degrees: float) -> float:
    """Return r, m, at a crank's angle that is among the samples."""
    return float(result["r"][np.argmin(np.abs(degrees_of(result) - degrees))])


def degrees_of(result: Result) -> np.ndarray:
    """Return the crank's angles of a result, from 0."""
    return 360 * (result.time - result.time[0]) / REVOLUTION


def losses(result: Result) -> np.ndarray:
    """Return the crank's angles, deg, at which contact is lost: every other event."""
    first = 0 if result["joint.contact.active"][0] else 1
    return np.array([360 * t / REVOLUTION for t, _ in result.events[first::2]])
