"""Forces and moments of joints, against closed forms and Newton-Euler equations written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Hinge,
    Model,
    ModelError,
    RigidLink,
    Slide,
    prismatic,
    revolute,
    simulate,
    spherical,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.parts.reaction import Reaction

GRAVITY = 9.81


def show(model: Model, name: str, reaction: Reaction, moment: bool = True) -> None:
    """Make outputs of all components."""
    for i in range(reaction.force.numel()):
        model.output(f"{name}.force[{i}]", reaction.force[i], unit="N")
    for i in range(reaction.moment.numel() if moment else 0):
        model.output(f"{name}.moment[{i}]", reaction.moment[i], unit="N.m")


def evaluated(model: Model, start: Mapping[str, float] | None = None) -> dict[str, float]:
    """Return the outputs at the start."""
    point = Evaluation(model.equations())
    point.start(start or {})
    names = (output.name for output in point.equations.outputs)
    return dict(zip(names, map(float, point.output()), strict=True))


def vector(found: Mapping[str, float], name: str, size: int = 3) -> np.ndarray:
    return np.array([found[f"{name}[{i}]"] for i in range(size)])


def pendulum(angle: float, rate: float) -> tuple[Model, object, Body]:
    """A compound pendulum of 2 kg whose mass centre is 0.5 m from the pin, driven by 0.7 N.m."""
    model = Model("pendulum", gravity=(0, -GRAVITY))
    body = Body("body", model.point("centre", (0.5, 0)), model.angle("turned"), mass=2, inertia=0.3)
    joint = revolute("pin", model, model.add(body), at=(0, 0))
    joint.angle.dof("angle", "rate", start=angle, rate_start=rate).law(-0.7)
    return model, joint, body


def test_a_pendulum_pulls_at_its_pin_by_weight_and_acceleration() -> None:
    angle, rate = 0.4, 1.3
    model, joint, body = pendulum(angle, rate)
    show(model, "body", model.reaction(joint))
    show(model, "ground", model.reaction(joint, on=model))
    show(model, "support", model.reaction(joint.point), moment=False)
    show(model, "centre", model.reaction(joint, at=body.reference, axes=body))
    found = evaluated(model)
    along, across = (
        np.array([np.cos(angle), np.sin(angle)]),
        np.array([-np.sin(angle), np.cos(angle)]),
    )
    turning = (0.7 - 2 * GRAVITY * 0.5 * np.cos(angle)) / (0.3 + 2 * 0.5**2)
    force = 2 * (0.5 * turning * across - 0.5 * rate**2 * along) + [0, 2 * GRAVITY]
    assert vector(found, "body.force", 2) == pytest.approx(force, rel=1e-12)
    assert vector(found, "ground.force", 2) == pytest.approx(-force, rel=1e-12)
    assert vector(found, "support.force", 2) == pytest.approx(force, rel=1e-12)
    assert found["body.moment[0]"] == pytest.approx(0.7, rel=1e-12)
    assert found["ground.moment[0]"] == pytest.approx(-0.7, rel=1e-12)
    # About the mass centre it is what turns the body.
    assert found["centre.moment[0]"] == pytest.approx(0.3 * turning, rel=1e-12)
    assert vector(found, "centre.force", 2) == pytest.approx(
        [along @ force, across @ force], rel=1e-12
    )


def rotor() -> tuple[Model, object, Slide]:
    """A disk that spins with 300 rad/s in two bearings 0.4 m apart, on a table with 2 rad/s."""
    model = Model("rotor", gravity=(0, 0, -GRAVITY))
    table, disk = model.rotation("table"), model.rotation("disk")
    model.add(Hinge("turning", model.ground, table, axis=(0, 0, 1))).angle.prescribe(2 * model.time)
    middle = model.point("middle", (0, 0, 0), fixed=True)
    frame = model.add(Body("frame", middle, table))
    centre = model.point("centre", (0, 0, 0))
    body = model.add(Body("body", centre, disk, mass=5, inertia=(0.04, 0.02, 0.02)))
    spin = model.add(Hinge("spin", table, disk, axis=(1, 0, 0)))
    spin.angle.prescribe(300 * model.time)
    for bent in (spin.bending_y, spin.bending_z):
        bent.release()  # the bearings hold the axle
    held = spherical("held", frame, body, at=(-0.2, 0, 0))
    end = body.point("end", (0.2, 0, 0))
    loose = model.add(Slide("loose", middle, table, end, axis=(1, 0, 0)))
    return model, held, loose


def test_bearings_of_a_spinning_rotor_carry_the_gyroscopic_couple() -> None:
    """The couple is that of ω × H = 2 e_z × 0.04 · 300 e_x = 24 e_y, N.m."""
    model, held, loose = rotor()
    frame = model.elements["frame"]
    show(model, "held", model.reaction(held, axes=frame), moment=False)
    show(model, "loose", model.reaction(loose, axes=frame))
    show(model, "both", model.reaction(loose, at=held.point, axes=frame))
    run = simulate(model.equations(), until=0.3, samples=4)
    for k in range(4):
        found = {name: run[name][k] for name in run}
        half, couple = 5 * GRAVITY / 2, 24 / 0.4
        # About +y a couple presses the far end, at +x, down.
        assert vector(found, "held.force") == pytest.approx([0, 0, half + couple], abs=1e-9)
        assert vector(found, "loose.force") == pytest.approx([0, 0, half - couple], abs=1e-9)
        assert vector(found, "loose.moment") == pytest.approx(np.zeros(3), abs=1e-9)
        moment = np.cross([0.4, 0, 0], [0, 0, half - couple])
        assert vector(found, "both.moment") == pytest.approx(moment, abs=1e-9)


def cone(turning: float, lean: float) -> tuple[Model, Hinge, Body]:
    """A mass of 3 kg on a rod of 0.8 m, led around a cone."""
    model = Model("cone", gravity=(0, 0, -GRAVITY))
    top = model.point("top", (0, 0, 0), fixed=True)
    led, rod = model.rotation("led"), model.rotation("rod")
    model.add(Hinge("led", model.ground, led, axis=(0, 0, 1))).angle.prescribe(turning * model.time)
    joint = model.add(Hinge("joint", led, rod, axis=(0, 1, 0)))
    joint.angle.rigid(-lean)
    bob = model.point("bob", (0, 0, -0.8))
    model.add(RigidLink("link", top, rod, bob, offset=(0, 0, -0.8)))
    return model, joint, model.add(Body("mass", bob, mass=3))


@pytest.mark.parametrize("turning", [2.0, np.sqrt(GRAVITY / (0.8 * np.cos(0.5)))])
def test_a_conical_pendulum_pulls_along_its_rod_at_its_own_speed(turning: float) -> None:
    lean, length, mass = 0.5, 0.8, 3.0
    model, joint, _ = cone(turning, lean)
    skew = np.linalg.qr(np.array([[1.0, 2, 0.5], [0.3, 1, -1], [2, 0.1, 1]]))[0]
    skew *= np.linalg.det(skew)
    rod = model.elements["joint"].q
    top = model.nodes["top"]
    show(model, "rod", model.reaction(joint, at=top))
    show(model, "skew", model.reaction(joint, at=top, axes=skew))
    show(model, "own", model.reaction(joint, at=top, axes=rod))
    led = model.reaction(joint, on=joint.p)
    with pytest.raises(ModelError, match="at=point for a hinge"):
        _ = led.force
    for i in range(3):
        model.output(f"led.moment[{i}]", led.moment[i], unit="N.m")
    found = evaluated(model)
    radius = length * np.sin(lean)
    force = np.array([-mass * turning**2 * radius, 0, mass * GRAVITY])
    at = np.array([radius, 0, -length * np.cos(lean)])
    # The rod has no inertia, so the joint's moment balances that of the force on the bob.
    moment = np.cross(at, force)
    assert vector(found, "rod.force") == pytest.approx(force, rel=1e-12)
    assert vector(found, "rod.moment") == pytest.approx(moment, abs=1e-12)
    assert vector(found, "skew.force") == pytest.approx(skew.T @ force, rel=1e-12)
    assert vector(found, "skew.moment") == pytest.approx(skew.T @ moment, abs=1e-12)
    assert vector(found, "led.moment") == pytest.approx(-moment, abs=1e-12)
    if turning != 2.0:
        own = [0, 0, mass * GRAVITY / np.cos(lean)]
        assert vector(found, "own.force") == pytest.approx(own, abs=1e-10)
        assert vector(found, "own.moment") == pytest.approx(np.zeros(3), abs=1e-10)


@dataclass(frozen=True)
class Link:
    """A link of an arm: its joint's axis, the mass centre and the next joint from the joint."""

    axis: tuple[float, float, float]
    centre: np.ndarray
    end: np.ndarray
    mass: float
    inertia: np.ndarray
    motion: Callable[[object], object]
    """The joint's angle by time."""


def links(count: int) -> list[Link]:
    """Return links without a pattern; their axes are those of an industrial robot in turn."""
    random, axes = np.random.default_rng(7), [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0)]
    found = []
    for i in range(count):
        spread = random.normal(size=(3, 3))
        amplitude, rate, phase = random.uniform(0.2, 1.0, 3)

        def motion(t: object, a: float = amplitude, b: float = rate, c: float = phase) -> object:
            return a * ca.sin((1 + b) * t + c)

        found.append(
            Link(
                axes[i % 4],
                random.uniform(-0.2, 0.3, 3),
                random.uniform(0.1, 0.5, 3),
                random.uniform(0.5, 3),
                0.003 * spread @ spread.T + 0.05 * np.eye(3),
                motion,
            )
        )
    return found


def arm(parts: list[Link]) -> tuple[Model, list[object]]:
    """Return a chain of bodies whose joints' angles are prescribed, and its joints."""
    model = Model("arm", gravity=(0.3, 0, -GRAVITY))
    before: Model | Body = model
    place, joints = np.zeros(3), []
    for i, link in enumerate(parts):
        centre = model.point(f"centre {i}", tuple(place + link.centre))
        body = Body(
            f"body {i}",
            centre,
            model.rotation(f"turned {i}"),
            mass=link.mass,
            inertia=ca.SX(ca.DM(link.inertia)),
        )
        joint = revolute(f"joint {i}", before, model.add(body), at=tuple(place), axis=link.axis)
        joint.angle.prescribe(link.motion(model.time))
        joints.append(joint)
        before, place = body, place + link.end
    return model, joints


def turn(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    """Return the matrix of a rotation (Rodrigues' formula)."""
    e = np.array(axis)
    cross = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def newton_euler(
    parts: list[Link], time: float, gravity: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the force and moment in each joint on its link, on inertial axes, from tip to base.

    The recursive algorithm of Luh, Walker and Paul, with vectors on inertial axes.
    """
    t = ca.SX.sym("t")
    R, spin, turning = np.eye(3), np.zeros(3), np.zeros(3)
    acceleration, states = np.zeros(3), []
    for link in parts:
        angle = link.motion(t)
        rate = ca.jacobian(angle, t)
        q, dq, ddq = (
            float(ca.Function("f", [t], [e])(time)) for e in (angle, rate, ca.jacobian(rate, t))
        )
        axis = R @ link.axis
        turning = turning + axis * ddq + np.cross(spin, axis * dq)
        spin = spin + axis * dq
        R = R @ turn(link.axis, q)
        arms = R @ link.centre, R @ link.end
        of_centre, of_end = (
            acceleration + np.cross(turning, x) + np.cross(spin, np.cross(spin, x)) for x in arms
        )
        states.append((R, spin, turning, *arms, of_centre))
        acceleration = of_end
    force, moment, found = np.zeros(3), np.zeros(3), []
    for link, (R, spin, turning, centre, end, of_centre) in zip(
        reversed(parts), reversed(states), strict=True
    ):
        J = R @ link.inertia @ R.T
        own = link.mass * (of_centre - gravity)
        moment = moment + np.cross(end, force) + np.cross(centre, own)
        moment = moment + J @ turning + np.cross(spin, J @ spin)
        force = force + own
        found.append((force, moment))
    return found[::-1]


def test_an_arm_of_six_joints_agrees_with_recursive_newton_euler() -> None:
    parts = links(6)
    model, joints = arm(parts)
    for i, joint in enumerate(joints):
        show(model, f"{i}", model.reaction(joint))
    run = simulate(model.equations(), until=1.4, samples=3)
    for k, time in enumerate(run.time):
        found = {name: run[name][k] for name in run}
        expected = newton_euler(parts, time, np.array([0.3, 0, -GRAVITY]))
        for i, (force, moment) in enumerate(expected):
            assert vector(found, f"{i}.force") == pytest.approx(force, rel=1e-10, abs=1e-10)
            assert vector(found, f"{i}.moment") == pytest.approx(moment, rel=1e-10, abs=1e-10)


def test_the_cost_of_a_reaction_does_not_grow_with_the_chain() -> None:
    """Operations of the outputs of all joints, for each joint, of twice as long a chain."""
    each = []
    for count in (4, 8):
        model, joints = arm(links(count))
        for i, joint in enumerate(joints):
            show(model, f"{i}", model.reaction(joint))
        each.append(model.equations().functions["output"].n_instructions() / count)
    assert each[1] < 1.1 * each[0]


def test_a_slider_crank_agrees_with_d_alembert() -> None:
    """Eight unknown forces of three bodies, by their eight balances; the wrist is the slider's."""
    r, rod_length, m1, m2, m3, I1, I2, push = 0.1, 0.35, 1.2, 0.9, 1.5, 0.002, 0.011, -250.0
    start, speed, gain = 0.7, 30.0, 12.0
    reach = r * np.cos(start) + np.sqrt(rod_length**2 - (r * np.sin(start)) ** 2)
    pin, wrist = np.array([r * np.cos(start), r * np.sin(start)]), np.array([reach, 0.0])
    model = Model("slider-crank", gravity=(0, -GRAVITY))

    def body(name: str, place: np.ndarray, mass: float, inertia: float) -> Body:
        nodes = model.point(f"{name}.centre", tuple(place)), model.angle(f"{name}.turned")
        return model.add(Body(name, *nodes, mass=mass, inertia=inertia))

    crank, rod = body("crank", pin / 2, m1, I1), body("rod", (pin + wrist) / 2, m2, I2)
    slider = body("slider", wrist, m3, 0.0)
    joints = {
        "main": revolute("main", model, crank, at=(0, 0)),
        "pin": revolute("pin", crank, rod, at=tuple(pin)),
        "wrist": revolute("wrist", rod, slider, at=tuple(wrist)),
        "guide": prismatic("guide", model, slider, axis=(1, 0)),
    }
    joints["main"].angle.prescribe(speed * model.time + gain * model.time**2)
    model.force(slider.reference, (push, 0))
    for name, joint in joints.items():
        show(model, name, model.reaction(joint))
    run = simulate(model.equations(), until=0.13, samples=4)
    for k, time in enumerate(run.time):
        found = {name: run[name][k] for name in run}
        a, w, e = start + speed * time + gain * time**2, speed + 2 * gain * time, 2 * gain
        b = -np.arcsin(r * np.sin(a) / rod_length)
        bw = -r * w * np.cos(a) / (rod_length * np.cos(b))
        be = r * (w**2 * np.sin(a) - e * np.cos(a)) / (rod_length * np.cos(b)) + bw**2 * np.tan(b)

        def arms(length: float, angle: float, rate: float, more: float) -> list[np.ndarray]:
            along = np.array([np.cos(angle), np.sin(angle)])
            across = np.array([-along[1], along[0]])
            return [length * along, length * (more * across - rate**2 * along)]

        (x1, a1), (x2, a2) = arms(r, a, w, e), arms(rod_length, b, bw, be)
        g = np.array([0, -GRAVITY])
        # Unknown: forces in main, pin and wrist on the second body, guide's force, torque.
        A, rhs = np.zeros((8, 8)), np.zeros(8)
        for i, (own, following) in enumerate(((0, 2), (2, 4), (4, None))):
            A[2 * i : 2 * i + 2, own : own + 2] += np.eye(2)
            if following is not None:
                A[2 * i : 2 * i + 2, following : following + 2] -= np.eye(2)
        A[5, 6] = 1.0
        rhs[:2], rhs[2:4] = m1 * (a1 / 2 - g), m2 * (a1 + a2 / 2 - g)
        rhs[4:6] = m3 * (a1 + a2 - g) - [push, 0]
        for row, arm_, first, inertia in ((6, x1, 0, I1 * e), (7, x2, 2, I2 * be)):
            # Moments about the mass centre of the force at its start and the opposite of the next.
            A[row, first : first + 2] = np.array([arm_[1], -arm_[0]]) / 2
            A[row, first + 2 : first + 4] = np.array([arm_[1], -arm_[0]]) / 2
            rhs[row] = inertia
        A[6, 7] = 1.0
        x = np.linalg.solve(A, rhs)
        for i, name in enumerate(("main", "pin", "wrist")):
            expected = pytest.approx(x[2 * i : 2 * i + 2], rel=1e-9, abs=1e-9)
            assert vector(found, f"{name}.force", 2) == expected
        assert vector(found, "guide.force", 2) == pytest.approx([0, x[6]], rel=1e-9, abs=1e-9)
        assert found["main.moment[0]"] == pytest.approx(x[7], rel=1e-9)
        assert found["guide.moment[0]"] == pytest.approx(0, abs=1e-10)
