"""Redundant constraints: released where they are so everywhere, else told from singular starts."""

from __future__ import annotations

from collections.abc import Callable
from math import acos, cos, pi, sin, sqrt

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Hinge,
    Model,
    ModelWarning,
    PlanarHinge,
    PlanarKnifeEdge,
    PlanarWheel,
    RigidLink,
    RoleError,
    SimulationError,
    Truss,
    simulate,
)
from mbcore.equations.roles.redundancy import _kept
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.quantities import Deformation, Role


def door(out_of_line: float = 0.0) -> Model:
    """A door of 20 kg, 1 m wide, on three hinges; gravity leans by -2 m/s2 along y."""
    model = Model("door", gravity=(0, -2.0, -9.81))
    leaf, centre = model.rotation("leaf"), model.point("centre", (0.5, 0, 1.0))
    model.add(Body("leaf", centre, leaf, mass=20.0, inertia=(7.0, 9.0, 2.0)))
    for i, z in enumerate((0.2, 1.0, 1.8)):
        post = model.point(f"post {i}", (out_of_line if i == 2 else 0.0, 0, z), fixed=True)
        model.add(Hinge(f"hinge {i}", model.ground, leaf, axis=(0, 0, 1)))
        model.add(RigidLink(f"strap {i}", centre, leaf, post, offset=(-0.5, 0, z - 1.0)))
    model.elements["hinge 0"].angle.dof("angle")
    return model


@pytest.mark.heavy
def test_a_door_on_three_hinges_is_a_pendulum_about_their_line() -> None:
    """(I + m a²) φ̈ = -m g_y a cos φ with a = 0.5 m; ten constraints are too many."""
    model = door()
    roles = {q.name: q.role for q in model.deformations()}
    equations = model.equations(roles="auto")
    assert {q.name: q.role for q in model.deformations()} == roles
    assert model.equations(roles="auto").chosen_roles == equations.chosen_roles
    assert sum("is released" in sentence for sentence in equations.chosen_roles) == 10
    released = [s.split(".")[0] for s in equations.chosen_roles if "is released" in s]
    assert {"hinge 0", "strap 0"}.isdisjoint(released)
    assert len(equations.indeterminate) == 15
    point = Evaluation(equations)
    point.start({"angle": 0.7})
    assert point.derivative()[0] == pytest.approx(-20 * 2 * 0.5 * cos(0.7) / 7, rel=1e-12)
    run = simulate(equations, 3.0, rtol=1e-10, atol=1e-10)
    energy = 3.5 * run["angle_rate"] ** 2 + 20 * np.sin(run["angle"])
    np.testing.assert_allclose(energy, 0.0, atol=1e-7)


@pytest.mark.heavy
def test_forces_that_are_not_unique_are_told_once() -> None:
    model = door()
    model.output("force", model.elements["strap 0"].x.stress)
    model.output("angle_of_another", model.elements["hinge 1"].angle.value)
    with pytest.warns(ModelWarning, match=r"not unique.*force shows that of strap 0\.x\)") as told:
        model.equations(roles="auto")
    assert len(told) == 1


def test_hinges_out_of_line_are_refused_with_the_misfit() -> None:
    with pytest.raises(RoleError, match=r"contradict.*strap 2\.x is violated by 0\.01 m"):
        door(0.01).equations(roles="auto")


def test_redundant_everywhere_is_said_so() -> None:
    with pytest.raises(RoleError, match=r"depend on each other everywhere.*release 10 of them, or"):
        door().equations()


def rotation_about(axis: int, angle: float) -> np.ndarray:
    """Rotation matrix about a coordinate axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    found = np.eye(3)
    found[[i, j, i, j], [i, j, j, i]] = cos(angle), cos(angle), -sin(angle), sin(angle)
    return found


def bricard(theta: float, phi: float) -> Model:
    """Six links of 1 m, twisted by ±90 degrees, with the joint angles θ, φ, θ, φ, θ, φ."""
    places, axes = [np.zeros(3)], []
    turned = np.eye(3)
    for i in range(6):
        axes.append(turned[:, 2])
        turned = turned @ rotation_about(2, (theta, phi)[i % 2])
        places.append(places[-1] + turned[:, 0])
        turned = turned @ rotation_about(0, (pi / 2, -pi / 2)[i % 2])
    np.testing.assert_allclose(places[6], 0.0, atol=1e-12)  # the six are closed
    np.testing.assert_allclose(turned, np.eye(3), atol=1e-12)
    model = Model("bricard", gravity=(0.3, 0.2, -9.81))
    points = [
        model.point(f"p{i}", tuple(place), fixed=i in (0, 5)) for i, place in enumerate(places[:6])
    ]
    bodies = [model.ground, *(model.rotation(f"r{i}") for i in range(5)), model.ground]
    for i in range(6):
        model.add(Hinge(f"hinge {i}", bodies[i], bodies[i + 1], axis=tuple(axes[i])))
        model.output(f"turned {i}", model.elements[f"hinge {i}"].angle.value)
    for i in range(5):
        model.add(RigidLink(f"link {i}", points[i], bodies[i + 1], points[i + 1]))
        model.add(Body(f"body {i}", points[i], bodies[i + 1], mass=1.0, inertia=(0.4,) * 3))
    model.elements["hinge 0"].angle.dof("turned", rate_start=0.8)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


@pytest.mark.heavy
def test_bricards_mechanism_moves_as_its_closed_form() -> None:
    """(1 + cos θ)(1 + cos φ) = 1 for its three angles θ and three φ; one constraint too many."""
    theta = 1.2
    phi = acos(1 / (1 + cos(theta)) - 1)
    equations = bricard(theta, phi).equations(roles="auto")
    assert sum("is released" in sentence for sentence in equations.chosen_roles) == 1
    assert "link 4." in equations.chosen_roles[0]
    assert equations.dofs == 1
    run = simulate(equations, 0.5, rtol=1e-10, atol=1e-10)
    assert np.ptp(run["turned"]) > 0.3
    one = theta + run["turned"]
    for i in (2, 4):
        np.testing.assert_allclose(run[f"turned {i}"], run["turned"], atol=1e-9)
    for i in (1, 3, 5):
        other = phi + run[f"turned {i}"]
        np.testing.assert_allclose((1 + np.cos(one)) * (1 + np.cos(other)), 1.0, atol=1e-9)
    np.testing.assert_allclose(run["energy"], run["energy"][0], rtol=1e-8)


def parallelogram(rods: int, angle: float = 1.0) -> Model:
    """A bar that hangs on parallel rods of 1 m; the start is flat where the angle is π/2."""
    model = Model("parallelogram", gravity=(0, -9.81))
    x, y = sin(angle), -cos(angle)
    bar, centre = model.angle("bar"), model.point("centre", (0.7 + x, y))
    model.add(Body("bar", centre, bar, mass=1.0, inertia=0.2))
    for i in range(rods):
        end = model.point(f"end {i}", (i + x, y))
        model.add(RigidLink(f"tie {i}", centre, bar, end, offset=(i - 0.7, 0)))
        model.add(Truss(f"rod {i}", model.point(f"pin {i}", (i, 0), fixed=True), end))
    return model


def test_three_parallel_rods_move_as_two() -> None:
    """Both fall by ẍ = -g sin φ cos φ at rest, a pendulum without inertia of its own."""
    for rods in (2, 3):
        model = parallelogram(rods)
        model.nodes["centre"].x.dof("x", start=0.7 + sin(1.0))
        equations = model.equations(roles="auto")
        released = [s for s in equations.chosen_roles if "is released" in s]
        assert [s.split()[0] for s in released] == ["rod"] * (rods - 2)
        point = Evaluation(equations)
        point.start()
        assert point.derivative()[0] == pytest.approx(-9.81 * sin(1.0) * cos(1.0), rel=1e-12)


@pytest.mark.parametrize("roles", ["given", "auto"])
def test_a_flat_parallelogram_is_singular_only_at_its_start(roles: str) -> None:
    model = parallelogram(2, pi / 2)
    model.nodes["centre"].y.dof("y")
    with pytest.raises(RoleError, match=r"start is a singular position.*start elsewhere") as told:
        model.equations(roles=roles)  # type: ignore[arg-type]
    assert "release" not in str(told.value)


def three_bars() -> list[Deformation]:
    """Elongations of three bars, for Jacobians that are given."""
    model = Model("bars")
    p, q = model.point("p", (0, 0)), model.point("q", (1, 0))
    return [model.add(Truss(name, p, q)).elongation for name in "abc"]


def four_bar(*x: float) -> Model:
    """Links between points on the x axis, the first and the last fixed."""
    model = Model("four-bar")
    points = [model.point(f"p{i}", (p, 0), fixed=i in (0, 3)) for i, p in enumerate(x)]
    for i in range(3):
        model.add(Truss(f"link {i}", points[i], points[i + 1]))
    model.add(Body("mass", points[1], mass=1.0))
    model.add(Body("other", points[2], mass=1.0))
    return model


@pytest.mark.parametrize("x", [(0, 1, 4, 1.5), (0, 1, 2.5, 4)], ids=["folds", "cannot move"])
@pytest.mark.parametrize("roles", ["given", "auto"])
def test_a_stretched_four_bar_is_not_called_redundant(x: tuple[float, ...], roles: str) -> None:
    model = four_bar(*x)
    model.nodes["p1"].y.dof("y")
    with pytest.raises(RoleError, match="the start is a singular position") as told:
        model.equations(roles=roles)  # type: ignore[arg-type]
    assert "everywhere" not in str(told.value)


def test_wheels_on_one_axle_forbid_one_lateral_slip() -> None:
    """A cart of two wheels: v̇ = F / (m + J / r² + J / r²), in any heading."""
    model = Model("cart")
    middle, heading = model.point("middle"), model.angle("heading", 0.3)
    model.add(Body("cart", middle, heading, mass=3.0, inertia=0.5))
    for i, side in enumerate((1, -1)):
        hub = model.point(f"hub {i}", (-sin(0.3) * side, cos(0.3) * side))
        spin = model.angle(f"s{i}")
        model.add(RigidLink(f"axle {i}", middle, heading, hub, offset=(0, side)))
        model.add(PlanarWheel(f"wheel {i}", hub, heading, spin, radius=0.5))
        model.add(Body(f"disk {i}", None, spin, inertia=0.1))
        spin.angle.dof(f"spin {i}")
    model.force(middle, (1.2 * cos(0.3), 1.2 * sin(0.3)))
    equations = model.equations(roles="auto")
    assert "wheel 1.lateral is released" in " | ".join(equations.chosen_roles)
    point = Evaluation(equations)
    point.start()
    rate = dict(zip((s.name for s in equations.states), point.derivative(), strict=True))
    expected = 1.2 / (3.0 + 2 * 0.1 / 0.25) / 0.5
    assert rate["spin 0_rate"] == pytest.approx(expected, rel=1e-12)
    assert rate["spin 1_rate"] == pytest.approx(expected, rel=1e-12)


def test_a_rigid_frame_has_forces_that_are_not_unique() -> None:
    """A square with both diagonals cannot move; one bar is too many, and only in its forces."""
    model = Model("frame")
    a, b = model.point("a", (0, 0), fixed=True), model.point("b", (1, 0))
    b.y.fix()
    c, d = model.point("c", (1, 1)), model.point("d", (0, 1))
    for i, (p, q) in enumerate(((a, b), (b, c), (c, d), (d, a), (a, c), (b, d))):
        model.add(Truss(f"bar {i}", p, q))
    with pytest.raises(RoleError, match=r"everywhere: bar 0.*release 1 of them"):
        model.equations()
    equations = model.equations(roles="auto")
    assert len(equations.indeterminate) == 6
    assert all(q.role is Role.RIGID for q in model.deformations() if "bar" in q.name)


def test_a_hanging_pendulum_by_its_height_starts_singular() -> None:
    """The rod alone is regular everywhere; with the height it is not, at the lowest point only."""
    model = Model("pendulum")
    centre, bob = model.point("o", (0, 0), fixed=True), model.point("b", (0, -1))
    model.add(Truss("rod", centre, bob, mass=1))
    bob.y.dof("y")
    with pytest.raises(RoleError, match=r"singular position.*rod\.elongation"):
        model.equations()


@pytest.mark.parametrize("movable", [False, True])
def test_a_driven_rod_between_supports_is_in_the_way_everywhere(movable: bool) -> None:
    """No place to start would let it grow, with or without something else that moves."""
    model = Model("held")
    one, two = model.point("one", (0, 0), fixed=True), model.point("two", (1, 0), fixed=True)
    rod = model.add(Truss("rod", one, two))
    rod.elongation.prescribe(0.1 * model.time)
    if movable:
        mass = model.point("mass", (0, 1))
        mass.y.fix()
        mass.x.dof("x")
    with pytest.raises(RoleError, match=r"each other everywhere: rod\.elongation \(pres") as told:
        model.equations()
    assert "singular position" not in str(told.value)
    with pytest.raises(RoleError, match=r"motion is impossible.*rod\.elongation .*while time chan"):
        model.equations(roles="auto")


MOTIONS: dict[str, Callable[[Model], ca.SX]] = {
    "time": lambda m: 0.3 * ca.sin(2 * m.time),
    "time, at rest at first": lambda m: 0.3 - 0.3 * ca.cos(2 * m.time),
    "an input, at rest at first": lambda m: (
        m.input("u", rate=m.input("u1", rate=m.input("u2"))) ** 3
    ),
}


@pytest.mark.parametrize(
    "by", ["time", *(pytest.param(name, marks=pytest.mark.heavy) for name in list(MOTIONS)[1:])]
)
def test_a_drive_that_a_blade_forbids_is_no_redundancy(by: str) -> None:
    """A blade along the radius of a turned arm: its slip is the arm times the driven rate."""
    model = Model("blade")
    turned, tip = model.angle("turned"), model.point("tip", (1, 0))
    drive = model.add(PlanarHinge("drive", model.angle("base", fixed=True), turned))
    drive.angle.prescribe(MOTIONS[by](model))
    model.add(RigidLink("arm", model.point("o", (0, 0), fixed=True), turned, tip, offset=(1, 0)))
    model.add(Body("bob", tip, turned, mass=1.0, inertia=0.1))
    model.add(PlanarKnifeEdge("edge", tip, turned))
    with pytest.raises(RoleError, match=r"impossible.*drive\.angle.*edge\.lateral \(zero") as told:
        model.equations(roles="auto")
    assert ("while time changes" in str(told.value)) == ("u" not in model.inputs)


@pytest.mark.heavy
def test_a_drive_that_a_rigid_triangle_forbids_is_no_redundancy() -> None:
    """Three bars fix the corner c, which a motion would move along the base."""
    model = Model("triangle")
    a, b, c = (model.point(n, p) for n, p in (("a", (0, 0)), ("b", (1, 0)), ("c", (0.4, 0.8))))
    for handle in (a.x, a.y, b.y):
        handle.fix()
    for name, p, q in (("ab", a, b), ("ac", a, c), ("bc", b, c)):
        model.add(Truss(name, p, q))
    c.x.prescribe(0.4 + 0.1 * ca.sin(2 * model.time))
    with pytest.raises(RoleError, match=r"impossible.*c\.x \(prescribed\).*release bc\.elongation"):
        model.equations(roles="auto")


@pytest.mark.heavy
def test_a_drive_that_fits_leaves_redundant_constraints_redundant() -> None:
    """Three parallel rods of 1 m, by the bar's motion x = 0.7 + sin φ."""
    model = parallelogram(3)
    model.nodes["centre"].x.prescribe(0.7 + sin(1.0) + 0.1 * ca.sin(model.time))
    model.output("height", model.nodes["centre"].position[1])
    equations = model.equations(roles="auto")
    assert equations.chosen_roles[0].startswith("rod 2.elongation is released")
    run = simulate(equations, 1.0, samples=6)
    across = sin(1.0) + 0.1 * np.sin(run.time)
    np.testing.assert_allclose(run["height"], -np.sqrt(1 - across**2), atol=1e-11)


def bladed_cart(blades: int) -> Model:
    """A cart of 3 kg on parallel blades across one axle, at a heading of 0.3, drawn by 1.2 N."""
    model = Model("cart")
    middle, heading = model.point("middle"), model.angle("heading", 0.3)
    model.add(Body("cart", middle, heading, mass=3.0, inertia=0.5))
    for i, side in enumerate(np.linspace(1, -1, blades)):
        hub = model.point(f"hub {i}", (-sin(0.3) * side, cos(0.3) * side))
        model.add(RigidLink(f"axle {i}", middle, heading, hub, offset=(0, side)))
        model.add(PlanarKnifeEdge(f"blade {i}", hub, heading))
    model.force(middle, (1.2 * cos(0.3), 1.2 * sin(0.3)))
    model.output("x", middle.position[0])
    return model


@pytest.mark.parametrize("blades", [2, pytest.param(20, marks=pytest.mark.heavy)])
def test_released_slips_are_watched_on_the_way(blades: int) -> None:
    """One blade begins to steer after half a metre, at t = sqrt(x / (0.2 cos 0.3)) = 1.62 s."""
    model = bladed_cart(blades)
    middle = model.nodes["middle"]
    turned = 0.1 * ca.fmax(0, middle.position[0] - 0.5)
    model.add(
        PlanarKnifeEdge("late", model.nodes["hub 1"], model.nodes["heading"], direction=turned)
    )
    equations = model.equations(roles="auto")
    assert sum("lateral is released" in s for s in equations.chosen_roles) == blades
    begins = sqrt(0.5 / (0.2 * cos(0.3)))
    run = simulate(equations, begins - 0.01)
    assert run.final("x") == pytest.approx(0.2 * cos(0.3) * (begins - 0.01) ** 2, rel=1e-6)
    with pytest.raises(SimulationError, match=r"late\.lateral\.redundant.* at t = 1\.6[2-4]"):
        simulate(equations, 3.0, max_step=0.01)


def test_wheels_that_are_steered_apart_are_redundant_only_straight_ahead() -> None:
    """Blades at the front with a steering angle each: their normals meet the axle apart."""
    model = bladed_cart(2)
    middle, heading = model.nodes["middle"], model.nodes["heading"]
    for i, side in enumerate((1, -1)):
        place = (cos(0.3) - sin(0.3) * side, sin(0.3) + cos(0.3) * side)
        hub, steered = model.point(f"front {i}", place), model.angle(f"steered {i}", 0.3)
        model.add(RigidLink(f"arm {i}", middle, heading, hub, offset=(1, side)))
        model.add(PlanarHinge(f"steering {i}", heading, steered))
        model.add(Body(f"knuckle {i}", None, steered, inertia=0.1))
        model.add(PlanarKnifeEdge(f"steered blade {i}", hub, steered))
    with pytest.raises(RoleError, match=r"steered blade 1\.lateral .*start is a singular position"):
        model.equations(roles="auto")


def test_of_slips_that_hardly_differ_one_is_released() -> None:
    """Blades on a turntable along circles about one centre, two of them 1 μm apart: v = ω × r."""
    model = Model("turntable")
    middle, heading = model.point("middle", (0.3, -0.2)), model.angle("heading")
    model.add(Body("table", middle, heading, mass=3.0, inertia=0.5))
    for i, phi in enumerate((0.3, 0.3 + 1e-6, 1.9)):
        place = np.array([cos(phi), sin(phi)])
        hub = model.point(f"hub {i}", place)
        model.add(RigidLink(f"arm {i}", middle, heading, hub, offset=place - (0.3, -0.2)))
        model.add(PlanarKnifeEdge(f"blade {i}", hub, heading, direction=phi + pi / 2))
        model.output(f"slip {i}", model.elements[f"blade {i}"].lateral.rate)
    heading.angle.dof("turn", rate_start=2.0)
    for axis in range(2):
        model.output(f"v{axis}", middle.velocity[axis])
    equations = model.equations(roles="auto")
    assert next(s for s in equations.chosen_roles if "released" in s).startswith("blade 1.lateral")
    point = Evaluation(equations)
    point.start()
    shown = dict(zip((o.name for o in equations.outputs), point.output(), strict=True))
    assert [shown["v0"], shown["v1"]] == pytest.approx([2 * 0.2, 2 * 0.3], abs=1e-14)
    assert [shown[f"slip {i}"] for i in range(3)] == pytest.approx([0, 0, 0], abs=1e-14)


def test_a_row_is_kept_that_is_independent_at_all_places() -> None:
    """The second row is the first one at the second place, and the third is so at the first."""
    rows = three_bars()
    first = np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 0]])
    second = np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert _kept(rows, [first]) == rows[:2]
    assert _kept(rows, [first, second]) == rows[:1]


def test_of_two_parts_of_one_freedom_the_larger_is_kept() -> None:
    """Beside the first row, the second has 1e-4 of a freedom of which the third has all."""
    rows = three_bars()
    J = np.array([[1.0, 0, 0], [1, 1e-4, 0], [0, 1, 0]])
    assert _kept(rows, [J]) == [rows[0], rows[2]]
    assert _kept(rows[:2], [J[:2]]) == rows[:2]  # where nothing better is left
