r"""Dry friction and damping of a joint from the decay of a pendulum, with how sure they are.

A pendulum is released from rest, and an encoder records its angle until it stands still. Both
frictions of the joint take part in the decay: dry friction takes the same from each swing,
damping a share of it. So one record tells both.

Nobody's measurement: the record is calculated by hand, swing by swing, as

    J φ̈ = -m g h sin φ - c φ̇ - M sign(φ̇),   J = I + m h²,                             (swing)

which rests where \|m g h sin φ\| <= M once φ̇ = 0, and random noise is added. The fit knows neither
friction, nor the first angle, nor the noise. The deviations that it states are compared with
σ² (Gᵀ G)⁻¹, G the derivatives of (swing) by the unknowns, taken by differences.

A second fit has no dry friction in its model. Its motion looks similar, but its residuals
are not white: the model misses something, and its damping is wrong.

Run: python examples/identification/friction_from_decay.py [--figures DIR]
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp
from scipy.stats import chi2

from mbcore import Body, Fit, Friction, Model, PlanarHinge, Run, fit, simulate
from mbcore.drawing import ball, tube
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show

MASS, HEIGHT, INERTIA, GRAVITY = 2.0, 0.6, 0.05, 9.81
"""kg; of the mass centre below the pivot, m; about the mass centre, kg.m²; m/s²."""
FRICTION, DAMPING = 0.3, 0.06
"""True values, N.m and N.m.s/rad."""
RELEASED, NOISE = 0.7, 2e-3
"""First angle, and standard deviation of the encoder's noise, rad."""
TIMES = np.linspace(0.0, 10.0, 501)
"""Of the samples, s."""
RADIUS = 0.1
"""Of the bob that is drawn, m."""
NAMES = ("joint.friction", "joint.damping")


def model(friction: float = 0.1, damping: float = 0.1) -> Model:
    """Return the pendulum with first guesses of its frictions."""
    pendulum = Model("pendulum", gravity=(0, -GRAVITY))
    dry = pendulum.parameter("joint.friction", friction, unit="N.m")
    viscous = pendulum.parameter("joint.damping", damping, unit="N.m.s/rad")
    wall, pivot = pendulum.angle("wall", fixed=True), pendulum.point("pivot", (0, 0), fixed=True)
    arm = pendulum.angle("arm", RELEASED)
    centre = (0, -HEIGHT)
    bob = Body("bob", pivot, arm, mass=MASS, inertia=INERTIA, offset=centre)
    pendulum.add(bob).visible = False
    pendulum.show(tube([(0, 0), centre], 0.015), ball(centre, None, RADIUS), at=(pivot, arm))
    joint = pendulum.add(PlanarHinge("joint", wall, arm))
    joint.angle.dof("angle", "rate", start=RELEASED)
    pendulum.add(
        Friction("rubbing", joint, coefficient=0, radius=0.01, preload=dry, viscous=viscous)
    )
    return pendulum


def by_hand(friction: float, damping: float, released: float) -> np.ndarray:
    """Return the angle at all times by (swing), from one turning point to the next, rad."""
    found = np.full(TIMES.size, released)
    time, angle, weight = 0.0, released, MASS * GRAVITY * HEIGHT
    inertia = INERTIA + MASS * HEIGHT**2
    while time < TIMES[-1] and weight * abs(np.sin(angle)) > friction:
        rubs = -np.sign(angle) * friction  # it swings back, to the side of the smaller angle

        def rates(_: float, y: np.ndarray, rubs: float = rubs) -> list[float]:
            return [y[1], (-weight * np.sin(y[0]) - damping * y[1] - rubs) / inertia]

        def turns(_: float, y: np.ndarray) -> float:
            return float(y[1])

        turns.terminal, turns.direction = True, float(np.sign(angle))  # type: ignore[attr-defined]
        swing = solve_ivp(
            rates, (time, TIMES[-1] + 1.0), (angle, 0.0), "DOP853", events=turns,
            dense_output=True, rtol=1e-11, atol=1e-12,
        )  # fmt: skip
        within = (time <= TIMES) & (swing.t[-1] >= TIMES)
        found[within] = swing.sol(TIMES[within])[0]
        time, angle = float(swing.t[-1]), float(swing.y[0, -1])
        found[time < TIMES] = angle
    return found


def covariance() -> np.ndarray:
    """Return that of friction, damping and first angle, over the noise's variance."""
    true = np.array([FRICTION, DAMPING, RELEASED])
    columns = []
    for change in np.diag(1e-5 * true):
        ends = by_hand(*(true + change)), by_hand(*(true - change))
        columns.append((ends[0] - ends[1]) / (2 * change.max()))
    derivatives = np.column_stack(columns)
    return np.linalg.inv(derivatives.T @ derivatives)


def draw_ellipse(axes: Axes, result: Fit) -> None:
    """Draw the region of 95 % of both frictions, their intervals, and the true values."""
    values = np.array([result.values[name] for name in NAMES])
    own = result.covariance[:2, :2]
    turns = np.linspace(0.0, 2 * np.pi, 181)
    circle = np.array([np.cos(turns), np.sin(turns)]) * np.sqrt(chi2.ppf(0.95, 2))
    edge = values[:, None] + np.linalg.cholesky(own) @ circle
    axes.fill(*(1e3 * edge), color="C0", alpha=0.15, label="95 %, both")
    low, high = np.array([result.intervals(0.95)[name] for name in NAMES]).T
    bars = 1e3 * np.array([values - low, high - values])
    x, y = 1e3 * values
    axes.errorbar(x, y, xerr=bars[:, :1], yerr=bars[:, 1:], fmt="o", color="C0", capsize=4,
                  label="fit, 95 % each")  # fmt: skip
    axes.plot(1e3 * FRICTION, 1e3 * DAMPING, "kx", markersize=9, label="true")
    axes.legend(frameon=False, loc="upper right")
    axes.set_title("Both frictions, with confidence region", loc="left")
    plain(axes, "dry friction (mN.m)", "damping (mN.m.s/rad)")


def draw(result: Fit, without: Fit, folder: Path) -> None:
    """Draw the record with both fits, what they leave, and the values with their intervals."""
    figure = Figure(figsize=(11.5, 6.4), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.7, 1))
    top, bottom = (figure.add_subplot(grid[i, 0]) for i in range(2))
    sensor, other = result.sensors["angle"], without.sensors["angle"]
    top.plot(TIMES, sensor.measured[0], ".", color="0.65", markersize=3, label="measured")
    top.plot(TIMES, sensor.simulated[0], color="C0", label="both frictions")
    top.plot(TIMES, other.simulated[0], color="C3", linestyle="--", label="damping alone")
    top.set_title("The pendulum comes to rest", loc="left")
    plain(top, "", "angle (rad)")
    for one, colour, name in ((other, "C3", "damping alone"), (sensor, "C0", "both frictions")):
        bottom.plot(TIMES, 1e3 * one.residuals[0], color=colour, linewidth=0.8, label=name)
    for side in (-2e3, 2e3):
        bottom.axhline(side * sensor.deviation, color="0.3", linestyle=":", linewidth=1)
    bottom.set_ylim(-110, 150)  # room for the legend
    bottom.set_title("Residuals, and ± twice the estimated noise", loc="left")
    plain(bottom, "time (s)", "residual (mrad)")
    for axes in (top, bottom):
        axes.legend(frameon=False, loc="upper right", ncols=3)
    draw_ellipse(figure.add_subplot(grid[:, 1]), result)
    save(figure, folder, "friction_from_decay")


def main() -> None:
    """Record, fit, compare and draw."""
    folder = figures_folder(__doc__)
    show(model(), folder, "friction_from_decay", "Pendulum with friction in its joint")
    angle = by_hand(FRICTION, DAMPING, RELEASED)
    noise = np.random.default_rng(1).normal(0.0, NOISE, TIMES.size)
    record = Run({"time": TIMES, "angle": angle + noise}, start={"rate": 0.0})
    result = fit(model(), record, {name: (0, 1) for name in NAMES})
    without = fit(model(friction=0.0), record, {"joint.damping": (0, 1)})

    true = dict(zip(NAMES, (FRICTION, DAMPING), strict=True))
    motion = simulate(
        model().equations(), TIMES[-1], parameters=true, samples=TIMES.size, rtol=1e-10, atol=1e-12
    )
    found, stated = result.sensors["angle"], list(result.deviations.values())
    own = covariance()
    deviations = found.deviation * np.sqrt(np.diag(own))
    rows = [("angle at rest without noise (rad)", float(motion["angle"][-1]), float(angle[-1]))]
    rows += [(f"{name}, estimated (true)", result.values[name], true[name]) for name in NAMES]
    rows += [
        ("noise, estimated (drawn) (mrad)", 1e3 * found.deviation, 1e3 * float(noise.std())),
        *((f"deviation of {n}", stated[i], float(deviations[i])) for i, n in enumerate(NAMES)),
        (
            "correlation of both",
            float(result.correlations.iloc[0, 1]),
            float(own[0, 1] / np.sqrt(own[0, 0] * own[1, 1])),
        ),
    ]
    print_comparison("Joint friction from the decay of a pendulum", rows)
    for what, one in (("both frictions", result), ("damping alone", without)):
        sensor = one.sensors["angle"]
        verdict = "white" if sensor.whiteness.white else "not white"
        print(f"{what}: residuals of {1e3 * sensor.deviation:.2f} mrad, {verdict}")
    draw(result, without, folder)


if __name__ == "__main__":
    main()
