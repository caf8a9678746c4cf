r"""A tyre's coefficients from a manoeuvre: the Magic Formula of both axles, from a swept steer.

A car rolls on a level road and steers ever harder and faster to both sides. A gyroscope records its
yaw rate, an accelerometer the lateral acceleration; the steer angle is recorded as an input. Each
axle's side force follows Pacejka's formula with the slip angle α,

    F = D sin(C arctan(B α)),                                                          (tyre)

whose C is known. Wanted are the stiffness factors B and the peaks D of both axles. Small angles
tell the cornering stiffness B C D alone: only a manoeuvre near the limit tells both.

Nobody's measurement: the record is calculated by hand, by Newton's and Euler's equations of a
single track, and random noise is added. Stated deviations are compared with those of derivatives by
hand, which also tell what a third of the steer angle would leave open.

Run: python examples/identification/tyre_from_manoeuvre.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, atan2, cos, pi, sin
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

from mbcore import Body, Fit, Model, PlanarHinge, PlanarKnifeEdge, RigidLink, Run, fit, simulate
from mbcore.drawing import box, disc
from mbcore.examples.common import ABOVE, figures_folder, plain, print_comparison, save, show
from mbcore.model.nodes.nodes import Angle, Point

MASS, INERTIA, FRONT, REAR = 1500.0, 2500.0, 1.2, 1.5
"""kg, kg.m2, and distances of the axles from the mass centre, m."""
SHAPE = 1.4
"""C of (tyre)."""
SPEED = 25.0
"""Of the car at first, m/s; it rolls freely."""
TRUE = {
    "front.stiffness": 9.0,
    "front.peak": 7200.0,
    "rear.stiffness": 11.0,
    "rear.peak": 6400.0,
}
"""B, 1, and D, N."""
BOUNDS = {
    "front.stiffness": (2.0, 30.0, 6.0),
    "front.peak": (2e3, 2e4, 5e3),
    "rear.stiffness": (2.0, 30.0, 6.0),
    "rear.peak": (2e3, 2e4, 5e3),
}
"""And first guesses."""
NOISE = {"yaw_rate": 5e-3, "lateral_acceleration": 0.1}
"""Standard deviations, rad/s and m/s2."""
TIMES = np.linspace(0.0, 6.0, 301)
"""Of the samples, s."""
HARD, GENTLE = 0.09, 0.03
"""Largest steer angles of both manoeuvres, rad."""


def steer(t: float, largest: float) -> float:
    """Return the steer angle: a sine whose amplitude and frequency grow, rad."""
    return largest * (t / TIMES[-1]) * sin(2 * pi * (0.3 * t + 0.03 * t * t))


def model() -> Model:
    """Return the single track with first guesses of its tyres; seen from above."""
    car = Model("single_track")
    steered = car.input("steer", unit="rad")
    axles = {}
    for axle, at in (("front", FRONT), ("rear", -REAR)):
        stiffness, peak = (
            car.parameter(f"{axle}.{what}", BOUNDS[f"{axle}.{what}"][2], unit=unit)
            for what, unit in (("stiffness", "1"), ("peak", "N"))
        )
        axles[axle] = at, stiffness, peak
    centre, heading = car.point("centre", (0, 0)), car.angle("heading")
    car.add(Body("body", centre, heading, mass=MASS, inertia=INERTIA))
    centre.x.dof("x", "speed_x", rate_start=SPEED, nominal=10.0)
    centre.y.dof("y", "speed_y")
    heading.angle.dof("yaw", "yaw_rate")
    turned = car.angle("front wheels")
    car.add(PlanarHinge("king_pin", heading, turned)).angle.prescribe(steered)
    across = 0
    for axle, (at, stiffness, peak) in axles.items():
        place = car.point(axle, (at, 0))
        car.add(RigidLink(f"{axle}_body", centre, heading, place))
        direction = turned if axle == "front" else heading
        blade = car.add(PlanarKnifeEdge(f"{axle}_wheels", place, direction))
        slips = blade.slips
        angle = ca.atan2(slips["lateral"].velocity, slips["longitudinal"].velocity)
        force = peak * ca.sin(SHAPE * ca.atan(stiffness * angle))
        slips["lateral"].release().law(force)
        across -= force * (ca.cos(steered) if axle == "front" else 1)
    car.output("lateral_acceleration", across / MASS, unit="m/s2")
    show_car(car, centre, heading, turned)
    return car


def show_car(car: Model, centre: Point, heading: Angle, turned: Angle) -> None:
    """Show hull, cabin and the wheels of both axles, which the single track joins to one each."""
    for name in ("body", "king_pin", "front_body", "front_wheels", "rear_body", "rear_wheels"):
        car.elements[name].visible = False
    hull = box((0.1, 0, 0.55), None, (4.3, 1.7, 0.5))
    cabin = box((-0.25, 0, 1.05), None, (2.1, 1.45, 0.5), colour="#9fb3c8")
    car.show(hull, cabin, at=(centre, heading))
    for axle, at, angle in (("front", FRONT, turned), ("rear", -REAR, heading)):
        for side in (-0.8, 0.8):
            place = centre.position + heading.matrix @ ca.DM([at, side])
            car.show(disc(ca.vertcat(place, 0.3), angle, 0.3, 0.2, axle=(0, 1, 0), name=axle))


def force_by_hand(stiffness: float, peak: float, side: float, along: float) -> float:
    """Return an axle's side force by (tyre) for its velocities to the left and along, N."""
    return -peak * sin(SHAPE * atan(stiffness * atan2(side, along)))


def by_hand(values: Sequence[float], largest: float) -> np.ndarray:
    """Return yaw rate and lateral acceleration at all times, shape (n, 2)."""

    def forces(t: float, y: np.ndarray) -> tuple[float, float, float]:
        """Return the side forces of front and rear axle, N, and the steer angle."""
        u, v, r = y
        angle = steer(t, largest)
        c, s, at_front = cos(angle), sin(angle), v + FRONT * r
        front = force_by_hand(*values[:2], c * at_front - s * u, c * u + s * at_front)
        return front, force_by_hand(*values[2:], v - REAR * r, u), angle

    def rates(t: float, y: np.ndarray) -> list[float]:
        """Return the accelerations in the car's axes, m/s2 and rad/s2."""
        u, v, r = y
        front, rear, angle = forces(t, y)
        across = front * cos(angle)
        return [
            v * r - front * sin(angle) / MASS,
            -u * r + (across + rear) / MASS,
            (FRONT * across - REAR * rear) / INERTIA,
        ]

    begin = (SPEED, 0.0, 0.0)
    motion = solve_ivp(rates, (0.0, TIMES[-1]), begin, "DOP853", TIMES, rtol=1e-10, atol=1e-12)
    felt = []
    for t, y in zip(TIMES, motion.y.T, strict=True):
        front, rear, angle = forces(t, y)
        felt.append((front * cos(angle) + rear) / MASS)
    return np.column_stack([motion.y[2], felt])


def record(largest: float) -> Run:
    """Return a manoeuvre with noise."""
    random = np.random.default_rng(11)
    angles = [steer(t, largest) for t in TIMES]
    table = {"time": TIMES, "steer": np.array(angles)}
    columns = by_hand(list(TRUE.values()), largest).T
    for (name, deviation), column in zip(NOISE.items(), columns, strict=True):
        table[name] = column + random.normal(0.0, deviation, TIMES.size)
    return Run(table, start={"yaw_rate": 0.0}, between="smooth")


def covariance_by_hand(
    values: Sequence[float], noise: Sequence[float], largest: float
) -> np.ndarray:
    """Return that of the four values, from derivatives by differences there, (4, 4)."""
    columns = []
    for step in np.diag(1e-5 * np.array(values)):
        ends = [by_hand(values + sign * step, largest) for sign in (1, -1)]
        columns.append(((ends[0] - ends[1]) / (2 * step.max()) / noise).ravel())
    derivatives = np.column_stack(columns)
    return np.linalg.inv(derivatives.T @ derivatives)


def draw(result: Fit, gentle: np.ndarray, folder: Path) -> None:
    """Draw the record with its fit, and the axles' forces with what both manoeuvres tell."""
    figure = Figure(figsize=(11.5, 6.6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1))
    left = [figure.add_subplot(grid[i, 0]) for i in range(2)]
    labels = ("yaw rate (rad/s)", "lateral acceleration (m/s²)")
    for axes, (name, label) in zip(left, zip(NOISE, labels, strict=True), strict=True):
        sensor = result.sensors[name]
        axes.plot(TIMES, sensor.measured[0], ".", color="0.65", markersize=3, label="measured")
        axes.plot(TIMES, sensor.simulated[0], color="C0", label="fit")
        plain(axes, "time (s)" if axes is left[1] else "", label)
    left[0].legend(frameon=False, loc="upper left")
    left[0].set_title("Steer angle: a growing sine", loc="left")
    angles = np.linspace(0.0, 0.25, 126)
    for row, axle in enumerate(("front", "rear")):
        axes = figure.add_subplot(grid[row, 1])
        place = [2 * row, 2 * row + 1]
        values = np.array(list(result.values.values()))[place]
        for spread, name, colour in ((gentle, "gentle", "C1"), (result.covariance, "hard", "C0")):
            own = spread[np.ix_(place, place)]
            drawn = np.random.default_rng(0).multivariate_normal(values, own, 400)
            curves = [peak * np.sin(SHAPE * np.arctan(b * angles)) for b, peak in drawn]
            low, high = np.percentile(curves, (2.5, 97.5), axis=0)
            axes.fill_between(angles, low / 1e3, high / 1e3, facecolor=colour, alpha=0.3,
                              label=f"{name} manoeuvre, 95 %")  # fmt: skip
            for edge in (low, high):  # seen where the band is as narrow as a line
                axes.plot(angles, edge / 1e3, color=colour, linewidth=0.9)
        true = TRUE[f"{axle}.peak"] * np.sin(SHAPE * np.arctan(TRUE[f"{axle}.stiffness"] * angles))
        axes.plot(angles, true / 1e3, "k:", linewidth=1.2, label="true")
        axes.set_ylim(0.0, 11.0)
        axes.set_title(f"The {axle} tyres", loc="left")
        axes.legend(frameon=False, loc="lower right")
        plain(axes, "slip angle (rad)" if row else "", "side force (kN)")
    save(figure, folder, "tyre_from_manoeuvre")


def main() -> None:
    """Record, fit, compare and draw."""
    folder = figures_folder(__doc__)
    equations = model().equations()
    motion = simulate(
        equations, TIMES[-1], samples=TIMES.size, rtol=1e-10, atol=1e-12, parameters=TRUE,
        inputs={"steer": lambda t: steer(t, HARD)},
    )  # fmt: skip
    show(model(), folder, "tyre_from_manoeuvre", "Car, as a single track", view=ABOVE)
    result = fit(equations, record(HARD), BOUNDS)
    exact = by_hand(list(TRUE.values()), HARD)
    rows = [("yaw rate at the end (rad/s)", float(motion["yaw_rate"][-1]), float(exact[-1, 0]))]
    rows.append(
        (
            "largest lateral acceleration (m/s2)",
            float(motion["lateral_acceleration"].max()),
            float(exact[:, 1].max()),
        )
    )
    rows += [
        (f"{name}, estimated (true)", result.values[name], true) for name, true in TRUE.items()
    ]
    noise, values = [s.deviation for s in result.sensors.values()], [*result.values.values()]
    own, gentle = (covariance_by_hand(values, noise, largest) for largest in (HARD, GENTLE))
    rows += [
        (f"deviation of {name}", result.deviations[name], float(deviation))
        for name, deviation in zip(TRUE, np.sqrt(np.diag(own)), strict=True)
    ]
    print_comparison("A tyre's coefficients from a manoeuvre", rows)
    wider = np.sqrt(np.diag(gentle) / np.diag(own))
    print(f"gentle manoeuvre: deviations {wider.min():.0f} to {wider.max():.0f} times as large")
    for name, one in result.sensors.items():
        verdict = "white" if one.whiteness.white else "not white"
        print(f"{name}: noise {one.deviation:.3g} {one.unit} (drawn {NOISE[name]:g}), {verdict}")
    draw(result, gentle, folder)


if __name__ == "__main__":
    main()
