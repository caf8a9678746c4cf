r"""A journal that sticks in its sleeve: it rests on a slope, or rolls, [Schwab2002] 5.1.

"When sticking occurs in the contact, the journal rolls along the sleeve." A solid cylinder (mass m,
radius R, I = m R²/2) lies in a sleeve that is fixed, with the radial clearance c and μ = 0.3.

If its rotation is held, it rests wherever the weight is in the cone of friction, tan θ < μ, up to
16.70°. It stays there at the same bits: nothing moves while it rests, so that no error grows.
Smoothed friction, which is zero at rest, lets it creep down.

If it can turn, it rolls. With r the distance of the centres, c and the penetration by its weight,

    T = m (r θ')²/2 + I (r θ'/R)²/2,    V = -m g r cos θ,    ω² = g/(r (1 + I/(m R²))).

On a slope, rolling takes the friction m g sin θ/(1 + m R²/I), which is μ m g cos θ where

    tan θ = μ (1 + m R²/I) = 0.9,    θ = 41.99°.

Released above, it slides first, and rolls later.

Run: python examples/contact/sticking_clearance.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import bisect

from mbcore import Bearing, Body, FrictionLaw, Model, Result, linearize, simulate
from mbcore.contact import CoulombFriction, KelvinVoigt
from mbcore.contact.clearance import clearance
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.common import (
    figures_folder,
    head,
    plain,
    print_comparison,
    save,
    show,
)

GAP, RADIUS, MASS, GRAVITY = 1e-3, 1e-2, 2.0, 9.81
"""Radial clearance, journal's radius, m; its mass, kg; m/s²."""
INERTIA = MASS * RADIUS**2 / 2
"""kg.m²."""
LAW, FRICTION = KelvinVoigt(1e6, 1e3), 0.3
RESTS, ROLLS, SLIDES = 10.0, 30.0, 60.0
"""Where journals are released, degrees from the lowest place."""
LONG, CREEPS, SWINGS = 1e6, 0.05, 0.12
"""Ends of runs, s: at rest, with smoothed friction, and free to turn."""


def lying(
    angle: float, held: bool = False, friction: FrictionLaw | CoulombFriction | float = FRICTION
) -> Model:
    """Return a journal at rest at an angle, degrees, from the lowest place, which the law bears."""
    model = Model("sticking_clearance", gravity=(0, -GRAVITY))
    sleeve, frame = model.point("sleeve", fixed=True), model.angle("frame", fixed=True)
    centre, turn = model.point("centre"), model.angle("turn", fixed=held)
    joint = model.add(Bearing("joint", sleeve, frame, centre, turn))
    for name, at in place(angle).items():
        joint.deformations[name].dof(name, f"{name}_rate", at, nominal=GAP)
    if held:
        model.add(Body("journal", centre, mass=MASS))
    else:
        joint.rotation.dof("turned", "spin")
        model.add(Body("journal", centre, turn, mass=MASS, inertia=INERTIA))
    contact = clearance(model, joint, GAP, LAW, friction=friction, journal_radius=RADIUS)
    model.output("sticks", contact.sticks)
    return model


def place(angle: float) -> dict[str, float]:
    """Return where the centre lies at an angle, degrees, in equilibrium across the contact, m."""
    slope = np.radians(angle)
    r = GAP + MASS * GRAVITY * np.cos(slope) / LAW.stiffness
    return {"x": float(r * np.sin(slope)), "y": float(-r * np.cos(slope))}


def degrees(motion: Result) -> np.ndarray:
    """Return the angles of the centre from the lowest place."""
    return np.degrees(np.arctan2(motion["x"], -motion["y"]))


def rolling_frequency() -> float:
    """Return the angular frequency of small rolling motions about the lowest place, rad/s."""
    values = np.linalg.eigvals(linearize(lying(0.0).equations()).state_matrix)
    return float(min(value.imag for value in values if value.imag > 1e-6))


def steepest() -> float:
    """Return the largest angle, degrees, at which a journal that is released rolls."""
    point = Evaluation(lying(ROLLS).equations())
    row = [output.name for output in point.equations.outputs].index("sticks")

    def slips(angle: float) -> float:
        point.start(place(angle))
        return 0.5 - float(point.output()[row])

    return float(bisect(slips, ROLLS, SLIDES, xtol=1e-10))


@dataclass(frozen=True)
class Record:
    """Motions of the journals."""

    numbers: dict[str, float]
    expected: dict[str, float]
    rests: Result
    creeps: Result
    rolls: Result
    slides: Result


def run() -> Record:
    """Let journals rest, creep, roll and slide."""
    fine = {"rtol": 1e-9, "atol": 1e-12, "samples": 401}
    rests = simulate(lying(RESTS, held=True).equations(), LONG, samples=11)
    smoothed = CoulombFriction(FRICTION, 1e-2)
    creeps = simulate(lying(RESTS, True, smoothed).equations(), CREEPS, **fine)
    rolls, slides = (
        simulate(lying(angle).equations(), SWINGS, **fine) for angle in (ROLLS, SLIDES)
    )
    r = GAP + MASS * GRAVITY / LAW.stiffness
    numbers = {
        "at 10°: motion of the centre in 1e6 s (m)": float(np.ptp(rests["x"]) + np.ptp(rests["y"])),
        "at 10°: share of samples that stick": float(rests["sticks"].mean()),
        "rolling: frequency (rad/s)": rolling_frequency(),
        "rolling ends at (deg)": steepest(),
    }
    expected = {
        "at 10°: motion of the centre in 1e6 s (m)": 0.0,
        "at 10°: share of samples that stick": 1.0,
        "rolling: frequency (rad/s)": np.sqrt(GRAVITY / (r * (1 + INERTIA / (MASS * RADIUS**2)))),
        "rolling ends at (deg)": np.degrees(np.arctan(FRICTION * (1 + MASS * RADIUS**2 / INERTIA))),
    }
    return Record(numbers, expected, rests, creeps, rolls, slides)


def draw(record: Record, folder: Path) -> None:
    """Draw the journal, and where its centre is."""
    title = "Journal released in its sleeve, clearance enlarged"
    show(record.rolls, folder, "sticking_clearance", title, times=(0.0, 0.026, SWINGS / 3))
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    held, free = figure.subplots(1, 2, width_ratios=(1, 1.4))
    creeps = record.creeps
    held.plot([0, 1e3 * CREEPS], [degrees(record.rests)[-1]] * 2, label="sticks")
    held.plot(1e3 * creeps.time, degrees(creeps), label="smoothed")
    plain(held, "time (ms)", "place θ (°)")
    head(held, "Rotation held, from 10°", 2)
    for motion, angle in ((record.rolls, ROLLS), (record.slides, SLIDES)):
        path = degrees(motion)
        line = free.plot(1e3 * motion.time, path, label=f"from {angle:.0f}°")[0]
        sliding = np.where(motion["sticks"] < 0.5, path, np.nan)
        free.plot(1e3 * motion.time, sliding, color=line.get_color(), linewidth=4, alpha=0.4)
    plain(free, "time (ms)", "place θ (°)")
    head(free, "Free to turn: rolls, slides where thick", 2)
    save(figure, folder, "sticking_clearance")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "A journal that sticks in its sleeve",
        [(name, ours, record.expected[name]) for name, ours in record.numbers.items()],
    )
    print(f"smoothed friction: at {degrees(record.creeps)[-1]:.2f}° after 50 ms")
    draw(record, folder)


if __name__ == "__main__":
    main()
