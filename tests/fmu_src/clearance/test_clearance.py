"""The clearance joint as a force element: closed forms of stick and slip, balances, coupling."""

from __future__ import annotations

import math
from collections.abc import Mapping

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model, ModelError, SimulationError, simulate
from mbcore.contact.journal_bearing import film
from mbcore.examples.contact import clearance_coupled
from mbcore.fmus import clearance
from mbcore.fmus.clearance.forces import add_forces
from mbcore.fmus.clearance.motion import Part, relative
from mbcore.fmus.clearance.parameters import add_parameters
from mbcore.results.result import Result
from tests.built import hastily
from tests.conftest import equations_of

GAP, JOURNAL, WEIGHT = 0.5e-3, 9.5e-3, 9.81
LINEAR, LUBRICATED = 2, 3
STIFFNESS, TANGENTIAL = 1e8, 1e7
"""Default values, N/m."""
FRICTION = 0.3


def at(motion: Mapping[str, float], values: Mapping[str, float]) -> Result:
    """The joint at a motion that is given, for an instant."""
    start = {"inputs": {name: (lambda t, v=v: v) for name, v in motion.items()}}
    return simulate(equations_of(clearance.model), 1e-9, parameters=values, samples=2, **start)


def turned(end: float, depth: float, amplitude: float, static: float, samples: int) -> Result:
    """The journal turns to and fro, pressed to a fixed depth: a shift along the sleeve."""
    angle = amplitude / JOURNAL
    inputs = {
        "journal.x": lambda t: GAP + depth,
        "journal.angle": lambda t: angle * math.sin(2 * math.pi * t),
        "journal.angle_rate": lambda t: 2 * math.pi * angle * math.cos(2 * math.pi * t),
    }
    values = {
        "law": LINEAR,
        "friction.coefficient": FRICTION,
        "friction.static": static,
        "friction.damping": 0.0,
    }
    return simulate(
        equations_of(clearance.model), end, inputs=inputs, parameters=values, samples=samples
    )


# Friction


def test_shifts_to_and_fro_follow_the_hysteresis_of_spring_and_slider() -> None:
    depth, amplitude = 1e-6, 1e-5
    run = turned(1.5, depth, amplitude, 0.0, 601)
    force = run["contact.friction_force"]
    limit = FRICTION * STIFFNESS * depth
    shift = amplitude * np.sin(2 * np.pi * run.time)
    # a spring in series with a dry slider, by hand, from one turning point to the next
    expected, place = np.empty_like(shift), 0.0
    for i, s in enumerate(shift):
        pull = np.clip(TANGENTIAL * (s - place), -limit, limit)
        place, expected[i] = s - pull / TANGENTIAL, pull
    assert force == pytest.approx(expected, abs=1e-4 * limit)
    whole = run.time > 0.499
    lost = np.trapezoid(force[whole], shift[whole])
    assert lost == pytest.approx(4 * limit * (amplitude - limit / TANGENTIAL), rel=5e-3)


def test_static_friction_is_passed_before_sliding_begins() -> None:
    run = turned(0.3, 1e-6, 1e-5, 0.5, 241)
    force, turning = run["contact.friction_force"], 200
    assert force.max() == pytest.approx(0.5 * STIFFNESS * 1e-6, rel=0.01)
    kinetic = FRICTION * STIFFNESS * 1e-6
    assert force[turning - 1] == pytest.approx(kinetic, rel=1e-12)
    assert run["sticks"][0] == 1 and run["sticks"][turning - 1] == 0
    # it sticks again where it turns back, with the force that it has there
    back = 1e-5 * (1 - np.sin(2 * np.pi * run.time[turning + 1 :]))
    assert force[turning + 1 :] == pytest.approx(kinetic - TANGENTIAL * back, rel=1e-6)


def test_the_spring_keeps_its_elongation_while_the_journal_rolls_around() -> None:
    """It rolls around the sleeve twice, while its surface is shifted slowly by 1 um along this."""
    shift, distance = 1e-6, GAP + 1e-6

    def around(t: float) -> float:
        return 4 * math.pi * t**2

    inputs = {
        "journal.x": lambda t: distance * math.cos(around(t)),
        "journal.y": lambda t: distance * math.sin(around(t)),
        "journal.x_rate": lambda t: -distance * math.sin(around(t)) * 8 * math.pi * t,
        "journal.y_rate": lambda t: distance * math.cos(around(t)) * 8 * math.pi * t,
        "journal.angle": lambda t: (shift * t - distance * around(t)) / JOURNAL,
        "journal.angle_rate": lambda t: (shift - distance * 8 * math.pi * t) / JOURNAL,
    }
    values = {"law": LINEAR, "friction.coefficient": FRICTION, "friction.damping": 0.0}
    run = simulate(equations_of(clearance.model), 1.0, inputs=inputs, parameters=values, samples=41)
    assert run["sticks"].all()
    expected = TANGENTIAL * shift * run.time
    assert run["contact.friction_force"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("way", [1, -1])
def test_energy_of_the_tangential_spring_while_the_depth_changes(way: int) -> None:
    """It is off by ∮ T α dr: π T₀ α₀ Δ in a cycle of α = α₀ sin, r = r₀ + Δ cos, lost or made.

    The work is ∮ T v dt with v dt = ds - α dr, as s = s₀ + r α + R φ. Here φ undoes the rolling at
    r₀, so that T = T₀ + k α (r - r₀), whose last part does no work in a cycle.
    """
    depth, part, roll, shift = 1e-6, 2e-7, 0.1, 1e-6
    turn, mean = 2 * math.pi, GAP + depth

    def ramp(t: float) -> float:  # the spring is drawn in the first cycle
        return shift * min(t, 1.0)

    def motion(t: float) -> tuple[float, float, float, float]:
        return (
            way * roll * math.sin(turn * t),
            way * roll * turn * math.cos(turn * t),
            mean + part * math.cos(turn * t),
            -part * turn * math.sin(turn * t),
        )

    def place(t: float, name: str) -> float:
        angle, angle_rate, r, rate = motion(t)
        cosine, sine = math.cos(angle), math.sin(angle)
        return {
            "journal.x": r * cosine,
            "journal.y": r * sine,
            "journal.x_rate": rate * cosine - r * angle_rate * sine,
            "journal.y_rate": rate * sine + r * angle_rate * cosine,
            "journal.angle": (ramp(t) - mean * angle) / JOURNAL,
            "journal.angle_rate": ((shift if t < 1 else 0) - mean * angle_rate) / JOURNAL,
        }[name]

    names = [f"journal.{q}" for q in ("x", "y", "x_rate", "y_rate", "angle", "angle_rate")]
    inputs = {name: (lambda t, name=name: place(t, name)) for name in names}
    values = {
        "law": LINEAR,
        "friction.coefficient": FRICTION,
        "friction.damping": 0.0,
        "contact.damping": 0.0,
    }
    equations = equations_of(clearance.model)
    run = simulate(equations, 2.0, inputs=inputs, parameters=values, samples=201)
    cycle = slice(100, 200)
    assert (run["sticks"] == 1).all()
    force = run["contact.friction_force"][cycle]
    along = [r * angle_rate for _, angle_rate, r, _ in map(motion, run.time[cycle])]
    turning = [JOURNAL * place(t, "journal.angle_rate") for t in run.time[cycle]]
    work = np.mean(force * (np.array(along) + turning))  # a cycle takes a second
    made = math.pi * TANGENTIAL * shift * roll * part
    assert work == pytest.approx(way * made, rel=1e-6)


def lying(angle: float) -> Model:
    """A journal that does not turn and lies in a sleeve, by an angle beside its lowest place."""
    model = Model("lying")
    depth = WEIGHT * math.cos(angle) / STIFFNESS
    way = np.array([math.sin(angle), -math.cos(angle)])
    centre, turn = model.point("C", (GAP + depth) * way), model.angle("turn")
    model.add(Body("journal", centre, turn, mass=1.0, inertia=4e-5))
    turn.angle.fix()
    centre.x.dof("x")
    centre.y.dof("y")
    rest = Part(*6 * [ca.SX(0)])
    journal = Part(*centre.position.elements(), turn.value, *centre.velocity.elements(), turn.rate)
    motion = relative(journal, rest)
    forces = add_forces(model, motion, add_parameters(model))
    model.force(centre, (-forces.x, -forces.y - WEIGHT))
    model.output("angle", motion.angle + math.pi / 2)
    model.output("across", motion.across)
    model.output("distance", motion.eccentricity)
    model.output("sticks", forces.sticks)
    return model


@pytest.mark.parametrize("degrees", [5, 12])
def test_a_journal_within_the_cone_shifts_by_its_load_over_the_stiffness(degrees: float) -> None:
    angle = math.radians(degrees)
    values = {
        "law": LINEAR,
        "friction.coefficient": FRICTION,
        "contact.damping": 2e4,
        "friction.damping": 7e3,
    }
    run = simulate(lying(angle).equations(), 0.03, parameters=values)
    shift = angle - run.final("angle")
    load = WEIGHT * math.sin(run.final("angle"))
    assert shift * run.final("distance") == pytest.approx(load / TANGENTIAL, rel=1e-9)
    assert run.final("sticks") == 1


def test_a_journal_beyond_the_cone_slides_down() -> None:
    angle = math.radians(20)
    values = {"law": LINEAR, "friction.coefficient": FRICTION, "contact.damping": 2e4}
    run = simulate(lying(angle).equations(), 2e-3, parameters=values, samples=201)
    late = run.time > 1e-3
    angle, speed = run["angle"][late], run["across"][late]
    load = WEIGHT * np.cos(angle) + speed**2 / GAP
    pull = FRICTION * load - WEIGHT * np.sin(angle)
    change = np.diff(speed) / np.diff(run.time[late])
    assert change == pytest.approx((pull[1:] + pull[:-1]) / 2, rel=2e-3)


# Forces


SLIDING = {
    "journal.x": 0.4e-3,
    "journal.y": 0.5e-3,
    "journal.x_rate": 0.3,
    "journal.y_rate": -0.2,
    "journal.angle": 0.7,
    "journal.angle_rate": 20.0,
    "sleeve.x": 0.05e-3,
    "sleeve.y": 0.02e-3,
    "sleeve.x_rate": -0.1,
    "sleeve.y_rate": 0.05,
    "sleeve.angle": -0.4,
    "sleeve.angle_rate": 35.0,
}
SLIDES = {"friction.coefficient": FRICTION, "friction.damping": 1e5}
"""The damper alone takes more than friction can: contact begins with sliding."""
LAWS = {"hertz": SLIDES | {"law": 1}, "linear": SLIDES | {"law": LINEAR, "contact.damping": 1e3}}


@pytest.mark.parametrize("law", LAWS)
def test_forces_balance_and_take_the_power_of_the_contact(law: str) -> None:
    run = at(SLIDING, LAWS[law])
    on = {p: [run[f"{p}.{q}"][0] for q in ("force_x", "force_y", "torque")] for p in PARTS}
    place = {p: np.array([SLIDING[f"{p}.{a}"] for a in "xy"]) for p in PARTS}
    assert np.add(on["journal"], on["sleeve"])[:2] == pytest.approx([0, 0])
    moment = sum(on[p][2] + place[p][0] * on[p][1] - place[p][1] * on[p][0] for p in PARTS)
    assert moment == pytest.approx(0, abs=1e-9)
    # power of all forces on both bodies: what the law's depth takes, and friction, by hand
    rates = {p: [SLIDING[f"{p}.{q}_rate"] for q in ("x", "y", "angle")] for p in PARTS}
    power = sum(np.dot(on[p], rates[p]) for p in PARTS)
    way = place["journal"] - place["sleeve"]
    distance = np.hypot(*way)
    along = way / distance
    motion = np.subtract(rates["journal"], rates["sleeve"])[:2]
    surface = np.dot(motion, [-along[1], along[0]])
    surface += JOURNAL * rates["journal"][2] - (JOURNAL + distance) * rates["sleeve"][2]
    normal, friction = run["contact.normal_force"][0], run["contact.friction_force"][0]
    assert friction == pytest.approx(FRICTION * normal * np.sign(surface))
    assert power == pytest.approx(-normal * np.dot(motion, along) - friction * surface)
    assert run["contact.depth"][0] == pytest.approx(distance - GAP)


PARTS = ("journal", "sleeve")


def test_hertz_s_force_is_that_of_two_spheres() -> None:
    run = at(SLIDING, LAWS["hertz"] | {"contact.restitution": 1.0})
    # [Schwab2002] (5.3): two equal materials, radii R and -(R + c)
    h = (1 - 0.3**2) / (math.pi * 2.06e11)
    radius = JOURNAL * (JOURNAL + GAP) / GAP
    K = 4 / (3 * math.pi * 2 * h) * math.sqrt(radius)
    assert run["contact.normal_force"][0] == pytest.approx(K * run["contact.depth"][0] ** 1.5)


def test_the_film_is_that_of_appendix_c_on_turning_axes() -> None:
    inside = SLIDING | {"journal.x": 0.2e-3, "journal.y": -0.1e-3}
    run = at(inside, {"law": LUBRICATED})
    sine, cosine = math.sin(-0.4), math.cos(-0.4)
    axes = np.array([[cosine, sine], [-sine, cosine]])
    way = axes @ [0.15e-3, -0.12e-3]
    rate = axes @ [0.4, -0.25] + 35.0 * np.array([way[1], -way[0]])
    sizes = {"radius": JOURNAL, "clearance": GAP, "length": 20e-3, "viscosity": 0.1}
    oil = film(tuple(way), tuple(rate), -15.0, **sizes)
    force = axes.T @ [float(oil.force_x), float(oil.force_y)]
    assert [run[f"sleeve.force_{a}"][0] for a in "xy"] == pytest.approx(force)
    assert run["sleeve.torque"][0] == pytest.approx(float(oil.moment))
    couple = 0.15e-3 * force[1] + 0.12e-3 * force[0]
    assert run["journal.torque"][0] == pytest.approx(couple - float(oil.moment))


@pytest.mark.parametrize(
    ("motion", "values", "told"),
    [
        ({}, {"friction.coefficient": 0.3, "friction.static": 0.2}, "friction.static"),
        ({"journal.x": 1.1e-3}, {}, "overlap by more than the clearance"),
        ({"journal.x": 0.51e-3}, {"law": LUBRICATED}, "eccentricity"),
    ],
)
def test_what_cannot_be_is_refused(
    motion: dict[str, float], values: dict[str, float], told: str
) -> None:
    with pytest.raises((ModelError, SimulationError), match=told):
        at(motion, values)


# Coupling


@pytest.mark.heavy
def test_coupled_fmus_converge_to_the_fmu_that_has_the_whole(tmp_path, tools) -> None:  # type: ignore[no-untyped-def]
    sticks = clearance_coupled.FRICTION["sticks"]
    exact = clearance_coupled.alone(sticks)
    with hastily():
        fmus = clearance_coupled.exported(tmp_path, "2.0", tools=tools)
    for coupling, order in (("held", 1), ("extrapolated", 2)):
        coarse, fine = (
            clearance_coupled.error(fmus, coupling, h, sticks, exact) for h in (0.5e-6, 0.25e-6)
        )
        assert math.log2(coarse / fine) == pytest.approx(order, abs=0.03)
