"""Slips as degrees of freedom: the sleigh and the vehicle without a dummy wheel, and refusals.

The sleigh's motion is its closed form; the vehicle's that of the model whose rear wheel turns.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Model,
    ModelError,
    ModelWarning,
    PlanarHinge,
    PlanarWheel,
    Result,
    RigidLink,
    RoleError,
    Speed,
    equilibrium,
    linearize,
    simulate,
    steady_motion,
    superpose,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import vehicle
from tests.conftest import equations_of

MASS, INERTIA, ARM = 2.0, 0.5, 0.3
"""m, I and the distance a by which the sleigh's mass centre is in front of its edge."""
J = INERTIA / MASS + ARM**2
"""v̇ = a ω², J ω̇ = -a v ω."""


def chaplygin_sleigh() -> Model:
    model = Model("sleigh")
    centre, heading = model.point("centre"), model.angle("heading")
    edge = model.point("edge", (-ARM, 0))
    model.add(RigidLink("arm", centre, heading, edge))
    model.add(Body("body", centre, heading, mass=MASS, inertia=INERTIA))
    along, across = heading.matrix[:, 0], heading.matrix[:, 1]
    model.add(Speed("edge", ca.dot(across, edge.velocity), zero=True))
    model.speed("sleigh.speed", ca.dot(along, edge.velocity), 1.0)
    model.speed("sleigh.yaw_rate", heading.rate, 0.7, unit="rad/s")
    edge.x.kinematic("x")
    edge.y.kinematic("y")
    heading.angle.kinematic("yaw")
    model.output("energy", model.kinetic_energy)
    model.output("side_force", model.elements["edge"].slips["slip"].force)
    return model


@pytest.fixture(scope="module")
def sleigh() -> Equations:
    return chaplygin_sleigh().equations()


def test_sleigh_moves_as_its_closed_form(sleigh: Equations) -> None:
    names = [state.name for state in sleigh.states]
    assert names == ["sleigh.speed", "sleigh.yaw_rate", "yaw", "x", "y"]
    motion = simulate(sleigh, 5.0, rtol=1e-12, atol=1e-12, progress=False)
    c = np.sqrt(1.0 + J * 0.7**2)
    k = ARM * c / J
    phase = k * motion.time + np.arctanh(1.0 / c)
    yaw = 2 * np.sqrt(J) / ARM * (np.arctan(np.tanh(phase / 2)) - np.arctan(np.tanh(phase[0] / 2)))
    assert motion["sleigh.speed"] == pytest.approx(c * np.tanh(phase), abs=1e-10)
    rate = c / np.sqrt(J) / np.cosh(phase)
    assert motion["sleigh.yaw_rate"] == pytest.approx(rate, abs=1e-10)
    assert motion["yaw"] == pytest.approx(yaw, abs=1e-10)
    force = MASS * (motion["sleigh.speed"] * rate - ARM**2 / J * motion["sleigh.speed"] * rate)
    assert np.abs(motion["side_force"]) == pytest.approx(np.abs(force), abs=1e-10)
    assert np.ptp(motion["energy"]) < 1e-10


def test_sleigh_is_linearized_about_gliding(sleigh: Equations) -> None:
    for speed in (1.5, -1.5):  # with the mass centre behind the edge it is unstable
        about = linearize(sleigh, {"sleigh.speed": speed, "sleigh.yaw_rate": 0.0})
        values = np.sort(about.eigenvalues(zeros=True).real)
        others = np.sort([0.0, 0.0, 0.0, 0.0, -ARM * speed / J])
        assert values == pytest.approx(others, abs=1e-12)
        assert set(about.expected_zeros()) >= {"x", "y", "yaw"}
        assert np.diag(about.M) == pytest.approx([MASS, MASS * J])
    assert "sleigh.yaw_rate" in steady_motion(sleigh, {"sleigh.speed": 1.0}).state


def test_tangent_is_the_linearized_derivative(sleigh: Equations) -> None:
    at = {"sleigh.speed": 1.5, "sleigh.yaw_rate": 0.4, "yaw": 0.3}
    point = Evaluation(sleigh)
    point.start(at)
    assert point.jacobian() == pytest.approx(
        linearize(sleigh, at, unsteady=True).state_matrix, abs=1e-13
    )


def test_method_of_one_stage_knows_speeds(sleigh: Equations) -> None:
    exact = simulate(sleigh, 2.0, rtol=1e-12, progress=False).final("sleigh.speed")
    errors = [
        simulate(sleigh, 2.0, method="one_stage", max_step=h, progress=False).final("sleigh.speed")
        - exact
        for h in (2e-2, 1e-2)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.02)  # accelerations depend on rates


def test_what_knows_no_speeds_refuses_them_by_name(sleigh: Equations) -> None:
    with pytest.raises(ModelError, match=r"sleigh\.speed, sleigh\.yaw_rate are generalized speeds"):
        equilibrium(sleigh)
    with pytest.raises(ModelError, match=r"sleigh\.speed\.slip.*are generalized speeds"):
        superpose(chaplygin_sleigh())


def direct_vehicle(steered: bool = False) -> Model:
    """The vehicle of [SchiehlenEismann] with locked wheels: the rear one's slip is its speed."""
    car = Model("vehicle")
    force = car.input("force")
    C, gamma = car.point("C"), car.angle("chassis")
    R, F = car.point("R", (-0.5, 0)), car.point("F", (0.5, 0))
    car.add(RigidLink("front", C, gamma, F))
    car.add(RigidLink("rear", C, gamma, R))
    car.add(Body("chassis", C, gamma, mass=1.0, inertia=0.09))
    axle, locked = car.angle("axle"), car.angle("locked", fixed=True)
    pivot = car.add(PlanarHinge("pivot", gamma, axle))
    rear = car.add(PlanarWheel("rear wheel", R, gamma, locked, radius=1.0))
    front = car.add(PlanarWheel("front wheel", F, axle, locked, radius=1.0))
    front.longitudinal.release()
    speed = rear.longitudinal.dof("chassis.speed").law(-force).velocity
    if steered:
        rate = car.input("steer.rate")
        pivot.angle.prescribe(car.input("steer", 0.1, rate=rate))
    else:
        pivot.angle.prescribe(ca.atan(speed))
    C.x.kinematic("chassis.x")
    C.y.kinematic("chassis.y")
    gamma.angle.kinematic("chassis.yaw")
    car.output("front.lateral_force", -front.lateral.force)
    return car


@pytest.mark.heavy
def test_vehicle_needs_no_wheel_that_turns() -> None:
    names = [f"chassis.{name}" for name in ("x", "y", "yaw", "speed")]

    def displaced(equations: Equations, force: str, **options: object) -> Result:
        return simulate(
            equations,
            4 * 2.661,
            start={"chassis.speed": 0.0},
            inputs={force: lambda t: 1.0 if int(t / 2.661) % 2 == 0 else -1.0},
            breaks=[2.661 * k for k in (1, 2, 3)],
            samples=41,
            rtol=1e-13,
            atol=1e-14,
            progress=False,
            **options,  # type: ignore[arg-type]
        )

    given = {
        "steering": 3,
        "steer.reference_speed": 1.0,
        "chassis.mass": 1.0,
        "chassis.inertia": 0.09,
        "wheelbase": 1.0,
        "rear_to_mass_centre": 0.5,
    }
    wheel = displaced(equations_of(vehicle.model), "drive.force", parameters=given)
    direct = displaced(direct_vehicle().equations(), "force")
    for name in [*names, "front.lateral_force"]:
        assert direct[name] == pytest.approx(wheel[name], abs=1e-10)
    end = [direct.final(name) for name in names]
    reference = [1.9332277377, -0.0033800180, 12.5640659747, 0.0]  # of (42), printed times
    assert end == pytest.approx(reference, abs=1e-6)


def test_steering_slows_the_vehicle_by_its_inertia() -> None:
    # [SchiehlenEismann], free steering: v² [m + (I + m l_H²) tan²α / l²] is constant without drive
    equations = direct_vehicle(steered=True).equations()
    options = {"start": {"chassis.speed": 1.0}, "rtol": 1e-12, "progress": False}
    turn = {"steer": lambda t: 0.1 + 0.2 * t, "steer.rate": 0.2}
    end = simulate(equations, 2.0, inputs=turn, **options).final("chassis.speed")  # type: ignore[arg-type]
    ratio = (1 + 0.34 * np.tan(0.1) ** 2) / (1 + 0.34 * np.tan(0.5) ** 2)
    assert end == pytest.approx(np.sqrt(ratio), abs=1e-11)
    with pytest.warns(ModelWarning, match=r"steer changes by 0\.2 per second.*steer\.rate is 0"):
        simulate(equations, 0.1, inputs=turn | {"steer.rate": 0.0}, **options)  # type: ignore[arg-type]


def test_mistakes_are_told_by_name() -> None:
    bad = Model("bad")
    point, heading = bad.point("p"), bad.angle("a")
    with pytest.raises(ModelError, match=r"speed square.*not linear in velocities"):
        bad.add(Speed("square", ca.dot(point.velocity, point.velocity)))
    with pytest.raises(ModelError, match=r"speed place.*holds no velocity"):
        bad.add(Speed("place", point.x.value))
    with pytest.raises(ModelError, match=r"speed vector.*shape \(2, 1\).*scalar"):
        bad.add(Speed("vector", point.velocity))
    with pytest.raises(ModelError, match=r"speed shifted.*not linear"):
        bad.add(Speed("shifted", heading.rate + 1.0))
    model = Model("m")
    point, heading = model.point("p"), model.angle("a")
    slip = model.speed("turning", heading.rate)
    with pytest.raises(RoleError, match=r"turning\.slip is already a degree of freedom"):
        slip.dof("twice")
    model.add(Body("body", point, heading, mass=1.0, inertia=1.0))
    point.fix()
    heading.angle.dof()
    with pytest.raises(RoleError, match=r"a\.angle \(degree.*turning\.slip.*kin.*\(0\).*\(1\)"):
        model.equations()
