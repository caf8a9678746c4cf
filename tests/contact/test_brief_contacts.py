"""Contacts that are brief beside a step: a ball in free flight meets the crest of a shaken floor.

The floor is not a state, so nothing shortens steps before the ball meets it but `max_step`; a
contact that is passed over leaves the flight as it was. Times are roots of the gap of a parabola.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import brentq

from mbcore import Body, Model, simulate
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.equations.equations import Equations

UNTIL, EIGHTH, RESOLVED = 0.5, 1 / 8, 1.5
"""s; the part of a step that has a sample in it; radians of the floor between samples."""


@dataclass(frozen=True)
class Case:
    """A flight above a floor at A sin(ωt + φ), and when the first contact would begin and end."""

    start: dict[str, float]
    parameters: dict[str, float]
    begin: float
    end: float


@cache
def equations() -> Equations:
    """Return a ball above a floor of parameters."""
    model = Model("ball", gravity=(0, 0))
    names = {"A": 0.01, "omega": 100.0, "phase": 0.0, "g": 9.81}
    A, omega, phase, g = (model.parameter(name, value) for name, value in names.items())
    centre = model.point("centre", (0, 1))
    centre.x.fix()
    centre.y.dof("y", "y_rate", 1.0)
    model.add(Body("ball", centre, mass=1.0))
    model.load(-g, centre.y.rate)
    floor = A * ca.sin(omega * model.time + phase)
    unilateral_contact(model, "floor", centre.y.value - floor, Impact(0.5, 1e-9), size=1e-2)
    return model.equations()


def drawn(rng: np.random.Generator) -> Case | None:
    """Return a random case, or None where the ball meets no floor, or stays below it."""
    A, omega, phase = 10 ** rng.uniform(-3, -1), 10 ** rng.uniform(1, 2.7), rng.uniform(0, 6)
    y, rate = 1.05 * A + 10 ** rng.uniform(-3, -0.5), rng.normal()
    g = float(rng.choice([0.0, 9.81]))

    def gap(t: Any) -> Any:
        return y + rate * t - g / 2 * t**2 - A * np.sin(omega * t + phase)

    times = np.arange(0, UNTIL, 1 / (60 * omega))
    changes = np.flatnonzero(np.diff(gap(times) > 0))
    if changes.size < 2:
        return None
    begin, end = (brentq(gap, times[k], times[k + 1], xtol=1e-16) for k in changes[:2])
    values = {"A": A, "omega": omega, "phase": phase, "g": g}
    return Case({"y": y, "y_rate": rate}, values, begin, end)


def missed(part: float, count: int, backend: Literal["python", "c"]) -> list[Case]:
    """Return the cases, of a number whose contact takes a part of a step, that are passed over."""
    rng, cases, found = np.random.default_rng(7), 0, []
    while cases < count:
        case = drawn(rng)
        step = np.inf if case is None else (case.end - case.begin) / part
        turns = 0.0 if case is None else case.parameters["omega"] * step * EIGHTH
        if case is None or step > UNTIL or (part < EIGHTH and turns > RESOLVED):
            continue
        cases += 1
        run = simulate(
            equations(), UNTIL, start=case.start, parameters=case.parameters,
            backend=backend, max_step=step, samples=2,
        )  # fmt: skip
        impacts = [t for t, name in run.events if name == "floor.impact"]
        if not impacts or abs(impacts[0] - case.begin) > 1e-6:
            found.append(case)
    return found


@pytest.mark.parametrize(("backend", "count"), [("python", 8), ("c", 60)])
def test_contacts_of_more_than_an_eighth_of_a_step_have_a_sample(
    backend: Literal["python", "c"], count: int
) -> None:
    assert missed(0.15, count, backend) == []


@pytest.mark.parametrize(("backend", "count"), [("python", 8), ("c", 60)])
def test_briefer_ones_are_where_samples_dip(backend: Literal["python", "c"], count: int) -> None:
    """Where the floor turns by less than 1.5 radians from sample to sample."""
    assert missed(0.07, count, backend) == []
