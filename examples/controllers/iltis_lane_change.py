r"""The ILTIS's FMU driven through the double lane change of ISO 3888-1, as the other vehicles are.

The driver of `examples.vehicles.lane_change_driver` sits in the ILTIS by way of
`examples.controllers.iltis_driver`.
`vehicle.fmu`, whose wheels do not slip and whose body does not roll, is given the same size and
mass and driven likewise. At small lateral acceleration both take one path.

Faster, the ILTIS understeers, and its rear axle moves outwards, so that a driver who knows its
geometry alone comes late. One who has got to know it takes two numbers from the FMU's directional
derivatives, both in steady cornering at his speed: the wheelbase of a vehicle without slip that
would turn as slowly, l' = v δ/r, and the point that does not slip sideways. This goes where the
vehicle points, as the rear axle of a vehicle without slip does, and is v_y/r behind the mass
centre; by hand m_r v²/C_r before the rear axle, with its share m_r of the mass and the cornering
stiffness C_r of its tyres. Nobody tells him of tyres near their limit: faster, he, too, hits cones.

Run: python examples/controllers/iltis_lane_change.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mbcore.examples.common import figures_folder, print_comparison, show
from mbcore.examples.controllers.iltis_driver import (
    REAR_TO_CABIN,
    WHEELBASE,
    Car,
    Drive,
    drive,
    got_to_know,
    rack_ratio,
    the_ideal,
    the_iltis,
)
from mbcore.examples.controllers.iltis_lane_change_figures import draw_course, draw_speeds
from mbcore.examples.cosimulation import built
from mbcore.examples.vehicles.lane_change_driver import plan, read_lanes
from mbcore.fmus import iltis, vehicle

LOWEST = 20 / 3.6
"""Speed at which both vehicles are compared, m/s."""
SPEEDS = (40.0, 60.0, 70.0, 75.0, 80.0, 90.0, 100.0, 120.0)
"""Of the ILTIS, km/h."""
SHOWN = 80.0


@dataclass(frozen=True)
class Record:
    """Drives of all three by speed in km/h, and the slowest ones of the first two."""

    slow: Drive
    slow_ideal: Drive
    ideal: Drive
    """`vehicle.fmu` at the speed ``SHOWN``."""
    bare: dict[float, Drive]
    """The driver knows the geometry."""
    known: dict[float, Drive]
    """The driver knows how the ILTIS turns."""
    cars: dict[float, Car]
    """As the second driver takes it, by speed."""

    @property
    def apart(self) -> float:
        """Largest distance of the two slow paths of the rear axle, m."""
        x, y = self.slow_ideal.rear_axle.T
        own_x, own_y = self.slow.rear_axle.T
        inside = own_x < x[-1]
        return float(np.abs(own_y[inside] - np.interp(own_x[inside], x, y)).max())

    @property
    def wheelbase(self) -> float:
        """Wheelbase l' at standstill, from two speeds: it grows with v², m."""
        (slow, one), (fast, other) = list(self.cars.items())[:2]
        growth = (other.wheelbase - one.wheelbase) / (fast**2 - slow**2)
        return one.wheelbase - growth * slow**2

    @property
    def slip_free(self) -> float:
        """Distance of the point that does not slip from the rear axle over v², s2/m."""
        speed, car = next(iter(self.cars.items()))
        return (REAR_TO_CABIN - car.followed) / (speed / 3.6) ** 2


def slip_free_by_hand() -> float:
    """Return m_r/C_r, s2/m, with the load of a rear tyre and Calspan's cornering stiffness."""
    load = 3591.91
    return load / 9.81 / (2625.0 + 14.47 * load * (1 - load / 12930.0))


def last_passed(drives: Mapping[float, Drive]) -> float:
    """Return the highest of the speeds at which all cones stood, km/h."""
    return max((speed for speed, drive in drives.items() if drive.passed), default=0.0)


def run(
    fmu: Path | None = None, ideal: Path | None = None, speeds: Sequence[float] = SPEEDS
) -> Record:
    """Drive both slowly, and the ILTIS faster and faster.

    Parameters
    ----------
    fmu, ideal : Path, optional
        The ILTIS and the vehicle, FMI 3.0; by default those in ``build/``, exported where missing.
    speeds : sequence of float
        Of the ILTIS, km/h.
    """
    lanes = read_lanes()
    course = plan(lanes, WHEELBASE)
    own, other = the_iltis(fmu or built(iltis)), the_ideal(ideal or built(vehicle))
    known = {speed: got_to_know(own, speed / 3.6) for speed in speeds}
    return Record(
        drive(own, course, lanes, LOWEST),
        drive(other, course, lanes, LOWEST),
        drive(other, course, lanes, SHOWN / 3.6),
        {speed: drive(own, course, lanes, speed / 3.6) for speed in speeds},
        {speed: drive(car, course, lanes, speed / 3.6) for speed, car in known.items()},
        known,
    )


def report(record: Record) -> None:
    """Print what came of the drives."""
    print(f"\nrack over angle of the wheels: {1e3 * rack_ratio():.3f} mm/rad")
    print("ISO 3888-1 double lane change with the ILTIS")
    heading = ("km/h", "clearance/m", "cones", "a_y/(m/s2)", "roll/°", "steer/°", "least load/N")
    for title, drives in (("geometry", record.bare), ("turning", record.known)):
        print(f"driver knows its {title}\n" + "".join(f"{text:>14}" for text in heading))
        for speed, one in drives.items():
            numbers = (
                one.clearance,
                one.cones_hit,
                one.largest("cabin.acceleration_y"),
                np.degrees(one.largest("cabin.roll")),
                np.degrees(one.largest("steer")),
                one.lightest,
            )
            texts = (f"{n:14d}" if isinstance(n, int) else f"{n:14.3f}" for n in numbers)
            print(f"{speed:14g}" + "".join(texts))
    print_comparison(
        f"Beside vehicle.fmu at {3.6 * LOWEST:g} km/h, and what the driver learns: by hand",
        [
            ("distance of the paths (m)", record.apart, 0.0),
            ("wheelbase, from speeds to standstill (m)", record.wheelbase, WHEELBASE),
            ("point that does not slip (s2/m)", record.slip_free, slip_free_by_hand()),
        ],
    )


def main() -> None:
    """Drive, print and draw."""
    folder = figures_folder(__doc__)
    show(iltis.model(), folder, "iltis_lane_change", "ILTIS, road vehicle of the IAVSD")
    record = run()
    report(record)
    draw_course(record, folder)
    draw_speeds(record, folder)


if __name__ == "__main__":
    main()
