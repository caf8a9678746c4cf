r"""A slider-crank driven by a motor: its speed, period and stability follow from the motor.

The text prescribes the crank's speed and leaves a motor with a torque characteristic to further
work. Here the mechanism of [Schwab2002] 4.4.2 has a rotor of inertia J_m on its crank, driven by

    M(θ̇) = M_0 (1 - θ̇/ω_0),

and pumps: the plunger is held back by c ẋ. Nothing depends on time, so the period T is unknown: a
solution is periodic where the crank has turned by 2π. With a rigid rod there is one freedom,

    J(θ) θ̈ + J'(θ) θ̇²/2 = M(θ̇) - c x'(θ)² θ̇,                                          (1)

which is integrated over the angle for reference, as an equation for the speed at each angle. One
multiplier is 1, that of the phase; by Liouville's formula the other one is

    ρ = exp(-∮ (M_0/ω_0 + c x'²)/J dt),                                                (2)

since J'θ̇/J is the rate of ln J and leaves nothing after a turn: this motion is always stable. The
**quasi-static** formula takes torques at the mean speed Ω, where M(Ω) = c Ω ⟨x'²⟩, and the speed
from the energy, J θ̇²/2 = E_0 + ∫ (M(Ω) - c x'² Ω) dθ. It is right as far as the speed is uniform.

**Nominal motion from the motor.** The rotation θ(t) of the rigid mechanism, as a Fourier series,
is prescribed to the mechanism with an elastic rod: a nominal motion at irregular speed, about which
the rod vibrates a little. Beside it are the full equations of motor, mechanism and elastic rod,
five degrees of freedom, again with an unknown period. Small motions about the motor's rotation are
near them, with a range 0.5 % too large. Those about a uniform rotation are not: the range is 5 %
too small, and the vibration that the motor's irregular speed excites is missing.

Run: python examples/vibration/motor_driven.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from mbcore import Body, Equations
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.examples.vibration.elastic_slider_crank import (
    CRANK,
    MASS_PER_LENGTH,
    PLUNGER_MASS,
    ROD,
    SliderCrank,
    slider_crank,
)
from mbcore.vibration import PeriodicOptions, PeriodicSolution, nominal_motion, periodic_solution

STALL_TORQUE, NO_LOAD_SPEED = 10.0, 200.0
"""M_0, N.m, and ω_0, rad/s."""
ROTOR, PUMPING = 0.004, 1.5
"""J_m, kg.m², and c, N.s/m."""
TURN = 2 * np.pi
HARMONICS = 20


def motor_driven(elements: int) -> Equations:
    """Return the equations with motor and load; 0 elements make a rigid rod."""
    found = slider_crank(f"motor_driven_{elements}", elements=elements)
    found.crank.angle.dof("crank.angle", "crank.speed", rate_start=150.0, rate_nominal=100.0)
    stall, free = (
        found.model.parameter("motor.stall_torque", STALL_TORQUE, unit="N.m"),
        found.model.parameter("motor.no_load_speed", NO_LOAD_SPEED, unit="rad/s", positive=True),
    )
    torque = stall * (1 - found.crank.rate / free)
    found.model.moment(found.crank, torque)
    found.model.output("motor.torque", torque, unit="N.m")
    add_load(found)
    return found.model.equations()


def add_load(found: SliderCrank) -> None:
    """Add the rotor and what holds the plunger back."""
    found.model.add(Body("rotor", None, found.crank, inertia=ROTOR))
    found.model.force(found.plunger, (-PUMPING * found.plunger.velocity[0], 0))


def led_by(rotation: PeriodicSolution) -> Equations:
    """Return the mechanism with an elastic rod, its crank led along a motor's rotation."""
    found = slider_crank("led_by_the_motor")
    turned = TURN * found.model.time / rotation.period
    series = rotation.harmonics("crank.angle")
    angle = turned + float(series[0].real)
    for k, c in enumerate(series[1 : HARMONICS + 1], 1):
        angle += 2 * (float(c.real) * ca.cos(k * turned) - float(c.imag) * ca.sin(k * turned))
    found.crank.angle.prescribe(angle)
    add_load(found)
    return found.model.equations()


@dataclass(frozen=True)
class ByHand:
    """Equation (1), integrated over the crank's angle; torques in N.m, speeds in rad/s."""

    angle: np.ndarray
    speed: np.ndarray
    period: float
    multiplier: float

    @property
    def mean(self) -> float:
        """Return 2π/T."""
        return TURN / self.period

    @property
    def unevenness(self) -> float:
        """Return the range of the speed in parts of its mean."""
        return float(np.ptp(self.speed)) / self.mean


def plunger_rate(theta: complex) -> complex:
    """Return x'(θ), m."""
    sine, cosine = np.sin(theta), np.cos(theta)
    return complex(-CRANK * sine * (1 + CRANK * cosine / np.sqrt(ROD**2 - (CRANK * sine) ** 2)))


def inertia(theta: complex) -> complex:
    """Return J(θ), kg.m²: rotor, crank, plunger, and a uniform rod."""
    along = plunger_rate(theta)
    rod = MASS_PER_LENGTH * ROD / 3 * (CRANK**2 - CRANK * complex(np.sin(theta)) * along + along**2)
    return ROTOR + MASS_PER_LENGTH * CRANK**3 / 3 + rod + PLUNGER_MASS * along**2


def inertia_slope(theta: float) -> float:
    """Return J'(θ), kg.m², by a complex step."""
    return inertia(theta + 1e-20j).imag / 1e-20


def by_hand() -> ByHand:
    """Solve (1) for the speed that comes back after a turn."""

    def slope(theta: float, y: np.ndarray) -> list[float]:
        speed, J, along = y[0], inertia(theta).real, plunger_rate(theta).real
        torque = STALL_TORQUE * (1 - speed / NO_LOAD_SPEED) - PUMPING * along**2 * speed
        acceleration = (torque - inertia_slope(theta) * speed**2 / 2) / J
        loss = (STALL_TORQUE / NO_LOAD_SPEED + PUMPING * along**2) / J
        return [acceleration / speed, 1 / speed, -loss / speed]

    angles = np.linspace(0, TURN, 721)

    def turn(start: float) -> np.ndarray:
        options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
        return np.asarray(
            solve_ivp(slope, (0, TURN), [start, 0.0, 0.0], t_eval=angles, **options).y
        )

    start = brentq(lambda speed: turn(speed)[0, -1] - speed, 100.0, NO_LOAD_SPEED, xtol=1e-10)
    speed, time, exponent = turn(float(start))
    return ByHand(angles, speed, float(time[-1]), float(np.exp(exponent[-1])))


def quasistatic() -> tuple[np.ndarray, np.ndarray, float]:
    """Return angles, speeds and the mean speed of the quasi-static formula."""
    angles = np.linspace(0, TURN, 721)
    squares = np.array([plunger_rate(a).real ** 2 for a in angles])
    mean_square = float(np.mean(squares[:-1]))
    mean = STALL_TORQUE / (STALL_TORQUE / NO_LOAD_SPEED + PUMPING * mean_square)
    load = PUMPING * mean * (mean_square - squares)
    steps = np.diff(angles) * (load[1:] + load[:-1]) / 2
    work = np.concatenate([[0.0], np.cumsum(steps)])
    J = np.array([inertia(a).real for a in angles])

    def speeds(energy: float) -> np.ndarray:
        return np.asarray(np.sqrt(2 * (energy + work) / J))

    def apart(energy: float) -> float:
        return TURN / float(np.trapezoid(1 / speeds(energy), angles)) - mean

    about = float(np.mean(J)) * mean**2 / 2
    energy = float(brentq(apart, about / 2 - work.min(), 2 * about - work.min()))
    return angles, speeds(energy), mean


@dataclass(frozen=True)
class Record:
    """Motions of motor and rod.

    Attributes
    ----------
    rigid, elastic : PeriodicSolution
        Of the motor-driven mechanism with a rigid and with an elastic rod.
    led, uniform : PeriodicSolution
        Of the linear equations about the motor's rotation, and about a uniform one.
    """

    numbers: dict[str, float]
    reference: ByHand
    rigid: PeriodicSolution
    elastic: PeriodicSolution
    led: PeriodicSolution
    uniform: PeriodicSolution


def run() -> Record:
    """Find the motor's motion with a rigid rod, small motions about it, and the full equations'."""
    reference = by_hand()
    rigid = periodic_solution(
        motor_driven(0),
        TURN / 150.0,
        guess={"crank.angle": 0.0, "crank.speed": 150.0},
        autonomous=True,
    )
    led = nominal_motion(led_by(rigid), rigid.period).periodic(HARMONICS)
    uniform = nominal_motion(
        uniformly_led(), rigid.period, parameters={"crank.speed": TURN / rigid.period}
    ).periodic(HARMONICS)
    elastic = periodic_solution(
        motor_driven(2),
        rigid.period,
        guess={**rigid.start, **led.start},
        autonomous=True,
        options=PeriodicOptions(rtol=1e-8),
    )
    _, speeds, mean = quasistatic()
    numbers = {
        "rigid: period (s)": rigid.period,
        "rigid: mean speed (rad/s)": TURN / rigid.period,
        "rigid: range of the speed / mean": unevenness(rigid),
        "rigid: multiplier": float(np.abs(rigid.multipliers).min()),
        "rigid: multiplier of the phase": float(np.abs(rigid.multipliers).max()),
        "quasi-static: mean speed (rad/s)": mean,
        "quasi-static: range of the speed / mean": float(np.ptp(speeds)) / mean,
        "elastic: period (s)": elastic.period,
        "elastic: half range of v/l": elastic.amplitude("deflection"),
        "led by the motor: half range of v/l": led.amplitude("deflection"),
        "uniform speed: half range of v/l": uniform.amplitude("deflection"),
    }
    return Record(numbers, reference, rigid, elastic, led, uniform)


def uniformly_led() -> Equations:
    """Return the mechanism with an elastic rod and a crank of constant speed."""
    found = slider_crank("uniform")
    speed = found.model.parameter("crank.speed", 150.0, unit="rad/s", positive=True)
    found.crank.angle.prescribe(speed * found.model.time)
    add_load(found)
    return found.model.equations()


def unevenness(solution: PeriodicSolution) -> float:
    """Return the range of the crank's speed in parts of its mean."""
    return 2 * solution.amplitude("crank.speed") * solution.period / TURN


def references(record: Record) -> list[tuple[str, float, float]]:
    """Return names, our numbers and those they are compared with."""
    n, by = record.numbers, record.reference
    return [
        ("rigid: period (s)", n["rigid: period (s)"], by.period),
        ("rigid: mean speed (rad/s)", n["rigid: mean speed (rad/s)"], by.mean),
        ("rigid: range of speed / mean", n["rigid: range of the speed / mean"], by.unevenness),
        ("rigid: multiplier, Liouville", n["rigid: multiplier"], by.multiplier),
        ("quasi-static: mean speed", n["quasi-static: mean speed (rad/s)"], by.mean),
        ("quasi-static: range", n["quasi-static: range of the speed / mean"], by.unevenness),
        (
            "led by the motor: v/l, full equations",
            n["led by the motor: half range of v/l"],
            n["elastic: half range of v/l"],
        ),
        (
            "uniform speed: v/l, full equations",
            n["uniform speed: half range of v/l"],
            n["elastic: half range of v/l"],
        ),
    ]


def draw_speed(record: Record) -> Figure:
    """Draw the crank's speed over its angle."""
    figure = Figure(figsize=(8.5, 4.6), layout="constrained")
    axes = figure.subplots()
    times = np.linspace(0, record.rigid.period, 721)
    by = record.reference
    axes.plot(np.degrees(by.angle), by.speed, color="0.7", linewidth=5, label="by hand (1)")
    axes.plot(
        np.degrees(record.rigid["crank.angle"](times)),
        record.rigid["crank.speed"](times),
        label="rigid rod",
    )
    times = np.linspace(0, record.elastic.period, 721)
    axes.plot(
        np.degrees(record.elastic["crank.angle"](times)),
        record.elastic["crank.speed"](times),
        "--",
        label="elastic rod",
    )
    angles, speeds, _ = quasistatic()
    axes.plot(np.degrees(angles), speeds, ":", color="0.2", label="quasi-static formula")
    axes.set_xlim(0, 360)
    axes.set_xticks(range(0, 361, 60))
    plain(axes, "crank angle (degrees)", "crank speed (rad/s)")
    head(axes, "Slider-crank driven by a motor, pumping: speed over one turn", 4)
    return figure


def draw_deflection(record: Record) -> Figure:
    """Draw the rod's deflection, by the full equations and by two linear ones."""
    figure = Figure(figsize=(8.5, 4.6), layout="constrained")
    axes = figure.subplots()
    part = np.linspace(0, 1, 721)
    for solution, style, label in (
        (record.elastic, "-", "full equations with motor"),
        (record.led, "--", "linear, about the motor's rotation"),
        (record.uniform, ":", "linear, about a uniform rotation"),
    ):
        begin = 0.0
        if solution is record.elastic:  # its phase is free: begin where the crank is at 0
            begin = -float(solution["crank.angle"](0.0)) / TURN
        axes.plot(
            part, solution["deflection"]((part + begin) * solution.period), style, label=label
        )
    axes.set_xlim(0, 1)
    plain(axes, "time from the outer dead centre (periods)", "deflection of the midpoint v/l")
    head(axes, "Slider-crank driven by a motor, pumping: its elastic rod", 3)
    return figure


def draw(record: Record, folder: Path) -> None:
    """Draw the mechanism at two moments, the crank's speed and the rod's deflection."""
    times = np.array([0.12, 0.33]) * record.elastic.period
    title = "Slider-crank driven by a motor, elastic rod"
    show(record.elastic, folder, "motor_driven", title, times=times)
    save(draw_speed(record), folder, "motor_driven_speed")
    save(draw_deflection(record), folder, "motor_driven_deflection")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison("Slider-crank driven by a motor", references(record))
    print(f"periods with a rigid and an elastic rod: {record.rigid.period:.7f} s, ", end="")
    print(f"{record.elastic.period:.7f} s")
    draw(record, folder)


if __name__ == "__main__":
    main()
