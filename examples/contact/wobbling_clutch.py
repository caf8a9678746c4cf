r"""A clutch disk that wobbles: sliding friction makes a disk on elastic pads flutter.

A disk of the inertia I about its diameters is held at its middle and tilts by φ and ψ, the angles
of a fork and of the disk in it. Pads on the radius R, of the stiffness k together, press it with N
against a plate that turns at Ω. The plate is h below the middle, the centres of the pads' round
ends h'. Where a pad goes down its friction grows, and turns the disk about the other axis: small
tilts obey

    I φ̈ + D φ̇ + K φ = C ψ,    I ψ̈ + D ψ̇ + K ψ = -(C - μ N R) φ,

    K = k R²/2 - N h',    C = μ R k h/2 - μ N h h'/(2 R),    D = d + μ N h²/(2 R Ω).

The term μ N R is the torque of the plate, of which the tilted fork feels a part. With
c² = C (C - μ N R) the eigenvalues solve I λ² + D λ + K = ± i c: without damping the disk
always flutters, and it is stable where c < D √(K/I). [Fidlin2011] describes this wobbling by a
minimal model. A disk that flutters goes on growing as its pads lift off.

Run: python examples/contact/wobbling_clutch.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin, sqrt
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Ball, Body, Hinge, Model, Result, RigidLink, linearize, simulate
from mbcore.contact import KelvinVoigt
from mbcore.contact.surface_contact import surface_contact
from mbcore.drawing import disc
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show

INERTIA = 0.02
"""I, kg m²."""
RADIUS, HEIGHT, ROUND = 0.1, 0.03, 0.004
"""R, height of the middle above the plate without load, radius of the pads' ends, m."""
STIFFNESS, LOAD, FRICTION = 4e6, 2000.0, 0.3
"""k, N/m; N, N; μ."""
SPEED, PADS = 100.0, 4
"""Ω, rad/s."""
DEPTH = LOAD / STIFFNESS
ARM, CENTRES = HEIGHT - DEPTH, HEIGHT - ROUND
"""h and h', m."""
DAMPINGS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
"""d, N m s."""
WOBBLES, START, DURATION = 1.0, 1e-5, 0.5
"""d of the motion, N m s; tilt at its start, rad; s."""
SMALL = 0.1
"""Until when the motion is small, s."""


def model() -> Model:
    """Return the disk on its pads."""
    clutch = Model("wobbling_clutch")
    damping = clutch.parameter("damping", WOBBLES, unit="N.m.s/rad")
    origin = clutch.point("origin", (0, 0, 0), fixed=True)
    middle = clutch.point("middle", (0, 0, ARM), fixed=True)
    plate, fork, disk = (clutch.rotation(name) for name in ("plate", "fork", "disk"))
    turned = clutch.state("turned", unit="rad")
    clutch.derivative("turned", SPEED)
    spin = clutch.add(Hinge("spin", clutch.ground, plate, axis=(0, 0, 1)))
    spin.angle.prescribe(turned)
    hinges = {
        "phi": Hinge("outer", clutch.ground, fork, axis=(1, 0, 0)),
        "psi": Hinge("inner", fork, disk, axis=(0, 1, 0)),
    }
    for name, hinge in hinges.items():
        tilt = clutch.add(hinge).angle
        tilt.dof(name, f"{name}_rate").law(damping * tilt.rate)
        hinge.visible = False
    inertia = (INERTIA, INERTIA, 2 * INERTIA)
    clutch.add(Body("mass", middle, disk, mass=3.0, inertia=inertia)).visible = False
    for pad in range(PADS):
        at = 2 * pi * (pad + 0.5) / PADS
        x, y = RADIUS * cos(at), RADIUS * sin(at)
        centre = clutch.point(f"centre_{pad}", (x, y, ROUND - DEPTH))
        touch = clutch.point(f"touch_{pad}", (x, y, 0))
        clutch.add(RigidLink(f"arm_{pad}", middle, disk, centre)).visible = False
        ends = Ball(f"pad_{pad}", centre, disk, touch, radius=ROUND, frame=(origin, plate))
        clutch.add(ends).normal.release()
        surface_contact(clutch, ends, KelvinVoigt(STIFFNESS / PADS), friction=FRICTION)
    clutch.show(disc(middle, disk, 1.15 * RADIUS, 0.4 * HEIGHT, name="disk", axle=(0, 0, 1)))
    clutch.show(disc(origin, plate, 1.3 * RADIUS, 0.2 * HEIGHT, name="plate", axle=(0, 0, 1)))
    return clutch


@dataclass(frozen=True)
class ByHand:
    """K, C, c and the part of D that the plate's speed makes."""

    stiffness: float
    across: float
    coupling: float
    drag: float

    def eigenvalues(self, damping: float) -> np.ndarray:
        """Return the eigenvalues, 1/s."""
        whole = damping + self.drag
        signs = (1j, -1j)
        return np.concatenate(
            [np.roots([INERTIA, whole, self.stiffness + sign * self.coupling]) for sign in signs]
        )

    def growing(self, damping: float) -> dict[str, float]:
        """Return a start from which the motion that grows most is alone."""
        rate = max(self.eigenvalues(damping), key=lambda value: (value.real, value.imag))
        psi = (INERTIA * rate**2 + (damping + self.drag) * rate + self.stiffness) / self.across
        mode = {"phi": 1.0, "psi": psi, "phi_rate": rate, "psi_rate": psi * rate}
        return {name: START * float(np.real(part)) for name, part in mode.items()}

    def least_damping(self) -> float:
        """Return d above which the disk is stable, N m s."""
        return self.coupling * sqrt(INERTIA / self.stiffness) - self.drag


def by_hand() -> ByHand:
    """Return the coefficients of small tilts."""
    across = FRICTION * RADIUS * STIFFNESS * ARM / 2
    across -= FRICTION * LOAD * ARM * CENTRES / (2 * RADIUS)
    return ByHand(
        STIFFNESS * RADIUS**2 / 2 - LOAD * CENTRES,
        across,
        sqrt(across * (across - FRICTION * LOAD * RADIUS)),
        FRICTION * LOAD * ARM**2 / (2 * RADIUS * SPEED),
    )


@dataclass(frozen=True)
class Record:
    """Eigenvalues by damping, ours and by hand, those at the limit, and a motion that grows."""

    found: dict[float, np.ndarray]
    limit: np.ndarray
    motion: Result

    @property
    def numbers(self) -> dict[str, float]:
        """Errors of eigenvalues, and the growth at the limit of stability and of the motion."""
        hand = by_hand()
        error = max(_apart(ours, hand.eigenvalues(d)) for d, ours in self.found.items())
        return {
            "largest error of an eigenvalue in parts of its size": error,
            "growth at the limit of stability (1/s)": float(max(self.limit.real)),
            "growth of a small motion (1/s)": self.growth,
        }

    @property
    def growth(self) -> float:
        """Growth rate of the small motion, 1/s, by its size after whole periods."""
        period = 2 * pi / float(np.abs(by_hand().eigenvalues(WOBBLES).imag).max())
        size = np.hypot(self.motion["phi"], self.motion["psi"])
        span = period * round(SMALL / period)
        return float(np.log(np.interp(span, self.motion.time, size) / size[0]) / span)


def _apart(found: np.ndarray, expected: np.ndarray) -> float:
    nearest = np.abs(found[:, None] - expected).min(axis=1)
    return float((nearest / np.abs(found)).max())


def run() -> Record:
    """Find eigenvalues for several dampings, and simulate the disk as it begins to wobble."""
    equations = model().equations()

    def found(damping: float) -> np.ndarray:
        return linearize(equations, parameters={"damping": damping}).eigenvalues()

    motion = simulate(
        equations, DURATION, start=by_hand().growing(WOBBLES), samples=20001, rtol=1e-9, atol=1e-13,
    )  # fmt: skip
    limit = found(by_hand().least_damping())
    return Record({damping: found(damping) for damping in DAMPINGS}, limit, motion)


def draw(record: Record, folder: Path) -> None:
    """Draw the clutch, the real parts over the damping, and the motion that grows."""
    show(record.motion, folder, "wobbling_clutch", "Disk on four pads; the plate below turns")
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    real, motion = figure.subplots(1, 2, width_ratios=(1, 1.4))
    along = np.linspace(0, DAMPINGS[-1], 101)
    hand = by_hand()
    ends = [np.sort(hand.eigenvalues(d).real)[[0, -1]] for d in along]
    real.plot(along, ends, "k:")
    real.plot([*record.found], [np.sort(v.real)[[0, -1]] for v in record.found.values()], "o")
    real.axhline(0, color="0.6", linewidth=0.8)
    real.axvline(hand.least_damping(), color="0.6", linewidth=0.8)
    plain(real, "damping d (N m s)", "growth Re λ (1/s)")
    real.set_title("Stable right of the line; dotted: by hand", loc="left")
    for name, label in (("phi", "φ"), ("psi", "ψ")):
        motion.plot(record.motion.time, 1e3 * record.motion[name], label=label, linewidth=0.6)
    plain(motion, "time (s)", "tilt (mrad)")
    head(motion, "It grows, and goes on as pads lift off", 2)
    save(figure, folder, "wobbling_clutch")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    expected = {"growth of a small motion (1/s)": float(max(by_hand().eigenvalues(WOBBLES).real))}
    print_comparison(
        "Clutch disk that wobbles",
        [(name, ours, expected.get(name, 0.0)) for name, ours in record.numbers.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
