"""Roles that do not fit are told in names; roles="auto" picks a choice that works."""

import numpy as np
import pytest

from mbcore import (
    Body,
    Hinge,
    Model,
    ModelError,
    PlanarBeam,
    PlanarHinge,
    PlanarWheel,
    RoleError,
    Truss,
    Wheel,
    simulate,
)


def pendulum() -> tuple[Model, Truss]:
    model = Model("pendulum", gravity=(0, -9.81))
    top, bob = model.point("top", (0, 0), fixed=True), model.point("bob", (1, 0))
    rod = model.add(Truss("rod", top, bob))
    model.add(Body("bob mass", bob, mass=1.0))
    return model, rod


def test_missing_degree_of_freedom_is_named() -> None:
    model, _ = pendulum()
    with pytest.raises(RoleError, match=r"1 condition for 2 unknown.*bob\.y"):
        model.equations()


def test_redundant_constraints_are_named() -> None:
    model, _ = pendulum()
    model.add(Truss("second rod", model.nodes["top"], model.nodes["bob"]))
    model.nodes["bob"].y.dof()
    with pytest.raises(
        RoleError, match=r"rod\.elongation \(rigid\), second rod\.elongation \(rigid\)"
    ) as told:
        model.equations()
    assert "singular" not in str(told.value)  # they are equal rods everywhere


def test_dependent_choice_of_coordinates_is_named() -> None:
    model, _ = pendulum()
    model.nodes["bob"].x.dof()  # at (1, 0) the rod is along x: x cannot move
    with pytest.raises(RoleError, match=r"rod\.elongation \(rigid\).*bob\.x \(degree of freedom\)"):
        model.equations()


def test_kinematic_coordinates_count_the_zero_slips() -> None:
    # [Schwab2002] (A.95)
    model = Model("unicycle")
    centre, heading, spin = model.point("C"), model.angle("heading"), model.angle("spin")
    model.add(Body("body", centre, heading, mass=1.0, inertia=1.0))
    model.add(PlanarWheel("wheel", centre, heading, spin, radius=1.0))
    heading.angle.dof()
    spin.angle.dof()
    with pytest.raises(RoleError, match=r"C\.x, C\.y"):
        model.equations()
    centre.x.kinematic()
    centre.y.kinematic()
    assert "2 kinematic coordinates" in repr(model.equations())


def test_auto_prefers_relative_coordinates_and_says_why() -> None:
    disk = Model("disk", gravity=(0, 0, -1.0))
    yaw, lean, pitch = (disk.rotation(n) for n in ("yaw", "lean", "pitch"))
    centre, contact = disk.point("centre", (0, 0, 1)), disk.point("contact", (0, 0, 0))
    disk.add(Hinge("yaw hinge", disk.ground, yaw, axis=(0, 0, 1)))
    disk.add(Hinge("lean hinge", yaw, lean, axis=(1, 0, 0)))
    disk.add(Hinge("pitch hinge", lean, pitch, axis=(0, 1, 0)))
    disk.add(Wheel("wheel", centre, pitch, contact, radius=1.0))
    disk.add(Body("body", centre, pitch, mass=1.0, inertia=(0.25, 0.5, 0.25)))
    equations = disk.equations(roles="auto")
    chosen = " | ".join(equations.chosen_roles)
    for name in ("yaw hinge.angle", "lean hinge.angle", "pitch hinge.angle"):
        assert f"{name} is a degree of freedom: a relative coordinate" in chosen
    assert sum("kinematic coordinate: a nodal" in s for s in equations.chosen_roles) == 2


def test_auto_starts_where_the_nodes_start() -> None:
    model = Model("pendulum", gravity=(0, -9.81))
    angle = model.angle("angle", model.parameter("first", 0.9, unit="rad"))
    model.add(PlanarHinge("hinge", model.angle("base", 0.2, fixed=True), angle))
    top = model.point("top", (0, 0), fixed=True)
    model.add(Body("bar", top, angle, mass=1.0, inertia=1.0, offset=(1, 0)))
    model.output("shown", angle.value)
    equations = model.equations(roles="auto")
    assert {s.name: s.start for s in equations.states} == pytest.approx(
        {"hinge.angle": 0.7, "hinge.angle_rate": 0.0}, abs=1e-15
    )
    assert simulate(equations, 0.01, progress=False)["shown"][0] == pytest.approx(0.9, abs=1e-12)


def test_auto_gives_the_same_motion_as_a_choice_by_hand() -> None:
    by_hand, _ = pendulum()
    by_hand.nodes["bob"].y.dof("y")
    automatic, _ = pendulum()
    model = automatic.equations(roles="auto")
    one = simulate(by_hand.equations(), 0.3, samples=[0.3])
    two = simulate(model, 0.3, samples=[0.3])
    assert one.final("y") == pytest.approx(two.final(model.states[1].name), abs=1e-8)


def test_law_on_a_constraint_is_refused() -> None:
    _, rod = pendulum()
    with pytest.raises(RoleError, match=r"rod\.elongation.*release"):
        rod.elongation.spring(1.0)


def test_motion_without_its_rate_is_refused_by_name() -> None:
    model, rod = pendulum()
    length = model.input("pull", 0.0, unit="m")
    model.nodes["bob"].y.dof()
    rod.elongation.prescribe(length)
    with pytest.raises(ModelError, match="rate of input pull"):
        model.equations()


def test_mass_that_feels_the_acceleration_of_a_law_is_refused() -> None:
    model, rod = pendulum()
    swing = model.nodes["bob"].y.dof()
    rod.elongation.prescribe(0.1 * swing.rate, servo=True)
    with pytest.raises(ModelError, match=r"higher derivative.*rod\.elongation"):
        model.equations()


def test_names_must_differ_and_belong() -> None:
    model, _ = pendulum()
    with pytest.raises(ModelError, match="'bob' exists already"):
        model.point("bob")
    stranger = Model("other").point("stranger")
    with pytest.raises(ModelError, match="not a node of this model"):
        model.add(Truss("bar", stranger, model.nodes["bob"]))


def test_flat_wheel_is_refused() -> None:
    model = Model("flat", gravity=(0, 0, -1.0))
    wheel = model.rotation("wheel", (np.sqrt(0.5), np.sqrt(0.5), 0, 0))
    with pytest.raises(ModelError, match="lies flat"):
        Wheel("wheel", model.point("c", (0, 0, 0)), wheel, model.point("k", (1, 0, 0)), radius=1.0)


def test_free_rotation_of_a_rigid_beam_has_every_index_set_empty_but_one() -> None:
    model = Model("bar")
    p, q, angle = model.point("p", fixed=True), model.point("q", (1, 0)), model.angle("a")
    end = model.angle("b")
    model.add(PlanarBeam("bar", p, angle, q, end))
    angle.angle.fix(0.0)
    equations = model.equations()  # no degree of freedom, no state at all
    assert equations.states == ()
    assert "0 degrees of freedom" in repr(equations)


def test_values_without_meaning_are_refused_when_they_are_given() -> None:
    model = Model("m")
    point = model.point("p")
    with pytest.raises(ModelError, match="parameter k = nan"):
        model.parameter("k", float("nan"))
    with pytest.raises(ModelError, match="must not be negative"):
        Body("b", point, mass=-1.0)
    with pytest.raises(ModelError, match="start in one place"):
        Truss("t", point, point)
    model.add(Body("b", point, mass=1.0))
    point.x.dof("x", start=float("nan"))
    point.y.fix()
    with pytest.raises(ModelError, match="start value x = nan"):
        simulate(model.equations(), 1.0)


def test_auto_is_no_advice_where_it_has_chosen() -> None:
    """A degree of freedom on an angle that a rod holds already."""
    model, _ = pendulum()
    model.add(Truss("strut", model.point("side", (1, -1), fixed=True), model.nodes["bob"]))
    model.nodes["bob"].y.dof()
    with pytest.raises(RoleError, match="let roles='auto' choose"):
        model.equations()
    with pytest.raises(RoleError, match="release 1 of them") as told:
        model.equations(roles="auto")
    assert "auto" not in str(told.value)
