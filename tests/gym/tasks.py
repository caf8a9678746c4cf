"""Tasks of the tests of environments: a rod on a hinge, and a ball above a floor."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from mbcore import Body, Model
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.equations.equations import Equations
from tests.sweeps.test_simulate_many import pendulum

pytest.importorskip("gymnasium", reason="the extra gym is not installed")

from mbcore.gym import Task


def rod() -> Model:
    """Return a rod whose fall is an event, and whose speed is limited."""
    model = pendulum()
    angle = model.elements["hinge"].angle
    model.event("falls", angle.value - 1.0, band=1e-9)
    model.require("spin", 30.0 - angle.rate, "must not spin", shown=angle.rate)
    model.output("cosine", 1 - angle.value**2 / 2, unit="1")
    return model


def ball() -> Model:
    """Return a ball on which a force acts, above a floor from which it bounces."""
    model = Model("ball", gravity=(0, -9.81))
    force = model.input("force", unit="N", minimum=-1.0, maximum=1.0)
    place = model.point("ball", (0, 1))
    model.add(Body("mass", place, mass=0.3))
    place.x.fix()
    place.y.dof("height", "speed", 1.0).law(force)
    unilateral_contact(model, "floor", place.y.value, Impact(restitution=0.7))
    return model


@cache
def made(make: Any) -> Equations:
    """Return equations, once."""
    found: Equations = make().equations()
    return found


def rod_task(**others: Any) -> Task:
    """Return the task to keep the rod from falling."""
    given: dict[str, Any] = {
        "equations": made(rod),
        "step": "20 ms",
        "duration": 1.0,
        "observation": {"phi": (-3.0, 3.0), "omega": (-40.0, 40.0)},
        "action": {"torque": (-50.0, 50.0)},
        "reward": "cosine",
        "method": "classical",
        "max_step": 0.01,
    }
    return Task(**{**given, **others})


def ball_task(**others: Any) -> Task:
    """Return the task to hold the ball, whose force has a range in the model."""
    given: dict[str, Any] = {
        "equations": made(ball),
        "step": 0.05,
        "duration": 2.0,
        "observation": {"height": (-0.1, 3.0), "speed": (-20.0, 20.0)},
        "action": ["force"],
        "reward": lambda values: -values["height"],
    }
    return Task(**{**given, **others})
