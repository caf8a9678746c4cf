"""Friction of two velocities: what has passed rest beside it, and what is only late at rest."""

from __future__ import annotations

import casadi as ca
import pytest

from mbcore.elements.friction.stick_slip import _passes


@pytest.mark.parametrize(
    ("velocity", "passed"),
    [
        ((-1.0, 0.4), 0),  # against its direction, across by less than half of that
        ((-1.0, 0.6), 1),
        ((-1.0, -0.6), 1),
        ((0.0, 1e-14), 0),  # hardly any velocity at all
        ((-0.5, 0.0), 0),
    ],
)
def test_only_what_goes_past_rest_beside_it_has_passed(
    velocity: tuple[float, float], passed: int
) -> None:
    """Of a remembered direction e = (2, 0), that of the ball before it."""
    found = _passes(ca.SX(ca.DM(velocity)), ca.SX(ca.DM([2.0, 0.0])))
    assert float(ca.evalf(found)) == passed
