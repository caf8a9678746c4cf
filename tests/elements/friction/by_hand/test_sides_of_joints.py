"""Pins of joints by their names know their sides, whatever else is at the point of a body."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mbcore import Model, fixed, planar, prismatic, revolute, spherical
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.elements import Body, Coupling, Friction, RigidLink, Truss
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError
from tests.elements.friction.judge import SliderCrank

GRAVITY, HANGING, WAGON = 9.81, 2.0, 3.0
LENGTH = 0.7


def outputs(model: Model) -> dict[str, float]:
    """Return the outputs at the start."""
    point = Evaluation(model.equations())
    point.start()
    return dict(zip((o.name for o in point.equations.outputs), point.output(), strict=True))


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("said", [False, True])
def test_a_slider_crank_by_its_joints(swapped: bool, said: bool) -> None:
    """Its frictions are those of free bodies in maximal coordinates, with and without ``of``."""
    made, start, rate = SliderCrank(), 1.0, 3.0
    r, length, beta = made.crank, made.rod, made.rod_angle(start)
    e, d = (np.array([np.cos(a), np.sin(a)]) for a in (start, beta))
    model = Model("slider_crank", gravity=(0, -made.gravity))
    bodies = []
    for name, place, angle, k in (
        ("crank", r * e / 2, start, 0),
        ("rod", r * e + length * d / 2, beta, 1),
        ("slider", r * e + length * d, 0.0, 2),
    ):
        point, turned = model.point(f"{name} point", place), model.angle(f"{name} angle", angle)
        inertia = made.inertias[k] if k < 2 else 1.0
        body = Body(name, point, turned, mass=made.masses[k], inertia=inertia)
        bodies.append(model.add(body))
    crank, rod, slider = bodies
    pins = [
        revolute("main", model, crank, at=(0, 0)),
        revolute("big end", crank, rod, at=r * e),
        revolute(
            "small end", *((slider, rod) if swapped else (rod, slider)), at=r * e + length * d
        ),
    ]
    guide = prismatic("guide", model, slider, axis=(1, 0))
    pins[0].angle.dof("angle", "rate", rate_start=rate)
    frictions = [
        model.add(
            Friction(
                f"pin {i}",
                pin,
                radius=made.pin,
                coefficient=made.coefficient,
                of=[slider, guide] if said and i == 2 else None,
            )
        )
        for i, pin in enumerate(pins)
    ]
    frictions.append(model.add(Friction("rubbing", guide, coefficient=made.coefficient)))
    for friction in frictions:
        model.output(friction.name, friction.force)
    point = Evaluation(model.equations())
    point.start()
    rates = rate * made.joint_rates(start) * (1, 1, 1 if swapped else -1, 1)
    senses = np.sign(rate * made.joint_rates(start))
    acceleration, expected, _ = made.forces(start, rate, 0.0, senses)
    expected = expected * np.sign(rates) * senses
    assert point.derivative()[0] == pytest.approx(acceleration, rel=1e-12)
    assert point.output() == pytest.approx(expected, rel=1e-11)


def carried(by: Callable[[Model, Body], object]) -> Model:
    """A rod that hangs at rest from a wagon; its pin takes its weight alone."""
    model = Model("wagon", gravity=(0, -GRAVITY))
    wagon = model.add(
        Body("wagon", model.point("w", (0, 0)), model.angle("a"), mass=WAGON, inertia=1.0)
    )
    rod = model.add(Body("rod", model.point("r", (0, -LENGTH)), model.angle("b"), mass=HANGING))
    by(model, wagon)
    pin = revolute("pin", wagon, rod, at=(0, 0))
    pin.angle.dof("angle", "rate")
    friction = model.add(Friction("friction", pin, radius=0.1, coefficient=0.3))
    model.output("load", friction.load)
    return model


def rail(model: Model, wagon: Body) -> None:
    prismatic("rail", model, wagon, axis=(1, 0)).displacement.dof("x", "v", rate_start=1.0)


def rubbing_rail(model: Model, wagon: Body) -> None:
    """The wagon is at rest and sticks; the guide's friction acts at its point as the guide does."""
    guide = prismatic("rail", wagon, model, axis=(1, 0))
    guide.displacement.dof("x", "v")
    model.add(Friction("rail friction", guide, coefficient=0.3))


def support(model: Model, wagon: Body) -> None:
    """What holds the wagon ends at its own point, with an orientation of the ground."""
    fixed("weld", model, wagon, at=(0, 0))


def pivot(model: Model, wagon: Body) -> None:
    """Three bodies on one pin: the ground carries the wagon, and that the rod."""
    revolute("pivot", model, wagon, at=(0, 0)).angle.dof("swing", "swing rate")


def branch(model: Model, wagon: Body) -> None:
    """A link of the rod begins at the wagon's point, on which a load acts."""
    rail(model, wagon)
    assert wagon.reference is not None
    twig, turned = model.point("twig", (0.5, 0)), model.nodes["b"]
    model.add(RigidLink("branch", wagon.reference, turned, twig, offset=(0.5, 0)))  # type: ignore[arg-type]
    model.force(wagon.reference, (0.0, 70.0))


def unoriented(model: Model, wagon: Body) -> None:
    """A load, a spring, a particle, a stop and a coupling belong to the wagon."""
    guide = prismatic("rail", model, wagon, axis=(1, 0))
    guide.displacement.dof("x", "v")
    point = wagon.reference
    assert point is not None
    model.force(point, (0.0, 70.0))
    strut = model.add(Truss("spring", point, model.point("anchor", (0, 1), fixed=True)))
    strut.elongation.release().law(-25.0)
    model.add(Body("load", point, mass=4.0))
    unilateral_contact(model, "stop", 1.0 - point.position[0], Impact(0.5))
    other = model.point("other", (0, 0))
    model.add(Body("other", other, mass=1.0))
    tie = prismatic("beside", model, model.add(Body("frame", other, model.angle("c"))), axis=(1, 0))
    model.add(Coupling("gear", tie.displacement.value - guide.displacement.value))


@pytest.mark.parametrize("by", [rail, rubbing_rail, support, pivot, branch, unoriented])
def test_what_is_at_a_body_s_own_point_belongs_to_it(
    by: Callable[[Model, Body], object],
) -> None:
    assert outputs(carried(by))["load"] == pytest.approx(HANGING * GRAVITY, rel=1e-12)


def test_a_third_body_s_link_at_that_point_is_refused() -> None:
    """Nobody has said whether it is on the wagon or on the rod."""

    def linked(model: Model, wagon: Body) -> None:
        rail(model, wagon)
        assert wagon.reference is not None
        corner, angle = model.point("corner", (-1, 0)), model.angle("d")
        model.add(Body("third", corner, angle, mass=1.0))
        model.add(RigidLink("tie", corner, angle, wagon.reference))
        angle.angle.dof("d", "e")

    with pytest.raises(ModelError, match="rigid link tie at w belongs to neither"):
        carried(linked).equations()


def test_a_ball_joint_on_a_body_that_slides_on_a_plane() -> None:
    """The ball takes the weight of what hangs from it, the plane that of both."""
    model = Model("table", gravity=(0, 0, -GRAVITY))
    slab = model.add(
        Body(
            "slab", model.point("s", (0, 0, 0)), model.rotation("t"), mass=WAGON, inertia=(1, 1, 1)
        )
    )
    bob = model.add(
        Body(
            "bob",
            model.point("b", (0, 0, -LENGTH)),
            model.rotation("u"),
            mass=HANGING,
            inertia=(1, 1, 1),
        )
    )
    bob.orientation.free("bob")
    table = planar("table", model, slab, normal=(0, 0, 1))
    for name, way in zip("xy", table.displacements, strict=True):
        way.dof(name, f"{name} rate")
    table.angle.dof("turn", "turn rate")
    ball = model.add(
        Friction("ball", spherical("joint", slab, bob, at=(0, 0, 0)), radius=0.02, coefficient=0.1)
    )
    face = model.add(Friction("face", table, coefficient=0.2))
    model.force(slab.reference, (0.0, 0.0, -50.0))
    model.output("ball", ball.load)
    model.output("face", face.load)
    expected = {"ball": HANGING * GRAVITY, "face": (HANGING + WAGON) * GRAVITY + 50.0}
    assert outputs(model) == pytest.approx(expected, rel=1e-12)


def test_a_point_of_both_bodies_has_no_owner() -> None:
    """Two rods share one node: a load there is on neither, and the message says so."""
    model = Model("rods", gravity=(0, -GRAVITY))
    point = model.point("shared", (0, 0))
    one, other = (
        model.add(Body(name, point, model.angle(f"{name} angle"), mass=1.0, inertia=1.0))
        for name in ("one", "other")
    )
    prismatic("rail", model, one, axis=(1, 0)).displacement.dof("x", "v")
    pin = revolute("pin", one, other, at=(0, 0))
    pin.angle.dof("angle", "rate")
    model.output("load", model.add(Friction("f", pin, radius=0.1, coefficient=0.3)).load)
    assert outputs(model)["load"] == pytest.approx(GRAVITY, rel=1e-12)
    model.force(point, (1.0, 0.0))
    with pytest.raises(ModelError, match="a load at shared belongs to neither"):
        model.equations()
