"""Drawings of results: what is on the axes."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Result


def result() -> Result:
    """Return a path in the plane and a speed over time."""
    time = np.linspace(0, 1, 11)
    columns = {"x": 3 * time, "y": time**2, "speed": np.hypot(3, 2 * time)}
    return Result("path", time, columns, {"x": "m", "y": "m", "speed": "m/s"})


def test_one_axes_for_each_unit() -> None:
    above, below = result().plot().axes
    assert [line.get_label() for line in above.lines] == ["x", "y"]
    assert above.get_ylabel() == "(m)"
    assert below.get_ylabel() == "speed (m/s)"
    assert below.get_xlabel() == "time (s)"
    assert above.get_title() == "path"


def test_a_path_has_equal_scales() -> None:
    (axes,) = result().plot("y", against="x").axes
    assert axes.get_aspect() == 1.0
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x (m)", "y (m)")
    assert list(axes.lines[0].get_xdata()) == list(result()["x"])


def test_unknown_columns_are_named() -> None:
    with pytest.raises(KeyError, match="no result 'z'; there is x, y, speed"):
        result().plot("z")
