"""Steady motions against closed forms, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Model,
    ModelError,
    SimulationError,
    linearize,
    simulate,
    steady_motion,
)
from mbcore.fmus import caster, rolling_disk, vehicle
from tests.conftest import equations_of


@pytest.fixture(scope="module")
def disk() -> Equations:
    return equations_of(rolling_disk.model)


@pytest.fixture(scope="module")
def car() -> Equations:
    return equations_of(vehicle.model)


def pitch_rate(m: float, r: float, g: float, lean: float, yaw_rate: float) -> float:
    """Pitch rate of a thin disk that turns steadily, by hand.

    With e_1 along the heading, e_2 along the axle and e_3 from the contact to the centre, the
    angular velocity is n e_2 + ψ̇ cos φ e_3, n = θ̇ + ψ̇ sin φ. The frame turns with ψ̇ about the
    vertical, so the centre, of velocity r n e_1, accelerates by r n ψ̇ to the left. Moments about
    the centre along e_1, with A = m r²/4 and C = 2 A:

        ψ̇ cos φ (A ψ̇ sin φ - C n) = m r² n ψ̇ cos φ + m g r sin φ.
    """
    A, C = m * r**2 / 4, m * r**2 / 2
    sine, cosine = np.sin(lean), np.cos(lean)
    spin = (A * yaw_rate**2 * sine * cosine - m * g * r * sine) / (
        (C + m * r**2) * yaw_rate * cosine
    )
    return spin - yaw_rate * sine


@pytest.mark.parametrize(
    ("m", "r", "g", "lean", "yaw_rate"),
    [(1, 1, 1, 0.3, -0.7), (1, 1, 1, 0.6, -1.2), (2.5, 0.4, 9.81, -0.4, 3.0), (1, 1, 1, 1.2, 2.5)],
)
def test_disk_in_steady_turning(
    disk: Equations, m: float, r: float, g: float, lean: float, yaw_rate: float
) -> None:
    parameters = {"disk.mass": m, "disk.radius": r, "gravity": g}
    expected = pitch_rate(m, r, g, lean, yaw_rate)
    found = steady_motion(
        disk,
        {"disk.lean": lean, "disk.yaw_rate": yaw_rate},
        guess={"disk.pitch_rate": 0.8 * expected},
        parameters=parameters,
    )
    assert found.state["disk.pitch_rate"] == pytest.approx(expected, rel=1e-10)
    assert found.state["disk.lean_rate"] == pytest.approx(0, abs=1e-12)
    assert set(found.ignorable) == {"disk.yaw", "disk.pitch", "contact.x", "contact.y"}
    assert found.residual < 1e-9
    # centripetal force of the centre to the left, weight, nothing along the heading
    spin = expected + yaw_rate * np.sin(lean)
    assert found.outputs["contact.force_lateral"] == pytest.approx(
        m * r * spin * yaw_rate, rel=1e-9
    )
    assert found.outputs["contact.force_normal"] == pytest.approx(m * g, rel=1e-9)
    assert found.outputs["contact.force_longitudinal"] == pytest.approx(0, abs=1e-9)


def test_disk_finds_the_lean_that_belongs_to_a_turn(disk: Equations) -> None:
    lean, yaw_rate = 0.25, -0.9
    rate = pitch_rate(1, 1, 1, lean, yaw_rate)
    found = steady_motion(
        disk,
        {"disk.yaw_rate": yaw_rate, "disk.pitch_rate": rate},
        guess={"disk.lean": 0.1},
    )
    assert found.state["disk.lean"] == pytest.approx(lean, abs=1e-10)


def test_disk_keeps_its_steady_motion_on_a_circle(disk: Equations) -> None:
    lean, yaw_rate = 0.3, -0.7
    found = steady_motion(
        disk, {"disk.lean": lean, "disk.yaw_rate": yaw_rate}, guess={"disk.pitch_rate": 1.0}
    )
    run = simulate(disk, 2 * np.pi / 0.7, start=found.state, rtol=1e-11, atol=1e-12)
    assert np.ptp(run["disk.lean"]) < 1e-8
    # the contact point comes back, after a circle of radius r θ̇/ψ̇
    assert run.final("contact.x") == pytest.approx(0, abs=1e-7)
    assert run.final("contact.y") == pytest.approx(0, abs=1e-7)
    radius = pitch_rate(1, 1, 1, lean, yaw_rate) / yaw_rate  # to the left
    path = np.hypot(run["contact.x"], run["contact.y"] - radius)
    assert path == pytest.approx(abs(radius), rel=1e-7)


def test_linearization_about_steady_turning_has_the_zeros_of_its_family(disk: Equations) -> None:
    found = steady_motion(
        disk, {"disk.lean": 0.3, "disk.yaw_rate": -0.7}, guess={"disk.pitch_rate": 1.0}
    )
    about = linearize(disk, found.state)
    assert about.f_d == pytest.approx(0, abs=1e-9)
    # yaw, pitch, contact point, and the two dimensions of the family: one pair is left
    square = np.trace(np.linalg.matrix_power(about.state_matrix, 2)) / 2
    expected = np.concatenate([[1, 0, -square], np.zeros(6)])
    assert np.poly(about.state_matrix) == pytest.approx(expected, abs=1e-9)
    assert len(about.expected_zeros()) == 4


@pytest.mark.parametrize(
    ("law", "speed"), [(1, 6.0), pytest.param(2, 6.0, marks=pytest.mark.heavy), (3, 4.0)]
)
def test_vehicle_on_a_circle(car: Equations, law: int, speed: float) -> None:
    m, l, l_H = 1200.0, 2.5, 1.25  # noqa: E741
    angle = np.arctan(speed / 10) if law == 3 else 0.3
    found = steady_motion(
        car,
        {"chassis.speed": speed},
        parameters={"steering": law},
        inputs={"steer.angle": 0.3},
    )
    assert {"chassis.x", "chassis.y", "chassis.yaw"} <= set(found.ignorable)
    if law == 1:
        assert found.state["steer.actuator_angle"] == pytest.approx(angle, rel=1e-12)
    yaw_rate = speed * np.tan(angle) / l
    assert found.outputs["chassis.yaw_rate"] == pytest.approx(yaw_rate, rel=1e-12)
    # the centre of the circle lies beside the rear axle, at the distance l/tan α
    to_rear = l / np.tan(angle)
    assert found.outputs["chassis.acceleration_y"] == pytest.approx(
        yaw_rate**2 * to_rear, rel=1e-10
    )
    assert found.outputs["chassis.acceleration_x"] == pytest.approx(-(yaw_rate**2) * l_H, rel=1e-10)
    total = m * yaw_rate**2 * to_rear
    assert found.outputs["front.lateral_force"] == pytest.approx(
        l_H / l * total / np.cos(angle), rel=1e-9
    )
    assert found.outputs["rear.lateral_force"] == pytest.approx((l - l_H) / l * total, rel=1e-9)

    run = simulate(
        car, 2 * np.pi / yaw_rate, start=found.state, parameters={"steering": law},
        inputs={"steer.angle": 0.3}, rtol=1e-10, atol=1e-10,
    )  # fmt: skip
    radius = np.hypot(to_rear, l_H)
    assert run.final("chassis.yaw") == pytest.approx(2 * np.pi, abs=1e-7)
    centre = np.array([run["chassis.x"][0] - l_H, run["chassis.y"][0] + to_rear])
    path = np.column_stack([run["chassis.x"], run["chassis.y"]]) - centre
    assert np.hypot(*path.T) == pytest.approx(radius, rel=1e-7)


def test_a_wanted_output_is_a_condition(car: Equations) -> None:
    found = steady_motion(
        car,
        {"chassis.acceleration_y": 2.0},
        guess={"chassis.speed": 5.0},
        parameters={"steering": 2},
        inputs={"steer.angle": 0.3},
    )
    # v² tan α / l
    speed = np.sqrt(2.0 * 2.5 / np.tan(0.3))
    assert found.state["chassis.speed"] == pytest.approx(speed, rel=1e-9)


def test_swivel_wheel_deflects_under_a_torque() -> None:
    torque, stiffness, swivel = 0.02, 0.3, 0.5
    found = steady_motion(
        equations_of(caster.model),
        parameters={"swivel.stiffness": swivel},
        inputs={"swivel.torque": torque},
    )
    # straight running: φ = 0, so the torque acts through the ground, k u = τ/l
    assert found.state["swivel.angle"] == pytest.approx(0, abs=1e-12)
    assert found.state["strut.deflection"] == pytest.approx(torque / stiffness, rel=1e-10)
    assert found.ignorable == ("attachment.x",)


@pytest.mark.parametrize(
    ("conditions", "left", "named"),
    [
        ({}, 2, ("disk.pitch_rate", "disk.yaw_rate")),
        ({"disk.pitch_rate": 1.0}, 1, ("disk.yaw_rate",)),
    ],
)
def test_open_conditions_are_named(
    disk: Equations, conditions: dict[str, float], left: int, named: tuple[str, ...]
) -> None:
    # straight rolling belongs to a family with speed and turn as dimensions
    with pytest.raises(SimulationError, match=f"leave {left} of these open") as refused:
        steady_motion(disk, conditions, guess={"disk.lean_rate": 0.0})
    for name in named:
        assert name in str(refused.value)


def test_unknown_condition_is_named(disk: Equations) -> None:
    with pytest.raises(ModelError, match=r"no state or output 'disk\.leen'; did"):
        steady_motion(disk, {"disk.leen": 0.1})
    with pytest.raises(ModelError, match=r"disk\.lean = nan is not a finite number"):
        steady_motion(disk, {"disk.lean": np.nan})


def test_a_motion_that_does_not_exist_is_refused(car: Equations, disk: Equations) -> None:
    with pytest.raises(SimulationError, match="no steady motion near the guess"):
        steady_motion(car, {"chassis.speed": 5.0}, inputs={"drive.force": 100.0})
    # a disk that rolls straight on does not lean
    with pytest.raises(SimulationError, match="no steady motion near the guess"):
        steady_motion(disk, {"disk.lean": 0.3, "disk.yaw_rate": 0.0})


def test_conditions_that_differ_by_little_are_refused() -> None:
    """A mass that rests at 0.5 m is asked to be elsewhere by 1e-7 m."""
    model = Model("mass")
    place = model.point("place")
    place.y.fix()
    model.add(Body("mass", place, mass=1.0))
    x = place.x.dof("x", "v").spring(1.0, rest=0.5)
    model.output("place", x.value)
    equations = model.equations()
    assert steady_motion(equations, {"place": 0.5}).state["x"] == pytest.approx(0.5, abs=1e-12)
    with pytest.raises(SimulationError, match="place"):
        steady_motion(equations, {"place": 0.5 + 1e-7})
