"""What is at the point of a pin belongs to one side of it, or is refused by name."""

from __future__ import annotations

from math import hypot

import pytest

from mbcore import Model
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.elements import (
    Bearing,
    Body,
    Coupling,
    Friction,
    PlanarHinge,
    PlanarKnifeEdge,
    RigidLink,
    Slide,
    Truss,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError

GRAVITY, HANGING, WAGON = 9.81, 2.0, 3.0


def outputs(model: Model) -> dict[str, float]:
    """Return the outputs at the start."""
    point = Evaluation(model.equations())
    point.start()
    return dict(zip((o.name for o in point.equations.outputs), point.output(), strict=True))


def hung(swapped: bool = False, **friction: object) -> Model:
    """A rod that hangs from a wagon, which runs along a rail with 1 m/s.

    It hangs at rest relative to the wagon, so that its pin takes its weight alone, whatever
    pulls at the wagon.
    """
    model = Model("wagon", gravity=(0, -GRAVITY))
    origin, bed = model.point("origin", (0, 0), fixed=True), model.angle("bed", fixed=True)
    pin, turned = model.point("pin", (0, 0)), model.angle("turned")
    bob = model.point("bob", (0, -0.7))
    rail = model.add(Slide("rail", origin, bed, pin, axis=(1, 0)))
    rail.displacement.dof("x", "v", rate_start=1.0)
    wagon = model.add(Body("wagon", pin, bed, mass=WAGON))
    link = model.add(RigidLink("rod", pin, turned, bob, offset=(0, -0.7)))
    model.add(Body("mass", bob, mass=HANGING))
    hinge = model.add(PlanarHinge("hinge", *((turned, bed) if swapped else (bed, turned))))
    hinge.angle.dof("angle", "rate")
    if friction.pop("of", None):
        friction["of"] = link
    sides = {"rod": link, "wagon": [wagon, rail]}
    if "sides" in friction:
        friction["of"] = sides[str(friction.pop("sides"))]
    found = model.add(Friction("pin friction", hinge, radius=0.1, coefficient=0.0, **friction))
    model.output("load", found.load)
    return model


@pytest.mark.parametrize("swapped", [False, True])
def test_what_pulls_at_a_slide_belongs_to_its_body(swapped: bool) -> None:
    """Friction in the rail and a load along it act on the wagon, not on the pin of the rod."""
    rubbed, drawn = hung(swapped), hung(swapped)
    rubbed.add(Friction("rail friction", rubbed.elements["rail"], coefficient=0.3))
    drawn.load(40.0, drawn.elements["rail"].displacement.rate)
    for model in (rubbed, drawn):
        assert outputs(model)["load"] == pytest.approx(HANGING * GRAVITY, rel=1e-12)


def test_an_element_of_neither_side_is_refused_when_it_comes_later() -> None:
    model = hung()
    anchor = model.point("anchor", (1, 1), fixed=True)
    spring = model.add(Truss("spring", model.nodes["pin"], anchor))
    spring.elongation.release().law(100.0 * spring.elongation.value)
    with pytest.raises(ModelError, match=r"pin friction: .*spring at pin belongs to neither bed"):
        model.equations()


def test_an_element_of_both_sides_is_refused() -> None:
    model = hung()
    bed, turned, pin = (model.nodes[name] for name in ("bed", "turned", "pin"))
    other = model.point("other", (0, 0), fixed=True)
    bushing = model.add(Bearing("bushing", other, bed, pin, turned))
    bushing.x.release().law(100.0 * bushing.x.value)
    bushing.y.release().law(100.0 * bushing.y.value)
    with pytest.raises(ModelError, match="bearing bushing at pin belongs to both bed and turned"):
        model.equations()


def test_a_load_on_a_pin_needs_a_side() -> None:
    model = hung()
    model.force(model.nodes["pin"], (5.0, -7.0))
    with pytest.raises(ModelError, match="a load at pin belongs to neither bed nor turned"):
        model.equations()
    for force in ((5.0, -7.0), (0.0, 0.0)):
        said = hung(of=True)
        said.force(said.nodes["pin"], force)
        assert outputs(said)["load"] == pytest.approx(HANGING * GRAVITY, rel=1e-12)


def test_a_load_on_a_body_s_own_point_is_on_its_side() -> None:
    """The link of the rod only ends at the wagon's point; friction and reactions say the same."""
    model = Model("wagon", gravity=(0, -GRAVITY))
    origin, bed = model.point("origin", (0, 0), fixed=True), model.angle("bed", fixed=True)
    pin, turned = model.point("pin", (0, 0)), model.angle("turned")
    bob = model.point("bob", (0, -0.7))
    model.add(Slide("rail", origin, bed, pin, axis=(1, 0))).displacement.dof("x", "v")
    model.add(Body("wagon", pin, bed, mass=WAGON))
    model.add(Body("mass", bob, turned, mass=HANGING, inertia=0.1))
    model.add(RigidLink("rod", bob, turned, pin, offset=(0, 0.7)))
    hinge = model.add(PlanarHinge("hinge", bed, turned))
    hinge.angle.dof("angle", "rate")
    model.force(pin, (0.0, -7.0))
    found = model.add(Friction("pin friction", hinge, radius=0.1, coefficient=0.0, at=pin))
    model.output("load", found.load)
    model.output("up", model.reaction(hinge, at=pin).force[1])
    assert outputs(model) == pytest.approx(
        {"load": HANGING * GRAVITY, "up": HANGING * GRAVITY}, rel=1e-12
    )


def test_a_contact_at_a_pin_needs_a_side() -> None:
    model = hung()
    unilateral_contact(model, "stop", model.nodes["pin"].position[1] + 1.0, Impact(0.5))
    with pytest.raises(ModelError, match="contact stop at pin belongs to neither"):
        model.equations()


def test_a_coupling_at_a_pin_needs_a_side() -> None:
    model = hung()
    carriage = model.point("carriage", (0, 0))
    model.add(Body("carriage", carriage, mass=1.0))
    model.add(Slide("guide", model.nodes["origin"], model.nodes["bed"], carriage, axis=(0, 1)))
    way = model.elements["guide"].displacement.value - model.elements["rail"].displacement.value
    model.add(Coupling("wedge", way))
    with pytest.raises(ModelError, match="coupling wedge at pin belongs to neither"):
        model.equations()


def test_a_coupling_through_one_side_is_refused_there() -> None:
    """It pulls at the wagon: the rod alone is known, the wagon with its rail is not."""
    for of, refused in (("rod", False), ("wagon", True)):
        model = hung(sides=of)
        carriage = model.point("carriage", (0, 0))
        model.add(Body("carriage", carriage, mass=1.0))
        model.add(Slide("guide", model.nodes["origin"], model.nodes["bed"], carriage, axis=(1, 0)))
        way = model.elements["guide"].displacement.value - model.elements["rail"].displacement.value
        model.add(Coupling("gear", way))
        if refused:
            with pytest.raises(ModelError, match="pin friction: coupling gear pulls at pin thro"):
                model.equations()
        else:
            assert outputs(model)["load"] == pytest.approx(HANGING * GRAVITY, rel=1e-12)


def test_friction_of_a_slide_belongs_to_the_side_of_the_slide() -> None:
    """The rail brakes the wagon; the pin of the rod that hangs from it takes its weight alone."""
    loads = []
    for of in ("rod", "wagon"):
        model = hung(sides=of)
        model.add(Friction("rail friction", model.elements["rail"], coefficient=0.3))
        loads.append(outputs(model)["load"])
    assert loads == pytest.approx(2 * [HANGING * GRAVITY], rel=1e-12)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_support_is_part_of_the_ground(swapped: bool) -> None:
    """A hanging rod pulls with its weight, also where an element of the ground is at its pivot."""
    model = Model("rod", gravity=(0, -GRAVITY))
    pivot, turned = model.point("pivot", (0, 0), fixed=True), model.angle("turned")
    bob, frame = model.point("bob", (0, -0.7)), model.angle("frame", fixed=True)
    model.add(RigidLink("rod", pivot, turned, bob, offset=(0, -0.7)))
    model.add(Body("mass", bob, mass=HANGING))
    model.add(Body("socket", pivot, frame, mass=1.0))
    hinge = model.add(PlanarHinge("hinge", *((turned, frame) if swapped else (frame, turned))))
    hinge.angle.dof("angle", "rate")
    model.output("load", model.add(Friction("pin", hinge, radius=0.1, coefficient=0.3)).load)
    assert outputs(model)["load"] == pytest.approx(HANGING * GRAVITY, rel=1e-12)


def test_a_support_of_neither_side_is_refused() -> None:
    """Two rods on one fixed pivot: the force between them is not known, as both load it."""
    model = Model("rods", gravity=(0, -GRAVITY))
    pivot, turning = model.point("pivot", (0, 0), fixed=True), []
    for name in ("one", "other"):
        angle, bob = model.angle(name), model.point(f"{name} bob", (0, -0.7))
        model.add(RigidLink(f"{name} rod", pivot, angle, bob, offset=(0, -0.7)))
        model.add(Body(f"{name} mass", bob, mass=HANGING))
        turning.append(angle)
    hinge = model.add(PlanarHinge("hinge", *turning))
    hinge.angle.dof("angle", "rate")
    turning[0].angle.dof("first", "first rate")
    model.add(Friction("pin", hinge, radius=0.1, coefficient=0.3))
    with pytest.raises(ModelError, match="the support at pivot belongs to neither one nor other"):
        model.equations()


def test_a_journal_takes_all_that_is_on_it() -> None:
    """A mass without an orientation, and a load, hang on the journal like the rod."""
    model = Model("journal", gravity=(0, -GRAVITY))
    sleeve, frame = model.point("sleeve", (0, 0), fixed=True), model.angle("frame", fixed=True)
    journal, turned = model.point("journal", (0, 0)), model.angle("turned")
    bob = model.point("bob", (0, -0.7))
    model.add(RigidLink("rod", journal, turned, bob, offset=(0, -0.7)))
    model.add(Body("mass", bob, mass=HANGING))
    bearing = model.add(Bearing("bearing", sleeve, frame, journal, turned, direction=0.4))
    bearing.rotation.dof("angle", "rate")
    friction = model.add(Friction("friction", bearing, radius=0.1, coefficient=0.3))
    model.output("load", friction.load)
    model.add(Body("bush", journal, mass=WAGON))
    model.force(journal, (4.0, 0.0))
    expected = hypot(4.0, (HANGING + WAGON) * GRAVITY)
    assert outputs(model)["load"] == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ModelError, match="at is for hinges"):
        model.add(Friction("more", bearing, radius=0.1, coefficient=0.3, at=journal))


def test_a_reaction_holds_what_holds_its_slips() -> None:
    """A blade that sticks pulls at its point against what draws it sideways."""
    model = Model("blade")
    foot = model.point("foot", (0, 0))
    edge = model.add(PlanarKnifeEdge("edge", foot, model.angle("heading", fixed=True)))
    model.add(Body("mass", foot, mass=HANGING))
    foot.x.dof("x", "v")
    foot.y.dof("y", "w")
    model.add(Friction("rubbing", edge, coefficient=0.5, load=20.0))
    model.force(foot, (0.0, 7.0))
    for axis, force in zip("xy", (0, 1), strict=True):
        model.output(f"pull {axis}", model.reaction(foot, of=edge).force[force])
    found = outputs(model)
    assert (found["pull x"], found["pull y"]) == pytest.approx((0.0, -7.0), abs=1e-12)


def test_place_and_preload_are_checked_by_name() -> None:
    model = Model("pin")
    bed, turning = model.angle("bed", fixed=True), model.angle("turning")
    hinge = model.add(PlanarHinge("hinge", bed, turning))
    with pytest.raises(ModelError, match="at is 3; give the point"):
        Friction("rubbing", hinge, radius=0.1, coefficient=0.2, at=3)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"'2 N' is a force"):
        Friction("rubbing", hinge, radius=0.1, coefficient=0.2, preload="2 N")
    assert float(Friction("r", hinge, radius=0.1, coefficient=0.2, preload="2 N.mm").preload) == (
        pytest.approx(2e-3)
    )
