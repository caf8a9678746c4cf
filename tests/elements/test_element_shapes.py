"""Shapes of all elements: they move rigidly with a rigid motion, and are where they must be."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import elements
from mbcore.elements import ConvexBody, Element, GearPair, PlanarBeam, SpatialBeam, ThickWheel
from mbcore.elements.joints.bearing import journal_in_sleeve
from mbcore.model.expressions import replace
from mbcore.model.nodes.nodes import Angle
from mbcore.model.shapes.shape import THICKNESS, Shape
from tests.elements.element_cases import CASES, point
from tests.elements.element_formulas import (
    by_coordinates,
    coordinates_of,
    deformed,
    in_model,
    start_of,
)
from tests.elements.test_elements import Motion

THICK = 0.03
CONSTANT = {"dot": 3, "box": 15, "ball": 15, "disc": 14, "arrow": 6}


def built(name: str) -> Element:
    return in_model(CASES[name].build())


def seen(element: Element) -> list[Shape]:
    """Shapes that need no forces."""
    return [shape for shape in element.shapes() if shape.kind != "arrow"]


def values(element: Element, shape: Shape, x: np.ndarray) -> np.ndarray:
    numbers = by_coordinates(element, replace(shape.numbers, THICKNESS, ca.SX(THICK)))
    places, _ = coordinates_of(element)
    return np.array(ca.Function("numbers", [places], [numbers])(x).full())[:, 0]


def moved(kind: str, numbers: np.ndarray, matrix: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """The numbers of a shape after a rigid motion."""
    places = 3 * (len(numbers) // 3)
    vectors, rest = numbers[:places].reshape(-1, 3), numbers[places:]
    if kind in ("disc", "box", "ball"):
        vectors, rest = numbers[:12].reshape(-1, 3), numbers[12:]
    turned = vectors @ matrix.T
    if kind in ("disc", "box", "ball"):
        turned[0] += shift
    else:
        turned += shift
    return np.concatenate([turned.ravel(), rest])


def test_every_element_has_a_shape_or_says_why_not() -> None:
    for kind in (elements.Coupling, elements.Speed):
        assert "no place" in kind.unseen
    for name in CASES:
        element = built(name)
        assert bool(element.shapes()) != bool(element.unseen), name


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_finite_and_as_many_as_their_kind_has(name: str) -> None:
    element = built(name)
    for shape in element.shapes():
        count, details = shape.numbers.numel(), shape.details
        if shape.kind in CONSTANT:
            assert count == CONSTANT[shape.kind]
        elif shape.kind == "surface":
            assert count == 3 * details["rows"] * details["columns"]  # type: ignore[operator]
        else:
            assert count == 3 * details["points"] + (shape.kind == "tube")  # type: ignore[operator]
    for shape in seen(element):
        numbers = values(element, shape, start_of(element))
        assert np.isfinite(numbers).all()
        if shape.kind in ("disc", "box", "ball"):
            frame = numbers[3:12].reshape(3, 3)
            assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-9)
            assert np.linalg.det(frame) == pytest.approx(1)


@pytest.mark.parametrize("name", CASES)
def test_shapes_move_rigidly_with_a_rigid_motion(name: str) -> None:
    random = np.random.default_rng(5)
    element, case = built(name), CASES[name]
    x = deformed(element, random)
    motion = Motion(case, random)
    if case.motions == "plane":
        motion.matrix[:2, 2] = motion.matrix[2, :2] = 0
        cosine, sine = np.cos(motion.turn[2]), np.sin(motion.turn[2])
        motion.matrix = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    at_motion = Motion.displace(motion, element, x)
    motion.shift[2] = 0 if case.motions == "plane" else motion.shift[2]
    for shape in seen(element):
        if shape.kind == "surface" and not shape.details.get("closed"):
            continue  # a part of what is there anyway
        shift = np.zeros(3) if shape.between else motion.shift  # that has no place of its own
        before, after = values(element, shape, x), values(element, shape, at_motion)
        assert after == pytest.approx(moved(shape.kind, before, motion.matrix, shift), abs=1e-9), (
            shape.kind
        )


def test_patches_are_on_their_surfaces() -> None:
    element = built("wheel on a sphere")
    (patch,) = (s for s in seen(element) if s.kind == "surface")
    places = values(element, patch, start_of(element)).reshape(-1, 3)
    assert np.linalg.norm(places, axis=1) == pytest.approx(2.0, abs=1e-6)
    flat = built("wheel")
    (patch,) = (s for s in seen(flat) if s.kind == "surface")
    assert patch.details["ground"]
    assert values(flat, patch, start_of(flat)).reshape(-1, 3)[:, 2] == pytest.approx(0, abs=1e-12)


def test_beams_begin_and_end_at_their_nodes_along_their_sections() -> None:
    for name, ends in (("planar beam", 2), ("spatial beam", 3)):
        beam = built(name)
        assert isinstance(beam, PlanarBeam | SpatialBeam)
        (tube,) = beam.shapes()
        x = deformed(beam, np.random.default_rng(1))
        places = values(beam, tube, x)[:-1].reshape(-1, 3)
        at = ca.Function("at", [coordinates_of(beam)[0]], [ca.horzcat(*_ends(beam))])(x).full()
        assert places[[0, -1], :ends] == pytest.approx(at[:, :2].T)
        part = np.linspace(0, 1, len(places))
        slope = np.polynomial.Polynomial.fit
        for axis in range(ends):
            cubic = slope(part, places[:, axis], 3, domain=(0, 1), window=(0, 1)).deriv()
            assert [cubic(0), cubic(1)] == pytest.approx(at[axis, 2:], abs=1e-9)


def _ends(beam: PlanarBeam | SpatialBeam) -> list[ca.SX]:
    """Ends of a beam, and its axis there times its rest length."""
    if isinstance(beam, PlanarBeam):
        pairs = ((beam.p_angle, beam.direction_p), (beam.q_angle, beam.direction_q))
        axes = [ca.vertcat(ca.cos(a.value + d), ca.sin(a.value + d)) for a, d in pairs]
    else:
        axes = [
            beam.p_rotation.matrix @ beam.axes_p[:, 0],
            beam.q_rotation.matrix @ beam.axes_q[:, 0],
        ]
    columns = [beam.p.position, beam.q.position, *(beam.rest_length * axis for axis in axes)]
    return [by_coordinates(beam, column) for column in columns]


def test_a_thick_wheel_is_a_torus_through_its_contact_point() -> None:
    wheel = built("thick wheel")
    assert isinstance(wheel, ThickWheel)
    tube, disc = seen(wheel)[:2]
    x = start_of(wheel)
    place = wheel.centre.position + wheel.arm(-wheel.surface_at.normal)
    touching = ca.Function("at", [coordinates_of(wheel)[0]], [by_coordinates(wheel, place)])(x)
    numbers = values(wheel, disc, x)
    local = numbers[3:12].reshape(3, 3) @ (np.array(touching).ravel() - numbers[:3])
    from_ring = np.hypot(np.hypot(local[0], local[1]) - 0.3, local[2])
    assert from_ring == pytest.approx(0.2)  # the crown radius, of a ring of 0.5 m - 0.2 m
    ring = values(wheel, tube, x)
    assert ring[-1] == pytest.approx(0.2)
    assert np.linalg.norm(ring[:-1].reshape(-1, 3) - numbers[:3], axis=1) == pytest.approx(0.3)


def test_a_convex_body_shows_its_surface() -> None:
    egg = built("convex body on a moving plane")
    assert isinstance(egg, ConvexBody)
    x = start_of(egg)
    places = values(egg, seen(egg)[0], x).reshape(-1, 3)
    matrix = by_coordinates(egg, egg.rotation.matrix)
    turn = np.array(ca.Function("turn", [coordinates_of(egg)[0]], [matrix])(x).full())
    local = (places - np.array([0.1, 0.2, 0.45])) @ turn
    assert ((local / [0.3, 0.5, 0.4]) ** 2).sum(axis=1) == pytest.approx(1)


def test_belts_touch_their_pulleys() -> None:
    belt = built("elastic belt")
    *pulleys, line = seen(belt)
    x = start_of(belt)
    circles = [values(belt, pulley, x) for pulley in pulleys]
    assert [circle[12] for circle in circles] == pytest.approx([5, 7])
    places = values(belt, line, x)[:-1].reshape(-1, 3)
    half = len(places) // 2
    for circle, arc in zip(circles, (places[:half], places[half:]), strict=True):
        assert np.linalg.norm(arc - circle[:3], axis=1) == pytest.approx(circle[12])
    span = places[half] - places[half - 1]
    # crossed: the centres are 20 m apart and the radii add up to 12 m
    assert np.linalg.norm(span) == pytest.approx(16)
    for circle, place in zip(circles, (places[half - 1], places[half]), strict=True):
        assert span @ (place - circle[:3]) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("ratio", [1.5, 0.4, -3.0, -0.25])
def test_pitch_circles_of_gears_touch(ratio: float) -> None:
    gears = GearPair(
        "gears", point("p", 0, 0), Angle("a"), point("q", 3, 4), Angle("b"), ratio=ratio
    )
    in_model(gears)
    radii = []
    for shape, centre in zip(seen(gears), ([0, 0, 0], [3, 4, 0]), strict=False):
        numbers = values(gears, shape, start_of(gears))
        radii.append(numbers[12] if shape.kind == "disc" else np.linalg.norm(numbers[:3] - centre))
    assert radii[1] / radii[0] == pytest.approx(abs(ratio))
    apart = sum(radii) if ratio > 0 else abs(radii[0] - radii[1])
    assert apart == pytest.approx(5)


@pytest.mark.parametrize("gap, times", [(0.5e-3, 7), (20e-3, 1)])
def test_a_journal_touches_its_sleeve_in_the_picture_where_it_does(gap: float, times: int) -> None:
    """The clearance is drawn as a third of the radius; one that is larger is drawn as it is."""
    radius, sleeve = 10e-3, np.array([0.2, 0.1])
    journal = sleeve + gap * np.array([0.8, 0.6])
    wall, disc = journal_in_sleeve(sleeve.tolist(), journal.tolist(), None, radius, gap)
    ring = np.array(ca.DM(wall.numbers)).ravel()
    away = np.linalg.norm(ring[:-1].reshape(-1, 3)[:, :2] - sleeve, axis=1)
    bore = away - ring[-1]
    assert bore == pytest.approx(radius + times * gap)
    drawn = np.array(ca.DM(disc.numbers)).ravel()
    assert drawn[12] == radius
    assert drawn[:2] - sleeve == pytest.approx((bore[0] - radius) * np.array([0.8, 0.6]))
