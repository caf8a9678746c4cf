"""Inputs over time in vector lanes: closed forms, `simulate`, and the same bits in any batch."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import BSpline, CubicSpline, PPoly, make_interp_spline

import mbcore
from mbcore import Body, Model, ModelError, ModelWarning, simulate_many
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.equations.equations import Equations
from mbcore.fmus import caster, rolling_disk, vehicle
from mbcore.host.vectors import VARIABLE, widest
from tests.conftest import equations_of

MASS = 2.0
"""kg"""
many = partial(simulate_many, backend="c", progress=False)


def slider(floor: bool = False, maximum: float | None = None) -> Model:
    """Return a mass on a line that a force pushes, perhaps above a floor."""
    model = Model("slider")
    force = model.input("force", unit="N", maximum=maximum)
    place = model.point("mass", (0, 1))
    model.add(Body("body", place, mass=MASS))
    place.x.fix()
    place.y.dof("x", "v")
    model.force(place, (0, force))
    if floor:
        unilateral_contact(model, "floor", place.y.value, Impact(restitution=0.5))
    return model


@pytest.fixture(scope="module")
def sliding() -> Equations:
    return slider().equations()


@pytest.fixture(autouse=True)
def lanes_only(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Let what lanes leave to `simulate` fail, but in tests of that."""
    if "left" not in request.node.name:

        def refuse(task: object, index: int, point: object) -> None:
            raise AssertionError(f"instance {index} is simulated by itself")

        monkeypatch.setattr("mbcore.sweeps.instance_portion.outcome", refuse)


def test_a_table_for_each_instance_is_integrated_exactly(sliding: Equations) -> None:
    # straight lines between its rows: v is their integral, by the trapezoidal rule
    times = np.array([0.0, 0.13, 0.5, 0.77, 1.0])
    table = np.random.default_rng(3).normal(size=(5, 7))
    force = make_interp_spline(times, table, k=1)
    found = many(sliding, 1.0, inputs={"force": force}, samples=times)
    steps = np.diff(times)[:, None] * (table[1:] + table[:-1]) / 2 / MASS
    expected = np.vstack([np.zeros(7), np.cumsum(steps, axis=0)])
    np.testing.assert_allclose(found.v, expected.T, atol=1e-14)
    np.testing.assert_allclose(found.force, table.T, atol=1e-14)


def test_splines_jump_at_repeated_knots(sliding: Equations) -> None:
    # 2 N to 4 N up to 0.3 s, then 8 N to 0 up to 1 s, and the opposite: trapezoids
    heights = np.array([[2.0, 4.0, 8.0, 0.0], [-2.0, -4.0, -8.0, 0.0]])
    force = BSpline([0, 0, 0.3, 0.3, 1, 1], heights.T, 1)
    found = many(sliding, 1.0, inputs={"force": force}, samples=[0.3, 1.0])
    expected = np.array([0.3 * 3.0, 0.3 * 3.0 + 0.7 * 4.0]) / MASS
    np.testing.assert_allclose(found.v, [expected, -expected], atol=1e-14)


def test_time_may_be_the_last_axis_of_a_table(sliding: Equations) -> None:
    times, table = np.array([0.0, 0.5, 1.0]), np.array([[1.0, 2.0, 3.0], [0.0, 4.0, 0.0]])
    force = make_interp_spline(times, table, k=1, axis=1)
    found = many(sliding, 1.0, inputs={"force": force})
    np.testing.assert_allclose(found.v[:, -1], np.array([2.0, 2.0]) / MASS, atol=1e-14)


@pytest.mark.parametrize("method", ["classical", "RK45"])
def test_steps_end_where_a_force_jumps(sliding: Equations, method: str) -> None:
    # 6 N from t = 1/3 to 2/3, which no step of 0.1 s meets: 1 m/s more, and (1/6 + 1/3) m
    pulse = PPoly([[0.0, 6.0, 0.0]], [0, 1 / 3, 2 / 3, 1])
    options = {"max_step": 0.1} if method == "classical" else {}
    found = many(
        sliding, 1.0, start={"v": [0.0, 1.0]}, inputs={"force": pulse}, method=method, **options
    )
    np.testing.assert_allclose(found.v[:, -1], [1, 2], atol=1e-14)
    np.testing.assert_allclose(found.x[:, -1], [1.5, 2.5], atol=1e-14)


def test_a_function_for_each_instance(sliding: Equations) -> None:
    rates = np.linspace(1, 5, 9)
    forces = [lambda t, k=k: MASS * np.sin(k * t) for k in rates]
    found = many(sliding, 2.0, inputs={"force": forces}, samples=[1.0, 2.0])
    expected = (1 - np.cos(np.multiply.outer(rates, [1.0, 2.0]))) / rates[:, None]
    np.testing.assert_allclose(found.v, expected, atol=1e-8)
    mixed = many(sliding, 1.0, inputs={"force": [forces[0], 4.0]})
    np.testing.assert_allclose(mixed.v[:, -1], [1 - np.cos(1.0), 2.0], atol=1e-9)


def test_breaks_of_a_function_that_jumps(sliding: Equations) -> None:
    found = many(
        sliding,
        1.0,
        start={"v": np.zeros(3)},
        inputs={"force": lambda t: MASS * (t >= 0.3)},
        breaks=[0.3],
        method="classical",
        max_step=0.7,
    )
    np.testing.assert_allclose(found.v[:, -1], 0.7, atol=1e-15)


@pytest.mark.heavy
@pytest.mark.parametrize("method", ["DOP853", "classical"])
def test_no_bit_depends_on_the_batch(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, times = np.random.default_rng(1), np.linspace(0, 2, 15)
    table = rng.normal(size=(15, 37)) - 1.0
    forces = {
        "spline": CubicSpline(times, table),
        "lines": make_interp_spline(times, table, k=1),
        "steps": PPoly(table[None, :-1], times),
        "function": [lambda t, c=c: float(c * np.sin(9 * t) - 5) for c in table[0]],
    }
    options: dict[str, Any] = {"method": method, "samples": 5}
    options |= {"max_step": 5e-3} if method == "classical" else {"rtol": 1e-7}
    found: dict[str, list[bytes]] = {name: [] for name in forces}
    for lanes in sorted({1, 2, widest().lanes}):
        monkeypatch.setenv(VARIABLE, str(lanes))
        equations = slider(floor=True).equations()
        for name, force in forces.items():
            for part in (np.arange(37), np.arange(36, -1, -1), np.array([20])):
                some = [force[k] for k in part] if name == "function" else None
                if isinstance(force, PPoly):
                    some = PPoly(force.c[:, :, part], force.x)
                elif name == "lines":
                    some = make_interp_spline(times, table[:, part], k=1)
                run = many(equations, 2.0, inputs={"force": some}, threads=2, **options)
                rows = np.stack([run[n].values for n in ("x", "v", "force")], 1)
                found[name].append(rows[list(part).index(20)].tobytes())
    assert {name: len(set(values)) for name, values in found.items()} == dict.fromkeys(forces, 1)


@pytest.mark.heavy
def test_impacts_under_a_force_that_changes() -> None:
    # down by a force of time: against `simulate`, which comes to each impact by itself
    equations = slider(floor=True).equations()
    times = np.linspace(0, 2, 9)
    table = -20 + 15 * np.random.default_rng(2).normal(size=(9, 6))
    force = CubicSpline(times, table)
    found = many(equations, 2.0, inputs={"force": force}, samples=9, rtol=1e-10, atol=1e-12)
    for k in range(6):
        own = PPoly(force.c[:, :, k], force.x)
        run = mbcore.simulate(
            equations, 2.0, inputs={"force": own}, samples=9, rtol=1e-10, atol=1e-12
        )
        assert run.events
        np.testing.assert_allclose(found.x[k], run["x"], atol=1e-8)
        np.testing.assert_allclose(found.v[k], run["v"], atol=1e-7)


def disk_by_hand(t: float, y: np.ndarray, torque: PPoly) -> np.ndarray:
    """Return rates of axle, angular velocity and centre of a thin disk that rolls on a plane.

    Newton's and Euler's laws about the centre, in a frame at rest; mass, radius and gravity are 1.
    The contact is where the disk's plane is lowest, and moves with the axle.
    """
    up, (a, omega, _) = np.array([0.0, 0.0, 1.0]), y.reshape(3, 3)
    a_rate = np.cross(omega, a)
    u, u_rate = up - a[2] * a, -a_rate[2] * a - a[2] * a_rate
    n = u / np.linalg.norm(u)  # from the contact to the centre
    n_rate = (u_rate - n * (n @ u_rate)) / np.linalg.norm(u)
    inertia = 0.25 * (np.eye(3) + np.outer(a, a))
    # centre: v = ω × n; its inertia force acts at the contact, as gravity does
    known = torque(t) * up - np.cross(omega, inertia @ omega)
    known -= np.cross(n, np.cross(omega, n_rate) + up)
    mass = inertia + np.eye(3) - np.outer(n, n)
    return np.concatenate([a_rate, np.linalg.solve(mass, known), np.cross(omega, n)])


@pytest.mark.heavy
def test_disks_that_are_turned_beside_equations_by_hand() -> None:
    until, times = 5.0, np.linspace(0, 5, 6)
    torques = CubicSpline(times, 0.02 * np.random.default_rng(4).normal(size=(6, 5)))
    leans, pitches = np.linspace(-0.3, 0.3, 5), np.linspace(0.4, 2.0, 5)
    start = {"disk.lean": leans, "disk.pitch_rate": pitches, "disk.lean_rate": 0.1}
    found = many(
        equations_of(rolling_disk.model),
        until,
        start=start,
        inputs={"yaw.torque": torques},
        samples=times,
        rtol=1e-11,
        atol=1e-12,
    )
    for k in range(5):
        axle = np.array([0.0, np.cos(leans[k]), np.sin(leans[k])])
        omega = np.array([0.1, 0.0, 0.0]) + pitches[k] * axle
        upward = np.array([0.0, -np.sin(leans[k]), np.cos(leans[k])])
        run = solve_ivp(
            disk_by_hand,
            (0, until),
            np.concatenate([axle, omega, upward]),
            method="DOP853",
            t_eval=times,
            rtol=1e-12,
            atol=1e-13,
            args=(PPoly(torques.c[:, :, k], torques.x),),
        )
        a, centre = run.y[:3], run.y[6:]
        np.testing.assert_allclose(found["disk.lean"][k], np.arcsin(a[2]), atol=2e-9)
        yaw = np.unwrap(np.arctan2(-a[0], a[1]))
        np.testing.assert_allclose(found["disk.yaw"][k], yaw, atol=2e-9)
        lowest = centre - ([[0], [0], [1]] - a[2] * a) / np.sqrt(1 - a[2] ** 2)
        moved = lowest - lowest[:, :1]
        contact = np.array([found[f"contact.{axis}"][k] for axis in "xy"])
        np.testing.assert_allclose(contact - contact[:, :1], moved[:2], atol=5e-9)


@pytest.mark.heavy
def test_a_vehicle_that_is_steered() -> None:
    equations = equations_of(vehicle.model)
    course = CubicSpline(np.linspace(0, 3, 7), [0, 0.05, 0.1, 0.0, -0.1, -0.05, 0.0])
    inputs = {
        "steer.angle": course,
        "steer.rate": course.derivative(),
        "brake.force": lambda t: 500.0 * (t > 1),
    }
    speeds = np.linspace(8, 12, 5)
    found = many(
        equations, 3.0, start={"chassis.speed": speeds}, inputs=inputs, breaks=[1.0], samples=4
    )
    for k in (0, 4):
        run = mbcore.simulate(
            equations,
            3.0,
            start={"chassis.speed": float(speeds[k])},
            inputs=inputs,
            breaks=[1.0],
            samples=4,
        )
        for name in ("chassis.y", "chassis.yaw", "chassis.speed"):
            np.testing.assert_allclose(found[name][k], run[name], atol=1e-7)


@pytest.mark.heavy
def test_a_rate_that_contradicts_its_input_is_told() -> None:
    equations, angles = equations_of(caster.model), {"swivel.angle": [0.0, 0.1]}
    speed = PPoly([[1.0], [1.0]], [0, 1])
    said = r"attachment.speed changes by 1 .* but its rate attachment.acceleration is 0"
    with pytest.warns(ModelWarning, match=said):
        many(equations, 0.1, start=angles, inputs={"attachment.speed": [speed, speed]})
    both = {"attachment.speed": speed, "attachment.acceleration": speed.derivative()}
    many(equations, 0.1, start=angles, inputs=both)


@pytest.mark.heavy
def test_an_input_with_a_rate_that_fails_is_left_to_its_instance() -> None:
    equations, angles = equations_of(caster.model), {"swivel.angle": [0.0, 0.1]}
    speeds = [lambda t: [1.0][t >= 0.05], lambda t: 1.0]
    with pytest.warns(ModelWarning, match="1 of 2 instances have no values"):
        found = many(equations, 0.1, start=angles, inputs={"attachment.speed": speeds})
    assert "attachment.speed: its function fails at t = 0.0" in str(found.error.values[0])
    assert found.error.values[1] == ""


@pytest.mark.heavy
def test_what_fails_is_left_to_simulate(sliding: Equations) -> None:
    forces = [lambda t: 2 * MASS, lambda t: [1.0][t >= 0.5], lambda t: np.nan, 2.0]
    with pytest.warns(ModelWarning, match="2 of 4 instances have no values"):
        found = many(sliding, 1.0, inputs={"force": forces})
    assert list(np.isnan(found.v[:, -1])) == [False, True, True, False]
    np.testing.assert_allclose(found.v[[0, 3], -1], [2.0, 1.0], atol=1e-12)
    assert "input force: its function fails at t = 0.5" in str(found.error.values[1])
    assert "force is nan" in str(found.error.values[2])
    periodic = PPoly([[2.0, 4.0]], [0, 0.5, 1.0], extrapolate=True)
    short = PPoly([[2.0]], [0, 0.5], extrapolate=False)
    with pytest.warns(ModelWarning, match="1 of 2 instances have no values"):
        found = many(sliding, 1.0, inputs={"force": [periodic, short]})
    np.testing.assert_allclose(found.v[0, -1], 1.5, atol=1e-14)
    assert "input force is nan at t = 0.5" in str(found.error.values[1])


@pytest.mark.heavy
def test_a_limit_that_is_left() -> None:
    limited = slider(maximum=3.0).equations()
    with pytest.warns(ModelWarning, match=r"1 of 2 instances warned, first instance 1: .*force"):
        found = many(limited, 1.0, inputs={"force": [lambda t: 2.0, lambda t: 4.0 * t]})
    # 4 N/s t up to 3 N at t = 0.75 s
    np.testing.assert_allclose(MASS * found.v[:, -1], [2.0, 1.125 + 0.75], atol=1e-8)


BAD: dict[str, tuple[Any, str]] = {
    "shapes": (CubicSpline([0, 1, 2], np.zeros((3, 2, 2))), r"the shape \(2, 2\); give one number"),
    "lengths": (CubicSpline([0, 1, 2], np.zeros((3, 3))), "v has 2, force has 3"),
    "complex": (CubicSpline([0, 1, 2], np.ones((3, 2)) * (1 + 1j)), "force is complex; give"),
    "a table": (np.zeros((3, 2)), r"force has the shape \(3, 2\)"),
    "fails": (lambda t: 1 / t, "force: its function fails at t = 0"),
    "no number": (lambda t: "much", "force"),
    "among them a text": ([lambda t: 1.0, "much"], "force"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_refused_by_name(sliding: Equations, name: str) -> None:
    force, said = BAD[name]
    with pytest.raises(ModelError, match=said):
        many(sliding, 1.0, start={"v": [0.0, 1.0]}, inputs={"force": force})
    with pytest.raises(ModelError, match="no input 'torque'; there is force"):
        many(sliding, 1.0, inputs={"torque": [lambda t: 1.0, lambda t: 2.0]})


def test_sweeps_with_inputs_over_time_are_in_lanes(sliding: Equations) -> None:
    task = mbcore.simulations(
        sliding, 1.0, inputs={"force": lambda t: MASS * t}, outputs=["v"], backend="c"
    )
    many(sliding, 1.0, start={"v": [0.0, 1.0]})  # compiles
    speeds = np.linspace(0, 1, 4)
    done, values = task.at_many([{"v": v} for v in speeds])
    assert done.all()
    np.testing.assert_allclose(values["v.final"].values, speeds + 0.5, atol=1e-12)
