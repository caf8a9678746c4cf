r"""A ball that comes to rest in finite time after ever more impacts, and what spin does to it.

**Dropped** from the height h onto a floor, with Newton's law ġ⁺ = -e ġ⁻, it arrives with
v = √(2 g h) at t_1 = v/g, then with e v, e² v, … after flights of 2 e^k v/g. Their sum is finite,

    t_∞ = t_1 + 2 e v/(g (1 - e)),

the accumulation of [Schwab2002] 5.3.2. An impact loses (1 - e²) m v_k²/2 (5.21), all of them m g h.
A simulation cannot make them all: where the rest of the sequence would take less than the settling
time τ, (5.26), the impact is the last one and inelastic, and the floor becomes a constraint. So the
ball rests at most τ too early, at the first impact k with 2 e^k v/(g (1 - e)) ≤ τ.

**Thrown** sideways with u_0 and the spin ω_0, a solid sphere of radius R meets the floor with the
sliding velocity s = u + R ω. The normal impulse is p = (1 + e) m v_k. A tangential one changes s by
7/2 of what it changes u, so that friction either stops the sliding with -2 m s/7, and the ball
rolls from then on whenever it touches, or slides on with -μ p sgn(s). Both keep the moment of
momentum about the floor, and the ball ends with 5 u_0/7 - 2 R ω_0/7 whatever μ and e; it may come
back.

Run: python examples/contact/bouncing_ball.py [--figures DIR]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from mbcore import Body, Model, Result, simulate
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show
from mbcore.model.shapes.shapes import cylinder, dot, line

GRAVITY, HEIGHT = 9.81, 1.0
"""m/s²; between the ball's lowest point and the floor, m."""
MASS, RADIUS = 0.5, 0.06
RESTITUTION, FRICTION = 0.7, 0.15
SETTLING_TIME, SIZE = 1e-7, 1e-3
"""s; m: the lowest bounces are 2e-14 of it, so that the time decides."""
SIDEWAYS = 1.5
"""Speed of the throws, m/s."""
SPINS = {"topspin": -100.0, "no spin": 0.0, "backspin": 100.0}
"""rad/s, counter-clockwise; the ball flies to the right."""
SPEED = math.sqrt(2 * GRAVITY * HEIGHT)
FIRST = SPEED / GRAVITY
REST = FIRST + 2 * RESTITUTION * SPEED / (GRAVITY * (1 - RESTITUTION))
"""v, m/s; t_1 and t_∞, s."""
END = 3.0
"""Of the simulation, s."""


def ball(
    restitution: float = RESTITUTION,
    settling_time: float = SETTLING_TIME,
    friction: float = FRICTION,
) -> Model:
    """Return the ball, whose centre and spin are free; y is the height of its lowest point."""
    model = Model("bouncing_ball", gravity=(0, -GRAVITY))
    centre, turn = model.point("centre", (0, HEIGHT)), model.angle("turn")
    centre.x.dof("x", "x_rate")
    centre.y.dof("y", "y_rate", HEIGHT)
    turn.angle.dof("spin", "spin_rate")
    inertia = 2 / 5 * MASS * RADIUS**2
    model.add(Body("ball", centre, turn, mass=MASS, inertia=inertia))
    model.show(
        cylinder((0, 0, 0), turn, RADIUS, name="ball"),
        dot((0, 0, 0), trail=True),
        at=centre,
    )
    model.show(line([(-0.5, -RADIUS, 0), (2, -RADIUS, 0)], name="floor"))
    floor = unilateral_contact(
        model,
        "floor",
        centre.y.value,
        Impact(restitution, settling_time),
        sliding=centre.velocity[0] + RADIUS * turn.rate,
        friction=friction,
        size=SIZE,
    )
    potential = MASS * GRAVITY * centre.y.value
    model.output("energy", model.kinetic_energy + potential, unit="J")
    model.output("force", floor.force, unit="N", description="of the floor at rest")
    return model


@dataclass(frozen=True)
class Record:
    """Motions of the ball."""

    numbers: dict[str, float]
    expected: dict[str, float]
    """In closed form."""
    drop: Result
    throws: dict[str, Result]


def run() -> Record:
    """Drop and throw the ball."""
    equations = ball().equations()
    accurate = {"rtol": 1e-11, "atol": 1e-13}
    drop = simulate(equations, END, **accurate)
    throws = {
        name: simulate(equations, END, start={"x_rate": SIDEWAYS, "spin_rate": spin}, **accurate)
        for name, spin in SPINS.items()
    }
    numbers, expected = dropped(drop)
    for name, throw in throws.items():
        ours, by_hand = thrown(throw), spinning(SPINS[name])
        numbers |= {f"{name}: {key}": ours[key] for key in ours}
        expected |= {f"{name}: {key}": by_hand[key] for key in ours}
    return Record(numbers, expected, drop, throws)


def impacts(motion: Result) -> np.ndarray:
    """Return the rows of a result just after impacts; the row before is the point before."""
    return np.flatnonzero(np.diff(motion["floor.impacts"]) > 0) + 1


def dropped(drop: Result) -> tuple[dict[str, float], dict[str, float]]:
    """Return numbers of the ball that falls without spin, and what they are in closed form."""
    after = impacts(drop)
    weight = MASS * GRAVITY * HEIGHT
    loss = np.diff(drop["floor.energy_loss"], prepend=0.0)[after]
    # [Schwab2002] (5.21)
    formula = (1 - RESTITUTION**2) / 2 * MASS * drop["floor.impact_speed"][after] ** 2
    formula[-1] /= 1 - RESTITUTION**2  # inelastic
    # with the weight's: the last point before is up to 2e-18 m below the floor, the next one on it
    change = drop["energy"][after - 1] - drop["energy"][after]
    speeds = SPEED * RESTITUTION ** np.arange(after.size)
    remaining = 2 * SPEED / (GRAVITY * (1 - RESTITUTION))
    count = math.ceil(math.log(SETTLING_TIME / remaining) / math.log(RESTITUTION))
    numbers = {
        "time of rest (s)": float(drop.time[after[-1]]),
        "impacts": drop.final("floor.impacts"),
        "mode switches": drop.final("floor.switches"),
        "mode switches per second": drop.statistics["mode switches per second"],
        "energy lost / m g h": drop.final("floor.energy_loss") / weight,
        "largest error of a loss / m g h": float(abs(loss - formula).max() / weight),
        "largest error of a loss, relative": float(abs(change / formula - 1).max()),
        "largest error of a speed / v": float(
            abs(drop["floor.impact_speed"][after] - speeds).max() / SPEED
        ),
        "largest error of a speed, relative": float(
            abs(drop["floor.impact_speed"][after] / speeds - 1).max()
        ),
        "force of the floor at rest / m g": drop.final("force") / (MASS * GRAVITY),
    }
    errors = {name: 0.0 for name in numbers if name.startswith("largest error")}
    return numbers, {
        "time of rest (s)": REST,
        "impacts": float(count),
        "mode switches": 1.0,
        "mode switches per second": 1 / END,
        "energy lost / m g h": 1.0,
        **errors,
        "force of the floor at rest / m g": 1.0,
    }


def thrown(motion: Result) -> dict[str, float]:
    """Return numbers of a ball that is thrown."""
    after = impacts(motion)
    sliding = motion["x_rate"] + RADIUS * motion["spin_rate"]
    return {
        "first tangential impulse (N.s)": float(motion["floor.tangential_impulse"][after[0]]),
        "sliding after impact 1 (m/s)": float(sliding[after[0]]),
        "sliding after impact 2 (m/s)": float(sliding[after[1]]),
        "speed in the end (m/s)": motion.final("x_rate"),
        "place in the end (m)": motion.final("x"),
        "energy in the end and lost (J)": motion.final("energy")
        + motion.final("floor.energy_loss"),
    }


def spinning(spin: float) -> dict[str, float]:
    """Return the same by hand, impact by impact."""
    x, u, s, v = SIDEWAYS * FIRST, SIDEWAYS, SIDEWAYS + RADIUS * spin, SPEED
    impulses, slidings, time = [], [], FIRST
    while time < REST - SETTLING_TIME:
        most = FRICTION * (1 + RESTITUTION) * MASS * v
        impulses.append(float(np.clip(-2 / 7 * MASS * s, -most, most)))
        u, s = u + impulses[-1] / MASS, s + 7 / 2 * impulses[-1] / MASS
        slidings.append(s)
        v *= RESTITUTION
        x, time = x + u * 2 * v / GRAVITY, time + 2 * v / GRAVITY
    return {
        "first tangential impulse (N.s)": impulses[0],
        "sliding after impact 1 (m/s)": slidings[0],
        "sliding after impact 2 (m/s)": slidings[1],
        "speed in the end (m/s)": 5 / 7 * SIDEWAYS - 2 / 7 * RADIUS * spin,
        "place in the end (m)": x + u * (END - time),
        "energy in the end and lost (J)": MASS * GRAVITY * HEIGHT
        + MASS / 2 * (SIDEWAYS**2 + 2 / 5 * (RADIUS * spin) ** 2),
    }


def flights(motion: Result, each: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return times and heights, each flight drawn by its parabola."""
    rows = np.concatenate([[0], impacts(motion)])
    ends = np.append(motion.time[rows[1:]], END)
    times, heights = [], []
    for row, end in zip(rows, ends, strict=True):
        t = np.linspace(motion.time[row], end, each)
        ago = t - t[0]
        fall = 0.0 if motion["floor.closed.active"][row] else GRAVITY / 2
        times.append(t)
        heights.append(motion["y"][row] + motion["y_rate"][row] * ago - fall * ago**2)
    return np.concatenate(times), np.concatenate(heights)


def draw_drop(drop: Result) -> Figure:
    """Draw the height over time, once more near the end, and how the impacts accumulate."""
    figure = Figure(figsize=(11.5, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.7, 1))
    times, heights = flights(drop)
    left.plot(times, heights)
    left.axvline(REST, color="C1", linestyle="--", linewidth=1)
    left.annotate(
        "$t_\\infty$", (REST, 0.93), xytext=(5, 0), textcoords="offset points", color="C1"
    )
    left.set_xlim(0, 2.8)
    left.set_ylim(0, 1.04)
    left.set_title("A ball that is dropped, e = 0.7", loc="left")
    plain(left, "time (s)", "height (m)")
    inset = left.inset_axes((0.5, 0.42, 0.41, 0.5))
    inset.plot(1e3 * (times - REST), 1e3 * heights)
    inset.axvline(0, color="C1", linestyle="--", linewidth=1)
    inset.set_xlim(-62, 6)
    inset.set_ylim(0, 0.48)
    inset.tick_params(labelsize=8)
    inset.set_xlabel("time to $t_\\infty$ (ms)", fontsize=8)
    inset.set_ylabel("height (mm)", fontsize=8)
    after = impacts(drop)
    number = 1 + np.arange(after.size)
    remaining = 2 * RESTITUTION * drop["floor.impact_speed"][after] / (GRAVITY * (1 - RESTITUTION))
    line = np.array([0, number[-1] + 4])
    right.semilogy(line, (REST - FIRST) * RESTITUTION ** (line - 1.0), color="0.6", linewidth=1)
    right.semilogy(number, remaining, ".")
    right.axhline(SETTLING_TIME, color="C1", linestyle="--", linewidth=1)
    right.annotate(
        "settling time: the last one",
        (1, SETTLING_TIME),
        xytext=(0, 5),
        textcoords="offset points",
        color="C1",
    )
    right.set_ylim(bottom=1e-8)
    right.set_title("Time left to bounce, (5.26)", loc="left")
    plain(right, "number of the impact", "$2 e v_k / (g (1 - e))$ (s)")
    return figure


def draw_throws(throws: dict[str, Result]) -> Figure:
    """Draw the paths of the balls that are thrown, with the ball at equal intervals of time."""
    figure = Figure(figsize=(11.5, 4.9), layout="constrained")
    places = figure.subplot_mosaic([["topspin"] * 2, ["no spin", "backspin"]])
    for name, axes in places.items():
        _draw_path(axes, throws[name])
        end = throws[name].final("x_rate")
        axes.set_title(f"Ball thrown with {name}: rolls on with {end:.2f} m/s", loc="left")
    places["topspin"].set_xlim(-0.4, 8.2)
    places["no spin"].set_xlim(-0.4, 3.7)
    places["backspin"].set_xlim(-1.4, 2.7)
    return figure


def _draw_path(axes: Axes, motion: Result) -> None:
    times, heights = flights(motion)
    axes.plot(np.interp(times, motion.time, motion["x"]), heights + RADIUS, color="C0", zorder=3)
    axes.axhspan(-0.06, 0, color="0.75")
    for shade, t in enumerate(np.arange(0, END + 1e-9, 0.1)):
        x, y = np.interp(t, motion.time, motion["x"]), np.interp(t, times, heights) + RADIUS
        turn = np.interp(t, motion.time, motion["spin"])
        tint = 0.25 + 0.6 * shade / (10 * END)
        axes.add_patch(Circle((x, y), RADIUS, facecolor="C0", alpha=0.12 * tint, linewidth=0))
        axes.add_patch(Circle((x, y), RADIUS, fill=False, edgecolor="0.3", alpha=tint))
        rim = RADIUS * np.array([-math.sin(turn), math.cos(turn)])
        axes.plot([x, x + rim[0]], [y, y + rim[1]], color="C1", alpha=tint, linewidth=1.5)
    axes.set_aspect("equal")
    axes.set_ylim(-0.06, RADIUS + HEIGHT + 0.16)
    plain(axes, "x (m)", "height (m)")


def draw(record: Record, folder: Path) -> None:
    """Write both figures."""
    save(draw_drop(record.drop), folder, "bouncing_ball_drop")
    save(draw_throws(record.throws), folder, "bouncing_ball_throws")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    times = np.linspace(0, 1.15, 24)
    title = "Ball thrown with backspin"
    show(record.throws["backspin"], folder, "bouncing_ball", title, times=times)
    print_comparison(
        "Bouncing ball, in closed form",
        [(name, ours, record.expected[name]) for name, ours in record.numbers.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
