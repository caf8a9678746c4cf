"""The restitution of a ball that bounces on the floor, from its height alone."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Model, Run, fit
from mbcore.contact import Impact, unilateral_contact

GRAVITY, DROP, RESTITUTION, NOISE = 9.81, 1.0, 0.83, 1e-3


def height(times: np.ndarray) -> np.ndarray:
    """Return the height of a ball that is dropped, m, by parabolas between impacts."""
    found = DROP - GRAVITY * times**2 / 2
    at, speed = np.sqrt(2 * DROP / GRAVITY), RESTITUTION * np.sqrt(2 * GRAVITY * DROP)
    while at < times[-1]:
        since = times - at
        found = np.where(since >= 0, speed * since - GRAVITY * since**2 / 2, found)
        at, speed = at + 2 * speed / GRAVITY, RESTITUTION * speed
    return found


def ball() -> Model:
    model = Model("ball", gravity=(0, -GRAVITY))
    restitution = model.parameter("restitution", 0.6)
    centre = model.point("centre", (0, DROP))
    centre.x.fix()
    centre.y.dof("y", "v", DROP)
    model.add(Body("body", centre, mass=0.5))
    unilateral_contact(model, "floor", centre.y.value, Impact(restitution, 1e-9), size=0.1)
    return model


@pytest.mark.heavy
def test_restitution_is_found_to_the_limit_of_the_noise() -> None:
    """Four impacts, from a first guess that is a quarter off."""
    times = np.linspace(0.0, 2.5, 126)
    noise = np.random.default_rng(2).normal(0.0, NOISE, times.size)
    run = Run({"time": times, "y": height(times) + noise}, start={"y": DROP})
    result = fit(ball(), run, {"restitution": (0.1, 0.99)})
    low, high = result.intervals(0.999)["restitution"]
    assert low < RESTITUTION < high and high - low < 2e-3
    assert 0.8 * NOISE < result.sensors["y"].deviation < 1.2 * NOISE
