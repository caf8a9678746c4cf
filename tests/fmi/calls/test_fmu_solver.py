"""Integration inside Co-Simulation: methods, steps, tolerances, and what acts when."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.conftest import DISCARD, ERROR, FIXED_STEP, OK, ROSENBROCK, RUNGE_KUTTA, OpenFmu

STRAIGHT = {"steering": 2, "steer.angle": 0.0, "chassis.speed": 10.0}
TRANSIENT = np.array([0.2293354120, 0.1652572713])
"""u and φ of the caster at t = 10 from φ(0) = 0.5: see test_fmu_numbers."""


def transient(open_fmu: OpenFmu, values: dict, step: float, **given: float) -> np.ndarray:
    """Return u and φ of the caster at t = 10."""
    fmu = open_fmu("caster")
    assert fmu.initialize({"swivel.angle": 0.5} | values, **given) == OK
    return fmu.run(10.0, step).values(("strut.deflection", "swivel.angle"))


def test_fixed_steps_converge_at_order_four(open_fmu: OpenFmu) -> None:
    errors = [
        np.abs(
            transient(open_fmu, {"solver.method": FIXED_STEP, "solver.step": step}, 1.0) - TRANSIENT
        ).max()
        for step in (0.2, 0.1, 0.05)
    ]
    orders = np.log2(errors[:-1]) - np.log2(errors[1:])
    assert orders == pytest.approx(4, abs=0.3)
    assert errors[-1] < 1e-5


@pytest.mark.parametrize(
    ("interval", "largest", "parts"),
    [(1.0, 0.3, 4), (1.0, 0.25, 4), (1.0, 0.9, 2), (1.0, 1.0, 1), (0.5, 2.0, 1), (1.0, 0.13, 8)],
)
def test_fixed_steps_divide_the_interval_equally(
    open_fmu: OpenFmu, interval: float, largest: float, parts: int
) -> None:
    fixed = {"solver.method": FIXED_STEP}
    divided = transient(open_fmu, fixed | {"solver.step": largest}, interval)
    single = transient(open_fmu, fixed | {"solver.step": 10.0}, interval / parts)
    assert divided == pytest.approx(single, rel=1e-12)
    # and one part more or less would be something else
    for other in {parts - 1, parts + 1} - {0}:
        apart = transient(open_fmu, fixed | {"solver.step": 10.0}, interval / other)
        assert np.abs(divided - apart).max() > 1e-9


def test_fixed_step_ignores_tolerances(open_fmu: OpenFmu) -> None:
    fixed = {"solver.method": FIXED_STEP, "solver.step": 0.1}
    loose = transient(open_fmu, fixed, 0.5, tolerance=1e-2)
    assert (loose == transient(open_fmu, fixed, 0.5, tolerance=1e-10)).all()


@pytest.mark.parametrize("method", [RUNGE_KUTTA, ROSENBROCK])
def test_the_fmu_s_own_tolerance_counts_where_none_is_given(open_fmu: OpenFmu, method: int) -> None:
    chosen = {"solver.method": method}
    own = transient(open_fmu, chosen | {"solver.tolerance": 1e-9}, 1.0)
    given = transient(open_fmu, chosen, 1.0, tolerance=1e-9)
    assert (own == given).all()
    both = transient(open_fmu, chosen | {"solver.tolerance": 1e-2}, 1.0, tolerance=1e-9)
    assert (both == given).all()
    default = transient(open_fmu, chosen, 1.0)
    assert (default == transient(open_fmu, chosen, 1.0, tolerance=1e-6)).all()
    errors = [np.abs(values - TRANSIENT).max() for values in (own, default)]
    assert errors[0] < 1e-7
    assert errors[0] < errors[1] / 10
    assert errors[1] < 1e-4


def test_the_importer_s_steps_hardly_matter(open_fmu: OpenFmu) -> None:
    for step in (10.0, 2.5, 0.1, 0.01):
        assert transient(open_fmu, {}, step, tolerance=1e-8) == pytest.approx(TRANSIENT, abs=1e-6)


def test_steps_of_any_size_in_turn(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("caster")
    assert fmu.initialize({"swivel.angle": 0.5}, tolerance=1e-10) == OK
    for end in (1e-9, 0.003, 2.7, 2.7 + 1e-6, 9.0, 10.0):
        assert fmu.step(end - fmu.time) == OK, fmu.said
        fmu.time = end
    found = fmu.values(("strut.deflection", "swivel.angle"))
    assert found == pytest.approx(TRANSIENT, abs=1e-7)


def test_a_step_of_no_length_is_refused(open_fmu: OpenFmu) -> None:
    # both standards: communicationStepSize must be > 0
    fmu = open_fmu("caster")
    assert fmu.initialize() == OK
    before = fmu.bytes()
    assert fmu.step(0.0) == ERROR
    assert "positive" in fmu.said
    assert fmu.bytes() == before


def test_a_start_time_other_than_zero(open_fmu: OpenFmu) -> None:
    early, late = (open_fmu("clearance_joint") for _ in range(2))
    assert early.initialize() == OK
    assert late.initialize(at=5.0) == OK
    assert late.get("time") == 5.0
    early.run(2.4e-4, step=1e-5)
    late.run(5.0 + 2.4e-4, step=1e-5)
    assert late.get("joint.impact_time") - 5 == pytest.approx(
        early.get("joint.impact_time"), abs=1e-12
    )


# v' = f/m on the straight


def test_a_tunable_parameter_acts_from_the_next_step_on(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize(STRAIGHT | {"drive.force": 1200.0}, tolerance=1e-10) == OK
    assert fmu.get("chassis.acceleration_x") == pytest.approx(1.0, rel=1e-13)
    fmu.run(1.0, step=0.25)
    assert fmu.set({"chassis.mass": 600.0}) == OK
    assert fmu.get("chassis.acceleration_x") == pytest.approx(2.0, rel=1e-13)
    fmu.run(2.0, step=0.25)
    assert fmu.get("chassis.speed") == pytest.approx(10.0 + 1.0 + 2.0, rel=1e-11)
    assert fmu.get("chassis.x") == pytest.approx(10.5 + 12.0, rel=1e-11)
    assert fmu.get("front.friction_ratio") == 0
    # a parameter of outputs only
    assert fmu.set({"gravity": 1.62}) == OK
    assert fmu.get("gravity") == 1.62


def test_a_tunable_parameter_acts_in_model_exchange(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle", "ModelExchange")
    assert fmu.initialize(STRAIGHT | {"drive.force": 1200.0}) == OK
    row = fmu.states.index("chassis.speed")
    assert np.frombuffer(fmu.rates())[row] == pytest.approx(1.0, rel=1e-13)
    assert fmu.call("EnterEventMode") == OK
    assert fmu.set({"chassis.mass": 600.0}) == OK
    assert fmu.leave_event_mode() == OK
    assert np.frombuffer(fmu.rates())[row] == pytest.approx(2.0, rel=1e-13)


def test_inputs_are_held_over_a_step(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize(STRAIGHT, tolerance=1e-10) == OK
    speed = 10.0
    for force in (1200.0, -600.0, 2400.0):
        assert fmu.set({"drive.force": force}) == OK
        assert fmu.step(0.5) == OK
        speed += 0.5 * force / 1200.0
        assert fmu.get("chassis.speed") == pytest.approx(speed, rel=1e-11)


def test_a_rate_input_does_not_move_its_partner(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    given = {"steering": 2, "steer.angle": 0.1, "steer.rate": 0.5}
    assert fmu.initialize(given, tolerance=1e-10) == OK
    fmu.run(0.2, step=0.1)
    assert fmu.get("front.steer_angle") == 0.1
    assert fmu.get("chassis.yaw_rate") == pytest.approx(
        fmu.get("chassis.speed") * math.tan(0.1) / 2.5, rel=1e-12
    )
    # [m + (I + m l_H²) T²/l²] dv/dt = f - (I + m l_H²) T sec²α α' v / l²
    inertia, tangent = (675 + 1200 * 1.25**2) / 2.5**2, math.tan(0.1)
    mass = 1200 + inertia * tangent**2
    rate = -inertia * tangent * (1 + tangent**2) * 0.5 / mass
    assert fmu.get("chassis.speed") == pytest.approx(10 * math.exp(0.2 * rate), rel=1e-9)


def test_the_speed_of_the_attachment_is_held(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("caster")
    assert fmu.initialize({"attachment.acceleration": 3.0}, tolerance=1e-10) == OK
    fmu.run(0.5, step=0.1)
    assert fmu.get("attachment.x") == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("method", [RUNGE_KUTTA, ROSENBROCK, FIXED_STEP])
def test_a_step_that_takes_too_much_work_is_taken_back(open_fmu: OpenFmu, method: int) -> None:
    fmu = open_fmu("caster_flexible")
    assert fmu.initialize({"solver.method": method, "solver.most_evaluations": 2000}) == OK
    before = fmu.bytes()
    assert fmu.step(1e6) == DISCARD
    assert "more than 2000 evaluations" in fmu.said
    assert "changes fastest" in fmu.said
    assert fmu.bytes() == before
    assert fmu.last_successful_time == 0
    assert fmu.step(0.1) == OK
