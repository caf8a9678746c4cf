r"""The Bombardier ILTIS: static equilibrium and ramp-to-step steer of a whole road vehicle.

The benchmark of the IAVSD workshop of 1990, [Schwab2002] 3.6.2: a cabin, four suspensions that are
written once (`mbcore.fmus.iltis.suspension`), a rack, tyres that are radially compliant and
give side force and aligning torque by the Calspan formulas. Ten degrees of freedom.

**Equilibrium.** A vehicle that cannot go away (its forward and sideways speeds are forbidden) sinks
onto its springs: reduced forces f̄(q) = 0 in height, three angles of the cabin and four arms. Table
3.2 has what SPACAR, NEWEUL and SIMPACK found; these differ by up to 3 %, for they do not quite have
the same data. The vehicle's start values are this equilibrium.

**Ramp-to-step steer.** From straight driving at 10, 20 and 30 m/s the rack moves to the left with
4 mm/s for half a second and is then held at 2 mm, which turns the vehicle to the right. The
reference's wheels turn with the speed of the start, so the vehicle slows down in the curve. At 10
m/s ours and the reference differ by its rounding, at 30 m/s by up to 0.2 %, which is the load in
the tyres' law: here it is the force F of the radial spring, along the spoke, there the normal force
N = (F + F_y sin γ)/cos γ. With that in the law 0.01 % is left.

**Fig. 3.28.** At 30 m/s, with wheels that roll without longitudinal slip, as the text reads the
benchmark: the complete tyre, a simplified one without camber force and aligning torque, and a mean
lateral slip of zero on either axle, where constraint forces guide the vehicle as on rails and the
yaw rate is not reduced by the tyres' compliance, but by what roll does to the wheels' steer.

Run: python examples/vehicles/iltis.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from mbcore import Equations, assemble, equilibrium
from mbcore.examples.common import figures_folder, print_comparison, save, show
from mbcore.examples.vehicles.iltis_figures import draw_three_speeds, draw_three_tyres
from mbcore.examples.vehicles.iltis_published import (
    ACCELERATIONS,
    DESIGN,
    EXTREMES,
    INDEPENDENT,
    TABLE_3_2,
    TIMES,
    WHEELS_AT_REST,
    YAW_RATES,
)
from mbcore.examples.vehicles.iltis_ramp import Steer, steer
from mbcore.fmus import iltis
from mbcore.fmus.iltis.data import REST
from mbcore.fmus.iltis.tyres import COMPLETE, NO_LATERAL_SLIP, SIMPLIFIED
from mbcore.fmus.iltis.wheel import ROLLING

SPEEDS = (10, 20, 30)
"""m/s."""
TYRES = {
    "simplified tyre": SIMPLIFIED,
    "no lateral slip (of the axles)": NO_LATERAL_SLIP,
    "complete tyre": COMPLETE,
}
"""Curves of Fig. 3.28 by the choice of tyres."""
REFERENCE = INDEPENDENT | DESIGN | WHEELS_AT_REST


@cache
def driving() -> Equations:
    """Return the equations of the vehicle that drives."""
    return iltis.model().equations()


@dataclass(frozen=True)
class Record:
    """Results; numbers of the equilibrium with names and units as in ``REFERENCE``."""

    numbers: dict[str, float]
    states: dict[str, float]
    """Of the equilibrium, by name."""
    ramps: dict[int, Steer]
    """With prescribed wheels, by speed, m/s."""
    curves: dict[str, Steer]
    """Of Fig. 3.28, with rolling wheels, by tyres."""


def rest() -> tuple[dict[str, float], dict[str, float]]:
    """Return the numbers and the states of the equilibrium, sought from the design position."""
    standing = iltis.build(standing=True).equations()
    design = dict.fromkeys(REST, 0.0)
    before = assemble(standing, start=design).outputs
    found = equilibrium(standing, start=design, progress=False)
    states, outputs = found.states, found.outputs
    numbers = {
        "cabin: vertical displacement (mm)": 1e3 * states["cabin.z"],
        "cabin: pitch angle (deg)": float(np.degrees(states["cabin.pitch"])),
        "design position: leaf spring (N)": before["front_left.leaf_spring_force"],
        "design position: shock absorber (N)": before["front_left.damper_force"],
    }
    # wheels that roll straight ahead have their toe as a slip angle
    slips = assemble(driving(), start={name: states[name] for name in REST}).outputs
    for axle, outward, toe in (("front", -1, "out"), ("rear", 1, "in")):
        right = f"{axle}_right"
        numbers |= {
            f"right {axle} tyre (N)": -outputs[f"{right}.load"],
            f"shock absorber right {axle} (N)": outputs[f"{right}.damper_force"],
            f"leaf spring right {axle}, spring (N)": outputs[f"{right}.leaf_spring_force"],
            f"leaf spring right {axle}, rod (N)": outputs[f"{right}.leaf_rod_force"],
            f"design position: {axle} tyre (N)": -before[f"{right}.load"],
            f"{axle} wheels: toe {toe} (deg)": float(
                np.degrees(outward * slips[f"{axle}_left.slip_angle"])
            ),
            f"{axle} wheels: camber, top inward (deg)": float(
                np.degrees(slips[f"{axle}_left.camber"])
            ),
        }
    return numbers, states


def run() -> Record:
    """Let the vehicle stand, and steer it at all speeds and on all tyres."""
    numbers, states = rest()
    equations = driving()
    ramps = {speed: steer(equations, speed) for speed in SPEEDS}
    curves = {name: steer(equations, SPEEDS[-1], tyres, ROLLING) for name, tyres in TYRES.items()}
    return Record(numbers, states, ramps, curves)


def within(name: str, value: float) -> bool:
    """Return whether a value is in the range of its row, widened by its width on both sides."""
    row = TABLE_3_2[name]
    width = max(row) - min(row)
    return min(row) - width <= value <= max(row) + width


def print_table(numbers: dict[str, float]) -> None:
    """Print Table 3.2 with a column of ours."""
    columns = ("ours", "SPACAR", "NEWEUL", "SIMPACK")
    print("\nStatic equilibrium of the ILTIS, [Schwab2002] Table 3.2")
    print(f"{'':36}" + "".join(f"{c:>11}" for c in columns) + "   in their range, widened")
    for name, row in TABLE_3_2.items():
        ours = numbers[name]
        print(
            f"{name:36}"
            + "".join(f"{v:11.6g}" for v in (ours, *row))
            + ("   yes" if within(name, ours) else "   no")
        )


def print_ramps(ramps: dict[int, Steer]) -> None:
    """Print yaw rates and accelerations beside the reference."""
    for speed, ramp in ramps.items():
        rates, accelerations = ramp.at(TIMES)
        rows = [
            (f"{quantity} at {t:g} s", float(ours), reference)
            for quantity, found, listed in (
                ("yaw rate (rad/s)", rates, YAW_RATES[speed]),
                ("acceleration (m/s2)", accelerations, ACCELERATIONS[speed]),
            )
            for t, ours, reference in zip(TIMES, found, listed, strict=True)
        ]
        found = ramp.extremes()
        rows += [(name, found[name], reference) for name, reference in EXTREMES[speed].items()]
        print_comparison(f"Ramp-to-step steer at {speed} m/s", rows)


def draw(record: Record, folder: Path) -> None:
    """Write the figures."""
    save(draw_three_tyres(record.curves, SPEEDS[-1]), folder, "iltis_yaw_rate")
    save(draw_three_speeds(record.ramps), folder, "iltis_ramp_steer")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(iltis.model(), folder, "iltis", "ILTIS, road vehicle of the IAVSD")
    record = run()
    print_table(record.numbers)
    print_comparison(
        "The same beside another program; loads of the publication; how the wheels stand",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    apart = max(abs(record.states[name] - value) for name, value in REST.items())
    print(f"start values of the vehicle: at most {apart:.1e} from this equilibrium")
    print_ramps(record.ramps)
    draw(record, folder)


if __name__ == "__main__":
    main()
