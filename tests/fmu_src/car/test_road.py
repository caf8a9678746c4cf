"""The car on a road by a table."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

from mbcore import ModelError, Table, Table2D
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import car
from tests.conftest import equations_of


@pytest.mark.heavy
@pytest.mark.parametrize("over", ["x", "x and y"])
def test_a_road_by_a_table_is_a_height_under_the_wheels(over: str) -> None:
    """As by the inputs: 20 mm under the front wheels, 10 mm under the rear ones."""
    x = np.linspace(-10, 10, 401)
    heights = 0.015 + 0.005 * np.tanh(x / 0.12)  # level to 1e-10 about the wheels
    road: Table | Table2D = Table(x, heights, interpolation="smooth", name="road")
    if over == "x and y":
        y = np.linspace(-2, 2, 5)
        both = np.repeat(heights[:, None], len(y), 1)
        road = Table2D(x, y, both, interpolation="smooth", name="road")
    on_table = Evaluation(car.model(road=road).equations())
    lifted = {
        f"{end}_{side}.road_height": at
        for end, at in (("front", 0.02), ("rear", 0.01))
        for side in ("left", "right")
    }
    level = Evaluation(equations_of(car.model), inputs=lifted, parameters={"road": 2})
    assert [s.name for s in on_table.equations.states] == [s.name for s in level.equations.states]
    found = []
    for point in (on_table, level):
        point.configure()
        found.append(point.derivative()[: point.equations.dofs])
    assert np.abs(found[1]).max() > 1  # tyres that are pressed by 10 and 20 mm
    assert found[0] == pytest.approx(found[1], abs=1e-6 * np.abs(found[1]).max())


X = np.linspace(0, 9, 10)


@pytest.mark.parametrize(
    ("road", "says"),
    [
        ("road.csv", r"^road = 'road\.csv' is not a table; give a Table or Table2D \(Table\."),
        (0 * X, r"^road = array\(.*is not a table; give a Table"),
        (
            Table(X, 0 * X, units=("m", "rad")),
            r"^road: the ordinates of <table: .* are in rad, and m is needed; .*units=\('m', 'm'\)",
        ),
        (Table(X, 0 * X, units=("s", "mm")), r"^road: the abscissae of .* are in s, and m is"),
        (
            Table2D(X, X, 0 * np.outer(X, X), units=("m", "s", "m")),
            r"^road: the y of .* are in s, and m is needed; .*units=\('m', 'm', 'm'\)",
        ),
    ],
)
def test_a_road_of_no_heights_is_refused(road: Any, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        car.model(road=road)


def test_a_wheel_beyond_the_road_is_refused_with_its_place() -> None:
    x = np.linspace(0, 100, 11)
    cars = [
        car.model(road=Table(x, 0 * x, interpolation="smooth", beyond=beyond))
        for beyond in ("refuse", "hold")
    ]
    said = cars[0].requirements["rear_left.x"]
    assert said.message.startswith("the points of the road are from 0 to 100 m along x, and")
    place = cars[0].nodes["rear_left contact"].position
    held = ca.Function("held", [place], [said.expression, said.shown])
    assert [[float(part) for part in held([at, 0.7, 0.0])] for at in (-1.5, 40.0, 103.0)] == [
        [-1.5, -1.5],
        [40.0, 40.0],
        [-3.0, 103.0],
    ]
    assert "rear_left.x" not in cars[1].requirements
