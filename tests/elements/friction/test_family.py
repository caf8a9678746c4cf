"""The friction of each kind of joint: which one it is, what it takes, and what it remembers."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from math import exp, inf, nan
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Ball,
    BallFriction,
    Bearing,
    Body,
    DryFriction,
    Element,
    FaceFriction,
    Friction,
    FrictionLaw,
    GearPair,
    GuideFriction,
    Model,
    ModelError,
    PinFriction,
    PlanarHinge,
    PlanarKnifeEdge,
    RollingFriction,
    Slide,
    TransmissionFriction,
    planar,
    simulate,
    spherical,
)
from mbcore.contact import Impact, unilateral_contact
from mbcore.elements.friction.friction import KINDS, SIZES


def hinge(model: Model) -> Element:
    return model.add(PlanarHinge("joint", model.angle("wall", fixed=True), model.angle("turn")))


def bearing(model: Model) -> Element:
    sleeve, frame = model.point("sleeve", fixed=True), model.angle("frame", fixed=True)
    journal = model.point("journal")
    return model.add(Bearing("joint", sleeve, frame, journal, model.angle("turn")))


def slide(model: Model) -> Element:
    wall = model.angle("wall", fixed=True)
    ends = model.point("p", fixed=True), wall, model.point("q")
    return model.add(Slide("joint", *ends, axis=(1, 0)))


def gears(model: Model) -> Element:
    p, q = model.point("p", fixed=True), model.point("q", (3, 4), fixed=True)
    return model.add(GearPair("joint", p, model.angle("a"), q, model.angle("b"), ratio=2.0))


def blade(model: Model) -> Element:
    return model.add(PlanarKnifeEdge("joint", model.point("foot"), model.angle("heading")))


def boxed(model: Model) -> Body:
    place = model.point("box", (0, 0, 0))
    return model.add(Body("box", place, model.rotation("turn"), mass=1.0, inertia=(1.0,) * 3))


def ball(model: Model) -> Element:
    return spherical("joint", model, boxed(model), at=(0, 0, 0))  # type: ignore[return-value]


def face(model: Model) -> Element:
    return planar("joint", model, boxed(model), normal=(0, 0, 1))  # type: ignore[return-value]


CHOSEN: list[tuple[Callable[[Model], Element], type[DryFriction], set[str]]] = [
    (hinge, PinFriction, {"radius", "at", "of", "span", "collar"}),
    (bearing, PinFriction, {"radius", "at", "of", "span", "collar"}),
    (slide, GuideFriction, {"radius", "span"}),
    (gears, TransmissionFriction, {"radius"}),
    (ball, BallFriction, {"radius", "of"}),
    (face, FaceFriction, {"patch"}),
    (blade, RollingFriction, {"load", "patch"}),
]


@pytest.mark.parametrize(("joint", "kind", "sizes"), CHOSEN)
def test_the_joint_says_which_friction_it_is(
    joint: Callable[[Model], Element], kind: type[DryFriction], sizes: set[str]
) -> None:
    """It takes the sizes that its joint has, and refuses the others by name."""
    made = joint(Model("joint"))
    assert type(Friction("rubs", made, coefficient=0.1)) is kind  # type: ignore[arg-type]
    for size in SIZES.keys() - sizes:
        with pytest.raises(ModelError, match=rf"friction rubs: {size} is for .*; leave it out"):
            Friction("rubs", made, coefficient=0.1, **{size: 0.1})  # type: ignore[arg-type]


def test_no_friction_takes_more_than_eight_arguments() -> None:
    for made in (Friction, *KINDS):
        assert len(inspect.signature(made).parameters) <= 8, made


def test_a_size_that_no_joint_has_is_told_with_those_that_may_be_meant() -> None:
    made = hinge(Model("joint"))
    with pytest.raises(TypeError, match=r"no argument 'raduis'; did you mean 'radius'\?"):
        Friction("rubs", made, coefficient=0.1, raduis=0.1)  # type: ignore[arg-type]


def test_a_joint_of_another_kind_is_refused() -> None:
    made = slide(Model("joint"))
    with pytest.raises(ModelError, match="its joint is <Slide joint>; give a hinge, a revolute"):
        PinFriction("rubs", made, 0.1, radius=0.1)  # type: ignore[arg-type]


def stone(**friction: float) -> Model:
    """A stone of 2 kg on a plane with g = 10 m/s2, seen as a ball that does not turn."""
    model = Model("stone", gravity=(0, 0, -10.0))
    centre, contact = model.point("centre", (0, 0, 0.1)), model.point("contact", (0, 0, 0))
    frame = model.rotation("frame").fix()
    model.add(Body("mass", centre, frame, mass=2.0, inertia=(1.0,) * 3))
    ground = model.add(Ball("ball", centre, frame, contact, radius=0.1))
    contact.x.dof("x", "u")
    contact.y.dof("y", "w")
    model.add(Friction("ground", ground, **friction))  # type: ignore[arg-type]
    return model


def test_what_slides_remembers_its_direction_and_how_fast_it_is() -> None:
    """v = (0.3, 0.4) m/s, μ g = 2 m/s2: it slides along (0.6, 0.8), and rests after 0.25 s."""
    model = stone(coefficient=0.2)
    result = simulate(
        model.equations(), 0.4, start={"u": 0.3, "w": 0.4}, samples=9, backend="python"
    )
    way = np.array([result["ground.direction1"], result["ground.direction2"]])
    known = np.hypot(*way) > 0
    assert way[:, known] == pytest.approx(np.tile([[0.6], [0.8]], known.sum()), abs=1e-6)
    assert known[1:].all() and result["ground.phase"][1] == 1
    assert result["ground.phase"][-1] == 2
    stops = [time for time, name in result.events if name == "ground.stops"]
    assert stops[-1] == pytest.approx(0.25, abs=1e-6)


NAMED_ELSEWHERE = {
    "record.closed_event": "closed",
    "contact.meeting_event": "impact",
    "event": "contact",  # of a clearance, unless its user gives another name
    "name": "held",
    "f'{prefix}slides'": "slides",
    "f'{prefix}rolls_on'": "rolls_on",
}
"""Names of events that are no text where the event is added, and how these end."""


def test_events_stand_in_the_documentation() -> None:
    """Each event that any module of the library adds has a row in a table."""
    ball = stone(coefficient=0.2)
    unilateral_contact(ball, "floor", ball.nodes["centre"].quantities[2].value, Impact(0.5))
    assert {"floor.impact", "floor.closed"} <= ball.events.keys()
    root = Path(__file__).parents[3]
    page = (root / "docs" / "theory" / "contact.md").read_text("utf-8")
    found = set()
    texts = [file.read_text("utf-8") for file in sorted((root / "mbcore").rglob("*.py"))]
    for text in texts:
        # however it is broken into lines, this stands in one piece
        for node in ast.walk(ast.parse(text)) if "events.add" in text else ():
            if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("events.add")):
                continue
            given = ast.unparse(node.args[0])
            found.add(NAMED_ELSEWHERE.get(given) or given.strip("'\"").rpartition(".")[2])
    assert {"stops", "slides", "moves", "turns", "impact", "sliding_forward", "held"} <= found
    for suffix in found:
        assert f"`{'SLIP' if suffix == 'held' else 'NAME'}.{suffix}`" in page, suffix


def test_arguments_of_the_law_are_told_with_the_way_out() -> None:
    model = Model("pin")
    joint = hinge(model)
    for name in ("coefficient", "static", "viscous", "preload", "fit"):
        with pytest.raises(
            TypeError, match=rf"^PinFriction: {name} belongs to the law: .*Friction\("
        ):
            PinFriction("rubs", joint, **{name: 0.3})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^PinFriction: law is missing; call PinFriction\(name, "):
        PinFriction("rubs", joint)  # type: ignore[call-arg, arg-type]
    with pytest.raises(TypeError, match=r"^GuideFriction: no argument 'spam'; did you mean 'span'"):
        GuideFriction("rubs", slide(Model("rail")), 0.3, spam=1)  # type: ignore[call-arg, arg-type]
    with pytest.raises(ModelError, match=r"law is \[0.3\]; give FrictionLaw\(coefficient=...\)"):
        PinFriction("rubs", joint, [0.3])  # type: ignore[arg-type]
    number = PinFriction("rubs", joint, 0.3, radius=0.1)  # type: ignore[arg-type]
    assert float(number.coefficient) == float(number.static) == 0.3


def test_a_wheel_at_rest_has_no_direction_until_it_slides() -> None:
    """Pulled with 10 t N against 4 N it begins after 0.4 s, along the pull."""
    model = stone(coefficient=0.2)
    foot = model.nodes["contact"]
    model.force(foot, (0.0, -10.0 * model.time, 0.0))  # type: ignore[arg-type]
    result = simulate(model.equations(), 0.6, samples=7, backend="python")
    before = result.time < 0.4 - 1e-9
    assert (
        not result["ground.direction2"][before].any() and not result["ground.phase"][before].any()
    )
    assert result["ground.direction2"][-1] == -1.0 and result["ground.direction1"][-1] == 0.0
    begins = next(time for time, name in result.events if name == "ground.slides")
    assert begins == pytest.approx(0.4, rel=1e-9)


def test_a_friction_by_rate_alone_takes_energy() -> None:
    """d = 0.5 N.s/m on 2 kg: v = 3 exp(-t/4) m/s, power -d v² from the first moment on."""
    model = Model("wagon")
    wall = model.angle("wall", fixed=True)
    bed, wagon = model.point("bed", fixed=True), model.point("wagon")
    rail = model.add(Slide("rail", bed, wall, wagon, axis=(1, 0)))
    model.add(Body("mass", wagon, mass=2.0))
    rail.displacement.dof("x", "v", rate_start=3.0)
    law = FrictionLaw(0.0, viscous=0.5)
    rubbing = model.add(GuideFriction("rubs", rail, law))
    model.output("power", rubbing.power, unit="W")
    result = simulate(model.equations(), 1.0, samples=3, backend="python")
    assert result.final("v") == pytest.approx(3 * exp(-0.25), rel=1e-8)
    assert result["power"] == pytest.approx(-0.5 * result["v"] ** 2, rel=1e-12)


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ({"coefficient": -0.1}, r"friction law: coefficient = -0\.1 must not be negative; give a"),
        ({"coefficient": nan}, "friction law: coefficient = nan is not a number"),
        ({"coefficient": inf}, "friction law: coefficient = inf must be finite; give"),
        ({"coefficient": 0.3, "static": nan}, "friction law: static = nan is not a number"),
        ({"coefficient": 0.3, "static": "-1 1"}, "friction law: static = -1 must not be negative"),
        (
            {"coefficient": 0.3, "static": 0.2},
            r"friction law: static = 0\.2 is 0\.1 less than coefficient = 0\.3; give at least as",
        ),
        ({"coefficient": 0.3, "viscous": -1.0}, "friction law: viscous = -1 must not be negative"),
        ({"coefficient": 0.3, "preload": -2}, "friction law: preload = -2 must not be negative"),
    ],
)
def test_a_law_refuses_numbers_that_no_friction_has(numbers: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        FrictionLaw(**numbers)


def test_a_law_takes_expressions_and_texts_whose_unit_the_joint_tells() -> None:
    law = FrictionLaw(0.3, static=ca.SX.sym("static"), viscous="5 N.m.s/rad", preload="1 N.m")  # type: ignore[arg-type]
    assert (law.coefficient, law.viscous) == (0.3, "5 N.m.s/rad")


def test_a_joint_names_its_friction_where_static_is_less() -> None:
    says = r"friction second: static = 0\.2 is 0\.1 less than coefficient = 0\.3"
    with pytest.raises(ModelError, match=says):
        Friction("second", slide(Model("rail")), coefficient=0.3, static=0.2)
