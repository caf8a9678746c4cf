r"""The modes of the Bombardier ILTIS in straight driving, from 2 to 40 m/s.

The vehicle of [Schwab2002] 3.6.2 drives straight on; toe and camber give side forces, which press
it a little lower than at rest, and a drag of 0.3 N that the rear wheels' torques overcome. About
this motion the equations are linearized exactly. `examples.vehicles.iltis_straight` says what is
left of them and how modes get their names.

Ride modes depend little on the speed. Those in which wheels move sideways are damped by the tyres,
whose lateral damping is C/v: at low speed that of yaw is so strong that two eigenvalues are real.
Modes keep their names from the highest speed down; below some 7 m/s roll and yaw have changed
places, and the pair called yaw and sideslip has most of its energy in the roll.

Three things are independent of the linearization:

* slopes of the laws in the equilibrium, beside the coefficients of the benchmark's eigenvalue task
  and those of another program (`examples.vehicles.iltis_modes_by_hand`),
* the classical models of ride, with seven degrees of freedom, and handling, with two, made from
  these coefficients by hand; the latter has no roll, so it is compared with the vehicle whose
  suspension is held, too,
* differences of the nonlinear rates, of fourth order.

Run: python examples/vehicles/iltis_modes.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from mbcore import assemble
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.common import figures_folder, print_comparison, save, show
from mbcore.examples.vehicles.iltis import driving
from mbcore.examples.vehicles.iltis_modes_by_hand import handling, ride, slopes
from mbcore.examples.vehicles.iltis_modes_figures import MARKED, draw_modes, draw_root_locus
from mbcore.examples.vehicles.iltis_straight import DIRECT, NAMES, Shape, Straight, straight
from mbcore.fmus import iltis

SPEEDS = (2.0, 40.0)
"""Least and largest, m/s."""
SHOWN = 20.0
"""Speed, m/s, at which modes are drawn and compared."""
REFERENCE = {
    "damping at rest (N s/m)": 9945.627,
    "front shock absorber (N/m)": 24434.0,
    "rear shock absorber (N/m)": 37086.0,
    "front tyre, cornering (N/rad)": 41637.0,
    "rear tyre, cornering (N/rad)": 40161.0,
    "front tyre, camber (N/rad)": 6924.0,
    "rear tyre, camber (N/rad)": 6600.0,
    "front tyre, trail (m)": 0.06552,
    "rear tyre, trail (m)": 0.06142,
}
"""Slopes of the laws, by another program from the same data."""
EIGENVALUE_TASK = {
    "damping at rest (N s/m)": 9945.627,
    "front shock absorber (N/m)": 24529.0,
    "rear shock absorber (N/m)": 36975.0,
    "front tyre, cornering (N/rad)": 41641.0,
    "rear tyre, cornering (N/rad)": 40162.0,
    "front tyre, camber (N/rad)": 6925.0,
    "rear tyre, camber (N/rad)": 6600.0,
    "front tyre, trail (m)": 0.06553,
    "rear tyre, trail (m)": 0.06142,
}
"""The same as given for the benchmark's eigenvalue task."""
RIDE = (
    "pitch",
    "bounce",
    "roll",
    "tramp, axles alike",
    "hop, front wheels",
    "hop, rear wheels",
    "tramp, axles opposed",
)
"""Modes of the ride model, by the size of its eigenvalues."""
HALVINGS = 8
"""Of the interval in which a pair turns real."""
DIFFERENCE = 1e-3
"""Step of differences, in parts of a state's nominal value."""


@dataclass(frozen=True)
class Record:
    """Results; numbers with names and units as in ``REFERENCE``."""

    numbers: dict[str, float]
    speeds: np.ndarray
    eigenvalues: dict[str, np.ndarray]
    """By name of the mode, two over the speeds, shape (n, 2)."""
    shapes: dict[str, Shape]
    """At the speed shown."""
    by_hand: dict[str, tuple[complex, complex]]
    """Eigenvalues at the speed shown, ours and by hand."""
    largest_difference: float
    """Of the matrix from differences, in parts of what nominal changes do to each rate."""


def run(points: int = 77) -> Record:
    """Linearize at all speeds, and compare at one."""
    shown = straight(driving(), SHOWN)
    shapes = shown.shapes()
    course = drive(np.union1d(np.geomspace(*SPEEDS, points), MARKED))
    return Record(
        law_slopes(),
        np.array([point.speed for point in course]),
        follow(course),
        shapes,
        compare(shown, shapes),
        differences(shown),
    )


def law_slopes() -> dict[str, float]:
    """Return the slopes of the laws in the static equilibrium, from which the vehicle starts."""
    outputs = assemble(driving()).outputs
    axles = ("front", "rear")
    return slopes(
        {axle: outputs[f"{axle}_left.load"] for axle in axles},
        {axle: outputs[f"{axle}_left.damper_force"] for axle in axles},
    )


def drive(speeds: np.ndarray) -> list[Straight]:
    """Return straight driving at the speeds, and near those at which a pair turns real."""
    course = [straight(driving(), float(v)) for v in speeds]
    for _ in range(HALVINGS):
        for i in reversed(range(len(course) - 1)):
            slow, fast = course[i : i + 2]
            if np.count_nonzero(slow.eigenvalues().imag) != np.count_nonzero(
                fast.eigenvalues().imag
            ):
                course.insert(i + 1, straight(driving(), (slow.speed + fast.speed) / 2))
    return course


def follow(points: list[Straight]) -> dict[str, np.ndarray]:
    """Return the eigenvalues by mode, named at the last speed and followed down to the first."""
    last = points[-1].shapes()
    rows = [np.array([z for name in NAMES for z in _pair(last[name].eigenvalue)])]
    for point in reversed(points[:-1]):
        found = point.eigenvalues()
        distance = np.abs(rows[-1][:, None] - found[None, :])
        rows.append(found[linear_sum_assignment(distance)[1]])
    table = np.array(rows[::-1])
    return {name: table[:, 2 * i : 2 * i + 2] for i, name in enumerate(NAMES)}


def _pair(value: complex) -> tuple[complex, complex]:
    return value, value.conjugate()


def compare(point: Straight, shapes: dict[str, Shape]) -> dict[str, tuple[complex, complex]]:
    """Return ours and the eigenvalues by hand."""
    by_hand = dict(zip(RIDE, ride(), strict=True))
    found = {name: (shapes[name].eigenvalue, complex(by_hand[name])) for name in RIDE}
    upper = max(handling(point.speed), key=lambda z: z.imag)
    held = max(point.without_suspension(), key=lambda z: z.imag)
    name = "yaw and sideslip"
    return found | {
        f"{name}, suspension held": (complex(held), complex(upper)),
        name: (shapes[name].eigenvalue, complex(upper)),
    }


def differences(point: Straight) -> float:
    """Return how far the matrix is from one of differences, in parts of each row's largest."""
    evaluation = Evaluation(point.about.equations, DIRECT, point.motion.inputs)
    nominal = np.array([state.nominal for state in point.about.equations.states])
    names = point.about.state_names
    columns = []
    for i in point.kept:
        h, column = DIFFERENCE * nominal[i], np.zeros(len(names))
        for share, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
            changed = point.motion.state[names[i]] + share * h
            evaluation.start(point.motion.state | {names[i]: changed})
            column += weight * evaluation.derivative()
        columns.append(column[point.kept] / (12 * h))
    apart = np.abs(np.column_stack(columns) - point.matrix) * nominal[point.kept]
    size = np.abs(point.matrix) * nominal[point.kept]
    return float((apart.max(axis=1) / size.max(axis=1)).max())


def draw(record: Record, folder: Path) -> None:
    """Write the figures."""
    save(draw_root_locus(record.speeds, record.eigenvalues), folder, "iltis_root_locus")
    save(draw_modes(record.shapes, SHOWN), folder, "iltis_modes")


def report(record: Record) -> None:
    """Print the modes, and what they are compared with."""
    print(f"\nModes of the ILTIS at {SHOWN:g} m/s")
    print(f"{'':24}{'eigenvalue (1/s)':>20}{'frequency (Hz)':>16}{'damping':>9}   energy")
    for name in NAMES:
        shape = record.shapes[name]
        z = shape.eigenvalue
        parts = sorted(shape.shares.items(), key=lambda item: -item[1])[:3]
        told = ", ".join(f"{part} {100 * share:.0f} %" for part, share in parts if share > 0.005)
        print(f"{name:24}{z:20.3f}{z.imag / 2 / np.pi:16.3f}{-z.real / abs(z):9.3f}   {told}")
    print(f"\nBeside models by hand\n{'':40}{'ours':>20}{'by hand':>20}{'difference':>12}")
    for name, (ours, hand) in record.by_hand.items():
        print(f"{name:40}{ours:20.3f}{hand:20.3f}{abs(ours - hand) / abs(ours):12.1%}")
    rows = [(name, record.numbers[name], value) for name, value in REFERENCE.items()]
    print_comparison("Slopes of the laws, beside another program", rows)
    task = [(name, record.numbers[name], value) for name, value in EIGENVALUE_TASK.items()]
    print_comparison("The same, beside the coefficients of the eigenvalue task", task)
    print(f"matrix from differences of rates: {record.largest_difference:.1e} of a row away")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(iltis.model(), folder, "iltis_modes", "ILTIS, road vehicle of the IAVSD")
    record = run()
    report(record)
    draw(record, folder)


if __name__ == "__main__":
    main()
