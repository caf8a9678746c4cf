"""Regularized rolling: convergence to the constraint, friction limit, dissipation, and its FMU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import casadi as ca
import fmpy
import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Friction,
    Hinge,
    Model,
    ModelError,
    PlanarWheel,
    Result,
    RigidLink,
    Wheel,
    compile_equations,
    linearize,
    simulate,
)
from mbcore.contact.regularized import Regularization, regularize, regularize_pair
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.rolling import regularization
from mbcore.examples.vehicles import vehicle_on_ice
from mbcore.fmi.check import check
from mbcore.fmus import vehicle, vehicle_grip
from tests.conftest import OK, RUNGE_KUTTA, Archive, Archives, Instance, equations_of

LOAD = 1200 * 9.81 / 2
"""Static load of either axle of the default vehicle, N."""
TIGHT = {"method": "Radau", "rtol": 1e-9, "atol": 1e-11, "progress": False}


@pytest.fixture(scope="module")
def grip() -> Equations:
    return equations_of(vehicle_grip.model)


@pytest.fixture(scope="module", params=["2.0", "3.0"], ids=["fmi2", "fmi3"])
def archive(request: pytest.FixtureRequest, archives: Archives) -> Archive:
    return archives["vehicle_grip", request.param]


@pytest.fixture
def fmu(archive: Archive) -> Iterator[Instance]:
    with Instance(archive) as instance:
        yield instance


# Convergence


@pytest.mark.heavy
@pytest.mark.parametrize("damping", regularization.DAMPINGS)
def test_order_after_the_layer_is_one_for_both_dampings(damping: regularization.Damping) -> None:
    # Deppler's regularization, [Deppler] (3)
    found = regularization.distances("sleigh", damping)
    assert regularization.order(found) == pytest.approx(1, abs=0.05)
    # derived by hand for a sleigh of other proportions: the same fall from each ε to the next
    reference = np.array(regularization.REFERENCE[damping])
    assert found[:-1] / found[1:] == pytest.approx(reference[:-1] / reference[1:], rel=0.02)


@pytest.mark.heavy
def test_order_of_velocities_inside_the_layer_is_a_half_for_principal_damping() -> None:
    # [Deppler] (3)
    smallest = regularization.COMPLIANCES[-regularization.FITTED :]
    for damping, expected in (("principal", 0.5), ("strong", 1)):
        found = regularization.layer(damping, smallest)
        assert regularization.order(found) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    "name",
    [
        n if n == "disk" else pytest.param(n, marks=pytest.mark.heavy)
        for n in regularization.SYSTEMS
    ],
)
@pytest.mark.parametrize("damping", regularization.DAMPINGS)
def test_motion_tends_to_that_without_slip(name: str, damping: regularization.Damping) -> None:
    system = regularization.SYSTEMS[name]
    names = (*system.coordinates, *system.rates)
    ideal, near = (regularization.equations(name, regularized) for regularized in (False, True))
    exact = simulate(ideal, 1.0, inputs=system.inputs, rtol=1e-11, progress=False)
    apart = []
    for compliance in (1e-4, 1e-5):
        found = simulate(
            near, 1.0, inputs=system.inputs, parameters=system.parameters(compliance, damping),
            **TIGHT,
        )  # fmt: skip
        apart.append(max(abs(found.final(n) - exact.final(n)) for n in names))
    assert apart[1] < 2e-5
    assert apart[0] / apart[1] == pytest.approx(10, rel=0.1)


@pytest.mark.heavy
def test_the_multiplier_tends_to_the_constraint_force(grip: Equations) -> None:
    ideal = equations_of(vehicle.model)
    turn = {"inputs": {"steer.angle": 0.05}, "progress": False}
    goal = simulate(ideal, 3, rtol=1e-11, **turn)
    found = simulate(grip, 3, parameters={"contact.compliance": 1e-6}, **TIGHT | turn)
    for axle in ("front", "rear"):
        name = f"{axle}.lateral_force"
        assert found.final(name) == pytest.approx(goal.final(name), rel=1e-6)


# Friction limit: a block of 1 kg on a plane, pulled along x


@cache
def block() -> Equations:
    """Return a point mass on dry ground, pulled by an input: its slip is its velocity."""
    model = Model("block")
    pull = model.input("pull", unit="N")
    friction = model.input("friction", 2.0, minimum=0.0)
    place = model.point("place", (0, 0))
    standing = model.angle("standing", fixed=True)
    heading = model.angle("heading", fixed=True)
    wheel = model.add(PlanarWheel("foot", place, heading, standing, radius=1.0))
    place.x.dof("x", "x_rate")
    place.y.fix(0)
    wheel.lateral.release()
    soft = Regularization(stiffness=1.0, damping=2.0, compliance=1e-4)
    contact = regularize(model, wheel.longitudinal, soft, limit=friction, name="foot")
    model.add(Body("block", place, mass=1))
    model.force(place, ca.vertcat(pull, 0))
    for name in ("force", "sliding", "sliding_velocity", "energy", "dissipation"):
        model.output(name, getattr(contact, name))
    model.output("kinetic", model.kinetic_energy)
    return model.equations()


@pytest.mark.heavy
def test_block_sticks_below_the_limit_at_the_spring_s_deflection() -> None:
    run = simulate(block(), 5, inputs={"pull": 1.5}, **TIGHT)
    assert run.final("x") == pytest.approx(1.5e-4, rel=1e-6)
    assert run.final("foot.deflection") == pytest.approx(1.5e-4, rel=1e-6)
    assert run.final("force") == pytest.approx(1.5, rel=1e-9)
    assert not run.events


@pytest.mark.heavy
def test_sliding_block_is_decelerated_by_the_limit_and_does_not_wind_up() -> None:
    run = simulate(block(), 3, start={"x_rate": 4.0}, **TIGHT)
    sliding = run["sliding"] > 0.5
    assert run["force"][sliding] == pytest.approx(2.0, abs=1e-12)
    # v = 4 - 2 t until rest at t = 2 after 4 m
    assert run.final("x") == pytest.approx(4.0, abs=1e-3)
    assert np.abs(run["foot.deflection"]).max() < 2e-4 * (1 + 1e-9)
    assert run.final("x_rate") == pytest.approx(0, abs=1e-6)
    [(end, name)] = run.events
    assert (end, name) == (pytest.approx(2.0, abs=1e-8), "foot.sliding_forward")


@pytest.mark.heavy
def test_the_cone_shrinks_and_grows_with_the_friction() -> None:
    changes = [1.0, 2.0]
    run = simulate(
        block(), 4,
        inputs={"pull": 1.5, "friction": lambda t: 0.5 if 1.0 <= t < 2.0 else 2.0},
        breaks=changes, **TIGHT,
    )  # fmt: skip
    assert np.all(np.abs(run["force"]) <= run["friction"] * (1 + 1e-12))
    icy = (run.time > 1.0) & (run.time < 2.0)
    assert np.all(run["sliding"][icy][2:] == 1)
    # accelerated by 1.5 - 0.5 for a second, then braked by 2 - 1.5 for two
    at = int(np.argmin(np.abs(run.time - 2.0)))
    assert run["x_rate"][at] == pytest.approx(1.0, abs=0.02)
    assert run.final("x") == pytest.approx(0.5 + 1.0, abs=0.03)


@pytest.mark.heavy
def test_without_friction_nothing_holds_and_nothing_chatters() -> None:
    run = simulate(
        block(),
        2,
        inputs={"pull": lambda t: np.sin(9 * t), "friction": 0.0},
        **TIGHT,
    )
    assert np.all(run["force"] == 0)
    assert run.final("x_rate") == pytest.approx((1 - np.cos(18)) / 9, abs=1e-8)
    assert len(run.events) < 20


@pytest.mark.parametrize(
    "start", [0.0, *(pytest.param(v, marks=pytest.mark.heavy) for v in (3.0, -3.0))]
)
def test_contact_takes_energy_only(start: float) -> None:
    run = simulate(
        block(), 4, start={"x_rate": start, "foot.deflection": 5e-4},
        inputs={"friction": lambda t: 1.2 + np.sin(5 * t)}, **TIGHT,
    )  # fmt: skip
    total = run["kinetic"] + run["energy"]
    assert np.all(np.diff(total) <= 1e-10)
    assert np.all(run["dissipation"] >= 0)
    assert np.all(np.abs(run["force"]) <= run["friction"] * (1 + 1e-12))


# Friction limit by a constraint's normal force


def test_limit_by_the_normal_force_that_it_changes() -> None:
    """A locked wheel of radius r ahead of its hinge, drawn over the ground: N = m g l/(l - μ h)."""
    mass, length, height, radius, grip = 2.0, 0.8, 0.5, 0.1, 0.4
    model = Model("leading", gravity=(0, 0, -9.81))
    travelled = model.state("travelled", 1.0, unit="m")
    hinge = model.point("hinge", (0, 0, height))
    hinge.x.prescribe(travelled)
    hinge.y.fix()
    hinge.z.fix()
    arm, centre = model.rotation("arm"), model.point("centre", (length, 0, radius))
    contact = model.point("contact", (length, 0, 0))
    model.add(Hinge("pin", model.ground, arm, axis=(0, 1, 0)))
    model.add(RigidLink("link", hinge, arm, centre))
    wheel = model.add(Wheel("wheel", centre, arm, contact, radius=radius))
    model.add(Body("mass", centre, arm, mass=mass, inertia=(1, 1, 1)))
    for slip in (wheel.lateral, wheel.spin):
        slip.release()
    soft = Regularization(stiffness=1.0, damping=2.0, compliance=1e-8)
    limit = grip * wheel.normal_force / radius  # its slip is in m2/s
    regularize(model, wheel.longitudinal, soft, limit=limit)
    model.output("load", wheel.normal_force)
    model.output("force", -wheel.longitudinal_force)
    point = Evaluation(model.equations())
    point.start()
    expected = mass * 9.81 * length / (length - grip * height)
    load, force = point.output()[:2]
    assert load == pytest.approx(expected, rel=1e-12)
    assert force == pytest.approx(grip * expected, rel=1e-12)


def rolling_disk(grip: float, exact: bool) -> Equations:
    """Return a disk, m = r = g = 1, that is thrown with a slip and leans over."""
    model = Model("disk", gravity=(0, 0, -1))
    before = model.ground
    thrown = {"yaw": ((0, 0, 1), 0.0), "lean": ((1, 0, 0), 0.1), "pitch": ((0, 1, 0), 0.2)}
    for name, (axis, rate) in thrown.items():
        turned = model.rotation(name)
        hinge = model.add(Hinge(f"{name} hinge", before, turned, axis=axis))
        hinge.angle.dof(name, f"{name}_rate", rate_start=rate)
        before = turned
    centre, contact = model.point("centre", (0, 0, 1)), model.point("contact", (0, 0, 0))
    wheel = model.add(Wheel("wheel", centre, before, contact, radius=1))
    contact.x.dof("x", "x_rate", rate_start=0.8)
    contact.y.dof("y", "y_rate")
    model.add(Body("mass", centre, before, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    if exact:
        model.add(Friction("ground", wheel, coefficient=grip))
        return model.equations()
    compliance = model.parameter("compliance", 1e-2, positive=True)
    slips, soft = (wheel.longitudinal, wheel.lateral), Regularization(1.0, 2.0, compliance)
    regularize_pair(model, slips, soft, limit=grip * wheel.normal_force)
    return model.equations()


@pytest.mark.heavy
def test_sliding_and_rolling_tend_to_the_exact_law_with_order_one() -> None:
    """A disk slides with μN, until it rolls at 0.68 s; N changes, for it leans over.

    Compliances below 1e-5 would show the exact law's own error, in a slip's direction.
    """
    exact = simulate(rolling_disk(0.3, True), 1.5, rtol=1e-12, atol=1e-13)
    soft, compliances = rolling_disk(0.3, False), np.array([1e-2, 1e-3, 1e-4])
    compile_equations(soft)
    distances = []
    for compliance in compliances:
        found = simulate(
            soft, 1.5, parameters={"compliance": compliance}, method="rosenbrock",
            rtol=1e-10, atol=1e-12,
        )  # fmt: skip
        apart = [
            found.final(s.name) - exact.final(s.name)
            for s in soft.states
            if "deflection" not in s.name
        ]
        distances.append(np.linalg.norm(apart))
    order = np.polyfit(np.log(compliances), np.log(distances), 1)[0]
    assert order == pytest.approx(1, abs=0.05)
    assert distances[-1] < 1e-4


@pytest.mark.parametrize("speed", [0.5, -3.0, 1e-5])
@pytest.mark.parametrize("limit", [2.0, 0.0])
def test_dissipation_is_what_the_force_takes_and_the_spring_does_not_keep(
    speed: float, limit: float
) -> None:
    """λ s - Ė, sliding or not, with E = ½ (c/ε) z²."""
    point = Evaluation(block(), inputs={"friction": limit})
    z = 1.2e-4
    point.start({"x_rate": speed, "foot.deflection": z})
    shown = dict(zip((o.name for o in point.equations.outputs), point.output(), strict=True))
    rates = dict(zip((s.name for s in point.equations.states), point.derivative(), strict=True))
    stored = 1.0 / 1e-4 * z * rates["foot.deflection"]
    taken = shown["force"] * speed - stored
    assert shown["dissipation"] == pytest.approx(taken, rel=1e-12, abs=1e-15)
    assert shown["dissipation"] > 0 or limit == 0


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_limit_holds_before_an_event_tells_that_it_slides(side: float) -> None:
    """Inside a trial step: the spring alone would give 5 N, the limit is 2 N, to both sides."""
    point = Evaluation(block())
    point.start()
    point.s[[s.name for s in point.equations.states].index("foot.deflection")] = side * 5e-4
    point.configure()
    shown = dict(zip((o.name for o in point.equations.outputs), point.output(), strict=True))
    assert shown["sliding"] == 0
    assert shown["force"] == pytest.approx(side * 2.0, rel=1e-12)


def test_negative_limit_acts_as_none() -> None:
    """A wheel that would pull on the ground: no friction, and none of the wrong sign."""
    for pair in (False, True):
        model = Model("lifted")
        place, fixed = model.point("place"), model.angle("fixed", fixed=True)
        foot = model.add(
            PlanarWheel("foot", place, fixed, model.angle("s", fixed=True), radius=1.0)
        )
        place.x.dof("x", "x_rate", rate_start=3.0)
        place.y.dof("y", "y_rate", rate_start=1.0)
        model.add(Body("block", place, mass=1.0))
        soft = Regularization(stiffness=1.0, damping=2.0, compliance=1e-4)
        limit = model.input("load", -5.0)
        slips = (foot.longitudinal, foot.lateral)
        if pair:
            regularize_pair(model, slips, soft, limit=limit, names=("x", "y"))
        else:
            for slip, name in zip(slips, "xy", strict=True):
                regularize(model, slip, soft, limit=limit, name=name)
        point = Evaluation(model.equations())
        point.start({"x.deflection": 1e-4, "y.deflection": -1e-4})
        assert point.derivative()[:2] == pytest.approx([0.0, 0.0], abs=1e-12)


def plate(limit: float) -> Model:
    """Return a point mass in the plane whose two slips share one limit."""
    model = Model("plate")
    place, fixed = model.point("place", (0, 0)), model.angle("fixed", fixed=True)
    standing = model.angle("standing", fixed=True)
    wheel = model.add(PlanarWheel("foot", place, fixed, standing, radius=1.0))
    place.x.dof("x", "x_rate", rate_start=3.0)
    place.y.dof("y", "y_rate", rate_start=4.0)
    model.add(Body("plate", place, mass=1))
    soft = Regularization(stiffness=1.0, damping=2.0, compliance=1e-4)
    slips = (wheel.longitudinal, wheel.lateral)
    pair = regularize_pair(model, slips, soft, limit=limit, names=("x", "y"))
    for name, contact in zip("xy", pair, strict=True):
        model.output(f"{name}.force", contact.force)
        model.output(f"{name}.sliding", contact.sliding)
    return model


@pytest.mark.heavy
def test_pair_keeps_a_circular_limit_and_slides_straight() -> None:
    run = simulate(plate(2.5).equations(), 4, **TIGHT)
    force = np.hypot(run["x.force"], run["y.force"])
    assert force.max() <= 2.5 * (1 + 1e-12)
    sliding = run["x.sliding"] > 0.5
    assert force[sliding] == pytest.approx(2.5, abs=1e-9)
    # speed 5 falls by 2.5 in a second: rest at t = 2 after 5 m, along (3, 4)/5
    assert (run.final("x"), run.final("y")) == pytest.approx((3.0, 4.0), abs=2e-3)
    assert run["y"] == pytest.approx(4 / 3 * run["x"], abs=1e-9)


def test_plain_parameters_are_told() -> None:
    for wrong, what in (
        ({"damping": 0.0}, "damping"),
        ({"compliance": -1.0}, "compliance"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"exponent": "weak"}, "weak"),
    ):
        with pytest.raises(ModelError, match=what):
            Regularization(**{"stiffness": 1.0, "damping": 2.0, "compliance": 1e-3} | wrong)
    model = Model("wrong")
    place, fixed = model.point("place", (0, 0)), model.angle("fixed", fixed=True)
    wheel = model.add(PlanarWheel("foot", place, fixed, fixed, radius=1.0))
    soft = Regularization(1.0, 2.0, 1e-3)
    with pytest.raises(ModelError, match="limit of a regularized slip is not negative"):
        regularize(model, wheel.lateral, soft, limit=-1.0)
    with pytest.raises(ModelError, match="two"):
        regularize_pair(model, (wheel.lateral,), soft, limit=1)
    with pytest.raises(ModelError, match=r"regularization is '1e6'; give Regularization\("):
        regularize(model, wheel.lateral, "1e6")  # type: ignore[arg-type]
    assert not model.states


# The vehicle


@pytest.mark.heavy
def test_vehicle_with_grip_follows_the_ideal_one(grip: Equations) -> None:
    turn = {"steer.angle": lambda t: 0.05 * np.sin(t)}
    ideal = simulate(equations_of(vehicle.model), 10, inputs=turn, progress=False)
    near = simulate(grip, 10, inputs=turn, method="Radau", progress=False)
    for name in ("chassis.x", "chassis.y"):
        assert near.final(name) == pytest.approx(ideal.final(name), abs=0.02)
    assert near.final("chassis.yaw") == pytest.approx(ideal.final("chassis.yaw"), abs=1e-3)
    assert not near.events


@pytest.mark.heavy
def test_vehicle_with_grip_slides_on_ice(grip: Equations) -> None:
    turn = {"steer.angle": 0.05}
    ice = turn | {"front.friction": 0.1, "rear.friction": 0.1}
    run = simulate(grip, 5, inputs=ice, progress=False)
    assert run.final("front.sliding") == 1
    for axle in ("front", "rear"):
        assert np.abs(run[f"{axle}.lateral_force"]).max() <= 0.1 * LOAD * (1 + 1e-12)
    assert run.final("front.friction_ratio") == pytest.approx(0.1, rel=1e-12)
    dry = simulate(grip, 5, inputs=turn, method="Radau", progress=False)
    assert run.final("chassis.y") < 0.7 * dry.final("chassis.y")


def test_motion_of_the_vehicle_against_newton_and_euler(grip: Equations) -> None:
    m, I, l, l_H = 1100.0, 900.0, 2.7, 1.1  # noqa: E741
    point = Evaluation(
        grip,
        {"chassis.mass": m, "chassis.inertia": I, "wheelbase": l, "rear_to_mass_centre": l_H,
         "steering": 2},
        {"steer.angle": 0.2, "drive.force": 700.0},
    )  # fmt: skip
    v, w, r, z_front, z_rear = 9.0, 0.01, 0.6, 1e-3, -2e-3
    point.start({
        "chassis.speed": v, "rear.slip_velocity": w, "chassis.yaw_rate": r, "chassis.yaw": 0.4,
        "front.contact.deflection": z_front, "rear.contact.deflection": z_rear,
    })  # fmt: skip
    rates = dict(zip((s.name for s in grip.states), point.derivative(), strict=True))
    shown = dict(zip((o.name for o in grip.outputs), point.output(), strict=True))
    slip = (w + l * r) * np.cos(0.2) - v * np.sin(0.2)
    assert shown["front.slip_velocity"] == pytest.approx(slip, rel=1e-12)
    load = m * 9.81 / l
    trial = {"front": 1e6 * z_front + 1500 / np.sqrt(1e-3) * slip,
             "rear": 1e6 * z_rear + 1500 / np.sqrt(1e-3) * w}  # fmt: skip
    limit = {"front": 0.9 * load * l_H, "rear": 0.9 * load * (l - l_H)}
    force = {a: -float(np.clip(trial[a], -limit[a], limit[a])) for a in trial}
    for axle in trial:
        assert shown[f"{axle}.lateral_force"] == pytest.approx(force[axle], rel=1e-12)
        assert shown[f"{axle}.sliding"] == (abs(trial[axle]) > limit[axle])
    front, rear = force["front"], force["rear"]
    along = rates["chassis.speed"] - r * (w + l_H * r)
    across = rates["rear.slip_velocity"] + l_H * rates["chassis.yaw_rate"] + v * r
    assert m * along == pytest.approx(700 - front * np.sin(0.2), rel=1e-10)
    assert m * across == pytest.approx(rear + front * np.cos(0.2), rel=1e-10)
    assert I * rates["chassis.yaw_rate"] == pytest.approx(
        (l - l_H) * front * np.cos(0.2) - l_H * rear, rel=1e-10
    )


@pytest.mark.heavy
@pytest.mark.parametrize("steering", [1, 2, 3])
def test_energy_of_the_coasting_vehicle_never_rises(grip: Equations, steering: int) -> None:
    # turning the massless front axle about its contact takes no work, whatever the steering
    run = simulate(
        grip, 4, parameters={"steering": steering},
        start={"chassis.yaw_rate": 1.5, "rear.slip_velocity": 2.0},
        inputs={"steer.angle": 0.3, "front.friction": 0.4, "rear.friction": 0.3}, **TIGHT,
    )  # fmt: skip
    stored = sum(1e6 * run[f"{axle}.contact.deflection"] ** 2 / 2 for axle in ("front", "rear"))
    total = run["energy.kinetic"] + stored
    assert np.all(np.diff(total) <= 1e-9 * total[0])
    assert total[-1] < 0.99 * total[0]


def test_linearization_knows_the_contact(grip: Equations) -> None:
    matrix = linearize(grip, {"chassis.speed": 10.0}, inputs={"steer.angle": 0.0}).state_matrix
    names = [s.name for s in grip.states]
    at = [names.index(n) for n in (
        "chassis.yaw_rate", "rear.slip_velocity", "front.contact.deflection",
        "rear.contact.deflection")]  # fmt: skip
    c, d, v, m, I, l, b = 1e6, 1500 / np.sqrt(1e-3), 10.0, 1200.0, 675.0, 2.5, 1.25  # noqa: E741
    # straight ahead, unknowns r, w, z_front, z_rear: forces -c z - d s with s_front = w + l r
    front, rear = np.array([-d * l, -d, -c, 0]), np.array([0, -d, 0, -c])
    turn = b * (front - rear) / I
    slide = (front + rear) / m - b * turn - np.array([v, 0, 0, 0])
    expected = np.array([turn, slide, [l, 1, 0, 0], [0, 1, 0, 0]])
    assert matrix[np.ix_(at, at)] == pytest.approx(expected, rel=1e-9, abs=1e-6)


# The FMU


def test_archive_is_valid_and_runs_by_default(archive: Archive) -> None:
    assert check(archive.path).problems == ()


def test_contract(archive: Archive) -> None:
    variables = archive.variables
    expected = {
        "front.friction": ("input", "continuous", "0.9"),
        "rear.friction": ("input", "continuous", "0.9"),
        "contact.stiffness": ("parameter", "tunable", None),
        "contact.damping": ("parameter", "tunable", None),
        "contact.damping_exponent": ("parameter", "tunable", "0.5"),
        "contact.compliance": ("parameter", "tunable", None),
        "rear.slip_velocity": ("output", "continuous", None),
        "front.slip_velocity": ("output", "continuous", None),
        "front.sliding": ("output", "discrete", None),
        "rear.sliding": ("output", "discrete", None),
    }
    for name, (causality, variability, start) in expected.items():
        found = variables[name]
        assert (found.causality, found.variability) == (causality, variability), name
        assert start is None or float(found.start) == float(start)
    for axle in ("front", "rear"):
        assert variables[f"{axle}.sliding"].type == "Boolean"
    states = {"chassis.speed", "rear.slip_velocity", "chassis.yaw_rate", "chassis.x", "chassis.y",
              "chassis.yaw", "front.contact.deflection", "rear.contact.deflection"}  # fmt: skip
    assert states <= set(archive.states)
    shown = {o.name for o in vehicle.model().outputs.values()}
    assert shown <= set(variables)
    assert set(vehicle.model().inputs) <= set(variables)
    assert set(vehicle.model().parameters) <= set(variables)


EXCITED = {
    "dry": ({}, 0),
    "ice": ({"front.friction": 0.1, "rear.friction": 0.1}, 1),
    "strong damping": (
        {"contact.damping_exponent": 1.0, "contact.damping": 50.0, "front.friction": 0.2}, 1,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def excited(grip: Equations) -> Callable[[str], Result]:
    """Motions in Python, each made once for all versions and methods."""

    @cache
    def motion(case: str) -> Result:
        values, _ = EXCITED[case]
        inputs = {k: v for k, v in values.items() if "friction" in k}
        parameters = {k: v for k, v in values.items() if k not in inputs}
        return simulate(
            grip, 3, inputs={"steer.angle": 0.06, **inputs}, parameters=parameters,
            rtol=1e-11, atol=1e-12, progress=False,
        )  # fmt: skip

    return motion


@pytest.mark.parametrize("case", EXCITED)
@pytest.mark.parametrize(
    "method", [RUNGE_KUTTA, RUNGE_KUTTA + 1], ids=["runge_kutta", "rosenbrock"]
)
def test_fmu_agrees_with_python(
    fmu: Instance, excited: Callable[[str], Result], case: str, method: int
) -> None:
    values, slides = EXCITED[case]
    expected = excited(case)
    start = {"steer.angle": 0.06, "solver.method": method, **values}
    assert fmu.initialize(start, tolerance=1e-10) == OK
    fmu.run(3, step=0.1)
    names = [*fmu.states, "front.lateral_force", "rear.lateral_force", "front.slip_velocity"]
    for name in names:
        scale = max(1.0, abs(expected.final(name)))
        assert fmu.get(name) == pytest.approx(expected.final(name), abs=1e-6 * scale), name
    assert fmu.get("front.sliding") == slides == expected.final("front.sliding")


def test_fmu_keeps_the_limit_when_the_road_changes(fmu: Instance) -> None:
    assert fmu.initialize({"steer.angle": 0.08}, tolerance=1e-8) == OK
    seen = set()
    for step in range(300):
        friction = 0.1 if 100 <= step < 200 else 0.9
        assert fmu.set({"front.friction": friction, "rear.friction": friction}) == OK
        for axle in ("front", "rear"):
            assert fmu.get(f"{axle}.friction_ratio") <= friction * (1 + 1e-12)
        assert fmu.step(0.01) == OK, fmu.said
        seen.add((friction, fmu.get("front.sliding")))
        for axle in ("front", "rear"):
            assert fmu.get(f"{axle}.friction_ratio") <= friction * (1 + 1e-12)
    assert (0.9, 0.0) in seen and (0.1, 1.0) in seen
    assert fmu.get("front.sliding") == 0


@pytest.mark.heavy
def test_model_exchange_finds_the_same_slides(archive: Archive) -> None:
    start = {"front.friction": 0.3, "rear.friction": 0.3, "steer.angle": 0.12}
    names = ["chassis.x", "chassis.y", "chassis.yaw", "rear.slip_velocity"]
    runs = [
        fmpy.simulate_fmu(
            archive.folder, fmi_type=kind, stop_time=4, output_interval=0.1, start_values=start,
            relative_tolerance=1e-9, output=names,
        )
        for kind in ("CoSimulation", "ModelExchange")
    ]  # fmt: skip
    for name in names:
        assert runs[0][name][-1] == pytest.approx(runs[1][name][-1], rel=1e-5, abs=1e-5), name


@pytest.mark.heavy
def test_vehicle_on_ice_slides_and_recovers(archives: Archives, tmp_path: Path) -> None:
    record = vehicle_on_ice.run(archives["vehicle_grip", "3.0"].path)
    numbers = record.numbers
    assert numbers["largest deviation, dry (m)"] < 0.01
    assert numbers["largest slip velocity, dry (m/s)"] < 0.01
    assert numbers["largest slip velocity, ice (m/s)"] > 1.0
    assert 0.2 < numbers["largest deviation, ice (m)"] < 0.8
    assert numbers["deviation at the end, ice (m)"] < 0.001
    assert numbers["sliding ends at (s)"] < record.icy["time"][-1] - 2
    assert numbers["largest friction ratio beyond the road's"] < 1e-12
    assert numbers["front ratio on ice"] == pytest.approx(0.1, rel=1e-9)
    assert abs(numbers["heading at the end, a metre more (deg)"]) > 80
    vehicle_on_ice.draw(record, tmp_path)
