"""Superposed equations: matrices, first order, contacts; against linearization and references."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import (
    Bearing,
    Body,
    Equations,
    Hinge,
    Model,
    ModelError,
    PlanarBeam,
    PlanarHinge,
    Result,
    RigidLink,
    SpatialBeam,
    Truss,
    linearize,
    simulate,
    superpose,
)
from mbcore.contact.clearance import clearance
from mbcore.contact.impact import Impact
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.contact import offset_slider_crank
from mbcore.examples.contact.rattling import MODULUS
from mbcore.fmi import export
from mbcore.fmus import clearance_joint
from mbcore.linear.linearizer import linearizer_of
from tests.conftest import ROSENBROCK, RUNGE_KUTTA, Tools

HEAVY = pytest.mark.heavy


@pytest.mark.heavy
def test_first_contact_linearized_about_the_rigid_motion() -> None:
    # derived by hand from [Schwab2002] (2.11); before contact the law does not matter
    run = simulate(
        superpose(clearance_joint.model()),
        2.5e-4,
        rtol=1e-12,
        atol=1e-12,
        parameters={"joint.youngs_modulus": MODULUS},
    )
    assert run.final("joint.impacts") == 1
    assert run.final("joint.impact_time") == pytest.approx(2.272855713e-4, abs=1e-13)
    assert run.final("joint.impact_speed") == pytest.approx(4.38577974, abs=1e-8)


def swinging() -> Model:
    """Return a driven arm with a flexible, loaded second link: every kind of term at once."""
    model = Model("swinging", gravity=(0, -9.81))
    hub = model.point("hub", fixed=True)
    arm, elbow = model.angle("arm"), model.point("elbow", (1.0, 0))
    root, tip, end = model.angle("root"), model.angle("tip"), model.point("end", (1.8, 0.3))
    anchor = model.point("anchor", (0.5, 2.0), fixed=True)
    pull = model.input("pull", 3.0, unit="N")
    valve = model.state("valve", (pull - 2.0) / 4, start=0.2)
    arm.angle.prescribe(ca.sin(3 * model.time) + 0.5 * model.time)
    first = model.add(PlanarBeam("first", hub, arm, elbow, arm, mass_per_length=2.0))
    first.bending_q.release()
    joint = model.add(PlanarHinge("joint", arm, root))
    joint.angle.dof("turn", "turn_rate")
    second = model.add(PlanarBeam("second", elbow, root, end, tip, mass_per_length=1.5))
    second.bending_p.dof("bend", "bend_rate")
    second.bending_q.dof("twist", "twist_rate")
    second.bending_p.spring(40.0, 0.3)
    spring = model.add(Truss("spring", end, anchor))
    spring.elongation.release().spring(200.0, 1.5, rest=-0.4)  # loaded in the nominal motion
    model.add(Body("end", end, mass=0.7))
    model.force(end, (pull * model.time, -2.0 * end.velocity[1]))
    model.load(-0.8 * joint.angle.value + valve, joint.angle.rate)
    model.output("end.y", end.position[1])
    model.output("end.speed", end.velocity[0])
    model.output("end.acceleration", end.acceleration[1])
    model.output("torque", -arm.angle.stress)
    model.output("tension", spring.elongation.stress)
    model.output("reaction", hub.x.reaction)
    return model


def slider_crank() -> Model:
    """Return the slider-crank of 4.4.5 with springs in its joint."""
    model = offset_slider_crank.mechanism("compliant")
    model.outputs.clear()  # r has no derivative at rest
    model.output("acceleration", model.nodes["plunger"].accelerations[0])
    model.output("torque", -model.nodes["crank"].quantities[0].stress)
    return model


def rotor_blade() -> Model:
    """Return a flexible blade in space on a hub that turns."""
    model = Model("rotor blade", gravity=(0, 0, -9.81))
    origin, end = model.point("origin", (0, 0, 0), fixed=True), model.point("end", (1, 0, 0))
    hub, tip = model.rotation("hub"), model.rotation("tip")
    hinge = model.add(Hinge("hinge", model.ground, hub, axis=(0, 0, 1)))
    hinge.angle.prescribe(20 * model.time + 3 * model.time**2)
    blade = model.add(
        SpatialBeam("blade", origin, hub, end, tip, mass_per_length=1.0, polar_inertia=0.01)
    )
    for name, q in blade.deformations.items():
        if name != "elongation":
            q.dof(name).spring(50.0, 0.2)
    model.add(Body("end", end, tip, mass=0.5, inertia=(0.1, 0.2, 0.15)))
    model.output("torque", -hinge.angle.stress)
    model.output("support", origin.z.reaction)
    model.output("acceleration", end.acceleration[2])
    return model


MODELS: dict[str, Callable[[], Model]] = {
    "swinging": swinging,
    "slider-crank": slider_crank,
    "rotor blade": rotor_blade,
}


def evaluation_at(equations: Equations, time: float) -> Evaluation:
    """Return an evaluation that has gone along the nominal motion to a time."""
    evaluation = Evaluation(equations)
    evaluation.start()
    for t in np.linspace(0, time, 21):
        evaluation.t[0] = t
        evaluation.configure()
        evaluation.accept()
    return evaluation


@cache
def both(name: str) -> tuple[Equations, Equations]:
    """Return the equations of a model, and those of small motions, made once for all times."""
    return MODELS[name]().equations(), superpose(MODELS[name]())


@pytest.mark.parametrize("time", [0.0, *(pytest.param(t, marks=HEAVY) for t in (0.011, 0.033))])
@pytest.mark.parametrize(
    "name", ["swinging", *(pytest.param(n, marks=HEAVY) for n in ("slider-crank", "rotor blade"))]
)
def test_matrices_and_outputs_are_those_of_the_linearization(name: str, time: float) -> None:
    # [Schwab2002] (2.13)
    full, superposed = both(name)
    nominal = evaluation_at(full, time)
    about = linearizer_of(full).at_point(nominal, "held")
    small = evaluation_at(superposed, time)
    mass, force = small.mass()
    assert mass == pytest.approx(about.M, rel=1e-12)
    assert force == pytest.approx(-about.f_d, rel=1e-9, abs=1e-9 * np.abs(about.f_d).max())
    scale = np.abs(about.state_matrix).max(axis=1, keepdims=True)
    assert np.all(np.abs(small.jacobian() - about.state_matrix) <= 1e-9 * scale)

    first = small.output().copy()
    assert first == pytest.approx(nominal.output(), rel=1e-9)  # forces are not linearized in
    nd = about.degrees_of_freedom
    for i in range(2 * nd):  # linear: a large step is as good as a small one
        small.s[i] += 0.1
        slope = (small.output() - first) / 0.1
        small.s[i] -= 0.1
        expected = about.output_matrix[:, i]
        scale_ = np.abs(about.output_matrix).max(axis=1) + np.abs(first)
        assert np.all(np.abs(slope - expected) <= 1e-8 * scale_)


def rattling(gap: float, equations: Equations) -> Result:
    """Simulate from the centre over contacts, with all scaled such that they look the same.

    The forces of the rigid motion do not scale: a length ~ c means a time ~ √c, K ~ 1/c, D ~ 1/√c.
    """
    share = gap / 0.5e-3
    return simulate(
        equations,
        4.5e-4 * np.sqrt(share),
        rtol=1e-12,
        atol=1e-14,
        samples=np.sqrt(share) * np.array([2.2e-4, 4.5e-4]),
        parameters={
            "joint.law": 2,
            "joint.bearing_radius": 9.5e-3 + gap,
            "joint.stiffness": 1e8 / share,
            "joint.damping": 500 / np.sqrt(share),
        },
        start={"joint.y": 0.2 * gap},
    )


@pytest.mark.heavy
def test_difference_from_the_nonlinear_equations_is_quadratic_in_the_clearance() -> None:
    model = clearance_joint.model()
    full, superposed = model.equations(), superpose(model)
    differences = []
    for gap in (0.4e-3, 0.2e-3, 0.1e-3, 0.05e-3):
        one, other = rattling(gap, full), rattling(gap, superposed)
        assert one.final("joint.impacts") == other.final("joint.impacts") == 1
        assert not one.final("contact.active")  # it has hit and left
        names = ("joint.x", "joint.y")
        differences.append([np.hypot(*(one[n][k] - other[n][k] for n in names)) for k in (0, 1)])
    before, after = np.array(differences).T
    assert before[:-1] / before[1:] == pytest.approx(4, rel=0.1)
    assert after[:-1] / after[1:] == pytest.approx(4, rel=0.1)
    assert before[-1] > 1e-13  # above rounding


@pytest.mark.heavy
def test_clearance_between_crank_and_rod_is_superposed_as_the_text_says() -> None:
    # [Schwab2002] 4.4.5: the transient corresponds very well with the full non-linear results
    model = offset_slider_crank.mechanism("clearance")
    start = {"x": 58.8e-6, "y": 16.3e-6}  # pressed into the lining, where it stays until 118°
    runs = [
        simulate(equations, 0.012, start=start, rtol=1e-10, samples=501)
        for equations in (model.equations(), superpose(model))
    ]
    assert np.abs(runs[0]["r"] - runs[1]["r"]).max() < 0.003e-6
    assert np.ptp(runs[0]["r"]) > 8e-6


def impacting(restitution: float, friction: float = 0.0) -> Model:
    """Return the slider-crank of 5.4 with a contact of rigid parts."""
    model = Model("impacting")
    axis, guide = model.point("axis", fixed=True), model.angle("guide", fixed=True)
    crank, rod = model.angle("crank"), model.angle("rod")
    pin, journal = model.point("pin", (0.05, 0)), model.point("journal", (0.17, 0))
    slider = model.point("slider", (0.17, 0))
    slider.y.fix()
    crank.angle.prescribe(523.6 * model.time)
    model.add(RigidLink("arm", axis, crank, pin))
    link = model.add(PlanarBeam("link", pin, rod, journal, rod, mass_per_length=0.145 / 0.12))
    link.bending_q.release()
    model.add(Body("slider", slider, mass=0.145))
    joint = model.add(Bearing("joint", slider, guide, journal, rod))
    joint.x.dof("x")
    joint.y.dof("y")
    law = Impact(restitution)
    contact = clearance(model, joint, 0.5e-3, law, friction=friction, journal_radius=9.5e-3)
    model.output("force", contact.force)
    model.output("force.y", contact.force_y)
    model.output("torque", -crank.angle.stress)
    model.output("guide", slider.y.reaction)
    return model


@pytest.mark.heavy
def test_impacts_linearized_about_the_rigid_motion() -> None:
    # derived by hand from [Schwab2002] (2.11) and (5.18), e = 0.95
    run = simulate(superpose(impacting(0.95)), 1.2e-3, rtol=1e-12, atol=1e-13)
    begun = np.flatnonzero(np.diff(run["joint.impacts"]) > 0) + 1
    times = [2.272855713e-4, 6.040498124e-4, 6.925580298e-4, 7.712875700e-4, 1.176445413e-3]
    speeds = [4.38577974, 2.78017577, 2.92064990, 2.47120561, 3.63955754]
    assert run["joint.impact_time"][begun] == pytest.approx(times, abs=2e-12)
    assert run["joint.impact_speed"][begun] == pytest.approx(speeds, abs=2e-8)


@pytest.mark.heavy
def test_permanent_contact_pushes_with_friction_on_all_that_it_touches() -> None:
    model = impacting(0.0, friction=0.1)
    full, small = (
        simulate(equations, 4e-4, rtol=1e-10, atol=1e-13)
        for equations in (model.equations(), superpose(model))
    )
    for run in (full, small):
        assert run.final("joint.closed.active") == 1
    assert small.final("force") == pytest.approx(full.final("force"), rel=0.01)
    assert small.final("torque") == pytest.approx(full.final("torque"), rel=0.01)
    # nothing else holds the slider across its line
    assert small.final("guide") == pytest.approx(-small.final("force.y"), rel=1e-9)


@pytest.mark.heavy
def test_fmu_of_superposed_equations(tmp_path: Path, tools: Tools) -> None:
    (archive,) = export(superpose(clearance_joint.model()), tmp_path, fmi="3.0", tools=tools)
    for method in (RUNGE_KUTTA, ROSENBROCK):  # the latter with the exact Jacobian
        given = {"joint.youngs_modulus": MODULUS, "solver.method": method}
        run = simulate_fmu(
            str(archive),
            stop_time=2.5e-4,
            output_interval=2.5e-4,
            relative_tolerance=1e-10,
            fmi_type="CoSimulation",
            start_values=given,
            output=["joint.impacts", "joint.impact_time", "joint.impact_speed"],
        )
        assert run["joint.impacts"][-1] == 1
        assert run["joint.impact_time"][-1] == pytest.approx(2.272855713e-4, abs=1e-12)
        assert run["joint.impact_speed"][-1] == pytest.approx(4.38577974, abs=1e-7)


def test_motions_that_follow_the_degrees_of_freedom_are_refused_by_name() -> None:
    model = swinging()
    arm = model.nodes["arm"].quantities[0]
    turn = model.elements["joint"].deformations["angle"]
    arm.prescribe(3 * model.time + 0.1 * turn.value, servo=True)
    with pytest.raises(ModelError, match=r"motion of arm.* depends on the degrees of freedom"):
        superpose(model)


def test_linearizing_superposed_equations_is_refused() -> None:
    with pytest.raises(ModelError, match=r"linearize model\.equations"):
        linearize(superpose(swinging()))


def test_potential_energy_is_the_models() -> None:
    """Linear in its displacements, so that both equations are the same: ½ k (x - rest)² + m g x."""
    model = Model("weight", gravity=(0, -9.81))
    place = model.point("place", (0, 0.2))
    place.x.fix()
    model.add(Body("mass", place, mass=2.0))
    place.y.dof("y", "v", start=0.2).spring(300.0, rest=0.05)
    model.output("potential", model.potential_energy)
    model.output("kinetic", model.kinetic_energy)
    for equations in (model.equations(), superpose(model)):
        point = Evaluation(equations)
        point.start({"y": 0.3, "v": 0.7})
        assert point.output() == pytest.approx([150 * 0.25**2 + 2 * 9.81 * 0.3, 0.7**2], rel=1e-13)
