"""Shapes of elements: numbers from geometry, and what scenes make of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from mbcore import Body, Element, Hinge, Model, ModelError, RigidLink, Truss, Wheel
from mbcore.drawing import arrow, ball, box, cylinder, disc, dot, line, surface, tube
from mbcore.drawing.projection.camera import camera
from mbcore.drawing.projection.faces import faces_of
from mbcore.drawing.scene import Picture
from mbcore.evaluation.evaluation import Evaluation


def numbers(picture: Picture, name: str, kind: str) -> np.ndarray:
    shapes = picture.description["shapes"]
    for i, shape in enumerate(shapes):
        if shape["name"] == name and shape["kind"] == kind:
            end = shapes[i + 1]["first"] if i + 1 < len(shapes) else len(picture.numbers)
            return picture.numbers[shape["first"] : end]
    raise AssertionError(f"no {kind} of {name} in {shapes}")


def leaning_disk() -> Model:
    """A disk of radius 0.5 m that leans by 0.3 rad about x, its contact at the origin."""
    disk = Model("disk", gravity=(0, 0, -9.81))
    lean = disk.rotation("lean", (np.cos(0.15), np.sin(0.15), 0, 0))
    centre = disk.point("centre", (0, -0.5 * np.sin(0.3), 0.5 * np.cos(0.3)))
    contact = disk.point("contact", (0, 0, 0))
    lean.free("disk", angular_velocity=(0, 2, 0))
    disk.add(Wheel("wheel", centre, lean, contact, radius=0.5))
    for coordinate in (contact.x, contact.y):
        coordinate.kinematic(coordinate.name)
    disk.add(Body("mass", centre, lean, mass=2, inertia=(0.125, 0.25, 0.125)))
    return disk


def test_the_rim_of_a_leaning_disc_is_at_its_contact_point() -> None:
    found = numbers(leaning_disk().scene().start(), "wheel", "disc")
    origin, frame = found[:3], found[3:12].reshape(3, 3).T
    assert frame.T @ frame == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(frame) == pytest.approx(1)
    assert frame[:, 2] == pytest.approx([0, np.cos(0.3), np.sin(0.3)])  # the axle, by hand
    to_contact = -origin
    assert to_contact @ frame[:, 2] == pytest.approx(0, abs=1e-12)
    assert np.linalg.norm(to_contact) == pytest.approx(found[12])


def test_a_body_with_a_form_of_its_own_is_not_drawn_again() -> None:
    kinds = [s["kind"] for s in leaning_disk().scene().description["shapes"]]
    assert kinds == ["disc", "surface", "dot", "dot"]  # no ellipsoid, and no force at the start
    bare = Model("bare")
    bare.add(
        Body("brick", bare.point("c", (1, 2, 3)), bare.rotation("e"), mass=3, inertia=(5, 4, 3))
    )
    # a uniform ellipsoid has J_x = m (b2 + c2) / 5, and so on
    a2, b2, c2 = numbers(bare.scene().start(), "brick", "ball")[12:] ** 2
    assert 3 / 5 * np.array([b2 + c2, a2 + c2, a2 + b2]) == pytest.approx([5, 4, 3])


def test_a_scene_of_equations_has_the_force_that_carries_the_weight() -> None:
    bob = Model("bob", gravity=(0, -10))
    p, q = bob.point("p", (0, 0), fixed=True), bob.point("q", (0, -2))
    turn = bob.angle("turn")
    turn.angle.dof("angle", "rate", rate_start=3.0)
    bob.add(RigidLink("rod", p, turn, q))
    bob.add(Body("weight", q, mass=1.5))
    bob.show(arrow(q, (0, bob.elements["rod"].y.stress), name="pull"))
    scene = bob.equations().scene()
    assert json.loads(json.dumps(scene.description)) == scene.description
    at = Evaluation(bob.equations())
    at.start()
    values = np.array(scene.function(at.t, at.s, at.d, at.u, at.p, at.x).full())[:, 0]
    pull = numbers(Picture(scene.description, values), "pull", "arrow")
    # the rod holds m (g + l w2) upwards on the bob: by hand, w = 3 rad/s
    assert abs(pull[4]) == pytest.approx(1.5 * (10 + 2 * 9))
    assert np.isnan(numbers(scene.start(), "pull", "arrow")).all()


def test_shown_shapes_move_with_their_frame() -> None:
    car = Model("car")
    middle, heading = car.point("middle", (3, 1)), car.angle("heading", np.pi / 2)
    length = car.parameter("length", 4.0, unit="m")
    car.show(box((1, 0), None, (length, 2, 0.5), name="chassis"), at=(middle, heading))
    car.show(line([(0, 0, 0), (0, 1)], name="post"))
    picture = car.scene().start()
    chassis = numbers(picture, "chassis", "box")
    assert chassis[:3] == pytest.approx([3, 2, 0])
    assert chassis[3:12] == pytest.approx([0, 1, 0, -1, 0, 0, 0, 0, 1], abs=1e-15)
    assert chassis[12:] == pytest.approx([4, 2, 0.5])
    assert picture.description["planar"]


def test_natural_thickness_is_a_part_of_the_scene() -> None:
    for scale in (1e-3, 1.0, 1e3):
        bar = Model("bar")
        bar.add(Truss("rod", bar.point("p", (0, 0)), bar.point("q", (3 * scale, 4 * scale))))
        assert numbers(bar.scene().start(), "rod", "tube")[-1] == pytest.approx(0.04 * scale)


@pytest.mark.parametrize("turned", [0.0, 0.4])
def test_a_full_disc_is_two_tones_of_quarters_as_large_as_it(turned: float) -> None:
    """Areas by hand: pi r2 but for the polygon, in quarters that turn with the disc."""
    model = Model("flywheel")
    model.show(cylinder((1, 2, 0), model.angle("turn", turned), 0.5, name="wheel"))
    picture = model.scene().start()
    [shape] = picture.description["shapes"]
    eye = camera(None, True, (0, 0, 1))
    faces = [f for f in faces_of("disc", shape, "#474c55", picture.numbers, eye) if f.face]
    assert len(faces) == 4 and len({f.face for f in faces}) == 2
    middles = [f.places[:-1].mean(axis=0)[:2] - [1, 2] for f in faces]
    angles = np.unwrap(np.sort([np.arctan2(y, x) for x, y in middles]))
    assert np.diff(angles) == pytest.approx(np.pi / 2 * np.ones(3))
    assert (angles - turned) % (np.pi / 2) == pytest.approx(np.pi / 4)
    around = np.concatenate([f.places[:-1, :2] for f in faces]) - [1, 2]
    assert np.linalg.norm(around, axis=1) == pytest.approx(0.5)


@pytest.mark.parametrize("given", ["#9bb", "#9BB", "#99bbbb", "#99BBBB"])
def test_colours_are_read_as_matplotlib_does(given: str) -> None:
    assert to_rgb(dot((0, 0), colour=given).colour) == to_rgb(given) == to_rgb("#99bbbb")
    assert len(dot((0, 0), colour=given).colour) == 7  # pages read no other


def test_mistakes_are_told() -> None:
    empty = Model("empty")
    with pytest.raises(ModelError, match="none of its elements has a shape"):
        empty.scene()
    with pytest.raises(ModelError, match="is not a shape"):
        empty.show("box")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="give a point, or a point with an angle"):
        empty.show(dot((0, 0)), at="here")  # type: ignore[arg-type]
    for wrong in ("red", "#9bbb", "#9bg", "9bb", "#", "", 9, None):
        with pytest.raises(ModelError, match='give "#rrggbb" or "#rgb", as in "#4f6d8f" or "#9bb"'):
            dot((0, 0), colour=wrong)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="radius"):
        disc((0, 0, 0), None, -1)
    with pytest.raises(ModelError, match="radius"):
        tube([(0, 0), (1, 0)], float("nan"))
    with pytest.raises(ModelError, match="give two or more"):
        line([(0, 0)])
    with pytest.raises(ModelError, match="give three"):
        ball((0, 0, 0), None, (1, 2))
    with pytest.raises(ModelError, match="same number of places"):
        surface([[(0, 0), (1, 0)], [(0, 0)]])
    place = empty.point("p", (0, 0))
    empty.show(dot((1 / place.x.value, 0)))
    with pytest.raises(ModelError, match="holds inf at the start"):
        empty.scene()


def test_an_element_that_returns_no_shapes_is_told() -> None:
    class Ghost(Element):
        kind = "ghost"

        def shapes(self) -> list:
            return ["here"]

    model = Model("haunted")
    model.add(Ghost("casper"))
    with pytest.raises(ModelError, match=r"ghost casper: its shapes\(\) returned 'here'"):
        model.scene()


def test_hinges_are_shown_where_their_bodies_meet() -> None:
    model = Model("arm", gravity=(0, 0, -9.81))
    base = model.add(Body("base", model.point("p", (1, 2, 3)), model.rotation("r"), mass=1))
    elbow = base.point("elbow", (0, 0, 2))
    turn = model.rotation("s")
    model.add(RigidLink("arm", elbow, turn, model.point("hand", (1, 2, 6))))
    model.add(Hinge("hinge", base.orientation, turn, axis=(0, 1, 0)))
    model.add(Hinge("nowhere", model.ground, turn))
    picture = model.scene().start()
    pin = numbers(picture, "hinge", "tube")
    assert pin[:6].reshape(2, 3).mean(axis=0) == pytest.approx([1, 2, 5])
    assert pin[3:6] - pin[:3] == pytest.approx([0, 6 * 0.008 * model.scene().size, 0])
    assert all(shape["name"] != "nowhere" for shape in picture.description["shapes"])


def test_supports_and_hinges_of_a_planar_mechanism_are_marked() -> None:
    crank = Model("slider-crank")
    ground, pin = crank.point("A", (0, 0), fixed=True), crank.point("B", (0, 1))
    slider, wall = crank.point("C", (2, 0)), crank.point("D", (3, 1), fixed=True)
    slider.y.fix()
    crank.add(RigidLink("crank", ground, crank.angle("a"), pin))
    crank.add(RigidLink("rod", pin, crank.angle("b"), slider))
    crank.add(RigidLink("bracket", wall, crank.angle("c", fixed=True), crank.point("E", (3, 2))))
    picture = crank.scene().start()
    dots = [shape for shape in picture.description["shapes"] if shape["kind"] == "dot"]
    marks = {place_of(picture, shape): shape["mark"] for shape in dots}
    assert marks == {(0, 0): "support", (0, 1): "hinge", (2, 0): "slide_x", (3, 1): "clamp"}


def place_of(picture: Picture, shape: dict) -> tuple[float, float]:
    x, y = picture.numbers[shape["first"] : shape["first"] + 2]
    return float(x), float(y)


def test_a_flat_strip_has_no_lines_across_and_a_bent_one_has() -> None:
    eye = camera(None, True, (0, 0, 1))
    flat = np.array([[[x, y, 0.0] for x in (0, 1, 2, 3)] for y in (0, 1)])
    bent = flat + [0, 0, 1] * flat[..., :1] ** 2
    for grid, lined in ((flat, False), (bent, True)):
        faces = [*faces_of("surface", {"rows": 2, "columns": 4}, "#8a96a3", grid.ravel(), eye)]
        assert len(faces) == 3
        assert all((face.edge != face.face) is lined for face in faces)
