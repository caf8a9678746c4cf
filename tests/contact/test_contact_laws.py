"""Laws of contact and joints with clearance, against closed forms, energy and [Schwab2002] 5.2."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mbcore import Bearing, Body, Model, ModelError, Result, RigidLink, RoleError, simulate
from mbcore.contact.clearance import Clearance, ContactLaw, clearance
from mbcore.contact.hertz import (
    Flores,
    HuntCrossley,
    Hysteresis,
    KelvinVoigt,
    LankaraniNikravesh,
    effective_restitution,
    maximum_force,
    maximum_penetration,
    stiffness,
)
from mbcore.contact.impact import Impact
from mbcore.elements.friction.coulomb import CoulombFriction

LAWS = (LankaraniNikravesh, HuntCrossley, Flores)
STEEL = (2.06e11, 0.3)
GAP = 0.5e-3


# Stiffness and estimates


def test_stiffness_of_the_journal_in_its_sleeve() -> None:
    # [Schwab2002] (5.3)
    assert stiffness(9.5e-3, -10e-3, *STEEL) == pytest.approx(6.578265e10, rel=1e-7)


def test_stiffness_on_a_plane_is_four_thirds_of_the_reduced_modulus_times_the_root() -> None:
    # Hertz's stiffness
    for radii in ((0.02, math.inf), (math.inf, 0.02), (0.04, 0.04), (0.02, 1e12)):
        reduced = 1 / ((1 - 0.3**2) / 2.06e11 + (1 - 0.4**2) / 1e9)
        expected = 4 / 3 * reduced * math.sqrt(0.02)
        assert stiffness(*radii, *STEEL, 1e9, 0.4) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "radii",
    [(0.0, 1.0), (-1.0, -2.0), (-1.0, 1.0), (1.0, -0.9), (math.inf, math.inf),
     (math.inf, -1.0), (math.nan, 1.0)],
)  # fmt: skip
def test_impossible_radii_are_refused(radii: tuple[float, float]) -> None:
    with pytest.raises(ModelError, match=r"radi"):
        stiffness(*radii, *STEEL)


def test_impossible_materials_are_refused() -> None:
    with pytest.raises(ModelError, match=r"Young's modulus = 0"):
        stiffness(1.0, 1.0, 0.0, 0.3)
    with pytest.raises(ModelError, match=r"Poisson's ratio = 0.6: must be at most 0.5"):
        stiffness(1.0, 1.0, 1e9, 0.6)
    with pytest.raises(ModelError, match=r"restitution = 1.1"):
        HuntCrossley(1e9, 1.1)
    with pytest.raises(ModelError, match=r"Flores' law = 0"):
        Flores(1e9, 0.0)
    with pytest.raises(ModelError, match=r"damping = -1"):
        KelvinVoigt(1e9, -1.0)


def test_maximum_force_from_the_impulse() -> None:
    # [Schwab2002] (5.30), (5.32), (5.33) for Fig. 5.2; [Schwab2002] (5.34) for a linear spring
    impulse, mass, K = 0.145 * 5, 0.145, 65.8e9
    assert maximum_penetration(impulse, mass, K) == pytest.approx(8.613841e-5, rel=1e-7)
    assert maximum_force(impulse, mass, K) == pytest.approx(52604.291, rel=1e-8)
    assert maximum_force(3.0, 2.0, 50.0, exponent=1.0) == pytest.approx(5.0 * 3.0, rel=1e-14)


# Laws


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("e", [0.05, 0.3, 0.75, 0.95, 0.999])
@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_effective_restitution_is_that_of_a_sphere(
    law: type[Hysteresis], e: float, exponent: float
) -> None:
    mass, speed, K = 0.3, 2.0, 4e6
    given = law(K, e, exponent)

    def motion(t: float, s: np.ndarray) -> list[float]:
        return [s[1], -float(given(s[0], s[1], speed)) / mass]

    def left(t: float, s: np.ndarray) -> float:
        return s[0] if t > 0 else 1.0

    left.terminal, left.direction = True, -1  # type: ignore[attr-defined]
    impact = solve_ivp(motion, (0, 10), [0.0, speed], events=left, rtol=1e-11, atol=1e-14)
    assert -impact.y[1, -1] / speed == pytest.approx(effective_restitution(law, e), abs=1e-7)


def test_effective_restitution_of_the_text_and_its_limits() -> None:
    # Lankarani-Nikravesh's law and its like, [Schwab2002] (5.10)
    assert effective_restitution(LankaraniNikravesh, 0.95) == pytest.approx(0.953506, abs=5e-7)
    for law in LAWS:
        assert effective_restitution(law, 1.0) == 1.0
    # e' = 1 - 2 kappa/3 + ... has slope 1, 1, 16/15
    for law, slope in zip(LAWS, (1, 1, 16 / 15), strict=True):
        for d in (1e-6, 1e-3):
            assert (1 - effective_restitution(law, 1 - d)) / d == pytest.approx(slope, abs=2 * d)
    assert effective_restitution(Flores, 1e-3) == pytest.approx(1 / (1600 * 0.999), rel=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_hysteresis_never_pulls_and_has_a_finite_derivative_at_no_contact(
    law: type[Hysteresis],
) -> None:
    depth, rate = ca.SX.sym("depth"), ca.SX.sym("rate")
    for exponent in (1.0, 1.5, 2.5):
        force = law(1e9, 0.6, exponent)(depth, rate, 1.0)
        f = ca.Function("f", [depth, rate], [force, ca.jacobian(force, ca.vertcat(depth, rate))])
        for d in (-1e-3, 0.0):
            value, slope = f(d, 2.0)
            assert float(value) == 0
            assert np.isfinite(np.array(slope)).all()
        assert float(f(1e-4, -100.0)[0]) == 0


# In a model


def ball(law: object, speed: float = 5.0, mass: float = 0.145) -> Model:
    """A sphere that flies into a hollow, with its energies."""
    model = Model("ball")
    hollow, still = model.point("hollow", fixed=True), model.angle("still", fixed=True)
    centre, turn = model.point("centre", (0.499e-3, 0)), model.angle("turn", fixed=True)
    joint = model.add(Bearing("joint", hollow, still, centre, turn))
    joint.x.dof("x", "x_rate", 0.499e-3, speed, nominal=1e-5)
    joint.y.dof("y", "y_rate", nominal=1e-5)
    model.add(Body("ball", centre, mass=mass))
    contact = clearance(model, joint, GAP, law)  # type: ignore[arg-type]
    model.state("loss", contact.force * contact.penetration_rate, unit="J", nominal=0.1)
    for name in ("force", "penetration", "in_contact"):
        model.output(name, getattr(contact, name))
    model.output("energy", model.kinetic_energy)
    return model


def impact(model: Model, until: float = 6e-5) -> Result:
    return simulate(model.equations(), until, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("e", [0.5, pytest.param(0.95, marks=pytest.mark.heavy)])
def test_loss_in_the_loop_is_that_of_kinetic_energy(law: type[Hysteresis], e: float) -> None:
    # [Schwab2002] (5.2), (5.4)
    run = impact(ball(law(65.8e9, e)))
    before = 0.145 * 25 / 2
    loss = before * (1 - effective_restitution(law, e) ** 2)
    assert run.final("loss") == pytest.approx(loss, rel=1e-8)
    assert before - run.final("energy") == pytest.approx(loss, rel=1e-8)
    assert run.final("joint.impact_speed") == pytest.approx(5.0, rel=1e-12)
    assert run.final("joint.impact_time") == pytest.approx(1e-6 / 5, rel=1e-6)
    assert run.final("joint.impacts") == 1
    assert [name for _, name in run.events] == ["joint.contact"] * 2


def test_kelvin_voigt_rebounds_as_a_damped_oscillator_and_pulls_at_the_end() -> None:
    # Kelvin-Voigt
    mass, k = 0.145, 1e8
    d = 2 * 0.2 * math.sqrt(k * mass)  # a fifth of critical damping
    run = impact(ball(KelvinVoigt(k, d)), 2e-4)
    restitution = math.exp(-math.pi * 0.2 / math.sqrt(1 - 0.2**2))
    assert -run.final("x_rate") / 5.0 == pytest.approx(restitution, rel=1e-7)
    duration = run.events[1][0] - run.events[0][0]
    frequency = math.sqrt(k / mass * (1 - 0.2**2))
    assert duration == pytest.approx(math.pi / frequency, rel=1e-7)
    assert run["force"].min() < -100


def test_contact_that_begins_at_rest_stays_finite() -> None:
    model = ball(LankaraniNikravesh(65.8e9, 0.95), speed=0.0)
    model.force(model.nodes["centre"], (10.0, 0.0))  # type: ignore[arg-type]
    start = {"x": GAP, "x_rate": 0.0}
    run = simulate(model.equations(), 2e-3, start=start, rtol=1e-8, atol=1e-10)
    assert run.final("in_contact") == 1
    assert run["penetration"].max() < 1.05 * (10 * 2.5 / 65.8e9) ** (1 / 1.5)


R_J, RATIO, SPIN = 9.5e-3, 0.2, 300.0


def rubbing(
    friction: float, *, spin: float = SPIN, law: ContactLaw | Impact | None = None
) -> tuple[Model, Clearance]:
    """A heavy shaft that spins in a sleeve which is free to turn about its centre."""
    model = Model("rubbing", gravity=(0, -9.81))
    middle, shell = model.point("middle", fixed=True), model.angle("shell")
    centre, shaft = model.point("centre", (0, -GAP)), model.angle("shaft")
    joint = model.add(Bearing("joint", middle, shell, centre, shaft))
    centre.x.dof("x", nominal=1e-5)
    centre.y.dof("y", start=-GAP, nominal=1e-5)
    shell.angle.dof("shell", "shell_rate")
    shaft.angle.dof("shaft", "shaft_rate", rate_start=spin)
    joint.x.release()
    joint.y.release()
    joint.rotation.release()
    model.add(Body("shell", middle, shell, mass=1.0, inertia=1e-3))
    model.add(Body("shaft", centre, shaft, mass=2.0, inertia=1e-4))
    law = law or KelvinVoigt(1e6, 1e3)
    rubs = CoulombFriction(friction, speed=1e-3)
    contact = clearance(model, joint, GAP, law, friction=rubs, journal_radius=R_J)
    power = contact.friction_force * contact.sliding_speed
    loss = power + contact.force * contact.penetration_rate
    lost = model.state("loss", loss, unit="J")
    stored = 1e6 * contact.penetration**2 / 2
    kept = model.kinetic_energy + model.potential_energy
    model.output("energy", kept)
    model.output("balance", kept + lost, unit="J")
    model.output("stored", stored, unit="J")
    model.output("friction power", power, unit="W")
    model.output("sliding", contact.sliding_speed, unit="m/s")
    model.output("friction", contact.friction_force, unit="N")
    model.output("force", contact.force, unit="N")
    return model, contact


def test_friction_dissipates_what_the_bodies_lose_and_gives_momentum_on() -> None:
    model, _ = rubbing(RATIO)
    run = simulate(model.equations(), 0.05, rtol=1e-9, atol=1e-10, samples=400)
    assert np.ptp(run["balance"]) < 1e-7 * run["balance"].max()
    assert run["friction power"].min() >= 0
    assert run["friction power"].max() > 1
    assert run.final("shell_rate") > 0.1  # dragged along
    assert run.final("shaft_rate") < SPIN - 1
    slides = run["sliding"] > 1.0
    ratio = run["friction"][slides] / np.maximum(run["force"][slides], 1e-12)
    touching = run["force"][slides] > 1.0
    assert touching.any()
    assert ratio[touching] == pytest.approx(RATIO, rel=1e-6)


def test_rigid_contact_rubs_with_coulomb_s_force_against_the_sliding() -> None:
    """A shaft that lies in its sleeve: the force is its weight and what keeps it on its circle."""
    # Coulomb's law
    model, contact = rubbing(0.3, law=Impact(0.0))
    model.output("across", contact.force_x, unit="N")
    model.output("moment", contact.friction_moment, unit="N.m")
    run = simulate(model.equations(), 1e-3, samples=5)
    found = {name: run[name][1:] for name in run}  # behind the start, where the contact closes
    assert found["sliding"].min() > 1.0
    assert found["force"] == pytest.approx(2 * 9.81, rel=0.01)
    assert found["friction"] / found["force"] == pytest.approx(0.3, rel=1e-6)
    assert (found["friction power"] > 1.0).all()
    assert found["moment"] == pytest.approx(R_J * found["friction"], rel=1e-12)
    # under the sleeve's centre the shaft slides to the right, and takes the sleeve along
    assert found["across"] == pytest.approx(0.3 * 2 * 9.81, rel=0.01)


def test_without_friction_the_shaft_keeps_its_spin() -> None:
    model, _ = rubbing(0.0)
    run = simulate(model.equations(), 0.02, rtol=1e-9, atol=1e-10)
    assert run.final("shaft_rate") == pytest.approx(SPIN, rel=1e-12)
    assert run.final("shell_rate") == pytest.approx(0, abs=1e-9)


def test_moments_of_friction_on_both_bodies() -> None:
    # by Newton: journal -F_t R_j about its centre; sleeve F_t (R_j + r) about its own
    from mbcore.evaluation.evaluation import Evaluation

    evaluation = Evaluation(rubbing(RATIO)[0].equations())
    depth = 2e-5
    evaluation.start({"y": -GAP - depth})
    names = [state.name for state in evaluation.equations.states]
    rates = dict(zip(names, evaluation.derivative(), strict=True))
    force = 1e6 * depth
    sliding = SPIN * R_J
    tangential = RATIO * force * sliding / math.hypot(sliding, 1e-3)
    r = GAP + depth
    assert rates["shaft_rate"] == pytest.approx(-tangential * R_J / 1e-4, rel=1e-9)
    assert rates["shell_rate"] == pytest.approx(tangential * (R_J + r) / 1e-3, rel=1e-9)
    # below the sleeve's centre a shaft that turns counter-clockwise is driven to the left
    assert rates["x_rate"] == pytest.approx(-tangential / 2.0, rel=1e-9)


@pytest.mark.heavy
def test_any_revolute_joint_of_a_model_may_have_clearance() -> None:
    # the support of a pendulum; energy is lost in the contact only
    # [Schwab2002] (5.1)
    model = Model("pendulum", gravity=(0, -9.81))
    support, still = model.point("support", fixed=True), model.angle("still", fixed=True)
    eye, arm = model.point("eye", (0, -1e-4)), model.angle("arm", -0.6)
    bob = model.point("bob", (math.cos(0.6), -math.sin(0.6) - 1e-4))
    model.add(RigidLink("rod", eye, arm, bob))
    pivot = model.add(Bearing("pivot", support, still, eye, arm))
    pivot.x.dof("pivot.x", "pivot.x_rate", nominal=1e-5)
    pivot.y.dof("pivot.y", "pivot.y_rate", start=-1e-4, nominal=1e-5)
    pivot.rotation.dof("angle", "rate", start=-0.6)
    model.add(Body("eye", eye, mass=0.1))
    model.add(Body("bob", bob, mass=1.0))
    contact = clearance(
        model, pivot, 1e-4, HuntCrossley(1e9, 0.6), friction=0.3, journal_radius=5e-3
    )
    lost = model.state(
        "loss",
        contact.force * contact.penetration_rate + contact.friction_force * contact.sliding_speed,
        unit="J",
    )
    model.output("balance", model.kinetic_energy + model.potential_energy + lost, unit="J")
    model.output("force", contact.force, unit="N")
    run = simulate(model.equations(), 0.3, rtol=1e-8, atol=1e-10, samples=500)
    assert np.ptp(run["balance"]) < 1e-6
    assert run.final("loss") > 0
    assert run.final("pivot.impacts") >= 1
    assert np.hypot(run["pivot.x"], run["pivot.y"]).max() < 1.5e-4


def joint_of(model: Model, **roles: bool) -> Bearing:
    a, still = model.point("a", fixed=True), model.angle("still", fixed=True)
    b = model.point("b")
    joint = model.add(Bearing("joint", a, still, b, still))
    if roles.get("free", True):
        joint.x.dof("x")
        joint.y.dof("y")
    return joint


def test_what_makes_no_contact_is_refused_and_changes_nothing() -> None:
    law = KelvinVoigt(1e6)
    model = Model("m")
    joint = joint_of(model, free=False)
    with pytest.raises(RoleError, match=r"joint\.x is rigid.*release"):
        clearance(model, joint, GAP, law)
    assert not model.discretes and not model.events
    model = Model("m")
    joint = joint_of(model)
    with pytest.raises(ModelError, match=r"radius gap = 0\.0 must be greater than 0"):
        clearance(model, joint, 0.0, law)
    with pytest.raises(ModelError, match="needs journal_radius"):
        clearance(model, joint, GAP, law, friction=0.1)
    with pytest.raises(ModelError, match=r"friction of joint: coefficient = -0\.1"):
        clearance(model, joint, GAP, law, friction=-0.1, journal_radius=1e-2)
    with pytest.raises(ModelError, match="not an element of model other"):
        clearance(Model("other"), joint, GAP, law)
    assert not model.discretes and not model.events and not joint.x.laws


def test_what_pulls_does_not_rub() -> None:
    """Kelvin-Voigt pulls while the parts separate fast; Coulomb's law knows pressure only."""
    from mbcore.evaluation.evaluation import Evaluation

    evaluation = Evaluation(rubbing(RATIO)[0].equations())
    evaluation.start({"y": -GAP - 2e-5, "y_rate": 0.5})
    shown = dict(
        zip((o.name for o in evaluation.equations.outputs), evaluation.output(), strict=True)
    )
    assert shown["force"] == pytest.approx(1e6 * 2e-5 - 1e3 * 0.5, rel=1e-9)
    assert shown["friction"] == 0.0
    names = [state.name for state in evaluation.equations.states]
    rates = dict(zip(names, evaluation.derivative(), strict=True))
    assert rates["shaft_rate"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_slow_impact_rebounds_as_a_fast_one(law: type[Hysteresis]) -> None:
    """The factor is κ over the impact speed, down to 1 mm/s as documented."""
    # the laws of Lankarani-Nikravesh and Hunt-Crossley, and the law of Flores
    K, e, depth, rate = 4e6, 0.6, 1e-5, 4e-4
    kappa = {
        LankaraniNikravesh: 3 * (1 - e**2) / 4,
        HuntCrossley: 3 * (1 - e) / 2,
        Flores: 8 * (1 - e) / (5 * e),
    }[law]
    for speed, felt in ((2e-3, 2e-3), (1.1e-3, 1.1e-3), (1e-4, 1e-3)):
        expected = K * depth**1.5 * (1 + kappa * rate / felt)
        assert float(law(K, e)(depth, rate, speed)) == pytest.approx(expected, rel=1e-12)
