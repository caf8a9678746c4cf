r"""Ideal rolling as the limit of a stiffening tyre: the FMU car tends to the FMU vehicle.

The vehicle rolls ideally: one rigid body, four wheels without mass that slip neither along at the
rear nor across. The car has all that this leaves out. Here each such thing is multiplied by a
number ε that goes to zero:

* slips: slip and cornering stiffness of the tyres are 1/ε times those of their property file;
* relaxation: so are, squared, the stiffnesses of the carcass, so that relaxation lengths go with ε
  (down to a tenth of the radius, where the library holds them);
* heave, pitch and roll: springs, anti-roll bars and radial stiffness of the tyres are 1/ε times as
  stiff, dampers 1/√ε times, so that damping ratios stay;
* steering: compliance and inertia;
* inertia of the wheels about their axles and diameters. Their mass stays: it belongs to the rigid
  body of the limit, whose mass centre is halfway between the axles.

Effects without such a number are the same in both: no drag, shifts, trail, camber forces, ply steer
or rolling resistance, and Ackermann's angles in full, so that all wheels turn about one centre.

Both are steered to the left and back to the right in three seconds. All states differ by terms in
proportion to ε: the paths of different ε, less the limit and divided by ε, become one curve.

Run: python examples/cars/car_limit.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Result, simulate
from mbcore.examples.cars.ideal_rolling import drive_vehicle, scaled_tyre
from mbcore.examples.common import figures_folder, head, plain, save, show
from mbcore.fmus import car
from mbcore.fmus.tyre_data import TyreData

WHEELBASE, MASS, INERTIA = 2.5, 1100.0, 1500.0
"""Of the limit: m, kg, kg m2; the mass centre is halfway between the axles."""
SPEED, UNTIL = 15.0, 4.0
STEERED, BEGINS, ENDS = 0.05, 0.5, 3.5
"""Greatest angle of the front axle, about, rad; from when to when it is steered, s."""
SOFTNESS = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)
COMPARED = {"x": "m", "y": "m", "yaw": "rad", "speed": "m/s"}
"""Compared quantities, with units."""
STEADILY = {"rtol": 1e-7, "atol": 1e-8, "samples": 161}


def steer(time: float) -> float:
    """Return the angle of the front axle, rad."""
    share = (min(max(time, BEGINS), ENDS) - BEGINS) / (ENDS - BEGINS)
    return STEERED * np.sin(2 * np.pi * share) * np.sin(np.pi * share) ** 2


def steer_rate(time: float) -> float:
    """Return its rate, rad/s."""
    share = (min(max(time, BEGINS), ENDS) - BEGINS) / (ENDS - BEGINS)
    there, twice = np.pi * share, 2 * np.pi * share
    turning = 2 * np.cos(twice) * np.sin(there) ** 2 + np.sin(twice) ** 2
    return STEERED * np.pi / (ENDS - BEGINS) * turning


def tyre(softness: float) -> TyreData:
    """Return the shipped tyre without what does not vanish, 1/ε times as stiff."""
    stiffer = dict.fromkeys(("LKX", "LKY", "LCZ"), 1 / softness)
    carcass = dict.fromkeys(("LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS"), 1 / softness**2)
    return scaled_tyre({"LTR": 0.0, **stiffer, **carcass})


def data_of(made: car.Car, softness: float) -> dict[str, float]:
    """Return the parameters of the car at ε."""
    own = {name: parameter.value for name, parameter in made.model.parameters.items()}
    wheels = own["wheel.mass"]
    apart = WHEELBASE**2 / 2 + (own["front.track"] ** 2 + own["rear.track"] ** 2) / 4
    given = {
        "wheelbase": WHEELBASE,
        "to_front_axle": WHEELBASE / 2,
        "body.mass": MASS - 4 * wheels,
        "body.inertia_zz": INERTIA - 2 * wheels * apart,
        "drag.area": 0.0,
    }
    for name in ("wheel.spin_inertia", "wheel.inertia", "steering.inertia", "steering.compliance"):
        given[name] = own[name] * softness
    for axle in ("front", "rear"):
        for name in (f"{axle}.spring_stiffness", f"{axle}.anti_roll_stiffness"):
            given[name] = own[name] / softness
        given[f"{axle}.damping"] = own[f"{axle}.damping"] / np.sqrt(softness)
    return given


def drive_car(softness: float) -> Result:
    """Drive the car at ε."""
    made = car.build(tyre(softness))
    ratio = made.model.parameters["steering.ratio"].value
    return simulate(
        made.model.equations(),
        UNTIL,
        backend="c",
        method="rosenbrock",
        parameters=data_of(made, softness),
        inputs={"steering_wheel.angle": lambda time: ratio * steer(time)},
        start={"body.speed": SPEED},
        **STEADILY,
    )


def limit() -> Result:
    """Drive the vehicle that rolls ideally."""
    data = (WHEELBASE, WHEELBASE / 2, MASS, INERTIA)
    closely = STEADILY | {"rtol": 1e-10, "atol": 1e-11}
    return drive_vehicle(UNTIL, SPEED, data, steer, steer_rate, **closely)


@dataclass(frozen=True)
class Record:
    """The limit, and the cars by their ε."""

    limit: Result
    cars: dict[float, Result]

    def difference(self, softness: float, name: str) -> np.ndarray:
        """Return what is missing to the limit over time."""
        return self.cars[softness][f"body.{name}"] - self.limit[f"chassis.{name}"]

    def largest(self, name: str) -> np.ndarray:
        """Return the largest difference for each ε."""
        return np.array([np.abs(self.difference(one, name)).max() for one in self.cars])

    @property
    def numbers(self) -> dict[str, float]:
        """Orders over all ε, and the differences at the smallest."""
        sizes = np.log(list(self.cars))
        found = {
            f"order of {name}": float(np.polyfit(sizes, np.log(self.largest(name)), 1)[0])
            for name in COMPARED
        }
        least = f"ε = 1/{1 / min(self.cars):g}"
        for name, unit in COMPARED.items():
            found[f"largest difference of {name}, {least} ({unit})"] = float(self.largest(name)[-1])
        return found


def run(softness: tuple[float, ...] = SOFTNESS) -> Record:
    """Drive the limit and all cars."""
    return Record(limit(), {one: drive_car(one) for one in softness})


SHADES = ("#c4501b", "#edb200", "#4e9a06", "#1f5fa8", "#5c3566")


def _draw_paths(axes: Axes, record: Record, shades: dict[float, str]) -> None:
    for one, driven in record.cars.items():
        axes.plot(driven["body.x"], driven["body.y"], color=shades[one], label=_name(one))
    limit = record.limit
    axes.plot(limit["chassis.x"], limit["chassis.y"], "k--", label="ideal rolling")
    plain(axes, "x (m)", "y (m)")
    head(axes, "Paths of the mass centre", 6)


def _name(softness: float) -> str:
    return f"ε = 1/{1 / softness:g}"


def _draw_orders(axes: Axes, record: Record) -> None:
    sizes = np.array(list(record.cars))
    colors = ("#1f5fa8", "#c4501b", "#4e9a06", "#75507b")
    for (name, unit), color in zip(COMPARED.items(), colors, strict=True):
        axes.loglog(sizes, record.largest(name), "o-", color=color, label=f"{name}, {unit}")
    axes.loglog(sizes, 0.5 * sizes, "k--", linewidth=1.0, label="order 1")
    plain(axes, "ε", "largest difference")
    axes.set_xticks(sizes, [f"1/{1 / one:g}" for one in sizes])
    axes.minorticks_off()
    head(axes, "Largest differences: car less ideal rolling", 5)


def draw(record: Record, folder: Path) -> None:
    """Draw paths, the differences of y divided by ε, and the largest differences over ε."""
    figure = Figure(figsize=(12, 8.5), layout="constrained")
    above, below = figure.subfigures(2, 1)
    shades = dict(zip(record.cars, SHADES, strict=True))
    _draw_paths(above.subplots(), record, shades)
    scaled, orders = below.subplots(1, 2)
    for one in record.cars:
        missing = record.difference(one, "y") / one
        scaled.plot(record.limit.time, missing, color=shades[one], linewidth=1.5)
    plain(scaled, "time (s)", "difference of y over ε (m)")
    scaled.set_title("Divided by ε, all differences are one curve; colours as above", loc="left")
    _draw_orders(orders, record)
    save(figure, folder, "car_limit")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(car.model(), folder, "car_limit", "Road car, whose tyres and springs become stiffer")
    record = run()
    print("Car less ideal rolling, for ε from 1/4 to 1/64")
    for name, value in record.numbers.items():
        print(f"{name:56}{value:12.4g}")
    draw(record, folder)


if __name__ == "__main__":
    main()
