"""Deformations and slips sorted by their roles, and the velocity problem of these sets."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Equations, Model, PlanarWheel, RigidLink, Truss
from mbcore.equations.assembly.assembly import Assembly
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import caster, rolling_disk
from mbcore.model.expressions import column

RADIUS, POLE_ROD, ARM, OFFSET = 0.1, 1.2, 1.5, 0.4


def planimeter() -> Model:
    """Return the planimeter of [Schwab2002] 3.5.1, whose pointer F is free to go anywhere."""
    model = Model("planimeter")
    pole, joint = model.point("P", (0, 0), fixed=True), model.point("Q", (0, POLE_ROD))
    pointer, centre = model.point("F", (ARM, POLE_ROD)), model.point("M", (-OFFSET, POLE_ROD))
    arm, rotation = model.angle("arm"), model.angle("rotation")
    model.add(Truss("pole rod", pole, joint))
    model.add(RigidLink("pointer arm", joint, arm, pointer))
    model.add(RigidLink("wheel arm", joint, arm, centre))
    wheel = model.add(
        PlanarWheel("wheel", centre, arm, rotation, radius=RADIUS, direction=np.pi / 2)
    )
    wheel.lateral.release()
    model.add(Body("hand", pointer, mass=1.0))
    pointer.x.dof("x", "x_rate")
    pointer.y.dof("y", "y_rate")
    rotation.angle.kinematic("wheel.rotation")
    return model


def test_examples_of_the_text_have_its_index_sets() -> None:
    """The sets of the planimeter, of the swivel wheel and of the disk, as the text counts them."""
    # [Schwab2002] (A.19), (A.93)
    cases = (
        (planimeter(), ["F.x", "F.y"], ["rotation.angle"], ["longitudinal"], ["lateral"]),
        (caster.model(), ["swivel.y"], ["swivel.rotation"], ["lateral"], ["longitudinal"]),
        (
            rolling_disk.model(),
            ["yaw hinge.angle", "lean hinge.angle", "pitch hinge.angle"],
            ["contact.x", "contact.y"],
            ["longitudinal", "lateral"],
            ["spin"],
        ),
    )
    for model, dofs, kinematic, zero, free in cases:
        sets = Assembly(model)
        assert [q.name for q in sets.dofs] == dofs
        assert [q.name for q in sets.kinematic] == kinematic
        assert [q.name for q in sets.zero] == [f"wheel.{name}" for name in zero]
        assert [q.name for q in sets.free] == [f"wheel.{name}" for name in free]
        # as many kinematic coordinates as non-holonomic constraints, below (2.43)
        assert len(sets.kinematic) == len(sets.zero)
    assert len(sets.state_records()) == 8  # of the disk


def test_strain_of_a_redundant_rod_is_dependent() -> None:
    """A joint on three rods: one rigid, one a driven jack, one elastic, whose length follows."""
    # [Schwab2002] (A.19)
    model = Model("three rods")
    feet = [model.point(n, (x, 0.0), fixed=True) for n, x in (("a", 0.0), ("b", 3.0), ("c", 6.0))]
    head = model.point("head", (0.0, 4.0))
    rigid, jack, elastic = (
        model.add(Truss(name, foot, head))
        for name, foot in zip(("rigid", "jack", "elastic"), feet, strict=True)
    )
    jack.elongation.prescribe(model.time - 1)
    elastic.elongation.release()
    elastic.elongation.spring(10.0)
    model.output("strain", elastic.elongation.value)
    sets = model.equations().assembly
    assert (sets.rigid, sets.prescribed) == ([rigid.elongation], [jack.elongation])
    assert sets.dependent == [elastic.elongation] and not sets.dofs
    point = Evaluation(model.equations())
    point.start()
    for time in (0.2, 0.5, 1.0):
        point.t[0] = time
        point.configure()
        # intersection of the circles of radius 4 about (0, 0) and 5 + t - 1 about (3, 0)
        x = (16 - (4 + time) ** 2 + 9) / 6
        length = np.hypot(x - 6, np.sqrt(16 - x**2))
        assert point.output()[0] == pytest.approx(length - np.sqrt(52), rel=1e-12)


def rows_and_rates(
    equations: Equations, point: Evaluation, velocities: dict[str, float]
) -> tuple[np.ndarray, dict[str, float]]:
    """Return D_ij, and D_ij ẋ_j by the names of the rows and of the free slips."""
    sets = equations.assembly
    rows = [*sets.velocity_rows, *sets.free]
    given = [sets.model.time, sets.s, sets.d, sets.u, sets.p, sets.x, sets.v]
    rates = column(sets.rate(q) for q in rows)
    square = ca.jacobian(rates[: len(sets.velocity_rows)], sets.v)
    function = ca.Function("f", given, [ca.densify(square), ca.densify(rates)])
    x = equations.nodal_coordinates(point.x)
    v = [velocities.get(c.name, 0.0) for c in sets.coordinates]
    D, found = function(point.t, point.s, point.d, point.u, point.p, x, v)
    return np.array(D), dict(zip((q.name for q in rows), np.array(found).ravel(), strict=True))


def test_velocities_of_a_planimeter_meet_the_velocity_problem() -> None:
    """Arm and pole rod turn at any rates; the wheel rolls, and slides along its axle."""
    # [Schwab2002] (A.100), (3.37)
    equations = planimeter().equations()
    point = Evaluation(equations)
    arm, rod, arm_rate, rod_rate = 0.3, 2.0, 0.7, -0.4
    joint = POLE_ROD * np.array([np.cos(rod), np.sin(rod)])
    along, across = np.array([[np.cos(arm), np.sin(arm)], [-np.sin(arm), np.cos(arm)]])
    point.start(dict(zip("xy", joint + ARM * along, strict=True)))
    v_joint = rod_rate * np.array([-joint[1], joint[0]])
    v_pointer, v_centre = (v_joint + d * arm_rate * across for d in (ARM, -OFFSET))
    velocities = {"arm.angle": arm_rate, "rotation.angle": across @ v_centre / RADIUS}
    for name, v in (("Q", v_joint), ("F", v_pointer), ("M", v_centre)):
        velocities |= {f"{name}.x": v[0], f"{name}.y": v[1]}
    D, rates = rows_and_rates(equations, point, velocities)
    assert D.shape == (8, 8) and np.linalg.matrix_rank(D) == 8
    sliding = rates.pop("wheel.lateral")
    assert sliding == pytest.approx(-along @ v_centre, rel=1e-12)
    given = {"F.x": v_pointer[0], "F.y": v_pointer[1]}
    assert rates == pytest.approx(dict.fromkeys(rates, 0.0) | given, abs=1e-12)


def test_velocities_of_a_swivel_wheel_meet_the_velocity_problem() -> None:
    """φ̇ = (u̇ cos φ - v sin φ)/l: the wheel's centre goes where the wheel points."""
    # [Schwab2002] (A.100)
    equations = caster.model().equations()
    point = Evaluation(equations)
    phi, forward, sideways = 0.4, 1.3, 0.6
    point.start({"swivel.angle": phi, "strut.deflection_rate": sideways})
    rate = sideways * np.cos(phi) - forward * np.sin(phi)  # l = 1
    velocities = {
        "C.x": forward,
        "B.x": forward,
        "B.y": sideways,
        "strut.angle": rate,
        "A.x": forward + rate * np.sin(phi),
        "A.y": sideways - rate * np.cos(phi),
    }
    D, rates = rows_and_rates(equations, point, velocities)
    assert D.shape == (6, 6) and np.linalg.matrix_rank(D) == 6
    rolled = forward * np.cos(phi) + sideways * np.sin(phi)
    assert rates.pop("wheel.longitudinal") == pytest.approx(rolled, rel=1e-12)
    given = {"C.x": forward, "swivel.y": sideways}
    assert rates == pytest.approx(dict.fromkeys(rates, 0.0) | given, abs=1e-12)
