"""A front axle that is steered by a first-order actuator, or directly, as its inputs say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Units


@dataclass(frozen=True)
class Commands:
    """Commanded angle, and angle and rate of the actuator; rad, rad/s."""

    choice: ca.SX
    """1 by the actuator, 2 as the command, 3 and more by further ways."""
    lag: ca.SX
    """Time constant of the actuator, s."""
    angle: ca.SX
    rate: ca.SX
    actuator: ca.SX
    """Its angle."""


@dataclass(frozen=True)
class Words:
    """Descriptions of the inputs ``steer.rate`` and ``steer.angle`` and of the actuator's angle."""

    rate: str
    angle: str
    actuator: str


def add_commands(
    model: Model, lag: float, words: Words, further: Mapping[str, str] | None = None
) -> Commands:
    """Add the choice, the inputs and the actuator's state, whose rate the caller gives.

    Parameters
    ----------
    lag : float
        Time constant at the start, s.
    words : Words
        Descriptions.
    further : mapping of str to str, optional
        Descriptions of further ways of steering, by name.
    """
    ways = {
        "lag": "first-order actuator",
        "direct": "angle and rate as given",
        **(further or {}),
    }
    choice = model.enumeration(
        "steering",
        list(ways),
        description="; ".join(f"{way}: {description}" for way, description in ways.items()),
    )
    time_constant = model.parameter(
        "steer.time_constant",
        lag,
        unit="s",
        positive=True,
        description="time constant of the steering actuator",
    )
    rate = model.input("steer.rate", unit="rad/s", description=words.rate)
    angle = model.input("steer.angle", unit=Units("rad", "deg"), rate=rate, description=words.angle)
    actuator = model.state(
        "steer.actuator_angle", unit=Units("rad", "deg"), nominal=0.1, description=words.actuator
    )
    return Commands(choice, time_constant, angle, rate, actuator)
