"""Contacts that the impact of another relieves, against hand calculations of a rod on supports."""

from __future__ import annotations

import math

import pytest

from mbcore import Body, Model
from mbcore.contact.impact import Impact, unilateral_contact
from tests.contact.test_impact import G, struck

SETTLING_TIME = 1e-3
"""Settling time, s, so long that flights that it ends are far above rounding."""


def supported_rod(restitution: float) -> Model:
    """Return a rod of 1 kg and 1 kg m² on two supports, 0.5 m from its centre, for small angles.

    The supports are nearer than the radius of gyration, 1 m, so that an impulse at one lifts the
    rod at the other.
    """
    model = Model("rod", gravity=(0, -G))
    centre, tilt = model.point("centre", (0, 0)), model.angle("tilt")
    model.add(Body("rod", centre, tilt, mass=1.0, inertia=1.0))
    centre.x.fix(0)
    y = centre.y.dof("y", "y_rate").value
    angle = tilt.angle.dof("tilt", "tilt_rate").value
    unilateral_contact(model, "left", y - angle / 2, Impact(restitution, SETTLING_TIME))
    unilateral_contact(model, "right", y + angle / 2, Impact(0.0, SETTLING_TIME))
    return model


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_contact_that_is_relieved_closes_at_once_if_it_would_soon_rest(restitution: float) -> None:
    """The rod turns about its left support, and its right end comes down on the other.

    An impulse p at the right changes the rates of the gaps by (1/m + a²/J) p = 5/4 p there and by
    (1/m - a²/J) p = 3/4 p at the left. It ends the approach v, so that the left end leaves with
    3/5 v. The rod then turns about the right support; its weight pulls the left end back by
    2 m g a²/(J + m a²) = 2/5 g. Its flight takes 2 · 3/5 v/(2/5 g) = 3 v/g.
    """
    # [Schwab2002] (5.18), (5.20), (5.24), (5.25), (5.26)
    slowest = (1 - restitution) * SETTLING_TIME * G / 3
    model = supported_rod(restitution)

    def meets(v: float, **state: float) -> dict[str, float]:
        turning = {"y_rate": -v / 2, "tilt_rate": -v}
        return struck(model, {**turning, **state}, "right.impact")

    v_rests = 0.99 * slowest
    rests = meets(v_rests, **{"left.closed.active": 1.0})
    assert (rests["left.closed.active"], rests["right.closed.active"]) == (1, 1)
    assert rests["y_rate"] == pytest.approx(0.0, abs=1e-12 * slowest)
    assert rests["tilt_rate"] == pytest.approx(0.0, abs=1e-12 * slowest)

    # both ends are at rest then: the loss is all energy that the rod had
    assert rests["right.energy_loss"] == pytest.approx((v_rests**2 / 4 + v_rests**2) / 2, rel=1e-9)

    v = 1.01 * slowest
    rocks = meets(v, **{"left.closed.active": 1.0})
    assert (rocks["left.closed.active"], rocks["right.closed.active"]) == (0, 1)
    assert rocks["y_rate"] - rocks["tilt_rate"] / 2 == pytest.approx(0.6 * v, rel=1e-12)
    assert rocks["y_rate"] + rocks["tilt_rate"] / 2 == pytest.approx(0.0, abs=1e-12 * v)

    # the impulse 4/5 v loses half of that times v, for its contact closes
    assert rocks["right.energy_loss"] == pytest.approx(0.4 * v**2, rel=1e-9)

    # an end in the air is not relieved, though it would be slow enough
    v = 0.5 * slowest
    flies = meets(v, y=0.005, tilt=-0.01)
    assert (flies["left.closed.active"], flies["right.closed.active"]) == (0, 1)
    assert flies["y_rate"] - flies["tilt_rate"] / 2 == pytest.approx(0.6 * v, rel=1e-12)
    assert math.isclose(flies["y"] - flies["tilt"] / 2, 0.01, rel_tol=1e-12)
