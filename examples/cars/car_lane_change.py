r"""The same lane change with ideal rolling, a brush tyre and the Magic Formula.

The front wheels are steered by one period of a sine over the first 40 m, as if the wheels rolled
ideally to the next lane, 3.5 m to the left. The steer goes by the distance that the start's speed
covers, so that the kinematic path is the same at any speed:

    δ = δ_0 sin(2π s/L),   δ_0 = 2π l w/L²,   s = v_0 t.

* **Ideal rolling** is the FMU ``vehicle``. Its path follows from geometry, its speed from energy: v
  √(m + (m b² + J) tan²δ/l²) is constant, with b from the rear axle to the mass centre.
* **Magic Formula** is the FMU ``car`` on the shipped tyre, without shifts, camber forces and
  rolling resistance, which the others do not have.
* **Brush** is the same car on bristles under a parabolic pressure. At each load the brush has the
  slopes of the Magic Formula at zero slip, its trail, relaxation lengths and lateral friction; what
  differs is the shape of the curve between. It is a law of the example's own: `car` takes any.

Slow cars follow the kinematic path. Faster ones need slip angles, and the yaw rate by a steer is
v δ/(l + K v²) with the understeer gradient K: 1 - y/y_0 of the new lane is K v²/(l + K v²), the
same for both tyres, by hand as in ``car_by_hand.py``. Between the tyres the first difference is
of the second degree in the slips: the brush softens with the amount of a slip, α|α|, the Magic
Formula with its cube. At 30 m/s the softer rear tyres of the brush bring the car further.

Run: python examples/cars/car_lane_change.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

from mbcore import (
    BrushTyre,
    Equations,
    MagicFormula,
    Result,
    TyreContact,
    TyreForces,
    TyreLaw,
    TyreRelaxation,
    TyreSpring,
    compile_equations,
    simulate,
)
from mbcore.examples.cars import car_by_hand as by_hand
from mbcore.examples.cars.ideal_rolling import drive_vehicle, scaled_tyre
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.fmus import car
from mbcore.fmus.tyre_data import TyreData
from mbcore.model.variables import Number

LENGTH, WIDTH, ROAD = 40.0, 3.5, 70.0
"""Of the steer, of the lane, and of the road that is driven, m."""
STEERED = 2 * np.pi * by_hand.WHEELBASE * WIDTH / LENGTH**2
"""δ_0, rad."""
SPEEDS = (5.0, 10.0, 20.0, 30.0)
"""Of the starts, m/s."""
SHARES = (1.0, 0.5, 0.25, 0.125)
"""Of the width, for the difference of both tyres at small slips."""
SHARED = 15.0
"""Speed of these, m/s."""
REACH = by_hand.WHEELBASE - by_hand.TO_FRONT
"""b: from the rear axle to the mass centre of the body, m."""
SAMPLES = 141
STEADILY = {"rtol": 1e-9, "atol": 1e-11, "samples": SAMPLES}


@dataclass(frozen=True)
class SameSlopes(TyreLaw):
    """A brush that starts as a measured tyre does, and stands on its spring."""

    measured: MagicFormula

    def brush(self, contact: TyreContact) -> BrushTyre:
        """Return the brush at the load of a contact."""
        c = self.measured.coefficients
        slips, none = ca.SX.sym("κ, α", 2), ca.SX(0)
        at = replace(contact, slip_ratio=slips[0], slip_angle=slips[1], camber=none, lever=none)
        given = self.measured.forces(at)
        acting = ca.vertcat(given.longitudinal, given.lateral, given.aligning_moment)
        slopes = ca.substitute(ca.jacobian(acting, slips), slips, ca.SX.zeros(2))
        heavier = contact.load / c["FNOMIN"] - 1
        along, across = self.measured.relaxation(contact).lengths
        return BrushTyre(
            friction=(c["PDY1"] + c["PDY2"] * heavier) * c["LMUY"],
            cornering_stiffness=-slopes[1, 1],
            longitudinal_stiffness=slopes[0, 0],
            trail=contact.direction * slopes[2, 1] / -slopes[1, 1],
            longitudinal_relaxation=along,
            lateral_relaxation=across,
        )

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the forces of the brush."""
        return self.brush(contact).forces(contact)

    def relaxation(self, contact: TyreContact) -> TyreRelaxation:
        """Return that of the brush."""
        return self.brush(contact).relaxation(contact)

    def on_other_side(self) -> SameSlopes:
        """Return the brush of the mirrored tyre."""
        return SameSlopes(self.measured.on_other_side())

    def on_road(self, friction: Number) -> SameSlopes:
        """Return the brush on a road that scales its friction."""
        return SameSlopes(self.measured.on_road(friction))

    def spring(self, loaded_radius: ca.SX, spin_rate: ca.SX) -> TyreSpring:
        """Return the spring of the measured tyre."""
        return self.measured.spring(loaded_radius, spin_rate)

    def effective_radius(self, load: ca.SX, spin_rate: ca.SX) -> ca.SX | None:
        """Return that of the measured tyre."""
        return self.measured.effective_radius(load, spin_rate)


def tyres() -> dict[str, TyreData]:
    """Return both tyres of the car by their names."""
    measured = scaled_tyre({})
    assert isinstance(measured.left, MagicFormula)
    brush = replace(measured, name="brush", left=SameSlopes(measured.left))
    return {"Magic Formula": measured, "brush": brush}


def understeer(law: TyreLaw) -> float:
    """Return K by hand, rad s2/m, of tyres without camber forces and shifts.

    The slip angles of both axles follow from the balances of side forces and yaw moments, the
    aligning moments among them, and these turn the front wheels by the compliance of the steering.
    """
    slip, load, none = ca.SX.sym("slip angle"), ca.SX.sym("load"), ca.SX(0)
    at = law.forces(TyreContact(slip, none, none, load, ca.SX(1)))
    slopes = ca.jacobian(ca.vertcat(at.lateral, at.aligning_moment, 0), slip)
    of_load = ca.Function("slopes", [slip, load], [slopes])
    front, rear = (
        by_hand.Axle(np.hstack([2 * np.array(of_load(0, each)), np.zeros((3, 1))]), 0.0, 1.0)
        for each in by_hand.LOADS
    )
    ahead, behind, _ = by_hand.cornering(front, rear)
    return behind - ahead - by_hand.COMPLIANCE * float(front.forces[by_hand.MOMENT, 0]) * ahead


def steer(speed: float, share: float, time: float) -> float:
    """Return the mean angle of the front wheels, rad."""
    s = speed * time
    return share * STEERED * float(np.sin(2 * np.pi * s / LENGTH)) if s < LENGTH else 0.0


def steer_rate(speed: float, share: float, time: float) -> float:
    """Return its rate, rad/s."""
    turning = 2 * np.pi / LENGTH
    s = speed * time
    return share * STEERED * turning * speed * float(np.cos(turning * s)) if s < LENGTH else 0.0


def kinematic(speed: float) -> np.ndarray:
    """Return x, y, yaw and speed over time of ideal rolling by hand; shape (4, samples)."""
    mass, inertia = by_hand.MASS, by_hand.INERTIA

    def at(time: float) -> tuple[float, float]:
        curvature = np.tan(steer(speed, 1.0, time)) / by_hand.WHEELBASE
        heavier = 1 + (REACH**2 + inertia / mass) * curvature**2
        return curvature, speed / np.sqrt(heavier)

    def rates(time: float, state: np.ndarray) -> list[float]:
        curvature, v = at(time)
        yaw = state[2]
        aside = REACH * v * curvature
        ahead = (np.cos(yaw), np.sin(yaw))
        return [
            v * ahead[0] - aside * ahead[1],
            v * ahead[1] + aside * ahead[0],
            v * curvature,
        ]

    times, ends = np.linspace(0, ROAD / speed, SAMPLES), LENGTH / speed
    closely = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    steered, straight = times[times < ends], times[times >= ends]
    turned = solve_ivp(rates, (0, ends), np.zeros(3), t_eval=[*steered, ends], **closely).y
    x, y, yaw = turned[:, -1]
    gone = speed * (straight - ends)
    after = [x + gone * np.cos(yaw), y + gone * np.sin(yaw), np.full(len(gone), yaw)]
    return np.vstack([np.hstack([turned[:, :-1], after]), [at(time)[1] for time in times]])


def roll(speed: float) -> Result:
    """Drive the vehicle that rolls ideally."""
    return drive_vehicle(
        ROAD / speed,
        speed,
        (by_hand.WHEELBASE, REACH, by_hand.MASS, by_hand.INERTIA),
        lambda t: steer(speed, 1.0, t),
        lambda t: steer_rate(speed, 1.0, t),
        breaks=[LENGTH / speed],
        **STEADILY,
    )


def drive_car(equations: Equations, speed: float, share: float = 1.0) -> Result:
    """Drive a car through a lane change of a share of the width."""
    return simulate(
        equations,
        ROAD / speed,
        backend="c",
        parameters={"drag.area": 0.0},
        inputs={"steering_wheel.angle": lambda t: by_hand.RATIO * steer(speed, share, t)},
        start={"body.speed": speed},
        breaks=[LENGTH / speed],
        **STEADILY,
    )


@dataclass(frozen=True)
class Record:
    """Paths by speed; those of the cars by tyre as well."""

    rolling: dict[float, Result]
    cars: dict[str, dict[float, Result]]
    small: dict[str, dict[float, Result]]
    """Cars at `SHARED` by the share of the width."""
    gradient: float
    """Understeer by hand, rad s2/m."""

    def missing(self, tyre: str, speed: float) -> float:
        """Return 1 - y/y_0 at the end."""
        reached = self.cars[tyre][speed].final("body.y")
        return float(1 - reached / self.rolling[speed].final("chassis.y"))

    def expected(self, speed: float) -> float:
        """Return the same by hand."""
        softer = self.gradient * speed**2
        return softer / (by_hand.WHEELBASE + softer)

    def apart(self) -> np.ndarray:
        """Return the largest difference in y of both tyres, m, for each share of the width."""
        found = []
        for share in SHARES:
            paths = [runs[share]["body.y"] for runs in self.small.values()]
            found.append(np.abs(paths[0] - paths[1]).max())
        return np.array(found)


def run() -> Record:
    """Drive all."""
    cars: dict[str, dict[float, Result]] = {}
    small: dict[str, dict[float, Result]] = {}
    for name, tyre in tyres().items():
        equations = car.model(tyre).equations()
        compile_equations(equations)
        cars[name] = {speed: drive_car(equations, speed) for speed in SPEEDS}
        small[name] = {share: drive_car(equations, SHARED, share) for share in SHARES}
    gradient = understeer(tyres()["Magic Formula"].left)
    rolling = {speed: roll(speed) for speed in SPEEDS}
    return Record(rolling, cars, small, gradient)


COLORS = {"Magic Formula": "#1f5fa8", "brush": "#c4501b"}


def _draw_tyres(axes: Axes) -> None:
    """Draw side force by slip angle of a front tyre on the level."""
    load, alpha = float(by_hand.LOADS[0]), ca.SX.sym("α")
    angles = np.linspace(0, 12, 121)
    at = TyreContact(-alpha, ca.SX(0), ca.SX(0), ca.SX(load), ca.SX(1))
    for name, tyre in tyres().items():
        side = ca.Function("side", [alpha], [tyre.left.forces(at).lateral])
        forces = [float(side(np.radians(angle))) / 1000 for angle in angles]
        axes.plot(angles, forces, color=COLORS[name], linewidth=1.8, label=name)
        if name == "brush":
            assert isinstance(tyre.left, SameSlopes)
            slope = float(ca.evalf(ca.SX(tyre.left.brush(at).cornering_stiffness)))
            axes.plot([0, 4], [0, slope * np.radians(4) / 1000], "k--", linewidth=1.0)
    axes.text(3.5, 1.05 * max(forces), "slope of both at zero")
    axes.set_ylim(0, 1.15 * max(forces))
    plain(axes, "slip angle (°)", "kN")
    head(axes, f"Side force at {load / 1000:.2f} kN", 2)


def _draw_paths(axes: Axes, record: Record) -> None:
    limit = record.rolling[SPEEDS[0]]
    axes.plot(limit["chassis.x"], limit["chassis.y"], "k", linewidth=1.8, label="ideal rolling")
    for name, style in (("Magic Formula", "-"), ("brush", "--")):
        for speed, driven in record.cars[name].items():
            label = name if speed == SPEEDS[0] else None
            x, y = driven["body.x"], driven["body.y"]
            axes.plot(x, y, style, color=COLORS[name], linewidth=1.5, label=label)
    for speed, driven in record.cars["brush"].items():
        beside = {"xytext": (5, 0), "textcoords": "offset points"}
        level = {5.0: "bottom", 10.0: "top"}.get(speed, "center")
        axes.annotate(f"{speed:g} m/s", (ROAD, driven.final("body.y")), va=level, **beside)
    axes.set_xlim(-2, ROAD + 6)
    plain(axes, "x (m)", "y (m)")
    head(axes, "Paths of the mass centre, all by the same steer over distance", 3)


def _draw_missing(axes: Axes, record: Record) -> None:
    for name in record.cars:
        missing = [record.missing(name, speed) for speed in SPEEDS]
        axes.loglog(SPEEDS, missing, "o", color=COLORS[name], label=name)
    speeds = np.geomspace(SPEEDS[0], SPEEDS[-1], 61)
    axes.loglog(speeds, [record.expected(v) for v in speeds], "k--", label="by hand")
    axes.set_xticks(SPEEDS, [f"{speed:g}" for speed in SPEEDS])
    axes.minorticks_off()
    plain(axes, "speed (m/s)", "1 - y/y₀")
    head(axes, "Part of the lane that is missing", 3)


def _draw_apart(axes: Axes, record: Record) -> None:
    shares = np.array(SHARES)
    axes.loglog(shares, record.apart(), "o-", color="#4e9a06", label="brush less Magic Formula")
    axes.loglog(shares, record.apart()[-1] * (shares / shares[-1]) ** 2, "k--", label="order 2")
    axes.set_xticks(SHARES, ["1", *(f"1/{1 / share:g}" for share in SHARES[1:])])
    axes.minorticks_off()
    plain(axes, "share of the lane's width", "m")
    head(axes, f"Largest difference in y at {SHARED:g} m/s", 2)


def draw(record: Record, folder: Path) -> None:
    """Draw paths, the tyres' curves, what of the lane is missing, and both tyres apart."""
    figure = Figure(figsize=(12, 9), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(1.2, 1))
    _draw_paths(above.subplots(), record)
    curves, missing, apart = below.subplots(1, 3)
    _draw_tyres(curves)
    _draw_missing(missing, record)
    _draw_apart(apart, record)
    save(figure, folder, "car_lane_change")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(car.model(), folder, "car_lane_change", "Road car, on brush or Magic Formula tyres")
    record = run()
    slow, order = SPEEDS[0], np.log2(record.apart()[-2] / record.apart()[-1])
    y_0 = float(kinematic(slow)[1, -1])
    rows = [("ideal rolling: y at the end (m)", record.rolling[slow].final("chassis.y"), y_0)]
    for name in record.cars:
        missing = record.missing(name, slow)
        rows.append((f"{name}: 1 - y/y_0 at {slow:g} m/s", missing, record.expected(slow)))
    rows.append(("brush less Magic Formula: order", float(order), 2.0))
    print_comparison("Lane change, beside formulas by hand", rows)
    for speed in SPEEDS[1:]:
        ends = ", ".join(f"{name} {record.missing(name, speed):.4f}" for name in record.cars)
        print(f"1 - y/y_0 at {speed:g} m/s: {ends}, by hand {record.expected(speed):.4f}")
    draw(record, folder)


if __name__ == "__main__":
    main()
