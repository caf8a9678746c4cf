r"""Shimmy with a threshold: a swivel wheel whose swivel rubs with a constant moment.

The swivel wheel of ``swivel_wheel.py`` (m = l = v = 1, a/l = 0.2, m r² = 0.21, k = 0.3) shimmies by
itself. A friction M in the swivel that does not depend on its load, as of a nut that is tightened,
holds small motions: below a threshold the wheel comes to rest, above it shimmies. Between is a
periodic motion that is unstable. It comes to rest in steps, for a wheel that sticks at an angle
deflects the strut until it slides again.

**To first harmonic**, the friction on a rate of amplitude ω A acts as the damping 4 M/(π ω A) does.
Viscous damping d makes straight running indifferent at, by hand,

    d = m (r² - a b) v/l,    ω² = k l²/(m (a² + r²)),    so that A = 4 M/(π d ω).

**Exactly**, the cycle is found from the equation of motion by hand: with φ̇ = (u̇ cos φ - v sin φ)/l,
s the sign of φ̇, and the place of the mass centre,

    x = v t - b cos φ,   y = u - b sin φ,
    m ẍ ∂ẋ/∂u̇ + m ÿ ∂ẏ/∂u̇ + (m r² φ̈ + s M) cos φ/l + k u = 0,

it is integrated at tolerances of 1e-12 from one turn of φ to the next, where u and φ are opposite.
The moment passes from M to -M there at once, for the wheel does not stick: holding it would take
more than M.

``continuation`` follows this threshold over the speed: the events remember which way the wheel
swivels, and the derivative of the motion passes through them. The equations by hand give the same
cycles, and simulations on both sides confirm them.

Run: python examples/bicycles/shimmy_threshold.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp
from scipy.optimize import root

from mbcore import Bearing, Equations, Friction, Model, Result, simulate
from mbcore.examples.common import ABOVE, figures_folder, head, plain, print_comparison, save, show
from mbcore.fmus import caster
from mbcore.vibration import Branch, Periodic, Steps, continuation

MASS, LENGTH, CENTRE, INERTIA, STIFFNESS = 1.0, 1.0, 0.2, 0.21, 0.3
"""kg, m, m from the wheel, kg.m², N/m."""
MOMENT = 0.005
"""Of the friction, N.m."""
SLOWEST, FASTEST = 0.7, 2.0
"""m/s."""
SIMULATED = (0.7, 1.1, 1.5, 1.9)
"""Speeds at which motions are pushed to both sides, m/s."""
DISTANT = 0.1
"""In parts of the cycle: how far inside and outside of it simulations start."""
DURATION = 120.0


def model() -> Model:
    """Return the swivel wheel with a constant friction in its swivel."""
    gear = caster.model()
    swivel = gear.elements["swivel"]
    assert isinstance(swivel, Bearing)
    moment = gear.parameter("swivel.preload", MOMENT, unit="N.m", minimum=0.0)
    rubbing = Friction("swivel.friction", swivel, radius=0.05, coefficient=0.0, preload=moment)
    gear.add(rubbing)
    return gear


def rates(speed: float, moment: float) -> Callable[[float, np.ndarray], list[float]]:
    """Return the rates of u̇, u and φ by hand, with a moment on the swivel, N.m, against φ."""
    b = LENGTH - CENTRE

    def given(time: float, state: np.ndarray) -> list[float]:
        faster, u, phi = state
        c, s = np.cos(phi), np.sin(phi)
        turning = (faster * c - speed * s) / LENGTH
        bias = -(faster * s + speed * c) * turning / LENGTH  # φ̈ without ü
        by_x, by_y = b * s * c / LENGTH, 1 - b * c * c / LENGTH
        moved = by_x * b * (s * bias + c * turning**2) + by_y * b * (s * turning**2 - c * bias)
        force = MASS * moved + (INERTIA * bias + moment) * c / LENGTH + STIFFNESS * u
        mass = MASS * (by_x**2 + by_y**2) + INERTIA * (c / LENGTH) ** 2
        return [-force / mass, faster, turning]

    return given


def turned(speed: float, u: float, phi: float) -> tuple[float, np.ndarray]:
    """Return time and state where φ, that begins to decrease, increases again."""

    def turns(time: float, state: np.ndarray) -> float:
        return rates(speed, -MOMENT)(time, state)[2] if time > 0.1 else -1.0

    turns.terminal, turns.direction = True, 1  # type: ignore[attr-defined]
    accuracy = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
    start = [speed * np.tan(phi), u, phi]
    found = solve_ivp(rates(speed, -MOMENT), (0, 20), start, events=turns, **accuracy)
    return float(found.t[-1]), found.y[:, -1]


@dataclass(frozen=True)
class Cycle:
    """The unstable motion, at its largest swivel angle."""

    speed: float
    u: float
    phi: float
    period: float

    def start(self, part: float = 1.0) -> dict[str, float]:
        """Return a state in parts of the cycle, where the wheel does not swivel."""
        phi = part * self.phi
        return {
            "strut.deflection": part * self.u,
            "strut.deflection_rate": self.speed * np.tan(phi),
            "swivel.angle": phi,
        }


def first_harmonic(speed: float) -> float:
    """Return the amplitude of φ by the describing function, rad."""
    damping = (INERTIA - MASS * CENTRE * (LENGTH - CENTRE)) * speed / LENGTH
    turning = LENGTH * np.sqrt(STIFFNESS / (MASS * CENTRE**2 + INERTIA))
    return float(4 * MOMENT / (np.pi * damping * turning))


def cycle(speed: float) -> Cycle:
    """Return the cycle of the equations by hand."""

    def misses(values: np.ndarray) -> list[float]:
        _, there = turned(speed, *values)
        return [there[1] + values[0], there[2] + values[1]]

    guess = first_harmonic(speed)
    found = root(misses, [guess / speed, guess], tol=1e-13)
    return Cycle(speed, *found.x, period=2 * turned(speed, *found.x)[0])


def grown(around: Cycle) -> float:
    """Return by how much a turn takes neighbouring motions away from the cycle, by hand."""
    place, aside = np.array([around.u, around.phi]), 1e-5
    columns = []
    for step in np.eye(2) * aside:
        ends = [-turned(around.speed, *(place + s * step))[1][1:] for s in (1, -1)]
        columns.append((ends[0] - ends[1]) / (2 * aside))
    return float(np.abs(np.linalg.eigvals(np.column_stack(columns))).max() ** 2)


def pushed(equations: Equations, around: Cycle, part: float, until: float) -> Result:
    """Simulate from a part of the cycle."""
    signals = {"attachment.speed": around.speed}
    return simulate(
        equations, until, start=around.start(part), inputs=signals, rtol=1e-11, atol=1e-13
    )


def followed(equations: Equations, around: Cycle, motion: Result) -> tuple[Branch, Branch]:
    """Follow the cycle to both ends of the speeds, from a quarter of a turn after it swivels."""
    row = int(np.argmin(np.abs(motion.time - around.period / 4)))
    start = {name: float(motion[name][row]) for name in around.start()}
    family = Periodic(equations, period=around.period, start=start, autonomous=True)
    steps = Steps(longest=0.1)
    slower, faster = (
        continuation(family, "attachment.speed", (around.speed, end), steps=steps)
        for end in (SLOWEST, FASTEST)
    )
    return slower, faster


@dataclass(frozen=True)
class Record:
    """Thresholds over the speed, and motions on both sides of one."""

    numbers: dict[str, float]
    expected: dict[str, float]
    branches: tuple[Branch, Branch]
    less: Result
    more: Result


def missed(branches: tuple[Branch, Branch]) -> dict[str, float]:
    """Return how far branches are off the cycles by hand, at some of their points."""
    periods, angles = [], []
    for branch in branches:
        for i in range(0, len(branch), 4):
            one = cycle(float(branch.data["parameter"][i]))
            periods.append(abs(float(branch.data["period"][i]) / one.period - 1))
            angles.append(abs(float(branch.amplitude("swivel.angle")[i]) / one.phi - 1))
    return {
        "all speeds: period by hand, relative difference": max(periods),
        "all speeds: amplitude by hand, relative difference": max(angles),
    }


def run() -> Record:
    """Follow the cycle over speed, go around it, and push the wheel off it."""
    equations, here = model().equations(), cycle(1.0)
    around = pushed(equations, here, 1.0, here.period)
    branches = followed(equations, here, around)
    less, more = (pushed(equations, here, 1 + f, DURATION) for f in (-DISTANT, DISTANT))
    sides = [
        (one, *(pushed(equations, one, 1 + f, 5 * one.period) for f in (-DISTANT, DISTANT)))
        for one in map(cycle, SIMULATED)
    ]
    misses = [abs(around.final(name) - value) for name, value in here.start().items()]
    late = less.time > DURATION - 10
    first = branches[0].solution(0).multipliers
    assert first is not None
    numbers = {
        "v = 1: misses itself after a turn by": max(misses),
        "v = 1: amplitude / that to first harmonic": here.phi / first_harmonic(1.0),
        "v = 1: largest multiplier": float(np.abs(first).max()),
        **missed(branches),
        "v = 1, pushed less: last angle over the cycle's": float(
            np.abs(less["swivel.angle"][late]).max() / here.phi
        ),
        "v = 1, pushed more: shimmies, amplitude over the cycle's": float(
            np.abs(more["swivel.angle"][more.time > DURATION - 10]).max() / here.phi
        ),
        "speeds at which pushes on both sides part": float(
            sum(
                inside.final("swivel.angle") < (1 - DISTANT) * one.phi
                and outside.final("swivel.angle") > (1 + DISTANT) * one.phi
                for one, inside, outside in sides
            )
        ),
    }
    expected = {
        "v = 1: misses itself after a turn by": 0.0,
        "v = 1: amplitude / that to first harmonic": 1.0,
        "v = 1: largest multiplier": grown(here),
        "all speeds: period by hand, relative difference": 0.0,
        "all speeds: amplitude by hand, relative difference": 0.0,
        "v = 1, pushed less: last angle over the cycle's": 0.0,
        "speeds at which pushes on both sides part": 4.0,
    }
    return Record(numbers, expected, branches, less, more)


def draw(record: Record, folder: Path) -> None:
    """Draw the wheel, the threshold over speed, and motions on both sides."""
    title = "Swivel wheel and strut, pushed"
    show(record.more, folder, "shimmy_threshold", title, times=(2.0,), view=ABOVE)
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    over, late = figure.subplots(1, 2, width_ratios=(1, 1.4))
    for branch, exactly in zip(record.branches, ("exactly", None), strict=True):
        over.plot(branch.data["parameter"], branch.amplitude("swivel.angle"), "C0", label=exactly)
    speeds = np.linspace(SLOWEST, FASTEST, 50)
    over.plot(speeds, [first_harmonic(v) for v in speeds], "k:", label="to first harmonic")
    plain(over, "speed (m/s)", "swivel angle (rad)")
    head(over, "The threshold, an unstable cycle", 2)
    late.plot(record.more.time, record.more["swivel.angle"], label="10 % more", linewidth=0.8)
    late.plot(record.less.time, record.less["swivel.angle"], label="10 % less than the cycle")
    plain(late, "time (s)", "swivel angle (rad)")
    head(late, "Pushed a little less, it comes to rest", 2)
    save(figure, folder, "shimmy_threshold")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Shimmy with a threshold",
        [(name, record.numbers[name], value) for name, value in record.expected.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
