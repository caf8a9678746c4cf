"""Dry friction of joints against closed forms and quadratures."""

from __future__ import annotations

from math import atan, cos, hypot, pi, sin, sqrt, tan
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from mbcore import Model, linearize, simulate, simulate_many
from mbcore.elements import (
    Body,
    Coupling,
    Friction,
    Hinge,
    PinFriction,
    PlanarHinge,
    RigidLink,
    Slide,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError, ModelWarning, SimulationError

MASS, LENGTH, GRAVITY, RADIUS = 2.0, 0.7, 9.81, 0.1


def pendulum(start: float = 0.0, rate: float = 0.0, **friction: object) -> Model:
    """A point mass on a massless rod, with a friction in its pin."""
    model = Model("pendulum", gravity=(0, -GRAVITY))
    pivot = model.point("pivot", (0, 0), fixed=True)
    turning, bob = model.angle("turning"), model.point("bob", (0, -LENGTH))
    model.add(RigidLink("rod", pivot, turning, bob, offset=(0, -LENGTH)))
    model.add(Body("mass", bob, mass=MASS))
    hinge = model.add(PlanarHinge("hinge", model.angle("frame", fixed=True), turning))
    hinge.angle.dof("angle", "rate", start=start, rate_start=rate)
    pin = model.add(Friction("pin", hinge, radius=RADIUS, **friction))
    for name in ("torque", "power", "load"):
        model.output(f"pin.{name}", getattr(pin, name))
    return model


def pin_torque(angle: float, rate: float, share: float) -> float:
    """The torque in proportion to the radial force that it contributes to, by bisection."""

    def missed(torque: float) -> float:
        acceleration = (-MASS * GRAVITY * LENGTH * sin(angle) - torque) / (MASS * LENGTH**2)
        along = MASS * (LENGTH * rate**2 + GRAVITY * cos(angle))
        across = MASS * (LENGTH * acceleration + GRAVITY * sin(angle))
        return torque - share * RADIUS * hypot(along, across)

    return brentq(missed, 0, 1e3, xtol=1e-14, rtol=1e-15)


@pytest.mark.parametrize("fit", ["snug", "loose"])
@pytest.mark.parametrize(("angle", "rate"), [(0.3, 1.2), (1.4, 0.2), (-2.0, 3.0)])
def test_torque_of_a_sliding_pin(fit: str, angle: float, rate: float) -> None:
    point = Evaluation(pendulum(coefficient=0.6, fit=fit).equations())
    point.start({"angle": angle, "rate": rate})
    share = 0.6 if fit == "snug" else sin(atan(0.6))
    expected = pin_torque(angle, rate, share)
    torque, power, load = point.output()
    assert torque == pytest.approx(expected, rel=1e-12)
    assert power == pytest.approx(-expected * rate, rel=1e-12)
    assert load == pytest.approx(expected / share / RADIUS, rel=1e-12)


@pytest.mark.parametrize("part", [0.3, 0.9, 0.999])
def test_a_stuck_pin_does_not_creep(part: float) -> None:
    """Nothing moves, to the last bit, while |sin φ| <= μ r / l."""
    angle = np.arcsin(part * 0.6 * RADIUS / LENGTH)
    equations = pendulum(float(angle), coefficient=0.6).equations()
    result = simulate(equations, 1e6, samples=11, max_step=1e6)  # no force depends on time
    assert (result["pin.sticks"] == 1).all()
    assert (result["angle"] == angle).all()
    assert (result["rate"] == 0).all()


def test_a_pin_slides_beyond_its_static_friction() -> None:
    inside, outside = (
        Evaluation(pendulum(coefficient=0.3, static=0.6).equations()) for _ in range(2)
    )
    limit = np.arcsin(0.6 * RADIUS / LENGTH)
    inside.start({"angle": float(limit) - 1e-12})
    outside.start({"angle": float(limit) + 1e-12})
    assert inside.derivative()[0] == 0
    assert outside.derivative()[0] < 0
    assert outside.output()[0] == pytest.approx(-pin_torque(-float(limit), 0, 0.3), rel=1e-9)


def test_decrements_against_a_quadrature() -> None:
    """(φ̇²)' is explicit in φ, so an integrator that knows no mechanics finds the next turn."""
    coefficient, first = 0.2, 1.0

    def turned(start: float) -> float:
        # u = φ̇² along a swing towards negative angles: du/dφ = 2 φ̈, friction against it
        def slope(angle: float, u: np.ndarray) -> list[float]:
            torque = pin_torque(-angle, sqrt(max(u[0], 0.0)), coefficient)
            drive = -MASS * GRAVITY * LENGTH * sin(angle) + torque
            return [2 * drive / (MASS * LENGTH**2)]

        def stopped(angle: float, u: np.ndarray) -> float:
            return u[0] if angle < start - 0.1 else 1.0

        stopped.terminal = True  # type: ignore[attr-defined]
        found = solve_ivp(
            slope, (start, -3), [0.0], "DOP853", events=stopped, rtol=1e-12, atol=1e-13
        )
        return -float(found.t_events[0][0])

    second = turned(first)
    result = simulate(
        pendulum(first, coefficient=coefficient).equations(), 1.6, rtol=1e-12, max_step=1
    )
    assert -result["angle"].min() == pytest.approx(second, abs=1e-9)


def test_small_swings_shrink_by_the_same_angle() -> None:
    """2 μ r / l for each half swing, in the limit of small ones."""
    coefficient = 1e-4
    start = 1e-3
    result = simulate(
        pendulum(start, coefficient=coefficient).equations(), 0.9, rtol=1e-12, max_step=1
    )
    lost = start + result["angle"].min()
    assert lost == pytest.approx(2 * coefficient * RADIUS / LENGTH, rel=1e-4)


@pytest.mark.parametrize("viscous", [0.0, 0.3])
def test_preload_resists_without_load(viscous: float) -> None:
    moment, rate = 0.4, 0.5
    point = Evaluation(
        pendulum(0.0, rate, coefficient=0.0, preload=moment, viscous=viscous).equations()
    )
    point.start()
    expected = -(moment + viscous * rate) / (MASS * LENGTH**2)
    assert point.derivative()[0] == pytest.approx(expected, rel=1e-12)


def test_turns_of_a_swing_with_preload_by_its_work() -> None:
    moment, start, weight = 0.4, 1.2, MASS * GRAVITY * LENGTH
    expected = brentq(lambda x: weight * (cos(x) - cos(start)) - moment * (start + x), 0, start)
    equations = pendulum(start, coefficient=0.0, preload=moment).equations()
    result = simulate(equations, 1.2, rtol=1e-12, atol=1e-13, samples=1201, max_step=1)
    turn = int(np.argmin(result["angle"]))
    around = np.polyfit(result.time[turn - 2 : turn + 3], result["angle"][turn - 2 : turn + 3], 2)
    assert np.polyval(around, -around[1] / (2 * around[0])) == pytest.approx(-expected, abs=1e-6)


@pytest.mark.parametrize(("part", "moves"), [(0.999, False), (1.001, True)])
def test_preload_holds(part: float, moves: bool) -> None:
    moment = 0.4
    angle = np.arcsin(part * moment / (MASS * GRAVITY * LENGTH))
    equations = pendulum(float(angle), coefficient=0.0, preload=moment).equations()
    result = simulate(equations, 5.0, max_step=5)  # no force depends on time
    assert (np.ptp(result["angle"]) > 0) == moves


def block(slope: float, **friction: object) -> Model:
    model = Model("block", gravity=(GRAVITY * sin(slope), -GRAVITY * cos(slope)))
    mass = model.point("mass", (0, 0))
    model.add(Body("body", mass, mass=MASS))
    frame, origin = model.angle("frame", fixed=True), model.point("origin", (0, 0), fixed=True)
    slide = model.add(Slide("slide", origin, frame, mass, axis=(1, 0)))
    slide.displacement.dof("x", "v")
    model.output("force", model.add(Friction("rubbing", slide, **friction)).force)
    return model


def test_block_on_a_slope() -> None:
    slope = 0.4
    steep = Evaluation(block(slope, coefficient=0.3).equations())
    steep.start()
    assert steep.derivative()[0] == pytest.approx(
        GRAVITY * (sin(slope) - 0.3 * cos(slope)), rel=1e-12
    )
    gentle = Evaluation(block(slope, coefficient=tan(slope) + 1e-12).equations())
    gentle.start()
    assert gentle.derivative()[0] == 0
    assert gentle.output()[0] == pytest.approx(MASS * GRAVITY * sin(slope), rel=1e-12)


@pytest.mark.heavy
def test_steps_of_an_instance_do_not_depend_on_others() -> None:
    """Blocks that stick and slide, with a state that turns so fast that steps are repeated."""
    model = block(0.0, coefficient=0.1)
    model.force(model.nodes["mass"], (5 * ca.cos(20 * model.time), 0))  # type: ignore[arg-type]
    model.state("wave", 300 * ca.cos(3000 * model.time), nominal=1e-3, visibility="output")
    equations, speeds = model.equations(), [-0.3, 0.06, 0.3]
    options: dict[str, Any] = {"samples": 3, "progress": False}
    together = simulate_many(equations, 0.4, start={"v": speeds}, **options)
    for k, speed in enumerate(speeds):
        alone = simulate_many(equations, 0.4, start={"v": [speed]}, **options)
        assert (together["v"].values[k] == alone["v"].values[0]).all()


@pytest.mark.parametrize("part", [0.3, 0.9, 0.999])
def test_a_stuck_block_does_not_creep(part: float) -> None:
    """Nothing moves, to the last bit, while tan α <= μ."""
    slope = 0.4
    equations = block(slope, coefficient=tan(slope) / part).equations()
    result = simulate(equations, 1e6, samples=11, max_step=1e6)  # no force depends on time
    assert (result["x"] == 0).all()
    assert (result["v"] == 0).all()


def shaft(span: float | None) -> Model:
    """A horizontal shaft in bearings about the origin, with an overhung mass."""
    model = Model("shaft", gravity=(0, 0, -GRAVITY))
    origin = model.point("origin", (0, 0, 0), fixed=True)
    turning = model.rotation("turning")
    end = model.point("end", (0.5, 0, 0))
    model.add(RigidLink("arm", origin, turning, end))
    model.add(Body("disk", end, turning, mass=MASS, inertia=(0.2, 0.1, 0.1)))
    hinge = model.add(Hinge("hinge", model.ground, turning, axis=(1, 0, 0)))
    hinge.angle.dof("angle", "rate", rate_start=1.0)
    bearing = model.add(Friction("bearing", hinge, radius=0.02, coefficient=0.1, span=span))
    model.output("torque", bearing.torque)
    return model


def test_overhung_shaft_on_two_bearings() -> None:
    """The bearing next to the mass carries m g (1/2 + a / s), the other one m g (1/2 - a / s)."""
    weight = MASS * GRAVITY
    one, two = (Evaluation(shaft(span).equations()) for span in (None, 0.4))
    one.start()
    two.start()
    assert one.output()[0] == pytest.approx(0.1 * 0.02 * weight, rel=1e-10)
    expected = weight * (0.5 + 0.5 / 0.4) + weight * (0.5 / 0.4 - 0.5)
    assert two.output()[0] == pytest.approx(0.1 * 0.02 * expected, rel=1e-10)


def test_bearings_carry_what_bends_the_shaft_in_both_planes() -> None:
    """(3, -5, 7) N at (0.3, 0.1, -0.2) m: bearings at x = ±0.2 m carry (-7, 10.25), (2, -3.25)."""
    model = Model("shaft")
    origin = model.point("origin", (0, 0, 0), fixed=True)
    turning = model.rotation("turning")
    end = model.point("end", (0.3, 0.1, -0.2))
    model.add(RigidLink("arm", origin, turning, end))
    model.add(Body("shaft", origin, turning, inertia=(0.2, 0.1, 0.1)))
    hinge = model.add(Hinge("hinge", model.ground, turning, axis=(1, 0, 0)))
    hinge.angle.dof("angle", "rate", rate_start=1.0)
    bearing = model.add(Friction("bearing", hinge, radius=0.02, coefficient=0.1, span=0.4))
    model.force(end, (3, -5, 7))
    model.output("load", bearing.load)
    point = Evaluation(model.equations())
    point.start()
    expected = hypot(7, 10.25) + hypot(2, 3.25)
    assert point.output()[0] == pytest.approx(expected, rel=1e-12)


def test_a_collar_rubs_by_the_force_along_the_axis_besides() -> None:
    """Of a vertical shaft the collar carries the weight, the pin (3, 4) N across the axis."""
    model = Model("shaft", gravity=(0, 0, -GRAVITY))
    origin = model.point("origin", (0, 0, 0), fixed=True)
    turning = model.rotation("turning")
    centre = model.point("centre", (0, 0, 0.5))
    model.add(RigidLink("arm", origin, turning, centre))
    model.add(Body("disk", centre, turning, mass=MASS, inertia=(0.2, 0.1, 0.1)))
    hinge = model.add(Hinge("hinge", model.ground, turning, axis=(0, 0, 1)))
    hinge.angle.dof("angle", "rate", rate_start=1.0)
    given = {"radius": 0.02, "coefficient": 0.1, "collar": 0.03}
    bearing = model.add(Friction("bearing", hinge, **given))
    model.force(centre, (3, 4, 0))
    model.output("torque", bearing.torque)
    point = Evaluation(model.equations())
    point.start()
    expected = 0.1 * (0.02 * 5 + 0.03 * MASS * GRAVITY)
    assert point.output()[0] == pytest.approx(expected, rel=1e-12)


def test_reaction_is_that_of_the_support() -> None:
    """The rod pulls at the pivot with what the support gives, also while it swings."""
    model = pendulum(0.3, 1.2, coefficient=0.5)
    pivot = model.nodes["pivot"]
    pull = model.reaction(pivot, of=model.elements["rod"]).force
    model.output("x", pull[0] + pivot.x.reaction)
    model.output("y", pull[1] + pivot.y.reaction)
    model.output("size", ca.norm_2(pull))
    point = Evaluation(model.equations())
    point.start()
    values = dict(zip((o.name for o in point.equations.outputs), point.output(), strict=True))
    assert values["x"] == pytest.approx(0, abs=1e-12)
    assert values["y"] == pytest.approx(0, abs=1e-12)
    assert values["size"] == pytest.approx(values["pin.load"], rel=1e-12)


def test_derivatives_while_sliding_and_sticking() -> None:
    """Exact directional derivatives against differences of the rates."""
    point = Evaluation(pendulum(coefficient=0.6).equations())
    for start in ({"angle": 0.3, "rate": 1.2}, {"angle": 0.02, "rate": 0.0}):
        point.renew()
        point.start(start)
        exact = point.jacobian()
        for i in range(2):
            rates = []
            for side in (1e-6, -1e-6):
                point.s[i] += side
                point.configure()
                rates.append(point.derivative().copy())
                point.s[i] -= side
            assert exact[:, i] == pytest.approx((rates[0] - rates[1]) / 2e-6, abs=1e-7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"coefficient": -0.1}, "coefficient"),
        ({"coefficient": 0.5, "static": 0.3}, "static"),
        ({"coefficient": 0.5, "fit": "tight"}, "'snug' or 'loose'"),
        ({"coefficient": 0.5, "span": 0.1}, "in space"),
    ],
)
def test_mistakes(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        pendulum(**arguments).equations()


def test_parameters_that_make_static_friction_less_are_refused() -> None:
    model = Model("block")
    q, bed = model.point("q", (1, 0)), model.angle("bed", fixed=True)
    friction = {
        name: model.parameter(name, value)
        for name, value in (("coefficient", 0.3), ("static", 0.4))
    }
    model.add(Body("mass", q, mass=1.0))
    slide = model.add(Slide("slide", model.point("o", (0, 0), fixed=True), bed, q, axis=(1, 0)))
    slide.displacement.dof("x")
    model.add(Friction("rubbing", slide, **friction))
    equations = model.equations()
    simulate(equations, 0.1, parameters={"static": 0.3}, max_step=0.1)
    with pytest.raises(SimulationError, match=r"static minus coefficient = -0\.1 .*not less than"):
        simulate(equations, 0.1, parameters={"static": 0.2})


def test_power_is_never_positive() -> None:
    result = simulate(pendulum(1.0, coefficient=0.6, viscous=0.01).equations(), 6.0, max_step=0.1)
    assert result["pin.power"].max() <= 0
    work = np.trapezoid(result["pin.power"], result.time)
    height = MASS * GRAVITY * LENGTH * (cos(result["angle"][-1]) - cos(1.0))
    assert work == pytest.approx(-height, rel=1e-2)
    assert abs(result["angle"][-1]) < 0.6 * RADIUS / LENGTH * pi


@pytest.mark.parametrize(
    "start",
    [pytest.param(1.0, marks=pytest.mark.heavy), 1.08, pytest.param(1.1, marks=pytest.mark.heavy)],
)
def test_work_up_to_a_reversal(start: float) -> None:
    """Steps across a reversal, which its event cuts short, keep the balance of energy as well."""
    model = pendulum(start, coefficient=0.3)
    pin = model.elements["pin"]
    assert isinstance(pin, PinFriction)
    model.state("work", pin.power, unit="J", visibility="output")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    result = simulate(model.equations(), 6.0, rtol=1e-9, samples=61, backend="python")
    missed = result["energy"] - result["energy"][0] - result["work"]
    assert np.abs(missed).max() <= 2e-9 * MASS * GRAVITY * LENGTH


def test_linearization_while_sliding_and_sticking() -> None:
    """The matrix against differences of the acceleration by hand; no motion where it sticks."""
    equations = pendulum(coefficient=0.6).equations()
    angle, rate, h = 0.3, 1.2, 1e-5

    def acceleration(angle: float, rate: float) -> float:
        torque = pin_torque(angle, rate, 0.6)
        return (-MASS * GRAVITY * LENGTH * sin(angle) - torque) / (MASS * LENGTH**2)

    by_angle = (acceleration(angle + h, rate) - acceleration(angle - h, rate)) / (2 * h)
    by_rate = (acceleration(angle, rate + h) - acceleration(angle, rate - h)) / (2 * h)
    sliding = linearize(equations, {"angle": angle, "rate": rate}, unsteady=True)
    assert sliding.state_matrix[0] == pytest.approx([by_rate, by_angle], rel=1e-7)
    sticking = linearize(equations, {"angle": 0.02})
    assert sticking.state_matrix[0] == pytest.approx([0, 0], abs=1e-12)
    assert len(sticking.held_slips) == 1


@pytest.mark.parametrize(("torque", "moves"), [(1.1, False), (1.999, False), (2.001, True)])
def test_joints_of_one_freedom_hold_together(torque: float, moves: bool) -> None:
    """Two pins under 10 N each, geared 1:1, hold up to 2 μ_s r F = 2 N.m, not less."""
    model = Model("two", gravity=(0, 0))
    frame, turning = model.angle("frame", fixed=True), []
    for name, place in (("a", 0.0), ("b", 1.0)):
        pivot = model.point(f"{name} pivot", (place, 0), fixed=True)
        angle, end = model.angle(name), model.point(f"{name} end", (place, -1))
        model.add(RigidLink(f"{name} link", pivot, angle, end, offset=(0, -1)))
        model.add(Body(f"{name} mass", end, mass=1.0))
        model.force(end, (0, -10.0))
        hinge = model.add(PlanarHinge(f"{name} hinge", frame, angle))
        turning.append(hinge.angle)
        model.add(Friction(f"{name} pin", hinge, radius=0.1, coefficient=0.5, static=1.0))
    model.add(Coupling("gear", turning[0].value - turning[1].value, unit="rad"))
    turning[0].dof("angle", "rate")
    model.load(torque, turning[0].rate)
    point = Evaluation(model.equations())
    point.start()
    assert (point.derivative()[0] > 0) == moves
    assert moves or point.derivative()[0] == 0


def test_a_joint_of_another_model_is_refused() -> None:
    model, other = pendulum(coefficient=0.1), Model("other")
    with pytest.raises(ModelError, match="hinge hinge is not of model other"):
        other.add(Friction("pin", model.elements["hinge"], radius=0.1, coefficient=0.1))


def test_a_name_is_no_joint() -> None:
    with pytest.raises(ModelError, match="there is no friction for 'hinge'; give a"):
        Model("arm").add(Friction("pin", cast(Any, "hinge"), radius=0.1, coefficient=0.1))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"mu": 0.1}, "Friction: no argument 'mu'; write coefficient="),
        ({"coefficient": 0.1, "diameter": 0.02}, "write radius=..., half the diameter"),
        ({"coefficient": 0.1, "mu_static": 0.2}, "no argument 'mu_static'; write static="),
        ({}, r"coefficient is missing; call Friction\(name, joint, coefficient=...\)"),
    ],
)
def test_arguments_by_other_names_are_told_their_own(wrong: dict[str, Any], says: str) -> None:
    hinge = cast(PlanarHinge, pendulum(coefficient=0.1).elements["hinge"])
    with pytest.raises(TypeError, match=says):
        Friction("second", hinge, **wrong)


def test_a_decimal_comma_and_a_pin_without_radius_are_refused_with_the_remedy() -> None:
    model = pendulum(coefficient=0.1)
    hinge = cast(PlanarHinge, model.elements["hinge"])
    with pytest.raises(ModelError, match="coefficient = '0,1': its number has a comma; write"):
        Friction("second", hinge, coefficient="0,1", radius=0.01)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no radius; give that of the hinge's pin, m, as in"):
        model.add(Friction("second", hinge, coefficient=0.1))


def test_a_second_friction_of_a_joint_is_told() -> None:
    model = pendulum(coefficient=0.1)
    hinge = cast(PlanarHinge, model.elements["hinge"])
    with pytest.warns(ModelWarning, match="friction seal: friction pin acts in the same joint"):
        model.add(Friction("seal", hinge, coefficient=0.1, radius=RADIUS))
