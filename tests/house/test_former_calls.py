"""Calls from before options were records: taken with a warning, or refused by the new line."""

from __future__ import annotations

import re
from typing import Any

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Bearing,
    Equations,
    Model,
    ModelError,
    ModelWarning,
    PlanarWheel,
    StateName,
    simulations,
    sweep,
)
from mbcore.contact import (
    Impact,
    KelvinVoigt,
    regularize,
    regularize_pair,
    unilateral_contact,
)
from mbcore.contact.clearance import clearance
from mbcore.fmi import closed_loop
from mbcore.vibration import (
    Equilibria,
    Flow,
    Periodic,
    Shooting,
    SteadyMotions,
    continuation,
    periodic_solution,
)
from tests.oscillators import duffing


@pytest.fixture(scope="module")
def oscillator() -> Equations:
    return duffing().equations()


@pytest.mark.parametrize(
    ("former", "line"),
    [
        (
            {"of": "periodic", "period": 6.5, "autonomous": True, "longest": 0.2},
            "of = 'periodic' is removed; a family of solutions is an object now: "
            "continuation(Periodic(equations, period=6.5, autonomous=True), 'speed', (3, 9), "
            "steps=Steps(longest=0.2)); import Periodic, Steps from mbcore.vibration",
        ),
        (
            {"of": "steady", "find": ["torque"], "conditions": {"v": 1.0}, "progress": False},
            "continuation(SteadyMotions(equations, conditions={'v': 1.0}, find=['torque']), "
            "'speed', (3, 9), progress=False); import SteadyMotions from",
        ),
        ({"parameters": {"c": 2}}, "continuation(Equilibria(equations, parameters={'c': 2}), 'sp"),
        ({"of": "periodic", "period": lambda v: 1 / v}, "Periodic(equations, period=...), 'speed'"),
        ({"step": 0.1, "points": 9}, "Equilibria(equations), 'speed', (3, 9), steps=Steps(first="),
    ],
)
def test_continuation_of_equations_names_the_line_that_does_the_same(
    oscillator: Equations, former: dict[str, Any], line: str
) -> None:
    with pytest.raises(ModelError, match=re.escape(line)):
        continuation(oscillator, "speed", (3, 9), **former)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=re.escape(line)):
        continuation(equations=oscillator, parameter="speed", between=(3, 9), **former)  # type: ignore[call-arg]


def test_arguments_of_a_family_are_refused_beside_it(oscillator: Equations) -> None:
    for family in (Equilibria, SteadyMotions, Periodic):
        line = f"arguments have changed; .*{family.__name__}\\(equations, parameters="
        with pytest.raises(ModelError, match=line):
            continuation(family(oscillator), "speed", (3, 9), parameters={})  # type: ignore[call-arg]
    with pytest.raises(ModelError, match="'duffing' is no family of solutions; give Equilibria"):
        continuation("duffing", "speed", (3, 9))  # type: ignore[arg-type]


def test_lengths_of_steps_are_taken_with_a_warning(oscillator: Equations) -> None:
    family = Equilibria(oscillator)
    for former, line in (
        ({"step": 2.0}, r"step is given in a record now, steps=Steps\(first=2\.0\)"),
        ({"step": 0.1, "points": 1}, r"step, points are .*, steps=Steps\(first=0\.1, points=1\)"),
    ):
        with pytest.warns(ModelWarning, match=line), pytest.raises(ModelError, match="steps"):
            continuation(family, "speed", (3, 9), **former)  # type: ignore[call-arg]


def test_options_are_taken_with_a_warning_that_gives_the_record(oscillator: Equations) -> None:
    calls = {
        r"periodic_solution: harmonics, rtol are .*, options=PeriodicOptions\(harmonics=4, rt": (
            lambda: periodic_solution(oscillator, 6.0, harmonics=4, rtol=0),  # type: ignore[call-arg]
            "harmonics = 4",
        ),
        r"Shooting: advance is given .*, options=ShootingOptions\(advance={'y': 1}\)": (
            lambda: Shooting(oscillator, 6.0, advance={"y": 1}),  # type: ignore[call-arg]
            "no state 'y'",
        ),
        r"Flow: max_step, implicit are .*, steps=StepOptions\(max_step=-1, implicit=True\)": (
            lambda: Flow(oscillator, max_step=-1, implicit=True),  # type: ignore[call-arg]
            "max_step = -1",
        ),
        r"closed_loop: rows is given .*, options=LoopOptions\(rows=0\)": (
            lambda: closed_loop("no.fmu", print, sample_time=1, until=1, rows=0),  # type: ignore[call-arg]
            "rows = 0",
        ),
        r"simulations: summary is given as outputs now": (
            lambda: sweep(simulations(oscillator, 1, summary=len), {"c": [1]}, workers=1),
            "no parameter, input or state 'c'",
        ),
    }
    for warning, (call, refusal) in calls.items():
        with pytest.warns(ModelWarning, match=warning), pytest.raises(ModelError, match=refusal):
            call()


def test_numbers_of_a_regularized_contact_are_taken_as_they_were() -> None:
    former = {"stiffness": 1.0, "damping": 2.0, "compliance": 1e-4}
    line = r"regularization=Regularization\(stiffness=1\.0, damping=2\.0, compliance=0\.0001"
    for pair in (False, True):
        model = Model("former")
        place, fixed = model.point("place"), model.angle("fixed", fixed=True)
        foot = model.add(PlanarWheel("foot", place, fixed, fixed, radius=1.0))
        call: Any = regularize_pair if pair else regularize
        slips = (foot.longitudinal, foot.lateral) if pair else foot.lateral
        given: dict[str, Any] = {"limit": 3.0} if pair else {"exponent": "strong"}
        with pytest.warns(ModelWarning, match=line):
            found = call(model, slips, **given, **former)
        contact = found[0] if pair else found
        stiffness, _ = ca.hessian(contact.energy, contact.deflection)  # of c/(2 ε) z²
        assert float(stiffness) == pytest.approx(1e4)
        if not pair:
            damping = ca.jacobian(contact.force, foot.lateral.velocity)  # d/ε
            assert float(damping) == pytest.approx(2e4)


def test_switches_and_friction_of_contacts_are_taken_as_they_were() -> None:
    model = Model("former")
    still, place = model.angle("still", fixed=True), model.point("place")
    joint = model.add(Bearing("joint", model.point("o", fixed=True), still, place, still))
    joint.x.dof("x")
    joint.y.dof("y")
    former: dict[str, Any] = {
        "enabled": 0.0,
        "impact": Impact(0.5),
        "friction": 0.3,
        "friction_speed": 1e-3,
        "journal_radius": 5e-3,
    }
    with pytest.warns(ModelWarning) as told:
        clearance(model, joint, 1e-4, KelvinVoigt(1e6), **former)
    text = " ".join(str(warning.message) for warning in told)
    assert "law=SwitchedLaw(..., enabled=0.0, impact=" in text
    assert "friction=CoulombFriction(0.3, speed=0.001)" in text
    contact = model.contacts["joint"]
    assert (contact.restitution, contact.friction, contact.friction_speed) == (0.5, 0.3, 1e-3)
    with pytest.warns(ModelWarning, match=r"friction_speed .*=CoulombFriction\(speed=0\.002\)"):
        unilateral_contact(
            model,
            "wall",
            1 - joint.x.value,
            Impact(0),
            friction_speed=2e-3,  # type: ignore[call-arg]
        )
    assert model.contacts["wall"].friction_speed == 2e-3


def test_samples_and_workers_of_a_sweep_are_taken_as_they_were() -> None:
    places = {"x": [1.0, 4.0, 9.0]}
    with pytest.warns(ModelWarning, match=r"sweep: seed is given .*, samples=Samples\(3, seed=5\)"):
        found = sweep(lambda p: p["x"] ** 0.5, places, samples=3, seed=5, workers=1)  # type: ignore[call-arg]
    assert found.attrs["seed"] == 5 and found.value.values == pytest.approx([1, 2, 3])
    with (
        pytest.warns(ModelWarning, match=r"workers=Workers\(2, start_method='thread'\)"),
        pytest.raises(ModelError, match="start_method = 'thread'"),
    ):
        sweep(lambda p: 1.0, places, workers=2, start_method="thread")  # type: ignore[call-arg]


def test_units_filters_and_starts_of_variables_are_taken_as_they_were() -> None:
    model = Model("former")
    with pytest.warns(
        ModelWarning, match=r"parameter: display_unit .*, unit=Units\('rad', display='deg'"
    ):
        model.parameter("k", "30 deg", unit="rad", display_unit="deg")  # type: ignore[call-arg]
    found = model.parameters["k"]
    assert (found.unit, found.display_unit) == ("rad", "deg")
    assert found.value == pytest.approx(np.pi / 6)
    with pytest.warns(ModelWarning, match=r"call of its own now.*\('u', 0\.1, damping=2"):
        model.input("u", 0.5, unit="m", rate="filter", time_constant=0.1, damping=2.0)
    assert set(model.filters) == {"u"} and "u_filtered" in model.states
    with pytest.warns(ModelWarning, match="start_input is given as start now, .* of the input u"):
        model.state("z", start_input="u")
    assert (model.states["z"][0].start, model.states["z"][0].start_input) == (0.5, "u")


def test_names_of_states_are_taken_as_they_were() -> None:
    new, old = Model("new").point("p"), Model("old").point("p")
    new.x.dof(
        StateName("x", visibility="local", display_unit="mm"),
        StateName(description="its rate", visibility="local"),
        rate_start=2.0,
    )
    former: dict[str, Any] = {
        "value_visibility": "local",
        "display_unit": "mm",
        "rate_description": "its rate",
        "rate_visibility": "local",
    }
    with pytest.warns(ModelWarning) as told:
        old.x.dof("x", rate_start=2.0, **former)
    assert old.x.states == new.x.states
    assert "value=StateName('x', visibility='local', display_unit='mm')" in str(told[1].message)
    assert "rate=StateName(visibility='local', description='its rate')" in str(told[0].message)
    with pytest.raises(ModelError, match="the rate is in the value's unit per second"):
        new.y.dof("y", StateName("w", unit="m/s"))
