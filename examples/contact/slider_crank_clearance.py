r"""A slider-crank whose slider joint rattles, [Schwab2002] 5.4.1, Figs. 5.5 and 5.6.

The crank (50 mm) turns at 523.6 rad/s, that is 5000 rpm; crank and rod (120 mm) are rigid, and the
journal at the rod's end has 0.5 mm of play in the slider's sleeve, in which it starts centred and
at rest at top dead centre. Where the eccentricity r = √(x² + y²) exceeds c = 0.5 mm, journal and
sleeve push each other with Hertz's force and Lankarani and Nikravesh's hysteresis,

    F = max(0, K δ^(3/2) (1 + 3 (1 - e²) δ̇/(4 δ̇⁻))),    δ = r - c,    K = 65.8e9,    e = 0.95,

in which δ̇⁻ is the speed at which the present contact began. Free flight, impacts with rebound and
permanent contact take turns. The slider's acceleration has peaks ten times as high as without
clearance, while its velocity only takes on steps.

The first contacts can be compared one by one; then the motion is chaotic and only statistics can.
Here they are taken over the 3rd to 30th revolution of several motions that start with the journal a
few nanometres apart. The reference is *one* motion of 28 revolutions; the medians of single ones
differ by 10 %. The text prints the peaks of the two revolutions in its figures, 180e3 m/s² and
1350 N.m. The figures here show two in which permanent contact gives way to rattling, as there.

The long motions are integrated in C, a hundred times as fast as in Python.

Run: python examples/contact/slider_crank_clearance.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mbcore.examples.common import figures_folder, largest, print_comparison, save
from mbcore.examples.contact.joint_picture import show_joint
from mbcore.examples.contact.rattling import (
    STARTS,
    Rattle,
    draw_joint,
    draw_slider,
    first_contacts,
    rattle,
)
from mbcore.fmus import clearance_joint

REFERENCE = {
    "contact 1: time (s)": 2.272853257e-4,
    "contact 1: speed (m/s)": 4.38580344,
    "contact 2: time (s)": 6.427004277e-4,
    "contact 2: speed (m/s)": 2.58133415,
    "contact 3: time (s)": 7.423578078e-4,
    "contact 3: speed (m/s)": 1.89146987,
    "contact 4: time (s)": 9.790350989e-4,
    "contact 4: speed (m/s)": 1.32438845,
    "contact 5: time (s)": 1.265149270e-3,
    "contact 5: speed (m/s)": 2.77663279,
    "contact 1: end (s)": 2.812462402e-4,
    "contact 1: speed of leaving (m/s)": -4.1168286,
    "contact 1: largest force (N)": 47853.658,
    "no clearance: largest acceleration (m/s²)": 19419.5,
    "no clearance: largest velocity (m/s)": 28.4112,
    "no clearance: largest torque (N.m)": 120.870,
}
STATISTICS = {
    "acceleration: median (m/s²)": 222e3,
    "acceleration: 10 % (m/s²)": 133e3,
    "acceleration: 90 % (m/s²)": 276e3,
    "torque: median (N.m)": 1141.0,
    "torque: 10 % (N.m)": 432.0,
    "torque: 90 % (N.m)": 1561.0,
}
"""Largest values per revolution."""
WHY = """
Why they differ: the first contacts can be compared one by one, within what is printed of them. Then
the motion is chaotic and only statistics can: ours are of several motions, the reference's are of a
single one, and the medians of single ones differ by 10 %. The text's own peaks are those of the two
revolutions in its figures."""


@dataclass(frozen=True)
class Record:
    """Numbers of the motions; names and units as in ``REFERENCE`` and ``STATISTICS``."""

    numbers: dict[str, float]
    rattle: Rattle


def run() -> Record:
    """Simulate the first contacts, the motion without clearance, and thirty revolutions."""
    motions = rattle(clearance_joint.model())
    without = motions.without
    numbers = first_contacts(clearance_joint.model(), 5, 1.33e-3) | motions.statistics()
    numbers |= {
        "no clearance: largest acceleration (m/s²)": largest(abs(without["slider.acceleration"])),
        "no clearance: largest velocity (m/s)": largest(without["slider.velocity"]),
        "no clearance: largest torque (N.m)": largest(without["crank.torque"]),
    }
    return Record(numbers, motions)


def draw(record: Record, folder: Path) -> None:
    """Draw Figs. 5.5 and 5.6."""
    save(draw_slider(record.rattle), folder, "slider_crank_clearance_slider")
    save(draw_joint(record.rattle), folder, "slider_crank_clearance_joint")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    title = "Slider-crank with clearance, drawn 7 times as large"
    show_joint(clearance_joint.model(), folder, "slider_crank_clearance", title)
    record = run()
    for title, reference in (
        ("Rattling slider-crank [Schwab2002] 5.4.1", REFERENCE),
        (f"Peaks per revolution, {len(STARTS)} motions (reference: one)", STATISTICS),
    ):
        print_comparison(title, [(n, record.numbers[n], value) for n, value in reference.items()])
    medians = np.median(record.rattle.peaks, axis=1)
    low, high = medians.min(axis=0), medians.max(axis=0)
    print(
        f"medians of single motions: {low[0]:.0f} to {high[0]:.0f} m/s², "
        f"{low[1]:.0f} to {high[1]:.0f} N.m\n{WHY}"
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
