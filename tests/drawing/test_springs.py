"""Springs and dampers on coordinates are drawn from a wall to what they hold."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Model, Truss
from mbcore.drawing.scene import THIN
from mbcore.model.shapes.springs import LENGTH, WIDTH


def held(start: float, stiffness: float, damping: float, rest: float = 0.0) -> Model:
    """Two masses 2 m apart in height, one of them held along x."""
    model = Model("held", gravity=(0, -9.81))
    low, high = model.point("low", (start, 0)), model.point("high", (start, 2), fixed=True)
    low.x.dof("x", "v").spring(stiffness, damping, rest)
    low.y.fix()
    model.add(Body("low mass", low, mass=1))
    model.add(Body("high mass", high, mass=1))
    return model


def lines(model: Model, name: str) -> list[np.ndarray]:
    """Return the places of each line of a name, shape (n, 3)."""
    picture = model.scene().start()
    found = []
    for shape in picture.description["shapes"]:
        if shape["kind"] == "line" and shape["name"] == name:
            first, count = shape["first"], shape["points"]
            found.append(picture.numbers[first : first + 3 * count].reshape(count, 3))
    return found


@pytest.mark.parametrize("rest", [0.0, 0.3])
@pytest.mark.parametrize("start", [0.1, 0.5, -0.4])
def test_a_spring_reaches_from_a_wall_that_stands_to_its_mass(start: float, rest: float) -> None:
    model = held(start, 100.0, 0.0, rest)
    wall, coil = lines(model, "low.x")
    length = LENGTH * THIN * model.scene().size
    assert coil[0] == pytest.approx([rest - length, 0, 0])  # wherever the mass starts
    assert coil[-1] == pytest.approx([start, 0, 0])
    assert wall[0, 0] == wall[-1, 0] == pytest.approx(rest - length)


@pytest.mark.parametrize(
    ("stiffness", "damping", "count"), [(100.0, 0.0, 2), (0.0, 5.0, 5), (100.0, 5.0, 7)]
)
def test_what_is_not_there_is_not_drawn(stiffness: float, damping: float, count: int) -> None:
    """A wall, one line of a coil, four of a damper, and one that joins both."""
    assert len(lines(held(0.1, stiffness, damping), "low.x")) == count


def test_without_springs_nothing_is_added() -> None:
    model = held(0.1, 100.0, 0.0)
    assert not lines(model, "low.y") and not lines(model, "high.x")
    bare = Model("bare")
    bare.point("p", (0, 0)).x.dof("x", "v").law(3.0)
    assert bare.shapes == []


@pytest.mark.parametrize("ends", [((0, 0), (3, 4)), ((0, 0, 0), (0, 3, 4)), ((0, 0, 0), (0, 0, 5))])
@pytest.mark.parametrize(("damping", "count"), [(0.0, 1), (5.0, 7)])
def test_a_spring_between_two_points_is_a_coil(
    ends: tuple[tuple[float, ...], tuple[float, ...]], damping: float, count: int
) -> None:
    """A coil; with a damper four lines more and a bar at each end that joins both."""
    model = Model("sprung")
    p, q = model.point("p", ends[0], fixed=True), model.point("q", ends[1])
    bar = model.add(Truss("bar", p, q))
    bar.elongation.release().spring(100.0, damping)
    coil, *others = lines(model, "bar")
    assert len(others) == count - 1
    way, across = coil[-1] - coil[0], coil - coil[0]
    assert np.linalg.norm(way) == pytest.approx(5.0)
    assert way[: len(ends[0])] == pytest.approx(np.subtract(ends[1], ends[0]))
    sides = np.linalg.norm(np.cross(across, way / 5.0), axis=1)
    assert sides.max() == pytest.approx(WIDTH * THIN * model.scene().size, rel=1e-9)


def test_a_truss_with_mass_or_without_a_spring_is_a_bar() -> None:
    for mass, stiffness in ((1.0, 100.0), (0.0, None)):
        model = Model("bar")
        p, q = model.point("p", (0, 0), fixed=True), model.point("q", (3, 4))
        bar = model.add(Truss("bar", p, q, mass=mass))
        if stiffness:
            bar.elongation.release().spring(stiffness)
        assert not lines(model, "bar")


def test_a_table_of_a_force_is_a_spring() -> None:
    from mbcore import Table

    model = Model("table")
    model.point("p", (0.1, 0)).x.dof("x", "v").spring(Table([-1, 0, 1], [-1, 0, 4], name="k"))
    assert len(model.shapes) == 2


def test_a_spiral_holds_an_orientation_where_it_turns() -> None:
    model = Model("pendulum")
    pivot, turn = model.point("pivot", (1, 2), fixed=True), model.angle("turn", 0.5)
    turn.angle.dof("angle", "rate", start=0.5).spring(3.0)
    model.add(Body("body", pivot, turn, mass=1, inertia=1, offset=(1, 0)))
    (spiral,) = lines(model, "turn.angle")
    assert spiral[-1] == pytest.approx([1, 2, 0])
    # its inner end, held by the body, is turned by as much as the body is
    inner = spiral[-2] - spiral[-1]
    assert np.arctan2(inner[1], inner[0]) == pytest.approx(0.5 - np.pi / 2)
    outer = spiral[1] - spiral[-1]
    assert np.arctan2(outer[1], outer[0]) == pytest.approx(-np.pi / 2)
