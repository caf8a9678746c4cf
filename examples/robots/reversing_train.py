r"""Reversing a road train with two trailers by a linear quadratic regulator, and where it ends.

A tractor of wheelbase L, steered by α, pushes two trailers of lengths l_1 and l_2 backwards on
axles that do not slip; all hitches are on axles. By the distance s that the tractor rolls, negative
backwards, the heading and distance of the last trailer from a line and the hitch angles have

    ψ_0' = tan α/L,   θ_1' = -sin θ_1/l_1 - tan α/L,   θ_2' = sin θ_1/l_1 - cos θ_1 sin θ_2/l_2,
    ψ_2 = ψ_0 + θ_1 + θ_2,   y_2' = cos θ_1 cos θ_2 sin ψ_2.

Backwards the hitch angles grow. About the line, with an actuator of the time constant τ that brings
the front axle to the commanded angle α_c, the speed v gives

    ẏ_2 = v ψ_2,   ψ̇_2 = -v θ_2/l_2,   θ̇_1 = -v θ_1/l_1 - v α/L,   θ̇_2 = v θ_1/l_1 - v θ_2/l_2,
    α̇ = (α_c - α)/τ.

For steps of h with a held command this is x₊ = A x + B α_c, and α_c = -K x makes
J = Σ xᵀ Q x + R α_c² smallest, J = x₀ᵀ P x₀ then. The loop is closed around the train's FMU. Near
the line it has to follow x_k = (A - B K)^k x₀ and to cost x₀ᵀ P x₀; then it starts 3 m beside it.

**The limit of recovery.** With the front axle at its lock α_m the angle of the first hitch still
falls where

    sin θ_1 < l_1 tan α_m/L,

whatever the regulator. Bisection of motions of a tractor with one trailer finds this angle.

Run: python examples/robots/reversing_train.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import expm, solve_discrete_are

from mbcore import Equations, Result, linearize, simulate
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.fmi import LoopOptions, closed_loop, export
from mbcore.fmus import road_train

WHEELBASE, LENGTH, LAG = 3.8, 5.0, 0.1
"""L and both l, m; τ, s: the model's own."""
LOCK = 0.6
"""α_m, rad."""
SPEED, STEP = -1.0, 0.05
"""v, m/s, and h, s."""
PUSH = 20000.0
"""Force of the drive for a difference of speed, N.s/m."""
ON_AXLE = {"tractor.hitch": 0.0, "trailer_1.hitch": 0.0}
STATES = (
    "trailer_2.y", "trailer_2.yaw", "trailer_1.angle", "trailer_2.angle", "steer.actuator_angle",
)  # fmt: skip
Q, R = np.diag([0.02, 1.0, 1.0, 1.0, 0.1]), np.array([[2.0]])
OFF, DURATION = 3.0, 150.0
"""How far beside the line the train starts, m, and how long it is driven, s."""
NEAR = 1e-5
"""Size of the start near the line, of the one far away."""


@dataclass(frozen=True)
class Regulator:
    """A and B of a step, K and P."""

    A: np.ndarray
    B: np.ndarray
    gain: np.ndarray
    worth: np.ndarray


def rates_by_hand() -> tuple[np.ndarray, np.ndarray]:
    """Return the matrices of ẋ about the line."""
    roll = SPEED / LENGTH
    A = np.array([
        [0, SPEED, 0, 0, 0],
        [0, 0, 0, -roll, 0],
        [0, 0, -roll, 0, -SPEED / WHEELBASE],
        [0, 0, roll, -roll, 0],
        [0, 0, 0, 0, -1 / LAG],
    ])  # fmt: skip
    return A, np.array([[0], [0], [0], [0], [1 / LAG]])


def rates_by_model(equations: Equations) -> tuple[np.ndarray, np.ndarray]:
    """Return the same of the model, whose states have the tractor's pose."""
    about = linearize(equations, {"base.speed": SPEED}, parameters=ON_AXLE)
    names = [record.name for record in equations.states]
    own = ["base.y", "base.yaw", *STATES[2:]]
    rows = [names.index(name) for name in own]
    turn = np.eye(5)
    # From the tractor's rear axle to the last one, by the headings of both trailers.
    turn[0, 1:4] = -2 * LENGTH, -2 * LENGTH, -LENGTH
    turn[1, 2:4] = 1, 1
    inputs = [record.name for record in equations.inputs]
    command = about.input_matrix[rows][:, [inputs.index("steer.angle")]]
    return turn @ about.state_matrix[np.ix_(rows, rows)] @ np.linalg.inv(turn), turn @ command


def regulator() -> Regulator:
    """Return the regulator for steps of the rates by hand."""
    rates, forces = rates_by_hand()
    held = expm(STEP * np.block([[rates, forces], [np.zeros((1, 6))]]))
    A, B = held[:5, :5], held[:5, 5:]
    worth = solve_discrete_are(A, B, Q, R)
    return Regulator(A, B, np.linalg.solve(R + B.T @ worth @ B, B.T @ worth @ A), worth)


def drive(path: Path, made: Regulator, size: float) -> Result:
    """Reverse the train by its FMU, from a place beside the line."""

    def command(time: float, state: Mapping[str, float]) -> dict[str, float]:
        angle = -float(made.gain[0] @ [state[name] for name in STATES])
        force = PUSH * (SPEED - state["base.speed"])
        return {"steer.angle": float(np.clip(angle, -LOCK, LOCK)), "drive.force": force}

    return closed_loop(
        path, command, sample_time=STEP, until=DURATION,
        start={"base.speed": SPEED, "base.y": size * OFF, **ON_AXLE},
        measurements=(*STATES, "base.speed"), options=LoopOptions(tolerance=1e-10),
    )  # fmt: skip


def compared(near: Result, made: Regulator) -> tuple[float, float]:
    """Return the cost of the near motion over x₀ᵀ P x₀, and its distance from the linear one."""
    found = np.column_stack([near[name] for name in STATES])
    linear = [found[0]]
    while len(linear) < len(found):
        linear.append((made.A - made.B @ made.gain) @ linear[-1])
    cost = np.einsum("ti,ij,tj", found, Q, found) + R[0, 0] * np.sum(near["steer.angle"] ** 2)
    apart = np.abs(found - linear).max() / np.abs(found[0]).max()
    return float(cost / (found[0] @ made.worth @ found[0])), float(apart)


def at_lock(equations: Equations, angle: float, until: float = 20.0) -> Result:
    """Reverse a tractor with one trailer from a hitch angle, rad, at full lock."""
    return simulate(
        equations, until, start={"base.speed": SPEED, "trailer_1.angle": angle},
        inputs={"steer.angle": -LOCK}, samples=51, rtol=1e-12, atol=1e-13,
        parameters={"steering": "direct", "tractor.hitch": 0.0, "hitch.limit": 3.0},
    )  # fmt: skip


def recoverable(equations: Equations) -> float:
    """Return the largest hitch angle from which the trailer comes back, rad."""
    low, high = 0.5, 1.5
    while high - low > 1e-10:
        middle = (low + high) / 2
        if at_lock(equations, middle).final("trailer_1.angle") < middle:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def draw(far: Result, sides: Mapping[str, Result], limit: float, folder: Path) -> None:
    """Draw the way, steering and hitch angles, and both sides of the limit."""
    figure = Figure(figsize=(10, 8), layout="constrained")
    way, rest = figure.subfigures(2, 1, height_ratios=(1, 1.5))
    axes = way.subplots()
    units = {"base": "tractor", "trailer_1": "first trailer", "trailer_2": "last trailer"}
    for unit, name in units.items():
        axes.plot(far[f"{unit}.x"], far[f"{unit}.y"], label=name)
    axes.set_xlim(-75, 3)
    head(axes, "Ways of the axles, from the right to the left", 3)
    plain(axes, "x (m)", "y (m)")
    left, right = rest.subplots(1, 2)
    angles = {"steer.angle": "command", "trailer_1.angle": "first hitch",
              "trailer_2.angle": "second hitch"}  # fmt: skip
    for angle, name in angles.items():
        left.plot(far.time, np.degrees(far[angle]), label=name)
    left.set_xlim(0, 60)
    head(left, "Command and hitch angles", 3)
    plain(left, "t (s)", "angle (deg)")
    for name, run in sides.items():
        right.plot(run.time, np.degrees(run["trailer_1.angle"]), label=name)
    right.axhline(np.degrees(limit), color="k", linestyle=":", label="limit")
    head(right, "One trailer at full lock, near the limit", 3)
    plain(right, "t (s)", "hitch angle (deg)")
    save(figure, folder, "reversing_train")


def main() -> None:
    """Regulate, find the limit, compare and draw."""
    folder = figures_folder(__doc__)
    whole = road_train.model(2)
    show(whole, folder, "reversing_train", "Tractor with two trailers")
    made, source = regulator(), road_train.component(2)
    rates, forces = rates_by_hand()
    ours = rates_by_model(source.equations)
    with tempfile.TemporaryDirectory(prefix="mbcore_") as place:
        path = export(source, place, fmi="3.0")[0]
        near, far = drive(path, made, NEAR), drive(path, made, 1.0)
    cost, apart = compared(near, made)
    one = road_train.model(1).equations()
    limit, critical = recoverable(one), float(np.arcsin(LENGTH * np.tan(LOCK) / WHEELBASE))
    rows = [
        ("rates about the line, largest difference", float(np.abs(ours[0] - rates).max()), 0.0),
        ("rates by the command, largest difference", float(np.abs(ours[1] - forces).max()), 0.0),
        ("near the line: cost over x₀ᵀ P x₀", cost, 1.0),
        ("near the line: distance from linear motion", apart, 0.0),
        ("3 m off: last trailer at the end, y (m)", far.final("trailer_2.y"), 0.0),
        ("3 m off: its heading at the end (rad)", far.final("trailer_2.yaw"), 0.0),
        ("limit of recovery, one trailer (rad)", limit, critical),
    ]
    print_comparison("Reversing a road train", rows)
    sides = {
        f"2° {side}": at_lock(one, limit + sign * np.radians(2), 12.0)
        for side, sign in (("below", -1), ("above", 1))
    }
    draw(far, sides, limit, folder)


if __name__ == "__main__":
    main()
