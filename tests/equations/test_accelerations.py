"""Accelerations of deformations, points and rotations in outputs, against closed forms."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Hinge,
    Model,
    ModelError,
    PlanarWheel,
    Truss,
    linearize,
    revolute,
    simulate,
    superpose,
)
from mbcore.equations.meanings import Meanings
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.nodes.rotations import about
from mbcore.results.result import Result

G = 9.81


def differenced(run: Result, rate: str) -> np.ndarray:
    """Fourth-order differences of equidistant values, two at each end left out."""
    v, h = run[rate], run.time[1] - run.time[0]
    return (v[:-4] - 8 * v[1:-3] + 8 * v[3:-1] - v[4:]) / (12 * h)


def crank(motion: Callable[[Model], object] | None = None) -> tuple[Model, Truss]:
    """A crank of 0.5 m, and a rod of 1.3 m to a slider on x; ε of a spring between two of them."""
    model = Model("crank", gravity=(0, -G))
    turn, origin = model.angle("turn", 0.4), model.point("origin", (0, 0), fixed=True)
    arm = model.add(Body("arm", origin, turn, mass=1.0, inertia=0.2))
    pin, slider = arm.point("pin", (0.5, 0.0)), model.point("slider", (1.7, 0))
    slider.y.fix(0)
    model.add(Truss("rod", pin, slider, rest_length=1.3))
    model.add(Body("slider mass", slider, mass=0.7))
    far = model.point("far", (2.5, 1.0), fixed=True)
    spring = model.add(Truss("spring", pin, far))
    spring.elongation.release().spring(20.0)
    turn.angle.dof("phi", "omega", 0.4, 1.2)
    shown = {
        "spring": spring.elongation,
        "slider": slider.x,
        "turn": turn.angle,
        "fixed": far.x,
        "rod": model.elements["rod"].elongation,
    }
    for name, q in shown.items():
        model.output(f"{name} rate", q.rate)
        model.output(f"{name} acceleration", q.acceleration)
    model.output("pin acceleration", pin.acceleration[1])
    model.output("pin rate", pin.velocity[1])
    model.output("alpha", turn.acceleration)
    return model, spring


def test_accelerations_are_the_rates_of_rates() -> None:
    """Of a dependent, a placed, a free, a fixed and a rigid quantity alike."""
    # [Schwab2002] (A.103), (A.105)
    model, _ = crank()
    run = simulate(model.equations(), 0.4, samples=401, rtol=1e-12, atol=1e-12)
    for name in ("spring", "slider", "turn", "pin"):
        ours = run[f"{name} acceleration"][2:-2]
        assert ours == pytest.approx(differenced(run, f"{name} rate"), abs=1e-7), name
        assert np.abs(ours).max() > 0.5
    assert run["alpha"] == pytest.approx(run["turn acceleration"], abs=1e-12)
    assert np.abs(run["fixed acceleration"]).max() == 0
    assert np.abs(run["fixed rate"]).max() == 0
    assert np.abs(run["rod acceleration"]).max() < 1e-12


def test_acceleration_of_a_degree_of_freedom_and_of_a_prescribed_one() -> None:
    """A falling mass, θ̈ of a pendulum, and the second derivative of a motion."""
    model = Model("falls", gravity=(0, -G))
    bob = model.point("bob", (0, 0))
    model.add(Body("bob", bob, mass=2.0))
    bob.x.prescribe(0.3 * ca.sin(2 * model.time))
    bob.y.dof("y")
    model.output("ax", bob.x.acceleration)
    model.output("ay", bob.y.acceleration)
    point = Evaluation(model.equations())
    point.start()
    point.t[0] = 0.7
    point.configure()
    assert point.output() == pytest.approx([-1.2 * np.sin(1.4), -G], rel=1e-13)


def test_rolling_coordinate_accelerates_with_its_wheel() -> None:
    """ẍ = r (γ̈ cos β - γ̇ β̇ sin β) of the kinematic coordinate of a rolling wheel."""
    model, r = Model("wheel"), 0.5
    centre, heading, spin = model.point("c", (0, 0)), model.angle("beta"), model.angle("gamma")
    model.add(PlanarWheel("wheel", centre, heading, spin, radius=r))
    model.add(Body("disk", centre, heading, mass=1.0, inertia=0.3))
    model.add(Body("spin", None, spin, inertia=0.2))
    heading.angle.dof("beta", rate_start=0.6)
    spin.angle.dof("gamma", rate_start=2.0)
    centre.x.kinematic("x")
    centre.y.kinematic("y")
    model.moment(spin, 1.5)
    model.output("a", centre.x.acceleration)
    point = Evaluation(model.equations())
    point.start({"beta": 0.3})
    faster = 1.5 / (0.2 + r**2)
    expected = r * (faster * np.cos(0.3) - 2.0 * 0.6 * np.sin(0.3))
    assert float(point.output()[0]) == pytest.approx(expected, rel=1e-13)


def test_angular_acceleration_of_every_kind_of_rotation() -> None:
    """Of a fixed one zero; along a chain of two hinges φ̈ e + ω_1 × φ̇_2 e_2, by hand."""
    model = Model("gimbals")
    tilted = model.rotation("tilted", about((1, 2, 3), 0.4), fixed=True)
    outer, inner = model.rotation("outer"), model.rotation("inner")
    first = model.add(Hinge("first", model.ground, outer, axis=(0, 0, 1))).angle
    second = model.add(Hinge("second", outer, inner, axis=(1, 0, 0))).angle
    first.prescribe(0.5 * model.time**2)
    second.prescribe(1.3 * model.time)
    free = model.rotation("free")
    held = model.add(Hinge("held", inner, free, axis=(0, 1, 0))).angle
    held.dof("phi")
    model.add(Body("mass", None, free, inertia=(1, 2, 3)))
    for i in range(3):
        model.output(f"fixed {i}", tilted.angular_acceleration[i])
        model.output(f"inner {i}", inner.angular_acceleration[i])
    model.output("e1", inner.e1.acceleration)
    point = Evaluation(model.equations())
    point.start()
    t = point.t[0] = 0.8
    point.configure()
    found = point.output()
    axis = np.array([np.cos(t**2 / 2), np.sin(t**2 / 2), 0])
    alpha = np.array([0, 0, 1.0]) + np.cross([0, 0, t], 1.3 * axis)
    assert found[[0, 2, 4]] == pytest.approx(0, abs=1e-15)
    assert found[[1, 3, 5]] == pytest.approx(alpha, abs=1e-13)
    # e1 = cos(t²/4) sin(0.65 t), differentiated twice.
    half, b = t**2 / 4, 0.65
    second_rate = (
        -np.cos(half) * np.sin(b * t) * (t**2 / 4 + b**2)
        - np.sin(half) * np.sin(b * t) / 2
        - t * b * np.sin(half) * np.cos(b * t)
    )
    assert found[6] == pytest.approx(second_rate, abs=1e-13)


def oscillator() -> Model:
    model = Model("oscillator")
    bob = model.point("bob", (0.0, 0.0))
    model.add(Body("bob", bob, mass=2.0))
    bob.y.fix()
    push = model.input("push")
    model.force(bob, (push, 0))
    bob.x.dof("x").spring(8.0, 0.4)
    model.output("acceleration", bob.x.acceleration)
    return model


def test_linearized_accelerations() -> None:
    """ẍ = (u - 8 x - 0.4 ẋ)/2."""
    about_rest = linearize(oscillator().equations())
    assert about_rest.output_matrix[0] == pytest.approx([-0.2, -4.0], rel=1e-13)
    assert about_rest.feedthrough[0] == pytest.approx([0.5], rel=1e-13)


def test_superposed_accelerations() -> None:
    point = Evaluation(superpose(oscillator()))
    point.start({"x": 0.1, "x_rate": 0.3})
    assert float(point.output()[0]) == pytest.approx(-0.46, rel=1e-13)


def test_acceleration_whose_motion_has_no_rates_is_refused_by_name() -> None:
    model = Model("given")
    point = model.point("p", (0, 0))
    point.y.fix()
    point.x.prescribe(model.input("place"))
    model.output("a", point.x.acceleration)
    with pytest.raises(ModelError, match=r"output a: .*input place is needed"):
        simulate(model.equations(), 0.1)


# Refusals


def in_law(model: Model) -> None:
    turn = model.nodes["turn"]
    turn.angle.law(0.1 * turn.angle.acceleration)


def in_load(model: Model) -> None:
    model.force(model.nodes["pin"], (model.nodes["slider"].acceleration[0], 0))


def in_state(model: Model) -> None:
    model.state("filtered", model.nodes["pin"].acceleration[1])


def in_motion(model: Model) -> None:
    model.elements["spring"].elongation.laws.clear()
    model.elements["rod"].elongation.prescribe(model.nodes["turn"].angle.acceleration)


MISTAKES: dict[str, tuple[Callable[[Model], None], str]] = {
    "law": (in_law, r"turn.angle: its law depends on the acceleration turn.angle:acceleration"),
    "load": (in_load, r"a load on .* depends on the acceleration slider.x''"),
    "state": (in_state, r"state filtered: its derivative depends on the acceleration pin.y''"),
    "motion": (in_motion, r"rod.elongation: its motion depends on the acceleration turn.angle"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_accelerations_are_refused_where_motion_follows_from_them(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    model, _ = crank()
    make(model)
    with pytest.raises(ModelError, match=message):
        model.equations()


def test_a_joint_s_angle_accelerates() -> None:
    """A physical pendulum, θ̈ = -m g l cos θ/(I + m l²), by the joint's handle."""
    model = Model("pendulum", gravity=(0, -G))
    centre, turn = model.point("centre", (0.7, 0)), model.angle("turn")
    arm = model.add(Body("arm", centre, turn, mass=2.0, inertia=0.3))
    joint = revolute("pivot", model, arm, at=(0, 0))
    joint.angle.dof("angle")
    model.output("acceleration", joint.angle.acceleration)
    point = Evaluation(model.equations())
    point.start({"angle": 0.4})
    expected = -2.0 * G * 0.7 * np.cos(0.4) / (0.3 + 2.0 * 0.49)
    assert float(point.output()[0]) == pytest.approx(expected, rel=1e-13)


def test_the_dynamics_are_gone_through_once_for_all_outputs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every acceleration holds all of them, so one at a time took minutes of a large mechanism."""
    settled, asked = Meanings.settled, []

    def note(solved: Meanings, expression: ca.SX) -> ca.SX:
        asked.append(expression)
        return settled(solved, expression)

    monkeypatch.setattr(Meanings, "settled", note)
    equations = crank()[0].equations()
    assert len(equations.outputs) == 13
    assert len(asked) == 1  # symbols of other models are sought in all of them
    _ = equations.functions["output"]
    assert len(asked) == 2
