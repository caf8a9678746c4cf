"""How late parts may rest under explicit Euler's method of equal steps, derived.

A part at the height y over its floor is pulled to it by the acceleration a + ω² y. A step h of
Euler's method multiplies v² + (a/ω + ω y)² by 1 + ω² h², and without a spring, ω = 0, leaves it
higher by a h t/2 after a time t, at exact speeds. The FMU sees this error of places, so that
without a spring only the first impact is late; with one the bound does not count on it. The master
finds an impact at the end of the step in which it is, by up to h late; the FMU then leads the part
back to its floor and its speed with it, so that no energy is made, and it foretells the next
flight, 2 v/a for constant forces.
The part is higher than the exact one by v h then. So a spring, which ends flights earlier by

    2 v/a - 2/ω arctan(ω v/a), which is 2/3 ω² (v/a)³ at first,

leaves the foretold end before the impact where that is less than h: from there on flights are
exact but for what the spring does to the speed within them. Flights before end as the first fall
does. After an impact at the depth d the FMU takes a - ω² d for a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SLOWEST = 1e-9
"""Speed below which what is left of a sequence takes no time."""


@dataclass(frozen=True)
class Fall:
    """A motion towards a floor.

    Attributes
    ----------
    height, rate : float
        At the start, m and m/s, or both of an angle.
    pull : float
        Acceleration a towards the floor there, m/s².
    squared : float
        ω² of free motion, 1/s²; zero for constant forces.
    """

    height: float
    rate: float
    pull: float
    squared: float = 0.0


def lateness(fall: Fall, restitution: float, step: float) -> float:
    """Return by how much the time of rest is late at most, s; infinite where there is no rest."""
    if fall.squared == 0:
        return step
    early, speed = _impact(fall, 0.0)
    late, faster = _impact(fall, step)
    exact = early + _flights(fall, speed, restitution, 0.0)
    return late + step + _flights(fall, faster, restitution, step) - exact


def _impact(fall: Fall, step: float) -> tuple[float, float]:
    """Return duration and speed of a fall by steps of Euler's method; exactly for zero steps."""
    w, a = math.sqrt(fall.squared), fall.pull
    exact = fall.rate**2 + fall.height * (fall.squared * fall.height + 2 * a)
    amplitude = exact + (a / w) ** 2
    phase = math.atan2(-fall.rate, w * fall.height + a / w)
    slower = 1 + (w * step) ** 2 / 3  # phases advance by arctan(ω h)
    duration = speed = 0.0
    for _ in range(50):
        speed = math.sqrt(exact + amplitude * math.expm1(fall.squared * step * (duration + step)))
        duration = (math.atan(speed * w / a) - phase) / w * slower
    return duration, speed


def _flights(fall: Fall, speed: float, e: float, step: float) -> float:
    """Return how long all flights take after an impact, at most with steps, exactly without."""
    w, a, total = math.sqrt(fall.squared), fall.pull, 0.0
    depth, before, speed = speed * step, math.inf, e * speed
    while SLOWEST < speed < before:
        foretold, x = 2 * speed / (a - fall.squared * depth), w * speed / a
        earlier = 2 * speed / a - 2 / w * math.atan(x)
        faster = a * foretold - speed  # at the foretold end, by a constant force
        faster *= math.sqrt(1 + fall.squared * step * foretold + 4 / 3 * x**2)
        before = speed
        if step > 0 and earlier < step / 2:
            total, speed, depth = total + foretold, e * faster, 0.0
            continue
        duration, impact = _impact(Fall(0.0, speed, a, fall.squared), step)
        total, depth = total + duration + step, impact * step
        both = step > 0 and earlier < 2 * step  # either end may come first
        speed = e * (max(impact, faster) if both else impact)
    return total if speed <= SLOWEST else math.inf
