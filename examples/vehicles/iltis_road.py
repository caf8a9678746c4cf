r"""The ILTIS over a bump and on random roads, beside its linearized equations.

The road's height under each wheel and its exact rate are inputs; a drive torque holds the speed.

**Bump**: 50 mm high and 1 m long, by cosine, under the front wheels and later the rear ones, at 10
and 20 m/s, and under the left wheels alone. The leaf springs reach their stops, the tyres leave the
road behind the bump and land. From rest to rest the momentum has not changed, so the mean of all
loads is the weight, m g (but for their direction, along the wheels' spokes). A bump of 0.1 mm is
small: one twice as high brings twice the response.

**Random road** [ISO 8608], classes A and C at 20 m/s, periodic with exact amplitudes (see
``iltis_road_profiles.py``). In the steady state the response is periodic too, and the linearized
equations Δṡ = A Δs + B Δu, Δy = C Δs + D Δu predict every line of its spectrum,

    y_k = (C (iω_k - A)^-1 B + D) u_k,    u_k the heights a_k and their rates iω_k a_k,

so its power spectral density is |y_k|² T/2, which is |H|² G for the cabin's vertical acceleration.
It has notches at odd multiples of v/(2 l) = 4.96 Hz, where the rear axle goes down as the front one
goes up.
On a road of a hundredth of the amplitudes of class A the full equations meet every line to a few
thousandths of the largest one, and root mean squares to a few parts in ten thousand. On class A
they still do to 2 %. On class C the dampers, which yield at higher rates, make the cabin's ride
softer, and travel and loads larger: wheels leave the road.

Run: python examples/vehicles/iltis_road.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.integrate import trapezoid

from mbcore import (
    Equations,
    Linearization,
    Result,
    SteadyMotion,
    linearize,
    simulate,
    steady_motion,
)
from mbcore.examples.common import figures_folder, print_comparison, save, show
from mbcore.examples.vehicles import iltis_handling
from mbcore.examples.vehicles.iltis_road_figures import draw_bumps, draw_random
from mbcore.examples.vehicles.iltis_road_profiles import CLASSES, Bump, RandomRoad
from mbcore.fmus import iltis
from mbcore.fmus.iltis.data import CORNERS

DIRECT = {"road": 2.0, "steering": 2.0}
WEIGHT = 9.81 * (1260 + 4 * (6 + 57.35))
"""N."""
LEFT = ("front_left", "rear_left")
BUMPS = {
    "10 m/s": Bump(0.05, 1.0, 10.0),
    "20 m/s": Bump(0.05, 1.0, 20.0),
    "10 m/s, left wheels": Bump(0.05, 1.0, 10.0, LEFT),
}
SMALL = 1e-4
"""Height of a small bump, m."""
SPEED = 20.0
"""On random roads, m/s."""
FAINT = "a hundredth of A"
ROADS = {FAINT: 1e-4 * CLASSES["A"], "A": CLASSES["A"], "C": CLASSES["C"]}
SETTLED, SAMPLES = 3.0, 1000
"""When the response has become periodic, s; and samples in a period."""
QUANTITIES = {
    "cabin.acceleration_z": "cabin's acceleration (m/s²)",
    "front_left.load": "front left load (N)",
    "rear_right.load": "rear right load (N)",
    "front_left.travel": "front left travel (m)",
    "cabin.roll_rate": "roll rate (rad/s)",
}


@dataclass(frozen=True)
class Ride:
    """A random road's response, over one period.

    Attributes
    ----------
    road : RandomRoad
    time : ndarray
        s, from the road's beginning.
    values : dict of str to ndarray
    lines, predicted : dict of str to ndarray
        Complex amplitudes of the road's harmonics: of the full equations, and of the linear ones.
    """

    road: RandomRoad
    time: np.ndarray
    values: dict[str, np.ndarray]
    lines: dict[str, np.ndarray]
    predicted: dict[str, np.ndarray]

    def apart(self, name: str) -> float:
        """Return the largest difference of lines, relative to the largest line."""
        largest = np.abs(self.predicted[name]).max()
        return float(np.abs(self.lines[name] - self.predicted[name]).max() / largest)

    def linear_rms(self, name: str) -> float:
        """Return the root mean square of the linear response."""
        return float(np.sqrt(np.sum(np.abs(self.predicted[name]) ** 2) / 2))

    def rms(self, name: str) -> float:
        """Return the root mean square about the mean."""
        return float(np.std(self.values[name]))


@dataclass(frozen=True)
class Record:
    """Comparisons, what is measured besides, and motions."""

    numbers: dict[str, float]
    reference: dict[str, float]
    bumps: dict[str, Result]
    rides: dict[str, Ride]


@cache
def equations() -> Equations:
    """Return the vehicle with one drive torque for all wheels."""
    return iltis_handling.model().equations()


@cache
def straight(speed: float) -> SteadyMotion:
    """Return straight driving."""
    return steady_motion(equations(), {"cabin.speed": speed}, find=["drive.torque"])


def drive(road: Bump | RandomRoad, until: float, samples: np.ndarray) -> Result:
    """Simulate the vehicle on a road."""
    start = straight(road.speed)
    return simulate(
        equations(), until, start=start.state, parameters=DIRECT,
        inputs={**road.inputs(), "drive.torque": start.inputs["drive.torque"]},
        breaks=road.breaks() if isinstance(road, Bump) else (),
        samples=samples, rtol=1e-6, atol=1e-6, progress=False,
    )  # fmt: skip


def over(bump: Bump, until: float = 3.0) -> Result:
    """Simulate a bump, a thousand samples a second."""
    return drive(bump, until, np.linspace(0, until, round(1000 * until) + 1))


def predict(about: Linearization, road: RandomRoad, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Return complex amplitudes of outputs of the linearized equations."""
    inputs = [i.name for i in about.equations.inputs]
    rows = [[o.name for o in about.equations.outputs].index(name) for name in names]
    given = np.zeros((road.order.size, len(inputs)), dtype=complex)
    rates = 2j * np.pi * road.frequency
    for name, heights in road.amplitudes().items():
        given[:, inputs.index(f"{name}.road_height")] = heights
        given[:, inputs.index(f"{name}.road_rate")] = rates * heights
    unit, found = np.eye(len(about.state_matrix)), []
    for rate, u in zip(rates, given, strict=True):
        states = np.linalg.solve(rate * unit - about.state_matrix, about.input_matrix @ u)
        found.append(about.output_matrix[rows] @ states + about.feedthrough[rows] @ u)
    return dict(zip(names, np.array(found).T, strict=True))


def ride(road: RandomRoad) -> Ride:
    """Simulate a random road, and predict its response."""
    start = straight(road.speed)
    about = linearize(
        equations(), start.state, parameters=DIRECT, inputs=start.inputs, unsteady=True
    )
    time = SETTLED + road.period / SAMPLES * np.arange(SAMPLES)
    motion = drive(road, SETTLED + road.period, np.concatenate([[0.0], time]))
    names = list(QUANTITIES) + [f"{n}.load" for n in CORNERS if f"{n}.load" not in QUANTITIES]
    values = {name: motion[name][1:] for name in names}
    # phases are those at the road's beginning
    back = np.exp(-2j * np.pi * road.frequency * SETTLED)
    lines = {n: 2 / SAMPLES * np.fft.rfft(v)[road.order] * back for n, v in values.items()}
    return Ride(road, time, values, lines, predict(about, road, names))


def compare_rides(rides: dict[str, Ride]) -> tuple[dict[str, float], dict[str, float]]:
    """Return numbers and references of rides: lines, root mean squares, mean loads."""
    numbers: dict[str, float] = {}
    reference: dict[str, float] = {}
    for road, found in rides.items():
        for name, title in QUANTITIES.items():
            if road == FAINT:
                numbers[f"{road}: lines apart, {name}"] = found.apart(name)
                reference[f"{road}: lines apart, {name}"] = 0.0
            numbers[f"{road}: rms {title}"] = found.rms(name)
            reference[f"{road}: rms {title}"] = found.linear_rms(name)
        loads = np.array([found.values[f"{name}.load"] for name in CORNERS])
        numbers[f"{road}: mean of all loads / weight"] = float(loads.sum(axis=0).mean() / WEIGHT)
        reference[f"{road}: mean of all loads / weight"] = 1.0
        numbers[f"{road}: least load of a wheel (N)"] = float(loads.min())
    return numbers, reference


def compare_bumps(bumps: dict[str, Result]) -> tuple[dict[str, float], dict[str, float]]:
    """Return numbers and references of bumps; two small ones are simulated here."""
    once, twice = (over(Bump(h, 1.0, 10.0), 1.0) for h in (SMALL, 2 * SMALL))
    numbers: dict[str, float] = {}
    for name, title in QUANTITIES.items():
        if name != "cabin.roll_rate":
            one, two = (np.abs(m[name] - m[name][0]).max() for m in (once, twice))
            numbers[f"{title}: bump twice as high"] = float(two / one)
    reference = dict.fromkeys(numbers, 2.0)
    for title, motion in bumps.items():
        loads = np.array([motion[f"{name}.load"] for name in CORNERS])
        mean = trapezoid(loads.sum(axis=0), motion.time) / motion.time[-1]
        numbers[f"bump, {title}: mean of all loads / weight"] = float(mean / WEIGHT)
        reference[f"bump, {title}: mean of all loads / weight"] = 1.0
        numbers[f"bump, {title}: largest acceleration (m/s²)"] = float(
            np.abs(motion["cabin.acceleration_z"]).max()
        )
        numbers[f"bump, {title}: largest load (kN)"] = float(loads.max() / 1e3)
        numbers[f"bump, {title}: largest roll (deg)"] = float(
            np.rad2deg(np.abs(motion["cabin.roll"]).max())
        )
        numbers[f"bump, {title}: front left in the air (s)"] = float(
            trapezoid(motion["front_left.airborne"], motion.time)
        )
    return numbers, reference


def run(bumps: Iterable[str] = tuple(BUMPS), roads: Iterable[str] = tuple(ROADS)) -> Record:
    """Drive over bumps and on random roads."""
    crossed = {title: over(BUMPS[title]) for title in bumps}
    numbers, reference = compare_bumps(crossed)
    rides = {name: ride(RandomRoad(ROADS[name], SPEED)) for name in roads}
    of_rides, predicted = compare_rides(rides)
    return Record(numbers | of_rides, reference | predicted, crossed, rides)


def draw(record: Record, folder: Path) -> None:
    """Draw bumps, and spectra of random roads."""
    save(draw_bumps(record.bumps, BUMPS), folder, "iltis_bump")
    save(draw_random(record.rides), folder, "iltis_random_road")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(iltis.model(), folder, "iltis_road", "ILTIS, road vehicle of the IAVSD")
    record = run()
    print_comparison(
        "The ILTIS over bumps and random roads, beside exact and linear responses",
        [(name, record.numbers[name], reference) for name, reference in record.reference.items()],
    )
    print()
    for name, number in record.numbers.items():
        if name not in record.reference:
            print(f"{name:50}{number:10.4f}")
    draw(record, folder)


if __name__ == "__main__":
    main()
