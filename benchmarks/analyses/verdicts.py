"""Verdicts on the stability of twenty orbits over segments and tolerances.

A verdict must depend on neither: each orbit is found with 1 to 50 segments, at tolerances from 1e-6
to 1e-11. Printed are the verdict, the largest multiplier that tells it, how far it goes from that
of one segment at 1e-11, in tolerances, and cases in which the verdict differs or no orbit is found.

    python -m benchmarks.analyses.verdicts [NAME ...]
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

import mbcore
from mbcore.examples.bicycles import shimmy_play
from mbcore.examples.rolling import wavy_road
from mbcore.examples.vibration import belt_oscillator, motor_driven, slider_crank_periodic
from mbcore.model.errors import ConfigurationError, SimulationError
from mbcore.results.periodic_solution import PeriodicSolution
from mbcore.vibration import PeriodicOptions, periodic_solution
from tests.drivers.foreign import foreign
from tests.oscillators import NATURAL, duffing, excited_pendulum, slider, van_der_pol
from tests.periodic import test_periodic_friction as friction
from tests.periodic import test_remembered_numbers as remembered
from tests.periodic.test_periodic_autonomous import unbalanced_rotor
from tests.periodic.test_periodic_rolling import PERIOD as TURN
from tests.periodic.test_periodic_rolling import sleigh
from tests.periodic.test_saltation import LEAST, MOST, PERIOD, bounce, impact_oscillator, table_ball

SEGMENTS = (1, 2, 3, 5, 10, 20, 50)
TOLERANCES = (1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)
IMPACTS = 0.5 * (LEAST + MOST)
"""Acceleration of a table on which a ball bounces, m/s²."""


@dataclass(frozen=True)
class Orbit:
    """An orbit.

    Attributes
    ----------
    system : callable
        Returns a model, equations or the path of an FMU.
    period : float
        s.
    stable : bool
        What closed forms, published results or an independent computation say.
    given : mapping
        What `periodic_solution` is given besides.
    """

    system: Callable[[], Any]
    period: float
    stable: bool
    given: Mapping[str, Any] = field(default_factory=dict)


def _mathieu(a: float, stable: bool) -> Orbit:
    """x'' + (a - 0.1 cos 2t) x = cos 2t: on the unit circle between the tongues, off it inside."""

    def force(model: mbcore.Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return (a - 0.1 * ca.cos(2 * model.time)) * x - ca.cos(2 * model.time)

    return Orbit(lambda: slider("mathieu", force), np.pi, stable)


def _bounce(sign: float, stable: bool) -> Orbit:
    """A ball on a shaken table, whose multipliers are known in closed form."""
    start, _ = bounce(IMPACTS, sign)
    near = {name: 1.001 * value + 1e-4 for name, value in start.items()}
    return Orbit(lambda: table_ball(IMPACTS), PERIOD, stable, {"guess": near})


def _crank() -> Orbit:
    system = slider_crank_periodic.equations()
    near = slider_crank_periodic.nominal(system, 260.0, 0.02).periodic(20)
    given = {"guess": near.start, "parameters": near.parameters}
    return Orbit(lambda: system, near.period, True, given)


def _shimmy() -> Orbit:
    exact = shimmy_play.cycle()
    given = {
        "guess": dict(zip(shimmy_play.NAMES, exact.start, strict=True)),
        "inputs": {"attachment.speed": shimmy_play.SPEED},
        "parameters": {shimmy_play.DISTANCE: shimmy_play.CENTRE},
        "autonomous": True,
    }
    return Orbit(shimmy_play.model, exact.period, True, given)


def _road() -> Orbit:
    values = wavy_road.values(wavy_road.HEIGHT, wavy_road.WAVE_NUMBER, wavy_road.UPSET)
    period = 2 * np.pi / (wavy_road.WAVE_NUMBER * wavy_road.UPSET)
    return Orbit(wavy_road.model, period, False, {"parameters": values})


def orbits() -> dict[str, Orbit]:
    """Return the orbits by name."""
    free, belt = {"autonomous": True}, belt_oscillator
    pace = 0.7 * friction.OWN
    throw = {"guess": {"v": 0.5, "x": 0.15}, "autonomous": True}
    belted = {"x": belt.MIDDLE + 0.95 * belt.REACH, "v": belt.SPEED}
    return {
        "van der Pol": Orbit(van_der_pol, 6.5, True, free),
        "van der Pol, mu = 10": Orbit(lambda: van_der_pol(10.0), 19.1, True, free),
        "van der Pol, time turned": Orbit(lambda: van_der_pol(-1.0), 6.66, False, free),
        "pendulum, 0.4 of its frequency": Orbit(
            lambda: excited_pendulum(0.4), 2 * np.pi / (0.4 * NATURAL), True
        ),
        "pendulum, 1.5 of its frequency": Orbit(
            lambda: excited_pendulum(1.5), 2 * np.pi / (1.5 * NATURAL), False
        ),
        "Duffing, large": Orbit(
            lambda: duffing(speed=1.6), 2 * np.pi / 1.6, True, {"guess": {"x": 0.9, "v": 1.9}}
        ),
        "Duffing, between": Orbit(
            lambda: duffing(speed=1.6), 2 * np.pi / 1.6, False, {"guess": {"x": -0.9, "v": 1.6}}
        ),
        "Mathieu, on the circle": _mathieu(2.0, True),
        "Mathieu, in a tongue": _mathieu(1.0, False),
        "rotor that comes round": Orbit(unbalanced_rotor, 0.65, True, free),
        "sleigh": Orbit(lambda: sleigh(0.0), TURN, True),
        "ball on a table": _bounce(1.0, True),
        "ball on a table, other phase": _bounce(-1.0, False),
        "impact oscillator": Orbit(
            impact_oscillator, 2 * np.pi / 2.8, False, {"guess": {"x": 0.25, "v": 0.1}}
        ),
        "friction, never at rest": Orbit(
            lambda: friction.driven(pace, 0.4),
            2 * np.pi / pace,
            True,
            {"guess": {"x": 0.3, "v": -0.5}},
        ),
        "belt": Orbit(
            belt.model, 1.02 * belt.period(belt.SPEED), True, {"guess": belted, "autonomous": True}
        ),
        "remembered speed": Orbit(
            lambda: slider("thrower", remembered.thrower), 1.1 * remembered.PERIOD, True, throw
        ),
        "motor-driven crank": Orbit(
            lambda: motor_driven.motor_driven(0),
            2 * np.pi / 150.0,
            True,
            {"guess": {"crank.angle": 0.0, "crank.speed": 150.0}, "autonomous": True},
        ),
        "FMU of van der Pol": Orbit(lambda: foreign("VANDERPOL"), 6.5, True, free),
        "FMU of an oscillator": Orbit(lambda: foreign("DRIVEN"), np.pi, True),
    }


PREPARED: dict[str, Callable[[], Orbit]] = {
    "slider-crank, elastic": _crank,
    "shimmy with play": _shimmy,
    "wavy road": _road,
}
"""Orbits whose guesses are found first, which takes seconds."""


def decisive(found: PeriodicSolution) -> float:
    """Return the size of the largest multiplier but those that are one by structure."""
    values = np.asarray(found.multipliers)
    own = np.delete(values, np.argsort(np.abs(values - 1))[: found.neutral])
    return float(np.abs(own).max(initial=0.0))


def told(
    orbit: Orbit, segments: tuple[int, ...] = SEGMENTS, tolerances: tuple[float, ...] = TOLERANCES
) -> tuple[float, float, list[str]]:
    """Return the decisive multiplier, how far it goes in tolerances, and what is wrong."""
    system = orbit.system()
    if isinstance(system, mbcore.Model):
        system = system.equations()
    first, apart, wrong = np.nan, 0.0, []
    opened = nullcontext(system) if hasattr(system, "states") else mbcore.driver(system)
    with opened as driven:
        for tolerance, count in itertools.product(tolerances, segments):
            options = PeriodicOptions(rtol=tolerance, atol=tolerance / 10, segments=count)
            case = f"{count} segments at {tolerance:g}"
            try:
                found = periodic_solution(
                    driven, orbit.period, options=options, backend="c", **orbit.given
                )
            except (ConfigurationError, SimulationError) as error:
                wrong.append(f"{case}: {error}")
                continue
            size = decisive(found)
            first = size if np.isnan(first) else first
            apart = max(apart, abs(size - first) / max(first, 1.0) / tolerance)
            if found.stable != orbit.stable:
                verdict = "stable" if found.stable else "unstable"
                wrong.append(f"{case}: {verdict}, multiplier {size:.12g}")
    return first, apart, wrong


def main(names: list[str]) -> int:
    """Print the verdicts; return how many orbits have a wrong one."""
    every = orbits() | {name: prepare() for name, prepare in PREPARED.items()}
    cases, failed = len(SEGMENTS) * len(TOLERANCES), 0
    for name in names or every:
        begun = time.process_time()
        size, apart, wrong = told(every[name])
        failed += bool(wrong)
        verdict = "stable" if every[name].stable else "unstable"
        taken = time.process_time() - begun
        print(
            f"{name}: {verdict} in {cases - len(wrong)} of {cases}, multiplier {size:.9g}, "
            f"{apart:.2g} tolerances apart, {taken:.1f} s",
            flush=True,
        )
        for line in wrong:
            print(f"    {line}", flush=True)
    print(f"{len(names or every) - failed} of {len(names or every)} orbits have one verdict")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
