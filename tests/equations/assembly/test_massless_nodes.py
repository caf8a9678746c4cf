"""Massless nodes between springs, against closed forms and a balance solved by hand."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
import scipy
from fmpy import simulate_fmu

from mbcore import (
    Body,
    Equations,
    MasslessNode,
    Model,
    ModelError,
    ModelWarning,
    PlanarHinge,
    SimulationError,
    Truss,
    equilibrium,
    linearize,
    simulate,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi import export
from mbcore.model.nodes.nodes import Point
from tests.conftest import Tools

ANCHORS = np.array([[-1.0, 1.0], [1.0, 1.2]])
STIFFNESS, LENGTHS = (100.0, 150.0, 80.0), (0.8, 0.7, 0.5)
WEIGHT = 9.81


def three_springs(damping: float = 0.0, knot_mass: float = 0.0, massless: bool = True) -> Model:
    """A bob of 1 kg on a spring, which hangs from a knot on two others."""
    model = Model("three springs", gravity=(0, -WEIGHT))
    knot, bob = model.point("knot", (0, 0.95)), model.point("bob", (0.02, -0.1))
    ends = [model.point(name, at, fixed=True) for name, at in zip("ab", ANCHORS, strict=True)]
    model.add(Body("bob", bob, mass=1.0))
    if knot_mass:
        model.add(Body("ring", knot, mass=knot_mass))
    for end, k, rest in zip([*ends, bob], STIFFNESS, LENGTHS, strict=True):
        spring = model.add(Truss(f"spring {end.name}", knot, end, rest_length=rest))
        spring.elongation.release().spring(k, damping)
    bob.x.dof("x", start=0.02)
    bob.y.dof("y", start=-0.1)
    if massless:
        model.add(MasslessNode("meeting", knot))
    model.output("knot.x", knot.x.value)
    model.output("knot.y", knot.y.value)
    model.output("knot.speed", knot.y.rate)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


@pytest.fixture(scope="module")
def equations() -> Equations:
    return three_springs().equations()


def pull(of: np.ndarray, to: np.ndarray, k: float, rest: float) -> np.ndarray:
    """Force of a spring on its first end."""
    along = to - of
    length = np.linalg.norm(along)
    return k * (length - rest) * along / length


def balanced(bob: np.ndarray) -> np.ndarray:
    """Where the knot is, by a solver of its own."""
    ends = [*ANCHORS, bob]

    def force(knot: np.ndarray) -> np.ndarray:
        return sum(pull(knot, e, k, r) for e, k, r in zip(ends, STIFFNESS, LENGTHS, strict=True))

    found = scipy.optimize.root(force, (0, 0.95), tol=1e-13)
    assert np.abs(force(found.x)).max() < 1e-11
    return found.x


def test_bob_moves_as_with_a_balance_solved_at_each_evaluation(equations: Equations) -> None:
    run = simulate(equations, 0.3, rtol=1e-11, atol=1e-12, backend="python", progress=False)

    def rates(t: float, s: np.ndarray) -> np.ndarray:
        force = pull(s[2:], balanced(s[2:]), STIFFNESS[2], LENGTHS[2])
        return np.concatenate([force - [0, WEIGHT], s[:2]])

    begin = [0.0, 0.0, 0.02, -0.1]
    end = scipy.integrate.solve_ivp(rates, (0, 0.3), begin, "DOP853", rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose([run["x"][-1], run["y"][-1]], end.y[2:, -1], rtol=0, atol=1e-12)
    knot = balanced(end.y[2:, -1])
    np.testing.assert_allclose([run["knot.x"][-1], run["knot.y"][-1]], knot, rtol=0, atol=1e-11)
    assert np.ptp(run["energy"]) < 1e-9


@pytest.mark.heavy
def test_c_moves_as_python_and_rates_are_exact(equations: Equations) -> None:
    both = [
        simulate(equations, 0.6, rtol=1e-11, atol=1e-12, backend=backend, progress=False)
        for backend in ("python", "c")
    ]
    for name in ("x", "y", "knot.x", "knot.y", "knot.speed"):
        assert both[0][name][-1] == pytest.approx(both[1][name][-1], abs=1e-11)
    run, h = both[0], 1e-5
    bob = np.array([run["x"][-1], run["y"][-1]])
    along = h * np.array([run["x_rate"][-1], run["y_rate"][-1]])
    slope = (balanced(bob + along) - balanced(bob - along))[1] / (2 * h)
    assert run["knot.speed"][-1] == pytest.approx(slope, abs=1e-6)


def test_statics_and_stiffness_are_those_of_the_condensed_springs(equations: Equations) -> None:
    found = equilibrium(equations, progress=False)
    x, y = (found.states[n] for n in ("x", "y"))
    bob = np.array([x, y])
    knot = balanced(bob)
    hanging = pull(bob, knot, STIFFNESS[2], LENGTHS[2])
    np.testing.assert_allclose(hanging, [0, WEIGHT], rtol=0, atol=1e-9)

    def tangent(p: np.ndarray, q: np.ndarray, k: float, rest: float) -> np.ndarray:
        length = np.linalg.norm(q - p)
        e = (q - p) / length
        return k * np.outer(e, e) + k * (1 - rest / length) * (np.eye(2) - np.outer(e, e))

    own = tangent(knot, bob, STIFFNESS[2], LENGTHS[2])
    of_knot = own + sum(tangent(knot, ANCHORS[i], STIFFNESS[i], LENGTHS[i]) for i in range(2))
    condensed = own - own @ np.linalg.solve(of_knot, own)
    system = linearize(equations, {"x": x, "y": y})
    np.testing.assert_allclose(system.K_d, condensed, rtol=0, atol=1e-8)
    np.testing.assert_allclose(system.M, np.eye(2), rtol=0, atol=1e-12)


@pytest.mark.parametrize("springs", [2, 11])
def test_torsion_springs_in_a_row_are_one_spring(springs: int) -> None:
    """With n springs k in a row, the frequency is sqrt(k/(n I))."""
    model = Model("row")
    wheels = [model.angle("wall", fixed=True)]
    wheels += [model.angle(f"shaft {i}") for i in range(1, springs + 1)]
    for i, (p, q) in enumerate(itertools.pairwise(wheels)):
        model.add(PlanarHinge(f"spring {i}", p, q)).angle.release().spring(300.0)
    model.add(Body("rotor", None, wheels[-1], inertia=2.0))
    wheels[-1].angle.dof("turn", start=0.1)
    for i, shaft in enumerate(wheels[1:-1]):
        model.add(MasslessNode(f"massless {i}", shaft))
    roots = linearize(model.equations(), {"turn": 0.0}).eigenvalues()
    expected = np.sqrt(300.0 / (2.0 * springs))
    assert np.abs(roots.imag).max() == pytest.approx(expected, rel=1e-12)


def shallow_truss(load: ca.SX | float = 0.0, height: float = 0.3, started: float = 0.3) -> Model:
    """Two springs to the apex of a shallow triangle of half the span 1, von Mises' truss."""
    model = Model("shallow truss")
    apex = model.point("apex", (0.0, started))
    for side in (-1.0, 1.0):
        foot = model.point(f"foot {side:g}", (side, 0), fixed=True)
        bar = model.add(Truss(f"bar {side:g}", apex, foot, rest_length=np.hypot(1, height)))
        bar.elongation.release().spring(1000.0)
    weight = model.parameter("rate", 10.0, unit="N/s")
    model.load(-weight * model.time, apex.velocity[1])
    model.add(MasslessNode("massless", apex))
    model.output("height", apex.y.value, unit="m")
    swing = model.angle("swing")  # something that moves
    model.add(Body("wheel", None, swing, inertia=1.0))
    swing.angle.dof("swing", rate_start=1.0)
    return model


@pytest.mark.heavy
def test_shallow_truss_snaps_at_the_largest_load() -> None:
    """2 k y (l_0/sqrt(a^2 + y^2) - 1) is largest where (a^2 + y^2)^3/2 = l_0 a^2."""
    rest = np.hypot(1, 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        equations = shallow_truss().equations()
    y = np.sqrt(rest ** (2 / 3) - 1)
    largest = 2 * 1000 * y * (rest / np.hypot(1, y) - 1)
    for backend in ("python", "c"):
        with pytest.raises(SimulationError, match="the springs on apex do not hold it") as stop:
            simulate(equations, 10.0, backend=backend, progress=False)
        assert stop.value.time == pytest.approx(largest / 10.0, rel=1e-6)
    before = simulate(equations, 0.99 * largest / 10.0, rtol=1e-11, progress=False)
    held = before["height"][-1]
    assert 2 * 1000 * held * (rest / np.hypot(1, held) - 1) == pytest.approx(
        0.99 * largest, rel=1e-10
    )


def test_other_balance_is_told_and_the_unstable_one_refused() -> None:
    with pytest.warns(ModelWarning, match=r"apex balance at other places.*apex.y = -0.3 m"):
        shallow_truss().equations()
    with pytest.warns(ModelWarning, match="apex.y = 0.3 m"):
        equations = shallow_truss(started=0.0).equations()
    with pytest.raises(SimulationError, match="do not hold it in a stable balance"):
        simulate(equations, 0.1, progress=False)


def pair_of_knots(
    rate: float = 0.0, gap: float = 1.0, spring: float = 140.0, apart: float = 0.0
) -> Model:
    """Two knots on one line between walls that come closer; all three springs are compressed.

    Two springs across hold each knot, together with the stiffness ``spring``.
    """
    model = Model("pair")
    walls = [model.point(f"wall {side:g}", (side * (0.5 + gap), 0)) for side in (-1.0, 1.0)]
    knots = [model.point(name, (x, y)) for name, x, y in (("A", -0.5, apart), ("B", 0.5, -apart))]

    def truss(name: str, ends: tuple[Point, Point], k: float, rest: float) -> None:
        model.add(Truss(name, *ends, rest_length=rest)).elongation.release().spring(k)

    truss("strut", (knots[0], knots[1]), 1000.0, 1.05)
    for wall, knot, side in zip(walls, knots, (-1.0, 1.0), strict=True):
        wall.x.prescribe(side * (0.5 + gap - rate * model.time))
        wall.y.fix()
        truss(f"from {wall.name}", (wall, knot), 1000.0, 1.0)
        for up in (-10.0, 10.0):
            foot = model.point(f"foot {side:g} {up:g}", (side / 2, up), fixed=True)
            truss(f"across {side:g} {up:g}", (knot, foot), spring / 2, 10.0)
        model.add(MasslessNode(f"massless {knot.name}", knot))
        model.output(f"{knot.name}.y", knot.y.value, unit="m")
    swing = model.angle("swing")  # something that moves
    model.add(Body("wheel", None, swing, inertia=1.0))
    swing.angle.dof("swing", rate_start=1.0)
    return model


def turning_of_the_strut(rate: float, spring: float) -> float:
    """Time at which the strut of `pair_of_knots` turns.

    The knots stand at ±a, with f = 1000 (1.05 - 2 a) in the strut and, by balance, in the outer
    springs, 1000 (1 - l) with l = 2 a - 0.05. A displacement y of A and -y of B turns the strut by
    y/a and an outer spring by y/l, so the force on A is (f/a + f/l - k) y. At its zero k a l =
    f (3 a - 0.05), a quadratic equation for a. The walls stand at ±(a + l) then.
    """
    roots = np.roots([2 * spring + 6000, -(0.05 * spring + 3250), 52.5])
    return float((1.5 - (3 * roots.max() - 0.05)) / rate)


@pytest.mark.parametrize(
    ("backend", "spring", "apart"),
    [
        ("python", 140.0, 0.0),
        ("python", 118.0, 1e-3),
        pytest.param("c", 140.0, 1e-3, marks=pytest.mark.heavy),
    ],
)
def test_connected_knots_stop_where_they_are_unstable_together(
    backend: str, spring: float, apart: float
) -> None:
    """Each knot alone is stable far beyond, since the other does not move then."""
    equations = pair_of_knots(0.05, spring=spring, apart=apart).equations()
    with pytest.raises(SimulationError, match="on A, B do not hold them in a stable") as stop:
        simulate(equations, 1.0, backend=backend, progress=False)
    assert stop.value.time == pytest.approx(turning_of_the_strut(0.05, spring), abs=2e-5)
    assert [r.name for r in equations.requirements] == ["massless A.stability"]


def test_start_that_is_unstable_together_is_told_and_refused() -> None:
    with pytest.warns(ModelWarning, match=r"A.y = 0 m.*next to the start and not stable: start"):
        equations = pair_of_knots(gap=0.94).equations()
    with pytest.raises(SimulationError, match=r"massless A.stability.*springs on A, B do not hold"):
        simulate(equations, 0.1, progress=False)


def row_of_knots(knots: int, rate: float = 0.1, rest: float = 1.001) -> Model:
    """Knots in a row of springs of 1000 N/m, pressed together; 100 N/m hold each across."""
    model = Model("row of knots")
    row = [model.point(f"knot {i}", (i, 0)) for i in range(knots + 2)]
    row[0].fix()
    row[-1].x.prescribe(knots + 1 - rate * model.time)
    row[-1].y.fix()
    for i, (p, q) in enumerate(itertools.pairwise(row)):
        spring = model.add(Truss(f"spring {i}", p, q, rest_length=rest))
        spring.elongation.release().spring(1000.0)
    for knot in row[1:-1]:
        model.load(-100.0 * knot.y.value, knot.velocity[1])
        model.add(MasslessNode(f"massless {knot.name}", knot))
    swing = model.angle("swing")
    model.add(Body("wheel", None, swing, inertia=1.0))
    swing.angle.dof("swing", rate_start=1.0)
    return model


@pytest.mark.parametrize("knots", [4, pytest.param(10, marks=pytest.mark.heavy)])
def test_row_turns_to_a_zigzag(knots: int) -> None:
    """The stiffness across is 100 - f/l (2 - 2 cos φ), least for φ = n π/(n + 1)."""
    c = 2 + 2 * np.cos(np.pi / (knots + 1))
    length = 1001 * c / (100 + 1000 * c)
    equations = row_of_knots(knots).equations()
    with pytest.raises(SimulationError, match=r"massless knot 1\.stability is reached") as stop:
        simulate(equations, 5.0, backend="python", progress=False)
    assert stop.value.time == pytest.approx((knots + 1) * (1 - length) / 0.1, rel=2e-6)


def test_row_that_starts_at_rest_loses_its_stability_there() -> None:
    """Springs at rest length do not move the next knot across, and must not place it."""
    c = 2 + 2 * np.cos(np.pi / 5)
    turns = 5 * (1 - 1000 * c / (100 + 1000 * c)) / 0.1
    point = Evaluation(row_of_knots(4, rest=1.0).equations())
    point.start()
    limits = []
    for point.t[0] in (turns - 2e-6, turns - 1e-6):
        point.configure()
        limits.append(float(point.call("require").results[0].min()))
    left = 1e-6 * limits[1] / (limits[0] - limits[1])
    assert left == pytest.approx(1e-6, rel=1e-5)


def with_rigid_bar() -> Model:
    model = three_springs()
    other = model.point("other", (0.5, 0.95))
    model.add(Truss("bar", other, model.nodes["knot"]))
    return model


def with_role() -> Model:
    model = three_springs()
    model.nodes["knot"].x.dof("knot.x")
    return model


def alone() -> Model:
    model = three_springs()
    model.add(MasslessNode("loose", model.point("stray", (0.0, 3.0))))
    return model


def on_one_spring() -> Model:
    model = three_springs()
    loose = model.point("stray", (0.0, 3.0))
    spring = model.add(Truss("thread", loose, model.nodes["a"], rest_length=1.0))
    spring.elongation.release().spring(10.0)
    model.add(MasslessNode("loose", loose))
    return model


def of_angle_in_space() -> Model:
    model = Model("space")
    model.add(MasslessNode("turn", model.rotation("body")))  # type: ignore[arg-type]
    return model


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: three_springs(damping=1.0), "depends on the velocity .* is a state: prescribe"),
        (lambda: three_springs(knot_mass=0.1), "body ring has mass there; leave out"),
        (with_rigid_bar, "bar.elongation is rigid and acts on it.*release bar.elongation"),
        (on_one_spring, "thread.elongation alone acts on its 2 coordinates, .*give it 2 springs"),
        (with_role, "knot.x is a degree of freedom, but a massless node follows"),
        (alone, "no law acts on it; release elongations"),
        (of_angle_in_space, "give a point or a planar angle"),
    ],
)
def test_what_a_massless_node_cannot_be_is_refused(made: Callable[[], Model], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        made().equations()


def test_refused_mass_names_the_remedy() -> None:
    model = three_springs(massless=False)
    knot = model.nodes["knot"]
    knot.x.dof("knot_x")
    knot.y.dof("knot_y", start=0.95)
    with pytest.raises(Exception, match="MasslessNode"):
        simulate(model.equations(), 0.1, progress=False)


@pytest.mark.heavy
def test_fmu_moves_as_python(equations: Equations, tmp_path: Path, tools: Tools) -> None:
    """It has the position problem with its balance in C, which no shipped FMU has."""
    paths = export(equations, tmp_path, tools=tools)
    expected = simulate(equations, 0.6, rtol=1e-11, atol=1e-12, progress=False)
    for path, interface in itertools.product(paths, ("CoSimulation", "ModelExchange")):
        rows = simulate_fmu(
            str(path),
            fmi_type=interface,
            stop_time=0.6,
            output_interval=0.1,
            relative_tolerance=1e-11,
            output=["x", "y", "knot.x", "knot.speed"],
        )
        for name in ("x", "y", "knot.x", "knot.speed"):
            assert rows[name][-1] == pytest.approx(expected[name][-1], abs=1e-8), interface
