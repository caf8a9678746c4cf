"""Loads of wheels against the balance of moments, and laws that act by these loads."""

from pathlib import Path

import numpy as np
import pytest

from mbcore import (
    Caster,
    Ground,
    LinearTyre,
    Mecanum,
    Robot,
    Rolling,
    from_urdf,
    simulate,
)
from mbcore.contact import Regularization
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError
from tests.robots.carts import AXLE, CART, SKID, at
from tests.robots.robot_files import joint, link

pytestmark = pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
TRAIL = 0.04
DRIVEN = {"left_wheel": Rolling(0.1), "right_wheel": Rolling(0.1)}
CORNER = {"corner": Caster(0.05, TRAIL)}
PLACES = {"left_wheel": (0, 0.2), "right_wheel": (0, -0.2), "corner.wheel": (0.3 - TRAIL, 0.1)}
FOUR = ("front_left", "front_right", "rear_left", "rear_right")
FOUR_PLACES = {n: (x, y) for n, x, y in zip(FOUR, (0.3, 0.3, -0.3, -0.3), (0.2, -0.2) * 2)}  # noqa: B905
G = 9.81


def read(folder: Path, text: str, **options: object) -> Robot:
    file = folder / "cart.urdf"
    file.write_text(text)
    return from_urdf(file, **options)


def at_start(robot: Robot, inputs: dict, state: dict) -> tuple[dict, dict]:
    equations = robot.equations()
    point = Evaluation(equations, None, inputs)
    point.start(state)
    out = dict(zip((o.name for o in equations.outputs), point.output(), strict=True))
    rates = dict(zip((s.name for s in equations.states), point.derivative(), strict=True))
    return out, rates


def moments(speed: tuple, acceleration: tuple, spins: dict, spun: dict, wheels: dict) -> np.ndarray:
    """Sum of N d about the base's origin, from Newton and Euler of the base and its wheels.

    8 kg, 0.05 m ahead and 0.2 m high; wheels of 0.5 kg at 0.1 m with 0.002 kg.m2 about their axles,
    whose moment of momentum turns with the base. At yaw zero.
    """
    (_, yaw_rate), (a, b, turning) = speed, acceleration
    bodies = [(8.0, 0.05, 0.0, 0.2), *((0.5, *wheels[n], 0.1) for n in spins)]
    found = np.zeros(2)
    for mass, x, y, z in bodies:
        there = (a - turning * y - yaw_rate**2 * x, b + turning * x - yaw_rate**2 * y)
        found += mass * (G * np.array([x, y]) - z * np.array(there))
    for name in spins:
        # d/dt (I γ' e_y) = I γ'' e_y - I ψ' γ' e_x is the moment M; N d is (-M_y, M_x)
        found += 0.002 * np.array([-spun[name], -yaw_rate * spins[name]])
    return found


@pytest.mark.parametrize("rates", [(0.0, 0.0), (10.0, 14.0)])
def test_three_contacts_carry_weight_and_inertia_forces(rates: tuple, tmp_path: Path) -> None:
    robot = read(tmp_path, CART, rolling=DRIVEN | CORNER)
    state = dict(zip(("left.rate", "right.rate"), rates, strict=True))
    out, changes = at_start(robot, {"left.torque": 0.2, "right.torque": 0.5}, state)
    spun = {f"{n}_wheel": changes[f"{n}.rate"] for n in ("left", "right")}
    spins = dict(zip(spun, rates, strict=True))
    v, w = 0.05 * sum(rates), 0.1 * (rates[1] - rates[0]) / 0.4
    a, turning = 0.05 * sum(spun.values()), 0.1 * (spun["right_wheel"] - spun["left_wheel"]) / 0.4
    expected = moments((v, w), (a, v * w, turning), spins, spun, PLACES)
    loads = {name: out[f"{name}.load"] for name in PLACES}
    assert sum(loads.values()) == pytest.approx(9 * G, rel=1e-12)
    found = sum(load * np.array(PLACES[name]) for name, load in loads.items())
    assert found == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("gap", [0.0, 0.002])
def test_four_wheels_share_by_stiffness_and_gaps(gap: float, tmp_path: Path) -> None:
    """At rest: N = k (a + b·d - g) with the balance of forces and moments, solved by itself."""
    stiffness = dict(zip(FOUR, (1e4, 3e4, 2e4, 2e4), strict=True))
    rolling = {n: Rolling(0.1, ground=Ground(stiffness=stiffness[n])) for n in FOUR}
    rolling["rear_left"] = Rolling(0.1 - gap, ground=Ground(stiffness=2e4))
    out, _ = at_start(read(tmp_path, SKID, rolling=rolling, support="compliant"), {}, {})
    places = np.array([FOUR_PLACES[n] for n in FOUR])
    k, g = np.array(list(stiffness.values())), np.array([0, 0, gap, 0])
    columns = np.column_stack([np.ones(4), places])
    balance = columns.T @ (k[:, None] * columns)
    right = np.array([10 * G, 8 * 0.05 * G, 0]) + columns.T @ (k * g)
    expected = k * (columns @ np.linalg.solve(balance, right) - g)
    found = [out[f"{n}.load"] for n in FOUR]
    assert found == pytest.approx(expected, rel=1e-12)
    assert (expected[2] > 0) or gap  # the gap lifts it in this draw


def test_three_named_wheels_carry(tmp_path: Path) -> None:
    rolling = {n: Rolling(0.1) for n in FOUR} | {"rear_right": Rolling(0.105)}
    support = FOUR[:3]
    robot = read(tmp_path, SKID, rolling=rolling, support=support)
    out, _ = at_start(robot, {}, {})
    columns = np.column_stack([np.ones(3), [FOUR_PLACES[n] for n in support]])
    expected = np.linalg.solve(columns.T, [10 * G, 8 * 0.05 * G, 0])
    assert [out[f"{n}.load"] for n in support] == pytest.approx(expected, rel=1e-12)
    assert "rear_right.load" not in out
    assert "wheel rear_right is 5 mm below the ground" in "\n".join(robot.notes)
    assert float(robot.links["base"].base.start[2]) == pytest.approx(0.1)


@pytest.mark.heavy
def test_a_wheel_slides_beyond_its_friction_and_rolls_within(tmp_path: Path) -> None:
    """Beyond μ N r it pushes with μ N, which the loads follow; within, all is as by rolling."""
    rolling = DRIVEN | CORNER
    slippery = rolling | {"left_wheel": Rolling(0.1, ground=Ground(friction=0.3))}
    equations = read(tmp_path, CART, rolling=slippery).equations()
    run = simulate(equations, until=0.02, inputs={"left.torque": 5})
    push, aside, load = (run[f"left_wheel.{w}"][-1] for w in ("force_x", "force_y", "load"))
    assert np.hypot(push, aside) == pytest.approx(0.3 * load, rel=1e-6)
    assert run["left.rate"][-1] > 10 * run["base.speed"][-1] / 0.1
    torques = {"left.torque": 0.2, "right.torque": 0.25}
    gentle = simulate(equations, until=0.02, inputs=torques)
    ideal = simulate(read(tmp_path, CART, rolling=rolling).equations(), until=0.02, inputs=torques)
    for name in ("base.x", "base.yaw"):
        assert gentle.final(name) == pytest.approx(ideal.final(name), rel=1e-6)


def test_regularized_wheels_push_by_their_deflection(tmp_path: Path) -> None:
    """λ = c/ε z at rest, limited by μ N as a circle."""
    for friction, most in ((None, np.inf), (0.2, 0.2)):
        law = Regularization(1e2, 20.0, 1e-2)
        ground = Ground(regularize=law, friction=friction)
        rolling = {n: Rolling(0.1, ground=ground) for n in DRIVEN} | CORNER
        robot = read(tmp_path, CART, rolling=rolling)
        state = {"left_wheel.along.deflection": -3e-3, "left_wheel.sideways.deflection": 4e-3}
        out, _ = at_start(robot, {}, state)
        size = min(50.0, most * out["left_wheel.load"])
        found = [out[f"left_wheel.force_{axis}"] for axis in "xy"]
        assert found == pytest.approx([0.6 * size, -0.8 * size], rel=1e-12)


def test_a_tyre_pushes_by_its_slip(tmp_path: Path) -> None:
    """A linear tyre's side force is its stiffness times the slip angle, by the true speed."""
    law = LinearTyre(cornering_stiffness=800.0)
    rolling = {n: Rolling(0.1, ground=Ground(tyre=law)) for n in DRIVEN} | CORNER
    robot = read(tmp_path, CART, rolling=rolling)
    state = {"base.velocity_x": 1.0, "base.velocity_y": 0.05, "left.rate": 10, "right.rate": 10}
    out, _ = at_start(robot, {}, state)
    assert out["left_wheel.force_y"] == pytest.approx(-800 * np.arctan(0.05), rel=1e-9)
    assert out["left_wheel.load"] + out["right_wheel.load"] > 70


def test_redundant_slips_are_refused_where_roles_are_given(tmp_path: Path) -> None:
    rolling = {n: Rolling(0.1) for n in FOUR}
    with pytest.raises(ModelError, match=r"rear_left carries no side force.*roles=.auto"):
        read(tmp_path, SKID, rolling=rolling, roles="given")
    freed = {n: Rolling(0.1, sideways="front" in n and "left" in n) for n in FOUR}
    assert read(tmp_path, SKID, rolling=freed, roles="given").notes == ()


SUSPENDED = CART.replace(
    "</robot>",
    link("arm", "") + link("third", "") + joint("spring", "prismatic", "base arm", at(0.3, 0)
    + '<axis xyz="0 0 1"/>') + joint("roll", "continuous", "arm third", AXLE) + "</robot>",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (CART, {"support": "soft"}, "support='soft'; give"),
        (CART, {"support": ("left_wheel", "right_wheel")}, "name three different ones"),
        (CART, {"support": ("left_wheel", "right_wheel", "bolt")}, "no wheel 'bolt'"),
        (CART, {"support": "compliant", "rolling": DRIVEN}, "2 wheels do not carry a base alone"),
        (
            CART,
            {"rolling": DRIVEN | {"corner": Caster(0.05, 0.3)}, "support": "compliant"},
            "touch in a line, about which",
        ),
        (CART, {"rolling": DRIVEN | {"corner": Caster(0.05, TRAIL, ground=Ground(1e4))}}, "compli"),
        (
            CART,
            {
                "rolling": DRIVEN | {"corner": Caster(0.05, TRAIL, ground=Ground(1e4))},
                "support": "compliant",
            },
            "corner.wheel has a stiffness and left_wheel, right_wheel has none",
        ),
        (
            CART,
            {"rolling": {n: Rolling(0.1, ground=Ground(friction=1)) for n in DRIVEN}},
            "needs its load",
        ),
        (
            SUSPENDED,
            {"rolling": DRIVEN | {"third": Rolling(0.1)}, "support": "compliant"},
            "the load of wheel third would move joint spring",
        ),
        (CART, {"roles": "mine"}, "roles"),
    ],
)
def test_loads_that_cannot_be_are_refused(
    text: str, options: dict, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=message):
        read(tmp_path, text, **({"rolling": DRIVEN | CORNER} | options))


def test_grounds_that_cannot_be_are_refused() -> None:
    law = LinearTyre(cornering_stiffness=800.0)
    for wrong in (
        {"stiffness": -1},
        {"friction": -0.1},
        {"tyre": 0.3},
        {"tyre": law, "friction": 0.3},
        {"regularize": 5},
    ):
        with pytest.raises(ModelError, match="Ground"):
            Ground(**wrong)
    with pytest.raises(ModelError, match="round wheels"):
        Mecanum(0.1, "45 deg", ground=Ground(tyre=law))
    with pytest.raises(ModelError, match="width"):
        Rolling(0.1, width=0)
