"""CVODE without an FMU: the same falls by their formulas, with each impact where CVODE finds it.

A part at the height y over its floor has the acceleration -(a + ω² y). At a root of y the speed is
turned and the height set to zero, as the FMU does; no end of a flight is announced. The exact time
of rest is a sum over flights. So what is left is CVODE's own error, over the speed of each impact.
"""

from __future__ import annotations

import math
from typing import Any

from tests.exchange_survey.explicit_euler import Fall
from tests.exchange_survey.unit import NoInput

SHORTEST = 1e-8
"""What is left of a sequence, s, which is not integrated any more."""
SLOWEST = 1e-12
"""Speed below which the rest of a sequence takes no time."""


class Falling:
    """A fall as FMPy's solvers see it: height and speed."""

    def __init__(self, fall: Fall) -> None:
        self.fall, self.height, self.rate = fall, fall.height, fall.rate

    def callbacks(self) -> dict[str, Any]:
        """Return what CVODE is made from."""
        return {
            "nx": 2, "nz": 1, "get_x": self._give, "set_x": self._take, "get_dx": self._rates,
            "get_z": self._indicate, "get_nominals": self._nominals, "input": NoInput(),
            "set_time": lambda t: None,
        }  # fmt: skip

    def _give(self, x: Any, n: int) -> None:
        x[0], x[1] = self.height, self.rate

    def _take(self, x: Any, n: int) -> None:
        self.height, self.rate = float(x[0]), float(x[1])

    def _rates(self, rate: Any, n: int) -> None:
        rate[0], rate[1] = self.rate, -self.fall.pull - self.fall.squared * self.height

    def _indicate(self, z: Any, n: int) -> None:
        z[0] = self.height

    def _nominals(self, size: Any, n: int) -> None:
        size[0] = size[1] = 1.0


def flight(fall: Fall, speed: float) -> float:
    """Return how long the part is away that leaves its floor with a speed, s."""
    w = math.sqrt(fall.squared)
    return 2 * speed / fall.pull if w == 0 else 2 / w * math.atan(w * speed / fall.pull)


def flights(fall: Fall, speed: float, restitution: float) -> float:
    """Return how long a sequence lasts that begins with a flight, s."""
    total = 0.0
    while speed > SLOWEST:
        total, speed = total + flight(fall, speed), restitution * speed
    return total


def rest(fall: Fall, restitution: float) -> float:
    """Return the exact time of rest, s."""
    a, w = fall.pull, math.sqrt(fall.squared)
    speed = math.sqrt(fall.rate**2 + fall.height * (2 * a + fall.squared * fall.height))
    if w == 0:
        first = (fall.rate + speed) / a
    else:
        phase = math.atan2(fall.rate, w * fall.height + a / w)
        first = (phase + math.atan(w * speed / a)) / w
    return first + flights(fall, restitution * speed, restitution)


def rest_by_cvode(fall: Fall, restitution: float, tolerance: float) -> float:
    """Return the time of rest where CVODE finds all impacts by their roots, s."""
    from fmpy.sundials import CVodeSolver

    falling, t, speed = Falling(fall), 0.0, math.inf
    solver = CVodeSolver(
        **falling.callbacks(), startTime=0.0, maxStep=0.05, relativeTolerance=tolerance,
        maxNumSteps=100_000,
    )  # fmt: skip
    while flight(fall, speed) > SHORTEST * (1 - restitution):
        met = False
        while not met:
            met, _, t = solver.step(t, t + 10.0)
        speed = -restitution * falling.rate
        falling.height, falling.rate = 0.0, speed
        solver.reset(t)
    return t + flights(fall, speed, restitution)
