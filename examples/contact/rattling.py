"""Shared by examples of the rattling slider-crank, [Schwab2002] 5.4: data, motions, figures.

The first contacts of a motion can be compared one by one; then it is chaotic and only statistics
can. They are taken over the 3rd to 30th revolution of several motions that start with the journal a
few nanometres apart, each of them integrated in C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Body, Equations, Model, PlanarBeam, Result, RigidLink, simulate
from mbcore.contact.hertz import stiffness
from mbcore.examples.common import head, largest, plain

CRANK, ROD, MASS, SPEED = 0.05, 0.12, 0.145, 523.6
"""Lengths, m; mass of the rod and of the slider, kg; rad/s."""
CLEARANCE = 0.5e-3
REVOLUTION = 2 * np.pi / SPEED
"""s."""
MODULUS = 2.06e11 * 65.8e9 / float(stiffness(9.5e-3, -10e-3, 2.06e11, 0.3))
"""Young's modulus, Pa, that gives the printed K by [Schwab2002] (5.3); 0.03 % above the text's."""
REVOLUTIONS, TRANSIENT, SHOWN = 30, 2, 2
"""How many are simulated, left out at the beginning, and drawn."""
STARTS = 1e-9 * np.arange(5)
"""Start of the journal across the slider's line, m."""
SAMPLES = 6000
"""In one revolution; a contact lasts 25 of them."""
COLUMNS = ("slider.acceleration", "slider.velocity", "crank.torque", "joint.x", "joint.y")


def ideal() -> Model:
    """Return the slider-crank without clearance."""
    model = Model("slider_crank")
    axis = model.point("crank axis", (0, 0), fixed=True)
    crank, pin = model.angle("crank"), model.point("crank pin", (CRANK, 0))
    rod, slider = model.angle("rod"), model.point("slider", (CRANK + ROD, 0))
    slider.y.fix()
    crank.angle.prescribe(SPEED * model.time)
    model.add(RigidLink("arm", axis, crank, pin))
    link = model.add(
        PlanarBeam("link", pin, rod, slider, rod, rest_length=ROD, mass_per_length=MASS / ROD)
    )
    link.bending_q.release()  # follows: both ends turn with the beam
    model.add(Body("slider", slider, mass=MASS))
    model.state("angle", ca.SX(SPEED), unit="rad", visibility="output")
    model.output("slider.acceleration", slider.acceleration[0], unit="m/s2")
    model.output("slider.velocity", slider.velocity[0], unit="m/s")
    model.output("crank.torque", -crank.angle.stress, unit="N.m")
    return model


def first_contacts(model: Model, count: int, until: float) -> dict[str, float]:
    """Return times and speeds of the first contacts, and how the first one ends."""
    equations = model.equations()
    accurate = {"rtol": 1e-12, "atol": 1e-12, "parameters": {"joint.youngs_modulus": MODULUS}}
    motion = simulate(equations, until, **accurate)
    begun = np.flatnonzero(np.diff(motion["joint.impacts"]) > 0) + 1
    numbers = {}
    for i, row in enumerate(begun[:count], start=1):
        numbers[f"contact {i}: time (s)"] = float(motion["joint.impact_time"][row])
        numbers[f"contact {i}: speed (m/s)"] = float(motion["joint.impact_speed"][row])
    numbers["contact 1: end (s)"] = end = motion.events[1][0]
    row = int(np.searchsorted(motion.time, end))
    x, y, x_rate, y_rate = (motion[f"joint.{n}"][row] for n in ("x", "y", "x_rate", "y_rate"))
    numbers["contact 1: speed of leaving (m/s)"] = float((x * x_rate + y * y_rate) / np.hypot(x, y))
    dense = simulate(equations, end, samples=2001, **accurate)
    numbers["contact 1: largest force (N)"] = largest(dense["joint.force"])
    return numbers


@dataclass(frozen=True)
class Rattle:
    """Long motions."""

    without: Result
    """One revolution without clearance."""
    columns: tuple[str, ...]
    motions: np.ndarray
    """Columns at equidistant times from 0, shape (starts, times, columns)."""
    peaks: np.ndarray
    """|acceleration| and |torque| per revolution after the transient, (starts, revolutions, 2)."""
    rising: bool
    """Whether the second of the revolutions shown rattles more by far, or the first."""

    def statistics(self) -> dict[str, float]:
        """Return percentiles of the peaks of all motions together."""
        pooled = self.peaks.reshape(-1, 2)
        return {
            f"{what}: {name} ({unit})": float(np.percentile(pooled[:, i], percentage))
            for i, (what, unit) in enumerate((("acceleration", "m/s²"), ("torque", "N.m")))
            for name, percentage in (("median", 50), ("10 %", 10), ("90 %", 90))
        }

    def place(self) -> tuple[int, int]:
        """Return motion and first revolution of what is shown."""
        growth = np.diff(self.peaks[:, :, 0], axis=1) * (1 if self.rising else -1)
        motion, revolution = np.unravel_index(np.argmax(growth), growth.shape)
        return int(motion), TRANSIENT + int(revolution)

    def shown(self, name: str) -> np.ndarray:
        """Return a column over the two revolutions shown."""
        motion, revolution = self.place()
        rows = slice(revolution * SAMPLES, (revolution + SHOWN) * SAMPLES + 1)
        return self.motions[motion, rows, self.columns.index(name)]


def rattle(
    model: Model,
    *,
    parameters: Mapping[str, float] | None = None,
    also: Sequence[str] = (),
    rising: bool = True,
) -> Rattle:
    """Simulate all starts over all revolutions; keep also other columns."""
    columns = (*COLUMNS, *also)
    given = {"joint.youngs_modulus": MODULUS} | dict(parameters or {})
    equations = model.equations()
    motions = np.array([_revolutions(equations, given, start, columns) for start in STARTS])
    without = simulate(ideal().equations(), REVOLUTION, samples=2001, rtol=1e-10)
    return Rattle(without, columns, motions, _peaks(motions), rising)


def _revolutions(
    equations: Equations, given: Mapping[str, float], start: float, columns: Sequence[str]
) -> np.ndarray:
    """Return columns over all revolutions, shape (times, columns)."""
    motion = simulate(
        equations,
        REVOLUTIONS * REVOLUTION,
        start={"joint.y": start},
        parameters=given,
        samples=REVOLUTIONS * SAMPLES + 1,
        rtol=1e-7,
        atol=1e-9,
        backend="c",
    )
    return np.column_stack([motion[name] for name in columns])


def _peaks(motions: np.ndarray) -> np.ndarray:
    """Return the largest |acceleration| and |torque|, shape (starts, revolutions, 2)."""
    columns = [COLUMNS.index(n) for n in ("slider.acceleration", "crank.torque")]
    values = np.abs(motions[:, TRANSIENT * SAMPLES : -1, columns])
    return values.reshape(len(motions), REVOLUTIONS - TRANSIENT, SAMPLES, 2).max(axis=2)


def draw_slider(motions: Rattle) -> Figure:
    """Draw acceleration and velocity of the slider, with those without clearance."""
    figure = Figure(figsize=(8.5, 6.5), layout="constrained")
    rows = figure.subplots(2, 1, sharex=True)
    for axes, name, scale, label in (
        (rows[0], "slider.acceleration", 1e-3, "acceleration (10³ m/s²)"),
        (rows[1], "slider.velocity", 1.0, "velocity (m/s)"),
    ):
        draw_column(motions, axes, name, scale)
        plain(axes, "", label)
    rows[0].legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    rows[0].set_title("Slider of a rattling slider-crank", loc="left")
    rows[1].set_xlabel("crank angle (°)")
    return figure


def draw_joint(motions: Rattle) -> Figure:
    """Draw torque on the crank, and the path of the journal's centre."""
    figure = Figure(figsize=(12.5, 5.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1))
    draw_column(motions, left, "crank.torque", 1.0)
    head(left, "Torque on the crank", 2)
    plain(left, "crank angle (°)", "torque (N.m)")
    x, y = (motions.shown(name) * 1e3 for name in ("joint.x", "joint.y"))
    right.plot(x, y, color="C0", linewidth=0.7, label="path")
    right.plot(
        x[::60],
        y[::60],
        ".",
        color="C0",
        markersize=3.5,
        label=f"every {60 * 360 / SAMPLES}°",
    )
    turn = np.exp(1j * np.linspace(0, 2 * np.pi, 361)) * CLEARANCE * 1e3
    label = f"clearance, {CLEARANCE * 1e3} mm"
    right.plot(turn.real, turn.imag, "k--", linewidth=1.2, zorder=3, label=label)
    right.set(aspect="equal", anchor="N", xlim=(-0.62, 0.62), ylim=(-0.62, 0.62))
    head(right, "Path of the journal's centre in the sleeve", 3)
    plain(right, "x (mm)", "y (mm)")
    return figure


def draw_column(motions: Rattle, axes: Axes, name: str, scale: float) -> None:
    """Draw a quantity over the revolutions shown."""
    values = motions.shown(name)
    degrees = np.linspace(0, 360 * SHOWN, len(values))
    axes.plot(degrees, scale * values, linewidth=0.8, label="with clearance")
    without = motions.without
    for turn in range(SHOWN):
        axes.plot(
            np.degrees(SPEED * without.time) + 360 * turn,
            scale * without[name],
            color="C1",
            linewidth=1.6,
            label=None if turn else "without clearance",
        )
    axes.set_xlim(0, degrees[-1])
    axes.set_xticks(np.arange(0, degrees[-1] + 1, 90))
