r"""A balancing robot: a linear quadratic regulator on six states, and why it fails on sixteen.

A robot that is described as a free body with two wheels has eight positions q, the place x, y, z,
roll, pitch, yaw and the angles of both wheels, and sixteen states. Its wheels roll without slip on
a floor, so that five of the eight rates follow from speed v, yaw rate ψ̇ and pitch rate θ̇,

    q̇ = T (θ̇, v, ψ̇)ᵀ,

and torques move what these three move: pitch θ, the distance s along the path, heading ψ and their
rates. The other ten states stay as they are, whatever the torques do; each has the eigenvalue 0,
which no feedback changes. So the algebraic Riccati equation of sixteen states has no stabilizing
solution. On the six states it has. Here T and the accelerations are those of `linearize`, whose
states are minimal from the start.

Upright, with the mass M of the body, its centre h above the axle, its inertia J there and wheels
of the mass m, spin inertia I and radius r, the robot falls with the eigenvalue λ,

    λ² = M g h / (J + M h² - (M h)²/(M + 2 m + 2 I/r²)).

The regulator u = -K x makes ∫ xᵀ Q x + uᵀ R u dt smallest; started near the upright position, the
nonlinear robot costs x₀ᵀ P x₀. Then it starts far from there, leaned by 20° and turning at 1 rad/s,
and is sent 1 m ahead and a quarter turn to the left.

Run: python examples/robots/balancing_lqr.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import LinAlgError, solve_continuous_are

from mbcore import Model, Result, linearize, simulate
from mbcore.equations.equations import Equations
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.fmus.balancing_robot import model

SPEEDS = ("body.pitch_rate", "base.speed", "base.yaw_rate")
STATES = (*SPEEDS, "body.pitch", "drive.distance", "base.yaw")
"""The minimal states; the place is counted along the path."""
POSITIONS = ("base.x", "base.y", "body.pitch", "base.yaw", "left.angle", "right.angle")
"""Of the eight; height and roll are constant."""
TORQUES = ("left.torque", "right.torque")
SIZES = np.array([1.0, 0.5, 1.0, 0.1, 0.2, 0.3])
"""Of the states; each is as bad as a torque of `EFFORT`, N m, on each wheel."""
EFFORT = 2.0
Q, R = np.diag(1 / SIZES**2), np.eye(2) / EFFORT**2
UPRIGHT = {"body.pitch": 0.0}
NEAR = 1e-4
"""Size of the start near the upright position, of the one far away."""
LEANED = np.radians(20)
AHEAD, TURNED = 1.0, np.pi / 2
"""Where it is sent, m and rad."""
DURATION = 16.0
"""s."""


@dataclass(frozen=True)
class Regulator:
    """A and B of the states, K and P."""

    A: np.ndarray
    B: np.ndarray
    gain: np.ndarray
    worth: np.ndarray


def robot(gain: np.ndarray | None = None) -> Model:
    """Return the robot with its distance as a state; with a gain, a regulator drives the wheels."""
    whole = model()
    part = whole.elements
    forward, turning = part["forward"].slip.velocity, part["turning"].slip.velocity
    pitch, yaw = part["pitch"].angle, part["yaw"].angle
    distance = whole.state("drive.distance", unit="m", visibility="output")
    whole.derivative("drive.distance", forward)
    if gain is not None:
        ahead = whole.input("target.distance", unit="m")
        heading = whole.input("target.yaw", unit="rad")
        state = ca.vertcat(
            pitch.rate, forward, turning, pitch.value, distance - ahead, yaw.value - heading
        )
        torque = -ca.DM(gain) @ state
        for i, side in enumerate(("left", "right")):
            whole.load(torque[i], part[f"{side}_hinge"].angle.rate)
            whole.output(f"{side}.regulator_torque", torque[i], unit="N.m")
        whole.state("cost", visibility="output")
        whole.derivative("cost", ca.bilin(ca.DM(Q), state) + ca.bilin(ca.DM(R), torque))
    return whole


def linear(equations: Equations) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the matrices of all states upright, and the names of the states."""
    about = linearize(equations, UPRIGHT)
    names = [record.name for record in equations.states]
    inputs = [record.name for record in equations.inputs]
    return about.state_matrix, about.input_matrix[:, [inputs.index(t) for t in TORQUES]], names


def regulator(equations: Equations) -> Regulator:
    """Return the regulator of the six states."""
    whole, forces, names = linear(equations)
    own = [names.index(name) for name in STATES]
    A, B = whole[np.ix_(own, own)], forces[own]
    worth = solve_continuous_are(A, B, Q, R)
    return Regulator(A, B, np.linalg.solve(R, B.T @ worth), worth)


def sixteen(equations: Equations) -> tuple[np.ndarray, np.ndarray]:
    """Return A and B of eight positions and their rates: q̇, and q̈ = T (θ̈, v̇, ψ̈)."""
    whole, forces, names = linear(equations)
    three = [names.index(name) for name in SPEEDS]
    follow = np.zeros((8, 3))
    follow[:6] = whole[np.ix_([names.index(name) for name in POSITIONS], three)]
    pulled = np.zeros((3, 8))
    pulled[:, :6] = whole[np.ix_(three, [names.index(name) for name in POSITIONS])]
    A, B = np.zeros((16, 16)), np.zeros((16, 2))
    A[:8, 8:] = np.eye(8)
    A[8:, :8], B[8:] = follow @ pulled, follow @ forces[three]
    return A, B


def controllable(A: np.ndarray, B: np.ndarray) -> int:
    """Return how many states torques move: the rank of B, A B, A² B and so on, scaled."""
    columns = [B / np.abs(B).max()]
    while len(columns) < len(A):
        following = A @ columns[-1]
        columns.append(following / max(float(np.abs(following).max()), 1e-300))
    return int(np.linalg.matrix_rank(np.hstack(columns), tol=1e-9))


def riccati_fails(A: np.ndarray, B: np.ndarray) -> str:
    """Return how SciPy's solver refuses the Riccati equation."""
    try:
        solve_continuous_are(A, B, np.eye(len(A)), R)
    except LinAlgError as error:
        return str(error)
    raise ValueError("the Riccati equation of states that nothing moves has been solved")


def regulated(equations: Equations, size: float, **target: float) -> Result:
    """Simulate the regulated robot that is leaned by a part of 20°."""
    inputs = {f"target.{name}": value for name, value in target.items()}
    return simulate(
        equations, DURATION, start={"body.pitch": size * LEANED, "base.yaw_rate": size},
        inputs=inputs, samples=801, rtol=1e-11, atol=1e-16,
    )  # fmt: skip


def draw(run: Result, folder: Path) -> None:
    """Draw the way, pitch and torques."""
    figure = Figure(figsize=(10, 6.5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.2))
    left.plot(run["base.x"], run["base.y"], label="middle of the axle")
    left.plot(0, 0, "ko", markersize=4, label="start")
    left.plot(run.final("base.x"), run.final("base.y"), "o", color="C3", label="end")
    left.set_aspect("equal")
    head(left, "Way, from above", 3)
    plain(left, "x (m)", "y (m)")
    right.plot(run.time, run["body.pitch"], label="pitch (rad)")
    right.plot(run.time, run["drive.distance"], label="distance (m)")
    right.plot(run.time, run["base.yaw"], label="heading (rad)")
    right.plot(
        run.time, run["left.regulator_torque"] / 10, "--", color="0.5", label="left torque (10 N m)"
    )
    head(right, "Leaned by 20°, sent 1 m and 90° to the left", 2)
    right.set_xlim(0, 8)
    plain(right, "t (s)", "")
    save(figure, folder, "balancing_lqr_motion")


def main() -> None:
    """Design, simulate, compare and draw."""
    folder = figures_folder(__doc__)
    show(model(), folder, "balancing_lqr", "Balancing robot")
    bare = robot().equations()
    made = regulator(bare)
    A, B = sixteen(bare)
    mass, height, inertia, wheel, spin, radius = 10.0, 0.3, 0.2, 1.0, 5e-3, 0.1
    about = inertia + mass * height**2
    about -= (mass * height) ** 2 / (mass + 2 * wheel + 2 * spin / radius**2)
    closed = robot(made.gain).equations()
    near, far = regulated(closed, NEAR), regulated(closed, 1.0, distance=AHEAD, yaw=TURNED)
    start = NEAR * np.array([0, 0, 1, LEANED, 0, 0])
    poles = linearize(closed, UPRIGHT).eigenvalues()
    expected = np.linalg.eigvals(made.A - made.B @ made.gain)
    apart = max(float(np.abs(poles - pole).min() / abs(pole)) for pole in expected)
    rows = [
        ("eigenvalue of the fall (1/s)", float(np.linalg.eigvals(made.A).real.max()),
         float(np.sqrt(mass * 9.81 * height / about))),
        ("states that torques move, of six", controllable(made.A, made.B), 6),
        ("states that torques move, of sixteen", controllable(A, B), 6),
        ("eigenvalues of sixteen states that are zero",
         int(np.sum(np.abs(np.linalg.eigvals(A)) < 1e-6)), 14),
        ("regulated: eigenvalues, relative error", apart, 0.0),
        ("regulated near: cost over x₀ᵀ P x₀",
         near.final("cost") / float(start @ made.worth @ start), 1.0),
        ("regulated far: distance at the end (m)", far.final("drive.distance"), AHEAD),
        ("regulated far: heading at the end (rad)", far.final("base.yaw"), TURNED),
    ]  # fmt: skip
    print_comparison("Balancing robot with a regulator", rows)
    print(f"on sixteen states SciPy says: {riccati_fails(A, B)}")
    draw(far, folder)


if __name__ == "__main__":
    main()
