"""What a model warns of: told once, at an accepted point, in Python and in an FMU's log."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from mbcore import (
    Equations,
    Model,
    ModelError,
    ModelWarning,
    SimulationError,
    equilibrium,
    simulate,
)
from mbcore.elements import Body, PlanarBeam
from mbcore.fmi import Component, Experiment, export
from tests.beam_structures import cantilever
from tests.conftest import ERROR, OK, Archive, Instance, Tools

WARNING = 1
"""The status of a warning in both FMI versions."""


def mass_with_warning() -> Model:
    """A mass that flies with 1 m/s, and a warning beyond 1 m."""
    model = Model("flight")
    p = model.point("p", (0.0, 0.0))
    p.x.dof("x", "u", 0.0, 1.0)
    p.y.fix()
    model.add(Body("mass", p, None, mass=1.0))
    model.warn("place", 1 - p.x.value, "it has left the table; make the table longer")
    model.warn("speed", 0.95 - p.x.rate, "it starts too fast", start=True)
    return model


def test_it_is_told_once_where_it_is_met() -> None:
    with pytest.warns(ModelWarning) as told:
        run = simulate(mass_with_warning().equations(), 3.0, max_step=0.1)
    assert run.time[-1] == 3.0
    start, place = (str(w.message) for w in told)
    assert start == "flight: speed = -0.05 at t = 0: it starts too fast"
    assert place.startswith("flight: place = -")
    assert place.endswith("it has left the table; make the table longer")
    when = float(place.split("t = ")[1].split(":")[0])
    assert 1.0 <= when <= 1.1
    assert {Path(w.filename).name for w in told} == {"test_warnings.py"}


def test_each_run_tells_it_again_and_none_where_it_holds() -> None:
    equations = mass_with_warning().equations()
    for _ in range(2):
        with pytest.warns(ModelWarning, match="left the table"):
            simulate(equations, 1.5, start={"u": 0.9, "x": 0.2})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(equations, 1.5, start={"u": 0.4})


@pytest.fixture(scope="module")
def four_elements() -> Equations:
    return cantilever(4).equations()


@pytest.mark.heavy
def test_a_moment_of_3_on_four_elements_is_told_with_its_share(four_elements: Equations) -> None:
    """End moment 3 EI/l, so the rotation is 3; 4.3474 on four elements, 31.1 degrees an end."""
    theta = 4.3474 / 8
    with pytest.warns(ModelWarning) as told:
        equilibrium(four_elements, inputs={"moment": 3.0})
    (message,) = (str(w.message) for w in told)
    assert "b0.moment_lost_p = " in message and "(and 7 more)" in message
    assert "more than 20 degrees" in message and "use more elements" in message
    share = float(message.split("= ")[1].split()[0])
    # The element turns by 2 theta where 2 theta = 0.75 would be right: M/M_exact = 3/4.3474.
    assert share == pytest.approx(1 - 0.75 / (2 * theta), abs=2e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        equilibrium(cantilever(8).equations(), inputs={"moment": 3.0})


@pytest.mark.heavy
def test_more_than_35_degrees_are_refused_by_name(four_elements: Equations) -> None:
    with pytest.raises(SimulationError, match=r"b0.rotation_. = .* more than 35 degrees"):
        equilibrium(four_elements, inputs={"moment": 3.09})


def bent_beam() -> Model:
    """A massive cantilever of one element, with a moment that bends it by its rotation."""
    model = Model("bent")
    moment = model.input("moment", 0.0, unit="N.m")
    p, q = model.point("p", (0.0, 0.0), fixed=True), model.point("q", (1.0, 0.0))
    a, b = model.angle("a", fixed=True), model.angle("b")
    mass = model.parameter("mass", 1.0, unit="kg/m")
    beam = model.add(PlanarBeam("beam", p, a, q, b, bending_stiffness=1.0, mass_per_length=mass))
    beam.bending_p.dof("bend.p", "bend.p_rate")
    beam.bending_q.dof("bend.q", "bend.q_rate")
    model.moment(b, moment - 2 * b.rate)
    model.load(-2.0 * beam.bending_p.rate, beam.bending_p.rate)
    model.output("angle", b.value)
    return model


@pytest.mark.heavy
def test_a_simulation_is_told_at_20_degrees_and_ends_at_35() -> None:
    with (
        pytest.warns(ModelWarning, match="more than 20 degrees") as told,
        pytest.raises(SimulationError, match=r"beam\.rotation_. = 35\.[0-9]* .* 35 degrees"),
    ):
        simulate(bent_beam().equations(), 30.0, inputs={"moment": 0.9}, rtol=1e-6)
    assert len(told) == 1


@pytest.fixture(scope="module", params=["2.0", pytest.param("3.0", marks=pytest.mark.heavy)])
def archive(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tools: Tools
) -> Archive:
    out = tmp_path_factory.mktemp("bent")
    component = Component("bent", "A bent beam", bent_beam().equations(), Experiment(10.0, 0.1))
    return Archive.of(*export(component, out, request.param, tools=tools))


def test_an_fmu_writes_it_to_the_log_and_refuses_more(archive: Archive) -> None:
    with Instance(archive) as fmu:
        assert fmu.initialize({"moment": 0.5}) == OK
        fmu.run(30.0, step=0.5)
        assert fmu.messages == []  # ends turned by 16 degrees
        assert fmu.set({"moment": 0.65}) == OK
        fmu.run(60.0, step=0.5)
        assert np.degrees(fmu.get("angle")) / 2 > 20
        (message,) = fmu.messages
        assert (message.status, message.category) == (WARNING, "logStatusWarning")
        assert message.text.startswith("beam.moment_lost_")
        assert "more than 20 degrees" in message.text
        assert fmu.set({"moment": 0.9}) == OK
        with pytest.raises(AssertionError):
            fmu.run(90.0, step=0.5)
        assert "beam.rotation_" in fmu.said and "more than 35 degrees" in fmu.said
        assert fmu.reset() == OK
        fmu.messages.clear()
        fmu.time = 0.0
        assert fmu.initialize({"moment": 0.65}) == OK
        fmu.run(30.0, step=0.5)
        assert len(fmu.messages) == 1


def test_an_fmu_refuses_a_parameter_out_of_an_element_s_range(archive: Archive) -> None:
    with Instance(archive) as fmu:
        assert fmu.initialize({"mass": -1.0}) == ERROR
        assert "beam.mass_per_length" in fmu.said and "it is -1 at" in fmu.said
        assert "at least 0" in fmu.said
        assert fmu.reset() == OK
        assert fmu.initialize({"mass": 2.0}) == OK


def named(variable: str) -> Model:
    """A mass that flies, whose state has this name."""
    model = Model("names")
    p = model.point("left wheel")
    p.x.dof(variable, "rate")
    p.y.fix()
    model.add(Body("left mass", p, mass=1.0))
    return model


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("left wheel.x", "left_wheel.x"),
        ("2nd.x", "_2nd.x"),
        ("front-left[1].x", "front_left_1.x"),
        ("place.ä", "place._"),
    ],
)
def test_names_that_no_fmu_can_have_are_told_early(tmp_path: Path, name: str, instead: str) -> None:
    with pytest.warns(ModelWarning) as told:
        equations = named(name).equations()
    (message,) = (str(w.message) for w in told)
    assert message.startswith(f"model names: no FMU can have variables called {name!r}; ")
    assert f"write {instead!r}" in message
    assert simulate(equations, 0.1, start={name: 1.0}, backend="python").final(name) == 1.0
    with pytest.raises(ModelError, match="is not a name that FMUs can have"):
        export(equations, tmp_path)
    with warnings.catch_warnings():  # names of points and elements alone may have blanks
        warnings.simplefilter("error")
        named(instead).equations()
