"""The actively controlled vehicle of [SchiehlenEismann]: Figs. 2 to 7 and Table 1.

A vehicle whose axles do not slip sideways has three positional degrees of freedom and one of
velocity, v_H, the speed along its axis. The steering follows the speed, α = arctan(v_H / v_L) (36),
so that the driving force alone controls the motion. In the paper's dimensionless quantities, with
κ = l_H / l and i² = I / (m l²),

    x' = v cos γ - v² κ sin γ,    y' = v sin γ + v² κ cos γ,    γ' = v²,
    [1 + 2 (i² + κ²) v²] v' = u_x (cos γ - v κ sin γ) + u_y (sin γ + v κ cos γ).               (42)

Here the vehicle is that of ``fmu_src/vehicle.py``, made in ``single_track/`` of a rigid body,
a hinge and two planar wheels; with l = m = v_L = 1 its numbers are the dimensionless ones. Shown
are

* Fig. 2, the stationary circle at v_0 = 0.8, radius √(κ² + 1/v_0²), period 2π/v_0²;
* Figs. 3 and 4, constant driving force from rest and against the circular motion, where the speed
  obeys the cubic (52);
* Fig. 5 and Table 1, bang-bang control that displaces or turns the vehicle;
* Figs. 6 and 7, running down a slope without drive, (54), with the energy integral (55).

The paper does not print κ = 0.5 (from the radius 1.346) and i² = 0.09 (from Table 1's 2.661), nor
u of Figs. 3 and 4 and γ_0 of Figs. 6 and 7: chosen here are u = ±1, γ_0 = π/4 and -1.75. Reference
numbers were integrated from (42) at relative tolerances of 1e-12.

Run: python examples/rolling/schiehlen_eismann.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

from mbcore import Equations, Result, simulate
from mbcore.drawing import tube
from mbcore.examples.common import ABOVE, figures_folder, print_comparison, save, show
from mbcore.examples.rolling.schiehlen_eismann_figures import Motion, draw_bang_bang, draw_motion
from mbcore.fmus import vehicle

KAPPA, GYRATION = 0.5, 0.09
"""κ and i²."""
SPEED_LAW = 3
DIMENSIONLESS = {
    "steering": SPEED_LAW,
    "steer.reference_speed": 1.0,
    "chassis.mass": 1.0,
    "chassis.inertia": GYRATION,
    "wheelbase": 1.0,
    "rear_to_mass_centre": KAPPA,
}
DISPLACEMENT = ((2.661, 1.0), (5.322, -1.0), (7.983, 1.0), (10.644, -1.0))
TURNING = ((1.5, 1.0), (4.5, -1.0), (6.0, 1.0))
"""Table 1: end of each interval and u in it."""
SLOPE = 0.5
GATES = ((1.5, -1.6), (1.5, 1.6), (5.3, 5.6), (8.9, 5.6))
"""Cones at both sides of the course that is drawn, m."""

REFERENCE = {
    "circle: radius": 1.3462912,
    "circle: period": 9.8174770,
    "circle: front lateral force": 0.3278400,
    "circle: rear lateral force": 0.256,
    "constant force: integral (52)": 0.0,
    "displacement: x": 1.9332277377,
    "displacement: y": -0.0033800180,
    "displacement: heading": 12.5640659747,
    "displacement: speed": 0.0,
    "displacement: largest front lateral force": 5.067449,
    "displacement: largest rear lateral force": 2.420998,
    "displacement: exact switching time": 2.661212,
    "turning: x": 1.3771406342,
    "turning: y": 0.0057535190,
    "turning: heading": 3.1499483514,
    "turning: speed": 0.0,
    "turning: largest front lateral force": 1.797293,
    "turning: largest rear lateral force": 0.959727,
    "turning: exact switching time": 1.498427,
    "slope: time of first rest": 6.7020997804,
    "slope: x at rest": -1.9358473769,
    "slope: y at rest": 0.0,
    "slope: heading at rest": 4.5074541891,
    "slope: energy integral (55)": 0.0,
}


def equations() -> Equations:
    """Return the vehicle's equations, with an event whenever it comes to rest."""
    car = vehicle.model()
    car.event("standstill", car.nodes["rear rotation"].velocities)
    return car.equations()


def drive(
    car: Equations,
    until: float,
    speed: float = 0.0,
    heading: float = 0.0,
    force: float = 0.0,
    slope: float = 0.0,
) -> Result:
    """Simulate a motion with a constant force."""
    return simulate(
        car,
        until,
        start={"chassis.speed": speed, "chassis.yaw": heading},
        parameters=DIMENSIONLESS,
        inputs={"drive.force": force, "load.force_y": slope},
        rtol=1e-12,
        atol=1e-14,
        max_step=0.05,
    )


def switch(car: Equations, plan: Sequence[tuple[float, float]]) -> tuple[Result, ...]:
    """Simulate a plan of Table 1, one result for each interval: the forces jump in between."""
    state: dict[str, float] = {"chassis.speed": 0.0}
    parts, begun = [], 0.0
    for end, force in plan:
        part = simulate(
            car,
            end - begun,
            start=state,
            parameters=DIMENSIONLESS,
            inputs={"drive.force": force},
            rtol=1e-12,
            atol=1e-14,
            max_step=0.05,
        )
        state = {record.name: part.final(record.name) for record in car.states}
        parts.append(part)
        begun = end
    return tuple(parts)


def switching_time(car: Equations, heading: float, guess: float) -> float:
    """Return the time in which u = 1 from rest changes the heading by so much."""

    def missing(until: float) -> float:
        return drive(car, until, force=1.0).final("chassis.yaw") - heading

    return float(brentq(missing, 0.9 * guess, 1.1 * guess, xtol=1e-10))


def impulse(motion: Result) -> np.ndarray:
    """Return what a driving force adds up to: [SchiehlenEismann] (52) without its constant."""
    v = motion["chassis.speed"]
    return 2 / 3 * (GYRATION + KAPPA**2) * v**3 + v


def first_rest(motion: Result) -> int:
    """Return the index of the first rest after the start."""
    time = next(time for time, name in motion.events if name == "standstill" and time > 0.1)
    return int(np.argmin(np.abs(motion.time - time)))


@dataclass(frozen=True)
class Record:
    """The motions of Figs. 2 to 7, and their numbers as in ``REFERENCE``."""

    circle: Result
    accelerated: Result
    braked: Result
    displacement: tuple[Result, ...]
    turning: tuple[Result, ...]
    slope: Result
    restrained: Result
    numbers: dict[str, float]


def run() -> Record:
    """Simulate everything that the paper shows."""
    car = equations()
    circle = drive(car, 2 * np.pi / 0.8**2, speed=0.8)
    accelerated = drive(car, 6.0, force=1.0)
    braked = drive(car, 4.0, speed=0.8, force=-1.0)
    displacement, turning = switch(car, DISPLACEMENT), switch(car, TURNING)
    slope = drive(car, 30.0, heading=np.pi / 4, slope=SLOPE)
    restrained = drive(car, 100.0, heading=-1.75, slope=SLOPE)

    i = first_rest(slope)
    v, y = slope["chassis.speed"], slope["chassis.y"]
    energy = (GYRATION + KAPPA**2) * v**4 + v**2 - 2 * SLOPE * y  # [SchiehlenEismann] (55)
    numbers = {
        "circle: radius": radius(circle),
        "circle: period": 2 * np.pi / circle.final("chassis.yaw_rate"),
        "circle: front lateral force": circle.final("front.lateral_force"),
        "circle: rear lateral force": circle.final("rear.lateral_force"),
        "constant force: integral (52)": max(
            float(np.abs(impulse(motion) - impulse(motion)[0] - u * motion.time).max())
            for motion, u in ((accelerated, 1.0), (braked, -1.0))
        ),
        **_manoeuvre("displacement", displacement),
        "displacement: exact switching time": switching_time(car, np.pi, 2.66),
        **_manoeuvre("turning", turning),
        "turning: exact switching time": switching_time(car, np.pi / 4, 1.5),
        "slope: time of first rest": float(slope.time[i]),
        "slope: x at rest": float(slope["chassis.x"][i]),
        "slope: y at rest": float(slope["chassis.y"][i]),
        "slope: heading at rest": float(slope["chassis.yaw"][i]),
        "slope: energy integral (55)": float(np.abs(energy).max()),
    }
    return Record(circle, accelerated, braked, displacement, turning, slope, restrained, numbers)


def radius(circle: Result) -> float:
    """Return the mean distance from the centre, [SchiehlenEismann] (49)."""
    x_m, y_m = -KAPPA, 1 / 0.8
    return float(np.hypot(circle["chassis.x"] - x_m, circle["chassis.y"] - y_m).mean())


def _manoeuvre(name: str, parts: Sequence[Result]) -> dict[str, float]:
    end = parts[-1]
    return {
        f"{name}: x": end.final("chassis.x"),
        f"{name}: y": end.final("chassis.y"),
        f"{name}: heading": end.final("chassis.yaw"),
        f"{name}: speed": end.final("chassis.speed"),
        **{
            f"{name}: largest {axle} lateral force": max(
                float(np.abs(part[f"{axle}.lateral_force"]).max()) for part in parts
            )
            for axle in ("front", "rear")
        },
    }


def draw(record: Record, folder: Path) -> None:
    """Draw the vehicle and the six figures of results."""
    car = vehicle.model()
    for x, y in GATES:  # with them the scene, and so its arrows, are of the size of the course
        car.show(tube([(x, y, 0), (x, y, 0.7)], 0.12, colour="#f57900", name="cone"))
    seen = simulate(
        car.equations(),
        6.0,
        start={"chassis.speed": 0.0},
        parameters={"steering": SPEED_LAW, "steer.reference_speed": 10.0},
        inputs={"drive.force": 1500.0},
        backend="python",
    )
    title = "A constant driving force: the faster the vehicle, the more it steers"
    show(seen, folder, "schiehlen_eismann", title, times=(0, 3, 4.5, 6), view=ABOVE)
    rounds = np.linspace(0, 2 * np.pi / 0.8**2, 9)[:-1]
    motions = {
        2: Motion((record.circle,), "at a constant speed of 0.8 $v_L$ it circles", rounds),
        3: Motion(
            (record.accelerated,),
            "a constant force from rest, u = 1, leads it round faster and on a narrower circle",
            (0, 1.2, 2, 2.6, 3.1, 6),
        ),
        4: Motion(
            (record.braked,),
            "the force u = -1 stops the circling vehicle, $v_0$ = 0.8 $v_L$, and drives it back",
            (0, 0.93, 2, 2.7, 3.3, 4),
        ),
        6: Motion(
            (record.slope,),
            "without drive on a slope of h = 0.5, from a heading of 45°, it runs down and up again",
            (0, 2, 3.5, 5, 6.7, 8.7, 10.3, 12, 30),
            slope=True,
        ),
        7: Motion(
            (record.restrained,),
            f"from a heading of −{np.degrees(1.75):.1f}° on the slope, h = 0.5, "
            "it restrains itself and comes to rest across it",
            (0, 2.3, 3.5, 5, 8, 100),
            slope=True,
            until=40,
        ),
    }
    figures = {
        number: draw_motion(
            replace(motion, title=f"Controlled vehicle, Fig. {number}:\n{motion.title}")
        )
        for number, motion in motions.items()
    }
    figures[5] = draw_bang_bang(
        "Controlled vehicle, Fig. 5: full force to and fro, u = ±1 at the times of Table 1,\n"
        "displaces it or turns it round (later ones darker)",
        (
            Motion(record.displacement, "Displaced along x", (0, 1.4, 2.2, 3.3, 7, 8.5, 10.644)),
            Motion(record.turning, "Turned round", (0, 1.5, 3, 4.5, 6)),
        ),
    )
    for number, figure in sorted(figures.items()):
        save(figure, folder, f"schiehlen_eismann_fig{number}")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Controlled vehicle [SchiehlenEismann]",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    end = record.restrained
    off = end.final("chassis.yaw") - np.pi
    print(
        f"self-restrained: at τ = {end.time[-1]:.0f} the heading is π {off:+.4f}, "
        f"the speed {end.final('chassis.speed'):.4f}"
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
