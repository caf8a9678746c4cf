"""Accelerations that do not obey virtual power are found; those of regular models obey it.

Right accelerations near a singular block come from the same mechanism by its joint angles, which
are regular there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Friction,
    Model,
    PlanarHinge,
    RigidLink,
    simulate,
)
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.equations.tolerances import LOST
from mbcore.evaluation.conditioning import Conditioning
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.virtual_power import LostAccelerationsError, refuse_lost
from mbcore.fmus import caster, rolling_disk, vehicle, vehicle_grip
from tests import singular_models

RATES = np.array([0.3, -0.2, 0.5])
BEND = 0.9


def arm(by_angles: bool, bent: float) -> Model:
    """Return three rods, by their angles or by the place of the second one's end.

    The first two are ``bent`` by that angle, rad: straight, they do not let their end go anywhere.
    """
    model = Model("arm", gravity=(0, -9.81))
    joint, before = model.point("origin", fixed=True), model.angle("ground angle", fixed=True)
    place, turned, hinges, ends = np.zeros(2), 0.0, [], []
    for i, turn in enumerate((0.3, bent, BEND)):
        turned += turn
        place = place + [np.cos(turned), np.sin(turned)]
        angle, end = model.angle(f"angle {i}", turned), model.point(f"end {i}", place.tolist())
        hinges.append(model.add(PlanarHinge(f"hinge {i}", before, angle)))
        model.add(RigidLink(f"link {i}", joint, angle, end, offset=[1, 0]))
        model.add(Body(f"rod {i}", joint, angle, mass=1.0, inertia=0.1, offset=[0.5, 0]))
        model.output(f"angle {i}.acceleration".replace(" ", ""), angle.acceleration)
        ends.append(end)
        joint, before = end, angle
    if by_angles:
        for i, (hinge, turn) in enumerate(zip(hinges, (0.3, bent, BEND), strict=True)):
            hinge.angle.dof(f"angle{i}", f"rate{i}", turn)
    else:
        for hinge in hinges[:2]:
            hinge.angle.release()
        ends[1].x.dof("x", "x_rate", float(np.cos(0.3) + np.cos(0.3 + bent)))
        ends[1].y.dof("y", "y_rate", float(np.sin(0.3) + np.sin(0.3 + bent)))
        hinges[2].angle.dof("angle2", "rate2", BEND)
    return model


def end_rates(bent: float) -> dict[str, float]:
    """Return the rates of the states by places that belong to ``RATES``."""
    directions = np.array([0.3, 0.3 + bent])
    turning = np.cumsum(RATES[:2])
    x, y = -np.sin(directions) @ turning, np.cos(directions) @ turning
    return {"x_rate": float(x), "y_rate": float(y), "rate2": float(RATES[2])}


def judged(evaluation: Evaluation) -> tuple[np.ndarray, np.ndarray, float]:
    """Return what is left in parts of all terms, the parts in the same, and the error."""
    left, part = (of[:, 0].copy() for of in evaluation.call("virtual_power").results)
    size = evaluation.call("power_size").results[0][:, 0].copy()
    error = evaluation.call("power_error").results[0][:, 0].copy()
    there = size > 0
    return np.abs(left[there]) / size[there], part[there] / size[there], float(error[0])


def nearest(evaluation: Evaluation) -> float:
    """Return the smallest measure of a block."""
    measures = evaluation.conditioning_measures()[evaluation.conditioning.limits :]
    return float(np.abs(measures).min(initial=1.0))


@pytest.mark.parametrize(("bent", "lost"), [(0.5, False), (1e-3, False), (3e-5, True)])
def test_error_near_a_singular_block_is_that_of_regular_coordinates(
    bent: float, lost: bool
) -> None:
    right, found = (Evaluation(arm(by, bent).equations()) for by in (True, False))
    right.start({f"rate{i}": rate for i, rate in enumerate(RATES)})
    found.start(end_rates(bent))
    expected = right.output().copy()
    wrong = np.abs(found.output() - expected).max() / np.abs(expected).max()
    left, parts, error = judged(found)
    assert wrong / 10 < max(error, 1e-16) < max(10 * wrong, 2e-15)
    assert np.all(parts <= 1 + 1e-9)
    assert bool(np.all(left <= LOST * nearest(found))) is not lost
    if lost:
        assert wrong > LOST
        with pytest.raises(LostAccelerationsError, match=r"\bx\b|\by\b") as refused:
            refuse_lost(found)
        assert "link 1" in str(refused.value) and "t = 0" in str(refused.value)
    else:
        refuse_lost(found)


def test_steps_are_checked_where_a_measure_falls_and_each_eighth() -> None:
    steady, limit = np.array([0.5, 0.3, -0.8]), 1
    conditioning = Conditioning(steady.size, limit)
    due = [conditioning.is_due(steady) for _ in range(17)]
    assert np.flatnonzero(due).tolist() == [0, 8, 16]
    slightly, by_limit, grown = (steady * f for f in ([1, 0.91, 1], [0.1, 1, 1], [1, 2, -2]))
    assert not any(map(conditioning.is_due, (slightly, by_limit, grown)))
    assert conditioning.is_due(steady * [1, 1, 0.89]) and conditioning.is_due(steady * [1, 0.89, 1])
    assert conditioning.is_due(np.full(3, np.nan)) and conditioning.is_due(steady)
    assert not conditioning.is_due(steady)
    conditioning.check_next()
    assert conditioning.is_due(steady)


def test_no_lost_step_passes_on_the_way_to_a_singular_block() -> None:
    """The elbow straightens; what each step has lost is compared with what was checked."""
    found = Evaluation(arm(False, 0.05).equations())
    followed = Conditioning(len(found.equations.conditioning_names))
    unseen = []
    for bent in np.geomspace(0.05, 1e-5, 200):
        x, y = np.cos(0.3) + np.cos(0.3 + bent), np.sin(0.3) + np.sin(0.3 + bent)
        found.start(end_rates(bent) | {"x": x, "y": y})
        left, _, _ = judged(found)
        if not followed.is_due(found.conditioning_measures()):
            unseen.append(float(left.max()) / nearest(found))
        elif not np.all(left <= LOST * nearest(found)):
            break
    assert len(unseen) > 50 and max(unseen) < 2 * LOST


def loop() -> Model:
    """Return a crank, a coupler and a rocker."""
    return singular_models.four_bar((0.3, 1.0, 0.8, 0.9), by_rocker=False, rate=0.5)


def sticking() -> Model:
    """Return a rod on a pin with friction, at rest under its own weight."""
    model = Model("sticking", gravity=(0, -9.81))
    pivot, ground = model.point("pivot", fixed=True), model.angle("ground angle", fixed=True)
    turned, end = model.angle("turned"), model.point("end", (0.5, 0))
    hinge = model.add(PlanarHinge("hinge", ground, turned))
    model.add(RigidLink("rod", pivot, turned, end, offset=[0.5, 0]))
    model.add(Body("bob", end, turned, mass=1.0, inertia=0.1))
    hinge.angle.dof("angle", "rate")
    model.add(Friction("pin friction", hinge, radius=0.3, coefficient=5.0))
    return model


def stiff() -> Model:
    """Return a body between two springs of 1e9 N/m whose preloads of 1e8 N cancel."""
    model = Model("stiff", gravity=(0, -9.81))
    point, turned = model.point("point"), model.angle("turned")
    model.add(Body("body", point, turned, mass=1.0, inertia=0.1))
    turned.quantities[0].fix()
    x = point.x.dof("x", "x_rate")
    y = point.y.dof("y", "y_rate")
    for coordinate in (x, y):
        coordinate.law(1e9 * (coordinate.value + 0.1))
        coordinate.law(1e9 * (coordinate.value - 0.1))
    return model


def landed() -> Model:
    """Return a box at rest on the ground, which holds its weight."""
    model = Model("landed", gravity=(0, -9.81))
    point, turned = model.point("point"), model.angle("turned")
    model.add(Body("box", point, turned, mass=3.0, inertia=0.1))
    turned.quantities[0].fix()
    point.x.dof("x", "x_rate")
    point.y.dof("y", "y_rate")
    unilateral_contact(model, "ground", point.y.value, Impact(0.0))
    return model


REGULAR: dict[str, Callable[[], Model]] = {
    "a rolling disk": rolling_disk.model,
    "a caster with a prescribed motion": caster.model,
    "a vehicle with a law of the state": vehicle.model,
    "a vehicle with regularized contacts": vehicle_grip.model,
    "a loop": loop,
    "friction that sticks": sticking,
    "large springs that cancel": stiff,
    "a closed contact": landed,
}


@pytest.mark.parametrize("name", REGULAR)
def test_rounding_is_left_of_regular_models(name: str) -> None:
    equations = REGULAR[name]().equations()
    evaluation = Evaluation(equations)
    evaluation.start()
    start, random = evaluation.s.copy(), np.random.default_rng(1)
    sizes = np.array([state.nominal for state in equations.states])
    for share in (0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.1):
        evaluation.s[:] = start + share * sizes * random.standard_normal(start.size)
        evaluation.configure()
        left, parts, _ = judged(evaluation)
        assert np.all(left < 1e-14)
        assert np.all(left <= 1e-3 * LOST * nearest(evaluation))  # no step is refined
        assert np.all(parts <= 1 + 1e-9)
        refuse_lost(evaluation)


def corrupted(equations: Equations, share: float) -> Equations:
    """Make accelerations wrong by a share of them, and what is made of them."""
    dynamics = equations.dynamics
    n = equations.dofs
    dynamics.reduced.a = dynamics.a = dynamics.reduced.a * (1 + share)
    dynamics.derivative[:n] = dynamics.derivative[:n] * (1 + share)
    return equations


def test_wrong_accelerations_end_a_run_by_name() -> None:
    equations = corrupted(arm(True, 0.5).equations(), 1e-6)
    with pytest.raises(LostAccelerationsError, match="lost accuracy") as refused:
        simulate(equations, 1.0, progress=False, backend="python")
    said = str(refused.value)
    assert "hinge 0.angle" in said and "t = " in said
    slight = corrupted(arm(True, 0.5).equations(), 1e-12)
    assert simulate(slight, 0.1, progress=False, backend="python").time[-1] == pytest.approx(0.1)


def test_a_run_that_may_makes_its_equations_anew() -> None:
    """Those that are made anew are right, and so is the motion from there on."""
    right = simulate(arm(True, 0.5).equations(), 0.1, progress=False, backend="python")
    wrong = corrupted(arm(True, 0.5).equations(), 1e-6)
    found = simulate(wrong, 0.1, progress=False, backend="python", singular="switch")
    [(since, what)] = found.switches
    assert since == 0.0 and "order" in what
    assert found.final("angle2") == pytest.approx(right.final("angle2"), rel=1e-9)
