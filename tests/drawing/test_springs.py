"""Springs and dampers on coordinates are drawn from a wall to what they hold."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Hinge, Model, PlanarHinge, RigidLink, Truss
from mbcore.drawing.scene import THIN
from mbcore.model.nodes.node import Coordinate
from mbcore.model.shapes.springs import LENGTH, WIDTH

Law = Callable[[Coordinate, ca.SX, ca.SX], ca.SX]


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


@pytest.mark.parametrize("stiffness", [3.0, 0.0])
def test_a_spiral_at_a_planar_hinge_is_held_by_one_part_and_turned_by_the_other(
    stiffness: float,
) -> None:
    model = Model("double pendulum")
    top, bob = (
        model.point("top", (0, 0), fixed=True),
        model.point("bob", (np.cos(0.2), np.sin(0.2))),
    )
    upper, lower = model.angle("upper", 0.2), model.angle("lower", 0.9)
    upper.angle.dof("upper", "upper_rate", start=0.2)
    model.add(RigidLink("rod", top, upper, bob))
    model.add(Body("body", bob, lower, mass=1, inertia=1, offset=(1, 0)))
    knee = model.add(PlanarHinge("knee", upper, lower))
    knee.angle.dof("knee", "knee_rate", start=0.7).spring(stiffness, 0.1, rest=0.3)
    spirals = lines(model, "knee")
    assert len(spirals) == (stiffness > 0)
    for spiral in spirals:
        place = [np.cos(0.2), np.sin(0.2), 0]
        assert spiral[-1] == pytest.approx(place)
        outer, inner = spiral[1] - place, spiral[-2] - place
        assert np.arctan2(outer[1], outer[0]) == pytest.approx(0.2 - np.pi / 2)
        assert np.arctan2(inner[1], inner[0]) == pytest.approx(0.2 - np.pi / 2 + 0.7 - 0.3)


def test_a_spiral_at_a_hinge_in_space_is_about_its_axis() -> None:
    model = Model("door")
    corner, door = (
        model.point("corner", (1, 2, 3), fixed=True),
        model.rotation("door", (np.cos(0.2), 0, 0, np.sin(0.2))),
    )
    model.add(RigidLink("frame", corner, model.ground, model.point("top", (1, 2, 5))))
    hinge = model.add(Hinge("hinge", model.ground, door, axis=(0, 0, 1)))
    hinge.angle.dof("angle", "rate", start=0.4).spring(5.0)
    model.add(Body("body", corner, door, mass=1, inertia=(1, 1, 1), offset=(1, 0, 0)))
    (spiral,) = lines(model, "hinge")
    assert spiral[:, 2] == pytest.approx(np.full(len(spiral), 3.0))
    outer, inner = spiral[1] - spiral[-1], spiral[-2] - spiral[-1]
    turned = np.cross(outer, inner)[2] / np.linalg.norm(outer) / np.linalg.norm(inner)
    assert turned == pytest.approx(np.sin(0.4))


@pytest.mark.parametrize(
    ("law", "count", "rest"),
    [
        (lambda x, k, time: k * (x.value - 0.2), 2, 0.2),
        (lambda x, k, time: x.value**3 - 7.5 * ca.cos(time), 2, 0.0),
        (lambda x, k, time: k * x.value + 3 * x.rate, 7, 0.0),
        (lambda x, k, time: 3 * x.rate, 5, 0.0),
        (lambda x, k, time: ca.fmin(0, k * x.value), 0, 0.0),  # a stop
        (lambda x, k, time: ca.tanh(x.rate / k), 0, 0.0),  # friction
        (lambda x, k, time: k * x.value * ca.cos(time), 0, 0.0),
        (lambda x, k, time: ca.sin(time), 0, 0.0),
    ],
)
def test_a_law_that_acts_as_a_spring_is_drawn_as_one(law: Law, count: int, rest: float) -> None:
    model = Model("law")
    k, p = model.parameter("k", 5.0, unit="N/m"), model.point("p", (0.6, 0))
    p.y.fix()
    model.add(Body("mass", p, mass=1))
    p.x.dof("x", "v", start=0.6).law(law(p.x, k, model.time))
    found = lines(model, "p.x")
    assert len(found) == count
    if count:
        length = LENGTH * THIN * model.scene().size
        assert found[0][0, 0] == pytest.approx(rest - length)
