"""The array form of wheels' inputs and outputs: the same vehicle, with other names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbcore import Model, ModelError
from mbcore.cli.commands.build import main
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.description.variables import variables
from mbcore.fmus import car, iltis
from mbcore.fmus.wheel_variables import WheelVariables
from tests.conftest import equations_of

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
GIVEN = {
    "drive_torque": (310.0, -120.0, 55.0, 240.0),
    "brake_torque": (0.0, 30.0, 20.0, 10.0),
    "road_height": (0.01, 0.002, -0.004, 0.006),
}


@pytest.mark.parametrize("arrays", [True, False])
def test_names_of_wheels_variables(arrays: bool) -> None:
    model = Model("wheels")
    variables = WheelVariables(model, WHEELS, arrays)
    for name in WHEELS:
        rate = variables.input(name, "road_rate")
        height = variables.input(name, "road_height", rate=rate)
        variables.output(name, "load", 2 * height)
    wanted = [variables.name(w, what) for what in ("road_rate", "road_height") for w in WHEELS]
    assert set(model.inputs) == set(wanted)
    assert wanted[5] == ("wheel.road_height[2]" if arrays else "front_right.road_height")
    assert len(model.outputs) == 4
    if arrays:
        assert list(model.outputs) == [f"wheel.load[{i}]" for i in (1, 2, 3, 4)]
        assert list(model.inputs) == wanted
        assert model.inputs[wanted[6]].rate.name == "wheel.road_rate[3]"  # type: ignore[union-attr]


@pytest.mark.heavy
@pytest.mark.parametrize(("vehicle", "side"), [(car, "force_y"), (iltis, "side_force")])
def test_arrays_of_wheels_are_the_same_vehicle(vehicle: Any, side: str) -> None:
    component = vehicle.component(arrays=True)
    chosen = {"road": "direct"}
    by_name = {f"{WHEELS[i]}.{what}": of[i] for what, of in GIVEN.items() for i in range(4)}
    in_arrays = {f"wheel.{what}": np.array(of) for what, of in GIVEN.items()}
    single = Evaluation(equations_of(vehicle.model), inputs=by_name, parameters=chosen)
    arrays = Evaluation(component.equations, inputs=in_arrays, parameters=chosen)
    states = [[s.name for s in point.equations.states] for point in (single, arrays)]
    assert states[0] == states[1]
    outputs = []
    for point in (single, arrays):
        point.configure()
        names = [o.name for o in point.equations.outputs]
        outputs.append(dict(zip(names, point.output(), strict=True)))
    assert single.derivative() == pytest.approx(arrays.derivative(), rel=1e-12, abs=1e-12)
    for what in ("load", side, "airborne"):
        found = [outputs[1][f"wheel.{what}[{i}]"] for i in (1, 2, 3, 4)]
        assert found == pytest.approx([outputs[0][f"{w}.{what}"] for w in WHEELS], rel=1e-12)
    table = variables(component)
    known = {row.name for row in table.rows} | {a.name for a in table.arrays}
    assert {"wheel.load", "wheel.road_height"} <= {a.name for a in table.arrays}
    page = component.page
    plotted = [n for p in page.plots for n in ([p] if isinstance(p, str) else p)]
    assert {*plotted, *page.ranges, *(n for k in page.keys.values() for n in k)} <= known
    assert not {terminal.name for terminal in component.terminals} & {*WHEELS}


def test_what_is_no_choice_of_arrays_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ModelError, match=r"car: arrays = 'yes'; give True or False"):
        car.model(arrays="yes")  # type: ignore[arg-type]
    assert main(["--arrays"]) == 2
    assert "write mbcore build car --arrays" in capsys.readouterr().err
