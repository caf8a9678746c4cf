"""Energy of the car against the powers of its outputs, in random runs.

    python -m tests.fmu_src.car.energy --count 1000

Kinetic and potential energy are those of seven rigid bodies, from velocities of their nodes. The
powers are those of the forces that the car shows as outputs, with the velocities on which they
act. The car gets the integral of their sum as a state; the change of energy must equal it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore import Equations, Model, SimulationError, simulate
from mbcore.fmus import car
from mbcore.fmus.car.data import CORNERS
from mbcore.fmus.tyre_data import tyre_data

UNTIL = 0.5
"""Of each run, s."""
GROUPS = ("tyres", "loads", "springs", "drives", "brakes", "steering", "air", "forces")
"""Of the powers; springs are those of the suspensions, with dampers."""


def equations_with_energy() -> Equations:
    """Return the car with its energy as an output, and the work of each group as a state."""
    made = car.build(tyre_data())
    model = made.model
    powers = dict.fromkeys(GROUPS, ca.SX(0))
    for name in CORNERS:
        for group, power in _powers_at(made, name).items():
            powers[group] += power
    rate = made.steering.rack.angle.rate
    column = _output(model, "steering_wheel.torque") * made.data["steering.ratio"]
    powers["steering"] = (column - made.data["steering.damping"] * rate) * rate
    powers["air"] = _power_of_air(made)
    forces = [model.inputs[f"body.force_{axis}"].symbol for axis in "xy"]
    turning = model.inputs["body.torque_z"].symbol * made.body.frame.angular_velocity[2]
    powers["forces"] = ca.dot(ca.vertcat(*forces, 0), made.body.place.velocity) + turning
    for group, power in powers.items():
        model.state(f"work.{group}", power, unit="J", nominal=100.0)
    model.output("energy", _energy(made), unit="J")
    return model.equations()


def _output(model: Model, name: str) -> ca.SX:
    return model.outputs[name].expression


def _powers_at(made: car.Car, name: str) -> dict[str, ca.SX]:
    """Return the powers of what acts on one wheel, W."""
    model, corner = made.model, made.corners[name]
    wheel, controls = corner.wheel, made.controls[name]
    spoke, across = ca.norm_2(wheel.radius), ca.norm_2(wheel.normal)
    ahead = wheel.tangent_direction / spoke / across
    normal = wheel.normal / across
    turning = wheel.rotation.angular_velocity
    # The wheel's own point at the contact, and the two directions of TYDEX in the road.
    own = wheel.centre.velocity + ca.cross(turning, wheel.radius)
    aside = ca.cross(normal, ahead)
    shown = {of: _output(model, f"{name}.{of}") for of in OUTPUTS}
    sliding = shown["force_x"] * ca.dot(ahead, own) + shown["force_y"] * ca.dot(aside, own)
    moment = shown["moment_x"] * ahead + shown["moment_y"] * aside + shown["moment_z"] * normal
    rubbing = corner.spin.rate
    return {
        "tyres": sliding + ca.dot(moment, turning),
        "loads": shown["load"] * ca.dot(normal, own),
        "springs": -made.springs[name] * corner.guide.travel.rate,
        "drives": controls.drive_torque * rubbing,
        "brakes": -shown["brake.torque"] * rubbing,
    }


OUTPUTS = ("force_x", "force_y", "load", "moment_x", "moment_y", "moment_z", "brake.torque")


def _power_of_air(made: car.Car) -> ca.SX:
    data, velocity = made.data, made.body.place.velocity
    pressure = data["air.density"] / 2
    drag = -pressure * data["drag.area"] * ca.norm_2(velocity) ** 3
    up = made.body.frame.turned([0, 0, 1])
    return drag - pressure * data["downforce.area"] * made.body.speed**2 * ca.dot(up, velocity)


def _energy(made: car.Car) -> ca.SX:
    """Return kinetic and potential energy of the bodies, J."""
    data, body, gravity = made.data, made.body, made.model.gravity
    assert gravity is not None
    rack = made.steering.rack.angle.rate
    total = data["steering.inertia"] * rack**2 / 2
    turning = body.frame.matrix.T @ body.frame.angular_velocity
    inertia = ca.vertcat(*data.inertia("body"))
    total += ca.dot(inertia, turning**2) / 2
    total += _of_mass(data["body.mass"], gravity, body.place.position, body.place.velocity)
    for corner in made.corners.values():
        wheel = corner.wheel
        spin = wheel.rotation.matrix.T @ wheel.rotation.angular_velocity
        diameter, polar = data["wheel.inertia"], data["wheel.spin_inertia"]
        total += (diameter * (spin[0] ** 2 + spin[2] ** 2) + polar * spin[1] ** 2) / 2
        centre = wheel.centre
        total += _of_mass(data["wheel.mass"], gravity, centre.position, centre.velocity)
    return total


def _of_mass(mass: ca.SX, gravity: ca.SX, place: ca.SX, velocity: ca.SX) -> ca.SX:
    return mass * (ca.sumsqr(velocity) / 2 - ca.dot(gravity, place))


@dataclass(frozen=True)
class Balance:
    """What one run has exchanged, J."""

    change: float
    """Of the energy."""
    works: dict[str, float]
    """Of each group."""
    exchanged: float
    """Greatest energy, for the size of what is compared."""

    @property
    def missing(self) -> float:
        """Part of the energy that no power accounts for."""
        return abs(self.change - sum(self.works.values())) / self.exchanged


def balance(equations: Equations, number: int) -> Balance:
    """Return the energies of a random run, by its number."""
    random = np.random.default_rng(number)
    speed = random.uniform(5, 35)
    inputs: dict[str, float | Callable[[float], float]] = {
        "steering_wheel.angle": _wave(random, 0.6)[0],
        "road.friction": random.uniform(0.3, 1.2),
        "road.slope": random.uniform(-0.1, 0.1),
        "body.force_x": random.uniform(-500, 500),
        "body.force_y": random.uniform(-500, 500),
        "body.torque_z": random.uniform(-500, 500),
    }
    for name in CORNERS:
        inputs[f"{name}.drive_torque"] = random.uniform(-200, 300)
        inputs[f"{name}.brake_torque"] = random.choice([0, random.uniform(0, 1500)])
        height, rate = _wave(random, 0.005)
        inputs[f"{name}.road_height"], inputs[f"{name}.road_rate"] = height, rate
    run = simulate(
        equations,
        UNTIL,
        backend="c",
        start={"body.speed": speed, "body.side_speed": random.uniform(-1, 1)},
        parameters={"road": 2, "downforce.area": 0.5, "tyres.transient": random.integers(1, 3)},
        inputs=inputs,
        rtol=1e-11,
        atol=1e-12,
        samples=21,
    )
    energy = run["energy"]
    works = {group: float(run[f"work.{group}"][-1]) for group in GROUPS}
    return Balance(float(energy[-1] - energy[0]), works, float(np.abs(energy).max()))


def _wave(
    random: np.random.Generator, size: float
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Return a sine that begins with zero, and its rate."""
    height, turning = random.uniform(-size, size), random.uniform(5, 30)
    return (
        lambda t: height * np.sin(turning * t),
        lambda t: height * turning * np.cos(turning * t),
    )


def main() -> None:
    """Print the greatest missing part, and which runs were refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    count = parser.parse_args().count
    equations, worst, refused = equations_with_energy(), 0.0, 0
    for number in range(count):
        try:
            found = balance(equations, number)
        except SimulationError as error:
            refused += 1
            print(f"{number}: {str(error)[:150]}", flush=True)
            continue
        if found.missing > worst:
            worst = found.missing
            print(f"{number}: {worst:.1e} of {found.exchanged:.4g} J is missing", flush=True)
    print(f"{count - refused} runs, {refused} refused: at most {worst:.1e} of the energy missing")


if __name__ == "__main__":
    main()
