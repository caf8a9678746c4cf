r"""The ILTIS on circles: handling diagram, understeer, limits of adhesion, stability over speed.

Steady cornering is a relative equilibrium: nothing changes but place, heading and the wheels'
angles. Side forces brake, so a drive torque, a quarter on each wheel, is found that holds the
speed. Two families are followed, with the exponents of the linearized equations on the way: over
the rack's displacement at constant speeds, and over speed at constant displacements.

**By hand.** ``iltis_by_hand.py`` states the balance of the ten coordinates by virtual work, from
the data sheet and nothing of mbcore; rack, drive torque, roll and loads agree to nine digits, up to
the limit of adhesion. Published are the yaw rates at the end of the benchmark's ramp steers, 2 mm
of rack with wheels that neither drive nor brake: there the vehicle slows down, and the inertia
forces of its masses pull it on, which is the force ``tow.force`` here.

**Understeer.** A circle with the yaw rate r needs the steer δ = l r/v + K v r, l the wheelbase;
``iltis_understeer.py`` derives K as a sum of five parts, of which roll steer is more than half.
The yaw rate per steer is v/(l + K v²), with its maximum at the characteristic speed sqrt(l/K). The
vehicle understeers up to the limit, where the front axle has used its friction and the rear one has
not, so there is no critical speed: no exponent crosses zero. That of the speed itself, under a
drive torque that stays, is nearly zero; it is the uppermost one over speed with the rack at 6 mm,
and left out of the other curves.

**On two wheels.** There is another family, of circles with both inner wheels in the air: the
mass centre stands above the outer wheels such that weight and centrifugal force balance. A rigid
vehicle with the half track b and the mass centre at the height h does so at the roll φ where
v r = g tan(arctan(b/h) - φ), here drawn dashed. These motions have a positive exponent: on one side
the vehicle falls back onto its wheels, on the other it overturns. No steady steer leads there, for
on four wheels the vehicle slides before it lifts one.

Run: python examples/vehicles/iltis_handling.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar

from mbcore import Equations, Model, SteadyMotion, steady_motion
from mbcore.examples.common import figures_folder, largest, print_comparison, save, show
from mbcore.examples.vehicles import iltis_by_hand as by_hand
from mbcore.examples.vehicles.iltis_handling_figures import draw_handling, draw_speeds
from mbcore.examples.vehicles.iltis_understeer import MASSES, WHEELBASE, understeer
from mbcore.fmus import iltis
from mbcore.fmus.iltis.data import CORNERS
from mbcore.vibration import Branch, SteadyMotions, Steps, continuation

SPEEDS = (20.0, 40.0)
"""Of the handling diagram, m/s."""
RACK = (-1e-4, -0.03)
"""Between which its curves are, m; to the right, which turns the vehicle to the left."""
RACKS = (-1e-4, -0.006)
"""Of the curves over speed."""
FASTEST = 60.0
GENTLE = -1e-5
"""Rack of small accelerations, m."""
SMALL = 1e-3
"""Their yaw rate, rad/s."""
ON_TWO_WHEELS = {
    "yaw.rate": 0.33,
    "cabin.side_speed": -3.3,
    "cabin.roll": 0.3,
    "cabin.pitch": -0.02,
    "cabin.z": 0.12,
    "front_left.arm_angle": -0.13,
    "front_right.arm_angle": 0.04,
    "rear_left.arm_angle": -0.13,
    "rear_right.arm_angle": 0.18,
}
"""Near the motion at 20 m/s with the last displacement of the rack."""
AT = 20.0
"""Speed of the understeer gradient, m/s."""
PUBLISHED = ((9.978, -0.06253), (19.847, -0.08564), (29.655, -0.08484))
"""Speed and yaw rate 5 s after the benchmark's ramp steers of 2 mm began (Robotran)."""


def model() -> Model:
    """Return the vehicle with one drive torque for all wheels, and a force that tows it."""
    car = iltis.model()
    torque, tow = car.input("drive.torque", unit="N.m"), car.input("tow.force", unit="N")
    for name in CORNERS:
        axle = car.nodes[f"{name} carrier"].turned((0, 1, 0))
        car.moment(car.nodes[f"{name} wheel frame"], torque / 4 * axle)
        car.moment(car.nodes["cabin frame"], -torque / 4 * axle)
    ahead = car.nodes["heading"].matrix[:, 0]
    for name, mass in MASSES.items():
        car.force(car.nodes[name], mass / sum(MASSES.values()) * tow * ahead)
    return car


@dataclass(frozen=True)
class Record:
    """Branches over rack and over speed, the understeer gradient's parts, and comparisons.

    Attributes
    ----------
    numbers, reference : dict of str to float
    parts : dict of str to float
        Of the understeer gradient, rad s²/m.
    racks : dict of float to Branch
        By speed.
    speeds : dict of float to Branch
        By displacement of the rack.
    two_wheels : Branch
        With the inner wheels in the air, over the rack.
    """

    numbers: dict[str, float]
    reference: dict[str, float]
    parts: dict[str, float]
    racks: dict[float, Branch]
    speeds: dict[float, Branch]
    two_wheels: Branch


def circle(equations: Equations, speed: float, rate: float) -> SteadyMotion:
    """Return the steady motion of a speed and a yaw rate; rack and drive torque are found."""
    return steady_motion(
        equations,
        {"cabin.speed": speed, "yaw.rate": rate},
        find=["drive.torque", "rack.displacement"],
    )


def gradient(equations: Equations) -> float:
    """Return the understeer gradient of the model at small accelerations, rad s²/m."""
    left, right = (circle(equations, AT, rate) for rate in (SMALL, -SMALL))
    steers = [by_hand.steer_at_rest(m.inputs["rack.displacement"]) for m in (left, right)]
    return (steers[0] - steers[1] - 2 * WHEELBASE * SMALL / AT) / (2 * AT * SMALL)


def yaw_gain(equations: Equations, speed: float) -> float:
    """Return the yaw rate per steer of the front wheels at small accelerations, 1/s."""
    steer = by_hand.steer_at_rest(GENTLE) - by_hand.steer_at_rest(0.0)
    found = steady_motion(
        equations,
        {"cabin.speed": speed},
        find=["drive.torque"],
        inputs={"rack.displacement": GENTLE},
    )
    return found.state["yaw.rate"] / steer


def compare_by_hand(branch: Branch, speed: float, title: str) -> dict[str, float]:
    """Return the largest differences from the balance by hand, at three places of a branch."""
    apart = dict.fromkeys(("rack", "thrust", "roll", "loads"), 0.0)
    for i in (len(branch) // 4, len(branch) // 2, len(branch) - 1):
        rack = float(branch["rack.displacement_filtered"][i])
        forward, loads = (
            np.array([float(branch[f"{n}.{what}"][i]) for n in CORNERS])
            for what in ("longitudinal_force", "load")
        )
        guess = {**branch.states(i), "rack": 0.95 * rack, "torque": 0.09 * forward.sum()}
        hand = by_hand.cornering(speed, guess["yaw.rate"], guess)
        for name, difference in (
            ("rack", hand.rack / rack - 1),
            ("thrust", hand.wheels.longitudinal_force.sum() / forward.sum() - 1),
            ("roll", hand.roll / guess["cabin.roll"] - 1),
            ("loads", np.abs(hand.wheels.load - loads).max() / loads.max()),
        ):
            apart[name] = max(apart[name], abs(float(difference)))
    return {f"{title}: {name}, relative to by hand": v for name, v in apart.items()}


def tip(equations: Equations) -> Branch:
    """Follow circles on two wheels over the rack."""
    circles = SteadyMotions(
        equations, {"cabin.speed": AT}, find=["drive.torque"], start=ON_TWO_WHEELS
    )
    return continuation(
        circles, "rack.displacement", (RACK[1], -8e-4), steps=Steps(longest=0.1), progress=False
    )


def follow(equations: Equations) -> tuple[dict[float, Branch], dict[float, Branch]]:
    """Follow steady cornering over the rack and over speed."""
    racks, speeds = {}, {}
    for speed in SPEEDS:
        circles = SteadyMotions(equations, {"cabin.speed": speed}, find=["drive.torque"])
        racks[speed] = continuation(
            circles, "rack.displacement", RACK, steps=Steps(longest=0.1), progress=False
        )
    for rack in RACKS:
        circles = SteadyMotions(
            equations, find=["drive.torque"], inputs={"rack.displacement": rack}
        )
        speeds[rack] = continuation(
            circles, "cabin.speed", (5.0, FASTEST), steps=Steps(longest=0.06), progress=False
        )
    return racks, speeds


def limits(branch: Branch, speed: float) -> dict[str, float]:
    """Return the largest lateral acceleration of a branch, and what holds there."""
    across = (branch["cabin.speed"] * branch["yaw.rate"]).values
    top = int(np.argmax(across))
    shares = [
        sum(abs(float(branch[f"{n}.side_force"][top])) for n in pair)
        / sum(by_hand.friction(float(branch[f"{n}.load"][top])) for n in pair)
        for pair in (list(CORNERS)[:2], list(CORNERS)[2:])
    ]
    return {
        f"{speed:g} m/s: largest lateral acceleration (m/s²)": largest(across),
        f"{speed:g} m/s: friction used in front": shares[0],
        f"{speed:g} m/s: friction used behind": shares[1],
        f"{speed:g} m/s: least load of a wheel (N)": min(
            float(branch[f"{n}.load"].min()) for n in CORNERS
        ),
        f"{speed:g} m/s: largest real part (1/s)": float(
            branch.data["exponents"].real.max(dim="exponent").max()
        ),
    }


def run() -> Record:
    """Follow steady cornering; compare with the balance by hand and published yaw rates."""
    equations = model().equations()
    parts = understeer(AT, SMALL)
    by_parts = sum(parts.values())
    numbers, reference = {}, {}
    in_degrees = np.rad2deg(9.81)
    numbers["understeer gradient (deg/g)"] = in_degrees * gradient(equations)
    reference["understeer gradient (deg/g)"] = in_degrees * by_parts
    for speed in (10.0, 20.0, 40.0):
        name = f"{speed:g} m/s: yaw rate per steer (1/s)"
        numbers[name] = yaw_gain(equations, speed)
        reference[name] = speed / (WHEELBASE + by_parts * speed**2)
    top = minimize_scalar(
        lambda v: -yaw_gain(equations, v),
        bounds=(20, 30),
        method="bounded",
        options={"xatol": 0.01},
    )
    numbers["characteristic speed (m/s)"] = float(top.x)
    reference["characteristic speed (m/s)"] = float(np.sqrt(WHEELBASE / by_parts))
    for speed, rate in PUBLISHED:
        found = steady_motion(
            equations, {"cabin.speed": speed}, find=["tow.force"],
            inputs={"rack.displacement": 0.002},
        )  # fmt: skip
        name = f"{speed:g} m/s, 2 mm: yaw rate, towed (rad/s)"
        numbers[name], reference[name] = found.state["yaw.rate"], rate
    racks, speeds = follow(equations)
    two_wheels = tip(equations)
    apart = compare_by_hand(racks[AT], AT, f"{AT:g} m/s")
    apart |= compare_by_hand(two_wheels, AT, "two wheels")
    numbers |= apart
    reference |= dict.fromkeys(apart, 0.0)
    for speed, branch in racks.items():
        numbers |= limits(branch, speed)
    every = (*racks.values(), *speeds.values(), two_wheels)
    numbers["events on all branches"] = sum(len(branch.events) for branch in every)
    reference["events on all branches"] = 0
    return Record(numbers, reference, parts, racks, speeds, two_wheels)


def draw(record: Record, folder: Path) -> None:
    """Draw the handling diagram with loads, and yaw rate and exponents over speed."""
    gradient = sum(record.parts.values())
    save(draw_handling(record.racks, record.two_wheels, gradient), folder, "iltis_handling")
    speeds = draw_speeds(record.speeds, record.racks, gradient)
    save(speeds, folder, "iltis_handling_speeds")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(iltis.model(), folder, "iltis_handling", "ILTIS, road vehicle of the IAVSD")
    record = run()
    print_comparison(
        "Steady cornering of the ILTIS, beside by hand and published yaw rates",
        [(name, record.numbers[name], reference) for name, reference in record.reference.items()],
    )
    print("\nUndersteer gradient by hand, its parts (deg/g)")
    for name, part in record.parts.items():
        print(f"  {name:20}{np.rad2deg(9.81 * part):10.4f}")
    print("\nLimits")
    for name, number in record.numbers.items():
        if name not in record.reference:
            print(f"  {name:50}{number:10.4f}")
    draw(record, folder)


if __name__ == "__main__":
    main()
