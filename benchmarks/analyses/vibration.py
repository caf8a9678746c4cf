"""Periodic small vibrations beside time integration: the drive shaft, and a chain of 40 freedoms.

The same linear equations are integrated in time from rest until they have come within 1e-6 of the
periodic solution, which takes what the slowest exponent says; and the full equations of the drive
shaft for two periods, from which the time for as many periods is told.

Run: python benchmarks/analyses/vibration.py
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import Equations, Model, PlanarBeam, simulate
from mbcore.examples.vibration.drive_shaft_half_turn import exponents, over_half_a_turn
from mbcore.examples.vibration.drive_shaft_model import BENDING_FREQUENCY, mechanism
from mbcore.host.backend import Backend
from mbcore.vibration import (
    NominalMotion,
    PeriodicEquations,
    exponents_along,
    nominal_motion,
    nominal_range,
)

SAMPLES, HARMONICS = 80, 16
"""Of a whole turn of the drive shaft: those of half a turn are twice as many here."""
SPEED = 0.4 * BENDING_FREQUENCY
SPEEDS = np.linspace(0.02, 1.0, 200) * BENDING_FREQUENCY
SHARE = 1e-6
"""Part of the first difference that is left when a state counts as reached."""
ELEMENTS, CHAIN_SAMPLES, CHAIN_HARMONICS, CHAIN_SPEED = 20, 32, 10, 5.0


def main() -> None:
    """Measure and print."""
    results = common.Table("Periodic small vibrations beside time integration")
    drive_shaft(results)
    chain(results)
    results.print()


def drive_shaft(results: common.Table) -> None:
    """Add rows of the drive shaft of [Schwab2002] 4.4.4, ten degrees of freedom."""
    equations = mechanism().equations()
    nominal = at_speed(equations, SPEED)
    results.time(
        "shaft: nominal motion", common.repeat(lambda: at_speed(equations, SPEED), 5), "ms"
    )
    seconds = common.repeat(lambda: fresh(nominal).periodic(HARMONICS), 9)
    periodic = results.time("shaft: periodic solution", seconds, "ms", 20)
    again = common.repeat(lambda: exponents(fresh(nominal)), 5)
    results.time("shaft: exponents, Hill", again, "ms", 100)
    again = common.repeat(lambda: fresh(nominal).exponents("monodromy"), 5)
    results.time("shaft: exponents, monodromy", again, "ms")
    results.time(
        "shaft: 200 speeds, stability too", common.repeat(lambda: scan(equations), 1), "s", 15
    )
    settled(results, "shaft", nominal, HARMONICS, periodic, "DOP853")
    periods = 2
    took = common.repeat(lambda: full(equations, nominal, periods), 1)
    every = results.time(f"shaft: full equations, {periods} periods", took, "s")
    count = settling(nominal.small_motions) / nominal.period
    results.number("... periods until settled", count)
    results.number("... over periodic solution (by product)", every / periods * count / periodic)


def chain(results: common.Table) -> None:
    """Add rows of a beam of many elements whose root swings."""
    equations = swung_chain(ELEMENTS).equations()
    period = 2 * np.pi / CHAIN_SPEED
    made: list[NominalMotion] = []
    took = common.repeat(lambda: made.append(nominal_motion(equations, period, CHAIN_SAMPLES)), 3)
    results.time("chain of 40: nominal motion", took, "ms")
    seconds = common.repeat(lambda: fresh(made[0]).periodic(CHAIN_HARMONICS), 5)
    periodic = results.time("chain of 40: periodic solution", seconds, "s", 2)
    settled(results, "chain of 40", made[0], CHAIN_HARMONICS, periodic, "Radau")


def at_speed(equations: Equations, speed: float, backend: Backend = "auto") -> NominalMotion:
    """Return the nominal motion of the drive shaft."""
    given = {"input.speed": speed}
    return nominal_motion(equations, 2 * np.pi / speed, SAMPLES, given, backend=backend)


def fresh(nominal: NominalMotion) -> NominalMotion:
    """Return the same motion without what it has calculated before."""
    return replace(nominal)


def scan(equations: Equations) -> None:
    """Find the periodic solutions of Figure 4.10 and their stability."""
    motions = nominal_range(equations, "input.speed", (SPEEDS[0], SPEEDS[-1]), samples=SAMPLES)
    family = []
    for speed in SPEEDS:
        nominal = motions.at(speed)
        nominal.periodic(HARMONICS).amplitude("shaft.twist")
        family.append(over_half_a_turn(nominal))
    exponents_along(family)


def settling(equations: PeriodicEquations) -> float:
    """Return the time after which the slowest exponent has left the share, s."""
    slowest = np.linalg.eigvals(equations.state_matrices.mean(axis=0)).real.max()
    return float(np.log(SHARE) / slowest)


def settled(
    results: common.Table,
    name: str,
    nominal: NominalMotion,
    harmonics: int,
    periodic: float,
    method: str,
) -> None:
    """Integrate the linear equations from rest until they have settled, and compare."""
    e = nominal.small_motions
    orders = np.arange(e.samples // 2)
    A = np.fft.rfft(e.state_matrices, axis=0)[: orders.size] / e.samples
    b = np.fft.rfft(e.state_forcing, axis=0)[: orders.size] / e.samples
    A[1:], b[1:] = 2 * A[1:], 2 * b[1:]

    def matrix(t: float) -> np.ndarray:
        return np.tensordot(np.exp(1j * e.frequency * t * orders), A, 1).real

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        return matrix(t) @ x + (np.exp(1j * e.frequency * t * orders) @ b).real

    end = np.ceil(settling(e) / e.period) * e.period
    options = {"jac": lambda t, x: matrix(t)} if method == "Radau" else {}
    found: list[np.ndarray] = []

    def run() -> None:
        solved = solve_ivp(
            rate, (0, end), np.zeros(e.states), method, rtol=1e-7, atol=1e-10, **options
        )
        found.append(solved.y[:, -1])

    took = results.time(f"{name}: linear equations in time, {method}", common.repeat(run, 1), "s")
    steady = nominal.periodic(harmonics)
    nominal_state = nominal.states[0]
    state = np.array([steady.start[s.name] for s in nominal.equations.states]) - nominal_state
    values = slice(nominal.equations.dofs, None)
    size = np.abs(state[values]).max()
    results.number("... difference at the end", np.abs(found[0] - state)[values].max() / size, 1e-5)
    results.number("... over periodic solution", took / periodic, at_least=50)


def full(equations: Equations, nominal: NominalMotion, periods: int) -> None:
    """Integrate the full equations for some periods."""
    simulate(
        equations,
        periods * nominal.period,
        parameters={"input.speed": SPEED},
        start=nominal.periodic(HARMONICS).start,
        rtol=1e-6,
        atol=1e-9,
    )


def swung_chain(elements: int) -> Model:
    """Return a beam of 2 m, of elements with two deformations each, whose root swings."""
    model = Model("chain", gravity=(0, -9.81))
    point, angle = model.point("root", (0, 0), fixed=True), model.angle("root angle")
    angle.angle.prescribe(0.5 * ca.sin(CHAIN_SPEED * model.time))
    stiff = {"bending_stiffness": 200.0, "damping": 1e-3, "mass_per_length": 0.5}
    for i in range(elements):
        end, turned = model.point(f"point {i}", (2 * (i + 1) / elements, 0)), model.angle(f"a {i}")
        beam = model.add(PlanarBeam(f"beam {i}", point, angle, end, turned, **stiff))
        for side in "pq":
            beam.deformations[f"bending_{side}"].dof(f"beam {i}.bending_{side}")
        point, angle = end, turned
    model.output("tip", point.position[1], unit="m")
    return model


if __name__ == "__main__":
    main()
