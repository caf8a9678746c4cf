"""Inputs with limits: what is beyond acts as the limit, is read back as set, and is told once.

A unit mass is pushed by a force of at most 0.9 N and at least -0.5 N; what is asked for on the way,
0.5 + 2 t - 2 t², is above 0.9 between t = (1 ± √0.2) / 2.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

import numpy as np
import pytest

from mbcore import Body, Equations, Model, ModelError, ModelWarning, linearize, simulate, superpose
from mbcore.evaluation.evaluation import Evaluation
from tests.conftest import DISCARD, OK, Instance, OpenFmu, equations_of
from tests.fmi.calls.test_fmu_derivatives import jacobian, references, transposed
from tests.fmi.calls.test_fmu_state import restore, save

LEAST, MOST = -0.5, 0.9
CUT = 2 / 3 * 0.1 * np.sqrt(0.2)
"""What lies above 0.9 of the parabola, N.s."""


def asked(t: float) -> float:
    return 0.5 + 2 * t - 2 * t * t


def pushed(least: float | None = LEAST, most: float | None = MOST) -> Model:
    """Return the mass on a line."""
    model = Model("pushed")
    mass = model.point("mass")
    mass.y.fix()
    model.add(Body("mass", mass, mass=1.0))
    mass.x.dof("x", "v")
    force = model.input("push", unit="N", minimum=least, maximum=most)
    model.load(force, mass.x.rate)
    model.output("force", force, unit="N")
    return model


@pytest.fixture(scope="module")
def equations() -> Equations:
    return equations_of(pushed)


def told(run: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    return [str(warning.message) for warning in found]


@pytest.mark.parametrize(
    "backend", ["python", pytest.param("c", marks=pytest.mark.heavy)], ids=["python", "c"]
)
def test_an_input_acts_as_its_limit_where_it_is_beyond(equations: Equations, backend: str) -> None:
    found = []
    said = told(
        lambda: found.append(
            simulate(
                equations, 1.0, inputs={"push": asked}, backend=backend, rtol=1e-10,
                progress=False, samples=41,
            )
        )
    )  # fmt: skip
    [run] = found
    assert run.final("v") == pytest.approx(0.5 + 1 - 2 / 3 - CUT, abs=1e-8)
    assert run["push"] == pytest.approx([asked(t) for t in run.time], abs=1e-15)  # as it was given
    assert run["force"] == pytest.approx(np.minimum(run["push"], MOST), abs=1e-15)
    [message] = said
    assert re.match(r"pushed: input push = 0\.9\d+ at t = 0\.[2-7]\d* is above its range", message)
    assert "acts as 0.9" in message


SLOPES = {-0.7: 0.0, -0.5: 1.0, 0.0: 1.0, 0.9: 1.0, 0.9000001: 0.0, 1e6: 0.0}


@pytest.mark.parametrize("value", SLOPES)
def test_slopes_are_those_into_the_range_at_limits_and_zero_beyond(
    equations: Equations, value: float
) -> None:
    def look() -> None:
        made = linearize(equations, inputs={"push": value}, unsteady=True)
        assert made.input_matrix[:, 0] == pytest.approx([SLOPES[value], 0.0], abs=1e-15)
        assert made.feedthrough[0, 0] == SLOPES[value]

    assert len([m for m in told(look) if "push" in m]) == int(SLOPES[value] == 0)
    point = Evaluation(equations, inputs={"push": value})
    point.start()
    point.variation[3] = 1.0
    assert float(point.call("change").results[0][0, 0]) == SLOPES[value]


def test_what_is_no_number_is_refused_as_before(equations: Equations) -> None:
    for wrong in (np.nan, np.inf, -np.inf):
        with pytest.raises(ModelError, match=r"input push = .*: must be a finite number"):
            simulate(equations, 1.0, inputs={"push": wrong}, progress=False)


@pytest.mark.parametrize(("least", "most"), [(None, 2.0), (0.0, None), (-np.inf, np.inf)])
def test_open_ends_are_no_limits(least: float | None, most: float | None) -> None:
    point = Evaluation(equations_of(lambda: pushed(least, most)))
    for value in (-1e9, -1.0, 0.0, 1.5, 3.0, 1e9):
        point.u[0] = value
        low, high = (-np.inf if least is None else least), (np.inf if most is None else most)
        assert point.output()[0] == np.clip(value, low, high)


def slid() -> Model:
    """Return a table that is moved by inputs for its place, of ±0.3 m, and its speed."""
    model = Model("slid")
    table = model.point("table")
    table.y.fix()
    speed = model.input("speed", unit="m/s")
    place = model.input("place", unit="m", rate=speed, minimum=-0.3, maximum=0.3)
    table.x.prescribe(place)
    model.output("x", table.x.value, unit="m")
    model.output("v", table.x.rate, unit="m/s")
    return model


def test_the_rate_of_an_input_beyond_its_limit_is_zero() -> None:
    """What rests at its stop has no velocity, and a rate that goes on contradicts nothing."""
    inputs = {"place": np.sin, "speed": np.cos}
    found = []
    said = told(
        lambda: found.append(simulate(equations_of(slid), 6.0, inputs=inputs, progress=False))
    )
    [run] = found
    inside = np.abs(np.sin(run.time)) <= 0.3
    assert run["x"] == pytest.approx(np.clip(np.sin(run.time), -0.3, 0.3), abs=1e-14)
    assert run["v"] == pytest.approx(np.where(inside, np.cos(run.time), 0.0), abs=1e-14)
    assert len(said) == 1 and "place" in said[0] and "acts as 0.3" in said[0]


def test_the_limit_of_a_rate_holds_for_what_it_moves() -> None:
    model = Model("slow")
    table = model.point("table")
    table.y.fix()
    speed = model.input("speed", unit="m/s", maximum=0.5)
    table.x.prescribe(model.input("place", unit="m", rate=speed))
    model.output("v", table.x.rate, unit="m/s")
    point = Evaluation(equations_of(lambda: model), inputs={"speed": 2.0})
    assert point.output()[0] == 0.5


def test_small_motions_keep_to_limits_too() -> None:
    run = []
    told(
        lambda: run.append(
            simulate(superpose(pushed()), 1.0, inputs={"push": asked}, rtol=1e-10, progress=False)
        )
    )
    assert run[0].final("v") == pytest.approx(0.5 + 1 - 2 / 3 - CUT, abs=1e-8)


def test_a_filter_follows_the_limit_and_starts_there() -> None:
    model = Model("followed")
    model.input("u", minimum=-1.0, maximum=2.0)
    model.output("value", model.filtered("u", 0.1))
    with pytest.warns(ModelWarning, match=r"input u = 5 at t = 0 is above its range"):
        run = simulate(model.equations(), 1.0, inputs={"u": 5.0}, progress=False)
    assert run["value"] == pytest.approx(2.0, abs=1e-12)
    assert run["u"] == pytest.approx(5.0)


# FMUs: the vehicle's brake, m v' = F - B with B >= 0


FORCE, MASS = 600.0, 1200.0


def limits(fmu: Instance) -> list[str]:
    return [m.text for m in fmu.messages if "its range" in m.text]


@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_an_fmu_keeps_what_was_set_acts_as_the_limit_and_tells_it_once(
    open_fmu: OpenFmu, interface: str
) -> None:
    fmu = open_fmu("vehicle", interface)
    assert fmu.initialize({"drive.force": FORCE}) == OK
    assert limits(fmu) == []
    pair = [references(fmu, [n]) for n in (fmu.rate_name("chassis.speed"), "brake.force")]
    for value, brake in ((-500.0, 0.0), (0.0, 0.0), (300.0, 300.0), (-1e-7, 0.0)):
        assert fmu.set({"brake.force": value}) == OK
        assert fmu.get("brake.force") == value
        assert fmu.get(fmu.rate_name("chassis.speed")) == pytest.approx(
            (FORCE - brake) / MASS, rel=1e-14
        )
        slope = jacobian(fmu, *pair)[0, 0]
        assert slope == pytest.approx(-(value >= 0) / MASS, rel=1e-14, abs=1e-300)
        if fmu.archive.version == "3.0":
            assert transposed(fmu, *pair)[0, 0] == pytest.approx(slope, rel=1e-14, abs=1e-300)
    [message] = limits(fmu)
    assert "brake.force = -500" in message and "acts as 0" in message
    assert fmu.set({"brake.force": float("nan")}) == DISCARD
    assert fmu.get("brake.force") == -1e-7
    if interface == "CoSimulation":
        fmu.run(0.5, 0.1)
        assert fmu.get("chassis.speed") == pytest.approx(10 + 0.5 * FORCE / MASS, rel=1e-12)
    assert len(limits(fmu)) == 1
    assert fmu.reset() == OK
    assert fmu.initialize({"brake.force": -3.0}) == OK
    assert len(limits(fmu)) == 2


def test_a_saved_state_holds_what_was_set(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize({"brake.force": -40.0}) == OK
    state = save(fmu)
    assert fmu.set({"brake.force": 5.0}) == OK
    restore(fmu, state, 0.0)
    assert fmu.get("brake.force") == -40.0
    assert fmu.step(0.1) == OK
    assert fmu.get("chassis.speed") == pytest.approx(10.0, rel=1e-14)
