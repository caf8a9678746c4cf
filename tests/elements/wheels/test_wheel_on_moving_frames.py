"""The three-dimensional wheel on surfaces that move: turntables, belts, lifts, free bodies."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Friction,
    Hinge,
    LinearTyre,
    Model,
    ModelError,
    RigidLink,
    Tyre,
    Wheel,
    linearize,
    simulate,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.host.backend import Backend
from mbcore.model.nodes.rotations import about

G, M, R, ARM = 9.81, 2.0, 0.3, 1.2  # mass and radius of the disk, its distance from the pivot, m
SPIN, ACROSS = M * R**2 / 2, M * R**2 / 4
OMEGA, FASTER = 3.0, 1.7  # of the table, rad/s, rad/s2
EXACT = {"rtol": 1e-11, "atol": 1e-12}


def mill(tilt: float = 0.0) -> Model:
    """A disk at the end of an arm that turns about the middle of a turntable, tilted about y."""
    model = Model("mill", gravity=(0, 0, -G))
    base = model.rotation("base", about((0, 1, 0), tilt), fixed=True)
    table, origin = model.rotation("table"), model.point("origin", (0, 0, 0), fixed=True)
    turning = OMEGA * model.time + FASTER * model.time**2 / 2
    model.add(Hinge("drive", base, table, axis=(0, 0, 1))).angle.prescribe(turning)
    normal, downhill = np.array([[np.sin(tilt), 0, np.cos(tilt)], [np.cos(tilt), 0, -np.sin(tilt)]])
    start = about((0, 1, 0), tilt)
    arm, lean, turned = (model.rotation(name, start) for name in ("arm", "lean", "turned"))
    model.add(Hinge("swing", base, arm, axis=(0, 0, 1))).angle.dof("arm")
    model.add(Hinge("tip", arm, lean, axis=(0, 1, 0)))
    spin = model.add(Hinge("axle", lean, turned, axis=(1, 0, 0))).angle
    pivot = model.point("pivot", (R * normal).tolist(), fixed=True)
    centre = model.point("centre", (R * normal + ARM * downhill).tolist())
    contact = model.point("contact", (ARM * downhill).tolist())
    model.add(RigidLink("rod", pivot, lean, centre))
    wheel = Wheel("wheel", centre, turned, contact, radius=R, axle=(1, 0, 0), frame=(origin, table))
    model.add(wheel).lateral.release()  # it is the rod that holds it there
    spin.kinematic("spin")
    model.add(Body("disk", centre, turned, mass=M, inertia=(SPIN, ACROSS, ACROSS)))
    model.output("load", wheel.normal_force)
    model.output("force", wheel.longitudinal_force)
    return model


@pytest.fixture(scope="module")
def level() -> Equations:
    return mill().equations()


INERTIA = M * ARM**2 + ACROSS + SPIN * (ARM / R) ** 2


def test_turntable_turns_an_arm_by_the_spin_of_its_wheel(level: Equations) -> None:
    point = Evaluation(level)
    point.start({"arm_rate": 0.8})
    names = [record.name for record in level.states]
    rates = dict(zip(names, point.derivative(), strict=True))
    out = dict(zip((record.name for record in level.outputs), point.output(), strict=True))
    # along the arm, outwards; on a table at rest a wheel that goes to the left turns by -R/r
    assert rates["spin"] == pytest.approx(-ARM / R * (0.8 - OMEGA), rel=1e-13)
    assert rates["arm_rate"] == pytest.approx(SPIN * (ARM / R) ** 2 * FASTER / INERTIA, rel=1e-12)
    # as in an edge mill, the spin that is turned with the arm presses the wheel on the table
    assert out["load"] * ARM == pytest.approx(M * G * ARM - SPIN * rates["spin"] * 0.8, rel=1e-12)
    pushed = (M * ARM**2 + ACROSS) * rates["arm_rate"] / ARM
    assert abs(out["force"]) == pytest.approx(pushed, rel=1e-12)


def test_arm_on_a_tilted_turntable_swings_as_on_one_at_rest() -> None:
    tilt = 0.2
    linear = linearize(mill(tilt).equations(), {"arm": 0.0}, unsteady=True)
    expected = np.sqrt(M * G * np.sin(tilt) * ARM / INERTIA)
    assert np.abs(linear.eigenvalues().imag).max() == pytest.approx(expected, rel=1e-10)


def carried(
    free: bool = False, belt: tuple[float, float] = (0, 0), lifted: float = 0.0, gravity: float = G
) -> Model:
    """A disk on a plate that is free without gravity, or moves along x and up.

    The belt has a speed, m/s, and an acceleration, m/s2; so has the lift.
    """
    model = Model("carried", gravity=(0, 0, 0 if free else -gravity))
    origin, plate = model.point("origin", (0.2, -0.1, 0)), model.rotation("plate")
    if free:
        plate.free("plate", angular_velocity=(0.2, -0.1, 0.7))
        for name, start in (("x", 0.2), ("y", -0.1), ("z", 0.0)):
            getattr(origin, name).dof(f"plate.{name}", start=start)
        model.add(Body("plate", origin, plate, mass=5.0, inertia=(2.0, 1.5, 3.0)))
    else:
        origin.x.prescribe(0.2 + belt[0] * model.time + belt[1] * model.time**2 / 2)
        origin.y.fix()
        origin.z.prescribe(lifted * model.time**2 / 2)
        model.add(Hinge("still", model.ground, plate, axis=(0, 0, 1))).angle.prescribe(0.0)
    centre, contact = model.point("centre", (0, 0, R)), model.point("contact", (0, 0, 0))
    turned = model.rotation("turned")
    turned.free("disk", angular_velocity=(0.3, 4.0, 0.5))
    wheel = model.add(Wheel("wheel", centre, turned, contact, radius=R, frame=(origin, plate)))
    model.add(Body("disk", centre, turned, mass=M, inertia=(ACROSS, SPIN, ACROSS)))
    contact.x.kinematic("contact.x")
    contact.y.kinematic("contact.y")
    for i, axis in enumerate("xyz"):
        model.output(f"a.{axis}", centre.acceleration[i])
    model.output("load", wheel.normal_force)
    model.output("energy", model.kinetic_energy)
    model.output("gap", wheel.gap)
    if free:
        momentum = M * centre.velocity + 5.0 * origin.velocity
        angular = M * ca.cross(centre.position, centre.velocity)
        angular += 5.0 * ca.cross(origin.position, origin.velocity)
        for rotation, inertia in ((turned, (ACROSS, SPIN, ACROSS)), (plate, (2.0, 1.5, 3.0))):
            axes = rotation.matrix
            angular += axes @ ca.diag(ca.DM(inertia)) @ axes.T @ rotation.angular_velocity
        for i, axis in enumerate("xyz"):
            model.output(f"momentum.{axis}", momentum[i])
            model.output(f"angular.{axis}", angular[i])
    return model


@pytest.mark.heavy
def test_disk_and_a_free_plate_keep_momentum_and_energy() -> None:
    run = simulate(carried(free=True).equations(), 1.0, **EXACT)
    for name in ("energy", *(f"{of}.{axis}" for of in ("momentum", "angular") for axis in "xyz")):
        assert np.ptp(run[name]) < 1e-9, name
    assert np.abs(run["gap"]).max() < 1e-12
    assert np.ptp(run["load"]) > 0.1  # they do push each other


def _outputs(model: Model, start: dict[str, float]) -> dict[str, float]:
    point = Evaluation(model.equations())
    point.start(start)
    return dict(zip((o.name for o in point.equations.outputs), point.output(), strict=True))


UPRIGHT = {"disk.omega_x": 0.0, "disk.omega_y": 4.0, "disk.omega_z": 0.0}


def test_belt_that_accelerates_takes_a_disk_along_with_a_third() -> None:
    out = _outputs(carried(belt=(0.5, 0.9)), UPRIGHT)
    # the moment of the force turns the rim back: a = a_belt I/(I + m r²)
    assert out["a.x"] == pytest.approx(0.9 / 3, rel=1e-12)
    assert out["load"] == pytest.approx(M * G, rel=1e-12)


def test_lift_adds_its_acceleration_to_gravity() -> None:
    lifted, heavier = _outputs(carried(lifted=2.5), {}), _outputs(carried(gravity=G + 2.5), {})
    assert lifted["load"] == pytest.approx(heavier["load"], rel=1e-12)
    assert lifted["a.z"] - 2.5 == pytest.approx(heavier["a.z"], rel=1e-12, abs=1e-12)
    assert lifted["a.y"] == pytest.approx(heavier["a.y"], rel=1e-12, abs=1e-12)


def test_tyre_on_a_moving_frame_and_wrong_frames_are_refused() -> None:
    model = carried()
    wheel, plate = model.elements["wheel"], model.nodes["plate"]
    assert isinstance(wheel, Wheel)
    with pytest.raises(ModelError, match="tyres run on ground at rest"):
        Tyre(wheel, LinearTyre(5e4), load=10.0)
    with pytest.raises(ModelError, match="give a point and a rotation"):
        Wheel("other", wheel.centre, wheel.rotation, wheel.contact, radius=R, frame=plate)  # type: ignore[arg-type]
    flat = (wheel.contact, wheel.rotation)
    with pytest.raises(ModelError, match="wheel other: surface"):
        Wheel("other", wheel.centre, wheel.rotation, wheel.contact, radius=R, frame=flat,
              surface=lambda c: ca.SX(1.0))  # fmt: skip


@pytest.mark.heavy
def test_friction_on_a_belt_slides_until_it_rolls() -> None:
    speed, coefficient = 2.0, 0.2
    model = carried(belt=(speed, 0.0))
    wheel = model.elements["wheel"]
    assert isinstance(wheel, Wheel)
    model.add(Friction("friction", wheel, coefficient=coefficient))
    for i, axis in enumerate("xy"):
        model.speed(f"v.{axis}", wheel.centre.velocity[i])
    equations = model.equations()
    start = dict.fromkeys(UPRIGHT, 0.0)
    run = simulate(equations, 1.0, start=start, **EXACT)
    # both the disk's speed and its turning bring its lowest point to the belt's speed
    rolls = run.events[-1][0]  # where friction holds it
    assert rolls == pytest.approx(speed / (3 * coefficient * G), rel=1e-9)
    assert run.final("v.x") == pytest.approx(speed / 3, rel=1e-9)


@pytest.mark.heavy
@pytest.mark.parametrize("backend", ["python", "c"])
def test_arm_on_a_turntable_that_accelerates(level: Equations, backend: Backend) -> None:
    run = simulate(level, 2.0, backend=backend, **EXACT)
    swung = SPIN * (ARM / R) ** 2 * FASTER / INERTIA * 2.0**2 / 2
    assert run.final("arm") == pytest.approx(swung, rel=1e-9)
    turned = -ARM / R * (swung - OMEGA * 2 - FASTER * 2.0**2 / 2)
    assert run.final("spin") == pytest.approx(turned, rel=1e-9)
