"""The ILTIS on the tyres of a property file: its loads and forces, from balances and the law."""

from __future__ import annotations

import re
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    ROAD_CAR_TYRE,
    Equations,
    MagicFormula,
    ModelError,
    SimulationError,
    TyreContact,
    simulate,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import iltis
from mbcore.fmus.iltis.data import CORNERS
from mbcore.fmus.iltis.documentation import documentation, symbols
from mbcore.fmus.iltis.tyres import tyres_of

WEIGHT = (1260 + 4 * (6 + 57.35)) * 9.81
SPEED = 20.0


@pytest.fixture(scope="module")
def equations() -> Equations:
    return iltis.model(ROAD_CAR_TYRE).equations()


def shown(equations: Equations, **given: dict[str, float]) -> dict[str, float]:
    point = Evaluation(equations, parameters=given.get("parameters"), inputs=given.get("inputs"))
    point.start(given.get("start", {}))
    return {o.name: float(y) for o, y in zip(equations.outputs, point.output(), strict=True)}


def side_force(side: str, found: dict[str, float], wheel: str) -> float:
    """Return the force of the file alone at a wheel's slip angle, camber and normal force."""
    law = MagicFormula.from_tir(ROAD_CAR_TYRE, side="left" if side == "left" else "right")
    angle, camber, load = (found[f"{wheel}.{of}"] for of in ("slip_angle", "camber", "load"))
    # the load that is shown is along the spoke, which leans with the wheel
    load = (load + found[f"{wheel}.side_force"] * np.sin(camber)) / np.cos(camber)
    contact = TyreContact(
        slip_angle=ca.SX(angle),
        slip_ratio=ca.SX(0),
        camber=ca.SX(camber),
        load=ca.SX(load),
        direction=ca.SX(1),
        speed=ca.SX(SPEED),
    )
    return float(ca.evalf(law.forces(contact).lateral))


def test_words_and_road_are_those_of_the_file() -> None:
    """The road is a loaded radius below the wheels' centres of the design, 0.356 - 0.570 m."""
    on = tyres_of(ROAD_CAR_TYRE)
    assert on.ground == pytest.approx(0.356 - 0.570 - 0.298, abs=5e-3)
    page = documentation(on)
    assert "<tt>road_car.tir</tt>" in page and "Calspan" not in page and "tyre.SN" not in page
    assert not any("tyre." in text for text in symbols(on).values())


def test_a_file_that_cannot_be_used_is_named() -> None:
    with pytest.raises(ModelError, match=r"none\.tir.* cannot be read"):
        iltis.model("none.tir")


def test_limits_without_a_file_are_refused() -> None:
    with pytest.raises(ModelError, match=r"limits='refuse' is for the ranges .* give tyre"):
        iltis.model(limits="refuse")


@pytest.mark.heavy
def test_ranges_are_refused_unless_no_law_acts(tmp_path: Path) -> None:
    """The vehicle drives straight on, its toe-in within ALPMAX; aside, the slip passes it.

    Equations of an ILTIS that refuses take five seconds to make.
    """
    file = tmp_path / "narrow.tir"
    file.write_text(re.sub(r"(ALPMAX\s*=).*", r"\1 0.1", ROAD_CAR_TYRE.read_text()))
    refusing = iltis.component(file, "refuse").equations
    aside = {"cabin.side_speed": 4.0}  # 0.2 rad at 20 m/s
    shown(refusing)
    with pytest.raises(SimulationError, match=r"slip angle of .* to 0\.1 rad; keep"):
        shown(refusing, start=aside)
    shown(refusing, start=aside, parameters={"tyres": 2})


@pytest.mark.heavy
def test_it_rests_on_the_tyres_of_the_file(equations: Equations) -> None:
    """The tyres carry the weight; rolling straight on, nothing but rolling resistance acts."""
    found = shown(equations)
    loads = {wheel: found[f"{wheel}.load"] for wheel in CORNERS}
    assert sum(loads.values()) == pytest.approx(WEIGHT, rel=1e-3)
    for axle in ("front", "rear"):
        assert loads[f"{axle}_left"] == pytest.approx(loads[f"{axle}_right"], rel=1e-9)
    assert found["cabin.acceleration_y"] == pytest.approx(0, abs=1e-9)
    assert -0.02 * 9.81 < found["cabin.acceleration_x"] < 0


@pytest.mark.heavy
def test_side_forces_are_those_of_the_file(equations: Equations) -> None:
    """At other slips and loads, on both sides; ice takes their friction."""
    turning = {"cabin.side_speed": 0.8, "yaw.rate": 0.1, "cabin.roll": 0.02}
    found = shown(equations, start=turning)
    for wheel in CORNERS:
        expected = side_force(wheel.split("_")[1], found, wheel)
        assert abs(expected) > 500
        assert found[f"{wheel}.side_force"] == pytest.approx(expected, rel=1e-9), wheel
    ice = shown(equations, start=turning, parameters={"tyre.friction": 0.1})
    for wheel in CORNERS:
        assert abs(ice[f"{wheel}.side_force"]) < 0.15 * ice[f"{wheel}.load"]


@pytest.mark.heavy
@pytest.mark.usefixtures("hasty")
def test_it_turns_as_steered_in_python_and_c(equations: Equations) -> None:
    """A rack to the left turns it to the right, and both backends agree.

    The C of an ILTIS takes ten seconds to write and compile.
    """
    runs = [
        simulate(equations, 1.0, backend=backend, inputs={"rack.displacement": 0.005}, samples=11)
        for backend in ("python", "c")
    ]
    for run in runs:
        assert run["cabin.yaw_rate"][-1] < -0.1
    last = [np.array([run[state.name][-1] for state in equations.states]) for run in runs]
    assert last[0] == pytest.approx(last[1], rel=1e-6, abs=1e-8)
