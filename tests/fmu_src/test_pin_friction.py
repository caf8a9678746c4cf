"""Pins that rub in the caster and in the slider-crank with clearance, by their parameters."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import simulate
from mbcore.fmus import caster, clearance_joint
from tests.shipped import component_of


@pytest.mark.heavy
def test_swivel_of_the_caster_rubs() -> None:
    """The torque is μ r times the force that the strut's foot passes to the airframe, and M."""
    equations = component_of(caster).equations
    smooth = simulate(caster.model().equations(), 20.0, rtol=1e-10)
    none = simulate(equations, 20.0, rtol=1e-10)
    assert none["swivel.angle"][-1] == pytest.approx(smooth["swivel.angle"][-1], abs=1e-9)
    assert (none["swivel.friction_torque"] == 0).all()

    friction = {"swivel.friction": 0.5, "swivel.preload": 1e-4}
    result = simulate(equations, 20.0, parameters=friction, rtol=1e-10)
    sliding = np.abs(result["swivel.rate"]) > 1e-3
    force = np.hypot(result["attachment.force_x"], result["attachment.force_y"])
    expected = (0.5 * 0.05 * force + 1e-4) * np.sign(result["swivel.rate"])
    assert result["swivel.friction_torque"][sliding] == pytest.approx(expected[sliding], abs=1e-12)
    assert sliding.mean() > 0.8


def test_preload_of_the_swivel_holds_up_to_its_torque() -> None:
    """Straight and at rest, nothing else acts about the swivel."""
    equations = component_of(caster).equations
    parameters = {"swivel.preload": 0.02}
    still = {"swivel.angle": 0.0}
    for torque, moves in ((0.0199, False), (0.0201, True)):
        inputs = {"attachment.speed": 0.0, "swivel.torque": torque}
        given = {"start": still, "parameters": parameters, "inputs": inputs}
        result = simulate(equations, 1.0, max_step=0.1, **given)
        assert bool(np.abs(result["swivel.angle"]).max() > 1e-9) is moves
        assert np.abs(result["swivel.friction_torque"]).max() == pytest.approx(
            min(torque, 0.02), rel=1e-9
        )


@pytest.mark.heavy
@pytest.mark.usefixtures("evaluated_in_c")
def test_friction_of_the_swivel_scales_with_small_motions() -> None:
    """Without preload all forces grow with the motion, so twice the start is twice the motion."""
    equations = component_of(caster).equations
    swings = {}
    for start, friction in ((1e-4, 0.5), (2e-4, 0.5), (1e-4, 0.0)):
        result = simulate(
            equations,
            30.0,
            start={"swivel.angle": start},
            parameters={"swivel.friction": friction, "swivel.pin_radius": 0.3},
            rtol=1e-10,
        )
        late = result.time > 20
        swings[start, friction] = np.abs(result["swivel.angle"][late]).max() / start
    assert swings[1e-4, 0.5] == pytest.approx(swings[2e-4, 0.5], rel=1e-4)
    assert swings[1e-4, 0.5] < 0.5 * swings[1e-4, 0.0]


@pytest.mark.parametrize("law", [pytest.param("hertz", marks=pytest.mark.heavy), "impact"])
def test_crank_pin_rubs(law: str) -> None:
    """The rod turns backwards relative to the crank, so the torque keeps its sign."""
    equations = component_of(clearance_joint).equations
    parameters = {"joint.law": law, "crank_pin.friction": 0.1}
    result = simulate(equations, 0.004, parameters=parameters, rtol=1e-10, max_step=1e-4)
    assert np.abs(result["crank_pin.torque"]).max() > 0.1
    assert (result["crank_pin.torque"] <= 0).all()


@pytest.mark.parametrize("until", [pytest.param(2e-3, marks=pytest.mark.heavy), 5e-4])
def test_crank_bearing_and_guide_rub(until: float) -> None:
    """The crank passes the pin's force to its bearing, the slider the joint's to its guide.

    The crank is massless, so bearing and pin have the same torque; the slider never moves across
    its guide, and there is no gravity. The bearing's torque is all that the prescribed crank takes
    more.
    """
    equations = component_of(clearance_joint).equations
    parameters = {"joint.law": "hertz", "guide.friction": 0.1, "crank_pin.friction": 0.1}
    bearing = {"crank_bearing.friction": 0.1}
    free, rubbing = (
        simulate(equations, until, parameters=parameters | more, samples=201, max_step=1e-5)
        for more in ({}, bearing)
    )
    speeds = rubbing["slider.velocity"]
    across = np.abs(rubbing["joint.force_y"])
    assert across.max() > 100
    moving = np.abs(speeds) > 1e-3
    expected = 0.1 * across * np.sign(speeds)
    assert rubbing["guide.force"][moving] == pytest.approx(expected[moving], abs=1e-9)
    torque = rubbing["crank_bearing.torque"]
    assert torque.max() > 0.1
    assert torque == pytest.approx(np.abs(rubbing["crank_pin.torque"]), abs=1e-9)
    assert (free["crank_bearing.torque"] == 0).all()
    assert rubbing["crank.torque"] - free["crank.torque"] == pytest.approx(torque, abs=1e-9)
