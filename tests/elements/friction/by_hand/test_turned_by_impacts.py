"""An impact turns all frictions of a mechanism at once, which then slide on the other way."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Friction, Model, prismatic, revolute, simulate
from mbcore.contact.impact import Impact, unilateral_contact

STOP = 0.02
"""Way of the slider to its stop, m."""
CRANK, ROD, ANGLE = 0.1, 0.35, 0.8


def crank() -> Model:
    """Return a slider-crank with friction in its pins and its guide, whose slider meets a stop."""
    model = Model("crank", gravity=(0, -9.81))
    pin = CRANK * np.array([np.cos(ANGLE), np.sin(ANGLE)])
    wrist = np.array([pin[0] + np.sqrt(ROD**2 - pin[1] ** 2), 0.0])
    crank, rod, slider = (
        model.add(
            Body(name, model.point(f"{name} point", place), model.angle(name), mass=m, inertia=j)
        )
        for name, place, m, j in (
            ("turning", (0.01, 0.02), 1.2, 0.02),
            ("rod", (pin + wrist) / 2, 0.9, 0.011),
            ("slider", wrist, 1.5, 0.01),
        )
    )
    joints = [
        revolute("main", model, crank, at=(0, 0)),
        revolute("pin", crank, rod, at=tuple(pin)),
        revolute("wrist", rod, slider, at=tuple(wrist)),
        prismatic("guide", model, slider, axis=(1, 0)),
    ]
    joints[0].angle.dof("q", "w", rate_start=-6.0)
    for name, joint in zip(("main", "pin", "wrist"), joints[:3], strict=True):
        model.add(Friction(f"{name}_friction", joint, radius=0.01, coefficient=0.1))
    model.add(Friction("guide_friction", joints[3], coefficient=0.12))
    way = wrist[0] + STOP - slider.reference.position[0]
    unilateral_contact(model, "stop", way, Impact(0.6))
    return model


@pytest.mark.parametrize("backend", [pytest.param("python", marks=pytest.mark.heavy), "c"])
def test_what_slid_before_an_impact_slides_on_as_if_begun_behind_it(backend: str) -> None:
    """A thousand steps and 57 events take six seconds in Python."""
    equations = crank().equations()
    whole = simulate(equations, 0.5, samples=51, backend=backend)
    impact = next(t for t, name in whole.events if name == "stop.impact")
    before = simulate(equations, impact - 1e-9, samples=2, backend=backend)
    after = {"q": before["q"][-1], "w": -0.6 * before["w"][-1]}
    afresh = simulate(equations, 0.5 - impact, start=after, samples=2, backend=backend)
    assert [name for _, name in whole.events].count("stop.impact") == 1
    for name in ("q", "w"):
        assert afresh[name][-1] == pytest.approx(whole[name][-1], rel=1e-6)
