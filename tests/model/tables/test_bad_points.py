"""Points that no table can have, as arrays and in files: file, line, value and remedy are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from mbcore import ModelError, Table

NAN, INF = float("nan"), float("inf")


class Case(NamedTuple):
    """Abscissae, ordinates and options, what is said of arrays, and of a file where it differs."""

    x: list[Any]
    y: list[Any]
    says: str
    of_file: str
    options: dict[str, Any] = {}  # noqa: RUF012


CASES = {
    "repeated": Case(
        [0, 1, 1],
        [0, 1, 2],
        "x[2] = 1 is repeated after x[1] = 1; give each abscissa once",
        ", line 4: x = 1 is repeated after 1; sort the lines by x, each value once",
    ),
    "falling": Case(
        [0, 2, 1],
        [0, 1, 2],
        "x[2] = 1 falls after x[1] = 2; sort the points by x, rising",
        ", line 4: x = 1 falls after 2; sort the lines by x, each value once",
    ),
    "not a number": Case(
        [0, NAN, 1],
        [0, 1, 2],
        "x[1] = nan is not a finite number; leave the point out, or give its value",
        ", line 3: x = 'nan'; give a finite number, as in 0.5",
    ),
    "infinite": Case(
        [0, 1, 2],
        [0, INF, 2],
        "y[1] = inf is not a finite number; leave the point out, or give its value",
        ", line 3: y = 'inf'; give a finite number, as in 0.5",
    ),
    "one point": Case(
        [0],
        [0],
        "1 point for interpolation 'linear'; give 2 at least",
        ": table 'map': 1 point for interpolation 'linear'; give 2 at least",
    ),
    "too few": Case(
        [0, 1, 2],
        [0, 1, 2],
        "3 points for interpolation 'smooth'; give 4 at least, or interpolation=\"linear\"",
        ": table 'map': 3 points for interpolation 'smooth'; give 4 at least, or ",
        {"interpolation": "smooth"},
    ),
    "another length": Case(
        [0, 1, 2],
        [0, 1],
        "3 abscissae x and 2 ordinates y; give one y for each x",
        ", line 4: 1 value for 2 columns; give 2 values in each line",
    ),
    "text": Case(
        [0, 1, 2],
        [0, "two", 2],
        "y holds 'two' at place 1; give numbers alone",
        ", line 3: y = 'two'; give a finite number, as in 0.5",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_points_are_refused_as_arrays(name: str) -> None:
    case = CASES[name]
    with pytest.raises(ModelError) as refused:
        Table(case.x, case.y, name="map", **case.options)
    assert str(refused.value).startswith(f"table 'map': {case.says}")


@pytest.mark.parametrize("name", CASES)
def test_points_are_refused_in_files(name: str, tmp_path: Path) -> None:
    case, file = CASES[name], tmp_path / "map.csv"
    rows = [f"{x},{y}" for x, y in zip(case.x, case.y, strict=False)]
    rows += [str(x) for x in case.x[len(case.y) :]]
    file.write_text("\n".join(["x [m],y [N]", *rows, ""]))
    with pytest.raises(ModelError) as refused:
        Table.from_csv(file, name="map", **case.options)
    assert str(refused.value).startswith(f"{file}{case.of_file}")


@pytest.mark.parametrize("at", [NAN, INF, [0.5, NAN]])
def test_arguments_that_are_not_finite_are_refused(at: Any) -> None:
    worst = INF if at == INF else NAN
    with pytest.raises(ModelError, match=f"^table 'map': its argument is {worst}; give a finite"):
        Table([0, 1], [0, 1], beyond="hold", name="map")(at)


def test_far_too_many_points_are_refused_before_they_are_copied() -> None:
    many = np.broadcast_to(0.0, 10**8)
    says = "^table 'map': x has 100000000 points, and a table may have 200000; keep one of each 500"
    with pytest.raises(ModelError, match=says):
        Table(many, many, name="map")
