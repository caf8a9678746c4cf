"""A flow stops by name where accelerations have lost accuracy, in Python and in C."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations
from mbcore.evaluation.virtual_power import LostAccelerationsError
from mbcore.host.backend import Backend
from mbcore.periodic.flow import Flow
from mbcore.periodic.variational import StepOptions
from tests.evaluation.test_virtual_power import arm, end_rates

REGULAR, LOST = 0.5, 3e-5
"""By how much an arm is bent, rad: with the second one its accelerations have lost accuracy, as
`tests.evaluation.test_virtual_power` shows by its joint angles."""
SPAN = 1e-7
"""s; the elbow hardly moves."""


@pytest.fixture(scope="module")
def arms() -> dict[float, Equations]:
    return {bent: arm(False, bent).equations() for bent in (REGULAR, LOST)}


@pytest.mark.parametrize("implicit", [True, False])
@pytest.mark.parametrize("backend", ["python", "c"])
def test_a_flow_stops_where_accelerations_are_lost(
    arms: dict[float, Equations], backend: Backend, implicit: bool
) -> None:
    for bent, equations in arms.items():
        flow = Flow(
            equations, end_rates(bent), backend=backend, steps=StepOptions(implicit=implicit)
        )
        start = flow.point.s.copy()
        if bent == REGULAR:
            assert np.all(np.isfinite(flow(start, SPAN).state))
            continue
        with pytest.raises(LostAccelerationsError, match=r"lost accuracy.*\bx\b|\by\b") as stop:
            flow(start, SPAN)
        assert 0 < stop.value.time <= SPAN and "link 1" in str(stop.value)
