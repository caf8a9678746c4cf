"""Large deflections of beams against published values, closed forms and integrated rods.

"Integrated": by ``examples/mechanisms/rods.py``, Reissner's rods without shear at tolerances of
1e-11. Values of two numbers of elements are extrapolated with order two, which is asserted first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from mbcore import Equations, Model, PlanarBeam, SpatialBeam, equilibrium
from mbcore.equilibria.holding_forces import HoldingForces
from mbcore.equilibria.tangent import Tangent
from mbcore.examples.mechanisms import structures
from mbcore.model.errors import SimulationError


def extrapolated(
    solve: Callable[[int], np.ndarray], exact: np.ndarray, elements: int, order: float = 1.9
) -> np.ndarray:
    """Return the limit of many elements; the error must fall at least with the given order."""
    coarse, fine = solve(elements), solve(2 * elements)
    fell = np.linalg.norm(coarse - exact) / np.linalg.norm(fine - exact)
    assert np.log2(fell) > order
    return fine + (fine - coarse) / 3


@cache
def cantilever(n: int, kind: str) -> Equations:
    """Equations of a cantilever, made once for all loads of a kind."""
    return structures.cantilever(n, kind)


def tip(kind: str, load: float) -> Callable[[int], np.ndarray]:
    def solve(n: int) -> np.ndarray:
        found = equilibrium(cantilever(n, kind), inputs={"load": load}).outputs
        return np.array([found[f"x{n}"], found[f"y{n}"], found["rotation"]])

    return solve


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("load", "shortening", "deflection", "rotation"),
    [
        (1.0, 0.05643, 0.30172, 0.46135),
        (2.0, 0.16064, 0.49346, 0.78175),
        (5.0, 0.38763, 0.71379, 1.21537),
        (10.0, 0.55500, 0.81061, 1.43029),
    ],
)
def test_cantilever_under_a_tip_force(
    load: float, shortening: float, deflection: float, rotation: float
) -> None:
    """[Mattiasson 1981], Table 1."""
    exact = np.array([1 - shortening, deflection, rotation])
    assert extrapolated(tip("force", load), exact, 8) == pytest.approx(exact, abs=3e-4)


@pytest.mark.heavy
def test_heavy_cantilever() -> None:
    exact = np.array([0.6563538, -0.7001997, -1.0526431])  # integrated
    assert extrapolated(tip("weight", 10.0), exact, 8) == pytest.approx(exact, abs=3e-4)


def count_tangents(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    count, made = [0], HoldingForces.tangent

    def counted(held: HoldingForces, *arguments: np.ndarray) -> Tangent:
        count[0] += 1
        return made(held, *arguments)

    monkeypatch.setattr(HoldingForces, "tangent", counted)
    return count


@pytest.mark.heavy
@pytest.mark.parametrize("axial_stiffness", [1e4, 1e10])
def test_stiff_elements_take_no_more_iterations(
    axial_stiffness: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without rotations and stresses apart, nodal coordinates would take some hundreds."""
    model = Model("stiff")
    load = model.input("load", 0.0)
    stiffness = {"bending_stiffness": 1.0, "axial_stiffness": axial_stiffness}
    points, angles = structures.beams(model, structures.line(8), **stiffness)
    points[0].fix()
    angles[0].fix()
    structures.free_nodes([*points, *angles])
    model.force(points[-1], (0, load))
    model.output("x", points[-1].x.value)
    model.output("y", points[-1].y.value)
    count = count_tangents(monkeypatch)
    found = equilibrium(model.equations(), inputs={"load": 10.0}).outputs
    assert count[0] < 20
    relative = tip("force", 10.0)(8)  # relative degrees of freedom, without stretch
    assert list(found.values()) == pytest.approx(relative[:2], abs=20 / axial_stiffness)


@pytest.mark.heavy
def test_euler_column() -> None:
    """Straight up to π²/4 EI/l², refused beyond; a little lateral force leads it on."""
    n = 16
    model = Model("column")
    load, lateral = model.input("load", 0.0), model.input("lateral", 0.0)
    points, angles = structures.beams(model, structures.line(n), bending_stiffness=1.0)
    points[0].fix()
    angles[0].fix()
    for i in range(n):
        for end in "pq":
            model.elements[f"b{i}"].deformations[f"bending_{end}"].dof()
    model.force(points[-1], (-load, lateral))
    model.output("x", points[-1].x.value)
    model.output("y", points[-1].y.value)
    equations, critical = model.equations(), np.pi**2 / 4
    straight = {"x": pytest.approx(1.0, abs=1e-12), "y": pytest.approx(0.0, abs=1e-12)}
    assert equilibrium(equations, inputs={"load": 0.995 * critical}).outputs == straight
    beyond = {"load": 1.005 * critical}
    with pytest.raises(SimulationError, match=r"unstable, .*bending.* 9[89].* % of the way"):
        equilibrium(equations, inputs=beyond)
    assert equilibrium(equations, inputs=beyond, unstable=True).outputs == straight
    bent = equilibrium(equations, inputs={"load": 2.5, "lateral": 1e-3}).outputs
    assert bent["y"] > 0.1 and bent["x"] < 0.99


@pytest.mark.heavy
def test_tip_that_is_turned_by_an_input() -> None:
    """A prescribed rotation φ bends a free cantilever to an arc, with M = EI φ/l.

    The element's moment is too small by (4/3) θ², θ = φ/2n the rotation of its ends to its chord.
    """
    n, angle = 16, 2.0
    model = Model("turned")
    turn = model.input("turn", 0.0)
    stiffness = {"bending_stiffness": 3.0, "axial_stiffness": 1e6}
    points, angles = structures.beams(model, structures.line(n), **stiffness)
    points[0].fix()
    angles[0].fix()
    angles[-1].angle.prescribe(turn)
    structures.free_nodes([*points, *angles])
    model.output("moment", angles[-1].angle.stress)
    model.output("x", points[-1].x.value)
    found = equilibrium(model.equations(), inputs={"turn": angle}).outputs
    share = 4 / 3 * (angle / 2 / n) ** 2
    assert abs(found["moment"]) == pytest.approx(3.0 * angle * (1 - share), rel=1e-4)
    assert found["x"] == pytest.approx(np.sin(angle) / angle, abs=2e-3)


@pytest.mark.heavy
def test_lee_frame_under_a_prescribed_sinking() -> None:
    """Loads over the sinking, integrated: 0.9635508 at 10 cm, 1.3425 at 20 cm."""

    def load(n: int) -> np.ndarray:
        return np.array(
            [equilibrium(structures.lee_frame(n), inputs={"sinking": 10.0}).outputs["load"]]
        )

    exact = np.array([0.9635508])
    limit = extrapolated(load, exact, 5, 1.5)
    assert limit == pytest.approx(exact, rel=2e-3)  # (1 + N/EA)² of the element, see the example


@pytest.mark.heavy
def test_toggle_before_and_behind_its_limit() -> None:
    equations = structures.toggle(4)
    found = equilibrium(equations, inputs={"load": 25.0}).outputs
    assert found["sinking"] == pytest.approx(0.0984226, rel=2e-3)  # integrated
    assert found["thrust"] == pytest.approx(360.8767, rel=2e-3)
    with pytest.raises(SimulationError, match="a limit point or buckling is near"):
        equilibrium(equations, inputs={"load": 34.0})


def test_propped_cantilever() -> None:
    found = equilibrium(structures.propped_cantilever(2), inputs={"weight": 1e-4}).outputs
    assert found["prop"] == pytest.approx(3 / 8 * 1e-4, rel=1e-8)
    assert found["clamp"] == pytest.approx(1 / 8 * 1e-4, rel=1e-8)


def test_shear_of_a_thick_cantilever() -> None:
    found = equilibrium(structures.thick_cantilever(20.0), inputs={"load": 1e-4}).outputs
    assert found["deflection"] == pytest.approx(1e-4 * (1 / 3 + 1 / 20), rel=1e-7)


def test_torsion_with_bending() -> None:
    """Small loads on a spatial beam: T l/GI, F l³/3EI_z and F l³/3EI_y at once."""
    model = Model("twisted")
    share = model.input("share", 0.0)
    points = [model.point("p", (0, 0, 0), fixed=True), model.point("q", (2.0, 0, 0))]
    turns = [model.rotation("a", fixed=True), model.rotation("b")]
    beam = SpatialBeam(
        "beam",
        points[0],
        turns[0],
        points[1],
        turns[1],
        axial_stiffness=1e3,
        torsional_stiffness=3.0,
        bending_stiffness_y=5.0,
        bending_stiffness_z=7.0,
    )
    for deformation in model.add(beam).deformations.values():
        deformation.dof()
    model.force(points[1], (0, 1e-5 * share, 2e-5 * share))
    model.moment(turns[1], (4e-5 * share, 0, 0))
    for name, coordinate in (("y", points[1].y), ("z", points[1].z), ("half twist", turns[1].e1)):
        model.output(name, coordinate.value)
    found = equilibrium(model.equations(), inputs={"share": 1.0}).outputs
    assert found["y"] == pytest.approx(1e-5 * 8 / 21, rel=1e-4)
    assert found["z"] == pytest.approx(2e-5 * 8 / 15, rel=1e-4)
    assert found["half twist"] == pytest.approx(4e-5 * 2 / 3 / 2, rel=1e-4)


@pytest.mark.heavy
def test_too_few_elements_are_told() -> None:
    model = Model("coarse")
    points, angles = structures.beams(model, structures.line(2), bending_stiffness=1.0)
    points[0].fix()
    angles[0].fix()
    for beam in (e for e in model.elements.values() if isinstance(e, PlanarBeam)):
        beam.bending_p.dof()
        beam.bending_q.dof()
    model.moment(angles[-1], model.input("moment", 0.0))
    with pytest.raises(SimulationError, match="no equilibrium found"):
        equilibrium(model.equations(), inputs={"moment": 6.0})


@pytest.mark.heavy
def test_many_elements() -> None:
    """[Mattiasson 1981] with 100 elements, whose equations take half of the time."""
    found = tip("force", 10.0)(100)
    assert found == pytest.approx([1 - 0.55500, 0.81061, 1.43029], abs=1e-4)
