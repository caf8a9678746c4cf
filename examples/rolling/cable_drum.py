r"""A cable drum that rolls while its cable unwinds, [Schwab2002] 3.2.1: mass that changes.

A massless drum of radius r carries ten turns of cable, of mass m each. The end of the cable is
fixed to the ground. The drum rolls away, the cable stays behind on the ground, at rest: it touches
down with zero velocity, so that the energy of the moving rest is constant,

    T = S m r² φ̇²,   S = 10 - n + sin(2πn) / 2π,   n = φ / 2π turns unwound,               (3.23)

from which follow, with T = 10 m r² ω_0², the closed forms

    φ̇ = ω_0 √(10/S),   φ̈ = (1 - cos φ) φ̇² / 4πS,
    F = m r φ̇² (1 - cos φ) / 4π,   N = -m r (φ̈ (1 - cos φ) + φ̇² sin φ) / 2π.

F is the tension of the cable and N the force of the ground, which must pull as well: the drum runs
in a slotted guide. The drum is never slowed down, and gains speed without limit.

The model is the text's: one belt element with r_p = 0 at the fixed end and r_q = -r, the centre of
the drum held at its height, the inextensible cable rolling it along. The kinetic energy of the
element knows the wound cable, turn by turn.

Numbers: m = r = ω_0 = 1.

Run: python examples/rolling/cable_drum.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import quad

from mbcore import Belt, Model, Result, simulate
from mbcore.examples.common import (
    figures_folder,
    head,
    plain,
    print_comparison,
    save,
    show,
)

TURNS = 10
MIDDLE, END = 5.5, 9.9
"""Turns unwound where the numbers are compared, and where the motion ends."""

REFERENCE = {
    "turns unwound at t = 29.262069068": 5.5,
    "angular velocity": 1.490711985,
    "angular acceleration": 0.078595034,
    "cable tension": 0.353677651,
    "force of the ground": -0.025017576,
}
MIDDLE_TIME = 29.262069068


def model() -> Model:
    """Return the drum; its angle counts clockwise, in the sense of rolling."""
    drum = Model("cable_drum")
    m = drum.parameter("cable.mass", 1, unit="kg", positive=True, description="of one turn")
    r = drum.parameter("drum.radius", 1, unit="m", positive=True, tunable=False)
    anchor, ground = drum.point("anchor", (-r, 0), fixed=True), drum.angle("base", fixed=True)
    centre, turning = drum.point("centre", (0, r)), drum.angle("drum")
    centre.y.fix()
    round_drum = 2 * np.pi * r
    cable = drum.add(
        Belt(
            "cable",
            anchor,
            ground,
            centre,
            turning,
            radius_p=0,
            radius_q=-r,
            mass_per_length=m / round_drum,
            wound_q=TURNS * round_drum,
        )
    )
    turning.angle.dof("angle", "rate", rate_start=-1.0)
    drum.require("cable left", cable.wound_on_q, "the drum has run out of cable; stop earlier")
    drum.output("turns", -turning.angle.value / (2 * np.pi))
    drum.output("velocity", -turning.angle.rate, unit="rad/s")
    drum.output("acceleration", -turning.acceleration, unit="rad/s2")
    drum.output("tension", cable.tension, unit="N")
    drum.output("anchor force", -anchor.x.reaction, unit="N")
    drum.output("ground force", centre.y.reaction, unit="N")
    drum.output("energy", drum.kinetic_energy, unit="J")
    return drum


def closed_form(n: np.ndarray) -> dict[str, np.ndarray]:
    """Return what conservation of energy and momentum say after n turns."""
    phi = 2 * np.pi * n
    S = TURNS - n + np.sin(phi) / (2 * np.pi)
    velocity = np.sqrt(TURNS / S)
    acceleration = (1 - np.cos(phi)) * velocity**2 / (4 * np.pi * S)
    tension = velocity**2 * (1 - np.cos(phi)) / (4 * np.pi)
    ground = -(acceleration * (1 - np.cos(phi)) + velocity**2 * np.sin(phi)) / (2 * np.pi)
    return {
        "velocity": velocity,
        "acceleration": acceleration,
        "tension": tension,
        "ground force": ground,
    }


def time_of(n: float) -> float:
    """Return when n turns are unwound, from the closed form."""
    ends = [*range(int(n) + 1), n]  # turn by turn, a period each

    def inverse(turn: float) -> float:
        return float(2 * np.pi / closed_form(np.array(turn))["velocity"])

    return sum(quad(inverse, a, b, epsabs=1e-12)[0] for a, b in pairwise(ends))


@dataclass(frozen=True)
class Record:
    """The motion, its numbers as in ``REFERENCE``, and how far it is from the closed forms."""

    motion: Result
    numbers: dict[str, float]
    largest_difference: float
    energy_drift: float


def run() -> Record:
    """Let the drum roll until almost all is unwound."""
    end = time_of(END)
    times = np.sort(np.r_[np.linspace(0, end, 2001), MIDDLE_TIME])
    motion = simulate(model().equations(), end, rtol=1e-12, atol=1e-13, samples=list(times))
    middle = int(np.searchsorted(times, MIDDLE_TIME))
    columns = ("turns", "velocity", "acceleration", "tension", "ground force")
    values = (float(motion[column][middle]) for column in columns)
    exact = closed_form(motion["turns"])
    return Record(
        motion,
        dict(zip(REFERENCE, values, strict=True)),
        # Relative to the size of each, which grows without limit.
        max(float(np.max(np.abs(motion[k] - e)) / np.max(np.abs(e))) for k, e in exact.items()),
        float(np.ptp(motion["energy"])),
    )


def draw(record: Record, folder: Path) -> None:
    """Draw the system (Fig. 3.3), the motion (Fig. 3.4) and the forces (Fig. 3.5)."""
    motion = record.motion
    title = "A drum that leaves its cable behind"
    show(motion, folder, "cable_drum", title, times=(0.0, time_of(1.0)), pale="one turn earlier")
    figure = Figure(figsize=(8.4, 7), layout="constrained")
    figure.suptitle("A cable drum that leaves its cable behind rolls faster and faster")
    upper, lower = figure.subplots(2, 1)
    n = motion["turns"]
    for axes, title, curves in (
        (
            upper,
            "It is never slowed down",
            (("velocity", "velocity φ̇ / ω₀"), ("acceleration", "acceleration φ̈ / ω₀²")),
        ),
        (
            lower,
            "The ground must push (+) and pull (-)",
            (("tension", "tension of the cable F"), ("ground force", "force of the ground N")),
        ),
    ):
        for column, label in curves:
            axes.plot(n, motion[column], linewidth=1.5, label=label)
            axes.plot(MIDDLE, closed_form(np.array(MIDDLE))[column], "ko", markersize=4)
        axes.plot([], [], "ko", markersize=4, label="closed form")
        axes.set_xlim(0, TURNS)
        axes.set_xticks(range(TURNS + 1))
        axes.set_ylim(*((0, 6) if axes is upper else (-4, 4)))
        plain(axes, "", "")
        head(axes, title, 3)
    upper.set_ylabel("φ̇ / ω₀, φ̈ / ω₀²")
    lower.set_ylabel("force / (m r ω₀²)")
    lower.set_xlabel("turns unwound n")
    save(figure, folder, "cable_drum")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Cable drum [Schwab2002] 3.2.1, after 5.5 turns",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    print(
        f"up to n = {END}: relative difference to the closed forms below "
        f"{record.largest_difference:.1e}, energy drift {record.energy_drift:.1e}"
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
