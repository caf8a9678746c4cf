"""Impacts in space with friction: balls against closed forms, other bodies against integration."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from mbcore import Body, FrictionLaw, Model, ModelError, simulate, simulate_many
from mbcore.contact import CoulombFriction, Impact, unilateral_contact
from mbcore.equations.unilateral.turning_friction import Mobility, TurningImpact
from mbcore.fmi import Component, export
from mbcore.host.backend import Backend
from mbcore.vibration import Flow
from tests.built import Tools

GRAVITY, MASS, RADIUS, SOLID = 9.81, 2.0, 0.1, 2 / 5
VELOCITY, SPIN = (0.4, -0.3), (12.0, 25.0, -9.0)
HEAVY = pytest.mark.heavy


def ball(
    friction: Any,
    *,
    restitution: float = 0.5,
    height: float = 0.05,
    pull: tuple[float, float] = (0.0, 0.0),
    velocity: tuple[float, float] = VELOCITY,
    spin: tuple[float, float, float] = SPIN,
) -> Model:
    """A ball over a floor, which ``pull`` draws along it with accelerations, as a slope does."""
    model = Model("ball", gravity=(*pull, -GRAVITY))
    centre, turn = model.point("centre", (0, 0, RADIUS)), model.rotation("turn")
    model.add(Body("body", centre, turn, mass=MASS, inertia=(SOLID * MASS * RADIUS**2,) * 3))
    centre.x.dof("x", "vx", rate_start=velocity[0])
    centre.y.dof("y", "vy", rate_start=velocity[1])
    centre.z.dof("z", "vz", RADIUS + height)
    turn.free("turn", axes="space", angular_velocity=spin)
    omega = turn.angular_velocity
    sliding = centre.velocity[:2] + RADIUS * ca.vertcat(-omega[1], omega[0])
    gap = centre.z.value - RADIUS
    law = Impact(restitution)
    found = unilateral_contact(model, "floor", gap, law, sliding=sliding, friction=friction)
    for name in ("force", "closed", "sticks"):
        model.output(name, getattr(found, name))
    for j in range(2):
        model.output(f"friction{j + 1}", found.friction_force[j])
    return model


def rebound(
    approach: float,
    velocity: NDArray[np.float64],
    spin: NDArray[np.float64],
    friction: float,
    restitution: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A ball's velocity along the floor, and spin, after an impact, by hand."""
    slip = velocity + RADIUS * np.array([-spin[1], spin[0]])
    size = np.sqrt(slip @ slip)
    change = -slip / size * min(friction * (1 + restitution) * approach, 2 / 7 * size)
    turned = np.array([change[1], -change[0], 0]) / (SOLID * RADIUS)
    return velocity + change, spin + turned


@pytest.mark.parametrize(
    ("friction", "backend"),
    [(0.1, "c"), pytest.param(1.5, "c", marks=HEAVY), pytest.param(0.1, "python", marks=HEAVY)],
)
def test_a_ball_dropped_with_spin_about_any_axis_rebounds(
    friction: float, backend: Backend
) -> None:
    """It slides: Δv = μ (1 + e) v_n against the slip; or it sticks: 2/7 of the slip is lost."""
    equations = ball(FrictionLaw(friction)).equations()
    run = simulate(equations, 0.15, samples=3, backend=backend)
    fall, before = sqrt(2 * GRAVITY * 0.05), np.array(VELOCITY)
    velocity, spin = rebound(fall, before, np.array(SPIN), friction, 0.5)
    assert run.final("floor.impacts") == 1
    assert [run.final(n) for n in ("vx", "vy")] == pytest.approx(velocity, rel=1e-10)
    found = [run.final(f"turn.omega_{axis}") for axis in "xyz"]
    assert found == pytest.approx(spin, rel=1e-10)
    lost = 0.75 * fall**2 + before @ before - velocity @ velocity
    lost += SOLID * RADIUS**2 * (np.dot(SPIN, SPIN) - spin @ spin)
    assert run.final("floor.energy_loss") == pytest.approx(MASS / 2 * lost, rel=1e-10)
    impulses = [run.final(f"floor.tangential_impulse{j}") for j in (1, 2)]
    assert impulses == pytest.approx(MASS * (velocity - before), rel=1e-10)


def test_a_ball_that_has_bounced_rolls() -> None:
    """Its angular momentum about the floor is constant: 5/7 of its speed less 2/7 of the spin's."""
    run = simulate(ball(FrictionLaw(0.3)).equations(), 3.0, samples=3, backend="c")
    slip = np.array(VELOCITY) + RADIUS * np.array([-SPIN[1], SPIN[0]])
    rolls = np.array(VELOCITY) - 2 / 7 * slip
    assert run.final("closed") == run.final("sticks") == 1
    assert [run.final("vx"), run.final("vy")] == pytest.approx(rolls, rel=1e-10)
    spin = [run.final(f"turn.omega_{axis}") for axis in "xyz"]
    assert spin == pytest.approx([-rolls[1] / RADIUS, rolls[0] / RADIUS, SPIN[2]], rel=1e-9)


@pytest.mark.parametrize(("slope", "rolls"), [(0.9, True), pytest.param(1.2, False, marks=HEAVY)])
def test_a_ball_rolls_down_as_far_as_friction_allows(slope: float, rolls: bool) -> None:
    """Rigid, it rolls up to tan θ = 7/2 μ, along the pull, with 2/7 of it as friction."""
    pull = slope * GRAVITY * np.array([0.6, 0.8])
    model = ball(
        FrictionLaw(0.3), height=0.0, restitution=0.0, pull=tuple(pull), velocity=(0, 0),
        spin=(0, 0, 0),
    )  # fmt: skip
    run = simulate(model.equations(), 0.5, samples=6, backend="c")
    assert run.final("sticks") == rolls
    size = 2 / 7 * slope if rolls else 0.3
    friction = [run.final("friction1"), run.final("friction2")]
    assert friction == pytest.approx([-MASS * GRAVITY * size * p for p in (0.6, 0.8)], rel=1e-9)


def test_smoothed_friction_has_two_directions() -> None:
    """With a speed ε far below v, it is that of Coulomb to (ε/v)²/2."""
    model = ball(CoulombFriction(0.3, 1e-5), height=0.0, restitution=0.0)
    run = simulate(model.equations(), 0.01, samples=2, backend="c")
    slip = np.array(VELOCITY) + RADIUS * np.array([-SPIN[1], SPIN[0]])
    along = -0.3 * MASS * GRAVITY * slip / np.hypot(*slip)
    assert [run.final("friction1"), run.final("friction2")] == pytest.approx(along, rel=1e-9)


@HEAVY
def test_derivatives_go_through_sliding_and_sticking() -> None:
    """The flow's derivative across an impact against that of the closed form."""
    for friction in (0.1, 1.5):
        flow = Flow(ball(FrictionLaw(friction)).equations())
        names = [state.name for state in flow.point.equations.states]
        rows = [names.index(n) for n in ("vx", "vy", "vz", "x", "y", "z")]
        start = np.array([state.start for state in flow.point.equations.states])
        columns = rows + [names.index(f"turn.omega_{axis}") for axis in "xyz"]

        def by_hand(change: NDArray[np.float64], friction: float = friction) -> Any:
            now = np.array([*VELOCITY, 0, 0, 0, RADIUS + 0.05, *SPIN]) + change
            falls = np.sqrt(now[2] ** 2 + 2 * GRAVITY * (now[5] - RADIUS))
            time = (now[2] + falls) / GRAVITY
            after, _ = rebound(falls, now[:2], now[6:], friction, 0.5)
            rest, up = 0.15 - time, falls / 2
            place = now[3:5] + now[:2] * time + after * rest
            high = RADIUS + up * rest - GRAVITY * rest**2 / 2
            return np.array([*after, up - GRAVITY * rest, *place, high])

        step = 1e-6
        wanted = [(by_hand(unit) - by_hand(-unit)) / (2 * step) for unit in step * np.eye(9)]
        found = flow(start, 0.15).derivative[np.ix_(rows, columns)]
        assert found == pytest.approx(np.array(wanted).T, rel=1e-8, abs=1e-8)


def random_impacts(count: int) -> list[tuple[NDArray[np.float64], float, Any, float, float]]:
    """Mobilities of random bodies of 1 kg, struck anywhere; approach, slip, μ, and e."""
    rng, found = np.random.default_rng(7), []
    for _ in range(count):
        axes = rng.uniform(0.3, 1, 3)
        turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        inertia = (axes @ axes - axes**2) / 5
        arm = turned @ (axes * rng.normal(size=3)) / 1.5
        cross = np.cross(np.eye(3), arm)
        mobility = np.eye(3) + cross @ turned @ np.diag(1 / inertia) @ turned.T @ cross.T
        slip = rng.normal(size=2) * 10 ** rng.uniform(-2, 1)
        found.append((mobility, rng.uniform(0.1, 2), slip, rng.uniform(0.05, 1.2), rng.uniform()))
    return found


def process() -> ca.Function:
    """Both impulses by (mobility, approach, sliding, friction, restitution)."""
    m, v = ca.SX.sym("m", 3, 3), ca.SX.sym("v", 2)
    approach, friction, e = (ca.SX.sym(name) for name in ("a", "mu", "e"))
    mobility = Mobility(m[0, 0], m[0, 1:], m[1:, 0], m[1:, 1:])
    impulses = TurningImpact(mobility, approach, v, friction).impulses(e)
    return ca.Function("impulses", [m, approach, v, friction, e], [ca.vertcat(*impulses)])


def integrated(
    mobility: NDArray[np.float64], approach: float, slip: Any, friction: float, restitution: float
) -> NDArray[np.float64]:
    """The same impulses by an integration over the angle of sliding, log |v| and p, q.

    With dp = |v| dτ nothing is singular where v vanishes. Of the directions in which sliding may
    grow the right one is found among all.
    """
    c, T = mobility[1:, 0], mobility[1:, 1:]

    def rates(_: float, y: NDArray[np.float64]) -> list[float]:
        way, size = np.array([np.cos(y[0]), np.sin(y[0])]), np.exp(y[1])
        driven = c - friction * T @ way
        turns = driven[1] * way[0] - driven[0] * way[1]
        return [turns, driven @ way, size, *(-friction * size * way)]

    def until(excess: Any) -> NDArray[np.float64]:
        def reached(_: float, y: NDArray[np.float64]) -> float:
            return excess(y[2:])

        def stopped(_: float, y: NDArray[np.float64]) -> float:
            return y[1] - start[1] + 27

        reached.terminal = stopped.terminal = True  # type: ignore[attr-defined]
        start = [np.arctan2(slip[1], slip[0]), np.log(np.hypot(*slip)), 0, 0, 0]
        run = solve_ivp(
            rates, [0, 1e6], start, "DOP853", rtol=1e-10, atol=1e-12, events=[reached, stopped]
        )
        end = run.y[2:, -1]
        if run.t_events[0].size:
            return end
        way = -np.linalg.solve(T, c)
        if np.hypot(*way) > friction:
            angles = np.linspace(0, 2 * np.pi, 400001)
            ways = np.array([np.cos(angles), np.sin(angles)])
            driven = c[:, None] - friction * T @ ways
            turns = driven[1] * ways[0] - driven[0] * ways[1]
            grows = (driven * ways).sum(axis=0) > 0
            way = -friction * ways[:, np.argmin(np.where(grows, abs(turns), np.inf))]
        on = np.array([1.0, *way])
        return end + on * -excess(end) / (excess(end + on) - excess(end))

    compressed = until(lambda s: s @ mobility[0] - approach)[0]
    return until(lambda s: s[0] - (1 + restitution) * compressed)


@pytest.mark.parametrize("count", [4, pytest.param(100, marks=HEAVY)])
def test_sliding_turns_as_by_integration(count: int) -> None:
    impulses = process()
    errors = []
    for given in random_impacts(count):
        found, wanted = np.array(impulses(*given)).ravel(), integrated(*given)
        errors.append(abs(found - wanted).max() / wanted[0])
    assert max(errors) < 2e-3


def test_impacts_make_no_energy_and_keep_to_the_cone() -> None:
    impulses = process()
    for given in random_impacts(300):
        mobility, approach, slip, friction, _ = given
        found = np.array(impulses(*given)).ravel()
        before = np.array([-approach, *slip])
        assert found @ before + found @ mobility @ found / 2 < 0
        assert np.hypot(*found[1:]) <= friction * found[0] * (1 + 1e-12)


def test_a_direction_without_mobility_leaves_the_planar_impact() -> None:
    """Against Routh's process by hand where it slides, stops, and slides on the other way."""
    nn, nt, tt, approach, slip, friction = 2.0, 0.9, 1.5, 1.0, 0.2, 0.4
    m = np.array([[nn, nt * 0.6, nt * 0.8], [0, 0, 0], [0, 0, 0]])
    m[1:, 0] = m[0, 1:]
    m[1:, 1:] = tt * np.outer([0.6, 0.8], [0.6, 0.8])
    found = np.array(process()(m, approach, -slip * np.array([0.6, 0.8]), friction, 0.3)).ravel()
    stop = slip / (nt + friction * tt)
    compression = stop + (approach - (nn + nt * friction) * stop) / (nn - nt * friction)
    normal = 1.3 * compression
    along = friction * (stop - (normal - stop))
    assert friction * tt < nt  # it cannot stick
    assert found == pytest.approx([normal, 0.6 * along, 0.8 * along], rel=1e-12)


@HEAVY
def test_lanes_and_fmus_rebound_as_single_runs_do(tmp_path: Path, tools: Tools) -> None:
    """It compiles equations for one run, for lanes and for two FMUs, which takes 5 s."""
    equations = ball(FrictionLaw(0.1)).equations()
    one = simulate(equations, 0.15, samples=3, backend="c")
    many = simulate_many(equations, 0.15, start={"vx": [0.4, 0.5]}, samples=3, progress=False)
    built = export(Component("ball", "A ball dropped", equations), tmp_path, tools=tools)
    for name in ("vx", "vy", "turn.omega_x"):
        assert many[name].values[0][-1] == pytest.approx(one.final(name), rel=1e-10)
    for fmu, interface in zip(built, ("ModelExchange", "CoSimulation"), strict=True):
        found = simulate_fmu(
            str(fmu), stop_time=0.15, output_interval=0.05, relative_tolerance=1e-10,
            fmi_type=interface, output=["vx", "vy", "turn.omega_x"],
        )  # fmt: skip
        for name in ("vx", "vy", "turn.omega_x"):
            assert found[name][-1] == pytest.approx(one.final(name), rel=1e-8)


def test_mistaken_directions_are_told() -> None:
    model = Model("ball", gravity=(0, 0, -GRAVITY))
    centre = model.point("centre", (0, 0, 1))
    gap, law = centre.z.value, Impact(0.5)
    with pytest.raises(ModelError, match=r"has 3 components .* in space two in a column"):
        unilateral_contact(model, "a", gap, law, sliding=centre.velocity, friction=FrictionLaw(0.3))
    with pytest.raises(ModelError, match=r"shape \(1, 2\).* in space two in a column"):
        unilateral_contact(model, "b", gap, law, sliding=centre.velocity[:2].T, friction=0.3)


@pytest.mark.parametrize(
    ("directions", "message"),
    [
        (((1, 0, 0), (0.8, 0.6, 0)), r"at 36\.87 degrees, not at right angles"),
        (((1, 0, 0), (0, 2, 0)), r"sliding\[1\] is 2 times a velocity of centre"),
        (((1, 0, 0), (0, 0, 1)), r"the gap changes along the direction of sliding\[1\]"),
        (((1, 0, 0), (1, 0, 0)), "at 0 degrees"),
    ],
)
def test_oblique_sliding_velocities_are_refused(
    directions: tuple[tuple[float, ...], ...], message: str
) -> None:
    """They would end in other velocities without a word."""
    model = Model("puck", gravity=(0, 0, -GRAVITY))
    centre, turn = model.point("centre", (0, 0, 1)), model.rotation("turn")
    omega = turn.angular_velocity
    velocity = centre.velocity + RADIUS * ca.vertcat(-omega[1], omega[0], 0)
    gap, law = centre.z.value - RADIUS, Impact(0.5)
    with pytest.raises(ModelError, match=message):
        sliding = ca.DM(directions) @ velocity
        unilateral_contact(model, "floor", gap, law, sliding=sliding, friction=FrictionLaw(0.3))
    turned = ca.DM([[0.6, 0.8, 0], [-0.8, 0.6, 0]]) @ velocity
    unilateral_contact(model, "floor", gap, law, sliding=turned, friction=FrictionLaw(0.3))
