"""Slips that are held while a condition holds, against the same slips forbidden for good."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Hinge,
    Model,
    ModelError,
    PlanarKnifeEdge,
    RoleError,
    SimulationError,
    Speed,
    Wheel,
    equilibrium,
    linearize,
    simulate,
    steady_motion,
    superpose,
)
from mbcore.contact import Impact, unilateral_contact
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ConfigurationError
from mbcore.model.variables import Number
from mbcore.vibration import periodic_solution

MASS, INERTIA, AHEAD, LEFT = 2.0, 0.5, 0.3, 0.1
EXACT = {"rtol": 1e-11, "atol": 1e-11, "max_step": 0.1}


def sleigh(when: Number | None = 1.0, model: Model | None = None) -> Model:
    """A sleigh whose blade is held while ``when`` is 1, or forbids its slip for good where None.

    Its centre of mass is ahead of the blade and to its left. Held, the speed across is a state.
    """
    model = Model("sleigh") if model is None else model
    tip, heading = model.point("tip", (0, 0)), model.angle("heading")
    model.add(Body("sleigh", tip, heading, mass=MASS, inertia=INERTIA, offset=(AHEAD, LEFT)))
    blade = model.add(PlanarKnifeEdge("blade", tip, heading))
    heading.angle.dof("psi", "w", rate_start=0.7)
    blade.longitudinal.dof("v", 2.0)
    if when is not None:
        blade.lateral.release().hold(when)
        across = ca.vertcat(-ca.sin(heading.value), ca.cos(heading.value))
        model.speed("u", ca.dot(across, tip.velocity), start=0.4)
    tip.x.kinematic("x")
    tip.y.kinematic("y")
    model.output("slip", blade.lateral.velocity, unit="m/s")
    model.output("side", blade.lateral.force, unit="N")
    model.output("energy", model.kinetic_energy, unit="J")
    return model


def rink(model: Model) -> Model:
    """Add ice between x = 0.5 and x = 1, on which the blade slides."""
    on_ice = model.event("ice")
    sleigh(1 - on_ice, model)
    place = model.nodes["tip"].position[0]  # type: ignore[attr-defined]
    model.event("ice", (place - 0.5) * (1.0 - place))
    return model


def stopped(v: float, u: float, w: float) -> tuple[float, float]:
    """Return v and w after the impulse of the blade: u is lost, and no other impulse acts.

    From m (Δv - LEFT Δw) = 0 along the blade, and the angular momentum about the tip's place:
    (INERTIA + m (AHEAD² + LEFT²)) Δw + m (AHEAD Δu - LEFT Δv) = 0, with Δu = -u.
    """
    about_tip = INERTIA + MASS * (AHEAD**2 + LEFT**2)
    change = MASS * AHEAD * u / (about_tip - MASS * LEFT**2)
    return v + LEFT * change, w + change


def test_held_blade_is_a_forbidden_slip_from_the_impulse_at_the_start_on() -> None:
    held = simulate(sleigh().equations(), 3.0, **EXACT)
    v, w = stopped(2.0, 0.4, 0.7)
    assert held["v"][0] == pytest.approx(v, rel=1e-13)
    assert held["w"][0] == pytest.approx(w, rel=1e-13)
    zero = simulate(sleigh(None).equations(), 3.0, start={"v": v, "w": w}, **EXACT)
    for name in ("x", "y", "psi", "v", "w", "side"):
        assert held.final(name) == pytest.approx(zero.final(name), abs=1e-9)
    assert np.abs(held["slip"]).max() < 1e-12
    assert np.ptp(held["energy"]) < 1e-9


def test_free_blade_leaves_the_body_alone() -> None:
    """Nothing acts on the body while the blade is not held: its mass centre moves straight on."""
    run = simulate(sleigh(0.0).equations(), 1.0, **EXACT)
    assert run["u"][0] == 0.4
    assert run.final("w") == pytest.approx(0.7, rel=1e-9)
    assert np.abs(run["side"]).max() == 0.0
    # the mass centre starts with (v - w LEFT, u + w AHEAD) from (AHEAD, LEFT)
    x = AHEAD + 2.0 - 0.7 * LEFT - (AHEAD * np.cos(0.7) - LEFT * np.sin(0.7))
    y = LEFT + 0.4 + 0.7 * AHEAD - (AHEAD * np.sin(0.7) + LEFT * np.cos(0.7))
    assert run.final("x") == pytest.approx(x, abs=1e-8)
    assert run.final("y") == pytest.approx(y, abs=1e-8)


def test_ice_from_one_place_to_another() -> None:
    """The blade slides on ice between x = 0.5 and x = 1; at its end the impulse stops it again."""
    run = simulate(rink(Model("rink")).equations(), 1.0, **EXACT)
    names = [name for _, name in run.events]
    assert names == ["ice", "blade.lateral.held", "ice", "blade.lateral.held"]
    again = run.events[-1][0]
    before, after = np.flatnonzero(run.time == again)[[0, -1]]
    assert abs(run["u"][before]) > 0.05
    v, w = stopped(run["v"][before], run["u"][before], run["w"][before])
    assert run["v"][after] == pytest.approx(v, rel=1e-12)
    assert run["w"][after] == pytest.approx(w, rel=1e-12)
    assert abs(run["slip"][after]) < 1e-13
    assert np.ptp(run["energy"][:before]) < 1e-9
    assert np.ptp(run["energy"][after:]) < 1e-9
    on_the_way = (run.time < again) & (run["ice.active"] > 0.5)
    assert np.abs(run["side"][on_the_way]).max() == 0.0


def two_blades() -> Model:
    """Two blades in one line across the sleigh, which hold one and the same velocity of it."""
    model = Model("sleigh")
    tip, heading = model.point("tip", (0, 0)), model.angle("heading")
    body = Body("sleigh", tip, heading, mass=MASS, inertia=INERTIA, offset=(AHEAD, LEFT))
    model.add(body)
    heading.angle.dof("psi", "w", rate_start=0.7)
    tip.x.dof("x", "vx", rate_start=1.0)
    tip.y.dof("y", "vy")
    beside = body.point("beside", (0.0, 0.5))
    for name, point in (("inner", tip), ("outer", beside)):
        model.add(PlanarKnifeEdge(name, point, heading)).lateral.release().hold()
    return model


def test_slips_that_follow_from_others_are_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match=r"inner\.lateral, outer\.lateral"):
        simulate(two_blades().equations(), 1.0)


def test_holds_that_make_no_sense_are_refused() -> None:
    model = sleigh(1.0)
    lateral = model.elements["blade"].slips["lateral"]
    with pytest.raises(RoleError, match=r"blade\.lateral is already held"):
        lateral.hold()
    with pytest.raises(RoleError, match=r"blade\.lateral: .* cannot also be forbidden"):
        lateral.zero()
    with pytest.raises(RoleError, match=r"blade\.lateral: .* cannot also be a degree of freedom"):
        lateral.dof("again")
    with pytest.raises(RoleError, match=r"blade\.lateral: .* this one is a zero slip"):
        lateral.release().zero().hold()
    with pytest.raises(ModelError, match=r"blade\.lateral is held while a condition of time"):
        moved = Model("timed")
        sleigh(moved.time > 1, moved).equations()
    loose = PlanarKnifeEdge("loose", model.nodes["tip"], model.nodes["heading"])  # type: ignore[arg-type]
    loose.make_quantities()
    with pytest.raises(ModelError, match="belongs to no element of a model"):
        loose.lateral.release().hold()


def test_released_again_it_is_held_no_more() -> None:
    model = sleigh(1.0)
    model.elements["blade"].slips["lateral"].release()
    run = simulate(model.equations(), 0.1)
    assert run["u"][0] == 0.4
    assert "blade.lateral.held.active" not in run


def test_linearized_it_is_the_forbidden_slip_and_a_zero() -> None:
    """Straight on, the turn of the sleigh fades with m a v/(I + m a²) [NeimarkFufaev]."""
    held, zero = sleigh().equations(), sleigh(None).equations()
    about = linearize(held, {"v": 2.0, "w": 0.0, "u": 0.0})
    fading = MASS * AHEAD * 2.0 / (INERTIA + MASS * AHEAD**2)
    assert about.eigenvalues() == pytest.approx([-fading], rel=1e-12)
    without = linearize(zero, {"v": 2.0, "w": 0.0})
    assert about.eigenvalues() == pytest.approx(without.eigenvalues(), rel=1e-12)
    assert about.eigenvalues(zeros=True).size == without.eigenvalues(zeros=True).size + 1
    assert "held slip" in about.structural_zeros["u"]
    [mode] = about.modes()
    assert about.held_slips is not None
    shape = np.array(list(mode.shape.values()))
    assert np.abs(about.held_slips @ shape) == pytest.approx([0.0], abs=1e-14)
    np.testing.assert_allclose(about.state_matrix @ shape, -fading * shape, atol=1e-14)


def test_linearized_anywhere_it_is_the_derivative_of_the_equations() -> None:
    equations = sleigh().equations()
    state = {"v": 2.0, "w": 0.7, "u": 0.3, "psi": 0.4}
    about = linearize(equations, state, unsteady=True)
    point = Evaluation(equations)
    point.start(state)
    np.testing.assert_allclose(about.state_matrix, point.jacobian(), atol=1e-13)
    np.testing.assert_allclose(about.rates, point.derivative(), atol=1e-13)
    nearby, step = [], 1e-6
    for i in range(point.s.size):
        for side in (step, -step):
            point.start(state)
            point.s[i] += side
            point.configure()
            nearby.append(point.output().copy())
    slopes = np.array(nearby[0::2]).T - np.array(nearby[1::2]).T
    np.testing.assert_allclose(about.output_matrix, slopes / (2 * step), atol=1e-7)


def test_vehicle_on_held_axles_runs_in_a_circle() -> None:
    """With the wheelbase L, turned by δ in front: ω = v tan δ/L, and no side slip at the rear."""
    rear, front, turn, drag = 1.5, 1.0, 0.1, 50.0
    model = Model("vehicle")
    centre, heading = model.point("centre", (0, 0)), model.angle("heading")
    body = model.add(Body("body", centre, heading, mass=1000.0, inertia=1500.0))
    heading.angle.dof("psi", "w")
    along = ca.vertcat(ca.cos(heading.value), ca.sin(heading.value))
    v = model.speed("v", ca.dot(along, centre.velocity), start=8.0)
    u = model.speed("u", along[0] * centre.velocity[1] - along[1] * centre.velocity[0])
    for name, place, angle in (("rear", -rear, 0.0), ("front", front, turn)):
        point = body.point(name, (place, 0.0))
        axle = model.add(PlanarKnifeEdge(f"{name} axle", point, heading, direction=angle))
        axle.lateral.release().hold()
    centre.x.kinematic("x")
    centre.y.kinematic("y")
    drive = model.input("drive", unit="N")
    model.load(drive - drag * v.velocity, v.velocity)
    model.output("across", u.velocity, unit="m/s")
    equations = model.equations()
    steady = steady_motion(equations, {"v": 10.0}, find=["drive"])
    rate = 10.0 * np.tan(turn) / (front + rear)
    assert steady.state["w"] == pytest.approx(rate, rel=1e-12)
    assert steady.outputs["across"] == pytest.approx(rear * rate, rel=1e-12)
    assert steady.dimensions == 1
    about = linearize(equations, steady.state, inputs=steady.inputs)
    # one speed is left; m + m (rear tan δ/L)² + I (tan δ/L)² is its mass
    mass = 1000.0 + (1000.0 * rear**2 + 1500.0) * (np.tan(turn) / (front + rear)) ** 2
    assert about.eigenvalues() == pytest.approx([-drag / mass], rel=1e-10)


def at_wall(when: Number | None, friction: float) -> Model:
    """A sleigh that is driven to a wall without bounce, and slides along it."""
    model = sleigh(when, Model("wall"))
    blade = model.elements["blade"].slips["longitudinal"]
    blade.law(0.5 * blade.velocity - 40.0)
    nose = model.elements["sleigh"].point("nose", (0.8, 0.3))  # type: ignore[attr-defined]
    contact = unilateral_contact(
        model,
        "wall",
        1.5 - nose.position[0],
        Impact(0.0),
        sliding=nose.velocity[1],
        friction=friction,
    )
    model.output("push", contact.force, unit="N")
    return model


@pytest.mark.heavy
@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_held_slip_and_closed_contact_act_together(friction: float) -> None:
    held = simulate(at_wall(1.0, friction).equations(), 0.9, **EXACT)
    v, w = stopped(2.0, 0.4, 0.7)
    start = {"v": v, "w": w}
    zero = simulate(at_wall(None, friction).equations(), 0.9, start=start, **EXACT)
    assert [name for _, name in held.events] == [name for _, name in zero.events]
    assert "wall.impact" in [name for _, name in held.events]
    assert held["push"].max() > 1.0
    for name in ("x", "y", "psi", "v", "w", "side", "push"):
        assert held.final(name) == pytest.approx(zero.final(name), abs=1e-9)
    assert np.abs(held["slip"]).max() < 1e-12


@cache
def closed_at_wall() -> Evaluation:
    """The sleigh with its nose at the wall, contact closed and blade held, and drift in both."""
    model = at_wall(1.0, 0.0)
    nose = model.nodes["nose"]
    for i, axis in enumerate("xy"):
        model.output(f"nose.a{axis}", nose.accelerations[i])
    point = Evaluation(model.equations())
    point.start({"v": 0.0, "u": 0.0, "w": 0.0})
    for i, discrete in enumerate(point.equations.discretes):
        if discrete.name in ("wall.closed.active", "blade.lateral.held.active"):
            point.d[i] = 1.0
    state = {"x": 0.7, "v": 0.31, "u": 0.2, "w": 0.9}
    for i, record in enumerate(point.equations.states):
        point.s[i] = state.get(record.name, 0.0)
    point.configure()
    return point


def test_accelerations_beside_a_held_slip_and_a_closed_contact_are_those_of_rates() -> None:
    """The nose at r from the tip: a = v̇ e₁ + u̇ e₂ + w × (v e₁ + u e₂) + ẇ × r - w² r."""
    point = closed_at_wall()
    names = [record.name for record in point.equations.states]
    rate = dict(zip(names, point.derivative(), strict=True))
    (v, u, w), (x, y) = (float(point.s[names.index(n)]) for n in "vuw"), (0.8, 0.3)
    expected = (
        rate["v"] - w * u - rate["w"] * y - w**2 * x,
        rate["u"] + w * v + rate["w"] * x - w**2 * y,
    )
    outputs = [output.name for output in point.equations.outputs]
    shown = dict(zip(outputs, point.output(), strict=True))
    assert (shown["nose.ax"], shown["nose.ay"]) == pytest.approx(expected, abs=1e-11)
    assert shown["nose.ax"] == pytest.approx(0.0, abs=1e-11)  # it stays at the wall
    assert shown["push"] > 1.0


def test_one_projection_leaves_neither_slip_nor_rate_of_the_gap() -> None:
    """Both are linear in the rates: with u = 0 and v = 0.3 w, which momentum tells."""
    point = closed_at_wall()
    E = point.equations
    given = (point.t, point.s, point.d, point.u, point.p, point.x)
    states = np.array(E.functions["project"](*given)[0]).ravel()
    after = dict(zip((record.name for record in E.states), states, strict=True))
    assert after["u"] == pytest.approx(0.0, abs=1e-14)
    assert after["v"] == pytest.approx(0.3 * after["w"], abs=1e-14)
    assert abs(after["w"]) > 0.1


def test_slips_that_follow_from_others_leave_forces_finite() -> None:
    """Two blades in one line hold what one does, so that the second of them has no force.

    With the force F across at the tip and the mass centre at (a, b): I ẇ = -a F and
    F = m (v w + a ẇ - b w²).
    """
    model = two_blades()
    for name in ("inner", "outer"):
        model.output(name, model.elements[name].slips["lateral"].force)
    E, speed, w = model.equations(), 1.5, 0.7
    names = [record.name for record in E.states]
    turning = -MASS * AHEAD * (speed * w - LEFT * w**2) / (INERTIA + MASS * AHEAD**2)
    for heading in np.linspace(0.0, 3.0, 16):
        along = (np.cos(heading), np.sin(heading))
        state = {"psi": heading, "vx": speed * along[0], "vy": speed * along[1], "w": w}
        given = [0.0, [state.get(name, 0.0) for name in names], np.ones(len(E.discretes)), [], []]
        x = E.functions["start"](*given, np.zeros(len(E.coordinate_names)))[0]
        x = E.functions["place"](*given, x)
        rate = np.array(E.functions["derivative"](*given, x)).ravel()[names.index("w")]
        inner, outer = np.array(E.functions["output"](*given, x)).ravel()
        assert rate == pytest.approx(turning, rel=1e-12)
        assert outer == 0.0
        assert inner == pytest.approx(INERTIA * turning / AHEAD, rel=1e-12)


def test_one_of_three_held_slips_that_follows_has_no_force() -> None:
    """A mass at rest under a force: λ₁ r₁ + λ₂ r₂ is that force, whatever r₃ = a r₁ + b r₂ is."""
    first, second, force = np.array([1.0, 0.3]), np.array([0.7, -0.1]), np.array([3.0, -2.0])
    model = Model("held")
    place = model.point("place")
    model.add(Body("mass", place, mass=2.0))
    place.x.dof("x")
    place.y.dof("y")
    model.force(place, tuple(force))
    a, b = model.parameter("a", 1.0), model.parameter("b", 0.0)
    one, two = (r[0] * place.x.rate + r[1] * place.y.rate for r in (first, second))
    for name, velocity in (("one", one), ("two", two), ("three", a * one + b * two)):
        model.output(name, model.add(Speed(f"slip {name}", velocity)).slip.hold().force)
    E = model.equations()
    expected = [*np.linalg.solve(np.column_stack([first, second]), force), 0.0]
    s, held = [0.0] * len(E.states), np.ones(len(E.discretes))
    for ratio in np.random.default_rng(3).uniform(-1, 1, (20, 2)):
        given = [0.0, s, held, [], ratio]
        x = E.functions["place"](*given, E.functions["start"](*given, np.zeros(2))[0])
        found = np.array(E.functions["output"](*given, x)).ravel()
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_held_slip_of_fast_parts_may_have_their_rounding() -> None:
    """At 1e4 m/s a double is 1.8e-12 m/s from the next one: a few of these are not drift."""
    model = Model("train")
    cars = [model.point(name) for name in ("first", "second")]
    for car in cars:
        car.y.fix()
        model.add(Body(f"{car.name} body", car, mass=1.0))
        car.x.dof(car.name, f"{car.name}.speed", rate_start=1e4)
    model.add(Speed("coupler", cars[0].x.rate - cars[1].x.rate)).slip.hold()
    E = model.equations()
    at = [record.name for record in E.states].index("second.speed")
    for off, drifts in ((4 * 2.0**-39, False), (1e-8, True)):
        s = [record.start for record in E.states]
        s[at] += off
        given = [0.0, s, np.ones(len(E.discretes)), [], []]
        x = E.functions["start"](*given, np.zeros(len(E.coordinate_names)))[0]
        states, drift = E.functions["project"](*given, x)
        assert (float(drift) > 1) == drifts
        assert float(states[at]) == pytest.approx(1e4 + off / 2, rel=1e-15)


@pytest.mark.heavy
def test_what_analyses_make_of_a_held_slip() -> None:
    """At rest its force is indeterminate and taken as zero; shooting keeps it at zero."""
    equations = driven_oscillator().equations()
    rest = equilibrium(equations).states
    assert rest["x"] == pytest.approx(0.0, abs=1e-12)
    assert rest["y"] == pytest.approx(0.2 / 9.0, rel=1e-12)
    # along the blade at the angle a: 4 cos² a + 9 sin² a over the mass, damped by 0.3 and 0.4
    about = linearize(equations, rest)
    along, across = np.cos(0.5) ** 2, np.sin(0.5) ** 2
    damping, stiffness = 0.3 * along + 0.4 * across, 4.0 * along + 9.0 * across
    slow = np.roots([1.0, damping, stiffness])
    assert sorted(about.eigenvalues()[:2].imag) == pytest.approx(sorted(slow.imag), rel=1e-10)
    assert about.eigenvalues()[:2].real == pytest.approx(slow.real, rel=1e-10)
    period = 2 * np.pi / 1.3
    inputs = {"push": lambda t: 0.5 * np.cos(1.3 * t)}
    found = periodic_solution(equations, period, inputs=inputs)
    times = np.linspace(0.0, period, 20)
    assert np.abs(found["slip"](times)).max() < 1e-12
    start = {state.name: float(found[state.name](0.0)) for state in equations.states}
    again = simulate(equations, period, start=start, inputs=inputs, **EXACT)
    for name, value in start.items():
        assert again.final(name) == pytest.approx(value, abs=1e-8)
    with pytest.raises(ModelError, match=r"motion='held': blade\.lateral"):
        linearize(equations, {"w": 1.0, "vx": 1.0}, motion="held")
    with pytest.raises(SimulationError, match=r"blade\.lateral\.held .* use method='shooting'"):
        periodic_solution(equations, period, inputs=inputs, method="harmonic_balance")
    with pytest.raises(ModelError, match=r"blade\.lateral are held slips"):
        superpose(driven_oscillator())


def driven_oscillator() -> Model:
    """A mass on springs that a held blade lets move along one line, where it does not turn."""
    model = Model("oscillator")
    place, heading = model.point("place", (0, 0)), model.angle("heading")
    model.add(Body("body", place, heading, mass=1.0, inertia=0.1))
    place.x.dof("x", "vx", start=0.1).spring(4.0, 0.3)
    place.y.dof("y", "vy").spring(9.0, 0.4)
    heading.angle.dof("psi", "w").spring(2.0, 0.5)
    blade = model.add(PlanarKnifeEdge("blade", place, heading, direction=0.5))
    blade.lateral.release().hold()
    model.force(place, (model.input("push", unit="N"), 0.2))
    model.output("slip", blade.lateral.velocity, unit="m/s")
    return model


def test_clutch_engages() -> None:
    """Momentum is kept where two shafts become one, half the energy of their slip is lost."""
    first, second, torque = 0.3, 0.2, 4.0
    model = Model("clutch")
    shafts = []
    for name, inertia, rate in (("engine", first, 12.0), ("gearbox", second, 2.0)):
        shaft, bearing = model.angle(name), model.point(f"{name} bearing", fixed=True)
        model.add(Body(f"{name} body", bearing, shaft, mass=1.0, inertia=inertia))
        shaft.angle.dof(f"{name}.angle", f"{name}.rate", rate_start=rate)
        shafts.append(shaft.angle)
    engine, gearbox = shafts
    model.load(torque, engine.rate)
    engaged = model.event("engaged", model.time - 0.25)
    clutch = model.add(Speed("clutch", engine.rate - gearbox.rate, unit="rad/s")).slip
    clutch.hold(engaged, name="stuck", nominal=10.0)
    model.output("torque", clutch.force, unit="N.m")
    model.output("energy", model.kinetic_energy, unit="J")
    run = simulate(model.equations(), 1.0, **EXACT)
    assert [name for _, name in run.events] == ["engaged", "stuck"]
    before, after = np.flatnonzero(run.time == run.events[0][0])[[0, -1]]
    rate = 12.0 + torque / first * 0.25
    together = (first * rate + second * 2.0) / (first + second)
    assert run["engine.rate"][after] == pytest.approx(together, rel=1e-12)
    assert run["gearbox.rate"][after] == pytest.approx(together, rel=1e-12)
    lost = first * second / (first + second) * (rate - 2.0) ** 2 / 2
    assert run["energy"][before] - run["energy"][after] == pytest.approx(lost, rel=1e-11)
    assert np.all(run["torque"][:before] == 0.0)
    assert run["torque"][after:] == pytest.approx(torque * second / (first + second), rel=1e-12)
    assert run.final("gearbox.rate") == pytest.approx(together + 0.75 * torque / (first + second))


@pytest.mark.heavy
def test_held_disk_rolls_as_the_rolling_disk_does() -> None:
    """[SchwabMeijaard2003] 3.2 by equations derived by hand, as in ``test_rolling_disk``."""
    model = Model("disk", gravity=(0, 0, -1))
    yaw, lean, pitch = (model.rotation(name) for name in ("yaw", "lean", "pitch"))
    centre, contact = model.point("centre", (0, 0, 1)), model.point("contact", (0, 0, 0))
    hinges = [
        Hinge("yaw hinge", model.ground, yaw, axis=(0, 0, 1)),
        Hinge("lean hinge", yaw, lean, axis=(1, 0, 0)),
        Hinge("pitch hinge", lean, pitch, axis=(0, 1, 0)),
    ]
    for hinge, name, rate in zip(
        hinges, ("yaw", "lean", "pitch"), (0.0, -0.01, 0.4116), strict=True
    ):
        model.add(hinge).angle.dof(name, f"{name}_rate", rate_start=rate)
    wheel = model.add(Wheel("wheel", centre, pitch, contact, radius=1))
    for slip in (wheel.lateral, wheel.longitudinal):
        slip.release().hold()
    model.speed("vx", centre.velocity[0], start=0.4116)
    model.speed("vy", centre.velocity[1], start=0.01)
    contact.x.kinematic("x")
    contact.y.kinematic("y")
    model.add(Body("disk", centre, pitch, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    model.output("slip", ca.norm_2(ca.vertcat(wheel.lateral.velocity, wheel.longitudinal.velocity)))
    model.output("force", wheel.lateral.force, unit="N")
    run = simulate(model.equations(), 20.0, **EXACT)
    assert run.final("x") == pytest.approx(1.04803539, abs=1e-7)
    assert run.final("y") == pytest.approx(-2.29186531, abs=1e-7)
    assert abs(run.final("force")) == pytest.approx(0.05093638, abs=1e-7)
    assert np.ptp(run["energy"]) < 1e-9
    assert run["slip"].max() < 3e-12
