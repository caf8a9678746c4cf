r"""Shimmy of a swivel wheel whose centring has play: a stable cycle, and its multipliers.

The swivel wheel of ``swivel_wheel.py`` (m = l = 1, a/l = 0.2, m r² = 0.21, k = 0.3) shimmies by
itself at any speed. A spring K_s that centres its swivel holds it: with the spring's moment on φ
straight running has

    m (a² + r²)/l² λ³ + (1 + μ) m (a² + r²) v/l³ λ² + (k + K_s/l²) λ + k v/l = 0,

with μ = (a b - r²)/(a² + r²), the characteristic equation of [SchwabMeijaard2003] (31) with K_s,
stable above K_s = -μ k l²/(1 + μ) = 0.075. But where the spring has the play ± δ, small motions do
not feel it: they grow as the text says, until the spring takes part in the motion so much that it
goes on unchanged.

**To first harmonic** the spring acts as a part N of it on a motion of amplitude A,

    N = 1 - 2/π (asin(δ/A) + (δ/A) √(1 - (δ/A)²)),   N K_s = 0.075,
    ω² = k l²/((1 + μ) m (a² + r²)).

**Exactly**, the equations by hand of ``shimmy_threshold.py`` with the moment of the spring are
integrated from one zero of φ to the next, where the state is opposite; with them their variational
equations, whose eigenvalues after a period are the multipliers: 1 along the cycle, and two more.

Run: python examples/bicycles/shimmy_play.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

from mbcore import Bearing, Equations, Model, Result, linearize, simulate
from mbcore.examples.bicycles.shimmy_threshold import CENTRE, INERTIA, LENGTH, STIFFNESS, rates
from mbcore.examples.bicycles.swivel_wheel import DISTANCE, characteristic_roots
from mbcore.examples.common import figures_folder, plain, print_comparison, save
from mbcore.examples.swivel_picture import show_swivelled
from mbcore.fmus import caster
from mbcore.vibration import PeriodicSolution, periodic_solution

CENTRING, PLAY, SPEED = 0.3, 0.05, 1.0
"""K_s, N.m/rad; δ, rad; m/s."""
NAMES = ("strut.deflection_rate", "strut.deflection", "swivel.angle")
DURATION = 150.0
"""Of the motion that is drawn, s."""


def model() -> Model:
    """Return the swivel wheel with its centring, whose ends of play are events."""
    gear = caster.model()
    swivel = gear.elements["swivel"]
    assert isinstance(swivel, Bearing)
    stiffness = gear.parameter("centring.stiffness", CENTRING, unit="N.m/rad", minimum=0.0)
    play = gear.parameter("centring.play", PLAY, unit="rad", minimum=0.0)
    angle = swivel.rotation
    left, right = gear.event("centring.left"), gear.event("centring.right")
    beyond = left * (angle.value - play) + right * (angle.value + play)
    angle.law(stiffness * beyond)
    gear.event("centring.left", angle.value - play)
    gear.event("centring.right", -play - angle.value)
    return gear


def moment(phi: complex) -> complex:
    """Return the spring's moment against the swivel angle, N.m."""
    beyond = phi - np.copysign(PLAY, np.real(phi))
    return CENTRING * beyond if abs(np.real(phi)) > PLAY else 0.0 * phi


def by_hand(time: float, state: np.ndarray) -> np.ndarray:
    """Return the rates of u̇, u and φ, and, if it follows them, those of the monodromy matrix."""
    phi = state[2]
    own = rates(SPEED, moment(phi))(time, state[:3])
    if len(state) == 3:
        return np.array(own)
    columns = []
    for step in np.eye(3) * 1e-30j:  # the derivative by a complex step
        aside = state[:3] + step
        columns.append(np.imag(rates(SPEED, moment(aside[2]))(time, aside)) / 1e-30)
    return np.concatenate([own, (np.column_stack(columns) @ state[3:].reshape(3, 3)).ravel()])


def followed(start: np.ndarray, duration: float) -> np.ndarray:
    """Integrate by hand; each end of the play ends a step, so that no step has a corner."""

    def left(time: float, state: np.ndarray) -> float:
        return state[2] - PLAY

    def right(time: float, state: np.ndarray) -> float:
        return state[2] + PLAY

    left.terminal = right.terminal = True  # type: ignore[attr-defined]
    time, state = 0.0, start
    while time < duration:
        found = solve_ivp(
            by_hand, (time, duration), state, "DOP853", events=[left, right],
            rtol=1e-12, atol=1e-14,
        )  # fmt: skip
        time, state = float(found.t[-1]), found.y[:, -1]
        # past the corner, so that the next step does not find it again
        if time < duration:
            step = min(1e-9, duration - time)
            state, time = state + step * by_hand(time, state), time + step
    return state


@dataclass(frozen=True)
class Harmonic:
    """The cycle to first harmonic: amplitude of φ, rad, and frequency, rad/s."""

    amplitude: float
    frequency: float

    def start(self) -> np.ndarray:
        """Return u̇, u and φ where φ rises through zero."""
        return self.amplitude * np.array([self.frequency, -SPEED / self.frequency, 0.0])


def first_harmonic() -> Harmonic:
    """Return the cycle by the describing function of the play."""
    square = CENTRE**2 + INERTIA
    stable = 1 + (CENTRE * (LENGTH - CENTRE) - INERTIA) / square
    needed = (1 / stable - 1) * STIFFNESS * LENGTH**2 / CENTRING

    def excess(part: float) -> float:
        return 1 - 2 / np.pi * (np.arcsin(part) + part * np.sqrt(1 - part**2)) - needed

    part = brentq(excess, 1e-6, 1)
    return Harmonic(PLAY / part, float(np.sqrt(STIFFNESS / (stable * square))))


@dataclass(frozen=True)
class ByHand:
    """The cycle: state where φ rises through zero, period, s, and multipliers, smallest first."""

    start: np.ndarray
    period: float
    multipliers: np.ndarray


def cycle() -> ByHand:
    """Return the cycle of the equations by hand."""
    near = first_harmonic()

    def misses(values: np.ndarray) -> np.ndarray:
        start = np.array([values[0], values[1], 0.0])
        return followed(start, values[2]) + start

    found = root(misses, [*near.start()[:2], np.pi / near.frequency], tol=1e-12)
    start, period = np.array([*found.x[:2], 0.0]), 2 * float(found.x[2])
    end = followed(np.concatenate([start, np.eye(3).ravel()]), period)
    return ByHand(start, period, by_size(np.linalg.eigvals(end[3:].reshape(3, 3))))


def by_size(multipliers: np.ndarray) -> np.ndarray:
    """Return multipliers in the order of their sizes."""
    return np.real_if_close(multipliers[np.argsort(np.abs(multipliers))])


@dataclass(frozen=True)
class Record:
    """Results and expected numbers, by name; the cycle, and a motion that grows to it."""

    numbers: dict[str, float]
    expected: dict[str, float]
    solution: PeriodicSolution
    motion: Result


def linear_multiplier(equations: Equations, period: float) -> float:
    """Return the size of the largest multiplier of small motions over the cycle's period."""
    about = linearize(equations, {"swivel.angle": 0.0}, parameters={DISTANCE: CENTRE})
    return float(np.exp(about.eigenvalues().real.max() * period))


def run() -> Record:
    """Find the cycle and its multipliers, by hand and by the model; let a motion grow to it."""
    equations, exact, near = model().equations(), cycle(), first_harmonic()
    given = {"inputs": {"attachment.speed": SPEED}, "parameters": {DISTANCE: CENTRE}}
    solution = periodic_solution(
        equations, exact.period, guess=dict(zip(NAMES, exact.start, strict=True)),
        autonomous=True, **given,
    )  # fmt: skip
    assert solution.multipliers is not None
    motion = simulate(
        equations, DURATION, start={"swivel.angle": 0.01}, samples=3001, rtol=1e-11, atol=1e-13,
        **given,
    )  # fmt: skip
    ours = [m for m in by_size(solution.multipliers) if abs(m - 1) > 1e-6]
    late = motion["swivel.angle"][motion.time > DURATION - 12]
    largest = solution["swivel.angle"].amplitude()
    found = [
        ("period (s)", solution.period, exact.period),
        ("smaller multiplier", abs(ours[0]), float(np.abs(exact.multipliers[0]))),
        ("larger multiplier", abs(ours[-1]), float(np.abs(exact.multipliers[1]))),
        ("multiplier along the cycle, by hand", float(np.abs(exact.multipliers[2])), 1.0),
        ("inside the play: growth in a period",
         linear_multiplier(equations, exact.period),
         float(np.exp(characteristic_roots(CENTRE).real.max() * exact.period))),
        ("a small motion grows to amplitude (rad)", float(np.abs(late).max()), largest),
        ("amplitude (rad); to first harmonic", largest, near.amplitude),
        ("frequency (rad/s); to first harmonic", 2 * np.pi / solution.period, near.frequency),
    ]  # fmt: skip
    numbers = {name: value for name, value, _ in found}
    return Record(numbers, {name: value for name, _, value in found}, solution, motion)


def draw(record: Record, folder: Path) -> None:
    """Draw the wheel, a motion that grows to the cycle, and the cycle."""
    show_swivelled(model(), folder, "shimmy_play", "Swivel wheel with play in its centring")
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
    left.plot(record.motion.time, record.motion["swivel.angle"], linewidth=0.8)
    for axes, across in ((left, left.axhspan), (right, right.axvspan)):
        across(-PLAY, PLAY, color="0.9", zorder=0, label="play")
        axes.margins(x=0)
    left.set_title("Inside the play it grows, then it goes on", loc="left")
    left.legend(loc="upper left")
    plain(left, "t (s)", "swivel angle (rad)")
    times = np.linspace(0, record.solution.period, 401)
    right.plot(*(record.solution[name](times) for name in reversed(NAMES[1:])))
    right.margins(x=0.1)
    right.set_title("The cycle", loc="left")
    plain(right, "swivel angle (rad)", "deflection of the strut (m)")
    save(figure, folder, "shimmy_play")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Shimmy with play in the centring",
        [(name, record.numbers[name], value) for name, value in record.expected.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
