"""A mechanism of a watch is as regular as one of a bridge: measures depend on no unit of length.

With lengths and gravity in proportion to a size, masses to its cube, a mechanism moves by the same
angles in the same time.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Hinge, Model, PlanarHinge, RigidLink, Truss, simulate
from mbcore.equations.elimination.unit_sizes import length_power
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import bicycle

SIZES = (1e-6, 0.05, 20.0, 1e3)


def planar_four_bar(size: float) -> Model:
    """Return a four-bar of uniform rods 0.4, 1 and 1 on a ground of 0.8 sizes.

    Crank and rocker start upright, so that the coupler rises by 0.6 on 0.8.
    """
    model = Model("four_bar", gravity=(0, -9.81 * size))
    A, D = model.point("A", (0, 0), fixed=True), model.point("D", (0.8 * size, 0), fixed=True)
    B, C = model.point("B", (0, 0.4 * size)), model.point("C", (0.8 * size, size))
    still = model.angle("still", fixed=True)
    crank, coupler, rocker = (
        model.angle(name, start)
        for name, start in (
            ("crank", math.pi / 2),
            ("coupler", math.atan2(0.6, 0.8)),
            ("rocker", math.pi / 2),
        )
    )
    hinge = model.add(PlanarHinge("hinge", still, crank))
    bars = ((A, crank, B, 0.4), (B, coupler, C, 1.0), (D, rocker, C, 1.0))
    for p, angle, q, part in bars:
        length, name = part * size, f"{angle.name} bar"
        model.add(RigidLink(name, p, angle, q, offset=(length, 0)))
        mass, inertia = size**3, size**3 * length**2 / 12
        model.add(
            Body(f"{name} mass", p, angle, mass=mass, inertia=inertia, offset=(length / 2, 0))
        )
    hinge.angle.dof("angle", "rate", math.pi / 2, 2.0)
    return model


def spatial_four_bar(size: float) -> Model:
    """Return a crank and a rocker about axes that cross, with a massless rod between them."""
    model, mass = Model("rssr", gravity=(0, 0, -9.81 * size)), size**3
    inertia = ca.SX.eye(3) * mass * size**2 / 10
    end = np.array([1.0, 0.3, 0.2]) * size
    foot, pivot = model.point("O", (0, 0, 0), fixed=True), model.point("P", tuple(end), fixed=True)
    A = model.point("A", (0, 0.4 * size * math.cos(1), 0.4 * size * math.sin(1)))
    B = model.point("B", tuple(end + np.array([0.9 * size, 0, 0])))
    still, rocker = model.rotation("still", fixed=True), model.rotation("rocker")
    crank = model.rotation("crank", (math.cos(0.5), math.sin(0.5), 0, 0))
    hinge = model.add(Hinge("first", still, crank, axis=(1, 0, 0)))
    model.add(Hinge("last", still, rocker, axis=(0, 1, 0)))
    model.add(RigidLink("crank link", foot, crank, A, offset=(0, 0.4 * size, 0)))
    model.add(RigidLink("rocker link", pivot, rocker, B, offset=(0.9 * size, 0, 0)))
    model.add(Truss("rod", A, B))
    model.add(Body("crank mass", foot, crank, mass=mass, inertia=inertia))
    model.add(
        Body("rocker mass", pivot, rocker, mass=mass, inertia=inertia, offset=(0.45 * size, 0, 0))
    )
    hinge.angle.dof("angle", "rate", 1.0, 3.0)
    return model


def angles(equations: Equations) -> np.ndarray:
    """Return the angle and its rate, shape (2, times)."""
    run = simulate(equations, 0.4, method="classical", max_step=0.02, progress=False)
    return np.array([run["angle"], run["rate"]])


@pytest.mark.heavy
@pytest.mark.parametrize("make", [planar_four_bar, spatial_four_bar])
def test_mechanisms_of_all_sizes_are_as_regular_and_move_alike(
    make: Callable[[float], Model],
) -> None:
    made = [make(size).equations() for size in (1.0, *SIZES)]
    points = [Evaluation(equations) for equations in made]
    for point in points:
        point.start()
        point.check()
        np.testing.assert_allclose(
            point.conditioning_measures(), points[0].conditioning_measures(), rtol=1e-9
        )
    moved = [angles(equations) for equations in made]
    for motion in moved[1:]:
        np.testing.assert_allclose(motion, moved[0], rtol=1e-9)


@pytest.mark.heavy
def test_roles_are_chosen_alike_in_all_sizes() -> None:
    """Three hinges in line leave ten constraints of a door that say nothing new."""

    def door(size: float) -> Model:
        model = Model("door")
        leaf, centre = model.rotation("leaf"), model.point("centre", (0.5 * size, 0, size))
        model.add(Body("leaf", centre, leaf, mass=1.0, inertia=(size**2,) * 3))
        for i, height in enumerate((0.2, 1.0, 1.8)):
            post = model.point(f"post {i}", (0, 0, height * size), fixed=True)
            model.add(Hinge(f"hinge {i}", model.ground, leaf, axis=(0, 0, 1)))
            offset = (-0.5 * size, 0, (height - 1) * size)
            model.add(RigidLink(f"strap {i}", centre, leaf, post, offset=offset))
        return model

    chosen = [door(size).equations(roles="auto").chosen_roles for size in (1.0, *SIZES)]
    assert sum("is released" in sentence for sentence in chosen[0]) == 10
    assert all(sentences == chosen[0] for sentences in chosen)


@pytest.mark.heavy
def test_bicycles_of_all_sizes_move_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters in proportion to powers of the size that their units tell; slips are in m2/s."""
    plain = Model.parameter
    states, measures = [], []
    for size in (1.0, *SIZES):
        powers = {"m": size, "m/s2": size, "kg": size**3, "kg.m2": size**5}

        def scaled(self, name, value, *, powers=powers, **more):  # type: ignore[no-untyped-def]
            return plain(self, name, value * powers.get(more.get("unit"), 1.0), **more)

        monkeypatch.setattr(Model, "parameter", scaled)
        equations = bicycle.model().equations()
        start = {"bicycle.speed": 5.0 * size}
        point = Evaluation(equations)
        point.start(start)
        measures.append(point.conditioning_measures())
        run = simulate(equations, 0.5, start=start, method="classical", max_step=0.01)
        states.append([run[s.name] / size ** length_power(s.unit) for s in equations.states])
    for measure, state in zip(measures, states, strict=True):
        np.testing.assert_allclose(measure, measures[0], rtol=1e-9)
        np.testing.assert_allclose(state, states[0], rtol=1e-9, atol=1e-9)
