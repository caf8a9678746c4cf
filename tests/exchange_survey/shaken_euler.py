"""How far from its time of rest a ball over a shaken floor is under explicit Euler's method.

The floor is at A sin ωt, with A ω² below gravity g. A ball leaves it with the speed s + e r, where
s is that of the floor and r the approach of the impact before, and meets it after T at the speed
w = s + e r - g T, with the approach r' = s' - w. If it leaves later by δ and faster by η, it meets
the floor, where the gap is zero, later by

    δ' = ((s - w) δ + T η) / r',

and leaves with s' + e r', faster by

    η' = ((1 + e) a' + e g) δ' - e g δ - e η,

where a' is the floor's acceleration. The FMU sees the errors of places, so flights are exact,
and only impacts add to δ: they are found late, or foretold early. One that is found at the end
of a step h is led back. It is late by up to h, at the right approach, so η grows by a' times
that. A flight may end where it was foretold for the acceleration g + a of its begin. It is
early by up to 2 h then, and by no more than the foretold time is wrong; r' is less by (g + a')
times that. Each of these times is multiplied by what it becomes until rest. The sum of their
sizes bounds the time of rest to first order: as long as it is a part of the floor's period.
Beyond that another step has another sequence of impacts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

G = 9.81
SETTLING = 1e-6
"""Default settling time of impacts, s."""
NOT_BLIND = 2e-10
"""Gap, m, that an FMU takes for none where a flight was foretold to end, if its size is 1 m."""
DETERMINED = 0.6
"""Phase of the floor, rad, by which impacts may be off while sensitivities hold."""
PLACES = 400
"""Of a flight where its end is sought, for each period of the floor."""


@dataclass(frozen=True)
class Floor:
    """A floor that shakes, and the restitution of impacts with it."""

    amplitude: float
    frequency: float
    restitution: float

    def motion(self, t: float) -> tuple[float, float, float]:
        """Return place, speed and acceleration."""
        phase, rate = self.frequency * t, self.amplitude * self.frequency
        return (
            self.amplitude * math.sin(phase),
            rate * math.cos(phase),
            -rate * self.frequency * math.sin(phase),
        )


@dataclass(frozen=True)
class Impact:
    """The end of a flight.

    Attributes
    ----------
    time, approach, lasts : float
        When, s; r', m/s; T, s.
    rises, falls : float
        Speeds s of the floor where the flight begins, and w of the ball where it ends, m/s.
    acceleration : float
        a' of the floor, m/s².
    wrong : float
        By how much the foretold end is wrong, s; infinite where none was foretold.
    """

    time: float
    approach: float
    lasts: float
    rises: float
    falls: float
    acceleration: float
    wrong: float


def impacts(floor: Floor, height: float) -> list[Impact]:
    """Return the exact impacts of a ball that falls from a height at rest, up to its rest."""
    found, t, y, leaves, e = list[Impact](), 0.0, height, 0.0, floor.restitution
    while True:
        place, rises, acceleration = floor.motion(t)
        relative, pull = leaves - rises, G + acceleration
        foretold = 2 * relative / pull if found else math.inf
        if foretold <= (1 - e) * SETTLING:
            return found
        lasts, approach = _flight(floor, t, y - place, leaves)
        t += lasts
        y, speed, there = floor.motion(t)
        falls = leaves - G * lasts
        found.append(Impact(t, approach, lasts, rises, falls, there, abs(lasts - foretold)))
        leaves = speed + e * approach


def _flight(floor: Floor, t: float, above: float, leaves: float) -> tuple[float, float]:
    """Return how long a flight takes from a height above the floor, and the speed of approach."""
    _, rises, acceleration = floor.motion(t)
    w, rate = floor.frequency, floor.amplitude * floor.frequency
    relative, pull = leaves - rises, G + acceleration
    if above == 0 and 2 * relative * w < 1e-3 * pull:  # where differences are rounding
        jerk, lasts = -rate * w * w * math.cos(w * t), 2 * relative / pull
        for _ in range(8):
            lasts = (2 * relative - jerk * lasts**2 / 3) / pull
        return lasts, pull * lasts + jerk * lasts**2 / 2 - relative

    def gap(after: float | np.ndarray) -> float | np.ndarray:
        rest = floor.amplitude * (np.sin(w * (t + after)) - np.sin(w * t))
        return above + leaves * after - G / 2 * after**2 - rest

    least = 1.9 * relative / (G + rate * w) if above == 0 else 0.0
    most = 2 * floor.amplitude + above
    longest = 1.001 * (leaves + math.sqrt(leaves**2 + 2 * G * most)) / G
    places = np.linspace(max(least, 1e-9), longest, 50 + int(PLACES * longest * w / (2 * math.pi)))
    first = int(np.argmax(gap(places) < 0))
    lasts = brentq(gap, places[first - 1], places[first], xtol=1e-16)
    return lasts, floor.motion(t + lasts)[1] - leaves + G * lasts


def grown(at: Impact, e: float, by: np.ndarray) -> np.ndarray:
    """Return δ' and η' of an impact whose flight begins δ later and η faster, (2,)."""
    later = ((at.rises - at.falls) * by[0] + at.lasts * by[1]) / at.approach
    faster = ((1 + e) * at.acceleration + e * G) * later - e * (G * by[0] + by[1])
    return np.array([later, faster])


def steps_off(floor: Floor, found: list[Impact], step: float) -> float:
    """Return by how many steps the time of rest is off at most, to first order.

    Infinite where that is more than `DETERMINED`.
    """
    e = floor.restitution
    added: list[tuple[np.ndarray, float]] = []
    for k, at in enumerate(found):
        added = [(grown(at, e, by), most) for by, most in added]
        foretold = at.lasts <= step or at.approach * at.wrong <= NOT_BLIND
        late = min(step, at.wrong) if foretold else step
        added.append((np.array([1.0, at.acceleration]), late))
        if k > 0:
            slower = at.acceleration + e * (G + at.acceleration)
            added.append((np.array([1.0, slower]), min(2 * step, at.wrong)))
    most = sum(abs(by[0]) * most for by, most in added)
    return most / step if most * floor.frequency <= DETERMINED else math.inf
