"""Flights of other contacts after an impact, by closed forms of constant acceleration."""

from __future__ import annotations

import math

import pytest

from mbcore import Body, Model
from mbcore.contact.impact import Impact, unilateral_contact
from tests.contact.test_impact import G, block, struck

E = 0.5


def corner() -> Model:
    """Return a particle over a floor, by two walls, one switched off, and an incline."""
    model = Model("corner", gravity=(0, -G))
    place = model.point("place", (1, 0))
    model.add(Body("particle", place, mass=0.3))
    x, y = place.x.dof("x", "x_rate").value, place.y.dof("y", "y_rate").value
    gaps = {"floor": y, "wall": x, "incline": 0.6 * x + 0.8 * y}
    for name, gap in gaps.items():
        unilateral_contact(model, name, gap, Impact(E))
    unilateral_contact(model, "off", x, Impact(E, enabled=0.0))
    return model


@pytest.mark.parametrize("x_rate", [0.4, -0.3])
def test_an_impact_foresees_the_flights_of_other_contacts(x_rate: float) -> None:
    state = {"x": 0.2, "x_rate": x_rate, "y_rate": -1.0}
    after = struck(corner(), state, "floor.impact")
    assert after["floor.flight"] == pytest.approx(2 * E / G, rel=1e-12)
    # the incline is approached with an acceleration of 0.8 g, from 0.12 m
    rate = 0.6 * x_rate + 0.8 * E
    speed = math.sqrt(rate**2 + 2 * 0.8 * G * 0.12)
    assert after["incline.flight"] == pytest.approx((rate + speed) / (0.8 * G), rel=1e-12)
    meets = 4 * after["incline.flight_height"] / after["incline.flight"]
    assert meets == pytest.approx(speed, rel=1e-12)
    # the wall is approached without any, or left
    assert after["wall.flight"] == pytest.approx(max(0.2 / -x_rate, 0), rel=1e-12)
    assert after["off.flight"] == 0


def test_an_impact_that_comes_early_pushes_no_other_contact_below_zero() -> None:
    tilt = -1e-6
    y = 0.5 * math.cos(tilt) - 0.1 * math.sin(tilt)  # the right foot stands, the left one is up
    state = {"y": y, "tilt": tilt, "y_rate": -1e-3}
    after = struck(block(E), state, "left.impact")
    low = after["y"] - 0.5 * math.cos(after["tilt"])
    assert after["left.impacts"] == 1
    assert low + 0.1 * math.sin(after["tilt"]) >= -1e-15
    assert 0 <= low - 0.1 * math.sin(after["tilt"]) <= 2.1e-7
